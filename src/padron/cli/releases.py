"""`padron release` and `padron export`: the releases of a data folder and of a store, for an operator at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import App, Parameter

from padron import config
from padron.cli.terminal import bytes_done, print_json, table, word
from padron.config import Settings
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, PadronError, ReleaseError, Unavailable, messages
from padron.index import release_index
from padron.index.engines import engine_kind, place_of
from padron.ingest.disk import disk_faults
from padron.ingest.export import ExportedRelease
from padron.ingest.export import export as export_release
from padron.publishing import distribution
from padron.publishing.publish import remove_others
from padron.releases import snapshot
from padron.releases.suppression import load as load_suppressions
from padron.storage import remove, temporary_folder

commands = App(name="release", help="List, check, bring back, remove, push and pull releases.")
Data = Path | None
StoreAddress = str | None
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
        engine: Where its companies are: `embedded`, or the name of an index of OpenSearch; None without an index.
        error: The code of what is wrong with its file.
    """

    release: str
    state: str
    held: bool
    generated_at: str | None
    companies: int | None
    bytes: int
    engine: str | None
    error: str | None


class Verdict(NamedTuple):
    """A line of `padron release verify`; `error` is the code of what is wrong, `detail` the sentence for people.

    A search engine that is full has a detail and no error: the release is sound.
    """

    release: str
    state: str
    error: str | None
    detail: str | None


@commands.command(name="list")
def show(*, store: StoreAddress = None, json: Json = False, data: Data = None) -> int:
    """List the releases in the data folder, or in a store, the current one first.

    Args:
        store: Address of a store (default: the data folder).
        json: Print them as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    if store:
        return _show_stored(distribution.ReleaseStore(store), json)
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
                row.engine,
                row.error and messages.title(row.error, config.reader_language()),
            )
            for row in rows
        )
        table("release state open built companies size engine reason".split(), cells)
    return 0


@commands.command
def verify(release: str | None = None, *, store: StoreAddress = None, json: Json = False, data: Data = None) -> int:
    """Compare every file of the releases with its digest, and open them; in a store, check their signatures too.

    Companies in OpenSearch are counted and their checksums added up.

    Args:
        release: Only this one (default: the current one and the one before).
        store: Address of a store (default: the data folder).
        json: Print the verdicts as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    settings = config.load(data=data)
    if store:
        return _print_verdicts(_stored_verdicts(settings, distribution.ReleaseStore(store), release), json)
    ids = [_known(settings.data, release)] if release else _published(settings.data)
    return _print_verdicts([_verdict(settings, name) for name in ids], json)


def _print_verdicts(verdicts: Sequence[Verdict], json: bool) -> int:
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
def push(store: StoreAddress = None, release: str | None = None, *, json: Json = False, data: Data = None) -> int:
    """Copy a release to a store, from where other machines pull it; only what is not there yet is sent.

    It becomes the release that they serve, also if it is an older one.

    Args:
        store: Folder, s3://bucket/prefix, or http address (default: the PADRON_RELEASES__STORE setting).
        release: The release (default: the current one).
        json: Print what was sent as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Raises:
        Invalid: `no-store`, `no-such-release`, `bad-signing-key`.
        ReleaseError: The release is damaged, and nothing is sent.
        Unavailable: `store-fault`.
    """
    settings = config.load(data=data)
    target = _store(settings, store)
    wanted = _known(settings.data, release) if release else snapshot.current(settings.data)
    _open(settings, wanted)
    with bytes_done() as done:
        transfer = distribution.push(settings.data, wanted, target, settings.releases.signing_key, done)
    _print_transfer(transfer, json)
    return 0


@commands.command
def pull(store: StoreAddress = None, release: str | None = None, *, json: Json = False, data: Data = None) -> int:
    """Copy a release from a store, check it, and serve it; only what is not here yet, or damaged, is fetched.

    Running services change over within a second. Interrupted, it goes on where it was; it is made for a timer.

    Args:
        store: Folder, s3://bucket/prefix, or http address (default: the PADRON_RELEASES__STORE setting).
        release: The release (default: the one to serve, unless it is served here and whole).
        json: Print what was fetched as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Raises:
        Invalid: `no-store`, `no-stored-release`.
        ReleaseError: The release is damaged, not signed, or of another format, and the current one stays.
        Unavailable: `store-fault`, `disk-fault`, `build-running`.
    """
    settings = config.load(data=data)
    with bytes_done() as done:
        transfer = distribution.pull(
            settings.data,
            REGISTRY,
            _store(settings, store),
            release,
            trusted=settings.releases.trusted_key,
            suppressions=load_suppressions(settings.suppressions, REGISTRY),
            search_url=settings.search.url,
            progress=done,
        )
    _print_transfer(transfer, json)
    return 0


@commands.command
def keys(file: Path) -> int:
    """Make the key that signs what is pushed, and print its public part, which the other machines trust.

    Args:
        file: The new file of the secret key (PADRON_RELEASES__SIGNING_KEY).

    Raises:
        Invalid: `key-file-exists`.
    """
    print(f"PADRON_RELEASES__TRUSTED_KEY={distribution.make_key(file)}")  # noqa: T201
    return 0


