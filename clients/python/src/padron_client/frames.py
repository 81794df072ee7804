"""Lists in data frames of pandas and polars. Neither library is needed to import this; a frame brings its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec

from padron_client.calls import Row
from padron_client.client import Padron
from padron_client.types import RowMatch, Teaser

_FIELDS: Final = tuple(Row.__annotations__)
_BATCH: Final = 500
"""Rows a request."""
_ABSENT: Final = frozenset({"NoneType", "NAType", "NaTType"})
"""Types of cells without a value."""
_PANDAS: Final = "assign"

_decode = msgspec.json.Decoder(RowMatch).decode

Frame = TypeVar("Frame")


def match(
    frame: Frame,
    padron: Padron | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    progress: Callable[[int, int], object] | None = None,
    resume: str | PathLike[str] | None = None,
) -> Frame:
    """The company of each row of a data frame of pandas or polars, in columns `padron_…` of a new frame.

    Equal rows are asked once and count once. The client keeps to the pace of its plan.

    Args:
        frame: The list.
        padron: The client; one of the environment when left out.
        columns: Field -> column: `name`, `identifier`, `country`, `city`, `region`, `activity`, `legal_form`,
            `former_name`. When left out, the columns of these names are read.
        progress: Called with the number of different rows that are done, and how many there are.
        resume: A file that keeps the answers until all are there: the same call goes on where it ended. It holds the
            answers, so keep it where the list may be.

    Returns:
        A frame with the same rows and index. Columns that it had under these names are replaced.

    Raises:
        TypeError: `frame` is no data frame of these libraries.
        ValueError: A column or field is unknown, or neither `name` nor `identifier` is among them.
        APIError: One of its classes; with `resume`, what was answered before is kept.
    """
    data = cast("Any", frame)
    if not (hasattr(data, _PANDAS) or hasattr(data, "with_columns")) or not hasattr(data, "columns"):
        raise TypeError(f"a data frame of pandas or polars is needed, not {type(frame).__name__}")
    rows = _rows(data, _chosen([*data.columns], columns))
    different = list(dict.fromkeys(rows))
    kept = None if resume is None else _Kept(Path(resume), different)
    if padron is None:
        with Padron() as own:
            answers = _answers(own, different, kept, progress)
    else:
        answers = _answers(padron, different, kept, progress)
    if kept is not None:
        kept.path.unlink(missing_ok=True)
    by_row = dict(zip(different, map(added, answers), strict=True))
    values = {name: [by_row[row][name] for row in rows] for name in ADDED}
    return cast("Frame", _with_columns(data, values))


def _chosen(present: Sequence[str], columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return field -> column. Raises `ValueError`."""
    if columns is None:
        columns = {field: field for field in _FIELDS if field in present}
    for field, column in columns.items():
        if field not in _FIELDS:
            raise ValueError(f"{field!r} is no field; the fields are: {', '.join(_FIELDS)}")
        if column not in present:
            raise ValueError(f"the frame has no column {column!r}; it has: {', '.join(map(str, present))}")
    if not columns.keys() & {"name", "identifier"}:
        raise ValueError(f"say which column has names or identifiers, columns={{'name': …}}: {', '.join(present)}")
    return dict(columns)


def _rows(data: Any, columns: Mapping[str, str]) -> list[tuple[tuple[str, str], ...]]:
    """Return field and text of the cells that are not empty, row by row."""
    texts = [[(field, _text(cell)) for cell in data[column].to_list()] for field, column in columns.items()]
    return [tuple(cell for cell in row if cell[1]) for row in zip(*texts, strict=True)]


def _text(cell: object) -> str:
    """Return a cell as text: whole numbers without the `.0` that a column with gaps gives them."""
    if type(cell).__name__ in _ABSENT or cell != cell:  # noqa: PLR0124 - not a number
        return ""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()


class _Kept:
    """The answers of a list in a file: a digest of the list, then a line for each row."""

    def __init__(self, path: Path, rows: Sequence[tuple[tuple[str, str], ...]]) -> None:
        self.path = path
        digest = hashlib.sha256(msgspec.json.encode(rows)).hexdigest().encode() + b"\n"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines[:1] != [digest]:
            lines = [digest]
        self.lines = [line for line in lines[1:] if line.endswith(b"\n")]
        path.write_bytes(b"".join([digest, *self.lines]))  # without a torn line

    def add(self, matches: Sequence[RowMatch]) -> None:
        """Keep the answers of the next rows."""
        with self.path.open("ab") as file:
            file.write(b"".join(msgspec.json.encode(match) + b"\n" for match in matches))


def _answers(
    padron: Padron,
    rows: Sequence[tuple[tuple[str, str], ...]],
    kept: _Kept | None,
    progress: Callable[[int, int], object] | None,
) -> list[RowMatch]:
    answers = [_decode(line) for line in kept.lines] if kept else []
    while len(answers) < len(rows):
        batch = padron.match([cast("Row", dict(row)) for row in rows[len(answers) : len(answers) + _BATCH]]).matches
        if kept:
            kept.add(batch)
        answers += batch
        if progress:
            progress(len(answers), len(rows))
    return answers


ADDED: Final = tuple(
    f"padron_{name}"
    for name in (
        "verdict confidence country scheme identifier name status matched_on reason conflicts"
        " second_country second_identifier second_name second_confidence"
    ).split()
)
"""The columns that `padron match` adds to a list too."""


def added(match: RowMatch) -> dict[str, str | float | None]:
    """The cells of `ADDED` for a row; None where there is nothing to say."""
    first, second = _cells(match.company), _cells(match.second)
    reason = [match.matched_on, match.reason, " ".join(match.conflicts)]
    country, _, identifier, name, _ = second[1:]
    values = [match.verdict, *first, *reason, country, identifier, name, second[0]]
    return dict(zip(ADDED, values, strict=True))


def _cells(company: Teaser | None) -> list[str | float | None]:
    """Return confidence, country, scheme, identifier, name and status of a company."""
    if company is None:
        return [None] * 6
    return [
        company.confidence,
        company.country_code,
        company.scheme,
        company.identifier,
        company.legal_name,
        company.status,
    ]


def _with_columns(data: Any, values: Mapping[str, list[str | float | None]]) -> Any:
    if hasattr(data, _PANDAS):
        return data.assign(**values)
    series = cast("Any", type(data[data.columns[0]]))
    return data.with_columns([series(name, column) for name, column in values.items()])
