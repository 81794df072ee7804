"""Download addresses of the Colombian files.

datos.gov.co is a Socrata portal: at most 50,000 rows a page, stable only in the order of `:id`. Columns about natural
persons are never requested, nor are their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from padron.countries.co.sources import EDITION_2019, NIIF_RESULTADO, NIIF_SITUACION, RUES, SOCRATA, WORKBOOK
from padron.countries.country import Source
from padron.countries.origin import GLEIF, Manners, Manual, Origin, Table, TableQuery
from padron.words import Text

_HOST = "https://www.datos.gov.co"
_PORTAL = Manners("datos.gov.co", rate=2.0)
_AGENCY = Manners("supersociedades")
_NIIF_SINCE = 2015


def _statements(source: Source, dataset: str) -> Origin:
    """A long table of the NIIF statements, one file per year-end; other dates are liquidations and half-years."""

    def years(today: date) -> Sequence[TableQuery]:
        return [
            TableQuery(f"{source.key}-{year}.csv", f"fecha_corte='{year}-12-31T00:00:00.000'")
            for year in range(_NIIF_SINCE, today.year)
        ]

    return Origin(
        source.key,
        Table(_HOST, dataset, tuple(column.name for column in source.layouts[0].columns), years),
        _PORTAL,
    )


ORIGINS = (
    Origin(
        RUES.key,
        Table(
            _HOST,
            "c82u-588k",
            tuple(column.name for column in RUES.layouts[0].columns),
            lambda _today: [TableQuery("rues_c82u-588k.csv", "codigo_clase_identificacion='02'")],
        ),
        _PORTAL,
    ),
    Origin(
        SOCRATA.key,
        Table(
            _HOST,
            "6cat-2gcs",
            ("nit", "raz_n_social", "departamento_domicilio", "ciudad_domicilio", "ciiu", "a_o_de_corte"),
            lambda _today: [TableQuery("10.000_Empresas_6cat-2gcs.csv", "")],
        ),
        _PORTAL,
    ),
    GLEIF,
    _statements(NIIF_SITUACION, "pfdp-zks5"),
    _statements(NIIF_RESULTADO, "prwj-nzxa"),
    Origin(
        WORKBOOK.key,
        Manual(
            Text(
                "Descargue el libro Base_10000_empresas_<año>.xlsx del informe anual en la página de la "
                "Superintendencia: no tiene dirección fija.",
                "Download the workbook Base_10000_empresas_<year>.xlsx of the yearly report from the page of the "
                "Superintendencia: it has no fixed address.",
            ),
            "Base_10000_empresas_YYYY.xlsx",
        ),
        _AGENCY,
    ),
    Origin(
        EDITION_2019.key,
        Manual(
            Text(
                "Edición de 2019 que viene con el proyecto; no se renueva.",
                "The edition of 2019, which comes with the project; it is not renewed.",
            )
        ),
        _AGENCY,
    ),
)
