"""Rate limits: sliding windows and daily quotas, counted for all workers together, in shared memory or in Redis.

Without Redis the counters are a file mapped into every worker (`LocalRateLimiter`). A lock on that file makes each
update atomic, and the kernel releases it when a worker is killed. With Redis (`RedisRateLimiter`) one script counts
against all quotas of a request, so that a call costs one round trip; while Redis cannot be reached, each machine counts
its own requests.

A sliding window is estimated from two counters: the current window, and the previous one weighted by the share of it
that the last `window` seconds still cover. The library `limits` estimates alike (why not by it: `docs/decisions`). A
refused request is not counted. Daily quotas begin at midnight UTC.
"""

from __future__ import annotations

import asyncio
import fcntl
import math
import mmap
import os
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from padron.config import Limits
from padron.errors import Unavailable
from padron.threads import OwnTurns

DAY: Final = 86_400
_SLOTS: Final = 1 << 17
_SLOT: Final = struct.Struct("<16sIIII")  # client and quota, window, number of the window, its count, the count before


class Quota(NamedTuple):
    """A number of requests that one client may make in `window` seconds: a sliding window, or windows of the clock."""

    name: str
    amount: int
    window: int
    sliding: bool = True


class QuotaRequest(NamedTuple):
    """A request to be counted against a quota, `cost` times or not at all.

    `known` is the count to start from when there is no counter yet.
    """

    quota: Quota
    client: str
    known: int = 0
    cost: int = 1


class QuotaState(NamedTuple):
    """State of a quota after a request: `reset` is whole seconds until more is granted, or until the window ends."""

    granted: bool
    remaining: int
    reset: int


class RateLimiter(Protocol):
    """Counters of all quotas. A client is identified by any text; it is never logged."""

    async def take(self, requests: Sequence[QuotaRequest]) -> list[QuotaState]:
        """Count a request against each quota, up to the first that refuses it."""

    async def give_back(self, quota: Quota, client: str) -> None:
        """Undo one `take` of the current window."""


def quota_state(quota: Quota, granted: bool, current: int, before: int, now: float) -> QuotaState:
    """Return the state of a quota by its counters.

    Args:
        granted: Whether the request was granted.
        current: Count of the current window, the request included if it was granted.
        now: Seconds since the epoch.

    Returns:
        What is left, and when there is more.
    """
    past = now % quota.window
    left = quota.window - past
    used = _used(quota, current, before, now)
    spent = quota.sliding and used >= quota.amount
    wait = _wait(quota, current, before, past) if spent else left
    return QuotaState(granted, max(0, quota.amount - math.floor(used)), math.floor(wait) + 1)


def _used(quota: Quota, current: int, before: int, now: float) -> float:
    weight = 1 - now % quota.window / quota.window if quota.sliding else 0
    return before * weight + current


def _wait(quota: Quota, current: int, before: int, past: float) -> float:
    """Seconds until an exhausted sliding window grants one more: until its weighted count is below the amount."""
    if current < quota.amount:
        return quota.window * (1 - (quota.amount - current) / before) - past
    return quota.window - past + quota.window * (1 - quota.amount / current)


