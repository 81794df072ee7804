"""Texts whose companies have roles: `texts/dev.jsonl` is for development, `texts/held-out.jsonl` is never looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluation.labelled_questions import ABSENT, FOUND, Question

FOLDER: Final = Path(__file__).with_name("texts")
_ASKED: Final = frozenset(("asked", "number"))
_VERDICTS: Final = {"several": FOUND, "nobody": ABSENT}
"""Right verdicts on texts, where they are called otherwise than those on questions."""


class AskedText(NamedTuple):
    """A text, and the positions of the names and numbers that it asks for."""

    text: str
    asked: tuple[tuple[int, int], ...]


def read_questions(part: str) -> list[Question]:
    """Read the texts of a part as questions; the right verdict on a list is `labelled_questions.LIST`."""
    return [
        Question(
            row["id"],
            row["language"],
            row["setting"],
            row["text"],
            _VERDICTS.get(row["verdict"], row["verdict"]),
            tuple(tuple((country, number) for country, number in records) for records in row["companies"]),
            None,
        )
        for row in _rows(part)
    ]


def read_asked(part: str) -> list[AskedText]:
    """Read the texts of a part with what they ask for."""
    some: list[AskedText] = []
    for row in _rows(part):
        end = 0
        asked: list[tuple[int, int]] = []
        for span in row["spans"]:
            start = row["text"].index(span["text"], end)
            end = start + len(span["text"])
            asked += [(start, end)] if span["role"] in _ASKED else []
        some.append(AskedText(row["text"], tuple(asked)))
    return some


def _rows(part: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()]
