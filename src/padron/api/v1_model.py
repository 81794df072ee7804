"""Wire models of the authenticated interface, and how they are made of what the directory knows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from padron.accounts.keys import Scope
from padron.accounts.plans import Feature
from padron.countries import REGISTRY
from padron.lookup.detail import Detail
from padron.model import EntitySource, Language, Record, Statement, Wire

NameKind = Literal["trade", "former", "alternative", "ticker"]

Relation = Literal["primary", "alias", "branch"]

_WIRE: Final = {
    "legal_name": "legalName",
    "trade_name": "tradeName",
    "status_raw": "officialStatus",
    "legal_form_raw": "legalForm",
    "activity_code": "activities",
    "region": "region",
    "municipality": "municipality",
    "incorporated": "incorporatedOn",
    "ended": "endedOn",
    "establishments": "establishments",
}
"""Columns whose source is told (`country.GIVEN`), and the member each of them becomes."""


class LegalForm(Wire, frozen=True, kw_only=True):
    """A legal form: what the law calls the kind of company."""

    code: Annotated[str, Meta(description="Our stable code within the country.")] | None
    es: Annotated[str, Meta(description="Name in Spanish.")] | None
    en: Annotated[str, Meta(description="Name in English.")] | None
    official: Annotated[str, Meta(description="As the register words it, where it does.")] | None


class OtherName(Wire, frozen=True, kw_only=True):
    """Another name of the company; dates where the register states them."""

    kind: Annotated[NameKind, Meta(description="What kind of name.")]
    name: Annotated[str, Meta(description="The name.")]
    since: Annotated[date, Meta(description="First day.")] | None
    until: Annotated[date, Meta(description="Last day.")] | None


class OtherIdentifier(Wire, frozen=True, kw_only=True):
    """Another official number that leads to the company."""

    scheme: Annotated[str, Meta(description="Scheme of `identifier`, for example `lei`.")]
    identifier: Annotated[str, Meta(description="The number in canonical form.")]
    id_label: Annotated[str, Meta(description="What it is called, in the reader's language.")]


class Activity(Wire, frozen=True, kw_only=True):
    """What the company does, in the country's own classification."""

    code: Annotated[str, Meta(description="Code of the activity.")] | None
    label: Annotated[str, Meta(description="Official wording, in the official language.")] | None
    system: Annotated[str, Meta(description="The classification: CIIU, SCIAN, SIC, CNAE or CLAE.")]
    version: Annotated[str, Meta(description="Its edition.")]


class V1Links(Wire, frozen=True, kw_only=True):
    """Where to go on."""

    self: Annotated[str, Meta(description="This answer.")]
    financials: Annotated[str, Meta(description="Yearly statements.")]
    public: Annotated[str, Meta(description="The public answer.")]


class V1Record(Record, frozen=True, kw_only=True):
    """A company in full."""

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
        dict[str, str],
        Meta(description="Member that a source stated -> key, in `sources`, of the one that gave it."),
    ]
    completeness: Annotated[float, Meta(ge=0, le=1, description="Share of the members above that are known.")]
    links: V1Links


class RequestedIdentifier(Wire, frozen=True, kw_only=True):
    """The identifier as it was asked, in canonical form."""

    scheme: Annotated[str, Meta(description="Scheme it was understood as.")]
    identifier: Annotated[str, Meta(description="The number in canonical form.")]
    match: Annotated[Relation, Meta(description="How it relates to the company.")]
    valid_check: Annotated[bool, Meta(description="Null: the scheme has no check digit.")] | None


class V1Entity(Wire, frozen=True, kw_only=True):
    """Answer of the entity lookup."""

    entity: V1Record
    requested_identifier: RequestedIdentifier


class Measure(Wire, frozen=True, kw_only=True):
    """A number computed from two amounts (docs/v1: which, and how)."""

    key: Annotated[str, Meta(description="Of growth the figure that grew; of ratios netMargin, returnOnEquity …")]
    label: Annotated[str, Meta(description="What it is called, in the reader's language.")]
    value: Annotated[float, Meta(description="0.05 is five percent; rounded to four decimals.")]


