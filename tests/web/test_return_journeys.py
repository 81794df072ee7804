"""Journeys that go on from a page, on a phone and a desktop: browse, decide, verify, report, follow, read up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, expect

from browser import Visit, suites, visiting
from holder_in_browser import Member
from padron.web import addresses
from padron.words import Language, Text
from process import Server

ATOM = "{http://www.w3.org/2005/Atom}"
FAVORITA = "CORPORACION FAVORITA C.A."

LINES = """button => {
    const range = document.createRange();
    range.selectNodeContents(button.firstChild);
    return range.getClientRects().length;
}"""
"""The lines of the words of a button."""

BOTH = [
    pytest.param(("es", "phone"), id="es-phone", marks=suites(gate=True)),
    pytest.param(("en", "desktop"), id="en-desktop", marks=suites(gate=False)),
]
"""Readers: a language and a size of screen."""


@pytest.fixture(params=BOTH)
def reader(request: pytest.FixtureRequest, browser: Browser, service: Server) -> Iterator[tuple[Visit, Language]]:
    """A reader of a language on a size of screen; nothing may have gone wrong on the way."""
    of, size = request.param
    with visiting(browser, service.url, size, locale=of) as visit:
        yield visit, of
        assert visit.faults == []


def test_places_lead_to_a_list_that_can_be_taken_along(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    page.goto(addresses.path("home", of))
    page.get_by_role(
        "link", name=Text("Empresas por lugar y actividad", "Companies by place and activity").of(of)
    ).click()
    page.get_by_role("main").get_by_role("link", name="Ecuador").first.click()
    page.get_by_role("link", name="Pichincha", exact=True).click()
    page.get_by_role("link", name="Quito", exact=True).click()
    expect(page).to_have_url(
        re.compile(re.escape(addresses.path("list-city", of, country="EC", region="pichincha", city="quito")))
    )
    assert visit.overflow() <= 0
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "padron-ec-pichincha-quito.csv"
    assert FAVORITA in download.value.path().read_text("utf-8")
    page.get_by_role("link", name=FAVORITA).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(FAVORITA)
    crumbs = page.get_by_role("navigation", name=Text("Usted está aquí", "You are here").of(of))
    crumbs.get_by_role("link", name="Quito").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Quito")


def test_a_company_is_followed_embedded_and_printed(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    path = addresses.path("company", of, country="EC", identifier="1790016919001")
    page.goto(path)
    feed = page.get_by_role("complementary").get_by_role("link", name="Atom").get_attribute("href") or ""
    assert FAVORITA in (ET.fromstring(page.request.get(feed).text()).findtext(f"{ATOM}title") or "")
    page.get_by_text(Text("Distintivo para su página", "Badge for your page").of(of)).click()
    shown = page.locator("#badge").inner_text()
    page.set_content(f"<body>{shown}</body>")
    expect(page.locator("img")).to_have_attribute("alt", re.compile("1790016919001 · Padrón$"))
    assert page.locator("img").evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 0
    page.goto(path)
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    expect(page.locator("#citation")).to_be_visible()
    expect(page.locator("p.print")).to_contain_text(path)
    assert visit.overflow() <= 0


def test_a_company_in_two_registers_is_one_answer(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    page.goto(f"{addresses.path('search', of)}?q=petrobras")
    page.locator(".results .first").get_by_role("link", name="CIK").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("PETROLEO BRASILEIRO")
    page.get_by_role("link", name="PETRÓLEO BRASILEIRO S.A. - PETROBRAS").click()
    expect(page).to_have_url(re.compile("33000167000101$"))
    page.goto(f"{addresses.path('search', of)}?q=hotel+colon")
    address = page.get_by_role("link", name=Text("canal (Atom)", "feed (Atom)").of(of)).get_attribute("href") or ""
    assert "hotel colon" in (ET.fromstring(page.request.get(address).text()).findtext(f"{ATOM}title") or "")


def test_two_companies_of_a_name_are_told_apart_by_their_place(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    page.goto(f"{addresses.path('search', of)}?q=hotel+colon")
    rows = page.locator(".results li")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Quito")
    expect(rows.nth(1)).to_contain_text("Guayaquil")
    names, places = rows.locator("h3"), rows.locator("p.line:first-of-type")
    for name, place in zip(names.all(), places.all(), strict=True):
        above, below = name.bounding_box(), place.bounding_box()
        assert above
        assert below
        assert above["y"] + above["height"] <= below["y"] + 1
    page.get_by_role("combobox").first.fill("hotel colon guayaquil")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(Text("Mejor coincidencia", "Best match").of(of))
    rows.get_by_role("link", name="HOTEL COLON GUAYAQUIL S.A.").click()
    expect(page).to_have_url(re.compile("0991189432001$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("HOTEL COLON GUAYAQUIL S.A.")
    expect(page.locator("dl.facts")).to_contain_text("Guayaquil")


def test_a_company_is_verified_at_its_register(reader: tuple[Visit, Language]) -> None:
    """The first thing to do on the page, above every fact, with what the register's search takes to copy."""
    visit, of = reader
    page = visit.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(addresses.path("company", of, country="EC", identifier="1790016919001"))
    actions, facts = page.locator(".actions"), page.locator("dl.facts").first
    look_up = actions.get_by_role("link").first
    expect(look_up).to_have_attribute("href", re.compile(r"^https://appscvsgen\.supercias\.gob\.ec/"))
    actions.get_by_role("button").first.click()
    expect(actions.get_by_role("button").first).to_have_text(Text("Copiado", "Copied").of(of))
    assert page.evaluate("navigator.clipboard.readText()") == "1790016919001"
    above, below = actions.bounding_box(), facts.bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]
    page.route("https://appscvsgen.supercias.gob.ec/**", lambda route: route.fulfill(body="the register"))
    look_up.click()
    expect(page.locator("body")).to_have_text("the register")
    assert visit.faults.pop().startswith("https://appscvsgen.supercias.gob.ec/")


