"""`padron serve` and `doctor`: the service, and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from padron import config, doctor
from padron.countries import REGISTRY

BROKEN = 3
"""Exit code of an examination that found a fault."""

Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Port = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=65535))]
AnyPort = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=65535))]


def serve(*, data: Path | None = None, host: str = "127.0.0.1", port: Port = 8000, workers: Positive = 1) -> int:
    """Serve the HTTP API.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address to listen on.
        port: Port to listen on.
        workers: Processes that answer.

    Returns:
        The exit code.
    """
    from padron.app import serve as run  # noqa: PLC0415 - `doctor` does not load the web framework

    settings = doctor.startable(data, host, port)
    run(settings, host=host, port=port, workers=workers)
    return 0


def examine(*, data: Path | None = None, host: str = "127.0.0.1", port: AnyPort = 8000) -> int:
    """Check settings, disk, release, index lock, port and clock; tell every fault at once.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address the service will listen on.
        port: Port the service will listen on; 0: any.

    Returns:
        The exit code.
    """
    findings = doctor.examine(data, host, port, REGISTRY)
    for finding in findings:
        mark = "✗" if finding.fault else "✓"
        print(f"{mark} {finding.text.of(config.reader_language())}")  # noqa: T201
    return BROKEN if any(finding.fault for finding in findings) else 0
