"""The routes `/mcp` and `/mcp/tools.json`: who may call, how often, and with how long a body."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from itertools import accumulate
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw, Struct
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Send
from starlette.types import Scope as AsgiScope

from padron import threads
from padron.accounts.keys import Grant, Scope
from padron.api.openapi import DocumentEndpoint
from padron.api.sample import not_in_sample
from padron.directory import Directory
from padron.errors import Denied, Invalid, Limited, PadronError, messages
from padron.mcp import tools
from padron.transport import headers, problems
from padron.transport.auth import KeyAuthenticator
from padron.transport.bodies import TEXT, read_bytes
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.middleware import record_error
from padron.words import Language, bilingual

MOST: Final = 131_072
"""Most bytes of a request: fifty names of 256 characters, escaped, have some 80,000."""
MOST_VALUES: Final = 250
"""Most values of a message besides the arguments of a tool: clients state some thirty. For each the library may note
why it is none of a dozen things: 42,000 took it a second and 600 MB."""
DEEPEST: Final = 32
"""Most levels of a message: the rows of a list are at the fifth. Beyond 255 the library notes them all each time."""

_CREDENTIALS: Final = frozenset({b"authorization", b"apikey"})
_OPERATIONS: Final[dict[str, Scope]] = {"get_company": "entities", "fetch": "entities", "get_financials": "financials"}
"""Operations as which answers of tools are counted; the others are searches."""
_INVALID_REQUEST: Final = -32600
_LIMITED: Final = -32029
"""Code of the error of a message beyond a limit, of those JSON-RPC leaves to servers."""
_LOOPBACK: Final = {"127.0.0.1", "::1", "localhost"}


def routes(
    client_limits: ClientLimits, authenticator: KeyAuthenticator, directory: Callable[[], Directory], base_url: str
) -> list[Route]:
    """Return the routes of the protocol."""
    listing = DocumentEndpoint(lambda language: msgspec.json.encode({"tools": tools.described(language)}))
    endpoint = Endpoint(client_limits, authenticator, directory, base_url)
    return [Route("/mcp", endpoint, methods=["POST"]), Route("/mcp/tools.json", listing, methods=["GET"])]


class HttpCaller:
    """The sender of a request: within the limits of the plan with a valid key, else within the quota of its address.

    A test key counts as none, because the tools answer about all companies; so does a wrong one, until a tool needs it.
    """

    def __init__(self, call: Call, client_limits: ClientLimits, authenticator: KeyAuthenticator) -> None:
        self._call = call
        self._client_limits = client_limits
        self._authenticator = authenticator
        self._grant: Grant | None = None
        self._fault: PadronError | None = None

    @property
    def language(self) -> Language:
        """The language that the request accepts."""
        return self._call.language

    @property
    def client(self) -> str:
        """The account of the key, or the client that its address stands for."""
        grant = self._payer()
        return grant.account if grant else self._client_limits.client(self._call)

    async def identify(self) -> None:
        """Check the key in the header fields, if one was sent; without a valid one, count a search.

        Raises `Limited`.
        """
        if self._call.given.keys() & _CREDENTIALS:
            try:
                self._grant = await self._authenticator.authenticate(self._call)
            except PadronError as error:
                self._fault = error
        if self._payer() is None:
            await self.count_searches(1)

    async def count_message(self) -> None:
        """Count a message that calls no tool; without a valid key it is counted already. Raises `Limited`."""
        if grant := self._payer():
            await self._authenticator.spend(self._call, grant, counted=False)

    async def count_searches(self, count: int) -> None:
        """Count searches against the public quota, whose state is reported once, or as rows of a list of the plan.

        Raises `Limited`.
        """
        if not count:
            return
        if grant := self._payer():
            await self._authenticator.spend_rows(self._call, grant, count)
            return
        call = self._call
        call.headers[:] = [field for field in call.headers if not field[0].startswith(b"ratelimit")]
        await self._client_limits.admit(call, self._client_limits.quotas.public, count)

    async def take_row(self) -> None:
        """Wait until a row of a list may be matched, in the turn of the account."""
        await self._authenticator.take_row(self._payer())

    @asynccontextmanager
    async def answering(self, tool: str) -> AsyncIterator[None]:
        """Count an answer for the account of the key if it succeeds. Raises `Limited`."""
        grant, answered = self._payer(), False
        if grant is None:
            yield
            return
        await self._authenticator.spend(self._call, grant, counted=True)
        try:
            yield
            answered = True
        finally:
            await self._authenticator.record(grant, _OPERATIONS.get(tool, "search"), answered=answered)

    async def check_financials(self) -> None:
        """Check that a key was sent which may read them. Raises `Denied`, and what was wrong with the key."""
        if self._fault is not None:
            raise self._fault
        grant = self._grant or await self._authenticator.authenticate(self._call)
        if grant.test:  # the tools answer about all companies
            raise not_in_sample()
        self._authenticator.authorize(self._call, grant, "financials", "financials")

    def _payer(self) -> Grant | None:
        """The grant whose account the answers are counted for."""
        return self._grant if self._grant is not None and not self._grant.test else None


class Endpoint:
    """`POST /mcp`, the streamable HTTP transport without sessions: every request stands alone, on any worker."""

    def __init__(
        self,
        client_limits: ClientLimits,
        authenticator: KeyAuthenticator,
        directory: Callable[[], Directory],
        base_url: str,
    ) -> None:
        self._client_limits = client_limits
        self._authenticator = authenticator
        self._directory = directory
        self._is_imported = False
        self._site = urlsplit(base_url.lower())

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer a message; a request beyond a limit as the protocol answers, so that the reason reaches its agent.

        Raises `Denied("cross-site-request")`, `Limited` for what is no request, `Invalid`, `Unavailable`.
        """
        call = Call.of(scope)
        scope["padron.only_reads"] = True
        self._check_origin(call)
        caller = HttpCaller(call, self._client_limits, self._authenticator)
        limited: Limited | None = None
        try:
            await caller.identify()
        except Limited as error:
            limited = error
        sent = await read_bytes(call, receive, MOST)
        message = _message(sent)
        try:
            if limited is None and message.method != "tools/call":
                await caller.count_message()
        except Limited as error:
            limited = error
        if refused := _refusal(call, limited, sent, message):
            await refused(scope, receive, send)
            return
        _refuse_dear(sent, message)
        body: bytes | None = sent
        if not self._is_imported:  # only callers of the tools need the library
            await threads.FILES.call(import_module, "padron.mcp.server")
            self._is_imported = True
        from padron.mcp.server import Exchange, answer  # noqa: PLC0415

        faults: list[Exception] = []

        async def read() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            whole, body = body, None
            return {"type": "http.request", "body": whole}

        call.headers.append(headers.NO_STORE)
        async with threads.QUESTION_TURNS.of(caller.client):
            directory = self._directory()  # who waits keeps no release that is replaced meanwhile

            async def opened() -> Directory:
                return directory

            await answer(Exchange(caller, opened, call.request_id, faults.append), scope, read, send)
        for fault in faults:
            raise fault

    def _check_origin(self, call: Call) -> None:
        """Refuse pages of other sites, as the protocol demands against DNS rebinding.

        A browser states the origin of the page with every POST, and no page can have that of this service but its own;
        beside a service on this machine, pages on this machine may call too. Raises `Denied("cross-site-request")`.
        """
        given = call.given.get(b"origin")
        if given is None:
            return
        try:
            origin = urlsplit(given.decode("latin-1").lower())
        except ValueError as error:  # a bracket that nothing closes
            raise Denied("cross-site-request") from error
        local = self._site.hostname in _LOOPBACK and origin.hostname in _LOOPBACK
        if not local and (origin.scheme, origin.netloc) != (self._site.scheme, self._site.netloc):
            raise Denied("cross-site-request")


