"""The two clients: `Padron` for threads, `AsyncPadron` for asyncio. Same options, methods, results and errors."""

from __future__ import annotations

import asyncio
import threading
from asyncio import sleep as pause
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from copy import copy
from itertools import islice
from os import PathLike
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import httpx2

from padron_client.calls import (
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
    MOST_BYTES,
    Cache,
    Call,
    Calls,
    Language,
    Lost,
    OnAttempt,
    Received,
    Request,
    Response,
    Row,
    address_or_environment,
    answered,
    check_timeout,
    key_or_environment,
    rows_of,
)
from padron_client.errors import BadRequestError
from padron_client.files import BulkFile
from padron_client.local import LOCAL_URL, LocalTransport
from padron_client.pace import Gate
from padron_client.secret import Scrubber, sending
from padron_client.types import (
    ChangeKind,
    Changes,
    CheckoutShown,
    CountryCode,
    Coverage,
    Financials,
    ListMatches,
    RowMatch,
    Status,
    V1Answer,
    V1Entity,
    V1Result,
    V1Usage,
)
from padron_client.watching import AsyncWatching, Watching

__version__ = "0.1.0"

_FAILURES: Final = (httpx2.TransportError, httpx2.DecodingError)
_CHUNK: Final = 1 << 16
_PAGE: Final = 50
"""Results the service looks at, and gives at once at most: one request brings them all."""
_BATCH: Final = 500
"""Rows of a list that go in one request."""

P = ParamSpec("P")
T = TypeVar("T")


class _Key(httpx2.Auth):
    """Authentication by the key in both header fields of each request; it is kept nowhere else."""

    def __init__(self, api_key: str) -> None:
        self._api_key = api_key

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        """Add the two fields; no answer makes it send the request again."""
        request.headers["Authorization"] = f"Bearer {self._api_key}"
        request.headers["apiKey"] = self._api_key
        yield request


def _headers(language: Language | None) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": f"padron-client-python/{__version__}"}
    return headers if language is None else headers | {"Accept-Language": language}


def _built(http: httpx2.Client | httpx2.AsyncClient, request: Request, timeout: float) -> httpx2.Request:
    """The request as the library sends it. Raises `ValueError` for an address that cannot be: a query too long, say."""
    try:
        return http.build_request(
            request.method, request.url, headers=request.headers, content=request.body, timeout=timeout
        )
    except httpx2.InvalidURL as error:
        raise ValueError(str(error)) from error


def _lost(error: httpx2.TransportError | httpx2.DecodingError) -> Lost:
    """Only the words of the library's error go on: the error itself holds the request, and that the key."""
    late = isinstance(error, httpx2.TimeoutException)
    return Lost(str(error) or ("no answer in time" if late else "the connection failed"), late)


def _late() -> Lost:
    return Lost("the answer did not end in time", late=True)


def _too_large() -> Lost:
    return Lost(f"The answer has more than {MOST_BYTES >> 20} MiB", late=False, too_large=True)


@contextmanager
def _located(first: int, batch: Sequence[Row]) -> Generator[None, None, None]:
    """Put the rows of a batch before the message of a problem, which counts from the first of them."""
    try:
        yield
    except BadRequestError as error:
        error.args = (f"rows {first} to {first + len(batch) - 1} of the list, counted from 0: {error}",)
        raise


async def _one_by_one(rows: Iterable[Row]) -> AsyncIterator[Row]:
    for row in rows:
        yield row


async def _batch(rows: AsyncIterator[Row]) -> list[Row]:
    """The next rows that go in one request."""
    batch: list[Row] = []
    async for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            break
    return batch


class _Stream(Protocol):
    """A connection as the HTTP library reads it."""

    read: Callable[..., bytes]


class _Deadline(threading.local):
    """The end of the attempt that this thread makes; every read from its connection waits until then at most.

    The library bounds each read, and so an answer whose header fields drip would have no end.
    """

    _at = 0.0

    def set(self, timeout: float) -> None:
        """Begin an attempt of at most `timeout` seconds."""
        self._at = monotonic() + timeout

    def left(self) -> float:
        """Seconds of the attempt that are left, 0 or less after its end."""
        return self._at - monotonic()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Bound the reads of a connection that the library has just made; it calls this for all that it does."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._bound(info["return_value"])

    def _bound(self, stream: _Stream) -> None:
        read = stream.read

        def bounded(max_bytes: int, timeout: float | None = None) -> bytes:
            """Read, for as long as the attempt may still take."""
            left = max(self.left(), 0.001)
            return read(max_bytes, left if timeout is None else min(timeout, left))

        stream.read = bounded


