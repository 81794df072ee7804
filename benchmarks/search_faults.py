"""The fault table of the OpenSearch engine: what is done to a cluster under a running service, and what was seen.

    PYTHONPATH=src:tests/support python benchmarks/search_faults.py --data var
    PYTHONPATH=src:tests/support python benchmarks/search_faults.py --data var --only "node frozen" "node killed"

Each row serves the release over HTTP from a cluster with a copy of the index on every node. Callers ask names of its
companies, each once, and each answer is compared with the one of the embedded engine. A row is kept if all that it
promises was seen. The nodes keep their data on a disk in memory, which one row fills: Linux, and root. Results:
benchmarks/results/search-faults-<date>.json, with `--keep`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

from fault_bench import ROWS, SEARCH, TWIN, Bench, Seen, get, mounted, p99, padron, row, table
from kept import keep

from cluster import REPLICAS, indexed
from opensearch import Cluster, Node, opensearch
from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Unavailable
from padron.index import release_index
from padron.index.engines import engine_kind
from padron.releases import snapshot
from ports import free_port
from process import add_twin
from waiting import until

CALLERS: Final = 8
PERIOD: Final = 0.2
"""Seconds between two requests of a caller: with all callers, half of what the machine answers."""
BEFORE: Final = 3.0
"""Seconds of traffic before a fault; and of right answers behind it, until the row ends."""
PATIENCE: Final = 60.0
"""Seconds until all answers must be right again."""
FROZEN: Final = 15.0
MOST: Final = 500.0
"""Milliseconds that one answer in a hundred may take while a node is frozen or slow, or until one is refused."""
DELAY: Final = 2.0
"""Seconds that the slow node takes for each answer beyond its own time."""
DISK: Final = 3 << 30
COMPANIES: Final = 20_000
"""Names to ask: more than a row does."""
STATS: Final = "/api/public/empresas/stats"
LOGIN: Final = "search:right"

_ports = count(2)


class Answer(NamedTuple):
    """Answer to a search: when it was asked and how long it took, in seconds, its release, and its first company."""

    q: str
    asked: float
    took: float
    status: int
    release: str
    first: tuple[str, str] | None
    head: str

    @property
    def is_refusal(self) -> bool:
        return self.status == 503 and "no-store" in self.head


class Oracle:
    """The right answers, from the embedded engine."""

    def __init__(self, data: Path) -> None:
        self._directory = run(Directory.open(data, REGISTRY, "http://127.0.0.1"))
        self._known: dict[str, tuple[str, str] | None] = {}

    def first(self, q: str) -> tuple[str, str] | None:
        """Return country and number of the best match for a name."""
        if q not in self._known:
            results = run(self._directory.search(q, country=None, limit=1, language="es")).results
            self._known[q] = (results[0].country_code, results[0].identifier) if results else None
        return self._known[q]


class Outcome(NamedTuple):
    """Answers that came at any time; the seconds at which a fault began, its end began, and that was reached."""

    answers: Sequence[Answer]
    oracle: Oracle
    began: float
    ending: float
    ended: float
    beside: Mapping[str, set[int]]

    def is_right(self, answer: Answer) -> bool:
        return answer.status == 200 and answer.first == self.oracle.first(answer.q)

    @property
    def right(self) -> int:
        return sum(map(self.is_right, self.answers))

    @property
    def refused(self) -> list[Answer]:
        return [answer for answer in self.answers if answer.is_refusal]

    @property
    def wrong(self) -> list[Answer]:
        return [answer for answer in self.answers if not self.is_right(answer) and not answer.is_refusal]

    @property
    def during(self) -> list[float]:
        """Milliseconds of the answers that were under way during the fault."""
        return [
            1e3 * answer.took
            for answer in self.answers
            if answer.asked + answer.took >= self.began and answer.asked <= self.ended
        ]

    @property
    def again(self) -> float:
        """Seconds from the moment at which nodes start again, say, to the last answer that was not right."""
        late = [answer.asked + answer.took - self.ending for answer in self.answers if not self.is_right(answer)]
        return round(max([0.0, *late]), 1)

    def seen(self, kept: bool, text: str = "") -> Seen:
        """Return the row: nothing is kept with a wrong answer."""
        took = sorted(self.during)
        figures = {
            "right": self.right,
            "refused": len(self.refused),
            "wrong": len(self.wrong),
            "p50_ms": round(took[len(took) // 2], 1),
            "p99_ms": p99(took),
            "slowest_ms": round(took[-1], 1),
            "again_s": self.again,
            "fault_s": round(self.ended - self.began, 1),
        }
        if self.refused:
            figures["refused_p99_ms"] = p99([1e3 * answer.took for answer in self.refused])
        wrong = [f"{answer.status} {answer.q} {answer.first} {answer.took:.1f} s" for answer in self.wrong[:3]]
        return Seen(kept and not self.wrong, "; ".join(filter(None, [text, *wrong])) or "as promised", figures)

    @property
    def nothing_lost(self) -> bool:
        return not self.refused and not self.wrong

    @property
    def nothing_felt(self) -> bool:
        return self.nothing_lost and p99(self.during) <= MOST


class SearchBench(NamedTuple):
    """A bench with the release in a cluster."""

    bench: Bench
    cluster: Cluster
    disk: Path
    oracle: Oracle
    companies: Sequence[Company]

    @property
    def data(self) -> Path:
        return self.bench.data

    @property
    def settings(self) -> dict[str, str]:
        return {"PADRON_SEARCH__URL": self.cluster.url(replicas=REPLICAS)}

    def under(
        self,
        begin: Callable[[Sequence[Answer]], object],
        end: Callable[[], object] = lambda: None,
        seconds: float = 0.0,
        *,
        data: Path | None = None,
        url: str = "",
        watched: Sequence[str] = (),
    ) -> Outcome:
        """Return what callers saw while a fault began, lasted for some seconds at least, and ended.

        Args:
            begin: Makes the fault; it is given the answers so far.
            end: Unmakes it.
            seconds: Time between them.
            data: The data folder that is served.
            url: The setting of the engine.
            watched: Paths that are asked beside, of which `/healthz` is one of the operations.
        """
        settings = self.settings | ({"PADRON_SEARCH__URL": url} if url else {})
        with self.bench.service(data or self.data, **settings) as (server, operations):
            until(lambda: get(operations, "/readyz")[0] == 200)
            ports = {path: operations if path == "/healthz" else server.port for path in watched}
            return asyncio.run(self._under(server.port, begin, end, seconds, ports))

    async def _under(
        self,
        port: int,
        begin: Callable[[Sequence[Answer]], object],
        end: Callable[[], object],
        seconds: float,
        watched: Mapping[str, int],
    ) -> Outcome:
        names = iter(dict.fromkeys(company.legal_name[:200] for company in self.companies))
        answers: list[Answer] = []
        beside: dict[str, set[int]] = {path: set() for path in watched}
        over = asyncio.Event()
        tasks = [asyncio.create_task(call(port, names, answers, over)) for _ in range(CALLERS)]
        tasks += [asyncio.create_task(watch(path, asked, beside[path], over)) for path, asked in watched.items()]
        await asyncio.sleep(BEFORE)
        began = time.monotonic()
        await asyncio.to_thread(begin, answers)
        await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
        ending = time.monotonic()
        await asyncio.to_thread(end)
        ended = time.monotonic()
        outcome = Outcome(answers, self.oracle, began, ending, ended, beside)
        while time.monotonic() < ended + PATIENCE:
            await asyncio.sleep(0.5)
            last = [answer for answer in answers if answer.asked > time.monotonic() - BEFORE]
            if time.monotonic() > ended + BEFORE and last and all(answer.status == 200 for answer in last):
                break
        over.set()
        await asyncio.gather(*tasks)
        return outcome


async def call(port: int, names: Iterator[str], answers: list[Answer], over: asyncio.Event) -> None:
    """Ask one name after the other over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(f"127.0.1.{next(_ports) % 250}", 0))
    for q in names:
        asked = time.monotonic()
        writer.write(f"GET {SEARCH}{quote_plus(q)}&limit=1 HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        body = await reader.readexactly(length(head))
        status = int(head.split()[1])
        results = json.loads(body)["results"] if status == 200 else []
        release = head.partition('etag: w/"')[2].split(".")[0]
        first = (results[0]["countryCode"], results[0]["identifier"]) if results else None
        answers.append(Answer(q, asked, time.monotonic() - asked, status, release, first, head))
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), max(0.0, asked + PERIOD - time.monotonic()))
        if over.is_set():
            break
    writer.close()


