"""Cost of a company page: its time beside a constant answer, its weight on first view; the memory of sitemaps.

    python benchmarks/pages.py [--data var] [--pages 2000] [--companies 30000000]

Time: one kept-alive connection asks in turn for a constant body of the bare server and for the page of a company that
was not asked for before, compressed as browsers have it; the medians are compared, and the processor time each server
spent on an answer. A server that rests between two requests finds the caches of its processor cold, so 16 connections
at once ask each of them too (bar: 2 ms of processor time apart). Weight: the page and every static file that its first
view needs, as sent (bar: 60 KiB). Sitemaps: all those of the release, and of as many made-up companies, are written and
discarded in this process; the figure is how much its memory grows from the third sitemap to the last. Results:
benchmarks/results/pages-<date>.json.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import random
import re
import resource
import statistics
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kept import keep
from serving import CONNECTIONS, Server, running

from padron.accounts.plans import read_plans
from padron.countries import REGISTRY
from padron.directory import Directory, PartEntry
from padron.releases import snapshot
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.web import addresses
from padron.web.page import Entry
from padron.web.site import Site
from padron.web.sitemap import Sitemaps
from padron.words import LANGUAGES

ACCEPTED = {"accept-encoding": "gzip, deflate, br, zstd", "accept": "text/html"}
PART = 50_000
_BATCH = 200


def answered(connection: http.client.HTTPConnection, path: str) -> tuple[float, http.client.HTTPResponse, bytes]:
    """Milliseconds until the whole answer is there, the answer and its body as sent."""
    started = time.perf_counter()
    connection.request("GET", path, headers=ACCEPTED)
    response = connection.getresponse()
    body = response.read()
    spent = (time.perf_counter() - started) * 1000
    if response.status != 200:
        raise SystemExit(f"{response.status} for a page of {path.split('/')[3]}")
    return spent, response, body


def times(bare: Server, service: Server, paths: list[str]) -> dict[str, float]:
    """Median and ninetieth percentile of both in turn, and processor time an answer, all in milliseconds."""
    constant, pages = (http.client.HTTPConnection("127.0.0.1", server.port) for server in (bare, service))
    for path in paths[:50]:
        answered(constant, "/")
        answered(pages, path)
    before = [server.cpu_seconds() for server in (bare, service)]
    rounds = [(answered(constant, "/")[0], answered(pages, path)[0]) for path in paths[50:]]
    processor = [server.cpu_seconds() - start for server, start in zip((bare, service), before, strict=True)]
    figures = {}
    for name, spent, cpu in zip(("constant", "company"), zip(*rounds, strict=True), processor, strict=True):
        figures[f"{name}_p50_ms"] = round(statistics.median(spent), 3)
        figures[f"{name}_p90_ms"] = round(statistics.quantiles(spent, n=10)[-1], 3)
        figures[f"{name}_processor_ms"] = round(1000 * cpu / len(rounds), 3)
    return figures | {
        f"above_constant_{figure}": round(figures[f"company_{figure}"] - figures[f"constant_{figure}"], 3)
        for figure in ("p50_ms", "processor_ms")
    }


def busy(server: Server, paths: list[str]) -> float:
    """Processor time an answer of a server that never rests, in milliseconds."""

    def ask(own: list[str]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for path in own:
            answered(connection, path)

    before = server.cpu_seconds()
    with ThreadPoolExecutor(CONNECTIONS) as clients:
        list(clients.map(ask, [paths[client::CONNECTIONS] for client in range(CONNECTIONS)]))
    return round(1000 * (server.cpu_seconds() - before) / len(paths), 3)


def weights(service: Server, paths: list[str]) -> dict[str, int]:
    """Bytes as sent: the static files of a first view, the median page, and the heaviest page with its files."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    plain = http.client.HTTPConnection("127.0.0.1", service.port)
    plain.request("GET", paths[0])
    files = sorted(set(re.findall(r"/static/[\w.-]+", plain.getresponse().read().decode())))
    static = {path.split("/")[-1].split(".")[0]: len(answered(connection, path)[2]) for path in files}
    pages = [len(answered(connection, path)[2]) for path in paths]
    total = sum(static.values())
    return static | {"page_median": int(statistics.median(pages)), "heaviest_first_view": max(pages) + total}


