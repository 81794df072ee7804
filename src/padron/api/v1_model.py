"""Wire models of the authenticated interface, and how they are made of what the directory knows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from padron.accounts.keys import Scope
from padron.accounts.plans import Feature
from padron.companies import isic
from padron.companies.company import Record, V1Record, v1_record
from padron.companies.fields import FIELDS, TRACED
from padron.companies.model import (
    Activity,
    EntitySource,
    LegalForm,
    OtherIdentifier,
    OtherName,
    Statement,
    V1Links,
    Wire,
    camel,
)
from padron.countries import REGISTRY
from padron.lookup.detail import Detail, LocatedDetail
from padron.words import Language

Relation = Literal["primary", "alias", "branch"]

_SENT: Final = {column.name: column.member or column.name for column in FIELDS if column.served != "internal"}
"""Column -> the member it is sent as, in snake_case."""

_PROVENANCE: Final = {column: camel(_SENT[column]) for column in TRACED if column in _SENT} | {
    "activity_code": "activities"
}
"""Column whose source is kept -> the member that `provenance` calls it by; an activity is sent in full there."""

_COUNTED: Final = ("status", *(_SENT[column] for column in TRACED if column in _SENT and column != "legal_name"))
"""Members that `completeness` counts: a legal name is always known."""


class RequestedIdentifier(Wire, frozen=True, kw_only=True):
    """The requested identifier, in canonical form."""

    scheme: Annotated[str, Meta(description="Scheme that was recognized.")]
    identifier: Annotated[str, Meta(description="The number in canonical form.")]
    match: Annotated[Relation, Meta(description="How it relates to the company.")]
    valid_check: Annotated[bool, Meta(description="Null: the scheme has no check digit.")] | None


def requested(company: LocatedDetail) -> RequestedIdentifier:
    """Return the identifier by which a company was asked for."""
    return RequestedIdentifier(
        scheme=company.requested.scheme,
        identifier=company.requested.value,
        match="branch" if company.branch else "alias" if company.alias else "primary",
        valid_check=company.requested.valid_check,
    )


class V1Entity(Wire, frozen=True, kw_only=True):
    """Answer of the entity lookup."""

    entity: V1Record
    requested_identifier: RequestedIdentifier


class Measure(Wire, frozen=True, kw_only=True):
    """A number computed from two amounts (docs/v1: which, and how)."""

    key: Annotated[str, Meta(description="For a growth the figure that grew; for a ratio netMargin, returnOnEquity …")]
    label: Annotated[str, Meta(description="Its name, in the reader's language.")]
    value: Annotated[float, Meta(description="0.05 is five percent; rounded to four decimals.")]


class V1Statement(Statement, frozen=True, kw_only=True):
    """A yearly statement with computed measures; a measure with a missing amount is absent."""

    growth: Annotated[list[Measure], Meta(description="Growth over the year before, in the same currency and scope.")]
    ratios: list[Measure]


class Absence(Wire, frozen=True, kw_only=True):
    """Reason for the absence of statements."""

    reason: Annotated[
        Literal["not-published", "none-held"],
        Meta(
            description="`not-published`: the country publishes no statements as open data; `none-held`: this "
            "release has none of this company."
        ),
    ]
    es: Annotated[str, Meta(description="The reason in Spanish, to be quoted.")]
    en: Annotated[str, Meta(description="The same in English.")]


class Financials(Wire, frozen=True, kw_only=True):
    """Answer of the financial history, the latest year first."""

    entity: Record
    statements: list[V1Statement]
    absence: Annotated[Absence | None, Meta(description="Null if there are statements.")]


class UsageWindow(Wire, frozen=True, kw_only=True):
    """A limit and what remains of it."""

    limit: Annotated[int, Meta(description="Requests, answers or rows of lists in total.")]
    remaining: Annotated[int, Meta(description="Remaining requests, answers or rows.")]
    resets_at: Annotated[datetime, Meta(description="When the quota is full again.")]


class UsageDay(Wire, frozen=True, kw_only=True):
    """Successful answers and matched rows of lists of one UTC day."""

    date: Annotated[date, Meta(description="The date.")]
    answers: Annotated[int, Meta(description="Number of answers.")]
    rows: Annotated[int, Meta(description="Number of rows of lists that were matched.")]


class V1Usage(Wire, frozen=True, kw_only=True):
    """The usage of the account and what remains."""

    plan: Annotated[str, Meta(description="Code of the plan.")]
    scopes: Annotated[list[Scope], Meta(description="Scopes of the key.")]
    features: Annotated[list[Feature], Meta(description="Features of the plan.")]
    minute: UsageWindow | None
    day: UsageWindow | None
    rows: UsageWindow | None
    history: Annotated[list[UsageDay], Meta(description="The last 31 days with answers or rows, the latest first.")]


def record(detail: Detail, language: Language, base_url: str) -> V1Record:
    """Return a company in full as it is sent."""
    base, details = detail.record, detail.details
    path = base.canonical_urls.en.rpartition("/")[2]
    company = f"{base_url}/api/v1/entities/{base.country_code}/{path}"
    sent = v1_record(
        base,
        details,
        legal_form=_legal_form(detail),
        names=[msgspec.convert(name._asdict(), OtherName) for name in detail.names],
        identifiers=[
            OtherIdentifier(scheme=scheme, identifier=value, id_label=label.of(language))
            for scheme, label, value in detail.identifiers
        ],
        activities=_activities(base, language),
        sources=[msgspec.convert(source, EntitySource, from_attributes=True) for source in detail.sources],
        provenance={_PROVENANCE[column]: key for column, key in detail.provenance.items() if column in _PROVENANCE},
        completeness=0.0,
        links=V1Links(
            self=company,
            financials=f"{company}/financials",
            public=f"{base_url}/api/public/empresas/{base.country_code}/{path}",
        ),
    )
    known = sum(getattr(sent, member) is not None for member in _COUNTED)
    return replace(sent, completeness=round(known / len(_COUNTED), 2))


def _activities(base: Record, language: Language) -> list[Activity]:
    """The activity in the country's own classification, then in ISIC where its code tells it.

    Words without a code are the register's own, of no classification.
    """
    country = REGISTRY[base.country_code]
    code, label = base.classification_code, base.classification_label
    if not code and not label:
        return []
    system, version = country.classification if code else (None, None)
    activities = [Activity(code=code, label=label, system=system, version=version)]
    if common := isic.isic_code(code, country.isic):
        wording = isic.names()[common].of(language)
        activities.append(Activity(code=common, label=wording, system=isic.SYSTEM, version=isic.VERSION))
    return activities


def _legal_form(detail: Detail) -> LegalForm | None:
    if detail.form is None and detail.details.legal_form_raw is None:
        return None
    form = detail.form
    return LegalForm(
        code=form.code if form else None,
        es=form.label.es if form else None,
        en=form.label.en if form else None,
        official=detail.details.legal_form_raw,
    )
