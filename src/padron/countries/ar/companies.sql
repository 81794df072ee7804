-- Argentina: from the raw tables to records, left_out, rejected. A company is a CUIT, or an IGJ number without one.

-- 11 digits, formatted or not. COMPR.AR doubles the check digit in 997 of 7,258 rows (30-716203367-7): the ninth digit
-- of the middle block goes.
CREATE MACRO cuit(text) AS
    CASE WHEN regexp_full_match(text, '\d{2}-\d{9}-\d') AND text[12] = text[14] THEN digits(text[1:11] || text[13:])
         WHEN length(digits(text)) = 11 THEN digits(text) END;
-- In some files # stands between letters where Ñ was: BELI#A, ESPA#OLA, NI#OS.
CREATE MACRO mended(text) AS regexp_replace(text, '([A-ZÑ])#([A-ZÑ])', '\1Ñ\2', 'g');

-- Why a row tells of no company: numbers of natural persons, and partnerships whose name is their partners' (Sección IV
-- of law 19.550, sociedades de hecho, co-owners, estates), by their type or by the words of their name.
CREATE MACRO person_number(cuit) AS left(cuit, 2) IN ('20', '23', '24', '25', '26', '27');
CREATE MACRO person_type(tipo) AS regexp_matches(strip_accents(tipo), 'SECCION IV|DE HECHO|SUCESION|CONDOMINIO|SOLE_PROPRIETOR');
CREATE MACRO person_name(text) AS regexp_matches(bare(text),
    '\b(s ?h|s ?s|s de h|soc(iedad)? de hecho)( de .*)?$|\bsociedad simple$'
    || '|^condominio |\bcondominio( y otros?)?$|^suc(esion)? (indivisa )?de ');
-- COMPR.AR states no type, and may name a person. RNS has the type of each company: a name of two given names and a surname
-- alone is its partners'.
CREATE MACRO may_be_persons(source, text) AS coalesce(CASE source
    WHEN 'compr-ar' THEN named_as_person(text)
    WHEN 'rns' THEN regexp_full_match(bare(text), given_name() || '( ' || given_name() || ')+ [a-z]{4,}') END, false);
-- The partners of a sociedad colectiva, en comandita simple or de capital e industria are liable with all they own, and its name
-- may be theirs, with `y compañía` for those it leaves out (law 19.550, articles 126, 134 and 142): `A LUCERO Y H CARATOLI`,
-- `ABADAL JOSE E HIJO`. A partner is named in full by a surname with an initial or a given name, or by two words before `y
-- compañía`; a surname alone (`ACCORINTI HNOS`), what a trade begins (`AGENTE DE BOLSA …`) and a saint are none.
CREATE MACRO of_partners(tipo) AS regexp_matches(strip_accents(tipo), 'COLECTIVA|COMANDITA SIMPLE|CAPITAL E INDUSTRIA');
CREATE MACRO formless(text) AS regexp_replace(regexp_replace(bare(text), '\b(san|santa|santo) [a-z]+', 'santo', 'g'),
    ' (s ?r ?l|s ?c ?s|s ?c|soc(iedad)?( [a-z]+){0,2} (colectiva|simple|industria))$', '');
CREATE MACRO named_in_full(partner) AS regexp_matches(partner, '[a-z]{3,}') AND (regexp_matches(partner, '\b[a-z]\b')
    OR contains(trim(partner), ' ') AND regexp_matches(partner, '\b' || given_name() || '\b'));
CREATE MACRO named_by_partners(text) AS regexp_matches(formless(text), ' [ye] | (hnos|hermanos)$') AND (
    len(list_filter(regexp_split_to_array(formless(text), ' [ye] '), lambda partner: named_in_full(partner))) > 0
    OR regexp_matches(formless(text), '^[a-z]{3,}( [a-z]+)+ [ye] (cia|compania|hijos?|hnos|hermanos|otros)$')
       AND NOT regexp_matches(formless(text), '^(administra|agencia|agente|bazar|casa|comercial|distribuidora|drogueria|estudio'
           '|fabrica|farmacia|ferreteria|hotel|imprenta|industria|laboratorio|libreria|optica|panaderia|taller|tienda|transporte)'));
-- In place of a name, how a supplier stands with the tax.
CREATE MACRO no_name(text) AS NOT regexp_matches(coalesce(bare(text), ''), '[a-z]')
    OR bare(text) IN ('exento', 'iva exento', 'monotributo', 'monotributista', 'responsable inscripto', 'consumidor final');

