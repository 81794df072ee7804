"""How often one client may ask: the table of quotas, and who has spent how much of them.

Counting is done by `limits` (fixed windows that begin with a client's first request). Its own memory storage sweeps
every counter a hundred times a second and has no ceiling: with 200,000 addresses that alone halves the speed of a hit.
`Counters` holds at most a given number and looks only at the one it is asked about. Each worker counts for itself.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from functools import lru_cache
from typing import NamedTuple

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter


class Quota(NamedTuple):
    """How many requests one client may make in `window` seconds."""

    name: str
    amount: int
    window: int


SEARCH = Quota("search", 120, 60)
LOOKUP = Quota("lookup", 300, 60)
"""Searches; single companies and coverage."""


class Spent(NamedTuple):
    """What a client has left of a quota after asking; `reset` is whole seconds until it is full again."""

    granted: bool
    remaining: int
    reset: int


class Counters(Storage):
    """Counters in the memory of one process, at most `most`: beyond that, the one longest unused is forgotten.

    A counter takes some 300 bytes, so the default holds 30 MB. Forgetting gives a client its quota back early.
    """

    STORAGE_SCHEME = ["padron-memory"]  # noqa: RUF012 - the library's own type

    def __init__(self, most: int = 100_000) -> None:
        super().__init__()
        self._most = most
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()

    @property
    def base_exceptions(self) -> type[Exception]:
        """What can fail: nothing outside this process."""
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add `amount`; a counter that is new or has expired begins a window of `expiry` seconds."""
        now = time.time()
        count, until = self._counters.get(key, (0, 0.0))
        if until <= now:
            count, until = 0, now + expiry
        self._counters[key] = (count + amount, until)
        self._counters.move_to_end(key)
        if len(self._counters) > self._most:
            self._counters.popitem(last=False)
        return count + amount

    def get(self, key: str) -> int:
        """The count in the present window."""
        count, until = self._counters.get(key, (0, 0.0))
        return count if until > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """When the present window ends, in seconds since the epoch; now where there is none."""
        return max(self._counters.get(key, (0, 0.0))[1], time.time())

    def check(self) -> bool:
        """Memory is always there."""
        return True

    def reset(self) -> int:
        """Forget every counter; how many there were."""
        count = len(self._counters)
        self._counters.clear()
        return count

    def clear(self, key: str) -> None:
        """Forget one counter."""
        self._counters.pop(key, None)


class Limiter:
    """Spends quotas. A client is any text that stands for one: never a person's data, and never logged."""

    def __init__(self, storage: Storage | None = None) -> None:
        self._windows = FixedWindowRateLimiter(storage or Counters())

    def spend(self, quota: Quota, client: str) -> Spent:
        """Take one request of `client` from `quota`."""
        item = _item(quota)
        granted = self._windows.hit(item, client)
        ends, remaining = self._windows.get_window_stats(item, client)
        return Spent(granted, remaining, max(1, math.ceil(ends - time.time())))


@lru_cache
def _item(quota: Quota) -> RateLimitItem:
    return RateLimitItemPerSecond(quota.amount, quota.window, namespace=quota.name)
