"""The package itself: its imports, its requirements, its documentation, and that it runs on Python 3.10."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import padron_client
from padron_client import AsyncPadron, Padron, errors, types

FOLDER = Path(__file__).parents[1]
SOURCES = sorted((FOLDER / "src/padron_client").glob("*.py"))
DEPENDENCIES = {"httpx2", "msgspec"}
METHODS = [
    "search",
    "iter_search",
    "get",
    "financials",
    "financials_csv",
    "bulk_files",
    "coverage",
    "checkout",
    "usage",
    "changes",
    "match",
    "iter_match",
    "list_watchlists",
    "create_watchlist",
    "get_watchlist",
    "change_watchlist",
    "delete_watchlist",
    "list_webhooks",
    "create_webhook",
    "get_webhook",
    "change_webhook",
    "delete_webhook",
    "rotate_webhook_secret",
    "test_webhook",
]
STANDARD = sys.stdlib_module_names


def imports(text: str) -> set[str]:
    """Top-level names of the modules that a source text imports, wherever it does."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    froms = {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
    called = {
        ast.unparse(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"__import__", "importlib.import_module"}
    }
    return {name.partition(".")[0] for name in plain | froms} | called


def test_it_imports_two_libraries_and_nothing_of_the_service_or_of_an_agent_harness() -> None:
    """But for a local release, which is answered by the service where that is installed."""
    imported = {path.name: imports(path.read_text("utf-8")) - STANDARD for path in SOURCES}
    imported["local.py"].remove("importlib.import_module")
    assert set().union(*imported.values()) == DEPENDENCIES | {"padron_client"}
    declared = re.search(r"^dependencies = \[(.*)\]$", (FOLDER / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert declared is not None
    assert set(re.findall(r'"([a-z0-9]+)', declared[1])) == DEPENDENCIES
    for planted in (
        "from padron.companies.model import Teaser",
        "def f():\n    import mcp.types",
        "import openai",
        "from . import x",
    ):
        assert imports(planted) - STANDARD - DEPENDENCIES - {"padron_client"}


def undocumented(text: str) -> Iterator[str]:
    """Public classes, functions and members of a source text that nothing is said about."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        definition = isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if definition and not node.name.startswith("_") and not ast.get_docstring(node):
            yield node.name
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & {"Struct", "Result"}:
            yield from (f"{node.name}.{member}" for member in bare(node))


def bare(struct: ast.ClassDef) -> Iterator[str]:
    """Members of a class without a docstring of their own."""
    for member, after in zip(struct.body, [*struct.body[1:], None], strict=True):
        documentation = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(member, ast.AnnAssign) and not documentation:
            yield ast.unparse(member.target)


def test_all_of_it_is_documented() -> None:
    assert [name for path in SOURCES for name in undocumented(path.read_text("utf-8"))] == []
    for planted in ("def f(): ...", "class A(Struct):\n    '''A.'''\n    b: int\n    c: int\n    '''C.'''"):
        assert list(undocumented(planted))


@pytest.mark.parametrize("name", METHODS)
def test_each_method_tells_its_arguments_units_and_errors(name: str) -> None:
    method = getattr(Padron, name)
    documentation = inspect.getdoc(method) or ""
    arguments = set(inspect.signature(method).parameters) - {"self"}
    assert (
        set(re.findall(r"^    (\w+): ", documentation.partition("Returns:")[0].partition("Raises:")[0], re.MULTILINE))
        == arguments
    )
    assert "Raises:" in documentation


def test_both_clients_take_the_same() -> None:
    for name in (*METHODS, "close", "__init__"):
        ours, other = (inspect.signature(getattr(client, name)).parameters.values() for client in (Padron, AsyncPadron))
        assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in other]


def test_every_error_is_in_the_tree_that_its_module_shows() -> None:
    classes = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert set(re.findall(r"(\w+Error)\b", (errors.__doc__ or "").partition("A wrong argument")[0])) == classes
    assert classes <= set(padron_client.__all__)


def test_results_cannot_be_changed() -> None:
    structs = [thing for thing in vars(types).values() if isinstance(thing, type) and issubclass(thing, msgspec.Struct)]
    assert all(struct.__struct_config__.frozen for struct in structs if struct is not msgspec.Struct)


def test_the_sources_are_python_310() -> None:
    """Grammar only; pyright, with Python 3.10, checks what the standard library has."""
    for path in [*SOURCES, FOLDER / "generate.py"]:
        ast.parse(path.read_text("utf-8"), feature_version=(3, 10))
    with pytest.raises(SyntaxError):
        ast.parse(textwrap.dedent("try: ...\nexcept* ValueError: ..."), feature_version=(3, 10))
