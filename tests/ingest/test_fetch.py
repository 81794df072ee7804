"""Fetching every official source from publishers that misbehave, in the layouts the live ones have."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from padron.countries import REGISTRY
from padron.countries.origin import Manual, Origin, Table
from padron.errors import Invalid
from padron.ingest.fetch import FetchOutcome, fetch
from padron.ingest.fetching import table as table_module
from padron.ingest.files import PROVENANCE, layouts_of, source_files
from publisher import (
    Site,
    cut,
    drop,
    held,
    no_ranges,
    page_instead,
    publishing,
    redirect_to_itself,
    status,
    swap,
    wrong_range,
)
from sites import AUTOMATIC, BODIES, SRI_HEADER, bundled, contents, run, sri, stock, tree, zipped


@pytest.fixture
def site() -> Iterator[Site]:
    with publishing() as site:
        yield site


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 25 rows come in three pages."""
    monkeypatch.setattr(table_module, "PAGE", 10)


@pytest.mark.parametrize(("code", "origin"), AUTOMATIC, ids=[f"{code}-{origin.source}" for code, origin in AUTOMATIC])
def test_every_source_comes_whole_from_a_publisher_that_misbehaves(
    site: Site, tmp_path: Path, code: str, origin: Origin
) -> None:
    url = stock(site, origin)[0]
    site.misbehave(url, *status(503, "0"), cut(0.5), drop, cut(0.9))

    outcome = run(site, tmp_path, code, origin.source)

    assert (outcome.state, outcome.error) == ("new", None)
    country = REGISTRY[code]
    [source] = {
        source.key: source for source in (*country.collected, *country.sources) if source.key == origin.source
    }.values()
    folder = tmp_path / code.lower() / origin.source
    if source.layouts:
        assert len(source_files(source, folder)) == outcome.fetched
    records = json.loads((folder / PROVENANCE).read_text("utf-8"))["files"]
    for record in records:
        body = (folder / record["file"]).read_bytes()
        assert (record["sha256"], record["bytes"]) == (hashlib.sha256(body).hexdigest(), len(body))
        assert (record["licence"], record["retrieved"][:2]) == (source.licence, "20")
    if origin.source in BODIES and origin.source not in {"rns", "igj"}:
        assert {record["file"]: (folder / record["file"]).read_bytes() for record in records} == {
            record["file"]: BODIES[origin.source](record["file"]) for record in records
        }

    before, asked = tree(tmp_path), len(site.asked)
    again = run(site, tmp_path, code, origin.source)
    assert (again.state, again.fetched, tree(tmp_path)) == ("same", 0, before)
    if not isinstance(origin.way, Table):
        urls = {unquote(urlsplit(record["url"]).path) for record in records}
        files = [request for request in site.asked[asked:] if any(request.path.endswith(url) for url in urls)]
        assert files, "it asked whether there is news"
        assert all("if-none-match" in request.headers for request in files)


def test_a_country_with_origins_states_one_for_each_source() -> None:
    for country in REGISTRY.values():
        keys = {source.key for source in (*country.sources, *country.collected)}
        assert not country.origins or {origin.source for origin in country.origins} == keys
    manual = {
        origin.source for country in REGISTRY.values() for origin in country.origins if isinstance(origin.way, Manual)
    }
    assert "comprasmx" in manual


TICKERS = "https://www.sec.gov/files/company_tickers.json"


def tickers(site: Site, tmp_path: Path, *faults: object) -> FetchOutcome:
    """Fetch the SEC's tickers from a site with faults."""
    [origin] = [origin for origin in REGISTRY["US"].origins if origin.source == "company-tickers"]
    stock(site, origin)
    site.misbehave(TICKERS, *faults)  # type: ignore[arg-type]
    return run(site, tmp_path, "US", "company-tickers")


def test_a_cut_stream_is_resumed_where_it_ended(site: Site, tmp_path: Path) -> None:
    assert tickers(site, tmp_path, cut(0.5)).state == "new"
    body = BODIES["company-tickers"]("company_tickers.json")
    first, second = site.requests("company_tickers.json")
    assert "range" not in first.headers
    assert second.headers["range"] == f"bytes={len(body) // 2}-"
    assert second.headers["if-range"].startswith('"')
    assert contents(tmp_path, "US", "company-tickers")["company_tickers.json"] == body


def test_ignored_ranges_start_anew(site: Site, tmp_path: Path) -> None:
    assert tickers(site, tmp_path, cut(0.5), no_ranges).state == "new"
    assert contents(tmp_path, "US", "company-tickers")["company_tickers.json"] == BODIES["company-tickers"]("")