async def watch(path: str, port: int, statuses: set[int], over: asyncio.Event) -> None:
    """Ask for a path again and again."""
    while not over.is_set():
        statuses.add((await asyncio.to_thread(get, port, path))[0])
        await asyncio.sleep(PERIOD)


def length(head: str) -> int:
    """Return the length of a body, from the head before it in small letters."""
    return int(head.partition("content-length: ")[2].partition("\r")[0] or 0)


def command(node: Node, method: str, path: str, document: Any = None) -> Any:
    """Ask a node itself."""
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(f"http://{node.address}{path}", body, method=method)
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def manager(cluster: Cluster, asked: Node | None = None) -> Node:
    """Return the node that manages a cluster, as a node of it knows."""
    (line,) = command(asked or cluster.nodes[0], "GET", "/_cat/cluster_manager?format=json")
    return next(node for node in cluster.nodes if node.name == line["node"])


def other(cluster: Cluster) -> Node:
    """Return a node that does not manage."""
    chief = manager(cluster)
    return next(node for node in cluster.nodes if node is not chief)


def index_of(data: Path) -> str:
    """Return the index of the current release of a data folder."""
    return str(json.loads(index_file(data, snapshot.current(data)).read_bytes())["index"])


def index_file(data: Path, release: str) -> Path:
    """Return the file that names the index of a release."""
    return snapshot.index_folder(data, release, release_index.FORMAT) / release_index.COMPANIES / "opensearch.json"


