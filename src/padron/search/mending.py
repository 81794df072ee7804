"""Numbers whose check digit is wrong, and those one slip away whose check digit fits."""

from __future__ import annotations

from collections.abc import Iterator

from padron.country import Country
from padron.errors import Invalid, NotFound
from padron.search.identifiers import Number, readings


def one_slip_away(country: Country, wrong: Number) -> list[Number]:
    """Numbers of the same scheme that one slip makes `wrong`: another digit, or two neighbours in the other order."""
    found: list[Number] = []
    for text in _slips(wrong.identifier.value):
        try:
            numbers = readings(country, text)
        except (Invalid, NotFound):
            continue
        found += [one for one in numbers if one.scheme.code == wrong.scheme.code and one.identifier.valid_check]
    return found


def _slips(number: str) -> Iterator[str]:
    """A number with two neighbours in the other order, or one digit otherwise."""
    for at, digit in enumerate(number[:-1]):
        if number[at + 1] != digit:
            yield number[:at] + number[at + 1] + digit + number[at + 2 :]
    for at, digit in enumerate(number):
        if digit.isdigit():
            yield from (number[:at] + other + number[at + 1 :] for other in "0123456789" if other != digit)
