"""Argentina: CUIT of the Registro Nacional de Sociedades and COMPR.AR, and the numbers of IGJ."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries.ar.identifiers import SCHEMES, identify
from padron.countries.ar.origins import ORIGINS
from padron.countries.ar.sources import SOURCES
from padron.countries.ar.statements import NOT_PUBLISHED
from padron.countries.country import Classification, Country, OfficialCount, Status
from padron.text import fold
from padron.words import Text

_STATUS = {
    "ac": Status.ACTIVE,
    "bd": Status.INACTIVE,
    "pertenece a registro entidades inactivas": Status.INACTIVE,
    "active": Status.ACTIVE,
    "inactive": Status.INACTIVE,
}


def status(raw: str) -> Status:
    """Map the official wording to a status.

    `AC` and `BD` are the state of a company's tax activities, all the Registro Nacional de Sociedades knows; IGJ's
    words give the reason why an entity left its register: a cancellation ends the liquidation (law 19.550, art. 112).
    """
    folded = fold(raw)
    return Status.DISSOLVED if folded.startswith("cancelacion") else _STATUS.get(folded, Status.UNKNOWN)


AR = Country(
    code="AR",
    name=Text("Argentina", "Argentina"),
    demonyms=("argentina", "argentino", "argentine", "argentinean"),
    phrases=("republica argentina", "argentinas", "argentinos"),
    in_lists=("arg", "argentine republic", "republic of argentina", "republica de argentina"),
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    reads=identify,
    status=status,
    classification=Classification("CLAE", "2013"),
    official_count=OfficialCount(
        1_245_492,
        Text("entidades con CUIT del Registro Nacional de Sociedades", "entities with a CUIT of the national register"),
        date(2026, 2, 23),
        "Registro Nacional de Sociedades, file of 2026-02-23, as counted by debianalt/simplifications",
        "https://github.com/debianalt/simplifications/blob/631e08eaaa9f6390631a9b7bacba17c3720a666b/data/README.md",
        date(2026, 11, 22),
    ),
    no_statements=NOT_PUBLISHED,
    folder=Path(__file__).parent,
    examples=(("ar-cuit", "30711544581"), ("ar-cuit", "30546689979"), ("ar-cuit", "33717114219"), ("ar-igj", "34")),
    precedence={"status_raw": ("igj", "rns")},
    exchanges=("byma",),
)
