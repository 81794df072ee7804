"""Names of the index inside questions: no company is denied whose name the text holds, and no name is torn."""

from __future__ import annotations

import pytest

from padron.directory import Directory, run
from padron.errors import NotFound
from padron.questions import quotes as quotes_module
from padron.questions.answer import QuestionAnswer
from padron.questions.quotes import quotes
from padron.questions.results import Question


def ask(directory: Directory, q: str) -> QuestionAnswer:
    return run(directory.ask(Question(q), "en"))


def identifiers(answer: QuestionAnswer) -> list[str | None]:
    """The company of each part that is found, of the only one without parts."""
    parts = answer.parts or [answer]
    return [part.results[0].detail.record.identifier if part.verdict == "found" else None for part in parts]


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("is EcuaCorriente a registered company in Ecuador?", "0190168018001"),
        ("Estimados, adjuntamos los certificados de BLAU Farmacêutica S.A. (Cotia, SP). Saludos", "58430828000160"),
        (
            "Hi team, please set up Aviat Networks, Inc. (Austin, TX) as a new vendor.\nThey invoiced us. Thanks",
            "1377789",
        ),
        ("Verify supplier: CHASE CORP, Massachusetts, protective coatings, invoice 0091", "830524"),
        ("validar cadastro: granja faria s.a. – Lauro Müller/SC – fornecedora de ovos", "81616807000155"),
        ("que empresa fabrica as havaianas?", "61079117000105"),
        ("es real la empresa Arenas, Basaltos, Concretos y Derivados SA de CV de Queretaro?", "6741661"),
        ("find me the tax id of WEG SA, the electric motor manufacturer", "84429695000111"),
        ('{"tool":"verify_company","args":{"name":"Palo Alto Networks Inc","country":"US"}}', "1327567"),
        ('resolve the counterparty "Organización Coordinadora Argentina S.R.L. (OCA)", id only', "30536259194"),
        ("does minera penasqito exist in the mexican directory?", "6515960"),
        ("Novartis (AR entity), please resolve", "30516620397"),
        ("is hershy company in the US register??", "47111"),
        ("Is Tesla listed and where?", "1318605"),
        ("Apple and where is it", "320193"),
        ("What's the RUC of Omnilife, razón social? No: of Corporación Favorita C.A.", "1790016919001"),
    ],
)
def test_a_name_that_is_held_is_found_in_its_text(directory: Directory, q: str, identifier: str) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, identifiers(answer)) == ("found", [identifier])


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("KYC batch: Manuelita S.A.; Mayagüez S.A.; Riopaila Castilla S.A.", ["891300241", "890302594", "900087414"]),
        (
            "Adelca\nAndec\nNovacero\n-> return the registry id of each",
            ["1790004724001", "0990001340001", "0590038601001"],
        ),
        ("existen en el registro de EEUU Stripe y MongoDB?", [None, "1441816"]),
        ("Procure Rotoplas e Truper no México", ["09016541610003066000002410S7", "09016467111004133000007114M3"]),
        ("Frisby, Kokoriko y Crepes & Waffles", ["891408584", None, "860076919"]),
        ("Bejerman, Axoft y Softland Argentina, muchas gracias", ["30609563636", "30631658810", "30646941136"]),
        ("verifica estas: Isagen, Promigas y Zutanitos del Caribe", ["811000740", "890105526", None]),
        ("a) Distracom b) Mayaguez c) Kopps", ["811009788", "890302594", "900818921"]),
        (
            "1) PRONACA 2) Ecuatran SA 3) Boehringer Ingelheim del Ecuador Cia Ltda",
            ["1790319857001", "1890061385001", "1790280179001"],
        ),
        ("1. PRONACA\n2. Ecuatran SA\n3. Liris", ["1790319857001", "1890061385001", "0990865477001"]),
        ("De: Liris S.A. Para: Pronaca", ["0990865477001", "1790319857001"]),
        ("pago de Pronaca a Ecuatran por 3000 USD", ["1790319857001", "1890061385001"]),
        ("transferencia de Liris a Pronaca", ["0990865477001", "1790319857001"]),
        ("Ecopetrol y Grupo Argos cayeron en la bolsa", ["899999068", "890900266"]),
        ("Tesla shares fell 5% on Monday after Expedia reported earnings", ["1318605", "1324424"]),
        ("Tesla and Expedia shares fell on Monday", ["1318605", "1324424"]),
        ("El Banco Mundial y Ecopetrol firmaron", [None, "899999068"]),
    ],
)
def test_each_name_of_a_list_has_its_own_verdict(directory: Directory, q: str, expected: list[str | None]) -> None:
    assert identifiers(ask(directory, q)) == expected


