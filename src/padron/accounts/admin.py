"""Administration of accounts by an operator: functions over the store, which `padron accounts` calls and prints.

Every act is a line of the audit log, with the operator as its actor.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, delete, func, select, update

from padron.accounts import passwords, second_factor, sessions
from padron.accounts.audit import note
from padron.accounts.keys import Key, Keys, lock, plan_of
from padron.accounts.plans import FREE, Plans
from padron.accounts.store import (
    GIVEN,
    Store,
    accounts,
    audit,
    fold_address,
    increment_revision,
    inserting,
    keys,
    mails,
    queue_mail,
    subscriptions,
)
from padron.errors import Invalid, NotFound
from padron.words import Language

_FOREVER = 253_402_300_799


class AccountLine(NamedTuple):
    """One line of the list; `created_at` in seconds since the epoch."""

    id: str
    address: str
    plan: str
    keys: int
    created_at: int
    verified: bool
    suspended: bool


class AuditLine(NamedTuple):
    """One line of the audit log; `at` in seconds since the epoch."""

    at: int
    actor: str
    event: str
    account: str | None
    subject: str | None


def create(store: Store, address: str, password: str, language: Language) -> str:
    """Open an account whose address the operator vouches for.

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


def show(store: Store, address: str) -> AccountLine:
    """Return the account with an address. Raises `NotFound("account-not-found")`."""
    lines = list_accounts(store, accounts.c.address == fold_address(address))
    if not lines:
        raise NotFound("account-not-found")
    return lines[0]


def list_accounts(store: Store, *where: ColumnElement[bool]) -> list[AccountLine]:
    """Return the accounts that fulfil all conditions, the oldest first."""
    now = store.now()
    with store.reading() as connection:
        held = select(func.count()).where(keys.c.account == accounts.c.id, keys.c.revoked_at.is_(None))
        query = select(accounts, held.scalar_subquery().label("held")).where(*where)
        rows = connection.execute(query.order_by(accounts.c.created_at, accounts.c.id)).all()
        return [
            AccountLine(
                row.id,
                row.address,
                plan_of(connection, row.id, now),
                row.held,
                row.created_at,
                row.verified_at is not None,
                row.suspended_at is not None,
            )
            for row in rows
        ]


def set_plan(store: Store, plans: Plans, address: str, plan: str) -> None:
    """Give an account a plan, or take it back with `free`.

    Raises:
        Invalid: `unknown-plan`; `subscription-running` for an account that pays, whose plan the provider changes.
        NotFound: `account-not-found`.
    """
    wanted, now = plans.plan(plan), store.now()
    account = identify(store, address)
    with store.writing() as connection:
        lock(connection, account)
        row = connection.execute(subscriptions.select().where(subscriptions.c.account == account)).one_or_none()
        if row is not None and row.provider != GIVEN and row.state != "ended":
            raise Invalid("subscription-running")
        values = {
            "provider": GIVEN,
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


def suspend(store: Store, address: str) -> None:
    """Refuse the keys of an account and all it would make or buy, within a second; its holder gets a mail.

    Raises `NotFound("account-not-found")`. To suspend it again changes nothing; what it pays goes on at the provider.
    """
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        running = (accounts.c.id == account, accounts.c.suspended_at.is_(None))
        if connection.execute(update(accounts).where(*running).values(suspended_at=now)).rowcount:
            increment_revision(connection)
            queue_mail(connection, now, account, "suspended")
            note(connection, now, "operator", "suspended", account=account)


def resume(store: Store, address: str) -> None:
    """End the suspension of an account, if there is one. Raises `NotFound("account-not-found")`."""
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        suspended = (accounts.c.id == account, accounts.c.suspended_at.is_not(None))
        if connection.execute(update(accounts).where(*suspended).values(suspended_at=None)).rowcount:
            note(connection, now, "operator", "resumed", account=account)


def grant_operator(store: Store, address: str) -> None:
    """Let the holder of an account use the page of operators. Raises `NotFound("account-not-found")`.

    Only a command does this, never a page. The page also asks for a second factor.
    """
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        new = (accounts.c.id == account, accounts.c.operator_at.is_(None))
        if connection.execute(update(accounts).where(*new).values(operator_at=now)).rowcount:
            note(connection, now, "operator", "operator-granted", account=account)


def withdraw_operator(store: Store, address: str) -> None:
    """Take that back, from the next request on. Raises `NotFound("account-not-found")`."""
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        held = (accounts.c.id == account, accounts.c.operator_at.is_not(None))
        if connection.execute(update(accounts).where(*held).values(operator_at=None)).rowcount:
            note(connection, now, "operator", "operator-withdrawn", account=account)


def note_order(store: Store, operator: str, order: str, account: str | None) -> None:
    """Note who orders what on the page of operators, before it is done; the act itself has a line of its own.

    Args:
        order: The order, as a word.
        account: Id of the account concerned, if it is about one.
    """
    with store.writing() as connection:
        note(connection, store.now(), "operator", f"ordered-{order}", account=operator, subject=account)


def unlock(store: Store, address: str) -> None:
    """Forget the wrong passwords for an account, which is then open again. Raises `NotFound("account-not-found")`."""
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        connection.execute(update(accounts).where(accounts.c.id == account).values(unlocked_at=now))
        note(connection, now, "operator", "unlocked", account=account)


def remove_second_factor(store: Store, address: str) -> None:
    """Turn off the second factor of a holder who lost the app and the recovery codes, and tell them by mail.

    Raises `NotFound("account-not-found")`, `NotFound("no-second-factor")`.
    """
    second_factor.remove(store, identify(store, address), "operator")


def resend(store: Store, address: str) -> None:
    """Send the link that confirms the address of an account again, now.

    Raises `NotFound("account-not-found")`; `Invalid("already-confirmed")` for one that needs no such link.
    """
    now, account = store.now(), identify(store, address)
    with store.writing() as connection:
        confirmed = select(accounts.c.verified_at).where(accounts.c.id == account)
        if connection.execute(confirmed).scalar_one() is not None:
            raise Invalid("already-confirmed", parameter="address")
        connection.execute(delete(mails).where(mails.c.account == account, mails.c.kind == "verify"))
        queue_mail(connection, now, account, "verify")
        note(connection, now, "operator", "mail-resent", account=account, subject="verify")


def remove(store: Store, address: str) -> None:
    """Delete an account and all it owns. Raises `NotFound("account-not-found")`, `Invalid("subscription-running")`."""
    sessions.remove(store, identify(store, address), "operator")


def revoke(store: Store, all_keys: Keys, key: str) -> Key:
    """End a key by its id (`key_…`).

    Args:
        all_keys: The keys of all accounts.

    Returns:
        The key as it is now.

    Raises:
        NotFound: `key-not-found`.
    """
    with store.reading() as connection:
        account = connection.execute(select(keys.c.account).where(keys.c.id == key)).scalar_one_or_none()
    if account is None:
        raise NotFound("key-not-found")
    all_keys.revoke(account, key, "operator")
    return next(held for held in all_keys.of(account) if held.id == key)


def export(store: Store, address: str) -> dict[str, Any]:
    """Return all data of an account, as its holder can export it. Raises `NotFound("account-not-found")`."""
    return sessions.export(store, identify(store, address))


def read_audit(store: Store, holder: str | None, event: str | None, limit: int) -> list[AuditLine]:
    """Return the latest lines of the audit log, the newest first.

    Args:
        holder: The e-mail address of an account, or its id, which is all that is left of a deleted one; None: all.
        event: The event; None: all.

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
