"""Phrases around the name of a company that tell whether it is the one meant: the tables of cues.toml. All folded."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from padron.text import split_phrases

_TABLES: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("cues.toml").read_text(encoding="utf-8")
)

ABROAD: Final = {code: split_phrases(text) for code, text in _TABLES["abroad"].items()}
"""Names of a country that is not covered, and its adjectives, by its code."""

ANOTHER: Final = split_phrases(_TABLES["another"]["text"])
"""Phrases of texts that are about something else than the company they name: an instruction, a club, a museum."""

BRANCH: Final = split_phrases(_TABLES["another"]["branch"])
"""Phrases for a part of the company named, which is another company unless the text is for its country."""
