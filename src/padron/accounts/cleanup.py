"""Retention: how long each table is kept, and the hourly removal of what is older."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import delete, or_, select, update

from padron.accounts.keys import DAY
from padron.accounts.second_factor import ENROLLING
from padron.accounts.sessions import IDLE, SESSION
from padron.accounts.store import (
    Store,
    accounts,
    audit,
    checkouts,
    events,
    key_usage,
    keys,
    mails,
    messages,
    second_factors,
    sessions,
    tokens,
    tombstones,
    usage,
)
from padron.accounts.webhooks import SHOWN
from padron.words import N_

UNVERIFIED: Final = 7 * DAY
"""Seconds in which the address of a new account must be verified; after that its holder signs up again."""
USAGE: Final = 400
"""Days for which usage is kept: a year and a month."""
EVENTS: Final = 90 * DAY
"""Seconds for which applied events are remembered; a provider may send one again for some days."""
CHECKOUTS: Final = 90 * DAY
"""Seconds for which checkouts that nobody paid are kept."""
AUDIT: Final = 5 * 365 * DAY + DAY
"""Seconds for which the audit log is kept: a day more than the database refuses to delete its lines."""


class Retention(NamedTuple):
    """Tables, what they hold, and how long it is kept: two English sentences to translate."""

    tables: tuple[str, ...]
    content: str
    period: str


RETENTION: Final = (
    Retention(
        ("accounts", "subscriptions", "second_factors", "recovery_codes"),
        N_("Account, plan and second factor"),
        N_("until you delete the account; if nobody confirms its address, 7 days"),
    ),
    Retention(("keys",), N_("Keys"), N_("until you delete the account; revoked and expired ones 401 days")),
    Retention(
        ("watchlists", "watched_companies", "saved_searches"),
        N_("Watchlists: the companies and searches that you save"),
        N_("until you delete them, or the account"),
    ),
    Retention(("webhooks",), N_("Addresses of your webhooks"), N_("until you delete them, or the account")),
    Retention(("messages",), N_("Messages to your webhooks, and how they were delivered"), N_("30 days")),
    Retention(("usage", "key_usage"), N_("Answers, and rows of lists, a day by key and operation"), N_("400 days")),
    Retention(("sessions",), N_("Sessions and the names of their browsers"), N_("30 days, or 7 days without use")),
    Retention(("mails", "tokens"), N_("Mails that wait, and links in them"), N_("3 days; links 24 hours")),
    Retention(("checkouts",), N_("Purchases"), N_("until you delete the account; those that nobody paid 90 days")),
    Retention(("events",), N_("Numbers of notices from the payment provider"), N_("90 days")),
    Retention(
        ("audit", "tombstones"),
        N_("Log of acts on accounts and keys, and deleted accounts: numbers and times, no address or name"),
        N_("5 years"),
    ),
)
"""All tables that hold something about an account holder; the page on privacy shows it."""


def delete_expired(store: Store) -> None:
    """Delete all rows that have expired, table by table: other writers have their turn between two."""
    now = store.now()
    begun = second_factors.c.confirmed_at.is_(None)
    ended = now - (USAGE + 1) * DAY  # after the usage that names them
    old = (
        delete(sessions).where(or_(sessions.c.created_at <= now - SESSION, sessions.c.seen_at <= now - IDLE)),
        delete(tokens).where(tokens.c.expires_at <= now),
        delete(accounts).where(accounts.c.verified_at.is_(None), accounts.c.created_at <= now - UNVERIFIED),
        delete(second_factors).where(begun, second_factors.c.created_at <= now - ENROLLING),
        delete(keys).where(or_(keys.c.revoked_at <= ended, keys.c.expires_at <= ended)),
        *(delete(table).where(table.c.day < now // DAY - USAGE) for table in (usage, key_usage)),
        delete(checkouts).where(
            checkouts.c.state.in_(("cancelled", "expired")), checkouts.c.created_at <= now - CHECKOUTS
        ),
        delete(messages).where(messages.c.created_at <= now - SHOWN),
        delete(events).where(events.c.applied_at <= now - EVENTS),
        delete(audit).where(audit.c.at <= now - AUDIT),
        delete(tombstones).where(tombstones.c.customer.is_(None), tombstones.c.deleted_at <= now - AUDIT),
    )
    live = select(tokens.c.account).where(tokens.c.purpose == "address", tokens.c.used_at.is_(None))
    queued = select(mails.c.account).where(mails.c.kind == "new-address")
    asked = accounts.c.new_address.is_not(None)
    forgotten = update(accounts).where(asked, accounts.c.id.not_in(live), accounts.c.id.not_in(queued))
    for statement in (*old, forgotten.values(new_address=None)):
        with store.writing() as connection:
            connection.execute(statement)
