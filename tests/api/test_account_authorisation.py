"""The authorisation matrix of `/api/account`: every route against every kind of caller, written as a table.

An operator is a holder here as any other; the role opens one page more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher
from starlette.routing import Route
from starlette.testclient import TestClient

import padron.api.account
from account_service import PASSWORD, account_service, both, enrol, guard
from padron.accounts import admin, passwords
from padron.api.account import BASE, AccountEndpoint
from padron.web import operators
from padron.web.account import PAGES

WRONG = {"email": "owner@example.ec", "password": "una clave que no es"}
TOKEN = {"token": "x", "password": PASSWORD}
CALLERS = ("nobody", "a key", "another site", "another account", "suspended", "the holder", "an operator")
OPERATORS = "/en/account/operator"


class Row(NamedTuple):
    """A route, the body sent to it, and what it answers each of `CALLERS`: a status, with the code of an error."""

    method: str
    path: str
    body: dict[str, Any] | None
    answers: tuple[str, ...]


def opened(good: str) -> tuple[str, ...]:
    """The answers of a route that is open to all but the pages of other sites."""
    return (good, good, "403 cross-site-request", good, good, good, good)


def closed(
    good: str, other: str | None = None, suspended: str | None = None, operator: str | None = None
) -> tuple[str, ...]:
    """The answers of a route that changes something and requires a session."""
    nobody = "401 no-session"
    return (nobody, nobody, "403 cross-site-request", other or good, suspended or good, good, operator or other or good)


READ = ("401 no-session", "401 no-session", "200", "200", "200", "200", "200")
HALTED = "403 account-suspended"
TABLE = (
    Row("GET", "", None, READ),
    Row("GET", "/keys", None, READ),
    Row("GET", "/usage", None, READ),
    Row("GET", "/usage.csv", None, READ),
    Row("GET", "/export", None, READ),
    Row("GET", "/invoices", None, READ),
    Row("GET", "/plans", None, ("200",) * 7),
    Row("PATCH", "", {"language": "en"}, closed("200")),
    Row("POST", "/keys", {"name": "dos"}, closed("201", suspended=HALTED)),
    Row("POST", "/keys/{key}/rotate", {}, closed("201", other="404 key-not-found", suspended=HALTED)),
    Row("DELETE", "/keys/{key}", None, closed("204", other="404 key-not-found", suspended="404 key-not-found")),
    Row("POST", "/checkout", {"planId": "pro"}, closed("201", suspended=HALTED)),
    Row("POST", "/portal", None, closed("404 no-subscription")),
    Row("POST", "/resume", None, closed("404 no-subscription", suspended=HALTED)),
    Row("PUT", "/terms", {"version": "2000-01-01"}, closed("409 terms-changed")),
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
    Row(
        "POST",
        "/second-factor/confirm",
        {"code": "123456"},
        closed("409 second-factor-not-begun", operator="409 second-factor-on"),
    ),
    Row("POST", "/second-factor/recovery-codes", {"password": WRONG["password"]}, closed("401 bad-login")),
    Row("DELETE", "/sessions", None, closed("204")),
    Row("POST", "", {"email": "new@example.ec", "password": PASSWORD}, opened("202")),
    Row("POST", "/verify", TOKEN, opened("403 bad-token")),
    Row("POST", "/session", WRONG, opened("401 bad-login")),
    Row("POST", "/password/forgotten", {"email": "owner@example.ec"}, opened("202")),
    Row("POST", "/password/reset", TOKEN, opened("403 bad-token")),
    Row("GET", OPERATORS, None, ("303", "303", "403", "403", "403", "403", "200")),
    *(
        Row("POST", OPERATORS, {"do": order, "account": "other@example.ec"}, ("303", "303", *("403",) * 4, good))
        for order, good in (
            ("create-key", "400"), ("suspend", "200"), ("resume", "200"), ("unlock", "200"), ("resend", "409"),
            ("delete", "409"), ("check-plans", "200"),
        )
    ),
)  # fmt: skip


class Bench(NamedTuple):
    """The service, the text of a key of the holder, the id of it, and the account of an operator."""

    client: TestClient
    key: str
    id: str
    operator: str


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    data = tmp_path_factory.mktemp("account-matrix")
    with pytest.MonkeyPatch.context() as patch, account_service(data) as client:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        for name in ("operator", "suspended", "other", "owner"):
            holder = enrol(client, data, f"{name}@example.ec")
            if name == "operator":
                guard(holder)
                operator = client.get(BASE).json()["id"]
        admin.grant_operator(holder.services.store, "operator@example.ec")
        admin.suspend(holder.services.store, "suspended@example.ec")
        key = holder.key()
        yield Bench(client, key, client.get(f"{BASE}/keys").json()["keys"][0]["id"], operator)


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
    if caller == "an operator":  # without a code: each is valid once
        services = client.app.state.services
        with services.store.writing() as connection:
            headers = {"cookie": f"padron={services.holders._session(connection, bench.operator, '')}"}
    page = row.path == OPERATORS
    path = row.path if page else BASE + row.path.replace("{key}", bench.id)
    body = {} if row.body is None else {"data" if page else "json": row.body}
    response = client.request(row.method, path, headers=headers, **body)
    code = response.json()["code"] if response.status_code >= 400 and not page else ""
    return f"{response.status_code} {code}".strip()


def test_every_cell(bench: Bench) -> None:
    answers = [(row, tuple(ask(bench, row, caller) for caller in CALLERS)) for row in TABLE]
    assert [(row.method, row.path, cells) for row, cells in answers] == [
        (row.method, row.path, row.answers) for row in TABLE
    ]


def test_the_table_has_every_order_of_operators() -> None:
    orders = {row.body["do"] for row in TABLE if row.path == OPERATORS and row.body}
    assert {name for name, page in (PAGES | operators.PAGES).items() if page.allow} == {"operator"}
    assert orders == set(operators.PAGES["operator"].actions)


def test_the_table_has_every_route(bench: Bench) -> None:
    routes = bench.client.app.routes
    served = {
        (method, route.path.removeprefix(BASE))
        for route in routes
        if isinstance(route, Route) and route.path.startswith(BASE) and isinstance(route.app, AccountEndpoint)
        for method in route.methods - {"HEAD"}
    }
    assert served == {(row.method, row.path) for row in TABLE if row.path != OPERATORS}
    others = {route.path for route in routes if isinstance(route, Route) and route.path.startswith(f"{BASE}/")}
    assert others - {BASE + path for _, path in served} == {f"{BASE}/openapi.json"}
