"""Work on bytes in other processes, one per core, with results in the order of the requests.

For builds and lists: what describes and what finds companies is Python, of which a process runs one thread at a time.
Such a process is a fresh interpreter that loads the module of the work and nothing of the caller's, whose main module
pools of the standard library would load (the whole command line: a second). It ends where its connection does, so none
outlives a caller that was killed.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Final

from padron.errors import Unavailable

Work = Callable[[bytes], bytes]

PROCESSES: Final = min(os.cpu_count() or 1, 4)
"""One per core, at most four: the caller's share of the work on a company is two thirds of theirs."""

_AHEAD: Final = 2
"""Requests in hand for each process: one that it works on, one that waits for it."""

_COLLECTED: Final = 100_000
"""Objects that are made before the collector looks for cycles: work on bytes makes none, and looking after every 700
objects, as it does by default, took a fifth of the time."""

_PROGRAM: Final = """\
import sys
sys.path = {path!r}
from padron.index.process_pool import answer
from {module} import {name}
answer({name}, {connection})
"""


def apply(work: Work, requests: Iterable[bytes], count: int = PROCESSES) -> Generator[bytes]:
    """`work`, a function of a module, of each of `requests`, in their order; few of them are in memory at a time.

    Raises:
        Unavailable: `build-process-lost`, a process ended before its work did; what it raised it has written to
            standard error.
    """
    idle: SimpleQueue[_Process] = SimpleQueue()
    pending: deque[Future[bytes]] = deque()

    def ask(request: bytes) -> bytes:
        process = idle.get()
        try:
            return process.ask(request)
        finally:
            idle.put(process)

    with ExitStack() as stack:
        stack.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(_COLLECTED)
        processes = [_Process(work, stack) for _ in range(count)]
        threads = stack.enter_context(ThreadPoolExecutor(count))
        for process in processes:
            stack.callback(process.kill)
            idle.put(process)
        for request in requests:
            if len(pending) == _AHEAD * count:
                yield pending.popleft().result()
            pending.append(threads.submit(ask, request))
        while pending:
            yield pending.popleft().result()


class _Process:
    """A process that works, for one caller at a time, until `stack` is left."""

    def __init__(self, work: Work, stack: ExitStack) -> None:
        ours, theirs = Pipe()
        self._connection = stack.enter_context(ours)
        with theirs:
            connection = theirs.fileno()
            program = _PROGRAM.format(path=sys.path, module=work.__module__, name=work.__name__, connection=connection)
            self._process = stack.enter_context(
                subprocess.Popen(  # noqa: S603 - our own interpreter and program
                    [sys.executable, "-c", program],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[connection],
                    process_group=0,
                )
            )
        self.kill = self._process.kill

    def ask(self, request: bytes) -> bytes:
        """Return the result of the work on `request`."""
        try:
            self._connection.send_bytes(request)
            return self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise Unavailable("build-process-lost", status=self._process.wait()) from error


def answer(work: Work, connection: int) -> None:
    """Answer the requests of a connection until it closes."""
    gc.set_threshold(_COLLECTED)
    with Connection(connection) as asked, suppress(EOFError, ConnectionError):
        while True:
            asked.send_bytes(work(asked.recv_bytes()))
