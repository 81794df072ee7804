"""Which records in different registers are one company, so that they do not compete for the best match.

Two records are linked

- when they carry the same LEI;
- when one is a foreign filer of the SEC (EDGAR country of incorporation, or forms 20-F, 40-F, 6-K) and has the name of
  exactly one company of its home country: the words that name the company are the same in any order and, where no file
  tells the country, both names say sociedad anónima (S.A., S.A.B., S.A.P.I. …), the form that listed companies have in
  the five civil-law countries. Current legal names decide before former, trade and other ones do;
- when the legal name of one states that it is the branch of a company of elsewhere, and exactly one company of the
  other registers has that name, word by word, with the same legal form, of its own law. A branch is no person of its
  own: it is the company. A name states it by `sucursal`, by a legal form of the other country's law that its own does
  not know (`DELTA AIR LINES INC` in Mexico), or by the name or people of the other country and not of its own
  (`AEROLINEAS ARGENTINAS SOCIEDAD ANONIMA` in Colombia).

- when a register has one twice: once under a fallback identifier alone, and exactly once under a primary one with the
  very same legal name and form. In Mexico, whence all of these come, no two companies may have one name (Reglamento
  para la Autorización de Uso de Denominaciones y Razones Sociales, 2012): the directory of establishments and the list
  of suppliers know it each by a number of its own.

A branch is nobody's home. The home register comes first in a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from padron.country import Country
from padron.ingest.tables import run
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
"""The records of fallback identifiers alone that have the name of exactly one record of a primary one, and that."""

_ELSEWHERE = """
SELECT country, identifier, legal_name, true, regexp_matches(legal_name, $branch) FROM listed
WHERE country = $country AND home IS NULL
      AND (regexp_matches(legal_name, $branch) OR regexp_matches(bare(legal_name), $signs))
