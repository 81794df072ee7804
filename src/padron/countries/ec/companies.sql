-- Ecuador: from the raw tables to records, left_out, rejected. One company is one EXPEDIENTE of Supercias.

-- File numbers have 1 to 6 digits and no padding.
CREATE MACRO expediente_of(t) AS nullif(regexp_extract(t, '^0*([1-9][0-9]{0,5})$', 1), '');
-- Spreadsheets drop the leading zero of a RUC (provinces 01 to 09).
CREATE MACRO ruc_of(t) AS CASE WHEN length(digits(t)) = 12 THEN '0' || digits(t) ELSE digits(t) END;
-- Same structure as identifiers.py.
CREATE MACRO company_ruc(t) AS regexp_full_match(t, '(0[1-9]|1[0-9]|2[0-4]|30|50)'
    || '(9[0-9]{7}([0-9]{2}[1-9]|[0-9][1-9]0|[1-9]00)|6[0-9]{6}0001)');
CREATE MACRO person_ruc(t) AS regexp_full_match(t, '(0[1-9]|1[0-9]|2[0-4]|30|50)[0-6][0-9]{7}([0-9]{3})?');
-- A cédula, or the RUC of its holder, inside a name: the company is a person's whatever its check digit says.
CREATE MACRO has_cedula(t) AS
    regexp_matches(t, '(?:^|[^0-9])(0[1-9]|1[0-9]|2[0-4]|30)[0-5][0-9]{6}[ \-]?[0-9](?:001)?(?:[^0-9]|$)');

-- bi_ciiu.csv where it was fetched knows more codes than ours; its codes are padded with blanks.
CREATE TABLE ciiu AS
SELECT code, coalesce(min(m.label), min(a.label)) AS label
FROM (SELECT clean(ciiu) AS code, clean(descripcion) AS label FROM supercias_ranking_ciiu) m
FULL JOIN activities a USING (code) GROUP BY code;
-- The extract of the directory has the words of the sixth level instead of its code.
CREATE TABLE ciiu_words AS
SELECT bare(label) AS words, min(code) AS code FROM ciiu WHERE regexp_full_match(code, '[A-Z][0-9]{4}\.[0-9]{2}')
GROUP BY words;

-- Every raw row in one shape; places and forms in upper case, as the register writes them.
CREATE TABLE rows AS
WITH raw AS (
    SELECT 'supercias-directorio' AS source, _row, _date, expediente, ruc, nombre, situacion_legal,
           fecha_constitucion, tipo, provincia, coalesce(canton, ciudad) AS municipio, ciiu,
           NULL AS posicion_general, NULL AS anio
    FROM supercias_directorio_directorio
    UNION ALL BY NAME
    SELECT 'supercias-directorio' AS source, c._row, c._date, expediente, ruc, upper(nombre) AS nombre,
           fecha_constitucion, tipo, provincia, canton AS municipio, code AS ciiu
    FROM supercias_directorio_constituidas c LEFT JOIN ciiu_words ON words = bare(actividad)
    UNION ALL BY NAME
    SELECT 'supercias-ranking' AS source, * EXCLUDE (ciudad), ciudad AS municipio FROM supercias_ranking_mayores
    UNION ALL BY NAME
    SELECT 'supercias-ranking' AS source, * EXCLUDE (ciudad), ciudad AS municipio FROM supercias_ranking_extracto
    UNION ALL BY NAME
    SELECT 'supercias-ranking' AS source, * FROM supercias_ranking_compania
    UNION ALL BY NAME
    SELECT 'supercias-ranking' AS source, * FROM supercias_ranking_posicion
    UNION ALL BY NAME
    -- The list is in order of revenue: a row's place is its rank.
    SELECT 'supercias-nombres' AS source, *,
           row_number() OVER (ORDER BY _row)::VARCHAR AS posicion_general FROM supercias_nombres_nombres
    UNION ALL BY NAME
    SELECT 'supercias-balances' AS source, * FROM supercias_balances_ramo
    UNION ALL BY NAME
    SELECT 'supercias-balances' AS source, * FROM supercias_balances_muestra)
SELECT source, _row AS row_id, expediente_of(expediente) AS expediente, ruc_of(ruc) AS ruc, clean(nombre) AS nombre,
       clean(situacion_legal) AS situacion_legal, day(fecha_constitucion) AS incorporated, upper(clean(tipo)) AS tipo,
       upper(clean(provincia)) AS region, upper(clean(municipio)) AS municipality, clean(ciiu) AS ciiu,
       try_cast(posicion_general AS INTEGER) AS rank,
       -- A year's row speaks of the company as it was at the end of that year.
       coalesce(make_date(try_cast(anio AS INTEGER), 12, 31), _date) AS recency,
       coalesce(company_ruc(ruc_of(ruc)), false) AS of_company,
       coalesce(person_ruc(ruc_of(ruc)) AND NOT of_company, false) OR coalesce(has_cedula(nombre), false) AS of_person
