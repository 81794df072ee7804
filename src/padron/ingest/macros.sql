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
-- A date no later than the build, or the newest file where the clock is behind it (`latest`). 1899-12-30 and the day behind it
-- are how spreadsheets and databases write an empty cell: their day zero.
CREATE MACRO plausible(d) AS CASE
    WHEN d BETWEEN DATE '1800-01-01' AND getvariable('latest') AND d NOT BETWEEN DATE '1899-12-30' AND DATE '1899-12-31' THEN d END;
-- 2024-12-31…, 20241231, 31/12/2024…, also 2024/1/2 and 2-1-2024: the day before the month. Any other text (a year of two
-- digits), and a date that does not exist, is NULL.
CREATE MACRO day(t) AS plausible(coalesce(
    try_strptime(regexp_extract(replace(t, '/', '-'), '^(\d{4}-\d{1,2}-\d{1,2})(?:\D|$)', 1), '%Y-%m-%d'),
    try_strptime(regexp_extract(t, '^\d{8}$'), '%Y%m%d'),
    try_strptime(regexp_extract(replace(t, '/', '-'), '^(\d{1,2}-\d{1,2}-\d{4})(?:\D|$)', 1), '%d-%m-%Y'))::DATE);
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
-- The status of an entity of GLEIF: that of one whose registration is not renewed (LAPSED) or given up was checked years ago, so
-- it may be active no longer. One that ended stays ended.
CREATE MACRO lei_status(entity, registration) AS CASE WHEN registration = 'ISSUED' OR entity = 'INACTIVE' THEN entity END;
-- The check digits of a CPF, and one in a text; in its form or in one piece.
CREATE MACRO cpf_digit(cpf, place) AS cpf[place]::INTEGER = 10 * list_sum(
    list_transform(range(1, place), lambda i: cpf[i]::INTEGER * (place + 1 - i)))::INTEGER % 11 % 10;
CREATE MACRO cpf_pattern() AS '(?:^|\D)(\d{3}[. ]?\d{3}[. ]?\d{3}[\-/. ]{0,3}\d{2})(?:\D|$)';
CREATE MACRO sound_cpf(t) AS len(list_filter(list_transform(regexp_extract_all(t, cpf_pattern(), 1), lambda cpf: digits(cpf)),
    lambda cpf: cpf_digit(cpf, 10) AND cpf_digit(cpf, 11))) > 0;
-- A cédula of Ecuador whose check digit holds, also as the beginning of its holder's RUC.
CREATE MACRO sound_cedula(t) AS len(list_filter(list_transform(regexp_extract_all(t,
        '(?:^|\D)((?:0[1-9]|1\d|2[0-4])[0-6]\d{6}[ \-]?\d)(?:001)?(?:\D|$)', 1), lambda cedula: digits(cedula)),
    lambda cedula: list_sum(list_transform(range(1, 11), lambda i: CASE i % 2 WHEN 0 THEN cedula[i]::INTEGER
        ELSE [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][1 + cedula[i]::INTEGER] END)) % 10 = 0)) > 0;
-- The RFC or the CURP of a person.
CREATE MACRO names_person(t) AS coalesce(
    regexp_matches(tidied(t), '(?:^|[^A-ZÑa-zñ&0-9])' || person_code() || '(?:[^A-ZÑa-zñ0-9]|$)'), false);
-- A street and the number of a house. Legal names hold one too (`AVENIDA RIVADAVIA 2502 SRL`), and keep it.
CREATE MACRO street() AS '(?i)\b(?:calle|avenida|av|avda|calzada|calz|blvd|boulevard|carrera|carretera|rua|alameda|travessa'
    '|rodovia|street|avenue)\b\.? *(?:\S+ +){1,6}?(?:#|n[oº°r]?\b\.?|n[uú]m\b\.?)? *\d{1,5}\b';
-- The words of roads in Colombia, where an address is the number of the road, of the crossing and of the house.
CREATE MACRO road() AS '(?:CL|CLL|CALLE|CR|CRA|KR|CARRERA|AV|AVENIDA|DG|TV)';
-- An address that begins a name or is all of it: `CRA 7 No. 72-41`; `PRACA DA SE 100`, `PASEO DE LA REFORMA 222`;
-- `ROD BR 116 KM 20`. In Ecuador the number of a house follows its quarter, anywhere: `AMAZONAS N34-120 Y REPUBLICA`.
CREATE MACRO address() AS '(?i)^' || road() || '\.? *\d{1,3} ?[A-Z]{0,2}(?: (?:BIS|SUR|NORTE|ESTE|OESTE))*'
    '(?: *(?:#|N[O°º]?\.?|NRO\.?) *| +)\d{1,3} ?[A-Z]?(?: (?:BIS|SUR|NORTE|ESTE|OESTE))*(?: *- *| +)\d{1,3}\b'
    '|^(?:PRA[CÇ]A|PÇA|ESTRADA|ESTR|PASEO DEL?|PROLONGACI[OÓ]N|PROL)\b\.? *'
    '(?:\S+ +){1,6}?(?:#|N[O°º]?\.?)? *\d{2,5}(?: *[,\-].*)?$'
    '|^ROD(?:OVIA)?\b\.? *(?:[A-Z]{2}[ \-]?\d{2,3}$|.*\bKM\.? *\d)'
    '|\b(?:N|S|E|OE)\d{1,3}[A-Z]?-\d{2,3}\b';
-- `R AUGUSTA 1234`: `R` is an initial too, so it takes a word, and three digits or more that are no year.
CREATE MACRO rua(t) AS regexp_matches(t,
    '(?i)^R\.? +(?:\S+ +){0,5}?[^\d\s]{3,},?(?: +\S+){0,4}? +(?:N[O°º]?\.?)? *\d{3,5}(?: *[,\-].*)?$')
    AND NOT regexp_matches(t, ' (?:(?:19|20)\d\d|[1-9]000)$');
