"""What a question asks for: its companies, and what it says of them beside their names.

A text is read in several ways, because a name may hold any word of a question (`Banco de Chile`, `México Sport SA`):
whole, as a plain search would take it; without what stands around the name (`¿cuál es el RUC de …?`, `…, Colombia,
active`); and torn, without the words that describe a company (`la petrolera argentina …`). Whoever plans tries them and
keeps the one that fits best. Text is data: nothing in it is run, and what is not understood stays part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from padron.country import Country
from padron.index.tags import NO_ACTIVITY, Filters, stem
from padron.questions.interpretation import Asked, Aspect, Interpretation, Listing, Reading
from padron.questions.lexicon import Found, Kind, Lexicon, Meaning
from padron.questions.name_spans import ARTICLES, Core, core, parts, readings, same
from padron.questions.phrases import NUMBERS, POLITE, Phrases
from padron.text import fold

MOST_COMPANIES: Final = 8
"""Companies of one question that are looked for; the others are told."""

_QUOTED = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|«([^»]{2,})»|„([^“”]{2,})[“”]")
_MOST_UNKNOWN: Final = 3


class _Companies(NamedTuple):
    """Companies asked for, whether they were as such, and what was found around them."""

    asked: list[Asked]
    several: bool
    around: list[Found]


class Understander:
    """Reads questions by the words of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self.lexicon = Lexicon(registry)
        self._schemes: dict[str, set[str]] = {}
        for code, country in registry.items():
            for scheme in country.schemes:
                self._schemes.setdefault(scheme.code, set()).add(code)

    def understand(
        self, text: str, ignored: frozenset[Aspect] = frozenset(), country: str | None = None
    ) -> Interpretation:
        """Interpret `text` without the aspects `ignored`, for an answer limited to `country`."""
        phrases = Phrases(text, self.lexicon, self._schemes, ignored, country)
        quoted = [part for match in _QUOTED.finditer(text) for part in match.groups() if part and fold(part)]
        numbers = phrases.numbers()
        found = core(phrases, 0, len(phrases))
        question = bool(quoted) or _is_question(phrases, found)
        listing = None if quoted or numbers else _listing(phrases)
        if quoted:
            companies = self._quoted(text, quoted, ignored, country)
        elif numbers:
            companies = _numbered(phrases, numbers, found)
        else:
            companies = _named(phrases, found, question=question)
        around = [*companies.around, *(listing.found if listing else ())]
        return Interpretation(
            phrases.language(),
            tuple(companies.asked[:MOST_COMPANIES]),
            companies.several,
            max(0, len(companies.asked) - MOST_COMPANIES),
            listing,
            phrases.understood(around) if not quoted else companies.asked[0].readings[0].told,
            question,
        )

    def _quoted(
        self, text: str, quoted: Sequence[str], ignored: frozenset[Aspect], limited_to: str | None
    ) -> _Companies:
        """The companies named in quotes, with what is said outside these."""
        unquoted = _QUOTED.sub(lambda match: " " * len(match[0]), text)
        outside = Phrases(unquoted, self.lexicon, self._schemes, ignored, limited_to)
        found = outside.scattered(0, len(outside))
        country, uncovered, schemes = outside.pointed(found)
        told = outside.understood(found)
        whole = [Reading("whole", text)] if len(quoted) == 1 else []
        names = [part.strip() for part in quoted]
        ways = [(Reading("bare", name, country, uncovered, told), *whole) for name in names]
        asked = [Asked(*one, schemes, number=False) for one in zip(names, ways, strict=True)]
        return _Companies(asked, len(quoted) > 1, found)


def _is_question(phrases: Phrases, found: Core) -> bool:
    """Whether a text says more than a name does."""
    strong = [one for one in found.around if one.meaning.kind in POLITE | NUMBERS and not phrases.is_weak(one)]
    return bool(strong) or found.apart or "?" in phrases.text


