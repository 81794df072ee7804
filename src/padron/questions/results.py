"""Values of a question and of the attempt to answer it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from padron.companies.model import CountryCode
from padron.index.listing import Stated
from padron.index.tags import Filters
from padron.lookup.verdict import Verdict
from padron.matching.identifiers import Number
from padron.matching.score import Ranked
from padron.questions.interpretation import Aspect, ListRequest, QuestionInterpretation, RequestedCompany, TextReading
from padron.words import Text

Action = Literal[
    "identifier", "exactName", "similarName", "broaderName", "otherCountries", "oneDigitRepair", "activity"
]


class Question(NamedTuple):
    """A question: a text, the country and filters given with it, the aspects to ignore, and the page."""

    q: str
    country: CountryCode | None = None
    filters: Filters = Filters()
    ignored: frozenset[Aspect] = frozenset()
    start: int = 0
    limit: int = 8


class SearchStep(NamedTuple):
    """A search that was tried: the companies it found, and its duration in milliseconds."""

    action: Action
    detail: Text
    companies: int
    milliseconds: float


class CompanyResult(NamedTuple):
    """The result for one requested company; `reading` is the chosen reading of its name.

    `wrong` is a number that cannot be right: it has no known form, or a wrong check digit (`mistyped`).
    `unfiltered` is the result without the filters of the question, where they may leave out what is asked for.
    """

    asked: RequestedCompany
    reading: TextReading | None
    verdict: Verdict
    results: list[Ranked]
    hints: list[Text]
    wrong: str | None = None
    mistyped: Number | None = None
    unfiltered: CompanyResult | None = None


class ListPage(NamedTuple):
    """A page of a list: its description, the number of companies in all, and those of the page.

    `unstated`: conditions that no company of the country fulfils; its sources may not tell them. `lacking`: hints about
    kinds of companies that the sources lack. `stated`: where the list is by status, how many companies of its country,
    or of all, state one, and how many there are.
    """

    listing: ListRequest
    total: int
    results: list[Ranked]
    unstated: Filters
    lacking: list[Text]
    stated: Stated | None = None


class QuestionResult(NamedTuple):
    """The interpretation of a question, the steps tried and their results: parts for companies, or a list."""

    interpretation: QuestionInterpretation
    steps: list[SearchStep]
    parts: list[CompanyResult]
    listed: ListPage | None
