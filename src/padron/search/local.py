"""The embedded engine: tantivy, memory-mapped. The only module that imports it.

An index folder:

    companies/   tantivy index (fields words, keys, identifiers, country), rows.bin, starts.bin
    spellings/   tantivy index (field near: `spelling.neighbourhood` of each word of the names), rows.bin, starts.bin
    tables.msgpack

`rows.bin` holds stored bytes end to end, each behind its length (32 bits); `starts.bin` says where the row of each tantivy
document begins (64 bits), in the order of tantivy's segments. Fetching a row so costs half a microsecond, tantivy's own document
store ten. Memory stays flat: every file is mapped, and pages are shared between workers.
"""

from __future__ import annotations

import math
import mmap
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, NamedTuple, cast

import msgspec
import tantivy
from tantivy import DocAddress, Index, Occur, Query, Searcher

from padron.country import Country
from padron.errors import ReleaseError
from padron.search.document import Tables, TextTable, describe
from padron.search.engine import Hit, Lookup
from padron.search.spelling import can_be_misspelt, misspellings, name_terms, neighbour_terms, neighbourhood, sound_term
from padron.snapshot import Company

FORMAT: Final = 1
"""Changes whenever an index built by older code could not be read, or would answer otherwise."""

_HEAP: Final = 256_000_000
_PROGRESS_EVERY: Final = 5_000
_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PRIOR_COMPANIES: Final = 20_000
_COMMON_SHARE: Final = 2e-5
_LENGTH = struct.Struct("<I")

_ENOUGH: Final = 8
_MOST_SHARING: Final = 100
_RARE: Final = 2_000
_COMMON: Final = 1e-4
_MOST_WORDS: Final = 12
_ALTERNATIVES: Final = 8
_NEIGHBOURS: Final = 64
_SHORTEST_PREFIX: Final = 3
_SHORTEST_HALF: Final = 3