@pytest.mark.parametrize("careless", [False, True])
def test_a_file_swapped_in_the_middle_is_never_mixed(site: Site, tmp_path: Path, careless: bool) -> None:
    body = BODIES["company-tickers"]("").replace(b"NVIDIA", b"NVIDIO")
    faults = [swap(TICKERS, body), *([wrong_range] if careless else [])]
    assert tickers(site, tmp_path, *faults).state == "new"
    assert contents(tmp_path, "US", "company-tickers")["company_tickers.json"] == body


def test_a_refusal_by_policy_is_not_repeated(site: Site, tmp_path: Path) -> None:
    outcome = tickers(site, tmp_path, *status(403, times=9))
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "publisher-refused")
    assert len(site.requests("company_tickers.json")) == 2, "once with two connections, once with one"
    assert not (tmp_path / "us" / "company-tickers").exists()


def test_the_publisher_says_how_long_to_wait(site: Site, tmp_path: Path) -> None:
    assert tickers(site, tmp_path, *status(429, "0", times=2)).state == "new"
    outcome = tickers(site, tmp_path / "b", *status(429, "600"))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.context["seconds"]) == ("publisher-asks-to-wait", 600)


def test_redirects_without_an_end_are_told(site: Site, tmp_path: Path) -> None:
    outcome = tickers(site, tmp_path, *[redirect_to_itself] * 200)
    assert outcome.error is not None
    assert outcome.error.code == "publisher-unreachable"
    assert "redirects" in str(outcome.error.context["reason"])


def test_patience_ends(site: Site, tmp_path: Path) -> None:
    outcome = tickers(site, tmp_path, *status(500, times=50))
    assert (outcome.error and outcome.error.code, len(site.requests("company_tickers.json"))) == (
        "publisher-unreachable",
        5,
    )


def test_a_page_that_says_sorry_is_no_data(site: Site, tmp_path: Path) -> None:
    [origin] = [origin for origin in REGISTRY["BR"].origins if origin.source == "bcb"]
    [url] = stock(site, origin)
    assert run(site, tmp_path, "BR", "bcb").state == "new"
    good = contents(tmp_path, "BR", "bcb")
    site.put(url, held(b"other", issue="2"))
    site.misbehave(url, page_instead, page_instead)
    outcome = run(site, tmp_path, "BR", "bcb")
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "html-instead-of-data")
    assert contents(tmp_path, "BR", "bcb") == good, "the old file stays"


CUT_ZIP = zipped(sub__txt=b"x" * 9_000)[:-40]


@pytest.mark.parametrize(
    ("code", "key", "name", "body", "error"),
    [
        ("US", "submissions", "submissions.zip", CUT_ZIP, "truncated-archive"),
        ("EC", "supercias-directorio", "directorio_companias.xlsx", CUT_ZIP, "truncated-archive"),
        (
            "EC",
            "sri-ruc",
            "SRI_RUC_Azuay.csv",
            SRI_HEADER.replace("RAZON_SOCIAL", "NOMBRE").encode() + b"1|2\n",
            "missing-column",
        ),
        ("BR", "cvm", "cad_cia_aberta.csv", b"CNPJ;NOME\n1;2\n", "missing-column"),
        ("US", "company-tickers", "company_tickers.json", b'{"0": {"cik": 1}}', "bad-json"),
        ("MX", "denue", "denue_01_csv.zip", zipped(readme__txt=b"x"), "unknown-file"),
    ],
)
def test_what_the_source_cannot_be_is_refused(
    site: Site, tmp_path: Path, code: str, key: str, name: str, body: bytes, error: str
) -> None:
    [origin] = [origin for origin in REGISTRY[code].origins if origin.source == key]
    [url] = [url for url in stock(site, origin) if url.endswith(name)]
    site.put(url, held(body, issue="2"))
    outcome = run(site, tmp_path, code, key)
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", error)
    assert not (tmp_path / code.lower() / key).exists()


def test_an_archive_of_documents_is_judged_by_a_sample_from_all_of_it(site: Site, tmp_path: Path) -> None:
    [origin] = [origin for origin in REGISTRY["US"].origins if origin.source == "submissions"]
    [url] = stock(site, origin)
    good = bundled("us/submissions/CIK0001800903.json")
    odd_first = [b"{}"] * 3 + [good] * 60
    for state, documents, issue in (("new", odd_first, "2"), ("failed", [good] * 3 + [b"{}"] * 60, "3")):
        site.put(url, held(zipped(**{f"CIK{n:010}__json": body for n, body in enumerate(documents)}), issue=issue))
        outcome = run(site, tmp_path / state, "US", "submissions")
        assert outcome.state == state
    assert (outcome.error and outcome.error.code) == "bad-json"


