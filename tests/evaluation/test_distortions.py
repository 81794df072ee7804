"""Every distortion on named examples: the complete set of what it can make of them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from evaluation import distortions
from evaluation.distortions import Context
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

KNOWN = Counter(dict.fromkeys("agro industrial petro ecuador industrias comercial construcciones".split(), 30))
EC = Context("EC", KNOWN, "GUAYAQUIL")
BR = Context("BR", KNOWN, None)
US = Context("US", KNOWN, None)


def everything(change, text, context, seeds=600):
    made = {
        " ".join(words) if (words := change(Random(seed), text.split(), context)) else None for seed in range(seeds)
    }
    assert change(Random(7), text.split(), context) == change(Random(7), text.split(), context)
    return made


def test_transposed():
    assert everything(distortions.transposed, "Nestle SA", EC) == {"Nsetle SA", "Netsle SA", "Neslte SA", "Nestel SA"}


def test_doubled_and_undoubled():
    made = everything(distortions.doubled, "Apple", US)
    assert {"Aple", "Appple", "Applle", "Applee"} == made


def test_slip_changes_one_letter():
    made = everything(distortions.slip, "Ecopetrol de Colombia", EC)
    assert {OSA.distance(changed, "Ecopetrol de Colombia") for changed in made} == {1}
    assert all(" de " in changed for changed in made)
    assert {"Ecopetol de Colombia", "Ecopetrol de Colombua"} <= made


def test_two_slips_hit_two_words():
    for changed in everything(distortions.two_slips, "ALMACENES EXITO", EC, 100):
        first, second = changed.split()
        assert first != "ALMACENES"
        assert second != "EXITO"


def test_misheard_in_three_languages():
    assert everything(distortions.misheard, "Llave Vaquera", EC) == {
        "yave Vaquera", "Llabe Vaquera", "Llave baquera", "Llave Vakera",
    }  # fmt: skip
    assert everything(distortions.misheard, "ÇELIXO", BR) == {"SELIXO", "SSELIXO", "ÇELICHO"}
    assert everything(distortions.misheard, "Phoenix", US) == {"foenix", "Phoenicks"}


def test_glued_and_divided():
    assert everything(distortions.glued, "Coca Cola de Quito", EC) == {"CocaCola de Quito"}
    assert everything(distortions.divided, "AGROINDUSTRIAL PETROECUADOR", EC) == {
        "AGRO INDUSTRIAL PETROECUADOR",
        "AGROINDUSTRIAL PETRO ECUADOR",
    }


def test_joiners():
    assert everything(distortions.joiners, "PROCTER & GAMBLE", US) == {
        "PROCTER and GAMBLE", "PROCTER y GAMBLE", "PROCTER e GAMBLE", "PROCTER GAMBLE",
    }  # fmt: skip


def test_abbreviated_and_written_out():
    assert everything(distortions.abbreviated, "INDUSTRIAS Ales", EC) == {
        "IND Ales", "IND. Ales", "INDS Ales", "INDS. Ales",
    }  # fmt: skip
    assert everything(distortions.abbreviated, "Ales ind", EC) == {"Ales industrias", "Ales industrial"}


def test_translated():
    assert everything(distortions.translated, "Banco Internacional", EC) == {
        "bank Internacional", "Banco international", "bank international", None,
    }  # fmt: skip
    assert everything(distortions.translated, "SAÚDE SIM", BR) == {"health SIM", "salud SIM"}


def test_extra_words():
    assert "empresa de Pronaca" in everything(distortions.with_generic, "Pronaca", EC)
    assert everything(distortions.with_place, "Pronaca", EC) == {"Pronaca Ecuador", "Pronaca Guayaquil"}
    assert everything(distortions.with_place, "Nestle Ecuador", EC) == {"Nestle Ecuador Guayaquil", None}


def test_reordered():
    assert everything(distortions.reordered, "Industrial Pesquera Priscila", EC) == {
        "Priscila Industrial Pesquera",
        "Pesquera Priscila Industrial",
        "Pesquera Industrial Priscila",
        "Industrial Priscila Pesquera",
    }
    assert everything(distortions.reordered, "Banco de Quito", EC) == {None}


def test_hurried():
    for changed in everything(distortions.hurried, "Camión y Fórmula de Andes", EC, 50):
        assert changed.islower()
        assert changed.isascii()
        assert " y " not in changed
        assert 0 < OSA.distance(changed, "camion formula andes") <= 1


def test_beginning():
    made = {distortions.beginning(Random(seed), ["Banco", "9", "Pich"]) for seed in range(99)}
    assert made == {"Banco", "Banco 9 Pi", "Banco 9 Pic", None}
    assert distortions.beginning(Random(1), ["Banco"]) is None


def test_another_place():
    made = {
        tuple(distortions.another_place(Random(seed), ["Clinica", "Quito"], ("Quito", "Loja"))) for seed in range(9)
    }
    assert made == {("Clinica", "Loja")}
    assert distortions.another_place(Random(1), ["Clinica", "Sur"], ("Quito", "Loja")) is None
    assert distortions.another_place(Random(1), ["Quito"], ("Quito", "Loja")) is None


def test_case_and_typing():
    made = {distortions.other_case(Random(seed), "Apple Inc.") for seed in range(40)}
    assert {"apple inc.", "APPLE INC."} < made
    assert "Apple Inc." not in made
    assert {distortions.as_typed(Random(seed), "SAÚDE Sim") for seed in range(200)} == {
        "saúde sim", "saude sim", "Saúde Sim", "Saude Sim", "SAÚDE SIM", "SAUDE SIM", "SAÚDE Sim", "SAUDE Sim",
    }  # fmt: skip


CHANGES = [
    distortions.slip,
    distortions.two_slips,
    distortions.transposed,
    distortions.doubled,
    distortions.misheard,
    distortions.glued,
    distortions.divided,
    distortions.joiners,
    distortions.abbreviated,
    distortions.translated,
    distortions.reordered,
    distortions.hurried,
]


@pytest.mark.parametrize("change", CHANGES)
@given(
    words=st.lists(st.text(alphabet="abñÉz&y1 -.'".replace(" ", ""), min_size=1, max_size=9), min_size=1, max_size=5)
)
def test_a_change_changes_or_declines(change, words):
    before = list(words)
    made = change(Random(3), words, EC)
    assert words == before
    assert made is None or (made != words and all(made))
