"""Sliding windows and daily quotas, counted once for all workers: in memory they share, or in Redis.

Embedded, the counters are a file mapped into every worker (`Shared`), so several workers hold one limit together; a
lock on that file makes each step whole, and the kernel frees it when a worker is killed. With Redis (`Distributed`)
one script takes from all quotas of a request, so that a call costs one round trip; while Redis is gone, each machine
keeps its own count.

A sliding window is two counters, this window's and the one before, the latter weighted by how much of it the last
`window` seconds still cover, as the library `limits` counts one (why not by it: `docs/decisions`). A request that is
refused is not counted. Daily quotas begin at midnight UTC.
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

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

DAY: Final = 86_400


class Quota(NamedTuple):
    """How many requests one client may make in `window` seconds; `sliding`, or else in each window of the clock."""

    name: str
    amount: int
    window: int
    sliding: bool = True


class Ask(NamedTuple):
    """One request to be taken from a quota. `known` is a count to begin with, where none is remembered."""

    quota: Quota
    client: str
    known: int = 0


class Spent(NamedTuple):
    """What is left after asking: `reset` is whole seconds until more is granted, or until the window ends."""

    granted: bool
    remaining: int
    reset: int


class Windows(Protocol):
    """Counters of all quotas. A client is any text that stands for one; it is never logged."""

    async def take(self, asks: Sequence[Ask]) -> list[Spent]:
        """Take one request from each quota, or from none behind the first that refuses."""

    async def give_back(self, quota: Quota, client: str) -> None:
        """Undo one `take`, of this window."""


def judge(quota: Quota, granted: bool, current: int, before: int, now: float) -> Spent:
    """What counters come to. `current` holds this request if it was granted; `before` is the last window's count."""
    past = now % quota.window
    left = quota.window - past
    used = _used(quota, current, before, now)
    spent = quota.sliding and not granted and used >= quota.amount
    wait = _wait(quota, current, before, past) if spent else left
    return Spent(granted, max(0, quota.amount - math.floor(used)), math.floor(wait) + 1)


def _used(quota: Quota, current: int, before: int, now: float) -> float:
    weight = 1 - now % quota.window / quota.window if quota.sliding else 0
    return before * weight + current


def _wait(quota: Quota, current: int, before: int, past: float) -> float:
    """Seconds after which a sliding window that is spent grants one more: when less than its amount weighs."""
    if current < quota.amount:
        return quota.window * (1 - (quota.amount - current) / before) - past
    return quota.window - past + quota.window * (1 - quota.amount / current)


