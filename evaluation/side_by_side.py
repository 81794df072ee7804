"""Padrón, PostgreSQL's pg_trgm, RapidFuzz and OpenSanctions' logic-v2 on the same 1,500 queries, in one run.

    python -m evaluation.side_by_side --data var [--logic-v2 build/logic-v2/bin/python]

The queries are a seeded sample of the test part of the published set. Padrón answers over HTTP, one query after
another; PostgreSQL over its socket. RapidFuzz and logic-v2 rank PostgreSQL's fifty again. Milliseconds are wall clock
per query and include the candidates. Result: benchmarks/results/side-by-side-<date>.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation import baselines
from evaluation.baselines import RANKERS, Candidate, Row, rank, sample
from evaluation.postgres import TrigramIndex, server
from evaluation.publish import DATASET, ROOT
from evaluation.queries import Query, read_queries
from evaluation.records import read_release, release_id
from evaluation.run import ask, served
from evaluation.score import Answer, Result, figures

Candidates = dict[str, list[Candidate]]


def published(split: str) -> list[Query]:
    """Return the queries of a part of the published set."""
    rows = [
        json.loads(line)
        for path in sorted(DATASET.glob("*.jsonl.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    kept = sorted((row for row in rows if row["split"] == split), key=lambda row: row["id"])
    return read_queries(json.dumps({name: row[name] for name in Query._fields}) for row in kept)


def logic_v2(python: Path, queries: Sequence[Query], candidates: Candidates) -> tuple[Row, float]:
    """Return the figures of logic-v2 on these candidates, and its milliseconds per query."""
    lines_in = "".join(
        json.dumps(
            {"q": query.q, "filter": query.filter, "names": [(c.name, c.company.country) for c in candidates[query.id]]}
        )
        + "\n"
        for query in queries
    )
    script = Path(__file__).with_name("logic_v2.py")
    done = subprocess.run(  # noqa: S603 - our own script
        [str(python), str(script)], input=lines_in, capture_output=True, text=True, check=True
    )
    *lines, spent = done.stdout.splitlines()
    answers = {}
    for query, line in zip(queries, lines, strict=True):
        scored = sorted(zip(json.loads(line), candidates[query.id], strict=True), key=lambda pair: -pair[0])
        answers[query.id] = Answer(tuple(Result(*c.company.key, round(score, 4)) for score, c in scored[:8]))
    pairs = sum(map(len, candidates.values()))
    row = Row("OpenSanctions logic-v2", figures(queries, answers), float(spent) / pairs * 1e6)
    return row, float(spent) / len(queries) * 1000


def main() -> None:
    """Send the queries to all of them, print the figures and keep them."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.side_by_side")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--logic-v2", type=Path, help="Python of an environment with nomenklatura")
    options = parser.parse_args()
    companies = read_release(options.data)
    queries = sample(published("test"))
    with served(options.data) as url:
        ask(url, queries[:100])
        began = time.perf_counter()
        own = ask(url, queries, connections=1)
        took = (time.perf_counter() - began) / len(queries) * 1000
    rows = [(Row("Padrón", figures(queries, own), None), took)]
    with server() as connection:
        index = TrigramIndex(connection, companies)
        began = time.perf_counter()
        candidates = {query.id: index.nearest(query.q, query.filter) for query in queries}
        fetching = (time.perf_counter() - began) / len(queries) * 1000
    for ranker in RANKERS:
        row = rank(ranker, queries, candidates)
        share = (row.microseconds or 0) * sum(map(len, candidates.values())) / len(queries) / 1000
        rows.append((row, fetching + (0 if ranker is RANKERS[0] else share)))
    if options.logic_v2:
        row, took = logic_v2(options.logic_v2, queries, candidates)
        rows.append((row, fetching + took))
    _report(rows, release_id(options.data), len(queries))


def _report(rows: Sequence[tuple[Row, float]], release: str, count: int) -> None:
    lines = baselines.table([row for row, _ in rows]).splitlines()
    print(f"{lines[0]} ms a query |\n{lines[1]} --- |")
    for line, (_, took) in zip(lines[2:], rows, strict=True):
        print(f"{line} {took:.2f} |")
    today = datetime.now(UTC).date().isoformat()
    made: dict[str, Any] = {"date": today, "release": release, "queries": count, "rankers": {}}
    for row, took in rows:
        made["rankers"][row.ranker] = row.figures._asdict() | {"ms_a_query": round(took, 3)}
    text = json.dumps(made, indent=1, ensure_ascii=False)
    (ROOT / f"benchmarks/results/side-by-side-{today}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
