"""A running service tells when a source has become late, without a new release."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from padron.countries import REGISTRY
from padron.directory import Directory, run

TOLD = date(2026, 3, 1)
"""The date of the only source of the small directory, `Registro`."""


def test_a_source_grows_late_while_its_release_is_served(small_data: Path) -> None:
    ecuador = REGISTRY["EC"]
    monthly = replace(ecuador.sources[0], name="Registro", cadence=30)
    registry = {**REGISTRY, "EC": replace(ecuador, sources=(monthly, *ecuador.sources[1:]))}
    day = [TOLD + timedelta(days=60)]
    directory = run(Directory.open(small_data, registry, "https://padron.example", today=lambda: day[0]))

    def states(directory: Directory) -> dict[str, set[str]]:
        return {
            country.country_code: {source.state for source in country.sources}
            for country in directory.coverage().countries
        }

    edition = directory.edition
    assert states(directory)["EC"] == {"fresh"}
    assert run(directory.refreshed()) is directory, "nothing is new on the last day of the second month"
    day[0] += timedelta(days=1)
    later = run(directory.refreshed())
    assert states(later)["EC"] == {"late"}
    assert states(later)["CO"] == {"fresh"}, "nothing is known of that source's cadence"
    assert later.edition == f"{edition}.late1", "whoever holds the older answer gets the new one"
    assert run(later.refreshed()) is later
