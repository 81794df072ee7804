"""Accepting connections in turns of their clients: a flood of one address does not come before the one of another."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from padron.transport.client_limits import client_key
from padron.transport.turns import Turns

_BURST: Final = 64
"""Connections taken from the system at once: some two milliseconds of work."""
_MOST_WAITING: Final = 4_096
"""Connections that wait for their turn; the others wait in the system."""


class Acceptor:
    """A listening socket in an event loop; each round of the loop begins a few of the connections that wait there."""

    def __init__(self, listening: socket.socket, protocol: Callable[[], asyncio.Protocol]) -> None:
        """Begin to accept; needs a running event loop.

        Args:
            listening: The socket.
            protocol: Makes the protocol of a connection.
        """
        self._listening = listening
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._turns = Turns()
        self._waiting: set[asyncio.Task[None]] = set()
        listening.setblocking(False)
        self._loop.add_reader(listening, self._accept)

    async def close(self) -> None:
        """Accept no more, and wait until every accepted connection has had its turn."""
        self._loop.remove_reader(self._listening)
        while self._waiting:
            await asyncio.wait(self._waiting)

    def _accept(self) -> None:
        for _ in range(min(_BURST, _MOST_WAITING - len(self._waiting))):
            try:
                accepted, peer = self._listening.accept()
            except OSError:  # none is there, or no file is left
                return
            task = self._loop.create_task(self._begin(accepted, client_key(peer[0])))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _begin(self, accepted: socket.socket, client: str) -> None:
        try:
            await self._turns.take(client)
            await self._loop.connect_accepted_socket(self._protocol, accepted)
        except OSError:  # the client has hung up
            accepted.close()
