"""The embedded engine: tantivy, memory-mapped. The only module that imports it.

An index folder:

    companies/   tantivy index (fields words, keys, identifiers, country, tags, size), and stored bytes as `rows`
    spellings/   tantivy index (field near: `spelling.neighbourhood` of each word of the names), and the words as `rows`
    tables.msgpack

Each folder is sealed with checksums, which opening verifies. Rows stand in the order of tantivy's documents, segment by
segment: its own document store takes twenty times as long. All files are mapped, so memory stays flat.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache, partial
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple, cast
from weakref import proxy

import msgspec
import tantivy
from tantivy import DocAddress, Index, Occur, Query, Searcher

from padron import snapshot
from padron.company import Company
from padron.country import Country
from padron.errors import ReleaseError
from padron.index import spelling
from padron.index.document import Parts, Tables, TextTable
from padron.index.document_stream import described, filed
from padron.index.engine import Hit, Lookup
from padron.index.rows import Rows, RowWriter, write_starts
from padron.index.tags import Within

FORMAT: Final = 7
"""Changes whenever an index built by older code could not be read, or would answer otherwise."""

_TABLES: Final = "tables.msgpack"
_HEAP: Final = 256_000_000
_PROGRESS_EVERY: Final = 5_000
_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_CHUNK: Final = 100_000
_PRIOR_COMPANIES: Final = 20_000
_COMMON_SHARE: Final = 2e-5
_LOCKS: Final = (".tantivy-meta.lock", ".tantivy-writer.lock")

_PART_BATCH: Final = 200
"""Companies of a part that are read at a time: a millisecond, as long as a search."""

_ENOUGH: Final = 8
_MOST_SHARING: Final = 100
_RARE: Final = 2_000
_COMMON: Final = 1e-4
_MOST_WORDS: Final = 12
_MOST_WORDS_LESS_ONE: Final = 8
_ALTERNATIVES: Final = 16
_NEIGHBOURS: Final = 150
_LARGE: Final = (1_000_000, 10_000_000)
"""From these numbers of companies on a beginning needs one letter more: each word with it costs 0.35 µs."""
_REMEMBERED: Final = 1 << 13  # words of which an open index remembers how many companies have them, and what is near


def build(
    companies: Iterable[Company],
    target: Path,
    registry: Mapping[str, Country],
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write the index of `companies` into the new folder `target`; `progress` is told how many are in, now and then.

    Streaming, and indexed by one thread: the same companies in the same order give the same index, byte for byte.
    Raises `Unavailable("build-process-lost")` where a process that describes companies dies.
    """
    texts = TextTable()
    parts = Parts()
    rows = _Writer(target / "companies", _company_schema())
    with closing(rows), closing(described(companies, registry, texts)) as documents:
        for count, found in enumerate(documents, start=1):
            parts.add(found.country, rows.add(found.document, found.stored))
            if progress and count % _PROGRESS_EVERY == 0:
                progress(count)
        searcher = rows.finish()
    weights = _build_spellings(searcher, target / "spellings")
    tables = Tables(FORMAT, searcher.num_docs, texts.texts(), weights, parts.found)
    (target / _TABLES).write_bytes(msgspec.msgpack.encode(tables))
    snapshot.seal(target)
    if progress:
        progress(searcher.num_docs)


def _build_spellings(companies: Searcher, folder: Path) -> dict[str, float]:
    """Index the words of the names by neighbourhood; give the rarity of the common ones."""
    weights: dict[str, float] = {}
    sample = companies.num_docs + _PRIOR_COMPANIES

    def words() -> Iterator[str]:
        for word, count in _vocabulary(companies):
            if count > sample * _COMMON_SHARE:
                weights[word] = round(math.log(count / sample) / math.log(_COMMON_SHARE), 3)
            if spelling.can_be_misspelt(word):
                yield word

    rows = _Writer(folder, _spelling_schema())
    with closing(rows), closing(filed(words())) as documents:
        for found in documents:
            rows.add(found.document, found.word.encode())
        rows.finish()
    return weights


def _vocabulary(companies: Searcher) -> Iterator[tuple[str, int]]:
    """Every word of the names, and how many companies have it; by first two letters, so that memory stays flat."""
    for first in _LETTERS:
        if count := companies.doc_freq("words", first):
            yield first, count
        for second in _LETTERS:
            yield from sorted(companies.terms_with_prefix("words", first + second))


