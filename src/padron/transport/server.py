"""The server: listening sockets, worker processes under a supervisor, and what each of them runs."""

from __future__ import annotations

import asyncio
import ctypes
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
_ENDING: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_PR_SET_PDEATHSIG: Final = 1
"""Option of prctl (<linux/prctl.h>): the signal that a process gets when its parent dies."""


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
            tick: Called each second.
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
        if counter % 10 == 0:
            self._tick()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is accepted, here and beside."""
        if self._beside:
            self._beside.should_exit = True
            await asyncio.to_thread(self._thread.join, DRAIN)
        await self._acceptor.close()
        await super().shutdown([self._listening])

    def _connection(self) -> Connection:
        return Connection(self.config, self._connections, self.lifespan.state)


def supervise(work: Callable[[int], None], workers: int, lost: Callable[[ForkProcess], None]) -> None:
    """Keep so many processes at work until SIGTERM, SIGINT or SIGHUP; then each has a moment to end.

    They die with this one. SIGHUP ends nothing where it is ignored at the start, as under `nohup`.

    Args:
        work: The work of one; called in its process with the number of processes replaced so far.
        workers: The number of processes.
        lost: Called with a process that ended by itself, before another one replaces it.
    """
    ending = _ENDING - {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else _ENDING
    handled = ending | {signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    replaced = 0
    running = [_start(work, replaced) for _ in range(workers)]
    while signal.sigwait(handled) == signal.SIGCHLD:
        for place, (process, started) in enumerate(running):
            if process.is_alive():
                continue
            lost(process)
            replaced += 1
            if time.monotonic() - started < _YOUNG and signal.sigtimedwait(ending, _PAUSE):
                return _end(running)
            running[place] = _start(work, replaced)
    return _end(running)


def _start(work: Callable[[int], None], replaced: int) -> tuple[ForkProcess, float]:
    """Return a new process and when it was started."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=(work, replaced, os.getpid()))
    process.start()
    return process, time.monotonic()


def _run(work: Callable[[int], None], replaced: int, parent: int) -> None:
    """Do the work, in its own process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return  # it died before it could be asked for
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal sends it to all; the supervisor ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_ENDING, signal.SIGCHLD})
    work(replaced)


def _end(running: Sequence[tuple[ForkProcess, float]]) -> None:
    """End the processes: those that do not answer what they have in time are killed."""
    for process, _ in running:
        process.terminate()
    deadline = time.monotonic() + DRAIN + _LIFESPAN
    for process, _ in running:
        process.join(max(0.0, deadline - time.monotonic()))
        process.kill()
        process.join()
