"""Overhead of authentication, limits and usage on a call of `/api/v1/search`, and of limits on a public call.

Method: the guard of a v1 route around a handler that does nothing, called in process, against the handler alone; the
fastest of many short rounds, by the clock and by processor time: other work on the machine can only add to them.
Embedded: counters in the file that workers share. With Redis, where `redis-server` is installed: the same, beside a
bare PING of the same client, and the same two quotas taken through the library `limits`.
Bars: 100 µs embedded, 50 µs to verify a key (`identify`), one round trip with Redis.
Results: benchmarks/results/authentication-<date>.json.

    python benchmarks/authentication.py
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from kept import keep
from limits import RateLimitItemPerDay, RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter, SlidingWindowCounterRateLimiter
from redis.asyncio import Redis

from padron.accounts import admin
from padron.accounts.keys import Grant, WantedKey
from padron.accounts.rate_limits import RedisRateLimiter
from padron.api.v1 import KeyEndpoint, KeyRoute
from padron.config import Settings, load
from padron.service.accounts import Services
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits

ROUNDS, CALLS = 150, 100
PLANS = """
currency = "USD"
terms = { es = "x", en = "x" }
[plans.free]
name = { es = "x", en = "x" }
price = 0
per_minute = 100_000_000
per_day = 100_000_000
rows_per_day = 100_000_000
features = []
keys = 9
[anonymous]
public = 100_000_000
type_ahead = 300
"""
PASSWORD = "a phrase for the benchmark only"


async def nothing(call: Call, grant: Grant, receive: object, send: object) -> None:
    """Answer 200 with nothing."""
    call.status = 200


def scope(key: str) -> dict[str, object]:
    """A request as the server hands it over."""
    fields = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {key}".encode()), (b"apikey", key.encode())]
    return {
        "type": "http", "method": "GET", "path": "/api/v1/search", "raw_path": b"/api/v1/search",
        "query_string": b"q=petrobras", "headers": fields, "client": ("127.0.0.1", 1),
    }  # fmt: skip


async def fastest_us(act: Callable[[], Awaitable[object]], calls: int = CALLS) -> dict[str, float]:
    """Microseconds per call in the fastest round: of this process's processor time, and by the clock."""
    used, passed = [], []
    for _ in range(ROUNDS):
        began, started = time.process_time(), time.perf_counter()
        for _ in range(calls):
            await act()
        used.append((time.process_time() - began) / calls * 1e6)
        passed.append((time.perf_counter() - started) / calls * 1e6)
    return {"cpu": round(min(used), 1), "clock": round(min(passed), 1)}


async def through_the_library(url: str) -> dict[str, float]:
    """The quotas of a plan, taken and read by the library `limits` over the same Redis."""
    storage = RedisStorage(f"async+{url}", implementation="redispy")
    minute, day = RateLimitItemPerMinute(100_000_000), RateLimitItemPerDay(100_000_000)
    sliding, fixed = SlidingWindowCounterRateLimiter(storage), FixedWindowRateLimiter(storage)

    async def take() -> None:
        for strategy, item in ((sliding, minute), (fixed, day)):
            await strategy.hit(item, "account")
            await strategy.get_window_stats(item, "account")

    return await fastest_us(take)


async def measure(settings: Settings, counters: Path | None) -> dict[str, dict[str, float]]:
    """The guard, its parts, and with Redis a bare PING."""
    services = Services(settings, lambda part, lost: None, counters)
    await services.prepare()
    address = "bench@example.ec"
    if not admin.list_accounts(services.store):
        admin.create(services.store, address, PASSWORD, "en")
    account = admin.identify(services.store, address)
    _, key = services.keys.create(account, WantedKey(f"bench {time.time_ns()}"))
    services.grants.refresh()
    guarded = KeyEndpoint(KeyRoute("/api/v1/search", nothing, "search"), services.authenticator)
    asked = scope(key)

    async def whole() -> None:
        request = dict(asked)
        request["padron.call"] = Call(request)
        await guarded(request, None, None)  # type: ignore[arg-type]

    async def bare() -> None:
        request = dict(asked)
        request["padron.call"] = Call(request)
        await nothing(request["padron.call"], None, None, None)  # type: ignore[arg-type]

    call = Call(asked)  # type: ignore[arg-type]
    client_limits = ClientLimits(services.limiter, services.plans.anonymous, ())

    async def public() -> None:
        call = Call(dict(asked))  # type: ignore[arg-type]
        await client_limits.admit(call, client_limits.quotas.public)

    await whole()
    figures = {"guarded": await fastest_us(whole), "bare": await fastest_us(bare)}
    figures["public"] = await fastest_us(public)
    figures["identify"] = await fastest_us(lambda: services.authenticator.authenticate(call))
    if isinstance(services.limiter, RedisRateLimiter):
        async with Redis.from_url(str(settings.limits.url)) as redis:
            figures["ping"] = await fastest_us(redis.ping)
        figures["limits_library"] = await through_the_library(str(settings.limits.url))
        await services.limiter.close()
    services.store.close()
    overhead = {by: round(figures["guarded"][by] - figures["bare"][by], 1) for by in ("cpu", "clock")}
    return {**figures, "overhead": overhead}


def main() -> int:
    """Measure and print; the plan is generous, so that nothing is refused."""
    with tempfile.TemporaryDirectory() as folder:
        plans = Path(folder) / "plans.toml"
        plans.write_text(PLANS, encoding="utf-8")
        variables = {"PADRON_DATA": folder, "PADRON_ACCOUNTS__PLANS": str(plans)}
        results = {"embedded": asyncio.run(measure(load(variables), Path(folder) / "counters"))}
        if binary := shutil.which("redis-server"):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            server = subprocess.Popen([binary, "--port", str(port), "--save", ""], stdout=subprocess.DEVNULL)
            time.sleep(0.5)
            try:
                address = {"PADRON_LIMITS__URL": f"redis://127.0.0.1:{port}"}
                results["redis"] = asyncio.run(measure(load(variables | address), None))
            finally:
                server.terminate()
                server.wait()
    print(keep("authentication", {"unit": "µs per call", **results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
