"""`/api/v1/watchlists`: the companies and saved searches whose changes an account asks for."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.types import Receive

from padron import threads
from padron.accounts.keys import Grant
from padron.accounts.watchlists import (
    CompanyKey,
    SavedSearch,
    WantedChange,
    Watched,
    WatchedCompany,
    Watchlist,
    Watchlists,
)
from padron.api.account_model import moment
from padron.companies.model import CountryCode, Wire
from padron.countries import REGISTRY
from padron.errors import Invalid, NotFound, PadronError, messages
from padron.lookup.detail import LocatedDetail
from padron.lookup.hints import wrong_check_digit
from padron.releases.change_log import Watch
from padron.text import tokens
from padron.transport import inputs
from padron.transport.auth import KeyAuthenticator
from padron.transport.bodies import Body, read_json
from padron.transport.call import Call
from padron.transport.inputs import IDENTIFIER_LENGTH
from padron.words import Language

PAGE: Final = (1, 1_000, 100)
"""Fewest, most and default number of companies of a page."""
MOST_AT_ONCE: Final = 1_000
"""Companies that one request adds or removes, at most."""
MOST_SEARCHES: Final = 100
MOST_BYTES: Final = 262_144
MOST_DIGITS: Final = 5
"""Digits of a saved search, at most: numbers are no words of a name, and those of people are never kept."""

_CURSOR = re.compile(r"[0-9]{1,18}")

Details = Callable[[str, str, Language], Awaitable[LocatedDetail]]
"""Look up a company by country and identifier; raise as `Directory.get`."""

_PLAIN = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
Name = Annotated[
    str, Meta(min_length=1, max_length=80, pattern=_PLAIN, description="Name of the watchlist; unique in the account.")
]
Words = Annotated[
    str,
    Meta(
        min_length=2,
        max_length=100,
        pattern=_PLAIN,
        description="Words of a name, in any order: a change fits if the name before or after it has all of them.",
    ),
]


class CompanyToWatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A company, by any of its identifiers."""

    country: Annotated[str, Meta(min_length=2, max_length=2, pattern=r"^[A-Za-z]{2}$", description="Its register.")]
    identifier: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=IDENTIFIER_LENGTH,
            pattern=r"^[^\x00-\x1f\x7f-\x9f]*$",
            description="Any of its official identifiers, formatted or not.",
        ),
    ]


