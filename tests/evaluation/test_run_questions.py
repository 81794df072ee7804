"""Asking the labelled questions of the real service over HTTP, with a key made for the occasion."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from evaluation import run_questions
from evaluation.labelled_questions import Question, Reply, Score

from scored import query


def question(q: str, number: int) -> Question:
    return Question(str(number), "es", "kind", q, "found", (), None)


@pytest.mark.verify
def test_questions_and_plain_names_are_asked_over_http(release) -> None:
    asked = [question("¿cuál es el RUC de Corporación Favorita?", 1), question("RUC 1790016918001", 2)]
    several = question("Grupo Argos o Cementos Argos", 3)
    apple = query("name", meant="320193", expected=["320193"], country="US")._replace(q="Apple Inc.", filter="US")
    nobody = query("nobody")._replace(q="Zyxwvut Qrstuv Ponmlk", filter=None)
    with (
        run_questions.keyed(release) as (url, headers),
        closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection,
    ):
        replies = run_questions.ask(connection, headers, [*asked, several])
        plain = run_questions.plain_names(connection, headers, [apple, nobody])
    favorita = ("EC", "1790016919001")
    assert replies["1"] == Reply("found", (favorita,))
    assert replies["2"] == Reply("invalid_input", (favorita,))
    assert [part.results[0] for part in replies["3"].parts] == [("CO", "890900266"), ("CO", "890100251")]
    assert plain["public"] == plain["agentic"] == run_questions.Plain(2, 1, 1, 1)


def test_a_missed_bar_is_told() -> None:
    plain = {"public": run_questions.Plain(10, 9, 9, 9), "agentic": run_questions.Plain(10, 9, 9, 9)}
    good = run_questions.printed(
        {"dev": Score(10, 10, 0, 8, 0, 2, 1.0), "held-out": Score(100, 95, 1, 80, 0, 2, 0.9)}, plain
    )
    assert "SHORT" not in good
    bad = run_questions.printed(
        {"dev": Score(10, 10, 0, 8, 0, 2, 1.0), "held-out": Score(100, 94, 2, 80, 1, 2, 0.89)}, plain
    )
    assert bad.count("SHORT") == 4


@pytest.mark.parametrize(("right", "fallen"), [(96, False), (95, False), (94, True)])
def test_a_fall_since_the_last_kept_result_fails(tmp_path, monkeypatch, right: int, fallen: bool) -> None:
    monkeypatch.setattr(run_questions, "RESULTS", tmp_path)
    assert not run_questions._fallen(Score(100, right, 0, 80, 0, 0, None)), "nothing is kept yet"
    run_questions._keep({"held-out": Score(100, 96, 0, 80, 0, 0, None)}, {}, "release")
    (kept,) = tmp_path.glob("questions-*.json")
    assert json.loads(kept.read_text())["held-out"]["right"] == 96
    assert run_questions._fallen(Score(100, right, 0, 80, 0, 0, None)) is fallen
