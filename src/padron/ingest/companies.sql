-- The rows of companies.parquet, from the tables of merge.sql and the statements. A view, so that each column is computed
-- once, when the file is written. build.py fills in {fields}.
CREATE VIEW companies AS
SELECT id.scheme AS scheme, id.identifier AS identifier,
       CASE WHEN len(aliases) = 0 THEN []
            ELSE list_sort(list_distinct(list_filter(aliases,
                lambda x: x.value IS NOT NULL AND (x.scheme, x.value) <> (id.scheme, id.identifier)))) END AS aliases,
       {fields}, coalesce(names, []) AS names, status,
       named.source AS source, sources,
       coalesce(given, []) AS given,
       named.recency AS refreshed,
       (id.scheme, id.identifier) IN (SELECT (scheme, identifier) FROM statements) AS financials
FROM kept LEFT JOIN all_names USING (company) LEFT JOIN traced USING (company)
LEFT JOIN status_map ON raw = status_raw;
