"""A gradient-boosted model as a standing challenger of the linear weights, on the same features and training queries.

LightGBM boosts trees on the likelihood of the same conditional logit, each feature held to its direction by a monotone
constraint; isotonic regression then calibrates the confidence of its first results. Both models are fitted without one
fold of the companies and compared on that fold. Ceilings are left out on both sides: they are not part of a fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import lightgbm
import numpy as np
from sklearn.isotonic import IsotonicRegression

from evaluation.choice_model import Case, Choices, Floats, choices, probabilities, residuals
from evaluation.score import THRESHOLD, Point, calibration_error_of
from padron.matching.features import EITHER_WAY, HELPS, TABLE, TERMS

_HELD_OUT: Final = 0
"""The fold that both models are compared on."""
_CALIBRATION: Final = 1
"""The fold that calibrates the challenger. The linear model needs no calibration and is fitted on it."""
_SETTINGS: Final = {
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 50,
    "feature_pre_filter": False,
    "max_delta_step": 1.0,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbosity": -1,
}
"""LightGBM's defaults, except for larger leaves and bounded steps, so that rare features are not memorized."""
_TREES: Final = 300
"""Trees: more gained nothing on the calibration fold."""
_LIMIT: Final = 0.9999
"""The largest confidence that answers state; its counterpart bounds the log-loss of a miss."""

LinearFit = Callable[[Choices, Mapping[str, float]], Mapping[str, float]]
Model = Callable[[Choices], Floats]


class Comparison(NamedTuple):
    """Figures of a model on the held-out fold; the queries are weighted so that a third is absent.

    Attributes:
        model: The name of the model.
        queries: The number of queries.
        log_loss: Mean log-loss of the confidence of first results.
        precision: Share of right ones among the first results at 0.85 or more.
        recall: Share of the queries for one company only whose first result is right and at 0.85 or more.
        error: Calibration error.
    """

    model: str
    queries: int
    log_loss: float
    precision: float
    recall: float
    error: float


class FirstResults(NamedTuple):
    """The likeliest candidate of each case that has candidates.

    Attributes:
        confidence: Its probability.
        right: It is the company that was meant.
        weights: The weight of its case.
        unique: Only the company that was meant fits the query of its case.
    """

    confidence: Floats
    right: Floats
    weights: Floats
    unique: Floats


def compare(cases: Sequence[Case], weights: Mapping[str, float], fit: LinearFit) -> list[Comparison]:
    """Compare the linear model with the challenger on the held-out fold.

    Args:
        cases: All training cases.
        weights: The linear weights to start from.
        fit: The fit of linear weights.

    Returns:
        The figures of both models, the linear one first.
    """
    held_out = choices([case for case in cases if case.fold == _HELD_OUT])
    calibration = choices([case for case in cases if case.fold == _CALIBRATION])
    linear = fit(choices([case for case in cases if case.fold != _HELD_OUT]), weights)
    vector = np.array([linear[term] for term in TERMS])
    boosted = boost(choices([case for case in cases if case.fold not in {_HELD_OUT, _CALIBRATION}]))
    first, isotonic = first_results(held_out, boosted), calibrate(first_results(calibration, boosted))
    return [
        figures("conditional logit, linear", first_results(held_out, lambda data: data.features @ vector)),
        figures("gradient-boosted, monotone, isotonic", first._replace(confidence=isotonic(first.confidence))),
    ]


def boost(data: Choices, trees: int = _TREES) -> Model:
    """Fit a boosted model of the log-odds, monotone in each feature that has a direction."""

    def objective(log_odds: Floats, _: lightgbm.Dataset) -> tuple[Floats, Floats]:
        probability, _log_likelihood = probabilities(data, log_odds)
        return -residuals(data, probability), data.weights[data.case] * probability * (1 - probability)

    settings = _SETTINGS | {"objective": objective, "monotone_constraints": [_constraint(term) for term in TERMS]}
    booster = lightgbm.train(settings, lightgbm.Dataset(data.features), num_boost_round=trees)
    return lambda other: np.asarray(booster.predict(other.features))


def _constraint(feature: str) -> int:
    """Return LightGBM's code of a feature's direction; products have none."""
    if feature in EITHER_WAY or feature not in TABLE:
        return 0
    return 1 if feature in HELPS else -1


def first_results(data: Choices, model: Model) -> FirstResults:
    """Return the first result of each case by a model."""
    probability, _ = probabilities(data, model(data))
    order = np.lexsort((-probability, data.case))
    cases, starts = np.unique(data.case[order], return_index=True)
    rows = order[starts]
    return FirstResults(
        np.minimum(probability[rows], _LIMIT),
        (data.meant[cases] == rows).astype(float),
        data.weights[cases],
        data.unique[cases].astype(float),
    )


def calibrate(results: FirstResults) -> Callable[[Floats], Floats]:
    """Return an isotonic map from a model's confidence to the share of right first results."""
    isotonic = IsotonicRegression(y_min=1 - _LIMIT, y_max=_LIMIT, out_of_bounds="clip")
    isotonic.fit(results.confidence, results.right, sample_weight=results.weights)
    return lambda confidence: np.asarray(isotonic.predict(confidence))


def figures(model: str, results: FirstResults) -> Comparison:
    """Return the figures of a model's first results."""
    confidence, right, weights, unique = results
    said_right = np.clip(np.where(right == 1.0, confidence, 1 - confidence), 1 - _LIMIT, _LIMIT)
    sure = (confidence >= THRESHOLD) * weights
    points = [Point(*row) for row in zip(confidence.tolist(), (right == 1.0).tolist(), weights.tolist(), strict=True)]
    return Comparison(
        model,
        len(points),
        float(-np.average(np.log(said_right), weights=weights)),
        _share((sure * right).sum(), sure.sum()),
        _share((sure * right * unique).sum(), (weights * unique).sum()),
        calibration_error_of(points) or 0.0,
    )


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan


def table(rows: Sequence[Comparison]) -> str:
    """Format the comparison for a terminal."""
    head = f"{'held-out fold':38}{'queries':>9}{'log-loss':>10}{'precision':>11}{'recall':>8}{'error':>8}"
    lines = [
        f"{row.model:38}{row.queries:>9}{row.log_loss:>10.4f}{row.precision:>11.4f}{row.recall:>8.4f}{row.error:>8.4f}"
        for row in rows
    ]
    return "\n".join([head, *lines])
