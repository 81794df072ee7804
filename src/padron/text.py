"""Folding names into comparable tokens. Pure; indexing and querying share it, so both sides always agree.

Spanish, Portuguese and English company names are folded to lower-case ASCII letters and digits: accents and cedillas
go, `ñ` becomes `n` (in the key only, never in what is shown), apostrophes and quotes join (`L'Oréal` -> `loreal`), dots
inside abbreviations join (`S.A.S.` -> `sas`), `&` and `+` become the connective `and`, everything else separates.
Letters and digits of other scripts are transliterated by anyascii (ISC licence): `БАЙКАЛ` -> `baykal`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, wraps
from typing import Final, NamedTuple, TypeVar, TypeVarTuple

from anyascii import anyascii

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

LONGEST_WORD: Final = 64
"""Letters of a word, at most, that others may be written for and that is kept at hand: a cell may be a single word."""

CONNECTIVES = frozenset(
    "a al and as com da das de del di do dos du e el em en for la las los na no o of os por the y".split()
)
"""Words that join others and carry no meaning of their own in a company name."""

_NAMELESS = frozenset(["cia", "co", "companhia", "compania", "company", "empresa", "sociedad", "sociedade", "the"])
"""Words that cannot be a whole core: `COMPAÑIA LIMITADA FAMEDIC` keeps its form, or its core would be `compania`."""

_PLACEHOLDER = 4
"""Letters from which on one letter alone stands in place of a name: `AAA` is a name."""

_AND = frozenset(["and", "e", "y"])
_PARTNERS = frozenset(["cia", "co", "comp", "companhia", "compania", "company"])
"""Legal forms that are part of the name after `and`: Merck & Co., Perez y Cía. Ltda."""

_JOINED = re.compile(r"['’‘`´\"“”«»″′]+")
_ACRONYM = re.compile(r"(?<![a-z0-9])(?:[a-z]\.){2,}(?:[a-z](?![a-z0-9]))?")
_FOREIGN = re.compile(r"[^\0-\x7f]")
_WRITING = frozenset("Lu Ll Lt Lm Lo Mn Mc Nd Nl".split())
"""Unicode categories that are transliterated: letters, vowel signs, digits; symbols are not spelt out."""
_PLAIN = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-")
    | dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])
    | {0x2044: "/", 0x2215: "/"}
)
"""Full-width forms, hyphens to horizontal bar and the minus, slashes; invisible marks go: soft hyphen, zero widths,
directions, word joiner, byte order mark."""
_AROUND_NUMBERS = " \t\r\n\"'`´‘’“”«»#*|~<>()[]{},;:./\\-=?¿"
"""Quotes, brackets, marks of doubt, bullets and separators; none of them begins or ends an official number."""
_SENTENCES = {0xFDFA: " "}
"""The one character that NFKC writes as four words; a text of them would be read as one eighteen times as long."""
_SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_LOWER = bytes(ord(char.lower()) if char.isalnum() or char == "." else 32 for char in map(chr, range(128))) + bytes(128)
"""ASCII letters in lower case, digits and dots as they are, all else as blanks."""
_ASCII_JOINED = b"'`\""
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def fold(text: str) -> str:
    """Return `text` in lower-case ASCII with tokens separated by single blanks; idempotent.

    >>> fold("Compañía  Azucarera «El Ñandú», S.A. & Cía.")
    'compania azucarera el nandu sa and cia'
    """
    if not text:
        return ""
    if not text.isascii():
        text = " ".join([word if word.isascii() else _ascii(word) for word in text.split()])
    if "&" in text or "+" in text:
        text = text.replace("&", " and ").replace("+", " and ")
    text = text.encode("ascii").translate(_LOWER, _ASCII_JOINED).decode("ascii")
    if "." in text:
        text = _ACRONYM.sub(_without_dots, text).replace(".", " ")
    return " ".join(text.split())


def plain_marks(text: str) -> str:
    """Return `text` with ASCII for full-width characters and for dashes of every length, without invisible marks.

    Copied identifiers hold them: digits of Asian keyboards, dashes of typeset pages, soft hyphens.
    """
    return text if text.isascii() else text.translate(_PLAIN)


def bare_number(text: str) -> str:
    """Return a number without the marks that people paste around it; `_` within it is read as a blank.

    >>> [bare_number(text) for text in ('"1790016919001"', "#1790016919001,", "(1790016919001)", "1790_016919001")]
    ['1790016919001', '1790016919001', '1790016919001', '1790 016919001']
    """
    return plain_marks(text).replace("_", " ").strip(_AROUND_NUMBERS)


def _without_dots(match: re.Match[str]) -> str:
    return match[0].replace(".", "")


def word_cache(most: int) -> Callable[[Callable[[str, *Ts], T]], Callable[[str, *Ts], T]]:
    """Keep the results of a function of a word as `lru_cache` does, but of no word longer than `LONGEST_WORD`.

    Clients choose the words: with long ones the same number of results would take gigabytes.
    """

    def keeping(function: Callable[[str, *Ts], T]) -> Callable[[str, *Ts], T]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def result(word: str, *more: *Ts) -> T:
            return kept(word, *more) if len(word) <= LONGEST_WORD else function(word, *more)

        return result

    return keeping


@word_cache(1 << 14)
def _ascii(word: str) -> str:
    """Return a word in ASCII without diacritics, with blanks for characters that are no letters or digits."""
    word = "".join(map(_ascii_character, unicodedata.normalize("NFKC", word.casefold().translate(_SENTENCES))))
    return _JOINED.sub("", word.lower())


@lru_cache(maxsize=1 << 14)
def _ascii_character(char: str) -> str:
    """Return a composed character in ASCII: without its diacritics if its letter is Latin, else transliterated."""
    plain = unicodedata.normalize("NFKD", char).translate(_SPECIAL)
    plain = "".join([part for part in plain if not unicodedata.combining(part)])
    if any(part > "\x7f" and unicodedata.category(part) in _WRITING for part in plain):
        return anyascii(char).lower()
    return plain if _JOINED.fullmatch(plain) else _FOREIGN.sub(" ", plain)


def tokens(text: str) -> list[str]:
    """Return folded tokens in order; a run of single letters is one token (`S A S` -> `sas`, `M. B. G.` -> `mbg`).

    >>> tokens("M. B. G. Comercial S. R. L.")
    ['mbg', 'comercial', 'srl']
    """
    return glue_letters(fold(text).split())


def glue_letters(parts: Sequence[str]) -> list[str]:
    """Join each run of single letters: `s a s` -> `sas`; two letters with an "and" between: `a y b` -> `a&b`."""
    lengths = [*map(len, parts)]
    if lengths.count(1) < 2 and 0 not in lengths:
        return list(parts)
    glued: list[str] = []
    run: list[str] = []
    for at, part in enumerate((*parts, "")):
        if len(part) == 1 and part.isalpha():
            run.append(part)
            continue
        if part == "and" and len(run) == 1 and len("".join(parts[at + 1 : at + 2])) == 1:
            run[0] += "&"
            continue
        if len(run) == 2 and run[0] in _AND and glued:
            glued += run
        elif run:
            glued.append("".join(run if len(run) != 3 or run[1] != "y" else (run[0], "&", run[2])))
        run = []
        if part:
            glued.append(part)
    return glued


class SplitName(NamedTuple):
    """Parts of a name: the core that identifies the company, its legal form, and any acronym after the form.

    `forms` are all legal forms at the end, from left to right; the first is `form`.
    """

    core: tuple[str, ...]
    form: str | None
    acronym: tuple[str, ...]
    forms: tuple[str, ...] = ()


class FormTable:
    """Legal forms by compact spelling: `{"sa": "sa", "sociedadanonima": "sa", "sadecv": "sa-cv"}`."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        self.codes = dict(codes)

    @cached_property
    def tails(self) -> frozenset[str]:
        """Every ending of every spelling."""
        return frozenset(spelling[at:] for spelling in self.codes for at in range(len(spelling) + 1))

    def __or__(self, other: FormTable) -> FormTable:
        """Merge two tables; the code of the left one wins where they share a spelling."""
        return FormTable(other.codes | self.codes)

    def at_end(self, parts: Sequence[str], end: int | None = None) -> tuple[int, str] | None:
        """Return the number of parts before `end` that spell the longest form, and its code; never all of the parts."""
        compact, longest, tails = "", None, self.tails
        end = len(parts) if end is None else end
        for at in range(end - 1, 0, -1):
            compact = parts[at] + compact
            if compact not in tails:
                break
            if (code := self.codes.get(compact)) and not (parts[at] in _PARTNERS and parts[at - 1] in _AND):
                longest = (end - at, code)
        return longest


