"""The columns that are added to a list: the company of each row, as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.lists.columns import Columns
from padron.lists.rows import RowMatch


class Added(NamedTuple):
    """The cells that are added to a row; empty, or None, where there is nothing to say."""

    verdict: str
    confidence: float | None
    country: str
    scheme: str
    identifier: str
    name: str
    status: str
    matched_on: str
    reason: str
    conflicts: str
    second_country: str
    second_identifier: str
    second_name: str
    second_confidence: float | None


ADDED: Final = tuple(f"padron_{field}" for field in Added._fields)
"""Headers of the columns that are added to a list."""
NUMBERS: Final = frozenset({"padron_confidence", "padron_second_confidence"})
"""Headers of the columns of numbers among them."""


def header(columns: Columns, added: Sequence[str] = ADDED) -> list[str]:
    """Return the headers of the output."""
    return [*given(columns), *free(columns, added)]


def given(columns: Columns) -> Sequence[str]:
    """Return the headers of the list; one without any gets numbers."""
    return columns.header or tuple(map(str, range(1, columns.width + 1)))


def free(columns: Columns, added: Sequence[str]) -> list[str]:
    """Return the headers of the added columns, which the list does not have."""
    return [_free(name, given(columns)) for name in added]


def _free(name: str, taken: Sequence[str]) -> str:
    """Return a header that the list does not have: a list may be matched twice."""
    while name in taken:
        name += "_2"
    return name


def cells(match: RowMatch) -> Added:
    """Return the cells that are added to a row."""
    company, second = match.company, match.second
    return Added(
        match.verdict,
        company.confidence if company else None,
        company.country_code if company else "",
        company.scheme if company else "",
        company.identifier if company else "",
        company.legal_name if company else "",
        (company.status or "") if company else "",
        match.matched_on or "",
        match.reason,
        " ".join(match.conflicts),
        second.country_code if second else "",
        second.identifier if second else "",
        second.legal_name if second else "",
        second.confidence if second else None,
    )


def texts(added: Sequence[str | float | None]) -> list[str]:
    """Return added cells as a text has them: a confidence with four decimals."""
    return [f"{cell:.4f}" if isinstance(cell, float) else cell or "" for cell in added]
