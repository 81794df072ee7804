"""The official sources of Ecuador, all of the Superintendencia de Compañías, Valores y Seguros (Supercias)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from padron.country import Column, Expect, Layout, Row, Source

_PUBLISHER = "Superintendencia de Compañías, Valores y Seguros"
_LICENCE = "Información pública (Ley de Compañías, art. 20); citar la fuente"
_ATTRIBUTION = "Superintendencia de Compañías, Valores y Seguros del Ecuador"
_PRIVATE = ("CALLE", "NÚMERO", "INTERSECCIÓN", "BARRIO", "TELÉFONO", "REPRESENTANTE", "CARGO")

_EXPEDIENTE = Column("expediente", ("EXPEDIENTE",))
_RUC = Column("ruc", ("RUC",))
_NOMBRE = Column("nombre", ("NOMBRE",))
_CONSTITUCION = ("FECHA CONSTITUCION",)
_TIPO = Column("tipo", ("TIPO", "TIPO DE COMPAÑÍA"))
_PROVINCIA = Column("provincia", ("PROVINCIA",))
_CANTON = Column("canton", ("CANTÓN",))
_CIUDAD = ("CIUDAD",)
_CIIU = ("CIIU NIVEL 6", "ciiu_n6")

DIRECTORIO = Source(
    key="supercias-directorio",
    name="Directorio de Compañías",
    publisher=_PUBLISHER,
    url="https://mercadodevalores.supercias.gob.ec/reportes/directorioCompanias.jsf",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=1,
    layouts=(
        Layout(
            "directorio",
            "directorio_companias*.xlsx",
            "xlsx",
            (
                _EXPEDIENTE,
                _RUC,
                _NOMBRE,
                Column("situacion_legal", ("SITUACIÓN LEGAL",)),
                Column("fecha_constitucion", _CONSTITUCION),
                _TIPO,
                _PROVINCIA,
                _CANTON,
                Column("ciudad", _CIUDAD),
                Column("ciiu", _CIIU),
            ),
            private=_PRIVATE,
        ),
        Layout(
            "constituidas",
            "companias_constituidas_*.xlsx",
            "xlsx",
            (
                _EXPEDIENTE,
                _RUC,
                _NOMBRE,
                Column("fecha_constitucion", _CONSTITUCION),
                _TIPO,
                _PROVINCIA,
                _CANTON,
                Column("actividad", ("ACTIVIDAD_ECONÓMICA",)),
            ),
            private=_PRIVATE,
            official=False,
        ),
    ),
    expect=Expect(min_rows=50),
)
"""The register: one sheet with title rows above its header. `constituidas` is an extract that somebody made of the
companies of one day: title case, activities in words, no status."""


def _top(document: list[dict[str, Any]]) -> Iterable[Row]:
    """Rows of the list of the largest companies, in the order of the layout's columns."""
    keys = ("expediente", "ruc", "name", "companyType", "province", "city", "ciiu", "rank", "year")
    return ([company[key] for key in keys] for company in document)


RANKING = Source(
    key="supercias-ranking",
    name="Ranking de Compañías",
    publisher=_PUBLISHER,
    url="https://appscvsmovil.supercias.gob.ec/ranking/reporte.html",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=31,
    layouts=(
        Layout("compania", "bi_compania*.csv", "csv", (_EXPEDIENTE, _RUC, _NOMBRE, _TIPO, _PROVINCIA)),
        Layout(
            "posicion",
            "bi_ranking*.csv",
            "csv",
            (
                Column("anio", ("anio",)),
                _EXPEDIENTE,
                Column("posicion_general", ("posicion_general",)),
                Column("ciiu", _CIIU),
            ),
        ),
        Layout(
            "ciiu",
            "bi_ciiu*.csv",
            "csv",
            (Column("ciiu", ("ciiu",)), Column("descripcion", ("descripcion",))),
            lookup=True,
        ),
        Layout(
            "mayores",
            "top1000_*_derived.json",
            "json",
            tuple(
                Column(name)
                for name in "expediente ruc nombre tipo provincia ciudad ciiu posicion_general anio".split()
            ),
            read_document=_top,
            official=False,
        ),
        Layout(
            "extracto",
            "ranking_*_derived.csv",
            "csv",
            (
                _EXPEDIENTE,
                _RUC,
                _NOMBRE,
                _TIPO,
                _PROVINCIA,
                Column("ciiu", _CIIU),
                Column("ciudad", _CIUDAD, required=False),
                Column("fecha_constitucion", _CONSTITUCION, required=False),
                Column("posicion_general", ("posicion_general",), required=False),
                Column("anio", ("anio",), required=False),
            ),
            official=False,
        ),
    ),
    expect=Expect(min_rows=1_000, max_rejected=0.002),
)
"""Company x year, by revenue. About one line in a thousand of bi_ranking.csv has unescaped commas and cannot be read.
It holds expedientes that bi_compania.csv and the directory no longer have: those have no name and are left out."""

NOMBRES = Source(
    key="supercias-nombres",
    name="Ranking de Compañías: nombres y expedientes",
    publisher=_PUBLISHER,
    url="https://appscvsmovil.supercias.gob.ec/ranking/reporte.html",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(
        Layout(
            "nombres",
            "nombre_expediente.txt",
            "csv",
            (_NOMBRE, _EXPEDIENTE),
            delimiter="\t",
            quote="",
            official=False,
        ),
    ),
    expect=Expect(min_rows=90_000),
    manual="A list of names and file numbers in order of revenue, taken from the ranking once; it is not renewed.",
)

_BALANCE = (_EXPEDIENTE, _RUC, _NOMBRE, Column("ciiu", ("CIIU",)), Column("anio", ("ANIO",)))

BALANCES = Source(
    key="supercias-balances",
    name="Estados Financieros por Rama",
    publisher=_PUBLISHER,
    url="https://reporteria.supercias.gob.ec/",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(
        Layout("ramo", "bal*.txt", "csv", _BALANCE, encoding="utf-16", delimiter="\t"),
        Layout(
            "muestra",
            "estados_financieros_*_subset.txt",
            "csv",
            _BALANCE,
            encoding="cp1252",
            delimiter="\t",
            official=False,
        ),
    ),
    expect=Expect(min_rows=200),
    manual="Run the report Estados Financieros x Rama on the page and save it as balances_<year>.txt.",
)
"""One line a company and year, one column an account of the tax form; only what identifies the company is read here."""

SOURCES = (DIRECTORIO, RANKING, NOMBRES, BALANCES)
"""Newest and closest to the register first."""
