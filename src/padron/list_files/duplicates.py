"""Rows of one list that are one company: by the company of the directory, by an official number, by compared names.

A company settles a group, and so does a number; one that contradicts the name of its row joins only rows of that name.
A number with a wrong check digit, or of a person, joins no rows, but keeps them apart. Names join rows whose companies,
numbers and countries do not differ, and no group holds two names, joined by their likeness, that contradict each other.
A name that fits two settled groups, rows of two countries, or two names or numbers that contradict each other, joins
none. Names are compared where they share a part that few names of the list have. What is known of the rows is in a
database on the disk; memory holds about forty bytes per row, and the names that are joined by their likeness.
"""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product, starmap
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import duckdb

from padron.companies.model import Wire
from padron.directory import Directory
from padron.errors import messages
from padron.ingest.tables import run, tables
from padron.list_files.job import ListTask, MatchedList, match_then, opened
from padron.lists.matcher import names_nobody
from padron.lookup.find import SURE
from padron.storage import move_into_place
from padron.text import CONNECTIVES, fold, is_given
from padron.words import Text, bilingual

ADDED: Final = ("padron_group", "padron_group_rows", "padron_group_reason")
"""Headers of the columns that are added to a list."""

Reason = Literal["company", "number", "name"]
_REASONS: Final[tuple[Reason, ...]] = ("company", "number", "name")

_COMMON: Final = 20
"""Names that share a part, at most, to be compared for it: it bounds the comparisons of a name."""
_PART: Final = 4
"""Characters of the beginning and the end of a word: a typing error leaves one of them as it is."""
_MOST_JOINED: Final = 20
"""Different names that likeness joins to one group, at most: it bounds the comparisons of two groups."""
_REMEMBERED: Final = 1 << 14
"""Pairs of names whose comparison is kept for the other edges between their groups."""
_FETCHED: Final = 10_000
_AGAINST: Final = 0.5
"""Confidence below which two names contradict each other: they are rather two companies' than one's."""

