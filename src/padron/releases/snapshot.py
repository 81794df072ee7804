"""The on-disk format: immutable snapshots (one country), releases (one snapshot per country), the pointer `current`.

    <data>/snapshots/<cc>/<date>-<sha8>/companies.parquet, statements.parquet, manifest.json
    <data>/releases/<id>.json          the snapshots of a release, its links and its coverage answer
    <data>/indexes/<format>-<id>/      the searchable form, built by `padron.index`
    <data>/exports/<id>[.<revision>]/  its public data as files (`padron.ingest.export`), for a list of suppressions
    <data>/current                     id of the release to serve, then of the one before; replaced atomically

Nothing here is edited: a folder is written under a temporary name, sealed with the checksums of its files, flushed, and
renamed into place. Readers verify the seal. DuckDB is imported only by the function that reads Parquet, so the server
process never loads it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import mmap
import os
import re
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import chain, starmap
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final, NamedTuple

from padron.companies.company import Company, from_row
from padron.companies.fields import FIELDS, IDS_TYPE, LAYOUT, NAMES_TYPE, Field
from padron.companies.model import Name
from padron.errors import PadronError, ReleaseError, Unavailable
from padron.storage import flush, remove, remove_abandoned, replace_text

FORMAT = 1
"""Version of the snapshot and release format; a release of another version is refused."""

PULLED: Final = "pulled"
"""File of a data folder whose last release came from a store: what an engine on the network keeps belongs to the folder
that built it."""
SEAL = "SHA256SUMS.json"
_INDEX: Final = ("", "companies", "lists", "statements", "vocabulary", "vocabulary/near")
"""The folders of an index, each with a seal of its own."""
_INDEX_NAME: Final = re.compile(r"\d+-.+")
_EXPORT_NAME: Final = re.compile(r"[^.].*")
_COUNTRY_NAME: Final = re.compile(r"[a-z]{2}")
_SNAPSHOT_NAME: Final = re.compile(r".+-[0-9a-f]{8}")
_WORK = ".building"
_KEPT = 2
_MOST_OF_POINTER = 1_024
"""Bytes of `current`, at most: two ids have fewer than 100."""
_FETCH = 10_000
_BLOCK = 1 << 18
_SHARED = frozenset({"trade", "former", "byName", "doubtfulByName"})
"""Kinds of names that the linked records of a company share: a symbol and a variant of a name are of one register."""
_IDENTIFIER = [column.name for column in FIELDS].index("identifier")
DAMAGE: Final = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}
    | {errno.EIO, errno.EUCLEAN, errno.EBADMSG, errno.ESTALE}
)
"""Errors of the system by which a file is not the one that was published, or kills who reads it in memory (EIO: a bad
block of the disk). Any other (no file left to open, no permission) proves nothing of the file, and may pass."""


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
"""The figures of a statement, in the customary order of statements."""

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


class StatementRow(NamedTuple):
    """A yearly statement: the columns of statements.parquet, and the country of the register it is from.

    Dates are ISO texts; `amounts` has the stated figures, in the order of `FIGURES`.
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
    """A set of snapshots, one per country.

    Attributes:
        id: Date of the newest data and a digest of the content.
        generated_at: Time of the build.
        snapshots: Country -> name of its snapshot.
        links: (country, identifier) -> link, and whether it is the home record.
        coverage: The coverage answer, without the time.
        borrowed: Company without statements in its own register -> linked record whose statements it borrows; on the
            disk the key is `lent`.
    """

    id: str
    generated_at: str
    snapshots: dict[str, str]
    links: dict[tuple[str, str], tuple[str, bool]]
    coverage: dict[str, Any]
    borrowed: dict[tuple[str, str], tuple[str, str]]


