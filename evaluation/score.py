"""Figures of match quality, from queries and their answers.

Found: one of the companies that the query fits (`expected`) is among the first results.
Right: the first result is the company that was *meant*. Confidence claims no less, so precision and calibration count
only this: to be sure of one of two namesakes is wrong half the time.
Asserted: the first result has a confidence of 0.85 or more, as stated in the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from evaluation.queries import HINTING, WRONG_DIGIT, Query, is_identifier

THRESHOLD = 0.85
PRIOR = 1 / 3
"""Share of absent companies that the calibration error is stated for. `PRIORS` adds a lower and a higher one."""
PRIORS = (0.1, PRIOR, 0.5)
BINS = 15
"""Bins of the calibration error, the number that is customary in the literature."""
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.9, 0.95, 0.98, 1.0)


class Result(NamedTuple):
    """A company in an answer, with its confidence."""

    country: str
    identifier: str
    confidence: float


class Answer(NamedTuple):
    """An answer: companies, best first, and hints."""

    results: tuple[Result, ...] = ()
    hints: tuple[str, ...] = ()


Answers = Mapping[str, Answer]
"""The answer to each query, by the id of the query."""


class Figures(NamedTuple):
    """Figures of queries; a share of nothing is None. `asked` is the sum of `present` and `absent`."""

    asked: int
    present: int
    unique: int
    absent: int
    recall_1: float | None
    recall_8: float | None
    precision: float | None
    recall: float | None
    asserted: int
    absent_matched: int
    namesakes_asserted: int
    error: float | None
    ones: int


class Bin(NamedTuple):
    """A range of confidence: its share of all first results, mean confidence, share right, and number of queries."""

    mass: float
    confidence: float
    right: float
    queries: int


def first(answer: Answer) -> Result | None:
    """Return the best result, if any."""
    return answer.results[0] if answer.results else None


def _record(result: Result) -> tuple[str, str]:
    return result.country, result.identifier


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def is_found(query: Query, answer: Answer, most: int) -> bool:
    """Return whether a company that the query fits is among the first `most` results."""
    return any(_record(result) in query.expected for result in answer.results[:most])


def is_right(query: Query, answer: Answer) -> bool:
    """Return whether the first result is the company that was meant; never true where none was."""
    best = first(answer)
    return best is not None and _record(best) in query.meant


def is_asserted(answer: Answer) -> bool:
    """Return whether the answer is sure of its first result."""
    best = first(answer)
    return best is not None and best.confidence >= THRESHOLD


def figures(queries: Sequence[Query], answers: Answers) -> Figures:
    """Return the figures of `queries`; raise `KeyError` for a query without an answer."""
    pairs = [(query, answers[query.id]) for query in queries]
    present = [(query, answer) for query, answer in pairs if not query.absent]
    unique = [(query, answer) for query, answer in present if query.unique]
    asserted = [(query, answer) for query, answer in pairs if is_asserted(answer)]
    right = sum(is_right(query, answer) for query, answer in asserted)
    return Figures(
        asked=len(pairs),
        present=len(present),
        unique=len(unique),
        absent=len(pairs) - len(present),
        recall_1=_share(sum(is_found(query, answer, 1) for query, answer in present), len(present)),
        recall_8=_share(sum(is_found(query, answer, 8) for query, answer in present), len(present)),
        precision=_share(right, len(asserted)),
        recall=_share(sum(is_asserted(answer) and is_right(query, answer) for query, answer in unique), len(unique)),
        asserted=len(asserted),
        absent_matched=sum(query.absent for query, _ in asserted),
        namesakes_asserted=sum(not (query.absent or query.unique or query.kind in HINTING) for query, _ in asserted),
        error=calibration_error(queries, answers),
        ones=sum(result.confidence == 1.0 for _, answer in pairs for result in answer.results),
    )


class Point(NamedTuple):
    """A first result: its confidence, whether it is right, and the weight of its query."""

    confidence: float
    right: bool
    weight: float


def _points(queries: Iterable[Query], answers: Answers, prior: float | None) -> list[Point]:
    """Weight first results so that absent companies are `prior` of all queries; None: leave them as they are."""
    queries = list(queries)
    absent = sum(query.absent for query in queries)
    weights = (1.0, 1.0)
    if prior is not None and 0 < absent < len(queries):
        weights = ((1 - prior) / (len(queries) - absent), prior / absent)
    points = []
    for query in queries:
        answer = answers[query.id]
        if best := first(answer):
            points.append(Point(best.confidence, is_right(query, answer), weights[query.absent]))
    return points


def equal_bins(queries: Iterable[Query], answers: Answers, prior: float | None = PRIOR, count: int = BINS) -> list[Bin]:
    """Divide first results into `count` bins of equal mass by confidence.

    Args:
        queries: The queries. One without results is in no bin.
        answers: The answer to each query.
        prior: The share of absent companies to weight for.
        count: The number of bins.

    Returns:
        The bins, by confidence.
    """
    return _equal_bins(_points(queries, answers, prior), count)


def _equal_bins(points: Iterable[Point], count: int) -> list[Bin]:
    """Divide points into bins of equal mass.

    Where a bin ends among results of one confidence, it takes its share of all of them, so that the order of queries
    does not matter.
    """
    levels: dict[float, list[float]] = {}
    for point in points:
        level = levels.setdefault(point.confidence, [0.0, 0.0, 0.0])
        level[0] += point.weight
        level[1] += point.weight * point.right
        level[2] += 1
    total = sum(level[0] for level in levels.values())
    bins = [[0.0, 0.0, 0.0, 0.0] for _ in range(count)]
    before = 0.0
    for confidence, (weight, right, number) in sorted(levels.items()):
        start, end = before / total * count, (before + weight) / total * count
        for place in range(int(start), count):
            if (part := min(end, place + 1) - max(start, place)) <= 0:
                break
            share = part / (end - start)
            for column, value in enumerate((weight, weight * confidence, right, number)):
                bins[place][column] += share * value
        before += weight
    return [
        Bin(weight / total, confidence / weight, right / weight, round(number))
        for weight, confidence, right, number in bins
        if weight
    ]


def calibration_error(queries: Iterable[Query], answers: Answers, prior: float | None = PRIOR) -> float | None:
    """Return the mean distance of confidence and share right over bins of equal mass; None without any result."""
    return calibration_error_of(_points(queries, answers, prior))


def calibration_error_of(points: Iterable[Point]) -> float | None:
    """Return the calibration error of weighted first results; None where there are none."""
    bins = _equal_bins(points, BINS)
    return sum(bin_.mass * abs(bin_.confidence - bin_.right) for bin_ in bins) if bins else None


def reliability(
    queries: Iterable[Query], answers: Answers, prior: float | None = PRIOR
) -> list[tuple[float, float, Bin]]:
    """Divide first results between fixed edges: lower edge, upper edge (excluded, but for 1), bin; no empty bins."""
    points = _points(queries, answers, prior)
    total = sum(point.weight for point in points)
    table = []
    for low, high in pairwise(EDGES):
        here = [point for point in points if low <= point.confidence < high or point.confidence == high == EDGES[-1]]
        if weight := sum(point.weight for point in here):
            mean = sum(point.weight * point.confidence for point in here) / weight
            right = sum(point.weight for point in here if point.right) / weight
            table.append((low, high, Bin(weight / total, mean, right, len(here))))
    return table


class Repairs(NamedTuple):
    """Numbers with a wrong digit: asked, answered surely (and so wrongly), answered with the right number as a hint."""

    asked: int
    matched: int
    repaired: int


def repairs(queries: Iterable[Query], answers: Answers) -> Repairs:
    """Count the answers to numbers with a wrong digit."""
    asked = matched = repaired = 0
    for query in queries:
        if query.kind == WRONG_DIGIT:
            answer = answers[query.id]
            asked += 1
            matched += is_asserted(answer)
            digits = ["".join(filter(str.isalnum, hint)) for hint in answer.hints]
            repaired += any(number in hint for hint in digits for _, number in query.meant)
    return Repairs(asked, matched, repaired)


class Report(NamedTuple):
    """All figures of a run. Names and numbers are scored apart, and calibration is that of names.

    `whole` are the names without the kinds that only hint at a name.
    """

    names: Figures
    whole: Figures
    by_country: dict[str, Figures]
    by_kind: dict[str, Figures]
    by_country_and_kind: dict[str, dict[str, Figures]]
    identifiers: dict[str, Figures]
    repairs: Repairs
    errors_by_prior: dict[str, float | None]
    curves: dict[str, list[Bin]]
    reliability: dict[str, list[tuple[float, float, Bin]]]


def report(queries: Sequence[Query], answers: Answers) -> Report:
    """Score a run."""
    names = [query for query in queries if not is_identifier(query.kind)]
    numbers = [query for query in queries if is_identifier(query.kind) and query.kind != WRONG_DIGIT]
    countries = grouped(names, lambda query: query.country)
    return Report(
        figures(names, answers),
        figures([query for query in names if query.kind not in HINTING], answers),
        {country: figures(some, answers) for country, some in countries.items()},
        {kind: figures(some, answers) for kind, some in grouped(names, lambda query: query.kind).items()},
        {
            country: {kind: figures(few, answers) for kind, few in grouped(some, lambda query: query.kind).items()}
            for country, some in countries.items()
        },
        {kind: figures(some, answers) for kind, some in grouped(numbers, lambda query: query.kind).items()},
        repairs(queries, answers),
        {f"{prior:.2f}": calibration_error(names, answers, prior) for prior in PRIORS},
        {f"{prior:.2f}": equal_bins(names, answers, prior) for prior in PRIORS},
        {"all": reliability(names, answers)} | {code: reliability(some, answers) for code, some in countries.items()},
    )


def grouped(queries: Iterable[Query], key: Callable[[Query], str]) -> dict[str, list[Query]]:
    """Group queries by a key."""
    groups: dict[str, list[Query]] = {}
    for query in queries:
        groups.setdefault(key(query), []).append(query)
    return groups


def fallen(now: Figures, before: Mapping[str, float | None], *, by: float = 0.01) -> list[str]:
    """Return the figures that are more than `by` worse than before: recall and precision lower, error higher."""
    worse = []
    for name, sign in (("recall_1", 1), ("recall_8", 1), ("precision", 1), ("recall", 1), ("error", -1)):
        was, value = before.get(name), getattr(now, name)
        if was is not None and (value is None or sign * (was - value) > by + 1e-9):
            worse.append(f"{name}: {value} after {was:.4f}")
    return worse
