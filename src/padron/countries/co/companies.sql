-- Colombia: from the raw tables to records, joined, left_out, rejected. One company is one NIT without its check digit.

-- `G4711 - Comercio…`, `4711`, `4,711`, and `610` for B0610: four digits, unique without the section letter.
CREATE MACRO ciiu_of(t) AS
    coalesce(nullif(regexp_extract(t, '^[A-U]([0-9]{4})', 1), ''), lpad(digits(t), 4, '0'));

-- What a cell of the name column holds beside or instead of the name:
-- a whole database row, glued on with a gap of three blanks (cells over 120 characters);
CREATE MACRO unglued(t) AS CASE WHEN length(t) > 120 THEN split_part(t, '   ', 1) ELSE t END;
-- the name twice, perhaps in quotes;
CREATE MACRO half(words) AS CASE
    WHEN len(words) % 2 = 0 AND bare(array_to_string(words[:len(words) // 2], ' '))
                              = bare(array_to_string(words[len(words) // 2 + 1:], ' '))
    THEN array_to_string(words[:len(words) // 2], ' ') END;
CREATE MACRO once(t) AS coalesce(list_transform([string_split(clean(replace(t, '"', ' ')), ' ')], lambda words: half(words))[1], t);
-- lower case where an accent was lost (edition of 2019: `MALLAMaS`);
CREATE MACRO one_case(t) AS
    CASE WHEN regexp_matches(t, '[A-Z]{2}[aeiou]([^a-z]|$)|\b[A-Z][aeiou][A-Z]') THEN upper(t) ELSE t END;
-- no name at all: the NIT, a street address, a legal form alone, a word for none.
CREATE MACRO real_name(t) AS CASE WHEN NOT regexp_full_match(t, '[0-9., -]+|LTDA\.?|S\.? ?A\.?( ?S\.?)?|NO RES?GISTRADA'
    || '|' || road() || ' *[0-9].*') THEN t END;
CREATE MACRO name_of(t) AS real_name(one_case(once(clean(regexp_replace(
    unglued(replace(t, chr(160), ' ')), '\( *\(Ver informacion anterior\) *\)|[,; ]+$', '', 'g')))));

-- Same structure as identifiers.py.
CREATE MACRO fault_of(nit) AS
    CASE WHEN regexp_full_match(nit, '[89][0-9]{8}') THEN NULL
         WHEN regexp_full_match(nit, '1[0-9]{9}|[1-7][0-9]{8}|[1-9][0-9]{5,7}') THEN 'natural-person'
         ELSE 'bad-identifier' END;
-- The lists state no type. A person's name alone, without a legal form or a word of a branch, is not published, nor that
-- of an empresa unipersonal with its owner's in it: `TALLERES ROSA MEJIA E U`.
CREATE MACRO may_be_persons(t) AS coalesce(
    named_as_person(t) AND NOT regexp_matches(bare(t), '\b(s ?a ?s|s ?a|ltda|limitada|sociedad|compania|sucursal)\b')
    OR regexp_matches(bare(t), '\b' || given_name() || ' [a-z]{4,}.*\b(e ?u|empresa unipersonal)$'), false);

CREATE TABLE parsed AS
WITH rows AS (
    -- The sheet is in order of revenue: a row's place is its rank.
    SELECT 'supersociedades-10000' AS source, *, row_number() OVER (ORDER BY _row) AS rank, NULL AS anio
    FROM supersociedades_10000_empresas
    UNION ALL BY NAME
    SELECT 'supersociedades-6cat' AS source, * REPLACE (digits(anio) AS anio) FROM supersociedades_6cat_empresas
    UNION ALL BY NAME
    SELECT 'supersociedades-1000-2018' AS source, * EXCLUDE (numero), try_cast(numero AS BIGINT) AS rank
    FROM supersociedades_1000_2018_empresas)
SELECT source, _row AS row_id, digits(nit) AS nit, name_of(razon_social) AS nombre, ciiu_of(ciiu) AS ciiu, ciudad,
       departamento, rank,
       -- A year's row speaks of the company as it was at the end of that year.
       coalesce(make_date(try_cast(anio AS INTEGER), 12, 31), _date) AS recency,
       coalesce(fault_of(digits(nit)), CASE WHEN may_be_persons(nombre) THEN 'natural-person' END) AS fault
FROM rows;

INSERT INTO left_out SELECT source, row_id, fault AS reason FROM parsed WHERE fault = 'natural-person';
INSERT INTO rejected SELECT source, row_id, fault AS reason FROM parsed WHERE fault = 'bad-identifier';

-- RUES. numero_identificacion is the NIT without its DV, here and there with it, padded with zeros; `nit` is not used,
-- it is null in good rows. A NIT has several rows: old chambers, branches, registrations anew. The principal one that
-- is active, else the last renewed, speaks; the others are names it had. A NIT with branches alone is a foreign company
-- registered by its branch (category 02), which the law makes keep its registration here. One cancelled because the seat moved to
-- another chamber says nothing of the company. 99991231 and 0 are no dates.
CREATE MACRO dv(t) AS list_extract([0, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1], 1 + list_sum(list_transform(
    range(1, 10), lambda i: t[10 - i]::INTEGER * [3, 7, 13, 17, 19, 23, 29, 37, 41][i]))::INTEGER % 11)::VARCHAR;
CREATE MACRO rues_nit(t) AS CASE
    WHEN regexp_full_match(ltrim(digits(t), '0'), '[89][0-9]{9}') AND dv(ltrim(digits(t), '0')[:9]) = right(digits(t), 1)
    THEN ltrim(digits(t), '0')[:9] ELSE ltrim(digits(t), '0') END;
-- An empresa unipersonal is a legal person once it is registered (Ley 222 de 1995, art. 71). One whose name has neither
-- the mark that art. 72 asks for nor a word of an activity may have the name of its owner: that one is not published, nor
-- one with the mark and the owner's name in it (`may_be_persons`).
CREATE TABLE trades AS
SELECT list(DISTINCT word) AS words FROM (SELECT unnest(string_split(bare(label), ' ')) AS word FROM activities)
WHERE length(word) > 3;
CREATE MACRO named_as_owner(t) AS NOT regexp_matches(bare(t), '\b(e ?u|empresa|unipersonal|s ?a ?s|ltda)\b')
    AND NOT list_has_any((SELECT words FROM trades), string_split(bare(t), ' '));
CREATE TABLE registration AS
WITH rows AS (
    SELECT *, rues_nit(numero_identificacion) AS number, name_of(razon_social) AS nombre,
           day(nullif(fecha_cancelacion, '99991231')) AS cancelled FROM rues_matriculas)
SELECT _row, _date, number AS nit, nombre, clean(sigla) AS sigla, ciiu_of(cod_ciiu_act_econ_pri) AS ciiu, cancelled,
       organizacion_juridica, coalesce(day(fecha_renovacion), day(fecha_matricula)) AS renewed,
       CASE WHEN cancelled IS NOT NULL AND NOT starts_with(bare(estado_matricula), 'cancelada') THEN 'CANCELADA'
            ELSE clean(estado_matricula) END AS estado, try_cast(ultimo_ano_renovado AS INTEGER) AS last_year,
       CASE WHEN codigo_clase_identificacion IN ('01', '03', '04', '05', '07') OR codigo_organizacion_juridica = '01'
                 OR regexp_matches(bare(organizacion_juridica), '^personas? natural')
                 OR codigo_organizacion_juridica = '10' AND (named_as_owner(nombre) OR may_be_persons(nombre))
            THEN 'natural-person'
            WHEN codigo_clase_identificacion <> '02' OR number = '' OR number IS NULL THEN 'no-register-identifier'
            WHEN nombre IS NULL THEN 'no-name'
            WHEN fault_of(number) IS NOT NULL THEN fault_of(number)
            WHEN codigo_categoria_matricula IS DISTINCT FROM '01'
                 AND (codigo_categoria_matricula IS DISTINCT FROM '02' OR principal) THEN 'branch' END AS fault
FROM (SELECT *, coalesce(bool_or(codigo_categoria_matricula = '01' AND codigo_clase_identificacion = '02'
                                 AND nombre IS NOT NULL) OVER (PARTITION BY number), false) AS principal FROM rows);
INSERT INTO left_out SELECT 'rues', _row, fault FROM registration WHERE fault IS NOT NULL AND fault <> 'bad-identifier';
INSERT INTO rejected SELECT 'rues', _row, fault FROM registration WHERE fault = 'bad-identifier';
CREATE TABLE speaks AS
SELECT nit, arg_max(_row, (coalesce(bare(estado) IN ('activa', 'matricula nueva constitucion por traslado'), false),
                           coalesce(NOT contains(upper(estado), 'TRASLADO'), false), coalesce(last_year, 0),
                           coalesce(renewed, DATE '1800-01-01'), -_row)) AS _row
FROM registration WHERE fault IS NULL GROUP BY nit;

-- `11001 - BOGOTA-BOGOTA, D.C.`, `SANTA-MARTA-MAGDALENA`, `SAN ANDRÉS **`: the municipality without its code and
-- department. Bogotá is a department of its own, whatever the row says.
CREATE TABLE seats AS
WITH cells AS (
    SELECT DISTINCT ciudad, departamento, regexp_replace(ciudad, '^[0-9]{5} - | *\*+$', '', 'g') AS place,
           regexp_matches(bare(ciudad), '^([0-9]{5} )?bogota|bogota dc$') AS capital
    FROM parsed),
parts AS (SELECT *, regexp_extract(place, ' *-([^-]*)$') AS tail FROM cells)
SELECT ciudad, parts.departamento,
       CASE WHEN capital THEN 'BOGOTÁ, D.C.'
            ELSE clean(replace(CASE WHEN t.department IS NULL THEN place ELSE left(place, -length(tail)) END, '-', ' '))
            END AS municipality,
       CASE WHEN capital THEN 'BOGOTÁ, D.C.' ELSE coalesce(d.department, upper(clean(departamento))) END AS region
FROM parts LEFT JOIN departments t ON t.spelling = bare(tail)
LEFT JOIN departments d ON d.spelling = bare(departamento);

-- The name of today: that of the newest edition.
CREATE TABLE today AS
SELECT nit, max(recency) AS recency, arg_max(nombre, (recency, nombre)) AS nombre FROM parsed
WHERE nombre IS NOT NULL AND fault IS NULL GROUP BY nit;
-- An earlier edition's name that is little like today's is a former one, the others are spellings. Of 816 NITs in the
-- editions of 2019 and 2026, 702 differ in dots and form at most, and below 0.82 nearly all are other names (KOBA, D1).
CREATE MACRO stem(t) AS
    letters(regexp_replace(bare(t), '( s a s| sas| s a| sa| ltda| limitada| en reorg.*)+$', ''));
CREATE MACRO other_name(a, b) AS NOT contains(stem(b), stem(a)) AND NOT contains(stem(a), stem(b))
    AND jaro_winkler_similarity(stem(a), stem(b)) < 0.82;

-- `X ANTES Y`, `X (ANTERIORMENTE Y)`: Y is a former name. `X SIGLA Y`, `X PUDIENDO UTILIZAR LAS SIGLAS Y O Z`,
-- `X PUDIENDOSE ANUNCIAR COMO Y`: Y and Z are what the company trades as. X is its name without all that.
CREATE MACRO before_remark(t) AS nullif(regexp_extract(upper(t),
    '^(.+?)[ (]+(?:ANTES|ANTERIORMENTE|(?:CUYA )?SIGLA|PUE?DIENDO|QUE TAMBIEN SE PODRA)', 1), '');
CREATE MACRO former_in(t) AS nullif(regexp_extract(upper(t), '[ (](?:ANTES|ANTERIORMENTE) (.+?)[ )]*$', 1), '');
CREATE MACRO siglas_in(t) AS list_filter(CASE
    WHEN regexp_matches(upper(t), ' SIGLAS ')
    THEN regexp_split_to_array(regexp_extract(upper(t), ' SIGLAS (.+)$', 1), ' [OY] ')
    ELSE [regexp_extract(upper(t), '(?: SIGLA| [AE]NUNCIAR COMO) (.+)$', 1)] END, lambda n: length(n) >= 3);
-- A name that goes on for three words or more after its form (`FACELEC LTDA FABRICA COLOMBIANA DE CONDUCTORES`) is
-- also known as what stands up to the form; `C.I.` before a name (comercializadora internacional) is a permit.
CREATE MACRO ends_in_form(t) AS regexp_matches(t, '(?i)('
    || 'S\.? ?A\.?( ?S\.?)?|LTDA\.?|LIMITADA\.?|S\.? ?C\.? ?A\.?|E\.? ?S\.? ?P\.?|COLOMBIA(NA)?|(RE|EN )[A-ZÓÒ ]+CI[OÓÒ]N?.*)$');
CREATE MACRO up_to_form(t) AS CASE WHEN NOT ends_in_form(t) THEN nullif(regexp_extract(t, '(?i)^(.{3,}?[ ,](?:'
    || 'S\. ?A\.?(?: ?S\.?)?|SAS?|S A S|LTDA\.?|LIMITADA)(?: E\.? ?S\.? ?P\.?)?)[ ,(\-]+\S+ +\S+ +\S', 1), '') END;
CREATE MACRO without_ci(t) AS nullif(regexp_extract(t, '^C\.? ?I\.? +(.+)$', 1), '');

-- The lists have no status; the end of today's name tells of a proceeding.
CREATE MACRO proceeding(t) AS nullif(regexp_extract(upper(t), '(?:EN|TR[AÁ]MITE DE) (?:'
    || 'LIQUIDACI|REORG|REESTR|NEGOCIACI|ACUERDO|TR[AÁ]MITE|VALIDACI|EJECUCI|CONCORDATO).*$'), '');

INSERT INTO records BY NAME
SELECT source, row_id, nit AS company, 'co-nit' AS scheme, nit AS identifier,
       s.nombre AS legal_name, siglas_in(s.nombre)[1] AS trade_name,
       [name('former', former_in(s.nombre), NULL, NULL),
        name('former', CASE WHEN other_name(s.nombre, today.nombre) AND s.recency < today.recency THEN s.nombre END,
             NULL, NULL)]
           || list_transform(siglas_in(s.nombre), lambda n: name('trade', n, NULL, NULL))
           || list_transform([before_remark(s.nombre), up_to_form(s.nombre), without_ci(s.nombre)],
                             lambda n: name('alternative', n, NULL, NULL)) AS names,
       CASE WHEN s.recency = today.recency THEN proceeding(s.nombre) END AS status_raw,
       ciiu AS activity_code, label AS activity_label, region, municipality,
       1 - (rank - 1) / (SELECT greatest(1, max(rank)) FROM parsed) AS size, s.recency
FROM parsed s LEFT JOIN today USING (nit) LEFT JOIN activities ON code = ciiu
LEFT JOIN seats ON seats.ciudad IS NOT DISTINCT FROM s.ciudad AND seats.departamento IS NOT DISTINCT FROM s.departamento
WHERE fault IS NULL;

INSERT INTO records BY NAME
SELECT 'rues' AS source, r._row AS row_id, r.nit AS company, 'co-nit' AS scheme, r.nit AS identifier, nombre AS legal_name,
       coalesce(sigla, siglas_in(nombre)[1]) AS trade_name,
       [name('former', former_in(nombre), NULL, NULL)]
           || list_transform(siglas_in(nombre), lambda n: name('trade', n, NULL, NULL))
           || list_transform([before_remark(nombre), up_to_form(nombre), without_ci(nombre)],
                             lambda n: name('alternative', n, NULL, NULL)) AS names,
       CASE WHEN s._row IS NOT NULL THEN CASE WHEN bare(estado) = 'activa' THEN coalesce(proceeding(nombre), estado)
                                              ELSE estado END END AS status_raw,
       CASE WHEN s._row IS NOT NULL THEN organizacion_juridica END AS legal_form_raw,
       CASE WHEN s._row IS NOT NULL THEN ciiu END AS activity_code,
       CASE WHEN s._row IS NOT NULL THEN label END AS activity_label,
       CASE WHEN s._row IS NOT NULL THEN cancelled END AS ended,
       -- The row that speaks is as of the file, the others as of their last renewal.
       CASE WHEN s._row IS NULL THEN least(coalesce(renewed, DATE '1900-01-01'), _date - 1) ELSE _date END AS recency
FROM registration r LEFT JOIN speaks s ON s._row = r._row LEFT JOIN activities ON code = ciiu WHERE fault IS NULL;

-- The second sheet of the workbook repeats the companies under the Superintendencia with their operating profit, which
-- statements.sql reads.
CREATE TABLE operating AS
SELECT _row, digits(nit) AS nit, coalesce(fault_of(digits(nit)), CASE WHEN r.company IS NULL THEN 'no-company-row' END)
           AS fault
FROM supersociedades_10000_operacion LEFT JOIN (SELECT DISTINCT company FROM records) r ON r.company = digits(nit);
INSERT INTO joined SELECT 'supersociedades-10000', _row, nit FROM operating WHERE fault IS NULL;
INSERT INTO rejected SELECT 'supersociedades-10000', _row, fault FROM operating WHERE fault = 'bad-identifier';
INSERT INTO left_out SELECT 'supersociedades-10000', _row, fault FROM operating WHERE fault <> 'bad-identifier';

-- GLEIF: the NIT with its check digit, `860068182 - 5`, where the authority is the register of the chambers (RUES).
CREATE VIEW leis AS SELECT *, lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);
CREATE TABLE lei AS
SELECT *, rues_nit(number) AS nit,
       CASE WHEN jurisdiction IS DISTINCT FROM 'CO' THEN 'other-country'
            WHEN category = 'SOLE_PROPRIETOR' OR fault_of(rues_nit(number)) = 'natural-person' THEN 'natural-person'
            WHEN authority IS DISTINCT FROM 'RA000093' OR fault_of(rues_nit(number)) IS NOT NULL
            THEN 'no-register-identifier' END AS reason
FROM leis;
INSERT INTO left_out SELECT 'gleif', _row, reason FROM lei WHERE reason IS NOT NULL;
INSERT INTO records BY NAME
SELECT 'gleif' AS source, _row AS row_id, nit AS company, CASE category WHEN 'GENERAL' THEN 'co-nit' END AS scheme,
       CASE category WHEN 'GENERAL' THEN nit END AS identifier, [ident('lei', lei)] AS aliases,
       name_of(name) AS legal_name, names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM lei WHERE reason IS NULL;
