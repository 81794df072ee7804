"""The on-disk format: immutable snapshots (one country), releases (one snapshot a country), the pointer `current`.

    <data>/snapshots/<cc>/<date>-<sha8>/companies.parquet, statements.parquet, manifest.json
    <data>/releases/<id>.json          the snapshots of a release and what its coverage answer needs
    <data>/indexes/<format>-<id>/      the searchable form, built by `padron.index`
    <data>/current                     id of the release to serve, then of the one before; replaced atomically

Nothing here is ever edited: a folder is written under a temporary name, sealed with the checksums of its files,
flushed, and renamed into place. Whoever opens one verifies the seal. DuckDB is loaded only by the function that reads
Parquet, so the server process never carries it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from padron.company import Company, from_row
from padron.company_fields import COLUMNS, IDS_TYPE, LAYOUT, NAMES_TYPE, Column
from padron.errors import ReleaseError, Unavailable
from padron.storage import flush, replace_text

FORMAT = 1
"""Version of the snapshot and release format; a release of another version is refused."""

SEAL = "SHA256SUMS.json"
_WORK = ".building"
_KEPT = 2
_FETCH = 10_000
_IDENTIFIER = [column.name for column in COLUMNS].index("identifier")


class ColumnSpec(NamedTuple):
    """A column of a Parquet file: its DuckDB type, whether it may be null, and what it means."""

    name: str
    type: str
    nullable: bool
    meaning: str


FIGURES: tuple[str, ...] = (
    *("revenue", "gross_profit", "operating_profit", "pretax_profit", "net_profit"),
    *("assets", "current_assets", "cash", "liabilities", "current_liabilities", "equity"),
)
"""The figures of a statement, in the order in which statements are read."""

STATEMENT_COLUMNS: tuple[ColumnSpec, ...] = (
    ColumnSpec("scheme", "VARCHAR", False, "scheme of `identifier`"),
    ColumnSpec("identifier", "VARCHAR", False, "the company's identifier in companies.parquet"),
    ColumnSpec("fiscal_year", "INTEGER", False, "the year it ends in (weeks-based years: docs/statements.md)"),
    ColumnSpec("period_start", "DATE", True, "first day of the period"),
    ColumnSpec("period_end", "DATE", False, "last day of the period"),
    ColumnSpec("currency", "VARCHAR", False, "ISO 4217"),
    ColumnSpec("scope", "VARCHAR", False, "consolidated (with subsidiaries), separate (parent alone) or individual"),
    *(ColumnSpec(figure, "DECIMAL(28,2)", True, "in units of `currency`; null: not stated") for figure in FIGURES),
    ColumnSpec("employees", "INTEGER", True, "as the source counts them"),
    ColumnSpec("basis", "MAP(VARCHAR, VARCHAR)", False, "figure -> tag, account or column it was taken from"),
    ColumnSpec("restated", "BOOLEAN", False, "a later filing changed a figure by more than 0.1 %"),
    ColumnSpec("first_reported", "MAP(VARCHAR, DECIMAL(28,2))", False, "changed figure -> as it was first reported"),
    ColumnSpec("form", "VARCHAR", True, "kind of the filing"),
    ColumnSpec("filing", "VARCHAR", True, "the publisher's reference of the filing the profit was taken from"),
    ColumnSpec("filed", "DATE", True, "date of that filing"),
    ColumnSpec("source", "VARCHAR", False, "key of the source"),
    ColumnSpec("checks", "VARCHAR[]", False, "checks that the published figures fail"),
)
"""Columns of statements.parquet, one row per company, period and scope."""


class Amount(NamedTuple):
    """A figure of a statement in whole units of its currency; `first` as it was first reported, where that differs."""

    figure: str
    amount: Decimal
    basis: str | None
    first: Decimal | None


class Statement(NamedTuple):
    """A yearly statement of the company `country`, `identifier`, from the register `register` (a country code).

    The columns of statements.parquet; dates are ISO texts, `amounts` holds the figures that are stated, in the order of
    `FIGURES`.
    """

    country: str
    identifier: str
    register: str
    fiscal_year: int
    period_start: str | None
    period_end: str
    currency: str
    scope: str
    amounts: tuple[Amount, ...]
    employees: int | None
    restated: bool
    form: str | None
    filing: str | None
    filed: str | None
    source: str
    checks: tuple[str, ...]


class Release(NamedTuple):
    """A published set of snapshots. `links` maps (country, identifier) to (link, is home); `coverage` is ready JSON.

    `lent` maps a company without statements in its own register to the linked record whose statements stand for it.
    """

    id: str
    generated_at: str
    snapshots: dict[str, str]
    links: dict[tuple[str, str], tuple[str, bool]]
    coverage: dict[str, Any]
    lent: dict[tuple[str, str], tuple[str, str]]


@contextmanager
def building(data: Path) -> Iterator[Path]:
    """A work folder under `data` for one build at a time, emptied of what a killed build left, removed at the end.

    Raises `Unavailable("build-running")` while another process builds there.
    """
    data.mkdir(parents=True, exist_ok=True)
    with (data / ".build.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Unavailable("build-running", folder=str(data)) from error
        work = data / _WORK
        shutil.rmtree(work, ignore_errors=True)
        prune(data)
        work.mkdir()
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, *, volatile: Iterable[str] = ()) -> None:
    """Write the checksums of the files of `folder` beside them; `volatile` names lock files that may change."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name not in {SEAL, *volatile})
    sums = {name: {"bytes": (folder / name).stat().st_size, "sha256": _digest(folder / name)} for name in names}
    (folder / SEAL).write_text(json.dumps(sums, indent=1), encoding="utf-8")
    for name in (*names, SEAL):
        flush(folder / name)
    flush(folder)


