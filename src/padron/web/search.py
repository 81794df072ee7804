"""Home, search results, and what is suggested while somebody types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import NotFound
from padron.lookup.detail import DetailedMatch
from padron.lookup.find import SURE
from padron.model import CountryCode, Language
from padron.transport.call import Call
from padron.web import addresses
from padron.web.facts import shown_identifier
from padron.web.plain import HIDDEN, plain
from padron.web.site import Document, Moved, Place, Site, place

MOST: Final = 15
"""Results on a page: who has not found it among these asks more precisely."""
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


class Asked(NamedTuple):
    """What a reader looks for; `country` is a code we know, or None."""

    q: str
    country: CountryCode | None


def asked(call: Call) -> Asked:
    """The question in an address, read leniently: what is not known is ignored, what is too long is cut."""
    given: dict[str, str] = {}
    query = call.scope["query_string"].decode("latin-1")
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        given.setdefault(name, value)
    q = " ".join(HIDDEN.sub(" ", given.get("q", "")).split())[:_LONGEST]
    country = given.get("country", "").upper()
    return Asked(q, country if country in REGISTRY else None)


def verdict(results: Sequence[DetailedMatch]) -> str:
    """How sure it is: `identifier`, `best`, `ambiguous` (another company fits half as well), `weak`, `nothing`."""
    if not results:
        return "nothing"
    first = results[0].detail.record.confidence or 0.0
    if first >= SURE:
        return "identifier" if first == 1 else "best"
    return "ambiguous" if first - results[0].margin >= first / 2 else "weak"


class Searching:
    """The pages that search."""

    def __init__(self, site: Site, language: Language) -> None:
        self._site = site
        self._language = language

    async def home(self, call: Call, directory: Directory) -> Document | Moved:
        """The front page; with a question in its address the results."""
        given = asked(call)
        if given.q:
            return Moved(self._results(given).path(self._language))
        return self._site.page(
            "home.html",
            self._language,
            place("home"),
            coverage=directory.coverage(),
            q="",
            chosen=None,
            example_searches=_EXAMPLES,
        )

    async def results(self, call: Call, directory: Directory) -> Document:
        """What was found and how sure that is."""
        given = asked(call)
        call.q_length = len(given.q)
        found = None
        if len(given.q) >= _FEWEST:
            found = await directory.look(given.q, country=given.country, language=self._language, most=MOST)
            call.results = len(found.results)
        return self._site.page(
            "results.html",
            self._language,
            self._results(given),
            q=given.q,
            chosen=given.country,
            found=found,
            verdict=verdict(found.results) if found else "unasked",
            hints=[hint.of(self._language) for hint in found.hints] if found else [],
            coverage=directory.coverage(),
        )

    async def suggest(self, call: Call, directory: Directory) -> Document:
        """A few companies for what is typed so far, as JSON for the search box."""
        given = asked(call)
        call.q_length = len(given.q)
        companies = []
        if len(given.q) >= _FEWEST:
            try:
                answer = await directory.search(given.q, country=given.country, limit=8, language=self._language)
            except NotFound:  # the number of a natural person: nothing is suggested, and nothing is said
                return Document(b"application/json", b'{"companies":[]}')
            companies = [
                {
                    "name": plain(found.legal_name, 120),
                    "country": found.country_code,
                    "identifier": f"{found.id_label} {shown_identifier(found)}",
                    "url": addresses.path(
                        "company", self._language, country=found.country_code, identifier=found.identifier
                    ),
                    "best": answer.best_match is not None and found is answer.results[0],
                }
                for found in answer.results
            ]
            call.results = len(companies)
        return Document(b"application/json", msgspec.json.encode({"companies": companies}))

    def _results(self, given: Asked) -> Place:
        query = {"q": given.q} | ({"country": given.country} if given.country else {})
        return place("search", query if given.q else None)
