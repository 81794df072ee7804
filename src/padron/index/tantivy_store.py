"""A tantivy index with its rows, in one folder: shared by the embedded engine and the vocabulary.

    meta.json, …            tantivy's own files; documents have a field `start`
    rows.bin, starts.bin    one row per document (`rows`)

Rows stand in the order of tantivy's documents, segment by segment: its own document store takes twenty times as long.
All files are mapped into memory, so private memory stays flat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Final, cast
from uuid import UUID

import msgspec
import tantivy
from tantivy import DocAddress, Index, Occur, Query, Searcher

from padron.errors import ReleaseError
from padron.index.rows import Rows, RowWriter, write_starts
from padron.releases import snapshot
from padron.storage import temporary_folder

_HEAP: Final = 256_000_000
"""Bytes that tantivy may use while indexing: more gave no speed."""
_CHUNK: Final = 100_000
_LOCKS: Final = ".tantivy-*.lock"


class StoreWriter:
    """Writer of an index and its rows into a new folder, in the order in which documents are added."""

    def __init__(self, folder: Path, schema: tantivy.SchemaBuilder) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._index = Index(schema.add_unsigned_field("start", fast=True).build(), str(folder))
        self._writer = self._index.writer(_HEAP, 1)
        self._rows = RowWriter(folder)

    def add(self, fields: str, row: bytes) -> int:
        """Index a document, a JSON object of all its fields but `start`, and write its row.

        Returns:
            The position where the row begins.
        """
        start = self._rows.add(row)
        self._writer.add_json(f'{{"start":{start},{fields[1:]}')
        return start

    def close(self) -> None:
        """Close the rows."""
        self._rows.close()

    def finish(self) -> None:
        """Commit, write where each document's row begins, and seal the folder so that any user may open it."""
        self.close()
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        write_starts(self._folder, _starts(self._folder, self._index.searcher()))
        del self._writer, self._index
        _number_segments(self._folder)
        for lock in self._folder.glob(_LOCKS):
            lock.unlink()
        snapshot.seal(self._folder)
        for path in self._folder.iterdir():
            path.chmod(0o644)


def _number_segments(folder: Path) -> None:
    """Name tantivy's segments by their order: by its random names alone, two builds would differ."""
    meta = (folder / "meta.json").read_text("utf-8")
    managed = ["meta.json"]
    for number, segment in enumerate(msgspec.json.decode(meta)["segments"], 1):
        random, numbered = UUID(segment["segment_id"]), UUID(int=number)
        meta = meta.replace(str(random), str(numbered))
        files = sorted(folder.glob(f"{random.hex}.*"))
        managed += [path.rename(path.with_stem(numbered.hex)).name for path in files]
    (folder / "meta.json").write_text(meta, "utf-8")
    (folder / ".managed.json").write_bytes(msgspec.json.encode(managed))


def _starts(folder: Path, searcher: Searcher) -> Iterator[list[int]]:
    """Positions of the rows of all documents, in the order of the documents."""
    for segment, size in enumerate(_segment_sizes(folder)):
        for low in range(0, size, _CHUNK):
            addresses = [DocAddress(segment, at) for at in range(low, min(size, low + _CHUNK))]
            yield cast("list[int]", searcher.fast_field_values("start", addresses))


def _segment_sizes(folder: Path) -> list[int]:
    """Documents of each segment, in the order in which searchers number them."""
    meta = msgspec.json.decode((folder / "meta.json").read_bytes())
    return [segment["max_doc"] for segment in meta["segments"]]


def _opened(folder: Path) -> Index:
    """Open an index whose folder may be read only.

    tantivy writes a lock file beside the files it opens: it opens links to them, in a folder that is gone once all are
    mapped into memory.
    """
    with temporary_folder() as links:
        for path in folder.absolute().iterdir():
            if not path.match(_LOCKS):
                (links / path.name).symlink_to(path)
        return Index.open(str(links))


class RowStore:
    """An opened index with its rows. Raises `ReleaseError("release-damaged")` with the file."""

    def __init__(self, folder: Path) -> None:
        snapshot.verify(folder)
        if not (folder / "meta.json").exists():  # sealed whole, by another engine
            raise ReleaseError("release-damaged", folder=str(folder), file="meta.json")
        index = _opened(folder)
        self.schema = index.schema
        self.searcher = index.searcher()
        self.rows = Rows(folder)
        self._first = [0, *accumulate(_segment_sizes(folder))]

    def any_term(self, field: str, terms: Iterable[str], limit: int) -> list[bytes]:
        """Return the rows of the documents that have any of some terms.

        Args:
            terms: The terms, known or not.

        Returns:
            The rows of the documents with most of the terms first.
        """
        count = self.searcher.doc_freq
        known = sorted([term for term in terms if count(field, term)])
        queries = [Query.term_query(self.schema, field, term, "basic") for term in known]
        constant = [(Occur.Should, Query.const_score_query(query, 1.0)) for query in queries]
        return self.rows.at(self.starts(Query.boolean_query(constant), limit)) if constant else []

    def starts(self, query: Query, limit: int) -> list[int]:
        """Return where the rows of the best matches begin: unique numbers, growing in the order of writing."""
        first, starts = self._first, self.rows.starts
        hits = self.searcher.search(query, limit, False).hits
        return [starts[first[at.segment_ord] + at.doc] for _, at in hits]

    def largest(self, query: Query, offset: int, limit: int) -> tuple[int, list[int]]:
        """List the documents that match, the largest first, then in document order.

        Returns:
            The number of documents that match, and where the rows of those listed begin.
        """
        first, starts = self._first, self.rows.starts
        most = max(1, self.searcher.num_docs)  # the search allocates memory for all that it may skip and return
        result = self.searcher.search(query, min(limit, most), True, "size", min(offset, most))
        count: int = result.count  # type: ignore[attr-defined]
        return count, [starts[first[at.segment_ord] + at.doc] for _, at in result.hits]
