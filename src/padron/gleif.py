"""The Legal Entity Identifiers (LEI) of GLEIF's golden copy, a source that all countries share: level 1 records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from padron.country import Column, Layout, Row, Source

_HEADERS = {
    "lei": "LEI",
    "name": "Entity.LegalName",
    "entity_status": "Entity.EntityStatus",
    "jurisdiction": "Entity.LegalJurisdiction",
    "category": "Entity.EntityCategory",
    "authority": "Entity.RegistrationAuthority.RegistrationAuthorityID",
    "number": "Entity.RegistrationAuthority.RegistrationAuthorityEntityID",
}
"""Column -> header in CSV, which is the path in XML and JSON."""
_ADDRESSES = tuple(
    f"Entity.{place}.{part}"
    for place in ("LegalAddress", "HeadquartersAddress")
    for part in ("FirstAddressLine", "AddressNumber", "AddressNumberWithinBuilding", "MailRouting", "PostalCode")
)


def entities(document: dict[str, Any]) -> Iterator[Row]:
    """Rows of the golden copy in JSON: the columns of `_HEADERS`, then `other_names`: JSON text of `type`, `name`."""
    for record in document["records"]:
        others = record["Entity"].get("OtherEntityNames", {}).get("OtherEntityName", [])
        yield (
            *(_at(record, path) for path in _HEADERS.values()),
            json.dumps([{"type": other["@type"], "name": other["$"]} for other in others]),
        )


def _at(record: dict[str, Any], path: str) -> str | None:
    """The text at a path of a record, None where there is none."""
    found: Any = record
    for part in path.split("."):
        found = found.get(part, {})
    text: str | None = found.get("$")
    return text


SOURCE = Source(
    key="gleif",
    name="Global LEI Index (golden copy)",
    publisher="Global Legal Entity Identifier Foundation (GLEIF)",
    url="https://www.gleif.org/en/lei-data/gleif-golden-copy",
    licence="CC0 1.0",
    attribution="GLEIF",
    cadence=1,
    layouts=(
        Layout(
            "entities",
            "*gleif-goldencopy-lei2*.json",
            "json",
            tuple(map(Column, (*_HEADERS, "other_names"))),
            private=("LegalAddress", "HeadquartersAddress", "OtherAddresses", "TransliteratedOtherAddresses"),
            read_document=entities,
        ),
        Layout(
            "golden_copy",
            "*gleif-goldencopy-lei2*.csv",
            "csv",
            tuple(Column(name, (header,)) for name, header in _HEADERS.items()),
            "utf-8",
            private=_ADDRESSES,
        ),
    ),
)
"""An entity joins a company by the number that its registration authority gave it: each country takes that of its own
register. The deltas that GLEIF publishes thrice a day are not used: the golden copy is whole each time, and what is
read of it is one pass over 3 million rows."""
