"""The sandbox: a payment provider without money, for development. Its pages are in `web.sandbox`.

It keeps its own records (the table `sandbox`), as Stripe does on its servers, and sends signed events to the same
endpoint. A subscription lasts thirty days and renews itself.
"""

from __future__ import annotations

import hmac
import re
from secrets import token_hex
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import delete, select, update

from padron.accounts.billing import REPLAY, Buyer, CheckoutResult, Event, Invoice, ProviderSubscription, StartedCheckout
from padron.accounts.plans import Period, Plan
from padron.accounts.secret import Secret
from padron.accounts.store import SANDBOX, Store, inserting, sandbox
from padron.errors import Denied, NotFound
from padron.words import Language

PERIODS: Final[dict[Period, int]] = {"month": 30 * 86_400, "year": 365 * 86_400}
"""Seconds of a paid period."""
_OPEN_FOR: Final = 24 * 3_600
_REFERENCE: Final = re.compile(r"sbx_chk_[0-9a-f]{24}")

Move = Literal["complete", "abandon", "cancel", "fail", "pay"]

_MOVES: Final[dict[Move, tuple[tuple[str, ...], dict[str, Any], str]]] = {
    "complete": (("open",), {"state": "active"}, "checkout.completed"),
    "abandon": (("open",), {"state": "cancelled"}, "checkout.cancelled"),
    "cancel": (("active", "past_due"), {"ending": True}, "subscription.updated"),
    "fail": (("active",), {"state": "past_due"}, "payment.failed"),
    "pay": (("past_due",), {"state": "active"}, "payment.made"),
}
"""Button of its pages -> the states in which it works, the values it sets, and the event it sends."""


class Sandbox:
    """A `Provider`. A checkout and the subscription it leads to share one id; the customer is the account.

    One that the operator did not choose is `local`: its pages answer browsers of this machine only.
    """

    name = SANDBOX

    def __init__(self, store: Store, secret: Secret, base_url: str, *, local: bool) -> None:
        self.local = local
        self._store = store
        self._secret = secret
        self._base_url = base_url

    def customer(self, buyer: Buyer) -> str | None:
        """Implement `Provider.customer`: there is one from the first payment on."""
        return buyer.customer

    def start(self, checkout: str, buyer: Buyer, plan: Plan, period: Period, language: Language) -> StartedCheckout:
        """Implement `Provider.start`.

        Args:
            period: How often it is paid; one of the periods of its prices.
        """
        reference, ends = f"sbx_{checkout}", self._store.now() + _OPEN_FOR
        with self._store.writing() as connection:
            values = {"id": reference, "account": buyer.account, "plan": plan.code, "period": period, "state": "open"}
            times = {"ending": False, "expires_at": ends, "period_end": 0}
            make = inserting(connection, sandbox).values(values | times)
            connection.execute(make.on_conflict_do_nothing(index_elements=["id"]))
            expires_at = connection.execute(select(sandbox.c.expires_at).where(sandbox.c.id == reference)).scalar_one()
        url = f"{self._base_url}/sandbox/checkout/{reference}?language={language}"
        return StartedCheckout(reference, url, expires_at)

    def result(self, reference: str) -> CheckoutResult:
        row = self.row(reference)
        if row.state == "open":
            return CheckoutResult("open" if self._store.now() < row.expires_at else "expired", None)
        return CheckoutResult("cancelled", None) if row.state == "cancelled" else CheckoutResult("completed", reference)

    def subscription(self, reference: str) -> ProviderSubscription | None:
        row = self.row(reference)
        now, end = self._store.now(), row.period_end
        over = row.state == "ended" or (row.ending and end <= now)
        if not row.ending and 0 < end <= now:
            seconds = PERIODS[row.period]
            end += (now - end) // seconds * seconds + seconds
        state: Literal["active", "past_due", "ended"] = "ended" if over else row.state
        return ProviderSubscription(
            reference, self._secret.deployment, row.account, row.account, row.plan, state, row.ending, end, row.period
        )

    def end(self, reference: str) -> None:
        with self._store.writing() as connection:
            connection.execute(update(sandbox).where(sandbox.c.id == reference).values(state="ended"))

    def resume(self, reference: str) -> None:
        running = (sandbox.c.id == reference, sandbox.c.state.in_(("active", "past_due")))
        with self._store.writing() as connection:
            due = sandbox.c.period_end > self._store.now()
            connection.execute(update(sandbox).where(*running, due).values(ending=False))

    def delete_customer(self, customer: str) -> bool:
        with self._store.writing() as connection:
            connection.execute(delete(sandbox).where(sandbox.c.account == customer, sandbox.c.state != "open"))
        return True

    def wrong_prices(self) -> list[str]:
        """Implement `Provider.wrong_prices`: no money moves."""
        return []

    def portal(self, customer: str, language: Language) -> str:
        """Implement `Provider.portal`: the page of the customer's running subscription."""
        with self._store.reading() as connection:
            running = select(sandbox.c.id).where(
                sandbox.c.account == customer, sandbox.c.state.in_(("active", "past_due"))
            )
            reference = connection.execute(running.order_by(sandbox.c.period_end.desc()).limit(1)).scalar_one_or_none()
        if reference is None:
            raise NotFound("no-subscription")
        return f"{self._base_url}/sandbox/portal/{reference}?language={language}"

    def invoices(self, customer: str) -> list[Invoice]:
        """Implement `Provider.invoices`: nothing is paid."""
        return []

    def payer(self, charge: str) -> str | None:
        """Implement `Provider.payer`: nothing is paid."""
        return None

    def event(self, body: bytes, signature: str) -> Event:
        at, _, digest = signature.partition(",")
        good = hmac.compare_digest(digest, self._secret.digest("sandbox", f"{at}.{body.decode('latin-1')}"))
        if not good or not at.isdigit() or abs(self._store.now() - int(at)) > REPLAY:
            raise Denied("bad-signature")
        event = msgspec.json.decode(body)
        checkout = event["kind"].startswith("checkout.")
        reference = event["reference"]
        return Event(event["id"], event["kind"], reference if checkout else None, None if checkout else reference)

    def row(self, reference: str) -> Any:
        """Return the record of a checkout or subscription. Raises `NotFound("no-such-address")`."""
        row = None
        if _REFERENCE.fullmatch(reference):
            with self._store.reading() as connection:
                row = connection.execute(sandbox.select().where(sandbox.c.id == reference)).one_or_none()
        if row is None:
            raise NotFound("no-such-address")
        return row

    def move(self, reference: str, move: Move) -> tuple[bytes, str] | None:
        """Do what a button of its pages says, and return the event to send with its signature.

        None if the button does not work in the present state; a button pressed twice does nothing the second time.
        """
        states, change, kind = _MOVES[move]
        now = self._store.now()
        seconds = PERIODS[self.row(reference).period]
        values = change | ({"period_end": now + seconds} if move == "complete" else {})
        which = [sandbox.c.id == reference, sandbox.c.state.in_(states)]
        if move == "complete":
            which.append(sandbox.c.expires_at > now)
        with self._store.writing() as connection:
            if connection.execute(update(sandbox).where(*which).values(values)).rowcount != 1:
                return None
        body = msgspec.json.encode({"id": f"evt_{token_hex(12)}", "kind": kind, "reference": reference})
        return body, self.sign(body, now)

    def sign(self, body: bytes, at: int) -> str:
        """Return the signature of an event sent at a time."""
        return f"{at},{self._secret.digest('sandbox', f'{at}.{body.decode()}')}"
