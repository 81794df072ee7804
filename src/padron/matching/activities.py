"""Activities as people call them in Spanish, English and Portuguese: the rows of activities.csv. All phrases folded."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final, NamedTuple

from padron.text import split_phrases
from padron.words import Text


class ActivityPhrases(NamedTuple):
    """An activity: its key, its label, phrases for companies that do it (`hoteles`), and for itself (`hotelaria`)."""

    key: str
    label: Text
    plural: tuple[str, ...]
    topic: tuple[str, ...]


def _read() -> tuple[ActivityPhrases, ...]:
    with Path(__file__).with_name("activities.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            ActivityPhrases(
                row["key"], Text(row["es"], row["en"]), split_phrases(row["plural"]), split_phrases(row["topic"])
            )
            for row in csv.DictReader(file)
        )


ACTIVITIES: Final = _read()
"""Every activity, in the order of the file."""
