"""The documents tell the truth: every shell block runs, generated parts are current, every link and proof exists."""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, get_type_hints

import pytest

from padron import config
from padron.cli import app as cli
from ports import free_port
from waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
README_LINES = 150
INSTALLATION: Final = 1800.0
"""Seconds after which `make run` on a fresh copy counts as failed; what it took is printed."""

_BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n+```json\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
_PROOF = re.compile(r"`(tests/[\w/.]+)::(\w+)`")
_SPEC_ROW = re.compile(r"^\| (\d+) \| (.*?) \| (.*?) \|$", re.MULTILINE)


class Block(NamedTuple):
    """A shell block of a document, its lines run one by one, and the JSON that is shown as its answer."""

    document: str
    number: int
    text: str
    shown: str

    @property
    def commands(self) -> list[str]:
        """The command lines without comments."""
        lines = (line.partition(" # ")[0].strip() for line in self.text.splitlines())
        return [line for line in lines if line and not line.startswith("#")]


def blocks() -> list[Block]:
    """Every shell block of every document."""
    return [
        Block(str(path.relative_to(ROOT)), number, text, shown)
        for path in DOCUMENTS
        for number, (text, shown) in enumerate(_BLOCK.findall(path.read_text("utf-8")), start=1)
    ]


MAKE_BLOCKS = [block for block in blocks() if any(line.startswith("make ") for line in block.commands)]
PLAIN_BLOCKS = [
    pytest.param(
        block,
        id=f"{block.document}-{block.number}",
        marks=() if block.document.startswith("README") else pytest.mark.verify,
    )
    for block in blocks()
    if block not in MAKE_BLOCKS
]
"""The blocks of the two READMEs run each time, the others with `make verify`."""


@contextmanager
def serving(command: list[str], port: int, log: Path, within: float = PATIENCE, **options: Any) -> Iterator[float]:
    """Run a command that serves until the block ends; gives the seconds it took to be ready. It writes to `log`."""
    started = time.monotonic()

    def is_ready() -> bool:
        assert server.poll() is None, log.read_text()
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=PATIENCE) as answer:
            return answer.status == 200
        return False

    with (
        log.open("wb") as written,
        subprocess.Popen(command, start_new_session=True, stdout=written, stderr=written, **options) as server,
    ):
        try:
            until(is_ready, within)
            yield time.monotonic() - started
        finally:
            os.killpg(server.pid, signal.SIGTERM)


class Shell(NamedTuple):
    """A reader's shell: `padron` and `curl` as the documents call them, and a server of the built release."""

    port: int
    bin: Path
    environment: dict[str, str]

    def run(self, line: str) -> str:
        """The output of a command line, which must succeed and say something; JSON must be JSON."""
        line = line.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}").replace(".venv/bin/", f"{self.bin}/")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        assert done.stdout.strip(), line
        if done.stdout.startswith("{"):
            json.loads(done.stdout)
        return done.stdout


@pytest.fixture(scope="module")
def shell(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell whose curl fails when the answer is an error."""
    folder = tmp_path_factory.mktemp("shell")
    (folder / "padron").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m padron.cli.app "$@"\n')
    (folder / "padron").chmod(0o755)
    (folder / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n")
    here = {"PADRON_DATA": str(release), "PYTHONPATH": str(ROOT / "src"), "LANG": "en", "CURL_HOME": str(folder)}
    environment = os.environ | here
    port = free_port()
    command = [sys.executable, "-m", "padron.cli.app", "serve", "--port", str(port)]
    with serving(command, port, folder / "serve.log", env=environment):
        yield Shell(port, folder, environment)


@pytest.mark.parametrize("block", PLAIN_BLOCKS)
def test_every_shell_block_runs(block: Block, shell: Shell) -> None:
    outputs = [shell.run(line) for line in block.commands]
    assert outputs
    if block.shown:
        assert shows(json.loads(block.shown), json.loads(outputs[-1])), outputs[-1]


def test_a_service_says_where_to_open_it_and_hands_out_that_address(shell: Shell) -> None:
    here = f"http://127.0.0.1:{shell.port}"
    assert f"Open {here}" in (shell.bin / "serve.log").read_text().splitlines()
    company = json.loads(shell.run("curl 'http://127.0.0.1:8000/api/public/empresas/US/320193'"))["entity"]
    assert company["canonicalUrls"]["en"] == f"{here}/en/companies/us/320193"
    page = shell.run("curl 'http://127.0.0.1:8000/en/docs/api'")
    assert f"{here}/api/public/empresas" in page
    assert "127.0.0.1:8000" not in page


def shows(shown: Any, answer: Any) -> bool:
    """True if every member shown is a member of the answer; members may be left out."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(key in answer and shows(shown[key], answer[key]) for key in shown)
    if isinstance(shown, list):
        return len(shown) == len(answer) and all(map(shows, shown, answer))
    return bool(shown == answer)


def test_a_shell_block_that_lies_is_caught(shell: Shell) -> None:
    assert shows({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3})
    assert not any(shows(lie, {"a": [{"b": 1}]}) for lie in ({"a": [{"b": 2}]}, {"a": []}, {"b": 1}, {"a": {}}))
    for line in ("curl 'http://127.0.0.1:8000/api/public/empresas/BR/1'", ".venv/bin/padron get BR 1", "true"):
        with pytest.raises(AssertionError):
            shell.run(line)


@pytest.mark.release_check
def test_make_run_from_a_fresh_copy(tmp_path: Path) -> None:
    copy = tmp_path / "padron"
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "var", "build", "node_modules", "*_cache", "__pycache__", ".hypothesis"
    )
    shutil.copytree(ROOT, copy, ignore=ignored)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PADRON_", "PYTHON", "VIRTUAL_"))
    }
    for run in ("fresh", "again"):
        port, log = free_port(), tmp_path / f"{run}.log"
        command = ["make", "run", f"PORT={port}"]
        with serving(command, port, log, INSTALLATION, cwd=copy, env=environment) as seconds:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/public/empresas/stats") as answer:
                assert json.load(answer)["total"] >= 110_000
            print(f"make run, {run}, answered after {seconds:.1f} s")
        assert ("is up to date" in log.read_text()) is (run == "again"), "what is built is not built a second time"


def script_of(name: str) -> str:
    """All shell blocks of a document."""
    return "".join(
        re.findall(r"^```bash\n(.*?)^```$", (ROOT / "docs" / name).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )


def test_the_way_in_spanish_is_the_same_but_for_comments_and_invented_values() -> None:
    invented = re.compile(r'^#.*\n|"(?:password|name)\\?": [^}]*', re.MULTILINE)
    english, spanish = (invented.sub("", script_of(name)) for name in ("v1.md", "v1.es.md"))
    assert english == spanish


@pytest.mark.verify
def test_the_way_from_an_account_to_a_cancelled_plan_is_pasted_as_it_stands(release: Path, tmp_path: Path) -> None:
    shutil.copytree(
        release, tmp_path / "var", copy_function=os.link, ignore=shutil.ignore_patterns("accounts*", "mail")
    )
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PADRON_BASE_URL": base}
    command = [sys.executable, "-m", "padron.cli.app", "serve", "--data", "var", "--port", str(port)]
    with serving(command, port, tmp_path / "serve.log", cwd=tmp_path, env=environment):
        done = subprocess.run(
            ["bash", "-c", script_of("v1.md").replace("http://127.0.0.1:8000", base)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    print(done.stdout)
    *_, key, answer, statements, account = done.stdout.splitlines()
    assert re.fullmatch(r"pdr_live_\w{32,}", key)
    assert json.loads(answer)["bestMatch"]["identifier"] == "33000167000101"
    assert json.loads(statements)["statements"][0]["currency"] == "USD"
    assert json.loads(account)["plan"] == "pro"
    assert json.loads(account)["subscription"]["ending"] is True


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = {line.split()[1] for block in MAKE_BLOCKS for line in block.commands if line.startswith("make ")}
    assert {"run", "test"} <= named <= targets


def test_generated_parts_are_current(release: Path) -> None:
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    documents = generate["documents"]()
    coverage = {"README.md", "README.es.md", "coverage.md", "coverage.es.md"}
    names = {*coverage, "LICENSE-DATA.md", "fields.md", "fields.es.md", "ranking.md"}
    assert {path.name for path in documents} == names
    for path in documents:
        text = path.read_text("utf-8")
        assert generate["render"](text, release) == text, f"{path.name}: make docs"
        assert generate["render"](text.replace("<!-- end -->", "| old |\n<!-- end -->"), release) == text


def dead_links(document: Path) -> list[str]:
    """Relative links that lead nowhere."""
    links = (link for link in _LINK.findall(document.read_text("utf-8")) if not re.match(r"[a-z]+:", link))
    return [link for link in links if not (document.parent / link).exists()]


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    assert {str(path): dead_links(path) for path in DOCUMENTS if dead_links(path)} == {}
    (tmp_path / "a.md").write_text("[a](a.md) [b](b.md#x) [c](https://example.org/x)")
    assert dead_links(tmp_path / "a.md") == ["b.md"]


def test_the_readme_is_short_and_shows_the_two_commands_first() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= README_LINES
    first_screen = "\n".join(lines[:25])
    assert "make run" in first_screen
    assert "make test" in first_screen


def settings(group: type, prefix: str = config.PREFIX) -> set[str]:
    """The variables that fill `group`."""
    hints = get_type_hints(group)
    return {
        name
        for field in fields(group)
        for name in (
            settings(hints[field.name], f"{prefix}{field.name.upper()}__")
            if is_dataclass(hints[field.name])
            else {prefix + field.name.upper()}
        )
    }


@pytest.mark.parametrize("name", ["README.md", "README.es.md"])
def test_every_setting_and_command_is_documented(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    assert set(re.findall(r"^\| `(PADRON_\w+)`", text, re.MULTILINE)) == settings(config.Settings)
    commands = {command for command in cli.app if not command.startswith("-")}
    assert set(re.findall(r"^\| `padron ([a-z]+)", text, re.MULTILINE)) == commands


