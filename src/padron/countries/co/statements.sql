-- Colombia: from the lists and the NIIF statements of Supersociedades to `years`, `figures`, `outcomes`. Thousands of pesos;
-- years end on 31 December. Recipe and evidence: docs/statements.md.

-- Same structure as identifiers.py.
CREATE MACRO company_nit(t) AS nullif(regexp_extract(digits(t), '^[89][0-9]{8}$'), '');
CREATE MACRO person_nit(t) AS coalesce(regexp_full_match(digits(t), '1[0-9]{9}|[1-7][0-9]{8}|[1-9][0-9]{5,7}'), false);
CREATE MACRO thousands(t) AS try_cast(t AS DECIMAL(28, 10)) * 1000;

---------------------------------------------------------------------------------------------- lists

-- One row, one company; the year of each amount is in the name of its column. `#N/A` and blank cells are NULL.
CREATE TABLE listed AS
WITH rows AS (
    SELECT 'supersociedades_10000_empresas' AS raw, 'supersociedades-10000' AS source, * FROM supersociedades_10000_empresas
    UNION ALL BY NAME
    SELECT 'supersociedades_10000_operacion' AS raw, 'supersociedades-10000' AS source, * FROM supersociedades_10000_operacion
    UNION ALL BY NAME
    SELECT 'supersociedades_1000_2018_empresas' AS raw, 'supersociedades-1000-2018' AS source,
           * FROM supersociedades_1000_2018_empresas)
SELECT raw, source, _row AS row_id, _date, company_nit(nit) AS company, person_nit(nit) AS person,
       split_part(name, '_', 1) AS name, split_part(name, '_', 2)::INTEGER AS fiscal_year, value,
       thousands(value) AS amount
FROM (UNPIVOT rows ON COLUMNS('^(ingresos|operacion|ganancia|activos|pasivos|patrimonio)_[0-9]{4}$') INTO NAME name VALUE value);

CREATE TABLE list_figures AS
SELECT company, fiscal_year, figure, arg_max(struct_pack(source, row_id, amount, name), (_date, row_id)) AS now,
       arg_min(amount, (_date, row_id)) AS first
FROM listed JOIN (VALUES ('ingresos', 'revenue'), ('operacion', 'operating_profit'), ('ganancia', 'net_profit'),
                         ('activos', 'assets'), ('pasivos', 'liabilities'), ('patrimonio', 'equity')) AS t(name, figure) USING (name)
WHERE company IS NOT NULL AND amount IS NOT NULL
GROUP BY company, fiscal_year, figure;

---------------------------------------------------------------------------------------------- NIIF statements

-- Which figure a concept is, by its letters without those that may have lost an accent (`Ganancia (pérdida)`).
CREATE TABLE concepts AS
SELECT * FROM (VALUES
    ('ingresos de actividades ordinarias', 'revenue'), ('ganancia bruta', 'gross_profit'),
    ('ganancia prdida por actividades de operacin', 'operating_profit'),
    ('ganancia prdida antes de impuestos', 'pretax_profit'), ('ganancia prdida', 'net_profit'),
    ('total de activos', 'assets'), ('activos corrientes totales', 'current_assets'),
    ('efectivo y equivalentes al efectivo', 'cash'), ('total pasivos', 'liabilities'),
    ('total de pasivos', 'liabilities'), ('pasivos corrientes totales', 'current_liabilities'),
    ('patrimonio total', 'equity')) AS t(letters, figure);

-- How many years before its filing's a fact is. Filings for 2015 to 2017 name the year (`2016`) or a half (`2016-S1`).
CREATE MACRO years_before(periodo, closed) AS CASE
    WHEN bare(periodo) = 'periodo actual' OR periodo = year(closed)::VARCHAR THEN 0
    WHEN bare(periodo) = 'periodo anterior' OR periodo = (year(closed) - 1)::VARCHAR THEN 1 END;

CREATE TABLE concept AS
WITH rows AS (
    SELECT 'niif_situacion_financiera_conceptos' AS raw, 1 AS kind, * FROM niif_situacion_financiera_conceptos
    UNION ALL BY NAME
    SELECT 'niif_resultado_integral_conceptos' AS raw, 2 AS kind, * FROM niif_resultado_integral_conceptos)
SELECT raw, _row AS row_id, company_nit(nit) AS company, figure, concepto, day(fecha_corte) AS closed,
       years_before(periodo, closed) = 0 AS own, try_cast(numero_radicado AS BIGINT) AS number, numero_radicado,
       year(closed) - years_before(periodo, closed) AS fiscal_year,
       -- Point of entry: 10, 40 individual statements; 20, 50 separate; 30, 60 consolidated; 35, 65 combined.
       CASE WHEN punto_entrada[:2] IN ('10', '40') THEN 'individual'
            WHEN punto_entrada[:2] IN ('20', '50') THEN 'separate' END AS scope,
       thousands(valor) AS amount,
       CASE WHEN company_nit(nit) IS NULL AND NOT person_nit(nit) THEN 'bad-identifier'
            WHEN day(fecha_corte) IS NULL THEN 'bad-date'
            WHEN valor IS NOT NULL AND thousands(valor) IS NULL THEN 'bad-amount' END AS fault,
       CASE WHEN person_nit(nit) THEN 'natural-person'
            WHEN figure IS NULL THEN 'other-concept'
            WHEN strftime(closed, '%m%d') <> '1231' THEN 'no-fiscal-year'
            WHEN scope IS NULL THEN 'other-scope'
            WHEN years_before(periodo, closed) IS NULL THEN 'other-period'
            WHEN valor IS NULL THEN 'no-amount' END AS rule
