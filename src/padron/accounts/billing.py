"""The interface of payment providers, and Stripe behind it. `accounts.sandbox` implements it without money."""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from typing import Annotated, Any, Final, Literal, NamedTuple, Protocol

import msgspec
import stripe
from msgspec import Meta, Struct

from padron.accounts.plans import Period, Plan, Plans
from padron.accounts.secret import Secret
from padron.errors import Denied, Invalid, Unavailable
from padron.words import Language

State = Literal["active", "past_due", "ended"]
"""State of a subscription: paid, a payment failed, over."""
InvoiceState = Literal["open", "paid", "uncollectible", "void"]
REPLAY: Final = 300
"""Seconds for which a signed event is accepted; an older one is a replay."""


class Buyer(NamedTuple):
    """A buyer: the account, its address, and its customer id with the provider once it has one."""

    account: str
    address: str
    customer: str | None


class StartedCheckout(NamedTuple):
    """A checkout that the provider has started."""

    reference: str
    url: str
    expires_at: int


class CheckoutResult(NamedTuple):
    """State of a checkout, and the subscription it led to."""

    state: Literal["open", "completed", "cancelled", "expired"]
    subscription: str | None


class ProviderSubscription(NamedTuple):
    """A subscription as the provider has it now. `ending`: it will not be renewed at `period_end`.

    `deployment` is the id (`Secret.deployment`) of the deployment that sold it: several may share one provider. One
    that lacks our labels has none, and an empty account and plan: no deployment sold it, or somebody removed them.
    """

    reference: str
    deployment: str | None
    account: str
    customer: str | None
    plan: str
    state: State
    ending: bool
    period_end: int
    period: Period


class Invoice(NamedTuple):
    """An invoice: its total in the smallest unit of the currency, with taxes, and the addresses of its page and file.

    `issued_at` is in seconds since the epoch, `currency` a code of ISO 4217.
    """

    number: str
    issued_at: int
    total: int
    currency: str
    state: InvoiceState
    page: str | None
    pdf: str | None


class ReturnedPayment(NamedTuple):
    """A payment that was refunded, or that the holder of the card disputes."""

    charge: str
    why: Literal["payment-refunded", "payment-disputed"]


class Event(NamedTuple):
    """A verified event, and what it is about: a checkout, a subscription, or a payment that was returned."""

    id: str
    kind: str
    checkout: str | None
    subscription: str | None
    returned: ReturnedPayment | None = None


class Provider(Protocol):
    """A payment provider.

    Every method raises `Unavailable`: `billing-unavailable` while it cannot be reached, `billing-refused` if it refuses
    our settings, or knows neither an object nor the prices of the plans: the key is that of another mode or account.
    """

    @property
    def name(self) -> str:
        """The name of the provider in the database."""

    def customer(self, buyer: Buyer) -> str | None:
        """Return the customer of a buyer: the one it has if the provider still knows it, else a new one.

        It has the present address of the buyer. The same buyer again is the same new one. None if the provider makes
        one with the first payment.
        """

    def start(self, checkout: str, buyer: Buyer, plan: Plan, period: Period, language: Language) -> StartedCheckout:
        """Start a checkout for a buyer with its `customer`.

        Args:
            checkout: Our id of the checkout; the same arguments again give the same checkout.
            period: How often it is paid; one of the periods of its prices.
        """

    def result(self, reference: str) -> CheckoutResult:
        """Return the state of a checkout."""

    def subscription(self, reference: str) -> ProviderSubscription | None:
        """Return a subscription as it is now; None for one that it does not know, or that ended without our labels."""

    def end(self, reference: str) -> None:
        """End a subscription now and credit what is left of it; one that has ended stays ended."""

    def resume(self, reference: str) -> None:
        """Renew a subscription again that was cancelled and has not ended; any other stays as it is."""

    def delete_customer(self, customer: str) -> bool:
        """Delete a customer and end what is left of subscriptions and checkouts, if all are of this deployment.

        Return whether it is deleted now: a copy of a database knows the customers of the deployment it was copied from.
        """

    def wrong_prices(self) -> list[str]:
        """Return the codes of the plans that the provider would not sell at the price in the table of plans."""

    def portal(self, customer: str, language: Language) -> str | None:
        """Return the address of the page where a customer cancels; None for one that the provider does not know."""

    def invoices(self, customer: str) -> list[Invoice]:
        """Return the latest invoices of a customer, 100 at most, the newest first."""

    def payer(self, charge: str) -> str | None:
        """Return the customer who made a payment."""

    def event(self, body: bytes, signature: str) -> Event:
        """Verify an event with a signature in ASCII.

        Raises `Denied("bad-signature")` for a wrong signature and for an old one; `Invalid("bad-event")`.
        """


