"""Methods of watchlists and webhooks, for both clients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TypeVar

from padron_client.calls import Call, Calls, CompanyToWatch, SearchToSave
from padron_client.types import (
    MessageShown,
    WatchlistChanged,
    WatchlistContent,
    WatchlistList,
    WatchlistSummary,
    WebhookContent,
    WebhookList,
    WebhookMade,
    WebhookShown,
)

T = TypeVar("T")


class Watching(ABC):
    """The methods of `Padron`."""

    _calls: Calls

    @abstractmethod
    def _run(self, call: Call[T]) -> T: ...

    def list_watchlists(self) -> WatchlistList:
        """The watchlists of the account, the oldest first.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.list_watchlists())

    def create_watchlist(self, name: str) -> WatchlistSummary:
        """Create a watchlist, empty at first; `change_watchlist` fills it.

        Args:
            name: Its name, unique in the account.

        Raises:
            APIError: One of its classes; 409 `watchlist-name-taken` and `too-many-watchlists` are `APIStatusError`. An
                attempt whose answer is lost is not repeated: look in `list_watchlists` whether it was done.
        """
        return self._run(self._calls.create_watchlist(name))

    def get_watchlist(
        self,
        id: str,  # noqa: A002
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> WatchlistContent:
        """A watchlist with its saved searches and a page of its companies, in the order in which they were added.

        Args:
            id: Id of the watchlist.
            cursor: `next_cursor` of the page before.
            limit: Companies on the page, 1 to 1,000; 100 when left out.

        Raises:
            NotFoundError: The account has no such watchlist.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.get_watchlist(id, cursor, limit))

    def change_watchlist(
        self,
        id: str,  # noqa: A002
        *,
        name: str | None = None,
        add_companies: Iterable[CompanyToWatch] = (),
        remove_companies: Iterable[CompanyToWatch] = (),
        add_searches: Iterable[SearchToSave] = (),
        remove_searches: Iterable[str] = (),
    ) -> WatchlistChanged:
        """Rename a watchlist; add or remove companies and saved searches, of each as many as the service takes at once.

        Args:
            id: Id of the watchlist.
            name: Its new name; as before when left out.
            add_companies: Up to 1,000 companies, by any of their identifiers.
            remove_companies: Up to 1,000 companies.
            add_searches: Up to 100 words of names, each in one country or in all.
            remove_searches: Ids of up to 100 saved searches.

        Returns:
            What was changed. A company that the directory does not hold is `refused`, and the others are taken.

        Raises:
            NotFoundError: The account has no such watchlist.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(
            self._calls.change_watchlist(
                id,
                name=name,
                add_companies=[*add_companies],
                remove_companies=[*remove_companies],
                add_searches=[*add_searches],
                remove_searches=[*remove_searches],
            )
        )

    def delete_watchlist(self, id: str) -> None:  # noqa: A002
        """Delete a watchlist and its webhooks.

        Args:
            id: Id of the watchlist.

        Raises:
            NotFoundError: The account has no such watchlist, or has it no longer.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.delete_watchlist(id))

    def list_webhooks(self) -> WebhookList:
        """The webhooks of the account, the oldest first.

        Raises:
            APIError: One of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.list_webhooks())

    def create_webhook(self, *, url: str, watchlist: str) -> WebhookMade:
        """Send the changes of a watchlist to an address from now on, signed; `verify_webhook` verifies them.

        Args:
            url: An https address whose host has public addresses only.
            watchlist: Id of the watchlist.

        Returns:
            The webhook, and the secret of its signatures, which is shown only this once.

        Raises:
            BadRequestError: `bad-webhook-url`; `problem.detail` tells the reason.
            NotFoundError: The account has no such watchlist.
            APIError: Another of its classes. An attempt whose answer is lost is not repeated: look in `list_webhooks`
                whether it was done.
        """
        return self._run(self._calls.create_webhook(url, watchlist))

    def get_webhook(self, id: str) -> WebhookContent:  # noqa: A002
        """A webhook, and how its latest messages were delivered, the newest first.

        Args:
            id: Id of the webhook.

        Raises:
            NotFoundError: The account has no such webhook.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.get_webhook(id))

    def change_webhook(
        self,
        id: str,  # noqa: A002
        *,
        url: str | None = None,
        enabled: bool | None = None,
    ) -> WebhookShown:
        """Change the address of a webhook, or switch it on or off.

        Args:
            id: Id of the webhook.
            url: Its new address; as before when left out.
            enabled: Whether messages are sent; they wait while it is off. As before when left out.

        Raises:
            BadRequestError: `bad-webhook-url`; `problem.detail` tells the reason.
            NotFoundError: The account has no such webhook.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.change_webhook(id, url, enabled))

    def delete_webhook(self, id: str) -> None:  # noqa: A002
        """Delete a webhook and its messages.

        Args:
            id: Id of the webhook.

        Raises:
            NotFoundError: The account has no such webhook, or has it no longer.
            APIError: Another of its classes; see `padron_client.errors`.
        """
        return self._run(self._calls.delete_webhook(id))

    def rotate_webhook_secret(self, id: str, *, overlap_seconds: int | None = None) -> WebhookMade:  # noqa: A002
        """Make a new secret of a webhook; the old one signs beside it for a while.

        Args:
            id: Id of the webhook.
            overlap_seconds: For how long; a day when left out.

        Returns:
            The webhook, and its new secret, which is shown only this once.

        Raises:
            NotFoundError: The account has no such webhook.
            APIError: Another of its classes; 409 `webhook-rotating` is an `APIStatusError`. An attempt whose answer is
                lost is not repeated.
        """
        return self._run(self._calls.rotate_webhook_secret(id, overlap_seconds))

    def test_webhook(self, id: str) -> MessageShown:  # noqa: A002
        """Send a test message to a webhook, unless one waits already; `get_webhook` tells how it went.

        Args:
            id: Id of the webhook.

        Raises:
            NotFoundError: The account has no such webhook.
            APIError: Another of its classes; 409 `webhook-disabled` is an `APIStatusError`. An attempt whose answer is
                lost is not repeated.
        """
        return self._run(self._calls.test_webhook(id))


