"""The authenticated interface under `/api/v1`: search, entities, financials, usage.

Every route stands behind `Guarded`, which identifies the key, counts the request, and checks scope and plan, in that
order; then it works as the public interface does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.keys import Grant
from padron.accounts.keys import Scope as KeyScope
from padron.accounts.plans import Feature
from padron.accounts.watchlists import Watchlists
from padron.accounts.webhook_sender import WebhookSender
from padron.accounts.webhooks import Webhooks
from padron.api import (
    financials,
    v1_changes,
    v1_match,
    v1_match_stream,
    v1_search,
    v1_watchlists,
    v1_webhooks,
)
from padron.api.sample import Sample
from padron.api.v1_directory import CompanyDirectory, WatchedDirectory
from padron.api.v1_model import V1Entity, record, requested
from padron.countries import REGISTRY
from padron.errors import Invalid
from padron.lookup.detail import LocatedDetail
from padron.releases.change_log import Watch
from padron.transport import conditional, headers, inputs
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call
from padron.transport.compression import VARY, compressed_for
from padron.transport.headers import Header
from padron.words import Language, bilingual

BASE: Final = "/api/v1"
_PRIVATE: Header = (b"cache-control", b"private, no-cache")
_encode = msgspec.json.Encoder().encode


class Reply(NamedTuple):
    """An answer: header fields of its own, the body, and the part of it that the ETag is made of (None: all)."""

    headers: list[Header]
    body: bytes
    constant: bytes | None = None


class Watching(NamedTuple):
    """The services behind watchlists and webhooks."""

    watchlists: Watchlists
    webhooks: Webhooks
    sender: WebhookSender


_Request = TypeVar("_Request")
Handler = Callable[[Call, Grant], Awaitable[Reply]]
Serve = Callable[[Call, Grant, Receive, Send], Awaitable[None]]


class KeyRoute(NamedTuple):
    """A route for holders of a key: the scope and feature it requires, and whether it counts for the daily quota."""

    path: str
    serve: Serve
    scope: KeyScope | None
    feature: Feature | None = None
    counted: bool = True
    methods: tuple[str, ...] = ("GET",)


class KeyEndpoint:
    """A route behind authentication, authorization and limits."""

    def __init__(self, route: KeyRoute, authenticator: KeyAuthenticator) -> None:
        self._route = route
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request if its key permits it; count it if that succeeds."""
        call, route = Call.of(scope), self._route
        grant = await self._authenticator.authenticate(call)
        await self._authenticator.spend(call, grant, counted=route.counted)
        try:
            self._authenticator.authorize(call, grant, route.scope, route.feature)
            await route.serve(call, grant, receive, send)
        finally:
            if route.counted and route.scope:
                await self._authenticator.record(grant, route.scope, answered=200 <= call.status < 300)


def routes(
    authenticator: KeyAuthenticator,
    companies: Callable[[], WatchedDirectory],
    watching: Watching,
    base_url: str,
    sign: v1_search.Sign,
) -> list[Route]:
    """Return the routes that read the directory."""
    (search_path, asked), (financials_path, yearly), (company_path, full) = reads(companies, base_url, sign)
    read_routes = [
        KeyRoute(search_path, asked, "search"),
        KeyRoute(financials_path, yearly, "financials", feature="financials"),
        KeyRoute(f"{BASE}/changes", _read(partial(changes, companies, watching.watchlists, authenticator)), "search"),
        KeyRoute(company_path, full, "entities"),
        KeyRoute(f"{BASE}/match", _match(companies, authenticator), "search", counted=False, methods=("POST",)),
    ]
    return key_routes(authenticator, [*read_routes, *_watching_routes(authenticator, companies, watching)])


def _watching_routes(
    authenticator: KeyAuthenticator, companies: Callable[[], WatchedDirectory], watching: Watching
) -> list[KeyRoute]:
    """Return the routes of watchlists and webhooks."""

    async def details(country: str, raw: str, language: Language) -> LocatedDetail:
        return await companies().details(country, raw, language)

    async def end() -> str:
        return await companies().end_of_changes()

    lists = partial(v1_watchlists.WatchlistRequest, watching.watchlists, details, authenticator)
    hooks = partial(v1_webhooks.WebhookRequest, watching.webhooks, watching.sender, end)
    served = {
        "watchlists": _by_method(v1_watchlists.ALL, lists),
        "watchlists/{watchlist}": _by_method(v1_watchlists.SINGLE, lists),
        "webhooks": _by_method(v1_webhooks.ALL, hooks),
        "webhooks/{webhook}": _by_method(v1_webhooks.SINGLE, hooks),
        "webhooks/{webhook}/rotate": _by_method(v1_webhooks.ROTATE, hooks),
        "webhooks/{webhook}/test": _by_method(v1_webhooks.TEST, hooks),
    }
    return [
        KeyRoute(f"{BASE}/{path}", serve, "watchlists", methods=methods) for path, (methods, serve) in served.items()
    ]


def reads(companies: Callable[[], CompanyDirectory], base_url: str, sign: v1_search.Sign) -> list[tuple[str, Serve]]:
    """Return path and handler of what needs nothing but a release: search, statements, and last one company.

    Returns:
        The paths with their handlers, in the order in which a router must try them.
    """
    company = f"{BASE}/entities/{{country}}/{{identifier:some}}"
    return [
        (f"{BASE}/search", _read(partial(search, companies, base_url, sign))),
        (f"{company}/financials", _read(partial(statements, companies), cached=False)),
        (company, _read(partial(entity, companies, base_url))),
    ]


