"""Which companies a query fits, by rules fixed here: the truth that answers are scored against.

A name can be said as it is written, without its legal form, and (Ecuador) without the acronym behind the form. A
query fits every company that can be said like that: in the same words, in the same words in any order, in the
same letters, or nearest by edit distance, as its kind allows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import islice, product
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from evaluation.names import Reading, bag, bare, compact, initials, meaning, read, same, split
from evaluation.records import Company
from evaluation.vocabulary import COUNTRIES, COUNTRY_NAMES, KIND_WORDS

Words = tuple[str, ...]
Same = Callable[[Words], str]


def said(words: Words) -> str:
    """Equal for names of the same words in the same order."""
    return " ".join(words)


class Directory:
    """The companies, and indexes over every way to say their names. Companies are numbered by place."""

    def __init__(self, companies: list[Company]) -> None:
        self.companies = companies
        self.readings: list[list[tuple[str, Reading]]] = []
        self.group: dict[str, list[int]] = defaultdict(list)
        self.known: dict[str, Counter[str]] = defaultdict(Counter)
        self._by: dict[Same, dict[str, set[int]]] = {
            way: defaultdict(set) for way in (said, bag, bare, compact, initials)
        }
        self._holding: dict[str, set[int]] = defaultdict(set)
        self._lengths: dict[tuple[str, int], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._numbers: dict[str, set[int]] = defaultdict(set)
        self._aliases: set[str] = set()
        for place, company in enumerate(companies):
            self._add(place, company)
        self._places = set().union(*map(_place_words, companies))
        self._sorted = sorted(self._by[said])

    def _add(self, place: int, company: Company) -> None:
        names = [("legal", company.legal_name), *company.names]
        readings = [(kind, read(name, company.country)) for kind, name in names if name]
        self.readings.append(readings)
        self.group[company.group].append(place)
        self._numbers[company.identifier].add(place)
        self._aliases.update(company.numbers)
        words: set[str] = set()
        for _, reading in readings:
            for spoken in reading.spoken:
                words.update(spoken)
                for way, index in self._by.items():
                    index[way(spoken)].add(place)
                letters = compact(spoken)
                self._lengths[company.country, len(letters)][letters].add(place)
        self.known[company.country].update(words)
        for word in words:
            self._holding[same(word)].add(place)

    def within(self, places: Iterable[int], country: str | None) -> set[int]:
        """Those of `places` in `country` (None: all)."""
        return {place for place in places if country is None or self.companies[place].country == country}

    def fits(self, way: Same, words: Words, country: str | None, form: str | None = None) -> set[int]:
        """Companies that can be said, in the sense of `way`, like `words`; of this legal form where one is given."""
        key = way(words)
        found = self.within(self._by[way].get(key, ()), country)
        if form is None:
            return found
        return {place for place in found if form in self.forms(place, way, key)}

    def forms(self, place: int, way: Same, key: str) -> set[str | None]:
        """The legal forms with which a company bears a name."""
        return {r.form for _, r in self.readings[place] if any(way(spoken) == key for spoken in r.spoken)}

    def nearest(self, words: Words, country: str | None, most: int) -> tuple[int, set[int]]:
        """The least edit distance (transpositions count once) of any company to `words`, and who is that near."""
        asked = compact(words)
        best, found = most + 1, set[int]()
        countries = (country,) if country else COUNTRIES
        for length, code in product(range(max(1, len(asked) - most), len(asked) + most + 1), countries):
            names = self._lengths.get((code, length), {})
            for letters, distance, _ in extract(
                asked, names.keys(), scorer=OSA.distance, score_cutoff=min(best, most), limit=None
            ):
                if distance <= best:
                    found = found | names[letters] if distance == best else set(names[letters])
                    best = int(distance)
        return best, found

    def holding(self, words: Collection[str], country: str | None) -> set[int]:
        """Companies whose names hold every one of `words`, abbreviated or translated included."""
        sets = sorted((self._holding.get(same(word), set()) for word in words), key=len)
        return self.within(set.intersection(*sets), country) if sets else set()

    def beginning(self, prefix: str, country: str | None, most: int) -> set[int] | None:
        """Companies a name of which begins with `prefix` (folded); None where they are more than `most`."""
        found: set[int] = set()
        for name in islice(self._sorted, bisect_left(self._sorted, prefix), None):
            if not name.startswith(prefix):
                break
            found |= self.within(self._by[said][name], country)
            if len(self.groups(found)) > most:
                return None
        return found

    def numbered(self, identifier: str, country: str | None) -> set[int]:
        """Companies with this primary identifier."""
        return self.within(self._numbers.get(identifier, ()), country)

    def taken(self, number: str) -> bool:
        """Whether any company has this identifier, of whatever scheme."""
        return number in self._numbers or number in self._aliases

    def groups(self, places: Iterable[int]) -> set[str]:
        """The companies (linked records are one) behind records."""
        return {self.companies[place].group for place in places}

    def records(self, places: Iterable[int]) -> tuple[tuple[str, str], ...]:
        """Country and identifier of every record of the companies at `places`, linked ones included."""
        members = {member for group in self.groups(places) for member in self.group[group]}
        return tuple(sorted(self.companies[member].key for member in members))

    def nobody(self, words: Words, country: str | None, *, near: bool = True) -> bool:
        """Whether no company (in `country`) could be meant by `words`.

        Nobody has these words in any order, these letters, or a name that holds all of them; words such as "company"
        and those for the place of that company apart. With `near`, nobody is one slip of the finger away either.
        """
        told = tuple(word for word in meaning(words) if word not in KIND_WORDS) or words
        return not (
            self.fits(bare, words, country)
            or self.fits(compact, words, country)
            or self.holding(told, country)
            or self._located(told, country)
            or (near and len(compact(words)) > 3 and self.nearest(words, country, 1)[1])
        )

    def _located(self, words: Words, country: str | None) -> bool:
        """Whether a company's names hold all of `words` but those that say where it is."""
        for length, start in product((1, 2, 3), range(len(words))):
            where = set(words[start : start + length])
            rest = words[:start] + words[start + length :]
            if (
                rest
                and where <= self._places
                and any(where <= _place_words(self.companies[place]) for place in self.holding(rest, country))
            ):
                return True
        return False


def _place_words(company: Company) -> set[str]:
    """The words that say where a company is: its country and its city or region."""
    places = (*COUNTRY_NAMES[company.country], company.place or "")
    return {word.text for place in places for word in split(place)}


class Subject(NamedTuple):
    """The company a query is made from, and the country the query is limited to (None: none)."""

    directory: Directory
    place: int
    scope: str | None = None

    @property
    def company(self) -> Company:
        """Its record."""
        return self.directory.companies[self.place]

    @property
    def legal(self) -> Reading:
        """Its registered name."""
        return self.directory.readings[self.place][0][1]

    def alike(self, way: Same, words: Words, form: str | None = None) -> set[int]:
        """The companies in scope that can be said, in the sense of `way`, like `words`."""
        return self.directory.fits(way, words, self.scope, form)
