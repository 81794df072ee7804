"""Addresses of lists of companies: country, region and city in the path; activity, letter and filters in the query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

from padron.api.v1_search import read_filters
from padron.countries import REGISTRY
from padron.errors import NotFound
from padron.index.listing import ListKey
from padron.index.tags import Filters, bare
from padron.text import fold
from padron.transport.call import Call
from padron.web.site import PageAddress, page_address
from padron.words import Language

MOST: Final = 50
"""Companies on a page."""
LISTED: Final = 1_000
"""Companies of a list that its pages and its CSV hold; a longer list is narrowed down by its facets."""
FILTERS: Final = ("status", "legalForm", "hasFinancials")
"""Filters of the v1 search that are no part of a list's canonical address."""

_QUERY: Final = ("activity", "letter", *FILTERS)
_LETTER = re.compile(r"[a-z0]?")
_NUMBER = re.compile(r"[1-9][0-9]?")
_WORDS = re.compile(r"[a-z]{2}")
FILE: Final = ".csv"
"""End of the path of a list as CSV."""


class ListAddress(NamedTuple):
    """The address of a list: the slugs of its place, and the parameters of its query."""

    country: str
    region: str = ""
    city: str = ""
    query: tuple[tuple[str, str], ...] = ()

    def page(self, **changed: str) -> PageAddress:
        """Return the address of a page of the list; `changed` replaces parameters, by an empty one takes them away."""
        query = dict(self.query) | changed
        parts = {name: part for name, part in zip(("country", "region", "city"), self[:3], strict=True) if part}
        name = "list" if not self.region else "list-city" if self.city else "list-region"
        return page_address(name, {name: query[name] for name in (*_QUERY, "page") if query.get(name)}, **parts)

    def file(self, of: Language) -> str:
        """Return the path of the list as CSV."""
        path, mark, query = self.page().path(of).partition("?")
        return f"{path}{FILE}{mark}{query}"


class BrowseRequest(NamedTuple):
    """A request for a list: what is to be listed, the parameters given, the page, and whether CSV is wanted."""

    address: ListAddress
    key: ListKey
    filters: Filters
    given: Mapping[str, str]
    number: int
    file: bool


def read(call: Call) -> BrowseRequest:
    """Read the address of a request, leniently: unknown and empty parameters are ignored.

    Raises:
        NotFound: `no-such-address`, there is no such country, letter or page.
        Invalid: `bad-filter`.
    """
    parts = call.scope["path_params"]
    file = call.scope["path"].endswith(FILE)
    country = parts["country"].upper()
    given = _given(call)
    number, letter = given.pop("page", "1"), given.get("letter", "").lower()
    known = country in REGISTRY and _LETTER.fullmatch(letter) and _NUMBER.fullmatch(number)
    if not known or int(number) > LISTED // MOST:
        raise NotFound("no-such-address")
    activity = _activity(given.get("activity", ""))
    # A code is checked as the API checks it; a label has no form that could be wrong.
    checked = (*FILTERS, "activity") if activity.startswith("activity:") else FILTERS
    filters = read_filters({name: value for name, value in given.items() if name in checked})
    region, city = slug(parts.get("region", "")), slug(parts.get("city", ""))
    address = ListAddress(country.lower(), region, city, tuple(given.items()))
    key = ListKey(country, _place("region", region), _place("city", city), activity)
    return BrowseRequest(address, key, filters._replace(activity=(), letter=letter or None), given, int(number), file)


def _given(call: Call) -> dict[str, str]:
    """Return the parameters that have a value and a meaning, each once and in their order."""
    query = parse_qsl(call.scope["query_string"].decode("latin-1"), errors="replace")
    values = {name: value.strip() for name, value in reversed(query)}
    return {name: values[name] for name in (*_QUERY, "page") if values.get(name)}


def slug(text: str) -> str:
    """Return a text as addresses hold it: `SANTO DOMINGO` -> `santo-domingo`."""
    return fold(text).replace(" ", "-")


def _place(kind: str, of: str) -> str:
    return f"{kind}:{of.replace('-', ' ')}" if of else ""


def _activity(given: str) -> str:
    """Return the tag of the parameter `activity`: a code or its beginning, or a label as a slug."""
    if not given:
        return ""
    return f"sector:{fold(given)}" if _WORDS.search(given.lower()) else f"activity:{bare(given)}"


def activity_parameter(tag: str) -> str:
    """Return the parameter `activity` for a tag: the code, or the label as a slug."""
    kind, _, value = tag.partition(":")
    return value if kind == "activity" else slug(value)


def place_list(country: str, region: str | None = None, city: str | None = None, activity: str = "") -> ListAddress:
    """Return the address of the list of a place.

    Args:
        region: The region as the register writes it.
        city: The city as the register writes it.
    """
    query = (("activity", activity_parameter(activity)),) if activity else ()
    return ListAddress(country.lower(), slug(region or ""), slug(city or "") if region else "", query)
