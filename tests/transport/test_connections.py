"""The connection that makes room, and whose time is over."""

from __future__ import annotations

import asyncio
import gc
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest
from uvicorn.config import Config

from padron.config import Server
from padron.transport import connections
from padron.transport.connections import MOST_WAITING, Connection, Connections, Phase
from waiting import PATIENCE

Receive = Callable[[], Awaitable[Any]]
Send = Callable[..., Awaitable[None]]
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class Still(Connection):
    """A connection without a socket; it enters a phase at the time that its test gives."""

    def __init__(self, connections: Connections) -> None:
        self.phase, self.since, self.client_key, self.is_open = Phase.HEADER, 0.0, "", True
        self._all = connections

    def enter(self, phase: Phase) -> None:
        self._all.move(self, phase)
        self.phase = phase

    def abort(self) -> None:
        self._all.release(self)
        self.is_open = False


@pytest.mark.parametrize("tick", [0.0, 1.0])
def test_the_first_of_its_phase_makes_room_even_within_one_tick_of_the_clock(tick: float) -> None:
    connections = Connections(Server(connections_per_address=3))
    clients = [Still(connections) for _ in range(4)]
    for client in clients[:3]:
        connections.admit(client, "192.0.2.1")
    for turn, client in enumerate((*clients[:3], clients[0])):
        client.since = turn * tick
        client.enter(Phase.WORKING)
        client.enter(Phase.IDLE)
    connections.admit(clients[3], "192.0.2.1")
    assert [client.is_open for client in clients] == [True, False, True, True]


def test_a_body_that_the_service_does_not_take_is_no_wait_for_the_client() -> None:
    connections = Connections(Server(body_timeout=20))
    client = Still(connections)
    client.cycle = SimpleNamespace(more_body=True, response_complete=False)
    client.flow, client._in_header = SimpleNamespace(write_paused=False, read_paused=True), False
    here, there = socket.socketpair()
    with here, there:
        client.transport = SimpleNamespace(is_closing=lambda: False, get_extra_info=lambda _name: here)
        clock = client.loop = SimpleNamespace(time=lambda: 100.0)
        connections.admit(client, "192.0.2.1")
        client.settle()
        connections.close_overdue(1_000.0)
        assert (client.phase, client.is_open) == (Phase.WORKING, True)
        client.flow.read_paused, clock.time = False, lambda: 1_000.0
        connections.close_overdue(1_000.0)
        assert (client.phase, client.is_open) == (Phase.BODY, True)
        connections.close_overdue(1_020.0)
        assert not client.is_open


