"""Answers of the service: candidates of a query, suggestions, property values, previews. Knows no version."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from html import escape
from typing import Final

from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import Invalid, NotFound
from padron.lists.numbers import restored
from padron.lookup.detail import Detail, DetailedMatch, DetailedMatches
from padron.lookup.find import SURE
from padron.reconcile import entities
from padron.reconcile.model import Candidate, Extension, Inquiry, PropertyFeature, Thing, Wanted
from padron.text import fold
from padron.threads import pause
from padron.transport.expectations import any_of, at_most
from padron.transport.inputs import LIMIT, Q_LENGTH
from padron.words import Language

MOST_IDS: Final = 100
"""Most companies of one data extension query."""
SIZE: Final = (420, 120)
"""Width and height of a preview, in pixels."""


async def match(directory: Directory, inquiry: Inquiry, language: Language) -> list[Candidate]:
    """Find the companies that a query may mean; a cell that is no query has none.

    The score is the confidence as a percentage. A match is what the search calls the best match, unless a property
    that was given contradicts it.

    Returns:
        The candidates, the likeliest first.
    """
    inquiry = await _undamaged(inquiry)
    text = " ".join(inquiry.text.split())[: Q_LENGTH[1]]
    if len(text) < Q_LENGTH[0]:
        return []
    try:
        seen = await _search(directory, text, inquiry, language)
    except NotFound:
        return []
    comparisons = []
    for wanted in inquiry.wanted:
        await pause()
        comparisons.append(entities.PropertyComparison(directory, wanted))
    candidates = []
    for rank, result in enumerate(seen.results):
        known = [(comparison.wanted, comparison.agrees(result.detail)) for comparison in comparisons]
        if all(value for wanted, value in known if wanted.required):
            candidates.append(_candidate(result, known, language, first=rank == 0))
    candidates.sort(key=lambda candidate: (-candidate.score, -sum(feature.value for feature in candidate.features)))
    return candidates[: inquiry.limit]


async def _undamaged(inquiry: Inquiry) -> Inquiry:
    """Return a query with its official numbers as they were before a spreadsheet took them for quantities."""
    countries = [REGISTRY[inquiry.country]] if inquiry.country else [*REGISTRY.values()]
    text, wanted = inquiry.text, []
    for each in inquiry.wanted:
        if each.property != entities.IDENTIFIER:
            wanted.append(each)
            continue
        await pause()
        text = restored(text, countries) if text in each.values else text
        wanted.append(each._replace(values=[restored(value, countries) for value in each.values]))
    return inquiry._replace(text=text, wanted=wanted)


async def _search(directory: Directory, text: str, inquiry: Inquiry, language: Language) -> DetailedMatches:
    """Search by the text, and by the official number if one is given."""
    numbers = [
        wanted.values[0]
        for wanted in inquiry.wanted
        if wanted.property == entities.IDENTIFIER and wanted.quantifier != "none" and len(wanted.values) == 1
    ]
    if len(numbers) == 1 and numbers[0] != text:
        with suppress(NotFound):  # a natural person's number, which no company has
            return await directory.look_with_number(
                text, numbers[0], country=inquiry.country, language=language, most=LIMIT[1]
            )
    return await directory.look(text, country=inquiry.country, language=language, most=LIMIT[1])


def _candidate(
    result: DetailedMatch, known: Sequence[tuple[Wanted, bool | None]], language: Language, *, first: bool
) -> Candidate:
    detail = result.detail
    confidence = detail.record.confidence or 0.0
    features = [
        PropertyFeature(wanted.property, entities.PROPERTIES[wanted.property].name.of(language), value)
        for wanted, value in known
        if value is not None
    ]
    return Candidate(
        id=entities.entity_id(detail),
        name=detail.record.legal_name,
        description=_described(detail, language),
        type=[entities.type_of(detail.record.country_code, language)],
        score=round(confidence * 100, 2),
        match=first and confidence >= SURE and all(feature.value for feature in features),
        features=features,
    )


def _described(detail: Detail, language: Language) -> str:
    """Return the line by which a person tells a company from its namesakes."""
    record = detail.record
    place = detail.details.municipality or detail.details.region
    country = entities.PROPERTIES["country"].values(detail)
    name = list(country)[1 if language == "es" else 2]
    return " · ".join(filter(None, (f"{record.id_label} {record.identifier}", place, name, record.status)))


async def company(directory: Directory, entity: str, language: Language) -> Detail:
    """Return the company of an entity's identifier.

    Raises:
        Invalid: `invalid-field`, it is no identifier of an entity.
        NotFound: There is no such company.
    """
    place = entities.located(entity)
    if place is None:
        raise Invalid("invalid-field", parameter="id")
    return (await directory.details(*place, language)).detail


async def values(
    directory: Directory, extension: Extension, language: Language
) -> list[tuple[str, dict[str, list[dict[str, str]]]]]:
    """Return the property values of companies: for each id the values by property, none where there is none.

    Returns:
        Ids and values in the order of the query.

    Raises:
        Invalid: `invalid-field`, a property is unknown, or there are too many ids or properties.
    """
    if len(extension.ids) > MOST_IDS:
        raise Invalid("invalid-field", parameter="ids", expected=at_most(MOST_IDS))
    asked = dict.fromkeys(given.id for given in extension.properties)
    if len(extension.properties) > len(entities.PROPERTIES):
        raise Invalid("invalid-field", parameter="properties", expected=at_most(len(entities.PROPERTIES)))
    for number, given in enumerate(extension.properties):
        if given.id not in entities.PROPERTIES:
            raise Invalid("invalid-field", parameter=f"properties[{number}].id", expected=any_of(entities.PROPERTIES))
    rows: list[tuple[str, dict[str, list[dict[str, str]]]]] = []
    for entity in extension.ids:
        await pause()
        place = entities.located(entity)
        detail = await directory.held(*place, language) if place else None
        rows.append((entity, {name: _shown(name, detail, language) if detail else [] for name in asked}))
    return rows


def _shown(name: str, detail: Detail, language: Language) -> list[dict[str, str]]:
    texts = [value for value in entities.PROPERTIES[name].values(detail) if value]
    if name == "country":
        texts = texts[1:] if language == "es" else texts[2:]
    if name == "date":
        return [{"date": f"{text}T00:00:00Z"} for text in texts[:1]]
    return [{"str": text} for text in (texts if name == "identifier" else texts[:1])]


async def suggest_entities(directory: Directory, prefix: str, language: Language) -> list[Thing]:
    """Return the companies that a text may mean.

    Args:
        prefix: A name, the beginning of one, or an identifier.

    Returns:
        The companies, the likeliest first.
    """
    place = entities.located(prefix)
    text, country = (place[1], place[0]) if place else (prefix, None)
    candidates = await match(directory, Inquiry(text, country, LIMIT[1], ()), language)
    return [Thing(id=each.id, name=each.name, description=each.description, notable=each.type) for each in candidates]


def suggest_of(things: Sequence[Thing], prefix: str) -> list[Thing]:
    """Return the types or properties with a word that begins as a text does; all for an empty text."""
    wanted = fold(prefix)
    return [thing for thing in things if f" {wanted}" in f" {fold(thing.name)}" or thing.id == prefix]


def preview(detail: Detail, page: str, language: Language) -> bytes:
    """Return a small page about a company, without scripts and without anything from elsewhere."""
    name, line = escape(detail.record.legal_name), escape(_described(detail, language))
    label = escape(detail.record.classification_label or "")
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{name}</title>'
        "<style>body{font:14px/1.4 sans-serif;margin:8px;overflow:hidden}p{margin:2px 0}</style></head>"
        f'<body><p><a href="{escape(page)}" target="_blank" rel="noopener"><strong>{name}</strong></a></p>'
        f"<p>{line}</p><p>{label}</p></body></html>"
    ).encode()
