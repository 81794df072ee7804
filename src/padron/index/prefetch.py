"""Look-ups that a search is likely to make next, for an engine that pays for each request: asked along with the first.

A search states its dry runs: calls that make the same look-ups as it would if it got no hits. An engine on the network
runs one before each of the first requests, notes what it looks up, and asks all of it in that request; when the search
gets there, the reply is at hand. The embedded engine ignores them, and they cost nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
DryRun = Callable[[], Awaitable[object]]

_MOST: Final = 500
"""Look-ups that are asked ahead in one request: a long text has thousands of spans, and most searches stop early."""


class Prefetch(Generic[T]):
    """The dry runs of one search that are still to come, and the replies that it has got."""

    def __init__(self, dry_runs: Iterator[DryRun]) -> None:
        self._dry_runs = dry_runs
        self._replies: dict[bytes, T] = {}
        self._noted: list[bytes] | None = None

    async def replies(
        self, asked: Sequence[bytes], ask: Callable[[Sequence[bytes]], Awaitable[Sequence[T]]], nothing: T
    ) -> list[T]:
        """Return the reply to each look-up, from those at hand or by one request.

        Args:
            asked: The look-ups, each in the words of the engine.
            ask: Makes the request.
            nothing: The reply without hits, which a dry run gets where none is at hand.
        """
        if self._noted is not None:
            self._noted += asked
            return [self._replies.get(each, nothing) for each in asked]
        if any(each not in self._replies for each in asked):
            wanted = dict.fromkeys([*asked, *islice(await self._ahead(), _MOST)])
            missing = [each for each in wanted if each not in self._replies]
            self._replies |= zip(missing, await ask(missing), strict=True)
        return [self._replies[each] for each in asked]

    async def _ahead(self) -> list[bytes]:
        """Return what the next dry run looks up."""
        self._noted = noted = list[bytes]()
        try:
            for dry_run in islice(self._dry_runs, 1):
                await dry_run()
        finally:
            self._noted = None
        return noted


current: Final[ContextVar[Prefetch[Any] | None]] = ContextVar("prefetch", default=None)
"""The search that runs."""


@contextmanager
def prefetching(dry_runs: Iterator[DryRun]) -> Iterator[None]:
    """Run a search; `dry_runs` are made where an engine asks for them."""
    token = current.set(Prefetch(dry_runs))
    try:
        yield
    finally:
        current.reset(token)
