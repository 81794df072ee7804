"""Fit the weights of ranking to labelled queries, and write them to calibration.json.

    python -m evaluation.fit_weights --data var --queries train.jsonl [--typed dev.jsonl …] [--output FILE]

Each line of the queries is an object {"q": …, "filter": country or null, "meant": [[country, identifier], …],
"expected": […]}; `expected` is empty where the company is not in the directory. The weights maximize the likelihood of
what was meant under the conditional logit of `padron.matching.score`, less a penalty on their squares, each within the
direction of its feature. Weights set by judgment stay.

The generated queries come from all companies alike and state every way of writing a name; the typed ones (the
development half of `evaluation/typed` and those of other hands) tell who is asked for, and what people write around a
name. The typed ones count `_TYPED` times as much as the generated ones, all together.

Candidates are retrieved once. The name of a company that fits best depends on the weights, so ranking and fitting
alternate. At the end the fit is compared with a gradient-boosted model on the same features (`evaluation.challenger`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import LinearConstraint, minimize
from scipy.sparse import csr_matrix, diags

from evaluation import challenger
from evaluation.choice_model import Case, Choices, Floats, choices, probabilities, residuals
from evaluation.queries import chance
from evaluation.run import TYPED
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import release_index
from padron.index.document import KNOWN_AS, StoredCompany, decode_company, decode_record
from padron.index.engine import Hit
from padron.index.release_index import ReleaseIndex
from padron.index.retrieval import Retrieval
from padron.lookup.find import MOST_CANDIDATES, lookup
from padron.matching.features import (
    ANOTHERS_NAME,
    EITHER_WAY,
    FEATURES,
    FORM_DIFFERS,
    HELPS,
    JOINTS,
    JUDGED,
    TABLE,
    TERMS,
    Unit,
)
from padron.matching.query import Query, Reader
from padron.matching.score import CALIBRATION, LinearScorer, Match, Ranker
from padron.releases import snapshot

_PENALTY: Final = 0.3
"""Penalty on half the sum of squares: it decides only where a feature is rare or always with another."""
_ROUNDS: Final = 6
"""Rounds of ranking and fitting, at most; the fourth gains almost nothing already."""
_LEAST_GAIN: Final = 1e-4
"""Gain of a round in mean log-likelihood below which another one is not worth its minutes."""
_TOLERANCES: Final = {"ftol": 1e-9, "maxiter": 2_000}
"""Tolerances of the optimizer, so tight that the fourth decimal of every weight is settled."""
_MOST: Final = {
    Unit.FLAG: 1.0,
    Unit.SHARE: 1.0,
    Unit.COUNT: 3.0,
    Unit.IDF: 3.0,
    Unit.EDITS: 8.0,
    Unit.LOG_COUNT: 12.0,
}
"""The largest value of a feature with a joint weight, or one that hardly any has: a word of 150,000 companies is 12."""
_ABSENT: Final = 1 / 3
"""Share of queries without the company in the directory: the share that calibration is stated for."""
_REMOVED: Final = 0.5
"""Part of these that are queries for known companies, with the company removed from the candidates."""
_FOLDS: Final = 5
"""Parts of the training queries, one of which is held out in the comparison."""

_TYPED: Final = 0.6
"""Weight of all typed queries, as a part of the weight of all generated ones: with more, the generated set loses more
recall than the typed one gains."""

Weights = dict[str, float]


class LabelledQuery(NamedTuple):
    """A parsed query with its candidates and the truth.

    Attributes:
        query: The parsed query.
        hits: The candidates.
        meant: Country and identifier of each record of the company that was meant.
        weight: The number of queries for which this one counts.
        unique: Only the company that was meant fits the query.
        fold: The fold of the company that was meant.
    """

    query: Query
    hits: Sequence[Hit]
    meant: frozenset[tuple[str, str]]
    weight: float = 1.0
    unique: bool = False
    fold: int = 0


def label_queries(lines: Iterable[str], index: ReleaseIndex) -> list[LabelledQuery]:
    """Parse the lines of a file of queries and retrieve their candidates; queries with a number are left out.

    A query that fits only one company is used a second time with that company removed: what is left is what a directory
    without it would offer, with real namesakes and neighbours.
    """
    reader = Reader(REGISTRY)
    retrieval = Retrieval(index, reader.forms)
    present, absent, removed = [], [], []
    for line in lines:
        row = json.loads(line)
        query = reader.read(row["q"], row["filter"])
        if query.spotted or not any(name.words for name in query.names.values()):
            continue
        hits = run(retrieval.candidates(lookup(query), MOST_CANDIDATES))
        meant = frozenset(map(tuple, row["meant"]))
        fold = chance("fold", *min(meant, default=(row["q"],))) % _FOLDS
        if not row["expected"]:
            absent.append(LabelledQuery(query, hits, frozenset(), fold=fold))
            continue
        unique = meant.issuperset(map(tuple, row["expected"]))
        present.append(LabelledQuery(query, hits, meant, unique=unique, fold=fold))
        if unique:
            others = [hit for hit in hits if _record(index, decode_company(hit.stored)) not in meant]
            removed.append(LabelledQuery(query, others, frozenset(), fold=fold))
    total = len(present) + len(absent)
    shares = (1 - _ABSENT, _ABSENT * (1 - _REMOVED), _ABSENT * _REMOVED)
    return [
        query._replace(weight=share * total / len(group))
        for group, share in zip((present, absent, removed), shares, strict=True)
        for query in group
    ]


def label_typed(lines: Iterable[str], index: ReleaseIndex, weight: float) -> list[LabelledQuery]:
    """Parse the lines of a file of typed queries and retrieve their candidates.

    Queries with a number, those that mean several companies, and those for nobody whose text a document states as a
    company's name are left out.

    Args:
        lines: The lines.
        index: The index to search.
        weight: The weight of all of them together.

    Returns:
        The queries, all of the same weight.
    """
    reader = Reader(REGISTRY)
    retrieval = Retrieval(index, reader.forms)
    queries = []
    for row in map(json.loads, lines):
        query = reader.read(row["q"], row["filter"])
        if row["kind"] == "ambiguous" or query.spotted or not any(name.words for name in query.names.values()):
            continue
        hits = run(retrieval.candidates(lookup(query), MOST_CANDIDATES))
        if not row["meant"] and _is_by_name(query, hits):
            continue
        fold = chance("fold", *(row["meant"][0] if row["meant"] else [row["q"]])) % _FOLDS
        meant = frozenset(map(tuple, row["meant"] if row["unique"] else row["expected"]))
        queries.append(LabelledQuery(query, hits, meant, unique=row["unique"], fold=fold))
    return [query._replace(weight=weight / len(queries)) for query in queries]


def _is_by_name(query: Query, hits: Iterable[Hit]) -> bool:
    """Return whether the whole text is a name that a document states for one of the companies."""
    keys = {name.key for name in query.names.values()}
    names = (name for hit in hits for name in decode_company(hit.stored).names)
    return any(name.kind == KNOWN_AS and name.words in keys for name in names)


def _record(index: ReleaseIndex, company: StoredCompany) -> tuple[str, str]:
    """Return country and identifier of a company."""
    return index.tables.texts[company.country], decode_record(company.record).identifier


def make_cases(queries: Iterable[LabelledQuery], index: ReleaseIndex, weights: Weights) -> list[Case]:
    """Rank the candidates of each query by `weights` and return their features."""
    ranker = Ranker(index, LinearScorer(weights))
    return [_case(ranker.matches(query.query, query.hits), query) for query in queries]


def _case(matches: Sequence[Match], query: LabelledQuery) -> Case:
    """Return the best match of each company, but those under another form or with another's name: a ceiling decides."""
    companies: dict[str | int, Match] = {}
    meant = None
    for match in matches:
        if FORM_DIFFERS in match.features or ANOTHERS_NAME in match.features:
            continue
        company = match.company.link or match.key
        if (match.country, decode_record(match.company.record).identifier) in query.meant:
            meant = company
        if company not in companies or companies[company].utility < match.utility:
            companies[company] = match
    return Case(
        [match.features for match in companies.values()],
        None if meant is None else list(companies).index(meant),
        query.weight,
        query.unique,
        query.fold,
    )


