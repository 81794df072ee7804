"""The words of `glossary.toml`: official terms explained, in both languages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from padron.model import Text

_TABLES: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8")
)


def _texts(table: str) -> dict[str, Text]:
    return {code: Text(**row) for code, row in _TABLES[table].items()}


STATUS: Final = {code: Text(**row["label"]) for code, row in _TABLES["status"].items()}
STATUS_MEANS: Final = {code: Text(**row["meaning"]) for code, row in _TABLES["status"].items()}
"""State of a company -> how it is called; what it means."""
MATCHED: Final = _texts("matched")
"""What a query agreed with (`document.KINDS`, or `identifier`)."""
NAME: Final = _texts("name")
"""Kind of another name."""
STATE: Final = _texts("state")
"""State of an official source."""
SCOPE: Final = _texts("scope")
"""What a yearly statement covers."""
