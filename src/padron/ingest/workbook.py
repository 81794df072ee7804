"""Reading of workbooks (xlsx) in a separate process with limits on memory and time.

calamine allocates a sheet whole, from its first cell to its last: a file of one kilobyte with cells in two far corners
needs 500 GB, and without memory calamine aborts the process. Endless shared strings, or a long one that every cell
refers to, have the same effect. Limits on a process stop all of these; a check of the file beforehand would not.
"""

from __future__ import annotations

import csv
import io
import os
import resource
import subprocess
import sys
from collections.abc import Generator
from datetime import date, datetime
from itertools import repeat
from pathlib import Path
from typing import Final

import python_calamine

from padron.errors import SourceError

MEMORY: Final = 4 << 30
"""Bytes of memory for one workbook. A sheet of 300,000 rows and 30 columns took 0.9 GB."""
SECONDS: Final = 600
"""Processor seconds for one workbook."""

_PROGRAM = """\
import sys
sys.path[:] = {path}
from padron.ingest.workbook import write_rows
write_rows(*{arguments})
"""


def rows(path: Path, sheet: str | None, source: str, name: str) -> Generator[list[str]]:
    """Yield the rows of a sheet from the top left corner, all of one width, every cell as text.

    Args:
        sheet: Name of the sheet, None for the first.

    Raises:
        SourceError: `bad-workbook`, `workbook-too-large`.
    """
    program = _PROGRAM.format(path=sys.path, arguments=(str(path), sheet, MEMORY, SECONDS))
    with subprocess.Popen(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program],
        env=os.environ | {"RUST_BACKTRACE": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        process_group=0,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield from csv.reader(process.stdout)
            message = process.stderr.read().strip()
            process.wait()
        finally:
            process.kill()
    if process.returncode < 0:
        raise SourceError("workbook-too-large", source=source, file=name, memory=MEMORY >> 30, seconds=SECONDS)
    if process.returncode > 0:
        raise SourceError("bad-workbook", source=source, file=name, reason=message.rpartition("\n")[2])


def write_rows(path: str | None, sheet: str | None, memory: int, seconds: int) -> None:
    """Write the rows of a sheet to standard output as CSV: the process that `rows` starts.

    A signal ends it when a limit is exceeded.

    Args:
        path: The workbook; None is standard input.
        sheet: Name of the sheet, None for the first.
        memory: Limit in bytes.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    try:
        book = python_calamine.CalamineWorkbook.from_object(path or io.BytesIO(sys.stdin.buffer.read()))
        cells = book.get_sheet_by_name(sheet or book.sheet_names[0])
        if cells.start is None:
            return
        above, before = cells.start
        writer.writerows(repeat([""] * cells.total_width, above))
        writer.writerows([*[""] * before, *map(as_text, row)] for row in cells.iter_rows())
    except MemoryError:
        os.abort()


def as_text(value: object) -> str | None:
    """Return a cell, or a value of JSON, as text: whole numbers without a point, dates as ISO, others as `str` does."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return str(value)
