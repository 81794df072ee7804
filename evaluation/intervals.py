"""95 % confidence intervals of figures."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple, TypeVar

T = TypeVar("T")

_Z = 1.96
"""Standard deviations of the normal distribution that 95 % of it lies within."""
_RESAMPLES = 200
"""Resamples of a bootstrap: the ends of the interval vary by about a tenth of its width between seeds."""


class Interval(NamedTuple):
    """The lower and the upper end."""

    low: float
    high: float


def of_share(part: int, whole: int) -> Interval | None:
    """Return Wilson's interval of a share; None of nothing."""
    if not whole:
        return None
    share, spread = part / whole, _Z * _Z / whole
    centre = (share + spread / 2) / (1 + spread)
    width = _Z / (1 + spread) * sqrt(share * (1 - share) / whole + spread / 4 / whole)
    return Interval(max(0.0, centre - width), min(1.0, centre + width))


def of_figure(items: Sequence[T], figure: Callable[[Sequence[T]], float | None]) -> Interval | None:
    """Return the percentile bootstrap interval of a figure of `items`; None where it has no value."""
    draw = random.Random("intervals")
    values = sorted(
        value for _ in range(_RESAMPLES) if items and (value := figure(draw.choices(items, k=len(items)))) is not None
    )
    return (
        Interval(values[round(0.025 * (len(values) - 1))], values[round(0.975 * (len(values) - 1))]) if values else None
    )
