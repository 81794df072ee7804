"""Which records in different registers are one company, so that they do not compete for the best match.

Two records are linked when they carry the same LEI, or when one is a foreign filer of the SEC (EDGAR country of
incorporation, or forms 20-F, 40-F, 6-K) and has the name of exactly one company of its home country: the words that
name the company are the same in any order and, where no file tells the country, both names say sociedad anónima (S.A.,
S.A.B., S.A.P.I. …), the form that listed companies have in the five civil-law countries. Current legal names decide
before former, trade and other ones do; a branch (sucursal) is nobody's home. The home register comes first in a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from padron.country import Country
from padron.text import CONNECTIVES, split_form

UNKNOWN_HOME = "XX"
"""`home` of a filer that is foreign by its forms, where no file tells its country."""

Links = dict[tuple[str, str], tuple[str, bool]]
"""(country, identifier) -> the group's name, and whether this record is the home one."""

_SPOKEN = """
CREATE VIEW spoken AS
SELECT country, identifier, home, legal_name AS name, true AS legal FROM listed
UNION ALL SELECT country, identifier, home, n.name, false FROM
    (SELECT country, identifier, home, unnest(names) AS n FROM listed) WHERE n.kind <> 'ticker'
"""
_CANDIDATES = """
SELECT DISTINCT country, identifier, name, legal FROM
    (SELECT *, unnest(string_split(bare(name), ' ')) AS word FROM spoken
     WHERE home IS NULL AND NOT regexp_matches(name, '(?i)\\bsucursal\\b'))
WHERE word IN (SELECT unnest($words::VARCHAR[])) AND country IN (SELECT unnest($countries::VARCHAR[]))
ORDER BY ALL
"""
_LEIS = """
SELECT x.value, list((country, identifier) ORDER BY home IS NOT NULL, country, identifier) FROM
     (SELECT country, identifier, home, unnest(aliases) AS x FROM listed) WHERE x.scheme = 'lei'
GROUP BY x.value HAVING count(DISTINCT country) > 1 ORDER BY 1
"""


class _Spoken(NamedTuple):
    """A name of a record, taken apart with the legal forms of the country it may be at home in."""

    record: tuple[str, str]
    words: frozenset[str]
    anonima: bool
    legal: bool


def find_links(
    db: duckdb.DuckDBPyConnection, folders: Mapping[str, Path], registry: Mapping[str, Country], macros: str
) -> Links:
    """Links over the snapshots in `folders` (by country); every group has exactly one home record."""
    db.execute(macros)
    listed = " UNION ALL ".join(_listed(code, path) for code, path in folders.items())
    db.execute(f"CREATE VIEW listed AS {listed}")
    links: Links = {}
    for lei, records in db.execute(_LEIS).fetchall():
        links.update({record: (f"lei:{lei}", place == 0) for place, record in enumerate(records)})
    db.execute(_SPOKEN)
    foreign = db.execute(
        "SELECT country, identifier, name, legal, home FROM spoken WHERE home = $unknown OR home IN "
        "(SELECT country FROM listed) ORDER BY ALL",
        {"unknown": UNKNOWN_HOME},
    ).fetchall()
    at_home = _index(db, registry, folders, [_spoken(registry[row[0]], row[:4]) for row in foreign])
    found: dict[tuple[str, str], list[tuple[bool, tuple[str, str]]]] = {}
    for *row, home in foreign:
        for code in folders if home == UNKNOWN_HOME else (home,):
            said = _spoken(registry[code], row)
            for other in at_home.get((code, said.words), ()):
                if code != said.record[0] and (home != UNKNOWN_HOME or (said.anonima and other.anonima)):
                    found.setdefault(said.record, []).append((said.legal and other.legal, other.record))
    for record, matches in sorted(found.items()):
        home_record = _only(matches)
        if home_record is not None and record not in links:
            links.setdefault(home_record, (":".join(home_record), True))
            links[record] = (links[home_record][0], False)
    return links


def _index(
    db: duckdb.DuckDBPyConnection,
    registry: Mapping[str, Country],
    folders: Iterable[str],
    foreign: Iterable[_Spoken],
) -> dict[tuple[str, frozenset[str]], list[_Spoken]]:
    """Names of home companies by country and words: only those that hold the longest word of some foreign name."""
    longest = sorted({max(said.words, key=lambda word: (len(word), word)) for said in foreign if said.words})
    rows = db.execute(_CANDIDATES, {"words": longest, "countries": list(folders)}).fetchall() if longest else []
    at_home: dict[tuple[str, frozenset[str]], list[_Spoken]] = {}
    for row in rows:
        said = _spoken(registry[row[0]], row)
        at_home.setdefault((row[0], said.words), []).append(said)
    return at_home


def _spoken(country: Country, row: Iterable[object]) -> _Spoken:
    """A row (country, identifier, name, legal), its name read with the legal forms of `country`."""
    code, identifier, name, legal = row
    named = split_form(re.sub(r"/\w{2,4}/?$", "", str(name)), country.forms, acronyms=True)
    anonima = re.fullmatch(r"(sa|sab|sapi|sapib|sau|ca)(-.*)?", named.form or "") is not None
    words = frozenset(named.core + named.acronym) - CONNECTIVES
    return _Spoken((str(code), str(identifier)), words, anonima, bool(legal))


def _only(matches: Iterable[tuple[bool, tuple[str, str]]]) -> tuple[str, str] | None:
    """The one home record that the current legal names agree on, else the one that any names do."""
    by_legal_name = {record for legal, record in matches if legal}
    records = by_legal_name or {record for _, record in matches}
    return next(iter(records)) if len(records) == 1 else None


def _listed(code: str, folder: Path) -> str:
    """SELECT of the columns that linking needs."""
    path = str(folder / "companies.parquet").replace("'", "''")
    return f"SELECT '{code}' AS country, identifier, legal_name, names, aliases, home FROM read_parquet('{path}')"
