"""What operators see: one structured line a request, and metrics. Neither can hold a query or an identifier.

Both take their fields from `Call`, which knows the route's template, counts and codes only.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from time import perf_counter

import msgspec
import structlog
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from padron.http.call import Call
from padron.http.headers import is_opaque

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Methods told as they are; a client may invent any other, so those are told as OTHER."""

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


def _encode(_: object, __: str, event: structlog.typing.EventDict) -> bytes:
    return msgspec.json.encode(event)


class _Lines:
    """Standard output, in whole lines, several at once.

    A write gives up the interpreter's lock, and under load getting it back costs a worker more than the request did. So
    lines wait until they fill what a pipe takes atomically (workers share it), or for `flush`; errors go out at once.
    """

    _ATOMIC = 4096

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._size = 0

    def info(self, line: bytes) -> None:
        """Write a line, soon."""
        if self._size + len(line) >= self._ATOMIC:
            self.flush()
        self._lines.append(line)
        self._size += len(line) + 1

    def error(self, line: bytes) -> None:
        """Write a line now."""
        self.info(line)
        self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._lines:
            os.write(1, b"\n".join([*self._lines, b""]))
            self._lines.clear()
            self._size = 0


class Journal:
    """The service's log: one JSON object a line."""

    def __init__(self) -> None:
        self._lines = _Lines()
        stamp = structlog.processors.TimeStamper(fmt="iso", key="at")
        log = structlog.wrap_logger(
            self._lines,
            processors=[structlog.processors.add_log_level, stamp, _encode],
            wrapper_class=structlog.make_filtering_bound_logger("info"),
            context_class=dict,
        ).bind()
        self.info, self.error, self.flush = log.info, log.error, self._lines.flush


class Metrics:
    """Request durations by route template and status.

    With several workers `folder` is where each keeps its counts, and any of them shows the sum of all.
    """

    def __init__(self, folder: Path | None = None) -> None:
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
        MultiProcessCollector(shared, path=str(self._folder))  # type: ignore[no-untyped-call]
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
        line: dict[str, object] = {
            "route": call.route,
            "method": method if method in METHODS else "OTHER",
            "status": status,
            "ms": round(seconds * 1000, 3),
        }
        for fact in ("code", "kind", "q_length", "results"):
            if (value := getattr(call, fact)) is not None:
                line[fact] = value
        if is_opaque(call.request_id):
            line["request_id"] = call.request_id
        self.journal.info("request", **line)
        self.metrics.observe(call.route, status, seconds)

    def broke(self, call: Call, error: Exception) -> None:
        """A fault of ours: its kind and the way to it, but not its message, which may quote the request."""
        way = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        self.journal.error("fault", route=call.route, error=type(error).__name__, way=way, request_id=call.request_id)
