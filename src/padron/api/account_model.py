"""Wire models of `/api/account`: what is sent to it and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from padron.accounts.billing import Invoice, InvoiceState, State
from padron.accounts.keys import ORIGIN, Key, Scope
from padron.accounts.passwords import FEWEST
from padron.accounts.plans import Feature, Period, Plans
from padron.accounts.second_factor import SecondFactor
from padron.accounts.sessions import AccountHolder, OpenSession
from padron.accounts.subscriptions import Subscription
from padron.accounts.usage import DayUsage
from padron.api.v1_model import UsageDay, UsageWindow
from padron.companies.model import Wire
from padron.transport.bodies import Body
from padron.words import Language

Address = Annotated[str, Meta(max_length=254, description="An e-mail address.", extra_json_schema={"format": "email"})]
_NO_NUL = {"pattern": r"^[^\x00]*$"}
Password = Annotated[str, Meta(max_length=256, description="The password.", extra_json_schema=_NO_NUL)]
NewPassword = Annotated[
    str,
    Meta(
        max_length=256,
        description="At least 10 characters, and none of the common ones.",
        extra_json_schema={"minLength": FEWEST, **_NO_NUL},
    ),
]
Token = Annotated[str, Meta(max_length=100, description="From the link in the mail.", extra_json_schema=_NO_NUL)]
Code = Annotated[
    str,
    Meta(
        max_length=40,
        description="Of the second factor, if the account has one: six digits of its app, or a recovery code.",
        extra_json_schema=_NO_NUL,
    ),
]
KeyName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
        description="Name of the key; unique among the keys in use.",
    ),
]
PlanId = Annotated[
    str,
    Meta(
        max_length=40,
        description="`free`, `pro`, `business`, or another of `/api/account/plans`.",
        extra_json_schema=_NO_NUL,
    ),
]


class SignUp(Body, frozen=True, kw_only=True):
    """A new account."""

    email: Address
    password: NewPassword
    language: (
        Annotated[Language, Meta(description="Language of the mails; by default that of the request.")] | UnsetType
    ) = UNSET


class Verify(Body, frozen=True, kw_only=True):
    """Proof of the address: the mailed token and the password chosen."""

    token: Token
    password: Password
    code: Code | None = None


class LogIn(Body, frozen=True, kw_only=True):
    """Address and password, and a code if the account has a second factor."""

    email: Address
    password: Password
    code: Code | None = None


class Forgotten(Body, frozen=True, kw_only=True):
    """The address to mail a link to."""

    email: Address


class Reset(Body, frozen=True, kw_only=True):
    """The mailed token and a new password."""

    token: Token
    password: NewPassword
    code: Code | None = None


class ChangePassword(Body, frozen=True, kw_only=True):
    """The old password and a new one, and a code if the account has a second factor."""

    old: Password
    new: NewPassword
    code: Code | None = None


class ChangeAccount(Body, frozen=True, kw_only=True):
    """Changes to an account."""

    language: Annotated[Language, Meta(description="Language of its mails.")]


class AcceptTerms(Body, frozen=True, kw_only=True):
    """The terms that the holder has read and accepts."""

    version: Annotated[
        str,
        Meta(
            max_length=10,
            description="Their version: `termsVersion` of `/api/account/plans`.",
            extra_json_schema=_NO_NUL,
        ),
    ]


class ChangeAddress(Body, frozen=True, kw_only=True):
    """A new address, and the password to confirm."""

    email: Address
    password: Password


class OwnPassword(Body, frozen=True, kw_only=True):
    """The password, to confirm, and a code if the account has a second factor."""

    password: Password
    code: Code | None = None


class ConfirmCode(Body, frozen=True, kw_only=True):
    """The first code of the app."""

    code: Annotated[str, Meta(max_length=40, description="Six digits.", extra_json_schema=_NO_NUL)]


class NewKey(Body, frozen=True, kw_only=True):
    """A new key; it has all scopes unless some are named, and does not expire unless a date is given."""

    name: KeyName
    scopes: (
        Annotated[
            list[Scope],
            Meta(
                min_length=1,
                description="Scopes of the key; if none are named, all but `reconcile`. That stands alone: it makes a "
                "key for the address of the reconciliation service (`/reconcile/key/<key>`).",
            ),
        ]
        | UnsetType
    ) = UNSET
    expires_at: Annotated[datetime, Meta(tz=True, description="When it expires; null: never.")] | None = None
    test: Annotated[
        bool, Meta(description="A key for testing programs: it answers about a few companies only, without a quota.")
    ] = False
    allowed_addresses: Annotated[
        list[Annotated[str, Meta(max_length=60)]],
        Meta(max_length=20, description="Addresses and networks (CIDR) from which it works; all if none are given."),
    ] = msgspec.field(default_factory=list)
    allowed_origins: Annotated[
        list[Annotated[str, Meta(max_length=300, extra_json_schema={"pattern": f"^{ORIGIN}$"})]],
        Meta(max_length=20, description="Origins of the pages that may use it; every caller if none are given."),
    ] = msgspec.field(default_factory=list)
    answers_per_day: (
        Annotated[int, Meta(ge=1, le=1_000_000_000, description="Its own daily quota; null: that of the account.")]
        | None
    ) = None


class Rotate(Body, frozen=True, kw_only=True):
    """Seconds for which the old key still works."""

    overlap_seconds: Annotated[int, Meta(ge=0, le=604_800, description="Seconds.")] = 86_400


class BuyPlan(Body, frozen=True, kw_only=True):
    """The plan to buy."""

    plan_id: PlanId


class BuyPeriod(BuyPlan, frozen=True, kw_only=True):
    """The plan to buy, and how often it is paid."""

    period: Annotated[Period, Meta(description="How often it is paid: by the month or by the year.")] = "month"


class KeyShown(Wire, frozen=True, kw_only=True):
    """A key, without its secret."""

    id: Annotated[str, Meta(description="Id of the key.")]
    name: Annotated[str, Meta(description="The name its owner gave it.")]
    ending: Annotated[str, Meta(description="Its last four characters.")]
    scopes: Annotated[list[str], Meta(description="Scopes of the key.")]
    allowed_addresses: Annotated[
        list[str], Meta(description="Addresses and networks (CIDR) from which it works; empty: all.")
    ]
    allowed_origins: Annotated[
        list[str], Meta(description="Origins of the pages that may use it; empty: every caller.")
    ]
    answers_per_day: Annotated[int, Meta(description="Its own daily quota; null: that of the account.")] | None
    test: Annotated[bool, Meta(description="Whether it is a test key, which answers about a few companies only.")]
    state: Annotated[Literal["active", "expired", "revoked"], Meta(description="Whether it can be used; if not, why.")]
    created_at: Annotated[datetime, Meta(description="When it was created.")]
    expires_at: Annotated[datetime, Meta(description="When it expires; null: never.")] | None
    revoked_at: Annotated[datetime, Meta(description="When it was revoked.")] | None
    leaked_at: Annotated[datetime, Meta(description="When it was first seen where others can read it.")] | None
    last_used_at: Annotated[datetime, Meta(description="When it was last used.")] | None


class KeyMade(Wire, frozen=True, kw_only=True):
    """A new key; `apiKey` is shown only this once."""

    key: KeyShown
    api_key: Annotated[str, Meta(description="The key itself.")]


class KeysShown(Wire, frozen=True, kw_only=True):
    """The keys of the account, the newest first."""

    keys: list[KeyShown]


class SessionShown(Wire, frozen=True, kw_only=True):
    """A session."""

    id: Annotated[str, Meta(description="Id of the session.")]
    browser: Annotated[str, Meta(description="Browser and system, as far as they are known.")]
    created_at: Annotated[datetime, Meta(description="When it began.")]
    seen_at: Annotated[datetime, Meta(description="When it was last used, to the hour.")]
    current: Annotated[bool, Meta(description="Whether it is the session of this request.")]


class SessionsShown(Wire, frozen=True, kw_only=True):
    """The open sessions of the account, the one seen last first."""

    sessions: list[SessionShown]


class SecondFactorShown(Wire, frozen=True, kw_only=True):
    """The second factor."""

    state: Annotated[
        Literal["off", "begun", "on"], Meta(description="`begun`: no code of the app has confirmed it yet.")
    ]
    confirmed_at: Annotated[datetime, Meta(description="When it was turned on.")] | None
    recovery_codes_left: Annotated[int, Meta(description="Number of recovery codes that were not used.")]


class Enrolled(Wire, frozen=True, kw_only=True):
    """The secret of an app for codes; it is shown only this once."""

    secret: Annotated[str, Meta(description="The secret, in base 32.")]
    uri: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="The same for a QR code: `otpauth:`.")]


class RecoveryCodes(Wire, frozen=True, kw_only=True):
    """The recovery codes, each valid once in place of a code of the app; they are shown only this once."""

    recovery_codes: Annotated[list[str], Meta(description="Ten recovery codes.")]


class SubscriptionShown(Wire, frozen=True, kw_only=True):
    """Its subscriptions."""

    plan: Annotated[str, Meta(description="Code of the plan.")]
    period: Annotated[Period, Meta(description="How often it is paid: by the month or by the year.")]
    state: Annotated[State, Meta(description="Its state.")]
    ending: Annotated[bool, Meta(description="It will not be renewed.")]
    period_end: Annotated[datetime, Meta(description="End of the paid period.")]
    payment_failed_at: Annotated[datetime, Meta(description="When the last payment failed.")] | None


class AccountShown(Wire, frozen=True, kw_only=True):
    """The account."""

    id: Annotated[str, Meta(description="Id of the account.")]
    email: Annotated[str, Meta(description="The address it was opened with.")]
    language: Annotated[Language, Meta(description="Language of its mails.")]
    plan: Annotated[str, Meta(description="Code of the plan.")]
    created_at: Annotated[datetime, Meta(description="When it was opened.")]
    suspended_at: Annotated[datetime, Meta(description="When the operator suspended it.")] | None
    terms_version: (
        Annotated[str, Meta(description="The version of the terms that the holder accepted last, a day.")] | None
    )
    subscription: SubscriptionShown | None


class KeyUsageDay(Wire, frozen=True, kw_only=True):
    """Usage of one key by one operation on one UTC day."""

    date: Annotated[date, Meta(description="The date.")]
    key: Annotated[str, Meta(description="Id of the key.")]
    name: Annotated[str, Meta(description="The name its owner gave it.")]
    operation: Annotated[str, Meta(description="The operation, named as the scope that opens it.")]
    answers: Annotated[int, Meta(description="Number of answers.")]
    rows: Annotated[int, Meta(description="Number of rows of lists that were matched.")]


class AccountUsage(Wire, frozen=True, kw_only=True):
    """The usage of all keys of the account, and what remains."""

    plan: Annotated[str, Meta(description="Code of the plan.")]
    minute: UsageWindow | None
    day: UsageWindow | None
    rows: UsageWindow | None
    history: list[UsageDay]
    by_key: Annotated[
        list[KeyUsageDay], Meta(description="The last 31 days by key and operation, the latest day first.")
    ]


class Export(Wire, frozen=True, kw_only=True):
    """All data of the account except its secrets; times are seconds since 1970."""

    account: Annotated[dict[str, Any], Meta(description="The account.")]
    keys: Annotated[list[dict[str, Any]], Meta(description="Its keys, without their secrets.")]
    usage: Annotated[list[dict[str, Any]], Meta(description="Answers and rows of each day.")]
    key_usage: Annotated[list[dict[str, Any]], Meta(description="The same by key and operation.")]
    subscriptions: Annotated[list[dict[str, Any]], Meta(description="Its subscriptions.")]
    checkouts: Annotated[list[dict[str, Any]], Meta(description="Purchases that were started.")]
    sessions: Annotated[list[dict[str, Any]], Meta(description="Sessions that are open.")]
    second_factor: Annotated[list[dict[str, Any]], Meta(description="Its second factor, without the secret.")]
    watchlists: Annotated[list[dict[str, Any]], Meta(description="Its watchlists.")]
    watched_companies: Annotated[list[dict[str, Any]], Meta(description="The companies in them.")]
    saved_searches: Annotated[list[dict[str, Any]], Meta(description="The saved searches in them.")]
    webhooks: Annotated[list[dict[str, Any]], Meta(description="Its webhooks, without their secrets.")]
    messages: Annotated[list[dict[str, Any]], Meta(description="Deliveries to them.")]
    audit: Annotated[list[dict[str, Any]], Meta(description="Events of the account, with their times.")]


class PlanShown(Wire, frozen=True, kw_only=True):
    """A plan."""

    id: Annotated[str, Meta(description="Code of the plan.")]
    name: Annotated[str, Meta(description="Its name, in the reader's language.")]
    price: Annotated[int, Meta(description="Price per month, in the smallest unit of the currency, without taxes.")]
    yearly_price: Annotated[int, Meta(description="Price per year, likewise; null: not sold by the year.")] | None
    currency: Annotated[str, Meta(description="Code of the currency (ISO 4217).")]
    requests_per_minute: Annotated[int, Meta(description="Requests per minute, for all keys together.")]
    answers_per_day: Annotated[int, Meta(description="Successful answers per day, for all keys together.")]
    rows_per_day: Annotated[int, Meta(description="Rows of lists matched per day, for all keys together.")]
    keys: Annotated[int, Meta(description="Maximum number of keys in use.")]
    features: Annotated[list[Feature], Meta(description="Features of the plan.")]


class PlansShown(Wire, frozen=True, kw_only=True):
    """The plans and their terms."""

    plans: list[PlanShown]
    terms: Annotated[str, Meta(description="How plans are renewed, changed and ended.")]
    terms_version: Annotated[
        str, Meta(description="The day of the terms in force, which whoever opens an account accepts.")
    ]


class CheckoutShown(Wire, frozen=True, kw_only=True):
    """A checkout that was started."""

    checkout_url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Page of the payment.")]
    checkout_id: Annotated[str, Meta(description="Id of this checkout.")]
    plan_id: Annotated[str, Meta(description="The plan that is bought.")]
    expires_at: Annotated[datetime, Meta(description="When the checkout expires.")]


class InvoiceShown(Wire, frozen=True, kw_only=True):
    """An invoice."""

    number: Annotated[str, Meta(description="Its number.")]
    issued_at: Annotated[datetime, Meta(description="When it was issued.")]
    total: Annotated[int, Meta(description="Total with taxes, in the smallest unit of the currency.")]
    currency: Annotated[str, Meta(description="Code of the currency (ISO 4217).")]
    state: Annotated[InvoiceState, Meta(description="Whether it is paid.")]
    page: Annotated[str, Meta(description="Its page at the payment provider.")] | None
    pdf: Annotated[str, Meta(description="Its file (PDF) at the payment provider.")] | None


class InvoicesShown(Wire, frozen=True, kw_only=True):
    """The latest invoices, the newest first."""

    invoices: list[InvoiceShown]


class Place(Wire, frozen=True, kw_only=True):
    """The address of a page."""

    url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="The address.")]


class Accepted(Wire, frozen=True, kw_only=True):
    """Always the same; the next step is in a mail, if one is sent."""

    message: Annotated[str, Meta(description="The message to show.")]


def moment(seconds: int | float) -> datetime:
    """Return seconds since the epoch as a time."""
    return datetime.fromtimestamp(int(seconds), UTC)


def date_of(day: int) -> date:
    """Return the date of a UTC day, counted from the epoch."""
    return moment(day * 86_400).date()


def usage_days(used: Mapping[int, DayUsage]) -> list[UsageDay]:
    """Return the usage of days as it is sent, the latest first."""
    return [
        UsageDay(date=date_of(day), answers=answers, rows=rows)
        for day, (answers, rows) in sorted(used.items(), reverse=True)
    ]


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else moment(seconds)


def key_shown(key: Key, now: int) -> KeyShown:
    """Return a key as its owner sees it."""
    state: Literal["active", "expired", "revoked"] = "active"
    if key.revoked_at is not None:
        state = "revoked"
    elif key.expires_at is not None and key.expires_at <= now:
        state = "expired"
    return KeyShown(
        id=key.id,
        name=key.name,
        ending=key.ending,
        scopes=list(key.scopes),
        allowed_addresses=list(key.networks),
        allowed_origins=list(key.origins),
        answers_per_day=key.per_day,
        test=key.test,
        state=state,
        created_at=moment(key.created_at),
        expires_at=_moment(key.expires_at),
        revoked_at=_moment(key.revoked_at),
        leaked_at=_moment(key.leaked_at),
        last_used_at=_moment(key.used_at),
    )


def session_shown(session: OpenSession) -> SessionShown:
    """Return a session as its holder sees it."""
    return SessionShown(
        id=session.id,
        browser=session.browser,
        created_at=moment(session.created_at),
        seen_at=moment(session.seen_at),
        current=session.current,
    )


def second_factor_shown(second: SecondFactor) -> SecondFactorShown:
    """Return a second factor as its holder sees it."""
    return SecondFactorShown(
        state=second.state, confirmed_at=_moment(second.confirmed_at), recovery_codes_left=second.recovery_codes
    )


def invoice_shown(invoice: Invoice) -> InvoiceShown:
    """Return an invoice as its holder sees it."""
    return InvoiceShown(
        number=invoice.number,
        issued_at=moment(invoice.issued_at),
        total=invoice.total,
        currency=invoice.currency,
        state=invoice.state,
        page=invoice.page,
        pdf=invoice.pdf,
    )


def account_shown(holder: AccountHolder, subscription: Subscription | None) -> AccountShown:
    """Return an account as its holder sees it."""
    return AccountShown(
        id=holder.id,
        email=holder.address,
        language=holder.language,
        plan=holder.plan,
        created_at=moment(holder.created_at),
        suspended_at=_moment(holder.suspended_at),
        terms_version=holder.terms,
        subscription=subscription
        and SubscriptionShown(
            plan=subscription.plan,
            period=subscription.period,
            state=subscription.state,
            ending=subscription.ending,
            period_end=moment(subscription.period_end),
            payment_failed_at=_moment(subscription.failed_at),
        ),
    )


def plans_shown(plans: Plans, language: Language) -> PlansShown:
    """Return the plans in the reader's language."""
    return PlansShown(
        plans=[
            PlanShown(
                id=plan.code,
                name=plan.name.of(language),
                price=plan.price,
                yearly_price=plan.yearly_price,
                currency=plans.currency,
                requests_per_minute=plan.per_minute,
                answers_per_day=plan.per_day,
                rows_per_day=plan.rows_per_day,
                keys=plan.keys,
                features=sorted(plan.features),
            )
            for plan in plans.by_code.values()
        ],
        terms=plans.terms.of(language).strip(),
        terms_version=plans.terms_version,
    )
