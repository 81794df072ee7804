"""`padron sources check`: every address of the sources is asked, and its answer compared with the expected layout.

No register is downloaded: of each file the first records are read, of a zip its directory and the start of a member.
Publishers are asked beside one another, each within its own limits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from padron.countries.country import Country, Source
from padron.countries.origin import File, Manners, Manual, Origin, Table
from padron.errors import Invalid, PadronError, SourceError
from padron.ingest.fetching.checks import check
from padron.ingest.fetching.client import FetchSettings, Publisher, RetryPolicy
from padron.ingest.fetching.discover import discover
from padron.ingest.fetching.remote import BLOCK, RemoteFile, is_archive
from padron.ingest.fetching.sample import take_sample
from padron.ingest.fetching.source_store import SourceStore
from padron.ingest.fetching.table import first_rows, issue
from padron.storage import temporary_folder

CheckState = Literal["expected", "changed", "gone", "login", "unreachable", "manual"]
_WORST: tuple[CheckState, ...] = ("changed", "gone", "login", "unreachable", "expected", "manual")
_ROWS = 20
_PATIENCE = RetryPolicy(attempts=3, first=1.0, longest=15.0)
_AT_ONCE = 8
"""Sources asked at the same time; those of one publisher share its limits."""
_SHRINK = 0.8

Progress = Callable[[str, str], None]


class CheckedFile(NamedTuple):
    """The answer for one file.

    Attributes:
        bytes: Its length, where the publisher states it.
        date: The day of its Last-Modified header.
        reason: The error, None where it is as expected.
    """

    file: str
    url: str
    state: CheckState
    date: str | None = None
    bytes: int | None = None
    reason: PadronError | None = None


class SourceCheck(NamedTuple):
    """The answers for one source; its state is the worst of its files."""

    country: str
    source: str
    state: CheckState
    files: tuple[CheckedFile, ...] = ()


def check_sources(
    countries: Sequence[Country],
    settings: FetchSettings,
    root: Path,
    today: date,
    progress: Progress = lambda _code, _source: None,
) -> list[SourceCheck]:
    """Ask every address of the sources of some countries.

    Args:
        root: Root of the fetched files, whose sizes are compared.

    Returns:
        The answers, in the order in which the countries list the origins. A source that several share is asked once.
    """
    hurried = dataclasses.replace(settings, retry=_hurried(settings.retry))
    asked: dict[Origin, Country] = {}
    for country in countries:
        for origin in country.origins:
            asked.setdefault(origin, country)
    with ExitStack() as stack, ThreadPoolExecutor(_AT_ONCE) as pool:
        publishers = _publishers(asked, hurried, stack)

        def answers(origin: Origin, country: Country) -> tuple[CheckedFile, ...]:
            progress(country.code, origin.source)
            return _answers(origin, country, publishers[origin.manners], root, today)

        running = {origin: pool.submit(answers, origin, country) for origin, country in asked.items()}
        results = {origin: future.result() for origin, future in running.items()}
    return [
        SourceCheck(country.code, origin.source, _worst(results[origin]), results[origin])
        for country in countries
        for origin in country.origins
    ]


def _hurried(policy: RetryPolicy) -> RetryPolicy:
    """Return a policy that gives up within a minute."""
    return RetryPolicy(
        min(policy.attempts, _PATIENCE.attempts),
        min(policy.first, _PATIENCE.first),
        min(policy.longest, _PATIENCE.longest),
    )


def _publishers(
    origins: Mapping[Origin, Country], settings: FetchSettings, stack: ExitStack
) -> dict[Manners, Publisher | Invalid]:
    """Open a client for each publisher; for one that demands a contact which is not set, the error."""
    publishers: dict[Manners, Publisher | Invalid] = {}
    for origin in origins:
        if origin.manners in publishers:
            continue
        try:
            publisher = Publisher(origin.manners, settings)
        except Invalid as error:
            publishers[origin.manners] = error
            continue
        stack.callback(publisher.close)
        publishers[origin.manners] = publisher
    return publishers


def _answers(
    origin: Origin, country: Country, publisher: Publisher | Invalid, root: Path, today: date
) -> tuple[CheckedFile, ...]:
    """Return the answer for each file of an origin."""
    source = next(source for source in (*country.sources, *country.collected) if source.key == origin.source)
    if isinstance(origin.way, Manual):
        return ()
    if isinstance(publisher, Invalid):
        return (CheckedFile(source.key, source.url, "login", reason=publisher),)
    held = SourceStore(root, country.code, source).records()
    try:
        with temporary_folder() as folder:
            if isinstance(origin.way, Table):
                return tuple(_table(publisher, source, origin.way, today, folder))
            urls = [record["url"] for record in held.values()]
            files, problem = discover(publisher, source.key, origin.way, today, urls)
            answers = [
                answer
                for number, file in enumerate(files)
                if (answer := _file(publisher, source, file, folder / str(number), held.get(file.name)))
            ]
            return (*_absent(source, files, answers), *([_failed(source, problem)] if problem else []), *answers)
    except SourceError as error:
        return (_failed(source, error),)


def _file(
    publisher: Publisher, source: Source, file: File, folder: Path, held: Mapping[str, Any] | None
) -> CheckedFile | None:
    """Return the answer for a file, None where it may be absent and is."""
    remote = RemoteFile(publisher, source.key, file)
    try:
        if not remote.open(tail=is_archive(file.name)):
            return None
        folder.mkdir()
        sample = take_sample(remote, source, file, folder, BLOCK)
        if sample is not None:
            check(source, sample, None)
        if held and remote.length is not None and remote.length < held["bytes"] * _SHRINK:
            shrank = SourceError(
                "file-shrank", source=source.key, file=file.name, before=held["bytes"], now=remote.length
            )
            return _answer(file, remote, shrank)
    except SourceError as error:
        return _answer(file, remote, error)
    return _answer(file, remote, None)


def _answer(file: File, remote: RemoteFile, error: SourceError | None) -> CheckedFile:
    state = _state(error) if error else "expected"
    return CheckedFile(file.name, file.url, state, _day(remote.last_modified), remote.length, error)


def _failed(source: Source, error: SourceError) -> CheckedFile:
    """Return the answer of a source whose files are not known."""
    return CheckedFile(source.key, str(error.context.get("url", source.url)), _state(error), reason=error)


def _absent(source: Source, files: Sequence[File], answers: Sequence[CheckedFile]) -> Iterator[CheckedFile]:
    """Yield an answer for each group of files of which none exists."""
    present = {answer.file for answer in answers}
    groups: dict[str, list[File]] = {}
    for file in files:
        groups.setdefault(file.group or ("" if file.optional else file.name), []).append(file)
    for group, members in groups.items():
        if (group or not answers) and not any(file.name in present for file in members):
            error = SourceError("file-gone", source=source.key, file=members[0].name, page=source.url)
            yield CheckedFile(members[0].name, members[0].url, "gone", reason=error)


def _table(publisher: Publisher, source: Source, table: Table, today: date, folder: Path) -> Iterator[CheckedFile]:
    """Yield the answer for each part of a table."""
    url = f"{table.host}/d/{table.dataset}"
    day = _day(issue(publisher, source.key, table))
    for query in table.of(today):
        try:
            path = folder / query.name
            path.write_bytes(first_rows(publisher, source.key, table, query, _ROWS))
            check(source, path, None)
        except SourceError as error:
            yield CheckedFile(query.name, url, _state(error), day, reason=error)
        else:
            yield CheckedFile(query.name, url, "expected", day)


def _state(error: PadronError) -> CheckState:
    """Return what an error says of the address."""
    if error.code == "login-asked":
        return "login"
    if error.code in {"publisher-unreachable", "publisher-asks-to-wait"}:
        return "unreachable"
    if error.code == "publisher-refused":
        if error.context["status"] in {404, 410}:
            return "gone"
        return "login" if error.context["status"] in {401, 403, 407} else "changed"
    return "changed"


def _worst(answers: Sequence[CheckedFile]) -> CheckState:
    return min((answer.state for answer in answers), key=_WORST.index, default="manual")


def _day(last_modified: str | None) -> str | None:
    try:
        moment: datetime | None = parsedate_to_datetime(last_modified) if last_modified else None
    except ValueError:
        return None
    return moment.date().isoformat() if moment else None
