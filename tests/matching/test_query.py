"""Parsing of texts: names, legal forms, countries and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.matching.query import MOST_WORDS, Reader

reader = Reader(REGISTRY)


@pytest.mark.parametrize(
    ("text", "country", "key", "forms"),
    [
        ("Corporación Favorita C.A.", "EC", "corporacion favorita", {"sa"}),
        ("corporacion favorita sociedad anónima", "EC", "corporacion favorita", {"sa"}),
        ("CEMEX S.A.B. de C.V.", "MX", "cemex", {"sab-de-cv"}),
        ("Apple Incorporated", "US", "apple", {"inc"}),
        ("Ford Motor Company", "US", "ford motor", set()),
        ("PETRÓLEO BRASILEIRO S.A. - PETROBRAS", "BR", "petroleo brasileiro petrobras", {"sa"}),
        ("Transportes Sánchez Polo S.A. en reorganización", "CO", "transportes sanchez polo", {"sa"}),
        ("Banco de los Andes", "EC", "banco andes", set()),
        ("Los Doble W S A Argentina", "AR", "doble w argentina", {"sa"}),
    ],
)
def test_each_country_tells_name_from_form(text: str, country: str, key: str, forms: set[str]) -> None:
    asked = reader.read(text).names[country]
    assert asked.key == key
    assert asked.forms == forms


def test_a_form_of_another_country_is_a_form_that_the_country_does_not_know() -> None:
    query = reader.read("Hotel Plaza S. de R.L. de C.V.")
    assert query.names["MX"].key == "hotel plaza"
    assert query.names["MX"].forms == query.names["US"].forms == {"s-de-rl-de-cv"}


def test_words_for_a_company_say_no_form_and_may_be_absent() -> None:
    query = reader.read("empresa Favorita company")
    assert query.loose >= {"empresa"}
    assert all(asked.forms == set() for asked in query.names.values())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ecopetrol Colombia", "CO"),
        ("Apple United States", "US"),
        ("Apple Estados Unidos", "US"),
        ("empresa ecuatoriana Favorita", "EC"),
        ("Magazine Luiza Brasil", "BR"),
    ],
)
def test_a_country_named_points_to_it(text: str, code: str) -> None:
    query = reader.read(text)
    assert set(query.pointed.values()) == {code}
    assert query.loose >= query.pointed.keys()


def test_a_filter_leaves_one_reading() -> None:
    query = reader.read("Favorita", "EC")
    assert list(query.names) == ["EC"]
    assert query.country == "EC"


def test_words_around_a_number_are_a_name_unless_they_say_nothing() -> None:
    assert reader.read("1790016919001").around is None
    assert reader.read("empresa 1790016919001 Ecuador").around is None
    assert reader.read("RUC: 1790016919001").around is None
    around = reader.read("Corporación Favorita 1790016919001").around
    assert around is not None
    assert around["EC"].key == "corporacion favorita"


def test_of_readings_of_one_length_the_first_country_says_what_may_be_a_form() -> None:
    query = reader.read("Axxisca M & M S A.S")
    assert {asked.words for asked in query.names.values()} == {("axxisca", "mm"), ("axxisca", "mmsas")}
    assert (query.names["EC"].words, query.formal) == (("axxisca", "mm"), {"mmsas"})


def test_a_text_without_letters_or_digits_asks_for_nothing() -> None:
    for text in ("!!", "🙂🙂", "-- --"):
        assert all(not asked.words for asked in reader.read(text).names.values())


@given(st.text(max_size=256))
def test_any_text_can_be_read(text: str) -> None:
    query = reader.read(text)
    assert set(query.names) == set(REGISTRY)
    assert all(asked.key == " ".join(asked.words) for asked in query.names.values())


def test_a_long_text_is_read_as_a_name_up_to_a_bound() -> None:
    words = ["gas", "oil"] * 100
    query = reader.read(" ".join(["NIT 899999068-1", *words]))
    assert query.around is not None
    assert all(asked.words == tuple(words[:MOST_WORDS]) for asked in query.around.values())
    assert all(len(asked.words) <= MOST_WORDS for asked in query.names.values())


@pytest.mark.parametrize(
    ("text", "country", "is_form"),
    [
        ("LLC", None, True),
        ("S.A.", None, True),
        ("S. A. de C. V.", None, True),
        ("NYSE:AG", None, False),
        ("Apple Inc", None, False),
        ("", None, False),
        ("ESE", None, True),
        ("ESE", "CO", True),
        ("ESE", "US", False),
        ("quiebra", None, False),
        ("En liquidación", "CO", False),
        ("massa falida", "BR", False),
    ],
)
def test_a_text_that_is_nothing_but_a_legal_form(text: str, country: str | None, is_form: bool) -> None:
    """A state of the company is no legal form, and the forms of countries that are not searched do not count."""
    assert reader.read(text, country).is_form is is_form
