"""Spans of requests: what they hold, that they reach a collector, and that nothing of them is loaded without one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory
from padron.config import load
from padron.errors import Invalid, messages
from padron.service.app import build_app
from padron.transport import tracing
from padron.transport.observability import Metrics, Observer, StructuredLog
from process import serving

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("path", "route", "status"),
    [
        ("/api/public/empresas/search?q=favorita", "/api/public/empresas/search", 200),
        ("/api/public/empresas/EC/1790016919001", "/api/public/empresas/{country}/{identifier}", 200),
        ("/api/public/empresas/EC/1790019845001", "/api/public/empresas/{country}/{identifier}", 404),
        ("/favorita", "unmatched", 404),
    ],
)
def test_a_span_holds_route_and_status_and_nothing_asked(path: str, route: str, status: int) -> None:
    spans = InMemorySpanExporter()
    tracer = tracing.RequestTracer(SimpleSpanProcessor(spans))
    app = build_app(load({}), MemoryDirectory(), observer=Observer(StructuredLog(), Metrics(), tracer))  # type: ignore[arg-type]
    with TestClient(app) as client:
        assert client.get(path, headers={"traceparent": PARENT}).status_code == status
    (span,) = spans.get_finished_spans()
    assert span.name == f"GET {route}"
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": route,
        "http.response.status_code": status,
    }
    assert f"{span.context.trace_id:032x}-{span.parent.span_id:016x}" == PARENT[3:-3]
    assert 0 < span.end_time - span.start_time < 60e9
    text = json.dumps(json.loads(span.to_json()))
    assert "favorita" not in text
    assert "1790016919" not in text


def test_spans_reach_the_collector_before_the_service_ends(small_data: Path, tmp_path: Path) -> None:
    received: list[tuple[str, str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((self.path, self.headers["content-type"], body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{collector.server_port}/v1/traces"
        with serving(small_data, tmp_path, PADRON_TRACES__URL=url) as server:
            with urllib.request.urlopen(f"{server.url}/api/public/empresas/search?q=favorita") as answer:
                assert answer.status == 200
            assert server.stop() == 0
        collector.shutdown()
        thread.join()
    assert {(path, kind) for path, kind, _ in received} == {("/v1/traces", "application/x-protobuf")}
    bodies = b"".join(body for _, _, body in received)
    assert bodies.count(b"GET /api/public/empresas/search") == 1
    assert b"favorita" not in bodies


def test_without_a_collector_nothing_of_it_is_loaded() -> None:
    """The client of Redis loads the other libraries by itself, where they are installed."""
    script = "import sys, padron.service.app; sys.exit('opentelemetry.exporter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
    script = "import sys; from padron.transport import tracing; sys.exit('opentelemetry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_collector_without_the_libraries_is_refused_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    tracing.ensure_installed()

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(tracing, "distribution", missing)
    with pytest.raises(Invalid, match="tracing-not-installed") as caught:
        tracing.ensure_installed()
    assert "pip install 'padron[otel]'" in messages.detail(caught.value, "es")
