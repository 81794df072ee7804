"""Search for the companies that a query fits: the truth that answers are scored against.

A name has variants: as it is written, without its legal form, and (Ecuador) without the acronym behind the form. A
query fits every company with a variant of the same words, of the same words in any order, of the same letters, or
nearest by edit distance, as the kind of the query allows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import islice, product
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from evaluation.names import Reading, bag, bare, compact, initials, meaning, read, representative, split
from evaluation.records import Company
from evaluation.vocabulary import COUNTRIES, COUNTRY_NAMES, KIND_WORDS

Words = tuple[str, ...]
Key = Callable[[Words], str]
"""A key that is equal for names that count as the same."""


def in_order(words: Words) -> str:
    """Return a key that is equal for names of the same words in the same order."""
    return " ".join(words)


class Directory:
    """The companies, numbered by place, with indexes over the variants of their names."""

    def __init__(self, companies: list[Company]) -> None:
        self.companies = companies
        self.readings: list[list[tuple[str, Reading]]] = []
        self.group: dict[str, list[int]] = defaultdict(list)
        self.known: dict[str, Counter[str]] = defaultdict(Counter)
        self._by: dict[Key, dict[str, set[int]]] = {
            key: defaultdict(set) for key in (in_order, bag, bare, compact, initials)
        }
        self._containing: dict[str, set[int]] = defaultdict(set)
        self._lengths: dict[tuple[str, int], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._numbers: dict[str, set[int]] = defaultdict(set)
        self._aliases: set[str] = set()
        for place, company in enumerate(companies):
            self._add(place, company)
        self._places = set().union(*map(_place_words, companies))
        self._sorted = sorted(self._by[in_order])

    def _add(self, place: int, company: Company) -> None:
        names = [("legal", company.legal_name), *company.names]
        readings = [(kind, read(name, company.country)) for kind, name in names if name]
        self.readings.append(readings)
        self.group[company.group].append(place)
        self._numbers[company.identifier].add(place)
        self._aliases.update(company.numbers)
        words: set[str] = set()
        for _, reading in readings:
            for variant in reading.variants:
                words.update(variant)
                for key, index in self._by.items():
                    index[key(variant)].add(place)
                letters = compact(variant)
                self._lengths[company.country, len(letters)][letters].add(place)
        self.known[company.country].update(words)
        for word in words:
            self._containing[representative(word)].add(place)

    def within(self, places: Iterable[int], country: str | None) -> set[int]:
        """Return the places in `country`; None: all of them."""
        return {place for place in places if country is None or self.companies[place].country == country}

    def fits(self, key: Key, words: Words, country: str | None, form: str | None = None) -> set[int]:
        """Return the companies with a variant of the same key as `words`, and of this legal form where one is given."""
        value = key(words)
        companies = self.within(self._by[key].get(value, ()), country)
        if form is None:
            return companies
        return {place for place in companies if form in self.forms(place, key, value)}

    def forms(self, place: int, key: Key, value: str) -> set[str | None]:
        """Return the legal forms with which a company bears a name."""
        return {r.form for _, r in self.readings[place] if any(key(variant) == value for variant in r.variants)}

    def nearest(self, words: Words, country: str | None, most: int) -> tuple[int, set[int]]:
        """Return the least edit distance of any company to `words` (transpositions count once), and the companies."""
        letters_asked = compact(words)
        best, companies = most + 1, set[int]()
        countries = (country,) if country else COUNTRIES
        for length, code in product(range(max(1, len(letters_asked) - most), len(letters_asked) + most + 1), countries):
            names = self._lengths.get((code, length), {})
            for letters, distance, _ in extract(
                letters_asked, names.keys(), scorer=OSA.distance, score_cutoff=min(best, most), limit=None
            ):
                if distance <= best:
                    companies = companies | names[letters] if distance == best else set(names[letters])
                    best = int(distance)
        return best, companies

    def containing(self, words: Collection[str], country: str | None) -> set[int]:
        """Return the companies whose names contain all of `words`, also abbreviated or translated."""
        sets = sorted((self._containing.get(representative(word), set()) for word in words), key=len)
        return self.within(set.intersection(*sets), country) if sets else set()

    def with_prefix(self, prefix: str, country: str | None, most: int) -> set[int] | None:
        """Return the companies with a name that begins with `prefix` (folded); None for more than `most` companies."""
        companies: set[int] = set()
        for name in islice(self._sorted, bisect_left(self._sorted, prefix), None):
            if not name.startswith(prefix):
                break
            companies |= self.within(self._by[in_order][name], country)
            if len(self.groups(companies)) > most:
                return None
        return companies

    def with_identifier(self, identifier: str, country: str | None) -> set[int]:
        """Return the companies with this primary identifier."""
        return self.within(self._numbers.get(identifier, ()), country)

    def is_taken(self, number: str) -> bool:
        """Return whether any company has this identifier, of any scheme."""
        return number in self._numbers or number in self._aliases

    def groups(self, places: Iterable[int]) -> set[str]:
        """Return the companies behind records: linked records are one company."""
        return {self.companies[place].group for place in places}

    def records(self, places: Iterable[int]) -> tuple[tuple[str, str], ...]:
        """Return country and identifier of every record of the companies at `places`, linked records included."""
        members = {member for group in self.groups(places) for member in self.group[group]}
        return tuple(sorted(self.companies[member].key for member in members))

    def is_absent(self, words: Words, country: str | None, *, near: bool = True) -> bool:
        """Return whether `words` can mean no company (in `country`).

        No company has these words in any order, these letters, or a name that contains all of them; words such as
        "company" and those for the place of the company do not count. With `near`, none is one typo away either.
        """
        distinctive = tuple(word for word in meaning(words) if word not in KIND_WORDS) or words
        return not (
            self.fits(bare, words, country)
            or self.fits(compact, words, country)
            or self.containing(distinctive, country)
            or self._is_located(distinctive, country)
            or (near and len(compact(words)) > 3 and self.nearest(words, country, 1)[1])
        )

    def _is_located(self, words: Words, country: str | None) -> bool:
        """Return whether a company has all of `words` in its names, except those for its place."""
        for length, start in product((1, 2, 3), range(len(words))):
            where = set(words[start : start + length])
            rest = words[:start] + words[start + length :]
            if (
                rest
                and where <= self._places
                and any(where <= _place_words(self.companies[place]) for place in self.containing(rest, country))
            ):
                return True
        return False


def _place_words(company: Company) -> set[str]:
    """Return the words for the place of a company: its country, its city or region."""
    places = (*COUNTRY_NAMES[company.country], company.place or "")
    return {word.text for place in places for word in split(place)}


class Subject(NamedTuple):
    """The company a query is made from, and the country the query is limited to (None: none)."""

    directory: Directory
    place: int
    scope: str | None = None

    @property
    def company(self) -> Company:
        """The record of the company."""
        return self.directory.companies[self.place]

    @property
    def legal(self) -> Reading:
        """The parsed legal name of the company."""
        return self.directory.readings[self.place][0][1]

    def fitting(self, key: Key, words: Words, form: str | None = None) -> set[int]:
        """Return the companies in scope with a variant of the same key as `words`."""
        return self.directory.fits(key, words, self.scope, form)
