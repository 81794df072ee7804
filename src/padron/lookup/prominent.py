"""Completion of names among the prominent companies of each register: whoever types three letters means one of these.

The registers measure size by revenue, market value, employees or awards, which no factor makes comparable. Comparable
is the place in the order of a country, counted in doublings: the first of one country is the equal of the first of
another, and twenty places matter more among the first forty than among the last thousand.
"""

from __future__ import annotations

from array import array
from asyncio import sleep
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import Final

from padron.index.document import DOUBTFUL, FORMER, KNOWN_AS, TICKER, TRADE, StoredCompany, decode_company
from padron.index.engine import Engine, Scope
from padron.text import tokens

LARGEST: Final = 7_000
"""Companies of a country that are kept at hand."""
_LONGEST: Final = 32
"""Letters of a beginning that are compared; who types more is better served by a search."""

# Doublings of the place in the country's order.
_LINKED: Final = 3.0
"""Several registers have the company."""
_BY_NAME: Final = 1.0
"""A name of daily use is known."""
_SKIPPED: Final = 10.0
"""Lost for the words before the beginning, were they the whole name: a word that many have is a small part of one."""
_LESSER: Final = 1.0
"""The name is the sign of a shop, a former one, or doubtful."""
_WHOLE: Final = 4.0
"""The typed letters are the name, or all that follows in it."""
_MEASURED: Final = 0.5
"""A size of a thousand, as a place, counts for so much less."""
_LESSER_KINDS: Final = frozenset({TRADE, FORMER, DOUBTFUL})


class Prominent:
    """The names of companies by the beginning of each of their words."""

    def __init__(self, companies: Sequence[tuple[str, StoredCompany]], rarity: Mapping[str, float]) -> None:
        """Weigh every beginning once.

        Args:
            companies: With the country of each.
            rarity: `Tables.weights`.
        """
        self._companies = companies
        entries: dict[tuple[str, int], float] = {}
        for number, ((_, company), prominence) in enumerate(zip(companies, _prominences(companies), strict=True)):
            kinds = Counter(name.kind for name in company.names)
            for name in company.names:
                if name.kind == TICKER:  # the beginning of one says nothing; typed wholly, the search knows it
                    continue
                # Of many signs or by-names each is less known.
                weight = prominence - log2(kinds[name.kind]) - _LESSER * (name.kind in _LESSER_KINDS)
                for beginning, fit in _beginnings(name.core or name.words, rarity):
                    key = beginning, number
                    entries[key] = max(entries.get(key, weight + fit), weight + fit)
        order = sorted(entries)
        self._beginnings = [beginning for beginning, _ in order]
        self._numbers = array("l", [number for _, number in order])
        self._weights = array("d", [entries[key] for key in order])

    def complete(self, text: str, country: str | None, limit: int) -> Sequence[StoredCompany]:
        """Return prominent companies with a word in their names that begins so; one record of each company.

        Args:
            country: The country, None for all.

        Returns:
            The companies, those likeliest meant first.
        """
        beginning = " ".join(tokens(text))
        if not 1 < len(beginning) <= _LONGEST:
            return ()
        start = bisect_left(self._beginnings, beginning)
        end = bisect_left(self._beginnings, f"{beginning}\U0010ffff", start)
        weights: dict[int, float] = {}
        for place in range(start, end):
            number = self._numbers[place]
            if country in {None, self._companies[number][0]}:
                weight = self._weights[place] + _WHOLE * (self._beginnings[place] == beginning)
                weights[number] = max(weights.get(number, weight), weight)
        best: dict[str | int, StoredCompany] = {}
        for number in sorted(weights, key=lambda number: (-weights[number], number)):
            _, company = self._companies[number]
            of_company = company.link or number
            if of_company not in best or company.link_home:
                best[of_company] = company
            if len(best) == limit:
                break
        return list(best.values())


def _prominences(companies: Sequence[tuple[str, StoredCompany]]) -> list[float]:
    """Return how prominent companies are: minus the doublings of their place.

    A place better than the size itself says, of a thousand, is that of a register that measures something else.
    """
    alike: dict[str, Counter[int]] = {}
    for country, company in companies:
        alike.setdefault(country, Counter())[company.size] += 1
    places: dict[tuple[str, int], float] = {}
    for country, sizes in alike.items():
        before = 0
        for size in sorted(sizes, reverse=True):
            first, last = before + 1, before + sizes[size]
            place = (log2(first) + 3 * log2(last)) / 4  # of those of one size a few are known
            places[country, size] = max(place, log2(1_001 - size) + _MEASURED)
            before = last
    return [
        _LINKED * bool(company.link)
        + _BY_NAME * any(name.kind == KNOWN_AS for name in company.names)
        - places[country, company.size]
        for country, company in companies
    ]


def _beginnings(name: str, rarity: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield a name from each of its words on, and how much the word at its beginning stands for the name."""
    words = name.split()
    weights = [rarity.get(word, 1.0) for word in words]
    whole, skipped = sum(weights), 0.0
    for position, weight in enumerate(weights):
        share = weight / whole if weight else 1 / len(words)
        yield " ".join(words[position:])[:_LONGEST], log2(share) - _SKIPPED * skipped / whole
        skipped += weight


async def largest(engine: Engine, countries: Iterable[str]) -> list[tuple[str, StoredCompany]]:
    """Return the largest companies of each country, with the country."""
    companies: list[tuple[str, StoredCompany]] = []
    for country in countries:
        await sleep(0)  # the embedded engine never waits
        _, hits = await engine.among(Scope(country), 0, LARGEST)
        companies += [(country, decode_company(hit.stored)) for hit in hits]
    return companies