def key_routes(authenticator: KeyAuthenticator, routes: Sequence[KeyRoute]) -> list[Route]:
    """Return routes with the check of keys before each."""
    return [Route(route.path, KeyEndpoint(route, authenticator), methods=list(route.methods)) for route in routes]


def _visible(companies: Callable[[], CompanyDirectory], grant: Grant) -> CompanyDirectory:
    """Return the companies that a key answers about: the sample for a test key, else all of the release served."""
    return Sample(companies()) if grant.test else companies()


def _read(answer: Handler, *, cached: bool = True) -> Serve:
    """Return the handler of a GET; clients may cache its answer, with an ETag, if it is `cached`."""

    async def serve(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        reply = await answer(call, grant)
        coding, body = compressed_for(call, reply.body)
        fields = [*headers.API, VARY, (b"content-language", call.language.encode()), *reply.headers]
        if not cached:
            await call.answer(send, 200, [*fields, *coding, (b"cache-control", b"private, no-store")], body)
            return
        tag = f'W/"{blake2b(reply.constant or reply.body, digest_size=12).hexdigest()}"'.encode()
        fields += [_PRIVATE, (b"etag", tag), (b"vary", b"Authorization, apiKey")]
        await conditional.send_json(call, send, tag, fields, body, coding)

    return serve


def _by_method(
    handlers: Mapping[str, tuple[Callable[[_Request], Awaitable[object]], int]],
    request_of: Callable[[Call, Grant, Receive], _Request],
) -> tuple[tuple[str, ...], Serve]:
    """Return the methods of a path that belongs to the account, and what answers them; nothing may be cached."""

    async def serve(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        method = call.scope["method"]
        handler, status = handlers["GET" if method == "HEAD" else method]
        body = await handler(request_of(call, grant, receive))
        fields = [*headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        if body is None:
            await call.answer(send, status, fields, b"")
        else:
            await call.answer(send, status, [headers.JSON, *fields], _encode(body))

    return tuple(handlers), serve


def _match(companies: Callable[[], CompanyDirectory], authenticator: KeyAuthenticator) -> Serve:
    """Return the handler of lists. Answers are not stored anywhere: they hold the list of the caller."""

    async def serve(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        call.scope["padron.only_reads"] = True
        if v1_match_stream.media_type(call) in v1_match_stream.FORMATS:
            async with authenticator.list_turn(call, grant, streamed=True):
                directory = _visible(companies, grant)
                await v1_match_stream.ListStream(directory, authenticator, call, grant, receive).answer(send)
            return
        if v1_match_stream.media_type(call) != b"application/json":
            expected = bilingual("application/json, application/x-ndjson or text/csv")
            raise Invalid("unsupported-media-type", expected=expected)
        async with authenticator.list_turn(call, grant, streamed=False):
            matched = await v1_match.match(_visible(companies, grant), authenticator, call, grant, receive)
        coding, body = compressed_for(call, matched)
        fields = [headers.JSON, (b"content-language", call.language.encode()), *headers.API, VARY, *coding]
        await call.answer(send, 200, [*fields, headers.NO_STORE], body)

    return serve


async def search(
    companies: Callable[[], CompanyDirectory], base_url: str, sign: v1_search.Sign, call: Call, grant: Grant
) -> Reply:
    """Return the `V1Answer` to a question."""
    async with threads.QUESTION_TURNS.of(grant.account):
        answer = await v1_search.search(_visible(companies, grant), base_url, sign, call)
    return Reply([], answer.body, answer.constant)


async def changes(
    companies: Callable[[], CompanyDirectory],
    watchlists: Watchlists,
    authenticator: KeyAuthenticator,
    call: Call,
    grant: Grant,
) -> Reply:
    """Return the `Changes` of companies between releases.

    Args:
        authenticator: The check of scopes: a watchlist requires one of its own.
    """

    async def watch_of(watchlist: str) -> Watch:
        authenticator.authorize(call, grant, "watchlists", None)
        return await v1_watchlists.watch_of(watchlists, grant.account, watchlist)

    async with threads.QUESTION_TURNS.of(grant.account):
        page = await v1_changes.changes(_visible(companies, grant), call, watch_of)
    return Reply([], _encode(page))


async def entity(companies: Callable[[], CompanyDirectory], base_url: str, call: Call, grant: Grant) -> Reply:
    """Return the `V1Entity` of one company, with its canonical address as Content-Location if another was requested."""
    country, identifier = inputs.company_path(call.scope["raw_path"], f"{BASE}/entities", call.scope["query_string"])
    company = await _visible(companies, grant).details(country, identifier, call.language)
    answer = V1Entity(entity=record(company.detail, call.language, base_url), requested_identifier=requested(company))
    shown = company.detail.record
    canonical = f"{BASE}/entities/{shown.country_code}/{quote(shown.identifier, safe='')}".encode()
    moved = [(b"content-location", canonical)] if call.scope["raw_path"] != canonical else []
    return Reply(moved, _encode(answer))


async def statements(companies: Callable[[], CompanyDirectory], call: Call, grant: Grant) -> Reply:
    """Return the `Financials` of one company, or the same as CSV if `Accept` prefers it."""
    path = call.scope["raw_path"].removesuffix(b"/financials")
    country, identifier = inputs.company_path(path, f"{BASE}/entities", call.scope["query_string"])
    directory = _visible(companies, grant)
    company = await directory.details(country, identifier, call.language)
    yearly = await directory.statements(country, identifier, call.language)
    record, accept = company.detail.record, call.given.get(b"accept", b"")
    none = REGISTRY[record.country_code].no_statements
    media, body = financials.encode(record, yearly, none, call.language, accept)
    return Reply([(b"content-type", media), (b"vary", b"Accept, Authorization, apiKey")], body)
