"""Home, results and suggestions, read from the real application over the real release."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from padron.config import load
from padron.directory import Directory, run
from padron.service.app import build_app
from padron.web.search import Piece, pieces
from parsed_page import Reading


@pytest.mark.parametrize(
    ("header", "home"),
    [("", "/es"), ("en", "/en"), ("es-EC,en;q=0.5", "/es"), ("pt-BR", "/es"), ("fr, en;q=0.4", "/en"), ("de", "/es")],
)
def test_the_root_greets_in_the_readers_language(web: TestClient, header: str, home: str) -> None:
    response = web.get("/", headers={"accept-language": header})
    assert (response.status_code, response.headers["location"]) == (303, home)
    assert response.headers["vary"] == "Accept-Language"


def test_a_question_on_the_front_page_is_answered_on_the_page_of_results(web: TestClient) -> None:
    response = web.get("/en?q=apple&country=us&utm_source=x")
    assert (response.status_code, response.headers["location"]) == (308, "/en/search?q=apple&country=US")


@pytest.mark.parametrize(
    ("query", "says", "first"),
    [
        ("q=corporacion+favorita", "very probably the one you mean", "CORPORACION FAVORITA C.A."),
        ("q=33.000.167%2F0001-01", "with that identifier", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"),
        ("q=transportes+norte", "sure enough to cite", "TRANSPORTES NORTE DE SONORA SA DE CV"),
        ("q=xyzzyxqq", "There is no company like that", None),
        ("q=a", "Type at least two characters", None),
        ("q=", "Type at least two characters", None),
    ],
)
def test_results_say_how_sure_they_are(web: TestClient, query: str, says: str, first: str | None) -> None:
    response = web.get(f"/en/search?{query}")
    page = Reading(response.text)
    assert response.status_code == 200
    assert says in page.text
    assert (first in page.text) if first else not page.all("li", **{"class": "first"})
    assert ("Best match" in page.text) == (first is not None and "transportes" not in query)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/en/search?q=corporacion+favorita", '<span lang="en">Retail sale in non-specialized stores with food'),
        ("/es/buscar?q=cemex+colombia&country=CO", '<span lang="es">Fabricación de cemento, cal y yeso'),
        ("/en/search?q=cemex+colombia&country=CO", '<span lang="en">Manufacture of other non-metallic'),
        ("/es/buscar?q=apple+inc&country=US", '<span lang="en">Electronic Computers'),
        ("/es/buscar?q=serpro&country=BR", '<span lang="es">Programación informática'),
        ("/es/buscar?q=petroleo+brasileiro&country=BR", '<span lang="pt">Petróleo e Gás'),
        ("/en/directory/ec/pichincha", '<span lang="en">Retail sale in non-specialized stores with food'),
    ],
)
def test_an_activity_beside_a_company_is_in_the_language_of_the_reader(web: TestClient, path: str, shown: str) -> None:
    assert shown in web.get(path).text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/en/search?q=33.000.167%2F0001-01", "Active (as of August 24, 2023)"),
        ("/es/directorio/br?letter=p", "Activa (al 24 de agosto de 2023)"),
    ],
)
def test_a_status_beside_a_company_is_dated(web: TestClient, path: str, status: str) -> None:
    assert status in Reading(web.get(path).text).text


def test_one_company_of_a_mistyped_number_is_not_several_and_not_of_that_number(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=33.000.167%2F0001-02").text)
    assert "1 company" in page.text
    assert "No company has that number; the one most like it is the number of this one." in page.text
    assert "Several companies are possible" not in page.text
    assert "the number is nearly its CNPJ" in page.text
    assert "The identifier matches" not in page.text


def test_companies_below_one_per_cent_are_nothing(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=zzqqxx+wwkk").text)
    assert "No likely match" in page.text
    assert "There is no company like that" in page.text
    assert "Less likely: under one per cent each" in page.text
    assert "Several companies are possible" not in page.text


def test_companies_that_fit_alike_are_all_in_doubt(web: TestClient, directory: Directory) -> None:
    results = run(directory.search("hotel colon", country=None, limit=3, language="es")).results
    assert results[0].confidence is not None
    assert results[0].confidence < 0.85
    page = Reading(web.get("/es/buscar?q=hotel+colon").text)
    assert "Mejor coincidencia" not in page.text
    assert page.all("div", **{"class": "note warn"})


@pytest.mark.parametrize(
    ("query", "company"),
    [
        ("q=94-2404110", "/en/companies/us/320193"),
        ("q=942404110&country=US", "/en/companies/us/320193"),
        ("q=384", "/en/companies/ec/1790016919001"),
        ("q=384&country=EC", "/en/companies/ec/1790016919001"),
        ("q=0000320193", "/en/companies/us/320193"),
    ],
)
def test_a_number_that_a_page_prints_is_found_when_typed(web: TestClient, query: str, company: str) -> None:
    page = Reading(web.get(f"/en/search?{query}").text)
    assert page.all("a", href=company)
    assert not [link for link in page.all("a") if link["href"].endswith("country=AR")]
    assert "Nothing found" not in page.text


def test_results_are_in_bands_and_none_has_no_per_cent(web: TestClient) -> None:
    sure = Reading(web.get("/en/search?q=bimbo").text).text
    assert 0 < sure.index("This one") < sure.index("Perhaps one of these")
    doubtful = Reading(web.get("/en/search?q=transportes+norte").text).text
    assert "This one" not in doubtful
    assert doubtful.index("Perhaps one of these") < doubtful.index("Less likely: under one per cent each")
    assert " 0% confidence" not in doubtful
    assert " 0.3% confidence" not in doubtful


def test_the_records_of_one_company_are_on_one_card(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=petrobras").text)
    assert "5 companies" in page.text
    assert "Also in United States · CIK 0001119639" in page.text
    assert "also registered in" not in page.text
    assert "pass the country" not in page.text
    assert len(page.all("a", href="/en/companies/us/1119639")) == 1


def test_every_result_is_counted_and_on_one_of_the_pages(web: TestClient) -> None:
    first = Reading(web.get("/en/search?q=transportes+norte").text)
    (link,) = first.all("a", rel="next nofollow")
    second = Reading(web.get(link["href"]).text)
    assert "23 similar names" in first.text
    shown = [
        entry["href"]
        for page in (first, second)
        for entry in page.all("a")
        if entry["href"].startswith("/en/companies/")
    ]
    assert len(set(shown)) == len(shown) == 23
    assert second.all("a", rel="prev nofollow")
    assert not second.all("a", rel="next nofollow")
    for number in ("3", "9", "10", "9999"):
        assert web.get(f"/en/search?q=transportes+norte&page={number}").status_code == 404
    assert web.get("/en/search?q=xyzzyxqq&page=1").status_code == 200
    assert web.get("/en/search?q=xyzzyxqq&page=2").status_code == 404


def test_hints_apply_themselves(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=transportes+norte").text)
    narrower = "/en/search?q=transportes+norte&country=MX"
    assert page.all("a", href=narrower)
    assert Reading(web.get(narrower).text).all("a", href="/en/search?q=transportes+norte")


def test_a_register_that_is_not_covered_is_a_button(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=banco+del+pacifico").text)
    assert "The sources of Ecuador lack banks. Ask Superintendencia de Bancos" in page.text
    assert [link["href"] for link in page.all("a", **{"class": "button quiet"})] == ["https://www.superbancos.gob.ec/"]
    assert "look them up at" not in page.text


def test_nothing_in_a_country_leads_to_the_registers_that_its_sources_lack(web: TestClient) -> None:
    page = Reading(web.get("/es/buscar?q=xyzzyxqq&country=CO").text)
    assert page.all("a", href="https://www.rues.org.co/", **{"class": "button quiet"})
    assert page.all("a", href="https://www.superfinanciera.gov.co/", **{"class": "button quiet"})
    assert not Reading(web.get("/es/buscar?q=xyzzyxqq").text).all("a", **{"class": "button quiet"})


@pytest.mark.parametrize(
    ("query", "says", "register"),
    [
        (
            "panaderia+la+espiga&country=AR",
            "Here are 3,063 companies of Argentina; there are 1,245,492 entities with a CUIT of the national register.",
            "https://seti.afip.gob.ar/padron-puc-constancia-internet/ConsultaConstanciaAction.do",
        ),
        (
            "padaria+sao+joao&country=BR",
            "Here are 3,723 companies of Brazil; there are 7,900,000 active companies",
            "https://solucoes.receita.fazenda.gov.br/Servicos/cnpjreva/cnpjreva_solicitacao.asp",
        ),
    ],
)
def test_a_country_says_how_few_of_its_companies_are_here_and_where_to_ask(
    web: TestClient, query: str, says: str, register: str
) -> None:
    page = Reading(web.get(f"/en/search?q={query}").text)
    assert says in page.text
    assert page.all("a", href=register, **{"class": "button quiet"})
    assert "in our registers" not in page.text
    assert "Here are" not in Reading(web.get("/en/search?q=petrobras&country=BR").text).text


def test_a_sentence_is_said_once(web: TestClient) -> None:
    text = Reading(web.get("/en/search?q=transportes+norte").text).text
    assert "None is sure enough to cite without checking." in text
    assert "No result is certain" not in text


def test_an_address_in_a_hint_is_a_link_called_after_its_site(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=banco+guayaquil").text)
    (document,) = [link["href"] for link in page.all("a", rel="noopener nofollow")]
    assert document.startswith("https://github.com/PeterNotenboom/SwiftCodes/blob/")
    assert document.endswith("/AllCountries/EC.json")
    assert "BANCO DE GUAYAQUIL: github.com" in page.text


def test_a_company_in_another_country_is_one_link_away(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=ecopetrol+sa&country=EC").text)
    assert "“ECOPETROL S.A” is in the register of Colombia: search there ( Colombia )." in page.text
    assert page.all("a", href="/en/search?q=ecopetrol+sa&country=CO")
    absent = Reading(web.get("/en/search?q=petrobras&country=MX").text)
    assert absent.all("a", href="/en/search?q=petrobras&country=BR")
    assert not absent.all("a", **{"class": "button quiet"})


def test_a_name_in_a_hint_makes_no_link() -> None:
    assert pieces("¿Quiso decir «HTTP https://evil.example country=EC»?") == [
        Piece("¿Quiso decir «HTTP https://evil.example country=EC»?")
    ]
    hint = "“HTTP https://evil.example country=EC” has more; “b” is at https://sec.gov/a. Search there (country=US)."
    assert pieces(hint) == [
        Piece("“HTTP https://evil.example country=EC” has more; “b” is at "),
        Piece("sec.gov", "https://sec.gov/a"),
        Piece(". Search there ("),
        Piece("", country="US"),
        Piece(")."),
    ]


@pytest.mark.parametrize("query", ["pemex&country=MX", "banco+del+pacifico"])
def test_names_that_are_only_similar_are_not_said_to_be_possible(web: TestClient, query: str) -> None:
    page = Reading(web.get(f"/en/search?q={query}").text)
    assert "Only the names are similar: probably none of these is the one you mean." in page.text
    assert "similar names" in page.text
    for surer in ("Several companies are possible", "Perhaps one of these"):
        assert surer not in page.text


def test_a_country_is_offered_for_possible_companies_only(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=banco+del+pacifico").text)
    assert "BANK OF HAWAII CORP" in page.text
    assert not [link for link in page.all("a") if link.get("href", "").endswith("country=US")]


def test_companies_are_told_apart_by_place_and_activity(web: TestClient) -> None:
    page = Reading(web.get("/en/search?q=cemex&country=CO").text)
    row = page.text[page.text.index("CEMEX COLOMBIA S.A.") :]
    assert "Bogotá, D.C." in row[:200]
    assert "Manufacture of other non-metallic mineral products · files yearly statements" in row[:250]
    assert "Why: legal name, it has additional words" in row[:320]


@pytest.mark.parametrize(
    "query",
    "33.000.167/0001-02 899999068-9 94-2404110 bimbo petro grupo+exito apple+ecopetrol hotel+colon favorita".split(),
)
def test_the_shares_of_a_page_are_one_whole_at_most(web: TestClient, query: str) -> None:
    text = Reading(web.get(f"/en/search?q={query}").text).text
    assert sum(float(share) for share in re.findall(r"([0-9.]+)% confidence", text)) <= 100


def test_a_confidence_is_never_rounded_up(web: TestClient, directory: Directory) -> None:
    best = run(directory.search("corporacion favorita", country=None, limit=1, language="es")).results[0]
    assert best.confidence == 0.9995
    text = Reading(web.get("/es/buscar?q=corporacion+favorita").text).text.replace("\u00a0", " ")
    assert "99,9 % confianza" in text
    assert "100 %" not in text


def test_the_number_of_a_natural_person_is_neither_searched_nor_echoed(web: TestClient) -> None:
    response = web.get("/es/buscar?q=1712345675&country=EC")
    assert response.status_code == 404
    assert "1712345675" not in response.text
    assert response.headers["cache-control"] == "no-store"
    assert web.get("/es/sugerencias?q=1712345675&country=EC").json() == {"companies": []}


def test_suggestions_are_companies_with_their_pages(web: TestClient) -> None:
    answer = web.get("/es/sugerencias?q=corporacion+favori").json()["companies"]
    assert {
        "name": "CORPORACION FAVORITA C.A.",
        "facts": ["EC", "RUC 1790016919001", "QUITO"],
        "url": "/es/empresas/ec/1790016919001",
    }.items() <= answer[0].items()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cor", "CORPORACION FAVORITA C.A."),
        ("corporaci", "CORPORACION FAVORITA C.A."),
        ("favo", "CORPORACION FAVORITA C.A."),
        ("gru", "ALMACENES EXITO S A"),
        ("walm", "Walmart Inc."),
        ("petrob", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"),
        ("apple", "Apple Inc."),
    ],
)
def test_a_few_letters_suggest_who_is_prominent(web: TestClient, typed: str, meant: str) -> None:
    names = [company["name"] for company in web.get(f"/es/sugerencias?q={typed}").json()["companies"]]
    assert meant in names[:3]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("petro", ["PETRÓLEO BRASILEIRO S.A. - PETROBRAS"]),
        ("globa", ["GLOBALFOUNDRIES Inc.", "MARFRIG GLOBAL FOODS SA"]),
        ("ameri", ["AMERICANAS S.A. - EM RECUPERAÇÃO JUDICIAL", "AMERICAN EXPRESS CO"]),
        ("grupo", ["ALMACENES EXITO S A", "GRUPO AVAL ACCIONES Y VALORES S A"]),
        ("cemex", ["CEMEX, S.A. DE C.V.", "CEMEX COLOMBIA S.A.", "CEMEX MEXICO SA DE CV"]),
    ],
)
def test_companies_of_all_countries_are_suggested_by_who_is_known(
    web: TestClient, typed: str, first: list[str]
) -> None:
    companies = web.get(f"/es/sugerencias?q={typed}").json()["companies"]
    assert [company["name"] for company in companies][: len(first)] == first


def test_prominent_companies_are_those_of_the_country(web: TestClient) -> None:
    companies = web.get("/en/suggestions?q=con&country=CO").json()["companies"]
    assert {company["facts"][0] for company in companies} == {"CO"}
    assert len(companies) == 8


@pytest.mark.usefixtures("one_moment")
def test_typing_has_a_quota_of_its_own(directory: Directory, tmp_path) -> None:
    with TestClient(build_app(load({}, data=tmp_path), directory)) as client:
        policy = [
            client.get(path).headers["ratelimit-policy"] for path in ("/es/sugerencias?q=abc", "/es/buscar?q=abc")
        ]
        assert policy == ['"type-ahead";q=300;w=60', '"public";q=60;w=60']
        statuses = [client.get("/es/buscar?q=abc").status_code for _ in range(60)]
        assert statuses.count(429) == 1
        refused = client.get("/es/buscar?q=abc")
        assert refused.headers["content-type"] == "text/html; charset=utf-8"
        assert int(refused.headers["retry-after"]) <= 60
        box = Reading(client.get("/es/buscar?q=a+%22%26+b&country=BR").text)
        assert [entry["value"] for entry in box.all("input", name="q")] == ['a "& b']
        assert [entry["value"] for entry in box.all("option") if "selected" in entry] == ["BR"]
        person = client.get("/es/buscar?q=0102030405")
        assert (person.status_code, "0102030405" in person.text) == (429, False)
        assert client.get("/es/sugerencias?q=abc").status_code == 200


@pytest.mark.parametrize(
    ("q", "heading"), [("3 latam airlines", "Ninguna coincidencia probable"), ("N/A", "No se encontró nada")]
)
def test_a_heading_says_that_nothing_is_found_only_where_nothing_is_listed(
    web: TestClient, q: str, heading: str
) -> None:
    text = web.get("/es/buscar", params={"q": q}).text
    assert (heading in text, "Menos probables" in text) == (True, heading == "Ninguna coincidencia probable")
    assert "Coincide la razón social" not in text


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("/es/buscar/nada?q=falabella&country=CO", "/en?q=falabella&country=CO"),
        ("/es/directorio/ec/nowhere", "/en/directory/ec/nowhere"),
        ("/es/empresas/zz/1", "/en/companies/zz/1"),
        ("/es/empresas/zz/0102030405", "/en"),
    ],
)
def test_an_error_page_leads_to_itself_in_the_other_language(web: TestClient, address: str, other: str) -> None:
    response = web.get(address)
    assert response.status_code == 404
    (switch,) = Reading(response.text).all("a", hreflang="en", lang="en")
    assert switch["href"] == other
