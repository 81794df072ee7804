"""PostgreSQL and Redis of the tests' own: Debian's packages, on free ports, as a user who is not root."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parts import Part
from ports import free_port


def _as_user() -> dict[str, object]:
    """PostgreSQL refuses to run as root: its own user, or nobody, does."""
    if os.getuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid}


def listens(port: int) -> bool:
    """True if a server accepts connections on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def postgres_part() -> Iterator[tuple[str, Part]]:
    """A PostgreSQL server with an empty cluster; gives the address of its database and the server."""
    binaries = [*sorted(glob.glob("/usr/lib/postgresql/*/bin")), os.path.dirname(shutil.which("initdb") or "")]
    assert binaries[0], "apt-get install postgresql"
    user, port = _as_user(), free_port()
    with tempfile.TemporaryDirectory(prefix="padron-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if user:
            os.chown(folder, user["user"], user["group"])
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/", **user}
        subprocess.run(
            [f"{binaries[0]}/initdb", "-D", f"{folder}/data", "-U", "padron", "-A", "trust", "-N"], check=True, **quiet
        )
        ready = [f"{binaries[0]}/pg_isready", "-h", "127.0.0.1", "-p", str(port)]
        places = ["-D", f"{folder}/data", "-k", str(folder), "-h", "127.0.0.1", "-p", str(port)]
        part = Part(
            name="PostgreSQL",
            command=[f"{binaries[0]}/postgres", *places, "-F"],  # it goes with its data: nothing has to reach the disk
            log=folder / "output.log",
            answers=lambda: subprocess.run(ready, check=False, **quiet).returncode == 0,
            user=user,
        )
        with part.running(signal.SIGQUIT):
            yield f"postgresql+psycopg://padron@127.0.0.1:{port}/postgres", part


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server with an empty cluster; gives the address of its database."""
    with postgres_part() as (url, _):
        yield url


@contextmanager
def redis_part() -> Iterator[tuple[str, Part]]:
    """A Redis server; gives its address and the server."""
    binary, port = shutil.which("redis-server"), free_port()
    assert binary, "apt-get install redis-server"
    with tempfile.TemporaryDirectory(prefix="padron-redis-") as folder:
        part = Part(
            name="Redis",
            command=[binary, "--port", str(port), "--save", "", "--dir", folder, "--bind", "127.0.0.1"],
            log=Path(folder, "output.log"),
            answers=lambda: listens(port),
        )
        with part.running():
            yield f"redis://127.0.0.1:{port}", part


@contextmanager
def redis() -> Iterator[tuple[str, subprocess.Popen]]:
    """A Redis server; gives its address and the process."""
    with redis_part() as (url, part):
        yield url, part.process
