"""Search for official identifiers in a text: alone or among words, in any punctuation, of any country."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise, product
from typing import NamedTuple

from padron.companies.model import Identifier
from padron.countries.country import Country, Scheme
from padron.errors import Invalid, NotFound
from padron.text import bare_number, fold, plain_marks

_DIGIT = re.compile(r"[0-9]")
_MARKS = re.compile(r"[\s.,\-/]")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}|[1-9]([.,])[0-9]{3}\1[0-9]{3}")
"""A number without check digit, as a spreadsheet shows it; beside words it may be an amount."""
_SURE_CHARACTERS = 11
"""Characters of a number, at least, that a check digit alone tells: one in eleven telephone numbers has a right one."""
_MAX_WINDOW_WORDS = 6
"""Words that one number is written in, at most: `20 - 12345678 - 9` has five."""
_MAX_WINDOWS = 24
"""Windows that are tried, at most: a bound on the time that a long text takes."""
_MOST_WORDS = 128
"""Words of a text, at most, among which numbers are looked for: a query of 256 characters has no more."""
_MIN_DIGITS = 5
"""Digits of a number beside words of a name or behind a country's code, at least: shorter ones are part of a name."""
_PERSON_CHARACTERS = 10
"""Characters of a person's number, at least, in the countries that number persons."""


class Number(NamedTuple):
    """A reading of a number as an identifier of a country.

    `named`: the text names its scheme. `coded`: the country's code stands in front, as letters do in front of the
    numbers of orders and patents (`US1018724`).
    """

    country: str
    scheme: Scheme
    identifier: Identifier
    named: bool
    coded: bool = False


class Spotted(NamedTuple):
    """A number in a text.

    Attributes:
        numbers: Its readings, in the order of the countries.
        text: The number as written.
        rest: The words around it.
        persons: The countries that read it as a person's number.
        long: It has ten characters or more. A long number in `persons` is a person's unless a company has it.
    """

    numbers: tuple[Number, ...]
    text: str
    rest: str
    persons: frozenset[str]
    long: bool

    def wrong(self, country: str | None) -> Number | None:
        """Return the first reading of `country`, or of any, whose check digit is wrong."""
        of_country = (number for number in self.numbers if country in {None, number.country})
        return next((number for number in of_country if number.identifier.valid_check is False), None)

    @property
    def is_all(self) -> bool:
        """True if the text is nothing but this number, so long and without a letter that it is no name either."""
        is_named = any(number.named or number.coded for number in self.numbers)
        is_long = len(_DIGIT.findall(self.text)) >= _MIN_DIGITS
        return not self.rest and is_long and (is_named or not any(map(str.isalpha, self.text)))


def readings(country: Country, text: str) -> list[Number]:
    """Return every reading of `text` as an identifier of `country`, preferred first; raise like `Country.identify`.

    Up to seven digits in groups of thousands (`320,193`, `320.193`) are read as without the marks between them. Where
    it is none, the country's code in front (`EC1790016919001`, `COL 890900266`) is no part of it.
    """
    text = bare_number(text)
    return _with_code(country, _MARKS.sub("", text) if _THOUSANDS.fullmatch(text) else text)


def _with_code(country: Country, text: str) -> list[Number]:
    """Return the readings of a text, or else of what stands behind the country's code."""
    try:
        return _as_written(country, text)
    except Invalid:
        coded = _code_in_front(country.iso_codes).fullmatch(bare_number(text))
        if coded is None or len(_DIGIT.findall(coded[1])) < _MIN_DIGITS:
            raise
        return [number._replace(coded=True) for number in _as_written(country, coded[1])]


def _as_written(country: Country, text: str) -> list[Number]:
    """Return the readings of `text` as it is."""
    return [
        Number(country.code, country.scheme_by_code[identifier.scheme], identifier, named=False)
        for identifier in country.identify(text)
    ]


