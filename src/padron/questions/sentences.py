"""Sentences that state the answer to a question, in both languages, so that they can be quoted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from padron.countries.country import Country, Scheme
from padron.index.listing import Stated
from padron.index.tags import Filters
from padron.text import enumerated
from padron.words import N_, Text, bilingual, bilingual_plural, joined

UNCOVERED: Final[Mapping[str, str]] = {
    "AT": N_("Austria"),
    "AU": N_("Australia"),
    "BE": N_("Belgium"),
    "BO": N_("Bolivia"),
    "CA": N_("Canada"),
    "CH": N_("Switzerland"),
    "CL": N_("Chile"),
    "CN": N_("China"),
    "CR": N_("Costa Rica"),
    "CU": N_("Cuba"),
    "DE": N_("Germany"),
    "DK": N_("Denmark"),
    "DO": N_("the Dominican Republic"),
    "ES": N_("Spain"),
    "FI": N_("Finland"),
    "FR": N_("France"),
    "GB": N_("the United Kingdom"),
    "GT": N_("Guatemala"),
    "HK": N_("Hong Kong"),
    "HN": N_("Honduras"),
    "IE": N_("Ireland"),
    "IL": N_("Israel"),
    "IN": N_("India"),
    "IT": N_("Italy"),
    "JP": N_("Japan"),
    "KR": N_("South Korea"),
    "LU": N_("Luxembourg"),
    "NI": N_("Nicaragua"),
    "NL": N_("the Netherlands"),
    "NO": N_("Norway"),
    "NZ": N_("New Zealand"),
    "PA": N_("Panama"),
    "PE": N_("Peru"),
    "PT": N_("Portugal"),
    "PY": N_("Paraguay"),
    "RU": N_("Russia"),
    "SE": N_("Sweden"),
    "SG": N_("Singapore"),
    "SV": N_("El Salvador"),
    "TR": N_("Turkey"),
    "TW": N_("Taiwan"),
    "UY": N_("Uruguay"),
    "VE": N_("Venezuela"),
    "ZA": N_("South Africa"),
}
"""Countries that questions name and no register here covers, as they are written inside a sentence."""

_STATUSES: Final[Mapping[str, str]] = {
    "active": N_("active"),
    "inactive": N_("inactive"),
    "suspended": N_("suspended"),
    "in_liquidation": N_("in liquidation"),
    "dissolved": N_("dissolved"),
    "annulled": N_("annulled"),
    "unknown": N_("in a status that we cannot classify"),
}
"""Statuses of a company, as they are written inside a sentence."""

_SHOWN: Final = 3
"""Companies named in a sentence; the others are counted. More would not be read."""
_LONGEST: Final = 80
"""Characters of a query that are quoted: a long question would push the answer out of sight."""


class NamedCompany(NamedTuple):
    """A company as a sentence names it. `number` is formatted; `listed` and `financials` are facts."""

    name: str
    country: Country
    scheme: Scheme
    number: str
    status: str | None
    listed: bool
    financials: bool
    confidence: float


def quoted(text: str) -> Text:
    """Return the text of a query in quotation marks, cut if it is long."""
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
    return Text(f"«{text}»", f"“{text}”")


def status(code: str) -> Text:
    """Return a status as it is written inside a sentence."""
    return bilingual(_STATUSES[code])


def by_number(company: NamedCompany, query: str) -> Text:
    """State whose number it is: the company's own, or one that leads to it."""
    given, own = _alphanumeric(query), _alphanumeric(company.number)
    if own == given or own.lstrip("0") == given or own[:-1] == given:
        return bilingual("{scheme} {number} is that of {name} ({country}).", **_fields(company))
    return bilingual(
        "The number {given} leads to {name} ({country}), whose {scheme} is {number}.", given=query, **_fields(company)
    )


def number_of(company: NamedCompany, scheme: Scheme, number: str) -> Text:
    """State the number of a company.

    Args:
        number: The number as it is customarily written.
    """
    return bilingual(
        "The {scheme} of {name} ({country}) is {number}.",
        scheme=scheme.short_label,
        name=company.name,
        country=company.country.name,
        number=number,
    )


def other_number(company: NamedCompany, scheme: Scheme) -> Text:
    """State that the number of a scheme is not known, and the company's own."""
    return bilingual(
        "The {unknown} of {name} ({country}) is not known; its {scheme} is {number}.",
        unknown=scheme.short_label,
        **_fields(company),
    )


def registered(company: NamedCompany) -> Text:
    """State where a company is registered."""
    return bilingual(
        "{name} is registered in {country} under {scheme} {number}.",
        **_fields(company) | {"country": company.country.name_in_sentence},
    )


