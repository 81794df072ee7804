"""The sheet of a workbook that holds a list: by its headers, since others may stand before it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from typing import Final

from padron.countries import REGISTRY
from padron.ingest import workbook
from padron.lists.columns import FIRST_LINES, header_fields

_MOST_SHEETS: Final = 50
"""Sheets that are looked at, at most."""


def write_rows(path: str | None, sheet: str | None, memory: int, seconds: int) -> None:
    """Write the name of the sheet with the list and its rows, as `padron.ingest.workbook.write_rows`."""
    workbook.write_rows(path, sheet, memory, seconds, list_sheet)


def write_csv(memory: int, seconds: int) -> None:
    """Write the same of a workbook on standard input as CSV; all cells but numbers stand between quotes."""
    workbook.write_rows(None, None, memory, seconds, list_sheet, _csv_line)


def _csv_line(row: list[workbook.Cell]) -> bytes:
    line = StringIO()
    csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerow(map(_number_or_text, row))
    return line.getvalue().encode()


def _number_or_text(cell: workbook.Cell) -> float | str:
    if isinstance(cell, bool) or not isinstance(cell, float | int):
        return workbook.cell_text(cell)
    return int(cell) if float(cell).is_integer() else cell


def list_sheet(tables: Iterator[workbook.Table]) -> str:
    """Return the sheet whose header names most fields of companies; without such a header, the first with rows."""
    fields = {name: _fields(rows) for name, rows in islice(tables, _MOST_SHEETS)}
    return max(fields, key=fields.__getitem__)


def _fields(rows: Iterator[list[workbook.Cell]]) -> tuple[int, bool]:
    texts = (list(map(workbook.cell_text, row)) for row in rows)
    filled = list(islice(filter(any, texts), 2 * FIRST_LINES))
    return header_fields(filled, REGISTRY), bool(filled)
