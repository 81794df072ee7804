"""Several workers, kill -9, and secrets: over real HTTP, on SQLite and memory, and on PostgreSQL and Redis."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from sqlalchemy import create_engine
from starlette.routing import Route

import servers
from account_service import PASSWORD, account_service, app_of, both, enrol, letters, served, token_in
from fake_stripe import KEY, WEBHOOK_SECRET, FakeStripe
from full_size import of_full_size
from padron.accounts.store import metadata
from padron.config import load
from waiting import PATIENCE, until

SEARCH = "/api/v1/search?q=petroleo"
CALLS = of_full_size(10_000, small=1_500)
ANSWERS = of_full_size(4_321, small=621)
KEYS = of_full_size(5, small=1)
EACH = of_full_size(200, small=50)
"""Accounts, keys and events that a crowd makes; the service is killed whenever 20 more accounts are acknowledged."""
KILLS = of_full_size(4, small=1)
PLANS = f"""
currency = "USD"
terms = {{ es = "x", en = "x" }}
[plans.free]
name = {{ es = "Gratis", en = "Free" }}
price = 0
per_minute = 100_000
per_day = {ANSWERS}
rows_per_day = 10
features = []
keys = 500
[plans.pro]
name = {{ es = "Pro", en = "Pro" }}
price = 4_900
stripe_price = "price_pro"
per_minute = 100_000
per_day = 50_000
rows_per_day = 20
features = ["financials"]
keys = 500
[anonymous]
public = 60
type_ahead = 300
"""


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    with servers.redis() as (url, _):
        yield url


@pytest.fixture(
    params=[
        pytest.param("sqlite and memory", marks=[pytest.mark.verify, pytest.mark.endurance]),
        pytest.param("postgresql and redis", marks=pytest.mark.endurance),
    ]
)
def variables(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Settings of a service with a plan of 4,321 answers a day, embedded and outgrown."""
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS, encoding="utf-8")
    environment = {"PADRON_ACCOUNTS__PLANS": str(plans), "PADRON_LIMITS__ENABLED": "1"}
    if request.param == "postgresql and redis":
        environment["PADRON_ACCOUNTS__URL"] = request.getfixturevalue("database")
        environment["PADRON_LIMITS__URL"] = request.getfixturevalue("redis")
    return environment


def prepared(data: Path, variables: dict[str, str], count: int = 1) -> tuple[list[str], list[str], str]:
    """Keys of a new account, their ids, and its session."""
    with account_service(data, **variables | {"PADRON_LIMITS__ENABLED": "0"}) as client:
        holder = enrol(client, data)
        keys = [holder.key(f"k{number}") for number in range(count)]
        listed = client.get("/api/account/keys").json()["keys"]
        ids = {key["name"]: key["id"] for key in listed}
        return keys, [ids[f"k{number}"] for number in range(count)], client.cookies["padron"]


def test_quotas_are_exact_over_three_workers(tmp_path: Path, variables: dict[str, str]) -> None:
    (key,), _, _ = prepared(tmp_path, variables)

    async def ask(base: str) -> list[int]:
        limits = httpx2.Limits(max_connections=64)
        async with httpx2.AsyncClient(base_url=base, headers=both(key), limits=limits, timeout=PATIENCE) as client:
            gate = asyncio.Semaphore(64)

            async def ask_number(number: int) -> int:
                async with gate:
                    # Each tenth asks for something that does not succeed: it does not count.
                    path = SEARCH if number % 10 else "/api/v1/entities/EC/9"
                    return (await client.get(path)).status_code

            return await asyncio.gather(*(ask_number(number) for number in range(CALLS)))

    with served(tmp_path, 3, **variables) as (_, base):
        statuses = asyncio.run(ask(base))
        assert statuses.count(200) == ANSWERS
        assert set(statuses) == {200, 404, 429}
        refused = httpx2.get(base + SEARCH, headers=both(key)).json()
        assert refused["code"] == "quota-exceeded"
        ask_usage = partial(httpx2.get, base + "/api/v1/usage", headers=both(key))
        usage = until(lambda: shown if (shown := ask_usage().json())["history"][0]["answers"] >= ANSWERS else None)
        assert usage["history"][0]["answers"] == ANSWERS
        assert usage["day"]["remaining"] == 0
    with served(tmp_path, 1, **variables) as (_, base):
        assert httpx2.get(base + SEARCH, headers=both(key)).status_code == 429


