"""The change log: the changes of each published release against the one before, read page by page with a cursor.

    <data>/changes/<number>-<release>.jsonl    first line: {"from", "to", "at"}; then one line per change

A change has `country`, `scheme`, `identifier`, `name` (the current or last one), `change` and `before`, `after`:

    new, gone                 the company entered the directory, or left it
    renumbered                its identifier changed; `before` is the old one, which still leads to it
    renamed, status-changed   `before` and `after`
    new-statements            `after` lists the new fiscal years

Lines are ordered by country, scheme, identifier, change. A cursor is `<number>-<byte>`: the position of the next line.
The number of a log is the hour of its release, or the next one after the log before: where the data folder is lost and
built anew, the logs go on behind every cursor that was given before.
Suppressed companies are left out when a log is written (`padron.ingest.changes`), and again when it is read.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from os import SEEK_END
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from padron.countries.country import Country
from padron.errors import Invalid, PadronError, ReleaseError
from padron.releases.suppression import Suppressions
from padron.text import split_form, tokens

ChangeKind = Literal["new", "gone", "renumbered", "renamed", "status-changed", "new-statements"]

NAME: Final = re.compile(r"(\d{6})-(.+)\.jsonl")
"""Names of logs."""
SCANNED: Final = 20_000
"""Lines that one page or feed looks at, at most: some tenths of a second."""
_CURSOR = re.compile(r"(\d{1,6})-(\d{1,18})")
_FIRST_HOUR: Final = datetime(2026, 1, 1, tzinfo=UTC)
_TAIL: Final = 1 << 20
"""Bytes at the end of a log that are read for its last changes."""


class ChangePage(NamedTuple):
    """Changes in order, the cursor of the next page, and whether that page has lines to look at already."""

    changes: list[dict[str, Any]]
    cursor: str
    more: bool


class Watch:
    """Companies and searches whose changes are asked for."""

    def __init__(
        self, companies: Iterable[tuple[str, str]] = (), searches: Iterable[tuple[str | None, str]] = ()
    ) -> None:
        """Keep what is watched.

        Args:
            companies: Country and identifier of each company.
            searches: A country (None: all) and words of a name, for each search.
        """
        self._companies = frozenset(companies)
        self._searches: defaultdict[str, list[tuple[str | None, frozenset[str]]]] = defaultdict(list)
        for country, text in searches:
            words = frozenset(tokens(text))
            # A search is kept under one of its words: that which the fewest are kept under so far.
            self._searches[min(words, key=lambda word: len(self._searches.get(word, ())))].append((country, words))

    def covers(self, change: Mapping[str, Any], numbers: Iterable[tuple[str, str]]) -> bool:
        """Return whether a change is of one of the companies, or of a name that has all words of a search.

        Args:
            numbers: Scheme and value of the identifiers of its company.
        """
        country = change["country"]
        values = [value for _, value in numbers]
        if change["change"] == "renumbered":
            values.append(change["before"])
        if any((country, value) in self._companies for value in values):
            return True
        if not self._searches:
            return False
        names = [frozenset(tokens(change[part] or "")) for part in ("name", "before", "after")]
        return any(
            wanted in {None, country} and words <= name
            for name in names
            for word in name
            for wanted, words in self._searches.get(word, ())
        )


class ChangeFilter(NamedTuple):
    """Changes to return: of one country, of one kind, of what is watched, or all."""

    country: str | None = None
    kind: str | None = None
    watch: Watch | None = None

    def accepts(self, change: Mapping[str, Any], numbers: list[tuple[str, str]]) -> bool:
        """Return whether a change is wanted.

        Args:
            numbers: Scheme and value of the identifiers of its company.
        """
        plain = self.country in {None, change["country"]} and self.kind in {None, change["change"]}
        return plain and (self.watch is None or self.watch.covers(change, numbers))


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
        cursor: Position to continue from, None for the first log.

    Raises:
        Invalid: `bad-cursor`, for one that no page gave: no log begins there, or none can have its number yet.
        ReleaseError: `changes-damaged` or `release-unreadable`, with the log; only where no change before it is left to
            read.
    """
    number, place = _place(cursor)
    changes: list[dict[str, Any]] = []
    scanned, more = 0, False
    for path in logs(data):
        if (current := int(path.name[:6])) < number:
            continue
        try:
            with _whole(path), path.open("rb") as log:
                head = json.loads(log.readline())
                start = place if current == number and place else log.tell()
                log.seek(min(start, path.stat().st_size + 1) - 1)  # no further: a file system has a largest offset
                if log.read(1) != b"\n":
                    raise Invalid("bad-cursor", parameter="since")
                number, place = current, start
                while len(changes) < limit and scanned < SCANNED and (line := log.readline()):
                    changes += _shown([line], head, registry, suppressions, wanted)
                    place, scanned = log.tell(), scanned + 1
                more = bool(log.read(1))
        except ReleaseError:
            if not scanned:
                raise
            more = True  # what is whole is given first; the next page begins where the damage is
            break
        if len(changes) == limit or scanned == SCANNED:
            break
    newest = _newest(data)
    if place and number > max(newest, hour_of(datetime.now(UTC))):
        raise Invalid("bad-cursor", parameter="since")
    return ChangePage(changes, f"{number}-{place}", more or number < newest)


