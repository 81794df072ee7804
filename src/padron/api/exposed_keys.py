"""Keys that somebody found where others can read them: reported by scanners for secrets, told to their owners by mail.

A report is the key itself, so it needs no signature: whoever sends a key has it. The answer is the same whether a key
exists or not, and nothing but the key is read, so that a report states where it was found to nobody.
"""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.keys import is_key
from padron.accounts.rate_limits import Quota, QuotaRequest
from padron.api.account import AccountContext
from padron.errors import Invalid, Limited
from padron.transport import headers
from padron.transport.bodies import read_bytes
from padron.transport.call import Call
from padron.transport.client_limits import client_of

PATH: Final = "/api/keys/exposed"
MOST_BYTES: Final = 262_144
"""Bytes of a report, at most: a thousand keys with the addresses where they were found. As many empty objects as four
times that holds take a tenth of a second, in which nothing else runs."""
REPORTING: Final = Quota("exposed-keys", 60, 3_600)
"""Reports from one network address."""


class ExposedKeys:
    """The endpoint for reports: a JSON array of objects with the key in `token`; whatever else is in it is ignored."""

    def __init__(self, context: AccountContext) -> None:
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 204, whether the keys exist or not."""
        call, context = Call.of(scope), self._context
        if context.limiter is not None:
            (state,) = await context.limiter.take([QuotaRequest(REPORTING, client_of(call, context.trusted))])
            if not state.granted:
                raise Limited("too-many-attempts", retry_after=state.reset)
        report = await read_bytes(call, receive, MOST_BYTES)
        await threads.REPORTING.call_for(client_of(call, context.trusted), self._notify, report)
        await call.answer(send, 204, [headers.NO_STORE], b"")

    def _notify(self, report: bytes) -> None:
        try:
            reported = msgspec.json.decode(report, type=list[object])
        except (ValueError, RecursionError) as error:
            raise Invalid("bad-report") from error
        tokens = [exposed.get("token") for exposed in reported if isinstance(exposed, dict)]
        texts = {token for token in tokens if isinstance(token, str)}
        if reported and not texts:
            raise Invalid("bad-report")
        self._context.keys.leaked({text for text in texts if is_key(text)}, "exposed")


def routes(context: AccountContext) -> list[Route]:
    """Return the route of reports."""
    return [Route(PATH, ExposedKeys(context), methods=["POST"])]
