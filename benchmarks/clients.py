"""Overhead of the Python client on a call: `get` of one company over loopback, beside the bare HTTP library.

    python benchmarks/clients.py [--data var]

Method: one worker serves the release of the data folder, limits off. Two clients hold a kept-alive connection each:
`padron_client`, which gives typed objects, and httpx2 alone, with the same header fields, its body read by `json`. They
call in turn, 2,000 times each, after 200 to warm up, and the medians of that run are compared; then with asyncio.
Bar: 1.15 times the bare library. Results: benchmarks/results/clients-python-<date>.json.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
from kept import keep

from padron.accounts import admin
from padron.accounts.keys import WantedKey
from padron.config import load
from padron.service.accounts import Services

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "clients/python/src"))

from padron_client import AsyncPadron, Padron  # noqa: E402

WARM, CALLS = 200, 2_000
COUNTRY, IDENTIFIER = "BR", "33000167000101"


@contextmanager
def service(data: Path) -> Iterator[tuple[str, str]]:
    """Address of a service over the release in `data`, and a key for it; its accounts are in a temporary folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "PADRON_LIMITS__ENABLED": "0",
            "PADRON_ACCOUNTS__URL": f"sqlite:///{folder}/accounts.sqlite",
            "PADRON_ACCOUNTS__SECRET": "the secret of a benchmark, nothing more",
        }
        services = Services(load(own, data=data), lambda part, lost: None, None)
        asyncio.run(services.prepare())
        account = admin.create(services.store, "bench@example.ec", "a phrase for the benchmark only", "en")
        _, key = services.keys.create(account, WantedKey("bench"))
        services.store.close()
        command = [sys.executable, "-m", "padron.cli.app", "serve", "--data", str(data), "--port", str(port)]
        with open(os.devnull, "wb") as nowhere:
            server = subprocess.Popen(command, env=os.environ | own, stdout=nowhere)
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(600):
                with suppress(OSError), urllib.request.urlopen(f"{url}/readyz"):
                    break
                time.sleep(0.1)
            yield url, key
        finally:
            server.terminate()
            server.wait()


def summary(ours: list[float], bare: list[float]) -> dict[str, float]:
    """Medians in microseconds, and how many times the bare one ours is."""
    middle = [statistics.median(times[WARM:]) for times in (ours, bare)]
    return {
        "client_p50_us": round(middle[0] * 1e6, 1),
        "bare_p50_us": round(middle[1] * 1e6, 1),
        "ratio": round(middle[0] / middle[1], 3),
    }


def timed(times: list[float], act: Callable[[], object]) -> None:
    started = time.perf_counter()
    act()
    times.append(time.perf_counter() - started)


async def timed_async(times: list[float], act: Callable[[], Awaitable[object]]) -> None:
    started = time.perf_counter()
    await act()
    times.append(time.perf_counter() - started)


def fields(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "apiKey": key, "Accept": "application/json"}


def threads(base: str, key: str) -> dict[str, float]:
    """`Padron` beside `httpx2.Client`."""
    ours, bare = list[float](), list[float]()
    url = f"{base}/api/v1/entities/{COUNTRY}/{IDENTIFIER}"
    with Padron(api_key=key, base_url=base) as padron, httpx2.Client(headers=fields(key), timeout=30) as client:
        assert padron.get(COUNTRY, IDENTIFIER).entity.identifier == client.get(url).json()["entity"]["identifier"]
        for _ in range(WARM + CALLS):
            timed(ours, lambda: padron.get(COUNTRY, IDENTIFIER))
            timed(bare, lambda: client.get(url).json())
    return summary(ours, bare)


async def coroutines(base: str, key: str) -> dict[str, float]:
    """`AsyncPadron` beside `httpx2.AsyncClient`."""
    ours, bare = list[float](), list[float]()
    url = f"{base}/api/v1/entities/{COUNTRY}/{IDENTIFIER}"
    async with AsyncPadron(api_key=key, base_url=base) as padron, httpx2.AsyncClient(headers=fields(key)) as client:

        async def plain() -> Any:
            return (await client.get(url, timeout=30)).json()

        for _ in range(WARM + CALLS):
            await timed_async(ours, lambda: padron.get(COUNTRY, IDENTIFIER))
            await timed_async(bare, plain)
    return summary(ours, bare)


def main() -> None:
    """Measure, print, keep the result."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("var"))
    given = options.parse_args()
    with service(given.data) as (base, key):
        figures = {"threads": threads(base, key), "asyncio": asyncio.run(coroutines(base, key))}
    print(keep("clients-python", {"httpx2": httpx2.__version__, "calls": CALLS, **figures}))


if __name__ == "__main__":
    main()
