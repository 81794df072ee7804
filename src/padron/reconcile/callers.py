"""Callers of the service, and what each request counts against: the quota of an address, or the plan of a key."""

from __future__ import annotations

from typing import Protocol

from padron.accounts.keys import LINKED, Grant
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits


class ReconcileCaller(Protocol):
    """The sender of a request. Each method that counts raises `Limited`."""

    async def count_request(self) -> None:
        """Count a request before it is read."""

    async def count_queries(self, count: int) -> None:
        """Count the queries of a batch whose request is counted."""

    async def count_suggestion(self) -> None:
        """Count a suggestion while somebody types."""

    async def take_row(self) -> None:
        """Wait until a query may be answered, or a body parsed: callers take turns."""


class AnonymousCaller:
    """A sender without a key: each query is a search of its address, the first one that of the request."""

    def __init__(self, call: Call, client_limits: ClientLimits) -> None:
        self._call = call
        self._client_limits = client_limits

    async def count_request(self) -> None:
        await self._client_limits.admit(self._call, self._client_limits.quotas.public)

    async def count_queries(self, count: int) -> None:
        if count > 1:
            await self._client_limits.admit(self._call, self._client_limits.quotas.public, count - 1)

    async def count_suggestion(self) -> None:
        await self._client_limits.admit(self._call, self._client_limits.quotas.type_ahead)

    async def take_row(self) -> None:
        await self._client_limits.take_row(self._call)


class KeyCaller:
    """The holder of the key in the path: each query is a row of a list of the plan."""

    def __init__(self, call: Call, client_limits: ClientLimits, authenticator: KeyAuthenticator, grant: Grant) -> None:
        self._call = call
        self._client_limits = client_limits
        self._authenticator = authenticator
        self._grant = grant

    async def count_request(self) -> None:
        await self._authenticator.spend(self._call, self._grant, counted=False)

    async def count_queries(self, count: int) -> None:
        if count:
            await self._authenticator.spend_rows(self._call, self._grant, count, LINKED)

    async def count_suggestion(self) -> None:
        await self._client_limits.admit(self._call, self._client_limits.quotas.type_ahead)

    async def take_row(self) -> None:
        await self._authenticator.take_row(self._grant)