def test_a_file_that_shrank_is_refused(site: Site, tmp_path: Path) -> None:
    [origin] = [origin for origin in REGISTRY["BR"].origins if origin.source == "cvm"]
    [url] = stock(site, origin)
    run(site, tmp_path, "BR", "cvm")
    site.put(url, held(b"\n".join(BODIES["cvm"]("").splitlines()[:200]), issue="2"))
    outcome = run(site, tmp_path, "BR", "cvm")
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "file-shrank")


def test_news_replaces_the_set_and_keeps_what_did_not_change(site: Site, tmp_path: Path) -> None:
    [origin] = [origin for origin in REGISTRY["EC"].origins if origin.source == "sri-ruc"]
    stock(site, origin)
    run(site, tmp_path, "EC", "sri-ruc")
    azuay = (SRI_HEADER + sri("0190005070001", "AZUAYA C.A.") * 2).encode()
    site.put("https://descargas.sri.gob.ec/download/datosAbiertos/SRI_RUC_Azuay.csv", held(azuay, issue="2"))
    outcome = run(site, tmp_path, "EC", "sri-ruc")
    assert (outcome.state, outcome.fetched, outcome.bytes) == ("new", 1, len(azuay))
    files = contents(tmp_path, "EC", "sri-ruc")
    assert (len(files), files["SRI_RUC_Azuay.csv"]) == (24, azuay)
    [source] = [source for source in REGISTRY["EC"].sources if source.key == "sri-ruc"]
    assert len(source_files(source, tmp_path / "ec" / "sri-ruc")) == 24


def test_the_golden_copy_is_fetched_once_for_all_countries(site: Site, tmp_path: Path) -> None:
    for code in ("MX", "BR"):
        [origin] = [origin for origin in REGISTRY[code].origins if origin.source == "gleif"]
        stock(site, origin)
        assert run(site, tmp_path, code, "gleif").state == "new"
    assert contents(tmp_path, "MX", "gleif") == contents(tmp_path, "BR", "gleif")
    assert [("if-none-match" in request.headers) for request in site.requests("latest.csv")] == [False, True]


def test_the_sec_is_told_whose_program_it_is(site: Site, tmp_path: Path) -> None:
    tickers(site, tmp_path)
    agents = {request.headers["user-agent"] for request in site.requests("company_tickers")}
    assert agents == {"Padron/0.1.0 Padron tests tests@padron.example"}
    asked = len(site.asked)
    with pytest.raises(Invalid, match="contact-missing"):
        fetch(REGISTRY["US"], tmp_path, site.settings(REGISTRY["US"], contact=None), only=["company-tickers"])
    assert len(site.asked) == asked, "nothing was asked"


def test_rates_and_connections_are_kept(site: Site, tmp_path: Path) -> None:
    [denue] = [origin for origin in REGISTRY["MX"].origins if origin.source == "denue"]
    assert (denue.manners.connections, denue.manners.rate) == (1, 1.0)
    sec = {origin.manners for origin in REGISTRY["US"].origins if origin.manners.contact}
    assert len(sec) == 1, "one limit for all sources of the SEC"
    assert sec.pop().rate <= 10
    [sets] = [origin for origin in REGISTRY["US"].origins if origin.source == "financial-statement-data-sets"]
    stock(site, sets)
    began = time.monotonic()
    run(site, tmp_path, "US", sets.source, rate=None)
    assert time.monotonic() - began >= (len(site.asked) - 1) / 8, "eight requests a second"
    assert site.most_at_once["www.sec.gov"] <= 2


def test_sources_by_hand_are_named(tmp_path: Path) -> None:
    [outcome] = fetch(REGISTRY["MX"], tmp_path, Site().settings(), only=["comprasmx"])
    assert outcome.state == "manual"
    [origin] = [origin for origin in REGISTRY["MX"].origins if origin.source == "comprasmx"]
    assert isinstance(origin.way, Manual)
    assert "captcha" in origin.way.steps.es
    assert "captcha" in origin.way.steps.en


def test_a_file_saved_by_hand_has_a_name_that_is_read() -> None:
    for country in REGISTRY.values():
        sources = {source.key: source for source in country.sources}
        for origin in country.origins:
            if isinstance(origin.way, Manual) and origin.way.saved_as:
                assert layouts_of(sources[origin.source], origin.way.saved_as.replace("YYYY", "2025")), origin.source
