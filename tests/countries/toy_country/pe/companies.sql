-- Peru: from the raw table to records, left_out, rejected. One company is one RUC. Same structure as identifiers.py.
CREATE TABLE taxpayer AS
SELECT *, CASE WHEN regexp_full_match(coalesce(ruc, ''), '1[0567][0-9]{9}') THEN 'natural-person'
               WHEN NOT regexp_full_match(coalesce(ruc, ''), '20[0-9]{9}') THEN 'bad-identifier' END AS fault
FROM padron_reducido_contribuyentes;

INSERT INTO left_out SELECT 'padron-reducido', _row, fault FROM taxpayer WHERE fault = 'natural-person';
INSERT INTO rejected SELECT 'padron-reducido', _row, fault FROM taxpayer WHERE fault = 'bad-identifier';

INSERT INTO records BY NAME
SELECT 'padron-reducido' AS source, _row AS row_id, ruc AS company, 'pe-ruc' AS scheme, ruc AS identifier,
       clean(nombre) AS legal_name, clean(estado) AS status_raw, department AS region, _date AS recency
FROM taxpayer LEFT JOIN departments ON departments.code = left(ubigeo, 2)
WHERE fault IS NULL;
