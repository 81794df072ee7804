"""The Nu checker of the W3C finds neither error nor warning in any page or in the stylesheet."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from holder_in_browser import Member
from page_addresses import MEMBERS, PAGES, STATES
from process import Server

NU = Path(__file__).with_name("tools") / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"

pytestmark = pytest.mark.pages


def nu_errors(folder: Path) -> list[str]:
    """Errors of the files of a folder, as the Nu checker reports them."""
    command = ["java", "-Xss2m", "-jar", str(NU), "--format", "json", "--stdout", "--also-check-svg", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("{"), run.stderr
    return [
        f"{Path(error['url']).name}:{error.get('lastLine')}: {error['message']}"
        for error in json.loads(run.stdout)["messages"]
    ]


def test_every_page_is_valid(service: Server, holder: Member, tmp_path: Path) -> None:
    with (
        httpx2.Client(base_url=service.url, timeout=60) as anybody,
        httpx2.Client(base_url=service.url, timeout=60, cookies=holder.cookies) as own,
    ):
        asked = [*((anybody, path) for path in (*PAGES, *STATES))]
        asked += [(own, path) for path in (*MEMBERS, holder.checkout, holder.portal)]
        for number, (client, path) in enumerate(asked):
            name = re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")
            (tmp_path / f"{name}-{number}.html").write_bytes(client.get(path).content)
    assert nu_errors(tmp_path) == []


PLANTED = {
    "open": ("<p>one<div>two</p>", "No “p” element in scope"),
    "astray": ("<ul><p>x</p></ul>", "not allowed as child"),
    "twice": ('<b id="a"></b><b id="a"></b>', "Duplicate ID"),
}


def test_each_planted_fault_is_found(web: TestClient, tmp_path: Path) -> None:
    page = web.get("/en/terms").text
    for name, (markup, _) in PLANTED.items():
        (tmp_path / f"{name}.html").write_text(page.replace("</main>", f"{markup}</main>"), encoding="utf-8")
    errors = nu_errors(tmp_path)
    for name, (_, expected) in PLANTED.items():
        assert any(message.startswith(f"{name}.html") and expected in message for message in errors), errors
