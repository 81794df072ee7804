"""What need not be kept is removed hourly: ended sessions and tokens, accounts never proved, old counts and events."""

from __future__ import annotations

from sqlalchemy import delete, or_

from padron.accounts.keys import DAY
from padron.accounts.sessions import IDLE, SESSION
from padron.accounts.store import Store, accounts, events, sessions, tokens, usage

UNPROVED = 7 * DAY
"""Seconds in which a new account's address must be proved; after that its holder starts anew."""
USAGE = 400
"""Days for which counts are kept: a year and a month."""
EVENTS = 90 * DAY
"""Seconds for which events are known as seen; a provider sends one again for some days."""


def tidy(store: Store) -> None:
    """Remove it all, in one transaction."""
    now = store.now()
    old = (
        delete(sessions).where(or_(sessions.c.created_at <= now - SESSION, sessions.c.seen_at <= now - IDLE)),
        delete(tokens).where(tokens.c.expires_at <= now),
        delete(accounts).where(accounts.c.verified_at.is_(None), accounts.c.created_at <= now - UNPROVED),
        delete(usage).where(usage.c.day < now // DAY - USAGE),
        delete(events).where(events.c.applied_at <= now - EVENTS),
    )
    with store.writing() as connection:
        for statement in old:
            connection.execute(statement)
