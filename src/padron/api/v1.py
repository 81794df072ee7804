"""The authenticated interface under `/api/v1`: search, entities, financials, usage.

Every route stands behind `Guarded`, which identifies the key, counts the request, and checks scope and plan, in that
order; then it works as the public interface does, in this very thread.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from padron.api import deprecation, financials, inputs
from padron.api.v1_model import (
    Relation,
    RequestedIdentifier,
    V1Answer,
    V1Entity,
    V1Result,
    record,
    result,
)
from padron.countries import REGISTRY
from padron.country import Status
from padron.errors import Invalid
from padron.http import headers
from padron.http.auth import Gate
from padron.http.call import Call
from padron.http.headers import Header
from padron.model import Language, Statement
from padron.search.detail import Asked, Seen, Sight
from padron.search.find import SURE
from padron.text import fold

BASE: Final = "/api/v1"
Q_LENGTH: Final = (2, 1_000)
LIMIT: Final = (1, 50, 8)
"""Fewest, most and default results of a page."""
_PARAMETERS = ("q", "country", "limit", "cursor", "status", "activity", "legalForm", "region", "hasFinancials")
_FILTERS = _PARAMETERS[4:]
_PRIVATE: Header = (b"cache-control", b"private, no-cache")
_JSON: Header = (b"content-type", b"application/json")
_ACTIVITY = re.compile(r"[A-Za-z]?[0-9][0-9./-]{0,11}|[A-Za-z]")
_encode = msgspec.json.Encoder().encode


class Companies(Protocol):
    """What this interface asks of the directory; each method answers from one release."""

    @property
    def release(self) -> str:
        """Id of the release that answers."""

    def look(self, q: str, *, country: str | None, language: Language) -> Sight:
        """Search in full. Raises as `Directory.search`."""

    def details(self, country: str, raw: str, language: Language) -> Asked:
        """One company in full. Raises as `Directory.get`."""

    def statements(self, country: str, raw: str, language: Language) -> Sequence[Statement]:
        """The yearly statements of a company, the latest first. Raises as `Directory.get`."""


class Reply(NamedTuple):
    """An answer: header fields of its own, and the body."""

    headers: list[Header]
    body: bytes


Answer = Callable[[Call, Grant], Reply]
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

    def __init__(self, room: Room, gate: Gate) -> None:
        self._room = room
        self._gate = gate
        self._going = deprecation.told(room.path.replace(":rest}", "}"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose key may ask this; count it if that succeeds."""
        call, room = Call.of(scope), self._room
        call.headers += self._going
        grant = await self._gate.identify(call)
        await self._gate.spend(call, grant, counted=room.counted)
        try:
            self._gate.allow(call, grant, room.scope, room.feature)
            await room.serve(call, grant, receive, send)
        finally:
            if room.counted:
                await self._gate.settle(call, grant)


def routes(gate: Gate, companies: Callable[[], Companies], base_url: str) -> list[Route]:
    """The routes that read the directory. `companies()` gives the release being served."""
    entity = "/entities/{country}/{identifier:rest}"
    rooms = [
        Room(f"{BASE}/search", _read(partial(search, companies)), "search"),
        Room(
            f"{BASE}{entity}/financials",
            _read(partial(statements, companies), kept=False),
            "financials",
            feature="financials",
        ),
        Room(f"{BASE}{entity}", _read(partial(company, companies, base_url)), "entities"),
    ]
    return guarded(gate, rooms)


def guarded(gate: Gate, rooms: Sequence[Room]) -> list[Route]:
    """The routes of rooms, each behind the guard."""
    return [Route(room.path, Guarded(room, gate), methods=list(room.methods)) for room in rooms]


