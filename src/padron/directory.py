"""The directory of companies, which every face asks: one release, and everything that searches it."""

from __future__ import annotations

import asyncio
import atexit
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from math import exp
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import msgspec
from msgspec.structs import replace

from padron import threads
from padron.companies.answers import Answer
from padron.companies.company import Record
from padron.companies.model import CountryCode, Coverage, Identifier, SourceState, Statement
from padron.countries.country import Country
from padron.errors import Invalid, NotFound, PadronError, ReleaseError
from padron.index import release_index
from padron.index.document import ALTERNATIVE, KINDS, LEGAL, StoredCompany, decode_company, decode_record
from padron.index.engine import EngineKind, Hit, Scope
from padron.index.engines import engine_kind
from padron.index.listing import CountedList, ListKey
from padron.index.release_index import ReleaseIndex
from padron.index.spans import SpanFinder
from padron.index.suppressed import SuppressingEngine, suppress
from padron.index.tags import Filters
from padron.lists.matcher import RowMatcher
from padron.lists.rows import ListRow, RowKeys, RowMatch
from padron.lookup import hints
from padron.lookup.browse import BrowsedPage, ListReader, narrowest
from padron.lookup.by_identifier import Holder, NumberSearch, is_mistyped, is_own
from padron.lookup.detail import Detail, DetailedMatch, DetailedMatches, LocatedDetail, detail, is_name_alone
from padron.lookup.find import DISPUTED, SURE, Finder, Findings, Searched, merged, unmeasured
from padron.lookup.freshness import aged, grown_late
from padron.lookup.gaps import with_gaps
from padron.lookup.present import Presenter
from padron.lookup.prominent import Prominent, largest
from padron.lookup.statements import Statements, present
from padron.matching import explain
from padron.matching.context import Context
from padron.matching.features import ALTERNATIVE_NAME
from padron.matching.identifiers import Number, corrected, readings, unissued
from padron.matching.pair import PairComparer
from padron.matching.query import Reader
from padron.matching.score import LinearScorer, Ranked, Ranker, emitted, load_weights
from padron.questions.answer import AnswerComposer, QuestionAnswer
from padron.questions.conditions import ConditionReader
from padron.questions.interpreter import Interpreter
from padron.questions.plan import ACTIVITY, Tools, answer
from padron.questions.results import Question
from padron.questions.sentences import described
from padron.releases import change_log, snapshot
from padron.releases.change_log import ChangeFilter, ChangePage
from padron.releases.suppression import SuppressionFile, Suppressions
from padron.text import fold
from padron.words import Language, Text, joined

T = TypeVar("T")

LISTED: Final = 50
"""Companies that the pages of a search list in all; a longer list is less useful than a more precise query."""
_SEARCHABLE: Final = 5
"""Letters that are enough to search by; fewer fit too many names to say more than which companies are prominent."""

_runner: Final = asyncio.Runner()


class Located(NamedTuple):
    """A company by identifier: its record, the identifier as asked, and how that relates to the company.

    `alias`: another identifier than the canonical one. `branch`: a number of the same scheme for a part of the
    company, or the root of such numbers. `mistyped`: the check digit asked for is wrong, and not that of a number which
    the register gives.
    """

    record: Record
    requested: Identifier
    alias: bool
    branch: bool
    mistyped: bool


class LinkedRecord(NamedTuple):
    """A record of the same company in another register; `lei` is the LEI of both, None where the name links them."""

    record: Record
    lei: str | None


class PartEntry(NamedTuple):
    """A company in the list of a part: its canonical identifier, and the day of its data, empty if not known."""

    identifier: str
    refreshed: str


class IdentifierReading(NamedTuple):
    """A text read as a number of one scheme, and the company that has it.

    `is_wrong`: its check digit is, and no register gives a company this very number; `corrected` is the number with the
    right one where that can be told.
    """

    number: Number
    is_wrong: bool
    corrected: str | None
    record: Record | None


class Comparison(msgspec.Struct, frozen=True, rename="camel"):
    """Likelihood that two names are one company's, and the reasons: in both languages, and by feature.

    `matched_on`: `alternativeName` where only the acronym behind the legal form fits, else `legalName`.
    """

    confidence: float
    matched_on: str
    explanations: dict[str, float]
    sentence: dict[Language, str]


