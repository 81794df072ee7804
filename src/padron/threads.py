"""Threads by purpose: what one purpose waits for (a disk, a payment provider) holds up none of the others.

Short questions to the accounts database have the threads of the event loop itself.
"""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from os import register_at_fork
from typing import Final, ParamSpec, TypeVar

from padron.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


class Threads(ThreadPoolExecutor):
    """Threads for one purpose, and a bound on the calls that wait for one of them."""

    def __init__(self, purpose: str, threads: int, most_waiting: float = inf, busy: str = "busy") -> None:
        """`busy`: the code of `Unavailable` for a call beyond `most_waiting`."""
        begin = partial(super().__init__, threads, purpose)
        begin()
        register_at_fork(after_in_child=begin)  # a process that is forked has none of the threads
        self.most_waiting = most_waiting
        self._busy = busy

    def waiting(self) -> int:
        """Return the number of calls that no thread has begun."""
        return self._work_queue.qsize()

    async def call(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `act` in one of the threads.

        Args:
            act: What waits.
            *args: Its arguments.
            **kwargs: Its arguments by name.

        Returns:
            Its result.

        Raises:
            Unavailable: Too many calls wait.
        """
        if self.waiting() >= self.most_waiting:
            raise Unavailable(self._busy)
        return await get_running_loop().run_in_executor(self, partial(act, *args, **kwargs))


FILES: Final = Threads("files", 4)
"""Releases, suppressions and downloads. Those who wait are as many as there are connections."""
HASHING: Final = Threads("hashing", 2, 16, "accounts-busy")
"""Passwords."""
PAYING: Final = Threads("paying", 8, 64, "billing-unavailable")
"""The payment provider."""
REPORTING: Final = Threads("reporting", 1, 16)
"""Keys that others can read: anybody may report a thousand at once."""
DRAWING: Final = Threads("drawing", 1, 16)
"""Images of shared links."""
