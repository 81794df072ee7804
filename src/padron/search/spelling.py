"""How words and names vary in writing: the keys a name is filed under, and the neighbourhood of a misspelt word.

Pure; the index builder and the searcher share it. A word one edit away from another shares one of its deletions with it, so
neighbours are found by exact look-ups, whose cost does not grow with the vocabulary; `RapidFuzz` verifies the distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

from padron.text import CONNECTIVES

SHORTEST_MISSPELT = 4
"""Words under four letters have too many neighbours to be taken for misspellings of one another."""

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


def sound(word: str) -> str:
    """A spelling common to words that sound alike in Spanish or Portuguese; not for showing.

    >>> sound("servicios") == sound("cerbisios") and sound("llanquihue") == sound("yankiue")
    True
    """
    for pattern, letter in _SOUNDS:
        word = pattern.sub(letter, word)
    return _DOUBLED.sub(r"\1", word)


def deletions(word: str) -> set[str]:
    """`word`, and `word` less each one of its letters."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def neighbourhood(word: str) -> set[str]:
    """The terms that `word` shares with its misspellings: its deletions, and its sound marked with `~`."""
    return deletions(word) | {"~" + sound(word)}


def can_be_misspelt(word: str) -> bool:
    """Numbers and very short words are taken at their letter."""
    return len(word) >= SHORTEST_MISSPELT and not any(letter.isdigit() for letter in word)


def misspelling_cost(asked: str, known: str) -> int | None:
    """Edits between two words (a transposition is one, the same sound at most one); None when too many for a misspelling."""
    allowed = 1 if min(len(asked), len(known)) < 6 else 2
    edits = OSA.distance(asked, known, score_cutoff=3)
    if edits > 1 and sound(asked) == sound(known):
        return 1
    return edits if edits <= allowed else None


class Likeness(NamedTuple):
    """How a word asked for is like a word of a name; the lower the cost, the more so."""

    cost: float
    how: int


EDITED, EQUIVALENT, ABBREVIATED, UNFINISHED = range(4)
"""Misspelt; another word for the same; cut short; cut short as the last word of what is being typed."""

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


def likeness(asked: str, known: str, *, last: bool) -> Likeness | None:
    """How `asked`, the last word of the text or not, is like `known`, a word of a name; None when it is not."""
    number = numeral(asked)
    if number or known.isdigit():
        return Likeness(0.5, EQUIVALENT) if number == numeral(known) else None
    if can_be_misspelt(asked) and can_be_misspelt(known) and (cost := misspelling_cost(asked, known)) is not None:
        return Likeness(cost, EDITED)
    if not EQUIVALENTS.get(asked, frozenset()).isdisjoint(EQUIVALENTS.get(known, ())):
        return Likeness(1.2, EQUIVALENT)
    if known.startswith(asked):
        return Likeness(1.4, UNFINISHED if last else ABBREVIATED)
    if len(known) > 1 and asked.startswith(known):
        return Likeness(1.6, ABBREVIATED)
    return None


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
