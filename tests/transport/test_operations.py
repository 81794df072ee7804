"""Health on a listener and a thread of its own: it answers while requests hold up the event loop."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory
from padron.config import Server
from padron.transport import health
from padron.transport.connections import Connections
from padron.transport.observability import PARTS, Metrics, Observer, StructuredLog, reserve_metrics
from padron.transport.server import Listener, listen
from starving import no_file_beyond
from waiting import PATIENCE, until


@contextmanager
def listening(app: Starlette, operations: Starlette, observer: Observer) -> Iterator[tuple[int, int]]:
    """The ports of a service and of its operations, in threads."""
    sockets = listen("127.0.0.1", 0), listen("127.0.0.1", 0)
    beside = Listener(operations, sockets[1], Connections(Server()), lifespan="off")
    service = Listener(app, sockets[0], Connections(Server()), beside=beside, lifespan="off")
    serving = threading.Thread(target=service.run)
    serving.start()
    try:
        until(lambda: service.started and beside.started)
        yield port(sockets[0]), port(sockets[1])
    finally:
        service.should_exit = True
        serving.join(PATIENCE)
        assert not serving.is_alive()


def port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def status_of(port: int, path: str) -> tuple[int, object]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_health_is_answered_while_a_request_holds_the_loop() -> None:
    observer, memory_directory = Observer(StructuredLog(), Metrics()), MemoryDirectory()
    inside, outside = threading.Event(), threading.Event()

    async def hold(_: Request) -> PlainTextResponse:
        inside.set()
        outside.wait(PATIENCE)
        return PlainTextResponse("1")

    operations = Starlette(routes=health.routes(lambda: memory_directory, observer))
    with listening(Starlette(routes=[Route("/hold", hold)]), operations, observer) as (public, beside):
        asking = threading.Thread(target=status_of, args=(public, "/hold"))
        asking.start()
        try:
            assert inside.wait(PATIENCE)
            assert status_of(beside, "/healthz") == (200, {"status": "alive"})
            assert status_of(beside, "/readyz")[0] == 200
        finally:
            outside.set()
            asking.join(PATIENCE)


def test_a_task_that_succeeds_for_the_first_time_disturbs_no_answer() -> None:
    """The service enters tasks in another thread than that of the operations: here, while the answer is written."""
    observer = Observer(StructuredLog(), Metrics())

    class First(datetime):
        def __format__(self, spec: str) -> str:
            observer.successes["second"] = datetime(2026, 1, 1, tzinfo=UTC)
            return super().__format__(spec)

    observer.successes["first"] = First(2026, 1, 1, tzinfo=UTC)
    client = TestClient(Starlette(routes=health.routes(MemoryDirectory, observer)), raise_server_exceptions=False)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["tasks"]) == (200, {"first": "2026-01-01T00:00:00Z"})
    assert sorted(observer.successes) == ["first", "second"]


def test_the_metrics_of_several_workers_have_their_disk_from_the_start(tmp_path: Path) -> None:
    """A page that a full disk does not give kills the worker that counts in it."""

    def work(place: int) -> None:
        reserve_metrics(tmp_path, place)
        metrics = Metrics(tmp_path, place)
        with no_file_beyond(0):
            for status in range(100, 600):
                metrics.observe("/route", status, 0.01)
            metrics.connections.labels("idle").set(2)
            metrics.closed.labels("evicted").inc()
        (tmp_path / "text").write_bytes(metrics.text())

    context = multiprocessing.get_context("fork")  # the library is told once in a process
    for place in (1, 0, 0):
        process = context.Process(target=work, args=(place,))
        process.start()
        process.join(PATIENCE)
        assert process.exitcode == 0
        reserve_metrics(tmp_path, 1)  # as when its worker has ended
    files = list(tmp_path.glob("*.db"))
    assert {path.stem.rpartition("_")[2] for path in files} == {"0", "1"}
    assert all(path.stat().st_blocks * 512 >= path.stat().st_size for path in files)
    text = (tmp_path / "text").read_text()
    assert 'padron_http_request_seconds_count{route="/route",status="200"} 3.0' in text
    assert 'padron_connections_closed_total{reason="evicted"} 3.0' in text
    assert 'padron_connections{phase="idle"} 2.0' in text


def test_lines_of_the_log_that_a_killed_worker_lost_stay_counted(tmp_path: Path) -> None:
    def work(place: int, lines: int) -> None:
        reserve_metrics(tmp_path, place)  # as for each worker that takes the place of another
        observer = Observer(StructuredLog(), Metrics(tmp_path, place))
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        for part in PARTS[:lines]:
            observer.lost(part, "OSError")
        until(lambda: observer.log.lost == lines)
        for _ in range(2):
            observer.flush()
        (tmp_path / "text").write_bytes(observer.metrics.text())
        os.kill(os.getpid(), signal.SIGKILL)

    context = multiprocessing.get_context("fork")  # the library is told once in a process
    for place, lines in ((0, 2), (1, 3), (0, 0)):
        process = context.Process(target=work, args=(place, lines))
        process.start()
        process.join(PATIENCE)
        assert process.exitcode == -signal.SIGKILL
    samples = [line for line in (tmp_path / "text").read_text().splitlines() if line.startswith("padron_log_lines")]
    assert samples == ["padron_log_lines_lost_total 5.0"]


def test_each_turn_of_the_loop_is_a_tick() -> None:
    """A loop whose turns take seconds is no loop that stands still."""
    ticks: list[int] = []

    async def turns() -> None:
        with listen("127.0.0.1", 0) as listening:
            service = Listener(Starlette(), listening, Connections(Server()), tick=lambda: ticks.append(1))
            for counter in range(1, 6):
                await service.on_tick(counter)

    asyncio.run(turns())
    assert len(ticks) == 5
