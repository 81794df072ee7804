"""The company that a row of a list means: the search of a single name or number, with the other columns as evidence.

A row with a name alone, or a number alone, is answered as a search for it. Place and activity count with the weights
that ranking gives to the same words beside a name in a query (`matching.features`).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, ParamSpec, TypeVar

from msgspec.structs import asdict, astuple, replace

from padron.countries.country import Country, by_cell
from padron.errors import Invalid, NotFound
from padron.index.document import decode_record
from padron.index.tags import code_keys, stem
from padron.lists import conflicts
from padron.lists.numbers import has_lost_digits, is_rounded, labelled, restored, with_zeros
from padron.lists.rows import CELL, ListRow, RowKeys, RowMatch, unanswered
from padron.lookup import hints
from padron.lookup.find import DISPUTED, SURE, Finder, Findings, merged, same_company
from padron.lookup.present import Presenter
from padron.lookup.verdict import verdict_of
from padron.matching import cues, explain
from padron.matching.context import Context
from padron.matching.features import ACTIVITY_AGREES, LABEL_WORDS, OTHER_PLACE, PLACE_AGREES
from padron.matching.identifiers import Number, is_telling, readings
from padron.matching.query import Reader
from padron.matching.score import IDENTIFIER, RANKED, Match, Ranked, Ranker
from padron.text import CONNECTIVES, fold, is_given
from padron.threads import pause
from padron.words import Language, Text, joined

_P = ParamSpec("_P")
_T = TypeVar("_T")

_NO_COUNTRY: Final = frozenset(
    {"", "na", "n a", "nd", "n d", "sd", "s d", "none", "null", "ninguno", "desconocido", "unknown"}
)
"""Folded cells of a column of countries that state none; as a name, `NA` is a symbol or initials."""
_NO_NAMES: Final = frozenset(
    "total|totales|subtotal|sub total|gran total|grand total|total general|varios|varias|various|diversos|otros|outros"
    "|others|misc|miscellaneous|idem|ibidem|ditto|efectivo|cash|dinheiro|petty cash|caja chica|consumidor final"
    "|cliente final|publico en general|publico general|sin nombre|no aplica|not applicable|ninguno|none|null|unknown"
    "|desconocido".split("|")
)
"""Folded cells of a column of names that name no company: sums, payments without a payee, and the like."""
_SUNDRY: Final = re.compile(
    "(?:proveedores|clientes|acreedores|deudores|suministros|gastos|compras|ventas|materiales|terceros|servicios|productos"
    "|pagos|anticipos|otros|fornecedores|devedores|credores|vendors|suppliers|customers|clients|creditors|debtors) "
    "(?:varios|varias|diversos|diversas|various|sundry|several)|(?:various|sundry|several) (?:vendors|suppliers"
    "|customers|clients|creditors|debtors)"
)
"""The same of an account for those that have none of their own: `Proveedores varios`, folded."""
_ABROAD: Final = frozenset(fold(name) for code, names in cues.ABROAD.items() for name in (code, *names))
"""Folded cells of a column of countries that name one without registers here."""
_BRANCH: Final = re.compile(
    r"(?:\n|\W(?:casa\s+matriz|matriz|sucursal|suc|filial)\b|[,;(–-]\s?(?:sede|ag[eê]ncia)\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""The end of a cell of names that tells the branch of a company: from a word for it on, or from the second line on.

Names have `agencia` and `sede` too (`Agencia Asesora Productora de Seguros`): they end one behind a mark alone.
"""
_BETWEEN_NUMBERS: Final = re.compile(
    r"/(?=\s|[\w.\-]{8})|,(?=\s|[\w\-]{8})|[;|\n]|\s(?:y|e|o|and|or|ou|[-–])\s", re.IGNORECASE
)
"""The separators of two numbers in one cell, none of which is within one: `33.000.167/0001-01`, `320,193`."""
_CODE: Final = re.compile(r"[A-Z]?[0-9][0-9./-]{1,11}", re.IGNORECASE)
"""The code of an activity: `G4711`, `62.01-5/01`."""
_LONG_NUMBER: Final = 8
"""Letters and digits of a number beside another in its cell, at least: a shorter one may be the list's own."""
_MOST_NUMBERS: Final = 4
"""Numbers of one cell that are looked up, at most."""
_NOTHING: Final = Findings([], [], None)


