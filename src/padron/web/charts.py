"""Charts and tables of the financial history: a true time axis, where a year without a statement is a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from padron.api.v1_model import V1Statement
from padron.companies.model import Statement, camel
from padron.lookup.statements import LABELS
from padron.words import N_, Language, translate

DRAWN: Final = ("revenue", "netProfit", "assets", "equity")
"""Figures that get a chart, if two years or more have them."""
LEFT, RIGHT, TOP, BOTTOM = 52.0, 346.0, 24.0, 160.0
"""Sides of the plot, in units of the viewBox (0 0 360 190)."""

_MOST_TICKS: Final = 4
_MOST_YEARS: Final = 6
"""Years that are written below a chart; of more, every other or fewer."""
_STEPS: Final = (1, 2, 5, 10)
_SCALES: Final = (
    (Decimal(10**9), N_("billions of")),
    (Decimal(10**6), N_("millions of")),
    (Decimal(10**3), N_("thousands of")),
)
_TIMES: Final = ("currentRatio", "liabilitiesToEquity")
"""Ratios that are read as so many times."""
_ORDER: Final = {camel(key): place for place, key in enumerate(LABELS)}


class Scale(NamedTuple):
    """A unit that makes amounts short: what they are divided by, and its name (`millions of`; empty: units)."""

    divisor: Decimal
    name: str


class Series(NamedTuple):
    """Statements of one scope and currency, one a fiscal year, the earliest first."""

    scope: str
    currency: str
    statements: tuple[V1Statement, ...]

    def gaps(self) -> list[int]:
        """Years without a statement between the first and the last."""
        years = [statement.fiscal_year for statement in self.statements]
        return sorted({*range(years[0], years[-1])} - {*years})


class Tick(NamedTuple):
    """A line of the grid, and the amount it stands for."""

    y: float
    amount: Decimal


_HAIR: Final = 50
"""Parts of a step that cannot be told apart in a chart."""


class Column(NamedTuple):
    """A year of a chart: its place, and its column if a statement gives the amount; `below` marks a loss."""

    year: int
    left: float
    width: float
    named: bool
    amount: Decimal | None
    top: float = 0
    height: float = 0
    below: bool = False


class Chart(NamedTuple):
    """A figure over the years; amounts are in units of `scale`."""

    label: str
    currency: str
    scale: Scale
    zero: float
    ticks: tuple[Tick, ...]
    columns: tuple[Column, ...]


class Row(NamedTuple):
    """A row of the table: a label and a cell a year (None: not stated); `share`: a part of one, read in per cent."""

    label: str
    cells: tuple[Decimal | float | None, ...]
    share: bool = False


class Matrix(NamedTuple):
    """The figures of a series by year, the latest first; amounts are in units of `scale`, the others are shares."""

    years: tuple[int, ...]
    scale: Scale
    amounts: tuple[Row, ...]
    employees: tuple[int | None, ...]
    growth: tuple[Row, ...]
    ratios: tuple[Row, ...]


def series_of(statements: Iterable[V1Statement]) -> list[Series]:
    """Part statements, the latest first, by scope and currency; the kind of most years first."""
    kinds: dict[tuple[str, str], dict[int, V1Statement]] = {}
    for statement in statements:
        kinds.setdefault((statement.scope, statement.currency), {}).setdefault(statement.fiscal_year, statement)
    parted = [
        Series(scope, currency, tuple(years[year] for year in sorted(years)))
        for (scope, currency), years in kinds.items()
    ]
    return sorted(parted, key=lambda series: -len(series.statements))


def scale_of(amounts: Iterable[Decimal], language: Language) -> Scale:
    """Return the largest unit of which the largest amount has ten or more; units where it is small."""
    largest = max(map(abs, amounts), default=Decimal(0))
    for divisor, name in _SCALES:
        if largest >= 10 * divisor:
            return Scale(divisor, translate(name, language))
    return Scale(Decimal(1), "")


def charts_of(series: Series, language: Language) -> list[Chart]:
    """Return a chart for each figure of `DRAWN` that two years or more have."""
    labels = {figure.key: figure.label for statement in series.statements for figure in statement.figures}
    charts = []
    for key in DRAWN:
        amounts = {
            statement.fiscal_year: Decimal(figure.amount)
            for statement in series.statements
            for figure in statement.figures
            if figure.key == key
        }
        if len(amounts) > 1:
            charts.append(_chart(labels[key], series.currency, amounts, language))
    return charts


def _chart(label: str, currency: str, amounts: dict[int, Decimal], language: Language) -> Chart:
    scale = scale_of(amounts.values(), language)
    scaled = {year: amount / scale.divisor for year, amount in amounts.items()}
    ticks = _ticks(min(Decimal(0), *scaled.values()), max(Decimal(0), *scaled.values()))
    low, high = ticks[0], ticks[-1]

    def y(amount: Decimal) -> float:
        return min(round(TOP + float((high - amount) / (high - low)) * (BOTTOM - TOP), 1), BOTTOM)

    years = range(min(amounts), max(amounts) + 1)
    step = (RIGHT - LEFT) / len(years)
    every = -(-len(years) // _MOST_YEARS)
    columns = []
    for place, year in enumerate(years):
        column = Column(year, round(LEFT + place * step, 1), round(step, 1), (years[-1] - year) % every == 0, None)
        if (amount := scaled.get(year)) is not None:
            top, bottom = sorted((y(amount), y(Decimal(0))))
            height = round(bottom - top, 1)
            column = column._replace(amount=amounts[year], top=top, height=height, below=amount < 0)
        columns.append(column)
    return Chart(label, currency, scale, y(Decimal(0)), tuple(Tick(y(tick), tick) for tick in ticks), tuple(columns))


def _ticks(low: Decimal, high: Decimal) -> list[Decimal]:
    """Return round amounts around a span, at most `_MOST_TICKS` steps apart; none is for a hair of a loss."""
    span = (high - low) or Decimal(1)
    power = Decimal(10) ** ((span / _MOST_TICKS).adjusted())
    step = next(power * step for step in _STEPS if power * step * _MOST_TICKS >= span)
    low = low if low < -step / _HAIR else Decimal(0)
    first, last = (low / step).to_integral_value("ROUND_FLOOR"), (high / step).to_integral_value("ROUND_CEILING")
    return [step * number for number in range(int(first), max(int(last), int(first) + 1) + 1)]


def matrix_of(series: Series, language: Language) -> Matrix:
    """Return the table of a series."""
    latest = tuple(reversed(series.statements))
    figures = [{figure.key: Decimal(figure.amount) for figure in statement.figures} for statement in latest]
    scale = scale_of((amount for year in figures for amount in year.values()), language)
    labels = {figure.key: figure.label for statement in series.statements for figure in statement.figures}
    return Matrix(
        tuple(statement.fiscal_year for statement in latest),
        scale,
        tuple(
            Row(labels[key], tuple(None if key not in year else year[key] / scale.divisor for year in figures))
            for key in sorted(labels, key=lambda key: _ORDER.get(key, len(_ORDER)))
        ),
        tuple(statement.employees for statement in latest),
        _measures(latest, "growth"),
        _measures(latest, "ratios"),
    )


def _measures(latest: Sequence[V1Statement], kind: str) -> tuple[Row, ...]:
    years = [{measure.key: measure for measure in getattr(statement, kind)} for statement in latest]
    labels = {key: measure.label for year in years for key, measure in year.items()}
    return tuple(
        Row(label, tuple(year[key].value if key in year else None for year in years), key not in _TIMES)
        for key, label in labels.items()
    )


class SeriesOutline(NamedTuple):
    """A series without its amounts: its years and the figures that they state."""

    scope: str
    currency: str
    years: tuple[int, ...]
    labels: tuple[str, ...]

    @property
    def spans(self) -> str:
        """The years, those that follow one another from the first to the last: `2017–2018, 2024`."""
        spans: list[list[int]] = []
        for year in self.years:
            if spans and spans[-1][-1] == year - 1:
                spans[-1] = [spans[-1][0], year]
            else:
                spans.append([year])
        return ", ".join("–".join(map(str, span)) for span in spans)


def outlines_of(statements: Sequence[Statement]) -> list[SeriesOutline]:
    """Return which years and figures there are, for readers without the plan: never an amount."""
    kinds: dict[tuple[str, str], list[Statement]] = {}
    for statement in statements:
        kinds.setdefault((statement.scope, statement.currency), []).append(statement)
    return [
        SeriesOutline(
            scope,
            currency,
            tuple(sorted({statement.fiscal_year for statement in of_kind})),
            tuple(dict.fromkeys(figure.label for statement in of_kind for figure in statement.figures)),
        )
        for (scope, currency), of_kind in kinds.items()
    ]
