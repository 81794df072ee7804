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
from padron.accounts.rate_limits import Ask, Quota, Spent, Windows
from padron.accounts.sessions import People, Person
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
from padron.transport.admission import client_of
from padron.transport.auth import Sessions, quotas
from padron.transport.call import Call
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


class Office(NamedTuple):
    """The rooms behind these routes."""

    store: Store
    people: People
    keys: Keys
    usage: Usage
    plans: Plans
    subscriptions: Subscriptions
    sessions: Sessions
    windows: Windows | None
    trusted: Sequence[Network]
    stand_in: Callable[[str], str]


class Visit(NamedTuple):
    """A request to one of these routes: the call, its body, whose session it carries, the rest of the path."""

    call: Call
    body: Any
    person: Person
    item: str


Act = Callable[[Office, Visit], Awaitable[tuple[int, object]]]


class Desk:
    """One path: its methods, each with the body it takes, whether it needs a session, and what it does."""

    def __init__(self, office: Office, acts: dict[str, tuple[Act, type[Body] | None, bool]]) -> None:
        self._office = office
        self._acts = acts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, never to be stored."""
        call = Call.of(scope)
        inputs.parameters(scope["query_string"])
        act, kind, closed = self._acts["GET" if scope["method"] == "HEAD" else scope["method"]]
        if scope["method"] not in {"GET", "HEAD"}:
            self._office.sessions.same_site(call)
        person = await self._office.sessions.person(call) if closed else _NOBODY
        body = await read(call, receive, kind) if kind else None
        item = scope.get("path_params", {}).get("key", "")
        status, answer = await act(self._office, Visit(call, body, person, item))
        fields = [*headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        if answer is None:
            await call.answer(send, status, fields, b"")
        else:
            await call.answer(
                send, status, [(b"content-type", b"application/json"), *fields], msgspec.json.encode(answer)
            )


_NOBODY = Person("", "", "es", "", 0)


def routes(office: Office) -> list[Route]:
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
    return [Route(BASE + path, Desk(office, acts), methods=list(acts)) for path, acts in paths.items()]


async def sign_up(office: Office, visit: Visit) -> tuple[int, object]:
    """202, whether the address was free or not."""
    body: SignUp = visit.body
    faults = inputs.Faults()
    with faults:
        address = sessions.checked(body.email)
    with faults:
        passwords.check(body.password, body.email)
    faults.tell()
    await _take(office, visit.call, (OPENING, None), (MAILING, address))
    language = body.language or visit.call.language
    await _evenly(office.people.sign_up, address, body.password, language)
    return 202, Accepted(message=translate(SENT, visit.call.language))


async def verify(office: Office, visit: Visit) -> tuple[int, object]:
    """The account, with a session."""
    body: Verify = visit.body
    return await _entered(office, visit, None, office.people.verify, body.token, body.password)


async def log_in(office: Office, visit: Visit) -> tuple[int, object]:
    """The account, with a session."""
    body: LogIn = visit.body
    return await _entered(office, visit, fold_address(body.email), office.people.log_in, body.email, body.password)


async def reset(office: Office, visit: Visit) -> tuple[int, object]:
    """The account, with a session; all others have ended."""
    body: Reset = visit.body
    return await _entered(office, visit, None, office.people.reset_password, body.token, body.password)


async def change_password(office: Office, visit: Visit) -> tuple[int, object]:
    """The account, with a new session; all others have ended."""
    body: ChangePassword = visit.body
    return await _entered(
        office, visit, visit.person.address, office.people.change_password, visit.person, body.old, body.new
    )


async def _entered(
    office: Office, visit: Visit, address: str | None, enter: Callable[..., str], *arguments: object
) -> tuple[int, object]:
    """A session by `enter`; a failure counts against the caller, and against `address` where one is guessed at."""
    guessed = [(GUESSING, None), *([(GUESSING_ONE, address)] if address else [])]
    await _take(office, visit.call, *guessed)
    try:
        session = await _evenly(enter, *arguments)
    except Denied:
        raise
    except BaseException:
        await _give_back(office, visit.call, *guessed)
        raise
    await _give_back(office, visit.call, *guessed)
    office.sessions.begin(visit.call, session)
    person = await asyncio.to_thread(office.people.person, session)
    return 200, account_shown(person, await asyncio.to_thread(office.subscriptions.of, person.id))


async def forgotten(office: Office, visit: Visit) -> tuple[int, object]:
    """202, whether there is an account or not."""
    body: Forgotten = visit.body
    address = sessions.checked(body.email)
    await _take(office, visit.call, (OPENING, None), (MAILING, address))
    await _evenly(office.people.forget_password, address)
    return 202, Accepted(message=translate(SENT, visit.call.language))


async def log_out(office: Office, visit: Visit) -> tuple[int, object]:
    """The session is over."""
    await asyncio.to_thread(office.people.log_out, office.sessions.given(visit.call))
    office.sessions.end(visit.call)
    return 204, None


async def log_out_everywhere(office: Office, visit: Visit) -> tuple[int, object]:
    """Every session of the account is over."""
    await asyncio.to_thread(office.people.log_out, office.sessions.given(visit.call), everywhere=True)
    office.sessions.end(visit.call)
    return 204, None


async def show(office: Office, visit: Visit) -> tuple[int, object]:
    """The account."""
    return 200, account_shown(visit.person, await asyncio.to_thread(office.subscriptions.of, visit.person.id))


async def change(office: Office, visit: Visit) -> tuple[int, object]:
    """The account, changed."""
    body: ChangeAccount = visit.body
    await asyncio.to_thread(office.people.set_language, visit.person.id, body.language)
    visit = visit._replace(person=visit.person._replace(language=body.language))
    return await show(office, visit)


async def leave(office: Office, visit: Visit) -> tuple[int, object]:
    """The account is gone."""
    body: Leave = visit.body
    guessed = [(GUESSING_ONE, visit.person.address)]
    await _take(office, visit.call, *guessed)
    await asyncio.to_thread(office.people.delete, visit.person, body.password)
    await _give_back(office, visit.call, *guessed)
    office.sessions.end(visit.call)
    return 204, None


async def export(office: Office, visit: Visit) -> tuple[int, object]:
    """Everything kept about the account."""
    visit.call.headers.append((b"content-disposition", b'attachment; filename="padron-account.json"'))
    return 200, Export(**await asyncio.to_thread(sessions.export, office.store, visit.person.id))


async def keys(office: Office, visit: Visit) -> tuple[int, object]:
    """The keys."""
    now = office.store.now()
    found = await asyncio.to_thread(office.keys.of, visit.person.id)
    return 200, KeysShown(keys=[key_shown(key, now) for key in found])


async def new_key(office: Office, visit: Visit) -> tuple[int, object]:
    """A new key, its secret shown this once."""
    body: NewKey = visit.body
    ends = int(body.expires_at.timestamp()) if body.expires_at else None
    key, text = await asyncio.to_thread(
        office.keys.create, visit.person.id, body.name.strip(), body.scopes or SCOPES, ends
    )
    return 201, KeyMade(key=key_shown(key, office.store.now()), api_key=text)


async def rotate(office: Office, visit: Visit) -> tuple[int, object]:
    """A key in place of another, its secret shown this once."""
    body: Rotate = visit.body
    key, text = await asyncio.to_thread(office.keys.rotate, visit.person.id, visit.item, body.overlap_seconds)
    return 201, KeyMade(key=key_shown(key, office.store.now()), api_key=text)


async def revoke(office: Office, visit: Visit) -> tuple[int, object]:
    """The key opens nothing any more, on every worker within a second."""
    await asyncio.to_thread(office.keys.revoke, visit.person.id, visit.item)
    return 204, None


async def usage(office: Office, visit: Visit) -> tuple[int, object]:
    """What is used and left."""
    minute, day = await windows_left(office, visit.person.id, visit.person.plan)
    history = await days(office.usage, visit.person.id)
    return 200, AccountUsage(plan=visit.person.plan, minute=minute, day=day, history=history)


async def windows_left(office: Office, account: str, plan: str) -> tuple[UsageWindow | None, UsageWindow | None]:
    """What is left of rate window and daily quota; None where limits are off. Looking takes nothing."""
    if office.windows is None:
        return None, None
    minute, day = quotas(office.plans.plan(plan))
    used = (await asyncio.to_thread(office.usage.days, account, office.usage.today())).get(office.usage.today(), 0)
    found = []
    for ask in (Ask(minute, account), Ask(day, account, used)):
        (spent,) = await office.windows.take([ask])
        if spent.granted:
            await office.windows.give_back(ask.quota, account)
        found.append(_window(office.store.now(), ask.quota, spent))
    return found[0], found[1]


def _window(now: int, quota: Quota, spent: Spent) -> UsageWindow:
    return UsageWindow(
        limit=quota.amount, remaining=spent.remaining + spent.granted, resets_at=moment(now + spent.reset)
    )


async def days(usage: Usage, account: str) -> list[UsageDay]:
    """Successful answers of the last days, the latest first."""
    found = await asyncio.to_thread(usage.days, account, usage.today() - HISTORY + 1)
    return [UsageDay(date=moment(day * 86_400).date(), answers=found[day]) for day in sorted(found, reverse=True)]


async def plans(office: Office, visit: Visit) -> tuple[int, object]:
    """The plans on offer; open to all."""
    return 200, plans_shown(office.plans, visit.call.language)


async def checkout(office: Office, visit: Visit) -> tuple[int, object]:
    """A checkout begun for the account of the session."""
    body: BuyPlan = visit.body
    return 201, await begin_checkout(office, visit.call, visit.person.id, body.plan_id)


async def begin_checkout(office: Office, call: Call, account: str, plan: str) -> CheckoutShown:
    """A checkout begun, or the one that the same Idempotency-Key began."""
    key = call.given.get(b"idempotency-key")
    text = key.decode("latin-1")[:255] if key else None
    begun = await asyncio.to_thread(office.subscriptions.checkout, account, plan, call.language, text)
    return CheckoutShown(
        checkout_url=begun.url, checkout_id=begun.id, plan_id=begun.plan, expires_at=moment(begun.expires_at)
    )


async def portal(office: Office, visit: Visit) -> tuple[int, object]:
    """Where the subscription is seen and cancelled."""
    url = await asyncio.to_thread(office.subscriptions.portal, visit.person.id, visit.call.language)
    return 200, Place(url=url)


async def _evenly(act: Callable[..., Any], *arguments: object) -> Any:
    """What `act` gives, in a thread of its own, no sooner than `FLOOR` seconds from now, whether it fails or not."""
    ends = monotonic() + FLOOR
    try:
        return await asyncio.to_thread(act, *arguments)
    finally:
        await asyncio.sleep(max(0.0, ends - monotonic()))


async def _take(office: Office, call: Call, *asked: tuple[Quota, str | None]) -> None:
    """Take from quotas of this client, or of an e-mail address. Raises `Limited("too-many-attempts")`."""
    if office.windows is None:
        return
    for spent in await office.windows.take([Ask(quota, _who(office, call, of)) for quota, of in asked]):
        if not spent.granted:
            raise Limited("too-many-attempts", retry_after=spent.reset)


async def _give_back(office: Office, call: Call, *asked: tuple[Quota, str | None]) -> None:
    if office.windows is not None:
        for quota, of in asked:
            await office.windows.give_back(quota, _who(office, call, of))


def _who(office: Office, call: Call, address: str | None) -> str:
    """What stands for the client or the e-mail address when counting."""
    return office.stand_in(address) if address else client_of(call, office.trusted)
