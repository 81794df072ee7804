"""The whole system on this machine: OpenSearch, PostgreSQL, Redis, a store of releases, nodes of the service, a proxy.

    PYTHONPATH=src:tests/support python tests/support/cluster.py --data var

starts it on addresses of the loopback alone, prints them, and ends with it what it started (`make cluster`).
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from opensearch import Cluster, opensearch
from padron.countries import REGISTRY
from padron.index import release_index
from padron.index.engines import engine_kind
from padron.releases import snapshot
from ports import free_port
from process import ROOT, Server, serving
from servers import postgres, redis
from waiting import PATIENCE, until

CADDYFILE = """\
{{
	admin off
	auto_https off
}}
http://127.0.0.1:{port} {{
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


@dataclass(frozen=True)
class System:
    """A running system: the address of its proxy, its nodes with their data folders, and what stands behind them."""

    url: str
    nodes: list[Server]
    folders: list[Path]
    search: Cluster
    database: str
    counters: tuple[str, subprocess.Popen[bytes]]
    settings: Mapping[str, str]

    def command(self, *words: str, data: Path, entry: str = "") -> str:
        """Run `padron` over a data folder, with a standard input; what it prints."""
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | self.settings
        command = [sys.executable, "-m", "padron.cli.app", *words, "--data", str(data)]
        done = subprocess.run(command, env=environment, input=entry, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def release(self, node: Server) -> str:
        """The release that a node serves, empty while it is not ready."""
        with suppress(OSError), urllib.request.urlopen(f"{node.url}/readyz", timeout=PATIENCE) as answer:
            return answer.read().decode()
        return ""


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
def caddy(port: int, nodes: list[Server], folder: Path) -> Iterator[str]:
    """A proxy before the nodes; gives its address."""
    names = " ".join(f"127.0.0.1:{node.port}" for node in nodes)
    (folder / "Caddyfile").write_text(CADDYFILE.format(port=port, nodes=names))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with (folder / "caddy.log").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=os.environ | {"HOME": str(folder)})

    def answers() -> bool:
        assert process.poll() is None, (folder / "caddy.log").read_text()
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE):
            return True
        return False

    try:
        until(answers)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def whole(
    data: Path, *, nodes: int = 3, search_nodes: int = 3, port: int | None = None, limits: bool = True
) -> Iterator[System]:
    """The whole system over the current release of a data folder, which stays as it is.

    The first node has the release built; the others pull it from the store. All share search, accounts and limits.
    """
    port = port or free_port()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="padron-cluster-")))
        search = stack.enter_context(opensearch(search_nodes))
        database, counters = stack.enter_context(postgres()), stack.enter_context(redis())
        settings = {
            "PADRON_BASE_URL": f"http://127.0.0.1:{port}",
            "PADRON_BILLING__PROVIDER": "sandbox",
            "PADRON_SEARCH__URL": search.url(replicas=REPLICAS, timeout=10),
            "PADRON_ACCOUNTS__URL": database,
            "PADRON_ACCOUNTS__SECRET": secrets.token_urlsafe(32),
            "PADRON_LIMITS__ENABLED": str(int(limits)),
            "PADRON_LIMITS__URL": counters[0],
            "PADRON_RELEASES__STORE": str(folder / "store"),
            "PADRON_SERVER__TRUSTED_PROXIES": "127.0.0.1",
        }
        folders = [folder / f"node-{number}" for number in range(nodes)]
        system = System(f"http://127.0.0.1:{port}", [], folders, search, database, counters, settings)
        indexed(data, folders[0], settings["PADRON_SEARCH__URL"])
        system.command("release", "push", data=folders[0])
        for other in folders[1:]:
            other.mkdir()
            system.command("release", "pull", data=other)
        for node in folders:
            server = stack.enter_context(serving(node, folder, **settings))
            until(lambda server=server: system.release(server))
            system.nodes.append(server)
        stack.enter_context(caddy(port, system.nodes, folder))
        yield system


def main() -> None:
    """Start the system and wait for Control-C."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--search-nodes", type=int, default=3)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print("Starting OpenSearch, PostgreSQL, Redis, the nodes and Caddy …", flush=True)
    with (
        suppress(KeyboardInterrupt),
        whole(given.data, nodes=given.nodes, search_nodes=given.search_nodes, port=given.port) as system,
    ):
        print(f"{system.url}  (Control-C ends it)")
        for node, folder in zip(system.nodes, system.folders, strict=True):
            print(f"  node        {node.url}  {folder}")
        print(f"  OpenSearch  {' '.join(node.address for node in system.search.nodes)}")
        print(f"  PostgreSQL  {system.database}\n  Redis       {system.counters[0]}", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
