"""The peer that is a real PostgreSQL: its candidates are those of the trigrams we compute ourselves."""

from __future__ import annotations

import pytest
from evaluation.baselines import Trigrams
from evaluation.postgres import TrigramIndex, server


@pytest.mark.endurance
def test_postgres_finds_what_its_trigrams_say(directory):
    own = Trigrams(directory.companies)
    with server() as connection:
        index = TrigramIndex(connection, directory.companies)
        for text, country in (("nestle", None), ("corporacion favorta", "EC"), ("apple computer", "US"), ("zzz", None)):
            expected = [candidate for candidate in own.nearest(text, country) if candidate.similarity >= 0.3]
            nearest = index.nearest(text, country)
            assert {candidate.company.key for candidate in nearest} == {candidate.company.key for candidate in expected}
            nearness = {candidate.company.key: candidate.similarity for candidate in expected}
            assert all(
                candidate.similarity == pytest.approx(nearness[candidate.company.key], abs=1e-6)
                for candidate in nearest
            )
