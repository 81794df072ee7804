"""`padron fetch` and `padron refresh`: download the files of every official source as complete sets.

A set replaces the one before only when every file of it is complete, can be read with a layout of its source, and
belongs to one issue. After a failure the old set stays, and the next run continues with the bytes already downloaded.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from padron.countries.country import Country, Source
from padron.countries.origin import File, Manners, Manual, Origin, Share, Table, TableQuery
from padron.errors import PadronError, SourceError, Unavailable
from padron.ingest.disk import disk_faults
from padron.ingest.fetching.checks import check
from padron.ingest.fetching.client import FetchSettings, Publisher
from padron.ingest.fetching.discover import discover, issue_date
from padron.ingest.fetching.download import Download, Fetched
from padron.ingest.fetching.source_store import Record, SourceStore, record_of
from padron.ingest.fetching.table import fetch_table
from padron.ingest.files import PROVENANCE
from padron.storage import replace_text

Progress = Callable[[str, str], None]
"""Called with a country code and the name of the file that is being fetched."""
State = Literal["new", "same", "late", "failed", "manual"]
_BUILT = ".built.json"
_TRIES = 2


class FetchOutcome(NamedTuple):
    """The outcome of fetching a source. `late`: an older set stays because the newest is not complete (`error`)."""

    country: str
    source: str
    state: State
    fetched: int = 0
    bytes: int = 0
    error: PadronError | None = None


def fetch(
    country: Country,
    root: Path,
    settings: FetchSettings,
    *,
    only: Sequence[str] = (),
    today: date | None = None,
    progress: Progress = lambda _code, _file: None,
) -> list[FetchOutcome]:
    """Fetch the new files of the sources of a country into `root`/<cc>/<source>/.

    A source that fails is reported in its outcome and does not stop the others.

    Args:
        only: Keys of the sources to fetch, all when empty.
        today: Today, from the clock by default.

    Raises:
        Unavailable: `fetch-running` while another process fetches there; `disk-fault` when the disk is full, with the
            bytes already downloaded kept for the next run.
        Invalid: `contact-missing`, before any request to a publisher that demands a contact.
    """
    day = today or datetime.now(UTC).date()
    sources = {source.key: source for source in (*country.collected, *country.sources)}
    wanted = [origin for origin in country.origins if not only or origin.source in only]
    outcomes = []
    with disk_faults(root), _alone(root), publishers(wanted, settings) as opened:
        for origin in wanted:
            store = SourceStore(root, country.code, sources[origin.source])
            if isinstance(origin.way, Manual):
                outcomes.append(FetchOutcome(country.code, origin.source, "manual"))
                continue
            job = _Job(country.code, origin, store, opened[origin.manners], root, progress)
            try:
                outcome = job.run(day)
            except SourceError as error:
                outcome = FetchOutcome(country.code, origin.source, "failed", error=error)
            store.save_outcome(_saved(outcome))
            outcomes.append(outcome)
    return outcomes


def refresh(
    registry: Mapping[str, Country],
    root: Path,
    settings: FetchSettings,
    build: Callable[[list[str]], object],
    *,
    today: date | None = None,
    progress: Progress = lambda _code, _file: None,
) -> list[FetchOutcome]:
    """Fetch every country, then build those whose files are not the ones they were last built from.

    A build that fails raises; the next refresh tries it again even when no publisher has new files.

    Args:
        today: Today, from the clock by default.
    """
    outcomes = [
        outcome
        for country in registry.values()
        for outcome in fetch(country, root, settings, today=today, progress=progress)
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
    """Return the digest of the provenance of each source in the folder of a country, fetched or placed by hand."""
    records = sorted(folder.glob(f"*/{PROVENANCE}"))
    return {path.parent.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in records}


def _built(folder: Path) -> dict[str, str]:
    """Return the digests of what the last refresh built the country from."""
    try:
        versions: dict[str, str] = json.loads((folder / _BUILT).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return versions


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold the lock of `root`. Raises `Unavailable("fetch-running")`."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".fetch.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Unavailable("fetch-running", folder=str(root)) from error
        yield


@contextmanager
def publishers(origins: Sequence[Origin], settings: FetchSettings) -> Iterator[dict[Manners, Publisher]]:
    """Open one client for each publisher: its sources share its limits. Raises `Invalid("contact-missing")`."""
    opened: dict[Manners, Publisher] = {}
    try:
        for origin in origins:
            if origin.manners not in opened and not isinstance(origin.way, Manual):
                opened[origin.manners] = Publisher(origin.manners, settings)
        yield opened
    finally:
        for publisher in opened.values():
            publisher.close()


def _saved(outcome: FetchOutcome) -> Record:
    """Return what the store keeps of an outcome."""
    if outcome.error is None:
        return {"state": "ok"}
    context = {key: str(value) for key, value in outcome.error.context.items()}
    state = "failed" if outcome.state == "failed" else "late"
    return {"state": state, "code": outcome.error.code, "context": context}


class _Job:
    """One fetch of one source."""

    def __init__(
        self, code: str, origin: Origin, store: SourceStore, publisher: Publisher, root: Path, progress: Progress
    ) -> None:
        self.code, self.origin, self.store, self.publisher = code, origin, store, publisher
        self.source: Source = store.source
        self.root, self.progress = root, progress
        self.held: dict[str, Record] = {}
        self.fresh: dict[str, Path] = {}

    def run(self, today: date) -> FetchOutcome:
        """Fetch the new files and make them the current set."""
        self.store.prepare()
        self.held = self.store.records()
        way, problem = self.origin.way, None
        assert not isinstance(way, Manual)
        if isinstance(way, Table):
            records = [self._rows(way, query) for query in way.of(today)]
        else:
            addresses = [record["url"] for record in self.held.values()]
            files, problem = discover(self.publisher, self.source.key, way, today, addresses)
            records = self._files(files)
            if isinstance(way, Share):
                records = self._of_one_issue(way, records)
        if self.fresh or {record["file"] for record in records} != self.held.keys():
            self.store.publish(records, self.fresh)
            state: State = "new"
        else:
            state = "late" if problem else "same"
        size = sum(record["bytes"] for record in records if record["file"] in self.fresh)
        return FetchOutcome(self.code, self.source.key, state, len(self.fresh), size, problem)

    def _files(self, files: Sequence[File]) -> list[Record]:
        """Return the records of `files`, fetched in parallel up to the publisher's number of connections.

        Raises the first error, after the running downloads have ended; `file-gone` when none of a group exists.
        """
        with ThreadPoolExecutor(self.origin.manners.connections) as pool:
            futures: list[Future[Record | None]] = [pool.submit(self._file, file) for file in files]
            for future in futures:
                if future.exception():
                    pool.shutdown(cancel_futures=True)
                    break
        results = [future.result() for future in futures if not future.cancelled()]
        groups = {file.group or (file.name if not file.optional else "") for file in files}
        present = {file.group or file.name for file, record in zip(files, results, strict=True) if record}
        if absent := sorted(groups - present - {""}):
            raise SourceError("file-gone", source=self.source.key, file=absent[0], page=self.source.url)
        records = [record for record in results if record]
        if not records:
            raise SourceError("file-gone", source=self.source.key, file=files[0].name, page=self.source.url)
        return records

    def _file(self, file: File) -> Record | None:
        """Return the record of one file; None when the file is optional and the publisher has none."""
        self.progress(self.code, file.name)
        held = self.held.get(file.name)
        known = held if held and held["url"] == file.url else None
        twin = self._twin(file) if known is None else None
        download = Download(self.publisher, self.source.key, file, self.store.parts)
        for trial in range(1, _TRIES + 1):
            fetched = download.fetch(known or (twin and twin[0]))
            if fetched is None:
                return known or self._share(file, twin)
            try:
                check(self.source, fetched.path, held)
            except SourceError:
                download.forget()
                if trial == _TRIES:
                    raise
                continue
            return self._record(file.name, file.url, fetched, known)
        raise AssertionError("the last trial returns or raises")

    def _record(self, name: str, url: str, fetched: Fetched, known: Record | None) -> Record:
        """Return the record of a fetched file: the known one when the bytes are the same."""
        record = record_of(self.source, name, url, fetched, None)
        if known and known["sha256"] == record["sha256"]:
            fetched.path.unlink()
            fetched.path.with_name(f"{name}.json").unlink(missing_ok=True)
            return known
        self.fresh[name] = fetched.path
        return record

    def _twin(self, file: File) -> tuple[Record, Path] | None:
        """Return the same file in the folder of another country: what countries share is fetched once."""
        for country in sorted(self.root.iterdir()):
            if country.name == self.code.lower() or not country.is_dir() or country.name.startswith("."):
                continue
            other = SourceStore(self.root, country.name, self.source)
            record = other.records().get(file.name)
            if record and record["url"] == file.url:
                return record, other.folder / file.name
        return None

    def _share(self, file: File, twin: tuple[Record, Path] | None) -> Record | None:
        """Link the file of the other country, which the publisher confirmed to be current."""
        if twin is None:
            return None
        record, path = twin
        part = self.store.parts / file.name
        part.unlink(missing_ok=True)
        os.link(path, part)
        self.fresh[file.name] = part
        return record

    def _rows(self, table: Table, query: TableQuery) -> Record:
        """Return the record of a part of a table."""
        self.progress(self.code, query.name)
        held = self.held.get(query.name)
        fetched = fetch_table(self.publisher, self.source.key, table, query, self.store.parts, held)
        if fetched is None:
            assert held is not None
            return held
        check(self.source, fetched.path, held)
        return self._record(query.name, f"{table.host}/d/{table.dataset}", fetched, held)

    def _of_one_issue(self, share: Share, records: Sequence[Record]) -> list[Record]:
        """Return the records with the date of their common issue; downloads of several issues are removed."""
        paths = {
            record["file"]: self.fresh.get(record["file"], self.store.folder / record["file"]) for record in records
        }
        try:
            day = issue_date(share, self.source.key, paths).isoformat()
        except SourceError:
            for path in self.fresh.values():
                path.unlink()
            raise
        return [{**record, "published": day} for record in records]
