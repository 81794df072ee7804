"""Validation of official identifiers without network, by the rules of the service."""

from __future__ import annotations

from typing import NamedTuple

from padron_client.calls import text_of
from padron_client.rules import AROUND, CODES, FEWEST_DIGITS, MARKS, PLAIN, RULES, THOUSANDS, Identifier, Refused


class Validation(NamedTuple):
    """A text as an official identifier of a country.

    Attributes:
        valid: Whether it can be the number of a company: its structure, and check digits where it has them, are right.
        code: Why it is not: `invalid-identifier`, `natural-person-not-covered`, `wrong-check-digit`; None where it is
            valid.
        readings: Its readings, the preferred one first. A number with wrong check digits has one, and the service
            looks it up.
    """

    valid: bool
    code: str | None
    readings: tuple[Identifier, ...]


def validate_identifier(country: str, value: str) -> Validation:
    """Validate an official identifier, formatted or not, by the rules of its country. Nothing is sent.

    Marks around it are no part of it, `"1790016919001"`, `#320193,`; nor are those between thousands, `320,193`, and
    the code of the country in front, `EC1790016919001`.

    Args:
        country: ISO code of the country, in either case.
        value: The identifier.

    Returns:
        Whether it is valid, why it is not, and its readings.

    Raises:
        ValueError: The service does not hold the registers of the country, or an argument is no text.
    """
    code, text = text_of("country", country).upper(), text_of("value", value)
    if code not in RULES:
        raise ValueError(f"country must be one of {', '.join(RULES)}")
    try:
        readings = _readings(code, _bare(text))
    except Refused as refused:
        return Validation(False, str(refused), ())
    valid = any(reading.valid_check is not False for reading in readings)
    return Validation(valid, None if valid else "wrong-check-digit", readings)


def _readings(country: str, text: str) -> tuple[Identifier, ...]:
    """The readings of a text, or else of what stands behind the code of the country. Raises `Refused`."""
    if THOUSANDS.fullmatch(text):
        text = MARKS.sub("", text)
    try:
        return RULES[country](text)
    except Refused as refused:
        coded = CODES[country].fullmatch(text)
        if str(refused) != "invalid-identifier" or coded is None or _digits(coded[1]) < FEWEST_DIGITS:
            raise
        return RULES[country](_bare(coded[1]))


def _bare(text: str) -> str:
    """A text without the marks that people paste around a number."""
    return text.translate(PLAIN).replace("_", " ").strip(AROUND)


def _digits(text: str) -> int:
    return sum(character in "0123456789" for character in text)
