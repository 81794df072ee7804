"""Tasks for agents, written by hand: the recorded calls still bring the facts that solve them."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluation.agent_tasks import TaskTruth, lacking, solved, written

from padron.countries import REGISTRY
from padron.directory import Directory, run

WALMART = {"countryCode": "US", "identifier": "104169"}
FOUND = {
    "answer": {"verdict": "found", "bestMatch": WALMART, "results": [WALMART], "total": 1, "nextCursor": None},
    "citation": None,
}
NEAR = {
    "answer": {"verdict": "possible", "bestMatch": None, "results": [WALMART], "total": 1, "nextCursor": None},
    "citation": None,
}
CITED = {"citation": {"source": "EDGAR", "date": "2026-08-22", "sourceUrl": "", "text": "", "url": "x/us/104169"}}


def test_the_recorded_calls_solve_their_tasks(release: Path) -> None:
    tasks = written()
    directory = run(Directory.open(release, REGISTRY, "https://padron.example"))
    unsolved = {task: missing for task, missing in run(solved(directory, tasks)).items() if missing}
    assert (len(tasks), unsolved) == (40, {})


@pytest.mark.parametrize(
    ("truth", "answer", "missing"),
    [
        (TaskTruth(companies=("US:104169",)), FOUND, []),
        (TaskTruth(companies=("US:104169",)), CITED, []),
        (TaskTruth(companies=("US:1",)), FOUND, ["companies"]),
        (TaskTruth(any_of=("US:104169", "US:1"), at_least=2), FOUND, ["any_of"]),
        (TaskTruth(must_not=frozenset({"US:104169"})), FOUND, ["must_not"]),
        (TaskTruth(must_not=frozenset({"US:104169"})), NEAR, []),
        (TaskTruth(none=True), {"matches": [{"verdict": "found", "company": WALMART}]}, ["none"]),
        (TaskTruth(ask=True), FOUND, ["none"]),
        (TaskTruth(valid=False), {"valid": True}, ["valid"]),
        (TaskTruth(years=frozenset({2022, 2023})), {"financials": {"statements": [{"fiscalYear": 2022}]}}, ["years"]),
        (TaskTruth(years=frozenset({2022})), {"missing": [2022]}, []),
        (TaskTruth(count_between=(3, 5)), {"companies": [WALMART], "total": 1, "nextCursor": None}, ["count_between"]),
        (
            TaskTruth(total_between=(3, 5)),
            {"companies": [WALMART] * 4, "total": 9, "nextCursor": None},
            ["total_between"],
        ),
        (TaskTruth(rows=2, distinct=True), {"companies": [WALMART, WALMART], "total": 2, "nextCursor": None}, ["rows"]),
        (TaskTruth(must_cite=("source", "date")), FOUND, ["must_cite"]),
        (TaskTruth(must_cite=("source", "date")), CITED, []),
        (TaskTruth(numbers=("943177549",)), {"value": "94-3177549"}, []),
        (TaskTruth(numbers=("943177549",)), {"value": "94-3177540"}, ["numbers"]),
    ],
)
def test_facts_that_an_answer_lacks_are_named(truth: TaskTruth, answer: object, missing: list[str]) -> None:
    assert lacking(truth, [answer]) == missing


def test_the_last_answer_is_the_one_that_may_assert_nothing() -> None:
    truth = TaskTruth(none=True)
    assert (lacking(truth, [FOUND, NEAR]), lacking(truth, [NEAR, FOUND])) == ([], ["none"])