def former(query: str, company: NamedCompany) -> Text:
    """State that the name in the query is a former one."""
    return _ended(bilingual("{query} is a former name of {name}", query=quoted(query), name=company.name))


def status_of(company: NamedCompany) -> Text:
    """State the status that the register publishes, or that it publishes none."""
    if company.status is None:
        return bilingual("Its register does not publish whether it is active.")
    return bilingual("According to its register it is {status}.", status=status(company.status))


def listed_or_not(company: NamedCompany) -> Text:
    """State whether the company issues public securities."""
    if company.listed:
        return bilingual("It is on record as an issuer of public securities.")
    return bilingual("It is not on record as an issuer of public securities.")


def financials_or_not(company: NamedCompany) -> Text:
    """State whether yearly statements are available."""
    if company.financials:
        return bilingual("Its financial statements are available.")
    return bilingual("No financial statements are available.")


def issuers(listed: bool) -> Text:
    """Describe companies that issue public securities, or do not."""
    return bilingual("issuers of public securities") if listed else bilingual("without public securities")


def with_statements(available: bool) -> Text:
    """Describe companies whose yearly statements are available, or are not."""
    return bilingual("with financial statements") if available else bilingual("without financial statements")


def sure(company: NamedCompany) -> Text:
    """State the confidence in a company."""
    percent = f"{int(company.confidence * 1000) / 10:g}"
    return bilingual("Confidence: {percent}%.", percent=Text(percent.replace(".", ","), percent))


def ambiguous(query: str, companies: Sequence[NamedCompany]) -> Text:
    """State that several companies match equally well, and what would distinguish them."""
    values = {"query": quoted(query), "companies": listed(companies)}
    if len({company.country.code for company in companies}) > 1:
        return bilingual_plural(
            "{count} company matches {query}: {companies}. Name the country.",
            "{count} companies match {query} equally well: {companies}. Name the country.",
            len(companies),
            **values,
        )
    return bilingual_plural(
        "{count} company matches {query}: {companies}. Give the identifier.",
        "{count} companies match {query} equally well: {companies}. Give the identifier.",
        len(companies),
        **values,
    )


def shared(query: str, companies: Sequence[NamedCompany]) -> Text:
    """State that a name is part of the names of several companies, and what would distinguish them."""
    values = {"query": quoted(query), "companies": listed(companies)}
    if len({company.country.code for company in companies}) > 1:
        return bilingual("{query} is part of the names of {companies}. Name the country.", **values)
    return bilingual(
        "{query} is part of the names of {companies}. Give the rest of the name or the identifier.", **values
    )


def possible(query: str, company: NamedCompany) -> Text:
    """State the most similar company, which is not certain."""
    return bilingual(
        "Not certain: the most similar to {query} is {company}. {confidence}",
        query=quoted(query),
        company=line(company),
        confidence=sure(company),
    )


def elsewhere(query: str, country: Country, date: str | None, company: NamedCompany) -> Text:
    """State that a company is not in the country of the question, and the most similar one of another country.

    Args:
        date: The date of its newest data, if known.
    """
    return bilingual(
        "{query} is not registered in {country}{date}; the most similar in another country is {company}.",
        query=quoted(query),
        country=country.name_in_sentence,
        date=_as_of(date),
        company=line(company),
    )


def uncovered(code: str) -> Text:
    """State that the country of the question is not covered."""
    return bilingual("Padrón does not cover {country}.", country=bilingual(UNCOVERED[code]))


def nothing(query: str, places: Sequence[tuple[Country, str | None]]) -> Text:
    """State that a company is not in the registers of some countries, with the dates of their data."""
    if len(places) == 1:
        country, date = places[0]
        return bilingual(
            "{query} is not in the registers of {countries}{date}.",
            query=quoted(query),
            countries=country.name_in_sentence,
            date=_as_of(date),
        )
    names = [country.name_in_sentence for country, _ in places]
    countries = Text(enumerated([name.es for name in names], "ni"), enumerated([name.en for name in names], "or"))
    return bilingual(
        "{query} is not in the registers of {countries}{date}.", query=quoted(query), countries=countries, date=""
    )


def outside(query: str, filters: Filters, company: NamedCompany) -> Text:
    """State that a company is held, and that filters alone leave it out."""
    sentence = bilingual(
        "{query} is held as {company}, but outside the filter by {filters}.",
        query=quoted(query),
        company=line(company),
        filters=_both([*filtering(filters)]),
    )
    return joined([sentence, status_of(company)], " ") if filters.status else sentence


