"""Arguments and results of the tools; their JSON Schemas are derived from these models.

A result is what the public interface answers, with citations beside it: what to quote, from which official source, and
of which date.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from padron.api.v1_model import Financials
from padron.companies.answers import Answer
from padron.companies.company import Record
from padron.companies.model import CountryCode, Coverage, Wire
from padron.lists.rows import ListRow, RowMatch
from padron.lookup.verdict import Verdict
from padron.transport.inputs import IDENTIFIER_LENGTH, LIMIT, Q_LENGTH

MOST_ROWS: Final = 50
"""Most rows of one list: each costs as much as a search."""

Name = Annotated[str, Meta(min_length=Q_LENGTH[0], max_length=Q_LENGTH[1])]
Number = Annotated[str, Meta(min_length=1, max_length=IDENTIFIER_LENGTH)]
Country = Annotated[CountryCode, Meta(description="Country of the register.")]


class Arguments(Struct, frozen=True, kw_only=True):
    """Arguments of a tool."""

    language: Annotated[
        Literal["es", "en"] | None, Meta(description="Language of labels and hints; by default that of the request.")
    ] = None


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """A search."""

    query: Annotated[Name, Meta(description="Name or official identifier of a company, in any punctuation.")]
    country: Annotated[CountryCode | None, Meta(description="Only the registers of this country.")] = None
    limit: Annotated[int, Meta(ge=LIMIT[0], le=LIMIT[1], description="Maximum number of results.")] = LIMIT[2]


class CompanyArguments(Arguments, frozen=True, kw_only=True):
    """A company by its identifier."""

    country: Country
    identifier: Annotated[Number, Meta(description="Official identifier, formatted or not.")]


class MatchArguments(Arguments, frozen=True, kw_only=True):
    """A list of companies."""

    rows: Annotated[
        list[ListRow],
        Meta(min_length=1, max_length=MOST_ROWS, description="The rows; each has a name or an identifier at least."),
    ]


class ValidateArguments(Arguments, frozen=True, kw_only=True):
    """A number to check."""

    identifier: Annotated[Number, Meta(description="The number, formatted or not.")]
    country: Annotated[CountryCode | None, Meta(description="The country whose number it is said to be.")] = None


class QueryArguments(Arguments, frozen=True, kw_only=True):
    """A search for pages to fetch."""

    query: Annotated[Name, Meta(description="Name or official identifier of a company, in any punctuation.")]


class FetchArguments(Arguments, frozen=True, kw_only=True):
    """A page to fetch."""

    id: Annotated[str, Meta(min_length=1, max_length=80, description="The `id` of a result of `search`.")]


class Citation(Wire, frozen=True, kw_only=True):
    """A citation of a company: `text` is a complete reference."""

    text: Annotated[str, Meta(description="Name, identifier, source, its date and address, to be quoted.")]
    url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="The company's page.")]
    source: Annotated[str, Meta(description="The official source.")] | None
    source_url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Its address.")] | None
    date: (
        Annotated[date, Meta(description="Date the publisher states for the data, or the day its file was retrieved.")]
        | None
    )


class CompanySearch(Wire, frozen=True, kw_only=True):
    """Result of a search."""

    answer: Answer
    citation: Annotated[Citation | None, Meta(description="Of `bestMatch`; null when no result is sure.")]


class CompanyFacts(Wire, frozen=True, kw_only=True):
    """A company by its identifier."""

    entity: Record
    match: Annotated[
        Literal["primary", "alias", "branch"],
        Meta(description="How the requested number identifies the company: its own, another one, one of a branch."),
    ]
    citation: Citation


class CompanyFinancials(Wire, frozen=True, kw_only=True):
    """Yearly statements of a company."""

    financials: Financials
    citation: Citation


class CitedMatch(RowMatch, frozen=True, kw_only=True):
    """The company that a row means, and what to cite."""

    citation: Annotated[Citation | None, Meta(description="Of a company that is `found`.")]


class CitedMatches(Wire, frozen=True, kw_only=True):
    """The companies of a list, in the order of its rows."""

    matches: list[CitedMatch]
    counts: Annotated[dict[Verdict, int], Meta(description="Rows of each verdict.")]


class NumberReading(Wire, frozen=True, kw_only=True):
    """A number read as one of a scheme."""

    country_code: Country
    scheme: Annotated[str, Meta(description="Scheme of `identifier`, for example `ec-ruc`.")]
    id_label: Annotated[str, Meta(description="Its name, in the reader's language.")]
    identifier: Annotated[str, Meta(description="The number in canonical form.")]
    shown: Annotated[str, Meta(description="The number as it is customarily written.")]
    valid_check: Annotated[bool | None, Meta(description="Whether the check digit is right; null if there is none.")]
    corrected: Annotated[str, Meta(description="The number with the right check digit, if it was wrong.")] | None
    company: Annotated[Citation | None, Meta(description="The company that has the number in this release.")]


class IdentifierCheck(Wire, frozen=True, kw_only=True):
    """A number with every reading of it."""

    identifier: Annotated[str, Meta(description="The number as received.")]
    valid: Annotated[
        bool | None,
        Meta(
            description="true: a check digit is right, or a company of this release has the number. false: it is no "
            "identifier, or every check digit is wrong. null: nothing but its form is known, and other numbers have it."
        ),
    ]
    readings: list[NumberReading]
    hint: Annotated[str, Meta(description="Why there is no reading, or whose check digit is wrong.")] | None


class CoverageFacts(Wire, frozen=True, kw_only=True):
    """Contents of the release, and what it lacks."""

    coverage: Coverage


class PageResult(Wire, frozen=True, kw_only=True):
    """A page that can be fetched."""

    id: Annotated[str, Meta(description="Identifier for `fetch`.")]
    title: Annotated[str, Meta(description="Name and identifier of the company.")]
    url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Address to cite.")]


class PageResults(Wire, frozen=True, kw_only=True):
    """Pages that fit a query, best first."""

    results: list[PageResult]


class Page(PageResult, frozen=True, kw_only=True):
    """A company as a text."""

    text: Annotated[str, Meta(description="What the official source states, one fact a line.")]
    metadata: Annotated[dict[str, str], Meta(description="Source, its address and date, and the identifier.")]
