"""Sentences about columns of a row that say different things, or nothing that is confirmed."""

from __future__ import annotations

from padron.words import Text, bilingual


def number_and_name(number: str, name: str) -> Text:
    """Return the conflict of a number of one company with the name of another."""
    return bilingual("The number says {number}, the name says {name}.", number=number, name=name)


def other_number(company: str) -> Text:
    """Return the conflict of a number with the only company that the name fits."""
    return bilingual("The name says {company}, which has another number than the row.", company=company)


def two_numbers(first: str, second: str) -> Text:
    """Return the conflict of a cell with the numbers of two companies."""
    return bilingual("The row has the numbers of two companies: {first} and {second}.", first=first, second=second)


def lost_digits(number: str) -> Text:
    """Return the conflict of a number that a spreadsheet wrote with fewer digits than it had."""
    return bilingual("The number {number} lost digits in a spreadsheet: write it as text.", number=number)


def no_name(cell: str) -> Text:
    """Return why a cell such as `TOTAL` is not searched."""
    return bilingual("“{cell}” is not the name of a company.", cell=cell)


def nothing() -> Text:
    """Return why a row has no company, where no hint says more."""
    return bilingual("Nothing found.")


def former_name(company: str) -> Text:
    """Return the conflict of a former name with the company of the name."""
    return bilingual("The former name says {company}.", company=company)


def number_elsewhere(company: str) -> Text:
    """Return the conflict of the country of a row with the number of a company of another one."""
    return bilingual("The number is that of {company}, in another country than the row.", company=company)


def not_covered(country: str) -> Text:
    """Return why a row of a country without registers here has no company."""
    return bilingual("Padrón does not cover {country}.", country=country)


def place(given: str, registered: str) -> Text:
    """Return that the place in a row is another one than in the register, which is no conflict."""
    registered = registered.removesuffix(".")
    return bilingual("The row says {given}, the register {registered}.", given=given, registered=registered)


def unconfirmed_number() -> Text:
    """Return that the number of a row stands with no company, which is no conflict: registers lack many numbers."""
    return bilingual("The number of the row is in none of the registers held: the name alone tells the company.")