class Stripe:
    """Stripe Billing: Checkout in subscription mode, the customer portal, webhooks.

    Prices are fixed ones at Stripe, which the table of plans names. Stripe Tax computes the taxes that are added, by
    the address of the buyer, who can also state a tax number.
    """

    name = "stripe"

    def __init__(
        self,
        key: str,
        webhook_secret: str,
        url: str,
        plans: Plans,
        base_url: str,
        secret: Secret,
        *,
        coupons: bool = False,
    ) -> None:
        self._client = stripe.StripeClient(
            key, base_addresses={"api": url}, max_network_retries=2, http_client=stripe.RequestsClient(timeout=20)
        )
        self._webhook_secret = webhook_secret
        self._plans = plans
        self._base_url = base_url
        self._secret = secret
        self._coupons = coupons

    def customer(self, buyer: Buyer) -> str | None:
        """Implement `Provider.customer`.

        Stripe has no customer of its test mode in live mode, nor of another account, and shows deleted ones as such.
        The idempotency key names the one that is replaced: else Stripe would repeat that for a day.
        """
        if buyer.customer is not None:
            customer = buyer.customer
            known = self._find(lambda: self._client.v1.customers.retrieve(customer))
            if known is not None and not getattr(known, "deleted", False):
                if known.email != buyer.address:
                    self._call(lambda: self._client.v1.customers.update(customer, {"email": buyer.address}))
                return customer
        params: Any = {
            "email": buyer.address,
            "metadata": {"padron_account": buyer.account, "padron_deployment": self._secret.deployment},
        }
        key = _idempotency_key(params, buyer.customer)
        return str(self._call(lambda: self._client.v1.customers.create(params, {"idempotency_key": key})).id)

    def start(self, checkout: str, buyer: Buyer, plan: Plan, period: Period, language: Language) -> StartedCheckout:
        """Create a Checkout Session.

        The idempotency key is of all parameters: for a day Stripe refuses other ones with a key that it has seen, as
        where a checkout is tried again and its customer had to be replaced.

        Args:
            period: How often it is paid; one of the periods of its prices.
        """
        labels = {
            "padron_account": buyer.account,
            "padron_plan": plan.code,
            "padron_deployment": self._secret.deployment,
        }
        page = f"{self._base_url}/{language}/account/plan"
        prices = {kind: reference for kind, _, reference in plan.prices()}
        params: Any = {
            "mode": "subscription",
            "client_reference_id": buyer.account,
            "metadata": labels | {"padron_checkout": checkout},
            "subscription_data": {"metadata": labels},
            "line_items": [{"quantity": 1, "price": prices[period]}],
            "automatic_tax": {"enabled": True},
            "billing_address_collection": "required",
            "tax_id_collection": {"enabled": True},
            **({"allow_promotion_codes": True} if self._coupons else {}),
            "locale": language,
            "success_url": f"{page}?checkout=completed",
            "cancel_url": f"{page}?checkout=cancelled",
            "customer": buyer.customer,
            "customer_update": {"address": "auto", "name": "auto"},
        }
        key = _idempotency_key(params)
        session = self._call(lambda: self._client.v1.checkout.sessions.create(params, {"idempotency_key": key}))
        return StartedCheckout(session.id, session.url, session.expires_at)

    def result(self, reference: str) -> CheckoutResult:
        session = self._find(lambda: self._client.v1.checkout.sessions.retrieve(reference))
        if session is None:
            return CheckoutResult("expired", None)
        states: dict[str | None, Literal["open", "completed", "expired"]] = {
            "complete": "completed",
            "expired": "expired",
        }
        return CheckoutResult(states.get(session.status, "open"), _id(session.subscription))

    def subscription(self, reference: str) -> ProviderSubscription | None:
        answer = self._find(lambda: self._client.v1.subscriptions.retrieve(reference))
        if answer is None:
            return None
        labels = _labels(answer)
        if "padron_account" not in labels or "padron_plan" not in labels:
            labels = {}
        states: dict[str, State] = {
            "active": "active",
            "trialing": "active",
            "past_due": "past_due",
            "unpaid": "past_due",
        }
        state = states.get(answer.status, "ended")
        if not labels and state == "ended":
            return None
        return ProviderSubscription(
            reference=answer.id,
            deployment=labels.get("padron_deployment"),
            account=labels.get("padron_account", ""),
            customer=_id(answer.customer),
            plan=labels.get("padron_plan", ""),
            state=state,
            ending=bool(answer.cancel_at_period_end or answer.cancel_at),
            period_end=max(item.current_period_end for item in answer["items"].data),
            period="year" if answer["items"].data[0].price.recurring.interval == "year" else "month",
        )

    def end(self, reference: str) -> None:
        self._find(lambda: self._client.v1.subscriptions.cancel(reference, {"prorate": True, "invoice_now": True}))

    def resume(self, reference: str) -> None:
        """Implement `Provider.resume`; a cancellation is at the end of the period, or at a time of its own."""
        answer = self._call(lambda: self._client.v1.subscriptions.retrieve(reference))
        params: Any = {"cancel_at_period_end": False} if answer.cancel_at_period_end else {"cancel_at": ""}
        self._call(lambda: self._client.v1.subscriptions.update(reference, params))

    def delete_customer(self, customer: str) -> bool:
        """Implement `Provider.delete_customer`: address, tax number and card go, invoices stay, as the law demands.

        A customer has the label of the deployment that made it; one that Stripe made with a payment has none.
        """
        params: Any = {"customer": customer, "limit": 100}
        known = self._find(lambda: self._client.v1.customers.retrieve(customer))
        if getattr(known, "deleted", False):
            return True
        own = _labels(known)
        sold = self._find(lambda: self._client.v1.subscriptions.list(params | {"status": "all"}))
        sellers = {_labels(subscription).get("padron_deployment") for subscription in sold.data} if sold else set()
        if sellers | ({own["padron_deployment"]} if "padron_deployment" in own else set()) != {self._secret.deployment}:
            return False
        opened = self._find(lambda: self._client.v1.checkout.sessions.list(params | {"status": "open"}))
        for session in opened.data if opened else []:
            self._find(partial(self._client.v1.checkout.sessions.expire, session.id))
        self._find(lambda: self._client.v1.customers.delete(customer))
        return True

    def wrong_prices(self) -> list[str]:
        """Implement `Provider.wrong_prices`: amount, currency, period, taxes on top."""
        return [
            plan.code
            for plan in self._plans.by_code.values()
            if not all(self._sells(*price) for price in plan.prices())
        ]

    def _sells(self, period: Period, amount: int, reference: str | None) -> bool:
        price = self._price(reference)
        return price is not None and (
            price.active,
            price.unit_amount,
            price.currency,
            price.tax_behavior,
            price.recurring and (price.recurring.interval, price.recurring.interval_count),
        ) == (True, amount, self._plans.currency.lower(), "exclusive", (period, 1))

    def _price(self, reference: str | None) -> Any:
        return _existing(lambda: self._client.v1.prices.retrieve(str(reference)))

    def portal(self, customer: str, language: Language) -> str | None:
        params: Any = {
            "customer": customer,
            "locale": language,
            "return_url": f"{self._base_url}/{language}/account/plan",
        }
        session = self._find(lambda: self._client.v1.billing_portal.sessions.create(params))
        return str(session.url) if session is not None else None

    def invoices(self, customer: str) -> list[Invoice]:
        """Implement `Provider.invoices`: all but drafts, which have no number."""
        params: Any = {"customer": customer, "limit": 100}
        listed = self._find(lambda: self._client.v1.invoices.list(params))
        return [
            Invoice(
                number=invoice.number,
                issued_at=invoice.created,
                total=invoice.total,
                currency=invoice.currency.upper(),
                state=invoice.status,
                page=invoice.hosted_invoice_url,
                pdf=invoice.invoice_pdf,
            )
            for invoice in (listed.data if listed else [])
            if invoice.number and invoice.status != "draft"
        ]

    def payer(self, charge: str) -> str | None:
        answer = self._find(lambda: self._client.v1.charges.retrieve(charge))
        return _id(answer.customer) if answer is not None else None

    def event(self, body: bytes, signature: str) -> Event:
        """Implement `Provider.event`; an event about anything else names nothing."""
        try:
            stripe.WebhookSignature.verify_header(body, signature, self._webhook_secret, REPLAY)
        except (stripe.SignatureVerificationError, ValueError) as error:
            raise Denied("bad-signature") from error
        try:
            event = msgspec.json.decode(body, type=_Event)
            subject, checkout, subscription, returned = event.data.object, None, None, None
            if event.type.startswith("checkout.session."):
                checkout = msgspec.json.decode(subject, type=_Subject).id
            elif event.type.startswith("customer.subscription."):
                subscription = msgspec.json.decode(subject, type=_Subject).id
            elif event.type.startswith("invoice."):
                subscription = msgspec.json.decode(subject, type=_InvoiceSubject).subscription
            elif event.type == "charge.refunded":
                returned = ReturnedPayment(msgspec.json.decode(subject, type=_Subject).id, "payment-refunded")
            elif event.type == "charge.dispute.created":
                returned = ReturnedPayment(msgspec.json.decode(subject, type=_Dispute).charge, "payment-disputed")
        except (ValueError, RecursionError) as error:
            raise Invalid("bad-event") from error
        return Event(event.id, event.type, checkout, subscription, returned)

    def _find(self, call: Any) -> Any:
        """Call Stripe; None if it has no such object (any more).

        Raises `Unavailable("billing-refused")` if it lacks one of the prices, too. Stripe knows nothing of ours by the
        key of another mode or account, but those prices belong to the right one, and are never deleted once sold.
        """
        answer = _existing(call)
        if answer is None:
            references = [reference for plan in self._plans.by_code.values() for _, _, reference in plan.prices()]
            if any(self._price(reference) is None for reference in references):
                raise Unavailable("billing-refused")
        return answer

    @staticmethod
    def _call(call: Any) -> Any:
        """Call Stripe. Raises `Unavailable`: `billing-unavailable`, `billing-refused`."""
        try:
            return call()
        except stripe.StripeError as error:
            raise _failure(error) from error


