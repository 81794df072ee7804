"""Who is asking: an API key in two header fields, or the session cookie of an account's pages; never one for the other.

A key opens v1 and checkout, a session `/api/account`; each is simply not looked at where the other is asked for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from padron.accounts.keys import LEAKED, Grant, Keys, Memory, Scope, is_key
from padron.accounts.plans import Feature, Plan, Plans
from padron.accounts.rate_limits import DAY, Ask, Quota, Windows
from padron.accounts.sessions import SESSION, People, Person
from padron.accounts.usage import Usage
from padron.config import Network
from padron.errors import Denied, Invalid, Limited
from padron.model import Text
from padron.transport.admission import client_of, rate_limited, tell
from padron.transport.call import Call
from padron.transport.headers import Header

FAILED: Final = Quota("failed-authentication", 20, 60)
"""Requests with wrong credentials from one address; beyond that they are not even looked up."""

_BEARER = re.compile(rb"bearer +(\S+)", re.IGNORECASE)
_COOKIE = re.compile(rb"(?:^|;)\s*(__Host-padron|padron)=([A-Za-z0-9_-]{20,64})\s*(?=;|$)")


class Gate:
    """Lets a request with a key pass, within its plan, and counts it.

    `windows` is None where limits are switched off: then nothing is refused, and answers are still counted.
    """

    def __init__(
        self,
        keys: Keys,
        memory: Memory,
        plans: Plans,
        usage: Usage,
        windows: Windows | None,
        trusted: Sequence[Network],
        base_url: str,
    ) -> None:
        self._keys = keys
        self._memory = memory
        self._plans = plans
        self._usage = usage
        self._windows = windows
        self._trusted = tuple(trusted)
        self._base_url = base_url

    async def identify(self, call: Call) -> Grant:
        """What the key of this request stands for.

        Raises `Invalid("key-in-url")`; `Denied` (401) with a code for each thing that can be wrong, told in
        `WWW-Authenticate` too; `Limited("too-many-failures")` when the address has sent wrong credentials too often.
        """
        if leaked := LEAKED.search(call.scope["query_string"]):
            await self._slow_down(call, taking=True)
            await asyncio.to_thread(self._keys.leaked, leaked[0].decode())
            raise Invalid("key-in-url")
        try:
            digest = self._keys.digest(presented(call.scope["headers"]))
            grant = self._memory.of(digest)
            if grant is None:
                await self._slow_down(call, taking=False)
                grant = await asyncio.to_thread(self._memory.look_up, digest)
        except Denied as error:
            missing = error.code in {"credentials-missing", "bearer-missing", "apikey-missing"}
            challenge(call, None if missing else "invalid_token")
            await self._slow_down(call, taking=True)
            raise
        return grant

    async def _slow_down(self, call: Call, *, taking: bool) -> None:
        """Count a failure of this address, or only look whether it has had too many."""
        if self._windows is None:
            return
        client = client_of(call, self._trusted)
        (spent,) = await self._windows.take([Ask(FAILED, client)])
        if taking or not spent.granted:
            tell(call, (FAILED,), (spent,))
        if not spent.granted:
            raise Limited("too-many-failures", retry_after=spent.reset)
        if not taking:
            await self._windows.give_back(FAILED, client)

    async def spend(self, call: Call, grant: Grant, *, counted: bool) -> None:
        """Take the request from the account's rate window and, if it is `counted`, from its daily quota.

        Raises `Limited`: `rate-limited`, `quota-exceeded`.
        """
        if self._windows is None:
            return
        plan = self._plans.plan(grant.plan)
        minute, day = quotas(plan)
        asks = [Ask(minute, grant.account)]
        if counted:
            asks.append(Ask(day, grant.account, grant.used_today if grant.day == self._usage.today() else 0))
        spent = await self._windows.take(asks)
        tell(call, (minute, day) if counted else (minute,), spent)
        if not spent[0].granted:
            raise rate_limited(minute, spent[0])
        if not spent[-1].granted:
            context = {"amount": day.amount, "plan": plan.name, "violated": (day.name,)}
            more = offer(self._base_url, self._plans.above(plan))
            raise Limited("quota-exceeded", retry_after=spent[-1].reset, **context, **more)

    async def settle(self, call: Call, grant: Grant) -> None:
        """After the answer: count a successful one, give the quota back for any other."""
        if 200 <= call.status < 300:
            self._usage.count(grant.account, grant.key)
        elif self._windows is not None:
            await self._windows.give_back(quotas(self._plans.plan(grant.plan))[1], grant.account)

    def allow(self, call: Call, grant: Grant, scope: Scope | None, feature: Feature | None) -> None:
        """Raise `Denied` (403): `scope-missing`, `plan-required` with the plans that open the feature."""
        if scope is not None and scope not in grant.scopes:
            challenge(call, "insufficient_scope", scope)
            raise Denied("scope-missing", scope=scope)
        if feature is not None and feature not in self._plans.plan(grant.plan).features:
            opening = self._plans.opening(feature)
            names = tuple(plan.name for plan in opening)
            raise Denied("plan-required", plans=names, **offer(self._base_url, opening))


def offer(base_url: str, plans: Sequence[Plan]) -> dict[str, object]:
    """What a refusal tells of the plans that would have let the request pass: which, and where they are bought."""
    return {
        "opening": [plan.code for plan in plans],
        "page": Text(f"{base_url}/es/planes", f"{base_url}/en/plans"),
        "operation": f"{base_url}/api/subscriptions/checkout",
    }


@lru_cache
def quotas(plan: Plan) -> tuple[Quota, Quota]:
    """Rate window and daily quota of a plan; all keys of an account share them."""
    return Quota("minute", plan.per_minute, 60), Quota("day", plan.per_day, DAY, sliding=False)


def presented(headers: Sequence[Header]) -> str:
    """The key in both header fields. Raises `Denied` when they do not hold the same well-formed one, each once."""
    bearers = [value for name, value in headers if name == b"authorization"]
    plain = [value for name, value in headers if name == b"apikey"]
    found = [match[1] for value in bearers if (match := _BEARER.fullmatch(value.strip()))]
    if not bearers and not plain:
        raise Denied("credentials-missing")
    if not found:
        raise Denied("bearer-missing")
    if not plain:
        raise Denied("apikey-missing")
    if {*found, *(value.strip() for value in plain)} != {found[0]} or len(bearers) > 1 or len(plain) > 1:
        raise Denied("credentials-differ")
    key = found[0].decode("latin-1")
    if not is_key(key):
        raise Denied("key-malformed")
    return key


def challenge(call: Call, error: str | None, scope: str | None = None) -> None:
    """Put WWW-Authenticate (RFC 6750 §3) into the answer; what it says is in the language of the protocol."""
    parts = ['Bearer realm="padron"']
    if error:
        parts.append(f'error="{error}"')
    if scope:
        parts.append(f'scope="{scope}"')
    call.headers.append((b"www-authenticate", ", ".join(parts).encode()))


class Sessions:
    """The cookie of an account's own pages: set, read, ended; and the proof that a request comes from those pages.

    Behind TLS (by `base_url`) the cookie is `__Host-padron` and Secure. SameSite=Lax keeps it from other sites'
    requests; `same_site` refuses what they send all the same, by what browsers say of a request's origin.
    """

    def __init__(self, people: People, base_url: str) -> None:
        self._people = people
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(base_url)).lower()
        secure = base_url.startswith("https:")
        self._name = "__Host-padron" if secure else "padron"
        self._rest = "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")

    async def person(self, call: Call) -> Person:
        """Whose session this is. Raises `Denied("no-session")`."""
        return await asyncio.to_thread(self._people.person, self.given(call))

    def given(self, call: Call) -> str:
        """The session id in the cookie. Raises `Denied("no-session")`."""
        for name, value in _COOKIE.findall(call.given.get(b"cookie", b"")):
            if name.decode() == self._name:
                return str(value, "ascii")
        raise Denied("no-session")

    def begin(self, call: Call, session: str) -> None:
        """Set the cookie in the answer."""
        call.headers.append((b"set-cookie", f"{self._name}={session}; Max-Age={SESSION}{self._rest}".encode()))

    def end(self, call: Call) -> None:
        """Remove the cookie."""
        call.headers.append((b"set-cookie", f"{self._name}=; Max-Age=0{self._rest}".encode()))

    def same_site(self, call: Call) -> None:
        """Raise `Denied("cross-site-request")` for a request that another site's page makes.

        Every browser since 2023 says where a request comes from in Sec-Fetch-Site, older ones in Origin; a program
        that is no browser sends neither, and carries no cookie it was not given.
        """
        fetch = call.given.get(b"sec-fetch-site")
        if fetch is not None:
            good = fetch in {b"same-origin", b"none"}
        else:
            given = call.given.get(b"origin")
            good = given is None or given.decode("latin-1").lower() == self._origin
        if not good:
            raise Denied("cross-site-request")
