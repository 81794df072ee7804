"""The directory of companies, which every face calls: it answers from one release, and swaps it for the next whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from math import exp
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from padron import snapshot
from padron.answers import Answer
from padron.company import Record
from padron.country import Country
from padron.errors import Invalid, NotFound
from padron.index import tantivy_engine
from padron.index.document import ALTERNATIVE, KINDS, LEGAL, StoredCompany, decode_company, decode_record, variants
from padron.index.engine import Engine
from padron.index.suppressed import Withheld
from padron.lookup import hints
from padron.lookup.by_identifier import Held, NumberSearch
from padron.lookup.detail import Asked, Detail, Seen, Sight, detail
from padron.lookup.find import SURE, Finder, Findings
from padron.lookup.freshness import aged, grown_late
from padron.lookup.present import Presenter
from padron.lookup.statements import Statements, present
from padron.matching import explain
from padron.matching.features import ALTERNATIVE_NAME, MISSING_ANY
from padron.matching.identifiers import Number, readings, unissued
from padron.matching.query import Reader
from padron.matching.score import LinearScorer, Ranked, Ranker, emitted, load_weights
from padron.model import CountryCode, Coverage, Identifier, Language, SourceState, Statement, Text
from padron.questions.answer import Teller, Told
from padron.questions.outcome import Question
from padron.questions.plan import ACTIVITY, Tools, answer
from padron.questions.reading import Understander
from padron.questions.sentences import described, joined
from padron.suppression import Watch


class Found(NamedTuple):
    """A company by identifier: its record, the identifier as asked, and how that relates to the company.

    `alias`: another identifier than the canonical one. `branch`: a number of the same scheme for a part of the
    company, or the root of such numbers.
    """

    record: Record
    requested: Identifier
    alias: bool
    branch: bool


class Comparison(msgspec.Struct, frozen=True, rename="camel"):
    """How likely two names are one company's, and why: in words of both languages, and by feature.

    `matched_on`: `alternativeName` where only the acronym behind the legal form fits, else `legalName`.
    """

    confidence: float
    matched_on: str
    explanations: dict[str, float]
    sentence: dict[Language, str]


class _Opened(NamedTuple):
    """Everything that belongs to one release and list of suppressions; replaced as one.

    `whole` is what was opened of the release, suppressed companies included.
    """

    release: str
    edition: str
    whole: tuple[Coverage, Engine]
    generated_at: datetime
    coverage: Coverage
    late: frozenset[tuple[str, str]]
    dates: dict[str, str | None]
    engine: Engine
    ranker: Ranker
    finder: Finder
    numbers: NumberSearch
    presenter: Presenter
    statements: Statements
    tools: Tools
    teller: Teller


class Directory:
    """Safe to share between threads: each call answers from the release that was current when it began."""

    def __init__(
        self,
        data: Path,
        registry: Mapping[str, Country],
        base_url: str,
        suppressions: Path | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._data = data
        self._registry = registry
        self._base_url = base_url
        self._today = today
        self._reader = Reader(registry)
        self._understander = Understander(registry)
        self._watch = Watch(suppressions, registry)
        self._opened = self._open(snapshot.current(data))

    @classmethod
    def open(cls, data: Path, registry: Mapping[str, Country], base_url: str, suppressions: Path | None = None) -> Self:
        """The directory over the current release of a data folder, without the companies in the list `suppressions`.

        Raises `ReleaseError` when it cannot be served, `Invalid("bad-suppressions")` when the list cannot be read.
        """
        return cls(data, registry, base_url, suppressions)

    def _open(self, release_id: str) -> _Opened:
        release = snapshot.read_release(self._data, release_id)
        folder = snapshot.index_folder(self._data, release_id, tantivy_engine.FORMAT)
        coverage = msgspec.convert({**release.coverage, "generatedAt": release.generated_at}, Coverage)
        return self._withhold(
            release_id, (coverage, tantivy_engine.open_index(folder)), Statements(folder / "statements")
        )

    def _withhold(self, release_id: str, whole: tuple[Coverage, Engine], statements: Statements) -> _Opened:
        """What answers from an opened release, without the companies that are suppressed now."""
        suppressions = self._watch.current
        engine = Withheld(whole[1], suppressions)
        late = grown_late(whole[0], self._registry, self._today())
        coverage = aged(_without(whole[0], engine), late)
        dates: dict[str, str | None] = {found.country_code: _newest(found.sources) for found in coverage.countries}
        ranker = Ranker(engine.tables, engine.frequency, LinearScorer(load_weights()))
        finder = Finder(self._registry, self._reader, engine, ranker, dates)
        numbers = NumberSearch(self._registry, engine, ranker)
        activities = self._understander.lexicon.activities
        return _Opened(
            release_id,
            ".".join(filter(None, (release_id, suppressions.revision, f"late{len(late)}" if late else None))),
            whole,
            coverage.generated_at,
            coverage,
            late,
            dates,
            engine,
            ranker,
            finder,
            numbers,
            Presenter(self._registry, engine.tables.texts, self._base_url),
            statements,
            Tools(self._registry, self._understander, self._reader, engine, finder, numbers),
            Teller(self._registry, engine.tables.texts, coverage.countries, dates, activities),
        )

    @property
    def release(self) -> str:
        """Id of the release that answers."""
        return self._opened.release

    @property
    def edition(self) -> str:
        """What an answer depends on besides its question: release, revision of the suppressions, sources grown late."""
        return self._opened.edition

    @property
    def generated_at(self) -> datetime:
        """When that release was built."""
        return self._opened.generated_at

    def swap(self) -> bool:
        """Answer from what is current from now on: release, suppressions, state of sources; whether one is another.

        Raises `ReleaseError` when the new one cannot be served: the old one then goes on answering. Searches under way
        finish on the release they began with.
        """
        current, opened = snapshot.current(self._data), self._opened
        others_hidden = self._watch.look()
        if current != opened.release:
            self._opened = self._open(current)
        elif others_hidden or grown_late(opened.whole[0], self._registry, self._today()) != opened.late:
            # The release stays open: at full size, opening it takes longer than a removal may.
            self._opened = self._withhold(current, opened.whole, opened.statements)
        return self._opened is not opened

    def coverage(self) -> Coverage:
        """What the release holds, by country."""
        return self._opened.coverage

    def parts(self) -> list[str]:
        """Countries in the order of the companies: of each as many as it has runs of at most `document.PART`."""
        return [country for country, _ in self._opened.engine.tables.parts]

    def part(self, number: int) -> Iterator[str]:
        """Canonical identifiers of a part (an index into `parts`), in flat memory; of one release to the last."""
        for hit in self._opened.engine.part(number):
            yield decode_record(decode_company(hit.stored).record).identifier

    def find(self, q: str, *, country: str | None, limit: int) -> Findings:
        """At most `limit` companies with what matched and why. Raises like `search`."""
        return self._opened.finder.find(q, country, limit)

    def search(self, q: str, *, country: CountryCode | None, limit: int, language: Language) -> Answer:
        """The answer to a search. Raises `NotFound("natural-person-not-covered")` for a natural person's number."""
        opened = self._opened
        results, said, _ = opened.finder.find(q, country, limit)
        teaser = opened.presenter.teaser
        shown = [teaser(found.match.company, found.confidence, language) for found in results]
        countries: list[CountryCode] = list(dict.fromkeys(found.country_code for found in shown))
        return Answer(
            q=q,
            country=country,
            best_match=shown[0] if results and results[0].confidence >= SURE else None,
            suggested_countries=countries if country is None and len(countries) > 1 else [],
            match_hints=[text.of(language) for text in said],
            results=shown,
        )

    def get(self, country: str, raw: str, language: Language) -> Found:
        """The company of `country` with an identifier, formatted or not.

        Raises `Invalid("invalid-identifier")` where `raw` looks like none, and `NotFound`:
        `company-not-found` (with `hints`), `identifier-not-unique` (with `candidates`), `natural-person-not-covered`.
        """
        opened = self._opened
        one = self._one(opened, country, raw, language)
        return _found(one, opened.presenter.record(one.company, language))

    def _one(self, opened: _Opened, country: str, raw: str, language: Language) -> Held:
        """The one company with an identifier, formatted or not. Raises as `get`."""
        asked, nobodys = self._registry[country], None
        try:
            numbers = readings(asked, raw)
        except Invalid:
            if not (nobodys := unissued(asked, raw)):
                raise
            numbers = []
        for number in numbers:
            held = opened.numbers.holders(number)
            own = [one for one in held if one.own] or held
            if len(own) > 1:
                shown = [opened.presenter.record(one.company, language) for one in own]
                raise NotFound(
                    "identifier-not-unique", country=country, candidates=[record.identifier for record in shown]
                )
            if own:
                return own[0]
        raise NotFound(
            "company-not-found", country=country, hints=self._absence(opened, asked, raw, nobodys or numbers[0])
        )

    def statements(self, country: str, raw: str, language: Language) -> list[Statement]:
        """The yearly statements of a company, the latest first. Raises as `get`."""
        record = self.get(country, raw, language).record
        stored = self._opened.statements.get(country, record.identifier)
        return [present(statement, self._registry, language) for statement in stored]

    def _absence(self, opened: _Opened, country: Country, raw: str, number: Number) -> Text:
        """What would help whoever asked for a number that no company of the country has."""
        said = [hints.not_in(country, number.scheme, number.identifier.value, opened.dates.get(country.code))]
        if number.identifier.valid_check is False:
            said += opened.numbers.mistyped(number, raw)
        others = [other for other in self._registry.values() if other is not country]
        if elsewhere := [other.code for other in others if _holds(opened.numbers, other, raw)]:
            said.append(hints.exists_elsewhere(elsewhere))
        return joined(said)

    def look(self, q: str, *, country: str | None, language: Language, most: int) -> Sight:
        """The `most` likeliest companies with all that is known of them and why. Raises like `search`."""
        opened = self._opened
        results, said, doubt = opened.finder.find(q, country, most)
        return Sight([self._seen(opened, found, language) for found in results], said, doubt)

    def ask(self, question: Question, language: Language) -> Told:
        """The answer to a question, read and planned. Raises like `search`."""
        opened = self._opened
        plan = answer(opened.tools, question)
        return opened.teller.tell(self.edition, plan, question, lambda found: self._seen(opened, found, language))

    def _seen(self, opened: _Opened, found: Ranked, language: Language) -> Seen:
        listed = found.matched_on == ACTIVITY
        return Seen(
            self._detail(opened, found.match.company, language, None if listed else found.confidence),
            round(found.margin, 4),
            found.matched_on,
            opened.ranker.explain(found.match.features, found.match.utility),
            described() if listed else explain.sentence(found, self._registry, opened.engine.tables.texts),
        )

    def details(self, country: str, raw: str, language: Language) -> Asked:
        """One company in full. Raises as `get`."""
        opened = self._opened
        one = self._one(opened, country, raw, language)
        found = _found(one, opened.presenter.record(one.company, language))
        detailed = self._detail(opened, one.company, language)
        return Asked(self.edition, detailed, found.requested, found.alias, found.branch)

    def _detail(
        self, opened: _Opened, company: StoredCompany, language: Language, confidence: float | None = None
    ) -> Detail:
        record = replace(opened.presenter.record(company, language), confidence=confidence)
        return detail(company, record, opened.engine.tables.texts, self._registry)

    def compare(self, a: str, b: str, country: str | None = None) -> Comparison:
        """How likely a company called `b` is the one that `a` means, were it the only candidate."""
        query = self._reader.read(a, country)
        ranker = self._opened.ranker
        names = [(code, name) for code in query.names for name in variants(LEGAL, b, self._registry[code])]
        comparer = ranker.comparer(query, [name for _, name in names])
        found = [comparer.features(code, name, "", [name]) for code, name in names]
        best = max(found, key=ranker.utility, default={MISSING_ANY: 1.0})
        utility = ranker.utility(best)
        confidence = emitted(1 / (1 + exp(-utility)))
        return Comparison(
            confidence,
            KINDS[ALTERNATIVE if ALTERNATIVE_NAME in best else LEGAL],
            ranker.explain(best, utility),
            explain.comparison(b, confidence, best)._asdict(),  # type: ignore[arg-type]
        )