@asynccontextmanager
async def conversation(
    answer: Callable[..., Awaitable[None]], connections: Connections | None = None
) -> AsyncIterator[tuple[Connection, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect to a server of one application; the connection as the server has it, and the client's two ends."""
    opened: list[Connection] = []

    def connect() -> Connection:
        config = Config(answer, log_config=None, lifespan="off")
        opened.append(Connection(config, connections or Connections(Server()), {}))
        return opened[-1]

    async with asyncio.timeout(PATIENCE):
        server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        while not opened:
            await asyncio.sleep(0)
        try:
            yield opened[0], reader, writer
        finally:
            writer.close()
            server.close()


def test_few_requests_wait_on_a_connection_and_all_are_answered() -> None:
    count = 20_000

    async def scenario() -> tuple[int, int]:
        waiting: list[int] = []

        async def answer(_scope: Any, receive: Receive, send: Send) -> None:
            await receive()
            waiting.append(len(connection.pipeline))
            await send({"type": "http.response.start", "status": 204})
            await send({"type": "http.response.body"})

        async with conversation(answer) as (connection, reader, writer):
            writer.write(REQUEST * count)
            for _ in range(count):
                await reader.readuntil(b"\r\n\r\n")
        return max(waiting), len(waiting)

    most, answered = asyncio.run(scenario())
    assert answered == count
    assert MOST_WAITING <= most < 32, "each is a hundred objects that a garbage collection walks over"


@pytest.mark.parametrize(
    ("method", "is_list", "ended"),
    [("GET", 0, "cancelled"), ("HEAD", 0, "cancelled"), ("POST", 0, "answered"), ("POST", 1, "cancelled")],
)
@pytest.mark.parametrize("waiting", [0, 3])
def test_what_only_reads_ends_with_its_connection(
    method: str, is_list: int, ended: str, waiting: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> str:
        begun, free, outcome = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop().create_future()

        async def answer(scope: Any, _receive: Receive, send: Send) -> None:
            scope["padron.only_reads"] |= bool(is_list)
            begun.set()
            try:
                await free.wait()
            except asyncio.CancelledError:
                outcome.set_result("cancelled")
                raise
            await send({"type": "http.response.start", "status": 204})
            await send({"type": "http.response.body"})
            outcome.set_result("answered")

        async with conversation(answer) as (connection, _, writer):
            writer.write(method.encode() + REQUEST[3:] + REQUEST * waiting)
            await begun.wait()
            writer.close()
            while not connection.transport.is_closing():  # where requests wait nothing is read that would tell
                connection._all.close_overdue(connection.since)
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            if ended == "answered":
                free.set()
            await outcome
            await asyncio.sleep(0)
        return outcome.result()

    assert asyncio.run(scenario()) == ended
    assert caplog.records == []


@pytest.mark.parametrize("limits", [Server(connections_per_address=2), Server(connections=2)])
def test_work_for_a_client_that_has_gone_counts_as_its_connection_until_it_ends(limits: Server) -> None:
    closed: list[str] = []
    connections = Connections(limits, closed.append)

    async def scenario() -> None:
        begun, free = asyncio.Queue[None](), asyncio.Event()

        async def answer(_scope: Any, _receive: Receive, send: Send) -> None:
            begun.put_nowait(None)
            await free.wait()
            await answer_at_once(_scope, _receive, send)

        for _ in range(2):
            async with conversation(answer, connections) as (connection, _, writer):
                writer.write(b"POST" + REQUEST[3:])
                await begun.get()
                running = connection._running
                writer.close()
                while connection in connections._phases[connection.phase]:
                    await asyncio.sleep(0)
        async with conversation(answer, connections) as (connection, _, _):
            while not connection.client_key:
                await asyncio.sleep(0)
            assert closed == ["refused"]
        free.set()
        assert running is not None
        await running
        async with conversation(answer, connections) as (_, reader, writer):
            writer.write(REQUEST)
            assert (await reader.readline()).startswith(b"HTTP/1.1 204")

    asyncio.run(scenario())


POST = b"POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
TORN = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nno length\r\n"


@pytest.mark.parametrize("broken", [b"no request\r\n\r\n", TORN, b"GET / HTTP/1.1\r\n\r\n"])
@pytest.mark.parametrize("whole", [REQUEST * 3, POST, REQUEST + POST, REQUEST * 40 + POST])
def test_whole_requests_before_what_is_none_are_answered(whole: bytes, broken: bytes) -> None:
    async def scenario() -> bytes:
        async with conversation(echo) as (_, reader, writer):
            writer.write(whole + broken + REQUEST * 9)
            return await reader.read()

    received = asyncio.run(scenario())
    bodies = [b"POST /whole body" if part else b"GET / " for part in re.findall(rb"GET|(POST)", whole)]
    *answers, refusal = re.split(rb"HTTP/1.1 (?=\d)", received)[1:]
    assert [answer.partition(b"\r\n\r\n")[2] for answer in answers] == bodies
    assert refusal.startswith(b"400 ")
    assert b'"code":"malformed-request"' in refusal


def test_what_is_no_request_is_told_behind_an_answer_that_has_begun() -> None:
    async def scenario() -> tuple[bytes, bool]:
        free = asyncio.Event()

        async def answer(_scope: Any, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
            await free.wait()
            await send({"type": "http.response.body", "body": (await receive())["body"][-4:] or b"none"})

        async with conversation(answer) as (connection, reader, writer):
            writer.write(REQUEST)
            received = await reader.readuntil(b"half")
            writer.write(POST + TORN)
            while not connection._is_refused:
                await asyncio.sleep(0)
            is_read = not connection.flow.read_paused
            free.set()
            return received + await reader.read(), is_read

    received, is_read = asyncio.run(scenario())
    assert [part[:3] for part in re.split(rb"HTTP/1.1 (?=\d)", received)[1:]] == [b"200", b"200", b"400"]
    assert re.findall(rb"half(none|body)HTTP", received) == [b"none", b"body"]
    assert not is_read


def test_a_body_that_breaks_off_in_its_answer_ends_it() -> None:
    async def scenario() -> tuple[bytes, list[str]]:
        seen: list[str] = []
        gone = asyncio.Event()

        async def answer(_scope: Any, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
            while (message := await receive())["type"] == "http.request":
                pass
            seen.append(message["type"])
            gone.set()

        async with conversation(answer) as (_, reader, writer):
            head, _, torn = TORN.partition(b"no length")
            writer.write(head)
            received = await reader.readuntil(b"half")
            writer.write(b"no length" + torn)
            received += await reader.read()
            await gone.wait()
        return received, seen

    received, seen = asyncio.run(scenario())
    assert received.endswith(b"\r\n\r\nhalf")
    assert seen == ["http.disconnect"]


@pytest.mark.parametrize("broken", [b"no request\r\n\r\n", TORN])
def test_who_takes_no_answer_before_a_refusal_is_cut_off_in_time(broken: bytes) -> None:
    async def scenario() -> tuple[dict[str, int], dict[str, int]]:
        async def answer(_scope: Any, _receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"20000000")]})
            await send({"type": "http.response.body", "body": b"x" * 20_000_000})

        async with conversation(answer) as (connection, _, writer):
            writer.write(REQUEST + broken)
            while not connection.transport.is_closing():
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            counts = connection._all.counts()
            connection._all.close_overdue(connection.since + Server().send_timeout)
            return counts, connection._all.counts()

    before, after = asyncio.run(scenario())
    assert (before["sending"], sum(before.values()), sum(after.values())) == (1, 1, 0)


@pytest.mark.parametrize("answered", [True, False])
def test_only_a_body_that_is_being_answered_may_come_slowly(answered: bool) -> None:
    async def scenario() -> list[bool]:
        pieces: list[bytes] = []

        async def answer(_scope: Any, receive: Receive, send: Send) -> None:
            if answered:
                await send({"type": "http.response.start", "status": 200})
            while (message := await receive())["type"] == "http.request":
                pieces.append(message["body"])

        async with conversation(answer) as (connection, _, writer):
            seconds, is_open = 1_000.0, []
            connection.loop = SimpleNamespace(time=lambda: seconds, create_task=connection.loop.create_task)  # type: ignore[assignment]
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n")
            for count in range(1, 5):
                writer.write(b"x")
                while len(pieces) < count:
                    await asyncio.sleep(0)
                seconds += 15
                connection._all.close_overdue(seconds)
                is_open.append(not connection.transport.is_closing())
                if not is_open[-1]:
                    break
            connection._all.close_overdue(seconds + 20)
            return [*is_open, not connection.transport.is_closing()]

    assert asyncio.run(scenario()) == ([True, True, True, True, False] if answered else [True, False, False])


def test_a_body_after_its_answer_has_one_time_for_all_of_it() -> None:
    async def scenario() -> list[bool]:
        async with conversation(answer_at_once) as (connection, reader, writer):
            seconds, is_open = 1_000.0, []
            loop = connection.loop
            later = {"call_later": loop.call_later, "create_task": loop.create_task}
            connection.loop = SimpleNamespace(time=lambda: seconds, **later)  # type: ignore[assignment]
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            feed, fed = connection._feed, []
            connection._feed = lambda piece: (fed.append(piece), feed(piece))  # type: ignore[method-assign]
            for count in range(1, 3):
                writer.write(b"x")
                while len(fed) < count:
                    await asyncio.sleep(0)
                seconds += 15
                connection._all.close_overdue(seconds)
                is_open.append(not connection.transport.is_closing())
            return is_open

    assert asyncio.run(scenario()) == [True, False]


async def answer_at_once(_scope: Any, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204})
    await send({"type": "http.response.body"})


@pytest.mark.parametrize(
    "endless",
    [b"0\r\nX: " + b"x" * 300_000, b"0\r\n" + b"a:b\r\n" * 60_000, b"5;" + b"x" * 300_000],
    ids=["a field", "many fields", "an extension"],
)
def test_what_is_between_and_behind_chunks_has_an_end(endless: bytes) -> None:
    async def scenario() -> bytes:
        async with conversation(answer_at_once) as (_, reader, writer):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            received = await reader.readuntil(b"\r\n\r\n")
            writer.write(endless)
            with suppress(ConnectionError):
                received += await reader.read()
            return received

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 204")


def test_a_connection_that_sends_much_at_once_leaves_others_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    fed: Counter[int] = Counter()
    turn = 0
    feed = Connection._feed

    def feed_and_count(connection: Connection, piece: bytes) -> None:
        fed[turn] += 1
        feed(connection, piece)

    async def scenario() -> None:
        nonlocal turn
        monkeypatch.setattr(Connection, "_feed", feed_and_count)
        async with conversation(answer_at_once) as (_, _, writer):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n" + b"x" * 2_000_000)
            while fed.total() * connections._PIECE < 2_000_000:
                turn += 1
                await asyncio.sleep(0)

    asyncio.run(scenario())
    assert max(fed.values()) <= 2 * connections._PIECES


def test_behind_a_body_that_nobody_took_the_next_request_is_answered() -> None:
    async def scenario() -> list[bytes]:
        begun, free = asyncio.Event(), asyncio.Event()

        async def answer(_scope: Any, _receive: Receive, send: Send) -> None:
            begun.set()
            await free.wait()
            await answer_at_once(_scope, _receive, send)

        async with conversation(answer) as (connection, reader, writer):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n" + b"x" * 100_000)
            await begun.wait()
            while not connection.flow.read_paused:
                await asyncio.sleep(0)
            free.set()
            first = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"x" * 1_900_000 + REQUEST)
            return [first, await reader.readuntil(b"\r\n\r\n")]

    assert [answer[:12] for answer in asyncio.run(scenario())] == [b"HTTP/1.1 204"] * 2


