"""Rate limits at the door: who is asking, whether the request may pass, and the header fields that say so."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from functools import lru_cache

from padron.accounts.plans import Anonymous
from padron.accounts.rate_limits import Ask, Quota, Spent, Windows
from padron.config import Network
from padron.errors import Limited
from padron.transport.call import Call

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Admission:
    """Admits callers without a key, each within the `quotas` of its address; all of them where `windows` is None."""

    def __init__(self, windows: Windows | None, quotas: Anonymous, trusted: Sequence[Network]) -> None:
        self.quotas = quotas
        self._windows = windows
        self._trusted = tuple(trusted)

    async def admit(self, call: Call, quota: Quota) -> None:
        """Take one request from `quota`; the answer tells what is left, whatever it will be.

        Raises `Limited("rate-limited")`.
        """
        if self._windows is None:
            return
        (spent,) = await self._windows.take([Ask(quota, client_of(call, self._trusted))])
        tell(call, (quota,), (spent,))
        if not spent.granted:
            raise rate_limited(quota, spent)


def tell(call: Call, quotas: Sequence[Quota], spent: Iterable[Spent]) -> None:
    """Put what is left of some quotas into the answer (draft-ietf-httpapi-ratelimit-headers-10)."""
    states = [f'"{quota.name}";r={one.remaining};t={one.reset}' for quota, one in zip(quotas, spent, strict=True)]
    call.headers += (
        (b"ratelimit-policy", _policy(*quotas)),
        (b"ratelimit", ", ".join(states).encode()),
    )


def rate_limited(quota: Quota, spent: Spent) -> Limited:
    """The refusal of a request beyond a rate window."""
    context = {"amount": quota.amount, "window": quota.window, "violated": (quota.name,)}
    return Limited("rate-limited", retry_after=spent.reset, **context)


@lru_cache
def _policy(*quotas: Quota) -> bytes:
    return ", ".join(f'"{quota.name}";q={quota.amount};w={quota.window}' for quota in quotas).encode()


def client_of(call: Call, trusted: Sequence[Network]) -> str:
    """What stands for the client of a request when counting."""
    peer = call.scope["client"][0] if call.scope.get("client") else ""
    if not trusted:
        return client_key(peer)
    forwarded = b",".join(value for name, value in call.scope["headers"] if name == b"x-forwarded-for")
    return client_key(origin(peer, forwarded.decode("latin-1"), trusted))


def origin(peer: str, forwarded: str, trusted: Iterable[Network]) -> str:
    """The address a request came from: the peer's, or what its trusted proxies say.

    Each proxy appends the address it was called from to X-Forwarded-For, so the list is believed from the right for as
    long as the one who wrote it is trusted; what stands further left anybody can have invented.
    """
    for written in reversed([peer] if not forwarded else [*forwarded.split(","), peer]):
        address = _address(written)
        if address is None:
            return peer
        peer = str(address)
        if not any(address in network for network in trusted):
            return peer
    return peer


@lru_cache(maxsize=10_000)
def client_key(address: str) -> str:
    """What stands for a client when counting: an IPv4 address, or the /64 that one IPv6 subscriber holds."""
    parsed = _address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed or "unknown")


def _address(text: str) -> Address | None:
    """An address as proxies write it, perhaps with a port (`1.2.3.4:80`, `[::1]:80`); IPv4 in IPv6 as IPv4."""
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
