-- Brazil: from the raw tables to records, joined, left_out, rejected. A company is a CNPJ root (first 8 characters).
-- Receita Federal has 140 million rows: only hash joins, and everything but the root of those left out is dropped early.

-- A CNPJ, or NULL; `cnpj` takes one with its separators.
CREATE MACRO sound(text) AS CASE WHEN regexp_full_match(text, '[0-9A-Z]{12}[0-9]{2}') THEN text END;
CREATE MACRO cnpj(text) AS sound(regexp_replace(text, '[./\- ]', '', 'g'));

---------------------------------------------------------------------------------------------- Receita Federal

-- Domain tables: `"code";"description"` with or without quotes, split at the first semicolon only.
CREATE MACRO domain_code(line) AS trim(split_part(line, ';', 1), '" ');
CREATE MACRO domain_label(line) AS clean(trim(substr(line, strpos(line, ';') + 1), '" '));
-- The monthly package has come without Cnaes.zip (2026-07): activities.csv stands in for it.
CREATE TABLE cnae AS
SELECT code, coalesce(min(m.label), min(a.label)) AS label
FROM (SELECT domain_code(line) AS code, domain_label(line) AS label FROM receita_federal_cnae) m
FULL JOIN activities a USING (code) WHERE code <> '8888888' GROUP BY code;  -- 8888888: not informed
CREATE TABLE munic AS
SELECT domain_code(line) AS code, min(domain_label(line)) AS label FROM receita_federal_munic GROUP BY code;
CREATE TABLE natju AS
SELECT domain_code(line) AS code, min(domain_label(line)) AS label FROM receita_federal_natju GROUP BY code;

