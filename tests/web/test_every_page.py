"""Rules of every public page: twins, no foreign request, nothing inline, caching, compression, addresses."""

from __future__ import annotations

import gzip
import json
import re
import time
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import cramjam
import pytest
from starlette.testclient import TestClient

from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.service.app import build_app
from padron.transport.inputs import IDENTIFIER_LENGTH
from padron.web.coverage import RELIABILITY
from padron.words import LANGUAGES
from page_addresses import MISSING, PAGES
from parsed_page import Reading, faults

BASE_URL = "https://padron.example"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(web: TestClient, path: str) -> None:
    response = web.get(path)
    page = Reading(response.text)
    assert response.status_code == (404 if path == MISSING else 200)
    assert faults(page) == []
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "set-cookie" not in response.headers
    assert len(page.all("h1")) == 1
    assert page.all("html") == [{"lang": path[1:3]}]


@pytest.mark.parametrize(
    "html",
    [
        '<img src="https://tracker.example/x.gif">',
        "<script>alert(1)</script>",
        '<p style="color:red">',
        '<p onclick="x()">',
        '<a href="javascript:alert(1)">',
        '<link rel="stylesheet" href="//fonts.example/x.css">',
    ],
)
def test_each_planted_fault_of_a_page_is_found(html: str) -> None:
    assert len(faults(Reading(html))) == 1


def untwinned(path: str, read: Callable[[str], Reading]) -> list[str]:
    """Links that a page and its twin in the other language lack."""
    page, other = read(path), "en" if path.startswith("/es") else "es"
    twins = {link["hreflang"]: link["href"] for link in page.all("link", rel="alternate") if "hreflang" in link}
    if set(twins) != {"es", "en", "x-default"}:
        return [f"alternates in {sorted(twins)}"]
    missing = []
    if page.all("link", rel="canonical") != [{"rel": "canonical", "href": BASE_URL + path}]:
        missing.append("canonical address")
    if twins[path[1:3]] != BASE_URL + path:
        missing.append("alternate in its own language")
    back = read(twins[other])
    if back.all("html") != [{"lang": other}]:
        missing.append("language of the twin")
    if {"rel": "alternate", "hreflang": path[1:3], "href": BASE_URL + path} not in back.all("link"):
        missing.append("way back from the twin")
    return missing


@pytest.mark.parametrize("path", [path for path in PAGES if path != MISSING])
def test_a_page_has_its_twin_in_the_other_language(web: TestClient, path: str) -> None:
    assert untwinned(path, lambda asked: Reading(web.get(asked).text)) == []


@pytest.mark.parametrize(
    ("written", "instead", "lacks"),
    [
        (f'hreflang="en" href="{BASE_URL}/en/plans"', 'href="/"', "alternates in ['es', 'x-default']"),
        (f'canonical" href="{BASE_URL}/es/planes"', f'canonical" href="{BASE_URL}/es"', "canonical address"),
        (f'hreflang="es" href="{BASE_URL}/es/planes"', 'hreflang="es" href="/es"', "alternate in its own language"),
        (f'hreflang="en" href="{BASE_URL}/en/plans"', 'hreflang="en" href="/es/planes"', "language of the twin"),
        (f'hreflang="en" href="{BASE_URL}/en/plans"', 'hreflang="en" href="/en/terms"', "way back from the twin"),
    ],
)
def test_a_page_without_its_twin_is_found(web: TestClient, written: str, instead: str, lacks: str) -> None:
    def read(asked: str) -> Reading:
        text = web.get(asked).text
        assert asked != "/es/planes" or written in text
        return Reading(text.replace(written, instead) if asked == "/es/planes" else text)

    assert lacks in untwinned("/es/planes", read)


@pytest.mark.parametrize("path", [path for path in PAGES if path != MISSING])
def test_every_link_of_a_page_leads_somewhere(web: TestClient, path: str) -> None:
    links = {link["href"].partition("#")[0] for link in Reading(web.get(path).text).all("a")}
    own = {link.removeprefix(BASE_URL) for link in links if link.startswith(("/", BASE_URL))}
    dead = {link: web.get(link).status_code for link in own - {""} if "/finan" not in link and "/account" not in link}
    assert {link: status for link, status in dead.items() if status not in {200, 308}} == {}


