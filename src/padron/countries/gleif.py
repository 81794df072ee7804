"""The Legal Entity Identifiers (LEI) of GLEIF's golden copy, a source that all countries share: level 1 records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from padron.countries.country import Layout, Row, Source, SourceColumn, Status

_HEADERS = {
    "lei": "LEI",
    "name": "Entity.LegalName",
    "entity_status": "Entity.EntityStatus",
    "registration_status": "Registration.RegistrationStatus",
    "jurisdiction": "Entity.LegalJurisdiction",
    "category": "Entity.EntityCategory",
    "authority": "Entity.RegistrationAuthority.RegistrationAuthorityID",
    "number": "Entity.RegistrationAuthority.RegistrationAuthorityEntityID",
}
"""SourceColumn -> header in CSV, which is the path in XML and JSON."""
_OTHER_NAMES = 5
"""Other names of an entity: as many as the CSV has room for."""
_NAMES = tuple(f"{part}_{place}" for place in range(1, _OTHER_NAMES + 1) for part in ("other", "type"))
_ADDRESSES = tuple(
    f"Entity.{place}.{part}"
    for place in ("LegalAddress", "HeadquartersAddress")
    for part in ("FirstAddressLine", "AddressNumber", "AddressNumberWithinBuilding", "MailRouting", "PostalCode")
)


def entities(document: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows of the golden copy in JSON: the columns of `_HEADERS`, then each other name and its type."""
    for record in document["records"]:
        listed = (record["Entity"].get("OtherEntityNames") or {}).get("OtherEntityName") or []
        others = listed[:_OTHER_NAMES]
        names = [text for other in others for text in (other["$"], other["@type"])]
        yield (*(_at(record, path) for path in _HEADERS.values()), *names, *[None] * (len(_NAMES) - len(names)))


def _name_column(name: str) -> SourceColumn:
    """Return the CSV column of another name, or of its type."""
    part, place = name.split("_")
    header = f"Entity.OtherEntityNames.OtherEntityName.{place}" + (".type" if part == "type" else "")
    return SourceColumn(name, (header,), required=False)


def _at(record: dict[str, Any], path: str) -> str | None:
    """Return the text at a path of a record, None where there is none."""
    node: Any = record
    for part in path.split("."):
        node = node.get(part) or {}
    text: str | None = node.get("$")
    return text


STATUS = {"ACTIVE": Status.ACTIVE, "INACTIVE": Status.INACTIVE}
"""Status of an entity in the golden copy, for the countries whose own registers publish none.

That an entity is active is known only as long as its registration is renewed (`lei_status` of macros.sql).
"""

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
            tuple(map(SourceColumn, (*_HEADERS, *_NAMES))),
            private=("LegalAddress", "HeadquartersAddress", "OtherAddresses", "TransliteratedOtherAddresses"),
            read_document=entities,
        ),
        Layout(
            "golden_copy",
            "*gleif-goldencopy-lei2*.csv",
            "csv",
            (*(SourceColumn(name, (header,)) for name, header in _HEADERS.items()), *map(_name_column, _NAMES)),
            "utf-8",
            private=_ADDRESSES,
        ),
    ),
)
"""An entity joins a company by the number that its registration authority gave it: each country takes that of its own
register, its LEI and its other names (former, trade, in another language). One of category GENERAL with a register's
number, which no covered register knows, is a company of its own. The deltas that GLEIF publishes
three times a day are not used: the golden copy is always whole, and reading it is one pass over 3 million rows."""
