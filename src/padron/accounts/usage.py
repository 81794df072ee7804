"""Successful answers, and rows of lists, by account, key, operation and UTC day: written to the store each second.

Until then they are in memory. So is when keys and sessions were last used: what is read with them waits for no write.
A worker that is killed loses its buffer: at most one second of them, in the caller's favour. The transaction that
writes the answers also queues the mails that report 80 and 100 per cent of a daily quota, each once a day.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, Update, bindparam, select, update
from sqlalchemy.exc import DBAPIError

from padron.accounts.keys import DAY, Scope
from padron.accounts.plans import Plans, standing
from padron.accounts.store import (
    Store,
    accounts,
    inserting,
    key_usage,
    keys,
    queue_mail,
    sessions,
    subscriptions,
    usage,
)

NOTICES: Final = (100, 80)
"""Per cent of a daily quota that a mail reports, the highest first."""


class Counted(NamedTuple):
    """The attributes by which answers and rows are counted."""

    account: str
    day: int
    key: str
    operation: Scope


class DayUsage(NamedTuple):
    """Successful answers of one day, and the rows of lists that were matched."""

    answers: int
    rows: int


class KeyUsage(NamedTuple):
    """Usage of one key by one operation on one day (days since the epoch)."""

    day: int
    key: str
    name: str
    operation: str
    answers: int
    rows: int


class Usage:
    """Buffered counts of one worker, and stored counts of all. Without `quotas` no mail reports their state."""

    def __init__(self, store: Store, quotas: Plans | None = None) -> None:
        self._store = store
        self._quotas = quotas
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._answers: Counter[Counted] = Counter()
        self._rows: Counter[Counted] = Counter()
        self._used: dict[str, int] = {}
        self._seen: dict[str, int] = {}

    def today(self) -> int:
        """Return the UTC day, in days since the epoch."""
        return self._store.now() // DAY

    def count(self, account: str, key: str, operation: Scope) -> None:
        """Count one successful answer."""
        now = self._store.now()
        with self._lock:
            self._answers[Counted(account, now // DAY, key, operation)] += 1
            self._used[key] = now

    def count_rows(self, account: str, key: str, operation: Scope, rows: int) -> None:
        """Count rows of a list that were granted."""
        now = self._store.now()
        with self._lock:
            self._rows[Counted(account, now // DAY, key, operation)] += rows
            self._used[key] = now

    def touch(self, key: str) -> None:
        """Record that a key was used, for an answer that is not counted."""
        with self._lock:
            self._used[key] = self._store.now()

    def see(self, session: str) -> None:
        """Record that a session was used, by its digest."""
        with self._lock:
            self._seen[session] = self._store.now()

    def flush(self) -> None:
        """Write the buffer to the store, after a flush of another thread; if that fails, keep it for the next time.

        Where a server of the store breaks off at the commit nobody knows whether it is written: it is not kept, in the
        caller's favour.
        """
        with self._flushing:
            self._write()

    def _write(self) -> None:
        with self._lock:
            answers, self._answers = self._answers, Counter()
            rows, self._rows = self._rows, Counter()
            used, self._used = self._used, {}
            seen, self._seen = self._seen, {}
        if not (used or seen):
            return
        counts = {counted: DayUsage(answers[counted], rows[counted]) for counted in answers.keys() | rows.keys()}
        is_committing = False
        try:
            with self._store.writing() as connection:
                # An account may have been deleted since it asked; one that is there now stays until this is written.
                there = select(accounts.c.id).where(accounts.c.id.in_({counted.account for counted in counts}))
                kept = set(connection.execute(there.with_for_update(read=True, key_share=True)).scalars())
                of_keys = [(*by, *numbers) for by, numbers in counts.items() if by.account in kept]
                _add(connection, usage, _by_day(of_keys))
                _add(connection, key_usage, of_keys)
                _note(connection, update(keys).where(keys.c.id == bindparam("own")), "used_at", used)
                _note(connection, update(sessions).where(sessions.c.digest == bindparam("own")), "seen_at", seen)
                self._notify(connection, kept)
                is_committing = True
        except BaseException as error:
            cause = error.__cause__
            if not (is_committing and isinstance(cause, DBAPIError) and cause.connection_invalidated):
                with self._lock:
                    self._answers.update(answers)
                    self._rows.update(rows)
                    self._used = used | self._used
                    self._seen = seen | self._seen
            raise

    def _notify(self, connection: Connection, active: Collection[str]) -> None:
        """Queue the mails about today's quotas of some accounts, each once."""
        if self._quotas is None:
            return
        now, today = self._store.now(), self.today()
        bought = (subscriptions.c[name] for name in ("plan", "state", "ending", "period_end", "failed_at"))
        rows = connection.execute(
            select(usage.c.account, usage.c.answers, usage.c.notified, *bought)
            .outerjoin(subscriptions, subscriptions.c.account == usage.c.account)
            .where(usage.c.account.in_(active), usage.c.day == today)
        ).all()
        for row in rows:
            code = standing(row.plan, row.state, bool(row.ending), row.period_end or 0, row.failed_at, now).plan
            share = 100 * row.answers // self._quotas.held(code).per_day
            reached = next((notice for notice in NOTICES if share >= notice), 0)
            if reached <= row.notified:
                continue
            own = update(usage).where(usage.c.account == row.account, usage.c.day == today)
            connection.execute(own.values(notified=reached))
            queue_mail(connection, now, row.account, f"quota-{reached}")

    def days(self, account: str, since: int) -> dict[int, DayUsage]:
        """Return the usage of an account by day (days since the epoch), from the day `since` on."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(usage.c.day, usage.c.answers, usage.c.rows).where(
                    usage.c.account == account, usage.c.day >= since
                )
            )
            return {row.day: DayUsage(row.answers, row.rows) for row in rows}

    def of_today(self, account: str) -> DayUsage:
        """Return the usage of an account today, as far as it is stored."""
        today = self.today()
        return self.days(account, today).get(today, DayUsage(0, 0))

    def by_key(self, account: str, since: int) -> list[KeyUsage]:
        """Return the same by day, key and operation, the latest day first and the busiest key of a day first."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(
                    key_usage.c.day,
                    key_usage.c.key,
                    keys.c.name,
                    key_usage.c.operation,
                    key_usage.c.answers,
                    key_usage.c.rows,
                )
                .join(keys, keys.c.id == key_usage.c.key)
                .where(key_usage.c.account == account, key_usage.c.day >= since)
                .order_by(
                    key_usage.c.day.desc(),
                    key_usage.c.answers.desc(),
                    key_usage.c.rows.desc(),
                    key_usage.c.key,
                    key_usage.c.operation,
                )
            )
            return [KeyUsage(*row) for row in rows]


