"""Count of the companies that a query can mean, in one pass over a population and in memory for the queries only.

A company carries a query best with that very name; else with one of the same letters but for `y cia` behind it; else
with one of the same words in another order, or that has them side by side; else with one that contains all that tell,
also abbreviated or translated; else with one that is a typo away. Companies that carry it best share it: one is the
company asked for, several make it ambiguous, none makes it absent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import OSA

from evaluation.names import meaning, representative
from evaluation.population import Invented, Words
from evaluation.queries import Query
from evaluation.vocabulary import JOINERS, KIND_WORDS

Key = tuple[str, str]

WHOLE, SAME, HOLDING, CONTAINING, NEAR = range(5)
_PARTNERS = frozenset({"cia", "co", "companhia", "compania", "company"})
_NUMERALS = {"ii": "2", "iii": "3", "iv": "4"}
_SHORTEST = 4
"""Letters of a query that a name can be one typo away from."""


class Asked(NamedTuple):
    """A query with its words, and the company that it was made from, if it is one of the population."""

    query: Query
    words: Words
    source: Key | None
    near: bool


def telling(words: Words) -> frozenset[str]:
    """Return the words that a name must contain to carry a query, in one spelling."""
    kept = meaning(words)
    return frozenset(map(representative, tuple(word for word in kept if word not in KIND_WORDS) or kept))


class Carriers:
    """Counts the companies that carry each query."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._asked = asked
        self._names = [_kept(some.words) for some in asked]
        self._best: list[tuple[set[Key], ...]] = [tuple(set() for _ in range(NEAR + 1)) for _ in asked]
        self._same: dict[str, list[int]] = defaultdict(list)
        self._containing: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._near: dict[str, list[tuple[int, str]]] = defaultdict(list)
        bearers = Counter(word for name in self._names for word in telling(name))
        for at, (some, name) in enumerate(zip(asked, self._names, strict=True)):
            letters, words = "".join(name), telling(name)
            self._same[letters].append(at)
            self._containing[min(words, key=lambda word: (bearers[word], -len(word), word))].append((at, words))
            if some.near and len(letters) >= _SHORTEST:
                for beginning in _less_one(letters):
                    self._near[beginning].append((at, letters))

    def counted(self, companies: Iterable[Invented]) -> Iterator[Invented]:
        """Yield the companies, and count which queries they carry."""
        for company in companies:
            for words in company.names:
                self._count(company.key, words)
            yield company

    def _count(self, company: Key, words: Words) -> None:
        name = _kept(words)
        letters, held = "".join(name), set(map(representative, name))
        for at in self._same.get(letters, ()):
            self._add(WHOLE if words == self._asked[at].words else SAME, at, company)
        for word in held:
            for at, needed in self._containing.get(word, ()):
                if needed <= held:
                    self._add(HOLDING if _holds(name, self._names[at]) else CONTAINING, at, company)
        for beginning in _less_one(letters):
            for at, asked in self._near.get(beginning, ()):
                if OSA.distance(asked, letters) <= 1:
                    self._add(NEAR, at, company)

    def _add(self, level: int, at: int, company: Key) -> None:
        """Keep two carriers, of whatever number, and the company that the query was made from."""
        query, _, source, _ = self._asked[at]
        carriers = self._best[at][level]
        if query.filter in {None, company[0]} and (len(carriers) < 2 or company == source):
            carriers.add(company)

    def truths(self) -> list[Query]:
        """Return each query with its truth in the companies counted: `expected` has two companies where more share it.

        Of several companies, the one it was made from is meant.
        """
        return [self._truth(at, some) for at, some in enumerate(self._asked)]

    def _truth(self, at: int, some: Asked) -> Query:
        best = next(filter(None, self._best[at]), set[Key]())
        meant = best if len(best) == 1 else {some.source} & best
        return some.query._replace(
            meant=tuple(sorted(key for key in meant if key)), expected=tuple(sorted(best)), unique=len(best) == 1
        )


def _kept(words: Words) -> Words:
    """Return a name with its numbers as digits, and without `y cia` at its end."""
    partners = len(words) > 2 and words[-2] in JOINERS and words[-1] in _PARTNERS
    return tuple(_NUMERALS.get(word, word) for word in (words[:-2] if partners else words))


def _holds(name: Words, words: Words) -> bool:
    """Return whether a name has `words` side by side, or has them in another order and no others."""
    return f" {' '.join(words)} " in f" {' '.join(name)} " or sorted(meaning(words)) == sorted(meaning(name))


def _less_one(letters: str) -> set[str]:
    """Return a text and what is left of it without any one letter: texts one typo apart share one of these."""
    return {letters, *(letters[:at] + letters[at + 1 :] for at in range(len(letters)))}
