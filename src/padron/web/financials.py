"""The financial history of a company, as charts and a table, for plans that include it. Never cached."""

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
from padron.web.site import PageResponse, Redirect, Site, page_address

DRAWN: Final = ("revenue", "netProfit", "assets", "equity")
"""Figures that get a chart, if two years or more have them."""


class Bar(NamedTuple):
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
    columns: tuple[Bar, ...]


def draw_charts(statements: list[Statement]) -> list[Chart]:
    """Return a chart for each figure of `DRAWN`: one statement per year, of the scope and currency most years have."""
    if not statements:
        return []
    kinds = [(statement.scope, statement.currency) for statement in statements]
    kind = max(dict.fromkeys(kinds), key=kinds.count)
    years = {
        statement.fiscal_year: statement
        for statement in reversed(statements)
        if (statement.scope, statement.currency) == kind
    }
    charts = []
    for key in DRAWN:
        stated = [
            (year, figure.label, Decimal(figure.amount))
            for year, statement in sorted(years.items())
            for figure in statement.figures
            if figure.key == key
        ]
        if len(stated) > 1:
            charts.append(_chart(stated, kind[1]))
    return charts


def _chart(stated: list[tuple[int, str, Decimal]], currency: str) -> Chart:
    amounts = [amount for _, _, amount in stated]
    high, low = max(Decimal(0), *amounts), min(Decimal(0), *amounts)
    span = (high - low) or Decimal(1)
    zero = float(high / span * 100)
    columns = tuple(
        Bar(
            year,
            amount,
            round(float((high - max(amount, Decimal(0))) / span * 100), 2),
            round(float(abs(amount) / span * 100), 2),
            amount < 0,
        )
        for year, _, amount in stated
    )
    return Chart(stated[0][1], currency, round(zero, 2), columns)


class FinancialsPage:
    """The page as an ASGI application."""

    def __init__(self, site: Site, entry: Entry, context: AccountContext, of: Language) -> None:
        self._site = site
        self._entry = entry
        self._context = context
        self._language = of
        self._prefix = addresses.PAGES["financials"].of(of).split("/{")[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the page: with the figures if the plan includes them, else with how to get access."""
        call = Call.of(scope)
        call.language = self._language
        call.headers.append((b"x-robots-tag", b"noindex"))
        directory = await self._entry.admit(call)
        await send_document(call, send, await self._respond(call, directory), [])

    async def _respond(self, call: Call, directory: Directory) -> PageResponse | Redirect:
        try:
            country, rest = inputs.company_path(call.scope["raw_path"], self._prefix)
        except Invalid as error:
            raise NotFound("no-such-address") from error
        detail = (await directory.details(country, rest.rpartition("/")[0], self._language)).detail
        identifier = detail.record.identifier
        here = page_address("financials", country=country, identifier=identifier)
        if call.scope["raw_path"].decode("latin-1") != here.path(self._language):
            return Redirect(here.path(self._language))
        open_to = await self._plan(call)
        statements = await directory.statements(country, identifier, self._language) if open_to == "entitled" else []
        return self._site.page(
            "financials.html",
            self._language,
            here,
            company=facts(detail, self._language),
            open_to=open_to,
            statements=statements,
            charts=draw_charts(statements),
        )

    async def _plan(self, call: Call) -> str:
        """The access of the reader: `nobody` (no session), `account` (a plan without the feature) or `entitled`."""
        try:
            holder = await self._context.session_cookie.holder_of(call)
        except PadronError as error:
            if error.code != "no-session":
                raise
            return "nobody"
        return "entitled" if "financials" in self._context.plans.plan(holder.plan).features else "account"
