"""What all countries share: an identifier is read in whatever marks it was copied with."""

from __future__ import annotations

from pathlib import Path

import pytest

from padron.countries import REGISTRY
from padron.errors import NotFound
from padron.text import plain_marks

IDS = Path(__file__).parent / "countries" / "ids"
NUMBERS = [
    (code, scheme.show((IDS / f"{scheme.code}.txt").read_text().splitlines()[-1]))
    for code, country in REGISTRY.items()
    for scheme in country.schemes
    if (IDS / f"{scheme.code}.txt").exists()
]
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII -> its full-width form."""


@pytest.mark.parametrize(("country", "written"), NUMBERS)
def test_an_identifier_is_read_in_the_marks_it_was_copied_with(country: str, written: str) -> None:
    found = REGISTRY[country].identify(written)
    for copied in (
        written.translate(WIDE),
        written.translate({ord("-"): 0x2011}),
        written.translate({ord("-"): 0x2013}),
        written.translate({ord("-"): 0x2212}),
        "\u200e" + "\u200b".join(written) + "\ufeff",
        f"\u00a0{written}\u2009",
    ):
        assert REGISTRY[country].identify(copied) == found


def test_there_is_a_number_of_every_country() -> None:
    assert {country for country, _ in NUMBERS} == set(REGISTRY)


def test_a_persons_number_is_one_in_any_marks() -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        REGISTRY["BR"].identify("123.456.789\u201109".translate(WIDE))


def test_letters_stay_what_they_are() -> None:
    assert plain_marks("\u00d1EX \u00ba n\u0303 & \u00c9") == "\u00d1EX \u00ba n\u0303 & \u00c9"