def test_of_waiting_requests_each_learns_that_its_client_has_gone() -> None:
    async def scenario() -> list[str]:
        begun, seen, gone = asyncio.Event(), [], asyncio.Event()

        async def answer(_scope: Any, receive: Receive, _send: Send) -> None:
            await receive()
            begun.set()
            seen.append((await receive())["type"])
            gone.set()

        async with conversation(answer) as (connection, _, writer):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx" + REQUEST)
            await begun.wait()
            while not connection.pipeline:
                await asyncio.sleep(0)
            connection.abort()
            await gone.wait()
        return seen

    assert asyncio.run(scenario()) == ["http.disconnect"]


async def answer_none(_scope: Any, receive: Receive, _send: Send) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@pytest.mark.parametrize(
    ("answer", "sent"),
    [(answer_at_once, REQUEST), (answer_at_once, b"no request"), (answer_none, REQUEST), (answer_none, REQUEST * 3)],
    ids=["answered", "refused", "left", "left with more that wait"],
)
def test_a_connection_that_has_ended_waits_for_no_garbage_collection(
    answer: Callable[..., Awaitable[None]], sent: bytes
) -> None:
    async def scenario() -> ref[Connection]:
        async with conversation(answer) as (connection, reader, writer):
            writer.write(sent)
            await (reader.readline() if answer is answer_at_once else asyncio.sleep(0))
            while not connection.cycle and sent.startswith(REQUEST):
                await asyncio.sleep(0)
            ended = ref(connection)
            connection.abort()
            del connection
        async with asyncio.timeout(PATIENCE):
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)
        return ended

    gc.disable()
    try:
        assert asyncio.run(scenario())() is None
    finally:
        gc.enable()


