"""Home page, search results, and suggestions while typing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import msgspec

from padron.api.v1_watchlists import words_of_name
from padron.companies.company import Record
from padron.companies.model import CountryCode, CountryCoverage
from padron.countries import REGISTRY
from padron.countries.country import Country, OfficialPage, UncoveredKind
from padron.directory import Directory
from padron.errors import Invalid, NotFound
from padron.lookup import hints
from padron.lookup.detail import Detail, DetailedMatch, DetailedMatches
from padron.lookup.find import SURE
from padron.lookup.verdict import POSSIBLE
from padron.matching.explain import UNLIKELY
from padron.matching.score import IDENTIFIER
from padron.transport.call import Call
from padron.web import addresses, glossary
from padron.web.facts import shown_identifier
from padron.web.json_ld import site_graph
from padron.web.plain import HIDDEN, plain
from padron.web.site import PageAddress, PageResponse, Redirect, Site, page_address
from padron.words import Language, translate

MOST: Final = 15
"""Results on a page; a longer list is less useful than a more precise query."""
_LONGEST: Final = 256
_MOST_READ: Final = 1 << 13
"""Bytes of a query that are read: a text of `_LONGEST` with each byte encoded takes half of it."""
_FEWEST: Final = 2
_PAGE: Final = re.compile(r"[1-9][0-9]{0,3}")
_LINK: Final = re.compile(
    r"“[^”]*”|«[^»]*»|(?P<url>https?://[^\s<>\"]*[^\s<>\".,;:)])|\bcountry=(?P<country>[A-Z]{2})\b"
)
"""Addresses and countries of a hint, which a page links; names of companies are quoted, and skipped."""


_EXAMPLES: Final = [
    {
        "text": search.text,
        "query": {"q": search.text} | ({"country": country.code} if search.in_country else {}),
    }
    for country in REGISTRY.values()
    for search in country.searches
]


class SearchForm(NamedTuple):
    """The fields of the search form; `country` is a code of the registry, or None; pages count from 1."""

    q: str
    country: CountryCode | None
    page: int = 1


def read_form(call: Call) -> SearchForm:
    """Read the form from an address, leniently: unknown parameters are ignored, a long text is cut."""
    given: dict[str, str] = {}
    query = call.scope["query_string"][:_MOST_READ].decode("latin-1")
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        given.setdefault(name, value)
    q = " ".join(HIDDEN.sub(" ", given.get("q", "")).split())[:_LONGEST]
    country = given.get("country", "").upper()
    page = given.get("page", "")
    return SearchForm(q, country if country in REGISTRY else None, int(page) if _PAGE.fullmatch(page) else 1)


def verdict(companies: Sequence[Card]) -> str:
    """Classify companies: `identifier`, `best`, `ambiguous`, `weak`, `similar` in name only, `nothing` likely.

    They are ambiguous where another is at least half as likely as the first, similar where probably none is meant.
    """
    confidences = [card.result.detail.record.confidence or 0.0 for card in companies]
    first, second = [*confidences, 0.0, 0.0][:2]
    if first < POSSIBLE:
        return "nothing"
    if first >= SURE:
        return "identifier" if first == 1 else "best"
    if sum(confidences) < UNLIKELY and companies[0].result.matched_on != IDENTIFIER:
        return "similar"
    return "ambiguous" if second >= first / 2 else "weak"


class Card(NamedTuple):
    """A company among the results: the record that fits best, and its records in other registers."""

    result: DetailedMatch
    linked: list[Record]


class Band(NamedTuple):
    """Companies that are about as likely: `sure`, `possible` or `unlikely`."""

    name: str
    cards: Sequence[Card]


def cards(results: Sequence[DetailedMatch]) -> list[Card]:
    """Put the records of one company on one card, in the order of the results."""
    shown: dict[str | tuple[str, str], Card] = {}
    for result in results:
        company = result.detail.link or _number(result.detail)
        if company in shown:
            shown[company].linked.append(result.detail.record)
        else:
            shown[company] = Card(result, [])
    return list(shown.values())


def bands(companies: Sequence[Card]) -> list[Band]:
    """Part companies by how likely they are; one below one per cent is shown without a figure."""
    parted: dict[str, list[Card]] = {"sure": [], "possible": [], "unlikely": []}
    for card in companies:
        confidence = card.result.detail.record.confidence or 0.0
        parted["sure" if confidence >= SURE else "possible" if confidence >= POSSIBLE else "unlikely"].append(card)
    return [Band(name, of_band) for name, of_band in parted.items() if of_band]


def _number(detail: Detail) -> tuple[str, str]:
    return detail.record.country_code, detail.record.identifier


def _countries(results: Sequence[DetailedMatch]) -> list[CountryCode]:
    """Return the countries of results that are possible, if there are several."""
    records = [result.detail.record for result in results]
    countries = dict.fromkeys(record.country_code for record in records if (record.confidence or 0.0) >= POSSIBLE)
    return list(countries) if len(countries) > 1 else []


def _to_ask(form: SearchForm, answer: DetailedMatches | None, judged: str) -> Sequence[tuple[Country, UncoveredKind]]:
    """Return the kinds of company that may be meant and are not held, each with its register.

    Where nothing is likely in any country, these are all kinds that the sources of the one asked for lack.
    """
    if not answer or not answer.doubt:
        return ()
    if answer.uncovered or answer.doubt.code == "wrongCountry" or judged != "nothing" or not form.country:
        return answer.uncovered
    country = REGISTRY[form.country]
    return [(country, kind) for kind in country.uncovered]


def _followed(form: SearchForm) -> dict[str, str] | None:
    """Return the query of the feed of a search; None for a number, which is no word of a name."""
    try:
        q = words_of_name(form.q, "q")
    except Invalid:
        return None
    return {"q": q} | ({"country": form.country} if form.country else {})


def _total(answer: DetailedMatches | None, companies: Sequence[Card]) -> int:
    """Return the number of companies found; where they need several pages, the records count."""
    if not answer:
        return 0
    return len(companies) if answer.total == len(answer.results) else answer.total


def _official_searches(country: CountryCode) -> list[OfficialPage]:
    """Return the pages of a country's registers where a company is looked up, each once."""
    pages = [scheme.official_page for scheme in REGISTRY[country].schemes if scheme.official_page]
    return [page for page in dict.fromkeys(pages) if "{number}" not in page.address]