-- Natural persons: individual entrepreneurs (2135), all of group 4xxx, the firm of one lawyer (2321, whose name is by
-- law the lawyer's: Lei 8.906/1994, art. 16), whoever is a MEI, an estate, and whoever has a CPF in the name: eleven
-- digits at its end, or its form with right check digits anywhere.
CREATE MACRO form_code(text) AS right(digits(text), 4);  -- also 213-5 and 02135
CREATE MACRO person_form(code) AS code IN ('2135', '2321') OR starts_with(code, '4');
CREATE MACRO has_cpf(name) AS CASE WHEN regexp_matches(name, cpf_pattern())
    THEN regexp_matches(name, '\s\d{11}$') OR sound_cpf(name) ELSE false END;
CREATE MACRO person_name(name) AS has_cpf(name) OR regexp_matches(name, '(?i)^\s*ESP[OÓ]LIO D[AEO]S? |\bESP[OÓ]LIO\s*$');
CREATE TABLE mei AS SELECT DISTINCT cnpj_basico FROM receita_federal_simples WHERE opcao_mei = 'S';

-- What is wrong with a row of Empresas, or why its company is left out. Of reasons the first by alphabet counts.
CREATE TYPE cause AS ENUM ('bad-identifier', 'natural-person', 'no-company-row', 'no-establishment', 'no-head-office',
    'no-name');
CREATE TABLE empresa AS
SELECT _row, e.cnpj_basico,
       (CASE WHEN NOT coalesce(regexp_full_match(e.cnpj_basico, '[0-9A-Z]{8}'), false) THEN 'bad-identifier'
            WHEN person_form(form_code(natureza_juridica)) OR mei.cnpj_basico IS NOT NULL
                 OR person_name(razao_social) THEN 'natural-person'
            WHEN tidied(razao_social) IS NULL THEN 'no-name' END)::cause AS fault
FROM receita_federal_empresas e LEFT JOIN mei USING (cnpj_basico);

-- The same of a row of Estabelecimentos. The head office is what column 4 says, not order 0001.
CREATE TABLE unit AS
SELECT _row, s.cnpj_basico, cnpj_ordem, matriz_filial = '1' AS head,
       (CASE WHEN sound(s.cnpj_basico || cnpj_ordem || cnpj_dv) IS NULL OR matriz_filial NOT IN ('1', '2')
                 OR matriz_filial IS NULL THEN 'bad-identifier'
            WHEN e.cnpj_basico IS NULL THEN 'no-company-row' ELSE fault END)::cause AS reason
FROM receita_federal_estabelecimentos s
LEFT JOIN (SELECT cnpj_basico, CASE WHEN count(*) = count(fault) THEN min(fault) END AS fault
           FROM empresa GROUP BY cnpj_basico) e USING (cnpj_basico);
CREATE TABLE office AS
SELECT cnpj_basico, count(*) AS offices FROM unit WHERE reason IS NULL AND head GROUP BY cnpj_basico;
CREATE TABLE branch AS
SELECT cnpj_basico, count(DISTINCT cnpj_ordem) AS branches FROM unit WHERE reason IS NULL AND NOT head
GROUP BY cnpj_basico;

-- What becomes of each row of Empresas; NULL: it is kept.
CREATE TABLE outcome AS
SELECT e._row, cnpj_basico,
       (CASE WHEN fault IS NOT NULL THEN fault WHEN o.cnpj_basico IS NOT NULL THEN NULL
             WHEN b.cnpj_basico IS NOT NULL THEN 'no-head-office' ELSE 'no-establishment' END)::cause AS reason
FROM empresa e LEFT JOIN office o USING (cnpj_basico) LEFT JOIN branch b USING (cnpj_basico);

INSERT INTO rejected
SELECT 'receita-federal', _row, reason FROM outcome WHERE reason IN ('bad-identifier', 'no-name')
UNION ALL
SELECT 'receita-federal', _row, reason FROM unit WHERE reason = 'bad-identifier';
INSERT INTO left_out
SELECT 'receita-federal', _row, reason FROM outcome WHERE reason NOT IN ('bad-identifier', 'no-name')
UNION ALL
SELECT 'receita-federal', _row, reason FROM unit WHERE reason <> 'bad-identifier'
UNION ALL
SELECT 'receita-federal', _row, 'no-head-office' FROM unit ANTI JOIN office USING (cnpj_basico) WHERE reason IS NULL;

-- Bytes that no encoding defines (a lone 0x8F) arrive as control characters.
CREATE MACRO without_controls(text) AS regexp_replace(text, '[\x{80}-\x{9F}]', '', 'g');
-- The one form of its dates; `0`, `00000000` and years such as 0202 and 4100 are none.
CREATE MACRO yyyymmdd(text) AS plausible(try_strptime(text, '%Y%m%d')::DATE);
CREATE MACRO wording(situacao) AS CASE situacao
    WHEN '01' THEN 'NULA' WHEN '02' THEN 'ATIVA' WHEN '03' THEN 'SUSPENSA' WHEN '04' THEN 'INAPTA'
    WHEN '05' THEN 'ATIVA NÃO REGULAR' WHEN '08' THEN 'BAIXADA' ELSE situacao END;
-- What a head office tells of its company; `offices`: how many rows there are of head offices of that company.
CREATE VIEW seat AS
SELECT s._row, s.cnpj_basico, s._date, offices, 'br-cnpj' AS scheme,
       s.cnpj_basico || cnpj_ordem || cnpj_dv AS identifier, without_controls(nome_fantasia) AS trade_name,
       wording(situacao) || CASE WHEN situacao = '02' THEN coalesce(' - ' || situacao_especial, '') ELSE '' END
           AS status_raw,
       c.code AS activity_code, c.label AS activity_label,
       nullif(uf, 'EX') AS region, CASE uf WHEN 'EX' THEN clean(nome_cidade_exterior) ELSE m.label END AS municipality,
       yyyymmdd(data_inicio_atividade) AS incorporated,
       CASE WHEN situacao = '08' THEN yyyymmdd(data_situacao) END AS ended,
       (1 + coalesce(branches, 0))::INTEGER AS establishments
FROM (SELECT e.*, offices, lpad(situacao_cadastral, 2, '0') AS situacao FROM receita_federal_estabelecimentos e
      JOIN (SELECT _row, offices FROM unit JOIN office USING (cnpj_basico) WHERE reason IS NULL AND head) USING (_row)) s
LEFT JOIN branch b USING (cnpj_basico)
LEFT JOIN cnae c ON c.code = cnae_principal
LEFT JOIN munic m ON m.code = municipio;

-- 999999999999 stands for a capital nobody stated.
CREATE MACRO capital(text) AS nullif(try_cast(replace(text, ',', '.') AS DOUBLE), 999999999999);
-- A company and its one head office are one record. Of several (two issues in one folder, a seat that moved) each has its
-- own, and the active one of the newest issue speaks: that another one was closed does not end the company.
INSERT INTO records BY NAME
SELECT 'receita-federal' AS source, e._row AS row_id, e.cnpj_basico AS company,
       s.* EXCLUDE (_row, cnpj_basico, _date, offices), razao_social AS legal_name, label AS legal_form_raw,
       least(1, log10(1 + greatest(0, capital(capital_social))) / 12) AS size, e._date AS recency
FROM (FROM receita_federal_empresas SEMI JOIN (FROM outcome WHERE reason IS NULL) kept USING (_row)) e
LEFT JOIN (FROM seat WHERE offices = 1) s USING (cnpj_basico)
LEFT JOIN natju n ON n.code = form_code(natureza_juridica);
INSERT INTO records BY NAME
SELECT 'receita-federal' AS source, _row AS row_id, cnpj_basico AS company, _date - (place > 1)::INTEGER AS recency,
       s.* EXCLUDE (_row, cnpj_basico, _date, offices, place) REPLACE (CASE WHEN place = 1 THEN ended END AS ended)
FROM (SELECT *, row_number() OVER (PARTITION BY cnpj_basico ORDER BY _date DESC, status_raw LIKE 'ATIVA%' DESC, _row) AS place
      FROM seat WHERE offices > 1) s;
INSERT INTO joined
SELECT 'receita-federal', _row, cnpj_basico
FROM unit JOIN office USING (cnpj_basico) WHERE reason IS NULL AND (NOT head OR offices = 1);
-- Who is a natural person for Receita Federal, or by a name that another source gives, is no company of the others.
CREATE VIEW cvm AS SELECT *, cnpj(cnpj_cia) AS cnpj FROM cvm_cadastro;
CREATE VIEW operadora AS SELECT * REPLACE (cnpj(cnpj) AS cnpj) FROM ans_operadoras;
CREATE VIEW leis AS
SELECT * REPLACE (CASE authority WHEN 'RA000681' THEN cnpj(number) END AS number),
       lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);
