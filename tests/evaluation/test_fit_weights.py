"""Fitting: weights that made the answers are found again, and none turns against its direction."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from evaluation import fit_weights
from evaluation.choice_model import Case, choices, probabilities
from evaluation.fit_weights import label_queries, label_typed, make_cases, maximize_likelihood, standard_errors

from padron.directory import run
from padron.index import release_index
from padron.index.release_index import ReleaseIndex
from padron.matching.features import EXTRA_ANY, FORM_DIFFERS, JUDGED, MATCHED, MISSING_ANY, PRIOR, SAME_NAME, TERMS
from padron.matching.score import load_weights
from padron.releases import snapshot
from small_directory import COMPANIES

FAVORITA = ["EC", "1790016919001"]
TRUE = {PRIOR: 1.0, MATCHED: 2.0, MISSING_ANY: -3.0, EXTRA_ANY: -1.0}
ZERO = dict.fromkeys(TERMS, 0.0)


def drawn(random: Random) -> Case:
    """A case whose meant candidate is drawn by `TRUE`."""
    candidates = [
        {PRIOR: 1.0, MATCHED: random.random()}
        | ({MISSING_ANY: 1.0} if random.random() < 0.4 else {})
        | ({EXTRA_ANY: 1.0} if random.random() < 0.5 else {})
        for _ in range(random.randrange(1, 5))
    ]
    odds = [math.exp(sum(TRUE[feature] * value for feature, value in features.items())) for features in candidates]
    drawn = random.choices(range(-1, len(candidates)), [1.0, *odds])[0]
    return Case(candidates, None if drawn < 0 else drawn)


def test_the_weights_behind_the_answers_are_found_again() -> None:
    random = Random(7)
    data = choices([drawn(random) for _ in range(4_000)])
    weights = maximize_likelihood(data, ZERO | JUDGED)
    errors = standard_errors(data, weights)
    for feature, weight in TRUE.items():
        assert weights[feature] == pytest.approx(weight, abs=0.25)
        assert abs(weights[feature] - weight) < 4 * errors[feature] < 1.0


def test_probabilities_by_hand() -> None:
    data = choices([Case([{PRIOR: 1.0}, {PRIOR: 2.0}], 1), Case([], None), Case([{PRIOR: 1.0}], None)])
    probability, log_likelihood = probabilities(data, np.array([0.0, math.log(2), 800.0]))
    assert probability == pytest.approx([0.25, 0.5, 1.0])
    assert log_likelihood == pytest.approx([math.log(0.5), 0.0, -800.0])


def test_a_standard_error_by_hand() -> None:
    data = choices([Case([{PRIOR: 1.0}], 0 if number < 50 else None) for number in range(100)])
    errors = standard_errors(data, ZERO | {PRIOR: 1e-9})
    assert errors[PRIOR] == pytest.approx((100 * 0.25 + 0.3) ** -0.5)
    assert {errors[feature] for feature in TERMS if feature != PRIOR} == {None}


def test_a_weight_never_turns_against_its_direction() -> None:
    misleading = [Case([{PRIOR: 1.0, SAME_NAME: 1.0}, {PRIOR: 1.0, MISSING_ANY: 1.0}], 1)] * 50
    weights = maximize_likelihood(choices(misleading), ZERO | JUDGED)
    assert weights[SAME_NAME] == 0.0
    assert weights[MISSING_ANY] == 0.0


def test_queries_become_cases(opened: ReleaseIndex) -> None:
    lines = [
        json.dumps({"q": "corporacion favrita", "filter": None, "meant": [FAVORITA], "expected": [FAVORITA]}),
        json.dumps({"q": "microsoft llc", "filter": "US", "meant": [["US", "789019"]], "expected": []}),
        json.dumps({"q": "1790016919001", "filter": None, "meant": [], "expected": []}),
    ]
    queries = label_queries(lines, opened)
    assert [len(query.meant) for query in queries] == [1, 0, 0]
    present, absent, removed = queries
    assert (present.weight, absent.weight, removed.weight) == pytest.approx((4 / 3, 1 / 3, 1 / 3))
    assert removed.query == present.query
    assert removed.fold == present.fold
    assert len(removed.hits) == len(present.hits) - 1
    with_company, nobody, without_company = make_cases(queries, opened, load_weights())
    assert with_company.meant is not None
    assert with_company.unique
    assert FORM_DIFFERS not in {feature for features in nobody.candidates for feature in features}
    assert nobody.meant is without_company.meant is None


def test_a_typed_query_for_nobody_that_a_document_states_as_a_name_is_left_out(release: Path) -> None:
    folder = snapshot.index_folder(release, snapshot.current(release), release_index.FORMAT)
    rows = [
        {"q": q, "filter": "MX", "kind": "absent", "meant": [], "expected": [], "unique": False}
        for q in ("Telmex", "telmex larga distancia")
    ]
    queries = label_typed(map(json.dumps, rows), run(release_index.open_index(folder)), 1.0)
    assert [query.query.text for query in queries] == ["telmex larga distancia"]


def test_weights_set_by_judgment_stay() -> None:
    random = Random(7)
    weights = maximize_likelihood(choices([drawn(random) for _ in range(200)]), ZERO | JUDGED)
    assert {feature: weights[feature] for feature in JUDGED} == JUDGED


def test_the_file_is_written_whole(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    queries, output = tmp_path / "queries.jsonl", tmp_path / "calibration.json"
    rows = [
        {"q": text, "filter": None, "meant": [record], "expected": [record]}
        for company in COMPANIES
        for text in (company.legal_name.lower(), company.legal_name.lower()[1:])
        for record in [[company.country, company.identifier]]
    ]
    queries.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    typed = tmp_path / "typed.jsonl"
    kinds = [("full", True), ("ambiguous", False)]
    written_by_hand = [row | {"kind": kind, "unique": unique} for row in rows[:2] for kind, unique in kinds]
    typed.write_text("".join(f"{json.dumps(row)}\n" for row in written_by_hand), encoding="utf-8")
    files = ["--queries", str(queries), "--typed", str(typed), "--output", str(output)]
    monkeypatch.setattr("sys.argv", ["fit_weights", "--data", str(small_data), *files])
    fit_weights.main()
    written = json.loads(output.read_text(encoding="utf-8"))
    assert (written["release"], written["queries"], written["absent"]) == ("small-1", 2 * len(rows) + 2, 0.3333)
    assert list(written["coefficients"]) == list(written["standardErrors"]) == list(TERMS)
    assert written["standardErrors"][PRIOR] > 0
    assert "gradient-boosted" in capsys.readouterr().out