-- An e-mail address with a blank beside its sign; `CAFE @ HOTEL` is a name.
CREATE MACRO split_email() AS
    '(?i)(?: @ ?|@ )[\w\-]+(?:\.[\w\-]+)*\.(?:com|net|org|info|biz|gob|gov|edu|ec|mx|us|br|co|ar)\b';
-- A telephone without its word: behind an area code in brackets, or of seven or eight digits.
CREATE MACRO area_phone() AS '(?:\+\d{1,3} ?)?\(\d{1,4}\)[ \-]{0,2}\d(?:[.\- ]?\d){6,9}\b';
CREATE MACRO phone() AS '\b(?:\d{3,4} ?- ?\d{4}|\d{4}[. ]\d{4}|\d{4} ?- ?\d{3}|\d{7,8})\b';
-- What looks like one and is none: years, a round number, a standard, a company of Canada that is named by its number.
CREATE MACRO no_phone() AS '(?i:\b\d{4,5}-?\d{3,4} (?:ALBERTA|B\.? ?C\b|CANADA|MANITOBA|NOVA SCOTIA|ONTARIO|QU[EÉ]BEC|SASKATCHEWAN))'
    '|\b(?:19|20)\d\d ?[\-./]? ?(?:19|20)\d\d\b|\b\d{1,2}0{5,7}\b|\b(?:ISO|NBR|NTC)[ \-]?\d{4,5} ?[\-:] ?\d{4}\b';
-- The number of a company of Brazil behind its word: `SUCEDIDA PELA UNIÃO FEDERAL - CNPJ: 37115383000153`.
CREATE MACRO cnpj_in_text() AS '(?i:\bCNPJ\W{0,4}\d{2}\.?\d{3}\.?\d{3}/?\d{4}-?\d{2}\b)';
CREATE MACRO unperson(t) AS CASE WHEN regexp_matches(t, '[0-9@]') AND regexp_matches(t, personal())
    THEN clean(regexp_replace(regexp_replace(t, '(' || cnpj_in_text() || ')|' || personal(), '\1', 'g'), '[\s,;/\-]+$', ''))
    ELSE tidied(t) END;
-- A trade name, which no register requires, is dropped with the number of a natural person, whose name it is then, with a
-- telephone behind its word, and with an address. A telephone without a word is taken out.
CREATE MACRO impersonal(t) AS CASE WHEN NOT regexp_matches(t, '[0-9@]') THEN tidied(t)
    WHEN sound_cpf(t) OR sound_cedula(t) OR names_person(t) OR regexp_matches(t, telephone()) OR regexp_matches(t, street())
         OR regexp_matches(tidied(t), address()) OR rua(tidied(t)) OR regexp_matches(t, split_email()) THEN NULL
    WHEN regexp_matches(t, area_phone() || '|' || personal() || '|' || phone()) THEN clean(regexp_replace(regexp_replace(
        regexp_replace(t, area_phone() || '|' || personal(), ' ', 'g'), '(' || no_phone() || ')|' || phone(), '\1', 'g'),
        '\( *\)|^[\s,;:/\-]+|[\s,;:/\-]+$', '', 'g'))
    ELSE tidied(t) END;
-- Frequent given names of Spanish America, folded.
CREATE MACRO given_name() AS
    '(adrian|adriana|agustina?|alberto|alejandr[ao]|alfredo|alicia|ana|analia|andrea|andres|angel|antonio|ariel'
    '|beatriz|bruno|camila|carlos|carolina|cecilia|c?h?ristian|cintia|claudi[ao]|cristina|daniela?|dario|diego'
    '|edith|eduardo|elena|elsa|emanuel|emiliano|enrique|ernesto|esteban|ezequiel|fabian|facundo|federico'
    '|fernand[ao]|florencia|francisco|gabriela?|german|gisela|gonzalo|graciela|guillermo|gustavo|hector|hernan'
    '|horacio|hugo|ignacio|ines|ivan|javier|joaquin|jorge|jose|juana?|julia|julian|julieta|julio|karina|laura'
    '|leandro|leonardo|liliana|lorena|lucas|luciano|luisa?|mabel|marcel[ao]|marcos|maria|marian[ao]|marina|mario'
    '|marta|martin|matias|mauricio|maximiliano|mercedes|micaela|miguel|milagros|mirta|monica|natalia|nelida|nestor'
    '|nicolas|noelia|nora|norberto|norma|omar|oscar|osvaldo|pablo|patrici[ao]|paula|pedro|rafael|ramon|raul'
    '|ricardo|roberto|rodolfo|rodrigo|romina|rosa|ruben|sandra|santiago|sebastian|sergio|silvia|silvina|soledad'
    '|stella|susana|teresa|tomas|valeria|vanesa|veronica|vicente|victor|viviana|walter|yanina)';
-- A name without a legal form (four letters at the most, at the end) may be a person's where a frequent given name begins it, stands
-- behind a comma (`GOMEZ, ANA`), or two follow a surname (`GOMEZ ANA MARIA`).
CREATE MACRO named_as_person(text) AS NOT regexp_matches(bare(text), '\by cia\b') AND (
    regexp_full_match(bare(text), given_name() || '( [a-z]+){0,3} [a-z]{5,}'
        || '|([a-z]+ ){1,2}' || given_name() || ' ' || given_name() || '( [a-z]{5,})?')
    OR regexp_full_match(lower(strip_accents(text)), '\s*[a-z'' ]+, *' || given_name() || '( [a-z]+){0,2}\s*'));
