"""The embedded engine and OpenSearch on the same queries over the same release, in turn, in one run.

    python benchmarks/engines.py [--data var] [--queries 200] [--nodes 1] [--together 8]

Starts OpenSearch on this machine (`tests/support/opensearch.py`), builds the index of the current release there, and
asks distinct queries of each kind of `search.py`: one at a time, alternating between the engines in short runs, and
then several at a time. `clock` is what a caller waits for, milliseconds; `cpu` processor time of an answer in this
process and in all nodes, milliseconds. Everything shares the processors of one machine, so the rates of OpenSearch are
a floor. Results: benchmarks/results/engines-<date>.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kept import keep
from search import queries

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound
from padron.index import release_index
from padron.index.engines import engine_kind
from padron.lookup import statements
from padron.releases import snapshot

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from opensearch import Cluster, opensearch

BASE_URL = "http://127.0.0.1:8000"
RUN = 25
"""Queries of one engine before those of the other: what else runs on the machine meets both alike."""
TICK = os.sysconf("SC_CLK_TCK")


class Engine(NamedTuple):
    """A directory to ask, the processes behind it, and what was measured of it."""

    directory: Directory
    processes: list[int]
    clock: list[float]
    cpu: list[float]
    answers: list[str | None]


def processor_seconds(processes: Sequence[int]) -> float:
    """Processor time that processes and all below them have used."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) in processes:  # the process group, which each node has of its own
            total += int(fields[11]) + int(fields[12])
    return total / TICK


async def ask(directory: Directory, text: str) -> str | None:
    """Identifier of the best match."""
    try:
        answer = await directory.search(text, country=None, limit=8, language="es")
    except NotFound:
        return None
    return answer.best_match.identifier if answer.best_match else None


async def one_at_a_time(engine: Engine, texts: Sequence[str]) -> None:
    """Ask some queries; keep the time of each."""
    before = time.process_time(), processor_seconds(engine.processes)
    for text in texts:
        start = time.perf_counter()
        engine.answers.append(await ask(engine.directory, text))
        engine.clock.append(time.perf_counter() - start)
    engine.cpu[0] += time.process_time() - before[0]
    engine.cpu[1] += processor_seconds(engine.processes) - before[1]


async def together(engine: Engine, texts: Sequence[str], callers: int) -> dict[str, float]:
    """Answers per second to several callers at a time, and what each of them waits."""
    waiting, clock = list(texts), []

    async def call() -> None:
        while waiting:
            start = time.perf_counter()
            await ask(engine.directory, waiting.pop())
            clock.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*(call() for _ in range(callers)))
    return {"answers_per_second": round(len(texts) / (time.perf_counter() - start), 1)} | percentiles(clock)


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds."""
    cut = statistics.quantiles(seconds, n=100)
    return {f"p{at}": round(cut[at - 1] * 1e3, 2) for at in (50, 95, 99)}


def indexed(data: Path, folder: Path, url: str) -> dict[str, float]:
    """Build the index of the current release in OpenSearch; what that took."""
    for name in ("snapshots", "releases", "current"):
        (folder / name).symlink_to((data / name).resolve())
    served = snapshot.read_release(data, snapshot.current(data))
    target = snapshot.index_folder(folder, served.id, release_index.FORMAT)
    start, cpu = time.perf_counter(), time.process_time()
    release_index.build(snapshot.companies(data, served), target, REGISTRY, engine_kind(url))
    took = time.perf_counter() - start, time.process_time() - cpu
    statements.build((), target / "statements")
    return {"seconds": round(took[0], 1), "cpu_seconds_here": round(took[1], 1), "companies": served.coverage["total"]}


def count_requests(directory: Directory) -> dict[str, int]:
    """Count the requests that an engine makes, and the searches in them."""
    engine: Any = directory._release.release_index.engine
    counts = {"requests": 0, "searches": 0}
    search = engine._search

    async def counted(searches: Sequence[Any]) -> Any:
        counts["requests"] += bool(searches)
        counts["searches"] += len(searches)
        return await search(searches)

    engine._search = counted
    return counts


async def measure(local: Engine, remote: Engine, kinds: dict[str, list[str]], callers: int) -> dict[str, Any]:
    """Ask both engines everything."""
    texts = [text for at in range(len(kinds["name"])) for text in (kinds[kind][at] for kind in kinds)]
    half = len(texts) // 2
    for engine in (local, remote):  # to warm up
        for text in texts[half:]:
            await ask(engine.directory, text)
    counts = count_requests(remote.directory)
    for start in range(0, half, RUN):
        for engine in (local, remote):
            await one_at_a_time(engine, texts[start : min(half, start + RUN)])
    asked = {name: round(count / half, 2) for name, count in counts.items()}
    alone = {
        name: {
            "answers_per_second": round(half / sum(engine.clock), 1),
            **percentiles(engine.clock),
            "cpu_here": round(engine.cpu[0] / half * 1e3, 2),
            "cpu_nodes": round(engine.cpu[1] / half * 1e3, 2),
        }
        for name, engine in (("embedded", local), ("opensearch", remote))
    }
    several = {
        name: await together(engine, texts[:half], callers)
        for name, engine in (("embedded", local), ("opensearch", remote))
    }
    same = sum(mine == other for mine, other in zip(local.answers, remote.answers, strict=True))
    return {
        "queries": half,
        "same_best_match": same,
        "per_answer": asked,
        "one_at_a_time": alone,
        f"{callers}_at_a_time": several,
    }


def bytes_held(cluster: Cluster) -> int:
    """Bytes of the primary shards."""
    import urllib.request  # noqa: PLC0415

    with urllib.request.urlopen(f"http://{cluster.nodes[0].address}/_cat/indices?format=json&bytes=b") as answer:
        return sum(int(index["pri.store.size"]) for index in json.load(answer))


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--queries", type=int, default=200, help="of each kind")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--together", type=int, default=8)
    given = parser.parse_args()
    served = snapshot.read_release(given.data, snapshot.current(given.data))
    kinds = queries(list(snapshot.companies(given.data, served)), given.queries * 2)
    with tempfile.TemporaryDirectory() as folder, opensearch(given.nodes) as cluster:
        url = cluster.url(replicas=given.nodes - 1, timeout=30)
        build = indexed(given.data, Path(folder), url)
        held = bytes_held(cluster)
        local = run(Directory.open(given.data, REGISTRY, BASE_URL))
        remote = run(Directory.open(Path(folder), REGISTRY, BASE_URL, search_url=url))
        groups = [node.process.pid for node in cluster.nodes if node.process]
        engines = Engine(local, [], [], [0.0, 0.0], []), Engine(remote, groups, [], [0.0, 0.0], [])
        measured = run(measure(*engines, kinds, given.together))
    figures = {
        "nodes": given.nodes,
        "build": build | {"bytes_per_company": round(held / build["companies"])},
        **measured,
    }
    print(keep("engines", figures))


if __name__ == "__main__":
    main()
