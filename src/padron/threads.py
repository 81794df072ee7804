"""Threads by purpose: what one waits for (a disk, a database, a payment provider) holds up none of the others.

Beside them the turns of those who would fill them, or the event loop.
"""

from __future__ import annotations

from asyncio import CancelledError, Semaphore, shield, sleep, timeout, wait, wrap_future
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from math import inf
from os import register_at_fork
from typing import Final, NoReturn, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from padron.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


def _refuse() -> NoReturn:
    raise Unavailable("busy")


def _refuse_account() -> NoReturn:
    raise Unavailable("accounts-unavailable")


def _refuse_login() -> NoReturn:
    raise Unavailable("accounts-busy")


def _refuse_payment() -> NoReturn:
    raise Unavailable("billing-unavailable")


class OwnTurns:
    """The turns of each client among its own requests: so many at once, and the rest waits for those alone."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._clients: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()

    def of(self, client: str) -> Semaphore:
        """Return the turns of a client: `async with turns.of(client)`."""
        return self._clients.setdefault(client, Semaphore(self._at_once))


class Threads(ThreadPoolExecutor):
    """Threads for one purpose, with bounds on the calls that wait for one of them and on how long each may take."""

    def __init__(
        self,
        purpose: str,
        threads: int,
        most_waiting: float = inf,
        refuse: Callable[[], NoReturn] = _refuse,
        seconds: float | None = None,
    ) -> None:
        """Begin without threads.

        Args:
            threads: How many, at most.
            most_waiting: The most calls that wait for one.
            refuse: Raises `Unavailable` for a call beyond these bounds.
            seconds: The most that a call is waited for; one that was begun goes on, whatever its caller was answered.
        """
        begin = partial(super().__init__, threads, purpose)
        begin()
        register_at_fork(after_in_child=begin)  # a process that is forked has none of the threads
        self.most_waiting = most_waiting
        self._refuse = refuse
        self._seconds = seconds
        self._own_turns = OwnTurns(2)

    def waiting(self) -> int:
        """Return the number of calls that no thread has begun."""
        return self._work_queue.qsize()

    async def call(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `act` in one of the threads.

        A caller that is given up leaves once no thread works for it, or the time of the call is over: what it holds for
        the call, such as its turn, it holds until then.

        Raises:
            Unavailable: Too many calls wait, or this one takes too long.
        """
        if self.waiting() >= self.most_waiting:
            self._refuse()
        call = self.submit(act, *args, **kwargs)
        result = wrap_future(call)
        result.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may fail when nobody waits
        try:
            async with timeout(self._seconds) as limit:
                return await shield(result)
        except TimeoutError:  # a file system, too, may fail with one
            if limit.expired():
                call.cancel()
                self._refuse()
            raise
        except CancelledError:
            if not call.cancel():
                await wait({result}, timeout=self._seconds)
            raise

    async def call_for(self, client: str, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `act` as `call` does; of one client two calls wait there or run, and the others wait for those alone.

        Args:
            client: An account, or the network of one who is not known.

        Raises:
            Unavailable: As `call`.
        """
        async with self._own_turns.of(client):
            return await self.call(act, *args, **kwargs)


async def _take_turn() -> None:
    await sleep(0)


TAKE_TURN: Final[ContextVar[Callable[[], Awaitable[None]]]] = ContextVar("take_turn", default=_take_turn)
"""Waits for another turn of the client of a request; elsewhere, until all others that are ready have had one."""


async def pause() -> None:
    """Let others have their turn between two steps of long work, which all requests of a client share."""
    await TAKE_TURN.get()()


FILES: Final = Threads("files", 4)
"""Releases, suppressions and downloads. Those who wait are as many as there are connections."""
FEEDS: Final = Threads("feeds", 1, 16)
"""Feeds that strangers ask for: changes between releases, which may be wanted among thousands."""
CHANGES: Final = Threads("changes", 2)
"""Changes between releases that holders of keys ask for, and those for messages."""
WEBHOOKS: Final = Threads("webhooks", 4)
"""The database of accounts, asked for messages to be sent."""
ACCOUNTS: Final = Threads("accounts", 8, 512, _refuse_account, 10.0)
"""Short questions to the database of accounts, which may be a server that stands still."""
QUESTION_TURNS: Final = OwnTurns(2)
"""Questions, calls of tools and pages of changes of one account, or of one network without a key: a question may take a
tenth of a second of the event loop, and a page one of the threads of changes. Others wait for a step of two."""
HASHING: Final = Threads("hashing", 2, 16, _refuse_login, 30.0)
"""Passwords, and the database of accounts."""
PAYING: Final = Threads("paying", 8, 64, _refuse_payment)
"""The payment provider, whose client has a time limit of its own."""
EVENTS: Final = Threads("payment-events", 4, 64, _refuse_payment)
"""Events of the payment provider, which do not wait for those who ask it."""
CHECKING: Final = Threads("checking", 4, 32)
"""Names of the hosts that key holders give, whose servers may be silent. Who asks has a time limit of its own."""
RESOLVING: Final = Threads("resolving", 16, 64)
"""Names of the hosts that messages go to, which are not to wait for those. A sender has a time limit of its own."""
REPORTING: Final = Threads("reporting", 1, 16)
"""Keys that others can read: anybody may report a thousand at once."""
METRICS: Final = Threads("metrics", 1, 16)
"""The metrics of all workers, added up."""
LISTS: Final = Threads("lists", 1, 16)
"""Lists uploaded on the site, read and written: their text may be millions of blank lines."""
COLUMNS: Final = Threads("columns", 2, 128)
"""Columns of the lists of key holders, which are not to wait for those of the site."""
BODIES: Final = Threads("bodies", 1, 64)
"""Long bodies in JSON, parsed one at a time: nested values take a tenth of a second, in which nothing else runs."""
DRAWING: Final = Threads("drawing", 1, 16)
"""Images of shared links."""


async def ask_accounts(client: str, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Ask the database of accounts, in the turns of an account, or of a network whose account is not known yet.

    Raises:
        Unavailable: `accounts-unavailable`.
    """
    return await ACCOUNTS.call_for(client, ask, *args, **kwargs)
