"""Lists written by hand: no company is asserted that is not meant, and every conflict is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from evaluation.written_lists import HALVES, LISTS, JudgedRow, Truth, judged, score

from padron.lists.added_columns import Added

EMPTY = Added("not_found", None, *[""] * 11, None)
RIGHT = EMPTY._replace(verdict="found", country="CO", identifier="899999068")


@pytest.mark.parametrize("half", HALVES)
def test_rows_of_lists_as_people_keep_them(release: Path, half: str) -> None:
    result = score(list(judged(LISTS / half, release)))
    assert result.outcomes.total() >= 200
    assert result.precision >= 0.99
    assert result.recall >= 0.92
    assert (result.warnings["untold"], result.warnings["invented"]) == (0, 0)
    assert result.warnings["told"] >= 10


@pytest.mark.parametrize(
    ("added", "expected", "outcome"),
    [
        (RIGHT, ("US:1", "CO:899999068"), "right"),
        (RIGHT, ("CO:1",), "wrong"),
        (RIGHT, (), "wrong"),
        (RIGHT._replace(verdict="possible"), ("CO:899999068",), "missed"),
        (EMPTY, (), "nobody"),
    ],
)
def test_an_outcome_is_what_is_asserted(added: Added, expected: tuple[str, ...], outcome: str) -> None:
    assert JudgedRow("a.csv", 2, (), added, Truth(expected, "no", "")).outcome == outcome


def test_a_warning_is_due_or_not_or_either() -> None:
    warned = EMPTY._replace(conflicts="x")
    due = [(answer, conflict) for conflict in ("yes", "no", "any") for answer in (warned, EMPTY)]
    states = [JudgedRow("", 1, (), answer, Truth((), conflict, "")) for answer, conflict in due]
    assert [row.warning for row in states] == ["told", "untold", "invented", "", "", ""]


def test_a_truth_of_a_row_that_is_not_there_is_noticed(release: Path, tmp_path: Path) -> None:
    for file in (LISTS / "dev").glob("terceros_contables.csv*"):
        shutil.copy(file, tmp_path)
    with (tmp_path / "terceros_contables.csv.truth.csv").open("a", encoding="utf-8") as truth:
        truth.write("999,,no,\n")
    with pytest.raises(ValueError, match=r"terceros_contables.csv: no rows \[999\]"):
        list(judged(tmp_path, release))
