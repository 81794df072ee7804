"""A cluster of three nodes that lose one another: every answer is right, or says that there is none (503)."""

from __future__ import annotations

import asyncio
import base64
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
import trustme
from starlette.testclient import TestClient

from opensearch import Cluster, opensearch
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import PadronError, Unavailable
from padron.index.engines import engine_kind
from padron.service.app import build_app
from waiting import until

pytestmark = pytest.mark.cluster

BASE_URL = "https://padron.example"
EXPECTED = {
    "apple inc": ["320193"],
    "corporacion favorita": ["1790016919001"],
    "ecopetrol": ["899999068"],
    "1790016919001": ["1790016919001"],
    "microsoft": ["789019"],
}
ASKING = 4
"""Searches at a time."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with opensearch(3) as started:
        yield started


@pytest.fixture
def directory(cluster: Cluster, tmp_path: Path, companies: tuple[Company, ...], publish, request) -> Directory:
    """The small directory with a copy on every node."""
    url = cluster.url(replicas=2).replace("/padron", f"/{request.node.name.replace('_', '-')}")
    publish(tmp_path, "one", companies, engine=engine_kind(cluster.url(replicas=2, timeout=60)))
    return run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=url))


class Outcome:
    """Answers to searches: how many were right or refused, the slowest, and each that was wrong."""

    def __init__(self) -> None:
        self.right = self.refused = 0
        self.slowest = 0.0
        self.wrong: list[tuple[str, list[str]]] = []

    async def ask(self, directory: Directory) -> None:
        for q, expected in EXPECTED.items():
            begun = time.monotonic()
            try:
                answer = await directory.search(q, country=None, limit=1, language="es")
            except Unavailable:
                self.refused += 1
                continue
            self.slowest = max(self.slowest, time.monotonic() - begun)
            given = [teaser.identifier for teaser in answer.results]
            self.right += given == expected
            if given != expected:
                self.wrong.append((q, given))


async def asking(directory: Directory, event: Callable[[], Awaitable[None]]) -> Outcome:
    """Search without pause while something happens, and then until as many answers again are right."""
    outcome, over = Outcome(), asyncio.Event()

    async def ask() -> None:
        while not over.is_set():
            await outcome.ask(directory)

    searches = [asyncio.create_task(ask()) for _ in range(ASKING)]
    await event()
    enough = 2 * outcome.right + len(EXPECTED) * ASKING
    while outcome.right < enough:
        await asyncio.sleep(0.01)
    over.set()
    await asyncio.gather(*searches)
    return outcome


def test_a_node_killed_loses_nothing(directory: Directory, cluster: Cluster) -> None:
    async def kill() -> None:
        await asyncio.sleep(1)
        await asyncio.to_thread(cluster.nodes[1].kill)

    try:
        outcome = run(asking(directory, kill))
    finally:
        cluster.nodes[1].start()
        cluster.wait()
    print(f"node killed: {outcome.right} right, {outcome.refused} refused, slowest {outcome.slowest:.2f} s")
    assert outcome.wrong == []
    assert outcome.refused == 0


def test_a_frozen_node_loses_nothing(directory: Directory, cluster: Cluster) -> None:
    async def freeze() -> None:
        await asyncio.sleep(1)
        cluster.nodes[2].freeze()
        await asyncio.sleep(5)

    try:
        outcome = run(asking(directory, freeze))
    finally:
        cluster.nodes[2].thaw()
        cluster.wait()
    print(f"node frozen: {outcome.right} right, {outcome.refused} refused, slowest {outcome.slowest:.2f} s")
    assert outcome.wrong == []
    assert outcome.refused == 0


def test_an_index_without_its_shard_denies_nothing(
    cluster: Cluster, tmp_path: Path, companies: tuple[Company, ...], publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A red index: the only copy of its shard was on a node that is gone."""
    monkeypatch.setattr("padron.index.opensearch_nodes._PAUSE", 0)
    url = cluster.url(replicas=0, timeout=20)
    publish(tmp_path, "one", companies, engine=engine_kind(url))
    directory = run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=url))
    (named,) = tmp_path.glob("indexes/*/companies/opensearch.json")
    index = msgspec.json.decode(named.read_bytes())["index"]
    holder = next(node for node in cluster.nodes if node.name == copy_of(cluster, index))

    async def ask() -> Outcome:
        outcome = Outcome()
        await outcome.ask(directory)
        return outcome

    assert run(ask()).right == len(EXPECTED)
    holder.kill()
    try:
        outcome = run(ask())
        assert (outcome.right, outcome.wrong, outcome.refused) == (0, [], len(EXPECTED))
        until(lambda: reached(directory) == "engine-index-red")
    finally:
        holder.start()
        cluster.wait()
    until(lambda: run(ask()).right == len(EXPECTED))
    assert reached(directory) == "ok"


