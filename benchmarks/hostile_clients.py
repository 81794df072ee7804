"""Rows of the fault table on hostile clients, and those clients: `python hostile_clients.py KIND PORT COUNT`."""

from __future__ import annotations

import asyncio
import json
import random
import re
import resource
import socket
import struct
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_plus

from fault_bench import (
    HEALTH_P99,
    MOST_MIB,
    OTHERS_P99,
    SEARCH,
    Bench,
    Seen,
    ask,
    ask_beside,
    children,
    counting_in,
    get,
    metric,
    new_key,
    padron,
    private_mib,
    row,
)

import servers
from process import Server

COUNTRIES: Final = ("AR", "BR", "CO", "EC", "MX", "US")
HANGING_UP: Final = 0.1
"""Share of the requests whose client does not wait for the answer."""


async def hostile(kind: str, port: int, count: int) -> None:
    """Be `count` hostile clients, 250 to an address, until killed; a connection that was closed is opened again.

    Args:
        kind: What they do, of `MISBEHAVIOUR`; those of `asking` take their answers as fast as they come, those of
            `resetting` take none, and come again at once.
        port: The port of the service.
        count: The number of connections.
    """

    async def client(number: int) -> None:
        local = f"127.1.1.{number // 250 + 1}"
        while True:
            with suppress(OSError, EOFError):
                client = socket.socket()
                if kind != "asking":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.setblocking(False)
                client.bind((local, 0))
                await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", port))
                reader, writer = await asyncio.open_connection(sock=client)
                try:
                    await MISBEHAVIOUR[kind](reader, writer)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0 if kind == "resetting" else 0.2 * random.random())

    print("ready", flush=True)
    await asyncio.gather(*(client(number) for number in range(count)))


async def _silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def _drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, begun: bytes) -> None:
    writer.write(begun)
    while not reader.at_eof():
        await asyncio.sleep(1)
        writer.write(b"x")
        await writer.drain()


