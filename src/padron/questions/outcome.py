"""A question, and what trying to answer it came to."""

from __future__ import annotations

from typing import Literal, NamedTuple

from padron.country import Scheme
from padron.index.tags import Filters
from padron.matching.score import Ranked
from padron.model import CountryCode, Text
from padron.questions.interpretation import Asked, Aspect, Interpretation, Listing, Reading

Action = Literal[
    "identifier", "exactName", "similarName", "broaderName", "otherCountries", "oneDigitRepair", "activity"
]
Verdict = Literal["found", "ambiguous", "possible", "not_found", "invalid_input"]


class Question(NamedTuple):
    """What is asked: a text, the country and filters given with it, the aspects not to be understood, and the page."""

    q: str
    country: CountryCode | None = None
    filters: Filters = Filters()
    ignored: frozenset[Aspect] = frozenset()
    start: int = 0
    limit: int = 8


class Step(NamedTuple):
    """Something that was tried: how many companies it found, and how long it took in milliseconds."""

    action: Action
    detail: Text
    found: int
    took: float


class Part(NamedTuple):
    """What was found of one company asked; `reading` is how its name was taken.

    `wrong` is a number that cannot be right: it has the form of none, or a wrong check digit (of scheme `mistyped`).
    """

    asked: Asked
    reading: Reading | None
    verdict: Verdict
    results: list[Ranked]
    hints: list[Text]
    wrong: str | None = None
    mistyped: Scheme | None = None


class Listed(NamedTuple):
    """A page of a list: what was listed, how many companies there are, and those of the page."""

    listing: Listing
    total: int
    results: list[Ranked]


class Plan(NamedTuple):
    """What was understood of a question, tried and found. Of a list there is no part, of companies no list."""

    interpretation: Interpretation
    steps: list[Step]
    parts: list[Part]
    listed: Listed | None
