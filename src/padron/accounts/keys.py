"""API keys: shown once, stored as keyed digests, and cached so that a valid one is recognized in microseconds.

A key is `pdr_live_` + 30 random characters (178 bits) + 6 characters of checksum, which needs no secret: scanners for
leaked keys can recognize a real one offline. Letters and digits only (base 62). A `pdr_test_` key is for writing and
testing programs: it answers about a few fixed companies (`padron.api.sample`), without a quota. A `pdr_link_` key is in
the address of the reconciliation service, for programs that send no header fields, and works nowhere else.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import string
import zlib
from collections.abc import Collection
from typing import Final, Literal, NamedTuple, get_args

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    tuple_,
    update,
)

from padron.accounts.audit import Actor, note
from padron.accounts.plans import Plans, standing
from padron.accounts.secret import Secret
from padron.accounts.store import (
    Store,
    accounts,
    count,
    increment_revision,
    key_usage,
    keys,
    queue_mail,
    revision,
    subscriptions,
    usage,
)
from padron.config import Network
from padron.errors import Denied, Invalid, NotFound

_MARK: Final = "pdr_"
PREFIX: Final = f"{_MARK}live_"
TEST_PREFIX: Final = f"{_MARK}test_"
LINK_PREFIX: Final = f"{_MARK}link_"
Scope = Literal["search", "entities", "financials", "watchlists", "checkout", "reconcile"]
_EVERY: Final[tuple[Scope, ...]] = get_args(Scope)
LINKED: Final = "reconcile"
"""The only scope of a key for an address, which no other key has."""
SCOPES: Final = tuple(scope for scope in _EVERY if scope != LINKED)
"""Scopes of a key for header fields."""
NOT_TESTED: Final = frozenset({"watchlists", "checkout"})
"""Scopes that a test key never has: what they open belongs to the account."""
DAY: Final = 86_400
LONGEST_OVERLAP: Final = 7 * DAY
MOST_NETWORKS: Final = 20
"""Networks, and origins, that one key may be bound to."""
CACHE_SIZE: Final = 50_000
"""Grants that a worker caches, some 400 bytes each; a full cache is cleared."""

_READ_AT_ONCE: Final = 500
"""Keys of a report that one statement looks up: well below the parameters that a database takes."""
_ALPHABET: Final = string.digits + string.ascii_letters
_RANDOM, _CHECK = 30, 6
_SHAPE = re.compile(rf"(?:{PREFIX}|{TEST_PREFIX}|{LINK_PREFIX})[0-9A-Za-z]{{{_RANDOM + _CHECK}}}")
_ID = re.compile(r"key_[0-9a-f]{24}")
_LISTS: Final = ("scopes", "networks", "origins")
"""Fields of a key that hold several words, in one column each."""
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
ORIGIN: Final = rf"(https?)://((?:{_LABEL}\.)*{_LABEL}|\[[0-9A-Fa-f:.]+\])(?::({_PORT}))?"
"""The pattern of an origin: its scheme, its host, its port."""
_PORTS: Final = {"http": "80", "https": "443"}
LEAKED = re.compile(_SHAPE.pattern.encode())
"""A key where it must not be: in a URL."""
LEAKED_MARK: Final = _MARK.encode()
"""A part of every such URL, once decoded, and of hardly any other: all that is looked for in every request."""


class Grant(NamedTuple):
    """Account, plan and scopes of a key, valid until `until` (seconds since the epoch), from `networks` (none: all).

    `used_today` is the stored number of the account's successful answers on `day` when the grant was read, `rows_today`
    that of its rows of lists, `key_used` that of the answers to the key and to those with which it shares its daily
    quota `per_day`: they have the same `first`. `origins` are those whose pages may use it (none: every caller).
    """

    key: str
    account: str
    plan: str
    scopes: frozenset[Scope]
    until: float
    day: int
    used_today: int
    networks: tuple[Network, ...] = ()
    test: bool = False
    origins: tuple[str, ...] = ()
    per_day: int | None = None
    key_used: int = 0
    first: str = ""
    rows_today: int = 0


class Key(NamedTuple):
    """A key, as its owner sees it; times are seconds since the epoch."""

    id: str
    name: str
    ending: str
    scopes: tuple[str, ...]
    networks: tuple[str, ...]
    origins: tuple[str, ...]
    per_day: int | None
    test: bool
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    leaked_at: int | None
    used_at: int | None


class WantedKey(NamedTuple):
    """A key to be made: its name, what it may do, when it expires (seconds since the epoch), and from where it works.

    `networks` are addresses and networks (CIDR), none for all; `origins` those of pages, such as https://app.example,
    none for every caller; `per_day` the successful answers a day, None for as many as the account has. A `test` key has
    none of the scopes in `NOT_TESTED`, and no quota. With the scope `LINKED` alone it is one for an address.
    """

    name: str
    scopes: Collection[str] = SCOPES
    expires_at: int | None = None
    networks: Collection[str] = ()
    test: bool = False
    origins: Collection[str] = ()
    per_day: int | None = None


def mint(prefix: str = PREFIX) -> str:
    """Return a new key."""
    body = prefix + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return body + checksum(body)


def checksum(body: str) -> str:
    """Return the last six characters of a key: CRC-32 of all before them, in base 62, padded with zeros."""
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK):
        number, digit = divmod(number, 62)
        digits = _ALPHABET[digit] + digits
    return digits


def is_key(text: str) -> bool:
    """Return whether a text has the form of a key and the right checksum."""
    return _SHAPE.fullmatch(text) is not None and checksum(text[:-_CHECK]) == text[-_CHECK:]


class Keys:
    """The keys of all accounts: creation, change and lookup."""

    def __init__(self, store: Store, secret: Secret, plans: Plans) -> None:
        self._store = store
        self._secret = secret
        self._plans = plans

    def digest(self, key: str) -> str:
        """Return the digest by which a key is stored and looked up."""
        return self._secret.digest("key", key)

    def create(self, account: str, wanted: WantedKey, actor: Actor = "account") -> tuple[Key, str]:
        """Create a key. Names are unique among the keys in use, so that a repeated request makes no second key.

        Returns:
            The key, and its text, which cannot be shown again.

        Raises:
            Invalid: `unknown-scope`, `link-key-alone`, `expiry-past`, `bad-network`, `bad-origin`, `test-key-quota`,
                `key-name-taken`, `too-many-keys`.
        """
        if unknown := set(wanted.scopes) - set(_EVERY):
            raise Invalid("unknown-scope", parameter="scopes", unknown=sorted(unknown), known=_EVERY)
        if LINKED in wanted.scopes and (set(wanted.scopes) != {LINKED} or wanted.test or wanted.per_day is not None):
            raise Invalid("link-key-alone", parameter="scopes")
        now = self._store.now()
        if wanted.expires_at is not None and wanted.expires_at <= now:
            raise Invalid("expiry-past", parameter="expiresAt")
        if wanted.test and wanted.per_day is not None:
            raise Invalid("test-key-quota", parameter="answersPerDay")
        scopes = set(wanted.scopes) - NOT_TESTED if wanted.test else wanted.scopes
        networks, origins = _canonical(wanted.networks), _origins(wanted.origins)
        wanted = wanted._replace(networks=networks, origins=origins, scopes=scopes)
        with self._store.writing() as connection:
            lock(connection, account)
            self._check_room(connection, account, 1)
            made = self._insert(connection, account, wanted)
            note(connection, now, actor, "key-created", account=account, subject=made[0].id)
            return made

    def _check_room(self, connection: Connection, account: str, more: int) -> None:
        """Raise `Invalid("too-many-keys")` if the plan does not allow so many keys more in use."""
        now = self._store.now()
        most = self._plans.held(plan_of(connection, account, now)).keys
        if count(connection, keys, keys.c.account == account, _in_use(now)) + more > most:
            raise Invalid("too-many-keys", most=most)

    def _insert(
        self, connection: Connection, account: str, wanted: WantedKey, first: str | None = None
    ) -> tuple[Key, str]:
        now = self._store.now()
        if count(connection, keys, keys.c.account == account, keys.c.name == wanted.name, _in_use(now)):
            raise Invalid("key-name-taken", parameter="name")
        text = mint(TEST_PREFIX if wanted.test else LINK_PREFIX if LINKED in wanted.scopes else PREFIX)
        made = Key(
            id=f"key_{secrets.token_hex(12)}",
            name=wanted.name,
            ending=text[-4:],
            scopes=_ordered(wanted.scopes),
            networks=tuple(wanted.networks),
            origins=tuple(wanted.origins),
            per_day=wanted.per_day,
            test=wanted.test,
            created_at=now,
            expires_at=wanted.expires_at,
            revoked_at=None,
            leaked_at=None,
            used_at=None,
        )
        lists = {name: " ".join(getattr(made, name)) for name in _LISTS}
        row = made._asdict() | lists | {"account": account, "digest": self.digest(text), "first": first}
        connection.execute(insert(keys).values(row))
        return made, text

    def of(self, account: str) -> list[Key]:
        """Return the keys of an account, revoked and expired ones too, the newest first."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(*(keys.c[field] for field in Key._fields))
                .where(keys.c.account == account)
                .order_by(keys.c.created_at.desc(), keys.c.id)
            )
            return [_key(row) for row in rows]

    def revoke(self, account: str, key: str, actor: Actor = "account") -> None:
        """End a key; every worker refuses it within a second. Ending it again changes nothing.

        Raises:
            NotFound: `key-not-found`.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            _own(connection, account, key)
            done = connection.execute(
                update(keys).where(keys.c.id == key, keys.c.revoked_at.is_(None)).values(revoked_at=now)
            )
            if done.rowcount:
                increment_revision(connection)
                note(connection, now, actor, "key-revoked", account=account, subject=key)

    def rotate(self, account: str, key: str, overlap: int) -> tuple[Key, str]:
        """Create a key in place of another, with its name, scopes, limits and expiry, and what is left of its day.

        Args:
            overlap: Seconds for which the old key goes on working, at most until it expires. Until then both count as
                keys in use, and the account may have one more than its plan allows, so that a key can be replaced in a
                full plan too.

        Raises:
            NotFound: `key-not-found`.
            Invalid: `key-not-in-use` for a key that is revoked, expired or replaced; `too-many-keys`.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            lock(connection, account)
            old = _own(connection, account, key)
            ends = now + overlap if old.expires_at is None else min(now + overlap, old.expires_at)
            first: str | None = connection.execute(
                update(keys)
                .where(keys.c.id == key, keys.c.replaced_at.is_(None), _in_use(now))
                .values(expires_at=ends, replaced_at=now, name=f"{old.name[:60]} ({old.id[-6:]})")
                .returning(func.coalesce(keys.c.first, keys.c.id))
            ).scalar_one_or_none()
            if first is None:
                raise Invalid("key-not-in-use", parameter="key")
            self._check_room(connection, account, 0)
            wanted = WantedKey(**{name: getattr(old, name) for name in WantedKey._fields})
            made = self._insert(connection, account, wanted, first)
            increment_revision(connection)
            note(connection, now, "account", "key-created", account=account, subject=made[0].id)
            note(connection, now, "account", "key-rotated", account=account, subject=key)
            return made

    def leaked(self, texts: Collection[str], mail: Literal["leaked", "exposed"] = "leaked") -> None:
        """Record that others can read some keys; their owners get a mail, once for each key.

        Anybody can invent keys, so those that do not exist only cost reading, many at a time.

        Args:
            mail: The kind of mail: a key was sent in a URL, or somebody who found it reported it.
        """
        digests, now = [self.digest(text) for text in texts], self._store.now()
        ids: list[str] = []
        with self._store.reading() as connection:
            for start in range(0, len(digests), _READ_AT_ONCE):
                some = keys.c.digest.in_(digests[start : start + _READ_AT_ONCE])
                ids += connection.execute(select(keys.c.id).where(some, keys.c.leaked_at.is_(None))).scalars()
        for key in ids:
            with self._store.writing() as connection:
                fresh = update(keys).where(keys.c.id == key, keys.c.leaked_at.is_(None)).values(leaked_at=now)
                account = connection.execute(fresh.returning(keys.c.account)).scalar_one_or_none()
                if account is not None:
                    note(connection, now, "key", "key-leaked", account=account, subject=key)
                    queue_mail(connection, now, account, mail)

    def look_up(self, digest: str) -> Grant:
        """Return the grant of a key.

        Raises `Denied`: `key-unknown`, `key-revoked`, `key-expired`, `account-suspended`; `key-beyond-plan` for the
        latest keys of an account that has more in use than its plan allows, as after a change to a lower one.
        """
        now = self._store.now()
        with self._store.reading() as connection:
            row = connection.execute(_GRANT, {"digest": digest, "day": now // DAY, "now": now}).one_or_none()
        if row is None:
            raise Denied("key-unknown")
        if row.revoked_at is not None:
            raise Denied("key-revoked")
        if row.expires_at is not None and row.expires_at <= now:
            raise Denied("key-expired")
        if row.suspended_at is not None:
            raise Denied("account-suspended")
        code, plan_until = standing(row.plan, row.state, bool(row.ending), row.period_end or 0, row.failed_at, now)
        plan = self._plans.held(code)
        if row.replaced_at is None and row.older >= plan.keys:
            raise Denied("key-beyond-plan", most=plan.keys)
        ends = [time for time in (row.expires_at, plan_until) if time is not None]
        return Grant(
            row.id,
            row.account,
            plan.code,
            frozenset(_ordered(row.scopes.split())),
            min(ends, default=float("inf")),
            now // DAY,
            row.answers or 0,
            tuple(map(ipaddress.ip_network, row.networks.split())),
            row.test,
            tuple(row.origins.split()),
            row.per_day,
            row.key_used or 0,
            row.first,
            row.rows or 0,
        )

    def revision(self) -> int:
        """Return the number that rises whenever a cached grant may have become stale."""
        with self._store.reading() as connection:
            number: int = connection.execute(select(revision.c.number)).scalar_one()
        return number


class GrantCache:
    """Cache of the grants of one worker, by digest; `refresh` clears it when the revision of the store has risen.

    `cached` reads the cache alone. A grant goes into the cache that was in use before it was read, and is lost with
    that one, so that a revocation during a lookup cannot be missed. While the store is down, cached grants stay valid.
    """

    def __init__(self, keys: Keys, store: Store) -> None:
        self._keys = keys
        self._store = store
        self._grants: dict[str, Grant] = {}
        self._revision = -1

    def cached(self, digest: str) -> Grant | None:
        """Return the grant if it is cached and still valid."""
        grant = self._grants.get(digest)
        return grant if grant is not None and self._store.now() < grant.until else None

    def look_up(self, digest: str) -> Grant:
        """Read the grant from the store and cache it. Raises `Denied` as `Keys.look_up`."""
        grants = self._grants
        grant = self._keys.look_up(digest)
        if len(grants) >= CACHE_SIZE:
            grants.clear()
        grants[digest] = grant
        return grant

    def refresh(self) -> None:
        """Clear the cache if any key or plan lost something since the last call."""
        number = self._keys.revision()
        if number != self._revision:
            self._revision, self._grants = number, {}


def lock(connection: Connection, account: str) -> None:
    """Lock an account, so that its changes wait for each other. Raises `NotFound("account-not-found")`.

    Rows that belong to it can be added meanwhile (`key_share`, also wherever else a row is locked that others refer
    to): who adds one may hold a lock that is waited for here.
    """
    own = select(accounts.c.id).where(accounts.c.id == account).with_for_update(key_share=True)
    if connection.execute(own).first() is None:
        raise NotFound("account-not-found")


def lock_with_password(connection: Connection, account: str, kept: str) -> None:
    """Lock an account whose password was compared with the hash `kept`, which takes long.

    Raises:
        Denied: `bad-login` if the password was changed or the account deleted meanwhile.
    """
    own = select(accounts.c.password).where(accounts.c.id == account).with_for_update(key_share=True)
    if connection.execute(own).scalar_one_or_none() != kept:
        raise Denied("bad-login")


def plan_of(connection: Connection, account: str, now: int) -> str:
    """Return the plan that an account has now.

    Args:
        now: Seconds since the epoch.
    """
    row = connection.execute(subscriptions.select().where(subscriptions.c.account == account)).one_or_none()
    if row is None:
        return standing(None, None, False, 0, None, now).plan
    return standing(row.plan, row.state, row.ending, row.period_end, row.failed_at, now).plan


def _in_use(now: int | BindParameter[int], table: FromClause = keys) -> ColumnElement[bool]:
    return and_(table.c.revoked_at.is_(None), or_(table.c.expires_at.is_(None), table.c.expires_at > now))


_OLDER = keys.alias("older")
_SHARING = keys.alias("sharing")
_FIRST: Final = func.coalesce(keys.c.first, keys.c.id)
_GRANT = (
    select(
        keys.c.id,
        keys.c.account,
        keys.c.scopes,
        keys.c.networks,
        keys.c.origins,
        keys.c.per_day,
        keys.c.test,
        keys.c.expires_at,
        keys.c.revoked_at,
        keys.c.replaced_at,
        accounts.c.suspended_at,
        subscriptions.c.plan,
        subscriptions.c.state,
        subscriptions.c.ending,
        subscriptions.c.period_end,
        subscriptions.c.failed_at,
        usage.c.answers,
        usage.c.rows,
        _FIRST.label("first"),
        select(func.sum(key_usage.c.answers))
        .join(_SHARING, _SHARING.c.id == key_usage.c.key)
        .where(
            func.coalesce(_SHARING.c.first, _SHARING.c.id) == _FIRST,
            key_usage.c.day == bindparam("day"),
            key_usage.c.account == keys.c.account,
        )
        .scalar_subquery()
        .label("key_used"),
        select(func.count())
        .where(
            _OLDER.c.account == keys.c.account,
            _OLDER.c.replaced_at.is_(None),
            tuple_(_OLDER.c.created_at, _OLDER.c.id) < tuple_(keys.c.created_at, keys.c.id),
            _in_use(bindparam("now", type_=BigInteger), _OLDER),
        )
        .scalar_subquery()
        .label("older"),
    )
    .select_from(keys)
    .join(accounts, accounts.c.id == keys.c.account)
    .outerjoin(subscriptions, subscriptions.c.account == keys.c.account)
    .outerjoin(usage, and_(usage.c.account == keys.c.account, usage.c.day == bindparam("day")))
    .where(keys.c.digest == bindparam("digest"))
)


def _ordered(scopes: Collection[str]) -> tuple[Scope, ...]:
    return tuple(scope for scope in _EVERY if scope in scopes)


def _canonical(networks: Collection[str]) -> tuple[str, ...]:
    """Return networks as they are written in full, each once; IPv4 in IPv6 as IPv4. Raises `Invalid("bad-network")`.

    A zone (`%eth0`) is no part of the address that a request comes from.
    """
    if len(networks) > MOST_NETWORKS:
        raise Invalid("bad-network", parameter="allowedAddresses", given=f"> {MOST_NETWORKS}", most=MOST_NETWORKS)
    canonical = []
    for text in networks:
        fault = Invalid("bad-network", parameter="allowedAddresses", given=text[:60], most=MOST_NETWORKS)
        if "%" in text:
            raise fault
        try:
            network = ipaddress.ip_network(text.strip())
        except ValueError as error:
            raise fault from error
        if mapped := getattr(network.network_address, "ipv4_mapped", None):
            network = ipaddress.IPv4Network((mapped, network.prefixlen - 96))
        canonical.append(str(network))
    return tuple(dict.fromkeys(canonical))


def _origins(given: Collection[str]) -> tuple[str, ...]:
    """Return origins as browsers state them (RFC 6454), each once. Raises `Invalid("bad-origin")`."""
    if len(given) > MOST_NETWORKS:
        raise Invalid("bad-origin", parameter="allowedOrigins", given=f"> {MOST_NETWORKS}", most=MOST_NETWORKS)
    origins = []
    for text in given:
        if not (match := re.fullmatch(ORIGIN, text)):
            raise Invalid("bad-origin", parameter="allowedOrigins", given=text[:60], most=MOST_NETWORKS)
        scheme, host, port = match.groups()
        origins.append(f"{scheme}://{host.lower()}" + (f":{port}" if port and port != _PORTS[scheme] else ""))
    return tuple(dict.fromkeys(origins))


def _own(connection: Connection, account: str, key: str) -> Key:
    row = None
    if _ID.fullmatch(key):
        row = connection.execute(
            select(*(keys.c[field] for field in Key._fields)).where(keys.c.id == key, keys.c.account == account)
        ).one_or_none()
    if row is None:
        raise NotFound("key-not-found")
    return _key(row)


def _key(row: Row[tuple[object, ...]]) -> Key:
    values = row._asdict()
    return Key(**values | {name: tuple(values[name].split()) for name in _LISTS})
