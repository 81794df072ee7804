"""Download addresses of the Mexican files. INEGI states no rate: one file at a time, once a day at most."""

from __future__ import annotations

from padron.countries.mx.sources import COMPRASMX, DENUE, RETC
from padron.countries.origin import GLEIF, Addresses, File, Manners, Manual, Origin
from padron.words import Text

_MASS = "https://www.inegi.org.mx/contenidos/masiva/denue"
_SPLIT = 15


def _state(number: int) -> list[File]:
    """Return the zip of a state; that of the Estado de México has been published whole and in two parts."""
    whole = f"{number:02}"
    parts = [whole] if number != _SPLIT else [whole, f"{whole}_1", f"{whole}_2"]
    return [File(name := f"denue_{part}_csv.zip", f"{_MASS}/{name}", group=f"denue_{whole}") for part in parts]


_STATES = tuple(file for number in range(1, 33) for file in _state(number))

ORIGINS = (
    Origin(DENUE.key, Addresses(lambda _today: _STATES), Manners("inegi", rate=1.0)),
    GLEIF,
    Origin(
        COMPRASMX.key,
        Manual(
            Text(
                "La descarga pide un captcha: guarde Contratos_ComprasMX_<año>.csv desde la página de datos abiertos.",
                "The download asks for a captcha: save Contratos_ComprasMX_<year>.csv from the open-data page.",
            ),
            "Contratos_ComprasMX_YYYY.csv",
        ),
        Manners("comprasmx"),
    ),
    Origin(
        RETC.key,
        Manual(
            Text(
                "Hojas de cálculo anuales con otro diseño cada pocos años: guarde la hoja como es_<año>.tsv.",
                "Yearly spreadsheets with another layout every few years: save the sheet as es_<year>.tsv.",
            ),
            "es_YYYY.tsv",
        ),
        Manners("semarnat"),
    ),
)
