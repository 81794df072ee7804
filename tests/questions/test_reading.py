"""Interpretation of questions in three languages: names and the words around them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.questions.interpretation import ASPECTS
from padron.questions.interpreter import MOST_COMPANIES, Interpreter
from padron.questions.lexicon import Lexicon

INTERPRETER = Interpreter(REGISTRY)


def names(text: str, how: str = "") -> list[tuple[str, str | None]]:
    """The readings of the first company asked, with their countries; of one kind if `how` says."""
    return [
        (reading.name, reading.country)
        for reading in INTERPRETER.interpret(text).companies[0].readings
        if how in {"", reading.how}
    ]


@pytest.mark.parametrize(
    ("text", "name", "country", "scheme"),
    [
        ("¿Cuál es el RFC de Grupo Bimbo?", "Grupo Bimbo", "MX", "mx-rfc"),
        ("dame el NIT de Ecopetrol por favor", "Ecopetrol", "CO", "co-nit"),
        ("Hola, buenas tardes, ¿me puede decir el CUIT de YPF? Gracias", "YPF", "AR", "ar-cuit"),
        ("Petrobras tax id", "Petrobras", None, None),
        ("Corporación Favorita RUC y expediente", "Corporación Favorita", None, None),
        ("What is Telecom Argentina's CUIT?", "Telecom Argentina", "AR", "ar-cuit"),
        ("Could you please give me the EIN of Apple Inc.?", "Apple Inc.", "US", "us-ein"),
        ("qual o CNPJ da Magazine Luiza", "Magazine Luiza", "BR", "br-cnpj"),
        ("me diga o CNPJ da Ambev por favor", "Ambev", "BR", "br-cnpj"),
        ("¿cuál es el RUT de Falabella?", "Falabella", None, None),
        ("Bayer SA (Colombia)", "Bayer SA", "CO", None),
        ("Apple (the US one), CIK", "Apple", "US", "us-cik"),
        ("Coelce, Fortaleza", "Coelce", "BR", None),
        ("CUIT de El Rosado", "El Rosado", "AR", "ar-cuit"),
        ("existe la empresa “Tornillos & Co.”?", "Tornillos & Co.", None, None),
    ],
)
def test_what_stands_around_a_name(text: str, name: str, country: str | None, scheme: str | None) -> None:
    assert (name, country) in names(text, "bare")
    assert INTERPRETER.interpret(text).companies[0].scheme == scheme


@pytest.mark.parametrize(
    ("text", "name", "country"),
    [
        ("la petrolera estatal colombiana Ecopetrol", "Ecopetrol", "CO"),
        ("la panadería argentina La Espiga", "La Espiga", "AR"),
        ("the state owned Brazilian bank Banco do Brasil", "Banco do Brasil", "BR"),
        ("US payments company Visa Inc", "Visa Inc", "US"),
        ("a mineradora brasileira Vale", "Vale", "BR"),
        ("the joint-stock company Grupo Argos", "Grupo Argos", None),
        ("Telconet in Ecuador", "Telconet", "EC"),
        ("Comercial Kywi en Quito", "Comercial Kywi", "EC"),
        ("Duratex de Brasil", "Duratex", "BR"),
    ],
)
def test_words_that_describe_a_company(text: str, name: str, country: str | None) -> None:
    assert (name, country) in names(text, "torn")
    assert (text, None) in names(text, "whole"), "the name may be all of it"


@pytest.mark.parametrize(
    "name",
    [
        "Banco de Chile",
        "Cervecería Nacional",
        "México Sport SA",
        "Compañía Colombiana de Cacao",
        "Industria y Comercio SA",
        "Perez, Gomez y Cia",
        "El Mundo",
        "Sociedad Minera del Norte",
        "telefonica de argentina s.a.s.",
        "R O S S Special Service SRL",
        "Alianzas y o Industrias",
        "Lanificio Sehbe SA Ind e Exp",
        "Sul Brasileiro Imp Exp",
        "Hi Alterna",
    ],
)
def test_a_name_is_first_taken_whole(name: str) -> None:
    understood = INTERPRETER.interpret(name)
    assert not understood.question
    assert understood.companies[0].readings[0].how == "whole"
    assert understood.companies[0].readings[0].name == name
    assert all(reading.confirming for reading in understood.companies[0].readings if reading.how == "torn")


@pytest.mark.parametrize(
    ("text", "asked", "sure"),
    [
        ("Grupo Argos or Cementos Argos, Colombia, active", ["Grupo Argos", "Cementos Argos"], True),
        ("NIT de Ecopetrol, CNPJ de Petrobras y CUIT de YPF", ["Ecopetrol", "Petrobras", "YPF"], True),
        ("Apple Inc, Meta Platforms and Tesla: give me their CIKs", ["Apple Inc", "Meta Platforms", "Tesla"], True),
        ("compara Otecel y Conecel", ["Otecel", "Conecel"], True),
        ("¿RUC de Pérez y Asociados?", ["Pérez y Asociados", "Pérez", "Asociados"], False),
        ('"Grupo Argos" y "Cementos Argos"', ["Grupo Argos", "Cementos Argos"], True),
        ("RUC 1790016919001 o CNPJ 33.000.167/0001-01", ["1790016919001", "33.000.167/0001-01"], True),
    ],
)
def test_several_companies(text: str, asked: list[str], sure: bool) -> None:
    understood = INTERPRETER.interpret(text)
    assert [company.text for company in understood.companies] == asked
    assert understood.several is sure


def test_each_of_several_has_its_own_scheme_and_the_country_said_for_all() -> None:
    ecopetrol, petrobras = INTERPRETER.interpret("NIT de Ecopetrol y CNPJ de Petrobras").companies
    assert (ecopetrol.scheme, ecopetrol.readings[0].country) == ("co-nit", "CO")
    assert (petrobras.scheme, petrobras.readings[0].country) == ("br-cnpj", "BR")
    argos = INTERPRETER.interpret("Grupo Argos or Cementos Argos, Colombia").companies
    assert [company.readings[0].country for company in argos] == ["CO", "CO"]


@pytest.mark.parametrize(
    ("text", "country", "activity", "within"),
    [
        (
            "supermercados en Ecuador con estados financieros",
            "EC",
            "supermarkets",
            (("financials:true",), ("activity:G4711",)),
        ),
        (
            "empresas brasileiras de energia listadas",
            "BR",
            "electricity",
            (("listed:true",), ("sector:energia eletrica", "sector:emp adm part energia eletrica")),
        ),
        ("¿qué cementeras hay en Colombia?", "CO", "cement", (("activity:2394",),)),
        ("hoteles en Medellín", "CO", "hotels", (("city:medellin",), ("activity:5511",))),
        ("construtoras ativas no Rio de Janeiro", "BR", "construction", None),
        ("S.A.S. colombianas de cacao", None, None, None),
        ("supermercados en Argentina", "AR", "supermarkets", (("activity:none",),)),
        (
            "empresas de mármol en México",
            "MX",
            None,
            (("label:marmol",),),
        ),
        ("las 5 petroleras más grandes de Colombia", "CO", "oil", None),
        ("Grupo 5 Hoteles", None, None, None),
    ],
)
def test_lists(text: str, country: str | None, activity: str | None, within: object) -> None:
    listing = INTERPRETER.interpret(text).listing
    if country is None:
        assert listing is None
        return
    assert listing is not None
    assert (listing.country, listing.activity) == (country, activity)
    if within is not None:
        assert listing.filters.within() == within


@pytest.mark.parametrize("text", ["listed airlines", "airlines listed", "aerolíneas que cotizan en bolsa"])
def test_a_list_of_listed_companies_needs_no_country(text: str) -> None:
    listing = INTERPRETER.interpret(text).listing
    assert listing is not None
    assert (listing.country, listing.activity, listing.filters.listed) == (None, "airlines", True)


@pytest.mark.parametrize("name", ["Hotel Quito", "Minera Real del Oro", "Seguros Bolívar", "Banco de Guayaquil"])
def test_a_name_with_an_activity_is_no_list(name: str) -> None:
    assert INTERPRETER.interpret(name).listing is None


def test_countries_that_are_not_covered() -> None:
    falabella = INTERPRETER.interpret("the Chilean retailer Falabella S.A.C.I.").companies[0]
    assert ("Falabella S.A.C.I.", "CL") in [(reading.name, reading.uncovered) for reading in falabella.readings]
    (edp,) = INTERPRETER.interpret("qual o NIF da EDP?").companies
    assert edp.readings[0].uncovered == "PT"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿cuál es el RUC de X SA?", "es"),
        ("what is the CIK of X Inc?", "en"),
        ("qual é o CNPJ da X SA?", "pt"),
        ("X", "es"),
    ],
)
def test_the_language_that_asks(text: str, language: str) -> None:
    assert INTERPRETER.interpret(text).language == language


def test_what_is_understood_is_told() -> None:
    understood = INTERPRETER.interpret("bancos brasileños activos con balances").understood
    assert [(clue.aspect, clue.text, clue.value) for clue in understood] == [
        ("activity", "bancos", "banks"),
        ("country", "brasileños", "BR"),
        ("status", "activos", "active"),
        ("hasFinancials", "con balances", "true"),
    ]


@pytest.mark.parametrize("aspect", ASPECTS)
def test_what_is_ignored_is_not_understood(aspect: str) -> None:
    text = "sociedades anónimas listadas y activas, bancos de Quito, Ecuador, con balances"
    understood = INTERPRETER.interpret(text, frozenset((aspect,))).understood
    assert aspect not in {clue.aspect for clue in understood}
    assert aspect in {clue.aspect for clue in INTERPRETER.interpret(text).understood}


def test_nothing_is_understood_of_a_name_if_all_is_ignored() -> None:
    understood = INTERPRETER.interpret("Telconet in Ecuador", frozenset(ASPECTS))
    assert [reading.name for reading in understood.companies[0].readings] == ["Telconet in Ecuador"]
    assert understood.understood == ()


def test_only_so_many_companies_are_looked_for() -> None:
    understood = INTERPRETER.interpret(" o ".join(f"Empresa{letter} Uno" for letter in "abcdefghijkl"))
    assert (len(understood.companies), understood.left) == (MOST_COMPANIES, 12 - MOST_COMPANIES)


def test_the_tables_name_what_there_is() -> None:
    lexicon = Lexicon(REGISTRY)
    assert {code for countries in lexicon.places.values() for code in countries} == set(REGISTRY)
    assert len(lexicon.activities) > 50
    for key, activity in lexicon.activities.items():
        assert activity.label.es, key
        assert set(activity.tags) <= set(REGISTRY), key
        assert all(tag.startswith(("activity:", "sector:")) for tags in activity.tags.values() for tag in tags), key


WORDS = st.sampled_from(
    '¿ ? , ( ) " “ ” y o e de la el en RUC NIT CNPJ tax id empresas bancos Colombia brasileira US activa listada'
    " petrolera con balances qual is the 1790016919001 33.000.167/0001-01 Ecopetrol S.A. 'x & ñ".split()
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join)))
def test_any_text_is_read(text: str) -> None:
    understood = INTERPRETER.interpret(text)
    assert 1 <= len(understood.companies) <= MOST_COMPANIES
    for asked in understood.companies:
        assert asked.readings
        assert all(reading.name.strip() or not text.strip() for reading in asked.readings)
    assert understood == INTERPRETER.interpret(text)


def test_signs_that_fold_to_words_of_denial_stay() -> None:
    assert (
        INTERPRETER.interpret("\U0005265b\U000232da\x86·Ó\x81¯\U00074f93NÀÕ\U0010939a\U000edc00N\x96ÿ")
        .companies[0]
        .text
    )


@pytest.mark.parametrize(
    ("text", "companies"),
    [
        ("qual a situação da Oi?", ["situação da Oi"]),
        ("a Oi está ativa?", ["a Oi"]),
        ("qual o CNPJ da Oi", ["Oi"]),
        ("Oi e Vale, CNPJs", ["Oi", "Vale"]),
        ("Oi, qual o CNPJ da Vale?", ["Vale"]),
        ("Oi! Qual o CNPJ da Petrobras?", ["Petrobras"]),
        ("qual o CNPJ da Vale, oi?", ["Vale"]),
    ],
)
def test_a_greeting_that_the_text_speaks_of_is_a_name(text: str, companies: list[str]) -> None:
    assert [company.text for company in INTERPRETER.interpret(text).companies] == companies


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("¿La Fabril y Danec son la misma empresa?", ["La Fabril y Danec", "La Fabril", "Danec"]),
        ("Are Pronaca and Agripac the same company?", ["Pronaca and Agripac", "Pronaca", "Agripac"]),
        ("qual era o nome antigo da Meta Platforms?", ["nome antigo da Meta Platforms"]),
    ],
)
def test_what_a_question_asks_of_companies_is_no_company(text: str, asked: list[str]) -> None:
    assert [company.text for company in INTERPRETER.interpret(text).companies] == asked


@pytest.mark.parametrize(
    ("ahead", "behind"),
    [("no ", "no "), ("no de la ", "no de la "), ("Mr Ab Cd,", " no"), ("que no es ", "NIT "), ("y ", ", ")],
)
def test_the_work_of_a_text_is_linear_in_its_length(monkeypatch: pytest.MonkeyPatch, ahead: str, behind: str) -> None:
    """Counted in phrases looked up, for what somebody repeats to keep a worker busy."""
    looked_up = 0
    starting = Lexicon.starting

    def counted(self: Lexicon, *given: object) -> object:
        nonlocal looked_up
        looked_up += 1
        return starting(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Lexicon, "starting", counted)
    work = []
    for length in (250, 500):
        looked_up = 0
        INTERPRETER.interpret(ahead * (length // len(ahead)) + behind * (length // len(behind)))
        work.append(looked_up)
    assert work[1] <= 3 * work[0]
