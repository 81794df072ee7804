"""Companies by the number in a text, and how sure a number makes us.

1.0 only for the identifier under which exactly one company is recorded. A number among other words is as sure only
where the words name its scheme or agree with the company's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from padron.country import Country
from padron.errors import NotFound
from padron.index.document import StoredCompany, decode_company, decode_record
from padron.index.engine import Hit, IdentifierKey
from padron.index.release_index import ReleaseIndex
from padron.index.tags import Within
from padron.lookup import hints
from padron.matching.identifiers import Number, Spotted, corrected, one_digit_off
from padron.matching.query import Query
from padron.matching.score import IDENTIFIER, Match, Ranked, Ranker, emitted
from padron.model import Text

_ALIAS: Final = 0.9999
_DISAGREEING: Final = 0.6
_MISTYPED: Final = 0.5
"""A number whose check digit is wrong, under the root of some company: where nearly every root is taken, a slip in the
root (eight of a CNPJ's fourteen characters) leads to another company as often as one behind it to the right one."""


class Held(NamedTuple):
    """A company that has a number: its place in the index and its head, and the number as read for it.

    `own`: it is of the scheme the company is recorded under; `part`: not the company's own one, but a branch's or the
    root of such numbers.
    """

    key: int
    company: StoredCompany
    number: Number
    own: bool
    part: bool


class NumberSearch:
    """Looks numbers up in one index."""

    def __init__(self, registry: Mapping[str, Country], index: ReleaseIndex, ranker: Ranker) -> None:
        self._registry = registry
        self._engine = index.engine
        self._ranker = ranker
        self._texts = index.tables.texts

    async def find(self, query: Query, spotted: Spotted, said: list[Text], within: Within = ()) -> list[Ranked]:
        """Companies that have the number and the tags, surest first; what else there is to say is added to `said`.

        Raises `NotFound("natural-person-not-covered")` for a number that no company has and some country takes for a
        person's.
        """
        meant: list[Held] = []
        elsewhere: set[str] = set()
        for number, holders in zip(spotted.numbers, await self.holders(spotted.numbers, within), strict=True):
            if query.country not in {None, number.country}:
                elsewhere.update(one.number.country for one in holders)
            elif _is_meant(number, query):
                meant += holders
            else:
                said += [self._also(one) for one in holders[:1]]
        pointed = [one for one in meant if one.number.country in query.pointed.values()]
        if not meant:
            _refuse_persons(query, spotted)
            said += [hints.exists_elsewhere(sorted(elsewhere))] if elsewhere else []
            wrong = [number for number in spotted.numbers if number.identifier.valid_check is False]
            said += [text for number in wrong[:1] for text in await self.mistyped(number, spotted.text)]
        return await self._sure(query, spotted, pointed or meant, said)

    async def mistyped(self, number: Number, text: str) -> list[Text]:
        """What to say of a number, written as `text`, whose check digit is wrong.

        The right check digit, and the one company whose number it is but for one digit. Companies that are withheld do
        not show, and no number of a person is tried.
        """
        country = self._registry[number.country]
        right = corrected(country, number)
        near = {
            (one.company.link or one.key): one
            for holders in await self.holders(list(one_digit_off(country, text)))
            for one in holders
            if one.own and not one.part
        }
        if len(near) != 1:
            return [hints.wrong_check_digit(number.scheme, right)]
        (one,) = near.values()
        record = decode_record(one.company.record)
        return [
            hints.wrong_check_digit(number.scheme, None if right == record.identifier else right),
            hints.repaired(one.number.scheme, record.identifier, record.legal_name),
        ]

    async def holders(self, numbers: Sequence[Number], within: Within = ()) -> list[list[Held]]:
        """Return the companies filed under each of `numbers`, those with the tags."""
        keys = [
            IdentifierKey(number.country, number.scheme.code, number.scheme.key(number.identifier.value))
            for number in numbers
        ]
        answers = await self._engine.by_identifier(keys, within) if keys else ()
        return [self._held(number, hits) for number, hits in zip(numbers, answers, strict=True)]

    def _held(self, number: Number, hits: Sequence[Hit]) -> list[Held]:
        scheme, value = number.scheme, number.identifier.value
        held = []
        for hit in hits:
            company = decode_company(hit.stored)
            record = decode_record(company.record)
            own = self._texts[record.scheme] == scheme.code and scheme.key(record.identifier) == scheme.key(value)
            held.append(Held(hit.key, company, number, own, own and record.identifier != value))
        return held

    async def _sure(self, query: Query, spotted: Spotted, held: Sequence[Held], said: list[Text]) -> list[Ranked]:
        """The holders with their confidence: parted among companies, less where the words are another's name."""
        companies = {one.company.link or one.key for one in held}
        if len(companies) > 1:
            said.append(hints.shared_number(len(companies)))
        ranked = []
        for one in held:
            sure = 1.0 if one.own and not one.part and len(companies) == 1 else _ALIAS / len(companies)
            if _has_wrong_suffix(one.number):
                sure = min(sure, _ALIAS)
                said.append(hints.wrong_check_digit(one.number.scheme, one.number.identifier.value))
            if one.part:
                sure *= await self._part(one, spotted.text, said)
            if query.around and not one.number.named and not self._agrees(query, one):
                sure *= _DISAGREEING
                said.append(hints.name_disagrees())
            match = Match(one.key, one.company, one.number.country, one.company.names[0], {}, 0.0)
            ranked.append(Ranked(match, sure if sure == 1.0 else emitted(sure), 0.0, IDENTIFIER))
        return sorted(ranked, key=lambda one: (-one.confidence, not one.match.company.link_home, one.match.key))

    async def _part(self, one: Held, text: str, said: list[Text]) -> float:
        """What is left of the confidence in a number that is not the company's own, and why."""
        scheme, identifier = one.number.scheme, one.number.identifier
        if identifier.valid_check is False:
            said += await self.mistyped(one.number, text)
            return _MISTYPED
        said.append(hints.branch(self._registry[one.number.country], scheme, identifier.value))
        return 1.0

    def _agrees(self, query: Query, one: Held) -> bool:
        """Whether the words around the number fit a name of the company better than not."""
        assert query.around is not None
        return self._ranker.match(query._replace(names=query.around), one.key, one.company).utility > 0

    def _also(self, one: Held) -> Text:
        name = decode_record(one.company.record).legal_name
        return hints.also_identifies(self._registry[one.number.country], one.number.scheme, name)


def _is_meant(number: Number, query: Query) -> bool:
    """Whether a number is meant as one of its scheme: bare ones are primary ones, or LEIs, like which nothing looks."""
    return (
        number.scheme.rank == "primary"
        or number.scheme.code == "lei"
        or number.named
        or number.country == query.country
        or number.country in query.pointed.values()
    )


def _has_wrong_suffix(number: Number) -> bool:
    """Whether the check digit is wrong that is written behind a number, but is no part of it (the DV of a NIT)."""
    check, value = number.scheme.check, number.identifier.value
    return number.identifier.valid_check is False and check is not None and check.start >= len(value)


def _refuse_persons(query: Query, spotted: Spotted) -> None:
    persons = spotted.persons & {query.country} if query.country else spotted.persons
    others = [number for number in spotted.numbers if query.country in {None, number.country}]
    if persons and (spotted.long or not others):
        raise NotFound("natural-person-not-covered")
