"""Times of search in process, by kind of query, and the cost of the index, at any number of companies.

    python benchmarks/search.py [--data var] [--companies 1000000] [--queries 1000]

Searches the current release of the data folder; with --companies, a synthetic one of that many companies, whose names
are the beginning of one real name and the end of another (seeded), in an index built for the occasion. One thread asks
distinct queries of each kind, in turn: no answer is remembered, though an index remembers words it has looked up.
Limits, HTTP and encoding are not in it. `clock` is what a caller waits for, `cpu` this thread's processor time, which
tells more where others share the machine. Microseconds.
Results: benchmarks/results/search-<companies>-<date>.json.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kept import keep

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound
from padron.index import release_index
from padron.index.engine import EngineKind
from padron.index.retrieval import Retrieval
from padron.index.tantivy_engine import EMBEDDED
from padron.lookup import statements
from padron.lookup.find import MOST_CANDIDATES, lookup
from padron.matching.query import Reader
from padron.matching.score import LinearScorer, Ranker, load_weights
from padron.releases import snapshot
from padron.releases.snapshot import Release

LIMIT = 8
BATCH = 20
_MOST_SEEDS = 200_000

Write = Callable[[random.Random, Company], str | None]


def _name(_: random.Random, company: Company) -> str:
    return company.legal_name


def _partial(chance: random.Random, company: Company) -> str | None:
    words = company.legal_name.split()
    return " ".join(words[: max(1, len(words) // 2)]) if len(words) > 2 else None


def _typo(chance: random.Random, company: Company) -> str | None:
    words = company.legal_name.split()
    at = max(range(len(words)), key=lambda place: len(words[place]))
    if len(words[at]) < 5:
        return None
    place = chance.randrange(1, len(words[at]) - 1)
    words[at] = words[at][:place] + words[at][place + 1] + words[at][place] + words[at][place + 2 :]
    return " ".join(words)


def _prefix(chance: random.Random, company: Company) -> str | None:
    text = company.legal_name
    return text[: chance.randrange(4, len(text))].strip() if len(text) > 6 else None


def _identifier(_: random.Random, company: Company) -> str:
    return company.identifier


def _absent(chance: random.Random, company: Company) -> str:
    words = company.legal_name.split()
    return " ".join([*words[:-1], "".join(chance.choices("abdefgilmnoprstu", k=8))])


KINDS: dict[str, Write] = {
    "name": _name,
    "partial": _partial,
    "typo": _typo,
    "prefix": _prefix,
    "identifier": _identifier,
    "absent": _absent,
}


def synthetic(seeds: Sequence[Company], number: int) -> Company:
    """The company of a number: a name made of two real ones, and an identifier of its own."""
    chance = random.Random(number)
    first, second = chance.choice(seeds), chance.choice(seeds)
    head, tail = first.legal_name.split(), second.legal_name.split()
    return first._replace(
        country="US",
        scheme="us-cik",
        identifier=str(number + 1),
        aliases=(),
        legal_name=" ".join(head[: len(head) // 2 + 1] + tail[len(tail) // 2 :]),
        trade_name=None,
        names=(),
        link=None,
        link_home=True,
    )


def invented(seeds: Sequence[Company], count: int) -> Iterator[Company]:
    """Yield the companies of the numbers below `count`."""
    return (synthetic(seeds, number) for number in range(count))


def drawn(seeds: Sequence[Company], count: int, sample: int) -> list[Company]:
    """Some of the companies of the numbers below `count`, the same each time."""
    return [synthetic(seeds, number) for number in random.Random(1).sample(range(count), min(count, sample))]


def publish(data: Path, companies: Iterable[Company], count: int, engine: EngineKind = EMBEDDED) -> dict[str, float]:
    """Build and publish a release of synthetic companies; what building took."""
    coverage: dict[str, Any] = {"countries": [], "total": count, "release": "synthetic"}
    with snapshot.building(data) as work:
        start, cpu = time.perf_counter(), time.process_time()
        release_index.build(companies, work / "index", REGISTRY, engine, progress=_tell)
        took, worked = time.perf_counter() - start, time.process_time() - cpu
        statements.build((), work / "index" / "statements")
        snapshot.place(work / "index", snapshot.index_folder(data, "synthetic", release_index.FORMAT))
        snapshot.write_release(data, work, Release("synthetic", "2026-01-01T00:00:00+00:00", {}, {}, coverage, {}))
        snapshot.publish(data, work, "synthetic")
    return {"seconds": round(took, 1), "cpu_seconds": round(worked, 1), "companies_per_second": round(count / took)}


def _tell(count: int) -> None:
    sys.stderr.write(f"\rindexed {count}")


def queries(companies: Sequence[Company], count: int) -> dict[str, list[str]]:
    """`count` distinct queries of each kind."""
    chance = random.Random(2026)
    asked: dict[str, list[str]] = {}
    for kind, write in KINDS.items():
        texts: dict[str, None] = {}
        while len(texts) < count:
            if (text := write(chance, chance.choice(companies))) and len(text) > 1:
                texts[text[:256]] = None
        asked[kind] = list(texts)
    return asked


async def measure(directory: Directory, texts: Sequence[str]) -> dict[str, Any]:
    """Measure the time of each of `texts`."""
    clock, cpu, sure = [], [], 0
    for text in texts:
        start, worked = time.perf_counter(), time.thread_time()
        with suppress(NotFound):
            answer = await directory.search(text, country=None, limit=LIMIT, language="es")
            sure += answer.best_match is not None
        clock.append(time.perf_counter() - start)
        cpu.append(time.thread_time() - worked)
    return {"clock": _figures(clock), "cpu": _figures(cpu), "sure": round(sure / len(texts), 3)}


def _figures(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {f"p{share}": round(ordered[int(len(ordered) * share / 100)] * 1e6, 1) for share in (50, 95, 99)}


async def ranking(folder: Path, texts: Sequence[str]) -> dict[str, float]:
    """Processor time of ranking, for each candidate of batches of `BATCH`."""
    index = await release_index.open_index(folder)
    reader, ranker = Reader(REGISTRY), Ranker(index, LinearScorer(load_weights()))
    retrieval = Retrieval(index, reader.forms)
    asked = [reader.read(text) for text in texts]
    batches = [(query, (await retrieval.candidates(lookup(query), MOST_CANDIDATES))[:BATCH]) for query in asked]
    full = [(query, hits) for query, hits in batches if len(hits) == BATCH]
    start = time.thread_time()
    for query, hits in full:
        ranker.rank(query, hits, LIMIT)
    took = time.thread_time() - start
    return {"batches": len(full), "us_per_candidate": round(took / max(1, len(full) * BATCH) * 1e6, 2)}


def memory() -> dict[str, int]:
    """Megabytes of this process: its own, and of mapped files."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines[1:]}
    return {"anonymous": sizes["Anonymous"], "resident": sizes["Rss"]}


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def measurements(data: Path, sample: Sequence[Company], count: int) -> dict[str, Any]:
    """Every measurement of the current release of a data folder."""
    directory = await Directory.open(data, REGISTRY, "http://127.0.0.1:8000")
    folder = snapshot.index_folder(data, directory.release, release_index.FORMAT)
    asked = queries(sample, count)
    mixed = [text for texts in zip(*asked.values(), strict=True) for text in texts]
    await measure(directory, mixed[: len(mixed) // 10])
    total = directory.coverage().total
    return {
        "companies": total,
        "index_bytes_per_company": round(folder_size(folder) / total),
        "mixed": await measure(directory, mixed),
        "kinds": {kind: await measure(directory, texts) for kind, texts in asked.items()},
        "ranking": await ranking(folder, asked["partial"] + asked["prefix"]),
        "memory_mb": memory(),
    }


def main() -> None:
    """Build if asked to, measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of a built release")
    parser.add_argument("--companies", type=int, help="measure a synthetic release of so many companies")
    parser.add_argument("--queries", type=int, default=1_000, help="queries of each kind")
    options = parser.parse_args()
    release = snapshot.read_release(options.data, snapshot.current(options.data))
    seeds = [company for _, company in zip(range(_MOST_SEEDS), snapshot.companies(options.data, release), strict=False)]
    if options.companies:
        with tempfile.TemporaryDirectory(dir=options.data) as place:
            built = publish(Path(place), invented(seeds, options.companies), options.companies)
            sample = drawn(seeds, options.companies, 20 * options.queries)
            measured = {"synthetic": True, "build": built} | run(measurements(Path(place), sample, options.queries))
    else:
        measured = {"synthetic": False} | run(measurements(options.data, seeds, options.queries))
    print(keep(f"search-{measured['companies']}", {"unit": "µs a search", **measured}))


if __name__ == "__main__":
    main()
