"""The change log: the changes of each published release against the one before, read page by page with a cursor.

    <data>/changes/<number>-<release>.jsonl    first line: {"from", "to", "at"}; then one line per change

A change has `country`, `scheme`, `identifier`, `name` (the current or last one), `change` and `before`, `after`:

    new, gone                 the company entered the directory, or left it
    renumbered                its identifier changed; `before` is the old one, which still leads to it
    renamed, status-changed   `before` and `after`
    new-statements            `after` lists the new fiscal years

Lines are ordered by country, scheme, identifier, change. A cursor is `<number>-<byte>`: the position of the next line.
Suppressed companies are left out when a log is written, and again when it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from padron import snapshot
from padron.country import Country
from padron.errors import Invalid, ReleaseError
from padron.ingest.tables import run, tables
from padron.storage import move_into_place
from padron.suppression import Suppressions

_FETCH = 10_000
_NAME = re.compile(r"(\d{6})-(.+)\.jsonl")
_CURSOR = re.compile(r"(\d{1,6})-(\d{1,18})")
_CHANGES = """
WITH old AS (FROM read_parquet($old_companies)),
new AS (FROM read_parquet($new_companies)),
moved AS (
    SELECT n.scheme, n.identifier, old.scheme AS old_scheme, old.identifier AS old_identifier
    FROM (SELECT scheme, identifier, unnest(aliases) AS x FROM new) n
    JOIN old ON old.scheme = n.x.scheme AND old.identifier = n.x.value
    ANTI JOIN new now ON now.scheme = old.scheme AND now.identifier = old.identifier),
stayed AS (
    SELECT n.scheme, n.identifier, n.aliases, o.legal_name AS old_name, n.legal_name, o.status AS old_status, n.status
    FROM new n JOIN old o USING (scheme, identifier)),
years AS (
    SELECT scheme, identifier, list_sort(list(DISTINCT fiscal_year)) AS years FROM (
        SELECT scheme, identifier, fiscal_year FROM read_parquet($new_statements)
        EXCEPT SELECT scheme, identifier, fiscal_year FROM read_parquet($old_statements)) GROUP BY ALL)
