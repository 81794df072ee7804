"""The peer that is a real PostgreSQL: its candidates are those of the trigrams we compute ourselves."""

from __future__ import annotations

import pytest
from evaluation.peers import Trigrams
from evaluation.postgres import TrigramIndex, server


@pytest.mark.verify
def test_postgres_finds_what_its_trigrams_say(directory):
    own = Trigrams(directory.companies)
    with server() as connection:
        index = TrigramIndex(connection, directory.companies)
        for text, country in (("nestle", None), ("corporacion favorta", "EC"), ("apple computer", "US"), ("zzz", None)):
            expected = [one for one in own.nearest(text, country) if one.similarity >= 0.3]
            found = index.nearest(text, country)
            assert {one.company.key for one in found} == {one.company.key for one in expected}
            nearness = {one.company.key: one.similarity for one in expected}
            assert all(one.similarity == pytest.approx(nearness[one.company.key], abs=1e-6) for one in found)