def test_a_place_in_brackets_is_no_second_company(directory: Directory) -> None:
    answer = ask(directory, "Hi team, please set up Aviat Networks, Inc. (Austin, TX) as a new vendor")
    assert (identifiers(answer), answer.parts) == (["1377789"], [])


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("Almacenes Éxito (antes Corporación Favorita)", ["890900608"]),
        ("X Corp (antes Corporación Favorita)", ["1790016919001"]),
        ("la empresa (antes Corporación Favorita)", ["1790016919001"]),
        ("compare estas (Corporación Favorita, Ecopetrol)", ["1790016919001", "899999068"]),
        ("pago de Ecopetrol na D1", ["899999068"]),
    ],
)
def test_a_company_in_a_remark_is_asked_for_only_if_no_other_is_named(
    small: Directory, q: str, expected: list[str]
) -> None:
    assert identifiers(ask(small, q)) == expected


@pytest.mark.parametrize(
    "q",
    [
        "Sanctions pre-check: is Primerica Trucking Lines LLC a US registered company?",
        "confirme se a Embraer Alimentos LLC existe nos Estados Unidos",
        "find Corner Growth Acquisition Corp 5, United States",
        "what is the EIN of Umbrella Porcupine Foods LLC?",
        "Zendesk Mining Corp, is it on EDGAR?",
        "Is Stripe, Inc. registered with the SEC?",
    ],
)
def test_a_name_that_goes_on_is_another_one(directory: Directory, q: str) -> None:
    assert ask(directory, q).verdict in {"possible", "not_found"}


def test_below_one_percent_nothing_is_possible(directory: Directory) -> None:
    answer = ask(directory, "datos de tisenkrup elevadores argentina pls")
    assert (answer.verdict, answer.results[0].detail.record.confidence) == ("not_found", 0.0051)


@pytest.mark.parametrize(
    ("q", "verdict"),
    [
        ("rfc de DHL México", "ambiguous"),
        ("cuit de Aerolíneas Argentinas", "found"),
        ("is Zzyzx Qwarkle Wydgets a registered company in Brazil?", "not_found"),
        ("¿qué empresa opera los restaurantes La Casa de Toño?", "ambiguous"),
    ],
)
def test_a_held_name_is_not_denied(directory: Directory, q: str, verdict: str) -> None:
    assert ask(directory, q).verdict == verdict


@pytest.mark.parametrize(
    ("q", "beginning"),
    [
        ("how many airlines are registered in Mexico?", "11 companies of this directory: airlines, Mexico."),
        (
            "¿cuántas empresas de camarón hay en Guayaquil, Ecuador?",
            "11 companies of this directory: shrimp, Guayaquil",
        ),
        ("quantos bancos existem em São Paulo?", "57 companies of this directory: banks, São Paulo, Brazil."),
    ],
)
def test_companies_are_counted(directory: Directory, q: str, beginning: str) -> None:
    assert ask(directory, q).sentence.en.startswith(beginning)


def test_the_country_where_a_company_is_registered_is_no_part_of_its_name(directory: Directory) -> None:
    (company,) = ask(directory, "¿Clínica Imaginaria Quetzal está registrada en Ecuador?").plan.interpretation.companies
    assert [(way.name, way.country) for way in company.readings][:1] == [("Clínica Imaginaria Quetzal", "EC")]


def test_companies_that_share_a_name_are_all_named(directory: Directory) -> None:
    answer = ask(directory, "¿Scania está registrada?")
    assert answer.verdict == "ambiguous"
    assert answer.sentence.en == (
        "“Scania” is part of the names of SCANIA COMERCIAL SA DE CV (Mexico, CLEE 09005436112000162001010196S5),"
        " SCANIA FINANCE COLOMBIA SAS (Colombia, NIT 901.197.448-1)"
        " and SCANIA COLOMBIA S.A.S (Colombia, NIT 900.353.873-2)."
        " Name the country."
    )


def test_a_shared_name_in_the_country_asked_is_not_said_to_be_elsewhere(directory: Directory) -> None:
    answer = ask(directory, "find the DHL company in Ecuador")
    assert {row.detail.record.country_code for row in answer.results[:2]} == {"EC"}
    assert answer.sentence.en.endswith("Give the rest of the name or the identifier.")


