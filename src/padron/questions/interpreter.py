"""Interpretation of questions: the companies they ask for, and the clues around their names.

Names of the index inside the text come first (`named`). Else a text is read in several ways, because a name may hold
any word of a question (`Banco de Chile`, `México Sport SA`): whole, as a plain search reads it; without the words
around the name (`¿cuál es el RUC de …?`, `…, Colombia, active`); and torn, without the words that describe a company
(`la petrolera argentina …`). The plan tries them and keeps the best. Text is data: nothing in it is run, and unknown
words stay part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.index.spans import NameSpan
from padron.index.tags import NO_ACTIVITY, Filters, stem
from padron.matching.symbols import SymbolReader
from padron.questions.asked import AskedReader
from padron.questions.denied import Denial, blanked, denials
from padron.questions.interpretation import Aspect, ListRequest, QuestionInterpretation, RequestedCompany, TextReading
from padron.questions.lexicon import OF_LISTS, Kind, Lexicon, Meaning, PhraseMatch
from padron.questions.named import NamedWords, capital_name, requested_names, telling_names, whole_names
from padron.questions.names import IN, Core, core, parts, readings, same
from padron.questions.phrases import ASPECT_OF, COUNTRIES, DESCRIBING, JOINING, NUMBERS, PLACES, POLITE, STATES, Phrases
from padron.questions.quotes import Quotes, quotes
from padron.questions.unasked import Relation, RuledOut, asks_for_owner, is_about_another, person, relation, ruled_out
from padron.text import fold

MOST_COMPANIES: Final = 8
"""Companies of one question that are searched: each may take several searches. The rest is counted."""

_NOBODY: Final = RuledOut("", "", "", others=False)
_MOST_UNKNOWN: Final = 3
_MOST_OUTSIDE: Final = 0.2
"""Probability of the words around a name to be in one too, at most, where no capitals tell one from the other."""
_LONGER_THAN_NAMES: Final = 6
"""Words of a text without any sign of a question that is no name."""
_LEAST_ASKED: Final = 0.3
"""Probability that any word is one of a company asked for below which a text asks for none."""
_BRACKET: Final = re.compile(r"[()\[\]{}]")
"""Marks that would be taken for a part of the number that they stand at."""
_SEVERAL: Final = frozenset(
    "businesses companhias companias companies corporations empresas entities firmas firms".split()
)
"""Words for companies as such; other words for several (`industrias`) begin the name of one as often."""
_ASKING: Final = frozenset[Kind](("ask",))
_CALLED: Final = frozenset("called named llamadas llamados llaman chamadas chamados chamam".split())
"""Last words of phrases between a word for companies and what they are called."""
_ACTIVITIES: Final = frozenset[Kind](("activity", "topic"))
_DESCRIBING_LIST: Final = (DESCRIBING - COUNTRIES - STATES) | frozenset(OF_LISTS)
_LISTS: Final = frozenset[Kind](("companies", "activity", "joining"))
"""Kinds of phrases that are a list beside conditions."""
_IN_NAMES: Final = frozenset[Kind](("place", *OF_LISTS))
"""Kinds of phrases that whole names have as often as lists."""
_EMPTY: Final = POLITE | JOINING
"""Kinds of phrases that name and describe nothing."""
_REGISTERED: Final = NUMBERS | STATES | frozenset[Kind](("company",))
"""Kinds of phrases for what registers tell of a company."""
_LABELS: Final = POLITE | NUMBERS | COUNTRIES | JOINING


class _Plural(NamedTuple):
    """A word for companies, and whether the text says what they are called."""

    word: str
    called: bool


class _Companies(NamedTuple):
    """Requested companies, whether several were requested as such, and the phrases around them."""

    asked: list[RequestedCompany]
    several: bool
    around: list[PhraseMatch]


class Interpreter:
    """Interpreter of questions, with the words of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._registry = registry
        self.lexicon = Lexicon(registry)
        self._symbols = SymbolReader(registry)
        self._asked = AskedReader()
        self._schemes: dict[str, set[str]] = {}
        for code, country in registry.items():
            for scheme in country.schemes:
                self._schemes.setdefault(scheme.code, set()).add(code)

    def interpret(
        self,
        text: str,
        ignored: frozenset[Aspect] = frozenset(),
        country: str | None = None,
        spans: Sequence[NameSpan] = (),
        *,
        filtered: bool = False,
    ) -> QuestionInterpretation:
        """Interpret a question.

        Args:
            ignored: Aspects that are left to the name.
            country: The country that the answer is limited to, if any.
            filtered: Whether other conditions stand beside the text.

        Returns:
            The companies or the list asked for, and the clues of the text.
        """
        phrases = Phrases(text, self.lexicon, self._schemes, ignored, country)
        by_rules = self._by_rules(phrases, ignored, country, spans)
        if filtered and not by_rules.listing and phrases.covered(0, len(phrases), _LISTS) is not None:
            by_rules = by_rules._replace(listing=_listing(phrases, spans, filtered=True))
        if by_rules.listing or by_rules.denied or any(company.number for company in by_rules.companies):
            return by_rules
        if is_about_another(phrases, spans):
            return by_rules._replace(aside=True)
        names, probabilities = self._asked.read(phrases, spans)
        if list(names) == [(0, len(phrases))]:
            return by_rules
        inside = {at for start, end in names for at in range(start, end)}
        outside = max((each for at, each in enumerate(probabilities) if at not in inside), default=0.0)
        plain = not (by_rules.question or phrases.parted) and len(phrases) < _LONGER_THAN_NAMES
        if (plain or outside > _MOST_OUTSIDE) and not any(phrases.capitals):
            return by_rules
        asked = _requested(phrases, whole_names(phrases, [NamedWords(*name, held=False) for name in names]))
        held = not by_rules.several and by_rules.companies[0].readings[0].held
        aside = held and max(probabilities, default=0) < _LEAST_ASKED and not _speaks_of_registers(phrases)
        return by_rules._replace(likely=tuple(asked[:MOST_COMPANIES]), aside=aside)

    def _by_rules(
        self,
        phrases: Phrases,
        ignored: frozenset[Aspect],
        country: str | None,
        spans: Sequence[NameSpan],
        persons: int = MOST_COMPANIES,
    ) -> QuestionInterpretation:
        """Interpret a question without the model; `persons`: the most that are told from companies, each anew."""
        text = phrases.text
        if (denied := denials(phrases, spans)) and (others := self._without(denied, phrases, ignored, country, spans)):
            return others
        out = ruled_out(phrases, spans)
        called = person(phrases, spans) if out is None and persons else None
        if called:
            rest = Phrases(called.text, self.lexicon, self._schemes, ignored, country)
            others = self._by_rules(rest, ignored, country, _left(spans, text, called.text), persons - 1)
            if called.others:
                again = fold(called.words)
                more = [words for words in others.persons if fold(words) != again]
                return others._replace(persons=(called.words, *more))
        if out:
            rest = Phrases(out.text, self.lexicon, self._schemes, ignored, country)
            others = self._by_rules(rest, ignored, country, _left(spans, text, out.text))
            if (out.others and others.companies[0].text) or others.listing:
                return others._replace(ruled_out=out.words)
        related = relation(phrases, spans) or Relation("", "")
        quoted, symbol = quotes(text), self._symbols.read(text)
        held = telling_names(phrases, spans)
        numbers = phrases.numbers_beside_names() if held else phrases.numbers_asked()
        core_name = core(phrases, 0, len(phrases))
        question = bool(quoted.names or symbol) or _is_question(phrases, core_name)
        plural = _plural(phrases) if not (numbers or symbol) else _Plural("", False)
        unlisted = quoted.names or numbers or symbol or plural.called or denied
        listing = None if unlisted else _listing(phrases, spans)
        if symbol:
            reading = TextReading("bare", symbol.symbol, symbol.country)
            companies = _Companies([RequestedCompany(symbol.symbol, (reading,), (), number=False)], False, [])
        elif quoted.names:
            companies = self._quoted(phrases, quoted, ignored, country, spans)
        elif numbers:
            companies = _numbered(phrases, numbers, core_name, held)
        elif held and (question or phrases.parted or phrases.mixed):
            companies = _held(phrases, core_name, requested_names(phrases, held, spans), question=question)
        else:
            companies = _named(phrases, core_name, question=question)
        asked = _distinct(companies.asked)
        around = [*companies.around, *(listing.evidence if listing else ())]
        return QuestionInterpretation(
            phrases.language(),
            tuple(asked[:MOST_COMPANIES]),
            companies.several and len(asked) > 1,
            max(0, len(asked) - MOST_COMPANIES),
            listing,
            phrases.clues(around) if not quoted.names else companies.asked[0].readings[0].clues,
            question,
            text,
            out.words if out else "",
            (out or called or _NOBODY).phrase,
            *related,
            (called.words,) if called else (),
            owning=asks_for_owner(phrases, spans),
            plural=plural.word if (listing or plural.called) and len(asked) == 1 else "",
        )

    def _without(
        self,
        denied: Sequence[Denial],
        phrases: Phrases,
        ignored: frozenset[Aspect],
        country: str | None,
        spans: Sequence[NameSpan],
    ) -> QuestionInterpretation | None:
        """Interpret a text without the conditions that it denies; None where it is about one company and its state.

        Companies are denied a country alone, which says nothing more where the text names another country.
        """
        rest = Phrases(blanked(phrases, denied), self.lexicon, self._schemes, ignored, country)
        listing = _listing(rest, _left(spans, phrases.text, rest.text)) if len(rest) else None
        if not (listing and listing.sure):
            denied = [denial for denial in denied if denial.places]
            rest = Phrases(blanked(phrases, denied), self.lexicon, self._schemes, ignored, country)
            if (
                not denied
                or rest.covered(0, len(rest), _EMPTY) is not None
                or "".join(rest.folded) in self.lexicon.forms
            ):
                return None
        others = self._by_rules(rest, ignored, country, _left(spans, phrases.text, rest.text))
        if others.listing:
            dropped = *others.listing.dropped, *(phrases.raw(denial.start, denial.end) for denial in denied)
            return others._replace(listing=others.listing._replace(dropped=dropped), text=phrases.text)
        places = frozenset[str]().union(*(denial.places for denial in denied))
        ways = [reading for company in others.companies for reading in company.readings]
        named = {reading.country or reading.uncovered or "" for reading in ways} - {""}
        if named and named.isdisjoint(places):
            return others
        return others._replace(denied=", ".join(phrases.raw(denial.start, denial.end) for denial in denied))

    def _quoted(
        self,
        phrases: Phrases,
        quoted: Quotes,
        ignored: frozenset[Aspect],
        limited_to: str | None,
        spans: Sequence[NameSpan],
    ) -> _Companies:
        """Read the companies named in quotes, with the clues outside the quotes."""
        outside = Phrases(
            f"{quoted.outside} {self._place(quoted.country)}", self.lexicon, self._schemes, ignored, limited_to
        )
        matches = outside.scattered(0, len(outside))
        country, uncovered, schemes = outside.pointed(matches)
        clues = outside.clues(matches)
        held = [phrases.raw(name.start, name.end) for name in telling_names(phrases, spans)]
        whole = [TextReading("whole", phrases.text)] if len(quoted.names) == 1 and quoted.outside.strip() else []
        asked: list[RequestedCompany] = []
        for name in quoted.names:
            inside = [TextReading("bare", part, country, uncovered, clues, held=True) for part in held if part in name]
            ways = dict.fromkeys([*inside, TextReading("bare", name, country, uncovered, clues), *whole])
            asked.append(RequestedCompany(name, tuple(ways), schemes, number=False))
        return _Companies(asked, len(asked) > 1, matches)

    def _place(self, text: str | None) -> str:
        """Return the country of a call as a question names it: programs write its code."""
        country = self._registry.get((text or "").upper())
        return country.name.en if country else text or ""


