"""Figures read by eye in the official files against the statements of the release, and each rule on real rows.

tests/data/statements/<cc>.csv: company, period, figure, the amount it must have, and where it was read: the published
text, file, row (line of the unpacked file, row of the sheet, `2/4` of the second one, or path of the fact) and column.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from padron.ingest.statements import statements as yearly_statements
from padron.releases import snapshot

DATA = Path(__file__).parents[1] / "data" / "statements"
OFFICIAL = Path(__file__).parents[2] / "data" / "official"

Statements = dict[tuple[str, str, str], snapshot.StatementRow]


def read_by_eye(country: str) -> list[dict[str, str]]:
    with (DATA / f"{country}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


READ = [(country, row) for country in ("us", "br", "ec", "co") for row in read_by_eye(country)]


@pytest.fixture(scope="module")
def statements(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Statements:
    read = snapshot.read_release(release, snapshot.current(release))
    yearly = yearly_statements(release, tmp_path_factory.mktemp("work"), read)
    return {(statement.country, statement.identifier, statement.period_end): statement for statement in yearly}


def amounts(statement: snapshot.StatementRow) -> dict[str, Decimal]:
    return {amount.figure: amount.amount for amount in statement.amounts}


def basis(statement: snapshot.StatementRow, figure: str) -> str | None:
    return next(amount.basis for amount in statement.amounts if amount.figure == figure)


def years(statements: Statements, country: str, identifier: str) -> Iterator[snapshot.StatementRow]:
    return (statement for key, statement in sorted(statements.items()) if key[:2] == (country, identifier))


@pytest.mark.parametrize(
    ("country", "row"), READ, ids=lambda value: value if isinstance(value, str) else value["figure"]
)
def test_a_figure_is_the_published_one(statements: Statements, country: str, row: dict[str, str]) -> None:
    statement = statements[country.upper(), row["identifier"], row["period_end"]]
    assert amounts(statement)[row["figure"]] == Decimal(row["amount"])


@pytest.mark.parametrize(("country", "fewest"), [("us", 6), ("br", 10), ("ec", 10), ("co", 9)])
def test_enough_companies_were_read_by_eye(country: str, fewest: int) -> None:
    assert len({row["identifier"] for row in read_by_eye(country)}) == fewest


def published(file: Path, row: str, column: str) -> str:
    """Read the figures of a published document without code of the project."""
    if file.suffix == ".xlsx":
        number, _, row = row.rpartition("/")
        with zipfile.ZipFile(file) as archive:
            sheet = archive.read(f"xl/worksheets/sheet{number or 1}.xml").decode()
        start = sheet.index(f'<c r="{column}{row}"')
        return re.findall(r"<v>([^<]*)</v>", sheet[start : sheet.index("</c>", start)])[0]
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    if "/" in row:
        taxonomy, tag, unit, place = row.split("/")
        return str(json.loads(data)["facts"][taxonomy][tag]["units"][unit][int(place)][column])
    lines = data.decode("latin-1").splitlines()
    line = lines[int(row) - 1]
    if file.name.endswith(".json"):
        return re.fullmatch(rf'\s*"{column}": (.*?),?', line)[1]  # type: ignore[index]
    mark = next(mark for mark in (";", "\t", ",") if mark in lines[0])
    header = [cell.strip('"') for cell in lines[0].split(mark)]
    return next(csv.reader([line], delimiter=mark))[header.index(column)]


def test_the_figures_stand_where_they_were_read() -> None:
    wrong = [row for _, row in READ if published(OFFICIAL / row["file"], row["row"], row["column"]) != row["published"]]
    assert not wrong


# ------------------------------------------------------------------------------------------------- United States


def test_a_restated_year_holds_what_is_true_now_and_what_was_first_reported(statements: Statements) -> None:
    apple = statements["US", "320193", "2008-09-27"]
    profit = next(amount for amount in apple.amounts if amount.figure == "net_profit")
    assert (profit.amount, profit.first, apple.restated) == (6_119_000_000, 4_834_000_000, True)
    assert statements["US", "320193", "2009-09-26"].restated


@pytest.mark.parametrize(
    ("company", "period_end", "amount"),
    [("1045810", "2015-01-25", 630_587_000), ("1835632", "2022-01-29", -421_034_000)],
    ids=["NVIDIA", "Marvell"],
)
def test_rounding_is_no_restatement_and_the_more_precise_of_two_equal_figures_stands(
    statements: Statements, company: str, period_end: str, amount: int
) -> None:
    statement = statements["US", company, period_end]
    assert (amounts(statement)["net_profit"], statement.restated) == (amount, False)


def test_liabilities_are_of_one_filing(statements: Statements) -> None:
    """NVIDIA's total of 2014 is in the 10-K of 2014 and 2015; later ones changed the equity alone, by 1.4 million."""
    nvidia = statements["US", "1045810", "2014-01-26"]
    assert amounts(nvidia)["liabilities"] == 7_250_894_000 - 4_456_398_000 == 2_794_496_000
    assert amounts(nvidia)["equity"] == 4_455_000_000
    tags = "us-gaap:LiabilitiesAndStockholdersEquity - us-gaap:StockholdersEquity"
    assert basis(nvidia, "liabilities") == tags


