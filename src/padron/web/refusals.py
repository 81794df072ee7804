"""Errors as pages, for those who read pages; programs go on getting problem documents."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from padron.model import Language
from padron.transport import middleware
from padron.transport.call import Call
from padron.transport.headers import NO_STORE
from padron.web.site import SHELL, Site
from padron.words import error_messages

_PAGES = ("/es", "/en")


class Refusals:
    """Answers errors: under the addresses of pages, and to browsers anywhere outside the API, with a page."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def __call__(self, request: Request, error: Exception) -> Response:
        """The answer to an error that a room raised, or that the router did because nothing fits the request."""
        call = Call.of(request.scope)
        page = _language_of(call)
        if page is None:
            return await middleware.refuse(request, error)
        meant = middleware.translated(call, request.method, error)
        if meant is None:
            return Response(status_code=204)
        call.language = page
        status = middleware.record_error(call, meant)
        body = self._site.render(
            "error.html",
            call.language,
            here=None,
            title=error_messages.title(meant.code, call.language),
            detail=error_messages.detail(meant, call.language),
            candidates=(),
            nearest=(),
            request_id=call.request_id,
        )
        call.headers += (*SHELL, NO_STORE, (b"content-language", call.language.encode()))
        return Response(body, status, media_type="text/html; charset=utf-8")


def _language_of(call: Call) -> Language | None:
    """The language of the page that says so; None where a problem document is the answer."""
    path = call.scope["path"]
    first = f"/{path.removeprefix('/').partition('/')[0]}"  # the target of a request may also be `*`
    if first in _PAGES:
        return "en" if first == "/en" else "es"
    browser = b"text/html" in call.given.get(b"accept", b"") and not path.startswith("/api/")
    return call.language if browser else None