@contextmanager
def building(data: Path) -> Iterator[Path]:
    """Make a work folder under `data` for one build at a time; remove it at the end, and that of a killed build first.

    A `current` that is damaged, lost or names no release is written again from the releases that are there.

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
        work.mkdir()
        _mend_pointer(data, work)
        prune(data)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _mend_pointer(data: Path, work: Path) -> None:
    pointer, there = data / "current", stored(data)
    if not pointer.exists() and len(there) < _KEPT:
        return  # of a first build that was killed before it was proved, if of any
    try:
        ids = published(data)
    except ReleaseError:
        ids = []
    if not ids or ids[0] not in there:
        if whole := [release for release in ids if release in there] or there:
            _point(data, whole, work)
        elif pointer.is_dir():
            pointer.rmdir()
        else:
            pointer.unlink()


def _point(data: Path, releases: Sequence[str], scratch: Path | None = None) -> None:
    """Replace `current`, or an empty folder there, by the first of some releases, the one to serve first."""
    if (data / "current").is_dir():
        (data / "current").rmdir()
    replace_text(data / "current", "\n".join(releases[:_KEPT]) + "\n", scratch)


@contextmanager
def _sole_writer(data: Path) -> Iterator[None]:
    """Hold the only right to read `current` and then to replace it: a rollback does not wait for the end of a build."""
    folder = os.open(data, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path) -> None:
    """Write the checksums of the files of `folder` beside them."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name != SEAL)
    sums = {name: {"bytes": (folder / name).stat().st_size, "sha256": _digest(folder / name)} for name in names}
    (folder / SEAL).write_text(json.dumps(sums, indent=1), encoding="utf-8")
    for name in (*names, SEAL):
        flush(folder / name)
    flush(folder)


def _fault(error: Exception, folder: Path, file: str) -> ReleaseError | Unavailable:
    """Return what an error in reading a file of a release means.

    Returns:
        `release-damaged`, or `release-unreadable` where the same file may be read another time.
    """
    if isinstance(error, OSError) and error.errno not in DAMAGE:
        return Unavailable("release-unreadable", folder=str(folder), file=file, reason=error.strerror)
    return ReleaseError("release-damaged", folder=str(folder), file=file)


def verify(folder: Path) -> None:
    """Compare every file of a sealed folder with the digest it was sealed with.

    Raises:
        ReleaseError: `release-damaged`, one is missing, or has other bytes.
        Unavailable: `release-unreadable`, one cannot be read, which proves nothing of it, and the others are sound.
    """
    for _ in _verifying(folder):
        pass


def reread(data: Path, release_id: str, index_format: int, export: ExportedFiles | None = None) -> Iterator[None]:
    """Verify every file of a release, a block of 256 KiB with each step: the index, the snapshots, the release's own.

    Args:
        export: Its export, whose files are compared after its own.

    Yields:
        None, after each block.

    Raises:
        ReleaseError: As `verify`: at once for a file of the index, from which answers come; for any other once all have
            been compared.
        Unavailable: As `verify`, and `export-damaged`, once all have been compared.
    """
    fault: PadronError | None = None
    names: Collection[str] = ()
    try:
        names = read_release(data, release_id).snapshots.values()
    except PadronError as error:
        fault = error
    index = index_folder(data, release_id, index_format)
    for folder in (*(index / name for name in _INDEX), *(data / "snapshots" / name for name in names)):
        try:
            yield from _verifying(folder)
        except PadronError as error:
            if isinstance(error, ReleaseError) and folder.is_relative_to(index):
                raise
            fault = fault or error
    if export is not None:
        try:
            yield from export.reread()
        except PadronError as error:
            fault = fault or error
    if fault is not None:
        raise fault


def _sealed(folder: Path) -> list[tuple[str, int, str]]:
    """Return name, size and digest of the files of a sealed folder."""
    try:
        sums = json.loads((folder / SEAL).read_text(encoding="utf-8"))
        return [(name, entry["bytes"], entry["sha256"]) for name, entry in sums.items()]
    except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
        raise _fault(error, folder, SEAL) from error


def _verifying(folder: Path) -> Iterator[None]:
    expected = _sealed(folder)
    block = memoryview(bytearray(_BLOCK))
    unread: PadronError | None = None
    for name, size, digest in expected:
        path, content = folder / name, hashlib.sha256()
        try:
            is_there = path.is_file() and path.stat().st_size == size
            if is_there:
                with path.open("rb", buffering=0) as file:
                    while count := file.readinto(block):
                        content.update(block[:count])
                        yield
        except OSError as error:
            unread = _fault(error, folder, name)
            if isinstance(unread, ReleaseError):
                raise unread from error
            continue
        if not is_there or content.hexdigest() != digest:
            raise ReleaseError("release-damaged", folder=str(folder), file=name)
    if unread is not None:
        raise unread


