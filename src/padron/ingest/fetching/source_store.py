"""The folder of one source: the current set of files, downloads under way, and the replacement of one set by the next.

    <root>/<cc>/<source>             a link to the current version; the layout of data/official
    <root>/<cc>/.<source>/<n>/       versions: the files of one moment with their PROVENANCE.json, never edited
    <root>/<cc>/.<source>/part/      downloads under way
    <root>/<cc>/.<source>/state.json outcome of the last fetch

The link is replaced in one step: a reader sees the whole old set or the whole new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from padron.countries.country import Source
from padron.ingest.fetching.download import Fetched
from padron.ingest.files import PROVENANCE, provenance
from padron.storage import flush, replace_text

Record = dict[str, Any]


class SourceStore:
    """The files of one source under the official files of a country."""

    def __init__(self, root: Path, country: str, source: Source) -> None:
        self.source = source
        self.folder = root / country.lower() / source.key
        self.work = root / country.lower() / f".{source.key}"
        self.parts = self.work / "part"

    def prepare(self) -> None:
        """Prepare a fetch: remove old versions, and turn a folder made by hand into a version."""
        self.parts.mkdir(parents=True, exist_ok=True)
        if self.folder.is_dir() and not self.folder.is_symlink():
            self.folder.rename(self._next())
            self._point(self._versions()[-1])
        held = self.folder.resolve().name if self.folder.is_symlink() else None
        for number in self._versions():
            if str(number) != held:
                shutil.rmtree(self.work / str(number))
        shutil.rmtree(self.work / "next", ignore_errors=True)

    def records(self) -> dict[str, Record]:
        """Return the provenance records of the current files that are there, by name.

        One that was removed has none, so that the next fetch downloads it. Raises `SourceError("provenance-missing")`.
        """
        records = provenance(self.source.key, self.folder) if (self.folder / PROVENANCE).exists() else {}
        return {name: record for name, record in records.items() if (self.folder / name).exists()}

    def publish(self, records: Sequence[Record], fresh: Mapping[str, Path]) -> None:
        """Make the files of `records` the current set: those in `fresh`, and the others from the current set.

        Files are linked, not moved: after a kill here the next fetch finds the downloads whole and continues.
        """
        folder = self.work / "next"
        folder.mkdir()
        for record in records:
            name = record["file"]
            os.link(fresh.get(name, self.folder / name), folder / name)
        document = {"source": self.source.key, "complete": True, "files": list(records)}
        (folder / PROVENANCE).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
        flush(folder / PROVENANCE)
        flush(folder)
        folder.rename(self._next())
        self._point(self._versions()[-1])
        shutil.rmtree(self.parts)

    def last_outcome(self) -> Record:
        """Return the outcome of the last fetch: `state`, of an error `code` and `context`; empty before the first."""
        try:
            state: Record = json.loads((self.work / "state.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return state

    def save_outcome(self, state: Record) -> None:
        """Save the outcome of a fetch and since when it holds; the same outcome as before is not written again."""
        before = self.last_outcome()
        if {**before, "since": None} == {**state, "since": None}:
            return
        replace_text(self.work / "state.json", json.dumps({**state, "since": _now()}, ensure_ascii=False))

    def _versions(self) -> list[int]:
        return sorted(int(path.name) for path in self.work.iterdir() if path.name.isdigit())

    def _next(self) -> Path:
        return self.work / str(max(self._versions(), default=0) + 1)

    def _point(self, number: int) -> None:
        link = self.work / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(Path(self.work.name) / str(number))
        link.replace(self.folder)
        flush(self.folder.parent)


def record_of(source: Source, name: str, url: str, fetched: Fetched, published: str | None) -> Record:
    """Return the provenance record of a fetched file.

    Args:
        fetched: The file, with its response headers.
        published: Date that the publisher states for it; by default that of its Last-Modified header.

    Returns:
        The record, as PROVENANCE.json holds it.
    """
    with fetched.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "file": name,
        "url": url,
        "publisher_page": source.url,
        "published": published or _day(fetched.last_modified),
        "retrieved": _now()[:10],
        "licence": source.licence,
        "copy": None,
        "changed": "nothing",
        "sha256": digest,
        "bytes": fetched.path.stat().st_size,
        "layout": "official",
        "blanked": {},
        "left_out": 0,
        "retrieved_at": _now(),
        "last_modified": fetched.last_modified,
        "etag": fetched.etag,
    }


def _day(last_modified: str | None) -> str | None:
    """Return the day of a Last-Modified header, in UTC."""
    try:
        return parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat() if last_modified else None
    except ValueError:
        return None


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()