CREATE VIEW elsewhere AS
SELECT left(cnpj, 8) AS root, denom_social AS name FROM cvm
UNION ALL SELECT left(cnpj, 8), razao_social FROM operadora
UNION ALL SELECT left(number, 8), name FROM leis
UNION ALL SELECT ispb, nome_extenso FROM bcb_participantes
UNION ALL SELECT ispb, nome_reduzido FROM bcb_participantes;
CREATE TABLE person AS
SELECT root FROM elsewhere WHERE root IS NOT NULL AND person_name(name)
UNION
SELECT cnpj_basico FROM outcome SEMI JOIN elsewhere ON root = cnpj_basico
GROUP BY cnpj_basico HAVING bool_and(coalesce(reason = 'natural-person', false));
-- All of them is told now: the memory is for merging.
DROP VIEW seat;
DROP TABLE receita_federal_empresas; DROP TABLE receita_federal_estabelecimentos; DROP TABLE receita_federal_simples;
DROP TABLE mei; DROP TABLE empresa; DROP TABLE unit; DROP TABLE outcome; DROP TABLE office; DROP TABLE branch;

---------------------------------------------------------------------------------------------- CVM

-- One row a market (TP_MERC) and a registration (CD_CVM): the active, else the latest registration speaks.
INSERT INTO rejected SELECT 'cvm', _row, 'bad-identifier' FROM cvm WHERE cnpj IS NULL;
INSERT INTO left_out SELECT 'cvm', _row, 'natural-person' FROM cvm SEMI JOIN person ON root = left(cnpj, 8);
CREATE TABLE speaker AS
SELECT arg_max(_row, (_date, sit <> 'CANCELADA', day(dt_reg), tp_merc = 'BOLSA', -_row)) AS _row
FROM cvm ANTI JOIN person ON root = left(cnpj, 8) WHERE cnpj IS NOT NULL GROUP BY cnpj;
-- `PETRÓLEO BRASILEIRO S.A. - PETROBRAS`: the company goes by what stands before the dash and by the acronym behind it.
CREATE MACRO around_dash(text) AS list_transform(
    regexp_extract_all(text, '^(.+\bS\.?/?A\.?) *- *[A-Z]{3,10}$', 1)
        || regexp_extract_all(text, '^.+\bS\.?/?A\.? *- *([A-Z]{3,10})$', 1),
    lambda part: name('alternative', part, NULL, NULL));
