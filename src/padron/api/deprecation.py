"""What of v1 is on its way out: told in header fields, marked in the description, gone after a year or later.

Nothing is at present. The policy for readers: `docs/versioning.md`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any, Final, NamedTuple

from padron.transport.headers import Header

NOTICE: Final = timedelta(days=365)
"""The least time between telling that something goes and its going."""


class Deprecation(NamedTuple):
    """A member of an answer that will go: the route that sends it, its schema and name, and the two dates."""

    path: str
    schema: str
    member: str
    since: date
    sunset: date


DEPRECATIONS: tuple[Deprecation, ...] = ()


def told(path: str) -> list[Header]:
    """The header fields for a route: Deprecation (RFC 9745), Sunset (RFC 8594), and a link to the policy.

    Where several members go, the earliest dates are told. Raises `ValueError` for one with less notice than `NOTICE`.
    """
    going = [one for one in DEPRECATIONS if one.path == path]
    if not going:
        return []
    for one in going:
        if one.sunset - one.since < NOTICE:
            raise ValueError(f"{one.schema}.{one.member} goes with less than a year's notice")
    since, sunset = (datetime.combine(min(days), time(), UTC) for days in zip(*(one[3:] for one in going), strict=True))
    return [
        (b"deprecation", f"@{int(since.timestamp())}".encode()),
        (b"sunset", format_datetime(sunset, usegmt=True).encode()),
        (b"link", b'</api/v1/openapi.json>; rel="deprecation"; type="application/json"'),
    ]


def mark(schemas: dict[str, Any]) -> None:
    """Mark the members that go as `deprecated` in the schemas of the description."""
    for one in DEPRECATIONS:
        if one.schema in schemas:
            schemas[one.schema]["properties"][one.member]["deprecated"] = True
