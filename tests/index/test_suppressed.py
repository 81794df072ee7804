"""Hidden companies, however many: a search asks an engine for no more than it gives, and gets its companies."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest

from memory_engine import Fields, MemoryEngine
from padron.directory import run
from padron.errors import Unavailable
from padron.index.engine import EVERYWHERE, MOST, AllWords, AnyKey, EncodedDocument, Hit, Query, Scope
from padron.index.suppressed import SuppressingEngine

COMPANIES = MOST + 2_000
LIMIT = 50


class Bounded(MemoryEngine):
    """An engine that fails where it is asked for more hits than it gives at once; `asked`: the limits of its calls."""

    def __init__(self, documents: Sequence[EncodedDocument]) -> None:
        super().__init__(documents)
        self.asked: list[int] = []

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        if limit > MOST:
            raise Unavailable("engine-unavailable", reason=400)
        self.asked.append(limit)
        return await super().look_up(queries, scope, limit, enough)


def document(number: int) -> EncodedDocument:
    fields = Fields(f"comercial {'azul' if number % 100 == 0 else 'verde'} n{number}", ["comercial"], [], "EC", [], 0)
    return EncodedDocument(msgspec.json.encode(fields).decode(), b"%d" % number, "EC")


@pytest.fixture(scope="module")
def engine() -> Bounded:
    """Companies that all have one word, and each hundredth another; those that match alike come by number."""
    return Bounded([document(number) for number in range(COMPANIES)])


def keys(engine: Bounded, hidden: Sequence[int], *queries: Query, limit: int = LIMIT) -> list[list[int]]:
    engine.asked.clear()
    suppressing = SuppressingEngine(engine, {number: Hit(number, b"") for number in hidden})
    return [[hit.key for hit in hits] for hits in run(suppressing.look_up(queries, EVERYWHERE, limit, limit))]


def test_hidden_companies_of_other_names_cost_a_search_nothing(engine: Bounded) -> None:
    hidden = [number for number in range(COMPANIES) if number % 100]
    assert len(hidden) > MOST
    assert keys(engine, hidden, AllWords(["n0"]), AllWords(["azul"])) == [[0], list(range(0, 5_000, 100))]
    assert engine.asked == [LIMIT + 20]


def test_a_search_asks_for_as_many_more_as_it_meets(engine: Bounded) -> None:
    assert keys(engine, range(1_000), AllWords(["comercial"])) == [list(range(1_000, 1_050))]
    assert engine.asked == [70, 190, 430, 910, 1_050]


def test_hidden_companies_beyond_the_most_hits_leave_the_few_that_are_seen(engine: Bounded) -> None:
    assert keys(engine, range(MOST - 5), AllWords(["comercial"])) == [list(range(MOST - 5, MOST))]
    assert keys(engine, range(MOST + 5), AllWords(["comercial"])) == [[]]
    assert max(engine.asked) == MOST


def test_any_hidden_companies_are_left_out_and_the_others_stay_in_order(engine: Bounded) -> None:
    draw = random.Random(7)
    queries = (AllWords(["azul"]), AnyKey(["comercial"]), AllWords(["comercial", "verde"]))
    whole = run(engine.look_up(queries, EVERYWHERE, MOST, MOST))
    for count in (1, 20, 21, 100, 3_000):
        hidden = draw.sample(range(5_000), count)
        gone = set(hidden)
        wanted = [[hit.key for hit in hits if hit.key not in gone][:LIMIT] for hits in whole]
        assert keys(engine, hidden, *queries) == wanted
