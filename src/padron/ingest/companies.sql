-- The rows of companies.parquet, from `kept`, what merge.sql found out beside it, and the statements. A view: each column
-- is worked out once, when it is written.
CREATE VIEW companies AS
SELECT id.scheme AS scheme, id.identifier AS identifier,
       CASE WHEN len(aliases) = 0 THEN []
            ELSE list_sort(list_distinct(list_filter(aliases,
                lambda x: x.value IS NOT NULL AND (x.scheme, x.value) <> (id.scheme, id.identifier)))) END AS aliases,
       legal_name, trade_name,
       coalesce(names, []) AS names,
       status, status_raw, legal_form_raw, activity_code, activity_label, region, municipality,
       incorporated, ended, establishments, home, size,
       named.source AS source, sources,
       coalesce(given, []) AS given,
       named.recency AS refreshed,
       (id.scheme, id.identifier) IN (SELECT (scheme, identifier) FROM statements) AS financials
FROM kept LEFT JOIN all_names USING (company) LEFT JOIN givers USING (company)
LEFT JOIN status_map ON raw = status_raw;
