-- United States: from the raw tables to records, left_out, rejected. One CIK is one company; an EIN never merges two.

-- Same structure as identifiers.py: no EIN starts with 00, and `999999999` and its like stand for "no EIN".
CREATE MACRO cik_of(t) AS nullif(regexp_extract(t, '^0*([1-9][0-9]{0,9})$', 1), '');
CREATE MACRO ein_of(t) AS CASE
    WHEN regexp_full_match(t, '[0-9]{9}') AND t[1:2] <> '00' AND replace(t, t[1], '') <> '' THEN t END;
-- The number of a company in the register of its state, as identifiers.py writes it.
CREATE MACRO state_number(state, t) AS state || '-' || upper(nullif(regexp_extract(replace(t, ' ', ''),
    '^([A-Za-z]{0,3}[0-9][0-9-]{2,13}[A-Za-z]?)$', 1), ''));
-- EDGAR sets equal names apart by a tail: `/DE/`, `/NEW/`, `\TX\`, `/Cayman`, ` / ADR`; two may follow each other.
-- `SA/NV` is a legal form of Belgium; `I/O` and `A/S` have single letters.
CREATE MACRO tailless(t) AS CASE
    WHEN regexp_matches(t, '(?i)\bS\.?A\.?/N\.?V\.?$') THEN clean(t)
    ELSE clean(regexp_replace(t, '(\s*[/\\]\s*[A-Za-z]{2,6})*\s*[/\\]?\s*$', '')) END;
-- Foreign by its EDGAR name: the tails of depositary receipts and foreign issuers, or a legal form that no state
-- grants. Of the 127 such filers whose country is stated, 125 are foreign. `Corp. NV` is of Nevada, `N.A./ADR` a
-- bank that issues receipts.
CREATE MACRO foreign_name(t) AS NOT regexp_matches(t, '(?i)\b(corp|inc)\.?,? NV$|\bN\.A\./ADR')
    AND (regexp_matches(t, '(/\s*(ADR|FI)| ADR)\s*/?$') OR regexp_matches(tailless(t),
        '(?i)\b(S\.? ?A\.?( ?A\.?| ?B\.?| ?P\.? ?I\.?)?( de C\.? ?V\.?)?|Sociedad Anonima|S\.?A\.?/N\.?V\.?|N\.? ?V\.?'
        '|B\.? ?V\.?|AG|P\.?L\.?C\.?|ASA|Oyj?|AB( \(publ\))?|A/S|SE|S\.? ?p\.? ?A\.?|KGaA|K\.?K\.?|[PO]JSC|Bhd|Tbk|Ltee'
        '|Aktiengesellschaft|Aktiebolag)\.?$'));

-- Every row that speaks of a filer, in one shape. `country` is where it is incorporated, 'US' included.
CREATE TABLE parsed AS
WITH spans AS (
    -- The same former name stands there in capitals and small letters, with and without a tail: one name, one span.
    SELECT _row, list(name('former', former, since, until) ORDER BY since DESC) AS formers FROM (
        SELECT _row, min(tailless(x.name)) AS former, min(day(x."from")) AS since, max(day(x."to")) AS until FROM (
            SELECT _row, unnest(from_json(formers, '[{"name":"VARCHAR","from":"VARCHAR","to":"VARCHAR"}]')) AS x
            FROM submissions_filers) GROUP BY _row, letters(tailless(x.name))) GROUP BY _row),
listed AS (
    SELECT * FROM company_tickers_tickers UNION ALL BY NAME FROM company_tickers_reserialised),
ranked_tickers AS (
    -- The files are in order of market value. Only the newest file that has a company ranks it.
    SELECT *, 1 - (min(_row) OVER (PARTITION BY cik, _row >> 32) - min(_row) OVER file) / count(*) OVER file AS size,
           max(_date) OVER (PARTITION BY cik) AS last_listed, max(_date) OVER (PARTITION BY ticker) AS last_used
    FROM listed WINDOW file AS (PARTITION BY _row >> 32)),
filings AS (
    SELECT * FROM financial_statement_data_sets_sub
    UNION ALL BY NAME FROM financial_statement_data_sets_rebuilt),
rows AS (
    SELECT 'submissions' AS source, 1 AS rank, _row, _date AS recency, s.cik, s.name, entity_type, ein, sic,
           owner = '1' AS reports_as_owner, coalesce(trim(place), '') <> '' AS placed, sic_description, l.iso AS country,
           CASE WHEN b.iso = 'US' AND b.code <> 'X1' THEN b.name END AS region, p.formers,
           list_has_any(from_json(forms, '["VARCHAR"]'), ['20-F', '40-F', '6-K']) AS foreign_forms,
           list_transform(from_json(tickers, '["VARCHAR"]'), lambda x: name('ticker', x, NULL, NULL)) AS tickers
    FROM submissions_filers s LEFT JOIN locations l ON l.code = s.place LEFT JOIN locations b ON b.code = s.seat
         LEFT JOIN spans p USING (_row)
    UNION ALL BY NAME
    SELECT 'company-tickers' AS source, 2 AS rank, _row, _date AS recency, cik, name,
           CASE WHEN _date = last_listed THEN size END AS size,
           -- Older files have tickers that the company gave up, and those that another one has now. No file tells the last
           -- day of a ticker: between two of them nothing is known.
           CASE WHEN _date = greatest(last_listed, last_used) THEN [name('ticker', ticker, NULL, NULL)] END AS tickers
    FROM ranked_tickers
    UNION ALL BY NAME
    -- A name in a filing is as of its date.
    SELECT 'financial-statement-data-sets' AS source, 3 AS rank, _row, coalesce(day(filed), _date) AS recency,
           cik, f.name, ein, sic,
           CASE WHEN countryinc IN ('PR', 'GU', 'VI', 'AS', 'MP', 'UM') THEN 'US' ELSE countryinc END AS country,
           CASE WHEN countryba = 'US' THEN l.name END AS region,
           [name('former', tailless(former), NULL, day(changed))] AS formers,
           regexp_matches(form, '^(20-F|40-F|6-K)') AS foreign_forms
    FROM filings f LEFT JOIN locations l ON l.code = f.stprba AND l.iso = 'US')
SELECT * REPLACE (cik_of(cik) AS cik, clean(name) AS name, ein_of(ein) AS ein),
       CASE WHEN cik_of(rows.cik) IS NULL THEN 'bad-identifier' WHEN clean(rows.name) IS NULL THEN 'no-name' END
           AS fault,
       CASE WHEN cik_of(rows.cik) = '350001' OR regexp_matches(rows.name, '(?i)^ALLEN TEST') THEN 'test-filer'
            WHEN regexp_matches(rows.name, '(?i)^FT [0-9]+$|\ba series of\b') THEN 'fund-series'
            WHEN regexp_matches(rows.name,
                '(?i)\b(separate|variable|annuity|real estate)\b.*\bacc(ounts?)?( [A-Z0-9-]{1,6})?$')
                THEN 'separate-account'
            -- EDGAR has natural persons among its filers (insiders): those without an EIN, and those whose EIN is none (`000000000`)
            -- or who report as owners, unless they state a place of incorporation or file as a foreign issuer. Who is listed, files
            -- statements or is an operating company is none.
            WHEN source = 'submissions' AND entity_type IS DISTINCT FROM 'operating'
                AND (rows.ein IS NULL
                     OR (ein_of(rows.ein) IS NULL OR reports_as_owner) AND NOT placed AND NOT foreign_forms)
                AND cik_of(rows.cik) NOT IN (
                SELECT cik_of(cik) FROM listed WHERE cik_of(cik) IS NOT NULL
                UNION SELECT cik_of(cik) FROM filings WHERE cik_of(cik) IS NOT NULL) THEN 'natural-person' END AS rule
FROM rows;

INSERT INTO rejected SELECT source, _row AS row_id, fault AS reason FROM parsed WHERE fault IS NOT NULL;

-- A CIK that a rule leaves out is left out wherever it stands.
INSERT INTO left_out
SELECT source, _row AS row_id, ruled.rule AS reason
FROM parsed JOIN (SELECT cik, min(rule) AS rule FROM parsed WHERE rule IS NOT NULL GROUP BY cik) ruled USING (cik)
WHERE fault IS NULL;

-- EDGAR has one name and one country of incorporation at a time: the newest row that tells it is right. Where no row has
-- a country, the forms tell who is foreign; where no row has forms (listed only), the name does.
CREATE TABLE filers AS
SELECT cik, name,
       coalesce(country, CASE WHEN coalesce(foreign_forms, foreign_name(name)) THEN 'XX' END) AS country
FROM (SELECT cik, arg_max(name, (recency, -rank, -_row)) AS name,
             arg_max(country, (recency, -rank, -_row)) FILTER (country IS NOT NULL) AS country,
             bool_or(foreign_forms) AS foreign_forms
      FROM parsed WHERE fault IS NULL GROUP BY cik);

-- The golden copy comes as JSON and as CSV.
-- state_registers.csv: the registers of companies among GLEIF's authorities, by the jurisdiction of their entities.
CREATE VIEW leis AS SELECT g.*, lei_names([*COLUMNS('(other|type)_[1-5]')]) AS names,
                           state_number(r.state, number) AS state_id
FROM (FROM gleif_entities UNION ALL BY NAME FROM gleif_golden_copy) g
LEFT JOIN state_registers r ON r.authority = g.authority AND g.jurisdiction = 'US-' || r.state;
-- Only the SEC's numbers in GLEIF are CIKs: most filers stand there with the number of their state. One entity and one
-- domestic filer with the same name and legal form (`Corporation` is `Corp`) are one company. An entity that EDGAR does not know is a company by
-- its LEI, if a register has a number for it: trusts of families have none (RA888888 and RA999999 stand for that).
CREATE MACRO one_spelling(t) AS letters(regexp_replace(regexp_replace(regexp_replace(' ' || bare(t),
    ' (corp|inc|co|ltd)(?:oration|orporated|mpany)\b', ' \1', 'g'), ' limited$', ' ltd'), ' and ', ' ', 'g'));
CREATE TABLE namesakes AS
SELECT one_spelling(tailless(name)) AS folded, count(*) AS filers, min(cik) AS cik
FROM filers WHERE coalesce(country, 'US') = 'US' GROUP BY folded;
CREATE TABLE lei AS
SELECT *, CASE WHEN foreign_entity THEN 'other-country'
               WHEN category = 'SOLE_PROPRIETOR' THEN 'natural-person'
               WHEN cik IS NOT NULL THEN NULL
               WHEN filers > 0 THEN 'ambiguous-name'
               WHEN category = 'FUND' THEN 'fund'
               WHEN category IS DISTINCT FROM 'GENERAL' THEN 'other-category'
               WHEN number IS NULL OR authority IN ('RA888888', 'RA999999') OR cik_number THEN 'no-register-identifier'
               END AS reason
FROM (SELECT l.* EXCLUDE (own), filers, own IS NULL AND authority = 'RA000665' AS cik_number,
             coalesce(own, CASE WHEN NOT foreign_entity AND category = 'GENERAL' AND filers = 1 AND entities = 1
                                THEN n.cik END) AS cik
      FROM (SELECT *, coalesce(jurisdiction, '') NOT SIMILAR TO 'US(-.*)?' AS foreign_entity,
                   CASE authority WHEN 'RA000665' THEN cik_of(number) END AS own,
                   count(*) FILTER (jurisdiction SIMILAR TO 'US(-.*)?') OVER (PARTITION BY one_spelling(name)) AS entities
            FROM leis) l LEFT JOIN namesakes n ON n.folded = one_spelling(l.name));
INSERT INTO left_out SELECT 'gleif', _row, reason FROM lei WHERE reason IS NOT NULL;

-- Registers of states. A name that a person or company trades under is no company; a taxpayer without a file number has
-- no register that knows it.
-- A date is `2009-12-25T00:00:00.000` from the tables' interface, and `12/25/2009` in the file that the portal exports.
CREATE MACRO month_first(t) AS regexp_replace(t, '^(\d{1,2})[/\-](\d{1,2})[/\-](\d{4})', '\3-\1-\2');
CREATE TABLE state_rows AS
WITH rows AS (
    SELECT 'state-colorado' AS source, 'CO' AS state, * FROM state_colorado_entities
    UNION ALL BY NAME SELECT 'state-connecticut' AS source, 'CT' AS state, * FROM state_connecticut_entities
    UNION ALL BY NAME SELECT 'state-new-york' AS source, 'NY' AS state, 'Active' AS status, * FROM state_new_york_entities
    UNION ALL BY NAME SELECT 'state-oregon' AS source, 'OR' AS state, 'Active' AS status, * FROM state_oregon_entities
    UNION ALL BY NAME SELECT 'state-texas' AS source, 'TX' AS state, * FROM state_texas_entities)
SELECT source, _row, _date, state_number(state, number) AS id, clean(rows.name) AS name, kind, status,
       day(month_first(formed)) AS formed, clean(city) AS city, l.name AS region,
       CASE WHEN regexp_matches(kind, '(?i)assumed|reserved|registered name|trade ?name|trade ?mark|sole|individual')
                THEN 'no-company'
            WHEN state = 'TX' AND regexp_full_match(coalesce(number, '0'), '0*') THEN 'no-register-identifier' END AS rule,
       CASE WHEN state_number(state, number) IS NULL THEN 'bad-identifier' WHEN clean(rows.name) IS NULL THEN 'no-name'
           END AS fault
FROM rows LEFT JOIN locations l ON l.code = upper(seat) AND l.iso = 'US';
INSERT INTO left_out SELECT source, _row, rule FROM state_rows WHERE rule IS NOT NULL;
INSERT INTO rejected SELECT source, _row, fault FROM state_rows WHERE rule IS NULL AND fault IS NOT NULL;

-- What GLEIF states by the same number of the same register is the same company.
INSERT INTO records BY NAME
SELECT source, s._row AS row_id, coalesce(l.company, 'state ' || s.id) AS company, 'us-state' AS scheme,
       s.id AS identifier, s.name AS legal_name, status AS status_raw, kind AS legal_form_raw, formed AS incorporated,
       region, city AS municipality, _date AS recency
FROM state_rows s LEFT JOIN (SELECT state_id, min(coalesce(cik, 'lei ' || lei)) AS company FROM lei
                             WHERE reason IS NULL AND state_id IS NOT NULL GROUP BY state_id) l ON l.state_id = s.id
WHERE rule IS NULL AND fault IS NULL;

INSERT INTO records BY NAME
SELECT source, s._row AS row_id, s.cik AS company, 'us-cik' AS scheme, s.cik AS identifier,
       [ident('us-ein', ein)] AS aliases,
       CASE WHEN letters(s.name) = letters(f.name) THEN s.name END AS legal_name,
       coalesce(tickers, []) || coalesce(formers, []) || [
           CASE WHEN letters(tailless(s.name)) <> letters(tailless(f.name))
                THEN name('former', tailless(s.name), NULL, NULL) END,
           CASE WHEN letters(tailless(f.name)) <> letters(f.name)
                THEN name('alternative', tailless(f.name), NULL, NULL) END] AS names,
       sic AS activity_code, coalesce(a.label, sic_description) AS activity_label, region,
       nullif(f.country, 'US') AS home, size, recency
FROM parsed s JOIN filers f USING (cik) LEFT JOIN activities a ON a.code = s.sic
WHERE fault IS NULL AND s._row NOT IN (SELECT row_id FROM left_out)
UNION ALL BY NAME
SELECT 'gleif' AS source, _row AS row_id, coalesce(cik, 'lei ' || lei) AS company,
       CASE WHEN cik IS NULL THEN 'lei' END AS scheme, CASE WHEN cik IS NULL THEN lei END AS identifier,
       [ident('lei', lei), ident('us-state', state_id)] AS aliases, name AS legal_name, names, lei_status(entity_status, registration_status) AS status_raw, _date AS recency
FROM lei WHERE reason IS NULL;
