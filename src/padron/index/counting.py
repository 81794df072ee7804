"""Counts of more keys than fit into memory: sorted runs in files are merged at the end."""

from __future__ import annotations

import heapq
import marshal
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

_IN_MEMORY: Final = 1_000_000
"""Keys that are counted in memory (150 MB) before the counts are written to disk."""


class KeyCounter:
    """Counts how many companies have each key, in bounded memory. `name` is that of its files in `folder`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._counts: Counter[str] = Counter()
        self._runs: list[Path] = []

    def add(self, counts: Mapping[str, int]) -> None:
        """Add the counts of some companies."""
        self._counts.update(counts)
        if len(self._counts) > _IN_MEMORY:
            run = self._folder / f"{self._name}-{len(self._runs)}"
            with run.open("wb") as file:
                for pair in sorted(self._counts.items()):
                    marshal.dump(pair, file)
            self._runs.append(run)
            self._counts.clear()

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield every key with its count, in alphabetical order; may be called more than once."""
        runs = [*map(_read_run, self._runs), iter(sorted(self._counts.items()))]
        for key, pairs in groupby(heapq.merge(*runs), key=itemgetter(0)):
            yield key, sum(count for _, count in pairs)

    def close(self) -> None:
        """Delete the runs."""
        for run in self._runs:
            run.unlink()


def _read_run(path: Path) -> Iterator[tuple[str, int]]:
    with path.open("rb") as file:
        while True:
            try:
                yield marshal.load(file)  # noqa: S302 - our own file of a moment ago
            except EOFError:
                return
