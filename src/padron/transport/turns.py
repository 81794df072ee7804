"""Requests begin in turns of their clients, so that the many of one do not come before the one of another."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

_AT_ONCE: Final = 16
"""Requests begun in one round of the event loop: some five milliseconds of work, if all are searches."""


class Turns:
    """The order in which a worker begins requests.

    An event loop takes all requests that lie ready before it looks for others: a flood of thousands would make
    everybody wait for all of them. Here each round begins a few. The others wait, and clients take turns.
    """

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._at_once = at_once
        self._begun = 0
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, client: str) -> None:
        """Wait until a request of a client may begin: not at all, as long as there are few.

        Args:
            client: What identifies the client.
        """
        loop = asyncio.get_running_loop()
        if self._begun == 0:
            loop.call_soon(self._next_round, loop)
        if self._begun < self._at_once:
            self._begun += 1
            return
        turn = loop.create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        await turn

    def _next_round(self, loop: asyncio.AbstractEventLoop) -> None:
        self._begun = 0
        while self._waiting and self._begun < self._at_once:
            client = next(iter(self._waiting))
            turns = self._waiting.pop(client)
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns
            if not turn.done():
                turn.set_result(None)
                self._begun += 1
        if self._begun:
            loop.call_soon(self._next_round, loop)
