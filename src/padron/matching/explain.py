"""Explanations of results: sentences in both languages that a person or an agent can quote."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from padron.companies.company import StoredRecord
from padron.countries.country import Country
from padron.index.document import KINDS, LEGAL, StoredName, decode_record, variants
from padron.matching.features import (
    ABBREVIATION,
    ACRONYM_AGREES,
    ACTIVITY_AGREES,
    CONNECTIVES_DIFFER,
    EDIT_SHARE,
    EQUIVALENCE,
    EXTRA_ANY,
    FORM_AGREES,
    FORM_DIFFERS,
    GLUED,
    INITIALS,
    LABEL_WORDS,
    MISSING_ANY,
    NUMBER_DIFFERS,
    OTHER_COUNTRY,
    OTHER_NAME_AGREES,
    OTHER_ORDER,
    OTHER_PLACE,
    PLACE_AGREES,
    SAME_NAME,
    SOLE,
    UNFINISHED_WORD,
    WITHIN,
    Features,
)
from padron.matching.score import Ranked
from padron.words import N_, Text, bilingual, joined

_LIKELY: Final = 0.9
"""Confidence from which a sentence says that a company is the one meant: nine in ten such sentences are right."""
UNLIKELY: Final = 0.3
"""Confidence below which a result is more likely wrong than worth a look."""

_REASONS: Final = {
    SAME_NAME: N_("the same words"),
    OTHER_ORDER: N_("the same words in another order"),
    GLUED: N_("words joined or split differently"),
    CONNECTIVES_DIFFER: N_("apart from words such as “of” or “and”"),
    EDIT_SHARE: N_("a slightly different spelling"),
    ABBREVIATION: N_("abbreviated words"),
    EQUIVALENCE: N_("words with the same meaning"),
    UNFINISHED_WORD: N_("the last word is unfinished"),
    INITIALS: N_("its initials"),
    ACRONYM_AGREES: N_("its initials beside it"),
    NUMBER_DIFFERS: N_("a different number"),
    WITHIN: N_("its whole name stands in the query"),
    MISSING_ANY: N_("it lacks words of the query"),
    EXTRA_ANY: N_("it has additional words"),
    FORM_AGREES: N_("the same legal form"),
    FORM_DIFFERS: N_("a different legal form"),
    PLACE_AGREES: N_("the place matches"),
    ACTIVITY_AGREES: N_("the activity matches"),
    LABEL_WORDS: N_("the activity matches"),
    OTHER_NAME_AGREES: N_("another of its names has more words of the query"),
    OTHER_PLACE: N_("it is in another place"),
    OTHER_COUNTRY: N_("it is in another country"),
    SOLE: N_("no other company has all those words"),
}
"""Feature -> the reason it gives, in the order in which reasons are listed."""

_KINDS: Final = {
    "legalName": N_("legal name"),
    "tradeName": N_("trade name"),
    "formerName": N_("former name"),
    "alternativeName": N_("another registered name"),
    "ticker": N_("ticker"),
    "byName": N_("a name by which it is known"),
}
"""Kind of a name -> the words for it inside a sentence."""

_VERDICTS: Final = (
    (1.0, N_("{company} is the company you are looking for (confidence {confidence}): {reasons}.")),
    (_LIKELY, N_("{company} is very probably the company you are looking for (confidence {confidence}): {reasons}.")),
    (UNLIKELY, N_("{company} may be the company you are looking for (confidence {confidence}): {reasons}.")),
    (0.0, N_("{company} is probably not the company you are looking for (confidence {confidence}): {reasons}.")),
)
"""Least confidence -> the sentence for it."""


def reason(result: Ranked, registry: Mapping[str, Country]) -> Text:
    """Return what of the query matches a company and what does not: trade name “PETROBRAS”, the same words."""
    if result.scheme:
        if result.mistyped:
            return bilingual("the number is nearly its {scheme}", scheme=result.scheme.label)
        return bilingual("the number is its {scheme}", scheme=result.scheme.label)
    match = result.match
    name = _name(decode_record(match.company.record), match.name, registry[match.country])
    return joined([name, reasons(match.features)], ", ")


def sentence(result: Ranked, why: Text, registry: Mapping[str, Country], texts: list[str]) -> Text:
    """Explain a result: its company, its confidence, and why it is one.

    In English: “PETRÓLEO BRASILEIRO S.A. - PETROBRAS” (BR, CNPJ 33.000.167/0001-01) is very probably the company you
    are looking for (confidence 0.9921): trade name “PETROBRAS”, the same words.

    Args:
        why: The `reason` of the result.
        texts: Texts that the stored records of the release share.
    """
    match = result.match
    record = decode_record(match.company.record)
    scheme = registry[match.country].scheme_by_code[texts[record.scheme]]
    company = bilingual(
        "“{name}” ({country}, {scheme} {number})",
        name=record.legal_name,
        country=match.country,
        scheme=scheme.label,
        number=scheme.show(record.identifier),
    )
    return _verdict(company, result.confidence, why)


def comparison(name: str, confidence: float, features: Features) -> Text:
    """Explain how well a name matches, as if its company were the only candidate.

    Args:
        name: The name as written.
    """
    return _verdict(bilingual("“{name}”", name=name), confidence, reasons(features))


def reasons(features: Features) -> Text:
    """List what matches and what does not."""
    return _listed(tuple([reason for name, reason in _REASONS.items() if name in features]))


@lru_cache(maxsize=1024)
def _listed(messages: tuple[str, ...]) -> Text:
    """Return reasons one after the other, each once: few of their combinations make up most answers."""
    return joined(map(bilingual, dict.fromkeys(messages)), ", ") if messages else bilingual("part of the name")


def _verdict(company: Text, confidence: float, why: Text) -> Text:
    message = next(message for least, message in _VERDICTS if confidence >= least)
    figure = f"{confidence:g}"
    return bilingual(message, company=company, confidence=Text(figure.replace(".", ","), figure), reasons=why)


def _name(record: StoredRecord, name: StoredName, country: Country) -> Text:
    """The kind of the name that matches, and the name itself unless it is the legal name."""
    kind = bilingual(_KINDS[KINDS[name.kind]])
    if name.kind == LEGAL:
        return kind
    others = [text for text in (record.trade_name, *(other for _, other, _, _ in record.names)) if text]
    same = (text for text in others for variant in variants(name.kind, text, country) if variant.words == name.words)
    return bilingual("{kind} “{name}”", kind=kind, name=next(same, name.words.upper()))