def allocated(path: Path, slots: int = _SLOTS) -> int:
    """Open a file of counters, which is made where it is not there, with all the disk that it takes.

    A page of a sparse file that a full disk cannot give later kills the process that counts in it.

    Raises:
        Unavailable: `disk-fault`.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)  # where the system allocates by writing, it must not do so over counts
    try:
        size = slots * _SLOT.size
        if os.fstat(file).st_size < size:
            os.posix_fallocate(file, 0, size)
    except OSError as error:
        os.close(file)
        raise Unavailable("disk-fault", folder=str(path.parent), reason=error.strerror) from error
    fcntl.flock(file, fcntl.LOCK_UN)
    return file


class LocalRateLimiter:
    """Counters in memory mapped by all workers of a machine: `slots` of 32 bytes, 4 MB by default.

    Each client and quota can use the eight slots of one bucket. When all are taken, the counter whose window ends first
    is evicted, which resets the quota of that client early. Without a `path` the memory belongs to this process alone.
    """

    _BUCKET: Final = 8

    def __init__(self, path: Path | None = None, slots: int = _SLOTS) -> None:
        """Open the counters. Raises as `allocated`."""
        self._buckets = slots // self._BUCKET
        self._file = -1 if path is None else allocated(path, slots)
        self._map = mmap.mmap(self._file, slots * _SLOT.size)

    async def take(self, requests: Sequence[QuotaRequest]) -> list[QuotaState]:
        return self.take_now(requests)

    def take_now(self, requests: Sequence[QuotaRequest]) -> list[QuotaState]:
        """Do the same as `take`; it waits for nothing but updates by other workers, of a few microseconds each."""
        now, counts, granted = time.time(), [], True
        names = [_name(request.quota, request.client) for request in requests]
        self._lock()
        try:
            for (quota, _, known, cost), name in zip(requests, names, strict=True):
                slot, window, current, before = self._find(name, quota.window, now)
                if not quota.sliding:
                    current = max(current, known)
                granted = granted and _used(quota, current, before, now) + cost - 1 < quota.amount
                if granted:
                    current += cost
                    _SLOT.pack_into(self._map, slot, name, quota.window, window, current, before)
                counts.append((quota, granted, current, before))
        finally:
            self._unlock()
        return [quota_state(*counters, now) for counters in counts]

    async def give_back(self, quota: Quota, client: str) -> None:
        now, name = time.time(), _name(quota, client)
        self._lock()
        try:
            slot, window, current, before = self._find(name, quota.window, now)
            if current:
                _SLOT.pack_into(self._map, slot, name, quota.window, window, current - 1, before)
        finally:
            self._unlock()

    def _find(self, name: bytes, length: int, now: float) -> tuple[int, int, int, int]:
        """The counters of a client: offset of the slot, window number, count, count before."""
        window, size = int(now // length), _SLOT.size
        base = int.from_bytes(name[:4], "little") % self._buckets * self._BUCKET * size
        end = base + self._BUCKET * size
        slot = self._map.find(name, base, end)
        if slot < 0:
            return min(range(base, end, size), key=self._ends), window, 0, 0
        _, _, number, current, before = _SLOT.unpack_from(self._map, slot)
        if number == window:
            return slot, window, current, before
        return slot, window, 0, current if number == window - 1 else 0

    def _ends(self, slot: int) -> int:
        """End of the window that a slot counts; 0 for a slot that was never used."""
        _, length, number, _, _ = _SLOT.unpack_from(self._map, slot)
        return int((number + 1) * length)

    def _lock(self) -> None:
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def _unlock(self) -> None:
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _name(quota: Quota, client: str) -> bytes:
    """A digest of client and quota, in sixteen bytes."""
    return blake2b(f"{quota.name}\0{client}".encode(), digest_size=16).digest()


_TAKE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local open = 1
local out = {tostring(now)}
for n, key in ipairs(KEYS) do
  local amount, window = tonumber(ARGV[n * 5 - 4]), tonumber(ARGV[n * 5 - 3])
  local sliding, known = ARGV[n * 5 - 2] == '1', tonumber(ARGV[n * 5 - 1])
  local cost = tonumber(ARGV[n * 5])
  local number = math.floor(now / window)
  local kept = redis.call('HMGET', key, 'n', 'c', 'b')
  local current, before = 0, 0
  if tonumber(kept[1]) == number then
    current, before = tonumber(kept[2]), tonumber(kept[3])
  elseif tonumber(kept[1]) == number - 1 then
    before = tonumber(kept[2])
  end
  local used = 0
  if sliding then
    used = before * (1 - (now % window) / window)
  else
    current = math.max(current, known)
  end
  if open == 1 and used + current + cost - 1 < amount then
    current = current + cost
    redis.call('HSET', key, 'n', number, 'c', current, 'b', before)
    redis.call('EXPIRE', key, window * 2)
  else
    open = 0
  end
  out[#out + 1] = open
  out[#out + 1] = current
  out[#out + 1] = before
end
return out
"""

_GIVE_BACK = """
local window = tonumber(ARGV[1])
local number = math.floor(tonumber(redis.call('TIME')[1]) / window)
if tonumber(redis.call('HGET', KEYS[1], 'n')) == number then
  redis.call('HINCRBY', KEYS[1], 'c', -1)
end
"""


_TRIED: Final = Quota("tried", 1 << 30, 60)
"""The quota of what is counted to see whether Redis counts."""


