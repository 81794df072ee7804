"""An engine without the companies that are suppressed: its callers cannot tell that they exist."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from padron.index.document import Tables
from padron.index.engine import Engine, Hit, Lookup
from padron.index.tags import Within
from padron.suppression import Suppressions


class SuppressingEngine:
    """`engine` (an `Engine`) without the companies `hidden`, by their keys."""

    def __init__(self, engine: Engine, hidden: Mapping[int, Hit]) -> None:
        self._engine = engine
        self.hidden = hidden
        self.frequency = engine.frequency

    @property
    def tables(self) -> Tables:
        """The tables of the whole index: they name no company."""
        return self._engine.tables

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """As `Engine.candidates`."""
        return self._visible(await self._engine.candidates(lookup, limit))

    async def by_identifier(self, country: str | None, scheme: str, key: str, within: Within = ()) -> Sequence[Hit]:
        """As `Engine.by_identifier`."""
        return self._visible(await self._engine.by_identifier(country, scheme, key, within))

    async def among(self, country: str | None, within: Within, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """As `Engine.among`, hidden companies left out of the count as well."""
        if not self.hidden:
            return await self._engine.among(country, within, start, limit)
        count, hits = await self._engine.among(country, within, 0, start + limit + len(self.hidden))
        visible = self._visible(hits)
        return count - (len(hits) - len(visible)), visible[start : start + limit]

    async def part(self, number: int) -> AsyncIterator[Sequence[Hit]]:
        """As `Engine.part`."""
        async for hits in self._engine.part(number):
            yield self._visible(hits)

    def _visible(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        return [hit for hit in hits if hit.key not in self.hidden] if self.hidden else hits


async def suppress(engine: Engine, suppressions: Suppressions) -> SuppressingEngine:
    """Return `engine` without the companies that `suppressions` hides."""
    hidden: dict[int, Hit] = {}
    for entry in suppressions.entries:
        hits = await engine.by_identifier(entry.country, entry.scheme, entry.key)
        hidden.update((hit.key, hit) for hit in hits)
    return SuppressingEngine(engine, hidden)
