"""The labelled questions: their halves, their truth, and how answers to them are scored."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import pytest
from evaluation import labelled_questions
from evaluation.labelled_questions import (
    ABSENT,
    FOLDER,
    OTHERS,
    PARTS,
    TYPED,
    Criteria,
    Question,
    Reply,
    is_right,
    precision,
    satisfies,
    score,
)
from evaluation.records import read_release


@pytest.fixture(scope="module")
def questions():
    return {part: labelled_questions.read(part) for part in PARTS}


@pytest.fixture(scope="module")
def known(release):
    return labelled_questions.facts(release)


def test_the_held_out_half_is_what_was_committed_before_the_parser():
    stated = re.search(r"^[0-9a-f]{64}$", (FOLDER / "README.md").read_text(), re.MULTILINE)[0]
    assert hashlib.sha256((FOLDER / "held-out.jsonl").read_bytes()).hexdigest() == stated


def test_there_are_enough_of_each(questions):
    everything = [question for part in questions.values() for question in part]
    languages = Counter(question.language for question in everything)
    assert min(languages.values()) >= 100
    assert len({question.q for question in everything}) == len({question.id for question in everything})
    assert len(questions["dev"]) + len(questions["held-out"]) >= 1_200
    none = sum(question.verdict not in {"found", "possible"} for question in questions["held-out"])
    assert none * 3 >= len(questions["held-out"])
    assert set(languages) == {"es", "en", "pt"}


def test_no_company_is_in_both_halves():
    for folder in (FOLDER, TYPED):
        of = [
            {
                question.companies[0][0]
                for question in labelled_questions.read_folder(folder, part)
                if question.companies and question.companies[0] and question.verdict != "ambiguous"
            }
            for part in PARTS
        ]
        assert not of[0] & of[1]


def test_every_company_expected_is_in_the_release(questions, release):
    records = {company.key for company in read_release(release)}
    for some in (*questions.values(), labelled_questions.read_folder(TYPED, OTHERS)):
        for question in some:
            assert {record for right in question.companies for record in right} <= records, question.q


def test_every_list_has_companies(questions, known):
    for part in PARTS:
        for question in questions[part]:
            if question.criteria:
                assert any(satisfies(company, question.criteria) for company in known.values()), question.q


A, B, C = ("EC", "1"), ("EC", "2"), ("US", "3")
GROUP = {A: "a", B: "b", C: "a"}


def question(verdict, *companies, criteria=None):
    return Question("id", "es", "kind", "q", verdict, companies, criteria)


@pytest.mark.parametrize(
    ("truth", "reply", "right"),
    [
        (question("found", (A,)), Reply("found", (A, B)), True),
        (question("found", (A,)), Reply("found", (C, B)), True),  # its record in another register
        (question("found", (A,)), Reply("found", (B, A)), False),
        (question("found", (A,)), Reply("possible", (A,)), False),
        (question("ambiguous", (A, B)), Reply("ambiguous", (B, A)), True),
        (question("ambiguous", (A, B)), Reply("ambiguous", (A, C)), False),
        (question("ambiguous"), Reply("ambiguous", (A, C)), True),  # what it may name is not known
        (question("ambiguous"), Reply("found", (A,)), False),
        (question(ABSENT), Reply("not_found", ()), True),
        (question(ABSENT), Reply("possible", (A,)), True),
        (question(ABSENT), Reply("found", (A,)), False),
        (question("found", (A,), (B,)), Reply("found", (A, B), (Reply("found", (A,)), Reply("found", (B,)))), True),
        (question("found", (A,), (B,)), Reply("found", (A, B), (Reply("found", (A,)), Reply("possible", (B,)))), False),
        (question("found", (A,), ()), Reply("found", (A,), (Reply("found", (A,)), Reply("not_found", ()))), True),
        (question("found", (A,), ()), Reply("found", (A, B), (Reply("found", (A,)), Reply("found", (B,)))), False),
    ],
)
def test_right_or_not(truth, reply, right):
    assert is_right(truth, reply, GROUP) is right
    assert score([truth], {"id": reply}, GROUP, {})[:2] == (1, int(right))


@pytest.mark.parametrize(
    ("truth", "reply", "figures"),
    [
        (question("found", (A,)), Reply("found", (B, A)), (1, 1, 0)),
        (question("found", (A,)), Reply("not_found", ()), (0, 1, 1)),
        (question("found", (A,)), Reply("possible", (B,)), (0, 1, 0)),
        (question(ABSENT), Reply("found", (A,)), (1, 0, 0)),
        (question(ABSENT), Reply("not_found", ()), (0, 0, 0)),
        (question("invalid_input", (A,)), Reply("invalid_input", (A,)), (0, 0, 0)),
        (question("found", (A,), ()), Reply("found", (A,), (Reply("found", (A,)), Reply("not_found", ()))), (0, 1, 0)),
        (
            question("found", (A,), ()),
            Reply("found", (B,), (Reply("not_found", ()), Reply("not_found", ()))),
            (0, 1, 1),
        ),
    ],
)
def test_wrong_assertions_and_denials_are_counted(truth, reply, figures):
    some = score([truth], {"id": reply}, GROUP, {})
    assert (some.wrongly_asserted, some.held, some.denied) == figures


def test_lists_are_judged_by_facts(known):
    criteria = Criteria("EC", ("G4711",), (), None, None, financials=True, listed=False)
    favorita, petroleum = ("EC", "1790016919001"), ("CO", "899999068")
    truth = question("possible", criteria=criteria)
    assert precision(truth, Reply("possible", (favorita, petroleum)), known) == 0.5
    assert precision(truth, Reply("not_found", ()), known) == 0.0
