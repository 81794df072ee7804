"""The whole system of `make cluster` under load: what it loses and gets back costs no public answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import obstore
import pytest
from obstore.store import from_url

from cluster import Node, System, whole
from padron.accounts import plans
from padron.directory import run
from padron.releases import snapshot
from parts import Part
from ports import free_port
from process import ROOT, Traffic, add_twin, content_digest, traffic
from waiting import PATIENCE, until

pytestmark = pytest.mark.cluster

NAMES = ("corporacion+favorita", "33.000.167%2F0001-01", "ecopetrol", "apple+inc", "petrobras", "banco+pichincha")
PATHS = [
    "/api/public/empresas/US/320193",
    "/es/empresas/ec/1790016919001",
    *(f"/api/public/empresas/search?q={name}&limit={limit}" for limit in range(1, 11) for name in NAMES),
]
RATE = 16
"""Requests a second: the machine does other work, and all of the system stands on it."""
EVERY = 4.0
"""Seconds between two looks of a node at the store."""
ENOUGH = 60
"""Public answers before, during and after an event."""
ADDRESS = "ana@ejemplo.ec"
ENTITY = "/api/v1/entities/US/320193"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


@pytest.fixture(scope="module")
def system(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    table = tmp_path_factory.mktemp("plans") / "plans.toml"
    bundled = Path(plans.__file__).with_name("plans.toml").read_text()
    table.write_text(re.sub(r"(?m)^(per_minute|per_day|public|pages) = .*", r"\1 = 10_000_000", bundled))
    with whole(release, search_nodes=1, every=EVERY, PADRON_ACCOUNTS__PLANS=str(table)) as started:
        yield started


@pytest.fixture(scope="module")
def account(system: System) -> str:
    system.command("accounts", "create", ADDRESS, entry="una clave larga y rara 71\n")
    system.command("accounts", "set-plan", ADDRESS, "business")
    return ADDRESS


def get(url: str, key: str = "") -> Answer:
    headers = {"Authorization": f"Bearer {key}", "apiKey": key} if key else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read())


def make_key(system: System, account: str, name: str) -> str:
    return system.command("accounts", "create-key", account, name).strip()


def known_answers(system: System) -> dict[str, str]:
    """The digests of the answers that the first node gives by itself."""
    answers = {path: get(system.nodes[0].url + path) for path in PATHS}
    return {path: content_digest(answer.body, answer.headers.get("ETag", "")) for path, answer in answers.items()}


def wait_for_traffic(seen: Traffic) -> None:
    """Return after enough answers more, or a failure."""
    enough = sum(seen.statuses.values()) + ENOUGH
    until(lambda: seen.failures or sum(seen.statuses.values()) >= enough)


def under_load(system: System, name: str, *events: Callable[[], None]) -> Traffic:
    """Traffic through the proxy before, between and after some events, in a line of figures."""

    async def attend() -> Traffic:
        async with traffic(int(system.url.rpartition(":")[2]), PATHS, RATE) as seen:
            for event in (wait_for_traffic, *events, wait_for_traffic):
                await asyncio.to_thread(event, *(() if event in events else (seen,)))
        return seen

    seen = run(attend())
    assert seen.failures == []
    times = sorted(seen.seconds)
    p50, p99 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.99))
    print(f"\n{name}: {seen.statuses} p50 {p50:.0f} ms p99 {p99:.0f} ms worst {1000 * times[-1]:.0f} ms")
    return seen


def lost_nothing(seen: Traffic, known: Mapping[str, str]) -> bool:
    """Check that every public answer is 200 and has the content that was there before."""
    assert seen.statuses.keys() == {200}
    assert {path: digests for path, digests in seen.digests.items() if digests != {known[path]}} == {}
    return True


def test_every_node_answers_alike(system: System) -> None:
    for path in (PATHS[0], PATHS[2], PATHS[3]):
        answers = [get(node.url + path) for node in system.nodes] + [get(system.url + path)]
        assert {(answer.status, answer.body) for answer in answers} == {(200, answers[0].body)}, path


def test_an_account_of_one_node_is_one_of_all(system: System, account: str) -> None:
    listed = [system.command("accounts", "list", "--json", data=node.folder) for node in system.nodes]
    assert account in listed[0]
    assert listed[1:] == listed[:1] * 2


def served_by_all(system: System, release: str) -> bool:
    return all(release in node.state() for node in system.nodes)


def publish(system: System, release: str) -> None:
    """Push a release with the content of the one before, and wait until the first node has taken it up by itself."""
    add_twin(system.builder, release)
    system.command("release", "push")
    until(lambda: any(release in node.state() for node in system.nodes))


def publish_damaged(system: System, release: str) -> None:
    """Push a release of which one file in the store has other bytes, and wait until every node has refused it."""
    before = snapshot.current(system.builder)
    until(lambda: served_by_all(system, before))
    add_twin(system.builder, release)
    content = (system.builder / "releases" / f"{release}.json").read_bytes()
    stored = f"files/{hashlib.sha256(content).hexdigest()}"
    names = {name.lower().removeprefix("aws_"): value for name, value in system.storage.settings.items()}
    store = from_url(system.storage.address, client_options={"allow_http": True}, **names)
    obstore.put(store, stored, content.replace(b"2", b"3"))
    system.command("release", "push")
    until(lambda: all(stored in node.pulls.read_text() for node in system.nodes))
    assert served_by_all(system, before)
    assert not any(release in node.state() for node in system.nodes)


def roll_back(system: System, release: str) -> None:
    """Push an older release again."""
    system.command("release", "push", "--release", release)
    until(lambda: served_by_all(system, release))


def indexes(folder: Path) -> set[str]:
    """The names of the indexes of OpenSearch that the releases of a data folder are in."""
    return {json.loads(file.read_bytes())["index"] for file in folder.glob("indexes/**/opensearch.json")}


def test_an_index_that_is_deleted_is_back_on_every_node_after_a_build_and_a_push(system: System) -> None:
    (index,), known = indexes(system.builder), known_answers(system)
    address = f"http://{system.search.nodes[0].address}/{index}"
    urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()
    until(lambda: all(part_of(node, "search") == "engine-index-lost" for node in system.nodes))
    system.command("build")
    system.command("release", "push")
    until(lambda: in_order(system, "search"))
    assert index not in indexes(system.builder)
    assert [indexes(node.folder) for node in system.nodes] == [indexes(system.builder)] * len(system.nodes)
    assert known_answers(system) == known


def test_ten_releases_reach_every_node(system: System) -> None:
    known, first = known_answers(system), snapshot.current(system.builder)
    names = [f"2026-01-{number:02}-7716e5ea" for number in range(1, 11)]
    damaged, before, last = names[4], names[6], names[-1]
    events = {name: (publish, name) for name in names}
    events |= {damaged: (publish_damaged, damaged), names[8]: (roll_back, before)}
    # The ninth is the seventh again: a data folder that builds keeps the last two.
    calls = [lambda call=call, name=name: call(system, name) for call, name in events.values()]
    calls.append(lambda: until(lambda: served_by_all(system, last)))
    seen = under_load(system, "ten releases", *calls)
    assert lost_nothing(seen, known)
    assert seen.releases <= {first, *names} - {damaged}
    assert {before, last} <= seen.releases
    assert served_by_all(system, last)
    folders = [system.builder, *(node.folder for node in system.nodes)]
    assert {tuple(indexes(folder)) for folder in folders} == {tuple(indexes(system.builder))}
    assert len(indexes(system.builder)) == 1


@dataclass
class Holder:
    """A caller with keys: the key and status of each answer, and whatever the documents do not promise.

    The keys are replaced as a whole: the caller goes through them at any time.
    """

    system: System
    keys: dict[str, str]
    expected: bytes
    answers: list[tuple[str, int]] = field(default_factory=list)
    broken: list[Answer] = field(default_factory=list)

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Ask with each key in turn until the block ends."""
        over = threading.Event()

        def call() -> None:
            while not over.wait(0.1):
                for name, key in self.keys.items():
                    self.ask(name, key)

        caller = threading.Thread(target=call)
        caller.start()
        try:
            yield
        finally:
            over.set()
            caller.join()

    def ask(self, name: str, key: str) -> None:
        try:
            answer = get(self.system.url + ENTITY, key)
        except OSError as error:
            answer = Answer(0, {}, repr(error).encode())
        self.answers.append((name, answer.status))
        if not (answer.status == 200 and answer.body == self.expected) and not is_absence(answer):
            self.broken.append(answer)

    def statuses(self, name: str) -> Counter[int]:
        """The number of answers of a key by their status."""
        return Counter(status for key, status in self.answers if key == name)


