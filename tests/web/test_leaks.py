"""No page of a company, nor its JSON-LD or twins, tells what the official files hold beyond the allow-list."""

from __future__ import annotations

import csv
import gzip
import random
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from leaking import leaks
from padron import cli
from padron.countries import REGISTRY
from padron.search.directory import Directory
from padron.text import fold
from reading import Reading

PAGES = 2_000
"""Companies whose pages are read, in equal parts from each country, drawn by a seed."""


def whole(web: TestClient, path: str) -> str:
    """Everything a page holds: what is read, what attributes say, its JSON-LD, and its twins."""
    page = Reading(web.get(path).text)
    attributes = (value for _, named in page.elements for value in named.values())
    twins = (web.get(f"{path}.md").text, web.get(f"{path}.json").text)
    return " | ".join((page.text, *attributes, *page.scripts, *twins))


@pytest.mark.verify
@pytest.mark.parametrize("code", list(REGISTRY))
def test_two_thousand_pages_tell_nothing_undeclared(
    code: str, web: TestClient, directory: Directory, tmp_path: Path
) -> None:
    numbers = [number for number, country in enumerate(directory.parts()) if country == code]
    every = [identifier for number in numbers for identifier in directory.part(number)]
    drawn = random.Random(f"pages {code}").sample(every, min(len(every), PAGES // len(REGISTRY) + 1))
    read: list[str] = []

    def public(identifier: str) -> str:
        if identifier not in wanted:
            return ""
        read.append(identifier)
        return whole(web, f"/es/empresas/{code.lower()}/{identifier}")

    wanted = set(drawn[1:])
    common = f" {fold(whole(web, f'/es/empresas/{code.lower()}/{drawn[0]}'))} "
    found = leaks(REGISTRY[code], cli.BUNDLED, tmp_path / "scratch", public)
    assert [(identifier, cell) for identifier, cell in found if f" {cell} " not in common] == []
    assert len(read) >= len(wanted) * 0.9, "the pages were read"


@pytest.mark.verify
def test_a_page_that_told_an_undeclared_cell_would_be_caught(tmp_path: Path) -> None:
    cells: dict[str, str] = {}

    def gather(identifier: str) -> str:
        return cells.get(identifier, "")

    folder = cli.BUNDLED / "br" / "cvm"
    with gzip.open(folder / "cad_cia_aberta.csv.gz", "rt", encoding="cp1252") as file:
        row = next(row for row in csv.DictReader(file, delimiter=";") if row["CNPJ_CIA"] == "33.000.167/0001-01")
    cells["33000167000101"] = f"Su auditor es {row['AUDITOR']}."
    assert leaks(REGISTRY["BR"], cli.BUNDLED, tmp_path / "scratch", gather) == [
        ("33000167000101", fold(row["AUDITOR"]))
    ]
