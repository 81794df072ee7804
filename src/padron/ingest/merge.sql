-- From `records` (one row a raw row) to `companies` (one row a company). {…} is filled in by build.py:
-- {source_rank}, {scheme_rank}: CASE expressions, 0 is best; {fields}: the fields, {best_fields}: the best of each. Every field is taken from the best row that has it:
-- order of sources, then the newest, then the first in the file; `prio` holds all three in 64 bits.
CREATE VIEW ranked AS
SELECT * REPLACE (unperson(legal_name) AS legal_name, unperson(trade_name) AS trade_name,
                  coalesce(names, []) AS names, coalesce(aliases, []) AS aliases),
       (65535 - greatest(0, least(65535, datediff('day', DATE '1900-01-01', coalesce(recency, DATE '1900-01-01')))))
           ::UBIGINT << 42 | (row_id & ((1::BIGINT << 42) - 1))::UBIGINT AS age,
       ({source_rank})::UBIGINT << 58 | age AS prio,
       unperson(legal_name) IS DISTINCT FROM tidied(legal_name) AS masked
FROM records;

-- Most companies of a register at full size have one record: there is nothing to choose.
CREATE TABLE several AS SELECT company FROM records GROUP BY company HAVING count(*) > 1;
CREATE TABLE merged AS
SELECT *, folded(legal_name) AS folded FROM (
    SELECT company, CASE WHEN identifier IS NOT NULL THEN struct_pack(scheme, identifier) END AS id,
           prio AS representing, {fields}, CASE WHEN legal_name IS NOT NULL THEN struct_pack(source, recency) END AS named,
           size, [source] AS sources, aliases,
           CASE WHEN identifier IS NOT NULL THEN [struct_pack(scheme, value := identifier)] END AS identifiers
    FROM ranked ANTI JOIN several USING (company)
    UNION ALL
    SELECT company,
           arg_min(struct_pack(scheme, identifier), ({scheme_rank})::HUGEINT * 18446744073709551616 + prio)
               FILTER (identifier IS NOT NULL),
           min(prio), {best_fields},
           arg_min(struct_pack(source, recency), {prio_legal_name}) FILTER (legal_name IS NOT NULL),
           max(size), list(DISTINCT source), flatten(list(aliases)),
           list(struct_pack(scheme, value := identifier)) FILTER (identifier IS NOT NULL)
    FROM ranked SEMI JOIN several USING (company) GROUP BY company);

-- Where several sources know a company: which of them gave each of the fields whose source is told.
CREATE TABLE givers AS
SELECT company, {givers} AS given
FROM ranked SEMI JOIN (SELECT company FROM merged WHERE len(sources) > 1) USING (company) GROUP BY company;

INSERT INTO left_out
SELECT r.source, r.row_id, CASE WHEN m.legal_name IS NULL THEN 'no-name' ELSE 'no-register-identifier' END
FROM (SELECT source, row_id, company FROM records UNION ALL FROM joined) r JOIN merged m USING (company)
WHERE m.id IS NULL OR m.legal_name IS NULL;

CREATE TABLE all_names AS
WITH kept AS (SELECT company, legal_name, named, folded FROM merged WHERE id IS NOT NULL AND legal_name IS NOT NULL),
said AS (
    SELECT company, r.prio,
           CASE WHEN r.source = k.named.source AND r.recency < k.named.recency THEN 'former' ELSE 'alternative' END AS kind,
           r.legal_name AS name, NULL::DATE AS since, NULL::DATE AS until
    FROM ranked r SEMI JOIN several USING (company) JOIN kept k USING (company)
    WHERE r.legal_name IS NOT NULL AND r.legal_name <> k.legal_name
    UNION ALL
    SELECT company, prio, 'trade', trade_name, NULL, NULL FROM ranked JOIN kept USING (company)
    WHERE trade_name IS NOT NULL
    UNION ALL
    SELECT company, prio, n.kind, unperson(n.name), n.since, n.until
    FROM (SELECT company, prio, unnest(names) AS n FROM ranked WHERE len(names) > 0) JOIN kept USING (company)
    WHERE n.name IS NOT NULL),
one AS (
    SELECT company, folded(name) AS folded, kind = 'ticker' AS ticker,
           arg_min(struct_pack(kind, name, since, until),
                   (array_position(['former', 'trade', 'alternative', 'ticker'], kind), prio)) AS n,
           min(prio) AS prio
    FROM said WHERE folded(name) IS NOT NULL GROUP BY ALL)
SELECT company, list_transform(list_sort(list(
           struct_pack(place := array_position(['former', 'trade', 'alternative', 'ticker'], n.kind), prio, name := n.name, n)
       )), lambda x: x.n) AS names
FROM (SELECT one.* FROM one JOIN kept USING (company) WHERE one.folded <> kept.folded OR ticker) GROUP BY company;

CREATE TABLE companies AS
SELECT id.scheme AS scheme, id.identifier AS identifier,
       CASE WHEN len(aliases) = 0 AND len(identifiers) = 1 THEN []
            ELSE list_sort(list_distinct(list_filter(aliases || identifiers,
                lambda x: x.value IS NOT NULL AND (x.scheme, x.value) <> (id.scheme, id.identifier)))) END AS aliases,
       legal_name,
       CASE WHEN folded(trade_name) <> folded THEN trade_name END AS trade_name,
       coalesce(a.names, []) AS names,
       s.status AS status, status_raw, legal_form_raw, activity_code, activity_label, region, municipality,
       incorporated, ended, establishments, home, size,
       named.source AS source,
       list_filter({source_order}, lambda x: list_contains(sources, x)) AS sources,
       coalesce(given, []) AS given,
       named.recency AS refreshed,
       false AS financials
FROM merged LEFT JOIN all_names a USING (company) LEFT JOIN givers USING (company) LEFT JOIN status_map s ON s.raw = status_raw
WHERE id IS NOT NULL AND legal_name IS NOT NULL;
