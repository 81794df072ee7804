-- Brazil: from CVM's DFP to `years`, `figures`, `outcomes`. Recipe and evidence: docs/statements.md.

CREATE TABLE account AS
WITH rows AS (
    SELECT 'cvm_dfp_balanco_con' AS raw, 'consolidated' AS scope, * FROM cvm_dfp_balanco_con
    UNION ALL BY NAME
    SELECT 'cvm_dfp_balanco_ind' AS raw, 'individual' AS scope, * FROM cvm_dfp_balanco_ind
    UNION ALL BY NAME
    SELECT 'cvm_dfp_resultado_con' AS raw, 'consolidated' AS scope, * FROM cvm_dfp_resultado_con
    UNION ALL BY NAME
    SELECT 'cvm_dfp_resultado_ind' AS raw, 'individual' AS scope, * FROM cvm_dfp_resultado_ind)
SELECT raw, _row AS row_id, _date AS published, scope, left(cnpj(cnpj_cia), 8) AS company, cd_cvm,
       day(dt_refer) AS refers, try_cast(versao AS INTEGER) AS version, bare(ordem_exerc) = 'ultimo' AS own,
       day(dt_ini_exerc) AS since, day(dt_fim_exerc) AS until, starts_with(raw, 'cvm_dfp_resultado') AS flow,
       cd_conta AS code, bare(ds_conta) AS wording, st_conta_fixa = 'S' AS fixed,
       try_cast(vl_conta AS DECIMAL(28, 10)) * CASE escala_moeda WHEN 'MIL' THEN 1000 WHEN 'UNIDADE' THEN 1 END AS amount,
       CASE WHEN cnpj(cnpj_cia) IS NULL THEN 'bad-identifier'
            WHEN day(dt_refer) IS NULL OR day(dt_fim_exerc) IS NULL OR (flow AND day(dt_ini_exerc) IS NULL)
                THEN 'bad-date'
            WHEN try_cast(versao AS INTEGER) IS NULL THEN 'bad-version'
            WHEN escala_moeda NOT IN ('MIL', 'UNIDADE') OR moeda <> 'REAL' THEN 'unknown-unit'
            WHEN amount IS NULL THEN 'bad-amount' END AS fault
FROM rows;

-- The plan of accounts decides what a code means: banks and insurers have others than industry. The account of revenue
-- tells it (`Receitas da Intermediação Financeira`).
CREATE TABLE plan AS
SELECT scope, company, refers, version, published,
       bool_or(wording LIKE 'receita de venda de bens%') AS industrial
FROM account WHERE code = '3.01' GROUP BY ALL;

-- Which figure an account holds. Codes are trusted where all plans agree or the plan is industry's; elsewhere the
-- wording of the top-level account decides: a bank's profit is 3.09 or 3.11, its equity 2.07 or 2.08.
CREATE TABLE lined AS
SELECT a.*,
       CASE WHEN fault IS NOT NULL OR NOT fixed THEN NULL
            WHEN flow AND code = '3.01' THEN 'revenue'
            WHEN flow AND regexp_full_match(code, '3\.[0-9]{2}') AND code <> '3.99'
                 AND regexp_matches(wording, '^lucro.*prejuizo.* do periodo$') THEN 'net_profit'
            WHEN flow AND regexp_full_match(code, '3\.[0-9]{2}')
                 AND regexp_matches(wording, '^resultado antes (dos tributos sobre o lucro|(da )?tributacao)')
                THEN 'pretax_profit'
            WHEN flow AND industrial AND code = '3.03' THEN 'gross_profit'
            WHEN flow AND industrial AND code = '3.05' THEN 'operating_profit'
            WHEN flow THEN NULL
            WHEN code = '1' THEN 'assets'
            WHEN code = '2' THEN 'total'
            WHEN regexp_full_match(code, '1\.01(\.01)?') AND wording = 'caixa e equivalentes de caixa' THEN 'cash'
            WHEN code = '1.01' AND wording = 'ativo circulante' THEN 'current_assets'
            WHEN code = '2.01' AND wording = 'passivo circulante' THEN 'current_liabilities'
            WHEN regexp_full_match(code, '2\.[0-9]{2}') AND wording LIKE 'patrimonio liquido%' THEN 'equity' END AS line
