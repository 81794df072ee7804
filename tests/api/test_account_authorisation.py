"""The authorisation matrix of `/api/account`: every route against every kind of caller, written as a table.

An operator has no identity over HTTP: what `padron accounts` does needs the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher
from starlette.routing import Route
from starlette.testclient import TestClient

import padron.api.account
from bureau import PASSWORD, both, bureau, enrol
from padron.accounts import admin, passwords
from padron.api.account import BASE, AccountEndpoint

WRONG = {"email": "owner@example.ec", "password": "una clave que no es"}
TOKEN = {"token": "x", "password": PASSWORD}
CALLERS = ("nobody", "a key", "another site", "another account", "suspended", "the holder")


class Row(NamedTuple):
    """A route, the body sent to it, and what it answers each of `CALLERS`: a status, with the code of an error."""

    method: str
    path: str
    body: dict[str, Any] | None
    answers: tuple[str, ...]


def opened(good: str) -> tuple[str, ...]:
    """The answers of a route that is open to all but the pages of other sites."""
    return (good, good, "403 cross-site-request", good, good, good)


def closed(good: str, other: str | None = None, suspended: str | None = None) -> tuple[str, ...]:
    """The answers of a route that changes something and requires a session."""
    nobody = "401 no-session"
    return (nobody, nobody, "403 cross-site-request", other or good, suspended or good, good)


READ = ("401 no-session", "401 no-session", "200", "200", "200", "200")
HALTED = "403 account-suspended"
TABLE = (
    Row("GET", "", None, READ),
    Row("GET", "/keys", None, READ),
    Row("GET", "/usage", None, READ),
    Row("GET", "/usage.csv", None, READ),
    Row("GET", "/export", None, READ),
    Row("GET", "/invoices", None, READ),
    Row("GET", "/plans", None, ("200",) * 6),
    Row("PATCH", "", {"language": "en"}, closed("200")),
    Row("POST", "/keys", {"name": "dos"}, closed("201", suspended=HALTED)),
    Row("POST", "/keys/{key}/rotate", {}, closed("201", other="404 key-not-found", suspended=HALTED)),
    Row("DELETE", "/keys/{key}", None, closed("204", other="404 key-not-found", suspended="404 key-not-found")),
    Row("POST", "/checkout", {"planId": "pro"}, closed("201", suspended=HALTED)),
    Row("POST", "/portal", None, closed("404 no-subscription")),
    Row("PUT", "/password", {"old": WRONG["password"], "new": f"{PASSWORD} azul"}, closed("401 bad-login")),
    Row("DELETE", "", {"password": WRONG["password"]}, closed("401 bad-login")),
    Row("DELETE", "/session", None, closed("204")),
    Row("GET", "/sessions", None, READ),
    Row("DELETE", "/sessions/{session}", None, closed("404 session-not-found")),
    Row("PUT", "/email", {"email": "new@example.ec", "password": WRONG["password"]}, closed("401 bad-login")),
    Row("POST", "/email/confirm", TOKEN, opened("403 bad-token")),
    Row("GET", "/second-factor", None, READ),
    Row("POST", "/second-factor", {"password": WRONG["password"]}, closed("401 bad-login")),
    Row("DELETE", "/second-factor", {"password": WRONG["password"]}, closed("401 bad-login")),
    Row("POST", "/second-factor/confirm", {"code": "123456"}, closed("409 second-factor-not-begun")),
    Row("POST", "/second-factor/recovery-codes", {"password": WRONG["password"]}, closed("401 bad-login")),
    Row("DELETE", "/sessions", None, closed("204")),
    Row("POST", "", {"email": "new@example.ec", "password": PASSWORD}, opened("202")),
    Row("POST", "/verify", TOKEN, opened("403 bad-token")),
    Row("POST", "/session", WRONG, opened("401 bad-login")),
    Row("POST", "/password/forgotten", {"email": "owner@example.ec"}, opened("202")),
    Row("POST", "/password/reset", TOKEN, opened("403 bad-token")),
)


class Bench(NamedTuple):
    """The service, the text of a key of the holder, and the id of it."""

    client: TestClient
    key: str
    id: str


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    data = tmp_path_factory.mktemp("account-matrix")
    with pytest.MonkeyPatch.context() as patch, bureau(data) as client:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        for name in ("suspended", "other", "owner"):
            holder = enrol(client, data, f"{name}@example.ec")
        admin.suspend(holder.services.store, "suspended@example.ec")
        key = holder.key()
        yield Bench(client, key, client.get(f"{BASE}/keys").json()["keys"][0]["id"])


def ask(bench: Bench, row: Row, caller: str) -> str:
    """The answer of a route to a caller, who has logged in just before."""
    client = bench.client
    client.cookies.clear()
    accounts = {"another account": "other", "suspended": "suspended", "another site": "owner", "the holder": "owner"}
    if caller in accounts:
        entering = {"email": f"{accounts[caller]}@example.ec", "password": PASSWORD}
        assert client.post(f"{BASE}/session", json=entering).status_code == 200
    headers = {"sec-fetch-site": "cross-site"} if caller == "another site" else {}
    if caller == "a key":
        headers = both(bench.key)
    path = BASE + row.path.replace("{key}", bench.id)
    body = {} if row.body is None else {"json": row.body}
    response = client.request(row.method, path, headers=headers, **body)
    code = response.json()["code"] if response.status_code >= 400 else ""
    return f"{response.status_code} {code}".strip()


def test_every_cell(bench: Bench) -> None:
    answers = {(row.method, row.path): tuple(ask(bench, row, caller) for caller in CALLERS) for row in TABLE}
    assert answers == {(row.method, row.path): row.answers for row in TABLE}


def test_the_table_has_every_route(bench: Bench) -> None:
    routes = bench.client.app.routes
    served = {
        (method, route.path.removeprefix(BASE))
        for route in routes
        if isinstance(route, Route) and route.path.startswith(BASE) and isinstance(route.app, AccountEndpoint)
        for method in route.methods - {"HEAD"}
    }
    assert served == {(row.method, row.path) for row in TABLE}
    others = {route.path for route in routes if isinstance(route, Route) and route.path.startswith(f"{BASE}/")}
    assert others - {BASE + path for _, path in served} == {f"{BASE}/openapi.json"}
