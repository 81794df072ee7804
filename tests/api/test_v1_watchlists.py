"""Watchlists over HTTP: companies and searches, limits, the change log through them, suppression, export."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import padron.api.account
from account_service import PASSWORD, Holder, app_of, both, buy, enrol
from padron.accounts import passwords, sessions
from padron.accounts.sessions import AccountHolders
from padron.accounts.store import audit, count, saved_searches, watched_companies, watchlists
from padron.accounts.watchlists import WantedChange, Watchlists
from padron.api import v1_watchlists
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid
from padron.releases.change_log import ChangeFilter, Watch
from padron.transport.auth import KeyAuthenticator, SessionCookie
from process import link_release
from waiting import PATIENCE, until

LISTS, CHANGES, BASE = "/api/v1/watchlists", "/api/v1/changes", "http://127.0.0.1:8000"
ACCOUNT, EXPORT, PAGE = "/api/account", "/api/account/export", "/en/account/watchlists"
SESSION, VERIFY = "/api/account/session", "/api/account/verify"
Place = tuple[Any, str]
SAME_SITE: Place = (SessionCookie, "check_same_site")
FAVORITA = {"country": "ec", "identifier": "1790016919001"}
HIDDEN = {"country": "CO", "identifier": "899.999.068"}


def line(company: tuple[str, str, str], name: str, change: str, **more: object) -> dict[str, Any]:
    country, scheme, identifier = company
    head = {"country": country, "scheme": scheme, "identifier": identifier, "name": name, "change": change}
    return head | {"before": None, "after": None, "aliases": []} | more


LINES = (
    line(("EC", "ec-ruc", "1790016919001"), "CORPORACION FAVORITA C.A.", "status-changed", before="active", after="x"),
    line(("CO", "co-nit", "899999068"), "ECOPETROL S.A.", "renamed", before="EMPRESA", after="ECOPETROL S.A."),
    line(("BR", "br-cnpj", "00000000000191"), "BANCO DO BRASIL SA", "new"),
    line(("EC", "ec-ruc", "1790000000001"), "OTRA S.A.", "renumbered", before="1790016919001", after="1790000000001"),
    line(("AR", "ar-cuit", "30500001735"), "BANCO DE GALICIA", "renamed", before="BANCO BRASILERO", after="GALICIA"),
    line(("EC", "ec-ruc", "1790000000002"), "MAS S.A.", "gone", aliases=[["ec-expediente", "1790016919001"]]),
)


@pytest.fixture
def holder(tmp_path: Path, small_data: Path) -> Iterator[Holder]:
    """A holder at a service over the small release with a change log; the suppressions are in `hidden.toml`."""
    link_release(small_data, tmp_path)
    (tmp_path / "changes").mkdir()
    head = {"from": "r0", "to": "r1", "at": "2026-11-01T00:00:00+00:00"}
    text = "".join(json.dumps(entry) + "\n" for entry in (head, *LINES))
    (tmp_path / "changes" / "000001-r1.jsonl").write_text(text)
    hidden = tmp_path / "hidden.toml"
    hidden.write_text("suppressed = []\n")
    settings = load({"PADRON_BASE_URL": BASE, "PADRON_SUPPRESSIONS": str(hidden)}, data=tmp_path)
    directory = run(Directory.open(tmp_path, REGISTRY, BASE, hidden))

    class Served:
        """The directory, opened again after `hidden.toml` changes."""

        def __getattr__(self, name: str) -> Any:
            return getattr(current[0], name)

    current = [directory]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        with TestClient(app_of(settings, Served()), base_url=BASE) as client:
            enrolled = enrol(client, tmp_path)
            client.headers.update(both(enrolled.key()) | {"accept-language": "en"})
            client.app.state.served = current
            yield enrolled


def suppress(holder: Holder, country: str, identifier: str) -> None:
    hidden = holder.data / "hidden.toml"
    row = f'country = "{country}"\nidentifier = "{identifier}"\nreason = "order"\ndate = 2026-01-01\n'
    hidden.write_text(f"[[suppressed]]\n{row}")
    holder.client.app.state.served[0] = run(Directory.open(holder.data, REGISTRY, BASE, hidden))


def made(holder: Holder, name: str = "Proveedores") -> str:
    answer = holder.client.post(LISTS, json={"name": name})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def changed(holder: Holder, watchlist: str, **members: object) -> dict[str, Any]:
    answer = holder.client.patch(f"{LISTS}/{watchlist}", json=members)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(holder: Holder, watchlist: str) -> list[str]:
    answer = holder.client.get(CHANGES, params={"watchlist": watchlist})
    assert answer.status_code == 200, answer.text
    return [f"{change['change']} {change['legalName']}" for change in answer.json()["changes"]]


def test_a_watchlist_from_its_creation_to_its_end(holder: Holder) -> None:
    client, own = holder.client, made(holder)
    answer = changed(
        holder,
        own,
        addCompanies=[FAVORITA, {**FAVORITA, "identifier": "384"}, HIDDEN, {"country": "CO", "identifier": "hello"}],
        addSearches=[{"text": " Banco  Brasil "}, {"text": "argos", "country": "co"}],
    )
    assert (answer["added"], answer["removed"]) == (4, 0)
    (refused,) = answer["refused"]
    assert (refused["pointer"], refused["code"]) == ("#/addCompanies/3", "invalid-identifier")
    assert (answer["watchlist"]["companies"], answer["watchlist"]["searches"]) == (2, 2)
    assert changed(holder, own, addCompanies=[FAVORITA], addSearches=[{"text": "argos", "country": "CO"}])["added"] == 0

    shown = client.get(f"{LISTS}/{own}").json()
    assert [(entry["countryCode"], entry["identifier"], entry["legalName"]) for entry in shown["companies"]] == [
        ("EC", "1790016919001", "CORPORACION FAVORITA C.A."),
        ("CO", "899999068", "ECOPETROL S.A."),
    ]
    assert sorted((search["text"], search["country"]) for search in shown["searches"]) == [
        ("Banco  Brasil", None),
        ("argos", "CO"),
    ]
    first = client.get(f"{LISTS}/{own}", params={"limit": 1}).json()
    second = client.get(f"{LISTS}/{own}", params={"limit": 1, "cursor": first["nextCursor"]}).json()
    assert [*first["companies"], *second["companies"]] == shown["companies"]
    assert second["nextCursor"] is None

    search = next(search["id"] for search in shown["searches"] if search["text"] == "argos")
    answer = changed(holder, own, name="Clientes", removeCompanies=[HIDDEN], removeSearches=[search])
    assert (answer["removed"], answer["watchlist"]["name"]) == (2, "Clientes")
    assert [entry["name"] for entry in client.get(LISTS).json()["watchlists"]] == ["Clientes"]
    assert client.delete(f"{LISTS}/{own}").status_code == 204
    gone = client.get(f"{LISTS}/{own}")
    assert (gone.status_code, gone.json()["code"]) == (404, "watchlist-not-found")
    with holder.services.store.reading() as connection:
        assert [count(connection, table) for table in (watchlists, watched_companies, saved_searches)] == [0, 0, 0]
        events = connection.execute(audit.select().where(audit.c.actor == "key").order_by(audit.c.at)).mappings().all()
    assert {(event["event"], event["subject"]) for event in events} == {
        (f"watchlist-{done}", own) for done in ("created", "changed", "deleted")
    }


def test_what_changes_nothing_is_not_in_the_audit_log(holder: Holder) -> None:
    own = made(holder)
    changed(holder, own, addCompanies=[FAVORITA], addSearches=[{"text": "argos"}])
    for members in (
        {},
        {"addCompanies": [FAVORITA]},
        {"removeCompanies": [HIDDEN]},
        {"addSearches": [{"text": "argos"}]},
    ):
        answer = changed(holder, own, **members)
        assert (answer["added"], answer["removed"]) == (0, 0)
    with holder.services.store.reading() as connection:
        assert count(connection, audit, audit.c.event == "watchlist-changed") == 1


def test_a_search_in_another_notation_is_the_same_search(holder: Holder) -> None:
    own = made(holder)
    texts = ["Grupo  ARGOS", "argos grupo", "grupo argos, argos"]
    added = [changed(holder, own, addSearches=[{"text": text}])["added"] for text in texts]
    assert added == [1, 0, 0]
    answer = changed(holder, own, addSearches=[{"text": text, "country": "CO"} for text in texts])
    assert (answer["added"], answer["watchlist"]["searches"]) == (1, 2)
    assert changed(holder, own, addSearches=[{"text": "argos"}])["added"] == 1
    searches = holder.client.get(f"{LISTS}/{own}").json()["searches"]
    assert {search["text"] for search in searches} == {"Grupo  ARGOS", "argos"}


def test_the_change_log_through_a_watchlist(holder: Holder) -> None:
    own = made(holder)
    assert names(holder, own) == []
    changed(holder, own, addCompanies=[FAVORITA])
    assert names(holder, own) == [
        "status-changed CORPORACION FAVORITA C.A.",
        "renumbered OTRA S.A.",
        "gone MAS S.A.",
    ]
    changed(holder, own, removeCompanies=[FAVORITA], addSearches=[{"text": "banco brasil"}])
    assert names(holder, own) == ["new BANCO DO BRASIL SA"]
    changed(holder, own, addSearches=[{"text": "Brasilero", "country": "AR"}, {"text": "ecopetrol", "country": "AR"}])
    assert names(holder, own) == ["new BANCO DO BRASIL SA", "renamed BANCO DE GALICIA"]
    unknown = holder.client.get(CHANGES, params={"watchlist": "wl_" + "0" * 24})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "watchlist-not-found")


def test_a_suppressed_company_is_in_no_answer(holder: Holder) -> None:
    own = made(holder)
    changed(holder, own, addCompanies=[HIDDEN], addSearches=[{"text": "ecopetrol"}])
    assert names(holder, own) == ["renamed ECOPETROL S.A."]
    suppress(holder, "CO", "899999068")
    assert names(holder, own) == []
    (entry,) = holder.client.get(f"{LISTS}/{own}").json()["companies"]
    assert entry["legalName"] is None
    other = made(holder, "otra")
    (refused,) = changed(holder, other, addCompanies=[HIDDEN])["refused"]
    assert refused["code"] == "company-not-found"
    assert changed(holder, own, removeCompanies=[{"country": "CO", "identifier": "899999068"}])["removed"] == 1


def test_a_cursor_is_a_number_of_up_to_18_digits(holder: Holder) -> None:
    own = made(holder)
    statuses = [
        holder.client.get(f"{LISTS}/{own}", params={"cursor": cursor}).status_code
        for cursor in ("9" * 10, "9" * 18, "9" * 19, "\u0661", "-1")
    ]
    assert statuses == [200, 200, 400, 400, 400]


REFUSED = (
    ({"addSearches": [{"text": "cédula 1710034065"}]}, 400, "bad-saved-search", "#/addSearches/0/text"),
    ({"addSearches": [{"text": "--"}]}, 400, "bad-saved-search", "#/addSearches/0/text"),
    ({"addSearches": [{"text": "abc", "country": "XX"}]}, 400, "unknown-country", "#/addSearches/0/country"),
    ({"addCompanies": [{"country": "EC"}]}, 400, "invalid-field", "#/addCompanies/0"),
    ({"addCompanies": [{"country": "EC", "identifier": "1\u00002"}]}, 400, "invalid-field", None),
    ({"removeSearches": ["x"]}, 400, "invalid-field", "#/removeSearches/0"),
    ({"name": " "}, 400, "invalid-field", "#/name"),
    ({"companies": []}, 400, "unknown-field", "#/companies"),
)
"""Changes of a watchlist: status, code and pointer of the refusal."""


def test_what_cannot_be_watched_is_refused(holder: Holder) -> None:
    own = made(holder)
    for body, status, code, pointer in REFUSED:
        answer = holder.client.patch(f"{LISTS}/{own}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert pointer in {None, answer.json()["errors"][0]["pointer"]}
    shown = holder.client.get(f"{LISTS}/{own}").json()["watchlist"]
    assert (shown["companies"], shown["searches"]) == (0, 0)


def test_a_number_with_a_wrong_check_digit_is_not_watched(holder: Holder) -> None:
    own = made(holder)
    mistyped = [{"country": "CO", "identifier": "890.900.608-1"}, {"country": "BR", "identifier": "33.000.167/0001-02"}]
    answer = changed(holder, own, addCompanies=[*mistyped, {"country": "CO", "identifier": "890.900.608-9"}])
    refused = [(entry["pointer"], entry["code"]) for entry in answer["refused"]]
    assert refused == [("#/addCompanies/0", "company-not-found"), ("#/addCompanies/1", "company-not-found")]
    assert all("check digit" in entry["detail"] for entry in answer["refused"])
    assert answer["watchlist"]["companies"] == 1
    answer = changed(holder, own, removeCompanies=mistyped[:1])
    assert [(entry["pointer"], entry["code"]) for entry in answer["refused"]] == [
        ("#/removeCompanies/0", "company-not-found")
    ]
    assert (answer["removed"], answer["watchlist"]["companies"]) == (0, 1)


def test_natural_persons_are_not_watched(holder: Holder) -> None:
    own = made(holder)
    answer = changed(holder, own, addCompanies=[{"country": "EC", "identifier": "1710034065001"}])
    assert [entry["code"] for entry in answer["refused"]] == ["natural-person-not-covered"]
    assert "1710034065" not in json.dumps(answer)
    assert answer["watchlist"]["companies"] == 0


def test_plans_limit_watchlists_and_nothing_is_taken_by_halves(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    own = made(holder)
    made(holder, "otra")
    for name, code in (("tercera", "too-many-watchlists"),):
        answer = holder.client.post(LISTS, json={"name": name})
        assert (answer.status_code, answer.json()["code"]) == (409, code)
    taken = holder.client.patch(f"{LISTS}/{own}", json={"name": "otra"})
    assert (taken.status_code, taken.json()["code"]) == (409, "watchlist-name-taken")
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(watched=1))
    full = holder.client.patch(f"{LISTS}/{own}", json={"addCompanies": [FAVORITA, HIDDEN]})
    assert (full.status_code, full.json()["code"]) == (409, "too-many-watched")
    assert holder.client.get(f"{LISTS}/{own}").json()["companies"] == []
    assert changed(holder, own, addCompanies=[FAVORITA])["added"] == 1
    buy(holder, "pro")
    holder.services.grants.refresh()
    assert holder.client.post(LISTS, json={"name": "tercera"}).status_code == 201


def test_a_watchlist_is_created_with_its_content_or_not_at_all(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = holder.services.watching.watchlists
    account = holder.services.holders.holder_of(holder.client.cookies["padron"]).id
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(watched=1))
    with pytest.raises(Invalid, match="too-many-watched"):
        lists.create(account, "Rivales", WantedChange(add_companies=[("EC", "1"), ("EC", "2")]))
    assert lists.of(account) == []
    created = lists.create(account, "Rivales", WantedChange(add_companies=[("EC", "1")]))
    assert (created.name, created.companies, created.searches) == ("Rivales", 1, 0)
    assert lists.of(account) == [created]


def test_a_watchlist_has_so_many_saved_searches(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(watched=5_000))
    own, account = made(holder), holder.services.holders.holder_of(holder.client.cookies["padron"]).id
    many = [(f"argos w{number}", None) for number in range(1_000)]
    holder.services.watching.watchlists.change(account, own, WantedChange(add_searches=many[1:]))
    searches = [{"text": "ecopetrol"}, {"text": "galicia"}]
    refused = holder.client.patch(f"{LISTS}/{own}", json={"addSearches": searches})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-searches")
    assert "1000" in refused.json()["detail"]
    assert "999" in refused.json()["detail"]
    assert changed(holder, own, addSearches=searches[:1])["added"] == 1
    assert changed(holder, own, addSearches=searches[:1], addCompanies=[FAVORITA])["added"] == 1
    assert names(holder, own)[:2] == ["status-changed CORPORACION FAVORITA C.A.", "renamed ECOPETROL S.A."]


def test_a_watchlist_belongs_to_its_account_alone(holder: Holder) -> None:
    own = made(holder)
    changed(holder, own, addCompanies=[FAVORITA], addSearches=[{"text": "argos"}])
    exported = holder.client.get("/api/account/export").json()
    assert [row["identifier"] for row in exported["watchedCompanies"]] == ["1790016919001"]
    assert [row["text"] for row in exported["savedSearches"]] == ["argos"]
    assert [row["name"] for row in exported["watchlists"]] == ["Proveedores"]
    mine, search_only = dict(holder.client.headers), holder.key("busca", scopes=["search"])
    refused = holder.client.get(CHANGES, params={"watchlist": own}, headers=both(search_only))
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-missing")
    test_key = holder.key("prueba", test=True)
    assert holder.client.get(LISTS, headers=both(test_key)).json()["code"] == "scope-missing"

    stranger = enrol(holder.client, holder.data, "otra@example.ec").key()
    for method, path in (
        ("GET", f"{LISTS}/{own}"),
        ("DELETE", f"{LISTS}/{own}"),
        ("GET", f"{CHANGES}?watchlist={own}"),
    ):
        answer = holder.client.request(method, path, headers=both(stranger))
        assert (answer.status_code, answer.json()["code"]) == (404, "watchlist-not-found")
    answer = holder.client.patch(f"{LISTS}/{own}", json={"name": "x"}, headers=both(stranger))
    assert answer.status_code == 404
    assert holder.client.get(LISTS, headers=both(stranger)).json() == {"watchlists": []}

    session = {"email": "ana@example.ec", "password": PASSWORD}
    assert holder.client.post("/api/account/session", json=session).status_code == 200
    assert holder.client.request("DELETE", "/api/account", json={"password": PASSWORD}).status_code == 204
    holder.services.grants.refresh()
    assert holder.client.get(LISTS, headers=mine).status_code == 401
    with holder.services.store.reading() as connection:
        assert [count(connection, table) for table in (watchlists, watched_companies, saved_searches)] == [0, 0, 0]


def test_a_watch_is_of_one_country() -> None:
    change = LINES[0]
    for country, accepted in (("EC", True), ("BR", False)):
        watch = Watch(frozenset({(country, "1790016919001")}))
        assert ChangeFilter(watch=watch).accepts(change, [("ec-ruc", "1790016919001")]) is accepted


@pytest.mark.parametrize(
    ("method", "path", "asked", "worked"),
    [
        pytest.param("POST", LISTS, (KeyAuthenticator, "authorize"), (Watchlists, "create"), id="with a key"),
        pytest.param("GET", CHANGES, (KeyAuthenticator, "authorize"), (Watchlists, "watched"), id="changes"),
        pytest.param("GET", EXPORT, (SessionCookie, "holder_of"), (sessions, "export"), id="exports"),
        pytest.param("POST", PAGE, (SessionCookie, "holder_of"), (Watchlists, "create"), id="forms"),
        pytest.param("GET", ACCOUNT, (SessionCookie, "session_id"), (AccountHolders, "holder_of"), id="sessions"),
        pytest.param("POST", VERIFY, SAME_SITE, (AccountHolders, "bearer"), id="tokens"),
        pytest.param("POST", SESSION, SAME_SITE, (AccountHolders, "unlocked_at"), id="log-ins"),
    ],
)
def test_requests_of_one_account_leave_room_for_the_others(
    holder: Holder, monkeypatch: pytest.MonkeyPatch, method: str, path: str, asked: Place, worked: Place
) -> None:
    """Many that take long at the threads of accounts do not keep a reader of another account waiting."""
    own = dict(holder.client.headers)
    many = both(enrol(holder.client, holder.data, "otra@example.ec").key())
    listed = holder.client.post(LISTS, json={"name": "Clientes"}, headers=many).json()["id"]
    received, go_on = [], threading.Event()
    ask, work = getattr(*asked), getattr(*worked)

    def received_and_asked(*args: Any) -> Any:
        received.append(args)
        return ask(*args)

    def worked_in_time(*args: Any) -> Any:
        assert go_on.wait(PATIENCE)
        return work(*args)

    monkeypatch.setattr(*asked, received_and_asked)
    monkeypatch.setattr(*worked, worked_in_time)
    with ThreadPoolExecutor(16) as pool:
        more: dict[str, Any] = {
            CHANGES: {"params": {"watchlist": listed}},
            LISTS: {"json": {"name": "Rivales"}},
            PAGE: {"data": {"do": "create", "name": "Rivales"}},
            SESSION: {"json": {"email": "otra@example.ec", "password": PASSWORD}},
            VERIFY: {"json": {"token": "wrong", "password": PASSWORD}},
        }.get(path, {})
        sent = [pool.submit(holder.client.request, method, path, headers=many, **more) for _ in range(16)]
        try:
            until(lambda: len(received) >= len(sent))
            answer = holder.client.get(LISTS, headers=own)
            assert (answer.status_code, answer.json()) == (200, {"watchlists": []})
        finally:
            go_on.set()
    assert {future.result().status_code for future in sent} <= ({403} if path == VERIFY else {200, 201, 303, 409})


def test_a_body_that_does_not_come_holds_no_turn(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thief of one of an account's keys does not keep its holder from the others."""
    received, go_on, read = [], threading.Event(), v1_watchlists.read_json

    async def read_later(*given: Any) -> Any:
        received.append(given)
        await asyncio.to_thread(go_on.wait, PATIENCE)
        return await read(*given)

    monkeypatch.setattr(v1_watchlists, "read_json", read_later)
    with ThreadPoolExecutor(3) as pool:
        sent = [pool.submit(holder.client.post, LISTS, json={"name": f"{number}"}) for number in range(3)]
        try:
            until(lambda: len(received) == len(sent))
            assert holder.client.get(LISTS).json() == {"watchlists": []}
        finally:
            go_on.set()
    assert {future.result().status_code for future in sent} <= {201, 409}


