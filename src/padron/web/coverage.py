"""Pages about the release: its coverage by country and source, its state; and the pages with fixed content."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Final

from padron.accounts.cleanup import RETENTION
from padron.accounts.plans import Plans
from padron.api.account_model import plans_shown
from padron.companies.company import Record
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.directory import Directory
from padron.errors import NotFound
from padron.transport.call import Call
from padron.web import addresses, match_list
from padron.web.json_ld import country_graph
from padron.web.page import Handler
from padron.web.site import PageResponse, Redirect, Site, page_address
from padron.words import Language

RELIABILITY: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("reliability.json").read_text("utf-8"))
"""The last kept evaluation, written by `make docs`."""


class CountryPage:
    """The pages of countries in one language."""

    def __init__(self, site: Site, of: Language) -> None:
        self._site = site
        self._language = of

    async def country(self, call: Call, directory: Directory) -> PageResponse | Redirect:
        """Return the page of a country: its identifiers, its sources, some of its companies."""
        given = call.scope["path_params"]["country"]
        country = REGISTRY.get(given.upper())
        coverage = directory.coverage()
        covered = next((part for part in coverage.countries if part.country_code == given.upper()), None)
        if country is None or covered is None:
            raise NotFound("no-such-address")
        if given != given.lower():
            return Redirect(addresses.path("country", self._language, country=given))
        return self._site.page(
            "country.html",
            self._language,
            page_address("country", country=country.code),
            country=country,
            covered_country=covered,
            coverage=coverage,
            examples=await self._examples(directory, country),
            linked_data=country_graph(country, covered, self._site.base_url, self._language),
        )

    async def _examples(self, directory: Directory, country: Country) -> list[Record]:
        """Well-known companies of a country, each once; a suppressed one is left out."""
        examples: dict[str, Record] = {}
        for _, identifier in country.examples:
            with suppress(NotFound):
                match = await directory.get(country.code, identifier, self._language)
                examples[match.record.identifier] = match.record
        return list(examples.values())


def fixed_pages(
    site: Site, of: Language, plans: Plans, operations: list[dict[str, Any]], seller: str | None
) -> dict[str, Handler]:
    """Return the pages with one fixed address per language.

    Args:
        seller: The name of the payment provider, if there is one.
    """
    values: dict[str, dict[str, Any]] = {
        "coverage": {},
        "browse": {},
        "sources": {},
        "releases": {},
        "status": plans.anonymous._asdict(),
        "confidence": {"evaluation": RELIABILITY, "measured": date.fromisoformat(RELIABILITY["date"])},
        "plans": {"plans": plans_shown(plans, of)},
        "terms": {"plans": plans_shown(plans, of), "since": date.fromisoformat(plans.terms_version)},
        "processors": {"processors": plans.processors, "by_stripe": seller == "stripe"},
        "privacy": {"retention": RETENTION},
        "api": {"operations": operations},
        "libraries": {},
        match_list.PAGE: match_list.values(),
    }

    def answer(name: str) -> Handler:
        async def page(call: Call, directory: Directory) -> PageResponse:
            about = {**values[name], "coverage": directory.coverage(), "bulk": directory.bulk}
            return site.page(f"{name}.html", of, page_address(name), **about)

        return page

    return {name: answer(name) for name in values}
