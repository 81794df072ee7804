"""Numbers, dates and names of territories in the language of the reader."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.numbers import format_compact_decimal, format_currency, format_decimal, format_percent

from padron.words import Language

_SHARE: Final = {"es": "#,##0.#\u00a0%", "en": "#,##0.#%"}
_PERCENT: Final = {"es": "#,##0.0\u00a0%", "en": "#,##0.0%"}
_HALF_A_TENTH: Final = Decimal("0.05")
_MONEY: Final = {True: "#,##0\u00a0¤¤", False: "#,##0.00\u00a0¤¤"}


@lru_cache(maxsize=4096)
def number(value: Decimal | float, language: Language) -> str:
    """`95.547` in Spanish, `95,547` in English."""
    return format_decimal(value, locale=language)


@lru_cache(maxsize=4096)
def day(value: date, language: Language) -> str:
    """A date in words."""
    return format_date(value, "long", locale=language)


def fact(value: str | float | date, language: Language) -> str:
    """Return the value of a column as its type is written: a date in words, a number with separators, a text as is."""
    if isinstance(value, date):
        return day(value, language)
    return value if isinstance(value, str) else number(value, language)


def moment(value: datetime, language: Language) -> str:
    """A time in words, UTC."""
    return format_datetime(value, "long", locale=language)


@lru_cache(maxsize=4096)
def share(value: float, language: Language) -> str:
    """A probability as a percentage, rounded down at one decimal: 0.8499 must not read as 0.85."""
    return format_percent(math.floor(round(value * 1000, 6)) / 1000, format=_SHARE[language], locale=language)


def territory(code: str, language: Language) -> str:
    """The name of a country by its ISO 3166 code; the code where it has none."""
    return str(Locale(language).territories.get(code, code))


def money(value: float, currency: str, language: Language) -> str:
    """Return a price, without cents if it has none: `49 USD`.

    Args:
        currency: The code of the currency (ISO 4217).

    Returns:
        The price with the code of the currency.
    """
    return format_currency(value, currency, _MONEY[value == int(value)], locale=language, currency_digits=False)


def amount(value: str, language: Language) -> str:
    """An exact amount as it was filed, with cents where it has any."""
    return format_decimal(Decimal(value), locale=language)


def scaled(value: Decimal | float, language: Language) -> str:
    """An amount in units of a scale, with one decimal, or more where it is too small for one."""
    rounded = round(Decimal(value), 6) + 0  # without the sign of a zero
    return format_decimal(rounded, "#,##0.0#####" if abs(rounded) <= _HALF_A_TENTH else "#,##0.0", locale=language)


def times(value: float, language: Language) -> str:
    """A multiple, with two decimals."""
    return format_decimal(value, "#,##0.00", locale=language)


def percent(value: float, language: Language) -> str:
    """A share in per cent, with one decimal; a loss too small to be written is none."""
    return format_percent(round(value, 3) + 0.0, format=_PERCENT[language], locale=language)


def short(value: Decimal, language: Language) -> str:
    """An amount in few characters: `416 mil M`, `416B`."""
    return format_compact_decimal(value, locale=language)
