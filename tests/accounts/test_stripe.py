"""Stripe: the journey against a server with its shapes, and every way in which events can arrive.

What no stand-in proves: that Stripe itself accepts these requests and sends these events (`docs/billing.md`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient
from stripe import RequestsClient

import servers
from account_service import PASSWORD, Holder, account_service, both, enrol, letters
from account_service import buy as buy_in_sandbox
from fake_stripe import WEBHOOK_SECRET, FakeStripe, priced_plans, sign
from padron import threads
from padron.accounts import admin
from padron.accounts.billing import Buyer, Stripe
from padron.accounts.plans import BUNDLED, read_plans
from padron.accounts.secret import Secret
from padron.accounts.store import accounts, subscriptions, tombstones
from padron.errors import Invalid, Unavailable
from ports import free_port
from waiting import PATIENCE, until

EVENTS = "/api/subscriptions/events"
USAGE = "/api/v1/usage"
FINANCIALS = "/api/v1/entities/BR/33000167000101/financials"


@pytest.fixture
def stripe() -> Iterator[FakeStripe]:
    fake = FakeStripe()
    yield fake
    fake.close()


@pytest.fixture
def client(tmp_path: Path, store_url: str, stripe: FakeStripe) -> Iterator[TestClient]:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url, **stripe.settings(tmp_path)) as client:
        yield client


def buy(holder: Holder, plan: str = "pro") -> str:
    """Begin a checkout; gives Stripe's id of the session."""
    response = holder.client.post("/api/account/checkout", json={"planId": plan})
    assert response.status_code == 201, response.text
    return response.json()["checkoutUrl"].rsplit("/", 1)[1]


def deliver(client: TestClient, event: tuple[bytes, str]) -> int:
    return client.post(EVENTS, content=event[0], headers={"stripe-signature": event[1]}).status_code


def plan(holder: Holder) -> str:
    return holder.client.get("/api/account").json()["plan"]


def test_the_whole_way(holder: Holder, stripe: FakeStripe) -> None:
    client, key = holder.client, holder.key()
    assert client.get(FINANCIALS, headers=both(key)).status_code == 403
    begun = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key))
    assert begun.status_code == 201
    session = begun.json()["checkoutUrl"].rsplit("/", 1)[1]
    _, path, given, _ = stripe.requests[-1]
    assert path == "/v1/checkout/sessions"
    assert given["line_items[0][price]"] == "price_pro"
    assert stripe.customers[given["customer"]]["email"] == "ana@example.ec"

    subscription = stripe.pay(session)
    assert client.get(FINANCIALS, headers=both(key)).status_code == 403
    assert deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session])) == 204
    holder.services.grants.refresh()
    assert client.get(FINANCIALS, headers=both(key)).status_code == 200

    assert client.post("/api/account/portal").json()["url"].endswith(stripe.sessions[session]["customer"])
    stripe.subscriptions[subscription]["cancel_at_period_end"] = True
    deliver(client, stripe.event("customer.subscription.updated", stripe.subscriptions[subscription]))
    assert client.get("/api/account").json()["subscription"]["ending"] is True
    assert plan(holder) == "pro"
    stripe.subscriptions[subscription]["status"] = "canceled"
    deliver(client, stripe.event("customer.subscription.deleted", stripe.subscriptions[subscription]))
    holder.services.grants.refresh()
    assert client.get(FINANCIALS, headers=both(key)).status_code == 403
    assert plan(holder) == "free"


def test_events_twice_late_and_in_the_wrong_order(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    subscription = stripe.pay(session)
    paid = stripe.event("checkout.session.completed", stripe.sessions[session])
    stripe.subscriptions[subscription]["status"] = "canceled"
    gone = stripe.event("customer.subscription.deleted", stripe.subscriptions[subscription])
    for event in (gone, paid, paid, gone):
        assert deliver(holder.client, event) == 204
        assert plan(holder) == "free"
    assert len(holder.client.get("/api/account/export").json()["checkouts"]) == 1


def test_an_event_with_a_wrong_or_old_signature_is_refused(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    stripe.pay(session)
    body, _ = stripe.event("checkout.session.completed", stripe.sessions[session])
    for signature in (
        "",
        "t=1,v1=aa",
        sign(body, secret="whsec_other"),
        sign(body, time.time() - 301),
        sign(body + b" "),
    ):
        response = holder.client.post(EVENTS, content=body, headers={"stripe-signature": signature})
        assert (response.status_code, response.json()["code"]) == (400, "bad-signature")
    assert plan(holder) == "free"
    assert deliver(holder.client, (body, sign(body, time.time() - 290))) == 204
    assert plan(holder) == "pro"


def test_a_failed_payment_leaves_seven_days(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    subscription = stripe.pay(session)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    stripe.subscriptions[subscription]["status"] = "past_due"
    assert deliver(holder.client, stripe.event("invoice.payment_failed", stripe.invoice(subscription))) == 204
    shown = holder.client.get("/api/account").json()
    assert (shown["plan"], shown["subscription"]["state"]) == ("pro", "past_due")
    keys, store, real = holder.services.keys, holder.services.store, time.time()
    digest = keys.digest(holder.key())
    for days, expected in ((0, "pro"), (6.9, "pro"), (7.1, "free")):
        store._clock = lambda days=days: real + days * 86_400
        assert keys.look_up(digest).plan == expected
    store._clock = time.time
    deliver(holder.client, stripe.event("invoice.payment_failed", stripe.invoice(subscription)))
    holder.services.mail_sender.send_due()
    failures = [letter for letter in letters(holder.data, at_least=2) if "Falló un pago" in letter]
    assert [letter.split()[-1] for letter in failures] == ["http://127.0.0.1:8000/es/account/plan"], "one of two"
    stripe.subscriptions[subscription]["status"] = "active"
    deliver(holder.client, stripe.event("invoice.paid", stripe.invoice(subscription)))
    shown = holder.client.get("/api/account").json()["subscription"]
    assert (shown["state"], shown["paymentFailedAt"]) == ("active", None)


def test_moving_up_ends_the_lower_plan_once(holder: Holder, stripe: FakeStripe) -> None:
    first = buy(holder)
    lower = stripe.pay(first)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[first]))
    second = buy(holder, "business")
    assert stripe.requests[-1][2]["customer"] == stripe.sessions[first]["customer"]
    stripe.pay(second)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[second]))
    assert plan(holder) == "business"
    assert stripe.subscriptions[lower]["status"] == "canceled"
    deliver(holder.client, stripe.event("customer.subscription.deleted", stripe.subscriptions[lower]))
    assert plan(holder) == "business"
    assert sum(method == "DELETE" for method, *_ in stripe.requests) == 1
    refused = holder.client.post("/api/account/checkout", json={"planId": "pro"})
    assert (refused.status_code, refused.json()["code"]) == (409, "plan-lower")


