"""Rows of bytes in two mapped files, found by place: the store beside an embedded index.

    rows.bin     the rows end to end, each behind its length (32 bits)
    starts.bin   where the row of each place begins (64 bits)

A row costs half a microsecond, and no memory of our own: the pages are the system's, shared between processes.
A folder of `KeyedRows` has the rows in the order of their keys, so that one is found by bisection.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from padron.releases import snapshot
from padron.storage import mapped

ROWS: Final = "rows.bin"
STARTS: Final = "starts.bin"
_END_OF_KEY: Final = b"\0"
_LENGTH: Final = struct.Struct("<I")
_length: Final = _LENGTH.unpack_from


class RowWriter:
    """Writer of the rows of a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / ROWS).open("wb")
        self._end = 0

    def add(self, row: bytes) -> int:
        """Append a row; return where it begins."""
        start = self._end
        self._end += self._file.write(_LENGTH.pack(len(row)) + row)
        return start

    def close(self) -> None:
        """Finish writing."""
        self._file.close()


class Rows:
    """The rows in `folder`. `starts`, by place: unique, and in the order in which rows were written."""

    def __init__(self, folder: Path) -> None:
        self._rows = mapped(folder / ROWS)
        self.starts = memoryview(mapped(folder / STARTS)).cast("Q")

    def at(self, starts: Iterable[int]) -> list[bytes]:
        """The rows that begin at `starts`."""
        rows = self._rows
        return [rows[start + 4 : start + 4 + _length(rows, start)[0]] for start in starts]

    def between(self, start: int, end: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Rows from `start` to before `end` (None: to the last), each with where it begins, in the order of writing."""
        end = len(self._rows) if end is None else end
        while start < end:
            (row,) = self.at((start,))
            yield start, row
            start += _LENGTH.size + len(row)


def write_starts(folder: Path, chunks: Iterable[Iterable[int]]) -> None:
    """Say where the row of each place begins, in the order of the places."""
    with (folder / STARTS).open("wb") as file:
        for chunk in chunks:
            array("Q", chunk).tofile(file)


def write_keyed(rows: Iterable[tuple[bytes, bytes]], folder: Path) -> int:
    """Write rows with their keys, in the order of the keys, into a new folder and seal it.

    Args:
        rows: Key, without NUL, and row.

    Raises:
        ValueError: The keys are in another order: no row would be found.
    """
    folder.mkdir(parents=True)
    starts, last = array("Q"), b""
    with closing(RowWriter(folder)) as writer:
        for key, row in rows:
            if key <= last:
                raise ValueError(f"{key!r} behind {last!r}: out of order")
            starts.append(writer.add(key + _END_OF_KEY + row))
            last = key
    write_starts(folder, (starts,))
    snapshot.seal(folder)
    return len(starts)


class KeyedRows:
    """The rows in a folder of `write_keyed`; safe to share between threads.

    Raises `ReleaseError("release-damaged")` where the folder is not as it was sealed.
    """

    def __init__(self, folder: Path) -> None:
        snapshot.verify(folder)
        self._rows = Rows(folder)

    def get(self, key: bytes) -> bytes | None:
        """Return the row of a key, if there is one."""
        starts = self._rows.starts
        place = bisect_left(starts, key, key=lambda start: self._at(start)[0])
        if place == len(starts):
            return None
        stored, row = self._at(starts[place])
        return row if stored == key else None

    def _at(self, start: int) -> tuple[bytes, bytes]:
        """Return the key and the row that begin at `start`."""
        (row,) = self._rows.at((start,))
        key, _, body = row.partition(_END_OF_KEY)
        return key, body
