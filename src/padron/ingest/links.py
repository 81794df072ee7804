"""Which records in different registers are one company, so that they do not compete for the best match.

Two records are linked when they carry the same LEI, or when one is a foreign filer of the SEC (EDGAR country of
incorporation, or forms 20-F, 40-F, 6-K) and has the core name of exactly one company of its home country. The home
register comes first in a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from padron.country import Country
from padron.text import CONNECTIVES, FormTable, split_form

UNKNOWN_HOME = "XX"
"""`home` of a filer that is foreign by its forms, where no file tells its country."""

Links = dict[tuple[str, str], tuple[str, bool]]
"""(country, identifier) -> the group's name, and whether this record is the home one."""

_NAMES = """
CREATE TEMP TABLE spoken AS
WITH every AS (
    SELECT country, identifier, home, unnest(list_append(list_transform(
        list_filter(names, lambda x: x.kind <> 'ticker'), lambda x: x.name), legal_name)) AS name FROM listed)
SELECT DISTINCT country, identifier, home, name,
       list_sort(list_distinct(list_filter(string_split(bare(name), ' '), lambda t: len(t) > 3))) AS words
FROM every;
"""
_PAIRS = """
SELECT DISTINCT f.country, f.identifier, f.name, h.country, h.identifier, h.name
FROM spoken f JOIN spoken h ON f.words = h.words AND len(f.words) > 0 AND h.country <> f.country AND h.home IS NULL
     AND (f.home = h.country OR f.home = $unknown)
WHERE f.home IS NOT NULL ORDER BY ALL
"""
_LEIS = """
SELECT x.value, list((country, identifier) ORDER BY home IS NOT NULL, country, identifier) FROM
     (SELECT country, identifier, home, unnest(aliases) AS x FROM listed) WHERE x.scheme = 'lei'
GROUP BY x.value HAVING count(DISTINCT country) > 1 ORDER BY 1
"""


class _Record(NamedTuple):
    country: str
    identifier: str


def find_links(folders: Mapping[str, Path], registry: Mapping[str, Country], macros: str) -> Links:
    """Links over the snapshots in `folders` (by country); every group has exactly one home record."""
    with duckdb.connect() as db:
        db.execute(macros)
        db.execute(
            "CREATE TABLE listed AS " + " UNION ALL ".join(_listed(code, path) for code, path in folders.items())
        )
        links: Links = {}
        for lei, records in db.execute(_LEIS).fetchall():
            links.update({record: (f"lei:{lei}", place == 0) for place, record in enumerate(records)})
        db.execute(_NAMES)
        pairs = db.execute(_PAIRS, {"unknown": UNKNOWN_HOME}).fetchall()
    forms = FormTable({})
    for country in registry.values():
        forms |= country.forms
    homes: dict[_Record, set[_Record]] = {}
    for country, identifier, name, home_country, home_identifier, home_name in pairs:
        if _core(name, forms) == _core(home_name, forms):
            homes.setdefault(_Record(country, identifier), set()).add(_Record(home_country, home_identifier))
    for foreign, found in homes.items():
        if len(found) == 1 and foreign not in links:
            (home,) = found
            links.setdefault(home, (f"{home.country}:{home.identifier}", True))
            links[foreign] = (links[home][0], False)
    return links


def _listed(code: str, folder: Path) -> str:
    """SELECT of the columns that linking needs."""
    path = str(folder / "companies.parquet").replace("'", "''")
    return f"SELECT '{code}' AS country, identifier, legal_name, names, aliases, home FROM read_parquet('{path}')"


def _core(name: str, forms: FormTable) -> frozenset[str]:
    """The words that name the company, in no order: registers put the acronym in front or behind."""
    named = split_form(name, forms, acronyms=True)
    return frozenset(named.core + named.acronym) - CONNECTIVES