class _Setup(NamedTuple):
    """Context of a directory that outlives a release: where releases are found, and how questions are read."""

    data: Path
    registry: Mapping[str, Country]
    base_url: str | None
    today: Callable[[], date]
    reader: Reader
    interpreter: Interpreter
    suppressions: SuppressionFile
    engine: EngineKind
    searched: Searched


class _Release(NamedTuple):
    """A release as it was opened, suppressed companies included; `hold` keeps it from being pruned."""

    id: str
    hold: object
    coverage: Coverage
    release_index: ReleaseIndex
    statements: Statements


class Directory:
    """The companies of one release, less the suppressed ones. Immutable: `refreshed` gives the directory to use next.

    Whoever answers a request takes the directory once, so that no answer comes from two releases. Questions are
    coroutines, because an engine may be on the network; outside an event loop `run` gives their results. Of a text:

        search      companies by name or number, as the public interface answers
        look        the same, in full and explained; `look_with_number` for a name with a number beside it
        find        the same, as the ranker leaves it
        suggest     companies for somebody who is still typing
        ask         the answer to a question in a sentence
        identify    readings of a number, whether or not a company has it
        compare     two names, without the directory

    Of a number: `get` a company as the public interface shows it, `details` in full, `held` in full or None without a
    reason, `statements`. Of a row of a list: `match`. Of a place or an activity: `browse`. Of the log: `changes`.
    """

    def __init__(
        self,
        setup: _Setup,
        release: _Release,
        engine: SuppressingEngine,
        suppressions: Suppressions,
        prominent: list[tuple[str, StoredCompany]],
    ) -> None:
        self._setup = setup
        self._registry = registry = setup.registry
        self._release = release
        # Without hidden companies the wrapper would only cost a call per look-up.
        opened = release.release_index
        self._index = index = opened._replace(engine=engine) if engine.hidden else opened
        self._suppressions = suppressions
        self._suppressed = suppressions.revision
        self._late = grown_late(release.coverage, registry, setup.today())
        self._exported = _exported(setup, release, suppressions)
        self._bulk = _export(self._exported)
        self._coverage = aged(_without(release.coverage, index, engine.hidden.values()), self._late)
        self._dates: dict[str, str | None] = {
            country.country_code: _newest(country.sources) for country in self._coverage.countries
        }
        self._texts = texts = index.tables.texts
        self._ranker = Ranker(index, LinearScorer(load_weights()))
        self._pairs = PairComparer(registry, index.tables.weights.get)
        self._finder = Finder(registry, setup.reader, index, self._ranker, self._dates, setup.searched)
        self._numbers = NumberSearch(registry, index, self._ranker)
        self._prominent = Prominent(prominent, index.tables.weights)
        self._presenter = Presenter(registry, texts, setup.base_url)
        hidden = [self._detail(decode_company(hit.stored), "es") for hit in engine.hidden.values()]
        self._lists = ListReader(index.lists, hidden)
        self._rows = RowMatcher(registry, setup.reader, self._finder, self._ranker, self._presenter, texts)
        spans = SpanFinder(index, setup.reader.forms)
        self._tools = Tools(registry, setup.interpreter, setup.reader, index, self._finder, self._numbers, spans)
        self._conditions = ConditionReader(setup.interpreter.lexicon, index)
        activities = setup.interpreter.lexicon.activities
        self._composer = AnswerComposer(registry, texts, self._coverage.countries, self._dates, activities)

    @classmethod
    async def open(
        cls,
        data: Path,
        registry: Mapping[str, Country],
        base_url: str | None,
        suppressions: Path | None = None,
        today: Callable[[], date] = date.today,
        search_url: str | None = None,
        release: str | None = None,
        searched: Searched = unmeasured,
    ) -> Self:
        """Open a release of a data folder, without the companies in the list `suppressions`.

        Args:
            base_url: Where people reach the service; None where nobody does: companies have the addresses of their
                official records instead of pages.
            suppressions: The file with the companies to hide, if any.
            today: The clock by which sources become late.
            search_url: The setting `PADRON_SEARCH__URL`: the engine that holds the release.
            release: Id of the release, by default the current one.
            searched: Receives what each search by name takes.

        Raises:
            ReleaseError: The release cannot be served.
            Invalid: `bad-suppressions`, the list cannot be read; `bad-setting`, no engine has such an URL.
        """
        kind = engine_kind(search_url)
        setup = await threads.FILES.call(_set_up, data, registry, base_url, suppressions, today, kind, searched)
        if release is None:
            release = await threads.FILES.call(snapshot.current, data)
        opened = await _open(setup, release)
        return await cls._over(setup, opened, setup.suppressions.current)

    @classmethod
    async def _over(cls, setup: _Setup, release: _Release, suppressions: Suppressions) -> Self:
        engine = await suppress(release.release_index.engine, suppressions)
        companies = await largest(engine, setup.registry)
        return await threads.FILES.call(cls, setup, release, engine, suppressions, companies)

    async def refreshed(self, wanted: str | None = None) -> Self:
        """Return the directory for what is current now: release (unless one is given), suppressions, state of sources.

        This very one where nothing has changed. Raises like `open` where the new one cannot be served.
        """
        setup, release = self._setup, self._release
        current = await threads.FILES.call(snapshot.current, setup.data) if wanted is None else wanted
        suppressions = await threads.FILES.call(setup.suppressions.refresh)
        if current != release.id:
            release = await _open(setup, current)
        elif (
            suppressions.revision,
            grown_late(release.coverage, setup.registry, setup.today()),
            await threads.FILES.call(_exported, setup, release, suppressions),
        ) == (self._suppressed, self._late, self._exported):
            return self
        # A release that stays current stays open: at full size, opening it takes longer than a removal may.
        return await self._over(setup, release, suppressions)

    async def reopened(self, wanted: str | None = None) -> Self:
        """Return the directory of a release, by default the current one, as its files are now: this very one's, too.

        Raises like `open`, but for the list of suppressions: the last one that could be read is in force.
        """
        setup = self._setup
        current = await threads.FILES.call(snapshot.current, setup.data) if wanted is None else wanted
        release = await _open(setup, current)
        return await self._over(setup, release, await threads.FILES.call(setup.suppressions.refresh))

    @property
    def suppressions_fault(self) -> Invalid | None:
        """The reason for which an earlier list of suppressions than that of now is in force, or None."""
        return self._setup.suppressions.fault

    @property
    def release(self) -> str:
        """Id of the release."""
        return self._release.id

    @property
    def edition(self) -> str:
        """Context of answers besides the question: release, suppressions, late sources, whether it is exported."""
        late = f"late{len(self._late)}" if self._late else None
        return ".".join(filter(None, (self.release, self._suppressed, late, "bulk" if self._bulk else None)))

    def reread(self) -> Iterator[None]:
        """Compare every file of the release and of its export with its digest. Steps and errors: `snapshot.reread`."""
        return snapshot.reread(self._setup.data, self.release, release_index.FORMAT, self._bulk)

    def answers_from(self, error: PadronError) -> bool:
        """Return whether an error of `reread` is damage to the index, from which answers come."""
        index = snapshot.index_folder(self._setup.data, self.release, release_index.FORMAT)
        return isinstance(error, ReleaseError) and Path(str(error.context.get("folder"))).is_relative_to(index)

    @property
    def bulk(self) -> snapshot.ExportedFiles | None:
        """The public data as files, without the suppressed companies; None where there are none."""
        return self._bulk

    @property
    def generated_at(self) -> datetime:
        """The time at which the release was built."""
        return self._coverage.generated_at

    async def reach_engine(self) -> None:
        """Raise what is wrong with the engine, for those who run it. See `Engine.check`."""
        await self._index.engine.check()

    def coverage(self) -> Coverage:
        """Return what the release holds, by country."""
        return self._coverage

    def public_coverage(self, language: Language) -> Coverage:
        """Return what the release holds and lacks, by country, described in a language."""
        return with_gaps(self._coverage, self._registry, language)

    def parts(self) -> list[str]:
        """Countries in the order of the companies: of each as many as it has runs of at most `document.PART`."""
        return [country for country, _ in self._index.tables.parts]

    async def part(self, number: int) -> AsyncIterator[list[PartEntry]]:
        """Companies of a part (an index into `parts`) of which more than the name is known, a few hundred at a time."""
        first, *after = [key for _, key in self._index.tables.parts][number : number + 2]
        async for hits in self._index.engine.part(first, after[0] if after else None):
            records = [decode_record(decode_company(hit.stored).record) for hit in hits]
            yield [
                PartEntry(record.identifier, self._texts[record.refreshed][:10])
                for record in records
                if not is_name_alone(record)
            ]

    def counted(self, key: ListKey) -> CountedList | None:
        """Return the number of companies of a list and its facets, as the index holds them; None where it has none."""
        return self._lists.counted(key)

    async def browse(self, key: ListKey, filters: Filters, start: int, limit: int, language: Language) -> BrowsedPage:
        """List the companies of a place or an activity, those that stand out in the sources first.

        Args:
            filters: Further conditions; those of the list itself are added.

        Raises:
            NotFound: `no-such-address`, no company is in that place.
        """
        place = self._lists.place(key)
        total, hits = await self._index.engine.among(_scope(key, filters), start, limit)
        companies = [self._detail(decode_company(hit.stored), language) for hit in hits]
        return BrowsedPage(self._lists.names(key), total, companies, place, self._lists.letters(key))

    async def neighbours(self, detail: Detail, most: int, language: Language) -> list[Record]:
        """Return the largest other companies of a company's place and activity; none where one of them is unknown."""
        key = narrowest(detail)
        if not (key.region and key.activity):
            return []
        _, hits = await self._index.engine.among(_scope(key, Filters()), 0, most + 1)
        records = [self._presenter.record(decode_company(hit.stored), language) for hit in hits]
        return [record for record in records if record.identifier != detail.record.identifier][:most]

    async def find(self, q: str, *, country: str | None, limit: int) -> Findings:
        """Find companies with what matched and why. Raises like `search`.

        Args:
            country: The country to search, None for all.
        """
        return await self._finder.find(q, country, limit)

    async def search(self, q: str, *, country: CountryCode | None, limit: int, language: Language) -> Answer:
        """Answer a search.

        Args:
            country: The country to search, None for all.

        Raises:
            NotFound: `natural-person-not-covered`, the text is a natural person's number.
        """
        results, remarks, _ = await self._finder.find(q, country, limit)
        teaser = self._presenter.teaser
        shown = [teaser(result.match.company, result.confidence, language) for result in results]
        countries: list[CountryCode] = list(dict.fromkeys(result.country_code for result in shown))
        return Answer(
            q=q,
            country=country,
            best_match=shown[0] if results and results[0].confidence >= SURE else None,
            suggested_countries=countries if country is None and len(countries) > 1 else [],
            match_hints=[text.of(language) for text in remarks],
            results=shown,
        )

    async def get(self, country: str, raw: str, language: Language) -> Located:
        """Look up a company by identifier.

        Args:
            raw: The identifier, formatted or not.

        Raises:
            Invalid: `invalid-identifier`, the text looks like none.
            NotFound: `company-not-found` (with `hints`), `identifier-not-unique` (with `candidates`),
                `natural-person-not-covered`.
        """
        holder = await self._holder(country, raw, language)
        return _located(holder, self._presenter.record(holder.company, language))

    async def _holder(self, country: str, raw: str, language: Language) -> Holder:
        """Return the only company with an identifier, formatted or not. Raises like `get`."""
        asked, nobodys = self._registry[country], None
        try:
            numbers = readings(asked, raw)
        except Invalid:
            if not (nobodys := unissued(asked, raw)):
                raise
            numbers = []
        holders = await self._holders(numbers)
        if len(holders) > 1:
            shown = [self._presenter.record(holder.company, language) for holder in holders]
            raise NotFound("identifier-not-unique", country=country, candidates=[record.identifier for record in shown])
        if holders:
            return holders[0]
        absence = await self._absence(asked, raw, nobodys or numbers[0])
        raise NotFound("company-not-found", country=country, hints=absence)

    async def _holders(self, numbers: Sequence[Number]) -> Sequence[Holder]:
        """Return the companies of the first of `numbers` that any has: those whose own it is, if there are such."""
        held = await self._numbers.holders(numbers)
        return next(([holder for holder in holders if holder.own] or holders for holders in held if holders), ())

    async def identify(self, raw: str, country: str | None, language: Language) -> list[IdentifierReading]:
        """Read a text as an identifier, preferred readings first, whether or not a company has it.

        A label beside the number (`NIT`) leaves the readings of its scheme, the code of a country those of its schemes.

        Args:
            raw: The text, formatted or not.
            country: The country whose identifier it is, None for all.

        Raises:
            Invalid: `invalid-identifier`, the text looks like none of the given country.
            NotFound: `natural-person-not-covered`, it is nothing but a natural person's number.
        """
        asked = [self._registry[country]] if country else list(self._registry.values())
        numbers: list[Number] = []
        refusal: PadronError | None = None
        for candidate in asked:
            try:
                numbers += readings(candidate, raw)
            except NotFound as error:
                refusal = error
            except Invalid as error:
                refusal = refusal or (error if country else None)
        if refusal and not numbers:
            raise refusal
        spotted = self._setup.reader.read(raw, country).spotted
        named = {number.scheme.code for number in spotted.numbers if number.named or number.coded} if spotted else set()
        numbers = [number for number in numbers if number.scheme.code in named] or numbers
        return [
            self._read(number, [holder for holder in held if holder.own] or held, language)
            for number, held in zip(numbers, await self._numbers.holders(numbers), strict=True)
        ]

    def _read(self, number: Number, held: Sequence[Holder], language: Language) -> IdentifierReading:
        is_registered = any(holder.own and not holder.part and not is_mistyped(holder) for holder in held)
        is_wrong = number.identifier.valid_check is False and not is_registered
        return IdentifierReading(
            number,
            is_wrong,
            corrected(self._registry[number.country], number) if is_wrong else None,
            self._presenter.record(held[0].company, language) if len(held) == 1 else None,
        )

    async def statements(self, country: str, raw: str, language: Language) -> list[Statement]:
        """Return the yearly statements of a company. Raises like `get`.

        Args:
            raw: The identifier, formatted or not.

        Returns:
            The statements, the latest first.
        """
        record = (await self.get(country, raw, language)).record
        stored = self._release.statements.get(country, record.identifier)
        return [present(statement, self._registry, language) for statement in stored]

    async def _absence(self, country: Country, raw: str, number: Number) -> Text:
        """Return the hints for a number that no company of the country has."""
        remarks = [hints.not_in(country, number.scheme, number.identifier.value, self._dates.get(country.code))]
        if number.identifier.valid_check is False:
            remarks += await self._numbers.mistyped(number, raw)
        others = [other for other in self._registry.values() if other is not country]
        numbers = [number for other in others for number in _readings(other, raw)]
        held = await self._numbers.holders(numbers)
        if elsewhere := dict.fromkeys(
            [number.country for number, holders in zip(numbers, held, strict=True) if holders]
        ):
            remarks.append(hints.exists_elsewhere(list(elsewhere)))
        return joined(remarks, " ")

    async def look(
        self, q: str, *, country: str | None, language: Language, most: int, start: int = 0
    ) -> DetailedMatches:
        """Search, with companies in full and explained. Raises like `search`.

        Args:
            country: The country to search, None for all.

        Returns:
            The likeliest companies with hints, and their number, at most `LISTED`.
        """
        results, remarks, doubt = await self._finder.find(q, country, LISTED)
        page = [self._seen(result, language) for result in results[start : start + most]]
        uncovered = self._finder.uncovered(q, country) if doubt else ()
        return DetailedMatches(page, len(results), remarks, doubt, uncovered)

    async def look_with_number(
        self, q: str, number: str, *, country: str | None, language: Language, most: int
    ) -> DetailedMatches:
        """Search by a name beside which an official number stands, as in a list. Raises like `search`.

        Args:
            number: The number as written, with or without its label.
            country: The country to search, None for all.

        Returns:
            The companies as `look` returns them, those of the number among them.
        """
        results, remarks, doubt = await self._finder.find(q, country, LISTED)
        for code in dict.fromkeys([country, *(result.match.country for result in results[:1])]):
            numbered = await self._finder.by_number(number, q, code)
            if numbered.results:
                results = merged(numbered.results, results, DISPUTED)
                break
        seen = [self._seen(result, language) for result in results[:most]]
        return DetailedMatches(seen, len(results), remarks, doubt)

    def numbers(self, text: str) -> Sequence[Number]:
        """Return the readings of the number in a text, with or without its label; none where there is no number."""
        spotted = self._setup.reader.read(text).spotted
        return spotted.numbers if spotted else ()

    def context(self, text: str) -> Context:
        """Return what the words of a text may tell about a company, its places among them."""
        return self._setup.reader.read(text).context

    @property
    def conditions(self) -> ConditionReader:
        """The reader of conditions on companies, in words or codes."""
        return self._conditions

    def states(self, text: str) -> frozenset[str]:
        """Return the status that a text is a word for, in Spanish, English or Portuguese; none for another text."""
        return self._setup.interpreter.lexicon.values(fold(text).split(), "status")

    def agrees(self, detail: Detail, numbers: Sequence[Number]) -> bool | None:
        """Return whether a number is a company's, or its branch's; None if it is of a scheme unknown for it."""
        country = self._registry[detail.record.country_code]
        known = {
            (scheme, country.scheme_by_code[scheme].key(value))
            for scheme, value in (
                (detail.record.scheme, detail.record.identifier),
                *((scheme, value) for scheme, _, value in detail.identifiers),
            )
        }
        read = [each for each in numbers if each.country == country.code]
        right = {
            (each.scheme.code, each.scheme.key(each.identifier.value))
            for each in read
            if each.identifier.valid_check is not False
        }
        if not known.isdisjoint(right):
            return True
        schemes = {scheme for scheme, _ in known}
        return None if read and schemes.isdisjoint(each.scheme.code for each in read) else False

    def row_keys(self, row: ListRow) -> RowKeys:
        """Return the country and the official number that a row of a list states."""
        return self._rows.keys(row)

    async def match(self, row: ListRow, language: Language) -> RowMatch:
        """Return the company that a row of a list means, or why none, in the words of a language."""
        return await self._rows.match(row, language)

    async def changes(self, cursor: str | None, limit: int, wanted: ChangeFilter) -> ChangePage:
        """Return a page of the changes of all releases, up to the one published last.

        Raises:
            Invalid: `bad-cursor`.
        """
        setup = self._setup
        read = partial(change_log.read, setup.data, cursor, limit, setup.registry, self._suppressions, wanted)
        return await threads.CHANGES.call(read)

    async def end_of_changes(self) -> str:
        """Return the cursor behind the last change of all."""
        return await threads.CHANGES.call(change_log.end, self._setup.data)

    async def check_changes(self) -> None:
        """Look at both ends of each log of changes. Raises `ReleaseError`: `changes-damaged`, `release-unreadable`."""
        await threads.CHANGES.call(change_log.check, self._setup.data)

    def hides(self, country: str, numbers: list[tuple[str, str]]) -> bool:
        """Return whether a company is suppressed, by its country and scheme and value of its identifiers."""
        return change_log.is_hidden(self._setup.registry[country], numbers, self._suppressions)

    async def latest_changes(
        self, most: int, client: str, wanted: ChangeFilter = change_log.ALL
    ) -> list[dict[str, Any]]:
        """Read the last changes of the log, in the turns of a client.

        Returns:
            The changes, the latest first.
        """
        setup = self._setup
        read = partial(change_log.latest, setup.data, most, setup.registry, self._suppressions, wanted)
        return await threads.FEEDS.call_for(client, read)

    async def suggest(self, q: str, *, country: CountryCode | None, limit: int, language: Language) -> list[Detail]:
        """Complete the text of somebody who types: the company that is surely meant, the prominent ones, then others.

        Args:
            q: The text so far.
            country: The country to search, None for all.

        Returns:
            The companies, each once; only one that is surely meant has a confidence.

        Raises:
            NotFound: `natural-person-not-covered`, the text is a natural person's number.
        """
        known = self._prominent.complete(q, country, limit)
        matches: list[Ranked] = []
        if len(q) >= _SEARCHABLE or len(known) < limit:
            matches = (await self._finder.find(q, country, limit)).results
        sure = [match for match in matches[:1] if match.confidence >= SURE]
        confidences = {_identity(match.match.company): match.confidence for match in sure}
        shown: dict[str | bytes, StoredCompany] = {}
        for company in [*_companies(sure), *known, *_companies(matches)]:
            shown.setdefault(_identity(company), company)
        first = list(shown.items())[:limit]
        return [self._detail(company, language, confidences.get(identity)) for identity, company in first]

    async def ask(self, question: Question, language: Language) -> QuestionAnswer:
        """The answer to a question, read and planned. Raises like `search`."""
        plan = await answer(self._tools, question)
        return self._composer.compose(plan, question, lambda result: self._seen(result, language))

    def _seen(self, result: Ranked, language: Language) -> DetailedMatch:
        listed = result.matched_on == ACTIVITY
        reason = described() if listed else explain.reason(result, self._registry)
        return DetailedMatch(
            self._detail(result.match.company, language, None if listed else result.confidence),
            round(result.margin, 4),
            result.matched_on,
            self._ranker.explain(result.match.features, result.match.utility),
            reason,
            reason if listed else explain.sentence(result, reason, self._registry, self._texts),
            result.mistyped,
        )

    async def details(self, country: str, raw: str, language: Language) -> LocatedDetail:
        """Return a company in full. Raises like `get`.

        Args:
            raw: The identifier, formatted or not.
        """
        holder = await self._holder(country, raw, language)
        detailed = self._detail(holder.company, language)
        located = _located(holder, detailed.record)
        return LocatedDetail(
            self.edition, detailed, located.requested, located.alias, located.branch, is_mistyped(holder)
        )

    async def held(self, country: str, raw: str, language: Language) -> Detail | None:
        """Look a company up for callers to whom it is enough that it is not there: `details` also looks up why.

        Args:
            raw: The identifier, formatted or not.

        Returns:
            The company in full, None where not exactly one has the identifier.
        """
        holders = await self._holders(_readings(self._registry[country], raw))
        return self._detail(holders[0].company, language) if len(holders) == 1 else None

    async def linked(self, of: Detail, language: Language) -> list[LinkedRecord]:
        """Return the records of a company in other registers, in the language of labels."""
        hits = await self._finder.linked(of.link) if of.link else ()
        own, own_leis = (of.record.country_code, of.record.identifier), _leis(of)
        others = [self._detail(decode_company(hit.stored), language) for hit in hits]
        return [
            LinkedRecord(other.record, min(own_leis & _leis(other), default=None))
            for other in others
            if (other.record.country_code, other.record.identifier) != own
        ]

    def _detail(self, company: StoredCompany, language: Language, confidence: float | None = None) -> Detail:
        record = replace(self._presenter.record(company, language), confidence=confidence)
        return detail(company, record, self._texts, self._registry)

    def compare(self, a: str, b: str, country: str | None = None) -> Comparison:
        """Return how likely two names are one company's; the same for either order.

        Args:
            b: The other name, which the sentence is about.
            country: The country of both, None for any.
        """
        pair = self._pairs.compare(a, b, country)
        confidence = emitted(1 / (1 + exp(-pair.log_odds)))
        return Comparison(
            confidence,
            KINDS[ALTERNATIVE if ALTERNATIVE_NAME in pair.parts else LEGAL],
            pair.explanations(),
            explain.comparison(b, confidence, pair.sides())._asdict(),  # type: ignore[arg-type]
        )