FROM raw;
-- What is a natural person's in one list is so in all of them, unless one has the RUC of a company for it.
CREATE TABLE parsed AS
SELECT * EXCLUDE (of_company, of_person),
       CASE WHEN expediente IS NULL THEN 'bad-identifier'
            WHEN of_person OR bool_or(of_person) OVER file AND NOT bool_or(of_company) OVER file THEN 'natural-person'
            WHEN ruc IS NOT NULL AND NOT of_company THEN 'bad-identifier'
            -- Expediente 99999: the account of the yearly contributions that Supercias cannot attribute to a company.
            WHEN starts_with(bare(nombre), 'contribuciones no identificadas') THEN 'no-company' END AS fault
FROM rows WINDOW file AS (PARTITION BY expediente);

INSERT INTO left_out SELECT source, row_id, fault AS reason FROM parsed WHERE fault IN ('natural-person', 'no-company');
INSERT INTO rejected SELECT source, row_id, fault AS reason FROM parsed WHERE fault = 'bad-identifier';

-- A RUC that stands under several expedientes belongs to the active one, else to the newest.
CREATE TABLE owner AS
SELECT ruc, arg_max(struct_pack(expediente, recency), (active, born, recency, expediente::INTEGER)) AS of
FROM (SELECT ruc, expediente, bool_or(coalesce(starts_with(situacion_legal, 'ACTIVA'), false)) AS active,
             coalesce(max(incorporated), DATE '1800-01-01') AS born, max(recency) AS recency
      FROM parsed WHERE fault IS NULL AND ruc IS NOT NULL GROUP BY ALL)
GROUP BY ruc;
CREATE TABLE numbers AS
SELECT of.expediente AS expediente, arg_max(ruc, (of.recency, ruc)) AS ruc, list(ruc ORDER BY ruc) AS rucs
FROM owner GROUP BY ALL;

-- The register's name of today. An earlier official list names the same expediente otherwise only after a change of
-- name or form; spacing, dots and accents differ between the lists.
CREATE TABLE today AS
SELECT expediente, max(recency) AS recency, arg_max(nombre, (recency, nombre)) AS nombre FROM parsed
WHERE fault IS NULL AND nombre IS NOT NULL GROUP BY expediente;

-- A name that goes on for three words or more after its legal form (`CONSTRAPE S.A. TRANSPORTE DE CARGA PESADA`) is
-- also known as what stands up to the form; one that begins with it (`COMPAÑIA ANONIMA EL UNIVERSO`), as the rest.
CREATE MACRO ends_in_form(t) AS regexp_matches(t, '(?i)('
    || 'S\.? ?A\.?( ?S\.?)?|LTDA\.?|LIMITADA|AN[OÓ]NIMA|SIMPLIFICADA|\bC\. ?A\.?|\bC\.? ?L\.?'
    || '|B\.? ?I\.? ?C\.?|COLECTIVO)$');
CREATE MACRO up_to_form(t) AS CASE WHEN NOT ends_in_form(t) THEN nullif(regexp_extract(t, '(?i)^(.{3,}?[ ,](?:'
    || 'S\. ?A\.?(?: ?S\.?)?|SAS?|C\. ?A\.|(?:C|CIA|CÍA)\.? ?LTDA\.?|SOCIEDAD AN[OÓ]NIMA|COMPA[NÑ][IÍ]A LIMITADA)'
    || ')[ ,(\-]+\S+ +\S+ +\S', 1), '') END;
CREATE MACRO after_form(t) AS CASE WHEN NOT regexp_matches(t, '(?i)(AN[OÓ]NIMA|MIXTA) DE ') THEN nullif(
    regexp_extract(t, '(?i)^(?:COMPA[NÑ][IÍ]A|SOCIEDAD) (?:AN[OÓ]NIMA|DE ECONOM[IÍ]A MIXTA) (.+)$', 1), '') END;

INSERT INTO records BY NAME
SELECT source, row_id, expediente AS company,
       CASE WHEN n.ruc IS NULL THEN 'ec-expediente' ELSE 'ec-ruc' END AS scheme,
       coalesce(n.ruc, expediente) AS identifier,
       [ident('ec-expediente', expediente)]
           || list_transform(coalesce(n.rucs, []), lambda r: ident('ec-ruc', r)) AS aliases,
       s.nombre AS legal_name,
       [name('former', CASE WHEN letters(s.nombre) <> letters(today.nombre) AND s.recency < today.recency
                            THEN s.nombre END, NULL, NULL),
        name('alternative', up_to_form(s.nombre), NULL, NULL),
        name('alternative', after_form(s.nombre), NULL, NULL)] AS names,
       situacion_legal AS status_raw, tipo AS legal_form_raw, s.ciiu AS activity_code, label AS activity_label,
       region, municipality, incorporated,
       1 - (rank - 1) / (SELECT greatest(1, max(rank)) FROM parsed) AS size, s.recency
