"""Clients that hold connections: silent, slow, idle, deaf and many. The service closes them and answers the others."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from ports import free_port
from process import Server, read_answer, serving
from waiting import PATIENCE, until

SHORT = {
    f"PADRON_SERVER__{name}_TIMEOUT": "0.3" for name in ("HEADER", "BODY", "IDLE", "SEND")
}  # fmt: skip
LOGIN = b"POST /api/account HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
LARGE = b"GET /api/public/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that waits for nobody longer than a third of a second. It needs no release."""
    folder = tmp_path_factory.mktemp("impatient")
    with serving(folder / "var", folder, PADRON_BASE_URL="https://padron.example", **SHORT) as server:
        yield server


@contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
        yield client


def is_closed(client: socket.socket) -> bool:
    """Wait for the other side to send something or to close; return whether it has closed."""
    try:
        return client.recv(65_536) == b""
    except ConnectionError:
        return True


def dripped(client: socket.socket) -> bool:
    """Send byte after byte until the other side closes; False if it has not in half a minute."""
    client.settimeout(0.01)
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        try:
            client.send(b"x")
            if client.recv(65_536) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def is_healthy(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE) as answer:
        return answer.status == 200


def test_a_silent_connection_is_closed(impatient: Server) -> None:
    with connected(impatient) as client:
        assert is_closed(client)


@pytest.mark.parametrize("begun", [b"GET /", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", LOGIN])
def test_a_byte_now_and_then_does_not_hold_a_connection(impatient: Server, begun: bytes) -> None:
    with connected(impatient) as client:
        client.sendall(begun)
        assert dripped(client)


def test_an_idle_connection_is_closed(impatient: Server) -> None:
    with connected(impatient) as client:
        client.sendall(HEALTH)
        assert read_answer(client).startswith(b"HTTP/1.1 200")
        assert is_closed(client)


def test_a_client_that_takes_no_answer_is_cut_off(impatient: Server) -> None:
    with connected(impatient) as client:
        with suppress(ConnectionError):
            client.sendall(LARGE * 1_000)
        assert until(lambda: 'closed_total{reason="sending"} 1.0' in metrics(impatient.port))


def metrics(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_two_thousand_silent_connections_stop_nobody(tmp_path: Path) -> None:
    """They outnumber what one worker of the server before this one took, and stay as long as they can."""
    operations = free_port()
    with (
        serving(tmp_path / "var", tmp_path, PADRON_SERVER__OPERATIONS=f"127.0.0.1:{operations}") as server,
        ExitStack() as stack,
    ):
        for _ in range(2_000):
            stack.enter_context(connected(server))
        assert is_healthy(server.port)
        assert is_healthy(operations)


def test_more_connections_at_once_than_a_round_begins_are_all_answered(tmp_path: Path) -> None:
    with serving(tmp_path / "var", tmp_path) as server, ExitStack() as stack:
        clients = [stack.enter_context(connected(server)) for _ in range(200)]
        for client in clients:
            client.sendall(HEALTH)
        assert all(read_answer(client).startswith(b"HTTP/1.1 200") for client in clients)


def test_the_oldest_idle_connection_of_an_address_makes_room(tmp_path: Path) -> None:
    limit = {"PADRON_SERVER__CONNECTIONS_PER_ADDRESS": "3"}
    with serving(tmp_path / "var", tmp_path, **limit) as server, ExitStack() as stack:
        clients = [stack.enter_context(connected(server)) for _ in range(3)]
        for client in (*clients, clients[0]):
            client.sendall(HEALTH)
            assert read_answer(client).startswith(b"HTTP/1.1 200")
        newcomer = stack.enter_context(connected(server))
        for client in (newcomer, clients[0], clients[2]):
            client.sendall(HEALTH)
            assert read_answer(client).startswith(b"HTTP/1.1 200")
        assert is_closed(clients[1])


def test_the_connections_of_all_are_limited_too(tmp_path: Path) -> None:
    limits = {"PADRON_SERVER__CONNECTIONS": "3", "PADRON_SERVER__TRUSTED_PROXIES": "127.0.0.1"}
    with serving(tmp_path / "var", tmp_path, **limits) as server, ExitStack() as stack:
        clients = [stack.enter_context(connected(server)) for _ in range(4)]
        assert is_closed(clients[0])
        assert is_healthy(server.port)


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"HELLO\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: ana@example/x y\r\n\r\n", 400, "malformed-request"),
        (
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            400,
            "malformed-request",
        ),
        (b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"x" * 70_000), 414, "target-too-long"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: %s\r\n\r\n" % (b"x" * 140_000), 431, "header-too-long"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-Endless: %s" % (b"x" * 300_000), 431, "header-too-long"),
        (b"GET / HTTP/1.1\r\nHost: a\r\n%s\r\n" % (b"a:b\r\n" * 5_000), 431, "header-too-long"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_request_is_a_problem(impatient: Server, request_bytes: bytes, status: int, code: str) -> None:
    with connected(impatient) as client:
        with suppress(ConnectionError):
            client.sendall(request_bytes)
        received = b""
        with suppress(ConnectionError):
            while part := client.recv(65_536):
                received += part
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-type: application/problem+json" in head
    assert b"strict-transport-security: max-age=31536000" in head
    number = re.search(rb"x-request-id: (\S+)", head)
    assert number is not None
    problem = json.loads(body)
    assert (problem["status"], problem["code"], problem["requestId"]) == (status, code, number[1].decode())


def test_whole_requests_before_what_is_none_are_answered_over_a_socket(impatient: Server) -> None:
    with connected(impatient) as client:
        client.sendall(HEALTH * 3 + b"XX\r\n\r\n")
        received = b""
        while part := client.recv(65_536):
            received += part
    assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"200", b"200", b"200", b"400"]


def test_every_form_of_a_host_is_accepted(impatient: Server) -> None:
    for host in (b"padron.example", b"padron.example:443", b"127.0.0.1:", b"[::1]:8000", b"a_b.example", b""):
        with connected(impatient) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n" % host)
            assert read_answer(client).startswith(b"HTTP/1.1 200"), host


def test_a_length_of_thousands_of_digits_is_a_length(impatient: Server) -> None:
    for length, code in ((b"%05001d" % 2, b"malformed-json"), (b"9" * 5_000, b"malformed-request")):
        with connected(impatient) as client:
            client.sendall(
                b"POST /api/account HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                b"Content-Length: %s\r\n\r\n{]" % length
            )
            answer = read_answer(client)
        assert answer.startswith(b"HTTP/1.1 400"), answer
        assert code in answer


def test_operations_have_a_listener_of_their_own(tmp_path: Path) -> None:
    operations = free_port()
    with serving(tmp_path / "var", tmp_path, PADRON_SERVER__OPERATIONS=f"127.0.0.1:{operations}") as server:
        assert is_healthy(operations)
        assert "padron_connections" in metrics(operations)
        for path, status in (("/readyz", 503), ("/", 404), ("/api/public/empresas/stats", 404)):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{operations}{path}", timeout=PATIENCE)
            refused.value.close()
            assert refused.value.code == status
        assert server.stop() == 0
