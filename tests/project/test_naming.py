"""The check of names and docstrings: a planted violation of each rule, and lines that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import naming


def rules(root: Path, source: str) -> list[str]:
    """The rules that a module breaks, with the lines."""
    path = root / "src/padron/sample.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return [f"{violation.rule}:{violation.line}" for violation in naming.violations([path], root)]


@pytest.mark.parametrize(
    "line",
    [
        "found = 1",
        "one: int = 1",
        "for _, told in ():\n    pass",
        "def f(said):\n    pass",
        "def what():\n    pass",
        "async def found_():\n    pass",
        "f = lambda *, one: one",
        "a = [_one for _one in ()]",
        "class C:\n    found: int",
        "import os as one",
        "if (found := 1):\n    pass",
        "with open('a') as found:\n    pass",
    ],
)
def test_a_vague_identifier_is_reported(tmp_path: Path, line: str) -> None:
    assert [rule.partition(":")[0] for rule in rules(tmp_path, line)] == ["identifier"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("companies.sql", "CREATE TABLE said AS SELECT 1;"),
        ("companies.sql", "WITH found AS (SELECT 1) SELECT *"),
        ("companies.sql", "SELECT x AS what FROM raw"),
        ("app.js", "  const found = [];"),
        ("send.ts", "function told(answer: string) {}"),
        ("send.ts", "text.replace(/x/g, (found) => found)"),
    ],
)
def test_a_vague_name_of_another_language_is_reported(tmp_path: Path, name: str, line: str) -> None:
    path = tmp_path / name
    path.write_text(f'-- known as what it is\n// a function told of it\n"found"\n{line}\n', encoding="utf-8")
    assert [violation.line for violation in naming.violations([path], tmp_path)] == [4]


def test_names_and_words_that_only_look_alike_are_not_reported(tmp_path: Path) -> None:
    source = '"""One company, as found."""\nfoundation = {"one": 1}\nnot_found = foundation["one"]\nprint(end="one")\n'
    assert rules(tmp_path, source) == []


@pytest.mark.parametrize(
    "opening",
    [
        "What a build writes",
        "Whether it fits",
        "How it is read",
        "Everything of a release",
        "All that is known",
        "As sent",
        "Gives the names",
        "Who asks",
        "Where files lie",
        "That it holds",
    ],
)
def test_a_docstring_that_begins_with_a_clause_is_reported(tmp_path: Path, opening: str) -> None:
    assert rules(tmp_path, f'"""{opening}."""\n') == ["opening:1"]
    assert rules(tmp_path, f'LIMIT = 1\n"""{opening}."""\n') == ["opening:2"]
    assert rules(tmp_path, f'def f():\n    """{opening}."""\n') == ["opening:2"]


@pytest.mark.parametrize("opening", ["Return the names", "Features of a candidate", "All names", "Address of a source"])
def test_a_docstring_that_names_or_commands_is_not_reported(tmp_path: Path, opening: str) -> None:
    assert rules(tmp_path, f'"""{opening}."""\n') == []


def test_a_first_line_without_full_stop_is_reported(tmp_path: Path) -> None:
    assert rules(tmp_path, '"""Return the names"""\n') == ["full-stop:1"]
    assert rules(tmp_path, '"""Return the names\n\nof companies.\n"""\n') == ["full-stop:1"]
    assert rules(tmp_path, 'LIMIT = 1\n"""The most names\nof a company."""\n') == []


def test_two_public_classes_with_a_name_are_reported(tmp_path: Path) -> None:
    (tmp_path / "src" / "padron").mkdir(parents=True)
    (tmp_path / "src" / "padron" / "other.py").write_text("class Answer: pass\nclass _Part: pass\n")
    assert rules(tmp_path, "class Answer: pass\nclass _Part: pass\n") == ["class-name:1"]


def test_violations_are_printed_with_their_place_and_fail_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "src" / "sample.py"
    module.parent.mkdir()
    module.write_text("found = 1\n")
    assert naming.main([str(module)], tmp_path) == 1
    assert capsys.readouterr().out == "src/sample.py:1: identifier: name the thing instead of `found`\n"