-- CANCELADA ends the registration at CVM, not the company; of such a row only words about the company's own end count.
INSERT INTO records BY NAME
SELECT 'cvm' AS source, _row AS row_id, left(cnpj, 8) AS company, 'br-cnpj' AS scheme, cnpj AS identifier,
       denom_social AS legal_name, denom_comerc AS trade_name,
       around_dash(denom_social) || [name('alternative', denom_social, NULL, NULL)] AS names,
       CASE WHEN motivo_cancel LIKE '%EXTINÇÃO DA CIA%' THEN motivo_cancel
            WHEN sit <> 'CANCELADA' OR regexp_matches(sit_emissor, 'FALIDA|LIQUIDAÇÃO') THEN sit_emissor
            WHEN motivo_cancel LIKE '%LIQUIDAÇÃO%' THEN motivo_cancel END AS status_raw,
       setor_ativ AS activity_label, uf AS region, mun AS municipality, day(dt_const) AS incorporated,
       CASE WHEN sit = 'CANCELADA' THEN 0.3 WHEN tp_merc = 'BOLSA' THEN 1 ELSE 0.8 END AS size,
       -- What a registration says that has ended is as of its end.
       CASE WHEN sit = 'CANCELADA' THEN day(dt_cancel) ELSE _date END AS recency
FROM cvm SEMI JOIN speaker USING (_row);
INSERT INTO joined
SELECT 'cvm', _row, left(cnpj, 8) FROM cvm ANTI JOIN speaker USING (_row) ANTI JOIN person ON root = left(cnpj, 8)
WHERE cnpj IS NOT NULL;

---------------------------------------------------------------------------------------------- ANS, GLEIF

INSERT INTO rejected SELECT 'ans', _row, 'bad-identifier' FROM operadora WHERE cnpj IS NULL;
INSERT INTO left_out SELECT 'ans', _row, 'natural-person' FROM operadora SEMI JOIN person ON root = left(cnpj, 8);
INSERT INTO records BY NAME
SELECT 'ans' AS source, _row AS row_id, left(cnpj, 8) AS company, 'br-cnpj' AS scheme, cnpj AS identifier,
       razao_social AS legal_name, nome_fantasia AS trade_name, modalidade AS activity_label,
       uf AS region, cidade AS municipality, _date AS recency
FROM operadora ANTI JOIN person ON root = left(cnpj, 8) WHERE cnpj IS NOT NULL;

CREATE TABLE lei AS
SELECT *, CASE WHEN number IS NULL THEN 'other-register'
               WHEN category = 'SOLE_PROPRIETOR' OR root IS NOT NULL THEN 'natural-person' END AS reason
FROM leis LEFT JOIN person ON root = left(number, 8);
INSERT INTO left_out SELECT 'gleif', _row, reason FROM lei WHERE reason IS NOT NULL;
INSERT INTO records BY NAME
SELECT 'gleif' AS source, _row AS row_id, left(number, 8) AS company, 'br-cnpj' AS scheme, number AS identifier,
       [ident('lei', lei)] AS aliases, name AS legal_name, names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM lei WHERE reason IS NULL;

---------------------------------------------------------------------------------------------- BCB

-- The ISPB of a participant is the CNPJ root of nearly every institution: it joins a company that another register
-- knows by CNPJ, and is never completed to one.
CREATE TABLE known AS SELECT DISTINCT company AS ispb FROM records;
INSERT INTO left_out
SELECT 'bcb', _row, CASE WHEN root IS NULL THEN 'unknown-root' ELSE 'natural-person' END
FROM bcb_participantes LEFT JOIN person ON root = ispb LEFT JOIN known USING (ispb)
WHERE root IS NOT NULL OR known.ispb IS NULL;
INSERT INTO records BY NAME
SELECT 'bcb' AS source, _row AS row_id, ispb AS company, nome_extenso AS legal_name,
       [name('alternative', nome_reduzido, NULL, NULL)] AS names, 0.8 AS size, _date AS recency
FROM bcb_participantes SEMI JOIN known USING (ispb) ANTI JOIN person ON root = ispb;

-- CVM keeps the name of the day when a registration ended: a later one of another register is the title.
UPDATE records SET legal_name = NULL FROM (
    SELECT c._row FROM cvm c SEMI JOIN speaker USING (_row)
    JOIN records r ON r.company = left(c.cnpj, 8) AND r.source <> 'cvm' AND r.recency >= day(c.dt_cancel)
    WHERE c.sit = 'CANCELADA' AND letters(unperson(r.legal_name)) IS NOT NULL) later
WHERE source = 'cvm' AND row_id = later._row;