_FACTS: Final = """
CREATE TABLE facts AS SELECT "row"::UINTEGER AS "row", * EXCLUDE ("row")
FROM read_csv($file, header = true, all_varchar = true, nullstr = '\\N', quote = '"', escape = '"');
"""
_IDS: Final = """
SELECT CASE company WHEN '' THEN 0 ELSE min("row") OVER (PARTITION BY company) + 1 END,
       CASE number WHEN '' THEN 0 ELSE
           coalesce(min("row") FILTER (WHERE sure = 'True') OVER same, min("row") OVER same) + 1 END,
       CASE number WHEN '' THEN 0 ELSE dense_rank() OVER (ORDER BY scheme) END,
       CASE country WHEN '' THEN 0 ELSE dense_rank() OVER (ORDER BY country) END,
       (sure = 'True')::INTEGER
FROM facts WINDOW same AS (PARTITION BY scheme, number) ORDER BY "row"
"""
_BLANK: Final = "SELECT count(*) FROM facts WHERE read = 'True' AND company = '' AND number = '' AND folded = ''"
_SETTLED: Final = """
CREATE TABLE settled AS SELECT "row"::UINTEGER AS "row", settled::UINTEGER AS settled
FROM read_csv($file, header = true, all_varchar = true)
"""
_NAMES: Final = """
CREATE TABLE names AS
SELECT min("row") AS "row", arg_min(name, "row") AS name, country, scheme, number, folded, settled
FROM facts JOIN settled USING ("row") WHERE folded <> '' GROUP BY country, scheme, number, folded, settled;
"""
_EQUAL: Final = """
SELECT first, first_name, "row", name, country, false
FROM (SELECT "row", name, country, min("row") OVER same AS first, arg_min(name, "row") OVER same AS first_name
      FROM facts JOIN settled USING ("row") WHERE settled = 0 AND folded <> ''
      WINDOW same AS (PARTITION BY country, scheme, number, folded))
WHERE first < "row"
"""
_PARTS: Final = """
CREATE TABLE parts AS
SELECT * FROM read_csv($file, header = true, types = {"row": 'UINTEGER', part: 'VARCHAR'})
"""
_NAMES_IN_PARTS: Final = f"""
CREATE TABLE spelled AS
SELECT names.*, list(part) FILTER (len(part) > {_PART} AND NOT contains(part, '+')) AS long
FROM names JOIN parts USING ("row") GROUP BY ALL;
CREATE TABLE rare AS SELECT part FROM parts GROUP BY part HAVING count(*) BETWEEN 2 AND {_COMMON};
CREATE TABLE pairs AS
SELECT DISTINCT x."row" AS first, y."row" AS second
FROM rare JOIN parts x USING (part) JOIN parts y USING (part) WHERE x."row" < y."row";
"""
_ALIKE: Final = """
SELECT a."row", a.name, b."row", b.name, CASE a.country WHEN '' THEN b.country ELSE a.country END,
       a.scheme = b.scheme AND a.number <> b.number
FROM pairs JOIN spelled a ON a."row" = first JOIN spelled b ON b."row" = second
WHERE 0 IN (a.settled, b.settled) AND (a.country = b.country OR '' IN (a.country, b.country))
AND len(list_intersect(coalesce(a.long, []), coalesce(b.long, []))) >= (
    CASE least(len(a.long), len(b.long)) WHEN 2 THEN 1 ELSE coalesce(least(len(a.long), len(b.long)) // 2 + 1, 0) END)
ORDER BY ALL
"""
_COMPARED: Final = """
CREATE TABLE compared AS SELECT * FROM read_csv($file, header = true,
    types = {first: 'UINTEGER', second: 'UINTEGER', confidence: 'FLOAT', equal: 'BOOLEAN', against: 'BOOLEAN'})
"""
_TORN: Final = """
CREATE TABLE edges AS SELECT * FROM compared WHERE NOT against;
CREATE TABLE enemies AS
SELECT first AS "row", second AS other FROM compared WHERE against
UNION ALL SELECT second, first FROM compared WHERE against;
CREATE TABLE others AS
SELECT first AS "row", second AS other FROM edges UNION ALL SELECT second, first FROM edges;
CREATE TABLE torn AS
SELECT n."row" FROM names n JOIN others USING ("row") JOIN settled s ON s."row" = other
WHERE n.settled = 0 AND s.settled > 0 GROUP BY n."row" HAVING count(DISTINCT s.settled) > 1
UNION
SELECT n."row" FROM names n JOIN others USING ("row") JOIN names o ON o."row" = other
WHERE n.settled = 0 AND n.country = '' AND o.country <> '' GROUP BY n."row" HAVING count(DISTINCT o.country) > 1
UNION
SELECT a."row" FROM others a JOIN enemies e ON e."row" = a.other
JOIN others b ON b."row" = a."row" AND b.other = e.other
UNION
SELECT a."row" FROM others a JOIN settled s ON s."row" = a.other AND s.settled > 0
JOIN enemies e ON e."row" = a."row" JOIN settled t ON t."row" = e.other AND t.settled = s.settled;
"""
_JOINED: Final = """
SELECT first, second, confidence, equal, (a.name, a.scheme, a.number), (b.name, b.scheme, b.number)
FROM edges JOIN facts a ON a."row" = first JOIN facts b ON b."row" = second
WHERE equal OR NOT (first IN (FROM torn) OR second IN (FROM torn)) ORDER BY equal DESC, confidence DESC, first, second
"""


class DuplicateSummary(Wire, frozen=True, kw_only=True):
    """Outcome of a list: `companies`, groups of rows that state a name or an official number.

    `duplicates`: rows behind the first of their group, by reason.
    """

    release: str
    sheet: str | None
    header_row: int
    columns: dict[str, str]
    unread: list[str]
    rows: int
    companies: int
    duplicates: dict[Reason, int]


class _Fact(NamedTuple):
    """A row as grouping sees it; empty where it states nothing. `read`: its cells fit the columns."""

    row: int
    country: str
    company: str
    scheme: str
    number: str
    sure: bool
    name: str
    folded: str
    read: bool


class _Stated(NamedTuple):
    """Name and number of a row, which those of another row may contradict."""

    name: str
    scheme: str
    number: str


