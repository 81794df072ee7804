"""Reading of official files (zip, gz, csv, xlsx, json) into raw DuckDB tables, one per layout, every cell text.

DuckDB reads only UTF-8 CSV here: each member is unpacked, decoded, cleaned of NUL bytes and written to a temporary file
as a stream, so memory stays flat. Only the columns that a layout declares reach a table. A record that cannot be parsed
is a counted reject with its place and reason; its content is not kept, because it may be private.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, count, islice, repeat
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, NamedTuple, TextIO

import duckdb

from padron.countries.country import Layout, Source, SourceColumn
from padron.errors import SourceError
from padron.ingest import workbook
from padron.ingest.files import (
    DAMAGED,
    FilePart,
    SourceFile,
    detect_encoding,
    members,
    open_member,
    opened,
    utf8_blocks,
)
from padron.ingest.workbook import as_text, cell_text
from padron.text import fold

csv.field_size_limit(sys.maxsize)

_HEADER_SEARCH = 40
"""Lines at the top of a file that are searched for the header: titles and blank lines come before it."""
_TRIMMED = (
    r"nullif(CASE WHEN regexp_matches({cell}, '^[\s\x{{a0}}]|[\s\x{{a0}}]$') "
    "THEN trim({cell}, ' \t\r\n\u00a0') ELSE {cell} END, '')"
)
"""A cell without surrounding blanks, NULL where it is blank. Most cells have none, and `trim` is slow."""
_LONGEST_LINE = 64 << 20
"""Maximum bytes of a line: DuckDB counts longer ones as rejects up to about 250 MB, and drops even longer ones."""
_LONGEST_DOCUMENT = 128 << 20
"""Maximum bytes of a JSON document: parsed, it may take 26 times its size (`{},{},…`). Bundled ones have 4 MB."""
_LONGEST_CELL = 10_000
"""Maximum bytes of a cell that is read. The longest of the official files has 2,154, the former names of a filer; the
memory that indexing a word takes grows with the square of its length, to 20 GB at 200,000."""
_LONGEST = 1 << 24
"""Maximum bytes of a record. By default DuckDB reads in blocks of 16 records of this size: 256 MiB for each file."""
FILE_BITS = 32
"""`_row` is the file's number shifted by this many bits, plus the record's number in the file from 1."""


_DAMAGED = DAMAGED.encode()
_DELIMITERS = {",": ",", ";": ";", "|": "|", "\t": "TAB"}
"""Delimiter -> how it is shown."""


Head = Callable[[Layout], Iterable[tuple[list[str], int]]]
"""Function from a layout to the first records of a member, each with the number of lines read so far."""


class Reject(NamedTuple):
    """A record that could not be read.

    `line` counts from 1 in the unpacked member, of a JSON document in the documents of the file; None where the row
    could be read and is refused.
    """

    source: str
    row_id: int
    reason: str
    line: int | None


def table_name(source: Source, layout: Layout) -> str:
    """Return the name of the raw table of a layout: source key and layout name, hyphens as underscores."""
    return f"{source.key}_{layout.name}".replace("-", "_")


def create_tables(db: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Create the empty raw tables of a source: the columns of its layouts, `_row` BIGINT and `_date` DATE."""
    for layout in source.layouts:
        columns = ", ".join(f'"{column.name}" VARCHAR' for column in layout.columns if column.name)
        db.execute(f'CREATE TABLE "{table_name(source, layout)}" ({columns}, _row BIGINT, _date DATE)')


