"""A population of invented companies of any size, with the name statistics of a real release.

The words of a name follow each other as in the names of the release: each depends on the two before it. Words that
hardly any company has are slots: into these go words made letter by letter, as such words of the release are made, so
that a larger population has more words. As many companies as in the release share the coined word of an older company
(a group), or the whole name. Legal form, place and activity are those of real companies, drawn for each; sizes are
unknown.

A company depends on the seed, its country and its number alone. So a population is the beginning of any larger one, and
takes no memory.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from pathlib import Path
from random import Random
from typing import NamedTuple

import duckdb

from evaluation.forms import FORMS
from evaluation.names import Reading, bag, read, split
from evaluation.queries import chance
from evaluation.records import current_snapshots
from evaluation.vocabulary import COUNTRIES, KIND_WORDS, LANGUAGE

Words = tuple[str, ...]

SEED = "padron-ladder-1"
_COINED, _KNOWN, _NUMBER = "*", "+", "#"
"""Slots of a name: for a word that hardly any company has, for one that companies of other countries have, a number."""
_END = ""
_RARE = 2
"""Companies of the release that a coined word has at most."""
_FEW_BEARERS = 3
"""Companies that a word of one group has at most: more bearers of a word are a coincidence."""
_TELLING_CONTEXT = 8
"""Names with two words in a row from which on their next words are statistics, not one company's name."""
_MOST_WORDS = 12
_LETTERS = 3
"""Letters that the next letter of a coined word depends on."""
_LONGEST = 20
_REGIONAL = 200
"""Companies of a language that have a word at most that is known in one country only: cities, families."""
_SHORT = 2
_TAKEN = 0.9
"""Share of short names without a coined word that are drawn again: registers refuse most names that are taken."""
_FIRST_NUMBER = 10_000_000
"""Numbers of companies have eight digits: the first eight digits of some identifiers name the company."""
_FORM_WORDS = frozenset(
    "".join(word.text for word in split(text)) for forms in FORMS.values() for form in forms for text in form.short
).difference(KIND_WORDS)
"""Legal forms: names with one before the end are not imitated, because what is behind it may be left out."""


class Facts(NamedTuple):
    """The columns of a real company that an invented one takes over together."""

    region: str | None
    municipality: str | None
    activity_code: str | None
    activity_label: str | None


class Invented(NamedTuple):
    """An invented company: `number` within its country, the words of its names (the legal one first), its columns."""

    country: str
    number: int
    scheme: str
    identifier: str
    source: str
    legal_name: str
    trade_name: str | None
    names: tuple[Words, ...]
    facts: Facts

    @property
    def key(self) -> tuple[str, str]:
        """Country and identifier."""
        return self.country, self.identifier


class _Row(NamedTuple):
    scheme: str
    identifier: str
    source: str
    legal_name: str
    trade_name: str | None
    facts: Facts


class Lexicon:
    """The words of a language: how many companies have each, the letters of coined ones, those known in one place."""

    def __init__(self, names: Sequence[Words]) -> None:
        self.bearers = Counter(word for words in names for word in dict.fromkeys(words))
        self._known = [word for word in self.bearers.elements() if _RARE < self.bearers[word] <= _REGIONAL]
        letters: dict[str, list[str]] = defaultdict(list)
        for word in self.bearers:
            if self.slot(word, 0) == _COINED:
                for place, letter in enumerate(f"{word} "):
                    letters[word[max(0, place - _LETTERS) : place]].append(letter)
        self._letters = {before: "".join(after) for before, after in letters.items()}

    def slot(self, word: str, bearers: int) -> str:
        """Return a word as a sequence has it: itself if enough companies of the country have it, else its slot."""
        if bearers > _RARE or not re.fullmatch(r"[a-z]{3,}|[0-9]+", word):
            return word
        return _NUMBER if word.isdigit() else _KNOWN if self.bearers[word] > _RARE else _COINED

    def filled(self, rng: Random, words: Iterable[str]) -> Words:
        """Return a name with its slots filled."""
        return tuple(self._fill(rng, word) for word in words)

    def _fill(self, rng: Random, word: str) -> str:
        if word == _NUMBER:
            return str(rng.randrange(1, 10 ** rng.randrange(1, 5)))
        if word == _KNOWN:
            return rng.choice(self._known)
        # Of two coined words the longer one: the short ones are often some company's already.
        return max(self._coin(rng), self._coin(rng), key=len) if word == _COINED else word

    def _coin(self, rng: Random) -> str:
        word = ""
        while (letter := rng.choice(self._letters[word[-_LETTERS:]])) != " " and len(word) < _LONGEST:
            word += letter
        return word


