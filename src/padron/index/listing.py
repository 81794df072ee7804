"""Lists of companies by place and activity, counted when the index is built.

A list is a country, a region or a city, alone or with an activity. Rows by key (`padron.index.rows`), one a list: its
 key is country, tag of the region, of the city and of the activity, each ended by a tab; the row has the number of
its companies and its facets. A list with an activity has the first letters as facets, others everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from padron.index.counting import KeyCounter
from padron.index.rows import KeyedRows, write_keyed
from padron.index.tags import activity_tag, letter_tag, place_tag

_ROOT, _REGION, _CITY = range(3)


class ListKey(NamedTuple):
    """A list: a country, and the tags of region, city and activity; empty where there is none."""

    country: str
    region: str = ""
    city: str = ""
    activity: str = ""


class Facet(NamedTuple):
    """A part of a list: the tag of its companies, their number, and its name in the registers (places, activities)."""

    tag: str
    companies: int
    written: str


class CountedList(NamedTuple):
    """The number of companies of a list, and its facets, those of most companies first."""

    companies: int
    facets: tuple[Facet, ...]


class Stated(NamedTuple):
    """Companies of which registers state something, and all of them."""

    stated: int
    companies: int


def stating_status(lists: Iterable[CountedList | None]) -> Stated:
    """Count the companies of some lists whose registers state a status."""
    held = [counted for counted in lists if counted]
    stated = sum(facet.companies for counted in held for facet in counted.facets if facet.tag.startswith("status:"))
    return Stated(stated, sum(counted.companies for counted in held))


class Listed(NamedTuple):
    """A company as it is counted; `form` is the code of its legal form."""

    country: str
    legal_name: str
    region: str | None
    municipality: str | None
    activity_code: str | None
    activity_label: str | None
    status: str | None
    form: str | None
    financials: bool


def keys(company: Listed) -> Iterator[str]:
    """Yield everything that a company is counted under: list, tag and wording, parted by tabs.

    The companies of a list are counted under an empty tag.
    """
    written = (_line(company.region), _line(company.municipality))
    region = place_tag("region", written[0]) if written[0] else ""
    city = place_tag("city", written[1]) if region and written[1] else ""
    activity, letter = activity_tag(company.activity_code, company.activity_label), letter_tag(company.legal_name)
    alike = [f"{letter}\t"]
    if company.status:
        alike.append(f"status:{company.status}\t")
    if company.form:
        alike.append(f"form:{company.form}\t")
    if company.financials:
        alike.append("financials:true\t")
    for level, place in enumerate(_places(company.country, region, city)):
        alone = f"{place}\t"
        yield f"{alone}\t"
        yield from [alone + tag for tag in alike]
        if child := (region, city, "")[level]:
            yield f"{alone}{child}\t{written[level]}"
        if activity:
            yield f"{alone}{activity}\t{_line(company.activity_label) if level == _ROOT else ''}"
            yield f"{place}{activity}\t\t"
            yield f"{place}{activity}\t{letter}\t"


def _places(country: str, region: str, city: str) -> Iterator[str]:
    """Yield the places of a company as lists begin with them, from its country to its city."""
    yield f"{country}\t\t\t"
    if region:
        yield f"{country}\t{region}\t\t"
    if city:
        yield f"{country}\t{region}\t{city}\t"


def _line(text: str | None) -> str:
    return " ".join(text.split()) if text else ""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(CountedList).decode


def build(counter: KeyCounter, folder: Path) -> None:
    """Write the lists into a new folder, from the counts of `keys`."""
    write_keyed(((key.encode(), _encode(counted)) for key, counted in _lists(counter.counts())), folder)


def _lists(counts: Iterable[tuple[str, int]]) -> Iterator[tuple[str, CountedList]]:
    """Yield each list with its key; `counts` come in alphabetical order, so that those of a list follow one another."""
    for key, counted in groupby(counts, key=lambda pair: pair[0].rsplit("\t", 2)[0] + "\t"):
        companies = 0
        wordings: dict[str, Counter[str]] = {}
        for path, count in counted:
            _, tag, written = path.rsplit("\t", 2)
            if tag:
                wordings.setdefault(tag, Counter())[written] += count
            else:
                companies = count
        facets = [_facet(tag, written) for tag, written in wordings.items()]
        yield key, CountedList(companies, tuple(sorted(facets, key=lambda facet: (-facet.companies, facet.tag))))


def _facet(tag: str, wordings: Counter[str]) -> Facet:
    """Return a facet in the wording of most companies; of several, the first in alphabetical order."""
    return Facet(tag, wordings.total(), min(wordings, key=lambda written: (-wordings[written], written)))


class Lists:
    """The lists of one release; safe to share between threads.

    Raises `ReleaseError("release-damaged")` where the folder is not as it was sealed.
    """

    def __init__(self, folder: Path) -> None:
        self._rows = KeyedRows(folder)

    def get(self, key: ListKey) -> CountedList | None:
        """Return a list; None where no company is in it."""
        row = self._rows.get("".join(f"{part}\t" for part in key).encode())
        return None if row is None else _decode(row)


def by_list(companies: Iterable[Listed]) -> dict[ListKey, Counter[str]]:
    """Return how many of some companies are counted in each list under each tag, the empty one for the list itself."""
    counts: dict[ListKey, Counter[str]] = {}
    for company in companies:
        for path in keys(company):
            of_list, tag, _ = path.rsplit("\t", 2)
            counts.setdefault(ListKey(*of_list.split("\t")), Counter())[tag] += 1
    return counts


def without(counted: CountedList, lost: Counter[str]) -> CountedList:
    """Return a list without some companies.

    Args:
        lost: What `by_list` gives for it and these companies.

    Returns:
        The list; a facet that has no company left is not in it.
    """
    facets = [facet._replace(companies=facet.companies - lost[facet.tag]) for facet in counted.facets]
    return CountedList(counted.companies - lost[""], tuple(facet for facet in facets if facet.companies > 0))
