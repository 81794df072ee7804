"""Rows of the fault table on hostile clients, and those clients: `python hostile_clients.py KIND PORT COUNT`."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from fault_bench import HEALTH_P99, MOST_MIB, OTHERS_P99, SEARCH, Bench, Seen, ask, children, get, p99, private_mib, row


async def hostile(kind: str, port: int, count: int) -> None:
    """Be `count` hostile clients, 250 to an address, until killed; a connection that was closed is opened again."""

    async def client(number: int) -> None:
        local = f"127.1.1.{number // 250 + 1}"
        while True:
            with suppress(OSError, EOFError):
                client = socket.socket()
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.setblocking(False)
                client.bind((local, 0))
                await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", port))
                reader, writer = await asyncio.open_connection(sock=client)
                try:
                    await MISBEHAVIOUR[kind](reader, writer)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0.2 * random.random())

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


MISBEHAVIOUR: Final = {
    "silent": _silent,
    "slow header": _slow_header,
    "slow body": _slow_body,
    "half-open": _half_open,
    "flood": _flood,
    "pipelined": _pipelined,
}


@contextmanager
def hostile_crowd(kind: str, port: int, count: int) -> Iterator[None]:
    """Have hostile clients in a process of their own until the block ends.

    Args:
        kind: What they do, of `MISBEHAVIOUR`.
        port: The port of the service.
        count: The number of connections.
    """
    with subprocess.Popen([sys.executable, __file__, kind, str(port), str(count)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def crowd(bench: Bench, kind: str) -> Seen:
    """Ask beside a crowd of hostile clients; those who send much are as many as one address may have connections."""
    count = min(bench.connections, 250) if kind == "pipelined" else bench.connections
    with bench.service(bench.copy()) as (server, operations), ExitStack() as stack:
        asyncio.run(ask(server.port, bench.names(), 2, 100))
        stack.enter_context(hostile_crowd(kind, server.port, count))
        time.sleep(min(3.0, bench.seconds))

        async def both() -> tuple[tuple[list[float], int], tuple[list[float], int]]:
            others = ask(server.port, bench.names(), bench.seconds, 100)
            return await asyncio.gather(others, ask(operations, ["/healthz"], bench.seconds, 20))

        (others, failures), (health, unhealthy) = asyncio.run(both())
        open_now = json.dumps(connections(operations))
        memory = round(max(map(private_mib, children(server.process.pid))), 1)
    figures = {
        "others_p99_ms": p99(others),
        "healthz_p99_ms": p99(health),
        "failures": failures + unhealthy,
        "worker_mib": memory,
    }
    quick = figures["others_p99_ms"] <= OTHERS_P99 and figures["healthz_p99_ms"] <= HEALTH_P99
    kept = failures + unhealthy == 0 and bool(others) and memory <= MOST_MIB and (quick or bench.patient)
    return Seen(
        kept, f"{len(others)} answers, {failures + unhealthy} failures; connections by phase {open_now}", figures
    )


def connections(operations: int) -> dict[str, int]:
    """Return the open connections by phase, as /metrics has them."""
    lines = get(operations, "/metrics")[1].decode().splitlines()
    named = (line for line in lines if line.startswith("padron_connections{"))
    return {line.partition('phase="')[2].partition('"')[0]: int(float(line.rpartition(" ")[2])) for line in named}


for _name, _made in {
    "silent": "connect and send nothing",
    "slow header": "a byte of a header each second",
    "slow body": "a byte of a body each second",
    "half-open": "ask for three long texts and take none",
    "flood": "connect, search, hang up, at once again; 20 addresses",
    "pipelined": "250 connections of one address that each send 4,000 searches at once, and again",
}.items():
    row(
        f"clients: {_name}",
        _made,
        f"others' p99 ≤ {OTHERS_P99:.0f} ms, /healthz ≤ {HEALTH_P99:.0f} ms, none fails; worker ≤ {MOST_MIB:.0f} MiB",
    )(lambda bench, kind=_name: crowd(bench, kind))  # type: ignore[misc]


def raise_file_limit() -> None:
    """Let this process open as many files as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    raise_file_limit()
    asyncio.run(hostile(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
