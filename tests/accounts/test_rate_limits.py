"""Sliding windows and daily quotas: in shared memory and in Redis alike, exact, and without Redis still there."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import Redis

import servers
from padron.accounts.rate_limits import DAY, LocalRateLimiter, Quota, QuotaRequest, RedisRateLimiter
from padron.errors import Unavailable
from starving import no_file_beyond
from waiting import PATIENCE, until

MINUTE, DAILY = Quota("minute", 10, 60), Quota("day", 5, DAY, sliding=False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, in its one cell; a day begins."""
    return stopped(monkeypatch)


def stopped(patch: pytest.MonkeyPatch) -> list[float]:
    now = [20_000.0 * DAY]
    patch.setattr(time, "time", lambda: now[0])
    return now


def take(limiter: LocalRateLimiter, *asks: QuotaRequest):
    return limiter.take_now(asks)


def test_a_window_slides(clock: list[float]) -> None:
    limiter = LocalRateLimiter(slots=64)
    ask = QuotaRequest(MINUTE, "a")
    assert [take(limiter, ask)[0].granted for _ in range(11)] == [True] * 10 + [False]
    assert take(limiter, ask)[0] == (False, 0, 61)
    clock[0] += 60
    assert take(limiter, ask)[0] == (False, 0, 1)
    clock[0] += 1
    assert take(limiter, ask)[0].granted
    clock[0] += 120
    assert take(limiter, ask)[0].remaining == 9


