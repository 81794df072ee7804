"""Reader of stock exchange symbols behind the name of their exchange: `NYSE: F`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.text import fold

_SYMBOL: Final = re.compile(r"\b([A-Za-z][A-Za-z0-9]+)\s?:\s?([A-Z][A-Z0-9.]{0,5})\b")


class ExchangeSymbol(NamedTuple):
    """A symbol, the country of its exchange, and whether the text is nothing else."""

    symbol: str
    country: str
    alone: bool


class SymbolReader:
    """Reader of the symbols of the exchanges of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._countries = {name: code for code, country in registry.items() for name in country.exchanges}

    def read(self, text: str) -> ExchangeSymbol | None:
        """Return the first symbol in a text."""
        for match in _SYMBOL.finditer(text):
            if country := self._countries.get(fold(match[1])):
                return ExchangeSymbol(match[2], country, match[0] == text.strip())
        return None
