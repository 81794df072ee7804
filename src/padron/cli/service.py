"""`padron serve` and `doctor`: the service, and what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from padron import config
from padron.cli import doctor
from padron.countries import REGISTRY
from padron.errors import ReleaseError, Unavailable, messages
from padron.releases import snapshot
from padron.service import app
from padron.words import bilingual

BROKEN = 3
"""Exit code of an examination that found a fault."""

_YES = ("", "y", "yes", "s", "si", "sí")

Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Port = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=65535))]
AnyPort = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=65535))]


def serve(*, data: Path | None = None, host: str = "127.0.0.1", port: Port = 8000, workers: Positive = 1) -> int:
    """Serve the HTTP API.

    Without a release it states how to build one, offers to do so at a terminal, and serves one as soon as it is there.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address to listen on.
        port: Port to listen on.
        workers: Processes that answer.
    """
    settings = doctor.startable(data, host, port)
    if failed := _first_build(settings.data):
        return failed
    app.serve(settings, host=host, port=port, workers=workers)
    return 0


def _first_build(data: Path) -> int:
    """State that there is no release yet; at a terminal build one if the person there agrees. Return the exit code."""
    try:
        snapshot.current(data)
    except (ReleaseError, Unavailable) as error:
        if error.code != "no-release":
            return 0  # `/readyz` states it, and the release before is served
        reader = config.reader_language()
        print(messages.detail(error, reader), file=sys.stderr)  # noqa: T201
        if sys.stdin.isatty() and sys.stderr.isatty():
            question = bilingual("Build one now? It takes a minute. [Y/n]").of(reader)
            if input(f"{question} ").strip().lower() in _YES:
                # A process of its own: the service keeps none of the memory that a build takes.
                command = [sys.executable, "-m", "padron", "build", "--data", str(data)]
                return subprocess.run(command, check=False).returncode  # noqa: S603 - our own command
    return 0


def examine(*, data: Path | None = None, host: str = "127.0.0.1", port: AnyPort = 8000) -> int:
    """Check settings, disk, release, index lock, port and clock; tell every fault at once.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address the service will listen on.
        port: Port the service will listen on; 0: any.
    """
    findings = doctor.examine(data, host, port, REGISTRY)
    for finding in findings:
        mark = "✗" if finding.fault else "✓"
        print(f"{mark} {finding.text.of(config.reader_language())}")  # noqa: T201
    return BROKEN if any(finding.fault for finding in findings) else 0
