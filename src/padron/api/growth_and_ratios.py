"""Growth and ratios of yearly statements, computed from their exact amounts: no source publishes them so.

A measure is there only where both of its amounts are stated and what it is divided by is above zero: growth from a
loss, or a return on negative equity, would say the opposite of what it seems to.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from padron.api.v1_model import Measure, V1Statement
from padron.companies.model import Statement
from padron.words import N_, Language, translate

GROWING: Final = ("revenue", "grossProfit", "operatingProfit", "netProfit", "assets", "equity")
"""Figures with growth over the year before: (this year - year before) / year before."""


class Ratio(NamedTuple):
    """One figure divided by another of the same statement."""

    over: str
    under: str
    label: str


RATIOS: Final = {
    "grossMargin": Ratio("grossProfit", "revenue", N_("Gross margin")),
    "operatingMargin": Ratio("operatingProfit", "revenue", N_("Operating margin")),
    "netMargin": Ratio("netProfit", "revenue", N_("Net margin")),
    "returnOnAssets": Ratio("netProfit", "assets", N_("Return on assets")),
    "returnOnEquity": Ratio("netProfit", "equity", N_("Return on equity")),
    "currentRatio": Ratio("currentAssets", "currentLiabilities", N_("Current ratio")),
    "equityRatio": Ratio("equity", "assets", N_("Equity ratio")),
    "liabilitiesToEquity": Ratio("liabilities", "equity", N_("Liabilities to equity")),
}

_YEAR: Final = range(350, 381)
"""Days between the ends of two years that follow one another; years of 52 or 53 weeks among them."""


def with_growth_and_ratios(statements: Sequence[Statement], language: Language) -> list[V1Statement]:
    """Return the statements of a company, each with its growth and ratios."""
    return [
        V1Statement(
            **{name: getattr(statement, name) for name in statement.__struct_fields__},
            growth=_growth(statement, _before(statement, statements)),
            ratios=_ratios(statement, language),
        )
        for statement in statements
    ]


def _before(this: Statement, statements: Sequence[Statement]) -> Statement | None:
    """The statement of the year before, in the same currency and of the same scope."""
    for other in statements:
        alike = (other.currency, other.scope) == (this.currency, this.scope)
        if alike and (this.period_end - other.period_end).days in _YEAR:
            return other
    return None


def _growth(this: Statement, before: Statement | None) -> list[Measure]:
    now, then = _amounts(this), _amounts(before) if before else {}
    labels = {figure.key: figure.label for figure in this.figures}
    return [
        Measure(key=key, label=labels[key], value=_divided(now[key] - then[key], then[key]))
        for key in GROWING
        if key in now and then.get(key, 0) > 0
    ]


def _ratios(statement: Statement, language: Language) -> list[Measure]:
    amounts = _amounts(statement)
    return [
        Measure(
            key=key, label=translate(ratio.label, language), value=_divided(amounts[ratio.over], amounts[ratio.under])
        )
        for key, ratio in RATIOS.items()
        if ratio.over in amounts and amounts.get(ratio.under, 0) > 0
    ]


def _amounts(statement: Statement) -> dict[str, Decimal]:
    return {figure.key: Decimal(figure.amount) for figure in statement.figures}


def _divided(over: Decimal, under: Decimal) -> float:
    return round(float(over / under), 4)
