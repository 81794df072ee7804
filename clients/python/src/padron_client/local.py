"""A local release in place of the service: requests are answered in this process, by the package `padron`."""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Coroutine
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx2

LOCAL_URL: Final = "http://localhost"
"""Address that requests to a local release carry; nothing listens there."""

T = TypeVar("T")


class LocalTransport(httpx2.BaseTransport):
    """A transport into an application of this process.

    Its event loop runs in a thread of its own, so that calls may come from any thread, and where a loop runs already.

    Args:
        data: The data folder; that of the settings when left out.

    Raises:
        ImportError: The package `padron` is not installed.
        ValueError: The folder has no release that can be served; the message says how to build one.
    """

    def __init__(self, data: str | PathLike[str] | None = None) -> None:
        try:
            local = importlib.import_module("padron.service.local")
        except ModuleNotFoundError as error:
            raise ImportError(
                "Padron.local needs the package padron: pip install PATH, the path of a checkout"
            ) from error
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="padron-local", daemon=True)
        self._thread.start()
        try:
            self._app = self._run(local.open_app(None if data is None else Path(data)))
        except importlib.import_module("padron.errors").PadronError as error:
            self.close()
            words = importlib.import_module("padron.errors.messages")
            raise ValueError(words.detail(error, "en")) from None

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request from the release."""
        return self._run(self._answer(request))

    def close(self) -> None:
        """End the thread. The transport cannot be used after that."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        response = await httpx2.ASGITransport(self._app).handle_async_request(
            httpx2.Request(request.method, request.url, headers=request.headers, content=request.read())
        )
        return httpx2.Response(response.status_code, headers=response.headers, content=await response.aread())
