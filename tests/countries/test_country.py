"""Rules that all countries share: the registry, and identifiers in any punctuation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from padron.countries import REGISTRY
from padron.countries.country import names_in_words, registry, scheme_labels
from padron.errors import Invalid, NotFound
from padron.questions.lexicon import Lexicon
from padron.text import plain_marks

IDS = Path(__file__).parent / "ids"
NUMBERS = [
    (code, scheme.show((IDS / f"{scheme.code}.txt").read_text().splitlines()[-1]))
    for code, country in REGISTRY.items()
    for scheme in country.schemes
    if (IDS / f"{scheme.code}.txt").exists()
]
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII -> its full-width form."""


@pytest.mark.parametrize("written", ["549300\u212a000000000RC29", "5493\u017f00J801JZRCMFE49"])
def test_a_sign_that_only_looks_like_a_letter_is_none_of_a_lei(written: str) -> None:
    """The sign for kelvin and the long s, whose other case is a letter."""
    with pytest.raises(Invalid, match="invalid-identifier"):
        REGISTRY["EC"].identify(written)


@pytest.mark.parametrize(("country", "written"), NUMBERS)
def test_an_identifier_is_read_in_the_marks_it_was_copied_with(country: str, written: str) -> None:
    readings = REGISTRY[country].identify(written)
    for copied in (
        written.translate(WIDE),
        written.translate({ord("-"): 0x2011}),
        written.translate({ord("-"): 0x2013}),
        written.translate({ord("-"): 0x2212}),
        "\u200e" + "\u200b".join(written) + "\ufeff",
        f"\u00a0{written}\u2009",
    ):
        assert REGISTRY[country].identify(copied) == readings


def test_there_is_a_number_of_every_country() -> None:
    assert {country for country, _ in NUMBERS} == set(REGISTRY)


def test_a_persons_number_is_one_in_any_marks() -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        REGISTRY["BR"].identify("123.456.789\u201109".translate(WIDE))


def test_letters_stay_what_they_are() -> None:
    assert plain_marks("\u00d1EX \u00ba n\u0303 & \u00c9") == "\u00d1EX \u00ba n\u0303 & \u00c9"


@pytest.mark.parametrize("name", ["companies.sql", "forms.csv", "activities.csv"])
def test_a_country_without_a_required_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    folder = copytree(REGISTRY["EC"].folder, tmp_path / "ec")
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"country 'EC' cannot be registered: its folder has no {name}"):
        registry(replace(REGISTRY["EC"], folder=folder))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"code": "Ec"}, "not two capital letters"),
        ({"schemes": ()}, "it states no schemes"),
        ({"schemes": REGISTRY["EC"].schemes[1:]}, "none of its schemes is primary"),
        ({"sources": ()}, "it states no sources"),
        ({"examples": ()}, "it states no examples"),
        ({"examples": (("pe-ruc", "20100055237"),)}, "'pe-ruc' is of none of its schemes"),
        ({"precedence": {"legal_name": ("sunat",)}}, "'sunat', which is none of its sources"),
        ({"sources": REGISTRY["EC"].sources[:1]}, "is of none of its sources"),
    ],
)
def test_a_missing_or_inconsistent_part_is_refused_in_a_sentence(change: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        registry(replace(REGISTRY["EC"], **change))  # type: ignore[arg-type]


def test_a_code_is_registered_once() -> None:
    with pytest.raises(ValueError, match="the same code: EC, EC"):
        registry(REGISTRY["EC"], REGISTRY["EC"])


def test_optional_parts_may_be_missing(tmp_path: Path) -> None:
    folder = copytree(REGISTRY["EC"].folder, tmp_path / "ec")
    for name in ("places.csv", "activity_codes.csv", "by_names.csv", "uncovered.csv", "outline.json"):
        (folder / name).unlink()
    bare = replace(REGISTRY["EC"], folder=folder, official_count=None)
    assert registry(bare) == {"EC": bare}
    assert (bare.places, bare.activity_codes, bare.by_names, bare.uncovered, bare.outline) == ((), {}, {}, (), None)


def test_sentences_list_the_countries_and_their_numbers() -> None:
    countries = [REGISTRY[code] for code in ("EC", "MX", "US", "BR", "CO", "AR")]
    assert names_in_words(countries) == (
        "Ecuador, México, Estados Unidos, Brasil, Colombia y Argentina",
        "Ecuador, Mexico, the United States, Brazil, Colombia and Argentina",
    )
    assert scheme_labels(countries) == ("RUC, RFC, CIK, CNPJ, NIT o CUIT", "RUC, RFC, CIK, CNPJ, NIT or CUIT")


def test_activity_codes_are_those_of_activities_that_questions_know() -> None:
    known = Lexicon(REGISTRY).activities.keys()
    for code, country in REGISTRY.items():
        assert country.activity_codes.keys() <= known, code
