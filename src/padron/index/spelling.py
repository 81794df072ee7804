"""Variants of words and names in writing: keys of whole names, and the neighbourhood of a misspelt word.

Pure; the index builder and the searcher share it. A word one edit away from another shares one of its deletions with
it, so neighbours are found by exact look-ups, whose cost does not grow with the vocabulary; `RapidFuzz` verifies the
distance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA, Editop, Levenshtein

from padron.text import CONNECTIVES, LONGEST_WORD, word_cache

SHORTEST_MISSPELT = 4
"""Words under four letters have too many neighbours to be taken for misspellings of one another; three letters may be
a word of four that lacks one."""

SHORTEST_TWICE_MISSPELT = 6
"""Two edits of a shorter word are another word."""

_LONG: Final = 9
"""Longer words are filed by one deletion and by thirds, of which two edits leave one whole; others by two deletions."""
_SHORTEST_HALF: Final = 3
_LONGEST_ACRONYM: Final = 12
_LONGEST_PIECE: Final = 5
"""Letters of a word of a name in its acronym, at most: with more, it is the word that the acronym has."""
_SHORTEST_WITH_FORM: Final = 4
"""Letters of an acronym that may end in those of a legal form: more than these."""

_AND: Final = frozenset({"e", "y"})

_TOLD_APART: Final = (
    "enero janeiro january|febrero fevereiro february|marzo marco march|abril april|mayo maio may|junio junho june"
    "|julio julho july|agosto august|septiembre setembro september|octubre outubro october"
    "|noviembre novembro november|diciembre dezembro december",
    "lunes|martes|miercoles|jueves|viernes|sabado|domingo",
    "hijo hijos filho filhos|hija hijas filha filhas|hermano hermanos irmao irmaos|hermana hermanas irma irmas"
    "|nieto nietos|nieta nietas|sobrino sobrinos sobrinho sobrinhos|sobrina sobrinas sobrinha sobrinhas",
    "norte north|sur sul south|este leste east|oeste west|noreste nordeste|noroeste|sureste sudeste|suroeste sudoeste"
    "|oriente oriental|occidente occidental|septentrional|meridional",
    "primero primera primeiro primeira|segundo segunda|tercero tercera terceiro terceira|cuarto cuarta quarto quarta"
    "|quinto quinta|sexto sexta|septimo septima setimo setima|octavo octava oitavo oitava|noveno novena nono nona",
)
"""Known words of one kind, those of the same meaning together: `20 de julio` is no misspelling of `20 de junio`."""
_MEANING: Final = {
    word: (kind, meaning)
    for kind, meanings in enumerate(_TOLD_APART)
    for meaning, words in enumerate(meanings.split("|"))
    for word in words.split()
}

_BEFORE_K: Final = (
    ("ey", "y"),
    ("sh", "X"),
    ("ch", "X"),
    ("ph", "f"),
    ("ce", "se"),
    ("ci", "si"),
    ("cy", "sy"),
    ("z", "s"),
)
_K: Final = re.compile(r"qu(?=[ei])|[ckq]+")
_BEHIND_K: Final = (
    *(("ge", "je"), ("gi", "ji"), ("gy", "jy"), ("x", "j"), ("gue", "ge"), ("gui", "gi")),
    *(("ll", "i"), ("lh", "i"), ("y", "i"), ("nh", "n"), ("gn", "n"), ("w", "b"), ("v", "b")),
    *(("mp", "np"), ("mb", "nb"), ("h", "")),
)
"""Letters that sound alike, in the order in which they are replaced."""
_DOUBLED = re.compile(r"(.)\1+")


@word_cache(8192)
def sounds(word: str) -> frozenset[str]:
    """Spellings common to words that sound alike in Spanish, Portuguese or English; not for showing.

    One for most words; two for those with an `x`, which sounds like `j` or like `ks`.

    >>> sounds("servicios") == sounds("cerbisios") and sounds("llanquihue") == sounds("yankiue")
    True
    >>> sounds("mexico") >= sounds("mejico") and sounds("chimerix") >= sounds("chimericks")
    True
    """
    return frozenset(map(_sound, {word, word.replace("x", "ks")}))


def _sound(word: str) -> str:
    for letters, sound in _BEFORE_K:
        word = word.replace(letters, sound)
    word = _K.sub("k", word)
    for letters, sound in _BEHIND_K:
        word = word.replace(letters, sound)
    return _DOUBLED.sub(r"\1", word)


def _deletions(word: str, most: int) -> set[str]:
    """`word`, and `word` less any one, or any two, of its letters."""
    ends = range(len(word))
    once = [word[:at] + word[at + 1 :] for at in ends]
    matches = {word, *once}
    if most > 1:
        matches.update([left[:at] + left[at + 1 :] for first, left in enumerate(once) for at in ends[first:-1]])
    return matches


def neighbourhood(word: str) -> set[str]:
    """The terms a word of a name is filed under, for its misspellings to find it.

    Of a long word's thirds two edits spoil two at most, unless a swap of letters stands where two of them meet. A word
    of n letters has n deletions of n letters: those beyond `LONGEST_WORD` are filed under nothing.
    """
    if len(word) > LONGEST_WORD:
        return set()
    if len(word) > _LONG:
        third = len(word) // 3
        near = {"<" + word[:third], "-" + word[third : len(word) - third], ">" + word[len(word) - third :]}
        near |= _deletions(word, 1)
    else:
        near = _deletions(word, 1 if len(word) < SHORTEST_TWICE_MISSPELT - 1 else 2)
    return near | sound_terms(word)


def neighbour_terms(word: str) -> set[str]:
    """The terms under which the words are filed that `word` may be a misspelling of, but for `sound_terms`."""
    if len(word) > LONGEST_WORD:
        return set()
    near = _deletions(word, _edits_allowed(word) if len(word) <= _LONG + 2 else 1)
    for length in range(max(len(word) - 2, _LONG + 1), len(word) + 3):
        third = length // 3
        near |= {"<" + word[:third], ">" + word[len(word) - third :]}
        near |= {"-" + word[third + shift : length - third + shift] for shift in range(-2, 3)}
    return near


def sound_terms(word: str) -> set[str]:
    """Terms of which words of the same sound share one."""
    return {"~" + sound for sound in sounds(word)}


def can_be_misspelt(word: str) -> bool:
    """Numbers, very short and very long words are taken at their letter."""
    return SHORTEST_MISSPELT <= len(word) <= LONGEST_WORD and word.isalpha()


def can_misspell(word: str) -> bool:
    """Return whether `word` may be written for another; a word of three letters only for a word of four."""
    return SHORTEST_MISSPELT - 1 <= len(word) <= LONGEST_WORD and word.isalpha()


def _edits_allowed(word: str) -> int:
    return 1 if len(word) < SHORTEST_TWICE_MISSPELT else 2


def misspellings(asked: str, known: Sequence[str]) -> list[tuple[str, int]]:
    """Return the `known` words that `asked` may misspell, with the edits between them, the nearest first."""
    matches = process.extract(asked, known, scorer=OSA.distance, score_cutoff=_edits_allowed(asked), limit=None)
    return [(word, edits) for word, edits, _ in matches if edits <= _edits_allowed(word)]


def _misspelling(asked: str, known: str, edits: int) -> Likeness | None:
    """Return how `asked` misspells `known`, which is at most three edits away; None when that is too far.

    Slips are letters swapped, doubled or halved, neighbouring keys, and what sounds the same. A wrong first letter is
    half an edit more: few people misspell it.
    """
    if not sounds(asked).isdisjoint(sounds(known)):
        return Likeness(0.5, EDITED, slips=1.0)
    if edits > min(_edits_allowed(asked), _edits_allowed(known)):
        return None
    operations = Levenshtein.editops(asked, known)
    swapped = len(operations) > edits
    slips = 1.0 if swapped else float(sum([_is_slip(operation, asked, known) for operation in operations]))
    others = edits - slips + 0.5 * (asked[0] != known[0])
    return Likeness(others + 0.7 * slips, EDITED, slips=slips, edits=others)


def _is_slip(operation: Editop, asked: str, known: str) -> bool:
    at, to = operation.src_pos, operation.dest_pos
    if operation.tag == "replace":
        return known[to] in NEIGHBOUR_KEYS.get(asked[at], "")
    word, at = (known, to) if operation.tag == "insert" else (asked, at)
    return word[at] in word[max(0, at - 1) : at] + word[at + 1 : at + 2]


class Likeness(NamedTuple):
    """Likeness of a word in a query and a word of a name; a lower cost is a greater likeness."""

    cost: float
    how: int
    slips: float = 0.0
    edits: float = 0.0


EDITED, EQUIVALENT, ABBREVIATED, UNFINISHED = range(4)
"""Misspelt; another word for the same; cut short; cut short as the last word of what is being typed."""

NEIGHBOUR_KEYS: Final = {
    letter: row[max(0, at - 1) : at]
    + row[at + 1 : at + 2]
    + above[max(0, at - 1) : at + 2]
    + below[max(0, at - 1) : at + 2]
    for above, row, below in (
        ("", "qwertyuiop", "asdfghjkl"),
        ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
        ("asdfghjkl", "zxcvbnm", ""),
    )
    for at, letter in enumerate(row)
}
"""The keys around each letter of the keyboard."""

_LONGEST_CONTRACTION: Final = 6

SHORTEST_CUT: Final = 3
"""Two letters in a name abbreviate no word that was written out: `OR Royalties` is not `Orion Royalties`."""

_FEWEST_INITIALS: Final = 3
_MOST_INITIALS: Final = 8

_CUT: Final = Likeness(1.6, ABBREVIATED)
_LONGER: Final = Likeness(1.4, ABBREVIATED)
_UNFINISHED: Final = Likeness(1.4, UNFINISHED)
_SAME: Final = Likeness(1.2, EQUIVALENT)


def _lines(file: str) -> list[list[str]]:
    """Return the words of each line of a file beside this one."""
    return [line.split() for line in Path(__file__).with_name(file).read_text(encoding="ascii").splitlines()]


_NUMBERS: Final = {word: words[0] for words in _lines("numbers.txt") for word in words}
"""Word -> digits, from numbers.txt: Roman numerals up to twenty, cardinal and ordinal numbers of three languages."""
_ORDINAL: Final = re.compile(r"(\d+)(?:st|nd|rd|th|er|r[ao]|d[ao]|t[ao]|m[ao]|v[ao]|n[ao])")


def _equivalents() -> dict[str, frozenset[str]]:
    """Word -> the words of its lines in equivalents.txt and numbers.txt: abbreviations, other languages, numbers."""
    lines: dict[str, set[str]] = {}
    for words in (*_lines("equivalents.txt"), *_lines("numbers.txt")):
        for word in words:
            lines.setdefault(word, set()).update(words)
    return {word: frozenset(matches) for word, matches in lines.items()}


_EQUIVALENTS: Final = _equivalents()


@word_cache(1024)
def equivalents(word: str) -> frozenset[str]:
    """Words of the same meaning as `word` or its singular; its number where it is one."""
    singulars = (word, word.removesuffix("s"), word.removesuffix("es"), numeral(word) or word)
    return next(filter(None, map(_EQUIVALENTS.get, singulars)), frozenset())


def glued(first: str, second: str) -> tuple[str, ...]:
    """The one word that two may be written as, also in another language: `mercado livre` is `mercadolibre`."""
    return _glued(first, second) if len(first) + len(second) <= LONGEST_WORD else ()


@lru_cache(maxsize=8192)
def _glued(first: str, second: str) -> tuple[str, ...]:
    firsts, seconds = equivalents(first), equivalents(second)
    if not firsts and not seconds:
        return (first + second,)
    matches = [first + second, *[first + other for other in sorted(seconds)]]
    return tuple(dict.fromkeys([*matches, *[other + second for other in sorted(firsts)]]))


def numeral(word: str) -> str | None:
    """Return the digits of a word that is a number, in digits, Roman or written out; None for other words."""
    if word[:1].isdigit():
        match = _ORDINAL.fullmatch(word)
        return match[1] if match else word if word.isdigit() else None
    return _NUMBERS.get(word)


def written_numbers(parts: Sequence[str]) -> list[str]:
    """Join the words of a number between 21 and 99: `forty four` and `cuarenta y cuatro` are `44`."""
    joined: list[str] = []
    at = 0
    while at < len(parts):
        units = parts[at + 1 + (parts[at + 1] in _AND) :][:1] if at + 1 < len(parts) else ()
        tens, unit = _NUMBERS.get(parts[at], ""), numeral(units[0]) if units else None
        if len(tens) == 2 and tens[0] > "1" and tens[1] == "0" and unit and len(unit) == 1:
            joined.append(tens[0] + unit)
            at = parts.index(units[0], at + 1)
        else:
            joined.append(parts[at])
        at += 1
    return joined


def is_contraction(asked: str, word: str) -> bool:
    """Return whether `asked` is `word` less up to three fifths of it, inside: `ctro` for `centro`."""
    if not len(asked) + 2 <= len(word) <= 2.5 * len(asked) or asked[0] != word[0] or asked[-1] != word[-1]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in asked)


def _cut(asked: str, words: AbstractSet[str], last: bool) -> dict[str, Likeness]:
    """Return the `words` that `asked` is cut short from, or that are cut short from it."""
    matches = {}
    short = len(asked) <= _LONGEST_CONTRACTION
    for word in [word for word in words if word[0] == asked[0]]:
        if word.startswith(asked):
            matches[word] = _UNFINISHED if last else _LONGER
        elif (asked.startswith(word) and len(word) >= SHORTEST_CUT) or (short and is_contraction(asked, word)):
            matches[word] = _CUT
    return matches


def alike(asked: str, words: AbstractSet[str], *, last: bool) -> dict[str, Likeness]:
    """Return the words that a word may stand for.

    Args:
        last: Whether `asked` is the last word of the text, which may be unfinished.
    """
    if number := numeral(asked):
        return {word: Likeness(0.5, EQUIVALENT) for word in words if numeral(word) == number}
    matches = _cut(asked, words, last) if len(asked) > 1 or last else {}
    for word in equivalents(asked):
        if word in words:
            matches[word] = _SAME
    if can_misspell(asked):
        for word, edits, _ in process.extract(asked, words, scorer=OSA.distance, score_cutoff=3, limit=None):
            if can_be_misspelt(word) and (like := _misspelling(asked, word, edits)) and not _told_apart(asked, word):
                matches[word] = like
    return matches


def _told_apart(asked: str, word: str) -> bool:
    """Return whether both are known words of one kind that mean different things."""
    first, second = _MEANING.get(asked), _MEANING.get(word)
    return first is not None and second is not None and first[0] == second[0] and first != second


def words_key(words: Iterable[str]) -> str:
    """Equal for names of the same words in any order.

    >>> words_key(("banco", "andes"))
    'andes banco'
    """
    return " ".join(sorted(words))


def name_terms(words: Sequence[str]) -> set[str]:
    """Return the keys of a whole name: its words in any order, and its letters however they are split."""
    return {words_key(words), "".join(words)}


def less_one(words: Sequence[str]) -> set[str]:
    """The keys of the names that are `words` but for one: a city, a remark."""
    return set().union(*(name_terms([*words[:at], *words[at + 1 :]]) for at in range(len(words))))


def initials(core: Sequence[str]) -> str | None:
    """The acronym people make of a name of three to eight words: `cnt`; None for other names."""
    if len(core) < _FEWEST_INITIALS:
        return None
    letters = [word[0] for word in core if word not in CONNECTIVES and word[0].isalpha()]
    return "".join(letters) if _FEWEST_INITIALS <= len(letters) <= _MOST_INITIALS else None


@lru_cache(maxsize=1 << 14)
def is_acronym(word: str, core: str) -> bool:
    """Return whether a word is made of the beginnings of the words of a name, in order, of the first and another.

    Connectives may lack in it, one word between, and all words behind. The letters of `S. A.` may end it.

    Args:
        core: All words of the name.

    >>> is_acronym("fadea", "fabrica argentina de aviones brig san martin")
    True
    >>> is_acronym("emelnorte", "empresa electrica regional norte"), is_acronym("ahmsa", "altos hornos de mexico")
    (True, True)
    >>> is_acronym("norte", "empresa electrica regional norte")
    False
    """
    if not 1 < len(word) <= _LONGEST_ACRONYM or word[0] != core[:1]:
        return False
    wanted = {len(word), len(word) - 2} if word.endswith("sa") and len(word) > _SHORTEST_WITH_FORM else {len(word)}
    first, *others = core.split()
    whole, gapped = set(_shared_beginnings(word, first, 0)), set[int]()
    for part in others:
        longer = {end for start in whole for end in _shared_beginnings(word, part, start)}
        behind_gap = {end for start in gapped for end in _shared_beginnings(word, part, start)}
        if not wanted.isdisjoint(longer | behind_gap):
            return True
        if part in CONNECTIVES:
            whole, gapped = whole | longer, gapped | behind_gap
        else:
            whole, gapped = longer, whole | behind_gap
    return False


def _shared_beginnings(word: str, part: str, start: int) -> Iterator[int]:
    """Yield where a piece of `word` from `start` on ends that `part` begins with too."""
    for end, (letter, other) in enumerate(zip(word[start:], part[:_LONGEST_PIECE], strict=False), start=start + 1):
        if letter != other:
            return
        yield end


def halves(word: str, doubted: int, frequency: Callable[[str], int]) -> list[tuple[str, str, int]]:
    """Return the pairs of known words that make up a word, likeliest first.

    Args:
        doubted: The most companies that may have the word for it to be split.

    Returns:
        At most two pairs, each with the number of companies that have the rarer half.
    """
    if not 2 * _SHORTEST_HALF <= len(word) <= LONGEST_WORD or frequency(word) > doubted:
        return []
    matches = [
        (word[:at], word[at:], count)
        for at in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1)
        if (count := min(frequency(word[:at]), frequency(word[at:])))
    ]
    return sorted(matches, key=lambda half: -half[2])[:2]


def rarest(words: Sequence[str], most: int, frequency: Callable[[str], int]) -> list[str]:
    """Return words in order, each once.

    Args:
        most: The most words to keep: the rarest.

    Returns:
        The words that are kept.
    """
    words = list(dict.fromkeys(words))
    if len(words) <= most:
        return words
    kept = sorted(words, key=frequency)[:most]
    return [word for word in words if word in kept]
