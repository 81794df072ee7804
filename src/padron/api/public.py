"""The public interface: search, single company, coverage. Open to all; keys are ignored.

The hot path is short: a route passes the scope to `PublicEndpoint`, which asks the directory and sends the answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from time import perf_counter
from urllib.parse import quote

import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import __version__
from padron.api import parameters
from padron.companies.answers import Entity
from padron.directory import Directory
from padron.transport import conditional, headers, inputs
from padron.transport.answer_cache import AnswerCache, FinishedAnswer, Request
from padron.transport.call import Call, Kind
from padron.transport.client_limits import ClientLimits
from padron.transport.compression import VARY, compressed_for, preferred_coding

BASE = "/api/public/empresas"

Handler = Callable[[Call, Directory], Awaitable[bytes]]

_SEARCH = parameters.names(parameters.SEARCH)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_encode = msgspec.json.Encoder().encode


class _Rest(Convertor[str]):
    """The rest of a path, line breaks included: `path` of Starlette drops one at the end."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _Some(_Rest):
    """A rest that is not empty: `/search/` is a mistyped address, and no company of a country `search`."""

    regex = r"[\s\S]+"


register_url_convertor("rest", _Rest())
register_url_convertor("some", _Some())


def routes(client_limits: ClientLimits, directory: Callable[[], Directory], base_url: str) -> list[Route]:
    """Return the routes of the public interface, the busiest first."""
    edition = blake2b(f"{__version__} {base_url}".encode(), digest_size=16).digest()
    cache = AnswerCache()
    reads: list[tuple[str, Handler]] = [
        ("/search", search),
        ("/stats", coverage),
        ("/{country}/{identifier:some}", company),
    ]
    return [
        Route(BASE + path, PublicEndpoint(answer, client_limits, directory, edition, cache), methods=["GET"])
        for path, answer in reads
    ]


async def search(call: Call, directory: Directory) -> bytes:
    """Return the `Answer` to q, country and limit."""
    faults = inputs.Faults()
    given = inputs.parameters(call.scope["query_string"], _SEARCH, faults)
    with faults:
        q = inputs.query(given)
    with faults:
        limit = inputs.limit(given)
    with faults:
        country = inputs.country_code(given["country"]) if "country" in given else None
    faults.raise_collected()
    call.q_length, call.kind = len(q), _kind(q)
    answer = await directory.search(q, country=country, limit=limit, language=call.language)
    call.results = len(answer.results)
    started = perf_counter()
    body = _encode(answer)
    call.encoding = perf_counter() - started
    return body


async def company(call: Call, directory: Directory) -> bytes:
    """Return the `Entity` of one company.

    Content-Location is its canonical address, if another one was requested. Identifier-Match is the relation of the
    requested number to the company: `primary`, `alias`, `branch`, or `wrong-check-digit`.
    """
    country, identifier = inputs.company_path(call.scope["raw_path"], BASE, call.scope["query_string"])
    match = await directory.get(country, identifier, call.language)
    canonical = f"{BASE}/{match.record.country_code}/{quote(match.record.identifier, safe='')}".encode()
    if call.scope["raw_path"] != canonical:
        call.headers.append((b"content-location", canonical))
    relation = "branch" if match.branch else "alias" if match.alias else "primary"
    if match.mistyped:
        relation = "wrong-check-digit"
    call.headers.append((b"identifier-match", relation.encode()))
    return _encode(Entity(entity=match.record))


async def coverage(call: Call, directory: Directory) -> bytes:
    """Return the `Coverage`."""
    inputs.parameters(call.scope["query_string"])
    return _encode(directory.public_coverage(call.language))


class PublicEndpoint:
    """A GET whose answer depends on nothing but the release, the request and the language.

    `edition` is a digest of what else shapes answers as long as the process lives: version and base address.
    """

    def __init__(
        self,
        answer: Handler,
        client_limits: ClientLimits,
        directory: Callable[[], Directory],
        edition: bytes,
        cache: AnswerCache,
    ) -> None:
        self._answer = answer
        self._client_limits = client_limits
        self._directory = directory
        self._edition = edition
        self._cache = cache

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer within the quota of the client, or with 304 if it holds the answer."""
        call = Call.of(scope)
        await self._client_limits.admit(call, self._client_limits.quotas.public)
        directory = self._directory()
        answers = self._cache.of(directory)
        request = scope["raw_path"] + b"?" + scope["query_string"]
        key = (call.language, preferred_coding(call).encode() + b" " + request)
        finished = answers.get(key)
        if finished:
            finished.describe(call)
            tag = finished.tag
        else:
            tag = conditional.entity_tag(directory.edition, call.language, request, self._edition)
        fields = [*headers.API, VARY, headers.FRESH, (b"etag", tag), (b"content-language", call.language.encode())]
        if conditional.client_holds(call, tag):
            await call.answer(send, 304, fields, b"")
            return
        if not finished:
            finished = answers[key] = await self._finish(call, directory, key, tag)
        await conditional.send_json(call, send, tag, fields, finished.body, finished.coding)

    async def _finish(self, call: Call, directory: Directory, key: Request, tag: bytes) -> FinishedAnswer:
        before = len(call.headers)
        coding, body = compressed_for(call, await self._answer(call, directory))
        return FinishedAnswer(key, tag, call.headers[before:], body, coding, call.kind, call.q_length, call.results)


def _kind(q: str) -> Kind:
    """The kind of a query, for the log: letters, digits, or both."""
    if not _DIGIT.search(q):
        return "name"
    return "mixed" if _LETTER.search(q) else "number"
