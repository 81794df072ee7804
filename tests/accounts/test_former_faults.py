"""Faults that accounts and billing once had, a section each: every test here failed before its repair."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pyotp import TOTP
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, account_service, both, enrol, guard, letters, token_in
from fake_stripe import KEY, WEBHOOK_SECRET, FakeStripe, sign
from next_migration import plant_next_migration
from padron.accounts import admin, passwords, second_factor
from padron.accounts.billing import Buyer
from padron.accounts.keys import lock, lock_with_password, mint
from padron.accounts.mail import FolderTransport, MailSender
from padron.accounts.plans import BUNDLED
from padron.accounts.provider import plans_of
from padron.accounts.second_factor import SecondFactor, SecondFactors, end_enrolment
from padron.accounts.secret import Secret
from padron.accounts.sessions import AccountHolders, remove, validated_address
from padron.accounts.store import Store, accounts, audit, count, increment_revision, mails, messages, watched_companies
from padron.accounts.store import sandbox as sandbox_table
from padron.accounts.store import sessions as sessions_table
from padron.accounts.usage import Usage
from padron.accounts.watchlists import WantedChange, Watchlists
from padron.accounts.webhook_sender import Outcome
from padron.accounts.webhooks import WebhookReader, Webhooks
from padron.cli import doctor
from padron.config import load
from padron.errors import Denied, Invalid, Unavailable
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


def bought(holder: Holder, stripe: FakeStripe, plan: str = "pro") -> str:
    """Buy a plan without any event about it; gives Stripe's id of the subscription."""
    response = holder.client.post("/api/account/checkout", json={"planId": plan})
    assert response.status_code == 201, response.text
    return stripe.pay(response.json()["checkoutUrl"].rsplit("/", 1)[1])


def deliver(holder: Holder, stripe: FakeStripe, subscription: str) -> None:
    body, signature = stripe.event("customer.subscription.updated", stripe.subscriptions[subscription])
    response = holder.client.post(EVENTS, content=body, headers={"stripe-signature": signature})
    assert response.status_code == 204, response.text


def ended(stripe: FakeStripe) -> list[str]:
    """The subscriptions that were ended at Stripe."""
    paths = [path for method, path, *_ in stripe.requests if method == "DELETE"]
    return [path.rsplit("/", 1)[1] for path in paths if "/subscriptions/" in path]


# 1. A subscription of another deployment was cancelled, and so was one that a restored database did not know.


@pytest.mark.parametrize("known", [True, False], ids=["of an account we know", "of an unknown account"])
def test_subscriptions_of_another_deployment_are_left_alone(holder: Holder, stripe: FakeStripe, known: bool) -> None:
    subscription = bought(holder, stripe)
    labels = stripe.subscriptions[subscription]["metadata"]
    labels["padron_deployment"] = "production"
    labels["padron_account"] = labels["padron_account"] if known else "acc_of_production"
    for _ in range(3):
        deliver(holder, stripe, subscription)
    assert ended(stripe) == []
    assert holder.client.get("/api/account").json()["plan"] == "free"
    (line,) = admin.read_audit(holder.services.store, None, "subscription-foreign", 10)
    assert line.subject == subscription


def test_a_restored_database_ends_no_subscription_that_it_does_not_know(
    holder: Holder, stripe: FakeStripe, store_url: str
) -> None:
    subscription = bought(holder, stripe)
    with holder.services.store.writing() as connection:  # as in a backup from before the account
        connection.execute(accounts.delete())
    deliver(holder, stripe, subscription)
    deliver(holder, stripe, subscription)
    assert ended(stripe) == []
    (line,) = admin.read_audit(holder.services.store, None, "subscription-orphaned", 10)
    assert line.subject == subscription
    *_, finding = doctor._accounts(load({"PADRON_ACCOUNTS__URL": store_url}, data=holder.data))
    assert finding.text.en.startswith("payment: 1 subscription belongs to no account here")


def test_the_subscription_of_an_account_that_was_deleted_here_is_ended(holder: Holder, stripe: FakeStripe) -> None:
    url = holder.client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
    admin.remove(holder.services.store, "ana@example.ec")
    subscription = stripe.pay(url.rsplit("/", 1)[1])
    deliver(holder, stripe, subscription)
    assert ended(stripe) == [subscription]


def test_a_lower_subscription_of_another_deployment_survives_a_higher_one(holder: Holder, stripe: FakeStripe) -> None:
    lower = bought(holder, stripe)
    deliver(holder, stripe, lower)
    stripe.subscriptions[lower]["metadata"] = stripe.subscriptions[lower]["metadata"] | {"padron_deployment": "other"}
    deliver(holder, stripe, bought(holder, stripe, "business"))
    assert ended(stripe) == []
    assert holder.client.get("/api/account").json()["plan"] == "business"
    assert [line.subject for line in admin.read_audit(holder.services.store, None, "subscription-foreign", 10)] == [
        lower
    ]