class Groups:
    """Disjoint groups of rows, each known by its first row, with the reason that joined every other."""

    def __init__(self, ids: Iterable[Sequence[int]]) -> None:
        """Begin with each row alone; `ids`: company, number, scheme, country, 0 for none; 1 for a sure number."""
        self._of, self._company, self._number, self._scheme, self._country = (array("I") for _ in range(5))
        self._sure = bytearray()
        for row, (*each, sure) in enumerate(ids):
            self._of.append(row)
            self._sure.append(sure)
            for column, value in zip((self._company, self._number, self._scheme, self._country), each, strict=True):
                column.append(value)
        blank = bytes(4 * len(self._of))
        self._first, self._second, self._confidence = array("I", blank), array("I", blank), array("f", blank)
        self._reason = bytearray(len(self._of))
        for row, company in enumerate(self._company):
            if company:
                self.join(company - 1, row, "company")
        for row, number in enumerate(self._number):
            if number and self._sure[row]:
                self.join(number - 1, row, "number")

    def first(self, row: int) -> int:
        """Return the first row of the group of a row."""
        while (above := self._of[row]) != row:
            self._of[row] = row = self._of[above]
        return row

    def join(self, first: int, second: int, reason: Reason, confidence: float = 1.0) -> None:
        """Join the groups of two rows, unless they are of different companies, numbers or countries.

        Args:
            second: Another row.
            confidence: How sure that is.
        """
        into, group = sorted((self.first(first), self.first(second)))
        if into == group or self._differ(into, group, reason):
            return
        self._of[group] = into
        if self._sure[group] > self._sure[into] or not self._number[into]:
            for column in (self._number, self._scheme, self._sure):
                column[into] = column[group]
        for column in (self._company, self._country):
            column[into] = column[into] or column[group]
        self._first[group], self._second[group], self._confidence[group] = first, second, confidence
        self._reason[group] = _REASONS.index(reason)

    def _differ(self, first: int, second: int, reason: Reason) -> bool:
        """Return whether something that counts for more than the reason tells two groups apart."""
        columns = [] if reason == "company" else [self._company]
        if reason == "name":
            columns.append(self._country)
            if self._scheme[first] == self._scheme[second]:
                columns.append(self._number)
        return any(column[first] and column[second] and column[first] != column[second] for column in columns)

    def settled(self, row: int) -> int:
        """Return the group of a row that has a company or a sure number, counted from 1; 0 of any other."""
        first = self.first(row)
        return first + 1 if self._company[first] or self._sure[first] else 0

    def joined(self, row: int) -> tuple[int, int, Reason, float] | None:
        """Return the two rows that joined a row to its group, with reason and confidence; None for a first row."""
        if self._of[row] == row:
            return None
        return self._first[row], self._second[row], _REASONS[self._reason[row]], self._confidence[row]

    def __len__(self) -> int:
        return len(self._of)


def find_duplicates(task: ListTask, progress: Callable[[int, int], None]) -> DuplicateSummary:
    """Find the rows of a list that are one company; go on with an earlier run of the same list that was killed.

    Args:
        progress: Called with the rows matched and the rows in all.

    Raises:
        PadronError: As `job.match_file`; `memory-fault`.
    """
    return match_then(task, progress, _written)


def _written(matched: MatchedList) -> DuplicateSummary:
    """Group the rows, write the output and return the summary."""
    task = matched.task
    directory = opened(str(task.data.resolve()), matched.release)
    groups, blank = _grouped(matched, directory)
    sizes = Counter(map(groups.first, range(len(groups))))
    output = matched.write(matched.output(_added(matched, groups, sizes), ADDED), "output")
    if output and task.target:
        move_into_place(output, task.target)
    reasons = Counter(joined[2] for row in range(len(groups)) if (joined := groups.joined(row)))
    return DuplicateSummary(
        release=matched.release,
        sheet=matched.form.sheet,
        header_row=matched.header_row,
        columns=matched.columns.read,
        unread=matched.columns.unread,
        rows=len(groups),
        companies=len(sizes) - blank,
        duplicates={reason: reasons[reason] for reason in _REASONS},
    )


def _added(matched: MatchedList, groups: Groups, sizes: Counter[int]) -> Iterator[tuple[str, ...]]:
    """Yield the cells that are added to each row; rows are counted as a spreadsheet shows the output."""
    columns = matched.columns
    counted = columns.first_row - len(columns.above) + len(matched.titles)
    for row, (cells, added) in enumerate(matched.rows()):
        first, reason = groups.first(row), ""
        if joined := groups.joined(row):
            one_row, other_row, kind, confidence = joined
            sentence = _reason(kind, (one_row + counted, other_row + counted), added.name, confidence)
            reason = sentence.of(matched.task.language)
        if fault := columns.fault(cells, row + matched.first_row):
            reason = messages.detail(fault, matched.task.language)
        yield str(first + counted), str(sizes[first]), reason


def _reason(kind: Reason, rows: tuple[int, int], company: str, confidence: float) -> Text:
    first, second = rows
    if kind == "company":
        return bilingual("Company of rows {first} and {second}: {company}", first=first, second=second, company=company)
    if kind == "number":
        return bilingual("Rows {first} and {second} have the same number.", first=first, second=second)
    return bilingual(
        "The names of rows {first} and {second} agree ({confidence}).",
        first=first,
        second=second,
        confidence=f"{confidence:.4f}",
    )


