"""The server: listening sockets, worker processes under a supervisor, and what each of them runs."""

from __future__ import annotations

import asyncio
import ctypes
import mmap
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Collection
from functools import partial
from threading import Thread
from typing import Final, Literal, NoReturn

import uvicorn
from starlette.types import ASGIApp

from padron.transport.acceptor import Acceptor
from padron.transport.connections import Connection, Connections

DRAIN: Final = 10
"""Seconds a worker has to answer what it has accepted, after SIGTERM."""
BACKLOG: Final = 4_096
"""Connections that wait to be accepted; the system allows no more by default."""
_SPARE_FILES: Final = 256
"""Open files that a worker needs besides its connections."""
_LIFESPAN: Final = 5
"""Seconds that a worker has to write what it holds, after the last answer."""
_YOUNG: Final = 5.0
"""Seconds: a worker that ends earlier than this may end again at once."""
_PAUSE: Final = 1.0
"""Seconds until such a worker is replaced."""
STUCK: Final = 30
"""Seconds without a beat after which a worker is killed. They are counted, a beat looked for in each: of a machine that
was suspended none is taken for stuck."""
STARTING: Final = 600
"""Seconds, counted alike, that a worker has until its first beat: it reads all of a release before."""
_ENDING: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_PR_SET_PDEATHSIG: Final = 1
"""Option of prctl (<linux/prctl.h>): the signal that a process gets when its parent dies."""


Work = Callable[[int, int, Callable[[], None]], None]
"""The work of a process; called in it with its place (from 0 on, that of the one it replaces), the number of processes
replaced so far and its beat, which it calls again and again: it is killed if it stops."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `OSError`, as when the port is in use."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def connection_room() -> int:
    """Raise the limit of open files as far as it goes, and return how many connections it leaves room for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return max(1, most - _SPARE_FILES) if most != resource.RLIM_INFINITY else sys.maxsize


class Listener(uvicorn.Server):
    """An application on a socket with its own connections, and another one beside it, on its own socket and thread.

    Whatever holds up the event loop of the first, the second answers.
    """

    def __init__(
        self,
        app: ASGIApp,
        listening: socket.socket,
        connections: Connections,
        *,
        beside: Listener | None = None,
        lifespan: Literal["on", "off"] = "on",
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to serve.

        Args:
            beside: Another listener, which begins and ends with this one.
            lifespan: Whether the application has one.
            tick: Called in each turn of the main loop, ten times a second if it is free.
        """
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            loop="uvloop",
            lifespan=lifespan,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_graceful_shutdown=DRAIN,
        )
        super().__init__(config)
        config.load()
        self.lifespan = config.lifespan_class(config)
        self.server_state = self._connections = connections
        self._listening = listening
        self._beside = beside
        self._tick = tick

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, beside first."""
        if self._beside:
            self._thread = Thread(target=self._beside.run, name="operations", daemon=True)
            self._thread.start()
        await super().startup([])
        self._acceptor = Acceptor(self._listening, self._connection, self._connections)

    async def on_tick(self, counter: int) -> bool:
        """Close what is overdue, ten times a second; return whether to end."""
        self._connections.close_overdue(asyncio.get_running_loop().time())
        self._tick()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is accepted, here and beside."""
        if self._beside:
            self._beside.should_exit = True
        await self._acceptor.close()
        await super().shutdown([self._listening])
        if self._beside:
            await asyncio.to_thread(self._thread.join, DRAIN)  # it has drained at the same time

    def _connection(self) -> Connection:
        return Connection(self.config, self._connections, self.lifespan.state)


class _Worker:
    """A process at work. It beats by counting from 1 to 255 and on from 1 in memory that both sides see."""

    def __init__(self, work: Work, place: int, replaced: int) -> None:
        """Begin. Raises `OSError` where the system starts no other process now."""
        self._count = mmap.mmap(-1, 1)
        self._seen = self._seconds = 0
        self._ended: int | None = None
        self.started = time.monotonic()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            _run(partial(work, place, replaced, self._beat), parent)

    def _beat(self) -> None:
        self._count[0] = self._count[0] % 255 + 1

    def is_stuck(self) -> bool:
        """Return whether it has stopped beating, or does not begin; called each second."""
        count = self._count[0]
        self._seconds = self._seconds + 1 if count == self._seen else 0
        self._seen = count
        return self._seconds >= (STUCK if count else STARTING)

    def ended(self) -> int | None:
        """Return the exit code, negative for the signal that ended it; None while it is at work."""
        if self._ended is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._ended = os.waitstatus_to_exitcode(status) if pid else None
        return self._ended

    def send(self, signal_: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.ended() is None:
            os.kill(self._pid, signal_)


def supervise(work: Work, workers: int, lost: Callable[[int, int], None], refused: Callable[[OSError], None]) -> None:
    """Keep so many processes at work until SIGTERM, SIGINT or SIGHUP; then each has a moment to end.

    They die with this one. SIGHUP ends nothing where it is ignored at the start, as under `nohup`.

    Args:
        lost: Called with the place of a process that ended by itself or was killed, and with its exit code, negative
            for a signal, before another one replaces it.
        refused: Called with the reason why the system starts no other process now, as with no memory left; it is asked
            again in a second at the latest.
    """
    ending = _ENDING - {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else _ENDING
    handled = ending | {signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored the exit codes of children are lost
    signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    replaced = 0
    running: dict[int, _Worker] = {}
    look = time.monotonic() + 1
    while True:
        for place in set(range(workers)) - running.keys():
            try:
                running[place] = _Worker(work, place, replaced)
            except OSError as error:
                refused(error)
        received = signal.sigtimedwait(handled, max(0.0, look - time.monotonic()))
        if received is not None and received.si_signo != signal.SIGCHLD:
            return _end(running.values())
        if time.monotonic() >= look:
            look = time.monotonic() + 1
            _kill_stuck(running.values())
        is_young = False
        for place, worker in list(running.items()):
            if (code := worker.ended()) is None:
                continue
            del running[place]
            lost(place, code)
            replaced += 1
            is_young = is_young or time.monotonic() - worker.started < _YOUNG
        if is_young and signal.sigtimedwait(ending, _PAUSE):
            return _end(running.values())


def _kill_stuck(running: Collection[_Worker]) -> None:
    for worker in running:
        if worker.is_stuck():
            worker.send(signal.SIGKILL)


def _run(work: Callable[[], None], parent: int) -> NoReturn:
    """Do the work, in its own process, and end that."""
    code = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:  # else it died before this could be asked for
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal sends it to all; the supervisor ends this process
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_ENDING, signal.SIGCHLD})
            work()
        code = 0
    except SystemExit as end:  # as that of uvicorn, whose application does not start
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _end(running: Collection[_Worker]) -> None:
    """End the processes: those that do not answer what they have in time are killed."""
    for worker in running:
        worker.send(signal.SIGTERM)
    deadline = time.monotonic() + DRAIN + _LIFESPAN
    while any(worker.ended() is None for worker in running) and (left := deadline - time.monotonic()) > 0:
        signal.sigtimedwait({signal.SIGCHLD}, min(left, 1.0))
    for worker in running:
        worker.send(signal.SIGKILL)
    while any(worker.ended() is None for worker in running):
        signal.sigtimedwait({signal.SIGCHLD}, 1.0)
