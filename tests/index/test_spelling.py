"""Variants of words: every misspelling shares a term with its word, and nothing far is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from padron.index.spelling import (
    ABBREVIATED,
    EDITED,
    EQUIVALENT,
    UNFINISHED,
    alike,
    equivalents,
    glued,
    halves,
    initials,
    is_acronym,
    is_contraction,
    misspellings,
    name_terms,
    neighbour_terms,
    neighbourhood,
    numeral,
    sounds,
    written_numbers,
)

letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=1)


@st.composite
def edited(draw: st.DrawFn, least: int, most: int, edits: int, how: str) -> tuple[str, str]:
    """A word, and the same after so many edits of the kinds `how`."""
    word = draw(st.text("abcdefghijklmnopqrstuvwxyz", min_size=least, max_size=most))
    other = word
    for _ in range(edits):
        at = draw(st.integers(0, len(other) - 2))
        kind = draw(st.sampled_from(how.split()))
        middle = {
            "insert": draw(letters) + other[at],
            "delete": "",
            "change": draw(letters),
            "swap": other[at + 1] + other[at],
        }[kind]
        other = other[:at] + middle + other[at + (2 if kind == "swap" else 1) :]
    return word, other


@given(edited(4, 20, 1, "insert delete change swap"))
def test_one_edit_leaves_a_term_in_common(pair: tuple[str, str]) -> None:
    word, other = pair
    assert neighbourhood(word) & neighbour_terms(other)


@given(edited(8, 20, 2, "insert delete change"))
@example(("induprivado", "indupriavdo"))
@example(("corpacero", "corppuacero"))
@example(("transportes", "trnsportess"))
def test_two_edits_of_a_longer_word_leave_a_term_in_common(pair: tuple[str, str]) -> None:
    word, other = pair
    assert neighbourhood(word) & neighbour_terms(other)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=10, max_size=40))
def test_a_long_word_is_filed_under_few_terms(word: str) -> None:
    assert len(neighbourhood(word)) <= len(word) + 6


def test_nothing_is_taken_for_a_misspelling_of_a_word_longer_than_any() -> None:
    """A word of n letters has n deletions of n letters: of a hundred thousand they would fill any memory."""
    looked_up: list[str] = []
    for length in (65, 1_001):
        word = "ab" * length
        assert neighbourhood(word[:length]) == neighbour_terms(word[:length]) == set()
        assert halves(word[:length], 0, lambda part: looked_up.append(part) or 0) == []
        assert glued(word[:length], "s") == ()
        assert alike(word[:length], {word[: length - 1] + "c"}, last=False) == {}
    assert looked_up == []
    longest = "ab" * 32
    assert neighbourhood(longest) & neighbour_terms(longest[:-2] + "c")


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("servicios", "cerbisios"),
        ("llanquihue", "yankiue"),
        ("kilometro", "quilometro"),
        ("zapata", "sapata"),
        ("mexico", "mejico"),
        ("hernandez", "ernandes"),
        ("hershey", "hershy"),
    ],
)
def test_words_that_sound_alike_share_a_term(written: str, heard: str) -> None:
    assert sounds(written) & sounds(heard)
    assert neighbourhood(written) & {"~" + sound for sound in sounds(heard)}


def test_misspellings_are_near_and_the_nearest_come_first() -> None:
    known = ["favorito", "favorita", "favor", "savorita", "pavoroso"]
    assert misspellings("favoirta", known) == [("favorita", 1), ("favorito", 2), ("savorita", 2)]
    assert misspellings("ypf", ["ypfb", "xyz"]) == [("ypfb", 1)]


def test_what_a_word_may_stand_for() -> None:
    words = {"favorita", "industria", "industrias", "banco", "corporacion", "centro", "2", "xii", "fav"}
    assert alike("favorrita", words, last=False)["favorita"].how == EDITED
    assert alike("bank", words, last=False)["banco"].how == EQUIVALENT
    assert alike("favo", words, last=True)["favorita"].how == UNFINISHED
    assert alike("favo", words, last=False)["favorita"].how == ABBREVIATED
    assert alike("ctro", words, last=False)["centro"].how in {ABBREVIATED, EQUIVALENT}
    assert set(alike("ii", words, last=True)) == {"2"}
    assert set(alike("12", words, last=True)) == {"xii"}
    assert alike("ypf", words, last=False) == {}


def test_known_words_of_one_kind_are_no_misspellings_of_each_other() -> None:
    for asked, other in (("julio", "junio"), ("hijas", "hijos"), ("leste", "oeste"), ("segunda", "sexta")):
        assert alike(asked, {other}, last=False) == {}, asked
    for asked, same in (("hijo", "hijos"), ("sudeste", "sureste"), ("junio", "junho"), ("jullio", "julio")):
        assert same in alike(asked, {same}, last=False), asked


def test_an_acronym_is_made_of_beginnings_in_order() -> None:
    names = {
        "fadea": "fabrica argentina de aviones brig san martin",
        "emelnorte": "empresa electrica regional norte",
        "ahmsa": "altos hornos de mexico",
        "uba": "universidad de buenos aires",
        "unitec": "universidad tecnologica de mexico",
        "gm": "general motors",
    }
    for acronym, core in names.items():
        assert is_acronym(acronym, core), acronym
    for word in ("norte", "e", "electrica", "abcdefghijklmnop", ""):
        assert not is_acronym(word, "empresa electrica regional norte"), word


def test_numbers_stand_for_no_other_number() -> None:
    assert alike("2019", {"2018", "20190", "2019a"}, last=True) == {}
    assert alike("shift4", {"shift7"}, last=True) == {}


def test_slips_of_hand_count_apart_from_other_edits() -> None:
    swapped = alike("favoirta", {"favorita"}, last=False)["favorita"]
    neighbour = alike("fsvorita", {"favorita"}, last=False)["favorita"]
    other = alike("fpvorita", {"favorita"}, last=False)["favorita"]
    first = alike("pavorita", {"favorita"}, last=False)["favorita"]
    assert (swapped.slips, swapped.edits) == (1, 0)
    assert (neighbour.slips, neighbour.edits) == (1, 0)
    assert (other.slips, other.edits) == (0, 1)
    assert (first.slips, first.edits) == (0, 1.5)


def test_equivalents_are_of_one_meaning_and_symmetric() -> None:
    assert {"bank", "bco", "banco"} <= equivalents("banco")
    assert "aceros" in equivalents("steels")
    assert "banco" in equivalents("bank")
    assert equivalents("favorita") == set()


def test_contractions_keep_first_and_last_letter() -> None:
    assert is_contraction("ctro", "centro")
    assert is_contraction("prods", "productos")
    assert not is_contraction("ct", "centro")
    assert not is_contraction("otro", "centro")


def test_names_are_found_in_any_order_and_glued() -> None:
    assert name_terms(("coca", "cola")) == {"coca cola", "cocacola"}
    assert name_terms(("cola", "coca")) == {"coca cola", "colacoca"}


def test_initials_of_names_of_three_to_eight_words() -> None:
    assert initials("corporacion nacional de telecomunicaciones".split()) == "cnt"
    assert initials(["banco", "pichincha"]) is None
    assert initials("a b c d e f g h i j k".split()) is None


def test_numerals() -> None:
    assert [numeral(word) for word in ("7", "iv", "xx", "andes", "mil")] == ["7", "4", "20", None, None]
    assert [numeral(word) for word in ("dos", "tres", "segundo", "first", "2nd", "3ra", "3m")] == [*"23212", "3", None]
    assert {"2", "ii", "dos", "two", "segundo"} <= equivalents("2") == equivalents("ii") == equivalents("2nd")


def test_numbers_of_two_words() -> None:
    written = "noventa y dos grados", "brigade forty four", "veinte de mayo", "trinta e um", "forty", "treinta y"
    assert [" ".join(written_numbers(name.split())) for name in written] == [
        *("92 grados", "brigade 44", "veinte de mayo", "trinta e um", "forty", "treinta y"),
    ]