class _Params(Struct, frozen=True):
    arguments: Raw = Raw(b"")


class _Message(Struct):
    """The members by which a message is counted and bounded: a call of a tool is counted when it is answered."""

    method: str = ""
    id: Raw = Raw(b"")
    params: _Params = _Params()


_TEXT: Final = re.compile(TEXT, re.DOTALL)
_LEVELS: Final = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}
_NO_LEVELS: Final = bytes(set(range(256)) - _LEVELS.keys())
_SURROGATE: Final = re.compile(rb"\\u[Dd][89A-Fa-f]")


def _message(sent: bytes) -> _Message:
    try:
        return msgspec.json.decode(sent, type=_Message)
    except (ValueError, RecursionError):  # the library refuses it
        return _Message()


def _refusal(call: Call, limit: Limited | None, sent: bytes, message: _Message) -> Response | None:
    """Return the answer to what goes beyond a limit or is a batch, None for all else. Raises as `_refused`."""
    if limit:
        return _refused(call, limit, message)
    return _no_batch(call) if sent.lstrip().startswith(b"[") else None


def _no_batch(call: Call) -> Response:
    """Return the answer to a batch, of which the library would repeat the content."""
    text = bilingual("A batch of messages is not part of the protocol: send each message as a request of its own.")
    call.headers += (headers.NO_STORE, (b"content-language", call.language.encode()))
    error = {"code": _INVALID_REQUEST, "message": text.of(call.language)}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(body, 400, media_type="application/json")


def _refused(call: Call, limit: Limited, message: _Message) -> Response:
    """Return the answer to a request beyond a limit: the result of a tool, else an error of the protocol.

    Made without its library: a client that is refused must cost little. Raises `Limited` for what is no request.
    """
    if not message.method or bytes(message.id) in {b"", b"null"}:
        raise limit
    status = record_error(call, limit)
    problem = problems.body(limit, call.language, call.request_id)
    call.headers += (headers.NO_STORE, (b"content-language", call.language.encode()))
    if message.method == "tools/call":
        answer: dict[str, object] = {
            "result": {
                "content": [{"type": "text", "text": problem.decode()}],
                "isError": True,
                "resultType": "complete",
            }
        }
        status = 200
    else:
        text = messages.detail(limit, call.language)
        answer = {"error": {"code": _LIMITED, "message": text, "data": Raw(problem)}}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": message.id, **answer})
    return Response(body, status, media_type="application/json")


def _refuse_dear(sent: bytes, message: _Message) -> None:
    """Refuse what would take the library long, or what it takes for text though it is none, before it reads a message.

    Raises:
        Invalid: `message-too-complex`, `malformed-json`.
    """
    signs = _signs(sent)
    values = _values(signs) - _values(_signs(bytes(message.params.arguments)))
    depth = max(accumulate(map(_LEVELS.__getitem__, signs.translate(None, _NO_LEVELS))), default=0)
    if values > MOST_VALUES or depth > DEEPEST:
        raise Invalid("message-too-complex", maximum=MOST_VALUES, levels=DEEPEST)
    if _SURROGATE.search(sent):
        try:
            msgspec.json.decode(sent)
        except ValueError as error:  # half of a pair, which no text has
            raise Invalid("malformed-json") from error


def _signs(text: bytes) -> bytes:
    """Return JSON without its texts and blanks."""
    return _TEXT.sub(b"", text).translate(None, b" \t\r\n")


def _values(signs: bytes) -> int:
    """Return how many members and elements there are in what `_signs` returns."""
    empty = signs.count(b"{}") + signs.count(b"[]")
    return signs.count(b",") + signs.count(b"{") + signs.count(b"[") - empty
