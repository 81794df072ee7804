"""Official texts made harmless to show: whatever a register holds, a page stays a page."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

MOST: Final = 300
"""Characters of a name that are shown; the longest real ones have some 200."""

HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+")
"""Control characters, and those that turn the direction of what follows or cannot be seen."""

_MARKUP = re.compile(r"[\\`*_{}\[\]()<>#|!~]")


@lru_cache(maxsize=4096)
def plain(text: str, most: int = MOST) -> str:
    """`text` on one line, composed, without control, bidirectional and invisible characters, at most so long."""
    shown = " ".join(HIDDEN.sub(" ", unicodedata.normalize("NFC", text[: 4 * most])).split())
    return shown if len(shown) <= most else shown[: most - 1].rstrip() + "…"


def markdown(text: str) -> str:
    """`text` as Markdown that says just that: no markup, link or HTML of its own."""
    return _MARKUP.sub(r"\\\g<0>", plain(text))
