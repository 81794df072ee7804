"""Retrieval finds what people may have meant, whatever the engine: tried over the embedded one and one in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import getrefcount

import pytest

from memory_engine import MEMORY
from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import release_index
from padron.index.document import decode_company, decode_record
from padron.index.engine import Hit
from padron.index.release_index import ReleaseIndex
from padron.index.retrieval import Lookup, Retrieval
from padron.index.spelling import equivalents, glued, sounds
from padron.index.tags import stem
from padron.matching.trades import describes
from padron.text import FormTable, fold
from padron.web.plain import plain

LIMIT = 50


@pytest.fixture(scope="module")
def in_memory(companies: tuple[Company, ...], tmp_path_factory: pytest.TempPathFactory) -> ReleaseIndex:
    folder = tmp_path_factory.mktemp("memory") / "index"
    release_index.build(companies, folder, REGISTRY, MEMORY)
    return run(release_index.open_index(folder, MEMORY))


def named(
    retrieval: Retrieval, *words: str, loose: str = "", country: str | None = None, limit: int = LIMIT
) -> list[str]:
    """Legal names of the candidates for `words`."""
    hits = run(retrieval.candidates(Lookup((words,), frozenset(loose.split()), country), limit))
    return [legal_name(hit) for hit in hits]


def legal_name(hit: Hit) -> str:
    return decode_record(decode_company(hit.stored).record).legal_name


FAVORITA = "CORPORACION FAVORITA C.A."


def same_name_first(retrieval: Retrieval) -> None:
    assert named(retrieval, "apple")[0] == "Apple Inc."
    assert named(retrieval, "petrobras", limit=2)[0] in {
        "PETRÓLEO BRASILEIRO S.A. - PETROBRAS",
        "PETROBRAS - PETROLEO BRASILEIRO SA",
    }
    assert named(retrieval, "hotel", "plaza")[:2] == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]


def any_order(retrieval: Retrieval) -> None:
    assert named(retrieval, "favorita", "corporacion")[0] == FAVORITA


def parted_and_glued(retrieval: Retrieval) -> None:
    assert named(retrieval, "cocacola")[0] == "COCA COLA CO"
    assert named(retrieval, "eco", "petrol")[0] == "ECOPETROL S.A."
    assert "Coca-Cola Consolidated, Inc." in named(retrieval, "cocacola", "consolidated")
    assert "INMOBILIARIA LOS ALPES S.A." in named(retrieval, "inmo", "biliaria", "alpes")


def all_words(retrieval: Retrieval) -> None:
    assert "Apple Hospitality REIT, Inc." in named(retrieval, "apple", "reit")
    assert set(named(retrieval, "petrobras")) >= {"PETROBRAS QUÍMICA S.A. - PETROQUISA"}
    assert named(retrieval, "inmobiliaria", "alpes") == [
        "INMOBILIARIA LOS ALPES S.A.",
        "INMOBILIARIA LOS ALPES II S.A.",
    ]


def misspelt(retrieval: Retrieval) -> None:
    for word in ("favorta", "favoritta", "favoirta", "gavorita", "fabborita"):
        assert FAVORITA in named(retrieval, "corporacion", word)
    for word in ("ecopettrol", "ecoptrol", "excopetrool", "ekopetrol"):
        assert "ECOPETROL S.A." in named(retrieval, word)
    for word in ("hospitaliti", "hospitallty", "ospitalidy", "hosiptalitty"):
        assert "Apple Hospitality REIT, Inc." in named(retrieval, "apple", word)


def unfinished(retrieval: Retrieval) -> None:
    assert FAVORITA in named(retrieval, "corporacion", "favo")
    assert "CERVECERIA NACIONAL CN S.A." in named(retrieval, "cerve")


def other_words(retrieval: Retrieval) -> None:
    assert FAVORITA in named(retrieval, "corp", "favorita")
    assert "CERVECERIA NACIONAL CN S.A." in named(retrieval, "brewery", "nacional", "cn")


def loose_words(retrieval: Retrieval) -> None:
    assert FAVORITA in named(retrieval, "empresa", "corporacion", "favorita", loose="empresa")


def one_word_wrong(retrieval: Retrieval) -> None:
    assert FAVORITA in named(retrieval, "favorita", "xyzzyx")


def initials_of_a_name(retrieval: Retrieval) -> None:
    assert "TRANSPORTES SANCHEZ POLO S.A. EN REORGANIZACION" in named(retrieval, "tsp")


def tickers_and_former_names(retrieval: Retrieval) -> None:
    assert named(retrieval, "aapl")[0] == "Apple Inc."
    assert named(retrieval, "apple", "computer")[0] == "Apple Inc."
    assert named(retrieval, "supermercados", "favorita")[0] == FAVORITA


def only_the_country_asked(retrieval: Retrieval) -> None:
    assert named(retrieval, "hotel", "plaza", country="CO") == ["HOTEL PLAZA S.A.S."]
    assert named(retrieval, "petrobras", country="US") == ["PETROBRAS - PETROLEO BRASILEIRO SA"]
    assert named(retrieval, "apple", country="AR") == []


def at_most_the_limit_each_once(retrieval: Retrieval) -> None:
    hits = run(retrieval.candidates(Lookup((("inmobiliaria", "alpes"),)), LIMIT))
    assert len({hit.key for hit in hits}) == len(hits) >= 2
    assert len(run(retrieval.candidates(Lookup((("inmobiliaria", "alpes"),)), 1))) == 1


def nothing_like_it(retrieval: Retrieval) -> None:
    assert named(retrieval, "xyzzyxqq") == []


def words_of_query_languages_are_words(retrieval: Retrieval) -> None:
    for word in ("or", "and", "not", "to"):
        assert FAVORITA in named(retrieval, "favorita", word)


def the_very_name_only(retrieval: Retrieval) -> None:
    hits = run(retrieval.candidates(Lookup((("hotel", "plaza"),), exact=True), LIMIT))
    assert [legal_name(hit) for hit in hits] == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]
    assert run(retrieval.candidates(Lookup((("hotel", "plasa"),), exact=True), LIMIT)) == []
    assert run(retrieval.candidates(Lookup((("hotel",),), exact=True), LIMIT)) == []


def only_with_the_tags(retrieval: Retrieval) -> None:
    active = (("status:active", "status:suspended"), ("city:quito",))
    hits = run(retrieval.candidates(Lookup((("corporacion", "favorita"),), within=active), LIMIT))
    assert [legal_name(hit) for hit in hits] == [FAVORITA]
    assert (
        run(retrieval.candidates(Lookup((("corporacion", "favorita"),), within=(("status:dissolved",),)), LIMIT)) == []
    )


CLAUSES = (
    same_name_first,
    any_order,
    parted_and_glued,
    all_words,
    misspelt,
    unfinished,
    other_words,
    loose_words,
    one_word_wrong,
    initials_of_a_name,
    tickers_and_former_names,
    only_the_country_asked,
    at_most_the_limit_each_once,
    nothing_like_it,
    words_of_query_languages_are_words,
    the_very_name_only,
    only_with_the_tags,
)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_over_the_embedded_engine(opened: ReleaseIndex, clause: Callable[[Retrieval], None]) -> None:
    clause(Retrieval(opened, FormTable({})))


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_over_an_engine_in_memory(in_memory: ReleaseIndex, clause: Callable[[Retrieval], None]) -> None:
    clause(Retrieval(in_memory, FormTable({})))


def test_no_word_of_any_length_is_kept(opened: ReleaseIndex) -> None:
    """Words are what clients send: a cache of so many results of long ones would fill the memory."""
    vocabulary, retrieval = opened.vocabulary, Retrieval(opened, FormTable({}))
    near, variants = lambda word: vocabulary.near(word, True), lambda word: retrieval._variants(word, 0)
    for look_up in (
        fold,
        stem,
        describes,
        sounds,
        equivalents,
        partial(glued, second="sa"),
        plain,
        vocabulary.frequency,
        near,
        variants,
    ):
        word = "\xf1" * 2_000
        before = getrefcount(word)
        look_up(word)
        assert getrefcount(word) == before, look_up
