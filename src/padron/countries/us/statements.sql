-- United States: from the facts of companyfacts to `years`, `figures`, `outcomes`.
-- Recipe and evidence: docs/statements.md. Facts are told apart by start and end, never by the filing's fiscal year.

-- Every fact; `rule` so far says what makes it no fact of a year.
CREATE TABLE fact AS
WITH rows AS (
    SELECT 'companyfacts_facts' AS raw, * FROM companyfacts_facts
    UNION ALL BY NAME
    SELECT 'companyfacts_reserialised' AS raw, * FROM companyfacts_reserialised)
SELECT raw, _row AS row_id, cik_of(cik) AS company, line, place::INTEGER AS place, tag, unit, form, accn,
       day(rows.start) AS since, day("end") AS until, day(rows.filed) AS filed,
       try_cast(val AS DECIMAL(28, 2)) AS amount,
       CASE WHEN cik_of(cik) IS NULL THEN 'bad-identifier'
            WHEN day("end") IS NULL OR day(rows.filed) IS NULL OR (rows.start IS NOT NULL AND day(rows.start) IS NULL)
                THEN 'bad-date'
            WHEN try_cast(val AS DECIMAL(28, 2)) IS NULL THEN 'bad-amount' END AS fault,
       -- Quarterly reports, current reports (recast years) and proxy statements (DEF 14A repeats five years of profit).
       CASE WHEN form NOT IN ('10-K', '10-K/A', '10-KT', '10-KT/A', '20-F', '20-F/A', '40-F', '40-F/A')
                THEN 'other-form'
            WHEN NOT regexp_full_match(unit, '[A-Z]{3}') THEN 'no-currency'
            -- A 10-K holds quarters too; a 10-KT a transition period.
            WHEN rows.start IS NOT NULL AND day("end") - day(rows.start) NOT BETWEEN 350 AND 380
                THEN 'not-a-year' END AS rule
FROM rows;

-- The currency a company reports in is that of most of its facts: foreign filers add a last year in dollars for
-- convenience. USD on a tie.
CREATE TABLE reporting AS
SELECT company, arg_max(unit, (n, unit = 'USD', unit)) AS currency
FROM (SELECT company, unit, count(*) AS n FROM fact WHERE rule IS NULL AND fault IS NULL GROUP BY ALL) GROUP BY company;

-- Fiscal years are the ends of years with revenue or profit; balances of other days are no year's.
CREATE TABLE ends AS
SELECT DISTINCT company, until FROM fact JOIN reporting USING (company)
WHERE rule IS NULL AND fault IS NULL AND unit = currency AND since IS NOT NULL AND line IN ('revenue', 'net_profit');

CREATE TABLE stated AS
SELECT company, line, place, tag, until, row_id, amount, since, form, accn, filed
FROM fact JOIN reporting USING (company) SEMI JOIN ends USING (company, until)
WHERE rule IS NULL AND fault IS NULL AND unit = currency;

-- One row per company, tag and year: the latest filing holds what is true now, the earliest what was first reported.
CREATE TABLE latest AS
SELECT company, line, place, tag, until,
       arg_max(struct_pack(row_id, amount, since, form, accn, filed), (filed, accn, row_id)) AS now,
       arg_min(struct_pack(row_id, amount), (filed, accn, row_id)) AS first
FROM stated GROUP BY ALL;
-- A later report may state the same figure in millions: the one that rounds to it is more precise.
CREATE MACRO precision_of(a) AS CASE WHEN a % 1000000 = 0 THEN 1000000 WHEN a % 1000 = 0 THEN 1000 ELSE 1 END;
CREATE TABLE exact AS
SELECT company, line, place, tag, until,
       arg_max(struct_pack(row_id := s.row_id, amount := s.amount),
               (-precision_of(s.amount), s.filed, s.accn, s.row_id)) AS value
FROM stated s JOIN latest l USING (company, line, place, tag, until)
WHERE precision_of(s.amount) < precision_of(l.now.amount)
  AND round(s.amount / precision_of(l.now.amount)) * precision_of(l.now.amount) = l.now.amount
GROUP BY ALL;
CREATE TABLE tagged AS
SELECT latest.* REPLACE (struct_pack(row_id := coalesce(value.row_id, now.row_id),
                                     amount := coalesce(value.amount, now.amount),
                                     since := now.since, form := now.form, accn := now.accn, filed := now.filed) AS now)
FROM latest LEFT JOIN exact USING (company, line, place, tag, until);