def copied_everywhere(cluster: Cluster) -> None:
    """Wait until all nodes are one cluster with every copy."""
    cluster.wait()
    until(lambda: all(node.answers("/_cluster/health?wait_for_status=green&timeout=4s") for node in cluster.nodes))


def stopped_and_started(bench: SearchBench, nodes: Sequence[Node], seconds: float = 5.0, **more: Any) -> Outcome:
    """Kill nodes under load, and start them again."""

    def kill(_: Sequence[Answer]) -> None:
        for node in nodes:
            node.kill()

    def start() -> None:
        for node in nodes:
            node.start()
        copied_everywhere(bench.cluster)

    return bench.under(kill, start, seconds, **more)


@row("control", "nothing", f"every answer right, p99 ≤ {MOST:.0f} ms")
def control(bench: SearchBench) -> Seen:
    """Ask for as long as a node is frozen."""
    outcome = bench.under(lambda _: None, seconds=FROZEN)
    return outcome.seen(outcome.nothing_felt)


@row("node frozen", f"SIGSTOP for {FROZEN:.0f} s, SIGCONT", f"every answer right, p99 ≤ {MOST:.0f} ms meanwhile")
def node_frozen(bench: SearchBench) -> Seen:
    """Freeze a node that does not manage."""
    node = other(bench.cluster)
    outcome = bench.under(lambda _: node.freeze(), node.thaw, FROZEN)
    copied_everywhere(bench.cluster)
    return outcome.seen(outcome.nothing_felt)


@row(
    "manager frozen",
    f"SIGSTOP to the cluster manager for {FROZEN:.0f} s and until another one manages, SIGCONT",
    f"every answer right, p99 ≤ {MOST:.0f} ms meanwhile; another one manages",
)
def manager_frozen(bench: SearchBench) -> Seen:
    """Freeze the manager."""
    before, standing = manager(bench.cluster), other(bench.cluster)
    after: list[Node] = []

    def thaw() -> None:
        after.append(manager(bench.cluster, standing))
        before.thaw()

    outcome = bench.under(lambda _: before.freeze(), thaw, FROZEN)
    copied_everywhere(bench.cluster)
    return outcome.seen(outcome.nothing_felt and after != [before])


