"""Companies that a question names and does not ask for: ruled out (`not Apple`), or related to the one asked for.

Words that begin a longer name of the index (`Clientes de Colombia S.A.S.`) say neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from padron.index.spans import NameSpan
from padron.questions.lexicon import Kind, PhraseMatch
from padron.questions.names import OF
from padron.questions.phrases import ATTRIBUTES, JOINING, NUMBERS, PLACES, POLITE, Phrases

_EXCLUDING: Final = frozenset[Kind](("excluding",))
_ENDING: Final = frozenset[Kind](("instead", "ask"))
_RELATED: Final = frozenset[Kind](("related", "compared", "branch", "office"))
_WITH_OF: Final = frozenset[Kind](("compared", "branch"))
"""Kinds of phrases behind which the company stands without a word for `of`."""
_OWNING: Final = frozenset[Kind](("owning",))
_ANOTHER: Final = frozenset[Kind](("another",))
_TITLED: Final = frozenset[Kind](("titled",))
_BEHIND_PERSON: Final = NUMBERS | frozenset[Kind](("ask", "joining", "and", "or"))
_OFFICE: Final = frozenset[Kind](("office",))
_BEFORE_OFFICE: Final = POLITE | JOINING
"""Kinds of phrases before the office that a text asks for: behind others it is that of somebody who is named."""
_PARTICLES: Final = OF | frozenset("la las los dos das".split())
"""Words in small letters in the names of persons."""
_SHORTEST_PERSON, _LONGEST_PERSON = 2, 5
"""Words of the name of a person."""
_EXPLAINED: Final = ATTRIBUTES | frozenset[Kind](("or", "and", "instead"))
_NO: Final = "no"
"""Excludes behind a mark alone: in Portuguese it is a preposition, and names have it."""


class RuledOut(NamedTuple):
    """Companies that a text rules out: the phrase that does so, their words, the text with blanks in place of both.

    `others`: the text without them names something else.
    """

    phrase: str
    words: str
    text: str
    others: bool


class Relation(NamedTuple):
    """A relation between companies: its phrase, and the text before it, where the company that is asked for may stand.

    Of companies that are compared (`is A the same as B`) none is before it.
    """

    phrase: str
    before: str


def ruled_out(phrases: Phrases, spans: Sequence[NameSpan]) -> RuledOut | None:
    """Return the first companies that a text rules out, None where it rules out none."""
    for start in range(len(phrases)):
        begin = _behind(phrases, start)
        if begin is None or is_in_name(phrases, start, begin + 1, spans):
            continue
        end = begin + 1
        while end < len(phrases) and not phrases.longest(end, len(phrases), _ENDING, lenient=True):
            end += 1
        if phrases.covered(begin, end, ATTRIBUTES) is not None:
            continue
        instead = phrases.longest(end, len(phrases), _ENDING, lenient=True)
        first, last = phrases.words[start].start, phrases.words[(instead.end if instead else end) - 1].end
        text = phrases.text[:first] + " " * (last - first) + phrases.text[last:]
        others = any(phrases.covered(*stretch, _EXPLAINED) is None for stretch in ((0, start), (end, len(phrases))))
        return RuledOut(phrases.raw(start, begin), phrases.raw(begin, end), text, others)
    return None


def _behind(phrases: Phrases, start: int) -> int | None:
    """Return the word behind the phrase that excludes and begins at `start`, if one does and a word follows."""
    match = phrases.longest(start, len(phrases), _EXCLUDING)
    bare = phrases.folded[start] == _NO and phrases.words[start].parted
    end = match.end if match else start + 1
    if not (match or bare) or end == len(phrases) or phrases.words[end].parted:
        return None
    return None if bare and not match and phrases.longest(end, len(phrases), PLACES) else end


def person(phrases: Phrases, spans: Sequence[NameSpan]) -> RuledOut | None:
    """Return the first person that a text calls one, by a title before the name or an office behind it.

    Without capitals a title of one word is too little: `estimada sra favor confirmar`. What stands alone before an
    office may be a company: `Grupo Nutresa, CEO`.

    Returns:
        The person, with the title or the office; None where the text calls nobody so, or a company.
    """
    for at in range(len(phrases)):
        office = phrases.longest(at, len(phrases), _OFFICE)
        if (title := _title(phrases, at)) and not is_in_name(phrases, at, title.end, spans):
            start, begin, behind = at, title.end, _end_of_person(phrases, title.end)
            end = behind
        elif office and _is_behind_name(phrases, at, office.end):
            start = begin = _start_of_person(phrases, at)
            behind, end = at, office.end + (office.end < len(phrases) and phrases.folded[office.end] in OF)
        else:
            continue
        if behind - begin < _SHORTEST_PERSON or _is_formal(phrases, begin, behind, spans):
            continue
        first, last = phrases.words[start].start, phrases.words[end - 1].end
        text = phrases.text[:first] + " " * (last - first) + phrases.text[last:]
        others = any(phrases.covered(*stretch, _EXPLAINED) is None for stretch in ((0, start), (end, len(phrases))))
        if title or others:
            return RuledOut(phrases.raw(start, end), phrases.raw(begin, behind), text, others)
    return None


def _title(phrases: Phrases, at: int) -> PhraseMatch | None:
    title = phrases.longest(at, len(phrases), _TITLED)
    return title if title and (phrases.mixed or title.end > at + 1) else None


def _is_behind_name(phrases: Phrases, start: int, end: int) -> bool:
    """Check that an office stands between marks, or before the company: `…, CEO of`, but not `…, CEO: …`."""
    if not phrases.words[start].parted:
        return False
    if end == len(phrases):
        return True
    gap = phrases.text[phrases.words[end - 1].end : phrases.words[end].start]
    return ":" not in gap if phrases.words[end].parted else phrases.folded[end] in OF


def _is_formal(phrases: Phrases, start: int, end: int, spans: Sequence[NameSpan]) -> bool:
    """Check that a name has a legal form, as no person's has."""
    first, last = phrases.words[start].start, phrases.words[end - 1].end
    held = any(span.form and first <= span.start < last for span in spans)
    return held or any("".join(phrases.folded[at:end]) in phrases.lexicon.forms for at in range(start + 1, end))