def test_a_revoked_key_dies_on_every_worker(tmp_path: Path, variables: dict[str, str]) -> None:
    variables = variables | {"PADRON_LIMITS__ENABLED": "0"}  # the many 401 would be too many failures
    keys, ids, session = prepared(tmp_path, variables, KEYS)
    with served(tmp_path, 2, **variables) as (_, base):
        for key, number in zip(keys, ids, strict=True):
            for _ in range(40):  # fresh connections: both workers remember the key
                assert httpx2.get(base + SEARCH, headers=both(key)).status_code == 200
            revoked = httpx2.delete(f"{base}/api/account/keys/{number}", cookies={"padron": session})
            assert revoked.status_code == 204
            began = time.monotonic()
            ask = partial(httpx2.get, base + SEARCH, headers=both(key))
            until(lambda ask=ask: {ask().status_code for _ in range(20)} == {401})
            print(f"a revoked key was refused by every worker within {time.monotonic() - began:.1f} s")


class Crowd:
    """Clients that sign up, make keys and send events, each `EACH` times; `acknowledged` are the good answers."""

    def __init__(self, session: str, events: list[tuple[bytes, str]]) -> None:
        self.acknowledged: dict[str, list[str]] = {"accounts": [], "keys": [], "events": []}
        self._numbers = {kind: iter(range(EACH)) for kind in self.acknowledged}
        self._session = session
        self._events = events

    def go(self, base: str) -> list[threading.Thread]:
        """Go on where it was left, three at a time of each kind; the threads end with the work, or with the service."""
        threads = [
            threading.Thread(target=self._work, args=(kind, base)) for kind in self.acknowledged for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        return threads

    def _work(self, kind: str, base: str) -> None:
        with httpx2.Client(base_url=base, cookies={"padron": self._session}, timeout=PATIENCE) as client:
            for number in self._numbers[kind]:
                try:
                    name, good = self._ask(client, kind, number)
                except httpx2.TransportError:
                    return
                if good:
                    self.acknowledged[kind].append(name)

    def _ask(self, client: httpx2.Client, kind: str, number: int) -> tuple[str, bool]:
        if kind == "accounts":
            body = {"email": f"p{number}@example.ec", "password": PASSWORD}
            return body["email"], client.post("/api/account", json=body).status_code == 202
        if kind == "keys":
            return f"n{number}", client.post("/api/account/keys", json={"name": f"n{number}"}).status_code == 201
        body, signature = self._events[number]
        sent = client.post("/api/subscriptions/events", content=body, headers={"stripe-signature": signature})
        return f"evt_{number + 1}", sent.status_code == 204


def test_kill_9_loses_nothing_acknowledged_and_makes_nothing_twice(tmp_path: Path, variables: dict[str, str]) -> None:
    stripe = FakeStripe()
    variables = variables | {
        "PADRON_BILLING__STRIPE_KEY": KEY,
        "PADRON_BILLING__STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "PADRON_BILLING__STRIPE_URL": stripe.url,
        "PADRON_LIMITS__ENABLED": "0",
    }
    with account_service(tmp_path, **variables) as client:
        enrol(client, tmp_path)
        begun = client.post("/api/account/checkout", json={"planId": "pro"}).json()
        session = client.cookies["padron"]
    stripe.pay(begun["checkoutUrl"].rsplit("/", 1)[1])
    (paid,) = stripe.sessions.values()
    crowd = Crowd(session, [stripe.event("checkout.session.completed", paid) for _ in range(EACH)])
    for kill in [True] * KILLS + [False]:
        with served(tmp_path, 2, **variables) as (process, base):
            enough = len(crowd.acknowledged["accounts"]) + 20
            threads = crowd.go(base)
            if kill:
                until(lambda enough=enough: len(crowd.acknowledged["accounts"]) >= enough)
                os.killpg(process.pid, signal.SIGKILL)
            for thread in threads:
                thread.join()
    stripe.close()
    assert all(len(answers) >= EACH * 0.9 for answers in crowd.acknowledged.values()), crowd.acknowledged

    rows = dump(tmp_path, variables)
    for kind, name in (("accounts", "address"), ("keys", "name"), ("events", "id")):
        kept = [row[name] for row in rows[kind]]
        assert set(crowd.acknowledged[kind]) <= set(kept)
        assert len(kept) == len(set(kept))
    assert len(rows["subscriptions"]) == 1
    assert [row["state"] for row in rows["checkouts"]] == ["completed"]
    assert sum(row["event"] == "plan-pro" for row in rows["audit"]) == 1
    waiting = {row["account"] for row in rows["mails"]}
    ids = {row["address"]: row["id"] for row in rows["accounts"]}
    sent = "\n".join(letters(tmp_path))
    assert all(address in sent or ids[address] in waiting for address in crowd.acknowledged["accounts"])


def dump(data: Path, variables: dict[str, str]) -> dict[str, list[dict[str, object]]]:
    """Every row of the accounts database."""
    engine = create_engine(variables.get("PADRON_ACCOUNTS__URL") or f"sqlite:///{data}/accounts.sqlite")
    with engine.connect() as connection:
        rows = {
            table.name: [dict(row) for row in connection.execute(table.select()).mappings()]
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return rows


def test_secrets_stand_nowhere(tmp_path: Path, variables: dict[str, str]) -> None:
    secret = "a-server-secret-that-nobody-may-ever-see"
    stripe = FakeStripe()
    variables = variables | {
        "PADRON_ACCOUNTS__SECRET": secret,
        "PADRON_BILLING__STRIPE_KEY": KEY,
        "PADRON_BILLING__STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "PADRON_BILLING__STRIPE_URL": stripe.url,
    }
    secrets = {secret, KEY, WEBHOOK_SECRET, PASSWORD, "un secreto que nadie adivina"}
    answers: list[str] = []
    everything = {
        route.path_format
        for route in app_of(load(variables, data=tmp_path / "unused")).routes
        if isinstance(route, Route)
    }
    with served(tmp_path, 2, **variables) as (process, base), httpx2.Client(base_url=base) as client:
        client.post("/api/account", json={"email": "ana@example.ec", "password": PASSWORD})
        token = token_in(letters(tmp_path, "ana@example.ec")[0])
        client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
        made = client.post("/api/account/keys", json={"name": "uno"}).json()
        key, session = made["apiKey"], client.cookies["padron"]
        secrets |= {token, key, session}
        pages = [path for path in everything if not path.startswith("/api/")]
        answers += [client.get(re.sub(r"\{\w+\}", "1", path), headers=both(key)).text for path in pages]
        drive(client, key, session, answers)
        until(lambda: everything <= driven(tmp_path / "out.log"))  # a killed worker takes its last lines with it
        workers = children(process.pid)
        os.kill(workers[-1], signal.SIGKILL)
        until(lambda: len(children(process.pid)) == len(workers) and workers[-1] not in children(process.pid))
        drive(client, key, session, answers)
        answers += [httpx2.get(f"{base}{SEARCH}", headers=both(key)).text for _ in range(10)]
        answers.append(client.get("/metrics").text)
    stripe.close()
    log = (tmp_path / "out.log").read_text(errors="replace")
    places = {
        "answers": "\n".join(answers),
        "log": log,
        "database": str(dump(tmp_path, variables)),
    }
    for file in tmp_path.glob("accounts.sqlite*"):
        places[file.name] = file.read_bytes().decode("latin-1")
    assert leaks(secrets, places) == []
    assert leaks(secrets, {"planted": f"x {base64.b64encode(key.encode()).decode()} y"}) != []
    assert leaks(secrets, {"planted": quote(PASSWORD)}) != []
    assert leaks(secrets, {"planted": "".join(f"%{byte:02x}" for byte in key.encode())}) != []
    for before in ("", "a", "ab"):
        assert (
            leaks(secrets, {"planted": base64.urlsafe_b64encode(f"{before}{token} and so on".encode()).decode()}) != []
        )


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def driven(log: Path) -> set[str]:
    """The routes that have been asked, by the log."""
    lines = log.read_text(errors="replace").splitlines()
    return {json.loads(line)["route"] for line in lines if line.startswith('{"event":"request"') and line[-1] == "}"}


OPEN = (
    *("/api/account", "/api/account/keys", "/api/account/export", "/api/account/usage", "/api/account/plans"),
    *("/api/account/openapi.json", "/api/v1/openapi.json", "/api/public/openapi.json", "/api/public/empresas/stats"),
    *("/api/account/invoices", "/api/account/usage.csv", "/metrics", "/healthz", "/readyz", "/robots.txt"),
)
"""A request without further conditions."""


def drive(client: httpx2.Client, key: str, session: str, answers: list[str]) -> None:
    """Ask every route, with good and bad credentials in every place they can be."""
    paths = [SEARCH, "/api/v1/entities/BR/33000167", "/api/v1/entities/BR/33000167/financials", "/api/v1/usage"]
    paths.append("/api/v1/changes")
    for path in paths:
        ways = (
            both(key), {}, {"apikey": key}, {"authorization": f"Bearer {key}"}, {"authorization": key, "apikey": key},
            both(key[:-1]), {"cookie": f"padron={session}"},
        )  # fmt: skip
        answers += [client.get(path, headers=headers).text for headers in ways]
        answers.append(client.get(path + ("&" if "?" in path else "?") + f"apiKey={key}").text)
    hidden = key.rpartition("_")[2]  # a whole key in an address is refused before its route
    for path in (
        "watchlists",
        f"watchlists/{key}",
        f"watchlists/{hidden}",
        "webhooks",
        f"webhooks/{key}",
        f"webhooks/{hidden}",
    ):
        answers += [client.get(f"/api/v1/{path}", headers=headers).text for headers in (both(key), both(key[:-1]))]
    answers.append(client.post("/api/v1/watchlists", json={"name": "lista"}, headers=both(key)).text)
    answers.append(client.post("/api/v1/webhooks", json={"url": key[:40]}, headers=both(key)).text)
    acts = [(part, act) for part in (key, hidden) for act in ("rotate", "test")]
    answers += [client.post(f"/api/v1/webhooks/{part}/{act}", headers=both(key)).text for part, act in acts]
    rows = {"rows": [{"name": "petroleo"}]}
    answers += [
        client.post("/api/v1/match", json=rows, headers=headers).text for headers in (both(key), both(key[:-1]))
    ]
    answers.append(client.post("/api/subscriptions/checkout", json={"planId": key[:40]}, headers=both(key)).text)
    for part in (key, hidden):
        answers.append(client.get(f"/api/public/empresas/EC/{part}").text)
        answers.append(client.get(f"/api/public/empresas/search?q={quote(part)}").text.replace(part, ""))
    answers.append(client.get(f"/nowhere/{key}?{key}={key}", headers={"x-request-id": "x"}).text)
    wrong = "un secreto que nadie adivina"
    for method, path, body in (
        ("POST", "/api/account/session", {"email": "ana@example.ec", "password": wrong}),
        ("POST", "/api/account", {"email": "eva@example.ec", "password": wrong, wrong: 1}),
        ("POST", "/api/account", {"email": wrong, "password": wrong}),
        ("PUT", "/api/account/password", {"old": wrong, "new": wrong}),
        ("POST", "/api/account/verify", {"token": session, "password": wrong}),
        ("POST", "/api/account/password/reset", {"token": session, "password": wrong}),
        ("POST", "/api/account/keys", {"name": "dos", "scopes": [key]}),
        ("POST", "/api/account/checkout", {"planId": "pro"}),
        ("POST", "/api/account/checkout", {"planId": key[:40]}),
        ("POST", "/api/account/portal", None),
        ("POST", "/api/account/resume", None),
        ("PUT", "/api/account/terms", {"version": key[:40]}),
        ("POST", "/api/account/password/forgotten", {"email": "ana@example.ec", wrong: key}),
        ("PATCH", "/api/account", {"language": key}),
        *(("POST", f"/api/account/keys/{part}/rotate", {"overlapSeconds": 0}) for part in (key, hidden)),
        *(("DELETE", f"/api/account/keys/{part}", None) for part in (key, hidden)),
        ("DELETE", "/api/account", {"password": wrong}),
        ("PUT", "/api/account/email", {"email": "eva@example.ec", "password": wrong}),
        ("POST", "/api/account/email/confirm", {"token": session, "password": wrong}),
        ("POST", "/api/account/second-factor", {"password": wrong}),
        ("POST", "/api/account/second-factor/confirm", {"code": key}),
        ("POST", "/api/account/second-factor/recovery-codes", {"password": wrong}),
        ("DELETE", f"/api/account/sessions/{session}", None),
        ("POST", "/api/keys/exposed", [{"token": key}]),
        ("POST", "/api/subscriptions/events", {"id": key}),
        *(("GET", path, None) for path in OPEN),
        ("DELETE", "/api/account/sessions", None), ("DELETE", "/api/account/session", None),
    ):  # fmt: skip
        text = client.request(method, path, json=body).text if body else client.request(method, path).text
        named = body is not None and wrong in body  # a refusal names the member, its pointer percent-encodes it
        answers.append(text.replace(wrong, "").replace(quote(wrong), "") if named else text)


def leaks(secrets: set[str], places: dict[str, str]) -> list[str]:
    """Places that hold a secret, plain, in base64 at any offset, or percent-encoded."""
    places_found = []
    for secret in secrets:
        whole = "".join(f"%{byte:02X}" for byte in secret.encode())
        forms = {secret, quote(secret), quote(secret, safe=""), re.sub(" ", "+", secret), whole, whole.lower()}
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + secret.encode()).decode()
            forms |= {coded[4:-4], coded[4:-4].replace("+", "-").replace("/", "_")}
        places_found += [f"{place}: {secret[:6]}…" for place, text in places.items() for form in forms if form in text]
    return places_found


@pytest.mark.verify
def test_a_backup_is_a_copy_that_opens(tmp_path: Path) -> None:
    keys, _, _ = prepared(tmp_path, {})
    with sqlite3.connect(tmp_path / "accounts.sqlite") as source, sqlite3.connect(tmp_path / "copy.sqlite") as copy:
        source.backup(copy)
    source.close()
    copy.close()
    restored = {"PADRON_ACCOUNTS__URL": f"sqlite:///{tmp_path}/copy.sqlite"}
    with account_service(tmp_path, **restored) as client:
        assert client.get(SEARCH, headers=both(keys[0])).status_code == 200
