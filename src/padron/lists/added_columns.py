"""The columns that are added to a list: the company of each row, as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from padron.lists.columns import Columns
from padron.lists.rows import RowMatch

ADDED: Final = (
    "padron_verdict",
    "padron_confidence",
    "padron_country",
    "padron_scheme",
    "padron_identifier",
    "padron_name",
    "padron_status",
    "padron_matched_on",
    "padron_reason",
    "padron_conflicts",
    "padron_second_country",
    "padron_second_identifier",
    "padron_second_name",
    "padron_second_confidence",
)
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


def cells(match: RowMatch) -> list[str]:
    """Return the cells that are added to a row."""
    company, second = match.company, match.second
    return [
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
    ]
