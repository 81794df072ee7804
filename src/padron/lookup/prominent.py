"""Completion of names among the largest companies of each register: whoever types three letters means one of these."""

from __future__ import annotations

from asyncio import sleep
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from padron.index.document import StoredCompany, decode_company
from padron.index.engine import Engine, Scope
from padron.text import tokens

LARGEST: Final = 2_500
"""Companies of a country that are kept at hand."""
_LONGEST: Final = 32
"""Letters of a beginning that are compared; who types more is better served by a search."""
_BEHIND: Final = 60
"""Size, of 1,000, that a name loses where the beginning is that of a later word."""


class Prominent:
    """The names of companies by the beginning of each of their words."""

    def __init__(self, companies: Sequence[tuple[str, StoredCompany]]) -> None:
        self._companies = companies
        beginnings = sorted(
            (beginning, number, position > 0)
            for number, (_, company) in enumerate(companies)
            for name in company.names
            for position, beginning in enumerate(_beginnings(name.core or name.words))
        )
        self._beginnings = [beginning for beginning, _, _ in beginnings]
        self._entries = [(number, later) for _, number, later in beginnings]

    def complete(self, text: str, country: str | None, limit: int) -> Sequence[StoredCompany]:
        """Return the largest companies with a word in their names that begins so; one record of each company.

        Args:
            country: The country, None for all.

        Returns:
            The companies, the largest first.
        """
        beginning = " ".join(tokens(text))
        if not 1 < len(beginning) <= _LONGEST:
            return ()
        start = bisect_left(self._beginnings, beginning)
        end = bisect_left(self._beginnings, f"{beginning}\U0010ffff")
        weights: dict[int, int] = {}
        for number, later in self._entries[start:end]:
            code, company = self._companies[number]
            if country in {None, code}:
                weights[number] = max(weights.get(number, 0), company.size - later * _BEHIND)
        best: dict[str | int, StoredCompany] = {}
        for number in sorted(weights, key=lambda number: (-weights[number], number)):
            _, company = self._companies[number]
            of_company = company.link or number
            if of_company not in best or company.link_home:
                best[of_company] = company
            if len(best) == limit:
                break
        return list(best.values())


def _beginnings(name: str) -> Iterator[str]:
    """Yield a name from each of its words on."""
    words = name.split()
    for position in range(len(words)):
        yield " ".join(words[position:])[:_LONGEST]


async def largest(engine: Engine, countries: Iterable[str]) -> list[tuple[str, StoredCompany]]:
    """Return the largest companies of each country, with the country."""
    companies: list[tuple[str, StoredCompany]] = []
    for country in countries:
        await sleep(0)  # the embedded engine never waits
        _, hits = await engine.among(Scope(country), 0, LARGEST)
        companies += [(country, decode_company(hit.stored)) for hit in hits]
    return companies
