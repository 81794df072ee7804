"""The context of a name in a query: places, activities, parts between separators, legal forms, words of documents."""

from __future__ import annotations

import pytest

from padron.countries import REGISTRY
from padron.matching.context import Context, ContextReader
from padron.matching.trades import describes
from padron.text import fold

reader = ContextReader(REGISTRY)


def context(text: str) -> Context:
    return reader.read(text, fold(text).split())


def test_a_place_is_known_by_all_of_its_names() -> None:
    assert context("bimbo cdmx").places["cdmx"] == {"ciudad de mexico"}
    assert context("minera en nuevo leon").places.keys() == {"nuevo", "leon"}
    assert not context("bimbo sa").places


@pytest.mark.parametrize("text", ["tia supermercados", "tia supermarket", "TIA, cadena de supermercados"])
def test_an_activity_is_known_in_every_language_and_number(text: str) -> None:
    assert any("#supermarkets" in terms for terms in context(text).activities.values())


def test_the_parts_between_separators_lose_their_legal_forms() -> None:
    assert context("OMARSA S.A. | Durán | camarón").segments == {"omarsa", "duran", "camaron"}
    assert context("Unifi Inc - Greensboro").segments == {"unifi", "greensboro"}
    assert context("coca-cola de mexico").segments == frozenset()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("despacho Pinturas Algreco S.A. Yumbo 20 cunetes", {"algreco"}),
        ("Boeing Co faces new audit", {"boeing"}),
        ("CONCESION PACIFICO QUIMTIA S.A.S.", set()),
        ("corner growth acquisition corp 5", set()),
        ("saude facil de beneficios", set()),
    ],
)
def test_a_legal_form_inside_a_text_ends_a_name(text: str, words: set[str]) -> None:
    assert context(text).before_forms.keys() == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("factura 31 Dinatech", {"factura", "31"}),
        ("Dinatech 31", set()),
        ("Dinatech 4500099812", {"4500099812"}),
        ("Dinatech; 31", {"31"}),
        ("Grupo Dinatech", set()),
    ],
)
def test_words_and_numbers_of_documents(text: str, words: set[str]) -> None:
    assert context(text).document == words


@pytest.mark.parametrize(
    ("text", "word", "term"),
    [
        ("arezzo calçados", "calcados", "zapat"),
        ("ecovias pedágio", "pedagio", "peaj"),
        ("cal-maine eggs", "eggs", "#agriculture"),
        ("racafe exportador de cafés", "cafes", "#coffee"),
    ],
)
def test_a_word_for_a_product_has_the_terms_of_its_trade(text: str, word: str, term: str) -> None:
    assert term in context(text).activities[word]


def test_words_that_describe_companies_are_told_from_names() -> None:
    assert all(map(describes, ["exportador", "subsidiary", "azucareros", "panaderia", "shoes"]))
    assert not any(map(describes, ["petrobras", "favorita", "quito"]))