def end(data: Path) -> str:
    """Return the cursor behind the last change. Raises `ReleaseError("release-unreadable")`."""
    if not (newest := logs(data)[-1:]):
        return "0-0"
    with _whole(newest[0]):
        return f"{int(newest[0].name[:6])}-{newest[0].stat().st_size}"


def check(data: Path) -> None:
    """Raise `ReleaseError` for a log that cannot be opened, has no head, or breaks off in a line.

    Costs little: the lines between are not read.
    """
    for path in logs(data):
        with _whole(path), path.open("rb") as log:
            head = json.loads(log.readline())
            log.seek(-1, SEEK_END)
            if not {"to", "at"} <= head.keys() or log.read() != b"\n":
                raise ValueError(path.name)


def latest(
    data: Path,
    most: int,
    registry: Mapping[str, Country],
    suppressions: Suppressions,
    wanted: ChangeFilter = ALL,
) -> list[dict[str, Any]]:
    """Return the last changes, the latest first.

    Of each log its end alone is looked at, and of all logs together no more than `SCANNED` lines.

    Raises `ReleaseError`: `changes-damaged`, `release-unreadable`.
    """

    def backwards() -> Iterator[dict[str, Any]]:
        left = SCANNED
        for path in reversed(logs(data)):
            with _whole(path), path.open("rb") as log:
                head, first = json.loads(log.readline()), log.tell()
                log.seek(max(first, path.stat().st_size - _TAIL))
                lines = log.readlines()[int(log.tell() - first > _TAIL) :]  # the first may be a part of one
                yield from _shown(islice(reversed(lines), left), head, registry, suppressions, wanted)
            left -= len(lines)
            if left <= 0:
                return

    return list(islice(backwards(), most))


def wholly_renamed(data: Path, release: str, registry: Mapping[str, Country]) -> Iterator[dict[str, Any]]:
    """Yield the renamed companies of a release whose names share no word but those of legal forms.

    A company may change its name like this; a row that has its number by mistake or by fraud looks the same.

    Args:
        release: The release; nothing is yielded if its log is not the newest one.

    Raises:
        ReleaseError: `changes-damaged`, `release-unreadable`.
    """
    for path in logs(data)[-1:]:
        with _whole(path), path.open("rb") as log:
            if json.loads(log.readline())["to"] != release:
                return
            for change in map(json.loads, log):
                if change["change"] == "renamed":
                    forms = registry[change["country"]].forms
                    before, after = (set(split_form(change[age], forms).core) for age in ("before", "after"))
                    if before.isdisjoint(after):
                        yield change


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Raise `changes-damaged` for what is no log or no line of one, `release-unreadable` for one that may be sound.

    Neither names the folder of the data: strangers may be told of it.
    """
    try:
        yield
    except PadronError:
        raise
    except (IsADirectoryError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ReleaseError("changes-damaged", file=f"{path.parent.name}/{path.name}") from error
    except OSError as error:
        raise ReleaseError(
            "release-unreadable", folder=path.parent.name, file=path.name, reason=error.strerror
        ) from error


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
        if wanted.accepts(change, numbers) and not is_hidden(registry[change["country"]], numbers, suppressions):
            yield {**change, "numbers": numbers, "release": head["to"], "at": head["at"]}


def is_hidden(country: Country, numbers: list[tuple[str, str]], suppressions: Suppressions) -> bool:
    """Return whether a company is suppressed."""
    schemes = country.scheme_by_code
    keys = [(scheme, schemes[scheme].key(value)) for scheme, value in numbers if scheme in schemes]
    return suppressions.hides(country.code, keys)


def logs(data: Path) -> list[Path]:
    """Return the logs, the oldest first."""
    return sorted(path for path in (data / "changes").glob("*.jsonl") if NAME.fullmatch(path.name))


def hour_of(moment: datetime) -> int:
    """Return the number of the hour of a moment, negative before 2026; a moment without a zone is in UTC."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (zoned - _FIRST_HOUR) // timedelta(hours=1)


def _newest(data: Path) -> int:
    return max((int(path.name[:6]) for path in logs(data)), default=0)


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    if not (match := _CURSOR.fullmatch(cursor)):
        raise Invalid("bad-cursor", parameter="since")
    return int(match[1]), int(match[2])
