"""Checks of a downloaded file before it replaces the current one.

Publishers send error pages with status 200, truncated archives, and changed columns without notice. A file that cannot
be read with one of the layouts of its source never becomes the official file.
"""

from __future__ import annotations

import codecs
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import duckdb

from padron.countries.country import Source
from padron.errors import SourceError
from padron.ingest.files import SourceFile, check_proportion, members, open_member, opened, unknown_file
from padron.ingest.read import create_tables, read_file
from padron.storage import temporary_folder

_SHRINK = 0.8
_SAMPLE = 1 << 18
_DOCUMENTS = 24
"""Documents of an archive that are read, spread over all of it: the first ones are the oldest filers."""
_WHOLE_DOCUMENT = 64 << 20
_PAGE = (b"<!doctype html", b"<html", b"<head")
_ARCHIVES = frozenset([".zip", ".xlsx"])
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check(source: Source, path: Path, held: Mapping[str, Any] | None) -> None:
    """Check that a file can be one of the source's. A source without layouts is only checked as a file.

    Args:
        held: Provenance record of the current file, None if there is none.

    Raises:
        SourceError: `html-instead-of-data`, `truncated-archive`, `file-shrank` (below 80 % of the current file), and
            those of `read_file` for the first records: `missing-column`, `bad-json`, `unknown-file`, …
    """
    with path.open("rb") as file:
        start = file.read(_SAMPLE)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE):
        raise SourceError("html-instead-of-data", source=source.key, file=path.name)
    if path.suffix in _ARCHIVES:
        _check_archive(source, path)
    size = path.stat().st_size
    if held and size < held["bytes"] * _SHRINK:
        raise SourceError("file-shrank", source=source.key, file=path.name, before=held["bytes"], now=size)
    if source.layouts:
        _check_layout(source, path)


def _check_archive(source: Source, path: Path) -> None:
    """Verify the checksums inside an archive: publishers give no others."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_proportion(source, path, archive)
            damaged = archive.testzip()
    except (zipfile.BadZipFile, EOFError, zlib.error, OSError, RuntimeError, UnicodeDecodeError) as error:
        raise SourceError("truncated-archive", source=source.key, file=path.name, member=path.name) from error
    if damaged:
        raise SourceError("truncated-archive", source=source.key, file=path.name, member=damaged)


def _check_layout(source: Source, path: Path) -> None:
    """Read the first records of the file, or of each member of an archive, with the layouts of the source."""
    layouts = tuple(layout for layout in source.layouts if fnmatchcase(path.name, layout.match))
    file = SourceFile(source, path, date.min, layouts)
    if not file.layouts and path.suffix != ".zip":
        raise unknown_file(source, path.name)
    refused: list[SourceError] = []
    documents = 0
    with temporary_folder() as folder, duckdb.connect() as db:
        create_tables(db, source)
        for number, sample in enumerate(_samples(file, folder), start=1):
            document = sample.layouts[0].format == "json"
            documents += document
            try:
                read_file(db, sample, number, folder, sampled=True)
            except SourceError as error:
                if not document:
                    raise
                refused.append(error)
    # A document that cannot be read is a reject of the build; most of them mean that the publisher changed the format.
    if len(refused) * 2 > documents:
        raise refused[0]


def _samples(file: SourceFile, folder: Path) -> Iterator[SourceFile]:
    """Yield the beginnings of the tables in a file and some whole documents, under names that match their layouts."""
    parts = members(file)
    documents = [part for part in parts if part.layouts[0].format != "csv"]
    spread = {documents[len(documents) * place // _DOCUMENTS].name for place in range(_DOCUMENTS if documents else 0)}
    sampled = [part for part in parts if part.layouts[0].format == "csv" or part.name in spread]
    with opened(file) as archive:
        for number, part in enumerate(sampled):
            whole = part.layouts[0].format != "csv"
            limit = _WHOLE_DOCUMENT if whole else _SAMPLE
            with open_member(file, part.name, archive) as stream:
                content = stream.read(limit + 1)
            if len(content) > limit:
                if whole:
                    continue
                # Cut at the last line end; in UTF-16 at a whole character.
                content = content[: limit if content[:2] in _UTF16 else content.rfind(b"\n", 0, limit) + 1]
            sample = folder / str(number) / part.name.rsplit("/", 1)[-1]
            sample.parent.mkdir()
            sample.write_bytes(content)
            yield file._replace(path=sample, layouts=part.layouts)
