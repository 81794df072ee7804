"""Webhooks: addresses that are told what changed of a watchlist, the queue of their messages, and the log of it.

A message is in the table `messages` from the moment at which its changes were read, in the transaction that moves the
cursor of its webhook: each change is queued once, whichever worker reads it. A worker that sends leases the webhook, so
that its messages go one after the other and in order. A message whose answer is lost is sent again with its id.

The secret of the signatures is a keyed digest of a seed: a stolen database signs nothing.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Sequence
from random import SystemRandom
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import Connection, Row, and_, delete, exists, func, insert, select, update

from padron.accounts.audit import Actor, note
from padron.accounts.keys import DAY, lock, plan_of
from padron.accounts.plans import Plans
from padron.accounts.secret import Secret
from padron.accounts.store import Store, accounts, count, messages, queue_mail, watchlists, webhooks
from padron.accounts.watchlists import Watched, contents
from padron.accounts.webhook_sender import Fault, Outcome
from padron.errors import Invalid, NotFound

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the beginning of each secret, by the specification of Standard Webhooks
LONGEST_OVERLAP: Final = 7 * DAY
DELAYS: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds from each failed try to the next: those that Standard Webhooks 1.0 gives as an example, 75 hours in all."""
JITTER: Final = 0.2
"""Part of a delay that may be added to it, so that receivers that were down do not get everything at once."""
LEASE: Final = 60
"""Seconds after which a webhook may be taken by another worker: longer than a try may take, and wait to begin."""
MOST_WAITING: Final = 100
"""Messages of a webhook that may wait before its next changes are left in the change log: 5,000 changes, some 2 MB."""
LOG: Final = 100
"""Latest messages of a webhook that are shown."""
SHOWN: Final = 30 * DAY
"""Seconds for which messages are kept."""

Kind = Literal["companies.changed", "webhook.test"]
State = Literal["waiting", "delivered", "withdrawn"]
_ID = re.compile(r"whk_[0-9a-f]{24}")
_random = SystemRandom()


class Webhook(NamedTuple):
    """A webhook; times are seconds since the epoch. `tries`: those that failed since the last success."""

    id: str
    watchlist: str
    url: str
    tries: int
    due_at: int
    created_at: int
    disabled_at: int | None


class Message(NamedTuple):
    """A message, as its owner sees it."""

    id: str
    kind: Kind
    state: State
    tries: int
    status: int | None
    fault: Fault | None
    created_at: int
    tried_at: int | None


class WebhookReader(NamedTuple):
    """A webhook whose changes are to be read: from where, and of which watchlist."""

    webhook: str
    cursor: str
    watchlist: str


class Delivery(NamedTuple):
    """A message to send now: the next of a webhook that this worker has leased."""

    number: int
    id: str
    webhook: str
    account: str
    watchlist: str
    url: str
    kind: Kind
    content: str
    created_at: int
    taken_at: int
    secrets: tuple[bytes, ...]


