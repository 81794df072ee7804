"""Why a result is one, as a sentence in both languages that a person or an agent can quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from padron.company import StoredRecord
from padron.country import Country
from padron.index.document import KINDS, LEGAL, StoredName, decode_record, variants
from padron.matching.features import (
    ABBREVIATION,
    CONNECTIVES_DIFFER,
    EDIT_SHARE,
    EQUIVALENCE,
    EXTRA_ANY,
    FORM_AGREES,
    FORM_DIFFERS,
    GLUED,
    INITIALS,
    MISSING_ANY,
    NUMBER_DIFFERS,
    OTHER_COUNTRY,
    OTHER_ORDER,
    PLACE_AGREES,
    SAME_NAME,
    SOLE,
    UNFINISHED_WORD,
    Features,
)
from padron.matching.score import IDENTIFIER, Ranked
from padron.model import Text

_LIKELY: Final = 0.85
_UNLIKELY: Final = 0.3

_SAID: Final = {
    SAME_NAME: Text("las mismas palabras", "the same words"),
    OTHER_ORDER: Text("las mismas palabras en otro orden", "the same words in another order"),
    GLUED: Text("palabras juntas o separadas de otro modo", "words joined or parted otherwise"),
    CONNECTIVES_DIFFER: Text("salvo palabras como «de» o «y»", "but for words such as “de” or “and”"),
    EDIT_SHARE: Text("escrito de modo algo distinto", "spelt somewhat differently"),
    ABBREVIATION: Text("palabras abreviadas", "words cut short"),
    EQUIVALENCE: Text("palabras del mismo significado", "words of the same meaning"),
    UNFINISHED_WORD: Text("la última palabra sin terminar", "the last word unfinished"),
    INITIALS: Text("sus iniciales", "its initials"),
    NUMBER_DIFFERS: Text("otro número", "another number"),
    MISSING_ANY: Text("le faltan palabras buscadas", "it lacks words that were asked"),
    EXTRA_ANY: Text("tiene además otras palabras", "it has other words too"),
    FORM_AGREES: Text("la misma forma jurídica", "the same legal form"),
    FORM_DIFFERS: Text("otra forma jurídica", "another legal form"),
    PLACE_AGREES: Text("el lugar corresponde", "the place agrees"),
    OTHER_COUNTRY: Text("es de otro país", "it is of another country"),
    SOLE: Text("ninguna otra tiene todas esas palabras", "no other company has all those words"),
}
"""What is told of each feature, in the order in which it is told."""

_KINDS: Final = {
    "legalName": Text("nombre legal", "legal name"),
    "tradeName": Text("nombre comercial", "trade name"),
    "formerName": Text("nombre anterior", "former name"),
    "alternativeName": Text("otro nombre registrado", "another registered name"),
    "ticker": Text("símbolo bursátil", "ticker"),
}

_VERDICTS: Final = (
    (_LIKELY, Text("es la empresa buscada", "is the company asked for")),
    (_UNLIKELY, Text("puede ser la empresa buscada", "may be the company asked for")),
    (0.0, Text("probablemente no es la empresa buscada", "is probably not the company asked for")),
)


def sentence(found: Ranked, registry: Mapping[str, Country], texts: list[str]) -> Text:
    """What company was found, how surely, and what of it agrees or does not.

    In English: “PETRÓLEO BRASILEIRO S.A. - PETROBRAS” (BR, CNPJ 33.000.167/0001-01) is the company asked for
    (confidence 0.9921): trade name “PETROBRAS”, the same words.
    """
    match = found.match
    record = decode_record(match.company.record)
    country = registry[match.country]
    scheme = country.scheme_by_code[texts[record.scheme]]
    shown = scheme.show(record.identifier)
    if found.matched_on == IDENTIFIER:
        why = Text(f"el número es su {scheme.label.es}", f"the number is its {scheme.label.en}")
    else:
        name, how = _name(record, match.name, country), reasons(match.features)
        why = Text(f"{name.es}, {how.es}", f"{name.en}, {how.en}")
    verdict = _verdict(found.confidence)
    return Text(
        f"«{record.legal_name}» ({match.country}, {scheme.label.es} {shown}) {verdict.es}"
        f" (confianza {found.confidence:g}): {why.es}.",
        f"“{record.legal_name}” ({match.country}, {scheme.label.en} {shown}) {verdict.en}"
        f" (confidence {found.confidence:g}): {why.en}.",
    )


def comparison(name: str, confidence: float, features: Features) -> Text:
    """How surely a company called `name`, were it the only candidate, is the one asked for, and why."""
    verdict, why = _verdict(confidence), reasons(features)
    return Text(
        f"«{name}» {verdict.es} (confianza {confidence:g}): {why.es}.",
        f"“{name}” {verdict.en} (confidence {confidence:g}): {why.en}.",
    )


def reasons(features: Features) -> Text:
    """What agrees and what does not, in words."""
    told = [text for feature, text in _SAID.items() if feature in features]
    if not told:
        return Text("parte del nombre", "part of the name")
    return Text(", ".join(text.es for text in told), ", ".join(text.en for text in told))


def _verdict(confidence: float) -> Text:
    return next(text for least, text in _VERDICTS if confidence >= least)


def _name(record: StoredRecord, name: StoredName, country: Country) -> Text:
    """What the name is that fits, quoted where it is not the legal name."""
    kind = _KINDS[KINDS[name.kind]]
    if name.kind == LEGAL:
        return kind
    known = [text for text in (record.trade_name, *(other for _, other, _, _ in record.names)) if text]
    same = (text for text in known for one in variants(name.kind, text, country) if one.words == name.words)
    written = next(same, name.words.upper())
    return Text(f"{kind.es} «{written}»", f"{kind.en} “{written}”")
