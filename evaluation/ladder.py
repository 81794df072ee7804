"""`make ladder`: match quality against the size of the directory, on invented companies (`evaluation.population`).

    python -m evaluation.ladder --data var                       10,000, 100,000, 1,000,000 and 10,000,000 companies
    python -m evaluation.ladder --data var --sizes 10000,100000  some of these
    … --keep                                                     keep the result, draw docs/ladder.svg
    … --wrong FILE                                               write the wrongly asserted queries to a file

Each directory contains the smaller ones and is indexed and served as a real one; the queries are the same. Asserted is
right only where one company of the directory carries the query (`evaluation.carriers`) and is the first result.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluation.carriers import Asked, Carriers
from evaluation.intervals import of_figure, of_share
from evaluation.ladder_queries import KINDS, NAMES, queries
from evaluation.plot import size_plot
from evaluation.population import SEED, Invented, Population
from evaluation.queries import Query
from evaluation.report import Bar
from evaluation.run import ask, served
from evaluation.score import Answer, Answers, calibration_error, figures, first, grouped, is_asserted, is_right
from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.index import release_index
from padron.lookup import statements
from padron.releases import snapshot

ROOT = Path(__file__).parents[1]
SIZES: Final = (10_000, 100_000, 1_000_000, 10_000_000)
PER_KIND: Final = 400
_DATE: Final = "2026-01-01"
_LEAST_RISE: Final = 0.0005
"""Rise of a confidence that is not rounding: confidences have four digits."""


class Rung(NamedTuple):
    """The queries with their truth at one size, and the answers."""

    size: int
    asked: Sequence[Asked]
    truths: Sequence[Query]
    answers: Answers

    @property
    def judged(self) -> list[Query]:
        """The queries as assertions are judged: nobody is meant where several share a query."""
        return [
            query._replace(meant=query.meant if query.unique else (), unique=query.unique and query.kind in NAMES)
            for query in self.truths
        ]

    def bars(self) -> list[Bar]:
        """Return the figures that have a bar, with intervals."""
        judged, answers = self.judged, self.answers
        some = figures(judged, answers)
        right = [query for query in judged if is_asserted(answers[query.id]) and is_right(query, answers[query.id])]
        recalled = of_share(sum(query.unique for query in right), some.unique)
        # Of some that several share nobody knows who was meant: absent ones at the smallest size.
        known = [query for query in self.truths if query.meant or query.absent]
        error = of_figure(known, lambda sample: calibration_error(sample, answers))
        return [
            Bar("precision at 0.85", some.precision, 0.99, interval=of_share(len(right), some.asserted)),
            Bar(
                "absent asserted",
                some.absent_matched / some.absent if some.absent else None,
                0.01,
                least=False,
                interval=of_share(some.absent_matched, some.absent),
            ),
            Bar("calibration error", calibration_error(known, answers), 0.03, least=False, interval=error),
            Bar("recall at 0.85, one company", some.recall, 0.9, interval=recalled),
        ]

    def kinds(self) -> dict[str, dict[str, int]]:
        """Count, by kind: queries that are absent, ambiguous and unique here; asserted rightly and wrongly."""
        table = {}
        for kind, some in grouped(self.judged, lambda query: query.kind).items():
            asserted = [query for query in some if is_asserted(self.answers[query.id])]
            right = sum(is_right(query, self.answers[query.id]) for query in asserted)
            absent = sum(query.absent for query in some)
            unique = sum(bool(query.meant) for query in some)
            table[kind] = {
                "absent": absent,
                "ambiguous": len(some) - absent - unique,
                "unique": unique,
                "right": right,
                "wrong": len(asserted) - right,
            }
        return table

    def wrong(self) -> Iterator[str]:
        """Yield the wrong assertions as JSON lines."""
        for query in self.judged:
            answer = self.answers[query.id]
            if is_asserted(answer) and not is_right(query, answer):
                line = {"size": self.size, "q": query.q, "kind": query.kind, "country": query.filter}
                yield json.dumps({**line, "carried": query.expected, "first": first(answer)}, ensure_ascii=False)

    def kept(self) -> dict[str, Any]:
        """Return the figures as they are kept: without the queries."""
        bars = {
            bar.name: [round(value, 4) for value in (bar.value, *(bar.interval or ())) if value is not None]
            for bar in self.bars()
        }
        return {"companies": self.size, "figures": bars, "kinds": self.kinds()}


class Rises(NamedTuple):
    """Companies that became surer from one size to the next.

    Attributes:
        asked: Companies that queries were made from.
        risen: Those of them with a higher confidence in the larger directory.
        largest: The largest rise.
        query: The query of the largest rise.
    """

    asked: int
    risen: int
    largest: float
    query: str | None


def rises(small: Rung, large: Rung) -> Rises:
    """Compare the confidence of the companies that the queries were made from at two sizes."""
    steps = [(_gain(some, small, large), some.query.q) for some in small.asked if some.source]
    risen = [step for step in steps if step[0] > _LEAST_RISE]
    most, query = max(risen, default=(0.0, None))
    return Rises(len(steps), len(risen), most, query)


def _gain(some: Asked, small: Rung, large: Rung) -> float:
    before, after = (_confidence(some, rung.answers[some.query.id]) for rung in (small, large))
    return after - before


def _confidence(some: Asked, answer: Answer) -> float:
    return next((row.confidence for row in answer.results if (row.country, row.identifier) == some.source), 0.0)


def build(companies: Iterator[Invented], size: int, data: Path) -> None:
    """Index `size` companies and publish them as the release of a data folder."""
    release_id = f"{_DATE}-{size:08x}"
    counts: dict[str, int] = dict.fromkeys(REGISTRY, 0)

    def recorded() -> Iterator[Company]:
        for company in companies:
            counts[company.country] += 1
            yield _company(company)

    with snapshot.building(data) as work:
        release_index.build(recorded(), work / "index", REGISTRY)
        statements.build((), work / "index" / "statements")
        snapshot.place(work / "index", snapshot.index_folder(data, release_id, release_index.FORMAT))
        coverage = {
            "countries": [
                {"countryCode": code, "companies": count, "byScheme": {}, "sources": [_source(code, count)]}
                for code, count in counts.items()
            ],
            "total": size,
            "release": release_id,
        }
        release = snapshot.Release(release_id, f"{_DATE}T00:00:00+00:00", {}, {}, coverage, {})
        snapshot.write_release(data, work, release)
        snapshot.publish(data, work, release_id)


def _source(country: str, companies: int) -> dict[str, object]:
    source = REGISTRY[country].sources[0]
    stated = {"name": source.name, "url": source.url, "licence": source.licence, "attribution": source.attribution}
    return stated | {"date": _DATE, "records": companies, "state": "fresh"}


def _company(company: Invented) -> Company:
    blank: dict[str, Any] = dict.fromkeys(set(Company._fields).difference(Company._field_defaults))
    return Company(
        **blank
        | company.facts._asdict()
        | {
            "country": company.country,
            "scheme": company.scheme,
            "identifier": company.identifier,
            "aliases": (),
            "legal_name": company.legal_name,
            "trade_name": company.trade_name,
            "names": (),
            "status": "active",
            "source": company.source,
            "sources": (company.source,),
            "given": (),
            "refreshed": _DATE,
            "financials": False,
        }
    )


def climb(population: Population, asked: Sequence[Asked], size: int) -> Rung:
    """Build the directory of one size, ask it, and take it away."""
    with tempfile.TemporaryDirectory(prefix="ladder-") as folder:
        carriers = Carriers(asked)
        build(carriers.counted(population.companies(size)), size, Path(folder))
        with served(Path(folder)) as url:
            answers = ask(url, [some.query for some in asked])
    return Rung(size, asked, carriers.truths(), answers)


def measure(data: Path, sizes: Sequence[int], per_kind: int = PER_KIND) -> Iterator[Rung]:
    """Yield the rungs of the ladder; the first of `sizes` is the smallest."""
    population = Population.like(data)
    asked = queries(population, sizes[0], per_kind)
    for size in sizes:
        yield climb(population, asked, size)


def printed(rung: Rung) -> str:
    """Return the report of a rung."""
    lines = [f"{rung.size:,} companies, {len(rung.truths)} queries", *(bar.line for bar in rung.bars()), ""]
    columns = ("absent", "ambiguous", "unique", "right", "wrong")
    lines.append(f"{'kind':14}" + "".join(f"{column:>10}" for column in columns))
    table = rung.kinds()
    lines += [f"{kind:14}" + "".join(f"{table[kind][column]:>10}" for column in columns) for kind in KINDS]
    return "\n".join([*lines, ""])


def keep(rungs: Sequence[dict[str, Any]], steps: Sequence[Rises], results: Path, docs: Path) -> None:
    """Keep the figures of a run, without its queries, and draw them against size.

    Args:
        rungs: The figures of each size.
        steps: The rises from each size to the next.
        results: The folder of the kept results.
        docs: The folder of the chart.
    """
    date = datetime.now(UTC).date().isoformat()
    rose = [step._asdict() | {"query": None} for step in steps]
    head = subprocess.run(["/usr/bin/git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    about = {"date": date, "commit": head.stdout.strip(), "seed": SEED, "per_kind": PER_KIND}
    text = json.dumps({"about": about, "rungs": rungs, "rises": rose}, indent=1)
    (results / f"ladder-{date}.json").write_text(text + "\n", encoding="utf-8")
    curves: dict[str, list[tuple[int, float]]] = {}
    for rung in rungs:
        for name, (value, *_) in rung["figures"].items():
            fault = name if name in {"absent asserted", "calibration error"} else f"1 − {name}"
            curves.setdefault(fault, []).append((rung["companies"], value if fault == name else 1 - value))
    (docs / "ladder.svg").write_text(size_plot(curves), encoding="utf-8")


def main() -> int:
    """Measure every size, print the figures, and keep them where asked to."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.ladder")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release to learn from")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="companies, the smallest first")
    parser.add_argument("--keep", action="store_true", help="keep the result, draw docs/ladder.svg")
    parser.add_argument("--wrong", type=Path, help="file for the wrongly asserted queries")
    options = parser.parse_args()
    rungs: list[Rung] = []
    began = time.perf_counter()
    for rung in measure(options.data, [int(size) for size in options.sizes.split(",")]):
        rungs.append(rung)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{printed(rung)}{time.perf_counter() - began:.0f} s so far, at most {memory} MiB\n", flush=True)
    steps = [rises(small, large) for small, large in pairwise(rungs)]
    for (small, large), step in zip(pairwise(rungs), steps, strict=True):
        print(f"{small.size:,} → {large.size:,}: {step.risen} of {step.asked} companies surer,", end=" ")
        print(f"at most by {step.largest:.4f} ({step.query})")
    if options.wrong:
        options.wrong.write_text("".join(f"{line}\n" for rung in rungs for line in rung.wrong()), encoding="utf-8")
    if options.keep:
        keep([rung.kept() for rung in rungs], steps, ROOT / "benchmarks/results", ROOT / "docs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
