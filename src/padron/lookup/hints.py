"""Hints beside the results: short tips, in both languages, that a person or an agent can act on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from padron.countries.country import ByName, Country, Scheme, UncoveredKind
from padron.matching.famous import FamousName
from padron.words import Text, bilingual, bilingual_plural, joined


def no_words() -> Text:
    """Hint that the text is neither a name nor a number: `!!`, `N/A`."""
    return bilingual("The query has no name and no number.")


def persons() -> Text:
    """Hint that a number is that of a natural person."""
    return bilingual("Padrón has only companies; numbers of natural persons are not searched.")


def pass_country(codes: Iterable[str]) -> Text:
    """Hint that results come from several countries."""
    return bilingual(
        "Results come from several countries ({countries}); pass the country if you know it.",
        countries=", ".join(codes),
    )


def ambiguous(count: int) -> Text:
    """Hint that several companies may be meant."""
    return bilingual_plural(
        "{count} company matches; add the legal form, the country or the identifier.",
        "{count} companies may be meant; add the legal form, the country or the identifier.",
        count,
    )


def several_named(names: Sequence[str]) -> Text:
    """Hint that the query names several companies beside one another."""
    return bilingual("The text names several companies: {names}.", names="; ".join(names).rstrip("."))


def only_form(text: str) -> Text:
    """Hint that the query is nothing but a legal form."""
    return bilingual("“{text}” is a legal form: add the name of the company.", text=text)


def uncertain() -> Text:
    """Hint that no result is certain."""
    return bilingual("No result is certain: these are the most similar names.")


def lacking(name: str, words: Iterable[str], *, placed: bool) -> Text:
    """Hint at the words of the query that no name of the nearest company has, and at what would settle it.

    Args:
        placed: The query names the country already.
    """
    return bilingual(
        "The most similar, “{name}”, has no “{words}” in its name: give {clues}.",
        name=name,
        words=" ".join(words),
        clues=_clues(placed=placed),
    )


def surplus(name: str, words: Iterable[str], *, placed: bool) -> Text:
    """Hint at the words in the name of the nearest company that the query lacks, and at what would settle it.

    Args:
        placed: The query names the country already.
    """
    return bilingual(
        "The most similar, “{name}”, has also “{words}” in its name: give {clues}.",
        name=name,
        words=" ".join(words),
        clues=_clues(placed=placed),
    )


def _clues(*, placed: bool) -> Text:
    if placed:
        return bilingual("the rest of the name, the city or the identifier")
    return bilingual("the rest of the name, the country or the identifier")


def wrong_country(name: str, country: Country) -> Text:
    """Hint that the company is in the register of another country than the one requested."""
    return bilingual(
        "“{name}” is in the register of {country}: search there (country={code}).",
        name=name,
        country=country.name,
        code=country.code,
    )


def nothing(countries: Iterable[Country], dates: Mapping[str, str | None]) -> Text:
    """Hint that no company is similar, with the countries searched and the date of their data."""
    registers = [
        bilingual("{country} ({date})", country=country.name_in_sentence, date=date)
        if (date := dates.get(country.code))
        else country.name_in_sentence
        for country in countries
    ]
    return bilingual("Nothing similar in the registers of {registers}.", registers=joined(registers, ", "))


def wrong_check_digit(scheme: Scheme, right: str | None) -> Text:
    """Hint that a check digit is wrong; `right` is the number with the correct one."""
    if right is None:
        return bilingual("The check digit of that {scheme} is wrong: check the number.", scheme=scheme.label)
    return bilingual(
        "The check digit of that {scheme} is wrong; with the correct one it would be {number}.",
        scheme=scheme.label,
        number=scheme.show(right),
    )


def repaired(scheme: Scheme, value: str, name: str) -> Text:
    """Hint that one company has a number that is the text but for one slip.

    Args:
        value: The canonical number.
    """
    return bilingual(
        "With one digit changed, or two swapped, there is {scheme} {number}: “{name}”.",
        scheme=scheme.label,
        number=scheme.show(value),
        name=name,
    )


def same_beginning(scheme: Scheme, value: str, name: str) -> Text:
    """Hint at the company whose number begins as one with a wrong check digit.

    Args:
        value: The company's own number, canonical.
    """
    return bilingual(
        "It begins as the number of “{name}”, which is {scheme} {number}: check which company is meant.",
        scheme=scheme.label,
        number=scheme.show(value),
        name=name,
    )


def did_you_mean(name: str) -> Text:
    """Hint at the most similar name."""
    return bilingual("Did you mean “{name}”?", name=name)


def not_held(famous: FamousName) -> Text:
    """Hint that the name is a well-known company's that no register here has, and which document says where it is."""
    return bilingual(
        "“{name}” is a well-known company of {country} that the registers here do not have ({title}: {address}).",
        name=famous.name,
        country=famous.country_name,
        title=famous.title,
        address=famous.address,
    )


