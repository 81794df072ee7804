"""Spans of requests for OpenTelemetry, if the settings name a collector: only then is anything of it loaded here."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from time import time_ns
from typing import TYPE_CHECKING

from padron import __version__
from padron.errors import Invalid

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor


_PATIENCE = 2.0
"""Seconds for a collector to take a batch: one that is down must not keep a worker from ending."""


def ensure_installed() -> None:
    """Raise `Invalid("tracing-not-installed")` without the libraries of the extra `otel`."""
    try:
        distribution("opentelemetry-exporter-otlp-proto-http")
    except PackageNotFoundError as error:
        raise Invalid("tracing-not-installed") from error


def exporting(url: str) -> RequestTracer:
    """Return a tracer that sends its spans to a collector, in batches, from a thread of its own.

    `url` takes OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    return RequestTracer(BatchSpanProcessor(OTLPSpanExporter(endpoint=url, timeout=_PATIENCE)))


class RequestTracer:
    """One span per request: method, route template, status, and nothing else of it."""

    def __init__(self, processor: SpanProcessor) -> None:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        resource = Resource.create({"service.name": "padron", "service.version": __version__})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("padron")
        self._kind = SpanKind.SERVER
        self._error = Status(StatusCode.ERROR)
        self._parent = TraceContextTextMapPropagator().extract

    def record(self, method: str, route: str, status: int, seconds: float, parent: bytes) -> None:
        """Record a request that has just ended.

        Args:
            parent: The value of its header field `traceparent`, empty if it has none.
        """
        ended = time_ns()
        span = self._tracer.start_span(
            f"{method} {route}",
            self._parent({"traceparent": parent.decode("latin-1")}),
            self._kind,
            {"http.request.method": method, "http.route": route, "http.response.status_code": status},
            start_time=ended - int(seconds * 1e9),
        )
        if status >= 500:
            span.set_status(self._error)
        span.end(ended)

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()
