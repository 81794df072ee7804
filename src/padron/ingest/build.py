"""Official files to a snapshot per country, and the release that joins them.

Contract of a country's `companies.sql`
---------------------------------------
Input: the raw table of every layout (`read.table_name`; all text, blank cells NULL) with `_row` BIGINT, unique over the
country's tables, and `_date` DATE, the date of the file (`files.SourceFile`); every csv beside the script except
forms.csv and by_names.csv as a table of that name; the macros of macros.sql. The by-names are in the table `by_names`
(identifier, name, kind: `byName`, or `doubtfulByName` where the name makes no company sure), for merge.sql.

Output: rows in four empty tables. `records` (columns of `RECORD_COLUMNS`; rows with the same `company` are one
company); `joined` (source, row_id, company: further rows of a company that has a record of that source); `left_out` and
`rejected` (source, row_id, reason). Every row of every raw table that is no lookup table is in exactly one of them. Raw
tables that `statements.sql` does not read may be dropped. merge.sql then makes one row per company. Rows in = kept +
merged + left out + rejected, asserted for every source. Raw tables that only `statements.sql` reads (contract in
`padron.ingest.statements`) are balanced there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from padron.companies.fields import CHOSEN, FIELDS, STATED, TRACED, Field
from padron.countries.country import Country, Source
from padron.countries.origin import Share, declared_files
from padron.errors import ReleaseError, SourceError
from padron.ingest import row_balance, statements
from padron.ingest.files import SourceFile, check_declared, check_issue, source_files
from padron.ingest.links import find_links
from padron.ingest.read import FILE_BITS, Reject, create_tables, read_file
from padron.ingest.suppressed_rows import leave_out_suppressed
from padron.ingest.tables import CORES, run, tables
from padron.releases import snapshot
from padron.releases.suppression import NO_SUPPRESSIONS, Suppressions

_SLIP: Final = 0.9
"""Likeness from which the name of a folder is that of another but for a slip."""

Progress = Callable[[str, str], None]
"""Called with a country code and the current step."""

Failed = Callable[[str, SourceError], None]
"""Called with the code of a country that cannot be built, and why."""

RECORD_COLUMNS: tuple[tuple[str, str], ...] = (
    ("source", "source_key"),
    ("row_id", "BIGINT"),
    ("company", "VARCHAR"),
    *((column.name, column.type) for column in STATED),
    ("recency", "DATE"),
)
_FIELDS = ", ".join(column.name for column in CHOSEN)
_HERE = Path(__file__).parent


class Built(NamedTuple):
    """A country's snapshot: its name under `snapshots/` and its manifest."""

    name: str
    manifest: dict[str, Any]


