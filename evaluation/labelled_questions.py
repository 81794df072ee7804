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
TYPED = Path(__file__).with_name("typed") / "questions"
PARTS = ("dev", "held-out")
OTHERS = "others"
"""Questions of two other hands, for development."""
ABSENT = "absent"
FOUND = "found"
DENIED = "not_found"
LIST = "list"
"""Right verdict on a description of many companies whose companies are not judged."""
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
        companies: For each company in the question the right records: one, or for `ambiguous` all that fit equally, if
            they are known.
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
    """The verdict of an answer, the companies of its results, the same for each company of the question; or a list."""

    verdict: str
    results: tuple[Record, ...]
    parts: tuple[Reply, ...] = ()
    is_list: bool = False


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
    """Figures of questions.

    Attributes:
        asked: The number of questions.
        right: The right answers.
        wrongly_asserted: The answers that are sure of a company that is not meant.
        held: The questions about companies that are in the directory.
        denied: Those of them that are answered as if none was.
        lists: The lists asked for.
        precision: The mean precision of the lists, None without lists.
    """

    asked: int
    right: int
    wrongly_asserted: int
    held: int
    denied: int
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
    return [*read_folder(FOLDER, part), *read_folder(TYPED, part)]


def read_folder(folder: Path, part: str) -> list[Question]:
    """Read the questions of a part in one of the folders."""
    lines = (folder / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
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
    if question.verdict == LIST:
        return reply.is_list
    verdicts = {"not_found", "possible"} if question.verdict == ABSENT else {question.verdict}
    if reply.verdict not in verdicts:
        return False
    if question.verdict == "ambiguous" and question.companies:
        fitting = {group[record] for records in question.companies for record in records}
        return len(fitting & {group[record] for record in reply.results[:_FIRST]}) > 1
    if len(question.companies) > 1:
        parts = [group[record] for part in reply.parts if part.verdict == FOUND for record in part.results[:1]]
        return parts == [group[records[0]] for records in question.companies if records]
    return not question.companies or _is_first(question.companies[0], reply, group)


def _is_first(records: Sequence[Record], reply: Reply, group: Mapping[Record, str]) -> bool:
    return bool(reply.results) and group[reply.results[0]] in {group[record] for record in records}


def is_wrongly_asserted(question: Question, reply: Reply, group: Mapping[Record, str]) -> bool:
    """Return whether an answer is sure of a company that the question does not mean; lists assert nothing.

    Args:
        question: The question.
        reply: The reply to it.
        group: The company of each record.

    Returns:
        True if any company of the reply is.
    """
    if question.criteria or reply.is_list:
        return False
    meant = {group[record] for records in question.companies for record in records}
    sure = [part for part in (reply.parts or (reply,)) if part.verdict == FOUND]
    return any(group[part.results[0]] not in meant for part in sure if part.results)


def is_denied(question: Question, reply: Reply) -> bool:
    """Return whether a company that is in the directory is said not to be."""
    if not is_held(question):
        return False
    if len(question.companies) > 1 and reply.parts:
        return sum(part.verdict == DENIED for part in reply.parts) > sum(not records for records in question.companies)
    return reply.verdict == DENIED


def is_held(question: Question) -> bool:
    """Return whether a question is about a company that is in the directory."""
    return question.verdict != "invalid_input" and any(question.companies)


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
    return Score(
        len(pairs),
        right,
        sum(is_wrongly_asserted(question, reply, group) for question, reply in pairs),
        sum(is_held(question) for question, _ in pairs),
        sum(is_denied(question, reply) for question, reply in pairs),
        len(lists),
        sum(lists) / len(lists) if lists else None,
    )
