"""Copy of an official file into the bundled data: only private cells change, every other byte stays.

    python -m padron.ingest.bundle SRC DEST --country BR --source ans --published 2026-11-01
        [--leave-out-where "3=2135,4120"]

The `Layout` of the source that matches the file names the private cells. They are blanked in place; line ends, byte
order mark, encoding and quoting keep their bytes. The record of the file in PROVENANCE.json is written. The same
function, `blank_file`, checks bundled files: a clean one has no cell to blank.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from python_calamine import CalamineError, CalamineWorkbook

from padron import config
from padron.countries import REGISTRY
from padron.countries.country import Layout, Source
from padron.errors import Invalid, PadronError, SourceError, messages
from padron.ingest.files import PROVENANCE, layouts_of, mend_mojibake, patterns, possible_day
from padron.text import fold

HEADER_WITHIN = 50
"""Rows that are searched for the header: official files put titles and blank lines before it (ANS has two)."""

_KEY = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:\s*)?')
_EMPTY_JSON = {"dict": "{}", "list": "[]", "str": '""'}


class LeaveOut(NamedTuple):
    """Rows about individuals: those whose `column` (header name or 1-based position) has one of `values`."""

    column: str | int
    values: frozenset[str]


@dataclass
class Blanked:
    """The result of blanking a file.

    Attributes:
        data: Its new bytes.
        rows: Rows kept; 0 for a layout without private cells, whose rows are not read.
        cells: Private column -> cells blanked.
        left_out: Rows left out.
        layouts: Layouts that matched the file or its members.
        absent: Private columns that the file does not have.
    """

    data: bytes
    rows: int = 0
    cells: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    layouts: tuple[Layout, ...] = ()
    absent: frozenset[str] = frozenset()


class _Line(NamedTuple):
    """A record of a delimited text: its start, its end (after the line end) and the span of each cell."""

    start: int
    end: int
    cells: list[tuple[int, int]]


def blank_file(name: str, data: bytes, source: Source, leave_out: Sequence[LeaveOut] = ()) -> Blanked:
    """Return a file as it may be bundled, its bytes unchanged when it has no private cells.

    Args:
        name: Name of the file, which layouts are matched on.
        data: Its bytes.

    Raises:
        SourceError: `no-layout` when no layout of the source matches the name (or any member of a zip),
            `file-unreadable`, `private-cells-in-workbook` (a workbook cannot be blanked in place), and those of
            `blank_text` and `blank_json`.
    """
    try:
        layouts = layouts_of(source, name)
        if name.endswith(".zip"):
            done = _blank_zip(name, data, source, leave_out)
        elif not layouts:
            raise SourceError("no-layout", file=name, known=patterns(source))
        elif name.endswith(".gz"):
            done = _blank_plain(name, gzip.decompress(data), layouts, leave_out)
            done = replace(done, data=gzip.compress(done.data, mtime=0))
        else:
            done = _blank_plain(name, data, layouts, leave_out)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SourceError("file-unreadable", source=source.key, file=name, reason=str(error)) from error
    return done if done.cells or done.left_out else replace(done, data=data)


def _blank_plain(name: str, data: bytes, layouts: Sequence[Layout], leave_out: Sequence[LeaveOut]) -> Blanked:
    """Blank a file by the first of `layouts` whose header it has."""
    *others, last = layouts
    for layout in others:
        try:
            return _blank_as(layout, name, data, leave_out)
        except SourceError as error:
            if error.code != "header-not-found":
                raise
    return _blank_as(last, name, data, leave_out)


def _blank_as(layout: Layout, name: str, data: bytes, leave_out: Sequence[LeaveOut]) -> Blanked:
    return replace(_blanked(layout, name, data, leave_out), layouts=(layout,))


def _blanked(layout: Layout, name: str, data: bytes, leave_out: Sequence[LeaveOut]) -> Blanked:
    if layout.format == "csv":
        return blank_text(data, layout, name, leave_out)
    if leave_out:
        raise Invalid("no-rows-to-leave-out", parameter="leave-out-where", file=name, format=layout.format)
    return blank_json(data, layout, name) if layout.format == "json" else _check_workbook(data, layout, name)


def _blank_zip(name: str, data: bytes, source: Source, leave_out: Sequence[LeaveOut]) -> Blanked:
    """Blank the members of a zip; their order and dates stay, and members without a layout keep their bytes."""
    total, out, own = Blanked(data), io.BytesIO(), layouts_of(source, name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        for member in archive.infolist():
            content = archive.read(member)
            if layouts := own or layouts_of(source, member.filename):
                done = _blank_plain(member.filename, content, layouts, leave_out)
                content = done.data
                total.rows += done.rows
                total.cells += done.cells
                total.left_out += done.left_out
                total.layouts += done.layouts
                total.absent |= done.absent
            entry = zipfile.ZipInfo(member.filename, member.date_time)
            entry.external_attr = member.external_attr
            copy.writestr(entry, content, zipfile.ZIP_DEFLATED)
    if not total.layouts:
        raise SourceError("no-layout", file=name, known=patterns(source))
    return replace(total, data=out.getvalue())


def blank_text(data: bytes, layout: Layout, name: str, leave_out: Sequence[LeaveOut] = ()) -> Blanked:
    """Blank the private cells of a delimited text: a quoted cell becomes `""`, any other empty.

    A text whose layout has no private cells is not parsed beyond its header.

    Raises:
        SourceError: `header-not-found`, `unclosed-quote`, or `uneven-row` when a row has more or fewer cells than the
            header, because its private cells are then unknown.
        Invalid: `unknown-column`, for `leave_out`.
    """
    text, codec = _view(data, layout)
    lines: Iterator[_Line] = (line for line in _lines(text, layout, name) if text[line.start : line.end].strip())
    headers, lines = _header(text, lines, layout, name)
    private, absent = _private(headers, layout)
    drops = [(_position(drop.column, headers), drop.values) for drop in leave_out]
    done = Blanked(data, absent=absent)
    if not private and not drops:
        return done
    parts, kept = list[str](), 0
    for line in lines:
        if (cells := len(line.cells)) != len(headers):
            number = text.count("\n", 0, line.start) + 1
            raise SourceError(
                "uneven-row", file=name, layout=layout.name, line=number, cells=cells, expected=len(headers)
            )
        if any(_value(text, line.cells[place], layout) in values for place, values in drops):
            parts.append(text[kept : line.start])
            kept = line.end
            done.left_out += 1
            continue
        done.rows += 1
        for place, label in private:
            start, end = line.cells[place]
            if _value(text, (start, end), layout):
                quoted = layout.quote and text[start] == layout.quote
                parts += text[kept:start], layout.quote * 2 if quoted else ""
                kept = end
                done.cells[label] += 1
    parts.append(text[kept:])
    return replace(done, data="".join(parts).encode(codec, "surrogateescape"))


def _view(data: bytes, layout: Layout) -> tuple[str, str]:
    """Return the text of `data`, and the codec that restores exactly its bytes (with `surrogateescape`)."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} or layout.encoding == "utf-16":
        codec = "utf-16-be" if data[:2] == b"\xfe\xff" else "utf-16-le"
    elif layout.encoding is None:
        try:
            return data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            codec = "latin-1"
    else:
        codec = "latin-1" if layout.encoding == "cp1252" else "utf-8"
    return data.decode(codec, "surrogateescape"), codec


