"""Answering a page: from the release, within the quota of the reader, compressed, and only if it is not cached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Literal

from starlette.types import Receive, Scope, Send

from padron.directory import Directory
from padron.transport import conditional, headers
from padron.transport.answer_cache import AnswerCache, FinishedAnswer
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.compression import VARY, compressed_for, preferred_coding
from padron.transport.headers import Header
from padron.web.site import PageResponse, Redirect, Site
from padron.words import Language

Handler = Callable[[Call, Directory], Awaitable[PageResponse | Redirect]]

CACHED: Final[Header] = (b"cache-control", b"public, max-age=60, s-maxage=300, stale-while-revalidate=60")
"""A browser keeps a page for a minute; a cache in front of the service for five, and may be told to drop a release."""

QuotaName = Literal["public", "pages", "type_ahead"]
"""A field of `Anonymous`. A search costs the same from a page as from the API, so both count in `public`."""


def cached(directory: Directory) -> list[Header]:
    """Return the header fields of an answer that depends on the release alone."""
    return [CACHED, (b"surrogate-key", f"release-{directory.release}".encode())]


class Entry:
    """Access to the release, after the quota of the reader was counted."""

    def __init__(self, client_limits: ClientLimits, directory: Callable[[], Directory]) -> None:
        self._client_limits = client_limits
        self._directory = directory

    def client(self, call: Call) -> str:
        """Return the identifier of the reader."""
        return self._client_limits.client(call)

    async def admit(self, call: Call, quota: QuotaName = "pages", cost: int = 1) -> Directory:
        """Count a request.

        Args:
            quota: The quota that it counts for.
            cost: As how many requests it counts.

        Raises:
            Limited: The quota is spent.
            Unavailable: There is no directory yet.
        """
        await self._client_limits.admit(call, getattr(self._client_limits.quotas, quota), cost)
        return self._directory()


def sent(call: Call) -> bytes:
    """Return path and query of a request as they were sent."""
    path: bytes = call.scope["raw_path"]
    query: bytes = call.scope["query_string"]
    return path + b"?" + query


class PageEndpoint:
    """A GET that depends on nothing but the release, the request and the language, which the address says."""

    def __init__(
        self,
        answer: Handler,
        language: Language,
        site: Site,
        entry: Entry,
        quota: QuotaName,
        cache: AnswerCache,
        cost: int = 1,
        request_of: Callable[[Call], bytes] = sent,
    ) -> None:
        """Take the parts of a page.

        Args:
            quota: The quota that it counts for.
            cost: As how many requests it counts.
            request_of: Gives the same text to requests that have the same answer.
        """
        self._answer = answer
        self._quota = quota
        self._language = language
        self._site = site
        self._entry = entry
        self._cache = cache
        self._cost = cost
        self._request_of = request_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, within the client's quota and unless it has the answer already."""
        call = Call.of(scope)
        call.language = self._language
        directory = await self._entry.admit(call, self._quota, self._cost)
        request = self._request_of(call)
        answers = self._cache.of(directory)
        key = (self._language, preferred_coding(call).encode() + b" " + request)
        finished = answers.get(key)
        if finished:
            tag = finished.tag
        else:
            tag = conditional.entity_tag(directory.edition, self._language, request, self._site.edition)
        kept = [*cached(directory), (b"etag", tag)]
        if conditional.client_holds(call, tag):
            await call.answer(send, 304, [VARY, *kept], b"")
        elif finished:
            finished.describe(call)
            await call.answer(send, 200, [], finished.body)
        else:
            before = len(call.headers)
            made = await self._answer(call, directory)
            if isinstance(made, PageResponse) and made.status == 200:
                fields, body = document(call, made, kept)
                facts = call.kind, call.q_length, call.results
                answers[key] = FinishedAnswer(key, tag, [*call.headers[before:], *fields], body, [], *facts)
                await call.answer(send, 200, fields, body)
            else:
                await send_document(call, send, made, kept if isinstance(made, Redirect) else [])


async def send_document(call: Call, send: Send, made: PageResponse | Redirect, kept: list[Header]) -> None:
    """Send a response.

    Args:
        kept: Header fields for caching; without any the response is not to be stored.
    """
    kept = kept or [headers.NO_STORE]
    if isinstance(made, Redirect):
        fields = [field for field in kept if field[0] != b"etag"]
        await call.answer(send, made.status, [(b"location", made.address.encode()), *fields], b"")
        return
    fields, body = document(call, made, kept)
    await call.answer(send, made.status, fields, body)


def document(call: Call, made: PageResponse, kept: list[Header]) -> tuple[list[Header], bytes]:
    """Compress a document as its reader prefers.

    Returns:
        All header fields of its own, and the body.
    """
    fields = [(b"content-type", made.kind), *made.fields, *kept, VARY]
    fields.append((b"content-language", call.language.encode()))
    coding, body = compressed_for(call, made.body)
    return [*fields, *coding], body