def is_absence(answer: Answer) -> bool:
    """True if an answer says, as it should, that accounts are not available now."""
    return (
        answer.status == 503
        and answer.headers.get("Content-Type") == "application/problem+json"
        and json.loads(answer.body)["code"] == "accounts-unavailable"
        and int(answer.headers.get("Retry-After", "0")) > 0
        and "no-store" in answer.headers.get("Cache-Control", "")
    )


def lose_and_regain(
    system: System, account: str, part: Part, is_back: Callable[[], bool], while_lost: Callable[[], bool]
) -> Holder:
    """Kill a part under load, wait until the loss is noticed and then until all is as before; what holders saw.

    One key has been used before, the other is asked for the first time while the part is lost.
    """
    known = known_answers(system)
    used = make_key(system, account, f"used before {part.name} is lost")
    expected = {get(node.url + ENTITY, used).body for node in system.nodes}
    holder = Holder(system, {"used": used}, expected.pop())
    assert not expected
    listed = [json.loads(system.command("accounts", "list", "--json"))]

    def lose() -> None:
        holder.keys = {**holder.keys, "new": make_key(system, account, f"new when {part.name} is lost")}
        part.kill()
        until(while_lost)

    def wait_for_answers() -> None:
        enough = len(holder.answers) + ENOUGH // 3
        until(lambda: len(holder.answers) >= enough)

    def regain() -> None:
        part.start()
        until(is_back)
        pairs = [(node, key) for node in system.nodes for key in holder.keys.values()]
        until(lambda: all(get(node.url + ENTITY, key).status == 200 for node, key in pairs))

    with holder.calling():
        seen = under_load(system, f"{part.name} killed", lose, wait_for_answers, regain)
    assert lost_nothing(seen, known)
    listed.append(json.loads(system.command("accounts", "list", "--json")))
    assert [line["address"] for line in listed[1]] == [line["address"] for line in listed[0]]
    print("  with a key:", {name: dict(holder.statuses(name)) for name in holder.keys})
    return holder


