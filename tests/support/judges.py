"""Who judges pages: axe-core for accessibility, the Nu checker of the W3C for HTML."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "screenshots"

_TOOLS = ROOT / "tests" / "web" / "tools" / "node_modules"
_AXE = _TOOLS / "axe-core" / "axe.min.js"
_NU = _TOOLS / "vnu-jar" / "build" / "dist" / "vnu.jar"
_CHECK = "axe.run({resultTypes: ['violations'], rules: {'target-size': {enabled: true}}}).then(ran => ran.violations)"


def violations(page: Page) -> list[str]:
    """What axe says is wrong: the rule, and the elements it is about."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(_CHECK)
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def said_by_nu(folder: Path) -> list[str]:
    """What is wrong with the files of a folder."""
    command = ["java", "-Xss2m", "-jar", str(_NU), "--format", "json", "--stdout", "--also-check-svg", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("{"), run.stderr
    return [
        f"{Path(said['url']).name}:{said.get('lastLine')}: {said['message']}"
        for said in json.loads(run.stdout)["messages"]
    ]