class ExportedFiles:
    """The files of an export: one is compared with its digest before it is given first, and again once it has changed.

    Raises as `verify` where it has no seal.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.digests = {name: digest for name, _, digest in _sealed(folder)}
        self._whole: dict[tuple[str, int, int, int], bool] = {}
        self._comparing = Lock()

    def open(self, name: str) -> BinaryIO:
        """Open a file that is as it was exported. Raises `Unavailable("export-damaged")`."""
        try:
            file = (self._folder / name).open("rb")
        except OSError as error:
            raise self._damaged(name, error) from error
        try:
            status = os.fstat(file.fileno())
            state = (name, status.st_ino, status.st_size, status.st_mtime_ns)
            if state not in self._whole:
                with self._comparing:  # a file is compared by one of many who ask for it
                    if state not in self._whole:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                        self._whole[state] = digest == self.digests[name]
            if not self._whole[state]:
                raise self._damaged(name)
        except OSError as error:
            file.close()
            raise self._damaged(name, error) from error
        except PadronError:
            file.close()
            raise
        return file

    def _damaged(self, name: str, error: OSError | None = None) -> Unavailable:
        if error is not None and error.errno not in DAMAGE:
            return Unavailable("release-unreadable", folder=str(self._folder), file=name, reason=error.strerror)
        return Unavailable("export-damaged", file=name)

    def reread(self) -> Iterator[None]:
        """Verify the files again, a block of 256 KiB with each step. Raises `Unavailable`; a damaged one stays so."""
        try:
            yield from _verifying(self._folder)
        except ReleaseError as error:
            name = str(error.context["file"])
            self._whole |= {state: False for state in self._whole if state[0] == name}
            raise Unavailable("export-damaged", file=name) from error


def _verify_all(folder: Path) -> None:
    """Verify a snapshot, or an index with the folders in it."""
    for name in _INDEX if folder.parent.name == "indexes" else ("",):
        verify(folder / name)


def place(built: Path, target: Path) -> None:
    """Move the folder of a snapshot or an index to its final name; one that is whole there stays: it is the same."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        try:
            _verify_all(target)
        except ReleaseError:
            remove(target)
        else:
            return
    built.rename(target)
    flush(target.parent)


def write_release(data: Path, work: Path, release: Release) -> None:
    """Write `releases/<id>.json`; nothing serves the release before `publish`.

    Args:
        work: Work folder of `building`.
    """
    document = {
        "format": FORMAT,
        "layout": LAYOUT,
        **{name: value for name, value in release._asdict().items() if name != "borrowed"},
        "links": [[*key, *value] for key, value in sorted(release.links.items())],
        "lent": [[*key, *value] for key, value in sorted(release.borrowed.items())],
    }
    path = _file(data, release.id)
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(document, ensure_ascii=False, indent=1)
    replace_text(path, f'{{\n "sha256": "{_digest_of(text)}",{text[1:]}', work)


def _file(data: Path, release_id: str) -> Path:
    return data / "releases" / f"{release_id}.json"


