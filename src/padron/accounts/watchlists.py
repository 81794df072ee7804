"""Watchlists: the companies and the saved searches whose changes an account asks for.

A company is a country and an identifier here, nothing more: the faces make them canonical, and compare them with the
change log.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from padron.accounts.audit import Actor, note
from padron.accounts.keys import lock, plan_of
from padron.accounts.plans import Plans
from padron.accounts.store import Store, count, saved_searches, watched_companies, watchlists
from padron.errors import Invalid, NotFound
from padron.text import tokens

_ID = re.compile(r"wl_[0-9a-f]{24}")
MOST_SAVED: Final = 1_000
"""Saved searches of a watchlist, at most: each request for it, and each look at the change log, folds all of them."""
_BATCH: Final = 400
"""Companies of one statement: fewer parameters than any SQLite takes."""

CompanyKey = tuple[str, str]
"""Country and identifier of a company, canonical."""


class Watchlist(NamedTuple):
    """A watchlist and how much it holds; times are seconds since the epoch."""

    id: str
    name: str
    created_at: int
    companies: int
    searches: int


class WatchedCompany(NamedTuple):
    """A company of a watchlist; `number` orders them as they were added."""

    number: int
    country: str
    identifier: str
    added_at: int


class SavedSearch(NamedTuple):
    """A saved search: words of a name, in one country or in all (None)."""

    id: str
    text: str
    country: str | None
    added_at: int


class Watched(NamedTuple):
    """The content of a watchlist."""

    companies: frozenset[CompanyKey]
    searches: Sequence[SavedSearch]


class WantedChange(NamedTuple):
    """A change of a watchlist: a new name (None: as it is), what is added and what is removed."""

    name: str | None = None
    add_companies: Sequence[CompanyKey] = ()
    remove_companies: Sequence[CompanyKey] = ()
    add_searches: Sequence[tuple[str, str | None]] = ()
    remove_searches: Sequence[str] = ()


_EMPTY: Final = WantedChange()


class Watchlists:
    """The watchlists of all accounts; the plan of an account limits them."""

    def __init__(self, store: Store, plans: Plans) -> None:
        self._store = store
        self._plans = plans

    def create(self, account: str, name: str, content: WantedChange = _EMPTY, actor: Actor = "account") -> Watchlist:
        """Create a watchlist, all or nothing. Names are unique, so that a repeated request makes no second one.

        Raises:
            Invalid: `too-many-watchlists`, `watchlist-name-taken`, `too-many-searches`, `too-many-watched`.
        """
        now, made = self._store.now(), f"wl_{secrets.token_hex(12)}"
        with self._store.writing() as connection:
            lock(connection, account)
            most = self._plans.held(plan_of(connection, account, now)).watchlists
            if count(connection, watchlists, watchlists.c.account == account) >= most:
                raise Invalid("too-many-watchlists", most=most)
            _insert_or_refuse(connection, {"id": made, "account": account, "name": name, "created_at": now})
            note(connection, now, actor, "watchlist-created", account=account, subject=made)
            self._add(connection, now, account, made, content)
            return _own(connection, account, made)

    def of(self, account: str) -> list[Watchlist]:
        """Return the watchlists of an account, the oldest first."""
        with self._store.reading() as connection:
            return _read(connection, account)

    def get(self, account: str, watchlist: str) -> Watchlist:
        """Return a watchlist of an account. Raises `NotFound("watchlist-not-found")`."""
        with self._store.reading() as connection:
            return _own(connection, account, watchlist)

    def page(
        self, account: str, watchlist: str, after: int, limit: int
    ) -> tuple[Watchlist, list[WatchedCompany], list[SavedSearch]]:
        """Return a page of the companies of a watchlist, and its saved searches.

        Args:
            after: Number of the last company of the page before, or 0.

        Raises:
            NotFound: `watchlist-not-found`.
        """
        columns = [watched_companies.c[field] for field in WatchedCompany._fields]
        wanted = (watched_companies.c.watchlist == watchlist, watched_companies.c.number > after)
        with self._store.reading() as connection:
            own = _own(connection, account, watchlist)
            rows = connection.execute(select(*columns).where(*wanted).order_by(watched_companies.c.number).limit(limit))
            return own, [WatchedCompany(*row) for row in rows], _searches(connection, watchlist)

    def watched(self, account: str, watchlist: str) -> Watched:
        """Return all that a watchlist holds. Raises `NotFound("watchlist-not-found")`."""
        with self._store.reading() as connection:
            _own(connection, account, watchlist)
            return contents(connection, watchlist)

    def change(
        self, account: str, watchlist: str, wanted: WantedChange, actor: Actor = "account"
    ) -> tuple[Watchlist, int, int]:
        """Change a watchlist, all or nothing. What it holds already, or does not hold, stays so.

        Returns:
            The watchlist, and how many companies and searches were added and removed.

        Raises:
            NotFound: `watchlist-not-found`.
            Invalid: `watchlist-name-taken`, `too-many-searches`, `too-many-watched`.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            lock(connection, account)
            _own(connection, account, watchlist)
            if wanted.name is not None:
                _rename_or_refuse(connection, watchlist, wanted.name)
            removed = _remove(connection, watchlist, wanted)
            added = self._add(connection, now, account, watchlist, wanted)
            if wanted.name is not None or added or removed:
                note(connection, now, actor, "watchlist-changed", account=account, subject=watchlist)
            return _own(connection, account, watchlist), added, removed

    def delete(self, account: str, watchlist: str, actor: Actor = "account") -> None:
        """Delete a watchlist.

        Raises:
            NotFound: `watchlist-not-found`.
        """
        with self._store.writing() as connection:
            _own(connection, account, watchlist)
            connection.execute(delete(watchlists).where(watchlists.c.id == watchlist))
            note(connection, self._store.now(), actor, "watchlist-deleted", account=account, subject=watchlist)

    def _add(self, connection: Connection, now: int, account: str, watchlist: str, wanted: WantedChange) -> int:
        """Add companies and searches; return how many were not there.

        Raises `Invalid`: `too-many-searches`, `too-many-watched`.
        """
        added = _add(connection, now, account, watchlist, wanted)
        most = self._plans.held(plan_of(connection, account, now)).watched
        held = sum(count(connection, table, table.c.account == account) for table in _CONTENTS)
        if added and held > most:
            raise Invalid("too-many-watched", most=most, held=held - added)
        return added


