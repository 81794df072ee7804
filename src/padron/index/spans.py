"""Names inside a text: the spans of its words that are the whole name of a company in the index.

A span is looked up under the keys of whole names (`spelling.name_terms`), all spans of a text in one batch. Spans have
at most `_MOST_WORDS` words, and all of their words are in the vocabulary, so that the work is linear in the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from padron.index.document import TICKER, decode_company
from padron.index.engine import EVERYWHERE, AnyKey, Hit, Scope
from padron.index.release_index import ReleaseIndex
from padron.index.spelling import words_key
from padron.text import CONNECTIVES, FormTable, fold, glue_letters, name_key

_MOST_WORDS: Final = 10
"""Words of a span: hardly a name has more, and longer spans would cost more than all others."""
_MOST_TOKENS: Final = 220
"""Words of a text that are read: no question of a thousand characters has more."""
_MOST_COMPANIES: Final = 12
"""Companies of a span: with more, a name says nothing."""
_LONGEST_FORM: Final = 8
"""Words of a legal form: `sociedad por acciones simplificada de beneficio e interes colectivo`."""
_SHORTEST_JOINED: Final = 6
"""Letters of words that are also looked up in one piece: shorter ones would be other words."""
_LONGEST_SYMBOL: Final = 6
"""Letters of a stock exchange symbol."""

_CHUNK: Final = re.compile(r"[^\s,;:()\[\]{}|¿?¡!\"“”«»„…—–]+")
_SEPARATOR: Final = re.compile(r"[\n\r\t,;:()\[\]{}|¿?¡!\"“”«»„…—–]|\s-\s")
_WALL: Final = re.compile(r"[\n\r\t;()\[\]{}|¿?¡!]")
"""Marks that no name goes across."""


class Token(NamedTuple):
    """A folded word of a text, the positions of the characters it comes from, and its capital.

    `parted`: a separator stands before it; `walled`: one that no name goes across.
    """

    text: str
    start: int
    end: int
    parted: bool
    walled: bool
    capital: bool


class NameSpan(NamedTuple):
    """A span of a text that is the whole name of companies.

    Attributes:
        start: Position of its first character.
        end: Position behind its last character.
        words: Its words without connectives.
        hits: The companies of that name, at most twelve.
        rarity: The sum of the IDF weights of its words; a word that hardly any company has weighs 1.
        form: A legal form stands right behind it, whose last character is before `behind`.
        behind: Position behind the legal form, or `end`.
        capital: Its words have capitals, and other words of the text have none.
        separated: A separator or an end of the text stands on both sides, a legal form counted in.
    """

    start: int
    end: int
    words: tuple[str, ...]
    hits: tuple[Hit, ...]
    rarity: float
    form: bool
    behind: int
    capital: bool
    separated: bool


class _Candidate(NamedTuple):
    """Tokens `first` up to `last` (exclusive), their words, and the keys that companies of this name have."""

    first: int
    last: int
    words: tuple[str, ...]
    keys: tuple[str, ...]


class SpanFinder:
    """Finder of names inside texts, in one index. `forms`: the legal forms of all countries."""

    def __init__(self, index: ReleaseIndex, forms: FormTable) -> None:
        self._engine = index.engine
        self._frequency = index.vocabulary.frequency
        self._weights = index.tables.weights
        self._forms = forms

    async def find(self, text: str, scope: Scope = EVERYWHERE) -> list[NameSpan]:
        """Find the names inside a text.

        Returns:
            The spans, the longest first, then the rarest; none overlaps another. Each company is in one span. Stock
            exchange symbols are no names.
        """
        tokens = tokenized(text)[:_MOST_TOKENS]
        candidates = sorted(self._candidates(tokens), key=lambda span: (-len(span.words), -self._rarity(span.words)))
        if not candidates:
            return []
        queries = [AnyKey(candidate.keys) for candidate in candidates]
        answers = await self._engine.look_up(queries, scope, _MOST_COMPANIES, sys.maxsize)
        mixed = any(not token.capital for token in tokens if token.text not in CONNECTIVES)
        free = [True] * len(tokens)
        known: set[int] = set()
        spans: list[NameSpan] = []
        for candidate, hits in zip(candidates, answers, strict=True):
            named = [hit for hit in hits if hit.key not in known and not is_symbol(hit, candidate.words)]
            if named and all(free[candidate.first : candidate.last]):
                behind = self._behind_form(tokens, candidate.last)
                free[candidate.first : behind] = [False] * (behind - candidate.first)
                known.update(hit.key for hit in named)
                spans.append(self._span(tokens, candidate, behind, named, mixed))
        return spans

    def _candidates(self, tokens: Sequence[Token]) -> Iterator[_Candidate]:
        """Yield the spans that may be names, the first of those with the same words."""
        texts = [token.text for token in tokens]
        known: set[str] = set()
        exists = [text in CONNECTIVES or len(text) == 1 or self._frequency(text) > 0 for text in texts]
        for first in range(len(tokens)):
            if _is_connective(tokens, first):
                continue
            for last in range(first + 1, min(len(tokens), first + _MOST_WORDS) + 1):
                if not exists[last - 1] or (last - 1 > first and tokens[last - 1].walled):
                    break
                words = () if _is_connective(tokens, last - 1) else self._known_words(texts[first:last])
                key, joined = words_key(words), "".join(words)
                if words and key not in known:
                    known.add(key)
                    glued = (joined,) if len(words) > 1 and len(joined) >= _SHORTEST_JOINED else ()
                    yield _Candidate(first, last, words, (key, *glued))

    def _known_words(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return the words of a span as names are filed, empty where one of them is in no name."""
        words = tuple(name_key(glue_letters(texts)).split())
        return words if all(map(self._frequency, words)) else ()

    def _span(
        self, tokens: Sequence[Token], candidate: _Candidate, behind: int, hits: Sequence[Hit], mixed: bool
    ) -> NameSpan:
        first, last, words, _ = candidate
        meaning = [token for token in tokens[first:last] if token.text not in CONNECTIVES]
        capital = mixed and all(token.capital for token in meaning) and (first > 0 or len(meaning) > 1)
        separated = tokens[first].parted and (behind == len(tokens) or tokens[behind].parted)
        return NameSpan(
            tokens[first].start,
            tokens[last - 1].end,
            words,
            tuple(hits),
            self._rarity(words),
            behind > last,
            tokens[behind - 1].end,
            capital,
            separated,
        )

    def _rarity(self, words: Sequence[str]) -> float:
        return sum([self._weights.get(word, 1.0) for word in words])

    def _behind_form(self, tokens: Sequence[Token], at: int) -> int:
        """Return the index of the token behind the longest legal form that begins at `at`; `at` where none does."""
        compact, behind = "", at
        for index in range(at, min(len(tokens), at + _LONGEST_FORM)):
            compact += tokens[index].text
            if compact in self._forms.codes and compact not in CONNECTIVES:
                behind = index + 1
        return behind


