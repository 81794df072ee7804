"""`GET /api/v1/changes`: the changes of companies between releases, page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final, Protocol, get_args

from msgspec import Meta

from padron.companies.model import CountryCode, Wire
from padron.errors import Invalid
from padron.releases.change_log import ChangeFilter, ChangeKind, ChangePage, Watch
from padron.transport import inputs
from padron.transport.call import Call

PAGE: Final = (1, 1_000, 100)
"""Fewest, most and default number of changes of a page."""
KINDS: Final[tuple[str, ...]] = get_args(ChangeKind)


class ChangeDirectory(Protocol):
    """The part of the directory that the change log needs."""

    async def changes(self, cursor: str | None, limit: int, wanted: ChangeFilter) -> ChangePage:
        """Return a page of the change log."""


class CompanyChange(Wire, frozen=True, kw_only=True):
    """A change of a company between two releases."""

    change: Annotated[
        ChangeKind,
        Meta(
            description="`new`, `gone`: it entered the directory, or left it. `renumbered`: its identifier changed. "
            "`renamed`. `status-changed`. `new-statements`: it has statements of further years."
        ),
    ]
    country_code: Annotated[CountryCode, Meta(description="Country of the register.")]
    scheme: Annotated[str, Meta(description="Scheme of the identifier.")]
    identifier: Annotated[str, Meta(description="The current identifier, or the last one.")]
    legal_name: Annotated[str, Meta(description="The current name, or the last one.")]
    before: Annotated[str, Meta(description="The identifier, name or status before; null for other changes.")] | None
    after: Annotated[str, Meta(description="The same after it, or the new years.")] | None
    release: Annotated[str, Meta(description="The release that brought the change.")]
    released_at: Annotated[str, Meta(description="The time at which that release was built.")]


class Changes(Wire, frozen=True, kw_only=True):
    """A page of changes, the oldest first."""

    changes: Annotated[list[CompanyChange], Meta(description="The changes; a page may be empty before the last one.")]
    cursor: Annotated[str, Meta(description="`since` of the next page; also of later changes, once there are any.")]
    more: Annotated[bool, Meta(description="Whether there is a next page already.")]


async def changes(companies: ChangeDirectory, call: Call, watch_of: Callable[[str], Awaitable[Watch]]) -> Changes:
    """Return a page of changes.

    Args:
        watch_of: Returns what the watchlist with an id selects.

    Raises:
        Invalid: `bad-cursor`, `bad-filter`, `unknown-country`, `limit-out-of-range` and faults of parameters.
        NotFound: `watchlist-not-found`.
    """
    faults = inputs.Faults()
    given = inputs.parameters(call.scope["query_string"], ("since", "country", "kind", "watchlist", "limit"), faults)
    country, kind, limit = None, given.get("kind"), PAGE[2]
    with faults:
        country = inputs.country_code(given["country"]) if "country" in given else None
    with faults:
        limit = inputs.limit(given, PAGE)
    with faults:
        if kind not in {None, *KINDS}:
            raise Invalid("bad-filter", parameter="kind", known=KINDS)
    faults.raise_collected()
    watch = await watch_of(given["watchlist"]) if "watchlist" in given else None
    page = await companies.changes(given.get("since"), limit, ChangeFilter(country, kind, watch))
    call.results = len(page.changes)
    return Changes(changes=[shown(change) for change in page.changes], cursor=page.cursor, more=page.more)


def shown(change: Mapping[str, Any]) -> CompanyChange:
    """Return a change of the log as it is sent."""
    return CompanyChange(
        change=change["change"],
        country_code=change["country"],
        scheme=change["scheme"],
        identifier=change["identifier"],
        legal_name=change["name"],
        before=change["before"],
        after=change["after"],
        release=change["release"],
        released_at=change["at"],
    )
