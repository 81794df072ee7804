"""Fit the weights of ranking to queries whose answers are known, and write them to calibration.json.

    python -m evaluation.fit_weights --data var --queries train.jsonl

A line of the queries: {"q": …, "filter": country or null, "meant": [[country, identifier], …], "expected": […]}, the
last empty where the company is not in the directory. The weights maximize the likelihood of what was meant under the
model of `rank`, less a small penalty on their squares, each feature held to its direction (`features.HELPS`).
Candidates are retrieved once; which of a company's names fits best depends on the weights, so ranking and fitting take
turns.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from padron import snapshot
from padron.countries import REGISTRY
from padron.index import tantivy_engine
from padron.index.document import StoredCompany, decode_company, decode_record
from padron.index.engine import Engine, Hit
from padron.lookup.find import MOST_CANDIDATES, lookup
from padron.matching.features import EITHER_WAY, FEATURES, FORM_DIFFERS, HELPS, JUDGED, Features
from padron.matching.query import Query, Reader
from padron.matching.score import CALIBRATION, LinearScorer, Match, Ranker

_PENALTY: Final = 0.3
_TURNS: Final = 4
_STEPS: Final = 30
_LEAST_GAIN: Final = 1e-6
_NEGLIGIBLE: Final = 1e-6
_ABSENT: Final = 1 / 3
_TAKEN_OUT: Final = 0.5

Weights = dict[str, float]


class Question(NamedTuple):
    """A query with its candidates, the records that were meant, and how much it counts."""

    query: Query
    hits: Sequence[Hit]
    meant: frozenset[tuple[str, str]]
    weight: float = 1.0


class Case(NamedTuple):
    """The candidates of a question as features, one a company, the place of the one meant (None: not there), weight."""

    candidates: list[Features]
    right: int | None
    weight: float = 1.0


def questions(lines: Iterable[str], engine: Engine) -> list[Question]:
    """The questions of a file of queries, numbers left out: they are not ranked.

    A query that fits one company alone is asked once more with that company taken out: what is left is what a directory
    without it would offer, its real namesakes and neighbours. Weights make a third of all absent, half of that third by
    the file and half by what was taken out.
    """
    reader = Reader(REGISTRY)
    present, absent, without = [], [], []
    for line in lines:
        asked = json.loads(line)
        query = reader.read(asked["q"], asked["filter"])
        if query.spotted or not any(name.words for name in query.names.values()):
            continue
        hits = engine.candidates(lookup(query), MOST_CANDIDATES)
        if not asked["expected"]:
            absent.append(Question(query, hits, frozenset()))
            continue
        meant = frozenset(map(tuple, asked["meant"]))
        present.append(Question(query, hits, meant))
        if meant.issuperset(map(tuple, asked["expected"])):
            others = [hit for hit in hits if _record(engine, decode_company(hit.stored)) not in meant]
            without.append(Question(query, others, frozenset()))
    total = len(present) + len(absent)
    shares = (1 - _ABSENT, _ABSENT * (1 - _TAKEN_OUT), _ABSENT * _TAKEN_OUT)
    return [
        question._replace(weight=share * total / len(some))
        for some, share in zip((present, absent, without), shares, strict=True)
        for question in some
    ]


def _record(engine: Engine, company: StoredCompany) -> tuple[str, str]:
    """Country and identifier of a company."""
    return engine.tables.texts[company.country], decode_record(company.record).identifier


def cases(asked: Iterable[Question], engine: Engine, weights: Weights) -> list[Case]:
    """What ranking by `weights` sees of each question."""
    ranker = Ranker(engine.tables, engine.frequency, LinearScorer(weights))
    return [_case(ranker.matches(one.query, one.hits), one.meant, one.weight) for one in asked]


def _case(matches: Sequence[Match], meant: frozenset[tuple[str, str]], weight: float) -> Case:
    """The candidates of one question, but for those under another legal form, of which the weights do not decide."""
    companies: dict[str | int, Match] = {}
    right = None
    for match in matches:
        if FORM_DIFFERS in match.features:
            continue
        company = match.company.link or match.key
        if (match.country, decode_record(match.company.record).identifier) in meant:
            right = company
        if company not in companies or companies[company].utility < match.utility:
            companies[company] = match
    places = {company: place for place, company in enumerate(companies)}
    return Case([match.features for match in companies.values()], None if right is None else places[right], weight)


def fit(asked: Sequence[Question], engine: Engine, weights: Weights) -> Weights:
    """The likeliest weights, starting from `weights`: where one starts tells nothing but how long it takes."""
    weights = {one: _held(one, weight) for one, weight in weights.items()}
    for turn in range(_TURNS):
        seen = cases(asked, engine, weights)
        before = _likelihood(seen, weights)
        weights = _climb(seen, weights)
        gain = (_likelihood(seen, weights) - before) / len(seen)
        sys.stderr.write(f"turn {turn}: {before / len(seen):.5f} {gain:+.5f}\n")
        if gain < _LEAST_GAIN * 100:
            break
    return weights


def _climb(seen: Sequence[Case], weights: Weights) -> Weights:
    """Newton's method, halving steps that do not climb; weights that would turn against their direction stay at 0."""
    value = _likelihood(seen, weights)
    for _ in range(_STEPS):
        slope, curve = _slope(seen, weights)
        free = [one for one in FEATURES if one not in JUDGED and (weights[one] or _may(one, slope[one]))]
        step = dict(
            zip(free, _solve([[curve[a][b] for b in free] for a in free], [slope[a] for a in free]), strict=True)
        )
        size = 1.0
        while size > 1e-3:
            moved = {one: _held(one, weights[one] + size * step.get(one, 0.0)) for one in FEATURES}
            if (reached := _likelihood(seen, moved)) > value:
                break
            size /= 2
        else:
            return weights
        gain, value, weights = reached - value, reached, moved
        if gain < _LEAST_GAIN * len(seen):
            return weights
    return weights


