"""Confidence: what raises it, what may never reach 0.85, and that it is a probability."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index.document import TextTable, decode_company, decode_record, describe, numbered
from padron.index.release_index import ReleaseIndex
from padron.index.retrieval import Retrieval
from padron.lookup.find import SURE, lookup
from padron.matching.features import (
    EDITS,
    EITHER_WAY,
    EXTRA,
    FEATURES,
    FORM_DIFFERS,
    HELPS,
    JOINTS,
    JUDGED,
    MISSING_ANY,
    OUTDONE,
    PARTED,
    QUERY_WORDS,
    SAME_NAME,
    SCATTERED,
    SOLE,
    TABLE,
    TERMS,
    WITHIN,
    Features,
    Unit,
)
from padron.matching.query import Reader
from padron.matching.score import LinearScorer, Match, Ranked, Ranker, assign_confidence, emitted, load_weights

reader = Reader(REGISTRY)


@pytest.fixture(scope="module")
def ask(opened: ReleaseIndex) -> Callable[..., list[Ranked]]:
    """Ranks the candidates of a text."""
    ranker = Ranker(opened, LinearScorer(load_weights()))

    def ranked(text: str, country: str | None = None) -> list[Ranked]:
        query = reader.read(text, country)
        return ranker.rank(query, run(Retrieval(opened, reader.forms).candidates(lookup(query), 50)), 12)

    return ranked


def record_of(ranked: Ranked) -> str:
    return decode_record(ranked.match.company.record).identifier


def test_the_weights_go_the_way_they_may() -> None:
    weights = load_weights()
    assert weights.keys() == set(TERMS)
    for feature in TABLE.keys() - EITHER_WAY:
        assert weights[feature] >= 0 if feature in HELPS else weights[feature] <= 0, feature
    assert {feature: weights[feature] for feature in JUDGED} == JUDGED


def test_no_joint_weight_turns_a_feature_against_its_direction() -> None:
    weights = load_weights()
    most = {Unit.FLAG: 1.0, Unit.SHARE: 1.0, Unit.COUNT: 3.0, Unit.IDF: 3.0, Unit.EDITS: 8.0, Unit.LOG_COUNT: 12.0}
    for feature in TABLE.keys() - EITHER_WAY:
        sign = 1.0 if feature in HELPS else -1.0
        worst = sign * weights[feature]
        for joint in JOINTS:
            if feature in {joint.first, joint.second}:
                other = joint.second if joint.first == feature else joint.first
                worst += min(0.0, sign * weights[joint.name] * most[TABLE[other].unit])
        assert worst >= -0.002, feature  # weights have four decimals


def test_a_product_has_a_term_of_its_own() -> None:
    scorer = LinearScorer(dict.fromkeys(TERMS, 0.0) | {QUERY_WORDS: 1.0, f"{QUERY_WORDS}*{EDITS}": 0.5})
    assert scorer.log_odds({QUERY_WORDS: 3.0}) == 3.0
    assert scorer.log_odds({QUERY_WORDS: 3.0, EDITS: 2.0}) == 6.0
    assert scorer.shares({QUERY_WORDS: 3.0, EDITS: 2.0}) == {QUERY_WORDS: 4.5, EDITS: 1.5}


def test_every_feature_states_its_meaning_once() -> None:
    assert len({row.meaning for row in TABLE.values()}) == len(TABLE) == len(FEATURES)
    assert all(row.judgment is None or row.judgment.reason for row in TABLE.values())


@pytest.mark.parametrize(
    ("text", "identifier", "matched_on"),
    [
        ("CORPORACION FAVORITA C.A.", "1790016919001", "legalName"),
        ("corporación favorita", "1790016919001", "legalName"),
        ("favorita corporacion", "1790016919001", "legalName"),
        ("supermercados la favorita", "1790016919001", "formerName"),
        ("aapl", "320193", "ticker"),
        ("apple computer inc", "320193", "formerName"),
        ("ecopetrol colombia", "899999068", "legalName"),
        ("cocacola", "21344", "legalName"),
        ("cerveceria nacoinal cn", "1004", "legalName"),
        ("ypf s.a.", "30546689979", "legalName"),
    ],
)
def test_a_name_that_is_one_company_s_is_sure(
    ask: Callable[..., list[Ranked]], identifier: str, text: str, matched_on: str
) -> None:
    first, *others = ask(text)
    assert record_of(first) == identifier
    assert first.matched_on == matched_on
    assert SURE <= first.confidence < 1
    assert all(other.confidence < first.confidence for other in others)
    assert first.margin > 0.5


def test_petrobras_is_the_brazilian_record_and_both_records_count_once(ask: Callable[..., list[Ranked]]) -> None:
    home, abroad, *others = ask("petrobras")
    assert [record_of(home), record_of(abroad)] == ["33000167000101", "1119639"]
    assert home.confidence == abroad.confidence >= SURE
    assert [record_of(other) for other in others] == ["33795055000194"]


def test_the_record_of_the_country_asked_for_comes_first(ask: Callable[..., list[Ranked]]) -> None:
    for text, countries in (("petrobras united states", ["US", "BR"]), ("petrobras", ["BR", "US"])):
        first, second, *_ = ask(text)
        assert [first.match.country, second.match.country] == countries
        assert first.confidence == second.confidence


def test_two_companies_of_one_name_are_neither_sure(ask: Callable[..., list[Ranked]]) -> None:
    first, second, *_ = ask("hotel plaza")
    assert first.confidence == second.confidence < 0.5
    assert first.margin == 0.0


def test_a_legal_form_tells_two_of_one_name_apart(ask: Callable[..., list[Ranked]]) -> None:
    first, *_ = ask("hotel plaza s.a.s.")
    assert record_of(first) == "800000013"
    assert first.confidence >= SURE
    second, *_ = ask("hotel plaza s.a.")
    assert record_of(second) == "1006"


@pytest.mark.parametrize(
    "text",
    [
        "corporacion ferrovia",
        "inmobiliaria los alpes III",
        "inmobiliaria los alpes 7",
        "cerveceria regional cn",
        "microsoft llc",
        "distribuidora garcos argentina",
        "almacenes paraiso",
        "transportes sanchez ruiz",
        "banco do paraguay",
    ],
)
def test_near_misses_are_never_sure(ask: Callable[..., list[Ranked]], text: str) -> None:
    assert all(ranked.confidence < SURE for ranked in ask(text))


def test_another_legal_form_lowers_but_shows_the_company(ask: Callable[..., list[Ranked]]) -> None:
    first, *_ = ask("microsoft llc")
    assert record_of(first) == "789019"
    assert 0.05 < first.confidence < 0.5
    assert FORM_DIFFERS in first.match.features
    apple, hospitality, *_ = ask("apple gmbh")
    assert record_of(apple) == "320193"
    assert apple.confidence > 20 * hospitality.confidence


def test_a_sister_is_told_by_its_number(ask: Callable[..., list[Ranked]]) -> None:
    assert record_of(ask("inmobiliaria los alpes ii")[0]) == "1002"
    assert record_of(ask("inmobiliaria los alpes 2")[0]) == "1002"
    assert record_of(ask("inmobiliaria los alpes")[0]) == "1001"


def test_what_is_seen_among_all_candidates(ask: Callable[..., list[Ranked]]) -> None:
    first, second, *_ = ask("apple")
    assert SAME_NAME in first.match.features
    assert OUTDONE in second.match.features
    assert SOLE in ask("apple computer")[0].match.features
    assert SOLE not in first.match.features


def test_a_legal_form_parts_a_name_from_the_rest_of_a_text(ask: Callable[..., list[Ranked]]) -> None:
    first, *_ = ask("factura 31 Microsoft Corp licencias anuales de oficina")
    assert record_of(first) == "789019"
    assert {WITHIN, PARTED} <= first.match.features.keys()
    assert MISSING_ANY not in first.match.features
    assert first.confidence >= SURE


def test_words_scattered_in_a_text_make_nobody_sure(ask: Callable[..., list[Ranked]]) -> None:
    ranked = ask("plaza vieja cerca del puerto con algun hotel barato")
    scattered = [result for result in ranked if SCATTERED in result.match.features]
    assert scattered
    assert all(result.confidence < SURE for result in ranked)


def test_explanations_add_up_to_the_log_odds(opened: ReleaseIndex, ask: Callable[..., list[Ranked]]) -> None:
    ranker = Ranker(opened, LinearScorer(load_weights()))
    for text in ("corporacion favrita", "microsoft llc", "apple reit", "petrobras"):
        for ranked in ask(text):
            explained = ranker.explain(ranked.match.features, ranked.match.utility)
            assert sum(explained.values()) == pytest.approx(ranked.match.utility, abs=0.01)
            assert list(explained.values()) == sorted(explained.values(), key=abs, reverse=True)


class ExtraWords:
    """A scorer that looks at nothing but the words of a name that the query lacks."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def log_odds(self, features: Features) -> float:
        return sum(self.shares(features).values())

    def shares(self, features: Features) -> dict[str, float]:
        return {EXTRA: self.weight * features.get(EXTRA, 0.0)}


