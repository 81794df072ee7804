"""Every kind of page, by its address: what must hold of all pages is proved of these."""

from __future__ import annotations

from typing import Final

from padron.countries import REGISTRY
from padron.web import addresses
from padron.words import LANGUAGES

MISSING: Final = "/es/empresas/ec/1790019845001"
"""A company that no register has."""

PAGES: Final = [
    *(addresses.path(page, language) for language in LANGUAGES for page in addresses.FIXED),
    *(addresses.path("country", language, country=code) for language in LANGUAGES for code in REGISTRY),
    "/es/directorio/ec/pichincha/quito",
    "/en/directory/br?activity=medicina-de-grupo",
    "/es/buscar?q=petrobras",
    "/en/search?q=petrobras",
    "/es/empresas/br/33000167000101",
    "/en/companies/us/320193",
    MISSING,
    "/es/documentacion/answers",
    "/en/docs/fields",
    "/es/identificadores/br-cnpj",
    "/en/identifiers/lei",
]
"""Fixed pages and countries in both languages, lists, results, a company, one that is missing, guides, identifiers."""

STATES: Final = [
    *(
        f"{addresses.path('search', language)}?{query}"
        for language in LANGUAGES
        for query in ("", "q=hotel+colon", "q=xyzzyxqq&country=MX", "q=33.000.167%2F0001-01", "q=transportes+norte")
    ),
    *(
        addresses.path("company", language, country=country, identifier=identifier)
        for language in LANGUAGES
        for country, identifier in (
            ("EC", "1790016919001"), ("MX", "nada"), ("US", "320193"), ("CO", "899999068"), ("AR", "30546689979"),
        )
    ),
    *(
        addresses.path(page, language)
        for language in LANGUAGES
        for page in ("sign-up", "log-in", "forgotten", "verify", "reset")
    ),
    *(addresses.path("financials", language, country="US", identifier="320193") for language in LANGUAGES),
    "/es/directorio/us/california?letter=a&hasFinancials=true",
    "/en/directory/co",
    "/en/companies/ec/corporacion-favorita",
    "/en/docs?q=cnpj",
    "/es/documentacion?q=xyzzy",
    "/es/nada",
    "/en/nothing",
]  # fmt: skip
"""Other pages: doubtful or no results, unknown numbers, log-in and sign-up, pages that need a session."""

MEMBERS: Final = [
    *(
        addresses.path(page, language)
        for language in LANGUAGES
        for page in ("account", "keys", "usage", "watchlists", "plan", "security", "consent")
    ),
    *(addresses.path("financials", language, country="US", identifier="320193") for language in LANGUAGES),
]
"""Pages of an account holder whose plan includes the financial history."""

ONE_OF_EACH_TEMPLATE: Final = {
    *(addresses.path(page, "es") for page in addresses.FIXED),
    *(addresses.path(page, "en") for page in ("account", "keys", "usage", "watchlists", "plan", "security", "consent")),
    *(addresses.path(page, "es") for page in ("sign-up", "log-in", "forgotten", "verify", "reset")),
    addresses.path("country", "es", country="EC"),
    addresses.path("financials", "en", country="US", identifier="320193"),
    "/en/directory/br?activity=medicina-de-grupo",
    "/es/buscar?q=petrobras",
    "/en/companies/us/320193",
    MISSING,
    "/en/docs/fields",
    "/es/identificadores/br-cnpj",
    "/es/nada",
}
"""Pages of those above, one for each template."""