def test_while_stripe_is_down(holder: Holder, stripe: FakeStripe) -> None:
    stripe.down = True
    headers = {"idempotency-key": "mine"}
    refused = holder.client.post("/api/account/checkout", json={"planId": "pro"}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (503, "billing-unavailable")
    stripe.down = False
    begun = [holder.client.post("/api/account/checkout", json={"planId": "pro"}, headers=headers) for _ in range(2)]
    assert begun[0].json() == begun[1].json()
    assert len(stripe.sessions) == 1
    other = holder.client.post("/api/account/checkout", json={"planId": "business"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency-conflict")
    (session,) = stripe.sessions
    stripe.pay(session)
    event = stripe.event("checkout.session.completed", stripe.sessions[session])
    stripe.down = True
    assert deliver(holder.client, event) == 503
    assert plan(holder) == "free"
    stripe.down = False
    assert deliver(holder.client, event) == 204
    assert plan(holder) == "pro"


def test_a_slow_provider_holds_up_neither_keys_nor_their_revocation(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, genuine, may_answer = holder.client, stripe.answer, Event()
    revoked, kept = holder.key("uno"), holder.key("dos")
    number = next(key["id"] for key in client.get("/api/account/keys").json()["keys"] if key["name"] == "uno")
    assert client.get(USAGE, headers=both(revoked)).status_code == 200

    def answer(method: str, path: str, *more: dict[str, str]) -> tuple[int, dict]:
        if path == "/v1/checkout/sessions":
            assert may_answer.wait(2 * PATIENCE)
        return genuine(method, path, *more)

    def revoke() -> bool:
        assert client.delete(f"/api/account/keys/{number}").status_code == 204
        until(lambda: client.get(USAGE, headers=both(revoked)).status_code == 401)
        return client.get(USAGE, headers=both(kept)).status_code == 200

    monkeypatch.setattr(stripe, "answer", answer)
    with ThreadPoolExecutor(41) as pool:  # more than the threads that a process has for all else
        checkouts = [pool.submit(buy, holder) for _ in range(40)]
        try:
            until(lambda: sum(path == "/v1/checkout/sessions" for _, path, *_ in stripe.requests) >= 5)
            assert pool.submit(revoke).result(PATIENCE)
        finally:
            may_answer.set()
        assert len({checkout.result() for checkout in checkouts}) == 40


def test_a_provider_that_does_not_answer_the_background_holds_up_no_revocation(
    tmp_path: Path, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    with account_service(tmp_path, **stripe.settings(tmp_path)) as client:
        key, session = enrol(client, tmp_path).key(), dict(client.cookies)
    genuine, asked, may_answer = stripe.answer, Event(), Event()

    def answer(method: str, path: str, *more: dict[str, str]) -> tuple[int, dict]:
        if path.startswith("/v1/prices/"):  # asked in the background
            asked.set()
            assert may_answer.wait(2 * PATIENCE)
        return genuine(method, path, *more)

    monkeypatch.setattr(stripe, "answer", answer)
    monkeypatch.setattr("stripe.RequestsClient", lambda **_: RequestsClient(timeout=2 * PATIENCE))
    with account_service(tmp_path, **stripe.settings(tmp_path)) as client:
        client.cookies.update(session)
        try:
            assert asked.wait(PATIENCE)
            assert client.get(USAGE, headers=both(key)).status_code == 200
            (shown,) = client.get("/api/account/keys").json()["keys"]
            assert client.delete(f"/api/account/keys/{shown['id']}").status_code == 204
            until(lambda: client.get(USAGE, headers=both(key)).status_code == 401)
        finally:
            may_answer.set()


@pytest.mark.usefixtures("one_moment")
def test_what_one_account_asks_of_the_provider_is_limited(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key = holder.key()

        def ask(path: str, **body: str) -> int:
            return client.post(f"/api/account/{path}", json=body or None).status_code

        answers = [ask("checkout", planId="pro") for _ in range(30)] + [ask("portal") for _ in range(29)]
        assert answers == [201] * 30 + [404] * 29
        assert client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key)).status_code == 201
        refused = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key))
        assert (refused.status_code, refused.json()["code"]) == (429, "too-many-attempts")
        assert [ask("checkout", planId="pro"), ask("portal"), ask("resume")] == [429] * 3


@pytest.mark.usefixtures("one_moment")
def test_invoices_and_exports_of_one_account_are_limited(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        enrol(client, tmp_path)
        listed = [client.get("/api/account/invoices").status_code for _ in range(59)]
        assert listed == [200] * 59
        pages = [client.get("/en/account/plan") for _ in range(2)]
        assert [page.status_code for page in pages] == [200, 200]
        without = "The invoices cannot be shown at present. Open this page again later."
        assert [without in page.text for page in pages] == [False, True]
        assert 'name="do" value="buy"' in pages[1].text
        refused = client.get("/api/account/invoices")
        assert (refused.status_code, refused.json()["code"]) == (429, "too-many-attempts")
        assert client.post("/api/account/checkout", json={"planId": "pro"}).status_code == 201
        exported = [client.get("/api/account/export").status_code for _ in range(21)]
        assert exported == [200] * 20 + [429]
        assert client.get("/api/account/usage.csv").status_code == 429
        enrol(client, tmp_path, "eva@example.ec")
        for path in ("invoices", "export", "usage.csv"):
            assert (path, client.get(f"/api/account/{path}").status_code) == (path, 200)


def test_what_the_sandbox_sold_ends_once_stripe_sells(tmp_path: Path, stripe: FakeStripe) -> None:
    with account_service(tmp_path) as client:
        buy_in_sandbox(enrol(client, tmp_path), "pro")
        session = dict(client.cookies)
    with account_service(tmp_path, **stripe.settings(tmp_path)) as client:
        client.cookies.update(session)
        client.app.state.services.subscriptions.reconcile()
        assert client.get("/api/account").json()["plan"] == "free"
        deletion = client.request("DELETE", "/api/account", json={"password": PASSWORD})
        assert deletion.status_code == 204, deletion.text


def test_what_no_event_told_is_found_by_asking(holder: Holder, stripe: FakeStripe) -> None:
    subscription = stripe.pay(buy(holder))
    assert plan(holder) == "free"
    holder.services.subscriptions.reconcile()
    assert plan(holder) == "pro"
    stripe.subscriptions[subscription]["cancel_at_period_end"] = True
    stripe.subscriptions[subscription]["items"]["data"][0]["current_period_end"] = int(time.time()) - 1
    deliver(holder.client, stripe.event("customer.subscription.updated", stripe.subscriptions[subscription]))
    stripe.subscriptions[subscription]["status"] = "canceled"
    holder.services.subscriptions.reconcile()
    assert holder.client.get("/api/account").json()["subscription"]["state"] == "ended"


def test_a_checkout_that_stripe_does_not_know_is_given_up(holder: Holder, stripe: FakeStripe) -> None:
    lost, paid = buy(holder), buy(holder, "business")
    del stripe.sessions[lost]
    stripe.pay(paid)
    holder.services.subscriptions.reconcile()
    states = [row["state"] for row in holder.client.get("/api/account/export").json()["checkouts"]]
    assert sorted(states) == ["completed", "expired"]
    assert plan(holder) == "business"


def test_nobody_pays_on_for_a_deleted_account(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    admin.remove(holder.services.store, "ana@example.ec")  # by a command, which does not ask the provider
    subscription = stripe.pay(session)
    assert deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session])) == 204
    assert stripe.subscriptions[subscription]["status"] == "canceled"
    assert stripe.forgotten == [stripe.sessions[session]["customer"]]


def test_nothing_can_be_paid_for_a_deleted_account(holder: Holder, stripe: FakeStripe) -> None:
    opened, other = buy(holder), buy(holder, "business")
    stripe.sessions["cs_of_another"] = stripe.sessions[other] | {"id": "cs_of_another", "customer": "cus_of_another"}
    assert leave(holder) == 204
    assert {number: session["status"] for number, session in stripe.sessions.items()} == {
        opened: "expired", other: "expired", "cs_of_another": "open",
    }  # fmt: skip
    assert stripe.forgotten == [stripe.sessions[opened]["customer"]]


def before_a_customer(monkeypatch: pytest.MonkeyPatch, stripe: FakeStripe, act: Callable[[], object]) -> None:
    """Let something happen each time before a customer is made."""
    genuine = stripe.answer

    def answer(method: str, path: str, *more: dict[str, str]) -> tuple[int, dict]:
        if path == "/v1/customers":
            act()
        return genuine(method, path, *more)

    monkeypatch.setattr(stripe, "answer", answer)


def test_an_account_that_is_deleted_while_its_checkout_begins_leaves_no_customer(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_a_customer(monkeypatch, stripe, lambda: admin.remove(holder.services.store, "ana@example.ec"))
    refused = holder.client.post("/api/account/checkout", json={"planId": "pro"})
    assert (refused.status_code, refused.json()["code"], stripe.sessions) == (404, "account-not-found", {})
    holder.services.subscriptions.reconcile()
    assert stripe.forgotten == list(stripe.customers)
    assert len(stripe.forgotten) == 1


def test_an_account_has_one_customer_however_many_checkouts_it_begins(holder: Holder, stripe: FakeStripe) -> None:
    sessions = [buy(holder), buy(holder, "business")]
    (customer,) = stripe.customers
    for session in sessions:
        assert stripe.subscriptions[stripe.pay(session)]["customer"] == customer
        deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    assert (plan(holder), list(stripe.customers)) == ("business", [customer])
    shown = holder.client.get("/api/account/export").json()["account"]
    assert shown["customer"] == customer


def test_two_first_checkouts_at_once_have_one_customer(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_ask = Barrier(2)
    before_a_customer(monkeypatch, stripe, lambda: both_ask.wait(PATIENCE))
    with ThreadPoolExecutor(2) as pool:
        sessions = list(pool.map(lambda code: buy(holder, code), ("pro", "business")))
    (customer,) = stripe.customers
    assert [stripe.sessions[session]["customer"] for session in sessions] == [customer] * 2


@pytest.mark.parametrize("period_over", [False, True], ids=["running", "to be renewed"])
def test_what_live_mode_does_not_know_ends_and_is_bought_anew(
    holder: Holder, stripe: FakeStripe, period_over: bool
) -> None:
    client = holder.client
    session = buy(holder)
    subscription = stripe.pay(session)
    if period_over:
        stripe.subscriptions[subscription]["items"]["data"][0]["current_period_end"] = int(time.time()) - 1
    deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    abandoned = buy(holder, "business")
    assert plan(holder) == "pro"
    known = list(stripe.customers)
    for book in (stripe.customers, stripe.subscriptions, stripe.sessions):  # test mode has books of its own
        book.clear()
    if period_over:
        holder.services.subscriptions.reconcile()
        assert plan(holder) == "free"
    else:
        portal = client.post("/api/account/portal")
        assert (portal.status_code, portal.json()["code"], plan(holder)) == (404, "no-subscription", "free")
    assert client.get("/api/account/invoices").json() == {"invoices": []}
    events = [line.event for line in admin.read_audit(holder.services.store, "ana@example.ec", None, 20)]
    assert [events.count(event) for event in ("subscription-unknown", "plan-free")] == [1, 1]

    session = buy(holder)
    assert session != abandoned
    (customer,) = stripe.customers
    assert customer not in known
    stripe.pay(session)
    deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    assert plan(holder) == "pro"
    assert client.post("/api/account/portal").json()["url"].endswith(customer)


def test_a_plan_that_ended_as_unknown_is_back_once_stripe_knows_it(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    stripe.pay(session)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    (customer,) = stripe.customers
    books = stripe.customers, stripe.subscriptions
    live = [dict(book) for book in books]
    for book in books:
        book.clear()
    buy(holder, "business")
    assert plan(holder) == "free"
    holder.services.subscriptions.reconcile()
    assert plan(holder) == "free"
    for book, known in zip(books, live, strict=True):
        book.update(known)
    holder.services.subscriptions.reconcile()
    assert plan(holder) == "pro"
    assert holder.client.post("/api/account/portal").json()["url"].endswith(customer)


def test_by_a_wrong_key_of_stripe_nothing_ends(holder: Holder, stripe: FakeStripe) -> None:
    client, store = holder.client, holder.services.store
    session = buy(holder)
    subscription = stripe.subscriptions[stripe.pay(session)]
    paid = stripe.event("customer.subscription.updated", subscription)
    subscription["items"]["data"][0]["current_period_end"] = int(time.time()) - 1
    deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    buy(holder, "business")
    with store.writing() as connection:
        connection.execute(subscriptions.update().values(replaces="sub_lower"))
        gone = {"account": "acc_gone", "customer": "cus_gone", "deleted_at": 0}
        connection.execute(tombstones.insert().values(gone))
    books = stripe.customers, stripe.subscriptions, stripe.sessions, stripe.prices
    right = [dict(book) for book in books]
    for book in books:  # of another mode or account, which has prices of its own
        book.clear()
    stripe.prices["price_of_another"] = right[-1]["price_pro"]
    before = client.get("/api/account/export").json()
    with pytest.raises(Unavailable, match="billing-refused refused=3"):
        holder.services.subscriptions.reconcile()
    assert deliver(client, paid) == 503
    for answer in (
        client.post("/api/account/portal"),
        client.get("/api/account/invoices"),
        client.post("/api/account/checkout", json={"planId": "business"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "billing-refused")
    after = client.get("/api/account/export").json()
    assert (after["account"], stripe.customers) == (before["account"], {})
    assert sorted(row["state"] for row in after["checkouts"]) == ["completed", "open"]
    with store.reading() as connection:
        assert connection.execute(select(subscriptions.c.state, subscriptions.c.replaces)).all() == [
            ("active", "sub_lower")
        ]
        assert connection.execute(select(tombstones.c.customer)).scalars().all() == ["cus_gone"]
    assert plan(holder) == "pro"

    for book, known in zip(books, right, strict=True):
        book.update(known)
    holder.services.subscriptions.reconcile()
    assert deliver(client, paid) == 204
    assert plan(holder) == "pro"
    assert client.post("/api/account/portal").json()["url"].endswith(subscription["customer"])


@pytest.mark.parametrize("lost", ["padron_account", "padron_plan", None])
def test_a_subscription_whose_labels_somebody_removed_stays(
    holder: Holder, stripe: FakeStripe, lost: str | None
) -> None:
    session = buy(holder)
    subscription = stripe.subscriptions[stripe.pay(session)]
    subscription["items"]["data"][0]["current_period_end"] = int(time.time()) - 1
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    labels = subscription["metadata"]
    subscription["metadata"] = {name: label for name, label in labels.items() if lost not in {name, None}}
    for _ in range(2):
        holder.services.subscriptions.reconcile()
        assert plan(holder) == "pro"
    (line,) = admin.read_audit(holder.services.store, None, "subscription-foreign", 10)
    assert line.subject == subscription["id"]
    subscription["status"] = "canceled"
    holder.services.subscriptions.reconcile()
    assert plan(holder) == "free"


def test_a_lower_subscription_without_labels_is_left_to_the_operator(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    lower = stripe.subscriptions[stripe.pay(session)]
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    session = buy(holder, "business")
    lower["metadata"] = {}
    stripe.pay(session)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    assert (plan(holder), lower["status"]) == ("business", "active")
    (line,) = admin.read_audit(holder.services.store, None, "subscription-foreign", 10)
    assert line.subject == lower["id"]


def test_a_customer_has_the_present_address_of_its_account(holder: Holder, stripe: FakeStripe) -> None:
    buy(holder)
    buy(holder)
    assert not any(path.startswith("/v1/customers/") for method, path, *_ in stripe.requests if method == "POST")
    with holder.services.store.writing() as connection:
        connection.execute(accounts.update().values(address="ana@nueva.example"))
    buy(holder)
    (customer,) = stripe.customers.values()
    assert customer["email"] == "ana@nueva.example"


def test_a_customer_that_a_payment_wrote_meanwhile_is_kept(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pay() -> None:
        stripe.customers["cus_of_payer"] = {"id": "cus_of_payer", "object": "customer", "metadata": {}}
        with holder.services.store.writing() as connection:
            connection.execute(accounts.update().values(customer="cus_of_payer"))

    before_a_customer(monkeypatch, stripe, pay)
    assert stripe.sessions[buy(holder)]["customer"] == "cus_of_payer"
    assert holder.client.get("/api/account/export").json()["account"]["customer"] == "cus_of_payer"


def test_the_portal_is_that_of_the_customer_who_pays(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    stripe.pay(session)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    with holder.services.store.writing() as connection:
        connection.execute(accounts.update().values(customer="cus_unknown"))
    assert holder.client.post("/api/account/portal").json()["url"].endswith(stripe.sessions[session]["customer"])


def test_a_checkout_is_tried_again_with_a_new_customer(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, is_lost = stripe.answer, True

    def answer(method: str, path: str, *more: dict[str, str]) -> tuple[int, dict]:
        status, document = genuine(method, path, *more)
        if is_lost and path == "/v1/checkout/sessions":
            return 500, {"error": {"type": "api_error", "message": "lost"}}
        return status, document

    def offer(key: str) -> str:
        body, headers = {"planId": "pro"}, {"idempotency-key": key}
        response = holder.client.post("/api/account/checkout", json=body, headers=headers).json()
        return response.get("code") or response["checkoutUrl"].rsplit("/", 1)[1]

    monkeypatch.setattr(stripe, "answer", answer)
    assert [offer("a"), offer("b")] == ["billing-unavailable"] * 2
    first, second = stripe.sessions
    (customer,) = stripe.customers
    is_lost = False
    assert offer("a") == first
    stripe.customers[customer] = {"id": customer, "object": "customer", "deleted": True}
    renewed = offer("b")
    assert renewed not in {first, second, "billing-unavailable"}
    assert stripe.sessions[renewed]["customer"] not in {customer, None}


def test_a_plan_of_test_mode_does_not_stand_in_the_way_of_a_checkout(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    stripe.pay(session)
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    refused = holder.client.post("/api/account/checkout", json={"planId": "pro"})
    assert refused.json()["code"] == "plan-already-active"
    for book in (stripe.customers, stripe.subscriptions):
        book.clear()
    buy(holder)
    assert plan(holder) == "free"


def test_a_customer_that_was_deleted_at_stripe_is_made_again(holder: Holder, stripe: FakeStripe) -> None:
    customers = [stripe.sessions[buy(holder)]["customer"]]
    for _ in range(2):
        stripe.customers[customers[-1]] = {"id": customers[-1], "object": "customer", "deleted": True}
        customers.append(stripe.sessions[buy(holder)]["customer"])
    assert len(set(customers)) == 3
    assert holder.client.get("/api/account/export").json()["account"]["customer"] == customers[-1]


def test_one_object_that_stripe_refuses_stops_none_of_the_others(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, paid = buy(holder), buy(holder, "business")
    subscription = stripe.pay(paid)
    store, genuine = holder.services.store, stripe.answer
    with store.writing() as connection:
        gone = [{"account": f"acc_{name}", "customer": f"cus_{name}", "deleted_at": 0} for name in ("a", "b")]
        connection.execute(tombstones.insert(), gone)
    refusal = 400, {"error": {"type": "invalid_request_error", "message": "no"}}
    wrong = (refused, "cus_a")

    def answer(method: str, path: str, given: dict[str, str], fields: dict[str, str]) -> tuple[int, dict]:
        asked = {path.rsplit("/", 1)[1], given.get("customer")}
        return refusal if asked.intersection(wrong) else genuine(method, path, given, fields)

    monkeypatch.setattr(stripe, "answer", answer)
    with pytest.raises(Unavailable, match="billing-refused refused=2"):
        holder.services.subscriptions.reconcile()
    assert plan(holder) == "business"
    with store.reading() as connection:
        left = connection.execute(tombstones.select().where(tombstones.c.customer.is_not(None))).scalars().all()
    assert left == ["acc_a"]

    wrong = (subscription,)
    with store.writing() as connection:
        connection.execute(subscriptions.update().values(state="past_due"))
    with pytest.raises(Unavailable, match="billing-refused refused=1"):
        holder.services.subscriptions.reconcile()
    wrong = ()
    holder.services.subscriptions.reconcile()
    assert holder.client.get("/api/account").json()["subscription"]["state"] == "active"


def test_a_plan_at_price_0_is_given_and_not_sold(tmp_path: Path, stripe: FakeStripe) -> None:
    settings, given = stripe.settings(tmp_path), '[plans.partner]\nname = { es = "Socio", en = "Partner" }\n'
    given += "price = 0\nper_minute = 60\nper_day = 2_000\nfeatures = []\nkeys = 5\n\n[plans.pro]\n"
    table = Path(settings["PADRON_ACCOUNTS__PLANS"])
    table.write_text(table.read_text(encoding="utf-8").replace("[plans.pro]\n", given), encoding="utf-8")
    with account_service(tmp_path, **settings) as client:
        holder = enrol(client, tmp_path)
        refused = client.post("/api/account/checkout", json={"planId": "partner"})
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown-plan")
        assert "pro, business" in refused.json()["detail"]
        page = client.get("/en/account/plan").text
        assert ("Choose Pro" in page, "Choose Partner" in page) == (True, False)
        admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", "partner")
        assert plan(holder) == "partner"
        assert client.post("/api/account/checkout", json={"planId": "pro"}).status_code == 201


def test_events_do_not_wait_for_those_who_ask_the_provider(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = buy(holder)
    stripe.pay(session)
    monkeypatch.setattr(threads.PAYING, "most_waiting", 0)
    assert holder.client.get("/api/account/invoices").json()["code"] == "billing-unavailable"
    assert deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session])) == 204
    assert plan(holder) == "pro"


def leave(holder: Holder) -> int:
    return holder.client.request("DELETE", "/api/account", json={"password": PASSWORD}).status_code


def test_a_deleted_account_has_no_customer_at_the_provider(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    subscription = stripe.pay(session)
    customer = stripe.sessions[session]["customer"]
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    assert leave(holder) == 409
    assert stripe.forgotten == []
    stripe.subscriptions[subscription]["cancel_at_period_end"] = True
    deliver(holder.client, stripe.event("customer.subscription.updated", stripe.subscriptions[subscription]))
    stripe.down = True
    assert leave(holder) == 204
    with pytest.raises(Unavailable, match="billing-unavailable"):
        holder.services.subscriptions.reconcile()
    stripe.down = False
    for _ in range(2):
        holder.services.subscriptions.reconcile()
        assert stripe.forgotten == [customer]
    assert stripe.subscriptions[subscription]["status"] == "canceled"
    (line,) = admin.read_audit(holder.services.store, None, "customer-deleted", 10)
    assert (line.actor, line.subject) == ("service", customer)


def test_the_customer_of_another_deployment_is_left(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    subscription = stripe.subscriptions[stripe.pay(session)]
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    subscription["cancel_at_period_end"] = True
    deliver(holder.client, stripe.event("customer.subscription.updated", subscription))
    stripe.subscriptions["sub_2"] = subscription | {"id": "sub_2", "metadata": {"padron_deployment": "production"}}
    assert leave(holder) == 204
    assert stripe.forgotten == []
    (line,) = admin.read_audit(holder.services.store, None, "customer-left", 10)
    assert line.subject == subscription["customer"]


def test_a_customer_that_was_deleted_at_stripe_already_is_noted_as_deleted(holder: Holder, stripe: FakeStripe) -> None:
    buy(holder)
    (customer,) = stripe.customers
    stripe.customers[customer] = {"id": customer, "object": "customer", "deleted": True}
    assert leave(holder) == 204
    (line,) = admin.read_audit(holder.services.store, None, "customer-deleted", 10)
    assert line.subject == customer


@pytest.mark.parametrize("cancelled", [{"cancel_at_period_end": True}, {"cancel_at": 4_102_444_800}])
def test_a_cancelled_plan_is_renewed_again(holder: Holder, stripe: FakeStripe, cancelled: dict) -> None:
    client = holder.client
    assert client.post("/api/account/resume").json()["code"] == "no-subscription"
    session = buy(holder)
    subscription = stripe.subscriptions[stripe.pay(session)]
    deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    assert "Keep the plan" not in client.get("/en/account/plan").text
    subscription |= cancelled
    late = stripe.event("customer.subscription.updated", subscription)
    deliver(client, late)
    assert "Keep the plan" in client.get("/en/account/plan").text
    stripe.down = True
    assert client.post("/api/account/resume").json()["code"] == "billing-unavailable"
    stripe.down = False
    admin.suspend(holder.services.store, "ana@example.ec")
    assert client.post("/api/account/resume").json()["code"] == "account-suspended"
    admin.resume(holder.services.store, "ana@example.ec")
    for _ in range(2):  # two tabs
        shown = client.post("/api/account/resume").json()["subscription"]
        assert (shown["state"], shown["ending"]) == ("active", False)
    assert sum(method == "POST" and "/subscriptions/" in path for method, path, *_ in stripe.requests) == 1
    deliver(client, late)
    assert client.get("/api/account").json()["subscription"]["ending"] is False
    assert len(admin.read_audit(holder.services.store, None, "renewal-resumed", 10)) == 1
    holder.services.mail_sender.send_due()
    assert sum("volverá a renovarse" in letter for letter in letters(holder.data, at_least=2)) == 1

    subscription["status"] = "canceled"  # the event of it has not come yet
    assert client.post("/api/account/resume").json()["code"] == "no-subscription"


def test_the_plan_of_another_deployment_is_not_renewed(holder: Holder, stripe: FakeStripe) -> None:
    session = buy(holder)
    subscription = stripe.subscriptions[stripe.pay(session)]
    deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    subscription["cancel_at_period_end"] = True
    subscription["metadata"]["padron_deployment"] = "production"
    assert holder.client.post("/api/account/resume").json()["code"] == "no-subscription"
    assert subscription["cancel_at_period_end"] is True


@pytest.mark.parametrize("coupons", ["0", "1"])
def test_codes_of_promotions_are_taken_where_the_setting_says_so(
    tmp_path: Path, stripe: FakeStripe, coupons: str
) -> None:
    with account_service(tmp_path, PADRON_BILLING__COUPONS=coupons, **stripe.settings(tmp_path)) as client:
        buy(enrol(client, tmp_path))
    assert stripe.requests[-1][2].get("allow_promotion_codes") == {"0": None, "1": "true"}[coupons]


def test_invoices_are_listed_with_their_files(holder: Holder, stripe: FakeStripe) -> None:
    client = holder.client
    assert client.get("/api/account/invoices").json() == {"invoices": []}
    session = buy(holder)
    stripe.pay(session)
    deliver(client, stripe.event("checkout.session.completed", stripe.sessions[session]))
    paid = {
        "id": "in_1", "object": "invoice", "customer": stripe.sessions[session]["customer"], "number": "A1B2-0001",
        "created": 1_772_323_200, "total": 5_635, "currency": "usd", "status": "paid",
        "hosted_invoice_url": "https://invoice.stripe.com/i/1", "invoice_pdf": "https://pay.stripe.com/invoice/1/pdf",
    }  # fmt: skip
    draft = paid | {"id": "in_2", "number": None, "status": "draft"}
    due = paid | {
        "id": "in_3",
        "number": "A1B2-0002",
        "status": "open",
        "invoice_pdf": None,
        "hosted_invoice_url": None,
    }
    stripe.invoices = [draft, due, paid, paid | {"id": "in_4", "customer": "cus_of_another"}]
    first, second = client.get("/api/account/invoices").json()["invoices"]
    assert (first["number"], first["state"], first["page"], first["pdf"]) == ("A1B2-0002", "open", None, None)
    assert second == {
        "number": "A1B2-0001", "issuedAt": "2026-03-01T00:00:00Z", "total": 5_635, "currency": "USD", "state": "paid",
        "page": "https://invoice.stripe.com/i/1", "pdf": "https://pay.stripe.com/invoice/1/pdf",
    }  # fmt: skip
    page = client.get("/en/account/plan").text
    for text in ('<a href="https://pay.stripe.com/invoice/1/pdf">PDF', "56.35\xa0USD", "to be paid", "March 1, 2026"):
        assert text in page
    stripe.down = True
    assert client.get("/api/account/invoices").json()["code"] == "billing-unavailable"
    assert "Por ahora no se pueden mostrar las facturas" in client.get("/es/account/plan").text


def test_a_plan_is_paid_by_the_month_or_by_the_year(holder: Holder, stripe: FakeStripe) -> None:
    def offer(period: str, plan: str = "pro", key: str = "") -> str:
        body = {"planId": plan, "period": period}
        answer = holder.client.post("/api/account/checkout", json=body, headers={"idempotency-key": key} if key else {})
        shown = answer.json()
        return shown.get("code") or stripe.sessions[shown["checkoutUrl"].rsplit("/", 1)[1]]["price"]

    def paid() -> tuple[str, str]:
        session = list(stripe.sessions)[-1]
        stripe.pay(session)
        deliver(holder.client, stripe.event("checkout.session.completed", stripe.sessions[session]))
        shown = holder.client.get("/api/account").json()["subscription"]
        return shown["plan"], shown["period"]

    assert [offer("week"), offer("year", "free")] == ["invalid-field", "plan-already-active"]
    assert [offer("month", key="a"), offer("year", key="a")] == ["price_pro", "idempotency-conflict"]
    assert paid() == ("pro", "month")
    assert "Pay Pro by the year" in holder.client.get("/en/account/plan").text
    assert [offer("month"), offer("year")] == ["plan-already-active", "price_proyear"]
    assert paid() == ("pro", "year")
    assert [sold["status"] for sold in stripe.subscriptions.values()] == ["canceled", "active"]
    assert [offer("month"), offer("year")] == ["plan-lower", "plan-already-active"]
    assert offer("month", "business") == "price_business"
    assert paid() == ("business", "month")
    assert [offer("year"), offer("year", "business")] == ["plan-lower", "price_businessyear"]
    assert stripe.prices.pop("price_proyear")
    with pytest.raises(Invalid, match="plan-price"):
        holder.services.subscriptions.check_plans()


def test_a_plan_without_a_yearly_price_is_paid_by_the_month(tmp_path: Path) -> None:
    table = tmp_path / "plans.toml"
    table.write_text(BUNDLED.read_text(encoding="utf-8").replace("yearly_price = 49_000\n", ""), encoding="utf-8")
    with account_service(tmp_path, PADRON_ACCOUNTS__PLANS=str(table)) as client:
        body = {"planId": "pro", "period": "year"}
        refused = enrol(client, tmp_path).client.post("/api/account/checkout", json=body)
        assert (refused.status_code, refused.json()["code"]) == (409, "plan-not-yearly")
        assert client.get("/api/account/plans").json()["plans"][1]["yearlyPrice"] is None
        assert "Pagar Pro por año" not in client.get("/es/account/plan").text


def test_a_given_plan_is_not_bought_again_by_the_year(holder: Holder) -> None:
    admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", "pro")
    body = {"planId": "pro", "period": "year"}
    assert holder.client.post("/api/account/checkout", json=body).json()["code"] == "plan-already-active"


def test_events_of_others_are_none_of_ours(holder: Holder, stripe: FakeStripe) -> None:
    stripe.subscriptions["sub_x"] = {
        "id": "sub_x", "object": "subscription", "status": "active", "metadata": {}, "customer": "cus_x",
        "cancel_at_period_end": False, "cancel_at": None,
        "items": {
            "object": "list", "data": [{"id": "si_x", "current_period_end": 0, "price": stripe.prices["price_pro"]}],
        },
    }  # fmt: skip
    for kind, thing in (
        ("customer.subscription.updated", stripe.subscriptions["sub_x"]),
        ("customer.created", {"id": "cus_x", "object": "customer"}),
    ):
        assert deliver(holder.client, stripe.event(kind, thing)) == 204
    assert plan(holder) == "free"
    assert admin.read_audit(holder.services.store, None, "subscription-foreign", 10) == []


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    response = client.post(EVENTS, content=b"x" * 300_000, headers={"stripe-signature": "t=1,v1=aa"})
    assert (response.status_code, response.json()["code"]) == (413, "body-too-large")


@pytest.mark.release_check
def test_the_requests_are_those_of_stripes_own_description(tmp_path: Path) -> None:
    """`stripe-mock` checks parameters against Stripe's OpenAPI; it is built by Go where that is installed."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    subprocess.run(
        [go, "install", "github.com/stripe/stripe-mock@latest"],
        env=os.environ | {"GOBIN": str(tmp_path)}, check=True, timeout=600,
    )  # fmt: skip
    port = free_port()
    process = subprocess.Popen([tmp_path / "stripe-mock", "-http-port", str(port), "-https-port", "0"])
    try:
        until(lambda: servers.listens(port))
        plans = read_plans(Path(priced_plans(tmp_path)), at_stripe=True)
        real = Stripe(
            "sk_test_123",
            WEBHOOK_SECRET,
            f"http://127.0.0.1:{port}",
            plans,
            "https://padron.example",
            Secret("s" * 40),
            coupons=True,
        )
        buyer = Buyer("acc_1", "ana@example.ec", None)
        buyer = buyer._replace(customer=real.customer(buyer))
        assert real.customer(buyer) == buyer.customer
        real._client.v1.customers.update("cus_1", {"email": "ana@example.ec"})
        started = real.start("chk_1", buyer, plans.plan("pro"), "month", "es")
        assert started.reference.startswith("cs_test_")
        assert real.result(started.reference).state in {"open", "completed", "expired"}
        sold = real.subscription("sub_1")  # by nobody: the mock has no labels
        assert sold is None or (sold.deployment, sold.account, sold.plan) == (None, "", "")
        again = real.start("chk_2", Buyer("acc_1", "ana@example.ec", "cus_1"), plans.plan("business"), "year", "en")
        assert again.reference.startswith("cs_test_")
        assert real.wrong_prices() == ["pro", "business"]  # the mock has one price, of another amount
        assert str(real.portal("cus_1", "en")).startswith("https://")
        real.resume("sub_1")
        real._client.v1.checkout.sessions.list({"customer": "cus_1", "status": "open", "limit": 100})
        real._client.v1.checkout.sessions.expire("cs_1")
        real._client.v1.customers.delete("cus_1")
        for params in ({"cancel_at_period_end": False}, {"cancel_at": ""}):
            real._client.v1.subscriptions.update("sub_1", params)
        real.end("sub_1")
        assert all(invoice.number for invoice in real.invoices("cus_1"))
        assert real.delete_customer("cus_1") is False  # the mock's subscriptions are nobody's
    finally:
        process.terminate()
        process.wait()