-- The golden copy comes as JSON and as CSV.
CREATE VIEW leis AS SELECT *, lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);
-- Every row, whatever the source, with its CUIT and what becomes of it (NULL: it is kept).
CREATE TABLE parsed AS
WITH raw AS (
    SELECT 'rns' AS source, _row, cuit AS written, razon_social AS name, tipo_societario AS tipo FROM rns_sociedades
    UNION ALL
    SELECT 'igj', _row, cuit, razon_social, descripcion_tipo_societario FROM igj_entidades
    UNION ALL
    SELECT 'compr-ar', _row, cuit, proveedor, NULL FROM compr_ar_adjudicaciones
    UNION ALL
    SELECT 'gleif', _row, CASE authority WHEN 'RA000009' THEN number END, name, category FROM leis)
SELECT source, _row, cuit(written) AS cuit, written, mended(name) AS name,
       person_number(cuit) OR person_type(tipo) OR person_name(name) OR of_partners(tipo) AND named_by_partners(name)
           OR may_be_persons(source, name) AS person
FROM raw;
CREATE MACRO words(text) AS list_filter(string_split(bare(text), ' '), lambda word: len(word) > 3);
-- A CUIT of IGJ may be a filler: it tells of a person only in rows of a like name.
CREATE TABLE person AS
SELECT cuit, bool_or(source <> 'igj') AS believed, flatten(list(words(name))) AS words
FROM parsed WHERE person AND cuit IS NOT NULL GROUP BY cuit;
CREATE TABLE outcome AS
SELECT source, _row, cuit, name,
       CASE WHEN person OR believed OR list_has_any(words, words(name)) THEN 'natural-person'
            WHEN no_name(name) THEN 'no-name'
            WHEN cuit IS NOT NULL AND left(cuit, 2) NOT IN ('30', '33', '34', '50', '51', '55') THEN 'bad-identifier'
            WHEN cuit IS NULL AND regexp_full_match(written, '\d{2}-\d{7}') THEN 'foreign-tax-number'
            WHEN cuit IS NULL AND source = 'gleif' THEN 'other-register'
            WHEN cuit IS NULL AND (written IS NOT NULL OR source = 'compr-ar') THEN 'bad-identifier'
       END AS reason
FROM parsed LEFT JOIN person p USING (cuit);

INSERT INTO rejected SELECT source, _row AS row_id, reason FROM outcome WHERE reason = 'bad-identifier';
INSERT INTO left_out SELECT source, _row AS row_id, reason FROM outcome WHERE reason <> 'bad-identifier';

---------------------------------------------------------------------------------------------- RNS

-- Some entities have a row without CUIT beside one with it: the same name, type and date, if only one has them.
CREATE TABLE rns AS SELECT r.*, f.cuit AS number, f.name, reason FROM rns_sociedades r JOIN outcome f ON f._row = r._row;
CREATE TABLE twin AS
SELECT bare(name) AS folded, tipo_societario AS tipo, fecha_contrato_social AS fecha, min(number) AS number
FROM rns WHERE number IS NOT NULL AND reason IS NULL GROUP BY ALL HAVING count(DISTINCT number) = 1;
-- One row an activity since December 2024. The main one (order 1, then 0 of the monotributo) speaks, open ones first.
-- AC or BD is the state of the activities at the tax office: there is no other status.
CREATE TABLE activity AS
SELECT number,
       arg_min(struct_pack(code := actividad_codigo, label := actividad_descripcion),
               (actividad_estado IS DISTINCT FROM 'AC', actividad_orden NOT IN ('0', '1'), actividad_orden = '0', _row))
           FILTER (actividad_codigo IS NOT NULL) AS main,
       CASE WHEN bool_or(actividad_estado = 'AC') THEN 'AC' WHEN bool_or(actividad_estado = 'BD') THEN 'BD' END AS state
FROM rns WHERE reason IS NULL GROUP BY number;

-- Behind a locality the files have a numbered street (`LA PLATA NOROESTE CALLE 50`), the number of a department
-- (`-  (DEP 631)`) or, mostly behind quarters of Córdoba, an asterisk.
CREATE MACRO locality(text) AS
    clean(regexp_replace(text, '(?i)\s*(\*|-\s*\(DEP [0-9]+\)|\sCALLE\s+[0-9].*)$', ''));
INSERT INTO left_out
SELECT 'rns', _row, 'no-register-identifier' FROM rns
ANTI JOIN twin t ON t.folded = bare(name) AND t.tipo IS NOT DISTINCT FROM tipo_societario
                AND t.fecha IS NOT DISTINCT FROM fecha_contrato_social
