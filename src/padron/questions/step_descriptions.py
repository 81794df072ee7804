"""Descriptions of the steps of a plan."""

from __future__ import annotations

from padron.countries.country import Country
from padron.words import Text, bilingual


def identifier() -> Text:
    """The number in the text."""
    return bilingual("The number in the text as an official identifier")


def exact() -> Text:
    """The whole text as a name."""
    return bilingual("The whole text as a legal, trade or former name")


def name(text: str, country: Country | None) -> Text:
    """One reading of a name."""
    if country is None:
        return bilingual("The name “{name}”, allowing for typos", name=text)
    return bilingual("The name “{name}” in {country}, allowing for typos", name=text, country=country.name)


def elsewhere(text: str, country: Country) -> Text:
    """A name outside the country that was asked for."""
    return bilingual("The name “{name}” outside {country}", name=text, country=country.name)


def repair() -> Text:
    """Numbers that differ in one slip."""
    return bilingual("Numbers with one digit changed, or two swapped, and a correct check digit")


def listing() -> Text:
    """Companies by what they are."""
    return bilingual("Companies by activity, place and status")
