"""Deprecation of members of v1: announced in header fields, marked in OpenAPI, removed after a year or later.

Nothing is deprecated at present. The policy for readers: `docs/versioning.md`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any, Final, NamedTuple

from padron.transport.headers import Header

NOTICE: Final = timedelta(days=365)
"""Least time between announcement and removal."""


class Deprecation(NamedTuple):
    """A member of an answer that will be removed: route, schema, name, and the dates of announcement and removal."""

    path: str
    schema: str
    name: str
    since: date
    sunset: date


DEPRECATIONS: tuple[Deprecation, ...] = ()


def headers_for(path: str) -> list[Header]:
    """Return the header fields of a route: Deprecation (RFC 9745), Sunset (RFC 8594), and a link to the policy.

    Of several members the earliest dates count. Raises `ValueError` for one with less notice than `NOTICE`.
    """
    deprecated = [member for member in DEPRECATIONS if member.path == path]
    if not deprecated:
        return []
    for member in deprecated:
        if member.sunset - member.since < NOTICE:
            raise ValueError(f"{member.schema}.{member.name} is removed with less than a year's notice")
    since, sunset = (
        datetime.combine(min(days), time(), UTC) for days in zip(*(member[3:] for member in deprecated), strict=True)
    )
    return [
        (b"deprecation", f"@{int(since.timestamp())}".encode()),
        (b"sunset", format_datetime(sunset, usegmt=True).encode()),
        (b"link", b'</api/v1/openapi.json>; rel="deprecation"; type="application/json"'),
    ]


def mark(schemas: dict[str, Any]) -> None:
    """Mark the deprecated members in the schemas of an OpenAPI document."""
    for member in DEPRECATIONS:
        if member.schema in schemas:
            schemas[member.schema]["properties"][member.name]["deprecated"] = True
