"""A question as words, and the phrases of the lexicon in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from padron.questions.interpretation import Aspect, Understood
from padron.questions.lexicon import Found, Kind, Lexicon, QuestionLanguage
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
"""Words of questions that names have as well: they count only beside a digit, a comma or a question mark."""
_WEAK: Final = frozenset[Kind](("ask", "status", "listed"))
_CHUNK = re.compile(r"[^\s,;:()\[\]{}|¿?¡!\"“”«»„…—–]+")
_GAP = re.compile(r"[,;:()\[\]{}|¿?¡!…—–]")
_POSSESSIVE = re.compile(r"['’]s$")
_DIGITS: Final = 5


class Word(NamedTuple):
    """A folded word, where it stands, whether a mark parts it from the word before, and how it was written."""

    text: str
    start: int
    end: int
    parted: bool
    raw: str


class Pointed(NamedTuple):
    """Where phrases point to: a country, one that is not covered, and the schemes a number may be of."""

    country: str | None
    uncovered: str | None
    schemes: tuple[str, ...]


class Phrases:
    """The words of one text; nothing is found of the aspects `ignored`.

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

    def longest(self, start: int, end: int, kinds: frozenset[Kind]) -> Found | None:
        """The longest phrase of some kinds that begins at a word and is over by `end`."""
        return next(self._allowed(self.lexicon.starting(self.folded, start, end, kinds)), None)

    def ending(self, start: int, end: int, kinds: frozenset[Kind]) -> Found | None:
        """The longest phrase of some kinds that ends before word `end` and begins at `start` or later."""
        return next(self._allowed(self.lexicon.ending(self.folded, start, end, kinds)), None)

    def covered(self, start: int, end: int, kinds: frozenset[Kind]) -> list[Found] | None:
        """Phrases that explain every word of a stretch, the longest first; None where one is not."""
        found: list[Found] = []
        while start < end:
            one = self.longest(start, end, kinds)
            if one is None:
                return None
            found.append(one)
            start = one.end
        return found

    def scattered(self, start: int, end: int) -> list[Found]:
        """All that a stretch of words says, whatever stands between."""
        found: list[Found] = []
        while start < end:
            one = self.longest(start, end, ATTRIBUTES)
            if one and one.meaning.kind != "joining":
                found.append(one)
            start = one.end if one else start + 1
        return found

    def explained(self, most_unknown: int) -> tuple[list[Found], list[str]] | None:
        """What all words say, in every meaning that describes companies, and those that say nothing.

        None where more than `most_unknown` do not.
        """
        kinds = ATTRIBUTES | frozenset[Kind](("or", "and"))
        found: list[Found] = []
        unknown: list[str] = []
        at, end = 0, len(self)
        while at < end:
            one = next(self._allowed(self.lexicon.starting(self.folded, at, end, kinds), lenient=True), None)
            if one is None:
                unknown.append(self.folded[at])
                if len(unknown) > most_unknown:
                    return None
            elif one.meaning.kind not in {"joining", "or", "and"}:
                same = self._allowed(self.lexicon.starting(self.folded, at, one.end, DESCRIBING), lenient=True)
                found += [other for other in same if other.end == one.end] or [one]
            at = one.end if one else at + 1
        return found, unknown

    def speaks_of_companies(self) -> bool:
        """Whether any word is one for companies as such."""
        companies = frozenset[Kind](("companies",))
        return any(self.ending(end - 1, end, companies) for end in range(1, len(self) + 1))

    @cached_property
    def marked(self) -> bool:
        """Whether the text bears a sign of a question, so that single little words may be taken for asking."""
        end = len(self)
        if "?" in self.text or any(word.parted for word in self.words):
            return True
        signs = NUMBERS | frozenset[Kind](("polite",))
        outer = [next(self.lexicon.starting(self.folded, at, end, signs), None) for at in (0, end - 1)] if end else []
        if any(one is not None and not self._is_name_like(one) for one in outer):
            return True
        first = next(self.lexicon.starting(self.folded, 0, end, frozenset[Kind](("ask",))), None)
        return first is not None and (first.end > 1 or self.text[:1].islower())

    def is_weak(self, one: Found) -> bool:
        """Whether a phrase is a single word that names have as well."""
        return one.meaning.kind in _WEAK and one.end - one.start == 1

    def _allowed(self, found: Iterator[Found], *, lenient: bool = False) -> Iterator[Found]:
        """Those of `found` that may be understood; weak ones only in a marked text, or where `lenient`."""
        for one in found:
            if ASPECT_OF.get(one.meaning.kind) in self._ignored or self._is_name_like(one):
                continue
            if self.is_weak(one) and not lenient and not self.marked:
                continue
            if one.meaning.kind == "ask":
                said = " ".join(self.folded[one.start : one.end])
                self._asking.update(dict.fromkeys(self.lexicon.languages[said], one.end - one.start))
            yield one

    def _is_name_like(self, one: Found) -> bool:
        """Whether a phrase is one of `_NAME_LIKE` and nothing bears it out: `Hi Alterna`, `Imp Exp`."""
        alone = one.end - one.start == 1 and self.folded[one.start] in _NAME_LIKE
        return alone and not any(sign.isdigit() or sign in "?," for sign in self.text)

    def language(self) -> QuestionLanguage:
        """The language that asks; Spanish where nothing tells."""
        return max(self._asking, key=lambda language: (self._asking[language], language == "es"), default="es")

    def pointed(self, found: Sequence[Found]) -> Pointed:
        """Where phrases point to: a country that is named before one that a place or a scheme implies."""
        by_kind: dict[Kind, list[str]] = {}
        for one in found:
            by_kind.setdefault(one.meaning.kind, []).append(one.meaning.value)
        schemes = self._schemes_asked(found)
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
        """The one country of several that is meant: the only one, or the one the answer is limited to."""
        if len(countries) == 1:
            return next(iter(countries))
        return self._country if self._country in countries else None

    def schemes_of(self, word: Found) -> tuple[str, ...]:
        """The schemes that a word for numbers may mean: of the countries named or asked for, where they have any."""
        schemes = self.lexicon.values(self.folded[word.start : word.end], "scheme")
        own = {code for code in schemes if not self._countries.isdisjoint(self._schemes[code])}
        return tuple(sorted(own or schemes))

    def _schemes_asked(self, found: Sequence[Found]) -> tuple[str, ...]:
        """The schemes that are asked for; none where the words for numbers mean different ones."""
        choices = {self.schemes_of(one) for one in found if one.meaning.kind == "scheme"}
        return choices.pop() if len(choices) == 1 else ()

    @cached_property
    def _countries(self) -> frozenset[str]:
        """The country that the answer is limited to, else those that the text names anywhere."""
        if self._country:
            return frozenset((self._country,))
        named = frozenset[Kind](("country",))
        phrases = (self.longest(start, len(self), named) for start in range(len(self)))
        return frozenset(phrase.meaning.value for phrase in phrases if phrase)

    def understood(self, found: Sequence[Found]) -> tuple[Understood, ...]:
        """What phrases say beside names, in the order of the text, each once."""
        told: dict[Understood, None] = {}
        for one in sorted(found, key=lambda one: (one.start, one.end)):
            kind, value = one.meaning
            if kind in ASPECT_OF:
                told[Understood(ASPECT_OF[kind], self.raw(one.start, one.end), value)] = None
            elif kind == "scheme":
                for scheme in self.schemes_of(one):
                    told[Understood("scheme", self.raw(one.start, one.end), scheme)] = None
        return tuple(told)

    def raw(self, start: int, end: int) -> str:
        """The text from one word up to another, as it was written."""
        return self.text[self.words[start].start : self.words[end - 1].end] if start < end else ""

    def name(self, start: int, end: int) -> str:
        """The same as a name: without the ending of `Microsoft's CIK`."""
        text = self.raw(start, end)
        return _POSSESSIVE.sub("", text) if end < len(self) else text

    def numbers(self) -> list[int]:
        """The words written with as many digits as identifiers have, one a number."""
        found: list[int] = []
        for at, word in enumerate(self.words):
            many = sum(map(str.isdigit, word.raw)) >= _DIGITS
            if many and not (found and self.words[found[-1]].start == word.start):
                found.append(at)
        return found


def _words(text: str, as_written: Mapping[str, str]) -> list[Word]:
    """Split a text into folded words; `as_written` replaces spellings such as `US`, which folding would make `us`."""
    words: list[Word] = []
    before = 0
    for chunk in _CHUNK.finditer(text):
        parted = bool(words) and _GAP.search(text, before, chunk.start()) is not None
        raw = chunk[0]
        folded = as_written.get(raw) or fold(raw)
        words += [
            Word(part, chunk.start(), chunk.end(), parted and at == 0, raw) for at, part in enumerate(folded.split())
        ]
        before = chunk.end()
    return words
