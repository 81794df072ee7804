"""What the service answers, as `/api/v1/openapi.json` and `/api/public/openapi.json` describe it.

Written by generate.py; a test fails when it is not what the service describes now. Names are those of the description,
members in snake_case. Members and values may be added to the service at any time: unknown members are left out; where
values are listed a text that is not in the list is let through.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct, field

if TYPE_CHECKING:
    CountryCode: TypeAlias = Literal["AR", "BR", "CO", "EC", "MX", "US"] | str
    Status: TypeAlias = (
        Literal[
            "active",
            "annulled",
            "dissolved",
            "in_liquidation",
            "inactive",
            "suspended",
            "unknown",
        ]
        | str
    )
    MatchedOn: TypeAlias = (
        Literal[
            "alternativeName",
            "formerName",
            "identifier",
            "legalName",
            "ticker",
            "tradeName",
        ]
        | str
    )
    NameKind: TypeAlias = Literal["alternative", "former", "ticker", "trade"] | str
    IdentifierMatch: TypeAlias = Literal["alias", "branch", "primary"] | str
    StatementScope: TypeAlias = Literal["consolidated", "individual", "separate"] | str
    Freshness: TypeAlias = Literal["failed", "fresh", "late", "manual"] | str
else:
    CountryCode = str
    Status = str
    MatchedOn = str
    NameKind = str
    IdentifierMatch = str
    StatementScope = str
    Freshness = str


class CanonicalUrls(Struct, frozen=True, kw_only=True, rename="camel"):
    """The company's page in each language."""

    es: str
    """In Spanish."""
    en: str
    """In English."""


class V1Result(Struct, frozen=True, kw_only=True, rename="camel"):
    """A search result and why it is one."""

    legal_name: str
    """Name in the register."""
    trade_name: str | None
    """Name it trades under, where the register states one."""
    country_code: CountryCode
    """Country of the register, not of the seat."""
    scheme: str
    """Scheme of `identifier`, for example `br-cnpj`."""
    identifier: str
    """Official identifier in canonical form: no separators."""
    id_label: str
    """What the identifier is called, in the reader's language."""
    confidence: float | None
    """Calibrated probability that this is the company meant."""
    status: Status | None
    """Null: the source publishes none. `unknown`: it publishes one we cannot map."""
    classification_code: str | None
    """Code of the main activity, in the country's own classification."""
    classification_label: str | None
    """Official wording, in the official language."""
    financials_available: bool
    """Whether there is a yearly statement in this release."""
    canonical_urls: CanonicalUrls
    """The company's page in each language."""
    matched_on: MatchedOn
    """What of the company the query agreed with."""
    margin: float
    """Confidence less that of the next company."""
    explanations: dict[str, float]
    """What each feature added to the log-odds, the weightiest first."""


class V1Answer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of a search, best match first."""

    q: str
    """The query as received."""
    country: CountryCode | None
    """The country filter."""
    best_match: V1Result | None
    """The first result of all when its confidence is 0.85 or higher."""
    suggested_countries: list[CountryCode]
    """Distinct countries of the results, when country was omitted and ≥ 2."""
    match_hints: list[str]
    """Short tips in the reader's language."""
    results: list[V1Result]
    """A search result and why it is one."""
    next_cursor: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


class SourceRef(Struct, frozen=True, kw_only=True, rename="camel"):
    """The official source that `legalName` was taken from."""

    source_name: str | None
    """Name of the register or data set."""
    source_url: str | None
    """Where its publisher offers it."""


class LegalForm(Struct, frozen=True, kw_only=True, rename="camel"):
    """A legal form: what the law calls the kind of company."""

    code: str | None
    """Our stable code within the country."""
    es: str | None
    """Name in Spanish."""
    en: str | None
    """Name in English."""
    official: str | None
    """As the register words it, where it does."""


class OtherName(Struct, frozen=True, kw_only=True, rename="camel"):
    """Another name of the company; dates where the register states them."""

    kind: NameKind
    """What kind of name."""
    name: str
    """The name."""
    since: dt.date | None
    """First day."""
    until: dt.date | None
    """Last day."""


class OtherIdentifier(Struct, frozen=True, kw_only=True, rename="camel"):
    """Another official number that leads to the company."""

    scheme: str
    """Scheme of `identifier`, for example `lei`."""
    identifier: str
    """The number in canonical form."""
    id_label: str
    """What it is called, in the reader's language."""


