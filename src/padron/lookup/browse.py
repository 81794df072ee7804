"""Browsing: the companies of a place or an activity, page by page, with the counts that the index holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from padron.errors import NotFound
from padron.index import listing
from padron.index.listing import CountedList, Facet, Listed, ListKey, Lists
from padron.index.tags import activity_tag, place_tag
from padron.lookup.detail import Detail


class ListNames(NamedTuple):
    """Names of the region, the city and the activity of a list in the registers; empty where it has none."""

    region: str
    city: str
    activity: str


class BrowsedPage(NamedTuple):
    """A page of a list: all companies that fit are `total`.

    `place` counts the companies of its place whatever their activity, `letters` the first letters of the list itself.
    """

    names: ListNames
    total: int
    companies: list[Detail]
    place: CountedList
    letters: tuple[Facet, ...]


class ListReader:
    """The counted lists of a release without the `hidden` companies."""

    def __init__(self, lists: Lists, hidden: Iterable[Detail]) -> None:
        self._lists = lists
        self._gone = listing.by_list(map(_listed, hidden))

    def counted(self, key: ListKey) -> CountedList | None:
        """Return a list; None where no company is in it."""
        counted, lost = self._lists.get(key), self._gone.get(key)
        if counted is None or lost is None:
            return counted
        left = listing.without(counted, lost)
        return left if left.companies else None

    def place(self, key: ListKey) -> CountedList:
        """Return the list of the place of `key`. Raises `NotFound("no-such-address")` where no company is there."""
        counted = self.counted(key._replace(activity=""))
        if counted is None:
            raise NotFound("no-such-address")
        root = self._lists.get(ListKey(key.country)) if key.region else None
        if root is None:
            return counted
        # The wording of activities is kept once, with the country.
        labels = {facet.tag: facet.written for facet in root.facets if facet.tag.startswith(("activity:", "sector:"))}
        facets = [facet._replace(written=facet.written or labels.get(facet.tag, "")) for facet in counted.facets]
        return counted._replace(facets=tuple(facets))

    def letters(self, key: ListKey) -> tuple[Facet, ...]:
        """Return the first letters of the companies of a list, in alphabetical order."""
        counted = self.counted(key)
        letters = [facet for facet in counted.facets if facet.tag.startswith("letter:")] if counted else []
        return tuple(sorted(letters, key=lambda facet: facet.tag))

    def names(self, key: ListKey) -> ListNames:
        """Return what registers call the parts of a list."""
        root = ListKey(key.country)
        return ListNames(
            self._written(root, key.region),
            self._written(root._replace(region=key.region), key.city),
            self._written(root, key.activity),
        )

    def _written(self, of: ListKey, tag: str) -> str:
        counted = self._lists.get(of) if tag else None
        return next((facet.written for facet in counted.facets if facet.tag == tag), "") if counted else ""


def narrowest(detail: Detail) -> ListKey:
    """Return the list that says most about a company: its city and its activity, as far as they are known."""
    company, place = detail.record, detail.details
    region = place_tag("region", place.region) if place.region else ""
    city = place_tag("city", place.municipality) if region and place.municipality else ""
    activity = activity_tag(company.classification_code, company.classification_label)
    return ListKey(company.country_code, region, city, activity)


def _listed(detail: Detail) -> Listed:
    record = detail.record
    return Listed(
        record.country_code,
        record.legal_name,
        detail.details.region,
        detail.details.municipality,
        record.classification_code,
        record.classification_label,
        record.status,
        detail.form.code if detail.form else None,
        record.financials_available,
    )
