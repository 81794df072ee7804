"""`GET /api/v1/usage`: what is left of a key's quotas, and what its account used in the past days."""

from __future__ import annotations

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Send

from padron.accounts.keys import Grant
from padron.api import account, v1
from padron.api.v1_model import V1Usage
from padron.transport import headers, inputs
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call


def routes(authenticator: KeyAuthenticator, context: account.AccountContext) -> list[Route]:
    """Return the route, which costs no quota."""

    async def usage(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        inputs.parameters(call.scope["query_string"])
        left = await account.quotas_left(context, grant.account, grant.plan)
        answer = V1Usage(
            plan=grant.plan,
            scopes=sorted(grant.scopes),
            features=sorted(context.plans.plan(grant.plan).features),
            **left,
            history=await account.days(context.usage, grant.account),
        )
        fields = [(b"content-type", b"application/json"), *headers.API, headers.NO_STORE]
        await call.answer(send, 200, fields, msgspec.json.encode(answer))

    return v1.key_routes(authenticator, [v1.KeyRoute(f"{v1.BASE}/usage", usage, None, counted=False)])
