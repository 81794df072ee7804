"""Official texts made harmless to show: whatever a register holds, a page stays a page."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from padron.text import CONNECTIVES

MOST: Final = 300
"""Characters of a name that are shown; the longest real ones have some 200."""

_ABBREVIATION: Final = 3
"""Letters of a place that is called by them: `SP`, `RJ`."""
_PLACE: Final = 5
"""Words that the name of a place has; more are a sentence."""

HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+")
"""Control characters, and those that turn the direction of what follows or cannot be seen."""

_INITIALS = re.compile(r"(?:[a-z]\.)+")
_MARKUP = re.compile(r"[\\`*_{}\[\]()<>#|!~]")


def plain(text: str, most: int = MOST) -> str:
    """`text` on one line, composed, without control, bidirectional and invisible characters, cut at a word."""
    return _plain(text[: 4 * most], most)


@lru_cache(maxsize=4096)
def _plain(start: str, most: int) -> str:
    shown = " ".join(HIDDEN.sub(" ", unicodedata.normalize("NFC", start)).split())
    if len(shown) <= most:
        return shown
    return (shown[:most].rpartition(" ")[0] or shown[: most - 1]).rstrip(" ,;:") + "…"


def calm(text: str) -> str:
    """Return an official text that is all in capitals as one is written: a place, of few words, by words (`Quito`)."""
    if not text.isupper() or len(text) <= _ABBREVIATION:
        return text
    words = text.lower().split()
    if len(words) > _PLACE:
        return text.capitalize()
    return " ".join(_written(word, first=not number) for number, word in enumerate(words))


def _written(word: str, *, first: bool) -> str:
    if _INITIALS.fullmatch(word):
        return word.upper()
    return word if word in CONNECTIVES and not first else word[:1].upper() + word[1:]


def markdown(text: str) -> str:
    """`text` as Markdown that says just that: no markup, link or HTML of its own."""
    return _MARKUP.sub(r"\\\g<0>", plain(text))
