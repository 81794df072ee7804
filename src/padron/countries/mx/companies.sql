-- Mexico: from the raw tables to records, left_out, rejected. ComprasMX and GLEIF have RFC and name, DENUE establishments
-- without RFC, RETC plants with an NRA; CompraNet of 2015 has names alone.

-- Same structures as identifiers.py.
CREATE MACRO rfc_of(t) AS regexp_replace(upper(nfc_normalize(t)), '[\s.\-]', '', 'g');
CREATE MACRO real_date(yymmdd) AS
    try_strptime('19' || yymmdd, '%Y%m%d') IS NOT NULL OR try_strptime('20' || yymmdd, '%Y%m%d') IS NOT NULL;
CREATE MACRO company_rfc(t) AS
    coalesce(regexp_full_match(t, '[A-ZÑ&]{3}[0-9]{6}[0-9A-Z]{2}[0-9A]') AND real_date(t[4:9]), false);
CREATE MACRO person_rfc(t) AS coalesce(regexp_full_match(t, '[A-ZÑ&]{4}[0-9]{6}[0-9A-Z]{3}'), false);
CREATE MACRO clee_of(t) AS nullif(regexp_extract(upper(t), '^(?:0[1-9]|[12][0-9]|3[0-2])[0-9]{24}[A-Z][0-9]$'), '');
CREATE MACRO nra_of(t) AS
    nullif(regexp_extract(upper(t), '^[A-ZÑ][A-ZÑ&]{2}(?:[0-9]{10}|[0-9A-Z]{2}[0-9]{6}[0-9A-Z])$'), '');
CREATE MACRO unit_of(t) AS nullif(regexp_extract(t, '^0*([1-9][0-9]{0,9})$', 1), '');

-- Names -----------------------------------------------------------------------------------------------------------
-- ComprasMX writes some Ñ as & (`COMPA&IA`): between two letters and a vowel it is never an ampersand.
CREATE MACRO mended(t) AS regexp_replace(t, '([A-Z]{2})&([AEIO])', '\1Ñ\2', 'g');
-- What stands behind the legal form is no part of the name: the unit in DENUE (`MINERA RARAMURI, S.A. DE C.V. (CERRO
-- BLANCO)`), the group of a bank or insurer (`SEGUROS INBURSA, S.A., GRUPO FINANCIERO INBURSA`).
CREATE MACRO ungrouped(t) AS clean(regexp_replace(t,
    '(?i)(\b(?:S\.? ?A|C\.? ?V|R\.? ?L)\.?),?\s*(?:\(.*\)|PLANTA .*|,? GRUPO FINANCIERO .*)$', '\1'));
-- Capitals, digits, & and # (for Ñ) with single blanks: the characters that the homoclave of an RFC counts.
CREATE MACRO counted(t) AS clean(regexp_replace(regexp_replace(
    strip_accents(replace(upper(nfc_normalize(mended(t))), 'Ñ', '#')), '[-/,]', ' ', 'g'), '[^A-Z0-9&# ]', '', 'g'));
CREATE MACRO form_pattern() AS
    '(?: (?:S ?A ?P ?I ?B?|S ?A ?B|S ?A ?S|S ?A|S ?DE ?R ?L|S ?R ?L|S ?C ?DE ?R ?L|S ?C ?L|S ?C ?P|S ?C'
    '|S ?P ?R ?DE ?R ?[LIS]|S ?EN ?N ?C|S ?EN ?C|S ?N ?C|S ?S ?S|A ?C|I ?A ?P)'
    '(?: ?DE ?C ?V| C ?V| M ?I)?(?: SOFOM)?(?: E ?N ?R| E ?R)?)+$';
CREATE MACRO form_of(counted_name) AS replace(regexp_extract(counted_name, form_pattern()), ' ', '');
CREATE MACRO formless(counted_name) AS regexp_replace(counted_name, form_pattern(), '');
-- Names with the same denomination have the same words before the legal form.
CREATE MACRO denomination(t) AS
    clean(regexp_replace(replace(formless(counted(t)), '#', 'N'), '[^A-Z0-9]+', ' ', 'g'));
