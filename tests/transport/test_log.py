"""A log that standard output does not take: it costs lines, and the service goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory, service
from padron.service.app import ServedDirectory
from padron.transport.observability import ReleaseLine, StructuredLog
from process import Server, serving
from waiting import PATIENCE, until

Redirect = Callable[[int], None]
LOST = re.compile("padron_log_lines_lost_total[ {]")


@pytest.fixture
def redirect() -> Iterator[Redirect]:
    """A way to send standard output to another open file until the test ends."""
    kept = os.dup(1)
    try:
        yield lambda file: os.dup2(file, 1) and None
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@pytest.fixture
def full_disk() -> Iterator[int]:
    file = os.open("/dev/full", os.O_WRONLY)
    yield file
    os.close(file)


def test_a_full_disk_costs_lines_and_is_told(redirect: Redirect, full_disk: int, tmp_path: Path) -> None:
    log, line = StructuredLog(), ReleaseLine(release="20260301-aaaaaaaa")
    redirect(full_disk)
    for _ in range(3):
        log.write_now(line)
    until(lambda: log.lost == 3)
    assert log.error == "ENOSPC"
    with (tmp_path / "log").open("wb") as file:
        redirect(file.fileno())
        log.write_now(line)
        log.close()
    assert (log.lost, log.error) == (3, None)
    assert [json.loads(text)["event"] for text in (tmp_path / "log").read_bytes().splitlines()] == ["release"]


def test_a_reader_that_stops_holds_up_nobody(redirect: Redirect) -> None:
    log, line, count = StructuredLog(), ReleaseLine(release="x" * 900), 3_000
    reader, writer = os.pipe()
    redirect(writer)
    for _ in range(count):
        log.write(line)
    log.flush()
    until(lambda: log.error == "not-read")
    lost = log.lost
    assert 0 < lost < count
    read: list[bytes] = []

    def take() -> None:
        with os.fdopen(reader, "rb") as lines:
            while text := lines.readline():
                read.append(text)

    taking = threading.Thread(target=take)
    taking.start()
    until(lambda: len(read) == count - lost)
    assert log.error is None
    log.close()
    redirect(2)
    os.close(writer)
    taking.join(PATIENCE)
    assert len(read) == count - lost
    assert {json.loads(text)["release"] for text in read} == {"x" * 900}


def test_lines_are_written_in_order_and_before_the_end(redirect: Redirect, tmp_path: Path) -> None:
    log, path, count = StructuredLog(), tmp_path / "log", 3_000
    with path.open("wb") as file:
        redirect(file.fileno())
        for number in range(count):
            log.write(ReleaseLine(release=str(number)))
        until(lambda: path.stat().st_size)
        log.close()
        log.close()
    assert [json.loads(line)["release"] for line in path.read_bytes().splitlines()] == [*map(str, range(count))]


def test_a_pipe_gets_no_more_at_once_than_it_takes_whole(redirect: Redirect, monkeypatch: pytest.MonkeyPatch) -> None:
    log, write, pieces = StructuredLog(), os.write, list[bytes]()
    monkeypatch.setattr(os, "write", lambda file, text: pieces.append(text) or write(file, text))
    reader, writer = os.pipe()
    redirect(writer)
    for _ in range(300):
        log.write(ReleaseLine(release="x" * 90))
    log.close()
    redirect(2)
    os.close(reader)
    os.close(writer)
    assert len(pieces) > 1
    assert all(len(piece) <= 4_096 and piece.endswith(b"}\n") for piece in pieces)


def test_a_part_of_a_line_does_not_spoil_the_next_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log, written = StructuredLog(), bytearray()
    torn: list[bytes] = []

    def write(_file: int, text: bytes) -> int:
        if not torn:
            torn.append(text[:10])
            written.extend(text[:10])
            return 10
        if len(torn) == 1:
            torn.append(b"")
            raise OSError(28, "No space left on device")
        written.extend(text)
        return len(text)

    monkeypatch.setattr(os, "write", write)
    log.write_now(ReleaseLine(release="first"))
    until(lambda: log.lost == 1)
    log.write_now(ReleaseLine(release="second"))
    log.close()
    first, second = bytes(written).splitlines()
    assert first == torn[0]
    assert json.loads(second)["release"] == "second"


def parts(client: TestClient) -> dict[str, str]:
    return client.get("/readyz").json()["parts"]


def test_a_new_release_is_served_while_the_disk_of_the_log_is_full(redirect: Redirect, full_disk: int) -> None:
    memory_directory = MemoryDirectory()
    with service(memory_directory) as client:
        redirect(full_disk)
        memory_directory.next_release = "20260401-bbbbbbbb"
        until(lambda: client.get("/readyz").json()["release"] == "20260401-bbbbbbbb")
        until(lambda: parts(client)["log"] == "ENOSPC")
        assert parts(client)["search"] == "ok"
        lost = [
            line for line in client.get("/metrics").text.splitlines() if line.startswith("padron_log_lines_lost_total")
        ]
        assert float(lost[0].split()[-1]) > 0


def test_whatever_a_poll_fails_with_the_next_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    memory_directory, poll, polls = MemoryDirectory(), ServedDirectory.poll, []

    async def failing(served: ServedDirectory) -> None:
        if memory_directory in vars(served).values():
            polls.append(served)
            if len(polls) == 2:
                raise OSError("the disk does not answer")
            if len(polls) == 4:
                memory_directory.next_release = "20260401-bbbbbbbb"
        await poll(served)

    monkeypatch.setattr(ServedDirectory, "poll", failing)
    with (
        service(MemoryDirectory()),
        service(memory_directory) as client,
    ):  # another one polls too, as those that other tests keep open
        until(lambda: parts(client)["search"] == "OSError" or len(polls) > 2)
        until(lambda: client.get("/readyz").json()["release"] == "20260401-bbbbbbbb")
        assert parts(client)["search"] == "ok"
        tasks = client.get("/readyz").json()["tasks"]
        assert {"release", "engine", "revoked-keys", "usage", "mail", "webhooks"} <= tasks.keys()


@pytest.mark.verify
def test_a_service_whose_log_is_dead_starts_replaces_workers_and_ends(tmp_path: Path) -> None:
    with serving(tmp_path / "var", tmp_path, output=Path("/dev/full")) as server:
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        worker = children.read_text().split()
        os.kill(int(worker[0]), signal.SIGKILL)
        until(lambda: (now := children.read_text().split()) and now != worker)
        until(server.is_alive)
        assert server.stop() == 0


def test_no_socket_takes_the_place_of_a_closed_standard_output(tmp_path: Path) -> None:
    with serving(tmp_path / "var", tmp_path, closed="<&- >&-") as server:
        process = server.process.pid
        (worker,) = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        places = [os.readlink(f"/proc/{number}/fd/{file}") for number in (process, worker) for file in (0, 1)]
        assert places == [os.devnull] * 4
        until(lambda: lines_lost(server) > 0)
        assert server.stop() == 0


def lines_lost(server: Server) -> float:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=PATIENCE) as answer:
        return sum(float(line.split()[-1]) for line in answer.read().decode().splitlines() if LOST.match(line))
