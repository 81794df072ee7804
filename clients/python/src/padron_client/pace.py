"""Pacing of the calls of one client: one gate for all its threads or tasks, so that a burst keeps to the plan.

Answers state what a plan has left (`RateLimit`) and how long to wait (`Retry-After`). The gate lets as many calls go at
once as are left, and while none is, nothing until then. It waits for nothing itself: `Padron` and `AsyncPadron` queue
their calls before it, and only the first in the queue waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import uniform
from threading import Lock
from time import monotonic
from typing import Final, Protocol

LONGEST_WAIT: Final = 120.0
"""Seconds that a service may ask for: two of the minutes that plans count in, so that a spent one passes."""

_UNKNOWN, _MOST = 10, 100
"""Calls at once before the first answer, and ever: an HTTP library keeps no more connections."""

_JITTER: Final = 1.1
"""Waits are up to a tenth longer, so that clients which were refused together do not come back together."""

_LEFT = re.compile(r"\br=(\d+)(?:;t=(\d+))?")


class Event(Protocol):
    """A `threading.Event` or an `asyncio.Event`."""

    def set(self) -> object:
        """Wake those who wait."""

    def clear(self) -> object:
        """Let others wait again."""


class Gate:
    """The gate of one client.

    Args:
        answered: Is set whenever a call has ended.
    """

    def __init__(self, answered: Event) -> None:
        self._answered = answered
        self._lock = Lock()
        self._under_way = 0
        self._left = _UNKNOWN
        self._opens = 0.0

    def delay(self) -> float | None:
        """Seconds until a call may be sent, or None: once a call has ended. 0 counts it as sent."""
        with self._lock:
            self._answered.clear()
            wait = self._opens - monotonic()
            if wait > 0:
                return wait
            if self._under_way >= max(1, self._left):
                return None
            self._under_way += 1
            return 0

    def ended(self, headers: Mapping[str, str], wait: float | None) -> None:
        """Learn from an answer.

        Args:
            headers: Of the answer; none if none arrived.
            wait: Seconds that the service asks to wait before the next call, if it does.
        """
        quotas = [(int(left), float(reset or 0)) for left, reset in _LEFT.findall(headers.get("ratelimit", ""))]
        with self._lock:
            self._under_way -= 1
            if headers:
                self._left = min([_MOST, *(left for left, _ in quotas)])
            waits = [reset for left, reset in quotas if left == 0] if wait is None else [wait]
            longest = max(waits, default=0.0)
            if 0 < longest <= LONGEST_WAIT:
                self._opens = max(self._opens, monotonic() + longest * uniform(1, _JITTER))  # noqa: S311
            self._answered.set()
