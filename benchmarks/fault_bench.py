"""Common parts of the rows of the fault table: the bench, the table, and ways to ask a service and see its state."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

import httpx2

from account_service import both, sign_up
from padron.accounts.plans import BUNDLED
from padron.companies.company import Company
from padron.releases import snapshot
from ports import free_port
from process import Server, add_twin, publish, serving

SEARCH: Final = "/api/public/empresas/search?q="
OTHERS_P99: Final = 200.0
"""Milliseconds that hostile clients may cost the others, and below for the health check."""
HEALTH_P99: Final = 50.0
MOST_MIB: Final = 400.0
"""Memory of a worker beside them, without what it shares."""
TWIN: Final = "2000-01-01-00000000"
"""Another release with the content of the current one."""


class Seen(NamedTuple):
    """Result of a row: whether everything promised, in words, and figures."""

    kept: bool
    text: str
    figures: Mapping[str, float] = MappingProxyType({})


class Bench(NamedTuple):
    """A bench for faults: the data folder, scratch space, and the size of a crowd."""

    data: Path
    scratch: Path
    connections: int
    seconds: float
    patient: bool

    def copy(self) -> Path:
        """Return a data folder with two releases, whose files are links to those of the data folder."""
        folder = Path(tempfile.mkdtemp(dir=self.scratch)) / "var"
        for part in ("snapshots", "indexes", "releases"):
            shutil.copytree(self.data / part, folder / part, copy_function=os.link)
        shutil.copy(self.data / "current", folder / "current")
        current = snapshot.current(folder)
        add_twin(folder, TWIN)
        publish(folder, current)
        return folder

    @contextmanager
    def service(
        self, data: Path, workers: int = 1, output: Path | None = None, **variables: str
    ) -> Iterator[tuple[Server, int]]:
        """Serve a data folder; the service, and the port of its operations.

        Args:
            data: Data folder.
            workers: The number of workers.
            output: Standard output of the service, by default a file beside the data folder.
            variables: Settings.
        """
        operations = free_port()
        listener = {"PADRON_SERVER__OPERATIONS": f"127.0.0.1:{operations}"}
        with serving(data, data.parent, workers=workers, output=output, **listener, **variables) as server:
            yield server, operations

    def companies(self, count: int) -> list[Company]:
        """Return some companies of the release, the same each time."""
        return _companies(self.data, count)

    def names(self, count: int = 400) -> list[str]:
        """Return searches for the names of companies of the release."""
        return [SEARCH + quote_plus(company.legal_name[:200]) for company in self.companies(count)]


@cache
def _companies(data: Path, count: int) -> list[Company]:
    held = snapshot.companies(data, snapshot.read_release(data, snapshot.current(data)))
    return random.Random(2026).sample(list(held), count)


Row = Callable[[Any], Seen]
"""A row: what it sees on the bench of its table."""
ROWS: Final[dict[str, tuple[str, str, Row]]] = {}
"""Name -> how the fault is made, what is promised, and the row."""


def row(name: str, made: str, promised: str) -> Callable[[Row], Row]:
    """Put a row into the table."""

    def put(check: Row) -> Row:
        ROWS[name] = made, promised, check
        return check

    return put


def table(bench: object, names: list[str]) -> list[dict[str, Any]]:
    """Run rows, and print each as a block of lines."""
    rows = []
    for name in names:
        made, promised, check = ROWS[name]
        started = time.monotonic()
        seen = check(bench)
        seen = seen._replace(text=re.sub(r"\S*\.faults-\w+", "…", seen.text))
        took = round(time.monotonic() - started)
        print(f"{'kept' if seen.kept else 'NOT KEPT':9}{name}  ({took} s)", flush=True)
        print(f"         made      {made}\n         promised  {promised}\n         seen      {seen.text}")
        if seen.figures:
            print(f"                   {json.dumps(dict(seen.figures))}", flush=True)
        rows.append(
            {
                "name": name,
                "made": made,
                "promised": promised,
                "kept": seen.kept,
                "seen": seen.text,
                "figures": dict(seen.figures),
                "seconds": took,
            }
        )
    return rows


@contextmanager
def mounted(*options: str | Path) -> Iterator[None]:
    """Mount until the block ends."""
    subprocess.run(["mount", *map(str, options)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(options[-1])], check=True)


def get(port: int, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> tuple[int, bytes]:
    """Return status and body of an answer; status 0 if there is none.

    Args:
        port: The port of the service.
        path: The path, with its query.
        headers: Header fields.

    Returns:
        The status and the body.
    """
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def counting_in(redis: str, data: Path) -> dict[str, str]:
    """Return settings that count in Redis, by plans that let the anonymous ask without end.

    Args:
        redis: The address of Redis.
        data: A data folder, beside which the plans are written.

    Returns:
        The settings.
    """
    plans = data.parent / "plans.toml"
    bundled = BUNDLED.read_text(encoding="utf-8")
    plans.write_text(re.sub(r"(?m)^(public|pages) = [\d_]+$", r"\1 = 10_000_000", bundled), encoding="utf-8")
    return {"PADRON_ACCOUNTS__PLANS": str(plans), "PADRON_LIMITS__URL": redis, "PADRON_LIMITS__ENABLED": "1"}


def padron(*arguments: str | Path, **variables: str) -> tuple[int, str]:
    """Run a command of the program; its exit code, and its output with its errors."""
    done = subprocess.run(
        [sys.executable, "-m", "padron", *map(str, arguments)],
        env=os.environ | {"LC_ALL": "en_US.UTF-8", "PADRON_SERVER__OPERATIONS": f"127.0.0.1:{free_port()}"} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def doctor(data: Path) -> tuple[int, str]:
    """Run `padron doctor`: its exit code and its findings."""
    return padron("doctor", "--data", data, "--port", str(free_port()))


def post(port: int, path: str, document: dict[str, Any]) -> int:
    """Return the status of a POST with a JSON body; 0 if there is no answer."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        json.dumps(document).encode(),
        {"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def answers(port: int) -> bool:
    """Tell whether a search and the company behind it are answered."""
    status, body = get(port, SEARCH + "corporacion+favorita")
    best = json.loads(body).get("bestMatch") if status == 200 else None
    return best is not None and get(port, f"/api/public/empresas/{best['countryCode']}/{best['identifier']}")[0] == 200


async def ask(port: int, paths: list[str], seconds: float, rate: float) -> tuple[list[float], int]:
    """Ask `rate` times a second from eight other addresses over kept connections; milliseconds, and failures."""
    took: list[float] = []
    failures = 0

    async def client(number: int) -> None:
        nonlocal failures
        reader = writer = None
        while time.monotonic() < end:
            started = time.monotonic()
            try:
                if writer is None or reader is None:
                    reader, writer = await asyncio.open_connection(
                        "127.0.0.1", port, local_addr=(f"127.0.0.{number + 2}", 0)
                    )
                writer.write(f"GET {random.choice(paths)} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r")[0]))
                failures += not head.startswith("http/1.1 200")
                took.append(1e3 * (time.monotonic() - started))
            except (OSError, EOFError):
                failures += 1
                writer = None
            await asyncio.sleep(max(0.0, started + 8 / rate - time.monotonic()))

    end = time.monotonic() + seconds
    await asyncio.gather(*(client(number) for number in range(8)))
    return took, failures


