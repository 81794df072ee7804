"""Numbers beside names: the company of a number is never sure where the text names another one."""

from __future__ import annotations

import pytest

from padron.directory import Directory, run
from padron.questions.answer import QuestionAnswer
from padron.questions.results import Question

CONFLICT = "The number and the name do not belong to the same company: check both."


def ask(directory: Directory, q: str) -> QuestionAnswer:
    return run(directory.ask(Question(q), "en"))


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("Ecopetrol (NIT 890900266-3) firmó", "890900266"),
        ("A empresa Ambev S.A. (CNPJ 33.592.510/0001-54) venceu a licitação", "33592510000154"),
        ("La empresa Ecuatran SA (RUC 1790319857001) presentó oferta", "1790319857001"),
        ("The supplier Microsoft Corp (CIK 320193) was awarded the contract", "320193"),
        ("Liris S.A. [RUC 1790016919001] ganó el contrato", "1790016919001"),
        ("Apple Inc. (EIN 20-2705720) filed", "1324424"),
        ("RUC 1790016919001 de Pronaca", "1790016919001"),
        ("factura de Corporación Favorita con RUC 1790319857001", "1790319857001"),
        ("Grupo Nutresa, con NIT 890100251", "890100251"),
        ("Invoice from Ambev, CNPJ 33.592.510/0001-54", "33592510000154"),
    ],
)
def test_a_number_beside_the_name_of_another_company_is_not_sure(directory: Directory, q: str, identifier: str) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("possible", identifier)
    assert CONFLICT in [hint.en for hint in answer.hints]


@pytest.mark.parametrize(
    ("q", "identifier", "hint"),
    [
        (
            "Corporación Favorita 1790010937001",
            "1790016919001",
            "“CORPORACION FAVORITA C.A.” has another RUC (tax number) in the register: check both.",
        ),
        (
            "Ecopetrol NIT 860007738-9",
            "899999068",
            "“ECOPETROL S.A” has another NIT (tax number) in the register: check both.",
        ),
        ("Microsoft Corp EIN 12-3456789", "789019", "“MICROSOFT CORP” has another EIN in the register: check both."),
        (
            "YPF CUIT 30-71234567-1",
            "30546689979",
            "“YPF SA” has another CUIT in the register: check both.",
        ),
    ],
)
def test_a_name_beside_a_right_number_that_it_has_not_is_not_sure(
    directory: Directory, q: str, identifier: str, hint: str
) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("possible", identifier)
    assert answer.results[0].detail.record.confidence == 0.5
    assert hint in [hint.en for hint in answer.hints]


def test_a_number_is_no_objection_to_a_company_that_is_hardly_meant(directory: Directory) -> None:
    hints = " ".join(hint.en for hint in ask(directory, "Davivienda NIT 860034313-7").hints)
    assert "check both" not in hints


def test_a_short_number_beside_a_name_is_no_objection(directory: Directory) -> None:
    answer = ask(directory, "Ecopetrol 6012344000")
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("found", "899999068")


def test_each_number_of_several_is_compared_with_the_name_beside_it(directory: Directory) -> None:
    answer = ask(directory, "Pronaca (RUC 0990865477001), Liris (RUC 1790319857001)")
    assert [part.verdict for part in answer.parts] == ["possible", "possible"]
    assert CONFLICT in [hint.en for hint in answer.hints]
    for q in (
        "Pronaca (RUC 1790319857001), Liris (RUC 0990865477001)",
        "RUC 1790319857001 Pronaca, RUC 0990865477001 Liris",
    ):
        assert [part.verdict for part in ask(directory, q).parts] == ["found", "found"]


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("Ecopetrol (NIT 899999068-1) firmó", "899999068"),
        ("A empresa Ambev S.A. (CNPJ 07.526.557/0001-00) venceu a licitação", "07526557000100"),
        ("Liris S.A., Guayaquil, RUC 0990865477001, Factura Monday", "0990865477001"),
    ],
)
def test_a_number_beside_the_name_of_its_company_is_sure(directory: Directory, q: str, identifier: str) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("found", identifier)
    assert answer.results[0].detail.record.confidence == 1.0


