"""The words of the names of a release: how many companies have each, which are near a misspelt one, and completions.

A part of the release beside the engine's index, and always local: a search looks up hundreds of words, and a tenth of
them exist.

    words.marisa         every word -> its number, a trie
    counts.bin           by number: how many companies have the word (32 bits)
    completions.marisa   beginnings of more than `_MANY` words -> the commonest of these, parted by blanks
    near/                tantivy_store: `spelling.neighbourhood` of each word as the field `near`, the word as its row

All files are mapped into memory. Tries take a third of the memory of tantivy's dictionary and answer as fast; of
neighbourhoods there are fifty times as many as words, and building a trie holds all of its keys in memory, so these
stay in tantivy.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from weakref import proxy

import marisa_trie
import tantivy

from padron.index import spelling
from padron.index.counting import KeyCounter
from padron.index.document_stream import neighbourhoods
from padron.index.tantivy_store import RowStore, StoreWriter
from padron.releases import snapshot
from padron.storage import mapped
from padron.text import word_cache

COMPLETIONS: Final = 16
"""Words that a beginning may stand for, and misspellings that a word may be: more add noise."""
_NEIGHBOURS: Final = 150
"""Words that are compared with a misspelt one: those that share most deletions with it come first."""
_CACHED: Final = 1 << 14
"""Words of which an opened vocabulary keeps the count and the near words."""
_MANY: Final = 64
"""Words with a beginning from which on the commonest are written down: to sort more takes 30 µs."""
_LONGEST_BEGINNING: Final = 6
"""Letters of the beginnings that are written down: longer ones have few words even at full size."""
_RARE: Final = 3
"""Companies up to which a word weighs 1: so many companies of one group share a coined word."""
_COMMONEST: Final = 150_000
"""Companies from which on a word weighs 0. Counts, not shares of the directory: what a word tells depends on how many
companies have it, and a directory that grows must not make anybody surer."""
_FITTED: Final = 130_955
"""Companies of the index that the weights of ranking are fitted to."""


def build(counter: KeyCounter, folder: Path) -> dict[str, float]:
    """Write the vocabulary into a new folder.

    Args:
        counter: The words of all companies.

    Returns:
        The rarity of the words of more than `_RARE` companies.
    """
    folder.mkdir(parents=True)
    trie = marisa_trie.Trie(word for word, _ in counter.counts())
    trie.save(str(folder / "words.marisa"))
    counts = array("I", bytes(4 * len(trie)))
    weights: dict[str, float] = {}
    for word, count in counter.counts():
        counts[trie[word]] = count
        if count > _RARE:
            weights[word] = rarity(count)
    with (folder / "counts.bin").open("wb") as file:
        counts.tofile(file)
    marisa_trie.BytesTrie(_broad_beginnings(counter.counts())).save(str(folder / "completions.marisa"))
    _build_near((word for word, _ in counter.counts() if spelling.can_be_misspelt(word)), folder / "near")
    snapshot.seal(folder)
    return weights


def rarity(companies: int) -> float:
    """Return the weight of a word by the number of companies that have it: from 1 down to 0, by the logarithm."""
    return max(0.0, round(math.log(_COMMONEST / companies) / math.log(_COMMONEST / _RARE), 3))


def growth(companies: int) -> float:
    """Return what a weight loses because a directory has more companies than that which ranking is fitted to.

    Added to the weights of words that speak against a company, it keeps them from weighing less as a directory grows.
    """
    return math.log(max(1, companies) / _FITTED) / math.log(_COMMONEST / _RARE)


def _build_near(words: Iterable[str], folder: Path) -> None:
    schema = tantivy.SchemaBuilder().add_text_field("near", tokenizer_name="whitespace", index_option="basic")
    writer = StoreWriter(folder, schema)
    with closing(writer), closing(neighbourhoods(words)) as documents:
        for document in documents:
            writer.add(document.fields, document.word.encode())
        writer.finish()


class _Beginning(NamedTuple):
    """A beginning of words, how many have it, and the commonest as (count, place) in a heap."""

    letters: str
    words: list[tuple[int, int, str]]
    seen: list[int]


def _broad_beginnings(words: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
    """Yield the beginnings of more than `_MANY` of `words`, which come in alphabetical order, with the commonest."""
    opened: list[_Beginning] = []
    for place, (word, count) in enumerate(words):
        while opened and not word.startswith(opened[-1].letters):
            yield from _finished(opened.pop())
        opened += [
            _Beginning(word[:length], [], [0])
            for length in range(len(opened) + 1, min(len(word), _LONGEST_BEGINNING) + 1)
        ]
        for beginning in opened:
            beginning.seen[0] += 1
            item = (count, -place, word)
            if len(beginning.words) < COMPLETIONS:
                heapq.heappush(beginning.words, item)
            else:
                heapq.heappushpop(beginning.words, item)
    while opened:
        yield from _finished(opened.pop())


def _finished(beginning: _Beginning) -> Iterator[tuple[str, bytes]]:
    if beginning.seen[0] > _MANY:
        yield beginning.letters, " ".join(word for *_, word in sorted(beginning.words, reverse=True)).encode()


class Vocabulary:
    """The opened vocabulary; safe to share between threads.

    Raises `ReleaseError` as `tantivy_store.RowStore`.
    """

    def __init__(self, folder: Path) -> None:
        snapshot.verify(folder)
        self._numbers = marisa_trie.Trie().mmap(str(folder / "words.marisa"))
        self._completions = marisa_trie.BytesTrie().mmap(str(folder / "completions.marisa"))
        self._counts = memoryview(mapped(folder / "counts.bin")).cast("I")
        self._store = RowStore(folder / "near")
        # A reference back to this object would keep a replaced release open until the next garbage collection.
        self.frequency = word_cache(_CACHED)(partial(_frequency, self._numbers, self._counts))
        self.near = word_cache(_CACHED)(partial(Vocabulary._near, proxy(self)))

    def frequencies(self, words: Iterable[str]) -> list[int]:
        """Return how many companies have each of `words` in a name."""
        return list(map(self.frequency, words))

    def completions(self, beginning: str) -> list[str]:
        """Return the words that begin with `beginning`, the commonest first, then in alphabetical order."""
        if broad := self._completions.get(beginning):
            words: str = broad[0].decode()
            return words.split()
        counts = self._counts
        return [word for _, word in sorted([(-counts[at], word) for word, at in self._numbers.iteritems(beginning)])][
            :COMPLETIONS
        ]

    def _near(self, word: str, edited: bool) -> Sequence[tuple[str, float]]:
        """Return words that sound like `word` or (`edited`) that it may misspell, with the edits; likeliest first."""
        if not spelling.can_misspell(word):
            return ()
        neighbours = self._filed_under(spelling.neighbour_terms(word)) if edited else []
        costs: dict[str, float] = dict(spelling.misspellings(word, neighbours))
        costs |= dict.fromkeys(self._filed_under(spelling.sound_terms(word)), 0.5)
        costs.pop(word, None)
        likely = sorted((cost, -self.frequency(other), other) for other, cost in costs.items())
        return [(other, cost) for cost, _, other in likely[:COMPLETIONS]]

    def _filed_under(self, terms: Iterable[str]) -> list[str]:
        """Return the words filed under any of `terms`, those under most of them first."""
        return list(map(bytes.decode, self._store.any_term("near", terms, _NEIGHBOURS)))


def _frequency(numbers: marisa_trie.Trie, counts: Sequence[int], word: str) -> int:
    at = numbers.get(word)
    return 0 if at is None else counts[at]
