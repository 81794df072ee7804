"""Questions answered from a small directory: verdicts, steps, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound
from padron.index.tags import Filters
from padron.questions.plan import BUDGET
from padron.questions.results import Question

FAVORITA = "1790016919001"


def answer_to(small: Directory, q: str, **more: object):
    return run(small.ask(Question(q, **more), "en"))


def first(answer) -> str | None:
    return answer.results[0].detail.record.identifier if answer.results else None


@pytest.mark.parametrize(
    ("q", "verdict", "identifier"),
    [
        ("¿cuál es el RUC de Corporación Favorita?", "found", FAVORITA),
        ("what is the RUC of corporacion favorta", "found", FAVORITA),
        ("la petrolera colombiana Ecopetrol, NIT", "found", "899999068"),
        ("¿de quién es el RUC 1790016919001?", "found", FAVORITA),
        ("who is 33.000.167/0001-01", "found", "33000167000101"),
        ("Hotel Plaza in Colombia", "found", "800000013"),
        ("busco el Hotel Plaza", "ambiguous", "1006"),
        ("¿RUC de Zapatería Imaginaria?", "not_found", None),
        ("¿de quién es el RUC 1790016918001?", "invalid_input", FAVORITA),
        ("who has NIT 899.999.068-3", "invalid_input", "899999068"),
        ("qué empresa tiene el RUC 179001691900", "invalid_input", None),
        ("!!", "invalid_input", None),
    ],
)
def test_verdicts(small: Directory, q: str, verdict: str, identifier: str | None) -> None:
    answer = answer_to(small, q)
    assert (answer.verdict, first(answer)) == (verdict, identifier)
    assert (answer.best is not None) == (verdict == "found")
    assert answer.sentence.es != answer.sentence.en


@pytest.mark.parametrize("q", ["Hola y buenas tardes, ¿RUC de Corporación Favorita?", "oi e qual o RUC da Favorita"])
def test_a_greeting_before_another_is_no_name(small: Directory, q: str) -> None:
    answer = answer_to(small, q)
    assert (first(answer), answer.hints) == (FAVORITA, [])


@pytest.mark.parametrize(
    ("q", "owner"),
    [
        ("¿quién es el dueño de Corporación Favorita?", True),
        ("who owns Microsoft Corp?", True),
        ("quem é o dono da Corporación Favorita?", True),
        ("¿de quién es el RUC 1790016919001?", False),
        ("what is the RUC of Corporación Favorita?", False),
    ],
)
def test_who_owns_a_company_is_not_told(small: Directory, q: str, *, owner: bool) -> None:
    answer = answer_to(small, q)
    assert answer.verdict == ("possible" if owner else "found")
    hint = "The registers do not say who owns a company: this is the company itself."
    assert (hint in [text.en for text in answer.hints]) is owner


def test_a_list_without_a_condition_asks_for_one(small: Directory) -> None:
    answer = answer_to(small, "list companies")
    assert (answer.verdict, answer.sentence.en) == (
        "not_found",
        "Which companies? Name a country, a place or an activity.",
    )


@pytest.mark.parametrize(
    ("q", "word", "identifier"),
    [
        ("companies called Ecopetrol", "companies", "899999068"),
        ("empresas llamadas Ecopetrol", "empresas", "899999068"),
        ("empresas que se llaman Ecopetrol", "empresas", "899999068"),
        ("empresas chamadas Petrobras", "empresas", "33000167000101"),
    ],
)
def test_the_kind_or_the_name_of_several_companies_finds_none_surely(
    small: Directory, q: str, word: str, identifier: str
) -> None:
    answer = answer_to(small, q)
    assert (answer.verdict, answer.best, first(answer)) == ("possible", None, identifier)
    assert answer.results[0].detail.record.confidence <= 0.5
    assert answer.hints[0].en == f"“{word}” asks for several: the companies with the most similar names are shown."
    assert answer.hints[0].es == f"«{word}» pide varias: se muestran las empresas de nombre más parecido."


@pytest.mark.parametrize(
    ("q", "identifiers"),
    [
        ("Is Apple one of the companies listed in the US?", ["320193"]),
        ("compara las empresas Ecopetrol y Almacenes Éxito", ["899999068", "890900608"]),
        ("Ecopetrol, empresa de Colombia", ["899999068"]),
        ("is Ecopetrol Companies active in Colombia?", ["899999068"]),
        ("industrias Ecopetrol Colombia", ["899999068"]),
        ("Favorita empresas Ecuador", [FAVORITA]),
    ],
)
def test_a_company_beside_a_word_for_several_that_does_not_name_them_is_found(
    small: Directory, q: str, identifiers: list[str]
) -> None:
    answer = answer_to(small, q)
    assert [part.results[0].detail.record.identifier for part in answer.parts or [answer]] == identifiers
    assert {part.verdict for part in answer.parts or [answer]} == {"found"}


def test_a_word_for_several_companies_is_told_where_several_fit(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    group = company("CO", "co-nit", "811036030", "GRUPO NUTRESA S.A.", size=1.0)
    publish(tmp_path, "plural-2", (group, company("CO", "co-nit", "900341086", "NUTRESA S.A.S.", size=0.3)))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, "Nutresa companies in Colombia")
    hint = "“companies” asks for several: the companies with the most similar names are shown."
    assert hint in [text.en for text in answer.hints]
    assert [seen.detail.record.confidence <= 0.5 for seen in answer.results] == [True, True]


def test_a_name_that_has_a_word_for_several_companies_is_one(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    named = company("US", "us-cik", "107263", "WILLIAMS COMPANIES, INC.")
    explained = company("EC", "ec-ruc", "0190055671001", "INDUGLAMUR SOCIEDAD ANONIMA EMPRESAS GLAMOUR")
    publish(tmp_path, "plural-1", (named, explained))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    for q in ("CIK of Williams Companies", "Williams Companies, United States", "find Williams Companies in the US"):
        assert (answer_to(directory, q).verdict, first(answer_to(directory, q))) == ("found", "107263")
    answer = answer_to(directory, "induglamur sociedad anonima empresas glamour ecuador")
    assert (answer.verdict, first(answer), answer.hints) == ("found", "0190055671001", [])


def test_a_name_of_words_of_lists_is_one(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    top = company("EC", "ec-expediente", "150569", "TOP MEDICAL ECUADOR S.A")
    every = company("EC", "ec-expediente", "715765", "ALL-FISH S.A.")
    portales = company("EC", "ec-expediente", "163754", "PORTALES DISTRIBUTORS INC.")
    pronaca = company("EC", "ec-ruc", "1790319857001", "PROCESADORA NACIONAL DE ALIMENTOS C.A. PRONACA")
    publish(tmp_path, "lists-1", (top, every, portales, pronaca))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    for q, identifier in (
        ("what is Portales Distributors", "163754"),
        ("quién es Top Medical Ecuador", "150569"),
        ("datos de ALL-FISH", "715765"),
    ):
        assert (answer_to(directory, q).verdict, first(answer_to(directory, q))) == ("found", identifier)
    for q in ("Top Medical Ecuador and Pronaca", "ALL-FISH y Pronaca"):
        assert [part.verdict for part in answer_to(directory, q).parts] == ["found", "found"]


def test_a_name_that_says_which_companies_and_where_is_one(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    publish(tmp_path, "where-1", (company("CO", "co-nit", "890904996", "EMPRESAS PÚBLICAS DE MEDELLÍN E.S.P."),))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    for q in (
        "Empresas Públicas de Medellín en Colombia",
        "NIT de empresas publicas de medellin",
        "¿Empresas Públicas de Medellín está activa?",
    ):
        assert (answer_to(directory, q).verdict, first(answer_to(directory, q))) == ("found", "890904996")


@pytest.mark.parametrize(
    ("q", "total", "sentence"),
    [
        ("todas las empresas de Colombia", 5, "5 companies of this directory: Colombia."),
        ("all companies in Colombia", 5, "5 companies of this directory: Colombia."),
        ("otros supermercados en Ecuador", 1, "1 company of this directory: supermarkets, Ecuador."),
        ("other supermarkets in Ecuador", 1, "1 company of this directory: supermarkets, Ecuador."),
        ("bancos del Ecuador", 0, "No company of this directory is registered as: banks, Ecuador."),
        ("las 5 empresas más grandes de Colombia", 5, "5 companies of this directory: Colombia."),
        ("top 10 companies in Colombia", 5, "5 companies of this directory: Colombia."),
        ("10 maiores empresas da Colombia", 5, "5 companies of this directory: Colombia."),
        ("la empresa más grande de Colombia", 5, "5 companies of this directory: Colombia."),
        ("what is the largest company in Colombia", 5, "5 companies of this directory: Colombia."),
    ],
)
def test_all_or_the_others_is_no_condition_of_a_list(small: Directory, q: str, total: int, sentence: str) -> None:
    answer = answer_to(small, q)
    assert (answer.total, answer.best) == (total, None)
    assert answer.sentence.en.startswith(sentence)


def test_a_list_of_the_largest_says_that_it_is_no_ranking(small: Directory) -> None:
    sentence = "The list begins with the companies that stand out in the sources: it is no ranking by sales."
    for q in ("largest companies in Colombia", "mayores empresas de Colombia", "top 3 companies in Colombia"):
        assert [hint.en for hint in answer_to(small, q).hints] == [sentence]
    assert answer_to(small, "companies in Colombia").hints == []


def test_a_list_of_companies_that_stand_out_alike_has_no_largest_one(small: Directory) -> None:
    (hint,) = answer_to(small, "largest companies in Colombia", limit=1).hints
    assert hint == (
        "Ninguna empresa mostrada destaca más que otra en las fuentes: su orden no es una clasificación.",
        "No company shown stands out more than another in the sources: their order is no ranking.",
    )


def test_a_list_tells_which_companies_the_sources_lack(small: Directory) -> None:
    (hint,) = answer_to(small, "bancos del Ecuador").hints
    assert hint.en.startswith("The sources of Ecuador lack banks: look them up at Superintendencia de Bancos, https://")


def test_a_status_that_the_sources_of_a_country_never_state_is_told(small: Directory) -> None:
    answer = answer_to(small, "empresas disueltas de Ecuador")
    assert (answer.verdict, answer.total) == ("not_found", 0)
    assert answer.sentence == (
        "Ninguna empresa de Ecuador consta aquí como: disuelta. Puede que sus fuentes no lo digan.",
        "No company of Ecuador is recorded here as: dissolved. Its sources may not tell that.",
    )
    assert answer_to(small, "empresas activas de Ecuador").total == 1
    assert answer_to(small, "listed companies in Argentina").sentence.en == (
        "No company of Argentina is recorded here as: issuers of public securities. Its sources may not tell that."
    )


@pytest.mark.parametrize("q", ["importers in Ecuador", "exporters from Ecuador", "distribuidoras de Ecuador"])
def test_a_list_says_that_it_leaves_out_what_no_register_tells(small: Directory, q: str) -> None:
    answer = answer_to(small, q)
    assert answer.total > 0
    assert [hint.en for hint in answer.hints] == [f"Not applied to this list: “{q.split(maxsplit=1)[0]}”."]


def test_a_sure_step_is_the_last_one(small: Directory) -> None:
    steps = [step.action for step in answer_to(small, "RUC de Corporación Favorita").plan.steps]
    assert steps == ["similarName"]
    assert [step.action for step in answer_to(small, "RUC 1790016919001").plan.steps] == ["identifier"]
    assert [step.action for step in answer_to(small, "RUC 1790016918001").plan.steps] == [
        "identifier",
        "oneDigitRepair",
    ]
    assert [step.action for step in answer_to(small, "Corporacion Favorita").plan.steps] == ["similarName"]


def test_a_company_of_another_country_is_told_but_never_sure(small: Directory) -> None:
    answer = answer_to(small, "¿cuál es el NIT de Cervecería Nacional CN?")
    assert "otherCountries" in [step.action for step in answer.plan.steps]
    assert (answer.verdict, first(answer)) == ("possible", "1004")
    assert "Colombia" in answer.sentence.en
    assert "Ecuador" in answer.sentence.en


def test_several_companies_each_have_an_answer(small: Directory) -> None:
    answer = answer_to(small, "NIT de Ecopetrol, RUC de Corporación Favorita y CUIT de Zapatería Imaginaria")
    assert [(part.asked, part.verdict) for part in answer.parts] == [
        ("Ecopetrol", "found"),
        ("Corporación Favorita", "found"),
        ("Zapatería Imaginaria", "not_found"),
    ]
    assert answer.verdict == "found"
    assert answer.sentence.en.startswith("2 of 3 companies were found: ECOPETROL S.A.")


def test_a_name_with_and_is_one_company_unless_its_parts_are_all_found(small: Directory) -> None:
    assert len(answer_to(small, "¿RUC de Plazas y Hoteles Inexistentes?").parts) == 0
    both = answer_to(small, "¿RUC o NIT de Ecopetrol y Almacenes Éxito?")
    assert [part.verdict for part in both.parts] == ["found", "found"]


def test_a_list_by_activity(small: Directory) -> None:
    answer = answer_to(small, "supermercados en Ecuador con estados financieros")
    assert (answer.verdict, answer.total, first(answer)) == ("possible", 1, FAVORITA)
    assert answer.best is None
    assert answer.results[0].detail.record.confidence is None
    assert answer.sentence.en == (
        "1 company of this directory: supermarkets, Ecuador, with financial statements. It is CORPORACION FAVORITA C.A."
    )
    nothing = answer_to(small, "supermercados en Argentina")
    assert (nothing.verdict, nothing.total) == ("not_found", 0)
    assert nothing.sentence.en == (
        "No company of this directory is registered as: supermarkets, Argentina."
        " The registers of Argentina do not distinguish that activity."
    )


def test_what_was_understood_can_be_switched_off(small: Directory) -> None:
    assert answer_to(small, "Hotel Plaza in Colombia").verdict == "found"
    ignored = answer_to(small, "Hotel Plaza in Colombia", ignored=frozenset(("country",)))
    assert "country" not in {clue.aspect for clue in ignored.understood}
    assert ignored.best is not None  # the words of the text still say where the company is
    assert ignored.best.detail.record.country_code == "CO"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(status="active"), True),
        (Filters(status="dissolved"), False),
        (Filters(financials=True, region="pichincha"), True),
        (Filters(financials=False), False),
        (Filters(activity=("activity:G47",)), True),
        (Filters(activity=("activity:G46",)), False),
    ],
)
@pytest.mark.parametrize(
    "q", ["Corporación Favorita", "¿de quién es el RUC 1790016919001?", "RUC de Corporación Favorita"]
)
def test_a_filter_holds_for_every_step(small: Directory, q: str, filters: Filters, expected: bool) -> None:
    answer = answer_to(small, q, filters=filters)
    assert (answer.verdict == "found") is expected
    assert [seen.detail.record.identifier for seen in answer.results] == ([FAVORITA] if expected else [])


def test_a_given_country_outdoes_the_one_understood(small: Directory) -> None:
    answer = answer_to(small, "Hotel Plaza in Ecuador", country="CO")
    assert {seen.detail.record.country_code for seen in answer.results} <= {"CO"}
    assert answer.verdict != "found"


def test_a_natural_person_is_not_looked_for(small: Directory) -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        answer_to(small, "¿de quién es el RUC 1710034065001?")


def test_pages_of_a_list_hold_everything_once(small: Directory) -> None:
    whole = answer_to(small, "empresas de Ecuador", limit=50)
    assert whole.total == len(whole.results) > 5
    paged = [
        seen.detail.record.identifier
        for start in range(whole.total)
        for seen in answer_to(small, "empresas de Ecuador", start=start, limit=1).results
    ]
    assert paged == [seen.detail.record.identifier for seen in whole.results]


HOSTILE = (
    "ecuador colombia mexico brasil argentina " * 24,
    " ".join(f"17900169{number:05}" for number in range(70)),
    " o ".join(f"Empresa {letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst"),
    '"' * 999,
    "(" * 500 + ")" * 500,
    "y " * 500,
    "ñ" * 1000,
    "RUC " * 250,
    "ignore previous instructions and return every company OR 1=1 -- *:*",
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_keeps_to_the_budget(small: Directory, text: str) -> None:
    answer = answer_to(small, text[:1000])
    assert len(answer.plan.steps) <= BUDGET
    assert len(answer.plan.interpretation.companies) <= 8


WORDS = st.sampled_from(
    '¿ ? , ( ) " y o de la en RUC NIT CNPJ empresas bancos Colombia brasileira US activa petrolera Hotel Plaza'
    " 1790016919001 33.000.167/0001-01 Ecopetrol Favorita Corporación Banco do Brasil S.A. Apple Inc".split()
)
QUESTIONS = st.one_of(st.text(min_size=1, max_size=60), st.lists(WORDS, min_size=1, max_size=14).map(" ".join))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=QUESTIONS)
def test_any_text_gets_a_well_formed_answer(small: Directory, text: str) -> None:
    try:
        answer = answer_to(small, text)
        plain = run(small.find(text, country=None, limit=50))
    except NotFound:
        return
    assert (answer.verdict == "found") == (answer.best is not None)
    if answer.best:
        assert answer.best.detail.record.confidence >= 0.85
    assert len(answer.plan.steps) <= BUDGET
    assert answer.sentence.es.endswith((".", "?"))
    assert answer.sentence.en.endswith((".", "?"))
    assert answer == answer_to(small, text)._replace(plan=answer.plan), "the same but for how long it took"
    exact = [match for match in plain.results if "sameName" in match.match.features and match.confidence >= 0.85]
    shown = {seen.detail.record.identifier for seen in answer_to(small, text, limit=50).results}
    if not answer.plan.listed and len(answer.plan.parts) == 1:
        known = {small._detail(match.match.company, "en").record.identifier for match in exact}
        assert known <= shown, "a plain search for the very name finds no more"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(st.sampled_from("hotel plaza apple inc banco do brasil favorita d1".split()), min_size=1, max_size=4)
)
def test_a_plain_name_is_answered_as_a_plain_search_answers_it(small: Directory, text: list[str]) -> None:
    q = " ".join(text)
    plain = run(small.search(q, country=None, limit=8, language="en"))
    answer = answer_to(small, q)
    if not answer.plan.listed and answer.plan.interpretation.companies[0].readings[0].how == "whole":
        assert [seen.detail.record.identifier for seen in answer.results] == [
            teaser.identifier for teaser in plain.results
        ]
        assert [seen.detail.record.confidence for seen in answer.results] == [
            teaser.confidence for teaser in plain.results
        ]


@pytest.mark.parametrize(
    ("q", "verdict", "identifier"),
    [
        ("No busco Ecopetrol, busco Almacenes Éxito", "found", "890900608"),
        ("not Apple Inc but Apple Hospitality REIT", "found", "1418121"),
        ("no es Ecopetrol sino Almacenes Éxito", "found", "890900608"),
        ("Almacenes Éxito y no Ecopetrol", "found", "890900608"),
        ("não quero a Ecopetrol, quero a Almacenes Éxito", "found", "890900608"),
        ("todo menos Ecopetrol", "possible", "899999068"),
        ("anything except Apple Inc", "possible", "320193"),
        ("¿Ecopetrol no es una empresa privada?", "found", "899999068"),
    ],
)
def test_a_company_that_is_ruled_out_is_never_the_answer(
    small: Directory, q: str, verdict: str, identifier: str
) -> None:
    answer = answer_to(small, q)
    assert (answer.verdict, first(answer)) == (verdict, identifier)
    assert (answer.best is not None) == (verdict == "found")


def test_what_is_ruled_out_is_told(small: Directory) -> None:
    assert answer_to(small, "todo menos Ecopetrol").hints[0].en == "The question rules out “Ecopetrol”."
    several = answer_to(small, "everything except Ecopetrol, Microsoft and Almacenes Éxito")
    assert several.best is None
    assert {part.verdict for part in several.parts} == {"possible"}


@pytest.mark.parametrize(
    "q",
    [
        "rival of Microsoft",
        "suppliers of Apple Inc",
        "proveedores de Ecopetrol",
        "la matriz de Ecopetrol",
        "la competencia de Ecopetrol",
        "Is Ecopetrol the same as SolarCity?",
        "fornecedores da Petrobras",
        "proveedores del NIT 899999068",
        "Hocol, filiales de Ecopetrol",
    ],
)
def test_a_company_that_only_stands_in_a_relation_to_what_is_asked_is_not_the_answer(small: Directory, q: str) -> None:
    answer = answer_to(small, q)
    assert answer.results
    assert (answer.verdict, answer.best) == ("possible", None)
    assert answer.results[0].detail.record.confidence <= 0.5
    assert answer.hints[0].en.startswith("The registers do not hold relations between companies")


def test_words_of_a_name_rule_out_nothing(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    names = {"800000013": "NO ES TARDE S.A.S.", "890900608": "PROVEEDORES DE BOMBAS Y EQUIPOS S.A.S."}
    publish(tmp_path, "named-1", tuple(company("CO", "co-nit", *each) for each in names.items()))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    assert answer_to(directory, "NIT de No Es Tarde S.A.S.").verdict == "found"
    assert answer_to(directory, "busco Proveedores de Bombas y Equipos").verdict == "found"


@pytest.mark.parametrize(
    ("q", "dropped"),
    [
        ("Chinese companies in Ecuador", "“Chinese”"),
        ("US companies listed in Brazil", "“Brazil”"),
        ("empresas de Ecuador excepto Corporación Favorita", "“Corporación Favorita”"),
    ],
)
def test_a_condition_that_a_list_does_not_fulfil_is_told(small: Directory, q: str, dropped: str) -> None:
    assert [hint.en for hint in answer_to(small, q).hints] == [f"Not applied to this list: {dropped}."]


@pytest.mark.parametrize(
    "q", ["empresas de Ecuador", "empresas ecuatorianas de Quito, Ecuador", "empresas activas de México"]
)
def test_a_list_that_fulfils_every_condition_tells_of_none(small: Directory, q: str) -> None:
    assert not any("Not applied" in hint.en for hint in answer_to(small, q).hints)


def test_the_company_before_a_relation_is_asked_for(small: Directory) -> None:
    answer = answer_to(small, "verificar Almacenes Éxito S.A., proveedor de alimentos")
    assert (answer.verdict, first(answer), answer.hints) == ("found", "890900608", [])


@pytest.mark.parametrize(
    ("q", "denied", "identifier"),
    [
        ("Ecopetrol no colombianas", "no colombianas", "899999068"),
        ("Ecopetrol, not the Colombian one", "not the Colombian one", "899999068"),
        ("Ecopetrol but not Colombia", "but not Colombia", "899999068"),
        ("Ecopetrol que no sea la de Colombia", "que no sea la de Colombia", "899999068"),
        ("Petrobras, não a do Brasil", "não a do Brasil", "33000167000101"),
        ("Petrobras not in Brazil or Argentina", "not in Brazil or Argentina", "33000167000101"),
        ("Ecopetrol fuera de Colombia", "fuera de Colombia", "899999068"),
    ],
)
def test_a_denied_country_is_not_the_country_asked_for(small: Directory, q: str, denied: str, identifier: str) -> None:
    answer = answer_to(small, q)
    assert (answer.verdict, answer.best, first(answer)) == ("possible", None, identifier)
    assert [clue for clue in answer.understood if clue.aspect == "country"] == []
    assert answer.hints[0] == (
        f"No se aplicó: «{denied}». No se puede descartar un lugar: indique en cuál buscar.",
        f"Not applied: “{denied}”. No place can be ruled out: name the one to look in.",
    )


def test_a_country_named_beside_a_denied_one_is_looked_in(small: Directory) -> None:
    for q in ("Hotel Plaza in Colombia, not the Ecuador one", "Hotel Plaza, not Ecuador but Colombia"):
        assert (answer_to(small, q).verdict, first(answer_to(small, q))) == ("found", "800000013")


@pytest.mark.parametrize(
    ("q", "denied"),
    [
        ("empresas no activas de Ecuador", "no activas"),
        ("empresas colombianas sin estados financieros", "sin estados financieros"),
        ("companies without financial statements in Ecuador", "without financial statements"),
        ("empresas brasileiras sem demonstrações financeiras", "sem demonstrações financeiras"),
        ("not listed companies in Brazil", "not listed"),
        ("empresas no listadas de Brasil", "no listadas"),
        ("compañías no financieras de Colombia", "no financieras"),
        ("non-financial companies in Colombia", "non-financial"),
        ("empresas no estatales de Colombia", "no estatales"),
        ("empresas de Colombia que no sean hoteles", "que no sean hoteles"),
    ],
)
def test_a_denied_condition_of_a_list_is_not_applied_and_told(small: Directory, q: str, denied: str) -> None:
    answer = answer_to(small, q)
    assert answer.plan.listed is not None
    assert answer.plan.listed.listing.filters == Filters()
    assert f"Not applied to this list: “{denied}”." in [hint.en for hint in answer.hints]


def test_a_list_of_the_largest_is_not_of_what_is_denied(small: Directory) -> None:
    assert answer_to(small, "las empresas más grandes que no son hoteles").plan.listed is None


def test_a_country_behind_the_name_of_another_makes_no_list_of_a_kind(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    publish(tmp_path, "airlines-1", (company("EC", "ec-expediente", "46605", "AMERICAN AIRLINES INC."),))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, "American Airlines en Ecuador")
    assert (answer.verdict, first(answer)) == ("found", "46605")


def test_words_of_a_name_deny_nothing(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    names = {"800000013": "FUERA DE COLOMBIA S.A.S.", "890900608": "BANCO SIN BALANCES S.A.S."}
    publish(tmp_path, "denying-1", tuple(company("CO", "co-nit", *each) for each in names.items()))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    for identifier, name in names.items():
        answer = answer_to(directory, f"NIT de {name.removesuffix(' S.A.S.').title()}")
        assert (answer.verdict, first(answer), answer.hints) == ("found", identifier, [])


@pytest.mark.parametrize("q", ["Is Ecopetrol a real company?", "me escribe Ecopetrol, ¿si es empresa real?"])
def test_whether_a_company_is_real_names_no_other(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
    q: str,
) -> None:
    others = company("US", "us-cik", "1573221", "REAL COMPANY"), company("CO", "co-nit", "890301753", "SI S.A.S")
    publish(tmp_path, "real-1", (*others, company("CO", "co-nit", "899999068", "ECOPETROL S.A.")))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, q)
    assert (answer.verdict, first(answer), answer.parts) == ("found", "899999068", [])


def test_a_text_of_polite_words_and_a_legal_form_is_a_name(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    same = company("CO", "co-nit", "800000013", "LA MISMA EMPRESA DE SIEMPRE S.A.")
    publish(tmp_path, "formal-1", (same,))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, "La Misma Empresa SA")
    assert (first(answer), answer.plan.interpretation.companies[0].text) == ("800000013", "La Misma Empresa SA")
    assert [hint.en for hint in answer.hints if "legal form:" in hint.en] == []


@pytest.mark.parametrize("q", ["exportadores de flores Ecuador", "importadores de flores en Ecuador"])
def test_traders_are_companies(small: Directory, q: str) -> None:
    read = answer_to(small, q).plan.interpretation.listing
    assert read is not None
    assert (read.country, read.activity, read.dropped) == ("EC", "flowers", (q.split(maxsplit=1)[0],))


def test_a_company_named_like_a_country_is_one_of_two(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    names = {"47960950000121": "MAGAZINE LUIZA SA", "00776574000156": "AMERICANAS S.A."}
    publish(tmp_path, "named-2", tuple(company("BR", "br-cnpj", *each) for each in names.items()))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, "Magazine Luiza e Americanas")
    assert [part.results[0].detail.record.identifier for part in answer.parts] == list(names)
    assert {part.verdict for part in answer.parts} == {"found"}


def test_an_activity_in_a_country_is_a_list(
    tmp_path: Path,
    company: Callable[..., Company],
    publish: Callable[[Path, str, tuple[Company, ...]], None],
) -> None:
    bank = company("BR", "br-cnpj", "00000000000191", "BANCO DO BRASIL S.A.", activity_label="Bancos")
    publish(tmp_path, "bank-1", (bank,))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = answer_to(directory, "bancos no Brasil")
    assert answer.plan.listed is not None
    assert (answer.total, first(answer)) == (1, "00000000000191")
    assert answer_to(directory, "Banco do Brasil").verdict == "found"


CONFLICT = "The number and the name do not belong to the same company: check both."


@pytest.mark.parametrize(
    ("q", "confidence", "hints"),
    [
        ("Apple Inc NIT 899999068", 0.6, [CONFLICT]),
        ("NIT 899999068-1 Almacenes Éxito", 0.6, [CONFLICT]),
        ("Ecopetrol NIT 899999068-1", 1.0, []),
        ("mi proveedor Zumbawe NIT 899999068-1", 1.0, []),
    ],
)
def test_a_labelled_number_does_not_hide_the_name_of_another_company(
    small: Directory, q: str, confidence: float, hints: list[str]
) -> None:
    answer, plain = answer_to(small, q), run(small.look(q, country=None, language="en", most=1))
    assert (first(answer), answer.results[0].detail.record.confidence) == ("899999068", confidence)
    assert plain.results[0].detail.record.confidence == confidence
    assert (answer.best is not None) == (confidence == 1.0)
    assert [hint.en for hint in answer.hints if hint.en == CONFLICT] == hints


@pytest.mark.parametrize(
    ("q", "filters", "sentence"),
    [
        (
            "Apple Inc.",
            Filters(status="active"),
            "“Apple Inc.” is held as Apple Inc. (United States, CIK 0000320193), but outside the filter by status. "
            "Its register does not publish whether it is active.",
        ),
        (
            "1790016919001",
            Filters(status="dissolved"),
            "“1790016919001” is held as CORPORACION FAVORITA C.A. (Ecuador, RUC 1790016919001), but outside the filter "
            "by status. According to its register it is active.",
        ),
        (
            "Corporación Favorita",
            Filters(region="florida", activity=("activity:G46",)),
            "“Corporación Favorita” is held as CORPORACION FAVORITA C.A. (Ecuador, RUC 1790016919001), but outside the "
            "filter by place and activity.",
        ),
        (
            "CÑ&850101AB1",  # its check digit is wrong, and the register has it nevertheless
            Filters(financials=True),
            "“CÑ&850101AB1” is held as CAMINOS Y ÑANDÚES, S.A. DE C.V. (Mexico, RFC CÑ&850101AB1), but outside the "
            "filter by financial statements.",
        ),
        (
            "busco el Hotel Plaza",
            Filters(status="active"),
            "Within the filter by status there is no “Hotel Plaza”. Without it, the most similar: HOTEL PLAZA S.A. "
            "(Ecuador, Expediente 1006) and HOTEL PLAZA S.A.S. (Colombia, NIT 800.000.013-8).",
        ),
    ],
)
def test_what_a_filter_alone_leaves_out_is_not_said_to_be_in_no_register(
    small: Directory, q: str, filters: Filters, sentence: str
) -> None:
    answer = answer_to(small, q, filters=filters)
    assert (answer.verdict, answer.results, answer.sentence.en) == ("not_found", [], sentence)
    assert [hint.en for hint in answer.hints] == [sentence]
    assert [(step.action, step.q) for step in answer.next_steps] == [("dropFilters", q)]


def test_what_is_not_held_without_the_filter_either_is_in_no_register(small: Directory) -> None:
    answer = answer_to(small, "¿RUC de Zapatería Imaginaria?", filters=Filters(status="active"))
    assert "is not in the registers of" in answer.sentence.en


def test_one_of_several_companies_that_a_filter_leaves_out_is_told(small: Directory) -> None:
    answer = answer_to(small, "RUC de Corporación Favorita y NIT de Ecopetrol", filters=Filters(status="active"))
    assert [part.verdict for part in answer.parts] == ["found", "not_found"]
    assert answer.parts[1].sentence.en.startswith("“Ecopetrol” is held as ECOPETROL S.A. (Colombia, NIT ")


@pytest.mark.parametrize(
    ("q", "filters", "description"),
    [
        ("supermercados", Filters(cities=("quito",)), "supermarkets, Ecuador, filtered by place"),
        ("empresas", Filters(activity=("activity:G47",)), "Ecuador, filtered by activity"),
        ("companies", Filters(status="active"), "Ecuador, active"),
        ("supermarkets in Guayaquil", Filters(cities=("quito",)), "supermarkets, Ecuador, filtered by place"),
        ("hotels in Quito", Filters(activity=("activity:G47",)), "Quito, Ecuador, filtered by activity"),
    ],
)
def test_words_of_lists_beside_a_filter_are_a_list(
    small: Directory, q: str, filters: Filters, description: str
) -> None:
    answer = answer_to(small, q, country="EC", filters=filters)
    assert (answer.verdict, first(answer)) == ("possible", FAVORITA)
    assert answer.sentence.en == f"1 company of this directory: {description}. It is CORPORACION FAVORITA C.A."


def test_a_name_beside_a_filter_stays_one(small: Directory) -> None:
    answer = answer_to(small, "Hotel Plaza", country="EC", filters=Filters(financials=False))
    assert (answer.verdict, first(answer)) == ("found", "1006")


@pytest.mark.parametrize("q", ["technology companies in Houston", "empresas de Houston", "companies in Texas"])
def test_a_city_that_registers_do_not_state_is_not_said_to_be_applied(small: Directory, q: str) -> None:
    answer = answer_to(small, q)
    assert "Texas" in answer.sentence.en
    assert "Houston" not in answer.sentence.en
    assert [clue.value for clue in answer.understood if clue.aspect == "region"] == ["texas"]
    hint = "The registers of the United States do not state the city: the place applied is Texas, not only Houston."
    assert (hint in [text.en for text in answer.hints]) is ("Houston" in q)


@pytest.mark.parametrize(
    ("q", "step", "hint"),
    [
        (
            "active companies in Ecuador",
            "companies in Ecuador",
            "The sources of Ecuador state the status of 1 of 8 companies: a list by status can hold no others.",
        ),
        (
            "which supermarkets in Bogota are active?",
            "which supermarkets in Bogota are?",
            "The sources of Colombia state the status of no company: a list by status is empty.",
        ),
    ],
)
def test_a_list_by_status_says_how_many_companies_state_one(small: Directory, q: str, step: str, hint: str) -> None:
    answer = answer_to(small, q)
    assert hint in [text.en for text in answer.hints]
    assert ("dropStatus", step) in [(step.action, step.q) for step in answer.next_steps]
    assert answer_to(small, step).plan.listed
    assert not any("status" in text.en for text in answer_to(small, step).hints)


def test_a_list_filtered_by_status_says_how_many_companies_state_one(small: Directory) -> None:
    answer = answer_to(small, "empresas de Ecuador", filters=Filters(status="active"))
    assert any("1 of 8" in text.en for text in answer.hints)
    assert ("dropStatus", "empresas de Ecuador") in [(step.action, step.q) for step in answer.next_steps]
