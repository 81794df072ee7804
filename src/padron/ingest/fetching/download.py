"""One file from its publisher to the disk, resumed where it was cut, byte for byte what the publisher has.

A file under way is `<name>` in the work folder with `<name>.json` beside it: which issue of the file it is (ETag or
Last-Modified) and how long. A later run asks for the rest of that very issue (If-Range) and starts anew when the
publisher has another one, says another length, or ignores ranges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from padron.errors import SourceError
from padron.ingest.fetching.client import AgainError, Publisher
from padron.origin import File
from padron.storage import flush

_ENOUGH = 1 << 16
"""Bytes that count as progress: a stream cut after them is resumed without losing patience."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")
_ABSENT = frozenset([403, 404, 410])


class Fetched(NamedTuple):
    """A file that came whole: where it lies, and what the publisher said of it."""

    path: Path
    etag: str | None
    last_modified: str | None


class Download:
    """One file of a source under way in `folder`."""

    def __init__(self, publisher: Publisher, source: str, file: File, folder: Path) -> None:
        self._publisher = publisher
        self._source = source
        self._file = file
        self._begun = 0
        self.path = folder / file.name
        self._about = folder / f"{file.name}.json"
        try:
            self._said: dict[str, Any] = json.loads(self._about.read_text("utf-8"))
        except (OSError, ValueError):
            self._said = {}

    @property
    def _validator(self) -> str | None:
        """What names the issue in If-Range: a strong ETag, else the date (RFC 9110 §13.1.5)."""
        etag: str | None = self._said.get("etag")
        if etag and not etag.startswith("W/"):
            return etag
        return self._said.get("last_modified")

    @property
    def _resumable(self) -> int:
        """Bytes on the disk of the issue that is under way; 0 where the publisher did not say which issue it is."""
        return self.path.stat().st_size if self._validator and self.path.exists() else 0

    def forget(self) -> None:
        """Let go of what is there."""
        self.path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)
        self._said = {}

    def fetch(self, known: Mapping[str, Any] | None = None) -> Fetched | None:
        """The file whole; None when it is the `known` one still (a provenance record), or may be absent and is.

        Raises `SourceError`: `publisher-unreachable`, `publisher-asks-to-wait`, `publisher-refused`, `file-encoded`,
        `empty-file`.
        """
        while not self._resumable or self._resumable != self._said.get("length"):
            try:
                if not self._publisher.patiently(self._source, self._file.url, lambda: self._pull(known)):
                    self.forget()
                    return None
            except AgainError:
                continue
            break
        return Fetched(self.path, self._said.get("etag"), self._said.get("last_modified"))

    def _pull(self, known: Mapping[str, Any] | None) -> bool:
        """One request; True when the file is whole now, False when there is none to take. Raises `AgainError`."""
        start = self._resumable
        may_lack = self._file.optional or bool(self._file.group)
        foreseen = _ABSENT if may_lack else frozenset[int]()
        with self._publisher.stream(self._file.url, self._headers(start, known), foreseen=foreseen) as response:
            status = response.status_code
            if (status == 304 and not start) or status in foreseen:
                return False
            if status == 206:
                self._continue(response, start)
            elif status == 200:
                self._begin(response)
            elif status == 416:
                self.forget()
                raise AgainError("the range is not there any more")
            else:
                raise SourceError("publisher-refused", source=self._source, url=self._file.url, status=status)
            self._take(response)
        return True

    def _headers(self, start: int, known: Mapping[str, Any] | None) -> dict[str, str]:
        if start and self._validator:
            return {"Range": f"bytes={start}-", "If-Range": self._validator}
        headers = {}
        if known and known.get("etag"):
            headers["If-None-Match"] = known["etag"]
        if known and known.get("last_modified"):
            headers["If-Modified-Since"] = known["last_modified"]
        return headers

    def _begin(self, response: httpx2.Response) -> None:
        """Start the file anew as the issue of this answer."""
        self._begun += 1
        if self._begun > self._publisher.means.patience.attempts:
            raise SourceError(
                "publisher-unreachable", source=self._source, url=self._file.url, reason="the file never comes whole"
            )
        if response.headers.get("content-encoding", "identity") != "identity":
            raise SourceError("file-encoded", source=self._source, file=self._file.name)
        self.forget()
        self._said = {"etag": response.headers.get("etag"), "last_modified": response.headers.get("last-modified")}
        length = response.headers.get("content-length")
        if length is not None:
            self._said["length"] = int(length)
        if length == "0":
            raise SourceError("empty-file", source=self._source, file=self._file.name)
        fresh = self._about.with_suffix(".tmp")
        fresh.write_text(json.dumps(self._said), "utf-8")
        fresh.replace(self._about)

    def _continue(self, response: httpx2.Response, start: int) -> None:
        """Go on from `start`, unless the answer is of another issue of the file."""
        given = _RANGE.fullmatch(response.headers.get("content-range", ""))
        same = all(
            response.headers.get(header) in {None, self._said.get(key)}
            for header, key in (("etag", "etag"), ("last-modified", "last_modified"))
        )
        if not given or int(given[1]) != start or not same or given[3] not in {"*", str(self._said.get("length"))}:
            self.forget()
            raise AgainError("the publisher changed the file")

    def _take(self, response: httpx2.Response) -> None:
        """Append the body. Raises `AgainError` unless the file is whole then."""
        before, cut = self.path.stat().st_size if self.path.exists() else 0, False
        with self.path.open("ab") as out:
            try:
                for block in response.iter_raw():
                    out.write(block)
            except httpx2.TransportError:
                cut = True
        flush(self.path)
        length, size = self._said.get("length"), self.path.stat().st_size
        if length is not None and size > length:
            self.forget()
            raise AgainError("more bytes than announced")
        if cut or (length is not None and size < length):
            raise AgainError("the stream was cut", progress=bool(self._validator) and size - before >= _ENOUGH)
