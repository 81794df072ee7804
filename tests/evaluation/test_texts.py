"""The texts with roles: spans that stand in them in order, records that exist, halves by company."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import evaluation
from evaluation import labelled_texts
from evaluation.fit_asked import sequences
from evaluation.labelled_questions import LIST, Reply, is_right, is_wrongly_asserted
from evaluation.records import read_release

TEXTS = Path(evaluation.__file__).with_name("texts")
ROLES = {"asked", "number", "example", "excluded", "related", "sender", "product", "person", "instruction"}
VERDICTS = {"found", "several", "ambiguous", "absent", "list", "nobody"}


def read(half):
    return [json.loads(line) for line in (TEXTS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_there_are_enough_of_each():
    texts = read("dev") + read("held-out")
    assert len({text["id"] for text in texts}) == len(texts) >= 1_500
    assert set(Counter(text["language"] for text in texts)) == {"es", "en", "pt"}
    assert set(Counter(text["verdict"] for text in texts)) == VERDICTS
    assert set(Counter(span["role"] for text in texts for span in text["spans"])) == ROLES


def test_spans_stand_in_their_text_in_order():
    for text in read("dev") + read("held-out"):
        end = 0
        for span in text["spans"]:
            start = text["text"].find(span["text"], end)
            assert start >= end, text["id"]
            end = start + len(span["text"])


def test_every_company_is_in_the_release_and_in_one_half(release):
    records = {company.key for company in read_release(release)}
    halves = [
        {tuple(record) for text in read(half) for company in text["companies"][:1] for record in company}
        for half in ("dev", "held-out")
    ]
    assert halves[0] | halves[1] <= records
    assert len(halves[0] & halves[1]) <= 0.05 * len(halves[0])  # a second record of a company, or one of several


def test_a_list_is_right_where_a_text_describes_many_and_asserts_nobody():
    listed = next(text for text in labelled_texts.read_questions("dev") if text.verdict == LIST)
    answer = Reply("found", (("US", "320193"),), is_list=True)
    group = {("US", "320193"): "apple"}
    assert is_right(listed, answer, group)
    assert not is_wrongly_asserted(listed, answer, group)
    assert not is_right(listed, answer._replace(is_list=False), group)
    assert is_wrongly_asserted(listed, answer._replace(is_list=False), group)


def test_the_words_of_asked_spans_begin_or_continue_a_name(release):
    (sequence,) = [
        each
        for each, text in zip(sequences(release), labelled_texts.read_asked("dev"), strict=True)
        if text.text == "Is Almaden Minerals still filing with the SEC?"
    ]
    assert sequence.states == ["outside", "begins", "inside", *["outside"] * 5]
    assert all("any" in word for word in sequence.features)