@row("node killed", "SIGKILL, and a start after 5 s", "every answer right")
def node_killed(bench: SearchBench) -> Seen:
    """Kill a node that does not manage."""
    outcome = stopped_and_started(bench, [other(bench.cluster)])
    return outcome.seen(outcome.nothing_lost)


@row("manager killed", "SIGKILL to the cluster manager, and a start after 5 s", "every answer right")
def manager_killed(bench: SearchBench) -> Seen:
    """Kill the manager."""
    outcome = stopped_and_started(bench, [manager(bench.cluster)])
    return outcome.seen(outcome.nothing_lost)


@row(
    "all nodes killed",
    "SIGKILL to all three, and a start after 5 s",
    f"503 `engine-unavailable`, `no-store`, p99 ≤ {MOST:.0f} ms; /healthz, coverage 200; then right without a start",
)
def all_killed(bench: SearchBench) -> Seen:
    """Kill the cluster."""
    outcome = stopped_and_started(bench, bench.cluster.nodes, watched=("/healthz", STATS))
    quick = p99([1e3 * answer.took for answer in outcome.refused]) <= MOST
    return outcome.seen(
        bool(outcome.refused) and quick and outcome.beside == {"/healthz": {200}, STATS: {200}},
        f"/healthz {sorted(outcome.beside['/healthz'])}, coverage {sorted(outcome.beside[STATS])}",
    )


@row(
    "red index",
    "one copy alone (`replicas` 0), its node killed, and started after 5 s",
    "503 meanwhile, nothing denied; then every answer right",
)
def red_index(bench: SearchBench) -> Seen:
    """Kill the node with the only copy."""
    cluster, index = bench.cluster, index_of(bench.data)

    def copies(replicas: int, expand: str) -> None:
        settings = {"number_of_replicas": replicas, "auto_expand_replicas": expand}
        command(cluster.nodes[0], "PUT", f"/{index}/_settings", settings)
        copied_everywhere(cluster)

    copies(0, "false")
    try:
        (shard,) = command(cluster.nodes[0], "GET", f"/_cat/shards/{index}?h=node&format=json")
        holder = next(node for node in cluster.nodes if node.name == shard["node"])
        outcome = stopped_and_started(bench, [holder])
    finally:
        copies(REPLICAS, f"0-{REPLICAS}")
    return outcome.seen(bool(outcome.refused))


@row(
    "disk full",
    "the disk of all nodes filled to 99 %, their marks as by default; an index loaded meanwhile; then freed",
    "every answer right; the load ends with a code of the engine; with space again one works, no other index stays",
)
def disk_full(bench: SearchBench) -> Seen:
    """Fill the disk, load an index, free the disk, load it again."""
    cluster, node, filler = bench.cluster, bench.cluster.nodes[0], bench.disk / "filler"
    kind = engine_kind(cluster.url(replicas=REPLICAS))
    loads: list[str] = []

    def load() -> str:
        folder = Path(tempfile.mkdtemp(dir=bench.bench.scratch)) / "index"
        try:
            release_index.build(bench.companies[:2_000], folder, REGISTRY, kind)
        except Unavailable as error:
            return f"{error.code} ({error.context['reason']})"
        kind.remove_others([index_file(bench.data, snapshot.current(bench.data)).parent])
        return "loaded"

    def is_blocked() -> bool:
        """An index that is closed to writing gets no block of its own."""
        settings = command(node, "GET", "/_cluster/settings?flat_settings")
        return bool(settings["persistent"].get("cluster.blocks.create_index") == "true")

    def fill(_: Sequence[Answer]) -> None:
        with filler.open("wb", buffering=0) as file:
            while shutil.disk_usage(bench.disk).free > DISK // 100:
                file.write(bytes(1 << 20))
        until(is_blocked)
        began = time.monotonic()
        loads.append(f"{load()} after {time.monotonic() - began:.0f} s")

    def free() -> None:
        filler.unlink()
        until(lambda: not is_blocked())
        until(lambda: load() == "loaded")
        loads.append("then loaded")

    def watch_disk(is_on: bool | None, interval: str | None) -> None:
        settings = {
            "cluster.routing.allocation.disk.threshold_enabled": is_on,
            "cluster.info.update.interval": interval,
        }
        command(node, "PUT", "/_cluster/settings", {"persistent": settings})

    before = snapshot.current(bench.data)
    watch_disk(is_on=True, interval="10s")
    try:
        outcome = bench.under(fill, free)
    finally:
        filler.unlink(missing_ok=True)
        watch_disk(is_on=None, interval=None)
    left = set(command(node, "GET", "/padron-*?filter_path=*.aliases")) - {index_of(bench.data)}
    kept = loads[0].startswith("engine-") and not left and snapshot.current(bench.data) == before
    return outcome.seen(kept and outcome.nothing_lost, f"{', '.join(loads)}; indexes left {len(left)}")


