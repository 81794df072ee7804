"""The outermost layer: requests become `Call`s, answers get shared header fields, errors become problem documents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from urllib.parse import unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from padron.accounts.keys import LEAKED_MARK
from padron.config import Network
from padron.errors import Invalid, NotFound, PadronError, Unavailable
from padron.threads import TAKE_TURN
from padron.transport import problems
from padron.transport.call import Call
from padron.transport.client_limits import client_of
from padron.transport.headers import API, NO_STORE, PREFLIGHT, Header
from padron.transport.observability import Observer
from padron.transport.turns import Turns

Refuse = Callable[[Request, Exception], Awaitable[Response]]


async def refuse(request: Request, error: Exception) -> Response:
    """Return the answer to an error of the application, or of the router when no route fits."""
    call = Call.of(request.scope)
    meant = translated(call, request.method, error)
    if meant is None:
        return Response(status_code=204)
    document = problems.body(meant, call.language, call.request_id, call.members)
    status = record_error(call, meant)
    call.headers += (*API, NO_STORE, (b"content-language", call.language.encode()))
    return Response(document, status, media_type=problems.MEDIA_TYPE)


def translated(call: Call, method: str, error: Exception) -> PadronError | None:
    """Return an error as one of this package, or None if nothing is wrong.

    The router answers an OPTIONS to a known route with 405 and its methods: that is the preflight of a browser, or asks
    for the methods.

    Returns:
        The error to answer with.
    """
    if isinstance(error, HTTPException) and error.status_code == 405:
        methods = (error.headers or {})["Allow"].split(", ")
        allow = ", ".join(sorted({*methods, "OPTIONS"})).encode()
        call.headers.append((b"allow", allow))
        if method == "OPTIONS":
            call.headers += ((b"access-control-allow-methods", allow), *PREFLIGHT)
            return None
        return Invalid("method-not-allowed", allowed=allow.decode())
    if isinstance(error, HTTPException):
        return NotFound("no-such-address")
    assert isinstance(error, PadronError)
    return error


def record_error(call: Call, error: PadronError) -> int:
    """Return the status of an error; set its code for the log and Retry-After for the caller."""
    call.code = error.code
    wait = error.context.get("retry_after", 5 if isinstance(error, Unavailable) else None)
    if wait is not None:
        call.headers.append((b"retry-after", str(wait).encode()))
    return problems.status(error)


class Middleware:
    """The only middleware around the routes of `app`; `refusing` answers errors, `fields` are in every answer.

    Requests begin in turns of their clients, behind `trusted` proxies too; `check_target` gets each decoded target that
    seems to have a key in it, and refuses it if it has. HEAD is a GET without its body.

    It replaces the middleware stack of Starlette, each layer of which adds two microseconds to a request.
    """

    def __init__(
        self,
        app: ASGIApp,
        observer: Observer,
        refusing: Refuse = refuse,
        fields: Sequence[Header] = (),
        trusted: Sequence[Network] = (),
        check_target: Callable[[Call, bytes], Awaitable[None]] | None = None,
    ) -> None:
        self._app = app
        self._observer = observer
        self._refuse = refusing
        self._fields = fields
        self._trusted = trusted
        self._check_target = check_target
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; no exception but cancellation passes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        call = scope["padron.call"] = Call(scope)

        async def finish(message: Message) -> None:
            if message["type"] == "http.response.start":
                call.status = message["status"]
                message["headers"] = [*message["headers"], *call.headers, *self._fields]
            elif scope["method"] == "HEAD":
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        take_turn = partial(self._turns.take, client_of(call, self._trusted))
        before = TAKE_TURN.set(take_turn)
        try:
            try:
                await take_turn()
                if self._check_target and LEAKED_MARK in (target := _decoded_target(scope)):
                    await self._check_target(call, target)
                await self._app(scope, receive, finish)
            except (PadronError, HTTPException) as error:
                if call.status:
                    raise
                answer = await self._refuse(Request(scope), error)
                await answer(scope, receive, finish)
        except Exception as error:  # the last resort: whatever it is, the client gets a problem document
            self._observer.failed(call, error)
            if not call.status:
                answer = await self._refuse(Request(scope), PadronError("internal-error"))
                await answer(scope, receive, finish)
        finally:
            TAKE_TURN.reset(before)
            self._observer.finished(call)
            del scope["padron.call"]  # else each refers to the other until a garbage collection


def _decoded_target(scope: Scope) -> bytes:
    """Path and query of a request, with every percent-encoded byte decoded once."""
    return unquote_to_bytes(b"%b?%b" % (scope["raw_path"], scope["query_string"]))
