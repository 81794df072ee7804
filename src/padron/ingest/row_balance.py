"""The books of a build: what became of every row, whether each source is what it must be, what the manifest says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import duckdb

from padron import snapshot
from padron.country import Country, Source
from padron.errors import PadronError, SourceError
from padron.ingest.files import SourceFile
from padron.ingest.read import table_name

_CHECKED_IDENTIFIERS = 20_000


def _counts(db: duckdb.DuckDBPyConnection, query: str) -> dict[str, dict[str, int]]:
    """Source -> reason -> rows, from a query of those three columns."""
    found: dict[str, dict[str, int]] = {}
    for source, reason, count in db.execute(query).fetchall():
        found.setdefault(source, {})[reason] = count
    return found


def rows_read(db: duckdb.DuckDBPyConnection, country: Country) -> dict[str, tuple[int, int | None]]:
    """Source -> how many rows its raw tables hold (look-ups aside), and the sum of the hashes of their numbers."""
    found = {}
    for source in country.sources:
        tables = [table_name(source, layout) for layout in source.layouts if not layout.lookup]
        raw = " UNION ALL ".join(f'SELECT _row FROM "{table}"' for table in tables) or "SELECT NULL::BIGINT WHERE false"
        found[source.key] = db.execute(f"SELECT count(*), sum(hash(_row)::HUGEINT) FROM ({raw})").fetchall()[0]
    return found


def accounts(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    read: Mapping[str, tuple[int, int | None]],
    figures: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """What became of the rows of each source: rows = kept + merged + left_out + rejected, or the build stops.

    `kept` counts the rows that represent a company, `merged` those that joined one, `records` the companies this source
    contributed to. Sums of hashes of the row numbers prove that it is the same rows on both sides, in constant memory:
    `read` is what `rows_read` found before companies.sql ran.
    A source of which companies.sql places no row has figures only: its account is that of `statements.books`, here
    `figures`.
    """
    left_out = _counts(db, "SELECT source, reason, count(*) FROM left_out GROUP BY ALL ORDER BY ALL")
    rejected = _counts(db, "SELECT source, reason, count(*) FROM refused GROUP BY ALL ORDER BY ALL")
    unread = _counts(db, "SELECT source, 'rows', count(*) FROM unread GROUP BY ALL")
    kept = _counts(
        db,
        """SELECT source, CASE WHEN prio = representing THEN 'kept' ELSE 'merged' END, count(*)
           FROM (SELECT source, company, prio FROM ranked UNION ALL SELECT source, company, NULL FROM joined)
           JOIN kept USING (company) GROUP BY ALL""",
    )
    used = _counts(db, "SELECT key, 'records', count(*) FROM (SELECT unnest(sources) AS key FROM kept) GROUP BY ALL")
    books = {}
    for source in country.sources:
        placed = db.execute(
            """SELECT count(*), sum(hash(row_id)::HUGEINT) FROM (
                   SELECT row_id FROM (SELECT source, row_id, company FROM records UNION ALL FROM joined)
                   SEMI JOIN kept USING (company) WHERE source = $key
                   UNION ALL SELECT row_id FROM left_out WHERE source = $key
                   UNION ALL SELECT row_id FROM rejected WHERE source = $key)""",
            {"key": source.key},
        ).fetchall()[0]
        rows = read[source.key][0]
        book = figures.get(source.key) if placed[0] == 0 else None
        if placed != read[source.key] and (book is None or book["rows"] != rows):
            raise SourceError("rows-unaccounted", source=source.key, rows=rows, accounted=placed[0])
        refused = rejected.get(source.key, {})
        books[source.key] = {
            "rows": rows + unread.get(source.key, {}).get("rows", 0),
            "kept": book["used"] if book else kept.get(source.key, {}).get("kept", 0),
            "merged": kept.get(source.key, {}).get("merged", 0),
            "left_out": book["passed_over"] if book else left_out.get(source.key, {}),
            "rejected": {**refused, **book["rejected"]} if book else refused,
            "records": book["companies"] if book else used.get(source.key, {}).get("records", 0),
            "date": max((file.published for file in files if file.source is source), default=None),
        }
    return books


def check_expectations(country: Country, books: Mapping[str, dict[str, Any]], before: Mapping[str, Any] | None) -> None:
    """Raise `SourceError("expectation-failed")` for the first source that is not what it must be."""
    for source in country.sources:
        account = books[source.key]
        if account["date"] is None:
            continue
        rows, refused = account["rows"], sum(account["rejected"].values())
        records = account["records"] + account["left_out"].get("suppressed", 0)
        last = (before or {}).get("sources", {}).get(source.key, {})
        rows_before, records_before = last.get("rows", 0), last.get("records", 0)
        kept = 1 - source.expect.max_drop
        for failed, what, found, allowed in (
            (rows < source.expect.min_rows, "rows", rows, source.expect.min_rows),
            (refused > rows * source.expect.max_rejected, "rejected", refused, int(rows * source.expect.max_rejected)),
            (rows < rows_before * kept, "rows-against-last", rows, rows_before),
            (records < records_before * kept, "companies-against-last", records, records_before),
        ):
            if failed:
                raise SourceError("expectation-failed", source=source.key, what=what, found=found, allowed=allowed)


def check_identifiers(db: duckdb.DuckDBPyConnection, country: Country) -> None:
    """Identifiers are unique, and a spread of them is canonical: what the country's own parser makes of them."""
    twice = db.execute("SELECT id.* FROM kept GROUP BY id HAVING count(*) > 1 LIMIT 1").fetchone()
    if twice:
        raise SourceError("identifier-twice", country=country.code, scheme=twice[0], identifier=twice[1])
    spread = db.execute(
        """SELECT id.scheme, id.identifier FROM kept
           WHERE hash(id.identifier) % greatest(1, (SELECT count(*) FROM kept) // $n) = 0""",
        {"n": _CHECKED_IDENTIFIERS},
    ).fetchall()
    for scheme, identifier in spread:
        try:
            canonical = any(found[:2] == (scheme, identifier) for found in country.identify(identifier))
        except PadronError:
            canonical = False
        if not canonical:
            raise SourceError("identifier-not-canonical", country=country.code, scheme=scheme, identifier=identifier)


