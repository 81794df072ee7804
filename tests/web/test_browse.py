"""Lists of companies by place, activity and letter: their counts are right, and every way through them leads on."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import httpx2
import pytest
from starlette.testclient import TestClient

from memory_directory import service
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.index.engine import Scope
from padron.index.listing import CountedList, Listed, ListKey, by_list
from padron.index.tags import Filters
from padron.lookup.browse import BrowsedPage
from padron.service.app import build_app
from padron.web.browse import list_paths
from padron.web.sitemap import Sitemaps, _listed, _Squeeze
from padron.words import Language
from parsed_page import Reading
from waiting import PATIENCE

BASE_URL = "https://padron.example"
QUITO = ListKey("EC", "region:pichincha", "city:quito")


def keys_of(directory: Directory, country: str) -> list[ListKey]:
    """Some lists of a country: itself, its largest regions, a city of each, and each with its largest activity."""
    root = directory.counted(ListKey(country))
    assert root is not None
    places = [ListKey(country)]
    for region in [facet.tag for facet in root.facets if facet.tag.startswith("region:")][:3]:
        places.append(ListKey(country, region))
        inner = directory.counted(places[-1])
        cities = [facet.tag for facet in inner.facets if facet.tag.startswith("city:")] if inner else []
        places += [ListKey(country, region, city) for city in cities[:1]]
    activities = [facet.tag for facet in root.facets if facet.tag.startswith(("activity:", "sector:"))]
    return places + [key._replace(activity=tag) for key in places for tag in activities[:2]]


def miscounted(directory: Directory, key: ListKey) -> list[str]:
    """Tags of a list, empty for the list itself, of which the index has other numbers than the engine lists."""
    counted = directory.counted(key)
    if counted is None:
        return []
    engine = directory._index.engine

    def listed(tag: str) -> int:
        groups = tuple((part,) for part in (*key[1:], tag) if part)
        return run(engine.among(Scope(key.country, groups), 0, 1))[0]

    wrong = [facet.tag for facet in counted.facets if listed(facet.tag) != facet.companies]
    return [*wrong, ""] if listed("") != counted.companies else wrong


@pytest.mark.parametrize("country", REGISTRY)
def test_every_count_is_that_of_the_companies_listed(directory: Directory, country: str) -> None:
    keys = keys_of(directory, country)
    assert {str(key): miscounted(directory, key) for key in keys if miscounted(directory, key)} == {}
    assert directory.counted(keys[0]).companies == next(
        part.companies for part in directory.coverage().countries if part.country_code == country
    )


def test_a_wrong_count_is_found(directory: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = directory.counted(QUITO)
    facet = next(facet for facet in counted.facets if facet.tag == "letter:x")
    wrong = tuple(other._replace(companies=other.companies + (other is facet)) for other in counted.facets)
    monkeypatch.setattr(directory, "counted", lambda key: CountedList(counted.companies + 1, wrong))
    assert miscounted(directory, QUITO) == ["letter:x", ""]


def test_a_city_leads_to_its_companies(web: TestClient) -> None:
    page = Reading(web.get("/en/directory/ec/pichincha/quito").text)
    assert "Companies of Quito, Pichincha, Ecuador" in page.text
    assert "376 companies" in page.text
    links = [link["href"] for link in page.all("a")]
    assert "/en/companies/ec/0990032246001" in links
    assert "/en/directory/ec/pichincha" in links
    letter = Reading(web.get("/en/directory/ec/pichincha/quito?letter=x").text)
    assert "1 company" in letter.text
    steps = page.linked("BreadcrumbList")["itemListElement"]
    assert [step["name"] for step in steps] == ["Ecuador", "Pichincha", "Quito"]
    country = Reading(web.get("/es/directorio/ec").text)
    assert "95.546 empresas" in country.text
    assert "/es/directorio/ec/pichincha" in [link["href"] for link in country.all("a")]


def test_a_label_without_a_code_is_an_activity_too(web: TestClient) -> None:
    page = Reading(web.get("/es/directorio/br?activity=medicina-de-grupo").text)
    assert "301 empresas" in page.text
    assert "Actividad: Medicina de Grupo" in page.text


def test_the_filters_are_those_of_the_api(web: TestClient) -> None:
    page = Reading(web.get("/en/directory/br?status=in_liquidation&hasFinancials=&unknown=1").text)
    assert "50 companies" in page.text
    assert page.all("meta", name="robots") == [{"name": "robots", "content": "noindex"}]
    (canonical,) = page.all("link", rel="canonical")
    assert canonical["href"] == f"{BASE_URL}/en/directory/br"
    refused = web.get("/en/directory/br?status=gone")
    assert refused.status_code == 400
    assert "in_liquidation" in refused.text


@pytest.mark.parametrize(
    ("asked", "status", "leads"),
    [
        ("/es/directorio/EC/Pichincha", 308, "/es/directorio/ec/pichincha"),
        ("/es/directorio/co/BOGOTÁ,%20D.C.", 308, "/es/directorio/co/bogota-dc"),
        ("/es/directorio/co/bogota-dc", 200, None),
        ("/es/directorio/xx", 404, None),
        ("/es/directorio/ec/atlantis", 404, None),
        ("/es/directorio/ec/guayas/quito", 404, None),
        ("/es/directorio/ec?page=20", 200, None),
        ("/es/directorio/ec?page=21", 404, None),
        ("/es/directorio/ec/pichincha/quito?page=9", 404, None),
        ("/es/directorio/ec?letter=ab", 404, None),
        ("/es/directorio/ec/atlantis.csv", 404, None),
    ],
)
def test_addresses_of_lists(web: TestClient, asked: str, status: int, leads: str | None) -> None:
    answer = web.get(asked)
    assert (answer.status_code, answer.headers.get("location")) == (status, leads)


def test_pages_of_a_list_follow_one_another(web: TestClient) -> None:
    seen: list[str] = []
    path, pages = "/es/directorio/ec/pichincha/quito", 0
    while path:
        page = Reading(web.get(path).text)
        seen += [link["href"] for link in page.all("a") if link["href"].startswith("/es/empresas/")]
        path, pages = next((link["href"] for link in page.all("a") if "next" in link.get("rel", "")), ""), pages + 1
    assert pages == 8
    assert len(seen) == len(set(seen)) == 376


def test_a_list_says_of_how_many_companies_no_source_knows_the_place(web: TestClient) -> None:
    assert "The sources do not say where 94,468 companies are." in Reading(web.get("/en/directory/ec").text).text
    assert "Las fuentes no dicen dónde están" in Reading(web.get("/es/directorio/us").text).text


def test_coverage_says_of_which_date_most_companies_are(web: TestClient) -> None:
    assert "December 31, 2025 (most: April 11, 2023)" in Reading(web.get("/en/coverage").text).text


def test_a_list_is_a_file_too(web: TestClient) -> None:
    answer = web.get("/en/directory/ec/pichincha/quito.csv?letter=x")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["content-disposition"] == 'attachment; filename="padron-ec-pichincha-quito.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["countryCode"], row["region"], row["municipality"], row["legalName"][0]) == (
        "EC",
        "PICHINCHA",
        "QUITO",
        "X",
    )
    assert row["canonicalUrl"] == f"{BASE_URL}/en/companies/ec/{row['identifier']}"
    whole = list(csv.reader(io.StringIO(web.get("/en/directory/ec.csv").text)))
    assert len(whole) == 1_001, "no more than its pages hold"


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The batches of all files in the order in which they are read: the country, and where a batch starts."""
    read: list[str] = []
    browse = Directory.browse

    async def noted(
        directory: Directory, key: ListKey, filters: Filters, start: int, limit: int, language: Language
    ) -> BrowsedPage:
        if limit == 100:
            read.append(f"{key.country}{start}")
        return await browse(directory, key, filters, start, limit, language)

    monkeypatch.setattr(Directory, "browse", noted)
    return read


