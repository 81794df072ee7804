"""The whole way of an account holder in a browser: both languages, desktop and phone, with and without JavaScript."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pyotp
import pytest
from playwright.sync_api import Browser, Page, expect

from account_service import PASSWORD, letters, token_in
from browser import IN_THE_GATE, SIZES, suites, violations, visiting
from fake_stripe import FakeStripe
from padron.accounts import admin
from padron.accounts.store import Store
from padron.web import addresses
from padron.words import LANGUAGES, Language, Text
from process import Server, link_release, serving


def enrol(page: Page, of: Language, service: Server, address: str, scripts: bool) -> None:
    """Open an account by its pages; ends on the page of the account."""
    page.goto(addresses.path("sign-up", of))
    page.locator("[name=email]").fill(address)
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator(".note[role=status]").wait_for()
    letter = letters(service.log.parent, address)[-1]
    link = re.search(r"http\S+", letter)
    assert link
    page.goto(link[0])
    if scripts:
        expect(page.locator("[name=token]")).to_be_hidden()
        assert "token" not in page.url, "the code stays nowhere"
    else:
        page.locator("[name=token]").fill(token_in(letter))
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"{addresses.path('account', of)}(#.*)?$"))


@pytest.mark.parametrize(
    ("of", "size", "scripts"),
    [
        pytest.param(*reader, marks=suites(gate=reader in IN_THE_GATE))
        for reader in product(LANGUAGES, SIZES, (True, False))
    ],
)
def test_from_signing_up_to_the_financial_history_and_out(
    browser: Browser, service: Server, of: Language, size: str, scripts: bool
) -> None:
    with visiting(browser, service.url, size, java_script_enabled=scripts, locale=of) as visit:
        page = visit.page
        enrol(page, of, service, f"{of}-{size}-{scripts}@example.ec".lower(), scripts)

        page.goto(addresses.path("keys", of))
        page.locator("[name=name]").fill("uno")
        page.keyboard.press("Enter")
        expect(page.locator("#new-key")).to_contain_text("pdr_live_")

        page.goto(addresses.path("plan", of))
        page.get_by_role("button", name=Text("Elegir Pro", "Choose Pro").of(of)).click()
        page.locator("[value=complete]").click()

        page.goto(addresses.path("company", of, country="US", identifier="320193"))
        page.get_by_role("link", name=Text("historial financiero", "financial history").of(of)).click()
        expect(page.locator("svg.chart")).to_have_count(4)
        expect(page.get_by_role("table").first).to_be_visible()

        page.goto(addresses.path("account", of))
        page.locator("[value=log-out] + button").click()
        page.goto(addresses.path("keys", of))
        expect(page).to_have_url(re.compile(rf"{addresses.path('log-in', of)}\?next="))
        assert visit.faults == []


@pytest.fixture
def provider() -> Iterator[FakeStripe]:
    fake = FakeStripe()
    yield fake
    fake.close()


def test_choosing_a_plan_leads_on_to_the_site_of_the_provider(
    browser: Browser, release: Path, provider: FakeStripe, tmp_path: Path
) -> None:
    """Back again is the plan, not the page that leads on."""
    link_release(release, tmp_path)
    with serving(tmp_path, tmp_path, **provider.settings(tmp_path)) as shop, visiting(browser, shop.url) as visit:
        page = visit.page
        enrol(page, "en", shop, "elsewhere@example.ec", True)
        page.goto(addresses.path("plan", "en"))
        page.get_by_role("button", name="Choose Pro").click()
        page.wait_for_url(f"{provider.url}/c/*")
        page.go_back()
        expect(page.get_by_role("button", name="Choose Pro")).to_be_visible()


@pytest.mark.parametrize(
    ("of", "size"),
    [pytest.param("es", "desktop", marks=suites(gate=True)), pytest.param("en", "phone", marks=suites(gate=False))],
)
def test_a_second_factor_is_enrolled_and_opens_the_account_and_the_page_of_operators(
    browser: Browser, service: Server, of: Language, size: str
) -> None:
    address = f"totp-{of}@example.ec"
    with visiting(browser, service.url, size, locale=of) as visit:
        page = visit.page
        enrol(page, of, service, address, True)
        page.goto(addresses.path("security", of))
        page.locator("#f-enrol-password").fill(PASSWORD)
        page.keyboard.press("Enter")
        app = pyotp.TOTP(page.locator(".note code").inner_text())
        page.locator("#f-code").fill(app.now())
        page.keyboard.press("Enter")
        expect(page.locator(".note li code")).to_have_count(10)
        recovery = page.locator(".note li code").first.inner_text()

        for code in (app.at(time.time() + 30), recovery):  # the one of this half minute is used
            page.goto(addresses.path("account", of))
            page.locator("[value=log-out] + button").click()
            page.goto(addresses.path("log-in", of))
            page.locator("[name=email]").fill(address)
            page.locator("[name=password]").fill(PASSWORD)
            page.locator("[name=code]").fill(code)
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile(rf"{addresses.path('account', of)}$"))

        store = Store(f"sqlite:///{service.log.parent / 'accounts.sqlite'}")
        admin.grant_operator(store, address)
        store.close()
        page.goto(addresses.path("operator", of))
        page.locator("#f-account").fill(address)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=address)).to_be_visible()
        expect(page.locator("[value=suspend]")).to_be_visible()
        assert visit.overflow() <= 0
        assert violations(page) == []
        assert visit.faults == []
