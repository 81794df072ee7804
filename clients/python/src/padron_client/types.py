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
    Verdict: TypeAlias = Literal["ambiguous", "found", "invalid_input", "not_found", "possible"] | str
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
            "activity",
            "alternativeName",
            "formerName",
            "identifier",
            "legalName",
            "ticker",
            "tradeName",
        ]
        | str
    )
    Intent: TypeAlias = Literal["companies", "company", "list"] | str
    QuestionLanguage: TypeAlias = Literal["en", "es", "pt"] | str
    How: TypeAlias = Literal["bare", "torn", "whole"] | str
    Aspect: TypeAlias = (
        Literal[
            "activity",
            "country",
            "hasFinancials",
            "legalForm",
            "listed",
            "region",
            "scheme",
            "status",
        ]
        | str
    )
    Action: TypeAlias = (
        Literal[
            "activity",
            "broaderName",
            "exactName",
            "identifier",
            "oneDigitRepair",
            "otherCountries",
            "similarName",
        ]
        | str
    )
    NextAction: TypeAlias = (
        Literal[
            "disambiguate",
            "getEntity",
            "getFinancials",
            "mendIdentifier",
            "searchEverywhere",
            "seeCoverage",
        ]
        | str
    )
    NextMethod: TypeAlias = Literal["GET"] | str
    NameKind: TypeAlias = Literal["alternative", "former", "ticker", "trade"] | str
    IdentifierMatch: TypeAlias = Literal["alias", "branch", "primary"] | str
    StatementScope: TypeAlias = Literal["consolidated", "individual", "separate"] | str
    Reason: TypeAlias = Literal["none-held", "not-published"] | str
    Freshness: TypeAlias = Literal["failed", "fresh", "late", "manual"] | str
else:
    CountryCode = str
    Verdict = str
    Status = str
    MatchedOn = str
    Intent = str
    QuestionLanguage = str
    How = str
    Aspect = str
    Action = str
    NextAction = str
    NextMethod = str
    NameKind = str
    IdentifierMatch = str
    StatementScope = str
    Reason = str
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
    """What of the company the query agreed with; `activity` in a list of companies."""
    margin: float
    """Confidence less that of the next company."""
    explanations: dict[str, float]
    """What each feature added to the log-odds, the weightiest first."""
    explanation: str
    """Why it is a result, in the reader's language."""


class Reading(Struct, frozen=True, kw_only=True, rename="camel"):
    """One way the name of a company was taken."""

    how: How
    """As it stands; without what asks for it; without the words that describe the company."""
    name: str
    """The name that was looked for."""
    country: CountryCode | None
    """Where it was looked for."""
    chosen: bool
    """Whether the results are those of this reading."""


class AskedCompany(Struct, frozen=True, kw_only=True, rename="camel"):
    """A company that the text asks for."""

    text: str
    """The words that ask for it."""
    scheme: str | None
    """The kind of identifier that was asked for or given."""
    readings: list[Reading]
    """In the order they are tried."""


