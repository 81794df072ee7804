"""Administration of accounts by an operator: `padron accounts create | list | set-plan | revoke | export | audit`.

Functions over the store; the command line prints their results.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any, NamedTuple

from sqlalchemy import select, update

from padron.accounts import passwords, sessions
from padron.accounts.audit import note
from padron.accounts.keys import Keys, lock, plan_of
from padron.accounts.plans import FREE, Plans
from padron.accounts.store import (
    Store,
    accounts,
    audit,
    fold_address,
    increment_revision,
    inserting,
    keys,
    subscriptions,
)
from padron.errors import Invalid, NotFound
from padron.model import Language

PROVIDER = "operator"
"""The provider of plans that were given, not bought; nobody renews them and they do not end by themselves."""
_FOREVER = 253_402_300_799


class AccountLine(NamedTuple):
    """One line of the list; `created_at` in seconds since the epoch."""

    id: str
    address: str
    plan: str
    keys: int
    created_at: int
    verified: bool


class AuditLine(NamedTuple):
    """One line of the audit log; `at` in seconds since the epoch."""

    at: int
    actor: str
    event: str
    account: str | None
    subject: str | None


def create(store: Store, address: str, password: str, language: Language) -> str:
    """Open an account whose address the operator vouches for.

    Args:
        store: The accounts database.
        address: The e-mail address.
        password: The password.
        language: Language of mails.

    Returns:
        The id of the account.

    Raises:
        Invalid: `bad-address`, `weak-password`, `address-taken`.
    """
    address = sessions.validated_address(address)
    passwords.check(password, address)
    now, kept = store.now(), passwords.hashed(password)
    with store.writing() as connection:
        row = {"id": f"acc_{token_hex(12)}", "address": address, "password": kept, "language": language}
        make = inserting(connection, accounts).values(row | {"created_at": now, "verified_at": now})
        account: str | None = connection.execute(
            make.on_conflict_do_nothing(index_elements=["address"]).returning(accounts.c.id)
        ).scalar_one_or_none()
        if account is None:
            raise Invalid("address-taken", parameter="address")
        note(connection, now, "operator", "signed-up", account=account)
    return account


def list_accounts(store: Store) -> list[AccountLine]:
    """Return all accounts, the oldest first."""
    now = store.now()
    with store.reading() as connection:
        held: dict[str, int] = {}
        for account in connection.execute(select(keys.c.account).where(keys.c.revoked_at.is_(None))).scalars():
            held[account] = held.get(account, 0) + 1
        rows = connection.execute(accounts.select().order_by(accounts.c.created_at, accounts.c.id)).all()
        return [
            AccountLine(
                row.id,
                row.address,
                plan_of(connection, row.id, now),
                held.get(row.id, 0),
                row.created_at,
                row.verified_at is not None,
            )
            for row in rows
        ]


def set_plan(store: Store, plans: Plans, address: str, plan: str) -> None:
    """Give an account a plan, or take it back with `free`.

    Args:
        store: The accounts database.
        plans: The plans on offer.
        address: The e-mail address of the account.
        plan: Code of the plan.

    Raises:
        Invalid: `unknown-plan`; `subscription-running` for an account that pays, whose plan the provider changes.
        NotFound: `account-not-found`.
    """
    wanted, now = plans.plan(plan), store.now()
    account = identify(store, address)
    with store.writing() as connection:
        lock(connection, account)
        row = connection.execute(subscriptions.select().where(subscriptions.c.account == account)).one_or_none()
        if row is not None and row.provider != PROVIDER and row.state != "ended":
            raise Invalid("subscription-running")
        values = {
            "provider": PROVIDER,
            "reference": account,
            "plan": wanted.code,
            "state": "ended" if wanted.code == FREE else "active",
            "ending": False,
            "period_end": _FOREVER,
            "failed_at": None,
            "replaces": None,
            "version": row.version + 1 if row else 1,
        }
        if row is None:
            connection.execute(subscriptions.insert().values(values | {"account": account}))
        else:
            connection.execute(update(subscriptions).where(subscriptions.c.account == account).values(values))
        increment_revision(connection)
        note(connection, now, "operator", f"plan-{wanted.code}", account=account)


def revoke(store: Store, all_keys: Keys, key: str) -> None:
    """End a key by its id (`key_…`).

    Args:
        store: The accounts database.
        all_keys: The keys of all accounts.
        key: Id of the key.

    Raises:
        NotFound: `key-not-found`.
    """
    with store.reading() as connection:
        account = connection.execute(select(keys.c.account).where(keys.c.id == key)).scalar_one_or_none()
    if account is None:
        raise NotFound("key-not-found")
    all_keys.revoke(account, key, "operator")


def export(store: Store, address: str) -> dict[str, Any]:
    """Return all data of an account, as its holder can export it. Raises `NotFound("account-not-found")`."""
    return sessions.export(store, identify(store, address))


def read_audit(store: Store, holder: str | None, event: str | None, limit: int) -> list[AuditLine]:
    """Return the latest lines of the audit log, the newest first.

    Args:
        store: The accounts database.
        holder: The e-mail address of an account, or its id, which is all that is left of a deleted one; None: all.
        event: The event; None: all.
        limit: Most lines to return.

    Returns:
        The lines.

    Raises:
        NotFound: `account-not-found` for an address without an account.
    """
    query = select(*(audit.c[field] for field in AuditLine._fields))
    if holder is not None:
        account = holder if holder.startswith("acc_") else identify(store, holder)
        query = query.where(audit.c.account == account)
    if event is not None:
        query = query.where(audit.c.event == event)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(audit.c.at.desc(), audit.c.id).limit(limit))
        return [AuditLine(*row) for row in rows]


def identify(store: Store, address: str) -> str:
    """Return the id of the account with an address. Raises `NotFound("account-not-found")`."""
    with store.reading() as connection:
        which = select(accounts.c.id).where(accounts.c.address == fold_address(address))
        account: str | None = connection.execute(which).scalar_one_or_none()
    if account is None:
        raise NotFound("account-not-found")
    return account
