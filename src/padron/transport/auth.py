"""Authentication: an API key in two header fields, or the session cookie of the account pages.

A key opens v1 and checkout, a session `/api/account`; each is ignored where the other is required. Programs that can
send no header fields have a key of its own kind in the path below `LINKS`.
"""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from secrets import token_urlsafe
from typing import Final
from urllib.parse import urlsplit

from padron import threads
from padron.accounts.keys import LEAKED, LINK_PREFIX, Grant, GrantCache, Keys, Scope, is_key
from padron.accounts.plans import Feature, Plan, Plans
from padron.accounts.rate_limits import DAY, Quota, QuotaRequest, QuotaState, RateLimiter
from padron.accounts.sessions import SESSION, AccountHolder, AccountHolders
from padron.accounts.usage import Usage
from padron.config import Network
from padron.errors import Denied, Invalid, Limited, Unavailable
from padron.transport.call import Call
from padron.transport.client_limits import add_rate_limit_headers, address_of, client_of, is_within, rate_limited
from padron.transport.headers import Header
from padron.transport.turns import Turns
from padron.words import Text

FAILED: Final = Quota("failed-authentication", 20, 60)
"""Requests with wrong credentials from one address; beyond that they are looked up one at a time, and told to wait."""

LINKS: Final = "/reconcile/key/"
"""The beginning of the only paths in which a key may stand: one for an address, behind it."""
_LINK = re.compile(rf"{LINKS}{LINK_PREFIX}[0-9A-Za-z]+(?=[/?])".encode())

_KEY_DAY: Final = "key-day"

_BEARER = re.compile(rb"bearer +(\S+)", re.IGNORECASE)
DEVICE: Final = 365 * 86_400
"""Seconds for which a browser is known as one from which the holder of an account has logged in."""
_DEVICE = re.compile(rb"(?:^|;)\s*(__Host-padron-device|padron-device)=([A-Za-z0-9_-]{22})\.([0-9a-f]{64})\s*(?=;|$)")
_COOKIE = re.compile(rb"(?:^|;)\s*(__Host-padron|padron)=([A-Za-z0-9_-]{20,64})\s*(?=;|$)")