class Activity(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the company does, in the country's own classification."""

    code: str | None
    """Code of the activity."""
    label: str | None
    """Official wording, in the official language."""
    system: str
    """The classification: CIIU, SCIAN, SIC, CNAE or CLAE."""
    version: str
    """Its edition."""


class EntitySource(Struct, frozen=True, kw_only=True, rename="camel"):
    """An official source in full."""

    key: str
    """Our stable key of the source."""
    name: str
    """Name of the register or data set."""
    publisher: str
    """Who publishes it."""
    url: str | None
    """Where the publisher offers it."""
    licence: str
    """Terms it may be used under."""
    attribution: str
    """Whom to name when using it."""


class V1Links(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where to go on."""

    self: str
    """This answer."""
    financials: str
    """Yearly statements."""
    public: str
    """The public answer."""


class V1Record(Struct, frozen=True, kw_only=True, rename="camel"):
    """A company in full."""

    legal_name: str
    """Name in the register."""
    trade_name: str | None
    """Name it trades under, where the register states one."""
    country_code: CountryCode
    """Country of the register, not of the seat."""
    scheme: str
    """Scheme of `identifier`, for example `br-cnpj`."""
    identifier: str
    """Official identifier in canonical form: no separators."""
    id_label: str
    """What the identifier is called, in the reader's language."""
    confidence: float | None
    """Calibrated probability that this is the company meant."""
    status: Status | None
    """Null: the source publishes none. `unknown`: it publishes one we cannot map."""
    classification_code: str | None
    """Code of the main activity, in the country's own classification."""
    classification_label: str | None
    """Official wording, in the official language."""
    financials_available: bool
    """Whether there is a yearly statement in this release."""
    canonical_urls: CanonicalUrls
    """The company's page in each language."""
    source: SourceRef | None
    """The official source that `legalName` was taken from."""
    refreshed_at: dt.datetime | None
    """The date the publisher states for this data; never our build time."""
    official_status: str | None
    """The register's own wording of `status`."""
    legal_form: LegalForm | None
    """A legal form: what the law calls the kind of company."""
    names: list[OtherName]
    """Another name of the company; dates where the register states them."""
    identifiers: list[OtherIdentifier]
    """Another official number that leads to the company."""
    activities: list[Activity]
    """What the company does, in the country's own classification."""
    region: str | None
    """Province, state or department; never a street."""
    municipality: str | None
    """Municipality or canton."""
    incorporated_on: dt.date | None
    """Day of incorporation, or of entry into the register."""
    ended_on: dt.date | None
    """Day it ended."""
    establishments: int | None
    """Establishments the register counts."""
    country_of_incorporation: str | None
    """ISO 3166-1 alpha-2, of a foreign company in this register."""
    sources: list[EntitySource]
    """By precedence."""
    provenance: dict[str, list[str]]
    """Member -> keys of the sources asked for it, in order; the first that states it gave it."""
    completeness: float
    """Share of the members above that are known."""
    links: V1Links
    """Where to go on."""


class RequestedIdentifier(Struct, frozen=True, kw_only=True, rename="camel"):
    """The identifier as it was asked, in canonical form."""

    scheme: str
    """Scheme it was understood as."""
    identifier: str
    """The number in canonical form."""
    match: IdentifierMatch
    """How it relates to the company."""
    valid_check: bool | None
    """Null: the scheme has no check digit."""


class V1Entity(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of the entity lookup."""

    entity: V1Record
    """A company in full."""
    requested_identifier: RequestedIdentifier
    """The identifier as it was asked, in canonical form."""


class Record(Struct, frozen=True, kw_only=True, rename="camel"):
    """A company as the single-company lookup gives it."""

    legal_name: str
    """Name in the register."""
    trade_name: str | None
    """Name it trades under, where the register states one."""
    country_code: CountryCode
    """Country of the register, not of the seat."""
    scheme: str
    """Scheme of `identifier`, for example `br-cnpj`."""
    identifier: str
    """Official identifier in canonical form: no separators."""
    id_label: str
    """What the identifier is called, in the reader's language."""
    confidence: float | None
    """Calibrated probability that this is the company meant."""
    status: Status | None
    """Null: the source publishes none. `unknown`: it publishes one we cannot map."""
    classification_code: str | None
    """Code of the main activity, in the country's own classification."""
    classification_label: str | None
    """Official wording, in the official language."""
    financials_available: bool
    """Whether there is a yearly statement in this release."""
    canonical_urls: CanonicalUrls
    """The company's page in each language."""
    source: SourceRef | None
    """The official source that `legalName` was taken from."""
    refreshed_at: dt.datetime | None
    """The date the publisher states for this data; never our build time."""


class Figure(Struct, frozen=True, kw_only=True, rename="camel"):
    """One amount of a statement, exact, as text: in `currency` times `unit`."""

    key: str
    """revenue, grossProfit, netProfit, assets, equity …; a figure not stated is absent."""
    label: str
    """What it is called, in the reader's language."""
    amount: str
    """A decimal number."""
    basis: str | None
    """Tag, account or column of the source that it was taken from."""
    first_reported: str | None
    """As first reported, where a later filing changed it."""


class Filing(Struct, frozen=True, kw_only=True, rename="camel"):
    """The filing that the profit was taken from."""

    form: str | None
    """Its kind, as the publisher calls it: 10-K, 20-F, DFP …"""
    reference: str | None
    """The publisher's reference."""
    filed_on: dt.date | None
    """Day it was filed."""


class Statement(Struct, frozen=True, kw_only=True, rename="camel"):
    """A yearly statement of a company."""

    fiscal_year: int
    """The year the company calls it by."""
    period_start: dt.date | None
    """First day, where it is stated."""
    period_end: dt.date
    """Last day."""
    currency: str
    """ISO 4217, as reported."""
    unit: int
    """What an amount of 1 stands for: always 1."""
    scope: StatementScope
    """With its subsidiaries; the parent alone; a company that files alone."""
    figures: list[Figure]
    """One amount of a statement, exact, as text: in `currency` times `unit`."""
    employees: int | None
    """People employed, where the source states it."""
    restated: bool
    """A later filing changed a figure by more than 0.1 %."""
    filing: Filing
    """The filing that the profit was taken from."""
    source: EntitySource
    """An official source in full."""
    checks: list[str]
    """Checks that the published figures fail."""


class Financials(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of the financial history, the latest year first."""

    entity: Record
    """A company as the single-company lookup gives it."""
    statements: list[Statement]
    """A yearly statement of a company."""


class SourceState(Struct, frozen=True, kw_only=True, rename="camel"):
    """One official source behind a country's records."""

    name: str
    """Name of the register or data set."""
    url: str | None
    """Where the publisher offers it."""
    licence: str
    """Terms it may be used under."""
    attribution: str
    """Whom to name when using it."""
    date: dt.date | None
    """Date of the newest data of this source in the release."""
    records: int
    """Companies this source contributed to."""
    state: Freshness
    """`late`: older than its publisher makes them; `failed`: not fetched; `manual`: got by hand."""


class CountryCoverage(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a country's part of the release holds."""

    country_code: CountryCode
    """Country of the registers."""
    companies: int
    """Companies in the directory."""
    by_scheme: dict[str, int]
    """Companies by the scheme of their `identifier`."""
    sources: list[SourceState]
    """One official source behind a country's records."""


class Coverage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Live public record counts by country."""

    countries: list[CountryCoverage]
    """What a country's part of the release holds."""
    total: int
    """Companies of all countries."""
    release: str
    """Id of the release being served."""
    generated_at: dt.datetime
    """When the release was built."""


class CheckoutShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """A checkout that was begun."""

    checkout_url: str
    """Where the buyer pays."""
    checkout_id: str
    """Id of this checkout."""
    plan_id: str
    """The plan that is bought."""
    expires_at: dt.datetime
    """Until then it can be paid."""


class FieldError(Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing wrong with a request."""

    detail: str
    """What is wrong."""
    parameter: str | None = None
    """Name of the parameter."""
    pointer: str | None = None
    """JSON Pointer into the body."""


class Problem(Struct, frozen=True, kw_only=True, rename="camel"):
    """An error, as RFC 9457 `application/problem+json`."""

    type: str
    """Kind of problem, as RFC 9457 names it."""
    title: str
    """The kind in a few words."""
    status: int
    """HTTP status."""
    detail: str
    """What went wrong and how to mend it."""
    instance: str
    """This occurrence."""
    code: str
    """Stable; `title` and `detail` follow the language."""
    request_id: str
    """The same as `X-Request-Id`; quote it when asking for help."""
    errors: list[FieldError] | None = None
    """One thing wrong with a request."""
    violated_policies: list[str] | None = field(default=None, name="violated-policies")
    """Of a spent quota: the policies, as `RateLimit-Policy` names them."""
