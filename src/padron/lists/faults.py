"""Reasons why a list cannot be read, as parts of sentences for whoever wrote it."""

from __future__ import annotations

import csv
from typing import Final

from padron.words import Text, bilingual

LONGEST_CELL: Final = 1 << 24
"""Characters of a cell in CSV, at most: one that is longer is a quotation mark that nothing closes."""
_OPEN: Final = "unexpected end of data"
"""The message of `csv` about a quotation mark that nothing closes."""
_BEHIND: Final = "expected after"
"""Part of its message about text behind a closing quotation mark."""
_LONG: Final = "larger than field limit"
"""Part of its message about a cell that is too long."""


def of_csv(error: csv.Error) -> Text:
    """Return what is wrong with a row of CSV, and how to mend it."""
    message = str(error)
    if message == _OPEN or _LONG in message:
        return bilingual("a quotation mark opens a cell and none closes it; close it, or remove it")
    if _BEHIND in message:
        return bilingual("text follows a closing quotation mark; write a quotation mark inside a cell twice")
    return bilingual("it is not CSV; save the list again as CSV")