def only_outside(query: str, filters: Filters, companies: Sequence[NamedCompany]) -> Text:
    """State that nothing within filters is meant, and what is similar without them."""
    return bilingual(
        "Within the filter by {filters} there is no {query}. Without it, the most similar: {companies}.",
        query=quoted(query),
        filters=_both([*filtering(filters)]),
        companies=listed(companies),
    )


def filtering(filters: Filters) -> Iterator[Text]:
    """Yield the words for what some filters are about."""
    if filters.status:
        yield bilingual("status")
    if filters.region or filters.cities:
        yield bilingual("place")
    if filters.activity or filters.words:
        yield bilingual("activity")
    if filters.form:
        yield bilingual("legal form")
    if filters.financials is not None:
        yield bilingual("financial statements")


def filtered(filters: Filters) -> Text:
    """Describe companies that are within filters."""
    return bilingual("filtered by {filters}", filters=_both([*filtering(filters)]))


def no_words() -> Text:
    """State that the text is neither a name nor a number."""
    return bilingual("The text has no name and no number: there is nothing to search for.")


def malformed(query: str, scheme: Scheme | None) -> Text:
    """State that a number has the form of no identifier, or not that of its scheme."""
    if scheme is None:
        return bilingual(
            "{query} does not have the form of any identifier of the countries covered.", query=quoted(query)
        )
    return bilingual("{query} does not have the form of a {scheme}.", query=quoted(query), scheme=scheme.short_label)


def wrong_digit(number: str, scheme: Scheme, companies: Sequence[NamedCompany], *, slip: bool) -> Text:
    """State that a check digit is wrong, and the companies whose number is the same but for one slip, or begins so.

    Args:
        companies: The companies, if any.
        slip: Whether one slip is all that sets their numbers apart.
    """
    sentence = bilingual(
        "{scheme} {number} cannot be correct: its check digit is wrong.", scheme=scheme.short_label, number=number
    )
    if not companies:
        return sentence
    if slip:
        near = bilingual("With one digit changed, or two swapped: {companies}.", companies=listed(companies))
    else:
        near = bilingual("It begins as the number of {companies}.", companies=listed(companies))
    return joined([sentence, near], " ")


def several(companies: Sequence[NamedCompany], missing: Sequence[str], left: int) -> Text:
    """State how many of several companies were found.

    Args:
        companies: The companies that were found.
        missing: The names that were not found with certainty.
        left: The number of names that were not searched.
    """
    sentences = [_found_of(companies, len(companies) + len(missing))]
    if missing:
        names = [quoted(name) for name in missing]
        sentences.append(bilingual("Not certain: {names}.", names=_both(names)))
    if left:
        sentences.append(
            bilingual_plural(
                "{count} more was not searched: ask for fewer at a time.",
                "{count} more were not searched: ask for fewer at a time.",
                left,
            )
        )
    return joined(sentences, " ")


def _found_of(companies: Sequence[NamedCompany], total: int) -> Text:
    if not companies:
        return bilingual_plural(
            "{found} of {count} company was found.", "{found} of {count} companies were found.", total, found=0
        )
    values = {"found": len(companies), "companies": listed(companies, len(companies))}
    if len(companies) == 1:
        return bilingual_plural(
            "{found} of {count} company was found: {companies}.",
            "{found} of {count} companies was found: {companies}.",
            total,
            **values,
        )
    return bilingual_plural(
        "{found} of {count} company were found: {companies}.",
        "{found} of {count} companies were found: {companies}.",
        total,
        **values,
    )


def listing(total: int, description: Text, largest: Sequence[NamedCompany]) -> Text:
    """State how many companies a list has, and the first ones.

    Args:
        description: The companies it lists, in words; empty if the text states no condition.
        largest: The first companies of the list.
    """
    if not total and not description.en:
        return bilingual("Which companies? Name a country, a place or an activity.")
    if not total:
        return bilingual("No company of this directory is registered as: {description}.", description=description)
    names = [Text(company.name, company.name) for company in largest[:_SHOWN]]
    counted = bilingual_plural(
        "{number} company of this directory: {description}. It is {names}",
        "{number} companies of this directory: {description}. The first: {names}",
        total,
        number=_number(total),
        description=description,
        names=_both(names),
    )
    return _ended(counted)


def no_code(country: Country) -> Text:
    """State that the registers of a country do not publish activities."""
    return bilingual("The registers of {country} do not distinguish that activity.", country=country.name_in_sentence)