class _Evidence(NamedTuple):
    """Evidence of a row beside the name: folded places, activities and the stems of their words.

    `code`: the activity if it is a code, as its country writes it.
    """

    places: tuple[str, ...]
    known: Context
    keys: frozenset[str]
    stems: frozenset[str]
    code: str


class _Answer(NamedTuple):
    """Companies for a row, likeliest first, with hints, and the conflicts of the row with itself or the register.

    `remarks`: what of the row is not confirmed and no conflict: another place, as companies have branches, and a number
    that nobody has.
    """

    results: list[Ranked]
    hints: list[Text]
    conflicts: list[Text]
    remarks: tuple[Text, ...] = ()


class _Doubts(NamedTuple):
    """Conflicts of a number with the company of a name, and remarks that are none."""

    conflicts: list[Text]
    remarks: tuple[Text, ...] = ()


class RowMatcher:
    """Matching of rows with the companies of one index."""

    def __init__(
        self,
        registry: Mapping[str, Country],
        reader: Reader,
        finder: Finder,
        ranker: Ranker,
        presenter: Presenter,
        texts: list[str],
    ) -> None:
        self._registry = registry
        self._reader = reader
        self._finder = finder
        self._ranker = ranker
        self._presenter = presenter
        self._texts = texts
        self._countries = by_cell(registry)

    async def match(self, row: ListRow, language: Language) -> RowMatch:
        """Return the company that a row means, in the words of a language; a row that cannot be read says why."""
        try:
            answer = await self._answer(row)
        except Invalid as error:
            return unanswered("invalid_input", error, language)
        except NotFound as error:  # the number of a natural person
            return unanswered("not_found", error, language)
        return self._shown(answer, language)

    def keys(self, row: ListRow) -> RowKeys:
        """Return the country and the official number that a row states, empty where it states none.

        A sure number of one country states that country too, where the row's own column does not.
        A number with a wrong check digit is not sure, and stated only by a row without a sure one; neither is a
        person's, which joins no rows and counts as one of its length: persons have several (cédula, RUC).
        """
        try:
            country = self._country(row.country) or ""
        except Invalid:
            return RowKeys("", "", "", sure=False)
        numbers = self._parts(row.identifier, country)
        read = [reading for number in numbers for reading in self._read_as(number, country)]
        placed = [reading for reading in read if (country or reading.coded) and reading.identifier.valid_check is None]
        if sure := [reading for reading in read if reading.identifier.valid_check] + placed:
            countries = {reading.country for reading in sure}
            return _keys(country or (sure[0].country if len(countries) == 1 else ""), sure[0], sure=True)
        wrong = [reading for reading in read if reading.identifier.valid_check is False]
        if wrong:
            return _keys(country, wrong[0], sure=False)
        _, number = labelled(numbers[0], self._registry.values())
        bare = "".join(filter(str.isalnum, number)).upper()
        codes = [country] if country else self._registry
        is_persons = bool(bare) and (country or not read) and any(self._is_persons(code, number) for code in codes)
        return RowKeys(country, *((f"person {len(bare)}", bare) if is_persons else ("", "")), sure=False)

    def _read_as(self, text: str, country: str) -> list[Number]:
        """Return the readings of a number in a country or in all, those of the scheme before it where there are any."""
        word, number = labelled(text, self._registry.values())
        codes = [country] if country else self._registry
        read = [reading for code in codes for reading in self._readings(code, number)]
        return [reading for reading in read if word in reading.scheme.words] or read

    def _readings(self, country: str, number: str) -> list[Number]:
        """Return the readings of a text as an identifier of a country, none for the number of a person."""
        try:
            return readings(self._registry[country], number) if number else []
        except (Invalid, NotFound):
            return []

    def _is_persons(self, country: str, number: str) -> bool:
        """Return whether a text is the number of a person of a country."""
        try:
            readings(self._registry[country], number)
        except Invalid:
            return False
        except NotFound:
            return True
        return False

    def _shown(self, answer: _Answer, language: Language) -> RowMatch:
        results, verdict = answer.results, verdict_of(answer.results)
        first = results[0] if results and verdict != "not_found" else None
        second = next((ranked for ranked in results if first and not same_company(ranked.match, first.match)), None)
        if verdict == "found":
            why = explain.reason(results[0], self._registry)
            reasons = [explain.sentence(results[0], why, self._registry, self._texts)]
        else:
            reasons = answer.hints or answer.conflicts
            if verdict == "not_found":
                reasons = _without_results(reasons, results) or [conflicts.nothing()]
        reason = joined(list(dict.fromkeys([*reasons, *answer.remarks])), " ")
        return RowMatch(
            verdict=verdict,
            company=first and self._presenter.teaser(first.match.company, first.confidence, language),
            matched_on=first and first.matched_on,
            second=second and self._presenter.teaser(second.match.company, second.confidence, language),
            conflicts=[text.of(language) for text in answer.conflicts],
            reason=reason.of(language),
        )

    async def _answer(self, row: ListRow) -> _Answer:
        row = replace(row, activity=row.activity[:CELL])  # of the purpose of a company that is told at length the start
        if max(map(len, astuple(row))) > CELL:
            raise Invalid("cell-too-long", maximum=CELL)
        row = ListRow(**{field: cell for field, cell in asdict(row).items() if is_given(cell)})
        if not any(map(fold, (row.name, row.identifier, row.former_name))):
            raise Invalid("row-without-company")
        if names_nobody(row):
            if not row.identifier and not row.former_name:
                return _Answer([], [conflicts.no_name(row.name)], [])
            row = replace(row, name="")
        if fold(row.country) in _ABROAD:
            return _Answer([], [conflicts.not_covered(row.country)], [])
        country = self._country(row.country)
        evidence = self._evidence(row)
        answer = await self._of_name_and_number(row, country, evidence)
        if verdict_of(answer.results) == "not_found" or not evidence:
            return answer
        elsewhere = self._other_place(row, evidence, answer.results[0].match)
        return answer._replace(remarks=(*answer.remarks, *filter(None, [elsewhere])))

    async def _of_name_and_number(self, row: ListRow, country: str | None, evidence: _Evidence | None) -> _Answer:
        name, numbers = self._name(row, country), self._parts(row.identifier, country)
        holders = await self._holders(numbers, name, country) if len(numbers) > 1 else {}
        if len(holders) > 1:
            rivals = sorted(holders.values(), key=lambda holder: -holder.confidence)
            results = merged([_doubted(rivals[0])], list(map(_doubted, rivals[1:])), DISPUTED)
            return _Answer(results, [], [conflicts.two_numbers(*map(self._called, rivals[:2]))])
        number = next(iter(holders), numbers[0])
        numbered = await self._by_number(number, name, country) if number else _NOTHING
        if not name and not row.former_name:
            alone = numbered if _sure(numbered) else await _in_turn(self._finder.find, number, country, RANKED)
            return _Answer(alone.results, alone.hints, [])
        if _sure(numbered):
            return _Answer(numbered.results, numbered.hints, [])
        named, against = await self._by_names(name, row.former_name, country, evidence)
        if country is None and (agreeing := await self._agreeing(number, name, named)):
            return _Answer(agreeing.results, agreeing.hints, [])
        doubts = await self._about_number(number, country, numbered, named) if number else _Doubts([])
        against += doubts.conflicts
        if number and (numbered.results or against):
            named = named._replace(results=merged(numbered.results, named.results, DISPUTED))
        return _Answer(named.results, numbered.hints + named.hints, against, doubts.remarks)

    def _parts(self, cell: str, country: str | None) -> list[str]:
        """Return the numbers that stand in one cell; the whole cell where it has no two long ones."""
        if not cell:
            return [cell]
        parts = [part for part in _BETWEEN_NUMBERS.split(cell) if sum(map(str.isalnum, part)) >= _LONG_NUMBER]
        return [self._number(part, country) for part in (parts[:_MOST_NUMBERS] if len(parts) > 1 else [cell])]

    async def _holders(self, numbers: Sequence[str], name: str, country: str | None) -> dict[str, Ranked]:
        """Return the companies that have some numbers, each once, by the first of its numbers."""
        holders: dict[str, Ranked] = {}
        for number in numbers:
            with suppress(NotFound):  # a person's beside that of a company
                results = (await _in_turn(self._finder.by_number, number, name, country)).results
                known = any(same_company(results[0].match, other.match) for other in holders.values() if results)
                if results and results[0].confidence > DISPUTED and not known:
                    holders[number] = results[0]
        return holders

    async def _by_number(self, number: str, name: str, country: str | None) -> Findings:
        """Search by the number; of a name that is nobody's, the branch at its end is not part."""
        numbered = await _in_turn(self._finder.by_number, number, name, country)
        if hints.name_not_recognised() in numbered.hints and (branch := _BRANCH.search(name)) and branch.start():
            return await _in_turn(self._finder.by_number, number, name[: branch.start()].rstrip(), country)
        return numbered

    async def _agreeing(self, number: str, name: str, named: Findings) -> Findings | None:
        """Return the company of a name if a number is surely its own in its country, where it means nothing elsewhere.

        File numbers of a register are too short to be meant as such without a country: the name tells it.
        """
        if not number or not named.results:
            return None
        first = named.results[0]
        there = await _in_turn(self._finder.by_number, number, name, first.match.country)
        return there if _sure(there) and same_company(there.results[0].match, first.match) else None

    def _country(self, text: str) -> str | None:
        """Return the country in a cell, a code or a name. Raises `Invalid("unknown-country")`."""
        if (folded := fold(text)) in _NO_COUNTRY:
            return None
        if folded not in self._countries:
            raise Invalid("unknown-country", parameter="country", known=tuple(self._registry))
        return self._countries[folded]

    def _number(self, cell: str, country: str | None) -> str:
        """Return the number in a cell as it was before a spreadsheet took it for a quantity.

        The word for its scheme stays before it if it is one of that scheme: the header of its column may be wrong.
        """
        word, text = labelled(cell, self._registry.values())
        for each in self._registry.values():
            if all(word not in scheme.words for scheme in each.schemes):
                continue
            number = restored(text, [each])
            for filled in with_zeros(number):
                read = [reading for reading in self._readings(each.code, filled) if word in reading.scheme.words]
                if any(filled == number or reading.identifier.valid_check is not False for reading in read):
                    return f"{word} {filled}"
        return restored(text, [self._registry[country]] if country else self._registry.values())

    def _name(self, row: ListRow, country: str | None) -> str:
        """Return the name with its legal form."""
        form = fold(row.legal_form)
        if not form or not row.name or any(reading.forms for reading in self._reader.read(row.name).names.values()):
            return row.name
        return f"{row.name} {row.legal_form}"

    async def _by_names(
        self, name: str, former: str, country: str | None, evidence: _Evidence | None
    ) -> tuple[Findings, list[Text]]:
        """Search by the name, and by the former name; the two may name different companies."""
        first = await self._by_name(name, country, evidence) if name else _NOTHING
        if not former:
            return first, []
        second = await self._by_name(former, country, evidence)
        if not _sure(first):
            return (second if _sure(second) or not first.results else first), []
        if _sure(second) and not same_company(first.results[0].match, second.results[0].match):
            return first, [conflicts.former_name(self._called(second.results[0]))]
        return first, []

    async def _by_name(self, name: str, country: str | None, evidence: _Evidence | None) -> Findings:
        """Search by a name; where that is not sure, by the name without the branch at its end."""
        named = await self._by_whole_name(name, country, evidence)
        if _sure(named) or not (branch := _BRANCH.search(name)) or not branch.start():
            return named
        headquarters = await self._by_whole_name(name[: branch.start()].rstrip(), country, evidence)
        return headquarters if _sure(headquarters) else named

    async def _by_whole_name(self, name: str, country: str | None, evidence: _Evidence | None) -> Findings:
        if evidence is None:
            return await _in_turn(self._finder.find, name, country, RANKED)
        ranked = await _in_turn(self._finder.likeliest, name, country, RANKED, ())
        if ranked and ranked[0].matched_on != IDENTIFIER:
            ranked = self._ranker.with_evidence(ranked, lambda match: self._features(match, evidence))
        return Findings(ranked, *await _in_turn(self._finder.comments, name, country, ranked))

    def _evidence(self, row: ListRow) -> _Evidence | None:
        """Return what a row says about place and activity, None if nothing."""
        places = tuple(filter(None, map(fold, (row.city, row.region))))
        activity = fold(row.activity)
        if not places and not activity:
            return None
        known = self._reader.read(", ".join((*places, activity))).context
        keys = frozenset(term for word in activity.split() for term in known.activities.get(word, ()))
        stems = frozenset(map(stem, set(activity.split()) - CONNECTIVES))
        return _Evidence(places, known, keys, stems, row.activity if _CODE.fullmatch(row.activity) else "")

    def _features(self, match: Match, evidence: _Evidence) -> Iterator[tuple[str, float]]:
        """Yield the features by which the evidence speaks for or against a company."""
        places = self._texts[match.company.places]
        if evidence.places and places:
            agreement = [is_at(place, places, evidence.known) for place in evidence.places]
            if True in agreement:
                yield PLACE_AGREES, 1.0
            elif False in agreement:
                yield OTHER_PLACE, 1.0
        activity = self._texts[match.company.activity].split()
        keys = evidence.keys.union(code_keys(evidence.code, self._registry[match.country]))
        if not keys.isdisjoint(activity):
            yield ACTIVITY_AGREES, 1.0
        elif not evidence.stems.isdisjoint(activity):
            yield LABEL_WORDS, len(evidence.stems.intersection(activity)) / len(evidence.stems)

    def _other_place(self, row: ListRow, evidence: _Evidence, match: Match) -> Text | None:
        """Return that a company is at another place than its row says."""
        if OTHER_PLACE not in dict(self._features(match, evidence)):
            return None
        record = decode_record(match.company.record)
        return conflicts.place(
            _joined(row.city, row.region), _joined(self._texts[record.municipality], self._texts[record.region])
        )

    async def _about_number(self, number: str, country: str | None, numbered: Findings, named: Findings) -> _Doubts:
        """Return the conflict between a number and the company of the name, or that the number is not confirmed."""
        named_company = named.results[0] if _sure(named) else None
        _, bare = labelled(number, self._registry.values())
        if has_lost_digits(bare):
            own = self._numbers_of(named_company.match) if named_company else ()
            return _Doubts([] if any(is_rounded(bare, value) for _, value in own) else [conflicts.lost_digits(bare)])
        if not numbered.results:
            return await self._about_unheld(number, country, named_company)
        holder = numbered.results[0]
        if doubts := [hint for hint in (hints.name_disagrees(), hints.name_not_recognised()) if hint in numbered.hints]:
            if named_company is None:
                return _Doubts(doubts)
            if not same_company(holder.match, named_company.match):
                return _Doubts([conflicts.number_and_name(self._called(holder), self._called(named_company))])
        return _Doubts(numbered.hints[:1] if holder.mistyped else [])

    async def _about_unheld(self, number: str, country: str | None, named_company: Ranked | None) -> _Doubts:
        """Return the same of a number that no company has where the row is searched."""
        spotted = self._reader.read(number).spotted
        read = spotted.numbers if spotted else ()
        holders = await self._elsewhere(number, country, read)
        if named_company is None:
            return _Doubts([conflicts.number_elsewhere(self._called(holder)) for holder in holders[:1] if country])
        if any(same_company(holder.match, named_company.match) for holder in holders):
            return _Doubts([])
        if holders:
            return _Doubts([conflicts.number_and_name(self._called(holders[0]), self._called(named_company))])
        official = {reading.country for reading in read if spotted and _is_official(reading, spotted.text)}
        is_foreign = official and named_company.match.country not in official
        if is_foreign or self._is_not_its(number, named_company.match):
            return _Doubts([conflicts.other_number(self._called(named_company))])
        word, _ = labelled(number, self._registry.values())  # without one it may be the list's own
        return _Doubts([], (conflicts.unconfirmed_number(),) if word else ())

    async def _elsewhere(self, number: str, country: str | None, read: Sequence[Number]) -> list[Ranked]:
        """Return the companies of other countries whose number a text surely is, by its readings."""
        telling = [reading.country for reading in read if _tells_its_country(reading)]
        answers = [
            await _in_turn(self._finder.by_number, number, "", code)
            for code in dict.fromkeys(telling)
            if code != country
        ]
        return [answer.results[0] for answer in answers if _sure(answer)]

    def _is_not_its(self, number: str, match: Match) -> bool:
        """Return whether a text is a number of a scheme by which a company is known, and not the company's."""
        schemes = self._registry[match.country].scheme_by_code
        known = {(code, schemes[code].key(value)) for code, value in self._numbers_of(match) if code in schemes}
        read = {
            (reading.scheme.code, reading.scheme.key(reading.identifier.value))
            for reading in self._readings(match.country, number)
        }
        return known.isdisjoint(read) and not {code for code, _ in known}.isdisjoint(code for code, _ in read)

    def _numbers_of(self, match: Match) -> list[tuple[str, str]]:
        """Return the identifiers of a company, each with its scheme."""
        record = decode_record(match.company.record)
        return [(self._texts[scheme], value) for scheme, value in ((record.scheme, record.identifier), *record.aliases)]

    def _called(self, ranked: Ranked) -> str:
        """Return the name of a company with its identifier."""
        record = decode_record(ranked.match.company.record)
        scheme = self._registry[ranked.match.country].scheme_by_code[self._texts[record.scheme]]
        return f"{record.legal_name} ({ranked.match.country} {scheme.show(record.identifier)})"