FROM parsed s LEFT JOIN today USING (expediente) LEFT JOIN numbers n USING (expediente)
LEFT JOIN ciiu ON ciiu.code = s.ciiu
WHERE fault IS NULL;

---------------------------------------------------------------------------------------------- SRI

-- The tax register has a row an establishment, of natural persons too, and of bodies that Supercias does not know
-- (foundations, cooperatives, public ones). An estate, a sociedad de hecho and co-owners (`… Y OTROS`) have the name of persons, and the account
-- of an election campaign that of its candidate or treasurer.
CREATE MACRO sri_ciiu(t) AS regexp_replace(regexp_extract(t, '^[A-U][0-9]{4,6}'), '^(.{5})(.+)$', '\1.\2');
CREATE TABLE taxpayer AS
SELECT _row, _date, ruc_of(numero_ruc) AS ruc, clean(razon_social) AS nombre, nullif(sri_ciiu(codigo_ciiu), '') AS ciiu,
       estado_contribuyente AS estado, clean(nombre_fantasia_comercial) AS comercial,
       upper(clean(descripcion_provincia_est)) AS region, upper(clean(descripcion_canton_est)) AS municipality,
       try_cast(numero_establecimiento AS INTEGER) = 1 AS head, estado_establecimiento = 'ABI' AS open,
       CASE WHEN regexp_matches(bare(tipo_contribuyente), '^personas? natural')
                 OR has_cedula(razon_social)
                 OR person_ruc(ruc_of(numero_ruc)) AND NOT company_ruc(ruc_of(numero_ruc))
                 OR regexp_matches(bare(razon_social), '^(sucesion|herederos|herencia)|sociedad (civil )?de hecho|\by otr[oa]s?$'
                        || '|\b(campanas?|cuentas?|fondos?) electoral(es)?\b|\bmanejo economico\b')
                 THEN 'natural-person'
            WHEN NOT coalesce(company_ruc(ruc_of(numero_ruc)), false) THEN 'bad-identifier' END AS fault
FROM sri_ruc_establecimientos;
UPDATE taxpayer SET fault = 'natural-person'
WHERE fault IS NULL AND ruc IN (SELECT ruc FROM taxpayer WHERE fault = 'natural-person');
INSERT INTO left_out SELECT 'sri-ruc', _row, fault FROM taxpayer WHERE fault = 'natural-person';
INSERT INTO rejected SELECT 'sri-ruc', _row, fault FROM taxpayer WHERE fault = 'bad-identifier';

INSERT INTO records BY NAME
SELECT 'sri-ruc' AS source, _row AS row_id, coalesce(of.expediente, 'ruc ' || t.ruc) AS company, 'ec-ruc' AS scheme,
       coalesce(n.ruc, t.ruc) AS identifier, [ident('ec-ruc', t.ruc)] AS aliases, nombre AS legal_name,
       CASE WHEN head THEN comercial END AS trade_name, [name('trade', comercial, NULL, NULL)] AS names,
       estado AS status_raw, CASE WHEN head THEN t.ciiu END AS activity_code, CASE WHEN head THEN label END AS activity_label,
       CASE WHEN head THEN region END AS region, CASE WHEN head THEN municipality END AS municipality,
       count(*) FILTER (open) OVER (PARTITION BY t.ruc) AS establishments, _date AS recency
FROM taxpayer t LEFT JOIN owner o ON o.ruc = t.ruc LEFT JOIN numbers n ON n.expediente = of.expediente
LEFT JOIN ciiu ON ciiu.code = t.ciiu WHERE fault IS NULL;

---------------------------------------------------------------------------------------------- GLEIF

-- The number that an authority of Ecuador gave, where it is the RUC of a company, known to another register or not.
CREATE VIEW leis AS SELECT *, lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);
CREATE TABLE lei AS
SELECT l.*, of.expediente, coalesce(of.expediente, 'ruc ' || ruc) AS company,
       CASE WHEN jurisdiction IS DISTINCT FROM 'EC' THEN 'other-country'
            WHEN category = 'SOLE_PROPRIETOR' OR person_ruc(ruc) AND NOT company_ruc(ruc)
                 OR of IS NULL AND ruc IN (SELECT ruc FROM taxpayer WHERE fault = 'natural-person') THEN 'natural-person'
            WHEN NOT coalesce(company_ruc(ruc), false) THEN 'no-register-identifier' END AS reason
FROM (SELECT *, ruc_of(number) AS ruc FROM leis) l LEFT JOIN owner o USING (ruc);
INSERT INTO left_out SELECT 'gleif', _row, reason FROM lei WHERE reason IS NOT NULL;
INSERT INTO records BY NAME
SELECT 'gleif' AS source, _row AS row_id, company,
       CASE WHEN category = 'GENERAL' AND expediente IS NULL THEN 'ec-ruc' END AS scheme,
       CASE WHEN category = 'GENERAL' AND expediente IS NULL THEN ruc END AS identifier,
       [ident('lei', lei)] AS aliases, name AS legal_name, names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM lei WHERE reason IS NULL;
