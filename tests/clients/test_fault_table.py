"""Faults between a client and the service, one connection at a time: each ends in an error of the client, in time.

No text of any error or log line has the key: as it is, percent-encoded, or in base64.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import logging
import socket
import struct
import threading
import traceback
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

from node_tools import CLIENT, TOOLS, run
from padron_client import APIError, APIResponseError, AsyncPadron, Padron
from waiting import PATIENCE

KEY = "pdr_live_+/fault&key=0123456789abcdef"
FORMS = (
    KEY,
    quote(KEY, safe=""),
    "".join(f"%{ord(letter):02x}" for letter in KEY),
    *(base64.b64encode(b"x" * offset + KEY.encode()).decode()[offset + 2 : -4] for offset in range(3)),
)
"""The key as an upstream may repeat it; of base64, the letters that only the key determines."""

OK = b"HTTP/1.1 200 OK\r\n"
JSON = b"Content-Type: application/json\r\n"
BODY = b'{"entity": {}}'


def whole(body: bytes, *fields: bytes, status: bytes = b"200 OK") -> list[bytes]:
    """An answer in one piece."""
    head = b"".join(field + b"\r\n" for field in (*fields, b"Content-Length: %d" % len(body)))
    return [b"HTTP/1.1 " + status + b"\r\n" + JSON + head + b"\r\n" + body]


def zeros(size: int, pack: int) -> bytes:
    """`size` zeros, compressed (`pack`: wbits of zlib)."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, pack)
    return b"".join(compressor.compress(bytes(1 << 20)) for _ in range(size >> 20)) + compressor.flush()


def problem(text: str) -> bytes:
    """A problem document that says `text` wherever it can."""
    members = dict.fromkeys(("type", "title", "detail", "instance", "code", "requestId"), text)
    return json.dumps(members | {"status": 400}).encode()


