-- From `records` (one row per raw row) to `kept` and `all_names` (one row per company). build.py fills in {…}:
-- {scheme_rank}: CASE expression, 0 is best; {fields}: names of the fields; {chosen_fields}: expressions that choose the
-- value of each. `prio` orders the rows of a company in 64 bits: by source, then the newest, then the first in the file.
CREATE VIEW ranked AS
SELECT * REPLACE (unperson(legal_name) AS legal_name, impersonal(trade_name) AS trade_name,
                  coalesce(names, []) AS names, coalesce(aliases, []) AS aliases),
       (65535 - greatest(0, least(65535, datediff('day', DATE '1900-01-01', coalesce(recency, DATE '1900-01-01')))))
           ::UBIGINT << 42 | (row_id & ((1::BIGINT << 42) - 1))::UBIGINT AS age,
       enum_code(source)::UBIGINT << 58 | age AS prio,
       CASE WHEN regexp_matches(legal_name, '[0-9@]') THEN unperson(legal_name) IS DISTINCT FROM tidied(legal_name) END
           AS masked
FROM records;

-- Most companies of a full register have one record: nothing has to be chosen for them.
CREATE TABLE several AS SELECT company FROM records GROUP BY company HAVING count(*) > 1;
CREATE TABLE merged AS
SELECT * REPLACE (CASE WHEN folded(trade_name) <> folded THEN trade_name END AS trade_name)
FROM (SELECT *, folded(legal_name) AS folded FROM (
    SELECT company, CASE WHEN identifier IS NOT NULL THEN struct_pack(scheme, identifier) END AS id,
           prio AS representing, {fields}, CASE WHEN legal_name IS NOT NULL THEN struct_pack(source, recency) END AS named,
           [source] AS sources, aliases
    FROM ranked ANTI JOIN several USING (company)
    UNION ALL
    SELECT company,
           arg_min(struct_pack(scheme, identifier), ({scheme_rank})::HUGEINT * 18446744073709551616 + prio)
               FILTER (identifier IS NOT NULL),
           min(prio), {chosen_fields},
           arg_min(struct_pack(source, recency), {prio_legal_name}) FILTER (legal_name IS NOT NULL),
           list_sort(list(DISTINCT source)),
           flatten(list(aliases)) || list(ident(scheme, identifier)) FILTER (identifier IS NOT NULL)
    FROM ranked SEMI JOIN several USING (company) GROUP BY company));
CREATE VIEW kept AS FROM merged WHERE id IS NOT NULL AND legal_name IS NOT NULL;

-- For companies with several sources: the source of each traced field.
CREATE TABLE traced AS
SELECT company, {traced_sources} AS given
FROM ranked SEMI JOIN (SELECT company FROM merged WHERE len(sources) > 1) USING (company) GROUP BY company;

INSERT INTO left_out
SELECT r.source, r.row_id, CASE WHEN m.legal_name IS NULL THEN 'no-name' ELSE 'no-register-identifier' END
FROM (SELECT source, row_id, company FROM records UNION ALL FROM joined) r JOIN merged m USING (company)
WHERE m.id IS NULL OR m.legal_name IS NULL;

-- The other names of a company, without repetitions of the legal name; of equal names the best kind and source.
CREATE MACRO kind_rank(kind) AS array_position(
    ['former', 'trade', 'alternative', 'ticker', 'byName', 'doubtfulByName'], kind);
CREATE TABLE other_names AS
SELECT company, prio, folded(name) AS folded, struct_pack(kind, name, since, until) AS n FROM (
    SELECT company, r.prio, k.folded AS legal,
           CASE WHEN r.source = k.named.source AND r.recency < k.named.recency THEN 'former' ELSE 'alternative' END AS kind,
           r.legal_name AS name, NULL::DATE AS since, NULL::DATE AS until
    FROM ranked r SEMI JOIN several USING (company) JOIN kept k USING (company)
    WHERE r.legal_name IS NOT NULL AND r.legal_name <> k.legal_name
    UNION ALL
    SELECT company, representing, folded, 'trade', trade_name, NULL, NULL FROM kept ANTI JOIN several USING (company)
    WHERE trade_name IS NOT NULL
    UNION ALL
    SELECT company, r.prio, folded, 'trade', r.trade_name, NULL, NULL
    FROM ranked r SEMI JOIN several USING (company) JOIN kept USING (company) WHERE r.trade_name IS NOT NULL
    UNION ALL
    SELECT company, r.prio, folded, n.kind, CASE n.kind WHEN 'trade' THEN impersonal(n.name) ELSE unperson(n.name) END,
           n.since, n.until
    FROM (SELECT company, prio, unnest(names) AS n FROM ranked WHERE len(names) > 0) r JOIN kept USING (company)
    WHERE n.name IS NOT NULL
    UNION ALL
    SELECT company, representing, folded, by_names.kind, by_names.name, NULL, NULL
    FROM kept JOIN by_names ON by_names.identifier = kept.id.identifier)
WHERE folded(name) <> legal OR (kind = 'ticker' AND folded(name) IS NOT NULL);
CREATE TABLE all_names AS
WITH several_names AS (SELECT company FROM other_names GROUP BY company HAVING count(*) > 1),
distinct_names AS (
    SELECT company, arg_min(n, (kind_rank(n.kind), prio)) AS n, min(prio) AS prio
    FROM other_names SEMI JOIN several_names USING (company) GROUP BY company, folded, n.kind = 'ticker')
SELECT company, [n] AS names FROM other_names ANTI JOIN several_names USING (company)
UNION ALL
SELECT company, list_transform(
           list_sort(list(struct_pack(rank := kind_rank(n.kind), prio, name := n.name, n))), lambda x: x.n)
FROM distinct_names GROUP BY company;
