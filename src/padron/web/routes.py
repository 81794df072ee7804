"""Routes of all pages, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from padron.accounts.sandbox import Sandbox
from padron.accounts.watchlists import Watchlists
from padron.api.account import AccountContext
from padron.directory import Directory
from padron.errors import NotFound
from padron.transport.answer_cache import AnswerCache
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.web import account, addresses, bulk, client_code, match_list, operators, sandbox
from padron.web.browse import FILE_COST, ListPages
from padron.web.changes import changes_page
from padron.web.company import CompanyPage
from padron.web.coverage import CountryPage, fixed_pages
from padron.web.documentation import Documentation
from padron.web.feeds import Feeds, operations, social_images
from padron.web.financials import FILES, FinancialsPage
from padron.web.list_address import FILE
from padron.web.page import Entry, Handler, PageEndpoint, QuotaName
from padron.web.search import SearchPages
from padron.web.site import Site
from padron.web.sitemap import Sitemaps
from padron.words import LANGUAGES, Language

LISTS: Final = ("list", "list-region", "list-city")
"""Pages that are files too."""
QUOTAS: Final[dict[str, QuotaName]] = {"search": "public", "suggest": "type_ahead"}
"""Page -> its quota, where it is not that of pages."""


def routes(
    site: Site,
    client_limits: ClientLimits,
    directory: Callable[[], Directory],
    context: AccountContext,
    watchlists: Watchlists,
    provider: Sandbox | None,
) -> list[Route]:
    """Return the routes of the pages, the busiest first.

    Args:
        directory: Returns the directory being served; raises `Unavailable` until there is one.
        provider: The payment provider if it is the sandbox, whose pages are served too.
    """

    def page(address: str, answer: Handler, of: Language, quota: QuotaName = "pages") -> Route:
        return Route(address, PageEndpoint(answer, of, site, entry, quota, cache), methods=["GET"])

    entry, cache = Entry(client_limits, directory), AnswerCache()
    pages: list[Route] = []
    feeds = Feeds(site, entry)
    for of in LANGUAGES:
        searching, company = SearchPages(site, of), CompanyPage(site, of)
        answers: dict[str, Handler] = {
            "suggest": searching.suggest,
            "search": searching.results,
            "home": searching.home,
            "company": company.answer,
            "country": CountryPage(site, of).country,
        }
        lists = ListPages(site, client_limits, of)
        files = PageEndpoint(lists.answer, of, site, entry, "pages", cache, FILE_COST, lists.file_request)
        answers |= dict.fromkeys(LISTS, lists.answer)
        answers |= Documentation(site, of, context.plans.terms).pages()
        answers["changes"] = changes_page(site, entry, of)
        answers |= fixed_pages(site, of, context.plans, operations(site.base_url, of), context.subscriptions.seller)
        past = addresses.PAGES["financials"].of(of).replace("{identifier}", "{identifier:rest}")
        history = FinancialsPage(site, entry, context, of)
        pages += [Route(past + ending, history, methods=["GET"]) for ending in ("", *FILES)]
        for name, answer in answers.items():
            address = addresses.PAGES[name].of(of).replace("{identifier}", "{identifier:rest}")
            if name in LISTS:
                pages.append(Route(address + FILE, files, methods=["GET"]))
            pages.append(page(address, answer, of, QUOTAS.get(name, "pages")))
        pages.append(page(addresses.path("releases", of) + ".atom", feeds.releases(of), of))
        pages.append(page(addresses.path("releases", of) + "/changes.atom", feeds.changes(of), of))
        pages.append(page(addresses.path("search", of) + ".atom", feeds.search(of), of, "public"))
        pages.append(page(addresses.path("opensearch", of), feeds.opensearch(of), of))
        address = addresses.path(match_list.PAGE, of)
        forms = match_list.UploadEndpoint(site, client_limits, directory, of)
        pages.append(Route(address, forms, methods=["POST"]))
    pages.append(page("/llms.txt", feeds.short, "en"))
    pages.append(page("/llms-full.txt", feeds.full, "en"))
    pages.append(page("/.well-known/security.txt", feeds.security, "en"))
    crawled = [*bulk.routes(entry), *Sitemaps(site, entry).routes(), *social_images(site, entry), *client_code.routes()]
    pages_of_accounts = account.PAGES | operators.PAGES
    private = account.routes(site, context, watchlists, directory, pages_of_accounts)
    if provider is not None:
        private += sandbox.routes(site, provider, context)
    elsewhere = [Route(f"/{of}/{{rest:rest}}", unknown_address, methods=["GET"]) for of in LANGUAGES]
    return [*pages, *private, *crawled, *site.assets.routes(), Route("/", redirect_home, methods=["GET"]), *elsewhere]


async def redirect_home(request: Request) -> Response:
    """Redirect `/` to the home page in the language of the reader."""
    headers = {"vary": "Accept-Language", "cache-control": "public, max-age=60"}
    return RedirectResponse(addresses.path("home", Call.of(request.scope).language), 303, headers)


async def unknown_address(request: Request) -> Response:
    """Answer an unknown address below `/es` or `/en`; one with a final slash redirects to the one without."""
    path, query = request.scope["raw_path"].decode("ascii", "replace"), request.url.query
    if path.endswith("/"):
        return RedirectResponse(path.rstrip("/") + (f"?{query}" if query else ""), 308)
    raise NotFound("no-such-address")
