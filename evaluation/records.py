"""The companies of a built release, read straight from its files.

<data>/current                       first line: id of the release
<data>/releases/<id>.json            `snapshots`: country -> folder; `links`: [country, identifier, link, is home]
<data>/snapshots/<folder>/companies.parquet
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import duckdb


class Company(NamedTuple):
    """A record of a register.

    Attributes:
        country: The country of the register.
        scheme: The scheme of the identifier.
        identifier: The primary identifier.
        legal_name: The legal name.
        names: Kind and text of each other name.
        numbers: The other identifiers.
        place: The municipality, else the region.
        source: The key of the source of the legal name.
        group: A value that is the same for all linked records.
    """

    country: str
    scheme: str
    identifier: str
    legal_name: str
    names: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    place: str | None
    source: str
    group: str

    @property
    def key(self) -> tuple[str, str]:
        """Country and identifier."""
        return self.country, self.identifier


_COLUMNS = """
SELECT scheme, identifier, legal_name, list_transform(names, lambda x: [x.kind, x.name]),
       list_transform(aliases, lambda x: x.value), coalesce(municipality, region), source
FROM read_parquet(?) ORDER BY scheme, identifier
"""


def release_id(data: Path) -> str:
    """Return the id of the release that `data` serves."""
    return (data / "current").read_text(encoding="utf-8").split()[0]


def _release(data: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((data / "releases" / f"{release_id(data)}.json").read_text(encoding="utf-8"))
    return document


def current_snapshots(data: Path) -> dict[str, Path]:
    """Return the file with the companies of each country of the current release."""
    snapshots = _release(data)["snapshots"]
    return {country: data / "snapshots" / snapshots[country] / "companies.parquet" for country in sorted(snapshots)}


def read_release(data: Path) -> list[Company]:
    """Return all companies of the current release, by country and identifier."""
    links = {(country, identifier): link for country, identifier, link, _ in _release(data)["links"]}
    companies: list[Company] = []
    for country, path in current_snapshots(data).items():
        companies += read_snapshot(path, country, links)
    return companies


def read_snapshot(path: Path, country: str, links: dict[tuple[str, str], str]) -> list[Company]:
    """Return all companies of one snapshot file."""
    with duckdb.connect() as db:
        rows = db.execute(_COLUMNS, [str(path)]).fetchall()
    return [
        Company(
            country,
            scheme,
            identifier,
            legal_name,
            tuple((kind, name) for kind, name in names),
            tuple(numbers),
            place,
            source,
            links.get((country, identifier), f"{country}:{identifier}"),
        )
        for scheme, identifier, legal_name, names, numbers, place, source in rows
    ]
