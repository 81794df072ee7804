"""Changes that people make to a name when they type it: pure functions of a random source and the words as written.

Each takes the words of a name without its legal form and returns changed words, or None where it does not apply.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import NamedTuple

from evaluation.forms import FORM_WORDS
from evaluation.names import plain, representative, split
from evaluation.vocabulary import (
    ABBREVIATIONS,
    CONNECTIVES,
    COUNTRY_NAMES,
    GENERIC_WORDS,
    JOINERS,
    KIND_WORDS,
    LANGUAGE,
    TRANSLATIONS,
)


class Context(NamedTuple):
    """The context of a name: its country, the frequency of words there, the city of the company."""

    country: str
    known: Counter[str]
    city: str | None

    @property
    def language(self) -> str:
        """The language of the country's names."""
        return LANGUAGE[self.country]


Change = Callable[[Random, list[str], Context], list[str] | None]
_KEYS = ("qwertyuiop", "asdfghjklñ", "zxcvbnm")
_NEAR = {
    key: [
        other
        for r, line in enumerate(_KEYS)
        for c, other in enumerate(line)
        if abs(r - row) <= 1 and abs(c - column) <= 1 and other not in {key, "ñ"}
    ]
    for row, keys in enumerate(_KEYS)
    for column, key in enumerate(keys)
}
_SOUNDS = {
    "es": (
        ("b", "v"), ("v", "b"), ("z", "s"), ("s(?=[aou])", "z"), ("c(?=[eií])", "s"), ("s(?=[eií])", "c"), ("ll", "y"),
        ("y(?=[aeiou])", "ll"), ("qu(?=[eií])", "k"), ("c(?=[aou])", "k"), ("x", "j"), ("g(?=[eií])", "j"),
        ("j(?=[eií])", "g"), (r"\bh", ""), ("k", "c"), ("ñ", "ni"), ("mp", "np"), ("nv", "mb"),
    ),
    "pt": (
        ("ç", "s"), ("ç", "ss"), ("ss", "ç"), ("z", "s"), ("s(?=[aou])", "z"), ("x", "ch"), ("ch", "x"), ("b", "v"),
        ("qu(?=[eií])", "k"), ("c(?=[aou])", "k"), ("lh", "li"), ("g(?=[eií])", "j"), ("ph", "f"), ("y", "i"),
        ("c(?=[eií])", "s"), (r"\bh", ""), ("th", "t"),
    ),
    "en": (
        ("ph", "f"), ("ck", "k"), ("c(?=[aou])", "k"), ("y", "i"), ("ie", "ei"), ("ea", "ee"), ("ee", "ea"),
        ("s(?=[aou])", "c"), ("z", "s"), ("x", "cks"), ("f", "ph"), ("c(?=[ei])", "s"), ("gh", "g"), ("or\\b", "er"),
        ("tion", "sion"), ("ou", "u"), ("k", "c"),
    ),
}  # fmt: skip


def _folded(word: str) -> str:
    return "".join(part.text for part in split(word))


def _typable(words: list[str], least: int = 4) -> list[int]:
    """Return the places of words that are long enough to recognise after a typo."""
    return [
        place
        for place, word in enumerate(words)
        if len(word) >= least and word.isalpha() and _folded(word) not in CONNECTIVES | FORM_WORDS
    ]


def _with(words: list[str], place: int, word: str) -> list[str]:
    return [*words[:place], word, *words[place + 1 :]]


def _cased(like: str, letters: str) -> str:
    return letters.upper() if like.isupper() else letters


def _slip(rng: Random, word: str) -> str:
    """Hit a neighbouring key instead or as well, or leave a letter out; seldom at the first letter."""
    at = rng.randrange(0 if rng.random() < 0.1 else 1, len(word))
    near = _cased(word, rng.choice(_NEAR.get(plain(word[at]).lower(), ["e"])))
    manner = rng.random()
    if manner < 0.4:
        return word[:at] + near + word[at + 1 :]
    if manner < 0.75:
        return word[:at] + word[at + 1 :]
    return word[:at] + near + word[at:]


def slip(rng: Random, words: list[str], _: Context) -> list[str] | None:
    """Make one letter wrong, leave one out, or add one."""
    if not (places := _typable(words)):
        return None
    place = rng.choice(places)
    return _with(words, place, _slip(rng, words[place]))