@pytest.mark.parametrize(
    ("q", "names", "persons"),
    [
        ("Pedro Pablo Gómez, representante legal de Distracom", ["DISTRACOM S.A."], ["Pedro Pablo Gómez"]),
        ("Firma: Guillermo Pasquel, Gerente General, LIRIS S.A.", ["LIRIS S. A."], ["Guillermo Pasquel"]),
        ("Contrato entre Liris S.A. y el señor Guillermo Pasquel", ["LIRIS S. A."], ["Guillermo Pasquel"]),
        ("Guillermo Pasquel, CEO of Apple", ["Apple Inc."], ["Guillermo Pasquel"]),
        ("Contrato de Liris S.A. con el señor Juan de la Cruz", ["LIRIS S. A."], ["Juan de la Cruz"]),
        ("Contrato da Ambev representada por Guillermo Pasquel", ["AMBEV S.A."], ["Guillermo Pasquel"]),
        (
            "Este contrato se celebra entre GRUPO NUTRESA S.A. representada por Carlos Gallego"
            " y CORPORACION FAVORITA C.A. representada por Pedro Gómez",
            ["GRUPO NUTRESA S.A", "CORPORACION FAVORITA C.A."],
            ["Carlos Gallego", "Pedro Gómez"],
        ),
        ("Grupo Nutresa, representante legal: Pedro Pérez", ["GRUPO NUTRESA S.A"], []),
        ("Grupo Nutresa, CEO", ["GRUPO NUTRESA S.A"], []),
        ("Corporación Favorita, gerente general", ["CORPORACION FAVORITA C.A."], []),
    ],
)
def test_a_person_that_the_text_calls_one_is_no_company(
    directory: Directory, q: str, names: list[str], persons: list[str]
) -> None:
    answer = ask(directory, q)
    parts = answer.parts or [answer]
    assert [(part.verdict, part.results[0].detail.record.legal_name) for part in parts] == [
        ("found", name) for name in names
    ]
    hints = [hint.en for hint in answer.hints]
    assert [hint for hint in hints if "named as a person" in hint] == [
        f"“{person}” is named as a person: only companies are searched." for person in persons
    ]


def test_a_company_behind_a_person_is_named_beside_the_one_before(directory: Directory) -> None:
    answer = ask(directory, "CONTRATO CON LIRIS S.A. REPRESENTADA POR JUAN PEREZ Y ECOPETROL")
    hints = [hint.en for hint in answer.hints]
    assert answer.verdict == "ambiguous"
    assert "“JUAN PEREZ” is named as a person: only companies are searched." in hints
    assert "The text names several companies: ECOPETROL S.A; LIRIS S. A." in hints


@pytest.mark.parametrize("q", ["estimada sra favor confirmar ecopetrol", "empresas en ms campo grande"])
def test_a_short_title_without_capitals_names_no_person(directory: Directory, q: str) -> None:
    assert "named as a person" not in " ".join(hint.en for hint in ask(directory, q).hints)


def test_a_number_behind_a_person_is_that_of_the_company(directory: Directory) -> None:
    answer = ask(directory, "PRONACA REPRESENTADA POR JUAN PEREZ CON RUC 1790016919001")
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("possible", "1790016919001")


def test_a_person_named_twice_is_told_once(small: Directory) -> None:
    answer = ask(small, "Señor Pedro Gómez, señora Ana Paz, señor PEDRO GOMEZ, señor Pedro Gómez: Ecopetrol")
    assert answer.verdict == "found"
    assert [hint.en for hint in answer.hints] == [
        "“Pedro Gómez” is named as a person: only companies are searched.",
        "“Ana Paz” is named as a person: only companies are searched.",
    ]


def test_a_person_alone_is_not_sure(directory: Directory) -> None:
    answer = ask(directory, "representada por Rosendo Guamán")
    assert (answer.verdict, answer.best) == ("possible", None)
    assert ask(directory, "Rosendo Guamán Cia. Ltda.").verdict == "found"


@pytest.mark.parametrize("q", ["Coppel / Culiacán", "Tesla / Palo Alto", "Pronaca / Pollos"])
def test_a_place_or_a_product_beside_a_company_is_no_second_one(directory: Directory, q: str) -> None:
    assert ask(directory, q).verdict == "found"


@pytest.mark.parametrize(
    ("q", "identifier"), [("2. U", "1459417"), ("3. M Company", "66740"), ("360. Security", "322638")]
)
def test_a_number_that_may_be_of_the_name_is_no_item(directory: Directory, q: str, identifier: str) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("found", identifier)


def test_no_company_gets_likelier_because_the_text_names_another(directory: Directory) -> None:
    answer = ask(directory, "Claro / América Móvil")
    confidences = [result.detail.record.confidence for result in answer.results]
    assert max(confidences) == confidences[0] < 0.3


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("Magazine Luiza | Instagram", "47960950000121"),
        ("Apple Inc / AAPL / NASDAQ", "320193"),
        ("Pago Visa; Ecopetrol", "899999068"),
        ("Compra en Amazon / Corporación Favorita", "1790016919001"),
        ("LA FABRIL S A;MONTECRISTI;MANABI;ACEITES Y GRASAS;G4630", "1390012949001"),
        ("Cincinnati Financial Corp; Ohio; seguros; activa", "20286"),
    ],
)
def test_a_site_an_exchange_a_cell_and_what_a_document_names_are_no_second_company(
    directory: Directory, q: str, identifier: str
) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.identifier) == ("found", identifier)


@pytest.mark.parametrize("q", ["1.- Cemex", "01. Cemex", "12) Cemex"])
def test_the_number_of_an_item_does_not_count_as_a_word_of_the_name(directory: Directory, q: str) -> None:
    plain, numbered = ask(directory, "Cemex"), ask(directory, q)
    assert numbered.verdict == "found"
    assert numbered.results[0].detail.record == plain.results[0].detail.record
