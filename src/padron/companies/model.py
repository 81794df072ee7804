"""Frozen wire models of companies, their sources and the coverage, and the identifier of a company.

`msgspec` structs: they encode in about a microsecond and yield the JSON Schema of the OpenAPI descriptions, so what is
documented is what is sent. Wire names are camelCase by one rule here and nowhere else.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

CountryCode = Annotated[str, Meta(extra_json_schema={"format": "country"})]
"""ISO 3166-1 alpha-2 code of a covered country. OpenAPI replaces the format by the codes of the registry."""
NameKind = Literal["trade", "former", "alternative", "ticker", "byName"]
"""Kinds of names that answers have. A release also tells a `doubtfulByName`: one that has ended, or may have."""


class Identifier(NamedTuple):
    """An official identifier in canonical form: always text, no separators, upper case.

    `valid_check` is the verdict on the check digit: True, False, or None where the scheme has none. A wrong check
    digit is told and still looked up: real registered numbers fail theirs.
    """

    scheme: str
    value: str
    valid_check: bool | None = None


class Name(NamedTuple):
    """Another name of a company; `kind` is a `NameKind` or `doubtfulByName`; dates are ISO or None."""

    kind: str
    name: str
    since: str | None
    until: str | None

    @property
    def public_kind(self) -> str:
        """The `NameKind` that answers have: why a name is doubtful is in its document."""
        return "byName" if self.kind == "doubtfulByName" else self.kind


def camel(name: str) -> str:
    """Return a snake_case name as it is on the wire: `fiscal_year` is `fiscalYear`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


class Wire(Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of what is sent: immutable, keyword-only, camelCase names."""


class CanonicalUrls(Wire, frozen=True, kw_only=True):
    """The company's page in each language."""

    es: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="In Spanish.")]
    en: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="In English.")]


class SourceRef(Wire, frozen=True, kw_only=True):
    """The official source that `legalName` was taken from."""

    source_name: Annotated[str, Meta(description="Name of the register or data set.")] | None
    source_url: (
        Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Address at its publisher.")] | None
    )


class EntitySource(Wire, frozen=True, kw_only=True):
    """An official source with its licence."""

    key: Annotated[str, Meta(description="Our stable key of the source.")]
    name: Annotated[str, Meta(description="Name of the register or data set.")]
    publisher: Annotated[str, Meta(description="Its publisher.")]
    url: Annotated[str, Meta(description="Its address at the publisher.")] | None
    licence: Annotated[str, Meta(description="Terms it may be used under.")]
    attribution: Annotated[str, Meta(description="Attribution to give when using it.")]


class LegalForm(Wire, frozen=True, kw_only=True):
    """A legal form."""

    code: Annotated[str, Meta(description="Our stable code within the country.")] | None
    es: Annotated[str, Meta(description="Name in Spanish.")] | None
    en: Annotated[str, Meta(description="Name in English.")] | None
    official: Annotated[str, Meta(description="The register's own wording, if it publishes one.")] | None


class OtherName(Wire, frozen=True, kw_only=True):
    """Another name of the company; dates where the register states them."""

    kind: Annotated[NameKind, Meta(description="Kind of name.")]
    name: Annotated[str, Meta(description="The name.")]
    since: Annotated[date, Meta(description="First day.")] | None
    until: Annotated[date, Meta(description="Last day.")] | None


class OtherIdentifier(Wire, frozen=True, kw_only=True):
    """Another official identifier of the company."""

    scheme: Annotated[str, Meta(description="Scheme of `identifier`, for example `lei`.")]
    identifier: Annotated[str, Meta(description="The number in canonical form.")]
    id_label: Annotated[str, Meta(description="Its name, in the reader's language.")]


class Activity(Wire, frozen=True, kw_only=True):
    """The activity of the company: in the country's own classification, then in ISIC where its code tells it."""

    code: Annotated[str, Meta(description="Code of the activity.")] | None
    label: (
        Annotated[str, Meta(description="Official wording, in the official language; of ISIC in the reader's.")] | None
    )
    system: (
        Annotated[
            str, Meta(description="The classification: CIIU, SCIAN, SIC, CNAE or CLAE; ISIC. Null without a code.")
        ]
        | None
    )
    version: Annotated[str, Meta(description="Version of the classification. Null without a code.")] | None


class V1Links(Wire, frozen=True, kw_only=True):
    """Address to continue at."""

    self: Annotated[str, Meta(description="This answer.")]
    financials: Annotated[str, Meta(description="Yearly statements.")]
    public: Annotated[str, Meta(description="The public answer.")]


