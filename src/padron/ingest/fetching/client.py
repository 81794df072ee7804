"""An HTTP client for publishers: the rate, connections and headers that each publisher demands, and retries.

A refusal (403, 429, 503, no connection) lowers the number of connections by one. Temporary failures are retried after
the time the publisher names, else with exponential backoff; a 403 on the only connection is policy and is not retried.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
import stamina
from stamina.instrumentation import set_on_retry_hooks

from padron import __version__
from padron.countries.origin import Manners
from padron.errors import Invalid, SourceError

set_on_retry_hooks([])  # stamina would write each wait into whatever log or metrics library is installed

_TIMEOUT = httpx2.Timeout(30.0, read=120.0)
_LARGEST_DOCUMENT = 256 << 20
_REFUSED = frozenset([403, 429, 503])
_TRY_AGAIN = frozenset([408, 429, 500, 502, 503, 504])

Result = TypeVar("Result")


@dataclass(frozen=True)
class RetryPolicy:
    """Attempts of a request that makes no progress; the first and the longest wait between two, in seconds."""

    attempts: int = 8
    first: float = 2.0
    longest: float = 600.0


@dataclass(frozen=True)
class FetchSettings:
    """Settings of the operator: contact sent to publishers, mirrors of hosts, ids of shared folders."""

    contact: str | None = None
    mirrors: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, str] = field(default_factory=dict)
    retry: RetryPolicy = RetryPolicy()


class RetryableError(Exception):
    """A request failed in a way that a retry may cure.

    Attributes:
        after: Seconds to wait, where the publisher named them.
        progress: Enough bytes were received to request the rest at once.
    """

    def __init__(self, reason: str, after: float | None = None, *, progress: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.progress = progress


class Throttle:
    """Limits the requests to one publisher to its rate and its number of connections."""

    def __init__(self, manners: Manners) -> None:
        self._condition = threading.Condition()
        self._interval = 1 / manners.rate
        self._next = 0.0
        self._open = 0
        self.connections = manners.connections

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a free connection and for the next request the rate allows; hold the connection."""
        with self._condition:
            self._condition.wait_for(lambda: self._open < self.connections)
            self._open += 1
            now = time.monotonic()
            moment = max(self._next, now)
            self._next = moment + self._interval
        try:
            time.sleep(max(0.0, moment - now))
            yield
        finally:
            with self._condition:
                self._open -= 1
                self._condition.notify()

    def drop_connection(self) -> bool:
        """Lower the number of connections by one; return True if there was more than one."""
        with self._condition:
            several = self.connections > 1
            self.connections = max(1, self.connections - 1)
            return several


