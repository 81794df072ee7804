"""The service in a process of its own, Debian's Chromium looking at it, and a person's way through its pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bureau import PASSWORD, free_port, letters, token_in
from process import serving

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "pictures"
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@contextmanager
def served(release: Path, data: Path) -> Iterator[str]:
    """The service over `release`, its accounts and mails in `data`, without limits; gives its base address."""
    for name in ("current", "releases", "indexes", "snapshots"):
        (data / name).symlink_to(release / name)
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with serving(data, data, port=port, PADRON_BASE_URL=base):
        yield base


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's browser, without a window."""
    found = shutil.which("chromium")
    assert found, "apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def watch(page: Page) -> list[str]:
    """What goes wrong in a page from now on: errors of its scripts, and requests that leave the service."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda request: None if request.url.startswith("http://127.0.0.1:") else wrong.append(request.url)
    )
    return wrong


def snap(page: Page, name: str) -> None:
    """Keep a picture of the whole page, and see that nothing sticks out of it sideways."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.locator("html").bounding_box()["width"] <= width, f"{name} is wider than the window"  # type: ignore[index]


def enrol(page: Page, base: str, language: str, data: Path, address: str) -> None:
    """Open an account by its pages; ends on the page of the account."""
    page.goto(f"{base}/{language}/account/sign-up")
    page.fill("[name=email]", address)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_selector("[role=status].note")
    letter = letters(data, address, wait=10)[-1]
    link = re.search(r"http\S+", letter)
    assert link
    page.goto(link[0])
    if not page.input_value("[name=token]"):
        page.fill("[name=token]", token_in(letter))
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(re.compile(rf"/{language}/account(#.*)?$"))
