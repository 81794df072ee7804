"""How fast official files become a snapshot: synthetic files in the layout of Brazil's Receita Federal, at any size.

    python benchmarks/building.py [--rows 200000]

Writes the files with `padron.ingest.corpus` (not timed), then times reading, joining, checking and writing the
snapshot, and indexing it, each in rows (establishments) a second of the clock and of processor time, with the highest
memory of the process. The chain from files to the served release is both together. Processor time is what compares runs
on a machine that others use too: two idle cores do at best twice the rows of one processor second. Results:
benchmarks/results/building-<date>-<rows>.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from padron import snapshot
from padron.countries import REGISTRY
from padron.ingest.build import build
from padron.ingest.corpus import corpus
from padron.search import local

RESULTS = Path(__file__).with_name("results")


def _now() -> tuple[float, float]:
    """Seconds of the clock, and of the processors for this process and its children."""
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system


def _speed(rows: int, began: tuple[float, float], ended: tuple[float, float]) -> dict[str, float]:
    seconds, processor = (after - before for before, after in zip(began, ended, strict=True))
    return {
        "seconds": round(seconds, 2),
        "rows_per_second": round(rows / seconds),
        "processor_seconds": round(processor, 2),
        "rows_per_processor_second": round(rows / processor),
    }


def measure(rows: int) -> dict[str, object]:
    """The figures for so many establishments."""
    brazil = {"BR": REGISTRY["BR"]}
    with tempfile.TemporaryDirectory() as folder:
        root, data = Path(folder) / "official", Path(folder) / "var"
        corpus(rows, root, 1)
        with snapshot.building(data) as work:
            began = _now()
            release = build(data, work, brazil, [root])
            built = _now()
            local.build(snapshot.companies(data, release), work / "index", brazil)
            indexed = _now()
        return {
            "rows": rows,
            "companies": release.coverage["total"],
            "snapshot": _speed(rows, began, built),
            "index": _speed(rows, built, indexed),
            "chain": _speed(rows, began, indexed),
            "highest_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="establishments")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    now = datetime.now(UTC)
    about = {
        "measured": now.isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    found = {**about, "load_before": round(load, 2), **measure(asked.rows)}
    text = json.dumps(found, indent=1)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"building-{now.date()}-{asked.rows}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
