"""Health, readiness and metrics."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from padron import threads
from padron.directory import Directory
from padron.transport.observability import Observer

_NO_STORE = {"cache-control": "no-store"}


def routes(directory: Callable[[], Directory], observer: Observer) -> list[Route]:
    """`/healthz`, `/readyz`, `/metrics`.

    Args:
        directory: The companies; raises `Unavailable` until a release is served.
        observer: The states of the parts and the last success of each background task, for `/readyz`; the metrics.
    """

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "alive"}, headers=_NO_STORE)

    async def readyz(_: Request) -> Response:
        # Copies: this runs in the thread of the operations, and the service enters parts and tasks in its own.
        parts = {part: error or "ok" for part, error in observer.parts.copy().items()}
        tasks = {task: f"{at:%FT%TZ}" for task, at in observer.successes.copy().items()}
        state = {"status": "ready", "release": directory().release, "parts": parts, "tasks": tasks}
        return JSONResponse(state, headers=_NO_STORE)

    async def show_metrics(_: Request) -> Response:
        text = await threads.METRICS.call(observer.metrics.text)
        return Response(text, media_type=CONTENT_TYPE_LATEST, headers=_NO_STORE)

    return [
        Route("/healthz", healthz, methods=["GET"]),
        Route("/readyz", readyz, methods=["GET"]),
        Route("/metrics", show_metrics, methods=["GET"]),
    ]
