-- Ecuador: from the ranking and the balances of Supercias to `years`, `figures`, `outcomes`. Dollars and cents, as filed by the
-- company alone, calendar years. Recipe and evidence: docs/statements.md.

-- Decimal comma in the official text of the balances, point elsewhere; `NA` in a copy written by R.
CREATE MACRO money(t) AS try_cast(replace(nullif(t, 'NA'), ',', '.') AS DECIMAL(28, 2));
CREATE MACRO no_money(t) AS t IS NOT NULL AND t <> 'NA' AND money(t) IS NULL;

-- Every row in one shape: one row, one company, one year. `rank` orders the sources of one year: the ranking, the newer
-- statement first where a company filed again, then what others made of it, then the balances.
CREATE TABLE filed_year AS
WITH ranking AS (
    SELECT 'supercias_ranking_posicion' AS raw, 1 AS rank, * FROM supercias_ranking_posicion
    UNION ALL BY NAME
    SELECT 'supercias_ranking_mayores' AS raw, 2 AS rank, * FROM supercias_ranking_mayores
    UNION ALL BY NAME
    SELECT 'supercias_ranking_extracto' AS raw, 2 AS rank, * FROM supercias_ranking_extracto),
balances AS (
    SELECT 'supercias_balances_ramo' AS raw, 3 AS rank, * FROM supercias_balances_ramo
    UNION ALL BY NAME
    SELECT 'supercias_balances_muestra' AS raw, 3 AS rank, * FROM supercias_balances_muestra),
rows AS (
    SELECT raw, rank, _row AS row_id, _date, 'supercias-ranking' AS source, expediente, anio, id_estado_financiero,
           n_empleados,
           money(coalesce(ingresos_ventas, ingresos_totales)) AS revenue, money(utilidad_an_imp) AS pretax_profit,
           money(utilidad_neta) AS net_profit, money(activos) AS assets, money(activos) - money(patrimonio) AS liabilities,
           money(patrimonio) AS equity, NULL AS current_assets, NULL AS cash, NULL AS current_liabilities,
           CASE WHEN ingresos_ventas IS NULL THEN 'ingresos_totales' ELSE 'ingresos_ventas' END AS income,
           no_money(coalesce(ingresos_ventas, ingresos_totales)) OR no_money(utilidad_an_imp) OR no_money(utilidad_neta)
               OR no_money(activos) OR no_money(patrimonio) AS garbled
    FROM ranking
    UNION ALL BY NAME
    -- Profit or loss of the year inside equity (614, 615): both 0 where 801 or 802 has one mean that it was not carried.
    -- 801 and 802 themselves are before the workers' share of 15 %, which no figure here is.
    SELECT raw, rank, _row AS row_id, _date, 'supercias-balances' AS source, expediente, anio, money(ingresos) AS revenue,
           CASE WHEN money(utilidad_patrimonio) <> 0 OR money(perdida_patrimonio) <> 0
                     OR money(utilidad_ejercicio) = money(perdida_ejercicio)
                THEN money(utilidad_patrimonio) - money(perdida_patrimonio) END AS net_profit,
           money(activo) AS assets, money(activo_corriente) AS current_assets, money(caja) AS cash,
           money(pasivo) AS liabilities, money(pasivo_corriente) AS current_liabilities, money(patrimonio) AS equity,
           no_money(ingresos) OR no_money(utilidad_patrimonio) OR no_money(perdida_patrimonio) OR no_money(activo)
               OR no_money(activo_corriente) OR no_money(caja) OR no_money(pasivo) OR no_money(pasivo_corriente)
               OR no_money(patrimonio) AS garbled
    FROM balances)
SELECT * EXCLUDE (expediente, anio, n_empleados), expediente_of(expediente) AS company,
       try_cast(anio AS INTEGER) AS fiscal_year, try_cast(n_empleados AS DECIMAL(12, 2))::INTEGER AS employees,
       CASE WHEN expediente_of(expediente) IS NULL THEN 'bad-identifier'
            WHEN garbled THEN 'bad-amount'
            WHEN anio IS NOT NULL AND (try_cast(anio AS INTEGER) IS NULL
                                       OR try_cast(anio AS INTEGER) NOT BETWEEN 1980 AND year(getvariable('latest')))
                THEN 'bad-year' END AS fault,
       CASE WHEN anio IS NULL THEN 'no-year'
            -- A shell files a form of zeros.
            WHEN coalesce(assets, 0) = 0 AND coalesce(equity, 0) = 0 AND coalesce(revenue, 0) = 0 THEN 'empty' END AS rule
FROM rows;

CREATE TABLE chosen AS
SELECT * FROM filed_year WHERE fault IS NULL AND rule IS NULL
QUALIFY row_number() OVER (PARTITION BY company, fiscal_year
    ORDER BY rank, try_cast(id_estado_financiero AS BIGINT) DESC NULLS LAST, _date DESC, row_id) = 1;

CREATE TABLE years AS
SELECT company, make_date(fiscal_year, 12, 31) AS period_end, 'individual' AS scope, fiscal_year,
       make_date(fiscal_year, 1, 1) AS period_start, 'USD' AS currency, employees, NULL AS form, NULL AS filing,
       NULL::DATE AS filed, source,
       CASE WHEN assets <> liabilities + equity THEN ['assets-not-liabilities-plus-equity'] ELSE [] END AS checks
FROM chosen;

CREATE TABLE bases AS
SELECT * FROM (VALUES
    ('supercias-ranking', 'pretax_profit', 'utilidad_an_imp'), ('supercias-ranking', 'net_profit', 'utilidad_neta'),
    ('supercias-ranking', 'assets', 'activos'), ('supercias-ranking', 'equity', 'patrimonio'),
    ('supercias-ranking', 'liabilities', 'activos - patrimonio'),
    ('supercias-balances', 'revenue', '6999'), ('supercias-balances', 'net_profit', '614 - 615'),
    ('supercias-balances', 'assets', '499'), ('supercias-balances', 'current_assets', '361'),
    ('supercias-balances', 'cash', '311'), ('supercias-balances', 'liabilities', '599'),
    ('supercias-balances', 'current_liabilities', '550'), ('supercias-balances', 'equity', '698'))
    AS t(source, figure, basis);
CREATE TABLE figures AS
SELECT company, make_date(fiscal_year, 12, 31) AS period_end, 'individual' AS scope, figure, amount,
       coalesce(basis, income) AS basis, NULL::DECIMAL(28, 2) AS first_reported
FROM (UNPIVOT chosen ON revenue, pretax_profit, net_profit, assets, current_assets, cash, liabilities,
      current_liabilities, equity INTO NAME figure VALUE amount)
LEFT JOIN bases USING (source, figure);

CREATE TABLE outcomes AS
SELECT raw, row_id, fault,
       CASE WHEN fault IS NULL THEN coalesce(rule, CASE WHEN c.row_id IS NULL THEN 'repeated' END) END AS rule
FROM filed_year LEFT JOIN (SELECT row_id FROM chosen) c USING (row_id);