def too_generic(words: Iterable[str], count: int) -> Text:
    """Hint that very many companies have the words of the query."""
    return bilingual_plural(
        "“{words}” is in the name of {count} company or more: add another word or the identifier.",
        "“{words}” is in the name of {count} companies or more: add another word or the identifier.",
        count,
        words=" ".join(words),
    )


def also_identifies(country: Country, scheme: Scheme, name: str) -> Text:
    """Hint that the bare number is also a secondary identifier of another company.

    Args:
        country: The country of that company.
        name: The name of that company.
    """
    return bilingual(
        "The number is also the {scheme} of {name}, in {country}: search there (country={code}).",
        scheme=scheme.label,
        name=name,
        country=country.name_in_sentence,
        code=country.code,
    )


def shared_number(count: int) -> Text:
    """Hint that several companies have the number."""
    return bilingual_plural(
        "{count} company has that number; pass the country or the kind of identifier.",
        "{count} companies have that number; pass the country or the kind of identifier.",
        count,
    )


def branch(country: Country, scheme: Scheme, value: str) -> Text:
    """Hint that the number is that of a branch, or the root all branches share, and the head office is shown.

    Args:
        value: The number in the query, canonical.
    """
    return bilingual(
        "{scheme} {number} is the number of a branch, or a root number, in {country}; the head office is shown.",
        scheme=scheme.label,
        number=scheme.show(value),
        country=country.name,
    )


def name_disagrees() -> Text:
    """Hint that the words around a number are not the name of the company with that number."""
    return bilingual("The number and the name do not belong to the same company: check both.")


def other_number(name: str, scheme: Scheme) -> Text:
    """Hint that the company named has another number than the one beside its name."""
    return bilingual("“{name}” has another {label} in the register: check both.", name=name, label=scheme.label)


def name_not_recognised() -> Text:
    """Hint that the words around a number are no known name of the company with that number, nor of another one."""
    return bilingual("The name beside the number was not recognised as that of its company: check it.")


def linked(country: Country, scheme: Scheme, shown: str) -> Text:
    """Hint that the company is in another register too.

    Args:
        country: The country of the other register.
        shown: The number there, formatted.
    """
    return bilingual(
        "The same company is also registered in {country}: {scheme} {number}.",
        country=country.name,
        scheme=scheme.label,
        number=shown,
    )


def called_now(name: str) -> Text:
    """Hint that the name in the query is a former one."""
    return bilingual("That is a former name; the company is now called “{name}”.", name=name)


def known_as(name: str, by_name: ByName) -> Text:
    """Hint that no register states the name in the query, which document does, and when it began or ended."""
    stated = {"name": name, "by_name": by_name.name, "title": by_name.title, "address": by_name.address}
    if by_name.until:
        return bilingual(
            "“{name}” was known as “{by_name}” until {until} according to {title}: {address}",
            until=by_name.until,
            **stated,
        )
    if by_name.undated:
        return bilingual("“{name}” may be known as “{by_name}”: an undated list says so, {title}: {address}", **stated)
    if by_name.since:
        return bilingual(
            "“{name}” has been known as “{by_name}” since {since} according to {title}: {address}",
            since=by_name.since,
            **stated,
        )
    return bilingual("“{name}” is known as “{by_name}” according to {title}: {address}", **stated)


def not_covered(country: Country, kind: UncoveredKind) -> Text:
    """Hint that the sources lack companies of a kind, and where they are registered."""
    return bilingual(
        "The sources of {country} lack {kind}: look them up at {register}, {url}",
        country=country.name_in_sentence,
        kind=kind.kind,
        register=kind.register,
        url=kind.register_url,
    )


def other_form(name: str) -> Text:
    """Hint that the best match has another legal form than the one in the query."""
    return bilingual("“{name}” has a different legal form from the one in the query.", name=name)


def not_in(country: Country, scheme: Scheme, value: str, date: str | None) -> Text:
    """Hint that no company of the country has the number.

    Args:
        value: The canonical number.
        date: The date of the data, if known.
    """
    number = scheme.show(value)
    if date is None:
        return bilingual(
            "No company of {country} has the {scheme} {number}.",
            country=country.name,
            scheme=scheme.label,
            number=number,
        )
    return bilingual(
        "No company of {country} has the {scheme} {number} (data as of {date}).",
        country=country.name,
        scheme=scheme.label,
        number=number,
        date=date,
    )


def exists_elsewhere(codes: Iterable[str]) -> Text:
    """Hint that the number is that of a company in other countries."""
    return bilingual("That number exists in: {countries}.", countries=", ".join(codes))