def whole(country: str) -> list[str]:
    """The batches of a file of a thousand companies."""
    return [f"{country}{start}" for start in range(0, 1_000, 100)]


def test_of_many_files_at_once_one_is_made_a_batch_in_a_round_and_clients_take_turns(
    directory: Directory, tmp_path: Path, batches: list[str]
) -> None:
    async def visit() -> int:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=tmp_path), directory)

        async def ask(client: str, path: str) -> int:
            transport = httpx2.ASGITransport(app, client=(client, 1))
            async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as http:
                return (await http.get(path)).status_code

        many = [asyncio.create_task(ask("203.0.113.1", f"/es/directorio/us.csv?x={number}")) for number in range(8)]
        gone = asyncio.create_task(ask("203.0.113.2", "/es/directorio/br.csv"))
        other = asyncio.create_task(ask("203.0.113.3", "/es/directorio/ec.csv"))
        most = 0
        while not all(answer.done() for answer in (*many, gone, other)):
            before = len(batches)
            await asyncio.sleep(0)
            most = max(most, len(batches) - before)
            if batches[-1:] == ["BR200"]:
                gone.cancel()
        assert [answer.result() for answer in (*many, other)] == [200] * 9
        assert gone.cancelled()
        return most

    assert asyncio.run(asyncio.wait_for(visit(), PATIENCE)) == 1
    assert batches == [*whole("US"), "BR0", "BR100", "BR200", *whole("EC"), *whole("US") * 7]


