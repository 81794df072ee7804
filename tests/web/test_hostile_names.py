"""Names that attack are shown as what they are: text. In pages, twins, pictures, feeds, sitemaps, and in a browser."""

from __future__ import annotations

import csv
import html
import io
import json
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient

from browser import ROWS, SIZES, visiting
from hostile import CIK, MANY_NAMED, NAMES, hostile_release
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.service.app import build_app
from parsed_page import Reading, faults
from process import serving

BASE_URL = "https://padron.example"
PATHS = {"es": "/es/empresas/us/", "en": "/en/companies/us/"}
LONGEST = 40_000
"""Bytes of a page, however long the name."""
QUESTIONS = [name[:250] for name in NAMES.values()]

attacks = pytest.mark.parametrize("called", NAMES)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with ThreadPoolExecutor(1) as thread:  # a browser that a test has opened runs an event loop in this one
        return thread.submit(hostile_release, tmp_path_factory.mktemp("hostile")).result()


@pytest.fixture(scope="module")
def client(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=tmp_path_factory.mktemp("web"))
    directory = run(Directory.open(data, REGISTRY, BASE_URL))
    with TestClient(build_app(settings, directory), base_url=BASE_URL, follow_redirects=False) as client:
        yield client


def unseen(text: str) -> set[str]:
    """Characters that cannot be seen, or that turn the direction of what follows."""
    return {char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} and char != "\n"}


def shape(page: Reading) -> list[str]:
    """The elements of a page in order."""
    return [tag for tag, _ in page.elements]


@attacks
@pytest.mark.parametrize("language", PATHS)
def test_a_page_is_the_same_page_whatever_the_name(client: TestClient, called: str, language: str) -> None:
    response = client.get(PATHS[language] + CIK[called])
    page = Reading(response.text)
    assert response.status_code == 200
    assert response.headers["x-content-type-options"] == "nosniff"
    assert faults(page) == []
    assert shape(page) == shape(Reading(client.get(PATHS[language] + CIK["harmless"]).text))
    assert unseen(html.unescape(response.text)) == set()
    assert len(response.content) < LONGEST
    assert (
        page.linked("Organization")["legalName"]
        == json.loads(client.get(f"{PATHS[language]}{CIK[called]}.json").text)["company"]["legalName"]
    )


def test_a_name_that_became_markup_is_found(client: TestClient) -> None:
    sound = client.get(PATHS["en"] + CIK["element"]).text
    broken = sound.replace(html.escape("<b>BOLD</b>"), "<b>BOLD</b>", 1)
    assert broken != sound
    assert shape(Reading(broken)) != shape(Reading(client.get(PATHS["en"] + CIK["harmless"]).text))
    assert unseen("ACME \u202e") == {"\u202e"}


@attacks
def test_the_twins_hold_text_alone(client: TestClient, called: str) -> None:
    document = client.get(f"{PATHS['en']}{CIK[called]}.json")
    assert document.headers["content-type"] == "application/json"
    assert unseen(json.dumps(document.json(), ensure_ascii=False)) == set()
    markdown = client.get(f"{PATHS['en']}{CIK[called]}.md")
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert unseen(markdown.text) == set()
    harmless = client.get(f"{PATHS['en']}{CIK['harmless']}.md").text
    assert [line[:2] for line in markdown.text.splitlines()] == [line[:2] for line in harmless.splitlines()]
    bare = markdown.text.replace("\\\\", "")
    for mark in "<[`*":
        own = harmless.count(mark)
        assert bare.count(mark) - bare.count(f"\\{mark}") == own, mark


@attacks
def test_a_picture_is_drawn_whatever_the_name(client: TestClient, called: str) -> None:
    picture = client.get(f"/cards/en/us/{CIK[called]}.png")
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)


@pytest.mark.parametrize("question", QUESTIONS)
def test_results_and_suggestions_are_text(client: TestClient, question: str) -> None:
    for path in (f"/es/buscar?q={quote(question)}", f"/en/companies/us/{quote(question, safe='')}"):
        response = client.get(path)
        assert response.status_code in {200, 404}
        assert faults(Reading(response.text)) == []
        assert unseen(html.unescape(response.text)) == set(), path
    for company in client.get(f"/es/sugerencias?q={quote(question)}").json()["companies"]:
        assert unseen(company["name"]) == set()
        assert len(company["name"]) <= 120


@pytest.mark.parametrize(
    "path",
    ["/sitemap.xml", "/sitemaps/es/us-1.xml", "/sitemaps/en/pages.xml", "/es/versiones.atom", "/en/releases.atom"],
)
def test_sitemaps_and_feeds_are_read_as_xml(client: TestClient, path: str) -> None:
    text = client.get(path).text
    ET.fromstring(text)
    assert not [name for name in NAMES.values() if name in text]


