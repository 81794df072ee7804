"""The service whole: its lifespan, its releases, its processes; real servers over the release of all bundled files."""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory, service
from padron.config import load
from padron.index import release_index
from padron.releases import snapshot
from padron.service import app
from padron.service.app import build_app
from padron.transport.observability import PARTS, reserve_metrics
from ports import free_port
from process import OWN, ROOT, Server, Traffic, add_twin, publish, read_answer, serving, traffic
from servers import listens
from waiting import PATIENCE, until

SEARCHES = [
    "/api/public/empresas/search?q=corporacion+favorita",
    "/api/public/empresas/search?q=transportes+del+norte&limit=20",
    "/api/public/empresas/search?q=33.000.167%2F0001-01",
    "/api/public/empresas/US/320193",
    "/api/public/empresas/stats",
]
TWIN = "2026-01-01-7716e5ea"


@pytest.fixture
def data(release: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own with the release and a twin of it, which is current."""
    folder = tmp_path / "var"
    shutil.copytree(release, folder, ignore=OWN)
    add_twin(folder, TWIN)
    return folder


def events(log: bytes | Path, name: str) -> list[dict[str, object]]:
    """The whole lines of one event in a log, which may be written at the moment."""
    text = log.read_bytes() if isinstance(log, Path) else log
    return [line for line in map(json.loads, text[: text.rfind(b"\n") + 1].splitlines()) if line["event"] == name]


def get(url: str) -> tuple[int, bytes]:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.status, answer.read()


def test_a_new_release_is_taken(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    memory_directory = MemoryDirectory()
    with service(memory_directory) as client:
        before = client.get("/readyz").json()["release"]
        memory_directory.next_release = "20260401-bbbbbbbb"
        until(lambda: client.get("/readyz").json()["release"] != before)
        assert client.get("/readyz").json()["release"] == "20260401-bbbbbbbb"
    assert [line["release"] for line in events(capfdbinary.readouterr().out, "release")] == ["20260401-bbbbbbbb"]


def test_a_worker_leaves_its_release_out_of_garbage_collections_and_gives_memory_back(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, seen = Path(shutil.copytree(small_data, tmp_path / "var")), tmp_path / "seen"
    settings = load({"PADRON_LIMITS__ENABLED": "0"}, data=data)
    reserve_metrics(tmp_path, 0)

    class Begun:
        def __init__(self, served: Starlette, *_given: Any, **_more: Any) -> None:
            self._served = served

        def run(self) -> None:
            asyncio.run(self._begin())

        async def _begin(self) -> None:
            async with self._served.router.lifespan_context(self._served):
                interval, running = sys.getswitchinterval(), {thread.name for thread in threading.enumerate()}
                collected = f"{gc.get_freeze_count() > 10_000} {gc.get_threshold()}"
                seen.write_text(f"{collected} {interval:g} {'memory' in running}")

    monkeypatch.setattr(app, "Listener", Begun)
    worker = multiprocessing.get_context("fork").Process(
        target=app._work, args=(settings, tmp_path, None, None, 0, 0, lambda: None)
    )
    worker.start()
    worker.join(PATIENCE)
    assert worker.exitcode == 0
    assert seen.read_text() == "True (700, 10, 1000) 0.0001 True"


def test_what_was_at_work_when_a_release_was_replaced_is_collected_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    class Exchange:
        def __init__(self) -> None:
            self.own = self

    async def visit() -> None:
        app._settle()
        assert gc.get_freeze_count() > 10_000
        exchange = Exchange()
        kept = ref(exchange)
        app._settle()
        del exchange
        assert kept() is not None, "its request may be at work yet"
        while kept() is not None:
            await asyncio.sleep(0)

    monkeypatch.setattr(app, "_SETTLED", 0.0)
    gc.unfreeze()
    gc.disable()
    try:
        asyncio.run(asyncio.wait_for(visit(), PATIENCE))
    finally:
        gc.enable()
        gc.unfreeze()


def test_addresses_are_told_apart_in_time_linear_in_their_length(tmp_path: Path) -> None:
    """Two parameters within one segment are not: what lies between them is tried at each of its places."""
    segments = [
        segment
        for route in build_app(load({}, data=tmp_path)).routes
        if isinstance(route, Route)
        for segment in route.path.split("/")
    ]
    assert any("{" in segment for segment in segments)
    assert [segment for segment in segments if segment.count("{") > 1] == []


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        ("/mcp", True),
        ("/reconcile", True),
        ("/reconcile/draft/match", True),
        ("/es/emparejar", True),
        ("/api/keys/exposed", False),
    ],
)
def test_of_posts_those_that_change_nothing_end_with_their_connections(path: str, reads: bool) -> None:
    served = build_app(load({"PADRON_LIMITS__ENABLED": "0"}), MemoryDirectory())
    scopes: list[dict[str, Any]] = []

    async def noting(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scopes.append(scope)
        await served(scope, receive, send)

    with TestClient(noting) as client:
        client.post(path, content=b"{}")
    assert [scope.get("padron.only_reads", False) for scope in scopes if scope["type"] == "http"] == [reads]


def test_a_bad_release_is_told_once_and_the_old_one_serves(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    memory_directory = MemoryDirectory()
    swaps: list[str] = []

    async def refuse(_release: str | None = None) -> MemoryDirectory:
        swaps.append("damaged")
        memory_directory.next_release = "damaged"
        return await MemoryDirectory.refreshed(memory_directory)

    memory_directory.refreshed = refuse  # type: ignore[method-assign]
    with service(memory_directory) as client:
        until(lambda: len(swaps) >= 3)
        assert client.get("/readyz").json()["release"] == "20260301-aaaaaaaa"
        assert client.get(SEARCHES[0]).status_code == 200
    refused = events(capfdbinary.readouterr().out, "release-refused")
    assert [line["error"] for line in refused] == ["release-damaged folder='releases' file='damaged'"]


def test_a_service_without_a_release_waits_for_one(data: Path, tmp_path: Path) -> None:
    late = tmp_path / "late"
    late.mkdir()
    with serving(late, tmp_path) as server:
        with pytest.raises(urllib.request.HTTPError, match="503"):
            get(f"{server.url}/readyz")
        for part in ("snapshots", "releases", "indexes", "current"):
            (data / part).rename(late / part)
        until(lambda: is_ready(server))
        assert json.loads(get(f"{server.url}/readyz")[1])["release"] == TWIN
    (refused,) = events(server.log, "release-refused")
    assert "no-release" in str(refused["error"])


def test_a_disk_without_room_for_the_counters_ends_the_start(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PADRON_SERVER__OPERATIONS": "127.0.0.1:0"}
    command = [sys.executable, "-m", "padron.cli.app", "serve", "--data", str(tmp_path), "--port", str(free_port())]
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert "File too large" in done.stderr.splitlines()[-1]


def taken(server: Server, count: int) -> bool:
    """Return whether the workers have opened releases so often in all."""
    return len(events(server.log, "release")) >= count


def is_ready(server: Server) -> bool:
    try:
        return get(f"{server.url}/readyz")[0] == 200
    except OSError:
        return False


def test_a_damaged_index_leaves_the_old_release_serving(data: Path, tmp_path: Path) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)
    with serving(data, tmp_path) as server:
        (snapshot.index_folder(data, other, release_index.FORMAT) / "tables.msgpack").write_bytes(b"damaged")
        publish(data, other)
        until(lambda: events(server.log, "release-refused"))
        status, _ = get(server.url + SEARCHES[0])
        assert status == 200
        assert json.loads(get(f"{server.url}/readyz")[1])["release"] == TWIN
        publish(data, TWIN)


def test_a_start_over_a_damaged_release_serves_the_one_before(data: Path, tmp_path: Path) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)
    (snapshot.index_folder(data, TWIN, release_index.FORMAT) / "tables.msgpack").write_bytes(b"damaged")
    with serving(data, tmp_path) as server:
        until(lambda: is_ready(server))
        state = {"status": "ready", "release": other, "parts": dict.fromkeys(PARTS, "ok")}
        damaged = state | {"parts": dict.fromkeys(PARTS, "ok") | {"search": "release-damaged"}}
        assert readiness(server) == damaged
        assert b'padron_part_lost{part="search"} 1.0' in get(f"{server.url}/metrics")[1]
        assert get(server.url + SEARCHES[0])[0] == 200
        publish(data, other)
        until(lambda: readiness(server) == state)
    (refused,) = events(server.log, "release-refused")
    assert "release-damaged" in str(refused["error"])
    assert [line["release"] for line in events(server.log, "release")] == [other]


def test_rows_zeroed_while_they_are_served_are_left_for_the_release_before(data: Path, tmp_path: Path) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)
    rows = snapshot.index_folder(data, TWIN, release_index.FORMAT) / release_index.COMPANIES / "rows.bin"
    content = rows.read_bytes()
    with serving(data, tmp_path) as server:
        until(lambda: serves(server, TWIN))
        with rows.open("r+b") as file:
            file.write(bytes(len(content)))
        until(lambda: serves(server, other))
        assert readiness(server)["parts"]["search"] == "release-damaged"
        assert [get(server.url + path)[0] for path in SEARCHES] == [200] * len(SEARCHES)
        with rows.open("r+b") as file:
            file.write(content)
        until(lambda: serves(server, TWIN))
        assert readiness(server)["parts"]["search"] == "ok"


def serves(server: Server, release: str) -> bool:
    try:
        return readiness(server)["release"] == release
    except OSError:  # 503 until a release is served
        return False


def readiness(server: Server) -> dict[str, object]:
    """The state that `/readyz` gives, without the last success of each task."""
    stated = json.loads(get(f"{server.url}/readyz")[1])
    del stated["tasks"]
    return stated


def test_a_start_without_the_pointer_serves_the_newest_release(data: Path, tmp_path: Path) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)
    (data / "current").unlink()
    with serving(data, tmp_path) as server:
        until(lambda: is_ready(server))
        assert readiness(server)["release"] == max(other, TWIN)
        assert readiness(server)["parts"]["search"] == "no-release"
        publish(data, min(other, TWIN))
        until(lambda: readiness(server)["release"] == min(other, TWIN))
        assert readiness(server)["parts"]["search"] == "ok"


async def answered(seen: Traffic, more: int) -> None:
    """Wait until the traffic has had so many more answers."""
    before = sum(seen.statuses.values())
    await asyncio.to_thread(until, lambda: seen.failures or sum(seen.statuses.values()) >= before + more)


@pytest.mark.parametrize(("rate", "swaps"), [(50, 3), pytest.param(500, 20, marks=pytest.mark.endurance)])
def test_swaps_under_load_fail_no_request(data: Path, tmp_path: Path, rate: int, swaps: int) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)

    async def swap_under_load(server: Server) -> None:
        async with traffic(server.port, SEARCHES, rate) as seen:
            await answered(seen, rate // 2)
            for number in range(1, swaps + 1):
                await asyncio.to_thread(publish, data, other if number % 2 else TWIN)
                await asyncio.to_thread(until, partial(taken, server, number + 1))
                await answered(seen, rate // 2)
        assert seen.failures == []
        assert set(seen.statuses) == {200}
        assert seen.releases == {TWIN, other}

    with serving(data, tmp_path) as server:
        asyncio.run(swap_under_load(server))
        assert server.stop() == 0
    assert events(server.log, "fault") == []
    leftover = {path.name for path in data.iterdir()} - {"snapshots", "releases", "indexes", "current", ".build.lock"}
    leftover = {name for name in leftover if not name.startswith("accounts")}
    leftover -= {"secret", "mail"}
    assert leftover == set()


@pytest.mark.parametrize(("workers", "ending"), [(1, signal.SIGTERM), (2, signal.SIGTERM), (2, signal.SIGHUP)])
def test_requests_accepted_before_the_end_are_answered(
    release: Path, tmp_path: Path, workers: int, ending: signal.Signals
) -> None:
    request = f"GET {SEARCHES[1]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with serving(release, tmp_path, workers=workers) as server, ExitStack() as stack:
        address = ("127.0.0.1", server.port)
        callers = [stack.enter_context(socket.create_connection(address, timeout=PATIENCE)) for _ in range(200)]
        for caller in callers:
            caller.sendall(request)
            assert read_answer(caller).startswith(b"HTTP/1.1 200")
        started = time.monotonic()
        for caller in callers:
            caller.sendall(request)
        until(lambda: unread(server.port) == 0)  # the server answers the first of them; most are still waiting
        if ending == signal.SIGHUP:
            os.killpg(server.process.pid, ending)  # as a terminal does
        else:
            server.process.send_signal(ending)
        assert [read_answer(caller)[:12] for caller in callers] == [b"HTTP/1.1 200"] * len(callers)
        assert server.process.wait(PATIENCE) == 0
        print(f"{len(callers)} waiting requests were answered {time.monotonic() - started:.1f} s after they were sent")
    assert len(events(server.log, "request")) >= 2 * len(callers)


def unread(port: int) -> int:
    """Bytes that the system has received for the connections of a port and that the server has not read yet."""
    connections = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    local = f":{port:04X}"
    return sum(int(columns[4].split(":")[1], 16) for columns in connections if columns[1].endswith(local))


def test_several_workers_answer_and_add_up_their_metrics(data: Path, tmp_path: Path) -> None:
    other = next(path.stem for path in (data / "releases").glob("*.json") if path.stem != TWIN)
    with serving(data, tmp_path, workers=2) as server:
        until(partial(taken, server, 2))
        for number in range(40):
            get(server.url + SEARCHES[number % 2])
        until(lambda: counted(server) == 40)  # an answer is counted after it is sent
        publish(data, other)
        until(partial(taken, server, 4))
        assert server.stop() == 0


def counted(server: Server) -> float:
    """The searches that all workers have answered, as any of them reports it."""
    metrics = get(f"{server.url}/metrics")[1].decode()
    count = re.search(r'request_seconds_count\{route="/api/public/empresas/search",status="200"\} (\S+)', metrics)
    assert count is not None
    return float(count[1])


def test_a_worker_that_dies_is_replaced(release: Path, tmp_path: Path) -> None:
    with serving(release, tmp_path) as server:
        until(lambda: is_ready(server))
        os.kill(workers_of(server)[0], signal.SIGKILL)
        until(partial(taken, server, 2), within=20)
        until(lambda: is_ready(server))  # the new worker has the release before it listens
        assert get(server.url + SEARCHES[0])[0] == 200
        until(lambda: b"padron_workers_replaced 1.0" in get(f"{server.url}/metrics")[1])


def test_a_worker_is_replaced_after_the_folder_of_the_counters_was_cleaned_away(release: Path, tmp_path: Path) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    with serving(release, tmp_path, TMPDIR=str(temporary), PADRON_LIMITS__ENABLED="1") as server:
        until(lambda: is_ready(server))
        (folder,) = temporary.iterdir()
        files = sorted(path.name for path in folder.iterdir())
        shutil.rmtree(temporary)
        os.kill(workers_of(server)[0], signal.SIGKILL)
        until(partial(taken, server, 2), within=20)
        until(lambda: is_ready(server))
        assert get(server.url + SEARCHES[0])[0] == 200
        assert sorted(path.name for path in folder.iterdir()) == files
        assert readiness(server)["parts"] == dict.fromkeys(PARTS, "ok")
        until(lambda: b"padron_workers_replaced 1.0" in get(f"{server.url}/metrics")[1])
        assert server.stop() == 0
    assert not any(temporary.iterdir())


def test_a_worker_without_the_folder_of_the_counters_counts_alone_and_says_so(release: Path, tmp_path: Path) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    with serving(release, tmp_path, TMPDIR=str(temporary)) as server:
        until(lambda: is_ready(server))
        (folder,) = temporary.iterdir()
        shutil.rmtree(folder)
        folder.touch()
        os.kill(workers_of(server)[0], signal.SIGKILL)
        until(partial(taken, server, 2), within=20)
        until(lambda: is_ready(server))
        assert get(server.url + SEARCHES[0])[0] == 200
        assert readiness(server)["parts"]["limits"] == "disk-fault"
        assert b"padron_workers_replaced 1.0" in get(f"{server.url}/metrics")[1]
        folder.unlink()
        os.kill(workers_of(server)[0], signal.SIGKILL)
        until(partial(taken, server, 3), within=20)
        until(lambda: is_ready(server))
        assert readiness(server)["parts"]["limits"] == "ok"


def test_workers_die_with_their_parent(release: Path, tmp_path: Path) -> None:
    with serving(release, tmp_path, workers=2) as server:
        until(lambda: is_ready(server))
        server.process.kill()
        assert server.process.wait() == -signal.SIGKILL
        assert until(lambda: not listens(server.port))


def workers_of(server: Server) -> list[int]:
    return list(map(int, Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()))


def test_a_service_ends_with_its_terminal(tmp_path: Path) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    with serving(tmp_path / "var", tmp_path, TMPDIR=str(temporary)) as server:
        os.killpg(server.process.pid, signal.SIGHUP)
        assert server.process.wait(PATIENCE) == 0
    assert not any(temporary.iterdir())


def test_a_service_under_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # its processes inherit that, as those of `nohup`
    try:
        with serving(tmp_path / "var", tmp_path) as server:
            (worker,) = workers_of(server)
            os.killpg(server.process.pid, signal.SIGHUP)
            os.kill(worker, signal.SIGKILL)
            until(lambda: server.is_alive() and worker not in workers_of(server))
            assert server.stop() == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_next_service_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    with serving(tmp_path / "var", tmp_path, TMPDIR=str(temporary)) as server:
        server.process.kill()
        server.process.wait()
        until(lambda: not listens(server.port))
    assert len(list(temporary.iterdir())) == 1
    with serving(tmp_path / "var", tmp_path, TMPDIR=str(temporary)) as server:
        assert len(list(temporary.iterdir())) == 1
        assert server.stop() == 0
    assert not any(temporary.iterdir())


def test_an_address_too_long_is_refused(release: Path, tmp_path: Path) -> None:
    with serving(release, tmp_path) as server:
        connection = HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", "/api/public/empresas/EC/" + "1" * 60_000)
        refused = connection.getresponse()
        assert (refused.status, json.load(refused)["code"]) == (400, "identifier-too-long")
        connection.request("GET", "/" + "x" * 70_000)
        assert connection.getresponse().status == 414


def test_memory_that_is_free_between_what_is_in_use_is_given_back() -> None:
    """Measured in a process of its own, whose memory nothing else fills."""
    script = """
import sys, time
from padron.service import app

def in_use():
    return int(open("/proc/self/statm").read().split()[1]) * 4_096

app._TRIM_EVERY = 0.01
app._return_memory()
texts = [bytes([number % 256]) * 2_000 for number in range(50_000)]
kept, most = texts[::50], in_use()
del texts
deadline = time.monotonic() + float(sys.argv[1])
while in_use() > most - 80_000_000 and time.monotonic() < deadline:
    time.sleep(0.01)
print(in_use() <= most - 80_000_000, len(kept))
"""
    done = subprocess.run([sys.executable, "-c", script, str(PATIENCE)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "1000"]