def _note(connection: Connection, change: Update, column: str, times: Mapping[str, int]) -> None:
    """Write when each of some rows was used, all workers in one order.

    Args:
        change: The change of one row, which the parameter `own` identifies.
    """
    if times:
        rows = [{"own": own, "at": at} for own, at in sorted(times.items())]
        connection.execute(change.values({column: bindparam("at")}), rows)


def _by_day(of_keys: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the sums of counts by account and day."""
    answers: Counter[tuple[str, int]] = Counter()
    rows: Counter[tuple[str, int]] = Counter()
    for account, day, _, _, of_answers, of_rows in of_keys:
        answers[account, day] += of_answers
        rows[account, day] += of_rows
    return [(*day, answers[day], rows[day]) for day in answers]


def _add(connection: Connection, table: Table, rows: list[tuple[Any, ...]]) -> None:
    """Add counts to those of a table.

    Args:
        rows: The primary key of each, then its answers and its rows of lists.
    """
    if not rows:
        return
    make = inserting(connection, table)
    names = [column.name for column in table.primary_key]
    counted = ("answers", "rows")
    sums = {name: table.c[name] + make.excluded[name] for name in counted}
    add = make.on_conflict_do_update(index_elements=names, set_=sums)
    connection.execute(add, [dict(zip((*names, *counted), row, strict=True)) for row in sorted(rows)])
