"""The nodes of an OpenSearch cluster: which one is asked, which one besides, and when none is asked for a while."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from time import monotonic
from typing import Any, Final, TypeVar

from opensearchpy import AsyncOpenSearch
from opensearchpy.serializer import Serializer

from padron.errors import Unavailable
from padron.index.opensearch_address import Address

T = TypeVar("T")

_LATE: Final = 0.25
"""Seconds after which another node is asked too: ten times what a look-up takes."""
_TRIED: Final = 2
"""Nodes that are asked although they are late, too: a busy cluster is not asked even more."""
_FAILURES: Final = 5
"""Requests that fail one after the other until the cluster counts as down."""
_PAUSE: Final = 1.0
"""Seconds between two requests that try whether a cluster that is down is back, or a node that was avoided."""


class _Undecoded(Serializer):
    """Bodies as they are: requests are encoded and answers decoded here, by their types."""

    mimetype = "application/json"

    def loads(self, s: str) -> Any:
        return s

    def dumps(self, data: Any) -> Any:
        return data


class _Node:
    """A node that is asked. `prompt`: whether its last answer came in time; `answered`: when the last such one came."""

    def __init__(self, client: AsyncOpenSearch) -> None:
        self.client = client
        self.prompt = True
        self.answered = self.asked = 0.0

    async def answer(self, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> T:
        """Return the answer to a request; in the meantime, and by how it ends, the node is prompt or not."""
        loop = asyncio.get_running_loop()
        self.asked = loop.time()
        end = self.asked + _LATE
        late = loop.call_at(end, self._is_late)
        in_time = False
        try:
            answer = await request(self.client)
            now = loop.time()
            if in_time := now < end:
                self.answered = now
        finally:
            late.cancel()
            self.prompt = in_time
        return answer

    def _is_late(self) -> None:
        self.prompt = False


class Nodes:
    """The nodes of a cluster, asked in turn.

    One that fails or is late is avoided, until it answers a request in time that another node is asked as well: nobody
    waits to know whether it is back.
    """

    def __init__(self, clients: Sequence[AsyncOpenSearch]) -> None:
        self._nodes = [_Node(client) for client in clients]
        self._under_way: set[asyncio.Task[Any]] = set()

    async def first_answer(self, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> T:
        """Ask a node, another one where it fails or is late, and more where those fail, or are late and others prompt.

        Raises what the last of the nodes to fail has raised.
        """
        self._nodes.append(self._nodes.pop(0))
        waiting, attempts = [*self._nodes], set[asyncio.Task[T]]()
        due = True
        while True:
            if due and waiting:
                node = min(waiting, key=_precedence)
                waiting.remove(node)
                attempts.add(self._begin(node, request))
                if node.prompt:
                    self._try_others(waiting, request)
            done, attempts = await asyncio.wait(
                attempts, timeout=_LATE if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                if attempt.exception() is None:
                    return attempt.result()
            if not (attempts or waiting):
                return done.pop().result()
            due = bool(done) or len(attempts) < _TRIED or any(node.prompt for node in waiting)

    def _try_others(self, nodes: Iterable[_Node], request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> None:
        """Ask each node that is avoided, now and then."""
        now = asyncio.get_running_loop().time()
        for node in nodes:
            if not node.prompt and now >= node.asked + _PAUSE:
                self._begin(node, request)

    def _begin(self, node: _Node, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> asyncio.Task[T]:
        """Begin an attempt, which goes on where another one has answered."""
        attempt = asyncio.get_running_loop().create_task(node.answer(request))
        self._under_way.add(attempt)
        attempt.add_done_callback(self._ended)
        return attempt

    def _ended(self, attempt: asyncio.Task[Any]) -> None:
        self._under_way.discard(attempt)
        if not attempt.cancelled():
            attempt.exception()  # seen, where another attempt has answered


def _precedence(node: _Node) -> float:
    """Rank prompt nodes first, then by how recently they were."""
    return -math.inf if node.prompt else -node.answered


async def connected(address: Address) -> AsyncGenerator[list[AsyncOpenSearch]]:
    """Yield a client of each node; they close when nobody holds this, at the latest with the event loop."""
    known = address.connection()
    clients = [
        AsyncOpenSearch(
            **known | {"hosts": [host]}, timeout=address.timeout, max_retries=0, serializer=_Undecoded(), maxsize=100
        )
        for host in known["hosts"]
    ]
    try:
        yield clients
    finally:
        for client in clients:
            await client.close()


class Breaker:
    """Circuit breaker: after some failures in a row one request per pause passes, until an answer comes."""

    def __init__(self) -> None:
        self._failures = 0
        self._closed_until = 0.0

    def admit(self) -> None:
        """Raise `Unavailable` while the cluster counts as down, except for the request that tries again."""
        if self._failures >= _FAILURES:
            if monotonic() < self._closed_until:
                raise Unavailable("engine-unavailable", reason="down")
            self._closed_until = monotonic() + _PAUSE

    def succeeded(self) -> None:
        """Count an answer."""
        self._failures = 0

    def failed(self) -> None:
        """Count a failure."""
        self._failures += 1
        self._closed_until = monotonic() + _PAUSE
