"""Rows of the fault table (`make faults`) that no other test covers: a small crowd, judged by all but milliseconds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from process import link_release

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "benchmarks" / "faults.py"
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "support")])}
ROWS = (
    "clients: silent",
    "clients: slow header",
    "clients: slow body",
    "clients: half-open",
    "clients: flood",
    "clients: pipelined",
    "clients: forged values",
    "clients: long questions",
    "clients: folded text",
    "clients: unfinished lists",
    "clients: reset",
    "clients: counted in Redis",
    "clients: sitemaps",
    "files: damaged",
    "files: damaged while served",
    "files: damaged in place",
    "releases: swaps under load",
    "releases: hostile manifest",
    "disk: full",
    "disk: read-only",
    "processes: parent killed",
    "processes: workers killed",
    "log: dead",
    "log: reader stopped",
    "clock: jumps",
    "accounts: lost",
    "accounts: foreign",
    "databases: frozen",
    "machine: lost",
)


IN_THE_GATE = (
    "clients: flood",
    "disk: full",
    "disk: read-only",
    "clock: jumps",
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TABLE), *arguments]
    return subprocess.run(command, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_table_has_these_rows() -> None:
    assert tuple(run("--list").stdout.splitlines()) == ROWS


@pytest.mark.verify
@pytest.mark.parametrize("row", IN_THE_GATE)
def test_what_a_row_promises_is_seen(row: str, release: Path, tmp_path: Path) -> None:
    data = tmp_path / "var"
    data.mkdir()
    link_release(release, data)
    done = run("--data", str(data), "--only", row, "--patient", "--connections", "300", "--seconds", "3")
    assert done.returncode == 0, done.stdout + done.stderr
