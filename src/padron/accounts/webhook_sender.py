"""The sender of webhooks: signs a message, and sends it to public addresses alone.

Signatures follow Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and `webhook-signature`, HMAC-SHA256 over
id, time and body joined by dots. The name of the receiver is resolved at every try, each of its addresses must be
public, and the connection goes to the address that was checked: a name that leads elsewhere afterwards leads nowhere.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import re
import socket
import ssl
import string
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

import h11

from padron import threads
from padron.errors import Invalid, Unavailable
from padron.threads import Threads

URL_LENGTH: Final = 500
TIMEOUT: Final = 20.0
"""Seconds that a receiver has for its answer, connection included: Standard Webhooks recommends 15 to 30."""
HEAD: Final = 16_384
"""Bytes that the head of an answer may have, informational answers before it included."""
AGENT: Final = "Padron-Webhooks/1"
FAULTS: Final = ("not-https", "bad-host", "unresolved", "not-public")
"""Reasons why an address is refused."""

Fault = Literal["unresolved", "not-public", "timeout", "unreachable", "redirect", "status"]
Begin = Callable[[], None]
"""Called when a thread begins to ask for a name."""
Resolve = Callable[[str, int, Threads, Begin], Awaitable[Sequence[str]]]
"""Return the addresses of a host, asked for in some threads; raise as `resolve`."""

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_PATH: Final = "".join(set(string.punctuation) - set('"<>`{}'))
_QUERY: Final = _PATH + "`{}"
_UNICAST: Final = ipaddress.ip_network("2000::/3")
"""All of IPv6 that the internet uses; the rest is local, or stands for IPv4 addresses, private ones too (NAT64)."""
_6TO4: Final = ipaddress.ip_network("2002::/16")
"""The part of it whose addresses stand for IPv4 ones, private ones too."""
_RESERVED: Final = tuple(
    ipaddress.ip_network(each) for each in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20")
)
"""Addresses that `is_global` takes for public ones: the ranges that it lacks of the registries of special-purpose
addresses (IANA: RFC 6890, RFC 7526, RFC 9637), and the one at which Azure serves its own machines."""
_ANYCAST: Final = frozenset(map(ipaddress.ip_address, ("192.0.0.9", "192.0.0.10")))
"""The addresses of 192.0.0.0/24 that are public (RFC 7723, RFC 8155)."""


class Outcome(NamedTuple):
    """The end of a try: the status of the answer if there was one, and the fault; seconds asked for by Retry-After."""

    status: int | None
    fault: Fault | None
    retry_after: int = 0


class WebhookSender:
    """The way messages leave. `resolve` and `is_allowed` are those of the internet; tests have their own."""

    def __init__(self) -> None:
        self.resolve: Resolve = resolve
        self.is_allowed: Callable[[str], bool] = is_public
        self.timeout = TIMEOUT
        self._context: ssl.SSLContext | None = None
        self._checking: set[str] = set()  # accounts

    async def check(self, account: str, url: str) -> None:
        """Check the address of a receiver.

        Args:
            account: Id of the account that gives it.

        Raises:
            Invalid: `bad-webhook-url` with the reason, one of `FAULTS`.
            Unavailable: `busy` if too many are checked, or another one of the account.
        """
        host, port = target(url)
        try:
            async with asyncio.timeout(self.timeout) as limit:
                addresses = await self._addresses(partial(self._resolve_alone, account, host, port), limit)
        except OSError as error:  # TimeoutError is one
            raise _refused("unresolved") from error
        if not addresses or not all(map(self.is_allowed, addresses)):
            raise _refused("not-public")

    async def _resolve_alone(self, account: str, host: str, port: int, begin: Begin) -> Sequence[str]:
        """Return the addresses of a host that is checked: of one at a time for each account."""
        if account in self._checking:
            raise Unavailable("busy")
        self._checking.add(account)
        try:
            return await self.resolve(host, port, threads.CHECKING, begin)
        finally:
            self._checking.discard(account)

    async def _addresses(
        self, ask: Callable[[Begin], Awaitable[Sequence[str]]], limit: asyncio.Timeout
    ) -> Sequence[str]:
        """Return what `ask` returns; the time of `limit` begins anew once a thread asks for the name.

        Raises `Unavailable("busy")` if it ends before. A thread that has begun is waited for to its end, by nobody who
        asks for the next.
        """
        loop, begun = asyncio.get_running_loop(), False

        def begin() -> None:
            nonlocal begun
            begun = True
            with suppress(RuntimeError):  # it has ended
                limit.reschedule(loop.time() + self.timeout)

        asking = asyncio.ensure_future(ask(begin))
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            if begun:
                raise
            asking.cancel()
            if limit.expired():
                raise Unavailable("busy") from None
            raise

    async def send(self, url: str, message: str, timestamp: int, body: bytes, secrets: Sequence[bytes]) -> Outcome:
        """Send a message once; no redirect is followed, and nothing of the answer is read but its head.

        Args:
            message: Id of the message, the same at every try.

        Raises:
            Unavailable: `busy` if too many names are asked for: nothing was sent.
        """
        fields = {
            "content-type": "application/json",
            "user-agent": AGENT,
            "webhook-id": message,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": " ".join(sign(key, message, timestamp, body) for key in secrets),
        }
        try:
            async with asyncio.timeout(self.timeout) as limit:
                return await self._post(url, fields, body, limit)
        except TimeoutError:
            return Outcome(None, "timeout")

    async def _post(self, url: str, fields: dict[str, str], body: bytes, limit: asyncio.Timeout) -> Outcome:
        parts, (host, port) = urlsplit(url), target(url)
        try:
            addresses = await self._addresses(partial(self.resolve, host, port, threads.RESOLVING), limit)
        except OSError:
            return Outcome(None, "unresolved")
        if not addresses or not all(map(self.is_allowed, addresses)):
            return Outcome(None, "not-public")
        self._context = self._context or _verifying()
        connection = h11.Connection(h11.CLIENT)
        message = connection.send(
            h11.Request(
                method="POST",
                target=_path(parts),
                headers=[
                    ("host", parts.netloc),
                    ("connection", "close"),
                    ("content-length", str(len(body))),
                    *fields.items(),
                ],
            )
        )
        message += connection.send(h11.Data(data=body)) + connection.send(h11.EndOfMessage())
        try:
            transport, answer = await asyncio.get_running_loop().create_connection(
                lambda: _Answer(connection), addresses[0], port, ssl=self._context, server_hostname=host
            )
        except TimeoutError:  # of the system, which may have less patience
            return Outcome(None, "timeout")
        except (OSError, ValueError):
            return Outcome(None, "unreachable")
        try:
            transport.write(message)
            return await answer.outcome
        finally:
            transport.abort()


class _Answer(asyncio.Protocol):
    """The answer of a receiver, up to the end of its head; it may come before the whole message was taken."""

    def __init__(self, connection: h11.Connection) -> None:
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._connection = connection
        self._left = HEAD

    def data_received(self, data: bytes) -> None:
        """Read on, if the head has not ended; informational answers may precede it."""
        if self.outcome.done():
            return
        self._connection.receive_data(data[: self._left])
        self._left -= min(len(data), self._left)
        try:
            event = self._connection.next_event()
            while isinstance(event, h11.InformationalResponse):
                event = self._connection.next_event()
        except h11.RemoteProtocolError as error:
            self.connection_lost(error)
            return
        if isinstance(event, h11.Response):
            self.outcome.set_result(_outcome(event))
        elif not self._left:
            self.connection_lost(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End without an answer, if none came."""
        if not self.outcome.done():
            self.outcome.set_result(Outcome(None, "unreachable"))


