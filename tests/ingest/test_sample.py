"""`padron fetch --sample`: the first records of every source, built apart; nothing whole is fetched or published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from padron.cli import builds
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.countries.origin import Manual
from padron.countries.us.sources import STATES
from padron.errors import Invalid
from padron.ingest.files import PROVENANCE
from padron.ingest.sample import build_sample, fetch_sample
from publisher import Site, no_ranges, publishing, status
from sites import TODAY, stock


@pytest.fixture
def site() -> Iterator[Site]:
    with publishing() as site:
        yield site


def hasty(site: Site, code: str) -> Country:
    """A country whose publishers are here and ask for no patience."""
    country = REGISTRY[code]
    for origin in country.origins:
        if not isinstance(origin.way, Manual):
            stock(site, origin)
    origins = (replace(origin, manners=replace(origin.manners, rate=1_000.0)) for origin in country.origins)
    return replace(country, origins=tuple(origins))


@pytest.mark.verify
@pytest.mark.parametrize(
    ("code", "files", "rows"),
    [
        ("EC", {"supercias-directorio": 1, "supercias-ranking": 3, "sri-ruc": 3, "gleif": 1}, {"sri-ruc": 3}),
        ("MX", {"denue": 1, "gleif": 1}, {"denue": 29}),
        (
            "US",
            {
                "submissions": 1,
                "company-tickers": 1,
                "financial-statement-data-sets": 1,
                "companyfacts": 1,
                "gleif": 1,
                **{source.key: 1 for source in STATES},
            },
            {"submissions": 1},
        ),
        (
            "BR",
            {"receita-federal": 9, "cvm": 1, "cvm-dfp": 1, "ans": 1, "bcb": 1, "gleif": 1},
            {"cvm": 399, "receita-federal": 16},
        ),
        (
            "CO",
            {
                "rues": 1,
                "supersociedades-6cat": 1,
                "gleif": 1,
                "niif-situacion-financiera": 1,
                "niif-resultado-integral": 1,
            },
            {"rues": 25},
        ),
        ("AR", {"rns": 2, "igj": 1, "gleif": 1}, {"rns": 98}),
    ],
)
def test_a_sample_of_each_country_is_fetched_and_built(
    site: Site, tmp_path: Path, code: str, files: dict[str, int], rows: dict[str, int]
) -> None:
    country = hasty(site, code)
    outcomes = fetch_sample(country, tmp_path / "official", site.settings(country), today=TODAY)
    assert {outcome.source: outcome.fetched for outcome in outcomes if outcome.state == "new"} == files
    assert {outcome.state for outcome in outcomes} <= {"new", "manual"}
    manifest = build_sample(tmp_path, tmp_path / "official", country, lambda _code, _stage: None)
    accounts = manifest["sources"]
    assert {source: accounts[source]["rows"] for source in rows} == rows
    for account in accounts.values():
        left, refused = (sum(account[part].values()) for part in ("left_out", "rejected"))
        assert account["rows"] == account["kept"] + account["merged"] + left + refused
    assert not [request for request in site.requests(".zip") if "range" not in request.headers]


def test_a_sample_is_marked_and_replaces_the_last_one(site: Site, tmp_path: Path) -> None:
    country = hasty(site, "AR")
    only = ["rns", "igj", "compr-ar"]
    settings = site.settings(country)
    fetch_sample(country, tmp_path, settings, only=only, today=TODAY)
    record = json.loads((tmp_path / "ar" / "igj" / PROVENANCE).read_text("utf-8"))
    assert record["complete"] is False
    assert [file["changed"] for file in record["files"]] == ["cut to its first records, as a sample"]

    site.misbehave("https://datos.jus.gob.ar/dataset/y/igj-2026-semestre-2.zip", *status(404))
    outcomes = fetch_sample(country, tmp_path, settings, only=only, today=TODAY)
    assert {outcome.source: outcome.state for outcome in outcomes if outcome.state != "manual"} == {
        "rns": "new",
        "igj": "failed",
    }
    assert not (tmp_path / "ar" / "igj").exists(), "what could not be fetched is not built from an older sample"


@pytest.mark.verify
def test_a_workbook_of_a_publisher_without_ranges_has_no_sample(site: Site, tmp_path: Path) -> None:
    country = hasty(site, "EC")
    document = site.documents["/mercadodevalores.supercias.gob.ec/reportes/excel/directorio_companias.xlsx"]
    large = document._replace(body=document.body + b"\0" * (5 << 20))
    site.documents["/mercadodevalores.supercias.gob.ec/reportes/excel/directorio_companias.xlsx"] = large
    site.misbehave("https://mercadodevalores.supercias.gob.ec/reportes/excel/directorio_companias.xlsx", no_ranges)
    [outcome] = fetch_sample(country, tmp_path, site.settings(country), only=["supercias-directorio"], today=TODAY)
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "no-sample")


@pytest.mark.verify
def test_the_command_prints_the_balance_and_publishes_nothing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    country = hasty(site, "AR")
    monkeypatch.setitem(builds.REGISTRY, "AR", country)
    monkeypatch.setattr(builds, "fetch_settings", lambda _settings: site.settings(country))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert builds.fetch("AR", source=["rns", "igj"], sample=True, data=tmp_path) == 0
    shown = capsys.readouterr().out
    assert [word for word in ("rns", "igj", "Left out by rule") if word not in shown] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["samples"]
    assert not (tmp_path / "samples" / "current").exists()

    site.documents.clear()
    assert builds.fetch("AR", source=["igj"], sample=True, data=tmp_path) == 3
    with pytest.raises(Invalid):
        builds.fetch("AR", source=["nothing"], sample=True, data=tmp_path)
