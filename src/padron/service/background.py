"""Background tasks of a worker: each repeated on its own, its faults reported by the part of the service it is of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from inspect import iscoroutinefunction
from typing import Final, NamedTuple

from padron.accounts.store import fault_of
from padron.errors import PadronError

PATIENCE: Final = 8.0
"""Seconds that a start waits for the database of accounts, and after which it counts as not answering."""
AGAIN: Final = 60.0
"""Seconds after which a task that failed is tried again, at most."""

_SHORT: Final = frozenset({"database", "revoked-keys", "usage"})
"""Tasks that take milliseconds where the database of accounts answers."""
_CAUSE: Final = "database"
"""The task of the accounts whose fault is that of all that needs them."""

ReportState = Callable[[str, str | None], None]
"""Report the error of a part (`limits`, `accounts`, `mail`, `webhooks`, `billing`, `plans`); None: it works again."""


class Task(NamedTuple):
    """A task of a part of the service: what it does, and the seconds between two times.

    `act` runs in a thread unless it is a coroutine function. `wake` ends a pause sooner, as when there may be work; at
    the end of the service it must be set too.
    """

    name: str
    part: str
    seconds: float
    act: Callable[[], object]
    wake: asyncio.Event | None = None


class Background:
    """The tasks of a worker, and what each of them fails with."""

    def __init__(self, report: ReportState, succeeded: Callable[[str], None]) -> None:
        self._report = report
        self._succeeded = succeeded
        self.failing: dict[str, dict[str, str]] = {}
        """Faults of the tasks of each part, by their names."""

    async def run(self, tasks: Sequence[Task], stop: asyncio.Event) -> None:
        """Repeat the tasks until `stop`, in a thread each: none waits for another, nor for one that requests occupy."""
        with ThreadPoolExecutor(len(tasks), thread_name_prefix="background") as threads:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    group.create_task(self._repeat(task, stop, threads))

    async def _repeat(self, task: Task, stop: asyncio.Event, threads: Executor) -> None:
        """Do a task now and every so many seconds, sooner after a failure, whatever that is."""
        in_thread = partial(asyncio.get_running_loop().run_in_executor, threads, task.act)
        wake = task.wake or stop
        while not stop.is_set():
            wake.clear()
            act = task.act if iscoroutinefunction(task.act) else in_thread
            succeeded = await self.attempt(task.name, task.part, act)
            await pause(wake, task.seconds if succeeded else min(task.seconds, AGAIN))

    async def attempt(self, name: str, part: str, act: Callable[[], Awaitable[object]]) -> bool:
        """Do the work of a task once; return whether it succeeded, and report what changed by it."""
        wrong: str | None = None
        try:
            working = asyncio.ensure_future(act())  # which may start a thread
            if name in _SHORT and not (await asyncio.wait({working}, timeout=PATIENCE))[0]:
                self._state(name, part, "accounts-unavailable")
            await working
        except PadronError as error:
            wrong = fault_of(error)
        except Exception as error:  # whatever fails, revoked keys must go on being refused
            wrong = type(error).__name__
        else:
            self._succeeded(name)
        self._state(name, part, wrong)
        return wrong is None

    def _state(self, name: str, part: str, wrong: str | None) -> None:
        """Report the state of a part if it changes: what `_CAUSE` fails with, else any task."""
        failing = self.failing.setdefault(part, {})
        before = _cause(failing)
        if wrong is None:
            failing.pop(name, None)
        else:
            failing[name] = wrong
        if (now := _cause(failing)) != before:
            self._report(part, now)


def _cause(failing: dict[str, str]) -> str | None:
    """Return what is wrong with a part by what its tasks fail with, the one that has failed for longest first."""
    return failing.get(_CAUSE) or next(iter(failing.values()), None)


async def pause(wake: asyncio.Event, seconds: float) -> None:
    """Wait, at most until the event: a call in a thread is never interrupted, only not repeated."""
    with suppress(TimeoutError):
        await asyncio.wait_for(wake.wait(), seconds)
