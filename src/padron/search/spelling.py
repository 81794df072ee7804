"""How words and names vary in writing: the keys a name is filed under, and the neighbourhood of a misspelt word.

Pure; the index builder and the searcher share it. A word one edit away from another shares one of its deletions with it, so
neighbours are found by exact look-ups, whose cost does not grow with the vocabulary; `RapidFuzz` verifies the distance.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from padron.text import CONNECTIVES

SHORTEST_MISSPELT = 4
"""Words under four letters have too many neighbours to be taken for misspellings of one another."""

SHORTEST_TWICE_MISSPELT = 6
"""Two edits of a shorter word are another word."""

_LONG: Final = 9
"""Longer words are filed by their thirds, others by deletions: two edits leave one of three parts whole."""

_SOUNDS = (
    (re.compile(r"[sc]h"), "X"),
    (re.compile(r"ph"), "f"),
    (re.compile(r"c(?=[eiy])|z|ss"), "s"),
    (re.compile(r"qu(?=[ei])|[ckq]+"), "k"),
    (re.compile(r"g(?=[eiy])|x"), "j"),
    (re.compile(r"gu(?=[ei])"), "g"),
    (re.compile(r"ll|lh|y"), "i"),
    (re.compile(r"nh|gn"), "n"),
    (re.compile(r"w|v"), "b"),
    (re.compile(r"m(?=[pb])"), "n"),
    (re.compile(r"h"), ""),
)
_DOUBLED = re.compile(r"(.)\1+")


@lru_cache(maxsize=8192)
def sound(word: str) -> str:
    """A spelling common to words that sound alike in Spanish or Portuguese; not for showing.

    >>> sound("servicios") == sound("cerbisios") and sound("llanquihue") == sound("yankiue")
    True
    """
    for pattern, letter in _SOUNDS:
        word = pattern.sub(letter, word)
    return _DOUBLED.sub(r"\1", word)


def _deletions(word: str, most: int) -> set[str]:
    """`word`, and `word` less any one, or any two, of its letters."""
    found = {word}
    for _ in range(most):
        found |= {left[:at] + left[at + 1 :] for left in found for at in range(len(left))}
    return found


def neighbourhood(word: str) -> set[str]:
    """The terms a word of a name is filed under, for its misspellings to find it."""
    if len(word) > _LONG:
        third = len(word) // 3
        near = {"<" + word[:third], "-" + word[third : len(word) - third], ">" + word[len(word) - third :]}
    else:
        near = _deletions(word, 1 if len(word) < SHORTEST_TWICE_MISSPELT - 1 else 2)
    return near | {sound_term(word)}


def neighbour_terms(word: str) -> set[str]:
    """The terms under which the words are filed that `word` may be a misspelling of, but for `sound_term`."""
    near = _deletions(word, _edits_allowed(word)) if len(word) <= _LONG + 2 else set()
    for length in range(max(len(word) - 2, _LONG + 1), len(word) + 3):
        third = length // 3
        near |= {"<" + word[:third], ">" + word[len(word) - third :]}
        near |= {"-" + word[third + shift : length - third + shift] for shift in range(-2, 3)}
    return near


def sound_term(word: str) -> str:
    """The term that words of the same sound share."""
    return "~" + sound(word)


def can_be_misspelt(word: str) -> bool:
    """Numbers and very short words are taken at their letter."""
    return len(word) >= SHORTEST_MISSPELT and word.isalpha()


def _edits_allowed(word: str) -> int:
    return 1 if len(word) < SHORTEST_TWICE_MISSPELT else 2


def misspellings(asked: str, known: Sequence[str]) -> list[tuple[str, int]]:
    """Those of `known` that `asked` may be a misspelling of, with the edits between them, the nearest first."""
    found = process.extract(asked, known, scorer=OSA.distance, score_cutoff=_edits_allowed(asked), limit=None)
    return [(word, edits) for word, edits, _ in found if edits <= _edits_allowed(word)]


def _misspelling(asked: str, known: str, edits: int) -> Likeness | None:
    """How `asked` misspells `known`, which is `edits` away; None when that is too far."""
    if edits > min(_edits_allowed(asked), _edits_allowed(known)):
        return Likeness(1.0, EDITED, slips=1.0) if edits == 3 and sound(asked) == sound(known) else None
    if sound(asked) == sound(known):
        return Likeness(0.5, EDITED, slips=1.0)
    operations = Levenshtein.editops(asked, known)
    swapped = len(operations) > edits
    slips = 1.0 if swapped else 0.0
    for kind, at, to in () if swapped else operations:
        if kind == "replace":
            slips += known[to] in NEIGHBOUR_KEYS.get(asked[at], "")
        elif kind == "insert":
            slips += known[to] in known[to - 1 : to] + known[to + 1 : to + 2]
        else:
            slips += asked[at] in asked[at - 1 : at] + asked[at + 1 : at + 2]
    first = asked[0] != known[0]
    return Likeness(edits - 0.3 * slips + 0.5 * first, EDITED, slips=slips, edits=edits - slips + 0.5 * first)


class Likeness(NamedTuple):
    """How a word asked for is like a word of a name; the lower the cost, the more so."""

    cost: float
    how: int
    slips: float = 0.0
    edits: float = 0.0


EDITED, EQUIVALENT, ABBREVIATED, UNFINISHED = range(4)
"""Misspelt; another word for the same; cut short; cut short as the last word of what is being typed."""

NEIGHBOUR_KEYS: Final = {
    letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2] + above[max(0, at - 1) : at + 2] + below[max(0, at - 1) : at + 2]
    for above, row, below in (
        ("", "qwertyuiop", "asdfghjkl"),
        ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
        ("asdfghjkl", "zxcvbnm", ""),
    )
    for at, letter in enumerate(row)
}
"""The keys around each letter of the keyboard."""

ROMAN: Final = {
    roman: str(number)
    for number, roman in enumerate(
        "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(), start=1
    )
}


def _equivalents() -> dict[str, frozenset[str]]:
    """Word -> the lines of equivalents.txt it stands in: abbreviations, and words of the other two languages."""
    lines: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("equivalents.txt").read_text(encoding="ascii").splitlines():
        for word in line.split():
            lines.setdefault(word, set()).add(line)
    return {word: frozenset(found) for word, found in lines.items()}


EQUIVALENTS: Final = _equivalents()


def numeral(word: str) -> str | None:
    """The number that a word is, Roman ones up to twenty included; None for other words."""
    return word if word.isdigit() else ROMAN.get(word)


def alike(asked: str, words: Collection[str], *, last: bool) -> dict[str, Likeness]:
    """Those of `words` that `asked`, the last word of the text or not, may stand for."""
    if number := numeral(asked):
        return {word: Likeness(0.5, EQUIVALENT) for word in words if numeral(word) == number}
    found: dict[str, Likeness] = {}
    if len(asked) > 1:
        found |= {word: Likeness(1.4, UNFINISHED if last else ABBREVIATED) for word in words if word.startswith(asked)}
        found |= {word: Likeness(1.6, ABBREVIATED) for word in words if asked.startswith(word) and len(word) > 1}
    for line in EQUIVALENTS.get(asked, ()):
        found |= {word: Likeness(1.2, EQUIVALENT) for word in line.split() if word in words}
    if can_be_misspelt(asked):
        near = process.extract(asked, words, scorer=OSA.distance, score_cutoff=3, limit=None)
        for word, edits, _ in near:
            if can_be_misspelt(word) and (like := _misspelling(asked, word, edits)):
                found[word] = like
    return found


def words_key(words: Iterable[str]) -> str:
    """Equal for names of the same words in any order.

    >>> words_key(("banco", "andes"))
    'andes banco'
    """
    return " ".join(sorted(words))


def name_terms(words: Sequence[str]) -> set[str]:
    """The keys a whole name is found under: its words in any order, and its letters however they are parted."""
    return {words_key(words), "".join(words)}


def initials(core: Sequence[str]) -> str | None:
    """The acronym people make of a name of three to eight words (`cnt`), marked with `~`; None for other names."""
    words = [word for word in core if word not in CONNECTIVES and word[0].isalpha()]
    return "~" + "".join(word[0] for word in words) if 3 <= len(words) <= 8 else None