def build(
    data: Path,
    work: Path,
    registry: Mapping[str, Country],
    sources: Sequence[Path],
    suppressions: Suppressions = NO_SUPPRESSIONS,
    *,
    only: Sequence[str] = (),
    now: datetime | None = None,
    progress: Progress = lambda _code, _stage: None,
    failed: Failed | None = None,
) -> snapshot.Release:
    """Build snapshots, and a release of all countries that have one. Nothing is published.

    Countries not built keep the snapshot of the served release; one whose snapshot is damaged is built too, and all
    are where the release is damaged or of another format.

    Args:
        work: Work folder of this build (`snapshot.building`).
        sources: Roots of official files (`<root>/<cc>/<source>/`); where several have a source the last one wins.
        only: Codes of the countries to build, all when empty.
        now: The time that the release states as that of its build, if not that of the clock.
        failed: Called for each country whose sources cannot be used, while others can: it stays as it is served.
            Without it, or where the served snapshot is damaged, such a country stops the build.

    Returns:
        The release, written but not published.

    Raises:
        SourceError: A source cannot be used; the data folder is then unchanged.
    """
    damaged = False
    for root in sources:
        _refuse_misspelt(root, [code.lower() for code in registry])
    try:
        served = snapshot.read_release(data, snapshot.current(data)).snapshots
    except ReleaseError as error:
        served, damaged = {}, error.code != "no-release"
        only = only if error.code == "no-release" else with_files(registry, sources)
    names, faults = dict(served), list[SourceError]()
    sound = {code: _whole_manifest(data, name) for code, name in served.items()}
    wanted = [*only, *(code for code in sound if only and code not in only and sound[code] is None)] or list(registry)
    for code in wanted:
        before = sound.get(code)
        try:
            names[code] = build_country(data, work, registry[code], sources, before, progress, suppressions, now).name
        except SourceError as error:
            if failed is None or damaged or (code in served and before is None):
                raise
            failed(code, error)
            faults.append(error)
    if len(faults) == len(wanted):
        raise faults[0]
    folders = {code: data / "snapshots" / name for code, name in sorted(names.items())}
    progress("", "links")
    with tables(work) as db:
        links = find_links(db, folders, registry, _sql("macros.sql"))
    manifests = {code: snapshot.manifest(data, name) for code, name in sorted(names.items())}
    newest = max(manifest["date"] for manifest in manifests.values())
    digest = hashlib.sha256(json.dumps([sorted(names.items()), sorted(links.items())]).encode()).hexdigest()
    release_id = f"{newest}-{digest[:8]}"
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    coverage = row_balance.coverage(release_id, manifests, registry, now.date())
    borrowed = statements.borrowed_statements(folders, links)
    release = snapshot.Release(release_id, now.isoformat(), dict(sorted(names.items())), links, coverage, borrowed)
    snapshot.write_release(data, work, release)
    return release


def with_files(registry: Mapping[str, Country], roots: Sequence[Path]) -> list[str]:
    """Return the codes of the countries of which a source has its folder below one of the roots."""
    return [
        code
        for code, country in registry.items()
        if any(_folder(country, source, roots).is_dir() for source in country.sources)
    ]


def _whole_manifest(data: Path, name: str) -> Mapping[str, Any] | None:
    """Return the manifest of a served snapshot; None if it is damaged, which a build must mend."""
    try:
        snapshot.verify(data / "snapshots" / name)
        return snapshot.manifest(data, name)
    except ReleaseError:
        return None


def build_country(
    data: Path,
    work: Path,
    country: Country,
    roots: Sequence[Path],
    before: Mapping[str, Any] | None,
    progress: Progress,
    suppressions: Suppressions = NO_SUPPRESSIONS,
    now: datetime | None = None,
) -> Built:
    """Read, check and merge the sources of one country and place its snapshot.

    Args:
        before: Manifest of the country's snapshot in the served release, None if there is none.
        now: The time of the build, if not that of the clock.

    Raises:
        SourceError: There are no files, or a source cannot be used.
    """
    for root in roots:
        of_country = root / country.code.lower()
        _refuse_misspelt(of_country, [source.key for source in (*country.sources, *country.collected)])
    scratch = work / country.code.lower()
    scratch.mkdir()
    files = [file for source in country.sources for file in source_files(source, _folder(country, source, roots))]
    if not files:
        raise SourceError("no-source-files", country=country.code, folders=", ".join(map(str, roots)))
    today = (now or datetime.now(UTC)).date()
    for origin in country.origins:
        of_source = [file for file in files if file.source.key == origin.source]
        if isinstance(origin.way, Share):
            check_issue(of_source, origin.way.issue)
        of_last = [file for file in (before or {}).get("files", {}).values() if file["source"] == origin.source]
        last = {file["file"]: file["published"] for file in of_last}
        check_declared(country.code, of_source, declared_files(origin.way, today), last)
    with tables(scratch) as db:
        db.execute(_sql("macros.sql"))
        rejects = _read(db, country, files, scratch, progress, now)
        rows_read = row_balance.rows_read(db, country)
        progress(country.code, "merge")
        _transform(db, country, rejects, suppressions)
        progress(country.code, "statements")
        statements.make(db, country)
        figures = statements.row_balance(db, country)
        balance = row_balance.row_balance(db, country, files, rows_read, figures)
        row_balance.check_rejected_files(db, files)
        row_balance.check_expectations(db, country, files, balance, before)
        row_balance.check_identifiers(db, country)
        manifest = row_balance.manifest(db, country, files, balance, figures)
        built = scratch / "snapshot"
        built.mkdir()
        _export(db, built)
    manifest_text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True)
    (built / "manifest.json").write_text(manifest_text, encoding="utf-8")
    snapshot.seal(built)
    digest = hashlib.sha256((built / snapshot.SEAL).read_bytes()).hexdigest()
    name = f"{country.code.lower()}/{manifest['date']}-{digest[:8]}"
    snapshot.place(built, data / "snapshots" / name)
    return Built(name, manifest)


