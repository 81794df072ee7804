"""Ecuador: companies under the control of Supercias, by RUC of the SRI and by expediente."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries.country import Classification, Country, ExampleSearch, OfficialCount, Status
from padron.countries.ec.identifiers import SCHEMES, identify
from padron.countries.ec.origins import ORIGINS
from padron.countries.ec.sources import SOURCES
from padron.text import fold
from padron.words import Text

_STARTS = (
    ("activ", Status.ACTIVE),
    ("interven", Status.ACTIVE),
    ("inactiv", Status.INACTIVE),
    ("pasiv", Status.INACTIVE),
    ("suspen", Status.SUSPENDED),
)
_CONTAINS = (("cancel", Status.DISSOLVED), ("disol", Status.IN_LIQUIDATION), ("liquid", Status.IN_LIQUIDATION))


def status(raw: str) -> Status:
    """Map the official wording to a status.

    SITUACIÓN LEGAL of Supercias (`ACTIVA`, `DISOLUC. LIQUIDAC. OFICIO INSC. EN RM`, …): by the Ley de Compañías a
    dissolved company is in liquidation and can be reactivated, and ends when its cancellation is registered; one under
    intervention goes on trading. Also the states of the tax register (SRI): ACTIVO, SUSPENDIDO, PASIVO.
    """
    text = fold(raw)
    for word, state in _CONTAINS:
        if word in text:
            return state
    return next((state for word, state in _STARTS if text.startswith(word)), Status.UNKNOWN)


EC = Country(
    code="EC",
    name=Text("Ecuador", "Ecuador"),
    demonyms=("ecuador", "ecuatoriana", "ecuatoriano", "ecuadorian"),
    phrases=(
        "republica del ecuador",
        "equador",
        "equatoriana",
        "equatoriano",
        "equatorianas",
        "equatorianos",
        "ecuadorean",
        "ecuadoriana",
    ),
    acronym_after_form=True,
    searches=(ExampleSearch("corporacion favorita"),),
    open_statements="1791316347001",
    in_lists=("ecu", "republic of ecuador"),
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    reads=identify,
    status=status,
    classification=Classification("CIIU", "4.0"),
    isic="class",
    official_count=OfficialCount(
        871_862,
        Text("empresas activas, también de personas naturales", "active businesses, sole traders included"),
        date(2021, 12, 31),
        "INEC, Registro Estadístico de Empresas 2022: empresas activas de 2021",
        "https://anda.inec.gob.ec/anda/index.php/catalog/1028/datafile/F10/V722",
        date(2026, 11, 22),
    ),
    folder=Path(__file__).parent,
    examples=(("ec-ruc", "1790016919001"), ("ec-expediente", "384"), ("ec-ruc", "0990004196001")),
    exchanges=("bvq", "bvg"),
)
