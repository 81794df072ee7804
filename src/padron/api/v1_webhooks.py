"""`/api/v1/webhooks`: the addresses that are told what changed of a watchlist."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple

from msgspec import UNSET, Meta, UnsetType
from starlette.types import Receive

from padron import threads
from padron.accounts.keys import Grant
from padron.accounts.webhook_sender import URL_LENGTH, Fault, WebhookSender
from padron.accounts.webhooks import LONGEST_OVERLAP, Kind, Message, State, Webhook, Webhooks
from padron.api.account_model import moment
from padron.api.v1_changes import CompanyChange
from padron.companies.model import Wire
from padron.transport import inputs
from padron.transport.bodies import Body, read_json
from padron.transport.call import Call

Url = Annotated[
    str,
    Meta(
        min_length=9,
        max_length=URL_LENGTH,
        pattern="^[\x21-\x7e]+$",
        description="An https address whose host has public addresses only.",
    ),
]
WatchlistId = Annotated[str, Meta(pattern="^wl_[0-9a-f]{24}$", description="Id of the watchlist.")]


class NewWebhook(Body, frozen=True, kw_only=True):
    """A new webhook."""

    url: Url
    watchlist: WatchlistId


class ChangeWebhook(Body, frozen=True, kw_only=True):
    """A change of a webhook; all members are optional."""

    url: Url | UnsetType = UNSET
    enabled: Annotated[bool, Meta(description="Whether messages are sent; they wait while it is off.")] | UnsetType = (
        UNSET
    )


class RotateSecret(Body, frozen=True, kw_only=True):
    """Seconds for which the old secret still signs, beside the new one."""

    overlap_seconds: Annotated[int, Meta(ge=0, le=LONGEST_OVERLAP, description="Seconds.")] = 86_400


class WebhookShown(Wire, frozen=True, kw_only=True):
    """A webhook, without its secret."""

    id: Annotated[str, Meta(description="Id of the webhook.")]
    watchlist: Annotated[str, Meta(description="Id of its watchlist.")]
    url: Annotated[str, Meta(description="Where messages are sent.")]
    created_at: Annotated[datetime, Meta(description="When it was created.")]
    failed_tries: Annotated[int, Meta(description="Tries that failed since the last success.")]
    next_try_at: (
        Annotated[datetime, Meta(description="When the message that failed is sent again; null: none failed.")] | None
    )
    disabled_at: (
        Annotated[datetime, Meta(description="When it was switched off, by its owner or after failures.")] | None
    )


class WebhookMade(Wire, frozen=True, kw_only=True):
    """A webhook with its secret, which is shown only this once."""

    webhook: WebhookShown
    secret: Annotated[str, Meta(description="The secret of the signatures: `whsec_` and base64.")]


class WebhookList(Wire, frozen=True, kw_only=True):
    """The webhooks of the account, the oldest first."""

    webhooks: Annotated[list[WebhookShown], Meta(description="The webhooks.")]


class MessageShown(Wire, frozen=True, kw_only=True):
    """A message, and how its delivery went."""

    id: Annotated[str, Meta(description="Id of the message: `webhook-id`.")]
    type: Annotated[Kind, Meta(description="Type of the event.")]
    state: Annotated[State, Meta(description="`withdrawn`: its companies left the service before it was delivered.")]
    tries: Annotated[int, Meta(description="How often it was sent.")]
    status: Annotated[int, Meta(description="HTTP status of the last answer; null: there was none.")] | None
    fault: (
        Annotated[
            Fault,
            Meta(
                description="Why the last try failed; null: it did not. `not-public`: the host has an address that is "
                "not public. `redirect`: redirects are not followed."
            ),
        ]
        | None
    )
    created_at: Annotated[datetime, Meta(description="When it was queued.")]
    last_try_at: Annotated[datetime, Meta(description="When it was sent last.")] | None


class WebhookContent(Wire, frozen=True, kw_only=True):
    """A webhook and its latest messages, the newest first."""

    webhook: WebhookShown
    messages: Annotated[list[MessageShown], Meta(description="At most 100.")]


class WebhookEventData(Wire, frozen=True, kw_only=True):
    """The content of an event."""

    watchlist: Annotated[str, Meta(description="Id of the watchlist.")]
    changes: Annotated[list[CompanyChange], Meta(description="Changes, the oldest first; none in a test.")]


class WebhookEvent(Wire, frozen=True, kw_only=True):
    """The body of a message to a webhook."""

    type: Annotated[Literal["companies.changed", "webhook.test"], Meta(description="Type of the event.")]
    timestamp: Annotated[datetime, Meta(description="When the message was queued.")]
    data: WebhookEventData


class WebhookRequest(NamedTuple):
    """A request to one of these routes. `end` returns the cursor behind the last change."""

    webhooks: Webhooks
    sender: WebhookSender
    end: Callable[[], Awaitable[str]]
    call: Call
    grant: Grant
    receive: Receive

    @property
    def item(self) -> str:
        """Id of the webhook in the path."""
        return str(self.call.scope["path_params"]["webhook"])


Handler = Callable[[WebhookRequest], Awaitable[object]]


async def create(request: WebhookRequest) -> WebhookMade:
    """Create a webhook; it is told of changes from now on."""
    inputs.parameters(request.call.scope["query_string"])
    body = await read_json(request.call, request.receive, NewWebhook)
    account = request.grant.account
    await threads.ask_accounts(request.grant.account, request.webhooks.check_room, account, body.watchlist)
    await request.sender.check(account, body.url)
    end = await request.end()
    made, secret = await threads.ask_accounts(
        request.grant.account, request.webhooks.create, account, body.watchlist, body.url, end
    )
    return WebhookMade(webhook=shown(made), secret=secret)


async def show_all(request: WebhookRequest) -> WebhookList:
    """Return the webhooks of the account."""
    inputs.parameters(request.call.scope["query_string"])
    held = await threads.ask_accounts(request.grant.account, request.webhooks.of, request.grant.account)
    return WebhookList(webhooks=[shown(webhook) for webhook in held])


async def show(request: WebhookRequest) -> WebhookContent:
    """Return a webhook and its latest messages."""
    inputs.parameters(request.call.scope["query_string"])
    own, sent = await threads.ask_accounts(
        request.grant.account, request.webhooks.get, request.grant.account, request.item
    )
    return WebhookContent(webhook=shown(own), messages=[message_shown(message) for message in sent])


async def change(request: WebhookRequest) -> WebhookShown:
    """Change the address of a webhook, or switch it on or off."""
    inputs.parameters(request.call.scope["query_string"])
    body = await read_json(request.call, request.receive, ChangeWebhook)
    url = None if body.url is UNSET else body.url
    enabled = None if body.enabled is UNSET else body.enabled
    account = request.grant.account
    if url is not None:
        await threads.ask_accounts(request.grant.account, request.webhooks.get, account, request.item)
        await request.sender.check(account, url)
    own = await threads.ask_accounts(
        request.grant.account, request.webhooks.change, account, request.item, url, enabled
    )
    return shown(own)


async def remove(request: WebhookRequest) -> None:
    """Delete a webhook."""
    inputs.parameters(request.call.scope["query_string"])
    await threads.ask_accounts(request.grant.account, request.webhooks.delete, request.grant.account, request.item)


async def rotate(request: WebhookRequest) -> WebhookMade:
    """Make a new secret; the old one signs too until the overlap ends."""
    inputs.parameters(request.call.scope["query_string"])
    body = await read_json(request.call, request.receive, RotateSecret)
    account = request.grant.account
    own, secret = await threads.ask_accounts(
        request.grant.account, request.webhooks.rotate, account, request.item, body.overlap_seconds
    )
    return WebhookMade(webhook=shown(own), secret=secret)


async def test(request: WebhookRequest) -> MessageShown:
    """Queue a test message, unless one waits already."""
    inputs.parameters(request.call.scope["query_string"])
    message = await threads.ask_accounts(
        request.grant.account, request.webhooks.test, request.grant.account, request.item
    )
    return message_shown(message)


ALL: Final[dict[str, tuple[Handler, int]]] = {"GET": (show_all, 200), "POST": (create, 201)}
"""Handlers of `/webhooks` and the status of their answers, by method."""
SINGLE: Final[dict[str, tuple[Handler, int]]] = {"GET": (show, 200), "PATCH": (change, 200), "DELETE": (remove, 204)}
"""Handlers of `/webhooks/{webhook}` and the status of their answers, by method."""
ROTATE: Final[dict[str, tuple[Handler, int]]] = {"POST": (rotate, 200)}
TEST: Final[dict[str, tuple[Handler, int]]] = {"POST": (test, 202)}


def shown(webhook: Webhook) -> WebhookShown:
    """Return a webhook as it is sent."""
    waits = webhook.tries > 0 and webhook.disabled_at is None
    return WebhookShown(
        id=webhook.id,
        watchlist=webhook.watchlist,
        url=webhook.url,
        created_at=moment(webhook.created_at),
        failed_tries=webhook.tries,
        next_try_at=moment(webhook.due_at) if waits else None,
        disabled_at=None if webhook.disabled_at is None else moment(webhook.disabled_at),
    )


def message_shown(message: Message) -> MessageShown:
    """Return a message as its owner sees it."""
    return MessageShown(
        id=message.id,
        type=message.kind,
        state=message.state,
        tries=message.tries,
        status=message.status,
        fault=message.fault,
        created_at=moment(message.created_at),
        last_try_at=None if message.tried_at is None else moment(message.tried_at),
    )
