"""Requests of both versions, as they are received, and the one form in which they are answered.

Members that a version does not define are ignored: clients send extensions of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field

from padron.model import CountryCode


class Reconciled(Struct, frozen=True):
    """A property value that was matched to an entity before."""

    id: str
    name: str = ""


Value = str | int | float | bool | Reconciled
Limit = Annotated[int, Meta(ge=1)]


class PropertyValue(Struct, frozen=True):
    """A property of a query (0.2)."""

    pid: str
    v: Value | list[Value] | None


class CellQuery(Struct, frozen=True):
    """A query (0.2)."""

    query: str = ""
    type: str | list[str] | None = None
    limit: Limit | None = None
    properties: list[PropertyValue] = []


class Condition(Struct, frozen=True, rename="camel"):
    """A condition of a query (1.0 draft)."""

    match_type: Literal["name", "id", "property"]
    property_value: Value | list[Value]
    property_id: str = ""
    required: bool = False
    match_quantifier: Literal["any", "all", "none"] = "any"


class DraftQuery(Struct, frozen=True):
    """A query (1.0 draft)."""

    conditions: Annotated[list[Condition], Meta(min_length=1)]
    type: str | None = None
    limit: Limit | None = None


class DraftBatch(Struct, frozen=True):
    """A batch of queries (1.0 draft)."""

    queries: list[DraftQuery]


class ExtensionProperty(Struct, frozen=True):
    """A property to fetch."""

    id: str


class Extension(Struct, frozen=True):
    """A data extension query (both versions)."""

    ids: list[str]
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
