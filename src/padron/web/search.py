"""Home page, search results, and suggestions while typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import NotFound
from padron.lookup.detail import Detail, DetailedMatch
from padron.lookup.find import SURE
from padron.model import CountryCode, Language
from padron.transport.call import Call
from padron.web import addresses, glossary
from padron.web.facts import shown_identifier
from padron.web.json_ld import site_graph
from padron.web.plain import HIDDEN, plain
from padron.web.site import PageAddress, PageResponse, Redirect, Site, page_address
from padron.words import translate

MOST: Final = 15
"""Results on a page; a longer list is less useful than a more precise query."""
_LONGEST: Final = 256
_FEWEST: Final = 2


_EXAMPLES: Final = [
    {
        "text": search.text,
        "query": {"q": search.text} | ({"country": country.code} if search.in_country else {}),
    }
    for country in REGISTRY.values()
    for search in country.searches
]


class SearchForm(NamedTuple):
    """The fields of the search form; `country` is a code of the registry, or None."""

    q: str
    country: CountryCode | None


def read_form(call: Call) -> SearchForm:
    """Read the form from an address, leniently: unknown parameters are ignored, a long text is cut."""
    given: dict[str, str] = {}
    query = call.scope["query_string"].decode("latin-1")
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        given.setdefault(name, value)
    q = " ".join(HIDDEN.sub(" ", given.get("q", "")).split())[:_LONGEST]
    country = given.get("country", "").upper()
    return SearchForm(q, country if country in REGISTRY else None)


def verdict(results: Sequence[DetailedMatch]) -> str:
    """Classify results: `identifier`, `best`, `ambiguous` (another company fits half as well), `weak`, `nothing`."""
    if not results:
        return "nothing"
    first = results[0].detail.record.confidence or 0.0
    if first >= SURE:
        return "identifier" if first == 1 else "best"
    return "ambiguous" if first - results[0].margin >= first / 2 else "weak"


class SearchPages:
    """The pages that search, in one language."""

    def __init__(self, site: Site, language: Language) -> None:
        self._site = site
        self._language = language

    async def home(self, call: Call, directory: Directory) -> PageResponse | Redirect:
        """Return the home page, or a redirect to the results if the address has a query."""
        form = read_form(call)
        if form.q:
            return Redirect(self._results(form).path(self._language))
        return self._site.page(
            "home.html",
            self._language,
            page_address("home"),
            coverage=directory.coverage(),
            q="",
            chosen=None,
            example_searches=_EXAMPLES,
            linked_data=site_graph(self._site.base_url, self._language),
        )

    async def results(self, call: Call, directory: Directory) -> PageResponse:
        """Return the page of results."""
        form = read_form(call)
        call.q_length = len(form.q)
        answer = None
        if len(form.q) >= _FEWEST:
            answer = await directory.look(form.q, country=form.country, language=self._language, most=MOST)
            call.results = len(answer.results)
        return self._site.page(
            "results.html",
            self._language,
            self._results(form),
            q=form.q,
            chosen=form.country,
            answer=answer,
            verdict=verdict(answer.results) if answer else "unasked",
            hints=[hint.of(self._language) for hint in answer.hints] if answer else [],
            coverage=directory.coverage(),
        )

    async def suggest(self, call: Call, directory: Directory) -> PageResponse:
        """Return a few companies for the text typed so far, as JSON for the search box."""
        form = read_form(call)
        call.q_length = len(form.q)
        companies = []
        if len(form.q) >= _FEWEST:
            try:
                suggested = await directory.suggest(form.q, country=form.country, limit=8, language=self._language)
            except NotFound:  # the number of a natural person: no suggestion and no hint
                return PageResponse(b"application/json", b'{"companies":[]}')
            companies = [self._suggestion(detail) for detail in suggested]
            call.results = len(companies)
        return PageResponse(b"application/json", msgspec.json.encode({"companies": companies}))

    def _suggestion(self, detail: Detail) -> dict[str, Any]:
        """Return a company as the list of suggestions shows it."""
        company, place = detail.record, detail.details.municipality or detail.details.region
        number = f"{company.id_label} {shown_identifier(company)}"
        status = company.status and translate(glossary.STATUS[company.status], self._language)
        facts = (company.country_code, number, place and plain(place, 40), status)
        return {
            "name": plain(company.legal_name, 120),
            "facts": [fact for fact in facts if fact],
            "url": addresses.path(
                "company", self._language, country=company.country_code, identifier=company.identifier
            ),
            "best": company.confidence is not None,
        }

    def _results(self, form: SearchForm) -> PageAddress:
        query = {"q": form.q} | ({"country": form.country} if form.country else {})
        return page_address("search", query if form.q else None)
