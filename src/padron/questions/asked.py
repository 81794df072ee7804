"""The names in a text that it asks for, by a model that was fitted to labelled texts.

A linear-chain conditional random field over the words of a text, each of which is outside of the names that are asked
for, begins one or continues it. `asked.csv` holds its weights (`evaluation.fit_asked`): of a word, its neighbors,
their phrases in the lexicon, the names of the index, capitals and marks. Words that tell of another role
(`dueños de …`, `vacante en …`) are learned like those that ask.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import Final, NamedTuple, get_args

from padron.index.spans import NameSpan
from padron.questions.lexicon import Kind
from padron.questions.phrases import Phrases
from padron.text import CONNECTIVES

WEIGHTS: Final = Path(__file__).with_name("asked.csv")
STATES: Final = ("outside", "begins", "inside")
"""States of a word; the columns of `asked.csv`, whose rows `after outside` … weigh the state behind another."""
AFTER: Final = "after "

_Row = tuple[float, float, float]

_KINDS: Final = frozenset[Kind](get_args(Kind))
_STEM: Final = 4
_BAG_STEM: Final = 5
"""Letters of a word by which its forms are one: `pregunto`, `preguntan`."""
_AROUND: Final = (-2, -1, 1, 2)
_LENGTHS: Final = (4, 8, 16)
_MOST_COUNTED: Final = 3
_COMMON: Final = 0.7
_RARE: Final = 0.9
"""Mean weight of the words of a name below which it is made of plain words, and from which it is rare."""
_LIKELY: Final = 0.35
"""Probability from which a word is taken for a part of a name that is asked for."""
_NONE: Final[_Row] = (0.0, 0.0, 0.0)


class AskedNames(NamedTuple):
    """Names that a text asks for, as words `start` up to `end`, and the probability of each word to be in one."""

    names: tuple[tuple[int, int], ...]
    probabilities: tuple[float, ...]


class TextFeatures(NamedTuple):
    """Features of each word of a text, whether it looks like one of a name, and those that all such words share."""

    words: list[list[str]]
    named: list[bool]
    shape: list[str]


class AskedReader:
    """Reader of the names that texts ask for.

    `weights`: by feature and state. `after`: by state and the state behind it, as factors.
    """

    def __init__(self) -> None:
        with WEIGHTS.open(encoding="utf-8", newline="") as file:
            rows = {row[0]: (float(row[1]), float(row[2]), float(row[3])) for row in list(csv.reader(file))[1:]}
        self.after = [tuple(map(exp, rows.pop(f"{AFTER}{state}"))) for state in STATES]
        self.weights: dict[str, _Row] = rows

    def read(self, phrases: Phrases, spans: Sequence[NameSpan]) -> AskedNames:
        """Read a text.

        Args:
            spans: The names of the index in it.
        """
        words, named, shape = features(phrases, spans)
        shared = self._sum(shape)
        rows = [self._sum(some, shared if is_named else _NONE) for some, is_named in zip(words, named, strict=True)]
        marginals = self._marginals(list(map(_factors, rows)))
        names: list[tuple[int, int]] = []
        for at, (_, begins, inside) in enumerate(marginals):
            if begins + inside < _LIKELY:
                continue
            if names and names[-1][1] == at and inside > begins:
                names[-1] = (names[-1][0], at + 1)
            else:
                names.append((at, at + 1))
        return AskedNames(tuple(names), tuple(begins + inside for _, begins, inside in marginals))

    def _sum(self, some: Sequence[str], start: _Row = _NONE) -> _Row:
        outside, begins, inside = start
        for feature in some:
            row = self.weights.get(feature, _NONE)
            outside += row[0]
            begins += row[1]
            inside += row[2]
        return outside, begins, inside

    def _marginals(self, scores: Sequence[_Row]) -> list[_Row]:
        """Return the probability of each state at each word, by the forward-backward algorithm."""
        after, states = self.after, range(len(STATES))
        forward: list[_Row] = []
        backward: list[_Row] = []
        for score in scores:
            before = forward[-1] if forward else None
            arrived = [sum(before[a] * after[a][b] for a in states) if before else 1.0 for b in states]
            forward.append(_shares([arrived[b] * score[b] for b in states]))
        behind: _Row = (1.0, 1.0, 1.0)
        for score in reversed(scores):
            backward.append(behind)
            behind = _shares([sum(after[a][b] * score[b] * behind[b] for b in states) for a in states])
        both = zip(forward, reversed(backward), strict=True)
        return [_shares([ahead[state] * rest[state] for state in states]) for ahead, rest in both]


def _factors(row: _Row) -> _Row:
    """Return a row of log-odds as factors, the largest of them 1."""
    most = max(row)
    return exp(row[0] - most), exp(row[1] - most), exp(row[2] - most)


def _shares(values: Sequence[float]) -> _Row:
    total = sum(values)
    return values[0] / total, values[1] / total, values[2] / total


def features(phrases: Phrases, spans: Sequence[NameSpan]) -> TextFeatures:
    """Return the features of a text, by the names that `asked.csv` has for them."""
    folded, words = phrases.folded, phrases.words
    own, named = _own(phrases, spans)
    edges = [0, *(place for word in words for place in (word.start, word.end)), len(phrases.text)]
    gaps = [phrases.text[start:end] for start, end in list(pairwise(edges))[::2]]
    others = {f"with {word[:_BAG_STEM]}" for word, is_name in zip(folded, named, strict=True) if not is_name}
    shape = [*sorted(others), f"names {min(len(spans), _MOST_COUNTED)}", f"question {'?' in phrases.text}"]
    shape.append(f"length {sum(len(words) >= length for length in _LENGTHS)}")
    some: list[list[str]] = []
    for at, word in enumerate(folded):
        parts = ["any", f"0 {word}", f"0 {word[:_STEM]}-", *(f"0 is {feature}" for feature in own[at])]
        for distance in _AROUND:
            other = at + distance
            if 0 <= other < len(folded):
                parts += [f"{distance} {folded[other]}", f"{distance} {folded[other][:_STEM]}-"]
                parts += [f"{distance} is {feature}" for feature in own[other]]
            elif abs(distance) == 1:
                parts.append(f"{distance} is edge")
        parts += [f"{first} {folded[at + first]} {folded[at + first + 1]}" for first in _pairs(at, len(folded))]
        parts += [f"before {mark}" for mark in gaps[at].strip()[-2:]] + ["before line"] * ("\n" in gaps[at])
        parts += [f"behind {mark}" for mark in gaps[at + 1].strip()[:2]] + ["behind line"] * ("\n" in gaps[at + 1])
        some.append(parts)
    return TextFeatures(some, named, shape)


def _pairs(at: int, length: int) -> Iterator[int]:
    """Yield where the pairs of neighboring words begin that are around a word, from it."""
    return (first for first in (-2, -1, 0, 1) if at + first >= 0 and at + first + 1 < length)


def _own(phrases: Phrases, spans: Sequence[NameSpan]) -> tuple[list[list[str]], list[bool]]:
    """Return the features of each word by itself, and whether it looks like one of a name."""
    folded, words, capitals, mixed = phrases.folded, phrases.words, phrases.capitals, phrases.mixed
    kinds: list[set[str]] = [set() for _ in folded]
    for start in range(len(folded)):
        for match in phrases.lexicon.starting(folded, start, len(folded), _KINDS):
            for at in range(match.start, match.end):
                kinds[at].add(match.meaning.kind)
    own: list[list[str]] = []
    for at, word in enumerate(words):
        is_upper = word.raw.isupper()
        case = ("capital" if capitals[at] else "small") if mixed else ("upper" if is_upper else "plain")
        parts = [case, *sorted(kinds[at])]
        if not kinds[at]:
            parts.append("connective" if word.text in CONNECTIVES else "unknown")
        if any(map(str.isdigit, word.text)):
            parts.append("digits")
        if word.parted:
            parts.append("parted")
        own.append(parts)
    named = [mixed and capital for capital in capitals]
    for span in spans:
        inside = phrases.within(span.start, span.behind)
        mean = span.rarity / len(span.words)
        rarity = "common" if mean < _COMMON else "rare" if mean >= _RARE else "uncommon"
        for at in inside:
            named[at] = True
            own[at] += [f"{rarity} name", "first of name" if at == inside[0] else "rest of name"]
            own[at] += ["formal name"] if span.form else []
            own[at] += ["long name"] if len(span.words) > 1 else []
    return own, named
