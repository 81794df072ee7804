"""Files that survive a crash: flushed to the disk, replaced in one step, mapped into memory."""

from __future__ import annotations

import mmap
import os
from pathlib import Path


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


def replace_text(target: Path, text: str, scratch: Path | None = None) -> None:
    """Replace the content of a file in one step.

    Args:
        target: The file; its folder must exist.
        text: Its new content.
        scratch: Folder of the same disk for the copy under way, the target's own by default.
    """
    fresh = (scratch or target.parent) / f".{target.name}.tmp"
    fresh.write_text(text, encoding="utf-8")
    move_into_place(fresh, target)


def mapped(path: Path) -> mmap.mmap | bytes:
    """Return the bytes of a file, mapped read only; an empty file cannot be mapped and gives `b""`."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