@row(
    "password changed",
    "the nodes demand another password for 5 s",
    "503 meanwhile; then every answer right",
)
def password_changed(bench: SearchBench) -> Seen:
    """Serve through doors that demand a password."""
    with doors(bench.cluster.nodes, LOGIN) as opened:

        def demand(login: str) -> None:
            for door in opened:
                door.login = login

        url = url_of(opened, LOGIN)
        outcome = bench.under(lambda _: demand("search:other"), lambda: demand(LOGIN), 5, url=url)
    return outcome.seen(bool(outcome.refused))


@row(
    "node slow",
    f"every answer of a node {DELAY:.0f} s late, for {FROZEN:.0f} s",
    f"every answer right, p99 ≤ {MOST:.0f} ms meanwhile",
)
def node_slow(bench: SearchBench) -> Seen:
    """Serve through doors, one of which becomes slow."""
    with doors(bench.cluster.nodes) as opened:

        def delay(seconds: float) -> None:
            opened[1].delay = seconds

        outcome = bench.under(lambda _: delay(DELAY), lambda: delay(0.0), FROZEN, url=url_of(opened))
    return outcome.seen(outcome.nothing_felt)


@row(
    "swaps",
    "five releases published one after the other, in turn with the same index and another one",
    "every answer right; the service comes to each release",
)
def swaps(bench: SearchBench) -> Seen:
    """Publish, and wait until the service answers from each."""
    data = bench.bench.copy()
    twins = [f"2000-02-{day:02}-00000000" for day in range(1, 6)]

    def publish_all(answers: Sequence[Answer]) -> None:
        for twin, index in zip(twins, [own, index_of(data)] * 3, strict=False):
            add_twin(data, twin, partial(name_index, index=index))
            until(lambda twin=twin: answers[-1].release == twin)

    with own_index(bench) as own:
        outcome = bench.under(publish_all, data=data)
    kept = outcome.nothing_lost and set(twins) <= {answer.release for answer in outcome.answers}
    return outcome.seen(kept, f"{len(twins)} releases served")


@contextmanager
def own_index(bench: SearchBench) -> Iterator[str]:
    """Clone the index, until the block ends."""
    node, original = bench.cluster.nodes[0], index_of(bench.data)
    clone = original[:-16] + "0123456789abcdef"
    command(node, "POST", f"/{original}/_clone/{clone}")
    copied_everywhere(bench.cluster)
    try:
        yield clone
    finally:
        command(node, "DELETE", f"/{clone}?ignore_unavailable=true")


def name_index(folder: Path, index: str) -> None:
    """Give the index of a release, a folder without links, another index in the cluster."""
    companies = folder / release_index.COMPANIES
    file = companies / "opensearch.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"index": index}))
    snapshot.seal(companies)


