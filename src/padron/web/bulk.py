"""The files of `padron export`, at addresses that stay the same from release to release, whole or by ranges."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.errors import Invalid, NotFound
from padron.transport import headers
from padron.transport.call import Call
from padron.transport.conditional import client_holds
from padron.transport.headers import Header
from padron.web.page import Entry

FOLDER: Final = "/bulk/"
"""Path of the files."""

_TYPES: Final = {
    ".parquet": b"application/vnd.apache.parquet",
    ".gz": b"application/gzip",
    ".jsonld": b"application/ld+json",
    ".md": b"text/markdown; charset=utf-8",
    "": b"text/plain; charset=us-ascii",
}
_BLOCK: Final = 1 << 18
"""Bytes that are read and sent at a time."""
_OF_CLIENT: Final = 16
"""Files that a worker sends to one client at once: each has a block in memory, and few threads read for all."""
_RANGE: Final = re.compile(rb"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))")


class _Part(NamedTuple):
    """A part of a file: its first byte, and the one behind its last."""

    start: int
    end: int


def routes(entry: Entry) -> list[Route]:
    """Return the route of the files; `entry` counts requests and has the directory being served."""
    return [Route(FOLDER + "{name}", BulkEndpoint(entry), methods=["GET"])]


class BulkEndpoint:
    """A file of the export of the release being served; there may be none."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._own_turns = threads.OwnTurns(_OF_CLIENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file or one range of it.

        Raises:
            NotFound: `no-such-address`.
            Unavailable: `export-damaged`, the file is not as it was exported.
            Invalid: `range-not-satisfiable`.
            Limited: `rate-limited`.
        """
        call = Call.of(scope)
        export = (await self._entry.admit(call)).bulk  # a slow download keeps no release that is replaced meanwhile
        name = scope["path_params"]["name"]
        if export is None or name not in export.digests or Path(name).suffix not in _TYPES:
            raise NotFound("no-such-address")
        tag = f'"{export.digests[name]}"'.encode()
        fields: list[Header] = [(b"etag", tag), headers.FRESH, (b"accept-ranges", b"bytes")]
        if client_holds(call, tag):
            await call.answer(send, 304, fields, b"")
            return
        async with self._own_turns.of(self._entry.client(call)):
            with await threads.FILES.call(export.open, name) as file:
                size = os.fstat(file.fileno()).st_size
                part = _part(call, tag, size)
                start, end = part or _Part(0, size)
                fields += [(b"content-type", _TYPES[Path(name).suffix]), (b"content-length", str(end - start).encode())]
                if part:
                    fields.append((b"content-range", f"bytes {start}-{end - 1}/{size}".encode()))
                await send({"type": "http.response.start", "status": 206 if part else 200, "headers": fields})
                await _send_part(send, file, start, start if scope["method"] == "HEAD" else end)


def _part(call: Call, tag: bytes, size: int) -> _Part | None:
    """Return the part that a request wants; None for all: without a range, with several, or of another edition."""
    given = _RANGE.fullmatch(call.given.get(b"range", b""))
    if given is None or call.scope["method"] == "HEAD" or call.given.get(b"if-range", tag) != tag:
        return None
    first, last, suffix = given.groups()
    if suffix:
        part = _Part(max(0, size - int(suffix)), size)
    else:
        part = _Part(int(first), min(size, int(last) + 1) if last else size)
    if last and int(last) < int(first):
        return None
    if part.start >= part.end:
        call.headers.append((b"content-range", f"bytes */{size}".encode()))
        raise Invalid("range-not-satisfiable", size=size)
    return part


async def _send_part(send: Send, file: BinaryIO, start: int, end: int) -> None:
    """Send the bytes of an open file from `start` to before `end`, a block at a time."""
    file.seek(start)
    while start < end:
        if not (block := await threads.FILES.call(file.read, min(_BLOCK, end - start))):
            raise EOFError(file.name)  # it has become shorter
        start += len(block)
        await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