-- Commercial companies transform into one another (S.A. into S. de R.L.), and DENUE drops "de C.V." or the whole form;
-- a civil partnership or an association of the same name is somebody else.
CREATE MACRO family(t) AS CASE
    WHEN regexp_matches(form_of(counted(t)), '^(SA|SDERL|SRL)') THEN 'mercantil' ELSE form_of(counted(t)) END;
CREATE MACRO compatible(a, b) AS a = b OR a = '' OR b = '';

-- RETC has ¿ where Ñ was (`COMPA¿ÍA`), and in 2022 puts a comma without a blank and the plant behind the name: `BIMBO, S. A. DE C. V.,BIMBO
-- (MARINELA DE OCCIDENTE)`. What a person owns may have a company as its plant. Both years put plants behind the legal form too
-- (`DEACERO S.A. DE C.V. PLANTA CELAYA`); and some commas without a blank are of the form (`,S.A.`, `C,V`).
CREATE MACRO commercial_form() AS replace('S_(?:A(?:_P_I)?(?:_B)?(?:_DE_R_L)?|(?:P_R_|C_)?(?:DE_)?R_[LIS])(?:_M_I)?(?:_(?:DE_)?C_V)?\b',
    '_', '[., ]{0,3}');
CREATE MACRO before_plant(t) AS regexp_extract(t,
    '(?i)^(?:,?' || commercial_form() || '|,[AS][. ]{0,2}C\b|[^,]|,[\s,.]|,$)*');
CREATE MACRO owner(t) AS CASE
    WHEN regexp_matches(before_plant(t), '(?i)\w.*[\s,.]' || commercial_form())
        THEN regexp_extract(before_plant(t), '(?i)^(.*?\w.*?[\s,.]' || commercial_form() || '\.?)', 1)
    WHEN form_of(counted(before_plant(t))) <> '' THEN rtrim(before_plant(t), ', ') ELSE split_part(t, ',', 1) END;

-- The homoclave is two characters of an RFC that are made from the name (Anexo 3 of the Resolución Miscelánea Fiscal):
-- each character has two digits; with a 0 in front, every two neighbouring digits are multiplied by the second of them;
-- the last three digits of the sum, by 34, give the places of both. Over the 1,173 RFCs of ComprasMX: until 2006 the
-- legal form was counted too (in the oldest as SA or SA CV), since then it is not; so 90 % reproduce. What
-- is longer than any denomination is cut: each digit is looked up in a copy of all.
CREATE MACRO homoclave_code(c) AS CASE
    WHEN c = ' ' THEN '00' WHEN c = '&' THEN '10' WHEN c = '#' THEN '40' WHEN c BETWEEN '0' AND '9' THEN '0' || c
    ELSE (ord(c) - CASE WHEN c <= 'I' THEN 54 WHEN c <= 'R' THEN 53 ELSE 51 END)::VARCHAR END;
CREATE MACRO homoclave_digits(l) AS
    '0' || array_to_string(list_transform(string_split(left(l, 255), ''), lambda c: homoclave_code(c)), '');
CREATE MACRO homoclave_sum(d) AS
    list_sum(list_transform(range(1, length(d)), lambda i: d[i:i + 1]::INTEGER * d[i + 1]::INTEGER))::INTEGER % 1000;
