"""An account in a browser, from signing up to the financial history: before axe and the Nu checker, and in pictures.

Both languages, desktop (light) and phone (dark), with and without JavaScript.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import Visit, visiting
from bureau import PASSWORD, letters
from judges import PICTURES, said_by_nu, violations
from padron.model import Language
from padron.web import addresses
from process import Server

pytestmark = pytest.mark.verify


class Way:
    """Somebody's way through the pages of an account; what is seen is judged and kept as a picture."""

    def __init__(self, visit: Visit, name: str, scripts: bool, folder: Path) -> None:
        self.page = visit.page
        self._visit = visit
        self._name = name
        self._scripts = scripts
        self._folder = folder

    def see(self, what: str) -> None:
        """The page as it stands harms nobody; its HTML is kept for the Nu checker."""
        self.page.screenshot(path=PICTURES / f"account-{what}-{self._name}.png", full_page=True)
        assert self._visit.overflow() <= 0, what
        if self._scripts:
            assert violations(self.page) == [], what
        else:  # what a script changed is no longer what was sent
            (self._folder / f"{what}-{self._name}.html").write_text(self.page.content(), encoding="utf-8")


def enrol(way: Way, language: Language, data: Path, address: str) -> None:
    """Open an account by the form, and prove the address by the mailed link."""
    page = way.page
    page.goto(addresses.path("sign-up", language))
    way.see("sign-up")
    page.fill("[name=email]", address)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("main [role=status]")).to_be_visible()
    link = re.search(r"http\S+#token=(\S+)", letters(data, address, wait=20)[-1])
    assert link
    page.goto(link[0])
    if not page.input_value("[name=token]"):
        page.fill("[name=token]", link[1])
    way.see("verify")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text(address)).to_be_visible()


def buy(page: Page, language: Language) -> None:
    """Choose Pro and go to where it is paid."""
    page.goto(addresses.path("plan", language))
    page.locator("[value=pro] + p button").click()
    page.locator("main [role=status] a").click()
    expect(page).to_have_url(re.compile("/sandbox/checkout/"))


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
@pytest.mark.parametrize(("language", "size"), list(product(("es", "en"), ("desktop", "phone"))))
def test_from_signing_up_to_the_financial_history(
    browser: Browser, service: Server, tmp_path: Path, language: Language, size: str, scripts: bool
) -> None:
    name = f"{language}-{size}-{'scripts' if scripts else 'plain'}"
    light = {"desktop": "light", "phone": "dark"}[size]
    with visiting(browser, service.url, size, java_script_enabled=scripts, color_scheme=light) as visit:
        way, page = Way(visit, name, scripts, tmp_path), visit.page
        page.goto(addresses.path("keys", language))
        expect(page).to_have_url(re.compile("/account/log-in$"))
        way.see("log-in")
        enrol(way, language, service.log.parent, f"{name}@example.ec")
        way.see("account")
        page.goto(addresses.path("keys", language))
        page.fill("[name=name]", "uno")
        page.keyboard.press("Enter")
        expect(page.locator("#new-key")).to_contain_text("pdr_live_")
        way.see("keys")
        page.goto(addresses.path("financials", language, country="US", identifier="320193"))
        way.see("financials-closed")
        buy(page, language)
        way.see("checkout")
        page.locator("[value=complete]").click()
        page.goto(addresses.path("plan", language))
        page.locator("[value=manage] + p button").click()
        page.locator("main [role=status] a").click()
        way.see("subscription")
        page.goto(addresses.path("company", language, country="US", identifier="320193"))
        page.locator("#financials + p a").click()
        expect(page.locator("svg.chart")).to_have_count(4)
        expect(page.locator("details[open] table")).to_be_visible()
        way.see("financials")
        for place in ("plan", "usage", "security", "forgotten", "reset"):
            page.goto(addresses.path(place, language))
            way.see(place)
        page.goto(addresses.path("account", language))
        page.locator("[value=log-out] + button").click()
        expect(page).to_have_url(re.compile(f"/{language}$"))
        assert visit.faults == []
    assert said_by_nu(tmp_path) == [] if not scripts else not list(tmp_path.iterdir())
