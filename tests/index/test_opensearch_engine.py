"""The engine on OpenSearch without a cluster: its address, what it does where nobody answers, and its library."""

from __future__ import annotations

import asyncio
import builtins
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import trustme

from padron.config import load
from padron.countries import REGISTRY
from padron.directory import run
from padron.errors import Invalid, ReleaseError, Unavailable, messages
from padron.index import engines, opensearch_engine, opensearch_folder, opensearch_nodes, release_index
from padron.index.engine import Engine, Hit, IdentifierKey
from padron.index.opensearch_address import Address
from padron.index.opensearch_folder import LoadedIndex
from padron.releases import snapshot
from ports import free_port
from waiting import PATIENCE

Answered = TypeVar("Answered")

WHOLE = "https://search:p%40ss@node-1,node-2:9201/registers?shards=3&replicas=2&timeout=0.5&ca=/etc/search.pem"


def test_an_address_says_all_of_a_cluster() -> None:
    assert Address.parse(WHOLE) == Address(
        nodes=(("node-1", 443), ("node-2", 9201)),
        tls=True,
        login=("search", "p@ss"),
        prefix="registers",
        shards=3,
        replicas=2,
        timeout=0.5,
        authorities="/etc/search.pem",
    )
    assert Address.parse("http://[::1]") == Address((("::1", 9200),), False, None, "padron", 1, 1, 2.0, None)
    assert load({"PADRON_SEARCH__URL": WHOLE}).search.url == WHOLE


def test_a_login_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "login"
    file.write_text("search:p@ss:w%40rd\nanything\n")
    assert Address.parse(f"https://node?login={file}").login == ("search", "p@ss:w%40rd")
    for url, content in ((f"https://user:word@node?login={file}", "a:b"), (f"https://node?login={file}", "no login")):
        file.write_text(content)
        with pytest.raises(Invalid, match="bad-setting"):
            Address.parse(url)
    with pytest.raises(Invalid, match="bad-setting"):
        Address.parse(f"https://node?login={tmp_path / 'none'}")


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://,node",
        "http://node:0",
        "http://node:port",
        "http://node/Upper",
        "http://node/a/b",
        "http://node/*",
        "http://node?shards=0",
        "http://node?shards=many",
        "http://node?replicas=-1",
        "http://node?timeout=0",
        "http://node?timeout=nan",
        "http://node?nodes=3",
        "http://node?shards",
        "http://node#part",
        "https://node?ca=/no/such/file",
    ],
)
def test_an_address_that_is_wrong_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="bad-setting") as refused:
        engines.engine_kind(url)
    assert refused.value.context["setting"] == "PADRON_SEARCH__URL"
    assert "node" not in str(refused.value.context["expected"]).split("@")[0], "it may hold a password"


def test_a_cluster_that_does_not_answer_stops_a_build_and_an_opening(tmp_path: Path) -> None:
    kind = engines.engine_kind(f"http://127.0.0.1:{free_port()}/padron")
    with pytest.raises(Unavailable, match="engine-unavailable") as refused:
        kind.remove_others(())
    assert refused.value.context == {"reason": "ConnectionError"}
    with pytest.raises(Unavailable, match="engine-unavailable"):
        release_index.build((), tmp_path / "index", REGISTRY, kind)


