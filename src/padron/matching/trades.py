"""Words for trades and products, which people put around a name: the lines of trades.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from padron.index.tags import stem
from padron.matching.activities import ACTIVITIES
from padron.text import word_cache


def _read() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    keys = {activity.key for activity in ACTIVITIES}
    trades: dict[str, set[str]] = {}
    describing = frozenset[str]()
    for line in Path(__file__).with_name("trades.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        head, _, text = line.partition(":")
        words = text.split()
        if head == "-":
            describing |= frozenset(words)
            continue
        named = {key.strip() for key in head.split(",") if key.strip()}
        if unknown := named - keys:
            raise ValueError(f"trades.txt: no activity {', '.join(sorted(unknown))}")
        stems = set(map(stem, words))
        for word in stems:
            trades.setdefault(word, set()).update(stems, (f"#{key}" for key in named))
    return {word: frozenset(terms) for word, terms in trades.items()}, describing


_TRADES, _DESCRIBING = _read()

TRADES: Final = _TRADES
"""Stem of a word for a trade -> the terms of `tags.activity_words` for the same trade."""

DESCRIBING: Final = _DESCRIBING
"""Words that describe a company and name no trade, such as `exporter`."""


@word_cache(1 << 14)
def describes(word: str) -> bool:
    """Return whether a folded word describes companies rather than names one."""
    return word in DESCRIBING or stem(word) in TRADES
