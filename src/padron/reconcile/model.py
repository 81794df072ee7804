"""Requests of both versions, as they are received, and the one form in which they are answered.

Members that a version does not define are ignored: clients send extensions of their own. Every list and what
is read of every text is bounded: each value that is asked for is folded, and an identifier is sought in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, NamedTuple

from msgspec import Meta, Struct, field

from padron.companies.model import CountryCode

MOST_LISTED: Final = 10
"""Most types, properties, conditions and values of one property in a query: OpenRefine sends a value a column."""
LONGEST: Final = 1_000
"""Most characters of a name or an id; so many are read of the cells that a client sends."""

Term = Annotated[str, Meta(max_length=LONGEST)]
_Few = Meta(max_length=MOST_LISTED)


class Reconciled(Struct, frozen=True):
    """A property value that was matched to an entity before."""

    id: Term
    name: Term = ""


Value = str | int | float | bool | Reconciled
Values = Annotated[list[Value], _Few]
Limit = Annotated[int, Meta(ge=1)]


class PropertyValue(Struct, frozen=True):
    """A property of a query (0.2)."""

    pid: Term
    v: Value | Values | None


class CellQuery(Struct, frozen=True):
    """A query (0.2)."""

    query: str = ""
    type: Term | Annotated[list[Term], _Few] | None = None
    limit: Limit | None = None
    properties: Annotated[list[PropertyValue], _Few] = []


class Condition(Struct, frozen=True, rename="camel"):
    """A condition of a query (1.0 draft)."""

    match_type: Literal["name", "id", "property"]
    property_value: Value | Values
    property_id: Term = ""
    required: bool = False
    match_quantifier: Literal["any", "all", "none"] = "any"


class DraftQuery(Struct, frozen=True):
    """A query (1.0 draft)."""

    conditions: Annotated[list[Condition], Meta(min_length=1, max_length=MOST_LISTED)]
    type: Term | None = None
    limit: Limit | None = None


class DraftBatch(Struct, frozen=True):
    """A batch of queries (1.0 draft)."""

    queries: list[DraftQuery]


class ExtensionProperty(Struct, frozen=True):
    """A property to fetch."""

    id: Term


class Extension(Struct, frozen=True):
    """A data extension query (both versions)."""

    ids: list[Term]
    properties: list[ExtensionProperty]


class Wanted(NamedTuple):
    """A property that the company should have: some, all or none of the values."""

    property: str
    values: Sequence[str]
    quantifier: Literal["any", "all", "none"]
    required: bool


class Inquiry(NamedTuple):
    """A query of either version."""

    text: str
    country: CountryCode | None
    limit: int
    wanted: Sequence[Wanted]


class Thing(Struct, frozen=True, omit_defaults=True):
    """An entity, property or type, as it is listed."""

    id: str
    name: str
    description: str | None = None
    notable: list[Thing] | None = None
    broader: list[Thing] | None = None


class PropertyFeature(Struct, frozen=True):
    """Agreement of a company with a property that was given; left out where its own value is not known."""

    id: str
    name: str
    value: bool


class Candidate(Struct, frozen=True):
    """A company that a query may mean."""

    id: str
    name: str
    description: str
    type: list[Thing]
    score: float
    match: bool
    features: list[PropertyFeature] = field(default_factory=list)
