"""The Nu checker of the W3C finds neither error nor warning in any page or in the stylesheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from judges import said_by_nu
from kinds import PAGES, STATES

pytestmark = pytest.mark.verify


def test_every_page_is_valid(web: TestClient, tmp_path: Path) -> None:
    for path in (*PAGES, *STATES):
        name = re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")
        (tmp_path / f"{name}.html").write_bytes(web.get(path).content)
    assert said_by_nu(tmp_path) == []


PLANTED = {
    "open": ("<p>one<div>two</p>", "No “p” element in scope"),
    "astray": ("<ul><p>x</p></ul>", "not allowed as child"),
    "twice": ('<b id="a"></b><b id="a"></b>', "Duplicate ID"),
}


def test_each_planted_fault_is_found(web: TestClient, tmp_path: Path) -> None:
    page = web.get("/en/terms").text
    for name, (markup, _) in PLANTED.items():
        (tmp_path / f"{name}.html").write_text(page.replace("</main>", f"{markup}</main>"), encoding="utf-8")
    found = said_by_nu(tmp_path)
    for name, (_, said) in PLANTED.items():
        assert any(message.startswith(f"{name}.html") and said in message for message in found), found
