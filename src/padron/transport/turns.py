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
_Queues = dict[str, deque[asyncio.Future[bool]]]
"""Waiting requests by client, the first one first."""


class Turns:
    """The order in which a worker begins requests.

    An event loop takes all requests that lie ready before it looks for others: a flood of thousands would make
    everybody wait for all of them. Here each round begins a few. The others wait, and clients take turns.
    """

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._at_once = at_once
        self._begun = 0
        self._ends = 0.0
        self._waiting: _Queues = {}
        self._passed_over: _Queues = {}

    async def take(self, client: str) -> None:
        """Wait until a request of a client may begin: not at all, as long as there are few."""
        if self._begun == 0:
            loop = asyncio.get_running_loop()
            self._ends = monotonic() + _SECONDS
            loop.call_soon(self._next_round, loop)
            self._begun = 1
            return
        if self._begun < self._at_once and monotonic() < self._ends:
            self._begun += 1
            return
        is_first = await self._wait(self._waiting, client)
        while not is_first and monotonic() >= self._ends:
            is_first = await self._wait(self._passed_over, client)

    @staticmethod
    async def _wait(queues: _Queues, client: str) -> bool:
        """Return whether it is the first of its round, which has time in any case."""
        turn = asyncio.get_running_loop().create_future()
        queues.setdefault(client, deque()).append(turn)
        is_first: bool = await turn
        return is_first

    def _next_round(self, loop: asyncio.AbstractEventLoop) -> None:
        self._begun, self._ends = 0, monotonic() + _SECONDS
        for client, turns in self._passed_over.items():  # a client for whom there was no time is next, once
            turns.extend(self._waiting.pop(client, ()))
        self._waiting, self._passed_over = self._passed_over | self._waiting, {}
        while self._begun < self._at_once and (turn := self._next_turn()):
            if not turn.done():
                turn.set_result(self._begun == 0)
                self._begun += 1
        if self._begun:
            self._begun = self._at_once  # who comes now waits for the next round, else it would come before these
            loop.call_soon(self._next_round, loop)

    def _next_turn(self) -> asyncio.Future[bool] | None:
        """Return the next request of the client whose turn it is."""
        if not self._waiting:
            return None
        client = next(iter(self._waiting))
        turns = self._waiting.pop(client)
        turn = turns.popleft()
        if turns:
            self._waiting[client] = turns
        return turn
