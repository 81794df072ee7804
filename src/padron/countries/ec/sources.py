"""The official sources of Ecuador: the Superintendencia de Compañías (Supercias), and the tax register of the SRI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Row, Source, SourceColumn

_PUBLISHER = "Superintendencia de Compañías, Valores y Seguros"
_LICENCE = "Información pública (Ley de Compañías, art. 20); citar la fuente"
_ATTRIBUTION = "Superintendencia de Compañías, Valores y Seguros del Ecuador"
_PRIVATE = ("CALLE", "NÚMERO", "INTERSECCIÓN", "BARRIO", "TELÉFONO", "REPRESENTANTE", "CARGO")

_EXPEDIENTE = SourceColumn("expediente", ("EXPEDIENTE",))
_RUC = SourceColumn("ruc", ("RUC",))
_NOMBRE = SourceColumn("nombre", ("NOMBRE",))
_CONSTITUCION = ("FECHA CONSTITUCION",)
_TIPO = SourceColumn("tipo", ("TIPO", "TIPO DE COMPAÑÍA"))
_PROVINCIA = SourceColumn("provincia", ("PROVINCIA",))
_CANTON = SourceColumn("canton", ("CANTÓN",))
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
                SourceColumn("situacion_legal", ("SITUACIÓN LEGAL",)),
                SourceColumn("fecha_constitucion", _CONSTITUCION),
                _TIPO,
                _PROVINCIA,
                _CANTON,
                SourceColumn("ciudad", _CIUDAD),
                SourceColumn("ciiu", _CIIU),
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
                SourceColumn("fecha_constitucion", _CONSTITUCION),
                _TIPO,
                _PROVINCIA,
                _CANTON,
                SourceColumn("actividad", ("ACTIVIDAD_ECONÓMICA",)),
            ),
            private=_PRIVATE,
            official=False,
        ),
    ),
    expect=Expect(min_rows=50),
)
"""The register: one sheet with title rows above its header. `constituidas` is an unofficial extract of the
companies of one day: title case, activities in words, no status."""


def _top(document: list[dict[str, Any]]) -> Iterable[Row]:
    """Rows of the list of the largest companies, in the order of the layout's columns."""
    keys = (
        *("expediente", "ruc", "name", "companyType", "province", "city", "ciiu", "rank", "year"),
        *("sales", "assets", "equity", "profitBeforeTax", "netProfit", "employees"),
    )
    return ([company[key] for key in keys] for company in document)


_FIGURES = (
    *("id_estado_financiero", "ingresos_ventas", "ingresos_totales", "activos", "patrimonio", "utilidad_an_imp"),
    *("utilidad_neta", "n_empleados"),
)

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
                SourceColumn("anio", ("anio",)),
                _EXPEDIENTE,
                SourceColumn("posicion_general", ("posicion_general",)),
                SourceColumn("ciiu", _CIIU),
                *(SourceColumn(name, (name,), required=False) for name in _FIGURES),
            ),
        ),
        Layout(
            "ciiu",
            "bi_ciiu*.csv",
            "csv",
            (SourceColumn("ciiu", ("ciiu",)), SourceColumn("descripcion", ("descripcion",))),
            lookup=True,
        ),
        Layout(
            "mayores",
            "top1000_*_derived.json",
            "json",
            tuple(
                SourceColumn(name)
                for name in (
                    "expediente ruc nombre tipo provincia ciudad ciiu posicion_general anio ingresos_ventas activos "
                    "patrimonio utilidad_an_imp utilidad_neta n_empleados"
                ).split()
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
                SourceColumn("ciiu", _CIIU),
                SourceColumn("ciudad", _CIUDAD, required=False),
                SourceColumn("fecha_constitucion", _CONSTITUCION, required=False),
                SourceColumn("posicion_general", ("posicion_general",), required=False),
                SourceColumn("anio", ("anio",), required=False),
                *(SourceColumn(name, (name,), required=False) for name in _FIGURES),
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
)

_BALANCE = (
    *(_EXPEDIENTE, _RUC, _NOMBRE, SourceColumn("ciiu", ("CIIU",)), SourceColumn("anio", ("ANIO",))),
    # Accounts of form 101 as it was in 2020; their numbers are not the same in other years.
    *(
        SourceColumn(name, (header,), required=False)
        for name, header in (
            ("caja", "CAJA_BANCOS_311"),
            ("activo_corriente", "TOTAL_ACTIVO_CORRIENTE_361"),
            ("activo", "TOTAL_ACTIVO__499"),
            ("pasivo_corriente", "TOT_PASIVOS_CORRIENTES__550"),
            ("pasivo", "TOTAL_PASIVOS__599"),
            ("utilidad_patrimonio", "UTILIDAD_EJE_PATRIMONIO__614"),
            ("perdida_patrimonio", "PERDIDA_EJE_PATRIMONIO__615"),
            ("patrimonio", "TOTAL_PATRIMONIO_NETO__698"),
            ("utilidad_ejercicio", "UTILIDAD_EJERCICIO__801"),
            ("perdida_ejercicio", "PERDIDA_EJERCICIO__802"),
            ("ingresos", "TOTAL_INGRESOS__6999"),
        )
    ),
)

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
)
"""One line per company and year, one column per account of the tax form: of eight hundred the totals are read."""

_SRI = (
    *("NUMERO_RUC", "RAZON_SOCIAL", "ESTADO_CONTRIBUYENTE", "TIPO_CONTRIBUYENTE", "NUMERO_ESTABLECIMIENTO"),
    *("NOMBRE_FANTASIA_COMERCIAL", "ESTADO_ESTABLECIMIENTO", "DESCRIPCION_PROVINCIA_EST", "DESCRIPCION_CANTON_EST"),
    "CODIGO_CIIU",
)

SRI = Source(
    key="sri-ruc",
    name="Registro Único de Contribuyentes (RUC)",
    publisher="Servicio de Rentas Internas (SRI)",
    url="https://www.sri.gob.ec/datasets",
    licence="CC BY (datosabiertos.gob.ec)",
    attribution="Servicio de Rentas Internas del Ecuador",
    cadence=31,
    layouts=(
        Layout(
            "establecimientos",
            "SRI_RUC_*.csv",
            "csv",
            tuple(SourceColumn(name.lower(), (name,)) for name in _SRI),
            delimiter="|",
        ),
    ),
    expect=Expect(min_rows=1),
)
"""One file per province, one row per establishment, natural persons among them. A name may hold a quoted `|`."""

SOURCES = (DIRECTORIO, RANKING, SRI, NOMBRES, BALANCES, gleif.SOURCE)
"""Newest and closest to the register first."""
