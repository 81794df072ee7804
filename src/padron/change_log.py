"""The change log: the changes of each published release against the one before, read page by page with a cursor.

    <data>/changes/<number>-<release>.jsonl    first line: {"from", "to", "at"}; then one line per change

A change has `country`, `scheme`, `identifier`, `name` (the current or last one), `change` and `before`, `after`:

    new, gone                 the company entered the directory, or left it
    renumbered                its identifier changed; `before` is the old one, which still leads to it
    renamed, status-changed   `before` and `after`
    new-statements            `after` lists the new fiscal years

Lines are ordered by country, scheme, identifier, change. A cursor is `<number>-<byte>`: the position of the next line.
Suppressed companies are left out when a log is written (`padron.ingest.changes`), and again when it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from padron.country import Country
from padron.errors import Invalid
from padron.suppression import Suppressions

ChangeKind = Literal["new", "gone", "renumbered", "renamed", "status-changed", "new-statements"]

NAME: Final = re.compile(r"(\d{6})-(.+)\.jsonl")
"""Names of logs."""
SCANNED: Final = 20_000
"""Lines that one page looks at, at most: some tenths of a second."""
_CURSOR = re.compile(r"(\d{1,6})-(\d{1,18})")
_TAIL: Final = 1 << 20
"""Bytes at the end of a log that are read for its last changes."""


class ChangePage(NamedTuple):
    """Changes in order, the cursor of the next page, and whether that page has lines to look at already."""

    changes: list[dict[str, Any]]
    cursor: str
    more: bool


class ChangeFilter(NamedTuple):
    """Changes to return: of one country, of one kind, or all."""

    country: str | None = None
    kind: str | None = None


ALL: Final = ChangeFilter()


def read(
    data: Path,
    cursor: str | None,
    limit: int,
    registry: Mapping[str, Country],
    suppressions: Suppressions,
    wanted: ChangeFilter = ALL,
) -> ChangePage:
    """Return a page of changes, without suppressed companies, each with its `release` and the time `at` of its build.

    Args:
        data: Data folder.
        cursor: Position to continue from, None for the first log.
        limit: Maximum number of changes.
        registry: The countries.
        suppressions: Companies to leave out.
        wanted: Changes to return.

    Returns:
        The page.

    Raises:
        Invalid: `bad-cursor`, for one that no page gave.
    """
    number, place = _place(cursor)
    changes: list[dict[str, Any]] = []
    scanned, more = 0, False
    for path in logs(data):
        if (current := int(path.name[:6])) < number:
            continue
        with path.open("rb") as log:
            head = json.loads(log.readline())
            start = place if current == number and place else log.tell()
            log.seek(start - 1)
            if start > path.stat().st_size or log.read(1) != b"\n":
                raise Invalid("bad-cursor", parameter="since")
            number, place = current, start
            while len(changes) < limit and scanned < SCANNED and (line := log.readline()):
                place, scanned = log.tell(), scanned + 1
                changes += _shown([line], head, registry, suppressions, wanted)
            more = bool(log.read(1))
        if len(changes) == limit or scanned == SCANNED:
            break
    return ChangePage(changes, f"{number}-{place}", more or number < _newest(data))


def latest(data: Path, most: int, registry: Mapping[str, Country], suppressions: Suppressions) -> list[dict[str, Any]]:
    """Return the last changes, the latest first.

    Args:
        data: Data folder.
        most: Maximum number of changes.
        registry: The countries.
        suppressions: Companies to leave out.

    Returns:
        The changes.
    """

    def backwards() -> Iterator[dict[str, Any]]:
        for path in reversed(logs(data)):
            with path.open("rb") as log:
                head, first = json.loads(log.readline()), log.tell()
                log.seek(max(first, path.stat().st_size - _TAIL))
                lines = log.readlines()[int(log.tell() - first > _TAIL) :]  # the first may be a part of one
            yield from _shown(reversed(lines), head, registry, suppressions, ALL)

    return list(islice(backwards(), most))


def _shown(
    lines: Iterable[bytes],
    head: Mapping[str, Any],
    registry: Mapping[str, Country],
    suppressions: Suppressions,
    wanted: ChangeFilter,
) -> Iterator[dict[str, Any]]:
    """Yield the changes of lines of a log that are wanted and not suppressed."""
    for line in lines:
        change = json.loads(line)
        numbers = [(change["scheme"], change["identifier"]), *map(tuple, change.pop("aliases"))]
        is_wanted = wanted.country in {None, change["country"]} and wanted.kind in {None, change["change"]}
        if is_wanted and not is_hidden(registry[change["country"]], numbers, suppressions):
            yield {**change, "release": head["to"], "at": head["at"]}


def is_hidden(country: Country, numbers: list[tuple[str, str]], suppressions: Suppressions) -> bool:
    """Return whether a company is suppressed.

    Args:
        country: Its country.
        numbers: Scheme and value of its identifiers.
        suppressions: Companies to leave out.

    Returns:
        Whether it is.
    """
    schemes = country.scheme_by_code
    keys = [(scheme, schemes[scheme].key(value)) for scheme, value in numbers if scheme in schemes]
    return suppressions.hides(country.code, keys)


def logs(data: Path) -> list[Path]:
    """Return the logs, the oldest first."""
    return sorted(path for path in (data / "changes").glob("*.jsonl") if NAME.fullmatch(path.name))


def _newest(data: Path) -> int:
    return max((int(path.name[:6]) for path in logs(data)), default=0)


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    if not (match := _CURSOR.fullmatch(cursor)):
        raise Invalid("bad-cursor", parameter="since")
    return int(match[1]), int(match[2])