class Padron(Watching):
    """A client of the service, for one thread or many.

    It keeps connections open; `close` it or use it in a `with` block.

    Args:
        api_key: Your key, `pdr_live_…`; `PADRON_API_KEY` of the environment when left out. It goes with every
            request, in both header fields.
        base_url: Address of the service; `PADRON_BASE_URL` of the environment when left out.
        timeout: Seconds an attempt may take, from the first to the last byte of the answer.
        max_retries: How often a call is tried again after a lost connection or status 408, 429, 500, 502, 503, 504.
            Unless it is 0, the calls of a client also keep to its plan together: they wait while nothing is left of it.
        language: Language of the words in answers and errors; Spanish when left out.
        cache: Where answers are kept to be asked for with their ETag; none when left out.
        transport: What sends the requests, in place of the library's own: for proxies, certificates, tests.
        on_attempt: Is told of the end of each attempt: for a log, measures, traces. What it raises, the call raises.

    Raises:
        ValueError: An option cannot be right.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        language: Language | None = None,
        cache: Cache | None = None,
        transport: httpx2.BaseTransport | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        check_timeout(timeout)
        api_key = key_or_environment(api_key)
        address = address_or_environment(base_url)
        self._calls = Calls(address, max_retries, language, cache, Scrubber(api_key), on_attempt)
        self._timeout = timeout
        self._paced = max_retries > 0
        self._turn = threading.Lock()
        self._answered = threading.Event()
        self._gate = Gate(self._answered)
        self._deadline = _Deadline()
        self._http = httpx2.Client(auth=_Key(api_key), headers=_headers(language), transport=transport)

    @classmethod
    def local(cls, data: str | PathLike[str] | None = None, *, language: Language | None = None) -> Padron:
        """A client of a release on this machine: no service, no key, no network. There is nothing to buy.

        Args:
            data: The data folder that `padron build` wrote; that of the settings, `var`, when left out.
            language: Language of the words in answers and errors; Spanish when left out.

        Returns:
            The client. It answers from the release that was current when it was made.

        Raises:
            ImportError: The package `padron` is not installed.
            ValueError: The folder has no release that can be served; the message says how to build one.
        """
        transport = LocalTransport(data)
        return cls(api_key="local", base_url=LOCAL_URL, max_retries=0, language=language, transport=transport)

    def __repr__(self) -> str:
        return f"<Padron {self._calls.base_url}>"

    def __enter__(self) -> Padron:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The client cannot be used after that."""
        self._http.close()

    def search(
        self,
        q: str,
        *,
        country: CountryCode | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: Status | None = None,
        activity: str | None = None,
        legal_form: str | None = None,
        region: str | None = None,
        has_financials: bool | None = None,
        ignore: str | None = None,
    ) -> V1Answer:
        """Find companies by name or official identifier, the likeliest first.

        Args:
            q: Name or identifier, 2 to 1,000 characters.
            country: Search this country's registers only.
            limit: How many results at most, 1 to 50; 8 when left out.
            cursor: `next_cursor` of the page before.
            status: Only companies of this status.
            activity: Only activities whose code starts with this.
            legal_form: Only this legal form, by its code, such as `sa`.
            region: Only this province, state or department.
            has_financials: Only companies with, or without, statements.
            ignore: Aspects not to read from the text, separated by commas; `all`: `q` is a name or a number.

        Returns:
            The answer; `best_match` is the first result when its confidence is 0.85 or higher, else None.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(
            self._calls.search(
                q,
                country=country,
                limit=limit,
                cursor=cursor,
                status=status,
                activity=activity,
                legal_form=legal_form,
                region=region,
                has_financials=has_financials,
                ignore=ignore,
            )
        )

    def iter_search(
        self,
        q: str,
        *,
        country: CountryCode | None = None,
        page_size: int = _PAGE,
        status: Status | None = None,
        activity: str | None = None,
        legal_form: str | None = None,
        region: str | None = None,
        has_financials: bool | None = None,
        ignore: str | None = None,
    ) -> Iterator[V1Result]:
        """All results of a search, the likeliest first; the next page is asked for when it is needed.

        Args:
            q: Name or identifier, 2 to 1,000 characters.
            country: Search this country's registers only.
            page_size: Results a request, 1 to 50. The service looks at the 50 likeliest companies.
            status: Only companies of this status.
            activity: Only activities whose code starts with this.
            legal_form: Only this legal form, by its code, such as `sa`.
            region: Only this province, state or department.
            has_financials: Only companies with, or without, statements.
            ignore: Aspects not to read from the text, separated by commas; `all`: `q` is a name or a number.

        Raises:
            APIError: One of its classes; `bad-cursor` when the service has changed to newer data between two pages.
        """
        cursor: str | None = None
        while True:
            answer = self.search(
                q,
                country=country,
                limit=page_size,
                cursor=cursor,
                status=status,
                activity=activity,
                legal_form=legal_form,
                region=region,
                has_financials=has_financials,
                ignore=ignore,
            )
            yield from answer.results
            cursor = answer.next_cursor
            if cursor is None:
                return

    def get(self, country: CountryCode, id: str) -> V1Entity:  # noqa: A002
        """One company in full.

        Args:
            country: Country of the register.
            id: Any official identifier of the company, formatted or not: `33.000.167/0001-01`.

        Returns:
            The company, and how the identifier that was asked relates to it.

        Raises:
            ValueError: `country` or `id` is empty, or dots.
            NotFoundError: The registers that the service holds have no such company.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.get(country, id))

    def financials(self, country: CountryCode, id: str) -> Financials:  # noqa: A002
        """The yearly statements of a company, the latest first.

        Args:
            country: Country of the register.
            id: Any official identifier of the company, formatted or not.

        Returns:
            The company and its statements. Amounts are exact decimal texts in `currency`, times `unit`.

        Raises:
            ValueError: `country` or `id` is empty, or dots.
            PermissionDeniedError: Your plan does not include statements; the problem says which plans do.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.financials(country, id))

    def financials_csv(self, country: CountryCode, id: str) -> str:  # noqa: A002
        """The yearly statements of a company as CSV: a figure a line, below a header.

        Args:
            country: Country of the register.
            id: Any official identifier of the company, formatted or not.

        Raises:
            ValueError: `country` or `id` is empty, or dots.
            PermissionDeniedError: Your plan does not include statements; the problem says which plans do.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.financials_csv(country, id))

    def bulk_files(self) -> list[BulkFile]:
        """The files of the whole directory, with their addresses, sizes and checksums.

        Raises:
            NotFoundError: The service has none; they are written by `padron export`.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.bulk_files())

    def coverage(self) -> Coverage:
        """Coverage of the service: companies by country, sources, and the dates of their data.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.coverage())

    def usage(self) -> V1Usage:
        """The plan of the key, what is left of its limits, and the answers of the last days.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.usage())

    def changes(
        self,
        *,
        since: str | None = None,
        country: CountryCode | None = None,
        kind: ChangeKind | None = None,
        watchlist: str | None = None,
        limit: int | None = None,
    ) -> Changes:
        """A page of the changes of companies between releases, the oldest first.

        Args:
            since: `cursor` of the page before; the oldest changes when left out.
            country: Only this country's registers.
            kind: Only changes of this kind.
            watchlist: Only changes of what this watchlist holds.
            limit: Changes on the page.

        Returns:
            The page; while its `more` is true there is another one already.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.changes(since=since, country=country, kind=kind, watchlist=watchlist, limit=limit))

    def match(self, rows: Iterable[Row]) -> ListMatches:
        """The company of each row of a list.

        Args:
            rows: Up to 1,000 rows, each with a name or an identifier at least; they count against a quota of their own.

        Returns:
            A match for each row, in their order.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.match(rows))

    def iter_match(self, rows: Iterable[Row]) -> Iterator[RowMatch]:
        """The company of each row of a list of any length, in their order.

        Args:
            rows: The rows, each with a name or an identifier at least. They are taken when they are needed, sent 500 at
                a time, and count against a quota of their own.

        Raises:
            BadRequestError: A row is wrong; the message names the rows that were sent with it, and `rows[0]` in the
                problem is the first of them.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        remaining = iter(rows_of(rows))
        first = 0
        while batch := list(islice(remaining, _BATCH)):
            with _located(first, batch):
                matches = self.match(batch).matches
            yield from matches
            first += len(batch)

    def checkout(self, *, plan_id: str, idempotency_key: str | None = None) -> CheckoutShown:
        """Begin to buy a plan. Nothing is charged before the buyer pays at `checkout_url`.

        Args:
            plan_id: The plan: `pro` or `business`.
            idempotency_key: Name of this purchase: the same gives the same checkout again. A new one when left out.

        Raises:
            APIError: One of its classes; 409 `plan-already-active` is an `APIStatusError`.
        """
        return self._run(self._calls.checkout(plan_id, idempotency_key))

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> Padron:
        """The same client, its connections and its pace included, with other options for some calls.

        Args:
            timeout: Seconds an attempt may take; as before when left out.
            max_retries: How often a call is tried again; as before when left out.

        Raises:
            ValueError: An option cannot be right.
        """
        other = copy(self)
        other._timeout = self._timeout if timeout is None else timeout
        check_timeout(other._timeout)
        if max_retries is not None:
            other._calls = self._calls.retried(max_retries)
        other._paced = other._calls.max_retries > 0
        return other

    def with_raw_response(self, method: Callable[P, T], *args: P.args, **options: P.kwargs) -> Response[T]:
        """A result together with the answer that brought it: `padron.with_raw_response(padron.get, "US", "320193")`.

        Args:
            method: A method of this client that makes one call.
            args: Its arguments.
            options: Its arguments by name.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return Response(method(*args, **options), *answered.get())

    def _run(self, call: Call[T]) -> T:
        while (wait := call.take(self._send_in_turn(call))) is not None:
            if wait > 0:
                sleep(wait)
        return call.answer

    def _send_in_turn(self, call: Call[T]) -> Received | Lost:
        built = _built(self._http, call.request, self._timeout)
        if not self._paced:
            return self._send(call, built)
        with self._turn:
            while (delay := self._gate.delay()) != 0:
                if delay is None:
                    self._answered.wait()
                else:
                    sleep(delay)
        outcome: Received | Lost = _late()
        try:
            outcome = self._send(call, built)
        finally:
            self._gate.ended(outcome.headers, outcome.retry_after)
        return outcome

    def _send(self, call: Call[T], built: httpx2.Request) -> Received | Lost:
        begun = monotonic()
        outcome = self._exchange(built)
        call.ended(outcome, monotonic() - begun)
        return outcome

    def _exchange(self, built: httpx2.Request) -> Received | Lost:
        self._deadline.set(self._timeout)
        built.extensions["trace"] = self._deadline.trace
        quiet = sending.set(True)
        try:
            response = self._http.send(built, stream=True)
            try:
                body = bytearray()
                for chunk in response.iter_bytes(_CHUNK):
                    body += chunk
                    if self._deadline.left() < 0:
                        return _late()
                    if len(body) > MOST_BYTES:
                        return _too_large()
            finally:
                response.close()
        except _FAILURES as error:
            return _late() if self._deadline.left() < 0 else _lost(error)
        finally:
            sending.reset(quiet)
        return Received(response.status_code, response.headers, bytes(body))


class AsyncPadron(AsyncWatching):
    """A client of the service for asyncio; its options are those of `Padron`.

    It keeps connections open; `await` its `close()` or use it in an `async with` block.

    Raises:
        ValueError: An option cannot be right.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        language: Language | None = None,
        cache: Cache | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        check_timeout(timeout)
        api_key = key_or_environment(api_key)
        address = address_or_environment(base_url)
        self._calls = Calls(address, max_retries, language, cache, Scrubber(api_key), on_attempt)
        self._timeout = timeout
        self._paced = max_retries > 0
        self._turn = asyncio.Lock()
        self._answered = asyncio.Event()
        self._gate = Gate(self._answered)
        self._http = httpx2.AsyncClient(auth=_Key(api_key), headers=_headers(language), transport=transport)

    def __repr__(self) -> str:
        return f"<AsyncPadron {self._calls.base_url}>"

    async def __aenter__(self) -> AsyncPadron:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections. The client cannot be used after that."""
        await self._http.aclose()

    async def search(
        self,
        q: str,
        *,
        country: CountryCode | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: Status | None = None,
        activity: str | None = None,
        legal_form: str | None = None,
        region: str | None = None,
        has_financials: bool | None = None,
        ignore: str | None = None,
    ) -> V1Answer:
        """Find companies by name or official identifier: as `Padron.search`."""
        return await self._run(
            self._calls.search(
                q,
                country=country,
                limit=limit,
                cursor=cursor,
                status=status,
                activity=activity,
                legal_form=legal_form,
                region=region,
                has_financials=has_financials,
                ignore=ignore,
            )
        )

    async def iter_search(
        self,
        q: str,
        *,
        country: CountryCode | None = None,
        page_size: int = _PAGE,
        status: Status | None = None,
        activity: str | None = None,
        legal_form: str | None = None,
        region: str | None = None,
        has_financials: bool | None = None,
        ignore: str | None = None,
    ) -> AsyncIterator[V1Result]:
        """All results of a search, the likeliest first: as `Padron.iter_search`, for `async for`."""
        cursor: str | None = None
        while True:
            answer = await self.search(
                q,
                country=country,
                limit=page_size,
                cursor=cursor,
                status=status,
                activity=activity,
                legal_form=legal_form,
                region=region,
                has_financials=has_financials,
                ignore=ignore,
            )
            for result in answer.results:
                yield result
            cursor = answer.next_cursor
            if cursor is None:
                return

    async def get(self, country: CountryCode, id: str) -> V1Entity:  # noqa: A002
        """One company in full: as `Padron.get`."""
        return await self._run(self._calls.get(country, id))

    async def financials(self, country: CountryCode, id: str) -> Financials:  # noqa: A002
        """The yearly statements of a company: as `Padron.financials`."""
        return await self._run(self._calls.financials(country, id))

    async def financials_csv(self, country: CountryCode, id: str) -> str:  # noqa: A002
        """The yearly statements of a company as CSV: as `Padron.financials_csv`."""
        return await self._run(self._calls.financials_csv(country, id))

    async def bulk_files(self) -> list[BulkFile]:
        """The files of the whole directory: as `Padron.bulk_files`."""
        return await self._run(self._calls.bulk_files())

    async def coverage(self) -> Coverage:
        """Coverage of the service, as `Padron.coverage`."""
        return await self._run(self._calls.coverage())

    async def usage(self) -> V1Usage:
        """The plan of the key and what is left of it: as `Padron.usage`."""
        return await self._run(self._calls.usage())

    async def changes(
        self,
        *,
        since: str | None = None,
        country: CountryCode | None = None,
        kind: ChangeKind | None = None,
        watchlist: str | None = None,
        limit: int | None = None,
    ) -> Changes:
        """A page of the changes of companies: as `Padron.changes`."""
        return await self._run(
            self._calls.changes(since=since, country=country, kind=kind, watchlist=watchlist, limit=limit)
        )

    async def match(self, rows: Iterable[Row]) -> ListMatches:
        """The company of each row of a list: as `Padron.match`."""
        return await self._run(self._calls.match(rows))

    async def iter_match(self, rows: Iterable[Row] | AsyncIterable[Row]) -> AsyncIterator[RowMatch]:
        """The company of each row of a list of any length: as `Padron.iter_match`; of an async iterable too."""
        remaining = aiter(rows if isinstance(rows, AsyncIterable) else _one_by_one(rows_of(rows)))
        first = 0
        while batch := await _batch(remaining):
            with _located(first, batch):
                matches = (await self.match(batch)).matches
            for match in matches:
                yield match
            first += len(batch)

    async def checkout(self, *, plan_id: str, idempotency_key: str | None = None) -> CheckoutShown:
        """Begin to buy a plan: as `Padron.checkout`."""
        return await self._run(self._calls.checkout(plan_id, idempotency_key))

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> AsyncPadron:
        """The same client with other options for some calls: as `Padron.with_options`."""
        other = copy(self)
        other._timeout = self._timeout if timeout is None else timeout
        check_timeout(other._timeout)
        if max_retries is not None:
            other._calls = self._calls.retried(max_retries)
        other._paced = other._calls.max_retries > 0
        return other

    async def with_raw_response(
        self, method: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs
    ) -> Response[T]:
        """A result together with the answer that brought it: as `Padron.with_raw_response`."""
        return Response(await method(*args, **options), *answered.get())

    async def _run(self, call: Call[T]) -> T:
        while (wait := call.take(await self._send_in_turn(call))) is not None:
            if wait > 0:
                await pause(wait)
        return call.answer

    async def _send_in_turn(self, call: Call[T]) -> Received | Lost:
        built = _built(self._http, call.request, self._timeout)
        if not self._paced:
            return await self._send(call, built)
        async with self._turn:
            while (delay := self._gate.delay()) != 0:
                if delay is None:
                    await self._answered.wait()
                else:
                    await pause(delay)
        outcome: Received | Lost = _late()
        try:
            outcome = await self._send(call, built)
        finally:
            self._gate.ended(outcome.headers, outcome.retry_after)
        return outcome

    async def _send(self, call: Call[T], built: httpx2.Request) -> Received | Lost:
        begun = monotonic()
        outcome = await self._in_time(built)
        call.ended(outcome, monotonic() - begun)
        return outcome

    async def _in_time(self, built: httpx2.Request) -> Received | Lost:
        quiet = sending.set(True)
        try:
            return await asyncio.wait_for(self._exchange(built), self._timeout)
        except asyncio.TimeoutError:
            return _late()
        except _FAILURES as error:
            return _lost(error)
        finally:
            sending.reset(quiet)

    async def _exchange(self, built: httpx2.Request) -> Received | Lost:
        response = await self._http.send(built, stream=True)
        try:
            body = bytearray()
            async for chunk in response.aiter_bytes(_CHUNK):
                body += chunk
                if len(body) > MOST_BYTES:
                    return _too_large()
            return Received(response.status_code, response.headers, bytes(body))
        finally:
            await response.aclose()
