"""ISIC: the table is that of the United Nations, and a national code tells a level only where it is the same there."""

from __future__ import annotations

import csv
import re

import pytest

from padron.companies import isic
from padron.companies.isic import isic_code, names, with_section
from padron.countries import REGISTRY


def national(country: str) -> set[str]:
    """The codes of a country's classification."""
    with (REGISTRY[country].folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        return {row["code"] for row in csv.DictReader(file)}


def test_the_table_has_every_section_division_and_class() -> None:
    assert [sum(len(code) == length for code in names()) for length in (1, 3, 5)] == [21, 88, 419]
    assert all(text.es and text.en for text in names().values())
    assert {code[0] for code in names()} == {code for code in names() if len(code) == 1}
    assert names()["G4711"].en.startswith("Retail sale in non-specialized stores with food")


def test_the_classes_of_ecuador_are_those_of_isic() -> None:
    assert {code for code in national("EC") if re.fullmatch(r"[A-U](\d\d(\d\d)?)?", code)} == set(names())


@pytest.mark.parametrize(("country", "absent"), [("CO", set()), ("BR", {"98"})])
def test_the_divisions_of_colombia_and_brazil_are_those_of_isic(country: str, absent: set[str]) -> None:
    divisions = {code[:2] for code in national(country) if code[:1].isdigit()}
    assert divisions == {code[1:] for code in names() if len(code) == 3} - absent


def test_colombia_has_other_classes_under_the_numbers_of_isic() -> None:
    with (REGISTRY["CO"].folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["code"]: row["label"] for row in csv.DictReader(file)}
    assert (labels["0114"], names()["A0114"].en) == ("Cultivo de tabaco", "Growing of sugar cane")


@pytest.mark.parametrize(
    ("country", "official", "code"),
    [
        ("EC", "G4711.01", "G4711"),
        ("EC", "G471101", "G4711"),
        ("EC", "G47", "G47"),
        ("EC", "Z9999", None),
        ("CO", "0145", "A01"),
        ("BR", "0111301", "A01"),
        ("MX", "111152", None),
        ("US", "3571", None),
        ("AR", "011111", None),
        ("EC", None, None),
        ("EC", "", None),
    ],
)
def test_the_code_of_a_company(country: str, official: str | None, code: str | None) -> None:
    assert isic_code(official, REGISTRY[country].isic) == code


def test_a_division_gets_its_section() -> None:
    assert [with_section(code) for code in ("47", "4711", "g47", "A", "00", "")] == [
        "G47", "G4711", "G47", "A", "00", "",
    ]  # fmt: skip
    assert isic.SYSTEM == "ISIC"
