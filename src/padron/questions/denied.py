"""Conditions that a question denies (`not in Brazil`, `empresas no activas`, `without financial statements`).

No search applies them, since a source may lack what it does not state. What is denied is never read as if it were
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.index.spans import NameSpan
from padron.questions.lexicon import Kind, PhraseMatch
from padron.questions.phrases import ATTRIBUTES, COUNTRIES, JOINING, PLACES, STATES, Phrases
from padron.questions.unasked import is_in_name

_NEGATING: Final = frozenset[Kind](("negating",))
_INSTEAD: Final = frozenset[Kind](("instead",))
_BETWEEN: Final = frozenset[Kind](("or", "and"))
_CONDITIONS: Final = PLACES | STATES | frozenset[Kind](("activity", "topic", "legalForm", "nature", "trade"))
_NO: Final = "no"
"""A preposition in Portuguese, where a place or a noun in the singular follows."""
_PLURAL: Final = "s"
_PRONOUNS: Final = frozenset("one ones unit".split())
"""Words that end what is denied: `not the Ecuador one`."""


_MOST_JOINING: Final = 8
"""Joining words between a negation and its condition, at most: `not one of those of the`."""


class Denial(NamedTuple):
    """Words `start` up to `end` that deny conditions; those that the lexicon knows."""

    start: int
    end: int
    conditions: tuple[PhraseMatch, ...]

    @property
    def places(self) -> frozenset[str]:
        """The countries and places that are denied; empty where it is something else."""
        return frozenset(match.meaning.value for match in self.conditions if match.meaning.kind in PLACES)


def denials(phrases: Phrases, spans: Sequence[NameSpan]) -> list[Denial]:
    """Return the denied conditions of a text, in its order, but for those inside a name of the index."""
    some: list[Denial] = []
    at = 0
    while at < len(phrases) - 1:
        match = phrases.longest(at, len(phrases) - 1, _NEGATING)
        denial = _denial(phrases, at, match.end) if match else None
        if denial and not is_in_name(phrases, denial.start, denial.end, spans):
            some.append(denial)
        at = denial.end if denial else at + 1
    return some


def blanked(phrases: Phrases, some: Sequence[Denial]) -> str:
    """Return the text with blanks in place of denials."""
    text = phrases.text
    for denial in some:
        first, last = phrases.words[denial.start].start, phrases.words[denial.end - 1].end
        text = text[:first] + " " * (last - first) + text[last:]
    return text


def _denial(phrases: Phrases, start: int, begin: int) -> Denial | None:
    """Return the denial that begins at word `start`, and the condition at word `begin` or behind joining words."""
    bare = begin == start + 1 and phrases.folded[start] == _NO
    at, condition = _condition(phrases, begin)
    if condition is None:
        return Denial(start, begin + 1, ()) if _is_adjective(phrases, begin, plural=bare) else None
    if bare and at == begin and condition.meaning.kind in PLACES and not _is_plural_demonym(phrases, condition):
        return None
    conditions = [condition]
    while more := _next(phrases, conditions[-1]):
        conditions.append(more)
    end = conditions[-1].end
    while end < len(phrases) and phrases.folded[end] in _PRONOUNS:
        end += 1
    instead = phrases.longest(end, len(phrases), _INSTEAD)
    return Denial(start, instead.end if instead else end, tuple(conditions))


def _condition(phrases: Phrases, at: int) -> tuple[int, PhraseMatch | None]:
    """Return the condition at a word or behind the few joining words there, and where it begins."""
    for _ in range(_MOST_JOINING + 1):
        if at == len(phrases) or phrases.words[at].parted:
            break
        if condition := phrases.longest(at, len(phrases), _CONDITIONS, lenient=True):
            return at, condition
        joining = phrases.longest(at, len(phrases), JOINING)
        if joining is None:
            break
        at = joining.end
    return at, None


def _is_plural_demonym(phrases: Phrases, match: PhraseMatch) -> bool:
    """Check for the one word of what companies of a country are called: `colombianas`, but not `Estados Unidos`."""
    is_country = match.meaning.kind in COUNTRIES and match.end == match.start + 1
    return is_country and phrases.folded[match.start].endswith(_PLURAL)


def _next(phrases: Phrases, condition: PhraseMatch) -> PhraseMatch | None:
    """Return the condition of the same kind that `and` or `or` joins to one."""
    between = phrases.longest(condition.end, len(phrases), _BETWEEN)
    more = _condition(phrases, between.end)[1] if between else None
    return more if more and more.meaning.kind == condition.meaning.kind else None


def _is_adjective(phrases: Phrases, at: int, *, plural: bool) -> bool:
    """Check for a word that no phrase has and that is no name: `no financieras`, `non financial`."""
    if phrases.words[at].parted or phrases.longest(at, len(phrases), ATTRIBUTES | _BETWEEN, lenient=True):
        return False
    name = phrases.capitals[at] and phrases.mixed
    return phrases.folded[at].isalpha() and not name and (not plural or phrases.folded[at].endswith(_PLURAL))