def _company_schema() -> tantivy.Schema:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    for name in ("keys", "identifiers", "country", "tags"):
        schema.add_text_field(name, tokenizer_name="raw", index_option="basic")
    schema.add_unsigned_field("size", fast=True)
    return schema.add_unsigned_field("start", fast=True).build()


def _spelling_schema() -> tantivy.Schema:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("near", tokenizer_name="whitespace", index_option="basic")
    return schema.add_unsigned_field("start", fast=True).build()


class _Writer:
    """Writes a tantivy index and its rows into a new folder."""

    def __init__(self, folder: Path, schema: tantivy.Schema) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._index = Index(schema, str(folder))
        self._writer = self._index.writer(_HEAP, 1)
        self._rows = RowWriter(folder)

    def add(self, document: str, row: bytes) -> int:
        """Index a document, JSON of all its fields but `start`, and keep its row; where the row begins."""
        start = self._rows.add(row)
        self._writer.add_json(f'{{"start":{start},{document[1:]}')
        return start

    def close(self) -> None:
        """No row comes any more."""
        self._rows.close()

    def finish(self) -> Searcher:
        """Commit, say where each document's row begins, and seal the folder; whoever may read it may open it."""
        self.close()
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        searcher = self._index.searcher()
        write_starts(self._folder, _starts(self._folder, searcher))
        snapshot.seal(self._folder, volatile=_LOCKS)
        for path in self._folder.iterdir():
            path.chmod(0o666 if path.name in _LOCKS else 0o644)
        return searcher


def _starts(folder: Path, searcher: Searcher) -> Iterator[list[int]]:
    """Where the rows of the documents begin, in the order of the documents."""
    for segment, size in enumerate(_segment_sizes(folder)):
        for low in range(0, size, _CHUNK):
            places = [DocAddress(segment, at) for at in range(low, min(size, low + _CHUNK))]
            yield cast("list[int]", searcher.fast_field_values("start", places))


def _segment_sizes(folder: Path) -> list[int]:
    """Documents of each segment, in the order in which searchers number them."""
    meta = msgspec.json.decode((folder / "meta.json").read_bytes())
    return [segment["max_doc"] for segment in meta["segments"]]


async def open_index(folder: Path) -> TantivyEngine:
    """Open the index in `folder`, in a thread: all its files are verified.

    Raises `ReleaseError`: `release-damaged` (with the file), `release-format`, `index-not-writable` where the lock
    file, which tantivy cannot do without, may not be written.
    """
    return await asyncio.to_thread(_open, folder)


def _open(folder: Path) -> TantivyEngine:
    snapshot.verify(folder)
    tables = msgspec.msgpack.decode((folder / _TABLES).read_bytes(), type=Tables)
    if tables.format != FORMAT:
        raise ReleaseError("release-format", file=str(folder), found=tables.format, expected=FORMAT)
    return TantivyEngine(tables, _Part(folder / "companies"), _Part(folder / "spellings"))


class _Part:
    """An opened tantivy index with its rows."""

    def __init__(self, folder: Path) -> None:
        snapshot.verify(folder)
        try:
            index = Index.open(str(folder))
        except ValueError as error:
            raise ReleaseError("index-not-writable", file=str(folder / _LOCKS[0]), reason=str(error)) from error
        self.schema = index.schema
        self.searcher = index.searcher()
        self.rows = Rows(folder)
        self._first = [0, *accumulate(_segment_sizes(folder))]

    def having(self, field: str, terms: Iterable[str]) -> list[Query]:
        """A query for each of `terms` that some document has: few are, and to ask first costs less than to search."""
        count = self.searcher.doc_freq
        known = sorted([term for term in terms if count(field, term)])
        return [Query.term_query(self.schema, field, term, "basic") for term in known]

    def starts(self, query: Query, limit: int) -> list[int]:
        """Where the rows of the documents that match best begin: unique numbers, in the order rows were written."""
        first, starts = self._first, self.rows.starts
        hits = self.searcher.search(query, limit, False).hits
        return [starts[first[at.segment_ord] + at.doc] for _, at in hits]

    def largest(self, query: Query, offset: int, limit: int) -> tuple[int, list[int]]:
        """How many documents match, and where the rows of some begin, by size, then in the order of the documents."""
        first, starts = self._first, self.rows.starts
        found = self.searcher.search(query, limit, True, "size", offset)
        count: int = found.count  # type: ignore[attr-defined]
        return count, [starts[first[at.segment_ord] + at.doc] for _, at in found.hits]


