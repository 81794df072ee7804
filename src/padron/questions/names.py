"""Separation of names from the words around them, and from the words that describe their companies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.questions.interpretation import TextReading
from padron.questions.lexicon import Kind, Lexicon, PhraseMatch
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
IN: Final = frozenset("en in no na nos nas em at from".split())
OF: Final = frozenset("de del da do of from para for".split())
_COMPANY: Final = frozenset("empresa compania companhia company firm firma".split())
_OR: Final = frozenset[Kind](("or",))
_AND: Final = frozenset("y e and".split())
_BETWEEN: Final = _OR | frozenset[Kind](("and",))
_NONE: Final = frozenset[Kind]()
_SEVERAL: Final = frozenset("compara compare comparar these ambas ambos both cuales quais estas estos".split())
_MOST_STRANGE: Final = 2


class Core(NamedTuple):
    """The span of a name and the phrases around it; `apart` if punctuation separates any of them."""

    start: int
    end: int
    around: list[PhraseMatch]
    apart: bool


class NameSpans(NamedTuple):
    """Spans that may each be the name of a company, and whether the text says so."""

    stretches: list[tuple[int, int]]
    sure: bool


class CompanyDescription(NamedTuple):
    """Words that describe a company before its name, which begins at `end`.

    `degree` is the certainty that they are no part of the name: 0 none, 1 with an article, 2 by country and by kind.
    """

    end: int
    matches: list[PhraseMatch]
    degree: int


def core(phrases: Phrases, start: int, end: int) -> Core:
    """Strip a stretch of words from both ends until only the name is left.

    Words that leave nothing but a legal form are the name themselves: `La Misma Empresa SA`.

    Args:
        start: Index of the first word.
        end: Index of the word after the last one.

    Returns:
        The span of the name, and the phrases around it.
    """
    around: list[PhraseMatch] = []
    apart = False
    before = (-1, -1)
    whole = start, end
    while before != (start, end) and start < end:
        before = (start, end)
        start = _free_left(phrases, start, end, around)
        end = _free_right(phrases, start, end, around)
        end = _free_register(phrases, start, end, around) if start + 1 < end else end
        start, end, more = _free_segments(phrases, start, end, around)
        apart = apart or more
    polite = {match.meaning.kind for match in around} <= POLITE
    if (start, end) != whole and polite and not apart and "".join(phrases.folded[start:end]) in phrases.lexicon.forms:
        return Core(*whole, [], apart=False)
    return Core(start, end, around, apart)


def _free_left(phrases: Phrases, start: int, end: int, around: list[PhraseMatch]) -> int:
    """Strip asking and polite phrases, words for numbers and one joining phrase after them from the left."""
    first, folded = start, phrases.folded
    if start + 1 < end and folded[start] in ARTICLES and phrases.longest(start + 1, end, NUMBERS):
        start += 1
    while match := phrases.longest(start, end, POLITE | NUMBERS):
        around.append(match)
        start = match.end
        number = match.meaning.kind in NUMBERS
        if (country := phrases.longest(start, end, COUNTRIES)) and phrases.longest(country.end, end, NUMBERS):
            around.append(country)
            start = country.end
            continue
        if number and phrases.longest(start, end, _OR) and phrases.longest(start + 1, end, NUMBERS):
            start += 1
            continue
        if (state := phrases.longest(start, end, STATES)) and state.end < end:
            around.append(state)
            start = state.end
        if joining := phrases.longest(start, end, JOINING):
            start = joining.end
    if start == first and phrases.marked and start < end and folded[start] in OF:
        start += 1
    named = start + 2 < end and folded[start] in ARTICLES and folded[start + 1] in _COMPANY
    if named and not phrases.longest(start + 2, end, DESCRIBING | JOINING):
        start += 2
    return start


def _free_right(phrases: Phrases, start: int, end: int, around: list[PhraseMatch]) -> int:
    """Strip asking and polite phrases, words for numbers and for states from the right."""
    while match := phrases.ending(start, end, POLITE | NUMBERS | STATES):
        # `RUC y expediente` asks for two numbers, `Ind e Exp` is the end of a name.
        joined = match.meaning.kind in NUMBERS and match.start > start and phrases.folded[match.start - 1] in _AND
        if (match.start == start and not around) or (joined and not phrases.ending(start, match.start - 1, NUMBERS)):
            break
        around.append(match)
        end = match.start - joined
        if (joining := phrases.ending(start + 1, end, JOINING)) and joining.end - joining.start > 1:
            end = joining.start
    return end


def _free_register(phrases: Phrases, start: int, end: int, around: list[PhraseMatch]) -> int:
    """Strip a register and its country from the right: `in the US registry`, `(está registrada) en Ecuador`."""
    stop = end - (phrases.folded[end - 1] in phrases.lexicon.registers)
    country = phrases.ending(start + 1, stop, COUNTRIES)
    at = country.start if country else stop
    registerless = stop == end
    if stop == end and country and phrases.folded[at - 1] in phrases.lexicon.registers:
        at, registerless = at - 1, False
    elif stop == end and not country:
        return end
    joined = at
    while joined > start + 1 and (phrases.folded[joined - 1] in IN or phrases.folded[joined - 1] in ARTICLES):
        joined -= 1
    if joined == at or (registerless and phrases.ending(start + 1, joined, POLITE) is None):
        return end
    around += [country] if country else []
    return joined


def _free_segments(phrases: Phrases, start: int, end: int, around: list[PhraseMatch]) -> tuple[int, int, bool]:
    """Strip parts between punctuation, at either end, that only hold attributes of the company."""
    apart = False
    while (cut := _cut(phrases, range(end - 1, start, -1))) and (matches := _attributes_of(phrases, cut, end)):
        around += matches
        end, apart = cut, True
    while (cut := _cut(phrases, range(start + 1, end))) and (matches := _attributes_of(phrases, start, cut)):
        around += matches
        start, apart = cut, True
    return start, end, apart


def _cut(phrases: Phrases, places: range) -> int | None:
    return next((at for at in places if phrases.words[at].parted), None)


def _attributes_of(phrases: Phrases, start: int, end: int) -> list[PhraseMatch] | None:
    """Return the attributes in a stretch of words, None if it may be part of a name."""
    matches = phrases.covered(start, end, ATTRIBUTES)
    if matches is None or (PLACES | STATES | NUMBERS | POLITE).isdisjoint(match.meaning.kind for match in matches):
        return None
    return [match for match in matches if match.meaning.kind != "joining"]


def parts(phrases: Phrases, start: int, end: int, *, question: bool) -> NameSpans:
    """Split a stretch of words into names of companies.

    Names hold `and` and commas themselves: only a question is split there, any text at `or` and `vs`.

    Args:
        start: Index of the first word.
        end: Index of the word after the last one.

    Returns:
        The spans, and whether the text certainly names several companies.
    """
    stretches: list[tuple[int, int]] = []
    signs = signs_of_several(phrases)
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
            again = question and (phrases.folded[first] in OF or phrases.longest(first, end, NUMBERS) is not None)
            signs = signs or strong or again
    stretches.append((first, end))
    return NameSpans([stretch for stretch in stretches if stretch[0] < stretch[1]], signs)


def holds_joining_word(name: Sequence[str], lexicon: Lexicon) -> bool:
    """Check for a word in a name that elsewhere joins companies: `Todomotos VS`."""
    return any(next(lexicon.starting(name, at, at + 1, _OR), None) for at in range(len(name)))


def _is_letter(phrases: Phrases, at: int) -> bool:
    """Check that an `o` is a letter of a name, as in `R O S S` and `Alianzas y o Industrias`."""
    return at > 0 and phrases.folded[at] == "o" and len(phrases.folded[at - 1]) == 1


def signs_of_several(phrases: Phrases) -> bool:
    """Check for a comparison of companies, a plural word for numbers, or one for several companies (`these`)."""
    plural = any(
        match.meaning.kind == "scheme" and phrases.folded[match.end - 1].endswith("s")
        for at in range(len(phrases))
        if (match := phrases.longest(at, len(phrases), NUMBERS))
    )
    return plural or not _SEVERAL.isdisjoint(phrases.folded)


def readings(phrases: Phrases, start: int, end: int, pointed: Pointed) -> list[TextReading]:
    """List the readings of a name in the order to try.

    An article, or `in` before a place, makes a torn reading likely.

    Args:
        start: Index of the first word of the name.
        end: Index of the word after the last one.

    Returns:
        The readings; none for an empty span.
    """
    if start >= end:
        return []
    bare = TextReading("bare", phrases.name(start, end), pointed.country, pointed.uncovered)
    described = _described(phrases, start, end)
    torn = [_torn(phrases, description, end, bare) for description in described]
    distinct = [reading for reading in torn if reading and not same(reading, bare)]
    place = _place(phrases, start, end)
    likely = _has_article(phrases, start) if described[0].degree else place is not None
    return [*distinct, bare] if likely else [bare, *distinct, *_confirming(phrases, start, end, bare)]


def same(reading: TextReading, other: TextReading) -> bool:
    """Check that two readings ask for the same company."""
    return fold(reading.name) == fold(other.name) and reading.country == other.country


def _place(phrases: Phrases, start: int, end: int) -> PhraseMatch | None:
    """Find a place at the end of a name with `in` before it: `of` is part of names."""
    place = phrases.ending(start + 2, end, PLACES)
    return place if place and phrases.folded[place.start - 1] in IN else None


def _confirming(phrases: Phrases, start: int, end: int, bare: TextReading) -> list[TextReading]:
    """Read a name without the covered country at its end with `of` before it."""
    country = phrases.ending(start + 2, end, frozenset[Kind](("country",)))
    if country is None or phrases.folded[country.start - 1] not in OF:
        return []
    name, clues = phrases.name(start, country.start - 1), phrases.clues([country])
    return [TextReading("torn", name, country.meaning.value, bare.uncovered, clues, confirming=True)]


def _has_article(phrases: Phrases, start: int) -> bool:
    return not ARTICLES.isdisjoint(phrases.folded[max(0, start - 1) : start + 1])


def _torn(phrases: Phrases, description: CompanyDescription, end: int, bare: TextReading) -> TextReading | None:
    """Read the name after a description and without its place; None where only a legal form is left."""
    start, matches = description.end, description.matches
    if place := _place(phrases, start, end):
        end = place.start - 1
        matches = [place, *matches]
    if "".join(phrases.folded[start:end]) in phrases.lexicon.forms:
        return None
    country, uncovered, _ = phrases.pointed(matches)
    name = phrases.name(start, end)
    return TextReading("torn", name, country or bare.country, uncovered or bare.uncovered, phrases.clues(matches))


def _described(phrases: Phrases, start: int, end: int) -> list[CompanyDescription]:
    """List the descriptions before a name, the shortest first; an empty one where there is none.

    A description may seem to continue into the name (`Brazilian bank Banco do Brasil`): the shortest and the longest
    plausible ones are returned.
    """
    article = _has_article(phrases, start)
    matches: list[PhraseMatch] = []
    ends: list[CompanyDescription] = []
    at, strange = start, 0
    while at < end - 1:
        kinds = {match.meaning.kind for match in matches}
        match = phrases.longest(at, end, DESCRIBING | JOINING)
        if match and match.end < end and (kinds.isdisjoint(COUNTRIES) or match.meaning.kind not in COUNTRIES):
            matches = [*matches, match]
            at = match.end
            if match.meaning.kind != "joining":
                ends.append(CompanyDescription(at, matches, _degree(matches, article, strange)))
        elif strange < _MOST_STRANGE and _goes_on(phrases, at, end, kinds, article):
            strange += 1
            at += 1
        else:
            break
    degree = max((match.degree for match in ends), default=0)
    best = [match for match in ends if match.degree == degree > 0]
    return [best[0], best[-1]] if len(best) > 1 else best or [CompanyDescription(start, [], 0)]


def _goes_on(phrases: Phrases, at: int, end: int, kinds: set[Kind], article: bool) -> bool:
    """Check that an unknown word may belong to a description: `la panadería argentina …`, `US payments company …`."""
    placed, named = not kinds.isdisjoint(COUNTRIES), not kinds.isdisjoint(NOUNS)
    wanted = _NONE if placed and named else NOUNS if placed else COUNTRIES if article else _NONE
    return any(phrases.longest(follows, end, wanted) for follows in range(at + 1, min(at + 3, end)))


def _degree(matches: Sequence[PhraseMatch], article: bool, strange: int) -> int:
    """Grade the certainty that phrases describe a company rather than begin its name.

    Without an article it takes a country and then a word for companies, as in English: names have the other order
    (`Compañía Colombiana de …`).
    """
    order = [match.meaning.kind for match in matches]
    nouns = [at for at, kind in enumerate(order) if kind in NOUNS]
    countries = [at for at, kind in enumerate(order) if kind in COUNTRIES]
    company = bool(nouns) or strange > 0
    if not article:
        return 2 if countries and nouns and countries[0] < nouns[0] else 0
    return 2 if countries and company else int(bool(countries) or company or "legalForm" in order)
