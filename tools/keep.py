"""Keep the result of a suite of tests that has passed: benchmarks/results/tests-SUITE-DATE.json.

    python -m tools.keep SUITE build/SUITE.xml

The file is pytest's own report (`--junitxml`); of it are kept the count, the seconds, and what took longest, beside
the commit and the machine. The Makefile comes here only after a suite without failures.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from benchmarks.kept import keep

LONGEST: Final = 10
"""Tests whose seconds are kept."""


def result(report: Path) -> dict[str, Any]:
    """Return what is kept of a report: counts, seconds, and the seconds of the longest tests."""
    (run,) = ET.parse(report).getroot().iter("testsuite")
    seconds = {
        f"{test.attrib['classname']}::{test.attrib['name']}": round(float(test.attrib["time"]), 1)
        for test in run.iter("testcase")
    }
    return {
        "tests": int(run.attrib["tests"]),
        "seconds": round(float(run.attrib["time"])),
        "longest": dict(sorted(seconds.items(), key=lambda item: -item[1])[:LONGEST]),
    }


def main() -> None:
    """Write the result."""
    suite, report = sys.argv[1], Path(sys.argv[2])
    print(keep(f"tests-{suite}", result(report)))


if __name__ == "__main__":
    main()
