"""The yearly statements of a release in a store of their own, beside the index: read by the server, without DuckDB.

    <index>/statements/rows.bin, starts.bin

`rows.bin`: one entry a company that has statements, in the order of its key (`<country>:<identifier>`): the lengths of
key and body (32 bits each), the key, and the statements as msgpack. `starts.bin`: where each entry begins (64 bits). A
company is found by bisection; both files are mapped, so neither building nor serving holds more than one company.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from padron import snapshot
from padron.country import Country
from padron.model import EntitySource, Figure, Filing, Language, Statement, camel
from padron.snapshot import Amount, StatementRow
from padron.storage import mapped
from padron.words import N_, translate

_LENGTHS = struct.Struct("<II")
_START = struct.Struct("<Q")

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
    """Write the store of `rows`, which come by country and identifier, into the new folder; gives how many companies.

    Raises `ValueError` for rows in another order: the store could not be searched.
    """
    folder.mkdir(parents=True)
    companies, last, start = 0, b"", 0
    with (folder / "rows.bin").open("wb") as entries, (folder / "starts.bin").open("wb") as starts:
        for (country, identifier), group in groupby(rows, key=lambda row: (row.country, row.identifier)):
            key = _key(country, identifier)
            if key <= last:
                raise ValueError(f"statements of {country} out of order")
            body = _encode([_stored(row) for row in group])
            starts.write(_START.pack(start))
            start += entries.write(_LENGTHS.pack(len(key), len(body))) + entries.write(key) + entries.write(body)
            companies, last = companies + 1, key
    snapshot.seal(folder)
    return companies


class Statements:
    """The store of one release; safe to share between threads.

    Raises `ReleaseError("release-damaged")` where the folder is not as it was sealed.
    """

    def __init__(self, folder: Path) -> None:
        snapshot.verify(folder)
        self._rows = mapped(folder / "rows.bin")
        self._starts = memoryview(mapped(folder / "starts.bin")).cast("Q")

    def get(self, country: str, identifier: str) -> tuple[StoredStatement, ...]:
        """The statements of a company by its canonical identifier, the latest first; none where there are none."""
        wanted = _key(country, identifier)
        at = bisect_left(self._starts, wanted, key=self._key_at)
        if at == len(self._starts) or self._key_at(self._starts[at]) != wanted:
            return ()
        start = self._starts[at]
        return _decode(self._rows[start + _LENGTHS.size + len(wanted) : self._end(start)])

    def _end(self, start: int) -> int:
        key, body = _LENGTHS.unpack_from(self._rows, start)
        return start + _LENGTHS.size + int(key) + int(body)

    def _key_at(self, start: int) -> bytes:
        begin = start + _LENGTHS.size
        return self._rows[begin : begin + _LENGTHS.unpack_from(self._rows, start)[0]]


def present(stored: StoredStatement, registry: Mapping[str, Country], language: Language) -> Statement:
    """Return a statement as it is sent.

    Args:
        stored: The stored statement.
        registry: The countries.
        language: Language of the labels.

    Returns:
        The statement.
    """
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