class Understood(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that was understood of the text beside the names in it."""

    aspect: Aspect
    """Pass it as `ignore` and it is not understood; `scheme` is a kind of identifier."""
    text: str
    """The words that say it."""
    value: str
    """What it was understood as: a code, where the aspect has codes."""


class Interpretation(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was made of the text."""

    intent: Intent
    """One company, several, or all that fit a description."""
    language: QuestionLanguage
    """The language that asks; `es` where none tells."""
    companies: list[AskedCompany]
    """Empty for a list."""
    understood: list[Understood]
    """In the order of the text."""
    ignored: list[str]
    """The aspects that `ignore` switched off."""
    left_out: int
    """Companies beyond the eighth, which were not looked for."""


class Step(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that was tried."""

    action: Action
    """What was tried."""
    detail: str
    """With what, in the reader's language."""
    found: int
    """Companies that this brought."""
    took_ms: float
    """The only member that may differ between two equal answers."""


class CompanyAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """The answer about one of several companies."""

    asked: str
    """The words that ask for it."""
    verdict: Verdict
    """As that of the whole answer."""
    sentence: str
    """What this comes to, in the reader's language, to be quoted."""
    best_match: V1Result | None
    """A search result and why it is one."""
    results: list[V1Result]
    """Three at most."""


class SearchedCountry(Struct, frozen=True, kw_only=True, rename="camel"):
    """Registers that were searched."""

    country_code: CountryCode
    """Country of the registers."""
    records: int
    """Companies held of it."""
    date: str | None
    """The newest date that its publishers state."""
    sources: list[str]
    """Names of the registers and data sets."""
    complete: bool
    """Every source is whole and up to date; else a company may exist that is not here."""


class NextStep(Struct, frozen=True, kw_only=True, rename="camel"):
    """A call that leads on."""

    action: NextAction
    """What the call does."""
    method: NextMethod
    """HTTP method of the call."""
    link: str
    """Address of the call."""
    why: str
    """What it is good for, in the reader's language."""


class V1Answer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of a search: the public one, and how far it can be relied on."""

    q: str
    """The query as received."""
    country: CountryCode | None
    """The country filter."""
    verdict: Verdict
    """`found` if and only if `bestMatch` is not null; `ambiguous`: several fit equally; `possible`: something like it,
    or a list of companies; `invalid_input`: a number that cannot be right, or nothing to look for."""
    sentence: str
    """What this comes to, in the reader's language, to be quoted."""
    best_match: V1Result | None
    """The first result of all when its confidence is 0.85 or higher."""
    suggested_countries: list[CountryCode]
    """Distinct countries of the results, when country was omitted and ≥ 2."""
    match_hints: list[str]
    """Short tips in the reader's language."""
    results: list[V1Result]
    """The results of this page, the likeliest first."""
    total: int
    """Results on all pages."""
    next_cursor: str | None
    """Pass it as `cursor` for the next page; null on the last one."""
    interpretation: Interpretation
    """What was made of the text."""
    steps: list[Step]
    """In the order they were tried."""
    companies: list[CompanyAnswer]
    """One for each company, where several were asked."""
    searched: list[SearchedCountry]
    """Where was looked."""
    next_steps: list[NextStep]
    """What leads on, the most useful first."""


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
    provenance: dict[str, str]
    """Member that a source stated -> key, in `sources`, of the one that gave it."""
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


class Measure(Struct, frozen=True, kw_only=True, rename="camel"):
    """A number computed from two amounts (docs/v1: which, and how)."""

    key: str
    """Of growth the figure that grew; of ratios netMargin, returnOnEquity …"""
    label: str
    """What it is called, in the reader's language."""
    value: float
    """0.05 is five percent; rounded to four decimals."""


class V1Statement(Struct, frozen=True, kw_only=True, rename="camel"):
    """A yearly statement, and what can be computed from it; a measure whose amounts are not all stated is absent."""

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
    growth: list[Measure]
    """Over the year before, in the same currency and scope."""
    ratios: list[Measure]
    """A number computed from two amounts (docs/v1: which, and how)."""


class Absence(Struct, frozen=True, kw_only=True, rename="camel"):
    """Why there are no statements."""

    reason: Reason
    """The country publishes none as open data; or it does, and none of this company is held."""
    es: str
    """The reason in Spanish, to be quoted."""
    en: str
    """The same in English."""


class Financials(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of the financial history, the latest year first."""

    entity: Record
    """A company as the single-company lookup gives it."""
    statements: list[V1Statement]
    """A yearly statement, and what can be computed from it; a measure whose amounts are not all stated is absent."""
    absence: Absence | None
    """Null where there are statements."""


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


class Offer(Struct, frozen=True, kw_only=True, rename="camel"):
    """What would open what was refused, and where it is bought."""

    plans: list[str]
    """Plans that include it, the cheapest first."""
    page: str
    """Where a person chooses one."""
    operation: str
    """Where a program POSTs `planId`."""


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
    offer: Offer | None = None
    """What would open what was refused, and where it is bought."""
    violated_policies: list[str] | None = field(default=None, name="violated-policies")
    """Of a spent quota: the policies, as `RateLimit-Policy` names them."""
