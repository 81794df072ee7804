"""`/api/account`: everything an account holder does, by session cookie. The pages for people call the same rooms.

Sign-up, log-in and forgotten passwords answer alike, and take alike, whether an address has an account or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Any, Final, NamedTuple

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.accounts import passwords, sessions
from padron.accounts.keys import SCOPES, Keys
from padron.accounts.plans import Plans
from padron.accounts.rate_limits import Quota, QuotaRequest, QuotaState, RateLimiter
from padron.accounts.sessions import AccountHolder, AccountHolders
from padron.accounts.store import Store, fold_address
from padron.accounts.subscriptions import Subscriptions
from padron.accounts.usage import Usage
from padron.api import inputs
from padron.api.account_model import (
    Accepted,
    AccountUsage,
    BuyPlan,
    ChangeAccount,
    ChangePassword,
    CheckoutShown,
    Export,
    Forgotten,
    KeyMade,
    KeysShown,
    Leave,
    LogIn,
    NewKey,
    Place,
    Reset,
    Rotate,
    SignUp,
    Verify,
    account_shown,
    key_shown,
    moment,
    plans_shown,
)
from padron.api.bodies import Body, read
from padron.api.v1_model import UsageDay, UsageWindow
from padron.config import Network
from padron.errors import Denied, Limited
from padron.transport import headers
from padron.transport.auth import SessionCookie, quotas
from padron.transport.call import Call
from padron.transport.client_limits import client_of
from padron.words import N_, translate

BASE: Final = "/api/account"
OPENING: Final = Quota("sign-up", 20, 3_600)
"""Accounts and mails that one address of the net may ask for."""
MAILING: Final = Quota("mail", 5, 3_600)
"""Mails to one e-mail address that anybody may cause."""
GUESSING: Final = Quota("log-in", 30, 900)
GUESSING_ONE: Final = Quota("log-in-account", 50, 900)
"""Wrong passwords and tokens from one address of the net; wrong passwords for one e-mail address."""
FLOOR: Final = 0.3
"""Seconds that answers take at least where their time could tell whether an account exists."""
HISTORY: Final = 31

SENT: Final = N_("If the address is yours, a message with the next step is on its way.")
"""The answer whether the address has an account or not."""


class AccountContext(NamedTuple):
    """The rooms behind these routes."""

    store: Store
    holders: AccountHolders
    keys: Keys
    usage: Usage
    plans: Plans
    subscriptions: Subscriptions
    session_cookie: SessionCookie
    limiter: RateLimiter | None
    trusted: Sequence[Network]
    stand_in: Callable[[str], str]


class AccountRequest(NamedTuple):
    """A request to one of these routes: the call, its body, whose session it carries, the rest of the path."""

    call: Call
    body: Any
    holder: AccountHolder
    item: str


Act = Callable[[AccountContext, AccountRequest], Awaitable[tuple[int, object]]]


class AccountEndpoint:
    """One path: its methods, each with the body it takes, whether it needs a session, and what it does."""

    def __init__(self, context: AccountContext, acts: dict[str, tuple[Act, type[Body] | None, bool]]) -> None:
        self._context = context
        self._acts = acts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, never to be stored."""
        call = Call.of(scope)
        inputs.parameters(scope["query_string"])
        act, kind, closed = self._acts["GET" if scope["method"] == "HEAD" else scope["method"]]
        if scope["method"] not in {"GET", "HEAD"}:
            self._context.session_cookie.check_same_site(call)
        holder = await self._context.session_cookie.holder_of(call) if closed else _NOBODY
        body = await read(call, receive, kind) if kind else None
        item = scope.get("path_params", {}).get("key", "")
        status, answer = await act(self._context, AccountRequest(call, body, holder, item))
        fields = [*headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        if answer is None:
            await call.answer(send, status, fields, b"")
        else:
            await call.answer(
                send, status, [(b"content-type", b"application/json"), *fields], msgspec.json.encode(answer)
            )


_NOBODY = AccountHolder("", "", "es", "", 0)


def routes(context: AccountContext) -> list[Route]:
    """The routes of accounts."""
    paths: dict[str, dict[str, tuple[Act, type[Body] | None, bool]]] = {
        "": {
            "POST": (sign_up, SignUp, False),
            "GET": (show, None, True),
            "PATCH": (change, ChangeAccount, True),
            "DELETE": (leave, Leave, True),
        },
        "/verify": {"POST": (verify, Verify, False)},
        "/session": {"POST": (log_in, LogIn, False), "DELETE": (log_out, None, True)},
        "/sessions": {"DELETE": (log_out_everywhere, None, True)},
        "/password": {"PUT": (change_password, ChangePassword, True)},
        "/password/forgotten": {"POST": (forgotten, Forgotten, False)},
        "/password/reset": {"POST": (reset, Reset, False)},
        "/export": {"GET": (export, None, True)},
        "/keys": {"GET": (keys, None, True), "POST": (new_key, NewKey, True)},
        "/keys/{key}": {"DELETE": (revoke, None, True)},
        "/keys/{key}/rotate": {"POST": (rotate, Rotate, True)},
        "/usage": {"GET": (usage, None, True)},
        "/plans": {"GET": (plans, None, False)},
        "/checkout": {"POST": (checkout, BuyPlan, True)},
        "/portal": {"POST": (portal, None, True)},
    }
    return [Route(BASE + path, AccountEndpoint(context, acts), methods=list(acts)) for path, acts in paths.items()]


async def sign_up(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """202, whether the address was free or not."""
    body: SignUp = request.body
    faults = inputs.Faults()
    with faults:
        address = sessions.validated_address(body.email)
    with faults:
        passwords.check(body.password, body.email)
    faults.tell()
    await _take(context, request.call, (OPENING, None), (MAILING, address))
    language = body.language or request.call.language
    await _evenly(context.holders.sign_up, address, body.password, language)
    return 202, Accepted(message=translate(SENT, request.call.language))


async def verify(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account, with a session."""
    body: Verify = request.body
    return await _entered(context, request, None, context.holders.verify, body.token, body.password)


async def log_in(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account, with a session."""
    body: LogIn = request.body
    return await _entered(context, request, fold_address(body.email), context.holders.log_in, body.email, body.password)


async def reset(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account, with a session; all others have ended."""
    body: Reset = request.body
    return await _entered(context, request, None, context.holders.reset_password, body.token, body.password)


async def change_password(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account, with a new session; all others have ended."""
    body: ChangePassword = request.body
    return await _entered(
        context, request, request.holder.address, context.holders.change_password, request.holder, body.old, body.new
    )


async def _entered(
    context: AccountContext, request: AccountRequest, address: str | None, enter: Callable[..., str], *arguments: object
) -> tuple[int, object]:
    """A session by `enter`; a failure counts against the caller, and against `address` where one is guessed at."""
    guessed = [(GUESSING, None), *([(GUESSING_ONE, address)] if address else [])]
    await _take(context, request.call, *guessed)
    try:
        session = await _evenly(enter, *arguments)
    except Denied:
        raise
    except BaseException:
        await _give_back(context, request.call, *guessed)
        raise
    await _give_back(context, request.call, *guessed)
    context.session_cookie.begin(request.call, session)
    holder = await asyncio.to_thread(context.holders.holder_of, session)
    return 200, account_shown(holder, await asyncio.to_thread(context.subscriptions.of, holder.id))


async def forgotten(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """202, whether there is an account or not."""
    body: Forgotten = request.body
    address = sessions.validated_address(body.email)
    await _take(context, request.call, (OPENING, None), (MAILING, address))
    await _evenly(context.holders.forget_password, address)
    return 202, Accepted(message=translate(SENT, request.call.language))


async def log_out(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The session is over."""
    await asyncio.to_thread(context.holders.log_out, context.session_cookie.session_id(request.call))
    context.session_cookie.end(request.call)
    return 204, None


async def log_out_everywhere(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """Every session of the account is over."""
    await asyncio.to_thread(context.holders.log_out, context.session_cookie.session_id(request.call), everywhere=True)
    context.session_cookie.end(request.call)
    return 204, None


async def show(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account."""
    return 200, account_shown(request.holder, await asyncio.to_thread(context.subscriptions.of, request.holder.id))


async def change(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account, changed."""
    body: ChangeAccount = request.body
    await asyncio.to_thread(context.holders.set_language, request.holder.id, body.language)
    request = request._replace(holder=request.holder._replace(language=body.language))
    return await show(context, request)


async def leave(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The account is gone."""
    body: Leave = request.body
    guessed = [(GUESSING_ONE, request.holder.address)]
    await _take(context, request.call, *guessed)
    await asyncio.to_thread(context.holders.delete, request.holder, body.password)
    await _give_back(context, request.call, *guessed)
    context.session_cookie.end(request.call)
    return 204, None


async def export(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """Everything kept about the account."""
    request.call.headers.append((b"content-disposition", b'attachment; filename="padron-account.json"'))
    return 200, Export(**await asyncio.to_thread(sessions.export, context.store, request.holder.id))


async def keys(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The keys."""
    now = context.store.now()
    found = await asyncio.to_thread(context.keys.of, request.holder.id)
    return 200, KeysShown(keys=[key_shown(key, now) for key in found])


async def new_key(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """A new key, its secret shown this once."""
    body: NewKey = request.body
    ends = int(body.expires_at.timestamp()) if body.expires_at else None
    key, text = await asyncio.to_thread(
        context.keys.create, request.holder.id, body.name.strip(), body.scopes or SCOPES, ends
    )
    return 201, KeyMade(key=key_shown(key, context.store.now()), api_key=text)


async def rotate(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """A key in place of another, its secret shown this once."""
    body: Rotate = request.body
    key, text = await asyncio.to_thread(context.keys.rotate, request.holder.id, request.item, body.overlap_seconds)
    return 201, KeyMade(key=key_shown(key, context.store.now()), api_key=text)


async def revoke(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The key opens nothing any more, on every worker within a second."""
    await asyncio.to_thread(context.keys.revoke, request.holder.id, request.item)
    return 204, None


async def usage(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """What is used and left."""
    minute, day = await quotas_left(context, request.holder.id, request.holder.plan)
    history = await days(context.usage, request.holder.id)
    return 200, AccountUsage(plan=request.holder.plan, minute=minute, day=day, history=history)


async def quotas_left(
    context: AccountContext, account: str, plan: str
) -> tuple[UsageWindow | None, UsageWindow | None]:
    """What is left of rate window and daily quota; None where limits are off. Looking takes nothing."""
    if context.limiter is None:
        return None, None
    minute, day = quotas(context.plans.plan(plan))
    used = (await asyncio.to_thread(context.usage.days, account, context.usage.today())).get(context.usage.today(), 0)
    found = []
    for ask in (QuotaRequest(minute, account), QuotaRequest(day, account, used)):
        (spent,) = await context.limiter.take([ask])
        if spent.granted:
            await context.limiter.give_back(ask.quota, account)
        found.append(_window(context.store.now(), ask.quota, spent))
    return found[0], found[1]


def _window(now: int, quota: Quota, spent: QuotaState) -> UsageWindow:
    return UsageWindow(
        limit=quota.amount, remaining=spent.remaining + spent.granted, resets_at=moment(now + spent.reset)
    )


async def days(usage: Usage, account: str) -> list[UsageDay]:
    """Successful answers of the last days, the latest first."""
    found = await asyncio.to_thread(usage.days, account, usage.today() - HISTORY + 1)
    return [UsageDay(date=moment(day * 86_400).date(), answers=found[day]) for day in sorted(found, reverse=True)]


async def plans(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """The plans on offer; open to all."""
    return 200, plans_shown(context.plans, request.call.language)


async def checkout(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """A checkout begun for the account of the session."""
    body: BuyPlan = request.body
    return 201, await begin_checkout(context, request.call, request.holder.id, body.plan_id)


async def begin_checkout(context: AccountContext, call: Call, account: str, plan: str) -> CheckoutShown:
    """A checkout begun, or the one that the same Idempotency-Key began."""
    key = call.given.get(b"idempotency-key")
    text = key.decode("latin-1")[:255] if key else None
    begun = await asyncio.to_thread(context.subscriptions.checkout, account, plan, call.language, text)
    return CheckoutShown(
        checkout_url=begun.url, checkout_id=begun.id, plan_id=begun.plan, expires_at=moment(begun.expires_at)
    )


async def portal(context: AccountContext, request: AccountRequest) -> tuple[int, object]:
    """Where the subscription is seen and cancelled."""
    url = await asyncio.to_thread(context.subscriptions.portal, request.holder.id, request.call.language)
    return 200, Place(url=url)


async def _evenly(act: Callable[..., Any], *arguments: object) -> Any:
    """What `act` gives, in a thread of its own, no sooner than `FLOOR` seconds from now, whether it fails or not."""
    ends = monotonic() + FLOOR
    try:
        return await asyncio.to_thread(act, *arguments)
    finally:
        await asyncio.sleep(max(0.0, ends - monotonic()))


async def _take(context: AccountContext, call: Call, *asked: tuple[Quota, str | None]) -> None:
    """Take from quotas of this client, or of an e-mail address. Raises `Limited("too-many-attempts")`."""
    if context.limiter is None:
        return
    for spent in await context.limiter.take([QuotaRequest(quota, _who(context, call, of)) for quota, of in asked]):
        if not spent.granted:
            raise Limited("too-many-attempts", retry_after=spent.reset)


async def _give_back(context: AccountContext, call: Call, *asked: tuple[Quota, str | None]) -> None:
    if context.limiter is not None:
        for quota, of in asked:
            await context.limiter.give_back(quota, _who(context, call, of))


def _who(context: AccountContext, call: Call, address: str | None) -> str:
    """What stands for the client or the e-mail address when counting."""
    return context.stand_in(address) if address else client_of(call, context.trusted)
