"""The protocol without the network: what a call sends, and what becomes of each outcome.

`Calls` makes a `Call` for each method. Whoever runs it, a thread or asyncio, sends `call.request` and hands the outcome
to `call.take`, which gives the seconds to wait before sending it again, or None once `call.answer` is there, or raises.
"""

from __future__ import annotations

import logging
import math
import os
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypedDict, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from padron_client.errors import (
    APIConnectionError,
    APIError,
    APIResponseError,
    APITimeoutError,
    RateLimitError,
    class_of,
)
from padron_client.files import BulkFile, CatalogueDecoder, CsvDecoder
from padron_client.pace import LONGEST_WAIT
from padron_client.secret import Scrubber
from padron_client.types import (
    Changes,
    CheckoutShown,
    Coverage,
    Financials,
    ListMatches,
    MessageShown,
    Problem,
    V1Answer,
    V1Entity,
    V1Usage,
    WatchlistChanged,
    WatchlistContent,
    WatchlistList,
    WatchlistSummary,
    WebhookContent,
    WebhookList,
    WebhookMade,
    WebhookShown,
)

DEFAULT_BASE_URL: Final = "http://127.0.0.1:8000"
DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_MAX_RETRIES: Final = 2

MOST_BYTES: Final = 32 << 20
"""Bytes of an answer, once decompressed: ten times the largest there is. What sends more is not the service."""

_RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
"""Seconds: the backoff, which doubles, and its end."""

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of decoding: not JSON, not the shape described, not UTF-8, nested too deeply."""

_QUOTA = re.compile(r'"(\w+)";r=(\d+);t=(\d+)')
_VISIBLE = re.compile(r"[!-~]+")
_LONGEST_KEY = 200
"""Characters; a key of the service has 45."""
_NO_ROWS = 'rows must be a list of rows, such as [{"name": "Petrobras", "country": "BR"}]'
_log = logging.getLogger("padron_client")

Language = Literal["es", "en"]
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Row(TypedDict, total=False):
    """Description of a company in a row of a list; a name or an identifier at least."""

    name: str
    identifier: str
    country: str
    city: str
    region: str
    activity: str
    legal_form: str
    former_name: str


class CompanyToWatch(TypedDict):
    """A company to watch, by any of its identifiers; `country` is the code of its register."""

    country: str
    identifier: str


class _Words(TypedDict):
    text: str


class SearchToSave(_Words, total=False):
    """Words of a name to watch: a change fits if the name has all of them. Only in `country`, if it is given."""

    country: str | None


class Kept(NamedTuple):
    """An answer in the cache: its ETag and its body."""

    etag: str
    body: bytes


Cache = MutableMapping[str, Kept]
"""Address and language -> the answer kept. A dict will do; an LRU mapping forgets."""


class Request(NamedTuple):
    """A request without the parts that every request has."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None


