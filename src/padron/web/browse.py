"""Browsing: lists of companies by country, region, city, activity and first letter, as pages and as CSV."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.directory import Directory
from padron.errors import NotFound
from padron.index.listing import Facet, ListKey
from padron.lookup.browse import BrowsedPage, ListNames
from padron.lookup.detail import Detail
from padron.text import no_formula
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.headers import CSV
from padron.web.json_ld import list_graph
from padron.web.list_address import (
    FILTERS,
    LISTED,
    MOST,
    BrowseRequest,
    ListAddress,
    activity_parameter,
    place_list,
    read,
)
from padron.web.plain import calm, plain
from padron.web.site import PageResponse, Redirect, Site
from padron.words import Language

_AT_ONCE: Final = 100
"""Companies of a CSV that are read before other requests are answered."""
FILE_COST: Final = 20
"""Pages that a CSV counts as: it holds the companies of as many."""

COLUMNS: Final = (
    "countryCode",
    "scheme",
    "identifier",
    "legalName",
    "status",
    "legalForm",
    "classificationCode",
    "classificationLabel",
    "region",
    "municipality",
    "financialsAvailable",
    "source",
    "refreshedAt",
    "canonicalUrl",
)
"""Header row of the CSV; the names are those of the API."""


class Choice(NamedTuple):
    """A part of a list as readers see it: its name, its companies (None: not counted) and where it leads."""

    name: str
    companies: int | None
    path: str
    chosen: bool = False


class Option(NamedTuple):
    """A value of a filter, what it is called, and the companies of the place that have it."""

    value: str
    name: str
    companies: int


class ListPages:
    """The lists in one language."""

    def __init__(self, site: Site, client_limits: ClientLimits, of: Language) -> None:
        self._site = site
        self._client_limits = client_limits
        self._language = of

    async def answer(self, call: Call, directory: Directory) -> PageResponse | Redirect:
        """Return a page of a list, or its companies as CSV.

        Raises:
            NotFound: `no-such-address`, no company is in that place, or there is no such page.
            Invalid: `bad-filter`.
        """
        asked = read(call)
        address = asked.address.file(self._language) if asked.file else self._path(asked.address)
        if call.scope["raw_path"].decode("latin-1") != address.partition("?")[0]:
            return Redirect(address)
        if asked.file:
            async with self._client_limits.file_turn(call):
                return await self._csv(asked, directory)
        start = (asked.number - 1) * MOST
        listed = await directory.browse(asked.key, asked.filters, start, MOST, self._language)
        call.results = len(listed.companies)
        if asked.number > 1 and not listed.companies:
            raise NotFound("no-such-address")
        return self._page(asked, listed, directory)

    def file_request(self, call: Call) -> bytes:
        """Return the path of a CSV as it was sent, and the query that means the same. Raises like `answer`."""
        query = read(call).address.file(self._language).partition("?")[2]
        path: bytes = call.scope["raw_path"]
        return path + b"?" + query.encode()

    def _page(self, asked: BrowseRequest, listed: BrowsedPage, directory: Directory) -> PageResponse:
        country, address = REGISTRY[asked.key.country], asked.address
        narrowed = not asked.given.keys().isdisjoint(FILTERS)
        number = str(asked.number) if asked.number > 1 else ""
        crumbs = self._crumbs(address, listed.names, country)
        return self._site.page(
            "list.html",
            self._language,
            address.page(page=number, **dict.fromkeys(FILTERS, "")),
            twin=address.page(page=number),
            country=country,
            activity=_activity_name(asked, listed.names),
            crumbs=crumbs,
            listed=listed,
            given=asked.given,
            within=self._within(asked, listed, directory),
            activities=self._activities(asked, listed),
            letters=self._letters(asked, listed),
            statuses=[Option(facet.tag.partition(":")[2], "", facet.companies) for facet in _of(listed, "status:")],
            forms=self._forms(country, listed),
            narrowed=narrowed,
            page=asked.number,
            pages=min(-(-listed.total // MOST), LISTED // MOST),
            before=self._path(address, page=str(asked.number - 1) if asked.number > 2 else ""),
            after=self._path(address, page=str(asked.number + 1)),
            whole=self._path(address._replace(query=())),
            most=LISTED,
            file=address.file(self._language),
            unlisted=narrowed or asked.number > 1 or not listed.total,
            linked_data=list_graph([(crumb.name, self._site.base_url + crumb.path) for crumb in crumbs]),
        )

    def _path(self, address: ListAddress, **changed: str) -> str:
        return address.page(**changed).path(self._language)

    def _crumbs(self, address: ListAddress, names: ListNames, country: Country) -> list[Choice]:
        """The country of a list, its region and its city."""
        root = ListAddress(address.country)
        steps = [(country.name.of(self._language), root)]
        if address.region:
            steps.append((plain(calm(names.region), 60), root._replace(region=address.region)))
        if address.city:
            steps.append((plain(calm(names.city), 60), address._replace(query=())))
        return [Choice(name, None, self._path(step)) for name, step in steps]

    def _within(self, asked: BrowseRequest, listed: BrowsedPage, directory: Directory) -> list[Choice]:
        """The regions of a country or the cities of a region, with the companies of the chosen activity."""
        choices = []
        address, key = asked.address, asked.key
        for facet in _of(listed, "region:", "city:"):
            inner = key._replace(**{facet.tag.partition(":")[0]: facet.tag})
            counted = directory.counted(inner) if key.activity else None
            count = facet.companies if not key.activity else counted.companies if counted else 0
            if count:
                region, city = inner.region.partition(":")[2], inner.city.partition(":")[2]
                path = self._path(place_list(address.country, region, city, key.activity))
                choices.append(Choice(plain(calm(facet.written), 60), count, path))
        return sorted(choices, key=lambda choice: -(choice.companies or 0))

    def _activities(self, asked: BrowseRequest, listed: BrowsedPage) -> list[Choice]:
        if asked.key.activity:
            return []
        place = asked.address._replace(query=())
        return [
            Choice(
                plain(calm(facet.written) or facet.tag.partition(":")[2], 70),
                facet.companies,
                self._path(place, activity=activity_parameter(facet.tag)),
            )
            for facet in _of(listed, "activity:", "sector:")
        ]

    def _letters(self, asked: BrowseRequest, listed: BrowsedPage) -> list[Choice]:
        chosen = asked.given.get("letter", "").lower()
        choices = []
        for facet in listed.letters:
            letter = facet.tag.partition(":")[2]
            path = self._path(asked.address, letter="" if letter == chosen else letter)
            choices.append(Choice("#" if letter == "0" else letter.upper(), facet.companies, path, letter == chosen))
        return choices

    def _forms(self, country: Country, listed: BrowsedPage) -> list[Option]:
        labels = {form.code: form.label.of(self._language) for form in country.legal_forms}
        codes = [(facet.tag.partition(":")[2], facet.companies) for facet in _of(listed, "form:")]
        return [Option(code, labels.get(code, code), companies) for code, companies in codes]

    async def _csv(self, asked: BrowseRequest, directory: Directory) -> PageResponse:
        file = io.StringIO(newline="")
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for start in range(0, LISTED, _AT_ONCE):
            listed = await directory.browse(asked.key, asked.filters, start, _AT_ONCE, self._language)
            writer.writerows([_row(detail, self._language) for detail in listed.companies])
            if start + _AT_ONCE >= listed.total:
                break
            await asyncio.sleep(0)
        name = "-".join(filter(None, ("padron", *asked.address[:3])))
        disposition = f'attachment; filename="{name}.csv"'.encode()
        fields = ((b"content-disposition", disposition), (b"x-robots-tag", b"noindex"))
        return PageResponse(CSV[1], file.getvalue().encode(), fields=fields)


def _of(listed: BrowsedPage, *kinds: str) -> Sequence[Facet]:
    return [facet for facet in listed.place.facets if facet.tag.startswith(kinds)]


def _activity_name(asked: BrowseRequest, names: ListNames) -> str:
    """Return what an activity is called: its official label, else what the address says."""
    return plain(calm(names.activity) or asked.given.get("activity", ""), 200)


def _row(detail: Detail, of: Language) -> list[str]:
    company, place = detail.record, detail.details
    cells = (
        company.country_code,
        company.scheme,
        company.identifier,
        company.legal_name,
        company.status,
        detail.form.code if detail.form else None,
        company.classification_code,
        company.classification_label,
        place.region,
        place.municipality,
        "true" if company.financials_available else "false",
        company.source.source_name if company.source else None,
        company.refreshed_at.date().isoformat() if company.refreshed_at else None,
        getattr(company.canonical_urls, of),
    )
    return ["" if cell is None else no_formula(plain(cell, 1_000)) for cell in cells]


def list_paths(directory: Directory, country: str, of: Language) -> Iterator[str]:
    """Yield the paths of the lists of a country for search engines: its places, and its activities as a whole."""
    yield place_list(country).page().path(of)
    root = directory.counted(ListKey(country))
    for facet in root.facets if root else ():
        kind, _, name = facet.tag.partition(":")
        if kind in {"activity", "sector"}:
            yield place_list(country, activity=facet.tag).page().path(of)
        elif kind == "region":
            inner = directory.counted(ListKey(country, facet.tag))
            cities = (
                [city.tag.partition(":")[2] for city in inner.facets if city.tag.startswith("city:")] if inner else []
            )
            for city in ("", *cities):
                yield place_list(country, name, city).page().path(of)
