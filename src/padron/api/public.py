"""The public interface: search, single company, coverage. Open to all; keys are ignored.

The hot path is plain: a route hands the scope to `Read`, which asks the directory and sends the encoded answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import blake2b
from urllib.parse import quote

import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import __version__
from padron.answers import Entity
from padron.api import inputs, parameters
from padron.directory import Directory
from padron.model import LANGUAGES, Language
from padron.transport import conditional, headers
from padron.transport.call import Call, Kind
from padron.transport.client_limits import ClientLimits

BASE = "/api/public/empresas"

Answer = Callable[[Call, Directory], Awaitable[bytes]]

_JSON = (b"content-type", b"application/json")
_SEARCH = parameters.names(parameters.SEARCH)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_encode = msgspec.json.Encoder().encode


class _Rest(Convertor[str]):
    """The rest of a path, line breaks included: Starlette's own `path` would quietly drop one at the end."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _Some(_Rest):
    """A rest that is there: `/search/` is a mistyped address, and no company of a country `search`."""

    regex = r"[\s\S]+"


register_url_convertor("rest", _Rest())
register_url_convertor("some", _Some())


def routes(client_limits: ClientLimits, directory: Callable[[], Directory], base_url: str) -> list[Route]:
    """The routes of the public interface, the busiest first. `directory()` gives the release being served."""
    edition = blake2b(f"{__version__} {base_url}".encode(), digest_size=16).digest()
    reads: list[tuple[str, Answer]] = [
        ("/search", search),
        ("/stats", coverage),
        ("/{country}/{identifier:some}", company),
    ]
    return [
        Route(BASE + path, Read(answer, client_limits, directory, edition), methods=["GET"]) for path, answer in reads
    ]


async def search(call: Call, directory: Directory) -> bytes:
    """`Answer` to q, country and limit."""
    faults = inputs.Faults()
    given = inputs.parameters(call.scope["query_string"], _SEARCH, faults)
    with faults:
        q = inputs.query(given)
    with faults:
        limit = inputs.limit(given)
    with faults:
        country = inputs.country_code(given["country"]) if "country" in given else None
    faults.tell()
    call.q_length, call.kind = len(q), _kind(q)
    answer = await directory.search(q, country=country, limit=limit, language=call.language)
    call.results = len(answer.results)
    return _encode(answer)


async def company(call: Call, directory: Directory) -> bytes:
    """`Entity` of one company. Asked in another form than its canonical address, Content-Location tells that one.

    `Identifier-Match` says how the number asked relates to the company: `primary`, `alias` or `branch`.
    """
    country, identifier = inputs.company_path(call.scope["raw_path"], BASE, call.scope["query_string"])
    found = await directory.get(country, identifier, call.language)
    canonical = f"{BASE}/{found.record.country_code}/{quote(found.record.identifier, safe='')}".encode()
    if call.scope["raw_path"] != canonical:
        call.headers.append((b"content-location", canonical))
    relation = b"branch" if found.branch else b"alias" if found.alias else b"primary"
    call.headers.append((b"identifier-match", relation))
    return _encode(Entity(entity=found.record))


async def coverage(call: Call, directory: Directory) -> bytes:
    """`Coverage`."""
    inputs.parameters(call.scope["query_string"])
    return _encode(directory.coverage())


class Read:
    """A GET whose answer depends on nothing but the release, the request and the language.

    `edition` stands for what else shapes it as long as the process lives: the program's version and base address.
    """

    def __init__(
        self, answer: Answer, client_limits: ClientLimits, directory: Callable[[], Directory], edition: bytes
    ) -> None:
        self._answer = answer
        self._client_limits = client_limits
        self._directory = directory
        self._edition = edition

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, within the client's quota and unless it has the answer already."""
        call = Call.of(scope)
        await self._client_limits.admit(call, self._client_limits.quotas.public)
        directory = self._directory()
        request = scope["raw_path"] + b"?" + scope["query_string"]
        tag = conditional.entity_tag(directory.edition, call.language, request, self._edition)
        await _send(call, send, tag, partial(self._answer, call, directory))


class Description:
    """An OpenAPI document in each language: the same bytes for everybody, with or without a release."""

    def __init__(self, document: Callable[[Language], bytes]) -> None:
        self._bodies = {language: document(language) for language in LANGUAGES}
        self._tags = {of: conditional.entity_tag("openapi", of, body, b"") for of, body in self._bodies.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the document, unless the client has it already."""
        inputs.parameters(scope["query_string"])
        call = Call.of(scope)

        async def body() -> bytes:
            return self._bodies[call.language]

        await _send(call, send, self._tags[call.language], body)


async def _send(call: Call, send: Send, tag: bytes, body: Callable[[], Awaitable[bytes]]) -> None:
    """Send the 200 that `body` makes, or 304 where the client holds `tag` (then without making it) or `*`."""
    fields = [*headers.API, headers.FRESH, (b"etag", tag), (b"content-language", call.language.encode())]
    held = call.given.get(b"if-none-match", b"")
    made = b"" if conditional.matches(held, tag) else await body()
    if not made or held.strip() == b"*":
        await call.answer(send, 304, fields, b"")
    else:
        await call.answer(send, 200, [_JSON, *fields], made)


def _kind(q: str) -> Kind:
    """What a query looks like, for the log: letters, digits, or both."""
    if not _DIGIT.search(q):
        return "name"
    return "mixed" if _LETTER.search(q) else "number"
