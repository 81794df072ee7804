-- Brazil: from the raw tables to records, left_out, rejected. A company is a CNPJ root (first 8 characters).
-- Receita Federal has 140 million rows: only hash joins on the root, and aggregates over the few branches.

CREATE TABLE records (
    source VARCHAR, row_id BIGINT, company VARCHAR, scheme VARCHAR, identifier VARCHAR,
    aliases STRUCT(scheme VARCHAR, value VARCHAR)[], legal_name VARCHAR, trade_name VARCHAR,
    names STRUCT(kind VARCHAR, name VARCHAR, since DATE, until DATE)[],
    status_raw VARCHAR, legal_form_raw VARCHAR, activity_code VARCHAR, activity_label VARCHAR,
    region VARCHAR, municipality VARCHAR, incorporated DATE, ended DATE, establishments INTEGER,
    home VARCHAR, size DOUBLE, recency DATE);
CREATE TABLE left_out (source VARCHAR, row_id BIGINT, reason VARCHAR);
CREATE TABLE rejected (source VARCHAR, row_id BIGINT, reason VARCHAR);

-- A CNPJ, or NULL; `cnpj` takes one with its separators.
CREATE MACRO sound(text) AS CASE WHEN regexp_full_match(text, '[0-9A-Z]{12}[0-9]{2}') THEN text END;
CREATE MACRO cnpj(text) AS sound(regexp_replace(text, '[./\- ]', '', 'g'));

---------------------------------------------------------------------------------------------- Receita Federal

-- Domain tables: `"code";"description"` with or without quotes, split at the first semicolon only.
CREATE MACRO domain_code(line) AS trim(split_part(line, ';', 1), '" ');
CREATE MACRO domain_label(line) AS clean(trim(substr(line, strpos(line, ';') + 1), '" '));
-- The monthly package has come without Cnaes.zip (2026-07): activities.csv stands in for it.
CREATE TABLE cnae AS
SELECT code, coalesce(any_value(m.label), any_value(a.label)) AS label
FROM (SELECT domain_code(line) AS code, domain_label(line) AS label FROM receita_federal_cnae) m
FULL JOIN activities a USING (code) WHERE code <> '8888888' GROUP BY code;  -- 8888888: not informed
CREATE TABLE munic AS
SELECT domain_code(line) AS code, any_value(domain_label(line)) AS label FROM receita_federal_munic GROUP BY code;
CREATE TABLE natju AS
SELECT domain_code(line) AS code, any_value(domain_label(line)) AS label FROM receita_federal_natju GROUP BY code;