CREATE MACRO homoclave(l) AS list_transform([homoclave_sum(homoclave_digits(l))], lambda n:
    '123456789ABCDEFGHIJKLMNPQRSTUVWXYZ'[n // 34 + 1] || '123456789ABCDEFGHIJKLMNPQRSTUVWXYZ'[n % 34 + 1])[1];
CREATE MACRO homoclaves(t) AS list_transform(
    [counted(t), formless(counted(t)), formless(counted(t)) || ' SA', formless(counted(t)) || ' SA CV',
     formless(counted(replace(t, '-', '')))], lambda l: homoclave(l));

-- Size: DENUE bands the persons who work in a unit (`251 y más personas`); a firm is as large as its largest unit, and the
-- more units it has, the nearer to 1.
CREATE MACRO band(persons) AS CASE
    WHEN persons >= 251 THEN 0.9 WHEN persons >= 101 THEN 0.8 WHEN persons >= 51 THEN 0.65 WHEN persons >= 31 THEN 0.5
    WHEN persons >= 11 THEN 0.4 WHEN persons >= 6 THEN 0.25 WHEN persons >= 0 THEN 0.1 END;
CREATE MACRO prominence(persons, units) AS least(0.995, 1 - (1 - band(persons)) / sqrt(units));

-- A sign that names a site of its own (`PLANTA SAN VICENTE COMEX` of CEMEX, `MINA LOMA DE BALASTRE` of an ejido) is that of a
-- part. One that says the name of its owner too (`BANCO DE TEPETATE FIME`) is the owner's own sign.
CREATE MACRO own_words(t) AS list_filter(string_split(denomination(t), ' '), lambda word: length(word) > 3 AND word NOT IN
    ('AGREGADOS', 'COMPANIA', 'EJIDO', 'GRUPO', 'MATERIALES', 'MEXICO', 'MINERA', 'MINERALES', 'SANTA'));
CREATE MACRO site(sign, owner) AS coalesce(regexp_matches(denomination(sign), '^(ALMACEN|BANCO|BODEGA|CAMPAMENTO|CANTERA'
    '|MINA|PATIO|PLANTA|PROYECTO|QUEBRADORA|TAJO|TALLER|TRITURADORA|UNIDAD)S?\b')
    AND NOT list_has_any(own_words(sign), own_words(owner)), false);
-- What an office is called says what it is and where (`OFICINA CORPORATIVO INSURGENTES 553 A627`), not how the firm trades.
CREATE MACRO office(sign) AS regexp_matches(denomination(sign), '^(OFICINAS?\b|CORPORATIVO$)');

-- Suppliers: the newest name of each RFC --------------------------------------------------------------------------
CREATE TABLE contracts AS
SELECT _row, _date, rfc_of(rfc) AS rfc, clean(proveedor) AS name FROM (
    SELECT * FROM comprasmx_contratos UNION ALL BY NAME FROM comprasmx_extracto);
CREATE TABLE suppliers AS
SELECT rfc, name, denomination(name) AS denomination, family(name) AS family FROM (
    SELECT rfc, ungrouped(arg_max(name, (_date, -_row))) AS name FROM contracts
    WHERE company_rfc(rfc) AND name IS NOT NULL GROUP BY rfc);

-- Establishments, folded into firms -------------------------------------------------------------------------------
-- Without a legal entity, or with the number of a person in its name; without a legal form, an estate or a citizen (`C. JUAN …`).
CREATE MACRO of_person(t) AS clean(t) IS NULL OR names_person(t)
    OR regexp_matches(t, '(?i)^\s*(C[. ] *[A-ZÑÁÉÍÓÚ]{3}|(SUC\.|SUCESI[OÓ]N|HEREDEROS) +DE )') AND form_of(counted(t)) = '';
CREATE TABLE establishments AS
SELECT *, of_person(raz_social) AS of_person FROM (FROM denue_unidades UNION ALL BY NAME FROM denue_cdmx);
-- The six digits of a CLEE that link the units of one firm are not documented: they are believed only where the first
-- word of the names is the same.
CREATE TABLE units AS
SELECT *, counted(name) AS counted_name, denomination(name) AS denomination, coalesce(clee[27] = 'M', false) AS is_head,
       CASE WHEN clee[21:26] <> '000000' THEN clee[21:26] || ' ' || split_part(denomination(name), ' ', 1) END AS link
FROM (SELECT _row, _date, unit_of(id) AS id, clee_of(clee) AS clee, ungrouped(raz_social) AS name,
             clean(raz_social) AS written, clean(nom_estab) AS sign, codigo_act, nombre_act,
             lpad(cve_ent, 2, '0') AS state, clean(entidad) AS region, clean(municipio) AS municipality,
             try_cast(regexp_extract(per_ocu, '^[0-9]+') AS INTEGER) AS persons
      FROM establishments
      WHERE NOT of_person AND unit_of(id) IS NOT NULL AND (clee IS NULL OR clee_of(clee) IS NOT NULL));
-- A firm: the units of one link under the name of its head unit, and whatever units have just that name. A denomination
-- is granted once for the whole country; a name without a legal form (public bodies, ejidos) is one firm in one state.
CREATE TABLE firm_units AS
SELECT * EXCLUDE (lead), lead.denomination AS firm_name,
       lead.denomination || ' ' || coalesce(nullif(form_of(lead.counted_name), ''), '(' || lead.state || ')') AS firm
FROM (SELECT *, CASE WHEN link IS NULL THEN struct_pack(counted_name, state, denomination)
                ELSE first_value(struct_pack(counted_name, state, denomination)) OVER (
                    PARTITION BY link ORDER BY is_head DESC, _date DESC, _row) END AS lead FROM units);
-- A firm gets the RFC of a supplier when the name agrees, the homoclave proves it, and no other firm or RFC fits.
CREATE TABLE firm_rfcs AS
WITH named AS (
    SELECT firm, denomination, list(DISTINCT family(name)) AS families, flatten(list(homoclaves(name))) AS homoclaves
    FROM firm_units WHERE denomination IN (SELECT denomination FROM suppliers) GROUP BY firm, denomination),
fitting AS (
    SELECT n.firm, s.rfc, count(*) OVER (PARTITION BY n.firm) AS rfcs, count(*) OVER (PARTITION BY s.rfc) AS firms,
           list_contains(n.homoclaves || homoclaves(s.name), s.rfc[10:11]) AS proved,
           len(list_filter(n.families, lambda f: compatible(f, s.family))) > 0 AS same_kind
    FROM named n JOIN suppliers s USING (denomination))
SELECT firm, rfc FROM fitting WHERE rfcs = 1 AND firms = 1 AND proved AND same_kind;
-- The head unit stands for the firm: M in its CLEE, else the longest known. A unit that later had another owner is gone.
-- The head unit tells where the firm is and what it does, and so does the only one that is held, unless it is a branch (S in
-- its CLEE) or, without a CLEE, a site. Another firm is where all of its units are, as far as they are in one place and no
-- single site, and does what more than half of them do.
CREATE TABLE ranked_units AS
SELECT u.*, coalesce(r.rfc, u.firm) AS company,
       count(DISTINCT id) OVER (PARTITION BY u.firm) AS establishments,
       row_number() OVER (PARTITION BY u.firm ORDER BY clee IS NULL, is_head DESC, _date DESC, length(id), id) AS place
FROM (SELECT * FROM firm_units QUALIFY firm = first_value(firm) OVER (PARTITION BY id ORDER BY _date DESC, _row)) u
LEFT JOIN firm_rfcs r USING (firm);
CREATE TABLE placed_units AS
SELECT * EXCLUDE (persons), max(persons) OVER firm AS persons,
       place = 1 AND (is_head OR establishments = 1 AND coalesce(clee[27] <> 'S', NOT site(sign, name))) AS leads,
       place = 1 AND (leads OR count(DISTINCT region) OVER firm = 1 AND (clee IS NOT NULL OR establishments > 1)) AS placed,
       placed AND (leads OR count(DISTINCT municipality) OVER firm = 1) AS placed_exactly,
       count(DISTINCT codigo_act) OVER firm > 1 AS mixed,
       establishments > 1 AND NOT bool_or(is_head) OVER firm
           AND count(*) OVER (PARTITION BY firm, codigo_act) * 2 > count(*) OVER firm AS usual,
       -- A unit without a sign has the wording of its activity there (DENUE's dictionary of data, nom_estab).
       denomination(sign) <> firm_name AND letters(sign) IS DISTINCT FROM letters(nombre_act) AND NOT office(sign)
           AS other_sign
FROM ranked_units WINDOW firm AS (PARTITION BY firm);

-- Names alone -----------------------------------------------------------------------------------------------------
CREATE TABLE named_rows AS
SELECT *, denomination(name) AS denomination, family(name) AS family FROM (
    SELECT 'retc' AS source, _row, _date, nra_of(nra) AS nra, scian, descripcion_scian,
           owner(regexp_replace(clean(nombre), '([A-Z])¿([A-ZÍ])', '\1Ñ\2', 'g')) AS name FROM retc_emisoras
    UNION ALL BY NAME
    SELECT 'comprasmx' AS source, _row, _date, clean(proveedor) AS name FROM comprasmx_compranet_2015);
CREATE TABLE named_matches AS
SELECT n._row, count(DISTINCT k.company) AS companies, min(k.company) AS company
FROM named_rows n JOIN (
    SELECT denomination, family, rfc AS company FROM suppliers
    UNION SELECT denomination, family(name), company FROM placed_units) k
    ON k.denomination = n.denomination AND compatible(k.family, n.family) GROUP BY n._row;

-- A plant of RETC is of the company that its newest row names. Companies that no other source knows are those with a
-- legal form in their name (without one it may be a person's), under the NRA of a plant.
CREATE TABLE plants AS
SELECT *, first_value(firm) OVER (PARTITION BY nra ORDER BY _date DESC, _row) = firm AS owned FROM (
    SELECT n.*, m.company IS NULL AS new, coalesce(m.company, 'retc ' || n.denomination || ' ' || n.family) AS firm
    FROM named_rows n LEFT JOIN named_matches m USING (_row)
    WHERE nra IS NOT NULL AND (companies = 1 OR companies IS NULL AND form_of(counted(n.name)) <> ''));
CREATE TABLE new_plants AS
FROM plants WHERE new AND firm IN (SELECT firm FROM plants WHERE new AND owned);

-- The golden copy comes as JSON and as CSV.
CREATE VIEW leis AS SELECT *, lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy);

INSERT INTO left_out
SELECT 'comprasmx' AS source, _row AS row_id,
       CASE WHEN person_rfc(rfc) THEN 'natural-person' ELSE 'foreign-supplier' END AS reason
FROM contracts WHERE person_rfc(rfc) OR starts_with(rfc, 'EXT') AND NOT company_rfc(rfc)
UNION ALL
SELECT 'denue', _row, 'natural-person' FROM establishments WHERE of_person
UNION ALL
SELECT 'denue', _row, 'superseded' FROM units WHERE _row NOT IN (SELECT _row FROM placed_units)
UNION ALL
SELECT source, n._row, CASE WHEN companies > 1 THEN 'ambiguous-name' ELSE 'no-register-identifier' END
FROM named_rows n LEFT JOIN named_matches m USING (_row) ANTI JOIN new_plants USING (_row)
WHERE n.name IS NOT NULL AND coalesce(companies, 0) <> 1
UNION ALL
SELECT 'gleif', _row, CASE WHEN jurisdiction IS DISTINCT FROM 'MX' THEN 'other-country'
                           WHEN category = 'SOLE_PROPRIETOR' OR person_rfc(rfc_of(number)) THEN 'natural-person'
                           ELSE 'no-register-identifier' END
FROM leis
WHERE jurisdiction IS DISTINCT FROM 'MX' OR category = 'SOLE_PROPRIETOR' OR authority IS DISTINCT FROM 'RA000449'
   OR NOT company_rfc(rfc_of(number));

INSERT INTO rejected
SELECT 'comprasmx' AS source, _row AS row_id, CASE WHEN name IS NULL THEN 'no-name' ELSE 'bad-identifier' END AS reason
FROM contracts WHERE (name IS NULL OR NOT company_rfc(rfc)) AND _row NOT IN (SELECT row_id FROM left_out)
UNION ALL
SELECT source, _row, 'no-name' FROM named_rows WHERE name IS NULL
UNION ALL
SELECT 'denue', _row, 'bad-identifier' FROM establishments
WHERE NOT of_person AND _row NOT IN (SELECT _row FROM units);

INSERT INTO records BY NAME
SELECT 'comprasmx' AS source, _row AS row_id, rfc AS company, 'mx-rfc' AS scheme, rfc AS identifier,
       name AS legal_name,
       [CASE WHEN mended(name) <> name THEN name('alternative', mended(name), NULL, NULL) END,
        CASE WHEN ungrouped(name) <> name THEN name('alternative', ungrouped(name), NULL, NULL) END] AS names,
       _date AS recency
FROM contracts WHERE _row NOT IN (SELECT row_id FROM left_out UNION ALL SELECT row_id FROM rejected)
UNION ALL BY NAME
-- The unit that stands for the firm gives its fields, and one that leads it its trade name. The signs of the others are names
-- too, at most 20: chains number theirs. The only known branch says what its firm does where no plant of RETC does.
SELECT 'denue' AS source, _row AS row_id, company,
       CASE WHEN place = 1 THEN 'mx-clee' END AS scheme, CASE WHEN place = 1 THEN coalesce(clee, id) END AS identifier,
       [ident('mx-clee', clee), ident('mx-clee', id)] AS aliases,
       CASE WHEN place = 1 THEN name END AS legal_name, CASE WHEN leads AND other_sign THEN sign END AS trade_name,
       [CASE WHEN place > 1 THEN name('alternative', name, NULL, NULL) END,
        CASE WHEN place <= 20 AND written <> name THEN name('alternative', written, NULL, NULL) END,
        CASE WHEN place <= 20 AND NOT leads AND other_sign THEN name('trade', sign, NULL, NULL) END] AS names,
       CASE WHEN leads OR usual OR placed_exactly AND establishments = 1 AND r.company IS NULL THEN codigo_act END AS activity_code,
       CASE WHEN activity_code IS NOT NULL THEN coalesce(a.label, nombre_act) END AS activity_label,
       CASE WHEN placed THEN region END AS region, CASE WHEN placed_exactly THEN municipality END AS municipality,
       CASE WHEN place = 1 THEN u.establishments END AS establishments,
       CASE WHEN place = 1 THEN prominence(u.persons, u.establishments) END AS size, _date AS recency
FROM placed_units u LEFT JOIN activities a ON a.code = u.codigo_act
LEFT JOIN (SELECT DISTINCT m.company FROM named_matches m JOIN plants USING (_row)) r USING (company)
UNION ALL BY NAME
-- Where the units of a firm have several activities, that of a plant is not the firm's.
SELECT n.source, n._row AS row_id, m.company, [ident('mx-nra', CASE WHEN owned THEN p.nra END)] AS aliases,
       CASE WHEN x.company IS NULL THEN n.scian END AS activity_code,
       CASE WHEN x.company IS NULL THEN coalesce(a.label, n.descripcion_scian) END AS activity_label, n._date AS recency
FROM named_rows n JOIN named_matches m USING (_row) LEFT JOIN plants p USING (_row)
LEFT JOIN (SELECT DISTINCT company FROM placed_units WHERE mixed) x ON x.company = m.company
LEFT JOIN activities a ON a.code = n.scian
WHERE n.name IS NOT NULL AND m.companies = 1
UNION ALL BY NAME
SELECT source, _row AS row_id, firm AS company, CASE WHEN owned THEN 'mx-nra' END AS scheme,
       CASE WHEN owned THEN nra END AS identifier, name AS legal_name, scian AS activity_code,
       coalesce(a.label, descripcion_scian) AS activity_label, _date AS recency
FROM new_plants LEFT JOIN activities a ON a.code = scian
UNION ALL BY NAME
SELECT 'gleif' AS source, _row AS row_id, rfc_of(number) AS company,
       CASE category WHEN 'GENERAL' THEN 'mx-rfc' END AS scheme,
       CASE category WHEN 'GENERAL' THEN rfc_of(number) END AS identifier, [ident('lei', lei)] AS aliases,
       name AS legal_name, names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM leis WHERE _row NOT IN (SELECT row_id FROM left_out);
