"""Buying a plan: checkout by key, the payment provider's events, and the pages of the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape
from typing import Final, get_args
from urllib.parse import parse_qs

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.accounts.keys import Grant
from padron.accounts.plans import Plans
from padron.accounts.sandbox import Move, Sandbox
from padron.accounts.subscriptions import Subscriptions
from padron.api import inputs
from padron.api.account import Office, begin_checkout
from padron.api.account_model import BuyPlan
from padron.api.bodies import MOST_OF_EVENT, raw, read
from padron.api.v1 import Room, guarded
from padron.errors import Invalid, NotFound
from padron.http import headers
from padron.http.auth import Gate, Sessions
from padron.http.call import Call
from padron.http.headers import Header
from padron.model import Language, Text

CHECKOUT: Final = "/api/subscriptions/checkout"
EVENTS: Final = "/api/subscriptions/events"

_JSON: Header = (b"content-type", b"application/json")
_PAGE: tuple[Header, ...] = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; form-action 'self'; frame-ancestors 'none'"),
    headers.NO_STORE,
)


def routes(office: Office, gate: Gate) -> list[Route]:
    """Checkout and events; with the sandbox its pages too."""

    async def checkout(call: Call, grant: Grant, receive: Receive, send: Send) -> None:
        inputs.parameters(call.scope["query_string"])
        body = await read(call, receive, BuyPlan)
        begun = await begin_checkout(office, call, grant.account, body.plan_id)
        fields = [_JSON, *headers.API, headers.NO_STORE, (b"content-language", call.language.encode())]
        await call.answer(send, 201, fields, msgspec.json.encode(begun))

    room = Room(CHECKOUT, checkout, "checkout", counted=False, methods=("POST",))
    return [*guarded(gate, [room]), Route(EVENTS, Events(office.subscriptions), methods=["POST"])]


class Events:
    """Where the payment provider tells what happened; its signature is what opens this door."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self._subscriptions = subscriptions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """204 when the event has been acted upon, now or before."""
        call = Call.of(scope)
        body = await raw(call, receive, MOST_OF_EVENT)
        signature = call.given.get(b"stripe-signature", call.given.get(b"padron-signature", b""))
        await asyncio.to_thread(self._subscriptions.receive, body, signature.decode("latin-1"))
        await call.answer(send, 204, [headers.NO_STORE], b"")


def sandbox_routes(sandbox: Sandbox, subscriptions: Subscriptions, plans: Plans, sessions: Sessions) -> list[Route]:
    """The pages of the sandbox: pay or not, and later cancel, fail or mend the payment."""

    def page(moves: tuple[Move, ...], heading: Text) -> Callable[[Scope, Receive, Send], object]:
        return Page(sandbox, subscriptions, plans, sessions, moves, heading)

    pay = Text("Pago de prueba", "Test payment")
    manage = Text("Suscripción de prueba", "Test subscription")
    return [
        Route("/sandbox/checkout/{reference}", page(("complete", "abandon"), pay), methods=["GET", "POST"]),
        Route("/sandbox/portal/{reference}", page(("cancel", "fail", "pay"), manage), methods=["GET", "POST"]),
    ]


class Page:
    """A page of the sandbox: what is bought, and a button for each thing that can be done. No money moves here."""

    def __init__(
        self,
        sandbox: Sandbox,
        subscriptions: Subscriptions,
        plans: Plans,
        sessions: Sessions,
        moves: tuple[Move, ...],
        heading: Text,
    ) -> None:
        self._sandbox = sandbox
        self._subscriptions = subscriptions
        self._plans = plans
        self._sessions = sessions
        self._moves = moves
        self._heading = heading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Show the page, having done first what its form asks."""
        call = Call.of(scope)
        given = inputs.parameters(scope["query_string"], ("language",))
        language: Language = "en" if given.get("language", call.language) == "en" else "es"
        reference = scope["path_params"]["reference"]
        if scope["method"] == "POST":
            self._sessions.same_site(call)
            form = parse_qs((await raw(call, receive)).decode("latin-1"))
            await asyncio.to_thread(self._do, reference, form.get("move", [""])[0])
        state = await asyncio.to_thread(self._show, reference, language)
        fields = [*_PAGE, (b"content-language", language.encode())]
        await call.answer(send, 200, fields, state.encode())

    def _do(self, reference: str, move: str) -> None:
        """Change the books of the sandbox, then let its event in by the door that all events take."""
        if move not in get_args(Move) or move not in self._moves:
            raise Invalid("invalid-field", parameter="move")
        self._sandbox.row(reference)
        if event := self._sandbox.move(reference, move):
            self._subscriptions.receive(*event)

    def _show(self, reference: str, language: Language) -> str:
        row = self._sandbox.row(reference)
        if row.plan not in self._plans.by_code:
            raise NotFound("no-such-address")
        plan = self._plans.plan(row.plan)
        price = f"{plan.price / 100:.2f} {self._plans.currency}"
        buttons = "".join(
            f'<button name="move" value="{move}">{_BUTTONS[move].of(language)}</button> ' for move in self._moves
        )
        state = _ENDING if row.ending and row.state != "ended" else _STATES[row.state]
        return _HTML.format(
            language=language,
            heading=self._heading.of(language),
            plan=escape(plan.name.of(language)),
            price=price,
            state=state.of(language),
            buttons=buttons,
            note=_NOTE.of(language),
        )


_HTML: Final = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{heading} · Padrón</title>
<main><h1>{heading}</h1><p>Padrón {plan}: {price}</p><p role="status">{state}</p>
<form method="post">{buttons}</form><p><small>{note}</small></p></main></html>
"""
_NOTE: Final = Text("Aquí no se mueve dinero.", "No money moves here.")
_ENDING: Final = Text("Cancelada: sigue hasta el final del período.", "Cancelled: it stays until the period ends.")
_STATES: Final = {
    "open": Text("Pendiente de pago.", "Waiting for payment."),
    "active": Text("Pagada.", "Paid."),
    "past_due": Text("El último pago falló.", "The last payment failed."),
    "ended": Text("Terminada.", "Ended."),
    "cancelled": Text("Anulada sin pagar.", "Abandoned without payment."),
}
_BUTTONS: Final[dict[str, Text]] = {
    "complete": Text("Pagar", "Pay"),
    "abandon": Text("No pagar", "Do not pay"),
    "cancel": Text("Cancelar la suscripción", "Cancel the subscription"),
    "fail": Text("Simular un pago fallido", "Let a payment fail"),
    "pay": Text("Pagar lo pendiente", "Pay what is due"),
}
