"""Wire models of the authenticated interface, and how they are made of what the directory knows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from padron.accounts.keys import Scope
from padron.accounts.plans import Feature
from padron.model import EntitySource, Language, Record, Statement, Wire
from padron.search.detail import Detail

NameKind = Literal["trade", "former", "alternative", "ticker"]

_CLASSIFICATIONS: Final = {
    "EC": ("CIIU", "4.0"),
    "MX": ("SCIAN", "2023"),
    "US": ("SIC", "1987"),
    "BR": ("CNAE", "2.3"),
    "CO": ("CIIU", "4 A.C."),
    "AR": ("CLAE", "2013"),
}
"""The system of activity codes that each country's registers use, and its version."""

_WIRE: Final = {
    "legal_name": "legalName",
    "trade_name": "tradeName",
    "status_raw": "status",
    "legal_form_raw": "legalForm",
    "activity_code": "activity",
    "incorporated": "incorporatedOn",
    "ended": "endedOn",
}
"""Members that are called otherwise than the column they come from."""


class LegalForm(Wire, frozen=True, kw_only=True):
    """A legal form: what the law calls the kind of company."""

    code: Annotated[str, Meta(description="Our stable code within the country.")] | None
    es: str | None
    en: str | None
    official: Annotated[str, Meta(description="As the register words it, where it does.")] | None


class OtherName(Wire, frozen=True, kw_only=True):
    """Another name of the company; dates where the register states them."""

    kind: NameKind
    name: str
    since: date | None
    until: date | None


class OtherIdentifier(Wire, frozen=True, kw_only=True):
    """Another official number that leads to the company."""

    scheme: str
    identifier: str
    id_label: str


class Activity(Wire, frozen=True, kw_only=True):
    """What the company does, in the country's own classification."""

    code: str | None
    label: str | None
    system: str
    version: str


class V1Links(Wire, frozen=True, kw_only=True):
    """Where to go on."""

    self: str
    financials: str
    public: str


class V1Record(Record, frozen=True, kw_only=True):
    """A company in full."""

    official_status: Annotated[str, Meta(description="The register's own wording of `status`.")] | None
    legal_form: LegalForm | None
    names: list[OtherName]
    identifiers: list[OtherIdentifier]
    activities: list[Activity]
    region: Annotated[str, Meta(description="Province, state or department; never a street.")] | None
    municipality: str | None
    incorporated_on: date | None
    ended_on: date | None
    establishments: Annotated[int, Meta(ge=0)] | None
    country_of_incorporation: (
        Annotated[str, Meta(description="ISO 3166-1 alpha-2, of a foreign company in this register.")] | None
    )
    sources: Annotated[list[EntitySource], Meta(description="By precedence.")]
    provenance: Annotated[
        dict[str, list[str]],
        Meta(description="Member -> keys of the sources asked for it, in order; the first that states it gave it."),
    ]
    completeness: Annotated[float, Meta(ge=0, le=1, description="Share of the members above that are known.")]
    links: V1Links


class RequestedIdentifier(Wire, frozen=True, kw_only=True):
    """The identifier as it was asked, in canonical form."""

    scheme: str
    identifier: str
    match: Annotated[Literal["primary", "alias", "branch"], Meta(description="How it relates to the company.")]
    valid_check: Annotated[bool, Meta(description="Null: the scheme has no check digit.")] | None


class V1Entity(Wire, frozen=True, kw_only=True):
    """Answer of the entity lookup."""

    entity: V1Record
    requested_identifier: RequestedIdentifier


class Financials(Wire, frozen=True, kw_only=True):
    """Answer of the financial history, the latest year first."""

    entity: Record
    statements: list[Statement]


class UsageWindow(Wire, frozen=True, kw_only=True):
    """A limit and what is left of it."""

    limit: int
    remaining: int
    resets_at: datetime


class UsageDay(Wire, frozen=True, kw_only=True):
    """Successful answers of one UTC day."""

    date: date
    answers: int


class V1Usage(Wire, frozen=True, kw_only=True):
    """What the account has used and what is left."""

    plan: str
    scopes: list[Scope]
    features: list[Feature]
    minute: UsageWindow | None
    day: UsageWindow | None
    history: Annotated[list[UsageDay], Meta(description="The last 31 days with answers, the latest first.")]


def record(detail: Detail, language: Language, base_url: str) -> V1Record:
    """A company in full as it is sent."""
    base = detail.record
    shared: dict[str, Any] = {name: getattr(base, name) for name in Record.__struct_fields__}
    system, version = _CLASSIFICATIONS[base.country_code]
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
        names=[
            OtherName(kind=name.kind, name=name.name, since=_date(name.since), until=_date(name.until))  # type: ignore[arg-type]
            for name in detail.names
        ],
        identifiers=[
            OtherIdentifier(scheme=scheme, identifier=value, id_label=label.of(language))
            for scheme, label, value in detail.identifiers
        ],
        activities=[
            Activity(code=base.classification_code, label=base.classification_label, system=system, version=version)
        ]
        if base.classification_code or base.classification_label
        else [],
        country_of_incorporation=detail.home,
        sources=[
            EntitySource(
                key=source.key,
                name=source.name,
                publisher=source.publisher,
                url=source.url,
                licence=source.licence,
                attribution=source.attribution,
            )
            for source in detail.sources
        ],
        provenance={_WIRE.get(column, column): list(keys) for column, keys in detail.provenance.items()},
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
