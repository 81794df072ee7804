"""The file in the folder of the engine on OpenSearch: it is read without the library and without the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

FILE: Final = "opensearch.json"


class LoadedIndex(msgspec.Struct, frozen=True):
    """The index of a release and what it must hold: the number of companies, and the sum of their checksums."""

    index: str
    companies: int
    sum: int | None = None
    """None in a file of before there were checksums."""


def read(folder: Path) -> LoadedIndex | None:
    """Return what the folder of an engine names; None where it is another engine's."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=LoadedIndex)
    except (OSError, ValueError):
        return None


def write(folder: Path, loaded: LoadedIndex) -> None:
    """Write the file into the folder of an engine."""
    (folder / FILE).write_bytes(msgspec.json.encode(loaded))