def _verifying() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _path(url: SplitResult) -> str:
    """Return what a receiver is asked for: path and query, with the characters encoded that stand in neither."""
    path, query = quote(url.path or "/", _PATH), quote(url.query, _QUERY)
    return f"{path}?{query}" if query else path


def _outcome(answer: h11.Response) -> Outcome:
    status = answer.status_code
    if 200 <= status < 300:
        return Outcome(status, None)
    retry_after = b",".join(value for name, value in answer.headers if name == b"retry-after")
    seconds = int(retry_after) if retry_after.isdigit() and len(retry_after) < 8 else 0
    return Outcome(status, "redirect" if 300 <= status < 400 else "status", seconds)


def sign(key: bytes, message: str, timestamp: int, body: bytes) -> str:
    """Return a signature, as it stands in `webhook-signature`.

    Args:
        timestamp: The time of the try, in seconds since the epoch.

    Returns:
        The signature with its version.
    """
    digest = hmac.new(key, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def target(url: str) -> tuple[str, int]:
    """Return host and port of the address of a receiver. Raises `Invalid("bad-webhook-url")`."""
    try:
        parts = urlsplit(url)
        port = parts.port or 443
    except ValueError as error:
        raise _refused("bad-host") from error
    if parts.scheme != "https":
        raise _refused("not-https")
    named = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc
    if not _VISIBLE.fullmatch(url) or not _HOST.fullmatch(named) or parts.fragment:
        raise _refused("bad-host")
    return parts.hostname or "", port


def is_public(address: str) -> bool:
    """Return whether an address is one of the internet: not private, local, shared, reserved or a translated one."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.version == 6 and (parsed not in _UNICAST or parsed in _6TO4):
        return False
    if any(parsed in network for network in _RESERVED) and parsed not in _ANYCAST:
        return False
    return parsed.is_global and not parsed.is_multicast


async def resolve(host: str, port: int, pool: Threads, begin: Begin) -> Sequence[str]:
    """Return the addresses of a host.

    Args:
        pool: Where its name server is waited for, which may be silent.

    Raises:
        OSError: There are none.
        Unavailable: Too many hosts are asked for at once.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    loop = asyncio.get_running_loop()

    def ask() -> list[str]:
        loop.call_soon_threadsafe(begin)
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in entries))

    try:
        return await pool.call(ask)
    except UnicodeError as error:  # a label that is empty or too long
        raise OSError(str(error)) from error


def _refused(reason: str) -> Invalid:
    return Invalid("bad-webhook-url", parameter="url", reason=reason)