def _grouped(matched: MatchedList, directory: Directory) -> tuple[Groups, int]:
    """Return the groups of the rows, and how many of them are a row that states neither a name nor a number."""
    with tables(matched.work) as db:
        file = matched.work / "facts.csv"
        run(db, _FACTS, {"file": _as_csv(file, _Fact._fields, _facts(matched, directory))})
        groups = Groups(_fetched(db, _IDS))
        settled = ((row, groups.settled(row)) for row in range(len(groups)))
        run(db, _SETTLED, {"file": _as_csv(file, ("row", "settled"), settled)})
        run(db, _NAMES)
        names = _fetched(db, 'SELECT "row", folded FROM names ORDER BY "row"')
        parts = ((row, part) for row, folded in names for part in _parts(folded))
        run(db, _PARTS, {"file": _as_csv(file, ("row", "part"), parts)})
        run(db, _NAMES_IN_PARTS)
        edges = matched.work / "edges.csv"
        columns = ("first", "second", "confidence", "equal", "against")
        run(db, _COMPARED, {"file": _as_csv(edges, columns, _edges(db, directory))})
        run(db, _TORN)
        _join_names(groups, _fetched(db, _JOINED), directory)
        ((blank,),) = _fetched(db, _BLANK)
    return groups, blank


def _join_names(groups: Groups, edges: Iterable[tuple[Any, ...]], directory: Directory) -> None:
    """Join rows whose names agree, unless what names joined to one of them before contradicts the other."""
    members: dict[int, list[_Stated]] = {}

    @lru_cache(_REMEMBERED)
    def contradict(first: _Stated, second: _Stated) -> bool:
        """Return whether two rows state different numbers of one scheme, or names that are rather two companies'."""
        if first.number != second.number and first.scheme == second.scheme:
            return True
        return directory.compare(first.name, second.name).confidence < _AGAINST

    for first, second, confidence, equal, *rows in edges:
        if groups.first(first) == groups.first(second):
            continue
        first_stated, second_stated = (_Stated(*row) for row in rows)
        ours = dict.fromkeys([first_stated, *members.get(groups.first(first), ())])
        theirs = dict.fromkeys([second_stated, *members.get(groups.first(second), ())])
        joined = list(ours | theirs)
        others = (sorted(pair) for pair in product(ours, theirs) if pair != (first_stated, second_stated))
        if equal or (len(joined) <= _MOST_JOINED and not any(starmap(contradict, others))):
            groups.join(first, second, "name", confidence)
            if not equal and groups.first(first) == groups.first(second):
                members[groups.first(first)] = joined


def _facts(matched: MatchedList, directory: Directory) -> Iterator[_Fact]:
    for row, (cells, added) in enumerate(matched.rows()):
        stated = matched.columns.row(cells)
        keys = directory.row_keys(stated)
        is_found = added.verdict == "found"
        name = " ".join(stated.name.split()) if is_given(stated.name) and not names_nobody(stated) else ""
        if keys.sure and name and added.conflicts:  # the number is of rows of this name alone
            keys = keys._replace(key=f"{keys.key} {fold(name)}")
        yield _Fact(
            row,
            added.country if is_found else keys.country,
            f"{added.country} {added.identifier}" if is_found else "",
            keys.scheme,
            keys.key,
            keys.sure,
            name,
            fold(name),
            matched.columns.fault(cells, row) is None,
        )


def _parts(folded: str) -> set[str]:
    """Return the beginning and the end of each word, and the beginnings of each two words beside each other."""
    words = [word for word in folded.split() if word not in CONNECTIVES]
    begin = [word[:_PART] for word in words]
    return {*(f"{part}-" for part in begin), *(f"-{word[-_PART:]}" for word in words), *map("+".join, pairwise(begin))}


def _edges(db: duckdb.DuckDBPyConnection, directory: Directory) -> Iterator[tuple[int, int, float, bool, bool]]:
    """Yield the rows that agree or contradict each other by their names: with the confidence, equal ones, enemies."""
    for query, equal in ((_EQUAL, True), (_ALIKE, False)):
        for first, name, second, other, country, differ in _fetched(db, query):
            confidence = 0.0 if differ else directory.compare(name, other, country or None).confidence
            if confidence >= SURE or confidence < _AGAINST:
                yield first, second, confidence, equal, confidence < _AGAINST


def _fetched(db: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    cursor = db.cursor().execute(query)
    while rows := cursor.fetchmany(_FETCHED):
        yield from rows


def _as_csv(file: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows to a CSV file, and return its path."""
    with file.open("w", encoding="utf-8", newline="") as out:
        write = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        write.writerow(columns)
        write.writerows(rows)
    return str(file)
