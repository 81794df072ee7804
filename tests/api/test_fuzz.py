"""Schemathesis over the served description: all checks, on the real service over the release of all bundled files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from padron.api.operations import public_document
from process import serving

HOOKS = Path(__file__).with_name("fuzz_hooks.py")


def fuzz(description: str, url: str, folder: Path, cases: int) -> tuple[dict[str, Any], str]:
    """Schemathesis's report, and what it printed; `cases` is about how many an operation gets."""
    report = folder / "report.json"
    command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run", description]
    checks = ["--url", url, "--checks", "all", "--continue-on-failure", "--max-examples", str(cases), "--no-color"]
    run = subprocess.run(
        [*command, *checks, "--report", "json", "--report-json-path", str(report)],
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": HOOKS.stem, "PYTHONPATH": str(HOOKS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), run.stdout + run.stderr
    return json.loads(report.read_bytes()), run.stdout


@pytest.mark.parametrize(("cases", "least"), [(30, 100), pytest.param(800, 2000, marks=pytest.mark.endurance)])
def test_no_generated_request_finds_a_fault(release: Path, tmp_path: Path, cases: int, least: int) -> None:
    with serving(release, tmp_path) as server:
        report, output = fuzz(f"{server.url}/api/public/openapi.json", server.url, tmp_path, cases)
        statuses = {json.loads(line).get("status") for line in server.log.read_bytes().splitlines()}
    assert report["failures"] == [], output
    assert report["errors"] == [], output
    assert report["operations"]["tested"] == 3
    assert report["test_cases"]["generated"] >= least
    assert {200, 400, 404, 405} <= statuses
    assert 500 not in statuses


@pytest.mark.verify
def test_a_description_that_lies_is_caught(release: Path, tmp_path: Path) -> None:
    with serving(release, tmp_path) as server:
        lie = json.loads(public_document(server.url, "es"))
        lie["components"]["schemas"]["CompanyTeaser"]["required"].append("street")
        del lie["paths"]["/api/public/empresas/search"]["get"]["responses"]["400"]
        (tmp_path / "lie.json").write_text(json.dumps(lie), encoding="utf-8")
        report, _ = fuzz("lie.json", server.url, tmp_path, 20)
    assert {failure["type"] for failure in report["failures"]} == {"JsonSchemaError", "UndefinedStatusCode"}
