"""The second factor: enrolment, log-in, replay, recovery codes, mailed links, and that nobody else can lock it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pyotp
import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, account_service, enrol, letters, token_in
from account_service import guard as guard_by_second_factor
from padron.accounts import admin, passwords
from padron.accounts.cleanup import delete_expired
from padron.accounts.second_factor import ENROLLING, SecondFactors
from padron.accounts.store import count, recovery_codes, second_factors
from padron.errors import Denied, NotFound
from waiting import until

ANA = "ana@example.ec"
BASE = "/api/account/second-factor"
NEW = "otra frase larga y distinta"


class Guarded(NamedTuple):
    """A holder with a second factor, the app, and the recovery codes."""

    holder: Holder
    app: pyotp.TOTP
    recovery: list[str]

    def next_code(self) -> str:
        """A code that was not used yet: the clock of the service is half a minute later each time."""
        store, before = self.holder.services.store, self.holder.services.store.now()
        store._clock = lambda: before + 30
        return self.app.at(before + 30)

    def elsewhere(self) -> TestClient:
        """A browser that was not used before."""
        return TestClient(self.holder.client.app, base_url=str(self.holder.client.base_url), follow_redirects=False)


def guard(holder: Holder) -> Guarded:
    """Turn the second factor on."""
    return Guarded(holder, *guard_by_second_factor(holder))


@pytest.fixture
def guarded(holder: Holder) -> Guarded:
    return guard(holder)


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Guarded]:
    """The same where limits are on."""
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        yield guard(enrol(client, tmp_path))


def log_in(client: TestClient, code: str | None = None, password: str = PASSWORD) -> str:
    response = client.post("/api/account/session", json={"email": ANA, "password": password, "code": code})
    return response.json().get("code", "in")


def confirmed(guarded: Guarded, client: TestClient, method: str, path: str, **body: str) -> object:
    """Return the answer of an act that takes a fresh code: none, a wrong one and a used one are refused."""
    used = guarded.app.at(guarded.holder.services.store.now())
    for code, refusal in ((None, "code-required"), ("000000", "bad-code"), (used, "bad-code")):
        assert client.request(method, path, json=body | {"code": code}).json()["code"] == refusal
    answer = client.request(method, path, json=body | {"code": guarded.next_code()})
    return answer.json() if answer.content else answer.status_code


def subjects(holder: Holder) -> list[str]:
    holder.services.mail_sender.send_due()
    return [mail.splitlines()[1] for mail in letters(holder.data, ANA)]


def test_the_mail_about_a_new_second_factor_has_a_remedy_that_works_without_its_code(guarded: Guarded) -> None:
    assert subjects(guarded.holder)
    letter = next(text for text in letters(guarded.holder.data, ANA) if "código de su aplicación" in text)
    assert "Si no fue usted, responda a este mensaje enseguida" in letter
    assert "ponga una contraseña" not in letter


def test_an_app_is_enrolled_and_confirmed(holder: Holder) -> None:
    client, store = holder.client, holder.services.store
    off = {"state": "off", "confirmedAt": None, "recoveryCodesLeft": 0}
    assert client.get(BASE).json() == off
    assert client.post(BASE, json={"password": NEW}).json()["code"] == "bad-login"
    assert client.post(f"{BASE}/confirm", json={"code": "123456"}).json()["code"] == "second-factor-not-begun"
    first = client.post(BASE, json={"password": PASSWORD}).json()
    begun = client.post(BASE, json={"password": PASSWORD}).json()
    assert begun["secret"] != first["secret"]
    assert re.fullmatch("[A-Z2-7]{32}", begun["secret"])
    assert begun["uri"] == f"otpauth://totp/Padr%C3%B3n:ana%40example.ec?secret={begun['secret']}&issuer=Padr%C3%B3n"
    assert client.get(BASE).json() == off | {"state": "begun"}
    assert log_in(client) == "in"
    refused = client.post(f"{BASE}/confirm", json={"code": pyotp.TOTP(first["secret"]).at(store.now())})
    assert (refused.status_code, refused.json()["code"]) == (401, "bad-code")
    codes = client.post(f"{BASE}/confirm", json={"code": pyotp.TOTP(begun["secret"]).at(store.now())}).json()
    assert len(set(codes["recoveryCodes"])) == 10
    assert all(re.fullmatch("([a-z2-7]{4}-){3}[a-z2-7]{4}", code) for code in codes["recoveryCodes"])
    state = client.get(BASE).json()
    assert (state["state"], state["recoveryCodesLeft"], state["confirmedAt"] is None) == ("on", 10, False)
    assert subjects(holder)[-1] == "Su cuenta de Padrón tiene ahora un segundo factor"
    for again in (
        client.post(BASE, json={"password": PASSWORD}),
        client.post(f"{BASE}/confirm", json={"code": "123456"}),
    ):
        assert (again.status_code, again.json()["code"]) == (409, "second-factor-on")


def test_an_enrolment_that_nobody_confirms_is_forgotten(holder: Holder) -> None:
    store, now = holder.services.store, time.time()
    app = pyotp.TOTP(holder.client.post(BASE, json={"password": PASSWORD}).json()["secret"])
    store._clock = lambda: now + ENROLLING + 1
    late = holder.client.post(f"{BASE}/confirm", json={"code": app.at(store.now())})
    assert late.json()["code"] == "second-factor-not-begun"
    delete_expired(store)
    with store.reading() as connection:
        assert count(connection, second_factors) == 0


def test_sessions_that_the_password_alone_opened_end_with_the_first_code(holder: Holder) -> None:
    other = TestClient(holder.client.app, base_url=str(holder.client.base_url))
    assert log_in(other) == "in"
    begun = holder.client.post(BASE, json={"password": PASSWORD}).json()
    assert holder.client.post(f"{BASE}/confirm", json={"code": "000000"}).json()["code"] == "bad-code"
    assert other.get("/api/account").status_code == 200
    code = pyotp.TOTP(begun["secret"]).at(holder.services.store.now())
    assert holder.client.post(f"{BASE}/confirm", json={"code": code}).status_code == 200
    assert other.get("/api/account").json()["code"] == "no-session"
    assert holder.client.get("/api/account").status_code == 200


def test_a_code_is_asked_for_and_none_is_taken_twice(guarded: Guarded) -> None:
    client = guarded.elsewhere()
    assert log_in(client, password=NEW) == "bad-login"
    assert log_in(client) == "code-required"
    assert log_in(client, "12345٦") == log_in(client, "") == log_in(client, "x" * 40) == "bad-code"
    assert log_in(client, guarded.app.at(guarded.holder.services.store.now())) == "bad-code"
    code = guarded.next_code()
    assert log_in(client, code, NEW) == "bad-login"
    assert log_in(client, f"{code[:3]} {code[3:]}") == "in"
    assert log_in(client, code) == "bad-code"
    assert client.get("/api/account").status_code == 200
    later = guarded.next_code()
    now = guarded.holder.services.store.now()
    assert log_in(client, guarded.app.at(now + 90)) == "bad-code"
    assert log_in(client, guarded.app.at(now + 30)) == "in"
    assert log_in(client, later) == "bad-code"


def test_a_recovery_code_opens_once_and_is_told(guarded: Guarded) -> None:
    client, (first, second, *_) = guarded.elsewhere(), guarded.recovery
    assert log_in(client, first.upper().replace("-", " ")) == "in"
    assert log_in(client, first) == "bad-code"
    assert client.get(BASE).json()["recoveryCodesLeft"] == 9
    assert "Se usó un código de recuperación de su cuenta de Padrón" in subjects(guarded.holder)
    assert client.post(f"{BASE}/recovery-codes", json={"password": NEW}).json()["code"] == "bad-login"
    renewed = confirmed(guarded, client, "POST", f"{BASE}/recovery-codes", password=PASSWORD)["recoveryCodes"]
    assert "Su cuenta de Padrón tiene códigos de recuperación nuevos" in subjects(guarded.holder)
    assert log_in(client, second) == "bad-code"
    assert log_in(client, renewed[9]) == "in"


def test_a_mailed_link_does_not_pass_by_it(guarded: Guarded) -> None:
    client = guarded.elsewhere()
    client.post("/api/account/password/forgotten", json={"email": ANA})
    subjects(guarded.holder)
    body = {"token": token_in(letters(guarded.holder.data, ANA)[-1]), "password": NEW}
    for code, refusal in ((None, "code-required"), ("000000", "bad-code")):
        assert client.post("/api/account/password/reset", json=body | {"code": code}).json()["code"] == refusal
    assert log_in(client, guarded.next_code()) == "in"
    answer = client.post("/api/account/password/reset", json=body | {"code": guarded.next_code()})
    assert (answer.status_code, client.get("/api/account").status_code) == (200, 200)
    change = {"email": "eva@example.ec", "password": NEW}
    assert client.put("/api/account/email", json=change).status_code == 202
    guarded.holder.services.mail_sender.send_due()
    body = {"token": token_in(letters(guarded.holder.data, "eva@")[-1]), "password": NEW}
    assert client.post("/api/account/email/confirm", json=body).json()["code"] == "code-required"
    body["code"] = guarded.next_code()
    assert client.post("/api/account/email/confirm", json=body).json()["email"] == "eva@example.ec"


@pytest.mark.parametrize("act", ["reset", "confirm", "change", "log-in", "delete"])
def test_who_comes_second_keeps_the_code(guarded: Guarded, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """The first one uses the link, or changes the password, while the second one's password is compared or hashed."""
    holders, seconds = guarded.holder.services.holders, guarded.holder.services.context.second_factors
    owner = holders.holder_of(guarded.holder.client.cookies["padron"])
    first, second, last, *_ = guarded.recovery
    if act == "confirm":
        holders.ask_new_address(owner, "eva@example.ec", PASSWORD)
    else:
        holders.forget_password(ANA)
    guarded.holder.services.mail_sender.send_due()
    token = token_in(letters(guarded.holder.data, "eva@" if act == "confirm" else ANA)[-1])
    acts: dict[str, Callable[[str], object]] = {
        "reset": lambda code: holders.reset_password(token, NEW, code=code),
        "confirm": lambda code: holders.confirm_address(token, PASSWORD, code=code),
        "change": lambda code: holders.change_password(owner, PASSWORD, NEW, code=code),
        "log-in": lambda code: holders.log_in(ANA, PASSWORD, code=code),
        "delete": lambda code: holders.delete(owner, PASSWORD, code),
    }
    name = "hashed" if act == "reset" else "verify"
    work = getattr(passwords, name)

    def slow(*given: Any) -> Any:
        monkeypatch.setattr(passwords, name, work)
        acts[act if act in {"reset", "confirm"} else "reset"](first)
        return work(*given)

    with pytest.raises(Denied, match="bad-code"):
        acts[act]("000000")
    monkeypatch.setattr(passwords, name, slow)
    result = "bad-token" if act in {"reset", "confirm"} else "bad-login"
    with pytest.raises(Denied, match=result):
        acts[act](second)
    assert seconds.of(owner.id).recovery_codes == 9
    address, password = ("eva@example.ec", PASSWORD) if act == "confirm" else (ANA, NEW)
    assert holders.log_in(address, password, code=second)
    with pytest.raises(Denied, match="bad-code"):
        holders.log_in(address, password, code=first)
    assert holders.log_in(address, password, code=last)