-- Natural persons: individual entrepreneurs (2135), all of group 4xxx, the firm of one lawyer (2321, whose name is by
-- law the lawyer's: Lei 8.906/1994, art. 16), whoever is a MEI, and whoever has a CPF behind the name.
CREATE MACRO person_form(code) AS code IN ('2135', '2321') OR starts_with(code, '4');
CREATE TABLE mei AS SELECT DISTINCT cnpj_basico FROM receita_federal_simples WHERE opcao_mei = 'S';

-- The head office is what column 4 says, not order 0001.
CREATE VIEW estabelecimento AS
SELECT *, sound(cnpj_basico || cnpj_ordem || cnpj_dv) AS cnpj, lpad(situacao_cadastral, 2, '0') AS situacao,
       CASE matriz_filial WHEN '1' THEN true WHEN '2' THEN false END AS head
FROM receita_federal_estabelecimentos;
CREATE TABLE head_office AS SELECT DISTINCT cnpj_basico FROM estabelecimento WHERE cnpj IS NOT NULL AND head;
CREATE TABLE branches AS
SELECT cnpj_basico, count(DISTINCT cnpj_ordem) AS branches FROM estabelecimento
WHERE cnpj IS NOT NULL AND NOT head GROUP BY cnpj_basico;

-- What becomes of each row of Empresas; NULL: it is kept.
CREATE TABLE fate AS
SELECT _row, e.cnpj_basico,
       CASE WHEN NOT coalesce(regexp_full_match(e.cnpj_basico, '[0-9A-Z]{8}'), false) THEN 'bad-identifier'
            WHEN person_form(natureza_juridica) OR mei.cnpj_basico IS NOT NULL
                 OR regexp_matches(razao_social, '\s\d{11}$') THEN 'natural-person'
            WHEN clean(razao_social) IS NULL THEN 'no-name'
            WHEN h.cnpj_basico IS NOT NULL THEN NULL
            WHEN b.cnpj_basico IS NOT NULL THEN 'no-head-office'
            ELSE 'no-establishment' END AS reason
FROM receita_federal_empresas e
LEFT JOIN mei USING (cnpj_basico) LEFT JOIN head_office h USING (cnpj_basico) LEFT JOIN branches b USING (cnpj_basico);
CREATE TABLE root AS SELECT DISTINCT cnpj_basico FROM fate WHERE reason IS NULL;

INSERT INTO rejected
SELECT 'receita-federal', _row, reason FROM fate WHERE reason IN ('bad-identifier', 'no-name')
UNION ALL
SELECT 'receita-federal', _row, 'bad-identifier' FROM estabelecimento WHERE cnpj IS NULL OR head IS NULL;
INSERT INTO left_out
SELECT 'receita-federal', _row, reason FROM fate WHERE reason NOT IN ('bad-identifier', 'no-name');
INSERT INTO left_out
SELECT 'receita-federal', s._row, coalesce(reason, 'no-company-row')
FROM estabelecimento s ANTI JOIN root USING (cnpj_basico)
LEFT JOIN (SELECT cnpj_basico, any_value(reason) AS reason FROM fate GROUP BY cnpj_basico) USING (cnpj_basico)
WHERE cnpj IS NOT NULL AND head IS NOT NULL;

-- 999999999999 stands for a capital nobody stated.
CREATE MACRO capital(text) AS nullif(try_cast(replace(text, ',', '.') AS DOUBLE), 999999999999);
INSERT INTO records BY NAME
SELECT 'receita-federal' AS source, _row AS row_id, cnpj_basico AS company, razao_social AS legal_name,
       label AS legal_form_raw, least(1, log10(1 + greatest(0, capital(capital_social))) / 12) AS size,
       _date AS recency
FROM receita_federal_empresas e
SEMI JOIN (FROM fate WHERE reason IS NULL) kept USING (_row)
LEFT JOIN natju n ON n.code = natureza_juridica;

-- Bytes that no encoding defines (a lone 0x8F) arrive as control characters.
CREATE MACRO without_controls(text) AS regexp_replace(text, '[\x{80}-\x{9F}]', '', 'g');
-- The one form of its dates; `0`, `00000000` and years such as 0202 and 4100 are none.
CREATE MACRO yyyymmdd(text) AS plausible(try_strptime(text, '%Y%m%d')::DATE);
CREATE MACRO wording(situacao) AS CASE situacao
    WHEN '01' THEN 'NULA' WHEN '02' THEN 'ATIVA' WHEN '03' THEN 'SUSPENSA' WHEN '04' THEN 'INAPTA'
    WHEN '05' THEN 'ATIVA NÃO REGULAR' WHEN '08' THEN 'BAIXADA' ELSE situacao END;
INSERT INTO records BY NAME
SELECT 'receita-federal' AS source, s._row AS row_id, s.cnpj_basico AS company, 'br-cnpj' AS scheme,
       cnpj AS identifier, without_controls(nome_fantasia) AS trade_name,
       wording(situacao) || CASE WHEN situacao = '02' THEN coalesce(' - ' || situacao_especial, '') ELSE '' END
           AS status_raw,
       c.code AS activity_code, c.label AS activity_label,
       nullif(uf, 'EX') AS region, CASE uf WHEN 'EX' THEN clean(nome_cidade_exterior) ELSE m.label END AS municipality,
       yyyymmdd(data_inicio_atividade) AS incorporated,
       CASE WHEN situacao = '08' THEN yyyymmdd(data_situacao) END AS ended,
       (1 + coalesce(branches, 0))::INTEGER AS establishments, s._date AS recency
FROM estabelecimento s SEMI JOIN root USING (cnpj_basico)
LEFT JOIN branches b USING (cnpj_basico)
LEFT JOIN cnae c ON c.code = cnae_principal
LEFT JOIN munic m ON m.code = municipio
WHERE cnpj IS NOT NULL AND head;
INSERT INTO records BY NAME
SELECT 'receita-federal' AS source, _row AS row_id, cnpj_basico AS company, _date AS recency
FROM estabelecimento SEMI JOIN root USING (cnpj_basico) WHERE cnpj IS NOT NULL AND NOT head;

---------------------------------------------------------------------------------------------- CVM

-- One row a market (TP_MERC) and a registration (CD_CVM): the active, else the latest registration speaks.
CREATE VIEW cvm AS SELECT *, cnpj(cnpj_cia) AS cnpj FROM cvm_cadastro;
INSERT INTO rejected SELECT 'cvm', _row, 'bad-identifier' FROM cvm WHERE cnpj IS NULL;
CREATE TABLE speaker AS
SELECT arg_max(_row, (_date, sit <> 'CANCELADA', day(dt_reg), tp_merc = 'BOLSA', -_row)) AS _row
FROM cvm WHERE cnpj IS NOT NULL GROUP BY cnpj;
-- `PETRÓLEO BRASILEIRO S.A. - PETROBRAS`: the company goes by what stands before the dash and by the acronym behind it.
CREATE MACRO around_dash(text) AS list_transform(
    regexp_extract_all(text, '^(.+\bS\.?/?A\.?) *- *[A-Z]{3,10}$', 1)
        || regexp_extract_all(text, '^.+\bS\.?/?A\.? *- *([A-Z]{3,10})$', 1),
    lambda part: name('alternative', part, NULL, NULL));
-- CANCELADA ends the registration at CVM, not the company; of such a row only words about the company's own end count.
INSERT INTO records BY NAME
SELECT 'cvm' AS source, _row AS row_id, left(cnpj, 8) AS company, 'br-cnpj' AS scheme, cnpj AS identifier,
       denom_social AS legal_name, denom_comerc AS trade_name,
       around_dash(denom_social) AS names,
       CASE WHEN motivo_cancel LIKE '%EXTINÇÃO DA CIA%' THEN motivo_cancel
            WHEN sit <> 'CANCELADA' OR regexp_matches(sit_emissor, 'FALIDA|LIQUIDAÇÃO') THEN sit_emissor
            WHEN motivo_cancel LIKE '%LIQUIDAÇÃO%' THEN motivo_cancel END AS status_raw,
       setor_ativ AS activity_label, uf AS region, mun AS municipality, day(dt_const) AS incorporated,
       CASE WHEN sit = 'CANCELADA' THEN 0.3 WHEN tp_merc = 'BOLSA' THEN 1 ELSE 0.8 END AS size, _date AS recency
FROM cvm SEMI JOIN speaker USING (_row);
INSERT INTO records BY NAME
SELECT 'cvm' AS source, _row AS row_id, left(cnpj, 8) AS company, _date AS recency
FROM cvm ANTI JOIN speaker USING (_row) WHERE cnpj IS NOT NULL;

---------------------------------------------------------------------------------------------- ANS, GLEIF

CREATE VIEW operadora AS SELECT * REPLACE (cnpj(cnpj) AS cnpj) FROM ans_operadoras;
INSERT INTO rejected SELECT 'ans', _row, 'bad-identifier' FROM operadora WHERE cnpj IS NULL;
INSERT INTO records BY NAME
SELECT 'ans' AS source, _row AS row_id, left(cnpj, 8) AS company, 'br-cnpj' AS scheme, cnpj AS identifier,
       razao_social AS legal_name, nome_fantasia AS trade_name, modalidade AS activity_label,
       uf AS region, cidade AS municipality, _date AS recency
FROM operadora WHERE cnpj IS NOT NULL;

CREATE TABLE lei AS
SELECT *, CASE authority WHEN 'RA000681' THEN cnpj(number) END AS cnpj FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);
INSERT INTO left_out
SELECT 'gleif', _row, 'other-register' FROM lei WHERE cnpj IS NULL;
INSERT INTO records BY NAME
SELECT 'gleif' AS source, _row AS row_id, left(cnpj, 8) AS company, 'br-cnpj' AS scheme, cnpj AS identifier,
       [ident('lei', lei)] AS aliases, name AS legal_name, entity_status AS status_raw, _date AS recency
FROM lei WHERE cnpj IS NOT NULL;

---------------------------------------------------------------------------------------------- BCB

-- The ISPB of a participant is the CNPJ root of nearly every institution: it joins a company that another register
-- knows by CNPJ, and is never completed to one.
CREATE TABLE known AS SELECT DISTINCT company AS ispb FROM records;
INSERT INTO left_out SELECT 'bcb', _row, 'unknown-root' FROM bcb_participantes ANTI JOIN known USING (ispb);
INSERT INTO records BY NAME
SELECT 'bcb' AS source, _row AS row_id, ispb AS company, nome_extenso AS legal_name,
       [name('alternative', nome_reduzido, NULL, NULL)] AS names, 0.8 AS size, _date AS recency
FROM bcb_participantes SEMI JOIN known USING (ispb);
