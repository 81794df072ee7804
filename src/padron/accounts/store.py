"""The accounts database: tables, and transactions on them. SQLite beside the data by default, PostgreSQL by setting.

Times are whole seconds since the epoch (UTC). No secret is stored: passwords as argon2id hashes; keys, session
ids and mailed tokens as keyed digests (`accounts.secret`). Deleting an account deletes all it owns (`ON DELETE
CASCADE`), except the audit log and its tombstone, which hold ids only, and the mail that tells of it until that is
sent. The audit log is append-only: the database itself refuses to change a line, and to delete one before five years
have passed (`migrations`).

`revision` is a single number that rises in the transaction of every change that takes something from a key or a plan:
workers compare it several times a second and clear their caches (`accounts.keys`).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import Any
from unicodedata import normalize

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    false,
    func,
    insert,
    inspect,
    make_url,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from padron.errors import Invalid, PadronError, Unavailable
from padron.storage import move_into_place

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[str]:
    return Column("id", String(40), primary_key=True)


def _owner(*, primary_key: bool = False, nullable: bool = False) -> Column[str]:
    rule = ForeignKey("accounts.id", ondelete="CASCADE")
    return Column("account", String(40), rule, primary_key=primary_key, nullable=nullable)


def _number() -> Column[int]:
    """The number of a row, of eight bytes: INTEGER in SQLite, where only that rises by itself and has as many."""
    return Column("number", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True)


def _time(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable)


accounts = Table(
    "accounts",
    metadata,
    _id(),
    Column("address", String(254), nullable=False, unique=True),  # e-mail address, folded: one account each
    Column("new_address", String(254)),  # asked for, and not confirmed yet
    Column("password", String(200), nullable=False),
    Column("language", String(2), nullable=False),
    Column("customer", String(80), unique=True),  # id with the payment provider
    _time("created_at"),
    _time("verified_at", nullable=True),
    _time("suspended_at", nullable=True),
    _time("operator_at", nullable=True),  # since when its holder may use the page of operators
    Column("terms", String(10)),  # the version that the holder accepted last
    _time("unlocked_at", nullable=True),  # wrong passwords before it do not count
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    _owner(),
    Column("browser", String(40), nullable=False, server_default=""),  # as its holder recognizes it: Firefox, Linux
    _time("created_at"),
    _time("seen_at"),
    Index(None, "account"),
)

tokens = Table(  # mailed tokens: they prove that somebody reads the address
    "tokens",
    metadata,
    Column("digest", String(64), primary_key=True),
    _owner(),
    Column("purpose", String(10), nullable=False),
    _time("expires_at"),
    _time("used_at", nullable=True),
    Index(None, "account"),
)

second_factors = Table(
    "second_factors",
    metadata,
    _owner(primary_key=True),
    Column("seed", String(32), nullable=False),  # the secret of the app is a keyed digest of it
    Column("last_step", BigInteger, nullable=False),  # steps of 30 seconds since the epoch; later codes alone are valid
    _time("created_at"),
    _time("confirmed_at", nullable=True),  # null: the enrolment is not done, no code is asked for
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("digest", String(64), primary_key=True),
    _owner(),
    Index(None, "account"),
)

mails = Table(  # queue of mails to send; their tokens are made when they are sent
    "mails",
    metadata,
    _id(),
    _owner(nullable=True),  # null: one that was deleted
    Column("kind", String(20), nullable=False),
    Column("recipient", String(254)),  # null: the address of the account
    Column("language", String(2)),  # null: that of the account
    Column("tries", Integer, nullable=False, default=0),
    _time("due_at"),
    Index(None, "account"),
    Index(None, "due_at"),
)

keys = Table(
    "keys",
    metadata,
    _id(),
    _owner(),
    Column("name", String(80), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("ending", String(4), nullable=False),  # last characters, to tell keys apart
    Column("scopes", String(100), nullable=False),  # separated by blanks
    Column("networks", Text, nullable=False, server_default=""),  # separated by blanks; none: every address
    Column("origins", Text, nullable=False, server_default=""),  # separated by blanks; none: every caller
    Column("per_day", Integer),  # successful answers a UTC day; null: as many as the account
    Column("test", Boolean, nullable=False, server_default=false()),
    _time("created_at"),
    _time("expires_at", nullable=True),
    _time("revoked_at", nullable=True),
    _time("replaced_at", nullable=True),  # by another key, beside which it works until it expires
    Column("first", String(40)),  # of the keys that it replaces, whose daily quota it shares; null: it replaces none
    _time("leaked_at", nullable=True),
    _time("used_at", nullable=True),
    Index(None, "account"),
)

watchlists = Table(
    "watchlists",
    metadata,
    _id(),
    _owner(),
    Column("name", String(80), nullable=False),
    _time("created_at"),
    UniqueConstraint("account", "name"),
)


def _watchlist() -> Column[str]:
    return Column("watchlist", String(40), ForeignKey("watchlists.id", ondelete="CASCADE"), nullable=False)


watched_companies = Table(
    "watched_companies",
    metadata,
    _number(),  # in the order in which they were added
    _owner(),
    _watchlist(),
    Column("country", String(2), nullable=False),
    Column("identifier", String(64), nullable=False),
    _time("added_at"),
    UniqueConstraint("watchlist", "country", "identifier"),
    Index(None, "account"),
)

saved_searches = Table(
    "saved_searches",
    metadata,
    _id(),
    _owner(),
    _watchlist(),
    Column("text", String(100), nullable=False),  # words of a name
    Column("country", String(2)),  # null: every country
    _time("added_at"),
    Index(None, "account"),
    Index(None, "watchlist"),
)

webhooks = Table(  # addresses that are told what changed of a watchlist
    "webhooks",
    metadata,
    _id(),
    _owner(),
    _watchlist(),
    Column("url", String(500), nullable=False),
    Column("seed", String(32), nullable=False),  # the secret of the signatures is a keyed digest of it
    Column("old_seed", String(32)),  # replaced by the other, and in use until `old_until`
    _time("old_until", nullable=True),
    Column("cursor", String(40), nullable=False),  # place in the change log up to which messages are queued
    Column("tries", Integer, nullable=False),  # failed ones since the last success
    _time("due_at"),  # of the next try
    _time("created_at"),
    _time("disabled_at", nullable=True),
    Index(None, "account"),
    Index(None, "watchlist"),
)

messages = Table(  # of webhooks: the queue, and the log of what was delivered
    "messages",
    metadata,
    _number(),  # in the order of their delivery
    Column("id", String(40), nullable=False, unique=True),
    _owner(),
    Column("webhook", String(40), ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("content", Text, nullable=False),  # changes as in the change log, JSON
    Column("state", String(10), nullable=False),  # waiting, delivered, withdrawn
    Column("tries", Integer, nullable=False),
    Column("status", Integer),  # of the last answer
    Column("fault", String(20)),  # of the last try
    _time("created_at"),
    _time("tried_at", nullable=True),
    Index(None, "account"),
    Index(None, "webhook", "state"),
)

usage = Table(  # successful answers, and rows of lists, by UTC day
    "usage",
    metadata,
    _owner(primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),  # days since the epoch
    Column("answers", Integer, nullable=False),
    Column("notified", Integer, nullable=False, server_default="0"),  # per cent of the quota that a mail reported
    Column("rows", Integer, nullable=False, server_default="0"),
)

key_usage = Table(  # the same by key and operation
    "key_usage",
    metadata,
    _owner(primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key", String(40), primary_key=True),
    Column("operation", String(20), primary_key=True),
    Column("answers", Integer, nullable=False),
    Column("rows", Integer, nullable=False, server_default="0"),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    _owner(primary_key=True),
    Column("provider", String(20), nullable=False),
    Column("reference", String(80), nullable=False),  # the provider's id of the subscription
    Column("plan", String(20), nullable=False),
    Column("period", String(5), nullable=False, server_default="month"),  # of payment: month, year
    Column("state", String(10), nullable=False),  # active, past_due, ended
    Column("ending", Boolean, nullable=False),  # will not be renewed
    _time("period_end"),
    _time("failed_at", nullable=True),  # first failed payment since the last good one
    Column("replaces", String(80)),  # the lower one of two, still to be ended at the provider
    Column("version", Integer, nullable=False),
    UniqueConstraint("provider", "reference"),
)

checkouts = Table(
    "checkouts",
    metadata,
    _id(),
    _owner(),
    Column("plan", String(20), nullable=False),
    Column("period", String(5), nullable=False, server_default="month"),  # of payment: month, year
    Column("provider", String(20), nullable=False),
    Column("reference", String(120)),  # the provider's id; null until it has answered
    Column("url", Text),
    Column("state", String(10), nullable=False),  # open, completed, cancelled, expired
    Column("idempotency", String(64)),  # digest of account and Idempotency-Key
    _time("created_at"),
    _time("expires_at"),
    UniqueConstraint("idempotency"),
    UniqueConstraint("provider", "reference"),
    Index(None, "account"),
    Index(None, "state"),
)

events = Table(  # verified events of payment providers that have been applied
    "events",
    metadata,
    Column("provider", String(20), primary_key=True),
    Column("id", String(120), primary_key=True),
    Column("kind", String(60), nullable=False),
    _time("applied_at"),
)

sandbox = Table(  # records of the sandbox provider, as Stripe keeps its own
    "sandbox",
    metadata,
    _id(),
    Column("account", String(40), nullable=False),
    Column("plan", String(20), nullable=False),
    Column("period", String(5), nullable=False, server_default="month"),  # of payment: month, year
    Column("state", String(10), nullable=False),  # open, active, past_due, ended, cancelled
    Column("ending", Boolean, nullable=False),
    _time("expires_at"),
    _time("period_end"),
    Index(None, "account"),
)

audit = Table(
    "audit",
    metadata,
    _id(),
    _time("at"),
    Column("account", String(40)),
    Column("actor", String(20), nullable=False),  # account, key, provider, operator, service
    Column("event", String(40), nullable=False),
    Column("subject", String(120)),  # id of the key, plan, mail or subscription concerned
    Index(None, "account"),
    Index(None, "subject"),
    Index(None, "at"),
)

tombstones = Table(  # deleted accounts: their subscriptions and customers may be ended at the provider
    "tombstones",
    metadata,
    Column("account", String(40), primary_key=True),
    Column("customer", String(80)),  # still to be deleted at the provider
    _time("deleted_at"),
)

revision = Table(
    "revision",
    metadata,
    Column("number", BigInteger, nullable=False),
    Column("deployment", String(24)),  # the one whose secret made the digests; null until it has started
    Column("birth", String(24)),  # random: an empty database in the place of this one has another
)

GIVEN = "operator"
"""The provider of plans that were given, not bought; nobody renews them and they do not end by themselves."""
SANDBOX = "sandbox"
"""The provider of plans that nobody pays for, for trying out checkouts."""
_MIGRATIONS = Path(__file__).with_name("migrations")
_BUSY = 5.0
"""Seconds that SQLite waits for the writer before it, and PostgreSQL for a lock."""
_AGAIN = 0.01
"""Seconds between two tries of what SQLite does not wait for."""
_TURN = 30.0
"""Seconds that a start waits on PostgreSQL for another one, which brings the tables up to date."""
_TABLE = 2.0
"""Seconds that it then waits for a table: whoever reads that table waits behind it."""
_LOCKED = "55P03"
"""The code by which PostgreSQL tells that a lock was waited for too long."""
_READ_ONLY = "25006"
"""The code by which PostgreSQL refuses to write where it only reads."""
_DISK = ("SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM", "53100", _READ_ONLY)
"""The codes, or their beginnings, by which SQLite and PostgreSQL tell that they cannot write, or use a file at all."""
_MISSING = ("42P01", "42703")
"""The codes by which PostgreSQL tells that there is no such table or column."""
_FORBIDDEN = "42501"
"""The code by which PostgreSQL tells that its role may not do this."""
_SERVER = {
    "connect_timeout": 5,  # seconds
    "tcp_user_timeout": 10_000,  # milliseconds, for what was sent
    "keepalives_idle": 10,  # seconds, then two probes, where nothing was sent
    "keepalives_interval": 5,
    "keepalives_count": 2,
}
"""Time limits of PostgreSQL's client: a server that is gone without a word is noticed within 20 seconds."""
_LOOK = select(
    revision.c.birth,
    *(select(table).where(false()).correlate(None).exists() for table in metadata.sorted_tables),
)
"""The birth of a database, and no row of every table: it fails where one is missing or may not be read."""


