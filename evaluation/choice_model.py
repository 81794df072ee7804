"""The conditional logit model that ranking uses, over many queries at once.

Each query is a choice between its candidates and "none of them". The probability of a candidate with log-odds `u` is
`exp(u) / (1 + sum of exp(u) over the candidates)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from padron.matching.features import FEATURES, JOINTS, Features

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_COLUMNS = {feature: column for column, feature in enumerate(FEATURES)}
_JOINED = [[_COLUMNS[joint.first] for joint in JOINTS], [_COLUMNS[joint.second] for joint in JOINTS]]


class Case(NamedTuple):
    """A query as the model sees it.

    Attributes:
        candidates: The features of each candidate company.
        meant: The position of the company that was meant; None where it is not among the candidates.
        weight: The number of queries for which this one counts.
        unique: Only the company that was meant fits the query.
        fold: The part of the training queries to which the query belongs, for comparisons on unseen companies.
    """

    candidates: Sequence[Features]
    meant: int | None
    weight: float = 1.0
    unique: bool = False
    fold: int = 0


class Choices(NamedTuple):
    """Cases as arrays.

    Attributes:
        features: A row for each candidate, a column for each of `TERMS`.
        case: The case of each row.
        meant: The row that was meant in each case, -1 where there is none.
        weights: The weight of each case.
        unique: Which cases only the company that was meant fits.
    """

    features: csr_matrix
    case: Integers
    meant: Integers
    weights: Floats
    unique: NDArray[np.bool_]


def choices(cases: Sequence[Case]) -> Choices:
    """Return `cases` as arrays."""
    ends, columns, case_of_row, meant = [0], list[int](), list[int](), list[int]()
    values: list[float] = []
    for number, case in enumerate(cases):
        meant.append(-1 if case.meant is None else len(case_of_row) + case.meant)
        for features in case.candidates:
            columns += [_COLUMNS[feature] for feature in features]
            values += features.values()
            ends.append(len(columns))
            case_of_row.append(number)
    features = csr_matrix((values, columns, ends), shape=(len(case_of_row), len(FEATURES)), dtype=np.float64).tocsc()
    first, second = _JOINED
    return Choices(
        hstack([features, features[:, first].multiply(features[:, second])], format="csr"),
        np.array(case_of_row, dtype=np.int64),
        np.array(meant, dtype=np.int64),
        np.array([case.weight for case in cases]),
        np.array([case.unique for case in cases], dtype=bool),
    )


def probabilities(data: Choices, log_odds: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each candidate, and for each case the log-likelihood of what was meant.

    The largest exponent of a case, 0 for "none of them" included, is subtracted before `exp` to avoid overflow.
    """
    top = np.zeros(len(data.weights))
    np.maximum.at(top, data.case, log_odds)
    odds = np.exp(log_odds - top[data.case])
    total = np.exp(-top) + np.bincount(data.case, odds, len(top))
    chosen = np.where(data.meant >= 0, np.append(log_odds, 0.0)[data.meant], 0.0)
    return odds / total[data.case], chosen - top - np.log(total)


def residuals(data: Choices, probability: Floats) -> Floats:
    """Return the slope of the weighted log-likelihood in the log-odds of each candidate: outcome less probability."""
    slope = -probability
    slope[data.meant[data.meant >= 0]] += 1.0
    return slope * data.weights[data.case]
