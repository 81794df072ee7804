"""Errors of a full or read-only disk, recognized whether Python, DuckDB or the index raises them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from padron.errors import Unavailable

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_IN_THE_WAY = (errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY)
_FAULTS = frozenset([*_FULL, *_IN_THE_WAY, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENAMETOOLONG])
_WORDS = tuple(map(os.strerror, _FULL))
"""Messages of the system for a full disk: DuckDB and tantivy quote them in errors of their own."""


@contextmanager
def disk_faults(folder: Path) -> Iterator[None]:
    """Turn errors of the disk of `folder` into `Unavailable("disk-fault")` with their reason.

    Nothing is cleaned up here: writers write to a temporary name and rename what is complete.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FAULTS:
            raise
        raise Unavailable("disk-fault", folder=error.filename or folder, reason=error.strerror) from error
    except (ValueError, duckdb.Error) as error:
        words = [words for words in _WORDS if words in str(error)]
        if not words:
            raise
        raise Unavailable("disk-fault", folder=folder, reason=words[0]) from error
