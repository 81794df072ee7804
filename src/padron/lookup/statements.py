"""The store of the yearly statements of a release, beside its index: read by the server, without DuckDB.

Rows by key (`padron.index.rows`), one for each company that has statements: the key is `<country>:<identifier>`, the
row the statements as msgpack. Serving holds no statements in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from padron.companies.model import EntitySource, Figure, Filing, Statement, camel
from padron.countries.country import Country
from padron.index.rows import KeyedRows, write_keyed
from padron.releases.snapshot import Amount, StatementRow
from padron.words import N_, Language, translate

LABELS: Final = {
    "revenue": N_("Revenue"),
    "gross_profit": N_("Gross profit"),
    "operating_profit": N_("Operating profit"),
    "pretax_profit": N_("Profit before tax"),
    "net_profit": N_("Net profit"),
    "assets": N_("Total assets"),
    "current_assets": N_("Current assets"),
    "cash": N_("Cash and cash equivalents"),
    "liabilities": N_("Total liabilities"),
    "current_liabilities": N_("Current liabilities"),
    "equity": N_("Equity"),
}
"""The figures of `snapshot.FIGURES` as readers see them."""


class StoredStatement(Struct, array_like=True, frozen=True, gc=False):
    """A statement as it is stored: `snapshot.StatementRow` without country and identifier; amounts as text."""

    register: str
    fiscal_year: int
    period_start: str | None
    period_end: str
    currency: str
    scope: str
    amounts: tuple[tuple[str, str, str | None, str | None], ...]
    employees: int | None
    restated: bool
    form: str | None
    filing: str | None
    filed: str | None
    source: str
    checks: tuple[str, ...]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[StoredStatement, ...]).decode


def build(rows: Iterable[StatementRow], folder: Path) -> int:
    """Write the store of `rows`, sorted by country and identifier, into a new folder; return the number of companies.

    Raises `ValueError` for rows in another order: the store could not be searched.
    """
    groups = groupby(rows, key=lambda row: (row.country, row.identifier))
    return write_keyed(
        (
            (_key(country, identifier), _encode([_stored(row) for row in group]))
            for (country, identifier), group in groups
        ),
        folder,
    )


class Statements:
    """The store of one release; safe to share between threads.

    Raises `ReleaseError("release-damaged")` where the folder is not as it was sealed.
    """

    def __init__(self, folder: Path) -> None:
        self._rows = KeyedRows(folder)

    def get(self, country: str, identifier: str) -> tuple[StoredStatement, ...]:
        """Return the statements of a company by its canonical identifier, the latest first; empty if it has none."""
        row = self._rows.get(_key(country, identifier))
        return () if row is None else _decode(row)


def present(stored: StoredStatement, registry: Mapping[str, Country], language: Language) -> Statement:
    """Return a statement as it is sent."""
    source = next(source for source in registry[stored.register].sources if source.key == stored.source)
    return Statement(
        fiscal_year=stored.fiscal_year,
        period_start=_date(stored.period_start),
        period_end=date.fromisoformat(stored.period_end),
        currency=stored.currency,
        unit=1,
        scope=stored.scope,  # type: ignore[arg-type]
        figures=[
            Figure(
                key=camel(key), label=translate(LABELS[key], language), amount=amount, basis=basis, first_reported=first
            )
            for key, amount, basis, first in stored.amounts
        ],
        employees=stored.employees,
        restated=stored.restated,
        filing=Filing(form=stored.form, reference=stored.filing, filed_on=_date(stored.filed)),
        source=EntitySource(
            key=source.key,
            name=source.name,
            publisher=source.publisher,
            url=source.url,
            licence=source.licence,
            attribution=source.attribution,
        ),
        checks=list(stored.checks),
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _stored(row: StatementRow) -> StoredStatement:
    members = row._asdict()
    amounts = tuple(map(_texts, row.amounts))
    return StoredStatement(**{name: members[name] for name in StoredStatement.__struct_fields__} | {"amounts": amounts})


def _texts(amount: Amount) -> tuple[str, str, str | None, str | None]:
    first = None if amount.first is None else _text(amount.first)
    return amount.figure, _text(amount.amount), amount.basis, first


def _text(amount: object) -> str:
    """An amount without cents where it has none: `416161000000`, `157778086.06`."""
    return str(amount).removesuffix(".00")


def _key(country: str, identifier: str) -> bytes:
    return f"{country}:{identifier}".encode()