class Received(NamedTuple):
    """A whole answer, its body decoded."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """Seconds that the service asks to wait before the request is sent again."""
        return _retry_after(self.headers.get("retry-after")) if self.status in _RETRIED else None


class Quota(NamedTuple):
    """A limit of the plan, and what is left of it: `reset` is whole seconds until there is more."""

    name: str
    remaining: int
    reset: int


@dataclass(frozen=True)
class Response(Generic[T]):
    """A result, and the answer that brought it; 304 if it came from the cache.

    Attributes:
        data: The result of the method.
        status: HTTP status of the answer.
        headers: Header fields of the answer, by their names in lower case.
    """

    data: T
    status: int
    headers: Mapping[str, str]

    @property
    def request_id(self) -> str | None:
        """Id of the request at the service; quote it when asking for help."""
        return self.headers.get("x-request-id")

    @property
    def quotas(self) -> list[Quota]:
        """Quotas of the plan and the rest of each; none if limits are off."""
        quotas = _QUOTA.findall(self.headers.get("ratelimit", ""))
        return [Quota(name, int(remaining), int(reset)) for name, remaining, reset in quotas]


answered: Final[ContextVar[tuple[int, Mapping[str, str]]]] = ContextVar("answered")
"""Status and header fields of the last answer of this thread or task."""


class Lost(NamedTuple):
    """No whole answer was taken, and why not: it did not arrive, not in time, or has more than `MOST_BYTES`."""

    reason: str
    late: bool
    too_large: bool = False

    headers: Mapping[str, str] = MappingProxyType({})
    retry_after: None = None


class Attempt(NamedTuple):
    """The end of an attempt of a call; it holds no query, identifier or key.

    Attributes:
        method: Method of the client: `search`, `get` …
        number: 1 for the first attempt of the call, 2 for its first repetition …
        status: HTTP status; None where no whole answer arrived.
        request_id: Id of the request at the service; quote it when asking for help.
        seconds: From the request to the last byte of the answer; the wait for a turn is not part of it.
    """

    method: str
    number: int
    status: int | None
    request_id: str | None
    seconds: float


OnAttempt = Callable[[Attempt], object]
"""Callback at the end of each attempt; what it raises, the call raises."""


class Decoder(Protocol[T_co]):
    """Reader of the body of an answer; it raises one of `_UNREADABLE`."""

    def decode(self, buf: bytes, /) -> T_co:
        """Read a body."""
        ...


class _Nothing:
    """Decoder of an answer without a body."""

    def decode(self, buf: bytes, /) -> None:
        """Refuse a body."""
        if buf:
            raise msgspec.DecodeError("it has a body")


class Call(Generic[T]):
    """One call on its way; `answer` is set when `take` has given None.

    Args:
        method: Method of the client.
        request: What is sent.
        decoder: Reads the answer.
        calls: The calls of the client, whose options apply.
        kept_as: Name of the answer in the cache; None if it is not kept.
        once: Sending it again would do it again: only what the service refused before it began (429) is repeated.
    """

    answer: T

    def __init__(
        self,
        method: str,
        request: Request,
        decoder: Decoder[T],
        calls: Calls,
        kept_as: str | None = None,
        *,
        once: bool = False,
    ) -> None:
        self.request = request
        self._method = method
        self._scrubber = calls.scrubber
        self._decoder = decoder
        self._waits = calls.max_retries > 0
        self._max_retries = 0 if once else calls.max_retries
        self._on_attempt = calls.on_attempt
        self._attempts = 1
        self._retries = 0
        self._waited = 0.0
        self._cache = None if kept_as is None else calls.cache
        self._kept_as = kept_as or ""
        self._kept = None if self._cache is None else self._cache.get(self._kept_as)
        if self._kept is not None:
            request.headers["If-None-Match"] = self._kept.etag

    def ended(self, outcome: Received | Lost, seconds: float) -> None:
        """Tell the hook of the client of an attempt."""
        if self._on_attempt is None:
            return
        status = outcome.status if isinstance(outcome, Received) else None
        request_id = outcome.headers.get("x-request-id")
        clean = None if request_id is None else self._scrubber.clean(request_id)
        self._on_attempt(Attempt(self._method, self._attempts, status, clean, seconds))

    def take(self, outcome: Received | Lost) -> float | None:
        """Seconds to wait before the request is queued again; None: it is answered. Raises `APIError`."""
        if isinstance(outcome, Received):
            known = self._kept if outcome.status == 304 else None
            if known is not None or 200 <= outcome.status < 300:
                fault = self._decode(outcome.body if known is None else known.body)
                if fault is None:
                    self._keep(outcome)
                    answered.set((outcome.status, {name.lower(): value for name, value in outcome.headers.items()}))
                    return None
                outcome = self._cleaned(outcome)
                message = self._scrubber.clean(f"The answer is not what the service describes: {fault}")
                request_id = outcome.headers.get("x-request-id")
                raise APIResponseError(message, status=outcome.status, request_id=request_id)
            outcome = self._cleaned(outcome)
            error: APIError = _status_error(outcome)
            again = outcome.status in _RETRIED
        elif outcome.too_large:
            raise APIResponseError(outcome.reason)
        else:
            reason = self._scrubber.clean(outcome.reason)
            error = (APITimeoutError if outcome.late else APIConnectionError)(reason)
            again = True
        wait = error.retry_after or 0
        if isinstance(error, RateLimitError) and self._waits and 0 < wait <= LONGEST_WAIT - self._waited:
            self._waited += wait  # others share the key: waiting for a turn is no retry
            self._attempts += 1
            return 0
        if not again or self._retries == self._max_retries or wait > LONGEST_WAIT:
            raise error
        self._retries += 1
        self._attempts += 1
        _log.info("%s; retry %d of %d", type(error).__name__, self._retries, self._max_retries)
        return self._backoff() if outcome.retry_after is None else 0

    def _backoff(self) -> float:
        doubled = _FIRST_WAIT * 2.0 ** min(self._retries - 1, 10)
        return min(_LONGEST_WAIT, doubled) * random.uniform(0.5, 1)  # noqa: S311

    def _keep(self, received: Received) -> None:
        etag = received.headers.get("etag")
        storable = "no-store" not in received.headers.get("cache-control", "").lower()
        if self._cache is not None and received.status != 304 and etag is not None and storable:
            self._cache[self._kept_as] = Kept(etag, received.body)

    def _decode(self, body: bytes) -> str | None:
        """Set `answer`, or return what is wrong with the body: an error raised here would show it in its frames."""
        try:
            self.answer = self._decoder.decode(body)
        except _UNREADABLE as error:
            return str(error)
        return None

    def _cleaned(self, received: Received) -> Received:
        """The answer without the key, which an upstream may have repeated."""
        clean = self._scrubber.clean
        headers = {name.lower(): clean(value) for name, value in received.headers.items()}
        return Received(received.status, headers, clean(received.body.decode(errors="replace")).encode())


class Calls:
    """The calls of one client. Raises `ValueError` for options that cannot be right."""

    _search = msgspec.json.Decoder(V1Answer)
    _entity = msgspec.json.Decoder(V1Entity)
    _financials = msgspec.json.Decoder(Financials)
    _financials_csv = CsvDecoder()
    _coverage = msgspec.json.Decoder(Coverage)
    _checkout = msgspec.json.Decoder(CheckoutShown)
    _usage = msgspec.json.Decoder(V1Usage)
    _changes = msgspec.json.Decoder(Changes)
    _matches = msgspec.json.Decoder(ListMatches)
    _watchlists = msgspec.json.Decoder(WatchlistList)
    _watchlist = msgspec.json.Decoder(WatchlistSummary)
    _watchlist_content = msgspec.json.Decoder(WatchlistContent)
    _watchlist_changed = msgspec.json.Decoder(WatchlistChanged)
    _webhooks = msgspec.json.Decoder(WebhookList)
    _webhook = msgspec.json.Decoder(WebhookShown)
    _webhook_made = msgspec.json.Decoder(WebhookMade)
    _webhook_content = msgspec.json.Decoder(WebhookContent)
    _message = msgspec.json.Decoder(MessageShown)
    _nothing = _Nothing()

    def __init__(
        self,
        base_url: str,
        max_retries: int,
        language: Language | None,
        cache: Cache | None,
        scrubber: Scrubber,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        parts = urlsplit(text_of("base_url", base_url))
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
            raise ValueError("base_url must begin with http:// or https:// and a host, without user or password")
        if parts.query or parts.fragment:
            raise ValueError("base_url must end with its path")
        if language not in (None, "es", "en"):
            raise ValueError('language must be "es" or "en"')
        _check_retries(max_retries)
        self.base_url = base_url.rstrip("/")
        self.max_retries = max_retries
        self._language = language
        self.cache = cache
        self.scrubber = scrubber
        self.on_attempt = on_attempt

    def retried(self, max_retries: int) -> Calls:
        """The same calls with another number of retries. Raises `ValueError`."""
        _check_retries(max_retries)
        other = copy(self)
        other.max_retries = max_retries
        return other

    def search(self, q: str, **members: str | int | bool | None) -> Call[V1Answer]:
        """`GET /api/v1/search`; members of the query are named as in Python, and None is left out."""
        return self._get("search", f"/api/v1/search?{_query(q=q, **members)}", self._search)

    def get(self, country: str, identifier: str) -> Call[V1Entity]:
        """`GET /api/v1/entities/{cc}/{id}`."""
        return self._get("get", _company(country, identifier), self._entity)

    def financials(self, country: str, identifier: str) -> Call[Financials]:
        """`GET /api/v1/entities/{cc}/{id}/financials`."""
        return self._get("financials", f"{_company(country, identifier)}/financials", self._financials)

    def financials_csv(self, country: str, identifier: str) -> Call[str]:
        """`GET /api/v1/entities/{cc}/{id}/financials`, as CSV; it is not kept."""
        url = f"{self.base_url}{_company(country, identifier)}/financials"
        return Call("financials_csv", Request("GET", url, {"Accept": "text/csv"}, None), self._financials_csv, self)

    def bulk_files(self) -> Call[list[BulkFile]]:
        """`GET /bulk/catalogue.jsonld`."""
        return self._get("bulk_files", "/bulk/catalogue.jsonld", CatalogueDecoder(f"{self.base_url}/bulk/"))

    def coverage(self) -> Call[Coverage]:
        """`GET /api/public/empresas/stats`."""
        return self._get("coverage", "/api/public/empresas/stats", self._coverage)

    def usage(self) -> Call[V1Usage]:
        """`GET /api/v1/usage`."""
        return self._get("usage", "/api/v1/usage", self._usage)

    def changes(self, **members: str | int | None) -> Call[Changes]:
        """`GET /api/v1/changes`; members of the query are named as in Python, and None is left out."""
        query = _query(**members)
        return self._get("changes", f"/api/v1/changes{'?' if query else ''}{query}", self._changes)

    def match(self, rows: Iterable[Row]) -> Call[ListMatches]:
        """`POST /api/v1/match`; fields of a row are named as in Python."""
        body = {"rows": [_members(row) for row in rows_of(rows)]}
        return Call("match", self._sent("POST", "/api/v1/match", body), self._matches, self)

    def checkout(self, plan_id: str, idempotency_key: str | None) -> Call[CheckoutShown]:
        """`POST /api/subscriptions/checkout`; tried again it carries the same key, and so cannot buy twice."""
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not _VISIBLE.fullmatch(text_of("idempotency_key", key)):
            raise ValueError("idempotency_key must be visible ASCII characters")
        request = self._sent("POST", "/api/subscriptions/checkout", {"planId": plan_id})
        request.headers["Idempotency-Key"] = key
        return Call("checkout", request, self._checkout, self)

    def list_watchlists(self) -> Call[WatchlistList]:
        """`GET /api/v1/watchlists`."""
        return self._get("list_watchlists", "/api/v1/watchlists", self._watchlists)

    def create_watchlist(self, name: str) -> Call[WatchlistSummary]:
        """`POST /api/v1/watchlists`; sent again it would be refused, as its name is taken by itself."""
        request = self._sent("POST", "/api/v1/watchlists", {"name": name})
        return Call("create_watchlist", request, self._watchlist, self, once=True)

    def get_watchlist(self, watchlist: str, cursor: str | None, limit: int | None) -> Call[WatchlistContent]:
        """`GET /api/v1/watchlists/{watchlist}`."""
        query = _query(cursor=cursor, limit=limit)
        path = f"{_watchlist_path(watchlist)}{'?' if query else ''}{query}"
        return self._get("get_watchlist", path, self._watchlist_content)

    def change_watchlist(self, watchlist: str, **members: object) -> Call[WatchlistChanged]:
        """`PATCH /api/v1/watchlists/{watchlist}`; members are named as in Python, None and empty lists are left out."""
        body = {_camel(name): value for name, value in members.items() if value is not None and value != []}
        request = self._sent("PATCH", _watchlist_path(watchlist), body)
        return Call("change_watchlist", request, self._watchlist_changed, self)

    def delete_watchlist(self, watchlist: str) -> Call[None]:
        """`DELETE /api/v1/watchlists/{watchlist}`."""
        return Call("delete_watchlist", self._sent("DELETE", _watchlist_path(watchlist)), self._nothing, self)

    def list_webhooks(self) -> Call[WebhookList]:
        """`GET /api/v1/webhooks`."""
        return self._get("list_webhooks", "/api/v1/webhooks", self._webhooks)

    def create_webhook(self, address: str, watchlist: str) -> Call[WebhookMade]:
        """`POST /api/v1/webhooks`; sent again it would make another one."""
        request = self._sent("POST", "/api/v1/webhooks", {"url": address, "watchlist": watchlist})
        return Call("create_webhook", request, self._webhook_made, self, once=True)

    def get_webhook(self, webhook: str) -> Call[WebhookContent]:
        """`GET /api/v1/webhooks/{webhook}`."""
        return self._get("get_webhook", _webhook_path(webhook), self._webhook_content)

    def change_webhook(self, webhook: str, address: str | None, enabled: bool | None) -> Call[WebhookShown]:
        """`PATCH /api/v1/webhooks/{webhook}`; None is left out."""
        members = {"url": address, "enabled": enabled}
        body = {name: value for name, value in members.items() if value is not None}
        return Call("change_webhook", self._sent("PATCH", _webhook_path(webhook), body), self._webhook, self)

    def delete_webhook(self, webhook: str) -> Call[None]:
        """`DELETE /api/v1/webhooks/{webhook}`."""
        return Call("delete_webhook", self._sent("DELETE", _webhook_path(webhook)), self._nothing, self)

    def rotate_webhook_secret(self, webhook: str, overlap_seconds: int | None) -> Call[WebhookMade]:
        """`POST /api/v1/webhooks/{webhook}/rotate`; sent again it would be refused, and the secret not shown."""
        body = {} if overlap_seconds is None else {"overlapSeconds": overlap_seconds}
        request = self._sent("POST", f"{_webhook_path(webhook)}/rotate", body)
        return Call("rotate_webhook_secret", request, self._webhook_made, self, once=True)

    def test_webhook(self, webhook: str) -> Call[MessageShown]:
        """`POST /api/v1/webhooks/{webhook}/test`; sent again it could send another message."""
        request = self._sent("POST", f"{_webhook_path(webhook)}/test")
        return Call("test_webhook", request, self._message, self, once=True)

    def _sent(self, method: str, path: str, body: object = None) -> Request:
        """A request that is no GET, with a body in JSON unless that is None."""
        url = f"{self.base_url}{path}"
        if body is None:
            return Request(method, url, {}, None)
        try:
            content = msgspec.json.encode(body)
        except TypeError as error:
            raise ValueError(f"an argument cannot be sent as JSON: {error}") from error
        return Request(method, url, {"Content-Type": "application/json"}, content)

    def _get(self, method: str, path: str, decoder: Decoder[T]) -> Call[T]:
        url = f"{self.base_url}{path}"
        kept_as = f"{url} {self._language or ''}"
        return Call(method, Request("GET", url, {}, None), decoder, self, kept_as)


def key_or_environment(api_key: str | None) -> str:
    """The key given, else that of the environment.

    Raises:
        ValueError: There is none, or it cannot be a key; the message does not repeat it.
    """
    key = os.environ.get("PADRON_API_KEY") if api_key is None else text_of("api_key", api_key)
    if key is None:
        raise ValueError("api_key is missing: give it, or set PADRON_API_KEY")
    if len(key) > _LONGEST_KEY:
        raise ValueError(f"api_key is longer than {_LONGEST_KEY} characters, as no key is")
    if not _VISIBLE.fullmatch(key):
        raise ValueError("api_key is empty or holds a blank, a line break or a letter that no key has")
    return key


def address_or_environment(base_url: str | None) -> str:
    """The address given, else that of the environment, else the default."""
    return os.environ.get("PADRON_BASE_URL", DEFAULT_BASE_URL) if base_url is None else base_url


def check_timeout(timeout: object) -> None:
    """Refuse with a `ValueError` a timeout that is not a positive number of seconds."""
    if not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
        raise ValueError("timeout must be a number of seconds, more than 0")


def _check_retries(max_retries: object) -> None:
    if not isinstance(max_retries, int) or max_retries < 0:
        raise ValueError("max_retries must be a whole number, 0 or more")


def text_of(name: str, value: object) -> str:
    """An argument that is text. Raises `ValueError` if it is none."""
    if isinstance(value, str):
        return value
    reason = ": zeros in front of it count" if isinstance(value, int) else ""
    raise ValueError(f"{name} must be text, not {type(value).__name__}{reason}")


def rows_of(rows: object) -> Iterable[Row]:
    """An argument that is a list of rows. Raises `ValueError` if it is none."""
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise ValueError(_NO_ROWS)  # noqa: TRY004 - of this library, a wrong argument is one
    return cast("Iterable[Row]", rows)


def _members(row: object) -> dict[str, object]:
    """A row as it is sent. Raises `ValueError` if it is none."""
    if not isinstance(row, Mapping):
        raise ValueError(_NO_ROWS)  # noqa: TRY004 - of this library, a wrong argument is one
    cells = cast("Mapping[object, object]", row)
    return {_camel(text_of("a field of rows", name)): value for name, value in cells.items()}


def _query(**members: str | int | bool | None) -> str:
    given = {_camel(name): value for name, value in members.items() if value is not None}
    return urlencode({name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()})


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _company(country: str, identifier: str) -> str:
    return f"/api/v1/entities/{_segment('country', country)}/{_segment('id', identifier)}"


def _watchlist_path(watchlist: str) -> str:
    return f"/api/v1/watchlists/{_segment('id', watchlist)}"


def _webhook_path(webhook: str) -> str:
    return f"/api/v1/webhooks/{_segment('id', webhook)}"


def _segment(name: str, text: str) -> str:
    """A segment of a path. What the standard for addresses would take for steps in the path cannot be sent."""
    if text_of(name, text) in {"", ".", ".."}:
        raise ValueError(f"{name} must not be empty, . or ..")
    return quote(text, safe="")


def _status_error(received: Received) -> APIError:
    problem = _problem(received)
    request_id = received.headers.get("x-request-id") or ((problem.request_id or None) if problem else None)
    message = f"{received.status}"
    if problem:
        message += f" {problem.code}" + (f": {problem.detail}" if problem.detail else "")
    return class_of(received.status)(
        f"{message} (request {request_id})" if request_id else message,
        status=received.status,
        problem=problem,
        request_id=request_id,
        retry_after=_retry_after(received.headers.get("retry-after")),
    )


def _problem(received: Received) -> Problem | None:
    """The problem document of an answer. What RFC 9457 lets a server leave out is empty, but for the `code`."""
    left_out = {"type": "about:blank", "status": received.status} | dict.fromkeys(
        ("title", "detail", "instance", "requestId"), ""
    )
    try:
        return msgspec.convert(left_out | msgspec.json.decode(received.body, type=dict[str, Any]), Problem)
    except _UNREADABLE:
        return None  # a proxy's page, say: the status tells what there is to tell


def _retry_after(text: str | None) -> float | None:
    """Seconds of a Retry-After field (RFC 9110 §10.2.3): a number of them, or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
