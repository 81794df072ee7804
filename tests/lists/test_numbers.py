"""Official numbers that a spreadsheet took for quantities."""

from __future__ import annotations

import pytest

from padron.countries import REGISTRY
from padron.lists.numbers import has_lost_digits, labelled, restored


@pytest.mark.parametrize(
    ("cell", "country", "number"),
    [
        ("1790016919001.0", None, "1790016919001"),
        ("900156264,00", None, "900156264"),
        ("1.790016919001E+12", None, "1790016919001"),
        ("3,0546689979e10", None, "30546689979"),
        ("4913711000108", None, "04913711000108"),  # Banco do Estado do Pará
        ("360305000104", None, "00360305000104"),  # Caixa Econômica Federal
        ("2.421.421/0001-11", "BR", "02.421.421/0001-11"),  # TIM
        ("190055671001", "EC", "0190055671001"),  # Tocasa
        ("190055671001.0", None, "0190055671001"),
        # As they are: valid, with a wrong check digit alone, of somebody's own, no number.
        ("1790016919001", "EC", "1790016919001"),
        ("33.000.167/0001-01", "BR", "33.000.167/0001-01"),
        ("190055671002", "BR", "190055671002"),
        ("4913711000109", None, "4913711000109"),
        ("320193", None, "320193"),
        ("899999068-1", "CO", "899999068-1"),
        ("1.000", None, "1.000"),
        ("1.79E+12", None, "1.79E+12"),
        ("V-10023", None, "V-10023"),
        ("", None, ""),
    ],
)
def test_a_number_is_read_as_it_was(cell: str, country: str | None, number: str) -> None:
    assert restored(cell, [REGISTRY[country]] if country else REGISTRY.values()) == number


def test_the_number_of_a_person_keeps_its_zero_too() -> None:
    assert restored("102030405001", [REGISTRY["EC"]]) == "0102030405001"


@pytest.mark.parametrize(("cell", "lost"), [("1.79E+12", True), ("4,91E+12", True), ("1.790016919001E+12", False)])
def test_digits_that_are_gone_are_noticed(cell: str, *, lost: bool) -> None:
    assert has_lost_digits(cell) is lost
    assert not has_lost_digits("E12")


def test_marks_around_a_quantity_are_no_part_of_it() -> None:
    assert restored("(1790016919001.0);", REGISTRY.values()) == "1790016919001"


@pytest.mark.parametrize(
    ("cell", "word", "number"),
    [
        ("NIT 899999068-1", "nit", "899999068-1"),
        ("R.U.C. No. 1790016919001", "ruc", "1790016919001"),
        ("ruc: N° 1790016919001", "ruc", "1790016919001"),
        ("(EIN) #94-2404110", "ein", "94-2404110"),
        ("State file number: 123", "state file number", "123"),
        ("NIT", "", "NIT"),
        ("NITRO 2000", "", "NITRO 2000"),
        ("1790016919001 RUC", "", "1790016919001 RUC"),
        *((f"ruc{mark * 20_000}x", "", f"ruc{mark * 20_000}x") for mark in (" ", " -", " n.")),
    ],
    ids=lambda value: value[:24],
)
def test_the_word_for_a_scheme_before_a_number_is_told_apart(cell: str, word: str, number: str) -> None:
    """Cells of any length: with the blanks and marks given back it would take years."""
    assert labelled(cell, REGISTRY.values()) == (word, number)
