"""`padron accounts`: accounts, their keys and plans from the terminal of an operator.

A command that changes an account shows the account afterwards. Every change is a line of the audit log.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from getpass import getpass
from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import App, Parameter, validators

from padron import config
from padron.accounts import admin
from padron.accounts.admin import AccountLine
from padron.accounts.keys import SCOPES, Keys, WantedKey
from padron.accounts.plans import Plans
from padron.accounts.provider import plans_of, provider_of
from padron.accounts.secret import Secret, secret_of
from padron.accounts.store import Store, check_deployment, mark_of, migrate_own
from padron.accounts.subscriptions import Subscriptions
from padron.accounts.usage import Usage
from padron.api.account_model import KeyMade, key_shown, usage_days
from padron.cli import backups
from padron.cli.terminal import print_json, table, word
from padron.config import Settings
from padron.errors import Invalid, messages

commands = App(name="accounts", help="Open, show, change and delete accounts, their keys and plans.")
plan_commands = App(name="plans", help="The table of plans.")
commands.command(plan_commands)
commands.command(backups.save, name="backup")
commands.command(backups.restore, name="restore")
commands.command(backups.verify, name="verify")
Data = Path | None
Json = Annotated[bool, Parameter(name="--json", negative="")]
_OPTIONS = {
    "allowedAddresses": "--allow",
    "allowedOrigins": "--origin",
    "answersPerDay": "--per-day",
    "expiresAt": "--expires",
    "scopes": "--scope",
}
"""Members of a new key -> the options of `create-key`."""
Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]


class _Office(NamedTuple):
    """The accounts as an operator works on them."""

    settings: Settings
    store: Store
    secret: Secret
    plans: Plans
    keys: Keys


@contextmanager
def _opened(data: Path | None) -> Iterator[_Office]:
    """The accounts database with its tables up to date, and what depends on the settings."""
    settings = config.load(data=data)
    settings.data.mkdir(parents=True, exist_ok=True)
    plans = plans_of(settings)
    secret = Secret(settings.accounts.secret) if settings.accounts.secret else secret_of(settings.data)
    url = settings.accounts.url or f"sqlite:///{settings.data / 'accounts.sqlite'}"
    store = Store(url)
    try:
        migrate_own(store, mark_of(settings.data, url))
        yield _Office(settings, store, secret, plans, Keys(store, secret, plans))
    finally:
        store.close()


@contextmanager
def _signing(data: Path | None) -> Iterator[_Office]:
    """The same, for what the secret signs. Raises `Invalid("secret-other")` for another than that of the database."""
    with _opened(data) as office:
        check_deployment(office.store, office.secret.deployment)
        yield office


def _print_accounts(lines: Sequence[AccountLine], state: str | None = None) -> None:
    """Print accounts, with the state that each is in or the one given."""
    columns = ("account", "address", "plan", "keys", "state")
    table(columns, [(line.id, line.address, line.plan, line.keys, word(state or _state(line))) for line in lines])


def _state(line: AccountLine) -> str:
    return "suspended" if line.suspended else "active" if line.verified else "unconfirmed"


def _print_account(line: AccountLine, *, json: bool) -> None:
    if json:
        print_json(line._asdict())
    else:
        _print_accounts([line])


def _change(change: Callable[[Store, str], None], address: str, *, json: bool, data: Path | None) -> int:
    """Change the account with an address, and show it."""
    with _opened(data) as office:
        change(office.store, address)
        _print_account(admin.show(office.store, address), json=json)
    return 0


@commands.command
def create(address: str, *, json: Json = False, data: Data = None) -> int:
    """Open an account; its password is asked for, or read from standard input where that is no terminal.

    Args:
        address: The holder's e-mail address, which you vouch for.
        json: Print the account as JSON, else its id.
        data: Data folder (default: the PADRON_DATA setting).
    """
    password = getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    with _opened(data) as office:
        account = admin.create(office.store, address, password, config.reader_language("es"))
        if json:
            _print_account(admin.show(office.store, address), json=True)
        else:
            print(account)  # noqa: T201
    return 0


@commands.command(name="list")
def show(*, json: Json = False, data: Data = None) -> int:
    """List all accounts, the oldest first.

    Args:
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        lines = admin.list_accounts(office.store)
    if json:
        print_json([line._asdict() for line in lines])
    else:
        _print_accounts(lines)
    return 0


