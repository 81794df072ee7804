"""Share of large companies that are suggested after a few letters, and the time of a suggestion.

The 2,000 largest companies of a release, by the size that the release states. Each is typed letter by letter, from its
name's start and from the word that is rarest in the directory, until it is among the first three suggestions. Time is
that of `Directory.suggest`, in one process. Bar: 90 % by either within five letters, 20 ms at the 95th percentile.
Results: benchmarks/results/suggestions-<date>.json.

    python benchmarks/suggestions.py [--data var]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

from kept import keep

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.index.document import StoredCompany, decode_company, decode_record
from padron.index.engine import IdentifierKey
from padron.lookup.prominent import largest
from padron.text import tokens

COMPANIES = 2_000
LETTERS = 5
FIRST = 3

Wanted = tuple[str, str]
"""A company by country and identifier."""


async def measure(data: Path) -> dict[str, Any]:
    """Return the share of companies that are suggested in time (`by_letters` 0: are not), and the times."""
    directory = await Directory.open(data, REGISTRY, "http://127.0.0.1:8000")
    index = directory._index
    known = await largest(index.engine, REGISTRY)
    stored = sorted((company for _, company in known), key=lambda company: -company.size)[:COMPANIES]
    times: list[float] = []

    def number(company: StoredCompany) -> Wanted:
        return index.tables.texts[company.country], decode_record(company.record).identifier

    async def records(company: StoredCompany) -> set[Wanted]:
        """The company in every register: it is suggested once."""
        if not company.link:
            return {number(company)}
        (hits,) = await index.engine.by_identifier([IdentifierKey(None, "link", company.link)])
        return {number(decode_company(hit.stored)) for hit in hits}

    async def typed(text: str, wanted: set[Wanted]) -> int:
        for letters in range(2, min(LETTERS, len(text)) + 1):
            start = time.perf_counter()
            shown = await directory.suggest(text[:letters], country=None, limit=8, language="es")
            times.append(time.perf_counter() - start)
            if wanted & {(detail.record.country_code, detail.record.identifier) for detail in shown[:FIRST]}:
                return letters
        return 0

    by_start, by_rarest, by_either = Counter[int](), Counter[int](), Counter[int]()
    for company in stored:
        wanted, words = await records(company), tokens(decode_record(company.record).legal_name)
        rarest = max(words, key=lambda word: (index.tables.weights.get(word, 1.0), len(word)))
        start, distinctive = await typed(" ".join(words), wanted), await typed(rarest, wanted)
        by_start[start] += 1
        by_rarest[distinctive] += 1
        by_either[min(filter(None, (start, distinctive)), default=0)] += 1
    times.sort()
    suggested = {"start": by_start, "rarest word": by_rarest, "either": by_either}
    return {
        "companies": len(stored),
        "suggested": {
            name: {"share": round(1 - counts[0] / len(stored), 3), "by_letters": dict(sorted(counts.items()))}
            for name, counts in suggested.items()
        },
        "p50_ms": round(times[len(times) // 2] * 1000, 1),
        "p95_ms": round(times[int(len(times) * 0.95)] * 1000, 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    print(keep("suggestions", run(measure(parser.parse_args().data))))