def two_slips(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Make two typos, in two words where two are long enough."""
    places = _typable(words)
    if len(places) < 2 and sum(len(words[place]) for place in places) < 8:
        return None
    first = rng.choice(places)
    second = rng.choice([place for place in places if place != first] or [first])
    once = _with(words, first, _slip(rng, words[first]))
    if rng.random() < 0.25 and len(swapped := _swap(rng, once[second])) > 0:
        return _with(once, second, swapped)
    return _with(once, second, _slip(rng, once[second]))


def _swap(rng: Random, word: str) -> str:
    places = [at for at in range(1, len(word) - 1) if word[at].lower() != word[at + 1].lower()]
    if not places:
        return ""
    at = rng.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def transposed(rng: Random, words: list[str], _: Context) -> list[str] | None:
    """Swap two neighbouring letters."""
    changed = [(place, _swap(rng, words[place])) for place in _typable(words)]
    changed = [(place, word) for place, word in changed if word]
    return _with(words, *rng.choice(changed)) if changed else None


def doubled(rng: Random, words: list[str], _: Context) -> list[str] | None:
    """Double a letter, or write a double letter once."""
    if not (places := _typable(words)):
        return None
    place = rng.choice(places)
    word = words[place]
    pairs = [at for at in range(len(word) - 1) if word[at].lower() == word[at + 1].lower()]
    if pairs and rng.random() < 0.7:
        at = rng.choice(pairs)
        return _with(words, place, word[:at] + word[at + 1 :])
    at = rng.randrange(1, len(word))
    return _with(words, place, word[: at + 1] + word[at:])


def misheard(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Spell a word as it sounds: b for v, s for z or c, y for ll, k for qu, j for x, f for ph."""
    choices = [
        (place, match.start(), match.end(), instead)
        for place in _typable(words)
        for sound, instead in _SOUNDS[context.language]
        for match in re.finditer(sound, words[place].lower())
    ]
    if not choices:
        return None
    place, start, end, instead = rng.choice(choices)
    word = words[place]
    return _with(words, place, word[:start] + _cased(word, instead) + word[end:])


def glued(rng: Random, words: list[str], _: Context) -> list[str] | None:
    """Write two neighbouring words as one."""
    able = set(_typable(words, least=3))
    pairs = [at for at in range(len(words) - 1) if {at, at + 1} <= able and len(words[at] + words[at + 1]) <= 18]
    if not pairs:
        return None
    at = rng.choice(pairs)
    return [*words[:at], words[at] + words[at + 1], *words[at + 2 :]]


def divided(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Write a compound as its two words, both of which occur in the country."""
    places = [
        (place, at)
        for place in _typable(words, least=7)
        for at in range(3, len(words[place]) - 3)
        if context.known[_folded(words[place][:at])] > 4 and context.known[_folded(words[place][at:])] > 4
    ]
    if not places:
        return None
    place, at = rng.choice(places)
    return [*words[:place], words[place][:at], words[place][at:], *words[place + 1 :]]


def reordered(rng: Random, words: list[str], _: Context) -> list[str] | None:
    """Change the order of words: the last one first, the first one last, or two neighbours swapped."""
    if len([word for word in words if _folded(word) not in CONNECTIVES]) < 2:
        return None
    manner = rng.random()
    if manner < 0.35:
        changed = [words[-1], *words[:-1]]
    elif manner < 0.6:
        changed = [*words[1:], words[0]]
    else:
        at = rng.randrange(len(words) - 1)
        changed = [*words[:at], words[at + 1], words[at], *words[at + 2 :]]
    edges = {_folded(changed[0]), _folded(changed[-1])}
    return None if changed == words or edges & CONNECTIVES else changed


def joiners(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Replace `&`, y, and, e by another of them, or leave it out."""
    places = [at for at in range(1, len(words) - 1) if _folded(words[at]) in JOINERS]
    if not places:
        return None
    at = rng.choice(places)
    own = {"es": "y", "pt": "e", "en": "and"}[context.language]
    letters = len(words[at - 1]) == len(words[at + 1]) == 1
    usual = ("&", own) if letters else ("&", "&", own, own, *JOINERS)
    others = [joiner for joiner in usual if joiner != _folded(words[at])]
    return [*words[:at], *words[at + 1 :]] if rng.random() < 0.2 else _with(words, at, rng.choice(others))


def abbreviated(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Abbreviate a common word, with or without a dot, or write an abbreviated word out."""
    choices: list[tuple[int, str]] = []
    for place, word in enumerate(words):
        folded = _folded(word)
        for short in ABBREVIATIONS.get(folded, ())[:2]:
            choices += [(place, _cased(word, short)), (place, _cased(word, short) + ".")]
        choices += [
            (place, _cased(word, full))
            for full, shorts in ABBREVIATIONS.items()
            if folded in shorts and context.known[full] > 20
        ]
    return _with(words, *rng.choice(choices)) if choices and len(words) > 1 else None


def translated(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Translate one or all common words into another of the three languages."""
    own = ("es", "pt", "en").index(context.language)
    target = rng.choice([index for index in range(3) if index != own])
    table = {group[own]: group[target] for group in TRANSLATIONS if group[own] != group[target]}
    places = [place for place, word in enumerate(words) if _folded(word) in table]
    if not places or len(words) < 2:
        return None
    chosen = places if rng.random() < 0.3 else [rng.choice(places)]
    return [table[_folded(word)] if place in chosen else word for place, word in enumerate(words)]


def with_generic(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Add "empresa", "company" … before or behind the name."""
    extra = rng.choice(GENERIC_WORDS[context.language if rng.random() < 0.7 else "en"])
    before = extra.endswith(" de") or rng.random() < 0.5 or extra.startswith(("the ", "la ", "a "))
    longer = [*extra.split(), *words] if before else [*words, *extra.split()]
    return None if _folded(extra.split()[-1]) in map(_folded, words) else longer


def with_place(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Add the country or the city of the company behind the name."""
    places = list(COUNTRY_NAMES[context.country])
    if context.city and context.city[0].isalpha():
        places += [context.city.split(",")[0].split("-")[0].strip().title()] * 2
    place = rng.choice(places)
    held = {_folded(word) for word in words}
    return None if held & {_folded(part) for part in place.split()} else [*words, *place.split()]


def hurried(rng: Random, words: list[str], context: Context) -> list[str] | None:
    """Leave connectives out, and make one typo or swap two letters."""
    kept = [word for word in words if _folded(word) not in CONNECTIVES]
    changed = (transposed if rng.random() < 0.3 else slip)(rng, kept, context) if len(kept) > 1 else None
    return [plain(word).lower() for word in changed] if changed else None


def beginning(rng: Random, words: list[str]) -> str | None:
    """Cut the name two letters or more into a word, after five letters and a third of the name at least."""
    whole = " ".join(words)
    least = max(5, len(whole) // 3)
    if least >= len(whole):
        return None
    cut = whole[: rng.randrange(least, len(whole))].rstrip()
    return cut if cut[-2:].isalpha() else None


def other_case(rng: Random, text: str) -> str:
    """Write `text` in another case: lower, upper, title or mixed."""
    mixed = "".join(char.upper() if rng.random() < 0.5 else char.lower() for char in text)
    choices = [case for case in (text.lower(), text.upper(), text.title(), mixed) if case != text]
    return rng.choice(choices)


def as_typed(rng: Random, text: str) -> str:
    """Write `text` in the case and with the accents that people type: mostly lower case, mostly without accents."""
    manner = rng.random()
    text = text.lower() if manner < 0.5 else text.title() if manner < 0.65 else text.upper() if manner < 0.8 else text
    return plain(text) if rng.random() < 0.6 else text


@cache
def _parts(place: str) -> tuple[str, ...]:
    return tuple(part.text for part in split(place))


def another_place(rng: Random, words: list[str], places: tuple[str, ...]) -> list[str] | None:
    """Replace one of `places` in the name by another; None where the name has none, or nothing else."""
    folded = tuple(_folded(word) for word in words)
    occurrences = [
        (place, at, at + len(_parts(place)))
        for place in places
        for at in range(len(folded) - len(_parts(place)) + 1)
        if folded[at] == _parts(place)[0] and folded[at : at + len(_parts(place))] == _parts(place)
    ]
    if not occurrences or len(words) < 2:
        return None
    place, start, end = rng.choice(occurrences)
    other = rng.choice([city for city in places if city != place])
    return [*words[:start], *other.split(), *words[end:]]


def is_common(word: str) -> bool:
    """Return whether a folded word is one of those that people abbreviate or translate: it is not distinctive."""
    known = representative(word) != word or word in ABBREVIATIONS or word in KIND_WORDS
    return known or any(word in group for group in TRANSLATIONS)
