"""Keep the figures of a benchmark: benchmarks/results/NAME-DATE.json, with the date, the commit and the machine."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results"
LOAD: Final = round(os.getloadavg()[0], 2)
"""Load of the machine before the benchmark."""


def keep(name: str, figures: Mapping[str, Any]) -> str:
    """Write the figures behind date, commit and machine, and return the text of the file."""
    now = datetime.now(UTC)
    about = {"measured": now.isoformat(timespec="seconds"), "commit": commit(), "machine": machine()}
    text = json.dumps({**about, **figures}, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}-{now:%Y-%m-%d}.json").write_text(text + "\n", encoding="utf-8")
    return text


def commit() -> str:
    """The commit that was measured, and whether files were changed since."""
    changed = _git("status", "--porcelain", "--", ":!benchmarks/results")
    return _git("rev-parse", "HEAD") + (" and changes" if changed else "")


def machine() -> dict[str, Any]:
    """Processor, cores, Python, and the load before."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return {
        "cpu": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load_before": LOAD,
    }


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
