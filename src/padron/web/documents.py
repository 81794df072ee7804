"""The guides of `docs/`, which a wheel holds as `documents/`, as HTML in both languages, and their sections.

A guide is trusted text of the project; HTML in it is shown as text all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from padron.web import addresses
from padron.words import Language

GUIDES: Final = (
    "api", "answers", "fields", "v1", "statements", "lists", "bulk", "agents", "reconcile", "authorisation",
    "versioning", "coverage", "sources", "glossary",
)  # fmt: skip
"""Guides in the order in which they are listed."""

_INSTALLED: Final = Path(__file__).with_name("documents")
_FOLDER: Final = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[3] / "docs"
_ELSEWHERE: Final = {"errors.md": "errors", "../LICENSE-DATA.md": "sources", "../clients/README.md": "libraries"}
"""Documents that are other pages of the site."""
_EXAMPLE_HOST: Final = "http://127.0.0.1:8000"
_TWIN: Final = re.compile(r"\*(?:En español|In English): \[[^\]]*\]\([^)]*\)\.\* *")
_COMMENT: Final = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_GUIDE: Final = re.compile(r"([a-z0-9]+)(?:\.es)?\.md(#.*)?")


class Section(NamedTuple):
    """A part of a guide under one heading: its anchor (empty: the whole guide), its heading and its text."""

    anchor: str
    heading: str
    text: str


class Guide(NamedTuple):
    """A guide in one language: its title, its body as HTML, its sections in order."""

    title: str
    html: str
    sections: tuple[Section, ...]


@cache
def guide(name: str, of: Language, base_url: str) -> Guide:
    """Read a guide.

    Args:
        name: One of `GUIDES`.
        base_url: The address that its examples ask.
    """
    path = _FOLDER / (f"{name}.es.md" if of == "es" else f"{name}.md")
    text = _COMMENT.sub("", _TWIN.sub("", path.read_text(encoding="utf-8")))
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    opening, heading, closing, *tokens = renderer.parse(text.replace(_EXAMPLE_HOST, base_url))
    del opening, closing
    title = _plain(heading)
    sections = tuple(_sections(title, tokens))
    tokens = list(_on_page(tokens, of))
    return Guide(title, renderer.renderer.render(tokens, renderer.options, {}), sections)


def _plain(inline: Token) -> str:
    """The text of a line without its markup."""
    return "".join(part.content or " " * (part.type == "softbreak") for part in inline.children or ())


def _anchor(heading: str) -> str:
    """The anchor of a heading, as links between the documents write it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _sections(title: str, tokens: Sequence[Token]) -> Iterator[Section]:
    """The sections of a guide; what stands above the first heading has that of the guide."""
    anchor, heading, texts = "", title, list[str]()
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline" and before and before.type == "heading_open":
            yield Section(anchor, heading, "\n".join(texts))
            heading, texts = _plain(token), []
            anchor = _anchor(heading)
        elif token.type == "inline":
            texts.append(_plain(token))
        elif token.type == "fence":
            texts.append(token.content)
    yield Section(anchor, heading, "\n".join(texts))


def _on_page(tokens: Sequence[Token], of: Language) -> Iterator[Token]:
    """The tokens as the page has them: anchors, links of the site, wide tables in a region that scrolls."""
    heading = ""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and after:
            heading = _plain(after)
            token.attrSet("id", _anchor(heading))
        elif token.type == "table_open":
            region = {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": heading or "·"}
            yield Token("region_open", "div", 1, attrs=dict(region), block=True)
        elif token.type in {"th_open", "td_open"}:
            token.attrs = {"class": "num"} if "right" in str(token.attrs.get("style", "")) else {}
        elif token.type == "inline":
            token.children = list(_linked(token.children or [], of))
        yield token
        if token.type == "table_close":
            yield Token("region_close", "div", -1, block=True)


def _linked(parts: Sequence[Token], of: Language) -> Iterator[Token]:
    """The parts of a line with links to pages of the site; a document that is none loses its link."""
    kept = True
    for part in parts:
        if part.type == "link_open":
            address = _address(str(part.attrs["href"]), of)
            kept = address is not None
            if address:
                part.attrs["href"] = address
        if kept or part.type not in {"link_open", "link_close"}:
            yield part


def _address(written: str, of: Language) -> str | None:
    """The address of a link on the site, None for a document that is not on it."""
    if written.startswith(("https://", "http://", "#", "/")):
        return written
    if page := _ELSEWHERE.get(written.partition("#")[0]):
        return addresses.path(page, of)
    named = _GUIDE.fullmatch(written)
    if named and named[1] in GUIDES:
        return addresses.path("guide", of, guide=named[1]) + (named[2] or "")
    return None
