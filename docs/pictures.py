"""Draw pictures of the pages, English on a desktop, Spanish on a phone: `python docs/pictures.py [data folder]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

from PIL import Image

from browser import chromium, visiting
from padron.web import addresses
from padron.words import Language
from process import serving

FOLDER = Path(__file__).with_name("pictures")
PAGES = {
    "home": ("home", {}, ""),
    "search": ("search", {}, "?q=petrobras"),
    "doubt": ("search", {}, "?q=banco+del+pacifico"),
    "company": ("company", {"country": "US", "identifier": "320193"}, ""),
    "financials": ("financials", {"country": "US", "identifier": "320193"}, ""),
    "directory": ("list", {"country": "CO"}, "?status=active"),
    "coverage": ("coverage", {}, ""),
    "confidence": ("confidence", {}, ""),
    "documentation": ("docs", {}, ""),
    "api": ("api", {}, ""),
    "plans": ("plans", {}, ""),
    "sign-up": ("sign-up", {}, ""),
}
"""Picture -> the page that it shows (a key of `addresses.PAGES`, its parts, its query), as it is without an account."""
READERS: dict[str, tuple[Language, str, Literal["light", "dark"]]] = {
    "": ("en", "desktop", "light"),
    "-phone": ("es", "phone", "dark"),
}
"""Ending of a picture -> the language of the page, the size of the screen, and light or dark."""
ADDRESS = "https://padron.example"
"""The address in citations, the same each time."""
COLOURS = 48
"""Enough for pages of one hue, in a third of the bytes."""


def draw(data: Path) -> None:
    """Serve a release and keep the pictures of its pages."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as logs,
        serving(data, Path(logs), PADRON_BASE_URL=ADDRESS) as server,
        chromium() as browser,
    ):
        for ending, (language, size, scheme) in READERS.items():
            with visiting(browser, server.url, size, color_scheme=scheme) as visit:
                for name, (page, parts, query) in PAGES.items():
                    visit.page.goto(addresses.path(page, language, **parts) + query)
                    visit.page.wait_for_load_state("networkidle")
                    target = FOLDER / f"{name}{ending}.png"
                    visit.page.screenshot(path=target)
                    with Image.open(target) as picture:
                        reduced = picture.convert("RGB").quantize(COLOURS)
                    reduced.save(target, optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("var"))
