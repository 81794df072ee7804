"""An engine without the companies that are suppressed: whoever asks it cannot tell that they are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from padron.index.document import Tables
from padron.index.engine import Engine, Hit, Lookup
from padron.index.tags import Within
from padron.suppression import Suppressions


class Withheld:
    """`engine` (an `Engine`) without the companies that `suppressions` hides; `hidden` are those it has."""

    def __init__(self, engine: Engine, suppressions: Suppressions) -> None:
        self._engine = engine
        found = (
            hit
            for entry in suppressions.entries
            for hit in engine.by_identifier(entry.country, entry.scheme, entry.key)
        )
        self.hidden = {hit.key: hit for hit in found}
        self.frequency = engine.frequency

    @property
    def tables(self) -> Tables:
        """Those of the whole index: they name no company."""
        return self._engine.tables

    def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """As `Engine.candidates`."""
        return self._seen(self._engine.candidates(lookup, limit))

    def by_identifier(self, country: str | None, scheme: str, key: str, within: Within = ()) -> Sequence[Hit]:
        """As `Engine.by_identifier`."""
        return self._seen(self._engine.by_identifier(country, scheme, key, within))

    def among(self, country: str | None, within: Within, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """As `Engine.among`, hidden companies left out of the count as well."""
        gone = 0
        if self.hidden:
            every, hits = self._engine.among(country, within, 0, start + limit + len(self.hidden))
            seen = self._seen(hits)
            gone = len(hits) - len(seen)
            return every - gone, seen[start : start + limit]
        return self._engine.among(country, within, start, limit)

    def part(self, number: int) -> Iterator[Hit]:
        """As `Engine.part`."""
        return (hit for hit in self._engine.part(number) if hit.key not in self.hidden)

    def _seen(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        return [hit for hit in hits if hit.key not in self.hidden] if self.hidden else hits
