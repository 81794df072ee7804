"""Writing of the change log (`releases.change_log`): the changes of each published release against the one before.

Companies that are suppressed then are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from padron.countries.country import Country
from padron.errors import PadronError
from padron.ingest.tables import run, tables
from padron.releases import snapshot
from padron.releases.change_log import NAME, hour_of, is_hidden, logs
from padron.releases.suppression import Suppressions
from padron.storage import move_into_place

_FETCH = 10_000
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


def record(data: Path, work: Path, registry: Mapping[str, Country], suppressions: Suppressions) -> Path | None:
    """Write the log of the served release against the one before, whole or not at all.

    It is derived from what is published, so after a crash the next call, before anything else is published, writes the
    missing log. Countries that only one of the two releases has are skipped: their companies have not changed. A
    release that is damaged, unreadable or of another format cannot be compared and has no log.

    Returns:
        The log; None when there is nothing to compare or the log exists.
    """
    if len(releases := snapshot.published(data)) < 2:
        return None
    try:
        after, before = (snapshot.read_release(data, release) for release in releases)
    except PadronError:
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
    number = max(number + 1, hour_of(datetime.fromisoformat(after.generated_at)))
    target = folder / f"{number:06}-{after.id}.jsonl"
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
                if not is_hidden(country, numbers, suppressions):
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


def _last(data: Path) -> tuple[int, str | None]:
    """Return the number of the newest log and its release; 0 and None where there is none."""
    names = [match for path in logs(data) if (match := NAME.fullmatch(path.name))]
    return (int(names[-1][1]), names[-1][2]) if names else (0, None)


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
