"""Finding official identifiers in a text: alone or among words, in any punctuation, of any country."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from padron.country import Country, Scheme
from padron.errors import Invalid, NotFound
from padron.model import Identifier
from padron.text import fold, plain_marks

_DIGIT = re.compile(r"[0-9]")
_MARKS = re.compile(r"[\s.,\-/]")
_LONGEST_WINDOW = 6
_MOST_WINDOWS = 24
_FEWEST_DIGITS = 5
_PERSON_CHARACTERS = 10


class Number(NamedTuple):
    """One reading of a number as an identifier of a country; `said` when the text names its scheme."""

    country: str
    scheme: Scheme
    identifier: Identifier
    said: bool


class Spotted(NamedTuple):
    """The readings of a number in the order of the countries, the words around it, and who reads a person's number.

    `text` is the number as it was written.
    `long` numbers (ten characters, or more with separators) that somebody reads as a person's are one unless a company
    has them.
    """

    numbers: tuple[Number, ...]
    text: str
    rest: str
    persons: frozenset[str]
    long: bool


def readings(country: Country, text: str) -> list[Number]:
    """Every reading of `text` as an identifier of `country`, preferred first. Raises like `Country.identify`."""
    return [
        Number(country.code, country.scheme_by_code[found.scheme], found, said=False)
        for found in country.identify(text)
    ]


def unissued(country: Country, text: str) -> Number | None:
    """`text`, which `readings` refused, as a number that only looks like one: `9999999999999` is no RUC of anybody's.

    None where it does not even look like one.
    """
    bare = _MARKS.sub("", plain_marks(text)).upper()
    for scheme in country.schemes:
        if re.fullmatch(scheme.shape or "(?!)", bare):
            return Number(country.code, scheme, Identifier(scheme.code, bare, None), said=False)
    return None


class Spotter:
    """Finds the identifiers of the countries in `registry`; `vague` words beside a number say nothing of a name."""

    def __init__(self, registry: Mapping[str, Country], vague: frozenset[str]) -> None:
        self._registry = registry
        self._vague = vague
        self._scheme_words = [
            (f" {word} ", scheme.code)
            for country in registry.values()
            for scheme in country.schemes
            for word in scheme.words
        ]

    def spot(self, text: str) -> Spotted | None:
        """The identifier in `text`, None when there is none.

        The whole text is tried first, then the longest group of neighbouring words. Short numbers beside words of a
        name are identifiers only where a scheme is named: names have numbers too.
        """
        text = plain_marks(text)
        if not _DIGIT.search(text):
            return None
        folded = f" {fold(text)} "
        said = frozenset(code for word, code in self._scheme_words if word in folded)
        if found := self._read(text, said, ""):
            return found
        words = text.split()
        for window in islice(_windows(words), _MOST_WINDOWS):
            number = " ".join(words[window])
            rest = " ".join(words[: window.start] + words[window.stop :])
            long_enough = len(_DIGIT.findall(number)) >= _FEWEST_DIGITS
            alone = said or long_enough or self._vague.issuperset(fold(rest).split())
            if alone and (found := self._read(number, said, self._without_scheme_words(rest))):
                return found
        return None

    def _read(self, text: str, said: frozenset[str], rest: str) -> Spotted | None:
        numbers: list[Number] = []
        persons: set[str] = set()
        for code, country in self._registry.items():
            try:
                numbers += readings(country, text)
            except Invalid:
                continue
            except NotFound:
                persons.add(code)
        if not numbers and not persons:
            return None
        if named := [number._replace(said=True) for number in numbers if number.scheme.code in said]:
            numbers = named
        if any(_is_customary(number, text) for number in numbers):
            persons.clear()
        long = sum(map(str.isalnum, text)) >= _PERSON_CHARACTERS or len(text.strip()) > _PERSON_CHARACTERS
        return Spotted(tuple(numbers), text, rest, frozenset(persons), long)

    def _without_scheme_words(self, text: str) -> str:
        folded = f" {fold(text)} "
        for word, _ in self._scheme_words:
            folded = folded.replace(word, " ")
        return folded.strip()


def _is_customary(number: Number, text: str) -> bool:
    """Whether `text` has the separators of a company's number, where a person's of so many digits has others."""
    shown = number.scheme.show(number.identifier.value)
    return not shown.isalnum() and shown == text.strip()


def corrected(country: Country, number: Number) -> str | None:
    """The number with the check digits that fit it; None where none do."""
    if not (check := number.scheme.check):
        return None
    value = number.identifier.value
    for digits in product("0123456789A", repeat=check.stop - check.start):
        whole = value[: check.start] + "".join(digits) + value[check.stop :]
        for found in _readings_or_none(country, whole):
            if found.identifier.valid_check:
                return found.identifier.value
    return None


def one_digit_off(country: Country, text: str) -> Iterator[Number]:
    """Numbers of companies of which `text` differs in one digit, and whose check digits fit."""
    for at, char in enumerate(text):
        if _DIGIT.match(char):
            for digit in "0123456789".replace(char, ""):
                others = _readings_or_none(country, text[:at] + digit + text[at + 1 :])
                yield from (other for other in others if other.identifier.valid_check)


def _readings_or_none(country: Country, text: str) -> list[Number]:
    """As `readings`; none for what is no number, or a person's."""
    try:
        return readings(country, text)
    except (Invalid, NotFound):
        return []


def _windows(words: Sequence[str]) -> Iterator[slice]:
    """Neighbouring words that may be one number, longest first; a few letters may be with them (`ABC 010101 XX1`)."""
    with_digit = [bool(_DIGIT.search(word)) for word in words]
    for size in range(min(_LONGEST_WINDOW, len(words) - 1), 0, -1):
        for start in range(len(words) - size + 1):
            window = slice(start, start + size)
            if any(with_digit[window]) and all(
                digit or len(word) <= 4 for word, digit in zip(words[window], with_digit[window], strict=True)
            ):
                yield window