class SearchToSave(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A saved search."""

    text: Words
    country: (
        Annotated[str, Meta(min_length=2, max_length=2, pattern=r"^[A-Za-z]{2}$", description="Only this country.")]
        | None
    ) = None


class NewWatchlist(Body, frozen=True, kw_only=True):
    """A new watchlist, empty at first."""

    name: Name


class ChangeWatchlist(Body, frozen=True, kw_only=True):
    """A change of a watchlist; all members are optional."""

    name: Name | UnsetType = UNSET
    add_companies: Annotated[list[CompanyToWatch], Meta(max_length=MOST_AT_ONCE, description="Companies to watch.")] = (
        msgspec.field(default_factory=list)
    )
    remove_companies: Annotated[
        list[CompanyToWatch], Meta(max_length=MOST_AT_ONCE, description="Companies to watch no longer.")
    ] = msgspec.field(default_factory=list)
    add_searches: Annotated[list[SearchToSave], Meta(max_length=MOST_SEARCHES, description="Searches to save.")] = (
        msgspec.field(default_factory=list)
    )
    remove_searches: Annotated[
        list[Annotated[str, Meta(pattern="^srch_[0-9a-f]{24}$")]],
        Meta(max_length=MOST_SEARCHES, description="Ids of searches to remove."),
    ] = msgspec.field(default_factory=list)


class WatchlistSummary(Wire, frozen=True, kw_only=True):
    """A watchlist, and how much it holds."""

    id: Annotated[str, Meta(description="Id of the watchlist.")]
    name: Annotated[str, Meta(description="Its name.")]
    created_at: Annotated[datetime, Meta(description="When it was created.")]
    companies: Annotated[int, Meta(description="Number of its companies.")]
    searches: Annotated[int, Meta(description="Number of its saved searches.")]


class WatchlistList(Wire, frozen=True, kw_only=True):
    """The watchlists of the account, the oldest first."""

    watchlists: Annotated[list[WatchlistSummary], Meta(description="The watchlists.")]


class WatchedEntry(Wire, frozen=True, kw_only=True):
    """A company of a watchlist."""

    country_code: Annotated[CountryCode, Meta(description="Country of the register.")]
    identifier: Annotated[str, Meta(description="The identifier by which it was added, in canonical form.")]
    legal_name: (
        Annotated[str, Meta(description="Its name in the current release; null: the release does not have it.")] | None
    )
    added_at: Annotated[datetime, Meta(description="When it was added.")]


class SavedSearchShown(Wire, frozen=True, kw_only=True):
    """A saved search."""

    id: Annotated[str, Meta(description="Id of the search.")]
    text: Annotated[str, Meta(description="Words of a name.")]
    country: Annotated[CountryCode, Meta(description="Only this country; null: all.")] | None
    added_at: Annotated[datetime, Meta(description="When it was added.")]


class WatchlistContent(Wire, frozen=True, kw_only=True):
    """A watchlist with a page of its companies, in the order in which they were added."""

    watchlist: WatchlistSummary
    companies: Annotated[list[WatchedEntry], Meta(description="A page of its companies.")]
    next_cursor: Annotated[str, Meta(description="`cursor` of the next page; null: this is the last.")] | None
    searches: Annotated[list[SavedSearchShown], Meta(description="All its saved searches.")]


class RefusedEntry(Wire, frozen=True, kw_only=True):
    """A company that was not added or removed."""

    pointer: Annotated[str, Meta(description="Its place in the request (JSON Pointer).")]
    code: Annotated[str, Meta(description="Code of the error.")]
    detail: Annotated[str, Meta(description="What is wrong, and what helps.")]


class WatchlistChanged(Wire, frozen=True, kw_only=True):
    """A watchlist after a change."""

    watchlist: WatchlistSummary
    added: Annotated[int, Meta(description="Companies and searches that it did not hold before.")]
    removed: Annotated[int, Meta(description="Companies and searches that it holds no longer.")]
    refused: Annotated[list[RefusedEntry], Meta(description="Companies that could not be added or removed, and why.")]


class WatchlistRequest(NamedTuple):
    """A request to one of these routes: the account's watchlists, how to look up a company, the grant of the key."""

    watchlists: Watchlists
    details: Details
    authenticator: KeyAuthenticator
    call: Call
    grant: Grant
    receive: Receive

    @property
    def item(self) -> str:
        """Id of the watchlist in the path."""
        return str(self.call.scope["path_params"]["watchlist"])


Handler = Callable[[WatchlistRequest], Awaitable[object]]


async def create(request: WatchlistRequest) -> WatchlistSummary:
    """Create a watchlist."""
    inputs.parameters(request.call.scope["query_string"])
    body = await read_json(request.call, request.receive, NewWatchlist)
    made = await threads.ask_accounts(
        request.grant.account,
        request.watchlists.create,
        request.grant.account,
        body.name.strip(),
        WantedChange(),
        "key",
    )
    return summary(made)


async def show_all(request: WatchlistRequest) -> WatchlistList:
    """Return the watchlists of the account."""
    inputs.parameters(request.call.scope["query_string"])
    held = await threads.ask_accounts(request.grant.account, request.watchlists.of, request.grant.account)
    return WatchlistList(watchlists=[summary(watchlist) for watchlist in held])


async def show(request: WatchlistRequest) -> WatchlistContent:
    """Return a watchlist with a page of its companies."""
    faults = inputs.Faults()
    given = inputs.parameters(request.call.scope["query_string"], ("cursor", "limit"), faults)
    after, limit = given.get("cursor", "0"), PAGE[2]
    with faults:
        limit = inputs.limit(given, PAGE)
    with faults:
        if not _CURSOR.fullmatch(after):
            raise Invalid("bad-cursor", parameter="cursor")
    faults.raise_collected()
    own, companies, searches = await threads.ask_accounts(
        request.grant.account, request.watchlists.page, request.grant.account, request.item, int(after), limit + 1
    )
    more, companies = len(companies) > limit, companies[:limit]
    return WatchlistContent(
        watchlist=summary(own),
        companies=[await _entry(request, company) for company in companies],
        next_cursor=str(companies[-1].number) if more else None,
        searches=[search_shown(search) for search in searches],
    )


async def change(request: WatchlistRequest) -> WatchlistChanged:
    """Change a watchlist. A company that is not held is refused by itself, and the others are taken."""
    inputs.parameters(request.call.scope["query_string"])
    async with request.authenticator.list_turn(request.call, request.grant, streamed=False):
        return await _changed(request)


async def _changed(request: WatchlistRequest) -> WatchlistChanged:
    request.call.scope["padron.only_reads"] = True  # until it writes
    body = await read_json(request.call, request.receive, ChangeWatchlist, MOST_BYTES)
    searches = _searches(body.add_searches)
    account = request.grant.account
    await threads.ask_accounts(request.grant.account, request.watchlists.get, account, request.item)
    refused: list[RefusedEntry] = []
    added = await _resolved(request, "addCompanies", body.add_companies, refused)
    removed = await _resolved(request, "removeCompanies", body.remove_companies, refused, keep=True)
    wanted = WantedChange(
        None if body.name is UNSET else body.name.strip(), added, removed, searches, body.remove_searches
    )
    request.call.scope["padron.only_reads"] = False
    own, many, fewer = await threads.ask_accounts(
        request.grant.account, request.watchlists.change, account, request.item, wanted, "key"
    )
    return WatchlistChanged(watchlist=summary(own), added=many, removed=fewer, refused=refused)


async def remove(request: WatchlistRequest) -> None:
    """Delete a watchlist."""
    inputs.parameters(request.call.scope["query_string"])
    await threads.ask_accounts(
        request.grant.account, request.watchlists.delete, request.grant.account, request.item, "key"
    )


ALL: Final[dict[str, tuple[Handler, int]]] = {"GET": (show_all, 200), "POST": (create, 201)}
"""Handlers of `/watchlists` and the status of their answers, by method."""
SINGLE: Final[dict[str, tuple[Handler, int]]] = {"GET": (show, 200), "PATCH": (change, 200), "DELETE": (remove, 204)}
"""Handlers of `/watchlists/{watchlist}` and the status of their answers, by method."""


async def watch_of(watchlists: Watchlists, account: str, watchlist: str) -> Watch:
    """Return what a watchlist selects of the change log.

    Raises:
        NotFound: `watchlist-not-found`.
    """
    return await threads.ask_accounts(account, lambda: selection(watchlists.watched(account, watchlist)))


def selection(watched: Watched) -> Watch:
    """Return what the content of a watchlist selects of the change log: some tenths of a second for a large one."""
    return Watch(watched.companies, ((search.country, search.text) for search in watched.searches))


def summary(watchlist: Watchlist) -> WatchlistSummary:
    """Return a watchlist as it is sent."""
    shown = watchlist._asdict() | {"created_at": moment(watchlist.created_at)}
    return WatchlistSummary(**shown)


def search_shown(search: SavedSearch) -> SavedSearchShown:
    """Return a saved search as it is sent."""
    return SavedSearchShown(**search._asdict() | {"added_at": moment(search.added_at)})


async def _entry(request: WatchlistRequest, company: WatchedCompany) -> WatchedEntry:
    """Return a company as it is sent; one that left the directory, or is suppressed, without its name."""
    await threads.pause()
    try:
        located = await request.details(company.country, company.identifier, request.call.language)
        name: str | None = located.detail.record.legal_name
    except (NotFound, Invalid):
        name = None
    return WatchedEntry(
        country_code=company.country,
        identifier=company.identifier,
        legal_name=name,
        added_at=moment(company.added_at),
    )


def _searches(given: Sequence[SearchToSave]) -> list[tuple[str, str | None]]:
    """Return saved searches, checked. Raises `Invalid("bad-saved-search")`, `Invalid("unknown-country")`."""
    faults, checked = inputs.Faults(), []
    for place, search in enumerate(given):
        with faults:
            text = words_of_name(search.text, f"addSearches[{place}].text")
            checked.append((text, _country(search.country, f"addSearches[{place}].country")))
    faults.raise_collected()
    return checked


def words_of_name(text: str, parameter: str) -> str:
    """Return the text of a search to keep, without blanks around it. Raises `Invalid("bad-saved-search")`."""
    text = text.strip()
    if not tokens(text) or sum(map(str.isdigit, text)) > MOST_DIGITS:
        raise Invalid("bad-saved-search", parameter=parameter, most=MOST_DIGITS)
    return text


def _country(text: str | None, parameter: str) -> str | None:
    if text is None:
        return None
    try:
        return inputs.country_code(text)
    except Invalid as error:
        raise Invalid("unknown-country", parameter=parameter, known=error.context["known"]) from error


async def _resolved(
    request: WatchlistRequest,
    member: str,
    given: Sequence[CompanyToWatch],
    refused: list[RefusedEntry],
    *,
    keep: bool = False,
) -> list[CompanyKey]:
    """Return companies by their canonical identifiers, and add those that are not held to `refused`.

    Args:
        member: The member of the body that holds them.
        refused: The companies that are refused.
        keep: Return one that the directory does not hold as it was given: it may have been watched before it left.
    """
    resolved = []
    for place, company in enumerate(given):
        await threads.pause()
        try:
            resolved.append(await _key(request, company, keep=keep))
        except (Invalid, NotFound) as error:
            refused.append(_refused(f"/{member}/{place}", error, request.call.language))
    return resolved


async def _key(request: WatchlistRequest, company: CompanyToWatch, *, keep: bool) -> CompanyKey:
    """Return the key of a company in a request; `keep` and the errors are as of `_resolved`."""
    country = inputs.country_code(company.country)
    try:
        located = await request.details(country, company.identifier, request.call.language)
    except NotFound:
        if keep:
            return country, company.identifier.strip().upper()
        raise
    return key_to_watch(located, country)


def key_to_watch(located: LocatedDetail, country: str) -> CompanyKey:
    """Return by what a company is watched.

    Args:
        located: The company, as it was asked for.

    Returns:
        Its country and its canonical identifier.

    Raises:
        NotFound: `company-not-found`, the check digit asked for is wrong: another company may be meant.
    """
    if located.mistyped:
        scheme = REGISTRY[country].scheme_by_code[located.requested.scheme]
        raise NotFound("company-not-found", country=country, hints=wrong_check_digit(scheme, None))
    return located.detail.record.country_code, located.detail.record.identifier


def _refused(pointer: str, error: PadronError, language: Language) -> RefusedEntry:
    return RefusedEntry(pointer=f"#{pointer}", code=error.code, detail=messages.detail(error, language))
