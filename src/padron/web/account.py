"""The pages of an account: plain forms over the rooms of `/api/account`. Private, never stored, by session cookie.

A form is taken only from these pages themselves (`SessionCookie.check_same_site`), and the cookie is SameSite=Lax.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.accounts.sessions import AccountHolder
from padron.api import account
from padron.api.account import AccountContext, AccountRequest
from padron.api.account_model import (
    BuyPlan,
    ChangeAccount,
    ChangePassword,
    Forgotten,
    KeyMade,
    Leave,
    LogIn,
    NewKey,
    Reset,
    Rotate,
    SignUp,
    Verify,
    plans_shown,
)
from padron.errors import Invalid, PadronError, Unavailable
from padron.model import Language
from padron.transport import problems
from padron.transport.bodies import Body, read_bytes
from padron.transport.call import Call
from padron.transport.headers import Header
from padron.web import addresses
from padron.web.page import send_document
from padron.web.site import Document, Moved, Site, place
from padron.words import error_messages

_UNSEEN: Final[Header] = (b"x-robots-tag", b"noindex")
_Body = TypeVar("_Body", bound=Body)
Form = dict[str, str]


class Outcome(NamedTuple):
    """What a form led to: another page, or this one again with what is to be said (`said`) or shown."""

    to: str | None = None
    said: str | None = None
    shown: object = None


class Turn(NamedTuple):
    """One request to a page of accounts: whose it is, and what its form holds."""

    context: AccountContext
    call: Call
    holder: AccountHolder
    form: Form

    def request(self, kind: type[_Body] | None = None, item: str = "", **more: object) -> AccountRequest:
        """The request as the rooms of `/api/account` take it. Raises `Invalid("invalid-field")`."""
        if kind is None:
            return AccountRequest(self.call, None, self.holder, item)
        wanted = {name: self.form[name] for name in _members(kind) if self.form.get(name)}
        try:
            body = msgspec.convert(wanted | more, kind, strict=False)
        except msgspec.ValidationError as error:
            lacking = next(
                (name for name in _members(kind) if f"`{name}`" in str(error) or f"$.{name}" in str(error)), "—"
            )
            raise Invalid("invalid-field", parameter=lacking) from error
        return AccountRequest(self.call, body, self.holder, item)


Act = Callable[[Turn], Awaitable[Outcome]]
Show = Callable[[Turn], Awaitable[dict[str, Any]]]


def _members(kind: type[Body]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(kind))


async def sign_up(turn: Turn) -> Outcome:
    """A new account: what comes next stands in a mail."""
    _, said = await account.sign_up(turn.context, turn.request(SignUp, language=turn.call.language))
    return Outcome(said=getattr(said, "message"))  # noqa: B009 - the rooms answer `object`


async def forgotten(turn: Turn) -> Outcome:
    """A mail with a link to set a new password."""
    _, said = await account.forgotten(turn.context, turn.request(Forgotten))
    return Outcome(said=getattr(said, "message"))  # noqa: B009


async def verify(turn: Turn) -> Outcome:
    """The address is proved."""
    await account.verify(turn.context, turn.request(Verify))
    return Outcome(to="account")


async def log_in(turn: Turn) -> Outcome:
    """A session begins."""
    await account.log_in(turn.context, turn.request(LogIn))
    return Outcome(to="account")


async def reset(turn: Turn) -> Outcome:
    """A new password by mail."""
    await account.reset(turn.context, turn.request(Reset))
    return Outcome(to="account")


async def log_out(turn: Turn) -> Outcome:
    """The session ends."""
    await account.log_out(turn.context, turn.request())
    return Outcome(to="home")


async def log_out_everywhere(turn: Turn) -> Outcome:
    """Every session ends."""
    await account.log_out_everywhere(turn.context, turn.request())
    return Outcome(to="log-in")


async def change_password(turn: Turn) -> Outcome:
    """A new password, by the old one."""
    await account.change_password(turn.context, turn.request(ChangePassword))
    return Outcome(to="account")


async def change_language(turn: Turn) -> Outcome:
    """The language of the mails."""
    await account.change(turn.context, turn.request(ChangeAccount))
    return Outcome(to="security")


async def leave(turn: Turn) -> Outcome:
    """The account is deleted."""
    await account.leave(turn.context, turn.request(Leave))
    return Outcome(to="home")


async def new_key(turn: Turn) -> Outcome:
    """A key, shown this once."""
    return Outcome(shown=_made(await account.new_key(turn.context, turn.request(NewKey))))


async def rotate(turn: Turn) -> Outcome:
    """A key in place of another, which works for a day more."""
    return Outcome(shown=_made(await account.rotate(turn.context, turn.request(Rotate, turn.form.get("key", "")))))


async def revoke(turn: Turn) -> Outcome:
    """A key is ended."""
    await account.revoke(turn.context, turn.request(item=turn.form.get("key", "")))
    return Outcome(to="keys")


def _made(answer: tuple[int, object]) -> KeyMade:
    made = answer[1]
    assert isinstance(made, KeyMade)
    return made


async def buy(turn: Turn) -> Outcome:
    """A checkout is begun: the page then says where it is paid."""
    return Outcome(shown=(await account.checkout(turn.context, turn.request(BuyPlan)))[1])


async def manage(turn: Turn) -> Outcome:
    """Where the subscription is seen and cancelled."""
    return Outcome(shown=(await account.portal(turn.context, turn.request()))[1])


async def nothing(turn: Turn) -> dict[str, Any]:
    """A page that shows only its form."""
    return {}


async def overview(turn: Turn) -> dict[str, Any]:
    """The account and what is left of its limits."""
    request = turn.request()
    _, shown = await account.show(turn.context, request)
    _, used = await account.usage(turn.context, request)
    return {"account": shown, "usage": used, "plans": plans_shown(turn.context.plans, turn.call.language)}


async def keys(turn: Turn) -> dict[str, Any]:
    """The keys."""
    return {"keys": getattr((await account.keys(turn.context, turn.request()))[1], "keys")}  # noqa: B009


class Leaf(NamedTuple):
    """A page of accounts: what it shows, what its forms do by the value of `do`, and whether it needs a session."""

    show: Show
    acts: dict[str, Act]
    closed: bool = True


LEAVES: Final[dict[str, Leaf]] = {
    "sign-up": Leaf(nothing, {"": sign_up}, closed=False),
    "verify": Leaf(nothing, {"": verify}, closed=False),
    "log-in": Leaf(nothing, {"": log_in}, closed=False),
    "forgotten": Leaf(nothing, {"": forgotten}, closed=False),
    "reset": Leaf(nothing, {"": reset}, closed=False),
    "account": Leaf(overview, {"log-out": log_out}),
    "keys": Leaf(keys, {"create": new_key, "rotate": rotate, "revoke": revoke}),
    "usage": Leaf(overview, {}),
    "plan": Leaf(overview, {"buy": buy, "manage": manage}),
    "security": Leaf(
        overview,
        {"password": change_password, "language": change_language, "everywhere": log_out_everywhere, "delete": leave},
    ),
}


class Pages:
    """One page of accounts in one language, as an ASGI application."""

    def __init__(self, site: Site, context: AccountContext, name: str, of: Language) -> None:
        self._site = site
        self._context = context
        self._name = name
        self._leaf = LEAVES[name]
        self._language = of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Show the page, having done first what its form asks."""
        call = Call.of(scope)
        call.language = self._language
        call.headers.append(_UNSEEN)
        try:
            made = await self._made(call, receive)
        except PadronError as error:
            if error.code != "no-session":
                raise
            made = Moved(addresses.path("log-in", self._language), 303)
        await send_document(call, send, made, [])

    async def _made(self, call: Call, receive: Receive) -> Document | Moved:
        posted = call.scope["method"] == "POST"
        if posted:
            self._context.session_cookie.check_same_site(call)
        holder = await self._context.session_cookie.holder_of(call) if self._leaf.closed else _nobody(self._language)
        turn = Turn(self._context, call, holder, _form(await read_bytes(call, receive)) if posted else {})
        outcome, refused = Outcome(), None
        if posted:
            try:
                outcome = await self._act(turn)
            except Unavailable:
                raise
            except PadronError as error:
                if error.code == "no-session":
                    raise
                refused = error
        if outcome.to:
            return Moved(addresses.path(outcome.to, self._language), 303)
        return await self._page(turn, outcome, refused)

    async def _act(self, turn: Turn) -> Outcome:
        act = self._leaf.acts.get(turn.form.get("do", ""))
        if act is None:
            raise Invalid("invalid-field", parameter="do")
        return await act(turn)

    async def _page(self, turn: Turn, outcome: Outcome, refused: PadronError | None) -> Document:
        status = 200
        if refused is not None:
            turn.call.code = refused.code
            status = problems.status(refused)
        return self._site.page(
            f"account/{self._name}.html",
            self._language,
            place(self._name),
            status=status,
            said=outcome.said,
            shown=outcome.shown,
            refused=refused
            and " ".join(error_messages.detail(fault, self._language) for fault in problems.all_wrong(refused)),
            form={name: value for name, value in turn.form.items() if refused and name in {"email", "name"}},
            closed=self._leaf.closed,
            **await self._leaf.show(turn),
        )


def _nobody(of: Language) -> AccountHolder:
    return AccountHolder("", "", of, "", 0)


def _form(body: bytes) -> Form:
    return dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True, errors="replace"))


def routes(site: Site, context: AccountContext) -> list[Route]:
    """Every page of accounts in both languages."""
    return [
        Route(
            addresses.path(name, of), Pages(site, context, name, of), methods=["GET", "POST"] if leaf.acts else ["GET"]
        )
        for name, leaf in LEAVES.items()
        for of in ("es", "en")
    ]
