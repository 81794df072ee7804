"""Names that no register states: every line of `by_names.csv`, and what a search by one answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from padron.companies.company import Company
from padron.companies.model import Name
from padron.countries import REGISTRY
from padron.countries.country import ByName, Country, Source
from padron.directory import Directory, run
from padron.index.document import decode_record
from padron.ingest.build import build
from padron.releases import snapshot
from padron.text import fold, split_form
from small_register import source

LINES = [
    (country, by_name) for country in REGISTRY.values() for lines in country.by_names.values() for by_name in lines
]
KINDS = {"brand", "group", "abbreviation", "former", "symbol"}


def is_day_or_year(text: str) -> bool:
    """Return whether a date is empty, a day or a year."""
    return not text or bool(re.fullmatch("[12][0-9]{3}", text)) or date.fromisoformat(text).isoformat() == text


def faults(country: Country, by_name: ByName) -> list[str]:
    """Faults of a line that its text shows."""
    address = urlsplit(by_name.address)
    checks = {
        "kind": by_name.kind in KINDS,
        "name": by_name.name == by_name.name.strip() and bool(fold(by_name.name)),
        "title": bool(by_name.title.strip()),
        "address": address.scheme in {"http", "https"} and "." in address.netloc,
        "read": date(2026, 1, 1) <= by_name.read <= date(2100, 1, 1),
        "since": is_day_or_year(by_name.since),
        "until": is_day_or_year(by_name.until) and (not by_name.until or by_name.until <= by_name.read.isoformat()),
        "dates": not (by_name.since and by_name.until) or by_name.since <= by_name.until,
    }
    return [
        f"{country.code} {by_name.identifier} {by_name.name}: {part}" for part, right in checks.items() if not right
    ]


def test_every_line_names_a_public_document() -> None:
    assert len(LINES) >= 1_300
    assert [fault for line in LINES for fault in faults(*line)] == []


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"title": " "}, "title"),
        ({"address": "/srv/private/list.csv"}, "address"),
        ({"address": "file:///srv/list.csv"}, "address"),
        ({"kind": "nickname"}, "kind"),
        ({"name": " "}, "name"),
        ({"until": "2999"}, "until"),
        ({"since": "2021", "until": "2020"}, "dates"),
    ],
)
def test_a_line_without_its_document_is_a_fault(change: dict[str, str], part: str) -> None:
    country, by_name = LINES[0]
    assert faults(country, by_name._replace(**change))[0].endswith(f": {part}")


def test_no_line_is_repeated() -> None:
    lines = Counter((country.code, by_name.identifier, fold(by_name.name)) for country, by_name in LINES)
    assert [line for line, count in lines.items() if count > 1] == []


@pytest.fixture(scope="module")
def companies(release: Path) -> list[Company]:
    """The companies that a line or the name of a line speaks of: those with by-names, and those with such a name."""
    names = {(country.code, fold(by_name.name)) for country, by_name in LINES}
    return [
        company
        for company in snapshot.companies(release, snapshot.read_release(release, snapshot.current(release)))
        if REGISTRY[company.country].by_names_of(company.identifier)
        or any((company.country, name) in names for name in own_names(company))
    ]


def own_names(company: Company) -> set[str]:
    """The legal, trade and former names of a company, folded, also without their legal form and `Grupo`."""
    forms = REGISTRY[company.country].forms
    stated = [company.legal_name, *(name.name for name in company.names if name.kind in {"trade", "former"})]
    spellings = {spelling for name in stated for spelling in (fold(name), " ".join(split_form(name, forms).core))}
    return spellings | {spelling.removeprefix("grupo ") for spelling in spellings}


def test_every_company_is_held_and_no_register_states_the_name(companies: list[Company]) -> None:
    expected = {(country.code, by_name.identifier, by_name.name) for country, by_name in LINES}
    held = {
        (company.country, company.identifier, name.name)
        for company in companies
        for name in company.names
        if name.kind in {"byName", "doubtfulByName"}
    }
    assert expected - held == set()


def test_no_line_takes_the_legal_or_trade_name_of_another_company(companies: list[Company]) -> None:
    owners: dict[tuple[str, str], set[str]] = {}
    for company in companies:
        for name in own_names(company):
            owners.setdefault((company.country, name), set()).add(company.identifier)
    taken = {
        (country.code, by_name.name)
        for country, by_name in LINES
        if owners.get((country.code, fold(by_name.name)), set()) - {by_name.identifier}
    }
    assert taken == set()


@pytest.mark.parametrize(
    ("text", "country", "identifier", "hint"),
    [
        (
            "supermaxi",
            None,
            "1790016919001",
            "«CORPORACION FAVORITA C.A.» se conoce como «Supermaxi» según CuencaHighLife: Renovated El Vergel "
            "Supermaxi is country’s “biggest and best” (2020-09-21): https://cuencahighlife.com/renovated-el-vergel-supermaxi-is-"
            "countrys-biggest-and-best-two-more-stores-are-on-the-way/",
        ),
        (
            "olive garden",
            "US",
            "940944",
            "«DARDEN RESTAURANTS INC» se conoce como «Olive Garden» según Chowhound: restaurant chains owned by Darden "
            "Restaurants (2025-03-18): https://www.chowhound.com/1810240/darden-restaurants-chains-owned/",
        ),
    ],
)
def test_a_search_by_one_names_the_document(
    directory: Directory, text: str, country: str | None, identifier: str, hint: str
) -> None:
    first, *_ = (findings := run(directory.find(text, country=country, limit=8))).results
    assert (decode_record(first.match.company.record).identifier, first.matched_on) == (identifier, "byName")
    assert first.confidence >= 0.85
    assert hint in [remark.es for remark in findings.hints]


@pytest.mark.parametrize(
    ("text", "country", "identifier"),
    [
        ("PETR4", None, "33000167000101"),
        ("vale3", "BR", "33592510000154"),
        ("Vitarella", None, "07206816000115"),
        ("doritos", "US", "77476"),
        ("tj maxx", "US", "109198"),
        ("MBRF3", None, "03853896000140"),
        ("havaianas", "BR", "61079117000105"),
        ("zenú", "CO", "890304130"),
        ("electrolit", "MX", "LPI830527KJ2"),
        ("sukasa", "EC", "1790746119001"),
    ],
)
def test_a_symbol_or_brand_is_sure(directory: Directory, text: str, country: str | None, identifier: str) -> None:
    first, *_ = run(directory.find(text, country=country, limit=8)).results
    assert (decode_record(first.match.company.record).identifier, first.matched_on) == (identifier, "byName")
    assert first.confidence >= 0.85


@pytest.mark.parametrize("text", ["durafloor", "DTEX3", "satipel industrial"])
def test_a_name_that_passed_to_another_company_is_no_longer_that_of_the_first(directory: Directory, text: str) -> None:
    """The lists of securities give Duratex what is of the company that is called Dexco today."""
    results = run(directory.find(text, country="BR", limit=8)).results
    holders = [decode_record(ranked.match.company.record) for ranked in results if ranked.matched_on == "byName"]
    assert [(holder.identifier, holder.legal_name) for holder in holders] == [("97837181000147", "DEXCO S.A.")]


@pytest.mark.parametrize("country", [None, "BR"])
@pytest.mark.parametrize(("text", "until"), [("DTEX3", "2021-08-18"), ("satipel industrial", "2009")])
def test_a_name_that_ended_is_found_and_never_sure(
    directory: Directory, text: str, until: str, country: str | None
) -> None:
    first, *_ = (findings := run(directory.find(text, country=country, limit=8))).results
    assert (decode_record(first.match.company.record).identifier, first.matched_on) == ("97837181000147", "byName")
    assert first.confidence < 0.85
    assert any(f"hasta {until} según " in hint.es and f"until {until} " in hint.en for hint in findings.hints)


DOUBTFUL = [(country, by_name) for country, by_name in LINES if by_name.doubtful]


@pytest.mark.parametrize("by_name", DOUBTFUL[::20], ids=lambda line: line[1].name)
def test_a_name_that_ended_or_that_an_undated_list_alone_states_is_never_sure(
    directory: Directory, by_name: tuple[Country, ByName]
) -> None:
    country, line = by_name
    confidences = [
        ranked.confidence
        for ranked in run(directory.find(line.name, country=country.code, limit=8)).results
        if decode_record(ranked.match.company.record).identifier == line.identifier and ranked.matched_on == "byName"
    ]
    assert confidences
    assert max(confidences) < 0.85


@pytest.mark.parametrize(("text", "country"), [("claro", None), ("carnival cruise line", "US"), ("kfc", None)])
def test_one_that_several_companies_have_makes_none_sure(directory: Directory, text: str, country: str | None) -> None:
    first, second, *_ = run(directory.find(text, country=country, limit=8)).results
    assert [first.matched_on, second.matched_on] == ["byName", "byName"]
    assert first.confidence < 0.85


def test_a_build_adds_them_unless_a_register_states_the_name(
    country: Callable[[Source], Country], official: Callable[..., Path], tmp_path: Path
) -> None:
    header = "RUC,NOMBRE,NOMBRE COMERCIAL,NOMBRE ANTERIOR,SITUACIÓN,FECHA,LEI,TELÉFONO\n"
    files = official(a__csv=f"{header}1790016919001,CORPORACIÓN FAVORITA C.A.,Supermaxi,,ACTIVA,,,\n".encode())
    defined = country(source())
    (defined.folder / "by_names.csv").write_text(
        "identifier,name,kind,title,address,read,until\n"
        "1790016919001,Megamaxi,brand,Document,https://example.org/a,2026-11-22,\n"
        "1790016919001,SÚPERMAXI,brand,Document,https://example.org/a,2026-11-22,2020\n"
        "1790016919001,Mercantil,brand,Document,https://example.org/a,2026-11-22,2020\n"
        "1790016919001,Akí,brand,List,https://github.com/JerBouma/FinanceDatabase/blob/a/b.csv,2026-11-22,\n"
        "1790010937001,Pichincha,brand,Document,https://example.org/a,2026-11-22,\n",
        encoding="utf-8",
    )
    data = tmp_path / "var"
    with snapshot.building(data) as work:
        release = build(data, work, {"EC": defined}, [files])
        snapshot.publish(data, work, release.id)
    [company] = snapshot.companies(data, release)
    assert company.names == (
        Name("trade", "Supermaxi", None, None),
        Name("byName", "Megamaxi", None, None),
        Name("doubtfulByName", "Akí", None, None),
        Name("doubtfulByName", "Mercantil", None, None),
    )