-- One tag per company, line and year. A tag that is one company's total is another one's part (General Mills FY2024:
-- Revenues 2.0 billion, the contract tag 19.9): for revenue the largest is the total.
CREATE TABLE picked AS
SELECT * FROM tagged
QUALIFY row_number() OVER (PARTITION BY company, line, until
    ORDER BY CASE line WHEN 'revenue' THEN -now.amount END, place) = 1;

CREATE TABLE figures AS
SELECT company, until AS period_end, 'consolidated' AS scope, line AS figure, now.amount AS amount, tag AS basis,
       first.amount AS first_reported
FROM picked WHERE line NOT IN ('cost', 'total')
UNION ALL
SELECT company, until, 'consolidated', 'gross_profit', r.now.amount - c.now.amount, r.tag || ' - ' || c.tag, NULL
FROM (FROM picked WHERE line = 'revenue') r JOIN (FROM picked WHERE line = 'cost') c USING (company, until)
ANTI JOIN (FROM picked WHERE line = 'gross_profit') g USING (company, until);

-- Equity with the part of minorities, as the balance needs it.
CREATE MACRO with_minorities(tag) AS
    tag IN ('us-gaap:StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest', 'ifrs-full:Equity');
CREATE TABLE whole_equity AS
SELECT company, until, arg_min(struct_pack(tag, amount := now.amount), NOT with_minorities(tag)) AS equity
FROM tagged WHERE line = 'equity' GROUP BY ALL;
-- Many companies never tag their liabilities: the total less equity of the latest filing that states both. The equity of
-- NVIDIA's year 2014 was changed by later filings, which do not repeat the total.
CREATE TABLE balances AS
SELECT company, until, arg_max(struct_pack(total, equity), (t.filed, accn)) AS sheet
FROM (SELECT company, until, accn, filed, struct_pack(tag, amount) AS total FROM stated WHERE line = 'total') t
JOIN (SELECT company, until, accn, arg_min(struct_pack(tag, amount), NOT with_minorities(tag)) AS equity
      FROM stated WHERE line = 'equity' GROUP BY ALL) e USING (company, until, accn)
GROUP BY ALL;
INSERT INTO figures
SELECT company, until, 'consolidated', 'liabilities', sheet.total.amount - sheet.equity.amount,
       sheet.total.tag || ' - ' || sheet.equity.tag, NULL
FROM balances ANTI JOIN (FROM picked WHERE line = 'liabilities') l USING (company, until);

CREATE TABLE years AS
SELECT company, until AS period_end, 'consolidated' AS scope,
       -- Years of 52 or 53 weeks that should end on 31 December may end in the first days of January.
       year(until) - (strftime(until, '%m%d') <= '0115')::INTEGER AS fiscal_year,
       speaks.since AS period_start, currency, NULL::INTEGER AS employees, speaks.form AS form, speaks.accn AS filing,
       speaks.filed AS filed, 'companyfacts' AS source,
       list_filter([
           CASE WHEN differs(a.now.amount, t.now.amount) THEN 'assets-not-total' END,
           CASE WHEN differs(a.now.amount, l.now.amount + equity.amount)
                THEN 'assets-not-liabilities-plus-equity' END],
           lambda x: x IS NOT NULL) AS checks
FROM (SELECT company, until, arg_min(now, line) AS speaks FROM picked WHERE line IN ('net_profit', 'revenue')
      GROUP BY ALL)
JOIN reporting USING (company)
LEFT JOIN (FROM picked WHERE line = 'assets') a USING (company, until)
LEFT JOIN (FROM picked WHERE line = 'liabilities') l USING (company, until)
LEFT JOIN (FROM picked WHERE line = 'total') t USING (company, until)
LEFT JOIN whole_equity USING (company, until);

CREATE TABLE outcomes AS
SELECT raw, row_id, fault,
       CASE WHEN fault IS NOT NULL THEN NULL
            WHEN rule IS NOT NULL THEN rule
            WHEN unit <> currency THEN 'other-currency'
            WHEN e.until IS NULL THEN 'no-fiscal-year'
            WHEN p.tag IS NULL THEN 'other-tag'
            WHEN row_id NOT IN (p.now.row_id, p.first.row_id) THEN 'repeated' END AS rule
FROM fact LEFT JOIN reporting USING (company)
LEFT JOIN ends e ON e.company = fact.company AND e.until = fact.until
LEFT JOIN picked p ON p.company = fact.company AND p.tag = fact.tag AND p.until = fact.until;