class Store:
    """Transactions on the accounts database. `now` is its clock, so that tests can turn it.

    Opening it connects to nothing; `migrate` brings the tables up to date. Every method raises
    `Unavailable("accounts-unavailable")` when the database cannot be reached or stays locked, or is `foreign`.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self._url = make_url(url)
        self._clock = clock
        self.foreign = False
        """True for the database of other accounts: nothing is read or written, else every key would be unknown."""
        self.write_failed = False
        """True after a transaction that could not be written, until `try_write` has written one."""
        self._file: tuple[int, int] | None = None
        self._birth: str | None = None
        embedded = self._url.get_backend_name() == "sqlite"
        self._engine = create_engine(
            self._url,
            pool_pre_ping=not embedded,
            connect_args={"timeout": _BUSY} if embedded else _SERVER,
            hide_parameters=True,
        )
        if embedded:
            event.listen(self._engine, "connect", _embedded)
            event.listen(self._engine, "connect", self._note_file)
            event.listen(self._engine, "begin", _begin)
        else:
            event.listen(self._engine, "connect", _limited)
            event.listen(self._engine, "connect", self._refuse_other)

    def now(self) -> int:
        """Return whole seconds since the epoch."""
        return int(self._clock())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read-only transaction, which sees one state of the database."""
        self._refuse_foreign()
        with _mapped(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction, durable once the block is left; an exception in it undoes all. SQLite: one at a time."""
        self._refuse_foreign()
        try:
            with (
                _mapped(),
                self._engine.connect().execution_options(padron_writes=True) as connection,
                connection.begin(),
            ):
                yield connection
        except Unavailable:
            self.write_failed = True
            raise

    def try_write(self) -> None:
        """Write a transaction after one that failed, as on a full disk, where reading goes on.

        It changes a number, because SQLite writes nothing where nothing changes.
        """
        with self.writing() as connection:
            increment_revision(connection)
        self.write_failed = False

    def _refuse_foreign(self) -> None:
        if self.foreign or self.is_moved():
            raise Unavailable("accounts-unavailable")

    def is_moved(self) -> bool:
        """Return whether the file that was opened is no longer at its place: what is written to it would be lost."""
        return self._file is not None and self._file != self._file_now()

    def is_there(self) -> bool:
        """Return whether a file is at the place of an embedded database; True for a database that is a server."""
        return self._url.get_backend_name() != "sqlite" or self._file_now() is not None

    def _note_file(self, *_connected: object) -> None:
        self._file = self._file or self._file_now()

    def _file_now(self) -> tuple[int, int] | None:
        with suppress(OSError):
            state = os.stat(self._url.database or "")
            return state.st_dev, state.st_ino
        return None

    def _refuse_other(self, connection: Any, _: object) -> None:
        """Refuse a new connection to PostgreSQL that leads to another database than those before it."""
        if self._birth is None:
            return
        try:
            row = connection.execute("SELECT birth FROM revision").fetchone()
            connection.commit()
            self._compare(row and row[0])
            self._refuse_foreign()
        except Exception:
            connection.close()
            raise

    def look(self) -> None:
        """Look at every table of the database; one of another birth than that of `reopen` is foreign from now on."""
        with self.reading() as connection:
            self._compare(connection.execute(_LOOK).scalar())

    def _compare(self, birth: str | None) -> None:
        if self._birth not in {None, birth}:
            self.foreign = True

    def reopen(self, birth: str) -> None:
        """Use what is at the place of the database now, as long as that has this birth."""
        self._engine.dispose()
        self._birth = birth
        self._file, self.foreign = None, False

    def migrate(self) -> None:
        """Bring the tables to the newest revision of `migrations/versions`.

        Workers that start together take turns. Raises `Unavailable("accounts-locked")` if no turn comes, or a table
        stays in use on PostgreSQL.
        """
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        if self._url.get_backend_name() == "sqlite" and self._url.database:
            # Readable to its owner only, as are the files that SQLite makes beside it.
            with suppress(OSError):
                os.close(os.open(self._url.database, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self.writing() as connection:
            if connection.dialect.name == "postgresql":
                self._await_turn(connection)
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, "head")
            except CommandError as error:  # the tables are those of a newer program
                raise Unavailable("accounts-unavailable") from error
            except OperationalError as error:
                if getattr(error.orig, "sqlstate", None) != _LOCKED:
                    raise
                raise explained(error.orig, self._url.render_as_string(hide_password=True)) from error

    def _await_turn(self, connection: Connection) -> None:
        """Wait on PostgreSQL until no other start brings the tables up to date."""
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_TURN * 1000:.0f}")
        try:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7261)")
        except OperationalError as error:
            raise explained(error.orig, self._url.render_as_string(hide_password=True)) from error
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_TABLE * 1000:.0f}")

    def check(self) -> bool:
        """Read the whole database; return whether its tables are the newest.

        Raises `Unavailable`: `accounts-unreachable`, `accounts-locked`, `accounts-forbidden`, `disk-fault`, or
        `accounts-damaged`.
        """
        known = {path.name.split("_")[0] for path in (_MIGRATIONS / "versions").glob("[0-9]*.py")}
        with self._explaining(), self.reading() as connection:
            embedded = connection.dialect.name == "sqlite"
            sound = not embedded or connection.exec_driver_sql("PRAGMA quick_check").scalar_one() == "ok"
            versions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
            if newest := max(known) in versions:
                connection.execute(_LOOK)
        if not sound or not known.issuperset(versions):
            raise Unavailable("accounts-damaged", database=self._url.render_as_string(hide_password=True))
        return newest

    def check_writing(self) -> None:
        """Write a transaction to the newest tables. Raises `Unavailable` as `check` does."""
        with self._explaining():
            self.try_write()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except Unavailable as error:
            database = self._url.render_as_string(hide_password=True)
            raise explained(getattr(error.__cause__, "orig", None), database) from error

    def close(self) -> None:
        """Close the pooled connections."""
        self._engine.dispose()


def inserting(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that supports ON CONFLICT, in the dialect of this database."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def check_deployment(store: Store, deployment: str) -> None:
    """Note the deployment whose secret makes the digests of a database, once.

    Raises `Invalid("secret-other")` for that of another secret, to which every key, password and code is unknown.
    """
    if deployment_of(store) is None:  # so that a server that only reads is no fault where it was noted before
        with store.writing() as connection:
            connection.execute(update(revision).where(revision.c.deployment.is_(None)).values(deployment=deployment))
    if deployment_of(store) != deployment:
        raise Invalid("secret-other")


def deployment_of(store: Store) -> str | None:
    """Return the deployment whose secret made the digests of a database; None for one that no newer program started."""
    return _noted(store, revision.c.deployment)


def birth_of(store: Store) -> str | None:
    """Return the birth of a database; None for one that no newer program started."""
    return _noted(store, revision.c.birth)


def _noted(store: Store, column: Column[str]) -> str | None:
    with store.reading() as connection:
        tables = inspect(connection)
        if not tables.has_table("revision"):
            return None
        if all(known["name"] != column.name for known in tables.get_columns("revision")):
            return None
        noted: str | None = connection.execute(select(column)).scalar_one()
        return noted


def mark_of(folder: Path, url: str) -> Path:
    """Return the file of a data folder that notes which database is at an address: `accounts.birth` for its own."""
    database = make_url(url)
    place = f"{database.host}:{database.port}/{database.database}"
    if database.get_backend_name() == "sqlite":
        path, own = Path(database.database or "").resolve(), folder.resolve()
        place = str(path.relative_to(own) if path.is_relative_to(own) else path)
    if place == "accounts.sqlite":
        return folder / "accounts.birth"
    return folder / f"accounts-{blake2b(place.encode(), digest_size=6).hexdigest()}.birth"


def check_birth(store: Store, mark: Path) -> None:
    """Raise `Invalid("accounts-lost")` for a database that has another birth than the one noted; it only reads."""
    if mark.exists() and birth_of(store) not in {None, mark.read_text(encoding="ascii").strip()}:
        raise Invalid("accounts-lost", file=str(mark))


def migrate_own(store: Store, mark: Path) -> str:
    """Bring the tables of a data folder's own database up to date, and return its birth.

    That is noted in the file of `mark_of` and in the database, once. Call it before `check_deployment`: a database
    without a birth that has a deployment is older than births, such as a restored one, and takes that of the folder.
    Raises `Invalid("accounts-lost")` for another one than that of before.
    """
    if store.is_there():
        check_birth(store, mark)
    store.migrate()
    noted = mark.read_text(encoding="ascii").strip() if mark.exists() else None
    with store.writing() as connection:
        deployment, birth = connection.execute(select(revision.c.deployment, revision.c.birth)).one()
        if birth is None:
            birth = (deployment and noted) or token_hex(12)
            connection.execute(update(revision).values(birth=birth))
    if noted is None:
        fresh = mark.with_name(f".{mark.name}-{os.getpid()}")
        with suppress(OSError):  # a folder that cannot be written: a lost database is not noticed, and all else goes on
            fresh.write_text(f"{birth}\n", encoding="ascii")
            move_into_place(fresh, mark)
    elif noted != birth:
        raise Invalid("accounts-lost", file=str(mark))
    return str(birth)


def explained(error: object, database: str) -> Unavailable:
    """Return what is wrong with a database, as its driver tells it: each has a remedy of its own."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""
    reason = (str(error).strip().splitlines() or ["—"])[0]
    if code.startswith(_DISK):
        return Unavailable("disk-fault", folder=database, reason=reason)
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", _LOCKED)):
        return Unavailable("accounts-locked", database=database)
    if code == _FORBIDDEN:
        return Unavailable("accounts-forbidden", database=database, reason=reason)
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", *_MISSING)):
        return Unavailable("accounts-damaged", database=database)
    return Unavailable("accounts-unreachable", database=database, reason=reason)


def fault_of(error: PadronError) -> str:
    """Return the code of an error, the more exact one where the accounts do not come back by themselves."""
    exact = explained(getattr(error.__cause__, "orig", None), "").code
    return exact if exact in {"accounts-damaged", "accounts-forbidden"} else error.code


def increment_revision(connection: Connection) -> None:
    """Increment the revision, in the transaction that makes cached grants stale."""
    connection.execute(update(revision).values(number=revision.c.number + 1))


def queue_mail(connection: Connection, now: int, account: str, kind: str, recipient: str | None = None) -> None:
    """Queue a mail, unless one of its kind is waiting already.

    Args:
        now: Seconds since the epoch.
        kind: Kind of mail, of `mail.TEMPLATES`.
        recipient: The e-mail address; by default that of the account when the mail is sent.
    """
    to = mails.c.recipient.is_(None) if recipient is None else mails.c.recipient == recipient
    waiting = select(mails.c.id).where(mails.c.account == account, mails.c.kind == kind, to, mails.c.tries == 0)
    if connection.execute(waiting).first() is None:
        row = {"id": f"mail_{token_hex(12)}", "account": account, "kind": kind, "recipient": recipient}
        connection.execute(insert(mails).values(row | {"tries": 0, "due_at": now}))


def queue_last_mail(connection: Connection, now: int, recipient: str, language: str) -> None:
    """Queue the mail that tells of the deletion of an account.

    Args:
        now: Seconds since the epoch.
    """
    row = {"id": f"mail_{token_hex(12)}", "kind": "deleted", "recipient": recipient, "language": language}
    connection.execute(insert(mails).values(row | {"tries": 0, "due_at": now}))


def fold_address(address: str) -> str:
    """Return the normal form of an e-mail address: stripped, in lower case, its letters composed."""
    return normalize("NFC", address.strip().lower())


def count(connection: Connection, table: Table, *where: Any) -> int:
    """Count rows of a table.

    Args:
        where: Conditions that the rows fulfil.
    """
    return connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


@contextmanager
def _mapped() -> Iterator[None]:
    """Raise a lost database as `Unavailable`; other errors of it are bugs and pass."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise Unavailable("accounts-unavailable") from error
    except DBAPIError as error:
        # SQLite reports a file that is no database, or a damaged one, by the class above all others; PostgreSQL reports
        # a server that only reads, as after a failover, as an internal error, and lost tables or rights as our bug.
        lost = getattr(error.orig, "sqlstate", None) in {_READ_ONLY, _FORBIDDEN, *_MISSING}
        if error.connection_invalidated or type(error) is DatabaseError or lost:
            raise Unavailable("accounts-unavailable") from error
        raise


def _embedded(connection: Any, _: object) -> None:
    """Configure a SQLite connection: WAL, durable commits, foreign keys, transactions opened by `_begin` only."""
    connection.isolation_level = None
    ends = time.monotonic() + _BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:  # of those that open a new database together one changes it
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > ends:
                raise
            time.sleep(_AGAIN)  # SQLite itself does not wait for that
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _limited(connection: Any, _: object) -> None:
    """Limit how long a PostgreSQL connection waits for a lock."""
    connection.execute(f"SET lock_timeout = {_BUSY * 1000:.0f}")
    connection.commit()


def _begin(connection: Connection) -> None:
    """Begin a transaction; writers take their lock now, because a reader that becomes a writer later cannot wait."""
    writes = connection.get_execution_options().get("padron_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
