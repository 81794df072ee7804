"""What a question asks for: its companies, and what it says of them beside their names.

A text is read in several ways, because a name may hold any word of a question (`Banco de Chile`, `México Sport SA`): whole,
as a plain search would take it; without what stands around the name (`¿cuál es el RUC de …?`, `…, Colombia, active`); and
torn, without the words that describe a company (`la petrolera argentina …`). Whoever plans tries them and keeps the one
that fits best. Text is data: nothing in it is run, and what is not understood stays part of the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from padron.country import Country
from padron.search.lexicon import Found, Kind, Lexicon, Meaning, QuestionLanguage
from padron.search.tags import Filters, stem
from padron.text import fold

Aspect = Literal["country", "status", "activity", "legalForm", "region", "hasFinancials", "listed"]
"""What can be understood of companies beside their names, and asked not to be."""

ASPECTS: Final[tuple[Aspect, ...]] = (
    "country", "status", "activity", "legalForm", "region", "hasFinancials", "listed",
)  # fmt: skip

MOST_COMPANIES: Final = 8
"""Companies of one question that are looked for; the others are told."""

_ASPECT_OF: Final[Mapping[Kind, Aspect]] = {
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
_CHUNK = re.compile(r"[^\s,;:()\[\]{}|¿?¡!\"“”«»„…—–]+")
_GAP = re.compile(r"[,;:()\[\]{}|¿?¡!…—–]|\s-\s")
_QUOTED = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|«([^»]{2,})»|„([^“”]{2,})[“”]")
_POSSESSIVE = re.compile(r"['’]s$")
_DIGITS: Final = 5
_MOST_UNKNOWN: Final = 3

_POLITE: Final = frozenset[Kind](("ask", "polite"))
_NUMBERS: Final = frozenset[Kind](("scheme", "foreignScheme", "number"))
_STATES: Final = frozenset[Kind](("status", "listed", "financials"))
_PLACES: Final = frozenset[Kind](("country", "uncovered", "place"))
_DESCRIBING: Final = (
    _PLACES | _STATES | frozenset[Kind](("company", "companies", "nature", "activity", "topic", "legalForm"))
)
_OR: Final = frozenset[Kind](("or",))
_JOINING: Final = frozenset[Kind](("joining",))
_ATTRIBUTES: Final = _DESCRIBING | _NUMBERS | _POLITE | _JOINING
_COUNTRIES: Final = frozenset[Kind](("country", "uncovered"))
_NOUNS: Final = frozenset[Kind](("company", "companies", "activity", "topic"))
_NONE: Final = frozenset[Kind]()
_ARTICLES: Final = frozenset("el la los las the a o os as un una uma an".split())
_INTO: Final = frozenset("en in no na nos nas em at".split())
_OF: Final = frozenset("de del da do of from para for".split())
_COMPANY: Final = frozenset("empresa compania companhia company firm firma".split())


class Word(NamedTuple):
    """A folded word of a text, where it stands, whether a mark parts it from the word before, and how it was written."""

    text: str
    start: int
    end: int
    parted: bool
    raw: str


class Understood(NamedTuple):
    """Something a text says beside a name: its aspect or `scheme`, the words that say it, and the value."""

    aspect: Aspect | Literal["scheme"]
    text: str
    value: str


class Reading(NamedTuple):
    """One way to take the name of a company; `country` the text points to, `uncovered` one that no register here covers.

    `whole`: as a plain search takes the text. `bare`: without what stands around the name. `torn`: without the words that
    describe the company either.
    """

    how: Literal["whole", "bare", "torn"]
    name: str
    country: str | None = None
    uncovered: str | None = None


class Asked(NamedTuple):
    """A company asked for: how it is called, the readings of that, likeliest first, and the scheme of number asked for."""

    text: str
    readings: tuple[Reading, ...]
    scheme: str | None
    number: bool


class Listing(NamedTuple):
    """A list asked for: country, filters, and key of the activity.

    `many`: it speaks of companies as such. `sure` unless words are left that only labels of activities may explain. `found`: what says all this.
    """

    country: str | None
    uncovered: str | None
    filters: Filters
    activity: str | None
    many: bool
    sure: bool
    found: tuple[Found, ...]


class Interpretation(NamedTuple):
    """What was made of a text.

    `question`: it says more than a name does. `several`: `companies` were asked for as such, else it takes all of them to
    be found to believe it. `left`: companies beyond `MOST_COMPANIES`.
    """

    language: QuestionLanguage
    question: bool
    companies: tuple[Asked, ...]
    several: bool
    left: int
    listing: Listing | None
    understood: tuple[Understood, ...]


class Understander:
    """Reads questions by the words of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self.lexicon = Lexicon(registry)
        self._scheme_countries: dict[str, set[str]] = {}
        for code, country in registry.items():
            for scheme in country.schemes:
                self._scheme_countries.setdefault(scheme.code, set()).add(code)

    def understand(self, text: str, ignored: frozenset[Aspect] = frozenset()) -> Interpretation:
        """What `text` asks for; nothing is understood of the aspects `ignored`."""
        return _Text(text, self.lexicon, self._scheme_countries, ignored).interpretation()


