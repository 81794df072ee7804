"""Companies by the number in a text, and how sure a number makes us.

1.0 only for the identifier under which exactly one company is recorded. A number among other words is as sure only
where the words name its scheme or agree with the company's name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.errors import NotFound
from padron.index.document import LEGAL, StoredCompany, decode_company, decode_record
from padron.index.engine import Hit, IdentifierKey
from padron.index.release_index import ReleaseIndex
from padron.index.tags import Within
from padron.lookup import hints
from padron.matching.features import INEXACT, MISSING_ANY, SAME_NAME
from padron.matching.identifiers import Number, Spotted, corrected, one_slip_off
from padron.matching.query import Query
from padron.matching.score import IDENTIFIER, Match, Ranked, Ranker, emitted
from padron.words import Text

_ALIAS: Final = 0.9999
_DISAGREEING: Final = 0.6
LIKELIER: Final = 0.5
"""Confidence from which something is likelier than not."""
ASSERTED: Final = 0.85
"""Confidence from which a company is stated."""
_LONG_ENOUGH: Final = 20
"""Characters of the beginning of a name, at least, within a word: programs cut names off at 30, or at 25."""
_RIVALS: Final = 3
"""Companies of a name, likeliest first, among which one may have it as its legal name."""
_MISTYPED: Final = 0.4999
"""A number whose check digit is wrong, whichever company it is nearest to: where nearly every root is taken, a slip in
the root (eight of a CNPJ's fourteen characters) leads to another company as often as one behind it to the right one."""


NameSearch = Callable[[str | None], Awaitable[Sequence[Ranked]]]
"""Searches the companies of a name in a country, or in all of them."""


class Holder(NamedTuple):
    """A company that has a number: its place in the index and its head, and the number as read for it.

    `own`: it is of the scheme the company is recorded under; `part`: not the company's own, but a branch's or the
    root of such numbers.
    """

    key: int
    company: StoredCompany
    number: Number
    own: bool
    part: bool


class NumberSearch:
    """Search by number in one index."""

    def __init__(self, registry: Mapping[str, Country], index: ReleaseIndex, ranker: Ranker) -> None:
        self._registry = registry
        self._engine = index.engine
        self._ranker = ranker
        self._texts = index.tables.texts

    async def find(
        self,
        query: Query,
        spotted: Spotted,
        remarks: list[Text],
        by_name: NameSearch,
        within: Within = (),
        *,
        label_vouches: bool = True,
        repair: bool = False,
    ) -> list[Ranked]:
        """Find the companies that have a number.

        Args:
            spotted: The number in it, in all its readings.
            by_name: Searches the words around the number, where they are not its company's name.
            label_vouches: Whether the name of its scheme beside the number makes it no objection that other words
                around it are nobody's name.
            repair: Whether the companies are wanted whose number this is but for one slip, where its check digit is
                wrong and no company has it. None of them is sure.

        Returns:
            The companies, surest first.

        Raises:
            NotFound: `natural-person-not-covered`, no company has the number and some country takes it for a person's.
        """
        meant: list[Holder] = []
        elsewhere: set[str] = set()
        for number, holders in zip(spotted.numbers, await self.holders(spotted.numbers, within), strict=True):
            if query.country not in {None, number.country}:
                elsewhere.update(holder.number.country for holder in holders)
            elif _is_meant(number, query):
                meant += holders
            else:
                remarks += [self._also(holder) for holder in holders[:1]]
        pointed = [holder for holder in meant if holder.number.country in query.pointed.values()]
        if not meant:
            _refuse_persons(query, spotted)
            remarks += [hints.exists_elsewhere(sorted(elsewhere))] if elsewhere else []
            if wrong := spotted.wrong(query.country):
                near = await self._one_slip_off(wrong, spotted.text, within)
                remarks += self._about_mistyped(wrong, near)
                return _nearly(near) if repair else []
        return await self._sure(query, spotted, pointed or meant, remarks, by_name, label_vouches=label_vouches)

    async def mistyped(self, number: Number, text: str) -> list[Text]:
        """Return the hints about a number, written as `text`, whose check digit is wrong.

        The right check digit, and the one company whose number it is but for one digit. Suppressed companies do
        not show, and no number of a person is tried.
        """
        return self._about_mistyped(number, await self._one_slip_off(number, text))

    def _about_mistyped(self, number: Number, near: Sequence[Holder]) -> list[Text]:
        right = corrected(self._registry[number.country], number)
        if len(_companies(near)) != 1:
            return [hints.wrong_check_digit(number.scheme, right)]
        holder = near[0]
        record = decode_record(holder.company.record)
        return [
            hints.wrong_check_digit(number.scheme, None if right == record.identifier else right),
            hints.repaired(holder.number.scheme, record.identifier, record.legal_name),
        ]

    async def repaired(self, number: Number, text: str, within: Within = ()) -> list[Ranked]:
        """Return the companies whose number a text with a wrong check digit is but for one slip, none of them sure.

        Args:
            number: The reading of the text whose check digit is wrong.
            text: The number as written.

        Returns:
            The companies, each once.
        """
        return _nearly(await self._one_slip_off(number, text, within))

    async def _one_slip_off(self, number: Number, text: str, within: Within = ()) -> list[Holder]:
        """Return the companies recorded under a number that `text` is but for one slip, each once."""
        numbers = list(one_slip_off(self._registry[number.country], text))
        holders = {
            holder.key: holder
            for held in await self.holders(numbers, within)
            for holder in held
            if holder.own and not holder.part
        }
        return list(holders.values())

    async def holders(self, numbers: Sequence[Number], within: Within = ()) -> list[list[Holder]]:
        """Return the companies filed under each of `numbers`, those with the tags."""
        keys = [
            IdentifierKey(number.country, number.scheme.code, number.scheme.key(number.identifier.value))
            for number in numbers
        ]
        answers = await self._engine.by_identifier(keys, within) if keys else ()
        return [self._read(number, hits) for number, hits in zip(numbers, answers, strict=True)]

    def _read(self, number: Number, hits: Sequence[Hit]) -> list[Holder]:
        scheme, value = number.scheme, number.identifier.value
        holders = []
        for hit in hits:
            company = decode_company(hit.stored)
            record = decode_record(company.record)
            own = self._texts[record.scheme] == scheme.code and scheme.key(record.identifier) == scheme.key(value)
            holders.append(Holder(hit.key, company, number, own, own and record.identifier != value))
        return holders

    async def _sure(
        self,
        query: Query,
        spotted: Spotted,
        held: Sequence[Holder],
        remarks: list[Text],
        by_name: NameSearch,
        *,
        label_vouches: bool,
    ) -> list[Ranked]:
        """Return the holders with their confidence: shared among companies, less where the words are another name."""
        companies = len(_companies(held))
        if companies > 1:
            remarks.append(hints.shared_number(companies))
        ranked = []
        for holder in held:
            sure = 1.0 if holder.own and not holder.part and companies == 1 else _ALIAS / companies
            if mistyped := is_mistyped(holder):
                sure = _MISTYPED / companies
                remarks += await self.mistyped(holder.number, spotted.text)
            elif holder.part:
                scheme, identifier = holder.number.scheme, holder.number.identifier
                remarks.append(hints.branch(self._registry[holder.number.country], scheme, identifier.value))
            is_named = await self._is_named(query, holder, by_name)
            if is_named is False or (is_named is None and not (label_vouches and _is_labelled(holder.number))):
                sure *= _DISAGREEING
                remarks.append(hints.name_not_recognised() if is_named is None else hints.name_disagrees())
            ranked.append(_ranked(holder, sure, mistyped=mistyped))
        return sorted(
            ranked, key=lambda result: (-result.confidence, not result.match.company.link_home, result.match.key)
        )

    async def _is_named(self, query: Query, holder: Holder, by_name: NameSearch) -> bool | None:
        """Return whether the words around the number are a name of its company, None where they are nobody's.

        They are if they fit a name of it better than not, or are the beginning of one, unless they are exactly another
        company's; else the company that they are likelier to mean than not in the holder's country tells it, or the one
        that they surely mean. Another one counts only if it is spelt so.
        """
        if query.around is None:
            return True
        match = self._ranker.match(query._replace(names=query.around), holder.key, holder.company)
        if match.utility > 0 or _begins(query.around[holder.number.country].key, holder.company):
            return not await self._is_anothers(query, holder, match, by_name)
        for country, least in ((holder.number.country, LIKELIER), (None, ASSERTED)):
            for ranked in (await by_name(country))[:1]:
                own = _is_of(ranked, holder)
                if ranked.confidence >= least and (own or INEXACT.isdisjoint(ranked.match.features)):
                    return own
        return None

    async def _is_anothers(self, query: Query, holder: Holder, match: Match, by_name: NameSearch) -> bool:
        """Return whether words that fit a name of a holder are surely, word by word, the name of another company.

        One word that is in the holder's name, without a legal form, may be short for it. A trade name or former name of
        the holder is the other one's where that has it, legal form included, as its legal name.
        """
        assert query.around is not None
        name = query.around[holder.number.country]
        is_short = len(name.words) == 1 and not name.forms and MISSING_ANY not in match.features
        is_same = SAME_NAME in match.features
        if is_short or (is_same and (match.name.kind == LEGAL or not name.forms)):
            return False
        likeliest = await by_name(holder.number.country)
        return any(
            (ranked.match.name.kind == LEGAL if is_same else ranked.confidence >= ASSERTED)
            and SAME_NAME in ranked.match.features
            and not _is_of(ranked, holder)
            for ranked in likeliest[: _RIVALS if is_same else 1]
        )

    def _also(self, holder: Holder) -> Text:
        name = decode_record(holder.company.record).legal_name
        return hints.also_identifies(self._registry[holder.number.country], holder.number.scheme, name)


def _is_meant(number: Number, query: Query) -> bool:
    """Return whether a number is meant as one of its scheme: a bare one must be primary, or a LEI."""
    return (
        number.scheme.rank == "primary"
        or number.scheme.code == "lei"
        or number.named
        or number.coded
        or number.country == query.country
        or number.country in query.pointed.values()
    )


def _is_labelled(number: Number) -> bool:
    """Return whether the text says which number this is; the code of a country does where a check digit agrees."""
    return number.named or (number.coded and number.identifier.valid_check is True)


def is_mistyped(holder: Holder) -> bool:
    """Return whether the check digit is wrong, and not that of the company's own number, which the register gives."""
    check, value = holder.number.scheme.check, holder.number.identifier.value
    if holder.number.identifier.valid_check is not False or check is None:
        return False
    is_behind = check.start >= len(value)  # the DV of a NIT is no part of it
    return is_behind or (holder.part and decode_record(holder.company.record).identifier[check] != value[check])


def _begins(words: str, company: StoredCompany) -> bool:
    """Return whether a name of a company begins with some words, or with a text that was cut off at its last."""
    end = "" if len(words) >= _LONG_ENOUGH else " "
    return bool(words) and any(f"{name.words} ".startswith(words + end) for name in company.names)


def is_own(holder: Holder) -> bool:
    """Return whether a number is the company's own, its check digits aside where they are wrong."""
    value, registered = holder.number.identifier.value, decode_record(holder.company.record).identifier
    if is_mistyped(holder):
        check = holder.number.scheme.check
        assert check is not None
        value, registered = (text[: check.start] + text[check.stop :] for text in (value, registered))
    return value == registered


def _ranked(holder: Holder, sure: float, *, mistyped: bool) -> Ranked:
    match = Match(holder.key, holder.company, holder.number.country, holder.company.names[0], {}, 0.0)
    return Ranked(match, sure if sure == 1.0 else emitted(sure), 0.0, IDENTIFIER, mistyped, holder.number.scheme)


def _nearly(near: Sequence[Holder]) -> list[Ranked]:
    return [_ranked(holder, _MISTYPED / len(_companies(near)), mistyped=True) for holder in near]


def _companies(holders: Sequence[Holder]) -> set[str | int]:
    return {_identity(holder.company, holder.key) for holder in holders}


def _is_of(ranked: Ranked, holder: Holder) -> bool:
    """Return whether a result is the company of a holder."""
    return _identity(ranked.match.company, ranked.match.key) == _identity(holder.company, holder.key)


def _identity(company: StoredCompany, key: int) -> str | int:
    """Return what the records of one company have in common."""
    return company.link or key


def _refuse_persons(query: Query, spotted: Spotted) -> None:
    persons = spotted.persons & {query.country} if query.country else spotted.persons
    others = [number for number in spotted.numbers if query.country in {None, number.country}]
    if persons and (spotted.long or not others):
        raise NotFound("natural-person-not-covered")
