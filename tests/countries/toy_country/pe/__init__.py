"""Peru, for tests: companies by RUC, from rows with invented names and numbers in the layout of the SUNAT."""

from __future__ import annotations

from pathlib import Path

from padron.countries.pe.identifiers import SCHEMES, identify
from padron.countries.pe.sources import SOURCES

from padron.countries.country import Classification, Country, ExampleSearch, Status
from padron.text import fold
from padron.words import Text

_STATUS = {
    "activo": Status.ACTIVE,
    "baja provisional": Status.INACTIVE,
    "suspension temporal": Status.SUSPENDED,
    "baja definitiva": Status.DISSOLVED,
}


def status(raw: str) -> Status:
    """Map the state of a taxpayer."""
    return _STATUS.get(fold(raw), Status.UNKNOWN)


PE = Country(
    code="PE",
    name=Text("Perú", "Peru"),
    demonyms=("peru", "peruana", "peruano", "peruvian"),
    phrases=("republica del peru", "peruanas", "peruanos"),
    schemes=SCHEMES,
    sources=SOURCES,
    reads=identify,
    status=status,
    classification=Classification("CIIU", "4.0"),
    no_statements=Text(
        "El padrón reducido no contiene estados financieros.", "The reduced register holds no financial statements."
    ),
    folder=Path(__file__).parent,
    examples=(("pe-ruc", "20999000011"), ("pe-ruc", "20999000020")),
    searches=(ExampleSearch("textiles huascaran"),),
)
