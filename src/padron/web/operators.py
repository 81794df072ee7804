"""The page of operators: what `padron accounts` does to one account, for holders with the role and a second factor.

Only a command gives the role. Every look at an account and every act is a line of the audit log with the operator's own
account (`ordered-…`), written before it is done; the act has the same line as that of the command.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs

from padron import threads
from padron.accounts import admin
from padron.accounts.keys import WantedKey
from padron.accounts.store import Store, fold_address
from padron.api.account import days
from padron.api.account_model import KeyMade, key_shown, moment
from padron.errors import Denied, Invalid, NotFound, messages
from padron.transport.bodies import refuse_nul
from padron.web.account import AccountPage, Action, FormResult, PageRequest
from padron.words import N_, translate

DONE: Final = N_("Done.")
_LINES: Final = 50
"""Lines of the audit log that the page shows."""


async def allow(page: PageRequest) -> None:
    """Raise `Denied("operators-only")`, `Denied("operator-unguarded")` unless the holder is an operator who may act."""
    holder = page.holder
    if not holder.operator or holder.suspended_at is not None:
        raise Denied("operators-only")
    second = await page.request().ask(page.context.second_factors.of, holder.id)
    if second.state != "on":
        raise Denied("operator-unguarded")


def _address(page: PageRequest) -> str:
    """The address of the account concerned: that of the form, else that in the address of the page."""
    given = parse_qs(page.call.scope["query_string"].decode("latin-1")).get("account", [""])[0]
    address = page.form.get("account") or given
    refuse_nul("account", address)
    return fold_address(address)


async def _order(page: PageRequest, order: str) -> str:
    """Note an order and return the address of the account concerned. Raises `NotFound("account-not-found")`."""
    store, address = page.context.store, _address(page)
    account = await page.request().ask(admin.identify, store, address)
    await page.request().ask(admin.note_order, store, page.holder.id, order, account)
    return address


def _doing(order: str, act: Callable[[Store, str], None]) -> Action:
    """Return the action of a button that does to the account what a command does."""

    async def action(page: PageRequest) -> FormResult:
        address = await _order(page, order)
        await page.request().ask(act, page.context.store, address)
        return FormResult(message=translate(DONE, page.call.language))

    return action


async def create_key(page: PageRequest) -> FormResult:
    """Create a key of the account, shown only once."""
    name = page.form.get("name", "").strip()
    if len(name) > 60:
        raise Invalid("invalid-field", parameter="name", fewest=1, most=60)
    if not name or not name.isprintable():
        raise Invalid("invalid-field", parameter="name")
    address = await _order(page, "create-key")
    account = await page.request().ask(admin.identify, page.context.store, address)
    create = partial(page.context.keys.create, account, WantedKey(name), "operator")
    key, text = await page.request().ask(create)
    return FormResult(shown=KeyMade(key=key_shown(key, page.context.store.now()), api_key=text))


async def delete(page: PageRequest) -> FormResult:
    """Delete the account, whose address is entered once more."""
    if fold_address(page.form.get("confirm", "")) != _address(page):
        raise Invalid("address-differs", parameter="confirm")
    return await _doing("delete", admin.remove)(page)


async def check_plans(page: PageRequest) -> FormResult:
    """Compare the table of plans with the plans in use and the provider's prices."""
    await page.request().ask(admin.note_order, page.context.store, page.holder.id, "check-plans", None)
    faults = await threads.PAYING.call(lambda: list(page.context.subscriptions.plan_faults()))
    sentences = [messages.detail(fault, page.call.language) for fault in faults]
    return FormResult(message=" ".join(sentences) or translate(N_("The plans agree."), page.call.language))


async def values(page: PageRequest) -> dict[str, Any]:
    """Values of the page: the account looked at with its usage, and the latest lines of the audit log."""
    store, address = page.context.store, _address(page)
    looked, used = None, []
    with suppress(NotFound):
        looked = await page.request().ask(admin.show, store, address) if address else None
    if looked is not None:
        await page.request().ask(admin.note_order, store, page.holder.id, "show", looked.id)
        used = await days(page.context.usage, looked.id)
    lines = await page.request().ask(admin.read_audit, store, looked and looked.id, None, _LINES)
    return {
        "address": address,
        "looked": looked,
        "used": used,
        "lines": [line._asdict() | {"at": moment(line.at)} for line in lines],
    }


PAGES: Final = {
    "operator": AccountPage(
        values,
        {
            "create-key": create_key,
            "suspend": _doing("suspend", admin.suspend),
            "resume": _doing("resume", admin.resume),
            "unlock": _doing("unlock", admin.unlock),
            "resend": _doing("resend", admin.resend),
            "delete": delete,
            "check-plans": check_plans,
        },
        allow=allow,
    )
}
