"""The pages of an account: plain forms over the operations of `/api/account`. Private, never cached, by session cookie.

A form is taken only from these pages themselves (`SessionCookie.check_same_site`), and the cookie is SameSite=Lax.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar, overload
from urllib.parse import parse_qs, parse_qsl

import msgspec
import segno
from markupsafe import Markup
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.keys import LINKED, SCOPES
from padron.accounts.second_factor import enrolment_of
from padron.accounts.sessions import AccountHolder
from padron.accounts.watchlists import SavedSearch, WantedChange, WatchedCompany, Watchlist, Watchlists
from padron.api import account
from padron.api.account import AccountContext, AccountRequest
from padron.api.account_model import (
    AcceptTerms,
    AccountShown,
    BuyPeriod,
    ChangeAccount,
    ChangeAddress,
    ChangePassword,
    ConfirmCode,
    Forgotten,
    LogIn,
    NewKey,
    OwnPassword,
    Place,
    Reset,
    Rotate,
    SignUp,
    Verify,
    plans_shown,
)
from padron.api.v1_watchlists import NewWatchlist, SearchToSave, key_to_watch, words_of_name
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import Invalid, Limited, NotFound, PadronError, Unavailable, messages
from padron.transport import inputs, problems
from padron.transport.bodies import read_bytes, refuse_nul
from padron.transport.call import Call
from padron.transport.headers import Header
from padron.web import addresses
from padron.web.onward import forget, keep, onward, with_onward
from padron.web.page import send_document
from padron.web.plain import plain
from padron.web.site import PageResponse, Redirect, Site, page_address
from padron.words import N_, Language, translate

_WAYS_IN: Final = ("sign-up", "log-in")
"""Pages that lead on at once whoever is signed in."""
_EXAMPLE: Final = "/api/v1/entities/US/320193"
"""A first call for a new key: any key may read this company, also one for testing."""
_COMPANIES: Final = 100
"""Companies of a watchlist that its page shows; all of them are in the API."""
_IDENTIFIER: Final = 100
"""Characters of an identifier or a text that the forms take."""
_BASE_32: Final = "[A-Z2-7]{32}"
"""The written form of the secret of an app for codes: 20 bytes."""
_LABELS: Final = {
    "email": N_("Mail address"),
    "password": N_("Password"),
    "old": N_("Current password"),
    "new": N_("New password"),
    "token": N_("Token of the link"),
    "code": N_("Code of the second factor"),
    "name": N_("Name"),
    "country": N_("Country"),
    "identifier": N_("Identifier"),
    "text": N_("Words of a name"),
    "allowedAddresses": N_("Works only from these addresses"),
    "allowedOrigins": N_("Works only in pages of these origins"),
    "answersPerDay": N_("Answers a day at most"),
    "expiresAt": N_("Expires at the beginning of this day (UTC)"),
}
"""Members of bodies -> the labels of their fields in the forms."""
_WRONG_PASSWORD: Final = N_("The password is wrong.")
"""The words of `bad-login` on pages that know the account."""
_LENGTH: Final = N_("“{parameter}” takes {fewest} to {most} characters.")
_KEPT: Final = frozenset(
    {
        "email",
        "name",
        "token",
        "test",
        "expires",
        "addresses",
        "origins",
        "most",
        *(f"may-{scope}" for scope in (*SCOPES, LINKED)),
    }
)
"""Fields that a refused form shows again; never a password or a code."""
_UNSEEN: Final[Header] = (b"x-robots-tag", b"noindex")
_Body = TypeVar("_Body", bound=msgspec.Struct)
Form = dict[str, str]


class FormResult(NamedTuple):
    """The result of a form: another page (`to`), or the same page with a message or an object to show."""

    to: str | None = None
    message: str | None = None
    shown: object = None


class PageRequest(NamedTuple):
    """A request to a page of accounts, with its account holder and the fields of its form."""

    context: AccountContext
    call: Call
    holder: AccountHolder
    form: Form
    watchlists: Watchlists
    directory: Callable[[], Directory]

    @overload
    def request(self, kind: None = None, item: str = "") -> AccountRequest[None]: ...
    @overload
    def request(self, kind: type[_Body], item: str = "", **more: object) -> AccountRequest[_Body]: ...
    def request(self, kind: type[_Body] | None = None, item: str = "", **more: object) -> AccountRequest[Any]:
        """Return the request as the operations of `/api/account` take it.

        Args:
            kind: The type of the body; None if the operation has none.
            more: Members of the body that are not in the form.

        Returns:
            The request, with the body converted.

        Raises:
            Invalid: `missing-field` or `invalid-field`, naming the member, with the `fewest` and `most` characters of
                one that is too short or too long.
        """
        if kind is None:
            return AccountRequest(self.call, None, self.holder, item)
        members = {name: self.form[name] for name in _members(kind) if self.form.get(name)}
        members |= {name: members[name].strip() for name in ("token", "code") if name in members}  # pasted with blanks
        try:
            body = msgspec.convert(members | more, kind, strict=False)
        except msgspec.ValidationError as error:
            wrong = next(
                (name for name in _members(kind) if f"`{name}`" in str(error) or f"$.{name}" in str(error)), "—"
            )
            if wrong != "—" and wrong not in members | more:
                raise Invalid("missing-field", parameter=wrong) from error
            lengths = _lengths(kind, wrong) if wrong in members else {}
            if lengths and lengths["fewest"] <= len(members[wrong]) <= lengths["most"]:
                lengths = {}
            raise Invalid("invalid-field", parameter=wrong, **lengths) from error
        return AccountRequest(self.call, body, self.holder, item)


Action = Callable[[PageRequest], Awaitable[FormResult]]
Values = Callable[[PageRequest], Awaitable[dict[str, Any]]]
Allow = Callable[[PageRequest], Awaitable[None]]


def _members(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(kind))


def _lengths(kind: type[msgspec.Struct], member: str) -> dict[str, int]:
    """The `fewest` and `most` characters of a member of a body; empty if its type does not limit them."""
    schema = msgspec.json.schema(kind)["$defs"][kind.__name__]["properties"][member]
    limits = next((each for each in schema.get("anyOf", [schema]) if "maxLength" in each), None)
    return {"fewest": limits.get("minLength", 1), "most": limits["maxLength"]} if limits else {}


_MOST: Final = {
    "email": _lengths(SignUp, "email")["most"],
    "key": _lengths(NewKey, "name")["most"],
    "watchlist": _lengths(NewWatchlist, "name")["most"],
    "text": _lengths(SearchToSave, "text")["most"],
    "identifier": _IDENTIFIER,
}
"""Characters that fields take. Passwords have no such mark: a browser would cut a pasted one without a word."""


async def sign_up(page: PageRequest) -> FormResult:
    """Open an account; the next step is in a mail."""
    answer = await account.sign_up(page.context, page.request(SignUp, language=page.call.language))
    return FormResult(message=answer.message)


async def forgotten(page: PageRequest) -> FormResult:
    """Send a mail with a link to set a new password."""
    answer = await account.forgotten(page.context, page.request(Forgotten))
    return FormResult(message=answer.message)


async def verify(page: PageRequest) -> FormResult:
    """Confirm the address."""
    await account.verify(page.context, page.request(Verify))
    return FormResult(to="account")


async def log_in(page: PageRequest) -> FormResult:
    """Start a session."""
    return _entered(page, await account.log_in(page.context, page.request(LogIn)))


async def reset(page: PageRequest) -> FormResult:
    """Set a new password by a link in a mail."""
    return _entered(page, await account.reset(page.context, page.request(Reset)))


def _entered(page: PageRequest, shown: AccountShown) -> FormResult:
    """Lead to the account, or first to the terms, if they are others than its holder has accepted."""
    return FormResult(to="account" if shown.terms_version == page.context.plans.terms_version else "consent")


async def accept_terms(page: PageRequest) -> FormResult:
    """Accept the terms in force."""
    await account.accept_terms(page.context, page.request(AcceptTerms))
    return FormResult(to="account")


async def log_out(page: PageRequest) -> FormResult:
    """End the session."""
    await account.log_out(page.context, page.request())
    return FormResult(to="home")


async def log_out_everywhere(page: PageRequest) -> FormResult:
    """End every session."""
    await account.log_out_everywhere(page.context, page.request())
    return FormResult(to="log-in")


async def change_password(page: PageRequest) -> FormResult:
    """Change the password."""
    await account.change_password(page.context, page.request(ChangePassword))
    return FormResult(to="account")


async def change_address(page: PageRequest) -> FormResult:
    """Ask for another address; the next step is in a mail."""
    answer = await account.change_address(page.context, page.request(ChangeAddress))
    return FormResult(message=answer.message)


async def confirm_address(page: PageRequest) -> FormResult:
    """Confirm the new address."""
    await account.confirm_address(page.context, page.request(Verify))
    return FormResult(to="security")


async def end_session(page: PageRequest) -> FormResult:
    """End one session."""
    await account.end_session(page.context, page.request(item=page.form.get("session", "")))
    return FormResult(to="security")


class EnrolmentShown(NamedTuple):
    """The secret of an app for codes, as text and as a picture."""

    secret: str
    picture: Markup


async def begin_second_factor(page: PageRequest) -> FormResult:
    """Show what an app needs to make codes, this once."""
    enrolled = await account.begin_second_factor(page.context, page.request(OwnPassword))
    return FormResult(shown=_enrolment_shown(enrolled.secret, enrolled.uri))


def _enrolment_shown(secret: str, uri: str) -> EnrolmentShown:
    picture = segno.make_qr(uri).svg_inline(scale=4, border=4, light="#fff")
    return EnrolmentShown(secret, Markup(picture))  # noqa: S704 - drawn from squares alone


async def confirm_second_factor(page: PageRequest) -> FormResult:
    """Turn the second factor on and show its recovery codes, this once."""
    return FormResult(shown=await account.confirm_second_factor(page.context, page.request(ConfirmCode)))


async def renew_recovery_codes(page: PageRequest) -> FormResult:
    """Show new recovery codes, this once."""
    return FormResult(shown=await account.renew_recovery_codes(page.context, page.request(OwnPassword)))


async def remove_second_factor(page: PageRequest) -> FormResult:
    """Turn the second factor off."""
    await account.remove_second_factor(page.context, page.request(OwnPassword))
    return FormResult(to="security")


async def change_language(page: PageRequest) -> FormResult:
    """Change the language of the mails."""
    await account.change(page.context, page.request(ChangeAccount))
    return FormResult(to="security")


async def leave(page: PageRequest) -> FormResult:
    """Delete the account."""
    await account.leave(page.context, page.request(OwnPassword))
    return FormResult(to="home")


async def new_key(page: PageRequest) -> FormResult:
    """Create a key, shown only once; it may do what is ticked, or everything."""
    more: dict[str, object] = {"allowedAddresses": re.findall(r"[^\s,]+", page.form.get("addresses", ""))}
    more["allowedOrigins"] = re.findall(r"[^\s,]+", page.form.get("origins", ""))
    if most := page.form.get("most", "").strip():
        if not re.fullmatch(r"[0-9]{1,18}", most):
            raise Invalid("invalid-field", parameter="answersPerDay")
        more["answersPerDay"] = int(most)
    if page.form.get("test"):
        more["test"] = True
    if ticked := [scope for scope in (*SCOPES, LINKED) if page.form.get(f"may-{scope}")]:
        more["scopes"] = ticked
    if day := page.form.get("expires"):
        more["expiresAt"] = f"{day}T00:00:00Z"
    return FormResult(shown=await account.new_key(page.context, page.request(NewKey, "", **more)))


async def rotate(page: PageRequest) -> FormResult:
    """Replace a key; the old one works for one more day."""
    return FormResult(shown=await account.rotate(page.context, page.request(Rotate, page.form.get("key", ""))))


async def revoke(page: PageRequest) -> FormResult:
    """Revoke a key."""
    await account.revoke(page.context, page.request(item=page.form.get("key", "")))
    return FormResult(to="keys")


async def buy(page: PageRequest) -> FormResult:
    """Start a checkout; the page then leads on to the payment."""
    started = await account.checkout(page.context, page.request(BuyPeriod))
    return FormResult(shown=Place(url=started.checkout_url))


async def manage(page: PageRequest) -> FormResult:
    """Lead on to the page where the subscription is managed."""
    return FormResult(shown=await account.portal(page.context, page.request()))


async def resume(page: PageRequest) -> FormResult:
    """Renew the cancelled subscription again."""
    await account.resume(page.context, page.request())
    return FormResult(to="plan")


async def new_watchlist(page: PageRequest) -> FormResult:
    """Create a watchlist, which follows at once what the link to the page named."""
    account.check_active(page.holder)
    body = page.request(NewWatchlist).body
    content = WantedChange()
    if page.form.get("identifier"):
        content = await _wanted_company(page)
    elif page.form.get("text"):
        content = _wanted_search(page)
    await page.request().ask(page.watchlists.create, page.holder.id, body.name.strip(), content)
    return FormResult(to="watchlists")


async def remove_watchlist(page: PageRequest) -> FormResult:
    """Delete a watchlist."""
    await page.request().ask(page.watchlists.delete, page.holder.id, page.form.get("list", ""))
    return FormResult(to="watchlists")


async def watch_company(page: PageRequest) -> FormResult:
    """Add a company to a watchlist, by any of its identifiers."""
    return await _changed(page, await _wanted_company(page))


async def watch_search(page: PageRequest) -> FormResult:
    """Save a search in a watchlist."""
    return await _changed(page, _wanted_search(page))


async def forget_company(page: PageRequest) -> FormResult:
    """Remove a company from a watchlist."""
    company = page.form.get("country", ""), page.form.get("identifier", "")
    return await _changed(page, WantedChange(remove_companies=[company]))


async def forget_search(page: PageRequest) -> FormResult:
    """Remove a saved search from a watchlist."""
    return await _changed(page, WantedChange(remove_searches=[page.form.get("search", "")]))


async def _wanted_company(page: PageRequest) -> WantedChange:
    country = inputs.country_code(page.form.get("country", ""))
    identifier = page.form.get("identifier", "")[:_IDENTIFIER]
    located = await page.directory().details(country, identifier, page.call.language)
    return WantedChange(add_companies=[key_to_watch(located, country)])


def _wanted_search(page: PageRequest) -> WantedChange:
    given = page.request(SearchToSave).body
    country = inputs.country_code(given.country) if given.country else None
    return WantedChange(add_searches=[(words_of_name(given.text, "text"), country)])


async def _changed(page: PageRequest, wanted: WantedChange) -> FormResult:
    account.check_active(page.holder)
    await page.request().ask(page.watchlists.change, page.holder.id, page.form.get("list", ""), wanted)
    return FormResult(to="watchlists")


class WatchlistShown(NamedTuple):
    """A watchlist with its first companies, each with its name if the release holds it, and its saved searches."""

    watchlist: Watchlist
    companies: list[tuple[WatchedCompany, str | None]]
    searches: Sequence[SavedSearch]


async def watchlists(page: PageRequest) -> dict[str, Any]:
    """Values of the page of watchlists; a link to it may name what is to be followed.

    What a refused form held (`sent`) stays in that form alone.
    """
    held = await page.request().ask(page.watchlists.of, page.holder.id)
    listed = []
    for watchlist in held:
        _, companies, searches = await page.request().ask(
            page.watchlists.page, page.holder.id, watchlist.id, 0, _COMPANIES
        )
        named = [(company, await _name_of(page, company)) for company in companies]
        listed.append(WatchlistShown(watchlist, named, searches))
    linked = dict(parse_qsl(page.call.scope["query_string"].decode("latin-1"), errors="replace"))
    return await overview(page) | {"listed": listed, "linked": _followed(linked), "sent": _followed(page.form)}


def _followed(given: Mapping[str, str]) -> Form:
    """The fields of a link or a form that name what is to be followed, and the form."""
    return {name: plain(given.get(name, ""), _IDENTIFIER) for name in ("do", "list", "text", "country", "identifier")}


async def _name_of(page: PageRequest, company: WatchedCompany) -> str | None:
    await threads.pause()
    try:
        located = await page.directory().details(company.country, company.identifier, page.call.language)
    except (Invalid, NotFound):
        return None
    return located.detail.record.legal_name


async def nothing(page: PageRequest) -> dict[str, Any]:
    """Values of a page that has only a form."""
    return {}


async def overview(page: PageRequest) -> dict[str, Any]:
    """Values of the pages about the account: the account, its usage, the plans, whether its holder is an operator."""
    request = page.request()
    shown = await account.show(page.context, request)
    used = await account.usage(page.context, request)
    plans = plans_shown(page.context.plans, page.call.language)
    return {"account": shown, "usage": used, "plans": plans, "operator": page.holder.operator}


async def usage(page: PageRequest) -> dict[str, Any]:
    """Values of the page of usage: that by day, and that by key and operation."""
    values = await overview(page)
    answers: Counter[tuple[str, str, str]] = Counter()
    rows: Counter[tuple[str, str, str]] = Counter()
    for line in values["usage"].by_key:
        by = line.key, line.name, line.operation
        answers[by] += line.answers
        rows[by] += line.rows
    by_key = [(*by[1:], number, rows[by]) for by, number in answers.most_common()]
    return values | {"by_key": by_key}


async def plan(page: PageRequest) -> dict[str, Any]:
    """Values of the page of the plan: the account, the plans, the invoices; None where they cannot be listed now."""
    try:
        invoices = (await account.invoices(page.context, page.request())).invoices
    except (Unavailable, Limited):
        invoices = None
    chosen = parse_qs(page.call.scope["query_string"].decode("latin-1")).get("chosen", [""])[0]
    return await overview(page) | {"invoices": invoices, "chosen": chosen}


async def consent(page: PageRequest) -> dict[str, Any]:
    """Values of the page of new terms: the account, and their day."""
    return await overview(page) | {"since": date.fromisoformat(page.context.plans.terms_version)}


async def security(page: PageRequest) -> dict[str, Any]:
    """Values of the page of security: the account, its second factor and its sessions.

    An app that was shown is shown again beside a wrong code (`entered`), from the form: its secret is not asked of the
    store, which gives it for the password alone.
    """
    held = await account.list_sessions(page.context, page.request())
    second = await account.show_second_factor(page.context, page.request())
    values = await overview(page) | {"sessions": held.sessions, "second": second}
    secret = page.form.get("secret", "")
    entered = enrolment_of(secret, page.holder.address) if re.fullmatch(_BASE_32, secret) else None
    return values | {"entered": entered and _enrolment_shown(*entered)}


async def keys(page: PageRequest) -> dict[str, Any]:
    """Values of the page of keys."""
    return {"keys": (await account.keys(page.context, page.request())).keys, "example": _EXAMPLE}


class AccountPage(NamedTuple):
    """A page of accounts: its values, the actions of its forms by the value of `do`, and whether it needs a session.

    `allow` raises `Denied` for holders whom it is not for.
    """

    values: Values
    actions: dict[str, Action]
    closed: bool = True
    allow: Allow | None = None


PAGES: Final[dict[str, AccountPage]] = {
    "sign-up": AccountPage(nothing, {"": sign_up}, closed=False),
    "verify": AccountPage(nothing, {"": verify}, closed=False),
    "address": AccountPage(nothing, {"": confirm_address}, closed=False),
    "log-in": AccountPage(nothing, {"": log_in}, closed=False),
    "forgotten": AccountPage(nothing, {"": forgotten}, closed=False),
    "reset": AccountPage(nothing, {"": reset}, closed=False),
    "consent": AccountPage(consent, {"": accept_terms}),
    "account": AccountPage(overview, {"log-out": log_out}),
    "keys": AccountPage(keys, {"create": new_key, "rotate": rotate, "revoke": revoke}),
    "usage": AccountPage(usage, {}),
    "watchlists": AccountPage(
        watchlists,
        {
            "create": new_watchlist,
            "delete": remove_watchlist,
            "company": watch_company,
            "search": watch_search,
            "forget-company": forget_company,
            "forget-search": forget_search,
        },
    ),
    "plan": AccountPage(plan, {"buy": buy, "manage": manage, "resume": resume}),
    "security": AccountPage(
        security,
        {
            "password": change_password,
            "address": change_address,
            "session": end_session,
            "everywhere": log_out_everywhere,
            "enrol": begin_second_factor,
            "confirm": confirm_second_factor,
            "recovery": renew_recovery_codes,
            "second-off": remove_second_factor,
            "language": change_language,
            "delete": leave,
        },
    ),
}


class AccountPageEndpoint:
    """A page of accounts in one language, as an ASGI application."""

    def __init__(
        self,
        site: Site,
        context: AccountContext,
        watchlists: Watchlists,
        directory: Callable[[], Directory],
        name: str,
        page: AccountPage,
        of: Language,
    ) -> None:
        self._site = site
        self._context = context
        self._watchlists = watchlists
        self._directory = directory
        self._name = name
        self._page = page
        self._language = of
        self._secure = site.base_url.startswith("https:")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Perform the action of the form, if one was sent, and show the page."""
        call = Call.of(scope)
        call.language = self._language
        call.headers.append(_UNSEEN)
        try:
            response = await self._respond(call, receive)
        except PadronError as error:
            if error.code != "no-session":
                raise
            response = Redirect(with_onward(addresses.path("log-in", self._language), self._wanted(call)), 303)
        await send_document(call, send, response, [])

    def _wanted(self, call: Call) -> str | None:
        """The page to come back to after logging in; None for the account itself and for forms."""
        if call.scope["method"] == "POST" or self._name == "account":
            return None
        query = call.scope["query_string"].decode("latin-1")
        return addresses.path(self._name, self._language) + (f"?{query}" if query else "")

    async def _respond(self, call: Call, receive: Receive) -> PageResponse | Redirect:
        posted = call.scope["method"] == "POST"
        if posted:
            self._context.session_cookie.check_same_site(call)
        if self._name in _WAYS_IN and not posted and await self._signed_in(call):
            return Redirect(onward(call) or addresses.path("account", self._language), 303)
        holder = await self._context.session_cookie.holder_of(call) if self._page.closed else _nobody(self._language)
        form = _form(await read_bytes(call, receive)) if posted else {}
        page = PageRequest(self._context, call, holder, form, self._watchlists, self._directory)
        if self._page.allow:
            await self._page.allow(page)
        result, refused = FormResult(), None
        if posted:
            try:
                result = await self._act(page)
            except Unavailable:
                raise
            except PadronError as error:
                if error.code == "no-session":
                    raise
                refused = error
        if result.to:
            return Redirect(self._onward(page, result.to), 303)
        if result.message and self._name == "sign-up" and (wanted := onward(call)):
            keep(call, wanted, self._secure)
        return await self._render(page, result, refused)

    def _onward(self, page: PageRequest, to: str) -> str:
        """The path of the next page: after signing up or logging in the one that was wanted before."""
        wanted = onward(page.call) if not self._page.closed or self._name == "consent" else None
        if to == "consent":
            return with_onward(addresses.path(to, self._language), wanted)
        wanted = wanted if to == "account" else None
        if wanted:
            forget(page.call, self._secure)
        return wanted or addresses.path(to, self._language)

    async def _signed_in(self, call: Call) -> bool:
        try:
            await self._context.session_cookie.holder_of(call)
        except PadronError as error:
            if error.code != "no-session":
                raise
            return False
        return True

    async def _act(self, page: PageRequest) -> FormResult:
        action = self._page.actions.get(page.form.get("do", ""))
        if action is None:
            raise Invalid("invalid-field", parameter="do")
        for name, value in page.form.items():
            refuse_nul(name, value)
        return await action(page)

    async def _render(self, page: PageRequest, result: FormResult, refused: PadronError | None) -> PageResponse:
        status = 200
        if refused is not None:
            page.call.code = refused.code
            status = problems.status(refused)
        return self._site.page(
            f"account/{self._name}.html",
            self._language,
            page_address(self._name),
            status=status,
            message=result.message,
            shown=result.shown,
            refused=refused and " ".join(self._explained(fault) for fault in problems.all_wrong(refused)),
            form=_entered_again(page.form, refused) if refused else {},
            closed=self._page.closed,
            most=_MOST,
            ways_in={name: with_onward(addresses.path(name, self._language), onward(page.call)) for name in _WAYS_IN},
            **await self._page.values(page),
        )

    def _explained(self, error: PadronError) -> str:
        """The detail of an error, with the names of a field and of a country as the form has them."""
        label = _LABELS.get(str(error.context.get("parameter")))
        named: dict[str, object] = {"parameter": translate(label, self._language)} if label else {}
        if (country := error.context.get("country")) in REGISTRY:
            named["country"] = REGISTRY[str(country)].name
        if error.code == "bad-login" and self._name != "log-in":
            return translate(_WRONG_PASSWORD, self._language)
        if error.code == "invalid-field" and "most" in error.context:
            return translate(_LENGTH, self._language).format(**error.context | named)
        return messages.detail_of(error.code, error.context | named, self._language)


def _entered_again(form: Form, refused: PadronError) -> Form:
    """Fields that a refused form shows again: a token that was refused itself makes room for another."""
    is_of_token = refused.code == "bad-token" or refused.context.get("parameter") == "token"
    kept = _KEPT - {"token"} if is_of_token else _KEPT
    return {name: value for name, value in form.items() if name in kept and value}


def _nobody(of: Language) -> AccountHolder:
    return AccountHolder("", "", of, "", 0)


def _form(body: bytes) -> Form:
    return dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True, errors="replace"))


def routes(
    site: Site,
    context: AccountContext,
    watchlists: Watchlists,
    directory: Callable[[], Directory],
    pages: Mapping[str, AccountPage],
) -> list[Route]:
    """Return the routes of pages of accounts in both languages.

    Args:
        pages: The pages by name.
    """
    return [
        Route(
            addresses.path(name, of),
            AccountPageEndpoint(site, context, watchlists, directory, name, page, of),
            methods=["GET", "POST"] if page.actions else ["GET"],
        )
        for name, page in pages.items()
        for of in ("es", "en")
    ]
