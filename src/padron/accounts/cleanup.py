"""Hourly removal of ended sessions and tokens, what nobody confirmed, old usage and events."""

from __future__ import annotations

from sqlalchemy import delete, or_, select, update

from padron.accounts.keys import DAY
from padron.accounts.second_factor import ENROLLING
from padron.accounts.sessions import IDLE, SESSION
from padron.accounts.store import Store, accounts, events, key_usage, mails, second_factors, sessions, tokens, usage

UNVERIFIED = 7 * DAY
"""Seconds in which the address of a new account must be verified; after that its holder signs up again."""
USAGE = 400
"""Days for which usage is kept: a year and a month."""
EVENTS = 90 * DAY
"""Seconds for which applied events are remembered; a provider may send one again for some days."""


def delete_expired(store: Store) -> None:
    """Delete all rows that have expired, in one transaction."""
    now = store.now()
    begun = second_factors.c.confirmed_at.is_(None)
    old = (
        delete(sessions).where(or_(sessions.c.created_at <= now - SESSION, sessions.c.seen_at <= now - IDLE)),
        delete(tokens).where(tokens.c.expires_at <= now),
        delete(accounts).where(accounts.c.verified_at.is_(None), accounts.c.created_at <= now - UNVERIFIED),
        delete(second_factors).where(begun, second_factors.c.created_at <= now - ENROLLING),
        *(delete(table).where(table.c.day < now // DAY - USAGE) for table in (usage, key_usage)),
        delete(events).where(events.c.applied_at <= now - EVENTS),
    )
    live = select(tokens.c.account).where(tokens.c.purpose == "address", tokens.c.used_at.is_(None))
    queued = select(mails.c.account).where(mails.c.kind == "new-address")
    asked = accounts.c.new_address.is_not(None)
    forgotten = update(accounts).where(asked, accounts.c.id.not_in(live), accounts.c.id.not_in(queued))
    with store.writing() as connection:
        for statement in old:
            connection.execute(statement)
        connection.execute(forgotten.values(new_address=None))
