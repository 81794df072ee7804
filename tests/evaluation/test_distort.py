"""Every distortion on named examples: the complete set of what it can make of them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from evaluation import distort
from evaluation.distort import Scene
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

KNOWN = Counter(dict.fromkeys("agro industrial petro ecuador industrias comercial construcciones".split(), 30))
EC = Scene("EC", KNOWN, "GUAYAQUIL")
BR = Scene("BR", KNOWN, None)
US = Scene("US", KNOWN, None)


def everything(change, text, scene, seeds=600):
    made = {" ".join(words) if (words := change(Random(seed), text.split(), scene)) else None for seed in range(seeds)}
    assert change(Random(7), text.split(), scene) == change(Random(7), text.split(), scene)
    return made


def test_transposed():
    assert everything(distort.transposed, "Nestle SA", EC) == {"Nsetle SA", "Netsle SA", "Neslte SA", "Nestel SA"}


def test_doubled_and_undoubled():
    made = everything(distort.doubled, "Apple", US)
    assert {"Aple", "Appple", "Applle", "Applee"} == made


def test_slip_changes_one_letter():
    made = everything(distort.slip, "Ecopetrol de Colombia", EC)
    assert {OSA.distance(one, "Ecopetrol de Colombia") for one in made} == {1}
    assert all(" de " in one for one in made)
    assert {"Ecopetol de Colombia", "Ecopetrol de Colombua"} <= made


def test_two_slips_hit_two_words():
    for one in everything(distort.two_slips, "ALMACENES EXITO", EC, 100):
        first, second = one.split()
        assert first != "ALMACENES"
        assert second != "EXITO"


def test_misheard_in_three_languages():
    assert everything(distort.misheard, "Llave Vaquera", EC) == {
        "yave Vaquera", "Llabe Vaquera", "Llave baquera", "Llave Vakera",
    }  # fmt: skip
    assert everything(distort.misheard, "ÇELIXO", BR) == {"SELIXO", "SSELIXO", "ÇELICHO"}
    assert everything(distort.misheard, "Phoenix", US) == {"foenix", "Phoenicks"}


def test_glued_and_divided():
    assert everything(distort.glued, "Coca Cola de Quito", EC) == {"CocaCola de Quito"}
    assert everything(distort.divided, "AGROINDUSTRIAL PETROECUADOR", EC) == {
        "AGRO INDUSTRIAL PETROECUADOR",
        "AGROINDUSTRIAL PETRO ECUADOR",
    }


def test_joiners():
    assert everything(distort.joiners, "PROCTER & GAMBLE", US) == {
        "PROCTER and GAMBLE", "PROCTER y GAMBLE", "PROCTER e GAMBLE", "PROCTER GAMBLE",
    }  # fmt: skip


def test_abbreviated_and_written_out():
    assert everything(distort.abbreviated, "INDUSTRIAS Ales", EC) == {
        "IND Ales", "IND. Ales", "INDS Ales", "INDS. Ales",
    }  # fmt: skip
    assert everything(distort.abbreviated, "Ales ind", EC) == {"Ales industrias", "Ales industrial"}


def test_translated():
    assert everything(distort.translated, "Banco Internacional", EC) == {
        "bank Internacional", "Banco international", "bank international", None,
    }  # fmt: skip
    assert everything(distort.translated, "SAÚDE SIM", BR) == {"health SIM", "salud SIM"}


def test_extra_words():
    assert "empresa de Pronaca" in everything(distort.with_generic, "Pronaca", EC)
    assert everything(distort.with_place, "Pronaca", EC) == {"Pronaca Ecuador", "Pronaca Guayaquil"}
    assert everything(distort.with_place, "Nestle Ecuador", EC) == {"Nestle Ecuador Guayaquil", None}


def test_reordered():
    assert everything(distort.reordered, "Industrial Pesquera Priscila", EC) == {
        "Priscila Industrial Pesquera",
        "Pesquera Priscila Industrial",
        "Pesquera Industrial Priscila",
        "Industrial Priscila Pesquera",
    }
    assert everything(distort.reordered, "Banco de Quito", EC) == {None}


def test_hurried():
    for one in everything(distort.hurried, "Camión y Fórmula de Andes", EC, 50):
        assert one.islower()
        assert one.isascii()
        assert " y " not in one
        assert 0 < OSA.distance(one, "camion formula andes") <= 1


def test_beginning():
    made = {distort.beginning(Random(seed), ["Banco", "9", "Pich"]) for seed in range(99)}
    assert made == {"Banco", "Banco 9 Pi", "Banco 9 Pic", None}
    assert distort.beginning(Random(1), ["Banco"]) is None


def test_another_place():
    made = {tuple(distort.another_place(Random(seed), ["Clinica", "Quito"], ("Quito", "Loja"))) for seed in range(9)}
    assert made == {("Clinica", "Loja")}
    assert distort.another_place(Random(1), ["Clinica", "Sur"], ("Quito", "Loja")) is None
    assert distort.another_place(Random(1), ["Quito"], ("Quito", "Loja")) is None


def test_case_and_typing():
    made = {distort.other_case(Random(seed), "Apple Inc.") for seed in range(40)}
    assert {"apple inc.", "APPLE INC."} < made
    assert "Apple Inc." not in made
    assert {distort.as_typed(Random(seed), "SAÚDE Sim") for seed in range(200)} == {
        "saúde sim", "saude sim", "Saúde Sim", "Saude Sim", "SAÚDE SIM", "SAUDE SIM", "SAÚDE Sim", "SAUDE Sim",
    }  # fmt: skip


CHANGES = [
    distort.slip, distort.two_slips, distort.transposed, distort.doubled, distort.misheard, distort.glued,
    distort.divided, distort.joiners, distort.abbreviated, distort.translated, distort.reordered, distort.hurried,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@given(
    words=st.lists(st.text(alphabet="abñÉz&y1 -.'".replace(" ", ""), min_size=1, max_size=9), min_size=1, max_size=5)
)
def test_a_change_changes_or_declines(change, words):
    before = list(words)
    made = change(Random(3), words, EC)
    assert words == before
    assert made is None or (made != words and all(made))