SELECT scheme, identifier, legal_name AS name, 'new' AS change, NULL AS before, NULL AS after, aliases
FROM new ANTI JOIN old USING (scheme, identifier) ANTI JOIN moved USING (scheme, identifier)
UNION ALL
SELECT scheme, identifier, legal_name, 'gone', NULL, NULL, aliases FROM old ANTI JOIN new USING (scheme, identifier)
ANTI JOIN moved m ON m.old_scheme = old.scheme AND m.old_identifier = old.identifier
UNION ALL
SELECT scheme, identifier, legal_name, 'renumbered', old_identifier, identifier, aliases
FROM moved JOIN new USING (scheme, identifier)
UNION ALL
SELECT scheme, identifier, legal_name, 'renamed', old_name, legal_name, aliases FROM stayed WHERE legal_name <> old_name
UNION ALL
SELECT scheme, identifier, legal_name, 'status-changed', old_status, status, aliases
FROM stayed WHERE status IS DISTINCT FROM old_status
UNION ALL
SELECT scheme, identifier, legal_name, 'new-statements', NULL, array_to_string(years, ' '), aliases
FROM years JOIN new USING (scheme, identifier)
"""


class ChangePage(NamedTuple):
    """Changes in order, and the cursor of the next page."""

    changes: list[dict[str, Any]]
    cursor: str


def record(data: Path, work: Path, registry: Mapping[str, Country], suppressions: Suppressions) -> Path | None:
    """Write the log of the served release against the one before, whole or not at all.

    It is derived from what is published, so after a crash the next call, before anything else is published, writes the
    missing log. Countries that only one of the two releases has are skipped: their companies have not changed. A
    release that is damaged or of another format cannot be compared and has no log.

    Args:
        data: Data folder.
        work: Work folder for the comparison.
        registry: The countries.
        suppressions: Companies to leave out.

    Returns:
        The log; None when there is nothing to compare or the log exists.
    """
    if len(releases := snapshot.published(data)) < 2:
        return None
    try:
        after, before = (snapshot.read_release(data, release) for release in releases)
    except ReleaseError:
        return None
    number, last = _last(data)
    if last == after.id:
        return None
    folder = data / "changes"
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / ".fresh"
    with fresh.open("w", encoding="utf-8") as out:
        out.write(_line({"from": before.id, "to": after.id, "at": after.generated_at}))
        for code in sorted(before.snapshots.keys() & after.snapshots.keys()):
            if before.snapshots[code] != after.snapshots[code]:
                old, new = (data / "snapshots" / release.snapshots[code] for release in (before, after))
                out.writelines(map(_line, _between(work, registry[code], old, new, suppressions)))
    target = folder / f"{number + 1:06}-{after.id}.jsonl"
    move_into_place(fresh, target)
    return target


def _between(
    work: Path, country: Country, old: Path, new: Path, suppressions: Suppressions
) -> Iterator[dict[str, Any]]:
    """Yield the changes of a country between two snapshots, without suppressed companies."""
    files = {
        f"{age}_{table}": str(folder / f"{table}.parquet")
        for age, folder in (("old", old), ("new", new))
        for table in ("companies", "statements")
    }
    with tables(work) as db:
        run(db, f"CREATE TABLE changed AS {_CHANGES}", files)
        cursor = db.execute("FROM changed ORDER BY scheme, identifier, change")
        while rows := cursor.fetchmany(_FETCH):
            for scheme, identifier, name, change, was, now, aliases in rows:
                numbers = [(scheme, identifier), *((alias["scheme"], alias["value"]) for alias in aliases)]
                if not _hidden(country, numbers, suppressions):
                    yield {
                        "country": country.code,
                        "scheme": scheme,
                        "identifier": identifier,
                        "name": name,
                        "change": change,
                        "before": was,
                        "after": now,
                        "aliases": [list(number) for number in numbers[1:]],
                    }


def read(
    data: Path, cursor: str | None, limit: int, registry: Mapping[str, Country], suppressions: Suppressions
) -> ChangePage:
    """Return a page of changes, without suppressed companies, each with its `release` and the time `at` of its build.

    Args:
        data: Data folder.
        cursor: Position to continue from, None for the first log.
        limit: Maximum number of changes.
        registry: The countries.
        suppressions: Companies to leave out.

    Returns:
        The page.

    Raises:
        Invalid: `bad-cursor`, for one that no page gave.
    """
    number, place = _place(cursor)
    changes: list[dict[str, Any]] = []
    for path in _logs(data):
        if (current := int(path.name[:6])) < number:
            continue
        with path.open("rb") as log:
            head = json.loads(log.readline())
            start = place if current == number and place else log.tell()
            log.seek(start - 1)
            if start > path.stat().st_size or log.read(1) != b"\n":
                raise Invalid("bad-cursor", parameter="cursor")
            number, place = current, start
            while len(changes) < limit and (line := log.readline()):
                place = log.tell()
                change = json.loads(line)
                numbers = [(change["scheme"], change["identifier"]), *map(tuple, change.pop("aliases"))]
                if not _hidden(registry[change["country"]], numbers, suppressions):
                    changes.append({**change, "release": head["to"], "at": head["at"]})
        if len(changes) == limit:
            break
    return ChangePage(changes, f"{number}-{place}")


def _hidden(country: Country, numbers: list[tuple[str, str]], suppressions: Suppressions) -> bool:
    schemes = country.scheme_by_code
    keys = [(scheme, schemes[scheme].key(value)) for scheme, value in numbers if scheme in schemes]
    return suppressions.hides(country.code, keys)


def _place(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    if not (match := _CURSOR.fullmatch(cursor)):
        raise Invalid("bad-cursor", parameter="cursor")
    return int(match[1]), int(match[2])


def _logs(data: Path) -> list[Path]:
    return sorted(path for path in (data / "changes").glob("*.jsonl") if _NAME.fullmatch(path.name))


def _last(data: Path) -> tuple[int, str | None]:
    """Return the number of the newest log and its release; 0 and None where there is none."""
    names = [match for path in _logs(data) if (match := _NAME.fullmatch(path.name))]
    return (int(names[-1][1]), names[-1][2]) if names else (0, None)


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
