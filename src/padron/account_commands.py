"""`padron accounts create | list | set-plan | revoke | export | audit`: accounts from the terminal of an operator."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

from padron import config
from padron.accounts import admin
from padron.accounts.keys import Keys
from padron.accounts.plans import BUNDLED, read_plans
from padron.accounts.secret import Secret, secret_of
from padron.accounts.store import Store
from padron.config import Settings
from padron.terminal import print_json, table

commands = App(name="accounts", help="Open, list and change accounts and their keys.")
commands.command("padron.backup_commands:save", name="backup")
commands.command("padron.backup_commands:restore", name="restore")
commands.command("padron.backup_commands:verify", name="verify")
Data = Path | None


@contextmanager
def _opened(data: Path | None) -> Iterator[tuple[Settings, Store]]:
    """The settings, and the accounts database with its tables up to date."""
    settings = config.load(data=data)
    settings.data.mkdir(parents=True, exist_ok=True)
    store = Store(settings.accounts.url or f"sqlite:///{settings.data / 'accounts.sqlite'}")
    try:
        store.migrate()
        yield settings, store
    finally:
        store.close()


@commands.command
def create(address: str, *, data: Data = None) -> int:
    """Open an account; its password is asked for, or read from standard input where that is no terminal.

    Args:
        address: The holder's e-mail address, which you vouch for.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    password = getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    with _opened(data) as (_, store):
        print(admin.create(store, address, password, config.reader_language()))  # noqa: T201
    return 0


@commands.command(name="list")
def show(*, json: Annotated[bool, Parameter(name="--json", negative="")] = False, data: Data = None) -> int:
    """List all accounts, the oldest first.

    Args:
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    with _opened(data) as (_, store):
        lines = admin.list_accounts(store)
    if json:
        print_json([line._asdict() for line in lines])
    else:
        table(("account", "address", "plan", "keys"), [(line.id, line.address, line.plan, line.keys) for line in lines])
    return 0


@commands.command(name="set-plan")
def set_plan(address: str, plan: str, *, data: Data = None) -> int:
    """Give an account a plan, or take it back with `free`.

    Args:
        address: The account's e-mail address.
        plan: A plan of plans.toml.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    with _opened(data) as (settings, store):
        admin.set_plan(store, read_plans(settings.accounts.plans or BUNDLED), address, plan)
    return 0


@commands.command
def revoke(key: str, *, data: Data = None) -> int:
    """End a key at once.

    Args:
        key: The key's id (`key_…`), never the key itself.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    with _opened(data) as (settings, store):
        secret = Secret(settings.accounts.secret) if settings.accounts.secret else secret_of(settings.data)
        admin.revoke(store, Keys(store, secret, read_plans(settings.accounts.plans or BUNDLED)), key)
    return 0


@commands.command
def export(address: str, *, data: Data = None) -> int:
    """Print everything that is kept about an account, as its holder can have it.

    Args:
        address: The account's e-mail address.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    with _opened(data) as (_, store):
        print_json(admin.export(store, address))
    return 0


@commands.command
def audit(
    account: str | None = None,
    *,
    event: str | None = None,
    limit: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 100,
    json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    data: Data = None,
) -> int:
    """Show the audit log, the newest lines first. Nothing can change or delete a line of it.

    Args:
        account: The account's e-mail address, or its id (`acc_…`) if it was deleted (default: all accounts).
        event: Only lines of this event, such as `subscription-orphaned`.
        limit: Most lines to show.
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    with _opened(data) as (_, store):
        lines = admin.read_audit(store, account, event, limit)
    if json:
        print_json([line._asdict() for line in lines])
    else:
        rows = [
            (f"{datetime.fromtimestamp(line.at, UTC):%Y-%m-%d %H:%M:%S}Z", line.actor, line.event, *line[3:])
            for line in lines
        ]
        table(("date", "actor", "event", "account", "subject"), rows)
    return 0
