"""Check names and docstrings: plain English nouns, the same rules everywhere.

Rules, each reported as `file:line: rule: message`:

- `identifier`: no variable, parameter, attribute or function is called `found`, `one`, `told`, `said` or `what`.
- `opening`: a docstring begins with an imperative or a noun phrase, not with a clause or a third-person verb.
- `full-stop`: the first line of a docstring ends with a full stop.
- `sections`: a public function of `src` with more than two parameters documents them (`Args:`), and what it returns
  and raises (`Returns:`, `Raises:`) where it does, or ends with ``See `Interface.method`.``
- `class-name`: no two public classes of `src` share a name.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

PROJECT = ("benchmarks", "clients/python", "docs", "evaluation", "src", "tests", "tools")
"""Folders with the Python of the project: they are checked when no path is given."""

SKIPPED = {".venv", "build", "dist", "node_modules", "var", "__pycache__"}
"""Folders that are installed, built or downloaded."""

GENERATED = {"clients/python/src/padron_client/types.py"}
"""Modules that are written by a program from descriptions for people."""

WIRE_NAMES = {("src/padron/api/v1_search_model.py", "found")}
"""Identifiers that are members of an interface and cannot change, with their modules."""

VAGUE = {"found", "one", "told", "said", "what"}
"""Names that do not say which thing they hold. Underscores around them do not help."""

MOST_WITHOUT_SECTIONS = 2
"""A function with this many parameters is explained by its first line and their names."""

_CLAUSE = re.compile(
    r"(?:what|whatever|whether|how|who|whom|whose|where|wherever|when|whenever|which|whichever|why|that|those|as|if|it|"
    r"everything|everybody|everyone|something|somebody|someone|nothing|nobody|all (?:that|who|there)|there|"
    r"about|after|at|for|from|in|not|of|once|too)\b",
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(
    r"(?:Adds|Admits|Brings|Builds|Closes|Compares|Does|Finds|Forgets|Gathers|Gets|Gives|Hands|Has|Holds|Is|Keeps|Knows|"
    r"Lets|Looks|Makes|Moves|Opens|Puts|Raises|Reads|Removes|Returns|Runs|Says|Sends|Serves|Shows|Signs|Takes|Tells|"
    r"Turns|Writes)\b"
)
_NO_VALUE = {"None", "NoReturn", "Never"}
_OVERRIDES = {"override", "overload"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Violation(NamedTuple):
    """A line that breaks a rule."""

    path: Path
    line: int
    rule: str
    message: str


def python_files(root: Path) -> Iterator[Path]:
    """Yield the Python files of a folder, or the file itself."""
    if root.is_file():
        yield root
    for path in sorted(root.rglob("*.py")):
        if not SKIPPED.intersection(path.relative_to(root).parts):
            yield path


def _defined_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node gives to something."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.alias(asname=str(name)):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case _:
            return


def vague_names(path: Path, tree: ast.Module) -> Iterator[Violation]:
    """Yield the identifiers that do not name the thing."""
    fixed = {name for module, name in WIRE_NAMES if path == ROOT / module}
    for node in ast.walk(tree):
        for name in _defined_names(node):
            if name.strip("_") in VAGUE and name not in fixed:
                yield Violation(path, getattr(node, "lineno", 1), "identifier", f"name the thing instead of `{name}`")


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Yield line, text, and whether it is the docstring of a module, class or function rather than of a constant."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for position, statement in enumerate(body):
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    own = documented and position == 0
                    if own or isinstance(body[position - 1], ast.Assign | ast.AnnAssign):
                        yield statement.lineno, text, own


def docstring_style(path: Path, tree: ast.Module) -> Iterator[Violation]:
    """Yield the docstrings that begin with a clause, and those whose first line does not end with a full stop."""
    for line, text, own in _docstrings(tree):
        first = text.strip().split("\n", 1)[0].strip()
        if opening := _CLAUSE.match(first) or _THIRD_PERSON.match(first):
            message = f"begin with an imperative or a noun phrase, not with “{opening[0]}”"
            yield Violation(path, line, "opening", message)
        if not (first if own else text.rstrip()).endswith((".", ":")):
            yield Violation(path, line, "full-stop", "end the first line with a full stop")


def _public_functions(body: Sequence[ast.stmt], method: bool = False) -> Iterator[tuple[Function, bool]]:
    """Yield the public functions, and methods of public classes, each with whether it is a method."""
    for node in body:
        if isinstance(node, Function):
            if not node.name.startswith("_"):
                yield node, method
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public_functions(node.body, method=True)


def _own_statements(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _parameters(function: Function, method: bool) -> int:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args]
    bound = method and bool(named) and named[0].arg in {"self", "cls"}
    return len(named) - bound + len(arguments.kwonlyargs) + bool(arguments.vararg) + bool(arguments.kwarg)


def _sections_owed(function: Function) -> Iterator[tuple[str, ...]]:
    """Yield the sections that a docstring of the function must have, each as the headings that will do."""
    yield ("Args:",)
    nodes = list(_own_statements(function))
    if function.returns is not None and ast.unparse(function.returns) not in _NO_VALUE:
        yield ("Returns:", "Yields:")
    if any(isinstance(node, ast.Raise) and node.exc is not None for node in nodes):
        yield ("Raises:",)


def missing_sections(path: Path, tree: ast.Module) -> Iterator[Violation]:
    """Yield the public functions with many parameters whose docstring lacks a section.

    A method whose docstring ends with a reference to the interface that it implements (``See `Engine.look_up`.``) is
    documented there.
    """
    for function, method in _public_functions(tree.body):
        decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
        if _parameters(function, method) <= MOST_WITHOUT_SECTIONS or decorators & _OVERRIDES:
            continue
        text = ast.get_docstring(function) or ""
        if re.search(r"\bSee `\w+\.\w+`\.$", text):
            continue
        lines = {line.strip() for line in text.splitlines()}
        missing = [headings[0] for headings in _sections_owed(function) if lines.isdisjoint(headings)]
        if missing:
            message = f"the docstring of `{function.name}` lacks {' '.join(missing)}"
            yield Violation(path, function.lineno, "sections", message)


def shared_class_names(source: Path) -> Iterator[Violation]:
    """Yield every public class of a folder whose name another public class of the folder has too."""
    places: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in python_files(source):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append((path, node.lineno))
    for name, classes in places.items():
        if len(classes) > 1:
            for path, line in classes:
                others = ", ".join(str(other.relative_to(source)) for other, _ in classes if other != path)
                yield Violation(path, line, "class-name", f"`{name}` is also a class of {others}")


def violations(paths: Sequence[Path], root: Path = ROOT) -> Iterator[Violation]:
    """Yield every violation in files and folders, in the order of the files."""
    source = root / "src"
    generated = {root / path for path in GENERATED}
    checked = [path for given in paths for path in python_files(given) if path not in generated]
    shared = [violation for violation in shared_class_names(source) if violation.path in set(checked)]
    for path in checked:
        tree = ast.parse(path.read_text("utf-8"))
        yield from vague_names(path, tree)
        yield from docstring_style(path, tree)
        if path.is_relative_to(source):
            yield from missing_sections(path, tree)
        yield from (violation for violation in shared if violation.path == path)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print the violations of the given paths and return the exit code: 1 when there is any."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.naming",
        description=__doc__,
        epilog="Check your own rooms with: python -m tools.naming src/padron/ROOM tests/ROOM",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="*", help="files and folders; by default the whole project")
    given = parser.parse_args(arguments).paths
    paths = [Path(path).resolve() for path in given] or [root / path for path in PROJECT]
    reported = 0
    for violation in violations(paths, root):
        print(f"{violation.path.relative_to(root)}:{violation.line}: {violation.rule}: {violation.message}")
        reported += 1
    return int(reported > 0)


if __name__ == "__main__":
    sys.exit(main())