class _Text:
    """One text being read."""

    def __init__(
        self, text: str, lexicon: Lexicon, schemes: Mapping[str, set[str]], ignored: frozenset[Aspect]
    ) -> None:
        self._text = text
        self._lexicon = lexicon
        self._schemes = schemes
        self._ignored = ignored
        self._words = _words(text)
        self._folded = [word.text for word in self._words]
        self._asking: Counter[QuestionLanguage] = Counter()
        self._apart = False

    def interpretation(self) -> Interpretation:
        """All of it."""
        quoted = [part for match in _QUOTED.finditer(self._text) for part in match.groups() if part and fold(part)]
        numbers = _numbers(self._words)
        core, attributes = self._core(0, len(self._words))
        question = self._is_question(attributes)
        listing = None if quoted or numbers else self._listing()
        several, left = False, 0
        if quoted:
            companies, attributes = self._quoted(quoted)
            several = len(quoted) > 1
        elif numbers:
            companies, several = self._numbered(numbers), len(numbers) > 1
        else:
            companies, several = self._named(core, attributes, question)
        if len(companies) > MOST_COMPANIES:
            companies, left = companies[:MOST_COMPANIES], len(companies) - MOST_COMPANIES
        if listing:
            attributes += listing.found
        return Interpretation(
            self._language(),
            question or bool(quoted),
            tuple(companies),
            several,
            left,
            listing,
            self._understood(attributes),
        )

    # --- what stands around the name ----------------------------------------------------------------------------------

    def _core(self, start: int, end: int) -> tuple[tuple[int, int], list[Found]]:
        """The words of the name between `start` and `end`, and what was found around them."""
        around: list[Found] = []
        before = (-1, -1)
        while before != (start, end) and start < end:
            before = (start, end)
            start = self._strip_left(start, end, around)
            end = self._strip_right(start, end, around)
            start, end = self._strip_segments(start, end, around)
        return (start, end), around

    def _strip_left(self, start: int, end: int, around: list[Found]) -> int:
        """Where the name begins behind asking, politeness, words for numbers, and one joining phrase after these."""
        first = start
        if start + 1 < end and self._folded[start] in _ARTICLES and self._longest(start + 1, end, _NUMBERS):
            start += 1
        while found := self._longest(start, end, _POLITE | _NUMBERS):
            around.append(found)
            start = found.end
            if (
                found.meaning.kind in _NUMBERS
                and self._longest(start, end, _OR)
                and self._longest(start + 1, end, _NUMBERS)
            ):
                start += 1
                continue
            if start < end and (state := self._longest(start, end, _STATES)) and state.end < end:
                around.append(state)
                start = state.end
            if start < end and (joining := self._longest(start, end, _JOINING)):
                start = joining.end
        if start == first and self._marked() and start < end and self._folded[start] in _OF:
            start += 1
        if start + 1 < end and self._folded[start] in _ARTICLES and self._folded[start + 1] in _COMPANY:
            rest = start + 2
            if rest < end and not self._longest(rest, end, _DESCRIBING | _JOINING):
                start = rest
        return start

    def _strip_right(self, start: int, end: int, around: list[Found]) -> int:
        """Where the name ends before asking, politeness, words for numbers, and words for states."""
        kinds = _POLITE | _NUMBERS | _STATES
        while start < end and (
            found := next(self._allowed(self._lexicon.ending(self._folded, start, end, kinds)), None)
        ):
            if found.start == start and not around:
                break
            around.append(found)
            end = found.start
            if start < end and (joining := next(self._lexicon.ending(self._folded, start + 1, end, _JOINING), None)):
                end = joining.start if joining.end - joining.start > 1 else end
        return end

    def _strip_segments(self, start: int, end: int, around: list[Found]) -> tuple[int, int]:
        """Without the parts between commas, at either end, that only say something of the company."""
        while (cut := self._last_cut(start, end)) is not None and (found := self._explained(cut, end)):
            around += found
            end = cut
        while (cut := self._first_cut(start, end)) is not None and (found := self._explained(start, cut)):
            around += found
            start = cut
        return start, end

    def _last_cut(self, start: int, end: int) -> int | None:
        return next((at for at in range(end - 1, start, -1) if self._words[at].parted), None)

    def _first_cut(self, start: int, end: int) -> int | None:
        return next((at for at in range(start + 1, end) if self._words[at].parted), None)

    def _explained(self, start: int, end: int) -> list[Found] | None:
        """What a stretch of words says of a company, None if any word is not explained or nothing is said."""
        found = self._covered(start, end, _ATTRIBUTES)
        if found is None or (_PLACES | _STATES | _NUMBERS | _POLITE).isdisjoint(one.meaning.kind for one in found):
            return None
        self._apart = True
        return [one for one in found if one.meaning.kind != "joining"]

    def _covered(self, start: int, end: int, kinds: frozenset[Kind]) -> list[Found] | None:
        """Phrases that explain every word between `start` and `end`, the longest first; None where one is not."""
        found: list[Found] = []
        while start < end:
            one = self._longest(start, end, kinds)
            if one is None:
                return None
            found.append(one)
            start = one.end
        return found

    def _longest(self, start: int, end: int, kinds: frozenset[Kind]) -> Found | None:
        return next(self._allowed(self._lexicon.starting(self._folded, start, end, kinds)), None)

    def _allowed(self, found: Iterator[Found], lenient: bool = False) -> Iterator[Found]:
        """Those of `found` that are not of an aspect to be ignored; single words must be `lenient` or in a question."""
        for one in found:
            weak = one.meaning.kind in {"ask", "status", "listed"} and one.end - one.start == 1
            if _ASPECT_OF.get(one.meaning.kind) in self._ignored or (weak and not lenient and not self._marked()):
                continue
            if one.meaning.kind == "ask":
                self._count(one)
            yield one

    def _count(self, one: Found) -> None:
        for language in self._lexicon.languages[" ".join(self._folded[one.start : one.end])]:
            self._asking[language] += one.end - one.start

    def _marked(self) -> bool:
        """Whether the text bears a sign of a question, so that its little words may be taken for asking."""
        text, folded = self._text, self._folded
        if "?" in text or "," in text or any(word.parted for word in self._words):
            return True
        signs = _NUMBERS | frozenset[Kind](("polite",))
        if any(
            next(self._lexicon.starting(folded, at, len(folded), signs), None) for at in (0, len(folded) - 1) if folded
        ):
            return True
        first = next(self._lexicon.starting(folded, 0, len(folded), frozenset({"ask"})), None)
        return first is not None and (first.end > 1 or self._text[:1].islower())

    def _is_question(self, around: Sequence[Found]) -> bool:
        """Whether what was found around the name says that this is more than a name."""
        strong = [one for one in around if one.meaning.kind in _POLITE | _NUMBERS and not self._is_weak(one)]
        return bool(strong) or self._apart or "?" in self._text

    def _is_weak(self, one: Found) -> bool:
        return one.meaning.kind == "ask" and one.end - one.start == 1

    def _language(self) -> QuestionLanguage:
        """The language that asks; Spanish where nothing tells."""
        return max(self._asking, key=lambda language: (self._asking[language], language == "es"), default="es")

    # --- companies ------------------------------------------------------------------------------------------------------

    def _quoted(self, quoted: Sequence[str]) -> tuple[list[Asked], list[Found]]:
        """The companies named in quotes, and what is said outside these."""
        outside = _words(_QUOTED.sub(lambda match: " " * len(match[0]), self._text))
        self._words, self._folded = outside, [word.text for word in outside]
        found = self._scattered(0, len(outside))
        country, uncovered, scheme = self._pointed(found)
        whole = [Reading("whole", self._text)] if len(quoted) == 1 else []
        names = [part.strip() for part in quoted]
        readings = [(Reading("bare", name, country, uncovered), *whole) for name in names]
        return [Asked(*one, scheme, number=False) for one in zip(names, readings, strict=True)], found

    def _scattered(self, start: int, end: int) -> list[Found]:
        """All that a stretch of words says, whatever stands between."""
        found: list[Found] = []
        while start < end:
            one = self._longest(start, end, _ATTRIBUTES)
            if one and one.meaning.kind != "joining":
                found.append(one)
            start = one.end if one else start + 1
        return found

    def _numbered(self, numbers: Sequence[int]) -> list[Asked]:
        """The companies of numbers: one number with all that is said around it, several each with its scheme."""
        if len(numbers) == 1:
            scheme = self._pointed(self._scattered(0, len(self._words)))[2]
            start, end = self._around_number(numbers[0])
            text = self._raw(start, end)
            return [Asked(text, (Reading("bare", text),), scheme, number=True)]
        asked = []
        said = ""
        before = 0
        for at in numbers:
            for one in self._scattered(before, at):
                if one.meaning.kind == "scheme":
                    said = self._raw(one.start, one.end)
            text = f"{said} {self._words[at].raw}".strip()
            asked.append(Asked(text, (Reading("bare", text),), None, True))
            before = at + 1
        return asked

    def _around_number(self, at: int) -> tuple[int, int]:
        """The words around a number without those that ask."""
        start, end = 0, len(self._words)
        while start < at and (found := self._longest(start, end, _POLITE)) and found.end <= at:
            start = found.end
        while start < at and self._folded[start] in _ARTICLES:
            start += 1
        while end > at + 1 and (
            found := next(self._allowed(self._lexicon.ending(self._folded, at + 1, end, _POLITE)), None)
        ):
            end = found.start
        return start, end

    def _named(self, core: tuple[int, int], around: list[Found], question: bool) -> tuple[list[Asked], bool]:
        """The companies named in the core of the text, and whether several were surely asked for."""
        country, uncovered, scheme = self._pointed(around)
        parts, sure = self._parts(*core)
        if len(parts) > 1:
            several = []
            for start, end in parts:
                extra: list[Found] = []
                (first, last), extra = self._core(start, end)
                if first == last:
                    continue
                around += extra
                own = self._pointed(extra)
                tells = own[0] or own[1]
                readings = self._readings(first, last, *(own[:2] if tells else (country, uncovered)))
                several.append(Asked(self._raw(first, last), tuple(readings), own[2] or scheme, False))
            if len(several) > 1 and sure:
                return several, True
        one = self._readings(*core, country, uncovered)
        whole = Reading("whole", self._text)
        text = self._raw(*core) or self._text.strip()
        if not question:
            others = [reading for reading in one if not _same(reading, whole)]
            torn_first = bool(others) and others[0].how == "torn"
            one = [*others[:torn_first], whole, *others[torn_first:]]
        elif not one:
            one = [whole]
        single = Asked(text, tuple(one), scheme, False)
        if len(parts) > 1 and len(several) > 1:
            return [single, *several], False
        return [single], False

    def _parts(self, start: int, end: int) -> tuple[list[tuple[int, int]], bool]:
        """The stretches of a name that may be companies of their own, and whether that is sure."""
        parts: list[tuple[int, int]] = []
        signs = 0
        first = start
        for at in range(start, end):
            word = self._words[at]
            between = next(self._lexicon.starting(self._folded, at, at + 1, frozenset({"or", "and"})), None)
            if word.parted and at > first:
                parts.append((first, at))
                first = at
            if between and word.raw.isalpha() and first < at < end - 1 or (between and at == first and parts):
                if first < at:
                    parts.append((first, at))
                first = at + 1
                signs += between.meaning.kind == "or"
                signs += first < end and self._folded[first] in _OF
                signs += first < end and self._longest(first, end, _NUMBERS) is not None
        parts.append((first, end))
        parts = [(low, high) for low, high in parts if low < high]
        plural = any(
            word.text in {"ciks", "rucs", "nits", "cnpjs", "cuits", "rfcs", "their", "sus"} for word in self._words
        )
        compared = self._folded[:1] and self._folded[0] in {"compara", "compare", "comparar"}
        return parts, bool(signs or plural or compared)

    def _readings(self, start: int, end: int, country: str | None, uncovered: str | None) -> list[Reading]:
        """How the name between two words may be taken."""
        if start >= end:
            return []
        name = self._raw(start, end, possessive=False)
        bare = Reading("bare", name, country, uncovered)
        described = self._described(start, end)
        torn = [self._torn(first, told, end, bare) for first, told in described]
        torn = [reading for reading in torn if not _same(reading, bare)]
        place = self._place(start, end)
        stands_in = place is not None and self._folded[place.start - 1] in _INTO
        likely = self._has_article(start) if described[0][1] else stands_in
        return [*torn, bare] if likely else [bare, *torn]

    def _place(self, start: int, end: int) -> Found | None:
        """The place at the end of a name, where that is not all of it."""
        return next(self._allowed(self._lexicon.ending(self._folded, start + 1, end, _PLACES)), None)

    def _has_article(self, start: int) -> bool:
        return not _ARTICLES.isdisjoint(self._folded[max(0, start - 1) : start + 1])

    def _torn(self, start: int, told: list[Found], end: int, bare: Reading) -> Reading:
        """The name behind the words that describe the company, without the place behind it."""
        place = self._place(start, end)
        if place and (not told or self._folded[place.start - 1] in _INTO):
            end = place.start - (self._folded[place.start - 1] in _INTO | _OF)
            told = [place, *told]
        if end <= start:
            return bare
        country, uncovered, _ = self._pointed(told)
        return Reading(
            "torn", self._raw(start, end, possessive=False), country or bare.country, uncovered or bare.uncovered
        )

    def _described(self, start: int, end: int) -> list[tuple[int, list[Found]]]:
        """Where the name may begin behind words that describe the company, and what these say; nearest first.

        Without an article before them it takes a country and a word for a company or an activity to believe it: names
        begin with such words too. They may go on into the name: the shortest and the longest description are given.
        """
        article = self._has_article(start)
        at, found, strange = start, list[Found](), 0
        ends: list[tuple[int, list[Found], int]] = []
        while at < end - 1:
            one = self._longest(at, end, _DESCRIBING | _JOINING)
            placed = any(told.meaning.kind in _COUNTRIES for told in found)
            named = any(told.meaning.kind in _NOUNS for told in found)
            if one and one.end < end and not (placed and one.meaning.kind in _COUNTRIES):
                found = [*found, one]
                at = one.end
            elif strange < 2 and not (placed and named) and self._describes_on(at, end, article, placed):
                strange += 1
                at += 1
            else:
                break
            if one and one.meaning.kind != "joining":
                ends.append((at, found, _description(found, article, strange)))
        believed = max((one[2] for one in ends), default=0)
        best = [(at, found) for at, found, degree in ends if degree == believed > 0]
        return [best[0], best[-1]] if len(best) > 1 else best or [(start, [])]

    def _describes_on(self, at: int, end: int, article: bool, placed: bool) -> bool:
        """Whether an unknown word may be part of a description: `la panadería argentina …`, `US payments company …`."""
        return self._follows(at, end, _NOUNS if placed else _COUNTRIES if article else _NONE)

    def _follows(self, at: int, end: int, kinds: frozenset[Kind]) -> bool:
        """Whether one of the next words but one is of some kind: `la panadería argentina …`, `US payments company …`."""
        return any(self._longest(next_, end, kinds) for next_ in range(at + 1, min(at + 3, end)))

    # --- lists ----------------------------------------------------------------------------------------------------------

    def _listing(self) -> Listing | None:
        """The list of companies that the whole text describes, if nothing in it is a name."""
        covered = self._cover()
        if covered is None:
            return None
        found, unknown = covered
        by_kind: dict[Kind, Meaning] = {}
        for one in found:
            by_kind.setdefault(one.meaning.kind, one.meaning)
        many = self._plural() or ("listed" in by_kind and "topic" in by_kind)
        activity = by_kind.get("activity") or (by_kind.get("topic") if many else None)
        if not (activity or many) or (unknown and not many):
            return None
        country, uncovered, _ = self._pointed(found)
        place = self._lexicon.places[by_kind["place"].value] if "place" in by_kind else None
        if place:
            country = country or place.country
        if not (country or uncovered or self._marked() or (activity and many)):
            return None
        tags = self._lexicon.activities[activity.value].tags if activity else {}
        filters = Filters(
            status=by_kind["status"].value if "status" in by_kind else None,
            form=by_kind["legalForm"].value if "legalForm" in by_kind else None,
            region=place.region if place else None,
            cities=place.cities if place else (),
            financials=True if "financials" in by_kind else None,
            listed=True if "listed" in by_kind else None,
            activity=tags.get(country, ("activity:none",)) if country else _all(tags),
            words=tuple(stem(word) for word in unknown),
        )
        return Listing(
            country, uncovered, filters, activity.value if activity else None, many, not unknown, tuple(found)
        )

    def _plural(self) -> bool:
        """Whether the text speaks of companies as such."""
        ends = range(1, len(self._words) + 1)
        companies = frozenset[Kind](("companies",))
        return any(next(self._lexicon.ending(self._folded, end - 1, end, companies), None) for end in ends)

    def _cover(self) -> tuple[list[Found], list[str]] | None:
        """What the words of the whole text say, and those that say nothing; None where too many do not."""
        kinds = _ATTRIBUTES | frozenset[Kind](("or", "and"))
        found: list[Found] = []
        unknown: list[str] = []
        at = 0
        while at < len(self._words):
            one = next(self._allowed(self._lexicon.starting(self._folded, at, len(self._words), kinds), True), None)
            if one is None:
                unknown.append(self._folded[at])
                at += 1
                if len(unknown) > _MOST_UNKNOWN:
                    return None
                continue
            if one.meaning.kind not in {"joining", "or", "and"}:
                found += self._others(one)
            at = one.end
        return found, unknown

    def _others(self, one: Found) -> list[Found]:
        """A phrase in all its meanings that describe companies."""
        same = self._allowed(self._lexicon.starting(self._folded, one.start, one.end, _DESCRIBING), True)
        return [other for other in same if other.end == one.end] or [one]

    # --- what is understood ---------------------------------------------------------------------------------------------

    def _pointed(self, found: Sequence[Found]) -> tuple[str | None, str | None, str | None]:
        """The country, the country that is not covered, and the scheme that phrases point to."""
        country = uncovered = None
        schemes: list[str] = []
        for one in found:
            kind, value = one.meaning
            if kind == "country":
                country = country or value
            elif kind in {"uncovered", "foreignScheme"} and "country" not in self._ignored:
                uncovered = uncovered or value
            elif kind == "scheme":
                schemes.append(value)
        scheme = schemes[0] if len(set(schemes)) == 1 else None
        if country is None and uncovered is None:
            places = [self._lexicon.places[one.meaning.value].country for one in found if one.meaning.kind == "place"]
            countries = self._schemes.get(scheme or "", set())
            if places:
                country = places[0]
            elif len(countries) == 1 and "country" not in self._ignored:
                (country,) = countries
        return (None, uncovered, scheme) if uncovered and not country else (country, None, scheme)

    def _understood(self, found: Sequence[Found]) -> tuple[Understood, ...]:
        """What phrases say, in the order of the text, each once."""
        told: dict[Understood, None] = {}
        for one in sorted(found, key=lambda one: (one.start, one.end)):
            kind, value = one.meaning
            if kind in _ASPECT_OF:
                told[Understood(_ASPECT_OF[kind], self._raw(one.start, one.end), value)] = None
            elif kind == "scheme":
                told[Understood("scheme", self._raw(one.start, one.end), value)] = None
        return tuple(told)

    def _raw(self, start: int, end: int, *, possessive: bool = True) -> str:
        """The text from one word up to another, as it was written."""
        if start >= end:
            return ""
        text = self._text[self._words[start].start : self._words[end - 1].end]
        follows = end < len(self._words) and not possessive
        return _POSSESSIVE.sub("", text) if follows else text


