"""Backups of accounts: the database and the secret of its digests, in a folder with the checksums of its files.

    accounts.sqlite | accounts.dump    SQLite's file, or PostgreSQL's dump
    secret                             where the settings give none: without it no key of the database is known
    SHA256SUMS.json

Whoever reads a backup can act as the service: it is as secret as the data folder, and readable to its owner only.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import URL, create_engine, inspect, make_url
from sqlalchemy.exc import DBAPIError

from padron.accounts.secret import Secret, read_secret
from padron.accounts.store import Store, deployment_of, explained
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.releases import snapshot
from padron.storage import move_into_place, temporary_folder

_FILE: Final = "accounts.sqlite"
_DUMP: Final = "accounts.dump"
_KEY: Final = "secret"


def save(url: str, given: Secret | None, secret: Path, folder: Path) -> None:
    """Write a backup while the service runs.

    Args:
        given: The secret of the settings, which is not saved.
        secret: The file of the secret, where the settings give none.

    Raises:
        Invalid: `backup-exists`, or `secret-damaged`, `secret-other`: no key of the backup would be known.
        Unavailable: `accounts-unavailable`, `accounts-damaged`, `accounts-locked`, `disk-fault`, `backup-failed`.
    """
    if folder.exists():
        raise Invalid("backup-exists", file=str(folder))
    database = make_url(url)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder.parent) as scratch:
        work = scratch / folder.name
        work.mkdir(mode=0o700)
        if database.get_backend_name() == "sqlite":
            _copy(Path(database.database or ""), work / _FILE)
        else:
            _run(database, "pg_dump", "--format=custom", "--no-owner", "--file", str(work / _DUMP))
        if _deployment(url) not in {None, (given or read_secret(secret)).deployment}:
            raise Invalid("secret-other")
        if given is None:
            shutil.copyfile(secret, work / _KEY)
        snapshot.seal(work)
        for path in work.iterdir():
            path.chmod(0o600)
        move_into_place(work, folder)


def verify(folder: Path) -> None:
    """Read a whole backup. Raises `Invalid("backup-damaged")`, or `Unavailable("release-unreadable")` with the file."""
    try:
        snapshot.verify(folder)
    except ReleaseError as error:
        raise Invalid("backup-damaged", folder=str(folder), file=error.context["file"]) from error
    useless = Invalid("backup-damaged", folder=str(folder), file=_KEY)
    secret = None
    if (folder / _KEY).exists():
        try:
            secret = read_secret(folder / _KEY)
        except Invalid as error:
            raise useless from error
    if (folder / _FILE).exists():
        deployment = _check(folder / _FILE, Invalid("backup-damaged", folder=str(folder), file=_FILE))
        if secret and deployment not in {None, secret.deployment}:
            raise useless
    elif not (folder / _DUMP).exists():
        raise Invalid("backup-damaged", folder=str(folder), file=_DUMP)


def restore(folder: Path, url: str, secret: Path) -> None:
    """Bring a backup back, where there is no database yet.

    Raises:
        Invalid: `backup-damaged`, `backup-of-another-kind`, or `backup-exists` for what would be overwritten.
        Unavailable: `accounts-unavailable`, `backup-failed`, `release-unreadable`.
    """
    verify(folder)
    database = make_url(url)
    embedded = database.get_backend_name() == "sqlite"
    if embedded != (folder / _FILE).exists():
        raise Invalid("backup-of-another-kind", folder=str(folder))
    target = Path(database.database or "")
    occupied = [target.with_name(target.name + end) for end in ("", "-wal", "-shm")] if embedded else []
    occupied += [secret] if (folder / _KEY).exists() and not _same(secret, folder / _KEY) else []
    for path in occupied:
        if path.exists():
            raise Invalid("backup-exists", file=str(path))
    if not embedded and _tables(database):
        raise Invalid("backup-exists", file=database.render_as_string(hide_password=True))
    if (folder / _KEY).exists():
        _place(folder / _KEY, secret)
    if embedded:
        _place(folder / _FILE, target)
    else:
        _run(database, "pg_restore", "--single-transaction", "--no-owner", str(folder / _DUMP))


def _copy(source: Path, target: Path) -> None:
    """Copy a SQLite database in one state, while others write to it."""
    if not source.exists():
        raise Unavailable("accounts-unavailable")
    try:
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(target)) as copy:
            database.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.DatabaseError as error:
        writes = error.sqlite_errorname in {"SQLITE_FULL", "SQLITE_IOERR_WRITE"}  # only the copy is written
        raise explained(error, str(target.parent if writes else source)) from error
    _check(target, Unavailable("accounts-damaged", database=str(source)))


def _check(file: Path, damaged: Invalid | Unavailable) -> str | None:
    """Return the deployment that is noted in a SQLite file that nobody has open; raise `damaged` unless it is sound."""
    address = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
            database.execute("SELECT version_num FROM alembic_version")
            noted = any(name == "deployment" for _, name, *_ in database.execute("PRAGMA table_info(revision)"))
            row = database.execute("SELECT deployment FROM revision").fetchone() if noted else None
    except sqlite3.DatabaseError as error:
        raise damaged from error
    if verdict != "ok":
        raise damaged
    return row and row[0]


def _deployment(url: str) -> str | None:
    store = Store(url)
    try:
        return deployment_of(store)
    finally:
        store.close()


def _tables(database: URL) -> list[str]:
    engine = create_engine(database)
    try:
        return inspect(engine).get_table_names()
    except DBAPIError as error:
        raise Unavailable("accounts-unavailable") from error
    finally:
        engine.dispose()


def _run(database: URL, *command: str) -> None:
    """Run a program of PostgreSQL on a database; the password is in its environment, not in the list of processes."""
    address = database.set(drivername="postgresql", password=None).render_as_string()
    secret = {"PGPASSWORD": str(database.password)} if database.password else {}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, without a shell
            [*command, "--dbname", address], env=os.environ | secret, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise Unavailable("backup-failed", program=command[0], reason=error.strerror) from error
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [""])[-1]
        raise Unavailable("backup-failed", program=command[0], reason=reason)


def _place(source: Path, target: Path) -> None:
    fresh = target.with_name(f".{target.name}.tmp")
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh.unlink(missing_ok=True)  # of a restoration that was killed
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, source.open("rb") as saved:
        shutil.copyfileobj(saved, file)
    move_into_place(fresh, target)


def _same(left: Path, right: Path) -> bool:
    return left.exists() and left.read_bytes() == right.read_bytes()
