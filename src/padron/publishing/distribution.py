"""Releases that travel: `push` copies a release to a store, `pull` copies it from there and serves it.

A store is a folder, S3-compatible storage, or (to pull) any HTTP server of files:

    <store>/files/<sha256>                  each file once, under the digest of its content
    <store>/releases/<id>/manifest.json     the files of a release; `manifest.json.minisig` beside it is its signature
    <store>/current                         id of the release that nodes serve, then of the one before

A file that is there already is not sent again, nor fetched again, so only what changed travels. `current` is written
last: it never names a release that is not whole.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import minisign
import msgspec
import obstore
from obstore.exceptions import BaseError, NotSupportedError
from obstore.store import from_url

from padron.companies.fields import LAYOUT
from padron.countries.country import Country
from padron.directory import run
from padron.errors import Invalid, PadronError, ReleaseError, Unavailable
from padron.index import release_index
from padron.index.engine import LOADED_ANEW, EngineKind
from padron.index.engines import engine_kind
from padron.index.tantivy_engine import EMBEDDED
from padron.ingest.disk import disk_faults
from padron.publishing.publish import complete
from padron.releases import snapshot
from padron.releases.suppression import NO_SUPPRESSIONS, Suppressions
from padron.storage import flush, move_into_place, remove

if TYPE_CHECKING:
    from obstore.store import RetryConfig

Progress = Callable[[int, int], None]
"""Called with the bytes that are done so far, and those in all."""

FORMATS = f"{snapshot.FORMAT}-{LAYOUT}-{release_index.FORMAT}"
"""The on-disk formats of this program; a release of others cannot be pulled by it."""

_INCOMING = "incoming"
_CHUNK = 8 * 2**20
_NAME = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,200}"
_BELOW = rf"{_NAME}(?:/{_NAME}){{1,8}}"
_PATH = re.compile(rf"releases/{_NAME}\.json|snapshots/[a-z]{{2}}/{_BELOW}|indexes/{_BELOW}")
"""Files, and where they stand: a path that is a folder here would put a file in the place of all that is in it."""
_RETRIES: RetryConfig = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a release: its path below the data folder, its bytes, and the SHA-256 of its content in hexadecimal."""

    path: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        """Refuse a path outside the folders of releases: a manifest comes from elsewhere."""
        if not _PATH.fullmatch(self.path) or not re.fullmatch("[0-9a-f]{64}", self.sha256) or self.bytes < 0:
            raise ValueError(self.path)


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The files of a release by path, and the formats of the program that wrote them."""

    release: str
    formats: str
    files: tuple[StoredFile, ...]

    def __post_init__(self) -> None:
        """Refuse files of other releases, and two of which one stands where the other does, or a folder of it."""
        paths = {PurePosixPath(file.path) for file in self.files}
        if len(paths) < len(self.files) or any(not paths.isdisjoint(path.parents) for path in paths):
            raise ValueError(self.release)
        for file in self.files:
            kind, name, *_ = file.path.split("/")
            named = name.removesuffix(".json") if kind == "releases" else name.partition("-")[2]
            if kind != "snapshots" and named != self.release:
                raise ValueError(file.path)


class Transfer(NamedTuple):
    """The outcome of a push or pull: the release, how many files it has, how many travelled, and their bytes."""

    release: str
    files: int
    sent: int
    bytes: int


class ReleaseStore:
    """A store of releases.

    Every method raises `Unavailable("store-fault")` if the store does not answer, or refuses, after some attempts.
    """

    def __init__(self, address: str) -> None:
        """Open the store at a folder, `s3://bucket/prefix`, `http://…` or `https://…`.

        Credentials and the address of S3-compatible storage are the variables `AWS_…` that its own tools read.
        """
        parts = urlsplit(address)
        self.shown = f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.netloc else address
        with self._faults():
            if parts.scheme in {"", "file"}:
                self._store = from_url(Path(parts.path).absolute().as_uri(), mkdir=True)
            else:
                self._store = from_url(address, client_options={"allow_http": True}, retry_config=_RETRIES)

    def read(self, path: str) -> bytes | None:
        """Return the content of a small file; None where there is none."""
        with self._faults():
            try:
                return bytes(obstore.get(self._store, path).bytes())
            except FileNotFoundError:
                return None

    def write(self, path: str, content: bytes | Path) -> None:
        """Write a file, whole or not at all."""
        with self._faults():
            obstore.put(self._store, path, content)

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None where there is none."""
        with self._faults():
            try:
                return obstore.head(self._store, path)["size"]
            except FileNotFoundError:
                return None

    def append(self, path: str, target: Path, most: int) -> None:
        """Download what a file has beyond the bytes of `target`; all of it where the store cannot begin later.

        Args:
            most: The bytes at which to stop, those that are there included.

        Raises:
            ReleaseError: `stored-release-damaged`, there is no such file.
            Unavailable: `store-fault`.
        """
        with self._faults():
            try:
                start = target.stat().st_size if target.exists() else 0
                try:
                    answer = obstore.get(self._store, path, options={"range": {"offset": start}} if start else None)
                except NotSupportedError:
                    start, answer = 0, obstore.get(self._store, path)
            except FileNotFoundError as error:
                raise ReleaseError("stored-release-damaged", store=self.shown, file=path) from error
            with target.open("ab") as out:
                out.truncate(start)
                for chunk in answer.stream(min_chunk_size=_CHUNK):
                    start += out.write(memoryview(chunk)[: most - start])
                    if start == most:
                        break

    def releases(self) -> list[str]:
        """Return the ids of all releases, the newest first. A plain HTTP server cannot list them: `store-fault`."""
        with self._faults():
            folders = obstore.list_with_delimiter(self._store, "releases")["common_prefixes"]
        return sorted((PurePosixPath(folder).name for folder in folders), reverse=True)

    def published(self) -> list[str]:
        """Return the id of the release that nodes serve, then of the one before; empty before the first push."""
        return (self.read("current") or b"").decode("ascii", "replace").split()

    def point(self, release: str) -> None:
        """Make a release the one that nodes serve."""
        ids = [release, *(name for name in self.published() if name != release)]
        self.write("current", "\n".join([*ids[:2], ""]).encode())

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            reason = str(error).partition("\n")[0][:300]
            raise Unavailable("store-fault", store=self.shown, reason=reason) from error


