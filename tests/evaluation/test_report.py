from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from evaluation import score
from evaluation.plot import reliability_plot
from evaluation.report import About, Bar, bars, document, keep, last_kept, page, printed

from scored import ANSWERS, QUERIES

ABOUT = About("2026-11-20", "2026-09-13-bafe5da9", "test", "padron-golden-1", 300)


@pytest.fixture
def made():
    return score.report(QUERIES, ANSWERS)


def test_a_run_is_kept_and_read_again(made, tmp_path):
    results, docs = tmp_path / "results", tmp_path / "docs"
    docs.mkdir()
    assert last_kept(results, ABOUT) is None
    keep(made, ABOUT._replace(date="2026-11-19"), [], results, docs)
    keep(made, ABOUT, [], results, docs)
    kept = last_kept(results, ABOUT)
    assert last_kept(results, ABOUT._replace(per_kind=5)) is None
    assert kept == json.loads((results / "golden-2026-11-20-300.json").read_text())
    assert kept["about"]["release"] == "2026-09-13-bafe5da9"
    assert kept["names"]["precision"] == pytest.approx(1 / 3, abs=1e-5)
    assert score.fallen(made.names, kept["names"]) == []
    assert score.fallen(made.names._replace(recall_1=0.6), kept["names"]) == ["recall_1: 0.6 after 0.6667"]
    assert (docs / "reliability.md").read_text() == page(kept)
    ET.parse(docs / "reliability.svg")


def test_what_is_kept_holds_no_query(made):
    text = json.dumps(document(made, ABOUT), ensure_ascii=False)
    assert not [query.q for query in QUERIES if query.q in text and " " in query.q]
    assert 'namesake"' not in text.replace("namesakes_asserted", "")


def test_the_page_is_in_both_languages(made):
    lines = page(document(made, ABOUT)).splitlines()
    assert "# Fiabilidad de la confianza" in lines
    assert "## Reliability of confidence" in lines
    assert "| todos | 0.9–0.95 | 0.900 | 0.500 | 2 |" in lines
    assert "| all | 0.9–0.95 | 0.900 | 0.500 | 2 |" in lines
    assert "| EC | 0.95–0.98 | 0.950 | 0.000 | 1 |" in lines


def test_the_report_tells_figures_counts_and_bars(made):
    text = printed(made, ABOUT)
    assert "test part of padron-golden-1, release 2026-09-13-bafe5da9" in text
    assert "all names                         5   0.6667   1.0000     0.3333   0.5000        1/2" in text
    assert "SHORT precision at 0.85: 0.3333 (least 0.995)" in text
    assert "met   1.0 without an identifier: 0 (most 0)" in text
    assert "EC typo 3, absent-sister 2" in text


def test_bars(made):
    known = {bar.name: bar for bar in bars(made)}
    assert known["recall@8"].met
    assert not known["recall@1"].met
    assert not known["calibration error"].met
    assert known["typo: recall@8"].bar == 0.97
    assert Bar("x", 0.02, 0.02, least=False).met
    assert not Bar("x", 0.0201, 0.02, least=False).met
    assert not Bar("x", None, 0.5).met


def test_the_plot_draws_what_it_is_given():
    svg = ET.fromstring(reliability_plot({"a": [(0.0, 0.0), (1.0, 0.5)], "b": [(0.5, 1.0)]}))
    space = "{http://www.w3.org/2000/svg}"
    lines = [line.get("points") for line in svg.iter(f"{space}polyline")]
    assert lines == ["62.0,424.0 462.0,224.0", "262.0,24.0"]
    assert len(list(svg.iter(f"{space}circle"))) == 2
    assert {"a", "b"} <= {text.text for text in svg.iter(f"{space}text")}
