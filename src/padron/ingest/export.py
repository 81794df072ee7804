"""The public data of a release as files for other programs: Parquet and NDJSON by country, checksums, licences, DCAT.

    <cc>.parquet, <cc>.ndjson.gz   the companies of a country, ordered by scheme and identifier
    LICENCES.md, LICENCIAS.md      sources, licences and attributions, in English and in Spanish
    catalogue.jsonld               DCAT-AP catalogue; its addresses are relative to its own
    SHA256SUMS                     checksums of the other files, as `sha256sum --check` reads them
    SHA256SUMS.json                sizes and checksums of all of these, which the service compares before it gives one

A row has the members of a search result that do not depend on the reader or the question, the name of its source and
the date of it. The same release gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import duckdb

from padron.companies.fields import FIELDS, ORDER
from padron.companies.model import Wire, camel
from padron.countries.country import Country
from padron.errors import Invalid
from padron.ingest.export_documents import LICENCES, ExportedCountry, ExportedFile, catalogue, licences
from padron.ingest.suppressed_rows import suppressed_companies
from padron.ingest.tables import run, tables
from padron.releases import snapshot
from padron.releases.suppression import Suppressions
from padron.storage import flush, temporary_folder

SUMS: Final = "SHA256SUMS"

_MEMBERS: Final = {
    **{column.member or column.name: column.name for column in FIELDS if column.served in {"teaser", "record"}},
    "country_code": "$country",
    "financials_available": "financials OR list_contains($borrowed, identifier)",
    "source": "list_extract($names, list_position($keys, source))",
}
"""Member of a company -> SQL of it."""
_COLUMNS: Final = ", ".join(f"{_MEMBERS[member]} AS {camel(member)}" for member in ORDER if member in _MEMBERS)
_COMPANIES: Final = (
    f"SELECT {_COLUMNS} FROM companies WHERE NOT list_contains($hidden, identifier) ORDER BY scheme, identifier"
)
_NUMBERS: Final = """
SELECT identifier AS company, unnest(aliases || [{scheme: scheme, value: identifier}]) AS x FROM companies
"""
_ROW_GROUP: Final = 15 * 2048
"""Rows that are read together over HTTP: a quarter of the default, about half a megabyte."""
_FORMATS: Final = {
    "parquet": f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP}",
    "ndjson.gz": "FORMAT json, COMPRESSION gzip",
}
"""Ending of a file -> options of its format."""


class ExportedRelease(Wire, frozen=True, kw_only=True):
    """Files of a release: where they are, of which release, and what they hold of each country."""

    folder: str
    release: str
    countries: list[ExportedCountry]


def export(
    data: Path,
    release_id: str,
    registry: Mapping[str, Country],
    suppressions: Suppressions,
    base_url: str,
    folder: Path,
) -> ExportedRelease:
    """Write the files of a release to a new folder, whole or not at all.

    Args:
        base_url: Public address of the service, which the catalogue names.
        folder: The folder to write, which does not exist yet or is empty.

    Raises:
        Invalid: `folder-not-empty`.
        ReleaseError: The release is damaged.
        Unavailable: `memory-fault`.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Invalid("folder-not-empty", folder=folder)
    held = snapshot.hold(data, release_id)
    release = snapshot.read_release(data, release_id)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder.parent) as scratch, held:
        built = scratch / "built"
        built.mkdir(mode=0o755)
        countries = [_country(data, release, registry[code], suppressions, built) for code in sorted(release.snapshots)]
        for name, language in LICENCES.items():
            (built / name).write_text(licences(release, registry, language), encoding="utf-8")
        document = catalogue(release, registry, countries, base_url)
        (built / "catalogue.jsonld").write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
        sums = [f"{_digest(path)}  {path.name}\n" for path in sorted(built.iterdir())]
        (built / SUMS).write_text("".join(sums), encoding="ascii")
        snapshot.seal(built)
        built.rename(folder)
        flush(folder.parent)
    return ExportedRelease(folder=str(folder), release=release_id, countries=countries)


def _country(
    data: Path, release: snapshot.Release, country: Country, suppressions: Suppressions, folder: Path
) -> ExportedCountry:
    """Write the files of a country."""
    held = data / "snapshots" / release.snapshots[country.code]
    snapshot.verify(held)
    values: dict[str, Any] = {
        "country": country.code,
        "borrowed": [identifier for code, identifier in release.borrowed if code == country.code],
        "keys": [source.key for source in country.sources],
        "names": [source.name for source in country.sources],
    }
    files = []
    with tables(folder.parent) as db:
        db.read_parquet(str(held / "companies.parquet")).create_view("companies")
        values["hidden"] = sorted(suppressed_companies(db, country, suppressions, _NUMBERS))
        for ending, options in _FORMATS.items():
            path = folder / f"{country.code.lower()}.{ending}"
            run(db, f"COPY ({_COMPANIES}) TO $target ({options})", {**values, "target": str(path)})
            files.append(ExportedFile(name=path.name, bytes=path.stat().st_size, sha256=_digest(path)))
    return ExportedCountry(country=country.code, companies=_rows(folder / files[0].name), files=files)


def _rows(path: Path) -> int:
    with duckdb.connect() as db:
        (count,) = db.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchone() or (0,)
        return int(count)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
