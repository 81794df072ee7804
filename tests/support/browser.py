"""Debian's Chromium as a reader has it: what a page loads from elsewhere, throws, logs or asks is written down."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

PATIENCE: Final = 60_000
"""Milliseconds after which what does not happen has failed: other tests may share the machine."""
SIZES: Final = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 780}}

IN_THE_GATE: Final = {("es", "phone", True), ("en", "desktop", False)}
"""Readers of journeys in `make verify`: language, size, scripts; `make pages` has them all."""
AXE: Final = Path(__file__).parents[1] / "web/tools/node_modules/axe-core/axe.min.js"
CHECK: Final = (
    "axe.run({resultTypes: ['violations'], rules: {'target-size': {enabled: true}}}).then(ran => ran.violations)"
)

ROWS = """() => [...document.querySelectorAll('dl.facts > dt')].flatMap(label => {
  const values = [];
  for (let next = label.nextElementSibling; next?.tagName === 'DD'; next = next.nextElementSibling) values.push(next);
  const box = label.getBoundingClientRect(), wide = innerWidth > 576;
  let above = wide ? box.top : box.bottom;
  return values.filter(value => {
    const own = value.getBoundingClientRect();
    const follows = Math.abs(own.top - above) < 2, beside = wide ? own.left >= box.right - 1 : own.left === box.left;
    above = own.bottom;
    return !(follows && beside);
  }).map(value => `${label.innerText}: ${value.innerText}`);
})"""
"""Values of a list of facts that do not stand in the row of their label: beside it, or below it on a phone."""

SHIFT = """() => {
  const seen = new PerformanceObserver(() => {});
  seen.observe({type: 'layout-shift', buffered: true});
  return seen.takeRecords().reduce((sum, shift) => sum + shift.value, 0);
}"""
"""The layout shift of a page since it was opened, as browsers count it (0 is none)."""

WEIGHT = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, file) => sum + file.transferSize, 0)"""
"""Bytes a page and its files came over the network with, headers and all."""


def suites(*, gate: bool) -> list[pytest.MarkDecorator]:
    """The suites of a test in the browser: `make pages`, and `make verify` for those of the gate."""
    return [pytest.mark.pages, *([pytest.mark.verify] if gate else [])]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, without a window, until the block ends."""
    binary = shutil.which("chromium")
    assert binary, "apt-get install chromium"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=binary)
        yield browser
        browser.close()


class Visit(NamedTuple):
    """A page in a browser, and what went wrong on it."""

    page: Page
    faults: list[str]

    def tab_to(self, target: Locator, most: int = 60) -> None:
        """Reach an element with the tabulator alone, and see where one is."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if target.evaluate("element => element === document.activeElement"):
                outline = target.evaluate("element => getComputedStyle(element).outlineStyle")
                assert outline != "none", f"nothing shows that {target} has the focus"
                return
        raise AssertionError(f"{target} cannot be reached in {most} steps of the keyboard")

    def shift(self) -> float:
        """Layout shift since the page was opened."""
        return self.page.evaluate(SHIFT)

    def weight(self) -> int:
        """Bytes that came over the network for the page and its files."""
        return self.page.evaluate(WEIGHT)

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        return self.page.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")


@contextmanager
def visiting(browser: Browser, url: str, size: str = "desktop", **options: Any) -> Iterator[Visit]:
    """A reader who has never been there, whose `options` are those of a browser context, until the block ends."""
    phone = {"is_mobile": True, "has_touch": True} if size == "phone" else {}
    with browser.new_context(base_url=url, viewport=SIZES[size], **phone, **options) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        visit = Visit(page, [])
        host = urlsplit(url).netloc
        page.on("request", lambda asked: asked.url.startswith(url) or visit.faults.append(asked.url))
        page.on("pageerror", lambda error: visit.faults.append(str(error)))
        page.on("console", lambda message: _is_fault(message, host) and visit.faults.append(message.text))
        page.on("dialog", lambda dialog: (visit.faults.append(dialog.message), dialog.dismiss()))
        yield visit


def _is_fault(message: Any, host: str) -> bool:
    """True for a console message about a fault; an address that answers 404 is none."""
    missing = message.text.startswith("Failed to load resource") and host in message.location["url"]
    return message.type in {"error", "warning"} and not missing


def violations(page: Page) -> list[str]:
    """Violations that axe reports: the rule and the elements."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    rules: list[dict[str, Any]] = page.evaluate(CHECK)
    return [f"{rule['id']}: {node['html'][:160]}" for rule in rules for node in rule["nodes"]]
