"""File formats of lists: CSV, XLSX, Parquet and NDJSON, by the ending of the name. Every cell is text.

A list is first copied to a CSV file of one shape, so that a pipe can be read twice and a fault is reported with its row
before the work begins. Memory does not grow with the list, except that a workbook is read by `padron.ingest.workbook`.
"""

from __future__ import annotations

import csv
import errno
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

import duckdb
import xlsxwriter

from padron.errors import Invalid, SourceError
from padron.ingest.files import DAMAGED, detect_encoding, utf8_blocks
from padron.ingest.workbook import as_text
from padron.ingest.workbook import rows as workbook_rows
from padron.lists import faults
from padron.lists.columns import FIRST_LINES, csv_rows, delimiter_of, stated_delimiter
from padron.words import bilingual

FORMATS: Final = ("csv", "tsv", "txt", "xlsx", "parquet", "ndjson", "jsonl")
"""Endings of the names of files."""
SHEETS: Final = frozenset({"csv", "tsv", "txt", "xlsx"})
"""Formats in which rows may stand above the header."""

_FETCHED: Final = 10_000
_MEMBERS: Final = 1_000
"""Members that the objects of a list have, at most, all together."""
_XLSX_ROWS: Final = 1_048_576
"""Rows of a sheet of a workbook, at most."""

Rows = Iterator[list[str]]


def format_of(path: Path, stated: str | None) -> str:
    """Return the format of a file: the stated one, or the ending of its name. Raises `Invalid("unknown-format")`."""
    ending = stated or path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise Invalid("unknown-format", file=path.name, known=", ".join(FORMATS))
    return ending


def copy(source: Path | None, ending: str, target: Path, delimiter: str | None) -> tuple[int, int]:
    """Copy a list to a CSV file in UTF-8, without the blank rows at its beginning and its end.

    Args:
        source: The list; None is standard input.
        delimiter: The delimiter of CSV, None to recognise it.

    Returns:
        The number of rows, header included, and that of the blank rows above them.

    Raises:
        Invalid: `list-missing`; `bad-list`, with the row and what is wrong there; `damaged-list`, a workbook or a
            Parquet file that is not whole.
    """
    raw = source
    if raw is None:
        raw = target.with_suffix(".raw")
        with raw.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    elif not raw.is_file():
        raise Invalid("list-missing", file=raw)
    count, above, width, end = 0, 0, 0, None
    with target.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        for row in _rows(raw, ending, delimiter):
            if sum(map(len, row)) > faults.LONGEST_CELL:
                reason = bilingual("it has more than {most} characters", most=faults.LONGEST_CELL)
                raise Invalid("bad-list", row=above + count + 1, reason=reason)
            if any(row):
                end = None
            elif not width:
                above += 1
                continue
            else:
                end = end or (count, file.tell())
            width = width or len(row)
            write(row + [""] * (width - len(row)))
            count += 1
        if end:
            count, size = end
            file.truncate(size)
    if raw != source:
        raw.unlink()
    return count, above


def _rows(path: Path, ending: str, delimiter: str | None) -> Rows:
    """Yield the rows of a list. Raises as `copy`."""
    count = 0
    try:
        for row in _read(path, ending, delimiter):
            count += 1
            yield row
    except Invalid:
        raise
    except duckdb.Error as error:
        raise Invalid("damaged-list", file=path.name, format=ending) from error
    except SourceError as error:
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


def read_copy(path: Path) -> Rows:
    """Yield the rows of a copy."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv_rows(file)


def _read(path: Path, ending: str, delimiter: str | None) -> Rows:
    if ending == "xlsx":
        return workbook_rows(path, None, "", path.name)
    if ending == "parquet":
        return _parquet_rows(path)
    if ending in {"ndjson", "jsonl"}:
        return _json_rows(path)
    return _csv_rows(path, "\t" if ending == "tsv" else delimiter)


def _csv_rows(path: Path, delimiter: str | None) -> Rows:
    with path.open("rb") as file:
        encoding = detect_encoding(file)
        file.seek(0)
        lines = _lines(file, encoding)
        first = next(lines, "")
        while first and not first.strip():
            yield []
            first = next(lines, "")
        if stated := stated_delimiter(first):
            delimiter, first = delimiter or stated, next(lines, "")
        titles = 0
        while first and titles < FIRST_LINES and not (delimiter or '"' in first or delimiter_of([first])):
            yield [first.strip()] if first.strip() else []
            titles += 1
            first = next(lines, "")
        sign = delimiter or delimiter_of([first]) or ","
        yield from csv_rows(chain([first], lines), sign)


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


def _parquet_rows(path: Path) -> Rows:
    with duckdb.connect() as connection:
        cursor = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        yield [column[0] for column in cursor.description or ()]
        while rows := cursor.fetchmany(_FETCHED):
            yield from ([as_text(cell) or "" for cell in row] for row in rows)


def _json_rows(path: Path) -> Rows:
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
        yield [as_text(row.get(member)) or "" for member in members]


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


def write(rows: Iterable[Sequence[str]], target: Path, ending: str) -> None:
    """Write rows, the header first, to a file that does not exist yet.

    Raises:
        Invalid: `workbook-full`, more rows than a workbook can hold.
    """
    if ending == "xlsx":
        _write_workbook(rows, target)
    elif ending == "parquet":
        _write_parquet(rows, target)
    else:
        with target.open("w", encoding="utf-8", newline="") as file:
            write_text(rows, file, ending)


def write_text(rows: Iterable[Sequence[str]], file: IO[str], ending: str) -> None:
    """Write rows, the header first, as CSV or NDJSON."""
    if ending in {"ndjson", "jsonl"}:
        every = iter(rows)
        members = next(every)
        for row in every:
            file.write(json.dumps(dict(zip(members, row, strict=True)), ensure_ascii=False) + "\n")
    else:
        csv.writer(file, delimiter="\t" if ending == "tsv" else ",", lineterminator="\n").writerows(rows)


def _write_workbook(rows: Iterable[Sequence[str]], target: Path) -> None:
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with closing(xlsxwriter.Workbook(target, options)) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            if at == _XLSX_ROWS:
                raise Invalid("workbook-full", maximum=_XLSX_ROWS)
            for place, cell in enumerate(row):
                sheet.write_string(at, place, cell[:32_767])


def _write_parquet(rows: Iterable[Sequence[str]], target: Path) -> None:
    text = target.with_suffix(".csv")
    with text.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = true")
        connection.read_csv(
            str(text), header=True, all_varchar=True, sep=",", quotechar='"', escapechar='"', parallel=False
        ).write_parquet(str(target))
    text.unlink()
