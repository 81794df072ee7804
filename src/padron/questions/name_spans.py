"""Telling names from what stands around them, and from the words that describe their companies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.questions.interpretation import Reading
from padron.questions.lexicon import Found, Kind, Lexicon
from padron.questions.phrases import (
    ATTRIBUTES,
    COUNTRIES,
    DESCRIBING,
    JOINING,
    NOUNS,
    NUMBERS,
    PLACES,
    POLITE,
    STATES,
    Phrases,
    Pointed,
)
from padron.text import fold

ARTICLES: Final = frozenset("el la los las the a o os as un una uma an".split())
_IN: Final = frozenset("en in no na nos nas em at from".split())
_OF: Final = frozenset("de del da do of from para for".split())
_COMPANY: Final = frozenset("empresa compania companhia company firm firma".split())
_OR: Final = frozenset[Kind](("or",))
_AND: Final = frozenset("y e and".split())
_BETWEEN: Final = _OR | frozenset[Kind](("and",))
_NONE: Final = frozenset[Kind]()
_MOST_STRANGE: Final = 2


class Core(NamedTuple):
    """The words of a name, from `start` up to `end`, and what stands around them; `apart` if marks part any of it."""

    start: int
    end: int
    around: list[Found]
    apart: bool


class Parts(NamedTuple):
    """Stretches of words that may each be a company's name, and whether the text says so."""

    stretches: list[tuple[int, int]]
    sure: bool


class Description(NamedTuple):
    """Words that describe a company: the name begins at `end`; what they say, and how surely they are no name.

    `degree`: 0 not at all, 1 with an article, 2 by country and by kind.
    """

    end: int
    told: list[Found]
    degree: int


def core(phrases: Phrases, start: int, end: int) -> Core:
    """The name in a stretch of words, freed from both ends until nothing more can go."""
    around: list[Found] = []
    apart = False
    before = (-1, -1)
    while before != (start, end) and start < end:
        before = (start, end)
        start = _free_left(phrases, start, end, around)
        end = _free_right(phrases, start, end, around)
        start, end, more = _free_segments(phrases, start, end, around)
        apart = apart or more
    return Core(start, end, around, apart)


def _free_left(phrases: Phrases, start: int, end: int, around: list[Found]) -> int:
    """Where a name begins behind asking, politeness, words for numbers, and one joining phrase after these."""
    first, folded = start, phrases.folded
    if start + 1 < end and folded[start] in ARTICLES and phrases.longest(start + 1, end, NUMBERS):
        start += 1
    while found := phrases.longest(start, end, POLITE | NUMBERS):
        around.append(found)
        start = found.end
        number = found.meaning.kind in NUMBERS
        if number and phrases.longest(start, end, _OR) and phrases.longest(start + 1, end, NUMBERS):
            start += 1
            continue
        if (state := phrases.longest(start, end, STATES)) and state.end < end:
            around.append(state)
            start = state.end
        if joining := phrases.longest(start, end, JOINING):
            start = joining.end
    if start == first and phrases.marked and start < end and folded[start] in _OF:
        start += 1
    named = start + 2 < end and folded[start] in ARTICLES and folded[start + 1] in _COMPANY
    if named and not phrases.longest(start + 2, end, DESCRIBING | JOINING):
        start += 2
    return start


def _free_right(phrases: Phrases, start: int, end: int, around: list[Found]) -> int:
    """Where a name ends before asking, politeness, words for numbers, and words for states."""
    while found := phrases.ending(start, end, POLITE | NUMBERS | STATES):
        # `RUC y expediente` asks for two numbers, `Ind e Exp` is the end of a name.
        joined = found.meaning.kind in NUMBERS and found.start > start and phrases.folded[found.start - 1] in _AND
        if (found.start == start and not around) or (joined and not phrases.ending(start, found.start - 1, NUMBERS)):
            break
        around.append(found)
        end = found.start - joined
        if (joining := phrases.ending(start + 1, end, JOINING)) and joining.end - joining.start > 1:
            end = joining.start
    return end