def p99(milliseconds: list[float]) -> float:
    """Return what one in a hundred took longer than."""
    return round(sorted(milliseconds)[int(len(milliseconds) * 0.99)], 1) if milliseconds else float("inf")


def metric(operations: int, start: str) -> dict[str, float]:
    """Return the lines of /metrics that begin so: name with labels -> value."""
    lines = get(operations, "/metrics")[1].decode().splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line.startswith(start)}


def ready_parts(operations: int) -> dict[str, str]:
    """Return the parts of the service and their states, as /readyz has them."""
    parts: dict[str, str] = json.loads(get(operations, "/readyz")[1])["parts"]
    return parts


def new_key(server: Server, data: Path) -> dict[str, str]:
    """Sign up over HTTP; the header fields with the key of the account, on the plan Free."""
    with httpx2.Client(base_url=server.url, timeout=60) as client:
        return both(sign_up(client, data))


async def ask_beside(bench: Bench, port: int, operations: int) -> Seen:
    """Ask for companies and for the health as everybody else does; whether nobody waited and no request failed.

    Args:
        bench: The bench.
        port: The port of the service.
        operations: The port of its operations.

    Returns:
        What was seen, with figures.
    """
    (others, failures), (health, unhealthy) = await asyncio.gather(
        ask(port, bench.names(), bench.seconds, 100), ask(operations, ["/healthz"], bench.seconds, 100)
    )
    figures = {"others_p99_ms": p99(others), "healthz_p99_ms": p99(health), "failures": failures + unhealthy}
    quick = figures["others_p99_ms"] <= OTHERS_P99 and figures["healthz_p99_ms"] <= HEALTH_P99
    kept = failures + unhealthy == 0 and bool(others) and (quick or bench.patient)
    return Seen(kept, f"{len(others)} answers, {failures + unhealthy} failures", figures)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def private_mib(pid: int) -> float:
    """Return the memory that a process does not share, in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
