"""What the companies found amount to: one that is sure, several that fit alike, a possible one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from padron.lookup.find import AS_GOOD, SURE
from padron.matching.features import JUDGED
from padron.matching.score import IDENTIFIER, Ranked
from padron.questions.outcome import Verdict

NEAR_MISS: Final = 0.1
"""Below this confidence a company is a near miss, nothing more."""


def verdict_of(results: Sequence[Ranked]) -> Verdict:
    """What the results amount to."""
    if not results:
        return "not_found"
    first = results[0]
    if first.confidence >= SURE:
        return "found"
    if len(as_good(results)) > 1:
        return "ambiguous"
    return "possible" if first.confidence >= NEAR_MISS else "not_found"


def as_good(results: Sequence[Ranked]) -> list[Ranked]:
    """The first records of the companies that fit as well as the first one does, where that fits well at all.

    How prominent a company is makes it likelier to be meant, not a better fit.
    """
    first = results[0]
    if first.matched_on != IDENTIFIER and first.match.utility <= 0:
        return []
    companies: dict[str | int, Ranked] = {}
    for one in results:
        numbered = one.matched_on == IDENTIFIER
        near = one.confidence == first.confidence if numbered else _fit(first) - _fit(one) <= AS_GOOD
        if near and numbered == (first.matched_on == IDENTIFIER):
            companies.setdefault(one.match.company.link or one.match.key, one)
    return list(companies.values())


def _fit(one: Ranked) -> float:
    """How well a company's name fits, whatever else makes it likely."""
    features = one.match.features
    return one.match.utility - sum(weight * features.get(name, 0.0) for name, weight in JUDGED.items())