class AsyncWatching(ABC):
    """The methods of `AsyncPadron`."""

    _calls: Calls

    @abstractmethod
    async def _run(self, call: Call[T]) -> T: ...

    async def list_watchlists(self) -> WatchlistList:
        """The watchlists of the account: as `Padron.list_watchlists`."""
        return await self._run(self._calls.list_watchlists())

    async def create_watchlist(self, name: str) -> WatchlistSummary:
        """Create a watchlist: as `Padron.create_watchlist`."""
        return await self._run(self._calls.create_watchlist(name))

    async def get_watchlist(
        self,
        id: str,  # noqa: A002
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> WatchlistContent:
        """A watchlist with a page of its companies: as `Padron.get_watchlist`."""
        return await self._run(self._calls.get_watchlist(id, cursor, limit))

    async def change_watchlist(
        self,
        id: str,  # noqa: A002
        *,
        name: str | None = None,
        add_companies: Iterable[CompanyToWatch] = (),
        remove_companies: Iterable[CompanyToWatch] = (),
        add_searches: Iterable[SearchToSave] = (),
        remove_searches: Iterable[str] = (),
    ) -> WatchlistChanged:
        """Change a watchlist: as `Padron.change_watchlist`."""
        return await self._run(
            self._calls.change_watchlist(
                id,
                name=name,
                add_companies=[*add_companies],
                remove_companies=[*remove_companies],
                add_searches=[*add_searches],
                remove_searches=[*remove_searches],
            )
        )

    async def delete_watchlist(self, id: str) -> None:  # noqa: A002
        """Delete a watchlist: as `Padron.delete_watchlist`."""
        return await self._run(self._calls.delete_watchlist(id))

    async def list_webhooks(self) -> WebhookList:
        """The webhooks of the account: as `Padron.list_webhooks`."""
        return await self._run(self._calls.list_webhooks())

    async def create_webhook(self, *, url: str, watchlist: str) -> WebhookMade:
        """Send the changes of a watchlist to an address: as `Padron.create_webhook`."""
        return await self._run(self._calls.create_webhook(url, watchlist))

    async def get_webhook(self, id: str) -> WebhookContent:  # noqa: A002
        """A webhook and its latest messages: as `Padron.get_webhook`."""
        return await self._run(self._calls.get_webhook(id))

    async def change_webhook(
        self,
        id: str,  # noqa: A002
        *,
        url: str | None = None,
        enabled: bool | None = None,
    ) -> WebhookShown:
        """Change a webhook: as `Padron.change_webhook`."""
        return await self._run(self._calls.change_webhook(id, url, enabled))

    async def delete_webhook(self, id: str) -> None:  # noqa: A002
        """Delete a webhook: as `Padron.delete_webhook`."""
        return await self._run(self._calls.delete_webhook(id))

    async def rotate_webhook_secret(
        self,
        id: str,  # noqa: A002
        *,
        overlap_seconds: int | None = None,
    ) -> WebhookMade:
        """Make a new secret of a webhook: as `Padron.rotate_webhook_secret`."""
        return await self._run(self._calls.rotate_webhook_secret(id, overlap_seconds))

    async def test_webhook(self, id: str) -> MessageShown:  # noqa: A002
        """Send a test message to a webhook: as `Padron.test_webhook`."""
        return await self._run(self._calls.test_webhook(id))