CHUNKED = OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
HANG = b""
"""A piece that never comes, while the connection stays open."""
FAULTS: dict[str, list[bytes]] = {
    # drops
    "closed at once": [],
    "closed within the status line": [b"HTTP/1.1 20"],
    "closed after the status line": [OK],
    "closed within the fields": [OK + b"Content-Le"],
    "closed before the body": [OK + JSON + b"Content-Length: 14\r\n\r\n"],
    "closed within the body": [OK + JSON + b"Content-Length: 14\r\n\r\n" + BODY[:7]],
    "closed within a chunk": [CHUNKED + b"e\r\n" + BODY[:7]],
    "closed before the last chunk": [CHUNKED + b"e\r\n" + BODY + b"\r\n"],
    "closed within the size of a chunk": [CHUNKED + b"e"],
    # silence and drip
    "silent": [HANG],
    "silent after the status line": [OK, HANG],
    "silent within the fields": [OK + b"X-A: b\r\n", HANG],
    "silent before the body": [OK + JSON + b"Content-Length: 14\r\n\r\n", HANG],
    "silent within the body": [OK + JSON + b"Content-Length: 14\r\n\r\n" + BODY[:7], HANG],
    "silent within a chunk": [CHUNKED + b"e\r\n" + BODY[:7], HANG],
    "fields that drip": [OK, *[b"X-Drip: 1\r\n"] * 400],
    "a body that drips": [OK + b"Content-Length: 400\r\n\r\n", *[b" "] * 400],
    "chunks that drip": [CHUNKED, *[b"1\r\n \r\n"] * 400],
    # truncation and wrong lengths
    "an empty body": whole(b""),
    "half of the JSON": whole(BODY[:7]),
    "a length that is too small": [OK + JSON + b"Content-Length: 7\r\n\r\n" + BODY],
    "a length that is negative": [OK + JSON + b"Content-Length: -1\r\n\r\n" + BODY],
    "a length that is no number": [OK + JSON + b"Content-Length: ten\r\n\r\n" + BODY],
    "two lengths": [OK + JSON + b"Content-Length: 14\r\nContent-Length: 15\r\n\r\n" + BODY],
    "a size of a chunk that is no number": [CHUNKED + b"zz\r\n" + BODY],
    "a chunk that is too long": [CHUNKED + b"2\r\n" + BODY + b"\r\n0\r\n\r\n"],
    "a cut gzip": whole(gzip.compress(BODY * 50)[:30], b"Content-Encoding: gzip"),
    # garbage
    "no HTTP": [b"SSH-2.0-OpenSSH_9.2\r\n"],
    "another version": [b"HTTP/9.9 200 OK\r\n\r\n" + BODY],
    "a status that is no number": [b"HTTP/1.1 abc OK\r\n\r\n"],
    "a status of four digits": [b"HTTP/1.1 2000 OK\r\n\r\n"],
    "a field without a colon": [OK + b"nonsense\r\n\r\n" + BODY],
    "a NUL in a field": [OK + b"X-A: a\0b\r\nContent-Length: 14\r\n\r\n" + BODY],
    "random bytes": [bytes(range(256)) * 8],
    "no gzip": whole(BODY, b"Content-Encoding: gzip"),
    "no JSON": whole(b"<html>a proxy</html>"),
    "a list": whole(b"[]"),
    "null": whole(b"null"),
    "a number": whole(b"1e999"),
    "another object": whole(b'{"error": "x"}'),
    "wrong types": whole(b'{"entity": [], "requestedIdentifier": 3}'),
    "not UTF-8": whole(b'{"entity": "\xff\xfe"}'),
    "UTF-16": whole('{"entity": {}}'.encode("utf-16")),
    "deep nesting": whole(b"[" * 200_000),
    "two documents": whole(BODY + BODY),
    "no content": [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "not modified, unasked": [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
    "informed for ever": [b"HTTP/1.1 103 Early Hints\r\n\r\n"] * 200,
    # bombs
    "a bomb of gzip": whole(zeros(256 << 20, 31), b"Content-Encoding: gzip"),
    "a bomb of deflate": whole(zeros(256 << 20, 15), b"Content-Encoding: deflate"),
    "a body without end": [OK + JSON + b"\r\n", *[bytes(1 << 20)] * 200],
    "a line of fields without end": [OK + b"X-A: ", *[b"a" * 65_536] * 64],
    "fields without end": [OK, *[b"X-A: b\r\n" * 8_192] * 64],
    # redirects
    "a redirect": [b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"],
    "a redirect to itself": [b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"],
    "a redirect without a target": [b"HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\n\r\n"],
    # the key comes back
    "the key in a problem": whole(problem(f"key {KEY}"), status=b"400 Bad Request"),
    "the key in a page": whole(f"<p>{KEY}</p>".encode(), status=b"502 Bad Gateway"),
    "the key in base64": whole(
        problem(" ".join(base64.b64encode(b"x" * offset + KEY.encode()).decode() for offset in range(3))),
        status=b"400 Bad Request",
    ),
    "the key percent-encoded": whole(problem(f"{FORMS[1]} {FORMS[2]}"), status=b"403 Forbidden"),
    "the key in the request id": whole(problem("x"), b"X-Request-Id: " + KEY.encode(), status=b"404 Not Found"),
    "the key in a broken answer": whole(json.dumps({"entity": KEY}).encode()),
    "the key in the fields": whole(b"{}", b"Authorization: Bearer " + KEY.encode(), b"apiKey: " + KEY.encode()),
    "the key in a broken status line": [b"HTTP/1.1 " + KEY.encode() + b"\r\n\r\n"],
    "the key in a broken field": [OK + KEY.encode() + b"\r\n\r\n"],
    "the key as a cookie": whole(b"{}", b"Set-Cookie: k=" + KEY.encode()),
    "the key as a target": whole(b"", b"Location: http://127.0.0.1:9/?k=" + KEY.encode(), status=b"302 Found"),
}


@contextmanager
def faulty(pieces: list[bytes]) -> Iterator[str]:
    """A server that sends `pieces` to every connection, whatever it is asked, a little later each."""
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            for piece in pieces:
                if piece == HANG:
                    ended.wait(PATIENCE)
                connection.sendall(piece)
                if len(piece) < 100 and len(pieces) > 2:
                    ended.wait(0.02)
            if not pieces:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(PATIENCE)


def leaks(text: str) -> list[str]:
    return [form for form in FORMS if form.lower() in text.lower()]


def ended(kind: str, url: str) -> APIError:
    """The error that a call ends in: a POST with asyncio, a GET with threads."""

    async def ask() -> None:
        async with AsyncPadron(api_key=KEY, base_url=url, timeout=2, max_retries=1) as padron:
            await padron.match([{"name": "Apple"}])

    with pytest.raises(APIError) as refused:  # noqa: PT012 - either client
        if kind == "asyncio":
            asyncio.run(ask())
        else:
            with Padron(api_key=KEY, base_url=url, timeout=2, max_retries=1) as padron:
                padron.get("US", "320193")
    return refused.value


@pytest.mark.parametrize(
    "kind",
    [pytest.param("threads", marks=pytest.mark.verify), pytest.param("asyncio", marks=pytest.mark.release_check)],
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_in_an_error_without_the_key(fault: str, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shown = io.StringIO()
    with faulty(FAULTS[fault]) as url:
        error = ended(kind, url)
    traceback.print_exception(error, file=shown)
    texts = [shown.getvalue(), repr(error), str(error.problem), str(error.request_id), str(vars(error)), caplog.text]
    assert [leaks(text) for text in texts] == [[]] * len(texts)
    assert (error.problem is None) == (not FAULTS[fault] or b'"requestId"' not in FAULTS[fault][0])
    if "bomb" in fault or fault == "a body without end":
        assert (type(error), str(error)) == (APIResponseError, "The answer has more than 32 MiB")


PROGRAM = """
import { inspect } from "node:util";
import { APIError, createClient } from "%s/dist/index.js";
const [apiKey, ...urls] = process.argv.slice(2);
const methods = {
  get: (padron) => padron.get("US", "320193"),
  usage: (padron) => padron.usage(),
  changes: (padron) => padron.changes(),
  match: (padron) => padron.match([{ name: "Apple" }]),
};
const attempts = [];
const onAttempt = (attempt) => attempts.push(JSON.stringify(attempt));
const ends = urls.flatMap((baseUrl) => Object.values(methods).map(async (call) => {
  try {
    return [false, inspect(await call(createClient({ apiKey, baseUrl, timeout: 2000, maxRetries: 1, onAttempt })))];
  } catch (error) {
    return [error instanceof APIError, inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)];
  }
}));
console.log(JSON.stringify([Object.keys(methods), await Promise.all(ends), attempts]));
"""


@pytest.mark.verify
def test_a_fault_ends_in_an_error_without_the_key_in_typescript(tmp_path: Path) -> None:
    run("npm", "run", "build")
    (tmp_path / "faults.mjs").write_text(PROGRAM % CLIENT, encoding="utf-8")
    with ExitStack() as servers:
        urls = [servers.enter_context(faulty(pieces)) for pieces in FAULTS.values()]
        methods, ends, attempts = json.loads(run(TOOLS / "node", tmp_path / "faults.mjs", KEY, *urls))
    outcomes = dict(zip(product(FAULTS, methods), ends, strict=True))
    assert len(attempts) >= len(ends)
    assert leaks(" ".join(attempts)) == []
    assert {fault: text for fault, (is_error, text) in outcomes.items() if not is_error} == {}
    assert [fault for fault, (_, text) in outcomes.items() if leaks(text)] == []


def test_the_search_for_the_key_finds_it() -> None:
    for text in (KEY, quote(KEY, safe=""), base64.b64encode(b"Bearer " + KEY.encode()).decode()):
        assert leaks(f"an error: {text}!")
    assert len(FAULTS) >= 60
