"""Administration of accounts at a terminal."""

from __future__ import annotations

import pytest

from bureau import PASSWORD, Holder, both
from padron.accounts import admin
from padron.errors import Invalid, NotFound

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
