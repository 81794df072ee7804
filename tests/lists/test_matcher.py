"""Rows of a list: other columns as evidence, conflicts, and the same answers as single searches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.lists import matcher
from padron.lists.rows import CELL, FIELDS, ListRow, RowMatch
from padron.lookup.find import Finder
from padron.text import fold


def match(directory: Directory, **cells: str) -> RowMatch:
    """The match of a row, in English."""
    return run(directory.match(ListRow(**cells), "en"))


@pytest.mark.parametrize(
    "text",
    ["corporacion favorita", "Petrobras", "hotel plaza", "ecopetrol sa", "coca cola", "ypf", "inmobiliaria los alpes"],
)
@pytest.mark.parametrize("country", ["", "EC", "BR"])
def test_a_row_with_a_name_is_answered_as_a_search_for_it(small: Directory, text: str, country: str) -> None:
    row = match(small, name=text, country=country)
    answer = run(small.search(text, country=country or None, limit=8, language="en"))
    assert (row.company if row.verdict == "found" else None) == answer.best_match
    if row.company:
        assert row.company == answer.results[0]


@pytest.mark.parametrize("number", ["1790016919001", "33.000.167/0001-01", "899999068-1", "30-54668997-9", "AAPL"])
def test_a_row_with_a_number_is_answered_as_a_search_for_it(small: Directory, number: str) -> None:
    row = match(small, identifier=number)
    assert row.company == run(small.search(number, country=None, limit=8, language="en")).results[0]


def test_a_number_that_agrees_with_the_name_settles_the_row(small: Directory) -> None:
    row = match(small, name="Favorita", identifier="1790016919001", city="Quito")
    assert row.company is not None
    assert (row.verdict, row.company.confidence, row.matched_on, row.conflicts) == ("found", 1.0, "identifier", [])


def test_number_and_name_of_two_companies_are_a_conflict_that_names_both(small: Directory) -> None:
    row = match(small, name="Ecopetrol S.A.", identifier="1790016919001")
    assert row.company is not None
    assert row.second is not None
    assert (row.verdict, row.company.identifier, row.second.identifier) == ("possible", "1790016919001", "899999068")
    assert (row.company.confidence, row.second.confidence) == (0.6, 0.4)
    assert row.conflicts == [
        "The number says CORPORACION FAVORITA C.A. (EC 1790016919001), the name says ECOPETROL S.A. (CO 899.999.068-1)."
    ]


@pytest.mark.parametrize("name", ["Zumbawe", "Zumbawe - sucursal Cumbayá", "Sucursal Cumbayá"])
def test_a_name_that_points_to_nobody_is_not_said_to_be_of_another_company(small: Directory, name: str) -> None:
    row = match(small, name=name, identifier="1790016919001")
    assert row.company is not None
    assert (row.verdict, row.company.identifier, row.company.confidence) == ("possible", "1790016919001", 0.6)
    assert row.conflicts == ["The name beside the number was not recognised as that of its company: check it."]


def test_a_name_that_means_the_company_of_the_number_by_itself_agrees_with_it(directory: Directory) -> None:
    for name, number in (
        ("Colombiana de Comercio S.A. (Alkosto)", "890900943"),
        ("Telefônica Brasil (Vivo)", "02558157000162"),
    ):
        row = match(directory, name=name, identifier=number)
        assert row.company is not None
        assert (row.verdict, row.company.confidence, row.conflicts) == ("found", 1.0, [])


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("NIT", "899999068-1"),
        ("RUC", "1790016919001"),
        ("CNPJ", "33.000.167/0001-01"),
        ("CUIT", "30-54668997-9"),
        ("RFC", "CÑ&850101AB1"),
        ("CIK", "320193"),
        ("EIN", "94-2404110"),
    ],
)
def test_a_label_before_a_number_does_not_make_another_name_its_own(small: Directory, label: str, number: str) -> None:
    row = match(small, name="Hotel Plaza Machala", identifier=f"{label} {number}")
    assert row.verdict == "possible"
    assert row.company is not None
    assert row.company.confidence < 0.85
    assert len(row.conflicts) == 1


def test_an_ein_of_somebody_else_is_a_conflict_and_its_own_is_none(small: Directory) -> None:
    row = match(small, name="Apple Inc.", identifier="36-2723087")
    assert (row.verdict, row.company and row.company.confidence) == ("possible", 0.5)
    assert row.conflicts == ["The name says Apple Inc. (US 0000320193), which has another number than the row."]
    row = match(small, name="Apple Inc.", identifier="94-2404110")
    assert (row.verdict, row.company and row.company.confidence, row.conflicts) == ("found", 0.9999, [])


@pytest.mark.parametrize("number", ["94-2404110", "942404110", "EIN 942404110", "US942404110"])
def test_its_own_ein_is_no_conflict_though_its_digits_may_be_a_cik(small: Directory, number: str) -> None:
    row = match(small, name="Apple Inc.", identifier=number)
    assert (row.verdict, row.company and row.company.confidence, row.conflicts) == ("found", 0.9999, [])


@pytest.mark.parametrize(
    "empty", ["N/A", "n/a", "#N/A", "#N/D", " s/d ", "#VALUE!", "#¡VALOR!", "#NÚM!", "#¡div/0!", "#NOMBRE?", "NaN"]
)
def test_a_sign_that_nothing_is_known_is_an_empty_cell(small: Directory, empty: str) -> None:
    assert match(small, name=empty, identifier="899999068-1") == match(small, name="", identifier="899999068-1")
    assert match(small, name="Ecopetrol", city=empty) == match(small, name="Ecopetrol")
    assert match(small, name=empty).verdict == "invalid_input"


@pytest.mark.parametrize("cell", ["TOTAL", "Various", "Varios", "idem", "Efectivo", "Cash", "Consumidor final"])
def test_a_sum_or_a_payment_without_a_payee_is_no_company(small: Directory, cell: str) -> None:
    assert match(small, name=cell) == RowMatch(
        verdict="not_found", conflicts=[], reason=f"“{cell}” is not the name of a company."
    )
    assert match(small, name=cell, identifier="899999068-1") == match(small, identifier="899999068-1")


def test_a_number_unlike_that_of_the_name_is_a_conflict(small: Directory) -> None:
    row = match(small, name="Corporación Favorita C.A.", identifier="1790019845001")
    assert row.company is not None
    assert (row.verdict, row.company.confidence) == ("possible", 0.5)
    assert row.conflicts == [
        "The name says CORPORACION FAVORITA C.A. (EC 1790016919001), which has another number than the row."
    ]
    assert row.reason == row.conflicts[0]


@pytest.mark.parametrize(
    ("name", "number", "undamaged"),
    [
        ("Corporación Favorita C.A.", "190055671001", "0190055671001"),
        ("Corporación Favorita C.A.", "190055671001.0", "0190055671001"),
        ("Petrobras Química", "4913711000108", "04913711000108"),
        ("Ecopetrol S.A.", "1790016919001.0", "1790016919001"),
        ("Ecopetrol S.A.", "1.790016919001E+12", "1790016919001"),
        ("", "899999068.0", "899999068"),
    ],
)
def test_a_number_that_a_spreadsheet_damaged_counts_as_the_number(
    small: Directory, name: str, number: str, undamaged: str
) -> None:
    row = match(small, name=name, identifier=number)
    assert row == match(small, name=name, identifier=undamaged)
    assert (row.verdict, len(row.conflicts)) == (("possible", 1) if name else ("found", 0))


@pytest.mark.parametrize("between", [" / ", "/", "; ", "\n", ", ", " y ", " - "])
@pytest.mark.parametrize("name", ["Ecopetrol S.A.", ""])
def test_the_numbers_of_two_companies_in_one_cell_are_a_conflict(small: Directory, name: str, between: str) -> None:
    ecopetrol, favorita = "ECOPETROL S.A. (CO 899.999.068-1)", "CORPORACION FAVORITA C.A. (EC 1790016919001)"
    numbers = ["899.999.068-1", "1790016919001"]
    row = match(small, name=name, identifier=between.join(numbers))
    assert row.conflicts == [f"The row has the numbers of two companies: {ecopetrol} and {favorita}."]
    assert row.company is not None
    assert row.second is not None
    assert (row.company.identifier, row.second.identifier) == ("899999068", "1790016919001")
    assert (row.verdict, row.company.confidence, row.second.confidence) == ("ambiguous", 0.5, 0.5)
    turned = match(small, name=name, identifier=between.join(numbers[::-1]))
    assert (turned.verdict, len(turned.conflicts)) == ("ambiguous", 1)
    assert turned == row or not name


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("Favorita", "1790016919001 / 1790016919-001"),  # one number, written twice
        ("Favorita", "1790016919001 / 1712345675"),  # a person's
        ("Favorita", "1790016919001 / 320193"),  # too short to be meant
        ("Favorita", "1790016919001 / V-10023456"),
        ("Petrobras", "33.000.167/0001-01"),
        ("Petrobras", "33.000.167/0001-01 / 5493000J801JZRCMFE49"),
    ],
)
def test_two_numbers_in_one_cell_of_which_one_says_nothing_are_no_conflict(
    small: Directory, name: str, identifier: str
) -> None:
    row = match(small, name=name, identifier=identifier)
    assert (row.verdict, row.company and row.company.confidence, row.conflicts) == ("found", 1.0, [])


def test_a_number_that_lost_digits_is_a_conflict(small: Directory) -> None:
    row = match(small, name="Ecopetrol S.A.", identifier="1.79E+12")
    assert row.company is not None
    assert (row.verdict, row.company.confidence) == ("possible", 0.5)
    assert row.conflicts == ["The number 1.79E+12 lost digits in a spreadsheet: write it as text."]


def test_a_supplier_number_of_the_lists_own_says_nothing(small: Directory) -> None:
    assert match(small, name="Ecopetrol", identifier="V-10023") == match(small, name="Ecopetrol")


def test_a_file_number_without_its_country_counts_where_the_name_tells_it(small: Directory) -> None:
    row = match(small, name="Comercial del Pacífco Compac", identifier="320193")
    assert row.company is not None
    assert (row.verdict, row.company.country_code, row.company.identifier) == ("found", "EC", "320193")
    assert (row.company.confidence, row.matched_on, row.conflicts) == (1.0, "identifier", [])
    apple = match(small, name="Apple", identifier="320193")
    assert apple.company is not None
    assert (apple.verdict, apple.company.country_code, apple.company.confidence) == ("found", "US", 1.0)
    other = match(small, name="Hotel Plaza S.A.", identifier="1004", country="EC")
    assert (other.verdict, len(other.conflicts)) == ("possible", 1)


def test_place_and_activity_count_for_and_against(small: Directory) -> None:
    alone = match(small, name="Favorita")
    here = match(small, name="Favorita", city="Quito", activity="supermercados")
    assert match(small, name="Favorita", city="Quito / Pichincha", activity="supermercados") == here
    there = match(small, name="Favorita", city="Guayaquil")
    assert alone.company
    assert here.company
    assert there.company
    confidences = (there.company.confidence, alone.company.confidence, here.company.confidence)
    assert confidences == tuple(sorted(confidences, key=float))
    assert len({*confidences}) == 3
    assert there.reason.endswith(" The row says Guayaquil, the register QUITO, PICHINCHA.")
    assert (there.conflicts, here.conflicts) == ([], [])


def test_a_number_that_nobody_has_is_told_and_is_no_conflict(small: Directory) -> None:
    row = match(small, name="YPF S.A.", identifier="RFC YPF930101AB1")
    assert (row.verdict, row.conflicts) == ("found", [])
    assert row.reason.endswith(
        " The number of the row is in none of the registers held: the name alone tells the company."
    )
    known = match(small, name="Ecopetrol", identifier="899999068")
    assert "none of the registers" not in known.reason


def test_the_code_of_an_activity_counts_as_its_words_do(small: Directory) -> None:
    alone, other, same = (match(small, name="Favorita", activity=code) for code in ("", "K6419", "G4711.01"))
    assert alone.company
    assert other.company
    assert same.company
    assert alone.company.confidence == other.company.confidence
    assert same.company.confidence > alone.company.confidence


def test_the_place_in_its_column_is_no_part_of_a_name_with_its_legal_form(directory: Directory) -> None:
    row = match(directory, name="CONVIAS SAS", city="Envigado")
    assert row.company is not None
    assert row.second is not None
    assert (row.company.identifier, row.second.identifier) == ("811009579", "802008095")
    assert row.company.confidence > 0.8


def test_the_country_may_be_a_name_and_decides_among_namesakes(small: Directory) -> None:
    assert match(small, name="Hotel Plaza").verdict == "ambiguous"
    row = match(small, name="Hotel Plaza", country="Colombia", legal_form="S.A.S.")
    assert row.company is not None
    assert (row.verdict, row.company.identifier) == ("found", "800000013")


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        *zip(("ECU", "COL", "MEX", "BRA", "ARG", "USA"), ("EC", "CO", "MX", "BR", "AR", "US"), strict=True),
        ("United States of America", "US"),
        ("EE.UU.", "US"),
        ("República Argentina", "AR"),
        ("Argentine Republic", "AR"),
        ("Republic of Colombia", "CO"),
        ("República de Colombia", "CO"),
        ("Estados Unidos Mexicanos", "MX"),
        ("República Federativa do Brasil", "BR"),
        ("República del Ecuador", "EC"),
        *dict.fromkeys(("NA", "N.A.", "n.d.", "N/A", "-", "s/d", "null"), "").items(),
    ],
)
def test_a_country_has_a_code_of_three_letters_and_an_official_name(small: Directory, cell: str, code: str) -> None:
    assert match(small, name="Hotel Plaza", country=cell) == match(small, name="Hotel Plaza", country=code)


def test_the_legal_form_of_its_own_column_counts_as_part_of_the_name(small: Directory) -> None:
    assert match(small, name="Hotel Plaza", legal_form="S.A.S.") == match(small, name="Hotel Plaza S.A.S.")
    assert match(small, name="Hotel Plaza S.A.", legal_form="S.A.S.") == match(small, name="Hotel Plaza S.A.")


def test_a_former_name_finds_what_the_name_does_not_and_may_contradict_it(small: Directory) -> None:
    row = match(small, name="Xyzzy", former_name="Apple Computer Inc")
    assert row.company is not None
    assert (row.verdict, row.company.identifier, row.matched_on) == ("found", "320193", "formerName")
    row = match(small, name="Ecopetrol S.A.", former_name="Apple Computer Inc")
    assert row.company is not None
    assert row.company.identifier == "899999068"
    assert row.conflicts == ["The former name says Apple Inc. (US 0000320193)."]


@pytest.mark.parametrize("number", ["30-54668997-9?", "¿30-54668997-9?", "3O-54668997-9", "30-5466B997-9"])
def test_a_number_with_a_doubt_or_a_letter_for_a_digit_is_read(directory: Directory, number: str) -> None:
    row = match(directory, name="Visapel", identifier=number, country="AR")
    read = "B" not in number
    assert (row.verdict, len(row.conflicts)) == (("possible", 1) if read else ("found", 0))


def test_the_number_of_a_company_of_another_country_is_told(directory: Directory) -> None:
    row = match(directory, name="Terpel", identifier="830.095.213-0", country="EC")
    assert row.verdict != "found"
    assert row.conflicts == [
        "The number is that of ORGANIZACIÓN TERPEL S.A. (CO 830.095.213-0), in another country than the row."
    ]


@pytest.mark.parametrize(
    ("name", "number", "country"),
    [("COMERCIALIZADORA Y CONSTRUCTOR", "CCR180124FI9", "MX"), ("UNIMED", "46124624000111", "BR")],
)
def test_the_beginning_of_the_name_agrees_with_the_number(
    directory: Directory, name: str, number: str, country: str
) -> None:
    row = match(directory, name=name, identifier=number, country=country)
    assert (row.verdict, row.company and row.company.identifier, row.conflicts) == ("found", number, [])


@pytest.mark.parametrize(
    ("name", "number", "country", "others"),
    [
        ("Klabin S.A.", "60.484.797/0001-71", "BR", "KLABIN S.A. (BR 89.637.490/0001-45)"),
        ("TIM S.A.", "02.558.115/0001-21", "BR", "TIM S.A. (BR 02.421.421/0001-11)"),
    ],
)
def test_a_trade_name_that_is_the_legal_name_of_another_company_is_a_conflict(
    directory: Directory, name: str, number: str, country: str, others: str
) -> None:
    row = match(directory, name=name, identifier=number, country=country)
    assert row.verdict == "possible"
    assert row.conflicts[0].endswith(f"the name says {others}.")


def test_two_records_of_one_company_are_not_first_and_second(small: Directory) -> None:
    row = match(small, name="Petrobras")
    assert row.company is not None
    assert row.company.identifier == "33000167000101"
    assert row.second is None or row.second.identifier == "33795055000194"


@pytest.mark.parametrize(
    ("cells", "verdict", "reason"),
    [
        ({"city": "Quito"}, "invalid_input", "The row has neither a name nor an identifier."),
        ({"name": " . "}, "invalid_input", "The row has neither a name nor an identifier."),
        ({"name": "a" * 1_001}, "invalid_input", "Cells of a row that are read may have at most 1000 characters."),
        (
            {"name": "Ecopetrol", "country": "Atlantis"},
            "invalid_input",
            f"The country must be one of: {', '.join(REGISTRY)}.",
        ),
        ({"name": "Ecopetrol", "country": "Perú"}, "not_found", "Padrón does not cover Perú."),
        ({"name": "Ecopetrol", "country": "CL"}, "not_found", "Padrón does not cover CL."),
        ({"name": "Proveedores varios"}, "not_found", "“Proveedores varios” is not the name of a company."),
        (
            {"name": "Ana", "identifier": "1710034065"},
            "not_found",
            "Padrón has only companies; numbers of natural persons are not searched.",
        ),
    ],
)
def test_a_row_without_an_answer_says_why(small: Directory, cells: dict[str, str], verdict: str, reason: str) -> None:
    assert match(small, **cells) == RowMatch(verdict=verdict, conflicts=[], reason=reason)  # type: ignore[arg-type]


def test_of_a_long_activity_the_start_is_read(small: Directory) -> None:
    assert match(small, name="Ecopetrol S.A.", activity="petróleo " * 500).verdict == "found"


@pytest.mark.parametrize("field", sorted(set(FIELDS) - {"activity"}))
def test_no_cell_of_any_length_is_read(small: Directory, monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    folded: list[str] = []
    monkeypatch.setattr(matcher, "fold", lambda text: folded.append(text) or fold(text))
    row = match(small, **{"name": "zqx", field: "a" * (CELL + 1)})
    assert (row.verdict, row.reason) == (
        "invalid_input",
        "Cells of a row that are read may have at most 1000 characters.",
    )
    assert folded == []


@pytest.mark.parametrize("field", sorted(set(FIELDS) - {"country"}))
def test_the_longest_cells_are_read(small: Directory, field: str) -> None:
    for letter in ("a", "\ubdc1", "1 "):
        assert match(small, **{"name": "zqx", field: (letter * CELL)[:CELL]}).verdict == "not_found"


def test_conflicts_are_told_in_spanish(small: Directory) -> None:
    row = run(small.match(ListRow(name="Ecopetrol S.A.", identifier="1790016919001"), "es"))
    assert row.conflicts == [
        "El número dice CORPORACION FAVORITA C.A. (EC 1790016919001) "
        "y el nombre dice ECOPETROL S.A. (CO 899.999.068-1)."
    ]


NUMBERS_OF_FAVORITA = (
    "EC1790016919001",
    "EC 1790016919001",
    "EC-1790016919001",
    "ecu1790016919001",
    "RUC EC1790016919001",
    "'1790016919001",
    '="1790016919001"',
    '="1790016919001.0"',
)


@pytest.mark.parametrize("number", NUMBERS_OF_FAVORITA)
def test_a_number_with_its_country_or_a_mark_of_a_spreadsheet_is_that_number(small: Directory, number: str) -> None:
    assert match(small, identifier=number) == match(small, identifier="1790016919001")
    assert match(small, name="Ecopetrol", identifier=number) == match(
        small, name="Ecopetrol", identifier="1790016919001"
    )


@pytest.mark.parametrize(
    ("number", "holder"),
    [
        ("BR33000167000101", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS (BR 33.000.167/0001-01)"),
        ("BRA-33.000.167/0001-01", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS (BR 33.000.167/0001-01)"),
        ("CO890900608", "ALMACENES EXITO S.A. (CO 890.900.608-9)"),
        ("COL 890.900.608-9", "ALMACENES EXITO S.A. (CO 890.900.608-9)"),
        ("USA0000320193", "Apple Inc. (US 0000320193)"),
        ("US94-2404110", "Apple Inc. (US 0000320193)"),
        ("ARG30546689979", "YPF SOCIEDAD ANONIMA (AR 30-54668997-9)"),
        ("MXCÑ&850101AB1", "CAMINOS Y ÑANDÚES, S.A. DE C.V. (MX CÑ&850101AB1)"),
        ("EC320193", "COMERCIAL DEL PACIFICO COMPAC CIA. LTDA. (EC 320193)"),
    ],
)
def test_a_number_behind_the_code_of_its_country_is_that_countrys_alone(
    small: Directory, number: str, holder: str
) -> None:
    row = match(small, name="Microsoft", identifier=number)
    assert (row.verdict, row.conflicts) == (
        "possible",
        [f"The number says {holder}, the name says MICROSOFT CORP (US 0000789019)."],
    )


def test_a_number_with_the_code_of_another_country_than_the_rows_is_a_conflict(small: Directory) -> None:
    row = match(small, name="Ecopetrol", identifier="EC1790016919001", country="CO")
    assert (row.verdict, row.company and row.company.identifier) == ("possible", "899999068")
    assert row.conflicts == [
        "The number says CORPORACION FAVORITA C.A. (EC 1790016919001), the name says ECOPETROL S.A. (CO 899.999.068-1)."
    ]


def test_the_key_of_a_number_with_its_country_is_that_of_the_number(small: Directory) -> None:
    for number in ("EC1790016919001", "ecu 1790016919001", "'1790016919001", '="1790016919001.0"'):
        assert small.row_keys(ListRow(identifier=number)) == small.row_keys(ListRow(identifier="1790016919001"))
    assert small.row_keys(ListRow(identifier="CO890900608")).key == "890900608"
    assert small.row_keys(ListRow(identifier="COL890921009")).scheme == "mx-rfc"


@pytest.mark.parametrize(
    ("name", "number", "country", "conflict"),
    [
        (
            "Ecopetrol",
            "33000167000101",
            "CO",
            "The number says PETRÓLEO BRASILEIRO S.A. - PETROBRAS (BR 33.000.167/0001-01), "
            "the name says ECOPETROL S.A. (CO 899.999.068-1).",
        ),
        (
            "Apple",
            "899999068-1",
            "US",
            "The number says ECOPETROL S.A. (CO 899.999.068-1), the name says Apple Inc. (US 0000320193).",
        ),
        (
            "Favorita",
            "NIT 899999068",
            "EC",
            "The number says ECOPETROL S.A. (CO 899.999.068-1), "
            "the name says CORPORACION FAVORITA C.A. (EC 1790016919001).",
        ),
        (
            "Ecopetrol",
            "CIK 320193",
            "CO",
            "The number says Apple Inc. (US 0000320193), the name says ECOPETROL S.A. (CO 899.999.068-1).",
        ),
    ],
)
def test_a_number_of_a_company_of_another_country_is_a_conflict(
    small: Directory, name: str, number: str, country: str, conflict: str
) -> None:
    row = match(small, name=name, identifier=number, country=country)
    assert (row.verdict, row.company and row.company.confidence) == ("possible", 0.5)
    assert row.conflicts == [conflict]


@pytest.mark.parametrize("country", ["", "CO"])
@pytest.mark.parametrize("number", ["TME840315KT6", "30-61292945-5", "RUC 1790010937001", "04.913.711/0001-08"])
def test_an_official_number_that_no_company_has_is_not_that_of_the_name(
    small: Directory, number: str, country: str
) -> None:
    row = match(small, name="Ecopetrol", identifier=number, country=country)
    assert (row.verdict, row.company and row.company.confidence) == ("possible", 0.5)
    assert row.conflicts == ["The name says ECOPETROL S.A. (CO 899.999.068-1), which has another number than the row."]


def test_a_number_of_a_kind_that_the_register_does_not_give_the_company_is_no_conflict(small: Directory) -> None:
    row = match(small, name="Apple Inc.", identifier="HWUPKR0MPOU8FGXBT394")
    assert (row.verdict, row.company and row.company.identifier, row.conflicts) == ("found", "320193", [])


@pytest.mark.parametrize("number", ["TME840315KT7", "900123456", "4500012345", "V-10023", "PO-2024-118"])
def test_a_number_that_may_be_the_lists_own_says_nothing(small: Directory, number: str) -> None:
    assert match(small, name="Petrobras", identifier=number) == match(small, name="Petrobras")


def test_nine_digits_without_a_label_are_no_number_of_another_country(small: Directory) -> None:
    assert match(small, name="Favorita", identifier="899999068", country="EC").conflicts == []


@pytest.mark.parametrize(
    ("name", "number", "country"),
    [("Petrobras", "33000167000101", "US"), ("Favorita", "33000167", "EC"), ("Ecopetrol", "21344", "CO")],
)
def test_a_number_of_its_own_abroad_or_too_short_for_abroad_is_no_conflict(
    small: Directory, name: str, number: str, country: str
) -> None:
    row = match(small, name=name, identifier=number, country=country)
    assert (row.verdict, row.conflicts) == ("found", [])


def test_a_place_elsewhere_is_told_and_no_conflict_where_the_number_settles_the_row(small: Directory) -> None:
    for cells in ({"name": "Favorita"}, {}):
        row = match(small, identifier="1790016919001", city="Guayaquil", **cells)
        assert (row.verdict, row.company and row.company.confidence) == ("found", 1.0)
        assert row.reason.endswith(" The row says Guayaquil, the register QUITO, PICHINCHA.")
        assert row.conflicts == []


def test_a_row_that_is_not_found_points_at_no_company(small: Directory) -> None:
    row = match(small, name="Banco Andino", city="Cali")
    assert row == RowMatch(verdict="not_found", conflicts=[], reason="Nothing found.")


def test_a_city_that_is_a_region_of_its_own_is_told_once(directory: Directory) -> None:
    row = match(directory, name="Ecopetrol S.A.", country="CO", city="Medellín")
    assert row.reason.endswith(" The row says Medellín, the register BOGOTÁ, D.C.")
    assert row.conflicts == []


@pytest.mark.parametrize("place", ["México D.F.", "México, DF", "CDMX", "D.F.", "D. F.", "Distrito Federal"])
@pytest.mark.parametrize("field", ["city", "region"])
def test_the_capital_of_mexico_has_its_former_name_too(directory: Directory, field: str, place: str) -> None:
    row = match(directory, **{"name": "Bimbo SA de CV", "country": "MX", field: place})
    assert (row.verdict, row.conflicts, "The row says" in row.reason) == ("found", [], False)


@pytest.mark.parametrize(
    ("name", "number", "identifier", "conflict"),
    [
        (
            "Ecopetrol",
            "NIT 899999068-2",
            "899999068",
            "The check digit of that NIT (tax number) is wrong: check the number.",
        ),
        (
            "Petrobras",
            "33.000.167/0001-02",
            "33000167000101",
            "The check digit of that CNPJ is wrong: check the number.",
        ),
        (
            "YPF",
            "CUIT 30-54668997-8",
            "30546689979",
            "The name says YPF SA (AR 30-54668997-9), which has another number than the row.",
        ),
        (
            "Corporación Favorita",
            "1790016918001",
            "1790016919001",
            "The name says CORPORACION FAVORITA C.A. (EC 1790016919001), which has another number than the row.",
        ),
    ],
)
def test_a_wrong_check_digit_beside_the_right_name_is_a_conflict(
    directory: Directory, name: str, number: str, identifier: str, conflict: str
) -> None:
    row = match(directory, name=name, identifier=number)
    assert row.company is not None
    assert (row.verdict, row.company.identifier, row.conflicts) == ("possible", identifier, [conflict])
    assert row.company.confidence <= 0.5


@pytest.mark.parametrize(
    ("name", "number"),
    [("Ford Motor Co", "EIN 38-1612444"), ("Grupo Constructor Cerza", "GCV130524H35"), ("Bayer", "NIT, 899999068-1")],
)
def test_the_exact_name_of_another_company_does_not_agree_with_a_number(
    directory: Directory, name: str, number: str
) -> None:
    row = match(directory, name=name, identifier=number)
    assert (row.verdict, len(row.conflicts)) == ("possible", 1)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Ford Motor Credit", "EIN 38-1612444"),
        ("Ford", "EIN 38-0549190"),
        ("TIA", "0990017514001"),
        ("", "EIN 60236700"),
    ],
)
def test_a_shorter_name_agrees_with_its_number(directory: Directory, name: str, number: str) -> None:
    row = match(directory, name=name, identifier=number)
    assert (row.verdict, row.matched_on, row.conflicts) == ("found", "identifier", [])


@pytest.mark.parametrize(
    "number", ["R.U.C. No. 990017514001", "RUC: 0990017514001", "ruc 990017514001.0", "12345678\nruc 0990017514001"]
)
def test_a_label_before_a_damaged_number_is_no_part_of_it(directory: Directory, number: str) -> None:
    row = match(directory, name="Almacenes Tía", identifier=number)
    assert row.company is not None
    assert (row.verdict, row.company.identifier, row.conflicts) == ("found", "0990017514001", [])


def test_a_wrong_header_of_a_column_is_no_scheme_of_its_numbers(small: Directory) -> None:
    for name in ("Ecopetrol", "Zumbawe"):
        labelled = match(small, name=name, identifier="ruc 899999068-1", country="CO")
        assert labelled == match(small, name=name, identifier="899999068-1", country="CO")


def test_a_rounded_number_agrees_with_the_company_that_has_such_a_number(directory: Directory) -> None:
    row = match(directory, name="Puntonet S.A.", identifier="1.79129E+12")
    assert (row.verdict, row.company and row.company.identifier, row.conflicts) == ("found", "1791290151001", [])
    row = match(directory, name="Puntonet S.A.", identifier="1.79001E+12")
    assert (row.verdict, len(row.conflicts)) == ("possible", 1)


def test_a_branch_behind_a_name_is_no_part_of_it(directory: Directory) -> None:
    row = match(directory, name="Automekano Suc. Guayaquil", city="Gye")
    assert (row.verdict, row.company and row.company.identifier) == ("found", "1891715664001")


def test_a_place_in_the_name_is_none_that_the_row_states(small: Directory) -> None:
    assert match(small, name="Favorita Guayaquil").conflicts == []
    assert match(small, name="Favorita Guayaquil", activity="comercio").conflicts == []


@pytest.mark.parametrize(
    "name",
    [
        "Favorita - sucursal Cumbayá",
        "Favorita Sucursal Guayaquil",
        "Favorita Filial 5",
        "Favorita\nMatriz",
        "Favorita\nAv. General Enríquez",
        "FAVORITA (Casa Matriz)",
        "Favorita, Agencia Norte",
        "Favorita (Sede Norte)",
    ],
)
def test_a_branch_behind_the_name_does_not_doubt_the_number(small: Directory, name: str) -> None:
    row = match(small, name=name, identifier="1790016919001")
    assert (row.verdict, row.company and row.company.confidence, row.conflicts) == ("found", 1.0, [])


def test_a_branch_of_another_company_is_a_conflict(small: Directory) -> None:
    row = match(small, name="Ecopetrol Sucursal Guayaquil", identifier="1790016919001")
    assert (row.verdict, len(row.conflicts)) == ("possible", 1)
    assert match(small, name="Agencia Zumbawe de la Favorita", identifier="1790016919001").verdict == "possible"


def test_a_number_that_no_person_can_have_is_not_refused(small: Directory) -> None:
    row = match(small, name="YPF", identifier="30546689970")
    assert (row.verdict, row.company and row.company.identifier) == ("possible", "30546689979")
    assert row.conflicts == [
        "The name says YPF SOCIEDAD ANONIMA (AR 30-54668997-9), which has another number than the row."
    ]
    row = match(small, name="Petrobras", identifier="30546689979", country="BR")
    assert row.verdict == "possible"
    assert row.conflicts == [
        "The number says YPF SOCIEDAD ANONIMA (AR 30-54668997-9), "
        "the name says PETRÓLEO BRASILEIRO S.A. - PETROBRAS (BR 33.000.167/0001-01)."
    ]


@pytest.mark.parametrize(
    ("number", "country"),
    [
        ("33717172328", ""),  # a CPF by its check digits, a CUIT by its prefix
        ("337.171.723-58", ""),
        ("11144477734", ""),
        ("BR11144477735", ""),
        ("11144477734", "BR"),
    ],
)
def test_a_number_of_a_person_is_refused(small: Directory, number: str, country: str) -> None:
    row = match(small, name="Ana", identifier=number, country=country)
    assert row == match(small, name="Ana", identifier="1710034065")


@pytest.mark.parametrize(
    ("name", "number", "country", "scheme"),
    [
        ("Apple Inc.", "94-2404110", "", "EIN"),
        ("Apple Inc.", "320193", "US", "CIK"),
        ("Favorita", "384", "EC", "Expediente (file number)"),
        ("Favorita", "1790016919001", "", "RUC (tax number)"),
        ("Petrobras", "5493000J801JZRCMFE49", "", "LEI"),
    ],
)
def test_the_reason_names_the_scheme_of_the_number(
    small: Directory, name: str, number: str, country: str, scheme: str
) -> None:
    assert match(small, name=name, identifier=number, country=country).reason.endswith(f": the number is its {scheme}.")


def test_a_row_is_not_sent_to_the_country_that_it_states(small: Directory) -> None:
    row = match(small, name="comercializadora supermercado la favorita", country="EC", city="Loja")
    assert row.verdict == "possible"
    assert row.reason.startswith("The most similar, “CORPORACION FAVORITA C.A.”")


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Ecopetrol S.A. / Almacenes Exito S.A.", "ECOPETROL S.A.", "ALMACENES EXITO S.A."),
        ("Apple / Microsoft", "Apple Inc.", "MICROSOFT CORP"),
        ("Ecopetrol y Microsoft", "ECOPETROL S.A.", "MICROSOFT CORP"),
        ("Microsoft, Quito | Ecopetrol", "ECOPETROL S.A.", "MICROSOFT CORP"),
        ("Microsoft; Ecopetrol", "ECOPETROL S.A.", "MICROSOFT CORP"),
    ],
)
@pytest.mark.parametrize("city", ["", "Bogotá"])
def test_a_cell_that_names_two_companies_means_neither(
    small: Directory, name: str, first: str, second: str, city: str
) -> None:
    row = match(small, name=name, city=city)
    assert row.verdict in {"ambiguous", "possible"}
    assert row.company is not None
    assert row.second is not None
    assert {row.company.legal_name, row.second.legal_name} == {first, second}
    assert "The text names several companies: " in row.reason
    assert first in row.reason
    assert second in row.reason


@pytest.mark.parametrize(
    ("name", "legal_name"),
    [
        ("Petróleo Brasileiro / Petrobras", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"),
        ("Ecopetrol - Bogotá", "ECOPETROL S.A."),
        ("Ecopetrol / factura", "ECOPETROL S.A."),
        ("Ecopetrol, Apple Road", "ECOPETROL S.A."),
        ("Ecopetrol - Garcos", "ECOPETROL S.A."),
        ("Corporación Favorita (antes Supermercados La Favorita), Quito", "CORPORACION FAVORITA C.A."),
        ("Apple, Inc.", "Apple Inc."),
        ("Coca-Cola Consolidated", "Coca-Cola Consolidated, Inc."),
    ],
)
def test_marks_in_the_name_of_one_company_do_not_make_it_two(small: Directory, name: str, legal_name: str) -> None:
    row = match(small, name=name)
    assert row.company is not None
    assert (row.verdict, row.company.legal_name) == ("found", legal_name)


@pytest.mark.parametrize("name", ["1. Ecopetrol", "3.- Ecopetrol S.A.", "10. ECOPETROL", "1) Ecopetrol"])
def test_the_number_of_an_item_is_no_part_of_its_name(small: Directory, name: str) -> None:
    row = match(small, name=name, country="CO")
    assert row.company is not None
    assert (row.verdict, row.company.legal_name) == ("found", "ECOPETROL S.A.")


@pytest.mark.parametrize(
    ("cells", "searches"),
    [
        ({"name": "zumbawe", "identifier": "1790016919001; 33000167000101; 899999068"}, 3),
        ({"name": "zumbawe", "former_name": "ecopetrol"}, 2),
        ({"name": "zumbawe", "former_name": "ecopetrol", "city": "Quito"}, 4),
    ],
)
def test_others_have_their_turn_between_the_searches_of_a_row(
    small: Directory, monkeypatch: pytest.MonkeyPatch, cells: dict[str, str], searches: int
) -> None:
    rounds, begun = [0], list[int]()

    def noting(name: str) -> None:
        search = getattr(Finder, name)

        async def noted(finder: Finder, *arguments: Any) -> Any:
            begun.append(rounds[0])
            return await search(finder, *arguments)

        monkeypatch.setattr(Finder, name, noted)

    async def count() -> None:
        while True:
            rounds[0] += 1
            await asyncio.sleep(0)

    async def visit() -> None:
        counting = asyncio.create_task(count())
        await small.match(ListRow(**cells), "en")
        counting.cancel()

    for name in ("by_number", "find", "likeliest", "comments"):
        noting(name)
    run(visit())
    assert len(begun) >= searches
    assert len(set(begun)) == len(begun)
