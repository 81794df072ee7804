"""Links between the records of one company in several registers, so that they do not compete for the best match.

Two records are linked

- when they carry the same LEI;
- when one is a foreign filer of the SEC (EDGAR country of incorporation, or forms 20-F, 40-F, 6-K) and has the name of
  exactly one company of its home country: the words of the names are the same in any order and, where no file states
  the country, both names say sociedad anónima (S.A., S.A.B., S.A.P.I. …), the form that listed companies have in
  the five civil-law countries. Current legal names take precedence over former, trade and other names;
- when the legal name of one says that it is the branch of a foreign company, and exactly one company of the other
  registers has that name, word by word, with the same legal form, one of its own law. A branch is no legal person: it
  is the company. A name says so by `sucursal`, by a legal form of the other country's law that the register's own law
  does not have (`DELTA AIR LINES INC` in Mexico), or by the name or demonym of the other country and not of its own
  (`AEROLINEAS ARGENTINAS SOCIEDAD ANONIMA` in Colombia);
- when a register has the company twice: once under a fallback identifier alone, and exactly once under a primary one
  with the same legal name and form. In Mexico, where all of these cases occur, no two companies may have the same name
  (Reglamento para la Autorización de Uso de Denominaciones y Razones Sociales, 2012): the directory of
  establishments and the list of suppliers each use a number of their own.

A branch is never the home record. The home record comes first in a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from padron.companies.fields import UNKNOWN_HOME
from padron.countries.country import Country
from padron.ingest.tables import run
from padron.text import CONNECTIVES, split_form

Links = dict[tuple[str, str], tuple[str, bool]]
"""(country, identifier) -> name of the group, and whether this record is its home record."""

_NAMES = """
CREATE VIEW all_names AS
SELECT country, identifier, home, legal_name AS name, true AS legal FROM listed
UNION ALL SELECT country, identifier, home, n.name, false FROM
    (SELECT country, identifier, home, unnest(names) AS n FROM listed) WHERE n.kind <> 'ticker'
"""
_CANDIDATES = """
SELECT DISTINCT country, identifier, name, legal FROM
    (SELECT *, unnest(string_split(bare(name), ' ')) AS word FROM all_names
     WHERE home IS NULL AND NOT regexp_matches(name, '(?i)\\bsucursal\\b'))
WHERE word IN (SELECT unnest($words::VARCHAR[])) AND country IN (SELECT unnest($countries::VARCHAR[]))
ORDER BY ALL
"""
_LEIS = """
SELECT x.value AS lei, list([country, identifier] ORDER BY home IS NOT NULL, country, identifier) AS records FROM
     (SELECT country, identifier, home, unnest(aliases) AS x FROM listed) WHERE x.scheme = 'lei'
GROUP BY x.value HAVING count(DISTINCT country) > 1
"""


_TWICE = """
SELECT country, list(identifier ORDER BY identifier) FILTER (NOT own) AS others,
       any_value(identifier) FILTER (own) AS known FROM
     (SELECT country, identifier, scheme IN (SELECT unnest($own::VARCHAR[])) AS own, folded(legal_name) AS name
      FROM listed WHERE country IN (SELECT unnest($countries::VARCHAR[])))
GROUP BY country, name HAVING count(*) FILTER (own) = 1 AND count(*) > 1
"""
"""Records with fallback identifiers only and the name of exactly one record with a primary one, and that record."""

_POSSIBLE_BRANCHES = """
SELECT country, identifier, legal_name, true, regexp_matches(legal_name, $branch) FROM listed
WHERE country = $country AND home IS NULL
      AND (regexp_matches(legal_name, $branch) OR regexp_matches(bare(legal_name), $signs))
