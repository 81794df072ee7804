"""Whether this machine can serve: settings, disk, release, clock and port, every fault told at once."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from padron import config, snapshot
from padron.accounts.plans import BUNDLED, read_plans
from padron.country import Country
from padron.directory import Directory, run
from padron.errors import PadronError, Unavailable
from padron.model import Text
from padron.publishing import prove
from padron.suppression import load as load_suppressions
from padron.words import error_messages

_FREE_SHARE = 2
_CLOCK_SLACK = timedelta(minutes=5)


class Finding(NamedTuple):
    """One thing looked at; `fault` when it stops the service from working well."""

    fault: bool
    text: Text


def examine(data: Path | None, host: str, port: int, registry: Mapping[str, Country]) -> list[Finding]:
    """Every check, in the order a person would mend them."""
    try:
        settings = config.load(data=data)
        read_plans(settings.accounts.plans or BUNDLED)
    except PadronError as error:
        return [_fault(error)]
    findings = [Finding(False, Text("ajustes: correctos", "settings: sound"))]
    findings += _disk(settings.data)
    findings += _release(settings, registry)
    findings += _port(host, port)
    return findings


def _fault(error: PadronError) -> Finding:
    return Finding(True, Text(error_messages.detail(error, "es"), error_messages.detail(error, "en")))


def _disk(data: Path) -> Iterator[Finding]:
    """The data folder can be written, and a next release has room beside this one."""
    folder = data if data.exists() else data.absolute().parent
    if not os.access(folder, os.W_OK):
        yield Finding(True, Text(f"disco: no se puede escribir en {folder}", f"disk: cannot write to {folder}"))
        return
    used = sum(path.stat().st_size for path in data.rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    es, en = f"{free >> 20} MiB libres, {used >> 20} en uso", f"{free >> 20} MiB free, {used >> 20} used"
    yield Finding(free < used * _FREE_SHARE, Text(f"disco: {es}", f"disk: {en}"))


def _release(settings: config.Settings, registry: Mapping[str, Country]) -> Iterator[Finding]:
    """The served release is whole, proved, openable (its lock file writable) and not from the future."""
    try:
        release = snapshot.read_release(settings.data, snapshot.current(settings.data))
        for name in release.snapshots.values():
            snapshot.verify(settings.data / "snapshots" / name)
        prove(settings.data, release, registry, load_suppressions(settings.suppressions, registry))
        run(Directory.open(settings.data, registry, settings.base_url, settings.suppressions))
    except PadronError as error:
        yield _fault(error)
        return
    yield Finding(False, Text(f"versión {release.id}: íntegra", f"release {release.id}: whole"))
    ahead = datetime.fromisoformat(release.generated_at) > datetime.now(UTC) + _CLOCK_SLACK
    yield Finding(
        ahead,
        Text("reloj: anterior a la versión publicada", "clock: earlier than the published release")
        if ahead
        else Text("reloj: correcto", "clock: sound"),
    )


def _port(host: str, port: int) -> Iterator[Finding]:
    """The port can be listened on."""
    try:
        claim(host, port)
    except PadronError as error:
        yield _fault(error)
    else:
        yield Finding(False, Text(f"puerto {host}:{port}: libre", f"port {host}:{port}: free"))


def startable(data: Path | None, host: str, port: int) -> config.Settings:
    """The settings of a service that can start. Raises like `config.load`, `read_plans` and `claim`."""
    settings = config.load(data=data)
    read_plans(settings.accounts.plans or BUNDLED)
    claim(host, port)
    return settings


def claim(host: str, port: int) -> None:
    """Raise `Unavailable("cannot-listen")` where nobody can listen on the port, or somebody does.

    The server itself would share a taken port (its workers do), and two services would answer in turn.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Unavailable("cannot-listen", host=host, port=port, reason=error.strerror) from error
