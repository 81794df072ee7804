"""The documentation as pages: every guide, error and identifier in both languages, and the search in them."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from padron.transport import problems
from padron.web import addresses, documentation
from padron.web.documents import GUIDES, Guide, guide
from padron.words import LANGUAGES, Language
from parsed_page import Reading, faults

ROOT = Path(__file__).parents[2]
HOST = "https://padron.example"
BOTH = pytest.mark.parametrize("of", LANGUAGES)


def test_every_guide_in_both_languages_is_on_the_site_but_those_of_operators() -> None:
    twins = {path.name.removesuffix(".es.md") for path in (ROOT / "docs").glob("*.es.md")}
    assert set(GUIDES) == twins - {"README", "scaling"}, "a guide in both languages is on the site"


@BOTH
def test_every_page_of_the_documentation_is_a_whole_page(web: TestClient, of: Language) -> None:
    for path in documentation.paths(of):
        response = web.get(path)
        assert response.status_code == 200, path
        page = Reading(response.text)
        assert faults(page) == [], path
        assert len(page.all("h1")) == 1, path
        assert page.all("link", rel="canonical") == [{"rel": "canonical", "href": HOST + path}]


@BOTH
def test_every_link_and_anchor_inside_the_documentation_leads_somewhere(web: TestClient, of: Language) -> None:
    start = addresses.path("docs", of)
    pages = {
        path: Reading(web.get(path).text) for path in [start, *documentation.paths(of), addresses.path("errors", of)]
    }
    anchors = {path: {given["id"] for _, given in page.elements if "id" in given} for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.all("a"):
            target, _, anchor = link["href"].partition("#")
            own = target or path
            if own.startswith(start) and own not in {"/es/documentacion", "/en/docs"}:
                assert own in pages, (path, link)
                assert not anchor or unquote(anchor) in anchors[own], (path, link)


@BOTH
def test_every_error_code_is_described(web: TestClient, of: Language) -> None:
    page = Reading(web.get(addresses.path("errors", of)).text)
    for code in problems.STATUS:
        assert page.all("dt", id=code), code


@pytest.mark.parametrize(
    ("path", "address", "heading"),
    [
        ("/en/docs?q=company-not-found", "/en/docs/errores", ""),
        ("/en/docs?q=webhooks", "/en/docs/v1", "Webhooks"),
        ("/en/docs?q=plans+price+renew", "/en/plans", "Paid plans renew every month"),
        ("/es/documentacion?q=se+renuevan", "/es/planes", "se renuevan cada mes"),
        ("/es/documentacion?q=cnpj", "/es/identificadores/br-cnpj", "CNPJ"),
        ("/es/documentacion?q=refreshedAt", "/es/documentacion/fields", "Los campos de una empresa"),
    ],
)
def test_words_of_the_documentation_are_found(web: TestClient, path: str, address: str, heading: str) -> None:
    page = Reading(web.get(path).text)
    assert heading in page.text
    assert page.all("meta", name="robots") == [{"name": "robots", "content": "noindex"}]
    links = [link["href"] for link in page.all("a")]
    assert any(link.partition("#")[0] == address.replace("errores", "errors") for link in links), links


def test_guides_are_parsed_beside_the_requests_of_others(web: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[tuple[str, str]] = []

    def read(name: str, of: Language, base_url: str) -> Guide:
        parsed.append((threading.current_thread().name.partition("_")[0], name))
        return guide(name, of, base_url)

    monkeypatch.setattr(documentation, "guide", read)
    assert "webhook" in web.get("/en/docs?q=webhooks+beside").text
    assert web.get("/en/docs/api?beside").status_code == 200
    assert {where for where, _ in parsed} == {"files"}
    assert {name for _, name in parsed} == set(GUIDES)


def test_words_that_no_place_has_lead_on(web: TestClient) -> None:
    assert "No place has all those words" in web.get("/en/docs?q=xyzzy").text
    assert "<script>alert" not in web.get("/en/docs?q=%3Cscript%3Ealert(1)%3C/script%3E").text
    assert web.get("/en/docs/operations").status_code == 404
    assert web.get("/en/identifiers/xx-none").status_code == 404


def test_a_guide_asks_this_service_and_links_its_pages() -> None:
    read = guide("api", "en", HOST)
    assert "127.0.0.1:8000" not in read.html
    assert f"{HOST}/api/public" in read.html
    assert 'href="/en/docs/fields"' in read.html
    assert 'href="/en/docs/errors"' in read.html
    assert not re.search(r'href="[^"]*\.md', read.html)
    assert " style=" not in read.html
    assert not any("In English" in guide(name, "es", HOST).html for name in GUIDES)


def test_the_page_of_an_identifier_shows_how_it_is_written(web: TestClient) -> None:
    page = Reading(web.get("/en/identifiers/br-cnpj").text)
    assert "33.000.167/0001-01" in page.text
    assert "/api/public/empresas/BR/33000167000101" in page.text
    assert page.all("a", href="/en/companies/br/33000167000101")
    assert page.all("option", value="BR", selected="")
