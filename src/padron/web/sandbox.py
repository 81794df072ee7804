"""The pages of the payment sandbox: pay or not, and later cancel, fail or repair the payment. No money is charged."""

from __future__ import annotations

import re
from typing import Final, get_args
from urllib.parse import parse_qs

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.plans import Plan
from padron.accounts.sandbox import Move, Sandbox
from padron.api.account import AccountContext
from padron.errors import Denied, Invalid, NotFound
from padron.transport.bodies import read_bytes
from padron.transport.call import Call
from padron.web.page import send_document
from padron.web.site import HTML, SHELL, PageResponse, Site
from padron.words import Language

_MOVES: Final[dict[str, tuple[Move, ...]]] = {"checkout": ("complete", "abandon"), "portal": ("cancel", "fail", "pay")}
"""Page -> the buttons it may have."""
_LOCAL_HOST: Final = re.compile(rb"(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?", re.IGNORECASE)
_FORWARDED: Final = frozenset({
    b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip",
})  # fmt: skip
"""Header fields that proxies add to a request."""


class SandboxPage:
    """A page of the sandbox: the purchase, and a button for each possible action."""

    def __init__(self, site: Site, sandbox: Sandbox, context: AccountContext, page: str) -> None:
        self._site = site
        self._sandbox = sandbox
        self._context = context
        self._moves = _MOVES[page]
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Perform the action of the form, if one was sent, and show the page."""
        call = Call.of(scope)
        if self._sandbox.local:
            _check_local(call)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("language", [call.language])[0]
        call.language = "en" if given == "en" else "es"
        reference: str = scope["path_params"]["reference"]
        if scope["method"] == "POST":
            self._context.session_cookie.check_same_site(call)
            form = parse_qs((await read_bytes(call, receive)).decode("latin-1"))
            await threads.ACCOUNTS.call(self._do, reference, form.get("move", [""])[0])
        body = await threads.ACCOUNTS.call(self._render, reference, call.language)
        await send_document(call, send, PageResponse(HTML, body, 200, SHELL), [])

    def _do(self, reference: str, move: str) -> None:
        """Change the state of the sandbox, then deliver its event as the payment provider would."""
        chosen = next((known for known in get_args(Move) if known == move and known in self._moves), None)
        if chosen is None:
            raise Invalid("invalid-field", parameter="move")
        self._sandbox.row(reference)
        if event := self._sandbox.move(reference, chosen):
            self._context.subscriptions.receive(*event)

    def _render(self, reference: str, of: Language) -> bytes:
        row = self._sandbox.row(reference)
        plans = self._context.plans
        if row.plan not in plans.by_code:
            raise NotFound("no-such-address")
        plan: Plan = plans.plan(row.plan)
        return self._site.render(
            "sandbox.html",
            of,
            here=None,
            page=self._page,
            plan=plan.name.of(of),
            price=(plan.yearly_price or 0 if row.period == "year" else plan.price) / 100,
            period=row.period,
            currency=plans.currency,
            state="ending" if row.ending and row.state != "ended" else row.state,
            moves=self._moves,
        )


def _check_local(call: Call) -> None:
    """Raise `Denied("sandbox-local")` for a request that names another host or came through a proxy."""
    if not _LOCAL_HOST.fullmatch(call.given.get(b"host", b"")) or not _FORWARDED.isdisjoint(call.given):
        raise Denied("sandbox-local")


def routes(site: Site, sandbox: Sandbox, context: AccountContext) -> list[Route]:
    """Return the routes of checkout and portal.

    Returns:
        One route per page.
    """
    return [
        Route(f"/sandbox/{page}/{{reference}}", SandboxPage(site, sandbox, context, page), methods=["GET", "POST"])
        for page in _MOVES
    ]