class Figure(Wire, frozen=True, kw_only=True):
    """One amount of a statement, exact, as text: in `currency` times `unit`."""

    key: Annotated[
        str, Meta(description="revenue, grossProfit, netProfit, assets, equity …; a figure not stated is absent.")
    ]
    label: Annotated[str, Meta(description="Its name, in the reader's language.")]
    amount: Annotated[str, Meta(description="A decimal number.")]
    basis: Annotated[str, Meta(description="Tag, account or column of the source that it was taken from.")] | None
    first_reported: Annotated[str, Meta(description="As first reported, where a later filing changed it.")] | None


class Filing(Wire, frozen=True, kw_only=True):
    """The filing from which the net profit was taken."""

    form: Annotated[str, Meta(description="Its kind, as the publisher calls it: 10-K, 20-F, DFP …")] | None
    reference: Annotated[str, Meta(description="The publisher's reference.")] | None
    filed_on: Annotated[date, Meta(description="Date of the filing.")] | None


class Statement(Wire, frozen=True, kw_only=True):
    """A yearly statement of a company."""

    fiscal_year: Annotated[int, Meta(description="The fiscal year as the company names it.")]
    period_start: Annotated[date, Meta(description="First day, where it is stated.")] | None
    period_end: Annotated[date, Meta(description="Last day.")]
    currency: Annotated[str, Meta(description="ISO 4217, as reported.")]
    unit: Annotated[int, Meta(description="The value of an amount of 1: always 1.")]
    scope: Annotated[
        Literal["consolidated", "separate", "individual"],
        Meta(description="With its subsidiaries; the parent company only; a company that files alone."),
    ]
    figures: list[Figure]
    employees: Annotated[int, Meta(ge=0, description="People employed, where the source states it.")] | None
    restated: Annotated[bool, Meta(description="A later filing changed a figure by more than 0.1 %.")]
    filing: Filing
    source: EntitySource
    checks: Annotated[list[str], Meta(description="Checks that the published figures fail.")]


class SourceState(Wire, frozen=True, kw_only=True):
    """An official source of the records of a country."""

    name: Annotated[str, Meta(description="Name of the register or data set.")]
    url: Annotated[str, Meta(description="Its address at the publisher.")] | None
    licence: Annotated[str, Meta(description="Terms it may be used under.")]
    attribution: Annotated[str, Meta(description="Attribution to give when using it.")]
    date: Annotated[date, Meta(description="Date of the newest data of this source in the release.")] | None
    records: Annotated[int, Meta(ge=0, description="Number of companies with data from this source.")]
    state: Annotated[
        Literal["fresh", "late", "failed", "manual"],
        Meta(
            description="`late`: older than the publication interval; `failed`: the last download failed; "
            "`manual`: downloaded by hand."
        ),
    ]


class OfficialCompanyCount(Wire, frozen=True, kw_only=True):
    """The number of companies of a country according to a public document."""

    count: Annotated[int, Meta(ge=0, description="The number that the document states.")]
    counted: Annotated[str, Meta(description="What the document counts, in the reader's language.")]
    date: Annotated[date, Meta(description="Day for which it is stated.")]
    title: Annotated[str, Meta(description="The document.")]
    url: Annotated[str, Meta(description="Its address.")]


class NotCovered(Wire, frozen=True, kw_only=True):
    """A kind of company that the sources lack, wholly or in part, and where it is registered."""

    kind: Annotated[str, Meta(description="The kind of company, in the reader's language.")]
    register: Annotated[str, Meta(description="The official register to look it up in.")]
    register_url: Annotated[str, Meta(description="Its address.")]
    title: Annotated[str, Meta(description="The public document that says so.")]
    url: Annotated[str, Meta(description="Its address.")]


class CountryCoverage(Wire, frozen=True, kw_only=True):
    """The part of a country in the release."""

    country_code: Annotated[CountryCode, Meta(description="Country of the registers.")]
    companies: Annotated[int, Meta(ge=0, description="Companies in the directory.")]
    by_scheme: Annotated[dict[str, int], Meta(description="Companies by the scheme of their `identifier`.")]
    sources: list[SourceState]
    existing: Annotated[
        OfficialCompanyCount | None,
        Meta(description="Companies that exist, for comparison with `companies`; null if no document states it."),
    ] = None
    not_covered: Annotated[list[NotCovered], Meta(description="Kinds of company that the sources lack.")] = []


class Coverage(Wire, frozen=True, kw_only=True):
    """Current record counts by country."""

    countries: list[CountryCoverage]
    total: Annotated[int, Meta(ge=0, description="Companies of all countries.")]
    release: Annotated[str, Meta(description="Id of the release being served.")]
    generated_at: Annotated[datetime, Meta(description="When the release was built.")]