WHERE rns.number IS NULL AND reason IS NULL;
INSERT INTO records BY NAME
SELECT 'rns' AS source, _row AS row_id, coalesce(r.number, t.number) AS company,
       CASE WHEN r.number IS NOT NULL THEN 'ar-cuit' END AS scheme, r.number AS identifier, name AS legal_name,
       state AS status_raw, tipo_societario AS legal_form_raw, main.code AS activity_code,
       main.label AS activity_label, coalesce(dom_legal_provincia, dom_fiscal_provincia) AS region,
       locality(CASE WHEN dom_legal_provincia IS NULL THEN dom_fiscal_localidad ELSE dom_legal_localidad END)
           AS municipality,
       nullif(day(fecha_contrato_social), DATE '1901-01-01') AS incorporated,  -- 1901-01-01 fills an unknown date
       _date AS recency
FROM rns r LEFT JOIN activity a ON a.number = r.number
LEFT JOIN twin t ON r.number IS NULL AND t.folded = bare(name) AND t.tipo IS NOT DISTINCT FROM tipo_societario
                AND t.fecha IS NOT DISTINCT FROM fecha_contrato_social
WHERE reason IS NULL AND coalesce(r.number, t.number) IS NOT NULL;

---------------------------------------------------------------------------------------------- IGJ

-- Joined by CUIT only: names are used again once an entity is gone. Fillers stand where a CUIT was unknown (that of the
-- city government for a partnership): one that several entities have, or whose holder has another name, is not believed.
CREATE TABLE holder AS
SELECT cuit, count(DISTINCT numero_correlativo) AS entities,
       flatten(list(words(name)) FILTER (source <> 'igj')) AS words
FROM outcome SEMI JOIN (FROM outcome WHERE source = 'igj') USING (cuit)
LEFT JOIN (SELECT _row, numero_correlativo FROM igj_entidades) USING (_row) GROUP BY cuit;
INSERT INTO records BY NAME
WITH igj AS (
    SELECT i._row, i._date, numero_correlativo, descripcion_tipo_societario, dada_de_baja, detalle_baja, name,
           CASE WHEN entities = 1 AND (words IS NULL OR list_has_any(words, words(name))) THEN f.cuit END AS cuit
    FROM igj_entidades i JOIN outcome f ON f._row = i._row LEFT JOIN holder h ON h.cuit = f.cuit WHERE reason IS NULL)
SELECT 'igj' AS source, _row AS row_id, coalesce(cuit, 'igj ' || numero_correlativo) AS company,
       CASE WHEN cuit IS NULL THEN 'ar-igj' ELSE 'ar-cuit' END AS scheme, coalesce(cuit, numero_correlativo) AS identifier,
       CASE WHEN cuit IS NOT NULL THEN [ident('ar-igj', numero_correlativo)] END AS aliases, name AS legal_name,
       CASE WHEN dada_de_baja = 'S' THEN detalle_baja END AS status_raw,
       descripcion_tipo_societario AS legal_form_raw, 'CIUDAD AUTONOMA BUENOS AIRES' AS region, _date AS recency
FROM igj;

---------------------------------------------------------------------------------------------- COMPR.AR

-- A supplier awarded under several names has changed its name or is written in several ways: the last one is its name,
-- the others are alternatives. The more awards the more prominent.
CREATE TABLE award AS
SELECT c._row, c._date, f.cuit, name, day(fecha) AS awarded
FROM compr_ar_adjudicaciones c JOIN outcome f ON f._row = c._row WHERE reason IS NULL;
CREATE TABLE supplier AS
SELECT cuit, arg_max(name, (awarded, _row)) AS name, least(0.9, 0.3 + ln(count(*)) / 10) AS size
FROM award GROUP BY cuit;
INSERT INTO records BY NAME
SELECT 'compr-ar' AS source, _row AS row_id, cuit AS company, 'ar-cuit' AS scheme, cuit AS identifier,
       s.name AS legal_name, CASE WHEN a.name <> s.name THEN [name('alternative', a.name, NULL, NULL)] END AS names,
       size, _date AS recency
FROM award a JOIN supplier s USING (cuit);

---------------------------------------------------------------------------------------------- GLEIF

INSERT INTO records BY NAME
SELECT 'gleif' AS source, g._row AS row_id, f.cuit AS company, 'ar-cuit' AS scheme, f.cuit AS identifier,
       [ident('lei', lei)] AS aliases, f.name AS legal_name,
       list_filter(names, lambda x: NOT person_name(x.name)) AS names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM leis g JOIN outcome f ON f._row = g._row WHERE reason IS NULL;
