"""`padron fetch` and `padron refresh`: the files of every official source, fetched politely and held as whole sets.

A set replaces the one before only when every file of it came whole, can be read as its source's layouts, and belongs to
one issue. What fails leaves the old set in place and the bytes that came, for the next run.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from padron.country import Country, Source
from padron.errors import PadronError, SourceError, Unavailable
from padron.ingest.disk import disk_faults
from padron.ingest.fetching.checks import check
from padron.ingest.fetching.client import Means, Publisher
from padron.ingest.fetching.discover import discover, issue_date
from padron.ingest.fetching.download import Download, Fetched
from padron.ingest.fetching.shelf import Record, Shelf, record_of
from padron.ingest.fetching.table import fetch_table
from padron.origin import File, Manners, Manual, Origin, Share, Table, TableQuery
from padron.storage import replace_text

Progress = Callable[[str, str], None]
"""Called with a country code and the file that is being fetched."""
State = Literal["new", "same", "late", "failed", "manual"]
_BUILT = ".built.json"
_TRIES = 2


class Outcome(NamedTuple):
    """What came of a source. `late`: an older set is held because the publisher's newest is not whole (`error`)."""

    country: str
    source: str
    state: State
    fetched: int = 0
    bytes: int = 0
    error: PadronError | None = None


def fetch(
    country: Country,
    root: Path,
    means: Means,
    *,
    only: Sequence[str] = (),
    today: date | None = None,
    progress: Progress = lambda _code, _file: None,
) -> list[Outcome]:
    """Fetch the sources of `country` (those in `only`; all when empty) that have news into `root`/<cc>/<source>/.

    A source that fails is told in its outcome and does not stop the others. Raises `Unavailable("fetch-running")` while
    another process fetches there, `Unavailable("disk-fault")` when there is no room, what came being kept for the next
    run, `Invalid("contact-missing")` before anything is asked of a publisher that wants one.
    """
    day = today or datetime.now(UTC).date()
    sources = {source.key: source for source in (*country.collected, *country.sources)}
    wanted = [origin for origin in country.origins if not only or origin.source in only]
    outcomes = []
    with disk_faults(root), _alone(root), _publishers(wanted, means) as publishers:
        for origin in wanted:
            shelf = Shelf(root, country.code, sources[origin.source])
            if isinstance(origin.way, Manual):
                outcomes.append(Outcome(country.code, origin.source, "manual"))
                continue
            job = _Job(country.code, origin, shelf, publishers[origin.manners], root, progress)
            try:
                outcome = job.run(day)
            except SourceError as error:
                outcome = Outcome(country.code, origin.source, "failed", error=error)
            shelf.conclude(_kept(outcome))
            outcomes.append(outcome)
    return outcomes


def refresh(
    registry: Mapping[str, Country],
    root: Path,
    means: Means,
    build: Callable[[list[str]], object],
    *,
    today: date | None = None,
    progress: Progress = lambda _code, _file: None,
) -> list[Outcome]:
    """Fetch every country, then `build` those whose held files are not the ones they were last built from.

    A build that fails raises; the next refresh tries it again even when no publisher has news.
    """
    outcomes = [
        outcome
        for country in registry.values()
        for outcome in fetch(country, root, means, today=today, progress=progress)
    ]
    held = {code: _held(root / code.lower()) for code in registry}
    changed = [code for code, versions in held.items() if versions != _built(root / code.lower())]
    if changed:
        build(changed)
        for code in changed:
            folder = root / code.lower()
            folder.mkdir(parents=True, exist_ok=True)
            replace_text(folder / _BUILT, json.dumps(held[code]))
    return outcomes


def _held(folder: Path) -> dict[str, str]:
    """The version of each source that is held in the folder of a country."""
    return {path.name: str(path.readlink()) for path in sorted(folder.glob("*")) if path.is_symlink()}