def unstated(conditions: Text, country: Country) -> Text:
    """State that no company of a country has the state that a list asks for."""
    return bilingual(
        "No company of {country} is recorded here as: {conditions}. Its sources may not tell that.",
        country=country.name_in_sentence,
        conditions=conditions,
    )


def no_ranking(*, alike: bool) -> Text:
    """Say what the order of a list of the largest is worth; `alike`: the sources put none of those shown first."""
    if alike:
        return bilingual("No company shown stands out more than another in the sources: their order is no ranking.")
    return bilingual("The list begins with the companies that stand out in the sources: it is no ranking by sales.")


def only_region(country: Country, region: str, part: str) -> Text:
    """State that the registers of a country state no smaller place than a region, so that all of it is meant.

    Args:
        part: The place in the region that was asked for.
    """
    return bilingual(
        "The registers of {country} do not state the city: the place applied is {region}, not only {part}.",
        country=country.name_in_sentence,
        region=region,
        part=part,
    )


def status_stated(country: Country | None, stated: Stated) -> Text:
    """State that the sources of a country, or of all, do not state the status of every company."""
    place = country.name_in_sentence if country else bilingual("the countries covered")
    if not stated.stated:
        return bilingual(
            "The sources of {country} state the status of no company: a list by status is empty.", country=place
        )
    return bilingual(
        "The sources of {country} state the status of {stated} of {count} companies: a list by status can hold no "
        "others.",
        country=place,
        stated=_number(stated.stated),
        count=_number(stated.companies),
    )


def not_applied(words: Sequence[str]) -> Text:
    """State the conditions of a list that it does not fulfil."""
    return bilingual("Not applied to this list: {words}.", words=_both([quoted(word) for word in words]))


def ruled_out(words: str) -> Text:
    """State that the question rules out a company that it names."""
    return bilingual("The question rules out {words}.", words=quoted(words))


def denied(words: str) -> Text:
    """Say that a place cannot be ruled out."""
    return bilingual("Not applied: {words}. No place can be ruled out: name the one to look in.", words=quoted(words))


def person(words: str) -> Text:
    """State that the question names a person."""
    return bilingual("{words} is named as a person: only companies are searched.", words=quoted(words))


def owner() -> Text:
    """State that the registers do not tell who owns a company."""
    return bilingual("The registers do not say who owns a company: this is the company itself.")


def plural(words: str) -> Text:
    """State that the question asks for several companies, of a kind or by a name."""
    return bilingual("“{words}” asks for several: the companies with the most similar names are shown.", words=words)


def relation(words: str) -> Text:
    """State that the question asks for a relation between companies, which the registers do not hold."""
    return bilingual(
        "The registers do not hold relations between companies ({words}): the company named is not an answer to that.",
        words=quoted(words),
    )


def aside(words: str) -> Text:
    """State that the text names a company and does not seem to ask for it."""
    return bilingual("The text names {words} without seeming to ask for that company.", words=quoted(words))


def described() -> Text:
    """State why a company is in a list."""
    return bilingual("It meets the conditions of the list.")


def line(company: NamedCompany) -> Text:
    """Return a company with its country and its number."""
    return bilingual("{name} ({country}, {scheme} {number})", **_fields(company))


def listed(companies: Sequence[NamedCompany], most: int = _SHOWN) -> Text:
    """Return companies one after the other, the rest counted."""
    lines = [line(company) for company in companies[:most]]
    if len(companies) > most:
        lines.append(bilingual_plural("{count} more", "{count} more", len(companies) - most))
    return _both(lines)


def _fields(company: NamedCompany) -> dict[str, object]:
    """The placeholders that sentences about a company share."""
    return {
        "name": company.name,
        "country": company.country.name,
        "scheme": company.scheme.short_label,
        "number": company.number,
    }


def _alphanumeric(number: str) -> str:
    return "".join(filter(str.isalnum, number)).upper()


def _ended(sentence: Text) -> Text:
    """A sentence with its full stop, which may also be that of `S.A.`."""
    return Text(*(text if text.endswith(".") else f"{text}." for text in sentence))


def _both(parts: Sequence[Text]) -> Text:
    """Parts as an enumeration with `and`."""
    return Text(enumerated([part.es for part in parts], "y"), enumerated([part.en for part in parts], "and"))


def _as_of(date: str | None) -> Text:
    """The date of the data, to follow a word; empty where none is known."""
    if date is None:
        return Text("", "")
    return Text(*(f" {text}" for text in bilingual("(data as of {date})", date=date)))


def _number(number: int) -> Text:
    return Text(f"{number:,}".replace(",", "."), f"{number:,}")
