"""Error pages for browsers; programs get problem documents."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from padron.errors import messages
from padron.transport import middleware
from padron.transport.call import Call
from padron.transport.headers import NO_STORE
from padron.web import addresses
from padron.web.search import SearchForm, read_form
from padron.web.site import SHELL, Site
from padron.words import Language

_PAGES = ("/es", "/en")
_MOST_PAGES: Final = 256
"""Pages in memory: a flood of one error costs little more than a flood of one page."""
_NUMBER: Final = "0request0number0"
"""Stands for the number of the request, which is a plain word, in a page in memory."""


_QUERY: Final = "0query0text0"
"""Stands for the text of the search, likewise."""
_TWIN: Final = "0twin0address0"
"""Stands for the address in the other language, likewise."""
_MOST_DIGITS: Final = 4
"""Digits of a text that is shown again, at most: no person's number is so short."""


class ErrorPages:
    """The error handler: a page below the addresses of pages, and for browsers everywhere outside the API."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._page = lru_cache(_MOST_PAGES)(self._render)

    async def __call__(self, request: Request, error: Exception) -> Response:
        """Answer an error of a handler, or of the router if no route matches."""
        call = Call.of(request.scope)
        page = _language_of(call)
        if page is None:
            return await middleware.refuse(request, error)
        fault = middleware.translated(call, request.method, error)
        if fault is None:
            return Response(status_code=204)
        call.language = page
        status = middleware.record_error(call, fault)
        texts = messages.title(fault.code, page), messages.detail(fault, page)
        form = read_form(call)
        body = self._page(*texts, page, form.country).replace(_NUMBER.encode(), call.request_id.encode())
        body = body.replace(_QUERY.encode(), escape(_repeatable(form.q)).encode())
        body = body.replace(_TWIN.encode(), escape(_twin(call, page, form)).encode())
        call.headers += (*SHELL, NO_STORE, (b"content-language", call.language.encode()))
        return Response(body, status, media_type="text/html; charset=utf-8")

    def _render(self, title: str, detail: str, language: Language, chosen: str | None) -> bytes:
        values = {"here": None, "title": title, "detail": detail, "candidates": (), "nearest": ()}
        return self._site.render(
            "error.html", language, request_id=_NUMBER, q=_QUERY, twin=_TWIN, chosen=chosen, **values
        )


def _repeatable(q: str) -> str:
    """Return the text of a search, which can be tried again; nothing that may be the number of a person."""
    return q if sum(map(str.isdigit, q)) <= _MOST_DIGITS else ""


def _twin(call: Call, page: Language, form: SearchForm) -> str:
    """Return the same address in the other language, with the search; nothing that may be the number of a person."""
    other: Language = "es" if page == "en" else "en"
    query = {name: value for name, value in (("q", _repeatable(form.q)), ("country", form.country)) if value}
    return addresses.translated(_repeatable(call.scope["path"]), other) + (f"?{urlencode(query)}" if query else "")


def _language_of(call: Call) -> Language | None:
    """The language of the error page; None if a problem document is the answer."""
    path = call.scope["path"]
    first = f"/{path.removeprefix('/').partition('/')[0]}"  # the target of a request may also be `*`
    if first in _PAGES:
        return "en" if first == "/en" else "es"
    browser = b"text/html" in call.given.get(b"accept", b"") and not path.startswith("/api/")
    return call.language if browser else None
