"""A disk that is full or may not be written to, told as such, whoever met it: Python, DuckDB or the index."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from padron.errors import Unavailable

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FAULTS = frozenset([*_FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTDIR, errno.EEXIST])
_WORDS = tuple(map(os.strerror, _FULL))
"""What the system says of a full disk: DuckDB and tantivy put it into errors of their own."""


@contextmanager
def disk_faults(folder: Path) -> Iterator[None]:
    """Raises `Unavailable("disk-fault")` where the disk of `folder` refuses something inside, with the reason it gives.

    Nothing is swept here: whoever writes does so aside and puts what is whole in place with one renaming.
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
