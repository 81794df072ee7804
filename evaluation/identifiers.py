"""Changes that people make to an official number: separators, a scheme word before it, one wrong digit."""

from __future__ import annotations

from random import Random

LOCAL = frozenset({"ec-expediente", "mx-clee", "ar-igj"})
"""Schemes of numbers so short or so local that people give them only with the country."""

_WORDS = {
    "ec-ruc": "RUC",
    "ec-expediente": "expediente",
    "mx-rfc": "RFC",
    "us-cik": "CIK",
    "br-cnpj": "CNPJ",
    "co-nit": "NIT",
    "ar-cuit": "CUIT",
    "lei": "LEI",
}
_CHANGEABLE = {"ec-ruc": (3, 9), "mx-rfc": (9, 12), "br-cnpj": (0, 8), "co-nit": (1, 9), "ar-cuit": (3, 10)}
"""Digits that may be changed: the number stays a company's and does not become a person's or a branch's."""

_NIT_WEIGHTS = (41, 37, 29, 23, 19, 17, 13, 7, 3)


def nit_check_digit(nit: str) -> str:
    """Return the check digit of a nine-digit Colombian NIT (DIAN, Orden Administrativa 4 de 1989).

    >>> nit_check_digit("899999068")
    '1'
    """
    rest = sum(weight * int(digit) for weight, digit in zip(_NIT_WEIGHTS, nit, strict=True)) % 11
    return str(11 - rest if rest > 1 else rest)


def formatted(rng: Random, scheme: str, number: str) -> str | None:
    """Return the number as it stands on paper; None where that is the bare number."""
    match scheme:
        case "ec-ruc":
            shown = f"{number[:10]}-{number[10:]}"
        case "mx-rfc":
            shown = rng.choice("- ").join((number[:3], number[3:9], number[9:]))
        case "us-cik":
            shown = number.zfill(10)
        case "br-cnpj":
            shown = f"{number[:2]}.{number[2:5]}.{number[5:8]}/{number[8:12]}-{number[12:]}"
        case "co-nit":
            shown = rng.choice((f"{number[:3]}.{number[3:6]}.{number[6:]}", number)) + "-" + nit_check_digit(number)
        case "ar-cuit":
            shown = f"{number[:2]}-{number[2:10]}-{number[10:]}"
        case _:
            shown = number
    return shown if shown != number else None


def worded(rng: Random, scheme: str, number: str) -> str | None:
    """Return the number with its scheme word before it, `RUC 1790016919001`."""
    if (word := _WORDS.get(scheme)) is None:
        return None
    form = formatted(rng, scheme, number) if rng.random() < 0.5 else None
    return f"{word if rng.random() < 0.6 else word.lower()}{rng.choice((' ', ': '))}{form or number}"


def wrong_digit(rng: Random, scheme: str, number: str) -> str:
    """Return the number with one digit replaced; the check digit, if there is one, is left and no longer agrees."""
    start, end = _CHANGEABLE.get(scheme, (0, len(number)))
    at = rng.choice([at for at in range(start, end) if number[at].isdigit()] or [len(number) - 1])
    return number[:at] + rng.choice([digit for digit in "123456789" if digit != number[at]]) + number[at + 1 :]
