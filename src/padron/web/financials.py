"""The financial history of a company, drawn and as a table, for account holders whose plan has it. Never stored."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

from starlette.types import Receive, Scope, Send

from padron.api.account import AccountContext
from padron.directory import Directory
from padron.errors import Invalid, NotFound, PadronError
from padron.model import Language, Statement
from padron.transport import inputs
from padron.transport.call import Call
from padron.web import addresses
from padron.web.facts import facts
from padron.web.page import Entry, send_document
from padron.web.site import Document, Moved, Site, place

DRAWN: Final = ("revenue", "netProfit", "assets", "equity")
"""Figures that get a chart, where two years or more state them."""


class Column(NamedTuple):
    """One year of a chart, in the units of its viewBox (0 to 100 high); `below` marks a loss."""

    year: int
    amount: Decimal
    top: float
    height: float
    below: bool


class Chart(NamedTuple):
    """A figure over the years."""

    label: str
    currency: str
    zero: float
    columns: tuple[Column, ...]


def charts(statements: list[Statement]) -> list[Chart]:
    """A chart for each figure of `DRAWN`: one statement a year, of the scope and currency most years have."""
    if not statements:
        return []
    kinds = [(statement.scope, statement.currency) for statement in statements]
    kind = max(dict.fromkeys(kinds), key=kinds.count)
    years = {one.fiscal_year: one for one in reversed(statements) if (one.scope, one.currency) == kind}
    found = []
    for key in DRAWN:
        stated = [
            (year, figure.label, Decimal(figure.amount))
            for year, statement in sorted(years.items())
            for figure in statement.figures
            if figure.key == key
        ]
        if len(stated) > 1:
            found.append(_chart(stated, kind[1]))
    return found


def _chart(stated: list[tuple[int, str, Decimal]], currency: str) -> Chart:
    amounts = [amount for _, _, amount in stated]
    high, low = max(Decimal(0), *amounts), min(Decimal(0), *amounts)
    span = (high - low) or Decimal(1)
    zero = float(high / span * 100)
    columns = tuple(
        Column(
            year,
            amount,
            round(float((high - max(amount, Decimal(0))) / span * 100), 2),
            round(float(abs(amount) / span * 100), 2),
            amount < 0,
        )
        for year, _, amount in stated
    )
    return Chart(stated[0][1], currency, round(zero, 2), columns)


class Financials:
    """The page as an ASGI application."""

    def __init__(self, site: Site, entry: Entry, context: AccountContext, of: Language) -> None:
        self._site = site
        self._entry = entry
        self._context = context
        self._language = of
        self._prefix = addresses.PAGES["financials"].of(of).split("/{")[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the page: the figures to those who may see them, to others what it takes."""
        call = Call.of(scope)
        call.language = self._language
        call.headers.append((b"x-robots-tag", b"noindex"))
        directory = await self._entry.admit(call)
        await send_document(call, send, await self._made(call, directory), [])

    async def _made(self, call: Call, directory: Directory) -> Document | Moved:
        try:
            country, rest = inputs.company_path(call.scope["raw_path"], self._prefix)
        except Invalid as error:
            raise NotFound("no-such-address") from error
        found = (await directory.details(country, rest.rpartition("/")[0], self._language)).detail
        identifier = found.record.identifier
        here = place("financials", country=country, identifier=identifier)
        if call.scope["raw_path"].decode("latin-1") != here.path(self._language):
            return Moved(here.path(self._language))
        open_to = await self._plan(call)
        statements = await directory.statements(country, identifier, self._language) if open_to == "entitled" else []
        return self._site.page(
            "financials.html",
            self._language,
            here,
            company=facts(found, self._language),
            open_to=open_to,
            statements=statements,
            charts=charts(statements),
        )

    async def _plan(self, call: Call) -> str:
        """`nobody` without a session, `account` whose plan lacks the feature, `entitled`."""
        try:
            holder = await self._context.session_cookie.holder_of(call)
        except PadronError as error:
            if error.code != "no-session":
                raise
            return "nobody"
        return "entitled" if "financials" in self._context.plans.plan(holder.plan).features else "account"
