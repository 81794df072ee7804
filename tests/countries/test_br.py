"""Brazil: CNPJ, legal forms, states, and the companies of the bundled files; the join is in ingest/test_corpus.py."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.br import cnpj as oracle

from padron.companies.model import Identifier
from padron.countries.br import BR
from padron.countries.br.identifiers import check_digits
from padron.countries.country import Status
from padron.errors import Invalid, NotFound
from padron.ingest.build import Built, build_country
from padron.text import fold, split_form

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
CNPJS = (Path(__file__).parent / "ids" / "br-cnpj.txt").read_text().split()
BASES = st.from_regex(r"[0-9A-Z]{12}", fullmatch=True).filter(lambda base: base[8:] != "0000")

Query = Callable[[str], list[tuple[Any, ...]]]


# --- identifiers


@pytest.mark.parametrize("cnpj", CNPJS)
def test_real_numbers_in_every_written_form(cnpj: str) -> None:
    readings = BR.identify(cnpj)
    assert readings == (Identifier("br-cnpj", cnpj, True),)
    shown = BR.scheme_by_code["br-cnpj"].show(cnpj)
    for written in (
        shown,
        f" {cnpj} ",
        f"CNPJ {shown}",
        f"cnpj: {cnpj}",
        f"C.N.P.J. nº {shown}",
        f"CNPJ/MF No. {shown}",
        f"CGC {shown}",
        f"{cnpj[:8]}/{cnpj[8:12]}-{cnpj[12:]}",
        shown.replace(".", " ").replace("/", " ").replace("-", " "),
    ):
        assert BR.identify(written) == readings


def test_there_are_enough_real_numbers() -> None:
    assert len(set(CNPJS)) == 100


@pytest.mark.parametrize(
    "cnpj",
    ["33683111000280", "12ABC34501DE35", "00000000E08G12", "00000000000191", "33000167000101", "19131243000197"],
    ids=["serpro-branch", "official-example", "first-issued", "banco-do-brasil", "petrobras", "open-knowledge"],
)
def test_worked_examples_of_the_check_digits(cnpj: str) -> None:
    assert check_digits(cnpj[:12]) == cnpj[12:]
    assert BR.identify(cnpj) == (Identifier("br-cnpj", cnpj, True),)


@given(BASES)
def test_the_check_digits_agree_with_stdnum(base: str) -> None:
    assert base + check_digits(base) == base + oracle.calc_check_digits(base)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12.abc.345/01de-35", "12ABC34501DE35"),
        ("12abc34501de35", "12ABC34501DE35"),
        ("CNPJ N1.ABC.345/0001-00", "N1ABC345000100"),
        ("cnpj 12 ABC 345 01DE 35", "12ABC34501DE35"),
    ],
)
def test_letters_in_every_written_form(written: str, value: str) -> None:
    assert BR.identify(written)[0][:2] == ("br-cnpj", value)


@pytest.mark.parametrize("cnpj", ["33000167000102", "12ABC34501DE36"])
def test_a_wrong_check_digit_is_told_and_still_read(cnpj: str) -> None:
    assert BR.identify(cnpj) == (Identifier("br-cnpj", cnpj, False),)


@pytest.mark.parametrize(
    ("written", "root"),
    [
        ("33000167", "33000167"),
        ("33.000.167", "33000167"),
        ("00000000", "00000000"),
        ("12abc345", "12ABC345"),
        ("AB.CDE.FGH", "ABCDEFGH"),
        ("cnpj abcdefgh", "ABCDEFGH"),
    ],
)
def test_a_bare_root_is_read(written: str, root: str) -> None:
    assert BR.identify(written) == (Identifier("br-cnpj", root),)


def test_any_establishment_and_the_root_are_filed_under_the_root() -> None:
    scheme = BR.scheme_by_code["br-cnpj"]
    assert {scheme.key(value) for value in ("33683111000107", "33683111000280", "33683111")} == {"33683111"}
    assert (scheme.show("33683111000107"), scheme.show("33683111")) == ("33.683.111/0001-07", "33.683.111")


@pytest.mark.parametrize("number", ["12345678909", "123.456.789-09", "cnpj 123.456.789-09", "00000000000"])
def test_natural_persons_are_refused_without_an_echo(number: str) -> None:
    with pytest.raises(NotFound) as refused:
        BR.identify(number)
    assert refused.value.code == "natural-person-not-covered"
    assert not refused.value.context


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "CNPJ", "3300016", "330001670001010", "3300016700010", "33000167000101x", "١٢٣٤٥٦٧٨"),
        *("00000000000000", "00.000.000/0000-00"),
        *("petrobras", "CARREFOUR 24", "INVESTIMENTO 24", "ABCDEFGH", "12ABC34501DEAB", "33.000.167/0001-0A", "12345"),
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        BR.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "BR"}


def test_a_lei_is_recognised() -> None:
    assert BR.identify("LEI 5493000EWDOZFEJT8R83") == (Identifier("lei", "5493000EWDOZFEJT8R83", True),)


@given(st.one_of(st.text(max_size=30), BASES.map(lambda base: f"cnpj {base}00")))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = BR.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert BR.identify(BR.scheme_by_code[identifier.scheme].show(identifier.value))[0][:2] == identifier[:2]


def test_the_examples_are_identifiers() -> None:
    for scheme, value in BR.examples:
        assert BR.identify(value) == (Identifier(scheme, value, True),)


# --- legal forms, states, activities


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in BR.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in BR.legal_forms}) == len(BR.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in BR.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("WETZEL S/A", "wetzel", "sa"),
        ("RBS PARTICIPAÇÕES S.A.", "rbs participacoes", "sa"),
        ("COMPAR ADMINISTRADORA DE BENEFICIOS LTDA - ME", "compar administradora de beneficios", "ltda"),
        ("E F SOBRINHO EIRELI - ME", "ef sobrinho", "eireli"),
        ("AESP ODONTO ASSISTÊNCIA ODONTOLÓGICA S/S LTDA EPP", "aesp odonto assistencia odontologica", "ss-ltda"),
        ("UNIMED DE ARARAQUARA - COOP. DE TRAB. MÉDICO", "unimed de araraquara coop de trab medico", None),
        ("JOAO FORTES ENGENHARIA SA - EM RECUPERAÇÃO JUDICIAL", "joao fortes engenharia", "sa"),
        ("ANGELA & CIA LTDA", "angela and cia", "ltda"),
        ("ESCOLA ME AJUDA LTDA", "escola me ajuda", "ltda"),
        ("CIA SIDERURGICA NACIONAL", "cia siderurgica nacional", None),
        ("PETRÓLEO BRASILEIRO S.A. - PETROBRAS", "petroleo brasileiro sa petrobras", None),
    ],
)
def test_legal_forms_are_taken_off_the_end(name: str, core: str, form: str | None) -> None:
    named = split_form(name, BR.forms)
    assert (" ".join(named.core), named.form) == (core, form)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("NULA", Status.ANNULLED),
        ("ATIVA", Status.ACTIVE),
        ("ATIVA NÃO REGULAR", Status.ACTIVE),
        ("SUSPENSA", Status.SUSPENDED),
        ("INAPTA", Status.INACTIVE),
        ("BAIXADA", Status.DISSOLVED),
        ("ATIVA - RECUPERACAO JUDICIAL", Status.ACTIVE),
        ("ATIVA - EM LIQUIDACAO", Status.IN_LIQUIDATION),
        ("ATIVA - FALIDO", Status.IN_LIQUIDATION),
        ("FALIDA", Status.IN_LIQUIDATION),
        ("LIQUIDAÇÃO EXTRAJUDICIAL", Status.IN_LIQUIDATION),
        ("ELISÃO POR EXTINÇÃO DA CIA", Status.DISSOLVED),
        ("EM RECUPERAÇÃO JUDICIAL OU EQUIVALENTE", Status.ACTIVE),
        ("PARALISADA", Status.INACTIVE),
        ("CANCELADA", Status.UNKNOWN),
        ("", Status.UNKNOWN),
    ],
)
def test_the_official_wording_as_a_status(raw: str, status: Status) -> None:
    assert BR.status(raw) is status


def test_activities_are_the_official_ones() -> None:
    lines = (OFFICIAL / "br/receita-federal/CNAECSV.csv").read_text(encoding="cp1252").splitlines()
    official = {code: " ".join(label.split()) for code, label in csv.reader(lines, delimiter=";")}
    own = csv.DictReader((BR.folder / "activities.csv").read_text(encoding="utf-8").splitlines())
    assert {row["code"]: row["label"] for row in own} == official
    assert (len(official), official["0111301"]) == (1359, "Cultivo de arroz")


# --- the companies


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """The snapshot of the bundled files, and its companies."""
    data, work = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("work")
    country = build_country(data, work, BR, [OFFICIAL], None, lambda _code, _stage: None)
    return country, data / "snapshots" / country.name / "companies.parquet"


@pytest.fixture(scope="module")
def query(built: tuple[Built, Path]) -> Query:
    return lambda sql: duckdb.execute(sql.replace("companies", f"'{built[1]}'")).fetchall()


def test_every_row_is_accounted_for(built: tuple[Built, Path]) -> None:
    manifest = built[0].manifest
    assert (manifest["companies"], manifest["by_scheme"]) == (3723, {"br-cnpj": 3723})
    books = {
        key: {field: book[field] for field in ("rows", "kept", "merged", "left_out", "rejected")}
        for key, book in manifest["sources"].items()
        if key != "cvm-dfp"  # statements: tests/ingest/test_statements.py
    }
    unjoined = {"no-company-row": 2000, "no-establishment": 560}
    assert books == {
        "receita-federal": {"rows": 2564, "kept": 2, "merged": 2, "left_out": unjoined, "rejected": {}},
        "cvm": {"rows": 2584, "kept": 2455, "merged": 129, "left_out": {}, "rejected": {}},
        "ans": {"rows": 2265, "kept": 1265, "merged": 1000, "left_out": {}, "rejected": {}},
        "bcb": {"rows": 238, "kept": 0, "merged": 39, "left_out": {"unknown-root": 199}, "rejected": {}},
        "gleif": {"rows": 549, "kept": 1, "merged": 0, "left_out": {"other-register": 548}, "rejected": {}},
    }
    assert manifest["unmapped_status"] == {}


def test_the_rows_of_known_companies(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, trade_name, status, status_raw, legal_form_raw, activity_code, activity_label,
                  region, municipality, incorporated, establishments, source, refreshed
           FROM companies WHERE left(identifier, 8) IN ('33683111', '33000167', '00000000', '19131243', '07298800')
           ORDER BY 1"""
    )
    assert rows == [
        (
            *("00000000000191", "BANCO DO BRASIL S.A.", None, "active", "FASE OPERACIONAL", None, None, "Bancos"),
            *("DF", "BRASÍLIA", date(1905, 12, 30), None, "cvm", date(2023, 8, 24)),
        ),
        (
            *("07298800000180", "USINA CONQUISTA DO PONTAL S. A.", None, None, None, None, None, None),
            *(None, None, None, None, "gleif", date(2024, 5, 5)),
        ),
        (
            *("19131243000197", "OPEN KNOWLEDGE BRASIL", "REDE PELO CONHECIMENTO LIVRE", "active", "ATIVA"),
            *("Associação Privada", "9430800", "Atividades de associações de defesa de direitos sociais"),
            *("SP", "SAO PAULO", date(2013, 10, 3), 1, "receita-federal", date(2021, 6, 12)),
        ),
        (
            *("33000167000101", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS", "PETROBRAS", "active", "FASE OPERACIONAL"),
            *(None, None, "Petróleo e Gás", "RJ", "RIO DE JANEIRO", date(1953, 10, 3), None, "cvm"),
            date(2023, 8, 24),
        ),
        (
            *("33683111000107", "SERVICO FEDERAL DE PROCESSAMENTO DE DADOS (SERPRO)", "SERPRO SEDE", "active", "ATIVA"),
            *("Empresa Pública", "6204000", "Consultoria em tecnologia da informação"),
            *("DF", "BRASILIA", date(1967, 6, 30), 1, "receita-federal", date(2021, 6, 12)),
        ),
    ]


def test_other_names_and_numbers_are_kept(query: Query) -> None:
    names = query(
        """SELECT identifier, list_transform(names, lambda x: x.kind || ': ' || x.name), aliases, sources FROM companies
           WHERE identifier IN ('00000000000191', '07298800000180', '10458298000131', '33000167000101') ORDER BY 1"""
    )
    assert names == [
        ("00000000000191", ["alternative: BCO DO BRASIL S.A.", "byName: BBAS3"], [], ["cvm", "bcb"]),
        ("07298800000180", [], [{"scheme": "lei", "value": "5493000EWDOZFEJT8R83"}], ["gleif"]),
        (
            "10458298000131",
            ["former: AD SALUTE ADMINISTRADORA DE BENEFÍCIOS EIRELI", "trade: AD SALUTE"],
            [],
            ["ans"],
        ),
        (
            "33000167000101",
            ["trade: PETROBRAS", "alternative: PETRÓLEO BRASILEIRO S.A.", "byName: PETR3", "byName: PETR4"],
            [],
            ["cvm", "ans"],
        ),
    ]


def test_the_day_zero_of_spreadsheets_is_no_date(query: Query) -> None:
    """CVM's DT_CONST of COPEL DISTRIBUIÇÃO is 1899-12-30; those of ten others lie before it."""
    assert query("SELECT legal_name, incorporated FROM companies WHERE identifier = '04368898000106'") == [
        ("COPEL DISTRIBUIÇÃO S.A.", None)
    ]
    assert query("SELECT count(*) FROM companies WHERE incorporated < '1900-01-01'") == [(10,)]


def test_the_number_of_a_company_stays_in_a_name(query: Query) -> None:
    name = "CIA SIDERURGICA MOGI CRUZES(sucedida pela UNIÂO FEDERAL -CNPJ:37115383000153"
    assert query("SELECT legal_name FROM companies WHERE identifier = '61045381000110'") == [(name,)]


def test_a_source_is_as_of_the_newest_file_of_which_a_row_is_kept(built: tuple[Built, Path]) -> None:
    """Both companies of the CNPJ are of the files of 2021; the sample of 2025 has no head office of its companies."""
    dates = {key: book["date"] for key, book in built[0].manifest["sources"].items()}
    assert dates == {
        "receita-federal": "2021-06-12",
        "cvm": "2023-08-24",
        "ans": "2026-01-30",
        "bcb": "2019-11-01",
        "gleif": "2024-05-05",
        "cvm-dfp": "2023-10-02",
    }


def test_a_registration_cancelled_at_cvm_ends_no_company(query: Query) -> None:
    wordings = query("SELECT status_raw, status, count(*) FROM companies WHERE source = 'cvm' GROUP BY ALL")
    assert not any("CANCELADA" in (raw or "") for raw, _, _ in wordings)
    assert {(raw, status, count) for raw, status, count in wordings if status in {"dissolved", "inactive", None}} == {
        (None, None, 1687),
        ("ELISÃO POR EXTINÇÃO DA CIA", "dissolved", 12),
        ("PARALISADA", "inactive", 3),
    }
    # registered, cancelled in 1994 and registered again: the active registration speaks
    assert query("SELECT status FROM companies WHERE identifier = '61186680000174'") == [("active",)]
    # the number of a branch, taken as the register gives it
    assert query("SELECT legal_name FROM companies WHERE identifier = '60398369000479'") == [
        ("PARANAPANEMA S.A. - EM RECUPERAÇÃO JUDICIAL",)
    ]


def test_a_cancelled_registration_is_as_of_its_end(query: Query) -> None:
    """The file of CVM is of 2023-08-24; a row of it that says CANCELADA speaks of the day it names."""
    days = query(
        """SELECT count(*), count(refreshed), max(refreshed) < DATE '2023-08-24' FROM companies
           WHERE sources = ['cvm'] AND status_raw IS NULL"""
    )
    assert days == [(1684, 1684, True)]
    ended = query("SELECT DISTINCT year(refreshed) FROM companies WHERE status_raw = 'ELISÃO POR EXTINÇÃO DA CIA'")
    assert (2023,) not in ended


def test_a_name_of_a_cancelled_registration_gives_way_to_a_later_one(query: Query) -> None:
    names = query(
        """SELECT identifier, legal_name, list_contains(list_transform(names, lambda x: x.name), 'BCP S/A')
           FROM companies
           WHERE identifier IN ('40432544000147', '71027866000134', '61024352000171', '60701190000104') ORDER BY 1"""
    )
    assert names == [
        ("40432544000147", "CLARO S.A", True),  # BCP S/A when it was cancelled in 2004; ANS of 2023
        ("60701190000104", "Itaú Unibanco S.A.", False),
        ("61024352000171", "BANCO VOITER S.A.", False),  # cancelled after the list of BCB, which says Indusval
        ("71027866000134", "Banco BS2 S.A.", False),  # Bonsucesso until its registration was cancelled
    ]


def test_no_name_is_emptied_by_its_form(query: Query) -> None:
    names = [name for (name,) in query("SELECT legal_name FROM companies")]
    cores = [split_form(name, BR.forms) for name in names]
    assert all(named.core for named in cores)
    assert sum(named.form is not None for named in cores) > 0.7 * len(names)