def fit(queries: Sequence[LabelledQuery], index: ReleaseIndex) -> tuple[Weights, list[Case]]:
    """Fit the weights, starting from zero; return them with the cases of the last round."""
    weights = dict.fromkeys(TERMS, 0.0) | JUDGED
    cases: list[Case] = []
    for number in range(_ROUNDS):
        cases = make_cases(queries, index, weights)
        data = choices(cases)
        before = _objective(_vector(weights), data)[0]
        weights = maximize_likelihood(data, weights)
        gain = (before - _objective(_vector(weights), data)[0]) / len(cases)
        sys.stderr.write(f"round {number}: mean log-likelihood {-before / len(cases):.5f} {gain:+.5f}\n")
        if gain < _LEAST_GAIN:
            break
    return weights, cases


def maximize_likelihood(data: Choices, start: Mapping[str, float]) -> Weights:
    """Return the likeliest weights, each within its direction whatever the features that it has a joint weight with."""
    result = minimize(
        _objective,
        _vector(start),
        args=(data,),
        jac=True,
        method="SLSQP",
        bounds=[_bounds(term) for term in TERMS],
        constraints=[LinearConstraint(_slopes(), lb=0.0)],
        options=_TOLERANCES,
    )
    return dict(zip(TERMS, map(float, np.round(result.x, 9)), strict=True))  # at its bound exactly, not nearly