class Sequences:
    """The order of words in the names of a country."""

    def __init__(self, names: Sequence[Words], lexicon: Lexicon) -> None:
        bearers = Counter(word for words in names for word in dict.fromkeys(words))
        self._next: dict[Words, list[str]] = defaultdict(list)
        for words in names:
            slots = [lexicon.slot(word, bearers[word]) for word in words]
            padded = ("", "", *slots)
            for place, word in enumerate((*slots, _END)):
                before = padded[place : place + 2]
                self._next[before].append(word)
                self._next[before[1:]].append(word)

    def draw(self, rng: Random) -> list[str]:
        """Return the words and slots of a new name."""
        words = self._draw(rng)
        while len(words) <= _SHORT and _COINED not in words and rng.random() < _TAKEN:
            words = self._draw(rng)
        return words

    def _draw(self, rng: Random) -> list[str]:
        words: list[str] = []
        before: Words = ("", "")
        while len(words) < _MOST_WORDS:
            after = self._next.get(before, ())
            word = rng.choice(after if len(after) >= _TELLING_CONTEXT else self._next[before[1:]])
            if word == _END:
                break
            words.append(word)
            before = (before[1], word)
        return words


class _Country(NamedTuple):
    """The statistics of one country. `same`, `group`, `trading`: shares of companies with such a name."""

    lexicon: Lexicon
    sequences: Sequences
    scheme: str
    digits: int
    source: str
    forms: list[str]
    facts: list[Facts]
    same: float
    group: float
    trading: float


class Population:
    """The invented companies of all countries, as many of each."""

    def __init__(self, countries: dict[str, _Country], seed: str = SEED) -> None:
        self._countries = countries
        self._seed = seed

    @classmethod
    def like(cls, data: Path) -> Population:
        """Learn the statistics of the release that `data` serves."""
        rows = {country: _rows(path) for country, path in sorted(current_snapshots(data).items())}
        readings = {country: [read(row.legal_name, country) for row in rows[country]] for country in rows}
        names: dict[str, list[Words]] = defaultdict(list)
        for country, some in readings.items():
            names[LANGUAGE[country]] += [reading.words for reading in some]
        lexicons = {language: Lexicon(some) for language, some in names.items()}
        return cls(
            {
                country: _statistics(rows[country], some, lexicons[LANGUAGE[country]])
                for country, some in readings.items()
            }
        )

    def company(self, country: str, number: int) -> Invented:
        """Return a company by its number."""
        known = self._countries[country]
        rng = Random(chance(self._seed, "more", country, str(number)))
        words = self.words(country, number)
        names = [words]
        if rng.random() < known.trading:
            names.append(known.lexicon.filled(rng, known.sequences.draw(rng)))
        form = rng.choice(known.forms)
        return Invented(
            country,
            number,
            known.scheme,
            str(_FIRST_NUMBER + number).ljust(known.digits, "0"),
            known.source,
            " ".join([*words, *([form] if form else [])]).upper(),
            " ".join(names[1]).upper() if len(names) > 1 else None,
            tuple(names),
            rng.choice(known.facts),
        )

    def words(self, country: str, number: int) -> Words:
        """Return the words of a company's name: its own, or those of an older company of its group."""
        known = self._countries[country]
        rng = Random(chance(self._seed, country, str(number)))
        draw = rng.random()
        if number and draw < known.same:
            return self.words(country, rng.randrange(number))
        words = known.sequences.draw(rng)
        if number and draw < known.same + known.group and _COINED in words:
            group = self.coined(country, rng.randrange(number))
            if group:
                words[words.index(_COINED)] = group
        return known.lexicon.filled(rng, words)

    def coined(self, country: str, number: int) -> str | None:
        """Return the first coined word of a company's name, if any."""
        known = self._countries[country]
        rng = Random(chance(self._seed, country, str(number)))
        rng.random()
        words = known.sequences.draw(rng)
        if _COINED not in words:
            return None
        return known.lexicon.filled(rng, words)[words.index(_COINED)]

    def companies(self, size: int) -> Iterator[Invented]:
        """Yield the first `size` companies, country by country, old and new ones mixed."""
        for place, country in enumerate(COUNTRIES):
            count = (size + place) // len(COUNTRIES)
            step = next(step for step in range(int(count * 0.618) | 1, 2 * count + 2) if gcd(step, count) == 1)
            for turn in range(count):
                yield self.company(country, turn * step % count)


def _rows(path: Path) -> list[_Row]:
    columns = (*_Row._fields[:-1], *Facts._fields)
    with duckdb.connect() as db:
        rows = db.execute(
            f"SELECT {', '.join(columns)} FROM read_parquet(?) ORDER BY scheme, identifier", [str(path)]
        ).fetchall()
    return [
        _Row(scheme, identifier, source, name, trade, Facts(*facts))
        for scheme, identifier, source, name, trade, *facts in rows
    ]


def _statistics(rows: Sequence[_Row], readings: Sequence[Reading], lexicon: Lexicon) -> _Country:
    schemes = Counter(row.scheme for row in rows)
    scheme = max(schemes, key=schemes.__getitem__)
    names = Counter(bag(reading.words) for reading in readings)
    rarest = [min((lexicon.bearers[word] for word in reading.words), default=0) for reading in readings]
    return _Country(
        lexicon,
        Sequences([reading.words for reading in readings if not _FORM_WORDS.intersection(reading.words)], lexicon),
        scheme,
        max(len(row.identifier) for row in rows if row.scheme == scheme),
        rows[0].source,
        [reading.written for reading in readings],
        [row.facts for row in rows],
        sum(count - 1 for count in names.values()) / len(rows),
        sum(1 < bearers <= _FEW_BEARERS for bearers in rarest) / len(rows),
        sum(row.trade_name is not None for row in rows) / len(rows),
    )