@commands.command(name="set-plan")
def set_plan(address: str, plan: str, *, json: Json = False, data: Data = None) -> int:
    """Give an account a plan, or take it back with `free`.

    Args:
        address: The account's e-mail address.
        plan: A plan of plans.toml.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        admin.set_plan(office.store, office.plans, address, plan)
        _print_account(admin.show(office.store, address), json=json)
    return 0


@commands.command
def suspend(address: str, *, json: Json = False, data: Data = None) -> int:
    """Refuse an account's keys and purchases within a second, and tell its holder by mail.

    What it pays goes on at the payment provider: end it there. The holder can still log in, export and delete.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.suspend, address, json=json, data=data)


@commands.command
def resume(address: str, *, json: Json = False, data: Data = None) -> int:
    """End the suspension of an account; its keys work again.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.resume, address, json=json, data=data)


@commands.command(name="grant-operator")
def grant_operator(address: str, *, json: Json = False, data: Data = None) -> int:
    """Let an account's holder use the page of operators, which also asks for a second factor.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.grant_operator, address, json=json, data=data)


@commands.command(name="withdraw-operator")
def withdraw_operator(address: str, *, json: Json = False, data: Data = None) -> int:
    """Take the page of operators from an account's holder, from the next request on.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.withdraw_operator, address, json=json, data=data)


@commands.command
def unlock(address: str, *, json: Json = False, data: Data = None) -> int:
    """Forget the wrong passwords for an account, so that its holder need not wait to log in.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.unlock, address, json=json, data=data)


@commands.command(name="remove-second-factor")
def remove_second_factor(address: str, *, json: Json = False, data: Data = None) -> int:
    """Turn off the second factor of a holder who lost the app and the recovery codes, and tell them by mail.

    Make sure that it is the holder who asks.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.remove_second_factor, address, json=json, data=data)


@commands.command
def resend(address: str, *, json: Json = False, data: Data = None) -> int:
    """Send the mail that confirms an account's address once more; the running service sends it.

    Args:
        address: The account's e-mail address.
        json: Print the account as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    return _change(admin.resend, address, json=json, data=data)


@commands.command
def delete(address: str, *, json: Json = False, data: Data = None) -> int:
    """Delete an account and all it owns; this cannot be undone. Its subscription must have been cancelled.

    Args:
        address: The account's e-mail address.
        json: Print the account that was deleted as JSON, with `deleted`.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        line = admin.show(office.store, address)
        admin.remove(office.store, address)
    if json:
        print_json(line._asdict() | {"deleted": True})
    else:
        _print_accounts([line], "deleted")
    return 0


@commands.command(name="create-key")
def create_key(
    address: str,
    name: str,
    *,
    scope: Annotated[list[str] | None, Parameter(negative="")] = None,
    expires: date | None = None,
    allow: Annotated[list[str] | None, Parameter(negative="")] = None,
    origin: Annotated[list[str] | None, Parameter(negative="")] = None,
    per_day: Positive | None = None,
    test: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
    data: Data = None,
) -> int:
    """Create a key and print it, this once.

    Args:
        address: The account's e-mail address.
        name: Name of the key, unique among the account's keys in use.
        scope: A scope of the key; may be repeated (default: all but reconcile, which alone makes a key for the address
            of the reconciliation service).
        expires: The day at whose beginning (UTC) the key expires (default: never).
        allow: An address or network (CIDR) from which the key works; may be repeated (default: all).
        origin: An origin whose pages may use the key, such as https://app.example; may be repeated (default: every
            caller).
        per_day: Successful answers a day that the key may have (default: as many as the account).
        test: Make a key for testing programs, which answers about a few companies.
        json: Print the key with all that is kept about it, as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    ends = int(datetime.combine(expires, time(), UTC).timestamp()) if expires else None
    with _signing(data) as office:
        account = admin.identify(office.store, address)
        wanted = WantedKey(name, scope or SCOPES, ends, allow or (), test, origin or (), per_day)
        try:
            key, text = office.keys.create(account, wanted, "operator")
        except Invalid as error:
            parameter = str(error.context.get("parameter"))
            error.context |= {"parameter": _OPTIONS.get(parameter, parameter)}
            raise
        if json:
            print_json(KeyMade(key=key_shown(key, office.store.now()), api_key=text))
        else:
            print(text)  # noqa: T201
    return 0


