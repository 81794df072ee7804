"""Labelled questions for agentic search, the facts that they are judged by, and the scoring of answers.

`questions/dev.jsonl` is for development, `questions/held-out.jsonl` is never looked at; `questions/README.md` describes
both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from evaluation.names import plain
from evaluation.records import release_id

FOLDER = Path(__file__).with_name("questions")
PARTS = ("dev", "held-out")
ABSENT = "absent"
_FIRST = 8
"""Results that count: as many as an answer shows."""

Record = tuple[str, str]
"""Country and identifier."""


class Criteria(NamedTuple):
    """The criteria of a list of companies; texts are in lower case without accents.

    Attributes:
        country: The country.
        codes: Beginnings of activity codes; a company has one of these or of `labels`.
        labels: Parts of activity labels.
        place: A part of the municipality or region, if asked.
        status: The status, if asked.
        financials: Only companies with financial statements.
        listed: Only listed companies.
    """

    country: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    place: str | None
    status: str | None
    financials: bool
    listed: bool


class Question(NamedTuple):
    """A question with its truth.

    Attributes:
        id: The id of the question.
        language: The language.
        kind: The difficulty that the question tests.
        q: The text.
        verdict: The right verdict; `absent` accepts `not_found` and `possible`, because nothing may be asserted.
        companies: For each company in the question the right records: one, or for `ambiguous` all that fit equally.
        criteria: The criteria of a list, if the question asks for one.
    """

    id: str
    language: str
    kind: str
    q: str
    verdict: str
    companies: tuple[tuple[Record, ...], ...]
    criteria: Criteria | None


class Reply(NamedTuple):
    """The verdict of an answer, the companies of its results, and the same for each company of the question."""

    verdict: str
    results: tuple[Record, ...]
    parts: tuple[Reply, ...] = ()


class Facts(NamedTuple):
    """The facts about a company that lists are judged by; `listed`: in CVM's register, or with a ticker."""

    country: str
    code: str
    label: str
    place: str
    status: str | None
    financials: bool
    listed: bool


class Score(NamedTuple):
    """Figures of questions: number, right ones, lists, and mean precision of the lists (None without lists)."""

    asked: int
    right: int
    lists: int
    precision: float | None


_FACTS = """
SELECT identifier, coalesce(activity_code, ''), coalesce(activity_label, ''),
       coalesce(municipality, '') || ' ' || coalesce(region, ''), status, financials,
       CASE ? WHEN 'BR' THEN list_contains(sources, 'cvm') AND status = 'active'
              WHEN 'US' THEN len(list_filter(names, lambda x: x.kind = 'ticker')) > 0 ELSE false END
FROM read_parquet(?)
"""


def read(part: str) -> list[Question]:
    """Read the questions of a part."""
    lines = (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def _question(row: dict[str, Any]) -> Question:
    criteria = row["list"]
    return Question(
        row["id"],
        row["language"],
        row["kind"],
        row["q"],
        row["verdict"],
        tuple(tuple((country, number) for country, number in records) for records in row["companies"]),
        Criteria(**criteria | {"codes": tuple(criteria["codes"]), "labels": tuple(criteria["labels"])})
        if criteria
        else None,
    )


def facts(data: Path) -> dict[Record, Facts]:
    """Read the facts of every company of the current release."""
    release = json.loads((data / "releases" / f"{release_id(data)}.json").read_text(encoding="utf-8"))
    known: dict[Record, Facts] = {}
    with duckdb.connect() as db:
        for country, folder in release["snapshots"].items():
            rows = db.execute(_FACTS, [country, str(data / "snapshots" / folder / "companies.parquet")]).fetchall()
            for identifier, code, label, place, *rest in rows:
                known[country, identifier] = Facts(country, code, plain(label).lower(), plain(place).lower(), *rest)
    return known


def satisfies(company: Facts, criteria: Criteria) -> bool:
    """Return whether a company belongs in a list."""
    active = company.code.startswith(criteria.codes) or any(label in company.label for label in criteria.labels)
    return (
        active
        and company.country == criteria.country
        and (criteria.place is None or criteria.place in company.place)
        and criteria.status in {None, company.status}
        and (company.financials or not criteria.financials)
        and (company.listed or not criteria.listed)
    )


def is_right(question: Question, reply: Reply, group: Mapping[Record, str]) -> bool:
    """Return whether verdict and companies are right; the companies of a list are judged by `precision`.

    Args:
        question: The question.
        reply: The reply to it.
        group: The company of each record, the same for its records in several registers.

    Returns:
        True if all is right.
    """
    verdicts = {"not_found", "possible"} if question.verdict == ABSENT else {question.verdict}
    if reply.verdict not in verdicts:
        return False
    if question.verdict == "ambiguous":
        fitting = {group[record] for records in question.companies for record in records}
        return len(fitting & {group[record] for record in reply.results[:_FIRST]}) > 1
    if len(question.companies) > 1:
        parts = [part.results[:1] for part in reply.parts if part.verdict == "found"]
        return [group[first] for results in parts for first in results] == [
            group[records[0]] for records in question.companies
        ]
    return not question.companies or _is_first(question.companies[0], reply, group)


def _is_first(records: Sequence[Record], reply: Reply, group: Mapping[Record, str]) -> bool:
    return bool(reply.results) and group[reply.results[0]] in {group[record] for record in records}


def precision(question: Question, reply: Reply, known: Mapping[Record, Facts]) -> float:
    """Return the share of the first eight results that satisfy the criteria; 0 without results."""
    assert question.criteria
    some = reply.results[:_FIRST]
    return sum(satisfies(known[record], question.criteria) for record in some) / len(some) if some else 0.0


def score(
    questions: Iterable[Question],
    replies: Mapping[str, Reply],
    group: Mapping[Record, str],
    known: Mapping[Record, Facts],
) -> Score:
    """Return the figures of `questions`, each of which must have a reply."""
    pairs = [(question, replies[question.id]) for question in questions]
    lists = [precision(question, reply, known) for question, reply in pairs if question.criteria]
    right = sum(is_right(question, reply, group) for question, reply in pairs)
    return Score(len(pairs), right, len(lists), sum(lists) / len(lists) if lists else None)
