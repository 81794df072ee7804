"""The work behind webhooks: new changes are queued for the watchlists they belong to, and what is due is sent.

Every worker does both; the database sees to it that each change is queued once and each message sent by one at a time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec

from padron import threads
from padron.accounts.webhook_sender import WebhookSender
from padron.accounts.webhooks import Delivery, WebhookReader, Webhooks
from padron.api.account_model import moment
from padron.api.v1_changes import ChangeDirectory, shown
from padron.api.v1_watchlists import selection
from padron.api.v1_webhooks import WebhookEvent, WebhookEventData
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.releases.change_log import ChangeFilter, ChangePage

CHANGES: Final = 50
"""Changes of one message, at most: some 15 kB; Standard Webhooks recommends less than 20."""
PAGES: Final = 20
"""Pages of changes that are read for one webhook before the next has its turn: 400,000 lines of the log at most."""
MOST: Final = 16
"""Messages that one worker sends at the same time."""
MOST_OF_ONE: Final = 4
"""Messages of one account among them: slow receivers of one must not hold up those of the others."""


class ChangeSource(ChangeDirectory, Protocol):
    """The part of the directory that webhooks need."""

    async def end_of_changes(self) -> str:
        """Return the cursor behind the last change of all."""

    async def check_changes(self) -> None:
        """Raise `ReleaseError` for a damaged log, whether anybody reads it or not."""

    def hides(self, country: str, numbers: list[tuple[str, str]]) -> bool:
        """Return whether a company is suppressed, by its country and scheme and value of its identifiers."""


class WebhookWorker:
    """The part of one worker in the work."""

    def __init__(self, webhooks: Webhooks, sender: WebhookSender, companies: Callable[[], ChangeSource]) -> None:
        self._webhooks = webhooks
        self._sender = sender
        self._companies = companies
        self._sending: dict[asyncio.Task[None], str] = {}  # and the account of each
        self.ended = asyncio.Event()
        """Set when a message has been sent, or has failed: another one may have become due by it."""

    async def queue_changes(self) -> None:
        """Queue the changes that are new since each webhook was looked at; of many, the rest the next time.

        A damaged log is raised once those webhooks that do not read it have had their turn: `ReleaseError`.
        """
        try:
            companies = self._companies()
        except Unavailable:  # no release yet
            return
        damage: ReleaseError | None = None
        end = await companies.end_of_changes()
        for reader in await threads.WEBHOOKS.call(self._webhooks.readers, end):
            try:
                await self._read(companies, reader)
            except ReleaseError as error:
                damage = error
        if damage is not None:
            raise damage
        await companies.check_changes()

    async def _read(self, companies: ChangeSource, reader: WebhookReader) -> None:
        """Queue new changes for one webhook, page by page; stop where another worker is at it."""
        watch = await threads.WEBHOOKS.call(lambda: selection(self._webhooks.watched(reader)))
        wanted = ChangeFilter(watch=watch)
        for _ in range(PAGES):
            page = await _page(companies, reader.cursor, wanted)
            content = msgspec.json.encode(page.changes).decode() if page.changes else None
            if page.cursor == reader.cursor or not await threads.WEBHOOKS.call(
                self._webhooks.queue, reader, page.cursor, content
            ):
                return
            if not page.more:
                return
            reader = reader._replace(cursor=page.cursor)

    async def send_due(self) -> None:
        """Begin to send what is due, and return; what failed in the meantime is raised."""
        done = {task for task in self._sending if task.done()}
        for task in done:
            del self._sending[task]
        for task in done:
            task.result()
        try:
            companies = self._companies()
        except Unavailable:  # nobody knows which companies are suppressed
            return
        while len(self._sending) < MOST:
            held = Counter(self._sending.values())
            full = [account for account, number in held.items() if number >= MOST_OF_ONE]
            delivery = await threads.WEBHOOKS.call(self._webhooks.take, full)
            if delivery is None:
                break
            task = asyncio.create_task(self._send(companies, delivery))
            task.add_done_callback(lambda _: self.ended.set())
            self._sending[task] = delivery.account

    async def _send(self, companies: ChangeSource, delivery: Delivery) -> None:
        changes = [change for change in msgspec.json.decode(delivery.content) if not _is_hidden(companies, change)]
        if not changes and delivery.kind == "companies.changed":
            await threads.WEBHOOKS.call(self._webhooks.withdraw, delivery)
            return
        body = msgspec.json.encode(
            WebhookEvent(
                type=delivery.kind,
                timestamp=moment(delivery.created_at),
                data=WebhookEventData(watchlist=delivery.watchlist, changes=[shown(change) for change in changes]),
            )
        )
        try:
            outcome = await self._sender.send(delivery.url, delivery.id, delivery.taken_at, body, delivery.secrets)
        except Unavailable:  # no fault of the receiver: it is sent again when the lease ends
            return
        await threads.WEBHOOKS.call(self._webhooks.record, delivery, outcome)

    async def close(self) -> None:
        """Stop sending: what has no answer yet is sent again by the next worker."""
        for task in self._sending:
            task.cancel()
        for task in self._sending:
            with suppress(asyncio.CancelledError, Unavailable):
                await task


async def _page(companies: ChangeSource, cursor: str, wanted: ChangeFilter) -> ChangePage:
    """Return the next page; a cursor that fits no longer (a log restored from a backup) begins its log anew."""
    try:
        return await companies.changes(cursor, CHANGES, wanted)
    except Invalid:
        return await companies.changes(f"{cursor.partition('-')[0]}-0", CHANGES, wanted)


def _is_hidden(companies: ChangeSource, change: dict[str, Any]) -> bool:
    return companies.hides(change["country"], [(scheme, value) for scheme, value in change["numbers"]])
