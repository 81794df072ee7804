"""Versions of the terms: accepted with the account, asked again once, never in the way of programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from account_service import PASSWORD, account_service, both, enrol
from fake_stripe import KEY, WEBHOOK_SECRET, priced_plans
from padron.accounts import admin
from padron.accounts.plans import BUNDLED, TERMS, read_plans
from padron.words import translate
from parsed_page import Reading

NEW = "2030-01-31"
TEXT = "697247ed"
"""Begins the digest of the terms of `TERMS`, in both languages."""
TEMPLATE = Path(__file__).parents[2] / "src/padron/web/templates/terms.html"


@pytest.fixture
def renewed(tmp_path: Path) -> Iterator[tuple[TestClient, str]]:
    """The service with new terms, a holder who accepted those before, and a key."""
    with account_service(tmp_path) as client:
        key = enrol(client, tmp_path).key()
        assert client.get("/api/account").json()["termsVersion"] == TERMS
    table = tmp_path / "plans.toml"
    table.write_text(BUNDLED.read_text(encoding="utf-8").replace(TERMS, NEW), encoding="utf-8")
    with account_service(tmp_path, PADRON_ACCOUNTS__PLANS=str(table)) as client:
        yield client, key


def accepted(client: TestClient) -> list[tuple[str, str | None]]:
    lines = admin.read_audit(client.app.state.services.store, None, "terms-accepted", 10)
    return [(line.actor, line.subject) for line in lines]


def test_new_terms_are_asked_for_with_the_next_log_in_and_no_more(renewed: tuple[TestClient, str]) -> None:
    client, key = renewed
    assert client.get("/api/v1/search?q=petroleo", headers=both(key)).status_code == 200
    form = {"email": "ana@example.ec", "password": PASSWORD}
    asked = client.post("/en/account/log-in?next=/en/account/keys", data=form)
    assert asked.headers["location"] == "/en/account/terms?next=/en/account/keys"
    page = Reading(client.get(asked.headers["location"]).text)
    assert "have a new version, of January 31, 2030" in page.text
    assert "Read and accept the new terms" in Reading(client.get("/en/account").text).text
    assert client.get("/api/account").json()["termsVersion"] == TERMS
    for _ in range(2):  # two tabs
        done = client.post(asked.headers["location"], data={"version": NEW})
        assert (done.status_code, done.headers["location"]) == (303, "/en/account/keys")
    assert client.get("/api/account").json()["termsVersion"] == NEW
    assert sorted(accepted(client)) == [("account", TERMS), ("account", NEW)]
    assert "Read and accept the new terms" not in Reading(client.get("/en/account").text).text
    assert client.post("/en/account/log-in", data=form).headers["location"] == "/en/account"


def test_terms_that_are_not_in_force_are_not_accepted(renewed: tuple[TestClient, str]) -> None:
    client, _ = renewed
    client.post("/api/account/session", json={"email": "ana@example.ec", "password": PASSWORD})
    assert client.get("/api/account/plans").json()["termsVersion"] == NEW
    refused = client.put("/api/account/terms", json={"version": TERMS})
    assert (refused.status_code, refused.json()["code"]) == (409, "terms-changed")
    assert "2030-01-31" in refused.json()["detail"]
    assert "2030-01-31" in client.post("/es/account/terms", data={"version": TERMS}).text
    assert accepted(client) == [("account", TERMS)]
    assert client.put("/api/account/terms", json={"version": NEW}).json()["termsVersion"] == NEW


def test_an_account_that_an_operator_opened_has_accepted_nothing(tmp_path: Path) -> None:
    with account_service(tmp_path) as client:
        admin.create(client.app.state.services.store, "ana@example.ec", PASSWORD, "es")
        form = {"email": "ana@example.ec", "password": PASSWORD}
        assert client.post("/es/account/log-in", data=form).headers["location"] == "/es/account/terms"
        assert client.get("/api/account").json()["termsVersion"] is None


def test_other_words_have_another_version() -> None:
    sentences = re.findall(r'_\("((?:[^"\\]|\\.)+)"\)', TEMPLATE.read_text(encoding="utf-8"))
    assert len(sentences) > 10
    terms = read_plans().terms
    text = "\n".join([*sentences, *(translate(sentence, "es") for sentence in sentences), terms.es, terms.en])
    digest = sha256(text.encode()).hexdigest()
    assert digest.startswith(TEXT), (
        f"the terms have changed: give plans.TERMS and plans.toml a new day, TEXT {digest[:8]}"
    )
    assert read_plans().terms_version == TERMS


def test_the_page_names_who_handles_data(tmp_path: Path) -> None:
    with account_service(tmp_path) as client:
        assert "El operador no nombra ninguno." in Reading(client.get("/es/encargados").text).text
    table = Path(priced_plans(tmp_path))
    named = '[[processors]]\nname = "Correo <S.A.>"\ntask = { es = "Envía los correos.", en = "Sends the mails." }\n'
    table.write_text(f"{table.read_text(encoding='utf-8')}\n{named}", encoding="utf-8")
    billing = {"PADRON_BILLING__STRIPE_KEY": KEY, "PADRON_BILLING__STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET}
    with account_service(
        tmp_path, PADRON_ACCOUNTS__PLANS=str(table), PADRON_BILLING__STRIPE_URL="http://127.0.0.1:9", **billing
    ) as client:
        page = Reading(client.get("/en/processors").text)
    assert "Stripe" in page.text
    assert "Correo <S.A.>" in page.text
    assert "Sends the mails." in page.text