_CONTENTS: Final = (watched_companies, saved_searches)


def contents(connection: Connection, watchlist: str) -> Watched:
    """Return all that a watchlist holds."""
    columns = (watched_companies.c.country, watched_companies.c.identifier)
    rows = connection.execute(select(*columns).where(watched_companies.c.watchlist == watchlist))
    return Watched(frozenset((row.country, row.identifier) for row in rows), _searches(connection, watchlist))


def _searches(connection: Connection, watchlist: str) -> list[SavedSearch]:
    columns = [saved_searches.c[field] for field in SavedSearch._fields]
    rows = connection.execute(
        select(*columns)
        .where(saved_searches.c.watchlist == watchlist)
        .order_by(saved_searches.c.added_at, saved_searches.c.id)
    )
    return [SavedSearch(*row) for row in rows]


def _read(connection: Connection, account: str, watchlist: str | None = None) -> list[Watchlist]:
    counts = [select(func.count()).where(table.c.watchlist == watchlists.c.id).scalar_subquery() for table in _CONTENTS]
    wanted = [watchlists.c.account == account] + ([watchlists.c.id == watchlist] if watchlist else [])
    rows = connection.execute(
        select(watchlists.c.id, watchlists.c.name, watchlists.c.created_at, *counts)
        .where(*wanted)
        .order_by(watchlists.c.created_at, watchlists.c.id)
    )
    return [Watchlist(*row) for row in rows]


def _own(connection: Connection, account: str, watchlist: str) -> Watchlist:
    """Return a watchlist of an account. Raises `NotFound("watchlist-not-found")`."""
    held = _read(connection, account, watchlist) if _ID.fullmatch(watchlist) else []
    if not held:
        raise NotFound("watchlist-not-found")
    return held[0]


def _insert_or_refuse(connection: Connection, row: dict[str, object]) -> None:
    try:
        connection.execute(insert(watchlists).values(row))
    except IntegrityError as error:
        raise Invalid("watchlist-name-taken", parameter="name") from error


def _rename_or_refuse(connection: Connection, watchlist: str, name: str) -> None:
    try:
        connection.execute(update(watchlists).where(watchlists.c.id == watchlist).values(name=name))
    except IntegrityError as error:
        raise Invalid("watchlist-name-taken", parameter="name") from error


def _remove(connection: Connection, watchlist: str, wanted: WantedChange) -> int:
    """Remove companies and searches; return how many were there."""
    removed = 0
    key = tuple_(watched_companies.c.country, watched_companies.c.identifier)
    for batch in _batches(wanted.remove_companies):
        gone = delete(watched_companies).where(watched_companies.c.watchlist == watchlist, key.in_(batch))
        removed += connection.execute(gone).rowcount
    if wanted.remove_searches:
        ids = saved_searches.c.id.in_(list(wanted.remove_searches))
        removed += connection.execute(
            delete(saved_searches).where(saved_searches.c.watchlist == watchlist, ids)
        ).rowcount
    return removed


def _add(connection: Connection, now: int, account: str, watchlist: str, wanted: WantedChange) -> int:
    """Add companies and searches; return how many were not there. Raises `Invalid("too-many-searches")`."""
    added = 0
    owned = {"account": account, "watchlist": watchlist, "added_at": now}
    columns = (watched_companies.c.country, watched_companies.c.identifier)
    for batch in _batches(wanted.add_companies):
        # An INSERT that meets what is held would use up a number of PostgreSQL for each.
        held = select(*columns).where(watched_companies.c.watchlist == watchlist, tuple_(*columns).in_(batch))
        keys = {(row.country, row.identifier) for row in connection.execute(held)}
        rows = [{**owned, "country": key[0], "identifier": key[1]} for key in batch if key not in keys]
        if rows:
            connection.execute(insert(watched_companies).values(rows))
            added += len(rows)
    searches = _searches(connection, watchlist) if wanted.add_searches else []
    selected = {(search.country, frozenset(tokens(search.text))) for search in searches}
    before = len(selected)
    for text, country in wanted.add_searches:
        # The words alone select changes: in another order or notation it is the same search.
        selection = (country, frozenset(tokens(text)))
        if selection not in selected:
            selected.add(selection)
            row = {**owned, "id": f"srch_{secrets.token_hex(12)}", "text": text, "country": country}
            connection.execute(insert(saved_searches).values(row))
            added += 1
    if before < len(selected) > MOST_SAVED:
        raise Invalid("too-many-searches", most=MOST_SAVED, held=before)
    return added


def _batches(companies: Iterable[CompanyKey]) -> list[list[CompanyKey]]:
    unique = list(dict.fromkeys(companies))
    return [unique[start : start + _BATCH] for start in range(0, len(unique), _BATCH)]
