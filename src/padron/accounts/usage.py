"""Successful answers by account and UTC day: buffered in memory, written to the store each second.

A worker that is killed loses its buffer: at most one second of answers, in the caller's favour.
"""

from __future__ import annotations

import threading
from collections import Counter

from sqlalchemy import bindparam, select, update

from padron.accounts.keys import DAY
from padron.accounts.store import Store, accounts, inserting, keys, usage


class Usage:
    """Buffered counts of one worker, and stored counts of all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, int]] = Counter()
        self._used: dict[str, int] = {}

    def today(self) -> int:
        """Return the UTC day, in days since the epoch."""
        return self._store.now() // DAY

    def count(self, account: str, key: str) -> None:
        """Count one successful answer to a key of an account."""
        now = self._store.now()
        with self._lock:
            self._answers[account, now // DAY] += 1
            self._used[key] = now

    def flush(self) -> None:
        """Write the buffer to the store; if that fails, keep it for the next time."""
        with self._lock:
            answers, self._answers = self._answers, Counter()
            used, self._used = self._used, {}
        if not answers:
            return
        try:
            with self._store.writing() as connection:
                # An account may have been deleted since it asked; one that is there now stays until this is written.
                there = select(accounts.c.id).where(accounts.c.id.in_({account for account, _ in answers}))
                kept = set(connection.execute(there.with_for_update(read=True, key_share=True)).scalars())
                make = inserting(connection, usage)
                add = make.on_conflict_do_update(
                    index_elements=["account", "day"], set_={"answers": usage.c.answers + make.excluded.answers}
                )
                rows = [
                    {"account": account, "day": day, "answers": n}
                    for (account, day), n in sorted(answers.items())
                    if account in kept
                ]
                if rows:
                    connection.execute(add, rows)
                connection.execute(
                    update(keys).where(keys.c.id == bindparam("key")).values(used_at=bindparam("at")),
                    [{"key": key, "at": at} for key, at in sorted(used.items())],
                )
        except BaseException:
            with self._lock:
                self._answers.update(answers)
                self._used = used | self._used
            raise

    def days(self, account: str, since: int) -> dict[int, int]:
        """Return the successful answers of an account by day (days since the epoch), from the day `since` on."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(usage.c.day, usage.c.answers).where(usage.c.account == account, usage.c.day >= since)
            )
            return {row.day: row.answers for row in rows}
