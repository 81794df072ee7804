"""Files that survive a crash: flushed to the disk, replaced in one step, mapped into memory. Folders that do not."""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Final

_TEMPORARY: Final = ".padron-temporary-"
"""Beginning of the names of temporary folders: no other folder may have it, because it would be removed."""
_REMOVALS: Final = 100
"""Times that the removal of a folder is tried, at most: each but the last failed because a file was new in it, such as
the lock that a thread of tantivy may still write."""


def flush(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def move_into_place(fresh: Path, target: Path) -> None:
    """Replace `target` by the file `fresh` in one step: a reader finds the old one whole or the new one whole."""
    flush(fresh)
    fresh.replace(target)
    flush(target.parent)


def remove(path: Path) -> None:
    """Remove what stands at a path: a file, a link, or a folder with all in it."""
    if path.is_dir() and not path.is_symlink():
        rmtree(path)
    else:
        path.unlink()


def replace_text(target: Path, text: str, scratch: Path | None = None) -> None:
    """Replace the content of a file in one step.

    Args:
        target: The file; its folder must exist.
        scratch: Folder of the same disk for the copy under way, the target's own by default.
    """
    fresh = (scratch or target.parent) / f".{target.name}.tmp"
    fresh.write_text(text, encoding="utf-8")
    move_into_place(fresh, target)


def mapped(path: Path) -> mmap.mmap | bytes:
    """Return the bytes of a file, mapped read only; an empty file cannot be mapped and gives `b""`."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Make a folder in `parent`, by default the system's for temporary files, and remove it at the end of the block.

    What killed processes have left there is removed first.
    """
    place = parent or Path(gettempdir())
    remove_abandoned(place)
    folder, lock = _new_folder(place)
    try:
        yield folder
    finally:
        for _ in range(_REMOVALS):
            rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
        os.close(lock)


def make_again(folder: Path) -> None:
    """Make a temporary folder in use again if it is not there any more; it is in use until this process ends.

    Raises `OSError` where that cannot be done, or another user has made one by its name.
    """
    try:
        folder.mkdir(0o700, parents=True)
    except FileExistsError:
        if folder.lstat().st_uid != os.geteuid():
            raise
    else:
        _locked(folder)


def remove_abandoned(place: Path) -> None:
    """Remove the temporary folders that killed processes of the same user have left in `place`.

    One in use is locked, and the lock ends with its process, however that ends.
    """
    for folder in place.glob(f"{_TEMPORARY}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid():
                lock = _locked(folder, fcntl.LOCK_NB)
                rmtree(folder, ignore_errors=True)
                os.close(lock)


def _new_folder(place: Path) -> tuple[Path, int]:
    """Make a folder and lock it; another one if a process has removed it as left behind before it was locked."""
    while True:
        folder = Path(mkdtemp(prefix=_TEMPORARY, dir=place))
        with suppress(FileNotFoundError):
            return folder, _locked(folder)


def _locked(folder: Path, flags: int = 0) -> int:
    """Lock a temporary folder until the returned descriptor is closed.

    The lock is on the folder itself: what removes old files from folders of temporary ones cannot take it away.

    Raises `FileNotFoundError` if it is removed meanwhile, and `BlockingIOError` if it is in use and `flags` say so.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | flags)
        if not os.path.samestat(os.fstat(lock), folder.stat()):
            raise FileNotFoundError(folder)
    except OSError:
        os.close(lock)
        raise
    return lock