def _distinct(asked: Sequence[RequestedCompany]) -> list[RequestedCompany]:
    """Return each company that a text names, in the same words, once."""
    first: dict[tuple[str, str | None], RequestedCompany] = {}
    for company in asked:
        first.setdefault((fold(company.text), company.readings[0].country), company)
    return list(first.values())


def _left(spans: Sequence[NameSpan], text: str, blanked_text: str) -> list[NameSpan]:
    """Return the spans of a text that blanks in it have left."""
    return [span for span in spans if blanked_text[span.start : span.behind] == text[span.start : span.behind]]


def _is_question(phrases: Phrases, name: Core) -> bool:
    """Check that a text is more than a name."""
    strong = [match for match in name.around if match.meaning.kind in POLITE | NUMBERS and not phrases.is_weak(match)]
    return bool(strong) or name.apart or "?" in phrases.text


def _speaks_of_registers(phrases: Phrases) -> bool:
    """Check for a word for a register, for what registers tell of a company, or for searching."""
    words = phrases.lexicon.registers | phrases.lexicon.searching
    attributes = (phrases.longest(at, len(phrases), _REGISTERED) for at in range(len(phrases)))
    return any(attributes) or not words.isdisjoint(phrases.folded)


def _numbered(phrases: Phrases, numbers: Sequence[int], name: Core, held: Sequence[NamedWords]) -> _Companies:
    """Read companies asked for by number: one number with all clues around it, several each with its scheme.

    Args:
        numbers: Index of the word of each number.
        name: The text without the words around a name.

    Returns:
        The companies, each with the names that its number stands beside.
    """
    if len(numbers) == 1:
        start, end = _around_number(phrases, numbers[0])
        text = _BRACKET.sub(" ", _with_labels(phrases, start, end))
        alone = all(any(map(str.isdigit, word.raw)) for word in phrases.words[start:end])
        number = phrases.raw(start, end) if alone else phrases.words[numbers[0]].raw
        pointed = phrases.pointed(phrases.scattered(0, len(phrases)))
        single = RequestedCompany(
            number, (TextReading("bare", text),), pointed.schemes, number=True, beside=_texts(phrases, held)
        )
        return _Companies([single], False, name.around)
    ahead = bool(held) and held[0].start < numbers[0]
    edges = [-1, *numbers] if ahead else [*numbers, len(phrases)]
    asked: list[RequestedCompany] = []
    label_text, before = "", 0
    schemes: tuple[str, ...] = ()
    for at, (first, last) in zip(numbers, pairwise(edges), strict=True):
        for match in phrases.scattered(before, at):
            if match.meaning.kind == "scheme":
                label_text, schemes = phrases.raw(match.start, match.end), phrases.schemes_of(match)
        number = phrases.words[at].raw
        reading = TextReading("bare", f"{label_text} {number}".strip())
        beside = _texts(phrases, [name for name in held if first < name.start < last])
        asked.append(RequestedCompany(number, (reading,), schemes, number=True, beside=beside))
        before = at + 1
    return _Companies(asked, True, name.around)