def test_another_version_of_http_is_no_request() -> None:
    async def scenario() -> bytes:
        async def answer(_scope: Any, _receive: Receive, _send: Send) -> None:
            raise AssertionError

        async with conversation(answer) as (_, reader, writer):
            writer.write(b"GET / HTTP/2.0\r\nHost: a\r\n\r\n")
            return await reader.read()

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 400")


async def echo(scope: Any, receive: Receive, send: Send) -> None:
    """Answer with the method, the path and the body."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    answer = b"%s %s %s" % (scope["method"].encode(), scope["raw_path"], body)
    fields = [(b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": answer})


def answers_to(pieces: Iterable[bytes]) -> bytes:
    """Bodies of all answers to what a client sends in these pieces, each parsed before the next is sent."""

    async def scenario() -> bytes:
        async with conversation(echo) as (connection, reader, writer):
            feed, fed = connection._feed, 0

            def feed_and_count(piece: bytes) -> None:
                nonlocal fed
                feed(piece)
                fed += len(piece)

            connection._feed = feed_and_count  # type: ignore[method-assign]
            sent = 0
            for piece in (*pieces, b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"):
                writer.write(piece)
                sent += len(piece)
                while fed < sent:
                    await asyncio.sleep(0)
            return await reader.read()

    return re.sub(rb"HTTP/1.1 200 OK\r\n(?:[^\r]+\r\n)+\r\n", b"|", asyncio.run(scenario()))


HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize("protocol", [b"h2c", b"websocket", b"TLS/1.2", b"foo"])
@pytest.mark.parametrize("size", [1, 50, 10_000])
@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: %d\r\n\r\n%s" % (len(HIDDEN), HIDDEN),
        b"Transfer-Encoding: chunked\r\n\r\n21\r\n%s\r\n0\r\n\r\n",
    ],
    ids=["length", "chunks"],
)
def test_a_request_for_another_protocol_is_read_as_any_other(protocol: bytes, size: int, body: bytes) -> None:
    body = body.replace(b"%s", HIDDEN)
    field = b"Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: %s\r\nHTTP2-Settings: AAAA\r\n" % protocol
    sent = b"POST /one HTTP/1.1\r\n%s%sGET /two HTTP/1.1\r\n%s\r\n" % (field, body, field)
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    assert answers_to(pieces) == b"|POST /one %s|GET /two |GET /last " % HIDDEN


def test_a_request_for_another_protocol_waits_for_its_body_if_it_may_send_it() -> None:
    async def scenario() -> tuple[bytes, bytes]:
        async with conversation(echo) as (_, reader, writer):
            head = b"POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
            writer.write(head + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            permission = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"body")
            return permission, await reader.readuntil(b"POST / body")

    permission, answer = asyncio.run(scenario())
    assert (permission, answer[:15]) == (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("protocol", [b"", b"Upgrade: h2c\r\n"])
def test_behind_the_last_request_of_a_connection_nothing_is_a_request(protocol: bytes) -> None:
    async def scenario() -> bytes:
        async with conversation(echo) as (_, reader, writer):
            head = b"POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\n" + protocol
            writer.write(head + b"Content-Length: 4\r\n\r\nbody" + HIDDEN)
            return await reader.read()

    answer = asyncio.run(scenario())
    assert (answer.count(b"HTTP/1.1"), answer[-11:]) == (1, b"POST / body")


def test_no_tunnel_is_opened() -> None:
    async def scenario() -> bytes:
        async with conversation(echo) as (_, reader, writer):
            writer.write(b"CONNECT /a HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN))
            received = await reader.readuntil(b"\r\n\r\n")
            writer.write(HIDDEN)
            with suppress(ConnectionError):
                received += await reader.read()
            return received

    answer = asyncio.run(scenario())
    assert (answer[:12], answer.count(b"\r\n\r\n")) == (b"HTTP/1.1 400", 1)
