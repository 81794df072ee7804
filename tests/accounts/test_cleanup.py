"""Removal of expired rows, and of no others."""

from __future__ import annotations

import time

import pytest

from bureau import PASSWORD, Holder, both
from padron.accounts.cleanup import delete_expired
from padron.accounts.store import accounts, count, events, key_usage, sessions, tokens, usage


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
        holder.client.app.state.services.keys.look_up(holder.services.keys.digest(key))[1].account
    )
