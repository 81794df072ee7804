"""Requests begin in turns of their clients, so that the many of one do not come before the one of another."""

from __future__ import annotations

import asyncio
from collections import deque
from time import monotonic
from typing import Final

_AT_ONCE: Final = 16
"""Requests begun in one round of the event loop: some five milliseconds of work, if all are plain searches."""
_SECONDS: Final = 0.005
"""Time of a round, after which no other request begins in it: a question may take a hundred times as long."""


class Turns:
    """The order in which a worker begins requests.

    An event loop takes all requests that lie ready before it looks for others: a flood of thousands would make
    everybody wait for all of them. Here each round begins a few. The others wait, and clients take turns.
    """

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._at_once = at_once
        self._begun = 0
        self._is_first = True
        self._ends = 0.0
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._passed_over: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, client: str) -> None:
        """Wait until a request of a client may begin: not at all, as long as there are few.

        Args:
            client: What identifies the client.
        """
        loop = asyncio.get_running_loop()
        if self._begun == 0:
            self._ends = monotonic() + _SECONDS
            loop.call_soon(self._next_round, loop)
        if self._begun < self._at_once and self._may_begin():
            self._begun += 1
            return
        await self._wait(self._waiting, client)
        while not self._may_begin():
            await self._wait(self._passed_over, client)

    @staticmethod
    async def _wait(queues: dict[str, deque[asyncio.Future[None]]], client: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        queues.setdefault(client, deque()).append(turn)
        await turn

    def _may_begin(self) -> bool:
        """Return whether there is time in this round: always for its first request."""
        is_first, self._is_first = self._is_first, False
        return is_first or monotonic() < self._ends

    def _next_round(self, loop: asyncio.AbstractEventLoop) -> None:
        self._begun, self._is_first, self._ends = 0, True, monotonic() + _SECONDS
        for client, turns in self._passed_over.items():  # a client for whom there was no time is next, once
            turns.extend(self._waiting.pop(client, ()))
        self._waiting, self._passed_over = self._passed_over | self._waiting, {}
        while self._begun < self._at_once and (turn := self._next_turn()):
            if not turn.done():
                turn.set_result(None)
                self._begun += 1
        if self._begun:
            loop.call_soon(self._next_round, loop)

    def _next_turn(self) -> asyncio.Future[None] | None:
        """Return the next request of the client whose turn it is."""
        if not self._waiting:
            return None
        client = next(iter(self._waiting))
        turns = self._waiting.pop(client)
        turn = turns.popleft()
        if turns:
            self._waiting[client] = turns
        return turn
