"""The whole system on this machine: OpenSearch, PostgreSQL, Redis, object storage, nodes of the service, a proxy.

    PYTHONPATH=src:tests/support python tests/support/cluster.py --data var

starts it on addresses of the loopback alone, prints them, and ends with it what it started (`make cluster`).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from opensearch import Cluster, opensearch
from padron.countries import REGISTRY
from padron.index import release_index
from padron.index.engines import engine_kind
from padron.releases import snapshot
from parts import Part, PartFailure, descendants, starting
from ports import free_port
from process import ROOT
from servers import postgres_part, redis_part
from storage import Storage, storage
from waiting import PATIENCE, until

CADDYFILE = """\
{{
	admin off
	auto_https off
}}
http://:{port} {{
	bind 127.0.0.1
	@operations path /metrics /readyz
	respond @operations 404
	reverse_proxy {nodes} {{
		lb_policy round_robin
		lb_try_duration 5s
		fail_duration 2s
		health_uri /healthz
		health_interval 1s
	}}
}}
"""
REPLICAS = 2
EVERY = 5.0
"""Seconds between two looks of a node at the store: `deploy/systemd` looks every five minutes."""
EXAMPLE = "/api/public/empresas/US/320193"


@dataclass(kw_only=True)
class Node(Part):
    """A machine that serves: its data folder, what it prints when it looks for a release, and the service on it."""

    port: int
    folder: Path
    pulls: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def state(self) -> str:
        """The parts of its service with their states, empty while it is not ready."""
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/readyz", timeout=PATIENCE) as answer:
            return answer.read().decode()
        return ""


@dataclass(frozen=True)
class System:
    """A running system: its proxy, the data folder that builds, the nodes that serve, and what stands behind them."""

    url: str
    builder: Path
    nodes: list[Node]
    search: Cluster
    database: Part
    counters: Part
    storage: Storage
    settings: Mapping[str, str]

    def command(self, *words: str, data: Path | None = None, entry: str = "") -> str:
        """Run `padron` over a data folder, by default the builder's, with a standard input; what it prints."""
        command = [*padron(*words), "--data", str(data or self.builder)]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | self.settings
        done = subprocess.run(command, env=environment, input=entry, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def padron(*words: str) -> list[str]:
    return [sys.executable, "-m", "padron.cli.app", *words]


def indexed(data: Path, folder: Path, url: str) -> Path:
    """A data folder with the current release of another, its companies in OpenSearch."""
    release = snapshot.current(data)
    target = snapshot.index_folder(folder, release, release_index.FORMAT)
    for name in ("snapshots", "releases"):
        shutil.copytree(data / name, folder / name)
    served = snapshot.read_release(data, release)
    release_index.build(snapshot.companies(data, served), target, REGISTRY, engine_kind(url))
    shutil.copytree(snapshot.index_folder(data, release, release_index.FORMAT) / "statements", target / "statements")
    shutil.copy(data / "current", folder / "current")
    return folder


@contextmanager
def following(node: Node, settings: Mapping[str, str], every: float) -> Iterator[None]:
    """Look for a new release again and again, as the timer of a machine does; the output goes to `node.pulls`."""
    over, running = threading.Event(), list[subprocess.Popen[bytes]]()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | settings

    def follow() -> None:
        with node.pulls.open("ab") as output:
            while not over.wait(every):
                process = subprocess.Popen(
                    padron("release", "pull", "--data", str(node.folder)), env=environment, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=output, start_new_session=True,
                )  # fmt: skip
                running[:] = [process]
                process.wait()

    timer = threading.Thread(target=follow, daemon=True)
    timer.start()
    try:
        yield
    finally:
        over.set()
        for process in running:
            process.terminate()
        timer.join()


def proxy(port: int, nodes: list[Node], folder: Path) -> Part:
    """Caddy before the nodes, which asks them in turn."""
    names = " ".join(f"127.0.0.1:{node.port}" for node in nodes)
    (folder / "Caddyfile").write_text(CADDYFILE.format(port=port, nodes=names))
    return Part(
        name="Caddy",
        command=["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")],
        log=folder / "caddy.log",
        environment={"HOME": str(folder)},
        answers=partial(is_alive, f"http://127.0.0.1:{port}"),
    )


