"""Validation of official identifiers without network, by the rules of the service."""

from __future__ import annotations

from typing import NamedTuple

from padron_client.rules import AROUND, PLAIN, RULES, Identifier, Refused


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

    Marks around it are no part of it: `"1790016919001"`, `#320193,`.

    Args:
        country: ISO code of the country, in either case.
        value: The identifier.

    Returns:
        Whether it is valid, why it is not, and its readings.

    Raises:
        ValueError: The service does not hold the registers of the country.
    """
    identify = RULES.get(country.upper())
    if identify is None:
        raise ValueError(f"country must be one of {', '.join(RULES)}")
    try:
        readings = identify(value.translate(PLAIN).replace("_", " ").strip(AROUND))
    except Refused as refused:
        return Validation(False, str(refused), ())
    valid = any(reading.valid_check is not False for reading in readings)
    return Validation(valid, None if valid else "wrong-check-digit", readings)
