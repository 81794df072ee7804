"""A directory that grows makes nobody surer: what words weigh by its size, and who is the only one with all words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import release_index
from padron.index.document import StoredName
from padron.index.retrieval import Retrieval
from padron.index.vocabulary import growth, rarity
from padron.lookup.find import lookup
from padron.matching.compare import ComparedCompany, Comparer
from padron.matching.features import EXTRA, EXTRA_DESCRIBING, SOLE, Features
from padron.matching.query import Reader
from padron.matching.score import LinearScorer, Ranker, load_weights

READER = Reader(REGISTRY)
NAME = StoredName("quarzentia industries", "", "", 0)
FITTED = 130_955
COMMON, ROUNDING = 0.61, 0.002  # the weight below which a word is common; weights have three decimals


def features(carriers: int, companies: int) -> Features:
    """Compare a coined word with a name that has a word of so many companies behind it."""
    weights = {"industries": rarity(carriers)} if carriers > 3 else {}
    comparer = Comparer(READER.read("quarzentia"), [NAME], weights.get, lambda _: 1, growth(companies))
    return comparer.features(ComparedCompany("US", "", "", [NAME]), NAME)


def test_weights_are_those_of_the_directory_they_were_fitted_to() -> None:
    assert (growth(FITTED), rarity(3), rarity(150_000)) == (0.0, 1.0, 0.0)


@given(st.integers(4, 200), st.integers(1_000, 1_000_000), st.integers(2, 1_000))
def test_a_word_says_no_less_against_a_company_as_the_directory_grows(carriers: int, size: int, times: int) -> None:
    small, large = features(carriers, size), features(carriers * times, size * times)
    assert large[EXTRA] >= small[EXTRA] - ROUNDING
    is_near = abs(small[EXTRA] - COMMON) < ROUNDING
    assert is_near or EXTRA_DESCRIBING in small or EXTRA_DESCRIBING not in large


def test_the_threshold_of_common_words_is_a_share() -> None:
    assert EXTRA_DESCRIBING in features(262, FITTED)
    assert EXTRA_DESCRIBING in features(20, 10_000)
    assert EXTRA_DESCRIBING not in features(131, FITTED)
    assert EXTRA_DESCRIBING not in features(10_000, 10_000_000)


def test_a_long_name_with_all_words_is_not_forgotten_among_many(
    company: Callable[..., Company], tmp_path: Path
) -> None:
    names = ["Corp Gerencia Quarz Asociados", "Cloudsa Gerencia Quarz Gradtr Build Money Recovery Vendemia Altamar"]
    names += ["Quarz"] * 12 + ["Corp"] * 12
    companies = [company("EC", "ec-expediente", str(at + 1), name) for at, name in enumerate(names)]
    release_index.build(companies, tmp_path / "index", REGISTRY)
    index = run(release_index.open_index(tmp_path / "index"))
    query = READER.read("corp gerencia quarz")
    hits = run(Retrieval(index, READER.forms).candidates(lookup(query), 50))
    first = Ranker(index, LinearScorer(load_weights())).rank(query, hits, 8)[0]
    assert first.match.name.words == "corp gerencia quarz asociados"
    assert SOLE not in first.match.features
