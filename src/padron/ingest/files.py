"""Access to official files: folders, gzip, zip members, encodings. Every fault is a `SourceError` naming the file."""

from __future__ import annotations

import codecs
import errno
import gzip
import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any, NamedTuple

from padron.countries.country import Layout, Source
from padron.countries.origin import File
from padron.errors import SourceError

PROVENANCE = "PROVENANCE.json"
_BLOCK = 1 << 20
_FIRST_DAY = date(1990, 1, 1)
"""No publisher has put out a file before: an earlier date is a slip of the hand."""
_PACKED = 100
"""Maximum ratio of unpacked to packed size, beyond the first 100 MB; archives of the publishers have 3 to 20."""


class SourceFile(NamedTuple):
    """One file of a source with its date, and the layouts its name may have.

    `published` is the date its publisher states, or the day it was retrieved where that states none.
    """

    source: Source
    path: Path
    published: date
    layouts: tuple[Layout, ...]


class FilePart(NamedTuple):
    """A readable part of a file: the file itself, one member of a zip, or the sheet that its one layout names."""

    name: str
    layouts: tuple[Layout, ...]


def source_files(source: Source, folder: Path) -> list[SourceFile]:
    """Return the files of `source` in `folder`, by name, each checked against its provenance record.

    Raises `SourceError`: `provenance-missing`, `checksum-mismatch`, `file-missing`, `unknown-file` (no layout fits),
    `bad-date`.
    """
    if not folder.is_dir():
        return []
    records = provenance(source.key, folder)
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and not _is_hidden(path.name)]
    present = {path.name: path for path in paths if path.name != PROVENANCE}
    if absent := sorted(records.keys() - present.keys()) or _absent_parts(source, present.keys()):
        raise SourceError("file-missing", source=source.key, file=absent[0], page=source.url)
    return [_source_file(source, path, records.get(name)) for name, path in present.items()]


def _absent_parts(source: Source, present: Iterable[str]) -> list[str]:
    """Return the parts of a source that are there neither packed nor unpacked, where others of them are.

    A zip named like one unpacked part is a sample: the publisher packs them under the names of `Source.parts`.
    """
    names = set(present)
    loose = [_stem(name) for name in names if not name.endswith(".zip")]
    pairs = list(zip(source.parts, source.unpacked or source.parts, strict=True)) if source.parts else []
    absent = [pair for pair in pairs if pair[0] not in names and not any(fnmatchcase(name, pair[1]) for name in loose)]
    if len(absent) == len(pairs):
        return []
    is_unpacked = names.isdisjoint(source.parts)
    return [unpacked if is_unpacked else packed for packed, unpacked in absent]


def _is_hidden(name: str) -> bool:
    """Return whether a file or zip member is one that a desktop leaves beside those of people (`.DS_Store`, `._x`)."""
    return name.rsplit("/", 1)[-1].startswith(".")


