"""Five queries and their answers, small enough to be scored by hand."""

from __future__ import annotations

from evaluation.queries import Query
from evaluation.score import Answer, Result


def query(name, *, meant=None, expected=None, kind="typo", country="EC"):
    meant = ((country, meant),) if meant else ()
    expected = tuple((country, company) for company in (expected or ())) or ()
    return Query(name, name, kind, country, None, meant, expected, len(expected) == 1, "es", "test", "x")


def answer(*results, hints=()):
    return Answer(tuple(Result("EC", identifier, confidence) for identifier, confidence in results), hints)


QUERIES = [
    query("right", meant="a", expected=["a"]),
    query("namesake", meant="b", expected=["b", "b2"]),
    query("second", meant="d", expected=["d"]),
    query("absent, matched", kind="absent-sister"),
    query("absent, nothing", kind="absent-sister"),
]
ANSWERS = {
    "right": answer(("a", 0.9), ("x", 0.2)),
    "namesake": answer(("b2", 0.9), ("b", 0.9)),
    "second": answer(("y", 0.5), ("d", 0.4)),
    "absent, matched": answer(("x", 0.95)),
    "absent, nothing": answer(),
}
