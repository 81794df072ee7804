"""Arguments and results of the tools; their JSON Schemas are derived from these models.

A result is what the public interface answers, with citations beside it: what to quote, from which official source, and
of which date.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from padron.api.parameters import PAGE, QUESTION_LENGTH
from padron.api.v1_model import Financials, Relation, RequestedIdentifier
from padron.api.v1_search_model import Matched, SearchedCountry, Understood
from padron.api.v1_search_model import Verdict as QuestionVerdict
from padron.companies.company import Record, Teaser
from padron.companies.model import CountryCode, Coverage, OtherIdentifier, OtherName, Wire
from padron.countries.country import Status
from padron.lists.rows import ListRow, RowMatch
from padron.lookup.verdict import Verdict
from padron.transport.inputs import IDENTIFIER_LENGTH, LIMIT

MOST_ROWS: Final = 50
"""Most rows of one list: each costs as much as a search."""

MOST_LISTED: Final = 1_000
"""Companies of a list behind which no page begins, as on the pages of the site: a longer list is narrowed down."""
LATEST_YEARS: Final = 5
"""Years of statements without a choice of years: those of decades would fill the memory of an agent."""

Query = Annotated[str, Meta(min_length=QUESTION_LENGTH[0], max_length=QUESTION_LENGTH[1])]
Cursor = Annotated[str, Meta(max_length=40)]
Years = Annotated[list[int], Meta(min_length=1, max_length=50)]
Condition = Annotated[str, Meta(min_length=1, max_length=100)]
Number = Annotated[str, Meta(min_length=1, max_length=IDENTIFIER_LENGTH)]
Country = Annotated[CountryCode, Meta(description="Country of the register.")]


class Arguments(Struct, frozen=True, kw_only=True):
    """Arguments of a tool."""

    language: Annotated[
        Literal["es", "en"] | None, Meta(description="Language of labels and hints; by default that of the request.")
    ] = None


class Conditions(Arguments, frozen=True, kw_only=True):
    """Conditions on companies; one whose register does not state what a condition asks for is left out."""

    place: Annotated[
        Condition | None,
        Meta(description="Only in this city, province, state or department, as `Cuenca`; give `country` with it."),
    ] = None
    activity: Annotated[
        Condition | None,
        Meta(
            description="Only of this activity: a word such as `supermercados` or `banks`, words of its official label "
            "in the language of the country, or the beginning of a code: of the country's classification, or of ISIC "
            "Rev. 4 as `isic:G47` (two digits where national codes tell no more)."
        ),
    ] = None
    status: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema={"enum": [*map(str, Status)]})] | None,
        Meta(description="Only of this status."),
    ] = None
    cursor: Annotated[
        Cursor | None, Meta(description="`nextCursor` of the page before, with the same other arguments.")
    ] = None


class SearchArguments(Conditions, frozen=True, kw_only=True):
    """A search."""

    query: Annotated[
        Query,
        Meta(
            description="A name, an official identifier in any punctuation, or a whole question in Spanish, English or "
            "Portuguese: the user's own words."
        ),
    ]
    country: Annotated[CountryCode | None, Meta(description="Only the registers of this country.")] = None
    limit: Annotated[int, Meta(ge=LIMIT[0], le=LIMIT[1], description="Maximum number of results.")] = LIMIT[2]


class ListArguments(Conditions, frozen=True, kw_only=True):
    """A list of companies."""

    country: Country
    financials: Annotated[
        bool | None, Meta(description="Only with yearly statements (true), or only without (false).")
    ] = None
    limit: Annotated[int, Meta(ge=PAGE[0], le=PAGE[1], description="Companies per page.")] = PAGE[2]


class CompanyArguments(Arguments, frozen=True, kw_only=True):
    """A company by its identifier."""

    country: Country
    identifier: Annotated[Number, Meta(description="Official identifier, formatted or not.")]


class FinancialsArguments(CompanyArguments, frozen=True, kw_only=True):
    """A company, and years."""

    years: Annotated[Years | None, Meta(description="Fiscal years, as `[2022, 2023]`; by default the latest five.")] = (
        None
    )


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

    query: Annotated[Query, Meta(description="A name, an official identifier or a whole question.")]


class FetchArguments(Arguments, frozen=True, kw_only=True):
    """A page to fetch."""

    id: Annotated[str, Meta(min_length=1, max_length=80, description="The `id` of a result of `search`.")]


class Citation(Wire, frozen=True, kw_only=True):
    """A citation of a company: `text` is a complete reference."""

    text: Annotated[str, Meta(description="Name, identifier, source, its date and address, to be quoted.")]
    url: Annotated[
        str,
        Meta(
            extra_json_schema={"format": "uri"},
            description="Address for readers: the company's page, its official record, or its source.",
        ),
    ]
    source: Annotated[str, Meta(description="The official source.")] | None
    source_url: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Its address.")] | None
    date: (
        Annotated[date, Meta(description="Date the publisher states for the data, or the day its file was retrieved.")]
        | None
    )


class PlacedCompany(Teaser, frozen=True, kw_only=True):
    """A company, and where it is."""

    region: Annotated[str | None, Meta(description="Province, state or department; null where none is stated.")]
    municipality: Annotated[str | None, Meta(description="Municipality or canton; null where none is stated.")]


class SearchResult(PlacedCompany, frozen=True, kw_only=True):
    """A search result, and why it is one."""

    matched_on: Annotated[
        Matched, Meta(description="The kind of name or identifier that matched; `activity` in a list of companies.")
    ]
    explanation: Annotated[str, Meta(description="Explanation, in the reader's language.")]


class NextCall(Wire, frozen=True, kw_only=True):
    """A call of a tool that leads on."""

    tool: Annotated[str, Meta(description="Name of the tool.")]
    arguments: Annotated[dict[str, str], Meta(description="Its arguments.")]
    why: Annotated[str, Meta(description="Its purpose, in the reader's language.")]


_Sentence = Annotated[
    str, Meta(description="The answer in one sentence, in the reader's language, that can be quoted.")
]


_NextCursor = Annotated[
    str | None,
    Meta(description="Pass it as `cursor` for the next page; null on the last one, and behind 1,000 companies."),
]


class CompanyPart(Wire, frozen=True, kw_only=True):
    """The answer about one of several companies."""

    asked: Annotated[str, Meta(description="The words of the text about it.")]
    verdict: Annotated[QuestionVerdict, Meta(description="As the verdict of the whole answer.")]
    sentence: _Sentence
    best_match: SearchResult | None
    results: Annotated[list[SearchResult], Meta(description="Three at most.")]
    citation: Annotated[Citation | None, Meta(description="Of `bestMatch`; null when no result is sure.")]


class ToolAnswer(Wire, frozen=True, kw_only=True):
    """Answer of a search: the members of the public one, and what to make of it."""

    q: Annotated[str, Meta(description="The query as received.")]
    country: Annotated[CountryCode | None, Meta(description="The country filter.")]
    verdict: Annotated[
        QuestionVerdict,
        Meta(
            description="`found` if and only if `bestMatch` is not null; `ambiguous`: several match equally; "
            "`possible`: something similar, or a list of companies; `invalid_input`: a number that "
            "cannot be correct, or nothing to search for."
        ),
    ]
    sentence: _Sentence
    best_match: Annotated[
        SearchResult | None, Meta(description="The first result of all when its confidence is 0.85 or higher.")
    ]
    suggested_countries: Annotated[
        list[CountryCode], Meta(description="Distinct countries of the results, when country was omitted and ≥ 2.")
    ]
    match_hints: Annotated[list[str], Meta(description="Short tips in the reader's language.")]
    results: Annotated[list[SearchResult], Meta(description="The results of this page, the likeliest first.")]
    total: Annotated[int, Meta(ge=0, description="Results on all pages.")]
    next_cursor: _NextCursor
    understood: Annotated[list[Understood], Meta(description="What the text states besides names, in its order.")]
    companies: Annotated[list[CompanyPart], Meta(description="One answer per company, if the text asks about several.")]
    searched: Annotated[
        list[SearchedCountry], Meta(description="The registers that were searched, when no result is sure.")
    ]
    next_steps: Annotated[list[NextCall], Meta(description="Suggested next calls, the most useful first.")]


class CompanySearch(Wire, frozen=True, kw_only=True):
    """Result of a search."""

    answer: ToolAnswer
    citation: Annotated[Citation | None, Meta(description="Of `bestMatch`; null when no result is sure.")]


class ListedCompany(PlacedCompany, frozen=True, kw_only=True):
    """A company of a list, and what to cite."""

    citation: Citation


class CompanyList(Wire, frozen=True, kw_only=True):
    """A page of the companies that fit some conditions; their order is no ranking."""

    companies: list[ListedCompany]
    total: Annotated[int, Meta(ge=0, description="Companies on all pages.")]
    next_cursor: _NextCursor
    hint: Annotated[str, Meta(description="What may be missing from the list, in the reader's language.")]


NumberHints = Annotated[
    list[str],
    Meta(description="What to check of the requested number: a wrong check digit, a branch; empty if nothing."),
]


class CompanyFacts(Wire, frozen=True, kw_only=True):
    """A company by its identifier."""

    entity: Record
    region: Annotated[str | None, Meta(description="Province, state or department; null where none is stated.")]
    municipality: Annotated[str | None, Meta(description="Municipality or canton; null where none is stated.")]
    names: Annotated[list[OtherName], Meta(description="Its other names, former ones among them.")]
    identifiers: Annotated[list[OtherIdentifier], Meta(description="Its other official numbers.")]
    match: Annotated[
        Relation,
        Meta(description="How the requested number identifies the company: its own, another one, one of a branch."),
    ]
    requested_identifier: RequestedIdentifier
    hints: NumberHints
    citation: Citation


class CompanyFinancials(Wire, frozen=True, kw_only=True):
    """Yearly statements of a company."""

    financials: Annotated[Financials, Meta(description="The statements of the years asked for, the latest first.")]
    held: Annotated[list[int], Meta(description="All fiscal years of which there is a statement, the latest first.")]
    missing: Annotated[list[int], Meta(description="Years asked for of which there is no statement.")]
    note: Annotated[str | None, Meta(description="How to get more years; null if these are all, or were asked for.")]
    hints: NumberHints
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
    corrected: (
        Annotated[
            str,
            Meta(
                description="The number with the right check digit, as `shown`, if it was wrong: arithmetic alone, no "
                "proof that it exists or is the number of `company`."
            ),
        ]
        | None
    )
    company: Annotated[
        Citation | None,
        Meta(
            description="The company that has the number in this release, or, where the check digit is wrong, the one "
            "whose number begins so."
        ),
    ]


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