def test_the_tag_of_revenue_is_chosen_year_by_year(statements: Statements) -> None:
    """Alphabet FY2022 is only under the contract tag, FY2025 only under Revenues; NVIDIA goes to and fro."""
    contract = "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"
    assert basis(statements["US", "1652044", "2022-12-31"], "revenue") == contract
    assert basis(statements["US", "1652044", "2025-12-31"], "revenue") == "us-gaap:Revenues"
    assert all("revenue" in amounts(statement) for statement in years(statements, "US", "1045810"))
    apple = [int(amounts(statement)["revenue"] / 1_000_000) for statement in years(statements, "US", "320193")][-9:]
    assert apple == [229_234, 265_595, 260_174, 274_515, 365_817, 394_328, 383_285, 391_035, 416_161]


def test_years_of_weeks_are_told_by_their_days_not_by_the_label_of_the_filing(statements: Statements) -> None:
    nvidia = list(years(statements, "US", "1045810"))
    assert [statement.fiscal_year for statement in nvidia] == list(range(2008, 2027))
    latest = nvidia[-1]
    assert (latest.period_start, latest.period_end) == ("2025-01-27", "2026-01-25")
    assert (latest.form, latest.filing, latest.filed) == ("10-K", "0001045810-26-000021", "2026-02-25")
    assert statements["US", "320193", "2023-09-30"].period_start == "2022-09-25"


def test_proxy_statements_do_not_hide_the_years_they_repeat(statements: Statements) -> None:
    """DEF 14A rows repeat five years of profit and take the `frame` of the 10-K rows: by form, none is lost."""
    assert {statement.form for statement in statements.values() if statement.register == "US"} == {
        "10-K",
        "10-K/A",
        "20-F",
    }
    assert [statement.fiscal_year for statement in years(statements, "US", "1652044")] == list(range(2013, 2026))


def test_a_foreign_filer_reports_by_ifrs(statements: Statements) -> None:
    lpa = list(years(statements, "US", "1997711"))
    assert [amounts(statement)["revenue"] for statement in lpa[1:]] == [31_983_567, 39_436_343, 43_862_372]
    assert (lpa[-1].form, lpa[-1].currency, basis(lpa[-1], "revenue")) == ("20-F", "USD", "ifrs-full:Revenue")
    assert "current_assets" not in amounts(lpa[0]), "the first 20-F has no balance of 2021: absent, not zero"


def test_gross_profit_is_worked_out_where_it_is_not_tagged(statements: Statements) -> None:
    alphabet = statements["US", "1652044", "2025-12-31"]
    assert amounts(alphabet)["gross_profit"] == 402_836_000_000 - 162_535_000_000
    assert basis(alphabet, "gross_profit") == "us-gaap:Revenues - us-gaap:CostOfRevenue"


def test_what_stands_between_liabilities_and_equity_is_flagged_not_dropped(statements: Statements) -> None:
    """Snowflake before it went public: redeemable convertible stock is neither."""
    assert statements["US", "1640147", "2020-01-31"].checks == ("assets-not-liabilities-plus-equity",)
    assert statements["US", "1640147", "2021-01-31"].checks == ()


# ------------------------------------------------------------------------------------------------- Brazil


def test_a_dfp_of_three_months_is_no_year(statements: Statements) -> None:
    """Banco Inter changed its year: January to March 2022, 723,645 thousand of revenue, is no year 2022."""
    assert [statement.period_end for statement in years(statements, "BR", "00416968000101")] == ["2021-12-31"]
    assert [statement.period_end for statement in years(statements, "BR", "71476527000135")] == ["2022-12-31"]


def test_a_bank_has_its_own_plan_of_accounts(statements: Statements) -> None:
    inter = statements["BR", "00416968000101", "2021-12-31"]
    assert (basis(inter, "net_profit"), basis(inter, "pretax_profit")) == ("3.09", "3.05")
    assert {"gross_profit", "operating_profit"}.isdisjoint(amounts(inter)), "3.03 and 3.05 mean other things there"


def test_the_year_shown_again_tells_of_a_restatement(statements: Statements) -> None:
    mineira = statements["BR", "08493364000162", "2022-03-31"]
    profit = next(amount for amount in mineira.amounts if amount.figure == "net_profit")
    assert (profit.amount, profit.first, mineira.restated) == (195_085_000, 72_903_000, True)
    assert (mineira.form, mineira.filing) == ("DFP PENÚLTIMO", "021709/2023-03-31/1")
    pettenati = statements["BR", "88613658000110", "2022-06-30"]
    assert (amounts(pettenati)["net_profit"], pettenati.restated) == (82_137_248, False)


