"""From companies and words to what is indexed of them: in order, on all cores.

Only the numbers of shared texts depend on the companies before; this process gives them, others do the rest. Functions
of a country do not travel between processes: the others load those of `padron.countries`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar

import msgspec

from padron.company import Company
from padron.countries import REGISTRY
from padron.country import Country
from padron.index import process_pool
from padron.index.document import Numbered, TextTable, describe, numbered
from padron.index.spelling import neighbourhood

T = TypeVar("T")

_BATCH: Final = 1_000
_FEW: Final = 10_000
"""So many are done here before another process has started."""


class Described(NamedTuple):
    """What is indexed: JSON of the fields of the index but `start`, the stored bytes, and the country."""

    document: str
    stored: bytes
    country: str


class Filed(NamedTuple):
    """A word of the names, and JSON with the terms under which its misspellings find it."""

    document: str
    word: str


_encode = msgspec.msgpack.Encoder().encode
_as_json = msgspec.json.Encoder().encode
_companies = msgspec.msgpack.Decoder(list[tuple[Company, Numbered]]).decode
_described = msgspec.msgpack.Decoder(list[Described]).decode
_words = msgspec.msgpack.Decoder(list[str]).decode
_filed = msgspec.msgpack.Decoder(list[Filed]).decode


def described(companies: Iterable[Company], registry: Mapping[str, Country], texts: TextTable) -> Generator[Described]:
    """Of each of `companies`, in their order; `texts` comes to hold the texts they share."""
    left = ((company, numbered(company, texts)) for company in companies)
    few = list(islice(left, _FEW))
    if len(few) < _FEW or any(REGISTRY.get(code) is not country for code, country in registry.items()):
        yield from (_describe(company, registry, known) for company, known in chain(few, left))
        return
    for batch in process_pool.apply(describe_batch, map(_encode, _batches(chain(few, left)))):
        yield from _described(batch)


def filed(words: Iterable[str]) -> Generator[Filed]:
    """Of each of `words`, in their order."""
    left = iter(words)
    few = list(islice(left, _FEW))
    if len(few) < _FEW:
        yield from map(_file, few)
        return
    for batch in process_pool.apply(file_batch, map(_encode, _batches(chain(few, left)))):
        yield from _filed(batch)


def describe_batch(batch: bytes) -> bytes:
    """Companies with their numbers -> `Described`, as msgpack."""
    return _encode([_describe(company, REGISTRY, known) for company, known in _companies(batch)])


def file_batch(batch: bytes) -> bytes:
    """Words -> `Filed`, as msgpack."""
    return _encode(list(map(_file, _words(batch))))


def _describe(company: Company, registry: Mapping[str, Country], known: Numbered) -> Described:
    found = describe(company, registry[company.country], known)
    document = {
        "words": " ".join(found.words),
        "keys": found.keys,
        "identifiers": found.identifiers,
        "country": found.country,
        "tags": found.tags,
        "size": found.size,
    }
    return Described(_as_json(document).decode(), found.stored, found.country)


def _file(word: str) -> Filed:
    return Filed(_as_json({"near": " ".join(neighbourhood(word))}).decode(), word)


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, _BATCH)):
        yield batch