def _slopes() -> Floats:
    """Return a row for each feature with a direction and each choice among its joint weights: what 1 more of it gains.

    The slope in a feature is its weight and, of each joint weight, the product with the other feature, at most as large
    as that gets; turned the way of its direction, none may be negative.
    """
    rows = []
    for feature in FEATURES:
        joints = [joint for joint in JOINTS if feature in {joint.first, joint.second}]
        if feature in EITHER_WAY or not joints:
            continue
        sign = 1.0 if feature in HELPS else -1.0
        for chosen in product((False, True), repeat=len(joints)):
            row = dict.fromkeys(TERMS, 0.0) | {feature: sign}
            for joint in compress(joints, chosen):
                other = joint.second if joint.first == feature else joint.first
                row[joint.name] = sign * _MOST[TABLE[other].unit]
            rows.append(list(row.values()))
    return np.array(rows)


def _vector(weights: Mapping[str, float]) -> Floats:
    return np.array([weights[term] for term in TERMS])


def _bounds(feature: str) -> tuple[float | None, float | None]:
    """Return the range of a weight: a judgment, the sign of its direction, or any value."""
    if feature in JUDGED:
        return JUDGED[feature], JUDGED[feature]
    if feature in EITHER_WAY or feature not in TABLE:
        return None, None
    return (0.0, None) if feature in HELPS else (None, 0.0)


def _objective(vector: Floats, data: Choices) -> tuple[float, Floats]:
    """Return the penalized log-likelihood and its gradient, both with the sign turned."""
    probability, log_likelihood = probabilities(data, data.features @ vector)
    gradient = data.features.T @ residuals(data, probability) - _PENALTY * vector
    value = data.weights @ log_likelihood - _PENALTY / 2 * (vector @ vector)
    return -float(value), -gradient


def standard_errors(data: Choices, weights: Mapping[str, float]) -> dict[str, float | None]:
    """Return the standard error of each fitted weight, from the inverse Hessian of the penalized log-likelihood.

    None for weights set by judgment, and for weights at the bound of their direction.
    """
    vector = _vector(weights)
    probability, _ = probabilities(data, data.features @ vector)
    cases, rows = len(data.weights), len(data.case)
    means = csr_matrix((probability, (data.case, np.arange(rows))), shape=(cases, rows)) @ data.features
    spread = data.features.T @ diags(probability * data.weights[data.case]) @ data.features
    hessian = (spread - means.T @ diags(data.weights) @ means).toarray() + _PENALTY * np.eye(len(TERMS))
    fitted = [column for column, term in enumerate(TERMS) if term not in JUDGED and vector[column] != 0.0]
    variances = np.diag(np.linalg.inv(hessian[np.ix_(fitted, fitted)]))
    errors: dict[str, float | None] = dict.fromkeys(TERMS)
    return errors | {TERMS[column]: float(variance) ** 0.5 for column, variance in zip(fitted, variances, strict=True)}


def calibration(release: str, queries: int, weights: Weights, errors: Mapping[str, float | None]) -> dict[str, Any]:
    """Return the content of calibration.json.

    Args:
        release: The release that was searched.
        queries: The number of labelled queries.
        weights: The weight of each feature.
        errors: The standard error of each weight.

    Returns:
        Everything rounded to four decimals.
    """
    return {
        "release": release,
        "queries": queries,
        "absent": round(_ABSENT, 4),
        "coefficients": {feature: round(weight, 4) for feature, weight in weights.items()},
        "standardErrors": {feature: None if error is None else round(error, 4) for feature, error in errors.items()},
    }


def main() -> None:
    """Fit, write, and compare with the challenger."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fit_weights")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--queries", type=Path, required=True, help="labelled queries, one JSON object per line")
    typed = [TYPED / "dev.jsonl", TYPED / "others.jsonl"]
    parser.add_argument("--typed", type=Path, nargs="+", default=typed, help="files of typed queries, the same")
    parser.add_argument("--output", type=Path, default=CALIBRATION, help="file to write")
    options = parser.parse_args()
    release = snapshot.current(options.data)
    index = run(release_index.open_index(snapshot.index_folder(options.data, release, release_index.FORMAT)))
    with options.queries.open(encoding="utf-8") as lines:
        queries = label_queries(lines, index)
    by_hand = [line for file in options.typed for line in file.read_text(encoding="utf-8").splitlines()]
    queries += label_typed(by_hand, index, _TYPED * sum(query.weight for query in queries))
    weights, cases = fit(queries, index)
    content = calibration(release, len(queries), weights, standard_errors(choices(cases), weights))
    options.output.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    print(challenger.table(challenger.compare(cases, weights, maximize_likelihood)))


if __name__ == "__main__":
    main()
