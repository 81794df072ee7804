"""File formats of lists: CSV, workbooks, Parquet and NDJSON, by the ending of the name.

A list is first copied to a file of one shape, a JSON array of cells per row, so that a pipe can be read twice and a
fault is reported with its row before the work begins. Memory does not grow with the list, except that a workbook is
read by `padron.ingest.workbook`. An output of the format of the list has its form too, and the types of its cells.
"""

from __future__ import annotations

import codecs
import csv
import errno
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import date, datetime
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import duckdb
import msgspec
import xlsxwriter

from padron.errors import Invalid, SourceError
from padron.ingest.files import DAMAGED, detect_encoding, utf8_blocks
from padron.ingest.workbook import Cell, as_cell, cell_text
from padron.ingest.workbook import rows as workbook_rows
from padron.list_files import workbooks
from padron.lists import faults
from padron.lists.added_columns import texts
from padron.lists.columns import FIRST_LINES, csv_rows, delimiter_of, stated_delimiter
from padron.words import bilingual

_WORKBOOKS: Final = ("xlsx", "xls", "xlsb", "ods")
_TEXTS: Final = ("csv", "tsv", "txt")
_OBJECTS: Final = ("ndjson", "jsonl")
WRITTEN: Final = (*_TEXTS, "xlsx", "parquet", *_OBJECTS)
"""Endings of the names of files that are written."""
READ: Final = (*_TEXTS, *_WORKBOOKS, "parquet", *_OBJECTS)
"""Endings of the names of files that are read."""
SHEETS: Final = frozenset({*_TEXTS, *_WORKBOOKS})
"""Formats in which rows may stand above the header."""

