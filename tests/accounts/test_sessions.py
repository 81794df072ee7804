"""Account holders: the address proved, sessions, passwords, leaving; and nothing told to strangers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread, current_thread
from unicodedata import normalize

import msgspec
import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

import padron.api.account
from account_service import PASSWORD, Holder, account_service, letters, token_in
from padron.accounts import passwords
from padron.accounts.sessions import IDLE, SESSION
from padron.accounts.store import accounts, count, mails, sessions, tokens
from padron.api.account_model import Export
from padron.errors import Denied
from waiting import PATIENCE, until

NEW = "otra frase larga y distinta"


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def sign_up(client: TestClient, address: str = "ana@example.ec", password: str = PASSWORD):
    return client.post("/api/account", json={"email": address, "password": password})


def log_in(client: TestClient, address: str = "ana@example.ec", password: str = PASSWORD):
    return client.post("/api/account/session", json={"email": address, "password": password})


@pytest.mark.parametrize(
    "password",
    ["corta", "password123", "Contraseña2026!", "1234567890", "aaaaaaaaaaaa", "anamaria12", "qwertyuiop", "x" * 257],
)
def test_a_weak_password_is_refused(client: TestClient, password: str) -> None:
    response = sign_up(client, "anamaria@example.ec", password)
    assert refusal(response) in {(400, "weak-password"), (400, "invalid-field")}
    assert password not in response.text


@pytest.mark.parametrize("password", ["ana@example.ec", "Ana@Example.EC", "ana@example.ec1"])
def test_an_address_is_no_password_for_itself(client: TestClient, password: str) -> None:
    assert refusal(sign_up(client, " Ana@example.ec", password)) == (400, "weak-password")


def test_letters_are_the_same_however_they_are_composed(client: TestClient, tmp_path: Path) -> None:
    composed, decomposed = (normalize(form, "ñandú café\u00a0con leche") for form in ("NFC", "NFD"))
    address = normalize("NFD", "ñandú@señal.example")
    assert sign_up(client, address, decomposed).status_code == 202
    client.app.state.services.mail_sender.send_due()
    (letter,) = letters(tmp_path, normalize("NFC", address))
    for password in (composed, decomposed, composed.replace("\u00a0", " ")):
        token = {"token": token_in(letter), "password": password}
        if password == composed:
            assert client.post("/api/account/verify", json=token).status_code == 200
        for written in (address, normalize("NFC", address)):
            assert log_in(client, written, password).status_code == 200
    assert refusal(log_in(client, address, composed.replace("é", "e"))) == (401, "bad-login")


def test_a_password_that_was_hashed_as_it_was_typed_goes_on_working(holder: Holder) -> None:
    typed = normalize("NFD", "ñandú café con leche")
    with holder.services.store.writing() as connection:
        connection.execute(accounts.update().values(password=passwords._HASHER.hash(typed)))
    assert log_in(holder.client, password=typed).status_code == 200
    assert refusal(log_in(holder.client, password=typed.upper())) == (401, "bad-login")


@pytest.mark.parametrize(
    "address",
    ["", "ana", "ana@", "@example.ec", "ana@example", "ana@@example.ec", "a b@example.ec", "ana@exa\nmple.ec"],
)
def test_what_is_no_address_is_refused(client: TestClient, address: str) -> None:
    assert refusal(sign_up(client, address)) == (400, "bad-address")


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"{}", {"content-type": "text/plain"}, 415, "unsupported-media-type"),
        (b"{}", {}, 415, "unsupported-media-type"),
        (b"{", {"content-type": "application/json"}, 400, "malformed-json"),
        (b"\xff\xfe", {"content-type": "application/json"}, 400, "malformed-json"),
        (b"[]", {"content-type": "application/json"}, 400, "malformed-json"),
        (b"{}", {"content-type": "application/json"}, 400, "missing-field"),
        (b'{"email":1,"password":"x"}', {"content-type": "application/json"}, 400, "invalid-field"),
        (b'{"email":"a","password":"b","role":"c"}', {"content-type": "application/json"}, 400, "unknown-field"),
        (b"{" + b" " * 20_000 + b"}", {"content-type": "application/json"}, 413, "body-too-large"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_bad_bodies(
    client: TestClient, content: bytes, headers: dict[str, str], status: int, code: str, language: str
) -> None:
    response = client.post("/api/account", content=content, headers=headers | {"accept-language": language})
    assert refusal(response) == (status, code)
    assert response.headers["content-language"] == language


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"email": "ana@example.ec", "password": "short"}, "#/password"),
        ({"email": "nobody", "password": PASSWORD}, "#/email"),
        ({"email": 1, "password": PASSWORD}, "#/email"),
        ({"email": "ana@example.ec"}, "#/password"),
        ({"email": "ana@example.ec", "password": PASSWORD, "role": "x"}, "#/role"),
    ],
)
def test_a_refusal_points_to_the_member_of_the_body(client: TestClient, body: dict[str, object], pointer: str) -> None:
    (error,) = client.post("/api/account", json=body).json()["errors"]
    assert error["pointer"] == pointer
    assert "parameter" not in error


def test_a_taken_address_answers_as_a_free_one(client: TestClient, holder: Holder, tmp_path: Path) -> None:
    free, taken = sign_up(client, "eva@example.ec"), sign_up(client)
    assert (free.status_code, free.json()) == (taken.status_code, taken.json())
    holder.services.mail_sender.send_due()
    assert "Ya tiene una cuenta" in letters(tmp_path, "ana@example.ec")[-1]
    assert log_in(client).status_code == 200


def test_forgotten_and_wrong_answer_alike_for_everybody(client: TestClient, holder: Holder) -> None:
    known, unknown = (
        client.post("/api/account/password/forgotten", json={"email": address})
        for address in ("ana@example.ec", "nobody@example.ec")
    )
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json())
    wrong, nobody = log_in(client, password="not the password"), log_in(client, "nobody@example.ec")
    assert refusal(wrong) == refusal(nobody) == (401, "bad-login")
    assert wrong.json()["detail"] == nobody.json()["detail"]


def test_time_does_not_tell_whether_an_account_exists(
    client: TestClient, holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(padron.api.account, "FLOOR", 0.3)
    monkeypatch.setattr(padron.api.account, "asyncio", clock)
    monkeypatch.setattr(padron.api.account, "monotonic", lambda: clock.now)

    def seconds(address: str, work: float) -> float:
        started, clock.work = clock.now, work
        assert client.post("/api/account/password/forgotten", json={"email": address}).status_code == 202
        return clock.now - started

    assert seconds("ana@example.ec", 0.29) == pytest.approx(seconds("nobody@example.ec", 0.01))


class Clock:
    """The part of `asyncio` that answers use, on a clock that only work and waiting move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.work = 0.0

    def get_running_loop(self) -> Clock:
        return self

    async def run_in_executor(self, _: object, work: Callable[[], object]) -> object:
        """Work for `self.work` seconds."""
        self.now += self.work
        return work()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        self.now += seconds