def read_file(
    db: duckdb.DuckDBPyConnection, file: SourceFile, number: int, scratch: Path, *, sampled: bool = False
) -> list[Reject]:
    """Append every record of a file to its raw tables.

    Args:
        number: Its number in this build, the high bits of `_row`.
        sampled: The file is a sample by which a source is judged, so that one document that cannot be read tells.

    Returns:
        The records that could not be parsed.

    Raises:
        SourceError: `missing-column`, `other-delimiter`, `page-instead-of-table`, `truncated-archive`, `bad-encoding`,
            `line-too-long`, `bad-json`, `json-too-long`, `bad-workbook`, `workbook-too-large`, `archive-too-large`,
            `empty-file`.
    """
    rejects: list[Reject] = []
    offset = number << FILE_BITS
    for layout, parts in _by_json_layout(members(file)):
        if layout is not None:
            rows, bad = _read_documents(db, file, layout, parts, offset, scratch, sampled=sampled)
        else:
            rows, bad = _read_table(db, file, parts[0], offset, scratch)
        offset += rows
        rejects += bad
    return rejects


def _by_json_layout(parts: Sequence[FilePart]) -> Iterator[tuple[Layout | None, list[FilePart]]]:
    """Group the members: those of a JSON layout together (a zip may hold a million), tables one by one (None)."""
    documents: dict[str, tuple[Layout, list[FilePart]]] = {}
    for part in parts:
        if part.layouts[0].format == "json":
            documents.setdefault(part.layouts[0].name, (part.layouts[0], []))[1].append(part)
        else:
            yield None, [part]
    yield from documents.values()


def _read_documents(
    db: duckdb.DuckDBPyConnection,
    file: SourceFile,
    layout: Layout,
    parts: list[FilePart],
    offset: int,
    scratch: Path,
    *,
    sampled: bool,
) -> tuple[int, list[Reject]]:
    """Append the rows of JSON members; return their number and the documents that could not be read, each one reject.

    Raises `SourceError` for the first of them where none could be read: the publisher changed the format. A loose
    document of one company cannot show that.
    """
    assert layout.read_document is not None, layout.name
    path = scratch / f"{offset}.csv"
    faults: list[tuple[int, str]] = []
    first: SourceError | None = None
    with opened(file) as archive, path.open("w", encoding="utf-8", newline="") as out:
        archived = archive is not None
        writer = csv.writer(out, lineterminator="\n")
        for place, part in enumerate(parts, start=1):
            with open_member(file, part.name, archive) as stream:
                content = stream.read(_LONGEST_DOCUMENT + 1)
            try:
                writer.writerows(_rows_of_document(file, layout, part, content))
            except SourceError as error:
                first = first or error
                faults.append((place, _reason(error)))
    if first and len(faults) == len(parts) and (archived or sampled or not layout.one_company):
        raise first
    places = {column.name: place for place, column in enumerate(layout.columns)}
    rows, unread, refused = _load(db, file, layout, path, len(layout.columns), places, offset, ",", '"')
    assert not unread, "a table written here can be read here"
    return rows + len(faults), [*refused, *_numbered(file, offset + rows, faults)]


