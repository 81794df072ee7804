"""The embedded engine: tantivy, mapped into memory. Its look-ups never suspend: they take less than changing threads.

Its folder is one `tantivy_store` with the fields words, keys, identifiers, country, tags and size. The key of a company
is where its row begins.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import tantivy
from tantivy import Occur, Query

from padron import threads
from padron.index import engine
from padron.index.engine import (
    EVERYWHERE,
    NOBODY,
    AllOf,
    AllWords,
    AnyKey,
    AnyOf,
    BestOf,
    EncodedDocument,
    EngineKind,
    Hit,
    IdentifierKey,
    Scope,
)
from padron.index.tags import Within
from padron.index.tantivy_store import RowStore, StoreWriter

_MOST_SHARING: Final = 100
"""Companies of one identifier: more than share any number that identifies."""
_SEEK: Final = 2
"""Companies of a union that are read in the time in which one company is sought among those of a word."""
_PART_BATCH: Final = 200
"""Companies of a part that are read at a time: a millisecond, as long as a search."""


class TantivyBuilder:
    """Indexes in one thread: the same companies in the same order give the same index, byte for byte."""

    def __init__(self, folder: Path) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
        for name in ("keys", "identifiers", "country", "tags"):
            schema.add_text_field(name, tokenizer_name="raw", index_option="basic")
        self._writer = StoreWriter(folder, schema.add_unsigned_field("size", fast=True))
        self.finish = self._writer.finish
        self.close = self._writer.close

    def add(self, document: EncodedDocument) -> int:
        """Index a company; return its key."""
        return self._writer.add(document.fields, document.stored)


class TantivyEngine:
    """Look-ups in one index; safe to share between threads."""

    def __init__(self, store: RowStore) -> None:
        self._store = store
        self._count = store.searcher.doc_freq

    async def look_up(
        self, queries: Sequence[engine.Query], scope: Scope, limit: int, enough: int
    ) -> Sequence[Sequence[Hit]]:
        """Answer a batch of queries. See `Engine.look_up`."""
        restrictions = self._restrictions(scope)
        answers: list[Sequence[Hit]] = []
        seen: set[int] = set()
        for query in queries:
            if len(seen) >= enough:
                break
            starts = self._starts(query, restrictions, limit)
            answers.append(self._hits([start for start in starts if start not in seen] if seen else starts))
            seen.update(starts)
        return answers + [()] * (len(queries) - len(answers))

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags: Within = ()) -> Sequence[Sequence[Hit]]:
        """Answer a batch of identifiers."""
        return [self._filed_under(identifier, tags) for identifier in identifiers]

    async def check(self) -> None:
        """Look up nobody. See `Engine.check`."""
        await self.by_identifier([NOBODY])

    def _filed_under(self, identifier: IdentifierKey, tags: Within) -> Sequence[Hit]:
        term = f"{identifier.scheme}:{identifier.key}"
        if not self._count("identifiers", term):  # cheaper than a search, and few numbers that are asked exist
            return ()
        query = _all([self._term("identifiers", term), *self._restrictions(Scope(identifier.country, tags))])
        return self._hits(sorted(self._store.starts(query, _MOST_SHARING)))

    async def among(self, scope: Scope, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """List the companies of a scope. See `Engine.among`."""
        count, starts = self._store.largest(_all(self._restrictions(scope)), start, limit)
        return count, self._hits(starts)

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        """Complete a word among companies. See `Engine.complete`."""
        companies = _all([self._term("words", word) for word in words])
        return [word for word, _ in self._store.searcher.terms_with_prefix("words", beginning, companies, limit)]

    async def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        """Yield the companies of a part."""
        rows = self._store.rows.between(first, end)
        while batch := [Hit(start, row) for start, row in islice(rows, _PART_BATCH)]:
            yield batch

    def _hits(self, starts: Sequence[int]) -> list[Hit]:
        return list(map(Hit, starts, self._store.rows.at(starts)))

    def _starts(self, query: engine.Query, restrictions: Sequence[Query], limit: int) -> list[int]:
        translated = self._translated(query)
        if translated is None:
            return []
        return self._store.starts(_all([translated, *restrictions]) if restrictions else translated, limit)

    def _restrictions(self, scope: Scope) -> list[Query]:
        """Queries that every company of the scope matches, of no weight in the order."""
        if scope == EVERYWHERE:
            return []
        queries = [self._term("country", scope.country)] if scope.country else []
        queries += [_any([self._term("tags", tag) for tag in group]) for group in scope.tags]
        return [Query.const_score_query(query, 0.0) for query in queries]

    def _translated(self, query: engine.Query, among: Sequence[Query] = ()) -> Query | None:
        """Return a query of the seam as one of tantivy's; None where it matches no company that is asked for.

        Each word of a `BestOf` or `AnyOf` is looked for only `among` companies that match these queries.
        """
        match query:
            case AnyKey(keys):
                # Few keys that are asked exist: to count first costs less than to search.
                known = [self._term("keys", key) for key in keys if self._count("keys", key)]
                return (_any(known) if len(known) > 1 else known[0]) if known else None
            case AllWords(words, known_key, rarest):
                if known_key and self._count("keys", known_key) >= rarest > 0:
                    return None
                return _all([self._term("words", word) for word in words])
            case BestOf(weights, pairs):
                best = [Query.boost_query(self._term("words", word), weight) for word, weight in weights.items()]
                best = [_all([word, *among]) for word in best] if among else best
                best += [_all([self._term("words", word) for word in pair] + [*among]) for pair in pairs]
                return Query.disjunction_max_query(best)
            case AnyOf(queries):
                return _any([part for query in queries if (part := self._translated(query, among))])
            case AllOf(queries, optional):
                return self._all_of(queries, optional)

    def _all_of(self, queries: Sequence[BestOf | AnyOf], optional: Sequence[BestOf]) -> Query:
        """Return companies with the rarest of `queries`, and each word of the others only among these if that is less.

        tantivy reads a union from one end to the other, however few of its companies are wanted.
        """
        rarest = min(queries, key=_companies)
        first = self._translated(rarest)
        among = [Query.const_score_query(first, 0.0)] if first and _companies(rarest) else []
        parts = [(Occur.Must, first)] if first else []
        for occur, others in ((Occur.Must, queries), (Occur.Should, optional)):
            for query in others:
                if query is not rarest:
                    seeks = _SEEK * _words(query) * _companies(rarest)
                    part = self._translated(query, among if _companies(query) > seeks else ())
                    parts += [(occur, part)] if part else []
        return Query.boolean_query(parts)

    def _term(self, field: str, text: str) -> Query:
        return Query.term_query(self._store.schema, field, text, "basic")


async def open_engine(folder: Path) -> TantivyEngine:
    """Open the engine in `folder`, in a thread: all its files are verified. Raises as `RowStore`."""
    return TantivyEngine(await threads.FILES.call(RowStore, folder))


EMBEDDED: Final = EngineKind(TantivyBuilder, open_engine)


def _any(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _all(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _companies(query: BestOf | AnyOf) -> int:
    """Return how many companies match at most; 0: not counted."""
    return query.companies if isinstance(query, BestOf) else sum([part.companies for part in query.queries])


def _words(query: BestOf | AnyOf) -> int:
    """Return how many words and pairs are looked for."""
    parts = [query] if isinstance(query, BestOf) else query.queries
    return sum([len(part.weights) + len(part.pairs) for part in parts])