class KeyAuthenticator:
    """Authentication and authorization of requests with an API key, and their usage.

    A `limiter` of None switches limits off: nothing is refused, and answers are still counted.
    """

    def __init__(
        self,
        keys: Keys,
        grants: GrantCache,
        plans: Plans,
        usage: Usage,
        limiter: RateLimiter | None,
        trusted: Sequence[Network],
        base_url: str,
    ) -> None:
        self._keys = keys
        self._grants = grants
        self._plans = plans
        self._usage = usage
        self._limiter = limiter
        self._trusted = tuple(trusted)
        self._base_url = base_url
        self._suspects = asyncio.Lock()
        self._rows = Turns(1)
        self._own_lists, self._own_streams = threads.OwnTurns(2), threads.OwnTurns(16)

    async def check_target(self, call: Call, target: bytes) -> None:
        """Refuse a request with keys in its target, wherever it goes, and tell their owners by mail.

        A key for an address may stand at its place. Without the accounts database it is refused too, and its line of
        the log has the number of keys.

        Raises:
            Invalid: `key-in-url`.
            Limited: `too-many-failures` if the address has sent too much that is wrong.
        """
        link = _LINK.match(target)
        if leaked := set(LEAKED.findall(target, link.end() if link else 0)):
            try:
                async with self._turn(call):
                    client, keys = client_of(call, self._trusted), [key.decode() for key in leaked]
                    await threads.REPORTING.call_for(client, self._keys.leaked, keys)
            except Unavailable:
                call.unrecorded_keys = len(leaked)
            await self._count_failure(call)
            raise Invalid("key-in-url")

    async def authenticate(self, call: Call) -> Grant:
        """Return the grant of the key in the header fields. Raises as `authenticate_link`, and for them."""
        return await self._authenticate(call, lambda: key_in_headers(call.scope["headers"]))

    async def authenticate_link(self, call: Call, text: str) -> Grant:
        """Return the grant of the key in the path of a request.

        Raises `Denied` with a code for each cause, which as a 401 sets `WWW-Authenticate`;
        `Limited("too-many-failures")` if they are wrong and the address has sent wrong ones too often. A valid key is
        never refused for what others sent from its address.
        """
        return await self._authenticate(call, lambda: _link_key(text))

    async def _authenticate(self, call: Call, key: Callable[[], str]) -> Grant:
        try:
            digest = self._keys.digest(key())
            grant = self._grants.cached(digest)
            if grant is None:
                async with self._turn(call):
                    grant = await threads.ACCOUNTS.call(self._grants.look_up, digest)
        except Denied as error:
            missing = error.code in {"credentials-missing", "bearer-missing", "apikey-missing"}
            if error.code != "account-suspended":  # another key would not help
                challenge(call, None if missing else "invalid_token")
            await self._count_failure(call)
            raise
        if grant.networks and not is_within(address_of(call, self._trusted), grant.networks):
            raise Denied("address-not-allowed")
        if grant.origins and call.given.get(b"origin", b"").decode("latin-1").lower() not in grant.origins:
            raise Denied("origin-not-allowed")
        return grant

    async def _count_failure(self, call: Call) -> None:
        """Count wrong credentials of an address. Raises `Limited("too-many-failures")`."""
        if self._limiter is None:
            return
        (state,) = await self._limiter.take([QuotaRequest(FAILED, client_of(call, self._trusted))])
        add_rate_limit_headers(call, (FAILED,), (state,))
        if not state.granted:
            raise Limited("too-many-failures", retry_after=state.reset)

    @asynccontextmanager
    async def _turn(self, call: Call) -> AsyncIterator[None]:
        """Wait until a key may be looked up, which counts as wrong while it is.

        Addresses that have sent wrong ones too often, or send as many at once, have one looked up at a time.
        """
        if self._limiter is None:
            yield
            return
        client = client_of(call, self._trusted)
        (state,) = await self._limiter.take([QuotaRequest(FAILED, client)])
        if not state.granted:
            async with self._suspects:
                yield
            return
        try:
            yield
        finally:
            await self._limiter.give_back(FAILED, client)

    async def spend(self, call: Call, grant: Grant, *, counted: bool) -> None:
        """Count a request against the rate limit of the account and, if it is `counted`, against the daily quotas.

        They are that of the key, if it has one, and that of the account. A test key has none.

        Args:
            counted: Whether it counts towards the daily quota.

        Raises:
            Limited: `rate-limited`, `key-quota-exceeded`, `quota-exceeded`.
        """
        if self._limiter is None:
            return
        plan = self._plans.plan(grant.plan)
        minute, day, _ = quotas(plan)
        requests = [QuotaRequest(minute, grant.account)]
        if counted and not grant.test:
            today = grant.day == self._usage.today()
            # That of the key comes first: what a key is refused takes nothing from the others.
            if grant.per_day is not None:
                requests.append(QuotaRequest(_key_quota(grant.per_day), grant.first, grant.key_used if today else 0))
            requests.append(QuotaRequest(day, grant.account, grant.used_today if today else 0))
        states = await self._limiter.take(requests)
        add_rate_limit_headers(call, [request.quota for request in requests[: len(states)]], states)
        for request, state in zip(requests, states, strict=False):
            if not state.granted:
                raise await self._refusal(request.quota, state, grant, plan)

    async def _refusal(self, quota: Quota, state: QuotaState, grant: Grant, plan: Plan) -> Limited:
        """Return the error of a request that a quota refuses; those before it in the request are given back."""
        if quota.name == "minute":
            return rate_limited(quota, state)
        if quota.name == _KEY_DAY:
            more = {"retry_after": state.reset, "amount": quota.amount, "violated": (quota.name,)}
            return Limited("key-quota-exceeded", **more)
        if grant.per_day is not None and self._limiter is not None:
            await self._limiter.give_back(_key_quota(grant.per_day), grant.first)
        return quota_exceeded(state, plan, self._plans, self._base_url)

    async def spend_rows(self, call: Call, grant: Grant, rows: int, operation: Scope = "search") -> None:
        """Count the rows of a list for the account and against its daily quota of rows: all of them, or none.

        Raises:
            Limited: `rows-exceeded`.
        """
        if grant.test:
            self._usage.touch(grant.key)
            return
        if self._limiter is not None:
            await self._take_rows(self._limiter, call, grant, rows)
        self._usage.count_rows(grant.account, grant.key, operation, rows)

    async def _take_rows(self, limiter: RateLimiter, call: Call, grant: Grant, rows: int) -> None:
        """Count rows against their quota. Raises `Limited("rows-exceeded")`."""
        plan = self._plans.plan(grant.plan)
        _, _, quota = quotas(plan)
        stored = grant.rows_today if grant.day == self._usage.today() else 0
        (state,) = await limiter.take([QuotaRequest(quota, grant.account, stored, rows)])
        add_rate_limit_headers(call, (quota,), (state,))
        if not state.granted:
            raise Limited(
                "rows-exceeded",
                retry_after=state.reset,
                amount=quota.amount,
                left=state.remaining,
                rows=rows,
                plan=plan.name,
                violated=(quota.name,),
                **offer(self._base_url, self._plans.above(plan)),
            )

    async def take_row(self, grant: Grant | None) -> None:
        """Wait until a row of a list may be matched: one in each round of the event loop, accounts taking turns.

        So the requests of others wait for one row at a time, however many lists are sent with keys or to the MCP.
        """
        await self._rows.take(grant.account if grant else "")

    def list_turn(self, call: Call, grant: Grant, *, streamed: bool) -> asyncio.Semaphore:
        """Return what to hold while a list, or a change of a watchlist, is in memory: few of an account and network.

        Args:
            streamed: Whether the list is read row by row, so that not all of it is in memory.

        Returns:
            The turn; the client waits for it without being read.
        """
        turns = self._own_streams if streamed else self._own_lists
        return turns.of(f"{grant.account} {client_of(call, self._trusted)}")

    async def record(self, grant: Grant, operation: Scope, *, answered: bool) -> None:
        """Count a successful answer; for any other, give the daily quota back.

        Args:
            answered: Whether the answer was a success.
        """
        if grant.test:
            self._usage.touch(grant.key)
        elif answered:
            self._usage.count(grant.account, grant.key, operation)
        elif self._limiter is not None:
            await self._limiter.give_back(quotas(self._plans.plan(grant.plan))[1], grant.account)
            if grant.per_day is not None:
                await self._limiter.give_back(_key_quota(grant.per_day), grant.first)

    def authorize(self, call: Call, grant: Grant, scope: Scope | None, feature: Feature | None) -> None:
        """Check that a key may do what is asked. Test keys have every feature, of a few companies.

        Args:
            scope: The scope that the key must have, if any.
            feature: The feature that the plan must include, if any.

        Raises:
            Denied: `scope-missing`; `plan-required` with the plans that include the feature.
        """
        if scope is not None and scope not in grant.scopes:
            challenge(call, "insufficient_scope", scope)
            raise Denied("scope-missing", scope=scope)
        if feature is not None and not grant.test and feature not in self._plans.plan(grant.plan).features:
            opening = self._plans.opening(feature)
            names = tuple(plan.name for plan in opening)
            raise Denied("plan-required", plans=names, **offer(self._base_url, opening))


