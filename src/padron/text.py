"""Folding names into comparable tokens. Pure; indexing and querying share it, so both sides always agree.

Spanish, Portuguese and English company names are folded to lower-case ASCII letters and digits: accents and cedillas
go, `ñ` becomes `n` (in the key only, never in what is shown), apostrophes and quotes join (`L'Oréal` -> `loreal`), dots
inside abbreviations join (`S.A.S.` -> `sas`), `&` and `+` become the connective `and`, everything else separates.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

CONNECTIVES = frozenset(
    "a al and as com da das de del di do dos du e el em en for la las los na no o of os para por the y".split()
)
"""Words that join others and carry no meaning of their own in a company name."""

_NAMELESS = frozenset(["cia", "co", "companhia", "compania", "company", "empresa", "sociedad", "sociedade", "the"])
"""Words that are no name by themselves: `COMPAÑIA LIMITADA FAMEDIC` keeps its form rather than becoming `compania`."""

_AND = frozenset(["and", "e", "y"])
_PARTNERS = frozenset(["cia", "co", "comp", "companhia", "compania", "company"])
"""After `and` these are part of the name, no legal form: Merck & Co., Perez y Cía. Ltda."""

_JOINED = re.compile(r"['’‘`´\"“”«»″′]+")
_ACRONYM = re.compile(r"(?<![a-z0-9])(?:[a-z]\.){2,}(?:[a-z](?![a-z0-9]))?")
_FOREIGN = re.compile(r"[^\0-\x7f]")
_PLAIN = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-")
    | dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])
    | {0x2044: "/", 0x2215: "/"}
)
"""Full-width forms, hyphens to horizontal bar and the minus, slashes; invisible marks go: soft hyphen, zero widths,
directions, word joiner, byte order mark."""
_SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_LOWER = bytes(ord(char.lower()) if char.isalnum() or char == "." else 32 for char in map(chr, range(128))) + bytes(128)
"""ASCII letters in lower case, digits and dots as they are, all else as blanks."""
_ASCII_JOINED = b"'`\""


def fold(text: str) -> str:
    """`text` in lower-case ASCII with tokens separated by single blanks; idempotent.

    >>> fold("Compañía  Azucarera «El Ñandú», S.A. & Cía.")
    'compania azucarera el nandu sa and cia'
    """
    if not text.isascii():
        text = " ".join([word if word.isascii() else _ascii(word) for word in text.split()])
    if "&" in text or "+" in text:
        text = text.replace("&", " and ").replace("+", " and ")
    text = text.encode("ascii").translate(_LOWER, _ASCII_JOINED).decode("ascii")
    if "." in text:
        text = _ACRONYM.sub(_without_dots, text).replace(".", " ")
    return " ".join(text.split())


def plain_marks(text: str) -> str:
    """`text` with ASCII for full-width characters and dashes of every length, without marks that nobody sees.

    What a copied identifier holds: digits of Asian keyboards, the dashes of typeset pages, soft hyphens.
    """
    return text if text.isascii() else text.translate(_PLAIN)


def _without_dots(match: re.Match[str]) -> str:
    return match[0].replace(".", "")


@lru_cache(maxsize=1 << 14)
def _ascii(word: str) -> str:
    """A word in ASCII, its letters without their marks; blanks stand for what is no letter there."""
    word = unicodedata.normalize("NFKD", word.casefold()).translate(_SPECIAL)
    word = "".join([char for char in word if not unicodedata.combining(char)])
    return _FOREIGN.sub(" ", _JOINED.sub("", word.lower()))


def tokens(text: str) -> list[str]:
    """Folded tokens in order; single letters standing in a row are one token (`S A S` -> `sas`, `M. B. G.` -> `mbg`).

    >>> tokens("M. B. G. Comercial S. R. L.")
    ['mbg', 'comercial', 'srl']
    """
    return glue_letters(fold(text).split())


def glue_letters(parts: Sequence[str]) -> list[str]:
    """`parts` with each run of single letters joined: `s a s` -> `sas`; two with an "and" between: `a y b` -> `a&b`."""
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


class Named(NamedTuple):
    """A name taken apart: what identifies the company, the legal form it ends with, and any acronym after the form.

    `forms` are all the forms at the end, from left to right; the first is `form`.
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
        """What a spelling may end with: its last letters, however many."""
        return frozenset(spelling[at:] for spelling in self.codes for at in range(len(spelling) + 1))

    def __or__(self, other: FormTable) -> FormTable:
        """Both tables; the left one's code wins where they share a spelling."""
        return FormTable(other.codes | self.codes)

    def at_end(self, parts: Sequence[str], end: int | None = None) -> tuple[int, str] | None:
        """How many of the last of `parts[:end]` spell a form, as many as may be, and its code; never all of them."""
        compact, found, tails = "", None, self.tails
        end = len(parts) if end is None else end
        for at in range(end - 1, 0, -1):
            compact = parts[at] + compact
            if compact not in tails:
                break
            if (code := self.codes.get(compact)) and not (parts[at] in _PARTNERS and parts[at - 1] in _AND):
                found = (end - at, code)
        return found


