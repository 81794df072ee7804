"""Public answers about companies: of a search, and of a lookup by identifier."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from padron.companies.company import Record, Teaser
from padron.companies.model import CountryCode, Wire


class Entity(Wire, frozen=True, kw_only=True):
    """Answer of the single-company lookup."""

    entity: Record


class Answer(Wire, frozen=True, kw_only=True):
    """Answer of a search, best match first."""

    q: Annotated[str, Meta(description="The query as received.")]
    country: Annotated[CountryCode, Meta(description="The country filter.")] | None
    best_match: Annotated[
        Teaser | None, Meta(description="The first result when its confidence is 0.85 or higher, for citations.")
    ]
    suggested_countries: Annotated[
        list[CountryCode], Meta(description="Distinct countries of the results, when country was omitted and ≥ 2.")
    ]
    match_hints: Annotated[list[str], Meta(description="Short tips in the reader's language.")]
    results: list[Teaser]
