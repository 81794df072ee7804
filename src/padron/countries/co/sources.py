"""The official sources of Colombia: the register of the chambers of commerce, and lists of the largest companies."""

from __future__ import annotations

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Source, SourceColumn

_PUBLISHER = "Superintendencia de Sociedades"
_LICENCE = "Datos abiertos del Estado colombiano (CC BY-SA 4.0 en datos.gov.co)"
_ATTRIBUTION = "Superintendencia de Sociedades de Colombia"

_NIT = SourceColumn("nit", ("NIT",))
_RAZON_SOCIAL = SourceColumn("razon_social", ("RAZÓN SOCIAL", "raz_n_social"))
_DEPARTAMENTO = SourceColumn("departamento", ("DEPARTAMENTO DOMICILIO", "departamento"))
_CIUDAD = SourceColumn("ciudad", ("CIUDAD DOMICILIO", "ciudad"))
_CIIU = SourceColumn("ciiu", ("CIIU",))
_COMPANY = (_NIT, _RAZON_SOCIAL, _DEPARTAMENTO, _CIUDAD, _CIIU)
_YEARS = range(2015, 2040)


def _amounts(*named: tuple[str, str]) -> tuple[SourceColumn, ...]:
    """One column per year of each amount: the header has the year; an edition has its own and the one before."""
    return tuple(
        SourceColumn(f"{name}_{year}", (f"{header} {year}*", f"{header} {year}"), required=False)
        for year in _YEARS
        for name, header in named
    )


_AMOUNTS = _amounts(
    ("ingresos", "INGRESOS OPERACIONALES"),
    ("ganancia", "GANANCIA PÉRDIDA"),
    ("activos", "TOTAL ACTIVOS"),
    ("pasivos", "TOTAL PASIVOS"),
    ("patrimonio", "TOTAL PATRIMONIO"),
)
_OPERATING = _amounts(("operacion", "GANANCIA PÉRDIDA POR ACTIVIDAD DE OPERACIÓN"))

WORKBOOK = Source(
    key="supersociedades-10000",
    name="10.000 empresas más grandes del país",
    publisher=_PUBLISHER,
    url="https://www.supersociedades.gov.co/",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(
        Layout("empresas", "Base_10000_empresas_*.xlsx", "xlsx", (*_COMPANY, *_AMOUNTS), sheet="10000"),
        Layout("operacion", "Base_10000_empresas_*.xlsx", "xlsx", (_NIT, *_OPERATING), sheet="Supersociedades"),
    ),
    expect=Expect(min_rows=9_000),
)
"""The workbook of the yearly report, in thousands of pesos: a sheet of 10,000 rows in order of revenue, and one that
repeats those of the companies under the Superintendencia with their operating profit."""

SOCRATA = Source(
    key="supersociedades-6cat",
    name="10.000 Empresas más Grandes del País (datos.gov.co, 6cat-2gcs)",
    publisher=_PUBLISHER,
    url="https://www.datos.gov.co/Comercio-Industria-y-Turismo/10-000-Empresas-mas-Grandes-del-Pa-s/6cat-2gcs",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(
        Layout(
            "empresas",
            "10.000_Empresas_*.csv",
            "csv",
            (*_COMPANY, SourceColumn("anio", ("Año de Corte", "a_o_de_corte"))),
        ),
    ),
    expect=Expect(min_rows=40),
)
"""The same lists since 2021 as open data, company x year: thousands commas in NIT, year and CIIU, whose letter and
leading zero are lost."""

EDITION_2019 = Source(
    key="supersociedades-1000-2018",
    name="1.000 empresas más grandes del país, edición de 2019",
    publisher=_PUBLISHER,
    url="https://www.supersociedades.gov.co/",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(
        Layout(
            "empresas",
            "empresas_2018_*_derived.csv",
            "csv",
            (*_COMPANY, SourceColumn("numero", ("numero",)), *_AMOUNTS),
            official=False,
        ),
    ),
    expect=Expect(min_rows=900),
)
"""An unofficial table of that edition, without accents; letters that had one are lower case (`MALLAMaS`)."""

_RUES = (
    *("codigo_camara", "matricula", "razon_social", "sigla", "codigo_clase_identificacion", "numero_identificacion"),
    *("cod_ciiu_act_econ_pri", "fecha_matricula", "fecha_renovacion", "fecha_cancelacion", "ultimo_ano_renovado"),
    *("codigo_organizacion_juridica", "organizacion_juridica", "codigo_categoria_matricula", "estado_matricula"),
)

RUES = Source(
    key="rues",
    name="Registro Único Empresarial y Social (datos.gov.co, c82u-588k)",
    publisher="Confecámaras",
    url="https://www.datos.gov.co/d/c82u-588k",
    licence=_LICENCE,
    attribution="Confecámaras, Registro Único Empresarial y Social (RUES)",
    cadence=31,
    layouts=(Layout("matriculas", "rues_*.csv", "csv", tuple(SourceColumn(name, (name,)) for name in _RUES), "utf-8"),),
    expect=Expect(min_rows=1),
)
"""One row per registration in a chamber of commerce; a company that moved or registered anew has several. Columns of
natural persons (names, representatives) are not read."""

_NIIF = tuple(
    SourceColumn(name, (name,))
    for name in ("nit", "fecha_corte", "concepto", "periodo", "valor", "punto_entrada", "numero_radicado")
)


def _niif(key: str, dataset: str, name: str) -> Source:
    return Source(
        key=key,
        name=f"{name} (datos.gov.co, {dataset})",
        publisher=_PUBLISHER,
        url=f"https://www.datos.gov.co/d/{dataset}",
        licence=_LICENCE,
        attribution=_ATTRIBUTION,
        cadence=182,
        layouts=(Layout("conceptos", f"{key}*.csv", "csv", _NIIF, "utf-8"),),
    )


NIIF_SITUACION = _niif("niif-situacion-financiera", "pfdp-zks5", "Estado de Situación Financiera")
NIIF_RESULTADO = _niif("niif-resultado-integral", "prwj-nzxa", "Estado de Resultado Integral")
"""The statements that the companies under Supersociedades file, in thousands of pesos: a row a company, date, concept
and period. Every accented letter may be U+FFFD."""

SOURCES = (RUES, WORKBOOK, SOCRATA, EDITION_2019, gleif.SOURCE, NIIF_SITUACION, NIIF_RESULTADO)
"""The register, then the lists, newest first."""
