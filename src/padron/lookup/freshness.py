"""The state of sources as of today: one that was fresh when the release was built may have become late since."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date

from msgspec.structs import replace

from padron.country import Country
from padron.model import Coverage


def grown_late(coverage: Coverage, registry: Mapping[str, Country], today: date) -> frozenset[tuple[str, str]]:
    """Country and name of the sources that were fresh when the release was built, and are late by now."""
    known = {(code, source.name): source for code, country in registry.items() for source in country.sources}
    return frozenset(
        named
        for country in coverage.countries
        for one in country.sources
        if one.state == "fresh"
        and one.date
        and (source := known.get(named := (country.country_code, one.name)))
        and source.is_late(one.date, today)
    )


def aged(coverage: Coverage, late: AbstractSet[tuple[str, str]]) -> Coverage:
    """`coverage` where the sources `late`, by country and name, are so."""
    countries = [
        replace(
            country,
            sources=[
                replace(one, state="late") if (country.country_code, one.name) in late else one
                for one in country.sources
            ],
        )
        for country in coverage.countries
    ]
    return replace(coverage, countries=countries)