def test_a_new_password_takes_a_code_and_is_told(guarded: Guarded) -> None:
    client, recovery = guarded.holder.client, guarded.recovery[0]
    weak = {"old": PASSWORD, "new": "password123", "code": recovery}
    assert client.put("/api/account/password", json=weak).json()["code"] == "weak-password"
    assert confirmed(guarded, client, "PUT", "/api/account/password", old=PASSWORD, new=NEW)["email"] == ANA
    assert "Su cuenta de Padrón tiene una contraseña nueva" in subjects(guarded.holder)
    again = {"old": NEW, "new": PASSWORD, "code": recovery}
    assert client.put("/api/account/password", json=again).status_code == 200


def test_a_guarded_account_is_deleted_with_a_code(guarded: Guarded) -> None:
    client = guarded.holder.client
    assert confirmed(guarded, client, "DELETE", "/api/account", password=PASSWORD) == 204
    assert client.get("/api/account").json()["code"] == "no-session"


def test_it_is_turned_off_with_the_password_and_a_code(guarded: Guarded) -> None:
    client = guarded.holder.client
    assert client.request("DELETE", BASE, json={"password": NEW}).json()["code"] == "bad-login"
    assert confirmed(guarded, client, "DELETE", BASE, password=PASSWORD) == 204
    assert client.request("DELETE", BASE, json={"password": PASSWORD}).json()["code"] == "no-second-factor"
    assert client.post(f"{BASE}/recovery-codes", json={"password": PASSWORD}).json()["code"] == "no-second-factor"
    assert log_in(guarded.elsewhere()) == "in"
    assert "Su cuenta de Padrón ya no tiene segundo factor" in subjects(guarded.holder)


