"""`padron fetch --sample`: the smallest real part of each source of a country, fetched and built apart from the rest.

The first contact with publishers: one file of each kind, of a zip the start of one member through ranges, of a table
one page. Nothing is published, and the fetched files and releases of the data folder are not touched.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from padron.countries.country import Country, Expect, Source
from padron.countries.origin import File, Manual, Origin, Table
from padron.errors import SourceError
from padron.ingest.build import build_country
from padron.ingest.disk import disk_faults
from padron.ingest.fetch import FetchOutcome, Progress, publishers
from padron.ingest.fetching.checks import check
from padron.ingest.fetching.client import FetchSettings, Publisher
from padron.ingest.fetching.discover import discover
from padron.ingest.fetching.download import Fetched
from padron.ingest.fetching.remote import RemoteFile, is_archive
from padron.ingest.fetching.sample import take_sample
from padron.ingest.fetching.source_store import Record, record_of
from padron.ingest.fetching.table import first_rows, issue
from padron.ingest.files import PROVENANCE, layouts_of
from padron.releases import snapshot

_SIZE = 1 << 18
"""Bytes of each table: some thousand rows."""
_ROWS = 1_000
_CHANGED = "cut to its first records, as a sample"


def fetch_sample(
    country: Country,
    root: Path,
    settings: FetchSettings,
    *,
    only: Sequence[str] = (),
    today: date | None = None,
    progress: Progress = lambda _code, _file: None,
) -> list[FetchOutcome]:
    """Fetch a sample of the sources of a country into `root`/<cc>/<source>/, in place of an older sample.

    Args:
        only: Keys of the sources to fetch, all when empty.
        today: Today, from the clock by default.

    Raises:
        Invalid: `contact-missing`, before any request to a publisher that demands a contact.
    """
    day = today or datetime.now(UTC).date()
    sources = {source.key: source for source in country.sources}
    wanted = [origin for origin in country.origins if origin.source in sources and (not only or origin.source in only)]
    outcomes = []
    with disk_faults(root), publishers(wanted, settings) as opened:
        for origin in wanted:
            progress(country.code, origin.source)
            folder = root / country.code.lower() / origin.source
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(origin.way, Manual):
                outcomes.append(FetchOutcome(country.code, origin.source, "manual"))
                continue
            folder.mkdir(parents=True)
            source = sources[origin.source]
            try:
                records = _records(opened[origin.manners], source, origin, folder, day)
            except SourceError as error:
                shutil.rmtree(folder)
                outcomes.append(FetchOutcome(country.code, source.key, "failed", error=error))
                continue
            document = {"source": source.key, "complete": False, "files": records}
            (folder / PROVENANCE).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
            size = sum(record["bytes"] for record in records)
            outcomes.append(FetchOutcome(country.code, source.key, "new", len(records), size))
    return outcomes


def build_sample(data: Path, root: Path, country: Country, progress: Progress) -> Mapping[str, Any]:
    """Build the samples of a country; return the manifest of the snapshot, with its balance of rows.

    Args:
        country: The country; how many rows and files it expects does not count here.

    Raises:
        SourceError: There are no samples, or one cannot be used.
    """
    unbounded = tuple(dataclasses.replace(source, expect=Expect(0, 1.0), parts=()) for source in country.sources)
    with snapshot.building(data) as work:
        (data / "snapshots").mkdir(exist_ok=True)
        shutil.rmtree(data / "snapshots" / country.code.lower(), ignore_errors=True)
        sampled = dataclasses.replace(country, sources=unbounded)
        return build_country(data, work, sampled, [root], None, progress).manifest


def _records(publisher: Publisher, source: Source, origin: Origin, folder: Path, today: date) -> list[Record]:
    """Take the samples of a source; return their provenance records."""
    way = origin.way
    assert not isinstance(way, Manual)
    if isinstance(way, Table):
        query = way.of(today)[-1]
        stamp = issue(publisher, source.key, way)
        path = folder / query.name
        path.write_bytes(first_rows(publisher, source.key, way, query, _ROWS))
        return [_record(source, path, f"{way.host}/d/{way.dataset}", stamp)]
    files = discover(publisher, source.key, way, today, ()).files
    records: dict[object, Record] = {}
    for file in _newest_first(files):
        kind = _kind(source, file)
        if kind not in records and (record := _take(publisher, source, file, folder)):
            records[kind] = record
    if not records:
        raise SourceError("file-gone", source=source.key, file=files[0].name, page=source.url)
    return list(records.values())


def _newest_first(files: Sequence[File]) -> Iterable[File]:
    """Return the files in reverse order: origins list years and quarters oldest first."""
    return reversed(files)


def _kind(source: Source, file: File) -> object:
    """Return what files of the same tables have in common: their layout, or the name but for its numbers."""
    return layouts_of(source, file.name) or re.sub(r"\d+", "", file.name)


def _take(publisher: Publisher, source: Source, file: File, folder: Path) -> Record | None:
    """Take the sample of a file and return its record; None where the file may be absent and is."""
    remote = RemoteFile(publisher, source.key, file)
    if not remote.open(tail=is_archive(file.name)):
        return None
    path = take_sample(remote, source, file, folder, _SIZE)
    if path is None:
        raise SourceError("no-sample", source=source.key, url=file.url)
    check(source, path, None)
    return _record(source, path, file.url, remote.last_modified)


def _record(source: Source, path: Path, url: str, last_modified: str | None) -> Record:
    return {**record_of(source, path.name, url, Fetched(path, None, last_modified), None), "changed": _CHANGED}
