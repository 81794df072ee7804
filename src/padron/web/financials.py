"""The financial history of a company, as charts and a table, for plans that include it. Never cached."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.sessions import AccountHolder
from padron.api import financials
from padron.api.account import AccountContext, count_answer
from padron.api.growth_and_ratios import with_growth_and_ratios
from padron.companies.company import Record
from padron.companies.model import Statement
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import Invalid, NotFound, PadronError
from padron.transport import inputs
from padron.transport.call import Call
from padron.web import addresses
from padron.web.charts import charts_of, matrix_of, outlines_of, series_of
from padron.web.facts import facts
from padron.web.page import Entry, send_document
from padron.web.site import PageResponse, Redirect, Site, page_address
from padron.web.workbook import workbook
from padron.words import Language

FILES: Final = (".csv", ".xlsx")
"""Endings of the address that ask for the statements as a file."""
_XLSX: Final = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


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
        identifier, _, last = rest.rpartition("/")
        ending = next((ending for ending in FILES if last.endswith(ending)), "")
        detail = (await directory.details(country, identifier, self._language)).detail
        record = detail.record
        here = page_address("financials", country=country, identifier=record.identifier)
        holder = await self._holder(call)
        open_to = self._open_to(holder, record)
        if call.scope["raw_path"].decode("latin-1") != here.path(self._language) + ending:
            return Redirect(here.path(self._language) + ending)
        if holder is not None and open_to == "entitled":
            await count_answer(self._context, call, holder, self._site.base_url)
        statements = await directory.statements(country, record.identifier, self._language)
        if ending and open_to != "entitled":
            return Redirect(here.path(self._language), 303)
        if ending:
            return await self._file(record, statements, ending)
        company = facts(detail, self._language)
        if open_to != "entitled":
            return self._site.page(
                "financials.html",
                self._language,
                here,
                outlines=outlines_of(statements),
                company=company,
                open_to=open_to,
                is_sample=_is_sample(record),
                samples=await self._samples(directory),
            )
        every = series_of(with_growth_and_ratios(statements, self._language))
        return self._site.page(
            "financials.html",
            self._language,
            here,
            statements=statements,
            drawn=[(series, charts_of(series, self._language), matrix_of(series, self._language)) for series in every],
            company=company,
            open_to=open_to,
        )

    async def _file(self, company: Record, statements: list[Statement], ending: str) -> PageResponse:
        name = f"padron-{company.country_code.lower()}-{company.identifier}{ending}"
        fields = ((b"content-disposition", f'attachment; filename="{name}"'.encode("ascii", "replace")),)
        if ending == ".csv":
            media, body = financials.encode(company, statements, None, self._language, b"text/csv")
            return PageResponse(media, body, fields=fields)
        every = series_of(with_growth_and_ratios(statements, self._language))
        return PageResponse(_XLSX, await threads.FILES.call(workbook, every, self._language), fields=fields)

    async def _holder(self, call: Call) -> AccountHolder | None:
        """Return the holder of the session of a reader; None without one."""
        try:
            return await self._context.session_cookie.holder_of(call)
        except PadronError as error:
            if error.code != "no-session":
                raise
            return None

    def _open_to(self, holder: AccountHolder | None, company: Record) -> str:
        """The access of the reader: `nobody` (no session), `account` (a plan without the feature) or `entitled`.

        To the sample of its country every account is entitled.
        """
        if holder is None:
            return "nobody"
        has_feature = "financials" in self._context.plans.plan(holder.plan).features
        return "entitled" if has_feature or _is_sample(company) else "account"

    async def _samples(self, directory: Directory) -> list[Record]:
        """The companies whose statements every account may read; one that the release does not hold is left out."""
        held = []
        for country in REGISTRY.values():
            if country.open_statements:
                with suppress(NotFound):
                    held.append((await directory.get(country.code, country.open_statements, self._language)).record)
        return held


def _is_sample(company: Record) -> bool:
    return REGISTRY[company.country_code].open_statements == company.identifier