def _lines(text: str, layout: Layout, name: str) -> Iterator[_Line]:
    delimiter, quote = re.escape(layout.delimiter), re.escape(layout.quote)
    plain = rf"[^{delimiter}\r\n]*"
    quoted = rf"(?P<quoted>{quote}[^{quote}]*+(?:{quote}{quote}[^{quote}]*+)*+{quote}){plain}|" if quote else ""
    cell = re.compile(rf"\ufeff?(?P<cell>{quoted}{plain})(?P<end>{delimiter}|\r\n|\n|\r|\Z)")
    place, start, cells = 0, 0, list[tuple[int, int]]()
    while match := cell.match(text, place):
        if quote and not match["quoted"] and match["cell"].startswith(layout.quote):
            number = text.count("\n", 0, place) + 1
            raise SourceError("unclosed-quote", file=name, layout=layout.name, line=number)
        cells.append(match.span("cell"))
        place = match.end()
        if match["end"] != layout.delimiter:
            yield _Line(start, place, cells)
            start, cells = place, []
            if place == len(text):
                return


def _value(text: str, span: tuple[int, int], layout: Layout) -> str:
    """Return the content of a cell without quotes and outer blanks, with mojibake repaired."""
    value = text[slice(*span)].strip()
    if layout.quote and value.startswith(layout.quote):
        value = value.strip(layout.quote).strip()
    return mend_mojibake(value) if layout.encoding == "mac-roman-mojibake" else value


