"""The work behind webhooks: new changes are queued for the watchlists they belong to, and what is due is sent.

Every worker does both; the database sees to it that each change is queued once and each message sent by one at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec

from padron.accounts.webhook_sender import WebhookSender
from padron.accounts.webhooks import Delivery, WebhookReader, Webhooks
from padron.api.account_model import moment
from padron.api.v1_changes import ChangeDirectory, shown
from padron.api.v1_watchlists import selection
from padron.api.v1_webhooks import WebhookEvent, WebhookEventData
from padron.change_log import ChangeFilter, ChangePage
from padron.errors import Invalid, Unavailable

CHANGES: Final = 50
"""Changes of one message, at most: some 15 kB; Standard Webhooks recommends less than 20."""
MOST: Final = 16
"""Messages that one worker sends at the same time."""


class ChangeSource(ChangeDirectory, Protocol):
    """The part of the directory that webhooks need."""

    async def end_of_changes(self) -> str:
        """Return the cursor behind the last change of all."""

    def hides(self, country: str, numbers: list[tuple[str, str]]) -> bool:
        """Return whether a company is suppressed, by its country and scheme and value of its identifiers."""


class WebhookWorker:
    """The part of one worker in the work."""

    def __init__(self, webhooks: Webhooks, sender: WebhookSender, companies: Callable[[], ChangeSource]) -> None:
        self._webhooks = webhooks
        self._sender = sender
        self._companies = companies
        self._sending: set[asyncio.Task[None]] = set()

    async def queue_changes(self) -> None:
        """Queue the changes that are new since each webhook was looked at."""
        try:
            companies = self._companies()
        except Unavailable:  # no release yet
            return
        end = await companies.end_of_changes()
        for reader in await asyncio.to_thread(self._webhooks.readers, end):
            await self._read(companies, reader)

    async def _read(self, companies: ChangeSource, reader: WebhookReader) -> None:
        """Queue all new changes for one webhook, page by page; stop where another worker is at it."""
        wanted = ChangeFilter(watch=selection(reader.watched))
        more = True
        while more:
            page = await _page(companies, reader.cursor, wanted)
            content = msgspec.json.encode(page.changes).decode() if page.changes else None
            if page.cursor == reader.cursor or not await asyncio.to_thread(
                self._webhooks.queue, reader, page.cursor, content
            ):
                return
            reader, more = reader._replace(cursor=page.cursor), page.more

    async def send_due(self) -> None:
        """Begin to send what is due, and return; what failed in the meantime is raised."""
        done = {task for task in self._sending if task.done()}
        self._sending -= done
        for task in done:
            task.result()
        try:
            companies = self._companies()
        except Unavailable:  # nobody knows which companies are suppressed
            return
        while len(self._sending) < MOST and (delivery := await asyncio.to_thread(self._webhooks.take)):
            self._sending.add(asyncio.create_task(self._send(companies, delivery)))

    async def _send(self, companies: ChangeSource, delivery: Delivery) -> None:
        changes = [change for change in msgspec.json.decode(delivery.content) if not _is_hidden(companies, change)]
        if not changes and delivery.kind == "companies.changed":
            await asyncio.to_thread(self._webhooks.withdraw, delivery)
            return
        body = msgspec.json.encode(
            WebhookEvent(
                type=delivery.kind,
                timestamp=moment(delivery.created_at),
                data=WebhookEventData(watchlist=delivery.watchlist, changes=[shown(change) for change in changes]),
            )
        )
        outcome = await self._sender.send(delivery.url, delivery.id, delivery.taken_at, body, delivery.secrets)
        await asyncio.to_thread(self._webhooks.record, delivery, outcome)

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