ORDER BY ALL
"""
"""Legal names of a register that may state a branch of a company of elsewhere, and whether they say `sucursal`."""

_BRANCH = r"(?i)[\s,./-]*\bsuc(ursal)?\b.*$"
_SHORTEST_SIGN = 3
_VAGUE = frozenset({"co", "cia"})


class _Spoken(NamedTuple):
    """A name of a record, taken apart with the legal forms of the country it may be at home in."""

    record: tuple[str, str]
    words: frozenset[str]
    order: tuple[str, ...]
    forms: tuple[str, ...]
    anonima: bool
    legal: bool

    def is_called_as(self, other: _Spoken) -> bool:
        """Whether the other name has the same words in the same order, and the same legal forms."""
        return (self.order, self.forms) == (other.order, other.forms)


def find_links(
    db: duckdb.DuckDBPyConnection, folders: Mapping[str, Path], registry: Mapping[str, Country], macros: str
) -> Links:
    """Links over the snapshots in `folders` (by country); every group has exactly one home record."""
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
    db.execute(_SPOKEN)
    foreign = db.execute(
        "SELECT country, identifier, name, legal, home FROM spoken WHERE home = $unknown OR home IN "
        "(SELECT country FROM listed) ORDER BY ALL",
        {"unknown": UNKNOWN_HOME},
    ).fetchall()
    branches = _branches(db, registry)
    spoken = [_spoken(registry[row[0]], row[:4]) for row in foreign]
    at_home = _index(db, registry, folders, spoken + [said for said, _ in branches])
    found: dict[tuple[str, str], list[tuple[bool, tuple[str, str]]]] = {}
    for *row, home in foreign:
        for code in folders if home == UNKNOWN_HOME else (home,):
            said = _spoken(registry[code], row)
            for other in at_home.get((code, said.words), ()):
                if code != said.record[0] and (home != UNKNOWN_HOME or (said.anonima and other.anonima)):
                    found.setdefault(said.record, []).append((said.legal and other.legal, other.record))
    for said, code in branches:
        same = [other for other in at_home.get((code, said.words), ()) if other.legal and other.is_called_as(said)]
        found.setdefault(said.record, []).extend([(True, other.record) for other in same])
    _group(found, links)
    return links


def _schemes(registry: Mapping[str, Country]) -> dict[str, list[str]]:
    """The primary schemes (`own`), and the `countries` that have a fallback beside theirs."""
    schemes = [(code, scheme) for code, country in registry.items() for scheme in country.schemes]
    return {
        "own": [scheme.code for _, scheme in schemes if scheme.rank == "primary"],
        "countries": sorted({code for code, scheme in schemes if scheme.rank == "fallback"}),
    }


def _group(found: Mapping[tuple[str, str], Sequence[tuple[bool, tuple[str, str]]]], links: Links) -> None:
    """Add to `links` the records that one home record was `found` for, but for those that are linked already."""
    for record, matches in sorted(found.items()):
        home_record = _only(matches)
        if home_record is not None and record not in links:
            links.setdefault(home_record, (":".join(home_record), True))
            links[record] = (links[home_record][0], False)


def _branches(db: duckdb.DuckDBPyConnection, registry: Mapping[str, Country]) -> list[tuple[_Spoken, str]]:
    """Names that state a branch, read as those of a company of each country that it may be of, and that country."""
    found: list[tuple[_Spoken, str]] = []
    for own in registry.values():
        others = [country for country in registry.values() if country is not own]
        signs = "|".join(sorted(set[str]().union(*[_signs(own, other) for other in others])))
        asked = {"country": own.code, "branch": _BRANCH, "signs": rf"\b({signs})s?\b"}
        for code, identifier, name, legal, branch in db.execute(_ELSEWHERE, asked).fetchall() if signs else ():
            row = code, identifier, re.sub(_BRANCH, "", name) if branch else name, legal
            found += [(said, other.code) for other in others if (said := _branch_of(own, other, row, stated=branch))]
    return found


def _signs(own: Country, other: Country) -> frozenset[str]:
    """The words for `other`, and the spellings, in one word, of the telling legal forms it has and `own` has not."""
    known = {spelling for spelling, form in own.forms.codes.items() if own.has_as_its_own(form)}
    forms = {spelling for spelling, form in other.forms.codes.items() if _tells(other, own, form)}
    return other.words.union(spelling for spelling in forms - known if len(spelling) >= _SHORTEST_SIGN)


def _tells(country: Country, other: Country, form: str) -> bool:
    """Whether a legal form is of the law of a country and not of another's; `Cía.` alone says nothing."""
    return country.has_as_its_own(form) and not other.has_as_its_own(form) and form not in _VAGUE


def _branch_of(own: Country, other: Country, row: Iterable[object], *, stated: bool) -> _Spoken | None:
    """A name in the register of `own` as that of a company of `other`, if it states a branch of one."""
    said = _spoken(other, row)
    if len(said.forms) != 1 or said.forms[0] in _VAGUE or not other.has_as_its_own(said.forms[0]):
        return None
    words = {form for word in said.order for form in (word, word.removesuffix("s"))}
    named = not other.words.isdisjoint(words) and own.words.isdisjoint(words)
    return said if stated or named or _tells(other, own, said.forms[0]) else None


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
    order = tuple([word for word in named.core + named.acronym if word not in CONNECTIVES])
    return _Spoken((str(code), str(identifier)), frozenset(order), order, named.forms, anonima, bool(legal))


def _only(matches: Iterable[tuple[bool, tuple[str, str]]]) -> tuple[str, str] | None:
    """The one home record that the current legal names agree on, else the one that any names do."""
    by_legal_name = {record for legal, record in matches if legal}
    records = by_legal_name or {record for _, record in matches}
    return next(iter(records)) if len(records) == 1 else None


def _listed(code: str, folder: Path) -> str:
    """SELECT of the columns that linking needs."""
    path = str(folder / "companies.parquet").replace("'", "''")
    columns = "scheme, identifier, legal_name, names, aliases, home"
    return f"SELECT '{code}' AS country, {columns} FROM read_parquet('{path}')"
