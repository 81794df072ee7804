"""Check names and docstrings: plain English nouns, the same rules everywhere.

Rules, each reported as `file:line: rule: message`:

- `identifier`: no variable, parameter, attribute or function is called `found`, `one`, `told`, `said` or `what`, and no
  table, column or query of SQL, no name of JavaScript or TypeScript.
- `opening`: a docstring begins with an imperative or a noun phrase, not with a clause or a third-person verb.
- `full-stop`: the first line of a docstring ends with a full stop.
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

PROJECT = ("benchmarks", "clients/python", "clients/typescript", "docs", "evaluation", "src", "tests", "tools")
"""Folders with the code of the project: they are checked when no path is given."""

SKIPPED = {".venv", "node", "runtimes", "build", "dist", "node_modules", "var", "__pycache__"}
"""Folders that are installed, built or downloaded."""

GENERATED = {"clients/python/src/padron_client/types.py"}
"""Modules that are written by a program from descriptions for people."""

WIRE_NAMES = {("src/padron/api/v1_search_model.py", "found")}
"""Identifiers that are members of an interface and cannot change, with their modules."""

VAGUE = {"found", "one", "told", "said", "what"}
"""Names that do not say which thing they hold. Underscores around them do not help."""

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


class Violation(NamedTuple):
    """A line that breaks a rule."""

    path: Path
    line: int
    rule: str
    message: str


def source_files(root: Path, *suffixes: str) -> Iterator[Path]:
    """Yield the files of a folder with one of some suffixes, or the file itself."""
    if root.is_file() and root.suffix in suffixes:
        yield root
    for path in sorted(path for path in root.rglob("*") if path.suffix in suffixes):
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


_DEFINITIONS = {
    ".sql": re.compile(r"(?i)\b(?:table|view|macro|with|as)\s+(?P<name>[a-z_]+)\b"),
    ".js": re.compile(r"\b(?:const|let|var|function|class)\s+(?P<name>\w+)|\((?P<parameter>\w+)\) =>"),
}
_DEFINITIONS[".ts"] = _DEFINITIONS[".js"]
"""Definitions in other languages, by the suffix of their files."""


def vague_names_elsewhere(path: Path) -> Iterator[Violation]:
    """Yield the names of a file of SQL, JavaScript or TypeScript that do not name the thing."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        code = line.partition("--" if path.suffix == ".sql" else "//")[0]
        for defined in _DEFINITIONS[path.suffix].finditer(code):
            if (name := next(filter(None, defined.groups()))) in VAGUE:
                yield Violation(path, number, "identifier", f"name the thing instead of `{name}`")


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


def shared_class_names(source: Path) -> Iterator[Violation]:
    """Yield every public class of a folder whose name another public class of the folder has too."""
    places: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in source_files(source, ".py"):
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
    checked = [path for given in paths for path in source_files(given, ".py") if path not in generated]
    shared = [violation for violation in shared_class_names(source) if violation.path in set(checked)]
    for path in (path for given in paths for path in source_files(given, *_DEFINITIONS)):
        yield from vague_names_elsewhere(path)
    for path in checked:
        tree = ast.parse(path.read_text("utf-8"))
        yield from vague_names(path, tree)
        yield from docstring_style(path, tree)
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