def _companies(results: Iterable[Ranked]) -> list[StoredCompany]:
    return [result.match.company for result in results]


def _leis(company: Detail) -> set[str]:
    return {value for scheme, _, value in company.identifiers if scheme == "lei"}


def _identity(company: StoredCompany) -> str | bytes:
    """Return what the records of one company have in common: its link, or the bytes of its only record."""
    return company.link or bytes(company.record)


def run(call: Coroutine[Any, Any, T]) -> T:
    """Return the result of `call`, a coroutine, where no event loop runs: command line, evaluation, benchmarks, tests.

    All calls run in one event loop, which an engine on the network may bind its connections to; one at a time.
    """
    return _runner.run(call)


@atexit.register
def _close_loop() -> None:
    """Let the connections of engines that nobody holds any more end, and close the event loop."""

    async def settle() -> None:
        await asyncio.sleep(0)  # an engine let go between two calls begins to close with the next
        if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks, timeout=1)

    _runner.run(settle())
    _runner.close()


def _set_up(
    data: Path,
    registry: Mapping[str, Country],
    base_url: str | None,
    suppressions: Path | None,
    today: Callable[[], date],
    engine: EngineKind,
    searched: Searched,
) -> _Setup:
    file = SuppressionFile(suppressions, registry)
    return _Setup(data, registry, base_url, today, Reader(registry), Interpreter(registry), file, engine, searched)