def offer(base_url: str, plans: Sequence[Plan]) -> dict[str, object]:
    """Return the context of an error that offers plans: their codes, and the page and operation that sell them."""
    return {
        "opening": [plan.code for plan in plans],
        "page": Text(f"{base_url}/es/planes", f"{base_url}/en/plans"),
        "operation": f"{base_url}/api/subscriptions/checkout",
    }


def quota_exceeded(state: QuotaState, plan: Plan, plans: Plans, base_url: str) -> Limited:
    """Return the error of a request beyond the daily quota of an account.

    Returns:
        The error, with the plans that include more.
    """
    context = {"retry_after": state.reset, "amount": plan.per_day, "violated": ("day",), "plan": plan.name}
    return Limited("quota-exceeded", **context, **offer(base_url, plans.above(plan)))


@lru_cache
def quotas(plan: Plan) -> tuple[Quota, Quota, Quota]:
    """Return rate limit and daily quotas, of answers and of rows, of a plan; all keys of an account share them."""
    return (
        Quota("minute", plan.per_minute, 60),
        Quota("day", plan.per_day, DAY, sliding=False),
        Quota("rows", plan.rows_per_day, DAY, sliding=False),
    )


def _key_quota(amount: int) -> Quota:
    """Return the daily quota of one key."""
    return Quota(_KEY_DAY, amount, DAY, sliding=False)


def key_in_headers(headers: Sequence[Header]) -> str:
    """Return the key in both header fields. Raises `Denied` unless each holds the same well-formed key, once."""
    bearers = [value for name, value in headers if name == b"authorization"]
    plain = [value for name, value in headers if name == b"apikey"]
    tokens = [match[1] for value in bearers if (match := _BEARER.fullmatch(value.strip()))]
    if not bearers and not plain:
        raise Denied("credentials-missing")
    if not tokens:
        raise Denied("bearer-missing")
    if not plain:
        raise Denied("apikey-missing")
    if {*tokens, *(value.strip() for value in plain)} != {tokens[0]} or len(bearers) > 1 or len(plain) > 1:
        raise Denied("credentials-differ")
    key = tokens[0].decode("latin-1")
    if not is_key(key):
        raise Denied("key-malformed")
    if key.startswith(LINK_PREFIX):
        raise Denied("link-key")
    return key


