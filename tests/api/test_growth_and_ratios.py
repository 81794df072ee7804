"""Growth and ratios: their formulas on round amounts, and silence where an amount is missing, negative or zero."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.api.growth_and_ratios import GROWING, RATIOS, with_growth_and_ratios
from padron.companies.model import EntitySource, Figure, Filing, Statement

SOURCE = EntitySource(key="cvm", name="DFP", publisher="CVM", url=None, licence="ODbL", attribution="CVM")


def statement(year: int, amounts: dict[str, str], *, currency: str = "BRL", scope: str = "consolidated", day: int = 31):
    return Statement(
        fiscal_year=year,
        period_start=None,
        period_end=date(year, 12, day),
        currency=currency,
        unit=1,
        scope=scope,
        figures=[
            Figure(key=key, label=key.upper(), amount=amount, basis=None, first_reported=None)
            for key, amount in amounts.items()
        ],
        employees=None,
        restated=False,
        filing=Filing(form=None, reference=None, filed_on=None),
        source=SOURCE,
        checks=[],
    )


def values(measures) -> dict[str, float]:
    return {measure.key: measure.value for measure in measures}


WHOLE = {
    "revenue": "1000.00", "grossProfit": "400", "operatingProfit": "150", "netProfit": "100", "assets": "2000",
    "currentAssets": "600", "currentLiabilities": "400", "liabilities": "1200", "equity": "800",
}  # fmt: skip


def test_every_ratio_by_its_formula() -> None:
    (computed,) = with_growth_and_ratios([statement(2023, WHOLE)], "es")
    assert values(computed.ratios) == {
        "grossMargin": 0.4, "operatingMargin": 0.15, "netMargin": 0.1, "returnOnAssets": 0.05,
        "returnOnEquity": 0.125, "currentRatio": 1.5, "equityRatio": 0.4, "liabilitiesToEquity": 1.5,
    }  # fmt: skip
    assert computed.ratios[2].label == "Margen neto"
    assert computed.growth == []
    assert computed.figures == statement(2023, WHOLE).figures


def test_growth_is_over_the_year_before() -> None:
    latest, before = with_growth_and_ratios(
        [statement(2023, WHOLE | {"revenue": "1100.55", "netProfit": "-50"}), statement(2022, WHOLE)], "en"
    )
    assert values(latest.growth) == {
        "revenue": 0.1006, "grossProfit": 0.0, "operatingProfit": 0.0, "netProfit": -1.5, "assets": 0.0, "equity": 0.0,
    }  # fmt: skip
    assert latest.growth[0].label == "REVENUE"
    assert before.growth == []


@pytest.mark.parametrize(
    "other",
    [
        statement(2021, WHOLE),
        statement(2022, WHOLE, currency="USD"),
        statement(2022, WHOLE, scope="individual"),
        statement(2022, WHOLE, day=1),
        statement(2022, {"revenue": "0", "netProfit": "-1"}),
        statement(2022, {}),
    ],
)
def test_there_is_no_growth_over_what_does_not_compare(other: Statement) -> None:
    assert with_growth_and_ratios([statement(2023, {"revenue": "5", "netProfit": "7"}), other], "es")[0].growth == []


@pytest.mark.parametrize("equity", [None, "0", "-800", "0.00"])
def test_what_cannot_be_divided_by_is_absent_not_zero(equity: str | None) -> None:
    amounts = {key: amount for key, amount in WHOLE.items() if key != "equity"}
    (computed,) = with_growth_and_ratios([statement(2023, amounts | ({"equity": equity} if equity else {}))], "es")
    assert not {"returnOnEquity", "liabilitiesToEquity"} & values(computed.ratios).keys()
    assert ("equityRatio" in values(computed.ratios)) == (equity is not None)


figures = st.dictionaries(
    st.sampled_from(sorted({*GROWING, *(part for ratio in RATIOS.values() for part in ratio[:2])})),
    st.decimals(-(10**17), 10**17, places=2).map(str),
)


@given(figures, figures)
def test_any_amounts_are_measured_and_only_stated_ones(now: dict[str, str], then: dict[str, str]) -> None:
    latest, _ = with_growth_and_ratios([statement(2023, now), statement(2022, then)], "es")
    for ratio in latest.ratios:
        over, under, _ = RATIOS[ratio.key]
        assert (
            abs(Decimal(ratio.value) - Decimal(now[over]) / Decimal(now[under])) <= Decimal("0.0001")
            or abs(ratio.value) > 1e10
        )
    assert {ratio.key for ratio in latest.growth} <= now.keys() & then.keys()
