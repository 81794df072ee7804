"""A second engine: all in memory, computed from the definitions of the seam; its calls really suspend and ask ahead."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from padron.index import prefetch
from padron.index.engine import (
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
    Query,
    Scope,
)
from padron.index.tags import Within
from padron.releases import snapshot

K1, B, HALF, ONE = np.float32(1.2), np.float32(0.75), np.float32(0.5), np.float32(1)
BATCH = 100


class Fields(msgspec.Struct):
    """The fields of an `EncodedDocument`."""

    words: str
    keys: list[str]
    identifiers: list[str]
    country: str
    tags: list[str]
    size: int


class Matches(NamedTuple):
    """Places of the companies that match, ascending, and their scores."""

    places: np.ndarray
    scores: np.ndarray


def one_byte_length(length: int) -> int:
    """The length as Lucene's one-byte norms hold it: exact to 40, then in steps that double every eight values."""
    value, step = 40, 2
    if length <= value:
        return length
    while True:
        for _ in range(8):
            if value + step > length:
                return value
            value += step
        step *= 2


class SearchField:
    """The terms of one field: the companies of each, and what BM25 takes of their lengths."""

    def __init__(self, terms_of: Sequence[Sequence[str]]) -> None:
        places: dict[str, list[int]] = {}
        for place, terms in enumerate(terms_of):
            for term in terms:
                places.setdefault(term, []).append(place)
        self.places = {term: np.array(having, dtype=np.int64) for term, having in places.items()}
        self.companies = len(terms_of)
        average = np.float32(sum(map(len, terms_of))) / np.float32(max(1, self.companies))
        lengths = np.array([one_byte_length(len(terms)) for terms in terms_of], dtype=np.float32)
        self.norms = K1 * (ONE - B + B * lengths / average) if self.companies else lengths

    def matches(self, term: str, weight: float = 1.0) -> Matches:
        places = self.places.get(term, NO_PLACES)
        having = np.float32(len(places))
        idf = np.log(ONE + (np.float32(self.companies) - having + HALF) / (having + HALF))
        score = idf * (ONE + K1) * np.float32(weight)
        return Matches(places, score * (ONE / (ONE + self.norms[places])))


NO_PLACES = np.array([], dtype=np.int64)
NO_MATCHES = Matches(NO_PLACES, np.array([], dtype=np.float32))


