"""Rate limits of clients without a key: the client of a request, its quota, and the header fields that report it."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache

from padron.accounts.plans import Anonymous
from padron.accounts.rate_limits import Quota, QuotaRequest, QuotaState, RateLimiter
from padron.config import Network
from padron.errors import Limited
from padron.threads import OwnTurns
from padron.transport.call import Call
from padron.transport.turns import Turns

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class ClientLimits:
    """Quotas of callers without a key, by address. A `limiter` of None grants every request."""

    def __init__(self, limiter: RateLimiter | None, quotas: Anonymous, trusted: Sequence[Network]) -> None:
        self.quotas = quotas
        self._limiter = limiter
        self._trusted = tuple(trusted)
        self._rows = Turns(1)
        self._file = asyncio.Lock()
        self._own_files = OwnTurns(1)

    def client(self, call: Call) -> str:
        """Return the identifier of the client of a request."""
        return client_of(call, self._trusted)

    async def admit(self, call: Call, quota: Quota, cost: int = 1) -> None:
        """Count a request against a quota and report the quota in the answer.

        Args:
            cost: As how many requests it counts.

        Raises:
            Limited: `rate-limited`.
        """
        if self._limiter is None:
            return
        (state,) = await self._limiter.take([QuotaRequest(quota, self.client(call), cost=cost)])
        add_rate_limit_headers(call, (quota,), (state,))
        if not state.granted:
            raise rate_limited(quota, state)

    async def take_row(self, call: Call) -> None:
        """Wait until a row of a list, or a query of a batch, may be matched: one in each round of the event loop.

        Clients take turns. Rows sent with a key do not wait for these.
        """
        await self._rows.take(self.client(call))

    @asynccontextmanager
    async def file_turn(self, call: Call) -> AsyncIterator[None]:
        """Wait until a file of many companies may be made: one at a time, so that they need the memory of one.

        Clients take turns: each waits for a file of its own first, and with one alone for those of others.
        """
        async with self._own_files.of(self.client(call)), self._file:
            yield


def add_rate_limit_headers(call: Call, quotas: Sequence[Quota], states: Iterable[QuotaState]) -> None:
    """Report quotas in the header fields of the answer (draft-ietf-httpapi-ratelimit-headers-10), the last time alone.

    Args:
        quotas: The quotas that counted it.
        states: Their states, in the same order.
    """
    left = [f'"{quota.name}";r={state.remaining};t={state.reset}' for quota, state in zip(quotas, states, strict=True)]
    call.headers = [field for field in call.headers if field[0] not in {b"ratelimit-policy", b"ratelimit"}]
    call.headers += (
        (b"ratelimit-policy", _policy(*quotas)),
        (b"ratelimit", ", ".join(left).encode()),
    )


def rate_limited(quota: Quota, state: QuotaState) -> Limited:
    """Return the error of a request beyond a rate limit."""
    context = {"amount": quota.amount, "window": quota.window, "violated": (quota.name,)}
    return Limited("rate-limited", retry_after=state.reset, **context)


@lru_cache
def _policy(*quotas: Quota) -> bytes:
    return ", ".join(f'"{quota.name}";q={quota.amount};w={quota.window}' for quota in quotas).encode()


def client_of(call: Call, trusted: Sequence[Network]) -> str:
    """Return the identifier of the client of a request, for counting."""
    return client_key(address_of(call, trusted))


def address_of(call: Call, trusted: Sequence[Network]) -> str:
    """Return the address that a request came from."""
    peer: str = call.scope["client"][0] if call.scope.get("client") else ""
    if not trusted:
        return peer
    forwarded = b",".join(value for name, value in call.scope["headers"] if name == b"x-forwarded-for")
    return origin(peer, forwarded.decode("latin-1"), trusted)


def origin(peer: str, forwarded: str, trusted: Iterable[Network]) -> str:
    """Return the address that a request came from: the peer, or the client its trusted proxies report.

    Each proxy appends the address of its peer to X-Forwarded-For, so entries are trusted from the right as long as the
    proxy that wrote them is trusted; anybody can have invented those further left.

    Args:
        forwarded: X-Forwarded-For, empty if there is none.
    """
    for entry in reversed([peer] if not forwarded else [*forwarded.split(","), peer]):
        address = _address(entry)
        if address is None:
            return peer
        peer = str(address)
        if not any(address in network for network in trusted):
            return peer
    return peer


@lru_cache(maxsize=10_000)
def client_key(address: str) -> str:
    """Return the identifier of a client for counting: an IPv4 address, or the /64 network of an IPv6 subscriber."""
    parsed = _address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed or "unknown")


def is_within(address: str, networks: Iterable[Network]) -> bool:
    """Return whether an address is in one of some networks."""
    parsed = _address(address)
    return parsed is not None and any(parsed in network for network in networks)


def _address(text: str) -> Address | None:
    """Parse an address as proxies write it, perhaps with a port (`1.2.3.4:80`, `[::1]:80`); IPv4 in IPv6 as IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