def part_of(node: Node, part: str) -> str:
    return str(json.loads(get(f"{node.url}/readyz").body)["parts"][part])


def in_order(system: System, part: str) -> bool:
    return all(part_of(node, part) == "ok" for node in system.nodes)


def test_postgresql_lost_and_back(system: System, account: str) -> None:
    holder = lose_and_regain(
        system, account, system.database,
        is_back=lambda: in_order(system, "accounts"), while_lost=lambda: not in_order(system, "accounts"),
    )  # fmt: skip
    assert holder.broken == []
    assert holder.statuses("new").keys() == {200, 503}


def test_redis_lost_and_back(system: System, account: str) -> None:
    holder = lose_and_regain(
        system, account, system.counters,
        is_back=lambda: in_order(system, "limits"), while_lost=lambda: not in_order(system, "limits"),
    )  # fmt: skip
    assert holder.broken == []
    assert holder.statuses("new").keys() == {200}


def test_object_storage_lost_and_back(system: System, account: str) -> None:
    """Every node says that it could not look, and takes up the next release when it can."""
    printed = {node.name: node.pulls.stat().st_size for node in system.nodes}

    def refused() -> bool:
        return all("S3 error" in node.pulls.read_bytes()[printed[node.name] :].decode() for node in system.nodes)

    def takes_up() -> bool:
        publish(system, "2026-02-01-7716e5ea")
        return bool(until(lambda: served_by_all(system, "2026-02-01-7716e5ea")))

    holder = lose_and_regain(system, account, system.storage.part, is_back=takes_up, while_lost=refused)
    assert holder.broken == []
    assert holder.statuses("new").keys() == {200}


