"""Conditions on companies that are stated beside a text, in words or codes: place, activity, status."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from padron.companies.model import CountryCode
from padron.countries.country import Status
from padron.errors import Invalid
from padron.index.engine import Scope
from padron.index.release_index import ReleaseIndex
from padron.index.tags import ACTIVITY_CODE, NO_ACTIVITY, Filters, activity_filter, stem
from padron.questions.lexicon import Lexicon
from padron.text import CONNECTIVES, fold
from padron.words import Text, bilingual

_STATUSES: Final = tuple(map(str, Status))


class Around(NamedTuple):
    """A region of a country, by its name."""

    country: CountryCode
    region: str


class ConditionReader:
    """Reader of conditions, in the words of questions and in those that the registers of one index use."""

    def __init__(self, lexicon: Lexicon, release_index: ReleaseIndex) -> None:
        self._lexicon = lexicon
        self._index = release_index

    async def place(self, text: str, country: CountryCode | None) -> Filters:
        """Read a city, province, state or department, with or without what it lies in (`Cuenca, Azuay`).

        Raises:
            Invalid: `bad-filter`, no company is there.
        """
        for name in dict.fromkeys(fold(part) for part in (text, text.partition(",")[0])):
            if name and (there := await self._place(name, country)):
                return there
        raise Invalid("bad-filter", parameter="place", known=self._expected_place(country))

    def _expected_place(self, country: CountryCode | None) -> Text:
        wider = (named[country].wider for named in self._lexicon.places.values() if country and country in named)
        if example := next(filter(None, wider), None):
            return bilingual("a state, as “{state}”: the registers there do not state the city", state=example)
        return bilingual("a city, province, state or department as registers write it, without its country")

    def around(self, text: str, country: CountryCode | None) -> Around | None:
        """Return the region that is applied instead of a place of which registers state only the region, if it is."""
        named = self._lexicon.places.get(fold(text), {})
        code = country or next(iter(named), None)
        place = named.get(code) if code else None
        return Around(code, place.wider) if code and place and place.wider else None

    async def _place(self, name: str, country: CountryCode | None) -> Filters | None:
        named = self._lexicon.places.get(name, {})
        place = named.get(country) if country else next(iter(named.values()), None)
        if place:
            return Filters(region=place.region, cities=place.cities)
        for there in (Filters(region=name), Filters(cities=(name,))):
            if await self._holds(there, country):
                return there
        return None

    def country_of(self, place: str) -> CountryCode | None:
        """Return the only country that has a place which questions name so; None for several, or no such place."""
        countries = list(self._lexicon.places.get(fold(place), {}))
        return countries[0] if len(countries) == 1 else None

    async def activity(self, text: str, country: CountryCode | None) -> Filters:
        """Read an activity: a code (of the country, or `isic:G47`), else words, in the end those of official wordings.

        Raises:
            Invalid: `bad-filter`, no company has it in its register.
        """
        if ACTIVITY_CODE.fullmatch(text.strip()):
            activity = Filters(activity=(activity_filter(text.strip()),))
        else:
            activity = self._named(text, country)
        if not await self._holds(activity, country):
            unknown = [word for word in activity.words if not await self._holds(Filters(words=(word,)), country)]
            raise Invalid("bad-filter", parameter="activity", known=_expected(_spelt(text, unknown), activity.words))
        return activity

    def _named(self, text: str, country: CountryCode | None) -> Filters:
        words = fold(text).split()
        keys = self._lexicon.values(words, "activity") or self._lexicon.values(words, "topic")
        tags = [self._lexicon.activities[key].tags for key in sorted(keys)]
        codes = dict.fromkeys(tag for own in tags for at, some in own.items() if country in {None, at} for tag in some)
        if codes:
            return Filters(activity=tuple(codes))
        telling = tuple(stem(word) for word in words if word not in CONNECTIVES)
        return Filters(words=telling) if telling else Filters(activity=NO_ACTIVITY)

    def status(self, text: str) -> Filters:
        """Read a status: its code, or a word for it. Raises `Invalid("bad-filter")` for others."""
        named = self._lexicon.values(fold(text).split(), "status")
        code = text.strip().lower()
        if code not in _STATUSES and len(named) != 1:
            raise Invalid("bad-filter", parameter="status", known=", ".join(_STATUSES))
        return Filters(status=code if code in _STATUSES else next(iter(named)))

    async def _holds(self, filters: Filters, country: CountryCode | None) -> bool:
        total, _ = await self._index.engine.among(Scope(country, filters.within()), 0, 1)
        return total > 0


def _spelt(text: str, stems: Collection[str]) -> str:
    """Return the words of a text that have some stems, as they stand in it."""
    return ", ".join(word for word in fold(text).split() if stem(word) in stems)


def _expected(unknown: str, words: Collection[str]) -> Text:
    """Return what an activity may be, with what to leave out: words that no label has, or some of those it has."""
    if len(words) > 1 and unknown:
        return bilingual("words of official labels of activities there; none of them has: {words}", words=unknown)
    if len(words) > 1:
        return bilingual("fewer words: each is in an official label of an activity there, and no label has all of them")
    return bilingual(
        "an activity that a company has there: a word such as “supermercados”, words of its official label, or the "
        "beginning of a code (of the country, or isic:G47)"
    )
