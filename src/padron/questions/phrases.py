"""Words of a question, and the phrases of the lexicon among them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from padron.questions.interpretation import Aspect, Clue
from padron.questions.lexicon import OF_LISTS, Kind, Lexicon, Meaning, PhraseMatch, QuestionLanguage
from padron.text import fold

ASPECT_OF: Final[Mapping[Kind, Aspect]] = {
    "country": "country",
    "uncovered": "country",
    "place": "region",
    "status": "status",
    "listed": "listed",
    "financials": "hasFinancials",
    "legalForm": "legalForm",
    "activity": "activity",
    "topic": "activity",
}
POLITE: Final = frozenset[Kind](("ask", "polite"))
NUMBERS: Final = frozenset[Kind](("scheme", "foreignScheme", "number"))
STATES: Final = frozenset[Kind](("status", "listed", "financials"))
COUNTRIES: Final = frozenset[Kind](("country", "uncovered"))
PLACES: Final = COUNTRIES | frozenset[Kind](("place",))
NOUNS: Final = frozenset[Kind](("company", "companies", "activity", "topic"))
DESCRIBING: Final = PLACES | STATES | NOUNS | frozenset[Kind](("nature", "legalForm"))
JOINING: Final = frozenset[Kind](("joining",))
ATTRIBUTES: Final = DESCRIBING | NUMBERS | POLITE | JOINING

_NAME_LIKE: Final = frozenset("hi exp".split())
"""Words of questions that are also words of names: they count only beside a digit, a comma or a question mark."""
_POINTING: Final = frozenset("de del da do of a o el la the".split())
"""Words before what a text speaks of: no greeting follows them."""
_JOINED: Final = frozenset("y e o and or ou".split())
"""Words between two names: no greeting that begins a text stands before them."""
_OF_LIST: Final = frozenset(OF_LISTS)
_COUNTED: Final = _OF_LIST | frozenset[Kind](("company", "companies", "nature", "activity"))
_DIGITS_OF_COUNT: Final = 3
"""Digits of a number of companies asked for, at most."""
_WEAK: Final = frozenset[Kind](("ask", "status", "listed"))
_CHUNK = re.compile(r"[^\s,;:()\[\]{}|¿?¡!\"“”«»„…—–]+")
_GAP = re.compile(r"[,;:()\[\]{}|¿?¡!…—–\n\r\t]|\s-\s")
BULLET: Final = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}|[A-Za-z])\)(?=\s)|^[ \t]*\d{1,2}\.(?=\s)", re.MULTILINE)
"""The number or the letter of an item of a list: `1)`, `a)`, and `1.` at the beginning of a line."""
_POSSESSIVE = re.compile(r"['’]s$")
_DIGITS: Final = 5
_LONG: Final = 11
"""Digits of a number that can hardly be another one than a company's, or a person's."""


class Word(NamedTuple):
    """A folded word, its place, whether a mark separates it from the word before, and its spelling."""

    text: str
    start: int
    end: int
    parted: bool
    raw: str


class Pointed(NamedTuple):
    """The target of phrases: a country, one that is not covered, and the schemes a number may be of."""

    country: str | None
    uncovered: str | None
    schemes: tuple[str, ...]


class Phrases:
    """The words of one text, and the phrases among them except those of the aspects `ignored`.

    `schemes`: scheme -> countries that use it. `country`: the one that the answer is limited to, if any.
    """

    def __init__(
        self,
        text: str,
        lexicon: Lexicon,
        schemes: Mapping[str, set[str]],
        ignored: frozenset[Aspect],
        country: str | None = None,
    ) -> None:
        self.text = text
        self.lexicon = lexicon
        self._country = country
        self.words = _words(text, lexicon.as_written)
        self.folded = [word.text for word in self.words]
        self._schemes = schemes
        self._ignored = ignored
        self._asking: Counter[QuestionLanguage] = Counter()

    def __len__(self) -> int:
        return len(self.words)

    def longest(self, start: int, end: int, kinds: frozenset[Kind], *, lenient: bool = False) -> PhraseMatch | None:
        """Find the longest phrase of some kinds that begins at word `start` and ends by `end`.

        Args:
            start: Index of the first word.
            end: Index of the word after the last one.
        """
        return next(self._allowed(self.lexicon.starting(self.folded, start, end, kinds), lenient=lenient), None)

    def ending(self, start: int, end: int, kinds: frozenset[Kind], *, lenient: bool = False) -> PhraseMatch | None:
        """Find the longest phrase of some kinds that ends before word `end` and begins at `start` or later.

        Args:
            start: Index of the first word.
            end: Index of the word after the last one.
        """
        return next(self._allowed(self.lexicon.ending(self.folded, start, end, kinds), lenient=lenient), None)

    def covered(self, start: int, end: int, kinds: frozenset[Kind]) -> list[PhraseMatch] | None:
        """Cover every word of a stretch with phrases, the longest first.

        Args:
            start: Index of the first word.
            end: Index of the word after the last one.

        Returns:
            The matches, or None where a word belongs to no phrase.
        """
        matches: list[PhraseMatch] = []
        while start < end:
            match = self.longest(start, end, kinds)
            if match is None:
                return None
            matches.append(match)
            start = match.end
        return matches

    def scattered(self, start: int, end: int) -> list[PhraseMatch]:
        """Collect the phrases of a stretch and skip the words between them."""
        matches: list[PhraseMatch] = []
        while start < end:
            match = self.longest(start, end, ATTRIBUTES)
            if match and match.meaning.kind != "joining":
                matches.append(match)
            start = match.end if match else start + 1
        return matches

    def explained(self, most_unknown: int) -> tuple[list[PhraseMatch], list[str]] | None:
        """Explain all words in every meaning that describes companies.

        Returns the matches and the unknown words, or None where more than `most_unknown` words are unknown.
        """
        kinds = ATTRIBUTES | _OF_LIST | frozenset[Kind](("or", "and"))
        matches: list[PhraseMatch] = []
        unknown: list[str] = []
        at, end = 0, len(self)
        while at < end:
            match = next(self._allowed(self.lexicon.starting(self.folded, at, end, kinds), lenient=True), None)
            if match is None:
                unknown += [] if self._is_count(at) else [self.folded[at]]
                if len(unknown) > most_unknown:
                    return None
            elif match.meaning.kind not in {"joining", "or", "and"}:
                described = DESCRIBING | _OF_LIST
                same = self._allowed(self.lexicon.starting(self.folded, at, match.end, described), lenient=True)
                matches += [other for other in same if other.end == match.end] or [match]
            at = match.end if match else at + 1
        return matches, unknown

    def _is_count(self, at: int) -> bool:
        """Check for a count before what is counted: `top 10 banks`, `las 5 petroleras`."""
        digits = self.folded[at].isdigit() and len(self.folded[at]) <= _DIGITS_OF_COUNT
        return digits and self.longest(at + 1, len(self), _COUNTED, lenient=True) is not None

    def speaks_of_companies(self) -> bool:
        """Check for a word for companies as such."""
        companies = frozenset[Kind](("companies",))
        return any(self.ending(end - 1, end, companies) for end in range(1, len(self) + 1))

    @property
    def parted(self) -> bool:
        """True if marks separate some words from others."""
        return any(word.parted for word in self.words)

    @cached_property
    def capitals(self) -> list[bool]:
        """Return for each word whether it begins with a capital or a digit."""
        return [word.raw[:1].isupper() or word.raw[:1].isdigit() for word in self.words]

    @property
    def mixed(self) -> bool:
        """True if some words have capitals and others have none."""
        return any(self.capitals) and not all(self.capitals)

    @cached_property
    def marked(self) -> bool:
        """True with a sign of a question, which lets single short words count as asking."""
        end = len(self)
        if "?" in self.text or self.parted:
            return True
        signs = NUMBERS | frozenset[Kind](("polite",))
        outer = [next(self.lexicon.starting(self.folded, at, end, signs), None) for at in (0, end - 1)] if end else []
        if any(match is not None and not self._is_name_like(match) for match in outer):
            return True
        if end > 2 and self.folded[0] in self.lexicon.searching:
            return True
        first = next(self.lexicon.starting(self.folded, 0, end, frozenset[Kind](("ask",))), None)
        return first is not None and (first.end > 1 or self.text[:1].islower())

    def is_weak(self, match: PhraseMatch) -> bool:
        """Check for a single word that is also a word of names."""
        return match.meaning.kind in _WEAK and match.end - match.start == 1

    def _allowed(self, matches: Iterator[PhraseMatch], *, lenient: bool = False) -> Iterator[PhraseMatch]:
        """Filter out ignored aspects, and weak phrases unless the text is marked or the reading `lenient`."""
        for match in matches:
            if ASPECT_OF.get(match.meaning.kind) in self._ignored or self._is_name_like(match):
                continue
            if self.is_weak(match) and not lenient and not self.marked:
                continue
            if match.meaning.kind == "ask":
                phrase = " ".join(self.folded[match.start : match.end])
                self._asking.update(dict.fromkeys(self.lexicon.languages[phrase], match.end - match.start))
            yield match

    def _is_name_like(self, match: PhraseMatch) -> bool:
        """Check for a single word that is part of a name.

        One of `_NAME_LIKE` without a sign of a question: `Hi Alterna`, `Imp Exp`; or a courtesy that the text speaks
        of, behind `of` or an article, or before `and` at the beginning: `da Oi`, `Oi e Vale`.
        """
        if match.end - match.start > 1:
            return False
        if match.meaning.kind == "polite" and (self._is_spoken_of(match.start) or self._is_first_of_two(match.start)):
            return True
        alone = self.folded[match.start] in _NAME_LIKE
        return alone and not any(sign.isdigit() or sign in "?," for sign in self.text)

    def _is_spoken_of(self, at: int) -> bool:
        return at > 0 and self.folded[at - 1] in _POINTING and not self.words[at].parted

    def _is_first_of_two(self, at: int) -> bool:
        joined = at == 0 and len(self) > 2 and self.folded[1] in _JOINED and not self.words[1].parted
        return joined and self.longest(2, len(self), POLITE, lenient=True) is None

    def language(self) -> QuestionLanguage:
        """Return the language of the asking words; Spanish without any."""
        return max(self._asking, key=lambda language: (self._asking[language], language == "es"), default="es")

    def pointed(self, matches: Sequence[PhraseMatch]) -> Pointed:
        """Derive the target of phrases: a named country comes before one that a place or a scheme implies."""
        by_kind: dict[Kind, list[str]] = {}
        for match in matches:
            by_kind.setdefault(match.meaning.kind, []).append(match.meaning.value)
        schemes = self._schemes_asked(matches)
        if countries := by_kind.get("country"):
            return Pointed(countries[0], None, schemes)
        if "country" in self._ignored:
            return Pointed(None, None, schemes)
        if foreign := [*by_kind.get("uncovered", ()), *by_kind.get("foreignScheme", ())]:
            return Pointed(None, foreign[0], schemes)
        if places := by_kind.get("place"):
            return Pointed(self._only(self.lexicon.places[places[0]]), None, schemes)
        return Pointed(self._only({code for scheme in schemes for code in self._schemes[scheme]}), None, schemes)

    def _only(self, countries: Collection[str]) -> str | None:
        """Choose among countries: the only one, or the one the answer is limited to."""
        if len(countries) == 1:
            return next(iter(countries))
        return self._country if self._country in countries else None

    def schemes_of(self, word: PhraseMatch) -> tuple[str, ...]:
        """Return the schemes of a word for numbers: those of the countries named or asked for, if they have any."""
        schemes = self.lexicon.values(self.folded[word.start : word.end], "scheme")
        own = {code for code in schemes if not self._countries.isdisjoint(self._schemes[code])}
        return tuple(sorted(own or schemes))

    def _schemes_asked(self, matches: Sequence[PhraseMatch]) -> tuple[str, ...]:
        """Return the schemes that are asked for; none where the words for numbers disagree."""
        choices = {self.schemes_of(match) for match in matches if match.meaning.kind == "scheme"}
        return choices.pop() if len(choices) == 1 else ()

    @cached_property
    def _countries(self) -> frozenset[str]:
        """Return the country that the answer is limited to, else all that the text names."""
        if self._country:
            return frozenset((self._country,))
        named = frozenset[Kind](("country",))
        phrases = (self.longest(start, len(self), named) for start in range(len(self)))
        return frozenset(phrase.meaning.value for phrase in phrases if phrase)

    def clues(self, matches: Sequence[PhraseMatch]) -> tuple[Clue, ...]:
        """Convert phrases to clues, in the order of the text, each once."""
        distinct: dict[Clue, None] = {}
        for match in sorted(matches, key=lambda match: (match.start, match.end)):
            kind = match.meaning.kind
            if kind in ASPECT_OF:
                distinct[Clue(ASPECT_OF[kind], self.raw(match.start, match.end), self._applied(match.meaning))] = None
            elif kind == "scheme":
                for scheme in self.schemes_of(match):
                    distinct[Clue("scheme", self.raw(match.start, match.end), scheme)] = None
        return tuple(distinct)

    def _applied(self, meaning: Meaning) -> str:
        """Return the value of a meaning; of a place that registers do not state, the region around it."""
        places = self.lexicon.places.get(meaning.value, {}).values() if meaning.kind == "place" else ()
        return next((place.region for place in places if place.wider and place.region), meaning.value)

    def within(self, start: int, end: int) -> range:
        """Return the words that are wholly between two positions of the text."""
        first = bisect_left(self.words, start, key=lambda word: word.start)
        return range(first, max(first, bisect_right(self.words, end, key=lambda word: word.end)))

    def raw(self, start: int, end: int) -> str:
        """Return the text from word `start` up to word `end` in its original spelling."""
        return self.text[self.words[start].start : self.words[end - 1].end] if start < end else ""

    def name(self, start: int, end: int) -> str:
        """Return the same as a name, without the possessive of `Microsoft's CIK`."""
        text = self.raw(start, end)
        return _POSSESSIVE.sub("", text) if end < len(self) else text

    def numbers(self) -> list[int]:
        """Return the positions of words with as many digits as identifiers have, one per number."""
        positions: list[int] = []
        before = -1
        for at, word in enumerate(self.words):
            if word.start != before and sum(map(str.isdigit, word.raw)) >= _DIGITS:
                positions.append(at)
            before = word.start
        return positions

    def numbers_asked(self) -> list[int]:
        """Return those of `numbers` that are asked for.

        These are the ones behind a word for numbers, and those listed after them; others in such a text are of an
        invoice, another register or a person. Without such a word all are.
        """
        asked: list[int] = []
        for at in self.numbers():
            if self.ending(0, at, NUMBERS) or (asked and self._is_listed(asked[-1], at)):
                asked.append(at)
        return asked or self.numbers()

    def _is_listed(self, before: int, at: int) -> bool:
        """Check that only joining words stand between two numbers."""
        first = next(start for start in range(before, at + 1) if self.words[start].start > self.words[before].start)
        return self.covered(first, at, JOINING | frozenset[Kind](("or", "and"))) is not None

    def numbers_beside_names(self) -> list[int]:
        """Return those of `numbers` that identify a company beside a name: behind their label, or long ones."""
        if any(self.ending(0, at, NUMBERS) for at in self.numbers()):
            return self.numbers_asked()
        return [at for at in self.numbers() if sum(map(str.isdigit, self.words[at].raw)) >= _LONG]


def _words(text: str, as_written: Mapping[str, str]) -> list[Word]:
    """Split a text into folded words without bullets; `as_written` is for `US`, which folding makes `us`, and `(AR`."""
    words: list[Word] = []
    before = 0
    bullets = {place for bullet in BULLET.finditer(text) for place in range(*bullet.span())}
    for chunk in _CHUNK.finditer(text):
        if chunk.start() in bullets:
            continue
        parted = bool(words) and _GAP.search(text, before, chunk.start()) is not None
        raw = chunk[0]
        bracketed = as_written.get(f"({raw}") if text[: chunk.start()].endswith("(") else None
        folded = bracketed or as_written.get(raw) or fold(raw)
        words += [
            Word(part, chunk.start(), chunk.end(), parted and at == 0, raw) for at, part in enumerate(folded.split())
        ]
        before = chunk.end() if folded else before
    return words