def provenance(source: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Read the provenance records of a folder, by file name. Raises `SourceError("provenance-missing")`."""
    path = folder / PROVENANCE
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["files"]
        return {record["file"]: record for record in records}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError("provenance-missing", source=source, file=str(path)) from error


def _source_file(source: Source, path: Path, record: dict[str, Any] | None) -> SourceFile:
    """`path` with its date and layouts; its bytes must be those the provenance record was written for."""
    if record is None:
        raise SourceError("provenance-missing", source=source.key, file=path.name)
    if path.stat().st_size == 0:
        raise SourceError("empty-file", source=source.key, file=path.name)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != record.get("sha256"):
            raise SourceError("checksum-mismatch", source=source.key, file=path.name)
    layouts = layouts_of(source, path.name)
    if not layouts and path.suffix != ".zip":
        raise unknown_file(source, path.name)
    return SourceFile(source, path, _published(source, path, record), layouts)


def _published(source: Source, path: Path, record: dict[str, Any]) -> date:
    """Return the date of a file: published, else retrieved, else its own. Raises `SourceError("bad-date")`."""
    field = "published" if record.get("published") else "retrieved"
    if not (stated := record.get(field)):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    if day := possible_day(stated):
        return day
    raise SourceError("bad-date", source=source.key, file=path.name, field=field, found=stated)


def possible_day(text: Any) -> date | None:
    """Return the day that a text like 2026-11-01 states, None where no publisher can have put out a file on it."""
    try:
        day = date.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return day if _FIRST_DAY <= day <= datetime.now(UTC).date() + timedelta(days=1) else None


def layouts_of(source: Source, name: str) -> tuple[Layout, ...]:
    """Return the layouts that match the name of a file or zip member, for a `.gz` also that of the file inside."""
    names = {base := name.rsplit("/", 1)[-1], base.removesuffix(".gz")}
    return tuple(layout for layout in source.layouts if any(fnmatchcase(name, layout.match) for name in names))


def unknown_file(source: Source, name: str) -> SourceError:
    """Return the error of a file that no layout fits, which lists the patterns of names of the source."""
    return SourceError("unknown-file", source=source.key, file=name, known=patterns(source))


def patterns(source: Source) -> list[str]:
    """Return the patterns of the names of a source's files and members, each once."""
    return list(dict.fromkeys(layout.match for layout in source.layouts))


def check_proportion(source: Source, path: Path, archive: zipfile.ZipFile) -> None:
    """Check the unpacked size of a zip, by the sizes that its members state.

    Args:
        archive: The same, opened.

    Raises:
        SourceError: `archive-too-large`.
    """
    _check_size(source, path, sum(info.file_size for info in archive.infolist()))


def _check_size(source: Source, path: Path, size: int) -> None:
    packed = path.stat().st_size
    if size > _PACKED * packed + (_PACKED << 20):
        raise SourceError("archive-too-large", source=source.key, file=path.name, times=size // packed)


def _check_gzip(file: SourceFile) -> None:
    """Check the unpacked size of a gzip by unpacking it: the size it states is modulo 4 GiB."""
    with _zip_faults(file, file.path.name), gzip.open(file.path) as stream:
        while stream.read(_BLOCK):
            _check_size(file.source, file.path, stream.tell())


def members(file: SourceFile) -> list[FilePart]:
    """Return the parts of a file to read: members of a zip, sheets that layouts of a workbook name, or the file itself.

    Zip members without a layout (readme files, other tables) are skipped, and older members of a layout of which only
    the newest counts.
    """
    if file.path.suffix == ".gz":
        _check_gzip(file)
    if file.path.suffix != ".zip":
        sheets = [FilePart(file.path.name, (layout,)) for layout in file.layouts if layout.sheet]
        return sheets or [FilePart(file.path.name, file.layouts)]
    with _zip_faults(file, file.path.name), zipfile.ZipFile(file.path) as archive:
        names = [info.filename for info in archive.infolist() if not info.filename.endswith("/")]
        check_proportion(file.source, file.path, archive)
    parts = [
        FilePart(name, layouts)
        for name in names
        if not _is_hidden(name) and (layouts := file.layouts or layouts_of(file.source, name))
    ]
    if not parts:
        raise unknown_file(file.source, file.path.name)
    newest = {
        layout.name: max(member.name for member in parts if layout in member.layouts)
        for layout in file.source.layouts
        if layout.newest and any(layout in member.layouts for member in parts)
    }
    return [member for member in parts if member.name == newest.get(member.layouts[0].name, member.name)]


def check_issue(files: Sequence[SourceFile], issue: str) -> None:
    """Check that the zips of a source belong to one issue, and that no two of them hold the same part.

    Args:
        issue: The pattern of the date in the names of members (`Share.issue`); members without one may be of any.

    Raises:
        SourceError: `parts-mixed`, `part-twice`.
    """
    parts: dict[str, SourceFile] = {}
    issues: dict[str, SourceFile] = {}
    for file in files:
        for part in members(file) if file.path.suffix == ".zip" else ():
            twin = parts.setdefault(part.name, file)
            if twin is not file:
                twins = {"file": twin.path.name, "other": file.path.name}
                raise SourceError("part-twice", source=file.source.key, member=part.name, **twins)
            if match := re.search(issue, part.name):
                issues.setdefault("".join(match.groups()), file)
    if len(issues) > 1:
        names = ", ".join(f"{file.path.name} (D{day})" for day, file in sorted(issues.items()))
        raise SourceError("parts-mixed", source=files[0].source.key, files=names)


def check_declared(
    country: str, files: Sequence[SourceFile], declared: Sequence[File], before: Mapping[str, str]
) -> None:
    """Check that no file is gone of those that a source comes in by its origin, such as one a province.

    Names are compared without endings: a file may be unpacked. A file may be gone where another of its group has come,
    and as many files as have come that the origin does not name, such as the members of a zip or a dated edition.

    Args:
        declared: The files that its origin declares (`declared_files`).
        before: Files of the source in the last release, each with its date.

    Raises:
        SourceError: `file-lost`.
    """
    groups = {_stem(file.name): file.group or _stem(file.name) for file in declared}
    if not files or len(set(groups.values())) < 2:
        return
    source, now = files[0].source, {_stem(file.path.name) for file in files}
    come = now - {_stem(name) for name in before}
    came_groups = {groups[stem] for stem in come & groups.keys()}
    lost = {
        name: day
        for name, day in before.items()
        if (stem := _stem(name)) in groups.keys() - now and groups[stem] not in came_groups
    }
    if len(lost) > len(come - groups.keys()):
        names = ", ".join(sorted(lost))
        raise SourceError("file-lost", source=source.key, country=country, date=max(lost.values()), files=names)


def _stem(name: str) -> str:
    return re.sub(r"(\.(csv|txt|zip|gz))+$", "", name)


@contextmanager
def opened(file: SourceFile) -> Iterator[zipfile.ZipFile | None]:
    """Open a zip for all of its members, None for another file.

    Its directory is then read once, not for every member: that of the SEC's filers has a million.
    """
    if file.path.suffix != ".zip":
        yield None
        return
    with _zip_faults(file, file.path.name):
        archive = zipfile.ZipFile(file.path)
    with archive:
        yield archive


@contextmanager
def open_member(file: SourceFile, member: str, archive: zipfile.ZipFile | None = None) -> Iterator[IO[bytes]]:
    """Open a member as a stream of unpacked bytes.

    Args:
        archive: The file where it is `opened`.

    Raises:
        SourceError: `truncated-archive`.
    """
    with _zip_faults(file, member):
        if archive is not None:
            with archive.open(member) as stream:
                yield stream
        elif file.path.suffix == ".zip":
            with zipfile.ZipFile(file.path) as alone, alone.open(member) as stream:
                yield stream
        elif file.path.suffix == ".gz":
            with gzip.open(file.path) as stream:
                yield stream  # type: ignore[misc]
        else:
            with file.path.open("rb") as stream:
                yield stream


@contextmanager
def _zip_faults(file: SourceFile, member: str) -> Iterator[None]:
    """Turn the errors of a truncated or damaged archive into `SourceError("truncated-archive")`.

    A damaged directory of members shows as a negative offset (EINVAL), an unknown compression or an encrypted member
    (RuntimeError), or a name in no encoding.
    """
    try:
        yield
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error, RuntimeError, UnicodeDecodeError) as error:
        raise SourceError("truncated-archive", source=file.source.key, file=file.path.name, member=member) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise SourceError("truncated-archive", source=file.source.key, file=file.path.name, member=member) from error


DAMAGED = "\ufdd0"
"""Stands for bytes that are not of the encoding of their file: Unicode reserves it for use inside a program."""
codecs.register_error("padron-damaged", lambda error: (DAMAGED, error.end))  # type: ignore[attr-defined]


def detect_encoding(stream: IO[bytes], declared: str | None = None) -> str:
    """Return `utf-16` for its mark, `utf-8-sig` if most characters outside ASCII are UTF-8, else `cp1252`.

    A `declared` encoding holds, but for cp1252 where the first block outside ASCII contradicts it: publishers change
    encodings without notice (ANS did), and UTF-8 read as windows-1252 gives garbled text, no error. One damaged byte
    makes no file windows-1252, in which hardly any text is valid UTF-8.
    """
    block = stream.read(_BLOCK) + stream.readline(_BLOCK)
    if block[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if declared not in {None, "cp1252"}:
        return str(declared)
    intact = damaged = 0
    while block and not (declared and intact + damaged):
        if not block.isascii():
            text = block.decode("utf-8", "ignore")
            intact += len(text) - len(text.encode("ascii", "ignore"))
            damaged += len(block) - len(text.encode())
        block = stream.read(_BLOCK) + stream.readline(_BLOCK)
    return "cp1252" if damaged and damaged >= intact else "utf-8-sig"


_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


def mend_mojibake(text: str) -> str:
    """Repair UTF-8 that was decoded as Mac Roman; other text stays.

    >>> mend_mojibake("Miner√≠a, tamaño")
    'Minería, tamaño'
    """

    def mend(run: re.Match[str]) -> str:
        try:
            return run[0].encode("mac_roman").decode("utf-8")
        except UnicodeError:
            return run[0]

    return _NON_ASCII.sub(mend, text)


_C1 = re.compile(rb"\xc2[\x80-\x9f]")
"""UTF-8 of the characters that Latin-1 has for 0x80 to 0x9F, where windows-1252 has letters and signs."""
_CP1252 = {
    f"{chr(byte)}".encode(): bytes([byte]).decode("cp1252", "ignore").encode() or chr(byte).encode()
    for byte in range(0x80, 0xA0)
}
"""The same characters -> those of windows-1252. Five undefined bytes stay (0x8F occurs in Receita Federal's files)."""


def utf8_blocks(stream: IO[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the text of `stream` in UTF-8, in blocks of whole characters, without NUL and byte order mark.

    Every line end becomes a line feed: DuckDB rejects a file that mixes them. `DAMAGED` stands for what is not in the
    encoding.
    """
    # Python decodes Latin-1 fastest; the few characters in which windows-1252 differs are replaced afterwards.
    name = {"cp1252": "latin-1", "utf-16": "utf-16"}.get(encoding, "utf-8-sig")
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(name)("padron-damaged"), translate=True)
    if encoding == "mac-roman-mojibake":  # small files: read whole, so that no letter is cut in two
        yield mend_mojibake(decoder.decode(stream.read(), final=True).replace("\0", "")).encode()
        return
    block = b"-"
    while block:
        block = stream.read(_BLOCK)
        data = decoder.decode(block, final=not block).encode().replace(b"\0", b"")
        yield _C1.sub(lambda sign: _CP1252[sign[0]], data) if encoding == "cp1252" else data
