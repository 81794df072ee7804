"""Test keys: a few companies, every feature, no quota; and keys that others found and reported."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, current_thread
from urllib.parse import unquote

import pytest
from sqlalchemy import Connection, event

from account_service import Holder, account_service, both, enrol, letters
from padron import threads
from padron.accounts.keys import Keys, is_key, mint
from padron.accounts.store import audit, key_usage
from padron.api.exposed_keys import ExposedKeys
from padron.api.sample import COMPANIES, NOBODY
from padron.transport.auth import FAILED
from waiting import PATIENCE, until

ENTITY = "/api/v1/entities/BR/33000167000101"
MATCH = "/api/v1/match"
EXPOSED = "/api/keys/exposed"


def code(holder: Holder, key: str, path: str) -> str | int:
    response = holder.client.get(path, headers=both(key))
    return response.status_code if response.status_code == 200 else response.json()["code"]


def test_a_test_key_answers_about_the_sample_alone(holder: Holder) -> None:
    key = holder.key("pruebas", test=True)
    assert key.startswith("pdr_test_")
    assert is_key(key)
    for path in (ENTITY, f"{ENTITY}/financials", "/api/v1/entities/br/33.000.167%2F0001-01"):
        assert code(holder, key, path) == 200
    for q in ("Petrobras", "PETROBRÁS", "33000167000101", NOBODY):
        assert code(holder, key, f"/api/v1/search?q={q}") == 200
    for path in (
        "/api/v1/search?q=caminos",
        "/api/v1/search?q=petrobras+caminos",
        "/api/v1/entities/MX/C%C3%91&850101AB1",
    ):
        assert code(holder, key, path) == "not-in-sample"
    assert code(holder, key, "/api/v1/entities/EC/9") == "company-not-found"
    refused = holder.client.get("/api/v1/search?q=caminos", headers=both(key)).json()
    assert "Petrobras" in refused["detail"]

    rows = [{"name": "Petrobras", "country": "BR"}, {"identifier": "320193"}]
    assert holder.client.post(MATCH, headers=both(key), json={"rows": rows}).status_code == 200
    response = holder.client.post(MATCH, headers=both(key), json={"rows": [*rows, {"name": "Caminos"}]})
    assert (response.status_code, response.json()["code"]) == (403, "not-in-sample")

    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert (shown["test"], shown["scopes"]) == (True, ["search", "entities", "financials"])
    assert '<span class="small soft">test</span>' in holder.client.get("/en/account/keys").text
    page = holder.client.post("/en/account/keys", data={"do": "create", "name": "otra", "test": "1"})
    assert "pdr_test_" in page.text.split('id="new-key">')[1][:12]


@pytest.mark.usefixtures("one_moment")
def test_a_test_key_touches_no_quota(tmp_path: Path, store_url: str) -> None:
    plans = tmp_path / "plans.toml"
    bundled = Path("src/padron/accounts/plans.toml").read_text()
    plans.write_text(bundled.replace("per_day = 1_000", "per_day = 2"))
    variables = {"PADRON_ACCOUNTS__URL": store_url, "PADRON_ACCOUNTS__PLANS": str(plans)}
    with account_service(tmp_path, **variables, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key, live = holder.key("pruebas", test=True), holder.key()
        assert [code(holder, key, ENTITY) for _ in range(5)] == [200] * 5
        assert code(holder, key, "/api/v1/entities/EC/9") == "company-not-found"
        holder.services.usage.flush()
        assert client.get("/api/account/usage").json()["day"]["remaining"] == 2
        with holder.services.store.reading() as connection:
            assert connection.execute(key_usage.select()).all() == []
        assert all(key["lastUsedAt"] for key in client.get("/api/account/keys").json()["keys"] if key["test"])
        assert [code(holder, live, ENTITY) for _ in range(3)] == [200, 200, "quota-exceeded"]
        assert code(holder, key, ENTITY) == 200


def test_a_replaced_test_key_is_one_again(holder: Holder) -> None:
    holder.key("pruebas", test=True)
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    made = holder.client.post(f"/api/account/keys/{shown['id']}/rotate", json={}).json()
    assert made["apiKey"].startswith("pdr_test_")
    assert made["key"]["test"] is True


def test_a_reported_key_is_told_to_its_owner_once(holder: Holder, tmp_path: Path) -> None:
    key = holder.key()
    report = [
        {"token": key, "type": "padron_api_key", "url": "https://example.com/x", "source": "content"},
        {"token": mint()},
        {"token": "hello"},
    ]
    for _ in range(2):
        assert holder.client.post(EXPOSED, json=report).status_code == 204
    assert holder.client.post(EXPOSED, json=[{"token": mint()}]).status_code == 204
    holder.services.mail_sender.send_due()
    sent = [mail for mail in holder.mails() if "\nUna de sus claves se encontró en público\n" in mail]
    assert len(sent) == 1
    assert key not in sent[0]
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["leakedAt"] is not None
    assert holder.client.get("/api/v1/usage", headers=both(key)).status_code == 200
    with holder.services.store.reading() as connection:
        lines = connection.execute(audit.select().where(audit.c.event == "key-leaked")).all()
    assert [line.subject for line in lines] == [shown["id"]]


@pytest.mark.parametrize("body", ["", "{}", "[1]", '[{"key": "x"}]', "[" * 5_000, '[{"token": null}]'])
def test_a_report_without_the_form_of_one_is_refused(holder: Holder, body: str) -> None:
    response = holder.client.post(EXPOSED, content=body)
    assert (response.status_code, response.json()["code"]) == (400, "bad-report")
    assert response.json()["detail"] == "El cuerpo no es un arreglo JSON de objetos con la clave en `token`."


def test_a_report_is_read_beside_the_event_loop_and_is_no_longer_than_a_thousand_keys(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in: list[str] = []
    notify = ExposedKeys._notify

    def noted(endpoint: ExposedKeys, report: bytes) -> None:
        read_in.append(current_thread().name)
        notify(endpoint, report)

    monkeypatch.setattr(ExposedKeys, "_notify", noted)
    address = f"https://github.com/{'x' * 39}/{'y' * 60}"
    report = [{"token": mint(), "type": "padron_api_key", "url": address}] * 1_000
    assert holder.client.post(EXPOSED, json=report).status_code == 204
    refused = holder.client.post(EXPOSED, content=b"[%s]" % b",".join([b"{}"] * 349_000))
    assert (refused.status_code, refused.json()["code"]) == (413, "body-too-large")
    assert read_in == ["reporting_0"]


def test_an_odd_element_of_a_report_does_not_hide_the_others(holder: Holder) -> None:
    report = [1, None, [], {}, {"token": None}, {"token": [1]}, "x", {"token": "\0"}, {"token": holder.key()}]
    assert holder.client.post(EXPOSED, json=report).status_code == 204
    assert holder.client.post(EXPOSED, json=[]).status_code == 204
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["leakedAt"] is not None


@pytest.mark.usefixtures("one_moment")
def test_reports_are_limited_by_address(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        statuses = [client.post(EXPOSED, json=[{"token": mint()}]).status_code for _ in range(61)]
    assert statuses == [204] * 60 + [429]


def test_reports_that_take_long_occupy_no_thread_of_others(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    free, begun = Event(), Event()
    monkeypatch.setattr(Keys, "leaked", lambda *_: begun.set() or free.wait(PATIENCE))
    with ThreadPoolExecutor(40) as senders:
        sent = [senders.submit(holder.client.post, EXPOSED, json=[{"token": mint()}]) for _ in range(40)]
        try:
            assert begun.wait(PATIENCE)
            until(threads.REPORTING.waiting)
            answers = [holder.client.get(path).status_code for path in ("/api/account/keys", "/api/account/usage")]
            waiting = threads.REPORTING.waiting()
        finally:
            free.set()
    assert answers == [200, 200]
    assert waiting == 1, "of one network two are there, one of them at work"
    assert {answer.result().status_code for answer in sent} == {204}


def test_a_report_beyond_those_that_wait_is_told_to_come_again(holder: Holder) -> None:
    free = Event()
    for _ in range(int(threads.REPORTING.most_waiting) + 1):
        threads.REPORTING.submit(free.wait, PATIENCE)
    try:
        refused = holder.client.post(EXPOSED, json=[{"token": mint()}])
    finally:
        free.set()
    assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (503, "busy", "5")


def test_a_test_key_in_an_address_is_refused_too(holder: Holder) -> None:
    key = holder.key("pruebas", test=True)
    response = holder.client.get(f"/api/v1/usage?apiKey={key}")
    assert (response.status_code, response.json()["code"]) == (400, "key-in-url")
    holder.services.mail_sender.send_due()
    assert "dirección web" in holder.mails()[-1]


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/api/v1/entities/{}/1"), ("POST", "/mcp?apiKey={}"), ("GET", "/api/public/empresas/search?q={}"),
        ("GET", "/es/buscar?q={}"), ("GET", "/nowhere/{}"), ("GET", "/api/account/keys/{}"), ("GET", "/healthz?{}"),
    ],
)  # fmt: skip
def test_a_key_anywhere_in_an_address_is_refused(holder: Holder, method: str, target: str) -> None:
    key = holder.key()
    response = holder.client.request(method, target.format(key))
    assert (response.status_code, response.json()["code"]) == (400, "key-in-url")
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["leakedAt"] is not None
    holder.services.mail_sender.send_due()
    assert "dirección web" in letters(holder.data, at_least=2)[-1]
    assert "key-in-url" not in holder.client.request(method, target.format("pdr_live_x")).text


@pytest.mark.usefixtures("one_moment")
def test_a_key_in_an_address_is_recorded_however_much_its_sender_has_got_wrong(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        for _ in range(FAILED.amount):
            assert client.get("/api/v1/usage", headers={"authorization": f"Bearer {mint()}"}).status_code == 401
        response = client.get(f"/nowhere/{key}")
        assert (response.status_code, response.json()["code"]) == (429, "too-many-failures")
        (shown,) = client.get("/api/account/keys").json()["keys"]
        assert shown["leakedAt"] is not None


@pytest.mark.parametrize(
    "target", ["/api/public/empresas/search?q={}", "/es/buscar?{}=1", "/api/v1/entities/{}/1", "/nowhere/%{}"]
)
@pytest.mark.parametrize("encoded", ["_", "p", "live_", "every"])
def test_a_key_in_an_address_is_known_in_percent_encoding(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], target: str, encoded: str
) -> None:
    with account_service(tmp_path) as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        form = "%{:02x}" if encoded == "_" else "%{:02X}"
        written = "".join(form.format(ord(sign)) if encoded == "every" or sign in encoded else sign for sign in key)
        twice = client.get(target.format(written.replace("%", "%25")))
        assert "key-in-url" not in twice.text, "what is encoded twice is no key to whoever decodes once"
        response = client.get(target.format(written))
        assert (response.status_code, response.json()["code"]) == (400, "key-in-url")
        (shown,) = client.get("/api/account/keys").json()["keys"]
        assert shown["leakedAt"] is not None
    log = unquote(capfd.readouterr().out)
    assert "key-in-url" in log
    assert key not in log


def test_a_key_in_an_address_is_refused_without_the_database_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kept").mkdir()
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=f"sqlite:///{tmp_path}/kept/accounts.sqlite") as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        (tmp_path / "kept").rename(tmp_path / "gone")
        holder.services.store.close()
        for target in ("/api/public/empresas/search?q={}", "/es/buscar?q={}", f"/nowhere/{{}}?{mint()}"):
            response = client.get(target.format(key))
            assert (response.status_code, response.json()["code"]) == (400, "key-in-url")
        (tmp_path / "gone").rename(tmp_path / "kept")
        (shown,) = client.get("/api/account/keys").json()["keys"]
        assert shown["leakedAt"] is None
        assert client.get(f"/nowhere/{key}").json()["code"] == "key-in-url"
        (shown,) = client.get("/api/account/keys").json()["keys"]
        assert shown["leakedAt"] is not None
    log = capfd.readouterr().out
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line.get("unrecorded_keys") for line in lines if line.get("code") == "key-in-url"] == [1, 1, 2, None]
    assert key not in log


def test_the_sample_has_a_company_of_every_country() -> None:
    assert sorted(country for country, _ in COMPANIES) == ["AR", "BR", "CO", "EC", "MX", "US"]


def test_a_report_of_invented_keys_writes_nothing(holder: Holder) -> None:
    key, store, writes = holder.key(), holder.services.store, []

    def note(connection: Connection) -> None:
        if connection.get_execution_options().get("padron_writes"):
            writes.append(connection)

    event.listen(store._engine, "begin", note)
    reported = [{"token": mint()} for _ in range(2_000)]
    reported.insert(1_000, {"token": key})
    assert holder.client.post(EXPOSED, json=reported).status_code == 204
    assert len(writes) < 500, "the background writes too, but not for each key"
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["leakedAt"] is not None
