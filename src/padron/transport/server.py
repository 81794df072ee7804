"""The server: listening sockets, worker processes under a supervisor, and what each of them runs."""

from __future__ import annotations

import asyncio
import ctypes
import mmap
import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkProcess
from threading import Thread
from typing import Final, Literal

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
_ENDING: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_PR_SET_PDEATHSIG: Final = 1
"""Option of prctl (<linux/prctl.h>): the signal that a process gets when its parent dies."""


Work = Callable[[int, Callable[[], None]], None]
"""The work of a process; called in it with the number of processes replaced so far and with its beat: once it has
called that it does so again and again, and is killed if it stops."""


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
            app: The application.
            listening: The socket.
            connections: The connections it will have.
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
        self._acceptor = Acceptor(self._listening, self._connection)

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

    def __init__(self, work: Work, replaced: int) -> None:
        self._count = mmap.mmap(-1, 1)
        self._seen = self._seconds = 0
        arguments = (work, replaced, self._beat, os.getpid())
        self.process = multiprocessing.get_context("fork").Process(target=_run, args=arguments)
        self.process.start()
        self.started = time.monotonic()

    def _beat(self) -> None:
        self._count[0] = self._count[0] % 255 + 1

    def is_stuck(self) -> bool:
        """Return whether it began to beat and has stopped; called each second."""
        count = self._count[0]
        self._seconds = self._seconds + 1 if count and count == self._seen else 0
        self._seen = count
        return self._seconds >= STUCK


def supervise(work: Work, workers: int, lost: Callable[[ForkProcess], None]) -> None:
    """Keep so many processes at work until SIGTERM, SIGINT or SIGHUP; then each has a moment to end.

    They die with this one. SIGHUP ends nothing where it is ignored at the start, as under `nohup`.

    Args:
        work: The work of one.
        workers: The number of processes.
        lost: Called with a process that ended by itself or was killed, before another one replaces it.
    """
    ending = _ENDING - {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else _ENDING
    handled = ending | {signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    replaced = 0
    running = [_Worker(work, replaced) for _ in range(workers)]
    look = time.monotonic() + 1
    while True:
        received = signal.sigtimedwait(handled, max(0.0, look - time.monotonic()))
        if received is not None and received.si_signo != signal.SIGCHLD:
            return _end(running)
        if time.monotonic() >= look:
            look = time.monotonic() + 1
            for worker in running:
                if worker.is_stuck():
                    worker.process.kill()
        for place, worker in enumerate(running):
            if worker.process.is_alive():
                continue
            lost(worker.process)
            replaced += 1
            if time.monotonic() - worker.started < _YOUNG and signal.sigtimedwait(ending, _PAUSE):
                return _end(running)
            running[place] = _Worker(work, replaced)


def _run(work: Work, replaced: int, beat: Callable[[], None], parent: int) -> None:
    """Do the work, in its own process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return  # it died before it could be asked for
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal sends it to all; the supervisor ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_ENDING, signal.SIGCHLD})
    work(replaced, beat)


def _end(running: Sequence[_Worker]) -> None:
    """End the processes: those that do not answer what they have in time are killed."""
    for worker in running:
        worker.process.terminate()
    deadline = time.monotonic() + DRAIN + _LIFESPAN
    for worker in running:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        worker.process.kill()
        worker.process.join()
