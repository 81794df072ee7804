"""Ecuador: RUC and expediente, legal forms, states and activities."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.ec import ruc as oracle

from padron.companies.model import Identifier
from padron.countries.country import Status
from padron.countries.ec import EC
from padron.countries.ec.identifiers import check_digit
from padron.errors import Invalid, NotFound
from padron.text import fold, split_form

CIIU = Path(__file__).parents[2] / "data" / "official" / "ec" / "supercias-ranking" / "bi_ciiu.csv"
IDS = Path(__file__).parent / "ids"
RUCS = (IDS / "ec-ruc.txt").read_text().split()
EXPEDIENTES = (IDS / "ec-expediente.txt").read_text().split()
PROVINCES = st.sampled_from([f"{number:02}" for number in (*range(1, 25), 30, 50)])


@pytest.mark.parametrize("ruc", RUCS)
def test_real_rucs_in_every_written_form(ruc: str) -> None:
    readings = EC.identify(ruc)
    assert [(identifier.scheme, identifier.value) for identifier in readings] == [("ec-ruc", ruc)]
    for written in (
        EC.scheme_by_code["ec-ruc"].show(ruc),
        *(form.format(ruc) for form in (" {} ", "RUC {}", "ruc: {}", "R.U.C. No. {}", "RUC N° {}", "RUC # {}")),
        f"{ruc[:10]}-{ruc[10:]}",
        f"{ruc[:10]}\u00a0{ruc[10:]}",
        f"{ruc[:1]}.{ruc[1:4]}.{ruc[4:7]}.{ruc[7:10]}.{ruc[10:]}",
    ):
        assert EC.identify(written) == readings


@pytest.mark.parametrize("expediente", EXPEDIENTES)
def test_real_expedientes_in_every_written_form(expediente: str) -> None:
    for written in (
        EC.scheme_by_code["ec-expediente"].show(expediente),
        *(form.format(expediente) for form in ("Expediente {}", "EXP. {}", "exp. N° {}", "{:0>6}", "{}\n")),
    ):
        assert EC.identify(written) == (Identifier("ec-expediente", expediente),)


def test_there_are_enough_real_numbers() -> None:
    assert (len(set(RUCS)), len(set(EXPEDIENTES))) == (100, 100)


@pytest.mark.parametrize(
    ("ruc", "digit"),
    [("1790016919001", 9), ("1760013210001", 1), ("0990004196001", 6)],
    ids=["favorita", "sri", "rosado"],
)
def test_worked_examples_of_the_check_digit(ruc: str, digit: int) -> None:
    assert check_digit(ruc) == digit
    assert EC.identify(ruc) == (Identifier("ec-ruc", ruc, True),)


@pytest.mark.parametrize("ruc", ["0993402030001", "0993402037001", "1790016909001", "1760013220001"])
def test_a_wrong_check_digit_is_told_and_still_read(ruc: str) -> None:
    assert EC.identify(ruc) == (Identifier("ec-ruc", ruc, False),)


@pytest.mark.parametrize("ruc", RUCS)
def test_every_establishment_of_a_company_and_their_root_are_its_number(ruc: str) -> None:
    scheme = EC.scheme_by_code["ec-ruc"]
    if ruc[2] == "6":  # a public body has one establishment
        assert scheme.key(ruc) == ruc
        return
    for part in (ruc[:10], f"{ruc[:10]}002", f"{ruc[:10]}123"):
        (identifier,) = EC.identify(part)
        assert (identifier.value, scheme.key(identifier.value)) == (part, scheme.key(ruc))
        assert identifier.valid_check == EC.identify(ruc)[0].valid_check


def test_only_new_serial_numbers_fail_the_check() -> None:
    verdicts = {ruc: EC.identify(ruc)[0].valid_check for ruc in RUCS}
    assert list(verdicts.values()).count(False) == 24
    assert [ruc for ruc, verdict in verdicts.items() if verdict and not oracle.is_valid(ruc)] == []


@given(PROVINCES, st.from_regex(r"9[0-9]{7}00[1-9]|6[0-9]{6}0001", fullmatch=True))
def test_the_verdict_agrees_with_stdnum(province: str, rest: str) -> None:
    """A number that stdnum refuses fails here too; it also accepts private numbers by the check of public bodies."""
    (identifier,) = EC.identify(province + rest)
    assert identifier.valid_check in ({True, False} if oracle.is_valid(identifier.value) else {False})


@given(PROVINCES, st.from_regex(r"[0-5][0-9]{7}(00[1-9])?", fullmatch=True))
def test_natural_persons_are_refused_without_an_echo(province: str, rest: str) -> None:
    with pytest.raises(NotFound) as refused:
        EC.identify(province + rest)
    assert (refused.value.code, refused.value.context) == ("natural-person-not-covered", {})


@pytest.mark.parametrize(
    "number", ["RUC 0912345678001", "Expediente 1712345678", "171234567-8", "0962345678", "0962345678001"]
)
def test_persons_in_other_forms(number: str) -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        EC.identify(number)


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "0", "000000", "1234567", "00384000", "384a", "384/1", "3 eight 4", "٣٨٤", "RUC", "RUC 384"),
        *("Expediente 1790016919001", "RUC RUC 1790016919001", "2590016919001", "0090016919001", "1790016919000"),
        *("1780016919001", "1770016919001", "9990016919", "179001691900", "17900169190011"),
        *("8999990681", "1790016919001!", "١٧٩٠٠١٦٩١٩٠٠١", "CORPORACION FAVORITA", "25490EW1K5QKUJS4D72"),
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        EC.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "EC"}


def test_a_lei_is_recognised() -> None:
    assert EC.identify("lei 2549-00EW1K5QKUJS4D72")[0][:2] == ("lei", "254900EW1K5QKUJS4D72")


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = EC.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert EC.identify(EC.scheme_by_code[identifier.scheme].show(identifier.value))[0][:2] == identifier[:2]


def test_the_examples_are_identifiers() -> None:
    for scheme, value in EC.examples:
        assert EC.identify(value)[0][:2] == (scheme, value)


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in EC.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in EC.legal_forms}) == len(EC.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in EC.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("CORPORACION FAVORITA C.A.", "corporacion favorita", "sa"),
        ("AGRIPAC S. A.", "agripac", "sa"),
        ("KAWSUS CIA.LTDA.", "kawsus", "ltda"),
        ("CONSTRUCCIONES CRANBEGAL CIA. LDTA.", "construcciones cranbegal", "ltda"),
        ("IMPULTEK S.A.S. Sociedad de Beneficio e Interés Colectivo", "impultek", "sas"),
        ("HIDROINTAG-CEM COMPAÑIA DE ECONOMÍA MIXTA", "hidrointag", "cem"),
        ("COMPANIA DE ECONOMIA MIXTA AUSTROGAS", "compania de economia mixta austrogas", None),
        ("AC BEBIDAS, S. DE R.L. DE C.V.", "ac bebidas", "s-de-rl-de-cv"),
        ("HUAWEI TECHNOLOGIES CO. LTD.", "huawei technologies", "ltd"),
        ("PROVEDATOS MBA3 S.A. EN LIQUIDACIÓN", "provedatos mba3", "sa"),
        ("HOTEL PLAZA A S.A.", "hotel plaza a", "sa"),
        ("INT FOOD SERVICES CORP S.A.", "int food services corp", "sa"),
        ("LA SOCIEDAD ANONIMA", "la", "sa"),
        ("S.A.", "sa", None),
    ],
)
def test_forms_come_off_and_never_empty_a_name(name: str, core: str, form: str | None) -> None:
    named = split_form(name, EC.forms, acronyms=True)
    assert (" ".join(named.core), named.form) == (core, form)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("ACTIVA", Status.ACTIVE),
        ("INTERVENIDA", Status.ACTIVE),
        ("INACTIVA", Status.INACTIVE),
        ("DISOLUC. LIQUIDAC. OFICIO INSC. EN RM", Status.IN_LIQUIDATION),
        ("DISOLUC. LIQUIDAC. OFICIO NO INSC. EN RM", Status.IN_LIQUIDATION),
        ("DISOLUC. Y LIQUIDAC. ANTIC. INSCR. RM", Status.IN_LIQUIDATION),
        ("DISOLUC. Y LIQUIDAC. ANTIC. NO INSC. EN RM", Status.IN_LIQUIDATION),
        ("DISOLUCIÓN Y LIQUIDACIÓN DE PLENO DERECHO", Status.IN_LIQUIDATION),
        ("EN LIQUIDACIÓN", Status.IN_LIQUIDATION),
        ("CANCELADA", Status.DISSOLVED),
        ("CANCELACIÓN DE PERMISO DE OPERACIÓN", Status.DISSOLVED),
        ("ORDEN DE CANCELACION", Status.DISSOLVED),
        ("ACTIVO", Status.ACTIVE),
        ("SUSPENDIDO", Status.SUSPENDED),
        ("PASIVO", Status.INACTIVE),
        ("OTROS", Status.UNKNOWN),
        ("", Status.UNKNOWN),
    ],
)
def test_states(raw: str, status: Status) -> None:
    assert EC.status(raw) is status


def test_activities_are_the_official_table() -> None:
    with (EC.folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        ours = {row["code"]: row["label"] for row in csv.DictReader(file)}
    with CIIU.open(encoding="utf-8-sig", newline="") as file:
        official = {row["ciiu"].strip(): " ".join(row["descripcion"].split()) for row in csv.DictReader(file)}
    assert ours == official
    assert len(ours) == 3_049
