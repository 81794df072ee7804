"""The row balance of a build: rows in against rows out for each source, expectations, manifest and coverage."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from math import ceil
from typing import Any

import duckdb

from padron.countries.country import FEW_REJECTS, Country, Source
from padron.errors import PadronError, SourceError
from padron.ingest.files import SourceFile
from padron.ingest.read import FILE_BITS, table_name
from padron.releases import snapshot

_CHECKED_IDENTIFIERS = 20_000
_MANY = 100
"""Rows of a file of which some tell of a company, unless its labels are wrong."""
_OF_OWN_CELLS = ["natural-person", "no-company", "no-register-identifier", "other-country", "other-register"]
"""Reasons for which a row is left out whatever other rows say."""


def _counts(db: duckdb.DuckDBPyConnection, query: str) -> dict[str, dict[str, int]]:
    """Return source -> reason -> rows, from a query of those three columns."""
    counts: dict[str, dict[str, int]] = {}
    for source, reason, count in db.execute(query).fetchall():
        counts.setdefault(source, {})[reason] = count
    return counts


def rows_read(db: duckdb.DuckDBPyConnection, country: Country) -> dict[str, tuple[int, int | None]]:
    """Return source -> rows of its raw tables without lookup tables, and the sum of the hashes of their numbers."""
    counted = {}
    for source in country.sources:
        tables = [table_name(source, layout) for layout in source.layouts if not layout.lookup]
        raw = " UNION ALL ".join(f'SELECT _row FROM "{table}"' for table in tables) or "SELECT NULL::BIGINT WHERE false"
        counted[source.key] = db.execute(f"SELECT count(*), sum(hash(_row)::HUGEINT) FROM ({raw})").fetchall()[0]
    return counted


def row_balance(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    read: Mapping[str, tuple[int, int | None]],
    figures: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Return the balance of each source: rows = kept + merged + left_out + rejected, or the build stops.

    `kept` counts the rows that represent a company, `merged` those that joined one, `records` the companies to which
    the source contributed, `date` is that of the newest file of which a row is kept or merged, of all files where that
    is none. Sums of hashes of row numbers prove in constant memory that both sides are the same rows.

    Args:
        read: Result of `rows_read` before companies.sql ran.
        figures: Balance of the sources of statements (`statements.row_balance`). It stands for a source of which
            companies.sql places no row.

    Raises:
        SourceError: `rows-unaccounted`.
    """
    left_out = _counts(db, "SELECT source, reason, count(*) FROM left_out GROUP BY ALL ORDER BY ALL")
    rejected = _counts(db, "SELECT source, reason, count(*) FROM refused GROUP BY ALL ORDER BY ALL")
    unread = _counts(db, "SELECT source, 'rows', count(*) FROM unread GROUP BY ALL")
    kept: dict[str, Counter[str]] = defaultdict(Counter)
    dates: dict[str, set[date]] = defaultdict(set)
    for key, number, outcome, count in db.execute(
        f"""SELECT source, row_id >> {FILE_BITS}, CASE WHEN prio = representing THEN 'kept' ELSE 'merged' END, count(*)
            FROM (SELECT source, row_id, company, prio FROM ranked
                  UNION ALL SELECT source, row_id, company, NULL FROM joined)
            JOIN kept USING (company) GROUP BY ALL"""
    ).fetchall():
        kept[key][outcome] += count
        dates[key].add(files[number - 1].published)
    used = _counts(db, "SELECT key, 'records', count(*) FROM (SELECT unnest(sources) AS key FROM kept) GROUP BY ALL")
    balance = {}
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
        of_figures = figures.get(source.key) if placed[0] == 0 else None
        if placed != read[source.key] and (of_figures is None or of_figures["rows"] != rows):
            raise SourceError("rows-unaccounted", source=source.key, rows=rows, accounted=placed[0])
        refused = rejected.get(source.key, {})
        balance[source.key] = {
            "rows": rows + unread.get(source.key, {}).get("rows", 0),
            "kept": of_figures["used"] if of_figures else kept[source.key]["kept"],
            "merged": kept[source.key]["merged"],
            "left_out": of_figures["passed_over"] if of_figures else left_out.get(source.key, {}),
            "rejected": {**refused, **of_figures["rejected"]} if of_figures else refused,
            "records": of_figures["companies"] if of_figures else used.get(source.key, {}).get("records", 0),
            "date": max(dates[source.key] or {file.published for file in files if file.source is source}, default=None),
        }
    return balance


def check_expectations(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    balance: Mapping[str, dict[str, Any]],
    served: Mapping[str, Any] | None,
) -> None:
    """Check the expectations of every source.

    Args:
        balance: Result of `row_balance`.
        served: Manifest of the country's snapshot in the served release, None if there is none.

    Raises:
        SourceError: `source-lost`, `too-few-rows`, `too-many-rejected`, `rows-lost` or `companies-lost`, for the first
            source that fails one.
    """
    for source in country.sources:
        counts = balance[source.key]
        last = (served or {}).get("sources", {}).get(source.key, {})
        if counts["date"] is None:
            if last.get("date"):
                raise SourceError("source-lost", source=source.key, country=country.code, date=last["date"])
            continue
        rows, refused = counts["rows"], sum(counts["rejected"].values())
        records = counts["records"] + counts["left_out"].get("suppressed", 0)
        rejectable = source.expect.rejectable(rows)
        if rows < source.expect.min_rows:
            raise SourceError("too-few-rows", source=source.key, found=rows, allowed=source.expect.min_rows)
        if refused > rejectable:
            first, counted = _first_rejected(db, files, source), {"found": refused, "rows": rows, "allowed": rejectable}
            raise SourceError("too-many-rejected", source=source.key, **counted, **first)
        if rows < (least := _least(before := last.get("rows", 0), source)):
            raise SourceError("rows-lost", source=source.key, found=rows, before=before, allowed=least)
        if records < (least := _least(before := last.get("records", 0), source)):
            raise SourceError("companies-lost", source=source.key, found=records, before=before, allowed=least)


