"""The seam between an engine and everything else. Engines fetch candidates; `rank` alone decides.

No engine syntax and no user syntax crosses it: a `Lookup` holds folded words only, so user text can never reach a query
parser, and every engine answers alike. What an engine owes is written as tests: `tests/index/test_engine_contract.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Protocol

from padron.index.document import Tables
from padron.index.tags import Within


class Lookup(NamedTuple):
    """What to fetch candidates for.

    `readings` are the folded words of the name, without connectives: one reading for each way of telling the legal
    form from the name, the shortest first. `letters` are the names in one piece, connectives among them. Words in
    `loose` may be absent from the company's names: a country, a city, `empresa`. `within`: of each of these groups of
    `tags` a company must have one. `exact`: only companies of the very name, in any of its readings.
    """

    readings: tuple[tuple[str, ...], ...]
    loose: frozenset[str] = frozenset()
    country: str | None = None
    letters: frozenset[str] = frozenset()
    within: Within = ()
    exact: bool = False


class Hit(NamedTuple):
    """A candidate: its place in the index, unique and in the order the companies were built, and its stored bytes."""

    key: int
    stored: bytes


class Engine(Protocol):
    """An opened, immutable index, safe to share between threads.

    Raises `Unavailable("engine-unavailable")` when it cannot answer.
    """

    @property
    def tables(self) -> Tables:
        """What is known of the index as a whole."""

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """At most `limit` plausible companies, the likeliest first, each once."""

    async def by_identifier(self, country: str | None, scheme: str, key: str, within: Within = ()) -> Sequence[Hit]:
        """Every company filed under `key` (`Scheme.key` of a canonical identifier), primary or alias, in build order.

        At most 100, with the tags. Records of one company in several registers are also filed under scheme `link`.
        """

    def part(self, number: int) -> AsyncIterator[Sequence[Hit]]:
        """The companies of a part (an index into `tables.parts`), in build order, a few hundred at a time."""

    async def among(self, country: str | None, within: Within, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """How many companies have the tags, and some of them from place `start` on: the largest first."""

    def frequency(self, word: str) -> int:
        """Return the number of companies that have `word` in a name."""
