"""Draw the pictures of the README: `python docs/pictures.py [data folder]`, in English, on a desktop, in light."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from browser import chromium, visiting
from process import serving

FOLDER = Path(__file__).with_name("pictures")
PAGES = {
    "search": "/en/search?q=petrobras",
    "company": "/en/companies/us/320193",
    "financials": "/en/companies/us/320193/financials",
}
"""Picture -> the page that it shows, as it is without an account: no amount is in it."""
ADDRESS = "https://padron.example"
"""The address in citations, the same each time."""
COLOURS = 64
"""Enough for pages of one hue, in a third of the bytes."""


def draw(data: Path) -> None:
    """Serve a release and keep the pictures of its pages."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as logs,
        serving(data, Path(logs), PADRON_BASE_URL=ADDRESS) as server,
        chromium() as browser,
    ):
        for name, path in PAGES.items():
            with visiting(browser, server.url, color_scheme="light") as visit:
                visit.page.goto(path)
                visit.page.wait_for_load_state("networkidle")
                target = FOLDER / f"{name}.png"
                visit.page.screenshot(path=target)
                with Image.open(target) as picture:
                    reduced = picture.convert("RGB").quantize(COLOURS)
                reduced.save(target, optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("var"))