def _link_key(text: str) -> str:
    """Return the text of a path if it is a key for an address. Raises `Denied("key-malformed")`."""
    if not text.startswith(LINK_PREFIX) or not is_key(text):
        raise Denied("key-malformed")
    return text


def challenge(call: Call, error: str | None, scope: str | None = None) -> None:
    """Add WWW-Authenticate (RFC 6750 §3) to the answer; its parameters are not translated.

    Args:
        error: The error code of RFC 6750, if credentials were sent.
        scope: The scope that is missing.
    """
    parts = ['Bearer realm="padron"']
    if error:
        parts.append(f'error="{error}"')
    if scope:
        parts.append(f'scope="{scope}"')
    call.headers.append((b"www-authenticate", ", ".join(parts).encode()))


class SessionCookie:
    """The cookies of the account pages, and the check that a request comes from those pages.

    Behind TLS (by `base_url`) the cookie is `__Host-padron` and Secure. SameSite=Lax keeps it from other sites'
    requests; `check_same_site` refuses those that arrive nevertheless, by the origin that browsers state.

    A second cookie marks a browser from which the holder of an account has logged in, so that wrong passwords sent from
    elsewhere cannot lock the holder out there. It holds a random number signed together with the e-mail address, as
    OWASP describes (device cookies), and opens nothing by itself.
    """

    def __init__(
        self, holders: AccountHolders, base_url: str, sign: Callable[[str], str], trusted: Sequence[Network]
    ) -> None:
        """Begin without a session."""
        self._holders = holders
        self._sign = sign
        self._trusted = trusted
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(base_url)).lower()
        secure = base_url.startswith("https:")
        self._name = "__Host-padron" if secure else "padron"
        self._rest = "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")

    async def holder_of(self, call: Call) -> AccountHolder:
        """Return the account holder of a request's session, in turns of networks. Raises `Denied("no-session")`."""
        network, session = client_of(call, self._trusted), self.session_id(call)
        return await threads.ask_accounts(network, self._holders.holder_of, session)

    def session_id(self, call: Call) -> str:
        """Return the session id in the cookie. Raises `Denied("no-session")`."""
        for name, value in _COOKIE.findall(call.given.get(b"cookie", b"")):
            if name.decode() == self._name:
                return str(value, "ascii")
        raise Denied("no-session")

    def begin(self, call: Call, session: str) -> None:
        """Set the cookie in the answer."""
        call.headers.append((b"set-cookie", f"{self._name}={session}; Max-Age={SESSION}{self._rest}".encode()))

    def device_of(self, call: Call, address: str) -> str | None:
        """Return the number of a browser from which the holder of an e-mail address has logged in before."""
        for name, number, signature in _DEVICE.findall(call.given.get(b"cookie", b"")):
            text = number.decode()
            if name.decode() == f"{self._name}-device":
                good = hmac.compare_digest(signature.decode(), self._sign(f"{text} {address}"))
                return text if good else None
        return None

    def remember(self, call: Call, address: str) -> None:
        """Mark the browser as one from which the holder of an e-mail address has logged in."""
        number = self.device_of(call, address) or token_urlsafe(16)
        value = f"{number}.{self._sign(f'{number} {address}')}"
        call.headers.append((b"set-cookie", f"{self._name}-device={value}; Max-Age={DEVICE}{self._rest}".encode()))

    def end(self, call: Call) -> None:
        """Remove the cookie of the session."""
        call.headers.append((b"set-cookie", f"{self._name}=; Max-Age=0{self._rest}".encode()))

    def check_same_site(self, call: Call) -> None:
        """Raise `Denied("cross-site-request")` for a request from a page of another site.

        Every browser since 2023 states the origin of a request in Sec-Fetch-Site, older ones in Origin. Other programs
        send neither, and no cookies of their own accord.
        """
        fetch = call.given.get(b"sec-fetch-site")
        if fetch is not None:
            good = fetch in {b"same-origin", b"none"}
        else:
            given = call.given.get(b"origin")
            good = given is None or given.decode("latin-1").lower() == self._origin
        if not good:
            raise Denied("cross-site-request")