def _header(text: str, lines: Iterator[_Line], layout: Layout, name: str) -> tuple[list[str], Iterator[_Line]]:
    """Return the folded header of every column (`Column.name` where there is no header), and the lines of data."""
    if layout.header == "names":
        return _find_header(
            ([_value(text, cell, layout) for cell in line.cells] for line in lines), layout, name
        ), lines
    first = next(lines, None)
    if first is None:
        return [], lines
    names = [fold(column.name) for column in layout.columns] + [""] * len(first.cells)
    return names[: len(first.cells)], chain([first], lines)


def _find_header(rows: Iterator[list[str]], layout: Layout, name: str) -> list[str]:
    """Return the first row with all required headers, folded; `rows` then continues after it."""
    required = [{fold(header) for header in column.headers} for column in layout.columns if column.required]
    for row in islice(rows, HEADER_WITHIN):
        headers = [fold(cell) for cell in row]
        if all(spellings.intersection(headers) for spellings in required):
            return headers
    raise SourceError("header-not-found", file=name, layout=layout.name, required=sorted(set().union(*required)))


def _private(headers: Sequence[str], layout: Layout) -> tuple[list[tuple[int, str]], frozenset[str]]:
    """Return the places of private columns with their labels, and the private columns this file does not have."""
    private: dict[int, str] = {}
    absent = set()
    for column in layout.private:
        places = (
            [column - 1]
            if isinstance(column, int)
            else [place for place, header in enumerate(headers) if header == fold(column)]
        )
        private |= {place: str(column) for place in places if place < len(headers)}
        if not places or places[0] >= len(headers):
            absent.add(str(column))
    return sorted(private.items()), frozenset(absent)


def _position(column: str | int, headers: Sequence[str]) -> int:
    if isinstance(column, int) and 0 < column <= len(headers):
        return column - 1
    if isinstance(column, str) and fold(column) in headers:
        return headers.index(fold(column))
    raise Invalid("unknown-column", parameter="leave-out-where", column=column)


def blank_json(data: bytes, layout: Layout, name: str) -> Blanked:
    """Replace the value of every private key of a JSON text, at any depth, by the empty value of its type.

    Returns:
        The result; its `rows` is 1, the document.

    Raises:
        SourceError: `file-unreadable` when it is not JSON in UTF-8.
    """
    try:
        text = data.decode("utf-8")
        json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise SourceError("file-unreadable", file=name, layout=layout.name, reason=str(error)) from error
    decoder, private = json.JSONDecoder(), {str(key) for key in layout.private}
    done, present = Blanked(data, rows=1), set[str]()
    parts, kept, place = list[str](), 0, 0
    while match := _KEY.search(text, place):
        place = match.end()
        key = json.loads(match[1]) if match[2] else None
        if key not in private:
            continue
        present.add(key)
        value, end = decoder.raw_decode(text, place)
        if value or isinstance(value, int | float):
            parts += text[kept:place], _EMPTY_JSON.get(type(value).__name__, "null")
            kept = end
            done.cells[key] += 1
        place = end
    parts.append(text[kept:])
    return replace(done, data="".join(parts).encode(), absent=frozenset(private - present))


def _check_workbook(data: bytes, layout: Layout, name: str) -> Blanked:
    """Return a workbook unchanged after checking that its private columns are empty: it cannot be blanked in place."""
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheet = book.get_sheet_by_name(layout.sheet) if layout.sheet else book.get_sheet_by_index(0)
    except CalamineError as error:
        raise SourceError("file-unreadable", file=name, layout=layout.name, reason=str(error)) from error
    rows = ([str(cell) for cell in row] for row in sheet.to_python())
    private, absent = _private(_find_header(rows, layout, name), layout)
    done, full = Blanked(data, absent=absent), Counter[str]()
    for row in rows:
        done.rows += 1
        full.update(label for place, label in private if row[place].strip())
    if full:
        raise SourceError("private-cells-in-workbook", file=name, layout=layout.name, cells=dict(full))
    return done