def _texts(phrases: Phrases, names: Sequence[NamedWords]) -> tuple[str, ...]:
    return tuple(phrases.name(name.start, name.end) for name in names[:MOST_COMPANIES])


def _around_number(phrases: Phrases, at: int) -> tuple[int, int]:
    """Return the span around a number without words that ask, name schemes or countries, or join."""
    start, end = 0, len(phrases)
    while start < at and (match := phrases.longest(start, at, _LABELS, lenient=True)):
        start = match.end
    while match := phrases.ending(at + 1, end, _LABELS, lenient=True):
        end = match.start
    return start, end


def _with_labels(phrases: Phrases, start: int, end: int) -> str:
    """Return a span with the schemes and countries that stand around it in front."""
    around = [*phrases.scattered(0, start), *phrases.scattered(end, len(phrases))]
    labels = [phrases.raw(match.start, match.end) for match in around if match.meaning.kind in {"scheme", "country"}]
    return " ".join([*dict.fromkeys(labels), phrases.raw(start, end)])


def _named(phrases: Phrases, whole_name: Core, *, question: bool) -> _Companies:
    """Read the companies named in a text: several where it says so, else the text and its possible parts."""
    around, pointed = list(whole_name.around), phrases.pointed(whole_name.around)
    stretches, sure = parts(phrases, whole_name.start, whole_name.end, question=question)
    several: list[RequestedCompany] = []
    for start, end in stretches if len(stretches) > 1 else ():
        name = core(phrases, start, end)
        if name.start < name.end:
            own = phrases.pointed(name.around)
            around += name.around if sure else []
            ways = readings(phrases, name.start, name.end, own if own.country or own.uncovered else pointed)
            several.append(
                RequestedCompany(
                    phrases.raw(name.start, name.end), tuple(ways), own.schemes or pointed.schemes, number=False
                )
            )
    if len(several) > 1 and sure:
        return _Companies(several, True, around)
    whole = TextReading("whole", phrases.text)
    ways = readings(phrases, whole_name.start, whole_name.end, pointed)
    if question:
        ways += _in_capitals(phrases, ways)
    if not question:
        others = [reading for reading in ways if not same(reading, whole)]
        likely = bool(others) and others[0].how == "torn" and not others[0].confirming
        ways = [*others[:likely], whole, *others[likely:]]
    text = phrases.raw(whole_name.start, whole_name.end) or phrases.text.strip()
    single = RequestedCompany(text, tuple(ways or [whole]), pointed.schemes, number=False)
    return _Companies([single, *several] if len(several) > 1 else [single], False, around)


