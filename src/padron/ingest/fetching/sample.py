"""The smallest real part of a file at a publisher, as a file of its own that the readers of its source can read.

Of a table the first lines, of a zip the starts of some members, of a workbook the first rows. Nothing else is received.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from padron.countries.country import Source
from padron.countries.origin import File
from padron.errors import SourceError
from padron.ingest.fetching.remote import PartTooLargeError, RemoteFile
from padron.ingest.files import layouts_of

_LARGEST_DOCUMENT = 4 << 20
_DOCUMENTS = 3
"""Documents that are taken of an archive of them."""
_LOCAL_HEADER = b"PK\x03\x04"
_LOCAL_SIZE = 30
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_SHARED = "xl/sharedStrings.xml"
_SHARED_CELL = re.compile(rb"<c\b[^>]*\bt=\"s\"[^>]*>\s*<v>(\d+)</v>\s*</c>")


def take_sample(remote: RemoteFile, source: Source, file: File, folder: Path, size: int) -> Path | None:
    """Write the first records of a file.

    Args:
        size: Bytes to take of each table.

    Returns:
        The sample, under the name of the file; None where the publisher ignores ranges and its first bytes hold no
        table.

    Raises:
        SourceError: `truncated-archive`, `members-changed`, and those of requests.
    """
    path = folder / file.name
    ending = Path(file.name).suffix
    if ending == ".xlsx":
        if not remote.anywhere:
            return None
        with _opened(remote, source, file) as archive:
            _cut_workbook(archive, path, size)
    elif ending == ".zip":
        members = list(_members(remote, source, file, size))
        if not members:
            return None
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, content in members:
                out.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    else:
        document = any(layout.format == "json" for layout in layouts_of(source, file.name))
        path.write_bytes(remote.beginning(_LARGEST_DOCUMENT) if document else _lines(remote.beginning(size), size))
    return path


def _lines(content: bytes, size: int) -> bytes:
    """Return the whole lines of the first bytes of a table; a table that ends before `size` is whole."""
    return content if len(content) < size else content[: content.rfind(b"\n") + 1]


def _opened(remote: RemoteFile, source: Source, file: File) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(remote)
    except (zipfile.BadZipFile, UnicodeDecodeError, OSError) as error:
        raise SourceError("truncated-archive", source=source.key, file=file.name, member=file.name) from error


def _members(remote: RemoteFile, source: Source, file: File, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield the starts of a member of each layout; where the directory cannot be read, of the first ones."""
    with _directory(remote, source, file) as archive:
        if archive is not None:
            for name in _chosen(source, file, archive.namelist()):
                content = _start(archive, source, file, name, size)
                if len(content) < _LARGEST_DOCUMENT:
                    yield name, content
            return
    leading = dict(_leading(remote.beginning(_LARGEST_DOCUMENT), size))
    if leading:
        yield from ((name, leading[name]) for name in _chosen(source, file, list(leading)))


@contextmanager
def _directory(remote: RemoteFile, source: Source, file: File) -> Iterator[zipfile.ZipFile | None]:
    """Open a zip by its directory; None where that cannot be read, or is too large to look at."""
    archive = None
    if remote.anywhere:
        with suppress(PartTooLargeError):
            archive = _opened(remote, source, file)
    try:
        yield archive
    finally:
        if archive is not None:
            archive.close()


def _chosen(source: Source, file: File, names: Sequence[str]) -> list[str]:
    """Return a member of each layout, of documents some; the last by name where only the newest is read."""
    chosen: list[str] = []
    for layout in source.layouts:
        fitting = [name for name in names if layout in layouts_of(source, name)]
        if layout.format == "json":
            fitting = fitting[:: max(1, len(fitting) // _DOCUMENTS)][:_DOCUMENTS]
        else:
            fitting = [max(fitting)] if fitting and layout.newest else fitting[:1]
        chosen += (name for name in fitting if name not in chosen)
    if not chosen and source.layouts:
        raise SourceError(
            "members-changed",
            source=source.key,
            file=file.name,
            expected=", ".join(layout.match for layout in source.layouts if layout.official),
            members=", ".join(names[:5]),
        )
    return chosen


def _start(archive: zipfile.ZipFile, source: Source, file: File, name: str, size: int) -> bytes:
    """Return the start of a member: whole lines of a table, a document whole."""
    document = layouts_of(source, name)[0].format == "json"
    try:
        with archive.open(name) as stream:
            return stream.read(_LARGEST_DOCUMENT) if document else _lines(stream.read(size), size)
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise SourceError("truncated-archive", source=source.key, file=file.name, member=name) from error


def _leading(start: bytes, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield the members in the first bytes of a zip: each has a header of its own before it (APPNOTE 4.3.7)."""
    place = 0
    while start[place : place + 4] == _LOCAL_HEADER:
        header = start[place : place + _LOCAL_SIZE]
        deflated = header[8:10] == b"\x08\x00"
        name_size, extra_size = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
        name = start[place + _LOCAL_SIZE :][:name_size].decode("utf-8", "replace")
        content_at = place + _LOCAL_SIZE + name_size + extra_size
        if not deflated:
            return
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        content = inflate.decompress(start[content_at:], _LARGEST_DOCUMENT)
        if inflate.eof:
            yield name, content
            place = start.find(_LOCAL_HEADER, len(start) - len(inflate.unused_data))
            continue
        if content:
            yield name, _lines(content, min(size, len(content)))
        return


def _cut_workbook(archive: zipfile.ZipFile, path: Path, size: int) -> None:
    """Write the first rows of each sheet, and the texts that they share."""
    texts = b""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        if _SHARED in archive.namelist():
            texts = _cut(archive, _SHARED, size, b"</si>", b"</sst>")
            out.writestr(_SHARED, texts)
        count = texts.count(b"</si>")

        def kept(cell: re.Match[bytes]) -> bytes:
            return cell[0] if int(cell[1]) < count else b""

        for info in archive.infolist():
            if _SHEET.fullmatch(info.filename):
                rows = _cut(archive, info.filename, size, b"</row>", b"</sheetData></worksheet>")
                out.writestr(info.filename, _SHARED_CELL.sub(kept, rows))
            elif info.filename != _SHARED and info.file_size <= size:
                with archive.open(info) as stream:
                    out.writestr(info.filename, stream.read())


def _cut(archive: zipfile.ZipFile, name: str, size: int, last: bytes, closing: bytes) -> bytes:
    """Return the start of an XML member, up to the last whole element, closed."""
    with archive.open(name) as stream:
        content = stream.read(size)
    return content if len(content) < size else content[: content.rfind(last) + len(last)] + closing
