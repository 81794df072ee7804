"""The authenticated interface under `/api/v1`: search, entities, financials, usage.

Every route stands behind `Guarded`, which identifies the key, counts the request, and checks scope and plan, in that
order; then it works as the public interface does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.accounts.keys import Grant
from padron.accounts.keys import Scope as KeyScope
from padron.accounts.plans import Feature
from padron.api import deprecation, financials, inputs, v1_search
from padron.api.v1_model import (
    Relation,
    RequestedIdentifier,
    V1Entity,
    record,
)
from padron.countries import REGISTRY
from padron.lookup.detail import Asked
from padron.model import Language, Statement
from padron.transport import conditional, headers
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call
from padron.transport.headers import Header

BASE: Final = "/api/v1"
_PRIVATE: Header = (b"cache-control", b"private, no-cache")
_JSON: Header = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode


class Companies(v1_search.Companies, Protocol):
    """What this interface asks of the directory; each method answers from one release."""

    @property
    def release(self) -> str:
        """Id of the release that answers."""

    async def details(self, country: str, raw: str, language: Language) -> Asked:
        """One company in full. Raises as `Directory.get`."""

    async def statements(self, country: str, raw: str, language: Language) -> Sequence[Statement]:
        """The yearly statements of a company, the latest first. Raises as `Directory.get`."""


class Reply(NamedTuple):
    """An answer: header fields of its own, the body, and what of it tells whether it is the same (None: all)."""

    headers: list[Header]
    body: bytes
    constant: bytes | None = None


Answer = Callable[[Call, Grant], Awaitable[Reply]]
Serve = Callable[[Call, Grant, Receive, Send], Awaitable[None]]


class Room(NamedTuple):
    """A guarded route: what it needs of a key, and whether its answers count towards the daily quota."""

    path: str
    serve: Serve
    scope: KeyScope | None
    feature: Feature | None = None
    counted: bool = True
    methods: tuple[str, ...] = ("GET",)


class Guarded:
    """The guard of one route."""

    def __init__(self, room: Room, authenticator: KeyAuthenticator) -> None:
        self._room = room
        self._authenticator = authenticator
        self._going = deprecation.told(room.path.replace(":some}", "}"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose key may ask this; count it if that succeeds."""
        call, room = Call.of(scope), self._room
        call.headers += self._going
        grant = await self._authenticator.authenticate(call)
        await self._authenticator.spend(call, grant, counted=room.counted)
        try:
            self._authenticator.authorize(call, grant, room.scope, room.feature)
            await room.serve(call, grant, receive, send)
        finally:
            if room.counted:
                await self._authenticator.record(call, grant)


def routes(authenticator: KeyAuthenticator, companies: Callable[[], Companies], base_url: str) -> list[Route]:
    """The routes that read the directory. `companies()` gives the release being served."""
    entity = "/entities/{country}/{identifier:some}"
    rooms = [
        Room(f"{BASE}/search", _read(partial(search, companies, base_url)), "search"),
        Room(
            f"{BASE}{entity}/financials",
            _read(partial(statements, companies), kept=False),
            "financials",
            feature="financials",
        ),
        Room(f"{BASE}{entity}", _read(partial(company, companies, base_url)), "entities"),
    ]
    return guarded(authenticator, rooms)


def guarded(authenticator: KeyAuthenticator, rooms: Sequence[Room]) -> list[Route]:
    """The routes of rooms, each behind the guard."""
    return [Route(room.path, Guarded(room, authenticator), methods=list(room.methods)) for room in rooms]


def _read(answer: Answer, *, kept: bool = True) -> Serve:
    """Serve what `answer` makes; with an ETag if it may be `kept`, so that the same again is 304."""

    async def serve(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        made = await answer(call, grant)
        fields = [*headers.API, (b"content-language", call.language.encode()), *made.headers]
        if not kept:
            await call.answer(send, 200, [*fields, (b"cache-control", b"private, no-store")], made.body)
            return
        tag = f'W/"{blake2b(made.constant or made.body, digest_size=12).hexdigest()}"'.encode()
        fields += [_PRIVATE, (b"etag", tag), (b"vary", b"Authorization, apiKey")]
        held = call.given.get(b"if-none-match", b"")
        if conditional.matches(held, tag) or held.strip() == b"*":
            await call.answer(send, 304, fields, b"")
        else:
            await call.answer(send, 200, [_JSON, *fields], made.body)

    return serve


async def search(companies: Callable[[], Companies], base_url: str, call: Call, grant: Grant) -> Reply:
    """`V1Answer` to a question."""
    found = await v1_search.search(companies(), base_url, call)
    return Reply([], found.body, found.constant)


async def company(companies: Callable[[], Companies], base_url: str, call: Call, grant: Grant) -> Reply:
    """`V1Entity` of one company. Asked in another form than its canonical address, Content-Location tells that one."""
    country, identifier = inputs.company_path(call.scope["raw_path"], f"{BASE}/entities", call.scope["query_string"])
    found = await companies().details(country, identifier, call.language)
    relation: Relation = "branch" if found.branch else "alias" if found.alias else "primary"
    answer = V1Entity(
        entity=record(found.detail, call.language, base_url),
        requested_identifier=RequestedIdentifier(
            scheme=found.requested.scheme,
            identifier=found.requested.value,
            match=relation,
            valid_check=found.requested.valid_check,
        ),
    )
    shown = found.detail.record
    canonical = f"{BASE}/entities/{shown.country_code}/{quote(shown.identifier, safe='')}".encode()
    moved = [(b"content-location", canonical)] if call.scope["raw_path"] != canonical else []
    return Reply(moved, _encode(answer))


async def statements(companies: Callable[[], Companies], call: Call, grant: Grant) -> Reply:
    """`Financials` of one company, or the same as CSV where `Accept` prefers it."""
    path = call.scope["raw_path"].removesuffix(b"/financials")
    country, identifier = inputs.company_path(path, f"{BASE}/entities", call.scope["query_string"])
    directory = companies()
    found = await directory.details(country, identifier, call.language)
    yearly = await directory.statements(country, identifier, call.language)
    record, accept = found.detail.record, call.given.get(b"accept", b"")
    none = REGISTRY[record.country_code].no_statements
    media, body = financials.written(record, yearly, none, call.language, accept)
    return Reply([(b"content-type", media), (b"vary", b"Accept, Authorization, apiKey")], body)