def split_form(name: str, forms: FormTable, *, acronyms: bool = False) -> Named:
    """`name` without its legal form, however that is dotted, spaced or written out; the core is never empty.

    Several forms at the end all go (`S.A.S. B.I.C.`), the first one read from the left gives `form`. With `acronyms`, a
    form before one or two last words is found too, and those words are returned apart (`CINEMAFORTIN S.A. CINEFORTSA`:
    nearly 7,000 of the 95,424 Ecuadorian names of Supercias).

    >>> split_form("Hotel Plaza A S. A.", FormTable({"sa": "sa"}))
    Named(core=('hotel', 'plaza', 'a'), form='sa', acronym=(), forms=('sa',))
    """
    return split_folded(fold(name).split(), forms, acronyms=acronyms)


def split_folded(parts: Sequence[str], forms: FormTable, *, acronyms: bool = False) -> Named:
    """`split_form` of a name that is folded and parted already."""
    end, found = len(parts), forms.at_end(parts)
    if acronyms and found is None:
        end, found = _before_acronym(parts, forms)
    acronym = tuple(glue_letters(parts[end:])) if end < len(parts) else ()
    forms_found: tuple[str, ...] = ()
    while found and not _nameless(parts, end - found[0]):
        count, code = found
        forms_found = (code, *forms_found)
        end -= count
        found = forms.at_end(parts, end)
    return Named(tuple(glue_letters(parts[:end])), forms_found[0] if forms_found else None, acronym, forms_found)


def _before_acronym(parts: Sequence[str], forms: FormTable) -> tuple[int, tuple[int, str] | None]:
    """Where one or two last words begin that stand behind a form, and the form; the end of `parts` if none do."""
    for end in range(len(parts) - 1, max(len(parts) - 3, 1), -1):
        found = forms.at_end(parts, end) if parts[end - 1] in forms.tails else None
        if found and len("".join(parts[end:])) > 2 and not _nameless(parts, end - found[0]):
            return end, found
    return len(parts), None


def _nameless(parts: Sequence[str], end: int) -> bool:
    return parts[0] in _NAMELESS and _NAMELESS.issuperset(parts[:end])


def name_key(core: Sequence[str]) -> str:
    """The core without its connectives, joined: equal keys mean the same words in the same order.

    >>> name_key(("banco", "de", "los", "andes")), name_key(("c&a", "modas"))
    ('banco andes', 'ca modas')
    """
    meaning = [part for part in core if part not in CONNECTIVES]
    return " ".join(meaning or core).replace("&", "")


def name_core(core: Sequence[str]) -> str:
    """All words of the core, joined, but for an English article in front: the SEC writes `HOME DEPOT`.

    >>> name_core(("the", "home", "depot")), name_core(("a", "tiempo"))
    ('home depot', 'a tiempo')
    """
    return " ".join(core[1:] if len(core) > 1 and core[0] == "the" else core)


def enumerated(parts: Sequence[str], last: str) -> str:
    """Parts separated by commas, with the conjunction `last` before the final one.

    In Spanish `y` is `e` before the sound of an i: `Ecuador e Irlanda`, but `agua y hielo`.
    """
    if len(parts) < 2:
        return "".join(parts)
    if last == "y" and re.match(r"h?i(?!e)", parts[-1].casefold()):
        last = "e"
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