def _built(folder: Path) -> dict[str, str]:
    """The versions the country was last built from by a refresh."""
    try:
        versions: dict[str, str] = json.loads((folder / _BUILT).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return versions


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold the lock of `root`."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".fetch.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Unavailable("fetch-running", folder=str(root)) from error
        yield


@contextmanager
def _publishers(origins: Sequence[Origin], means: Means) -> Iterator[dict[Manners, Publisher]]:
    """One access for each publisher: its sources share its limits."""
    found: dict[Manners, Publisher] = {}
    try:
        for origin in origins:
            if origin.manners not in found and not isinstance(origin.way, Manual):
                found[origin.manners] = Publisher(origin.manners, means)
        yield found
    finally:
        for publisher in found.values():
            publisher.close()


def _kept(outcome: Outcome) -> Record:
    """What the shelf remembers of an outcome."""
    if outcome.error is None:
        return {"state": "ok"}
    context = {key: str(value) for key, value in outcome.error.context.items()}
    state = "failed" if outcome.state == "failed" else "late"
    return {"state": state, "code": outcome.error.code, "context": context}


class _Job:
    """Fetching one source once."""

    def __init__(
        self, code: str, origin: Origin, shelf: Shelf, publisher: Publisher, root: Path, progress: Progress
    ) -> None:
        self.code, self.origin, self.shelf, self.publisher = code, origin, shelf, publisher
        self.source: Source = shelf.source
        self.root, self.progress = root, progress
        self.held: dict[str, Record] = {}
        self.fresh: dict[str, Path] = {}

    def run(self, today: date) -> Outcome:
        """Fetch what is new and hold it."""
        self.shelf.prepare()
        self.held = self.shelf.records()
        way, lacking = self.origin.way, None
        assert not isinstance(way, Manual)
        if isinstance(way, Table):
            records = [self._rows(way, query) for query in way.of(today)]
        else:
            addresses = [record["url"] for record in self.held.values()]
            files, lacking = discover(self.publisher, self.source.key, way, today, addresses)
            records = self._files(files)
            if isinstance(way, Share):
                records = self._of_one_issue(way, records)
        if self.fresh or {record["file"] for record in records} != self.held.keys():
            self.shelf.publish(records, self.fresh)
            state: State = "new"
        else:
            state = "late" if lacking else "same"
        size = sum(record["bytes"] for record in records if record["file"] in self.fresh)
        return Outcome(self.code, self.source.key, state, len(self.fresh), size, lacking)

    def _files(self, files: Sequence[File]) -> list[Record]:
        """The records of `files`, fetched as many at once as the publisher bears.

        Raises the first error, after the downloads that run have ended; `file-missing` when none of a group is there.
        """
        with ThreadPoolExecutor(self.origin.manners.connections) as pool:
            futures: list[Future[Record | None]] = [pool.submit(self._file, file) for file in files]
            for future in futures:
                if future.exception():
                    pool.shutdown(cancel_futures=True)
                    break
        found = [future.result() for future in futures if not future.cancelled()]
        groups = {file.group or (file.name if not file.optional else "") for file in files}
        there = {file.group or file.name for file, record in zip(files, found, strict=True) if record}
        if absent := sorted(groups - there - {""}):
            raise SourceError("file-missing", source=self.source.key, file=absent[0])
        records = [record for record in found if record]
        if not records:
            raise SourceError("file-missing", source=self.source.key, file=files[0].name)
        return records

    def _file(self, file: File) -> Record | None:
        """The record of one file; None when the publisher has none and need not."""
        self.progress(self.code, file.name)
        held = self.held.get(file.name)
        known = held if held and held["url"] == file.url else None
        twin = self._twin(file) if known is None else None
        download = Download(self.publisher, self.source.key, file, self.shelf.parts)
        for trial in range(1, _TRIES + 1):
            came = download.fetch(known or (twin and twin[0]))
            if came is None:
                return known or self._share(file, twin)
            try:
                check(self.source, came.path, held)
            except SourceError:
                download.forget()
                if trial == _TRIES:
                    raise
                continue
            return self._record(file.name, file.url, came, known)
        raise AssertionError("the last trial returns or raises")

    def _record(self, name: str, url: str, came: Fetched, known: Record | None) -> Record:
        """The record of a file that came: the known one when its bytes are those that are held."""
        record = record_of(self.source, name, url, came, None)
        if known and known["sha256"] == record["sha256"]:
            came.path.unlink()
            came.path.with_name(f"{name}.json").unlink(missing_ok=True)
            return known
        self.fresh[name] = came.path
        return record

    def _twin(self, file: File) -> tuple[Record, Path] | None:
        """The same file as another country holds it: what all share is fetched once."""
        for country in sorted(self.root.iterdir()):
            if country.name == self.code.lower() or not country.is_dir() or country.name.startswith("."):
                continue
            other = Shelf(self.root, country.name, self.source)
            record = other.records().get(file.name)
            if record and record["url"] == file.url:
                return record, other.folder / file.name
        return None

    def _share(self, file: File, twin: tuple[Record, Path] | None) -> Record | None:
        """Hold the twin too, as its publisher says that it is current."""
        if twin is None:
            return None
        record, path = twin
        part = self.shelf.parts / file.name
        part.unlink(missing_ok=True)
        os.link(path, part)
        self.fresh[file.name] = part
        return record

    def _rows(self, table: Table, query: TableQuery) -> Record:
        """The record of a part of a table."""
        self.progress(self.code, query.name)
        held = self.held.get(query.name)
        came = fetch_table(self.publisher, self.source.key, table, query, self.shelf.parts, held)
        if came is None:
            assert held is not None
            return held
        check(self.source, came.path, held)
        return self._record(query.name, f"{table.host}/d/{table.dataset}", came, held)

    def _of_one_issue(self, share: Share, records: Sequence[Record]) -> list[Record]:
        """The records with the date of the issue that all files are of; downloads of several issues are let go."""
        paths = {
            record["file"]: self.fresh.get(record["file"], self.shelf.folder / record["file"]) for record in records
        }
        try:
            day = issue_date(share, self.source.key, paths).isoformat()
        except SourceError:
            for path in self.fresh.values():
                path.unlink()
            raise
        return [{**record, "published": day} for record in records]
