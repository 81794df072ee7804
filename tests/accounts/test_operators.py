"""The page of operators: who may, what it does, and what the audit log has of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.testclient import TestClient

from account_service import Holder, both, enrol, guard
from padron.accounts import admin
from padron.accounts.store import Store
from padron.errors import messages
from parsed_page import Reading

PAGE = "/en/account/operator"
EVA, ANA = "eva@example.ec", "ana@example.ec"


class Office(NamedTuple):
    """A client with the session of the operator Eva, a key of the holder Ana, and the store."""

    client: TestClient
    key: str
    store: Store

    def do(self, order: str, **form: str) -> str:
        response = self.client.post(PAGE, data={"do": order, "account": ANA, **form})
        return Reading(response.text).text

    def orders(self) -> list[str]:
        """Orders of Eva about the account of Ana, or about none."""
        lines = admin.read_audit(self.store, EVA, None, 100)
        ana = admin.identify(self.store, ANA)
        return [line.event for line in lines if line.event.startswith("ordered-") and line.subject in {ana, None}]


@pytest.fixture
def office(client: TestClient, tmp_path: Path) -> Office:
    holder = enrol(client, tmp_path, ANA)
    key = holder.key()
    client.cookies.clear()
    operator = enrol(client, tmp_path, EVA)
    guard(operator)
    admin.grant_operator(holder.services.store, EVA)
    return Office(client, key, holder.services.store)


def test_an_account_is_looked_at(office: Office) -> None:
    page = Reading(office.client.get(f"{PAGE}?account={ANA.upper()}").text)
    for text in (ANA, "Keys in use 1", "active", "key-created", "Suspend"):
        assert text in page.text
    assert office.orders() == ["ordered-show"]
    assert "There is no account" in Reading(office.client.get(f"{PAGE}?account=leo@example.ec").text).text
    assert office.client.get(f"{PAGE}?account=%00").status_code == 400
    assert "Page of operators" in Reading(office.client.get("/en/account").text).text


def test_a_look_with_whatever_form_is_a_line(office: Office) -> None:
    forms = ({"do": "x"}, {"do": ""}, {"do": "create-key"}, {"do": "delete", "confirm": EVA}, {"do": "check-plans"})
    for number, form in enumerate(forms, 1):
        page = office.client.post(PAGE, data={"account": ANA, **form})
        assert "Keys in use 1" in Reading(page.text).text
        assert office.orders().count("ordered-show") == number
    assert sorted(set(office.orders())) == ["ordered-check-plans", "ordered-show"]


def test_every_order_does_what_its_command_does(office: Office) -> None:
    client, store = office.client, office.store
    grants = client.app.state.services.grants
    assert "Done." in office.do("suspend")
    grants.refresh()
    assert client.get("/api/v1/search?q=apple", headers=both(office.key)).json()["code"] == "account-suspended"
    assert "Done." in office.do("resume")
    grants.refresh()
    assert client.get("/api/v1/search?q=apple", headers=both(office.key)).status_code == 200
    assert "Done." in office.do("unlock")
    assert "is confirmed" in office.do("resend")
    made = re.search(r"pdr_live_\w+", office.do("create-key", name="dos"))
    assert made
    assert client.get("/api/v1/search?q=apple", headers=both(made[0])).status_code == 200
    assert made[0] not in client.get(f"{PAGE}?account={ANA}").text
    assert "already has that name" in office.do("create-key", name="dos"), "sent twice, it makes one key"
    assert "The plans agree." in office.do("check-plans")
    assert "Nothing was deleted" in office.do("delete", confirm="leo@example.ec")
    ana = admin.identify(store, ANA)
    for text in ("Done.", "no such account"):  # two tabs
        assert text in office.do("delete", confirm=ANA)
    lines = [(line.event, line.actor) for line in admin.read_audit(store, ana, None, 100)]
    done = {"suspended", "resumed", "unlocked", "key-created", "deleted"}
    assert {event for event, actor in lines if actor == "operator"} == done
    eva = [(line.event, line.actor) for line in admin.read_audit(store, EVA, None, 100) if line.subject == ana]
    orders = ("suspend", "resume", "unlock", "resend", "create-key", "create-key", "delete")
    looks = ["show"] * 9  # the page shows the account after each but its deletion, and after what was refused
    assert sorted(eva) == sorted((f"ordered-{order}", "operator") for order in (*orders, *looks))


def test_the_role_needs_a_second_factor_and_ends_at_once(client: TestClient, holder: Holder) -> None:
    store = holder.services.store
    detail = {code: messages.MESSAGES[code].title for code in ("operators-only", "operator-unguarded")}
    assert detail["operators-only"] in client.get(PAGE).text
    admin.grant_operator(store, ANA)
    assert detail["operator-unguarded"] in client.get(PAGE).text
    guard(holder)
    assert client.get(PAGE).status_code == 200
    admin.suspend(store, ANA)
    assert client.get(PAGE).status_code == 403
    admin.resume(store, ANA)
    for _ in range(2):
        admin.withdraw_operator(store, ANA)
    assert client.post(PAGE, data={"do": "delete", "account": ANA, "confirm": ANA}).status_code == 403
    events = [line.event for line in admin.read_audit(store, ANA, None, 100)]
    assert events.count("operator-withdrawn") == events.count("operator-granted") == 1
