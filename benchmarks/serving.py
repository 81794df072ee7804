"""Answers per second of one worker over HTTP, beside the rate of a constant body from the same server.

    python benchmarks/serving.py [--data var] [--seconds 10] [--queries 20000]

One worker serves the current release of the data folder, limits off and its log on, as in service. `wrk` asks over
kept-alive connections on this machine: a constant body from the bare server, distinct names of the release (every one
ranked in full: they are more than the service keeps in memory), identifiers, a Zipf mix of names (the n-th asked for
1/n as often as the first), and one name again and again. Rounds of all five alternate, and the median of each counts;
only the ratios are comparable between machines. `cpu_us` is the server's processor time per answer: it is more reliable
than the rate on a shared machine. Results: benchmarks/results/serving-<date>.json.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from kept import keep

from padron.config import Limits, Settings
from padron.releases import snapshot
from padron.service.app import serve
from padron.transport.connections import Connections
from padron.transport.server import Listener, listen, supervise

CONNECTIONS = 16
ROUNDS = 3
SEARCH = "/api/public/empresas/search?q="

_SCRIPT = """
local paths, at = {}, 0
function init(args)  -- called when wrk knows the Host that HTTP/1.1 asks for
  for line in io.lines("%s") do paths[#paths + 1] = wrk.format("GET", line) end
end
request = function() at = at %% #paths + 1; return paths[at] end
"""


async def constant(scope, receive, send) -> None:
    """The bare server: a small JSON body, the same for every request."""
    if scope["type"] == "http":
        fields = [(b"content-type", b"application/json"), (b"content-length", b"15")]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": b'{"status":"ok"}'})


def serve_constant(port: int) -> None:
    """Run the bare server with the settings of the service."""
    listening, connections = listen("127.0.0.1", port), Connections(Settings().server)

    def work(_place: int, _replaced: int, beat: Callable[[], None]) -> None:
        Listener(constant, listening, connections, lifespan="off", tick=beat).run()

    supervise(work, 1, lambda *_: None, lambda _: None)


class Server(NamedTuple):
    """A server of this file in its own process."""

    port: int
    pid: int

    def cpu_seconds(self) -> float:
        """Processor time of the server and its worker so far."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        ticks = 0
        for pid in (self.pid, *workers):
            user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            ticks += int(user) + int(system)
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(target: str, data: Path) -> Iterator[Server]:
    """Start a server of this file and wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(os.devnull, "wb") as nowhere:
        server = subprocess.Popen([sys.executable, __file__, target, str(port), str(data)], stdout=nowhere)
    try:
        path = "/readyz" if target == "service" else "/"
        for _ in range(600):
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}{path}"):
                break
            time.sleep(0.1)
        else:
            raise SystemExit(f"the {target} server does not answer")
        yield Server(port, server.pid)
    finally:
        server.terminate()
        server.wait()


def samples(data: Path, count: int) -> dict[str, list[str]]:
    """Paths to ask for: a fixed sample of `count` companies of the release, by name and by identifier."""
    release = snapshot.read_release(data, snapshot.current(data))
    companies = [
        (company.country, company.identifier, company.legal_name) for company in snapshot.companies(data, release)
    ]
    drawn = random.Random(2026).sample(companies, min(count, len(companies)))
    names = [SEARCH + quote_plus(name[:256]) for _, _, name in drawn if len(name) > 1]
    popularity = [1 / rank for rank in range(1, len(names) + 1)]
    return {
        "distinct names": names,
        "identifiers": [f"/api/public/empresas/{country}/{quote(number, safe='')}" for country, number, _ in drawn],
        "zipf mix": random.Random(2027).choices(names, popularity, k=5 * count),
        "one name": names[:1],
    }


def measure(server: Server, paths: list[str], seconds: float) -> dict[str, float]:
    """Answers a second, latencies in milliseconds and processor time an answer; every answer must be a 200."""
    with tempfile.TemporaryDirectory() as folder:
        listed, script = Path(folder, "paths.txt"), Path(folder, "paths.lua")
        listed.write_text("\n".join(paths) + "\n")
        script.write_text(_SCRIPT % listed)
        command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--latency"]
        before = server.cpu_seconds()
        run = subprocess.run(
            [*command, "--script", str(script), f"http://127.0.0.1:{server.port}"],
            capture_output=True,
            text=True,
            check=True,
        )
        spent = server.cpu_seconds() - before
    if "Non-2xx" in run.stdout or "Socket errors" in run.stdout:
        raise SystemExit(run.stdout)
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    latency = {
        f"p{share}_ms": round(float(value) * scale[unit], 3)
        for share, value, unit in re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s)", run.stdout)
    }
    answers = int(re.findall(r"(\d+) requests in", run.stdout)[0])
    per_second = float(re.findall(r"Requests/sec:\s+([\d.]+)", run.stdout)[0])
    return {"per_second": per_second, "cpu_us": round(1e6 * spent / answers, 1)} | latency


def run(data: Path, seconds: int, queries: int) -> dict[str, Any]:
    """All rounds; for each case the round with the middle rate, and its share of the constant rate."""
    asked = samples(data, queries)
    with ExitStack() as stack:
        bare = stack.enter_context(running("constant", data))
        service = stack.enter_context(running("service", data))
        cases = {"constant body": (bare, ["/"])} | {name: (service, paths) for name, paths in asked.items()}
        for server, paths in cases.values():
            measure(server, paths, 1)
        rounds = [{name: measure(*case, seconds) for name, case in cases.items()} for _ in range(ROUNDS)]
    middle = {name: sorted((figures[name] for figures in rounds), key=rate)[ROUNDS // 2] for name in cases}
    for figures in middle.values():
        figures["share_of_constant"] = round(rate(figures) / rate(middle["constant body"]), 3)
    return {
        "companies": snapshot.read_release(data, snapshot.current(data)).coverage["total"],
        "queries": len(asked["distinct names"]),
        "seconds": seconds,
        "rounds": ROUNDS,
        "connections": CONNECTIONS,
        "cases": middle,
    }


def rate(figures: dict[str, float]) -> float:
    """Answers a second."""
    return figures["per_second"]


def main() -> None:
    """Measure, print a table, keep the result."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("var"))
    options.add_argument("--seconds", type=int, default=10)
    options.add_argument("--queries", type=int, default=20_000)
    given = options.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("This benchmark needs wrk: apt-get install wrk")
    result = run(given.data, given.seconds, given.queries)
    print(f"{result['companies']} companies, one worker")
    for name, figures in result["cases"].items():
        times = f"{figures['cpu_us']:.0f} µs cpu, p50 {figures['p50_ms']:.2f} ms, p99 {figures['p99_ms']:.2f} ms"
        print(f"{name:16} {rate(figures):>10,.0f}/s {figures['share_of_constant']:>7.1%}  {times}")
    keep("serving", result)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["constant", port, _]:
            serve_constant(int(port))
        case ["service", port, folder]:
            serve(Settings(data=Path(folder), limits=Limits(enabled=False)), "127.0.0.1", int(port), 1)
        case _:
            main()