def test_an_operator_turns_it_off(guarded: Guarded) -> None:
    store = guarded.holder.services.store
    admin.remove_second_factor(store, ANA)
    assert admin.read_audit(store, ANA, "second-factor-off", 9)[0].actor == "operator"
    assert log_in(guarded.elsewhere()) == "in"
    with pytest.raises(NotFound, match="no-second-factor"):
        admin.remove_second_factor(store, ANA)


def test_a_stolen_database_gives_no_code(guarded: Guarded) -> None:
    store = guarded.holder.services.store
    with store.reading() as connection:
        rows = repr([*connection.execute(second_factors.select()), *connection.execute(recovery_codes.select())])
        seed = connection.execute(second_factors.select()).one().seed
    text = guarded.holder.client.get("/api/account/export").text
    for code in (guarded.app.secret, *guarded.recovery, *(code.replace("-", "") for code in guarded.recovery)):
        assert code not in rows
        assert code not in text
    assert seed not in text


@pytest.mark.usefixtures("one_moment")
def test_ten_wrong_codes_are_taken_an_hour(limited: Guarded) -> None:
    thief = limited.elsewhere()
    assert [log_in(thief, "000000") for _ in range(11)] == ["bad-code"] * 10 + ["too-many-attempts"]
    assert log_in(thief, limited.next_code()) == "too-many-attempts"
    assert log_in(limited.holder.client, limited.next_code()) == "in"
    assert log_in(limited.elsewhere(), limited.recovery[0]) == "in"