def test_of_the_changes_of_one_account_two_look_their_companies_up(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds at once would look hundreds up in each round of the event loop."""
    looked_up: list[str] = []
    details = Directory.details

    def noted(directory: Directory, country: str, raw: str, language: Any) -> Any:
        looked_up.append(raw.partition("-")[0])
        return details(directory, country, raw, language)

    monkeypatch.setattr(Directory, "details", noted)
    path = f"{LISTS}/{made(holder)}"

    async def change(http: httpx2.AsyncClient, number: int) -> int:
        companies = [{"country": "EC", "identifier": f"{number}-{place}"} for place in range(40)]
        return (await http.patch(path, json={"addCompanies": companies})).status_code

    async def change_at_once() -> list[int]:
        transport, fields = httpx2.ASGITransport(holder.client.app), dict(holder.client.headers)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE, headers=fields) as http:
            return await asyncio.gather(*(change(http, number) for number in range(8)))

    assert set(holder.client.portal.call(change_at_once)) == {200}
    assert Counter(looked_up) == {str(number): 40 for number in range(8)}
    spans = [(looked_up.index(number), 319 - looked_up[::-1].index(number)) for number in set(looked_up)]
    assert max(sum(first <= place <= last for first, last in spans) for place in range(320)) <= 2


def test_a_change_ends_with_its_connection_until_it_writes(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    path, sent = f"{LISTS}/{made(holder)}", json.dumps({"addCompanies": [FAVORITA]}).encode()
    fields = {**holder.client.headers, "content-type": "application/json"}
    scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "method": "PATCH", "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"", "client": ("192.0.2.1", 1)}
    scope["headers"] = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
    ends: dict[str, bool] = {}

    def note(room: type, name: str) -> None:
        act = getattr(room, name)

        def noted(*given: Any) -> Any:
            ends[name] = scope["padron.only_reads"]
            return act(*given)

        monkeypatch.setattr(room, name, noted)

    note(Directory, "details")
    note(Watchlists, "change")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent}

    async def send(message: dict[str, Any]) -> None:
        assert message.get("status", 200) == 200

    holder.client.portal.call(holder.client.app, scope, receive, send)
    assert ends == {"details": True, "change": False}


WORD = st.sampled_from(["banco", "do", "brasil", "sa", "grupo", "argos"])
SEARCH = st.tuples(st.sampled_from([None, "EC", "BR"]), st.lists(WORD, min_size=1, max_size=3).map(" ".join))


@given(st.lists(SEARCH, max_size=12), st.lists(st.lists(WORD, max_size=4).map(" ".join), min_size=3, max_size=3))
def test_a_search_covers_a_name_with_all_of_its_words(searches: list[tuple[str | None, str]], names: list[str]) -> None:
    change = line(("BR", "br-cnpj", "1"), names[0], "renamed", before=names[1], after=names[2])
    covered = any(
        country in {None, "BR"} and set(text.split()) <= set(name.split())
        for country, text in searches
        for name in names
    )
    assert Watch(searches=searches).covers(change, []) is covered


def test_a_name_is_compared_with_few_of_many_searches() -> None:
    """Only with those that are kept under one of its words: also of searches that share all words but one."""
    pairs = [f"w{number} sa" for number in range(1_000)]
    combined = [f"w{first} w{second}" for first, second in combinations(range(46), 2)]
    for searches, most in ((pairs, 1), (combined, 60)):
        kept = Watch(searches=[(None, text) for text in searches])._searches.values()
        assert sum(map(len, kept)) == len(searches)
        assert max(map(len, kept)) <= most
