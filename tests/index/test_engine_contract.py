"""The contract of engines, tried on the embedded one and on one in memory; faulty engines must not pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine_contract import (
    CONTRACT,
    Clause,
    all_of_sums_and_any_of_sums,
    at_most_the_limit,
    by_identifier_in_a_batch,
    companies_of_fewer_terms_come_first,
    companies_that_match_alike_come_in_build_order,
    completes_among_the_companies_with_the_words,
    every_company_stands_in_one_part,
    every_query_of_a_batch_is_answered,
    lists_by_size,
    nothing_is_left_out_before_there_is_enough,
    one_identifier_in_two_registers,
    only_the_country,
    only_with_a_tag_of_each_group,
    optional_parts_only_add,
    pairs_need_both_words,
    scopes_do_not_change_the_order,
    the_best_word_counts,
)
from memory_engine import MEMORY, Matches, MemoryEngine, documents_of
from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import document, release_index
from padron.index.document import Parts
from padron.index.engine import EVERYWHERE, AllOf, AllWords, AnyOf, BestOf, Hit, IdentifierKey, Query, Scope
from padron.index.release_index import ReleaseIndex
from padron.releases import snapshot


@pytest.fixture(scope="module")
def memory_folder(companies: tuple[Company, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory") / "index"
    release_index.build(companies, folder, REGISTRY, MEMORY)
    return folder


@pytest.fixture(scope="module")
def in_memory(memory_folder: Path) -> ReleaseIndex:
    """The small directory in an engine in memory."""
    return run(release_index.open_index(memory_folder, MEMORY))


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_the_embedded_engine_keeps_the_contract(opened: ReleaseIndex, clause: Clause) -> None:
    assert run(clause(opened)) is None


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_an_engine_in_memory_keeps_the_contract(in_memory: ReleaseIndex, clause: Clause) -> None:
    assert run(clause(in_memory)) is None


class Borderless(MemoryEngine):
    """An engine that ignores the country."""

    def inside(self, place: int, scope: Scope) -> bool:
        return super().inside(place, Scope(None, scope.tags))


class Lax(MemoryEngine):
    """An engine that ignores the tags."""

    def inside(self, place: int, scope: Scope) -> bool:
        return super().inside(place, Scope(scope.country))


class Weightless(MemoryEngine):
    """An engine that ignores weights."""

    def matches(self, query: Query) -> Matches:
        return super().matches(
            BestOf(dict.fromkeys(query.weights, 1.0), query.pairs) if isinstance(query, BestOf) else query
        )


class Strict(MemoryEngine):
    """Demands optional parts too."""

    def matches(self, query: Query) -> Matches:
        if isinstance(query, AllOf):
            return super().matches(AllOf([*query.queries, *query.optional]))
        return super().matches(query)


class Lengthless(MemoryEngine):
    """An engine that ignores the lengths of names."""

    def __init__(self, documents) -> None:
        super().__init__(documents)
        for field in (self.words, self.keys):
            field.norms = np.ones_like(field.norms)


class Backward(MemoryEngine):
    """An engine that reverses the order of companies that match alike."""

    def best(self, matches: Matches, scope: Scope, limit: int) -> list[Hit]:
        order = np.lexsort((-matches.places, -matches.scores))
        places = [place for place in map(int, matches.places[order]) if self.inside(place, scope)]
        return self.hits(places[:limit])


class Hasty(MemoryEngine):
    """Answers no query behind the first that matches."""

    async def look_up(self, queries: Sequence[Query], scope: Scope, limit: int, enough: int) -> Sequence[Sequence[Hit]]:
        answers = await super().look_up(queries, scope, limit, enough)
        first = next((at for at, hits in enumerate(answers) if hits), len(answers))
        return [*answers[: first + 1], *[()] * (len(answers) - first - 1)]


class Boundless(MemoryEngine):
    """An engine that ignores the limit."""

    def best(self, matches: Matches, scope: Scope, limit: int) -> list[Hit]:
        return super().best(matches, scope, 1_000)


class Single(MemoryEngine):
    """An engine that looks up only the first identifier of a batch."""

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags=()) -> Sequence[Sequence[Hit]]:
        return [*await super().by_identifier(identifiers[:1], tags), *[()] * (len(identifiers) - 1)]


class Loose(MemoryEngine):
    """Completes among all companies."""

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        return await super().complete(beginning, (), limit)

    def matches(self, query: Query) -> Matches:
        everything = isinstance(query, AllWords) and not query.words
        return (
            Matches(np.arange(len(self.stored)), np.zeros(len(self.stored))) if everything else super().matches(query)
        )


class Forgetful(MemoryEngine):
    """Leaves out the last company of a part."""

    async def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        async for hits in super().part(first, end):
            yield hits[:-1]


@pytest.mark.parametrize(
    ("faulty", "broken"),
    [
        (MemoryEngine, []),
        (Borderless, [only_the_country, scopes_do_not_change_the_order, by_identifier_in_a_batch,
                      one_identifier_in_two_registers, lists_by_size]),
        (Lax, [only_with_a_tag_of_each_group, lists_by_size]),
        (Weightless, [the_best_word_counts]),
        (Strict, [optional_parts_only_add]),
        (Lengthless, [companies_of_fewer_terms_come_first]),
        (Backward, [companies_that_match_alike_come_in_build_order, all_of_sums_and_any_of_sums,
                    pairs_need_both_words, every_query_of_a_batch_is_answered]),
        (Hasty, [every_query_of_a_batch_is_answered, nothing_is_left_out_before_there_is_enough, at_most_the_limit]),
        (Boundless, [at_most_the_limit]),
        (Single, [by_identifier_in_a_batch, one_identifier_in_two_registers]),
        (Loose, [completes_among_the_companies_with_the_words]),
        (Forgetful, [every_company_stands_in_one_part]),
    ],
)  # fmt: skip
def test_a_faulty_engine_breaks_the_contract(
    in_memory: ReleaseIndex, memory_folder: Path, faulty: type[MemoryEngine], broken: list[Clause]
) -> None:
    index = in_memory._replace(engine=faulty(documents_of(memory_folder / "companies")))
    failed = []
    for clause in CONTRACT:
        try:
            run(clause(index))
        except AssertionError:
            failed.append(clause)
    assert [clause.__name__ for clause in failed] == [clause.__name__ for clause in broken]


def test_a_part_is_full_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 2)
    parts = Parts()
    for key, country in enumerate(["AR", "BR", "BR", "BR", "BR", "BR", "CO"]):
        parts.add(country, key)
    assert parts.runs == [("AR", 0), ("BR", 1), ("BR", 3), ("BR", 5), ("CO", 6)]


COMMON = ("comercializadora", "ecuador", "grupo", "industrias", "servicios", "transportes")
TELLING = ("azul", "favorita", "shrimp")


@pytest.mark.parametrize("telling", TELLING)
def test_the_number_of_companies_changes_no_hit_of_the_embedded_engine(release: Path, telling: str) -> None:
    folder = snapshot.index_folder(release, snapshot.current(release), release_index.FORMAT)
    index = run(release_index.open_index(folder))

    def counted(words: Sequence[str], pairs: Sequence[tuple[str, str]] = ()) -> BestOf:
        companies = sum(index.vocabulary.frequencies([*words, *[second for _, second in pairs]]))
        return BestOf(dict(zip(words, (1.0, 0.875), strict=False)), pairs, companies)

    def hits(needed: Sequence[BestOf], optional: Sequence[BestOf], rare: Sequence[BestOf] = ()) -> Sequence[Hit]:
        query = AllOf([*needed, AnyOf(rare)] if rare else needed, optional)
        return run(index.engine.look_up([query], EVERYWHERE, 50, 50))[0]

    rare = counted([telling])
    groups = [*map(counted, pairwise(COMMON)), counted(["grupo"], [("ecuador", telling)])]
    for group in groups:
        others = [other for other in groups if other is not group]
        for arguments in (([rare, group], []), ([rare], others), ([group, rare], others), ([], groups, [rare, group])):
            uncounted = [[query._replace(companies=0) for query in queries] for queries in arguments]
            assert hits(*arguments) == hits(*uncounted)
    assert hits([rare], groups)
