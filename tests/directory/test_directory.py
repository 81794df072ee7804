"""The directory over a small release: every answer, hint and refusal, in both languages."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.companies.answers import Answer
from padron.companies.company import Company, Name
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, NotFound, ReleaseError
from padron.index import release_index
from padron.lookup.find import SURE
from padron.matching import explain
from padron.matching.score import VAGUE_CEILING
from padron.questions.results import Question
from padron.releases import snapshot
from padron.words import Text

BASE_URL = "https://padron.example"


def search(directory: Directory, q: str, country: str | None = None, limit: int = 8, language: str = "es") -> Answer:
    return run(directory.search(q, country=country, limit=limit, language=language))


def test_a_search_by_name(small: Directory) -> None:
    answer = search(small, "Corporación  Favorita")
    best = answer.best_match
    assert best is not None
    assert best == answer.results[0]
    assert answer.q == "Corporación  Favorita"
    assert answer.country is None
    assert (best.legal_name, best.country_code, best.scheme, best.identifier, best.id_label) == (
        "CORPORACION FAVORITA C.A.", "EC", "ec-ruc", "1790016919001", "RUC",
    )  # fmt: skip
    assert best.confidence is not None
    assert SURE <= best.confidence <= 0.9999
    assert (best.status, best.classification_code, best.classification_label) == (
        "active", "G4711.01", "VENTA AL POR MENOR",
    )  # fmt: skip
    assert best.financials_available is True
    assert best.canonical_urls.es == "https://padron.example/es/empresas/ec/1790016919001"
    assert best.canonical_urls.en == "https://padron.example/en/companies/ec/1790016919001"


def test_a_record_by_identifier(small: Directory) -> None:
    match = run(small.get("EC", "1790016919001", "en"))
    record = match.record
    assert (match.alias, match.branch, match.requested.scheme) == (False, False, "ec-ruc")
    assert record.confidence is None
    assert record.id_label == "RUC (tax number)"
    assert record.refreshed_at == datetime(2024, 12, 31, tzinfo=UTC)
    assert record.source is not None
    assert record.source.source_name
    other = run(small.get("EC", "1001", "es")).record
    assert (other.status, other.refreshed_at, other.trade_name) == (None, None, None)


@pytest.mark.parametrize(
    ("country", "raw", "identifier", "alias", "branch"),
    [
        ("EC", "17.900.169.190.01", "1790016919001", False, False),
        ("EC", "384", "1790016919001", True, False),
        ("EC", "Expediente 000384", "1790016919001", True, False),
        ("EC", "320193", "320193", False, False),
        ("US", "320193", "320193", False, False),
        ("US", "0000320193", "320193", False, False),
        ("US", "94-2404110", "320193", True, False),
        ("US", "942404110", "320193", True, False),
        ("BR", "33.000.167/0001-01", "33000167000101", False, False),
        ("BR", "33000167", "33000167000101", False, True),
        ("BR", "33.000.167/0002-84", "33000167000101", False, True),
        ("BR", "12.abc.345/01de-35", "12ABC34501DE35", False, False),
        ("BR", "5493000J801JZRCMFE49", "33000167000101", True, False),
        ("US", "5493000J801JZRCMFE49", "1119639", True, False),
        ("CO", "899.999.068-1", "899999068", False, False),
        ("MX", "cñ&-850101-ab1", "CÑ&850101AB1", False, False),
        ("AR", "30-54668997-9", "30546689979", False, False),
        ("AR", "10", "10", False, False),
    ],
)
def test_identifiers_in_any_form_resolve(
    small: Directory, country: str, raw: str, identifier: str, alias: bool, branch: bool
) -> None:
    match = run(small.get(country, raw, "es"))
    assert (match.record.country_code, match.record.identifier) == (country, identifier)
    assert (match.alias, match.branch) == (alias, branch)


@pytest.mark.parametrize(
    ("raw", "branch", "mistyped"),
    [
        ("33.000.167/0001-02", False, True),
        ("33.000.167/0002-92", True, False),
        ("33.000.167/0002-93", True, True),
    ],
)
def test_a_number_with_wrong_check_digits_is_a_branch_s_by_its_other_digits(
    small: Directory, raw: str, branch: bool, mistyped: bool
) -> None:
    located = run(small.get("BR", raw, "es"))
    assert (located.alias, located.branch, located.mistyped) == (False, branch, mistyped)


def test_the_page_of_an_identifier_with_other_letters_is_percent_encoded(small: Directory) -> None:
    urls = run(small.get("MX", "CÑ&850101AB1", "es")).record.canonical_urls
    assert urls.es == "https://padron.example/es/empresas/mx/C%C3%91%26850101AB1"


def test_a_number_that_is_nobody_s_says_what_would_help(small: Directory) -> None:
    with pytest.raises(NotFound) as missing:
        run(small.get("BR", "33.000.167/0001-02".replace("33.000.167", "33.000.168"), "es"))
    assert missing.value.code == "company-not-found"
    hints = missing.value.context["hints"]
    assert isinstance(hints, Text)
    assert "datos al 2026-03-01" in hints.es
    assert "data as of 2026-03-01" in hints.en
    assert "dígito verificador" in hints.es
    assert "check digit" in hints.en
    with pytest.raises(NotFound) as elsewhere:
        run(small.get("MX", "899999068", "es"))
    assert "CO" in elsewhere.value.context["hints"].es


def test_what_is_no_identifier_is_refused(small: Directory) -> None:
    with pytest.raises(Invalid) as wrong:
        run(small.get("EC", "Favorita", "es"))
    assert (wrong.value.code, wrong.value.context["parameter"]) == ("invalid-identifier", "identifier")


def test_a_number_that_several_companies_have_names_the_candidates(small: Directory) -> None:
    with pytest.raises(NotFound) as shared:
        run(small.get("US", "EIN 12-3456789", "es"))
    assert shared.value.code == "identifier-not-unique"
    assert shared.value.context["candidates"] == ["317540", "900001"]


@pytest.mark.parametrize("country", [None, "EC"])
def test_a_person_s_number_is_neither_looked_up_nor_repeated(small: Directory, country: str | None) -> None:
    with pytest.raises(NotFound) as person:
        search(small, "0102030405", country)
    assert person.value.code == "natural-person-not-covered"
    assert "0102030405" not in str(person.value)
    with pytest.raises(NotFound, match="natural-person"):
        run(small.get("EC", "0102030405", "es"))
    with pytest.raises(NotFound, match="natural-person"):
        search(small, "Juan Pérez 0102030405")


@pytest.mark.parametrize(
    ("q", "country", "identifier"),
    [
        ("1790016919001", None, "1790016919001"),
        ("RUC 1790016919001", None, "1790016919001"),
        ("Corporación Favorita 1790016919001", None, "1790016919001"),
        ("el RUC de algo es 1790016919001", None, "1790016919001"),
        ("33.000.167/0001-01", None, "33000167000101"),
        ("320193", None, "320193"),
        ("320193", "US", "320193"),
        ("30-54668997-9", None, "30546689979"),
        ("Ecuador 1001", None, "1001"),
        ("1001", "EC", "1001"),
        ("expediente 1001", None, "1001"),
    ],
)
def test_exactly_one_for_the_identifier_a_company_is_recorded_under(
    small: Directory, q: str, country: str | None, identifier: str
) -> None:
    answer = search(small, q, country)
    assert answer.best_match is not None
    assert (answer.best_match.identifier, answer.best_match.confidence) == (identifier, 1.0)
    assert [teaser.identifier for teaser in answer.results] == [identifier]


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("33000167", "33000167000101"),  # the root
        ("33.000.167/0002-92", "33000167000101"),  # a branch
        ("1790016919", "1790016919001"),
        ("RUC 1790016919", "1790016919001"),
        ("1790016919002", "1790016919001"),
    ],
)
def test_a_number_of_a_part_of_a_company_is_not_its_own(small: Directory, q: str, identifier: str) -> None:
    answer = search(small, q)
    assert [(teaser.identifier, teaser.confidence) for teaser in answer.results] == [(identifier, 0.9999)]
    assert answer.best_match is not None
    assert "casa matriz" in answer.match_hints[0]


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("33.000.167/0002-84", "33000167000101"),  # a branch that cannot be
        ("33.000.167/0001-02", "33000167000101"),
        ("899999068-2", "899999068"),
        ("NIT 899.999.068-2", "899999068"),
        ("30-54668997-1", "30546689979"),
        ("1790016918001", "1790016919001"),
    ],
)
def test_a_wrong_check_digit_makes_nobody_sure_in_any_country(small: Directory, q: str, identifier: str) -> None:
    answer = search(small, q)
    assert [(teaser.identifier, teaser.confidence) for teaser in answer.results] == [(identifier, 0.4999)]
    assert answer.best_match is None
    assert "dígito verificador" in answer.match_hints[0]


@pytest.mark.parametrize("q", ["Ecopetrol 1790016919001", "Petrobras 899999068-2", "hotel plaza 30-54668997-1"])
def test_a_number_and_a_name_share_what_is_certain(small: Directory, q: str) -> None:
    """The confidence in different companies is never more than 1 together; records of one company count once."""
    seen = run(small.find(q, country=None, limit=8)).results
    companies = {ranked.match.company.link or ranked.match.key: ranked.confidence for ranked in seen}
    assert len(companies) > 1
    assert sum(companies.values()) <= 1.0


@pytest.mark.parametrize(
    ("q", "country"), [("expediente 384", None), ("384", "EC"), ("EIN 94-2404110", None), ("942404110", "US")]
)
def test_another_identifier_is_sure_but_never_exactly_one(small: Directory, q: str, country: str | None) -> None:
    answer = search(small, q, country)
    assert answer.best_match is not None
    assert answer.best_match.confidence == 0.9999


def test_a_bare_number_of_a_lesser_kind_is_a_hint(small: Directory) -> None:
    answer = search(small, "384")
    assert answer.best_match is None
    assert any("Expediente de CORPORACION FAVORITA" in hint for hint in answer.match_hints)
    both = search(small, "320193", language="en")
    assert both.best_match is not None
    assert both.best_match.country_code == "US"
    assert any("COMPAC" in hint and "country=EC" in hint for hint in both.match_hints)


def test_a_number_that_several_have_is_sure_of_none(small: Directory) -> None:
    answer = search(small, "EIN 123456789")
    assert answer.best_match is None
    assert [teaser.confidence for teaser in answer.results[:2]] == [0.4999, 0.4999]
    assert any("2 empresas" in hint for hint in answer.match_hints)


def test_a_number_and_another_s_name_are_not_sure(small: Directory) -> None:
    answer = search(small, "Almacenes Exito 1790016919001")
    assert answer.best_match is None
    assert any("el nombre no son" in hint for hint in answer.match_hints)
    assert {teaser.identifier for teaser in answer.results} >= {"1790016919001"}


def test_the_letters_of_a_number_that_the_company_has_not_count_as_digits(small: Directory) -> None:
    answer = search(small, "Caminos y Ñandúes TME840315KT6")
    assert (answer.best_match, answer.results[0].identifier, answer.results[0].confidence) == (
        None,
        "CÑ&850101AB1",
        0.5,
    )


def test_a_number_of_another_country_is_a_hint(small: Directory) -> None:
    answer = search(small, "1790016919001", "BR")
    assert answer.results == []
    assert any("EC" in hint for hint in answer.match_hints)


def test_a_lei_gives_the_home_record_first(small: Directory) -> None:
    answer = search(small, "5493000J801JZRCMFE49")
    assert answer.best_match is not None
    assert [teaser.country_code for teaser in answer.results] == ["BR", "US"]
    assert answer.best_match.confidence == 0.9999


def test_the_home_register_comes_first_and_the_other_is_told(small: Directory) -> None:
    answer = search(small, "petrobras")
    assert answer.best_match is not None
    assert answer.best_match.country_code == "BR"
    assert any("CIK 0001119639" in hint for hint in answer.match_hints)
    abroad = search(small, "petrobras", "US", language="en")
    assert abroad.best_match is not None
    assert abroad.best_match.country_code == "US"
    assert any("CNPJ 33.000.167/0001-01" in hint for hint in abroad.match_hints)


def test_the_home_register_comes_first_even_where_only_the_other_has_the_name(small: Directory) -> None:
    answer = search(small, "PBR")
    assert [teaser.country_code for teaser in answer.results[:2]] == ["BR", "US"]


def test_countries_are_suggested_when_several_answer(small: Directory) -> None:
    answer = search(small, "hotel plaza")
    assert answer.best_match is None
    assert sorted(answer.suggested_countries) == ["CO", "EC"]
    assert any("indique el país" in hint for hint in answer.match_hints)
    assert any("2 empresas pueden ser la buscada" in hint for hint in answer.match_hints)
    colombian = search(small, "hotel plaza", "CO")
    assert colombian.suggested_countries == []
    assert colombian.best_match is not None


@pytest.mark.parametrize("q", ["pedido US320193 zumbawe", "patent US0000320193 zumbawe", "orden EC320193 zumbawe"])
def test_a_number_of_an_order_is_of_no_company_surely(small: Directory, q: str) -> None:
    answer = search(small, q)
    assert (answer.best_match, [round(result.confidence or 0, 1) for result in answer.results]) == (None, [0.6])


def test_the_code_of_a_country_before_a_number_alone_says_which_it_is(small: Directory) -> None:
    best = search(small, "US320193").best_match
    assert best is not None
    assert (best.country_code, best.identifier) == ("US", "320193")


def test_hints_follow_the_language(small: Directory) -> None:
    spanish, english = (search(small, "hotel plaza", language=code).match_hints for code in ("es", "en"))
    assert len(spanish) == len(english) > 0
    assert not set(spanish) & set(english)


def test_nothing_found_says_where_and_how_fresh(small: Directory) -> None:
    answer = search(small, "xyzzyxqq")
    assert answer.results == []
    assert answer.best_match is None
    assert "Ecuador (2026-03-01)" in answer.match_hints[0]


def test_two_characters_without_a_word_are_told(small: Directory) -> None:
    for q in ("!!", "🙂🙂"):
        answer = search(small, q)
        assert answer.results == []
        assert len(answer.match_hints) == 1
        assert "no tiene nombre" in answer.match_hints[0]


def test_a_former_name_tells_the_present_one(small: Directory) -> None:
    answer = search(small, "supermercados la favorita")
    assert any("CORPORACION FAVORITA" in hint for hint in answer.match_hints)


def test_the_limit_is_kept(small: Directory) -> None:
    assert len(search(small, "petrobras", limit=1).results) == 1


def test_two_names_are_compared(small: Directory) -> None:
    same = small.compare("corporación favorita", "CORPORACION FAVORITA C.A.")
    other = small.compare("corporación favorita", "CORPORACION FERROVIA C.A.")
    assert same.confidence >= SURE > 0.1 > other.confidence
    assert other.explanations["missingAny"] < 0
    assert small.compare("petroleo brasileiro petrobras", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS", "BR").confidence > 0.9
    comma = str(same.confidence).replace(".", ",")
    assert same.sentence == {
        "es": "«CORPORACION FAVORITA C.A.» es muy probablemente la empresa buscada"
        f" (confianza {comma}): las mismas palabras.",
        "en": "“CORPORACION FAVORITA C.A.” is very probably the company you are looking for"
        f" (confidence {same.confidence}): the same words.",
    }
    sent = msgspec.json.decode(msgspec.json.encode(same))
    assert sent.keys() == {"confidence", "matchedOn", "explanations", "sentence"}
    assert sent["matchedOn"] == "legalName"
    acronym = small.compare("petrobras", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS", "BR")
    assert acronym.matched_on == "alternativeName"


@pytest.mark.parametrize(
    ("a", "b"), [("中国石油", "中国银行"), ("شركة أرامكو", "بنك الرياض"), ("Εθνική Τράπεζα", "Εθνική Ασφαλιστική")]
)
def test_names_in_other_scripts_are_compared_by_their_letters(small: Directory, a: str, b: str) -> None:
    assert small.compare(a, a).confidence >= SURE > 0.1 > small.compare(a, b).confidence


def test_findings_say_what_matched_and_why(small: Directory) -> None:
    first = run(small.find("apple computer", country=None, limit=8)).results[0]
    assert first.matched_on == "formerName"
    assert 0 < first.margin <= 1
    assert run(small.find("320193", country="US", limit=8)).results[0].matched_on == "identifier"


def test_a_result_says_in_a_sentence_what_agrees(small: Directory) -> None:
    def sentence(q: str) -> Text:
        return run(small.ask(Question(q, None), "es")).results[0].sentence

    acronym = run(small.ask(Question("petrobras", "BR"), "es")).results[0]
    assert acronym.matched_on == "alternativeName"
    confidence = acronym.detail.record.confidence
    assert acronym.sentence == Text(
        "«PETRÓLEO BRASILEIRO S.A. - PETROBRAS» (BR, CNPJ 33.000.167/0001-01) es muy probablemente la empresa buscada"
        f" (confianza {str(confidence).replace('.', ',')}): otro nombre registrado «PETROBRAS», las mismas palabras.",
        "“PETRÓLEO BRASILEIRO S.A. - PETROBRAS” (BR, CNPJ 33.000.167/0001-01) is very probably the company you are"
        f" looking for (confidence {confidence}): another registered name “PETROBRAS”, the same words.",
    )
    assert "former name “APPLE COMPUTER INC”, the same words, the same legal form" in sentence("apple computer inc").en
    assert "le faltan palabras de la búsqueda" in sentence("corporacion ferrovia").es
    assert "el número es su CIK" in sentence("cik 320193").es
    assert sentence("cik 320193").en.endswith(
        "is the company you are looking for (confidence 1): the number is its CIK."
    )


@pytest.mark.parametrize(
    ("confidence", "verb"),
    [(1.0, "is the"), (0.9, "is very probably the"), (0.8999, "may be the"), (0.3, "may be the")],
)
def test_only_a_certain_company_is_said_to_be_the_company(confidence: float, verb: str) -> None:
    assert explain.comparison("Arcor", confidence, {}).en.startswith(f"“Arcor” {verb} company you are looking for")


@pytest.mark.parametrize(
    ("q", "country", "code", "reason"),
    [
        ("hotel plaza", None, "ambiguous", "2 companies may be meant"),
        ("ecopetrol", "BR", "wrongCountry", "(country=CO)"),
        ("ecopetrol brasil", None, "weak", "No result is certain"),  # nor is the company of another country
        ("corporacion ferrovia", None, "weak", "No result is certain"),  # the nearest is likelier not meant
        ("corporacion ferrovia", "EC", "weak", "No result is certain"),
        ("banco brasil inversiones", None, "weak", "has no “inversiones” in its name"),
        ("xyzzyxqq", None, "nothing", "Nothing similar"),
        ("ecopetrol", None, None, ""),
    ],
)
def test_no_best_match_has_its_reason(
    small: Directory, q: str, country: str | None, code: str | None, reason: str
) -> None:
    findings = run(small.find(q, country=country, limit=8))
    assert (findings.doubt.code if findings.doubt else None) == code
    if findings.doubt:
        assert reason in findings.doubt.text.en
        assert findings.doubt.text in findings.hints


@pytest.mark.parametrize(
    ("q", "country", "hints"),
    [
        ("1790016919002", "EC", []),
        (
            "1790016918001",
            None,
            [
                "The check digit of that RUC (tax number) is wrong: check the number.",
                "With one digit changed, or two swapped, there is RUC (tax number) 1790016919001:"
                " “CORPORACION FAVORITA C.A.”.",
            ],
        ),
        (
            "30-54668997-8",
            None,
            [
                "The check digit of that CUIT is wrong: check the number.",
                "With one digit changed, or two swapped, there is CUIT 30-54668997-9: “YPF SOCIEDAD ANONIMA”.",
            ],
        ),
        (
            "899.999.086-1",
            "CO",
            [
                "The check digit of that NIT (tax number) is wrong; with the correct one it would be 899.999.086-2.",
                "With one digit changed, or two swapped, there is NIT (tax number) 899.999.068-1: “ECOPETROL S.A.”.",
            ],
        ),
        (
            "899999068-2",
            None,
            [
                "The check digit of that NIT (tax number) is wrong: check the number.",
                "With one digit changed, or two swapped, there is NIT (tax number) 899.999.068-1: “ECOPETROL S.A.”.",
            ],
        ),
    ],
)
def test_a_wrong_check_digit_is_mended(small: Directory, q: str, country: str | None, hints: list[str]) -> None:
    shown = [hint for hint in search(small, q, country, language="en").match_hints if "igit" in hint]
    assert shown == hints
    assert all("igit" not in hint.en or hint.en in shown for hint in run(small.find(q, country=country, limit=8)).hints)


def test_a_number_without_an_entity_s_separators_may_be_a_person_s(small: Directory) -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        search(small, "30546689914")  # the check digits of a CPF, and wrong ones of a CUIT
    hints = search(small, "30546689978").match_hints  # no CPF
    assert any("30-54668997-9" in hint for hint in hints)


def test_a_withheld_company_is_no_repair(small_data: Path, tmp_path: Path) -> None:
    suppressions = tmp_path / "suppressions.toml"
    entry = 'country = "EC"\nidentifier = "1790016919001"\nreason = "x"\ndate = 2026-11-20\n'
    suppressions.write_text(f"[[suppressed]]\n{entry}", encoding="utf-8")
    directory = run(Directory.open(small_data, REGISTRY, BASE_URL, suppressions))
    hints = search(directory, "1790016918001").match_hints
    assert any("con el correcto sería 1790016919001" in hint for hint in hints)
    assert not any("FAVORITA" in hint for hint in hints)


@pytest.mark.parametrize(
    ("q", "identifier"),
    [
        ("supermercadoslafavorita", "1790016919001"),  # in one piece, its article among the letters
        ("hotel plaza machala", "1006"),  # a city that is not the company's
        ("almacenes exto medellin", "890900608"),
        ("microsoftt", "789019"),
        ("ypf sociedad anonima de argentina", "30546689979"),
        ("cmuos distribuidora garcos", "1003"),
    ],
)
def test_what_people_type_is_found(small: Directory, q: str, identifier: str) -> None:
    assert identifier in [teaser.identifier for teaser in search(small, q).results[:2]]


def test_corp_is_inc_to_everybody_but_llc_is_another_company(small: Directory) -> None:
    assert search(small, "microsoft inc").best_match is not None
    answer = search(small, "microsoft llc", language="en")
    assert answer.best_match is None
    assert answer.results[0].identifier == "789019"
    assert any("different legal form" in hint for hint in answer.match_hints)


def test_initials_alone_never_make_sure(small: Directory) -> None:
    first = run(small.look("ams", country=None, language="es", most=8)).results[0]
    assert first.detail.record.legal_name == "ASOCIACION MUTUAL DEL SUR"
    assert "sus iniciales" in first.sentence.es
    assert 0.5 < (first.detail.record.confidence or 0) < SURE
    assert sum(first.explanations.values()) == pytest.approx(VAGUE_CEILING, abs=0.01)


def test_a_misspelt_name_is_asked_back(small: Directory) -> None:
    answer = search(small, "ypg", "AR", language="en")
    assert answer.match_hints == ["Nothing similar in the registers of Argentina (2026-03-01)."]
    answer = search(small, "ecopetrxx", language="en")
    assert answer.best_match is None
    assert "Did you mean “ECOPETROL S.A.”?" in answer.match_hints


def test_coverage_is_the_release_s(small: Directory) -> None:
    coverage = small.coverage()
    assert (coverage.release, coverage.total) == ("small-1", 28)
    assert small.generated_at == coverage.generated_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert small.release == "small-1"


@given(st.text(max_size=256))
def test_any_text_gets_a_well_formed_answer(small: Directory, q: str) -> None:
    try:
        answer = search(small, q)
    except NotFound:
        return
    confidences = [teaser.confidence for teaser in answer.results]
    assert len(confidences) <= 8
    assert confidences == sorted(confidences, reverse=True)
    assert all(confidence is not None and 0 < confidence <= 1 for confidence in confidences)
    assert (answer.best_match is not None) == bool(confidences and confidences[0] >= SURE)
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Answer) == answer


Publish = Callable[[Path, str, tuple[Company, ...]], None]


def test_a_swap_answers_from_the_new_release(
    tmp_path: Path, publish: Publish, companies: tuple[Company, ...], company: Callable[..., Company]
) -> None:
    publish(tmp_path, "one", companies[:5])
    directory = run(Directory.open(tmp_path, REGISTRY, BASE_URL))
    assert run(directory.refreshed()) is directory
    publish(tmp_path, "two", (company("EC", "ec-expediente", "7777", "ZZURANGA S.A."),))
    assert search(directory, "zzuranga").results == []
    other = run(directory.refreshed())
    assert (other.release, directory.release) == ("two", "one")
    assert search(other, "zzuranga").best_match is not None
    assert search(other, "corporacion favorita").results == []
    assert search(directory, "corporacion favorita").best_match is not None, "who holds the old one still asks it"


def test_a_bad_release_leaves_the_old_one_answering(
    tmp_path: Path, publish: Publish, companies: tuple[Company, ...]
) -> None:
    publish(tmp_path, "one", companies[:5])
    directory = run(Directory.open(tmp_path, REGISTRY, BASE_URL))
    publish(tmp_path, "two", companies[:4])
    rows = snapshot.index_folder(tmp_path, "two", release_index.FORMAT) / "companies" / "rows.bin"
    rows.write_bytes(rows.read_bytes()[:-1])
    with pytest.raises(ReleaseError) as bad:
        run(directory.refreshed())
    assert (bad.value.code, bad.value.context["file"]) == ("release-damaged", "rows.bin")
    assert directory.release == "one"
    assert search(directory, "corporacion favorita").best_match is not None


def test_searches_go_on_while_releases_change(tmp_path: Path, publish: Publish, companies: tuple[Company, ...]) -> None:
    publish(tmp_path, "one", companies)

    async def searching_and_swapping() -> int:
        directory = await Directory.open(tmp_path, REGISTRY, BASE_URL)
        over, answers = asyncio.Event(), 0

        async def ask() -> None:
            nonlocal answers
            while not over.is_set():
                answer = await directory.search("corporacion favorita", country=None, limit=8, language="es")
                assert answer.best_match is not None
                answers += 1
                await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            group.create_task(ask())
            group.create_task(ask())
            for number in range(4):
                await asyncio.to_thread(publish, tmp_path, f"next-{number}", companies)
                directory = await directory.refreshed()
                assert directory.release == f"next-{number}"
            over.set()
        return answers

    assert run(searching_and_swapping()) > 10


def test_a_folder_without_a_release_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no-release"):
        run(Directory.open(tmp_path, REGISTRY, BASE_URL))


def test_a_legal_form_finds_no_company_surely(
    tmp_path: Path, publish: Callable[..., None], company: Callable[..., Company], companies: tuple[Company, ...]
) -> None:
    former = (Name("former", "LLC CORP", None, "1987-03-31"),)
    publish(tmp_path, "forms", (*companies, company("US", "us-cik", "59255", "VALHI INC /DE/", names=former)))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    answer = run(directory.search("LLC", country=None, limit=3, language="en"))
    assert answer.best_match is None
    assert answer.results[0].legal_name == "VALHI INC /DE/"
    assert answer.match_hints == ["“LLC” is a legal form: add the name of the company."]
    spaced = run(directory.search(" S.A.  de\tC.V. ", country=None, limit=3, language="en"))
    assert spaced.match_hints == ["“S.A. de C.V.” is a legal form: add the name of the company."]
    sure = run(directory.search("Valhi LLC Corp", country=None, limit=3, language="en"))
    assert sure.results[0].legal_name == "VALHI INC /DE/"


def test_nothing_is_denied_of_a_number_that_is_a_company_s_secondary_one(small: Directory) -> None:
    answer = run(small.search("94-2404110", country=None, limit=3, language="en"))
    assert answer.results == []
    hint = "The number is also the EIN of Apple Inc., in the United States: search there (country=US)."
    assert answer.match_hints == [hint]


def test_one_of_many_trade_names_finds_no_company_surely_by_a_part(
    tmp_path: Path, publish: Callable[..., None], company: Callable[..., Company], companies: tuple[Company, ...]
) -> None:
    signs = ("7 ELEVEN SUC EMILIO GOMEZ", "CORPORATIVO", "PALACIO DE HIERRO PERISUR", "PALACIO DE HIERRO SANTA FE")
    names = tuple(Name("trade", sign, None, None) for sign in signs)
    clee = "09016522110003136001000001U6"
    store = company("MX", "mx-clee", clee, "EL PALACIO DE HIERRO SA DE CV", names=names, size=0.99)
    publish(tmp_path, "signs", (*companies, store))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    by_sign, by_other, whole = (
        run(directory.search(q, country=None, limit=1, language="en"))
        for q in ("7-eleven", "Palacio de Hierro Perisur", "7 Eleven Suc Emilio Gomez")
    )
    assert by_sign.results[0].identifier == clee
    assert by_sign.best_match is None
    assert by_other.best_match
    assert whole.best_match


def test_the_words_of_one_unit_s_sign_are_looked_for_in_the_whole_of_the_others(
    tmp_path: Path, publish: Callable[..., None], company: Callable[..., Company], companies: tuple[Company, ...]
) -> None:
    """A word that every sign begins with is not the brand, and a brand may stand behind another word."""
    palace = ("SUC 7 ELEVEN EMILIO GOMEZ", "SUC CORPORATIVO", "SUC PERISUR")
    shops = ("ZAMARRIPA PERISUR", "SUC ZAMARRIPA CENTRO", "SUC PLAZA ARAGON")
    clees = ("09016522110003136001000001U6", "15033522110003136001000001U6")
    named = zip(
        ("EL PALACIO DE HIERRO SA DE CV", "COMERCIAL DEL SURESTE SA DE CV"), (palace, shops), clees, strict=True
    )
    stores = [
        company("MX", "mx-clee", clee, name, names=tuple(Name("trade", sign, None, None) for sign in signs), size=0.99)
        for name, signs, clee in named
    ]
    publish(tmp_path, "signs", (*companies, *stores))
    directory = run(Directory.open(tmp_path, REGISTRY, "https://padron.example"))
    of_one, of_all = (run(directory.search(q, country=None, limit=1, language="en")) for q in ("7-eleven", "Zamarripa"))
    assert [of_one.results[0].identifier, of_all.results[0].identifier] == list(clees)
    assert (of_one.best_match is None, of_all.best_match is None) == (True, False)


LET_GO = """
import asyncio
from padron.directory import run

async def connection():
    try:
        yield
    finally:
        await asyncio.sleep(0)
        await asyncio.wait([asyncio.create_task(asyncio.sleep(0))])
        print("closed")

async def connected():
    opened = connection()
    await anext(opened)
    return opened

opened = run(connected())
del opened
"""


def test_connections_let_go_after_the_last_call_are_closed_at_the_end_of_a_command() -> None:
    done = subprocess.run([sys.executable, "-c", LET_GO], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("closed\n", "")
