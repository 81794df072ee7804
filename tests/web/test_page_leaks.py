"""No cell of an official file that no layout declares stands in what is served of its company, in whatever form.

The public bytes of every company are looked through: street, phone, mail, officer, amount, number. Two thousand
companies (60 in `make verify`), drawn once and for all, are read as page, JSON-LD, JSON, Markdown and picture in both
languages; sitemaps, feeds and every other page hold companies' numbers and names and nothing else of them. Planted
leaks prove it.
"""

from __future__ import annotations

import html
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from full_size import of_full_size
from memory_directory import service
from padron.cli import builds
from padron.companies.fields import FIELDS, LISTED
from padron.companies.model import camel
from padron.countries import REGISTRY
from padron.countries.country import SourceColumn
from padron.directory import Directory, run
from padron.releases import snapshot
from padron.web import addresses, documentation
from padron.web.browse import list_paths
from padron.web.facts import shown_identifier
from padron.web.social_image import draw
from padron.words import LANGUAGES
from page_addresses import PAGES, STATES
from parsed_page import Reading
from small_register import SCRIPT, layout, release_of, source
from undeclared import Cells, cells_of, public_leaks

BASE_URL = "https://padron.example"
DRAWN = of_full_size(2_000, small=60)
PICTURES = of_full_size(50, small=10)
"""Companies whose pictures are compared: drawing one takes as long as ten pages."""

LINKED = {
    "@type", "@id", "url", "name", "legalName", "alternateName", "identifier", "taxID", "leiCode",
    "foundingDate", "dissolutionDate", "subjectOf",
}  # fmt: skip
TWIN = {
    "legalName", "countryCode", "scheme", "identifier", "idLabel", "identifiers", "names", "status", "officialStatus",
    "legalForm", "officialLegalForm", "classificationCode", "classificationLabel", "region", "municipality",
    "countryOfIncorporation", "financialsAvailable", "source", "sources", "dataAsOf", "officialRecords",
    *(camel(column.member or column.name) for column, _ in LISTED),
}  # fmt: skip
"""The members that JSON-LD and the JSON of a page may have: no address, no contact, no person, no amount."""

NAMED_BY = {"scheme", "identifier", "legal_name", "source", "sources", "given", "refreshed"}
"""Columns of a company of which nothing but the name is known: it is in no sitemap."""

CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w+|(?:tel|phone|fax|e-?mail|correo)\s*[:=]\s*\S", re.IGNORECASE)


NEIGHBOURS = re.compile(r'<section class="neighbours">.*?</section>', re.DOTALL)
"""Names of other companies, which may be those of a company's own undeclared cells, such as its representative's."""


def forms(client: TestClient, country: str, identifier: str) -> dict[str, str]:
    """Texts that are served of a company, by form. JSON has only members that it may have."""
    texts = {}
    for language in LANGUAGES:
        path = addresses.path("company", language, country=country, identifier=identifier)
        page = client.get(path).text
        linked = Reading(page).linked("Organization")
        assert linked.keys() <= LINKED
        twin = client.get(f"{path}.json").text
        assert json.loads(twin)["company"].keys() == TWIN
        texts |= {
            f"{language} page": html.unescape(NEIGHBOURS.sub("", page)),
            f"{language} JSON-LD": _values(linked),
            f"{language} JSON": _values(json.loads(twin)),
            f"{language} Markdown": client.get(f"{path}.md").text.replace("\\", ""),
        }
    return texts


def _values(value: Any) -> str:
    """The texts of a JSON value, one a line."""
    if isinstance(value, dict | list):
        return "\n".join(map(_values, value.values() if isinstance(value, dict) else value))
    return str(value)


def leaks(client: TestClient, country: str, identifier: str, cells: Cells) -> list[tuple[str, str]]:
    """Form and cell of what leaked of a company; contacts leak whosever they are."""
    return [
        (form, cell)
        for form, text in forms(client, country, identifier).items()
        for cell in [*cells.leaked(text), *CONTACT.findall(text)]
    ]


