"""A request and the state of its answer, and the only facts about it that may be logged."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from time import perf_counter
from typing import Literal

from starlette.types import Scope, Send

from padron.transport import negotiation
from padron.transport.headers import CORS, SHARED, Header, request_id

Kind = Literal["name", "number", "mixed"]

CROSS_ORIGIN = ("/api/", "/reconcile", "/bulk/")
"""Paths whose answers pages of other sites may read."""


class Call:
    """A request and the state of its answer.

    `given` holds the request's header fields (lines of one name as one list, RFC 9110 §5.2), `members` the names that
    its JSON body has, once it is read; `headers` are those every answer to it carries, whatever its status. `code`,
    `kind`, `q_length`, `results` and `unrecorded_keys` are facts for the log: never a query, an identifier, a path or
    an address. `encoding` is the time that the JSON of a search took, in seconds.
    """

    __slots__ = (
        "code",
        "encoding",
        "given",
        "headers",
        "kind",
        "language",
        "members",
        "q_length",
        "request_id",
        "results",
        "scope",
        "started",
        "status",
        "unrecorded_keys",
    )

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.started = perf_counter()
        self.given: dict[bytes, bytes] = dict(scope["headers"])
        if len(self.given) < len(scope["headers"]):
            self.given = _joined(scope["headers"])
        self.request_id = request_id(self.given.get(b"x-request-id"))
        self.language = negotiation.language(self.given.get(b"accept-language", b""))
        self.headers: list[Header] = [(b"x-request-id", self.request_id.encode()), *SHARED]
        if scope["path"].startswith(CROSS_ORIGIN):
            self.headers += CORS
        self.members: Collection[str] = ()
        self.status = 0
        self.code: str | None = None
        self.kind: Kind | None = None
        self.q_length: int | None = None
        self.results: int | None = None
        self.unrecorded_keys: int | None = None
        self.encoding: float | None = None

    @classmethod
    def of(cls, scope: Scope) -> Call:
        """Return the call that the middleware put into this scope."""
        call: Call = scope["padron.call"]
        return call

    @property
    def route(self) -> str:
        """Template of the matching route, such as `/api/public/empresas/{country}/{identifier}`."""
        route = self.scope.get("route")
        return route.path_format if route else "unmatched"

    async def answer(self, send: Send, status: int, headers: list[Header], body: bytes) -> None:
        """Send a complete answer; the middleware adds `self.headers`."""
        start = [*headers, (b"content-length", str(len(body)).encode())] if status != 304 else headers
        await send({"type": "http.response.start", "status": status, "headers": start})
        await send({"type": "http.response.body", "body": body})


def _joined(lines: Iterable[Header]) -> dict[bytes, bytes]:
    """Join header fields of one name: HTTP/2 may send every cookie in a field of its own (RFC 9113 §8.2.3)."""
    joined: dict[bytes, list[bytes]] = {}
    for name, value in lines:
        joined.setdefault(name, []).append(value)
    return {name: (b"; " if name == b"cookie" else b", ").join(values) for name, values in joined.items()}
