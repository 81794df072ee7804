"""Resumable download of one file.

A download under way is `<name>` in the work folder, with `<name>.json` beside it: the issue of the file (ETag or
Last-Modified) and its length. A later run requests the rest of that issue (If-Range) and starts from zero when the
publisher has another issue, states another length, or ignores ranges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from padron.countries.origin import File
from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher, RetryableError
from padron.storage import flush, replace_text

_PROGRESS = 1 << 16
"""Bytes that count as progress: a stream cut after them is resumed without using up an attempt."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")
_ABSENT = frozenset([403, 404, 410])


class Fetched(NamedTuple):
    """A complete file with its validators."""

    path: Path
    etag: str | None
    last_modified: str | None


class Download:
    """The download of one file of a source into `folder`."""

    def __init__(self, publisher: Publisher, source: str, file: File, folder: Path) -> None:
        self._publisher = publisher
        self._source = source
        self._file = file
        self._begun = 0
        self.path = folder / file.name
        self._about = folder / f"{file.name}.json"
        try:
            self._issue: dict[str, Any] = json.loads(self._about.read_text("utf-8"))
        except (OSError, ValueError):
            self._issue = {}

    @property
    def _validator(self) -> str | None:
        """Validator of the issue for If-Range: a strong ETag, else the date (RFC 9110 §13.1.5)."""
        etag: str | None = self._issue.get("etag")
        if etag and not etag.startswith("W/"):
            return etag
        return self._issue.get("last_modified")

    @property
    def _resumable(self) -> int:
        """Bytes on the disk of the issue under way; 0 where the publisher gave no validator."""
        return self.path.stat().st_size if self._validator and self.path.exists() else 0

    def forget(self) -> None:
        """Remove what was downloaded."""
        self.path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)
        self._issue = {}

    def fetch(self, known: Mapping[str, Any] | None = None) -> Fetched | None:
        """Download the file.

        Args:
            known: Provenance record of the current file, None if there is none.

        Returns:
            The complete file; None when the current one has not changed, or when the file is optional and absent.

        Raises:
            SourceError: `publisher-unreachable`, `publisher-asks-to-wait`, `publisher-refused`, `file-encoded`,
                `empty-file`.
        """
        while not self._resumable or self._resumable != self._issue.get("length"):
            try:
                if not self._publisher.with_retries(self._source, self._file.url, lambda: self._request(known)):
                    self.forget()
                    return None
            except RetryableError:
                continue
            break
        return Fetched(self.path, self._issue.get("etag"), self._issue.get("last_modified"))

    def _request(self, known: Mapping[str, Any] | None) -> bool:
        """Send one request. Return True when the file is complete, False when there is none to download."""
        start = self._resumable
        may_lack = self._file.optional or bool(self._file.group)
        expected = _ABSENT if may_lack else frozenset[int]()
        with self._publisher.stream(self._file.url, self._headers(start, known), expected=expected) as response:
            status = response.status_code
            if (status == 304 and not start) or status in expected:
                return False
            if status == 206:
                self._continue(response, start)
            elif status == 200:
                self._begin(response)
            elif status == 416:
                self.forget()
                raise RetryableError("the range is not there any more")
            else:
                raise SourceError("publisher-refused", source=self._source, url=self._file.url, status=status)
            self._append(response)
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
        """Start from zero with the issue of this response."""
        self._begun += 1
        if self._begun > self._publisher.settings.retry.attempts:
            raise SourceError(
                "publisher-unreachable", source=self._source, url=self._file.url, reason="the file never arrives whole"
            )
        if response.headers.get("content-encoding", "identity") != "identity":
            raise SourceError("file-encoded", source=self._source, file=self._file.name)
        self.forget()
        self._issue = {"etag": response.headers.get("etag"), "last_modified": response.headers.get("last-modified")}
        length = response.headers.get("content-length")
        if length is not None:
            self._issue["length"] = int(length)
        if length == "0":
            raise SourceError("empty-file", source=self._source, file=self._file.name)
        replace_text(self._about, json.dumps(self._issue))

    def _continue(self, response: httpx2.Response, start: int) -> None:
        """Continue from `start`. Raises `RetryableError` when the response is of another issue."""
        given = _RANGE.fullmatch(response.headers.get("content-range", ""))
        same = all(
            response.headers.get(header) in {None, self._issue.get(key)}
            for header, key in (("etag", "etag"), ("last-modified", "last_modified"))
        )
        if not given or int(given[1]) != start or not same or given[3] not in {"*", str(self._issue.get("length"))}:
            self.forget()
            raise RetryableError("the publisher changed the file")

    def _append(self, response: httpx2.Response) -> None:
        """Append the body. Raises `RetryableError` unless the file is complete then."""
        before, cut = self.path.stat().st_size if self.path.exists() else 0, False
        with self.path.open("ab") as out:
            try:
                for block in response.iter_raw():
                    out.write(block)
            except httpx2.TransportError:
                cut = True
        flush(self.path)
        length, size = self._issue.get("length"), self.path.stat().st_size
        if length is not None and size > length:
            self.forget()
            raise RetryableError("more bytes than announced")
        if cut or (length is not None and size < length):
            raise RetryableError("the stream was cut", progress=bool(self._validator) and size - before >= _PROGRESS)
