"""The gradient-boosted challenger: it learns, never against the direction of a feature, and is compared fairly."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from evaluation import challenger
from evaluation.challenger import FirstResults, boost, calibrate, figures, first_results, table
from evaluation.choice_model import Case, choices, probabilities
from evaluation.fit_weights import maximize_likelihood
from hypothesis import given, settings
from hypothesis import strategies as st

from padron.matching.features import EITHER_WAY, EXTRA, FEATURES, HELPS, JUDGED, MATCHED, MISSING_ANY, PRIOR, TERMS

FALLING = sorted(set(FEATURES) - EITHER_WAY - HELPS)


def drawn(random: Random, fold: int) -> Case:
    """A case whose truth bends twice, as no straight line can."""
    candidates = [
        {
            PRIOR: 1.0,
            MATCHED: random.random() * 3,
            EXTRA: random.random() * 3,
            MISSING_ANY: float(random.random() < 0.3),
        }
        for _ in range(3)
    ]
    odds = [
        math.exp(-1 + 4 * (row[MATCHED] > 1.5) - 5 * (row[EXTRA] > 0.5 and row[MISSING_ANY] > 0)) for row in candidates
    ]
    drawn = random.choices(range(-1, 3), [1.0, *odds])[0]
    return Case(candidates, None if drawn < 0 else drawn, unique=True, fold=fold)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    random = Random(11)
    return [drawn(random, number % 5) for number in range(2_000)]


@pytest.fixture(scope="module")
def boosted(cases):
    return boost(choices(cases), trees=40)


@given(
    features=st.dictionaries(st.sampled_from([MATCHED, EXTRA, MISSING_ANY]), st.floats(0, 3)),
    feature=st.sampled_from([MATCHED, *FALLING]),
    more=st.floats(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_no_feature_turns_against_its_direction(boosted, features, feature, more) -> None:
    features = {PRIOR: 1.0} | features
    raised = features | {feature: features.get(feature, 0.0) + more}
    before, after = boosted(choices([Case([features, raised], None)]))
    assert after >= before if feature in HELPS else after <= before


def test_it_finds_what_a_straight_line_cannot(cases) -> None:
    weights = dict.fromkeys(TERMS, 0.0) | JUDGED
    linear, boosted = challenger.compare(cases, weights, maximize_likelihood)
    assert linear.queries == boosted.queries == 400
    assert boosted.log_loss < linear.log_loss
    assert len(table([linear, boosted]).splitlines()) == 3


def test_first_results_are_the_likeliest() -> None:
    data = choices(
        [Case([{PRIOR: 1.0}, {PRIOR: 2.0}], 1, 2.0, unique=True), Case([], None), Case([{PRIOR: 1.0}], None)]
    )
    results = first_results(data, lambda rows: rows.features.toarray()[:, 0])
    probability, _ = probabilities(data, np.array([1.0, 2.0, 1.0]))
    assert results.confidence.tolist() == [probability[1], probability[2]]
    assert results.right.tolist() == [1.0, 0.0]
    assert results.weights.tolist() == [2.0, 1.0]
    assert results.unique.tolist() == [1.0, 0.0]


def test_figures_by_hand() -> None:
    results = FirstResults(np.array([0.9, 0.9, 0.5]), np.array([1.0, 0.0, 1.0]), np.ones(3), np.array([1.0, 0.0, 1.0]))
    row = figures("model", results)
    assert row.log_loss == pytest.approx(-(math.log(0.9) + math.log(0.1) + math.log(0.5)) / 3)
    assert (row.precision, row.recall) == (0.5, 0.5)
    assert row.error == pytest.approx((2 * 0.4 + 0.5) / 3)


def test_confidence_is_mapped_to_the_share_of_right_results() -> None:
    results = FirstResults(np.array([0.2, 0.9, 0.9]), np.array([0.0, 1.0, 0.0]), np.ones(3), np.ones(3))
    assert calibrate(results)(np.array([0.9])).tolist() == [0.5]