def push(
    data: Path,
    release: str,
    store: ReleaseStore,
    key: Path | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Transfer:
    """Copy a release to a store and make it the one that nodes serve.

    Killed at any moment, it is continued by the next push.

    Args:
        key: File with the secret key of minisign, without a password, that signs the release.
        progress: Receives the bytes done.

    Raises:
        ReleaseError: The release is damaged, or of another format.
        Unavailable: `store-fault`.
        Invalid: `bad-signing-key`.
    """
    secret = _signing_key(key) if key else None
    held = snapshot.hold(data, release)  # so that no build removes it meanwhile
    files = [_described(data, path) for path in _files(data, release)]
    total, done, sent = sum(file.bytes for file in files), 0, []
    for file in files:
        if store.size(_address(file)) != file.bytes:
            store.write(_address(file), data / file.path)
            sent.append(file.bytes)
        progress(done := done + file.bytes, total)
    del held
    manifest = msgspec.json.format(msgspec.json.encode(Manifest(release, FORMATS, tuple(files))), indent=1)
    if secret:
        comment = f"release {release}"
        store.write(_signature(release), bytes(secret.sign(manifest, trusted_comment=comment)))
    store.write(_manifest(release), manifest)
    store.point(release)
    return Transfer(release, len(files), len(sent), sum(sent))


def pull(
    data: Path,
    registry: Mapping[str, Country],
    store: ReleaseStore,
    release: str | None = None,
    *,
    trusted: str | None = None,
    suppressions: Suppressions = NO_SUPPRESSIONS,
    search_url: str | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Transfer:
    """Copy a release from a store, prove it, and make it the one to serve.

    Killed at any moment, it is continued by the next pull. Whatever is raised, the served release stays as it was.

    Args:
        release: The release, by default the one that the store says to serve. What is damaged of it here is replaced;
            without a name nothing is done if it is served already and whole, in its engine too.
        trusted: Public key of minisign; a release that it did not sign is refused.
        suppressions: Companies to leave out of the log of changes.
        progress: Receives the bytes done.

    Raises:
        ReleaseError: `stored-release-damaged`, `release-unsigned`, `release-format`, `release-unproved`.
        Unavailable: `store-fault`, `disk-fault`, `build-running`, `release-unreadable`.
        Invalid: `no-stored-release`.
    """
    wanted = release or next(iter(store.published()), "")
    engine = engine_kind(search_url)
    if not release and wanted and _is_served(data, wanted, engine):
        return Transfer(wanted, 0, 0, 0)
    manifest = signed_manifest(store, wanted, trusted)
    if manifest.formats != FORMATS:
        raise ReleaseError("release-format", file=_manifest(wanted), found=manifest.formats, expected=FORMATS)
    with disk_faults(data), snapshot.building(data) as work:
        (data / snapshot.PULLED).touch()
        missing = [file for file in manifest.files if not _is_whole(data / file.path, file)]
        _download(store, data, missing, progress)
        _place(data, work, manifest, {file.path for file in missing}, engine)
        complete(data, work, snapshot.read_release(data, wanted), registry, suppressions, search_url)
        shutil.rmtree(data / _INCOMING)
    return Transfer(wanted, len(manifest.files), len(missing), sum(file.bytes for file in missing))


def signed_manifest(store: ReleaseStore, release: str, trusted: str | None) -> Manifest:
    """Return the manifest of a release in a store, after checking its signature where a key is trusted.

    Raises:
        ReleaseError: `stored-release-damaged`, `release-unsigned`.
        Unavailable: `store-fault`.
        Invalid: `no-stored-release`.
    """
    content = store.read(_manifest(release)) if release else None
    if content is None:
        raise Invalid("no-stored-release", parameter="release", release=release or "current", store=store.shown)
    if trusted:
        try:
            minisign.PublicKey.from_base64(trusted).verify(content, _stored_signature(store, release))
        except minisign.Error as error:
            raise ReleaseError("release-unsigned", release=release, store=store.shown) from error
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except ValueError as error:
        raise ReleaseError("stored-release-damaged", store=store.shown, file=_manifest(release)) from error
    if manifest.release != release:
        raise ReleaseError("stored-release-damaged", store=store.shown, file=_manifest(release))
    return manifest


def verify(store: ReleaseStore, release: str, trusted: str | None, scratch: Path) -> None:
    """Compare every file of a release in a store with its digest.

    Args:
        trusted: Public key of minisign, which must have signed it.
        scratch: A folder on a disk with room for the largest file.

    Raises:
        ReleaseError: `stored-release-damaged` names the file; `release-unsigned`.
        Unavailable: `store-fault`.
        Invalid: `no-stored-release`.
    """
    for file in signed_manifest(store, release, trusted).files:
        _fetch(store, file, scratch / file.sha256).unlink()


def _is_served(data: Path, release: str, engine: EngineKind) -> bool:
    """Return whether a release is the one to serve here, and whole, which takes reading all of it."""
    try:
        if snapshot.current(data) != release:
            return False
        for _ in snapshot.reread(data, release, release_index.FORMAT):
            pass
    except ReleaseError:
        return False
    return not _is_lost(snapshot.index_folder(data, release, release_index.FORMAT), engine)


def _is_lost(folder: Path, engine: EngineKind) -> bool:
    """Return whether an index is not in its engine any more: a build may have loaded it under another name."""
    if engine is EMBEDDED:
        return False  # files are all that it has, and the callers compare these
    try:
        run(release_index.open_index(folder, engine))
    except PadronError as error:
        return error.code in LOADED_ANEW
    return False


def _download(store: ReleaseStore, data: Path, missing: Sequence[StoredFile], progress: Progress) -> None:
    """Gather files in a folder, each under its digest; what a killed download left there is continued.

    A file that another release here has under the same name is linked.
    """
    incoming = data / _INCOMING
    incoming.mkdir(exist_ok=True)
    wanted = {file.sha256: file for file in missing}
    for path in incoming.iterdir():
        if path.name not in wanted or not path.is_file():
            remove(path)
    total, done = sum(file.bytes for file in wanted.values()), 0
    if total > shutil.disk_usage(incoming).free + sum(path.stat().st_size for path in incoming.iterdir()):
        raise Unavailable("disk-fault", folder=str(incoming), reason=os.strerror(errno.ENOSPC))
    for digest, file in wanted.items():
        target = incoming / digest
        twins = (path for path in data.glob(f"*/*/{'/'.join(PurePosixPath(file.path).parts[2:])}") if path != target)
        if same := next((path for path in twins if _is_whole(path, file)), None):
            target.unlink(missing_ok=True)
            target.hardlink_to(same)
        else:
            _fetch(store, file, target)
        progress(done := done + file.bytes, total)


def _fetch(store: ReleaseStore, file: StoredFile, target: Path) -> Path:
    """Download a file, or the rest of it, and compare it with its digest."""
    if not _is_whole(target, file):
        if target.exists() and target.stat().st_size >= file.bytes:
            target.unlink()
        store.append(_address(file), target, file.bytes + 1)  # one more shows that it is longer
        if not _is_whole(target, file):
            target.unlink()
            raise ReleaseError("stored-release-damaged", store=store.shown, file=_address(file))
    return target


def _place(data: Path, work: Path, manifest: Manifest, fetched: set[str], engine: EngineKind) -> None:
    """Put the folders of a release that lack a file to their place, each whole, and then `releases/<id>.json`.

    What is whole there stays, but for an index that is lost in its engine.
    """
    for folder, files in groupby(manifest.files, lambda file: _sealed_folder(file.path)):
        group = list(files)
        if not any(file.path in fetched for file in group):
            continue
        for file in group:
            fresh = work / file.path
            fresh.parent.mkdir(parents=True, exist_ok=True)
            source = data / _INCOMING / file.sha256 if file.path in fetched else data / file.path
            os.link(source, fresh)
            flush(fresh)
        if not folder.startswith("releases/"):
            if folder.startswith("indexes/") and _is_lost(data / folder, engine):
                remove(data / folder)
            snapshot.place(work / folder, data / folder)  # which replaces nothing that is whole
        elif not _is_sound(data, manifest.release):
            (data / "releases").mkdir(exist_ok=True)
            move_into_place(work / folder, data / folder)


def _is_sound(data: Path, release: str) -> bool:
    """Return whether a release is here whose own file is whole: what comes from elsewhere is not proved yet."""
    try:
        snapshot.read_release(data, release)
    except ReleaseError:
        return False
    return True


def _sealed_folder(path: str) -> str:
    """Return what is renamed into place at once: a file of `releases`, else the folder of a snapshot or an index."""
    parts = PurePosixPath(path).parts
    return "/".join(parts[: 3 if parts[0] == "snapshots" else 2])


def _files(data: Path, release: str) -> Iterable[Path]:
    """Return the files of a release, which must be sound, in the order of their paths."""
    folders = [data / "snapshots" / name for name in snapshot.read_release(data, release).snapshots.values()]
    for folder in folders:
        snapshot.verify(folder)
    folders.append(snapshot.index_folder(data, release, release_index.FORMAT))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted([data / "releases" / f"{release}.json", *files])


def _described(data: Path, path: Path) -> StoredFile:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return StoredFile(path.relative_to(data).as_posix(), path.stat().st_size, digest)


def _is_whole(path: Path, file: StoredFile) -> bool:
    try:
        if not path.is_file() or path.stat().st_size != file.bytes:
            return False
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
    except OSError as error:
        if error.errno in snapshot.DAMAGE:
            return False
        raise


def _address(file: StoredFile) -> str:
    return f"files/{file.sha256}"


def _manifest(release: str) -> str:
    return f"releases/{release}/manifest.json"


def _signature(release: str) -> str:
    return f"{_manifest(release)}.minisig"


def _stored_signature(store: ReleaseStore, release: str) -> minisign.Signature:
    """Return the signature of a release. Raises `minisign.Error` where there is none, or none that can be read."""
    return minisign.Signature.from_bytes(store.read(_signature(release)) or b"")


def make_key(path: Path) -> str:
    """Make a key that signs releases, in a new file that only its owner can read.

    Args:
        path: The file of the secret key, in minisign's format, without a password.

    Returns:
        The public key, the setting `PADRON_RELEASES__TRUSTED_KEY` of the nodes.

    Raises:
        Invalid: `key-file-exists`.
    """
    pair = minisign.KeyPair.generate()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Invalid("key-file-exists", file=str(path)) from error
    with os.fdopen(handle, "wb") as file:
        file.write(bytes(pair.secret_key))
    flush(path)
    return bytes(pair.public_key.to_base64()).decode("ascii")


def _signing_key(path: Path) -> minisign.SecretKey:
    try:
        key = minisign.SecretKey.from_file(path)
        key.sign(b"")  # refuses one with a password
    except (OSError, minisign.Error) as error:
        raise Invalid("bad-signing-key", file=str(path)) from error
    return key
