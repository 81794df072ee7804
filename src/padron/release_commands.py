"""`padron release list | verify | rollback | prune`: the releases of a data folder, for an operator at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import App, Parameter

from padron import config, snapshot
from padron.config import Settings
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, PadronError, ReleaseError
from padron.index import release_index
from padron.ingest.disk import disk_faults
from padron.terminal import print_json, table, word
from padron.words import error_messages

commands = App(name="release", help="List, check, bring back and remove releases.")
Data = Path | None
Json = Annotated[bool, Parameter(name="--json", negative="")]

_DAMAGED = 3


class ReleaseRow(NamedTuple):
    """A line of `padron release list`.

    Attributes:
        release: The id.
        state: `current`, `previous` or `unpublished`.
        held: Whether a process has it open.
        generated_at: When it was built; None, as `companies`, if its file cannot be read.
        companies: How many it has.
        bytes: Its size; snapshots that two releases share count for both.
        error: The code of what is wrong with its file.
    """

    release: str
    state: str
    held: bool
    generated_at: str | None
    companies: int | None
    bytes: int
    error: str | None


class Verdict(NamedTuple):
    """A line of `padron release verify`; `error` is the code of what is wrong, `detail` the sentence for people."""

    release: str
    state: str
    error: str | None
    detail: str | None


@commands.command(name="list")
def show(*, json: Json = False, data: Data = None) -> int:
    """List the releases in the data folder, the current one first.

    Args:
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    folder = config.load(data=data).data
    rows = [_row(folder, release) for release in _in_order(folder)]
    if json:
        print_json([row._asdict() for row in rows])
    else:
        cells = (
            (
                row.release,
                word(row.state),
                word("yes") if row.held else "",
                row.generated_at,
                row.companies,
                f"{row.bytes / 2**20:.1f} MiB",
                row.error and error_messages.title(row.error, config.reader_language()),
            )
            for row in rows
        )
        table("release state open built companies size reason".split(), cells)
    return 0


@commands.command
def verify(release: str | None = None, *, json: Json = False, data: Data = None) -> int:
    """Compare every file of the releases with its digest, and open them.

    Args:
        release: Only this one (default: the current one and the one before).
        json: Print the verdicts as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    settings = config.load(data=data)
    ids = [_known(settings.data, release)] if release else _published(settings.data)
    verdicts = [_verdict(settings, name) for name in ids]
    if json:
        print_json([verdict._asdict() for verdict in verdicts])
    else:
        for verdict in verdicts:
            mark = "✗" if verdict.error else "✓"
            print(f"{mark} {verdict.release} ({word(verdict.state)}): {verdict.detail or word('sound')}")  # noqa: T201
    return _DAMAGED if any(verdict.error for verdict in verdicts) else 0


@commands.command
def rollback(release: str | None = None, *, data: Data = None) -> int:
    """Serve the release before the current one again, until the next build; repeated, it undoes itself.

    Running services change over within a second. It does not wait for a build that is under way.

    Args:
        release: The release to serve (default: the one before the current one).
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.

    Raises:
        Invalid: `no-such-release`.
        ReleaseError: The release cannot be served, and the current one stays.
    """
    settings = config.load(data=data)
    before = _published(settings.data)[1:]
    wanted = _known(settings.data, release or (before[0] if before else ""))
    _open(settings, wanted)
    with disk_faults(settings.data):
        snapshot.roll_back(settings.data, wanted)
    print(f"{word('current')}: {wanted}")  # noqa: T201
    return 0


@commands.command
def prune(*, json: Json = False, data: Data = None) -> int:
    """Remove all releases but the current one, the one before, and those that a process has open.

    Every build does this too.

    Args:
        json: Print what was removed as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    folder = config.load(data=data).data
    _published(folder)
    before = _size(folder)
    ids = snapshot.stored(folder)
    with disk_faults(folder), snapshot.building(folder):
        pass  # which begins with removing what nobody needs
    removed, freed = sorted({*ids} - {*snapshot.stored(folder)}), before - _size(folder)
    if json:
        print_json({"removed": removed, "bytes": freed})
    else:
        print(f"{word('removed')}: {', '.join(removed) or word('nothing_removed')} ({freed / 2**20:.1f} MiB)")  # noqa: T201
    return 0


def _published(data: Path) -> list[str]:
    """Return the current release and the one before. Raises `ReleaseError("no-release")` before the first."""
    snapshot.current(data)
    return snapshot.published(data)


def _in_order(data: Path) -> list[str]:
    published = _published(data)
    return [*published, *(release for release in snapshot.stored(data) if release not in published)]


def _known(data: Path, release: str) -> str:
    """Return the id of a release that is there."""
    known = snapshot.stored(data)
    if release not in known:
        raise Invalid("no-such-release", parameter="release", release=release, known=", ".join(known))
    return release


def _state(data: Path, release: str) -> str:
    published = snapshot.published(data)
    return ("current", "previous")[published.index(release)] if release in published else "unpublished"


def _row(data: Path, release: str) -> ReleaseRow:
    generated_at, companies, error = None, None, None
    folders = [snapshot.index_folder(data, release, release_index.FORMAT)]
    try:
        document = snapshot.read_release(data, release)
    except ReleaseError as fault:
        error = fault.code
    else:
        generated_at, companies = document.generated_at, document.coverage["total"]
        folders += [data / "snapshots" / name for name in document.snapshots.values()]
    return ReleaseRow(
        release,
        _state(data, release),
        snapshot.is_held(data, release),
        generated_at,
        companies,
        sum(map(_size, folders)),
        error,
    )


def _verdict(settings: Settings, release: str) -> Verdict:
    state = _state(settings.data, release)
    try:
        for name in snapshot.read_release(settings.data, release).snapshots.values():
            snapshot.verify(settings.data / "snapshots" / name)
        _open(settings, release)
    except PadronError as error:
        return Verdict(release, state, error.code, error_messages.detail(error, config.reader_language()))
    return Verdict(release, state, None, None)


def _open(settings: Settings, release: str) -> None:
    """Open a release as the service does, which compares its index with the digests."""
    directory = Directory.open(
        settings.data,
        REGISTRY,
        settings.base_url,
        settings.suppressions,
        search_url=settings.search.url,
        release=release,
    )
    run(directory)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
