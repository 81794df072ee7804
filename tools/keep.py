"""Keep the result of a suite of tests that has passed: benchmarks/results/tests-SUITE-DATE.json.

    python -m tools.keep SUITE build/SUITE.xml

The file is pytest's own report (`--junitxml`); of it are kept the count, the seconds, and what took longest, beside
the commit and the machine. The Makefile comes here only after a suite without failures.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results"
LONGEST: Final = 10
"""Tests whose seconds are kept."""


def result(suite: str, report: Path) -> dict[str, Any]:
    """Return what is kept of a report: date, commit, machine, counts, seconds, and the seconds of the longest tests."""
    (run,) = ET.parse(report).getroot().iter("testsuite")
    seconds = {
        f"{test.attrib['classname']}::{test.attrib['name']}": round(float(test.attrib["time"]), 1)
        for test in run.iter("testcase")
    }
    return {
        "suite": suite,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": _git("rev-parse", "HEAD")
        + (" and changes" if _git("status", "--porcelain", "--", ":!benchmarks/results") else ""),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "tests": int(run.attrib["tests"]),
        "seconds": round(float(run.attrib["time"])),
        "longest": dict(sorted(seconds.items(), key=lambda item: -item[1])[:LONGEST]),
    }


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Write the result."""
    suite, report = sys.argv[1], Path(sys.argv[2])
    kept = result(suite, report)
    path = RESULTS / f"tests-{suite}-{kept['date']}.json"
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"kept: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