def tokenized(text: str) -> list[Token]:
    """Return the folded words of a text with their positions."""
    tokens: list[Token] = []
    before = 0
    for chunk in _CHUNK.finditer(text):
        gap = text[before : chunk.start()]
        parted = not tokens or _SEPARATOR.search(gap) is not None or gap.count("\n") > 0
        walled = parted and _WALL.search(gap) is not None
        raw = chunk[0]
        capital = raw[:1].isupper() or raw[:1].isdigit() or raw != raw.lower()
        tokens += [
            Token(part, chunk.start(), chunk.end(), parted and at == 0, walled and at == 0, capital)
            for at, part in enumerate(fold(raw).split())
        ]
        before = chunk.end() if fold(raw) else before
    return tokens


def _is_connective(tokens: Sequence[Token], at: int) -> bool:
    """Check for a connective that is no initial: `a`, but not that of `A & B`."""
    token = tokens[at]
    if token.text not in CONNECTIVES:
        return False
    beside = (tokens[at - 1].text if at else "", tokens[at + 1].text if at + 1 < len(tokens) else "")
    return not (len(token.text) == 1 and token.capital and any(text == "and" or len(text) == 1 for text in beside))


def is_symbol(hit: Hit, words: Sequence[str]) -> bool:
    """Check that a word is only the stock exchange symbol of a company, not one of its names."""
    if len(words) != 1 or len(words[0]) > _LONGEST_SYMBOL:
        return False
    names = [name for name in decode_company(hit.stored).names if name.words == words[0]]
    return bool(names) and all(name.kind == TICKER for name in names)
