"""The columns that are added to a list: the company of each row, as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.lists.columns import Columns
from padron.lists.rows import RowMatch


class Added(NamedTuple):
    """The cells that are added to a row; empty where there is nothing to say."""

    verdict: str
    confidence: str
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
    second_confidence: str


ADDED: Final = tuple(f"padron_{field}" for field in Added._fields)
"""Headers of the columns that are added to a list."""


def header(columns: Columns, added: Sequence[str] = ADDED) -> list[str]:
    """Return the headers of the output; a list without any gets numbers."""
    given = columns.header or tuple(map(str, range(1, columns.width + 1)))
    return [*given, *(_free(name, given) for name in added)]


def _free(name: str, given: Sequence[str]) -> str:
    """Return a header that the list does not have: a list may be matched twice."""
    while name in given:
        name += "_2"
    return name


def cells(match: RowMatch) -> Added:
    """Return the cells that are added to a row."""
    company, second = match.company, match.second
    return Added(
        match.verdict,
        f"{company.confidence:.4f}" if company else "",
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
        f"{second.confidence:.4f}" if second else "",
    )
