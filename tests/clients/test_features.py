"""The tables of clients/README: each cell of ours names a test, and each feature has its row in both."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "clients"
READMES = ["README.md", "README.es.md"]
MEASURED = 5
"""Rows of the comparison that are no feature: for whom, sizes, dependencies."""


def tables(name: str) -> list[list[list[str]]]:
    """Rows of each table of a document, without its head, as texts of their cells."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", (CLIENTS / name).read_text("utf-8"), re.MULTILINE)
    return [[[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]] for table in blocks]


def exists(reference: str) -> bool:
    """True if there is a test of that file and name."""
    file, _, name = reference.partition(": ")
    text = (CLIENTS / file).read_text("utf-8")
    if file == "cases.json":
        return name in {case["name"] for case in json.loads(text)["cases"]}
    return bool(re.search(rf'(def {re.escape(name)}\(|"{re.escape(name)})', text))


@pytest.mark.parametrize("name", READMES)
def test_each_cell_names_a_test(name: str) -> None:
    _, tests = tables(name)
    references = [cell for _, *cells in tests for cell in cells if cell.startswith("`")]
    assert len(references) > 40
    assert [reference for reference in references if not exists(reference.strip("`"))] == []
    assert not exists("cases.json: of nothing")
    assert not exists("python/tests/test_client.py: test_of_nothing")


@pytest.mark.parametrize("name", READMES)
def test_each_feature_of_the_comparison_has_its_tests(name: str) -> None:
    comparison, tests = tables(name)
    features = [row[0] for row in comparison[MEASURED:]]
    assert [row[0] for row in tests][: len(features)] == features
    for row, test in zip(comparison[MEASURED:], tests, strict=False):
        assert (bool(row[1]), bool(row[4])) == (bool(test[1]), bool(test[2])), row[0]


def test_the_documents_have_the_same_tests() -> None:
    english, spanish = ([row[1:] for row in tables(name)[1]] for name in READMES)
    references = [
        [[cell if cell.startswith("`") else "" for cell in row] for row in rows] for rows in (english, spanish)
    ]
    assert references[0] == references[1]
