"""Connections are accepted in turns, and few of one address wait for theirs."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from ipaddress import ip_network

import pytest

from padron.config import Server
from padron.transport.acceptor import Acceptor
from padron.transport.connections import Connections
from waiting import PATIENCE

MOST = 5


async def accepted(addresses: Sequence[str], limits: Server) -> tuple[list[str], int]:
    """Connect from each address before anything is accepted; the addresses of those begun, and the number evicted."""
    evicted: list[str] = []
    begun: list[str] = []

    class Begun(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            begun.append(transport.get_extra_info("peername")[0])
            transport.close()

    with ExitStack() as stack, socket.create_server(("127.0.0.1", 0), backlog=len(addresses)) as listening:
        for address in addresses:
            client = stack.enter_context(socket.socket())
            client.bind((address, 0))
            client.connect(listening.getsockname())
        acceptor = Acceptor(listening, Begun, Connections(limits, evicted.append))
        async with asyncio.timeout(PATIENCE):
            while len(begun) + len(evicted) < len(addresses):
                await asyncio.sleep(0)
        await acceptor.close()
    assert set(evicted) <= {"evicted"}
    assert not acceptor._waiting, "nothing is kept of those that have begun"
    return begun, len(evicted)


def test_of_one_address_no_more_connections_wait_than_it_may_have_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("padron.transport.acceptor._SECONDS", PATIENCE)
    addresses = ["127.0.0.2"] * 200 + ["127.0.0.3"]
    begun, evicted = asyncio.run(accepted(addresses, Server(connections_per_address=MOST)))
    assert Counter(begun) == {"127.0.0.2": MOST, "127.0.0.3": 1}
    assert evicted == 200 - MOST, "they leave the queue of the system at once"


@pytest.mark.parametrize(
    "limits", [Server(connections_per_address=20), Server(trusted_proxies=(ip_network("127.0.0.2/32"),))]
)
def test_as_many_as_may_be_open_all_begin(limits: Server) -> None:
    count = limits.connections_per_address if not limits.trusted_proxies else 300
    begun, evicted = asyncio.run(accepted(["127.0.0.2"] * count, limits))
    assert (begun.count("127.0.0.2"), evicted) == (count, 0)
