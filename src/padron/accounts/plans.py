"""Plans: what each costs, how often its keys may ask and what it opens. Data from `plans.toml`, and pure functions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal, NamedTuple

from padron.accounts.windows import Quota
from padron.errors import Invalid
from padron.model import Text

BUNDLED = Path(__file__).with_name("plans.toml")
FREE = "free"
GRACE = 7 * 86_400
"""Seconds a plan stays after a payment failed for the first time."""

Feature = Literal["financials", "batch"]

_CODE = re.compile(r"[a-z][a-z0-9-]{0,19}")


class Plan(NamedTuple):
    """One plan. `price` is per month in the smallest unit of the currency; `rank` orders plans from the least on."""

    code: str
    name: Text
    rank: int
    price: int
    per_minute: int
    per_day: int
    keys: int
    features: frozenset[Feature]


class Anonymous(NamedTuple):
    """The quotas of callers without a key, each of one address: the public interface, and suggestions while typing."""

    public: Quota
    type_ahead: Quota


class Plans(NamedTuple):
    """The plans on offer by code, what goes without one, their currency (ISO 4217) and the terms they are sold on."""

    by_code: dict[str, Plan]
    anonymous: Anonymous
    currency: str
    terms: Text

    def plan(self, code: str) -> Plan:
        """The plan of this code. Raises `Invalid("unknown-plan")`."""
        if code not in self.by_code:
            raise Invalid("unknown-plan", parameter="planId", known=tuple(self.by_code))
        return self.by_code[code]

    def opening(self, feature: str) -> tuple[Plan, ...]:
        """The plans that open a feature, the cheapest first."""
        return tuple(plan for plan in self.by_code.values() if feature in plan.features)


def read_plans(path: Path = BUNDLED) -> Plans:
    """The plans of a table like `plans.toml`. Raises `Invalid("bad-plans")` naming the file and what is wrong."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        plans = {code: _plan(code, rank, row) for rank, (code, row) in enumerate(document["plans"].items())}
        anonymous = _anonymous(**document["anonymous"])
        found = Plans(plans, anonymous, document["currency"], Text(**document["terms"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Invalid("bad-plans", file=str(path), reason=f"{type(error).__name__}: {error}") from error
    if FREE not in plans or plans[FREE].price or plans[FREE].rank:
        raise Invalid("bad-plans", file=str(path), reason="the first plan must be `free`, at price 0")
    return found


def _anonymous(public: int, type_ahead: int) -> Anonymous:
    """The row of callers without a key. Raises what shows it to be wrong."""
    if not all(isinstance(number, int) and number >= 1 for number in (public, type_ahead)):
        raise ValueError("the numbers of anonymous must be whole and positive")
    return Anonymous(Quota("public", public, 60), Quota("type-ahead", type_ahead, 60))


def _plan(code: str, rank: int, row: dict[str, object]) -> Plan:
    """One row of the table. Raises what shows it to be wrong."""
    if not _CODE.fullmatch(code):
        raise ValueError(f"plan code {code!r}")
    numbers = {name: row.pop(name) for name in ("price", "per_minute", "per_day", "keys")}
    if not all(isinstance(number, int) and number >= (name != "price") for name, number in numbers.items()):
        raise ValueError(f"the numbers of {code} must be whole and positive")
    name, features = row.pop("name"), row.pop("features")
    if row:
        raise ValueError(f"unknown in {code}: {', '.join(row)}")
    if not isinstance(features, list) or set(features) - {"financials", "batch"} or not isinstance(name, dict):
        raise ValueError(f"name or features of {code}")
    return Plan(code=code, name=Text(**name), rank=rank, features=frozenset(features), **numbers)  # type: ignore[arg-type]


class Standing(NamedTuple):
    """What a subscription comes to: the plan it gives now, and when to look again (None: never)."""

    plan: str
    until: int | None


def standing(
    plan: str | None, state: str | None, ending: bool, period_end: int, failed_at: int | None, now: int
) -> Standing:
    """The plan an account has at `now`.

    An active subscription gives its plan (one that will not be renewed until the end of the period); one whose payment
    failed gives it for `GRACE` seconds more; everything else gives Free.
    """
    if plan is None or state == "ended":
        return Standing(FREE, None)
    until = failed_at + GRACE if state == "past_due" and failed_at is not None else period_end if ending else None
    if until is not None and now >= until:
        return Standing(FREE, None)
    return Standing(plan, until)
