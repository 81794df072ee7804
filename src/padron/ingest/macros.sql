-- Macros of every country's companies.sql. Texts are folded nearly as `padron.text.fold` does, well enough for joins.
CREATE MACRO clean(t) AS nullif(trim(regexp_replace(t, '[\s\x00-\x1f\x7f-\x{a0}]+', ' ', 'g')), '');
-- The same as `clean`, faster for a column whose cells are mostly clean.
CREATE MACRO tidied(t) AS
    CASE WHEN regexp_matches(t, '[\x00-\x1f\x7f-\x{a0}]|^ | $|  ') THEN clean(t) ELSE nullif(t, '') END;
CREATE MACRO digits(t) AS nullif(regexp_replace(t, '[^0-9]', '', 'g'), '');
CREATE MACRO bare(t) AS nullif(trim(regexp_replace(
    regexp_replace(lower(strip_accents(t)), '[''’‘`´".]', '', 'g'), '[^a-z0-9]+', ' ', 'g')), '');
CREATE MACRO letters(t) AS nullif(regexp_replace(lower(strip_accents(t)), '[^a-z0-9]+', '', 'g'), '');  -- `bare` without blanks
-- The same as `letters`, faster for a column whose cells are mostly plain capitals.
CREATE MACRO folded(t) AS
    CASE WHEN regexp_matches(t, '[^A-Z0-9 ]') THEN letters(t) ELSE nullif(replace(lower(t), ' ', ''), '') END;
-- A date no later than the build, or the newest file where the clock is behind it (`latest`).
CREATE MACRO plausible(d) AS CASE WHEN d BETWEEN DATE '1800-01-01' AND getvariable('latest') THEN d END;
-- 2024-12-31…, 20241231, 31/12/2024…, 2024/12/31…; any other text, and a date that does not exist, is NULL.
CREATE MACRO day(t) AS plausible(coalesce(
    try_strptime(regexp_extract(t, '^\d{4}-\d{2}-\d{2}'), '%Y-%m-%d'),
    try_strptime(regexp_extract(t, '^\d{8}$'), '%Y%m%d'),
    try_strptime(regexp_extract(t, '^\d{2}/\d{2}/\d{4}'), '%d/%m/%Y'),
    try_strptime(regexp_extract(t, '^\d{4}/\d{2}/\d{2}'), '%Y/%m/%d'))::DATE);
CREATE MACRO name(k, t, s, u) AS
    struct_pack(kind := k::VARCHAR, name := clean(t)::VARCHAR, since := s::DATE, until := u::DATE);
CREATE MACRO ident(s, v) AS struct_pack(scheme := s::VARCHAR, value := v::VARCHAR);
CREATE MACRO telephone() AS
    '(?i:\b(?:tel|telf|tel[eé]fonos?|telefones?|fone|phone|cel|celular|m[oó]vil|whats|whatsapp|wsp|fax)[^\w\n]{0,4}\d(?:\W{0,2}\d){6,})';
-- A person's RFC or CURP, also in parts: four letters, a date of birth, and two characters with a check digit, or what a CURP has.
-- An RFC in one piece also without those, as before it is registered, and both behind their names.
CREATE MACRO person_code() AS replace('(?i:(?:RFC_|CURP_)?[A-ZÑ&]{4}(?:_[0-9]{2}_(?:0[1-9]|1[0-2])_(?:0[1-9]|[12][0-9]|3[01])_'
    '(?:[A-Z0-9]{2}[0-9A]|[HMX][A-Z]{5}[A-Z0-9][0-9])|[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])))', '_',
    '[ .:/–\-]{0,3}');
-- No personal number inside a name: nine digits or more (RUC and cédula of persons, CPF, CUIT, SSN), a person's RFC or
-- CURP, an e-mail address, a telephone behind its word. Company names hold years and short numbers, never these.
CREATE MACRO personal() AS
    '[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+|\d(?:[.\-/ ]{0,3}\d){8,}|\b' || person_code() || '\b|' || telephone();
-- The other names of an entity of GLEIF, from its columns other_1, type_1, other_2 … A name with a personal number is a
-- person's and is dropped.
CREATE MACRO lei_names(cells) AS list_filter(list_transform(range(1, len(cells), 2), lambda i: name(
    CASE cells[i + 1] WHEN 'PREVIOUS_LEGAL_NAME' THEN 'former' WHEN 'TRADING_OR_OPERATING_NAME' THEN 'trade'
                     ELSE 'alternative' END, cells[i], NULL, NULL)),
    lambda x: x.name IS NOT NULL AND NOT regexp_matches(x.name, personal()));
-- A street and the number of a house. Legal names hold one too (`AVENIDA RIVADAVIA 2502 SRL`), and keep it.
CREATE MACRO street() AS '(?i)\b(?:calle|avenida|av|avda|calzada|calz|blvd|boulevard|carrera|carretera|rua|alameda|travessa'
    '|rodovia|street|avenue)\b\.? *(?:\S+ +){1,6}?(?:#|n[oº°r]?\b\.?|n[uú]m\b\.?)? *\d{1,5}\b';
CREATE MACRO unperson(t) AS CASE WHEN regexp_matches(t, '[0-9@]') AND regexp_matches(t, personal())
    THEN clean(regexp_replace(regexp_replace(t, personal(), ' ', 'g'), '[\s,;/\-]+$', '')) ELSE tidied(t) END;
-- A trade name, which no register requires, is dropped with a telephone or the address of a house.
CREATE MACRO impersonal(t) AS CASE WHEN NOT regexp_matches(t, '[0-9]')
    OR NOT regexp_matches(t, telephone()) AND NOT regexp_matches(t, street()) THEN unperson(t) END;