FROM account a LEFT JOIN plan p USING (scope, company, refers, version, published);

-- Fiscal years are the periods of about a year with revenue or profit: a company that changes its year files a DFP of a few
-- months (Banco Inter, January to March 2022). JALLES starts a year on 31 March instead of 1 April.
CREATE TABLE ends AS
SELECT DISTINCT company, scope, until FROM lined
WHERE line IN ('revenue', 'net_profit') AND until - since BETWEEN 350 AND 380;
-- Consolidated where there is, once for the whole statement.
CREATE TABLE chosen AS SELECT company, until, min_by(scope, scope <> 'consolidated') AS scope FROM ends GROUP BY ALL;

-- A filing shows its own year (ÚLTIMO) and the one before again (PENÚLTIMO). A later filing or version holds what is true
-- now, the earliest what was first reported. Within one, the last top-level account worded as profit is the profit.
CREATE TABLE picked AS
SELECT company, scope, until, line,
       arg_max(struct_pack(row_id, amount, since, code, own, cd_cvm, refers, version), (refers, version)) AS now,
       arg_min(struct_pack(row_id, amount), (refers, version)) AS first
FROM (SELECT * FROM lined SEMI JOIN chosen USING (company, scope, until)
      WHERE line IS NOT NULL AND (NOT flow OR until - since BETWEEN 350 AND 380)
      QUALIFY row_number() OVER (PARTITION BY company, scope, until, line, refers, version
          ORDER BY published DESC, code DESC, row_id) = 1)
GROUP BY ALL;

CREATE TABLE figures AS
SELECT company, until AS period_end, scope, line AS figure, now.amount AS amount, now.code AS basis,
       first.amount AS first_reported
FROM picked WHERE line <> 'total'
UNION ALL
-- The plan has no account of all liabilities.
SELECT company, until, scope, 'liabilities', t.now.amount - e.now.amount, t.now.code || ' - ' || e.now.code,
       t.first.amount - e.first.amount
FROM (FROM picked WHERE line = 'total') t JOIN (FROM picked WHERE line = 'equity') e USING (company, scope, until);

CREATE TABLE years AS
SELECT company, until AS period_end, scope, year(until) AS fiscal_year, speaks.since AS period_start, 'BRL' AS currency,
       NULL::INTEGER AS employees, CASE WHEN speaks.own THEN 'DFP' ELSE 'DFP PENÚLTIMO' END AS form,
       speaks.cd_cvm || '/' || speaks.refers || '/' || speaks.version AS filing, NULL::DATE AS filed,
       'cvm-dfp' AS source,
       CASE WHEN a.now.amount <> t.now.amount THEN ['assets-not-total'] ELSE [] END AS checks
FROM (SELECT company, scope, until, arg_min(now, line) AS speaks FROM picked
      WHERE line IN ('net_profit', 'revenue') GROUP BY ALL)
LEFT JOIN (FROM picked WHERE line = 'assets') a USING (company, scope, until)
LEFT JOIN (FROM picked WHERE line = 'total') t USING (company, scope, until);

CREATE TABLE outcomes AS
SELECT raw, row_id, fault,
       CASE WHEN fault IS NOT NULL THEN NULL
            WHEN l.line IS NULL THEN 'other-account'
            WHEN flow AND until - since NOT BETWEEN 350 AND 380 THEN 'not-a-year'
            WHEN c.scope IS NULL THEN 'no-fiscal-year'
            WHEN c.scope <> l.scope THEN 'other-scope'
            WHEN row_id NOT IN (p.now.row_id, p.first.row_id) THEN 'repeated' END AS rule
FROM lined l LEFT JOIN chosen c USING (company, until)
LEFT JOIN picked p ON p.company = l.company AND p.scope = l.scope AND p.until = l.until AND p.line = l.line;
