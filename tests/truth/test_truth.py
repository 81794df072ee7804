"""The built release against an independent derivation from the same official files: no difference.

`rederive` shares no code with the program. Every figure that the files of a source state is in the release with that
value, and every figure of the release is one that its file states under the account or tag that the release names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
import rederive
from rederive import Account, Fact, Figure

from padron.releases import snapshot

pytestmark = pytest.mark.verify

CENT = Decimal("0.01")
NO_NAME = {"900167855": "LTDA", "901192599": "CL 49 SUR NO 45A 300 OF 1604 S48 TOWER", "901487018": "NO RESGISTRADA"}
"""NITs of the Colombian list that are left out, as their name is none: a form, an address, a note that says so."""
MAY_BE_PERSONS = {"890900395", "900050616", "33717150029"}
"""Numbers in the lists of Colombia and Argentina that are left out, as their name may be that of a person."""


class Statement(NamedTuple):
    """A statement of the release."""

    identifier: str
    year: int
    end: date
    currency: str
    basis: dict[str, str]
    figures: dict[str, Decimal]


def parquet(release: Path, country: str, name: str) -> str:
    """A table of a country's snapshot."""
    held = snapshot.read_release(release, snapshot.current(release)).snapshots[country.upper()]
    return str(release / "snapshots" / held / f"{name}.parquet")


@pytest.fixture(scope="module")
def statements(release: Path) -> Callable[[str], list[Statement]]:
    """The statements of a country."""
    names = list(snapshot.FIGURES)

    def of(country: str) -> list[Statement]:
        rows = duckdb.execute(
            f"""SELECT identifier, fiscal_year, period_end, currency, basis, {", ".join(names)}
                FROM '{parquet(release, country, "statements")}'"""
        ).fetchall()
        return [
            Statement(*row[:5], {name: value for name, value in zip(names, row[5:], strict=True) if value is not None})
            for row in rows
        ]

    return of


@pytest.mark.parametrize(
    ("country", "derived", "least"), [("co", rederive.colombia, 127_000), ("ec", rederive.ecuador, 6_000)]
)
def test_every_figure_of_the_lists_is_in_the_release(
    statements: Callable[[str], list[Statement]],
    country: str,
    derived: Callable[[], Iterable[tuple[Figure, Decimal]]],
    least: int,
) -> None:
    held = {
        Figure(country, statement.identifier, statement.year, name): value
        for statement in statements(country)
        for name, value in statement.figures.items()
    }
    left_out = MAY_BE_PERSONS.union(NO_NAME)
    stated = {figure: amount.quantize(CENT) for figure, amount in derived() if figure.identifier not in left_out}
    assert len(stated) >= least
    assert {figure: (amount, held.get(figure)) for figure, amount in stated.items() if held.get(figure) != amount} == {}
    if country == "co":
        assert held.keys() == stated.keys(), "and the release has no figure that the lists do not state"


def test_every_brazilian_figure_is_that_of_its_account(statements: Callable[[str], list[Statement]]) -> None:
    accounts = rederive.brazilian_accounts()
    checked = 0
    for statement in statements("br"):
        for name, value in statement.figures.items():
            parts = statement.basis[name].split(" - ")
            stated = [accounts.get(Account(statement.identifier, statement.end, code), set()) for code in parts]
            assert value in differences(stated), (statement.identifier, statement.year, name)
            checked += 1
    assert checked >= 280


def test_every_american_figure_is_the_last_one_filed_under_its_tag(
    statements: Callable[[str], list[Statement]],
) -> None:
    facts = rederive.american_facts()
    checked = 0
    for statement in statements("us"):
        for name, value in statement.figures.items():
            tags = statement.basis[name].split(" - ")
            filed = [facts[Fact(statement.identifier, tag, statement.currency, statement.end)] for tag in tags]
            where = (statement.identifier, statement.year, name)
            assert value in differences([{amount for _, amount in tag} for tag in filed]), where
            if len(tags) == 1:
                assert rounds_to(value, max(filed[0])[1]), where
            checked += 1
    assert checked >= 700


def differences(stated: list[set[Decimal]]) -> set[Decimal]:
    """The amounts of one account, or those of the first less those of the second."""
    return stated[0] if len(stated) == 1 else {first - second for first in stated[0] for second in stated[1]}


def rounds_to(value: Decimal, last: Decimal) -> bool:
    """Check that a figure is the last one filed, or a more precise one: a later report may state millions."""
    return any(value.quantize(unit) == last for unit in (Decimal(1), Decimal("1E3"), Decimal("1E6"))) or value == last


@pytest.mark.parametrize(
    ("derived", "least"),
    [
        (rederive.colombian_names, 10_000),
        (rederive.ecuadorian_names, 1_000),
        (rederive.brazilian_names, 780),
        (rederive.argentine_names, 970),
    ],
)
def test_every_company_of_a_list_is_in_the_release_by_its_name(
    release: Path, derived: Callable[[], Iterable[tuple[str, str, str]]], least: int
) -> None:
    stated = list(derived())
    country = stated[0][0]
    rows: list[Any] = duckdb.execute(
        f"SELECT identifier, legal_name FROM '{parquet(release, country, 'companies')}'"
    ).fetchall()
    held = dict(rows)
    assert len(stated) >= least
    wrong = {
        (number, name): held.get(number)
        for _, number, name in stated
        if held.get(number)
        != (None if NO_NAME.get(number) == name or number in MAY_BE_PERSONS else cleaned(country, name))
    }
    assert wrong == {}


def cleaned(country: str, name: str) -> str:
    """A name as the rules write it: no control characters or notes, a name that stands twice once, `Ñ` for `#`."""
    name = re.sub(r"\s*\(\s*\(Ver informacion anterior\)\s*\)", "", name)
    words = re.sub(r"[\x00-\x1f\x7f]", "", name).strip(" ,").split() if country == "co" else name.split()
    half = len(words) // 2
    if len(words) % 2 == 0 and words[:half] == words[half:]:
        words = words[:half]
    text = " ".join(words)
    return text.replace("#", "Ñ") if country == "ar" else text
