"""Every page before its judges: axe-core for accessibility, light and dark, and the Nu checker for HTML."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from browsing import SIZES, chromium, enrol, served
from padron.model import LANGUAGES
from padron.web import addresses

TOOLS = Path(__file__).with_name("tools") / "node_modules"
OPEN = [
    *(addresses.path(page, language) for language in LANGUAGES for page in addresses.FIXED),
    *(addresses.path("country", language, country="ec") for language in LANGUAGES),
    *(
        addresses.path(page, language)
        for language in LANGUAGES
        for page in ("sign-up", "log-in", "forgotten", "verify", "reset")
    ),
    "/es/buscar?q=petrobras",
    "/es/buscar?q=transportes+norte",
    "/en/search?q=xyzzyxqq",
    "/en/search",
    "/es/empresas/br/33000167000101",
    "/en/companies/us/320193",
    "/es/empresas/ec/1790016919002",
    "/en/companies/us/320193/financials",
    "/es/nada",
]
CLOSED = [
    addresses.path(page, language)
    for language in LANGUAGES
    for page in ("account", "keys", "usage", "plan", "security")
]
CLOSED += ["/en/companies/us/320193/financials", "/es/empresas/us/320193/finanzas"]

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judges")


@pytest.fixture(scope="module")
def base(release: Path, data: Path) -> Iterator[str]:
    with served(release, data) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def holder(browser: Browser, base: str, data: Path) -> Iterator[BrowserContext]:
    """An account holder on Pro with a key, with the address of a checkout that is still open."""
    context = browser.new_context(viewport=SIZES["desktop"], bypass_csp=True)
    page = context.new_page()
    enrol(page, base, "en", data, "judge@example.ec")
    page.goto(f"{base}/en/account/keys")
    page.fill("[name=name]", "uno")
    page.press("[name=name]", "Enter")
    page.goto(f"{base}/en/account/plan")
    page.locator("[value=pro] + p button").click()
    page.locator(".note a.button").click()
    page.locator("[value=complete]").click()
    page.close()
    yield context
    context.close()


def violations(context: BrowserContext, url: str, scheme: str) -> list[str]:
    """What axe finds wrong with a page, its rule and where."""
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(url, wait_until="load")
    if url.endswith("/api"):
        page.wait_for_selector("[data-console] form")
    page.evaluate((TOOLS / "axe-core" / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    page.close()
    return [f"{one['id']}: {node['target']}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_open_pages(browser: Browser, base: str, scheme: str) -> None:
    context = browser.new_context(viewport=SIZES["desktop"], bypass_csp=True)
    found = {path: violations(context, base + path, scheme) for path in OPEN}
    context.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_pages_of_accounts(holder: BrowserContext, base: str, scheme: str) -> None:
    found = {path: violations(holder, base + path, scheme) for path in CLOSED}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_axe_finds_nothing_on_a_phone(browser: Browser, base: str) -> None:
    context = browser.new_context(viewport=SIZES["phone"], bypass_csp=True)
    found = {
        path: violations(context, base + path, "light")
        for path in OPEN
        if path.startswith("/es") and "/account" not in path
    }
    context.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_axe_sees_a_planted_fault(browser: Browser) -> None:
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.set_content('<html lang="en"><title>x</title><main><h1>x</h1><img src="x.png"></main></html>')
    page.evaluate((TOOLS / "axe-core" / "axe.min.js").read_text("utf-8"))
    assert "image-alt" in {one["id"] for one in page.evaluate("axe.run()")["violations"]}
    context.close()


def checked(folder: Path) -> list[str]:
    """What the Nu checker says of the pages in a folder."""
    command = [
        "java",
        "-jar",
        str(TOOLS / "vnu-jar/build/dist/vnu.jar"),
        "--format",
        "json",
        "--skip-non-html",
        str(folder),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return [
        f"{Path(message['url']).name}: {message['message']} {message.get('extract', '')!r}"
        for message in json.loads(run.stderr)["messages"]
        if message["type"] != "info" or message.get("subType") == "warning"
    ]


def test_the_nu_checker_finds_nothing(holder: BrowserContext, base: str, tmp_path: Path) -> None:
    for number, path in enumerate([*OPEN, *CLOSED]):
        html = holder.request.get(base + path).text()
        (tmp_path / f"{number:03}{path.partition('?')[0].replace('/', '-')}.html").write_text(html, encoding="utf-8")
    assert checked(tmp_path) == []


def test_the_nu_checker_sees_a_planted_fault(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<!doctype html><html lang=en><title>x</title><p><div></div></p></html>")
    assert checked(tmp_path)
