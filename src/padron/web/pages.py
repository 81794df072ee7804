"""Every page put together: its routes in both languages."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from padron.directory import Directory
from padron.errors import NotFound
from padron.model import LANGUAGES, Language
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.web import account, addresses, sandbox
from padron.web.company import Company
from padron.web.coverage import Coverage, fixed
from padron.web.feeds import Feeds, operations, pictures
from padron.web.financials import Financials
from padron.web.page import Answer, Entry, Page
from padron.web.search import Searching
from padron.web.site import Site
from padron.web.sitemap import Sitemaps
from padron.wiring import Services


def routes(
    site: Site, client_limits: ClientLimits, directory: Callable[[], Directory], services: Services
) -> list[Route]:
    """The routes of the pages, the busiest first. `directory()` raises `Unavailable` until one is served."""

    def page(address: str, answer: Answer, of: Language, *, typing: bool = False) -> Route:
        return Route(address, Page(answer, of, site, entry, typing=typing), methods=["GET"])

    context, entry = services.context, Entry(client_limits, directory)
    found: list[Route] = []
    feeds = Feeds(site)
    for of in LANGUAGES:
        searching, company = Searching(site, of), Company(site, of)
        answers: dict[str, Answer] = {
            "suggest": searching.suggest,
            "search": searching.results,
            "home": searching.home,
            "company": company.answer,
            "country": Coverage(site, of).country,
        }
        answers |= fixed(site, of, context.plans, operations(site.base_url, of))
        past = addresses.PAGES["financials"].of(of).replace("{identifier}", "{identifier:rest}")
        found.append(Route(past, Financials(site, entry, context, of), methods=["GET"]))
        for name, answer in answers.items():
            address = addresses.PAGES[name].of(of).replace("{identifier}", "{identifier:rest}")
            found.append(page(address, answer, of, typing=name == "suggest"))
        found.append(page(addresses.path("releases", of) + ".atom", feeds.releases(of), of))
    found.append(page("/llms.txt", feeds.short, "en"))
    found.append(page("/llms-full.txt", feeds.full, "en"))
    crawled = [*Sitemaps(site, entry).routes(), *pictures(site, entry)]
    private = account.routes(site, context)
    if services.sandbox is not None:
        private += sandbox.routes(site, services.sandbox, context)
    elsewhere = [Route(f"/{of}/{{rest:rest}}", absent, methods=["GET"]) for of in LANGUAGES]
    return [*found, *private, *crawled, site.assets.route(), Route("/", greet, methods=["GET"]), *elsewhere]


async def greet(request: Request) -> Response:
    """`/`: to the front page in the reader's language."""
    headers = {"vary": "Accept-Language", "cache-control": "public, max-age=60"}
    return RedirectResponse(addresses.path("home", Call.of(request.scope).language), 303, headers)


async def absent(request: Request) -> Response:
    """An address under `/es` or `/en` where nothing stands; one that ends with a slash moves to the one without."""
    path, query = request.scope["raw_path"].decode("ascii", "replace"), request.url.query
    if path.endswith("/"):
        return RedirectResponse(path.rstrip("/") + (f"?{query}" if query else ""), 308)
    raise NotFound("no-such-address")
