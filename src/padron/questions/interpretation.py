"""Values of an interpreted question: the companies it asks for or the list it describes, and its clues."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from padron.index.tags import Filters
from padron.questions.lexicon import PhraseMatch, QuestionLanguage

Aspect = Literal["country", "status", "activity", "legalForm", "region", "hasFinancials", "listed"]
"""Attributes of companies that a question may state, each of which a caller can switch off."""

ASPECTS: Final[tuple[Aspect, ...]] = (
    "country", "status", "activity", "legalForm", "region", "hasFinancials", "listed",
)  # fmt: skip


class Clue(NamedTuple):
    """A statement of a text beside a name: its aspect or `scheme`, its words, and the value."""

    aspect: Aspect | Literal["scheme"]
    text: str
    value: str


class TextReading(NamedTuple):
    """One way to read the name of a company.

    `whole`: as a plain search reads the text. `bare`: without the words around the name. `torn`: without the words that
    describe the company either. `country` is the country of these words, `uncovered` one that no register here covers;
    `clues` are their statements. `confirming`: it counts only if it finds the company that the readings before found
    likeliest (`Duratex de Brasil`: names hold such places too). `held`: the name is a whole name in the index.
    """

    how: Literal["whole", "bare", "torn"]
    name: str
    country: str | None = None
    uncovered: str | None = None
    clues: tuple[Clue, ...] = ()
    confirming: bool = False
    held: bool = False


class RequestedCompany(NamedTuple):
    """A company asked for: its words, their readings in the order to try, and the schemes asked for.

    `schemes`: several where their name (`RUC`) is that of several countries, none of them named. `number`: the company
    is asked for by number. `beside`: the names in the index that the number stands beside.
    """

    text: str
    readings: tuple[TextReading, ...]
    schemes: tuple[str, ...]
    number: bool
    beside: tuple[str, ...] = ()

    @property
    def scheme(self) -> str | None:
        """The scheme asked for, if it is certain."""
        return self.schemes[0] if len(self.schemes) == 1 else None


class ListRequest(NamedTuple):
    """A list asked for: country, filters, key of the activity, the place as written, and words not explained.

    `many`: it speaks of companies as such, or of an activity in a place. `sure` unless words are left that only labels
    of activities may explain. `evidence`: the phrases that state all this. `dropped`: conditions of the text that the
    list does not fulfil. `largest`: the largest companies are asked for. `part`: the place asked for, where registers
    state only the region around it, which `place` is.
    """

    country: str | None
    uncovered: str | None
    filters: Filters
    activity: str | None
    place: str | None
    words: tuple[str, ...]
    many: bool
    sure: bool
    evidence: tuple[PhraseMatch, ...]
    dropped: tuple[str, ...] = ()
    largest: bool = False
    part: str = ""


class QuestionInterpretation(NamedTuple):
    """An interpreted question.

    `several`: all of `companies` were asked for as such; else the first is the whole text, and the others count only if
    each is found. `left`: the number of companies beyond those that are searched. `text`: the text without what it
    rules out. `ruled_out`: the words of these companies. `excluding`: the phrase that rules them out, where nothing
    else is named. `relation`: the phrase that asks for a company related to one that is named, but for any in `before`.
    `persons`: the words that name persons; where nothing else is named, `excluding` is the phrase that says so.
    `owning`: it asks who owns something. `plural`: the word by which the only name of the text is the kind or the name
    of several companies (`shell companies`, `companies called Argos`). `denied`: the words that say where the companies
    are not, which no search applies. `likely`: the companies that a model of such texts reads, for where none of
    `companies` is certain. `aside`: by this model, or by its words, the text asks for no company.
    """

    language: QuestionLanguage
    companies: tuple[RequestedCompany, ...]
    several: bool
    left: int
    listing: ListRequest | None
    understood: tuple[Clue, ...]
    question: bool
    text: str
    ruled_out: str = ""
    excluding: str = ""
    relation: str = ""
    before: str = ""
    persons: tuple[str, ...] = ()
    owning: bool = False
    plural: str = ""
    denied: str = ""
    likely: tuple[RequestedCompany, ...] = ()
    aside: bool = False

    def unasked(self, company: RequestedCompany) -> str:
        """Return the phrase by which a company is only named, and not asked for; empty without one."""
        return self.excluding or self.denied or ("" if company.text in self.before else self.relation)
