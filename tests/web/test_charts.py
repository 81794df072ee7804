"""Charts and tables of the financial history: years in their places, gaps, losses, units, series apart."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from padron.api.growth_and_ratios import with_growth_and_ratios
from padron.companies.model import EntitySource, Figure, Filing, Statement
from padron.web.charts import BOTTOM, TOP, SeriesOutline, charts_of, matrix_of, outlines_of, scale_of, series_of
from padron.web.language import scaled
from padron.web.workbook import workbook


def statement(year: int, revenue: str, scope: str = "consolidated", currency: str = "COP", **more: str) -> Statement:
    """A statement with a revenue and other figures by key."""
    amounts = {"revenue": revenue, **more}
    return Statement(
        fiscal_year=year,
        period_start=date(year, 1, 1),
        period_end=date(year, 12, 31),
        currency=currency,
        unit=1,
        scope=scope,
        figures=[
            Figure(key=key, label=key.capitalize(), amount=amount, basis=None, first_reported=None)
            for key, amount in amounts.items()
        ],
        employees=None,
        restated=False,
        filing=Filing(form=None, reference=None, filed_on=None),
        source=EntitySource(key="s", name="S", publisher="P", url=None, licence="CC0", attribution="—"),
        checks=[],
    )


def of(*statements: Statement):
    """The series of statements, which come the latest first."""
    return series_of(with_growth_and_ratios(statements, "en"))


ECOPETROL = (
    statement(2025, "100590667613000"),
    statement(2024, "113923310323000"),
    statement(2018, "62579849000000"),
    statement(2017, "49687082000000"),
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("-0.0331", "-0.0331"),
        ("0.04", "0.04"),
        ("0.05", "0.05"),
        ("0.06", "0.1"),
        ("-12.34", "-12.3"),
        ("0", "0.0"),
        ("-1e-9", "0.0"),
    ],
)
def test_an_amount_too_small_for_a_decimal_is_not_a_zero_with_a_sign(value: str, shown: str) -> None:
    assert scaled(Decimal(value), "en") == shown


def test_a_hair_of_a_loss_takes_no_step_of_the_axis() -> None:
    (series,) = of(statement(2010, "120000000000"), statement(2009, "-30000000"))
    (chart,) = charts_of(series, "en")
    assert chart.ticks[0].amount == 0
    (series,) = of(statement(2010, "120000000000"), statement(2009, "-30000000000"))
    (chart,) = charts_of(series, "en")
    assert chart.ticks[0].amount < 0


def test_years_that_follow_one_another_are_a_span() -> None:
    assert SeriesOutline("consolidated", "USD", (2007, 2008, 2009, 2017, 2024, 2025), ()).spans == (
        "2007–2009, 2017, 2024–2025"
    )


def test_a_year_without_a_statement_has_its_place() -> None:
    (series,) = of(*ECOPETROL)
    assert series.gaps() == [2019, 2020, 2021, 2022, 2023]
    (chart,) = charts_of(series, "en")
    assert [column.year for column in chart.columns] == list(range(2017, 2026))
    assert [column.year for column in chart.columns if column.amount is None] == series.gaps()
    steps = {round(right.left - left.left, 0) for left, right in zip(chart.columns, chart.columns[1:], strict=False)}
    assert len(steps) == 1, "every year is as wide"
    assert chart.columns[-1].named


def test_a_loss_hangs_below_zero() -> None:
    (series,) = of(statement(2021, "1", netProfit="-50"), statement(2020, "1", netProfit="100"))
    chart = charts_of(series, "en")[1]
    gain, loss = chart.columns
    assert (gain.below, loss.below) == (False, True)
    assert gain.top + gain.height == pytest.approx(chart.zero, abs=0.2)
    assert loss.top == chart.zero < loss.top + loss.height <= BOTTOM


@given(st.lists(st.decimals(-(10**14), 10**14, places=2), min_size=2, max_size=30))
def test_columns_stay_within_round_ticks(amounts: list[Decimal]) -> None:
    years = [statement(1990 + at, str(amount)) for at, amount in enumerate(amounts)]
    (series,) = of(*reversed(years))
    (chart,) = charts_of(series, "es")
    assert 2 <= len(chart.ticks) <= 7
    assert all(column.top >= TOP and column.top + column.height <= BOTTOM + 0.1 for column in chart.columns)
    assert Decimal(0) in {tick.amount for tick in chart.ticks}
    assert sum(column.named for column in chart.columns) <= 6


@pytest.mark.parametrize(
    ("largest", "divisor", "name"),
    [
        (0, 1, ""),
        (9_999, 1, ""),
        (10_000, 1_000, "miles de"),
        (-10_000_000, 10**6, "millones de"),
        (10**10, 10**9, "miles de millones de"),
    ],
)
def test_amounts_are_written_in_a_unit_of_their_size(largest: int, divisor: int, name: str) -> None:
    assert scale_of([Decimal(largest), Decimal(5)], "es") == (divisor, name)


def test_one_table_has_every_year_and_what_is_not_stated_is_empty() -> None:
    (series,) = of(statement(2024, "300", netProfit="30"), statement(2023, "200"))
    matrix = matrix_of(series, "en")
    assert matrix.years == (2024, 2023)
    assert [(row.label, row.cells) for row in matrix.amounts] == [
        ("Revenue", (Decimal(300), Decimal(200))),
        ("Netprofit", (Decimal(30), None)),
    ]
    assert [(row.label, row.cells) for row in matrix.growth] == [("Revenue", (0.5, None))]
    assert [(row.label, row.cells, row.share) for row in matrix.ratios] == [("Net margin", (0.1, None), True)]


def test_consolidated_and_separate_are_not_mixed() -> None:
    every = of(statement(2024, "9"), statement(2024, "5", "separate"), statement(2023, "4", "separate"))
    assert [(series.scope, len(series.statements)) for series in every] == [("separate", 2), ("consolidated", 1)]


def test_without_the_plan_there_are_years_and_labels_but_no_amount() -> None:
    (outline,) = outlines_of(ECOPETROL)
    assert outline == ("consolidated", "COP", (2017, 2018, 2024, 2025), ("Revenue",))


def test_a_workbook_has_every_digit_of_an_amount() -> None:
    every = of(statement(2024, "9007199254740993.25"), statement(2023, "391035000000.5"))
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(workbook(every, "en"))).get_sheet_by_index(0).to_python()
    assert ["Revenue", "9007199254740993.25", 391035000000.5] in [row[:3] for row in sheet]
