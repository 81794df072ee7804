"""The authorisation matrix: every guarded route against every way of asking, written as a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from starlette.routing import Route
from starlette.testclient import TestClient

import padron.api.account
from account_service import PASSWORD, Holder, account_service, app_of, both, buy, enrol, letters
from padron.accounts import admin, passwords
from padron.accounts.keys import SCOPES, checksum
from padron.accounts.plans import read_plans
from padron.api.v1 import KeyEndpoint
from padron.config import load
from padron.transport import auth
from padron.transport.call import Call

DOCS = Path(__file__).parents[2] / "docs"
SEARCH = ("GET", "/api/v1/search?q=petroleo")
ENTITY = ("GET", "/api/v1/entities/BR/33000167000101")
MONEY = ("GET", "/api/v1/entities/BR/33000167000101/financials")
USAGE = ("GET", "/api/v1/usage")
WATCHLISTS = ("GET", "/api/v1/watchlists")
WEBHOOKS = ("GET", "/api/v1/webhooks")
WEBHOOK = ("GET", f"/api/v1/webhooks/whk_{'0' * 24}")
ROTATION = ("POST", f"{WEBHOOK[1]}/rotate")
TRIAL = ("POST", f"{WEBHOOK[1]}/test")
WATCHLIST = ("GET", f"/api/v1/watchlists/wl_{'0' * 24}")
MATCH = ("POST", "/api/v1/match")
CHANGES = ("GET", "/api/v1/changes")
BUY = ("POST", "/api/subscriptions/checkout")
ROUTES = (
    SEARCH, MATCH, CHANGES, ENTITY, MONEY, WATCHLISTS, WATCHLIST, WEBHOOKS, WEBHOOK, ROTATION, TRIAL, USAGE, BUY,
)  # fmt: skip
BODIES = {MATCH: {"rows": [{"name": "petroleo"}]}, BUY: {"planId": "pro"}, ROTATION: {}}

# Who asks -> the answer of each of ROUTES.   SEARCH MATCH CHANGES ENTITY MONEY WATCHLISTS WATCHLIST
#                                          WEBHOOKS WEBHOOK ROTATION TRIAL USAGE BUY
TABLE: dict[str, tuple[tuple[int, str | None], ...]] = {
    "nobody": ((401, "credentials-missing"),) * len(ROUTES),
    "a session": ((401, "credentials-missing"),) * len(ROUTES),
    "the session of an operator": ((401, "credentials-missing"),) * len(ROUTES),
    "Authorization only": ((401, "apikey-missing"),) * len(ROUTES),
    "apiKey only": ((401, "bearer-missing"),) * len(ROUTES),
    "Basic and apiKey": ((401, "bearer-missing"),) * len(ROUTES),
    "two good keys": ((401, "credentials-differ"),) * len(ROUTES),
    "one key, apiKey twice": ((401, "credentials-differ"),) * len(ROUTES),
    "a mistyped key": ((401, "key-malformed"),) * len(ROUTES),
    "nonsense": ((401, "key-malformed"),) * len(ROUTES),
    "an unknown key": ((401, "key-unknown"),) * len(ROUTES),
    "a revoked key": ((401, "key-revoked"),) * len(ROUTES),
    "an expired key": ((401, "key-expired"),) * len(ROUTES),
    "a key of a deleted account": ((401, "key-unknown"),) * len(ROUTES),
    "a key of a suspended account": ((403, "account-suspended"),) * len(ROUTES),
    "a key used from elsewhere": ((403, "address-not-allowed"),) * len(ROUTES),
    "a key in the address": ((400, "key-in-url"),) * len(ROUTES),
    "a key for an address": ((401, "link-key"),) * len(ROUTES),
    "free": (
        (200, None), (200, None), (200, None), (200, None),
        (403, "plan-required"), (200, None), (404, "watchlist-not-found"),
        (200, None), (404, "webhook-not-found"), (404, "webhook-not-found"), (404, "webhook-not-found"),
        (200, None), (201, None),
    ),
    "pro": (
        (200, None), (200, None), (200, None), (200, None),
        (200, None), (200, None), (404, "watchlist-not-found"),
        (200, None), (404, "webhook-not-found"), (404, "webhook-not-found"), (404, "webhook-not-found"),
        (200, None), (409, "plan-already-active"),
    ),
    "business": (
        (200, None), (200, None), (200, None), (200, None),
        (200, None), (200, None), (404, "watchlist-not-found"),
        (200, None), (404, "webhook-not-found"), (404, "webhook-not-found"), (404, "webhook-not-found"),
        (200, None), (409, "plan-lower"),
    ),
    "a test key": (
        (403, "not-in-sample"), (403, "not-in-sample"), (200, None), (200, None),
        (200, None), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (403, "scope-missing"),
    ),
    "pro, scope search": (
        (200, None), (200, None), (200, None), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (403, "scope-missing"),
    ),
    "pro, scope entities": (
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (200, None),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (403, "scope-missing"),
    ),
    "pro, scope financials": (
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (403, "scope-missing"),
    ),
    "pro, scope watchlists": (
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (200, None), (404, "watchlist-not-found"),
        (200, None), (404, "webhook-not-found"), (404, "webhook-not-found"), (404, "webhook-not-found"),
        (200, None), (403, "scope-missing"),
    ),
    "pro, scope checkout": (
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"), (403, "scope-missing"),
        (200, None), (409, "plan-already-active"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, dict[str, list[tuple[str, str]]]]]:
    """A client without a session, and the header fields of each way of asking."""
    data = tmp_path_factory.mktemp("matrix")
    with pytest.MonkeyPatch.context() as patch, account_service(data) as client:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        yield client, prepared(client, data)


def prepared(client: TestClient, data: Path) -> dict[str, list[tuple[str, str]]]:
    free = enrol(client, data, "free@example.ec")
    good, other = free.key("uno"), free.key("dos")
    bound = free.key("cinco", allowedAddresses=["192.0.2.0/24"])
    revoked, expired = free.key("tres"), free.key("cuatro", expiresAt="2036-01-01T00:00:00Z")
    listed = {key["name"]: key["id"] for key in client.get("/api/account/keys").json()["keys"]}
    assert client.delete(f"/api/account/keys/{listed['tres']}").status_code == 204
    assert client.post(f"/api/account/keys/{listed['cuatro']}/rotate", json={"overlapSeconds": 0}).status_code == 201
    session = [("cookie", f"padron={client.cookies['padron']}")]
    enrol(client, data, "operator@example.ec")
    admin.grant_operator(client.app.state.services.store, "operator@example.ec")
    operator = [("cookie", f"padron={client.cookies['padron']}")]
    gone = enrol(client, data, "gone@example.ec")
    lost = gone.key()
    assert client.request("DELETE", "/api/account", json={"password": PASSWORD}).status_code == 204
    halted = enrol(client, data, "halted@example.ec").key()
    admin.suspend(client.app.state.services.store, "halted@example.ec")
    keys = {"free": good, "a test key": enrol(client, data, "test@example.ec").key("test", test=True)}
    for plan in ("pro", "business"):
        paying = enrol(client, data, f"{plan}@example.ec")
        buy(paying, plan)
        keys[plan] = paying.key()
        if plan == "pro":
            for scope in SCOPES:
                keys[f"pro, scope {scope}"] = paying.key(scope, scopes=[scope])
            keys["a key for an address"] = paying.key("OpenRefine", scopes=["reconcile"])
    client.cookies.clear()
    client.app.state.services.grants.refresh()
    mistyped = good[:-1] + ("a" if good[-1] != "a" else "b")
    ways = {name: list(both(key).items()) for name, key in keys.items()}
    unknown = "pdr_live_000000000000000000000000000000"
    for name, key in (
        ("a mistyped key", mistyped), ("nonsense", "hello"), ("an unknown key", unknown + checksum(unknown)),
        ("a revoked key", revoked), ("an expired key", expired), ("a key of a deleted account", lost),
        ("a key of a suspended account", halted), ("a key used from elsewhere", bound),
    ):  # fmt: skip
        ways[name] = list(both(key).items())
    return ways | {
        "nobody": [],
        "a session": session,
        "the session of an operator": operator,
        "Authorization only": [("authorization", f"Bearer {good}")],
        "apiKey only": [("apikey", good)],
        "Basic and apiKey": [("authorization", f"Basic {good}"), ("apikey", good)],
        "two good keys": [("authorization", f"Bearer {good}"), ("apikey", other)],
        "one key, apiKey twice": [*both(good).items(), ("apikey", good)],
        "a key in the address": [("in-url", good)],
    }


def ask(client: TestClient, route: tuple[str, str], headers: list[tuple[str, str]]):
    method, path = route
    if headers and headers[0][0] == "in-url":
        path, headers = f"{path}{'&' if '?' in path else '?'}apiKey={headers[0][1]}", []
    client.cookies.clear()
    return client.request(method, path, headers=headers, json=BODIES.get(route))


def faults(client: TestClient, ways: dict[str, list[tuple[str, str]]]) -> list[str]:
    """Every cell of the table that is not as it should be."""
    wrong = []
    for who, expected in TABLE.items():
        for route, cell in zip(ROUTES, expected, strict=True):
            response = ask(client, route, ways[who])
            code = response.json().get("code") if response.status_code >= 400 else None
            if (response.status_code, code) != cell:
                wrong.append(f"{who} {route}: {response.status_code} {code}, not {cell}")
    return wrong


def test_every_cell(ways) -> None:
    assert faults(*ways) == []


SPANISH = {
    "nobody": "nadie",
    "a session": "una sesión",
    "the session of an operator": "la sesión de un operador",
    "Authorization only": "solo Authorization",
    "apiKey only": "solo apiKey",
    "Basic and apiKey": "Basic y apiKey",
    "two good keys": "dos claves buenas",
    "one key, apiKey twice": "una clave, apiKey dos veces",
    "a mistyped key": "una clave mal copiada",
    "nonsense": "un texto cualquiera",
    "an unknown key": "una clave desconocida",
    "a revoked key": "una clave revocada",
    "an expired key": "una clave vencida",
    "a key of a deleted account": "una clave de una cuenta borrada",
    "a key of a suspended account": "una clave de una cuenta suspendida",
    "a key used from elsewhere": "una clave usada desde otra dirección",
    "a key in the address": "una clave en la dirección",
    "a key for an address": "una clave para una dirección",
    "a test key": "una clave de prueba",
    "pro, scope search": "pro, alcance search",
    "pro, scope entities": "pro, alcance entities",
    "pro, scope financials": "pro, alcance financials",
    "pro, scope watchlists": "pro, alcance watchlists",
    "pro, scope checkout": "pro, alcance checkout",
}


@pytest.mark.parametrize(
    ("document", "head", "words"),
    [("authorisation.md", "caller", {}), ("authorisation.es.md", "cliente", SPANISH)],
)
def test_readers_see_the_table(document: str, head: str, words: dict[str, str]) -> None:
    names = ("search", "match", "changes", "entity", "financials", "watchlists", "watchlist",
             "webhooks", "webhook", "rotate", "test", "usage", "checkout")  # fmt: skip
    rows = [f"| {' | '.join((head, *names))} |", "| --- " * (len(names) + 1) + "|"]
    for who, cells in TABLE.items():
        shown = (f"{status} `{code}`" if code else str(status) for status, code in cells)
        rows.append(f"| {words.get(who, who)} | {' | '.join(shown)} |")
    assert "\n".join(rows) in (DOCS / document).read_text(encoding="utf-8"), "\n".join(rows)


def test_the_table_has_every_guarded_route(tmp_path: Path) -> None:
    app = app_of(load({}, data=tmp_path))
    guarded = {route.path for route in app.routes if isinstance(route, Route) and isinstance(route.app, KeyEndpoint)}
    under = {route.path for route in app.routes if route.path.startswith("/api/v1/") or route.path == BUY[1]}
    assert guarded == under - {"/api/v1/openapi.json"}
    assert len(guarded) == len(ROUTES)


def test_every_method_of_a_guarded_route_is_guarded(ways) -> None:
    client, headers = ways
    guarded = [route for route in client.app.routes if isinstance(route, Route) and isinstance(route.app, KeyEndpoint)]
    asked = 0
    for route in guarded:
        for method in route.methods - {"HEAD"}:
            place = (method, re.sub(r"\{[^}]*\}", "x", route.path))
            assert ask(client, place, []).json()["code"] == "credentials-missing", place
            opened = {"/api/v1/usage", BUY[1]}
            if route.path not in opened:
                assert ask(client, place, headers["pro, scope checkout"]).json()["code"] == "scope-missing", place
            asked += 1
    assert asked > len(ROUTES)


def test_what_a_401_and_a_403_tell(ways) -> None:
    client, headers = ways
    assert ask(client, SEARCH, []).headers["www-authenticate"] == 'Bearer realm="padron"'
    answer = ask(client, SEARCH, headers["a revoked key"])
    assert answer.headers["www-authenticate"] == 'Bearer realm="padron", error="invalid_token"'
    answer = ask(client, SEARCH, headers["pro, scope checkout"])
    assert answer.headers["www-authenticate"] == 'Bearer realm="padron", error="insufficient_scope", scope="search"'
    for language, word, page in (("es", "Se contratan en", "/es/planes"), ("en", "Buy one at", "/en/plans")):
        answer = ask(client, MONEY, [*headers["free"], ("accept-language", language)]).json()
        assert word in answer["detail"]
        assert answer["offer"] == {
            "plans": ["pro", "business"],
            "page": f"http://127.0.0.1:8000{page}",
            "operation": "http://127.0.0.1:8000/api/subscriptions/checkout",
        }
    assert "offer" not in ask(client, SEARCH, []).json()


def test_a_key_does_not_open_the_account(ways) -> None:
    client, headers = ways
    for path in ("/api/account", "/api/account/keys", "/api/account/usage", "/api/account/export"):
        response = client.get(path, headers=headers["pro"])
        assert (response.status_code, response.json()["code"]) == (401, "no-session")


def test_the_public_interface_ignores_keys(ways) -> None:
    client, headers = ways
    for who in ("nonsense", "a revoked key", "pro"):
        assert client.get("/api/public/empresas/search?q=petroleo", headers=headers[who]).status_code == 200


def test_a_key_met_in_an_address_is_noted_as_leaked(client_of_leak) -> None:
    holder, key = client_of_leak
    holder.client.get(f"/api/v1/search?q=apple&key={key}", headers=both(key))
    holder.client.get(f"/api/v1/search?q=apple&key={key}", headers=both(key))
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["leakedAt"] is not None
    holder.services.mail_sender.send_due()
    _, leaked = letters(holder.data, at_least=2)
    assert "quedó expuesta" in leaked


@pytest.fixture
def client_of_leak(tmp_path: Path) -> Iterator[tuple[Holder, str]]:
    with account_service(tmp_path) as client:
        holder = enrol(client, tmp_path)
        yield holder, holder.key()


def test_planted_faults_are_caught(ways, monkeypatch: pytest.MonkeyPatch) -> None:
    client, headers = ways

    async def unguarded(self, scope, receive, send):
        open_ = self._route.path == "/api/v1/search"
        grant = None if open_ else await self._authenticator.authenticate(Call.of(scope))
        await self._route.serve(Call.of(scope), grant, receive, send)

    with monkeypatch.context() as patch:
        patch.setattr(KeyEndpoint, "__call__", unguarded)
        assert any(fault.startswith("nobody ('GET', '/api/v1/search") for fault in faults(client, headers))
    with monkeypatch.context() as patch:
        real = auth.key_in_headers

        def one_is_enough(fields):
            plain = [value for name, value in fields if name == b"apikey"]
            bearer = [value for name, value in fields if name == b"authorization"]
            if len(plain) + len(bearer) == 1:
                key = (plain or [bearer[0].split()[-1]])[0]
                return real([(b"authorization", b"Bearer " + key), (b"apikey", key)])
            return real(fields)

        patch.setattr(auth, "key_in_headers", one_is_enough)
        assert any(fault.startswith("apiKey only") for fault in faults(client, headers))
    with monkeypatch.context() as patch:
        real_authorize = auth.KeyAuthenticator.authorize

        def without_scope(self, call, grant, scope, feature):
            real_authorize(self, call, grant, None, feature)

        patch.setattr(auth.KeyAuthenticator, "authorize", without_scope)
        assert any("scope" in fault for fault in faults(client, headers))
    assert faults(client, headers) == []


def test_every_feature_of_a_plan_is_required_by_a_route(tmp_path: Path) -> None:
    app = app_of(load({}, data=tmp_path))
    endpoints = [route.app for route in app.routes if isinstance(route, Route) and isinstance(route.app, KeyEndpoint)]
    required = {endpoint._route.feature for endpoint in endpoints} - {None}
    assert required == {feature for plan in read_plans().by_code.values() for feature in plan.features}
