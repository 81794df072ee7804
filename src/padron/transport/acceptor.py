"""Accepting connections in turns of their clients: a flood of one address does not come before the one of another."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from padron.transport.connections import Connections

_AT_ONCE: Final = 16
"""Connections begun in one round of the event loop: some three milliseconds of work."""
_SECONDS: Final = 0.002
"""Time in which connections are taken from the system in a round: a hundred or two."""
_MOST_WAITING: Final = 4_096
"""Connections that wait for their turn; the others wait in the system."""


class Acceptor:
    """A listening socket in an event loop; each round of the loop begins a few of the connections that wait there.

    Of an address no more wait than it may have open: the oldest makes room, so that the queue of the system, which
    knows no turns, stays short.
    """

    def __init__(
        self, listening: socket.socket, protocol: Callable[[], asyncio.Protocol], connections: Connections
    ) -> None:
        """Begin to accept; needs a running event loop.

        Args:
            connections: Those that have begun, and how many an address may have.
        """
        self._listening = listening
        self._protocol = protocol
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[str, deque[socket.socket]] = {}
        self._count = 0
        self._is_scheduled = False
        self._beginning: set[asyncio.Task[None]] = set()
        listening.setblocking(False)
        self._loop.add_reader(listening, self._accept)

    async def close(self) -> None:
        """Accept no more, and wait until every accepted connection has begun."""
        self._loop.remove_reader(self._listening)
        while self._count or self._beginning:
            await asyncio.sleep(0)

    def _accept(self) -> None:
        ends = monotonic() + _SECONDS
        while monotonic() < ends and self._count < _MOST_WAITING:
            try:
                accepted, peer = self._listening.accept()
            except OSError:  # none is there, or no file is left
                break
            client = self._connections.client_of(peer[0])
            of_client = self._waiting.setdefault(client, deque())
            if client and len(of_client) >= self._connections.limits.connections_per_address:
                of_client.popleft().close()
                self._connections.closed("evicted")
                self._count -= 1
            of_client.append(accepted)
            self._count += 1
        self._schedule()

    def _schedule(self) -> None:
        if self._count and not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._next_round)

    def _next_round(self) -> None:
        self._is_scheduled = False
        for _ in range(min(_AT_ONCE, self._count)):
            client = next(iter(self._waiting))
            of_client = self._waiting.pop(client)
            task = self._loop.create_task(self._begin(of_client.popleft()))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            self._count -= 1
            if of_client:
                self._waiting[client] = of_client
        self._schedule()

    async def _begin(self, accepted: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocol, accepted)
        except OSError:  # the client has hung up
            accepted.close()
