"""The index of a release: the index of an engine, the vocabulary, and the tables of what companies share.

    companies/      the engine's folder
    vocabulary/     `vocabulary`
    lists/          `listing`
    tables.msgpack  `document.Tables`

Sealed with checksums, which opening verifies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from padron import threads
from padron.companies.company import Company
from padron.countries.country import Country
from padron.errors import ReleaseError
from padron.index import listing, vocabulary
from padron.index.counting import KeyCounter
from padron.index.document import Parts, Tables, TextTable
from padron.index.document_stream import encoded_documents
from padron.index.engine import Engine, EngineKind
from padron.index.listing import Lists
from padron.index.tantivy_engine import EMBEDDED
from padron.index.vocabulary import Vocabulary
from padron.releases import snapshot

FORMAT: Final = 16
"""Changes whenever an index built by older code could not be read, or would answer otherwise."""

COMPANIES: Final = "companies"
"""The folder of the engine."""
_TABLES: Final = "tables.msgpack"
_PROGRESS_EVERY: Final = 5_000


class ReleaseIndex(NamedTuple):
    """An opened index."""

    engine: Engine
    vocabulary: Vocabulary
    tables: Tables
    lists: Lists


def build(
    companies: Iterable[Company],
    folder: Path,
    registry: Mapping[str, Country],
    engine: EngineKind = EMBEDDED,
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write the index of `companies`, as a stream, into a new folder.

    Args:
        companies: The companies, in build order.
        engine: The engine that holds the companies.
        progress: Called with the number of companies indexed so far, now and then.

    Raises:
        Unavailable: `build-process-lost`, a process that describes companies died.
    """
    folder.mkdir(parents=True)
    texts, parts, words, lists = TextTable(), Parts(), KeyCounter(folder, "words"), KeyCounter(folder, "lists")
    builder = engine.builder(folder / COMPANIES)
    count = 0
    with (
        closing(builder),
        closing(words),
        closing(lists),
        closing(encoded_documents(companies, registry, texts, words, lists)) as documents,
    ):
        for count, document in enumerate(documents, start=1):
            parts.add(document.country, builder.add(document))
            if progress and count % _PROGRESS_EVERY == 0:
                progress(count)
        builder.finish()
        weights = vocabulary.build(words, folder / "vocabulary")
        listing.build(lists, folder / "lists")
    tables = Tables(FORMAT, count, texts.texts(), weights, parts.runs)
    (folder / _TABLES).write_bytes(msgspec.msgpack.encode(tables))
    snapshot.seal(folder)
    if progress:
        progress(count)


async def open_index(folder: Path, engine: EngineKind = EMBEDDED) -> ReleaseIndex:
    """Open the index in `folder`; files are read in a thread.

    Raises `ReleaseError`: `release-damaged` (with the file), `release-format`, and what the engine raises.
    """
    tables, words, lists = await threads.FILES.call(_open, folder)
    return ReleaseIndex(await engine.open(folder / COMPANIES), words, tables, lists)


def _open(folder: Path) -> tuple[Tables, Vocabulary, Lists]:
    snapshot.verify(folder)
    tables = msgspec.msgpack.decode((folder / _TABLES).read_bytes(), type=Tables)
    if tables.format != FORMAT:
        raise ReleaseError("release-format", file=str(folder), found=tables.format, expected=FORMAT)
    return tables, Vocabulary(folder / "vocabulary"), Lists(folder / "lists")
