"""Compare the processor time of searches of two checkouts, interleaved: what else runs on the machine meets both alike.

    python benchmarks/compare.py OTHER [--data var] [--other-data OTHER/var] [--rounds 7] [--queries 400]

Each round starts one process per checkout, in turn, that asks the same distinct queries of each kind twice (the first
time to warm up) over a release of the same official files. Microseconds of processor time per search: of each process
the mean of a kind, of these the median over the rounds. Results: benchmarks/results/compare-<date>.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from kept import keep
from search import queries

from padron.releases import snapshot

ROOT = Path(__file__).parents[1]

WORKER = """\
import asyncio, importlib, inspect, json, sys, time
from pathlib import Path
from padron.countries import REGISTRY
from padron.errors import NotFound
try:
    from padron.directory import Directory
except ImportError:  # where it stood before
    from padron.search.directory import Directory

async def result(value):
    return await value if inspect.isawaitable(value) else value

async def main():
    directory = await result(Directory.open(Path(sys.argv[1]), REGISTRY, "http://127.0.0.1:8000"))
    kinds = json.load(sys.stdin)
    asynchronous = inspect.iscoroutinefunction(directory.search)
    times = {}
    for _ in range(2):
        for kind, texts in kinds.items():
            start = time.thread_time()
            for text in texts:
                try:
                    answer = directory.search(text, country=None, limit=8, language="es")
                    if asynchronous:
                        await answer
                except NotFound:
                    pass
            times[kind] = (time.thread_time() - start) / len(texts) * 1e6
    print(json.dumps(times))

asyncio.run(main())
"""


def measure(checkout: Path, data: Path, asked: str) -> dict[str, float]:
    """Microseconds per search of each kind, in a process of a checkout."""
    command = [str(checkout / ".venv/bin/python"), "-c", WORKER, str(data)]
    run = subprocess.run(command, cwd=checkout, input=asked, capture_output=True, text=True, check=True)
    times: dict[str, float] = json.loads(run.stdout)
    return times | {"mixed": statistics.mean(times.values())}


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Median of each kind over the rounds."""
    return {kind: round(statistics.median(times[kind] for times in rounds), 1) for kind in rounds[0]}


def main() -> None:
    """Measure in turn, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="checkout to compare with, with its .venv")
    parser.add_argument("--data", type=Path, default=Path("var"), help="release of this checkout")
    parser.add_argument("--other-data", type=Path, help="release of the other one, by default its var")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--queries", type=int, default=400, help="queries of each kind")
    options = parser.parse_args()
    release = snapshot.read_release(options.data, snapshot.current(options.data))
    asked = json.dumps(queries(list(snapshot.companies(options.data, release)), options.queries))
    sides = {"other": (options.other, options.other_data or options.other / "var"), "this": (ROOT, options.data)}
    rounds: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, (checkout, data) in sides.items():
            rounds[side].append(measure(checkout.resolve(), data.resolve(), asked))
            sys.stderr.write(".")
    other, this = medians(rounds["other"]), medians(rounds["this"])
    report: dict[str, Any] = {
        "command": f"python benchmarks/compare.py OTHER --rounds {options.rounds} --queries {options.queries}",
        "unit": "µs of processor time per search, median over the rounds",
        "other": other,
        "this": this,
        "ratio": {kind: round(this[kind] / other[kind], 3) for kind in this},
        "ratio_of_rounds": {
            kind: round(statistics.median(b[kind] / a[kind] for a, b in zip(*rounds.values(), strict=True)), 3)
            for kind in this
        },
    }
    print(keep("compare", report))


if __name__ == "__main__":
    main()
