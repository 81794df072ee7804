"""The one way a release comes to be served: build the snapshots, index them, prove the index, publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from padron.config import build_time
from padron.countries.country import Country
from padron.directory import run
from padron.errors import ReleaseError
from padron.index import release_index
from padron.index.engine import LOADED_ANEW, EngineKind
from padron.index.engines import engine_kind
from padron.ingest import build as ingest
from padron.ingest import changes
from padron.ingest.disk import disk_faults
from padron.ingest.statements import statements as yearly_statements
from padron.lookup import statements
from padron.releases import snapshot
from padron.releases.suppression import NO_SUPPRESSIONS, Suppressions
from padron.storage import remove

Progress = Callable[[str, str], None]
Indexed = Callable[[int, int], None]
"""Called with the companies indexed so far and in all."""

_BUILT_ANEW = frozenset({"release-damaged"}) | LOADED_ANEW
"""Faults of an index that building it again mends, in this engine or in another one."""


def publish(
    data: Path,
    registry: Mapping[str, Country],
    roots: Sequence[Path],
    suppressions: Suppressions = NO_SUPPRESSIONS,
    *,
    only: Sequence[str] = (),
    search_url: str | None = None,
    progress: Progress = lambda _code, _stage: None,
    indexed: Indexed = lambda _done, _total: None,
    failed: ingest.Failed | None = None,
) -> snapshot.Release:
    """Build a release from official files, prove it, make it the one to serve, and log its changes.

    A build killed between publishing and logging leaves its log to the next one, which writes it first. Whatever is
    raised, the served release stays as it was.

    Args:
        roots: Folders of official files; the last one that has a source is read.
        only: Codes of the countries to build again; all when empty.
        search_url: The setting `PADRON_SEARCH__URL`: the engine that holds the release.
        indexed: Receives the companies indexed so far and in all.
        failed: Receives each country that cannot be built while others can, and why (`ingest.build`).

    Raises:
        SourceError: An official file is missing or not as expected.
        ReleaseError: The release is inconsistent, or a face does not answer from it (`release-unproved`).
        Unavailable: `disk-fault`; `engine-unavailable`, `engine-refused` or `engine-full`, before anything is built
            where the engine is not well.
        Invalid: `bad-setting`, no engine has such an URL, or `SOURCE_DATE_EPOCH` is no time.
    """
    kind = engine_kind(search_url)
    with disk_faults(data), snapshot.building(data) as work:
        remove_others(data, kind)
        (data / snapshot.PULLED).unlink(missing_ok=True)
        changes.record(data, work, registry, suppressions)
        now = build_time()
        release = ingest.build(
            data, work, registry, roots, suppressions, only=only, now=now, progress=progress, failed=failed
        )
        folder = snapshot.index_folder(data, release.id, release_index.FORMAT)
        if not _is_sound(folder, kind):
            built, total = work / "index", release.coverage["total"]
            companies = snapshot.companies(data, release)
            release_index.build(companies, built, registry, kind, progress=lambda done: indexed(done, total))
            statements.build(yearly_statements(data, work, release), built / "statements")
            if folder.exists():
                remove(folder)
            snapshot.place(built, folder)
        complete(data, work, release, registry, suppressions, search_url)
    return release


def complete(
    data: Path,
    work: Path,
    release: snapshot.Release,
    registry: Mapping[str, Country],
    suppressions: Suppressions = NO_SUPPRESSIONS,
    search_url: str | None = None,
) -> None:
    """Prove a release that is in its place, make it the one to serve, log its changes, and remove what nobody needs.

    Args:
        work: Its work folder (`snapshot.building`).

    Raises:
        ReleaseError: `release-unproved`; `release-damaged` and `release-format` if it cannot be opened.
    """
    prove(data, release, registry, suppressions, search_url)
    snapshot.publish(data, work, release.id)
    changes.record(data, work, registry, suppressions)
    snapshot.prune(data)


def remove_others(data: Path, engine: EngineKind) -> Sequence[str]:
    """Remove what the engine keeps elsewhere for releases that a data folder has no more. See `EngineKind`."""
    return engine.remove_others(sorted((data / "indexes").glob(f"*/{release_index.COMPANIES}")))


def _is_sound(folder: Path, engine: EngineKind) -> bool:
    """Return whether an index is there and whole; another one is built anew from its snapshots."""
    if not folder.exists():
        return False
    try:
        run(release_index.open_index(folder, engine))
        statements.Statements(folder / "statements")
    except ReleaseError as error:
        if error.code in _BUILT_ANEW:
            return False
        raise
    return True


def prove(
    data: Path,
    release: snapshot.Release,
    registry: Mapping[str, Country],
    suppressions: Suppressions = NO_SUPPRESSIONS,
    search_url: str | None = None,
) -> None:
    """Ask a release over every face, before it replaces the served one.

    Args:
        suppressions: The companies that the release was built without.

    Raises:
        ReleaseError: `release-unproved` names the first request that failed.
    """
    from padron.publishing.smoke_test import prove as ask_every_face  # noqa: PLC0415 - other commands never load the web framework

    hidden = frozenset(entry.country for entry in suppressions.entries)
    run(ask_every_face(data, release.id, registry, hidden, search_url))