@contextmanager
def refusing(status: int, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server that answers every request with a status; gives its port."""

    class Refusal(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusal)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def refused_with(url: str, folder: Path) -> set[str]:
    """The codes that those who run an engine at an address are told: by an opening, a build and what precedes it."""
    kind = engines.engine_kind(url)
    folder.mkdir()
    opensearch_folder.write(folder, LoadedIndex("padron-0123456789abcdef", 1, 1))
    snapshot.seal(folder)
    codes = set()
    for act in (
        lambda: run(kind.open(folder)),
        lambda: kind.builder(folder / "new"),
        lambda: kind.remove_others(()),
    ):
        with pytest.raises(Unavailable) as refused:
            act()
        codes.add(refused.value.code)
        assert messages.detail(refused.value, "en")
        assert "PADRON_SEARCH__URL" in messages.detail(refused.value, "es")
    return codes


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "engine-refused"),
        (403, "engine-refused"),
        (500, "engine-unavailable"),
        (503, "engine-unavailable"),
    ],
)
def test_a_login_that_is_refused_is_told_apart(tmp_path: Path, status: int, code: str) -> None:
    with refusing(status) as port:
        assert refused_with(f"http://127.0.0.1:{port}/padron", tmp_path / "engine") == {code}


def test_a_certificate_that_is_not_trusted_is_told_apart(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority = trustme.CA()
    authority.issue_cert("localhost").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    with refusing(503, context) as port:
        url = f"https://localhost:{port}/padron"
        assert refused_with(url, tmp_path / "stranger") == {"engine-refused"}
        assert refused_with(f"{url}?ca={tmp_path / 'authority.pem'}", tmp_path / "known") == {"engine-unavailable"}


def test_a_port_where_nobody_answers_is_told_apart(tmp_path: Path) -> None:
    assert refused_with(f"http://127.0.0.1:{free_port()}/padron", tmp_path / "engine") == {"engine-unavailable"}


@pytest.mark.parametrize(
    ("shards", "is_red"),
    [
        ([["STARTED"]], False),
        ([["UNASSIGNED", "STARTED"], ["RELOCATING"]], False),
        ([["UNASSIGNED"]], True),
        ([["STARTED"], ["INITIALIZING", "UNASSIGNED"]], True),
        ([], False),
    ],
)
def test_an_index_is_red_where_a_shard_has_no_copy(shards: list[list[str]], is_red: bool) -> None:
    routing = {str(at): [{"state": state} for state in copies] for at, copies in enumerate(shards)}
    state = {"routing_table": {"indices": {"padron-1": {"shards": routing}}}}
    assert opensearch_engine._decode_state(msgspec.json.encode(state)).is_red() is is_red


@pytest.mark.parametrize(
    ("blocks", "is_full"),
    [
        ({}, False),
        ({"indices": {"padron-1": {"8": {}}}}, False),
        ({"indices": {"padron-1": {"8": {}, "12": {}}}}, True),
        ({"global": {"2": {}}}, False),
        ({"global": {"10": {}}}, True),
        ({"global": {"13": {}}}, True),
    ],
)
def test_a_cluster_is_full_where_it_forbids_writing(blocks: dict, is_full: bool) -> None:
    """The block against writing that every finished index has (8) is none of a full disk."""
    assert opensearch_engine._decode_state(msgspec.json.encode({"blocks": blocks})).is_full() is is_full


def test_an_index_of_another_engine_is_refused(index: Path) -> None:
    kind = engines.engine_kind("http://127.0.0.1:1/padron")
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(index, kind))


def test_a_cluster_that_is_down_is_asked_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(opensearch_nodes, "monotonic", lambda: clock[0])
    breaker = opensearch_nodes.Breaker()
    for _ in range(5):
        breaker.admit()
        breaker.failed()
    with pytest.raises(Unavailable, match="engine-unavailable"):
        breaker.admit()
    clock[0] += 1.0
    breaker.admit()
    with pytest.raises(Unavailable):
        breaker.admit()
    clock[0] += 1.0
    breaker.admit()
    breaker.succeeded()
    breaker.admit()
    breaker.admit()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    load_module = builtins.__import__

    def without(name, *rest):
        if name == "padron.index.opensearch_engine":
            raise ModuleNotFoundError("no", name="opensearchpy")
        return load_module(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Invalid, match="search-not-installed"):
        engines.engine_kind("https://node/padron")


HOLDS_NOTHING = b'{"hits":{"total":{"value":0}},"aggregations":{"sum_low":{"value":0},"sum_high":{"value":0}}}'


class FakeNode:
    """A node that finds nothing, with a status for each part of an answer; `open` holds all its answers back or not."""

    def __init__(self) -> None:
        self.status = 200
        self.asked = self.answered = 0
        self.open = asyncio.Event()
        self.open.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(EOFError), closing(writer):
            while head := (await reader.readuntil(b"\r\n\r\n")).decode().lower():
                await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r")[0] or 0))
                self.asked += 1
                await self.open.wait()
                content = HOLDS_NOTHING
                if "msearch" in head:
                    content = b'{"responses":[{"status":%d}]}' % self.status
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
                self.answered += 1


def among_fakes(scenario: Callable[[Engine, list[FakeNode]], Awaitable[Answered]], folder: Path) -> Answered:
    """Play a scenario with the engine over three fake nodes."""
    (folder / "opensearch.json").write_text('{"index": "padron-0", "companies": 0, "sum": 0}')
    snapshot.seal(folder)

    async def play() -> Answered:
        nodes = [FakeNode() for _ in range(3)]
        servers = [await asyncio.start_server(node.serve, "127.0.0.1", 0) for node in nodes]
        addresses = ",".join(f"127.0.0.1:{server.sockets[0].getsockname()[1]}" for server in servers)
        engine = await engines.engine_kind(f"http://{addresses}/padron?timeout=100").open(folder)
        try:
            return await scenario(engine, nodes)
        finally:
            del engine  # which closes its connections
            for node, server in zip(nodes, servers, strict=True):
                node.open.set()
                server.close()
            while len(asyncio.all_tasks()) > 2:
                await asyncio.sleep(0)

    async def in_time() -> Answered:
        return await asyncio.wait_for(play(), PATIENCE)

    return asyncio.run(in_time())


async def ask(engine: Engine) -> Sequence[Sequence[Hit]]:
    return await engine.by_identifier([IdentifierKey("US", "us-cik", "1")])


async def settled(engine: Engine) -> None:
    """Wait until the engine has seen the last answer to what it asked."""
    assert isinstance(engine, opensearch_engine.OpenSearchEngine)
    while engine._nodes._under_way:
        await asyncio.sleep(0)


@pytest.mark.parametrize("status", [429, 503])
def test_one_node_that_cannot_answer_refuses_nothing(tmp_path: Path, status: int) -> None:
    """More searches at a time than failures that count as those of the whole cluster."""

    async def scenario(engine: Engine, nodes: list[FakeNode]) -> list[Sequence[Sequence[Hit]]]:
        nodes[0].status = status
        return await asyncio.gather(*(ask(engine) for _ in range(30)))

    assert among_fakes(scenario, tmp_path) == [[[]]] * 30


def test_two_late_nodes_delay_nothing(tmp_path: Path) -> None:
    async def scenario(engine: Engine, nodes: list[FakeNode]) -> list[Sequence[Sequence[Hit]]]:
        for node in nodes[:2]:
            node.open.clear()
        return [await ask(engine) for _ in range(9)]

    assert among_fakes(scenario, tmp_path) == [[[]]] * 9


def test_a_late_node_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that answers, but late, has no turn again; nobody waits to know that it is late still."""

    async def scenario(engine: Engine, nodes: list[FakeNode]) -> tuple[int, int]:
        late = nodes[0]
        late.open.clear()
        for _ in nodes:
            await ask(engine)
        late.open.set()
        await settled(engine)
        late.open.clear()
        monkeypatch.setattr(opensearch_nodes, "_LATE", 2 * PATIENCE)
        monkeypatch.setattr(opensearch_nodes, "_PAUSE", 0.0)
        asked = late.asked
        for _ in range(9):
            await ask(engine)
        return asked, late.asked

    before, after = among_fakes(scenario, tmp_path)
    assert after > before, "it is asked beside another one"


def test_a_node_that_is_prompt_again_has_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine, nodes: list[FakeNode]) -> int:
        nodes[0].open.clear()
        for _ in nodes:
            await ask(engine)
        nodes[0].open.set()
        await settled(engine)
        monkeypatch.setattr(opensearch_nodes, "_LATE", 2 * PATIENCE)
        monkeypatch.setattr(opensearch_nodes, "_PAUSE", 0.0)
        for _ in nodes:
            await ask(engine)
            await settled(engine)
        before = nodes[0].asked
        for _ in range(9):
            await ask(engine)
        return nodes[0].asked - before

    assert among_fakes(scenario, tmp_path) == 3