def _numbered(phrases: Phrases, numbers: Sequence[int], found: Core) -> _Companies:
    """The companies of numbers: one number with all that is said around it, several each with its scheme."""
    if len(numbers) == 1:
        start, end = _around_number(phrases, numbers[0])
        text = phrases.raw(start, end)
        label = phrases.longest(start, end, NUMBERS)
        number = phrases.raw(label.end, end) if label and label.end <= numbers[0] else text
        pointed = phrases.pointed(phrases.scattered(0, len(phrases)))
        return _Companies([Asked(number, (Reading("bare", text),), pointed.schemes, number=True)], False, found.around)
    asked: list[Asked] = []
    said, before = "", 0
    schemes: tuple[str, ...] = ()
    for at in numbers:
        for one in phrases.scattered(before, at):
            if one.meaning.kind == "scheme":
                said, schemes = phrases.raw(one.start, one.end), phrases.schemes_of(one)
        number = phrases.words[at].raw
        asked.append(Asked(number, (Reading("bare", f"{said} {number}".strip()),), schemes, number=True))
        before = at + 1
    return _Companies(asked, True, found.around)


def _around_number(phrases: Phrases, at: int) -> tuple[int, int]:
    """The words around a number without those that ask."""
    start, end = 0, len(phrases)
    while start < at and (found := phrases.longest(start, at, POLITE)):
        start = found.end
    while start < at and phrases.folded[start] in ARTICLES:
        start += 1
    while found := phrases.ending(at + 1, end, POLITE):
        end = found.start
    return start, end


def _named(phrases: Phrases, found: Core, *, question: bool) -> _Companies:
    """The companies named in the core of a text: several where it says so, else the text and what may be its parts."""
    around, pointed = list(found.around), phrases.pointed(found.around)
    stretches, sure = parts(phrases, found.start, found.end, question=question)
    several: list[Asked] = []
    for start, end in stretches if len(stretches) > 1 else ():
        one = core(phrases, start, end)
        if one.start < one.end:
            own = phrases.pointed(one.around)
            around += one.around if sure else []
            ways = readings(phrases, one.start, one.end, own if own.country or own.uncovered else pointed)
            several.append(
                Asked(phrases.raw(one.start, one.end), tuple(ways), own.schemes or pointed.schemes, number=False)
            )
    if len(several) > 1 and sure:
        return _Companies(several, True, around)
    whole = Reading("whole", phrases.text)
    ways = readings(phrases, found.start, found.end, pointed)
    if not question:
        others = [reading for reading in ways if not same(reading, whole)]
        likely = bool(others) and others[0].how == "torn" and not others[0].confirming
        ways = [*others[:likely], whole, *others[likely:]]
    text = phrases.raw(found.start, found.end) or phrases.text.strip()
    single = Asked(text, tuple(ways or [whole]), pointed.schemes, number=False)
    return _Companies([single, *several] if len(several) > 1 else [single], False, around)


def _listing(phrases: Phrases) -> Listing | None:
    """The list of companies that a whole text describes, if nothing in it is a name."""
    explained = phrases.explained(_MOST_UNKNOWN)
    if explained is None:
        return None
    found, unknown = explained
    said: dict[Kind, Meaning] = {}
    for one in found:
        said.setdefault(one.meaning.kind, one.meaning)
    many = phrases.speaks_of_companies() or ("listed" in said and "topic" in said)
    activity = said.get("activity") or (said.get("topic") if many else None)
    if not (activity or many) or (unknown and not many):
        return None
    country, uncovered, _ = phrases.pointed(found)
    if not (country or uncovered or phrases.marked or (activity and many)):
        return None
    places = phrases.lexicon.places[said["place"].value] if "place" in said else {}
    place = places.get(country or "") or next(iter(places.values()), None)
    tags = phrases.lexicon.activities[activity.value].tags if activity else {}
    filters = Filters(
        status=said["status"].value if "status" in said else None,
        form=said["legalForm"].value if "legalForm" in said else None,
        region=place.region if place else None,
        cities=place.cities if place else (),
        financials=True if "financials" in said else None,
        listed=True if "listed" in said else None,
        activity=_tags(tags, country) if activity else (),
        words=tuple(map(stem, unknown)),
    )
    where = next((phrases.raw(one.start, one.end) for one in found if one.meaning.kind == "place"), None)
    key = activity.value if activity else None
    return Listing(country, uncovered, filters, key, where, tuple(unknown), many, not unknown, tuple(found))


def _tags(tags: Mapping[str, tuple[str, ...]], country: str | None) -> tuple[str, ...]:
    """The tags of an activity in a country, or in all."""
    if country:
        return tags.get(country, NO_ACTIVITY)
    return tuple(dict.fromkeys(tag for some in tags.values() for tag in some))
