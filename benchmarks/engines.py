"""The embedded engine and OpenSearch on the same queries over the same release, in turn, in one run.

    python benchmarks/engines.py [--data var] [--companies 1000000] [--queries 200] [--nodes 1] [--together 8]

Starts OpenSearch on this machine (`tests/support/opensearch.py`), builds the index of the current release there (with
--companies, synthetic ones as `search.py` makes them, in both engines), and asks distinct queries of each kind of
`search.py` and the typed ones of `evaluation`: one at a time, alternating between the engines in short runs, and then
several at a time. `clock` is what a caller waits for, milliseconds; `cpu` processor time of an answer in this process
and in all nodes, milliseconds. Everything shares the processors of one machine, so the rates of OpenSearch are a floor.
Results: benchmarks/results/engines-<companies>-<date>.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.queries import read_queries
from kept import keep
from search import drawn, folder_size, invented, publish, queries

from padron.companies.company import Company
from padron.companies.model import CountryCode
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
MOST_SEEDS = 200_000
TYPED = Path(__file__).parents[1] / "evaluation" / "typed" / "queries" / "dev.jsonl"
TICK = os.sysconf("SC_CLK_TCK")


class Engine(NamedTuple):
    """A directory to ask, the processes behind it, what was measured of it, and what is called after each answer."""

    directory: Directory
    processes: list[int]
    clock: list[float]
    cpu: list[float]
    answers: list[tuple[str | None, float]]
    after: list[Callable[[], None]]


Asked = tuple[str, CountryCode | None]


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


async def ask(directory: Directory, asked: Asked) -> tuple[str | None, float]:
    """Identifier of the best match, and the confidence of the first result."""
    text, country = asked
    try:
        answer = await directory.search(text, country=country, limit=8, language="es")
    except NotFound:
        return None, 0.0
    best = answer.best_match.identifier if answer.best_match else None
    return best, (answer.results[0].confidence or 0.0) if answer.results else 0.0


async def one_at_a_time(engine: Engine, texts: Sequence[Asked]) -> None:
    """Ask some queries; keep the time of each."""
    before = time.process_time(), processor_seconds(engine.processes)
    for text in texts:
        start = time.perf_counter()
        engine.answers.append(await ask(engine.directory, text))
        engine.clock.append(time.perf_counter() - start)
        for count in engine.after:
            count()
    engine.cpu[0] += time.process_time() - before[0]
    engine.cpu[1] += processor_seconds(engine.processes) - before[1]


async def together(engine: Engine, texts: Sequence[Asked], callers: int) -> dict[str, float]:
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
    return {"seconds": round(took[0], 1), "cpu_seconds": round(took[1], 1)}


class Requests(list[int]):
    """The look-ups of each request to OpenSearch since the last `search`, and the requests of each search."""

    def __init__(self, directory: Directory) -> None:
        super().__init__()
        self.by_search: list[int] = []
        self.look_ups = 0
        engine: Any = directory._release.release_index.engine
        request = engine._ask_together

        async def counted(searches: Sequence[bytes]) -> Any:
            self.append(len(searches))
            return await request(searches)

        engine._ask_together = counted

    def count_search(self) -> None:
        """End a search."""
        self.by_search.append(len(self))
        self.look_ups += sum(self)
        self.clear()

    def figures(self) -> dict[str, float]:
        """Requests and look-ups of a search."""
        count = len(self.by_search)
        return {
            "requests": round(sum(self.by_search) / count, 2),
            "most_requests": max(self.by_search),
            "share_with_two_at_most": round(sum(number <= 2 for number in self.by_search) / count, 4),
            "look_ups": round(self.look_ups / count, 2),
        }


async def measure(local: Engine, remote: Engine, asked: Sequence[Asked], callers: int) -> dict[str, Any]:
    """Ask both engines everything."""
    half = len(asked) // 2
    for engine in (local, remote):  # to warm up
        for each in asked[half:]:
            await ask(engine.directory, each)
    requests = Requests(remote.directory)
    remote.after.append(requests.count_search)
    for start in range(0, half, RUN):
        for engine in (local, remote):
            await one_at_a_time(engine, asked[start : min(half, start + RUN)])
    alone = {
        name: {
            "answers_per_second": round(half / sum(engine.clock), 1),
            **percentiles(engine.clock),
            "cpu_here": round(engine.cpu[0] / half * 1e3, 2),
            "cpu_nodes": round(engine.cpu[1] / half * 1e3, 2),
        }
        for name, engine in (("embedded", local), ("opensearch", remote))
    }
    figures = requests.figures()
    several = {
        name: await together(engine, asked[:half], callers)
        for name, engine in (("embedded", local), ("opensearch", remote))
    }
    pairs = list(zip(local.answers, remote.answers, strict=True))
    return {
        "queries": half,
        "same_best_match": sum(mine[0] == other[0] for mine, other in pairs),
        "confidence_apart_at_most": round(max(abs(mine[1] - other[1]) for mine, other in pairs), 4),
        "per_search": figures,
        "one_at_a_time": alone,
        f"{callers}_at_a_time": several,
    }


def bytes_held(cluster: Cluster) -> int:
    """Bytes of the primary shards."""
    import urllib.request  # noqa: PLC0415

    with urllib.request.urlopen(f"http://{cluster.nodes[0].address}/_cat/indices?format=json&bytes=b") as answer:
        return sum(int(index["pri.store.size"]) for index in json.load(answer))


def index_size(data: Path) -> int:
    """Bytes of the index of the current release in a data folder, without the yearly statements."""
    folder = snapshot.index_folder(data, snapshot.current(data), release_index.FORMAT)
    return folder_size(folder) - folder_size(folder / "statements")


def mixed(companies: Sequence[Company], count: int) -> list[Asked]:
    """Queries of each kind in turn, the typed ones among them."""
    kinds: list[list[Asked]] = [[(text, None) for text in texts] for texts in queries(companies, count).values()]
    typed = [(query.q, query.filter) for query in read_queries(TYPED.read_text("utf-8").splitlines())]
    kinds.append(random.Random(2026).sample(typed, min(count, len(typed))))
    return [query for row in zip_longest(*kinds) for query in row if query]


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--companies", type=int, help="synthetic companies instead of those of the release")
    parser.add_argument("--queries", type=int, default=200, help="of each kind")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--together", type=int, default=8)
    given = parser.parse_args()
    served = snapshot.read_release(given.data, snapshot.current(given.data))
    seeds = list(islice(snapshot.companies(given.data, served), MOST_SEEDS))
    with tempfile.TemporaryDirectory() as folder, opensearch(given.nodes) as cluster:
        url = cluster.url(replicas=given.nodes - 1, timeout=30)
        embedded, elsewhere, count = given.data, Path(folder) / "opensearch", given.companies
        elsewhere.mkdir()
        if count:
            sample, embedded = drawn(seeds, count, 20 * given.queries), Path(folder) / "embedded"
            builds = {"embedded": publish(embedded, invented(seeds, count), count)}
            builds["opensearch"] = publish(elsewhere, invented(seeds, count), count, engine_kind(url))
        else:
            sample, count = seeds, served.coverage["total"]
            builds = {"opensearch": indexed(given.data, elsewhere, url)}
        held = {
            "embedded": index_size(embedded),
            "opensearch_here": index_size(elsewhere),
            "opensearch_each_copy": bytes_held(cluster),
        }
        local = run(Directory.open(embedded, REGISTRY, BASE_URL))
        remote = run(Directory.open(elsewhere, REGISTRY, BASE_URL, search_url=url))
        groups = [node.process.pid for node in cluster.nodes if node.process]
        engines = Engine(local, [], [], [0.0, 0.0], [], []), Engine(remote, groups, [], [0.0, 0.0], [], [])
        measured = run(measure(*engines, mixed(sample, given.queries * 2), given.together))
    figures = {
        "companies": count,
        "nodes": given.nodes,
        "build": builds,
        "bytes_per_company": {name: round(size / count) for name, size in held.items()},
        **measured,
    }
    print(keep(f"engines-{count}", figures))


if __name__ == "__main__":
    main()
