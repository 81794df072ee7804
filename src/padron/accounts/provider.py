"""The plans on offer and the payment provider, as the settings choose them."""

from __future__ import annotations

from padron.accounts.billing import Provider, Stripe
from padron.accounts.plans import BUNDLED, Plans, read_plans
from padron.accounts.sandbox import Sandbox
from padron.accounts.secret import Secret
from padron.accounts.store import Store
from padron.config import Settings


def plans_of(settings: Settings) -> Plans:
    """Return the plans on offer. Raises `Invalid("bad-plans")`, also for Stripe without its prices."""
    path = settings.accounts.plans or BUNDLED
    return read_plans(path, at_stripe=settings.billing.chosen == "stripe")


def provider_of(settings: Settings, store: Store, secret: Secret, plans: Plans) -> Provider | None:
    """Return the payment provider, or None if nothing is for sale."""
    billing = settings.billing
    name = billing.chosen or ("sandbox" if settings.is_local else "none")
    if name == "sandbox":
        return Sandbox(store, secret, settings.base_url, local=billing.chosen is None)
    if name == "none":
        return None
    key, webhook_secret = billing.stripe_key, billing.stripe_webhook_secret
    assert key, "config.load lets Stripe through only with both secrets"
    assert webhook_secret
    return Stripe(
        key,
        webhook_secret,
        billing.stripe_url,
        plans,
        settings.base_url,
        secret,
        coupons=billing.coupons,
    )