def verify(folder: Path) -> None:
    """Raise `ReleaseError` unless every file of a sealed folder is there with the bytes it was sealed with."""
    try:
        sums = json.loads((folder / SEAL).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReleaseError("release-damaged", folder=str(folder), file=SEAL) from error
    for name, expected in sums.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != expected["bytes"] or _digest(path) != expected["sha256"]:
            raise ReleaseError("release-damaged", folder=str(folder), file=name)


def place(built: Path, target: Path) -> None:
    """Move a sealed folder to its final name; one already there (same name, same content) wins."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        try:
            verify(target)
        except ReleaseError:
            shutil.rmtree(target)
        else:
            return
    built.rename(target)
    flush(target.parent)


def write_release(data: Path, work: Path, release: Release) -> None:
    """Write `releases/<id>.json` by way of `work` (of `building`); nothing serves it before `publish`."""
    document = {
        "format": FORMAT,
        "layout": LAYOUT,
        **release._asdict(),
        "links": [[*key, *value] for key, value in sorted(release.links.items())],
        "lent": [[*key, *value] for key, value in sorted(release.lent.items())],
    }
    path = data / "releases" / f"{release.id}.json"
    path.parent.mkdir(exist_ok=True)
    replace_text(path, json.dumps(document, ensure_ascii=False, indent=1), work)


def read_release(data: Path, release_id: str) -> Release:
    """The release of this id. Raises `ReleaseError`: `no-release`, `release-damaged`, `release-format`."""
    path = data / "releases" / f"{release_id}.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ReleaseError("release-format", file=str(path), found=document["format"], expected=FORMAT)
        if (layout := document.get("layout")) != LAYOUT:
            raise ReleaseError("release-format", file=str(path), found=layout, expected=LAYOUT)
        return Release(
            document["id"],
            document["generated_at"],
            document["snapshots"],
            {(country, identifier): (link, home) for country, identifier, link, home in document["links"]},
            document["coverage"],
            {(country, identifier): (register, of) for country, identifier, register, of in document.get("lent", ())},
        )
    except FileNotFoundError as error:
        raise ReleaseError("no-release", folder=str(data)) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReleaseError("release-damaged", folder=str(path.parent), file=path.name) from error


def publish(data: Path, work: Path, release_id: str) -> None:
    """Make `release_id` the one to serve: a single atomic replacement of `current`, which also names the one before."""
    before = [name for name in published(data) if name != release_id]
    replace_text(data / "current", "\n".join([release_id, *before][:_KEPT]) + "\n", work)


def published(data: Path) -> list[str]:
    """The releases that are kept, the served one first, then the one before; empty where nothing was ever published."""
    try:
        return (data / "current").read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []


def current(data: Path) -> str:
    """Id of the release to serve. Raises `ReleaseError("no-release")` where nothing was ever published."""
    if not (ids := published(data)):
        raise ReleaseError("no-release", folder=str(data))
    return ids[0]


def index_folder(data: Path, release_id: str, index_format: int) -> Path:
    """Where the index of a release stands; code of another index format never opens it."""
    return data / "indexes" / f"{index_format}-{release_id}"


def prune(data: Path) -> None:
    """Remove every release but the served one and the one before, and what a killed build placed and never published.

    Open files outlive their removal. While one of the two is damaged or of another format, all snapshots stay.
    """
    kept = published(data)
    for path in [path for path in (data / "releases").glob("*.json") if path.stem not in kept]:
        path.unlink()
    for folder in [path for path in (data / "indexes").glob("*") if path.name.split("-", 1)[1] not in kept]:
        shutil.rmtree(folder)
    try:
        wanted = {name for release_id in kept for name in read_release(data, release_id).snapshots.values()}
    except ReleaseError:
        return
    for folder in [path for path in (data / "snapshots").glob("*/*") if "/".join(path.parts[-2:]) not in wanted]:
        shutil.rmtree(folder)


def manifest(data: Path, name: str) -> dict[str, Any]:
    """The manifest of a placed snapshot: sources with their rows and dates, counts, files."""
    try:
        found: dict[str, Any] = json.loads((data / "snapshots" / name / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReleaseError("release-damaged", folder=name, file="manifest.json") from error
    return found


def companies(data: Path, release: Release) -> Iterator[Company]:
    """Every company of a release, by country and identifier, in flat memory; verifies each snapshot first."""
    import duckdb  # noqa: PLC0415 - the server process never reads Parquet

    for country, name in sorted(release.snapshots.items()):
        folder = data / "snapshots" / name
        verify(folder)
        with duckdb.connect() as db:
            columns = ", ".join(_as_python(column) for column in COLUMNS)
            cursor = db.execute(f"SELECT {columns} FROM read_parquet(?)", [str(folder / "companies.parquet")])
            while rows := cursor.fetchmany(_FETCH):
                yield from (_company(country, row, release) for row in rows)


def _as_python(column: Column) -> str:
    """Return SQL that yields a column as `company.from_row` takes it."""
    if column.type == "DATE":
        return f"{column.name}::VARCHAR"
    if column.type == NAMES_TYPE:
        return f"list_transform({column.name}, lambda x: [x.kind, x.name, x.since::VARCHAR, x.until::VARCHAR])"
    if column.type == IDS_TYPE:
        return f"list_transform({column.name}, lambda x: [x.scheme, x.value])"
    return column.name


def _company(country: str, row: tuple[Any, ...], release: Release) -> Company:
    """Return the company of a row of companies.parquet, with its link in the release."""
    key = (country, row[_IDENTIFIER])
    company = from_row(country, row, *release.links.get(key, (None, True)))
    return company._replace(financials=True) if key in release.lent else company