@pytest.mark.usefixtures("one_moment")
def test_wrong_passwords_of_others_lock_nobody_out(limited: Guarded) -> None:
    others = limited.elsewhere()
    assert {log_in(others, "000000", NEW) for _ in range(30)} == {"bad-login"}
    assert log_in(others, password=PASSWORD) == "too-many-attempts"
    assert log_in(others, limited.recovery[0], NEW) == "bad-login"
    assert log_in(limited.elsewhere(), limited.recovery[0]) == "in"
    assert others.post("/api/account/password/reset", json={"token": "x", "password": NEW}).status_code == 429
    others.post("/api/account/password/forgotten", json={"email": ANA})
    subjects(limited.holder)
    body = {"token": token_in(letters(limited.holder.data, ANA)[-1]), "password": NEW, "code": limited.next_code()}
    assert limited.elsewhere().post("/api/account/password/reset", json=body).status_code == 200


def post(client: TestClient, page: str, **form: str) -> str:
    response = client.post(page, data=form)
    return response.headers.get("location") or response.text


def test_the_pages_do_all_of_it(holder: Holder) -> None:
    client, store = holder.client, holder.services.store
    page = post(client, "/es/account/security", do="enrol", password=PASSWORD)
    app = pyotp.TOTP(re.findall("<code>([A-Z2-7]{32})</code>", page)[0])
    picture = re.findall("<svg .*</svg>", page)
    assert '<div role="img" aria-label="Código QR para la aplicación; el texto de abajo dice lo mismo"><svg ' in page
    page = post(client, "/en/account/security", do="confirm", code="000000")
    assert "The code is wrong, too old or was already used." in page
    assert "recovery" not in page
    assert app.secret not in page
    again = post(client, "/en/account/security", do="confirm", code="000000", secret=app.secret)
    assert f"<code>{app.secret}</code>" in again
    assert f'name="secret" value="{app.secret}"' in again
    assert re.findall("<svg .*</svg>", again) == picture
    assert "<svg " not in post(client, "/en/account/security", do="confirm", code="000000", secret="A" * 4_000)
    page = post(client, "/en/account/security", do="confirm", code=app.at(store.now()))
    recovery = re.findall("<li><code>([a-z2-7-]{19})</code></li>", page)
    assert (len(recovery), "10 recovery codes are left." in page) == (10, True)
    client.cookies.clear()
    page = post(client, "/es/account/log-in", email=ANA, password=PASSWORD)
    assert "Esta cuenta tiene un segundo factor" in page
    assert 'name="code" type="text" value="" autocomplete="one-time-code"' in page
    assert post(client, "/es/account/log-in", email=ANA, password=PASSWORD, code=recovery[0]) == "/es/account"
    page = post(client, "/es/account/security", do="recovery", password=PASSWORD)
    assert "Solo si lo activó" not in page
    assert "Esta cuenta tiene un segundo factor" in page
    page = post(client, "/es/account/security", do="recovery", password=PASSWORD, code=recovery[1])
    renewed = re.findall("<li><code>([a-z2-7-]{19})</code></li>", page)
    assert "Quedan 10 códigos de recuperación." in page
    assert recovery[2] not in page
    form = {"do": "second-off", "password": PASSWORD, "code": renewed[0]}
    assert post(client, "/es/account/security", **form) == "/es/account/security"
    assert client.get(BASE).json()["state"] == "off"


