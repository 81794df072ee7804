"""The list of sessions, the notice of a new browser, and the change of an e-mail address."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, enrol, letters, token_in
from padron.accounts.browsers import browser_of
from padron.accounts.cleanup import delete_expired
from padron.accounts.store import accounts, mails

ANA, NEW = "ana@example.ec", "ana.paz@example.ec"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.0 Safari/604.1"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 (KHTML) Chrome/140.0 Safari/537.36 Edg/140.0"


def browser(holder: Holder, agent: str, address: str = ANA) -> TestClient:
    """Another browser that logs in."""
    other = TestClient(holder.client.app, base_url=str(holder.client.base_url), headers={"user-agent": agent})
    response = other.post("/api/account/session", json={"email": address, "password": PASSWORD})
    assert response.status_code == 200, response.text
    return other


def sent(holder: Holder, to: str = ANA) -> list[str]:
    """The subjects of the mails to an address."""
    holder.services.mail_sender.send_due()
    return [mail.splitlines()[1] for mail in letters(holder.data, to)]


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (IPHONE, "Safari, iOS"),
        (EDGE, "Edge, Windows"),
        ("curl/8.14.1", "curl"),
        ("<script>", ""),
        ("", ""),
    ],
)
def test_a_browser_is_named_by_what_its_holder_knows(agent: str, name: str) -> None:
    assert browser_of(agent) == name


def test_sessions_are_listed_and_ended_one_by_one(holder: Holder) -> None:
    firefox, phone = browser(holder, FIREFOX), browser(holder, IPHONE)
    listed = firefox.get("/api/account/sessions").json()["sessions"]
    assert sorted(session["browser"] for session in listed) == ["", "Firefox, Linux", "Safari, iOS"]
    assert [session["browser"] for session in listed if session["current"]] == ["Firefox, Linux"]
    cookies = {client.cookies["padron"] for client in (firefox, phone, holder.client)}
    assert not any(cookie in str(listed) for cookie in cookies)
    (number,) = [session["id"] for session in listed if session["browser"] == "Safari, iOS"]
    assert firefox.delete(f"/api/account/sessions/{number}").status_code == 204
    assert phone.get("/api/account").json()["code"] == "no-session"
    assert holder.client.get("/api/account").status_code == 200
    for gone in (number, "ses_0123456789abcdef", "x"):
        assert firefox.delete(f"/api/account/sessions/{gone}").json()["code"] == "session-not-found"

    page = firefox.get("/en/account/security").text
    assert 'Firefox, Linux <span class="small soft">this session</span>' in page
    number = page.split('name="session" value="')[1][:20]
    assert firefox.post("/en/account/security", data={"do": "session", "session": number}).url.path.endswith("security")
    assert holder.client.get("/api/account").json()["code"] == "no-session"


def test_a_session_of_another_account_is_not_there(holder: Holder, tmp_path: Path) -> None:
    firefox = browser(holder, FIREFOX)
    (own, *_) = [s["id"] for s in firefox.get("/api/account/sessions").json()["sessions"] if s["current"]]
    other = enrol(holder.client, tmp_path, "eva@example.ec")
    assert other.client.delete(f"/api/account/sessions/{own}").json()["code"] == "session-not-found"
    assert firefox.get("/api/account").status_code == 200


def test_a_mail_tells_of_a_browser_that_was_not_used_before(holder: Holder) -> None:
    holder.client.post("/api/account/session", json={"email": ANA, "password": PASSWORD})
    assert "Un navegador nuevo entró en su cuenta de Padrón" not in sent(holder)
    firefox = browser(holder, FIREFOX)
    assert sent(holder)[-1] == "Un navegador nuevo entró en su cuenta de Padrón"
    before = len(sent(holder))
    firefox.post("/api/account/session", json={"email": ANA, "password": PASSWORD})
    assert len(sent(holder)) == before


def ask(holder: Holder, address: str = NEW, password: str = PASSWORD) -> str | int:
    response = holder.client.put("/api/account/email", json={"email": address, "password": password})
    return response.status_code if response.status_code == 202 else response.json()["code"]


def confirm(client: TestClient, token: str, password: str = PASSWORD) -> str:
    response = client.post("/api/account/email/confirm", json={"token": token, "password": password})
    return response.json().get("code") or response.json()["email"]


def test_an_address_changes_once_the_new_one_is_confirmed(holder: Holder) -> None:
    assert ask(holder, password="wrong password") == "bad-login"
    assert ask(holder, address="no address") == "bad-address"
    assert ask(holder) == 202
    assert sent(holder, NEW) == ["Confirme su nueva dirección para Padrón"]
    assert sent(holder)[-1] == "Su cuenta de Padrón está por cambiar de dirección"
    assert holder.client.get("/api/account").json()["email"] == ANA
    token = token_in(letters(holder.data, NEW)[-1])
    firefox = TestClient(holder.client.app, base_url=str(holder.client.base_url))
    assert confirm(firefox, token, "wrong password") == "bad-login"
    reset = holder.client.post("/api/account/password/forgotten", json={"email": ANA})
    assert (reset.status_code, sent(holder)[-1]) == (202, "Una contraseña nueva para Padrón")
    assert confirm(firefox, token) == NEW
    assert confirm(firefox, token) == "bad-token"
    assert holder.client.get("/api/account").json()["code"] == "no-session"
    assert sent(holder)[-1] == "Su cuenta de Padrón tiene ahora otra dirección"
    browser(holder, FIREFOX, NEW)
    old = [mail for mail in letters(holder.data, ANA) if "/reset#" in mail][-1]
    response = firefox.post(
        "/api/account/password/reset", json={"token": token_in(old), "password": f"{PASSWORD} otra"}
    )
    assert response.json()["code"] == "bad-token"


def test_a_link_mailed_to_one_address_confirms_no_other(holder: Holder) -> None:
    store, folder, now = holder.services.store, holder.data / "mail", time.time()
    folder.rename(holder.data / "aside")
    folder.touch()  # no mail can be written: they wait
    assert [ask(holder, "first@example.ec"), ask(holder, NEW)] == [202, 202]
    with store.reading() as connection:
        waiting = connection.execute(select(mails.c.recipient).where(mails.c.kind == "new-address")).scalars().all()
    assert waiting == [NEW]
    folder.unlink()
    (holder.data / "aside").rename(folder)
    store._clock = lambda: now + 3_600  # those that were tried are tried again
    sent(holder, NEW)
    token = token_in(letters(holder.data, NEW)[-1])
    assert ask(holder, "third@example.ec") == 202
    assert confirm(holder.client, token) == "bad-token"
    sent(holder, "third@")
    assert confirm(holder.client, token_in(letters(holder.data, "third@")[-1])) == "third@example.ec"


def test_the_page_confirms_a_new_address(holder: Holder) -> None:
    form = {"do": "address", "email": NEW, "password": PASSWORD}
    assert '<p class="note" role="status">' in holder.client.post("/es/account/security", data=form).text
    sent(holder, NEW)
    letter = letters(holder.data, NEW)[-1]
    assert "/es/account/address#token=" in letter
    response = holder.client.post("/es/account/address", data={"token": token_in(letter), "password": PASSWORD})
    assert response.headers["location"] == "/es/account/security"
    assert holder.client.get("/api/account").json()["email"] == NEW


def test_a_new_password_ends_a_change_of_address(holder: Holder) -> None:
    assert ask(holder) == 202
    sent(holder, NEW)
    changed = {"old": PASSWORD, "new": f"{PASSWORD} azul"}
    assert holder.client.put("/api/account/password", json=changed).status_code == 200
    assert confirm(holder.client, token_in(letters(holder.data, NEW)[-1]), changed["new"]) == "bad-token"


def test_a_taken_address_is_known_to_its_reader_alone(holder: Holder, tmp_path: Path) -> None:
    enrol(holder.client, tmp_path, NEW)
    holder.client.post("/api/account/session", json={"email": ANA, "password": PASSWORD})
    assert ask(holder) == 202
    sent(holder, NEW)
    assert confirm(holder.client, token_in(letters(holder.data, NEW)[-1])) == "address-taken"
    assert holder.client.get("/api/account").json()["email"] == ANA


def test_a_change_that_nobody_confirms_is_forgotten(holder: Holder) -> None:
    store, now = holder.services.store, time.time()
    assert ask(holder) == 202
    delete_expired(store)
    holder.services.mail_sender.send_due()
    delete_expired(store)
    with store.reading() as connection:
        assert connection.execute(select(accounts.c.new_address)).scalar_one() == NEW
    store._clock = lambda: now + 90_000
    delete_expired(store)
    with store.reading() as connection:
        assert connection.execute(select(accounts.c.new_address)).scalar_one() is None
