"""Share of companies that are suggested after a few letters, without a country, and the time of a suggestion.

The best-known companies, as people type them (evaluation/dataset/best_known.csv: half for development, the other half
held, whose misses are not told), the 2,000 largest companies of a release, by the size that the release states, and as
many, the same number of each country. Each is typed letter by letter until it is among the first three suggestions: a
large one from its name's start and from the word that is rarest in the directory. Time is that of `Directory.suggest`,
in one process. Bars: 95 % of the best-known within five letters, 90 % of the largest by either, 20 ms at the 95th
percentile. Results: benchmarks/results/suggestions-<date>.json.

    python benchmarks/suggestions.py [--data var]
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from kept import ROOT, keep

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.index.document import StoredCompany, decode_company, decode_record
from padron.index.engine import IdentifierKey
from padron.lookup.prominent import largest
from padron.text import tokens

COMPANIES = 2_000
LETTERS = 5
FIRST = 3
BEST_KNOWN = ROOT / "evaluation" / "dataset" / "best_known.csv"

Wanted = tuple[str, str]
"""A company by country and identifier."""


async def measure(data: Path) -> dict[str, Any]:
    """Return the share of companies that are suggested in time (`by_letters` 0: are not), and the times."""
    directory = await Directory.open(data, REGISTRY, "http://127.0.0.1:8000")
    index = directory._index
    known = await largest(index.engine, REGISTRY)
    times: list[float] = []

    def number(company: StoredCompany) -> Wanted:
        return index.tables.texts[company.country], decode_record(company.record).identifier

    async def records(wanted: Wanted, link: str | None) -> set[Wanted]:
        """The company in every register: it is suggested once."""
        if not link:
            return {wanted}
        (hits,) = await index.engine.by_identifier([IdentifierKey(None, "link", link)])
        return {number(decode_company(hit.stored)) for hit in hits}

    async def typed(text: str, wanted: set[Wanted]) -> int:
        for letters in range(2, min(LETTERS, len(text)) + 1):
            start = time.perf_counter()
            shown = await directory.suggest(text[:letters], country=None, limit=8, language="es")
            times.append(time.perf_counter() - start)
            if wanted & {(detail.record.country_code, detail.record.identifier) for detail in shown[:FIRST]}:
                return letters
        return 0

    best_known = {"development": Counter[int](), "held": Counter[int]()}
    missed: dict[str, list[str]] = {"development": [], "held": []}
    for name, country, identifier, half in best_known_companies():
        detail = (await directory.details(country, identifier, "es")).detail
        letters = await typed(name, await records((country, identifier), detail.link))
        best_known[half][letters] += 1
        missed[half] += [] if letters else [f"{country} {name}"]
    suggested: dict[str, dict[str, Any]] = {}
    for group, companies in largest_groups(known).items():
        by_start, by_rarest, by_either = Counter[int](), Counter[int](), Counter[int]()
        for company in companies:
            wanted, words = (
                await records(number(company), company.link),
                tokens(decode_record(company.record).legal_name),
            )
            rarest = max(words, key=lambda word: (index.tables.weights.get(word, 1.0), len(word)))
            start, distinctive = await typed(" ".join(words), wanted), await typed(rarest, wanted)
            by_start[start] += 1
            by_rarest[distinctive] += 1
            by_either[min(filter(None, (start, distinctive)), default=0)] += 1
        counted = {"start": by_start, "rarest word": by_rarest, "either": by_either}
        suggested[group] = {name: share(counts) for name, counts in counted.items()}
    times.sort()
    return {
        "best_known": {name: share(counts) for name, counts in best_known.items()},
        "best_known_missed_in_development": missed["development"],
        "suggested": suggested,
        "p50_ms": round(times[len(times) // 2] * 1000, 1),
        "p95_ms": round(times[int(len(times) * 0.95)] * 1000, 1),
    }


def best_known_companies() -> Iterator[tuple[str, str, str, str]]:
    """Yield name, country, identifier and half of the best-known companies; a hash of the row tells the half."""
    with BEST_KNOWN.open(encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            name, country, identifier = row
            yield name, country, identifier, "held" if sha256(",".join(row).encode()).digest()[0] % 2 else "development"


def largest_groups(known: Sequence[tuple[str, StoredCompany]]) -> dict[str, list[StoredCompany]]:
    """Return the largest companies by the size that the release states, and the largest of each country."""
    largest_of_each: list[StoredCompany] = []
    for country in REGISTRY:
        largest_of_each += [company for code, company in known if code == country][: COMPANIES // len(REGISTRY)]
    by_size = sorted((company for _, company in known), key=lambda company: -company.size)
    return {"largest": by_size[:COMPANIES], "largest of each country": largest_of_each}


def share(counts: Counter[int]) -> dict[str, Any]:
    """Return the share of companies that were suggested, and how many by the letters it took."""
    return {"share": round(1 - counts[0] / counts.total(), 3), "by_letters": dict(sorted(counts.items()))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    print(keep("suggestions", run(measure(parser.parse_args().data))))
