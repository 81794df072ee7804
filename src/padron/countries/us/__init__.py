"""The United States: companies that file with the SEC, by CIK, and others by the number of their state or by LEI."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries import gleif
from padron.countries.country import Classification, Country, ExampleSearch, OfficialCount, Status
from padron.countries.us.identifiers import SCHEMES, identify
from padron.countries.us.origins import COLLECTED, ORIGINS
from padron.countries.us.sources import SOURCES
from padron.text import fold
from padron.words import Text

_STATE_WORDS = (
    (("dissolved",), Status.DISSOLVED),
    (("not", "non", "no"), Status.UNKNOWN),
    (("good standing", "active", "exists"), Status.ACTIVE),
    (("delinquent", "noncompliant", "suspended"), Status.SUSPENDED),
    (("forfeited", "withdrawn", "revoked", "cancelled", "merged", "converted", "expired"), Status.INACTIVE),
)
"""Words of the states' registers -> status, the first that is a word of the wording.

None of them documents a wording that denies another (`Not in Good Standing`): it is unknown.
"""


def status(raw: str) -> Status:
    """Map the entity status of GLEIF or of a state: EDGAR publishes no state of a company.

    To be delisted, or silent, is none.
    """
    if raw in gleif.STATUS:
        return gleif.STATUS[raw]
    text = f" {fold(raw)} "
    return next(
        (status for words, status in _STATE_WORDS if any(f" {word} " in text for word in words)), Status.UNKNOWN
    )


US = Country(
    code="US",
    name=Text("Estados Unidos", "United States"),
    demonyms=("estados unidos", "united states", "usa", "eeuu", "ee uu", "eua", "estadounidense", "norteamericana"),
    phrases=(
        "estados unidos de america",
        "united states of america",
        "the united states",
        "u s",
        "estados unidos da america",
        "norteamericano",
        "norte americana",
        "norte americano",
        "norte americanas",
        "norte americanos",
        "american",
        "americana",
        "americano",
        "americanas",
        "americanos",
        "los estados unidos",
        "os estados unidos",
    ),
    in_lists=("usa",),
    as_written={"US": "usa", "U.S.": "usa", "U.S": "usa"},
    article="the ",
    language="en",
    searches=(ExampleSearch("apple", in_country=True),),
    open_statements="1045810",
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    collected=COLLECTED,
    reads=identify,
    status=status,
    classification=Classification("SIC", "1987"),
    official_count=OfficialCount(
        6_200_000,
        Text("empresas con personal asalariado", "firms with paid employees"),
        date(2022, 12, 31),
        "Morris County EDC: 2022 Economic Census “First Look” (U.S. Census Bureau)",
        "https://morriscountyedc.org/exploring-two-first-look-economic-datasets/",
        date(2026, 11, 22),
    ),
    folder=Path(__file__).parent,
    examples=(("us-cik", "320193"), ("us-cik", "789019"), ("us-cik", "1045810")),
    exchanges=("nasdaq", "nyse", "nysearca", "amex", "otc", "otcmkts"),
)
