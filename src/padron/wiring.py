"""The authenticated side put together: the rooms of accounts, their routes, and what runs beside the requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Send

from padron.accounts import plans as plan_table
from padron.accounts.billing import Provider, Stripe
from padron.accounts.keys import Grant, Keys, Memory
from padron.accounts.mail import Mailroom, post_of
from padron.accounts.rate_limits import Distributed, Shared, Windows
from padron.accounts.sandbox import Sandbox
from padron.accounts.secret import Secret, secret_of
from padron.accounts.sessions import People
from padron.accounts.store import Store
from padron.accounts.subscriptions import Subscriptions
from padron.accounts.tidying import tidy
from padron.accounts.usage import Usage
from padron.api import account, billing, inputs, v1
from padron.api.operations import account_document, public_document, v1_document
from padron.api.public import Description
from padron.api.v1_model import V1Usage
from padron.config import Settings
from padron.errors import PadronError, Unavailable
from padron.transport import headers
from padron.transport.auth import Gate, Sessions
from padron.transport.call import Call

LOOK_EVERY: Final = 0.4
"""Seconds between two looks at what was revoked: the rest of a second is for answering under load."""
FLUSH_EVERY: Final = 1.0
RECONCILE_EVERY: Final = 3_600.0

Told = Callable[[str, str | None], None]
"""Takes what operators are told: a part (`limits`, `accounts`, `mail`, `billing`) and its fault; None: well again."""


class Members:
    """Accounts, keys, plans and v1 of one worker. In the file `counters` the workers of a machine count together."""

    def __init__(self, settings: Settings, told: Told, counters: Path | None = None) -> None:
        base_url = settings.base_url
        settings.data.mkdir(parents=True, exist_ok=True)
        self.plans = plan_table.read_plans(settings.accounts.plans or plan_table.BUNDLED)
        secret = Secret(settings.accounts.secret) if settings.accounts.secret else secret_of(settings.data)
        self.store = Store(settings.accounts.url or f"sqlite:///{settings.data / 'accounts.sqlite'}")
        self.keys = Keys(self.store, secret, self.plans)
        self.people = People(self.store, secret)
        self.usage = Usage(self.store)
        self._provider = provider_of(settings, self.store, secret, self.plans)
        self.subscriptions = Subscriptions(self.store, secret, self.plans, self._provider)
        self.memory = Memory(self.keys, self.store)
        self.windows = windows_of(settings, counters, told)
        post = post_of(settings.mail.url, settings.data / "mail")
        self.mailroom = Mailroom(self.store, self.people, post, settings.mail.sender, base_url)
        trusted = settings.server.trusted_proxies
        self.sessions = Sessions(self.people, base_url)
        self.gate = Gate(self.keys, self.memory, self.plans, self.usage, self.windows, trusted, base_url)
        self.office = account.Office(
            self.store,
            self.people,
            self.keys,
            self.usage,
            self.plans,
            self.subscriptions,
            self.sessions,
            self.windows,
            trusted,
            lambda address: secret.digest("throttle", address),
        )
        self._base_url = base_url
        self._told = told

    @property
    def sandbox(self) -> Sandbox | None:
        """The payment provider where that is the sandbox: its pages have to be served too."""
        return self._provider if isinstance(self._provider, Sandbox) else None

    def routes(self, companies: Callable[[], v1.Companies]) -> list[Route]:
        """Every route of the authenticated side, the busiest first."""
        documents = {"/api/public": public_document, v1.BASE: v1_document, account.BASE: account_document}
        usage = v1.Room(f"{v1.BASE}/usage", self._usage, None, counted=False)
        return [
            *v1.routes(self.gate, companies, self._base_url),
            *v1.guarded(self.gate, [usage]),
            *(
                Route(f"{base}/openapi.json", Description(partial(document, self._base_url)), methods=["GET"])
                for base, document in documents.items()
            ),
            *account.routes(self.office),
            *billing.routes(self.office, self.gate),
        ]

    async def _usage(self, call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        """`V1Usage` of the key's account."""
        inputs.parameters(call.scope["query_string"])
        minute, day = await account.windows_left(self.office, grant.account, grant.plan)
        answer = V1Usage(
            plan=grant.plan,
            scopes=sorted(grant.scopes),
            features=sorted(self.plans.plan(grant.plan).features),
            minute=minute,
            day=day,
            history=await account.days(self.usage, grant.account),
        )
        fields = [(b"content-type", b"application/json"), *headers.API, headers.NO_STORE]
        await call.answer(send, 200, fields, msgspec.json.encode(answer))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work beside the requests, and all written at the end. A database that is down keeps nobody from starting."""
        ready = await self._prepare()
        stop = asyncio.Event()
        work = asyncio.create_task(self._work(stop, ready=ready))
        yield
        stop.set()
        await work
        with suppress(Unavailable):
            await asyncio.to_thread(self.usage.flush)
        if isinstance(self.windows, Distributed):
            await self.windows.close()
        self.store.close()

    async def _prepare(self) -> bool:
        """Bring the tables up to date; whether that could be done."""
        try:
            await asyncio.to_thread(self.store.migrate)
        except Unavailable:
            return False
        return True

    async def _work(self, stop: asyncio.Event, *, ready: bool) -> None:
        """Once there are tables: look for revocations, write usage, send mail, ask about payments, tidy up."""
        if not ready:
            self._told("accounts", "accounts-unavailable")
            while not stop.is_set() and not await self._prepare():
                await _pause(stop, FLUSH_EVERY)
            self._told("accounts", None)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat(stop, "accounts", LOOK_EVERY, self.memory.look))
            group.create_task(self._repeat(stop, "accounts", FLUSH_EVERY, self.usage.flush))
            group.create_task(self._repeat(stop, "mail", FLUSH_EVERY, self.mailroom.send_due))
            group.create_task(self._repeat(stop, "billing", RECONCILE_EVERY, self.subscriptions.reconcile))
            group.create_task(self._repeat(stop, "accounts", RECONCILE_EVERY, partial(tidy, self.store)))

    async def _repeat(self, stop: asyncio.Event, part: str, seconds: float, act: Callable[[], object]) -> None:
        """Do `act` now and every so many seconds; what goes wrong is told once, and it is tried again."""
        told: str | None = None
        while not stop.is_set():
            wrong: str | None = None
            try:
                await asyncio.to_thread(act)
            except PadronError as error:
                wrong = error.code
            except Exception as error:  # whatever one of them breaks on, the next time comes: above all for revocations
                wrong = type(error).__name__
            if wrong != told:
                self._told(part, wrong)
                told = wrong
            await _pause(stop, seconds)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait, but not beyond the end: what runs in a thread is never cut off half-way, only not begun again."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def provider_of(settings: Settings, store: Store, secret: Secret, plans: plan_table.Plans) -> Provider | None:
    """Who takes the money, None: nobody does."""
    billing = settings.billing
    here = urlsplit(settings.base_url).hostname in {"127.0.0.1", "::1", "localhost"}
    name = billing.chosen or ("sandbox" if here else "none")
    if name == "sandbox":
        return Sandbox(store, secret, settings.base_url)
    if name == "none":
        return None
    key, webhook_secret = billing.stripe_key, billing.stripe_webhook_secret
    assert key, "config.load lets Stripe through only with both secrets"
    assert webhook_secret
    return Stripe(key, webhook_secret, billing.stripe_url, plans, settings.base_url)


def windows_of(settings: Settings, counters: Path | None, told: Told) -> Windows | None:
    """Where requests are counted; None where limits are switched off."""
    if not settings.limits.enabled:
        return None
    shared = Shared(counters)
    if settings.limits.url is None:
        return shared
    return Distributed(
        settings.limits.url, shared, told=lambda lost: told("limits", "redis-unreachable" if lost else None)
    )