def _in_capitals(phrases: Phrases, ways: Sequence[TextReading]) -> list[TextReading]:
    """Read the longest run of words with capitals as the name, unless another reading is the same."""
    if (name := capital_name(phrases)) is None:
        return []
    around = [*phrases.scattered(0, name.start), *phrases.scattered(name.end, len(phrases))]
    country, uncovered, _ = phrases.pointed(around)
    run = TextReading("torn", phrases.name(name.start, name.end), country, uncovered, phrases.clues(around))
    return [] if any(same(run, reading) for reading in ways) else [run]


def _held(phrases: Phrases, whole_name: Core, names: Sequence[NamedWords], *, question: bool) -> _Companies:
    """Read the companies whose names are in the index, and the other items of a list of them."""
    around = _around_names(phrases, names)
    pointed, clues = phrases.pointed(around), phrases.clues(around)
    asked: list[RequestedCompany] = []
    for name in names:
        text = phrases.name(name.start, name.end)
        held = TextReading("bare", text, pointed.country, pointed.uncovered, clues, held=True)
        whole = () if name.held else readings(phrases, name.start, name.end, pointed)
        # without what describes it (`Banco Mundial`), a name that is not held would be any other's
        ways = [held] if name.held else [reading for reading in whole if text.startswith(reading.name)]
        asked.append(RequestedCompany(text, tuple(ways), pointed.schemes, number=False))
    if len(asked) > 1:
        return _Companies(asked, True, around)
    if phrases.numbers():
        return _Companies(asked, False, around)
    by_rules = _named(phrases, whole_name, question=question)
    if by_rules.several:
        return by_rules
    by_rule = by_rules.asked[0].readings
    plain = not question and not phrases.parted
    first = [reading for reading in by_rule if reading.how == "whole" and plain]
    others = [reading for reading in by_rule if reading not in first and not same(reading, asked[0].readings[0])]
    single = asked[0]._replace(readings=(*first, *asked[0].readings, *others))
    return _Companies([single, *([] if names[0].form else by_rules.asked[1:])], False, around)