def split_form(name: str, forms: FormTable, *, acronyms: bool = False) -> SplitName:
    """Split a name into its core and its legal form, however that is dotted, spaced or written out.

    All forms at the end are split off (`S.A.S. B.I.C.`); the leftmost is `form`. The core is never empty.

    Args:
        name: The name as written.
        acronyms: Also find a form before the last one or two words, which become `acronym`
            (`CINEMAFORTIN S.A. CINEFORTSA`: nearly 7,000 of the 95,424 Ecuadorian names of Supercias).

    Returns:
        The parts of the name, folded.

    >>> split_form("Hotel Plaza A S. A.", FormTable({"sa": "sa"}))
    SplitName(core=('hotel', 'plaza', 'a'), form='sa', acronym=(), forms=('sa',))
    """
    return split_folded(fold(name).split(), forms, acronyms=acronyms)


def split_folded(parts: Sequence[str], forms: FormTable, *, acronyms: bool = False) -> SplitName:
    """Split a name as `split_form` does when it is folded and separated into words already.

    Args:
        parts: The words of the folded name.
        acronyms: Also find a form before the last one or two words.
    """
    end, match = len(parts), forms.at_end(parts)
    if acronyms and match is None:
        end, match = _before_acronym(parts, forms)
    acronym = tuple(glue_letters(parts[end:])) if end < len(parts) else ()
    codes: tuple[str, ...] = ()
    while match and not _nameless(parts, end - match[0]):
        count, code = match
        codes = (code, *codes)
        end -= count
        match = forms.at_end(parts, end)
    return SplitName(tuple(glue_letters(parts[:end])), codes[0] if codes else None, acronym, codes)


