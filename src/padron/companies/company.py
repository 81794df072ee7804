"""A company in each of its forms: read from a snapshot, stored in an index, sent in an answer.

Generated from padron/companies/fields.py by `make generate`: edit that table, never this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from padron.companies.model import (
    Activity,
    CanonicalUrls,
    CountryCode,
    EntitySource,
    LegalForm,
    Name,
    OtherIdentifier,
    OtherName,
    SourceRef,
    V1Links,
    Wire,
)

_CACHED: Final = 1 << 14
"""Lists of sources that many companies share, kept at hand."""


class Company(NamedTuple):
    """A company as it is read from a snapshot: its country, its columns, and its link.

    Dates are ISO texts. `link` is the same text for the records of one company in several registers,
    None where it stands in one; `link_home` marks the record of the home register among them, and
    `linked_names` are the trade, former and by-names that the others state.
    """

    country: str
    scheme: str
    identifier: str
    aliases: tuple[tuple[str, str], ...]
    legal_name: str
    trade_name: str | None
    names: tuple[Name, ...]
    status: str | None
    status_raw: str | None
    legal_form_raw: str | None
    activity_code: str | None
    activity_label: str | None
    region: str | None
    municipality: str | None
    incorporated: str | None
    ended: str | None
    establishments: int | None
    home: str | None
    size: float | None
    source: str
    sources: tuple[str, ...]
    given: tuple[str | None, ...]
    refreshed: str | None
    financials: bool
    link: str | None = None
    link_home: bool = True
    linked_names: tuple[Name, ...] = ()


def from_row(country: str, row: tuple[Any, ...], link: str | None, link_home: bool) -> Company:
    """Return the company of a row of companies.parquet, selected in the order of the columns.

    Args:
        row: The columns; dates as ISO texts, structs as lists.
        link: Text shared by the records of one company in several registers.
        link_home: Whether this is the record of the home register among them.
    """
    (
        scheme,
        identifier,
        aliases,
        legal_name,
        trade_name,
        names,
        status,
        status_raw,
        legal_form_raw,
        activity_code,
        activity_label,
        region,
        municipality,
        incorporated,
        ended,
        establishments,
        home,
        size,
        source,
        sources,
        given,
        refreshed,
        financials,
    ) = row
    return Company(
        country=country,
        scheme=scheme,
        identifier=identifier,
        aliases=tuple([(kind, value) for kind, value in aliases]),
        legal_name=legal_name,
        trade_name=trade_name,
        names=tuple([Name(*name) for name in names]),
        status=status,
        status_raw=status_raw,
        legal_form_raw=legal_form_raw,
        activity_code=activity_code,
        activity_label=activity_label,
        region=region,
        municipality=municipality,
        incorporated=incorporated,
        ended=ended,
        establishments=establishments,
        home=home,
        size=size,
        source=source,
        sources=tuple(sources),
        given=tuple(given),
        refreshed=refreshed,
        financials=financials,
        link=link,
        link_home=link_home,
    )


class StoredRecord(Struct, array_like=True, frozen=True, gc=False):
    """The columns of a company in an index; shared texts are numbers into `Tables.texts`, 0 for null."""

    scheme: int
    identifier: str
    aliases: tuple[tuple[int, str], ...]
    legal_name: str
    trade_name: str | None
    names: tuple[tuple[int, str, str | None, str | None], ...]
    status: int
    status_raw: int
    legal_form_raw: int
    activity_code: int
    activity_label: int
    region: int
    municipality: int
    incorporated: str | None
    ended: str | None
    establishments: int | None
    home: int
    source: int
    sources: int
    given: int
    refreshed: int
    financials: bool


def stored_record(company: Company, texts: Mapping[str | None, int]) -> StoredRecord:
    """Return what an index stores of a company; `texts` gives the number of a shared text."""
    return StoredRecord(
        scheme=texts[company.scheme],
        identifier=company.identifier,
        aliases=tuple([(texts[scheme], value) for scheme, value in company.aliases]),
        legal_name=company.legal_name,
        trade_name=company.trade_name,
        names=tuple([(texts[name.public_kind], name.name, name.since, name.until) for name in company.names]),
        status=texts[company.status],
        status_raw=texts[company.status_raw],
        legal_form_raw=texts[company.legal_form_raw],
        activity_code=texts[company.activity_code],
        activity_label=texts[company.activity_label],
        region=texts[company.region],
        municipality=texts[company.municipality],
        incorporated=company.incorporated,
        ended=company.ended,
        establishments=company.establishments,
        home=texts[company.home],
        source=texts[company.source],
        sources=texts[_joined(company.sources)],
        given=texts[_joined(company.given)],
        refreshed=texts[company.refreshed],
        financials=company.financials,
    )


class Teaser(Wire, frozen=True, kw_only=True):
    """A company in search results."""

    legal_name: Annotated[str, Meta(description="Name in the register.")]
    trade_name: Annotated[str, Meta(description="Name it trades under, where the register states one.")] | None
    country_code: Annotated[CountryCode, Meta(description="Country of the register, not of the seat.")]
    scheme: Annotated[str, Meta(description="Scheme of `identifier`, for example `br-cnpj`.")]
    identifier: Annotated[str, Meta(description="Official identifier in canonical form: no separators.")]
    id_label: Annotated[str, Meta(description="What the identifier is called, in the reader's language.")]
    confidence: (
        Annotated[float, Meta(ge=0, le=1, description="Calibrated probability that this is the company meant.")] | None
    )
    status: (
        Annotated[
            Literal["active", "inactive", "suspended", "in_liquidation", "dissolved", "annulled", "unknown"],
            Meta(description="Null: the source publishes none. `unknown`: it publishes one we cannot map."),
        ]
        | None
    )
    classification_code: (
        Annotated[str, Meta(description="Code of the main activity, in the country's own classification.")] | None
    )
    classification_label: Annotated[str, Meta(description="Official wording, in the official language.")] | None
    financials_available: Annotated[bool, Meta(description="Whether there is a yearly statement in this release.")]
    canonical_urls: CanonicalUrls


def teaser(
    stored: StoredRecord,
    texts: Sequence[str],
    *,
    country_code: CountryCode,
    id_label: str,
    confidence: float | None,
    canonical_urls: CanonicalUrls,
) -> Teaser:
    """Return a company in search results; `texts` are the shared texts of the index."""
    return Teaser(
        legal_name=stored.legal_name,
        trade_name=stored.trade_name,
        country_code=country_code,
        scheme=texts[stored.scheme],
        identifier=stored.identifier,
        id_label=id_label,
        confidence=confidence,
        status=texts[stored.status] or None,  # type: ignore[arg-type]
        classification_code=texts[stored.activity_code] or None,
        classification_label=texts[stored.activity_label] or None,
        financials_available=stored.financials,
        canonical_urls=canonical_urls,
    )


class Record(Teaser, frozen=True, kw_only=True):
    """A company in the answer of a lookup."""

    source: SourceRef | None
    refreshed_at: (
        Annotated[
            datetime,
            Meta(
                description="Date the publisher states, or else the day the file was retrieved; never our build time."
            ),
        ]
        | None
    )


def record(
    stored: StoredRecord,
    texts: Sequence[str],
    *,
    country_code: CountryCode,
    id_label: str,
    confidence: float | None,
    canonical_urls: CanonicalUrls,
    source: SourceRef | None,
) -> Record:
    """Return a company in the answer of a lookup; `texts` are the shared texts of the index."""
    return Record(
        legal_name=stored.legal_name,
        trade_name=stored.trade_name,
        country_code=country_code,
        scheme=texts[stored.scheme],
        identifier=stored.identifier,
        id_label=id_label,
        confidence=confidence,
        status=texts[stored.status] or None,  # type: ignore[arg-type]
        classification_code=texts[stored.activity_code] or None,
        classification_label=texts[stored.activity_label] or None,
        financials_available=stored.financials,
        canonical_urls=canonical_urls,
        source=source,
        refreshed_at=_midnight(texts[stored.refreshed] or None),
    )


class Details(NamedTuple):
    """The columns of a company that are served beside its public record."""

    status_raw: str | None
    legal_form_raw: str | None
    region: str | None
    municipality: str | None
    incorporated: date | None
    ended: date | None
    establishments: int | None
    home: str | None


def details(stored: StoredRecord, texts: Sequence[str]) -> Details:
    """Return the columns that are served beside the public record; `texts` are those of the index."""
    return Details(
        status_raw=texts[stored.status_raw] or None,
        legal_form_raw=texts[stored.legal_form_raw] or None,
        region=texts[stored.region] or None,
        municipality=texts[stored.municipality] or None,
        incorporated=_date(stored.incorporated),
        ended=_date(stored.ended),
        establishments=stored.establishments,
        home=texts[stored.home] or None,
    )


class V1Record(Record, frozen=True, kw_only=True):
    """The full record of a company."""

    official_status: Annotated[str, Meta(description="The register's own wording of `status`.")] | None
    legal_form: LegalForm | None
    names: list[OtherName]
    identifiers: list[OtherIdentifier]
    activities: list[Activity]
    region: Annotated[str, Meta(description="Province, state or department; never a street.")] | None
    municipality: Annotated[str, Meta(description="Municipality or canton.")] | None
    incorporated_on: Annotated[date, Meta(description="Day of incorporation, or of entry into the register.")] | None
    ended_on: Annotated[date, Meta(description="Day it ended.")] | None
    establishments: Annotated[int, Meta(ge=0, description="Establishments the register counts.")] | None
    country_of_incorporation: (
        Annotated[str, Meta(description="ISO 3166-1 alpha-2, of a foreign company in this register.")] | None
    )
    sources: Annotated[list[EntitySource], Meta(description="By precedence.")]
    provenance: Annotated[
        dict[str, str], Meta(description="Member that a source stated -> key, in `sources`, of the one that gave it.")
    ]
    completeness: Annotated[float, Meta(ge=0, le=1, description="Share of the members above that are known.")]
    links: V1Links


def v1_record(
    record: Record,
    details: Details,
    *,
    legal_form: LegalForm | None,
    names: list[OtherName],
    identifiers: list[OtherIdentifier],
    activities: list[Activity],
    sources: list[EntitySource],
    provenance: dict[str, str],
    completeness: float,
    links: V1Links,
) -> V1Record:
    """Return a company in full."""
    return V1Record(
        legal_name=record.legal_name,
        trade_name=record.trade_name,
        country_code=record.country_code,
        scheme=record.scheme,
        identifier=record.identifier,
        id_label=record.id_label,
        confidence=record.confidence,
        status=record.status,
        classification_code=record.classification_code,
        classification_label=record.classification_label,
        financials_available=record.financials_available,
        canonical_urls=record.canonical_urls,
        source=record.source,
        refreshed_at=record.refreshed_at,
        official_status=details.status_raw,
        legal_form=legal_form,
        names=names,
        identifiers=identifiers,
        activities=activities,
        region=details.region,
        municipality=details.municipality,
        incorporated_on=details.incorporated,
        ended_on=details.ended,
        establishments=details.establishments,
        country_of_incorporation=details.home,
        sources=sources,
        provenance=provenance,
        completeness=completeness,
        links=links,
    )


@lru_cache(maxsize=_CACHED)
def _joined(keys: tuple[str | None, ...]) -> str:
    return "|".join([key or "" for key in keys])


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _midnight(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
