"""Buying a plan: checkout by key, and the payment provider's events."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.keys import Grant
from padron.accounts.subscriptions import Subscriptions
from padron.api.account import AccountContext, begin_checkout
from padron.api.account_model import BuyPlan
from padron.api.v1 import KeyRoute, key_routes
from padron.transport import headers, inputs
from padron.transport.auth import KeyAuthenticator
from padron.transport.bodies import MOST_OF_EVENT, read_bytes, read_json
from padron.transport.call import Call
from padron.transport.headers import Header

CHECKOUT: Final = "/api/subscriptions/checkout"
EVENTS: Final = "/api/subscriptions/events"

_JSON: Header = (b"content-type", b"application/json")


def routes(context: AccountContext, authenticator: KeyAuthenticator) -> list[Route]:
    """Checkout and events."""

    async def checkout(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        inputs.parameters(call.scope["query_string"])
        body = await read_json(call, receive, BuyPlan)
        begun = await begin_checkout(context, call, grant.account, body.plan_id)
        fields = [_JSON, *headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        await call.answer(send, 201, fields, msgspec.json.encode(begun))

    route = KeyRoute(CHECKOUT, checkout, "checkout", counted=False, methods=("POST",))
    return [*key_routes(authenticator, [route]), Route(EVENTS, Events(context.subscriptions), methods=["POST"])]


class Events:
    """The endpoint for events of the payment provider, authenticated by their signature."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self._subscriptions = subscriptions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 204 if the event has been applied, now or before."""
        call = Call.of(scope)
        body = await read_bytes(call, receive, MOST_OF_EVENT)
        signature = call.given.get(b"stripe-signature", call.given.get(b"padron-signature", b""))
        await threads.EVENTS.call(self._subscriptions.receive, body, signature.decode("latin-1"))
        await call.answer(send, 204, [headers.NO_STORE], b"")