class Webhooks:
    """The webhooks of all accounts and their messages."""

    def __init__(self, store: Store, secret: Secret, plans: Plans) -> None:
        self._store = store
        self._secret = secret
        self._plans = plans

    def create(self, account: str, watchlist: str, url: str, cursor: str) -> tuple[Webhook, str]:
        """Create a webhook.

        Args:
            cursor: Place in the change log from which on it is told of changes.

        Returns:
            The webhook, and the secret of its signatures.

        Raises:
            NotFound: `watchlist-not-found`.
            Invalid: `too-many-webhooks`.
        """
        now, seed = self._store.now(), secrets.token_hex(16)
        made = Webhook(f"whk_{secrets.token_hex(12)}", watchlist, url, 0, now, now, None)
        with self._store.writing() as connection:
            lock(connection, account)
            self._check_room(connection, now, account, watchlist)
            row = made._asdict() | {"account": account, "seed": seed, "cursor": cursor}
            connection.execute(insert(webhooks).values(row))
            note(connection, now, "key", "webhook-created", account=account, subject=made.id)
        return made, self._text(seed)

    def check_room(self, account: str, watchlist: str) -> None:
        """Raise what `create` would raise now: its address need not be looked up then.

        Raises `NotFound("watchlist-not-found")`, `Invalid("too-many-webhooks")`.
        """
        with self._store.reading() as connection:
            self._check_room(connection, self._store.now(), account, watchlist)

    def _check_room(self, connection: Connection, now: int, account: str, watchlist: str) -> None:
        if not count(connection, watchlists, watchlists.c.id == watchlist, watchlists.c.account == account):
            raise NotFound("watchlist-not-found")
        most = self._plans.held(plan_of(connection, account, now)).webhooks
        if count(connection, webhooks, webhooks.c.account == account) >= most:
            raise Invalid("too-many-webhooks", most=most)

    def of(self, account: str) -> list[Webhook]:
        """Return the webhooks of an account, the oldest first."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(*_COLUMNS).where(webhooks.c.account == account).order_by(webhooks.c.created_at, webhooks.c.id)
            )
            return [Webhook(*row) for row in rows]

    def get(self, account: str, webhook: str) -> tuple[Webhook, list[Message]]:
        """Return a webhook and its latest messages, the newest first. Raises `NotFound("webhook-not-found")`."""
        columns = [messages.c[field] for field in Message._fields]
        with self._store.reading() as connection:
            own = _own(connection, account, webhook)
            rows = connection.execute(
                select(*columns).where(messages.c.webhook == webhook).order_by(messages.c.number.desc()).limit(LOG)
            )
            return own, [Message(*row) for row in rows]

    def change(self, account: str, webhook: str, url: str | None, enabled: bool | None) -> Webhook:
        """Change the address of a webhook, or switch it on or off. Switched on, it goes on where it was.

        What waits is due at once then. Without a change nothing is done.

        Args:
            url: The new address, checked; None: as it is.
            enabled: Whether it is on; None: as it is.

        Raises:
            NotFound: `webhook-not-found`.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            own = _own(connection, account, webhook)
            values: dict[str, object] = {}
            if url is not None:
                values["url"] = url
            if enabled is not None:
                values["disabled_at"] = None if enabled else now
            if not values:
                return own
            values |= {"due_at": now, "tries": 0}
            connection.execute(update(webhooks).where(webhooks.c.id == webhook).values(values))
            note(connection, now, "key", "webhook-changed", account=account, subject=webhook)
            return _own(connection, account, webhook)

    def delete(self, account: str, webhook: str) -> None:
        """Delete a webhook with its messages. Raises `NotFound("webhook-not-found")`."""
        with self._store.writing() as connection:
            _own(connection, account, webhook)
            connection.execute(delete(webhooks).where(webhooks.c.id == webhook))
            note(connection, self._store.now(), "key", "webhook-deleted", account=account, subject=webhook)

    def rotate(self, account: str, webhook: str, overlap: int) -> tuple[Webhook, str]:
        """Make a new secret. Until the overlap ends, messages have a signature by each of the two.

        Args:
            overlap: Seconds for which the old secret goes on signing; 0: no older secret signs any longer.

        Raises:
            NotFound: `webhook-not-found`.
            Invalid: `webhook-rotating`: an overlap has not ended, and a third secret would cut it short.
        """
        now, seed = self._store.now(), secrets.token_hex(16)
        with self._store.writing() as connection:
            lock(connection, account)
            own = _own(connection, account, webhook)
            running = select(webhooks.c.old_until).where(webhooks.c.id == webhook)
            until = connection.execute(running).scalar_one()
            if overlap and until is not None and until > now:
                raise Invalid("webhook-rotating", seconds=until - now)
            values = {"seed": seed, "old_seed": webhooks.c.seed, "old_until": now + overlap}
            connection.execute(update(webhooks).where(webhooks.c.id == webhook).values(values))
            note(connection, now, "key", "webhook-rotated", account=account, subject=webhook)
        return own, self._text(seed)

    def test(self, account: str, webhook: str) -> Message:
        """Queue a test message, unless one waits already, and return it: a queue of them would tell nothing more.

        Raises `NotFound("webhook-not-found")`, `Invalid("webhook-disabled")`.
        """
        now, columns = self._store.now(), [messages.c[field] for field in Message._fields]
        with self._store.writing() as connection:
            lock(connection, account)
            if _own(connection, account, webhook).disabled_at is not None:
                raise Invalid("webhook-disabled")
            same = (messages.c.webhook == webhook, messages.c.kind == "webhook.test", messages.c.state == "waiting")
            waiting = connection.execute(select(*columns).where(*same).limit(1)).one_or_none()
            if waiting is not None:
                return Message(*waiting)
            made = _queue(connection, now, account, webhook, "webhook.test", "[]")
        return Message(made, "webhook.test", "waiting", 0, None, None, now, None)

    def readers(self, end: str) -> list[WebhookReader]:
        """Return the webhooks that have not read the change log up to its `end`; not those that are to wait.

        Disabled ones do, and those whose messages are not taken.
        """
        waiting = select(func.count()).where(messages.c.webhook == webhooks.c.id, messages.c.state == "waiting")
        with self._store.reading() as connection:
            rows = connection.execute(
                select(webhooks.c.id, webhooks.c.cursor, webhooks.c.watchlist)
                .join(accounts, accounts.c.id == webhooks.c.account)
                .where(webhooks.c.cursor != end, waiting.scalar_subquery() < MOST_WAITING, *_ACTIVE)
            )
            return [WebhookReader(*row) for row in rows]

    def watched(self, reader: WebhookReader) -> Watched:
        """Return what the watchlist of a webhook holds now."""
        with self._store.reading() as connection:
            return contents(connection, reader.watchlist)

    def queue(self, reader: WebhookReader, cursor: str, content: str | None) -> bool:
        """Move the cursor of a webhook and queue the changes between, unless another worker did.

        Args:
            reader: The webhook, as it was read.
            content: The changes as JSON; None: there are none.

        Returns:
            Whether this worker did it.
        """
        now = self._store.now()
        moved = update(webhooks).where(webhooks.c.id == reader.webhook, webhooks.c.cursor == reader.cursor)
        with self._store.writing() as connection:
            if not connection.execute(moved.values(cursor=cursor)).rowcount:
                return False
            if content is not None:
                owner = select(webhooks.c.account).where(webhooks.c.id == reader.webhook)
                account = connection.execute(owner).scalar_one()
                _queue(connection, now, account, reader.webhook, "companies.changed", content)
        return True

    def take(self, full: Sequence[str] = ()) -> Delivery | None:
        """Return the next message that is due, and lease its webhook to this worker; none of the accounts in `full`."""
        now = self._store.now()
        with self._store.writing() as connection:
            row = _due(connection, now, full)
            if row is None:
                return None
            connection.execute(update(webhooks).where(webhooks.c.id == row.webhook).values(due_at=now + LEASE))
            seeds = [row.seed] + ([row.old_seed] if row.old_until is not None and row.old_until > now else [])
        return Delivery(
            row.number,
            row.id,
            row.webhook,
            row.account,
            row.watchlist,
            row.url,
            row.kind,
            row.content,
            row.created_at,
            now,
            tuple(map(self._key, seeds)),
        )

    def record(self, delivery: Delivery, outcome: Outcome) -> None:
        """Record how a try ended: the next message is due at once after a success, else the same one later.

        After the last of `DELAYS`, and when the receiver answers 410 Gone, the webhook is disabled and its holder told.
        How an address answered that the webhook no longer has is in its log, and changes nothing else; nor does the
        end of a try whose lease had ended, if another one has delivered the message.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            held = webhooks.select().where(webhooks.c.id == delivery.webhook).with_for_update(key_share=True)
            row = connection.execute(held).one_or_none()
            if row is None:
                return
            moved = row.url != delivery.url
            if not self._log(connection, delivery, outcome, moved=moved) or moved:
                return
            if outcome.fault is None:
                _set(connection, row.id, tries=0, due_at=now)
            elif outcome.status == 410 or row.tries >= len(DELAYS):
                _set(connection, row.id, tries=row.tries + 1, disabled_at=now)
                queue_mail(connection, now, row.account, "webhook-disabled")
                _note(connection, now, "service", "webhook-disabled", row)
            else:
                delay = DELAYS[row.tries]
                wait = max(delay * (1 + JITTER * _random.random()), min(outcome.retry_after, DAY))
                _set(connection, row.id, tries=row.tries + 1, due_at=now + round(wait))

    def withdraw(self, delivery: Delivery) -> None:
        """Take back a message all of whose companies are suppressed since it was queued."""
        with self._store.writing() as connection:
            _set(connection, delivery.webhook, due_at=self._store.now())
            gone = update(messages).where(messages.c.number == delivery.number)
            connection.execute(gone.values(state="withdrawn", content="[]"))

    def _log(self, connection: Connection, delivery: Delivery, outcome: Outcome, *, moved: bool) -> bool:
        """Record a try of a message that waits; it goes on waiting if the webhook has moved.

        Args:
            moved: Whether the webhook has another address than the one that was tried.

        Returns:
            Whether the message was waiting.
        """
        values: dict[str, object] = {
            "tries": messages.c.tries + 1,
            "tried_at": self._store.now(),
            "status": outcome.status,
            "fault": outcome.fault,
        }
        if outcome.fault is None and not moved:
            values |= {"state": "delivered", "content": "[]"}
        waiting = (messages.c.number == delivery.number, messages.c.state == "waiting")
        return connection.execute(update(messages).where(*waiting).values(values)).rowcount > 0

    def _key(self, seed: str) -> bytes:
        return bytes.fromhex(self._secret.digest("webhook", seed))

    def _text(self, seed: str) -> str:
        return SECRET_PREFIX + base64.b64encode(self._key(seed)).decode()


_COLUMNS = [webhooks.c[field] for field in Webhook._fields]
_ACTIVE: Final = (webhooks.c.disabled_at.is_(None), accounts.c.suspended_at.is_(None))


def _own(connection: Connection, account: str, webhook: str) -> Webhook:
    """Return a webhook of an account. Raises `NotFound("webhook-not-found")`."""
    row = None
    if _ID.fullmatch(webhook):
        own = (webhooks.c.id == webhook, webhooks.c.account == account)
        row = connection.execute(select(*_COLUMNS).where(*own)).one_or_none()
    if row is None:
        raise NotFound("webhook-not-found")
    return Webhook(*row)


def _due(connection: Connection, now: int, full: Sequence[str]) -> Row[Any] | None:
    """The oldest message of the webhook that has been due longest, locked; of none of the accounts in `full`."""
    waiting = and_(messages.c.webhook == webhooks.c.id, messages.c.state == "waiting")
    hook = connection.execute(
        select(webhooks)
        .join(accounts, accounts.c.id == webhooks.c.account)
        .where(webhooks.c.due_at <= now, webhooks.c.account.not_in(full), *_ACTIVE, exists().where(waiting))
        .order_by(webhooks.c.due_at, webhooks.c.id)
        .limit(1)
        .with_for_update(of=webhooks, skip_locked=True, key_share=True)
    ).one_or_none()
    if hook is None:
        return None
    columns = [messages.c[name] for name in ("number", "id", "webhook", "kind", "content", "created_at")]
    hooks = [webhooks.c[name] for name in ("account", "watchlist", "url", "seed", "old_seed", "old_until")]
    return connection.execute(
        select(*columns, *hooks)
        .join(webhooks, webhooks.c.id == messages.c.webhook)
        .where(messages.c.webhook == hook.id, messages.c.state == "waiting")
        .order_by(messages.c.number)
        .limit(1)
    ).one_or_none()


def _queue(connection: Connection, now: int, account: str, webhook: str, kind: Kind, content: str) -> str:
    made = f"msg_{secrets.token_hex(12)}"
    row = {"id": made, "account": account, "webhook": webhook, "kind": kind, "content": content}
    connection.execute(insert(messages).values(row | {"state": "waiting", "tries": 0, "created_at": now}))
    return made


def _set(connection: Connection, webhook: str, **values: object) -> None:
    connection.execute(update(webhooks).where(webhooks.c.id == webhook).values(values))


def _note(connection: Connection, now: int, actor: Actor, event: str, row: Row[Any]) -> None:
    note(connection, now, actor, event, account=row.account, subject=row.id)
