"""The outermost layer: every request becomes a `Call`, every answer gets its header fields, every error its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from padron.errors import Invalid, NotFound, PadronError, Unavailable
from padron.transport import problems
from padron.transport.call import Call
from padron.transport.headers import API, NO_STORE, PREFLIGHT
from padron.transport.observe import Observer

Refuse = Callable[[Request, Exception], Awaitable[Response]]


async def refuse(request: Request, error: Exception) -> Response:
    """The answer to an error that a room raised, or that the router did because nothing fits the request."""
    call = Call.of(request.scope)
    meant = understood(call, request.method, error)
    if meant is None:
        return Response(status_code=204)
    document = problems.body(meant, call.language, call.request_id, call.members)
    status = note(call, meant)
    call.headers += (*API, NO_STORE, (b"content-language", call.language.encode()))
    return Response(document, status, media_type=problems.MEDIA_TYPE)


def understood(call: Call, method: str, error: Exception) -> PadronError | None:
    """What an error means to the one who asked; None: nothing is wrong.

    An OPTIONS that met a route (405 with its methods) is the preflight of a browser, or asks what is allowed.
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


def note(call: Call, error: PadronError) -> int:
    """The status of an answer that tells an error; the log learns its code, the caller when to come again."""
    call.code = error.code
    wait = error.context.get("retry_after", 5 if isinstance(error, Unavailable) else None)
    if wait is not None:
        call.headers.append((b"retry-after", str(wait).encode()))
    return problems.status(error)


class Edge:
    """All that stands around the routes in `app`; `refusing` answers errors. HEAD is a GET whose body stays here.

    It is the whole of what Starlette calls its middleware stack: each layer of that costs a hot read two microseconds.
    """

    def __init__(self, app: ASGIApp, observer: Observer, refusing: Refuse = refuse) -> None:
        self._app = app
        self._observer = observer
        self._refuse = refusing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing but a cancelled connection gets past."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        call = scope["padron.call"] = Call(scope)

        async def finish(message: Message) -> None:
            if message["type"] == "http.response.start":
                call.status = message["status"]
                message["headers"] = [*message["headers"], *call.headers]
            elif scope["method"] == "HEAD":
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        try:
            try:
                await self._app(scope, receive, finish)
            except (PadronError, HTTPException) as error:
                if call.status:
                    raise
                answer = await self._refuse(Request(scope), error)
                await answer(scope, receive, finish)
        except Exception as error:  # the last resort of the process: whatever it is, the reader gets words
            self._observer.broke(call, error)
            if not call.status:
                answer = await self._refuse(Request(scope), PadronError("internal-error"))
                await answer(scope, receive, finish)
        finally:
            self._observer.finished(call)
