"""Speed of a build, from official files to an index, at any size.

The files are synthetic, in the layout of Brazil's Receita Federal.

    python benchmarks/building.py [--rows 200000] [--files FOLDER] [--only snapshot]

Writes the files with `padron.ingest.corpus` (not timed; into FOLDER to keep them, and those there are used again), then
times reading, joining, checking and writing the snapshot, and indexing it, each in rows (establishments) per second by
the clock and by processor time, with the peak memory of the process so far. The whole chain, from files to a release
that can be served, is both steps together. Processor time compares runs on a shared machine: two idle cores do at best
twice the rows of one processor second. Results: benchmarks/results/building-<rows>[-snapshot]-<date>.json.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from kept import keep

from padron.countries import REGISTRY
from padron.index import release_index
from padron.ingest.build import build
from padron.ingest.corpus import corpus
from padron.releases import snapshot


def _now() -> tuple[float, float]:
    """Seconds of the clock, and of the processors for this process and its children."""
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system


def _speed(rows: int, began: tuple[float, float]) -> dict[str, float]:
    seconds, processor = (after - before for before, after in zip(began, _now(), strict=True))
    return {
        "seconds": round(seconds, 2),
        "rows_per_second": round(rows / seconds),
        "processor_seconds": round(processor, 2),
        "rows_per_processor_second": round(rows / processor),
        "highest_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def measure(rows: int, files: Path, data: Path, *, index: bool) -> dict[str, object]:
    """Measure a build of so many establishments; their official files are in `files`, or are written there first."""
    brazil = {"BR": REGISTRY["BR"]}
    if not files.exists():
        corpus(rows, files, 1)
    with snapshot.building(data) as work:
        began = _now()
        release = build(data, work, brazil, [files])
        figures: dict[str, object] = {"snapshot": _speed(rows, began)}
        if index:
            built = _now()
            release_index.build(snapshot.companies(data, release), work / "index", brazil)
            figures |= {"index": _speed(rows, built), "chain": _speed(rows, began)}
    return {"rows": rows, "companies": release.coverage["total"], **figures}


def main() -> None:
    """Measure, print, keep the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="establishments")
    parser.add_argument("--files", type=Path, help="folder for the official files, used again where it is there")
    parser.add_argument("--only", choices=["snapshot"], help="stop before the index")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = asked.files or Path(folder) / "official"
        figures = measure(asked.rows, files, Path(folder) / "var", index=asked.only is None)
    print(keep("-".join(["building", str(asked.rows), *([asked.only] if asked.only else [])]), figures))


if __name__ == "__main__":
    main()
