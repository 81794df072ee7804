"""Yearly statements as they are sent: JSON, or CSV with one line an amount where `Accept` prefers that."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import msgspec

from padron.api.v1_model import Financials
from padron.model import Record, Statement

COLUMNS = (
    "countryCode",
    "identifier",
    "fiscalYear",
    "periodStart",
    "periodEnd",
    "currency",
    "unit",
    "scope",
    "key",
    "label",
    "amount",
    "firstReported",
    "basis",
    "restated",
    "form",
    "reference",
    "filedOn",
    "source",
)
"""Of the CSV, its header row; amounts are exact, in `currency` times `unit`."""

_JSON, _CSV = b"application/json", b"text/csv; charset=utf-8; header=present"
_QUALITY = re.compile(r";\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)")
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def written(company: Record, statements: Sequence[Statement], accept: bytes) -> tuple[bytes, bytes]:
    """Media type and body of a company's statements."""
    if _prefers_csv(accept.decode("latin-1")):
        return _CSV, _csv(company, statements)
    return _JSON, msgspec.json.encode(Financials(entity=company, statements=list(statements)))


def _prefers_csv(accept: str) -> bool:
    """Whether an Accept header asks for CSV rather than JSON (RFC 9110 §12.5.1); JSON on a par, and without one."""
    weights = {"text/csv": 0.0, "application/json": 0.0}
    for part in accept.lower().split(","):
        kind, _, parameters = part.strip().partition(";")
        quality = _QUALITY.search(f";{parameters}")
        weight = float(quality[1]) if quality else 1.0
        if kind.strip() in weights:
            weights[kind.strip()] = max(weights[kind.strip()], weight)
    return weights["text/csv"] > weights["application/json"]


def _csv(company: Record, statements: Sequence[Statement]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for statement in statements:
        head = (company.country_code, company.identifier, statement.fiscal_year, statement.period_start)
        terms = (statement.period_end, statement.currency, statement.unit, statement.scope)
        filed = statement.filing
        filing = (statement.restated, filed.form, filed.reference, filed.filed_on, statement.source.key)
        for figure in statement.figures:
            amounts = (figure.key, _text(figure.label), figure.amount, figure.first_reported, figure.basis)
            row = (*head, *terms, *amounts, *filing)
            writer.writerow("" if cell is None else cell for cell in row)
    return file.getvalue().encode()


def _text(label: str) -> str:
    """A label that no spreadsheet takes for a formula."""
    return f"'{label}" if _FORMULA.match(label) else label