def _words(text: str) -> list[Word]:
    """The words of a text; `US` in capitals is a country."""
    words: list[Word] = []
    before = 0
    for chunk in _CHUNK.finditer(text):
        parted = bool(words) and _GAP.search(text, before, chunk.start() + 1) is not None
        raw = chunk[0]
        folded = "usa" if raw in {"US", "U.S.", "U.S"} else fold(raw)
        for at, part in enumerate(folded.split()):
            words.append(Word(part, chunk.start(), chunk.end(), parted and at == 0, raw))
        before = chunk.end()
    return words


def _numbers(words: Sequence[Word]) -> list[int]:
    """The places of the words that are written with the digits of an identifier, one a number."""
    found: list[int] = []
    for at, word in enumerate(words):
        many = sum(map(str.isdigit, word.raw)) >= _DIGITS
        if many and not (found and words[found[-1]].start == word.start):
            found.append(at)
    return found


def _description(found: Sequence[Found], article: bool, strange: int) -> int:
    """How surely phrases describe a company, rather than begin its name: 0 not at all, 2 by country and by kind."""
    kinds = {one.meaning.kind for one in found}
    tells, company = bool(kinds & _COUNTRIES), bool(kinds & _NOUNS) or strange > 0
    return 2 if tells and company else int(article and (tells or company or "legalForm" in kinds))


def _same(one: Reading, other: Reading) -> bool:
    return fold(one.name) == fold(other.name) and one.country == other.country


def _all(tags: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for some in tags.values() for tag in some))
