"""ISIC Rev. 4, the United Nations' classification of activities: one scheme for the codes of all countries.

`isic.csv` has its 21 sections, 88 divisions and 419 classes, each code after the letter of its section (`G`, `G47`,
`G4711`). English: `ISIC_Rev_4_english_structure.txt` of the UN Statistics Division; Spanish: CIIU 4.0 of Ecuador
(INEC), whose codes down to the class are the same 528.

How far a national code tells it was compared with that table. CIIU 4.0 of Ecuador keeps the classes and divides only
these. CIIU Rev. 4 A.C. of Colombia and CNAE 2.3 of Brazil keep sections and divisions, with other classes under some
of the same numbers (0114: sugar cane, in Colombia tobacco). SCIAN, SIC and CLAE have other divisions: without an
official table of correspondence the ISIC code of their companies is unknown.
"""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal

from padron.words import Text

SYSTEM: Final = "ISIC"
VERSION: Final = "Rev. 4"
Depth = Literal["division", "class"]
"""Deepest level that a national classification shares."""

_DIGITS: Final[dict[Depth, tuple[int, ...]]] = {"division": (2,), "class": (4, 2)}
_CACHED: Final = 1 << 13


def isic_code(official: str | None, depth: Depth | None) -> str | None:
    """Return the ISIC code of an activity.

    Args:
        official: Its code in the national classification, in any punctuation.
        depth: Deepest level that this classification shares with ISIC; None where it shares none.

    Returns:
        Section with class or division, `G4711` or `G47`; None where it is not known.
    """
    return _code(official, depth) if official and depth else None


@lru_cache(maxsize=_CACHED)
def _code(official: str, depth: Depth) -> str | None:
    digits = re.sub(r"\D", "", official)
    letter = official[0] if official[0].isalpha() else _section(digits[:2])
    codes = (letter + digits[:size] for size in _DIGITS[depth] if len(digits) >= size)
    return next((code for code in codes if code in names()), None)


def with_section(code: str) -> str:
    """Return a code in capitals, with the letter of its section where only digits were given: `47` -> `G47`."""
    return _section(code[:2]) + code if code[:1].isdigit() else code.upper()


@cache
def names() -> dict[str, Text]:
    """Code -> name of the section, division or class."""
    path = Path(__file__).with_name("isic.csv")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return {row["code"]: Text(row["es"], row["en"]) for row in rows}


@cache
def _sections() -> dict[str, str]:
    return {code[1:]: code[0] for code in names() if len(code) == 3}


def _section(division: str) -> str:
    return _sections().get(division, "")
