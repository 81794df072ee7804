"""Padrón's `compare` and OpenSanctions' logic-v2 on the company rows of `name_bench`, in one run.

    git clone https://github.com/opensanctions/nomenklatura build/nomenklatura
    python -m evaluation.name_bench build/nomenklatura/contrib/name_bench/cases.csv [--data var] [--logic-v2 PYTHON]

`cases.csv` (MIT licence, OpenSanctions Datenbanken GmbH) holds pairs of names, each labelled as one company's or not.
It is read where it lies: nothing is trained on it, and no name of it is kept. The kept result lists the rows that are
wrong at the threshold by the identifiers that the publisher's own `run.py` gives them; they are printed with their
names. The Python of `--logic-v2` is that of an environment with nomenklatura (see `evaluation.logic_v2`).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from evaluation.publish import ROOT
from evaluation.score import THRESHOLD
from padron.countries import REGISTRY
from padron.directory import Directory, run

COMPANY_SCHEMAS: Final = frozenset({"Company", "Organization", "LegalEntity"})


class Row(NamedTuple):
    """A pair of names; `match`: they are labelled as one company's."""

    id: str
    a: str
    b: str
    match: bool
    quality: str


class Figures(NamedTuple):
    """Figures of one comparer.

    Attributes:
        f1: F1 at the threshold.
        precision: Precision at the threshold.
        recall: Recall at the threshold.
        auc: The share of pairs of a match and another row in which the match scores higher; half for equal scores.
        wrong: The rows that are wrong at the threshold, each with its score.
    """

    f1: float
    precision: float
    recall: float
    auc: float
    wrong: dict[str, float]


def read_rows(path: Path) -> list[Row]:
    """Return the company rows of `cases.csv`."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(_id(row), row["name1"], row["name2"], row["is_match"] == "true", row["quality"] or "MEDIUM")
            for row in csv.DictReader(file)
            if row["schema"] in COMPANY_SCHEMAS
        ]


def _id(row: dict[str, str]) -> str:
    """Return the identifier of a row as the publisher's `run.py` computes it."""
    key = "|".join(row[column] for column in ("case_group", "schema", "name1", "name2"))
    return blake2b(key.encode(), digest_size=4).hexdigest()


def figures(rows: Sequence[Row], scores: Sequence[float]) -> Figures:
    """Return the figures of the scores of `rows`."""
    scored = list(zip(rows, scores, strict=True))
    matches = [score for row, score in scored if row.match]
    others = [score for row, score in scored if not row.match]
    right = sum(score >= THRESHOLD for score in matches)
    sure = right + sum(score >= THRESHOLD for score in others)
    higher = sum((match > other) + (match == other) / 2 for match in matches for other in others)
    return Figures(
        round(2 * right / (sure + len(matches)), 4),
        round(right / sure, 4) if sure else 0.0,
        round(right / len(matches), 4),
        round(higher / len(matches) / len(others), 4),
        {row.id: round(score, 4) for row, score in scored if (score >= THRESHOLD) != row.match},
    )


def compared(rows: Sequence[Row], data: Path) -> list[float]:
    """Return the confidence of `padron compare` for each row."""
    directory = run(Directory.open(data, REGISTRY, "http://localhost"))
    return [directory.compare(row.a, row.b).confidence for row in rows]


def logic_v2(rows: Sequence[Row], python: Path) -> list[float]:
    """Return the score of logic-v2 for each row."""
    lines = [json.dumps({"q": row.a, "filter": None, "names": [(row.b, None)]}) for row in rows]
    script = Path(__file__).with_name("logic_v2.py")
    done = subprocess.run(  # noqa: S603 - our own script
        [str(python), str(script)], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return [score for line in done.stdout.splitlines()[:-1] for score in json.loads(line)]


def main() -> None:
    """Score all rows, print the figures and the rows that are wrong, and keep the result."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.name_bench")
    parser.add_argument("cases", type=Path, help="cases.csv of name_bench")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--logic-v2", type=Path, help="Python of an environment with nomenklatura")
    options = parser.parse_args()
    rows = read_rows(options.cases)
    results = {"Padrón": figures(rows, compared(rows, options.data))}
    if options.logic_v2:
        results["OpenSanctions logic-v2"] = figures(rows, logic_v2(rows, options.logic_v2))
    for row in rows:
        if (score := results["Padrón"].wrong.get(row.id)) is not None:
            print(f"{row.id}  {score:.4f}  {'match' if row.match else 'other'} {row.quality:6}  {row.a} | {row.b}")
    for name, made in results.items():
        print(
            f"{name:24} F1 {made.f1:.3f}  precision {made.precision:.3f}  recall {made.recall:.3f}  AUC {made.auc:.3f}"
        )
    _keep(rows, options.cases, results)


def _keep(rows: Sequence[Row], cases: Path, results: dict[str, Figures]) -> None:
    today = datetime.now(UTC).date().isoformat()
    digest = blake2b(cases.read_bytes(), digest_size=16).hexdigest()
    made = {
        "date": today,
        "rows": len(rows),
        "matches": sum(row.match for row in rows),
        "cases": {"blake2b": digest, "licence": "MIT", "publisher": "OpenSanctions Datenbanken GmbH"},
        "comparers": {
            name: {
                figure: round(value, 4) if isinstance(value, float) else value
                for figure, value in row._asdict().items()
            }
            for name, row in results.items()
        },
    }
    path = ROOT / f"benchmarks/results/name-bench-{today}.json"
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