FROM rows LEFT JOIN concepts ON letters = clean(regexp_replace(lower(concepto), '[^a-z0-9 ]', '', 'g'));

-- One filing a company and year: its own before the next year's comparative, then the last one filed.
CREATE TABLE niif AS
SELECT * FROM concept WHERE fault IS NULL AND rule IS NULL
QUALIFY dense_rank() OVER (PARTITION BY company, fiscal_year ORDER BY NOT own, scope DESC, number DESC NULLS LAST) = 1
    AND row_number() OVER (PARTITION BY company, fiscal_year, figure
                           ORDER BY NOT own, scope DESC, number DESC NULLS LAST, row_id DESC) = 1;

---------------------------------------------------------------------------------------------- both

-- The statement itself before the list made of such statements.
CREATE TABLE figures AS
SELECT company, make_date(fiscal_year, 12, 31) AS period_end, scope, figure, amount, concepto AS basis,
       NULL::DECIMAL(28, 4) AS first_reported
FROM niif
UNION ALL
SELECT company, make_date(fiscal_year, 12, 31), 'separate', figure, now.amount, now.name || '_' || fiscal_year, first
FROM list_figures ANTI JOIN niif USING (company, fiscal_year);

CREATE TABLE years AS
WITH parsed AS (
    SELECT company, fiscal_year, min(scope) AS scope,
           CASE WHEN bool_or(raw = 'niif_resultado_integral_conceptos') THEN 'niif-resultado-integral'
                ELSE 'niif-situacion-financiera' END AS source,
           CASE WHEN bool_and(own) THEN 'Periodo Actual' ELSE 'Periodo Anterior' END AS form,
           min(numero_radicado) AS filing
    FROM niif GROUP BY ALL
    UNION ALL BY NAME
    SELECT company, fiscal_year, 'separate' AS scope, arg_max(now.source, now.row_id) AS source
    FROM list_figures ANTI JOIN niif USING (company, fiscal_year) GROUP BY ALL),
balance AS (
    SELECT company, period_end, scope, min(amount) FILTER (figure = 'assets') AS assets,
           min(amount) FILTER (figure = 'liabilities') + min(amount) FILTER (figure = 'equity') AS claims
    FROM figures GROUP BY ALL)
SELECT company, period_end, scope, fiscal_year, make_date(fiscal_year, 1, 1) AS period_start, 'COP' AS currency,
       NULL::INTEGER AS employees, form, filing, NULL::DATE AS filed, source,
       -- Each amount is rounded to a thousand by itself.
       CASE WHEN abs(assets - claims) > 1000 THEN ['assets-not-liabilities-plus-equity'] ELSE [] END AS checks
FROM (SELECT *, make_date(fiscal_year, 12, 31) AS period_end FROM parsed) JOIN balance USING (company, period_end, scope);

CREATE TABLE outcomes AS
WITH rows AS (
    SELECT 'supersociedades_10000_empresas' AS raw, _row AS row_id, nit FROM supersociedades_10000_empresas
    UNION ALL
    SELECT 'supersociedades_10000_operacion', _row, nit FROM supersociedades_10000_operacion
    UNION ALL
    SELECT 'supersociedades_1000_2018_empresas', _row, nit FROM supersociedades_1000_2018_empresas),
lists AS (
    SELECT row_id, count(amount) AS amounts, bool_or(value IS NOT NULL AND amount IS NULL) AS garbled FROM listed GROUP BY row_id)
SELECT raw, rows.row_id,
       CASE WHEN company_nit(nit) IS NULL AND NOT person_nit(nit) THEN 'bad-identifier'
            WHEN garbled THEN 'bad-amount' END AS fault,
       CASE WHEN fault IS NOT NULL THEN NULL
            WHEN person_nit(nit) THEN 'natural-person'
            WHEN coalesce(amounts, 0) = 0 THEN 'no-figures'
            WHEN rows.row_id NOT IN (SELECT now.row_id FROM list_figures ANTI JOIN niif USING (company, fiscal_year))
                THEN 'repeated' END AS rule
FROM rows LEFT JOIN lists USING (row_id)
UNION ALL
SELECT raw, row_id, fault,
       CASE WHEN fault IS NULL THEN coalesce(rule, CASE WHEN n.row_id IS NULL THEN 'repeated' END) END
FROM concept LEFT JOIN (SELECT row_id FROM niif) n USING (row_id)
UNION ALL
-- Billions (10^12) of pesos with two decimals: most profits read 0.00. The companies are used, the amounts never.
SELECT 'supersociedades_6cat_empresas', _row, NULL, 'unit-too-coarse' FROM supersociedades_6cat_empresas;
