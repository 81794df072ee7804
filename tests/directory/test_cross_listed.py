"""Companies in two registers: asked by name without a country, the home register's record is the best match."""

from __future__ import annotations

import pytest

from padron.directory import Directory, run
from small_directory import LEI_PETROBRAS

CROSS_LISTED = [
    ("Petrobras", "BR", "33000167000101", "1119639"),
    ("Vale", "BR", "33592510000154", "917851"),
    ("Ambev", "BR", "07526557000100", "1565025"),
    ("Embraer", "BR", "07689002000189", "1355444"),
    ("Gerdau", "BR", "33611500000119", "1073404"),
    ("Suzano S.A.", "BR", "16404287000155", "909327"),
    ("Telefonica Brasil", "BR", "02558157000162", "1066119"),
    ("BRF", "BR", "01838723000127", "1122491"),
    ("Itau Unibanco Holding", "BR", "60872504000123", "1132597"),
    ("banco do brasil", "BR", "00000000000191", "1433913"),
    ("Banco Santander (Brasil)", "BR", "90400888000142", "1471055"),
    ("Cosan", "BR", "50746577000115", "1430162"),
    ("Gafisa", "BR", "01545826000107", "1389207"),
    ("Marfrig Global Foods", "BR", "03853896000140", "1496919"),
    ("Vibra Energia", "BR", "34274233000102", "1000377"),
    ("Hapvida Participações e Investimentos", "BR", "05197443000138", "1869666"),
    ("Méliuz", "BR", "14110585000107", "2080003"),
    ("Natura &Co Holding", "BR", "32785497000197", "1776967"),
    ("Iochpe-Maxion", "BR", "61156113000175", "922357"),
    ("Ecopetrol", "CO", "899999068", "1444406"),
    ("Grupo Aval Acciones y Valores", "CO", "800216181", "1504764"),
    ("Almacenes Éxito", "CO", "890900608", "1957146"),
    ("YPF", "AR", "30546689979", "904851"),
    ("Telecom Argentina", "AR", "30639453738", "932470"),
    ("Cemex", "MX", "6189108", "1076378"),
]


@pytest.mark.parametrize(("q", "country", "identifier", "cik"), CROSS_LISTED)
def test_the_home_record_is_the_best_match(
    directory: Directory, q: str, country: str, identifier: str, cik: str
) -> None:
    answer = run(directory.search(q, country=None, limit=8, language="en"))
    assert answer.best_match is not None
    assert (answer.best_match.country_code, answer.best_match.identifier) == (country, identifier)
    assert [hint for hint in answer.match_hints if f"United States: CIK {cik.zfill(10)}" in hint]


def test_a_link_is_by_the_lei_of_both_or_by_name(small: Directory, directory: Directory) -> None:
    for at, lei in ((small, LEI_PETROBRAS), (directory, None)):
        detail = run(at.held("BR", "33000167000101", "en"))
        assert detail is not None
        (other,) = run(at.linked(detail, "en"))
        assert (other.record.identifier, other.lei) == ("1119639", lei)


@pytest.mark.parametrize(("q", "country", "identifier", "cik"), CROSS_LISTED[:5])
def test_in_its_own_country_the_foreign_record_is(
    directory: Directory, q: str, country: str, identifier: str, cik: str
) -> None:
    answer = run(directory.search(q, country="US", limit=8, language="en"))
    assert answer.best_match is not None
    assert (answer.best_match.country_code, answer.best_match.identifier) == ("US", cik)


def test_two_companies_of_one_name_do_not_become_one(directory: Directory) -> None:
    answer = run(directory.search("Azul", country=None, limit=8, language="en"))
    shown = {(teaser.country_code, teaser.identifier): teaser.confidence for teaser in answer.results}
    assert shown["CO", "810003782"] < shown["BR", "09305994000129"]
