"""Match quality has not fallen: a seeded fifth of the test part, asked over HTTP. `make golden` asks all of it."""

from __future__ import annotations

import json

import pytest
from evaluation import run

PER_KIND = 60


@pytest.mark.endurance
def test_match_quality_is_within_a_point_of_the_last_kept_result(release, monkeypatch, capsys):
    kept = sorted((run.ROOT / "benchmarks/results").glob(f"golden-*-{PER_KIND}.json"))
    assert kept
    monkeypatch.setattr("sys.argv", ["run", "--data", str(release), "--per-kind", str(PER_KIND)])
    worse = run.main()
    report = capsys.readouterr().out
    assert json.loads(kept[-1].read_text())["about"]["seed"] in report
    assert worse == 0, report