def _refuse_misspelt(folder: Path, known: Sequence[str]) -> None:
    """Raise `SourceError("misspelt-folder")` for a folder that is a known one but for a slip; others are free."""
    for path in sorted(folder.glob("[!.]*/")) if folder.is_dir() else ():
        meant = get_close_matches(path.name.lower(), known, 1, _SLIP)
        if meant and path.name not in known:
            raise SourceError("misspelt-folder", folder=str(path), meant=meant[0])


def _folder(country: Country, source: Source, roots: Sequence[Path]) -> Path:
    """Return the folder of a source below the last root that has one."""
    folders = [root / country.code.lower() / source.key for root in roots]
    # The folder of a fetched source is a link that a fetch replaces: resolve it, so that a build reads one version.
    return next((folder for folder in reversed(folders) if folder.is_dir()), folders[-1]).resolve()


def _sql(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _read(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    files: Sequence[SourceFile],
    scratch: Path,
    progress: Progress,
    now: datetime | None = None,
) -> list[Reject]:
    """Read every file into its raw table, and the csv files of the country; return the unreadable records."""
    today = (now or datetime.now(UTC)).date()
    db.execute("SET VARIABLE latest = ?", [max(today, *(file.published for file in files))])
    for source in country.sources:
        create_tables(db, source)
    for path in sorted(country.folder.glob("*.csv")):
        if path.name not in {"forms.csv", "by_names.csv"}:
            db.execute(
                f'CREATE TABLE "{path.stem}" AS FROM read_csv(?, header = true, all_varchar = true)', [str(path)]
            )
    by_names = [by_name for lines in country.by_names.values() for by_name in lines]
    db.execute(
        "CREATE TABLE by_names AS SELECT unnest(?::VARCHAR[]) AS identifier, unnest(?::VARCHAR[]) AS name,"
        " unnest(?::VARCHAR[]) AS kind",
        [
            [by_name.identifier for by_name in by_names],
            [by_name.name for by_name in by_names],
            ["doubtfulByName" if by_name.doubtful else "byName" for by_name in by_names],
        ],
    )

    def read(number: int, file: SourceFile) -> list[Reject]:
        progress(country.code, file.path.name)
        with db.cursor() as cursor:
            return read_file(cursor, file, number, scratch)

    # The largest files first, so that no core works alone at the end.
    largest = sorted(enumerate(files, start=1), key=lambda numbered: -numbered[1].path.stat().st_size)
    pool = ThreadPoolExecutor(CORES)
    try:
        reading = {number: pool.submit(read, number, file) for number, file in largest}
        return [reject for number in sorted(reading) for reject in reading[number].result()]
    finally:
        pool.shutdown(cancel_futures=True)


def _transform(
    db: duckdb.DuckDBPyConnection,
    country: Country,
    rejects: Sequence[Reject],
    suppressions: Suppressions = NO_SUPPRESSIONS,
) -> None:
    """Run companies.sql, then merge.sql with the country's order of sources and schemes."""
    order = [source.key for source in country.sources]
    db.execute("CREATE TYPE source_key AS ENUM (" + ", ".join(f"'{key}'" for key in order) + ")")
    columns = ", ".join(f"{name} {kind}" for name, kind in RECORD_COLUMNS)
    db.execute(f"CREATE TABLE records ({columns})")
    db.execute("CREATE TABLE joined (source source_key, row_id BIGINT, company VARCHAR)")
    for outcome in ("left_out", "rejected"):
        db.execute(f"CREATE TABLE {outcome} (source source_key, row_id BIGINT, reason VARCHAR)")
    run(db, (country.folder / "companies.sql").read_text(encoding="utf-8"))
    leave_out_suppressed(db, country, suppressions)
    db.execute("CREATE TABLE unread (source source_key, row_id BIGINT, reason VARCHAR, line BIGINT)")
    if rejects:
        # One statement for all: `executemany` runs one a row, which takes minutes for the rejects of a broken file.
        rejected_columns = [list(column) for column in zip(*rejects, strict=True)]
        lists = "unnest($1::VARCHAR[])::source_key, unnest($2::BIGINT[]), unnest($3::VARCHAR[]), unnest($4::BIGINT[])"
        db.execute(f"INSERT INTO unread SELECT {lists}", rejected_columns)
    db.execute("CREATE VIEW refused AS FROM unread UNION ALL SELECT source, row_id, reason, NULL FROM rejected")
    raws = db.execute("SELECT DISTINCT status_raw FROM records WHERE status_raw IS NOT NULL").fetchall()
    db.execute("CREATE TABLE status_map (raw VARCHAR, status VARCHAR)")
    if raws:
        db.executemany("INSERT INTO status_map VALUES (?, ?)", [(raw, country.status(raw).value) for (raw,) in raws])
    schemes = sorted(country.schemes, key=lambda scheme: ("primary", "fallback", "secondary").index(scheme.rank))

    def priority(field: str) -> str:
        preferred = country.precedence.get(field)
        if preferred is None:
            return "prio"
        return (
            f"(({_case('source', [*preferred, *[key for key in order if key not in preferred]])})::UBIGINT << 58 | age)"
        )

    def chosen(column: Field) -> str:
        if column.merge == "largest":
            return f"max({column.name})"
        return f"arg_min({column.name}, {priority(column.name)}) FILTER ({column.name} IS NOT NULL)"

    sources = ", ".join(f"arg_min(source, {priority(name)}) FILTER ({name} IS NOT NULL)" for name in TRACED)
    values = {
        "traced_sources": f"[{sources}]",
        "scheme_rank": _case("scheme", [scheme.code for scheme in schemes]),
        "fields": _FIELDS,
        "chosen_fields": ", ".join(map(chosen, CHOSEN)),
        "prio_legal_name": priority("legal_name"),
    }
    script = _sql("merge.sql")
    for key, value in values.items():
        script = script.replace("{" + key + "}", value)
    run(db, script)


def _case(column: str, keys: Sequence[str]) -> str:
    """Return SQL for the position of a value among `keys`, from 0."""
    return f"CASE {column} " + " ".join(f"WHEN '{key}' THEN {rank}" for rank, key in enumerate(keys)) + " END"


def _export(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write companies.parquet and statements.parquet (the allow-lists of columns) and rejected.parquet (where, why)."""
    db.execute(_sql("companies.sql").replace("{fields}", _FIELDS))
    for table, specs, order in (
        ("companies", FIELDS, "scheme, identifier"),
        ("statements", snapshot.STATEMENT_COLUMNS, "scheme, identifier, period_end, scope"),
    ):
        columns = ", ".join(f"{column.name}::{column.type} AS {column.name}" for column in specs)
        run(
            db,
            f"""COPY (SELECT {columns} FROM {table} ORDER BY {order})
                TO '{folder / table}.parquet' (FORMAT parquet, COMPRESSION zstd)""",
        )
    target = str(folder / "rejected.parquet")
    run(
        db,
        f"""COPY (SELECT source, row_id >> {FILE_BITS} AS file, row_id & ((1::BIGINT << {FILE_BITS}) - 1) AS record,
                         line, reason
                  FROM (FROM refused UNION ALL SELECT source, row_id, fault, NULL FROM sourced WHERE fault IS NOT NULL)
                  ORDER BY ALL) TO '{target}' (FORMAT parquet, COMPRESSION zstd)""",
    )
