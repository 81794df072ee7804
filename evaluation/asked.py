"""Labelled questions for agentic search: reading them, the facts they are judged by, and how answers are scored.

`questions/dev.jsonl` may be looked at and tuned on, `questions/held-out.jsonl` never; `questions/README.md` says how
both were made.
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

Record = tuple[str, str]
"""Country and identifier."""


class Wanted(NamedTuple):
    """What every company of a list must be.

    Any of `codes` begins its activity code, or its label has any of `labels`. `place` is part of its municipality or
    region; None and False mean that nothing is asked. Texts are in lower case without accents.
    """

    country: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    place: str | None
    status: str | None
    financials: bool
    listed: bool


class Question(NamedTuple):
    """A question and the truth about it.

    `verdict` is the one to be given; `absent` takes `not_found` and `possible` alike: nothing may be asserted.
    `companies`: for each company asked the records that are right, one or, for `ambiguous`, all that fit equally.
    """

    id: str
    language: str
    kind: str
    q: str
    verdict: str
    companies: tuple[tuple[Record, ...], ...]
    wanted: Wanted | None


class Reply(NamedTuple):
    """What an answer said: its verdict, the companies of its results, and the same of each company that was asked."""

    verdict: str
    results: tuple[Record, ...]
    parts: tuple[Reply, ...] = ()


class Facts(NamedTuple):
    """What the release says of a company, as lists are judged by it; `listed`: in CVM's register, or with a ticker."""

    country: str
    code: str
    label: str
    place: str
    status: str | None
    financials: bool
    listed: bool


class Score(NamedTuple):
    """Figures of some questions: how many, how many right, how many lists, their mean precision (None: no lists)."""

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
    """The questions of a part."""
    lines = (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def _question(row: dict[str, Any]) -> Question:
    wanted = row["list"]
    return Question(
        row["id"],
        row["language"],
        row["kind"],
        row["q"],
        row["verdict"],
        tuple(tuple((country, number) for country, number in one) for one in row["companies"]),
        Wanted(**wanted | {"codes": tuple(wanted["codes"]), "labels": tuple(wanted["labels"])}) if wanted else None,
    )


def facts(data: Path) -> dict[Record, Facts]:
    """The facts of every company of the release in `data`."""
    release = json.loads((data / "releases" / f"{release_id(data)}.json").read_text(encoding="utf-8"))
    found: dict[Record, Facts] = {}
    with duckdb.connect() as db:
        for country, folder in release["snapshots"].items():
            rows = db.execute(_FACTS, [country, str(data / "snapshots" / folder / "companies.parquet")]).fetchall()
            for identifier, code, label, place, *rest in rows:
                found[country, identifier] = Facts(country, code, plain(label).lower(), plain(place).lower(), *rest)
    return found


def satisfies(one: Facts, wanted: Wanted) -> bool:
    """Whether a company belongs in a list."""
    active = one.code.startswith(wanted.codes) or any(label in one.label for label in wanted.labels)
    return (
        active
        and one.country == wanted.country
        and (wanted.place is None or wanted.place in one.place)
        and wanted.status in {None, one.status}
        and (one.financials or not wanted.financials)
        and (one.listed or not wanted.listed)
    )


def is_right(question: Question, reply: Reply, group: Mapping[Record, str]) -> bool:
    """Whether verdict and companies are right; the companies of a list are judged by `precision`.

    `group`: record -> the company it is of, the same for its records in several registers.
    """
    verdicts = {"not_found", "possible"} if question.verdict == ABSENT else {question.verdict}
    if reply.verdict not in verdicts:
        return False
    if question.verdict == "ambiguous":
        fitting = {group[record] for one in question.companies for record in one}
        return len(fitting & {group[record] for record in reply.results[:_FIRST]}) > 1
    if len(question.companies) > 1:
        parts = [part.results[:1] for part in reply.parts if part.verdict == "found"]
        return [group[first] for found in parts for first in found] == [group[one[0]] for one in question.companies]
    return not question.companies or _is_first(question.companies[0], reply, group)


def _is_first(records: Sequence[Record], reply: Reply, group: Mapping[Record, str]) -> bool:
    return bool(reply.results) and group[reply.results[0]] in {group[record] for record in records}


def precision(question: Question, reply: Reply, known: Mapping[Record, Facts]) -> float:
    """Share of the first eight results that belong in the list that was asked for; 0 where there are none."""
    assert question.wanted
    some = reply.results[:_FIRST]
    return sum(satisfies(known[record], question.wanted) for record in some) / len(some) if some else 0.0


def score(
    questions: Iterable[Question],
    replies: Mapping[str, Reply],
    group: Mapping[Record, str],
    known: Mapping[Record, Facts],
) -> Score:
    """Figures of `questions`, each of which must have a reply."""
    pairs = [(question, replies[question.id]) for question in questions]
    lists = [precision(question, reply, known) for question, reply in pairs if question.wanted]
    right = sum(is_right(question, reply, group) for question, reply in pairs)
    return Score(len(pairs), right, len(lists), sum(lists) / len(lists) if lists else None)
