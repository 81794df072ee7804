"""Identifiers in a text: any punctuation, alone or among words, and whose reading it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.matching import identifiers
from padron.matching.identifiers import Spotted, Spotter, one_slip_off

spotter = Spotter(REGISTRY, frozenset({"empresa", "ecuador"}))


def readings(text: str) -> set[tuple[str, str]]:
    spotted = spotter.spot(text)
    return {(number.identifier.scheme, number.identifier.value) for number in spotted.numbers} if spotted else set()


def test_the_number_of_a_company_is_read_after_one_of_a_person() -> None:
    assert readings("0102030405 Corporacion Favorita 1790016919001") == {("ec-ruc", "1790016919001")}


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("33.000.167/0001-01", ("br-cnpj", "33000167000101")),
        ("33000167000101", ("br-cnpj", "33000167000101")),
        ("cnpj 33 000 167 0001 01", ("br-cnpj", "33000167000101")),
        ("899.999.068-1", ("co-nit", "899999068")),
        ("NIT 899999068", ("co-nit", "899999068")),
        ("30-54668997-9", ("ar-cuit", "30546689979")),
        ("cñ&850101ab1", ("mx-rfc", "CÑ&850101AB1")),
        ("CIK0000320193", ("us-cik", "320193")),
        ("94-2404110", ("us-ein", "942404110")),
        ("1790016919001", ("ec-ruc", "1790016919001")),
        ("5493000J801JZRCMFE49", ("lei", "5493000J801JZRCMFE49")),
    ],
)
def test_a_number_alone(text: str, reading: tuple[str, str]) -> None:
    assert reading in readings(text)


@pytest.mark.parametrize(
    ("text", "reading", "rest"),
    [
        ("Petrobras 33.000.167/0001-01", ("br-cnpj", "33000167000101"), "petrobras"),
        ("RUC de Corporación Favorita: 1790016919001", ("ec-ruc", "1790016919001"), "de corporacion favorita"),
        ("1790016919001 Corporación Favorita", ("ec-ruc", "1790016919001"), "corporacion favorita"),
        ("empresa Ecuador 384", ("ec-expediente", "384"), "empresa ecuador"),
        ("expediente 384 favorita", ("ec-expediente", "384"), "favorita"),
        ("Caminos CÑ& 850101 AB1", ("mx-rfc", "CÑ&850101AB1"), "caminos"),
    ],
)
def test_a_number_among_words(text: str, reading: tuple[str, str], rest: str) -> None:
    spotted = spotter.spot(text)
    assert spotted
    assert reading in readings(text)
    assert spotted.rest == rest


@pytest.mark.parametrize("text", ["Hotel 7", "Fideicomiso 2020", "D1 tiendas", "Grupo 99 bienes", "3M", "sin número"])
def test_a_name_with_a_number_is_no_identifier(text: str) -> None:
    spotted = spotter.spot(text)
    assert spotted is None or spotted.rest == ""


def test_a_scheme_word_decides_among_the_readings() -> None:
    assert readings("942404110") >= {("us-cik", "942404110"), ("us-ein", "942404110"), ("co-nit", "942404110")}
    assert readings("EIN 942404110") == {("us-ein", "942404110")}
    assert readings("CIK 942404110") == {("us-cik", "942404110")}


@pytest.mark.parametrize(
    ("text", "countries"),
    [("123.456.789-09", {"BR"}), ("0102030405", {"EC"}), ("20-12345678-6", {"AR"}), ("078-05-1120", {"US"})],
)
def test_the_number_of_a_person_is_told(text: str, countries: set[str]) -> None:
    spotted = spotter.spot(text)
    assert spotted
    assert spotted.persons >= countries
    assert spotted.long or not spotted.numbers


@given(st.text("0123456789 ABC.-/&ñ", max_size=80))
def test_any_text_is_answered_within_bounds(text: str) -> None:
    spotted = spotter.spot(text)
    assert spotted is None or isinstance(spotted, Spotted)


def test_a_slip_is_a_wrong_digit_or_two_that_changed_places() -> None:
    ruc = "1790016919001"
    slips = {"1790061919001", "1709016919001", "1790016918001"}
    assert all(ruc in {near.identifier.value for near in one_slip_off(REGISTRY["EC"], slip)} for slip in slips)


def test_numbers_are_looked_for_among_the_first_words_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(identifiers, "_windows", lambda words: read.append(len(words)) or iter(()))
    assert spotter.spot("a " * 1_000 + "1") is None
    assert read == [128]


@pytest.mark.parametrize(
    ("text", "read", "rest"),
    [
        ("EC1790016919001", {("ec-ruc", "1790016919001")}, ""),
        ("ecu 1790016919001", {("ec-ruc", "1790016919001")}, ""),
        ("CO-890900266", {("co-nit", "890900266")}, ""),
        ("US0000320193", {("us-cik", "320193")}, ""),
        ("MX-CÑ&850101AB1", {("mx-rfc", "CÑ&850101AB1")}, ""),
        ('="1790016919001"', {("ec-ruc", "1790016919001")}, ""),
        ("Favorita '1790016919001", {("ec-ruc", "1790016919001")}, "Favorita"),
        ("Favorita EC1790016919001", {("ec-ruc", "1790016919001")}, "Favorita"),
        # Letters that are part of the number, and words that are no code of its country.
        ("MEX010101XX1", {("mx-rfc", "MEX010101XX1")}, ""),
        ("COL890901ABA", {("mx-rfc", "COL890901ABA")}, ""),
        ("CO-20011234567", {("us-state", "CO-20011234567")}, ""),
        ("US12345678901234567890", set(), ""),
        ("US 384", set(), ""),
    ],
)
def test_the_code_of_its_country_stands_before_a_number(text: str, read: set[tuple[str, str]], rest: str) -> None:
    assert readings(text) == read
    spotted = spotter.spot(text)
    assert (spotted.rest if spotted else "") == rest.lower()


def test_a_legal_form_before_a_number_is_no_country() -> None:
    assert readings("Ford Motor Co 37996") == readings("Ford Motor 37996")
    assert readings("Bottling Co 942404110") == readings("Bottling 942404110")


def test_a_number_with_a_right_check_digit_is_read_as_a_whole() -> None:
    assert readings("COL890921009") == {("mx-rfc", "COL890921009"), ("mx-nra", "COL890921009")}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('"1790016919001"', ("ec-ruc", "1790016919001")),
        ("«1790016919001»", ("ec-ruc", "1790016919001")),
        ("#1790016919001", ("ec-ruc", "1790016919001")),
        ("(1790016919001)", ("ec-ruc", "1790016919001")),
        ("[33.000.167/0001-01]", ("br-cnpj", "33000167000101")),
        ("1790016919001/", ("ec-ruc", "1790016919001")),
        ("899.999.068-1;", ("co-nit", "899999068")),
        ("_30_54668997_9_", ("ar-cuit", "30546689979")),
        ("EC1790016919001,", ("ec-ruc", "1790016919001")),
        ("-320193", ("us-cik", "320193")),
        ("320,193", ("us-cik", "320193")),
        ("1.652.044", ("us-cik", "1652044")),
    ],
)
def test_marks_that_are_pasted_with_a_number_are_no_part_of_it(text: str, read: tuple[str, str]) -> None:
    assert read in readings(text)


def test_groups_of_thousands_beside_words_may_be_an_amount() -> None:
    assert "us-cik" not in {scheme for scheme, _ in readings("ventas 320,193")}
    assert ("us-cik", "320193") in readings("ventas 320193")
    assert "us-cik" not in {scheme for scheme, _ in readings("890.900.266")}