async def _slow_header(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _drip(reader, writer, b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")


async def _slow_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _drip(reader, writer, b"POST /api/account HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n{")


async def _half_open(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(b"GET /llms-full.txt HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
    await asyncio.sleep(3_600)


async def _flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    path = SEARCH + str(random.randrange(10**9))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    await reader.read()


async def _pipelined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"GET {SEARCH}x HTTP/1.1\r\nHost: a\r\n\r\n".encode() * 4_000)
    await reader.read()


REQUESTS: Final[list[str]] = []
"""Requests of the clients that are `asking` or `resetting`, which come from standard input."""


async def _asking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(random.choice(REQUESTS).encode())
    if random.random() > HANGING_UP:
        await reader.read()


async def _resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.write(random.choice(REQUESTS).encode())
    await writer.drain()
    await asyncio.sleep(random.random() / 100)


MISBEHAVIOUR: Final = {
    "silent": _silent,
    "slow header": _slow_header,
    "slow body": _slow_body,
    "half-open": _half_open,
    "flood": _flood,
    "pipelined": _pipelined,
    "asking": _asking,
    "resetting": _resetting,
}


@contextmanager
def hostile_crowd(kind: str, port: int, count: int, requests: Sequence[str] = ()) -> Iterator[None]:
    """Have hostile clients in a process of their own until the block ends.

    Args:
        kind: What they do, of `MISBEHAVIOUR`.
        port: The port of the service.
        count: The number of connections.
        requests: The requests of those that are `asking` or `resetting`.
    """
    command = [sys.executable, __file__, kind, str(port), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(requests).encode())
            process.stdin.close()
            process.stdout.readline()
            yield
        finally:
            process.kill()


Prepare = Callable[[Bench, Server, Path], list[str]]
"""Prepares the requests of hostile clients: given the bench, the service and its data folder."""


def crowd(bench: Bench, kind: str, prepare: Prepare | None = None, redis: str | None = None) -> Seen:
    """Ask beside a crowd of hostile clients; those who send much are as many as one address may have connections.

    Args:
        bench: The bench.
        kind: What the clients do, of `MISBEHAVIOUR`.
        prepare: Prepares the requests of those that are `asking` or `resetting`.
        redis: The address of a Redis that counts.

    Returns:
        What was seen.
    """
    count = min(bench.connections, 250) if kind in {"pipelined", "asking", "resetting"} else bench.connections
    data = bench.copy()
    settings = counting_in(redis, data) if redis else {}
    with bench.service(data, **settings) as (server, operations), ExitStack() as stack:
        asyncio.run(ask(server.port, bench.names(), 2, 100))
        requests = prepare(bench, server, data) if prepare else []
        stack.enter_context(hostile_crowd(kind, server.port, count, requests))
        time.sleep(min(3.0, bench.seconds))
        seen = asyncio.run(ask_beside(bench, server.port, operations))
        open_now = json.dumps(connections(operations))
        statuses = answers_by_status(operations)
        replaced = [*metric(operations, "padron_workers_replaced").values()]
        memory = round(max(map(private_mib, children(server.process.pid))), 1)
    faults = server.log.read_text().count('"event":"fault"')
    errors = sum(number for status, number in statuses.items() if status.startswith("5"))
    kept = seen.kept and memory <= MOST_MIB and replaced == [0] and not faults
    text = f"{seen.text}; connections by phase {open_now}; all answers {json.dumps(statuses)}; {faults} `fault` lines"
    figures = {
        "worker_mib": memory,
        "workers_replaced": sum(replaced),
        "answers_5xx": errors,
        "answers_400": statuses.get("400", 0),
    }
    return Seen(kept, text, {**seen.figures, **figures})


def answers_by_status(operations: int) -> dict[str, int]:
    """Return the number of answers by status, as /metrics has them."""
    statuses: Counter[str] = Counter()
    for name, number in metric(operations, "padron_http_request_seconds_count{").items():
        statuses[name.partition('status="')[2].partition('"')[0]] += int(number)
    return dict(sorted(statuses.items()))


def connections(operations: int) -> dict[str, int]:
    """Return the open connections by phase, as /metrics has them."""
    phases = metric(operations, "padron_connections{")
    return {name.partition('phase="')[2].partition('"')[0]: int(number) for name, number in phases.items()}


def request(target: str, headers: Mapping[str, str] | None = None, body: str | None = None) -> str:
    """Return a request as it is sent, a POST if it has a body.

    Args:
        target: Path and query.
        headers: Header fields.
        body: A JSON document.

    Returns:
        The request.
    """
    fields = {"host": "a", "connection": "close", **(headers or {})}
    if body is not None:
        fields |= {"content-type": "application/json", "content-length": str(len(body.encode()))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{'GET' if body is None else 'POST'} {target} HTTP/1.1\r\n{lines}\r\n{body or ''}"


def forged_values(_: Bench, server: Server, data: Path) -> list[str]:
    """Forge cursors, positions in the log of changes, and ids, all with a key of the plan Free."""
    key = new_key(server, data)
    chance = random.Random(2026)

    def forged() -> Iterator[str]:
        cursor = urlsafe_b64encode(chance.getrandbits(32).to_bytes(4) + chance.randbytes(12)).decode().rstrip("=")
        yield f"/api/v1/search?q=petrobras&cursor={cursor}"
        yield f"/api/v1/changes?since={chance.randrange(10**6)}-{chance.randrange(10**18)}"
        yield f"/api/v1/entities/{chance.choice(COUNTRIES)}/{chance.randrange(10**14)}"
        yield f"/api/v1/watchlists/{chance.randbytes(12).hex()}"

    return [request(target, key) for _ in range(500) for target in forged()]


def business_key(server: Server, data: Path) -> Mapping[str, str]:
    """Return the header fields of a new key of the plan Business."""
    key = new_key(server, data)
    code, text = padron("accounts", "set-plan", "ana@example.ec", "business", "--data", data)
    assert code == 0, text
    return key


def unfinished_lists(_: Bench, server: Server, data: Path) -> list[str]:
    """Send 1.2 megabytes of a list in JSON, all but a byte."""
    body = json.dumps({"rows": [{"name": "a" * 1_200}] * 1_000})
    return [request("/api/v1/match", business_key(server, data), body)[:-1]]


def company_pages(bench: Bench, _server: Server, _data: Path) -> list[str]:
    """Ask for the pages of 20,000 companies, more than are kept."""
    return [
        request(f"/es/empresas/{company.country.lower()}/{quote(company.identifier)}")
        for company in bench.companies(20_000)
    ]


def long_questions(_: Bench, server: Server, data: Path) -> list[str]:
    """Ask for six companies again and again in 500 characters, and call a tool, with one key of the plan Business."""
    key = business_key(server, data)
    names = "corporacion favorita, petrobras, walmart, banco de mexico, ecopetrol y telecom argentina"
    question = f"compare ventas de {names}, activas en Quito con mas de 100 empleados; " * 3
    call = {"name": "search_companies", "arguments": {"query": names}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    accepted = {"accept": "application/json, text/event-stream"}
    asked = f"/api/v1/search?limit=20&q={quote_plus(question[:500])}"
    assert get(server.port, asked, key)[0] == 200
    return [request(asked, key), request("/mcp", accepted | key, message)]


def folded_text(_bench: Bench, _server: Server, _data: Path) -> list[str]:
    """Ask for the sign that stands for the most signs, eighteen, in rows of a list and in searches."""
    sign = "\ufdfa"
    call = {"name": "match_companies", "arguments": {"rows": [{"name": sign * 1_000}] * 10}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, ensure_ascii=False)
    accepted = {"accept": "application/json, text/event-stream"}
    searches = [request(SEARCH + quote_plus(sign * length)) for length in (256, 1_000)]
    return [request("/mcp", accepted, message), *searches]


def lists_for_agents(_: Bench, server: Server, data: Path) -> list[str]:
    """Call the tool that matches lists, with fifty names and 55 kB of other text, and a key of the plan Business."""
    call = {
        "name": "match_companies",
        "arguments": {"rows": [{"name": f"Corporación Favorita {number}"} for number in range(50)]},
        "_meta": {"text": "a" * 55_000},
    }
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    accepted = {"accept": "application/json, text/event-stream"}
    return [request("/mcp", accepted | business_key(server, data), message)]


def sitemaps(bench: Bench, server: Server, _: Path) -> list[str]:
    """Ask for the parts of the sitemap, and for as many images of shared links to companies."""
    index = get(server.port, "/sitemap.xml")[1].decode()
    parts = re.findall(rf"<loc>{server.url}(.+?)</loc>", index)
    images = [
        f"/cards/es/{company.country.lower()}/{quote(company.identifier)}.png"
        for company in bench.companies(len(parts))
    ]
    return [request(target) for target in [*parts, *images]]


PROMISED: Final = (
    f"others' p99 ≤ {OTHERS_P99:.0f} ms, /healthz ≤ {HEALTH_P99:.0f} ms, none fails; worker ≤ {MOST_MIB:.0f} MiB, "
    "none dies; no `fault` line in the log"
)

for _name, _made in {
    "silent": "connect and send nothing",
    "slow header": "a byte of a header each second",
    "slow body": "a byte of a body each second",
    "half-open": "ask for three long texts and take none",
    "flood": "connect, search, hang up, at once again; 20 addresses",
    "pipelined": "250 connections of one address that each send 4,000 searches at once, and again",
}.items():
    row(f"clients: {_name}", _made, PROMISED)(partial(crowd, kind=_name))

_ONE_ADDRESS: Final = "250 connections of one address, one request in ten given up before its answer: "


@row(
    "clients: forged values",
    f"{_ONE_ADDRESS}forged cursors, positions of changes and ids, with one key of the plan Free",
    f"{PROMISED}; no answer is 5xx",
)
def forged(bench: Bench) -> Seen:
    """Ask beside a crowd with forged values."""
    seen = crowd(bench, "asking", forged_values)
    refused, failed = seen.figures["answers_400"], seen.figures["answers_5xx"]
    return seen._replace(
        kept=seen.kept and refused > 0 and not failed
    )  # 400: the key is known, what it sends is forged


@row(
    "clients: long questions",
    f"{_ONE_ADDRESS}questions of 500 characters and many names, and calls of a tool, with one key of the plan Business",
    PROMISED,
)
def asked_at_length(bench: Bench) -> Seen:
    """Ask beside a crowd with long questions."""
    return crowd(bench, "asking", long_questions)


@row(
    "clients: folded text",
    f"{_ONE_ADDRESS}ten rows of 1,000 U+FDFA (eighteen signs each) for `match_companies`, and searches for it",
    PROMISED,
)
def folded(bench: Bench) -> Seen:
    """Ask beside a crowd with text that becomes longer."""
    return crowd(bench, "asking", folded_text)


@row(
    "clients: unfinished lists",
    f"{_ONE_ADDRESS}lists in JSON of 1.2 MB whose last byte does not come, with one key of the plan Business",
    PROMISED,
)
def unfinished(bench: Bench) -> Seen:
    """Ask beside a crowd with lists that do not end."""
    return crowd(bench, "asking", unfinished_lists)


@row(
    "clients: reset",
    "250 connections of one address, reset within a hundredth of a second of a list for `match_companies`, with one "
    "key of the plan Business, and at once opened again",
    PROMISED,
)
def reset(bench: Bench) -> Seen:
    """Ask beside a crowd that never waits for an answer."""
    return crowd(bench, "resetting", lists_for_agents)


@row("clients: counted in Redis", f"{_ONE_ADDRESS}pages of 20,000 companies, with limits in Redis", PROMISED)
def counted_in_redis(bench: Bench) -> Seen:
    """Ask beside a crowd that waits for Redis."""
    with servers.redis() as (address, _):
        return crowd(bench, "asking", company_pages, address)


@row("clients: sitemaps", f"{_ONE_ADDRESS}parts of the sitemap and images of shared links", PROMISED)
def crawled(bench: Bench) -> Seen:
    """Ask beside a crowd of crawlers."""
    return crowd(bench, "asking", sitemaps)


def raise_file_limit() -> None:
    """Let this process open as many files as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    raise_file_limit()
    REQUESTS.extend(json.load(sys.stdin))
    asyncio.run(hostile(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