@pytest.mark.parametrize("way", ["log-in", "password", "reset", "address"])
def test_what_began_before_a_second_factor_opens_no_session_after_it(
    holder: Holder, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    holders, using = holder.services.holders, SecondFactors.using
    owner, new = holders.holder_of(holder.client.cookies["padron"]), f"new {PASSWORD}"
    token = ""
    if way in {"reset", "address"}:
        if way == "reset":
            holders.forget_password(ANA)
        else:
            holders.ask_new_address(owner, "eva@example.ec", PASSWORD)
        holder.services.mail_sender.send_due()
        letter = until(lambda: [text for text in letters(holder.data) if f"/{way}#token=" in text])[-1]
        token = token_in(letter)
    calls: dict[str, Callable[[], object]] = {
        "log-in": lambda: holders.log_in(ANA, PASSWORD),
        "password": lambda: holders.change_password(owner, PASSWORD, new),
        "reset": lambda: holders.reset_password(token, new),
        "address": lambda: holders.confirm_address(token, PASSWORD),
    }

    def late(seconds: SecondFactors, account: str, code: str | None) -> AbstractContextManager[Connection]:
        monkeypatch.setattr(SecondFactors, "using", using)
        guard_by_second_factor(holder)
        return using(seconds, account, code)

    monkeypatch.setattr(SecondFactors, "using", late)
    with pytest.raises(Denied, match="code-required"):
        calls[way]()
    assert len(holders.sessions_of(holder.client.cookies["padron"])) == 1
    assert holders.holder_of(holder.client.cookies["padron"]).address == ANA