async def _in_turn(search: Callable[_P, Awaitable[_T]], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Search once others have had their turn: the embedded engine never waits, and a row may take eight searches."""
    await pause()
    return await search(*args, **kwargs)


def _joined(city: str, region: str) -> str:
    """Return a place; a city that is a region of its own is there once."""
    return ", ".join(filter(None, (city, region if fold(region) != fold(city) else "")))


def _without_results(reasons: Sequence[Text], results: Sequence[Ranked]) -> list[Text]:
    """Return the reasons that do not point at results, which a row that is not found does not show."""
    countries = dict.fromkeys(result.match.country for result in results)
    pointing = (hints.uncertain(), hints.pass_country(countries))
    return [reason for reason in reasons if reason not in pointing]


def is_at(place: str, places: str, known: Context) -> bool | None:
    """Return whether a company is at a place.

    Args:
        place: The place, folded.
        places: Municipality and region of the company, folded.
        known: The context of a text with the place.

    Returns:
        None for a place of which other names may be in use.
    """
    spellings = {place}.union(*(known.places.get(word, ()) for word in place.split()))
    if any(f" {spelling} " in f" {places} " for spelling in spellings):
        return True
    return False if len(spellings) > 1 or place in known.places.get(place.split(maxsplit=1)[0], ()) else None


def names_nobody(row: ListRow) -> bool:
    """Return whether the name of a row is that of no company: a sum, a payment without a payee, and the like."""
    name = fold(row.name)
    return (name in _NO_NAMES or _SUNDRY.fullmatch(name) is not None) and not row.legal_form


def _keys(country: str, reading: Number, *, sure: bool) -> RowKeys:
    return RowKeys(country, reading.scheme.code, reading.scheme.key(reading.identifier.value), sure)


def _doubted(ranked: Ranked) -> Ranked:
    return ranked._replace(confidence=min(ranked.confidence, DISPUTED))


def _sure(findings: Findings) -> bool:
    return bool(findings.results) and findings.results[0].confidence >= SURE


def _tells_its_country(number: Number) -> bool:
    """Return whether a number is one of its country in a row of another: a label, a code or its check digit says so."""
    return number.named or number.coded or number.identifier.valid_check is True


def _is_official(number: Number, text: str) -> bool:
    """Return whether a text is a number of its scheme, though no company has it: a list's own is not written so."""
    shown = number.scheme.show(number.identifier.value).replace(".", "")
    is_customary = not shown.isalnum() and shown == text.replace(".", "")
    return is_telling(number) or (is_customary and number.identifier.valid_check is True)