def _around_names(phrases: Phrases, names: Sequence[NamedWords]) -> list[PhraseMatch]:
    edges = [0, *(at for name in names for at in (name.start, name.end)), len(phrases)]
    return [match for at in range(0, len(edges), 2) for match in phrases.scattered(edges[at], edges[at + 1])]


def _requested(phrases: Phrases, names: Sequence[NamedWords]) -> list[RequestedCompany]:
    """Read each of some names with the words around all of them."""
    around = _around_names(phrases, names)
    pointed, clues = phrases.pointed(around), phrases.clues(around)
    asked: dict[str, RequestedCompany] = {}
    for name in names:
        text = phrases.name(name.start, name.end)
        reading = TextReading("torn", text, pointed.country, pointed.uncovered, clues)
        asked.setdefault(fold(text), RequestedCompany(text, (reading,), pointed.schemes, number=False))
    return list(asked.values())


def _listing(phrases: Phrases, spans: Sequence[NameSpan], *, filtered: bool = False) -> ListRequest | None:
    """Read a whole text as the description of a list, if nothing in it is a name.

    Args:
        filtered: Whether other conditions stand beside the text.
    """
    explained = phrases.explained(_MOST_UNKNOWN)
    if explained is None or _is_described_by_name(phrases, explained[0], spans):
        return None
    matches, unknown = explained
    meanings: dict[Kind, Meaning] = {}
    for match in matches:
        meanings.setdefault(match.meaning.kind, match.meaning)
    many = (
        phrases.speaks_of_companies()
        or ("listed" in meanings and not meanings.keys().isdisjoint(_ACTIVITIES))
        or ("rank" in meanings and any(_is_common_noun(phrases, match) for match in matches))
    )
    activity = meanings.get("activity") or (meanings.get("topic") if many else None)
    if not (activity or many) or (unknown and not many):
        return None
    country, uncovered, _ = phrases.pointed(matches)
    if not (country or uncovered or phrases.marked or filtered or (activity and many)):
        return None
    places = phrases.lexicon.places[meanings["place"].value] if "place" in meanings else {}
    place = places.get(country or "") or next(iter(places.values()), None)
    tags = phrases.lexicon.activities[activity.value].tags if activity else {}
    filters = Filters(
        status=meanings["status"].value if "status" in meanings else None,
        form=meanings["legalForm"].value if "legalForm" in meanings else None,
        region=place.region if place else None,
        cities=place.cities if place else (),
        financials=True if "financials" in meanings else None,
        listed=True if "listed" in meanings else None,
        activity=_tags(tags, country) if activity else (),
        words=tuple(map(stem, unknown)),
    )
    # names of companies have `of` before a place: `bancos no Brasil` is no Banco do Brasil
    where_at = [
        match for match in matches if match.meaning.kind in PLACES and _is_own(match.meaning, country, uncovered)
    ]
    inside = any(match.start > 0 and phrases.folded[match.start - 1] in IN for match in where_at)
    named = next((phrases.raw(match.start, match.end) for match in matches if match.meaning.kind == "place"), None)
    wider = place.wider if place else ""
    key = activity.value if activity else None
    used = {*meanings.values(), Meaning("country", country or ""), Meaning("uncovered", uncovered or "")}
    used = {meaning for meaning in used if _is_own(meaning, country, uncovered)}
    return ListRequest(
        country,
        uncovered,
        filters,
        key,
        wider or named,
        tuple(unknown),
        many or inside or filtered,
        not unknown,
        tuple(matches),
        _dropped(phrases, matches, used),
        "rank" in meanings,
        (named or "") if wider else "",
    )