class Publisher:
    """HTTP access to one publisher. Safe to share between threads; call `close` at the end."""

    def __init__(self, manners: Manners, settings: FetchSettings) -> None:
        """Open the client.

        Raises:
            Invalid: `contact-missing`, where the publisher demands a contact and the settings have none.
        """
        if manners.contact and not settings.contact:
            raise Invalid("contact-missing", setting="PADRON_FETCH__CONTACT", publisher=manners.name)
        self.name = manners.name
        self.settings = settings
        self.throttle = Throttle(manners)
        whose = f"Padron/{__version__}" + (f" {settings.contact}" if settings.contact else "")
        agent = f"Mozilla/5.0 (compatible; {whose})" if manners.browser else whose
        self._client = httpx2.Client(
            headers={"User-Agent": agent, "Accept-Encoding": "identity"},
            follow_redirects=True,
            timeout=_TIMEOUT,
            verify=_old_ciphers() if manners.old_tls else True,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def address(self, url: str) -> str:
        """Return `url` with its host replaced by the configured mirror, if there is one."""
        parts = urlsplit(url)
        mirror = self.settings.mirrors.get(parts.hostname or "")
        return mirror.rstrip("/") + url.removeprefix(f"{parts.scheme}://{parts.netloc}") if mirror else url

    @contextmanager
    def stream(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        user: str | None = None,
        expected: frozenset[int] = frozenset(),
    ) -> Iterator[httpx2.Response]:
        """Send one request and yield the response, its body unread.

        Args:
            url: Address at the publisher; its mirror is used where there is one.
            user: User name of basic authentication, without a password.

        Yields:
            The response. A status that no retry can cure is left to the caller.

        Raises:
            RetryableError: The connection failed, or the status says to try again.
        """
        request = self._client.build_request(method, self.address(url), headers=headers)
        auth = httpx2.BasicAuth(user, "") if user is not None else None
        with self.throttle.slot():
            try:
                response = self._client.send(request, stream=True, auth=auth)
            except httpx2.ConnectError as error:
                self.throttle.drop_connection()
                raise RetryableError(str(error)) from error
            except httpx2.RequestError as error:
                raise RetryableError(str(error) or type(error).__name__) from error
            try:
                if response.status_code not in expected:
                    self._check_status(response)
                yield response
            except httpx2.TransportError as error:
                raise RetryableError(str(error) or type(error).__name__) from error
            finally:
                response.close()

    def _check_status(self, response: httpx2.Response) -> None:
        status = response.status_code
        several = self.throttle.drop_connection() if status in _REFUSED else False
        if status in _TRY_AGAIN or (status == 403 and several):
            raise RetryableError(f"HTTP {status}", _wait(response.headers.get("retry-after")))

    def with_retries(self, source: str, url: str, attempt: Callable[[], Result]) -> Result:
        """Return the result of `attempt`, retried while it raises `RetryableError`.

        Returns:
            The result of the first attempt that succeeds.

        Raises:
            SourceError: `publisher-unreachable` after the last attempt; `publisher-asks-to-wait` at once where the
                publisher names a longer wait than the settings allow.
            RetryableError: One with progress, at once.
        """
        policy = self.settings.retry

        def again(error: Exception) -> bool | float:
            if not isinstance(error, RetryableError) or error.progress or (error.after or 0) > policy.longest:
                return False
            return True if error.after is None else error.after

        try:
            for retry in stamina.retry_context(
                on=again,
                attempts=policy.attempts,
                timeout=None,
                wait_initial=policy.first,
                wait_max=policy.longest,
                wait_jitter=policy.first,
            ):
                with retry:
                    return attempt()
        except RetryableError as error:
            if error.progress:
                raise
            if error.after is not None and error.after > policy.longest:
                raise SourceError("publisher-asks-to-wait", source=source, url=url, seconds=int(error.after)) from error
            raise SourceError("publisher-unreachable", source=source, url=url, reason=str(error)) from error
        raise AssertionError("a retry context returns or raises")

    def document(
        self, source: str, url: str, *, method: str = "GET", user: str | None = None, depth: str | None = None
    ) -> bytes:
        """Download a small document, with retries.

        Args:
            user: User name of basic authentication, without a password.
            depth: `Depth` header of WebDAV.

        Raises:
            SourceError: `publisher-refused`, `document-too-large`, and those of `with_retries`.
        """
        headers = {"Depth": depth} if depth is not None else {}

        def attempt() -> bytes:
            with self.stream(url, headers, method=method, user=user) as response:
                if not response.is_success:
                    raise SourceError("publisher-refused", source=source, url=url, status=response.status_code)
                body = bytearray()
                for block in response.iter_raw():
                    body += block
                    if len(body) > _LARGEST_DOCUMENT:
                        raise SourceError("document-too-large", source=source, url=url)
                expected = response.headers.get("content-length")
                if expected is not None and int(expected) != len(body):
                    raise RetryableError("cut")
                return bytes(body)

        return self.with_retries(source, url, attempt)


def _old_ciphers() -> ssl.SSLContext:
    """Return a TLS context that also allows the ciphers of OpenSSL's security level 1; certificates are checked."""
    context = ssl.create_default_context()
    context.set_ciphers("DEFAULT:@SECLEVEL=1")
    return context


def _wait(retry_after: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date."""
    if retry_after is None:
        return None
    if retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