def _free_segments(phrases: Phrases, start: int, end: int, around: list[Found]) -> tuple[int, int, bool]:
    """A name without the parts between marks, at either end, that only say something of the company."""
    apart = False
    while (cut := _cut(phrases, range(end - 1, start, -1))) and (found := _said(phrases, cut, end)):
        around += found
        end, apart = cut, True
    while (cut := _cut(phrases, range(start + 1, end))) and (found := _said(phrases, start, cut)):
        around += found
        start, apart = cut, True
    return start, end, apart


def _cut(phrases: Phrases, places: range) -> int | None:
    return next((at for at in places if phrases.words[at].parted), None)


def _said(phrases: Phrases, start: int, end: int) -> list[Found] | None:
    """What a stretch of words says of a company, None if it may be part of a name."""
    found = phrases.covered(start, end, ATTRIBUTES)
    if found is None or (PLACES | STATES | NUMBERS | POLITE).isdisjoint(one.meaning.kind for one in found):
        return None
    return [one for one in found if one.meaning.kind != "joining"]


def parts(phrases: Phrases, start: int, end: int, *, question: bool) -> Parts:
    """The companies that may be named in a stretch of words.

    Names hold `and` and commas themselves: only a question is parted there, any text at `or` and `vs`.
    """
    stretches: list[tuple[int, int]] = []
    signs = _signs_of_several(phrases)
    question = question or signs
    first = start
    for at in range(start, end):
        between = phrases.longest(at, at + 1, _BETWEEN) if phrases.words[at].raw.isalpha() else None
        strong = between is not None and between.meaning.kind == "or" and not _is_letter(phrases, at)
        if question and phrases.words[at].parted and at > first:
            stretches.append((first, at))
            first = at
        if between and (strong or question) and start < at < end - 1:
            stretches += [(first, at)] if first < at else []
            first = at + 1
            again = question and (phrases.folded[first] in _OF or phrases.longest(first, end, NUMBERS) is not None)
            signs = signs or strong or again
    stretches.append((first, end))
    return Parts([stretch for stretch in stretches if stretch[0] < stretch[1]], signs)