def bundle(src: Path, dest: Path, source: Source, published: str, leave_out: Sequence[LeaveOut] = ()) -> Blanked:
    """Copy a file without its private cells, and write its provenance record.

    A `.gz` at the end of only one of the two names packs or unpacks the bytes.

    Args:
        dest: The bundled file, whose name layouts are matched on.
        published: The day on which it was published, like 2026-11-01.

    Raises:
        SourceError: As `blank_file`; `bad-date`.
    """
    if possible_day(published) is None:
        raise SourceError("bad-date", source=source.key, file=dest.name, field="published", found=published)
    try:
        data = src.read_bytes()
        if src.name.endswith(".gz") and not dest.name.endswith(".gz"):
            data = gzip.decompress(data)
        elif dest.name.endswith(".gz") and not src.name.endswith(".gz"):
            data = gzip.compress(data, mtime=0)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError("file-unreadable", file=str(src), reason=str(error)) from error
    done = blank_file(dest.name, data, source, leave_out)
    dest.parent.mkdir(parents=True, exist_ok=True)
    dest.write_bytes(done.data)
    _record(dest, source, published, done)
    return done


def _record(dest: Path, source: Source, published: str, done: Blanked) -> None:
    """Write the record of `dest` in PROVENANCE.json; entries made by hand (origin, download, earlier cuts) stay."""
    path = dest.with_name(PROVENANCE)
    new: dict[str, Any] = {"source": source.key, "files": []}
    document = json.loads(path.read_text("utf-8")) if path.exists() else new
    files = {record["file"]: record for record in document["files"]}
    by_hand = {
        "file": dest.name,
        "url": source.url,
        "publisher_page": source.url,
        "retrieved": None,
        "licence": source.licence,
        "copy": None,
        "changed": None,
    }
    files[dest.name] = {
        **by_hand,
        **files.get(dest.name, {}),
        "published": published,
        "sha256": hashlib.sha256(done.data).hexdigest(),
        "bytes": len(done.data),
        "layout": "official" if all(layout.official for layout in done.layouts) else "derived",
        "blanked": dict(sorted(done.cells.items())),
        "left_out": done.left_out,
    }
    document["files"] = [files[name] for name in sorted(files)]
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _leave_out(text: str) -> LeaveOut:
    column, equals, values = text.partition("=")
    if not equals or not column.strip() or not values.strip():
        raise Invalid("invalid-rule", parameter="leave-out-where", expected="COLUMN=VALUE,VALUE")
    column = column.strip()
    return LeaveOut(int(column) if column.isdigit() else column, frozenset(part.strip() for part in values.split(",")))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, bundle the file and print the result."""
    parser = argparse.ArgumentParser(prog="python -m padron.ingest.bundle", description=bundle.__doc__)
    parser.add_argument("src", type=Path)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--country", required=True, type=str.upper, choices=list(REGISTRY))
    parser.add_argument("--source", required=True, help="key of the source in that country")
    parser.add_argument(
        "--published", required=True, metavar="DAY", help="day on which it was published, like 2026-11-01"
    )
    parser.add_argument("--leave-out-where", action="append", default=[], metavar="COLUMN=VALUE,VALUE")
    given = parser.parse_args(arguments)
    sources = {source.key: source for source in REGISTRY[given.country].sources}
    try:
        if given.source not in sources:
            known = ", ".join(sources)
            raise Invalid("unknown-source", source=given.source, country=given.country, known=known)
        leave_out = [_leave_out(text) for text in given.leave_out_where]
        done = bundle(given.src, given.dest, sources[given.source], given.published, leave_out)
    except PadronError as error:
        parser.error(messages.detail(error, config.reader_language()))
    columns = "".join(f"\n  {column}: {count:,}" for column, count in sorted(done.cells.items()))
    absent = "".join(f"\n  no such column in this file: {column}" for column in sorted(done.absent))
    sys.stdout.write(
        f"{given.dest} ({', '.join(layout.name for layout in done.layouts)}): {done.rows:,} rows kept, "
        f"{done.left_out:,} left out, {done.cells.total():,} cells blanked{columns}{absent}\n"
    )


if __name__ == "__main__":
    main()