def _first_rejected(db: duckdb.DuckDBPyConnection, files: Sequence[SourceFile], source: Source) -> dict[str, Any]:
    """Return file, row and reason of the first row of a source that is rejected.

    The row is the line where a record could not be read, else the number of the record in its file.
    """
    number, row, reason = db.execute(
        f"""SELECT row_id >> {FILE_BITS} AS file, coalesce(line, row_id & ((1::BIGINT << {FILE_BITS}) - 1)) AS row,
                   reason
            FROM (SELECT source::VARCHAR AS source, row_id, reason, line FROM refused UNION ALL
                  SELECT source, row_id, fault, NULL FROM sourced WHERE fault IS NOT NULL)
            WHERE source = $key ORDER BY ALL LIMIT 1""",
        {"key": source.key},
    ).fetchall()[0]
    return {"file": files[number - 1].path.name, "row": row, "reason": reason}


def check_rejected_files(db: duckdb.DuckDBPyConnection, files: Sequence[SourceFile]) -> None:
    """Check that a file with rejected rows tells of a company: beside larger ones, a small file is a small share.

    So it is where the labels of its header stand over other columns. In a file of `_MANY` rows or more, those count too
    that are left out for what their own cells say. Raises `SourceError("file-rejected")`.
    """
    lost = db.execute(
        f"""SELECT file, count(*), count(*) FILTER (rejected), count(*) FILTER (rejected OR own),
                   mode(reason) FILTER (rejected OR own)
            FROM (SELECT row_id >> {FILE_BITS} AS file, reason, true AS rejected, true AS own FROM rejected UNION ALL
                  SELECT row_id >> {FILE_BITS}, reason, false, list_contains($reasons, reason) FROM left_out)
            ANTI JOIN (SELECT row_id >> {FILE_BITS} AS file FROM records
                       UNION SELECT row_id >> {FILE_BITS} FROM joined
                       UNION SELECT row_id >> {FILE_BITS} FROM left_out WHERE reason = 'suppressed') USING (file)
            GROUP BY file ORDER BY file""",
        {"reasons": _OF_OWN_CELLS},
    ).fetchall()
    for number, rows, rejected, own, reason in lost:
        file, unfit = files[number - 1], own if rows >= _MANY else rejected
        if unfit > max(FEW_REJECTS, rows / 2, rows * file.source.expect.max_rejected):
            place = {"source": file.source.key, "file": file.path.name, "reason": reason}
            raise SourceError("file-rejected", **place, found=unfit, rows=rows)


def _least(before: int, source: Source) -> int:
    """Return the number of rows or companies that a source may have at least, which had `before`."""
    return ceil(before * (1 - source.expect.max_drop))


def check_identifiers(db: duckdb.DuckDBPyConnection, country: Country) -> None:
    """Check that identifiers are unique, and that a sample of them is what the country's parser returns for them."""
    duplicate = db.execute("SELECT id.* FROM kept GROUP BY id HAVING count(*) > 1 LIMIT 1").fetchone()
    if duplicate:
        raise SourceError("identifier-twice", country=country.code, scheme=duplicate[0], identifier=duplicate[1])
    sample = db.execute(
        """SELECT id.scheme, id.identifier FROM kept
           WHERE hash(id.identifier) % greatest(1, (SELECT count(*) FROM kept) // $n) = 0""",
        {"n": _CHECKED_IDENTIFIERS},
    ).fetchall()
    for scheme, identifier in sample:
        try:
            canonical = any(reading[:2] == (scheme, identifier) for reading in country.identify(identifier))
        except PadronError:
            canonical = False
        if not canonical:
            raise SourceError("identifier-not-canonical", country=country.code, scheme=scheme, identifier=identifier)


def manifest(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    balance: Mapping[str, dict[str, Any]],
    figures: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the manifest of a snapshot. It holds no time of the build: the same input gives the same bytes.

    Args:
        balance: Result of `row_balance`.
    """
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
        "sources": {key: {**counts, "date": _iso(counts["date"])} for key, counts in balance.items()},
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
    """Return the coverage answer of a release, ready to be sent.

    Args:
        manifests: Manifests of its snapshots, by country.
        today: Day against which the age of a source is measured.

    Returns:
        The answer without `generatedAt`.
    """
    countries = []
    for code in (code for code in registry if code in manifests):
        manifest = manifests[code]
        stated = [
            {
                "name": source.name,
                "url": source.url,
                "licence": source.licence,
                "attribution": source.attribution,
                "date": (counts := manifest["sources"][source.key])["date"],
                "records": counts["records"],
                "state": _state(registry[code], source, date.fromisoformat(counts["date"]), today),
            }
            for source in registry[code].sources
            if manifest["sources"].get(source.key, {}).get("date")
        ]
        countries.append(
            {
                "countryCode": code,
                "companies": manifest["companies"],
                "byScheme": manifest["by_scheme"],
                "sources": stated,
            }
        )
    total = sum(country["companies"] for country in countries)
    return {"countries": countries, "total": total, "release": release_id}


def _state(country: Country, source: Source, day: date, today: date) -> str:
    """Return `manual` for a source that cannot be fetched, `late` for one older than two cadences, else `fresh`."""
    if country.by_hand(source):
        return "manual"
    return "late" if source.is_late(day, today) else "fresh"
