"""The queries typed by hand: enough of each sort, halves by company, records that exist."""

from __future__ import annotations

from collections import Counter

from evaluation.intervals import of_figure, of_share
from evaluation.queries import read_queries
from evaluation.records import Company, read_release
from evaluation.run import TYPED, settled, typed_queries


def read(half):
    return read_queries((TYPED / f"{half}.jsonl").read_text().splitlines())


def test_there_are_enough_of_each():
    queries = read("dev") + read("held-out")
    assert len(queries) >= 3_000
    assert len({query.id for query in queries}) == len(queries)
    assert {query.language for query in queries} == {"es", "en", "pt"}
    assert min(Counter(query.country for query in queries).values()) >= 500
    assert sum(query.absent for query in queries) / len(queries) >= 0.35


def test_no_company_is_in_both_halves():
    meant = [
        {record for query in read(half) if not query.absent for record in query.meant} for half in ("dev", "held-out")
    ]
    both = meant[0] & meant[1]
    assert len(both) <= 0.01 * len(meant[0])  # a second record of a company, where the register does not link them


def test_every_company_is_in_the_release(release):
    records = {company.key for company in read_release(release)}
    for query in read("dev") + read("held-out"):
        assert {*query.meant, *query.expected} <= records, query.id


def test_the_held_out_half_goes_with_the_test_part():
    assert typed_queries("test") == read("held-out")
    assert typed_queries("train") == typed_queries("calibration") == read("dev")


def test_a_query_for_nobody_is_left_out_where_a_company_read_since_may_have_the_name():
    companies = [
        Company("MX", "mx-nra", "1", "ACEROS DEL NORTE, S.A. DE C.V.", (), (), None, "retc", "1"),
        Company("MX", "mx-clee", "2", "ACEROS DEL SUR", (), (), None, "denue", "2"),
    ]
    absent = read("dev")[0]._replace(country="MX", filter=None, meant=(), expected=(), unique=False)
    asked = {"aceros norte": 0, "norte s.a. de c.v.": 0, "aceros del sur": 1, "aceros norte monterrey": 1}
    for q, kept in asked.items():
        assert len(settled([absent._replace(q=q)], companies)) == kept, q
    assert len(settled([absent._replace(q="aceros norte", filter="EC")], companies)) == 1
    held = absent._replace(q="aceros norte", expected=(("MX", "1"),))
    assert settled([held], companies) == [held]


def test_intervals():
    low, high = of_share(95, 100)
    assert (round(low, 3), round(high, 3)) == (0.888, 0.978)  # Wilson (1927)
    assert of_share(0, 0) is None
    low, high = of_figure([0.0, 1.0] * 50, lambda values: sum(values) / len(values))
    assert 0.35 < low < 0.5 < high < 0.65
    assert of_figure([], sum) is None
