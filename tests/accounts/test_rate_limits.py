"""Sliding windows and daily quotas: in shared memory and in Redis alike, exact, and without Redis still there."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

import servers
from padron.accounts.rate_limits import DAY, Ask, Distributed, Quota, Shared
from waiting import until

MINUTE, DAILY = Quota("minute", 10, 60), Quota("day", 5, DAY, sliding=False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, in its one cell; a day begins."""
    return stopped(monkeypatch)


def stopped(patch: pytest.MonkeyPatch) -> list[float]:
    now = [20_000.0 * DAY]
    patch.setattr(time, "time", lambda: now[0])
    return now


def take(windows: Shared, *asks: Ask):
    return windows.take_now(asks)


def test_a_window_slides(clock: list[float]) -> None:
    windows = Shared(places=64)
    ask = Ask(MINUTE, "a")
    assert [take(windows, ask)[0].granted for _ in range(11)] == [True] * 10 + [False]
    assert take(windows, ask)[0] == (False, 0, 61)
    clock[0] += 60
    assert take(windows, ask)[0] == (False, 0, 1)
    clock[0] += 1
    assert take(windows, ask)[0].granted
    clock[0] += 120
    assert take(windows, ask)[0].remaining == 9


@given(st.lists(st.floats(0, 50), max_size=80), st.integers(1, 12))
@settings(max_examples=150)
def test_windows_slide_as_those_of_the_library_and_waiting_helps(pauses: list[float], amount: int) -> None:
    quota, granted = Quota("minute", amount, 60), []
    with pytest.MonkeyPatch.context() as patch:
        clock = stopped(patch)
        windows = Shared(places=64)
        oracle, item = SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerSecond(amount, 60)
        for pause in pauses:
            # Never on the very third of a window, where the library reckons 0.9999… for the 1 that it is.
            clock[0] += pause + 0.0137
            (spent,) = take(windows, Ask(quota, "a"))
            assert spent.granted == oracle.hit(item, "a")
            assert spent.remaining == oracle.get_window_stats(item, "a").remaining
            assert 1 <= spent.reset <= 121
            if not spent.granted:
                clock[0] += spent.reset
                assert take(windows, Ask(quota, "a"))[0].granted
                assert oracle.hit(item, "a")
            granted.append(clock[0])
            assert sum(clock[0] // 60 == moment // 60 for moment in granted) <= amount


def test_a_day_begins_at_midnight_and_knows_what_was_used_before(clock: list[float]) -> None:
    clock[0] += DAY - 1.5
    windows = Shared(places=64)
    assert take(windows, Ask(DAILY, "a", known=4))[0] == (True, 0, 2)
    assert take(windows, Ask(DAILY, "a", known=4))[0] == (False, 0, 2)
    clock[0] += 2
    assert take(windows, Ask(DAILY, "a"))[0].remaining == 4


@pytest.mark.usefixtures("clock")
def test_what_is_refused_first_takes_nothing_from_the_rest() -> None:
    windows = Shared(places=64)
    asks = (Ask(Quota("minute", 1, 60), "a"), Ask(DAILY, "a"))
    assert [spent.granted for spent in take(windows, *asks)] == [True, True]
    assert [spent.granted for spent in take(windows, *asks)] == [False, False]
    assert [spent.reset for spent in take(windows, asks[0], Ask(MINUTE, "a"))] == [61, 61]
    assert take(windows, Ask(DAILY, "a"))[0].remaining == 3


@pytest.mark.usefixtures("clock")
def test_what_is_given_back_can_be_taken_again() -> None:
    windows = Shared(places=64)
    for _ in range(20):
        assert take(windows, Ask(DAILY, "a"))[0].granted
        asyncio.run(windows.give_back(DAILY, "a"))


@pytest.mark.usefixtures("clock")
def test_memory_does_not_grow_and_a_regular_is_not_forgotten_early() -> None:
    windows = Shared(places=4096)
    take(windows, Ask(MINUTE, "regular"))
    for number in range(3000):
        take(windows, Ask(MINUTE, f"passer-by {number}"))
    assert take(windows, Ask(MINUTE, "regular"))[0].remaining == 8


def spend(path: Path, quota: Quota, tries: int) -> int:
    windows = Shared(path, places=64)
    return sum(take(windows, Ask(quota, "a"))[0].granted for _ in range(tries))


def test_processes_hold_one_quota_together(tmp_path: Path) -> None:
    quota = Quota("day", 5_000, DAY, sliding=False)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        granted = pool.starmap(spend, [(tmp_path / "counters", quota, 3_000)] * 4)
    assert sum(granted) == 5_000


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    with servers.redis() as (url, _):
        yield url


@pytest.mark.verify
def test_redis_counts_as_memory_does(redis: str) -> None:
    async def both() -> None:
        shared, distributed = Shared(places=64), Distributed(redis, Shared(places=64))
        try:
            asks = (Ask(Quota("minute", 8, 3_600), "a"), Ask(DAILY, "a", 1))
            for _ in range(12):
                ours, theirs = await shared.take(asks), await distributed.take(asks)
                assert [(one.granted, one.remaining) for one in ours] == [
                    (one.granted, one.remaining) for one in theirs
                ]
                assert all(abs(one.reset - other.reset) <= 2 for one, other in zip(ours, theirs, strict=True))
            for windows in (shared, distributed):
                await windows.give_back(DAILY, "a")
                assert (await windows.take([Ask(DAILY, "a")]))[0].granted
        finally:
            await distributed.close()

    asyncio.run(both())


@pytest.mark.verify
def test_redis_is_exact_under_many_at_a_time(redis: str) -> None:
    quota = Quota("day", 700, DAY, sliding=False)

    async def many() -> int:
        first, second = (Distributed(redis, Shared(places=64)) for _ in range(2))
        gate = asyncio.Semaphore(64)

        async def one(windows: Distributed) -> bool:
            async with gate:
                return (await windows.take([Ask(quota, "b")]))[0].granted

        try:
            return sum(await asyncio.gather(*(one(windows) for windows in (first, second) for _ in range(1_000))))
        finally:
            await first.close()
            await second.close()

    assert asyncio.run(many()) == 700


def count_scripts(windows: Distributed) -> list[object]:
    """A list that grows by each script that is sent to Redis from now on."""
    sent: list[object] = []
    take = windows._take

    async def counted(**arguments: object) -> object:
        sent.append(arguments)
        return await take(**arguments)

    windows._take = counted
    return sent


@pytest.mark.verify
def test_without_redis_the_machine_counts_for_itself_and_says_so() -> None:
    told: list[bool] = []

    async def lose() -> None:
        with servers.redis() as (url, process):
            windows = Distributed(url, Shared(places=64), told=told.append)
            assert (await windows.take([Ask(MINUTE, "a")]))[0].granted
            process.kill()
            process.wait()
            scripts = count_scripts(windows)
            granted = [(await windows.take([Ask(MINUTE, "a")]))[0].granted for _ in range(12)]
            assert granted == [True] * 10 + [False] * 2
            assert len(scripts) == 1, "the first request finds out; the others ask Redis no more"
            assert (windows.lost, told) == (True, [True])
            await windows.give_back(MINUTE, "a")
            await windows.close()

    asyncio.run(lose())


@pytest.mark.verify
def test_while_redis_hangs_nobody_waits_and_it_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Distributed, "AGAIN", 0.2)
    told: list[bool] = []

    async def hang() -> None:
        with servers.redis() as (url, process):
            windows = Distributed(url, Shared(places=64), told=told.append)
            assert (await windows.take([Ask(DAILY, "a")]))[0].remaining == 4
            process.send_signal(signal.SIGSTOP)
            assert (await windows.take([Ask(DAILY, "a")]))[0].granted
            scripts = count_scripts(windows)
            for _ in range(500):
                await windows.take([Ask(MINUTE, "a")])
            assert scripts == [], "nobody waits for Redis"
            process.send_signal(signal.SIGCONT)
            await asyncio.to_thread(until, lambda: told == [True, False])
            assert (await windows.take([Ask(DAILY, "a")]))[0].remaining <= 3
            await windows.close()

    asyncio.run(hang())
