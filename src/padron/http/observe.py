"""What operators see: one structured line a request, and metrics. Neither can hold a query or an identifier.

Both take their fields from `Call`, which knows the route's template, counts and codes only.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from time import perf_counter
from typing import Any

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


def journal() -> Any:
    """A logger that writes one JSON object a line to standard output."""
    return structlog.wrap_logger(
        structlog.BytesLogger(sys.stdout.buffer),
        processors=[structlog.processors.TimeStamper(fmt="iso", key="at"), _encode],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        context_class=dict,
    )


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

    def __init__(self, log: Any, metrics: Metrics) -> None:
        self.log = log
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
        self.log.info("request", **line)
        self.metrics.observe(call.route, status, seconds)

    def broke(self, call: Call, error: Exception) -> None:
        """A fault of ours: its kind and the way to it, but not its message, which may quote the request."""
        way = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        self.log.error("fault", route=call.route, error=type(error).__name__, way=way, request_id=call.request_id)
