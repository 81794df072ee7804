"""Names inside texts: which spans are names, what speaks for them, and that the work is linear in the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_engine import MEMORY
from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import release_index
from padron.index.document import decode_company, decode_record
from padron.index.engine import Hit, Query, Scope
from padron.index.release_index import ReleaseIndex
from padron.index.spans import NameSpan, SpanFinder

FORMS = reduce(or_, (country.forms for country in REGISTRY.values()))
LONGEST = 1_000


@pytest.fixture(scope="module")
def names(opened: ReleaseIndex) -> SpanFinder:
    return SpanFinder(opened, FORMS)


def spans(names: SpanFinder, text: str, **scope: str) -> list[tuple[str, list[str]]]:
    """Each span as written, and the legal names of its companies."""
    return [(text[span.start : span.end], list(map(legal_name, span.hits))) for span in of(names, text, **scope)]


def of(names: SpanFinder, text: str, **scope: str) -> list[NameSpan]:
    return run(names.find(text, Scope(**scope)))


def legal_name(hit: Hit) -> str:
    return decode_record(decode_company(hit.stored).record).legal_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is Ecopetrol a registered company in Colombia?", [("Ecopetrol", ["ECOPETROL S.A."])]),
        ("who owns corporacion favorita c.a., Quito", [("corporacion favorita", ["CORPORACION FAVORITA C.A."])]),
        ("el hotel Los Alpes Inmobiliaria", [("Los Alpes Inmobiliaria"[4:], ["INMOBILIARIA LOS ALPES S.A."])]),
        (
            "Inmobiliaria Los Alpes II, YPF",
            [("Inmobiliaria Los Alpes II", ["INMOBILIARIA LOS ALPES II S.A."]), ("YPF", ["YPF SOCIEDAD ANONIMA"])],
        ),
        ("contrato con coca cola y el Banco do Brasil", [("coca cola", ["COCA COLA CO"]),
                                                         ("Banco do Brasil", ["BANCO DO BRASIL S.A."])]),
        ("Supermercados La Favorita (antes)", [("Supermercados La Favorita", ["CORPORACION FAVORITA C.A."])]),
        ("nothing of this is a name", []),
        ("", []),
    ],
)  # fmt: skip
def test_the_longest_names_inside_a_text(names: SpanFinder, text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert sorted(spans(names, text)) == sorted(expected)


def test_all_companies_of_a_name_are_held(names: SpanFinder) -> None:
    ((name, companies),) = spans(names, "un cuarto del Hotel Plaza por favor")
    assert (name, set(companies)) == ("Hotel Plaza", {"HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."})
    assert spans(names, "un cuarto del Hotel Plaza", country="CO") == [("Hotel Plaza", ["HOTEL PLAZA S.A.S."])]


def test_no_name_goes_across_a_line_or_a_semicolon(names: SpanFinder) -> None:
    assert spans(names, "Corporación, Favorita") == [("Corporación, Favorita", ["CORPORACION FAVORITA C.A."])]
    for mark in ("\n", ";", " | ", "?", "\t"):
        assert spans(names, f"Corporación{mark}Favorita") == []


@pytest.mark.parametrize(
    ("text", "form", "capital", "separated"),
    [
        ("tell me of Ecopetrol S.A. today", True, True, False),
        ("tell me of ecopetrol today", False, False, False),
        ("tell me of ecopetrol sociedad anonima", True, False, False),
        ("suppliers: Ecopetrol S.A.; others", True, True, True),
        ("suppliers, ecopetrol, others", False, False, True),
        ("line one\necopetrol\nline three", False, False, True),
        ("ECOPETROL S.A.", True, False, True),
        ("Ecopetrol today", False, False, False),
    ],
)
def test_what_speaks_for_a_span(names: SpanFinder, text: str, form: bool, capital: bool, separated: bool) -> None:
    (span,) = of(names, text)
    assert (span.form, span.capital, span.separated) == (form, capital, separated)
    assert text[span.end : span.behind].strip(" .") in ({"", "S.A", "sociedad anonima"} if form else {""})


def test_rare_words_weigh_more_than_common_ones(names: SpanFinder) -> None:
    (favorita,) = of(names, "corporacion favorita")
    assert 1.0 < favorita.rarity <= 2.0
    (plaza,) = of(names, "hotel plaza")
    assert plaza.rarity <= 2.0


def test_a_symbol_is_no_name(names: SpanFinder) -> None:
    assert spans(names, "que es d1") == [("d1", ["D1 S.A.S."])]
    assert spans(names, "que es AAPL") == []


def test_over_an_engine_in_memory(companies: tuple[Company, ...], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("spans") / "index"
    release_index.build(companies, folder, REGISTRY, MEMORY)
    names = SpanFinder(run(release_index.open_index(folder, MEMORY)), FORMS)
    text = "contrato con Petróleo Brasileiro S.A. - Petrobras (AAPL) y Hotel Plaza"
    assert {name for name, _ in spans(names, text)} == {"Petróleo Brasileiro", "Hotel Plaza"}


class CountingEngine:
    """An engine that counts the queries that it is sent."""

    def __init__(self, index: ReleaseIndex) -> None:
        self._engine = index.engine
        self.batches = self.queries = 0

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        self.batches += 1
        self.queries += len(queries)
        return await self._engine.look_up(queries, scope, limit, enough)


WORDS = st.sampled_from(
    "hotel plaza apple los alpes ii inmobiliaria de y corporacion favorita s.a. , ; ? \n x".split(" ")
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=120).map(" ".join))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_work_is_linear_in_the_text(opened: ReleaseIndex, text: str) -> None:
    counting = CountingEngine(opened)
    matches = run(SpanFinder(opened._replace(engine=counting), FORMS).find(text))  # type: ignore[arg-type]
    assert counting.batches <= 1
    assert counting.queries <= 10 * (len(text.split()) + text.count(",") + text.count(";") + len(text) // 2)
    keys = [hit.key for span in matches for hit in span.hits]
    assert len(keys) == len(set(keys)), "each company is in one span"
    places = sorted((span.start, span.behind) for span in matches)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert all(text[span.start : span.end].strip() for span in matches)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("favorita " * 112, 10),
        (" ".join(f"word{number}" for number in range(140)), 0),
        ("hotel plaza apple los alpes inmobiliaria corporacion favorita banco brasil " * 13, 110),
    ],
)
def test_hostile_texts_cost_few_queries(opened: ReleaseIndex, text: str, most: int) -> None:
    counting = CountingEngine(opened)
    run(SpanFinder(opened._replace(engine=counting), FORMS).find(text[:LONGEST]))  # type: ignore[arg-type]
    assert counting.queries <= most