class _Group(NamedTuple):
    """A word of the query with everything it may stand for, and how many companies that brings at most."""

    query: Query
    companies: int


class TantivyEngine:
    """Candidates from an index folder, by a cascade that stops as soon as it has what it needs."""

    def __init__(self, tables: Tables, companies: _Part, spellings: _Part) -> None:
        self.tables = tables
        self._companies, self._spellings = companies, spellings
        self._shortest_prefix = 2 + sum(tables.companies > size for size in _LARGE)
        self.frequency = lru_cache(_REMEMBERED)(partial(companies.searcher.doc_freq, "words"))
        self._near = lru_cache(_REMEMBERED)(partial(TantivyEngine._look_near, proxy(self)))  # a cycle outlives a swap

    async def part(self, number: int) -> AsyncIterator[Sequence[Hit]]:
        """The companies of a part, in build order, a few hundred at a time."""
        first, *after = [start for _, start in self.tables.parts][number : number + 2]
        rows = self._companies.rows.between(first, *after)
        while batch := [Hit(start, row) for start, row in islice(rows, _PART_BATCH)]:
            yield batch

    async def by_identifier(self, country: str | None, scheme: str, key: str, within: Within = ()) -> Sequence[Hit]:
        """Companies filed under an identifier, in build order."""
        filed = self._companies.having("identifiers", [f"{scheme}:{key}"])
        return self._hits(sorted(self._starts(filed[0], country, _MOST_SHARING, within))) if filed else []

    async def among(self, country: str | None, within: Within, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """How many companies have the tags, and some of them from place `start` on: the largest first."""
        query = self._all(self._limits(country, within))
        count, starts = self._companies.largest(query, start, limit)
        return count, self._hits(starts)

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """At most `limit` plausible companies: same name, all words, all but one, misspelt words, rare words."""
        found: dict[int, None] = {}
        for query in self._cascade(lookup, found):
            found.update(dict.fromkeys(self._starts(query, lookup.country, limit, lookup.within)))
            if len(found) >= limit:
                break
        return self._hits(islice(found, limit))

    def _hits(self, starts: Iterable[int]) -> list[Hit]:
        starts = list(starts)
        return list(map(Hit, starts, self._companies.rows.at(starts)))

    def _cascade(self, lookup: Lookup, found: dict[int, None]) -> Iterator[Query]:
        """Queries from the strictest to the loosest; each is only made when those before left too little in `found`."""
        yield from self._filed_under(lookup.letters.union(*map(spelling.name_terms, lookup.readings)))
        if lookup.exact:
            return
        same_name = bool(found)
        words = spelling.rarest(lookup.readings[0], _MOST_WORDS, self.frequency)
        key = spelling.words_key(lookup.readings[0])
        named = self._companies.searcher.doc_freq("keys", key) if len(words) > 1 else 0
        if named < min(map(self.frequency, words), default=0):  # else only those of the name have its rarest word
            yield self._all([self._term("words", word) for word in words])
        if same_name or len(found) >= _ENOUGH:
            return
        if len(words) == 1:
            yield from self._filed_under([f"~{words[0]}"])
        groups = yield from self._guesses(words, lookup.loose, found)
        nothing = not found
        if 1 < len(words) <= _MOST_WORDS_LESS_ONE:
            yield from self._filed_under(spelling.less_one(words))
        if nothing:
            yield from self._relaxed(groups, found)

    def _guesses(
        self, words: list[str], loose: Collection[str], found: Collection[int]
    ) -> Generator[Query, None, Iterable[_Group]]:
        """Companies with all the words or what those may stand for (rare ones where nothing else helps), and that."""
        needed = [word for word in words if word not in loose] or words
        groups: dict[str, _Group] = {}
        for doubted in (0, int(self.tables.companies * _COMMON)):
            doubtful = [word for word in words if word not in groups or 0 < self.frequency(word) <= doubted]
            if not doubtful:
                break
            groups |= {word: self._group(word, words.index(word), words, doubted) for word in doubtful}
            if all(groups[word].companies for word in needed):
                must = [(Occur.Must, groups[word].query) for word in needed]
                may = [(Occur.Should, groups[word].query) for word in words if word not in needed]
                yield Query.boolean_query(must + may)
            if len(found) >= (_ENOUGH if len(needed) == 1 else 1):
                break
        return groups.values()

    def _filed_under(self, keys: Iterable[str]) -> Iterator[Query]:
        """Companies filed under any of `keys`; no query where there are none."""
        if filed := self._companies.having("keys", keys):
            yield self._any(filed) if len(filed) > 1 else filed[0]

    def _relaxed(self, groups: Iterable[_Group], found: dict[int, None]) -> Iterator[Query]:
        """Companies with any of the rare words, those with more of the others first; else all but the commonest."""
        groups = sorted(groups, key=lambda group: group.companies)
        rare = [group.query for group in groups if 0 < group.companies <= _RARE]
        common = [group.query for group in groups if group.companies > _RARE]
        if rare:
            yield Query.boolean_query([(Occur.Must, self._any(rare)), *((Occur.Should, query) for query in common)])
        while not rare and len(common) > 1 and not found:
            common.pop()
            yield self._all(common)

    def _group(self, word: str, at: int, words: list[str], doubted: int) -> _Group:
        """What `word` may stand for: itself, a beginning, a part or two parts of what the register writes.

        Also a word that sounds the same, or is misspelt otherwise unless more than `doubted` companies have it.
        """
        terms: dict[str, float] = {word: 1.0}
        for near, cost in self._near(word, self.frequency(word) <= doubted):
            terms.setdefault(near, 1 - 0.25 * cost)
        if at == len(words) - 1:
            terms |= dict.fromkeys(self._longer(word, words[:at]), 0.75)
        elif not self.frequency(word):
            terms |= dict.fromkeys(self._longer(word, ()), 0.5)
        joined = [one for pair in pairwise(words[max(0, at - 1) : at + 2]) for one in spelling.glued(*pair)]
        terms = dict.fromkeys(joined, 0.75) | dict.fromkeys(spelling.equivalents(word), 0.5) | terms
        known = [term for term in terms if self.frequency(term)]
        halves = spelling.halves(word, doubted, self.frequency)
        queries = [Query.boost_query(self._term("words", term), terms[term]) for term in known]
        queries += [self._all([self._term("words", left), self._term("words", right)]) for left, right, _ in halves]
        companies = sum(map(self.frequency, known)) + sum([count for *_, count in halves])
        return _Group(Query.disjunction_max_query(queries) if queries else Query.empty_query(), companies)

    def _longer(self, word: str, before: Sequence[str]) -> list[str]:
        """The commonest words that begin with `word`, among the companies that have the words `before` it."""
        if len(word) < self._shortest_prefix:
            return []
        among = self._all(self._term("words", other) for other in before) if before else None
        longer = self._companies.searcher.terms_with_prefix("words", word, among, _ALTERNATIVES)
        return [term for term, _ in longer if term != word]

    def _look_near(self, word: str, edited: bool) -> Sequence[tuple[str, float]]:
        """Words that sound like `word` or (`edited`) that it may misspell, with the edits, the likeliest first."""
        if not spelling.can_misspell(word):
            return ()
        neighbours = self._filed(spelling.neighbour_terms(word)) if edited else []
        costs: dict[str, float] = dict(spelling.misspellings(word, neighbours))
        costs |= dict.fromkeys(self._filed(spelling.sound_terms(word)), 0.5)
        costs.pop(word, None)
        likely = sorted((cost, -self.frequency(other), other) for other, cost in costs.items())
        return [(other, cost) for cost, _, other in likely[:_ALTERNATIVES]]

    def _filed(self, terms: Iterable[str]) -> list[str]:
        """Words of the register filed under any of `terms`, those under most of them first."""
        part = self._spellings
        query = self._any([Query.const_score_query(query, 1.0) for query in part.having("near", terms)])
        return list(map(bytes.decode, part.rows.at(part.starts(query, _NEIGHBOURS))))

    def _starts(self, query: Query, country: str | None, limit: int, within: Within = ()) -> list[int]:
        limits = self._limits(country, within)
        return self._companies.starts(self._all([query, *limits]) if limits else query, limit)

    def _limits(self, country: str | None, within: Within) -> list[Query]:
        """What a company must be, without weight on the order."""
        limits = [self._term("country", country)] if country else []
        limits += [self._any(self._term("tags", tag) for tag in tags) for tags in within]
        return [Query.const_score_query(query, 0.0) for query in limits]

    def _term(self, field: str, text: str) -> Query:
        return Query.term_query(self._companies.schema, field, text, "basic")

    @staticmethod
    def _any(queries: Iterable[Query]) -> Query:
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    @staticmethod
    def _all(queries: Iterable[Query]) -> Query:
        return Query.boolean_query([(Occur.Must, query) for query in queries])
