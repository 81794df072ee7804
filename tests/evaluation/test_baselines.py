from __future__ import annotations

import pytest
from evaluation import baselines
from evaluation.baselines import Candidate, Ranker, Row, Trigrams
from evaluation.records import Company
from evaluation.score import figures
from hypothesis import given
from hypothesis import strategies as st

from scored import ANSWERS, QUERIES


def test_trigrams_are_those_of_pg_trgm():
    # The examples of PostgreSQL's documentation of pg_trgm.
    assert baselines.trigrams("cat") == {"  c", " ca", "cat", "at "}
    assert baselines.trigrams("foo|bar") == {"  f", " fo", "foo", "oo ", "  b", " ba", "bar", "ar "}
    assert baselines.similarity("word", "two words") == pytest.approx(0.36363637)
    assert baselines.trigrams("Ñandú S.A.") == baselines.trigrams("nandu s a")
    assert baselines.similarity("!!", "x") == 0.0


@pytest.fixture(scope="module")
def index(directory):
    return Trigrams(directory.companies)


@given(text=st.sampled_from(["nestle ecu", "industrial de alimentos", "ecopetrl", "s a", "apple computer", "zzz", ""]))
def test_nearest_is_exact(index, directory, text):
    for country in (None, "EC", "US"):
        brute = sorted(
            (
                -max(baselines.similarity(text, name) for name in (company.legal_name, *(n for _, n in company.names))),
                company.key,
            )
            for company in directory.companies
            if country in {None, company.country}
        )
        nearest = [(-candidate.similarity, candidate.company.key) for candidate in index.nearest(text, country, most=5)]
        assert nearest == [row for row in brute if row[0] < 0][:5]


def test_a_company_is_near_by_its_nearest_name(index):
    best = index.nearest("apple computer", "US")[0]
    assert (best.company.identifier, best.name, best.similarity) == ("320193", "APPLE COMPUTER INC", 15 / 19)


def test_rankers_by_hand():
    company = Company("EC", "ec-expediente", "1", "FAVORITA CORPORACION S.A.", (), (), None, "x", "1")
    scores = {
        ranker.name.split(",")[0]: ranker.score(
            "Corporación Favorita C.A.", Candidate(company, company.legal_name, 0.7)
        )
        for ranker in baselines.RANKERS
    }
    assert scores["trigram similarity (as pg_trgm)"] == 0.7
    assert scores["RapidFuzz token_sort"] == scores["RapidFuzz token_set"] == 1.0
    assert scores["Jaro-Winkler"] < 0.8


def test_a_ranker_is_scored_like_the_service(directory):
    companies = {company.identifier: company for company in directory.companies}
    nestle = companies["4238"]
    queries = [QUERIES[0]._replace(q="nestle", expected=(nestle.key,), meant=(nestle.key,))]
    candidates = {queries[0].id: [Candidate(nestle, nestle.legal_name, 0.9), Candidate(companies["476"], "x", 0.3)]}
    row = baselines.rank(Ranker("trigram", lambda _, candidate: candidate.similarity), queries, candidates)
    assert (row.figures.recall_1, row.figures.precision, row.figures.recall) == (1.0, 1.0, 1.0)
    assert row.microseconds > 0


def test_an_easy_set_is_told():
    hard = figures(QUERIES, ANSWERS)._replace(recall=0.40, precision=0.985)
    rows = [Row(ranker.name, hard, None) for ranker in baselines.RANKERS]
    assert baselines.too_easy(rows) == []
    easy = [
        rows[0]._replace(figures=hard._replace(recall=0.41)),
        rows[1]._replace(figures=hard._replace(precision=0.99)),
    ]
    assert len(baselines.too_easy(easy)) == 2
    assert baselines.table(rows).splitlines()[2] == (
        "| trigram similarity (as pg_trgm) | 0.667 | 1.000 | 0.985 | 0.400 | 1 of 2 | 0.537 |"
    )


def test_the_sample_is_fixed_and_of_names():
    queries = [QUERIES[0]._replace(id=str(at), kind="identifier" if at % 5 == 0 else "typo") for at in range(100)]
    assert baselines.sample(queries, 20) == baselines.sample(queries, 20)
    assert {query.kind for query in baselines.sample(queries, 80)} == {"typo"}
    assert len(baselines.sample(queries, 1500)) == 80
