"""What a downloaded file must be before it replaces the one that is held.

Publishers answer errors as pages with status 200, cut archives, and change columns without a word: whatever cannot be
read as one of the source's layouts never becomes the official file.
"""

from __future__ import annotations

import codecs
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from padron.country import Source
from padron.errors import SourceError
from padron.ingest.files import SourceFile, check_proportion, members, open_member
from padron.ingest.read import create_tables, read_file

_SHRINK = 0.8
_SAMPLE = 1 << 18
_DOCUMENTS = 3
_WHOLE_DOCUMENT = 64 << 20
_PAGE = (b"<!doctype html", b"<html", b"<head")
_ARCHIVES = frozenset([".zip", ".xlsx"])
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check(source: Source, path: Path, held: Mapping[str, Any] | None) -> None:
    """Raise `SourceError` unless the file at `path` can be the source's.

    `html-instead-of-data`, `truncated-archive`, `file-shrank` (below 80 % of the one that is `held`), and what
    `read_file` raises for its first records: `missing-column`, `bad-json`, `unknown-file`, … A source without layouts
    is only checked as a file.
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
    """Read every member through: publishers give no checksums, the archive's own are all there is."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_proportion(source, path, archive)
            damaged = archive.testzip()
    except (zipfile.BadZipFile, EOFError, zlib.error, OSError, RuntimeError, UnicodeDecodeError) as error:
        raise SourceError("truncated-archive", source=source.key, file=path.name, member=path.name) from error
    if damaged:
        raise SourceError("truncated-archive", source=source.key, file=path.name, member=damaged)


def _check_layout(source: Source, path: Path) -> None:
    """Read the first records of the file, of each member of an archive, by the source's layouts."""
    layouts = tuple(layout for layout in source.layouts if fnmatchcase(path.name, layout.match))
    file = SourceFile(source, path, date.min, layouts)
    if not file.layouts and path.suffix != ".zip":
        raise SourceError("unknown-file", source=source.key, file=path.name)
    with TemporaryDirectory(prefix="padron-check-") as folder, duckdb.connect() as db:
        create_tables(db, source)
        for number, sample in enumerate(_samples(file, Path(folder)), start=1):
            read_file(db, sample, number, Path(folder))


def _samples(file: SourceFile, folder: Path) -> Iterator[SourceFile]:
    """Beginnings of the file's tables, and some of its documents whole, under names that their layouts know."""
    documents = 0
    for number, member in enumerate(members(file)):
        whole = any(layout.format != "csv" for layout in member.layouts)
        documents += whole
        if documents > _DOCUMENTS:
            continue
        limit = _WHOLE_DOCUMENT if whole else _SAMPLE
        with open_member(file, member.name) as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            if whole:
                continue
            # Up to the last line end; in UTF-16 up to a whole character.
            content = content[: limit if content[:2] in _UTF16 else content.rfind(b"\n", 0, limit) + 1]
        sample = folder / str(number) / member.name.rsplit("/", 1)[-1]
        sample.parent.mkdir()
        sample.write_bytes(content)
        yield file._replace(path=sample, layouts=member.layouts)