@pytest.mark.parametrize("path", ["/llms.txt", "/llms-full.txt", "/en/coverage/us", "/es"])
def test_no_other_page_repeats_a_name(client: TestClient, path: str) -> None:
    assert NAMES["harmless"] not in client.get(path).text


@attacks
@pytest.mark.parametrize("ending", [".atom", ".svg"])
def test_feeds_and_badges_of_a_company_are_read_as_xml(client: TestClient, called: str, ending: str) -> None:
    response = client.get(f"{PATHS['en']}{CIK[called]}{ending}")
    harmless = ET.fromstring(client.get(f"{PATHS['en']}{CIK['harmless']}{ending}").text)
    assert response.status_code == 200
    assert unseen(html.unescape(response.text)) == set()
    assert [part.tag for part in ET.fromstring(response.text).iter()] == [part.tag for part in harmless.iter()]


def test_lists_are_text(client: TestClient) -> None:
    for path in ("/en/directory/us", "/es/directorio/us", "/en/directory/us.csv"):
        response = client.get(path)
        assert response.status_code == 200
        assert unseen(html.unescape(response.text).replace("\r", "")) == set(), path
    for path in ("/en/directory/us", "/es/directorio/us"):
        page = Reading(client.get(path).text)
        assert faults(page) == []
        assert NAMES["harmless"] in page.text
        (linked_data,) = page.scripts
        json.loads(linked_data)


def test_no_cell_is_a_formula(client: TestClient) -> None:
    """Neither in the file of a list of companies, nor in what is answered to the list of a reader."""
    listed = client.get("/en/directory/us.csv").text
    number = f"identifier,country\n{CIK['formula']},US\n".encode()
    page = client.post("/en/match-list", files={"list": ("list.csv", number, "text/csv")}).text
    matched = html.unescape(page.split('<textarea name="matched" hidden>')[1].split("</textarea>", maxsplit=1)[0])
    for text in (listed, matched):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert any(cell.startswith("'=HYPERLINK") for cell in cells)
        assert [cell for cell in cells if cell.startswith("=")] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_documentation_and_feeds_of_a_search_are_text(client: TestClient, question: str) -> None:
    page = client.get(f"/en/docs?q={quote(question)}")
    assert page.status_code == 200
    assert faults(Reading(page.text)) == []
    assert unseen(html.unescape(page.text)) == set()
    feed = client.get(f"/en/search.atom?q={quote(question)}")
    assert feed.status_code in {200, 400}
    if feed.status_code == 200:
        ET.fromstring(feed.text)
        assert unseen(html.unescape(feed.text)) == set()


@pytest.mark.verify
def test_a_browser_runs_nothing_that_a_name_holds(browser: Browser, data: Path, tmp_path: Path) -> None:
    with serving(data, tmp_path) as server, visiting(browser, server.url, "phone") as visit:
        for called, name in NAMES.items():
            for path in (f"{PATHS['es']}{CIK[called]}", f"/en/search?q={quote(name[:250])}"):
                visit.page.goto(path)
                assert visit.page.locator("h1").count() == 1
                assert visit.overflow() <= 0, path
            _type(visit.page, name)
        visit.page.goto(f"/en/companies/us/{quote(NAMES['end of a script'], safe='')}")
        assert visit.page.locator("h1").count() == 1
        assert visit.faults == []


@pytest.mark.parametrize("size", SIZES)
def test_many_long_names_stand_in_one_row_and_the_page_in_order(
    browser: Browser, data: Path, tmp_path: Path, size: str
) -> None:
    with serving(data, tmp_path) as server, visiting(browser, server.url, size) as visit:
        visit.page.goto(PATHS["en"] + MANY_NAMED)
        names = visit.page.locator("dl.facts dt:text-is('Former name') + dd")
        assert names.count() == 1
        assert names.inner_text().count("NAME ") == 8
        names.locator("summary").click()
        assert names.locator("li").count() == 40
        assert visit.page.evaluate(ROWS) == []
        assert visit.overflow() <= 0
        assert visit.faults == []


def _type(page: Page, name: str) -> None:
    """Type the beginning of a name on the front page and wait for what is suggested."""
    page.goto("/en")
    with page.expect_response(lambda answer: "/en/suggestions" in answer.url) as asked:
        page.get_by_role("combobox").first.fill(name[:60])
    if asked.value.json()["companies"]:
        page.locator("[role=option]").first.wait_for()
