"""Each trap that is known of an official source has a test with a planted case: `traps.csv` says which."""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterable
from pathlib import Path

from padron.countries import REGISTRY

ROOT = Path(__file__).parents[1]


def faults(rows: Iterable[dict[str, str]]) -> list[str]:
    """Tests that are named and are not there, sources that are not there, sources that are read and have no trap."""
    found, known = [], set()
    sources = {(country.code, source.key) for country in REGISTRY.values() for source in country.sources}
    for row in rows:
        known.add(place := (row["country"], row["source"]))
        if place not in sources | {("*", "*")}:
            found.append(f"no source {place}")
        path, _, name = row["test"].partition("::")
        if name not in _tests(ROOT / path):
            found.append(f"no test {row['test']}")
    return found + [f"no trap of {source}" for source in sorted(sources - known)]


def _tests(path: Path) -> set[str]:
    """The names of the test functions of a module."""
    body = ast.parse(path.read_text("utf-8")).body if path.is_file() else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def table() -> list[dict[str, str]]:
    with (ROOT / "tests" / "traps.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_trap_has_a_test_and_every_source_its_traps() -> None:
    assert faults(table()) == []


def test_a_trap_without_a_test_is_noticed() -> None:
    wrong = {"country": "BR", "source": "ansx", "trap": "x", "test": "tests/test_traps.py::test_that_nobody_wrote"}
    rows = [row for row in table() if row["source"] != "igj"]
    assert faults([*rows, wrong]) == [
        "no source ('BR', 'ansx')",
        "no test tests/test_traps.py::test_that_nobody_wrote",
        "no trap of ('AR', 'igj')",
    ]
