"""Plans: price, limits and features of each. Data from `plans.toml`, and pure functions."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from padron.accounts.rate_limits import Quota
from padron.errors import Invalid
from padron.words import Text

BUNDLED = Path(__file__).with_name("plans.toml")
FREE = "free"
TERMS: Final = "2026-11-23"
"""The day of the bundled terms of use and of sale; their holders accept a version once."""
GRACE = 7 * 86_400
"""Seconds that a plan is kept after a payment failed for the first time."""

Feature = Literal["financials"]
Period = Literal["month", "year"]
"""The time between two payments of a plan."""


class Plan(NamedTuple):
    """One plan. `price` is per month in the smallest unit of the currency; `rank` orders plans from the least on.

    `yearly_price` is per year, None where it is not sold so. `rows_per_day` are the rows of lists that may be matched,
    `watchlists` and `watched` the watchlists that an account may have and the companies and searches in all of them,
    `webhooks` its webhooks.
    `stripe_price` and `stripe_yearly_price` are the ids of the prices at Stripe.
    """

    code: str
    name: Text
    rank: int
    price: int
    per_minute: int
    per_day: int
    rows_per_day: int
    watchlists: int
    watched: int
    webhooks: int
    keys: int
    features: frozenset[Feature]
    stripe_price: str | None
    yearly_price: int | None
    stripe_yearly_price: str | None

    def prices(self) -> tuple[tuple[Period, int, str | None], ...]:
        """Return the prices at which it is sold: the period, the amount, the id at Stripe."""
        monthly: tuple[Period, int, str | None] = ("month", self.price, self.stripe_price)
        if not self.price:
            return ()
        return (
            (monthly,)
            if self.yearly_price is None
            else (monthly, ("year", self.yearly_price, self.stripe_yearly_price))
        )


class Anonymous(NamedTuple):
    """Quotas of one address without a key: of searches and the public interface, of pages, of suggestions."""

    public: Quota
    pages: Quota
    type_ahead: Quota


class Processor(NamedTuple):
    """A company that handles data of account holders for the operator, and what it does with which of them."""

    name: str
    task: Text


class Plans(NamedTuple):
    """Plans on offer by code, quotas without a plan, their currency (ISO 4217) and the terms of sale.

    `terms_version` is the day of the terms in force, those of use included; `processors` are named by the operator.
    """

    by_code: dict[str, Plan]
    anonymous: Anonymous
    currency: str
    terms: Text
    terms_version: str
    processors: tuple[Processor, ...]

    def plan(self, code: str) -> Plan:
        """Return the plan with a code. Raises `Invalid("unknown-plan")`."""
        if code not in self.by_code:
            raise Invalid("unknown-plan", parameter="planId", known=tuple(self.by_code))
        return self.by_code[code]

    def held(self, code: str) -> Plan:
        """Return the plan that an account has by its code: Free if the table no longer has that plan."""
        return self.by_code.get(code, self.by_code[FREE])

    def opening(self, feature: Feature) -> tuple[Plan, ...]:
        """Return the plans that include a feature, the cheapest first."""
        return tuple(plan for plan in self.by_code.values() if feature in plan.features)

    def above(self, plan: Plan) -> tuple[Plan, ...]:
        """Return the plans with more answers per day than this one."""
        return tuple(other for other in self.by_code.values() if other.per_day > plan.per_day)


class _Words(Struct, forbid_unknown_fields=True):
    es: str
    en: str


class _Terms(_Words, forbid_unknown_fields=True):
    version: date = date.fromisoformat(TERMS)


class _Processor(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    task: _Words


_Amount = Annotated[int, Meta(ge=1)]


_StripePrice = Annotated[str, Meta(pattern="^price_[A-Za-z0-9]{1,80}$")]


class _Row(Struct, forbid_unknown_fields=True):
    name: _Words
    price: Annotated[int, Meta(ge=0)]
    per_minute: _Amount
    per_day: _Amount
    keys: _Amount
    features: list[Feature]
    rows_per_day: _Amount | None = None
    watchlists: _Amount = 2
    watched: _Amount = 100
    webhooks: _Amount = 1
    stripe_price: _StripePrice | None = None
    yearly_price: _Amount | None = None
    stripe_yearly_price: _StripePrice | None = None


class _Anonymous(Struct, forbid_unknown_fields=True):
    public: _Amount
    type_ahead: _Amount
    pages: _Amount = 6_000


class _Table(Struct, forbid_unknown_fields=True):
    """The shape of `plans.toml`."""

    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")]
    plans: dict[Annotated[str, Meta(pattern="^[a-z][a-z0-9-]{0,19}$")], _Row]
    anonymous: _Anonymous
    terms: _Terms
    processors: list[_Processor] = []


def read_plans(path: Path = BUNDLED, *, at_stripe: bool = False) -> Plans:
    """Read a table like `plans.toml`, `at_stripe` one whose prices are there.

    Raises `Invalid("bad-plans")` naming the file and what is wrong.
    """
    try:
        table = msgspec.toml.decode(path.read_bytes(), type=_Table)
    except (OSError, ValueError) as error:  # what msgspec and the TOML reader raise are ValueErrors
        raise Invalid("bad-plans", file=str(path), reason=f"{type(error).__name__}: {error}") from error
    plans = {
        code: Plan(
            code=code,
            name=_text(row.name),
            rank=rank,
            price=row.price,
            per_minute=row.per_minute,
            per_day=row.per_day,
            rows_per_day=row.rows_per_day or row.per_day,
            watchlists=row.watchlists,
            watched=row.watched,
            webhooks=row.webhooks,
            keys=row.keys,
            features=frozenset(row.features),
            stripe_price=row.stripe_price,
            yearly_price=row.yearly_price,
            stripe_yearly_price=row.stripe_yearly_price,
        )
        for rank, (code, row) in enumerate(table.plans.items())
    }
    if FREE not in plans or plans[FREE].price or plans[FREE].rank:
        raise Invalid("bad-plans", file=str(path), reason="the first plan must be `free`, at price 0")
    unpriced = {plan.code: None for plan in plans.values() for *_, at in plan.prices() if not at}
    if at_stripe and unpriced:
        missing = ", ".join(unpriced)
        raise Invalid(
            "bad-plans", file=str(path), reason=f"`stripe_price` or `stripe_yearly_price` is missing: {missing}"
        )
    given = table.anonymous
    anonymous = Anonymous(
        Quota("public", given.public, 60), Quota("pages", given.pages, 60), Quota("type-ahead", given.type_ahead, 60)
    )
    processors = tuple(Processor(row.name, _text(row.task)) for row in table.processors)
    return Plans(plans, anonymous, table.currency, _text(table.terms), table.terms.version.isoformat(), processors)


def _text(words: _Words) -> Text:
    return Text(words.es, words.en)


class Standing(NamedTuple):
    """The plan that a subscription gives now, and when that may change (None: never)."""

    plan: str
    until: int | None


def standing(
    plan: str | None, state: str | None, ending: bool, period_end: int, failed_at: int | None, now: int
) -> Standing:
    """Return the plan that an account has at `now`.

    An active subscription gives its plan, until the end of the period if it will not be renewed. One whose payment
    failed gives it for `GRACE` seconds more. Everything else gives Free.

    Args:
        plan: Code of the plan that was bought, if any.
        ending: Whether it will not be renewed.
        period_end: End of the period that is paid, in seconds since the epoch.
        failed_at: Time of the first failed payment since the last good one.
        now: Seconds since the epoch.

    Returns:
        The plan, and when to compute it again.
    """
    if plan is None or state == "ended":
        return Standing(FREE, None)
    until = failed_at + GRACE if state == "past_due" and failed_at is not None else period_end if ending else None
    if until is not None and now >= until:
        return Standing(FREE, None)
    return Standing(plan, until)