ORDER BY ALL
"""
"""Legal names of a register that may be those of branches of foreign companies, and whether they say `sucursal`."""

_BRANCH = r"(?i)[\s,./-]*\bsuc(ursal)?\b.*$"
_SHORTEST_SIGN = 3
_VAGUE = frozenset({"co", "cia"})


class _ParsedName(NamedTuple):
    """A name of a record, parsed with the legal forms of a possible home country."""

    record: tuple[str, str]
    words: frozenset[str]
    order: tuple[str, ...]
    forms: tuple[str, ...]
    anonima: bool
    legal: bool

    def has_same_name_as(self, other: _ParsedName) -> bool:
        """Return True if both names have the same words in the same order and the same legal forms."""
        return (self.order, self.forms) == (other.order, other.forms)


def find_links(
    db: duckdb.DuckDBPyConnection, folders: Mapping[str, Path], registry: Mapping[str, Country], macros: str
) -> Links:
    """Return the links between the records of several snapshots; every group has exactly one home record.

    Args:
        db: An empty database.
    """
    db.execute(macros)
    listed = " UNION ALL ".join(_listed(code, path) for code, path in folders.items())
    db.execute(f"CREATE VIEW listed AS {listed}")
    links: Links = {}
    run(db, f"CREATE TABLE shared AS {_LEIS}")
    for lei, records in db.execute("FROM shared ORDER BY ALL").fetchall():
        links.update({(code, of): (f"lei:{lei}", place == 0) for place, (code, of) in enumerate(records)})
    run(db, f"CREATE TABLE twice AS {_TWICE}", _schemes(registry))
    for code, others, own in db.execute("FROM twice ORDER BY ALL").fetchall():
        group, _ = links.setdefault((code, own), (f"{code}:{own}", True))
        for other in others:
            links.setdefault((code, other), (group, False))
    db.execute(_NAMES)
    foreign = db.execute(
        "SELECT country, identifier, name, legal, home FROM all_names WHERE home = $unknown OR home IN "
        "(SELECT country FROM listed) ORDER BY ALL",
        {"unknown": UNKNOWN_HOME},
    ).fetchall()
    branches = _branches(db, registry)
    names = [_parsed(registry[row[0]], row[:4]) for row in foreign]
    at_home = _index(db, registry, folders, names + [name for name, _ in branches])
    matches: dict[tuple[str, str], list[tuple[bool, tuple[str, str]]]] = {}
    for *row, home in foreign:
        for code in folders if home == UNKNOWN_HOME else (home,):
            name = _parsed(registry[code], row)
            for other in at_home.get((code, name.words), ()):
                if code != name.record[0] and (home != UNKNOWN_HOME or (name.anonima and other.anonima)):
                    matches.setdefault(name.record, []).append((name.legal and other.legal, other.record))
    for name, code in branches:
        same = [other for other in at_home.get((code, name.words), ()) if other.legal and other.has_same_name_as(name)]
        matches.setdefault(name.record, []).extend([(True, other.record) for other in same])
    _group(matches, links)
    return links


def _schemes(registry: Mapping[str, Country]) -> dict[str, list[str]]:
    """Return the primary schemes (`own`), and the `countries` that have a fallback scheme."""
    schemes = [(code, scheme) for code, country in registry.items() for scheme in country.schemes]
    return {
        "own": [scheme.code for _, scheme in schemes if scheme.rank == "primary"],
        "countries": sorted({code for code, scheme in schemes if scheme.rank == "fallback"}),
    }


def _group(matches: Mapping[tuple[str, str], Sequence[tuple[bool, tuple[str, str]]]], links: Links) -> None:
    """Link every record that has exactly one home record among its matches and no link yet."""
    for record, candidates in sorted(matches.items()):
        home_record = _only(candidates)
        if home_record is not None and record not in links:
            links.setdefault(home_record, (":".join(home_record), True))
            links[record] = (links[home_record][0], False)


def _branches(db: duckdb.DuckDBPyConnection, registry: Mapping[str, Country]) -> list[tuple[_ParsedName, str]]:
    """Return the names of branches, parsed for each possible home country, and that country."""
    branches: list[tuple[_ParsedName, str]] = []
    for own in registry.values():
        others = [country for country in registry.values() if country is not own]
        signs = "|".join(sorted(set[str]().union(*[_signs(own, other) for other in others])))
        values = {"country": own.code, "branch": _BRANCH, "signs": rf"\b({signs})s?\b"}
        for code, identifier, text, legal, branch in db.execute(_POSSIBLE_BRANCHES, values).fetchall() if signs else ():
            row = code, identifier, re.sub(_BRANCH, "", text) if branch else text, legal
            branches += [
                (parsed, other.code) for other in others if (parsed := _branch_of(own, other, row, stated=branch))
            ]
    return branches


def _signs(own: Country, other: Country) -> frozenset[str]:
    """Return the words for `other`, and the one-word spellings of legal forms that it has and `own` has not."""
    known = {spelling for spelling, form in own.forms.codes.items() if own.has_as_its_own(form)}
    forms = {spelling for spelling, form in other.forms.codes.items() if _distinguishes(other, own, form)}
    return other.words.union(spelling for spelling in forms - known if len(spelling) >= _SHORTEST_SIGN)


def _distinguishes(country: Country, other: Country, form: str) -> bool:
    """Return True if a legal form is of the law of `country` and not of `other`; `Cía.` alone is in no law."""
    return country.has_as_its_own(form) and not other.has_as_its_own(form) and form not in _VAGUE


def _branch_of(own: Country, other: Country, row: Iterable[object], *, stated: bool) -> _ParsedName | None:
    """Return a name in the register of `own` parsed as one of `other`, if it is that of a branch of a company there."""
    name = _parsed(other, row)
    if len(name.forms) != 1 or name.forms[0] in _VAGUE or not other.has_as_its_own(name.forms[0]):
        return None
    words = {form for word in name.order for form in (word, word.removesuffix("s"))}
    named = not other.words.isdisjoint(words) and own.words.isdisjoint(words)
    return name if stated or named or _distinguishes(other, own, name.forms[0]) else None


def _index(
    db: duckdb.DuckDBPyConnection,
    registry: Mapping[str, Country],
    folders: Iterable[str],
    foreign: Iterable[_ParsedName],
) -> dict[tuple[str, frozenset[str]], list[_ParsedName]]:
    """Return names of home companies by country and words, of those with the longest word of some foreign name."""
    longest = sorted({max(name.words, key=lambda word: (len(word), word)) for name in foreign if name.words})
    rows = db.execute(_CANDIDATES, {"words": longest, "countries": list(folders)}).fetchall() if longest else []
    at_home: dict[tuple[str, frozenset[str]], list[_ParsedName]] = {}
    for row in rows:
        name = _parsed(registry[row[0]], row)
        at_home.setdefault((row[0], name.words), []).append(name)
    return at_home


def _parsed(country: Country, row: Iterable[object]) -> _ParsedName:
    """Parse the name of a row (country, identifier, name, legal) with the legal forms of `country`."""
    code, identifier, name, legal = row
    named = split_form(re.sub(r"/\w{2,4}/?$", "", str(name)), country.forms, acronyms=True)
    anonima = re.fullmatch(r"(sa|sab|sapi|sapib|sau|ca)(-.*)?", named.form or "") is not None
    order = tuple([word for word in named.core + named.acronym if word not in CONNECTIVES])
    return _ParsedName((str(code), str(identifier)), frozenset(order), order, named.forms, anonima, bool(legal))


def _only(matches: Iterable[tuple[bool, tuple[str, str]]]) -> tuple[str, str] | None:
    """Return the only home record that current legal names match, else the only one that any names match."""
    by_legal_name = {record for legal, record in matches if legal}
    records = by_legal_name or {record for _, record in matches}
    return next(iter(records)) if len(records) == 1 else None


def _listed(code: str, folder: Path) -> str:
    """Return a SELECT of the columns that linking needs."""
    path = str(folder / "companies.parquet").replace("'", "''")
    columns = "scheme, identifier, legal_name, names, aliases, home"
    return f"SELECT '{code}' AS country, {columns} FROM read_parquet('{path}')"
