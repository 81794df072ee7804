"""A person's ways through the pages in a real browser: in both languages, on two sizes, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import SIZES, chromium, enrol, served, snap, watch


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def base(release: Path, data: Path) -> Iterator[str]:
    with served(release, data) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_three_letters_and_the_keyboard_lead_to_a_company(browser: Browser, base: str) -> None:
    page = browser.new_page(viewport=SIZES["desktop"])
    wrong = watch(page)
    page.goto(f"{base}/es")
    box = page.get_by_role("combobox", name="Nombre o identificador de la empresa")
    expect(box).to_be_focused()
    page.keyboard.type("petrobras")
    option = page.get_by_role("option", name="PETRÓLEO BRASILEIRO S.A. - PETROBRAS")
    expect(option).to_be_visible()
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == option.get_attribute("id")
    page.keyboard.press("Escape")
    expect(option).to_be_hidden()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/es/empresas/br/33000167000101")
    expect(page.get_by_role("heading", level=1)).to_have_text("PETRÓLEO BRASILEIRO S.A. - PETROBRAS")
    assert wrong == []
    page.close()


def look(page: Page, base: str, language: str, script: bool, name: str) -> None:
    """Search, open, read, go back by the languages, look at what is covered."""
    words = {"es": ("Buscar", "Mejor coincidencia", "English"), "en": ("Search", "Best match", "Español")}[language]
    page.goto(base + "/")
    page.wait_for_url(f"**/{language}")
    snap(page, f"{name}-home")
    page.fill("#q", "corporacion favorita")
    page.get_by_role("button", name=words[0], exact=True).click()
    expect(page.get_by_text(words[1])).to_be_visible()
    snap(page, f"{name}-results")
    page.get_by_role("link", name="CORPORACION FAVORITA C.A.").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("CORPORACION FAVORITA C.A.")
    snap(page, f"{name}-company")
    expect(page.get_by_role("button", name="Copiar" if language == "es" else "Copy", exact=True)).to_have_count(
        2 * script
    )
    page.get_by_role("link", name=words[2]).click()
    page.wait_for_url("**/en/companies/**" if language == "es" else "**/es/empresas/**")
    expect(page.get_by_role("heading", level=1)).to_have_text("CORPORACION FAVORITA C.A.")


@pytest.mark.verify
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["es", "en"])
def test_a_reader_finds_a_company(browser: Browser, base: str, language: str, size: str, script: bool) -> None:
    name = f"{language}-{size}-{'script' if script else 'plain'}"
    context = browser.new_context(viewport=SIZES[size], java_script_enabled=script, locale=language)
    page = context.new_page()
    wrong = watch(page)
    look(page, base, language, script, name)
    assert wrong == []
    context.close()


@pytest.mark.verify
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["es", "en"])
def test_an_account_from_sign_up_to_the_financial_history(
    browser: Browser, base: str, data: Path, language: str, size: str, script: bool
) -> None:
    name = f"{language}-{size}-{'script' if script else 'plain'}"
    context = browser.new_context(viewport=SIZES[size], java_script_enabled=script, locale=language)
    page = context.new_page()
    wrong = watch(page)
    enrol(page, base, language, data, f"{name}@example.ec")
    snap(page, f"{name}-account")
    page.goto(f"{base}/{language}/account/keys")
    page.fill("[name=name]", "uno")
    page.press("[name=name]", "Enter")
    expect(page.locator("#new-key")).to_contain_text("pdr_live_")
    snap(page, f"{name}-keys")
    page.goto(f"{base}/{language}/account/plan")
    page.locator("[value=pro] + p button").click()
    snap(page, f"{name}-plan")
    page.locator(".note a.button").click()
    snap(page, f"{name}-checkout")
    page.locator("[value=complete]").click()
    page.goto(f"{base}/{'es/empresas' if language == 'es' else 'en/companies'}/us/320193")
    page.get_by_role("link", name="historial financiero" if language == "es" else "financial history").click()
    expect(page.locator("svg.chart")).to_have_count(4)
    expect(page.locator("details[open] table")).to_be_visible()
    snap(page, f"{name}-financials")
    for place in ("usage", "security"):
        page.goto(f"{base}/{language}/account/{place}")
        snap(page, f"{name}-{place}")
    assert wrong == []
    context.close()


@pytest.mark.verify
@pytest.mark.parametrize("language", ["es", "en"])
def test_the_keyboard_alone_is_enough(browser: Browser, base: str, language: str) -> None:
    page = browser.new_page(viewport=SIZES["desktop"])
    page.goto(f"{base}/{language}/{'cobertura' if language == 'es' else 'coverage'}")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == "Ecuador"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/ec")
    page.keyboard.press("Shift+Tab")
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.getAttribute('href') || document.activeElement.tagName"))
    assert f"/{language}/{'privacidad' if language == 'es' else 'privacy'}" in seen, "the tab key gets to the last link"
    page.close()


@pytest.mark.verify
def test_light_and_dark_are_remembered(browser: Browser, base: str) -> None:
    context = browser.new_context(viewport=SIZES["phone"], color_scheme="light")
    page = context.new_page()
    page.goto(f"{base}/en")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    page.goto(f"{base}/es/planes")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    expect(page.get_by_role("button", name="Oscuro")).to_have_attribute("aria-pressed", "true")
    context.close()


@pytest.mark.verify
@pytest.mark.parametrize("size", SIZES)
def test_the_console_asks_the_service(browser: Browser, base: str, size: str) -> None:
    page = browser.new_page(viewport=SIZES[size])
    wrong = watch(page)
    page.goto(f"{base}/en/api")
    page.get_by_label("Operation").select_option(label="GET /api/public/empresas/{country}/{identifier}")
    page.get_by_label("country (required)").fill("US")
    page.get_by_label("identifier (required)").fill("320193")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("[data-console] [role=status]")).to_contain_text("200")
    expect(page.get_by_role("region", name="Answer")).to_contain_text('"legalName": "Apple Inc."')
    expect(page.get_by_role("region", name="As a command")).to_contain_text("/api/public/empresas/US/320193")
    snap(page, f"en-{size}-console")
    page.get_by_label("Operation").select_option(label="GET /api/v1/search")
    page.get_by_label("API key (kept on this page only)").fill("pdr_live_nothing")
    expect(page.get_by_role("region", name="As a command")).not_to_contain_text("pdr_live_nothing")
    assert wrong == []
    page.close()