def test_an_error_is_reported_with_the_page_and_the_release_filled_in(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    path = addresses.path("company", of, country="EC", identifier="1790016919001")
    page.goto(path)
    report = page.get_by_role(
        "link", name=Text("Avisar de un error en esta página", "Report an error of this page").of(of)
    )
    expect(report).to_be_visible()
    mail = urlsplit(report.get_attribute("href") or "")
    sent = dict(parse_qsl(mail.query))
    assert (mail.scheme, FAVORITA in sent["subject"]) == ("mailto", True)
    assert path in sent["body"]
    assert re.search(r"\b20\d\d-\d\d-\d\d-[0-9a-f]{8}\b", sent["body"])
    assert visit.overflow() <= 0


def test_a_word_of_the_documentation_is_looked_up(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    page.goto(addresses.path("api", of))
    page.get_by_role("link", name=Text("Toda la documentación", "All documentation").of(of)).click()
    page.get_by_role("searchbox").fill("webhooks")
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="Webhooks", exact=True).first.click()
    expect(page.locator(":target")).to_have_text("Webhooks")
    assert visit.overflow() <= 0


def test_the_console_shows_a_request_in_three_languages(reader: tuple[Visit, Language]) -> None:
    visit, of = reader
    page = visit.page
    page.goto(addresses.path("api", of))
    command = page.get_by_role("region", name=Text("Como lo envía un programa", "As a program sends it").of(of))
    expect(command).to_contain_text("curl -H")
    for name, begins in (("Python", "from urllib.request import"), ("TypeScript", "await fetch(")):
        page.locator("#console-language").select_option(name)
        expect(command).to_contain_text(begins)
    page.get_by_role("button", name=Text("Enviar", "Send").of(of)).click()
    received = page.get_by_role("region", name=Text("Cabeceras de la respuesta", "Header fields of the answer").of(of))
    expect(received).to_contain_text("content-type: application/json")


@pytest.mark.parametrize("whose", BOTH)
def test_a_watchlist_is_made_from_a_company_and_removed(
    browser: Browser, service: Server, holder: Member, whose: tuple[Language, str]
) -> None:
    of, size = whose
    with visiting(browser, service.url, size, storage_state=holder.kept(service.url), locale=of) as visit:
        page = visit.page
        page.goto(addresses.path("watchlists", of))
        page.locator("[name=name]").fill(f"lista {of}")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=f"lista {of}")).to_be_visible()
        page.goto(addresses.path("company", of, country="EC", identifier="1790016919001"))
        page.get_by_role("link", name=Text("En una lista de seguimiento", "In a watchlist").of(of)).click()
        page.get_by_role("button", name=Text("Seguir", "Follow").of(of), exact=True).first.click()
        expect(page.get_by_role("link", name=FAVORITA)).to_be_visible()
        assert visit.overflow() <= 0
        assert page.locator("[value=forget-company]").evaluate(LINES) == 1
        page.get_by_text(Text("Eliminar la lista", "Delete the list").of(of)).click()
        page.locator("[value=delete]").click()
        expect(page.get_by_role("heading", name=f"lista {of}")).to_have_count(0)
        assert visit.faults == []