def _read(answer: Answer, *, kept: bool = True) -> Serve:
    """Serve what `answer` makes; with an ETag if it may be `kept`, so that the same again is 304."""

    async def serve(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        made = answer(call, grant)
        fields = [*headers.API, (b"content-language", call.language.encode()), *made.headers]
        if not kept:
            await call.answer(send, 200, [*fields, (b"cache-control", b"private, no-store")], made.body)
            return
        tag = f'W/"{blake2b(made.body, digest_size=12).hexdigest()}"'.encode()
        fields += [_PRIVATE, (b"etag", tag), (b"vary", b"Authorization, apiKey")]
        if headers.matches(call.given.get(b"if-none-match", b""), tag):
            await call.answer(send, 304, fields, b"")
        else:
            await call.answer(send, 200, [_JSON, *fields], made.body)

    return serve


def search(companies: Callable[[], Companies], call: Call, grant: Grant) -> Reply:
    """`V1Answer` to q, country, limit, cursor and the filters.

    The directory looks at the 50 likeliest companies; filters choose among them, and pages go through them.
    """
    given = inputs.parameters(call.scope["query_string"], _PARAMETERS)
    q, limit, keep = inputs.query(given, Q_LENGTH), inputs.limit(given, LIMIT), _filter(given)
    country = inputs.country_code(given["country"]) if "country" in given else None
    call.q_length = len(q)
    sight = companies().look(q, country=country, language=call.language)
    about = _about(sight.release, given)
    start = _start(given["cursor"], about) if "cursor" in given else 0
    kept = [seen for seen in sight.results if keep(seen)]
    results = [result(seen) for seen in kept[start : start + limit]]
    call.results = len(results)
    countries = list(dict.fromkeys(found.country_code for found in results))
    answer = V1Answer(
        q=q,
        country=country,
        best_match=_best(kept),
        suggested_countries=countries if country is None and len(countries) > 1 else [],
        match_hints=[hint.of(call.language) for hint in sight.hints],
        results=results,
        next_cursor=_cursor(start + limit, about) if start + limit < len(kept) else None,
    )
    return Reply([], _encode(answer))


def _best(kept: Sequence[Seen]) -> V1Result | None:
    if not kept or (kept[0].detail.record.confidence or 0) < SURE:
        return None
    return result(kept[0])


def company(companies: Callable[[], Companies], base_url: str, call: Call, grant: Grant) -> Reply:
    """`V1Entity` of one company. Asked in another form than its canonical address, Content-Location tells that one."""
    country, identifier = inputs.company_path(call.scope["raw_path"], f"{BASE}/entities", call.scope["query_string"])
    found = companies().details(country, identifier, call.language)
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


def statements(companies: Callable[[], Companies], call: Call, grant: Grant) -> Reply:
    """`Financials` of one company, or the same as CSV where `Accept` prefers it."""
    path = call.scope["raw_path"].removesuffix(b"/financials")
    country, identifier = inputs.company_path(path, f"{BASE}/entities", call.scope["query_string"])
    directory = companies()
    found = directory.details(country, identifier, call.language)
    yearly = directory.statements(country, identifier, call.language)
    record, accept = found.detail.record, call.given.get(b"accept", b"")
    none = REGISTRY[record.country_code].no_statements
    media, body = financials.written(record, yearly, none, call.language, accept)
    return Reply([(b"content-type", media), (b"vary", b"Accept, Authorization, apiKey")], body)


def _filter(given: Mapping[str, str]) -> Callable[[Seen], bool]:
    """What the filters of a request ask, all of it. Raises `Invalid("bad-filter")` for one that cannot be applied."""
    asked: list[Callable[[Seen], bool]] = []
    if "status" in given:
        wanted = _one_of("status", given["status"], tuple(Status))
        asked.append(lambda seen: seen.detail.record.status == wanted)
    if "hasFinancials" in given:
        truth = _one_of("hasFinancials", given["hasFinancials"], ("true", "false")) == "true"
        asked.append(lambda seen: seen.detail.record.financials_available is truth)
    if "activity" in given:
        if not _ACTIVITY.fullmatch(given["activity"]):
            raise Invalid("bad-filter", parameter="activity", known="a code, or its beginning")
        code = _bare(given["activity"])
        asked.append(lambda seen: _bare(seen.detail.record.classification_code or "").startswith(code))
    if "legalForm" in given:
        form = given["legalForm"].strip().lower()
        if not form:
            raise Invalid("bad-filter", parameter="legalForm", known="sa, srl, ltda …")
        asked.append(lambda seen: seen.detail.form is not None and seen.detail.form.code == form)
    if "region" in given:
        region = fold(given["region"])
        if not region:
            raise Invalid("bad-filter", parameter="region", known="Pichincha, São Paulo …")
        asked.append(lambda seen: fold(seen.detail.region or "") == region)
    return lambda seen: all(test(seen) for test in asked)


def _bare(code: str) -> str:
    return re.sub(r"[./-]", "", code).upper()


def _one_of(parameter: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise Invalid("bad-filter", parameter=parameter, known=tuple(map(str, known)))
    return text


def _about(release: str, given: Mapping[str, str]) -> bytes:
    """What a cursor is good for: this release and this question."""
    question = [release, given["q"], given.get("country", "").upper(), *(given.get(name, "") for name in _FILTERS)]
    return blake2b(_encode(question), digest_size=8).digest()


def _cursor(start: int, about: bytes) -> str:
    return urlsafe_b64encode(bytes([start]) + about).decode().rstrip("=")


def _start(cursor: str, about: bytes) -> int:
    """Where a cursor goes on. Raises `Invalid("bad-cursor")` for one of another question or release."""
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (ValueError, NotBase64) as error:
        raise Invalid("bad-cursor", parameter="cursor") from error
    if raw[1:] != about or cursor != _cursor(raw[0], about):
        raise Invalid("bad-cursor", parameter="cursor")
    return raw[0]
