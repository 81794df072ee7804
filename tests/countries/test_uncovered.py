"""Companies that the sources lack: lines of `uncovered.csv`, official counts, the coverage answer and the hints."""

from __future__ import annotations

from datetime import date
from urllib.parse import urlsplit

import pytest

from padron.countries import REGISTRY
from padron.countries.country import Country, UncoveredKind
from padron.directory import Directory, run
from padron.questions.results import Question
from padron.text import fold
from padron.words import LANGUAGES, Language

LINES = [(country, kind) for country in REGISTRY.values() for kind in country.uncovered]
BANKS_ES = (
    "En las fuentes de Ecuador faltan bancos: consulte Superintendencia de Bancos, https://www.superbancos.gob.ec/"
)
BANKS_EN = (
    "The sources of Ecuador lack banks: look them up at Superintendencia de Bancos, https://www.superbancos.gob.ec/"
)


def is_public(address: str) -> bool:
    """Check that an address is one of the web, which pages may link to."""
    parts = urlsplit(address)
    return parts.scheme == "https" and "." in parts.netloc


def faults(country: Country, kind: UncoveredKind) -> list[str]:
    """Faults of a line that its text shows."""
    checks = {
        "kind": all(text.strip() for text in kind.kind),
        "register": bool(kind.register.strip()) and is_public(kind.register_url),
        "document": bool(kind.title.strip()) and is_public(kind.address),
        "words": all(word == fold(word) != "" for word in (*kind.words, *kind.names)),
        "read": date(2026, 1, 1) <= kind.read <= date(2100, 1, 1),
    }
    return [f"{country.code} {kind.kind.en}: {part}" for part, right in checks.items() if not right]


def hints(directory: Directory, text: str, country: str | None, language: Language) -> list[str]:
    """Return the hints of a search."""
    return [hint.of(language) for hint in run(directory.find(text, country=country, limit=8)).hints]


def test_kinds_that_the_sources_lack_name_their_documents() -> None:
    assert LINES
    assert [fault for line in LINES for fault in faults(*line)] == []


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"address": "/srv/private/list.csv"}, "document"),
        ({"title": " "}, "document"),
        ({"register_url": "http://example.org"}, "register"),
        ({"words": ("Banco",)}, "words"),
        ({"names": ("h-e-b",)}, "words"),
    ],
)
def test_a_line_without_its_document_is_a_fault(change: dict[str, object], part: str) -> None:
    country, kind = LINES[0]
    assert faults(country, kind._replace(**change))[0].endswith(f": {part}")  # type: ignore[arg-type]


def test_every_official_count_names_its_document() -> None:
    for country in REGISTRY.values():
        stated = country.official_count
        if stated is None:  # it is optional
            continue
        assert stated.companies > 0
        assert all(text.strip() for text in stated.counted)
        assert date(2020, 1, 1) <= stated.day <= stated.read
        assert stated.title.strip()
        assert is_public(stated.address)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_coverage_answer_states_how_many_exist_and_what_the_sources_lack(
    directory: Directory, language: Language
) -> None:
    parts = {part.country_code: part for part in directory.public_coverage(language).countries}
    existing = parts["MX"].existing
    assert existing
    assert (existing.count, existing.date, existing.counted) == (
        2_154_918,
        date(2020, 9, 30),
        {"es": "personas morales activas en el RFC", "en": "legal entities active in the RFC"}[language],
    )
    banks = parts["EC"].not_covered[0]
    assert (banks.kind, banks.register) == (
        {"es": "bancos", "en": "banks"}[language],
        "Superintendencia de Bancos",
    )


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Banco Pichincha", None),
        ("BANCO PICHINCHA C.A.", "EC"),
        ("Produbanco", None),
        ("banco del sur", "EC"),
        ("banco del sur Ecuador", None),
    ],
)
def test_a_search_that_finds_nothing_sure_says_where_to_look(
    directory: Directory, text: str, country: str | None
) -> None:
    assert BANKS_ES in hints(directory, text, country, "es")
    assert BANKS_EN in hints(directory, text, country, "en")


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("banco del sur", None),  # of which country is not known
        ("banco del sur", "MX"),  # no word of a kind that the sources of Mexico lack
        ("pichincha", "EC"),
        ("Corporación Favorita", "EC"),  # found surely
        ("cnt construcciones", "EC"),  # a name of one word among others
    ],
)
def test_no_hint_without_a_reason(directory: Directory, text: str, country: str | None) -> None:
    assert not [hint for hint in hints(directory, text, country, "es") if hint.startswith("En las fuentes de")]


def test_a_company_that_is_found_surely_is_not_called_missing(directory: Directory) -> None:
    [first, *_] = run(directory.find("PEMEX S.A.", country=None, limit=8)).results
    assert first.confidence >= 0.85
    assert "En las fuentes de México faltan" not in " ".join(hints(directory, "PEMEX S.A.", None, "es"))
    assert "En las fuentes de México faltan empresas públicas del Estado" in " ".join(
        hints(directory, "PEMEX", "MX", "es")
    )


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("¿Está registrado el Banco Pichincha en Ecuador?", BANKS_ES),
        ("is Banco Pichincha a registered company in Ecuador?", BANKS_EN),
        ("What is the RUC of Produbanco?", BANKS_EN),
        (
            "existe PEMEX en México?",
            "En las fuentes de México faltan empresas públicas del Estado: consulte Diario Oficial de la Federación, "
            "https://www.dof.gob.mx/",
        ),
    ],
)
def test_a_question_that_finds_nothing_sure_says_where_to_look(directory: Directory, question: str, hint: str) -> None:
    answer = run(directory.ask(Question(question), "es"))
    assert hint in [text.of(language) for text in answer.hints for language in LANGUAGES]