def is_alive(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/healthz", timeout=PATIENCE):
        return True
    return False


def serving(folder: Path, number: int, settings: Mapping[str, str]) -> Node:
    """A node over a data folder of its own, which is not there yet."""
    data, port = folder / f"node-{number}", free_port()
    data.mkdir()
    own = {"PYTHONPATH": str(ROOT / "src"), "PADRON_SERVER__OPERATIONS": "127.0.0.1:0"}
    return Node(
        name=f"node {number}",
        command=padron("serve", "--data", str(data), "--port", str(port)),
        log=folder / f"node-{number}.log",
        environment=own | dict(settings),
        answers=partial(is_alive, f"http://127.0.0.1:{port}"),
        port=port,
        folder=data,
        pulls=folder / f"node-{number}-pulls.log",
    )


@contextmanager
def whole(
    data: Path,
    *,
    nodes: int = 3,
    search_nodes: int = 3,
    port: int | None = None,
    every: float = EVERY,
    progress: Callable[[str], None] = lambda _name: None,
    **variables: str,
) -> Iterator[System]:
    """The whole system over the current release of a data folder, which stays as it is.

    A folder that serves nothing builds; it pushes to the store, and each node follows that. All share search, accounts
    and limits. `variables` are settings of all of them.
    """
    port = port or free_port()
    with ExitStack() as stack:

        @contextmanager
        def part(name: str) -> Iterator[None]:
            progress(name)
            with starting(name):
                yield

        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="padron-cluster-")))
        with part("PostgreSQL"):
            address, database = stack.enter_context(postgres_part())
        with part("Redis"):
            limits, counters = stack.enter_context(redis_part())
        with part("object storage"):
            store = stack.enter_context(storage())
        with part("OpenSearch"):
            search = stack.enter_context(opensearch(search_nodes))
        settings = {
            "PADRON_BASE_URL": f"http://127.0.0.1:{port}",
            "PADRON_BILLING__PROVIDER": "sandbox",
            "PADRON_SEARCH__URL": search.url(replicas=REPLICAS, timeout=10),
            "PADRON_ACCOUNTS__URL": address,
            "PADRON_ACCOUNTS__SECRET": secrets.token_urlsafe(32),
            "PADRON_LIMITS__URL": limits,
            "PADRON_RELEASES__STORE": store.address,
            "PADRON_SERVER__TRUSTED_PROXIES": "127.0.0.1",
            **store.settings,
            **variables,
        }
        url = f"http://127.0.0.1:{port}"
        system = System(url, folder / "builder", [], search, database, counters, store, settings)
        with part("the release in OpenSearch and in the store"):
            indexed(data, system.builder, settings["PADRON_SEARCH__URL"])
            system.command("release", "push")
        for number in range(1, nodes + 1):
            node = serving(folder, number, settings)
            with part(node.name):
                system.command("release", "pull", data=node.folder)
                stack.enter_context(node.running())
                until(node.state)
            system.nodes.append(node)
        with part("Caddy"):
            stack.enter_context(proxy(port, system.nodes, folder).running())
        for node in system.nodes:
            stack.enter_context(following(node, settings, every))
        yield system


def print_places(system: System) -> None:
    """Print where each part is, and what answers with a company; that it does is tried first."""
    with starting("the proxy"), urllib.request.urlopen(system.url + EXAMPLE, timeout=PATIENCE) as answer:
        answer.read()
    environment = system.builder.with_name("environment")
    lines = {"PYTHONPATH": str(ROOT / "src")} | dict(system.settings)
    environment.touch(mode=0o600)
    environment.write_text("".join(f"export {name}={shlex.quote(value)}\n" for name, value in lines.items()))
    rows = [
        ("proxy", system.url),
        *((node.name, f"{node.url}  {node.folder}") for node in system.nodes),
        ("builder", str(system.builder)),
        ("OpenSearch", " ".join(f"http://{node.address}" for node in system.search.nodes)),
        ("PostgreSQL", system.settings["PADRON_ACCOUNTS__URL"]),
        ("Redis", system.settings["PADRON_LIMITS__URL"]),
        ("store", f"{system.storage.address} at {system.settings['AWS_ENDPOINT']}"),
        ("logs", str(system.builder.parent)),
        ("settings", f". {environment}"),
    ]
    print("\n".join(f"  {name:<11} {place}" for name, place in rows))
    print(f"Ready; Control-C ends it. Try\n  curl {system.url}{EXAMPLE}", flush=True)


def check_port(port: int) -> None:
    """Refuse a port that somebody has."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PartFailure(f"Port {port} cannot be used: {error.strerror}. Take another: PORT=8400") from error


def interrupt(*_: object) -> None:
    """End the system, once: what comes later would break off the end itself."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def confined() -> Iterator[None]:
    """Leave no process and no temporary file of the block, however it ends."""
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what has lost its parent becomes a child of this process
    folder = tempfile.mkdtemp(prefix="padron-")
    Path(folder).chmod(0o755)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while left := descendants(os.getpid()):
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(-1, 0)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Start the system and wait for Control-C."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--search-nodes", type=int, default=3)
    given = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        with suppress(KeyboardInterrupt), confined():
            check_port(given.port)
            with whole(
                given.data, nodes=given.nodes, search_nodes=given.search_nodes, port=given.port,
                progress=lambda name: print(f"Starting {name} …", flush=True),
            ) as system:  # fmt: skip
                print_places(system)
                signal.pause()
    except PartFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