def test_whoever_signs_up_for_somebody_else_does_not_own_the_account(client: TestClient, tmp_path: Path) -> None:
    sign_up(client, password="the intruder chose this")
    client.app.state.services.mail_sender.send_due()
    first = token_in(letters(tmp_path)[0])
    wrong = client.post("/api/account/verify", json={"token": first, "password": PASSWORD})
    assert refusal(wrong) == (401, "bad-login")
    sign_up(client)
    stale = client.post("/api/account/verify", json={"token": first, "password": "the intruder chose this"})
    assert refusal(stale) == (403, "bad-token")


def test_a_link_works_once_and_not_for_ever(client: TestClient, tmp_path: Path) -> None:
    services = client.app.state.services
    sign_up(client)
    services.mail_sender.send_due()
    token = token_in(letters(tmp_path)[0])
    real = services.store._clock
    services.store._clock = lambda: real() + 24 * 3600 + 1
    late = client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
    assert refusal(late) == (403, "bad-token")
    services.store._clock = real
    assert client.post("/api/account/verify", json={"token": token, "password": PASSWORD}).status_code == 200
    again = client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
    assert refusal(again) == (403, "bad-token")


def test_a_reset_ends_every_session_and_only_then_the_old_password(holder: Holder, tmp_path: Path) -> None:
    client = holder.client
    before = client.cookies["padron"]
    client.post("/api/account/password/forgotten", json={"email": "ANA@example.ec "})
    holder.services.mail_sender.send_due()
    token = token_in(letters(tmp_path)[-1])
    weak = client.post("/api/account/password/reset", json={"token": token, "password": "password123"})
    assert refusal(weak) == (400, "weak-password")
    assert client.get("/api/account").status_code == 200
    done = client.post("/api/account/password/reset", json={"token": token, "password": NEW})
    assert done.status_code == 200
    assert client.cookies["padron"] != before
    client.cookies.set("padron", before)
    client.cookies.clear()
    assert refusal(client.get("/api/account", headers={"cookie": f"padron={before}"})) == (401, "no-session")
    assert refusal(log_in(client)) == (401, "bad-login")
    assert log_in(client, password=NEW).status_code == 200


