"""Well-known companies that no register here has: every line, and what a search by one answers."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

import pytest
from evaluation.records import read_release

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.index.document import LEGAL, variants
from padron.lookup.find import SURE
from padron.matching import famous as module
from padron.matching.famous import FAMOUS
from padron.matching.query import Reader
from padron.text import fold

ROWS = list(csv.DictReader(Path(module.__file__).with_name("famous.csv").read_text(encoding="utf-8").splitlines()))


def test_every_line_is_folded_dated_and_has_a_document() -> None:
    assert len(ROWS) == len(FAMOUS) > 600
    for row in ROWS:
        assert row["name"] == fold(row["name"]), row
        assert row["address"].startswith(("https://", "http://")), row
        assert row["title"], row
        assert date.fromisoformat(row["read"]) <= date(2026, 11, 28), row


def test_no_line_is_the_name_of_a_company_of_its_country(release: Path) -> None:
    held = {
        (company.country, variant.words)
        for company in read_release(release)
        for name in (company.legal_name, *(other for kind, other in company.names if kind != "doubtfulByName"))
        for variant in variants(LEGAL, name, REGISTRY[company.country])
    }
    assert sorted({(row.country, name) for name, row in FAMOUS.items()} & held) == []


def test_a_name_is_known_in_its_country_or_where_none_is_asked() -> None:
    reader = Reader(REGISTRY)
    for text, country in (("OXXO", None), ("oxxo", "MX"), ("oxxo mexico", None), ("Oxxo S.A. de C.V.", None)):
        known = reader.read(text, country).famous
        assert known is not None, text
        assert known.country == "MX"
    for text, country in (("oxxo", "EC"), ("oxxo ecuador", None), ("oxxo gasolinera norte", None), ("", None)):
        assert reader.read(text, country).famous is None, text
    assert reader.read("mercadona", "EC").famous is None
    for text in ("grupo clarin", "clarin"):  # the whole text before a part of it
        known = reader.read(text).famous
        assert known is not None
        assert known.name == text


@pytest.mark.parametrize("q", ["oxxo", "satena", "arcor", "OXXO S.A. de C.V."])
def test_a_namesake_is_only_offered_and_the_answer_says_why(directory: Directory, q: str) -> None:
    answer = run(directory.search(q, country=None, limit=8, language="en"))
    assert answer.best_match is None
    assert answer.results[0].confidence < 0.2
    assert any("is a well-known company of" in hint for hint in answer.match_hints)


def test_the_namesake_is_sure_in_its_own_country_and_with_its_own_form(directory: Directory) -> None:
    for q, country in (("oxxo", "EC"), ("satena s.a.", None)):
        best = run(directory.search(q, country=country, limit=8, language="es")).best_match
        assert best is not None, q
        assert best.confidence >= SURE
