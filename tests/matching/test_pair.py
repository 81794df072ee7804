import csv
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import padron.countries
from padron.countries import REGISTRY
from padron.index.spelling import numeral
from padron.lookup.find import SURE
from padron.matching.pair import PairComparer
from padron.text import fold

ROWS = [
    row
    for path in sorted(Path(padron.countries.__file__).parent.glob("*/by_names.csv"))
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
]
NAMES = sorted({row[column] for row in ROWS for column in ("name", "title")})
"""Names of companies and titles of documents, as people write them."""
COMMON = {"banco": 0.5, "minera": 0.5, "grupo": 0.4, "comercial": 0.4, "management": 0.5, "solutions": 0.5, "fund": 0.5}


@pytest.fixture(scope="module")
def pairs() -> PairComparer:
    return PairComparer(REGISTRY, COMMON.get)


NAME = st.sampled_from(NAMES)
ADDED = st.sampled_from(["", " II", " 2", " México", " S.A.", " de Brasil", " S.A. - ABC", " Grupo", " y Cía."])


@settings(max_examples=300)
@given(a=NAME, b=NAME, first=ADDED, second=ADDED, same=st.booleans())
def test_the_order_of_two_names_is_of_no_account(
    pairs: PairComparer, a: str, b: str, first: str, second: str, same: bool
) -> None:
    left, right = a + first, (a if same else b) + second
    forth, back = pairs.compare(left, right), pairs.compare(right, left)
    assert (forth.log_odds, forth.parts) == (back.log_odds, back.parts)
    assert (forth.lacking, forth.surplus) == (back.surplus, back.lacking)
    assert forth.log_odds == pytest.approx(sum(forth.parts.values()))


@settings(max_examples=200)
@given(name=NAME, added=st.sampled_from([" 2", " II", " Tres", " México", " Brasil", " 2 México"]))
@example(name="Paramount Skydance Corporation", added=" 2")
def test_an_added_number_or_country_leaves_doubt(pairs: PairComparer, name: str, added: str) -> None:
    assume({*fold(added).split()}.isdisjoint(fold(name).split()) and not any(map(numeral, fold(name).split())))
    assert confidence(pairs, name, name + added) < max(0.7, confidence(pairs, name, name) - 0.1)


def confidence(pairs: PairComparer, a: str, b: str) -> float:
    return 1 / (1 + 2.718281828 ** -pairs.compare(a, b).log_odds)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Grupo Dos", "Grupo II"),
        ("Pacifico Segundo", "Pacifico II"),
        ("Concesión Pacífico Tres", "Concesion Pacifico 3 S.A.S."),
        ("Banco Segundo", "Banco 2"),
        ("Noventa y Dos Grados", "92 Grados S.A."),
        ("1st Source", "First Source"),
        ("Deere Co", "DEERE & CO"),
        ("OAO Gazprom", "Gazprom JSC"),
        ("Open Joint Stock Company Gazprom", "Gazprom"),
        ("Aplicaciones Volkswagen Gesellschaft mit beschränkter Haftung", "Aplicaciones Volkswagen GmbH"),
        ("Siemens Aktiengeselschaft", "Siemens AG"),
        ("Мегафон ПАО", "MEGAFON"),
        ("Mercado Livre", "MercadoLibre, Inc."),
        ("Petroleo Brasilero", "PETROLEO BRASILEIRO S.A."),
    ],
)
def test_one_company_in_other_words(pairs: PairComparer, a: str, b: str) -> None:
    assert confidence(pairs, a, b) >= SURE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('ООО "БАЙ"', 'ООО "БАЙКАЛ"'),
        ("Общество с ограниченной ответственностью «БАЙ»", "Общество с ограниченной ответственностью «БАЙКАЛ»"),
        ("Pacifico Segundo", "Pacifico Tres"),
        ("Pacifico Tres", "Pacifico"),
        ("Grupo Dos", "Grupo"),
        ("Fondo Andino II", "Fondo Andino III"),
        ("Banco Santander S.A.", "Banco Santander México S.A."),
        ("Petrobras Colombia", "Petrobras Argentina"),
        ("Deutsche Bank AG", "Deutsche Bank GmbH"),
        ("Crystalord Systems Ltd", "Crystalord Ltd"),
        ("El Tiempo", "A Tiempo"),
        ("BANEB LEASING SA ARREND MERC", "FIBRA LEASING SA ARREND MERC"),
        ("Sigenergy Technology Co., Ltd./ADR", "Medlive Technology Co., Ltd./ADR"),
        ("Dimaria S.A.", "DEMASIA S.A."),
        ("MINERA MARIA, S.A. DE C.V.", "MINERA MARIPOSA, S.A. DE C.V."),
        ("xxxx", "xxxx"),
        ("", ""),
        ("???", "???"),
        ("S.A.", "Ltda."),
    ],
)
def test_two_companies(pairs: PairComparer, a: str, b: str) -> None:
    assert confidence(pairs, a, b) < SURE