def test_a_new_password_by_the_old_one(holder: Holder) -> None:
    client = holder.client
    other = client.cookies["padron"]
    wrong = client.put("/api/account/password", json={"old": NEW, "new": NEW})
    assert refusal(wrong) == (401, "bad-login")
    assert client.put("/api/account/password", json={"old": PASSWORD, "new": NEW}).status_code == 200
    assert client.get("/api/account").status_code == 200
    holder.services.mail_sender.send_due()
    assert holder.mails()[-1].startswith("ana@example.ec\nSu cuenta de Padrón tiene una contraseña nueva\n")
    client.cookies.clear()
    assert client.get("/api/account", headers={"cookie": f"padron={other}"}).status_code == 401


def test_a_new_password_ends_the_links_that_would_set_another(holder: Holder) -> None:
    client, services, folder = holder.client, holder.services, holder.data / "mail"
    services.holders.forget_password("ana@example.ec")
    services.mail_sender.send_due()
    token = token_in(letters(holder.data, at_least=2)[-1])
    folder.rename(holder.data / "aside")
    folder.touch()  # no mail can be written: the next one waits
    services.holders.forget_password("ana@example.ec")
    assert client.put("/api/account/password", json={"old": PASSWORD, "new": NEW}).status_code == 200
    with services.store.reading() as connection:
        assert connection.execute(select(mails.c.kind)).scalars().all() == ["password-changed"]
        assert count(connection, tokens, tokens.c.purpose == "reset", tokens.c.used_at.is_(None)) == 0
    answer = client.post("/api/account/password/reset", json={"token": token, "password": PASSWORD})
    assert refusal(answer) == (403, "bad-token")
    assert log_in(client, password=NEW).status_code == 200


