"""The page of a company, its twins, its address, and what stands there when there is none."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from padron.companies.fields import TRACED
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.service.app import build_app
from padron.web.citations import _tex
from padron.web.facts import _called
from parsed_page import Reading
from small_directory import LEI_PETROBRAS

BASE_URL = "https://padron.example"
FAVORITA = "/es/empresas/ec/1790016919001"
EXAMPLES = [
    (country.code, identifier)
    for country in REGISTRY.values()
    for scheme, identifier in country.examples
    if scheme == country.schemes[0].code
]


def disagreements(web: TestClient, urls: dict[str, str]) -> list[str]:
    """Pages that are not at their `canonicalUrls`, or that state other addresses."""
    faults = []
    for language, url in urls.items():
        response = web.get(url)
        page = Reading(response.text)
        if response.status_code != 200 or page.all("html") != [{"lang": language}]:
            faults.append(f"{language}: no page")
            continue
        if page.all("link", rel="canonical") != [{"rel": "canonical", "href": url}]:
            faults.append(f"{language}: canonical address")
        twins = {link["hreflang"]: link["href"] for link in page.all("link", rel="alternate") if "hreflang" in link}
        if twins != urls | {"x-default": urls["es"]}:
            faults.append(f"{language}: alternates")
        if web.get(f"{url}.json").json()["canonicalUrls"] != urls:
            faults.append(f"{language}: JSON")
    return faults


@pytest.mark.parametrize(("code", "identifier"), EXAMPLES)
def test_a_page_stands_where_the_api_says_in_both_languages(web: TestClient, code: str, identifier: str) -> None:
    urls = web.get(f"/api/public/empresas/{code}/{identifier}").json()["entity"]["canonicalUrls"]
    assert set(urls) == {"es", "en"}
    assert disagreements(web, urls) == []


@pytest.mark.parametrize(
    ("language", "url", "wrong"),
    [
        ("en", "https://padron.example/en/companies/ec/384", {"en: no page", "es: alternates", "es: JSON"}),
        ("en", "https://padron.example/en/companies/us/320193", {"en: alternates", "es: alternates"}),
        ("es", "https://padron.example/en/companies/us/320193", {"es: no page", "en: alternates"}),
    ],
)
def test_an_api_that_disagrees_with_the_page_is_found(
    web: TestClient, language: str, url: str, wrong: set[str]
) -> None:
    urls = web.get("/api/public/empresas/EC/384").json()["entity"]["canonicalUrls"]
    assert wrong <= set(disagreements(web, urls | {language: url}))


def test_a_page_tells_the_facts_of_the_register(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/br/33000167000101").text)
    for sentence in (
        "PETRÓLEO BRASILEIRO S.A. - PETROBRAS",
        "33.000.167/0001-01",
        "Trade name PETROBRAS",
        "Active",
        "FASE OPERACIONAL",
        "Joint-stock company",
        "Petróleo e Gás",
        "October 3, 1953",
        "Rio de Janeiro, RJ",
        "Comissão de Valores Mobiliários (CVM)",
        "Data as of August 24, 2023 A date is the one that the publisher states, or the day its file was retrieved.",
    ):
        assert sentence in page.text, sentence


def test_a_foreign_filer_whose_country_no_file_states_is_of_none(web: TestClient) -> None:
    page = web.get("/es/empresas/us/718940").text  # BCE Inc., foreign by its forms
    assert "Constituida en" not in page
    assert "countryOfIncorporation" not in web.get("/es/empresas/us/718940.json").json()


def test_a_page_opens_with_a_sentence(web: TestClient) -> None:
    brazilian = Reading(web.get("/en/companies/br/33000167000101").text).text
    assert "Joint-stock company, Rio de Janeiro, Brazil. Activity: Petróleo e Gás" in brazilian
    assert "The register called it “FASE OPERACIONAL” on August 24, 2023." in brazilian
    # its status is CVM's, its name and the date of its page are those of a file of the Banco Central of 2019
    assert "The register called it" not in Reading(web.get("/en/companies/br/33147315000115").text).text
    ecuadorian = Reading(web.get(FAVORITA).text).text
    assert "Compañía anónima, Quito, Ecuador. Actividad: Venta al por menor en comercios no esp" in ecuadorian
    assert "Último estado financiero anual: 2024." in ecuadorian


def test_a_page_with_nothing_but_a_name_says_so_and_leads_on(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/ec/734505").text)
    assert "We have nothing of this company but its name and number." in page.text
    assert page.all("a", href="/en/search?q=FERRORBEA+S.A.S.&country=EC")
    assert "We have nothing" not in Reading(web.get("/en/companies/us/320193").text).text


@pytest.mark.parametrize("path", ["/en", "/en/companies/us/320193", "/en/plans", "/en/search?q=apple"])
def test_every_page_leads_to_reporting_an_error(web: TestClient, path: str) -> None:
    assert Reading(web.get(path).text).all("a", href="/en/privacy#removal")


@pytest.mark.parametrize(
    ("path", "register", "address", "number"),
    [
        ("us/320193", "EDGAR", "https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0000320193", None),
        (
            *("ec/1790016919001", "Supercias"),
            "https://appscvsgen.supercias.gob.ec/consultaCompanias/societario/busquedaCompanias.jsf",
            "1790016919001",
        ),
        (
            *("br/33000167000101", "Receita Federal"),
            "https://solucoes.receita.fazenda.gov.br/Servicos/cnpjreva/cnpjreva_solicitacao.asp",
            "33.000.167/0001-01",
        ),
        ("co/899999068", "RUES", "https://www.rues.org.co/", "899.999.068-1"),
        (
            *("ar/30546689979", "ARCA"),
            "https://seti.afip.gob.ar/padron-puc-constancia-internet/ConsultaConstanciaAction.do",
            "30-54668997-9",
        ),
        (
            *("us/2549001J3AMV3TR5OH50", "GLEIF"),
            *("https://search.gleif.org/#/record/2549001J3AMV3TR5OH50", None),
        ),
    ],
)
def test_a_page_leads_to_the_official_record_of_the_company_or_says_which_number_to_type(
    web: TestClient, path: str, register: str, address: str, number: str | None
) -> None:
    page = Reading(web.get(f"/en/companies/{path}").text)
    assert page.all("a", href=address), "a link"
    sentence = f"Look it up in {register} with the number {number}" if number else f"Its own record in {register}"
    assert sentence in page.text
    assert f"{sentence}: <{address}>" in web.get(f"/en/companies/{path}.md").text
    records = web.get(f"/es/empresas/{path}.json").json()["company"]["officialRecords"]
    assert records == [{"register": register, "url": address, "numberToType": number, "nameToType": None}]


def test_json_ld_names_the_company_by_its_numbers(web: TestClient) -> None:
    document = Reading(web.get(FAVORITA).text).linked("Organization")
    assert document["legalName"] == "CORPORACION FAVORITA C.A."
    assert document["taxID"] == "1790016919001"
    assert {"@type": "PropertyValue", "propertyID": "ec-expediente", "name": "Expediente", "value": "384"} in document[
        "identifier"
    ]
    assert document.keys().isdisjoint({"address", "telephone", "email", "location", "founder", "employee"})


def test_a_company_has_one_id_in_both_languages(web: TestClient) -> None:
    spanish, english = (
        Reading(web.get(path).text) for path in (FAVORITA, FAVORITA.replace("/es/empresas", "/en/companies"))
    )
    assert {page.linked("Organization")["@id"] for page in (spanish, english)} == {
        f"https://padron.example{FAVORITA}#company"
    }
    assert [step["name"] for step in english.linked("BreadcrumbList")["itemListElement"]] == [
        "Ecuador",
        "CORPORACION FAVORITA C.A.",
    ]


def test_a_number_that_is_not_held_leads_on_to_the_search(web: TestClient) -> None:
    absent = web.get("/en/companies/ec/99999")
    assert absent.status_code == 404
    (button,) = Reading(absent.text).all("a", href="/en/search?q=99999&country=EC")
    assert button["class"] == "button"
    assert "Look it up in Supercias" in Reading(web.get(button["href"]).text).text


def test_a_page_with_nothing_but_a_name_is_kept_out_of_search_engines(web: TestClient) -> None:
    noindex = [{"name": "robots", "content": "noindex"}]
    assert Reading(web.get("/es/empresas/ec/734505").text).all("meta", name="robots") == noindex
    assert Reading(web.get(FAVORITA).text).all("meta", name="robots") == []


def test_the_twins_say_what_the_page_says(web: TestClient) -> None:
    page = Reading(web.get(FAVORITA).text).text
    twin = web.get(f"{FAVORITA}.json")
    assert twin.headers["content-type"] == "application/json"
    assert twin.headers["link"] == f'<https://padron.example{FAVORITA}>; rel="canonical"'
    company = twin.json()["company"]
    assert (company["legalName"], company["identifier"]) == ("CORPORACION FAVORITA C.A.", "1790016919001")
    assert twin.json()["citation"] in page
    document = web.get(f"{FAVORITA}.md")
    assert document.headers["content-type"] == "text/markdown; charset=utf-8"
    assert document.text.startswith("# CORPORACION FAVORITA C.A.\n")
    assert "- RUC: 1790016919001\n" in document.text


def test_a_company_is_cited_in_the_styles_people_are_asked_for(web: TestClient, directory: Directory) -> None:
    page = Reading(web.get("/en/companies/us/320193").text).text
    release, url = directory.release, f"{BASE_URL}/en/companies/us/320193"
    assert "Apple Inc. (CIK 0000320193) [Company register entry]. EDGAR" in page
    assert f"Padrón, release {release}. {url}" in page
    assert "“Apple Inc., CIK 0000320193.” EDGAR" in page
    assert "@misc{padron-us-320193, title = {{Apple Inc. CIK 0000320193}}," in page
    spanish = Reading(web.get(FAVORITA).text).text
    assert "[Asiento del registro de empresas]" in spanish


def test_every_source_of_a_fact_is_named_with_what_it_states(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/br/06271464000119").text)
    bcb, cvm = (next(source for source in REGISTRY["BR"].sources if source.key == key) for key in ("bcb", "cvm"))
    assert f"[1] {bcb.name} {bcb.publisher} Data as of November 1, 2019 Facts: Name" in page.text
    assert f"[2] {cvm.name} {cvm.publisher} Data as of August 24, 2023 Facts: Place · Incorporated" in page.text
    assert "Place [2] " in page.text
    assert page.all("p", id="source-2")
    assert {link["aria-label"] for link in page.all("a", href="#source-2")} == {"Source 2"}
    twin = web.get("/en/companies/br/06271464000119.json").json()
    assert twin["company"]["sources"] == [
        {"sourceName": bcb.name, "sourceUrl": bcb.url, "facts": ["Name"]},
        {"sourceName": cvm.name, "sourceUrl": cvm.url, "facts": ["Place", "Incorporated"]},
    ]
    assert f"; {cvm.publisher}, {cvm.name}. Padrón" in twin["citation"]
    assert f"{bcb.name}; {cvm.name}. Padrón" in page.text
    document = web.get("/en/companies/br/06271464000119.md").text
    assert f"- Source: {cvm.name} ({cvm.publisher}) <{cvm.url}> (Place · Incorporated)\n" in document
    apple = Reading(web.get("/en/companies/us/320193").text)
    assert "Facts:" not in apple.text
    assert not apple.all("a", **{"class": "ref"})


@pytest.mark.parametrize("column", TRACED)
def test_whatever_a_source_states_has_a_name_on_the_page(column: str) -> None:
    assert _called(column, "es")


def test_a_name_with_markup_is_text_in_a_citation() -> None:
    assert _tex("A & B_{C} 50% $#~^\\") == (
        r"A \& B\_\{C\} 50\% \$\#\textasciitilde{}\textasciicircum{}\textbackslash{}"
    )


def test_a_company_is_followed_and_shown_elsewhere(web: TestClient) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    answer = web.get(f"{FAVORITA}.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(answer.text)
    (entry,) = feed.findall(f"{atom}entry")
    assert (entry.findtext(f"{atom}title") or "").startswith("CORPORACION FAVORITA C.A.")
    assert re.fullmatch(rf"{BASE_URL}{FAVORITA}#[0-9a-f]{{16}}", entry.findtext(f"{atom}id") or "")
    badge = web.get(f"{FAVORITA}.svg")
    assert badge.headers["content-type"] == "image/svg+xml; charset=utf-8"
    texts = [element.text for element in ET.fromstring(badge.text).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["Padrón", "RUC 1790016919001"]
    links = {link["href"] for link in Reading(web.get(FAVORITA).text).all("link", rel="alternate")}
    assert f"{BASE_URL}{FAVORITA}.atom" in links


@pytest.mark.parametrize(
    ("asked", "stands"),
    [
        ("/es/empresas/ec/384", FAVORITA),
        ("/es/empresas/EC/1790016919001", FAVORITA),
        ("/es/empresas/ec/384.json", f"{FAVORITA}.json"),
        ("/en/companies/br/33.000.167/0001-01", "/en/companies/br/33000167000101"),
        ("/en/companies/br/33000167.md", "/en/companies/br/33000167000101.md"),
        ("/en/companies/us/0000320193", "/en/companies/us/320193"),
    ],
)
def test_another_spelling_or_number_leads_to_the_page(web: TestClient, asked: str, stands: str) -> None:
    response = web.get(asked)
    assert (response.status_code, response.headers["location"]) == (308, stands)


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("/en/companies/ec/corporacion-favorita", "CORPORACION FAVORITA C.A."),
        ("/en/companies/co/1790016919001", None),
        ("/en/companies/ec/%3Cscript%3Ealert(1)%3C%2Fscript%3E", None),
        ("/en/companies/ec/1790019845001", None),
        ("/en/companies/mx/33000167000101", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"),
    ],
)
def test_no_company_offers_the_nearest(web: TestClient, asked: str, nearest: str | None) -> None:
    response = web.get(asked)
    page = Reading(response.text)
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-store")
    assert page.all("meta", name="robots") == [{"name": "robots", "content": "noindex"}]
    assert nearest is None or nearest in page.text
    assert "<script>alert" not in response.text


def test_a_natural_persons_number_gets_a_neutral_page(web: TestClient) -> None:
    response = web.get("/es/empresas/ec/1712345675001")
    assert response.status_code == 404
    assert "1712345675001" not in Reading(response.text).text


def test_a_company_whose_own_number_has_a_wrong_check_digit_has_its_page(web: TestClient) -> None:
    response = web.get("/es/empresas/ec/0993402051001")  # as the register states it
    assert response.status_code == 200
    assert Reading(response.text).linked("Organization")
    written = web.get("/es/empresas/ec/0993402051-001")
    assert (written.status_code, written.headers["location"]) == (308, "/es/empresas/ec/0993402051001")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("/en/companies/co/899999068-9", "/en/companies/co/899999068"),
        ("/en/companies/br/33000167000102", "/en/companies/br/33000167000101"),
    ],
)
def test_a_wrong_check_digit_is_told_before_it_leads_anywhere(web: TestClient, asked: str, meant: str) -> None:
    response = web.get(asked)
    page = Reading(response.text)
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-store")
    assert "is wrong: check the number" in page.text
    assert page.all("a", href=meant)


@pytest.mark.parametrize("path", ["/es/empresas/xx/1", "/es/nada", "/en/companies/ec"])
def test_an_address_where_nothing_stands_is_a_page_in_its_language(web: TestClient, path: str) -> None:
    response = web.get(path)
    assert response.status_code == 404
    assert Reading(response.text).all("html") == [{"lang": path[1:3]}]


def test_a_browser_reads_a_page_and_a_program_a_problem(web: TestClient) -> None:
    browser = web.get("/cobertura", headers={"accept": "text/html,*/*;q=0.8", "accept-language": "en"})
    assert browser.headers["content-type"] == "text/html; charset=utf-8"
    program = web.get("/cobertura")
    assert program.headers["content-type"] == "application/problem+json"
    api = web.get("/api/public/empresas/search", headers={"accept": "text/html"})
    assert api.headers["content-type"] == "application/problem+json"


def test_a_name_of_no_register_has_the_document_that_states_it(web: TestClient) -> None:
    title = "El Universo: B-Sí, el formato de precios bajos de Corporación Favorita"
    twin = web.get(f"{FAVORITA}.json").json()["company"]
    [by_name] = [name for name in twin["names"] if name["name"] == "Gran Akí"]
    assert (by_name["kind"], by_name["title"]) == ("byName", title)
    assert Reading(web.get(FAVORITA).text).all("a", href=by_name["address"])
    text = web.get(f"{FAVORITA}.md").text
    line = next(line for line in text.splitlines() if line.startswith("- Se conoce como: Gran Akí (Según [El Universo"))
    assert line.endswith(f"]({by_name['address']}))")


@pytest.mark.parametrize(
    ("page", "other"),
    [
        ("/en/companies/br/33000167000101", "/en/companies/us/1119639"),
        ("/en/companies/us/1119639", "/en/companies/br/33000167000101"),
    ],
)
def test_a_company_in_two_registers_is_linked_both_ways_with_the_reason(web: TestClient, page: str, other: str) -> None:
    read = Reading(web.get(page).text)
    assert "In other registers" in read.text
    assert len(read.all("a", href=other)) == 1
    assert "Linked by name: the records have no number in common. How records are linked" in read.text
    assert "In other registers" not in Reading(web.get("/en/companies/us/320193").text).text


def test_a_link_by_the_lei_of_both_records_is_not_one_by_name(small: Directory, tmp_path: Path) -> None:
    with TestClient(build_app(load({"PADRON_LIMITS__ENABLED": "0"}, data=tmp_path), small)) as client:
        page = Reading(client.get("/en/companies/br/33000167000101").text).text
    assert f"Linked by the LEI {LEI_PETROBRAS}, which both have." in page
    assert "Linked by name" not in page


def test_other_names_are_one_line_with_their_sources_behind(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/ec/1790016919001").text)
    names = "Akí · Akí Vecino · B-Sí · Gran Akí · Moblart · SuperAkí · Supermaxi"
    assert f"Known as (in no register) {names} Sources of the names" in page.text


def test_numbers_of_one_kind_are_one_line(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/mx/6189108").text)
    assert page.text.count("Environmental register number") == 1
    assert "NRA CEM0200101215 · CEM0503500692 · CEM1301300052 · CEM1302900021 10 more numbers" in page.text
    assert "CEM3105001217" in page.text


def test_an_activity_is_in_the_words_of_the_reader_where_the_register_s_are_long_or_foreign(web: TestClient) -> None:
    english = Reading(web.get("/en/companies/ec/1790016919001").text).text
    assert "Activity: Retail sale in non-specialized stores with food" in english
    assert "(ISIC Rev. 4 G4711 ) In the words of the register Venta al por menor de gran variedad" in english
    own = Reading(web.get("/es/empresas/co/860002523").text).text
    assert "Actividad: Fabricación de cemento, cal y yeso." in own.replace(" .", ".")
    assert "Bogotá, D.C., Bogotá, D.C." not in own


@pytest.mark.parametrize(
    ("path", "register", "address", "button"),
    [
        ("us/320193", "EDGAR", "https://www.sec.gov/", "Its own record in EDGAR"),
        ("ec/734505", "Supercias", "https://appscvsgen.supercias.gob.ec/", "Supercias with the number 734505"),
        ("mx/6189108", "SIGER", "https://rpc.economia.gob.mx/siger2/", "Comercio (SIGER) with its name"),
    ],
)
def test_the_first_action_is_to_look_the_company_up_at_its_register(
    web: TestClient, path: str, register: str, address: str, button: str
) -> None:
    page = Reading(web.get(f"/en/companies/{path}").text)
    first = next(link for link in page.all("a") if link.get("class", "") == "button")
    assert first["href"].startswith(address)
    assert button in page.text
    assert page.text.index(register) < page.text.index("In other" if "In other" in page.text else "Status")


def test_an_error_is_reported_with_the_page_filled_in(web: TestClient) -> None:
    page = Reading(web.get("/es/empresas/us/320193").text)
    (mail,) = [urlsplit(link["href"]) for link in page.all("a") if link["href"].startswith("mailto:")]
    query = parse_qs(mail.query)
    assert query["subject"] == ["Error en la página de Apple Inc."]
    assert "Página: https://padron.example/es/empresas/us/320193\nVersión: 2026-" in query["body"][0]


@pytest.mark.parametrize(
    ("number", "relation"),
    [
        ("CO/899999068-1", "primary"), ("CO/899999068-2", "wrong-check-digit"),
        ("BR/33000167", "branch"), ("BR/33.000.167/0001-02", "wrong-check-digit"), ("EC/1391938245001", "primary"),
    ],
)  # fmt: skip
def test_a_number_with_a_wrong_check_digit_is_told_from_the_company_s(
    web: TestClient, number: str, relation: str
) -> None:
    response = web.get(f"/api/public/empresas/{number}")
    assert (response.status_code, response.headers["identifier-match"]) == (200, relation)
