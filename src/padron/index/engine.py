"""The seam between retrieval and an engine: what an engine is asked, and what it owes.

An engine holds the documents of a release (`EncodedDocument`) and looks them up. It knows nothing of spelling, cascades
or ranking: `retrieval` decides what to look up and `matching.score` who is meant. No engine syntax and no user text
crosses the seam: a query is a frozen value over folded words, so it never reaches a query parser. Questions are
coroutines, in batches, so that an engine on the network answers a stage of retrieval in one request and never blocks
the event loop. Every engine passes `tests/index/test_engine_contract.py`, and gives the same hits in the same order:

A query has a score for each company that it matches; hits come by score, highest first, then in build order. The
score of a word or key is BM25 with k1 = 1.2 and b = 0.75, in single precision:

    idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / average))    idf = ln(1 + (N - n + 0.5) / (n + 0.5))

where `n` of `N` companies have it, `length` is the number of words or keys of the company, rounded down to what
Lucene's one-byte norms can hold (exact up to 40), and `average` the mean of all lengths before rounding. A scope
restricts the hits and does not change scores.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from padron.index.tags import Within

MOST: Final = 10_000
"""Hits of a query that can be asked for, at most: what an engine on the network gives at once by default."""


class AnyKey(NamedTuple):
    """Companies filed under any of these keys of whole names; the score is the sum over the keys that they have."""

    keys: Sequence[str]


class AllWords(NamedTuple):
    """Companies that have all of these words in their names; the score is the sum over the words.

    An engine may leave out all of them where as many companies are filed under `known_key` as have the rarest word
    (`rarest` companies, 0: not counted): the caller has these.
    """

    words: Sequence[str]
    known_key: str | None = None
    rarest: int = 0


class BestOf(NamedTuple):
    """Companies with any of these words (word -> weight), or with both words of any pair.

    The score is the highest among weight x score of the word, and the sum of the scores of a pair. No more than
    `companies` match (0: not counted), from which an engine may tell the cheapest way.
    """

    weights: Mapping[str, float]
    pairs: Sequence[tuple[str, str]] = ()
    companies: int = 0


class AnyOf(NamedTuple):
    """Companies that match any of `queries`; the score is the sum over those that match."""

    queries: Sequence[BestOf]


class AllOf(NamedTuple):
    """Companies that match all of `queries`; the score is the sum over these and those in `optional` that match."""

    queries: Sequence[BestOf | AnyOf]
    optional: Sequence[BestOf] = ()


Query = AnyKey | AllWords | BestOf | AnyOf | AllOf


class Scope(NamedTuple):
    """The companies to look among: those of `country` (None: all) with one tag of each group in `tags`."""

    country: str | None = None
    tags: Within = ()


EVERYWHERE = Scope()


class IdentifierKey(NamedTuple):
    """An identifier as companies are filed under it: `Scheme.key` of a canonical value; `country` None: any."""

    country: str | None
    scheme: str
    key: str


NOBODY: Final = IdentifierKey(None, "", "")
"""An identifier that no company has."""


class Hit(NamedTuple):
    """A company: its key in the index, unique and growing in build order, and its stored bytes."""

    key: int
    stored: bytes


class Engine(Protocol):
    """An opened, immutable index.

    Raises `Unavailable("engine-unavailable")` when it cannot answer; only `check` tells why.
    """

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        """Return the first hits of each query.

        An engine may leave out what the caller does not need: the hits of all later queries once the queries before
        them have given `enough` different companies, and hits that an earlier query of the batch has given.

        Args:
            queries: The queries of a stage, in the order in which they matter.
            limit: The most hits of a query; no more than `MOST`.
            enough: The number of companies that makes later queries superfluous.

        Returns:
            The hits of each query, in the order of the queries.
        """

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags: Within = ()) -> Sequence[Sequence[Hit]]:
        """Return the companies filed under each identifier, primary or alias, in build order, at most 100 of each.

        Only companies with one tag of each group in `tags`. Records of one company in several registers are also filed
        under the scheme `link`.
        """

    async def among(self, scope: Scope, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """List the companies of a scope, the largest first, then in build order.

        Returns:
            The number of companies in the scope, and the hits of the page.
        """

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        """Complete a word among the companies whose names have other words.

        Args:
            words: The words that the companies must have.

        Returns:
            The words that most of these companies have first, then in alphabetical order.
        """

    def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        """Yield the companies from key `first` to before key `end` (None: to the last), in build order.

        A few hundred at a time, so that memory stays flat and other requests are answered in between.
        """

    async def check(self) -> None:
        """Look up `NOBODY`, which shows that the index is in use, and whatever tells how the engine is.

        Raises:
            PadronError: What is wrong, for those who run the service, never for the public: `engine-unavailable`,
                `engine-refused`, `engine-index-lost`, `engine-index-red`; `engine-full`, which no search notices.
        """


class EncodedDocument(NamedTuple):
    """A company as it is indexed.

    `fields` is a JSON object: `words` (one string, words parted by blanks), `keys`, `identifiers` (`scheme:key`) and
    `tags` (lists of strings without repetition), `country`, and `size` (0 to 1,000).
    """

    fields: str
    stored: bytes
    country: str


class Builder(Protocol):
    """Writer of the index of a release; the index is usable only after `finish`."""

    def add(self, document: EncodedDocument) -> int:
        """Index a company; return its key."""

    def finish(self) -> None:
        """Make the index ready to be opened, and seal its folder (`snapshot.seal`)."""

    def close(self) -> None:
        """Release what is open, finished or not."""


def _nothing_else(kept: Sequence[Path]) -> Sequence[str]:
    """An engine that keeps everything in its folders leaves nothing elsewhere."""
    return ()


LOADED_ANEW: Final = frozenset({"engine-index-lost", "engine-index-red"})
"""Faults that a build mends by loading the index of the same release again, under another name."""


class EngineKind(NamedTuple):
    """A kind of engine: writes into a new folder all that it needs to be opened from there again.

    `remove_others` removes what it keeps elsewhere for other folders than those given, as far as no service asks it,
    and returns the names of that. It, the builder and `open` raise as `Engine.check`.
    """

    builder: Callable[[Path], Builder]
    open: Callable[[Path], Awaitable[Engine]]
    remove_others: Callable[[Sequence[Path]], Sequence[str]] = _nothing_else