@commands.command
def revoke(key: str, *, json: Json = False, data: Data = None) -> int:
    """End a key at once.

    Args:
        key: The key's id (`key_…`), never the key itself.
        json: Print the key as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        ended = admin.revoke(office.store, office.keys, key)
        if json:
            print_json(key_shown(ended, office.store.now()))
    return 0


@commands.command
def usage(address: str, *, days: Positive = 31, json: Json = False, data: Data = None) -> int:
    """Show an account's successful answers, and its rows of lists, by day (UTC), the latest day first.

    Args:
        address: The account's e-mail address.
        days: Days back, today included.
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        kept = Usage(office.store)
        lines = usage_days(kept.days(admin.identify(office.store, address), kept.today() - days + 1))
    if json:
        print_json(lines)
    else:
        table(("day", "answers", "rows"), [(line.date, line.answers, line.rows) for line in lines])
    return 0


@commands.command
def export(address: str, *, data: Data = None) -> int:
    """Print everything that is kept about an account, as its holder can have it.

    Args:
        address: The account's e-mail address.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        print_json(admin.export(office.store, address))
    return 0


@commands.command
def audit(
    account: str | None = None,
    *,
    event: str | None = None,
    limit: Positive = 100,
    json: Json = False,
    data: Data = None,
) -> int:
    """Show the audit log, the newest lines first. Nothing can change or delete a line of it.

    Args:
        account: The account's e-mail address, or its id (`acc_…`) if it was deleted (default: all accounts).
        event: Only lines of this event, such as `subscription-orphaned`.
        limit: Most lines to show.
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    with _opened(data) as office:
        lines = admin.read_audit(office.store, account, event, limit)
    if json:
        print_json([line._asdict() for line in lines])
    else:
        rows = [
            (f"{datetime.fromtimestamp(line.at, UTC):%Y-%m-%d %H:%M:%S}Z", line.actor, line.event, *line[3:])
            for line in lines
        ]
        table(("date", "actor", "event", "account", "subject"), rows)
    return 0


@plan_commands.command
def check(*, json: Json = False, data: Data = None) -> int:
    """Compare the table of plans with the plans that accounts have and with the payment provider's prices.

    Args:
        json: Print the plans and the faults as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code: 0 if all agree, else 2.
    """
    with _signing(data) as office:
        provider = provider_of(office.settings, office.store, office.secret, office.plans)
        faults = list(Subscriptions(office.store, office.secret, office.plans, provider).plan_faults())
    language = config.reader_language()
    sentences = [messages.detail(fault, language) for fault in faults]
    if json:
        listed = [{"code": fault.code, "detail": text} for fault, text in zip(faults, sentences, strict=True)]
        print_json({"plans": list(office.plans.by_code), "faults": listed})
    else:
        rows = [(plan.code, *price) for plan in office.plans.by_code.values() for price in plan.prices()]
        table(("plan", "period", "price", "stripe_price"), rows)
        for text in sentences:
            print(text, file=sys.stderr)  # noqa: T201
    return 2 if faults else 0
