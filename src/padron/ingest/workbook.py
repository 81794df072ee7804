"""Reading of workbooks (xlsx) in a separate process with limits on memory and time.

calamine allocates a sheet whole, from its first cell to its last: a file of one kilobyte with cells in two far corners
needs 500 GB, and without memory calamine aborts the process. Endless shared strings, or a long one that every cell
refers to, have the same effect. Limits on a process stop all of these; a check of the file beforehand would not.
"""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from datetime import date, time
from itertools import repeat
from pathlib import Path
from typing import Final

import msgspec
import python_calamine

from padron.errors import SourceError

MEMORY: Final = 4 << 30
"""Bytes of memory for one workbook. A sheet of 300,000 rows and 30 columns took 0.9 GB."""
SECONDS: Final = 600
"""Processor seconds for one workbook."""

_PROGRAM = """\
import sys
sys.path[:] = {path}
from {module} import write_rows
write_rows(*{arguments})
"""
_LARGE: Final = 1 << 63
"""Whole numbers from which on JSON has no place for them."""
_NO_SHEET: Final = 3
"""Exit status of the process for a sheet that the workbook does not have."""

Cell = str | float | bool | tuple[str] | None
"""A cell: a text, a number, a truth value, nothing, or a date or time in ISO form in a tuple of its own."""
Table = tuple[str, Iterator[list[Cell]]]
"""The name of a sheet, and its rows."""

_decode: Final = msgspec.json.Decoder(list[Cell]).decode
_encode: Final = msgspec.json.Encoder().encode


def rows(path: Path, sheet: str | None, source: str, name: str, module: str = __name__) -> Generator[list[Cell]]:
    """Yield a row with the name of a sheet, then its rows from the top left corner, all of one width.

    Args:
        sheet: Name of the sheet, None for the one that `write_rows` chooses.
        module: The module of `write_rows`.

    Raises:
        SourceError: `bad-workbook`, `workbook-too-large`, `sheet-missing`.
    """
    arguments = (str(path), sheet, MEMORY, SECONDS)
    program = _PROGRAM.format(path=sys.path, module=module, arguments=arguments)
    with subprocess.Popen(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program],
        env=os.environ | {"RUST_BACKTRACE": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield from map(_decode, process.stdout)
            message = process.stderr.read().decode().strip()
            process.wait()
        finally:
            process.kill()
    if process.returncode < 0:
        raise SourceError("workbook-too-large", source=source, file=name, memory=MEMORY >> 30, seconds=SECONDS)
    if process.returncode == _NO_SHEET:
        raise SourceError("sheet-missing", source=source, file=name, sheet=sheet, sheets=message)
    if process.returncode > 0:
        raise SourceError("bad-workbook", source=source, file=name, reason=message.rpartition("\n")[2])


def _line(row: list[Cell]) -> bytes:
    return _encode(row) + b"\n"


def _first(tables: Iterator[Table]) -> str:
    return next(tables)[0]


def write_rows(
    path: str | None,
    sheet: str | None,
    memory: int,
    seconds: int,
    choose: Callable[[Iterator[Table]], str] = _first,
    line: Callable[[list[Cell]], bytes] = _line,
) -> None:
    """Write a row with the name of a sheet, then its rows, to standard output: the process that `rows` starts.

    A signal ends it when a limit is exceeded.

    Args:
        path: The workbook; None is standard input.
        sheet: Name of the sheet, None to choose one.
        memory: Limit in bytes.
        choose: Returns the name of one of the sheets with their rows; hidden ones are not among them, unless all are.
        line: Returns a row as it is written; by default as JSON, which `rows` reads.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    write = sys.stdout.buffer.write
    try:
        book = python_calamine.CalamineWorkbook.from_object(path or io.BytesIO(sys.stdin.buffer.read()))
        if sheet not in {None, *book.sheet_names}:
            sys.stderr.write(", ".join(book.sheet_names))
            sys.exit(_NO_SHEET)
        tables = [each for each in book.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]
        shown = [each for each in tables if each.visible == python_calamine.SheetVisibleEnum.Visible]
        name = sheet or choose((each.name, _table(book, each.name)) for each in shown or tables)
        write(line([name]))
        for row in _table(book, name):
            write(line(row))
    except MemoryError:
        os.abort()


def _table(book: python_calamine.CalamineWorkbook, sheet: str) -> Iterator[list[Cell]]:
    cells = book.get_sheet_by_name(sheet)
    if cells.start is None:
        return
    above, before = cells.start
    yield from repeat([None] * cells.total_width, above)
    yield from ([*[None] * before, *map(as_cell, row)] for row in cells.iter_rows())


def as_cell(value: object) -> Cell:
    """Return a value of a table as a cell; what is neither a text nor a number nor a time is text."""
    if value is None or isinstance(value, str | float | bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < _LARGE else str(value)
    return (value.isoformat(),) if isinstance(value, date | time) else str(value)


def cell_text(cell: Cell) -> str:
    """Return a cell as text, nothing for an empty one."""
    return (cell[0] if isinstance(cell, tuple) else as_text(cell)) or ""


def as_text(value: object) -> str | None:
    """Return a value of a table or of JSON as text: whole numbers without a point, times in ISO form."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date | time) else str(value)
