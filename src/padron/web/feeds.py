"""Parts of the site for programs: llms.txt, security.txt, search, feeds of releases and changes, images of links."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import threads
from padron.api.operations import public_document, v1_document
from padron.api.v1_watchlists import words_of_name
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import NotFound, messages
from padron.releases.change_log import ChangeFilter, Watch
from padron.transport import conditional, problems
from padron.transport.call import Call
from padron.transport.inputs import IDENTIFIER_LENGTH
from padron.web import glossary
from padron.web.changes import LAST_CHANGES
from padron.web.facts import shown_identifier
from padron.web.page import Entry, Handler, cached
from padron.web.search import read_form
from padron.web.site import PageResponse, Site
from padron.web.social_image import draw
from padron.words import LANGUAGES, Language

_TEXT: Final = b"text/plain; charset=utf-8"
_OPENSEARCH: Final = b"application/opensearchdescription+xml; charset=utf-8"
_ATOM: Final = b"application/atom+xml; charset=utf-8"


@cache
def operations(base_url: str, language: Language) -> list[dict[str, Any]]:
    """Return the operations of both interfaces, as their OpenAPI documents have them, with `method` and `path`."""
    documents = (public_document(base_url, language), v1_document(base_url, language))
    return [
        {"method": method.upper(), "path": path, "parameters": [], **operation}
        for document in documents
        for path, item in msgspec.json.decode(document)["paths"].items()
        for method, operation in item.items()
    ]


class Feeds:
    """The texts and feeds."""

    def __init__(self, site: Site, entry: Entry) -> None:
        self._site = site
        self._entry = entry
        self._operations = operations(site.base_url, "en")

    async def short(self, call: Call, directory: Directory) -> PageResponse:
        """Return llms.txt: a summary of the service with its addresses."""
        return PageResponse(
            _TEXT, self._site.render("llms.txt", "en", coverage=directory.coverage(), bulk=directory.bulk)
        )

    async def full(self, call: Call, directory: Directory) -> PageResponse:
        """Return llms-full.txt: the whole interface in one text."""
        values = {
            "coverage": directory.coverage(),
            "bulk": directory.bulk,
            "operations": self._operations,
            "codes": {code: (status, messages.title(code, "en")) for code, status in sorted(problems.STATUS.items())},
            "states": glossary.STATUS_MEANING,
        }
        return PageResponse(_TEXT, self._site.render("llms-full.txt", "en", **values))

    async def security(self, call: Call, directory: Directory) -> PageResponse:
        """Return security.txt (RFC 9116): where to report a vulnerability; valid for a year from this month."""
        today = datetime.now(UTC).date()
        expires = date(today.year + 1, today.month, 1).isoformat()
        return PageResponse(_TEXT, self._site.render("security.txt", "en", expires=expires))

    def opensearch(self, of: Language) -> Handler:
        """Return the description of the search (OpenSearch), by which browsers offer it."""

        async def answer(call: Call, directory: Directory) -> PageResponse:
            return PageResponse(_OPENSEARCH, self._site.render("opensearch.xml", of))

        return answer

    def releases(self, of: Language) -> Handler:
        """Return the Atom feed: one entry, for the release being served; a reader collects them over time."""

        async def answer(call: Call, directory: Directory) -> PageResponse:
            return PageResponse(_ATOM, self._site.render("releases.xml", of, coverage=directory.coverage()))

        return answer

    def changes(self, of: Language) -> Handler:
        """Return the Atom feed of the last changes of companies."""

        async def answer(call: Call, directory: Directory) -> PageResponse:
            changes = await directory.latest_changes(LAST_CHANGES, self._entry.client(call))
            values = {"changes": changes, "coverage": directory.coverage()}
            return PageResponse(_ATOM, self._site.render("changes.xml", of, **values))

        return answer

    def search(self, of: Language) -> Handler:
        """Return the Atom feed of a search: the last changes of companies whose name has all its words."""

        async def answer(call: Call, directory: Directory) -> PageResponse:
            form = read_form(call)
            q = words_of_name(form.q, "q")
            call.q_length = len(q)
            watch = Watch(searches=[(form.country, q)])
            changes = await directory.latest_changes(LAST_CHANGES, self._entry.client(call), ChangeFilter(watch=watch))
            query = {"q": q} | ({"country": form.country} if form.country else {})
            values = {"changes": changes, "coverage": directory.coverage(), "q": q, "query": urlencode(query)}
            return PageResponse(_ATOM, self._site.render("search.xml", of, **values))

        return answer


class SocialImage:
    """The image of a shared link as an ASGI application: of a company, or of the site if the address names none.

    Drawing takes some thirty milliseconds, so it is done in a thread, the last ones are kept, and the quota is that of
    searches.
    """

    def __init__(self, site: Site, entry: Entry) -> None:
        self._site = site
        self._entry = entry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the image. Raises `NotFound`."""
        call = Call.of(scope)
        directory = await self._entry.admit(call, "public")
        language: Language = scope["path_params"]["language"]
        if language not in LANGUAGES:
            raise NotFound("no-such-address")
        tag = conditional.entity_tag(directory.edition, language, scope["raw_path"], self._site.edition)
        fields = [(b"content-type", b"image/png"), *cached(directory), (b"etag", tag)]
        if conditional.client_holds(call, tag):
            await call.answer(send, 304, fields, b"")
            return
        title, line = await self._texts(directory, language, scope["path_params"])
        image = await threads.DRAWING.call_for(self._entry.client(call), draw, title, line)
        await call.answer(send, 200, fields, image)

    async def _texts(self, directory: Directory, language: Language, given: dict[str, str]) -> tuple[str, str]:
        if "country" not in given:
            title, line = self._site.render("card.txt", language).decode().strip().split("\n")
            return title, line
        country = given["country"].upper()
        if country not in REGISTRY or len(given["identifier"]) > IDENTIFIER_LENGTH:
            raise NotFound("no-such-address")
        company = (await directory.get(country, given["identifier"], language)).record
        return company.legal_name, f"{country} · {company.id_label} {shown_identifier(company)}"


def social_images(site: Site, entry: Entry) -> list[Route]:
    """Return the routes of the images: one per language, and one per company and language."""
    image = SocialImage(site, entry)
    return [
        Route("/cards/{language}.png", image, methods=["GET"]),
        Route("/cards/{language}/{country}/{identifier}.png", image, methods=["GET"]),
    ]
