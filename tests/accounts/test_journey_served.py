"""The whole way of a developer over real HTTP and two workers: with the sandbox, and with Stripe's stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from account_service import both, served, sign_up
from fake_stripe import FakeStripe
from waiting import until

EVENTS = "/api/subscriptions/events"
FINANCIALS = "/api/v1/entities/BR/33000167000101/financials"


@pytest.fixture
def stripe() -> Iterator[FakeStripe]:
    fake = FakeStripe()
    yield fake
    fake.close()


def wait_for_status(base: str, key: str, status: int) -> None:
    """Wait until financials answer so on twenty connections of their own, hence on every worker."""
    until(lambda: {httpx2.get(base + FINANCIALS, headers=both(key)).status_code for _ in range(20)} == {status})


def test_with_the_sandbox(tmp_path: Path) -> None:
    with served(tmp_path, 2, PADRON_LIMITS__ENABLED="0") as (_, base), httpx2.Client(base_url=base) as client:
        key = sign_up(client, tmp_path)
        assert client.get("/api/v1/search?q=petroleo", headers=both(key)).json()["bestMatch"]["countryCode"] == "BR"
        assert client.get(FINANCIALS, headers=both(key)).json()["code"] == "plan-required"
        begun = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key))
        assert begun.status_code == 201
        assert client.get(begun.json()["checkoutUrl"]).status_code == 200
        assert client.post(begun.json()["checkoutUrl"], data={"move": "complete"}).status_code == 200
        wait_for_status(base, key, 200)
        place = client.post("/api/account/portal").json()["url"]
        assert client.post(place, data={"move": "cancel"}).status_code == 200
        assert client.get("/api/account").json()["subscription"]["ending"] is True


def test_with_stripe(tmp_path: Path, stripe: FakeStripe) -> None:
    billing = {"PADRON_LIMITS__ENABLED": "0", **stripe.settings(tmp_path)}
    with served(tmp_path, 2, **billing) as (_, base), httpx2.Client(base_url=base) as client:

        def tell(kind: str, thing: dict[str, object]) -> None:
            body, signature = stripe.event(kind, thing)
            assert client.post(EVENTS, content=body, headers={"stripe-signature": signature}).status_code == 204

        key = sign_up(client, tmp_path)
        assert client.get(FINANCIALS, headers=both(key)).status_code == 403
        begun = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key)).json()
        session = begun["checkoutUrl"].rsplit("/", 1)[1]
        subscription = stripe.pay(session)
        tell("checkout.session.completed", stripe.sessions[session])
        wait_for_status(base, key, 200)
        assert client.post("/api/account/portal").json()["url"].startswith(stripe.url)
        stripe.subscriptions[subscription]["status"] = "canceled"
        tell("customer.subscription.deleted", stripe.subscriptions[subscription])
        wait_for_status(base, key, 403)
