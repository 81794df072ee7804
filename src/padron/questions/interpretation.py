"""What is made of a question: the companies it asks for or the list it describes, and what it says of them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from padron.index.tags import Filters
from padron.questions.lexicon import Found, QuestionLanguage

Aspect = Literal["country", "status", "activity", "legalForm", "region", "hasFinancials", "listed"]
"""What can be understood of companies beside their names, and asked not to be."""

ASPECTS: Final[tuple[Aspect, ...]] = (
    "country", "status", "activity", "legalForm", "region", "hasFinancials", "listed",
)  # fmt: skip


class Understood(NamedTuple):
    """Something a text says beside a name: its aspect or `scheme`, the words that say it, and the value."""

    aspect: Aspect | Literal["scheme"]
    text: str
    value: str


class Reading(NamedTuple):
    """One way to take the name of a company.

    `whole`: as a plain search takes the text. `bare`: without what stands around the name. `torn`: without the words
    that describe the company either. `country` is where these point to, `uncovered` such a country that no register
    here covers; `told` what they say. `confirming`: it counts only if it finds what the readings before found likeliest
    (`Duratex de Brasil`: names hold such places too).
    """

    how: Literal["whole", "bare", "torn"]
    name: str
    country: str | None = None
    uncovered: str | None = None
    told: tuple[Understood, ...] = ()
    confirming: bool = False


class Asked(NamedTuple):
    """A company asked for: as it is called, the readings of that in the order to try, and the schemes asked for.

    `schemes`: several where their name (`RUC`) is that of several countries, none of them named. `number`: the company
    is asked for by number.
    """

    text: str
    readings: tuple[Reading, ...]
    schemes: tuple[str, ...]
    number: bool

    @property
    def scheme(self) -> str | None:
        """The scheme asked for where it is certain which."""
        return self.schemes[0] if len(self.schemes) == 1 else None


class Listing(NamedTuple):
    """A list asked for: country, filters, key of the activity, the place as written, and words not explained.

    `many`: it speaks of companies as such. `sure` unless words are left that only labels of activities may explain.
    `found`: what says all this.
    """

    country: str | None
    uncovered: str | None
    filters: Filters
    activity: str | None
    place: str | None
    words: tuple[str, ...]
    many: bool
    sure: bool
    found: tuple[Found, ...]


class Interpretation(NamedTuple):
    """What was made of a text.

    `several`: all of `companies` were asked for as such; else the first is the whole text, and the others are believed
    only if each is found. `left`: how many more there were than are looked for.
    """

    language: QuestionLanguage
    companies: tuple[Asked, ...]
    several: bool
    left: int
    listing: Listing | None
    understood: tuple[Understood, ...]
    question: bool
