"""Architecture: import contracts, no machine's paths, and every test proves something.

Each rule is a function over a folder, so that a planted fault shows it can fail.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OUTSIDE = {".git", ".hypothesis", ".venv", "var", "build", "dist", "node_modules", "__pycache__"}
"""Names that are no part of the project: installed, built, downloaded, or of the version control."""

PLANTED = {
    "direction": ("text.py", "import padron.index.engine"),
    "countries-apart": ("countries/ec/__init__.py", "import padron.countries.co"),
    "countries-pure": ("countries/ec/__init__.py", "import subprocess"),
    "server-without-etl": ("index/engine.py", "import padron.ingest.read"),
    "engine-seam": ("matching/score.py", "import tantivy"),
    "opensearch-room": ("index/vocabulary.py", "import opensearchpy"),
    "answer-cache-room": ("lookup/find.py", "import cachetools"),
    "vocabulary-room": ("index/retrieval.py", "import marisa_trie"),
    "engine-apart": ("index/retrieval.py", "import padron.index.tantivy_engine"),
    "duckdb-room": ("matching/score.py", "import duckdb"),
    "spreadsheet-room": ("releases/snapshot.py", "import python_calamine"),
    "workbook-room": ("lists/rows.py", "import xlsxwriter"),
    "store-room": ("releases/snapshot.py", "import obstore"),
    "network-room": ("ingest/build.py", "import httpx2"),
    "receiver-room": ("accounts/webhooks.py", "import h11"),
    "similarity-room": ("text.py", "import rapidfuzz"),
    "transliteration-room": ("index/spelling.py", "import anyascii"),
    "database-room": ("matching/score.py", "import sqlalchemy"),
    "password-room": ("accounts/sessions.py", "import argon2"),
    "code-room": ("accounts/sessions.py", "import pyotp"),
    "shared-counters-room": ("accounts/keys.py", "import redis.asyncio"),
    "payment-room": ("accounts/plans.py", "import stripe"),
    "web-room": ("index/engine.py", "from starlette.requests import Request"),
    "tools-room": ("mcp/endpoint.py", "import mcp_types"),
    "server-room": ("service/app.py", "import uvicorn"),
    "tracing-room": ("transport/middleware.py", "import opentelemetry"),
    "page-room": ("transport/problems.py", "import jinja2"),
    "compression-room": ("web/page.py", "import cramjam"),
    "catalogue-room": ("transport/problems.py", "import babel.messages"),
    "terminal-room": ("ingest/build.py", "import rich"),
    "tests-only": ("countries/country.py", "import stdnum.ec.ruc"),
}
"""One line that breaks each import contract, and the module it is planted in."""


def lint_imports(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the contracts of `root`/pyproject.toml over `root`/src."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", *options]
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "COLUMNS": "200"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and its contracts, to plant faults in."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_import_contracts_hold() -> None:
    run = lint_imports(ROOT)
    assert run.returncode == 0, run.stdout


def contracts() -> list[dict[str, Any]]:
    """The import contracts of pyproject.toml."""
    listed: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    return listed


def test_the_page_on_architecture_lists_the_layers_in_their_order() -> None:
    layers = [module for layer in contracts()[0]["layers"] for module in layer.split(" | ")]
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == layers


def drawn_arrows(page: str) -> set[tuple[str, str]]:
    """Arrows of the picture of packages, from the importer to what it imports."""
    picture = page.split("```mermaid")[2].partition("```")[0]
    return {
        (importer, imported)
        for importer, row in re.findall(r"^  (\w+) --> (.+)$", picture, re.MULTILINE)
        for imported in row.split(" & ")
    }


def imports_between_packages() -> set[tuple[str, str]]:
    """Pairs of packages, or modules at the root, of which the first imports the second."""
    package = ROOT / "src" / "padron"
    pairs = set()
    for path in package.rglob("*.py"):
        importer = path.relative_to(package).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "padron":
                _, *inside = str(node.module).split(".")
                pairs |= {(importer, inside[0])} if inside else {(importer, name.name) for name in node.names}
    return pairs


def undrawn(arrows: set[tuple[str, str]], imports: set[tuple[str, str]], layers: list[str]) -> set[tuple[str, str]]:
    """Imports that no way along the arrows stands for; the layers go from the top down."""
    below: dict[str, set[str]] = {}
    for package in reversed(layers):
        near = {imported for importer, imported in arrows if importer == package}
        below[package] = near.union(*(below[imported] for imported in near))
    return {(importer, imported) for importer, imported in imports if imported not in {importer, *below[importer]}}


def test_the_picture_of_packages_draws_imports_of_the_code_and_leaves_none_out() -> None:
    arrows = drawn_arrows((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    imports = imports_between_packages()
    assert arrows - imports == set()
    drawn = [module for layer in contracts()[0]["layers"] for module in layer.split(" | ") if module != "__main__"]
    among = {pair for pair in imports if set(pair) <= set(drawn)}
    assert undrawn(arrows, among, drawn) == set()
    assert undrawn(arrows - {("directory", "lists")}, among, drawn) >= {("directory", "lists")}


def test_every_contract_has_a_planted_violation() -> None:
    assert [contract["id"] for contract in contracts()] == list(PLANTED)


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_violation_is_caught(copy: Path, contract: str) -> None:
    name, line = PLANTED[contract]
    module = copy / "src" / "padron" / name
    module.write_text(f"{module.read_text()}\n{line}\n")
    run = lint_imports(copy, "--contract", contract)
    assert run.returncode == 1
    importer = "padron." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imported = line.split()[1].split(".")[0]
    assert re.search(rf"{re.escape(importer)} ?->.*{imported}", run.stdout), run.stdout


def test_a_module_outside_the_layers_is_caught(copy: Path) -> None:
    (copy / "src" / "padron" / "helpers.py").write_text('"""Odds and ends."""\n')
    run = lint_imports(copy, "--contract", "direction")
    assert run.returncode == 1
    assert "helpers" in run.stdout


def loaded_by(module: str) -> set[str]:
    """Every module in memory after importing `module`, in a fresh process."""
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_the_server_loads_neither_the_etl_nor_duckdb() -> None:
    heavy = {"duckdb", "python_calamine", "padron.ingest"}
    assert loaded_by("padron.service.app") & {*heavy, "mcp", "pydantic"} == set()
    assert loaded_by("padron.ingest.build") & heavy == heavy


def project_files(root: Path, *suffixes: str) -> Iterator[Path]:
    """The text files of the project, without the official data."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(set(names) - OUTSIDE - {name for name in names if name.endswith(("_cache", ".egg-info"))})
        if Path(folder) == root / "data":
            names.remove("official")
        for name in sorted(set(files) - OUTSIDE):
            path = Path(folder, name)
            if not suffixes or path.suffix in suffixes:
                yield path


