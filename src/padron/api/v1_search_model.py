"""Wire models of agentic search, and how they are made of what the directory tells."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from padron.companies.company import Teaser
from padron.companies.model import CountryCode, Wire
from padron.lookup.detail import DetailedMatch
from padron.questions.answer import FollowUpAction, QuestionAnswer, Searched
from padron.questions.answer import PartAnswer as Part
from padron.words import Language

Matched = Literal[
    "identifier", "legalName", "tradeName", "formerName", "alternativeName", "ticker", "byName", "activity"
]
Verdict = Literal["found", "ambiguous", "possible", "not_found", "invalid_input"]
Action = Literal[
    "identifier", "exactName", "similarName", "broaderName", "otherCountries", "oneDigitRepair", "activity"
]
_Sentence = Annotated[
    str, Meta(description="The answer in one sentence, in the reader's language, that can be quoted.")
]


class V1Result(Teaser, frozen=True, kw_only=True):
    """A search result and its explanation."""

    matched_on: Annotated[
        Matched, Meta(description="The kind of name or identifier that matched; `activity` in a list of companies.")
    ]
    margin: Annotated[float, Meta(ge=-1, le=1, description="Confidence minus that of the next company.")]
    explanations: Annotated[
        dict[str, float], Meta(description="The contribution of each feature to the log-odds, the largest first.")
    ]
    explanation: Annotated[str, Meta(description="Explanation, in the reader's language.")]


class Understood(Wire, frozen=True, kw_only=True):
    """An aspect read from the text besides the names in it."""

    aspect: Annotated[
        Literal["country", "status", "activity", "legalForm", "region", "hasFinancials", "listed", "scheme"],
        Meta(description="The value for `ignore` that stops this reading; `scheme` is a kind of identifier."),
    ]
    text: Annotated[str, Meta(description="The words of the text that state it.")]
    value: Annotated[str, Meta(description="Its value: a code, if the aspect has codes.")]


class Reading(Wire, frozen=True, kw_only=True):
    """One reading of the name of a company."""

    how: Annotated[
        Literal["whole", "bare", "torn"],
        Meta(
            description="The text unchanged; without the words of the question; without the words that "
            "describe the company."
        ),
    ]
    name: Annotated[str, Meta(description="The name that was searched.")]
    country: Annotated[CountryCode, Meta(description="Country in which it was searched.")] | None
    chosen: Annotated[bool, Meta(description="Whether the results come from this reading.")]


class AskedCompany(Wire, frozen=True, kw_only=True):
    """A company that the text asks about."""

    text: Annotated[str, Meta(description="The words of the text about it.")]
    scheme: Annotated[str, Meta(description="The scheme that the text names.")] | None
    readings: Annotated[list[Reading], Meta(description="In the order they are tried.")]


class Interpretation(Wire, frozen=True, kw_only=True):
    """The reading of the text."""

    intent: Annotated[
        Literal["company", "companies", "list"],
        Meta(description="One company, several, or all that fit a description."),
    ]
    language: Annotated[
        Literal["es", "en", "pt"], Meta(description="The language of the question; `es` if it is not clear.")
    ]
    companies: Annotated[list[AskedCompany], Meta(description="Empty for a list.")]
    understood: Annotated[list[Understood], Meta(description="In the order of the text.")]
    ignored: Annotated[list[str], Meta(description="The aspects that `ignore` switched off.")]
    left_out: Annotated[int, Meta(ge=0, description="Number of companies after the eighth, which were not searched.")]


class Step(Wire, frozen=True, kw_only=True):
    """A step of the search."""

    action: Annotated[Action, Meta(description="Kind of step.")]
    detail: Annotated[str, Meta(description="Its input, in the reader's language.")]
    found: Annotated[int, Meta(ge=0, description="Companies found by this step.")]
    took_ms: Annotated[
        float, Meta(ge=0, description="Duration; the only member that may differ between two equal answers.")
    ]


class CompanyAnswer(Wire, frozen=True, kw_only=True):
    """The answer about one of several companies."""

    asked: Annotated[str, Meta(description="The words of the text about it.")]
    verdict: Annotated[Verdict, Meta(description="As the verdict of the whole answer.")]
    sentence: _Sentence
    best_match: V1Result | None
    results: Annotated[list[V1Result], Meta(description="Three at most.")]


class SearchedCountry(Wire, frozen=True, kw_only=True):
    """Registers that were searched."""

    country_code: Annotated[CountryCode, Meta(description="Country of the registers.")]
    records: Annotated[int, Meta(ge=0, description="Number of its companies in the release.")]
    date: Annotated[str, Meta(description="The newest date that its publishers state.")] | None
    sources: Annotated[list[str], Meta(description="Names of the registers and data sets.")]
    complete: Annotated[
        bool,
        Meta(
            description="Whether every source is complete and up to date; if not, a company may exist that is not here."
        ),
    ]


class NextStep(Wire, frozen=True, kw_only=True):
    """A suggested next request."""

    action: Annotated[
        FollowUpAction,
        Meta(
            description="What the request does; `dropFilters` repeats it without its filters, `dropStatus` without the "
            "status."
        ),
    ]
    method: Annotated[Literal["GET"], Meta(description="HTTP method of the call.")]
    link: Annotated[str, Meta(description="URL of the request.", extra_json_schema={"format": "uri"})]
    why: Annotated[str, Meta(description="Its purpose, in the reader's language.")]


class V1Answer(Wire, frozen=True, kw_only=True):
    """Answer of a search: the public members, and how reliable the answer is."""

    q: Annotated[str, Meta(description="The query as received.")]
    country: Annotated[CountryCode, Meta(description="The country filter.")] | None
    verdict: Annotated[
        Verdict,
        Meta(
            description="`found` if and only if `bestMatch` is not null; `ambiguous`: several match equally; "
            "`possible`: something similar, or a list of companies; `invalid_input`: a number that "
            "cannot be correct, or nothing to search for."
        ),
    ]
    sentence: _Sentence
    best_match: Annotated[
        V1Result | None, Meta(description="The first result of all when its confidence is 0.85 or higher.")
    ]
    suggested_countries: Annotated[
        list[CountryCode], Meta(description="Distinct countries of the results, when country was omitted and ≥ 2.")
    ]
    match_hints: Annotated[list[str], Meta(description="Short tips in the reader's language.")]
    results: Annotated[list[V1Result], Meta(description="The results of this page, the likeliest first.")]
    total: Annotated[int, Meta(ge=0, description="Results on all pages.")]
    next_cursor: Annotated[str, Meta(description="Pass it as `cursor` for the next page; null on the last one.")] | None
    interpretation: Interpretation
    steps: Annotated[list[Step], Meta(description="In the order they were tried.")]
    companies: Annotated[
        list[CompanyAnswer], Meta(description="One answer per company, if the text asks about several.")
    ]
    searched: Annotated[list[SearchedCountry], Meta(description="The registers that were searched.")]
    next_steps: Annotated[list[NextStep], Meta(description="Suggested next requests, the most useful first.")]


def result(seen: DetailedMatch, language: Language) -> V1Result:
    """A search result as it is sent."""
    shared: dict[str, Any] = {name: getattr(seen.detail.record, name) for name in Teaser.__struct_fields__}
    return V1Result(
        **shared,
        matched_on=seen.matched_on,  # type: ignore[arg-type]
        margin=seen.margin,
        explanations=seen.explanations,
        explanation=seen.sentence.of(language),
    )


def interpretation(response: QuestionAnswer, ignored: list[str]) -> Interpretation:
    """Return the interpretation of a text, as it is sent."""
    made, plan = response.plan.interpretation, response.plan
    chosen = {part.asked: part.reading for part in plan.parts}
    return Interpretation(
        intent="list" if plan.listed else "companies" if len(plan.parts) > 1 else "company",
        language=made.language,
        companies=[
            AskedCompany(
                text=part.asked.text,
                scheme=part.asked.scheme,
                readings=[
                    Reading(
                        how=reading.how,
                        name=reading.name,
                        country=reading.country,
                        chosen=reading == chosen[part.asked],
                    )
                    for reading in part.asked.readings
                ],
            )
            for part in plan.parts
        ],
        understood=[
            Understood(aspect=phrase.aspect, text=phrase.text, value=phrase.value) for phrase in response.understood
        ],
        ignored=ignored,
        left_out=made.left,
    )


def steps(response: QuestionAnswer, language: Language) -> list[Step]:
    """Return the steps of the search, as they are sent."""
    return [
        Step(action=step.action, detail=step.detail.of(language), found=step.companies, took_ms=step.milliseconds)
        for step in response.plan.steps
    ]


def part(answer: Part, language: Language) -> CompanyAnswer:
    """The answer about answer company, as it is sent."""
    results = [result(seen, language) for seen in answer.results]
    return CompanyAnswer(
        asked=answer.asked,
        verdict=answer.verdict,
        sentence=answer.sentence.of(language),
        best_match=results[0] if answer.verdict == "found" else None,
        results=results,
    )


def searched(country: Searched) -> SearchedCountry:
    """Return a country that was searched, as it is sent."""
    return SearchedCountry(
        country_code=country.country,
        records=country.records,
        date=country.date,
        sources=list(country.sources),
        complete=country.complete,
    )