def _digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_release(data: Path, release_id: str) -> Release:
    """Read a release by its id. Raises `ReleaseError` (`release-damaged`, `release-format`), or as `verify`."""
    path = _file(data, release_id)
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ReleaseError("release-format", file=str(path), found=document["format"], expected=FORMAT)
        if (layout := document.get("layout")) != LAYOUT:
            raise ReleaseError("release-format", file=str(path), found=layout, expected=LAYOUT)
        digest = document.get("sha256")  # releases written before it was stated lack it
        if digest and _digest_of(text.replace(f'\n "sha256": "{digest}",', "", 1)) != digest:
            raise ReleaseError("release-damaged", folder=str(path.parent), file=path.name)
        return Release(
            document["id"],
            document["generated_at"],
            document["snapshots"],
            {(country, identifier): (link, home) for country, identifier, link, home in document["links"]},
            document["coverage"],
            {(country, identifier): (register, of) for country, identifier, register, of in document.get("lent", ())},
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _fault(error, path.parent, path.name) from error


def publish(data: Path, work: Path, release_id: str) -> None:
    """Make a release the served one by replacing `current` in one step; it also names the release before.

    Args:
        work: Work folder of `building`.
    """
    with _sole_writer(data):
        _point(data, [release_id, *(name for name in published(data) if name != release_id)], work)


def roll_back(data: Path, release_id: str) -> None:
    """Make one of the kept releases the served one, until the next is published; the order of the others stays."""
    with _sole_writer(data):
        _point(data, [release_id, *(name for name in published(data) if name != release_id)])


def published(data: Path) -> list[str]:
    """Return the ids of the kept releases: the served one, then the one before; empty before the first.

    Raises `ReleaseError("release-damaged")` if `current` is no short file of ids, and `Unavailable` as `verify`.
    """
    try:
        file = os.open(data / "current", os.O_RDONLY | os.O_NONBLOCK)
        try:
            is_regular = stat.S_ISREG(os.fstat(file).st_mode)
            content = os.read(file, _MOST_OF_POINTER + 1) if is_regular else b""
        finally:
            os.close(file)
        ids = content.decode("ascii").split()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise _fault(error, data, "current") from error
    if not ids or len(content) > _MOST_OF_POINTER:
        raise ReleaseError("release-damaged", folder=str(data), file="current")
    return ids


def stored(data: Path) -> list[str]:
    """Return the ids of all releases in the folder, published or not, the newest first."""
    return sorted((path.stem for path in (data / "releases").glob("*.json") if path.is_file()), reverse=True)


def hold(data: Path, release_id: str) -> mmap.mmap:
    """Return what keeps a release from being pruned, in any process, for as long as it is referenced.

    Raises `ReleaseError("release-damaged")` where there is no such release, and `Unavailable` as `verify`.
    """
    path = _file(data, release_id)
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            # The lock belongs to the open file, which its mapping keeps open.
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _fault(error, path.parent, path.name) from error


def is_held(data: Path, release_id: str) -> bool:
    """Return whether any process holds a release; True also where that cannot be told now."""
    try:
        with _file(data, release_id).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def current(data: Path) -> str:
    """Return the id of the served release. Raises `ReleaseError("no-release")` before the first."""
    if not (ids := published(data)):
        raise ReleaseError("no-release", folder=str(data.absolute()))
    return ids[0]


def earlier(data: Path) -> list[str]:
    """Return the releases to serve if the current one cannot be: the one before, or all where `current` is unusable.

    A single one without `current` may be of a first build, which is not proved yet.
    """
    there = stored(data)
    try:
        ids = published(data)
    except PadronError:
        return there
    return ids[1:] or (there if not ids and len(there) >= _KEPT else [])


def index_folder(data: Path, release_id: str, index_format: int) -> Path:
    """Return the folder of the index of a release.

    Args:
        index_format: Version of the index format; code of another version never opens the folder.

    Returns:
        The folder, whether it exists or not.
    """
    return data / "indexes" / f"{index_format}-{release_id}"


def export_folder(data: Path, release_id: str, revision: str) -> Path:
    """Return the folder of the public data of a release as files.

    Args:
        revision: Revision of the suppressions that were applied.

    Returns:
        The folder, whether it exists or not.
    """
    return data / "exports" / ".".join(filter(None, (release_id, revision)))


Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Path, inode, size and time of change of files."""


def fingerprint(data: Path, index_format: int) -> Fingerprint:
    """Return what tells, without reading them, whether `current` or a file that it has served has changed.

    Returns:
        A value that differs once any of the files does.
    """
    paths = [data / "current"]
    with suppress(PadronError):
        release = current(data)
        paths += [_file(data, release), *index_folder(data, release, index_format).rglob("*")]
    states = []
    for path in sorted(paths):
        with suppress(OSError):
            state = path.stat()
            states.append((str(path), state.st_ino, state.st_size, state.st_mtime_ns))
    return tuple(states)


def prune(data: Path) -> None:
    """Remove every release but the current one, the one before and those that a process holds; leftovers too.

    What has no name of a release, snapshot or index, or is no folder, is somebody else's and stays.
    While one of them is damaged, unreadable or of another format, all snapshots stay.
    """
    kept = published(data)
    kept += [release for release in stored(data) if release not in kept and is_held(data, release)]
    for release in [release for release in stored(data) if release not in kept]:
        _file(data, release).unlink()
    for folder in _folders(data / "indexes", _INDEX_NAME):
        if folder.name.split("-", 1)[1] not in kept:
            shutil.rmtree(folder)
    remove_abandoned(data / "exports")
    for folder in _folders(data / "exports", _EXPORT_NAME):
        if folder.name.split(".")[0] not in kept:
            shutil.rmtree(folder)
    try:
        used = {name for release_id in kept for name in read_release(data, release_id).snapshots.values()}
    except PadronError:
        return
    for country in _folders(data / "snapshots", _COUNTRY_NAME):
        for folder in _folders(country, _SNAPSHOT_NAME):
            if f"{country.name}/{folder.name}" not in used:
                shutil.rmtree(folder)


def _folders(parent: Path, name: re.Pattern[str]) -> list[Path]:
    """Return the folders in one that have a name of a form, links apart."""
    return [path for path in parent.glob("*") if name.fullmatch(path.name) and path.is_dir() and not path.is_symlink()]


def manifest(data: Path, name: str) -> dict[str, Any]:
    """Read the manifest of a snapshot: sources with their rows and dates, counts, files."""
    try:
        document: dict[str, Any] = json.loads((data / "snapshots" / name / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _fault(error, Path(name), "manifest.json") from error
    return document


def companies(data: Path, release: Release) -> Iterator[Company]:
    """Yield every company of a release, by country and identifier, in flat memory, after verifying its snapshot."""
    import duckdb  # noqa: PLC0415 - the server process never reads Parquet

    for name in release.snapshots.values():
        verify(data / "snapshots" / name)
    linked = _linked_names(data, release)
    for country, name in sorted(release.snapshots.items()):
        folder = data / "snapshots" / name
        with duckdb.connect() as db:
            columns = ", ".join(_as_python(column) for column in FIELDS)
            cursor = db.execute(f"SELECT {columns} FROM read_parquet(?)", [str(folder / "companies.parquet")])
            while rows := cursor.fetchmany(_FETCH):
                yield from (_company(country, row, release, linked) for row in rows)


def _linked_names(data: Path, release: Release) -> dict[tuple[str, str], tuple[Name, ...]]:
    """Return the trade, former and by-names that the other records of a linked company state, by record."""
    import duckdb  # noqa: PLC0415 - the server process never reads Parquet

    stated: dict[str, dict[tuple[str, str], list[Name]]] = {}
    names = next(column for column in FIELDS if column.type == NAMES_TYPE)
    query = f"SELECT identifier, {_as_python(names)} FROM read_parquet(?) WHERE list_contains(?, identifier)"
    for country, snapshot in sorted(release.snapshots.items()):
        linked = [identifier for code, identifier in release.links if code == country]
        with duckdb.connect() as db:
            rows = db.execute(query, [str(data / "snapshots" / snapshot / "companies.parquet"), linked]).fetchall()
        for identifier, others in sorted(rows):
            link, _ = release.links[country, identifier]
            shared = [name for name in starmap(Name, others) if name.kind in _SHARED]
            stated.setdefault(link, {})[country, identifier] = shared
    return {
        record: tuple(chain.from_iterable(shared for other, shared in records.items() if other != record))
        for records in stated.values()
        for record in records
    }


def _as_python(column: Field) -> str:
    """Return SQL that yields a column as `company.from_row` takes it."""
    if column.type == "DATE":
        return f"{column.name}::VARCHAR"
    if column.type == NAMES_TYPE:
        return f"list_transform({column.name}, lambda x: [x.kind, x.name, x.since::VARCHAR, x.until::VARCHAR])"
    if column.type == IDS_TYPE:
        return f"list_transform({column.name}, lambda x: [x.scheme, x.value])"
    return column.name


def _company(
    country: str, row: tuple[Any, ...], release: Release, linked: Mapping[tuple[str, str], tuple[Name, ...]]
) -> Company:
    """Return the company of a row of companies.parquet, with its link in the release and the names of linked ones."""
    key = (country, row[_IDENTIFIER])
    company = from_row(country, row, *release.links.get(key, (None, True)))
    if key in linked:
        company = company._replace(linked_names=linked[key])
    return company._replace(financials=True) if key in release.borrowed else company