def unproved(text: str) -> list[str]:
    """Lines of the specification without a test that exists; `not built yet` is a plain answer too."""
    missing = []
    for number, _, proof in _SPEC_ROW.findall(text):
        proofs = _PROOF.findall(proof)
        if not proofs and not proof.startswith("not built yet"):
            missing.append(f"{number}: no proof")
        missing += [f"{number}: {path}::{test}" for path, test in proofs if not is_test(path, test)]
    return missing


def is_test(path: str, test: str) -> bool:
    """True if `path` holds a test function of that name."""
    if not (ROOT / path).is_file():
        return False
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == test for node in ast.walk(tree)
    )


def test_every_line_of_the_specification_has_its_proof() -> None:
    text = (ROOT / "docs" / "spec-coverage.md").read_text("utf-8")
    rows = _SPEC_ROW.findall(text)
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == text.count("\n| ") - text.count("\n| --- ") - text.count("\n| line ")
    assert unproved(text) == []
    planted = (
        "| 1 | a | |\n| 2 | b |  |\n"
        "| 3 | c | `tests/project/test_docs.py::test_nothing` |\n| 4 | d | `tests/x.py::test_a` |\n"
    )
    assert unproved(planted.replace("| |", "|  |")) == [
        "1: no proof",
        "2: no proof",
        "3: tests/project/test_docs.py::test_nothing",
        "4: tests/x.py::test_a",
    ]


@pytest.mark.parametrize(
    ("name", "slips"),
    [("v1.md", "by one digit, or by two swapped"), ("v1.es.md", "en un dígito, o en dos intercambiados")],
)
def test_both_pages_name_both_slips_of_a_number(name: str, slips: str) -> None:
    [row] = [line for line in (ROOT / "docs" / name).read_text("utf-8").splitlines() if "`invalid_input` |" in line]
    assert slips in row