def test_the_cookie(tmp_path: Path, holder: Holder) -> None:
    given, device = log_in(holder.client).headers.get_list("set-cookie")
    assert device.startswith("padron-device=")
    assert given.startswith("padron=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(given.split("; "))
    assert "Secure" not in given
    with account_service(tmp_path / "tls", "https://padron.example") as client:
        sign_up(client)
        client.app.state.services.mail_sender.send_due()
        token = token_in(letters(tmp_path / "tls")[0])
        answer = client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
        given, device = answer.headers.get_list("set-cookie")
        assert given.startswith("__Host-padron=")
        assert device.startswith("__Host-padron-device=")
        for cookie in (given, device):
            assert {"HttpOnly", "SameSite=Lax", "Path=/", "Secure"} <= set(cookie.split("; "))
        assert client.get("/api/account").status_code == 200


def test_sessions_end(holder: Holder) -> None:
    client, store = holder.client, holder.services.store
    first = client.cookies["padron"]
    log_in(client)
    assert client.delete("/api/account/session").status_code == 204
    client.cookies.clear()
    old = {"cookie": f"padron={first}"}
    assert client.get("/api/account", headers=old).status_code == 200
    log_in(client)
    assert client.delete("/api/account/sessions").status_code == 204
    client.cookies.clear()
    assert refusal(client.get("/api/account", headers=old)) == (401, "no-session")
    log_in(client)
    session, real = {"cookie": f"padron={client.cookies['padron']}"}, store._clock
    client.cookies.clear()
    for days in range(6, 30, 6):
        store._clock = lambda days=days: real() + days * 86_400
        assert client.get("/api/account", headers=session).status_code == 200
        client.app.state.services.usage.flush()
    store._clock = lambda: real() + SESSION + 1
    assert client.get("/api/account", headers=session).status_code == 401
    store._clock = lambda: real() + 24 * 86_400 + IDLE + 3601
    assert client.get("/api/account", headers=session).status_code == 401


def test_a_session_of_hours_ago_waits_for_no_write(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of its use is written once the database takes it; until then all can be read."""
    monkeypatch.setattr("padron.accounts.store._BUSY", 0.05)
    log_in(holder.client)
    store = holder.services.store
    later = store.now() + 2 * 3_600
    store._clock = lambda: later

    def seen() -> list[int]:
        with store.reading() as connection:
            return sorted(connection.execute(select(sessions.c.seen_at)).scalars())

    before, answers = seen(), []

    def ask() -> None:
        answers.append(holder.client.get("/api/account").status_code)

    with store.writing() as connection:
        connection.execute(select(sessions.c.digest).with_for_update()).all()
        other = Thread(target=ask)  # within this one the lock would be its own
        other.start()
        other.join(PATIENCE)
        assert answers == [200]
        assert later not in seen()
    holder.services.usage.flush()
    assert seen() == [*before[:-1], later]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://127.0.0.1:8000"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8000", "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_requests_of_other_sites_change_nothing(holder: Holder, headers: dict[str, str], status: int) -> None:
    response = holder.client.patch("/api/account", json={"language": "en"}, headers=headers)
    assert response.status_code == status
    assert holder.client.get("/api/account").json()["language"] == ("en" if status == 200 else "es")


def test_leaving_takes_everything_but_the_audit_log(holder: Holder) -> None:
    holder.key()
    wrong = holder.client.request("DELETE", "/api/account", json={"password": NEW})
    assert refusal(wrong) == (401, "bad-login")
    assert holder.client.request("DELETE", "/api/account", json={"password": PASSWORD}).status_code == 204
    assert refusal(holder.client.get("/api/account")) == (401, "no-session")
    assert refusal(log_in(holder.client)) == (401, "bad-login")
    with holder.services.store.reading() as connection:
        assert connection.execute(accounts.select()).all() == []
        assert connection.execute(tokens.select()).all() == []
    holder.services.mail_sender.send_due()
    *_, last = letters(holder.data, "ana@example.ec", at_least=2)
    assert last.splitlines()[1] == "Su cuenta de Padrón fue eliminada"
    assert last.split()[-1] == "http://127.0.0.1:8000/es/account/sign-up"
    until(lambda: is_sent(holder))


def is_sent(holder: Holder) -> bool:
    with holder.services.store.reading() as connection:
        return count(connection, mails) == 0


def test_a_password_is_that_of_no_deleted_account(holder: Holder) -> None:
    holders, session = holder.services.holders, holder.client.cookies["padron"]
    gone = holders.holder_of(session)
    holders.delete(gone, PASSWORD)
    for act in (holders.check_password, holders.delete):
        with pytest.raises(Denied, match="bad-login"):
            act(gone, PASSWORD)


def test_a_copy_of_the_data_holds_no_way_in(holder: Holder) -> None:
    key = holder.key()
    response = holder.client.get("/api/account/export")
    document = response.json()
    assert document["account"]["address"] == "ana@example.ec"
    assert document["keys"][0]["name"] == "uno"
    assert {"signed-up", "verified", "key-created"} <= {line["event"] for line in document["audit"]}
    assert "digest" not in response.text
    assert "argon2" not in response.text
    assert key not in response.text
    assert response.headers["cache-control"] == "no-store"


def test_a_copy_of_the_data_is_encoded_beside_the_other_requests(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, threads = msgspec.json.encode, []

    def encode(document: object) -> bytes:
        if isinstance(document, Export):
            threads.append(current_thread().name.partition("_")[0])
        return genuine(document)

    monkeypatch.setattr(msgspec.json, "encode", encode)
    assert holder.client.get("/api/account/export").json()["account"]["address"] == "ana@example.ec"
    assert threads == ["accounts"]


@pytest.mark.usefixtures("one_moment")
def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        statuses = [log_in(client, f"a{number}@example.ec").status_code for number in range(31)]
        assert statuses == [401] * 30 + [429]
        refused = log_in(client)
        assert refusal(refused) == (429, "too-many-attempts")
        # A window spent at its very end opens a thirtieth of the next one later.
        assert int(refused.headers["retry-after"]) <= 930
        mails = [client.post("/api/account/password/forgotten", json={"email": "x@example.ec"}) for _ in range(6)]
        assert [response.status_code for response in mails] == [202] * 5 + [429]


def test_a_good_log_in_costs_nothing(tmp_path: Path, enrolled: Callable[[str], Holder]) -> None:
    with account_service(tmp_path / "limited", PADRON_LIMITS__ENABLED="1") as client:
        sign_up(client)
        client.app.state.services.mail_sender.send_due()
        token = token_in(letters(tmp_path / "limited")[0])
        client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
        assert {log_in(client).status_code for _ in range(35)} == {200}
