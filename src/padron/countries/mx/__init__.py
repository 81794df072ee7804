"""Mexico: suppliers of the federal government by RFC, companies of INEGI's directory by CLEE, plants' ones by NRA."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries import gleif
from padron.countries.country import Classification, Country, OfficialCount, Status
from padron.countries.mx.identifiers import SCHEMES, identify
from padron.countries.mx.origins import ORIGINS
from padron.countries.mx.sources import SOURCES
from padron.countries.mx.statements import NOT_PUBLISHED
from padron.words import Text


def status(raw: str) -> Status:
    """Map GLEIF's entity status: no open Mexican source publishes the state of a company."""
    return gleif.STATUS.get(raw, Status.UNKNOWN)


MX = Country(
    code="MX",
    name=Text("México", "Mexico"),
    demonyms=("mexico", "mejico", "mexicana", "mexicano", "mexican"),
    phrases=("mexicos", "estados unidos mexicanos", "mx"),
    in_lists=("mex", "united mexican states"),
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    reads=identify,
    status=status,
    classification=Classification("SCIAN", "2023"),
    official_count=OfficialCount(
        2_154_918,
        Text("personas morales activas en el RFC", "legal entities active in the RFC"),
        date(2020, 9, 30),
        "El Tiempo MX: SAT registra más contribuyentes pese a pandemia (Informe Tributario y de Gestión)",
        "https://eltiempomx.com/a/195671-sat-registra-mas-contribuyentes-pese-a-pandemia",
        date(2026, 11, 22),
    ),
    no_statements=NOT_PUBLISHED,
    folder=Path(__file__).parent,
    examples=(("mx-rfc", "AAB240819NQ6"), ("mx-rfc", "LPI830527KJ2"), ("mx-clee", "09010213111000097000000000U4")),
    exchanges=("bmv",),
)
