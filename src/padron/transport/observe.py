"""What operators see: one structured line a request, and metrics. Neither can hold a query or an identifier.

The lines are types: what has no field here cannot be logged, and every field is a template, a code, a count or a time.
"""

from __future__ import annotations

import logging
import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import msgspec
from msgspec import Struct, field
from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

from padron.transport.call import Call, Kind
from padron.transport.headers import is_opaque

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Methods told as they are; a client may invent any other, so those are told as OTHER."""

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event"):
    """A line of the log. `at` is UTC."""

    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class RequestLine(Line, frozen=True, kw_only=True, tag="request"):
    """A request is over. `ms` is the time to answer, `q_length` the characters of `q`, `results` how many it found."""

    route: str
    method: str
    status: int
    ms: float
    code: str | None = None
    kind: Kind | None = None
    q_length: int | None = None
    results: int | None = None
    request_id: str | None = None


class FaultLine(Line, frozen=True, kw_only=True, tag="fault"):
    """A fault of ours: its kind and the way to it, but not its message, which may quote the request."""

    route: str
    error: str
    way: list[str]
    request_id: str | None


class ReleaseLine(Line, frozen=True, kw_only=True, tag="release"):
    """Another release is served from now on."""

    release: str


class RefusedLine(Line, frozen=True, kw_only=True, tag="release-refused"):
    """The release that `current` names does not open; the one before goes on being served."""

    error: str


class ServerLine(Line, frozen=True, kw_only=True, tag="server"):
    """What the HTTP server itself has to say: a worker that died, a port that is taken."""

    level: str
    message: str


class ServerFormatter(logging.Formatter):
    """Makes the server's own log records lines of this log."""

    def format(self, record: logging.LogRecord) -> str:
        """One JSON object."""
        line = ServerLine(level=record.levelname.lower(), message=record.getMessage())
        return msgspec.json.encode(line).decode()


class LostLine(Line, frozen=True, kw_only=True, tag="lost"):
    """A part (`limits`, `accounts`, `mail`, `billing`) does not work, by this error; without one it does again."""

    part: str
    error: str | None


class Journal:
    """The log on standard output: one JSON object a line, several lines at once.

    A write gives up the interpreter's lock, and under load getting it back costs a worker more than the request did. So
    lines wait until they fill what a pipe takes atomically (workers share it), or for `flush`.
    """

    _ATOMIC = 4096

    def __init__(self) -> None:
        self._encode = msgspec.json.Encoder().encode
        self._lines: list[bytes] = []
        self._size = 0

    def write(self, line: Line) -> None:
        """Write a line, soon."""
        text = self._encode(line)
        if self._size + len(text) >= self._ATOMIC:
            self.flush()
        self._lines.append(text)
        self._size += len(text) + 1

    def tell(self, line: Line) -> None:
        """Write a line now: for what happens seldom."""
        self.write(line)
        self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._lines:
            os.write(1, b"\n".join([*self._lines, b""]))
            self._lines.clear()
            self._size = 0


class Metrics:
    """Request durations by route template and status.

    With several workers `folder` is where each keeps its counts, and any of them shows the sum of all.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None:
            # The library decides at its import, by its environment, whether values are shared; a worker is told later.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
            values.ValueClass = values.get_value_class()
        self._own = CollectorRegistry()
        self._folder = folder
        self._seconds = Histogram(
            "padron_http_request_seconds",
            "Time to answer, by route template and status; its count is the number of requests.",
            ("route", "status"),
            buckets=_BUCKETS,
            registry=self._own,
        )
        self._series: dict[tuple[str, int], Histogram] = {}
        self.lost = Gauge(
            "padron_part_lost",
            "1 while a part (limits, accounts, mail, billing) cannot be reached; the service answers without it.",
            ("part",),
            registry=self._own,
            multiprocess_mode="livemax",
        )

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        series = self._series.get((route, status))
        if series is None:
            series = self._series[route, status] = self._seconds.labels(route, status)
        series.observe(seconds)

    def text(self) -> bytes:
        """Prometheus text format 0.0.4."""
        if self._folder is None:
            return generate_latest(self._own)
        shared = CollectorRegistry()
        MultiProcessCollector(shared, path=str(self._folder))
        return generate_latest(shared)


class Observer:
    """Writes the line and counts the request when a call is over."""

    def __init__(self, journal: Journal, metrics: Metrics) -> None:
        self.journal = journal
        self.metrics = metrics

    def finished(self, call: Call) -> None:
        """The call has been answered, or its client has gone (status 499)."""
        seconds = perf_counter() - call.started
        status = call.status or 499
        method = call.scope["method"]
        self.journal.write(
            RequestLine(
                route=call.route,
                method=method if method in METHODS else "OTHER",
                status=status,
                ms=round(seconds * 1000, 3),
                code=call.code,
                kind=call.kind,
                q_length=call.q_length,
                results=call.results,
                request_id=_opaque_id(call),
            )
        )
        self.metrics.observe(call.route, status, seconds)

    def lost(self, part: str, error: str | None) -> None:
        """A part does not work, by this error; None: it does again."""
        self.metrics.lost.labels(part).set(error is not None)
        self.journal.tell(LostLine(part=part, error=error))

    def broke(self, call: Call, error: Exception) -> None:
        """A fault of ours; told at once."""
        way = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        self.journal.tell(FaultLine(route=call.route, error=type(error).__name__, way=way, request_id=_opaque_id(call)))


def _opaque_id(call: Call) -> str | None:
    """The request id, unless its caller made it up of something that may mean more."""
    return call.request_id if is_opaque(call.request_id) else None
