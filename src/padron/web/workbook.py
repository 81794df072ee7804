"""Workbooks that pages hand out: the financial history, and a list that was uploaded as one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any, Final

from padron.web import glossary
from padron.web.charts import Matrix, Series, matrix_of
from padron.words import N_, Language, translate

_DIGITS: Final = 15
"""Digits that a number of a workbook keeps exactly; a longer amount is written as text, with all of them."""
_LARGE: Final = 10**11
"""Numbers that spreadsheets show with an exponent unless they have a format."""
_Row = tuple[str, Sequence[Decimal | float | None], str]
"""Label, cells and format of a row."""


def workbook(every: list[Series], language: Language) -> bytes:
    """Return the series as XLSX: a sheet a series, a row a figure, a column a year."""
    import xlsxwriter  # noqa: PLC0415 - few ask for a workbook, and every worker would hold the library

    file = io.BytesIO()
    with closing(xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False})) as book:
        formats = {
            "amount": book.add_format({"num_format": "#,##0.00"}),
            "share": book.add_format({"num_format": "0.0%"}),
        }
        for series in every:
            sheet = book.add_worksheet(f"{translate(glossary.SCOPE[series.scope], language)[:24]} {series.currency}")
            _fill(sheet, matrix_of(series, language), series.currency, language, formats)
    return file.getvalue()


def table(rows: Iterable[Sequence[str | float]]) -> bytes:
    """Return rows of texts and numbers as XLSX; no text is a formula or a link."""
    import xlsxwriter  # noqa: PLC0415 - as above

    file = io.BytesIO()
    with closing(xlsxwriter.Workbook(file, {"in_memory": True})) as book:
        sheet, whole = book.add_worksheet(), book.add_format({"num_format": "0"})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(at, column, cell)
                else:
                    sheet.write_number(at, column, cell, whole if cell >= _LARGE and cell == int(cell) else None)
    return file.getvalue()


def _fill(sheet: Any, matrix: Matrix, currency: str, language: Language, formats: dict[str, Any]) -> None:
    sheet.set_column(0, 0, 36)
    sheet.set_column(1, len(matrix.years), 20)
    sheet.write_row(0, 0, [currency, *matrix.years])
    rows: list[_Row] = [(row.label, [_whole(cell, matrix) for cell in row.cells], "amount") for row in matrix.amounts]
    rows += [(f"{translate(N_('Growth'), language)}: {row.label}", row.cells, "share") for row in matrix.growth]
    rows += [(row.label, row.cells, "share" if row.share else "amount") for row in matrix.ratios]
    if any(count is not None for count in matrix.employees):
        rows.append((translate(N_("Employees"), language), matrix.employees, "amount"))
    for at, (label, cells, form) in enumerate(rows, 1):
        sheet.write_string(at, 0, label)
        for column, cell in enumerate(cells, 1):
            if isinstance(cell, Decimal) and len(cell.normalize().as_tuple().digits) > _DIGITS:
                sheet.write_string(at, column, format(cell.normalize(), "f"), formats[form])
            elif cell is not None:
                sheet.write_number(at, column, float(cell), formats[form])


def _whole(cell: Decimal | float | None, matrix: Matrix) -> Decimal | None:
    """Return an amount in units of the currency."""
    return None if cell is None else Decimal(cell) * matrix.scale.divisor
