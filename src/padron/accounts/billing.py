"""The seam to whoever takes the money, and Stripe behind it. What stands in for it is `accounts.sandbox`."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NamedTuple, Protocol

import stripe

from padron.accounts.plans import Plan, Plans
from padron.errors import Denied, Unavailable
from padron.model import Language

State = Literal["active", "past_due", "ended"]
"""Of a subscription: paid, a payment failed, over."""
REPLAY: Final = 300
"""Seconds for which a signed event is taken; an older one is a replay."""


class Buyer(NamedTuple):
    """Who buys: the account, its address, and its id with the provider once it has one."""

    account: str
    address: str
    customer: str | None


class Started(NamedTuple):
    """A checkout as the provider began it."""

    reference: str
    url: str
    expires_at: int


class Outcome(NamedTuple):
    """What became of a checkout, and the subscription it led to."""

    state: Literal["open", "completed", "cancelled", "expired"]
    subscription: str | None


class Subscribed(NamedTuple):
    """A subscription as the provider has it now. `ending`: it will not be renewed at `period_end`."""

    reference: str
    account: str
    customer: str | None
    plan: str
    state: State
    ending: bool
    period_end: int


class Event(NamedTuple):
    """A verified event: which checkout or subscription to look at."""

    id: str
    kind: str
    checkout: str | None
    subscription: str | None


class Provider(Protocol):
    """Takes the money. Every method raises `Unavailable("billing-unavailable")` while it cannot be reached."""

    @property
    def name(self) -> str:
        """What its rows are told by."""

    def start(self, checkout: str, buyer: Buyer, plan: Plan, language: Language) -> Started:
        """Begin a checkout; the same `checkout` again gives the same one."""

    def outcome(self, reference: str) -> Outcome:
        """What became of a checkout."""

    def subscription(self, reference: str) -> Subscribed | None:
        """A subscription as it is now; None for one that is not of this service."""

    def end(self, reference: str) -> None:
        """End a subscription now and credit what is left of it; one that has ended stays so."""

    def portal(self, customer: str, language: Language) -> str:
        """The address of the page where a customer cancels."""

    def event(self, body: bytes, signature: str) -> Event:
        """Verify an event. Raises `Denied("bad-signature")` for a wrong signature and for an old one."""


class Stripe:
    """Stripe Billing: Checkout in subscription mode, prices from the plan table, the customer portal, webhooks."""

    name = "stripe"

    def __init__(self, key: str, webhook_secret: str, url: str, plans: Plans, base_url: str) -> None:
        self._client = stripe.StripeClient(
            key, base_addresses={"api": url}, max_network_retries=2, http_client=stripe.RequestsClient(timeout=20)
        )
        self._webhook_secret = webhook_secret
        self._plans = plans
        self._base_url = base_url

    def start(self, checkout: str, buyer: Buyer, plan: Plan, language: Language) -> Started:
        """As `Provider.start`: a Checkout Session, made under the checkout's id as idempotency key."""
        labels = {"padron_account": buyer.account, "padron_plan": plan.code}
        page = f"{self._base_url}/{language}/account/plan"
        params: Any = {
            "mode": "subscription",
            "client_reference_id": buyer.account,
            "metadata": labels | {"padron_checkout": checkout},
            "subscription_data": {"metadata": labels},
            "line_items": [
                {
                    "quantity": 1,
                    "price_data": {
                        "currency": self._plans.currency.lower(),
                        "unit_amount": plan.price,
                        "recurring": {"interval": "month"},
                        "product_data": {"name": f"Padrón {plan.name.of(language)}"},
                    },
                }
            ],
            "locale": language,
            "success_url": f"{page}?checkout=completed",
            "cancel_url": f"{page}?checkout=cancelled",
            **({"customer": buyer.customer} if buyer.customer else {"customer_email": buyer.address}),
        }
        session = self._ask(lambda: self._client.v1.checkout.sessions.create(params, {"idempotency_key": checkout}))
        return Started(session.id, session.url, session.expires_at)

    def outcome(self, reference: str) -> Outcome:
        """As `Provider.outcome`."""
        session = self._find(lambda: self._client.v1.checkout.sessions.retrieve(reference))
        if session is None:
            return Outcome("expired", None)
        states: dict[str | None, Literal["open", "completed", "expired"]] = {
            "complete": "completed",
            "expired": "expired",
        }
        return Outcome(states.get(session.status, "open"), _id(session.subscription))

    def subscription(self, reference: str) -> Subscribed | None:
        """As `Provider.subscription`."""
        found = self._find(lambda: self._client.v1.subscriptions.retrieve(reference))
        labels = (found and found.metadata) or {}
        if "padron_account" not in labels:
            return None
        states: dict[str, State] = {
            "active": "active",
            "trialing": "active",
            "past_due": "past_due",
            "unpaid": "past_due",
        }
        return Subscribed(
            reference=found.id,
            account=labels["padron_account"],
            customer=_id(found.customer),
            plan=labels["padron_plan"],
            state=states.get(found.status, "ended"),
            ending=bool(found.cancel_at_period_end or found.cancel_at),
            period_end=max(item.current_period_end for item in found["items"].data),
        )

    def end(self, reference: str) -> None:
        """As `Provider.end`."""
        self._find(lambda: self._client.v1.subscriptions.cancel(reference, {"prorate": True, "invoice_now": True}))

    def portal(self, customer: str, language: Language) -> str:
        """As `Provider.portal`."""
        params: Any = {
            "customer": customer,
            "locale": language,
            "return_url": f"{self._base_url}/{language}/account/plan",
        }
        return str(self._ask(lambda: self._client.v1.billing_portal.sessions.create(params)).url)

    def event(self, body: bytes, signature: str) -> Event:
        """As `Provider.event`; the kinds that say nothing of a checkout or subscription point to neither."""
        try:
            event = self._client.construct_event(body, signature, self._webhook_secret, tolerance=REPLAY)
        except (stripe.SignatureVerificationError, ValueError) as error:
            raise Denied("bad-signature") from error
        thing = json.loads(body)["data"]["object"]
        if event.type.startswith("checkout.session."):
            return Event(event.id, event.type, thing["id"], None)
        if event.type.startswith("customer.subscription."):
            return Event(event.id, event.type, None, thing["id"])
        if event.type.startswith("invoice."):
            return Event(event.id, event.type, None, _subscription_of(thing))
        return Event(event.id, event.type, None, None)

    def _find(self, call: Any) -> Any:
        """As `_ask`; None where Stripe knows no such thing (any more, or in this account of its)."""
        try:
            return self._ask(call)
        except stripe.InvalidRequestError as error:
            if error.code == "resource_missing":
                return None
            raise

    @staticmethod
    def _ask(call: Any) -> Any:
        """The answer of Stripe. Raises `Unavailable` where none came or it could not be given just now."""
        try:
            return call()
        except (stripe.APIConnectionError, stripe.RateLimitError, stripe.APIError) as error:
            raise Unavailable("billing-unavailable") from error


def _id(thing: Any) -> str | None:
    """The id of something that Stripe gives by id or, when it was asked to, whole."""
    return thing if thing is None or isinstance(thing, str) else thing.id


def _subscription_of(invoice: dict[str, Any]) -> str | None:
    """The subscription an invoice is for (`parent.subscription_details`, since API version 2025-03-31)."""
    details = (invoice.get("parent") or {}).get("subscription_details") or {}
    subscription: str | None = details.get("subscription")
    return subscription
