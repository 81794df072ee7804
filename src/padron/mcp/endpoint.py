"""The routes `/mcp` and `/mcp/tools.json`: who may call, how often, and with how long a body."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from padron.api.openapi import DocumentEndpoint
from padron.api.sample import not_in_sample
from padron.directory import Directory
from padron.errors import Denied
from padron.mcp import tools
from padron.model import Language
from padron.transport import headers
from padron.transport.auth import KeyAuthenticator
from padron.transport.bodies import read_bytes
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits

MOST: Final = 131_072
"""Most bytes of a request: fifty names of 256 characters, escaped, have some 80,000."""

_LOOPBACK: Final = {"127.0.0.1", "::1", "localhost"}


def routes(
    client_limits: ClientLimits, authenticator: KeyAuthenticator, directory: Callable[[], Directory], base_url: str
) -> list[Route]:
    """Return the routes of the protocol.

    Args:
        client_limits: The quotas of clients.
        authenticator: The check of keys.
        directory: Returns the release being served.
        base_url: The address of the service.

    Returns:
        The routes.
    """
    listing = DocumentEndpoint(lambda language: msgspec.json.encode({"tools": tools.described(language)}))
    endpoint = Endpoint(client_limits, authenticator, directory, base_url)
    return [Route("/mcp", endpoint, methods=["POST"]), Route("/mcp/tools.json", listing, methods=["GET"])]


class HttpCaller:
    """The sender of a request: public search within the quota of its address, financial values with its own key."""

    def __init__(self, call: Call, client_limits: ClientLimits, authenticator: KeyAuthenticator) -> None:
        self._call = call
        self._client_limits = client_limits
        self._authenticator = authenticator

    @property
    def language(self) -> Language:
        """The language that the request accepts."""
        return self._call.language

    async def count_searches(self, count: int) -> None:
        """Count searches against the public quota, whose state is reported once. Raises `Limited`."""
        if count:
            call = self._call
            call.headers[:] = [field for field in call.headers if not field[0].startswith(b"ratelimit")]
            await self._client_limits.admit(call, self._client_limits.quotas.public, count)

    @asynccontextmanager
    async def financials_granted(self) -> AsyncIterator[None]:
        """Check the key in the header fields, and count the answer if it succeeds. Raises `Denied` or `Limited`."""
        call, answered = self._call, False
        grant = await self._authenticator.authenticate(call)
        if grant.test:  # the tools answer about all companies
            raise not_in_sample()
        await self._authenticator.spend(call, grant, counted=True)
        try:
            self._authenticator.authorize(call, grant, "financials", "financials")
            yield
            answered = True
        finally:
            await self._authenticator.record(grant, "financials", answered=answered)


class Endpoint:
    """`POST /mcp`, the streamable HTTP transport without sessions: every request stands alone, on any worker."""

    def __init__(
        self,
        client_limits: ClientLimits,
        authenticator: KeyAuthenticator,
        directory: Callable[[], Directory],
        base_url: str,
    ) -> None:
        self._client_limits = client_limits
        self._authenticator = authenticator
        self._directory = directory
        self._site = urlsplit(base_url.lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message. Raises `Denied("cross-site-request")`, `Limited`, `Invalid`, `Unavailable`."""
        call = Call.of(scope)
        self._check_origin(call)
        caller = HttpCaller(call, self._client_limits, self._authenticator)
        await caller.count_searches(1)
        body: bytes | None = await read_bytes(call, receive, MOST)
        directory = self._directory()
        await asyncio.to_thread(import_module, "padron.mcp.server")
        from padron.mcp.server import Exchange, answer  # noqa: PLC0415 - only callers of the tools need the library

        faults: list[Exception] = []

        async def opened() -> Directory:
            return directory

        async def read() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            whole, body = body, None
            return {"type": "http.request", "body": whole}

        call.headers.append(headers.NO_STORE)
        exchange = Exchange(caller, opened, call.request_id, faults.append)
        await answer(exchange, scope, read, send)
        for fault in faults:
            raise fault

    def _check_origin(self, call: Call) -> None:
        """Refuse pages of other sites, as the protocol demands against DNS rebinding.

        A browser states the origin of the page with every POST, and no page can have that of this service but its own;
        beside a service on this machine, pages on this machine may call too. Raises `Denied("cross-site-request")`.
        """
        given = call.given.get(b"origin")
        if given is None:
            return
        origin = urlsplit(given.decode("latin-1").lower())
        local = self._site.hostname in _LOOPBACK and origin.hostname in _LOOPBACK
        if not local and (origin.scheme, origin.netloc) != (self._site.scheme, self._site.netloc):
            raise Denied("cross-site-request")
