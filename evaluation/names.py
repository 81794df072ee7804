"""Parser of company names that keeps positions, so that a part can be changed and the rest left as it is.

>>> read("Industrias Álvarez & Hijos, S. A. S. EN LIQUIDACION", "CO").words
('industrias', 'alvarez', '&', 'hijos')
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from evaluation.forms import FORMS, LONG_FORM, TAILS, TRAILING_TRADES
from evaluation.vocabulary import ABBREVIATIONS, CONNECTIVES, KIND_WORDS, TRANSLATIONS

_PIECE = re.compile(r"[^\W_]+(?:['’´`][^\W_]+)*|[&+]")
_TAIL = re.compile(rf"(?:{'|'.join(TAILS)})")
_LONGEST_TAIL = 14
_STATE = re.compile(r"\s*[/\\][A-Z]{2,3}[/\\]?\s*$")
"""A mark that EDGAR puts behind a name to tell it from another: `CORP /DE/`, `BANCORP /NEW/`, `SA/ADR`."""


def plain(text: str) -> str:
    """Return `text` without accents; case and punctuation stay."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


class Word(NamedTuple):
    """A folded word with its position in the text; letters written apart, `S. A.`, are one word."""

    text: str
    start: int
    end: int


def split(text: str) -> list[Word]:
    """Return the words of `text`, folded to lower-case ASCII: single letters in a row are one word, `&` and `+` too."""
    words: list[Word] = []
    between: str | None = None  # spacing in a run of single letters: "tight", "apart", or "open" after the first one
    for match in _PIECE.finditer(text):
        folded = re.sub(r"[^a-z0-9&]", "", plain(match[0]).lower().replace("+", "&").replace("ß", "ss"))
        if not folded:
            continue
        gap = text[words[-1].end : match.start()] if words else ""
        manner = "apart" if re.search(r"\s", gap) else "tight"
        letter = len(folded) == 1 and folded.isalpha() and folded != "y"
        if letter and words and between in {"open", manner} and re.fullmatch(r"[\s./]*", gap):
            words[-1] = Word(words[-1].text + folded, words[-1].start, match.end())
            between = manner
            continue
        words.append(Word(folded, match.start(), match.end()))
        between = "open" if letter else None
    return words


class Reading(NamedTuple):
    """A parsed name.

    Attributes:
        country: The country by whose rules it is parsed.
        text: The name as written.
        core: The words that name the company.
        form: The code of the legal form; None where none is stated.
        written: The legal form as written.
        tail: The words behind the legal form, mostly an acronym (`… S.A. CONECEL`).
    """

    country: str
    text: str
    core: tuple[Word, ...]
    form: str | None
    written: str
    tail: tuple[Word, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The folded words of the core."""
        return tuple(word.text for word in self.core)

    @property
    def raw(self) -> list[str]:
        """The words of the core as written."""
        return self.written_as(self.core)

    def written_as(self, words: tuple[Word, ...]) -> list[str]:
        """Return some words of the name as written."""
        return [self.text[word.start : word.end] for word in words]

    @property
    def variants(self) -> tuple[tuple[str, ...], ...]:
        """The name without its form: with the tail, without the tail, and the tail alone if it is an acronym."""
        tail = tuple(word.text for word in self.tail)
        if not tail:
            return (self.words,)
        names = (self.words + tail, self.words)
        return (*names, tail) if len(tail) == 1 and len(tail[0]) > 3 else names


@cache
def _forms(country: str) -> dict[str, str]:
    """Return the code of each legal form by its letters."""
    spelt = ((form.code, text) for form in FORMS[country] for text in (*form.short, *form.long))
    return {"".join(word.text for word in split(text)): code for code, text in spelt}


def _form_at_end(words: list[Word], country: str) -> tuple[int, str] | None:
    """Return the number of last words that are a legal form (the most, but never all), and its code."""
    for count in range(min(len(words) - 1, 8), 0, -1):
        last = [word.text for word in words[-count:]]
        if code := _forms(country).get("".join(last)):
            return count, code
        if country == "AR" and re.fullmatch(LONG_FORM, " ".join(last)):
            return count, "saic"
    return None


def read(text: str, country: str) -> Reading:
    """Parse `text` as a name of `country`: drop remarks of registers, then legal forms at the end or shortly before."""
    text = _STATE.sub("", text) or text
    words = _without_remarks(split(text))
    tail: list[Word] = []
    if not _form_at_end(words, country) and country != "US":
        for count in range(1, 5):
            trades = re.fullmatch(TRAILING_TRADES, " ".join(word.text for word in words[-count:]))
            if len(words) > count + 1 and (count < 3 or trades) and _form_at_end(words[:-count], country):
                words, tail = words[:-count], words[-count:]
                break
    form, ends = None, words[-1].end if words else 0
    starts = ends
    while words and (match := _form_at_end(words, country)):
        count, code = match
        form = form or code
        starts = words[-count].start
        words = _without_remarks(words[:-count])
    while len(words) > 1 and words[-1].text in {"&", "y", "e", "and", "de"}:
        words = words[:-1]
    ends += text[ends : ends + 1] == "."
    return Reading(country, text, tuple(words), form, text[starts:ends] if form else "", tuple(tail))


def _without_remarks(words: list[Word]) -> list[Word]:
    for count in range(min(_LONGEST_TAIL, len(words) - 1), 0, -1):
        if _TAIL.fullmatch(" ".join(word.text for word in words[-count:])):
            return _without_remarks(words[:-count])
    return words


@cache
def _classes() -> dict[str, str]:
    """Return the representative of each word that is abbreviated or translated."""
    parent: dict[str, str] = {}

    def top(word: str) -> str:
        while (above := parent.setdefault(word, word)) != word:
            word = above
        return word

    for group in (*((full, *short) for full, short in ABBREVIATIONS.items()), *TRANSLATIONS):
        for word in group[1:]:
            parent[top(word)] = top(group[0])
    return {word: top(word) for word in parent}


def representative(word: str) -> str:
    """Return the representative of all words that abbreviate or translate `word`."""
    return _classes().get(word, word)


def meaning(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return `words` without connectives; all of them where nothing would be left."""
    return tuple(word for word in words if word not in CONNECTIVES) or words


def bag(words: tuple[str, ...]) -> str:
    """Return a key that is equal for names of the same words in any order, abbreviated or translated."""
    return " ".join(sorted(map(representative, meaning(words))))


def bare(words: tuple[str, ...]) -> str:
    """Return a key like `bag` that is also equal with or without words such as "company" and "grupo"."""
    distinctive = tuple(word for word in words if word not in KIND_WORDS)
    return bag(distinctive or words)


def compact(words: tuple[str, ...]) -> str:
    """Return a key that is equal for names of the same letters, however they are divided into words."""
    return "".join(meaning(words))


def initials(words: tuple[str, ...]) -> str:
    """Return the first letters of the words; "" where they are fewer than three, or one is short or a number."""
    kept = meaning(words)
    whole = len(kept) > 2 and all(len(word) > 2 and word.isalpha() for word in kept)
    return "".join(word[0] for word in kept) if whole else ""