def _without(coverage: Coverage, engine: Withheld) -> Coverage:
    """`coverage` without the hidden companies in its counts."""
    gone: Counter[tuple[str, str]] = Counter()
    for hit in engine.hidden.values():
        company = decode_company(hit.stored)
        gone[engine.tables.texts[company.country], engine.tables.texts[decode_record(company.record).scheme]] += 1
    countries = [
        replace(
            found,
            companies=found.companies - sum(count for (code, _), count in gone.items() if code == found.country_code),
            by_scheme={scheme: count - gone[found.country_code, scheme] for scheme, count in found.by_scheme.items()},
        )
        for found in coverage.countries
    ]
    return replace(coverage, countries=countries, total=coverage.total - gone.total())


def _newest(sources: Iterable[SourceState]) -> str | None:
    return max((source.date.isoformat() for source in sources if source.date), default=None)


def _found(one: Held, record: Record) -> Found:
    requested = one.number.identifier
    same = (requested.scheme, requested.value) == (record.scheme, record.identifier)
    return Found(record, requested, alias=not same and not one.own, branch=not same and one.own)


def _holds(numbers: NumberSearch, country: Country, raw: str) -> bool:
    """Whether a company of `country` has the number."""
    try:
        return any(numbers.holders(number) for number in readings(country, raw))
    except (Invalid, NotFound):
        return False
