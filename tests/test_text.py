"""The fast ways of `padron.text` give what its plain definitions give, which stand here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import pytest
from anyascii import anyascii
from hypothesis import example, given
from hypothesis import strategies as st

from padron import text
from padron.countries import REGISTRY
from padron.text import FormTable, SplitName, fold, glue_letters, split_folded

JOINED = re.compile(r"['’‘`´\"“”«»″′]+")
ACRONYM = re.compile(r"(?<![a-z0-9])(?:[a-z]\.){2,}(?:[a-z](?![a-z0-9]))?")
SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
WRITING = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl"}
AND, PARTNERS = {"and", "e", "y"}, {"cia", "co", "comp", "companhia", "compania", "company"}
NAMELESS = {"cia", "co", "companhia", "compania", "company", "empresa", "sociedad", "sociedade", "the"}

written = st.text(
    st.one_of(st.characters(), st.sampled_from("aSsEyY019..  ..&+-'\"`´’“«ñÑáÇãßœıİﬁ℡½\u00a0\u0301\u200b"))
)
words = st.sampled_from(
    "s a c v y e and co cia compania the empresa de andes 1 sas sa ltda bic me epp limitada".split()
)
FORMS = {code: country.forms for code, country in REGISTRY.items()}


def plainly_in_ascii(char: str) -> str:
    plain = unicodedata.normalize("NFKD", char).translate(SPECIAL)
    plain = "".join(part for part in plain if not unicodedata.combining(part))
    foreign = any(unicodedata.category(part) in WRITING for part in plain if not part.isascii())
    return anyascii(char) if foreign else plain


def plainly_folded(name: str) -> str:
    name = "".join(map(plainly_in_ascii, unicodedata.normalize("NFKC", name.casefold().replace("\ufdfa", " "))))
    name = JOINED.sub("", name.lower()).replace("&", " and ").replace("+", " and ")
    return " ".join(re.findall("[a-z0-9]+", ACRONYM.sub(lambda match: match[0].replace(".", ""), name)))


@given(written)
@example("Compañía  Azucarera «El Ñandú», S.A. & Cía.")
@example("a.b.c d.e.f. .g.h.1 A.&B. +s.a.s.")
def test_folding_is_what_it_is_plainly(name: str) -> None:
    assert fold(name) == plainly_folded(name)
    assert fold(fold(name)) == fold(name)


@given(written)
@example("\ufdfa" * 100)
@example("½&" * 100)
def test_folding_writes_no_character_as_a_sentence(name: str) -> None:
    assert len(fold(name).split()) <= 3 * len(name)


def test_every_character_folds_as_it_does_plainly() -> None:
    for char in map(chr, range(0x30000)):
        assert fold(f"A{char}.b.") == plainly_folded(f"A{char}.b."), hex(ord(char))


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ('ООО "БАЙ"', "ooo bay"),
        ("ООО «БАЙКАЛ»", "ooo baykal"),
        ("Сбербанк России", "sberbank rossii"),
        ("中国石油", "zhongguoshiyou"),
        ("中国银行", "zhongguoyinxing"),
        ("株式会社ガス", "zhushihuishegasu"),
        ("ガ", "ga"),
        ("カ", "ka"),
        ("삼성전자", "samseongjeonja"),
        ("شركة أرامكو السعودية", "shrkh rmkw lswdyh"),
        ("Εθνική Τράπεζα", "ethniki trapeza"),
        ("בנק לאומי", "vnk lvmy"),
        ("मुंबई", "mumbi"),
        ("Dự án ŋ٣", "du an ng3"),
        ("☎ 12 🙂", "12"),
    ],
)
def test_other_scripts_are_transliterated(name: str, folded: str) -> None:
    assert fold(name) == folded
    assert fold(unicodedata.normalize("NFD", name)) == folded


@given(
    st.text(st.sampled_from("абвгдежзиклмнопрстуфхцчш αβγδεζηθικλμνξοπρστυφχψω 中国石油银行工商农业建设"), min_size=1)
)
def test_no_letter_of_these_scripts_is_lost(name: str) -> None:
    assert len(fold(name).replace(" ", "")) >= len("".join(name.split()))


def plainly_at_end(parts: Sequence[str], forms: FormTable) -> tuple[int, str] | None:
    match = None
    for count in range(1, len(parts)):
        partners = parts[-count] in PARTNERS and parts[-count - 1] in AND
        if (code := forms.codes.get("".join(parts[-count:]))) and not partners:
            match = (count, code)
    return match


def plainly_split(parts: Sequence[str], forms: FormTable, *, acronyms: bool) -> SplitName:
    acronym: list[str] = []
    for tail in (1, 2):
        if not acronyms or acronym or plainly_at_end(parts, forms):
            break
        match = plainly_at_end(parts[:-tail], forms)
        if match and len("".join(parts[-tail:])) > 2 and not NAMELESS.issuperset(parts[: -tail - match[0]]):
            parts, acronym = parts[:-tail], glue_letters(parts[-tail:])
    codes: list[str] = []
    while (match := plainly_at_end(parts, forms)) and not NAMELESS.issuperset(parts[: -match[0]]):
        parts, codes = parts[: -match[0]], [match[1], *codes]
    return SplitName(tuple(glue_letters(parts)), codes[0] if codes else None, tuple(acronym), tuple(codes))


@given(st.sampled_from(sorted(FORMS)), st.data(), st.booleans())
def test_names_come_apart_as_they_do_plainly(country: str, data: st.DataObject, acronyms: bool) -> None:
    forms = FORMS[country]
    parts = data.draw(st.lists(words | st.sampled_from(sorted(forms.codes)), max_size=7))
    assert forms.at_end(parts) == plainly_at_end(parts, forms)
    assert split_folded(parts, forms, acronyms=acronyms) == plainly_split(parts, forms, acronyms=acronyms)


@given(st.lists(st.text("abyz09", min_size=2), max_size=5))
def test_words_of_several_letters_are_not_glued(parts: list[str]) -> None:
    assert glue_letters(parts) == parts


def test_a_fault_of_the_fast_way_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_LOWER", bytes(range(256)))
    with pytest.raises(AssertionError):
        test_folding_is_what_it_is_plainly()
