"""Citations of a company's record, in the styles that people are asked for."""

from __future__ import annotations

import re
from typing import NamedTuple

from padron.web import language
from padron.web.facts import Facts
from padron.words import N_, Language, translate

_TEX = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_SPECIAL = re.compile(r"[&%$#_{}\\~^]")


class StyledCitation(NamedTuple):
    """A citation in a style; `code` says that it is written for programs, line by line."""

    style: str
    text: str
    code: bool = False


def citation(company: Facts, canonical: str, release: str, of: Language) -> str:
    """Return the citation of a company in a plain sentence: what it is, who publishes it, where it was read."""
    entries = [f"{origin.source.publisher}, {origin.source.name}" for origin in company.origins]
    if entries and company.refreshed:
        dated = translate(N_("(data as of {date})"), of).format(date=language.day(company.refreshed, of))
        entries[0] = f"{entries[0]} {dated}"
    published = "; ".join(entries) or company.country.name.of(of)
    number = f"{company.number.label} {company.number.shown}"
    return f"{company.name.rstrip('.')}. {number}. {published}. {_edition(release, of)}. {canonical}"


def citations(company: Facts, canonical: str, release: str, of: Language) -> list[StyledCitation]:
    """Return the citations of a company in APA, MLA and BibTeX."""
    name = company.name
    number = f"{company.number.label} {company.number.shown}"
    author = company.source.publisher if company.source else "Padrón"
    work = "; ".join(origin.source.name for origin in company.origins) or company.country.name.of(of)
    entry = translate(N_("Company register entry"), of)
    edition = _edition(release, of)
    refreshed = company.refreshed
    year = str(refreshed.year) if refreshed else translate(N_("n.d."), of)
    day = f"{language.day(refreshed, of)}. " if refreshed else ""
    key = f"padron-{company.country.code.lower()}-{re.sub('[^0-9A-Za-z]', '', company.number.value)}"
    fields = {
        "title": f"{name.removesuffix('.')}. {number}",
        "author": author,
        "howpublished": work,
        "year": str(refreshed.year) if refreshed else "",
        "note": edition,
    }
    lines = [f"  {field} = {{{{{_tex(text)}}}}}," for field, text in fields.items() if text]
    return [
        StyledCitation("APA", f"{author} ({year}). {name} ({number}) [{entry}]. {work}. {edition}. {canonical}"),
        StyledCitation("MLA", f"“{name}, {number}.” {work}, {author}. {day}{edition}, {canonical}."),
        StyledCitation("BibTeX", "\n".join([f"@misc{{{key},", *lines, f"  url = {{{canonical}}}", "}"]), code=True),
    ]


def _edition(release: str, of: Language) -> str:
    return translate(N_("Padrón, release {release}"), of).format(release=release)


def _tex(text: str) -> str:
    return _TEX_SPECIAL.sub(lambda match: _TEX[match[0]], text)