_FETCHED: Final = 10_000
_MEMBERS: Final = 1_000
"""Members that the objects of a list have, at most, all together."""
_XLSX_ROWS: Final = 1_048_576
"""Rows of a sheet of a workbook, at most."""
_XLSX_CELL: Final = 32_767
"""Characters of a cell of a workbook, at most."""
_HEAD: Final = 1 << 16
"""Bytes of a text in which the end of its lines is looked for."""
_LINE_ENDS: Final = (b"\r\n", b"\r\0\n")
"""The end of lines with a carriage return, in UTF-16 too."""
_LARGE: Final = 10**11
"""Numbers from which on a workbook shows powers of ten, unless it is told to show whole numbers."""
_FIRST_YEAR: Final = 1900
_SHEET_NAME: Final = re.compile(r"(?!')[^\[\]:*?/\\]{1,31}(?<!')")
"""A name that a sheet of a workbook in XLSX may have."""
_PLACE: Final = "padron_row"
"""The column of places in a file that becomes a Parquet file without it."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(list[Cell]).decode


class Form(NamedTuple):
    """The form of a list.

    Of a text the delimiter, whether its first line states it, the encoding with its mark, and the end of its lines; of
    a workbook the name of the sheet.
    """

    delimiter: str = ","
    is_stated: bool = False
    encoding: str = "utf-8"
    sheet: str | None = None
    line_end: str = "\n"


class Copied(NamedTuple):
    """A list that was copied: its rows, header included, the blank ones above them, and its form."""

    rows: int
    above: int
    form: Form


class Output(NamedTuple):
    """The rows of an output.

    Attributes:
        above: The rows above the header.
        header: The headers of the columns of the list.
        added: Those of the columns that are added.
        numbers: Those of the added columns that hold numbers.
        rows: The place of each row among the rows below the header of the list, its cells, and the added ones.
    """

    above: Sequence[Sequence[Cell]]
    header: Sequence[str]
    added: Sequence[str]
    numbers: frozenset[str]
    rows: Iterable[tuple[int, Sequence[Cell], Sequence[str | float | None]]]


def format_of(path: Path, stated: str | None, known: Sequence[str]) -> str:
    """Return the format of a file: the stated one, or the ending of its name. Raises `Invalid("unknown-format")`."""
    ending = stated or path.suffix.removeprefix(".").lower()
    if ending not in known:
        raise Invalid("unknown-format", file=path.name, known=", ".join(known))
    return ending


def copy(source: Path | None, ending: str, target: Path, delimiter: str | None, sheet: str | None = None) -> Copied:
    """Copy a list to a file that `read_copy` reads, without the blank rows at its beginning and its end.

    Args:
        source: The list; None is standard input.
        delimiter: The delimiter of CSV, None to recognise it.
        sheet: The sheet of a workbook, None to recognise it.

    Raises:
        Invalid: `list-missing`, `path-is-folder`, `list-empty`; `bad-list`, with the row and what is wrong there;
            `damaged-list`, a workbook or a Parquet file that is not whole; `sheet-missing`.
    """
    raw = source
    if raw is None:
        raw = target.with_suffix(".raw")
        with raw.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    elif not raw.is_file():
        raise Invalid("path-is-folder" if raw.is_dir() else "list-missing", file=raw)
    count, above, width, end = 0, 0, 0, None
    forms: list[Form] = []
    with target.open("wb") as file:
        for row in _rows(raw, ending, delimiter, sheet, forms):
            shown = list(map(cell_text, row))
            if sum(map(len, shown)) > faults.LONGEST_CELL:
                reason = bilingual("it has more than {most} characters", most=faults.LONGEST_CELL)
                raise Invalid("bad-list", row=above + count + 1, reason=reason)
            if any(map(str.strip, shown)):
                end = None
            elif not width:
                above += 1
                continue
            else:
                end = end or (count, file.tell())
            width = width or len(row)
            file.write(_encode([*row, *[None] * (width - len(row))]) + b"\n")
            count += 1
        if end:
            count, size = end
            file.truncate(size)
    if raw != source:
        raw.unlink()
    if not count:
        raise Invalid("list-empty")
    return Copied(count, above, forms[0] if forms else Form())


def _rows(path: Path, ending: str, delimiter: str | None, sheet: str | None, forms: list[Form]) -> Iterator[list[Cell]]:
    """Yield the rows of a list, once its form is in `forms`. Raises as `copy`."""
    count = 0
    try:
        for row in _read(path, ending, delimiter, sheet, forms):
            count += 1
            yield row
    except Invalid:
        raise
    except duckdb.Error as error:
        raise Invalid("damaged-list", file=path.name, format=ending) from error
    except SourceError as error:
        if error.code == "sheet-missing":
            raise Invalid("sheet-missing", parameter="sheet", **error.context) from error
        if error.code == "bad-workbook":
            raise Invalid("damaged-list", file=path.name, format=ending) from error
        reason = bilingual("the workbook is too large; save the list as CSV")
        raise Invalid("bad-list", row=count + 1, reason=reason) from error
    except csv.Error as error:
        raise Invalid("bad-list", row=count + 1, reason=faults.of_csv(error)) from error
    except UnicodeError as error:
        raise _damaged_text(count + 1) from error
    except OSError as error:
        fault = errno.errorcode.get(error.errno or 0, "EIO")
        reason = bilingual("the file cannot be read ({fault}); check its disk and its rights", fault=fault)
        raise Invalid("bad-list", row=count + 1, reason=reason) from error


def _damaged_text(row: int) -> Invalid:
    reason = bilingual("its text is damaged or of another encoding; save the list again in UTF-8")
    return Invalid("bad-list", row=row, reason=reason)


def read_copy(path: Path) -> Iterator[list[Cell]]:
    """Yield the rows of a copy."""
    with path.open("rb") as file:
        yield from map(_decode, file)


def _read(path: Path, ending: str, delimiter: str | None, sheet: str | None, forms: list[Form]) -> Iterator[list[Cell]]:
    if ending in _WORKBOOKS:
        rows = workbook_rows(path, sheet, "", path.name, workbooks.__name__)
        forms.append(Form(sheet=cell_text(next(rows)[0])))
        yield from rows
    elif ending == "parquet":
        yield from _parquet_rows(path)
    elif ending in _OBJECTS:
        yield from _json_rows(path)
    else:
        yield from _csv_rows(path, "\t" if ending == "tsv" else delimiter, forms)


def _csv_rows(path: Path, delimiter: str | None, forms: list[Form]) -> Iterator[list[Cell]]:
    with path.open("rb") as file:
        encoding = detect_encoding(file)
        file.seek(0)
        start = file.read(_HEAD)
        has_mark = start.startswith(codecs.BOM_UTF8)
        line_end = "\r\n" if any(end in start for end in _LINE_ENDS) else "\n"
        file.seek(0)
        head: list[str] = []
        with suppress(UnicodeError):  # told below, with its row
            head += islice(filter(str.strip, _lines(file, encoding)), FIRST_LINES)
        stated = stated_delimiter(head[0]) if head else None
        sign = delimiter or stated or delimiter_of(head) or ","
        encoding_with_mark = encoding if encoding != "utf-8-sig" or has_mark else "utf-8"
        forms.append(Form(sign, bool(stated), encoding_with_mark, line_end=line_end))
        file.seek(0)
        lines = _lines(file, encoding)
        if stated:
            lines = dropwhile(lambda line: stated_delimiter(line) is None, lines)
            next(lines)
        yield from map(list[Cell], csv_rows(lines, sign))


def _lines(file: IO[bytes], encoding: str) -> Iterator[str]:
    rest = ""
    for block in utf8_blocks(file, encoding):
        text, damaged, behind = block.decode().partition(DAMAGED)
        if damaged and encoding != "utf-16":
            text += (damaged + behind).replace(DAMAGED, "\ufffd")
        *lines, rest = (rest + text).split("\n")
        yield from (f"{line}\n" for line in lines)
        if damaged and encoding == "utf-16":
            raise UnicodeError("UTF-16")
    if rest:
        yield rest


def _parquet_rows(path: Path) -> Iterator[list[Cell]]:
    with duckdb.connect() as connection:
        table = connection.read_parquet(str(path))
        yield list(table.columns)
        zoned = ["TIME ZONE" in str(kind) for kind in table.types]  # for Python they would need a library
        columns = zip(map(_quoted, table.columns), zoned, strict=True)
        chosen = ", ".join(f"{name}::VARCHAR" if is_zoned else name for name, is_zoned in columns)
        cursor = connection.execute(f"SELECT {chosen} FROM read_parquet(?)", [str(path)])
        while rows := cursor.fetchmany(_FETCHED):
            yield from (list(map(as_cell, row)) for row in rows)


def _json_rows(path: Path) -> Iterator[list[Cell]]:
    """Yield the names of all members that an object has, then the values of each object.

    Raises `Invalid("bad-list")` with the line, for one that is no object of texts, numbers, truth values and nulls.
    """
    members: dict[str, None] = {}
    for number, row in _objects(path):
        members |= dict.fromkeys(row)
        if len(members) > _MEMBERS:
            reason = bilingual("up to here the objects have more than {most} different members", most=_MEMBERS)
            raise Invalid("bad-list", row=number, reason=reason)
    if members:
        yield list(members)
    for _, row in _objects(path):
        yield [as_cell(row.get(member)) for member in members]


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            _check_text(line, number)
            try:
                row = json.loads(line)
            except ValueError as error:
                raise Invalid(
                    "bad-list", row=number, reason=bilingual("it is no JSON; write one object per line")
                ) from error
            if not isinstance(row, dict):
                raise Invalid(
                    "bad-list",
                    row=number,
                    reason=bilingual("it is no JSON object, such as {example}", example='{"name": "…"}'),
                )
            if nested := next((name for name, value in row.items() if isinstance(value, dict | list)), None):
                reason = bilingual("the member “{member}” holds a list or an object; write a text", member=nested)
                raise Invalid("bad-list", row=number, reason=reason)
            _check_text("".join(map(str, [*row, *row.values()])), number)  # `"\\ud800"` is no character
            yield number, row


def _check_text(text: str, number: int) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _damaged_text(number) from error


def write(output: Output, target: Path, ending: str, form: Form, parquet: Path | None = None) -> None:
    """Write an output to a file that does not exist yet.

    Args:
        form: The form of the list, which a text and a workbook take over. A text is in UTF-8 with its mark where the
            encoding of the list lacks one of its characters.
        parquet: The list, if it is a Parquet file: the output takes over the types of its columns.

    Raises:
        Invalid: `workbook-full`, more rows than a workbook can hold.
    """
    if ending == "xlsx":
        _write_workbook(output, target, form.sheet)
    elif ending == "parquet":
        _write_parquet(output, target, parquet)
    elif ending in _OBJECTS:
        with target.open("w", encoding="utf-8") as file:
            write_text(output, file, ending, form)
    else:
        with target.open("w", encoding="utf-8", newline="") as file:
            write_text(output, file, ending, form)
        _encode_again(target, form.encoding)


def write_text(output: Output, file: IO[str], ending: str, form: Form) -> None:
    """Write an output as CSV, or as NDJSON, in which an empty added cell is null."""
    names = [*output.header, *output.added]
    if ending in _OBJECTS:
        for _, cells, added in output.rows:
            given = (cell[0] if isinstance(cell, tuple) else cell for cell in cells)
            members = dict(zip(names, (*given, *(None if cell == "" else cell for cell in added)), strict=True))
            file.write(json.dumps(members, ensure_ascii=False) + "\n")
        return
    sign = "\t" if ending == "tsv" else form.delimiter
    if form.is_stated:
        file.write(f"sep={sign}{form.line_end}")
    write_row = csv.writer(file, delimiter=sign, lineterminator=form.line_end).writerow
    for row in (*output.above, names):
        write_row(map(cell_text, row))
    for _, cells, added in output.rows:
        write_row([*map(cell_text, cells), *texts(added)])


def _encode_again(path: Path, encoding: str) -> None:
    """Write a text in UTF-8 in another encoding, or with the mark of UTF-8 where that has not all its characters."""
    if encoding == "utf-8":
        return
    fresh = path.with_suffix(".encoded")
    for target in (encoding, "utf-8-sig"):
        with suppress(UnicodeEncodeError), path.open(encoding="utf-8", newline="") as text:
            with fresh.open("w", encoding=target, newline="") as file:
                shutil.copyfileobj(text, file)
            fresh.replace(path)
            return


def _write_workbook(output: Output, target: Path, sheet: str | None) -> None:
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "nan_inf_to_errors": True,
    }
    with closing(xlsxwriter.Workbook(target, options)) as book:
        page = book.add_worksheet(sheet if sheet and _SHEET_NAME.fullmatch(sheet) else None)
        whole, day, moment = (
            book.add_format({"num_format": text}) for text in ("0", "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss")
        )

        def write_cell(row: int, column: int, cell: Cell) -> None:
            if isinstance(cell, bool):
                page.write_boolean(row, column, cell)
            elif isinstance(cell, float | int):
                page.write_number(row, column, cell, whole if cell >= _LARGE and cell == int(cell) else None)
            elif isinstance(cell, tuple) and (stated := _moment(cell[0])):
                page.write_datetime(row, column, stated, moment if isinstance(stated, datetime) else day)
            elif text := cell_text(cell):
                page.write_string(row, column, text[:_XLSX_CELL])

        rows = chain(
            output.above, [(*output.header, *output.added)], ((*cells, *added) for _, cells, added in output.rows)
        )
        for at, row in enumerate(rows):
            if at == _XLSX_ROWS:
                raise Invalid("workbook-full", maximum=_XLSX_ROWS)
            for place, cell in enumerate(row):
                write_cell(at, place, cell)


def _moment(text: str) -> date | datetime | None:
    """Return a date, or a date with a time, that a workbook can hold: since 1900, without a time zone."""
    for kind in (date, datetime):
        with suppress(ValueError):
            stated = kind.fromisoformat(text)
            return stated if stated.year >= _FIRST_YEAR and getattr(stated, "tzinfo", None) is None else None
    return None


def _write_parquet(output: Output, target: Path, source: Path | None) -> None:
    """Write a Parquet file: the columns of a source as they are there, else texts; the added numbers as numbers."""
    text = target.with_suffix(".csv")
    with text.open("w", encoding="utf-8", newline="") as file:
        write_row = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        write_row([_PLACE, *([] if source else output.header), *output.added])
        for place, cells, added in output.rows:
            write_row([place, *([] if source else map(cell_text, cells)), *added])
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = true")
        connection.read_csv(
            str(text), header=True, all_varchar=True, sep=",", quotechar='"', escapechar='"', parallel=False
        ).to_view("written")
        number, *columns = map(_quoted, connection.view("written").columns)
        given, added = columns[: -len(output.added)], columns[-len(output.added) :]
        chosen = [f"written.{name}" for name in given] + [
            f"nullif(written.{name}, '')::{'DOUBLE' if kind in output.numbers else 'VARCHAR'} AS {name}"
            for name, kind in zip(added, output.added, strict=True)
        ]
        if source:
            connection.read_parquet(str(source), file_row_number=True).to_view("list")
            chosen.insert(0, "list.* EXCLUDE (file_row_number)")
        joined = f"JOIN list ON list.file_row_number = {number}::BIGINT ORDER BY list.file_row_number" if source else ""
        connection.sql(f"SELECT {', '.join(chosen)} FROM written {joined}").write_parquet(str(target))
    text.unlink()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