def reached(directory: Directory) -> str:
    """The code of what those who run the service are told."""
    try:
        run(directory.reach_engine())
    except PadronError as error:
        return error.code
    return "ok"


def test_a_service_whose_cluster_goes_away_says_so_and_takes_it_up_again(
    cluster: Cluster, tmp_path: Path, companies: tuple[Company, ...], publish
) -> None:
    url = cluster.url(replicas=2, timeout=20).replace("/padron", "/away")
    publish(tmp_path, "one", companies, engine=engine_kind(url))
    settings = load({"PADRON_SEARCH__URL": url, "PADRON_LIMITS__ENABLED": "0"}, data=tmp_path)

    def search_is(client: TestClient, state: str) -> bool:
        return bool(client.get("/readyz").json()["parts"]["search"] == state)

    with TestClient(build_app(settings)) as client:
        until(lambda: search_is(client, "ok"))
        for node in cluster.nodes:
            node.kill()
        try:
            until(lambda: search_is(client, "engine-unavailable"))
            assert client.get("/api/public/empresas/US/320193").status_code == 503
            assert client.get("/api/public/empresas/stats").status_code == 200
        finally:
            cluster.start()
        until(lambda: search_is(client, "ok"))
        assert client.get("/api/public/empresas/US/320193").status_code == 200


def copy_of(cluster: Cluster, index: str) -> str:
    """The node with the only copy of an index."""
    with urllib.request.urlopen(f"http://{cluster.nodes[0].address}/_cat/shards/{index}?h=node&format=json") as answer:
        (shard,) = msgspec.json.decode(answer.read())
    return shard["node"]


def test_a_search_never_mixes_two_releases(
    cluster: Cluster, tmp_path: Path, companies: tuple[Company, ...], company, publish
) -> None:
    """A release is asked to its end while the next one is published, and refuses when its index is gone."""
    url = cluster.url(replicas=2, timeout=20).replace("/padron", "/swap")
    kind = engine_kind(url)
    publish(tmp_path, "one", companies, engine=kind)
    directory = run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=url))
    (before,) = tmp_path.glob("indexes/*/companies")
    others = (company("US", "us-cik", "99", "OTHER INC"), *companies[::-1])

    async def swap() -> None:
        await asyncio.to_thread(publish, tmp_path, "two", others, engine=kind)

    outcome = run(asking(directory, swap))
    assert (outcome.wrong, outcome.refused) == ([], 0)
    swapped = run(directory.refreshed())
    kind.remove_others([path for path in tmp_path.glob("indexes/*/companies") if path != before])

    async def ask(asked: Directory) -> Outcome:
        outcome = Outcome()
        await outcome.ask(asked)
        return outcome

    old, new = run(ask(directory)), run(ask(swapped))
    assert (old.right, old.wrong) == (0, [])
    assert (new.right, new.wrong) == (len(EXPECTED), [])


@contextmanager
def guarded(cluster: Cluster, login: str, folder: Path) -> Iterator[tuple[int, Path]]:
    """The first node behind TLS and a login; gives the port and the file of the authority."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    expected = "Basic " + base64.b64encode(login.encode()).decode()

    class Guard(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = 401, b"{}"
            if self.headers.get("Authorization") == expected:
                url = f"http://{cluster.nodes[0].address}{self.path}"
                forwarded = urllib.request.Request(url, body or None, method=self.command)
                forwarded.add_header("Content-Type", "application/json")
                with suppress(urllib.error.HTTPError), urllib.request.urlopen(forwarded) as given:
                    status, content = given.status, given.read()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Guard)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], folder / "authority.pem"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_certificate_and_login_are_needed(
    cluster: Cluster, tmp_path: Path, companies: tuple[Company, ...], publish
) -> None:
    with guarded(cluster, "search:p@ss", tmp_path) as (port, authority):
        rest = f"localhost:{port}/guarded?timeout=20"
        right = f"https://search:p%40ss@{rest}&ca={authority}"
        publish(tmp_path, "one", companies, engine=engine_kind(right))
        outcome = Outcome()
        run(outcome.ask(run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=right))))
        assert (outcome.right, outcome.refused, outcome.wrong) == (len(EXPECTED), 0, [])
        for wrong, code, reason in (
            (f"https://search:wrong@{rest}&ca={authority}", "engine-refused", 401),
            (f"https://{rest}&ca={authority}", "engine-refused", 401),
            (f"https://search:p%40ss@{rest}", "engine-refused", "ConnectionError"),
            (f"http://search:p%40ss@{rest}", "engine-unavailable", "ConnectionError"),
        ):
            with pytest.raises(Unavailable, match=code) as refused:
                run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=wrong))
            assert refused.value.context == {"reason": reason}
            with pytest.raises(Unavailable) as refused:
                publish(tmp_path, "two", companies, engine=engine_kind(wrong))
            assert refused.value.context["reason"] in {reason, "SSLError"}
