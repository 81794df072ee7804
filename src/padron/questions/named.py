"""Names of the index inside a question: which of them are the companies that it asks for.

A span of the text that is a whole name in the index is *telling* if the text marks it as a name (a legal form, capitals
among other words, or rare words where all or no words have capitals) and the name does not go on beside it: `Rumo` is a
name, but not in `Rumo Malha Leste`. Items between separators and joining words beside telling names make a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from padron.index.spans import NameSpan
from padron.index.spelling import numeral
from padron.questions.lexicon import Kind
from padron.questions.names import ARTICLES, IN, Core, core, signs_of_several
from padron.questions.phrases import ATTRIBUTES, BULLET, COUNTRIES, JOINING, NUMBERS, PLACES, POLITE, STATES, Phrases
from padron.text import CONNECTIVES

_OF: Final = frozenset("de del da do das dos of".split())
_BETWEEN: Final = frozenset[Kind](("or", "and"))
_WHERE: Final = (IN | {"on"}) - {"from"}
_EXPLAINING: Final = ATTRIBUTES | _BETWEEN
_STATING: Final = ATTRIBUTES - JOINING
_OUTSIDE: Final = POLITE | NUMBERS | PLACES
"""Kinds of phrases that are beside a name even with capitals."""
_ACTIVITIES: Final = frozenset[Kind](("activity", "topic"))
_BEHIND: Final = _OUTSIDE | JOINING | _BETWEEN | STATES | frozenset[Kind](("company",))
"""Kinds of phrases that are behind a name and no part of it."""
_MOST_BEHIND: Final = 2
"""Words behind a name without capitals that belong to it, at most: more are a clause."""
_RARE: Final = (0.9, 0.7)
"""Mean weight of the one word, or of the several words, of a name that no capitals mark: others are plain words."""
_TWO_RARE: Final = 1.8
"""Weight of a name whose words are all words of questions: `Universidad de Buenos Aires`, but not `Estados Unidos`."""
_SHORTEST: Final = 4
"""Letters of such a name."""
_PAIR: Final = 2
_BEFORE_FORM: Final = 2
"""Words of the end of a text that is a number, with the legal form behind it: `Cemex Dos SA` is no Cemex."""
_LISTING: Final = frozenset(("", ",", ";", "-", "•", "*", "/"))
_LONGEST_ITEM: Final = 6
"""Words of an item of a list that is no name of the index."""


class NamedWords(NamedTuple):
    """Words `start` up to `end` that name a company.

    `held`: they are a whole name in the index. `form`: a legal form is among them.
    """

    start: int
    end: int
    held: bool
    form: bool = False


class _Item(NamedTuple):
    """Words between separators or joining words, and the telling names in them.

    `sign` stands before them: `and` for a joining word, `,` for marks as between items of a list, nothing for others.
    """

    start: int
    end: int
    names: tuple[NamedWords, ...]
    sign: str


def telling_names(phrases: Phrases, spans: Sequence[NameSpan]) -> list[NamedWords]:
    """Return the telling names of a text, in its order."""
    marks = _Marks(phrases, spans)
    return sorted(name for span in spans if (name := marks.telling(span)))


def capital_name(phrases: Phrases) -> NamedWords | None:
    """Return the longest run of words with capitals in a text that has others: the likeliest name; None without one."""
    return max(_Marks(phrases).capitals(), key=lambda name: name.end - name.start, default=None)


def requested_names(phrases: Phrases, names: Sequence[NamedWords], spans: Sequence[NameSpan]) -> list[NamedWords]:
    """Return the companies that a text with telling names asks for.

    Args:
        names: The telling names of the text, in its order, at least one.

    Returns:
        The names of a list that telling names are in, held or not, in the order of the text; else the telling names.
        One that says where or when, or stands in a remark (`(antes Grupo Argos)`), counts only if no other is named.
    """
    marks = _Marks(phrases, spans)
    parties = [name for name in names if not (marks.is_place(name) or marks.is_remark(name))] or list(names)
    if len(listed := marks.listed(parties)) > 1:
        return listed
    return parties


def whole_names(phrases: Phrases, names: Sequence[NamedWords]) -> list[NamedWords]:
    """Return those of some names beside which no words go on that belong to them, as capitals tell."""
    marks = _Marks(phrases)
    return [name for name in names if not marks.goes_on(name)]


def _is_rare(span: NameSpan) -> bool:
    return span.rarity >= _RARE[0] * len(span.words)


class _Marks:
    """The words of a text, with their capitals and separators."""

    def __init__(self, phrases: Phrases, spans: Sequence[NameSpan] = ()) -> None:
        self._phrases = phrases
        self._ends = {span.behind for span in spans if _is_rare(span)}
        self._rare = {(span.start, span.end) for span in spans if _is_rare(span)}
        self._numbers = set(phrases.numbers())
        self._words = phrases.words
        self._folded = phrases.folded
        self._upper = phrases.capitals
        self._mixed = phrases.mixed
        self._cased = any(phrases.capitals)

    # --- names ------------------------------------------------------------------------------------------------------

    def telling(self, span: NameSpan) -> NamedWords | None:
        """Return the words of a span and of its legal form if it is telling."""
        inside = self._phrases.within(span.start, span.behind)
        if not inside:
            return None
        start, end = inside[0], inside[-1] + 1
        name = max((at for at in inside if self._words[at].end <= span.end), default=start) + 1
        if self._is_courtesy(start, end) or not self._is_marked(span, start, name):
            return None
        rare = _is_rare(span)
        if self._goes_on_left(start, rare=rare) or self._goes_on_right(end, form=span.form):
            return None
        return NamedWords(start, end, held=True, form=span.form)

    def goes_on(self, name: NamedWords) -> bool:
        """Check for words beside a name that belong to it: `Apple Records` and `apple records` are no Apple.

        Capitals tell, and a number behind the name. Where no word has capitals, a few words that are none of questions
        belong to the name before them (more are a clause), and what companies do (`hotel`) to the name behind it.
        """
        if self._cased:
            return self._has_capital_before(name.start) or self._goes_on_behind(name)
        activity = name.start > 0 and self._phrases.ending(name.start - 1, name.start, _ACTIVITIES, lenient=True)
        if activity and not self._is_apart(name.start):
            return True
        end, most = name.end, name.end + _MOST_BEHIND
        while end < min(len(self._words), most + 1) and not self._is_apart(end):
            if self._phrases.longest(end, len(self._words), _BEHIND, lenient=True):
                break
            end += 1
        return name.end < end <= most

    def _has_capital_before(self, start: int) -> bool:
        if start == 0 or self._is_apart(start) or self._phrases.ending(0, start, _OUTSIDE):
            return False
        before = self._folded[start - 1]
        return self._upper[start - 1] and not before.isdigit() and before not in ARTICLES

    def _goes_on_behind(self, name: NamedWords) -> bool:
        end = name.end
        if end == len(self._words):
            return False
        if name.start == 0 and numeral(self._folded[end]) and end + _BEFORE_FORM >= len(self._words):
            return True
        if self._is_apart(end) or self._phrases.longest(end, len(self._words), _OUTSIDE):
            return False
        if self._folded[end] in _OF and end + 1 < len(self._words) and self._upper[end + 1]:
            place = self._phrases.longest(end + 1, len(self._words), _OUTSIDE)
            return (name.start == 0 and not place) or self._ends_formally(end + 1)
        return self._upper[end]

    def _is_apart(self, at: int) -> bool:
        """Check for a mark between the word before and a word, be it part of neither: `Lugo. Señores`, `'%danec%'`."""
        before, behind = self._words[at - 1].raw, self._words[at].raw
        return self._words[at].parted or not before[-1:].isalnum() or not behind[:1].isalnum()

    def _ends_formally(self, at: int) -> bool:
        """Check that the words with capitals from one on end with a legal form."""
        end, last = at, min(len(self._words), at + _LONGEST_ITEM)
        while end < last and (end == at or not self._words[end].parted) and self._continues(end):
            end += 1
        forms = self._phrases.lexicon.forms
        return any("".join(self._folded[start:end]) in forms for start in range(at + 1, end))

    def _is_courtesy(self, start: int, end: int) -> bool:
        """Check for the words of a courtesy, legal form included: `Is Tesla a real company?`."""
        return not self._has_capitals(start, end) and self._phrases.covered(start, end, POLITE) is not None

    def _is_marked(self, span: NameSpan, start: int, end: int) -> bool:
        lexicon = self._phrases.lexicon
        if "".join(span.words) in lexicon.forms or (not span.form and lexicon.registers.issuperset(span.words)):
            return False
        short = sum(map(len, span.words)) < _SHORTEST
        if "".join(span.words).isdigit() or (self._mixed and short and not self._has_capitals(start, end)):
            return False
        if span.form:
            return True
        rare = span.rarity >= _RARE[len(span.words) > 1] * len(span.words)
        if self._is_explained(start, end):
            return self._mixed and self._has_capitals(start, end) and span.rarity >= _TWO_RARE
        if self._mixed:
            return self._has_capitals(start, end) and (rare or start > 0 or end - start > 1)
        return rare and not short

    def _has_capitals(self, start: int, end: int) -> bool:
        """Check that all words have capitals but those that join others."""
        return all(self._upper[at] or self._is_small(at) for at in range(start, end))

    def _is_small(self, at: int) -> bool:
        return self._folded[at] in CONNECTIVES or self._phrases.longest(at, at + 1, JOINING) is not None

    def _goes_on_left(self, start: int, *, rare: bool) -> bool:
        """Check for words before `start` that belong to the same name: before a rare one none that `and` joins."""
        at = start
        while at > 0 and not self._words[at].parted:
            kinds = _OUTSIDE if self._mixed and self._upper[at - 1] else _STATING
            if self._phrases.ending(0, at, kinds, lenient=True) or self._folded[at - 1] in ARTICLES:
                return False
            if self._is_between(at - 1) and (rare or (at > 1 and self._words[at - 2].end in self._ends)):
                return False
            if at - 1 in self._numbers or self._is_outside(at):
                return False
            if not self._is_small(at - 1) and not self._is_between(at - 1):
                return self._upper[at - 1] if self._mixed else True
            at -= 1
        return False

    def _is_outside(self, at: int) -> bool:
        """Check for a word that joins phrases before `at`, and not the words of names: `from`, `para`."""
        return self._folded[at - 1] not in CONNECTIVES and self._phrases.longest(at - 1, at, JOINING) is not None

    def _goes_on_right(self, end: int, *, form: bool) -> bool:
        """Check for words from `end` on that belong to the same name: behind a legal form only its number does."""
        if form:
            return end < len(self._words) and self._folded[end].isdigit() and not self._words[end].parted
        at = end + (end < len(self._words) and self._folded[end] in _OF and not self._words[end].parted)
        if at == len(self._words) or self._words[at].parted or at in self._numbers:
            return False
        kinds = _OUTSIDE if self._mixed and self._upper[at] else _EXPLAINING
        if self._phrases.longest(at, len(self._words), kinds):
            return False
        return self._upper[at] if self._mixed else True

    def capitals(self, start: int = 0, last: int | None = None) -> Iterator[NamedWords]:
        """Yield the runs of words with capitals that are not all words of questions, nor the first word alone.

        Args:
            start: Index of the first word to look at.
            last: Index behind the last one, by default that of the text.
        """
        last = len(self._words) if last is None else last
        while self._mixed and start < last:
            end = start
            while end < last and (end == start or not self._words[end].parted) and self._continues(end):
                end += 1
            stop = end
            while stop > start and not self._upper[stop - 1]:
                stop -= 1
            begin = self._beginning(start, stop)
            place = self._phrases.ending(begin + 2, stop, PLACES) if begin + 2 < stop else None
            if place and self._folded[place.start - 1] in IN:
                stop = place.start - 1
            if begin < stop and not self._is_explained(begin, stop) and (begin > 0 or stop > 1):
                yield NamedWords(begin, stop, held=False)
            start = max(end, start + 1)

    def _beginning(self, start: int, end: int) -> int:
        """Skip words of questions, and words without capitals, at the beginning of a run."""
        while start < end:
            match = self._phrases.longest(start, end, _OUTSIDE, lenient=True)
            if not match and self._upper[start]:
                break
            start = match.end if match else start + 1
        return start

    def _continues(self, at: int) -> bool:
        return self._upper[at] or self._folded[at] in CONNECTIVES

    def _is_explained(self, start: int, end: int) -> bool:
        return self._phrases.covered(start, end, _EXPLAINING) is not None

    def _is_between(self, at: int) -> bool:
        """Check for a word that joins the items of a list."""
        return self._phrases.longest(at, at + 1, _BETWEEN) is not None and self._words[at].raw.isalpha()

    def is_place(self, name: NamedWords) -> bool:
        """Check that a name says where or when: in brackets, or behind a preposition: `on Monday`, `na B3`."""
        at = name.start
        while at > 0 and not self._words[at].parted and self._folded[at - 1] in ARTICLES - IN:
            at -= 1
        if at > 0 and not self._words[at].parted:
            return self._folded[at - 1] in _WHERE
        return at > 0 and self._opens_bracket(at)

    def is_remark(self, name: NamedWords) -> bool:
        """Check that a name stands behind other words in brackets: `(antes Grupo Argos)`."""
        at = name.start
        while at > 0 and not self._words[at].parted:
            at -= 1
        return 0 < at < name.start and self._opens_bracket(at)

    def _opens_bracket(self, at: int) -> bool:
        return self._phrases.text[: self._words[at].start].endswith("(")

    # --- lists ------------------------------------------------------------------------------------------------------

    def listed(self, names: Sequence[NamedWords]) -> list[NamedWords]:
        """Return the items of the list that telling names are in.

        An item without one counts if it looks like a name, and beside a single telling name only if a word joins
        them or the text speaks of several companies.
        """
        items = list(self._items(names))
        held = [at for at, item in enumerate(items) if item.names]
        first, last = held[0], held[-1]
        while first > 0 and items[first].sign and self._is_like_name(items[first - 1]):
            first -= 1
        while last + 1 < len(items) and items[last + 1].sign and self._is_like_name(items[last + 1]):
            last += 1
        some = [item for item in items[first : last + 1] if item.names or self._is_like_name(item)]
        joined = any(item.sign == "and" for item in some[1:])
        formal = any(name.form for name in names)
        sure = len(held) > 1 or joined or self._several or (len(some) > _PAIR and not formal)
        if not sure or not all(item.sign for item in some[1:]):
            return []
        return [name for item in some for name in item.names or (NamedWords(item.start, item.end, held=False),)]

    def _items(self, names: Sequence[NamedWords]) -> Iterator[_Item]:
        """Yield the items of a text, without those that hold only words of questions."""
        inside = {at for name in names for at in range(name.start, name.end)}
        starts = {name.start for name in names}
        parted = [at for at in range(1, len(self._words)) if self._words[at].parted and at not in inside - starts]
        between = [at for at in range(1, len(self._words)) if self._is_between(at) and at not in inside]
        listed, joined = True, False
        for start, end in pairwise([0, *sorted({*parted, *between}), len(self._words)]):
            listed, joined = listed and self._is_listing(start), joined or start in between
            own = tuple(name for name in names if start <= name.start < end)
            stretch = self._ending_in_capitals(core(self._phrases, start + (start in between), end))
            if not own and joined | (start in between) and self._is_called_as_country(stretch):
                own = (NamedWords(stretch.start, stretch.end, held=True),)
            if own or (stretch.start < stretch.end and not self._is_explained(stretch.start, stretch.end)):
                yield _Item(stretch.start, stretch.end, own, "and" if joined else "," if listed else "")
                listed, joined = True, False

    def _is_called_as_country(self, stretch: Core) -> bool:
        """Check for the rare name of a company that is a word for a country too: `Magazine Luiza e Americanas`."""
        start, end = stretch.start, stretch.end
        if not (self._mixed and start < end and self._has_capitals(start, end)):
            return False
        if self._phrases.covered(start, end, COUNTRIES) is None:
            return False
        return (self._words[start].start, self._words[end - 1].end) in self._rare

    def _ending_in_capitals(self, stretch: Core) -> Core:
        """Cut the words without capitals before the name that ends an item."""
        for name in self.capitals(stretch.start, stretch.end):
            if name.end == stretch.end:
                return stretch._replace(start=name.start)
        return stretch

    def _is_listing(self, at: int) -> bool:
        """Check that the marks before a word are those between the items of a list, or the number of an item."""
        gap = self._phrases.text[self._words[at - 1].end if at else 0 : self._words[at].start]
        return "\n" in gap or BULLET.sub("", gap).strip() in _LISTING

    def _is_like_name(self, item: _Item) -> bool:
        """Check that an item may be a name: few words, in capitals where the names of the text have them."""
        words = range(item.start, item.end)
        meaning = [at for at in words if self._folded[at] not in CONNECTIVES and not self._folded[at].isdigit()]
        capitals = not self._mixed or all(self._upper[at] for at in meaning)
        return bool(meaning) and len(words) <= _LONGEST_ITEM and capitals

    @cached_property
    def _several(self) -> bool:
        return signs_of_several(self._phrases)
