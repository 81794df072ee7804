"""The official sources of Colombia: the lists of the largest companies of the Superintendencia de Sociedades."""

from __future__ import annotations

from padron.country import Column, Expect, Layout, Source

_PUBLISHER = "Superintendencia de Sociedades"
_LICENCE = "Datos abiertos del Estado colombiano (CC BY-SA 4.0 en datos.gov.co)"
_ATTRIBUTION = "Superintendencia de Sociedades de Colombia"

_NIT = Column("nit", ("NIT",))
_RAZON_SOCIAL = Column("razon_social", ("RAZÓN SOCIAL", "raz_n_social"))
_DEPARTAMENTO = Column("departamento", ("DEPARTAMENTO DOMICILIO", "departamento"))
_CIUDAD = Column("ciudad", ("CIUDAD DOMICILIO", "ciudad"))
_CIIU = Column("ciiu", ("CIIU",))
_COMPANY = (_NIT, _RAZON_SOCIAL, _DEPARTAMENTO, _CIUDAD, _CIIU)

WORKBOOK = Source(
    key="supersociedades-10000",
    name="10.000 empresas más grandes del país",
    publisher=_PUBLISHER,
    url="https://www.supersociedades.gov.co/",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=365,
    layouts=(Layout("empresas", "Base_10000_empresas_*.xlsx", "xlsx", _COMPANY, sheet="10000"),),
    expect=Expect(min_rows=9_000),
)
"""The workbook of the yearly report, one sheet of 10,000 rows in order of revenue; its amounts are not read."""

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
            (*_COMPANY, Column("anio", ("Año de Corte", "a_o_de_corte"))),
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
            (*_COMPANY, Column("numero", ("numero",))),
            official=False,
        ),
    ),
    expect=Expect(min_rows=900),
    manual="One edition of the past, for the names that companies had then; it is not renewed.",
)
"""Somebody's table of that edition, without accents; the letters that had them are lower case (`MALLAMaS`)."""

SOURCES = (WORKBOOK, SOCRATA, EDITION_2019)
"""Newest first."""