@pytest.mark.parametrize("q", ["RFC LPI83", "RFC: XX99"])
def test_a_code_too_short_for_its_scheme_is_no_name(directory: Directory, q: str) -> None:
    assert ask(directory, q).verdict == "invalid_input"


@pytest.mark.parametrize(
    ("q", "verdict", "identifier"),
    [
        ("WEG SA CNPJ 84.429.695/0001-11 IE 250.000.000", "found", "84429695000111"),
        ("Conferir fornecedor: IRANI PAPEL E EMBALAGEM S.A., Porto Alegre, NF 118402", "found", "92791243000103"),
        ("NF-e 35210 WEG SA CNPJ 84.429.695/0001-11 IE 250.000.000", "found", "84429695000111"),
        ("¿de quién es el RFC 00000?", "invalid_input", None),
        ("whose tax number is FME941104GN8?", "found", "FME941104GN8"),
        ("Which company has Colombian tax number 860005224?", "found", "860005224"),
        ("RUC 1790061919001", "invalid_input", "1790016919001"),
        ("RUC 12345", "invalid_input", None),
        ("busca el rfc GNP92112", "invalid_input", None),
        ("Verifique: Agrovertientes Chirimoya S.A.S., factura 001-001-000034", "not_found", None),
        ("NASDAQ:AAPL", "found", "320193"),
        ("que empresa de EEUU cotiza como NYSE: GME", "found", "1326380"),
        ("NYSE: F", "found", "37996"),
        ("B3: VALE3", "found", "33592510000154"),
    ],
)
def test_numbers_and_symbols(directory: Directory, q: str, verdict: str, identifier: str | None) -> None:
    answer = ask(directory, q)
    assert answer.verdict == verdict
    if identifier:
        assert answer.results[0].detail.record.identifier == identifier
    else:
        assert answer.best is None


def test_a_number_of_a_company_is_seen_beside_one_of_a_person(directory: Directory) -> None:
    findings = run(directory.find("WEG SA CNPJ 84.429.695/0001-11 IE 250.000.000", country=None, limit=3))
    assert findings.results[0].confidence == 1.0
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        run(directory.find("Juan Pérez 0102030405", country=None, limit=3))


def test_the_key_of_a_quotation_is_looked_for_shortly_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    class Counted:
        def search(self, text: str, start: int, end: int) -> object:
            looked_at.append(end - start)
            return key_before.search(text, start, end)

    key_before = quotes_module._KEY_BEFORE
    monkeypatch.setattr(quotes_module, "_KEY_BEFORE", Counted())
    assert quotes("x=" + " " * 667 + '"ab"' * 83).names == ["ab"] * 83
    assert sum(looked_at) <= 83 * quotes_module._LONGEST_KEY


def test_quotes_and_arguments() -> None:
    assert quotes("are “Tornillos & Co.” and “Tuercas” registered?")[:2] == (["Tornillos & Co.", "Tuercas"], None)
    assert quotes('{"tool": "find", "args": {"query": "Arcor", "country": "AR"}}') == (["Arcor"], "AR", "")
    assert quotes('resolve(["Apple Inc", "Microsoft Corp"], country="US")')[:2] == (
        ["Apple Inc", "Microsoft Corp"],
        "US",
    )
    assert quotes("no quotes").names == []


def test_a_number_beside_a_name_that_is_no_scheme_is_answered(directory: Directory) -> None:
    answer = ask(directory, "Verify supplier: SUIZO ARGENTINA S.A., Buenos Aires, invoice 0102-00441209, AR")
    assert answer.results[0].detail.record.legal_name == "SUIZO ARGENTINA S.A."


@pytest.mark.parametrize("q", ["First National Bank", "First Bank"])
def test_common_words_in_another_order_are_not_sure(directory: Directory, q: str) -> None:
    answer = ask(directory, q)
    assert (answer.verdict, answer.results[0].detail.record.legal_name) == ("possible", "Bank First Corp")
    assert not any("former name" in text.en for text in (answer.sentence, *answer.hints))


def test_common_words_in_the_order_of_the_name_are_sure(directory: Directory) -> None:
    assert identifiers(ask(directory, "Bank First")) == ["1746109"]
    former = ask(directory, "Bank First National Corp")
    assert identifiers(former) == ["1746109"]
    assert "“Bank First National Corp” is a former name of Bank First Corp." in former.sentence.en
