"""Well-known companies that no register here has, by what people call them: the lines of famous.csv."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from padron.text import name_key
from padron.words import Text


class FamousName(NamedTuple):
    """A name of a well-known company that is not held, its country, and a public document that says so.

    `name` is folded; `country` may be one that no register here covers.
    """

    name: str
    country: str
    country_name: Text
    title: str
    address: str


def _read() -> dict[str, FamousName]:
    with Path(__file__).with_name("famous.csv").open(encoding="utf-8", newline="") as file:
        return {
            name_key(tuple(row["name"].split())): FamousName(
                row["name"], row["country"], Text(row["country_es"], row["country_en"]), row["title"], row["address"]
            )
            for row in csv.DictReader(file)
        }


FAMOUS: Final[Mapping[str, FamousName]] = _read()
"""Every line by its name, without connectives."""
