"""A small register whose official files the tests write themselves, fault by fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from padron.companies.model import Identifier
from padron.countries.country import Country, Expect, Layout, Source, SourceColumn
from padron.errors import Invalid
from padron.publishing.publish import publish

SCRIPT = """
INSERT INTO rejected
SELECT 'register' AS source, _row AS row_id, 'bad-identifier' AS reason FROM register_table
WHERE NOT regexp_full_match(coalesce(ruc, ''), '[0-9]{13}');
INSERT INTO left_out
SELECT 'register' AS source, _row AS row_id, 'natural-person' AS reason FROM register_table
WHERE regexp_full_match(ruc, '[0-9]{2}[0-5][0-9]{10}');
INSERT INTO records BY NAME
SELECT 'register' AS source, _row AS row_id, ruc AS company, 'ec-ruc' AS scheme, ruc AS identifier,
       [ident('lei', lei)] AS aliases, clean(nombre) AS legal_name, clean(comercial) AS trade_name,
       [name('former', anterior, NULL, NULL)] AS names, clean(estado) AS status_raw,
       day(fecha) AS incorporated, _date AS recency
FROM register_table WHERE regexp_full_match(ruc, '[0-9]{2}[69][0-9]{10}');
"""


def identify(raw: str) -> tuple[Identifier, ...]:
    if len(raw) != 13 or not raw.isdigit():
        raise Invalid("invalid-identifier", parameter="identifier")
    return (Identifier("ec-ruc", raw),)


def layout(**changes: object) -> Layout:
    """The layout of the small register's table, with changes."""
    values: dict[str, object] = {
        "name": "table",
        "match": "*.csv",
        "format": "csv",
        "columns": (
            SourceColumn("ruc", ("RUC", "NUMERO_RUC")),
            SourceColumn("nombre", ("NOMBRE", "RAZÓN SOCIAL")),
            SourceColumn("comercial", ("NOMBRE COMERCIAL",), required=False),
            SourceColumn("anterior", ("NOMBRE ANTERIOR",), required=False),
            SourceColumn("estado", ("SITUACIÓN",), required=False),
            SourceColumn("fecha", ("FECHA",), required=False),
            SourceColumn("lei", ("LEI",), required=False),
        ),
        "private": ("TELÉFONO",),
    }
    return Layout(**{**values, **changes})  # type: ignore[arg-type]


def source(*layouts: Layout, expect: Expect | None = None) -> Source:
    """The small register as a source."""
    return Source(
        key="register",
        name="Registro",
        publisher="Superintendencia",
        url="https://www.supercias.gob.ec/",
        licence="public",
        attribution="Superintendencia",
        cadence=30,
        layouts=layouts or (layout(),),
        expect=expect or Expect(max_rejected=0.5),
    )


def release_of(registry: Mapping[str, Country], root: Path, data: Path) -> Path:
    """Publish a release of the files under `root`; gives the data folder."""
    publish(data, registry, [root])
    return data