class Shared:
    """Counters in memory mapped by all workers of a machine, in `places` of 32 bytes: 4 MB.

    Each client and quota has eight places it can stand in; when all are taken, the one whose window ends first is
    forgotten, which gives that client its quota back early. Without a `path` the memory is this process's own.
    """

    _PLACE = struct.Struct("<16sIIII")  # client and quota, window, number of the window, its count, the count before
    _BUCKET: Final = 8

    def __init__(self, path: Path | None = None, places: int = 1 << 17) -> None:
        self._buckets = places // self._BUCKET
        self._file = -1
        size = places * self._PLACE.size
        if path is not None:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(self._file, size)
        self._map = mmap.mmap(self._file, size)

    async def take(self, asks: Sequence[Ask]) -> list[Spent]:
        """As `Windows.take`."""
        return self.take_now(asks)

    def take_now(self, asks: Sequence[Ask]) -> list[Spent]:
        """As `take`; it never waits for anything but another worker's step of a few microseconds."""
        now, spent, open_ = time.time(), [], True
        names = [_name(quota, client) for quota, client, _ in asks]
        self._lock()
        try:
            for (quota, _, known), name in zip(asks, names, strict=True):
                place, window, current, before = self._find(name, quota.window, now)
                if not quota.sliding:
                    current = max(current, known)
                open_ = open_ and _used(quota, current, before, now) < quota.amount
                if open_:
                    current += 1
                    self._PLACE.pack_into(self._map, place, name, quota.window, window, current, before)
                spent.append((quota, open_, current, before))
        finally:
            self._unlock()
        return [judge(*found, now) for found in spent]

    async def give_back(self, quota: Quota, client: str) -> None:
        """As `Windows.give_back`."""
        now, name = time.time(), _name(quota, client)
        self._lock()
        try:
            place, window, current, before = self._find(name, quota.window, now)
            if current:
                self._PLACE.pack_into(self._map, place, name, quota.window, window, current - 1, before)
        finally:
            self._unlock()

    def _find(self, name: bytes, length: int, now: float) -> tuple[int, int, int, int]:
        """The place of a client's counters: offset, window number, count, count before."""
        window, size = int(now // length), self._PLACE.size
        base = int.from_bytes(name[:4], "little") % self._buckets * self._BUCKET * size
        end = base + self._BUCKET * size
        place = self._map.find(name, base, end)
        if place < 0:
            return min(range(base, end, size), key=self._ends), window, 0, 0
        _, _, number, current, before = self._PLACE.unpack_from(self._map, place)
        if number == window:
            return place, window, current, before
        return place, window, 0, current if number == window - 1 else 0

    def _ends(self, place: int) -> int:
        """When the window that a place counts is over; 0 for one that was never taken."""
        _, length, number, _, _ = self._PLACE.unpack_from(self._map, place)
        return int((number + 1) * length)

    def _lock(self) -> None:
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def _unlock(self) -> None:
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _name(quota: Quota, client: str) -> bytes:
    """What stands for a client and quota in sixteen bytes."""
    return blake2b(f"{quota.name}\0{client}".encode(), digest_size=16).digest()


_TAKE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local open = 1
local out = {tostring(now)}
for n, key in ipairs(KEYS) do
  local amount, window = tonumber(ARGV[n * 4 - 3]), tonumber(ARGV[n * 4 - 2])
  local sliding, known = ARGV[n * 4 - 1] == '1', tonumber(ARGV[n * 4])
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
  if open == 1 and used + current < amount then
    current = current + 1
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


class Distributed:
    """Counters in Redis, for all workers of all machines. Its clock counts, not theirs.

    When Redis does not answer within `PATIENCE` seconds, `local` counts, `lost` says so, and no request waits any more:
    Redis is asked beside them every `AGAIN` seconds until it answers. Patience is long, because a worker on a machine
    without a free processor misses answers that came in time.
    """

    PATIENCE: Final = 3.0
    CONNECTIONS: Final = 16
    AGAIN: Final = 1.0

    def __init__(self, url: str, local: Shared, *, told: Callable[[bool], None] = lambda lost: None) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=self.CONNECTIONS,
            timeout=self.PATIENCE,
            socket_timeout=self.PATIENCE,
            socket_connect_timeout=self.PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        self._redis: Redis = Redis.from_pool(pool)
        self._take: Any = self._redis.register_script(_TAKE)
        self._return: Any = self._redis.register_script(_GIVE_BACK)
        self._local = local
        self._told = told
        self._search: asyncio.Task[None] | None = None
        self.lost = False

    async def take(self, asks: Sequence[Ask]) -> list[Spent]:
        """As `Windows.take`."""
        if self.lost:
            return self._local.take_now(asks)
        arguments = [part for ask in asks for part in _arguments(ask)]
        try:
            answer = await self._take(keys=[_key(ask.quota, ask.client) for ask in asks], args=arguments)
        except (RedisError, OSError):
            self._lose()
            return self._local.take_now(asks)
        now = float(answer[0])
        return [
            judge(ask.quota, bool(granted), current, before, now)
            for ask, granted, current, before in zip(asks, answer[1::3], answer[2::3], answer[3::3], strict=True)
        ]

    async def give_back(self, quota: Quota, client: str) -> None:
        """As `Windows.give_back`; where it fails, the caller's quota is one less until midnight."""
        if self.lost:
            await self._local.give_back(quota, client)
            return
        try:
            await self._return(keys=[_key(quota, client)], args=[quota.window])
        except (RedisError, OSError):
            self._lose()

    async def ping(self) -> None:
        """One round trip that does nothing: what taking is measured against."""
        await self._redis.ping()

    async def close(self) -> None:
        """Close the connections."""
        if self._search is not None:
            self._search.cancel()
        await self._redis.aclose()

    def _lose(self) -> None:
        if not self.lost:
            self.lost = True
            self._told(True)
            self._search = asyncio.create_task(self._find())

    async def _find(self) -> None:
        """Ask until Redis answers; then it counts again."""
        while self.lost:
            await asyncio.sleep(self.AGAIN)
            with suppress(RedisError, OSError):
                await self.ping()
                self.lost = False
        self._told(False)


def _key(quota: Quota, client: str) -> str:
    return f"padron:{{{client}}}:{quota.name}"


def _arguments(ask: Ask) -> tuple[int, int, int, int]:
    return ask.quota.amount, ask.quota.window, int(ask.quota.sliding), ask.known
