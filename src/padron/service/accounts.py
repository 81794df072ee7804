"""The services behind accounts and v1: their construction, routes and background tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from starlette.routing import Route

from padron.accounts.cleanup import delete_expired
from padron.accounts.keys import GrantCache, Keys
from padron.accounts.mail import MailSender, mail_transport_of
from padron.accounts.provider import plans_of, provider_of
from padron.accounts.rate_limits import RedisRateLimiter, rate_limiter_of
from padron.accounts.sandbox import Sandbox
from padron.accounts.second_factor import SecondFactors
from padron.accounts.secret import Secret, secret_of
from padron.accounts.sessions import AccountHolders
from padron.accounts.store import Store, check_deployment, mark_of, migrate_own
from padron.accounts.subscriptions import Subscriptions
from padron.accounts.usage import Usage
from padron.accounts.watchlists import Watchlists
from padron.accounts.webhook_sender import WebhookSender
from padron.accounts.webhooks import Webhooks
from padron.api import account, account_operations, billing, exposed_keys, v1, v1_usage
from padron.api.openapi import DocumentEndpoint
from padron.api.operations import account_document, public_document, v1_document
from padron.api.v1_directory import WatchedDirectory
from padron.api.webhook_worker import ChangeSource, WebhookWorker
from padron.config import Settings
from padron.errors import Invalid
from padron.service.background import PATIENCE, Background, ReportState, Task, pause
from padron.transport.auth import KeyAuthenticator, SessionCookie

REFRESH_EVERY: Final = 0.4
"""Seconds between two checks for revoked keys: they must be refused within one second, also under load."""
FLUSH_EVERY: Final = 1.0
RECONCILE_EVERY: Final = 3_600.0


class Services:
    """The services of one worker. With a file `counters` the workers of a machine count requests together."""

    def __init__(
        self,
        settings: Settings,
        report: ReportState,
        succeeded: Callable[[str], None] = lambda _task: None,
        counters: Path | None = None,
    ) -> None:
        base_url = settings.base_url
        self._report = report
        self._background = Background(report, succeeded)
        settings.data.mkdir(parents=True, exist_ok=True)
        self.plans = plans_of(settings)
        url = settings.accounts.url or f"sqlite:///{settings.data / 'accounts.sqlite'}"
        given = settings.accounts.secret
        self._read_secret = partial(Secret, given) if given else partial(secret_of, settings.data)
        self._secret = secret = Secret()
        self._sign_cursor = partial(secret.digest, "cursor")
        self._birth = mark_of(settings.data, url)
        self._url = url
        self.store = Store(url)
        self.keys = Keys(self.store, secret, self.plans)
        second_factors = SecondFactors(self.store, secret)
        self.usage = Usage(self.store, self.plans if settings.limits.enabled else None)
        self.holders = AccountHolders(self.store, secret, self.plans, second_factors, self.usage)
        self._provider = provider_of(settings, self.store, secret, self.plans)
        self.subscriptions = Subscriptions(self.store, secret, self.plans, self._provider)
        self.watching = v1.Watching(
            Watchlists(self.store, self.plans), Webhooks(self.store, secret, self.plans), WebhookSender()
        )
        self.grants = GrantCache(self.keys, self.store)
        self.limiter = rate_limiter_of(settings.limits, counters, self._report_redis)
        post = mail_transport_of(settings.mail.url, settings.mail_folder)
        self.mail_sender = MailSender(self.store, self.holders, post, settings.mail.sender, base_url)
        trusted = settings.server.trusted_proxies
        self.session_cookie = SessionCookie(self.holders, base_url, lambda text: secret.digest("device", text), trusted)
        self.authenticator = KeyAuthenticator(
            self.keys, self.grants, self.plans, self.usage, self.limiter, trusted, base_url
        )
        self.context = account.AccountContext(
            self.store,
            self.holders,
            second_factors,
            self.keys,
            self.usage,
            self.plans,
            self.subscriptions,
            self.session_cookie,
            self.limiter,
            trusted,
            lambda address: secret.digest("throttle", address),
        )
        self._base_url = base_url

    @property
    def sandbox(self) -> Sandbox | None:
        """The payment provider if it is the sandbox, whose pages have to be served too."""
        return self._provider if isinstance(self._provider, Sandbox) else None

    def routes(self, companies: Callable[[], WatchedDirectory]) -> list[Route]:
        """Return the routes of v1, accounts and OpenAPI documents, the busiest first."""
        documents = {"/api/public": public_document, v1.BASE: v1_document, account.BASE: account_document}
        return [
            *v1.routes(self.authenticator, companies, self.watching, self._base_url, self._sign_cursor),
            *v1_usage.routes(self.authenticator, self.context),
            *(
                Route(f"{base}/openapi.json", DocumentEndpoint(partial(document, self._base_url)), methods=["GET"])
                for base, document in documents.items()
            ),
            *account_operations.routes(self.context),
            *billing.routes(self.context, self.authenticator),
            *exposed_keys.routes(self.context),
        ]

    def _report_redis(self, lost: bool) -> None:
        self._report("limits", "redis-unreachable" if lost else None)

    @asynccontextmanager
    async def running(self, companies: Callable[[], ChangeSource]) -> AsyncIterator[None]:
        """Run the background tasks, and write everything at the end. The service starts without the database too."""
        stop = asyncio.Event()
        worker = WebhookWorker(self.watching.webhooks, self.watching.sender, companies)
        prepared = asyncio.create_task(self._background.attempt("database", "accounts", self.prepare))
        await asyncio.wait({prepared}, timeout=PATIENCE)
        work = asyncio.create_task(self._work(stop, worker, prepared))
        yield
        stop.set()
        worker.ended.set()
        flush = partial(asyncio.to_thread, self.usage.flush)
        # Before, because a task may outlast this process, as with a slow mail server; after, what it could not write.
        await self._background.attempt("usage", "accounts", flush)
        await work
        await self._background.attempt("usage", "accounts", flush)
        await worker.close()
        if isinstance(self.limiter, RedisRateLimiter):
            await self.limiter.close()
        self.store.close()

    async def prepare(self) -> None:
        """Read the secret, migrate the tables and check that they belong to it. Raises what keeps them from being used.

        Without its secret every key would be unknown: the accounts are unavailable until it is back.
        """
        self.store.foreign = True  # until it is known to be that of before
        secret = await asyncio.to_thread(self._read_secret)
        store = Store(self._url)
        try:
            birth = await asyncio.to_thread(migrate_own, store, self._birth)
            await asyncio.to_thread(check_deployment, store, secret.deployment)
        finally:
            store.close()
        self._secret.assume(secret)
        self.store.reopen(birth)

    async def _follow_database(self) -> None:
        """Look whether the database is still the same one, and again at another one, or one that could not be written.

        A new one is not made in the place of one that was moved: it would take the log of writes that is beside it.
        """
        if not (self.store.foreign or self.store.is_moved()):
            await asyncio.to_thread(self.store.look)
        if self.store.foreign or self.store.is_moved():
            if not self.store.is_there():
                raise Invalid("accounts-lost", file=str(self._birth))
            await self.prepare()
        elif self.store.write_failed:
            await asyncio.to_thread(self.store.try_write)

    async def _work(self, stop: asyncio.Event, worker: WebhookWorker, prepared: Awaitable[bool]) -> None:
        """Wait for the tables; then refresh grants, write usage, send what waits, reconcile payments, clean up."""
        while not await prepared and not stop.is_set():
            await pause(stop, FLUSH_EVERY)
            prepared = self._background.attempt("database", "accounts", self.prepare)
        tasks = (
            Task("database", "accounts", FLUSH_EVERY, self._follow_database),
            Task("revoked-keys", "accounts", REFRESH_EVERY, self.grants.refresh),
            Task("usage", "accounts", FLUSH_EVERY, self.usage.flush),
            Task("mail", "mail", FLUSH_EVERY, self.mail_sender.send_due),
            Task("changes", "webhooks", FLUSH_EVERY, worker.queue_changes),
            Task("webhooks", "webhooks", FLUSH_EVERY, worker.send_due, worker.ended),
            Task("payments", "billing", RECONCILE_EVERY, self.subscriptions.reconcile),
            Task("plans", "plans", RECONCILE_EVERY, self.subscriptions.check_plans),
            Task("expiry", "accounts", RECONCILE_EVERY, partial(delete_expired, self.store)),
        )
        await self._background.run(tasks, stop)