@row(
    "index removed",
    "the index of the served release deleted; then `padron build`",
    "503 meanwhile, nothing denied; then every answer right, without a start",
)
def index_removed(bench: SearchBench) -> Seen:
    """Delete a clone of the index; build under another path, since a build removes what is not of its data folder."""
    data = bench.bench.copy()
    current = snapshot.current(data)
    folder = snapshot.index_folder(data, current, release_index.FORMAT)
    address = bench.cluster.url(replicas=REPLICAS, timeout=20).replace("/padron", "/other")
    built: list[str] = []

    def build() -> None:
        began = time.monotonic()
        code, output = padron("build", "--data", data, PADRON_SEARCH__URL=address)
        built.append(f"padron build {code} after {time.monotonic() - began:.0f} s {output[-200:] if code else ''}")

    with own_index(bench) as own:
        copy = shutil.copytree(folder, data.parent / "own")
        name_index(copy, own)
        shutil.rmtree(folder)
        copy.rename(folder)
        shutil.rmtree(snapshot.index_folder(data, TWIN, release_index.FORMAT))
        outcome = bench.under(lambda _: command(bench.cluster.nodes[0], "DELETE", f"/{own}"), build, 5, data=data)
    return outcome.seen(bool(outcome.refused) and outcome.is_right(outcome.answers[-1]), built[0])


class Door:
    """A proxy before one node, which can demand a login and answer late."""

    def __init__(self, node: Node, login: str = "") -> None:
        self.login = login
        self.delay = 0.0
        self.port = free_port()
        self._node = node

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_server(self._pass, "127.0.0.1", self.port)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inside, outside = await asyncio.open_connection("127.0.0.1", self._node.port)
        with suppress(OSError, EOFError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(length(head.decode("latin-1").lower()))
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self.login and f"Basic {base64.b64encode(self.login.encode()).decode()}" not in head.decode():
                    writer.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}")
                    continue
                # Without it the length of an answer is stated.
                outside.write(head.replace(b"Accept-Encoding", b"X-Encoding") + body)
                answer = await inside.readuntil(b"\r\n\r\n")
                has_body = not head.startswith(b"HEAD")
                writer.write(answer)
                writer.write(await inside.readexactly(length(answer.decode("latin-1").lower()) if has_body else 0))
        writer.close()
        outside.close()


@contextmanager
def doors(nodes: Sequence[Node], login: str = "") -> Iterator[list[Door]]:
    """Open a door before each node, in a thread."""
    loop = asyncio.new_event_loop()
    opened = [Door(node, login) for node in nodes]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    for door in opened:
        asyncio.run_coroutine_threadsafe(door.serve(), loop).result()
    try:
        yield opened
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def url_of(opened: Sequence[Door], login: str = "") -> str:
    """Return the setting that leads through doors."""
    hosts = ",".join(f"127.0.0.1:{door.port}" for door in opened)
    return f"http://{login}{'@' if login else ''}{hosts}/padron?replicas={REPLICAS}"


@contextmanager
def search_bench(data: Path, scratch: Path) -> Iterator[SearchBench]:
    """Start a cluster, and load the current release of a data folder into it."""
    scratch.chmod(0o711)  # nodes run as nobody
    disk = scratch / "disk"
    disk.mkdir()
    with mounted("-t", "tmpfs", "-o", f"size={DISK}", "padron", disk), opensearch(3, disk) as cluster:
        folder = indexed(data, scratch / "var", cluster.url(replicas=REPLICAS, timeout=60))
        companies = Bench(data, scratch, 0, 0, patient=False).companies(COMPANIES)
        yield SearchBench(Bench(folder, scratch, 0, 0, patient=False), cluster, disk, Oracle(data), companies)


def main() -> int:
    """Run what the arguments say; 1 if a row is not kept. A run that is ended keeps the rows before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--only", nargs="+", choices=sorted(ROWS), default=list(ROWS))
    parser.add_argument("--keep", action="store_true", help="keep the result")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    release = snapshot.current(given.data)
    rows: list[dict[str, Any]] = []
    try:
        with (
            tempfile.TemporaryDirectory(dir=given.data.absolute().parent, prefix=".faults-") as scratch,
            search_bench(given.data, Path(scratch)) as bench,
        ):
            for name in given.only:
                rows += table(bench, [name])
    finally:
        if given.keep and rows:
            keep("search-faults", {"rows": rows, "callers": CALLERS, "period_s": PERIOD, "release": release})
    return 0 if all(line["kept"] for line in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