@pytest.mark.parametrize(
    "path", ["/es", "/en/companies/us/320193", "/es/empresas/br/33000167000101.md", "/llms-full.txt"]
)
def test_a_page_is_kept_by_release_and_sent_once(web: TestClient, path: str, directory: Directory) -> None:
    first = web.get(path)
    assert first.headers["cache-control"] == "public, max-age=60, s-maxage=300, stale-while-revalidate=60"
    assert first.headers["surrogate-key"] == f"release-{directory.release}"
    assert directory.edition in first.headers["etag"]
    again = web.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert web.head(path).content == b""
    assert web.get("/es/cobertura").headers["etag"] != web.get("/en/coverage").headers["etag"]


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, br;q=0.9", "gzip"),
        ("br", "br"),
        ("gzip;q=0, identity", ""),
        ("*;q=0.1", "zstd"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("path", ["/en/companies/us/320193", "style.css"])
def test_what_is_sent_is_compressed_as_asked(web: TestClient, path: str, accepts: str, coding: str) -> None:
    if path == "style.css":
        path = Reading(web.get("/es").text).all("link", rel="stylesheet")[0]["href"]
    plain = web.get(path).content
    with web.stream("GET", path, headers={"accept-encoding": accepts}) as response:
        body = b"".join(response.iter_raw())
    assert response.headers.get("content-encoding", "") == coding
    assert "Accept-Encoding" in response.headers["vary"]
    undo = {"zstd": cramjam.zstd.decompress, "br": cramjam.brotli.decompress, "gzip": gzip.decompress, "": bytes}
    assert bytes(undo[coding](body)) == plain


def test_static_files_are_for_ever(web: TestClient) -> None:
    page = Reading(web.get("/es").text)
    files = [link["href"] for link in page.all("link") if link["href"].startswith("/static/")]
    files += [script["src"] for script in page.all("script") if "src" in script]
    assert len(files) == 6
    for file in files:
        response = web.get(file)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert web.get(re.sub(r"\.[0-9a-f]{12}\.", ".000000000000.", files[0])).status_code == 404


def test_sitemaps_name_every_company_with_facts_once_in_each_language(web: TestClient, directory: Directory) -> None:
    robots = web.get("/robots.txt").text.splitlines()
    assert f"Sitemap: {BASE_URL}/sitemap.xml" in robots
    assert "Disallow: /api/" in robots
    names = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    index = [element.text for element in ET.fromstring(web.get("/sitemap.xml").text).iter(f"{names}loc")]
    for language in LANGUAGES:
        files = {url.rpartition("/")[2] for url in index if url and f"/{language}/" in url}
        assert files >= {"pages.xml", *(f"{code.lower()}-1.xml" for code in REGISTRY)}
    located: list[str] = []
    for url in index:
        response = web.get(url)
        assert response.headers["content-type"] == "application/xml; charset=utf-8"
        urls = [element.text for element in ET.fromstring(response.text).iter(f"{names}loc")]
        assert 0 < len(urls) <= 50_000
        located += urls
    for language, word in (("es", "empresas"), ("en", "companies")):
        companies = [url for url in located if url.startswith(f"{BASE_URL}/{language}/{word}/")]
        assert len(set(companies)) == len(companies)
        assert 0 < len(companies) < directory.coverage().total, "some have nothing but a name"
        for url in companies[::9973]:
            assert web.get(url).status_code == 200
    assert web.get("/sitemaps/es/ec-9.xml").status_code == 404
    assert web.get("/sitemaps/pt/ec-1.xml").status_code == 404


def test_each_page_of_a_sitemap_has_the_day_of_its_data(web: TestClient) -> None:
    pages = web.get("/sitemaps/es/br-1.xml").text.splitlines()
    (petrobras,) = (line for line in pages if "33000167000101" in line)
    assert petrobras.endswith("</loc><lastmod>2023-08-24</lastmod></url>")


def test_a_late_source_says_since_when_newer_data_are_due(web: TestClient) -> None:
    """GLEIF is expected anew each day; the bundled copy is of 2024-05-05."""
    assert "late due on May 6, 2024" in Reading(web.get("/en/sources").text).text
    assert "con atraso debía renovarse el 6 de mayo de 2024" in Reading(web.get("/es/fuentes").text).text
    assert "late, May 5, 2024; due on May 6, 2024" in Reading(web.get("/en/status").text).text


def test_pages_are_served_75_times_a_second_whatever_the_api_has_left(
    directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)  # all requests in one second of one window
    app = build_app(load({}, data=tmp_path), directory)
    with TestClient(app, client=("203.0.113.9", 50000), follow_redirects=False) as client:
        search = "/api/public/empresas/search?q=a1"
        assert [client.get(search).status_code for _ in range(61)][-2:] == [200, 429]
        assert client.get("/es/buscar?q=a1").status_code == 429
        states = [client.get("/es/condiciones").headers["ratelimit"] for _ in range(70)]
        assert states[-1].startswith('"pages";r=5930;')
        assert client.get("/sitemap.xml").status_code == 200


def test_search_is_kept_out_of_search_engines_and_offered_to_browsers(web: TestClient) -> None:
    results = Reading(web.get("/en/search?q=petrobras").text)
    assert results.all("meta", name="robots") == [{"name": "robots", "content": "noindex"}]
    (link,) = results.all("link", rel="search")
    description = ET.fromstring(web.get(link["href"]).text)
    templates = [url.get("template") for url in description.iter("{http://a9.com/-/spec/opensearch/1.1/}Url")]
    assert templates[0] == f"{BASE_URL}/en/search?q={{searchTerms}}"
    site = Reading(web.get("/es").text).linked("WebSite")
    assert site["potentialAction"]["target"]["urlTemplate"] == f"{BASE_URL}/es/buscar?q={{search_term_string}}"
    dataset = Reading(web.get("/en/coverage/br").text).linked("Dataset")
    assert (dataset["@id"], dataset["spatialCoverage"]) == (f"{BASE_URL}/es/cobertura/br#dataset", "Brazil")


def test_files_that_browsers_and_researchers_ask_for_are_there(web: TestClient) -> None:
    assert web.get("/favicon.ico").content.startswith(b"\x00\x00\x01\x00")
    assert web.get("/apple-touch-icon.png").content.startswith(b"\x89PNG")
    fields = dict(line.split(": ", 1) for line in web.get("/.well-known/security.txt").text.splitlines())
    assert fields["Contact"] == "mailto:padron@localhost"
    assert datetime.now(UTC) < datetime.fromisoformat(fields["Expires"]) < datetime.now(UTC) + timedelta(days=367)
    assert fields["Canonical"] == f"{BASE_URL}/.well-known/security.txt"


def test_a_shared_link_tells_what_it_is(web: TestClient) -> None:
    response = web.get("/en/companies/us/320193")
    (shared,) = Reading(response.text).all("meta", property="og:description")
    assert shared["content"].startswith("Apple Inc.")
    assert "geolocation=()" in response.headers["permissions-policy"]


def test_the_feed_tells_the_release(web: TestClient, directory: Directory) -> None:
    feed = ET.fromstring(web.get("/es/versiones.atom").text)
    (entry,) = feed.findall("{http://www.w3.org/2005/Atom}entry")
    assert directory.release in (entry.findtext("{http://www.w3.org/2005/Atom}title") or "")


def test_pictures_for_shared_links_are_drawn(web: TestClient) -> None:
    for path in ("/cards/es.png", "/cards/en/br/33000167000101.png"):
        response = web.get(path)
        assert response.headers["content-type"] == "image/png"
        assert response.content.startswith(b"\x89PNG")
        assert int.from_bytes(response.content[16:20], "big") == 1200
    assert web.get("/cards/en/br/99999999000191.png").status_code == 404
    assert web.get(f"/cards/en/br/33000167000101{'.' * IDENTIFIER_LENGTH}.png").status_code == 404
    assert web.get("/cards/pt.png").status_code == 404


def test_agents_find_everything_in_one_text(web: TestClient) -> None:
    text = web.get("/llms-full.txt").text
    for sentence in (
        "GET /api/v1/search",
        "GET /api/public/empresas/stats",
        "`company-not-found` (404)",
        "`br-cnpj`",
        "3,723",
    ):
        assert sentence in text
    for link in re.findall(r"\]\((https://[^)]+)\)", web.get("/llms.txt").text):
        assert web.get(link).status_code == 200, link


def test_confidence_shows_the_evaluation_that_was_kept() -> None:
    files = (ROOT / "benchmarks" / "results").glob(f"golden-{RELIABILITY['date']}-*.json")
    runs = [json.loads(file.read_text("utf-8")) for file in files]
    (kept,) = [run for run in runs if run["names"]["asked"] == RELIABILITY["asked"]]
    assert [
        [low, high, measured["confidence"], measured["right"], measured["queries"]]
        for low, high, measured in kept["reliability"]["all"]
    ] == (RELIABILITY["bins"])
    assert {
        name: kept["names"][name] for name in ("asked", "absent", "precision", "recall", "error")
    }.items() <= RELIABILITY.items()


def test_prices_are_those_of_the_table(web: TestClient) -> None:
    table = tomllib.loads((ROOT / "src/padron/accounts/plans.toml").read_text("utf-8"))
    text = Reading(web.get("/en/plans").text).text
    for plan in table["plans"].values():
        assert f"{plan['price'] // 100} USD" in text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("written", "stands"),
    [("/es/", "/es"), ("/en//", "/en"), ("/en/plans/?a=1", "/en/plans?a=1"), ("/es/%0d%0ax/", "/es/%0d%0ax")],
)
def test_a_slash_at_the_end_leads_to_the_page_without(web: TestClient, written: str, stands: str) -> None:
    answer = web.get(written)
    assert (answer.status_code, answer.headers["location"]) == (308, stands)
    assert web.get("/es/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/es/bibliotecas", "/en/libraries", "/llms.txt", "/llms-full.txt"])
def test_the_protocols_are_named_with_their_addresses(web: TestClient, path: str) -> None:
    text = web.get(path).text
    assert [address for address in ("/mcp", "/reconcile") if f"{BASE_URL}{address}" not in text] == []
