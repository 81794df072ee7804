"""Official numbers that a spreadsheet took for quantities: without their leading zeros, or with decimals behind them.

Only numbers in the column of identifiers are read so: in a name or a question the same digits may be an amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from padron.countries.country import Country
from padron.errors import Invalid, NotFound
from padron.matching.identifiers import readings
from padron.text import bare_number

_DECIMALS: Final = re.compile(r"([0-9]+)[.,]0{1,2}")
_EXPONENT: Final = re.compile(r"([1-9])(?:[.,]([0-9]*))?[eE]\+?([0-9]{1,2})")
_DIGITS: Final = re.compile(r"[0-9][0-9\s.,\-/]*")
_ZEROS: Final = ("0", "00")
"""Leading zeros that are put back; with more, too many numbers of a list's own would pass a check digit by chance."""


def restored(cell: str, countries: Iterable[Country]) -> str:
    """Return the official number that a cell held before it was a quantity; any other cell as it is.

    Zeros come back only where none of the countries reads the number without them, unless with a wrong check digit, and
    one does with them: as a number with a right check digit, or as a person's.

    Args:
        countries: The countries whose number it may be.

    >>> restored("1790016919001.0", ()), restored("1,790016919001E+12", ()), restored("1.79E+12", ())
    ('1790016919001', '1790016919001', '1.79E+12')
    """
    number = _whole(bare_number(cell))
    if number is None:
        return cell
    countries = list(countries)
    return number if {*_reads(number, countries)} - {False} else _zero_filled(number, countries)


def has_lost_digits(cell: str) -> bool:
    """Return whether a cell is a quantity in scientific notation that no longer has all its digits."""
    text = bare_number(cell)
    return _EXPONENT.fullmatch(text) is not None and _whole(text) is None


def _whole(text: str) -> str | None:
    """Return a quantity without decimals, a number in digits and separators as it is, None for all else."""
    if decimals := _DECIMALS.fullmatch(text):
        return decimals[1]
    if exponent := _EXPONENT.fullmatch(text):
        fraction = exponent[2] or ""
        return exponent[1] + fraction if len(fraction) == int(exponent[3]) else None
    return text if _DIGITS.fullmatch(text) else None


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