class Piece(NamedTuple):
    """A part of a hint: plain text, or a link to another site (`url`) or to the search in a country."""

    text: str
    url: str = ""
    country: str = ""


def pieces(hint: str) -> list[Piece]:
    """Part a hint into text and links: an address is one, called after its site, and so is `country=EC`."""
    parted, end = list[Piece](), 0
    for link in _LINK.finditer(hint):
        url, country = link.group("url", "country")
        if url or country:
            parted.append(Piece(hint[end : link.start()]))
            parted.append(Piece(urlsplit(url).hostname or url, url) if url else Piece("", country=country))
            end = link.end()
    return [*parted, Piece(hint[end:])]


def _hints(answer: DetailedMatches, companies: Sequence[Card], language: Language) -> list[list[Piece]]:
    """Return the hints in pieces, without those that the page answers itself.

    These are the links to the countries, the records on one card, and the registers to ask.
    """
    answered = [hints.pass_country(dict.fromkeys(result.detail.record.country_code for result in answer.results))]
    answered += [hints.uncertain()]
    answered += [hints.not_covered(*uncovered) for uncovered in answer.uncovered]
    for record in [record for card in companies for record in card.linked]:
        scheme = REGISTRY[record.country_code].scheme_by_code[record.scheme]
        answered.append(hints.linked(REGISTRY[record.country_code], scheme, scheme.show(record.identifier)))
    return [pieces(hint.of(language)) for hint in answer.hints if hint not in answered]


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
        """Return the page of results. Raises `NotFound("no-such-address")` behind the last page."""
        form = read_form(call)
        call.q_length = len(form.q)
        answer, numbered, companies = None, [], list[Card]()
        if len(form.q) >= _FEWEST:
            start = (form.page - 1) * MOST
            answer = await directory.look(form.q, country=form.country, language=self._language, most=MOST, start=start)
            if form.page > max(1, -(-answer.total // MOST)):
                raise NotFound("no-such-address")
            call.results = len(answer.results)
            companies = cards(answer.results)
            if answer.doubt:
                ranked = {_number(result.detail) for result in answer.results}
                numbered = [holder for holder in await self._numbered(directory, form) if _number(holder) not in ranked]
        judged = "unasked" if not answer else "later" if form.page > 1 else verdict(companies)
        return self._site.page(
            "results.html",
            self._language,
            self._results(form),
            q=form.q,
            chosen=form.country,
            answer=answer,
            numbered=numbered,
            bands=bands(companies),
            total=_total(answer, companies),
            countries_shown=_countries(answer.results) if answer and not (form.country or numbered) else [],
            page=form.page,
            pages=-(-answer.total // MOST) if answer else 0,
            verdict=judged,
            mistyped=bool(companies) and companies[0].result.mistyped,
            to_ask=_to_ask(form, answer, judged) if not numbered else (),
            held=self._held(form, directory, answer, judged) if not numbered else None,
            registers=_official_searches(form.country) if form.country else (),
            hints=_hints(answer, companies, self._language) if answer and not numbered else [],
            followed=_followed(form),
            coverage=directory.coverage(),
        )

    @staticmethod
    def _held(
        form: SearchForm, directory: Directory, answer: DetailedMatches | None, judged: str
    ) -> CountryCoverage | None:
        """Return the coverage of the country asked for where probably none of its companies is the one meant."""
        if not form.country or judged not in {"similar", "nothing"} or not REGISTRY[form.country].official_count:
            return None
        if answer and answer.doubt and answer.doubt.code == "wrongCountry":
            return None
        return next(part for part in directory.coverage().countries if part.country_code == form.country)

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

    async def _numbered(self, directory: Directory, form: SearchForm) -> list[Detail]:
        """Return the companies with the text as any of their identifiers, of whatever scheme: a page shows them all."""
        holders = []
        for country in [form.country] if form.country else REGISTRY:
            with suppress(Invalid, NotFound):
                holder = await directory.details(country, form.q, self._language)
                if not holder.mistyped:
                    holders.append(holder.detail)
        return holders

    def _results(self, form: SearchForm) -> PageAddress:
        query = {"q": form.q} | ({"country": form.country} if form.country else {})
        query |= {"page": str(form.page)} if form.page > 1 else {}
        return page_address("search", query if form.q else None)