def _rows_of_document(file: SourceFile, layout: Layout, part: FilePart, content: bytes) -> list[list[str | None]]:
    """Return the rows of a JSON document, all text. Raises `SourceError`: `json-too-long`, `bad-json`."""
    assert layout.read_document is not None, layout.name
    place = {"source": file.source.key, "file": file.path.name, "member": part.name}
    if len(content) > _LONGEST_DOCUMENT:
        raise SourceError("json-too-long", **place, megabytes=_LONGEST_DOCUMENT >> 20)
    try:
        document = json.loads(content)
        return [[as_text(value) for value in row] for row in layout.read_document(document)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError("bad-json", **place, reason=str(error)) from error


def _reason(error: SourceError) -> str:
    """Return the reason of a reject: `missing-facts` for a document without the member `facts`."""
    return f"missing-{error.__cause__.args[0]}" if isinstance(error.__cause__, KeyError) else error.code


def _numbered(file: SourceFile, before: int, faults: Sequence[tuple[int, str]]) -> list[Reject]:
    """Return the rejects of records that were not loaded: they are numbered after those that were."""
    return [
        Reject(file.source.key, before + place, reason, line) for place, (line, reason) in enumerate(faults, start=1)
    ]


def _read_table(
    db: duckdb.DuckDBPyConnection, file: SourceFile, part: FilePart, offset: int, scratch: Path
) -> tuple[int, list[Reject]]:
    """Append the records of a delimited or spreadsheet member; return their number and the rejects."""
    path = scratch / f"{offset}.csv"
    if part.layouts[0].format == "xlsx":
        with open_member(file, part.name) as stream, path.open("w", encoding="utf-8", newline="") as out:
            layout, width, places = _copy_workbook(file, part, stream, out, scratch)
        delimiter, quote, above = ",", '"', 0
        open_quotes: list[int] = []
        damaged: list[int] = []
    else:
        with open_member(file, part.name) as stream, path.open("wb") as raw:
            layout, width, places, above, open_quotes, damaged = _copy_text(file, part, stream, raw)
        delimiter, quote = layout.delimiter, layout.quote
    loaded, bad, refused = _load(db, file, layout, path, width, places, offset, delimiter, quote, damaged=bool(damaged))
    garbled = sum(reject.reason == "bad-encoding" for reject in refused)
    if garbled > file.source.expect.rejectable(loaded):
        read = [column.name for column in layout.columns if column.name]
        outside_ascii = " OR ".join(f'strlen("{name}") > length("{name}")' for name in read)
        intact = db.execute(
            f"""SELECT count(*) FROM "{table_name(file.source, layout)}"
                WHERE _row > ? AND _row <= ? AND ({outside_ascii})""",
            [offset, offset + loaded],
        ).fetchall()[0][0]
        if garbled > intact:
            raise _bad_encoding(file, part, "utf-8", damaged[0])
    faults = sorted(bad + [(line, "unclosed-quote") for line in open_quotes])
    rejects = _numbered(file, offset + loaded, [(above + line, reason) for line, reason in faults])
    return loaded + len(rejects), [*refused, *rejects]


def _bad_encoding(file: SourceFile, part: FilePart, encoding: str, line: int) -> SourceError:
    """Return the error of a file that is not in its encoding; `line` is the first that is not."""
    shown = "UTF-16" if encoding == "utf-16" else "UTF-8"
    return SourceError("bad-encoding", source=file.source.key, file=_name(file, part), encoding=shown, line=line)


def _name(file: SourceFile, part: FilePart) -> str:
    """Return the name of a file, with that of its member where it is another."""
    return file.path.name if part.name == file.path.name else f"{file.path.name} ({part.name})"


def _copy_text(
    file: SourceFile, part: FilePart, stream: IO[bytes], out: IO[bytes]
) -> tuple[Layout, int, dict[str, int], int, list[int], list[int]]:
    """Decode a delimited member after its header into `out`.

    Returns layout, width, places of columns, header lines, the lines below these that leave a quote open, and the lines
    of the member with bytes that are not in its encoding.
    """
    first = part.layouts[0]
    with open_member(file, part.name) as probe:
        encoding = detect_encoding(probe, first.encoding)
    damaged: list[int] = []
    blocks = _noting_damage(file, part, encoding, utf8_blocks(stream, encoding), damaged)
    lines = next(blocks).splitlines(keepends=True)
    head = [line.decode() for line in lines[:_HEADER_SEARCH]]
    try:
        layout, skip, width, places = _choose(file, part, partial(_records, head))
    except SourceError as error:
        if damaged and damaged[0] <= len(head):
            raise _bad_encoding(file, part, encoding, damaged[0]) from error
        raise
    open_quotes: list[int] = []
    rows = _whole_lines(file, part, chain([b"".join(lines[skip:])], blocks))
    out.writelines(_without_open_quotes(rows, layout, width, open_quotes) if layout.quote else rows)
    if layout.quote:
        # DuckDB silently drops a last record with an open quote. This line closes the quote, so that the record
        # is a counted reject; after a complete file it is itself such a dropped record.
        out.write(f"{layout.quote}\n".encode())
    return layout, width, places, skip, open_quotes, damaged


def _noting_damage(
    file: SourceFile, part: FilePart, encoding: str, blocks: Iterable[bytes], damaged: list[int]
) -> Iterator[bytes]:
    """Yield the blocks of a text; the numbers of lines with bytes that are not in its encoding are appended.

    In UTF-16, where a lost byte makes other characters of all that follow, the first one is `bad-encoding`.
    """
    done = 0
    try:
        for block in blocks:
            if _DAMAGED in block:
                damaged += [done + place for place, line in enumerate(block.split(b"\n"), start=1) if _DAMAGED in line]
                if encoding == "utf-16":
                    raise _bad_encoding(file, part, encoding, damaged[0])
            done += block.count(b"\n")
            yield block
    except UnicodeError as error:  # UTF-16 that does not begin with its mark
        raise _bad_encoding(file, part, encoding, done + 1) from error


def _whole_lines(file: SourceFile, part: FilePart, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the text in blocks that end with a line. Raises `SourceError("line-too-long")`."""
    begun = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if end:
            yield begun + block[:end]
            begun = b""
        begun += block[end:]
        if len(begun) > _LONGEST_LINE:
            raise SourceError("line-too-long", source=file.source.key, file=file.path.name, member=part.name)
    if begun:
        yield begun + b"\n"


def _without_open_quotes(
    blocks: Iterable[bytes], layout: Layout, width: int, open_quotes: list[int]
) -> Iterator[bytes]:
    """Yield blocks of whole lines, with a blank line for each that leaves a quote open; their numbers are appended.

    A quoted field may go on in further lines, as Receita Federal's do. It was left open where a further line has all
    delimiters of a row, or where it does not close within the longest record: those lines are rows of their own.
    """
    quote, delimiter = layout.quote.encode(), layout.delimiter.encode()
    opening, left_open = delimiter + quote, _left_open(quote, delimiter)
    done, held, size = 0, list[bytes](), 0

    def close() -> list[bytes]:
        stray = [left_open.match(line) is not None for line in held]
        open_quotes.extend(done + place for place, is_stray in enumerate(stray, start=1) if is_stray)
        return [b"" if is_stray else line for line, is_stray in zip(held, stray, strict=True)]

    for block in blocks:
        lines = block.split(b"\n")[:-1]
        # True of few lines, and of all that leave a quote open: to match each with the pattern takes much longer.
        suspect = [line.count(quote) % 2 == 1 or line.rfind(quote) == line.rfind(opening) + 1 for line in lines]
        if not held and True not in suspect:
            done += len(lines)
            yield block
            continue
        for line, suspected in zip(lines, suspect, strict=True):
            size += len(line)
            whole: list[bytes] = []
            if held and (line.count(delimiter) >= width - 1 or size > _LONGEST):
                whole, held = close(), []
                done += len(whole)
            goes_on = bool(held) and line.count(quote) % 2 == 0
            if goes_on or (not held and suspected and left_open.match(line)):
                size = size if held else len(line)
                held.append(line)
            else:
                whole += [*held, line]
                done += len(held) + 1
                held = []
            if whole:
                yield b"\n".join(whole) + b"\n"
    yield b"".join(line + b"\n" for line in close())


def _left_open(quote: bytes, delimiter: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a line that ends inside a quoted field. A quote in a field before it may not be doubled."""
    pattern = rb"(?:(?:Q(?:[^Q]|QQ|Q(?!D))*+Q(?=D)|[^QD][^D]*+)?D)*+Q(?:[^Q]|QQ)*+$"
    return re.compile(pattern.replace(b"Q", re.escape(quote)).replace(b"D", re.escape(delimiter)))


def _records(lines: Sequence[str], layout: Layout) -> Iterator[tuple[list[str], int]]:
    """Yield the records in the first lines of a text, each with the number of lines read so far."""
    reader = csv.reader(
        lines,
        delimiter=layout.delimiter,
        quotechar=layout.quote or None,
        quoting=csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE,
        strict=layout.header == "names",
    )
    try:
        for record in reader:
            yield record, reader.line_num
    except csv.Error:
        # A header with an open quote would swallow the rows below it.
        yield [], reader.line_num


def _choose(file: SourceFile, part: FilePart, head: Head) -> tuple[Layout, int, int, dict[str, int]]:
    """Return the layout of a member, the number of lines before the data, the width, and the places of columns.

    Raises `SourceError`: `empty-file`, `page-instead-of-table`, `other-delimiter`, `missing-column`.
    """
    missing: list[str] = []
    for layout in part.layouts:
        records = list(head(layout))
        if not records:
            raise SourceError("empty-file", source=file.source.key, file=part.name)
        columns, absent = _fit(layout, records)
        if columns:
            return layout, *columns
        if absent and (not missing or (layout.header == "names" and len(absent) < len(missing))):
            missing = absent
    place = {"source": file.source.key, "file": _name(file, part)}
    cells = (cell.strip() for record, _ in head(part.layouts[0]) for cell in record)
    if next(filter(None, cells), "").startswith("<"):
        raise SourceError("page-instead-of-table", **place)
    for layout in part.layouts:
        for delimiter, shown in _DELIMITERS.items():
            other = dataclasses.replace(layout, delimiter=delimiter)
            if delimiter != layout.delimiter and _fit(other, list(head(other)))[0]:
                expected = _DELIMITERS.get(layout.delimiter, layout.delimiter)
                raise SourceError("other-delimiter", **place, found=shown, expected=expected)
    required = missing or [column.headers[0] for column in part.layouts[0].columns if column.required]
    raise SourceError(
        "missing-column",
        source=file.source.key,
        file=file.path.name,
        member=part.name,
        column=", ".join(required),
    )


def _fit(
    layout: Layout, records: Sequence[tuple[list[str], int]]
) -> tuple[tuple[int, int, dict[str, int]] | None, list[str]]:
    """Return the number of lines before the data, the width and the places of columns by the first records.

    None where they have not the columns of the layout, and then those that the most similar record lacks.
    """
    if layout.header == "none":
        width = len(layout.columns)
        if any(len(record) == width for record, _ in records):
            return (0, width, {column.name: place for place, column in enumerate(layout.columns) if column.name}), []
        return None, [f"{width} columns"]
    missing: list[str] = []
    for record, end in records:
        places, absent = _places(layout.columns, record)
        if not absent:
            return (end, len(record), places), []
        if places and (not missing or len(absent) < len(missing)):
            missing = absent
    return None, missing


def _places(columns: Iterable[SourceColumn], record: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """Return the place of each column in a header (the first of equal ones), and the required columns it lacks."""
    header: dict[str, int] = {}
    for place, cell in enumerate(record):
        header.setdefault(fold(cell.replace("_", " ")), place)
    places: dict[str, int] = {}
    absent: list[str] = []
    for column in columns:
        spots = [header[key] for spelling in column.headers if (key := fold(spelling.replace("_", " "))) in header]
        if spots:
            places[column.name] = spots[0]
        elif column.required:
            absent.append(column.headers[0])
    return places, absent


def _copy_workbook(
    file: SourceFile, part: FilePart, stream: IO[bytes], out: TextIO, scratch: Path
) -> tuple[Layout, int, dict[str, int]]:
    """Write the rows of a sheet after its header to `out` as CSV, without blank rows at its end."""
    with NamedTemporaryFile(dir=scratch, suffix=".xlsx") as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        rows = workbook.rows(Path(copy.name), part.layouts[0].sheet, file.source.key, file.path.name)
        with closing(rows):
            next(rows, None)  # the name of the sheet
            texts = (list(map(cell_text, row)) for row in rows)
            top = list(islice(texts, _HEADER_SEARCH))
            layout, skip, width, places = _choose(file, part, lambda _layout: zip(top, count(1)))
            writer = csv.writer(out, lineterminator="\n")
            blank = 0
            for row in chain(top[skip:], texts):
                blank += 1
                if any(row):
                    writer.writerows(repeat([""] * len(row), blank - 1))
                    writer.writerow(row)
                    blank = 0
    return layout, width, places


def _load(
    db: duckdb.DuckDBPyConnection,
    file: SourceFile,
    layout: Layout,
    path: Path,
    width: int,
    places: dict[str, int],
    offset: int,
    delimiter: str,
    quote: str,
    *,
    damaged: bool = False,
) -> tuple[int, list[tuple[int, str]], list[Reject]]:
    """Append the records of a temporary UTF-8 table, where `damaged` with marks of bytes that are not in its encoding.

    Returns their number, line and reason of each that could not be read, and those removed for what a cell holds.
    """
    table = table_name(file.source, layout)
    cells = ", ".join(
        _TRIMMED.format(cell=f"c{places[column.name]}") if column.name in places else "NULL"
        for column in layout.columns
        if column.name
    )
    columns = "{" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width)) + "}"
    loaded = db.execute(
        f"""INSERT INTO "{table}" SELECT {cells}, $offset::BIGINT + row_number() OVER (), $published::DATE
            FROM read_csv($path, auto_detect = false, columns = {columns}, header = false, delim = $delimiter,
            quote = $quote, escape = $quote, encoding = 'utf-8', null_padding = false, store_rejects = true,
            rejects_limit = 0, max_line_size = {_LONGEST}, buffer_size = {2 * _LONGEST}, new_line = '\\n',
            parallel = false)""",
        {"path": str(path), "delimiter": delimiter, "quote": quote, "published": file.published, "offset": offset},
    ).fetchall()[0][0]
    bad = db.execute(
        "SELECT line, min(error_type), min(csv_line) FROM reject_errors GROUP BY line ORDER BY line"
    ).fetchall()
    db.execute("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")
    path.unlink()
    faults: list[tuple[int, str]] = []
    mended: list[list[str]] = []
    for line, reason, record in bad:
        if values := _quoted_cells(record, width, delimiter, quote):
            mended.append(values)
        else:
            faults.append((line, str(reason).lower().replace(" ", "-")))
    if mended:
        given = ", ".join(f"unnest(${place + 3}::VARCHAR[]) AS c{place}" for place in range(width))
        db.execute(
            f"""INSERT INTO "{table}" SELECT {cells}, $1::BIGINT + row_number() OVER (), $2::DATE
                FROM (SELECT {given})""",
            [offset + loaded, file.published, *map(list, zip(*mended, strict=True))],
        )
    loaded += len(mended)
    read = [column for column in layout.columns if column.name]
    tests = {
        "cell-too-long": [f'strlen("{column.name}") > {_LONGEST_CELL}' for column in read],
        "bad-encoding": [f"contains(\"{column.name}\", '{DAMAGED}')" for column in read if damaged],
        "bad-identifier": [
            f"NOT regexp_full_match(\"{column.name}\", '{column.pattern}')" for column in read if column.pattern
        ],
    }
    reasons = " ".join(f"WHEN {' OR '.join(cells)} THEN '{reason}'" for reason, cells in tests.items() if cells)
    removed = db.execute(
        f"""DELETE FROM "{table}" WHERE _row > $offset AND _row <= $offset + $loaded
            AND ({" OR ".join(chain(*tests.values()))})
            RETURNING _row, CASE {reasons} END""",
        {"offset": offset, "loaded": loaded},
    ).fetchall()
    return loaded, faults, [Reject(file.source.key, row, reason, None) for row, reason in sorted(removed)]


def _quoted_cells(record: str, width: int, delimiter: str, quote: str) -> list[str] | None:
    """Return the cells of a record of which every cell is quoted, although one holds a quote that is not doubled.

    Receita Federal's `"2";"BAR "DO ZE" LTDA";"y"`. None where the cells are not as many as the layout has.
    """
    if not quote or len(record) < 2 or record[0] != quote or record[-1] != quote:
        return None
    cells = record[1:-1].split(f"{quote}{delimiter}{quote}")
    return [cell.replace(quote * 2, quote) for cell in cells] if len(cells) == width else None
