"""Retrieval: the candidates of a name, by a cascade of look-ups from the strictest to the loosest.

    1  the same name, in any order of its words or in one piece · all of its words
    2  initials · the words or what they may stand for · the name but for one word
    3  the same where also rare words are doubted · any of the rare words

Where stage 1 is not enough, the names inside a text of three words or more (`spans`) come before those of the others.

A stage is one call of the engine, and is only reached where those before gave too little. What a word may stand for is
decided here, by `spelling` and the vocabulary of the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise
from operator import attrgetter
from typing import Final, NamedTuple
from weakref import proxy

from padron.index import spelling
from padron.index.engine import AllOf, AllWords, AnyKey, AnyOf, BestOf, Hit, Query, Scope
from padron.index.release_index import ReleaseIndex
from padron.index.spans import SpanFinder, is_symbol
from padron.index.tags import Within
from padron.index.vocabulary import COMPLETIONS
from padron.text import FormTable, word_cache

_key: Final = attrgetter("key")

_ENOUGH: Final = 8
"""Candidates with which no looser query is tried."""
_RARE: Final = 2_000
"""Companies of a rare word: ranking so many namesakes is what a union of rare words costs at most."""
_DOUBTED: Final = 12
"""Companies up to which an existing word is taken for a possible misspelling."""
_FEWEST_WORDS: Final = 3
"""Words of a text that may have others around a name: of two words, stage 2 leaves out each."""
_MOST_WORDS: Final = 12
"""Words of a query that are looked up: the rarest."""
_MOST_WORDS_LESS_ONE: Final = 8
"""Words of a query of which any one may be left out: each costs two keys."""
_CACHED: Final = 1 << 13
"""Words whose variants are kept: queries share most of their words."""
_TELLING: Final = 50_000
"""Companies of a word up to which it tells how the next one goes on: to count among more takes milliseconds."""
_LARGE: Final = (1_000_000, 10_000_000)
"""Companies from which on a beginning needs one letter more: counting each word that has it costs 0.35 µs."""


class Lookup(NamedTuple):
    """A name to retrieve candidates for.

    `readings` are the folded words of the name, without connectives: one reading for each way of telling the legal
    form from the name, the shortest first. `letters` are the names in one piece, connectives among them. Words in
    `loose` may be absent from the company's names: a country, a city, `empresa`. `within`: of each of these groups of
    `tags` a company must have one. `exact`: only companies of the very name, in any of its readings. `text`: the text
    that the name was read from, with the names inside it; none are looked for where it is empty.
    """

    readings: tuple[tuple[str, ...], ...]
    loose: frozenset[str] = frozenset()
    country: str | None = None
    letters: frozenset[str] = frozenset()
    within: Within = ()
    exact: bool = False
    text: str = ""


class _Alternatives(NamedTuple):
    """A word of the name with everything it may stand for, and how many companies that brings at most."""

    query: BestOf
    companies: int


class _Variants(NamedTuple):
    """Words that a word may stand for whatever stands beside it, with weights; pairs of words, and their companies."""

    terms: dict[str, float]
    halves: Sequence[tuple[str, str]]
    companies: int


class _Name(NamedTuple):
    """The words of a name that are looked up, those that a company must have, and the completions of the last one."""

    words: Sequence[str]
    needed: Sequence[str]
    completions: Sequence[str]


class _Candidates(dict[int, Hit]):
    """The companies found so far, by key, in the order in which they were found."""

    def add(self, answers: Iterable[Sequence[Hit]], enough: int) -> None:
        """Add the hits of each answer, up to the one with which there are `enough`."""
        for hits in answers:
            if len(self) >= enough:
                return
            self.update({hit.key: hit for hit in hits})


class Retrieval:
    """Retrieves candidates from one release. `forms`: the legal forms of all countries."""

    def __init__(self, index: ReleaseIndex, forms: FormTable) -> None:
        companies = index.tables.companies
        self._spans = SpanFinder(index, forms)
        self._engine = index.engine
        self._vocabulary = index.vocabulary
        self._frequency = index.vocabulary.frequency
        self._variants = word_cache(_CACHED)(partial(Retrieval._find_variants, proxy(self)))
        self._shortest_beginning = 2 + sum(companies > size for size in _LARGE)

    async def candidates(self, lookup: Lookup, limit: int) -> Sequence[Hit]:
        """Return at most `limit` companies, the likeliest first, each once."""
        scope = Scope(lookup.country, lookup.within)
        words = spelling.rarest(lookup.readings[0], _MOST_WORDS, self._frequency)
        candidates = _Candidates()
        if not await self._same_name(candidates, lookup, words, scope, limit):
            similar = _Candidates(candidates)
            await self._similar_name(similar, lookup, words, scope, limit)
            if lookup.text and len(lookup.readings[-1]) >= _FEWEST_WORDS:
                candidates.add([span.hits for span in await self._spans.find(lookup.text, scope)], limit)
            candidates.add([list(similar.values())], limit)
        return list(islice(candidates.values(), limit))

    async def begin(self, lookup: Lookup, limit: int) -> None:
        """Look up what `candidates` looks up whatever is found, and how the last word goes on: a cheap dry run."""
        words = spelling.rarest(lookup.readings[0], _MOST_WORDS, self._frequency)
        await self._same_name(_Candidates(), lookup, words, Scope(lookup.country, lookup.within), limit)
        await self._completions(words)

    async def _same_name(
        self, candidates: _Candidates, lookup: Lookup, words: Sequence[str], scope: Scope, limit: int
    ) -> bool:
        """Look up the name as it is; return whether that is enough."""
        queries: list[Query] = [AnyKey(sorted(lookup.letters.union(*map(spelling.name_terms, lookup.readings))))]
        if not lookup.exact and (rarest := min(map(self._frequency, words), default=0)):
            known_key = spelling.words_key(lookup.readings[0]) if len(words) > 1 else None
            queries.append(AllWords(words, known_key, rarest))
        answers = await self._engine.look_up(queries, scope, limit, limit)
        candidates.add(answers, limit)
        named = not all(is_symbol(hit, words) for hit in answers[0])
        return lookup.exact or named or len(candidates) >= _ENOUGH

    async def _similar_name(
        self, candidates: _Candidates, lookup: Lookup, words: Sequence[str], scope: Scope, limit: int
    ) -> None:
        """Look up what the words may stand for, and the name but for one word."""
        needed = [word for word in words if word not in lookup.loose] or words
        name = _Name(words, needed, await self._completions(words))
        groups = {word: self._alternatives(word, name, 0) for word in words}
        queries: list[Query] = [AnyKey([f"~{words[0]}"])] if len(words) == 1 else []
        queries += self._guess(groups, name)
        less_one = 1 < len(words) <= _MOST_WORDS_LESS_ONE
        if less_one:
            queries.append(AnyKey(sorted(spelling.less_one(words))))
        answers = list(await self._engine.look_up(queries, scope, limit, limit))
        without_one = [answers.pop()] if less_one else []
        candidates.add(answers, limit)
        looser = await self._looser(candidates, groups, name, scope, limit, bool(without_one and without_one[0]))
        candidates.add(without_one, limit)
        candidates.add(looser, limit)

    async def _looser(
        self,
        candidates: _Candidates,
        groups: dict[str, _Alternatives],
        name: _Name,
        scope: Scope,
        limit: int,
        without_one: bool,
    ) -> Sequence[Sequence[Hit]]:
        """Look up the name where rare words are doubted too; return the hits of any of its rare words.

        The latter only where nothing else is found.
        """
        queries: list[Query] = []
        if len(candidates) < (_ENOUGH if len(name.needed) == 1 else 1):
            doubted = [word for word in name.words if 0 < self._frequency(word) <= _DOUBTED]
            if doubted:
                groups |= {word: self._alternatives(word, name, _DOUBTED) for word in doubted}
                queries += self._guess(groups, name)
        guesses = len(queries)
        nothing = not candidates
        if nothing:
            queries += _relaxed(groups.values(), repeatedly=not without_one)
        if not queries:
            return ()
        answers = await self._engine.look_up(queries, scope, limit, 1 if nothing else limit)
        candidates.add(answers[:guesses], limit)
        return () if candidates else [next(filter(None, answers[guesses:]), ())]

    def _guess(self, groups: Mapping[str, _Alternatives], name: _Name) -> list[AllOf]:
        """Return the query for companies with all the words that are needed, or what they may stand for."""
        if not name.needed or not all(groups[word].companies for word in name.needed):
            return []
        optional = [groups[word].query for word in name.words if word not in name.needed]
        return [AllOf([groups[word].query for word in name.needed], optional)]

    async def _completions(self, words: Sequence[str]) -> Sequence[str]:
        """Return the commonest words that begin with the last of `words`, among companies with those before it."""
        if not words or len(words[-1]) < self._shortest_beginning:
            return ()
        *before, last = words
        commonest = self._vocabulary.completions(last)
        rarest = min(map(self._frequency, before), default=_TELLING + 1)
        if rarest > _TELLING or commonest in ([], [last]):
            return commonest
        return await self._engine.complete(last, before, COMPLETIONS) if rarest else ()

    def _alternatives(self, word: str, name: _Name, doubted: int) -> _Alternatives:
        """Return what `word` may stand for: a variant of it, a beginning, a part of what the register writes."""
        frequency, words = self._frequency, name.words
        at = words.index(word)
        variants = self._variants(word, doubted)
        glued = [both for pair in pairwise(words[max(0, at - 1) : at + 2]) for both in spelling.glued(*pair)]
        terms = dict.fromkeys(filter(frequency, glued), 0.75) | variants.terms
        if at == len(words) - 1:
            terms |= dict.fromkeys([longer for longer in name.completions if longer != word], 0.75)
        elif not frequency(word) and len(word) >= self._shortest_beginning:
            terms |= dict.fromkeys(self._vocabulary.completions(word), 0.5)
        companies = sum(map(frequency, terms)) + variants.companies
        return _Alternatives(BestOf(terms, variants.halves, companies), companies)

    def _find_variants(self, word: str, doubted: int) -> _Variants:
        """Return the word itself, equivalent words, words that it sounds like, and the two words that it may join.

        Also the words that it misspells, unless more than `doubted` companies have it.
        """
        frequency = self._frequency
        terms = dict.fromkeys(filter(frequency, spelling.equivalents(word)), 0.5)
        near = {other: 1 - 0.25 * cost for other, cost in self._vocabulary.near(word, frequency(word) <= doubted)}
        terms |= near | ({word: 1.0} if frequency(word) else {})
        halves = spelling.halves(word, doubted, frequency)
        return _Variants(terms, [(first, second) for first, second, _ in halves], sum([count for *_, count in halves]))


def _relaxed(groups: Iterable[_Alternatives], *, repeatedly: bool) -> list[AllOf]:
    """Return the queries for companies with any of the rare words, those with more of the others first.

    Without rare words, and `repeatedly`: for all but the commonest word, then all but the two commonest, and so on.
    """
    groups = sorted(groups, key=lambda group: group.companies)
    rare = [group.query for group in groups if 0 < group.companies <= _RARE]
    common = [group.query for group in groups if group.companies > _RARE]
    if rare:
        return [AllOf([AnyOf(rare)], common)]
    return [AllOf(common[:most]) for most in range(len(common) - 1, 0, -1)] if repeatedly else []