def _may(feature: str, direction: float) -> bool:
    """Whether the weight of a feature may leave 0 in a direction."""
    return feature in EITHER_WAY or (direction > 0) == (feature in HELPS)


def _held(feature: str, weight: float) -> float:
    """`weight` where it keeps to its direction; a weight that is set by judgment stays that."""
    if feature in JUDGED:
        return JUDGED[feature]
    return weight if _may(feature, weight) else 0.0


def _shares(case: Case, weights: Mapping[str, float]) -> tuple[list[float], float]:
    """The confidence of each candidate, and the logarithm of that of what was meant."""
    fits = [sum([weights[one] * value for one, value in features.items()]) for features in case.candidates]
    top = max(0.0, *fits) if fits else 0.0
    total = math.exp(-top) + sum([math.exp(fit - top) for fit in fits])
    meant = 0.0 if case.right is None else fits[case.right]
    return [math.exp(fit - top) / total for fit in fits], meant - top - math.log(total)


def _likelihood(seen: Iterable[Case], weights: Mapping[str, float]) -> float:
    penalty = _PENALTY / 2 * sum(weight * weight for weight in weights.values())
    return sum([case.weight * _shares(case, weights)[1] for case in seen]) - penalty


def _slope(seen: Iterable[Case], weights: Weights) -> tuple[Weights, dict[str, Weights]]:
    """First derivatives of the likelihood, and second ones with their sign turned."""
    slope = {one: -_PENALTY * weights[one] for one in FEATURES}
    curve = {one: dict.fromkeys(FEATURES, 0.0) | {one: _PENALTY} for one in FEATURES}
    for case in seen:
        shares, _ = _shares(case, weights)
        weight = case.weight
        mean: Weights = {}
        for features, share in zip(case.candidates, shares, strict=True):
            if share > _NEGLIGIBLE:
                for one, value in features.items():
                    mean[one] = mean.get(one, 0.0) + share * value
                    row = curve[one]
                    for other, beside in features.items():
                        row[other] += weight * share * value * beside
        for one, value in mean.items():
            slope[one] -= weight * value
            row = curve[one]
            for other, beside in mean.items():
                row[other] -= weight * value * beside
        if case.right is not None:
            for one, value in case.candidates[case.right].items():
                slope[one] += weight * value
    return slope, curve


def _solve(matrix: list[list[float]], wanted: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, wanted, strict=True)]
    for at in range(len(rows)):
        pivot = max(range(at, len(rows)), key=lambda place: abs(rows[place][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, len(rows)):
            factor = rows[below][at] / rows[at][at]
            rows[below] = [value - factor * above for value, above in zip(rows[below], rows[at], strict=True)]
    solution = [0.0] * len(rows)
    for at in reversed(range(len(rows))):
        known = sum(rows[at][place] * solution[place] for place in range(at + 1, len(rows)))
        solution[at] = (rows[at][-1] - known) / rows[at][at]
    return solution


def main() -> None:
    """Read, fit, write."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fit_weights")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--queries", type=Path, required=True, help="queries with their answers, a JSON object a line")
    options = parser.parse_args()
    release = snapshot.current(options.data)
    engine = tantivy_engine.open_index(snapshot.index_folder(options.data, release, tantivy_engine.FORMAT))
    with options.queries.open(encoding="utf-8") as lines:
        asked = questions(lines, engine)
    weights = fit(asked, engine, dict.fromkeys(FEATURES, 0.0))
    fitted = {
        "release": release,
        "queries": len(asked),
        "absent": round(_ABSENT, 4),
        "coefficients": {one: round(weight, 4) for one, weight in weights.items()},
    }
    CALIBRATION.write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
