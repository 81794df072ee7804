"""Checks of the machine before serving: settings, disk, release, accounts, clock and port, every fault at once."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from padron import config
from padron.accounts.admin import read_audit
from padron.accounts.provider import plans_of
from padron.accounts.secret import Secret, is_made, read_secret
from padron.accounts.store import Store, check_birth, deployment_of, mark_of
from padron.accounts.subscriptions import missing_plans
from padron.countries.country import Country
from padron.directory import Directory, run
from padron.errors import Invalid, PadronError, ReleaseError, Unavailable, messages
from padron.index.engines import engine_kind
from padron.publishing.publish import prove
from padron.releases import change_log, snapshot
from padron.releases.suppression import load as load_suppressions
from padron.service.app import shared_folder
from padron.words import Text, bilingual, bilingual_plural

_FREE_SHARE = 2
"""Free space wanted, in multiples of the space in use: a build writes a whole release beside the one being served."""
_CLOCK_SLACK = timedelta(minutes=5)
"""Difference between the clocks of two machines that is no fault."""


class Finding(NamedTuple):
    """The result of one check; `fault` if it keeps the service from working well."""

    fault: bool
    text: Text


def examine(data: Path | None, host: str, port: int, registry: Mapping[str, Country]) -> list[Finding]:
    """Run every check.

    Args:
        data: The data folder, if it is not that of the settings.
        host: The address to listen on.
        port: The port to listen on.
        registry: The countries.

    Returns:
        The findings, in the order in which a person would repair the faults.
    """
    try:
        settings = config.load(data=data)
        engine_kind(settings.search.url)
        plans_of(settings)
    except PadronError as error:
        return [_fault(error)]
    findings = [Finding(False, bilingual("settings: correct"))]
    findings += _disk(settings.data)
    findings += _temporary(settings)
    findings += _release(settings, registry)
    findings += _changes(settings, registry)
    findings += _accounts(settings)
    findings += _port(host, port)
    if settings.server.operations:
        findings += _port(*settings.server.operations)
    return findings


def _fault(error: PadronError) -> Finding:
    return Finding(True, Text(messages.detail(error, "es"), messages.detail(error, "en")))


def _disk(data: Path) -> Iterator[Finding]:
    """Check that the data folder can be written and has room for another release."""
    folder = data if data.exists() else data.absolute().parent
    if not os.access(folder, os.W_OK):
        yield Finding(True, bilingual("disk: cannot write to {folder}", folder=folder))
        return
    used = sum(path.stat().st_size for path in data.rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    space = bilingual("disk: {free} MiB free, {used} MiB used", free=free >> 20, used=used >> 20)
    yield Finding(free < used * _FREE_SHARE, space)


def _temporary(settings: config.Settings) -> Iterator[Finding]:
    """Check that the folder for temporary files has room for those of a worker."""
    try:
        with shared_folder(settings, 1):
            pass
    except PadronError as error:
        yield _fault(error)


def _release(settings: config.Settings, registry: Mapping[str, Country]) -> Iterator[Finding]:
    """Check that the release being served is complete, opens, answers, and is not from the future."""
    try:
        release = snapshot.read_release(settings.data, snapshot.current(settings.data))
        for name in release.snapshots.values():
            snapshot.verify(settings.data / "snapshots" / name)
        prove(settings.data, release, registry, load_suppressions(settings.suppressions, registry), settings.search.url)
        directory = run(
            Directory.open(
                settings.data, registry, settings.base_url, settings.suppressions, search_url=settings.search.url
            )
        )
    except PadronError as error:
        yield _fault(error)
        return
    yield Finding(False, bilingual("release {release}: complete", release=release.id))
    yield _engine(directory)
    ahead = datetime.fromisoformat(release.generated_at) > datetime.now(UTC) + _CLOCK_SLACK
    yield Finding(
        ahead,
        bilingual("clock: earlier than the published release") if ahead else bilingual("clock: correct"),
    )


def _engine(directory: Directory) -> Finding:
    """Check the search engine as the service does every second."""
    try:
        run(directory.reach_engine())
    except PadronError as error:
        return _fault(error)
    return Finding(False, bilingual("search engine: answers"))


def _changes(settings: config.Settings, registry: Mapping[str, Country]) -> Iterator[Finding]:
    """Read the whole change log."""
    cursor, more = None, True
    try:
        hidden = load_suppressions(settings.suppressions, registry)
        while more:
            page = change_log.read(settings.data, cursor, change_log.SCANNED, registry, hidden)
            cursor, more = page.cursor, page.more
    except ReleaseError as error:
        yield _fault(error)
    except PadronError:
        pass  # the list of suppressions: the check of the release states it


def _accounts(settings: config.Settings) -> Iterator[Finding]:
    """Check the secret of the accounts and their database, and that the table of plans has every plan in use."""
    file = settings.data / "accounts.sqlite"
    url = settings.accounts.url or f"sqlite:///{file}"
    mark = mark_of(settings.data, url)
    secret: Secret | None = None
    try:
        if settings.accounts.secret is not None:
            secret = Secret(settings.accounts.secret)
        elif is_made(settings.data):
            secret = read_secret(settings.data / "secret")
    except PadronError as error:
        yield _fault(error)
    if settings.accounts.url is None and not file.exists() and not mark.exists():
        return
    store = Store(url)
    try:
        if mark.exists() and settings.accounts.url is None and not (file.exists() and file.stat().st_size):
            raise Invalid("accounts-lost", file=str(mark))
        _check_database(store, mark, settings, secret)
        orphans = len(read_audit(store, None, "subscription-orphaned", limit=1_000))
    except PadronError as error:
        yield _fault(error)
        return
    finally:
        store.close()
    yield Finding(False, bilingual("accounts: correct"))
    if orphans:
        yield Finding(
            False,
            bilingual_plural(
                "payment: {count} subscription belongs to no account here "
                "(padron accounts audit --event subscription-orphaned)",
                "payment: {count} subscriptions belong to no account here "
                "(padron accounts audit --event subscription-orphaned)",
                orphans,
            ),
        )


def _check_database(store: Store, mark: Path, settings: config.Settings, secret: Secret | None) -> None:
    """Raise what is wrong with the database of accounts.

    Args:
        store: The database.
        mark: The file that notes which one it is.
        settings: The settings.
        secret: The secret, where it can be read.
    """
    newest = store.check()
    check_birth(store, mark)
    if secret is not None and deployment_of(store) not in {None, secret.deployment}:
        raise Invalid("secret-other")
    if newest:
        store.check_writing()
    if missing := missing_plans(store, plans_of(settings)):
        raise Invalid("plan-missing", plans=missing)


def _port(host: str, port: int) -> Iterator[Finding]:
    """Check that the port is free."""
    try:
        claim(host, port)
    except PadronError as error:
        yield _fault(error)
    else:
        yield Finding(False, bilingual("port {host}:{port}: free", host=host, port=port))


def startable(data: Path | None, host: str, port: int) -> config.Settings:
    """Check what a service needs to start.

    Args:
        data: The data folder, if it is not that of the settings.
        host: The address to listen on.
        port: The port to listen on.

    Raises:
        PadronError: As `config.load`, `engine_kind`, `plans_of` and `claim` do.
    """
    settings = config.load(data=data, port=port)
    engine_kind(settings.search.url)
    plans_of(settings)
    claim(host, port)
    if settings.server.operations:
        claim(*settings.server.operations)
    return settings


def claim(host: str, port: int) -> None:
    """Raise `Unavailable("cannot-listen")` if the port cannot be listened on, or is in use.

    The server itself would share a port in use (its workers do), and two services would answer in turn.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Unavailable("cannot-listen", host=host, port=port, reason=error.strerror) from error