class Endless:
    """A directory of any number of made-up companies, as far as sitemaps need one."""

    edition = release = "made-up"
    generated_at = datetime(2026, 11, 20, tzinfo=UTC)

    def __init__(self, companies: int) -> None:
        self._parts = companies // PART

    def parts(self) -> list[str]:
        return ["BR"] * self._parts

    async def part(self, number: int) -> AsyncIterator[list[PartEntry]]:
        for start in range(number * PART, (number + 1) * PART, _BATCH):
            yield [PartEntry(f"{identifier:08}000100", "2026-11-20") for identifier in range(start, start + _BATCH)]


async def sitemaps_of(data: Path) -> dict[str, float]:
    """`sitemaps` of the current release."""
    return await sitemaps(await Directory.open(data, REGISTRY, "https://padron.example"))


async def sitemaps(directory: Any) -> dict[str, float]:
    """All sitemaps of one language: addresses, seconds, and mebibytes of this process after the third and at most."""
    site = Site("https://padron.example", "x@padron.example")
    *_, part = Sitemaps(site, Entry(ClientLimits(None, read_plans().anonymous, ()), lambda: directory)).routes()
    written = 0
    after_third = 0.0
    numbers: dict[str, int] = {}

    async def send(message: Any) -> None:
        nonlocal written
        written += message.get("body", b"").count(b"<url>")

    started = time.perf_counter()
    for done, country in enumerate(directory.parts(), start=1):
        numbers[country] = numbers.get(country, 0) + 1
        given = {"language": "es", "part": f"{country.lower()}-{numbers[country]}"}
        path = f"/sitemaps/es/{given['part']}.xml"
        scope: dict[str, Any] = {
            "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [], "path_params": given,
        }  # fmt: skip
        scope["padron.call"] = Call(scope)
        await part.endpoint(scope, None, send)
        if done <= 3:
            after_third = _memory()
    seconds = round(time.perf_counter() - started, 1)
    return {"addresses": written, "seconds": seconds, "mib_after_third": after_third, "mib_at_most": _memory()}


def _memory() -> float:
    """The most memory this process has had so far, in mebibytes."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def run(data: Path, pages: int, companies: int) -> dict[str, Any]:
    """Every figure."""
    made_up = asyncio.run(sitemaps(Endless(companies)))  # first, while this process has needed little memory
    release = snapshot.read_release(data, snapshot.current(data))
    listed = [(company.country, company.identifier) for company in snapshot.companies(data, release)]
    drawn = random.Random(2026).sample(listed, min(2 * pages, len(listed)))
    addressed = [
        addresses.path("company", LANGUAGES[number % 2], country=country, identifier=identifier)
        for number, (country, identifier) in enumerate(drawn)
    ]
    half = len(addressed) // 2
    paths, others = addressed[:half], addressed[half:]
    with running("constant", data) as bare, running("service", data) as service:
        timed, weighed = times(bare, service, paths), weights(service, paths)
        constant, company = busy(bare, ["/"] * len(others)), busy(service, others)
    return {
        "pages": len(paths),
        "time": timed,
        "busy": {
            "constant_processor_ms": constant,
            "company_processor_ms": company,
            "above_constant_processor_ms": round(company - constant, 3),
        },
        "bytes": weighed,
        "sitemaps_of_the_release": asyncio.run(sitemaps_of(data)),
        "sitemaps_of_made_up_companies": made_up,
    }


def main() -> None:
    """Measure, print, keep the result."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("var"))
    options.add_argument("--pages", type=int, default=2_000)
    options.add_argument("--companies", type=int, default=30_000_000)
    given = options.parse_args()
    print(keep("pages", run(given.data, given.pages, given.companies)))


if __name__ == "__main__":
    main()
