"""Files for search engines: robots.txt, the index of sitemaps, lists and companies of each country.

A sitemap holds the lists of a country, or 50,000 of its companies.

A page with nothing but a name is in none, and asks search engines to leave it out.

Sitemaps are streamed: at 30 million companies none needs more memory than a few hundred lines.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import islice
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.directory import Directory
from padron.errors import NotFound
from padron.transport import conditional
from padron.transport.call import Call
from padron.transport.compression import VARY, preferred_coding
from padron.transport.headers import Header
from padron.web import addresses, documentation
from padron.web.browse import list_paths
from padron.web.page import CACHED, Entry, cached
from padron.web.site import Site
from padron.words import LANGUAGES, Language

_XML: Final[Header] = (b"content-type", b"application/xml; charset=utf-8")
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_Entry = tuple[str, str]
"""A page of a sitemap: its path, and the day of its last change."""
_SPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_LEVEL: Final = 1
"""Level of zlib: 50,000 companies take 10 ms of processor, at the usual level 21 ms, for a tenth fewer bytes."""

_LISTS_AT_ONCE: Final = 200
"""Lists of a sitemap that are written before other requests are answered: some milliseconds."""

_PART = re.compile("([a-z]{2})-([1-9][0-9]{0,5})")
COST: Final = 100
"""Pages that a sitemap counts as: it takes as long as they do."""
ROBOTS: Final = """\
User-agent: *
Disallow: /api/
Disallow: /metrics
Disallow: /sandbox/
Disallow: /es/account
Disallow: /en/account
Sitemap: {base_url}/sitemap.xml
"""


class Sitemaps:
    """The routes of this module, over the release being served."""

    def __init__(self, site: Site, entry: Entry) -> None:
        self._site = site
        self._base_url = site.base_url
        self._entry = entry
        self._turn = asyncio.Lock()
        """The turn of the sitemap that works: of many at once each goes on by a batch in a round of the event loop."""

    def routes(self) -> list[Route]:
        """`/robots.txt`, `/sitemap.xml` and the sitemaps it names."""
        return [
            Route("/robots.txt", _App(self._robots), methods=["GET"]),
            Route("/sitemap.xml", _App(self._index), methods=["GET"]),
            Route("/sitemaps/{language}/pages.xml", _App(self._pages), methods=["GET"]),
            Route("/sitemaps/{language}/lists-{country}.xml", _App(self._lists), methods=["GET"]),
            Route("/sitemaps/{language}/{part}.xml", _App(self._part), methods=["GET"]),
        ]

    async def _robots(self, call: Call, send: Send) -> None:
        body = ROBOTS.format(base_url=self._base_url).encode()
        await call.answer(send, 200, [(b"content-type", b"text/plain; charset=utf-8"), CACHED], body)

    async def _index(self, call: Call, send: Send) -> None:
        directory = await self._entry.admit(call)
        if await self._held(call, send, directory):
            return
        names = ["pages"]
        seen: dict[str, int] = {}
        for country in directory.parts():
            seen[country] = seen.get(country, 0) + 1
            names.append(f"{country.lower()}-{seen[country]}")
        names += [f"lists-{country.lower()}" for country in seen]
        day = _built(directory)
        rows = "".join(
            f"<sitemap><loc>{self._base_url}/sitemaps/{language}/{name}.xml</loc><lastmod>{day}</lastmod></sitemap>\n"
            for language in LANGUAGES
            for name in names
        )
        body = f'{_HEAD}<sitemapindex xmlns="{_SPACE}">\n{rows}</sitemapindex>\n'
        squeeze = _Squeeze(call)
        sent = squeeze.add(body.encode()) + squeeze.rest()
        await call.answer(send, 200, [*self._fields(call, directory), *squeeze.fields], sent)

    async def _pages(self, call: Call, send: Send) -> None:
        directory, language = await self._entry.admit(call), self._language(call)
        day = _built(directory)
        fixed = [addresses.path(name, language) for name in addresses.FIXED]
        await self._stream(
            call, send, directory, _batch([(path, day) for path in [*fixed, *documentation.paths(language)]])
        )

    async def _lists(self, call: Call, send: Send) -> None:
        directory, language = await self._entry.admit(call, cost=COST), self._language(call)
        given = call.scope["path_params"]["country"]
        if given.upper() not in directory.parts() or given != given.lower():
            raise NotFound("no-such-address")
        await self._stream(call, send, directory, _listed(directory, given.upper(), language))

    async def _part(self, call: Call, send: Send) -> None:
        directory, language = await self._entry.admit(call, cost=COST), self._language(call)
        given = _PART.fullmatch(call.scope["path_params"]["part"])
        country = given[1].upper() if given else ""
        own = [number for number, code in enumerate(directory.parts()) if code == country]
        number = int(given[2]) if given else 0
        if not 1 <= number <= len(own):
            raise NotFound("no-such-address")
        await self._stream(call, send, directory, self._companies(directory, own[number - 1], country, language))

    async def _companies(
        self, directory: Directory, part: int, country: str, language: Language
    ) -> AsyncIterator[Sequence[_Entry]]:
        """Yield the page of the country, so that no sitemap is empty, and the companies of a part."""
        built = _built(directory)
        company = addresses.path("company", language, country=country, identifier="")
        yield [(addresses.path("country", language, country=country), built)]
        async for entries in directory.part(part):
            yield [(company + quote(entry.identifier, safe=""), entry.refreshed or built) for entry in entries]

    async def _stream(
        self, call: Call, send: Send, directory: Directory, batches: AsyncIterator[Sequence[_Entry]]
    ) -> None:
        """Send a sitemap, one batch of pages at a time; other requests are answered between two batches of any."""
        if await self._held(call, send, directory):
            return
        fields, squeeze = self._fields(call, directory), _Squeeze(call)
        await send({"type": "http.response.start", "status": 200, "headers": [*fields, *squeeze.fields]})
        if call.scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        head = f'{_HEAD}<urlset xmlns="{_SPACE}">\n'.encode()
        await send({"type": "http.response.body", "body": squeeze.add(head), "more_body": True})
        while (piece := await self._piece(batches, squeeze)) is not None:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": squeeze.add(b"</urlset>\n") + squeeze.rest()})

    async def _piece(self, batches: AsyncIterator[Sequence[_Entry]], squeeze: _Squeeze) -> bytes | None:
        """Return the next batch of pages as it is sent, in the turn of this sitemap; None behind the last one."""
        async with self._turn:
            await asyncio.sleep(0)
            entries = await anext(batches, None)
            if entries is None:
                return None
            lines = [f"<url><loc>{self._base_url}{path}</loc><lastmod>{day}</lastmod></url>\n" for path, day in entries]
            return squeeze.add("".join(lines).encode())

    def _language(self, call: Call) -> Language:
        given: str = call.scope["path_params"]["language"]
        for language in LANGUAGES:
            if given == language:
                return language
        raise NotFound("no-such-address")

    def _tag(self, call: Call, directory: Directory) -> bytes:
        return conditional.entity_tag(directory.edition, "es", call.scope["raw_path"], self._site.edition)

    def _fields(self, call: Call, directory: Directory) -> list[Header]:
        return [_XML, VARY, *cached(directory), (b"etag", self._tag(call, directory))]

    async def _held(self, call: Call, send: Send, directory: Directory) -> bool:
        """Answer 304 if the client has the current version; return whether it did."""
        if not conditional.client_holds(call, self._tag(call, directory)):
            return False
        await call.answer(send, 304, self._fields(call, directory), b"")
        return True


class _Squeeze:
    """Compression of a file that is sent in parts, and the header fields that say so; without a coding none."""

    def __init__(self, call: Call) -> None:
        coding = preferred_coding(call, ("gzip",))
        self._gzip = zlib.compressobj(_LEVEL, wbits=zlib.MAX_WBITS + 16) if coding else None
        self.fields: list[Header] = [(b"content-encoding", coding.encode())] if coding else []

    def add(self, part: bytes) -> bytes:
        """Return what can be sent after another part, which may be nothing yet."""
        return self._gzip.compress(part) if self._gzip else part

    def rest(self) -> bytes:
        """Return the end of the file."""
        return self._gzip.flush() if self._gzip else b""


async def _batch(entries: Sequence[_Entry]) -> AsyncIterator[Sequence[_Entry]]:
    yield entries


async def _listed(directory: Directory, country: str, language: Language) -> AsyncIterator[Sequence[_Entry]]:
    day = _built(directory)
    paths = list_paths(directory, country, language)
    while batch := [(escape(path), day) for path in islice(paths, _LISTS_AT_ONCE)]:
        yield batch


def _built(directory: Directory) -> str:
    return directory.generated_at.date().isoformat()


class _App:
    """A handler as an ASGI application."""

    def __init__(self, act: Callable[[Call, Send], Awaitable[None]]) -> None:
        self._act = act

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._act(Call.of(scope), send)
