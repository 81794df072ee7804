"""Dashboard and alerts name only metrics that the service has, with labels that those have; the documents list them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory, service
from padron.config import load
from padron.service.app import build_app
from padron.transport.observability import PARTS, STAGES

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy" / "grafana" / "padron.json"
ALERTS = ROOT / "deploy" / "prometheus" / "padron.yml"
SEARCH = "/api/public/empresas/search"
_METRIC: Final = re.compile(r"\bpadron_[a-z_]+")
_LABEL: Final = re.compile(r"(padron_[a-z_]+)\{(\w+)(?:!?=~?)")


@pytest.fixture(scope="module")
def families() -> dict[str, set[str]]:
    """The samples that `/metrics` has, after a search and an error, with the labels of each."""
    with service(MemoryDirectory()) as client:
        client.get(SEARCH, params={"q": "favorita"})
        client.get(SEARCH)
        text = client.get("/metrics").text
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        labels.setdefault(family.name + ("_total" if family.type == "counter" else ""), set())
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


def expressions() -> list[str]:
    """Every query of the dashboard and condition of an alert."""
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    return queries + re.findall(r"^ +expr: (.+)$", ALERTS.read_text("utf-8"), re.MULTILINE)


def unknown(texts: list[str], families: dict[str, set[str]]) -> set[str]:
    """Metrics and labels in some expressions that the service does not have."""
    names = {name for text in texts for name in _METRIC.findall(text)} - families.keys()
    pairs = {pair for text in texts for pair in _LABEL.findall(text)}
    return names | {f"{name}{{{label}}}" for name, label in pairs if label not in families.get(name, {label})}


def test_dashboard_and_alerts_name_metrics_that_exist(families: dict[str, set[str]]) -> None:
    assert len(expressions()) > 15
    connections = {"padron_connections_closed_total": {"reason"}, "padron_connections": {"phase"}}
    assert unknown(expressions(), families | connections) == set()
    assert unknown(["rate(padron_nothing[5m])", 'padron_part_lost{name="x"}'], families) == {
        "padron_nothing",
        "padron_part_lost{name}",
    }


def test_the_documents_list_every_metric(families: dict[str, set[str]]) -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(padron_\w+)", page, re.MULTILINE))
    bases = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in families if name.startswith("padron_")}
    assert listed == bases - {name.removesuffix("_total") for name in bases if name.endswith("_total")}


def samples(text: str) -> dict[tuple[str, str | None], float]:
    """Counts and sums of the searches in `/metrics`, by name and stage."""
    families = [family for family in text_string_to_metric_families(text) if family.name.startswith("padron_search_")]
    return {
        (sample.name, sample.labels.get("stage")): sample.value
        for family in families
        for sample in family.samples
        if sample.name.endswith(("_count", "_sum"))
    }


def test_metrics_tell_what_a_search_takes(small_data: Path) -> None:
    """The first of nine searches by name is measured and the ninth; one by number alone retrieves no candidates."""
    with TestClient(build_app(load({"PADRON_DATA": str(small_data), "PADRON_LIMITS__ENABLED": "0"}))) as client:
        client.get(SEARCH, params={"q": "1790016919001"})
        assert samples(client.get("/metrics").text)["padron_search_candidates_count", None] == 0
        for limit in range(1, 10):
            assert client.get(SEARCH, params={"q": "apple hospitality", "limit": limit}).status_code == 200
        measured = samples(client.get("/metrics").text)
    assert [measured["padron_search_stage_seconds_count", stage] for stage in STAGES] == [2, 2, 2]
    assert all(measured["padron_search_stage_seconds_sum", stage] > 0 for stage in STAGES)
    assert measured["padron_search_candidates_count", None] == 2
    assert measured["padron_search_candidates_sum", None] == 2 * 2


def test_metrics_state_release_sources_parts_and_errors() -> None:
    with service(MemoryDirectory()) as client:
        release = client.get("/readyz").json()["release"]
        client.get(SEARCH)
        lines = client.get("/metrics").text.splitlines()
    assert f'padron_release_info{{release="{release}"}} 1.0' in lines
    assert any(line.startswith("padron_release_built_timestamp_seconds 1.7") for line in lines)
    assert any(line.startswith('padron_source_timestamp_seconds{country="EC",') for line in lines)
    assert 'padron_errors_total{code="query-missing"} 1.0' in lines
    assert {f'padron_part_lost{{part="{part}"}} 0.0' for part in PARTS} <= set(lines)
