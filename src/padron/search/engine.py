"""The seam between an engine and everything else. Engines fetch candidates; `rank` alone decides.

No engine syntax and no user syntax crosses it: a `Lookup` holds folded tokens only, so user text can never reach a query
parser, and tantivy and OpenSearch answer alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Lookup(NamedTuple):
    """What to fetch candidates for: folded tokens of the name asked, and an optional country."""

    tokens: tuple[str, ...]
    country: str | None


class Hit(NamedTuple):
    """A candidate: its number in the index, its country and its stored bytes (`search.document`)."""

    key: int
    country: str
    stored: bytes


class Engine(Protocol):
    """An opened, immutable index. Safe to share between threads; raises `Unavailable` when it cannot answer."""

    def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """At most `limit` plausible companies, the likeliest first."""

    def by_identifier(self, country: str | None, scheme: str | None, key: str) -> Sequence[Hit]:
        """Every company filed under `key` (`Scheme.key` of a canonical identifier), primary or alias."""

    def close(self) -> None:
        """Release the index; searches under way finish."""
