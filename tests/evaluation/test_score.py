"""The scorer on cases computed by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from evaluation import score
from evaluation.queries import Query
from hypothesis import given
from hypothesis import strategies as st

from scored import ANSWERS, QUERIES, answer, query


def test_figures_by_hand():
    made = score.figures(QUERIES, ANSWERS)
    assert made.recall_1 == pytest.approx(2 / 3)  # the namesake counts as found
    assert made.recall_8 == 1.0
    assert made.precision == pytest.approx(1 / 3)  # but not as right; nor does the absent one
    assert made.recall == 0.5  # of the two unique ones
    assert (made.asked, made.present, made.unique, made.absent) == (5, 3, 2, 2)
    assert (made.asserted, made.absent_matched, made.namesakes_asserted, made.ones) == (3, 1, 1, 0)


def test_two_equal_bins_by_hand():
    # Weights at a third absent: present 2/9 each, absent 1/6 each; first results weigh 5/6, so a bin holds 15/36:
    # 8/36 at 0.5 (wrong) and 7/36 of the two at 0.9 (half right); then their other 9/36 and 6/36 at 0.95 (wrong).
    low, high = score.equal_bins(QUERIES, ANSWERS, count=2)
    assert low.mass == pytest.approx(0.5)
    assert low.confidence == pytest.approx((8 * 0.5 + 7 * 0.9) / 15)
    assert low.right == pytest.approx(3.5 / 15)
    assert high.confidence == pytest.approx((9 * 0.9 + 6 * 0.95) / 15)
    assert high.right == pytest.approx(4.5 / 15)


def test_calibration_error_by_hand():
    sure = [query(str(at), meant="a", expected=["a"]) for at in range(8)]
    none = [query(f"n{at}", kind="absent-sister") for at in range(4)]
    answers = {query.id: answer(("a", 0.75)) for query in [*sure, *none]}
    # Every first result says 0.75; a third of all (the absent ones) are wrong: |0.75 - 2/3|.
    assert score.calibration_error([*sure, *none], answers) == pytest.approx(0.75 - 2 / 3)
    assert score.calibration_error([*sure, *none], answers, prior=0.1) == pytest.approx(0.9 - 0.75)
    assert score.calibration_error([*sure, *none], answers, prior=0.5) == pytest.approx(0.25)
    assert score.calibration_error(none[:1], {"n0": answer()}) is None


def test_ties_make_the_order_of_queries_irrelevant():
    for bin_, other in zip(score.equal_bins(QUERIES[::-1], ANSWERS), score.equal_bins(QUERIES, ANSWERS), strict=True):
        assert bin_ == pytest.approx(other)


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_bins_share_out_everything(rows):
    queries = [
        query(str(at), kind="absent-sister") if gone else query(str(at), meant="a", expected=["a"])
        for at, (_, _, gone) in enumerate(rows)
    ]
    answers = {str(at): answer(("a" if right else "b", level / 20)) for at, (level, right, _) in enumerate(rows)}
    bins = score.equal_bins(queries, answers)
    assert sum(bin_.mass for bin_ in bins) == pytest.approx(1)
    assert all(bin_.mass == pytest.approx(1 / 15) for bin_ in bins)
    assert [bin_.confidence for bin_ in bins] == pytest.approx(sorted(bin_.confidence for bin_ in bins))
    table = score.reliability(queries, answers)
    assert sum(bin_.queries for _, _, bin_ in table) == len(rows)
    assert all(low <= bin_.confidence + 1e-9 and bin_.confidence <= high + 1e-9 for low, high, bin_ in table)


def test_the_threshold_is_that_of_the_emitted_number():
    assert score.is_asserted(answer(("a", 0.85)))
    assert not score.is_asserted(answer(("a", 0.8499)))
    assert not score.is_asserted(answer())


def test_a_scorer_that_ignores_absent_companies_is_caught(monkeypatch):
    monkeypatch.setattr(Query, "absent", property(lambda self: False))
    wrong = score.figures(QUERIES, ANSWERS)
    assert wrong.recall_1 != pytest.approx(2 / 3)
    assert wrong.absent_matched == 0
    monkeypatch.undo()
    only_present = [query for query in QUERIES if not query.absent]
    assert score.figures(only_present, ANSWERS).precision == 0.5 != score.figures(QUERIES, ANSWERS).precision


def test_an_unanswered_query_is_no_answer():
    with pytest.raises(KeyError):
        score.figures(QUERIES, {name: reply for name, reply in ANSWERS.items() if name != "absent, nothing"})


def test_names_and_numbers_are_scored_apart():
    number = query("n", meant="7", expected=["7"], kind="identifier")
    wrong = query("w", meant="1790016919001", kind="identifier-wrong-digit")
    hinted = answer(hints=("¿Quiso decir 1790016919-001?",))
    made = score.report([*QUERIES, number, wrong], ANSWERS | {"n": answer(("7", 1.0)), "w": hinted})
    assert made.names == score.figures(QUERIES, ANSWERS)
    assert made.names.ones == 0
    assert made.identifiers["identifier"].ones == 1
    assert made.repairs == (1, 0, 1)
    assert list(made.by_kind) == ["typo", "absent-sister"]
    assert made.by_country["EC"] == made.names
    assert list(made.errors_by_prior) == ["0.10", "0.33", "0.50"]
    with_one = ANSWERS | {"absent, nothing": answer(("x", 1.0))}
    assert score.report(QUERIES, with_one).names.ones == 1


def test_reliability_table():
    table = {(low, high): bin_ for low, high, bin_ in score.reliability(QUERIES, ANSWERS)}
    assert set(table) == {(0.5, 0.7), (0.9, 0.95), (0.95, 0.98)}
    assert table[0.9, 0.95].right == pytest.approx(0.5)
    assert table[0.9, 0.95].mass == pytest.approx(float(Fraction(4, 9) / Fraction(5, 6)))
    assert [bin_.queries for bin_ in table.values()] == [1, 2, 1]


def test_what_has_fallen():
    made = score.figures(QUERIES, ANSWERS)
    before = {
        "recall_1": made.recall_1 + 0.009,
        "recall_8": 1.0,
        "precision": 0.33,
        "recall": 0.51,
        "error": made.error,
    }
    assert score.fallen(made, before) == []
    assert score.fallen(made, before | {"recall": 0.52}) == ["recall: 0.5 after 0.5200"]
    assert len(score.fallen(made, before | {"error": made.error - 0.02})) == 1
    assert score.fallen(made._replace(precision=None), {"precision": 0.9}) == ["precision: None after 0.9000"]
    assert score.fallen(made, {"precision": None}) == []
