"""The golden page of questions and answers: current, long enough, and without what is held out."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from evaluation import labelled_questions

from padron.directory import Directory
from padron.words import LANGUAGES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate_answers", ROOT / "docs/generate_answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_current(generate, directory: Directory) -> None:
    for language in LANGUAGES:
        assert generate.page(language).read_text(encoding="utf-8") == generate.written(directory, language), (
            "run `make docs`, and read what has changed"
        )


def test_there_are_fifty_questions_and_none_of_them_is_held_out(generate) -> None:
    questions = [question for chapter in generate.CHAPTERS for question in chapter.questions]
    assert len(set(questions)) == len(questions) >= 50
    assert not {question.q for question in labelled_questions.read("held-out")}.intersection(questions)