async def _open(setup: _Setup, release_id: str) -> _Release:
    hold = await threads.FILES.call(snapshot.hold, setup.data, release_id)
    release = await threads.FILES.call(snapshot.read_release, setup.data, release_id)
    coverage = msgspec.convert({**release.coverage, "generatedAt": release.generated_at}, Coverage)
    folder = _index_folder(setup.data, release_id)
    index = await release_index.open_index(folder, setup.engine)
    return _Release(release_id, hold, coverage, index, await threads.FILES.call(Statements, folder / "statements"))


def _index_folder(data: Path, release_id: str) -> Path:
    """Return the folder of the index. Raises `ReleaseError("release-format")` where another program has built it."""
    folder = snapshot.index_folder(data, release_id, release_index.FORMAT)
    for path in [] if folder.exists() else folder.parent.glob(f"*-{release_id}"):
        version = path.name.partition("-")[0]
        raise ReleaseError("release-format", file=str(path), found=version, expected=release_index.FORMAT)
    return folder


def _exported(setup: _Setup, release: _Release, suppressions: Suppressions) -> tuple[Path, int, int] | None:
    """Return the folder of the export of a release for a list of suppressions, if there is one, and its edition."""
    folder = snapshot.export_folder(setup.data, release.id, suppressions.revision)
    try:
        seal = (folder / snapshot.SEAL).stat()
    except OSError:
        return None
    return folder, seal.st_ino, seal.st_mtime_ns


