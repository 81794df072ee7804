"""A file at a publisher of which only parts are read: its first bytes, the directory of a zip, the start of a member.

Parts are requested by ranges (RFC 9110 §14). Of a server that ignores them the first bytes are read and the rest of the
answer is dropped with the connection.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import NamedTuple

import httpx2

from padron.countries.origin import File
from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher

BLOCK = 1 << 16
"""Bytes of a request: the directory and the start of a member of most archives."""
_LARGEST_PART = 4 << 20
"""Maximum bytes of one part: the directory of the SEC's filers, a million members, is larger."""
_TOTAL = re.compile(r"bytes (\d+)-\d+/(\d+)")
_RECEIVED = frozenset([200, 206])
_ABSENT = frozenset([404, 410])
_REFUSED = frozenset([401, 403, 407])
_NO_RANGE = 416
_NO_SUFFIX = frozenset([400, 416, 501])
_PAGE = (b"<!doctype html", b"<html", b"<head")
_LOGIN = re.compile(rb"""type\s*=\s*["']?password|captcha""", re.IGNORECASE)


def is_archive(name: str) -> bool:
    """Tell files that have a directory at their end."""
    return Path(name).suffix in {".zip", ".xlsx"}


class PartTooLargeError(Exception):
    """A part was requested that is larger than a look at a file may be."""


class _Part(NamedTuple):
    """Consecutive bytes of the file."""

    start: int
    content: bytes

    def holds(self, place: int) -> bool:
        return self.start <= place < self.start + len(self.content)


class RemoteFile(io.RawIOBase):
    """A readable, seekable file over ranges; what was received once is not requested again.

    Attributes:
        length: Its length in bytes, None where the publisher does not state one.
        last_modified: Its Last-Modified header.
        ranges: True where the publisher answers ranges.
    """

    def __init__(self, publisher: Publisher, source: str, file: File) -> None:
        super().__init__()
        self._publisher, self._source, self._file = publisher, source, file
        self._parts: list[_Part] = []
        self._place = 0
        self.length: int | None = None
        self.last_modified: str | None = None
        self.ranges = False

    def open(self, *, tail: bool) -> bool:
        """Request the first bytes, or the last ones of an archive, whose directory is there.

        Args:
            tail: Request the last bytes; the first ones of a server that does not know such a range.

        Returns:
            False where the publisher has no such file and need not have one.

        Raises:
            SourceError: `publisher-refused`, `login-asked`, `html-instead-of-data`, and those of `with_retries`.
        """
        status = self._request(f"bytes=-{BLOCK}") if tail else _NO_RANGE
        if status in _NO_SUFFIX:
            status = self._request(f"bytes=0-{BLOCK - 1}")
        if status in _ABSENT | _REFUSED and (self._file.optional or self._file.group):
            return False
        if status not in _RECEIVED:
            raise SourceError("publisher-refused", source=self._source, url=self._file.url, status=status)
        return True

    @property
    def anywhere(self) -> bool:
        """True where any part of the file can be read."""
        whole = any(part.start == 0 and len(part.content) == self.length for part in self._parts)
        return whole or (self.ranges and self.length is not None)

    def beginning(self, size: int) -> bytes:
        """Return the first bytes of the file, at most `size`; fewer where the publisher ignores ranges."""
        if not self.anywhere:
            return next((part.content[:size] for part in self._parts if part.start == 0), b"")
        self.seek(0)
        return self.read(size)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the place of the next read."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place, as files do. Raises `OSError` before the beginning."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.length or 0}[whence]
        if base + offset < 0:
            raise OSError("before the beginning")
        self._place = base + offset
        return self._place

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raises `PartTooLargeError` where they are more than a look at a file may take."""
        end = self.length or 0
        size = max(0, min(end - self._place, size if size >= 0 else end))
        if size > _LARGEST_PART:
            raise PartTooLargeError
        content = bytearray()
        while len(content) < size:
            part = self._part(self._place, size - len(content))
            taken = part.content[self._place - part.start :][: size - len(content)]
            content += taken
            self._place += len(taken)
        return bytes(content)

    def _part(self, place: int, size: int) -> _Part:
        """Return a part that holds the byte at `place`, requested where none does."""
        known = next((part for part in self._parts if part.holds(place)), None)
        if known is None:
            known_after = min((part.start for part in self._parts if part.start > place), default=self.length or 0)
            end = min(max(place + size, place + BLOCK), known_after)
            self._request(f"bytes={place}-{end - 1}")
            known = next((part for part in self._parts if part.holds(place)), None)
        if known is None:
            raise SourceError("publisher-unreachable", source=self._source, url=self._file.url, reason="Range")
        return known

    def _request(self, wanted: str) -> int:
        """Request a range; return the status."""

        def attempt() -> int:
            with self._publisher.stream(self._file.url, {"Range": wanted}, expected=_ABSENT | _REFUSED) as response:
                if response.status_code in _RECEIVED:
                    self._take(response)
                return response.status_code

        return self._publisher.with_retries(self._source, self._file.url, attempt)

    def _take(self, response: httpx2.Response) -> None:
        """Keep the part that an answer holds: its first bytes where the publisher ignored the range."""
        partial = _TOTAL.fullmatch(response.headers.get("content-range", "")) if response.status_code == 206 else None
        self.ranges = partial is not None
        stated = partial[2] if partial else response.headers.get("content-length")
        self.length = int(stated) if stated is not None else None
        self.last_modified = response.headers.get("last-modified")
        body = bytearray()
        for block in response.iter_raw():
            body += block
            if len(body) >= _LARGEST_PART:
                break
        self._check_page(bytes(body[:BLOCK]))
        self._parts.append(_Part(int(partial[1]) if partial else 0, bytes(body)))

    def _check_page(self, start: bytes) -> None:
        """Raise where the answer is a page for people."""
        if not start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE):
            return
        if _LOGIN.search(start):
            raise SourceError("login-asked", source=self._source, url=self._file.url)
        raise SourceError("html-instead-of-data", source=self._source, file=self._file.name)
