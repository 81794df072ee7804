"""Companies that the sources of a country lack: in the coverage answer, and behind a query that finds nothing sure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from padron.companies.model import Coverage, NotCovered, OfficialCompanyCount
from padron.countries.country import Country, UncoveredKind
from padron.matching.query import Query
from padron.words import Language


def with_gaps(coverage: Coverage, registry: Mapping[str, Country], language: Language) -> Coverage:
    """Return `coverage` with the number of companies that exist, and the kinds that the sources lack."""
    countries = [
        replace(
            country,
            existing=_existing(registry[country.country_code], language),
            not_covered=[
                NotCovered(
                    kind=kind.kind.of(language),
                    register=kind.register,
                    register_url=kind.register_url,
                    title=kind.title,
                    url=kind.address,
                )
                for kind in registry[country.country_code].uncovered
            ],
        )
        for country in coverage.countries
    ]
    return replace(coverage, countries=countries)


def _existing(country: Country, language: Language) -> OfficialCompanyCount | None:
    stated = country.official_count
    return stated and OfficialCompanyCount(
        count=stated.companies,
        counted=stated.counted.of(language),
        date=stated.day,
        title=stated.title,
        url=stated.address,
    )


def uncovered_kinds(query: Query, registry: Mapping[str, Country]) -> Iterator[tuple[Country, UncoveredKind]]:
    """Yield the kinds of company that a query may mean and that the sources lack.

    A word of the kind tells it in the country of the query. A well-known name tells it in any, unless the query is for
    another country; a name of one word only if nothing but countries, legal forms and generic words are around it.

    Yields:
        Countries with the kinds.
    """
    asked = {query.country} if query.country else set(query.pointed.values())
    texts = {" ".join([word for word in name.words if word not in query.loose]) for name in query.names.values()}
    for code, country in registry.items():
        for kind in country.uncovered if not asked or code in asked else ():
            named = any(name in texts or (" " in name and _holds(texts, name)) for name in kind.names)
            if named or (asked and any(_holds(texts, word) for word in kind.words)):
                yield country, kind


def _holds(texts: Collection[str], words: str) -> bool:
    """Check whether a text has the words, one after the other."""
    return any(f" {words} " in f" {text} " for text in texts)
