"""`/api/account`: everything that account holders do, by session cookie. The account pages call the same functions.

Sign-up, log-in and forgotten passwords answer alike, and in the same time, whether an address has an account or not.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC
from functools import partial
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, ParamSpec, TypedDict, TypeVar

import msgspec
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts import passwords, second_factor, sessions
from padron.accounts.browsers import browser_of
from padron.accounts.keys import SCOPES, Keys, WantedKey
from padron.accounts.plans import Period, Plans
from padron.accounts.rate_limits import Quota, QuotaRequest, QuotaState, RateLimiter
from padron.accounts.second_factor import SecondFactors
from padron.accounts.sessions import AccountHolder, AccountHolders, Purpose
from padron.accounts.store import Store, fold_address
from padron.accounts.subscriptions import Subscriptions
from padron.accounts.usage import Usage
from padron.api.account_model import (
    Accepted,
    AcceptTerms,
    AccountShown,
    AccountUsage,
    BuyPeriod,
    ChangeAccount,
    ChangeAddress,
    ChangePassword,
    CheckoutShown,
    ConfirmCode,
    Enrolled,
    Export,
    Forgotten,
    InvoicesShown,
    KeyMade,
    KeysShown,
    KeyUsageDay,
    LogIn,
    NewKey,
    OwnPassword,
    Place,
    PlansShown,
    RecoveryCodes,
    Reset,
    Rotate,
    SecondFactorShown,
    SessionsShown,
    SignUp,
    Verify,
    account_shown,
    date_of,
    invoice_shown,
    key_shown,
    moment,
    plans_shown,
    second_factor_shown,
    session_shown,
    usage_days,
)
from padron.api.v1_model import UsageDay, UsageWindow
from padron.config import Network
from padron.errors import Denied, Invalid, Limited, Unavailable
from padron.text import no_formula
from padron.transport import headers, inputs
from padron.transport.auth import SessionCookie, quota_exceeded, quotas
from padron.transport.bodies import Body, read_json
from padron.transport.call import Call
from padron.transport.client_limits import add_rate_limit_headers, client_of, rate_limited
from padron.words import N_, translate

BASE: Final = "/api/account"
OPENING: Final = Quota("sign-up", 20, 3_600)
"""Accounts and mails that one network address may request."""
MAILING: Final = Quota("mail", 5, 3_600)
RESETTING: Final = Quota("mail-reset", 5, 3_600)
"""Mails to one e-mail address that anybody may request: to sign up, and to set a new password."""
GUESSING: Final = Quota("log-in", 30, 900)
GUESSING_ONE: Final = Quota("log-in-account", 50, 900)
"""Wrong passwords and tokens from one network address; wrong passwords for one e-mail address.

Neither counts in a browser from which the holder has logged in before: that has `GUESSING_ONE` for itself. In any
other, a mailed link to set a new password lets the holder in.
"""
CODES: Final = Quota("log-in-code", 10, 3_600)
"""Wrong codes of the second factor beside a right password or link. A right recovery code counts for none of these.

So neither wrong passwords nor wrong codes sent by others lock out a holder who has a recovery code, a browser used
before, or the mail: a code beside a mailed link is counted by itself, and only readers of the mail can use that up.
"""
PAYING: Final = Quota("billing", 60, 3_600)
"""Requests of one account that ask the payment provider: to buy, to see the portal, to renew."""
LISTING: Final = Quota("invoices", 60, 3_600)
"""Lists of invoices for one account, also on the page of the plan, which goes without them then and still sells."""
EXPORTING: Final = Quota("export", 20, 3_600)
"""Exports of one account: of everything that it has, and of its usage."""
MAKING: Final = Quota("keys", 200, 3_600)
"""Keys that one account may make or replace: each plan's, twice. Revoking them is never refused."""
FLOOR: Final = 0.3
"""Least seconds of answers whose duration could reveal whether an account exists."""
HISTORY: Final = 31
USAGE_COLUMNS: Final = ("date", "key", "name", "operation", "answers", "rows")
"""Header row of the usage as CSV."""

