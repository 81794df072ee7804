"""Ports for the servers of the tests."""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from typing import Final

BELOW_EPHEMERAL: Final = range(20_000, 32_000)
"""Ports that the kernel gives to no outgoing connection, which could take one before its server does."""


def free_port() -> int:
    """Return a port that nobody listens on; processes that ask at the same time hardly ever get the same."""
    while True:
        port = random.SystemRandom().choice(BELOW_EPHEMERAL)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