def joins_itself(name: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether the words of a name hold one that elsewhere stands between companies: `Todomotos VS`."""
    return any(next(lexicon.starting(name, at, at + 1, _OR), None) for at in range(len(name)))


def _is_letter(phrases: Phrases, at: int) -> bool:
    """Whether an `o` is a letter of a name, as in `R O S S` and `Alianzas y o Industrias`."""
    return at > 0 and phrases.folded[at] == "o" and len(phrases.folded[at - 1]) == 1


def _signs_of_several(phrases: Phrases) -> bool:
    """Whether a text compares companies, or asks for numbers rather than a number."""
    plural = any(
        found.meaning.kind == "scheme" and phrases.folded[found.end - 1].endswith("s")
        for at in range(len(phrases))
        if (found := phrases.longest(at, len(phrases), NUMBERS))
    )
    return plural or (bool(phrases.folded) and phrases.folded[0] in {"compara", "compare", "comparar"})


def readings(phrases: Phrases, start: int, end: int, pointed: Pointed) -> list[Reading]:
    """How a name may be taken, in the order to try: an article or `in` before a place make a torn one likely."""
    if start >= end:
        return []
    bare = Reading("bare", phrases.name(start, end), pointed.country, pointed.uncovered)
    described = _described(phrases, start, end)
    torn = [_torn(phrases, description, end, bare) for description in described]
    found = [reading for reading in torn if reading and not same(reading, bare)]
    place = _place(phrases, start, end)
    likely = _has_article(phrases, start) if described[0].degree else place is not None
    return [*found, bare] if likely else [bare, *found, *_confirming(phrases, start, end, bare)]


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings ask for the same."""
    return fold(one.name) == fold(other.name) and one.country == other.country


def _place(phrases: Phrases, start: int, end: int) -> Found | None:
    """The place at the end of a name with `in` before it: `of` is part of names."""
    place = phrases.ending(start + 2, end, PLACES)
    return place if place and phrases.folded[place.start - 1] in _IN else None


def _confirming(phrases: Phrases, start: int, end: int, bare: Reading) -> list[Reading]:
    """A name without the covered country at its end with `of` before it."""
    country = phrases.ending(start + 2, end, frozenset[Kind](("country",)))
    if country is None or phrases.folded[country.start - 1] not in _OF:
        return []
    name, told = phrases.name(start, country.start - 1), phrases.understood([country])
    return [Reading("torn", name, country.meaning.value, bare.uncovered, told, confirming=True)]


def _has_article(phrases: Phrases, start: int) -> bool:
    return not ARTICLES.isdisjoint(phrases.folded[max(0, start - 1) : start + 1])


def _torn(phrases: Phrases, description: Description, end: int, bare: Reading) -> Reading | None:
    """The name behind a description and without the place it stands in; None where only a legal form is left."""
    start, told = description.end, description.told
    if place := _place(phrases, start, end):
        end = place.start - 1
        told = [place, *told]
    if "".join(phrases.folded[start:end]) in phrases.lexicon.forms:
        return None
    country, uncovered, _ = phrases.pointed(told)
    name = phrases.name(start, end)
    return Reading("torn", name, country or bare.country, uncovered or bare.uncovered, phrases.understood(told))


def _described(phrases: Phrases, start: int, end: int) -> list[Description]:
    """Where a name may begin behind words that describe its company; nearest first, at `start` where none do.

    Descriptions may seem to go on into the name (`Brazilian bank Banco do Brasil`): the shortest and the longest that
    can be believed are given.
    """
    article = _has_article(phrases, start)
    found: list[Found] = []
    ends: list[Description] = []
    at, strange = start, 0
    while at < end - 1:
        kinds = {one.meaning.kind for one in found}
        one = phrases.longest(at, end, DESCRIBING | JOINING)
        if one and one.end < end and (kinds.isdisjoint(COUNTRIES) or one.meaning.kind not in COUNTRIES):
            found = [*found, one]
            at = one.end
            if one.meaning.kind != "joining":
                ends.append(Description(at, found, _degree(found, article, strange)))
        elif strange < _MOST_STRANGE and _goes_on(phrases, at, end, kinds, article):
            strange += 1
            at += 1
        else:
            break
    degree = max((one.degree for one in ends), default=0)
    best = [one for one in ends if one.degree == degree > 0]
    return [best[0], best[-1]] if len(best) > 1 else best or [Description(start, [], 0)]


def _goes_on(phrases: Phrases, at: int, end: int, kinds: set[Kind], article: bool) -> bool:
    """Whether an unknown word may be part of a description: `la panadería argentina …`, `US payments company …`."""
    placed, named = not kinds.isdisjoint(COUNTRIES), not kinds.isdisjoint(NOUNS)
    wanted = _NONE if placed and named else NOUNS if placed else COUNTRIES if article else _NONE
    return any(phrases.longest(follows, end, wanted) for follows in range(at + 1, min(at + 3, end)))


def _degree(found: Sequence[Found], article: bool, strange: int) -> int:
    """How surely phrases describe a company rather than begin its name.

    Without an article it takes a country and then a word for companies, as in English: names have the other order
    (`Compañía Colombiana de …`).
    """
    order = [one.meaning.kind for one in found]
    nouns = [at for at, kind in enumerate(order) if kind in NOUNS]
    countries = [at for at, kind in enumerate(order) if kind in COUNTRIES]
    company = bool(nouns) or strange > 0
    if not article:
        return 2 if countries and nouns and countries[0] < nouns[0] else 0
    return 2 if countries and company else int(bool(countries) or company or "legalForm" in order)
