"""An engine without the companies that are suppressed: its callers cannot tell that they exist."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final

from padron.index.engine import MOST, Engine, Hit, IdentifierKey, Query, Scope
from padron.index.tags import Within
from padron.releases.suppression import Suppressions

_BATCH: Final = 100
"""Suppressed identifiers that are looked up at a time: other requests are answered between two batches."""
_SPARE: Final = 20
"""Hits that are asked for at first in place of those that are suppressed: few of them have the words of one name."""


class SuppressingEngine:
    """`engine` without the companies `hidden`, by their keys."""

    def __init__(self, engine: Engine, hidden: Mapping[int, Hit]) -> None:
        self._engine = engine
        self.hidden = hidden

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        """Answer a batch of queries. See `Engine.look_up`.

        Args:
            enough: The number of companies that makes later queries superfluous.

        Returns:
            The hits of each query; where all of its first `MOST` but a few are hidden, these few.
        """
        most, spare = min(len(self.hidden), MOST - limit), _SPARE
        while True:
            spare = min(spare, most)
            answers = await self._engine.look_up(queries, scope, limit + spare, enough + spare)
            met = {hit.key for hits in answers for hit in hits if hit.key in self.hidden}
            if len(met) <= spare or spare == most:
                return [self._visible(hits)[:limit] for hits in answers]
            spare = 2 * len(met)

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags: Within = ()) -> Sequence[Sequence[Hit]]:
        """Answer a batch of identifiers."""
        answers = await self._engine.by_identifier(identifiers, tags)
        return [self._visible(hits) for hits in answers]

    async def among(self, scope: Scope, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """List the companies of a scope, without hidden ones in the count either. See `Engine.among`."""
        count, hits = await self._engine.among(scope, 0, start + limit + len(self.hidden))
        visible = self._visible(hits)
        return count - (len(hits) - len(visible)), visible[start : start + limit]

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        """Complete a word among companies. See `Engine.complete`."""
        return await self._engine.complete(beginning, words, limit)

    async def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        """Yield the companies of a part."""
        async for hits in self._engine.part(first, end):
            yield self._visible(hits)

    async def check(self) -> None:
        """Raise what is wrong with the engine. See `Engine.check`."""
        await self._engine.check()

    def _visible(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        return [hit for hit in hits if hit.key not in self.hidden]


async def suppress(engine: Engine, suppressions: Suppressions) -> SuppressingEngine:
    """Return `engine` without the companies that `suppressions` hides."""
    keys = [IdentifierKey(entry.country, entry.scheme, entry.key) for entry in suppressions.entries]
    hidden: dict[int, Hit] = {}
    for start in range(0, len(keys), _BATCH):
        await sleep(0)  # the embedded engine never waits
        for hits in await engine.by_identifier(keys[start : start + _BATCH]):
            hidden.update((hit.key, hit) for hit in hits)
    return SuppressingEngine(engine, hidden)