def _existing(call: Any) -> Any:
    """Call Stripe; None if it has no such object by this key."""
    try:
        return call()
    except stripe.StripeError as error:
        if error.code == "resource_missing":
            return None
        raise _failure(error) from error


def _idempotency_key(*parameters: Any) -> str:
    """A key that is the same for the same parameters, and only for them."""
    return blake2b(repr(parameters).encode(), digest_size=16).hexdigest()


def _id(reference: Any) -> str | None:
    """The id of an object that Stripe sends as id or, on request, whole."""
    return reference if reference is None or isinstance(reference, str) else reference.id


def _labels(thing: Any) -> dict[str, str]:
    """The metadata of an object; none of one that is not there, or was deleted."""
    metadata = getattr(thing, "metadata", None)
    return metadata.to_dict() if metadata else {}


def _failure(error: stripe.StripeError) -> Unavailable:
    """The error of a call that failed: Stripe cannot at present, or it refuses what our settings made us ask."""
    passing = (stripe.APIConnectionError, stripe.RateLimitError, stripe.IdempotencyError, stripe.APIError)
    return Unavailable("billing-unavailable" if isinstance(error, passing) else "billing-refused")


_Reference = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,80}\Z")]


class _Data(Struct):
    object: msgspec.Raw


class _Event(Struct):
    """The part of an event that is read. Its subject depends on its type."""

    id: _Reference
    type: Annotated[str, Meta(pattern=r"^[a-z0-9_.]{1,60}\Z")]
    data: _Data


class _Subject(Struct):
    id: _Reference


class _Dispute(Struct):
    charge: _Reference


class _Details(Struct):
    subscription: _Reference | None = None


class _Parent(Struct):
    subscription_details: _Details | None = None


class _InvoiceSubject(Struct):
    """An invoice; its subscription is in `parent.subscription_details` since API version 2025-03-31."""

    parent: _Parent | None = None

    @property
    def subscription(self) -> str | None:
        """The subscription it is for, if any."""
        details = self.parent.subscription_details if self.parent else None
        return details.subscription if details else None