@commands.command
def prune(*, json: Json = False, data: Data = None) -> int:
    """Remove all releases but the current one, the one before, and those that a process has open.

    Every build does this too. From OpenSearch it removes the indexes that no release here names and no service asks,
    unless the last release here came from a store: then they belong to the folder that built it.

    Args:
        json: Print what was removed as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Raises:
        Unavailable: `build-running`, `disk-fault`; `engine-unavailable`, `engine-refused` or `engine-full`.
    """
    settings = config.load(data=data)
    folder, kind = settings.data, engine_kind(settings.search.url)
    _published(folder)
    before = _size(folder)
    ids = snapshot.stored(folder)
    with disk_faults(folder), snapshot.building(folder):  # which begins with removing what nobody needs
        indexes = () if (folder / snapshot.PULLED).exists() else remove_others(folder, kind)
    removed, freed = sorted({*ids} - {*snapshot.stored(folder)}), before - _size(folder)
    if json:
        print_json({"removed": removed, "bytes": freed, "indexes": list(indexes)})
    else:
        names = ", ".join([*removed, *indexes]) or word("nothing_removed")
        print(f"{word('removed')}: {names} ({freed / 2**20:.1f} MiB)")  # noqa: T201
    return 0


def export(*, to: Path | None = None, json: Json = False, data: Data = None) -> int:
    """Write the public data of the current release as files: Parquet and NDJSON by country, licences, a catalogue.

    Args:
        to: The folder to write, which does not exist yet or is empty (default: the one that the service offers at
            `/bulk/`; if it is there already and whole, nothing is done).
        json: Print what was written as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Raises:
        Invalid: `folder-not-empty`.
        ReleaseError: The release is damaged.
        Unavailable: `disk-fault`, `memory-fault`.
    """
    settings = config.load(data=data)
    hidden = load_suppressions(settings.suppressions, REGISTRY)
    release = snapshot.current(settings.data)
    target = to or snapshot.export_folder(settings.data, release, hidden.revision)
    if to is None and _is_whole(target):
        written = ExportedRelease(folder=str(target), release=release, countries=[])
    else:
        with disk_faults(target):
            if to is None and target.exists():
                remove(target)
            written = export_release(settings.data, release, REGISTRY, hidden, settings.base_url, target)
    if json:
        print_json(written)
    else:
        rows = [
            (each.country, each.companies, file.name, file.bytes) for each in written.countries for file in each.files
        ]
        table(["country", "companies", "files", "bytes"], rows)
        print(f"{word('release')} {written.release}: {written.folder}")  # noqa: T201
    return 0


def _is_whole(folder: Path) -> bool:
    try:
        snapshot.verify(folder)
    except ReleaseError:
        return False
    return True


def _store(settings: Settings, address: str | None) -> distribution.ReleaseStore:
    if not (chosen := address or settings.releases.store):
        raise Invalid("no-store")
    return distribution.ReleaseStore(chosen)


def _show_stored(store: distribution.ReleaseStore, json: bool) -> int:
    published = store.published()
    states = dict(zip(published, ("current", "previous"), strict=False))
    ids = [*published, *(release for release in store.releases() if release not in states)]
    rows = [(release, states.get(release, "unpublished")) for release in ids]
    if json:
        print_json([{"release": release, "state": state} for release, state in rows])
    else:
        table(["release", "state"], [(release, word(state)) for release, state in rows])
    return 0


def _print_transfer(transfer: distribution.Transfer, json: bool) -> None:
    if json:
        print_json(transfer._asdict())
    elif not transfer.sent:
        print(f"{word('release')} {transfer.release}: {word('same')}")  # noqa: T201
    else:
        sent = f"{transfer.sent} / {transfer.files} ({transfer.bytes / 2**20:.1f} MiB)"
        print(f"{word('release')} {transfer.release}: {word('files')} {sent}")  # noqa: T201


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
    except (ReleaseError, Unavailable) as fault:
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
        place_of(snapshot.index_folder(data, release, release_index.FORMAT) / release_index.COMPANIES),
        error,
    )


def _stored_verdicts(settings: Settings, store: distribution.ReleaseStore, release: str | None) -> list[Verdict]:
    published, verdicts = store.published(), []
    for name in [release] if release else published:
        state = ("current", "previous")[published.index(name)] if name in published else "unpublished"
        error = None
        with temporary_folder(settings.data if settings.data.is_dir() else None) as scratch:
            try:
                distribution.verify(store, name, settings.releases.trusted_key, scratch)
            except ReleaseError as fault:
                error = fault
        detail = messages.detail(error, config.reader_language()) if error else None
        verdicts.append(Verdict(name, state, error.code if error else None, detail))
    return verdicts


def _verdict(settings: Settings, release: str) -> Verdict:
    state = _state(settings.data, release)
    try:
        for name in snapshot.read_release(settings.data, release).snapshots.values():
            snapshot.verify(settings.data / "snapshots" / name)
        run(_open(settings, release).reach_engine())
    except PadronError as error:
        is_sound = error.code == "engine-full"
        return Verdict(
            release, state, None if is_sound else error.code, messages.detail(error, config.reader_language())
        )
    return Verdict(release, state, None, None)


def _open(settings: Settings, release: str) -> Directory:
    """Open a release as the service does, which compares its index with the digests."""
    directory = Directory.open(
        settings.data,
        REGISTRY,
        settings.base_url,
        settings.suppressions,
        search_url=settings.search.url,
        release=release,
    )
    return run(directory)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
