"""Tasks for agents, written by hand: the recorded calls still bring the facts that solve them."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluation.agent_tasks import TaskTruth, lacking, solved, written

from padron.countries import REGISTRY
from padron.directory import Directory, run

WALMART = {"countryCode": "US", "identifier": "104169"}


def test_the_recorded_calls_solve_their_tasks(release: Path) -> None:
    tasks = written()
    directory = run(Directory.open(release, REGISTRY, "https://padron.example"))
    unsolved = {task: missing for task, missing in run(solved(directory, tasks)).items() if missing}
    assert (len(tasks), unsolved) == (40, {})


@pytest.mark.parametrize(
    ("truth", "answer", "missing"),
    [
        (TaskTruth(companies=("US:104169",)), {"bestMatch": WALMART}, []),
        (TaskTruth(companies=("US:104169",)), {"company": {"sourceUrl": "", "text": "", "url": "x/us/104169"}}, []),
        (TaskTruth(companies=("US:1",)), {"bestMatch": WALMART}, ["companies"]),
        (TaskTruth(any_of=("US:104169", "US:1"), at_least=2), {"bestMatch": WALMART}, ["any_of"]),
        (TaskTruth(must_not=frozenset({"US:104169"})), {"bestMatch": WALMART}, ["must_not"]),
        (TaskTruth(must_not=frozenset({"US:104169"})), {"bestMatch": None, "results": [WALMART], "total": 1}, []),
        (TaskTruth(none=True), {"matches": [{"verdict": "found", "company": WALMART}]}, ["none"]),
        (TaskTruth(ask=True), {"bestMatch": WALMART}, ["none"]),
        (TaskTruth(valid=False), {"valid": True}, ["valid"]),
        (TaskTruth(years=frozenset({2022, 2023})), {"financials": {"statements": [{"fiscalYear": 2022}]}}, ["years"]),
        (TaskTruth(years=frozenset({2022})), {"missing": [2022]}, []),
        (TaskTruth(count_between=(3, 5)), {"companies": [WALMART], "total": 1}, ["count_between"]),
        (TaskTruth(total_between=(3, 5)), {"companies": [WALMART] * 4, "total": 9}, ["total_between"]),
        (TaskTruth(rows=2, distinct=True), {"companies": [WALMART, WALMART], "total": 2}, ["rows"]),
        (TaskTruth(must_cite=("source",)), {"bestMatch": WALMART}, ["must_cite"]),
        (TaskTruth(numbers=("943177549",)), {"value": "94-3177549"}, []),
        (TaskTruth(numbers=("943177549",)), {"value": "94-3177540"}, ["numbers"]),
    ],
)
def test_facts_that_an_answer_lacks_are_named(truth: TaskTruth, answer: object, missing: list[str]) -> None:
    assert lacking(truth, [answer]) == missing
