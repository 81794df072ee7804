"""Lexicon of questions in Spanish, English and Portuguese: the phrases around names of companies. All folded.

From `lexicon.toml`, `matching.activities` and the folder of each country. A phrase may have several meanings: `e`
joins, separates two companies, and asks ("is"); the reader of a text knows which it looks for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from padron.countries.country import Country, PlaceName
from padron.matching.activities import ACTIVITIES
from padron.matching.cues import ABROAD, ANOTHER, BRANCH
from padron.text import fold, split_phrases
from padron.words import Language, Text

FOLDER: Final = Path(__file__).parent

Kind = Literal[
    "ask", "polite", "joining", "or", "and", "excluding", "negating", "instead", "related", "compared", "another",
    "branch", "owning", "titled", "office", "company", "companies", "nature", "extent", "rank", "trade",
    "status", "listed", "financials", "legalForm", "activity", "topic",
    "country", "uncovered", "place", "scheme", "foreignScheme", "number",
]  # fmt: skip
"""Kinds of phrases. `excluding` rules out what follows, `negating` denies the condition behind it, `instead` says what
is meant; `related` and `compared` name a relation of the company asked for (`suppliers`, `same as`), `another`
something other than the company named (`employees union`, `ignore your rules`), `branch` a part of it (`filial de`),
`owning` asks who owns it. `titled`
stands before the name of a person, `office` behind it. `company` and `companies` are words for one and for many,
`nature` what kind it is (`estatal`), `activity` companies of an activity (`hoteles`), `topic` the activity itself
(`hotelaria`), `uncovered` a country that is not covered, `number` any identifier. In lists, `extent` says how many
(`all`), `rank` that the largest are meant, `trade` what no register tells (`importers`)."""

QuestionLanguage = Language | Literal["pt"]


class Meaning(NamedTuple):
    """The meaning of a phrase: its kind, and the value (status, code of a country, key of an activity …)."""

    kind: Kind
    value: str


class PhraseMatch(NamedTuple):
    """A phrase of the lexicon in a text: from word `start` up to `end`, exclusive."""

    start: int
    end: int
    meaning: Meaning


class ActivityWords(NamedTuple):
    """An activity: its label, and by country the tags of companies that do it."""

    label: Text
    tags: Mapping[str, tuple[str, ...]]


class Lexicon:
    """All phrases of questions, indexed by their first and by their last word."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self.places: dict[str, dict[str, PlaceName]] = {}
        self.activities: dict[str, ActivityWords] = {}
        self.languages: dict[str, set[QuestionLanguage]] = {}
        self.searching: frozenset[str] = frozenset()
        self.registers: frozenset[str] = frozenset()
        self.forms = frozenset(spelling for country in registry.values() for spelling in country.forms.codes)
        self._meanings: dict[tuple[str, ...], list[Meaning]] = {}
        words = tomllib.loads((FOLDER / "lexicon.toml").read_text(encoding="utf-8"))
        self._add_words(words)
        for code, country in registry.items():
            self._add_country(code, country)
            self._add_schemes(country)
        self._add_uncovered(words, registry)
        for code, country in registry.items():
            self._add_places(code, country)
        self._add_activities(registry)
        self.as_written = {
            spelling: word for country in registry.values() for spelling, word in country.as_written.items()
        }
        self.as_written |= {f"({code}": fold(country.name.en) for code, country in registry.items()}
        self._first = _index(self._meanings, 0)
        self._last = _index(self._meanings, -1)

    def starting(self, words: Sequence[str], at: int, end: int, kinds: frozenset[Kind]) -> Iterator[PhraseMatch]:
        """Yield the phrases of some kinds that begin at a word, the longest first.

        Args:
            at: Index of the first word.
            end: Index of the word after the last one allowed.
        """
        for phrase in self._first.get(words[at], ()) if at < end else ():
            if at + len(phrase) <= end and tuple(words[at : at + len(phrase)]) == phrase:
                yield from self._matches(phrase, at, kinds)

    def ending(self, words: Sequence[str], start: int, end: int, kinds: frozenset[Kind]) -> Iterator[PhraseMatch]:
        """Yield the phrases of some kinds that end before a word, the longest first.

        Args:
            start: Index of the first word allowed.
            end: Index of the word after the last one.
        """
        for phrase in self._last.get(words[end - 1], ()) if start < end else ():
            if end - len(phrase) >= start and tuple(words[end - len(phrase) : end]) == phrase:
                yield from self._matches(phrase, end - len(phrase), kinds)

    def values(self, phrase: Sequence[str], kind: Kind) -> frozenset[str]:
        """Return the values of a phrase in one kind: `ruc` may be a scheme of several countries."""
        return frozenset(meaning.value for meaning in self._meanings.get(tuple(phrase), ()) if meaning.kind == kind)

    def _matches(self, phrase: tuple[str, ...], start: int, kinds: frozenset[Kind]) -> Iterator[PhraseMatch]:
        for meaning in self._meanings[phrase]:
            if meaning.kind in kinds:
                yield PhraseMatch(start, start + len(phrase), meaning)

    def _add(self, phrases: Iterable[str], kind: Kind, value: str = "") -> None:
        for phrase in phrases:
            meanings = self._meanings.setdefault(tuple(phrase.split()), [])
            if Meaning(kind, value) not in meanings:
                meanings.append(Meaning(kind, value))

    def _add_words(self, words: Mapping[str, Any]) -> None:
        languages: dict[QuestionLanguage, str] = words["ask"]
        for language, phrases in languages.items():
            self._add(split_phrases(phrases), "ask", language)
            for phrase in split_phrases(phrases):
                self.languages.setdefault(phrase, set()).add(language)
        self._add(split_phrases(words["polite"]["all"]), "polite")
        self._add(split_phrases(words["joining"]["all"]), "joining")
        self._add(split_phrases(words["between"]["strong"]), "or")
        self._add(split_phrases(words["between"]["weak"]), "and")
        for kind in _UNASKED:
            self._add(split_phrases(words["unasked"][kind]), kind)
        self._add(ANOTHER, "another")
        self._add(BRANCH, "branch")
        company = words["company"]
        self._add(split_phrases(company["one"]), "company")
        self._add(split_phrases(company["many"]), "companies")
        self._add(split_phrases(company["kind"]), "nature")
        for kind in OF_LISTS:
            self._add(split_phrases(words["list"][kind]), kind)
        for status, phrases in words["status"].items():
            self._add(split_phrases(phrases), "status", status)
        for form, phrases in words["legal-form"].items():
            self._add(split_phrases(phrases), "legalForm", form)
        self._add(split_phrases(words["listed"]["all"]), "listed", "true")
        self._add(split_phrases(words["financials"]["all"]), "financials", "true")
        self._add(split_phrases(words["number"]["any"]), "number")
        self.searching = frozenset(split_phrases(words["searching"]["all"]))
        self.registers = frozenset(split_phrases(words["register"]["all"]))

    def _add_country(self, code: str, country: Country) -> None:
        names = [*map(fold, (*country.name, *country.demonyms)), *country.phrases]
        self._add([*names, *(f"{name}s" for name in names)], "country", code)
        for form in country.legal_forms:
            labels = [] if form.is_state else [fold(label) for label in form.label]
            self._add([label for label in labels if " " in label], "legalForm", form.code)

    def _add_schemes(self, country: Country) -> None:
        for scheme in country.schemes:
            names = [*scheme.words, *scheme.phrases]
            self._add([*names, *(f"{name}s" for name in names)], "scheme", scheme.code)

    def _add_places(self, code: str, country: Country) -> None:
        for place in country.places:
            self.places.setdefault(place.name, {})[code] = place
            self._add([place.name], "place", place.name)

    def _add_uncovered(self, words: Mapping[str, Any], registry: Mapping[str, Country]) -> None:
        for code, phrases in ABROAD.items():
            if code not in registry:
                self._add(phrases, "uncovered", code)
        for code, phrase in words["foreign-number"].items():
            if code not in registry:
                self._add(split_phrases(phrase), "foreignScheme", code)

    def _add_activities(self, registry: Mapping[str, Country]) -> None:
        for activity in ACTIVITIES:
            codes = {code: country.activity_codes.get(activity.key) for code, country in registry.items()}
            tags = {code: tuple(map(_tag, own)) for code, own in codes.items() if own}
            self.activities[activity.key] = ActivityWords(activity.label, tags)
            self._add(activity.plural, "activity", activity.key)
            self._add(activity.topic, "topic", activity.key)


OF_LISTS: Final[tuple[Kind, ...]] = ("extent", "rank", "trade")
"""Phrases that describe lists alone: beside a name they are part of it."""
_UNASKED: Final[tuple[Kind, ...]] = (
    "excluding",
    "negating",
    "instead",
    "related",
    "compared",
    "owning",
    "titled",
    "office",
)
"""Phrases about companies, or conditions, that a text names and does not ask for."""


def _tag(part: str) -> str:
    """Return the tag of a code, or of a label (in lower case)."""
    return f"sector:{part}" if part.islower() else f"activity:{part.replace('.', '')}"


def _index(phrases: Iterable[tuple[str, ...]], place: int) -> dict[str, list[tuple[str, ...]]]:
    """Index phrases by the word at `place`, the longest first."""
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        by_word.setdefault(phrase[place], []).append(phrase)
    return by_word
