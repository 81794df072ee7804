"""Names that would do harm stand in a release of their own: they harm nothing, wherever they are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from padron.app import build_app
from padron.config import load
from padron.country import Country, Source
from padron.search.directory import Directory
from padron.web.plain import markdown, plain
from reading import Reading
from small_register import release_of, source

BASE_URL = "https://padron.example"
HOSTILE = {
    "1790016919001": "<script>alert(1)</script> S.A.",
    "0990004196001": "\"><img src=x onerror=alert(1)> & 'HIJOS' C.A.",
    "1790010937001": "\u202eATREIBA\u202c \u2066LA\u2069 \u200bPUERTA S.A.",
    "1790013731001": "LARGA " + "X" * 10_000 + " S.A.",
    "1790023931001": "شركة النور \u200f للتجارة S.A.",
    "1790053881001": "{{ 7 * 7 }} {% raw %} </script><!-- ]]> --> [x](javascript:alert(1)) S.A.",
}
PATHS = [
    path
    for identifier in HOSTILE
    for path in (
        f"/es/empresas/ec/{identifier}",
        f"/en/companies/ec/{identifier}",
        f"/en/companies/ec/{identifier}.md",
        f"/en/companies/ec/{identifier}.json",
        f"/en/companies/ec/{identifier}/financials",
    )
] + [
    "/es/buscar?q=script+alert",
    "/es/buscar?q=%3Cscript%3Ealert(1)%3C/script%3E",
    "/en/search?q=%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
    "/en/search?q=%E2%80%AEatreiba&country=%3Cscript%3E",
    "/en/companies/%3Cscript%3E/1",
    "/es/%3Cscript%3Ealert(1)%3C/script%3E",
    "/es/cobertura",
    "/es/fuentes",
]  # fmt: skip


@pytest.fixture
def web(country: Callable[[Source], Country], official: Callable[..., Path], tmp_path: Path) -> Iterator[TestClient]:
    """The pages over a release that holds the names above."""
    rows = "".join(f'{identifier},"{name.replace(chr(34), chr(34) * 2)}"\n' for identifier, name in HOSTILE.items())
    registry = {"EC": country(source())}
    data = release_of(registry, official(list__csv=f"RUC,NOMBRE\n{rows}".encode()), tmp_path / "var")
    directory = Directory.open(data, registry, BASE_URL)
    assert directory.coverage().total == len(HOSTILE)
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=tmp_path / "accounts")
    with TestClient(build_app(settings, directory), base_url=BASE_URL, follow_redirects=False) as client:
        yield client


TURNING = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def harm(body: str) -> list[str]:
    """What a page does that no page of ours does: elements and handlers of strangers, turned text, endless names."""
    page = Reading(body)
    known = {"theme", "app", "account", "console"}
    found = [
        f"script {script}"
        for script in page.all("script")
        if script.get("type") != "application/ld+json"
        and script.get("src", "").split("/")[-1].split(".")[0] not in known
    ]
    found += [
        f"{tag} {attributes}" for tag, attributes in page.elements if any(name.startswith("on") for name in attributes)
    ]
    found += [f"img {image}" for image in page.all("img")]
    found += [f"link {link['href']}" for link in page.all("a") if link["href"].startswith("javascript:")]
    found += ["turned text"] * bool(TURNING.search(body))
    found += ["an endless name"] * ("X" * 400 in body)
    return found


def test_hostile_names_harm_no_page(web: TestClient) -> None:
    for path in PATHS:
        response = web.get(path)
        assert response.status_code in {200, 404}, path
        kind = response.headers["content-type"]
        if kind.startswith("text/html"):
            assert harm(response.text) == [], path
            for script in Reading(response.text).scripts:
                assert not script.strip() or json.loads(script)["@type"] == "Organization"
        else:
            assert not TURNING.search(response.text), path
            assert "X" * 400 not in response.text
            assert not re.search(r"(?<!\\)<(script|img)", response.text) or kind == "application/json", path


def test_hostile_names_harm_no_feed_sitemap_or_picture(web: TestClient) -> None:
    ET.fromstring(web.get("/sitemaps/es/ec-1.xml").text)
    ET.fromstring(web.get("/es/versiones.atom").text)
    for identifier in HOSTILE:
        picture = web.get(f"/cards/es/ec/{identifier}.png")
        assert picture.status_code == 200
        assert len(picture.content) < 60_000
    suggestions = web.get("/es/sugerencias?q=script+alert").json()["companies"]
    assert suggestions[0]["name"] == HOSTILE["1790016919001"], "data are data: the page puts them in as text"


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<p onclick='x()'>",
        "<img src=x>",
        "<a href='javascript:x()'>",
        "<p>\u202eABC</p>",
        "<p>" + "X" * 500,
    ],
)
def test_each_planted_harm_is_seen(html: str) -> None:
    assert len(harm(html)) == 1


def test_register_text_is_shown_plain_and_whole() -> None:
    assert plain("A\u202eB\x00C\nD") == "A B C D"
    assert plain("E\u0301TICA") == "ÉTICA"
    assert plain("CORPORACIÓN FAVORITA C.A.") == "CORPORACIÓN FAVORITA C.A."
    assert len(plain("X" * 10_000)) == 300
    assert markdown("[x](y) <b>*") == r"\[x\]\(y\) \<b\>\*"