def manifest(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    books: Mapping[str, dict[str, Any]],
    figures: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """What the snapshot says of itself. Free of build time, so that the same input gives the same bytes."""
    unmapped = _counts(
        db,
        "SELECT raw, 'n', count(*) FROM status_map JOIN kept ON status_raw = raw WHERE status = 'unknown' GROUP BY ALL",
    )
    masked = db.execute("SELECT count(*) FROM ranked WHERE masked").fetchall()[0][0]
    by_scheme = dict(db.execute("SELECT id.scheme, count(*) FROM kept GROUP BY ALL ORDER BY ALL").fetchall())
    return {
        "format": snapshot.FORMAT,
        "country": country.code,
        "date": max(file.published for file in files).isoformat(),
        "companies": sum(by_scheme.values()),
        "by_scheme": by_scheme,
        "sources": {key: {**account, "date": _iso(account["date"])} for key, account in books.items()},
        "statements": dict(figures),
        "unmapped_status": {raw: counts["n"] for raw, counts in sorted(unmapped.items())},
        "masked_names": masked,
        "files": {
            str(number): {"source": file.source.key, "file": file.path.name, "published": file.published.isoformat()}
            for number, file in enumerate(files, start=1)
        },
    }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def coverage(
    release_id: str, manifests: Mapping[str, Mapping[str, Any]], registry: Mapping[str, Country], today: date
) -> dict[str, Any]:
    """The coverage answer of the release, ready to be sent."""
    countries = []
    for code in (code for code in registry if code in manifests):
        found = manifests[code]
        stated = [
            {
                "name": source.name,
                "url": source.url,
                "licence": source.licence,
                "attribution": source.attribution,
                "date": (account := found["sources"][source.key])["date"],
                "records": account["records"],
                "state": _state(registry[code], source, date.fromisoformat(account["date"]), today),
            }
            for source in registry[code].sources
            if found["sources"].get(source.key, {}).get("date")
        ]
        countries.append(
            {
                "countryCode": code,
                "companies": found["companies"],
                "byScheme": found["by_scheme"],
                "sources": stated,
            }
        )
    total = sum(country["companies"] for country in countries)
    return {"countries": countries, "total": total, "release": release_id}


def _state(country: Country, source: Source, day: date, today: date) -> str:
    """`manual` where nobody can automate the source, `late` when it is older than its publisher makes it."""
    if country.by_hand(source):
        return "manual"
    return "late" if source.is_late(day, today) else "fresh"
