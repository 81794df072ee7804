"""The folder of one source: what is published there, the downloads under way, and how a new set replaces the old one.

    <root>/<cc>/<source>             a link to the version that is held; the layout of data/official
    <root>/<cc>/.<source>/<n>/       versions: the files of one moment with their PROVENANCE.json, never edited
    <root>/<cc>/.<source>/part/      files under way
    <root>/<cc>/.<source>/state.json what the last fetch came to

The link is replaced in one step, so that a reader sees the whole old set or the whole new one, never some of each.
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

from padron.country import Source
from padron.errors import SourceError
from padron.ingest.fetching.download import Fetched
from padron.ingest.files import PROVENANCE
from padron.storage import flush, replace_text

Record = dict[str, Any]


class Shelf:
    """The folder of `source` under the official files of a country."""

    def __init__(self, root: Path, country: str, source: Source) -> None:
        self.source = source
        self.folder = root / country.lower() / source.key
        self.work = root / country.lower() / f".{source.key}"
        self.parts = self.work / "part"

    def prepare(self) -> None:
        """Make room to fetch: versions that are no longer held go, a folder somebody made by hand becomes a version."""
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
        """The provenance records of the files that are held, by name. Raises `SourceError("provenance-missing")`."""
        try:
            document = json.loads((self.folder / PROVENANCE).read_text("utf-8"))
            return {record["file"]: record for record in document["files"]}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError) as error:
            raise SourceError("provenance-missing", source=self.source.key, file=str(self.folder)) from error

    def publish(self, records: Sequence[Record], fresh: Mapping[str, Path]) -> None:
        """Hold the files of `records` from now on: those in `fresh`, and of the held ones the others.

        Files are linked, not moved: whoever is killed here finds the downloads whole and goes on.
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

    def state(self) -> Record:
        """What the last fetch came to: `state`, and where it failed `code` and `context`; empty before the first."""
        try:
            state: Record = json.loads((self.work / "state.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return state

    def conclude(self, state: Record) -> None:
        """Keep what a fetch came to, and `since` when; nothing is written when it came to the same before."""
        before = self.state()
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


def record_of(source: Source, name: str, url: str, came: Fetched, published: str | None) -> Record:
    """The provenance record of a file that was fetched; `published` is the date it states, else that of the answer."""
    with came.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "file": name,
        "url": url,
        "publisher_page": source.url,
        "published": published or _day(came.last_modified),
        "retrieved": _now()[:10],
        "licence": source.licence,
        "copy": None,
        "changed": "nothing",
        "sha256": digest,
        "bytes": came.path.stat().st_size,
        "layout": "official",
        "blanked": {},
        "left_out": 0,
        "retrieved_at": _now(),
        "last_modified": came.last_modified,
        "etag": came.etag,
    }


def _day(last_modified: str | None) -> str | None:
    """The day of a Last-Modified header, in UTC."""
    try:
        return parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat() if last_modified else None
    except ValueError:
        return None


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()