def test_the_fiscal_year_is_that_of_the_end(statements: Statements) -> None:
    camil = statements["BR", "64904295000103", "2023-02-28"]
    assert (camil.fiscal_year, camil.period_start, camil.scope, camil.currency) == (
        2023,
        "2022-03-01",
        "consolidated",
        "BRL",
    )
    assert statements["BR", "02635522000195", "2021-03-31"].period_start == "2020-03-31", "a day early, as filed"


def test_a_balance_that_no_file_has_is_absent(statements: Statements) -> None:
    assert "assets" not in amounts(statements["BR", "02635522000195", "2021-03-31"])
    assert amounts(statements["BR", "02635522000195", "2022-03-31"])["liabilities"] == (4_249_872 - 1_388_729) * 1000


# ------------------------------------------------------------------------------------------------- Ecuador


def test_the_ranking_gives_a_year_with_employees(statements: Statements) -> None:
    favorita = statements["EC", "1790016919001", "2024-12-31"]
    assert (favorita.employees, favorita.currency, favorita.scope) == (11_547, "USD", "individual")
    assert amounts(favorita)["liabilities"] == Decimal("826478594.31")
    assert len(list(years(statements, "EC", "1791316347001"))) == 8
    assert "assets" not in amounts(statements["EC", "1791316347001", "2018-12-31"])


def test_a_profit_that_was_not_carried_into_equity_is_absent(statements: Statements) -> None:
    """Casilleros 614 and 615 are both 0 while 801 has a profit of 2.16."""
    assert "net_profit" not in amounts(statements["EC", "1792239079001", "2020-12-31"])


def test_a_form_of_zeros_is_no_statement(statements: Statements) -> None:
    assert ("EC", "1091763032001", "2020-12-31") not in statements


def test_a_balance_that_does_not_balance_is_flagged(statements: Statements) -> None:
    assert statements["EC", "0991285679001", "2020-12-31"].checks == ("assets-not-liabilities-plus-equity",)


# ------------------------------------------------------------------------------------------------- Colombia


def test_lists_of_two_editions_make_one_series(statements: Statements) -> None:
    ecopetrol = list(years(statements, "CO", "899999068"))
    assert [statement.fiscal_year for statement in ecopetrol] == [2017, 2018, 2024, 2025]
    assert amounts(ecopetrol[-1])["revenue"] == 100_590_667_613_000
    assert (ecopetrol[-1].scope, ecopetrol[-1].currency) == ("separate", "COP")
    assert {statement.source for statement in ecopetrol} == {"supersociedades-10000", "supersociedades-1000-2018"}


def test_operating_profit_is_that_of_the_second_sheet(statements: Statements) -> None:
    d1 = statements["CO", "900276962", "2025-12-31"]
    assert (amounts(d1)["operating_profit"], basis(d1, "operating_profit")) == (982_484_542_000, "operacion_2025")
    assert "operating_profit" not in amounts(statements["CO", "899999068", "2025-12-31"]), "under another supervisor"
    workbook = [statement for statement in statements.values() if statement.source == "supersociedades-10000"]
    assert sum("operating_profit" in amounts(statement) for statement in workbook) == 17_822


def test_a_year_of_na_cells_is_absent(statements: Statements) -> None:
    assert [statement.fiscal_year for statement in years(statements, "CO", "860525055")] == [2025]


def test_billions_with_two_decimals_are_never_amounts(statements: Statements) -> None:
    assert not any(statement.source == "supersociedades-6cat" for statement in statements.values())


def test_the_one_row_of_the_workbook_that_does_not_balance(statements: Statements) -> None:
    flagged = {
        key[1]
        for key, statement in statements.items()
        if statement.source == "supersociedades-10000" and statement.checks
    }
    assert "900743592" in flagged
    assert len(flagged) == 2


# ------------------------------------------------------------------------------------------------- all


def test_what_has_no_statement_says_so(release: Path, statements: Statements) -> None:
    read = snapshot.read_release(release, snapshot.current(release))
    having = {
        (company.country, company.identifier) for company in snapshot.companies(release, read) if company.financials
    }
    assert having == {key[:2] for key in statements}
    assert {country for country, _ in having} == {"US", "BR", "EC", "CO"}


def test_a_company_without_statements_at_home_has_those_of_its_linked_record(statements: Statements) -> None:
    """Ecopetrol's SEC record: its companyfacts are not among the bundled files, its Colombian figures are."""
    lent = statements["US", "1444406", "2025-12-31"]
    assert lent._replace(country="CO", identifier="899999068") == statements["CO", "899999068", "2025-12-31"]
    assert (lent.register, lent.scope) == ("CO", "separate")


def test_every_row_is_accounted_for(release: Path) -> None:
    read = snapshot.read_release(release, snapshot.current(release))
    for name in read.snapshots.values():
        for source, book in snapshot.manifest(release, name)["statements"].items():
            counted = book["used"] + sum(book["passed_over"].values()) + sum(book["rejected"].values())
            assert counted == book["rows"], source