def test_a_late_event_of_the_lower_subscription_ends_none_but_that(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower = bought(holder, stripe)
    deliver(holder, stripe, lower)
    higher, genuine, path = bought(holder, stripe, "business"), stripe.answer, f"/v1/subscriptions/{lower}"
    late: list[Future[None]] = []
    was_read, may_answer = Event(), Event()

    def answer(method: str, asked: str, *more: dict[str, str]) -> tuple[int, dict]:
        """The late event reads the lower one before it is ended, and has its answer when all is written."""
        if (method, asked) == ("DELETE", path) and not late:
            late.append(pool.submit(deliver, holder, stripe, lower))
            assert was_read.wait(PATIENCE)
        status, document = genuine(method, asked, *more)
        document = json.loads(json.dumps(document))
        if (method, asked) == ("GET", path) and late and not was_read.is_set():
            was_read.set()
            assert may_answer.wait(PATIENCE)
        return status, document

    monkeypatch.setattr(stripe, "answer", answer)
    with ThreadPoolExecutor(1) as pool:
        deliver(holder, stripe, higher)
        may_answer.set()
        late[0].result()
    assert ended(stripe) == [lower]
    assert holder.client.get("/api/account").json()["plan"] == "business"
    # What the late event had read was no longer so: it was asked again, and nothing was paid beside the higher one.
    assert admin.read_audit(holder.services.store, None, "subscription-surplus", 10) == []


@pytest.mark.parametrize(("first", "second", "kept"), [
    ("pro", "business", "business"), ("business", "pro", "business"), ("pro", "pro", "pro"),
])  # fmt: skip
def test_of_two_open_checkouts_the_higher_plan_stays(
    holder: Holder, stripe: FakeStripe, first: str, second: str, kept: str
) -> None:
    opened = [holder.client.post("/api/account/checkout", json={"planId": code}).json() for code in (first, second)]
    paid = [stripe.pay(checkout["checkoutUrl"].rsplit("/", 1)[1]) for checkout in opened]
    for subscription in (*paid, *reversed(paid)):
        deliver(holder, stripe, subscription)
    stays = paid[0] if first == kept else paid[1]
    assert {number: stripe.subscriptions[number]["status"] for number in paid} == {
        number: "active" if number == stays else "canceled" for number in paid
    }
    assert holder.client.get("/api/account").json()["plan"] == kept
    surplus = [line.subject for line in admin.read_audit(holder.services.store, None, "subscription-surplus", 10)]
    assert surplus == ([paid[1]] if stays == paid[0] else [])


@pytest.mark.parametrize(("given", "kept"), [("business", "business"), ("pro", "pro"), ("free", "pro")])
def test_a_payment_never_lowers_a_plan_that_the_operator_gave(
    holder: Holder, stripe: FakeStripe, given: str, kept: str
) -> None:
    paid = bought(holder, stripe)
    admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", given)
    deliver(holder, stripe, paid)
    deliver(holder, stripe, paid)
    assert holder.client.get("/api/account").json()["plan"] == kept
    assert ended(stripe) == ([paid] if given == "business" else [])
    with holder.services.store.reading() as connection:
        assert connection.execute(accounts.select()).one().customer == stripe.subscriptions[paid]["customer"]


def test_a_lower_subscription_that_could_not_be_ended_is_ended_before_the_next(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower = bought(holder, stripe)
    deliver(holder, stripe, lower)
    yearly, highest = (
        stripe.pay(holder.client.post("/api/account/checkout", json=body).json()["checkoutUrl"].rsplit("/", 1)[1])
        for body in ({"planId": "pro", "period": "year"}, {"planId": "business"})
    )
    monkeypatch.setattr("stripe._http_client.HTTPClient._sleep_time_seconds", lambda *_: 0.0)
    genuine = stripe.answer
    down = 500, {"error": {"type": "api_error", "message": "down"}}
    monkeypatch.setattr(stripe, "answer", lambda method, *more: down if method == "DELETE" else genuine(method, *more))
    body, signature = stripe.event("customer.subscription.created", stripe.subscriptions[yearly])
    refused = holder.client.post(EVENTS, content=body, headers={"stripe-signature": signature})
    assert (refused.status_code, refused.json()["code"]) == (503, "billing-unavailable")
    monkeypatch.setattr(stripe, "answer", genuine)
    deliver(holder, stripe, highest)
    assert [stripe.subscriptions[number]["status"] for number in (lower, yearly, highest)] == [
        "canceled", "canceled", "active",
    ]  # fmt: skip
    assert holder.client.get("/api/account").json()["plan"] == "business"


def test_no_line_of_the_audit_log_can_be_changed_or_deleted(holder: Holder) -> None:
    store = holder.services.store
    before = admin.read_audit(store, "ana@example.ec", None, 10)
    assert {line.event for line in before} == {"verified", "signed-up", "terms-accepted"}
    replaced = text("REPLACE INTO audit (id, at, actor, event) SELECT id, at, 'nobody', event FROM audit")
    by_row = text(
        "REPLACE INTO audit (rowid, id, at, actor, event) SELECT rowid, id || 'x', at, actor, event FROM audit"
    )
    with store.reading() as connection:
        embedded = connection.dialect.name == "sqlite"
    more = (replaced, by_row) if embedded else ()
    for statement in (audit.update().values(actor="nobody"), audit.delete(), *more):
        with pytest.raises(DBAPIError, match="append-only"), store.writing() as connection:
            connection.execute(statement)
    assert admin.read_audit(store, before[0].account, None, 10) == before


# 3. Anybody who shared an address locked out valid keys: by wrong credentials, and a change that clears the caches.


@pytest.mark.usefixtures("one_moment")
def test_a_valid_key_works_from_an_address_that_sends_wrong_ones(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        valid, stranger = holder.key("uno"), holder.key("dos")
        wrong = [client.get(USAGE, headers=both(mint())).status_code for _ in range(21)]
        assert wrong == [401] * 20 + [429]
        (rotated,) = [key["id"] for key in client.get("/api/account/keys").json()["keys"] if key["name"] == "dos"]
        assert client.post(f"/api/account/keys/{rotated}/rotate", json={}).status_code == 201
        holder.services.grants.refresh()
        assert [client.get(USAGE, headers=both(key)).status_code for key in (valid, stranger, valid)] == [200] * 3
        refused = client.get(USAGE, headers=both(mint()))
        assert (refused.status_code, refused.json()["code"]) == (429, "too-many-failures")


# 4. What Stripe refuses was our fault (500), and so were signed events without the form of one.


def test_what_stripe_refuses_is_no_fault_of_ours(
    holder: Holder, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(holder, stripe, bought(holder, stripe))
    event = stripe.event("customer.subscription.updated", stripe.subscriptions["sub_1"])
    monkeypatch.setattr("stripe._http_client.HTTPClient._sleep_time_seconds", lambda *_: 0.0)
    for status, kind, code in (
        (401, "invalid_request_error", "billing-refused"),
        (403, "invalid_request_error", "billing-refused"),
        (400, "invalid_request_error", "billing-refused"),
        (402, "card_error", "billing-refused"),
        (409, "idempotency_error", "billing-unavailable"),
        (429, "rate_limit_error", "billing-unavailable"),
        (500, "api_error", "billing-unavailable"),
    ):
        refusal = status, {"error": {"type": kind, "message": "no"}}
        monkeypatch.setattr(stripe, "answer", lambda *_, refusal=refusal: refusal)
        for response in (
            holder.client.post("/api/account/checkout", json={"planId": "business"}),
            holder.client.post("/api/account/portal"),
            holder.client.post(EVENTS, content=event[0], headers={"stripe-signature": event[1]}),
        ):
            assert (status, response.status_code, response.json()["code"]) == (status, 503, code)


def test_a_signed_event_without_the_form_of_one_is_refused(holder: Holder) -> None:
    for body in (
        "", "1", "[]", "null", "{}", '{"id": "evt_1"}', '{"id": "evt_1", "type": "invoice.paid"}', "[" * 9_000,
        '{"id": "evt_1", "type": "invoice.paid", "data": []}', '{"id": 1, "type": "a", "data": {"object": {}}}',
        '{"id": "evt_1", "type": "customer.subscription.updated", "data": {"object": {}}}',
        '{"id": "evt_1", "type": "customer.subscription.updated", "data": {"object": {"id": "sub\\u0000"}}}',
        '{"id": "evt_1", "type": "checkout.session.completed", "data": {"object": {"id": null}}}',
        '{"id": "evt_1", "type": "checkout.session.completed", "data": {"object": "cs_1"}}',
        '{"id": "evt_1", "type": "invoice.paid", "data": {"object": {"parent": "sub_1"}}}',
        '{"id": "evt_\\u0000", "type": "customer.created", "data": {"object": {}}}',
    ):  # fmt: skip
        response = holder.client.post(EVENTS, content=body, headers={"stripe-signature": sign(body.encode())})
        assert (body, response.status_code, response.json()["code"]) == (body, 400, "bad-event")


def test_a_signature_that_is_no_ascii_is_refused(holder: Holder) -> None:
    for value in (b"t=1,v1=\xe9", b"t=\xb2,v1=aa", b"\xff"):
        response = holder.client.post(EVENTS, content=b"{}", headers={b"stripe-signature": value})
        assert (response.status_code, response.json()["code"]) == (400, "bad-signature")


# 6. A NUL in a path, a form or JSON was a 500 on PostgreSQL, partly without a session; so was one of two equal
#    checkouts at once.


def test_a_nul_is_refused_wherever_it_comes_in(tmp_path: Path, store_url: str) -> None:
    nul, token = "a\0@example.ec", {"token": "\0", "password": PASSWORD}
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url) as client:
        enrol(client, tmp_path)
        paid = client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"].partition("?")[0]
        assert client.get(paid).status_code == 200
        for path, body in (
            ("/session", {"email": nul, "password": PASSWORD}),
            ("", {"email": "a@example.ec", "password": f"{PASSWORD}\0"}),
            ("/password/forgotten", {"email": nul}),
            ("/password/reset", token),
            ("/verify", token),
            ("/checkout", {"planId": "\0"}),
        ):
            response = client.post(f"/api/account{path}", json=body)
            assert (path, response.status_code, response.json()["code"]) == (path, 400, "control-characters")
        for method, path in (("DELETE", "key_%00"), ("POST", "key_%00/rotate")):
            response = client.request(method, f"/api/account/keys/{path}", json={})
            assert (path, response.status_code, response.json()["code"]) == (path, 404, "key-not-found")
        for address in (f"{paid}%00", "/sandbox/portal/%00"):
            assert (address, client.get(address).status_code) == (address, 404)
        for page, form, status in (
            ("log-in", {"email": nul, "password": PASSWORD}, 400),
            ("keys", {"do": "revoke", "key": "key_\0"}, 400),
            ("watchlists", {"do": "forget-search", "list": "x", "search": "\0"}, 400),
        ):
            assert (page, client.post(f"/es/account/{page}", data=form).status_code) == (page, status)


def one_waits(store: Store) -> bool:
    """Return whether a transaction waits for a lock of another one, in PostgreSQL."""
    locked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with store.reading() as connection:
        return connection.execute(text(locked)).scalar_one() > 0


@pytest.mark.verify
def test_two_equal_checkouts_at_once_are_one(tmp_path: Path, database: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=database) as client:
        services = client.app.state.services
        store, sandbox = services.store, services.sandbox
        buyer, pro = Buyer("acc_1", "ana@example.ec", None), services.plans.plan("pro")
        with ThreadPoolExecutor(1) as pool:
            with store.writing() as connection:
                values = {"id": "sbx_chk_1", "account": "acc_1", "plan": "pro", "period": "month", "state": "open"}
                times = {"ending": False, "expires_at": 9_999_999_999, "period_end": 0}
                connection.execute(sandbox_table.insert().values(values | times))
                second = pool.submit(sandbox.start, "chk_1", buyer, pro, "month", "es")
                until(lambda: one_waits(store))
            assert second.result().expires_at == 9_999_999_999


# 2. A plan that was removed from the table made every call of those who have it 400 `unknown-plan`, without a warning.


def test_a_plan_removed_from_the_table_leaves_free_and_a_warning(tmp_path: Path, store_url: str) -> None:
    reduced = tmp_path / "plans.toml"
    table = BUNDLED.read_text(encoding="utf-8")
    reduced.write_text(table.replace("[plans.pro]", "[plans.premium]"), encoding="utf-8")
    settings = {"PADRON_ACCOUNTS__URL": store_url, "PADRON_LIMITS__ENABLED": "1"}
    with account_service(tmp_path, **settings) as client:
        holder = enrol(client, tmp_path)
        key, store = holder.key(), holder.services.store
        admin.set_plan(store, holder.services.plans, "ana@example.ec", "pro")
        assert client.get(USAGE, headers=both(key)).json()["plan"] == "pro"
        session = dict(client.cookies)
    with account_service(tmp_path, PADRON_ACCOUNTS__PLANS=str(reduced), **settings) as client:
        client.cookies.update(session)
        services = client.app.state.services
        shown = client.get(USAGE, headers=both(key))
        assert (shown.status_code, shown.json()["plan"], shown.json()["minute"]["limit"]) == (200, "free", 60)
        assert client.get(FINANCIALS, headers=both(key)).json()["code"] == "plan-required"
        for path in ("/api/account", "/api/account/usage"):
            assert (path, client.get(path).json()["plan"]) == (path, "free")
        assert client.get("/en/account/plan").status_code == 200
        assert client.post("/api/account/keys", json={"name": "dos"}).status_code == 201
        assert client.post("/api/account/checkout", json={"planId": "business"}).status_code == 201
        with pytest.raises(Invalid, match=r"plan-missing plans=\['pro'\]"):
            services.subscriptions.check_plans()
        (finding,) = doctor._accounts(load({"PADRON_ACCOUNTS__PLANS": str(reduced), **settings}, data=tmp_path))
        assert (finding.fault, finding.text.en) == (
            True,
            "Accounts have plans that the table of plans lacks, and get Free instead: pro. Add them to the table.",
        )
        (finding,) = doctor._accounts(load(settings, data=tmp_path))
        assert (finding.fault, finding.text.en) == (False, "accounts: correct")


# 5. Every attempt to log in with an unconfirmed address sent a mail: thirty attempts, thirty mails.


def test_attempts_to_log_in_unconfirmed_send_one_mail_an_hour(client: TestClient, tmp_path: Path) -> None:
    services, now = client.app.state.services, time.time()
    assert client.post("/api/account", json={"email": "ana@example.ec", "password": PASSWORD}).status_code == 202

    def sent() -> int | None:
        services.mail_sender.send_due()
        with services.store.reading() as connection:
            return None if count(connection, mails) else len(list((tmp_path / "mail").glob("[0-9]*.eml")))

    totals = [until(sent)]
    for minutes in (0, 1, 59, 61, 62, 119, 122):
        services.store._clock = lambda minutes=minutes: now + minutes * 60
        for _ in range(3):
            attempt = {"email": "ana@example.ec", "password": PASSWORD}
            assert client.post("/api/account/session", json=attempt).json()["code"] == "bad-login"
            totals.append(until(sent))
    assert totals == [1] + [1] * 9 + [2] * 9 + [3] * 3


# 8. The mails in the folder were encoded for transport, which broke their links: the first journey failed at the copy.


def test_the_link_in_the_mail_file_can_be_copied(holder: Holder) -> None:
    (file,) = (holder.data / "mail").glob("*.eml")
    raw = file.read_text(encoding="utf-8")
    (link,) = re.findall(r"^http://127\.0\.0\.1:8000/es/account/verify#token=[A-Za-z0-9_-]{43}$", raw, re.MULTILINE)
    assert token_in(holder.mails()[0]) == link.partition("=")[2]
    assert "Alguien, esperamos que usted" in raw


# 9. An Idempotency-Key never ended; texts that are no address passed as one; CSV had the `False` of Python.


def test_an_idempotency_key_ends_with_its_checkout(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url) as client:
        holder = enrol(client, tmp_path)

        def begin() -> str:
            begun = client.post("/api/account/checkout", json={"planId": "pro"}, headers={"idempotency-key": "mine"})
            assert begun.status_code == 201, begun.text
            return begun.json()["checkoutUrl"].partition("?")[0]

        abandoned = begin()
        assert begin() == abandoned
        client.post(abandoned, data={"move": "abandon"})
        paid = begin()
        assert paid != abandoned
        client.post(paid, data={"move": "complete"})
        assert begin() == paid
        client.post(paid.replace("checkout", "portal", 1), data={"move": "cancel"})
        assert begin() == paid
        later = time.time() + 31 * 86_400
        holder.services.store._clock = lambda: later
        client.post("/api/account/session", json={"email": "ana@example.ec", "password": PASSWORD})
        assert client.get("/api/account").json()["plan"] == "free"
        assert begin() not in {abandoned, paid}


@pytest.mark.parametrize("key", [b"", b"two words", "ñ".encode(), b"k" * 256], ids=["empty", "space", "ñ", "long"])
def test_a_malformed_idempotency_key_is_refused(holder: Holder, key: bytes) -> None:
    headers = {b"idempotency-key": key}
    answer = holder.client.post("/api/account/checkout", json={"planId": "pro"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-field")
    assert "Idempotency-Key" in answer.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    "address",
    [
        "=?utf-8?q?ana=40example.ec=2c?=@example.ec", "ana\u200b@example.ec", "ana@exam\u200bple.ec",
        "ana@\u2060example.ec",
        "ana@[192.0.2.1]", "ana@192.0.2.1", "ana,eva@example.ec", "ana\uff0ceva@example.ec",
        "ana@example.ec,eva@example.ec",
        "ana..eva@example.ec", ".ana@example.ec", "ana.@example.ec", "ana@-example.ec", "ana@example-.ec",
        "ana@example..ec",
        f"{'a' * 65}@example.ec", "ana@exa_mple.ec", "ana@example.1c",
    ],
)  # fmt: skip
def test_what_no_mail_server_takes_is_no_address(address: str) -> None:
    with pytest.raises(Invalid, match="bad-address"):
        validated_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "Ana@Example.EC", "ana.maria+padron@mail.example.com.ec", "o'hara_1@example.ec", "ñandú@señal.example",
        "a@b.co", "ana@xn--seal-hqa.example", f"{'a' * 64}@example.ec", "ana@1example.ec", "ana=x@example.ec",
    ],
)  # fmt: skip
def test_what_mail_servers_take_is_an_address(address: str) -> None:
    assert validated_address(f" {address} ") == address.lower()


def test_csv_has_no_words_of_python(holder: Holder) -> None:
    key = holder.key()
    admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", "pro")
    holder.services.grants.refresh()
    answer = holder.client.get(FINANCIALS, headers=both(key) | {"accept": "text/csv"})
    assert {row["restated"] for row in csv.DictReader(io.StringIO(answer.text))} == {"true", "false"}


# 9. Ten keys stayed alive on a plan of five: by replacing them with an overlap, and after a change to a lower plan.


def test_no_more_keys_work_than_the_plan_allows(holder: Holder) -> None:
    client, services = holder.client, holder.services

    def statuses() -> list[int]:
        services.grants.refresh()
        return [client.get(USAGE, headers=both(key)).status_code for key in working]

    working = [holder.key(f"k{number}") for number in range(5)]
    listed = client.get("/api/account/keys").json()["keys"]
    address = f"/api/account/keys/{listed[0]['id']}/rotate"
    replaced = int(listed[0]["name"][1:])
    working.append(client.post(address, json={"overlapSeconds": 60}).json()["apiKey"])
    assert statuses() == [200] * 6
    second = f"/api/account/keys/{listed[1]['id']}/rotate"
    for path in (second, "/api/account/keys"):
        refused = client.post(path, json={"overlapSeconds": 60} if path == second else {"name": "one more"})
        assert (refused.status_code, refused.json()["code"]) == (409, "too-many-keys")
    later = services.store.now() + 61
    services.store._clock = lambda: later
    assert statuses() == [401 if number == replaced else 200 for number in range(6)]
    del working[replaced]

    admin.set_plan(services.store, services.plans, "ana@example.ec", "pro")
    working += [holder.key(f"more{number}") for number in range(5)]
    assert statuses() == [200] * 10
    admin.set_plan(services.store, services.plans, "ana@example.ec", "free")
    assert sorted(statuses()) == [200] * 5 + [401] * 5
    late = working[statuses().index(401)]
    assert client.get(USAGE, headers=both(late)).json()["code"] == "key-beyond-plan"
    for key in client.get("/api/account/keys").json()["keys"]:
        if key["state"] == "active" and not key["name"].startswith("more"):
            client.delete(f"/api/account/keys/{key['id']}")
    assert statuses().count(200) == 5


# 9. Fifty wrong passwords, sent by anybody from anywhere, locked the owner out.


@pytest.mark.usefixtures("one_moment")
def test_wrong_passwords_of_others_do_not_lock_the_owner_out(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        known = {"padron-device": client.cookies.get("padron-device", "none.none")}

        def log_in(network: str, password: str, cookies: dict[str, str]) -> str:
            browser = TestClient(client.app, client=(network, 1), cookies=cookies, base_url=str(client.base_url))
            response = browser.post("/api/account/session", json={"email": "ana@example.ec", "password": password})
            return response.json().get("code", "logged in")

        codes = [log_in(f"192.0.2.{number % 6}", "a wrong password", {}) for number in range(60)]
        assert codes == ["bad-login"] * 50 + ["too-many-attempts"] * 10
        owner = "198.51.100.1"
        assert log_in(owner, PASSWORD, {}) == "too-many-attempts"
        assert log_in(owner, PASSWORD, known) == "logged in"
        number, _, signature = known["padron-device"].partition(".")
        for forged in (f"{number[::-1]}.{signature}", f"{number}.{signature[::-1]}", number):
            assert log_in(owner, PASSWORD, {"padron-device": forged}) == "too-many-attempts"
        assert [log_in(owner, "a wrong password", known) for _ in range(51)] == ["bad-login"] * 50 + [
            "too-many-attempts"
        ]

        browser = TestClient(client.app, client=(owner, 1), base_url=str(client.base_url))
        for _ in range(5):
            browser.post("/api/account", json={"email": "ana@example.ec", "password": PASSWORD})
        assert browser.post("/api/account/password/forgotten", json={"email": "ana@example.ec"}).status_code == 202
        holder.services.mail_sender.send_due()
        token = next(token_in(mail) for mail in letters(tmp_path, at_least=3) if "/reset#" in mail)
        changed = {"token": token, "password": f"{PASSWORD} nueva"}
        assert browser.post("/api/account/password/reset", json=changed).status_code == 200
        assert log_in(owner, f"{PASSWORD} nueva", {"padron-device": browser.cookies["padron-device"]}) == "logged in"


# 7. "Plus taxes" was shown and never charged, and every checkout made a new product at Stripe.


def test_a_checkout_asks_for_tax_at_a_fixed_price(holder: Holder, stripe: FakeStripe) -> None:
    deliver(holder, stripe, bought(holder, stripe))
    bought(holder, stripe, "business")
    first, second = (given for method, path, given, _ in stripe.requests if path == "/v1/checkout/sessions")
    for given, price in ((first, "price_pro"), (second, "price_business")):
        asked = {name: given.get(name) for name in given if name.startswith(("line", "auto", "billing", "tax"))}
        assert asked == {
            "line_items[0][price]": price,
            "line_items[0][quantity]": "1",
            "automatic_tax[enabled]": "true",
            "billing_address_collection": "required",
            "tax_id_collection[enabled]": "true",
        }
    updates = {name: value for name, value in second.items() if name.startswith("customer_update")}
    assert updates == {"customer_update[address]": "auto", "customer_update[name]": "auto"}
    assert not any("product" in name for name in first | second)


def test_a_price_that_differs_at_stripe_is_reported(holder: Holder, stripe: FakeStripe) -> None:
    subscriptions = holder.services.subscriptions
    subscriptions.check_plans()
    for change in (
        {"active": False},
        {"unit_amount": 4_901},
        {"currency": "eur"},
        {"tax_behavior": "inclusive"},
        {"recurring": None},
        {"recurring": {"interval": "year", "interval_count": 1}},
    ):
        good = stripe.prices["price_pro"]
        stripe.prices["price_pro"] = good | change
        with pytest.raises(Invalid, match=r"plan-price plans=\['pro'\]"):
            subscriptions.check_plans()
        stripe.prices["price_pro"] = good
    del stripe.prices["price_business"]
    with pytest.raises(Invalid, match=r"plan-price plans=\['business'\]"):
        subscriptions.check_plans()


def test_stripe_needs_the_ids_of_the_prices(tmp_path: Path) -> None:
    settings = {"PADRON_BILLING__STRIPE_KEY": KEY, "PADRON_BILLING__STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET}
    with pytest.raises(Invalid, match=r"`stripe_yearly_price` is missing: pro, business"):
        plans_of(load(settings, data=tmp_path))


# 7. Refunds and disputes were ignored.


def test_returned_payments_are_shown_to_the_operator(holder: Holder, stripe: FakeStripe) -> None:
    deliver(holder, stripe, bought(holder, stripe))
    customer = stripe.subscriptions["sub_1"]["customer"]
    stripe.charges["ch_1"] = {"id": "ch_1", "object": "charge", "customer": customer}
    stripe.charges["ch_2"] = stripe.charges["ch_1"] | {"id": "ch_2", "customer": "cus_of_another_deployment"}
    disputes = [{"id": f"dp_{number}", "object": "dispute", "charge": f"ch_{number}"} for number in (1, 2, 3)]
    for kind, things in (("charge.refunded", stripe.charges.values()), ("charge.dispute.created", disputes)):
        for thing in things:
            body, signature = stripe.event(kind, thing)
            for _ in range(2):
                response = holder.client.post(EVENTS, content=body, headers={"stripe-signature": signature})
                assert response.status_code == 204
    lines = admin.read_audit(holder.services.store, "ana@example.ec", None, 100)
    returned = [(line.actor, line.event, line.subject) for line in lines if line.event.startswith("payment-")]
    assert sorted(returned) == [("provider", "payment-disputed", "ch_1"), ("provider", "payment-refunded", "ch_1")]
    assert ended(stripe) == []
    without_form = stripe.event("charge.dispute.created", {"id": "dp_4"})
    response = holder.client.post(EVENTS, content=without_form[0], headers={"stripe-signature": without_form[1]})
    assert (response.status_code, response.json()["code"]) == (400, "bad-event")


# 15. Behind a proxy, with the base address forgotten, anybody gave themselves a plan in the sandbox.


@pytest.mark.parametrize(
    ("chosen", "fields", "status"),
    [
        ({}, {}, 200),
        ({}, {"host": "[::1]:8000"}, 200),
        ({}, {"host": "padron.example"}, 403),
        ({}, {"host": "127.0.0.1.padron.example"}, 403),
        ({}, {"host": "["}, 403),
        ({}, {"x-forwarded-for": "203.0.113.7"}, 403),
        ({}, {"forwarded": "for=203.0.113.7"}, 403),
        ({"PADRON_BILLING__PROVIDER": "sandbox"}, {"host": "padron.example", "via": "1.1 proxy"}, 200),
    ],
)
def test_a_sandbox_that_nobody_chose_answers_this_machine_only(
    tmp_path: Path, chosen: dict[str, str], fields: dict[str, str], status: int
) -> None:
    with account_service(tmp_path, **chosen) as client:
        enrol(client, tmp_path)
        checkout = client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
        assert client.get(checkout, headers=fields).status_code == status
        paid = client.post(checkout, data={"move": "complete"}, headers=fields)
        assert (paid.status_code, "PADRON_BILLING__PROVIDER" in paid.text) == (status, status == 403)
        plan = client.get("/api/account").json()["plan"]
        assert plan == ("pro" if status == 200 else "free")


# 16. A password takes long to compare: what began with the old one ended after the new one was set, with a session,
#     and after the deletion with a 500.


@pytest.mark.parametrize("act", ["log-in", "password", "address", "deletion"])
@pytest.mark.parametrize("meanwhile", ["new password", "deletion"])
def test_a_password_counts_only_while_it_is_that_of_the_account(
    holder: Holder, monkeypatch: pytest.MonkeyPatch, act: str, meanwhile: str
) -> None:
    holders = holder.services.holders
    owner = holders.holder_of(holder.client.cookies["padron"])
    calls: dict[str, Callable[[], object]] = {
        "log-in": lambda: holders.log_in("ana@example.ec", PASSWORD),
        "password": lambda: holders.change_password(owner, PASSWORD, f"other {PASSWORD}"),
        "address": lambda: holders.ask_new_address(owner, "other@example.ec", PASSWORD),
        "deletion": lambda: holders.delete(owner, PASSWORD),
    }
    compare = passwords.verify

    def slow(kept: str | None, password: str) -> bool:
        monkeypatch.setattr(passwords, "verify", compare)
        equal = compare(kept, password)
        if meanwhile == "deletion":
            holders.delete(owner, PASSWORD)
        else:
            holders.change_password(owner, PASSWORD, f"new {PASSWORD}")
        return equal

    monkeypatch.setattr(passwords, "verify", slow)
    with pytest.raises(Denied, match="bad-login"):
        calls[act]()
    with holder.services.store.reading() as connection:
        assert count(connection, sessions_table) == (0 if meanwhile == "deletion" else 1), "the one of the new password"
        assert count(connection, accounts, accounts.c.new_address.is_not(None)) == 0


@pytest.mark.parametrize("act", ["verify", "confirm"])
@pytest.mark.parametrize("meanwhile", ["new password", "deletion"])
def test_a_mailed_link_counts_only_beside_the_password_of_the_account(
    holder: Holder, monkeypatch: pytest.MonkeyPatch, act: str, meanwhile: str
) -> None:
    holders, store, address = holder.services.holders, holder.services.store, "eva@example.ec"
    if act == "verify":
        holders.sign_up(address, PASSWORD, "es")
    else:
        owner = holders.holder_of(holder.client.cookies["padron"])
        holders.ask_new_address(owner, address, PASSWORD)
    holder.services.mail_sender.send_due()
    token = token_in(letters(holder.data, address)[-1])
    compare = passwords.verify

    def slow(kept: str | None, password: str) -> bool:
        monkeypatch.setattr(passwords, "verify", compare)
        equal = compare(kept, password)
        if meanwhile == "deletion":
            admin.remove(store, address if act == "verify" else owner.address)
        elif act == "verify":
            holders.sign_up(address, f"new {PASSWORD}", "es")
        else:
            holders.change_password(owner, PASSWORD, f"new {PASSWORD}")
        return equal

    monkeypatch.setattr(passwords, "verify", slow)
    with pytest.raises(Denied, match="bad-login"):
        (holders.verify if act == "verify" else holders.confirm_address)(token, PASSWORD)


@pytest.mark.parametrize(("act", "method", "path"), [
    ("begin", "POST", ""), ("renew", "POST", "/recovery-codes"), ("remove", "DELETE", ""),
])  # fmt: skip
@pytest.mark.parametrize("meanwhile", ["new password", "deletion"])
def test_a_second_factor_changes_only_by_the_password_of_the_account(
    holder: Holder, monkeypatch: pytest.MonkeyPatch, act: str, method: str, path: str, meanwhile: str
) -> None:
    holders, store, seconds = holder.services.holders, holder.services.store, holder.services.context.second_factors
    owner = holders.holder_of(holder.client.cookies["padron"])
    own, other = (None, None) if act == "begin" else guard(holder)[1][:2]
    before = seconds.of(owner.id)
    compare = passwords.verify

    def slow(kept: str | None, password: str) -> bool:
        monkeypatch.setattr(passwords, "verify", compare)
        equal = compare(kept, password)
        if meanwhile == "deletion":
            holders.delete(owner, PASSWORD, other)
        else:
            holders.change_password(owner, PASSWORD, f"new {PASSWORD}", code=other)
        return equal

    monkeypatch.setattr(passwords, "verify", slow)
    body = {"password": PASSWORD, "code": own}
    response = holder.client.request(method, f"/api/account/second-factor{path}", json=body)
    assert (response.status_code, response.json()["code"]) == (401, "bad-login")
    left = max(0, before.recovery_codes - 2)
    assert seconds.of(owner.id) == (
        SecondFactor("off") if meanwhile == "deletion" else before._replace(recovery_codes=left)
    )
    with store.reading() as connection:
        assert count(connection, audit, audit.c.event.in_(["recovery-codes-renewed", "second-factor-off"])) == 0


@pytest.mark.parametrize("way", ["change", "reset"])
def test_an_enrolment_begun_under_the_old_password_ends_with_it(holder: Holder, way: str) -> None:
    begun = holder.client.post("/api/account/second-factor", json={"password": PASSWORD})
    assert begun.status_code == 200, begun.text
    holders, new = holder.services.holders, f"new {PASSWORD}"
    owner = holders.holder_of(holder.client.cookies["padron"])
    if way == "change":
        session = holders.change_password(owner, PASSWORD, new)
    else:
        holders.forget_password(owner.address)
        holder.services.mail_sender.send_due()
        session = holders.reset_password(token_in(letters(holder.data, owner.address)[-1]), new)
    holder.client.cookies["padron"] = session
    confirmed = holder.client.post(
        "/api/account/second-factor/confirm", json={"code": TOTP(begun.json()["secret"]).now()}
    )
    assert (confirmed.status_code, confirmed.json()["code"]) == (409, "second-factor-not-begun")


@pytest.mark.verify
def test_a_new_password_and_a_first_code_at_once_wait_for_each_other_in_one_order(
    tmp_path: Path, database: str
) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=database) as client:
        holder = enrol(client, tmp_path)
        seed = client.post("/api/account/second-factor", json={"password": PASSWORD}).json()["secret"]
        store, seconds = holder.services.store, holder.services.context.second_factors
        owner = holder.services.holders.holder_of(client.cookies["padron"])
        with ThreadPoolExecutor(1) as pool:
            with store.writing() as connection:
                lock(connection, owner.id)
                code = TOTP(seed).at(store.now())
                confirmed = pool.submit(seconds.confirm, owner.id, code, client.cookies["padron"])
                until(lambda: one_waits(store))
                end_enrolment(connection, owner.id)
            with pytest.raises(Invalid, match="second-factor-not-begun"):
                confirmed.result(PATIENCE)


def test_a_reset_that_meets_the_deletion_is_refused(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    holders = holder.services.holders
    owner = holders.holder_of(holder.client.cookies["padron"])
    holders.forget_password(owner.address)
    holder.services.mail_sender.send_due()
    token = token_in(letters(holder.data, owner.address)[-1])
    hashed = passwords.hashed

    def slow(password: str) -> str:
        holders.delete(owner, PASSWORD)
        return hashed(password)

    monkeypatch.setattr(passwords, "hashed", slow)
    with pytest.raises(Denied, match="bad-token"):
        holders.reset_password(token, f"new {PASSWORD}")


# 17. The end of a key in the year 9999, west of Greenwich, was stored, and from then on no list of keys was
#     answered; the page of keys answered 500 for a quota of 5,000 digits, and dropped one of other digits in silence.


def test_a_key_ends_in_a_year_that_can_be_written(holder: Holder) -> None:
    body = {"name": "x", "expiresAt": "9999-12-31T23:59:59-14:00"}
    refused = holder.client.post("/api/account/keys", json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-field")
    assert holder.client.get("/api/account/keys").json()["keys"] == []


@pytest.mark.parametrize("most", ["9" * 5_000, "1.000", "１００", "²", "1\u00a0000", "-1"])
def test_the_page_takes_only_whole_numbers_for_a_quota(holder: Holder, most: str) -> None:
    page = holder.client.post("/en/account/keys", data={"do": "create", "name": "x", "most": most})
    assert page.status_code == 400
    assert holder.client.get("/api/account/keys").json()["keys"] == []


# 18. Companies that a watchlist held already used up a number each of PostgreSQL, whose numbers had four bytes.


def test_companies_that_are_watched_already_use_up_no_number(holder: Holder) -> None:
    lists, account = holder.services.watching.watchlists, account_of(holder)
    own = lists.create(account, "Proveedores").id
    for _ in range(3):
        lists.change(account, own, WantedChange(add_companies=[("EC", "1")]))
    assert lists.change(account, own, WantedChange(add_companies=[("EC", "1"), ("EC", "2"), ("EC", "2")]))[1] == 1
    _, companies, _ = lists.page(account, own, 0, 10)
    assert [(company.number, company.identifier) for company in companies] == [(1, "1"), (2, "2")]


def test_numbers_of_watched_companies_have_more_than_four_bytes(holder: Holder) -> None:
    lists, account = holder.services.watching.watchlists, account_of(holder)
    own = lists.create(account, "Proveedores").id
    owned = {"account": account, "watchlist": own, "country": "EC", "added_at": 0}
    with holder.services.store.writing() as connection:
        row = owned | {"number": 3_000_000_000, "identifier": "1790016919001"}
        connection.execute(watched_companies.insert().values(row))
        if connection.dialect.name == "postgresql":
            for table in ("watched_companies", "messages"):
                connection.execute(text(f"ALTER SEQUENCE {table}_number_seq RESTART WITH 3000000001"))
    lists.change(account, own, WantedChange(add_companies=[("CO", "899999068")]))
    keys, listed = both(holder.key()), f"/api/v1/watchlists/{own}"
    first = holder.client.get(listed, params={"limit": 1}, headers=keys).json()
    assert first["nextCursor"] == "3000000000"
    second = holder.client.get(listed, params={"cursor": first["nextCursor"]}, headers=keys).json()
    assert [entry["identifier"] for entry in second["companies"]] == ["899999068"]
    assert [company.number for company in lists.page(account, own, 0, 10)[1]] == [3_000_000_000, 3_000_000_001]


def account_of(holder: Holder) -> str:
    return holder.services.holders.holder_of(holder.client.cookies["padron"]).id


# 19. A server of PostgreSQL that was lost without a word, a lock that nobody released, and a start that did not end
#     were waited for without end.


@pytest.fixture
def pair(database: str) -> Iterator[tuple[Store, Store]]:
    """Two stores of one database, with its tables."""
    stores = Store(database), Store(database)
    stores[0].migrate()
    yield stores
    for store in stores:
        store.close()


@pytest.mark.verify
def test_a_connection_has_the_limits_by_which_a_lost_server_is_noticed(pair: tuple[Store, Store]) -> None:
    with pair[0].reading() as connection:
        driver: Any = connection.connection.dbapi_connection
        with socket.socket(fileno=os.dup(driver.fileno())) as line:
            options = (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            assert [line.getsockopt(socket.IPPROTO_TCP, option) for option in options] == [10_000, 10, 5, 2]
            assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert connection.execute(text("SHOW lock_timeout")).scalar_one() == "5s"


@pytest.mark.verify
def test_a_lock_is_not_waited_for_without_end(pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("padron.accounts.store._BUSY", 0.05)
    with pair[0].writing() as first:
        increment_revision(first)
        with pytest.raises(Unavailable, match="accounts-unavailable"), pair[1].writing() as second:
            increment_revision(second)


@pytest.mark.verify
def test_a_start_beside_one_that_does_not_end_is_told(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("padron.accounts.store._TURN", 0.05)
    with pair[0].writing() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(7261)"))
        with pytest.raises(Unavailable, match="accounts-locked") as caught:
            pair[1].migrate()
    assert "padron@127.0.0.1" in caught.value.context["database"]
    pair[1].migrate()


@pytest.mark.verify
def test_a_start_waits_for_a_table_in_use_only_shortly(
    pair: tuple[Store, Store], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("padron.accounts.store._TURN", 2 * PATIENCE)
    monkeypatch.setattr("padron.accounts.store._TABLE", 0.05, raising=False)
    plant_next_migration(tmp_path, monkeypatch)
    with pair[0].reading() as connection:
        assert count(connection, messages) == 0
        with ThreadPoolExecutor(1) as pool:
            start = pool.submit(pair[1].migrate)
            try:
                with pytest.raises(Unavailable, match="accounts-locked"):
                    start.result(PATIENCE)
            finally:
                connection.rollback()
    pair[1].migrate()


# 20. On PostgreSQL a row that was locked kept others from adding what belongs to it: a reset and the mail of another,
#     the end of a try and a test message waited for each other until one of the two failed.


@pytest.fixture
def account(pair: tuple[Store, Store]) -> str:
    """The id of an account in the database of the two stores, with the hash `kept`."""
    with pair[0].writing() as connection:
        row = {"id": "acc_1", "address": "ana@example.ec", "password": "kept", "language": "es", "created_at": 0}
        connection.execute(accounts.insert().values(row))
    return "acc_1"


@pytest.mark.verify
@pytest.mark.parametrize("way", [
    lock, lambda connection, account: lock_with_password(connection, account, "kept"), second_factor._row,
], ids=["account", "password", "second factor"])  # fmt: skip
def test_mails_are_queued_and_made_beside_a_locked_account(
    pair: tuple[Store, Store], account: str, tmp_path: Path, way: Callable[[Connection, str], object]
) -> None:
    first, second = pair
    secret, plans = Secret("s" * 40), plans_of(load({}, data=tmp_path))
    holders = AccountHolders(second, secret, plans, SecondFactors(second, secret), Usage(second))
    sender = MailSender(second, holders, FolderTransport(tmp_path), "padron@example.ec", "http://127.0.0.1:8000")
    with first.writing() as connection:
        way(connection, account)
        holders.forget_password("ana@example.ec")
        assert sender.send_due() == 1


@pytest.mark.verify
def test_messages_are_queued_beside_a_locked_webhook(
    pair: tuple[Store, Store], account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, plans = Secret("s" * 40), plans_of(load({}, data=tmp_path))
    first, second = (Webhooks(store, secret, plans) for store in pair)
    watchlist = Watchlists(pair[0], plans).create(account, "Proveedores").id
    hook = first.create(account, watchlist, "https://hooks.example.ec/", "1-0")[0].id
    assert second.queue(WebhookReader(hook, "1-0", watchlist), "1-1", "[]")
    taken = first.take()
    assert taken is not None
    log, made = Webhooks._log, []

    def log_beside(webhooks: Webhooks, connection: Connection, *more: Any, **options: Any) -> Any:
        result = log(webhooks, connection, *more, **options)
        made.append(second.test(account, hook))
        return result

    monkeypatch.setattr(Webhooks, "_log", log_beside)
    first.record(taken, Outcome(204, None))
    assert [message.id for message in second.get(account, hook)[1]] == [made[0].id, taken.id]


# 21. A deletion took the account first and then waited for the mail that a worker held, which waited for the account.


@pytest.mark.verify
@pytest.mark.parametrize("step", [(AccountHolders, "token"), (Webhooks, "_log")], ids=["mail", "webhook"])
def test_an_account_is_deleted_beside_a_worker(
    pair: tuple[Store, Store],
    account: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: tuple[type[AccountHolders] | type[Webhooks], str],
) -> None:
    first, second = pair
    secret, plans = Secret("s" * 40), plans_of(load({}, data=tmp_path))
    holders = AccountHolders(first, secret, plans, SecondFactors(first, secret), Usage(first))
    webhooks = Webhooks(first, secret, plans)
    watchlist = Watchlists(first, plans).create(account, "Proveedores").id
    hook = webhooks.create(account, watchlist, "https://hooks.example.ec/", "1-0")[0].id
    webhooks.queue(WebhookReader(hook, "1-0", watchlist), "1-1", "[]")
    taken, own_step = webhooks.take(), getattr(*step)
    assert taken is not None
    with ThreadPoolExecutor(1) as pool:
        deletions: list[Future[None]] = []

        def step_beside_deletion(*arguments: Any, **options: Any) -> Any:
            deletions.append(pool.submit(remove, second, account, "operator"))
            until(lambda: one_waits(second))
            return own_step(*arguments, **options)

        monkeypatch.setattr(*step, step_beside_deletion)
        if step[0] is Webhooks:
            webhooks.record(taken, Outcome(410, "status"))
        else:
            holders.forget_password("ana@example.ec")
            sender = MailSender(first, holders, FolderTransport(tmp_path), "padron@example.ec", "http://127.0.0.1:8000")
            assert sender.send_due() == 1
        deletions[0].result(PATIENCE)
    with second.reading() as connection:
        assert [count(connection, table) for table in (accounts, mails, messages)] == [0, 0, 0]
