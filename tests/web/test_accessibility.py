"""axe-core finds nothing on any page, light or dark, and none moves as it loads; build/screenshots keeps pictures.

Every page is seen in both languages on a desktop in one light and on a phone in the other (`make pages`); one page of
each template on one of them in `make verify`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from browser import SHIFT, SIZES, WEIGHT, suites, violations, visiting
from holder_in_browser import Member
from padron.words import LANGUAGES
from page_addresses import MEMBERS, ONE_OF_EACH_TEMPLATE, PAGES, STATES
from process import Server

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "screenshots"
SEEN = {"es": (("desktop", "light"), ("phone", "dark")), "en": (("desktop", "dark"), ("phone", "light"))}
SHIFT_AT_MOST = 0.01
FIRST_VIEW_AT_MOST = 60 * 1024

pytestmark = pytest.mark.pages


def named(path: str) -> str:
    """The name of a page's pictures."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")


def judged(paths: list[str]) -> list[object]:
    """Paths with the sizes and lights each is seen in; the gate sees one of these, on a desktop or a phone in turn."""
    views = []
    for place, path in enumerate(dict.fromkeys(paths)):
        seen = SEEN[named(path)[:2]]
        for view in seen:
            gate = path in ONE_OF_EACH_TEMPLATE and view is seen[place % 2]
            views.append(pytest.param(path, *view, id=f"{path}-{view[0]}", marks=suites(gate=gate)))
    return views


@pytest.mark.verify
def test_the_gate_sees_pages_that_there_are() -> None:
    assert {*PAGES, *STATES, *MEMBERS} >= ONE_OF_EACH_TEMPLATE


def look(browser: Browser, url: str, path: str, name: str, size: str, light: str, **options: Any) -> None:
    """Let axe judge a page, and keep its picture."""
    with visiting(browser, url, size, color_scheme=light, reduced_motion="reduce", **options) as visit:
        visit.page.goto(path)
        visit.page.wait_for_load_state("networkidle")
        assert visit.shift() <= SHIFT_AT_MOST
        assert visit.weight() <= FIRST_VIEW_AT_MOST
        visit.page.screenshot(path=PICTURES / f"{name}-{size}-{light}.png", full_page=True)
        assert violations(visit.page) == []
        assert visit.overflow() <= 0
        visit.page.goto(path)
        visit.page.wait_for_load_state("networkidle")
        assert visit.shift() <= SHIFT_AT_MOST
        assert visit.faults == []


@pytest.mark.parametrize(("path", "size", "light"), judged([*PAGES, *STATES]))
def test_a_page_shuts_nobody_out(browser: Browser, service: Server, path: str, size: str, light: str) -> None:
    look(browser, service.url, path, named(path), size, light)


@pytest.mark.verify
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", ["/es", "/en", "/es/buscar?q=petrobras", "/en/companies/us/320193"])
def test_what_comes_late_does_not_move_what_is_read(browser: Browser, service: Server, path: str, size: str) -> None:
    with visiting(browser, service.url, size) as visit:
        visit.page.route("**/*.woff2", lambda font: font.abort())  # which would come in time for some of the views
        visit.page.goto(path)
        heading = visit.page.locator("h1")
        whole, place = visit.page.content(), heading.bounding_box()
        for part in (0.4, 0.6, 0.8):
            cut = max(round(len(whole) * part), whole.index("</h1>") + 5)
            visit.page.set_content(whole[:cut])
            assert heading.bounding_box() == place


@pytest.mark.verify
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_late_font_moves_nothing(browser: Browser, service: Server, language: str) -> None:
    with visiting(browser, service.url) as visit:
        held: list[Route] = []

        def hold(font: Route) -> None:
            held.append(font)

        visit.page.route("**/*.woff2", hold)
        visit.page.goto(f"/{language}", wait_until="domcontentloaded")
        visit.page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        with visit.page.expect_response("**/*.woff2"):
            for font in held:
                font.continue_()
        visit.page.wait_for_load_state("networkidle")
        assert visit.shift() == 0


@pytest.mark.parametrize(("path", "size", "light"), judged(MEMBERS))
def test_a_page_of_an_account_shuts_nobody_out(
    browser: Browser, service: Server, holder: Member, path: str, size: str, light: str
) -> None:
    look(browser, service.url, path, f"{named(path)}-member", size, light, storage_state=holder.kept(service.url))


@pytest.mark.parametrize("page", ["checkout", "portal"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_of_the_sandbox_shuts_nobody_out(
    browser: Browser, service: Server, holder: Member, page: str, language: str
) -> None:
    for view in SEEN[language]:
        look(browser, service.url, getattr(holder, page), f"{language}-sandbox-{page}", *view, locale=language)


@pytest.mark.parametrize("light", ["light", "dark"])
def test_suggestions_shut_nobody_out(browser: Browser, service: Server, light: str) -> None:
    with visiting(browser, service.url, color_scheme=light) as visit:
        visit.page.goto("/en")
        visit.page.get_by_role("combobox").first.press_sequentially("industrias", delay=20)
        visit.page.locator("[role=option]").nth(3).wait_for()
        visit.page.keyboard.press("ArrowDown")
        visit.page.screenshot(path=PICTURES / f"suggestions-{light}.png")
        assert violations(visit.page) == []


PLANTED = {
    "image-alt": "text.innerHTML += '<img src=/static/x.svg>'",
    "color-contrast": "text.querySelector('p').style.color = '#bbb'",
    "label": "text.innerHTML += '<input name=q>'",
    "heading-order": "text.innerHTML += '<h4>Out of order</h4>'",
    "target-size": "text.innerHTML += '<button>a</button> <button>b</button>';"
    "text.querySelectorAll('button').forEach(one => one.style.cssText = 'min-height: 0; padding: 0; font: 8px serif')",
}


@pytest.mark.verify
@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_violation_is_found(browser: Browser, service: Server, rule: str) -> None:
    with visiting(browser, service.url) as visit:
        visit.page.goto("/en/terms")
        assert violations(visit.page) == []
        visit.page.evaluate(f"{{ const text = document.querySelector('main .prose'); {PLANTED[rule]} }}")
        assert {violation.partition(":")[0] for violation in violations(visit.page)} == {rule}


@pytest.mark.verify
def test_a_planted_shift_and_a_planted_weight_are_seen(browser: Browser, service: Server) -> None:
    with visiting(browser, service.url, "phone") as visit:
        visit.page.route("**/en/heavy", lambda route: route.fulfill(body="x" * 70_000, content_type="text/plain"))
        visit.page.goto("/en/terms")
        visit.page.wait_for_load_state("networkidle")
        assert visit.shift() <= SHIFT_AT_MOST
        assert visit.weight() <= FIRST_VIEW_AT_MOST
        visit.page.evaluate(
            "document.querySelector('main').prepend(Object.assign(document.createElement('p'), "
            "{innerHTML: 'late<br>'.repeat(9)})); fetch('/en/heavy').then(sent => sent.text())"
        )
        visit.page.wait_for_function(f"() => ({SHIFT})() > {SHIFT_AT_MOST} && ({WEIGHT})() > {FIRST_VIEW_AT_MOST}")