def _export(exported: tuple[Path, int, int] | None) -> snapshot.ExportedFiles | None:
    """Return an export; None where its seal is damaged, until `padron export` has made it again."""
    try:
        return snapshot.ExportedFiles(exported[0]) if exported else None
    except PadronError:
        return None


def _without(coverage: Coverage, index: ReleaseIndex, hidden: Iterable[Hit]) -> Coverage:
    """Return `coverage` without the `hidden` companies in its counts."""
    gone: Counter[tuple[str, str]] = Counter()
    texts = index.tables.texts
    for hit in hidden:
        company = decode_company(hit.stored)
        gone[texts[company.country], texts[decode_record(company.record).scheme]] += 1
    countries = [
        replace(
            country,
            companies=country.companies
            - sum(count for (code, _), count in gone.items() if code == country.country_code),
            by_scheme={
                scheme: count - gone[country.country_code, scheme] for scheme, count in country.by_scheme.items()
            },
        )
        for country in coverage.countries
    ]
    return replace(coverage, countries=countries, total=coverage.total - gone.total())


def _newest(sources: Iterable[SourceState]) -> str | None:
    return max((source.date.isoformat() for source in sources if source.date), default=None)


def _scope(key: ListKey, filters: Filters) -> Scope:
    """Return where the companies of a list are searched."""
    return Scope(key.country, (*((tag,) for tag in key[1:] if tag), *filters.within()))


def _located(holder: Holder, record: Record) -> Located:
    requested = holder.number.identifier
    same = requested.scheme == record.scheme and is_own(holder)
    own = holder.own
    return Located(record, requested, alias=not same and not own, branch=not same and own, mistyped=is_mistyped(holder))


def _readings(country: Country, raw: str) -> list[Number]:
    """Return what `raw` may be in `country`: nothing where it is no number of a company there."""
    try:
        return readings(country, raw)
    except (Invalid, NotFound):
        return []