FORBIDDEN = re.compile(
    "|".join(
        (
            r"/(?:work|root|home)/\w",
            r"[A-Z]:\\Users",
            r"\b(?:pypi|crates)\.(?:org|io)\b",
            r"python" + "hosted",
            r"registry\." + "npmjs",
            r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b\s*[:(]",
            r"(?:#|--|//|<!--)\s*(?:TO" + r"DO|FIX" + "ME)",
            r"Not" + "ImplementedError",
            r"pytest\.(?:mark\.)?(?:sk" + "ip|xf" + "ail)",
        )
    )
)


def forbidden_words(root: Path) -> list[str]:
    """Lines that name a machine's paths or a registry's host, or admit that something is unfinished or silenced."""
    return [
        f"{path.relative_to(root)}:{number}"
        for path in project_files(root)
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1)
        if FORBIDDEN.search(line)
    ]


def proves(function: ast.AST, module: dict[str, ast.AST], seen: frozenset[str] = frozenset()) -> bool:
    """True if a test asserts or expects an error, itself or through a name of its module."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        if name in {"raises", "fail"}:
            return True
        called = node.id if isinstance(node, ast.Name) else ""
        if called in module.keys() - seen and proves(module[called], module, seen | {called}):
            return True
    return False


def idle_tests(root: Path) -> list[str]:
    """Tests that could not fail."""
    idle = []
    for path in sorted(root.rglob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        module: dict[str, ast.AST] = {
            name.id: node
            for node in tree.body
            if isinstance(node, ast.Assign)
            for name in node.targets
            if isinstance(name, ast.Name)
        } | {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        tests = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        ]
        idle += [f"{path.relative_to(root)}::{test.name}" for test in tests if not proves(test, module)]
    return idle


def test_nothing_names_a_machine_or_is_left_unfinished() -> None:
    assert forbidden_words(ROOT) == []


def test_every_test_proves_something() -> None:
    assert idle_tests(ROOT / "tests") == []


def test_each_planted_fault_is_found(tmp_path: Path) -> None:
    words = [
        "see /wo" + "rk/x",
        "https://pyp" + "i.org/simple",
        "# TO" + "DO later",
        "FIX" + "ME: x",
        "C:\\Us" + "ers\\a",
    ]
    (tmp_path / "notes.md").write_text("\n".join(["A TODO RIESGO SA", "homework/essay", *words]))
    assert forbidden_words(tmp_path) == [f"notes.md:{number}" for number in range(3, 8)]

    (tmp_path / "test_idle.py").write_text(
        "def check(x):\n    assert x\ndef test_a():\n    check(1)\n"
        "def test_b():\n    print(1)\ndef test_c():\n    with pytest.raises(ValueError):\n        int('x')\n"
    )
    assert idle_tests(tmp_path) == ["test_idle.py::test_b"]
