"""Addresses of the pages in both languages."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from padron.words import Language, Text

PAGES: Final[dict[str, Text]] = {
    "home": Text("/es", "/en"),
    "search": Text("/es/buscar", "/en/search"),
    "opensearch": Text("/es/opensearch.xml", "/en/opensearch.xml"),
    "suggest": Text("/es/sugerencias", "/en/suggestions"),
    "company": Text("/es/empresas/{country}/{identifier}", "/en/companies/{country}/{identifier}"),
    "financials": Text(
        "/es/empresas/{country}/{identifier}/finanzas", "/en/companies/{country}/{identifier}/financials"
    ),
    "coverage": Text("/es/cobertura", "/en/coverage"),
    "country": Text("/es/cobertura/{country}", "/en/coverage/{country}"),
    "browse": Text("/es/directorio", "/en/directory"),
    "list": Text("/es/directorio/{country}", "/en/directory/{country}"),
    "list-region": Text("/es/directorio/{country}/{region}", "/en/directory/{country}/{region}"),
    "list-city": Text("/es/directorio/{country}/{region}/{city}", "/en/directory/{country}/{region}/{city}"),
    "match-list": Text("/es/emparejar", "/en/match-list"),
    "sources": Text("/es/fuentes", "/en/sources"),
    "confidence": Text("/es/confianza", "/en/confidence"),
    "releases": Text("/es/versiones", "/en/releases"),
    "changes": Text("/es/versiones/cambios", "/en/releases/changes"),
    "status": Text("/es/estado", "/en/status"),
    "api": Text("/es/api", "/en/api"),
    "docs": Text("/es/documentacion", "/en/docs"),
    "errors": Text("/es/documentacion/errores", "/en/docs/errors"),
    "guide": Text("/es/documentacion/{guide}", "/en/docs/{guide}"),
    "identifier": Text("/es/identificadores/{scheme}", "/en/identifiers/{scheme}"),
    "libraries": Text("/es/bibliotecas", "/en/libraries"),
    "plans": Text("/es/planes", "/en/plans"),
    "terms": Text("/es/condiciones", "/en/terms"),
    "privacy": Text("/es/privacidad", "/en/privacy"),
    "processors": Text("/es/encargados", "/en/processors"),
    "address": Text("/es/account/address", "/en/account/address"),
    "account": Text("/es/account", "/en/account"),
    "sign-up": Text("/es/account/sign-up", "/en/account/sign-up"),
    "verify": Text("/es/account/verify", "/en/account/verify"),
    "log-in": Text("/es/account/log-in", "/en/account/log-in"),
    "consent": Text("/es/account/terms", "/en/account/terms"),
    "forgotten": Text("/es/account/forgotten", "/en/account/forgotten"),
    "reset": Text("/es/account/reset", "/en/account/reset"),
    "keys": Text("/es/account/keys", "/en/account/keys"),
    "usage": Text("/es/account/usage", "/en/account/usage"),
    "plan": Text("/es/account/plan", "/en/account/plan"),
    "operator": Text("/es/account/operator", "/en/account/operator"),
    "watchlists": Text("/es/account/watchlists", "/en/account/watchlists"),
    "security": Text("/es/account/security", "/en/account/security"),
}
"""Page -> its path in Spanish and English; those of accounts are alike because mails lead to them."""

FIXED: Final = tuple(
    name
    for name, address in PAGES.items()
    if "{" not in address.es and "/account" not in address.es and name not in {"suggest", "search", "opensearch"}
)
"""Public pages with one fixed address per language."""


def path(page: str, language: Language, **parts: str) -> str:
    """Return the path of a page.

    Args:
        page: A key of `PAGES`.
        parts: The variable parts; `country` is written in lower case, an identifier percent-encoded.

    Returns:
        The path, without the host.
    """
    quoted = {name: quote(part.lower() if name == "country" else part, safe="") for name, part in parts.items()}
    return PAGES[page].of(language).format(**quoted)


def translated(address: str, language: Language) -> str:
    """Return the path of the same page in a language; that of the home page where the path is of no page.

    >>> translated("/en/directory/ec/guayas", "es"), translated("/en/nothing", "es")
    ('/es/directorio/ec/guayas', '/es')
    """
    given = address.split("/")
    for page in PAGES.values():
        for steps in (page.es.split("/"), page.en.split("/")):
            parts = [part if step.startswith("{") else step for step, part in zip(steps, given, strict=False)]
            if parts == given and len(steps) == len(given):
                aim = zip(page.of(language).split("/"), given, strict=True)
                return "/".join(quote(part, safe="") if step.startswith("{") else step for step, part in aim)
    return path("home", language)