class MemoryEngine:
    """`index.engine.Engine`, computed from all documents."""

    def __init__(self, documents: Sequence[EncodedDocument]) -> None:
        decode = msgspec.json.Decoder(Fields).decode
        fields = [decode(document.fields) for document in documents]
        self.stored = [document.stored for document in documents]
        self.words_of = [described.words.split() for described in fields]
        self.words = SearchField(self.words_of)
        self.keys = SearchField([described.keys for described in fields])
        self.identifiers: dict[str, list[int]] = {}
        self.tags: dict[str, set[int]] = {}
        self.countries: dict[str, set[int]] = {}
        for place, described in enumerate(fields):
            for identifier in described.identifiers:
                self.identifiers.setdefault(identifier, []).append(place)
            for tag in described.tags:
                self.tags.setdefault(tag, set()).add(place)
            self.countries.setdefault(described.country, set()).add(place)
        self.by_size = sorted(range(len(fields)), key=lambda place: -fields[place].size)

        self.requests = 0
        self.calls: dict[bytes, Callable[[], Sequence]] = {}

    async def answers(self, *calls: Callable[[], Sequence]) -> list[Sequence]:
        """The answers to some look-ups, in one request with those that are likely to come next."""
        names = [repr(call).encode() for call in calls]
        self.calls |= zip(names, calls, strict=True)
        search = prefetch.current.get()
        return await (search.replies(names, self.request, ()) if search else self.request(names))

    async def request(self, names: Sequence[bytes]) -> list[Sequence]:
        self.requests += bool(names)
        await asyncio.sleep(0)
        return [self.calls[name]() for name in names]

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        return await self.answers(*(partial(self.looked_up, query, scope, limit) for query in queries))

    def looked_up(self, query: Query, scope: Scope, limit: int) -> list[Hit]:
        return self.best(self.matches(query), scope, limit)

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags: Within = ()) -> Sequence[Sequence[Hit]]:
        return await self.answers(*(partial(self.filed_under, identifier, tags) for identifier in identifiers))

    def filed_under(self, identifier: IdentifierKey, tags: Within) -> list[Hit]:
        places = self.identifiers.get(f"{identifier.scheme}:{identifier.key}", [])
        return self.hits([place for place in places if self.inside(place, Scope(identifier.country, tags))][:100])

    async def check(self) -> None:
        await self.by_identifier([NOBODY])

    async def among(self, scope: Scope, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        await asyncio.sleep(0)
        places = [place for place in self.by_size if self.inside(place, scope)]
        return len(places), self.hits(places[start : start + limit])

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        (longer,) = await self.answers(partial(self.longer, beginning, words, limit))
        return longer

    def longer(self, beginning: str, words: Sequence[str], limit: int) -> list[str]:
        companies = self.matches(AllWords(words)).places
        longer = Counter(word for place in companies for word in self.words_of[place] if word.startswith(beginning))
        return sorted(longer, key=lambda word: (-longer[word], word))[:limit]

    async def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        last = len(self.stored) if end is None else end
        for start in range(first, last, BATCH):
            await asyncio.sleep(0)
            yield self.hits(range(start, min(start + BATCH, last)))

    def hits(self, places: Sequence[int]) -> list[Hit]:
        return [Hit(int(place), self.stored[place]) for place in places]

    def inside(self, place: int, scope: Scope) -> bool:
        country = scope.country is None or place in self.countries.get(scope.country, ())
        return country and all(any(place in self.tags.get(tag, ()) for tag in group) for group in scope.tags)

    def best(self, matches: Matches, scope: Scope, limit: int) -> list[Hit]:
        order = np.lexsort((matches.places, -matches.scores))
        places = matches.places[order]
        if scope == Scope():
            return self.hits(places[:limit])
        return self.hits([place for place in map(int, places) if self.inside(place, scope)][:limit])

    def matches(self, query: Query) -> Matches:
        match query:
            case AnyKey(keys):
                return self.combined([self.keys.matches(key) for key in keys], np.add, 1)
            case AllWords(words):
                return self.combined([self.words.matches(word) for word in words], np.add, len(words))
            case BestOf(weights, pairs):
                best = [self.words.matches(word, weight) for word, weight in weights.items()]
                return self.combined([*best, *(self.matches(AllWords(pair)) for pair in pairs)], np.maximum, 1)
            case AnyOf(queries):
                return self.combined([self.matches(part) for part in queries], np.add, 1)
            case AllOf(queries, optional):
                required = self.combined([self.matches(part) for part in queries], np.add, len(queries))
                return self.added(required, [self.matches(part) for part in optional])

    def combined(self, parts: Sequence[Matches], combine: Callable[..., np.ndarray], least: int) -> Matches:
        """Companies that match at least so many of `parts`."""
        scores = np.zeros(len(self.stored), dtype=np.float32)
        counts = np.zeros(len(self.stored), dtype=np.int64)
        for part in parts:
            scores[part.places] = combine(scores[part.places], part.scores)
            counts[part.places] += 1
        places = np.flatnonzero(counts >= max(1, least))
        return Matches(places, scores[places])

    def added(self, required: Matches, optional: Sequence[Matches]) -> Matches:
        more = np.zeros(len(self.stored), dtype=np.float32)
        for part in optional:
            more[part.places] += part.scores
        return Matches(required.places, required.scores + more[required.places])


class MemoryBuilder:
    """A builder that writes the documents into one file, to be opened from there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.path = folder / "documents.msgpack"
        self.documents: list[EncodedDocument] = []

    def add(self, document: EncodedDocument) -> int:
        self.documents.append(document)
        return len(self.documents) - 1

    def finish(self) -> None:
        self.path.write_bytes(msgspec.msgpack.encode(self.documents))
        snapshot.seal(self.path.parent)

    def close(self) -> None:
        self.documents = []


def documents_of(folder: Path) -> list[EncodedDocument]:
    return msgspec.msgpack.decode((folder / "documents.msgpack").read_bytes(), type=list[EncodedDocument])


async def open_memory(folder: Path) -> MemoryEngine:
    return MemoryEngine(documents_of(folder))


MEMORY = EngineKind(MemoryBuilder, open_memory)
