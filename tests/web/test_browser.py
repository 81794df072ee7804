"""Journeys of readers in a browser: both languages, desktop and phone, with and without JavaScript, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Route, expect

from browser import IN_THE_GATE, ROWS, SIZES, Visit, suites, visiting
from padron.web import addresses
from padron.words import Language, Text
from process import Server

SEARCH = Text("Buscar", "Search")
COPIED = Text("Copiado", "Copied")
FAVORITA = "CORPORACION FAVORITA C.A."


class Reader(NamedTuple):
    """A reader: a language, a size of screen, and whether scripts run."""

    language: Language
    size: str
    scripts: bool
    visit: Visit

    def open(self, page: str, **parts: str) -> None:
        """Go to a page by its name."""
        self.visit.page.goto(addresses.path(page, self.language, **parts))

    def stands_at(self, page: str, **parts: str) -> None:
        """The browser is at that page."""
        path = addresses.path(page, self.language, **parts)
        expect(self.visit.page).to_have_url(re.compile(re.escape(path) + r"(\?|$)"))


@pytest.fixture
def reader(request: pytest.FixtureRequest, browser: Browser, service: Server) -> Iterator[Reader]:
    """A reader of `request.param`: language, size, scripts; nothing may have gone wrong on the way."""
    language, size, scripts = request.param
    permitted = ["clipboard-read", "clipboard-write"]
    with visiting(browser, service.url, size, java_script_enabled=scripts, permissions=permitted) as visit:
        yield Reader(language, size, scripts, visit)
        assert visit.faults == []


def _named(readers: list[tuple[str, str, bool]]) -> list[object]:
    return [
        pytest.param(
            reader,
            id="-".join((*reader[:2], "scripts" if reader[2] else "plain")),
            marks=suites(gate=reader in IN_THE_GATE),
        )
        for reader in readers
    ]


READERS = _named(list(product(("es", "en"), ("desktop", "phone"), (True, False))))
WITH_SCRIPTS = _named(list(product(("es", "en"), ("desktop", "phone"), (True,))))
every_reader = pytest.mark.parametrize("reader", READERS, indirect=True)
every_reader_with_scripts = pytest.mark.parametrize("reader", WITH_SCRIPTS, indirect=True)


@pytest.mark.parametrize("reader", [("en", "desktop", True)], indirect=True)
def test_three_letters_lead_to_a_company_and_its_number(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("home")
    expect(page.get_by_role("combobox", name="Company name or identifier")).to_be_focused()
    suggested = page.get_by_role("listbox").get_by_role("option")
    page.keyboard.type("cor")
    expect(suggested.first).to_be_visible()
    page.keyboard.type("poracion favorita")
    expect(suggested.first).to_contain_text(FAVORITA)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(FAVORITA)
    reader.visit.tab_to(page.get_by_role("button", name="Copy").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "1790016919001"
    page.get_by_role("link", name="Español").click()
    expect(page.locator("html")).to_have_attribute("lang", "es")
    expect(page.get_by_role("heading", level=1)).to_have_text(FAVORITA)


@every_reader
def test_a_company_is_found_read_and_cited(reader: Reader) -> None:
    page, of = reader.visit.page, reader.language
    reader.open("home")
    page.get_by_role("combobox").first.fill("corporacion favorita")
    page.keyboard.press("Enter")
    reader.stands_at("search")
    expect(page.locator(".results li").first).to_contain_text(Text("Mejor coincidencia", "Best match").of(of))
    reader.visit.tab_to(page.get_by_role("link", name=FAVORITA, exact=True))
    page.keyboard.press("Enter")
    reader.stands_at("company", country="EC", identifier="1790016919001")
    expect(page.get_by_role("heading", level=1)).to_have_text(FAVORITA)
    expect(page.locator("#citation")).to_contain_text("1790016919001")
    assert page.get_by_role("button", name=re.compile("Copiar|Copy")).count() == (3 if reader.scripts else 0)
    reader.visit.tab_to(page.get_by_role("link", name=Text("English", "Español").of(of)))
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "en" if of == "es" else "es")
    expect(page.get_by_role("heading", level=1)).to_have_text(FAVORITA)
    reader.visit.tab_to(page.get_by_role("link", name="JSON", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_contain_text('"identifier":"1790016919001"')


@every_reader
def test_results_are_narrowed_to_a_country_by_keyboard(reader: Reader) -> None:
    page, of = reader.visit.page, reader.language
    page.goto(f"{addresses.path('search', of)}?q=constructora")
    countries = page.get_by_role("combobox", name=Text("País", "Country").of(of))
    expect(countries.locator("option:checked")).to_have_text(Text("Todos los países", "All countries").of(of))
    reader.visit.tab_to(countries)
    page.keyboard.type("Colombia")
    reader.visit.tab_to(page.get_by_role("button", name=SEARCH.of(of), exact=True))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"country=CO$"))
    lines = page.locator(".results li .line:has(.mono)").all_inner_texts()
    assert lines
    assert all(line.startswith("Colombia") for line in lines)


@every_reader
def test_a_country_leads_to_its_companies(reader: Reader) -> None:
    page, of = reader.visit.page, reader.language
    reader.open("home")
    reader.visit.tab_to(page.get_by_role("navigation").get_by_role("link", name=Text("Cobertura", "Coverage").of(of)))
    page.keyboard.press("Enter")
    reader.stands_at("coverage")
    reader.visit.tab_to(page.get_by_role("table").get_by_role("link", name=Text("Brasil", "Brazil").of(of)))
    page.keyboard.press("Enter")
    reader.stands_at("country", country="BR")
    page.get_by_role("link", name=re.compile("PETROBRAS")).click()
    reader.stands_at("company", country="BR", identifier="33000167000101")
    crumbs = page.get_by_role("navigation", name=Text("Usted está aquí", "You are here").of(of))
    crumbs.get_by_role("link", name=Text("Brasil", "Brazil").of(of)).click()
    reader.stands_at("list", country="BR")


@every_reader
def test_where_no_company_stands_the_nearest_are_offered(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("company", country="EC", identifier="corporacion-favorita")
    page.get_by_role("link", name=FAVORITA, exact=True).click()
    reader.stands_at("company", country="EC", identifier="1790016919001")


@every_reader
def test_every_open_page_is_reached_from_the_front_page(reader: Reader) -> None:
    page, of = reader.visit.page, reader.language
    reader.open("home")
    frame = page.locator("header nav a, footer a")
    reached = {link.get_attribute("href") for link in frame.all()}
    reader.open("docs")
    reached |= {link.get_attribute("href") for link in page.locator("main a").all()}
    wanted = {addresses.path(name, of) for name in addresses.FIXED}
    assert wanted - {addresses.path("home", of)} <= reached
    for path in sorted(wanted):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", of)
        assert reader.visit.overflow() <= 0, path
        page.get_by_role("link", name=Text("English", "Español").of(of)).click()
        expect(page.locator("html")).to_have_attribute("lang", "en" if of == "es" else "es")


@every_reader_with_scripts
def test_suggestions_are_chosen_by_keyboard(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("home")
    box = page.get_by_role("combobox").first
    announced = page.locator(".search [role=status]")
    options = page.get_by_role("listbox").get_by_role("option")
    with page.expect_response(re.compile(r"[?&]q=petrobra(&|$)")):
        box.press_sequentially("petrobra", delay=20)
    expect(options.first.locator("b").first).to_have_text("PETROBRA")
    expect(box).to_have_attribute("aria-expanded", "true")
    expect(announced).to_contain_text(str(options.count() - 1))
    expect(options.last).to_have_text(Text("Ver todos los resultados", "See all results").of(reader.language))
    page.keyboard.press("ArrowUp")
    expect(box).to_have_attribute("aria-activedescendant", options.last.get_attribute("id") or "")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown") if options.count() > 1 else None
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("petrobra")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/(empresas|companies)/br/"))


@pytest.mark.parametrize("reader", _named([("es", "desktop", True)]), indirect=True)
def test_a_late_answer_does_not_replace_the_list_that_is_chosen_from(reader: Reader) -> None:
    page = reader.visit.page
    late: list[Route] = []
    page.route(re.compile(r"[?&]q=petrobras(&|$)"), lambda route: late.insert(0, route))
    reader.open("home")
    box = page.get_by_role("combobox").first
    options = page.get_by_role("listbox").get_by_role("option")
    with page.expect_response(re.compile(r"[?&]q=petrobra(&|$)")):
        box.press_sequentially("petrobra")
    expect(options.first).to_be_visible()
    with page.expect_request(re.compile(r"[?&]q=petrobras(&|$)")):
        box.press_sequentially("s")
    page.keyboard.press("ArrowDown")
    for route in late:
        route.fulfill(json={"companies": []})
    assert page.evaluate("fetch('/healthz').then(answer => answer.status)") == 200, "the late answer is through by now"
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/empresas/br/"))


@every_reader_with_scripts
def test_suggestions_keep_to_the_chosen_country(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("home")
    page.locator("select[name=country]").select_option("CO")
    page.get_by_role("combobox").first.press_sequentially("constructora", delay=20)
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.first).to_be_visible()
    assert all("CO · " in text for text in options.all_inner_texts()[:-1])


@every_reader_with_scripts
def test_number_for_the_register_number_and_citation_are_copied_by_keyboard(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("company", country="BR", identifier="33000167000101")
    citation = page.locator("#citation").inner_text()
    buttons = page.locator("[data-copy]")
    for number, copied in enumerate(("33.000.167/0001-01", "33000167000101", citation)):
        reader.visit.tab_to(buttons.nth(number))
        page.keyboard.press("Enter")
        expect(buttons.nth(number)).to_have_text(COPIED.of(reader.language))
        assert page.evaluate("navigator.clipboard.readText()") == copied


@every_reader_with_scripts
def test_the_button_for_the_light_moves_nothing(reader: Reader) -> None:
    """JavaScript, which it needs, may come late: what stands in the head then is where it stood before."""
    page, late = reader.visit.page, list[Route]()
    places = "[...document.querySelectorAll('header a, main h1')].map(of => JSON.stringify(of.getBoundingClientRect()))"
    page.route("**/app.*.js", lambda route: late.append(route))  # noqa: PLW0108 - the library wants a function of Python
    page.goto(addresses.path("home", reader.language), wait_until="commit")
    expect(page.locator("footer")).to_be_visible()
    expect(page.locator("[data-theme-button]")).to_be_hidden()
    before = page.evaluate(places)
    late.pop().continue_()
    expect(page.locator("[data-theme-button]")).to_be_visible()
    assert page.evaluate(places) == before


@every_reader_with_scripts
def test_light_and_dark_are_turned_and_remembered(reader: Reader) -> None:
    page = reader.visit.page
    reader.open("home")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    button = page.locator("[data-theme-button]")
    expect(button).to_have_attribute("aria-pressed", "false")
    reader.visit.tab_to(button)
    page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "true")
    dark = page.evaluate(paper)
    assert dark != light
    reader.open("coverage")
    assert page.evaluate(paper) == dark


@every_reader_with_scripts
def test_the_interface_is_tried_on_its_page_by_keyboard(reader: Reader) -> None:
    page, of = reader.visit.page, reader.language
    reader.open("api")
    choice = page.get_by_role("combobox", name=Text("Operación", "Operation").of(of))
    expect(choice.locator("option:checked")).to_contain_text("/api/public/empresas/search")
    summary = Text(
        "Buscar empresas por nombre o identificador oficial", "Find companies by name or official identifier"
    )
    expect(page.get_by_text(summary.of(of))).to_be_visible()
    reader.visit.tab_to(choice)
    reader.visit.tab_to(page.get_by_label(re.compile(r"^q\b")))
    page.keyboard.press("Control+A")
    page.keyboard.type("petrobras")
    reader.visit.tab_to(page.get_by_role("button", name=Text("Enviar", "Send").of(of)))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="200")).to_be_visible()
    answer = page.get_by_role("region", name=Text("Respuesta", "Answer").of(of), exact=True)
    expect(answer).to_contain_text("33000167000101")
    expect(page.get_by_role("region").first).to_contain_text("q=petrobras")
    expect(page.get_by_role("region").first).to_contain_text(f"Accept-Language: {of}")


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ("<script>alert('run')</script>", "run"),
        ("<img src='http://127.0.0.1:9/x.gif'>", "http://127.0.0.1:9/x.gif"),
        ("<script>throw Error('thrown')</script>", "thrown"),
    ],
)
def test_a_planted_fault_of_a_page_is_written_down(browser: Browser, service: Server, markup: str, fault: str) -> None:
    with visiting(browser, service.url) as visit:
        visit.page.route("**/en/planted", lambda route: route.fulfill(body=markup, content_type="text/html"))
        visit.page.goto("/en/planted")
        assert fault in visit.faults


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("country", "identifier"),
    [("EC", "1790016919001"), ("BR", "33000167000101"), ("US", "320193"), ("CO", "899999068")],
)
def test_each_value_stands_in_the_row_of_its_label(
    browser: Browser, service: Server, country: str, identifier: str, size: str
) -> None:
    with visiting(browser, service.url, size) as visit:
        visit.page.goto(addresses.path("company", "es", country=country, identifier=identifier))
        assert visit.page.locator("dl.facts > dd").count() > 4
        assert visit.page.evaluate(ROWS) == []


def test_a_value_beside_another_label_is_seen(browser: Browser, service: Server) -> None:
    """Two values of one label, and cells that take the next free place."""
    with visiting(browser, service.url) as visit:
        visit.page.goto(addresses.path("company", "es", country="EC", identifier="1790016919001"))
        visit.page.evaluate(
            """() => {
                const value = document.createElement('dd');
                value.innerText = 'x';
                document.querySelector('dl.facts > dd').after(value);
                for (const cell of document.querySelectorAll('dl.facts > *')) cell.style.gridColumn = 'auto';
            }"""
        )
        assert visit.page.evaluate(ROWS) != []
