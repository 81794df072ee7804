"""Where the files of an official source are got: addresses, how to find them, and the manners its publisher asks for.

Values and pure functions only. Countries state their origins in `origins.py`; `padron.ingest.fetch` acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from padron.model import Text


class File(NamedTuple):
    """A file at a publisher: its address and the name it is kept under.

    `optional`: the publisher may not have it (yet), as the year that has begun. `group`: of the files of a group at
    least one is there, as a state that is published whole or in two parts; each of them may be missing.
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

    `choose` takes the document's bytes; it raises ValueError or KeyError where the document is not what it must be.
    """

    url: str
    choose: Callable[[bytes], Sequence[File]]


@dataclass(frozen=True)
class Share:
    """A WebDAV share with a folder a month (`2026-08/`), all of one issue or not to be taken at all.

    `listing` and `file` are addresses with `{share}`, and `{month}`, `{name}` where they apply; `share` is the id of
    the share unless the setting names another. `names` must all be in a month. `issue` is the token that the members
    of all zips have in common, its groups one digit of the year, month and day.
    """

    listing: str
    file: str
    share: str
    names: tuple[str, ...]
    issue: str


class Query(NamedTuple):
    """A part of a Socrata table: the file its rows are kept in, and the `$where` that selects them."""

    name: str
    where: str


@dataclass(frozen=True)
class Table:
    """Rows of a Socrata table got page by page. Only the columns of `select` ever leave the publisher."""

    host: str
    dataset: str
    select: tuple[str, ...]
    of: Callable[[date], Sequence[Query]]


@dataclass(frozen=True)
class Manual:
    """A source that no program may or can get: what a person does instead."""

    steps: Text


Way = Addresses | Index | Share | Table | Manual


@dataclass(frozen=True)
class Manners:
    """What a publisher asks of a program that fetches. One limit holds for all sources with the same `name`.

    `rate` is requests a second, `connections` how many at once, fewer when refused. `contact`: it answers only to a
    program that says whose it is. `browser`: it answers only to what looks like a browser. `old_tls`: it speaks only
    ciphers that are no longer offered by default. `inside`: it answers only inside its country.
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
    """Where the files of the source with this key come from.

    `exercised` is the day somebody last fetched it from the live publisher, None while nobody has.
    """

    source: str
    way: Way
    manners: Manners
    exercised: date | None = None


def fixed(*addresses: str) -> Addresses:
    """Files that never change their address, each kept under the last part of it."""
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
