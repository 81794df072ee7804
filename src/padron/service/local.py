"""The API of one release for the program that holds it: same answers and errors, without keys, accounts or limits."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from padron import config
from padron.accounts.keys import Grant
from padron.accounts.plans import read_plans
from padron.api import public, v1, v1_search
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import PadronError
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.middleware import refuse

_HOLDER: Final = Grant("local", "local", "local", frozenset(), inf, 0, 0)
"""The grant of who has the release itself."""


class OpenEndpoint:
    """A route of v1 without the check of keys."""

    def __init__(self, serve: v1.Serve) -> None:
        self._serve = serve

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._serve(Call.of(scope), _HOLDER, receive, send)


class LocalApp:
    """An ASGI application over one directory: its errors are the documents of the service; it logs nothing."""

    def __init__(self, directory: Directory, base_url: str) -> None:
        def companies() -> Directory:
            return directory

        reads = [Route(path, OpenEndpoint(serve)) for path, serve in v1.reads(companies, base_url, v1_search.unkeyed)]
        unlimited = ClientLimits(None, read_plans().anonymous, ())
        self._router = Router([*public.routes(unlimited, companies, base_url), *reads], redirect_slashes=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, uncompressed: nothing travels."""
        scope["headers"] = [field for field in scope["headers"] if field[0] != b"accept-encoding"]
        call = scope["padron.call"] = Call(scope)

        async def finish(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *call.headers]
            await send(message)

        # The router raises for an unknown address only inside an application.
        scope["app"] = self
        try:
            await self._router(scope, receive, finish)
        except (PadronError, HTTPException) as error:
            answer = await refuse(Request(scope), error)
            await answer(scope, receive, finish)


async def open_app(data: Path | None = None) -> LocalApp:
    """Return the application over the current release of a data folder.

    Args:
        data: The data folder; that of the settings by default.

    Returns:
        The application. It goes on answering from this release when another is published.

    Raises:
        PadronError: As `config.load` and `Directory.open` do.
    """
    settings = config.load(data=data)
    directory = await Directory.open(
        settings.data, REGISTRY, settings.base_url, settings.suppressions, search_url=settings.search.url
    )
    return LocalApp(directory, settings.base_url)
