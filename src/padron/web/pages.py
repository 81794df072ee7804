"""Every page put together: its routes in both languages."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from padron.accounts.plans import Plans
from padron.accounts.windows import Quota
from padron.errors import NotFound
from padron.http.admission import Admission
from padron.http.call import Call
from padron.model import LANGUAGES, Language
from padron.search.directory import Directory
from padron.web import addresses
from padron.web.company import Company
from padron.web.coverage import Coverage, fixed
from padron.web.feeds import Feeds, operations, pictures
from padron.web.page import Answer, Page
from padron.web.search import Searching
from padron.web.site import Site
from padron.web.sitemap import Sitemaps


def routes(site: Site, admission: Admission, directory: Callable[[], Directory], plans: Plans) -> list[Route]:
    """The routes of the pages, the busiest first. `directory()` raises `Unavailable` until one is served."""

    def page(address: str, answer: Answer, quota: Quota, of: Language) -> Route:
        return Route(address, Page(answer, quota, of, site, admission, directory), methods=["GET"])

    found: list[Route] = []
    public, type_ahead = admission.quotas
    described = operations(site.base_url)
    feeds = Feeds(site, described)
    for of in LANGUAGES:
        searching, company = Searching(site, of), Company(site, of)
        answers: dict[str, tuple[Answer, Quota]] = {
            "suggest": (searching.suggest, type_ahead),
            "search": (searching.results, public),
            "home": (searching.home, public),
            "company": (company.answer, public),
            "country": (Coverage(site, of).country, public),
        }
        answers |= {name: (answer, public) for name, answer in fixed(site, of, plans, described).items()}
        for name, (answer, quota) in answers.items():
            address = addresses.PAGES[name].of(of).replace("{identifier}", "{identifier:rest}")
            found.append(page(address, answer, quota, of))
        found.append(page(addresses.path("releases", of) + ".atom", feeds.releases(of), public, of))
    found.append(page("/llms.txt", feeds.short, public, "en"))
    found.append(page("/llms-full.txt", feeds.full, public, "en"))
    crawled = [*Sitemaps(site, admission, directory).routes(), *pictures(site, admission, directory)]
    elsewhere = [Route(f"/{of}/{{rest:rest}}", absent, methods=["GET"]) for of in LANGUAGES]
    return [*found, *crawled, site.assets.route(), Route("/", greet, methods=["GET"]), *elsewhere]


async def greet(request: Request) -> Response:
    """`/`: to the front page in the reader's language."""
    headers = {"vary": "Accept-Language", "cache-control": "public, max-age=60"}
    return RedirectResponse(addresses.path("home", Call.of(request.scope).language), 303, headers)


async def absent(request: Request) -> Response:
    """An address under `/es` or `/en` where nothing stands."""
    raise NotFound("no-such-address")
