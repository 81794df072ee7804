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

from padron import snapshot
from padron.ingest.statements import statements

DATA = Path(__file__).parents[1] / "data" / "statements"
OFFICIAL = Path(__file__).parents[2] / "data" / "official"

Found = dict[tuple[str, str, str], snapshot.Statement]


def read_by_eye(country: str) -> list[dict[str, str]]:
    with (DATA / f"{country}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


READ = [(country, row) for country in ("us", "br", "ec", "co") for row in read_by_eye(country)]


@pytest.fixture(scope="module")
def found(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    read = snapshot.read_release(release, snapshot.current(release))
    yearly = statements(release, tmp_path_factory.mktemp("work"), read)
    return {(one.country, one.identifier, one.period_end): one for one in yearly}


def amounts(statement: snapshot.Statement) -> dict[str, Decimal]:
    return {amount.figure: amount.amount for amount in statement.amounts}


def basis(statement: snapshot.Statement, figure: str) -> str | None:
    return next(amount.basis for amount in statement.amounts if amount.figure == figure)


def years(found: Found, country: str, identifier: str) -> Iterator[snapshot.Statement]:
    return (one for key, one in sorted(found.items()) if key[:2] == (country, identifier))


@pytest.mark.parametrize(
    ("country", "row"), READ, ids=lambda value: value if isinstance(value, str) else value["figure"]
)
def test_a_figure_is_the_published_one(found: Found, country: str, row: dict[str, str]) -> None:
    statement = found[country.upper(), row["identifier"], row["period_end"]]
    assert amounts(statement)[row["figure"]] == Decimal(row["amount"])


@pytest.mark.parametrize(("country", "fewest"), [("us", 6), ("br", 10), ("ec", 10), ("co", 9)])
def test_enough_companies_were_read_by_eye(country: str, fewest: int) -> None:
    assert len({row["identifier"] for row in read_by_eye(country)}) == fewest


def published(file: Path, row: str, column: str) -> str:
    """What stands there, read without any code of ours."""
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


def test_a_restated_year_holds_what_is_true_now_and_what_was_first_reported(found: Found) -> None:
    apple = found["US", "320193", "2008-09-27"]
    profit = next(amount for amount in apple.amounts if amount.figure == "net_profit")
    assert (profit.amount, profit.first, apple.restated) == (6_119_000_000, 4_834_000_000, True)
    assert found["US", "320193", "2009-09-26"].restated


@pytest.mark.parametrize(
    ("company", "period_end", "amount"),
    [("1045810", "2015-01-25", 631_000_000), ("1835632", "2022-01-29", -421_000_000)],
    ids=["NVIDIA", "Marvell"],
)
def test_rounding_is_no_restatement(found: Found, company: str, period_end: str, amount: int) -> None:
    statement = found["US", company, period_end]
    assert (amounts(statement)["net_profit"], statement.restated) == (amount, False)


def test_the_tag_of_revenue_is_chosen_year_by_year(found: Found) -> None:
    """Alphabet FY2022 is only under the contract tag, FY2025 only under Revenues; NVIDIA goes to and fro."""
    contract = "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"
    assert basis(found["US", "1652044", "2022-12-31"], "revenue") == contract
    assert basis(found["US", "1652044", "2025-12-31"], "revenue") == "us-gaap:Revenues"
    assert all("revenue" in amounts(one) for one in years(found, "US", "1045810"))
    apple = [int(amounts(one)["revenue"] / 1_000_000) for one in years(found, "US", "320193")][-9:]
    assert apple == [229_234, 265_595, 260_174, 274_515, 365_817, 394_328, 383_285, 391_035, 416_161]


def test_years_of_weeks_are_told_by_their_days_not_by_the_label_of_the_filing(found: Found) -> None:
    nvidia = list(years(found, "US", "1045810"))
    assert [one.fiscal_year for one in nvidia] == list(range(2008, 2027))
    latest = nvidia[-1]
    assert (latest.period_start, latest.period_end) == ("2025-01-27", "2026-01-25")
    assert (latest.form, latest.filing, latest.filed) == ("10-K", "0001045810-26-000021", "2026-02-25")
    assert found["US", "320193", "2023-09-30"].period_start == "2022-09-25"


def test_proxy_statements_do_not_hide_the_years_they_repeat(found: Found) -> None:
    """DEF 14A rows repeat five years of profit and take the `frame` of the 10-K rows: by form, none is lost."""
    assert {one.form for one in found.values() if one.register == "US"} == {"10-K", "10-K/A", "20-F"}
    assert [one.fiscal_year for one in years(found, "US", "1652044")] == list(range(2013, 2026))


def test_a_foreign_filer_reports_by_ifrs(found: Found) -> None:
    lpa = list(years(found, "US", "1997711"))
    assert [amounts(one)["revenue"] for one in lpa[1:]] == [31_983_567, 39_436_343, 43_862_372]
    assert (lpa[-1].form, lpa[-1].currency, basis(lpa[-1], "revenue")) == ("20-F", "USD", "ifrs-full:Revenue")
    assert "current_assets" not in amounts(lpa[0]), "the first 20-F has no balance of 2021: absent, not zero"


def test_gross_profit_is_worked_out_where_it_is_not_tagged(found: Found) -> None:
    alphabet = found["US", "1652044", "2025-12-31"]
    assert amounts(alphabet)["gross_profit"] == 402_836_000_000 - 162_535_000_000
    assert basis(alphabet, "gross_profit") == "us-gaap:Revenues - us-gaap:CostOfRevenue"


def test_what_stands_between_liabilities_and_equity_is_flagged_not_dropped(found: Found) -> None:
    """Snowflake before it went public: redeemable convertible stock is neither."""
    assert found["US", "1640147", "2020-01-31"].checks == ("assets-not-liabilities-plus-equity",)
    assert found["US", "1640147", "2021-01-31"].checks == ()


# ------------------------------------------------------------------------------------------------- Brazil


def test_a_dfp_of_three_months_is_no_year(found: Found) -> None:
    """Banco Inter changed its year: January to March 2022, 723,645 thousand of revenue, is no year 2022."""
    assert [one.period_end for one in years(found, "BR", "00416968000101")] == ["2021-12-31"]
    assert [one.period_end for one in years(found, "BR", "71476527000135")] == ["2022-12-31"]


def test_a_bank_has_its_own_plan_of_accounts(found: Found) -> None:
    inter = found["BR", "00416968000101", "2021-12-31"]
    assert (basis(inter, "net_profit"), basis(inter, "pretax_profit")) == ("3.09", "3.05")
    assert {"gross_profit", "operating_profit"}.isdisjoint(amounts(inter)), "3.03 and 3.05 mean other things there"


def test_the_year_shown_again_tells_of_a_restatement(found: Found) -> None:
    mineira = found["BR", "08493364000162", "2022-03-31"]
    profit = next(amount for amount in mineira.amounts if amount.figure == "net_profit")
    assert (profit.amount, profit.first, mineira.restated) == (195_085_000, 72_903_000, True)
    assert (mineira.form, mineira.filing) == ("DFP PENÚLTIMO", "021709/2023-03-31/1")
    pettenati = found["BR", "88613658000110", "2022-06-30"]
    assert (amounts(pettenati)["net_profit"], pettenati.restated) == (82_137_248, False)


def test_the_fiscal_year_is_that_of_the_end(found: Found) -> None:
    camil = found["BR", "64904295000103", "2023-02-28"]
    assert (camil.fiscal_year, camil.period_start, camil.scope, camil.currency) == (
        2023,
        "2022-03-01",
        "consolidated",
        "BRL",
    )
    assert found["BR", "02635522000195", "2021-03-31"].period_start == "2020-03-31", "a day early, as filed"


def test_a_balance_that_no_file_has_is_absent(found: Found) -> None:
    assert "assets" not in amounts(found["BR", "02635522000195", "2021-03-31"])
    assert amounts(found["BR", "02635522000195", "2022-03-31"])["liabilities"] == (4_249_872 - 1_388_729) * 1000


# ------------------------------------------------------------------------------------------------- Ecuador


def test_the_ranking_gives_a_year_with_employees(found: Found) -> None:
    favorita = found["EC", "1790016919001", "2024-12-31"]
    assert (favorita.employees, favorita.currency, favorita.scope) == (11_547, "USD", "individual")
    assert amounts(favorita)["liabilities"] == Decimal("826478594.31")
    assert len(list(years(found, "EC", "1791316347001"))) == 8
    assert "assets" not in amounts(found["EC", "1791316347001", "2018-12-31"])


def test_a_profit_that_was_not_carried_into_equity_is_absent(found: Found) -> None:
    """Casilleros 614 and 615 are both 0 while 801 has a profit of 2.16."""
    assert "net_profit" not in amounts(found["EC", "1792239079001", "2020-12-31"])


def test_a_form_of_zeros_is_no_statement(found: Found) -> None:
    assert ("EC", "1091763032001", "2020-12-31") not in found


def test_a_balance_that_does_not_balance_is_flagged(found: Found) -> None:
    assert found["EC", "0991285679001", "2020-12-31"].checks == ("assets-not-liabilities-plus-equity",)


# ------------------------------------------------------------------------------------------------- Colombia


def test_lists_of_two_editions_make_one_series(found: Found) -> None:
    ecopetrol = list(years(found, "CO", "899999068"))
    assert [one.fiscal_year for one in ecopetrol] == [2017, 2018, 2024, 2025]
    assert amounts(ecopetrol[-1])["revenue"] == 100_590_667_613_000
    assert (ecopetrol[-1].scope, ecopetrol[-1].currency) == ("separate", "COP")
    assert {one.source for one in ecopetrol} == {"supersociedades-10000", "supersociedades-1000-2018"}


def test_operating_profit_is_that_of_the_second_sheet(found: Found) -> None:
    d1 = found["CO", "900276962", "2025-12-31"]
    assert (amounts(d1)["operating_profit"], basis(d1, "operating_profit")) == (982_484_542_000, "operacion_2025")
    assert "operating_profit" not in amounts(found["CO", "899999068", "2025-12-31"]), "under another supervisor"
    workbook = [one for one in found.values() if one.source == "supersociedades-10000"]
    assert sum("operating_profit" in amounts(one) for one in workbook) == 17_826


def test_a_year_of_na_cells_is_absent(found: Found) -> None:
    assert [one.fiscal_year for one in years(found, "CO", "860525055")] == [2025]


def test_billions_with_two_decimals_are_never_amounts(found: Found) -> None:
    assert not any(one.source == "supersociedades-6cat" for one in found.values())


def test_the_one_row_of_the_workbook_that_does_not_balance(found: Found) -> None:
    flagged = {key[1] for key, one in found.items() if one.source == "supersociedades-10000" and one.checks}
    assert "900743592" in flagged
    assert len(flagged) == 2


# ------------------------------------------------------------------------------------------------- all


def test_what_has_no_statement_says_so(release: Path, found: Found) -> None:
    read = snapshot.read_release(release, snapshot.current(release))
    having = {
        (company.country, company.identifier) for company in snapshot.companies(release, read) if company.financials
    }
    assert having == {key[:2] for key in found}
    assert {country for country, _ in having} == {"US", "BR", "EC", "CO"}


def test_a_company_without_statements_at_home_has_those_of_its_linked_record(found: Found) -> None:
    """Ecopetrol's SEC record: its companyfacts are not among the bundled files, its Colombian figures are."""
    lent = found["US", "1444406", "2025-12-31"]
    assert lent._replace(country="CO", identifier="899999068") == found["CO", "899999068", "2025-12-31"]
    assert (lent.register, lent.scope) == ("CO", "separate")


def test_every_row_is_accounted_for(release: Path) -> None:
    read = snapshot.read_release(release, snapshot.current(release))
    for name in read.snapshots.values():
        for source, book in snapshot.manifest(release, name)["statements"].items():
            counted = book["used"] + sum(book["passed_over"].values()) + sum(book["rejected"].values())
            assert counted == book["rows"], source
