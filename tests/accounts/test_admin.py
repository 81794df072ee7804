"""Administration of accounts at a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import padron.api.account
from account_service import PASSWORD, Holder, account_service, both, enrol, letters, token_in
from padron.accounts import admin
from padron.accounts.rate_limits import Quota
from padron.errors import Invalid, NotFound

SEARCH = "/api/v1/search?q=apple"
FINANCIALS = "/api/v1/entities/BR/33000167000101/financials"


def test_an_account_that_an_operator_opens_can_enter(holder: Holder) -> None:
    store = holder.services.store
    admin.create(store, "Eva@example.ec", PASSWORD, "en")
    entered = holder.client.post("/api/account/session", json={"email": "eva@example.ec", "password": PASSWORD})
    assert (entered.status_code, entered.json()["language"]) == (200, "en")
    with pytest.raises(Invalid, match="address-taken"):
        admin.create(store, "eva@example.ec", PASSWORD, "en")
    with pytest.raises(Invalid, match="weak-password"):
        admin.create(store, "leo@example.ec", "password123", "en")


def test_plans_given_and_taken_back(holder: Holder) -> None:
    store, plans, key = holder.services.store, holder.services.plans, holder.key()
    assert holder.client.get(FINANCIALS, headers=both(key)).status_code == 403
    for plan, status in (("business", 200), ("pro", 200), ("free", 403)):
        admin.set_plan(store, plans, "ana@example.ec", plan)
        holder.services.grants.refresh()
        assert holder.client.get(FINANCIALS, headers=both(key)).status_code == status
    line = admin.list_accounts(store)[0]
    assert (line.address, line.plan, line.keys, line.verified) == ("ana@example.ec", "free", 1, True)
    with pytest.raises(Invalid, match="unknown-plan"):
        admin.set_plan(store, plans, "ana@example.ec", "gold")
    with pytest.raises(NotFound, match="account-not-found"):
        admin.set_plan(store, plans, "nobody@example.ec", "pro")


def test_the_plan_of_an_account_that_pays_is_the_providers(holder: Holder) -> None:
    url = holder.client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
    holder.client.post(url.split("?")[0], data={"move": "complete"})
    with pytest.raises(Invalid, match="subscription-running"):
        admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", "business")


def test_a_key_revoked_and_an_account_exported(holder: Holder) -> None:
    key = holder.key()
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    admin.revoke(holder.services.store, holder.services.keys, shown["id"])
    holder.services.grants.refresh()
    assert holder.client.get("/api/v1/usage", headers=both(key)).json()["code"] == "key-revoked"
    with pytest.raises(NotFound, match="key-not-found"):
        admin.revoke(holder.services.store, holder.services.keys, "key_none")
    document = admin.export(holder.services.store, "ana@example.ec")
    assert [line["actor"] for line in document["audit"] if line["event"] == "key-revoked"] == ["operator"]


def test_a_suspended_account_reads_itself_and_makes_nothing(holder: Holder, tmp_path: Path) -> None:
    key, store = holder.key(), holder.services.store
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert holder.client.get(SEARCH, headers=both(key)).status_code == 200
    for _ in range(2):
        admin.suspend(store, "ana@example.ec")
    holder.services.grants.refresh()
    refused = holder.client.get(SEARCH, headers=both(key))
    assert (refused.status_code, refused.json()["code"]) == (403, "account-suspended")
    for path, body in (
        ("keys", {"name": "dos"}),
        (f"keys/{shown['id']}/rotate", {}),
        ("checkout", {"planId": "pro"}),
    ):
        refused = holder.client.post(f"/api/account/{path}", json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "account-suspended")
    assert holder.client.get("/api/account").json()["suspendedAt"] is not None
    assert "suspendió esta cuenta" in holder.client.get("/es/account").text
    assert holder.client.get("/api/account/export").status_code == 200
    assert "suspendida" in letters(tmp_path, at_least=2)[-1]
    assert admin.show(store, "Ana@example.ec").suspended is True
    for _ in range(2):
        admin.resume(store, "ana@example.ec")
    assert holder.client.get(SEARCH, headers=both(key)).status_code == 200
    assert holder.client.get("/api/account").json()["suspendedAt"] is None
    events = [(line.actor, line.event) for line in admin.read_audit(store, "ana@example.ec", None, 100)]
    assert (events.count(("operator", "suspended")), events.count(("operator", "resumed"))) == (1, 1)


@pytest.mark.usefixtures("one_moment")
def test_an_operator_unlocks_an_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padron.api.account, "GUESSING_ONE", Quota("log-in-account", 3, 900))
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        client.cookies.clear()

        def log_in(password: str) -> int:
            body = {"email": "ana@example.ec", "password": password}
            return client.post("/api/account/session", json=body).status_code

        assert [log_in("una clave que no es") for _ in range(4)] == [401, 401, 401, 429]
        assert log_in(PASSWORD) == 429
        admin.unlock(holder.services.store, "ana@example.ec")
        assert log_in(PASSWORD) == 200


def test_the_mail_of_an_address_to_be_confirmed_is_sent_again(client: TestClient, tmp_path: Path) -> None:
    sender, store = client.app.state.services.mail_sender, client.app.state.services.store
    client.post("/api/account", json={"email": "ana@example.ec", "password": PASSWORD})
    sender.send_due()
    first = letters(tmp_path)[-1]
    admin.resend(store, "ana@example.ec")
    sender.send_due()
    again = letters(tmp_path, at_least=2)[-1]
    assert token_in(again) != token_in(first)
    assert client.post("/api/account/verify", json={"token": token_in(again), "password": PASSWORD}).status_code == 200
    with pytest.raises(Invalid, match="already-confirmed"):
        admin.resend(store, "ana@example.ec")
    with pytest.raises(NotFound, match="account-not-found"):
        admin.resend(store, "nobody@example.ec")


def test_an_operator_deletes_an_account_that_pays_nothing(holder: Holder) -> None:
    key, store = holder.key(), holder.services.store
    url = holder.client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
    holder.client.post(url.split("?")[0], data={"move": "complete"})
    with pytest.raises(Invalid, match="subscription-running"):
        admin.remove(store, "ana@example.ec")
    place = holder.client.post("/api/account/portal").json()["url"]
    holder.client.post(place, data={"move": "cancel"})
    account = admin.show(store, "ana@example.ec").id
    admin.remove(store, "ana@example.ec")
    holder.services.grants.refresh()
    assert holder.client.get(SEARCH, headers=both(key)).json()["code"] == "key-unknown"
    assert holder.client.get("/api/account").json()["code"] == "no-session"
    (line,) = admin.read_audit(store, account, "deleted", 10)
    assert line.actor == "operator"