def _is_described_by_name(phrases: Phrases, matches: Sequence[PhraseMatch], spans: Sequence[NameSpan]) -> bool:
    """Check that all that says which companies and where is in one name (`Empresas Públicas de Medellín`)."""
    described = [match for match in matches if match.meaning.kind in _DESCRIBING_LIST]
    if not any(match.meaning.kind in _IN_NAMES for match in described):
        return False
    start = min(phrases.words[match.start].start for match in described)
    end = max(phrases.words[match.end - 1].end for match in described)
    return any(span.start <= start and end <= span.end for span in spans)


def _is_own(meaning: Meaning, country: str | None, uncovered: str | None) -> bool:
    """Check that a meaning is not another country than that of a list."""
    return meaning.kind not in COUNTRIES or meaning.value in {country, uncovered}


def _is_common_noun(phrases: Phrases, match: PhraseMatch) -> bool:
    """Check for a word for a company or an activity that is in no name: `la empresa más grande`, not `Top Hotel`."""
    return match.meaning.kind in {"company", "topic"} and not phrases.capitals[match.start]


def _plural(phrases: Phrases) -> _Plural:
    """Find the word for companies that the unknown words of a text stand before or behind; empty without one.

    In capitals it is a part of a name (`Ecopetrol Companies`), unless the text says what they are called.
    """
    explained = phrases.explained(_MOST_UNKNOWN)
    unknown = explained[1] if explained else []
    folded = phrases.folded
    for start in range(len(phrases)):
        if folded[start] not in _SEVERAL:
            continue
        asking = phrases.longest(start + 1, len(phrases), _ASKING, lenient=True)
        called = asking is not None and folded[asking.end - 1] in _CALLED
        behind = asking.end if asking and called else start + 1
        before = start > 0 and folded[start - 1] in unknown
        if (before or (behind < len(phrases) and folded[behind] in unknown)) and (
            called or not phrases.capitals[start]
        ):
            return _Plural(phrases.raw(start, start + 1), called)
    return _Plural("", False)


def _dropped(phrases: Phrases, matches: Sequence[PhraseMatch], used: Collection[Meaning]) -> tuple[str, ...]:
    """Return the phrases that state conditions none of which is among those used."""
    stated = [match for match in matches if match.meaning.kind in ASPECT_OF or match.meaning.kind == "trade"]
    kept = {match.start for match in stated if match.meaning in used and match.meaning.kind != "trade"}
    return tuple(dict.fromkeys(phrases.raw(match.start, match.end) for match in stated if match.start not in kept))


def _tags(tags: Mapping[str, tuple[str, ...]], country: str | None) -> tuple[str, ...]:
    """Return the tags of an activity in one country, or in all."""
    if country:
        return tags.get(country, NO_ACTIVITY)
    return tuple(dict.fromkeys(tag for some in tags.values() for tag in some))