@given(st.lists(st.floats(0, 50), max_size=80), st.integers(1, 12))
@settings(max_examples=150)
def test_windows_slide_as_those_of_the_library_and_waiting_helps(pauses: list[float], amount: int) -> None:
    quota, granted = Quota("minute", amount, 60), []
    with pytest.MonkeyPatch.context() as patch:
        clock = stopped(patch)
        limiter = LocalRateLimiter(slots=64)
        oracle, item = SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerSecond(amount, 60)
        for pause in pauses:
            # Never on the very third of a window, where the library reckons 0.9999… for the 1 that it is.
            clock[0] += pause + 0.0137
            (spent,) = take(limiter, QuotaRequest(quota, "a"))
            assert spent.granted == oracle.hit(item, "a")
            assert spent.remaining == oracle.get_window_stats(item, "a").remaining
            assert 1 <= spent.reset <= 121
            if spent.remaining == 0:
                clock[0] += spent.reset
                assert take(limiter, QuotaRequest(quota, "a"))[0].granted
                assert oracle.hit(item, "a")
            granted.append(clock[0])
            assert sum(clock[0] // 60 == moment // 60 for moment in granted) <= amount


def test_a_day_begins_at_midnight_and_knows_what_was_used_before(clock: list[float]) -> None:
    clock[0] += DAY - 1.5
    limiter = LocalRateLimiter(slots=64)
    assert take(limiter, QuotaRequest(DAILY, "a", known=4))[0] == (True, 0, 2)
    assert take(limiter, QuotaRequest(DAILY, "a", known=4))[0] == (False, 0, 2)
    clock[0] += 2
    assert take(limiter, QuotaRequest(DAILY, "a"))[0].remaining == 4


@pytest.mark.usefixtures("clock")
def test_what_is_refused_first_takes_nothing_from_the_rest() -> None:
    limiter = LocalRateLimiter(slots=64)
    asks = (QuotaRequest(Quota("minute", 1, 60), "a"), QuotaRequest(DAILY, "a"))
    assert [spent.granted for spent in take(limiter, *asks)] == [True, True]
    assert [spent.granted for spent in take(limiter, *asks)] == [False, False]
    assert [spent.reset for spent in take(limiter, asks[0], QuotaRequest(MINUTE, "a"))] == [61, 61]
    assert take(limiter, QuotaRequest(DAILY, "a"))[0].remaining == 3


@pytest.mark.usefixtures("clock")
def test_what_is_given_back_can_be_taken_again() -> None:
    limiter = LocalRateLimiter(slots=64)
    for _ in range(20):
        assert take(limiter, QuotaRequest(DAILY, "a"))[0].granted
        asyncio.run(limiter.give_back(DAILY, "a"))


@pytest.mark.usefixtures("clock")
def test_memory_does_not_grow_and_a_regular_is_not_forgotten_early() -> None:
    limiter = LocalRateLimiter(slots=4096)
    take(limiter, QuotaRequest(MINUTE, "regular"))
    for number in range(3000):
        take(limiter, QuotaRequest(MINUTE, f"passer-by {number}"))
    assert take(limiter, QuotaRequest(MINUTE, "regular"))[0].remaining == 8


def spend(path: Path, quota: Quota, tries: int) -> int:
    limiter = LocalRateLimiter(path, slots=64)
    return sum(take(limiter, QuotaRequest(quota, "a"))[0].granted for _ in range(tries))


def test_processes_hold_one_quota_together(tmp_path: Path) -> None:
    quota = Quota("day", 5_000, DAY, sliding=False)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        granted = pool.starmap(spend, [(tmp_path / "counters", quota, 3_000)] * 4)
    assert sum(granted) == 5_000


def test_counters_have_all_of_their_disk_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "counters"
    LocalRateLimiter(path)
    state = path.stat()
    assert state.st_size == 1 << 22
    assert state.st_blocks * 512 >= state.st_size, "no page of them is still to be found on a disk that may be full"
    other = tmp_path / "other"
    with no_file_beyond(1 << 20), pytest.raises(Unavailable, match=r"disk-fault.*File too large"):
        LocalRateLimiter(other)
    assert take(LocalRateLimiter(other), QuotaRequest(MINUTE, "a"))[0].granted


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    with servers.redis() as (url, _):
        yield url


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis is waited for as long as a busy machine needs, where its loss is not what is tested."""
    monkeypatch.setattr(RedisRateLimiter, "TIMEOUT", PATIENCE)


@pytest.mark.verify
@pytest.mark.usefixtures("patient")
def test_redis_counts_as_memory_does(redis: str) -> None:
    async def both() -> None:
        shared, distributed = LocalRateLimiter(slots=64), RedisRateLimiter(redis, LocalRateLimiter(slots=64))
        try:
            asks = (QuotaRequest(Quota("minute", 8, 3_600), "a"), QuotaRequest(DAILY, "a", 1))
            for _ in range(12):
                ours, theirs = await shared.take(asks), await distributed.take(asks)
                assert [(state.granted, state.remaining) for state in ours] == [
                    (state.granted, state.remaining) for state in theirs
                ]
                assert all(abs(state.reset - other.reset) <= 2 for state, other in zip(ours, theirs, strict=True))
            for limiter in (shared, distributed):
                await limiter.give_back(DAILY, "a")
                assert (await limiter.take([QuotaRequest(DAILY, "a")]))[0].granted
        finally:
            await distributed.close()

    asyncio.run(both())


@pytest.mark.verify
@pytest.mark.usefixtures("patient")
def test_redis_is_exact_under_many_at_a_time(redis: str) -> None:
    quota = Quota("day", 700, DAY, sliding=False)

    async def many() -> int:
        first, second = (RedisRateLimiter(redis, LocalRateLimiter(slots=64)) for _ in range(2))

        async def take_one(limiter: RedisRateLimiter) -> bool:
            return (await limiter.take([QuotaRequest(quota, "b")]))[0].granted

        try:
            return sum(await asyncio.gather(*(take_one(limiter) for limiter in (first, second) for _ in range(1_000))))
        finally:
            await first.close()
            await second.close()

    assert asyncio.run(many()) == 700


@pytest.mark.verify
@pytest.mark.usefixtures("patient")
def test_requests_wait_for_redis_in_the_order_in_which_they_came(redis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RedisRateLimiter, "CONNECTIONS", 1)
    turns: list[str] = []

    async def wait() -> None:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64))

        async def take_many(client: str) -> None:
            for _ in range(5):
                await limiter.take([QuotaRequest(MINUTE, client)])
                turns.append(client)

        await asyncio.gather(*(take_many(client) for client in "cde"))
        await limiter.close()

    asyncio.run(wait())
    assert turns == ["c", "d", "e"] * 5


@pytest.mark.verify
@pytest.mark.usefixtures("patient")
def test_the_many_requests_of_one_client_leave_room_at_redis_for_others(redis: str) -> None:
    counted: list[str] = []

    async def flood() -> None:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64))

        async def take(client: str) -> None:
            await limiter.take([QuotaRequest(MINUTE, client)])
            counted.append(client)

        await asyncio.gather(*map(take, 100 * ["many"] + ["another"]))
        await limiter.close()

    asyncio.run(flood())
    assert counted.index("another") <= RedisRateLimiter.CONNECTIONS, "before most of the hundred"


@pytest.mark.verify
@pytest.mark.usefixtures("patient")
def test_clients_that_leave_meanwhile_leave_the_connections_to_redis_whole(
    redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RedisRateLimiter, "CONNECTIONS", 2)

    async def leave() -> tuple[bool, int]:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64))
        for turn in range(100):
            asked = [asyncio.create_task(limiter.take([QuotaRequest(MINUTE, f"{turn} {n}")])) for n in range(6)]
            for _ in range(turn % 10):
                await asyncio.sleep(0)
            for task in asked:
                task.cancel()
            await asyncio.wait(asked)
            await limiter.take([QuotaRequest(MINUTE, "who stays")])
        operator = Redis.from_url(redis)
        opened = (await operator.info("stats"))["total_connections_received"]
        await operator.aclose()
        await limiter.close()
        return limiter.lost, opened

    before = asyncio.run(leave())[1]
    lost, after = asyncio.run(leave())
    assert (lost, after - before) == (False, 2 + 1), "and the operator's"


@pytest.mark.verify
def test_a_request_may_wait_for_its_turn_longer_than_for_redis(redis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RedisRateLimiter, "CONNECTIONS", 1)
    monkeypatch.setattr(RedisRateLimiter, "TIMEOUT", 0.5)

    async def wait() -> None:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64))
        slow_down(limiter, 0.2)
        await asyncio.gather(*(limiter.take([QuotaRequest(MINUTE, "f")]) for _ in range(5)))
        assert not limiter.lost
        await limiter.close()

    asyncio.run(wait())


@pytest.mark.verify
def test_a_redis_that_takes_long_to_reach_is_lost_and_found_again(redis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RedisRateLimiter, "RETRY_EVERY", 0.02)
    changes: list[bool] = []

    async def reach() -> None:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64), on_change=changes.append)
        slow_down(limiter, 0.6)  # of which a request waits for a third
        assert (await limiter.take([QuotaRequest(MINUTE, "g")]))[0].granted
        await asyncio.to_thread(until, lambda: changes == [True, False])
        await limiter.close()

    asyncio.run(reach())
    assert changes == [True, False]


def slow_down(limiter: RedisRateLimiter, seconds: float) -> None:
    """Let each script take so long."""
    take = limiter._take

    async def slow(**arguments: object) -> object:
        await asyncio.sleep(seconds)
        return await take(**arguments)

    limiter._take = slow


def count_scripts(limiter: RedisRateLimiter) -> list[object]:
    """A list that grows by each script that is sent to Redis from now on."""
    sent: list[object] = []
    take = limiter._take

    async def counted(**arguments: object) -> object:
        sent.append(arguments)
        return await take(**arguments)

    limiter._take = counted
    return sent


@pytest.mark.verify
def test_without_redis_the_machine_counts_for_itself_and_says_so() -> None:
    changes: list[bool] = []

    async def lose() -> None:
        with servers.redis() as (url, process):
            limiter = RedisRateLimiter(url, LocalRateLimiter(slots=64), on_change=changes.append)
            assert (await limiter.take([QuotaRequest(MINUTE, "a")]))[0].granted
            process.kill()
            process.wait()
            scripts = count_scripts(limiter)
            granted = [(await limiter.take([QuotaRequest(MINUTE, "a")]))[0].granted for _ in range(12)]
            assert granted == [True] * 10 + [False] * 2
            assert len(scripts) == 1, "the first request finds out; the others ask Redis no more"
            assert (limiter.lost, changes) == (True, [True])
            await limiter.give_back(MINUTE, "a")
            await limiter.close()

    asyncio.run(lose())


@pytest.mark.verify
def test_while_redis_hangs_nobody_waits_and_it_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RedisRateLimiter, "RETRY_EVERY", 0.2)
    changes: list[bool] = []

    async def hang() -> None:
        with servers.redis() as (url, process):
            limiter = RedisRateLimiter(url, LocalRateLimiter(slots=64), on_change=changes.append)
            assert (await limiter.take([QuotaRequest(DAILY, "a")]))[0].remaining == 4
            process.send_signal(signal.SIGSTOP)
            assert (await limiter.take([QuotaRequest(DAILY, "a")]))[0].granted
            scripts = count_scripts(limiter)
            for _ in range(500):
                await limiter.take([QuotaRequest(MINUTE, "a")])
            assert scripts == [], "nobody waits for Redis"
            process.send_signal(signal.SIGCONT)
            await asyncio.to_thread(until, lambda: changes == [True, False])
            assert (await limiter.take([QuotaRequest(DAILY, "a")]))[0].remaining <= 3
            await limiter.close()

    asyncio.run(hang())


@pytest.mark.verify
def test_an_answer_that_came_in_time_counts_though_the_loop_stood_still(redis: str) -> None:
    async def stand_still() -> None:
        limiter = RedisRateLimiter(redis, LocalRateLimiter(slots=64))
        first = limiter.take([QuotaRequest(DAILY, "still")])
        assert (await first)[0].remaining == 4
        second = asyncio.ensure_future(limiter.take([QuotaRequest(DAILY, "still")]))
        while not limiter._turns._value < limiter.CONNECTIONS:
            await asyncio.sleep(0)
        Event().wait(2 * limiter.TIMEOUT)
        assert (await second)[0].remaining == 3
        assert not limiter.lost
        await limiter.close()

    asyncio.run(stand_still())


@pytest.mark.verify
def test_a_redis_that_takes_no_writes_stays_lost_until_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replica, or one that is full, does so, and answers a ping."""
    monkeypatch.setattr(RedisRateLimiter, "RETRY_EVERY", 0.02)
    changes: list[bool] = []

    async def refuse() -> None:
        with servers.redis() as (url, _):
            limiter = RedisRateLimiter(url, LocalRateLimiter(slots=64), on_change=changes.append)
            operator = Redis.from_url(url)
            await operator.config_set("min-replicas-to-write", 1)
            assert (await limiter.take([QuotaRequest(MINUTE, "a")]))[0].granted
            scripts = count_scripts(limiter)
            await asyncio.to_thread(until, lambda: len(scripts) > 3)
            assert changes == [True]
            await operator.config_set("min-replicas-to-write", 0)
            await asyncio.to_thread(until, lambda: changes == [True, False])
            await operator.aclose()
            await limiter.close()

    asyncio.run(refuse())
