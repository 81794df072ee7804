"""Work for `padron.index.process_pool`: its processes load it as a module."""

from __future__ import annotations

import os
import signal
import time


def double(request: bytes) -> bytes:
    """Twice the request; the first ones take longest."""
    time.sleep(0.02 / (1 + int(request)))
    return request * 2


def who(request: bytes) -> bytes:
    """The process that answers."""
    return str(os.getpid()).encode() + request[:0]


def die(request: bytes) -> bytes:
    """Die by a signal at the fifth request."""
    if request == b"5":
        os.kill(os.getpid(), signal.SIGKILL)
    return request


def fail(request: bytes) -> bytes:
    """Raise `ValueError`."""
    raise ValueError(request)
