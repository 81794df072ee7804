"""The page of a company, and the same as JSON and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from hashlib import blake2b
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec

from padron.companies.company import Teaser
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import Invalid, NotFound, PadronError, messages
from padron.lookup.browse import narrowest
from padron.lookup.detail import Detail
from padron.lookup.hints import wrong_check_digit
from padron.transport import inputs
from padron.transport.call import Call
from padron.web import addresses
from padron.web.citations import citation, citations
from padron.web.facts import Facts, facts
from padron.web.json_ld import company_graph
from padron.web.list_address import place_list
from padron.web.site import PageAddress, PageResponse, Redirect, Site, page_address
from padron.words import LANGUAGES, Language, bilingual

_TWIN = re.compile(r"\.(json|md|atom|svg)$")
_DRAWN: Final = {".md": "company.md", ".atom": "company.xml", ".svg": "badge.xml"}
"""Templates of the other formats, by suffix."""
_MEDIA: Final = {
    ".md": b"text/markdown; charset=utf-8",
    ".atom": b"application/atom+xml; charset=utf-8",
    ".svg": b"image/svg+xml; charset=utf-8",
}
_NEAREST: Final = 6
"""Similar companies on an error page: a short list."""
_NEIGHBOURS: Final = 5
"""Companies with the same activity in the same place: a short list."""
_LETTERS = re.compile(r"[^\W_]+")


class CompanyPage:
    """The pages of companies in one language."""

    def __init__(self, site: Site, of: Language) -> None:
        self._site = site
        self._language = of
        self._prefix = addresses.PAGES["company"].of(of).split("/{")[0]

    async def answer(self, call: Call, directory: Directory) -> PageResponse | Redirect:
        """Return the page of the company, or a redirect to its canonical address."""
        country, written, twin = self._parts(call)
        try:
            located = await directory.details(country, written, self._language)
        except (Invalid, NotFound) as error:
            if error.code not in {"invalid-identifier", "company-not-found", "identifier-not-unique"}:
                raise
            return await self._absent(call, directory, country, written, error)
        detail, requested = located.detail, located.requested
        identifier = detail.record.identifier
        address = addresses.path("company", self._language, country=country, identifier=identifier) + twin
        if call.scope["raw_path"] != address.encode():
            if not located.mistyped:
                return Redirect(address)
            scheme = REGISTRY[country].scheme_by_code[requested.scheme]
            fault = NotFound("company-not-found", country=country, hints=wrong_check_digit(scheme, None))
            return self._missing(call, country, written, fault, [detail.record])
        statements = []
        if detail.record.financials_available:
            statements = await directory.statements(country, identifier, self._language)
        company = facts(detail, self._language, statements)
        if twin:
            return self._twin(company, directory, twin)
        return await self._page(company, detail, directory)

    def _parts(self, call: Call) -> tuple[str, str, str]:
        """Country, identifier as written, and suffix of another format. Raises `NotFound("no-such-address")`."""
        try:
            country, written = inputs.company_path(call.scope["raw_path"], self._prefix)
        except Invalid as error:
            raise NotFound("no-such-address") from error
        twin = _TWIN.search(written)
        return country, _TWIN.sub("", written), twin[0] if twin else ""

    async def _page(self, company: Facts, detail: Detail, directory: Directory) -> PageResponse:
        """The page of a company: its facts, and the lists it is in."""
        key, canonical, release = narrowest(detail), self._canonical(company), directory.release
        place = place_list(key.country, company.region, company.municipality)
        return self._site.page(
            "company.html",
            self._language,
            _address(company),
            company=company,
            citation=citation(company, canonical, release, self._language),
            citations=citations(company, canonical, release, self._language),
            release=release,
            report=self._report(company.name, canonical, release),
            source_dates=_source_dates(directory, key.country),
            place_path=place.page().path(self._language),
            activity_path=place_list(key.country, activity=key.activity).page().path(self._language),
            linked=await directory.linked(detail, self._language),
            neighbours=await directory.neighbours(detail, _NEIGHBOURS, self._language),
            neighbours_path=place_list(key.country, company.region, company.municipality, key.activity)
            .page()
            .path(self._language),
            linked_data=company_graph(company, self._site.base_url, self._language),
        )

    def _canonical(self, company: Facts) -> str:
        return self._site.base_url + _address(company).path(self._language)

    def _report(self, name: str, canonical: str, release: str) -> str:
        """Return the subject and the text of a mail about an error of the page, as the query of its address."""
        subject = bilingual("Error on the page of {name}", name=name)
        body = bilingual(
            "Page: {page}\nRelease: {release}\n\nWhat is wrong, and where the right fact is published:",
            page=canonical,
            release=release,
        )
        mail = {"subject": subject.of(self._language), "body": body.of(self._language) + "\n"}
        return urlencode(mail, quote_via=quote)

    def _twin(self, company: Facts, directory: Directory, twin: str) -> PageResponse:
        """The facts of a company as JSON or Markdown, as a feed to follow or as a badge for other pages."""
        here, release = _address(company), directory.release
        canonical = self._canonical(company)
        cited = citation(company, canonical, release, self._language)
        of_page = ((b"link", f'<{canonical}>; rel="canonical"'.encode()),)
        if twin in _DRAWN:
            entry = blake2b(msgspec.json.encode(company_json(company)), digest_size=8).hexdigest()
            body = self._site.render(
                _DRAWN[twin],
                self._language,
                company=company,
                canonical=canonical,
                release=release,
                citation=cited,
                entry=entry,
                built=directory.generated_at,
            )
            return PageResponse(_MEDIA[twin], body, fields=of_page)
        urls = {of: self._site.base_url + here.path(of) for of in LANGUAGES}
        document = {
            "company": company_json(company),
            "citation": cited,
            "canonicalUrls": urls,
            "release": release,
        }
        return PageResponse(b"application/json", msgspec.json.encode(document), fields=of_page)

    async def _absent(
        self, call: Call, directory: Directory, country: str, written: str, error: PadronError
    ) -> PageResponse:
        """The page of status 404, with the reasons and the most similar companies."""
        nearest = await self._nearest(directory, written) if error.code != "identifier-not-unique" else []
        return self._missing(call, country, written, error, nearest)

    def _missing(
        self, call: Call, country: str, written: str, error: PadronError, nearest: Sequence[Teaser]
    ) -> PageResponse:
        call.code = error.code
        return self._site.page(
            "error.html",
            self._language,
            page_address("company", country=country, identifier=written),
            status=404,
            title=messages.title(error.code, self._language),
            detail=messages.detail(error, self._language),
            candidates=error.context.get("candidates", ()),
            country=country,
            search=page_address("search", {"q": written, "country": country}).path(self._language),
            nearest=nearest,
            request_id=call.request_id,
        )

    async def _nearest(self, directory: Directory, written: str) -> list[Teaser]:
        """Companies with that number in other countries, or with a name similar to the text in the address."""
        words = " ".join(_LETTERS.findall(written))
        try:
            answer = await directory.search(words, country=None, limit=_NEAREST, language=self._language)
        except NotFound:  # the number of a natural person: not even hints are shown
            return []
        return answer.results


def _source_dates(directory: Directory, country: str) -> dict[str, date]:
    """Return the date of the data of each source of a country, by its name."""
    covered = [part for part in directory.coverage().countries if part.country_code == country]
    return {source.name: source.date for part in covered for source in part.sources if source.date}


def _address(company: Facts) -> PageAddress:
    return page_address("company", country=company.country.code, identifier=company.number.value)


def company_json(company: Facts) -> dict[str, Any]:
    """Return the facts of a page as JSON members."""
    return {
        "legalName": company.name,
        "countryCode": company.country.code,
        "scheme": company.number.scheme,
        "identifier": company.number.value,
        "idLabel": company.number.label,
        "identifiers": [
            {"scheme": other.scheme, "identifier": other.value, "idLabel": other.label} for other in company.others
        ],
        "names": [name._asdict() for name in company.names],
        "status": company.status and company.status[0],
        "officialStatus": company.status_official,
        "legalForm": company.form,
        "officialLegalForm": company.form_official,
        "classificationCode": company.activity[0],
        "classificationLabel": company.activity[1],
        "region": company.region,
        "municipality": company.municipality,
        **{fact.member: fact.value for fact in company.listed},
        "countryOfIncorporation": company.home,
        "financialsAvailable": company.financials,
        "source": company.source and {"sourceName": company.source.name, "sourceUrl": company.source.url},
        "sources": [
            {"sourceName": origin.source.name, "sourceUrl": origin.source.url, "facts": origin.facts}
            for origin in company.origins
        ],
        "dataAsOf": company.refreshed,
        "officialRecords": [
            {
                "register": record.register,
                "url": record.address,
                "numberToType": record.number,
                "nameToType": record.name,
            }
            for record in company.official
        ],
    }
