"""Fitting: weights that made the answers are found again, and none turns against its direction."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import pytest
from evaluation import fit_weights
from evaluation.fit_weights import Case, cases, questions

from padron.index.tantivy_engine import TantivyEngine
from padron.matching.features import EXTRA_ANY, FEATURES, FORM_DIFFERS, JUDGED, MATCHED, MISSING_ANY, PRIOR, SAME_NAME
from padron.matching.score import load_weights

FAVORITA = ["EC", "1790016919001"]
TRUE = {PRIOR: 1.0, MATCHED: 2.0, MISSING_ANY: -3.0, EXTRA_ANY: -1.0}


def drawn(random: Random) -> Case:
    """A case whose right candidate is drawn by `TRUE`."""
    candidates = [
        {PRIOR: 1.0, MATCHED: random.random()}
        | ({MISSING_ANY: 1.0} if random.random() < 0.4 else {})
        | ({EXTRA_ANY: 1.0} if random.random() < 0.5 else {})
        for _ in range(random.randrange(1, 5))
    ]
    odds = [math.exp(sum(TRUE[feature] * value for feature, value in one.items())) for one in candidates]
    drawn = random.choices(range(-1, len(candidates)), [1.0, *odds])[0]
    return Case(candidates, None if drawn < 0 else drawn)


def test_the_weights_behind_the_answers_are_found_again() -> None:
    random = Random(7)
    weights = fit_weights._climb([drawn(random) for _ in range(4_000)], dict.fromkeys(FEATURES, 0.0))
    for feature, weight in TRUE.items():
        assert weights[feature] == pytest.approx(weight, abs=0.25)


def test_a_weight_never_turns_against_its_direction() -> None:
    misleading = [Case([{PRIOR: 1.0, SAME_NAME: 1.0}, {PRIOR: 1.0, MISSING_ANY: 1.0}], 1)] * 50
    weights = fit_weights._climb(misleading, dict.fromkeys(FEATURES, 0.0))
    assert weights[SAME_NAME] == 0.0
    assert weights[MISSING_ANY] == 0.0


def test_queries_become_cases(engine: TantivyEngine) -> None:
    lines = [
        json.dumps({"q": "corporacion favrita", "filter": None, "meant": [FAVORITA], "expected": [FAVORITA]}),
        json.dumps({"q": "microsoft llc", "filter": "US", "meant": [["US", "789019"]], "expected": []}),
        json.dumps({"q": "1790016919001", "filter": None, "meant": [], "expected": []}),
    ]
    asked = questions(lines, engine)
    assert [len(one.meant) for one in asked] == [1, 0, 0]
    present, absent, without = asked
    assert (present.weight, absent.weight, without.weight) == pytest.approx((4 / 3, 1 / 3, 1 / 3))
    assert without.query == present.query
    assert len(without.hits) == len(present.hits) - 1
    found, nobody, left = cases(asked, engine, load_weights())
    assert found.right is not None
    assert FORM_DIFFERS not in {feature for one in nobody.candidates for feature in one}
    assert nobody.right is left.right is None


def test_weights_set_by_judgment_stay() -> None:
    random = Random(7)
    start = {feature: fit_weights._held(feature, 0.0) for feature in FEATURES}
    weights = fit_weights._climb([drawn(random) for _ in range(200)], start)
    assert {feature: weights[feature] for feature in JUDGED} == JUDGED


def test_the_file_is_written_whole(small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        "".join(
            json.dumps({"q": q, "filter": None, "meant": [FAVORITA], "expected": [FAVORITA]}) + "\n"
            for q in ("corporacion favorita", "favorita corporacion", "corporacion favoritta")
        ),
        encoding="utf-8",
    )
    target = tmp_path / "calibration.json"
    monkeypatch.setattr(fit_weights, "CALIBRATION", target)
    monkeypatch.setattr("sys.argv", ["calibrate", "--data", str(small_data), "--queries", str(queries)])
    fit_weights.main()
    written = json.loads(target.read_text(encoding="utf-8"))
    assert (written["release"], written["queries"], written["absent"]) == ("small-1", 6, 0.3333)
    assert list(written["coefficients"]) == list(FEATURES)