SENT: Final = N_("If the address is yours, a message with the next step is on its way.")
"""The answer whether the address has an account or not."""


P = ParamSpec("P")
T = TypeVar("T")
B = TypeVar("B")


class AccountContext(NamedTuple):
    """The services that the handlers of these routes use."""

    store: Store
    holders: AccountHolders
    second_factors: SecondFactors
    keys: Keys
    usage: Usage
    plans: Plans
    subscriptions: Subscriptions
    session_cookie: SessionCookie
    limiter: RateLimiter | None
    trusted: Sequence[Network]
    digest_of: Callable[[str], str]


class AccountRequest(NamedTuple, Generic[B]):
    """A request to one of these routes: the call, its body, the holder of its session, the id in the path."""

    call: Call
    body: B
    holder: AccountHolder
    item: str

    async def ask(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask the database of accounts in the turns of the holder's account.

        Returns:
            Its result. Raises like `threads.ask_accounts`.
        """
        return await threads.ask_accounts(self.holder.id, ask, *args, **kwargs)


_HASHING_TURNS: Final = threads.OwnTurns(1)
"""Calls of one client in or before the threads that hash passwords: one of the two, where an account may be locked."""
_IDEMPOTENCY_KEY: Final = re.compile(rb"[\x21-\x7e]{1,255}")
_Guess = tuple[Quota, str | None]
"""A quota of wrong passwords, codes or tokens, and whom it counts: None for the network address."""
Handler = Callable[[AccountContext, AccountRequest[Any]], Awaitable[object]]


class AccountMethod(NamedTuple):
    """A method of a path: its handler, the body it takes, whether it needs a session, the status of its answer."""

    handler: Handler
    body: type[Body] | None
    closed: bool
    status: int


class AccountEndpoint:
    """One path of these routes, with its methods."""

    def __init__(self, context: AccountContext, methods: dict[str, AccountMethod]) -> None:
        self._context = context
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; nothing may be cached."""
        call = Call.of(scope)
        inputs.parameters(scope["query_string"])
        method = self._methods["GET" if scope["method"] == "HEAD" else scope["method"]]
        if scope["method"] not in {"GET", "HEAD"}:
            self._context.session_cookie.check_same_site(call)
        holder = await self._context.session_cookie.holder_of(call) if method.closed else _NOBODY
        body = await read_json(call, receive, method.body) if method.body else None
        item = next(iter(scope.get("path_params", {}).values()), "")
        answer = await method.handler(self._context, AccountRequest(call, body, holder, item))
        fields = [*headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        if answer is None:
            await call.answer(send, method.status, fields, b"")
        else:
            media = headers.CSV if isinstance(answer, str) else headers.JSON
            encoded = answer.encode() if isinstance(answer, str) else msgspec.json.encode(answer)
            await call.answer(send, method.status, [media, *fields], encoded)


_NOBODY = AccountHolder("", "", "es", "", 0)


async def sign_up(context: AccountContext, request: AccountRequest[SignUp]) -> Accepted:
    """Answer 202, whether the address was free or not."""
    body = request.body
    faults = inputs.Faults()
    with faults:
        address = sessions.validated_address(body.email)
    with faults:
        passwords.check(body.password, body.email)
    faults.raise_collected()
    await _take(context, request.call, (OPENING, None), (MAILING, address))
    language = body.language or request.call.language
    await _evenly(context, request.call, context.holders.sign_up, address, body.password, language)
    return Accepted(message=translate(SENT, request.call.language))


async def verify(context: AccountContext, request: AccountRequest[Verify]) -> AccountShown:
    """Return the account, with a session."""
    body = request.body
    return await _entered_by_mail(context, request, "verify", context.holders.verify, body.token, body.password)


async def log_in(context: AccountContext, request: AccountRequest[LogIn]) -> AccountShown:
    """Return the account, with a session."""
    body = request.body
    address = fold_address(body.email)
    known = context.session_cookie.device_of(request.call, address) is not None
    enter = partial(context.holders.log_in, known=known, code=body.code)
    guessed = await _guesses(context, request.call, address, body.code)
    return await _entered(context, request, guessed, enter, body.email, body.password)


async def reset(context: AccountContext, request: AccountRequest[Reset]) -> AccountShown:
    """Return the account, with a session; all others have ended."""
    body = request.body
    return await _entered_by_mail(context, request, "reset", context.holders.reset_password, body.token, body.password)


async def change_password(context: AccountContext, request: AccountRequest[ChangePassword]) -> AccountShown:
    """Return the account, with a new session; all others have ended."""
    body = request.body
    guessed = await _guesses(context, request.call, request.holder.address, body.code)
    enter = partial(context.holders.change_password, code=body.code)
    return await _entered(context, request, guessed, enter, request.holder, body.old, body.new)


async def _entered_by_mail(
    context: AccountContext,
    request: AccountRequest[Verify] | AccountRequest[Reset],
    purpose: Purpose,
    enter: Callable[..., str],
    *arguments: object,
) -> AccountShown:
    """Begin a session with a mailed token: wrong tokens count for the network, what is wrong beside one by itself."""
    body = request.body
    try:
        address = await threads.ask_accounts(
            client_of(request.call, context.trusted), context.holders.bearer, body.token, purpose
        )
    except Denied:
        await _take(context, request.call, (GUESSING, None))
        raise
    guessed = await _counted(context, request.call, f"mail {address}", address, body.code)
    return await _entered(context, request, guessed, partial(enter, code=body.code), *arguments)


async def _entered(
    context: AccountContext,
    request: AccountRequest[Any],
    guessed: Sequence[_Guess],
    enter: Callable[..., str],
    *arguments: object,
) -> AccountShown:
    """Begin a session by `enter`, which takes the name of the browser last."""
    browser = browser_of(request.call.given.get(b"user-agent", b"").decode("latin-1"))
    session = await _checked(context, request.call, guessed, enter, *arguments, browser)
    holder = await threads.ask_accounts(client_of(request.call, context.trusted), context.holders.holder_of, session)
    context.session_cookie.begin(request.call, session)
    context.session_cookie.remember(request.call, holder.address)
    return account_shown(holder, await threads.ask_accounts(holder.id, context.subscriptions.of, holder.id))


async def _checked(
    context: AccountContext, call: Call, guessed: Sequence[_Guess], act: Callable[..., Any], *arguments: object
) -> Any:
    """Call `act`, which checks a password or a code; what is wrong stays counted."""
    await _take(context, call, *guessed)
    try:
        result = await _evenly(context, call, act, *arguments)
    except Denied as error:
        wrong = {"bad-code": {CODES}, "code-required": set()}.get(error.code, {GUESSING, GUESSING_ONE})
        await _give_back(context, call, *(guess for guess in guessed if guess[0] not in wrong))
        raise
    except BaseException:
        await _give_back(context, call, *guessed)
        raise
    await _give_back(context, call, *guessed)
    return result


async def _guesses(context: AccountContext, call: Call, address: str, code: str | None = None) -> list[_Guess]:
    """Quotas that count a wrong password or code: of the browser if it is known, else of network and account.

    They begin anew when an operator unlocks the account, and with a new password.
    """
    unlocked = await threads.ask_accounts(client_of(call, context.trusted), context.holders.unlocked_at, address)
    device = context.session_cookie.device_of(call, address)
    client = f"{address} {unlocked}" if device is None else f"device {device} {unlocked}"
    counted = await _counted(context, call, client, address, code)
    return [(GUESSING, None), *counted] if device is None and (GUESSING_ONE, client) in counted else counted


async def _counted(context: AccountContext, call: Call, client: str, address: str, code: str | None) -> list[_Guess]:
    """Quotas of a client; beside a right recovery code, which nobody guesses, one of its own for wrong passwords."""
    if code is None:
        return [(GUESSING_ONE, client)]
    if await threads.ask_accounts(
        client_of(call, context.trusted), context.second_factors.is_recovery_code, address, code
    ):
        return [(GUESSING_ONE, f"recovery {address}")]
    return [(GUESSING_ONE, client), (CODES, f"code {client}")]


def check_active(holder: AccountHolder) -> None:
    """Raise `Denied("account-suspended")` for an account that may make and buy nothing."""
    if holder.suspended_at is not None:
        raise Denied("account-suspended")


async def forgotten(context: AccountContext, request: AccountRequest[Forgotten]) -> Accepted:
    """Answer 202, whether there is an account or not."""
    body = request.body
    address = sessions.validated_address(body.email)
    await _take(context, request.call, (OPENING, None), (RESETTING, address))
    await _evenly(context, request.call, context.holders.forget_password, address)
    return Accepted(message=translate(SENT, request.call.language))


async def log_out(context: AccountContext, request: AccountRequest[None]) -> None:
    """End the session."""
    await request.ask(context.holders.log_out, context.session_cookie.session_id(request.call))
    context.session_cookie.end(request.call)


async def log_out_everywhere(context: AccountContext, request: AccountRequest[None]) -> None:
    """End every session of the account."""
    await request.ask(context.holders.log_out, context.session_cookie.session_id(request.call), everywhere=True)
    context.session_cookie.end(request.call)


async def list_sessions(context: AccountContext, request: AccountRequest[None]) -> SessionsShown:
    """Return the open sessions."""
    held = await request.ask(context.holders.sessions_of, context.session_cookie.session_id(request.call))
    return SessionsShown(sessions=[session_shown(session) for session in held])


async def end_session(context: AccountContext, request: AccountRequest[None]) -> None:
    """End one session."""
    await request.ask(context.holders.end_session, request.holder.id, request.item)


async def change_address(context: AccountContext, request: AccountRequest[ChangeAddress]) -> Accepted:
    """Mail a link to the new address; the present one is told."""
    body = request.body
    address = sessions.validated_address(body.email)
    await _take(context, request.call, (OPENING, None), (MAILING, address))
    guessed = await _guesses(context, request.call, request.holder.address)
    ask = context.holders.ask_new_address
    await _checked(context, request.call, guessed, ask, request.holder, address, body.password)
    return Accepted(message=translate(SENT, request.call.language))


async def confirm_address(context: AccountContext, request: AccountRequest[Verify]) -> AccountShown:
    """Return the account with its new address, with a session; all others have ended."""
    body = request.body
    return await _entered_by_mail(
        context, request, "address", context.holders.confirm_address, body.token, body.password
    )


async def show_second_factor(context: AccountContext, request: AccountRequest[None]) -> SecondFactorShown:
    """Return the state of the second factor."""
    return second_factor_shown(await request.ask(context.second_factors.of, request.holder.id))


async def begin_second_factor(context: AccountContext, request: AccountRequest[OwnPassword]) -> Enrolled:
    """Return what an app needs to make codes, this once."""
    kept = await _confirmed(context, request, lambda holder, own, _: context.holders.check_password(holder, own))
    enrolment = await request.ask(context.second_factors.begin, request.holder.id, request.holder.address, kept)
    return Enrolled(secret=enrolment.secret, uri=enrolment.uri)


async def confirm_second_factor(context: AccountContext, request: AccountRequest[ConfirmCode]) -> RecoveryCodes:
    """Turn the second factor on and return its recovery codes, this once; every other session ends."""
    body = request.body
    session = context.session_cookie.session_id(request.call)
    codes = await request.ask(context.second_factors.confirm, request.holder.id, body.code, session)
    return RecoveryCodes(recovery_codes=codes)


async def renew_recovery_codes(context: AccountContext, request: AccountRequest[OwnPassword]) -> RecoveryCodes:
    """Return new recovery codes; the old ones are void."""
    kept = await _confirmed(context, request, context.holders.check)
    codes = await request.ask(context.second_factors.renew_recovery_codes, request.holder.id, kept)
    return RecoveryCodes(recovery_codes=codes)


async def remove_second_factor(context: AccountContext, request: AccountRequest[OwnPassword]) -> None:
    """Turn the second factor off."""
    kept = await _confirmed(context, request, context.holders.check)
    await request.ask(second_factor.remove, context.store, request.holder.id, "account", kept)


async def _confirmed(context: AccountContext, request: AccountRequest[OwnPassword], act: Callable[..., Any]) -> Any:
    """Return what `act` returns for the holder and what confirms it: the password and, with a second factor, a code.

    Raises `Denied`: `bad-login`, `code-required`, `bad-code`; `Limited("too-many-attempts")`; and what `act` raises.
    """
    body = request.body
    guessed = await _guesses(context, request.call, request.holder.address, body.code)
    return await _checked(context, request.call, guessed, act, request.holder, body.password, body.code)


async def show(context: AccountContext, request: AccountRequest[Any]) -> AccountShown:
    """Return the account."""
    return account_shown(request.holder, await request.ask(context.subscriptions.of, request.holder.id))


async def change(context: AccountContext, request: AccountRequest[ChangeAccount]) -> AccountShown:
    """Change the account and return it."""
    body = request.body
    await request.ask(context.holders.set_language, request.holder.id, body.language)
    request = request._replace(holder=request.holder._replace(language=body.language))
    return await show(context, request)


async def accept_terms(context: AccountContext, request: AccountRequest[AcceptTerms]) -> AccountShown:
    """Note that the holder accepts the terms in force and return the account."""
    body = request.body
    await request.ask(context.holders.accept_terms, request.holder.id, body.version)
    request = request._replace(holder=request.holder._replace(terms=body.version))
    return await show(context, request)


async def leave(context: AccountContext, request: AccountRequest[OwnPassword]) -> None:
    """Delete the account."""
    await _confirmed(context, request, context.holders.delete)
    context.session_cookie.end(request.call)
    with suppress(Unavailable):
        await threads.PAYING.call(context.subscriptions.delete_customers)


async def export(context: AccountContext, request: AccountRequest[None]) -> msgspec.Raw:
    """Return all data of the account."""
    await _take(context, request.call, (EXPORTING, request.holder.id))
    document = await request.ask(_encoded_export, context.store, request.holder.id)
    request.call.headers.append((b"content-disposition", b'attachment; filename="padron-account.json"'))
    return document


def _encoded_export(store: Store, account: str) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(Export(**sessions.export(store, account))))


async def keys(context: AccountContext, request: AccountRequest[None]) -> KeysShown:
    """Return the keys."""
    now = context.store.now()
    held = await request.ask(context.keys.of, request.holder.id)
    return KeysShown(keys=[key_shown(key, now) for key in held])


async def new_key(context: AccountContext, request: AccountRequest[NewKey]) -> KeyMade:
    """Create a key; its text is shown this once."""
    check_active(request.holder)
    body = request.body
    await _take(context, request.call, (MAKING, request.holder.id))
    try:
        ends = int(body.expires_at.replace(microsecond=0).astimezone(UTC).timestamp()) if body.expires_at else None
    except OverflowError as error:  # beyond the year 9999 in UTC
        raise Invalid("invalid-field", parameter="expiresAt") from error
    wanted = WantedKey(
        body.name.strip(),
        body.scopes or SCOPES,
        ends,
        body.allowed_addresses,
        body.test,
        body.allowed_origins,
        body.answers_per_day,
    )
    key, text = await request.ask(context.keys.create, request.holder.id, wanted)
    return KeyMade(key=key_shown(key, context.store.now()), api_key=text)


async def rotate(context: AccountContext, request: AccountRequest[Rotate]) -> KeyMade:
    """Create a key in place of another; its text is shown this once."""
    check_active(request.holder)
    body = request.body
    await _take(context, request.call, (MAKING, request.holder.id))
    key, text = await request.ask(context.keys.rotate, request.holder.id, request.item, body.overlap_seconds)
    return KeyMade(key=key_shown(key, context.store.now()), api_key=text)


async def revoke(context: AccountContext, request: AccountRequest[None]) -> None:
    """End a key, on every worker within a second."""
    await request.ask(context.keys.revoke, request.holder.id, request.item)


async def usage(context: AccountContext, request: AccountRequest[None]) -> AccountUsage:
    """Return what is used and left."""
    left = await quotas_left(context, request.holder.id, request.holder.plan)
    history = await days(context.usage, request.holder.id)
    lines = await request.ask(context.usage.by_key, request.holder.id, context.usage.today() - HISTORY + 1)
    by_key = [
        KeyUsageDay(
            date=date_of(line.day),
            key=line.key,
            name=line.name,
            operation=line.operation,
            answers=line.answers,
            rows=line.rows,
        )
        for line in lines
    ]
    return AccountUsage(plan=request.holder.plan, history=history, by_key=by_key, **left)


async def usage_csv(context: AccountContext, request: AccountRequest[None]) -> str:
    """Return the usage by day, key and operation as CSV, as far back as it is kept."""
    await _take(context, request.call, (EXPORTING, request.holder.id))
    request.call.headers.append((b"content-disposition", b'attachment; filename="padron-usage.csv"'))
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(USAGE_COLUMNS)
    for row in await request.ask(context.usage.by_key, request.holder.id, 0):
        writer.writerow((date_of(row.day), row.key, no_formula(row.name), row.operation, row.answers, row.rows))
    return file.getvalue()


class QuotasLeft(TypedDict):
    """State of the quotas of an account; None if limits are off."""

    minute: UsageWindow | None
    day: UsageWindow | None
    rows: UsageWindow | None


async def quotas_left(context: AccountContext, account: str, plan: str) -> QuotasLeft:
    """Return the state of rate limit and daily quotas, without counting anything."""
    if context.limiter is None:
        return QuotasLeft(minute=None, day=None, rows=None)
    used = await threads.ask_accounts(account, context.usage.of_today, account)
    windows = []
    for quota, stored in zip(quotas(context.plans.plan(plan)), (0, *used), strict=True):
        (state,) = await context.limiter.take([QuotaRequest(quota, account, stored)])
        if state.granted:
            await context.limiter.give_back(quota, account)
        windows.append(_window(context.store.now(), quota, state))
    minute, day, rows = windows
    return QuotasLeft(minute=minute, day=day, rows=rows)


async def count_answer(context: AccountContext, call: Call, holder: AccountHolder, base_url: str) -> None:
    """Count an answer that a holder reads on a page against the quotas that the keys of the account share.

    Raises:
        Denied: `account-suspended`.
        Limited: `rate-limited`, `quota-exceeded`.
    """
    check_active(holder)
    if context.limiter is None:
        return
    plan = context.plans.plan(holder.plan)
    minute, day, _ = quotas(plan)
    used = await threads.ask_accounts(holder.id, context.usage.of_today, holder.id)
    states = await context.limiter.take([QuotaRequest(minute, holder.id), QuotaRequest(day, holder.id, used.answers)])
    add_rate_limit_headers(call, (minute, day), states)
    for quota, state in zip((minute, day), states, strict=True):
        if not state.granted and quota is minute:
            raise rate_limited(quota, state)
        if not state.granted:
            raise quota_exceeded(state, plan, context.plans, base_url)


def _window(now: int, quota: Quota, state: QuotaState) -> UsageWindow:
    return UsageWindow(
        limit=quota.amount, remaining=state.remaining + state.granted, resets_at=moment(now + state.reset)
    )


async def days(usage: Usage, account: str) -> list[UsageDay]:
    """Return the usage of the last days, the latest first."""
    used = await threads.ask_accounts(account, usage.days, account, usage.today() - HISTORY + 1)
    return usage_days(used)


async def plans(context: AccountContext, request: AccountRequest[None]) -> PlansShown:
    """Return the plans on offer; open to all."""
    return plans_shown(context.plans, request.call.language)


async def checkout(context: AccountContext, request: AccountRequest[BuyPeriod]) -> CheckoutShown:
    """Start a checkout for the account of the session."""
    check_active(request.holder)
    body = request.body
    return await begin_checkout(context, request.call, request.holder.id, body.plan_id, body.period)


async def begin_checkout(
    context: AccountContext, call: Call, account: str, plan: str, period: Period = "month"
) -> CheckoutShown:
    """Start a checkout, or return the one that the same Idempotency-Key started.

    Raises:
        Invalid: `invalid-field` for a malformed Idempotency-Key, and what `Subscriptions.checkout` raises.
        Limited: `too-many-attempts`.
    """
    key = call.given.get(b"idempotency-key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise Invalid("invalid-field", parameter="Idempotency-Key")
    text = None if key is None else key.decode()
    await _take(context, call, (PAYING, account))
    started = await threads.PAYING.call(context.subscriptions.checkout, account, plan, period, call.language, text)
    return CheckoutShown(
        checkout_url=started.url, checkout_id=started.id, plan_id=started.plan, expires_at=moment(started.expires_at)
    )


async def portal(context: AccountContext, request: AccountRequest[None]) -> Place:
    """Return the page where the subscription is seen and cancelled."""
    await _take(context, request.call, (PAYING, request.holder.id))
    url = await threads.PAYING.call(context.subscriptions.portal, request.holder.id, request.call.language)
    return Place(url=url)


async def resume(context: AccountContext, request: AccountRequest[None]) -> AccountShown:
    """Renew the cancelled subscription again and return the account."""
    check_active(request.holder)
    await _take(context, request.call, (PAYING, request.holder.id))
    await threads.PAYING.call(context.subscriptions.resume, request.holder.id)
    return await show(context, request)


async def invoices(context: AccountContext, request: AccountRequest[None]) -> InvoicesShown:
    """Return the latest invoices."""
    await _take(context, request.call, (LISTING, request.holder.id))
    listed = await threads.PAYING.call(context.subscriptions.invoices, request.holder.id)
    return InvoicesShown(invoices=[invoice_shown(invoice) for invoice in listed])


async def _evenly(context: AccountContext, call: Call, act: Callable[..., Any], *arguments: object) -> Any:
    """Call `act` in a thread and return its result no sooner than `FLOOR` seconds from now, also if it fails.

    What one client asks beyond `_HASHING_TURNS` waits for its own first.

    Raises `Unavailable("accounts-busy")` while too many wait: hashing passwords must not hold up the other requests.
    """
    ends = monotonic() + FLOOR
    try:
        async with _HASHING_TURNS.of(client_of(call, context.trusted)):
            return await threads.HASHING.call(act, *arguments)
    finally:
        await asyncio.sleep(max(0.0, ends - monotonic()))


async def _take(context: AccountContext, call: Call, *asked: tuple[Quota, str | None]) -> None:
    """Count against quotas of this client, or of an e-mail address. Raises `Limited("too-many-attempts")`."""
    if context.limiter is None:
        return
    for state in await context.limiter.take(
        [QuotaRequest(quota, _counted_as(context, call, of)) for quota, of in asked]
    ):
        if not state.granted:
            raise Limited("too-many-attempts", retry_after=state.reset)


async def _give_back(context: AccountContext, call: Call, *asked: tuple[Quota, str | None]) -> None:
    if context.limiter is not None:
        for quota, of in asked:
            await context.limiter.give_back(quota, _counted_as(context, call, of))


def _counted_as(context: AccountContext, call: Call, address: str | None) -> str:
    """The identifier of the client, or of the e-mail address or known browser, for counting."""
    return context.digest_of(address) if address else client_of(call, context.trusted)
