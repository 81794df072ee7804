"""The whole way of a developer, over the sandbox."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, both, letters, token_in

FINANCIALS = "/api/v1/entities/BR/33000167000101/financials"


def test_from_signing_up_to_financials_and_back(client: TestClient, tmp_path: Path) -> None:
    services = client.app.state.services
    assert client.post("/api/account", json={"email": "Ana@Example.ec", "password": PASSWORD}).status_code == 202
    refused = client.post("/api/account/session", json={"email": "ana@example.ec", "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (401, "bad-login")
    services.mail_sender.send_due()
    token = token_in(letters(tmp_path)[0])
    entered = client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
    assert entered.status_code == 200
    assert entered.json()["email"] == "ana@example.ec"
    assert entered.json()["plan"] == "free"

    made = client.post("/api/account/keys", json={"name": "uno"})
    assert made.status_code == 201
    key = made.json()["apiKey"]
    assert key.startswith("pdr_live_")
    answer = client.get("/api/v1/search?q=petroleo", headers=both(key))
    assert answer.status_code == 200
    assert answer.json()["results"][0]["identifier"] == "33000167000101"
    entity = client.get("/api/v1/entities/br/33000167", headers=both(key))
    assert entity.json()["requestedIdentifier"]["match"] == "branch"
    assert entity.headers["content-location"] == "/api/v1/entities/BR/33000167000101"

    shut = client.get(FINANCIALS, headers=both(key))
    assert (shut.status_code, shut.json()["code"]) == (403, "plan-required")
    assert "Pro" in shut.json()["detail"]

    begun = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key))
    assert begun.status_code == 201
    assert set(begun.json()) == {"checkoutUrl", "checkoutId", "planId", "expiresAt"}
    page = urlsplit(begun.json()["checkoutUrl"])
    assert "49\u00a0USD" in client.get(f"{page.path}?{page.query}").text
    paid = client.post(page.path, data={"move": "complete"})
    assert "Pagada" in paid.text
    services.grants.refresh()

    opened = client.get(FINANCIALS, headers=both(key))
    assert opened.status_code == 200
    assert opened.headers["cache-control"] == "private, no-store"
    assert [statement["fiscalYear"] for statement in opened.json()["statements"]] == [2023, 2022]
    table = client.get(FINANCIALS, headers=both(key) | {"accept": "text/csv"})
    assert table.text.splitlines()[1].startswith("BR,33000167000101,2023,2023-01-01,2023-12-31,BRL,1,consolidated")
    again = client.post("/api/subscriptions/checkout", json={"planId": "pro"}, headers=both(key))
    assert (again.status_code, again.json()["code"]) == (409, "plan-already-active")

    place = client.post("/api/account/portal").json()["url"]
    left = client.post(urlsplit(place).path, data={"move": "cancel"})
    assert "Cancelada" in left.text
    account = client.get("/api/account").json()
    assert (account["plan"], account["subscription"]["ending"]) == ("pro", True)
    assert client.post("/en/account/plan", data={"do": "resume"}).headers["location"] == "/en/account/plan"
    assert client.get("/api/account").json()["subscription"]["ending"] is False
    client.post(urlsplit(place).path, data={"move": "cancel"})
    services.grants.refresh()
    later = services.store.now() + 31 * 86_400
    services.store._clock = lambda: later
    shut = client.get(FINANCIALS, headers=both(key))
    assert (shut.status_code, shut.json()["code"]) == (403, "plan-required")


def test_a_year_at_the_sandbox(holder: Holder) -> None:
    client, now = holder.client, holder.services.store.now()
    url = client.post("/api/account/checkout", json={"planId": "pro", "period": "year"}).json()["checkoutUrl"]
    assert '490\xa0USD</span> <span class="soft">al año, más impuestos' in client.get(url).text
    client.post(urlsplit(url).path, data={"move": "complete"})
    account = client.get("/api/account").json()
    assert (account["plan"], account["subscription"]["period"]) == ("pro", "year")
    subscriptions = holder.services.subscriptions
    ends = subscriptions.of(account["id"]).period_end
    assert 0 <= ends - now - 365 * 86_400 < 600
    holder.services.store._clock = lambda: ends + 1
    subscriptions.reconcile()
    assert subscriptions.of(account["id"]).period_end == ends + 365 * 86_400