def _before_acronym(parts: Sequence[str], forms: FormTable) -> tuple[int, tuple[int, str] | None]:
    """Return the start of the last one or two words that follow a form, and that form; else the end of `parts`."""
    for end in range(len(parts) - 1, max(len(parts) - 3, 1), -1):
        match = forms.at_end(parts, end) if parts[end - 1] in forms.tails else None
        if match and len("".join(parts[end:])) > 2 and not _nameless(parts, end - match[0]):
            return end, match
    return len(parts), None


def _nameless(parts: Sequence[str], end: int) -> bool:
    return parts[0] in _NAMELESS and _NAMELESS.issuperset(parts[:end])


def name_key(core: Sequence[str]) -> str:
    """Return the core without its connectives, joined: equal keys mean the same words in the same order.

    `dos`, a connective of Portuguese between two words, is the Spanish number in front and at the end.

    >>> name_key(("banco", "de", "los", "andes")), name_key(("c&a", "modas"))
    ('banco andes', 'ca modas')
    >>> name_key(("grupo", "dos")), name_key(("uniao", "dos", "dentistas"))
    ('grupo dos', 'uniao dentistas')
    """
    ends = (0, len(core) - 1)
    meaning = [part for at, part in enumerate(core) if part not in CONNECTIVES or (part == "dos" and at in ends)]
    return " ".join(meaning or core).replace("&", "")


def is_placeholder(parts: Sequence[str]) -> bool:
    """Return whether a folded text names nobody: it has no letters or digits, or is one letter again and again.

    >>> is_placeholder(["xxxx"]), is_placeholder([]), is_placeholder(["xxx"]), is_placeholder(["xxxx", "sa"])
    (True, True, False, False)
    """
    letters = "".join(parts)
    return not letters or (len(letters) >= _PLACEHOLDER and letters.isalpha() and len({*letters}) == 1)


_NOT_GIVEN = frozenset({"n/a", "#n/a", "n/d", "#n/d", "s/d", "s/n"}).union(
    f"#{error}!" for error in "null nulo div/0 value valor ref num núm spill desbordamiento calc error".split()
) | {"#name?", "#nombre?", "#nome?"}
"""Spellings, in any case, that people and spreadsheets write where there is no name: neither a symbol nor initials.

The errors of spreadsheets are those of Excel, LibreOffice and Google Sheets in Spanish, English and Portuguese.
"""
_NOT_A_NUMBER = frozenset({"NaN", "nan"})
"""Spellings of an empty cell by programs; `NAN` is a symbol."""


def is_given(text: str) -> bool:
    """Return whether a text is more than a sign that nothing is known.

    >>> is_given("N/A"), is_given(" s/d "), is_given("#¡VALOR!"), is_given("NA")
    (False, False, False, True)
    """
    text = text.strip()
    return text not in _NOT_A_NUMBER and text.casefold().replace("#¡", "#") not in _NOT_GIVEN


def name_core(core: Sequence[str]) -> str:
    """Return the words of the core, joined, without an English article in front: the SEC writes `HOME DEPOT`.

    >>> name_core(("the", "home", "depot")), name_core(("a", "tiempo"))
    ('home depot', 'a tiempo')
    """
    return " ".join(core[1:] if len(core) > 1 and core[0] == "the" else core)


def enumerated(parts: Sequence[str], last: str) -> str:
    """Join parts by commas, with the conjunction `last` before the final one.

    In Spanish `y` is `e` before the sound of an i: `Ecuador e Irlanda`, but `agua y hielo`.
    """
    if len(parts) < 2:
        return "".join(parts)
    if last == "y" and re.match(r"h?i(?!e)", parts[-1].casefold()):
        last = "e"
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def split_phrases(cell: str) -> tuple[str, ...]:
    """Return the phrases of a cell, which `|` parts; lines may break where words do."""
    return tuple(phrase for phrase in (" ".join(phrase.split()) for phrase in cell.split("|")) if phrase)


def no_formula(cell: str) -> str:
    """Return the text of a cell of CSV so that no spreadsheet evaluates it as a formula."""
    return f"'{cell}" if _FORMULA.match(cell) else cell
