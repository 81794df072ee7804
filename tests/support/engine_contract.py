"""The contract of engines: its clauses, each of which an engine over the small directory keeps or breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from padron.index.document import decode_company, decode_record
from padron.index.engine import EVERYWHERE, AllOf, AllWords, AnyKey, AnyOf, BestOf, Hit, IdentifierKey, Query, Scope
from padron.index.release_index import ReleaseIndex

LIMIT = 50
Clause = Callable[[ReleaseIndex], Awaitable[None]]

FAVORITA = "CORPORACION FAVORITA C.A."
PETROBRAS = "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"
PETROBRAS_US = "PETROBRAS - PETROLEO BRASILEIRO SA"


def legal_name(hit: Hit) -> str:
    return decode_record(decode_company(hit.stored).record).legal_name


def words(*texts: str) -> list[Query]:
    """A query for each word."""
    return [AllWords([text]) for text in texts]


def any_word(*texts: str) -> AnyOf:
    return AnyOf([BestOf({text: 1.0}) for text in texts])


async def names(index: ReleaseIndex, query: Query, scope: Scope = EVERYWHERE, limit: int = LIMIT) -> list[str]:
    """Legal names of what one query matches."""
    (hits,) = await index.engine.look_up([query], scope, limit, limit)
    return [legal_name(hit) for hit in hits]


async def terms_match_their_field(index: ReleaseIndex) -> None:
    assert await names(index, AllWords(["exito"])) == ["ALMACENES EXITO S.A."]
    assert await names(index, AnyKey(["almacenes exito"])) == ["ALMACENES EXITO S.A."]
    assert await names(index, AnyKey(["exito"])) == []
    assert await names(index, AllWords(["almacenes exito"])) == []
    assert await names(index, AnyKey(["~cnt"])) == []


async def companies_of_fewer_terms_come_first(index: ReleaseIndex) -> None:
    assert await names(index, AllWords(["apple"])) == ["Apple Inc.", "Apple Hospitality REIT, Inc."]
    rare = any_word("favorita", "ypf")
    assert await names(index, rare) == ["YPF SOCIEDAD ANONIMA", FAVORITA], "against build order"


async def companies_that_match_alike_come_in_build_order(index: ReleaseIndex) -> None:
    assert await names(index, AnyKey(["hotel plaza"])) == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]


async def all_of_sums_and_any_of_sums(index: ReleaseIndex) -> None:
    assert await names(index, AllWords(["hotel", "plaza"])) == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]
    assert await names(index, AllWords(["hotel", "xyzzyx"])) == []
    both = await names(index, any_word("apple", "hospitality", "xyzzyx"))
    assert both == ["Apple Hospitality REIT, Inc.", "Apple Inc."], "who has both comes first"
    assert await names(index, any_word("xyzzyx")) == []
    both = await names(index, AnyKey(["petroleo", "hotel plaza", "hotelplaza", "ypf"]))
    assert both[2:] == ["YPF SOCIEDAD ANONIMA"], "who is filed under two of them comes first"
    needed = AllOf([any_word("hotel", "apple"), BestOf({"reit": 1.0, "plaza": 0.5})])
    assert set(await names(index, needed)) == {"Apple Hospitality REIT, Inc.", "HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."}


async def all_words_may_leave_out_companies_of_a_known_key(index: ReleaseIndex) -> None:
    assert len(await names(index, AllWords(["hotel", "plaza"], "hotel plaza", 2))) in {0, 2}
    assert len(await names(index, AllWords(["hotel", "plaza"], "hotel plaza"))) == 2, "nobody counted"
    others = await names(index, AllWords(["inmobiliaria", "alpes"], "alpes inmobiliaria", 2))
    assert len(others) == 2, "another company has the words too: all are given"


async def optional_parts_only_add(index: ReleaseIndex) -> None:
    query = AllOf([BestOf({"inmobiliaria": 1.0})], [BestOf({"ii": 1.0}), BestOf({"xyzzyx": 1.0})])
    assert await names(index, query) == ["INMOBILIARIA LOS ALPES II S.A.", "INMOBILIARIA LOS ALPES S.A."]
    assert (await names(index, AllOf([BestOf({"inmobiliaria": 1.0})])))[0] == "INMOBILIARIA LOS ALPES S.A."


async def the_best_word_counts(index: ReleaseIndex) -> None:
    light = BestOf({"apple": 0.1, "microsoft": 1.0})
    assert (await names(index, light))[0] == "MICROSOFT CORP"
    heavy = BestOf({"apple": 1.0, "microsoft": 0.1})
    assert (await names(index, heavy))[0] == "Apple Inc."
    assert (await names(index, BestOf({"apple": 1.0, "hospitality": 0.01, "reit": 0.01})))[0] == "Apple Inc."


async def pairs_need_both_words(index: ReleaseIndex) -> None:
    assert await names(index, BestOf({}, [("hotel", "plaza")])) == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]
    assert await names(index, BestOf({}, [("hotel", "apple")])) == []
    assert (await names(index, BestOf({"apple": 0.5}, [("hospitality", "reit")])))[0] == "Apple Hospitality REIT, Inc."


async def every_query_of_a_batch_is_answered(index: ReleaseIndex) -> None:
    queries = [*words("microsoft", "xyzzyx", "plaza"), AnyKey(["ypf"])]
    answers = await index.engine.look_up(queries, EVERYWHERE, LIMIT, LIMIT)
    assert [[legal_name(hit) for hit in hits] for hits in answers] == [
        ["MICROSOFT CORP"],
        [],
        ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."],
        ["YPF SOCIEDAD ANONIMA"],
    ]
    assert not await index.engine.look_up([], EVERYWHERE, LIMIT, LIMIT)


async def nothing_is_left_out_before_there_is_enough(index: ReleaseIndex) -> None:
    answers = await index.engine.look_up(words("xyzzyx", "hotel", "apple"), EVERYWHERE, LIMIT, 3)
    assert [len(hits) for hits in answers] == [0, 2, 2]
    same = await index.engine.look_up(words("hotel", "plaza", "apple"), EVERYWHERE, LIMIT, 3)
    assert len(same[0]) == 2, "companies count once:"
    assert len(same[2]) == 2, "hotel and plaza are the same two, and not enough"


async def at_most_the_limit(index: ReleaseIndex) -> None:
    assert await names(index, AllWords(["apple"]), limit=1) == ["Apple Inc."]
    answers = await index.engine.look_up(words("apple", "hotel"), EVERYWHERE, 1, LIMIT)
    assert [len(hits) for hits in answers] == [1, 1]


async def only_the_country(index: ReleaseIndex) -> None:
    assert await names(index, AnyKey(["hotel plaza"]), Scope("CO")) == ["HOTEL PLAZA S.A.S."]
    assert set(await names(index, AllWords(["petrobras"]), Scope("US"))) == {PETROBRAS_US}
    assert await names(index, AllWords(["apple"]), Scope("AR")) == []


async def only_with_a_tag_of_each_group(index: ReleaseIndex) -> None:
    active = (("status:active", "status:suspended"), ("city:quito",))
    assert await names(index, AllWords(["favorita"]), Scope(None, active)) == [FAVORITA]
    assert await names(index, AllWords(["favorita"]), Scope(None, (("status:dissolved",),))) == []
    identifier = [IdentifierKey("EC", "ec-ruc", "1790016919")]
    assert not (await index.engine.by_identifier(identifier, (("financials:false",),)))[0]
    assert len((await index.engine.by_identifier(identifier, (("financials:true",),)))[0]) == 1


async def scopes_do_not_change_the_order(index: ReleaseIndex) -> None:
    everywhere = await names(index, any_word("apple", "petrobras", "hotel", "favorita"))
    there = await names(index, any_word("apple", "petrobras", "hotel", "favorita"), Scope("US"))
    assert there == [name for name in everywhere if name in set(there)]
    assert len(there) == 3


async def texts_are_no_syntax(index: ReleaseIndex) -> None:
    for text in ("OR", "and", "not", "*", "app*", 'a"b', "words:apple", "(", "\\", "", "é", "\0"):
        assert await names(index, AllWords([text])) == []
        assert set(await names(index, any_word("apple", text))) == {"Apple Inc.", "Apple Hospitality REIT, Inc."}
        assert not (await index.engine.by_identifier([IdentifierKey(None, "lei", text)]))[0]
        assert not await index.engine.complete(text or "(", ["apple"], LIMIT)


async def by_identifier_in_a_batch(index: ReleaseIndex) -> None:
    keys = [
        IdentifierKey("EC", "ec-ruc", "1790016919"),
        IdentifierKey("EC", "ec-expediente", "384"),
        IdentifierKey("EC", "ec-ruc", "1790016918"),
        IdentifierKey("BR", "br-cnpj", "33000167"),
        IdentifierKey("US", "us-ein", "123456789"),
        IdentifierKey("CO", "ec-ruc", "1790016919"),
    ]
    answers = await index.engine.by_identifier(keys)
    assert [[legal_name(hit) for hit in hits] for hits in answers] == [
        [FAVORITA],
        [FAVORITA],
        [],
        [PETROBRAS],
        ["Coca-Cola Consolidated, Inc.", "COKE BOTTLING TRUST"],
        [],
    ]
    assert not await index.engine.by_identifier([])


async def one_identifier_in_two_registers(index: ReleaseIndex) -> None:
    keys = [
        IdentifierKey(None, "lei", "5493000J801JZRCMFE49"),
        IdentifierKey("US", "lei", "5493000J801JZRCMFE49"),
        IdentifierKey(None, "link", "petrobras"),
    ]
    both, american, linked = await index.engine.by_identifier(keys)
    assert [legal_name(hit) for hit in both] == [PETROBRAS, PETROBRAS_US]
    assert [legal_name(hit) for hit in american] == [PETROBRAS_US]
    assert list(linked) == list(both)


async def lists_by_size(index: ReleaseIndex) -> None:
    scope = Scope("CO", (("financials:false",),))
    count, hits = await index.engine.among(scope, 0, 2)
    assert (count, legal_name(hits[0])) == (5, "ECOPETROL S.A.")
    everything = [hit.key for hit in (await index.engine.among(Scope("CO"), 0, LIMIT))[1]]
    pages = [hit.key for start in range(5) for hit in (await index.engine.among(Scope("CO"), start, 1))[1]]
    assert pages == everything
    assert everything[1:] == sorted(everything[1:]), "companies of one size come in build order"
    beyond, every = await index.engine.among(scope, 2**32, 9), await index.engine.among(scope, 0, 2**32)
    assert (beyond, len(every[1])) == ((5, []), 5), "what is skipped or wanted beyond the companies costs nothing"
    count, hits = await index.engine.among(Scope(None, (("activity:G47",),)), 0, 9)
    assert (count, [legal_name(hit) for hit in hits]) == (1, [FAVORITA])
    assert (await index.engine.among(Scope("AR", (("activity:G47",),)), 0, 9))[0] == 0


async def completes_among_the_companies_with_the_words(index: ReleaseIndex) -> None:
    assert list(await index.engine.complete("al", ["inmobiliaria"], LIMIT)) == ["alpes"]
    assert list(await index.engine.complete("p", ["hotel"], LIMIT)) == ["plaza"]
    assert list(await index.engine.complete("", ["alpes"], LIMIT)) == ["alpes", "inmobiliaria", "ii"], "commonest first"
    assert list(await index.engine.complete("", ["alpes"], 1)) == ["alpes"]
    assert not await index.engine.complete("p", ["xyzzyx"], LIMIT)
    assert not await index.engine.complete("p", ["hotel", "apple"], LIMIT)


async def every_company_stands_in_one_part(index: ReleaseIndex) -> None:
    starts = [key for _, key in index.tables.parts]
    parts = [
        [hit async for hits in index.engine.part(first, end) for hit in hits]
        for first, end in zip(starts, [*starts[1:], None], strict=True)
    ]
    keys = [hit.key for part in parts for hit in part]
    assert (len(keys), keys) == (index.tables.companies, sorted(set(keys)))
    for (country, first), part in zip(index.tables.parts, parts, strict=True):
        assert part[0].key == first
        assert {index.tables.texts[decode_company(hit.stored).country] for hit in part} == {country}


async def calls_at_once_are_answered_alike(index: ReleaseIndex) -> None:
    queries = [any_word("apple", "hotel", "petrobras")]
    answers = await asyncio.gather(*(index.engine.look_up(queries, EVERYWHERE, LIMIT, LIMIT) for _ in range(4)))
    assert all([list(hits) for hits in answer] == [list(hits) for hits in answers[0]] for answer in answers)
    assert index.tables.companies == 28


CONTRACT: tuple[Clause, ...] = (
    terms_match_their_field,
    companies_of_fewer_terms_come_first,
    companies_that_match_alike_come_in_build_order,
    all_of_sums_and_any_of_sums,
    all_words_may_leave_out_companies_of_a_known_key,
    optional_parts_only_add,
    the_best_word_counts,
    pairs_need_both_words,
    every_query_of_a_batch_is_answered,
    nothing_is_left_out_before_there_is_enough,
    at_most_the_limit,
    only_the_country,
    only_with_a_tag_of_each_group,
    scopes_do_not_change_the_order,
    texts_are_no_syntax,
    by_identifier_in_a_batch,
    one_identifier_in_two_registers,
    lists_by_size,
    completes_among_the_companies_with_the_words,
    every_company_stands_in_one_part,
    calls_at_once_are_answered_alike,
)
