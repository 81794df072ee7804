"""A thousand calls at once on the Free plan, with the limiter of the service, in a time that only waits make pass."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Iterator

import httpx2
import pytest
from padron.accounts.rate_limits import DAY, LocalRateLimiter, Quota, QuotaRequest

import padron_client.client
import padron_client.pace
from both import KEY, TABLE, Kind, use
from padron_client import AsyncPadron, Padron, RateLimitError

ENTITY = json.dumps(TABLE["answers"]["entity"]).encode()
MINUTE, TODAY = Quota("minute", 60, 60), Quota("day", 1_000, DAY, sliding=False)


class Clock:
    """A clock that stands still but for waits; `seconds` have passed since the middle of a minute."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wall(self) -> float:
        return 1_800_000_030 + self.seconds

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    async def pause(self, seconds: float) -> None:
        self.seconds += seconds


class Service(httpx2.MockTransport):
    """The limits of a plan before an answer that never changes, as the service states them."""

    def __init__(self) -> None:
        self._limiter = LocalRateLimiter()
        self.refused = 0
        super().__init__(self.answer)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        minute, day = self._limiter.take_now([QuotaRequest(MINUTE, "a"), QuotaRequest(TODAY, "a")])
        states = f'"minute";r={minute.remaining};t={minute.reset}, "day";r={day.remaining};t={day.reset}'
        if minute.granted and day.granted:
            return httpx2.Response(200, headers={"RateLimit": states}, content=ENTITY)
        self.refused += 1
        wait = str((day if minute.granted else minute).reset)
        return httpx2.Response(429, headers={"RateLimit": states, "Retry-After": wait})

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(0)  # the others go on, as they do during an exchange
        return self.answer(request)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(padron_client.client, "sleep", clock.wait)
    monkeypatch.setattr(padron_client.client, "pause", clock.pause)
    monkeypatch.setattr(padron_client.pace, "monotonic", lambda: clock.seconds)
    monkeypatch.setattr(time, "time", clock.wall)
    random.seed(1)
    return clock


def test_a_thousand_at_once_all_succeed(clock: Clock) -> None:
    service = Service()

    async def everything() -> None:
        async with AsyncPadron(api_key=KEY, transport=service) as client:
            await asyncio.gather(*(client.get("BR", "33000167000101") for _ in range(1_000)))
            with pytest.raises(RateLimitError) as spent:
                await client.get("BR", "33000167000101")
            assert (spent.value.retry_after or 0) > padron_client.pace.LONGEST_WAIT

    asyncio.run(everything())
    assert service.refused <= 20, "the plan is known, so few calls are in vain"
    assert clock.seconds <= 1.15 * 940, "60 at once, and then one a second"


def test_without_retries_nothing_waits(clock: Clock, kind: Kind) -> None:
    def burst(client: Padron) -> object:
        return [client.get("BR", "33000167000101") for _ in range(61)]

    async def bursts(client: AsyncPadron) -> object:
        return [await client.get("BR", "33000167000101") for _ in range(61)]

    act = burst if kind == "threads" else bursts
    with pytest.raises(RateLimitError):
        use(kind, {"transport": Service(), "max_retries": 0}, act)
    assert clock.seconds == 0


def test_one_after_the_other_waits_too(clock: Clock) -> None:
    service = Service()
    with Padron(api_key=KEY, transport=service) as client:
        for _ in range(130):
            client.get("BR", "33000167000101")
    assert service.refused == 0
    assert clock.seconds <= 1.15 * 70 + 60