@lru_cache
def _code_in_front(codes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a number behind one of `codes`."""
    return re.compile(rf"(?:{'|'.join(codes)})[\s\-]*+(.+)", re.IGNORECASE | re.DOTALL)


def unissued(country: Country, text: str) -> Number | None:
    """Return `text` as an identifier by its shape alone, None where it has no such shape.

    For texts that `readings` refuses: `9999999999999` has the shape of a RUC that no company can have.
    """
    bare = _MARKS.sub("", bare_number(text)).upper()
    for scheme in country.schemes:
        if re.fullmatch(scheme.shape or "(?!)", bare):
            return Number(country.code, scheme, Identifier(scheme.code, bare, None), named=False)
    return None


class Spotter:
    """Finder of identifiers of the countries in `registry`; `vague` words beside a number are not part of a name."""

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
        """Return the number in `text`, None when there is none.

        The whole text is tried first, then the longest group of neighbouring words. Short numbers beside words of a
        name are identifiers only where a scheme is named: names have numbers too. A number that may be a person's is
        passed over for another one.
        """
        text = plain_marks(text)
        if not _DIGIT.search(text):
            return None
        folded = f" {fold(text)} "
        schemes = frozenset(code for word, code in self._scheme_words if word in folded)
        if spotted := self._read(text, schemes, "", readings):
            return spotted
        words = text.split()
        persons: Spotted | None = None
        for window in islice(_windows(words[:_MOST_WORDS]), _MAX_WINDOWS):
            number = " ".join(words[window])
            rest = " ".join(words[: window.start] + words[window.stop :])
            long_enough = len(_DIGIT.findall(number)) >= _MIN_DIGITS
            alone = schemes or long_enough or self._vague.issuperset(fold(rest).split())
            # A code in front only within the word of the number: `Ford Motor Co 37996` is not Colombian.
            read = _with_code if number == words[window.start] else _as_written
            if alone and (spotted := self._read(number, schemes, self._without_scheme_words(rest), read)):
                if not spotted.persons:
                    return spotted
                persons = persons or spotted
        return persons

    def _read(
        self, text: str, schemes: frozenset[str], rest: str, read: Callable[[Country, str], list[Number]]
    ) -> Spotted | None:
        text = bare_number(text)
        numbers: list[Number] = []
        persons: set[str] = set()
        for code, country in self._registry.items():
            try:
                numbers += read(country, text)
            except Invalid:
                continue
            except NotFound:
                persons.add(code)
        if not numbers and not persons:
            return None
        if numbers:
            persons = {code for code in persons if self._registry[code].is_surely_person(text)}
        if any(number.identifier.valid_check and not number.coded for number in numbers):
            numbers = [number for number in numbers if not number.coded]
        if named := [number._replace(named=True) for number in numbers if number.scheme.code in schemes]:
            numbers = named
        if any(_is_customary(number, text) for number in numbers):
            persons.clear()
        long = sum(map(str.isalnum, text)) >= _PERSON_CHARACTERS or len(text) > _PERSON_CHARACTERS
        return Spotted(tuple(numbers), text, rest, frozenset(persons), long)

    def _without_scheme_words(self, text: str) -> str:
        folded = f" {fold(text)} "
        for word, _ in self._scheme_words:
            folded = folded.replace(word, " ")
        return folded.strip()


def is_telling(number: Number) -> bool:
    """Return whether a text surely means a number of this kind: it says so, or a long one has a right check digit."""
    long = len(number.identifier.value) >= _SURE_CHARACTERS
    return number.identifier.valid_check is not False and (
        number.named or (long and bool(number.identifier.valid_check))
    )


def _is_customary(number: Number, text: str) -> bool:
    """Return whether `text` has the separators of a company's number: a person's of that length has others."""
    shown = number.scheme.show(number.identifier.value)
    return not shown.isalnum() and shown == text


def corrected(country: Country, number: Number) -> str | None:
    """Return the number with the right check digits, None where there are none."""
    if not (check := number.scheme.check):
        return None
    value = number.identifier.value
    for digits in product("0123456789A", repeat=check.stop - check.start):
        whole = value[: check.start] + "".join(digits) + value[check.stop :]
        for reading in _readings_or_none(country, whole):
            if reading.identifier.valid_check:
                return reading.identifier.value
    return None


def one_slip_off(country: Country, text: str) -> Iterator[Number]:
    """Yield the companies' numbers with the right check digits that `text` is but for one slip.

    A slip is a wrong digit, or two neighbouring digits that changed places.
    """
    for slipped in _one_slip_off(text):
        yield from (other for other in _readings_or_none(country, slipped) if other.identifier.valid_check)


def is_one_slip(value: str, other: str) -> bool:
    """Return whether two canonical numbers are the same but for one slip at most."""
    return value == other or other in _one_slip_off(value)


def _one_slip_off(text: str) -> Iterator[str]:
    places = [at for at, char in enumerate(text) if _DIGIT.match(char)]
    for at in places:
        for digit in "0123456789".replace(text[at], ""):
            yield text[:at] + digit + text[at + 1 :]
    for at, after in pairwise(places):
        if text[at] != text[after]:
            yield text[:at] + text[after] + text[at + 1 : after] + text[at] + text[after + 1 :]


def _readings_or_none(country: Country, text: str) -> list[Number]:
    """Return the readings of `text`, none where it is no number or a person's."""
    try:
        return readings(country, text)
    except (Invalid, NotFound):
        return []


def _windows(words: Sequence[str]) -> Iterator[slice]:
    """Yield neighbouring words that may be one number, longest first; short words may be part (`ABC 010101 XX1`)."""
    with_digit = [bool(_DIGIT.search(word)) for word in words]
    for size in range(min(_MAX_WINDOW_WORDS, len(words) - 1), 0, -1):
        for start in range(len(words) - size + 1):
            window = slice(start, start + size)
            if any(with_digit[window]) and all(
                digit or len(word) <= 4 for word, digit in zip(words[window], with_digit[window], strict=True)
            ):
                yield window
