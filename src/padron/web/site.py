"""Parts that all pages share: templates in both languages, static files, rendering."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, nodes, select_autoescape
from jinja2.visitor import NodeTransformer

from padron import __version__
from padron.companies.model import SourceState
from padron.countries import REGISTRY
from padron.countries.country import LEI, names_in_words, scheme_labels
from padron.transport.headers import Header
from padron.web import addresses, glossary, language
from padron.web.assets import Assets
from padron.web.facts import LONG_ACTIVITY, shown_activity, shown_identifier, status_as_of
from padron.web.plain import calm, markdown, plain
from padron.words import CATALOGUE, LANGUAGES, Language, Text, catalogue, translate

HTML: Final = b"text/html; charset=utf-8"

SHELL: Final[tuple[Header, ...]] = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()"),
)
"""Header fields of every page: it loads nothing from other sites and runs no inline script."""


AMERICAS: Final = json.loads(Path(__file__).with_name("americas.json").read_text(encoding="utf-8"))
"""The map, drawn after Natural Earth: its size and `land` as an SVG path; outlines come from the countries."""


class PageAddress(NamedTuple):
    """The address of a page: its name in `addresses.PAGES`, the parts of its path, and its query."""

    page: str
    parts: dict[str, str]
    query: dict[str, str]

    def path(self, of: Language) -> str:
        """Return the address in a language, without the host."""
        path = addresses.path(self.page, of, **self.parts)
        return f"{path}?{urlencode(self.query)}" if self.query else path


def page_address(page: str, query: dict[str, str] | None = None, **parts: str) -> PageAddress:
    """Return the address of a page.

    Args:
        page: A key of `addresses.PAGES`.

    Returns:
        The address, for any language.
    """
    return PageAddress(page, parts, query or {})


class PageResponse(NamedTuple):
    """A response: media type, body, status, and header fields of its own."""

    kind: bytes
    body: bytes
    status: int = 200
    fields: tuple[Header, ...] = ()


class Redirect(NamedTuple):
    """A redirect: permanent (308), or after a form (303)."""

    address: str
    status: int = 308


class _Constants(NodeTransformer):
    """Calls whose answer is the same on every page, such as `_("…")` and `path("home")`: a template makes none of them.

    `functions` are those calls by their name; they return HTML.
    """

    def __init__(self, functions: dict[str, Callable[..., str]]) -> None:
        self._functions = functions

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - the name that Jinja looks for
        """Return the answer to a call with one constant."""
        self.generic_visit(node)
        match node:
            case nodes.Call(node=nodes.Name(name=name), args=[nodes.Const(value=given)], kwargs=[]) if (
                name in self._functions
            ):
                return nodes.MarkSafeIfAutoescape(nodes.Const(self._functions[name](given)))
        return node


class _Precomputed(Environment):
    """Templates in which the calls of `constants` are made once; `options` are those of its base."""

    def __init__(self, constants: _Constants, **options: Any) -> None:
        super().__init__(**options)
        self._constants = constants

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        parsed = super()._parse(source, name, filename)
        self._constants.visit(parsed)
        return parsed


class Site:
    """The templates and static files. `base_url` is the start of every address, `contact` our mail address.

    `mail_folder` is where the mails to account holders lie, for readers on the same machine.
    """

    def __init__(self, base_url: str, contact: str, mail_folder: Path | None = None) -> None:
        self.base_url = base_url
        self.assets = Assets()
        self._contact = contact
        self._mail_folder = mail_folder
        self._environments = {of: self._environment(of) for of in LANGUAGES}
        folder = Path(__file__).parent
        sources = sorted(path for path in folder.rglob("*") if path.suffix in {".html", ".txt", ".xml", ".md"})
        texts = b"".join(path.read_bytes() for path in [*sources, CATALOGUE])
        self.edition = blake2b(
            b"\0".join((__version__.encode(), base_url.encode(), self.assets.digest(), texts)), digest_size=16
        ).digest()
        """Digest of everything that shapes a page besides the release."""

    def _environment(self, of: Language) -> Environment:
        words = catalogue(of)
        constant: dict[str, Callable[..., str]] = {"path": partial(_path, of), "asset": self.assets.address}
        environment = _Precomputed(
            _Constants(constant | {"_": lambda sentence: words.gettext(sentence) % {}}),
            loader=FileSystemLoader(Path(__file__).with_name("templates")),
            autoescape=select_autoescape(["html", "xml"]),
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            auto_reload=False,
            extensions=["jinja2.ext.i18n"],
        )
        environment.install_gettext_translations(words, newstyle=True)  # type: ignore[attr-defined]
        environment.globals |= constant
        environment.globals |= {
            "language": of,
            "other": "es" if of == "en" else "en",
            "base_url": self.base_url,
            "countries": REGISTRY,
            "due": _due,
            "contact": self._contact,
            "mail_folder": self._mail_folder,
            "americas": AMERICAS,
            "covered": names_in_words(REGISTRY.values()),
            "number_labels": scheme_labels(REGISTRY.values()),
            "lei": LEI,
            "long_activity": LONG_ACTIVITY,
        }
        shown: dict[str, Callable[[Any, Language], str]] = {
            "number": language.number,
            "day": language.day,
            "moment": language.moment,
            "share": language.share,
            "territory": language.territory,
            "fact": language.fact,
            "amount": language.amount,
            "short": language.short,
            "scaled": language.scaled,
            "percent": language.percent,
            "times": language.times,
            "of": Text.of,
        }
        named = {
            "status": glossary.STATUS,
            "name_kind": glossary.NAME,
            "change": glossary.CHANGE,
            "state": glossary.STATE,
            "scope": glossary.SCOPE,
        }
        environment.filters |= {name: partial(_with, show, of) for name, show in shown.items()}
        environment.filters |= {name: partial(_called, words, of) for name, words in named.items()}
        environment.filters |= {
            "plain": plain,
            "md": markdown,
            "calm": calm,
            "identifier": shown_identifier,
            "status_as_of": status_as_of,
        }
        environment.filters["activity"] = lambda company: shown_activity(company, of)
        environment.filters["money"] = lambda value, currency: language.money(value, currency, of)
        return environment

    def render(self, template: str, of: Language, **values: Any) -> bytes:
        """Render a template."""
        return self._environments[of].get_template(template).render(values).encode()

    def page(self, template: str, of: Language, here: PageAddress, *, status: int = 200, **values: Any) -> PageResponse:
        """Render a page in HTML.

        Args:
            here: The address of the page, also in the other language.
        """
        twins = {code: self.base_url + here.path(code) for code in LANGUAGES}
        body = self.render(template, of, here=here, canonical=twins[of], twins=twins, **values)
        return PageResponse(HTML, body, status, SHELL)


def _path(of: Language, page: str, to: Language | None = None, **parts: str) -> str:
    return addresses.path(page, to or of, **parts)


def _due(country: str, source: SourceState) -> date | None:
    """Return when newer data of a source are expected; None where its data have no date."""
    known = next((known for known in REGISTRY[country].sources if known.name == source.name), None)
    return known.due(source.date) if known and source.date else None


def _called(names: dict[str, str], of: Language, code: str) -> str:
    return translate(names[code], of)


def _with(show: Callable[[Any, Language], str], of: Language, value: Any) -> str:
    return show(value, of)
