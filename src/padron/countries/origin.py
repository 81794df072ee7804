"""Origins of official files: their addresses, or how to find them, and the limits their publishers ask for.

Values and pure functions only. Countries state their origins in `origins.py`; `padron.ingest.fetch` acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from padron.words import Text


class File(NamedTuple):
    """A file at a publisher: its address and the name it is kept under.

    `optional`: the publisher may not have it (yet), as the year that has begun. `group`: of the files of a group at
    least one exists: a state may be published whole or in two parts.
    """

    name: str
    url: str
    optional: bool = False
    group: str = ""


@dataclass(frozen=True)
class Addresses:
    """Files whose addresses are known; `of(today)` gives them as they must be on that day."""

    of: Callable[[date], Sequence[File]]


@dataclass(frozen=True)
class Index:
    """Files found in a document that the publisher keeps, such as a catalogue or a page of links.

    `choose` takes the document's bytes and raises ValueError or KeyError for a document of another kind.
    """

    url: str
    choose: Callable[[bytes], Sequence[File]]


@dataclass(frozen=True)
class Share:
    """A WebDAV share with one folder per month (`2026-08/`), of which a whole issue is taken or nothing.

    `listing` and `file` are addresses with `{share}`, and `{month}`, `{name}` where they apply; `share` is the id of
    the share unless the setting names another, perhaps with the folder of the months in it (`ID/Dados/CNPJ`). `names`
    must all be in a month; `optional` are files that are taken where it has them. `issue` is the token common to the
    members of all zips; its groups are one digit of the year, the month and the day.
    """

    listing: str
    file: str
    share: str
    names: tuple[str, ...]
    optional: tuple[str, ...]
    issue: str


class TableQuery(NamedTuple):
    """A part of a Socrata table: the file for its rows, and the `$where` that selects them."""

    name: str
    where: str


@dataclass(frozen=True)
class Table:
    """Rows of a Socrata table, fetched page by page. Only the columns of `select` are requested."""

    host: str
    dataset: str
    select: tuple[str, ...]
    of: Callable[[date], Sequence[TableQuery]]


@dataclass(frozen=True)
class Manual:
    """A source that no program may or can fetch, and the steps for a person.

    `saved_as` is the name that a file is saved under, with YYYY for its year; empty where nothing more is to come.
    """

    steps: Text
    saved_as: str = ""


Way = Addresses | Index | Share | Table | Manual


@dataclass(frozen=True)
class Manners:
    """Limits that a publisher sets for programs. One limit holds for all sources with the same `name`.

    `rate` is in requests per second; `connections` are reduced when the publisher refuses them. `contact`: it requires
    a contact in the User-Agent. `browser`: it requires a User-Agent of a browser. `old_tls`: it offers only ciphers
    that are disabled by default. `inside`: it answers only inside its country.
    """

    name: str
    rate: float = 2.0
    connections: int = 1
    contact: bool = False
    browser: bool = False
    old_tls: bool = False
    inside: bool = False


@dataclass(frozen=True)
class Origin:
    """The origin of the files of one source.

    `exercised` is the day of the last fetch from the live publisher, None before the first one.
    """

    source: str
    way: Way
    manners: Manners
    exercised: date | None = None


def declared_files(way: Way, today: date) -> tuple[File, ...]:
    """Return the files that a source must have on a day by its origin; none where only the publisher can name them."""
    if isinstance(way, Addresses):
        return tuple(file for file in way.of(today) if not file.optional)
    if isinstance(way, Table):
        return tuple(File(query.name, "") for query in way.of(today))
    return tuple(File(name, "") for name in way.names) if isinstance(way, Share) else ()


def fixed(*addresses: str) -> Addresses:
    """Return files whose addresses never change, each stored under the last part of its address."""
    files = tuple(File(address.rsplit("/", 1)[-1], address) for address in addresses)
    return Addresses(lambda _today: files)


GLEIF = Origin(
    "gleif",
    Addresses(
        lambda _today: (
            File(
                "gleif-goldencopy-lei2.csv.zip",
                "https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv",
            ),
        )
    ),
    Manners("gleif"),
)
"""The golden copy of the Legal Entity Identifiers (CC0), which all countries share; issued three times a day."""