def test_a_node_lost_and_back(system: System, account: str) -> None:
    node: Node = system.nodes[2]
    release = snapshot.current(system.builder)
    holder = lose_and_regain(
        system, account, node, is_back=lambda: release in node.state(), while_lost=lambda: not node.state()
    )
    assert holder.broken == []
    assert holder.statuses("new").keys() == {200}


def test_search_lost_is_told_and_comes_back(system: System) -> None:
    """No company is denied, and all is answered as before once the only node of OpenSearch is back."""
    (search,) = system.search.nodes
    known = get(system.url + "/api/public/empresas/US/789019")
    assert (known.status, json.loads(known.body)["entity"]["identifier"]) == (200, "789019")
    search.kill()
    problem = get(system.url + "/api/public/empresas/US/21344")
    assert (problem.status, json.loads(problem.body)["code"]) == (503, "engine-unavailable")
    search.start()
    until(lambda: get(system.url + "/api/public/empresas/US/21344").status == 200)


def begin(release: Path, port: int, **variables: str) -> subprocess.Popen[str]:
    """The command of `make cluster`."""
    command = [sys.executable, str(ROOT / "tests" / "support" / "cluster.py"), "--data", str(release)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}/src:{ROOT}/tests/support"} | variables
    return subprocess.Popen(
        [*command, "--port", str(port)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder for temporary files that servers can enter which are not root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def uses(folder: Path) -> list[str]:
    """The processes that have a folder in their environment."""
    processes = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(folder).encode() in (path / "environ").read_bytes():
                processes.append((path / "cmdline").read_text())
    return processes


def test_a_port_that_is_taken_is_named(release: Path, scratch: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        process = begin(release, port, TMPDIR=str(scratch))
        output, errors = process.communicate()
    assert (process.returncode, output) == (1, "")
    assert errors.startswith(f"Port {port} cannot be used: ")
    assert list(scratch.iterdir()) == []


def test_a_part_that_does_not_start_shows_its_log(release: Path, scratch: Path, tmp_path: Path) -> None:
    (tmp_path / "redis-server").write_text("#!/bin/sh\necho out of memory\nexit 3\n")
    (tmp_path / "redis-server").chmod(0o755)
    process = begin(release, free_port(), TMPDIR=str(scratch), PATH=f"{tmp_path}:{os.environ['PATH']}")
    output, errors = process.communicate()
    assert (process.returncode, output.splitlines()[-1]) == (1, "Starting Redis …")
    assert errors == "Redis ended with 3; the end of its log:\nout of memory\n"
    assert (uses(scratch), list(scratch.iterdir())) == ([], [])


@pytest.mark.parametrize(
    ("moment", "number"),
    [("PostgreSQL", signal.SIGHUP), ("object storage", signal.SIGINT), ("OpenSearch", signal.SIGTERM)],
)
def test_an_interrupted_start_leaves_nothing(release: Path, scratch: Path, moment: str, number: int) -> None:
    process = begin(release, free_port(), TMPDIR=str(scratch))
    while moment not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(number)
    process.communicate()
    assert process.returncode == 0
    assert (uses(scratch), list(scratch.iterdir())) == ([], [])
