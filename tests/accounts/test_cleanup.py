"""Removal of expired rows, and of no others."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

import pytest
from sqlalchemy import delete, event, insert, select
from sqlalchemy.exc import DBAPIError

from account_service import PASSWORD, Holder, both, buy
from padron.accounts.cleanup import AUDIT, RETENTION, delete_expired
from padron.accounts.store import (
    Store,
    accounts,
    audit,
    checkouts,
    count,
    events,
    key_usage,
    keys,
    metadata,
    sandbox,
    sessions,
    tokens,
    tombstones,
    usage,
)
from padron.words import translate

DAY = 86_400


@pytest.mark.parametrize(
    ("days", "left"),
    [
        (0, {"accounts": 2, "sessions": 1, "tokens": 1, "usage": 1}),
        (2, {"accounts": 2, "sessions": 1, "tokens": 0, "usage": 1}),
        (8, {"accounts": 1, "sessions": 0, "tokens": 0, "usage": 1}),
        (402, {"accounts": 1, "sessions": 0, "tokens": 0, "usage": 0}),
    ],
)
def test_each_thing_goes_in_its_time(holder: Holder, days: int, left: dict[str, int]) -> None:
    key = holder.key()
    assert holder.client.get("/api/v1/search?q=apple", headers=both(key)).status_code == 200
    holder.services.usage.flush()
    holder.client.post("/api/account", json={"email": "never@example.ec", "password": PASSWORD})
    holder.services.mail_sender.send_due()  # which makes its token, here or in the task beside
    store = holder.services.store
    with store.writing() as connection:
        connection.execute(tokens.delete().where(tokens.c.used_at.is_(None)))
    store._clock = lambda: time.time() + days * 86_400
    delete_expired(store)
    with store.reading() as connection:
        counts = {table.name: count(connection, table) for table in (accounts, sessions, tokens, usage)}
        assert count(connection, key_usage) == counts["usage"]
        assert count(connection, events) == 0
    assert counts == left
    assert holder.services.keys.of(
        holder.client.app.state.services.keys.look_up(holder.services.keys.digest(key)).account
    )


def test_other_writers_have_their_turn_between_two_tables(holder: Holder) -> None:
    holder.client.post("/api/account", json={"email": "never@example.ec", "password": PASSWORD})
    store, seen = holder.services.store, list[int]()
    beside = Store(store._url.render_as_string(hide_password=False))

    def write(*_: object) -> None:
        with beside.writing() as connection:
            seen.append(count(connection, accounts))

    store._clock = lambda: time.time() + 8 * DAY
    event.listen(store._engine, "checkin", write)
    delete_expired(store)
    event.remove(store._engine, "checkin", write)
    beside.close()
    assert (seen[0], seen[-1]) == (2, 1)


def test_a_deleted_account_leaves_nothing_at_the_sandbox(holder: Holder) -> None:
    buy(holder, "pro")
    portal = holder.client.post("/api/account/portal").json()["url"]
    holder.client.post(urlsplit(portal).path, data={"move": "cancel"})
    left = holder.client.request("DELETE", "/api/account", json={"password": PASSWORD})
    assert left.status_code == 204
    with holder.services.store.reading() as connection:
        assert count(connection, sandbox) == 0
        assert connection.execute(select(tombstones.c.customer)).scalar_one() is None


def test_every_table_has_its_retention(holder: Holder) -> None:
    named = [table for line in RETENTION for table in line.tables]
    assert sorted([*named, "revision", "sandbox"]) == sorted(metadata.tables)
    for language, title in (("es", "privacidad"), ("en", "privacy")):
        page = holder.client.get(f"/{language}/{title}").text
        for line in RETENTION:
            content, period = translate(line.content, language), translate(line.period, language)
            assert f'<tr><th scope="row">{content}</th><td>{period}</td>' in page


def test_keys_and_checkouts_that_are_over_go_in_their_time(holder: Holder) -> None:
    store, client = holder.services.store, holder.client
    for name in ("kept", "revoked"):
        holder.key(name)
    ids = {key["name"]: key["id"] for key in client.get("/api/account/keys").json()["keys"]}
    client.delete(f"/api/account/keys/{ids['revoked']}")
    now = store.now()
    holder.key("expired", expiresAt=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 60)))
    client.post("/api/account/checkout", json={"planId": "pro"})
    seen = []
    for days, state in ((91, "open"), (91, "expired"), (400, "expired"), (402, "expired")):
        with store.writing() as connection:
            connection.execute(checkouts.update().values(state=state))
        store._clock = lambda days=days: now + days * DAY
        delete_expired(store)
        with store.reading() as connection:
            names = sorted(connection.execute(select(keys.c.name)).scalars())
            seen.append((count(connection, checkouts), names))
    every = ["expired", "kept", "revoked"]
    assert seen == [(1, every), (0, every), (0, every), (0, ["kept"])]


def test_the_audit_log_goes_after_five_years_and_no_sooner(holder: Holder) -> None:
    store, now = holder.services.store, int(time.time())
    ages = {"old": AUDIT + 60, "young": AUDIT - 2 * DAY}
    with store.writing() as connection:
        connection.execute(delete(tombstones))
        for name, age in ages.items():
            row = {"id": name, "at": now - age, "account": name, "actor": "service", "event": "deleted"}
            connection.execute(insert(audit).values(row))
            connection.execute(insert(tombstones).values(account=name, deleted_at=now - age))
    delete_expired(store)
    with store.reading() as connection:
        assert connection.execute(select(audit.c.id).where(audit.c.event == "deleted")).scalars().all() == ["young"]
        assert connection.execute(select(tombstones.c.account)).scalars().all() == ["young"]
    with pytest.raises(DBAPIError, match="append-only"), store.writing() as connection:
        connection.execute(delete(audit).where(audit.c.id == "young"))
