"""Yearly statements as they are sent: JSON, or CSV with one line a value where `Accept` prefers that."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import msgspec

from padron.api.growth_and_ratios import with_growth_and_ratios
from padron.api.v1_model import Absence, Financials, V1Statement
from padron.companies.company import Record
from padron.companies.model import Statement
from padron.text import no_formula
from padron.transport import headers
from padron.transport.negotiation import media_type
from padron.words import Language, Text, bilingual

COLUMNS = (
    "countryCode",
    "identifier",
    "fiscalYear",
    "periodStart",
    "periodEnd",
    "currency",
    "unit",
    "scope",
    "measure",
    "key",
    "label",
    "value",
    "firstReported",
    "basis",
    "restated",
    "form",
    "reference",
    "filedOn",
    "source",
)
"""Header row of the CSV. `measure` says what the value is: an exact `amount` in `currency` times `unit`, or a
`growth` or `ratio` computed from amounts, which has no unit."""

_JSON = b"application/json"
_OFFERED = ("application/json", "text/csv")


def encode(
    company: Record, statements: Sequence[Statement], not_published: Text | None, language: Language, accept: bytes
) -> tuple[bytes, bytes]:
    """Encode the statements of a company as JSON, or as CSV if the client prefers it.

    Args:
        statements: Its statements, the latest first.
        not_published: Why its country publishes none, if so.
    """
    history = financials(company, statements, not_published, language)
    if media_type(accept, _OFFERED) == "text/csv":
        return headers.CSV[1], _csv(company, history.statements)
    return _JSON, msgspec.json.encode(history)


def financials(
    company: Record, statements: Sequence[Statement], not_published: Text | None, language: Language
) -> Financials:
    """Return the statements of a company with growth and ratios, or why there are none.

    Args:
        statements: Its statements, the latest first.
        not_published: Why its country publishes none, if so.
    """
    computed = with_growth_and_ratios(statements, language)
    return Financials(entity=company, statements=computed, absence=None if computed else _absence(not_published))


def _absence(not_published: Text | None) -> Absence:
    es, en = not_published or bilingual(
        "The country publishes financial statements, but this release has none of this company."
    )
    return Absence(reason="not-published" if not_published else "none-held", es=es, en=en)


def _csv(company: Record, statements: Sequence[V1Statement]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for statement in statements:
        head = (company.country_code, company.identifier, statement.fiscal_year, statement.period_start)
        period, money = statement.period_end, (statement.currency, statement.unit)
        filed = statement.filing
        restated = "true" if statement.restated else "false"
        filing = (restated, filed.form, filed.reference, filed.filed_on, statement.source.key)
        values = [
            (
                *money,
                statement.scope,
                "amount",
                figure.key,
                no_formula(figure.label),
                figure.amount,
                figure.first_reported,
                figure.basis,
            )
            for figure in statement.figures
        ] + [
            (None, None, statement.scope, kind, measure.key, no_formula(measure.label), measure.value, None, None)
            for kind, measures in (("growth", statement.growth), ("ratio", statement.ratios))
            for measure in measures
        ]
        for value in values:
            writer.writerow("" if cell is None else cell for cell in (*head, period, *value, *filing))
    return file.getvalue().encode()