class RedisRateLimiter:
    """Counters in Redis, for all workers of all machines; the clock of Redis applies.

    When Redis does not answer within `TIMEOUT` seconds, `local` counts instead, `lost` becomes true, and no request
    waits any more: a background task tries it every `RETRY_EVERY` seconds until it counts again. What came in time
    counts, though a busy worker sees it late: it looks again, three times for `LOOK` seconds. The timeout begins with
    the turn of a request: requests wait for one of the connections in the order in which they came, those of one client
    for `OF_ONE` of them, and where it is lost meanwhile they ask it no more.
    """

    TIMEOUT: Final = 0.15
    LOOK: Final = 0.02
    CONNECTIONS: Final = 16
    OF_ONE: Final = 4
    """Connections for one client, so that its hundreds are neither counted nor answered before the one of another."""
    RETRY_EVERY: Final = 1.0
    TRIED_FOR: Final = 3.0
    """Seconds, for which nobody waits."""

    def __init__(
        self, url: str, local: LocalRateLimiter, *, on_change: Callable[[bool], None] = lambda lost: None
    ) -> None:
        pool = ConnectionPool.from_url(
            url,
            max_connections=self.CONNECTIONS + 1,  # one to try
            retry=Retry(NoBackoff(), 0),
        )
        self._redis: Redis = Redis.from_pool(pool)
        self._take: Any = self._redis.register_script(_TAKE)
        self._return: Any = self._redis.register_script(_GIVE_BACK)
        self._turns = asyncio.Semaphore(self.CONNECTIONS)
        self._own_turns = OwnTurns(self.OF_ONE)
        self._local = local
        self._on_change = on_change
        self._retrying: asyncio.Task[None] | None = None
        self.lost = False

    async def take(self, requests: Sequence[QuotaRequest]) -> list[QuotaState]:
        if self.lost:
            return self._local.take_now(requests)
        keys = [_key(request.quota, request.client) for request in requests]
        arguments = [part for request in requests for part in _arguments(request)]
        answer = await self._run(requests[0].client, self._take, keys, arguments)
        if answer is None:
            return self._local.take_now(requests)
        now = float(answer[0])
        return [
            quota_state(request.quota, bool(granted), current, before, now)
            for request, granted, current, before in zip(
                requests, answer[1::3], answer[2::3], answer[3::3], strict=True
            )
        ]

    async def give_back(self, quota: Quota, client: str) -> None:
        """Implement `RateLimiter.give_back`; if Redis fails, the client loses one request of its daily quota."""
        if self.lost:
            await self._local.give_back(quota, client)
        else:
            await self._run(client, self._return, [_key(quota, client)], [quota.window])

    async def _run(self, client: str, script: Any, keys: list[str], arguments: list[int]) -> Any:
        """Run a script in the turn of a client; return its answer, None if Redis is lost."""
        async with self._own_turns.of(client), self._turns:
            if self.lost:  # while it waited for its turn
                return None
            running = asyncio.ensure_future(script(keys=keys, args=arguments))
            try:
                for seconds in (self.TIMEOUT, self.LOOK, self.LOOK, self.LOOK):
                    if (await asyncio.wait({running}, timeout=seconds))[0]:
                        return running.result()
            except (RedisError, OSError):
                pass
            except asyncio.CancelledError:  # an answer that nobody takes costs less than a new connection
                await asyncio.wait({running}, timeout=self.TIMEOUT)
                raise
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)  # its connection is free before its turn is
            self._lose()
            return None

    async def close(self) -> None:
        """Close the connections."""
        if self._retrying is not None:
            self._retrying.cancel()
        await self._redis.aclose()

    def _lose(self) -> None:
        if not self.lost:
            self.lost = True
            self._on_change(True)
            self._retrying = asyncio.create_task(self._retry())

    async def _retry(self) -> None:
        """Try to count something in Redis until it takes that: one that is full, or only reads, answers too."""
        while self.lost:
            await asyncio.sleep(self.RETRY_EVERY)
            with suppress(RedisError, OSError):
                async with asyncio.timeout(self.TRIED_FOR):
                    await self._take(keys=[_key(_TRIED, "")], args=_arguments(QuotaRequest(_TRIED, "")))
                self.lost = False
        self._on_change(False)


def _key(quota: Quota, client: str) -> str:
    return f"padron:{{{client}}}:{quota.name}"


def _arguments(request: QuotaRequest) -> tuple[int, int, int, int, int]:
    return request.quota.amount, request.quota.window, int(request.quota.sliding), request.known, request.cost


def rate_limiter_of(limits: Limits, counters: Path | None, on_change: Callable[[bool], None]) -> RateLimiter | None:
    """Return the counters of requests, or None if limits are switched off.

    Args:
        counters: The file in which the workers of this machine count together.
        on_change: Called when Redis is lost (true), and when it is back.
    """
    if not limits.enabled:
        return None
    shared = LocalRateLimiter(counters)
    return RedisRateLimiter(limits.url, shared, on_change=on_change) if limits.url else shared
