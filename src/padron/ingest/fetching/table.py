"""Download of a Socrata table, page by page, into one CSV file.

Pages are stable only in the order of `:id` and while the publisher does not renew the table (`rowsUpdatedAt`). A page
is appended whole or not at all; a note beside the file counts the pages, so that a killed run continues with the next.
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

from padron.countries.origin import Table, TableQuery
from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher
from padron.ingest.fetching.download import Fetched
from padron.storage import flush, replace_text

PAGE = 50_000
"""Rows of a page: the maximum of Socrata."""
_RENEWED_TIMES = 3


def issue(publisher: Publisher, source: str, table: Table) -> str:
    """Return the time the publisher last renewed the table, as a Last-Modified date.

    Raises:
        SourceError: `bad-json`; `missing-column` when the table lacks a column that is requested.
    """
    url = f"{table.host}/api/views/{table.dataset}.json"
    try:
        view = json.loads(publisher.document(source, url))
        columns = {column["fieldName"] for column in view.get("columns", [])}
        stamp = datetime.fromtimestamp(view["rowsUpdatedAt"], UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("bad-json", source=source, file=table.dataset, member=url, reason=str(error)) from error
    if columns and (absent := [name for name in table.select if name not in columns]):
        raise SourceError("missing-column", source=source, file=table.dataset, member=url, column=", ".join(absent))
    return stamp


def first_rows(publisher: Publisher, source: str, table: Table, query: TableQuery, rows: int) -> bytes:
    """Return the first rows of a query, as CSV with its header.

    Args:
        rows: How many at most.

    Raises:
        SourceError: `columns-changed`; `rows-missing` when there is none.
    """
    parameters = _parameters(table, query) | {"$limit": rows, "$offset": 0}
    page = publisher.document(source, _page_address(table, parameters))
    count, _ = _rows(source, table, query, page)
    if not count:
        raise SourceError("rows-missing", source=source, file=query.name, rows=0, expected=rows)
    return page


def _parameters(table: Table, query: TableQuery) -> dict[str, str | int]:
    where: dict[str, str | int] = {"$where": query.where} if query.where else {}
    return {"$select": ",".join(table.select), **where, "$order": ":id"}


def _page_address(table: Table, parameters: Mapping[str, str | int]) -> str:
    return f"{table.host}/resource/{table.dataset}.csv?{urlencode(parameters)}"


def fetch_table(
    publisher: Publisher, source: str, table: Table, query: TableQuery, folder: Path, known: Mapping[str, Any] | None
) -> Fetched | None:
    """Download the rows of a query.

    Args:
        known: Provenance record of the current file, None if there is none.

    Returns:
        The complete file, or None when the current one is of the same issue.

    Raises:
        SourceError: `columns-changed` when a page has other columns than requested, `rows-missing` when there are fewer
            rows than the publisher counts, `table-renewed` when the table keeps being renewed meanwhile.
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
    """The file under way: its rows and bytes so far."""

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
        """Append a page: first its bytes, flushed, then the note that counts them."""
        with self.path.open("ab") as file:
            file.write(page)
        flush(self.path)
        self.rows += rows
        self._bytes += len(page)
        replace_text(self._note, json.dumps({"stamp": self._stamp, "rows": self.rows, "bytes": self._bytes}))

    def forget(self) -> None:
        """Remove what was downloaded."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)


def _fill(publisher: Publisher, source: str, table: Table, query: TableQuery, pages: _Pages) -> None:
    """Download the pages up to the last row."""
    where = {"$where": query.where} if query.where else {}
    expected = _count(publisher, source, table, where)
    while pages.rows < expected or not pages.rows:
        offset = pages.rows
        parameters = _parameters(table, query) | {"$limit": PAGE, "$offset": offset}
        page = publisher.document(source, _page_address(table, parameters))
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
    """Return the number of rows of a page, and its bytes after the header."""
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