@pytest.mark.parametrize(("weight", "order"), [(-5.0, ["320193", "1418121"]), (5.0, ["1418121", "320193"])])
def test_ranking_follows_another_scorer(opened: ReleaseIndex, weight: float, order: list[str]) -> None:
    query = reader.read("apple")
    ranker = Ranker(opened, ExtraWords(weight))
    ranked = ranker.rank(query, run(Retrieval(opened, reader.forms).candidates(lookup(query), 50)), 12)
    assert [record_of(result) for result in ranked] == order
    for result in ranked:
        extra = result.match.features.get(EXTRA, 0.0)
        assert result.match.utility == weight * extra
        shares = ranker.explain(result.match.features, result.match.utility)
        assert shares == ({EXTRA: pytest.approx(weight * extra, abs=1e-4)} if extra else {})


def make_match(company: Company, utility: float, key: int) -> Match:
    document = describe(company, REGISTRY[company.country], numbered(company, REGISTRY[company.country], TextTable()))
    stored = decode_company(document.stored)
    return Match(key, stored, company.country, stored.names[0], {}, utility)


@given(utilities=st.lists(st.floats(-30, 30), min_size=1, max_size=20))
def test_confidence_is_a_probability(company: Callable[..., Company], utilities: list[float]) -> None:
    matches = [
        make_match(company("EC", "ec-expediente", str(key + 1), "X"), utility, key)
        for key, utility in enumerate(utilities)
    ]
    ranked = assign_confidence(matches)
    assert math.fsum(result.confidence for result in ranked) <= 1 + 1e-9
    assert [result.match.utility for result in ranked] == sorted(utilities, reverse=True)
    assert all(0 <= result.confidence <= 0.9999 for result in ranked)
    twins = [result for result in ranked if result.match.utility == ranked[0].match.utility]
    assert len(twins) == 1 or twins[0].confidence <= 0.5


def test_no_match_has_no_confidence() -> None:
    assert assign_confidence([]) == []


@pytest.mark.parametrize(
    ("confidence", "shown"), [(0.84999, 0.8499), (0.85, 0.85), (0.99999, 0.9999), (1.0, 0.9999), (0.00004, 0.0)]
)
def test_what_is_shown_is_rounded_down_and_never_one(confidence: float, shown: float) -> None:
    assert emitted(confidence) == shown