def _end_of_person(phrases: Phrases, start: int) -> int:
    """Return the end of the name of a person that begins at `start`.

    It has words with capitals, up to a mark, a number, or a word that asks or joins.
    """
    end = start
    while end < len(phrases) and end - start < _LONGEST_PERSON and (end == start or not phrases.words[end].parted):
        if phrases.mixed and not phrases.capitals[end] and phrases.folded[end] not in _PARTICLES:
            break
        is_number = any(map(str.isdigit, phrases.folded[end]))
        is_behind = phrases.folded[end] not in _PARTICLES and phrases.longest(end, len(phrases), _BEHIND_PERSON)
        if is_number or is_behind:
            break
        end += 1
    return end


def _start_of_person(phrases: Phrases, end: int) -> int:
    """Return the start of the name of a person that ends before `end`."""
    start = end
    while start > 0 and end - start < _LONGEST_PERSON and (start == end or not phrases.words[start].parted):
        if phrases.mixed and not phrases.capitals[start - 1] and phrases.folded[start - 1] not in _PARTICLES:
            break
        start -= 1
    return start


def relation(phrases: Phrases, spans: Sequence[NameSpan]) -> Relation | None:
    """Return the first relation by which a text asks for another company than one that it names, None without one."""
    for start in range(len(phrases)):
        match = phrases.longest(start, len(phrases) - 1, _RELATED)
        of = match is not None and match.meaning.kind not in _WITH_OF
        if match is None or (of and phrases.folded[match.end] not in OF):
            continue
        if match.meaning.kind == "office" and phrases.covered(0, start, _BEFORE_OFFICE) is None:
            continue
        if match.meaning.kind == "branch" and any(phrases.pointed(phrases.scattered(0, len(phrases)))[:2]):
            continue
        if not is_in_name(phrases, start, match.end + of + 1, spans):
            before = phrases.text[: phrases.words[start].start] if of else ""
            return Relation(phrases.raw(start, match.end), before)
    return None


def is_about_another(phrases: Phrases, spans: Sequence[NameSpan]) -> bool:
    """Check that a text is about something else than the company it names: an instruction, a body called after it."""
    matches = (phrases.longest(start, len(phrases), _ANOTHER) for start in range(len(phrases)))
    return any(match and not is_in_name(phrases, match.start, match.end, spans) for match in matches)


def asks_for_owner(phrases: Phrases, spans: Sequence[NameSpan]) -> bool:
    """Check that a text asks who owns the company of a name: not whose a number or a payment is.

    Returns:
        True if it does.
    """
    starts = {span.start for span in spans}
    for start in range(len(phrases)):
        match = phrases.longest(start, len(phrases) - 1, _OWNING)
        if match is None or is_in_name(phrases, start, match.end + 1, spans):
            continue
        joining = phrases.longest(match.end, len(phrases) - 1, JOINING)
        if not starts.isdisjoint(phrases.words[at].start for at in (match.end, joining.end if joining else match.end)):
            return True
    return False


def is_in_name(phrases: Phrases, start: int, end: int, spans: Sequence[NameSpan]) -> bool:
    """Check that some words of a text are inside a name of the index.

    Args:
        start: Index of the first word.
        end: Index of the word after the last one.
    """
    first, last = phrases.words[start].start, phrases.words[min(end, len(phrases)) - 1].end
    return any(span.start <= first and last <= span.end for span in spans)
