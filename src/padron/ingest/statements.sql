-- From the `years` and `figures` of a country's statements.sql to `statements`, one row per company, period and scope.
-- Companies that the directory does not have are left out; statements.py counts them.
CREATE TABLE statements AS
WITH amounts AS (
    SELECT company, period_end, scope,
           {figures},
           map(list(figure ORDER BY figure), list(basis ORDER BY figure)) AS basis,
           map(list(figure ORDER BY figure) FILTER (changed), list(first_reported ORDER BY figure) FILTER (changed))
               AS first_reported,
           bool_or(changed) AS restated
    FROM (SELECT * REPLACE (amount::DECIMAL(28, 2) AS amount, first_reported::DECIMAL(28, 2) AS first_reported),
                 coalesce(differs(amount, first_reported), false) AS changed
          FROM figures WHERE amount IS NOT NULL)
    GROUP BY ALL)
SELECT id.scheme AS scheme, id.identifier AS identifier, y.* EXCLUDE (company),
       a.* EXCLUDE (company, period_end, scope, basis, first_reported), basis,
       coalesce(first_reported, MAP {}::MAP(VARCHAR, DECIMAL(28, 2))) AS first_reported
FROM years y JOIN amounts a USING (company, period_end, scope)
JOIN kept USING (company);
