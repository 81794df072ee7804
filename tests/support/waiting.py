"""Waiting for a condition, for as long as a busy machine may need: no test depends on how fast the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

Value = TypeVar("Value")

PATIENCE: Final = 120.0
"""Seconds after which a condition counts as never met: far beyond what a machine busy with other work needs."""

_INTERVAL: Final = 0.02


def until(condition: Callable[[], Value], within: float = PATIENCE) -> Value:
    """Return the first true value of `condition()`, evaluated again and again; fail when there is none in time."""
    deadline = time.monotonic() + within
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not met within {within:.0f} s"
        time.sleep(_INTERVAL)
    return value
