"""The outermost layer: every request becomes a `Call`, every answer gets its header fields, every error its words."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from padron.errors import Invalid, NotFound, PadronError, Unavailable
from padron.http import problems
from padron.http.call import Call
from padron.http.headers import API, NO_STORE, PREFLIGHT
from padron.http.observe import Observer


class Edge:
    """ASGI middleware around everything else. HEAD is a GET whose body stays here."""

    def __init__(self, app: ASGIApp, observer: Observer) -> None:
        self._app = app
        self._observer = observer

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
            await self._app(scope, receive, finish)
        except Exception as error:  # the last resort of the process: whatever it is, the reader gets a problem document
            self._observer.broke(call, error)
            if not call.status:
                await _problem(call, PadronError("internal-error"))(scope, receive, finish)
        finally:
            self._observer.finished(call)


async def refuse(request: Request, error: Exception) -> Response:
    """The answer to an error that a room raised, or that the router did because nothing fits the request.

    An OPTIONS that met a route (405 with its methods) is the preflight of a browser, or asks what is allowed.
    """
    call = Call.of(request.scope)
    if isinstance(error, HTTPException) and error.status_code == 405:
        methods = (error.headers or {})["Allow"].split(", ")
        allow = ", ".join(sorted({*methods, "OPTIONS"})).encode()
        call.headers.append((b"allow", allow))
        if request.method == "OPTIONS":
            call.headers += ((b"access-control-allow-methods", allow), *PREFLIGHT)
            return Response(status_code=204)
        error = Invalid("method-not-allowed", allowed=allow.decode())
    elif isinstance(error, HTTPException):
        error = NotFound("no-such-address")
    assert isinstance(error, PadronError)
    return _problem(call, error)


def _problem(call: Call, error: PadronError) -> Response:
    """`error` as a problem document in the reader's language, not to be kept."""
    document = problems.body(error, call.language, call.request_id, call.members)
    call.code = error.code
    wait = error.context.get("retry_after", 5 if isinstance(error, Unavailable) else None)
    if wait is not None:
        call.headers.append((b"retry-after", str(wait).encode()))
    call.headers += (*API, NO_STORE, (b"content-language", call.language.encode()))
    return Response(document, problems.status(error), media_type=problems.MEDIA_TYPE)
