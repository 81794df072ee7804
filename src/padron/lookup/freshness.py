"""The state of sources as of today: one that was fresh when the release was built may have become late since."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date

from msgspec.structs import replace

from padron.companies.model import Coverage
from padron.countries.country import Country


def grown_late(coverage: Coverage, registry: Mapping[str, Country], today: date) -> frozenset[tuple[str, str]]:
    """Return the sources that were fresh when the release was built, and are late by now.

    Returns:
        Country and name of each source.
    """
    known = {(code, source.name): source for code, country in registry.items() for source in country.sources}
    return frozenset(
        key
        for country in coverage.countries
        for source in country.sources
        if source.state == "fresh"
        and source.date
        and (definition := known.get(key := (country.country_code, source.name)))
        and definition.is_late(source.date, today)
    )


def aged(coverage: Coverage, late: AbstractSet[tuple[str, str]]) -> Coverage:
    """Return `coverage` with the sources `late`, by country and name, marked as late."""
    countries = [
        replace(
            country,
            sources=[
                replace(source, state="late") if (country.country_code, source.name) in late else source
                for source in country.sources
            ],
        )
        for country in coverage.countries
    ]
    return replace(coverage, countries=countries)
