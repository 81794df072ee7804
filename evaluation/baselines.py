"""Simple rankers on the same queries: a lower bound for good match quality, and a proof that the set is not too easy.

Each ranks again the fifty companies that are nearest by trigram similarity, and its score counts as its confidence.

    python -m evaluation.run --data var --baselines
"""

from __future__ import annotations

import re
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, product
from random import Random
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

from evaluation.names import plain, read
from evaluation.queries import Query, is_identifier
from evaluation.records import Company
from evaluation.score import Answer, Answers, Figures, Result, figures
from evaluation.vocabulary import COUNTRIES

CANDIDATES = 50
"""Candidates of a query: as many as the service ranks."""
SAMPLE = 1500
"""Queries: PostgreSQL takes minutes for as many."""
EASY_RECALL, EASY_PRECISION = 0.40, 0.985
"""A set on which trigrams reach this recall, or token_sort this precision, measures nothing."""
_WORD = re.compile(r"[^\W_]+")


class Candidate(NamedTuple):
    """A name of a company and its trigram similarity to the query."""

    company: Company
    name: str
    similarity: float


class Ranker(NamedTuple):
    """A named function that scores a candidate for a query."""

    name: str
    score: Callable[[str, Candidate], float]


class Row(NamedTuple):
    """The figures of a ranker, and its microseconds per pair of names; None where they are not measured."""

    ranker: str
    figures: Figures
    microseconds: float | None


def trigrams(text: str) -> frozenset[str]:
    """Return the distinct trigrams of `text` as pg_trgm (PostgreSQL 16) makes them, accents removed.

    Each word, a run of letters and digits in lower case, is padded with two blanks before and one behind.
    """
    words = (f"  {word.lower()} " for word in _WORD.findall(plain(text)))
    return frozenset(word[at : at + 3] for word in words for at in range(len(word) - 2))


def similarity(name: str, other: str) -> float:
    """Return pg_trgm's `similarity`: shared trigrams over all trigrams of both."""
    first, second = trigrams(name), trigrams(other)
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


class Trigrams:
    """An inverted index of the trigrams of every name of the companies."""

    def __init__(self, companies: Sequence[Company]) -> None:
        self._names: list[tuple[Company, str]] = []
        self._sizes: list[int] = []
        self._postings: dict[tuple[str, str], array[int]] = defaultdict(lambda: array("I"))
        for company in companies:
            for name in dict.fromkeys((company.legal_name, *(name for _, name in company.names))):
                grams = trigrams(name)
                for gram in grams:
                    self._postings[company.country, gram].append(len(self._names))
                self._names.append((company, name))
                self._sizes.append(len(grams))

    def nearest(self, text: str, country: str | None, most: int = CANDIDATES) -> list[Candidate]:
        """Return the `most` companies nearest to `text`, each by its nearest name, nearest first.

        The result is exact: a name that shares n trigrams has at most the similarity n / (trigrams of the text), so
        names that share too few for the similarity already reached are skipped.
        """
        asked = trigrams(text)
        keys = product((country,) if country else COUNTRIES, asked)
        shared = Counter(chain.from_iterable(self._postings.get(key, ()) for key in keys))
        likely = self._best((name for name, _ in shared.most_common(3 * most)), shared, len(asked), most)
        least = likely[-1].similarity * len(asked) if len(likely) == most else 0
        return self._best((name for name, count in shared.items() if count >= least), shared, len(asked), most)

    def _best(self, names: Iterable[int], shared: Mapping[int, int], asked: int, most: int) -> list[Candidate]:
        best: dict[tuple[str, str], Candidate] = {}
        for name in names:
            company, text = self._names[name]
            near = shared[name] / (asked + self._sizes[name] - shared[name])
            if company.key not in best or near > best[company.key].similarity:
                best[company.key] = Candidate(company, text, near)
        return sorted(best.values(), key=lambda candidate: (-candidate.similarity, candidate.company.key))[:most]


@cache
def _stripped(name: str, country: str) -> str:
    """Return a name folded, without its legal form."""
    return " ".join(read(name, country).words)


def _on_stripped(compare: Callable[[str, str], float], scale: float) -> Callable[[str, Candidate], float]:
    def score(query: str, candidate: Candidate) -> float:
        country = candidate.company.country
        return compare(_stripped(query, country), _stripped(candidate.name, country)) / scale

    return score


RANKERS = (
    Ranker("trigram similarity (as pg_trgm)", lambda _, candidate: candidate.similarity),
    Ranker("RapidFuzz token_sort, legal form stripped", _on_stripped(fuzz.token_sort_ratio, 100)),
    Ranker("RapidFuzz token_set, legal form stripped", _on_stripped(fuzz.token_set_ratio, 100)),
    Ranker("Jaro-Winkler, legal form stripped", _on_stripped(JaroWinkler.similarity, 1)),
)


def sample(queries: Sequence[Query], size: int = SAMPLE) -> list[Query]:
    """Return a seeded sample of the name queries."""
    names = [query for query in queries if not is_identifier(query.kind)]
    return Random("peers").sample(names, min(size, len(names)))


def rank(ranker: Ranker, queries: Sequence[Query], candidates: Mapping[str, Sequence[Candidate]]) -> Row:
    """Return the figures of `ranker`; candidates of equal score keep their order."""
    answers: dict[str, Answer] = {}
    pairs = sum(ranker.score(query.q, candidate) >= 0 for query in queries for candidate in candidates[query.id])
    began = time.perf_counter()  # the names are parsed and cached by now
    for query in queries:
        scored = [(round(ranker.score(query.q, candidate), 4), candidate.company) for candidate in candidates[query.id]]
        scored.sort(key=lambda pair: -pair[0])
        answers[query.id] = Answer(tuple(Result(*company.key, score) for score, company in scored[:8]))
    spent = time.perf_counter() - began
    return Row(ranker.name, figures(queries, answers), spent / pairs * 1e6 if pairs else None)


def compare(queries: Sequence[Query], companies: Sequence[Company], own: Answers) -> list[Row]:
    """Return the figures of the service, whose answers are `own`, and of every ranker on the same queries."""
    index = Trigrams(companies)
    candidates = {query.id: index.nearest(query.q, query.filter) for query in queries}
    return [Row("Padrón", figures(queries, own), None), *(rank(ranker, queries, candidates) for ranker in RANKERS)]


def too_easy(rows: Sequence[Row]) -> list[str]:
    """Return the signs that the set is too easy."""
    known = {row.ranker: row.figures for row in rows}
    recall, precision = known[RANKERS[0].name].recall, known[RANKERS[1].name].precision
    faults = []
    if recall is not None and recall > EASY_RECALL:
        faults.append(f"trigram's recall at 0.85 is {recall:.3f}, above {EASY_RECALL}")
    if precision is not None and precision > EASY_PRECISION:
        faults.append(f"token_sort's precision at 0.85 is {precision:.3f}, above {EASY_PRECISION}")
    return faults


def table(rows: Sequence[Row]) -> str:
    """Format the rows as a Markdown table."""
    head = "| ranker | recall@1 | recall@8 | precision at 0.85 | recall at 0.85 | absent matched | calibration error |"
    lines = [head, "| --- | --- | --- | --- | --- | --- | --- |"]
    for ranker, some, _ in rows:
        shares = (some.recall_1, some.recall_8, some.precision, some.recall)
        row = " | ".join("–" if share is None else f"{share:.3f}" for share in shares)
        error = "–" if some.error is None else f"{some.error:.3f}"
        lines.append(f"| {ranker} | {row} | {some.absent_matched} of {some.absent} | {error} |")
    return "\n".join(lines)