class V1Statement(Statement, frozen=True, kw_only=True):
    """A yearly statement, and what can be computed from it; a measure whose amounts are not all stated is absent."""

    growth: Annotated[list[Measure], Meta(description="Over the year before, in the same currency and scope.")]
    ratios: list[Measure]


class Absence(Wire, frozen=True, kw_only=True):
    """Why there are no statements."""

    reason: Annotated[
        Literal["not-published", "none-held"],
        Meta(description="The country publishes none as open data; or it does, and none of this company is held."),
    ]
    es: Annotated[str, Meta(description="The reason in Spanish, to be quoted.")]
    en: Annotated[str, Meta(description="The same in English.")]


class Financials(Wire, frozen=True, kw_only=True):
    """Answer of the financial history, the latest year first."""

    entity: Record
    statements: list[V1Statement]
    absence: Annotated[Absence | None, Meta(description="Null where there are statements.")]


class UsageWindow(Wire, frozen=True, kw_only=True):
    """A limit and what is left of it."""

    limit: Annotated[int, Meta(description="Requests, or answers, in all.")]
    remaining: Annotated[int, Meta(description="Those that are left.")]
    resets_at: Annotated[datetime, Meta(description="When all are there again.")]


class UsageDay(Wire, frozen=True, kw_only=True):
    """Successful answers of one UTC day."""

    date: Annotated[date, Meta(description="The day.")]
    answers: Annotated[int, Meta(description="How many.")]


class V1Usage(Wire, frozen=True, kw_only=True):
    """What the account has used and what is left."""

    plan: Annotated[str, Meta(description="Code of the plan.")]
    scopes: Annotated[list[Scope], Meta(description="What the key may do.")]
    features: Annotated[list[Feature], Meta(description="What the plan opens.")]
    minute: UsageWindow | None
    day: UsageWindow | None
    history: Annotated[list[UsageDay], Meta(description="The last 31 days with answers, the latest first.")]


def record(detail: Detail, language: Language, base_url: str) -> V1Record:
    """A company in full as it is sent."""
    base = detail.record
    shared: dict[str, Any] = {name: getattr(base, name) for name in Record.__struct_fields__}
    system, version = REGISTRY[base.country_code].classification
    activities = (
        [Activity(code=base.classification_code, label=base.classification_label, system=system, version=version)]
        if base.classification_code or base.classification_label
        else []
    )
    members: dict[str, Any] = {
        "official_status": detail.status_raw,
        "legal_form": _legal_form(detail),
        "region": detail.region,
        "municipality": detail.municipality,
        "incorporated_on": _date(detail.incorporated),
        "ended_on": _date(detail.ended),
        "establishments": detail.establishments,
    }
    counted = (base.trade_name, base.status, base.classification_code, *members.values())
    path = base.canonical_urls.en.rpartition("/")[2]
    company = f"{base_url}/api/v1/entities/{base.country_code}/{path}"
    return V1Record(
        **shared,
        **members,
        names=[msgspec.convert(name._asdict(), OtherName) for name in detail.names],
        identifiers=[
            OtherIdentifier(scheme=scheme, identifier=value, id_label=label.of(language))
            for scheme, label, value in detail.identifiers
        ],
        activities=activities,
        country_of_incorporation=detail.home,
        sources=[msgspec.convert(source, EntitySource, from_attributes=True) for source in detail.sources],
        provenance={_WIRE[column]: key for column, key in detail.provenance.items()},
        completeness=round(sum(value is not None for value in counted) / len(counted), 2),
        links=V1Links(
            self=company,
            financials=f"{company}/financials",
            public=f"{base_url}/api/public/empresas/{base.country_code}/{path}",
        ),
    )


def _legal_form(detail: Detail) -> LegalForm | None:
    if detail.form is None and detail.form_raw is None:
        return None
    form = detail.form
    return LegalForm(
        code=form.code if form else None,
        es=form.label.es if form else None,
        en=form.label.en if form else None,
        official=detail.form_raw,
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
