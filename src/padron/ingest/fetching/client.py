"""Requests as each publisher wants them: its rate, its connections, its headers, patience when it refuses.

A refusal (403, 429, 503, no connection) takes one connection away. What may be cured by waiting is asked again, after
the time the publisher names or ever longer ones; a 403 on the only connection is its policy and is never repeated.
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
from padron.errors import Invalid, SourceError
from padron.origin import Manners

set_on_retry_hooks([])  # stamina would write each wait into whatever log or metrics library is installed

_TIMEOUT = httpx2.Timeout(30.0, read=120.0)
_LARGEST_DOCUMENT = 256 << 20
_REFUSED = frozenset([403, 429, 503])
_TRY_AGAIN = frozenset([408, 429, 500, 502, 503, 504])

Result = TypeVar("Result")


@dataclass(frozen=True)
class Patience:
    """How often a request without any progress is tried, the first and the longest wait between two, in seconds."""

    attempts: int = 8
    first: float = 2.0
    longest: float = 600.0


@dataclass(frozen=True)
class Means:
    """What the operator sets: whose program this is, mirrors of hosts that do not answer here, ids of shares."""

    contact: str | None = None
    mirrors: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, str] = field(default_factory=dict)
    patience: Patience = Patience()


class AgainError(Exception):
    """What was asked for did not come whole, and may the next time; `after` is the wait the publisher named.

    `progress`: enough came to ask for the rest at once.
    """

    def __init__(self, reason: str, after: float | None = None, *, progress: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.progress = progress


class Gate:
    """Holds the requests to one publisher to its rate and connections."""

    def __init__(self, manners: Manners) -> None:
        self._condition = threading.Condition()
        self._interval = 1 / manners.rate
        self._next = 0.0
        self._open = 0
        self.connections = manners.connections

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Wait for a free connection and the next moment a request may start; hold the connection."""
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

    def refused(self) -> bool:
        """Take a connection away; whether there was more than one."""
        with self._condition:
            several = self.connections > 1
            self.connections = max(1, self.connections - 1)
            return several


class Publisher:
    """Access to one publisher. Safe to share between threads; `close` it at the end."""

    def __init__(self, manners: Manners, means: Means) -> None:
        """Raises `Invalid("contact-missing")` where the publisher wants to know whose program asks and nobody said."""
        if manners.contact and not means.contact:
            raise Invalid("contact-missing", setting="PADRON_FETCH__CONTACT", publisher=manners.name)
        self.name = manners.name
        self.means = means
        self.gate = Gate(manners)
        whose = f"Padron/{__version__}" + (f" {means.contact}" if means.contact else "")
        agent = f"Mozilla/5.0 (compatible; {whose})" if manners.browser else whose
        self._client = httpx2.Client(
            headers={"User-Agent": agent, "Accept-Encoding": "identity"},
            follow_redirects=True,
            timeout=_TIMEOUT,
            verify=_old_ciphers() if manners.old_tls else True,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def address(self, url: str) -> str:
        """`url` at the mirror of its host, where there is one: the host's part is replaced, the path kept."""
        parts = urlsplit(url)
        mirror = self.means.mirrors.get(parts.hostname or "")
        return mirror.rstrip("/") + url.removeprefix(f"{parts.scheme}://{parts.netloc}") if mirror else url

    @contextmanager
    def stream(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        user: str | None = None,
        foreseen: frozenset[int] = frozenset(),
    ) -> Iterator[httpx2.Response]:
        """The answer to one request, its body unread. Raises `AgainError` for what waiting may cure.

        Every other status, and the `foreseen` ones, are the caller's to judge.
        """
        request = self._client.build_request(method, self.address(url), headers=headers)
        auth = httpx2.BasicAuth(user, "") if user is not None else None
        with self.gate.passing():
            try:
                response = self._client.send(request, stream=True, auth=auth)
            except httpx2.ConnectError as error:
                self.gate.refused()
                raise AgainError(str(error)) from error
            except httpx2.TransportError as error:
                raise AgainError(str(error) or type(error).__name__) from error
            try:
                if response.status_code not in foreseen:
                    self._judge(response)
                yield response
            except httpx2.TransportError as error:
                raise AgainError(str(error) or type(error).__name__) from error
            finally:
                response.close()

    def _judge(self, response: httpx2.Response) -> None:
        status = response.status_code
        several = self.gate.refused() if status in _REFUSED else False
        if status in _TRY_AGAIN or (status == 403 and several):
            raise AgainError(f"HTTP {status}", _wait(response.headers.get("retry-after")))

    def patiently(self, source: str, url: str, attempt: Callable[[], Result]) -> Result:
        """The result of `attempt`, repeated while it raises `AgainError`, with waits.

        Raises `SourceError`: `publisher-unreachable` when patience ends, `publisher-asks-to-wait` at once where the
        publisher names a wait longer than that; and lets an `AgainError` with progress through.
        """
        patience = self.means.patience

        def again(error: Exception) -> bool | float:
            if not isinstance(error, AgainError) or error.progress or (error.after or 0) > patience.longest:
                return False
            return True if error.after is None else error.after

        try:
            for retry in stamina.retry_context(
                on=again,
                attempts=patience.attempts,
                timeout=None,
                wait_initial=patience.first,
                wait_max=patience.longest,
                wait_jitter=patience.first,
            ):
                with retry:
                    return attempt()
        except AgainError as error:
            if error.progress:
                raise
            if error.after is not None and error.after > patience.longest:
                raise SourceError("publisher-asks-to-wait", source=source, url=url, seconds=int(error.after)) from error
            raise SourceError("publisher-unreachable", source=source, url=url, reason=str(error)) from error
        raise AssertionError("a retry context returns or raises")

    def document(
        self, source: str, url: str, *, method: str = "GET", user: str | None = None, depth: str | None = None
    ) -> bytes:
        """A small document whole, asked for with patience. Raises `SourceError`: `publisher-refused` and the above."""
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
                    raise AgainError("cut")
                return bytes(body)

        return self.patiently(source, url, attempt)


def _old_ciphers() -> ssl.SSLContext:
    """Certificates checked as always, with the ciphers of OpenSSL's security level 1 allowed."""
    context = ssl.create_default_context()
    context.set_ciphers("DEFAULT:@SECLEVEL=1")
    return context


def _wait(retry_after: str | None) -> float | None:
    """Seconds of a Retry-After header: a number of them, or a date."""
    if retry_after is None:
        return None
    if retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