def build(
    companies: Iterable[Company],
    target: Path,
    registry: Mapping[str, Country],
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write the index of `companies` into the new folder `target`; `progress` is told how many are in, now and then.

    Streaming and single-threaded: the same companies in the same order give an index that answers the same.
    """
    texts = TextTable()
    rows = _RowWriter(target / "companies", _company_schema())
    for count, company in enumerate(companies, start=1):
        found = describe(company, registry[company.country], texts)
        document = tantivy.Document()
        document.add_text("words", " ".join(sorted(found.words)))
        for key in sorted(found.keys):
            document.add_text("keys", key)
        for identifier in sorted(found.identifiers):
            document.add_text("identifiers", identifier)
        document.add_text("country", found.country)
        rows.add(document, found.stored)
        if progress and count % _PROGRESS_EVERY == 0:
            progress(count)
    searcher = rows.finish()
    weights = _build_spellings(searcher, target / "spellings")
    tables = Tables(FORMAT, searcher.num_docs, texts.texts(), weights)
    (target / "tables.msgpack").write_bytes(msgspec.msgpack.encode(tables))
    if progress:
        progress(searcher.num_docs)


def _build_spellings(companies: Searcher, folder: Path) -> dict[str, float]:
    """Index the words of the names by neighbourhood; give the rarity of the common ones."""
    rows = _RowWriter(folder, _spelling_schema())
    weights: dict[str, float] = {}
    sample = companies.num_docs + _PRIOR_COMPANIES
    for word, count in _vocabulary(companies):
        if count > sample * _COMMON_SHARE:
            weights[word] = round(math.log(count / sample) / math.log(_COMMON_SHARE), 3)
        if can_be_misspelt(word):
            document = tantivy.Document()
            document.add_text("near", " ".join(sorted(neighbourhood(word))))
            rows.add(document, word.encode())
    rows.finish()
    return weights


def _vocabulary(companies: Searcher) -> Iterator[tuple[str, int]]:
    """Every word of the names with the number of companies that have it, by first two letters so that memory stays flat."""
    for first in _LETTERS:
        if count := companies.doc_freq("words", first):
            yield first, count
        for second in _LETTERS:
            yield from sorted(companies.terms_with_prefix("words", first + second))


def _company_schema() -> tantivy.Schema:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    for name in ("keys", "identifiers", "country"):
        schema.add_text_field(name, tokenizer_name="raw", index_option="basic")
    schema.add_unsigned_field("start", fast=True)
    return schema.build()


def _spelling_schema() -> tantivy.Schema:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("near", tokenizer_name="whitespace", index_option="basic")
    schema.add_unsigned_field("start", fast=True)
    return schema.build()


class _RowWriter:
    """Writes a tantivy index and the rows beside it."""

    def __init__(self, folder: Path, schema: tantivy.Schema) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._index = Index(schema, str(folder))
        self._writer = self._index.writer(_HEAP, 1)
        self._rows = (folder / "rows.bin").open("wb")
        self._end = 0

    def add(self, document: tantivy.Document, row: bytes) -> None:
        document.add_unsigned("start", self._end)
        self._writer.add_document(document)
        self._end += self._rows.write(_LENGTH.pack(len(row))) + self._rows.write(row)

    def finish(self) -> Searcher:
        """Commit, and write down where each document's row begins."""
        self._rows.close()
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        searcher = self._index.searcher()
        with (self._folder / "starts.bin").open("wb") as file:
            for segment, size in enumerate(_segment_sizes(self._folder)):
                for low in range(0, size, 100_000):
                    places = [DocAddress(segment, at) for at in range(low, min(size, low + 100_000))]
                    array("Q", cast("list[int]", searcher.fast_field_values("start", places))).tofile(file)
        return searcher


def _segment_sizes(folder: Path) -> list[int]:
    """Documents of each segment, in the order in which searchers number them."""
    meta = msgspec.json.decode((folder / "meta.json").read_bytes())
    return [segment["max_doc"] for segment in meta["segments"]]


class Rows:
    """The rows beside an opened tantivy index, by document address."""

    def __init__(self, folder: Path, searcher: Searcher) -> None:
        self._rows = memoryview(_map(folder / "rows.bin"))
        self._starts = memoryview(_map(folder / "starts.bin")).cast("Q")
        sizes = _segment_sizes(folder)
        self._first = [0, *accumulate(sizes)]
        for segment, size in enumerate(sizes):
            (start,) = searcher.fast_field_values("start", [DocAddress(segment, size - 1)])
            if start != self._starts[self._first[segment + 1] - 1]:
                raise ReleaseError("index-damaged", file=str(folder / "starts.bin"))

    def start(self, place: DocAddress) -> int:
        """Where the row of a document begins: unique, and in the order rows were added."""
        return self._starts[self._first[place.segment_ord] + place.doc]

    def row(self, start: int) -> bytes:
        """The row that begins at `start`."""
        begin = start + 4
        return bytes(self._rows[begin : begin + _LENGTH.unpack_from(self._rows, start)[0]])


def _map(file: Path) -> mmap.mmap | bytes:
    with file.open("rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if file.stat().st_size else b""


def open_index(folder: Path) -> LocalEngine:
    """The index in `folder`; raises `ReleaseError` saying which file is absent, damaged, or of another format."""
    try:
        tables = msgspec.msgpack.decode((folder / "tables.msgpack").read_bytes(), type=Tables)
    except (OSError, msgspec.DecodeError) as error:
        raise ReleaseError("index-damaged", file=str(folder / "tables.msgpack"), reason=str(error)) from error
    if tables.format != FORMAT:
        raise ReleaseError("index-format", file=str(folder), found=tables.format, wanted=FORMAT)
    return LocalEngine(tables, _open_part(folder / "companies"), _open_part(folder / "spellings"))


class _Part(NamedTuple):
    """An opened tantivy index and the rows beside it."""

    schema: tantivy.Schema
    searcher: Searcher
    rows: Rows


def _open_part(folder: Path) -> _Part:
    try:
        index = Index.open(str(folder))
        searcher = index.searcher()
        return _Part(index.schema, searcher, Rows(folder, searcher))
    except (ValueError, OSError) as error:
        code = "index-not-writable" if "lock" in str(error).lower() else "index-damaged"
        raise ReleaseError(code, file=str(folder), reason=str(error)) from error


class _Group(NamedTuple):
    """A word of the query with everything it may stand for, and how many companies that brings at most."""

    query: Query
    companies: int


class LocalEngine:
    """Candidates from an index folder, by a cascade that stops as soon as it has what it needs."""

    def __init__(self, tables: Tables, companies: _Part, spellings: _Part) -> None:
        self.tables = tables
        self._schema, self._searcher, self._rows = companies
        self._spellings = spellings

    def close(self) -> None:
        """Nothing to do: the maps go when the last search that uses them ends."""

    def frequency(self, word: str) -> int:
        """How many companies have `word` in a name."""
        return self._searcher.doc_freq("words", word)

    def by_identifier(self, country: str | None, scheme: str, key: str) -> Sequence[Hit]:
        """Companies filed under an identifier, in build order."""
        query = self._term("identifiers", f"{scheme}:{key}")
        starts = sorted(self._starts(query, country, _MOST_SHARING))
        return [Hit(start, self._rows.row(start)) for start in starts]

    def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """At most `limit` plausible companies: same name, all words, misspelt or unfinished words, then the rare words."""
        found: dict[int, None] = {}
        for query in self._cascade(lookup, found):
            found.update(dict.fromkeys(self._starts(query, lookup.country, limit)))
            if len(found) >= limit:
                break
        return [Hit(start, self._rows.row(start)) for start in islice(found, limit)]

    def _cascade(self, lookup: Lookup, found: dict[int, None]) -> Iterator[Query]:
        """Queries from the strictest to the loosest; each is only made when those before left too little in `found`.

        Misspellings of a word that no company has are looked for first, those of rare words only where nothing else helps.
        """
        yield self._any(self._term("keys", key) for words in lookup.readings for key in sorted(name_terms(words)))
        same_name = bool(found)
        words = self._rarest(lookup.readings[0])
        needed = [word for word in words if word not in lookup.loose] or words
        yield self._all(self._term("words", word) for word in needed)
        if same_name or len(found) >= (_ENOUGH if len(needed) == 1 else 1):
            return
        if len(words) == 1:
            yield self._term("keys", f"~{words[0]}")
        for doubted in (0, int(self.tables.companies * _COMMON)):
            groups = [self._group(word, at, words, doubted) for at, word in enumerate(words)]
            yield self._all(group.query for word, group in zip(words, groups, strict=True) if word in needed)
            if len(found) >= (_ENOUGH if len(needed) == 1 else 1):
                return
        if not found:
            yield from self._relaxed(groups, found)

    def _relaxed(self, groups: list[_Group], found: dict[int, None]) -> Iterator[Query]:
        """Companies with any of the rare words, those with more of the others first; else all but the commonest words."""
        groups = sorted(groups, key=lambda group: group.companies)
        rare = [group.query for group in groups if 0 < group.companies <= _RARE]
        common = [group.query for group in groups if group.companies > _RARE]
        if rare:
            yield Query.boolean_query([(Occur.Must, self._any(rare)), *((Occur.Should, query) for query in common)])
            return
        while len(common) > 1 and not found:
            common.pop()
            yield self._all(common)

    def _rarest(self, words: Sequence[str]) -> list[str]:
        """`words` in order, each once, the commonest left out when they are too many."""
        words = list(dict.fromkeys(words))
        if len(words) > _MOST_WORDS:
            kept = sorted(words, key=self.frequency)[:_MOST_WORDS]
            words = [word for word in words if word in kept]
        return words

    def _group(self, word: str, at: int, words: list[str], doubted: int) -> _Group:
        """What `word` may stand for: itself, a beginning, a part or two parts of what the register writes.

        Also a misspelling, unless more than `doubted` companies have it.
        """
        terms: dict[str, float] = {word: 1.0}
        if self.frequency(word) <= doubted:
            for near, cost in self._near(word):
                terms.setdefault(near, 1 - 0.25 * cost)
        if at == len(words) - 1 and len(word) >= _SHORTEST_PREFIX:
            for longer, _ in self._searcher.terms_with_prefix("words", word, limit=_ALTERNATIVES):
                terms.setdefault(longer, 0.75)
        if at:
            terms.setdefault(words[at - 1] + word, 0.75)
        if at + 1 < len(words):
            terms.setdefault(word + words[at + 1], 0.75)
        queries = []
        count = 0
        for term, weight in terms.items():
            if frequency := self.frequency(term):
                count += frequency
                queries.append(Query.boost_query(self._term("words", term), weight))
        for left, right, frequency in self._halves(word):
            count += frequency
            queries.append(self._all((self._term("words", left), self._term("words", right))))
        return _Group(Query.disjunction_max_query(queries) if queries else Query.empty_query(), count)

    def _near(self, word: str) -> list[tuple[str, float]]:
        """Words of the register that `word` may be a misspelling of, with the edits between them, the likeliest first."""
        if not can_be_misspelt(word):
            return []
        sounding = self._filed((sound_term(word),))
        edited = misspellings(word, self._filed(neighbour_terms(word)))
        costs = {**dict(edited), **dict.fromkeys(sounding, 0.5)}
        costs.pop(word, None)
        likely = sorted((cost, -self.frequency(other), other) for other, cost in costs.items())
        return [(other, cost) for cost, _, other in likely[:_ALTERNATIVES]]

    def _filed(self, terms: Iterable[str]) -> list[str]:
        """Words of the register filed under any of `terms`, those under most of them first."""
        schema, searcher, rows = self._spellings
        query = self._any(
            Query.const_score_query(Query.term_query(schema, "near", term, "basic"), 1.0) for term in sorted(terms)
        )
        return [rows.row(rows.start(place)).decode() for _, place in searcher.search(query, _NEIGHBOURS, False).hits]

    def _halves(self, word: str) -> list[tuple[str, str, int]]:
        """The likeliest ways to part a word that no register has in two that one has, with the companies these bring at most."""
        if len(word) < 2 * _SHORTEST_HALF or self.frequency(word):
            return []
        halves = []
        for at in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1):
            count = min(self.frequency(word[:at]), self.frequency(word[at:]))
            if count:
                halves.append((word[:at], word[at:], count))
        return sorted(halves, key=lambda half: -half[2])[:2]

    def _starts(self, query: Query, country: str | None, limit: int) -> list[int]:
        if country:
            inside = Query.const_score_query(self._term("country", country), 0.0)
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, inside)])
        start = self._rows.start
        return [start(place) for _, place in self._searcher.search(query, limit, False).hits]

    def _term(self, field: str, text: str) -> Query:
        return Query.term_query(self._schema, field, text, "basic")

    @staticmethod
    def _any(queries: Iterable[Query]) -> Query:
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    @staticmethod
    def _all(queries: Iterable[Query]) -> Query:
        return Query.boolean_query([(Occur.Must, query) for query in queries])
