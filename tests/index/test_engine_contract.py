"""What every engine owes, tried on the embedded one and on a small one in memory; faulty engines must not pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from itertools import pairwise

import pytest

from padron.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import document
from padron.index.document import (
    Document,
    Parts,
    Tables,
    TextTable,
    decode_company,
    decode_record,
    describe,
    numbered,
)
from padron.index.engine import Engine, Hit, Lookup
from padron.index.spelling import alike, name_terms
from padron.index.tags import Within

LIMIT = 50


class MemoryEngine:
    """Looks at every company."""

    def __init__(self, companies: Sequence[Company]) -> None:
        texts = TextTable()
        self._documents = [
            describe(company, REGISTRY[company.country], numbered(company, texts)) for company in companies
        ]
        parts = Parts()
        for key, found in enumerate(self._documents):
            parts.add(found.country, key)
        self.tables = Tables(0, len(companies), texts.texts(), {}, parts.found)

    async def part(self, number: int) -> AsyncIterator[Sequence[Hit]]:
        first, end = [*(key for _, key in self.tables.parts), len(self._documents)][number : number + 2]
        yield [Hit(key, self._documents[key].stored) for key in range(first, end)]

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        fits = [(self._fit(document, lookup), key) for key, document in enumerate(self._documents)]
        best = sorted((-fit, key) for fit, key in fits if fit)[:limit]
        return [Hit(key, self._documents[key].stored) for _, key in best]

    async def by_identifier(self, country: str | None, scheme: str, key: str, within: Within = ()) -> Sequence[Hit]:
        return [
            Hit(at, document.stored)
            for at, document in enumerate(self._documents)
            if f"{scheme}:{key}" in document.identifiers and self._inside(document, country, within)
        ]

    async def among(self, country: str | None, within: Within, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        fits = [at for at, document in enumerate(self._documents) if self._inside(document, country, within)]
        fits.sort(key=lambda at: -self._documents[at].size)
        return len(fits), [Hit(at, self._documents[at].stored) for at in fits[start : start + limit]]

    def _inside(self, document: Document, country: str | None, within: Within) -> bool:
        return country in {None, document.country} and not any(set(tags).isdisjoint(document.tags) for tags in within)

    def frequency(self, word: str) -> int:
        return sum(word in document.words for document in self._documents)

    def _fit(self, document: Document, lookup: Lookup) -> float:
        if not self._inside(document, lookup.country, lookup.within):
            return 0.0
        if any(name_terms(words) & document.keys for words in lookup.readings):
            return 9.0
        if lookup.exact:
            return 0.0
        words = lookup.readings[0]
        if len(words) == 1 and f"~{words[0]}" in document.keys:
            return 1.0
        needed = [word for word in words if word not in lookup.loose] or words
        had = [self._has(document, word, words) for word in words]
        return sum(had) / len(needed) if any(had) else 0.0

    def _has(self, document: Document, word: str, words: Sequence[str]) -> float:
        if word in document.words:
            return 1.0
        glued = {first + second for first, second in pairwise(words)} & document.words
        if any(word in whole for whole in glued) or alike(word, document.words, last=word == words[-1]):
            return 0.5
        parted = any(word[:at] in document.words and word[at:] in document.words for at in range(3, len(word) - 2))
        return 0.5 if parted else 0.0


def named(engine: Engine, *words: str, loose: str = "", country: str | None = None, limit: int = LIMIT) -> list[str]:
    """Legal names of the candidates for `words`."""
    hits = run(engine.candidates(Lookup((words,), frozenset(loose.split()), country), limit))
    return [legal_name(hit) for hit in hits]


def legal_name(hit: Hit) -> str:
    return decode_record(decode_company(hit.stored).record).legal_name


FAVORITA = "CORPORACION FAVORITA C.A."


def same_name_first(engine: Engine) -> None:
    assert named(engine, "apple")[0] == "Apple Inc."
    assert named(engine, "petrobras", limit=2)[0] in {
        "PETRÓLEO BRASILEIRO S.A. - PETROBRAS",
        "PETROBRAS - PETROLEO BRASILEIRO SA",
    }
    assert named(engine, "hotel", "plaza")[:2] == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]


def any_order(engine: Engine) -> None:
    assert named(engine, "favorita", "corporacion")[0] == FAVORITA


def parted_and_glued(engine: Engine) -> None:
    assert named(engine, "cocacola")[0] == "COCA COLA CO"
    assert named(engine, "eco", "petrol")[0] == "ECOPETROL S.A."
    assert "Coca-Cola Consolidated, Inc." in named(engine, "cocacola", "consolidated")
    assert "INMOBILIARIA LOS ALPES S.A." in named(engine, "inmo", "biliaria", "alpes")


def all_words(engine: Engine) -> None:
    assert "Apple Hospitality REIT, Inc." in named(engine, "apple", "reit")
    assert set(named(engine, "petrobras")) >= {"PETROBRAS QUÍMICA S.A. - PETROQUISA"}
    assert named(engine, "inmobiliaria", "alpes") == ["INMOBILIARIA LOS ALPES S.A.", "INMOBILIARIA LOS ALPES II S.A."]


def misspelt(engine: Engine) -> None:
    for word in ("favorta", "favoritta", "favoirta", "gavorita", "fabborita"):
        assert FAVORITA in named(engine, "corporacion", word)
    for word in ("ecopettrol", "ecoptrol", "excopetrool", "ekopetrol"):
        assert "ECOPETROL S.A." in named(engine, word)
    for word in ("hospitaliti", "hospitallty", "ospitalidy", "hosiptalitty"):
        assert "Apple Hospitality REIT, Inc." in named(engine, "apple", word)


def unfinished(engine: Engine) -> None:
    assert FAVORITA in named(engine, "corporacion", "favo")
    assert "CERVECERIA NACIONAL CN S.A." in named(engine, "cerve")


def other_words(engine: Engine) -> None:
    assert FAVORITA in named(engine, "corp", "favorita")
    assert "CERVECERIA NACIONAL CN S.A." in named(engine, "brewery", "nacional", "cn")


def loose_words(engine: Engine) -> None:
    assert FAVORITA in named(engine, "empresa", "corporacion", "favorita", loose="empresa")


def one_word_wrong(engine: Engine) -> None:
    assert FAVORITA in named(engine, "favorita", "xyzzyx")


def initials_of_a_name(engine: Engine) -> None:
    assert "TRANSPORTES SANCHEZ POLO S.A. EN REORGANIZACION" in named(engine, "tsp")


def tickers_and_former_names(engine: Engine) -> None:
    assert named(engine, "aapl")[0] == "Apple Inc."
    assert named(engine, "apple", "computer")[0] == "Apple Inc."
    assert named(engine, "supermercados", "favorita")[0] == FAVORITA


def only_the_country_asked(engine: Engine) -> None:
    assert named(engine, "hotel", "plaza", country="CO") == ["HOTEL PLAZA S.A.S."]
    assert named(engine, "petrobras", country="US") == ["PETROBRAS - PETROLEO BRASILEIRO SA"]
    assert named(engine, "apple", country="AR") == []


def at_most_the_limit_each_once(engine: Engine) -> None:
    hits = run(engine.candidates(Lookup((("inmobiliaria", "alpes"),)), LIMIT))
    assert len({hit.key for hit in hits}) == len(hits) >= 2
    assert len(run(engine.candidates(Lookup((("inmobiliaria", "alpes"),)), 1))) == 1


def nothing_like_it(engine: Engine) -> None:
    assert named(engine, "xyzzyxqq") == []


def words_of_query_languages_are_words(engine: Engine) -> None:
    for word in ("or", "and", "not", "to"):
        assert FAVORITA in named(engine, "favorita", word)


def by_number(engine: Engine) -> None:
    assert [legal_name(hit) for hit in run(engine.by_identifier("EC", "ec-ruc", "1790016919001"))] == [FAVORITA]
    assert [legal_name(hit) for hit in run(engine.by_identifier("EC", "ec-expediente", "384"))] == [FAVORITA]
    assert [legal_name(hit) for hit in run(engine.by_identifier("BR", "br-cnpj", "33000167"))] == [
        "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"
    ]
    assert [legal_name(hit) for hit in run(engine.by_identifier("US", "us-ein", "123456789"))] == [
        "Coca-Cola Consolidated, Inc.",
        "COKE BOTTLING TRUST",
    ]
    assert run(engine.by_identifier("EC", "ec-ruc", "1790016919002")) == []


def one_number_in_two_registers(engine: Engine) -> None:
    both = run(engine.by_identifier(None, "lei", "5493000J801JZRCMFE49"))
    assert [engine.tables.texts[decode_company(hit.stored).country] for hit in both] == ["BR", "US"]
    assert len(run(engine.by_identifier("US", "lei", "5493000J801JZRCMFE49"))) == 1
    assert [hit.key for hit in run(engine.by_identifier(None, "link", "petrobras"))] == [hit.key for hit in both]


def the_very_name_only(engine: Engine) -> None:
    hits = run(engine.candidates(Lookup((("hotel", "plaza"),), exact=True), LIMIT))
    assert [legal_name(hit) for hit in hits] == ["HOTEL PLAZA S.A.", "HOTEL PLAZA S.A.S."]
    assert run(engine.candidates(Lookup((("hotel", "plasa"),), exact=True), LIMIT)) == []
    assert run(engine.candidates(Lookup((("hotel",),), exact=True), LIMIT)) == []


def only_with_the_tags(engine: Engine) -> None:
    active = (("status:active", "status:suspended"), ("city:quito",))
    hits = run(engine.candidates(Lookup((("corporacion", "favorita"),), within=active), LIMIT))
    assert [legal_name(hit) for hit in hits] == [FAVORITA]
    assert run(engine.candidates(Lookup((("corporacion", "favorita"),), within=(("status:dissolved",),)), LIMIT)) == []
    assert run(engine.by_identifier("EC", "ec-ruc", "1790016919001", (("financials:false",),))) == []
    assert len(run(engine.by_identifier("EC", "ec-ruc", "1790016919001", (("financials:true",),)))) == 1


def lists_by_size(engine: Engine) -> None:
    count, hits = run(engine.among("CO", (("financials:false",),), 0, 2))
    assert count == 5
    assert legal_name(hits[0]) == "ECOPETROL S.A."
    everything = [hit.key for hit in run(engine.among("CO", (), 0, LIMIT))[1]]
    assert [hit.key for start in range(5) for hit in run(engine.among("CO", (), start, 1))[1]] == everything
    assert [legal_name(hit) for hit in run(engine.among(None, (("activity:G47",),), 0, 9))[1]] == [FAVORITA]
    assert run(engine.among("AR", (("activity:G47",),), 0, 9)) == (0, [])


def companies_are_counted_not_names(engine: Engine) -> None:
    assert engine.frequency("apple") == 2
    assert engine.frequency("xyzzyx") == 0


async def part_of(engine: Engine, number: int) -> list[Hit]:
    return [hit async for hits in engine.part(number) for hit in hits]


def every_company_stands_in_one_part(engine: Engine) -> None:
    parts = [run(part_of(engine, number)) for number in range(len(engine.tables.parts))]
    keys = [hit.key for part in parts for hit in part]
    assert (len(keys), keys) == (engine.tables.companies, sorted(set(keys)))
    for (country, first), part in zip(engine.tables.parts, parts, strict=True):
        assert part[0].key == first
        assert {engine.tables.texts[decode_company(hit.stored).country] for hit in part} == {country}


def the_same_again(engine: Engine) -> None:
    assert named(engine, "apple", "hospitaliti") == named(engine, "apple", "hospitaliti")
    assert engine.tables.companies == 28


CONTRACT = (
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
    by_number,
    one_number_in_two_registers,
    the_very_name_only,
    only_with_the_tags,
    lists_by_size,
    companies_are_counted_not_names,
    every_company_stands_in_one_part,
    the_same_again,
)


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_the_embedded_engine_keeps_the_contract(engine: Engine, clause: Callable[[Engine], None]) -> None:
    clause(engine)


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_an_engine_in_memory_keeps_the_contract(
    companies: tuple[Company, ...], clause: Callable[[Engine], None]
) -> None:
    clause(MemoryEngine(companies))


class Borderless(MemoryEngine):
    """Forgets the country asked for."""

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        return await super().candidates(lookup._replace(country=None), limit)


class Lax(MemoryEngine):
    """Forgets the tags asked for."""

    def _inside(self, document: Document, country: str | None, within: Within) -> bool:
        return super()._inside(document, country, ())


class Literal(MemoryEngine):
    """Takes every word at its letter."""

    def _has(self, document: Document, word: str, words: Sequence[str]) -> float:
        return float(word in document.words)


class Forgetful(MemoryEngine):
    """Leaves out the last company of a part."""

    async def part(self, number: int) -> AsyncIterator[Sequence[Hit]]:
        async for hits in super().part(number):
            yield hits[:-1]


def test_a_part_is_full_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 2)
    parts = Parts()
    for key, country in enumerate(["AR", "BR", "BR", "BR", "BR", "BR", "CO"]):
        parts.add(country, key)
    assert parts.found == [("AR", 0), ("BR", 1), ("BR", 3), ("BR", 5), ("CO", 6)]


@pytest.mark.parametrize(
    ("faulty", "broken"),
    [
        (Borderless, [only_the_country_asked]),
        (Lax, [only_with_the_tags, lists_by_size]),
        (Literal, [misspelt, unfinished]),
        (Forgetful, [every_company_stands_in_one_part]),
    ],
)
def test_a_faulty_engine_breaks_the_contract(
    companies: tuple[Company, ...], faulty: type[MemoryEngine], broken: list[Callable[[Engine], None]]
) -> None:
    engine = faulty(companies)
    failed = []
    for clause in CONTRACT:
        try:
            clause(engine)
        except AssertionError:
            failed.append(clause)
    assert failed == broken
