"""Official numbers that a spreadsheet took for quantities: without their leading zeros, or with decimals behind them.

Only numbers in the column of identifiers are read so: in a name or a question the same digits may be an amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from padron.countries.country import Country
from padron.errors import Invalid, NotFound
from padron.matching.identifiers import readings
from padron.text import bare_number, fold

_DECIMALS: Final = re.compile(r"([0-9]+)[.,]0{1,2}")
_EXPONENT: Final = re.compile(r"([1-9])(?:[.,]([0-9]*))?[eE]\+?([0-9]{1,2})")
_DIGITS: Final = re.compile(r"[0-9][0-9\s.,\-/]*")
_ZEROS: Final = ("0", "00")
"""Leading zeros that are put back; with more, too many numbers of a list's own would pass a check digit by chance."""
_NUMERO: Final = r"(?:(?:n[º°.o]?|n\.[º°o]|nro|num|number|n[uú]mero)\b[.:º°]*+)?+"
"""An abbreviation of "number" between the word for a scheme and the number."""
_ZERO: Final = re.compile(r"(?<=[0-9])[Oo]|[Oo](?=[0-9])")
_ONE: Final = re.compile(r"(?<=[0-9])[Il]|[Il](?=[0-9])")
"""Letters beside digits that may have been typed, or read by a scanner, for a digit."""
_MARKS: Final = r"[\s:#.)\-]*+"


def restored(cell: str, countries: Iterable[Country]) -> str:
    """Return the official number that a cell held before it was a quantity, or mistyped; any other cell as it is.

    Zeros come back only where none of the countries reads the number without them, unless with a wrong check digit, and
    one does with them: as a number with a right check digit, or as a person's.

    Args:
        countries: The countries whose number it may be.

    >>> restored("1790016919001.0", ()), restored("1,790016919001E+12", ()), restored("1.79E+12", ())
    ('1790016919001', '1790016919001', '1.79E+12')
    """
    countries = list(countries)
    number = _whole(bare_number(cell))
    if number is None:
        return _with_digits(cell, countries)
    return number if {*_reads(number, countries)} - {False} else _zero_filled(number, countries)


def labelled(cell: str, countries: Iterable[Country]) -> tuple[str, str]:
    """Return the word for a scheme that a cell begins with, or nothing, and the rest of the cell."""
    words = tuple(word for country in countries for scheme in country.schemes for word in scheme.words)
    behind = _label(words).fullmatch(cell)
    return (fold(behind[1].replace(".", "")), behind[2]) if behind else ("", cell)


@cache
def _label(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a number behind one of some words, which may have dots: `R.U.C. No. 1790016919001`.

    Linear in the text: no group gives blanks and marks back.
    """
    dotted = "|".join(r"\.?".join(word).replace(r" \.?", r"\s++") for word in sorted(words, key=len, reverse=True))
    behind = rf"\b{_MARKS}{_NUMERO}{_MARKS}(?=[^0-9]*+[0-9])(.+)"
    return re.compile(rf"\W*+({dotted or '(?!)'}){behind}", re.IGNORECASE | re.DOTALL)


def has_lost_digits(cell: str) -> bool:
    """Return whether a cell is a quantity in scientific notation that no longer has all its digits."""
    text = bare_number(cell)
    return _EXPONENT.fullmatch(text) is not None and _whole(text) is None


def is_rounded(cell: str, number: str) -> bool:
    """Return whether a number is one that a quantity in scientific notation was rounded from.

    >>> is_rounded("1.79129E+12", "1791290151001"), is_rounded("9.9E+11", "0990017514001"), is_rounded("2E+12", "1")
    (True, True, False)
    """
    shown = _EXPONENT.fullmatch(bare_number(cell))
    digits = "".join(filter(str.isdigit, number)).lstrip("0")
    if shown is None or len(digits) != int(shown[3]) + 1:
        return False
    mantissa = shown[1] + (shown[2] or "")
    rounded = f"{int(digits):.{len(mantissa) - 1}e}".partition("e")[0].replace(".", "")
    return digits.startswith(mantissa) or rounded == mantissa


def with_zeros(number: str) -> Iterator[str]:
    """Yield a number, then with the zeros before it that a spreadsheet may have cut off."""
    yield number
    if _whole(number):
        yield from (zeros + number for zeros in _ZEROS)


def _whole(text: str) -> str | None:
    """Return a quantity without decimals, a number in digits and separators as it is, None for all else."""
    if decimals := _DECIMALS.fullmatch(text):
        return decimals[1]
    if exponent := _EXPONENT.fullmatch(text):
        fraction = exponent[2] or ""
        return exponent[1] + fraction if len(fraction) == int(exponent[3]) else None
    return text if _DIGITS.fullmatch(text) else None


def _with_digits(cell: str, countries: list[Country]) -> str:
    """Return a cell with the digits that its letters O, I and l were meant as, where it is a number with them alone."""
    text = bare_number(cell)
    digits = _ONE.sub("1", _ZERO.sub("0", text))
    is_meant = digits != text and not any(_reads(text, countries)) and True in _reads(digits, countries)
    return digits if is_meant else cell


def _zero_filled(number: str, countries: list[Country]) -> str:
    filled = [zeros + number for zeros in _ZEROS]
    valid = (text for text in filled if True in _reads(text, countries))
    persons = (text for text in filled[:1] if "person" in _reads(text, countries))
    return next(valid, None) or next(persons, number)


def _reads(number: str, countries: list[Country]) -> Iterator[bool | str | None]:
    """Yield the verdict on the check digit in each reading, `person` for a person's number."""
    for country in countries:
        try:
            yield from (reading.identifier.valid_check for reading in readings(country, number))
        except Invalid:
            continue
        except NotFound:
            yield "person"