@pytest.mark.verify
@pytest.mark.endurance
@pytest.mark.parametrize("code", list(REGISTRY))
def test_what_is_served_of_a_company_holds_no_undeclared_cell(
    code: str, web: TestClient, directory: Directory, tmp_path: Path
) -> None:
    cells = cells_of(REGISTRY[code], builds.BUNDLED, tmp_path / "scratch")
    assert public_leaks(code, cells, directory) == []
    share = min(len(cells), DRAWN // len(REGISTRY) + 1)
    drawn = random.Random(2026).sample(sorted(cells), share)
    leaked = [(identifier, *leak) for identifier in drawn for leak in leaks(web, code, identifier, cells[identifier])]
    assert leaked == []


@pytest.mark.verify
@pytest.mark.endurance
def test_a_picture_shows_name_country_and_number_alone(web: TestClient, directory: Directory, data: Path) -> None:
    release = snapshot.read_release(data, snapshot.current(data))
    companies = [(company.country, company.identifier) for company in snapshot.companies(data, release)]
    for country, identifier in random.Random(2026).sample(companies, PICTURES):
        company = run(directory.get(country, identifier, "es")).record
        shown = draw(company.legal_name, f"{country} · {company.id_label} {shown_identifier(company)}")
        assert web.get(f"/cards/es/{country.lower()}/{identifier}.png").content == shown


@pytest.mark.verify
def test_sitemaps_name_the_companies_of_the_release_the_lists_and_the_open_pages_alone(
    web: TestClient, directory: Directory, data: Path
) -> None:
    release = snapshot.read_release(data, snapshot.current(data))
    companies = [
        (company.country, company.identifier)
        for company in snapshot.companies(data, release)
        if any(getattr(company, column.name) for column in FIELDS if column.stored and column.name not in NAMED_BY)
    ]
    wanted = {
        BASE_URL + addresses.path("company", language, country=country, identifier=identifier)
        for language in LANGUAGES
        for country, identifier in companies
    }
    wanted |= {BASE_URL + addresses.path(page, language) for language in LANGUAGES for page in addresses.FIXED}
    wanted |= {
        BASE_URL + addresses.path("country", language, country=code) for language in LANGUAGES for code in REGISTRY
    }
    wanted |= {
        BASE_URL + path for language in LANGUAGES for code in REGISTRY for path in list_paths(directory, code, language)
    }
    wanted |= {BASE_URL + path for language in LANGUAGES for path in documentation.paths(language)}
    names = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    maps = [element.text for element in ET.fromstring(web.get("/sitemap.xml").text).iter(f"{names}loc")]
    located = {element.text for url in maps for element in ET.fromstring(web.get(url).text).iter(f"{names}loc")}
    assert located == wanted


@pytest.mark.verify
def test_no_other_page_or_feed_holds_a_contact_of_a_company(web: TestClient) -> None:
    feeds = [f"{addresses.path('releases', language)}.atom" for language in LANGUAGES]
    own = {"privacy@padron.example", "ana@ejemplo.ec", "ana@example.ec"}  # ours, and those that errors give as examples
    for path in (*PAGES, *STATES, *feeds, "/llms.txt", "/llms-full.txt"):
        assert set(CONTACT.findall(html.unescape(web.get(path).text))) <= own, path


PRIVATE = {
    "CALLE": "AV. GENERAL ENRIQUEZ",
    "TELÉFONO": "022996500",
    "CORREO": "gerencia@favorita.example",
    "CAPITAL": "305.000.000,00",
}


@pytest.mark.verify
@pytest.mark.parametrize(
    ("column", "field"), [*((column, "activity_label") for column in PRIVATE), ("CALLE", "trade_name")]
)
def test_a_planted_leak_is_found_in_every_form(column: str, field: str, country, official, tmp_path: Path) -> None:
    header = ",".join(["RUC", "NOMBRE", *PRIVATE])
    cells = ",".join(["1790016919001", "CORPORACION FAVORITA C.A.", *(f'"{cell}"' for cell in PRIVATE.values())])
    root = official(a__csv=f"{header}\n{cells}\n".encode())
    honest = country(source(layout(private=tuple(PRIVATE))))
    known = cells_of(honest, root, tmp_path / "scratch")["1790016919001"]
    sound = run(Directory.open(release_of({"EC": honest}, root, tmp_path / "sound"), {"EC": honest}, BASE_URL))
    with service(sound) as client:
        assert leaks(client, "EC", "1790016919001", known) == []

    columns = {"activity_label": "_date AS recency", "trade_name": "clean(comercial) AS trade_name"}
    planted = {"activity_label": "leaked AS activity_label, _date AS recency", "trade_name": "leaked AS trade_name"}
    faulty = replace(honest, sources=(source(layout(columns=(*layout().columns, SourceColumn("leaked", (column,))))),))
    (honest.folder / "companies.sql").write_text(SCRIPT.replace(columns[field], planted[field]), "utf-8")
    leaky = run(Directory.open(release_of({"EC": faulty}, root, tmp_path / "faulty"), {"EC": faulty}, BASE_URL))
    with service(leaky) as client:
        leaked = leaks(client, "EC", "1790016919001", known)
    reached = {"page", "JSON", "Markdown"} | ({"JSON-LD"} if field == "trade_name" else set())
    assert {form for form, _ in leaked} == {f"{language} {form}" for language in LANGUAGES for form in reached}