def test_a_file_is_kept_whatever_the_parameters_that_mean_nothing(web: TestClient, batches: list[str]) -> None:
    path = "/es/directorio/mx.csv"
    first = web.get(f"{path}?letter=b&activity=")
    for query in ("letter=b", "letter=%62&x=1", "y=2&letter=+b&letter=c&page=3"):
        again = web.get(f"{path}?{query}")
        assert (again.status_code, again.headers["etag"], again.content) == (200, first.headers["etag"], first.content)
    made = len(batches)
    assert made == -(-len(first.text.splitlines()[1:]) // 100)
    other = web.get(f"{path}?letter=c&x=1")
    assert (other.status_code, other.headers["etag"] == first.headers["etag"]) == (200, False)
    assert len(batches) > made
    assert web.get(f"{path.replace('mx', 'MX')}?letter=b&x=1").headers["location"] == f"{path}?letter=b"


def test_a_company_leads_to_its_place_its_activity_and_its_neighbours(web: TestClient) -> None:
    page = Reading(web.get("/en/companies/ec/0992262192001").text)
    links = [link["href"] for link in page.all("a")]
    assert {"/en/directory/ec/pichincha/quito", "/en/directory/ec?activity=G464922"} <= set(links)
    assert "Same activity in Quito" in page.text
    neighbours = Reading(web.get("/en/directory/ec/pichincha/quito?activity=G464922").text)
    listed = [link["href"] for link in neighbours.all("a") if link["href"].startswith("/en/companies/")]
    offered = [link["href"] for link in page.all("a") if link["href"] in listed]
    assert offered == [path for path in listed if path != "/en/companies/ec/0992262192001"][:5]


def test_the_countries_of_the_map_are_links(web: TestClient) -> None:
    page = Reading(web.get("/en").text)
    named = {link["aria-label"]: link["href"] for link in page.all("a") if "aria-label" in link}
    assert named["EC, Ecuador: 95,546 companies"] == "/en/directory/ec"


@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemaps/es/pages.xml", "/sitemaps/en/us-1.xml"])
def test_sitemaps_are_compressed(web: TestClient, path: str) -> None:
    plain = web.get(path, headers={"accept-encoding": "identity"})
    small = web.get(path, headers={"accept-encoding": "br, gzip"})
    assert ("content-encoding" in plain.headers, small.headers["content-encoding"]) == (False, "gzip")
    assert (small.headers["vary"], small.content) == ("Accept-Encoding", plain.content)


@pytest.mark.parametrize("number", ["9" * 5_000, "0", "01", "-1", "\N{ARABIC-INDIC DIGIT ONE}", "1e1"])
def test_a_sitemap_of_no_part_is_not_there(web: TestClient, number: str) -> None:
    assert web.get(f"/sitemaps/en/ec-{number}.xml").status_code == 404
    assert web.get("/sitemaps/en/ec-1.xml").status_code == 200


def test_of_many_sitemaps_at_once_one_works_in_a_round_of_the_loop() -> None:
    made = 0

    async def batches() -> AsyncIterator[list[tuple[str, str]]]:
        nonlocal made
        for _ in range(20):
            made += 1
            yield [("/es", "2026-01-01")]

    async def scenario() -> int:
        sitemaps = Sitemaps(SimpleNamespace(base_url="https://padron.example"), None)
        call = SimpleNamespace(given={})

        async def answer() -> None:
            own, squeeze = batches(), _Squeeze(call)
            while await sitemaps._piece(own, squeeze) is not None:
                pass

        most, answers = 0, [asyncio.create_task(answer()) for _ in range(30)]
        while not all(answer.done() for answer in answers):
            before = made
            await asyncio.sleep(0)
            most = max(most, made - before)
        return most

    assert asyncio.run(asyncio.wait_for(scenario(), PATIENCE)) == 1
    assert made == 30 * 20


@pytest.mark.parametrize("language", ["es", "en"])
def test_lists_are_in_a_sitemap(web: TestClient, language: Language) -> None:
    index = web.get("/sitemap.xml").text
    assert f"{BASE_URL}/sitemaps/{language}/lists-ec.xml" in index
    root = ET.fromstring(web.get(f"/sitemaps/{language}/lists-ec.xml").text)
    located = [element.text for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    word = {"es": "directorio", "en": "directory"}[language]
    assert {
        f"{BASE_URL}/{language}/{word}/ec",
        f"{BASE_URL}/{language}/{word}/ec/pichincha/quito",
        f"{BASE_URL}/{language}/{word}/ec?activity=K642000",
    } <= set(located)
    assert len(located) == len(set(located)) < 50_000
    assert [url for url in located[::60] if web.get(url).status_code != 200] == []
    assert web.get(f"/sitemaps/{language}/lists-xx.xml").status_code == 404


def test_hidden_companies_are_counted_by_list() -> None:
    first = Listed("EC", "ALFA S.A.", "PICHINCHA", "QUITO", "K64", "CARTERA", "active", "sa", True)
    second = Listed("EC", "BETA S.A.", "PICHINCHA", None, None, None, None, None, False)
    lost = by_list([first, second])
    assert lost.keys() == {
        ListKey("EC", region, city, activity)
        for region, city in (("", ""), ("region:pichincha", ""), ("region:pichincha", "city:quito"))
        for activity in ("", "activity:K64")
    }
    assert lost[ListKey("EC", "region:pichincha")] == {
        "": 2,
        "letter:a": 1,
        "letter:b": 1,
        "status:active": 1,
        "form:sa": 1,
        "financials:true": 1,
        "city:quito": 1,
        "activity:K64": 1,
    }
    assert lost[QUITO._replace(activity="activity:K64")] == {"": 1, "letter:a": 1}


def test_the_sitemap_of_lists_is_written_in_batches(directory: Directory) -> None:
    async def batches(country: str) -> list[Sequence[tuple[str, str]]]:
        return [batch async for batch in _listed(directory, country, "en")]

    made = {country: run(batches(country)) for country in REGISTRY}
    assert max(len(batch) for every in made.values() for batch in every) == 200
    for country, every in made.items():
        assert [path for batch in every for path, _ in batch] == list(map(escape, list_paths(directory, country, "en")))


def test_a_hidden_company_is_in_no_list_and_no_count(
    company: Callable[..., Company], publish: Callable[..., None], tmp_path: Path
) -> None:
    place = {"region": "PICHINCHA", "municipality": "QUITO", "activity_code": "K64", "activity_label": "CARTERA"}
    companies = tuple(
        company("EC", "ec-ruc", number, name, **place)
        for number, name in (("1790016919001", "ALFA S.A."), ("1790010937001", "BETA S.A."))
    )
    publish(tmp_path / "var", "two", companies)
    path = tmp_path / "suppressions.toml"
    path.write_text(
        '[[suppressed]]\ncountry = "EC"\nidentifier = "1790016919001"\nreason = "Orden judicial"\ndate = 2026-11-20\n'
    )
    hidden = run(Directory.open(tmp_path / "var", REGISTRY, BASE_URL, path))
    counted = hidden.counted(QUITO)
    assert counted is not None
    assert (counted.companies, {facet.tag: facet.companies for facet in counted.facets}) == (
        1,
        {"activity:K64": 1, "form:sa": 1, "letter:b": 1},
    )
    assert run(hidden.browse(QUITO, Filters(letter="a"), 0, 9, "es")).total == 0
    with service(hidden) as client:
        page = Reading(client.get("/es/directorio/ec/pichincha/quito").text).text
        assert "1 empresa ·" in page
        assert "ALFA" not in page


def test_the_other_language_keeps_the_filters_of_a_list(web: TestClient) -> None:
    page = Reading(web.get("/en/directory/ec/pichincha?legalForm=sa&page=2").text)
    (switch,) = page.all("a", hreflang="es", lang="es")
    assert switch["href"] == "/es/directorio/ec/pichincha?legalForm=sa&page=2"


def test_options_and_letters_are_counted_only_where_the_count_is_of_what_is_listed(web: TestClient) -> None:
    def counts(query: str) -> tuple[int, int]:
        page = Reading(web.get(f"/en/directory/br/sp{query}").text)
        letters = [link for link in page.all("a") if "compan" in link.get("aria-label", "")]
        return len(re.findall(r"\([0-9,]+\)", page.text)), len(letters)

    options, letters = counts("")
    assert options > 2
    assert letters > 20
    assert counts("?letter=a") == (0, letters)
    assert [counts(f"?{query}") for query in ("status=active", "legalForm=sa", "hasFinancials=true")] == [(0, 0)] * 3
