"""The real service in its own processes, a second release to swap in, and steady traffic against it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from padron.index import release_index
from padron.releases import snapshot
from ports import free_port
from waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]
OWN = shutil.ignore_patterns("accounts*", "secret", "mail")
"""Files that a service makes in its data folder: whoever copies the release that all tests share leaves them out, since
another test may serve it at the moment."""


@dataclass(frozen=True)
class Server:
    """A running service; `log` is its standard output."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def is_alive(self) -> bool:
        """True once the service answers; fail if it has ended."""
        assert self.process.poll() is None, f"the service ended with {self.process.returncode}"
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=PATIENCE):
            return True
        return False

    def stop(self) -> int:
        """Ask it to end, as a supervisor would; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def link_release(release: Path, folder: Path) -> None:
    """Give a data folder the release of another one, which it only reads."""
    for name in ("current", "indexes", "releases", "snapshots"):
        (folder / name).symlink_to(release / name)


@contextmanager
def serving(
    data: Path, folder: Path, *, workers: int = 1, output: Path | None = None, closed: str = "", **variables: str
) -> Iterator[Server]:
    """`padron serve` over `data` until the block ends, limits off unless `variables` (settings) say otherwise.

    Its standard output goes to `output`, by default a file in `folder`; `closed` closes it, or others, as a shell does.
    """
    port = free_port()
    standing = {
        "PADRON_BASE_URL": f"http://127.0.0.1:{port}",
        "PADRON_LIMITS__ENABLED": "0",
        "PADRON_SERVER__OPERATIONS": "127.0.0.1:0",
    }
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | standing | variables
    command = [sys.executable, "-m", "padron.cli.app", "serve", "--data", str(data), "--port", str(port)]
    if closed:
        command = ["sh", "-c", f'exec "$@" {closed}', "sh", *command]
    log = output or folder / f"{port}.log"
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [*command, "--workers", str(workers)], env=environment, stdout=lines, start_new_session=True
        )
    server = Server(port, process, log)
    try:
        until(server.is_alive)
        yield server
    finally:
        if process.poll() is None:
            server.stop()


def add_twin(data: Path, twin: str, alter: Callable[[Path], object] = lambda _: None) -> None:
    """Publish another release with the same content as the current one, but for what `alter` does to its index."""
    with snapshot.building(data) as work:
        release = snapshot.read_release(data, snapshot.current(data))
        snapshot.write_release(data, work, release._replace(id=twin))
        original, copy = (snapshot.index_folder(data, name, release_index.FORMAT) for name in (release.id, twin))
        shutil.copytree(original, copy)
        alter(copy)
        snapshot.publish(data, work, twin)


def publish(data: Path, release: str) -> None:
    """Make a release that is there already the current one."""
    with snapshot.building(data) as work:
        snapshot.publish(data, work, release)


def read_answer(caller: socket.socket) -> bytes:
    """One whole answer from a connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = caller.recv(65536)
        assert part, received
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    while len(body) < int(length[1]):
        body += caller.recv(65536)
    return head + body


@dataclass
class Traffic:
    """Results of the requests: answers by status, every release seen, digests by path, times, and every failure."""

    statuses: dict[int, int] = field(default_factory=dict)
    releases: set[str] = field(default_factory=set)
    digests: dict[str, set[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@asynccontextmanager
async def traffic(port: int, paths: Sequence[str], rate: int, connections: int = 8) -> AsyncIterator[Traffic]:
    """GET the paths in turn, `rate` a second in all over kept-alive connections, until the block ends."""
    seen = Traffic()
    over = asyncio.Event()
    callers = [asyncio.create_task(_call(port, paths, rate / connections, seen, over)) for _ in range(connections)]
    try:
        yield seen
    finally:
        over.set()
        await asyncio.gather(*callers)


async def _read_body(reader: asyncio.StreamReader, fields: Mapping[str, str]) -> bytes:
    """The body of an answer, of a stated length or, as proxies send it, in chunks."""
    if "content-length" in fields:
        return await reader.readexactly(int(fields["content-length"]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


def release_of(etag: str) -> str:
    return etag.removeprefix("W/").removeprefix("w/").strip('"').split(".")[0]


def content_digest(body: bytes, etag: str) -> str:
    """A digest of an answer without the name of its release, which a page states."""
    return hashlib.sha256(body.replace(release_of(etag).encode(), b"") if etag else body).hexdigest()


async def _call(port: int, paths: Sequence[str], rate: float, seen: Traffic, over: asyncio.Event) -> None:
    """One connection's requests; a failure ends it."""
    started, count = time.monotonic(), 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while not over.is_set():
            path, asked = paths[count % len(paths)], time.monotonic()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            fields = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
            body = await _read_body(reader, fields)
            seen.seconds.append(time.monotonic() - asked)
            seen.digests.setdefault(path, set()).add(content_digest(body, fields.get("etag", "")))
            status = int(head.split()[1])
            seen.statuses[status] = seen.statuses.get(status, 0) + 1
            if "etag" in fields:
                seen.releases.add(release_of(fields["etag"]))
            count += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), max(0.0, started + count / rate - time.monotonic()))
    except (OSError, EOFError, ValueError, KeyError) as error:
        seen.failures.append(repr(error))
    finally:
        writer.close()
