"""Companies and words encoded as documents of an index: in order, on all cores.

Only the numbers of shared texts depend on the companies before; this process gives them, others do the rest. Functions
of a country do not travel between processes: the others load those of `padron.countries`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.index import process_pool
from padron.index.document import Numbered, TextTable, describe, numbered
from padron.index.engine import EncodedDocument
from padron.index.spelling import neighbourhood

T = TypeVar("T")

_BATCH: Final = 1_000
_FEW: Final = 10_000
"""So many are done here before another process has started."""


class Neighbourhood(NamedTuple):
    """A word of the names, and JSON with the terms under which its misspellings find it."""

    fields: str
    word: str


class _Batch(NamedTuple):
    """Documents of some companies, how many of these have each word, and how many are in each list (`listing.keys`)."""

    documents: list[EncodedDocument]
    words: dict[str, int]
    lists: dict[str, int]


class Counts(Protocol):
    """Receiver of the counts of batches of companies."""

    def add(self, counts: Mapping[str, int]) -> None:
        """Add the counts of some companies."""


_encode = msgspec.msgpack.Encoder().encode
_as_json = msgspec.json.Encoder().encode
_decode_companies = msgspec.msgpack.Decoder(list[tuple[Company, Numbered]]).decode
_decode_batch = msgspec.msgpack.Decoder(_Batch).decode
_decode_words = msgspec.msgpack.Decoder(list[str]).decode
_decode_neighbourhoods = msgspec.msgpack.Decoder(list[Neighbourhood]).decode


def encoded_documents(
    companies: Iterable[Company],
    registry: Mapping[str, Country],
    texts: TextTable,
    words: Counts,
    lists: Counts,
) -> Generator[EncodedDocument]:
    """Yield the document of each company, in order.

    Args:
        companies: The companies, in build order.
        texts: Collects the texts that companies share.
        words: Collects how many companies have each word.
        lists: Collects how many companies each list has.

    Yields:
        The documents, in build order.
    """
    pending = ((company, numbered(company, registry[company.country], texts)) for company in companies)
    few = list(islice(pending, _FEW))
    batches = _batches(chain(few, pending))
    if len(few) < _FEW or any(REGISTRY.get(code) is not country for code, country in registry.items()):
        results = (_describe(batch, registry) for batch in batches)
        yield from _counted(results, words, lists)
        return
    with closing(process_pool.apply(describe_batch, map(_encode, batches))) as encoded:
        yield from _counted(map(_decode_batch, encoded), words, lists)


def _counted(batches: Iterable[_Batch], words: Counts, lists: Counts) -> Iterator[EncodedDocument]:
    for batch in batches:
        words.add(batch.words)
        lists.add(batch.lists)
        yield from batch.documents


def neighbourhoods(words: Iterable[str]) -> Generator[Neighbourhood]:
    """Yield the neighbourhood of each word, in order."""
    pending = iter(words)
    few = list(islice(pending, _FEW))
    if len(few) < _FEW:
        yield from map(_neighbourhood, few)
        return
    batches = map(_encode, _batches(chain(few, pending)))
    with closing(process_pool.apply(neighbourhood_batch, batches)) as encoded:
        for batch in encoded:
            yield from _decode_neighbourhoods(batch)


def describe_batch(batch: bytes) -> bytes:
    """Encode the documents of a batch of numbered companies."""
    return _encode(_describe(_decode_companies(batch), REGISTRY))


def neighbourhood_batch(batch: bytes) -> bytes:
    """Encode the neighbourhoods of a batch of words."""
    return _encode(list(map(_neighbourhood, _decode_words(batch))))


def _describe(companies: Iterable[tuple[Company, Numbered]], registry: Mapping[str, Country]) -> _Batch:
    documents = []
    words: Counter[str] = Counter()
    lists: Counter[str] = Counter()
    for company, known in companies:
        described = describe(company, registry[company.country], known)
        fields = {
            "words": " ".join(described.words),
            "keys": described.keys,
            "identifiers": described.identifiers,
            "country": described.country,
            "tags": described.tags,
            "size": described.size,
        }
        words.update(described.words)
        lists.update(described.lists)
        documents.append(EncodedDocument(_as_json(fields).decode(), described.stored, described.country))
    return _Batch(documents, words, lists)


def _neighbourhood(word: str) -> Neighbourhood:
    return Neighbourhood(_as_json({"near": " ".join(neighbourhood(word))}).decode(), word)


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, _BATCH)):
        yield batch
