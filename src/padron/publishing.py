"""The one way a release comes to be served: build the snapshots, index them, prove the index, publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from padron import snapshot
from padron.country import Country
from padron.directory import run
from padron.errors import ReleaseError
from padron.index import tantivy_engine
from padron.ingest import build as ingest
from padron.ingest import changes
from padron.ingest.disk import disk_faults
from padron.ingest.statements import statements as yearly_statements
from padron.lookup import statements
from padron.suppression import NOBODY, Suppressions

Progress = Callable[[str, str], None]
Indexed = Callable[[int, int], None]
"""Called with the companies indexed so far and in all."""


def publish(
    data: Path,
    registry: Mapping[str, Country],
    roots: Sequence[Path],
    suppressions: Suppressions = NOBODY,
    *,
    only: Sequence[str] = (),
    progress: Progress = lambda _code, _stage: None,
    indexed: Indexed = lambda _done, _total: None,
) -> snapshot.Release:
    """Build a release from the official files under `roots`, make it the one to serve, and log what it changed.

    A build killed between publishing and logging leaves its log to the next one, which writes it first.
    Raises `SourceError`, `ReleaseError` and `Unavailable("disk-fault")`; the served release is then as it was.
    """
    with disk_faults(data), snapshot.building(data) as work:
        changes.record(data, work, registry, suppressions)
        release = ingest.build(data, work, registry, roots, suppressions, only=only, progress=progress)
        folder = snapshot.index_folder(data, release.id, tantivy_engine.FORMAT)
        if not folder.exists():
            built, total = work / "index", release.coverage["total"]
            companies = snapshot.companies(data, release)
            tantivy_engine.build(companies, built, registry, progress=lambda done: indexed(done, total))
            statements.build(yearly_statements(data, work, release), built / "statements")
            snapshot.place(built, folder)
        prove(data, release, registry, suppressions)
        snapshot.publish(data, work, release.id)
        changes.record(data, work, registry, suppressions)
        snapshot.prune(data)
    return release


def prove(
    data: Path, release: snapshot.Release, registry: Mapping[str, Country], suppressions: Suppressions = NOBODY
) -> None:
    """Open the new index and look up the example companies of each built country, before it replaces the served one.

    Of a country of which `suppressions` hide companies one example is enough: a release that was built without them
    cannot tell which numbers were theirs. Raises `ReleaseError("release-unproved")` naming the first example that is
    not found by its identifier.
    """
    engine = run(tantivy_engine.open_index(snapshot.index_folder(data, release.id, tantivy_engine.FORMAT)))
    hidden = {entry.country for entry in suppressions.entries}
    for code in release.snapshots:
        country = registry[code]
        missing = [
            (scheme, value)
            for scheme, value in country.examples
            if not run(engine.by_identifier(code, scheme, country.scheme_by_code[scheme].key(value)))
        ]
        if missing and not (code in hidden and len(missing) < len(country.examples)):
            scheme, value = missing[0]
            raise ReleaseError("release-unproved", country=code, scheme=scheme, identifier=value)
