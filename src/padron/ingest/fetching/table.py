"""A Socrata table got page by page into one CSV file.

Pages are stable only in the order of `:id` while the publisher does not renew the table (`rowsUpdatedAt`). A page is
appended whole or not at all, and a note beside the file says how far it got, so a killed run goes on with the next.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher
from padron.ingest.fetching.download import Fetched
from padron.origin import Table, TableQuery
from padron.storage import flush, replace_text

PAGE = 50_000
"""Rows a page, the most that Socrata gives."""
_RENEWED_TIMES = 3


def issue(publisher: Publisher, source: str, table: Table) -> str:
    """When the publisher last renewed the table, as a Last-Modified date. Raises `SourceError("bad-json")`."""
    url = f"{table.host}/api/views/{table.dataset}.json"
    try:
        seconds = json.loads(publisher.document(source, url))["rowsUpdatedAt"]
        return datetime.fromtimestamp(seconds, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError("bad-json", source=source, file=table.dataset, member=url, reason=str(error)) from error


def fetch_table(
    publisher: Publisher, source: str, table: Table, query: TableQuery, folder: Path, known: Mapping[str, Any] | None
) -> Fetched | None:
    """The rows of `query`, or None when those that are held (`known`) are of the same issue.

    Raises `SourceError`: `columns-changed` when a page has other columns than were asked for, `rows-missing` when there
    are fewer rows than the publisher counts, `table-renewed` when it is renewed again and again meanwhile.
    """
    for _ in range(_RENEWED_TIMES):
        stamp = issue(publisher, source, table)
        if known and known.get("last_modified") == stamp:
            return None
        pages = _Pages(folder, query.name, stamp)
        _fill(publisher, source, table, query, pages)
        if issue(publisher, source, table) == stamp:
            return Fetched(pages.path, None, stamp)
        pages.forget()
    raise SourceError("table-renewed", source=source, file=query.name)


class _Pages:
    """The file under way: rows so far, and the bytes they take."""

    def __init__(self, folder: Path, name: str, stamp: str) -> None:
        self.path = folder / name
        self._note = folder / f"{name}.json"
        self.rows = self._bytes = 0
        self._stamp = stamp
        try:
            note = json.loads(self._note.read_text("utf-8"))
        except (OSError, ValueError):
            note = {}
        if note.get("stamp") == stamp and self.path.exists() and self.path.stat().st_size >= note["bytes"]:
            self.rows, self._bytes = note["rows"], note["bytes"]
        with self.path.open("ab") as file:
            file.truncate(self._bytes)

    def append(self, page: bytes, rows: int) -> None:
        """Add a page: first its bytes, flushed, then the note that they are there."""
        with self.path.open("ab") as file:
            file.write(page)
        flush(self.path)
        self.rows += rows
        self._bytes += len(page)
        replace_text(self._note, json.dumps({"stamp": self._stamp, "rows": self.rows, "bytes": self._bytes}))

    def forget(self) -> None:
        """Let go of what is there."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)


def _fill(publisher: Publisher, source: str, table: Table, query: TableQuery, pages: _Pages) -> None:
    """Pages up to the last row."""
    where = {"$where": query.where} if query.where else {}
    expected = _count(publisher, source, table, where)
    while pages.rows < expected or not pages.rows:
        offset = pages.rows
        asked = {"$select": ",".join(table.select), **where, "$order": ":id", "$limit": PAGE, "$offset": offset}
        page = publisher.document(source, f"{table.host}/resource/{table.dataset}.csv?{urlencode(asked)}")
        rows, body = _rows(source, table, query, page)
        if not rows:
            break
        pages.append(body if offset else page, rows)
    if pages.rows != expected or not expected:
        rows = pages.rows
        pages.forget()
        raise SourceError("rows-missing", source=source, file=query.name, rows=rows, expected=expected)


def _count(publisher: Publisher, source: str, table: Table, where: Mapping[str, str]) -> int:
    url = f"{table.host}/resource/{table.dataset}.json?{urlencode({'$select': 'count(*) as rows', **where})}"
    try:
        return int(json.loads(publisher.document(source, url))[0]["rows"])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise SourceError("bad-json", source=source, file=table.dataset, member=url, reason=str(error)) from error


def _rows(source: str, table: Table, query: TableQuery, page: bytes) -> tuple[int, bytes]:
    """How many rows a page holds, and its bytes after the header."""
    try:
        text = page.decode("utf-8")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(reader, [])
        rows = sum(1 for row in reader if row)
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceError("columns-changed", source=source, file=query.name, found=str(error)) from error
    if header != list(table.select):
        raise SourceError("columns-changed", source=source, file=query.name, found=", ".join(header)[:200])
    return rows, page[page.index(b"\n") + 1 :]
