"""The documentation as pages: guides, error codes, identifiers, and a search in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import parse_qs

from padron import threads
from padron.countries import REGISTRY
from padron.countries.country import Country, Scheme
from padron.directory import Directory
from padron.errors import NotFound
from padron.errors import messages as error_messages
from padron.lookup.detail import Detail
from padron.text import fold
from padron.transport import problems
from padron.transport.call import Call
from padron.web import addresses
from padron.web.documents import GUIDES, Guide, guide
from padron.web.page import Handler
from padron.web.plain import plain
from padron.web.site import PageResponse, Site, page_address
from padron.words import Language, Text, bilingual

_LONGEST: Final = 100
_FOUND: Final = 30
"""Places shown for a search; whoever has more adds a word."""
_EXCERPT: Final = 180

SCHEMES: Final[dict[str, tuple[Scheme, tuple[Country, ...]]]] = {
    scheme.code: (scheme, tuple(country for country in REGISTRY.values() if scheme.code in country.scheme_by_code))
    for country in REGISTRY.values()
    for scheme in country.schemes
}
"""Code of an identifier -> its scheme and the countries that have it."""


class Passage(NamedTuple):
    """A passage of the documentation: its address, heading, page and text; heading and text also as folded words."""

    address: str
    heading: str
    page: str
    text: str
    folded_heading: str
    folded_text: str


class Excerpt(NamedTuple):
    """A passage that a search found, with the line that has the words."""

    passage: Passage
    line: str


def _passage(address: str, heading: str, page: str, text: str) -> Passage:
    return Passage(address, heading, page, text, f" {fold(heading)}", f" {fold(text)}")


class Documentation:
    """The pages of the documentation in one language."""

    def __init__(self, site: Site, of: Language, terms_of_plans: Text) -> None:
        self._site = site
        self._language = of
        self._terms_of_plans = terms_of_plans
        self._passages: tuple[Passage, ...] = ()

    def pages(self) -> dict[str, Handler]:
        """Return page -> its answer; the page of errors before that of guides, whose address it would fit."""
        return {"docs": self._index, "errors": self._errors, "guide": self._guide, "identifier": self._identifier}

    async def _index(self, call: Call, directory: Directory) -> PageResponse:
        """Return the list of all pages, or the passages that have the words of the query."""
        given = parse_qs(call.scope["query_string"].decode("latin-1"), errors="replace").get("q", [""])[0]
        q = plain(given, _LONGEST)
        return self._site.page(
            "docs.html",
            self._language,
            page_address("docs", {"q": q} if q else None),
            q=q,
            found=await threads.FILES.call(self.search, q) if q else [],
            guides=await threads.FILES.call(self._read_all),
            schemes=SCHEMES,
        )

    async def _guide(self, call: Call, directory: Directory) -> PageResponse:
        name = call.scope["path_params"]["guide"]
        if name not in GUIDES:
            raise NotFound("no-such-address")
        number = GUIDES.index(name)
        following = GUIDES[number + 1] if number + 1 < len(GUIDES) else None
        return self._site.page(
            "guide.html",
            self._language,
            page_address("guide", guide=name),
            guide=await threads.FILES.call(self._read, name),
            following=following and (following, await threads.FILES.call(self._read, following)),
        )

    async def _errors(self, call: Call, directory: Directory) -> PageResponse:
        """Return every error code by its status."""
        by_status: dict[int, list[str]] = {}
        for code, status in sorted(problems.STATUS.items()):
            by_status.setdefault(status, []).append(code)
        statuses, messages = sorted(by_status.items()), self._messages()
        here = page_address("errors")
        return self._site.page("errors.html", self._language, here, statuses=statuses, messages=messages)

    async def _identifier(self, call: Call, directory: Directory) -> PageResponse:
        """Return the page of a kind of identifier: what it is, how it is written, companies that have it."""
        code = call.scope["path_params"]["scheme"]
        if code not in SCHEMES:
            raise NotFound("no-such-address")
        scheme, countries = SCHEMES[code]
        coverage = {part.country_code: part.by_scheme.get(code, 0) for part in directory.coverage().countries}
        return self._site.page(
            "identifier.html",
            self._language,
            page_address("identifier", scheme=code),
            scheme=scheme,
            of_countries=countries,
            companies=sum(coverage.get(country.code, 0) for country in countries),
            examples=await self._examples(directory, countries, code),
        )

    async def _examples(
        self, directory: Directory, countries: tuple[Country, ...], code: str
    ) -> list[tuple[Detail, str]]:
        """Well-known companies with the number, each with how it is written; suppressed ones are left out."""
        examples: dict[str, tuple[Detail, str]] = {}
        for country in countries:
            for _, identifier in country.examples:
                try:
                    detail = (await directory.details(country.code, identifier, self._language)).detail
                except NotFound:
                    continue
                own = [(detail.record.scheme, detail.record.identifier)]
                own += [(scheme, value) for scheme, _, value in detail.identifiers]
                value = next((value for scheme, value in own if scheme == code), None)
                if value:
                    examples[detail.record.identifier] = detail, value
        return list(examples.values())

    def search(self, q: str) -> list[Excerpt]:
        """Return the passages that have every word of `q`, at its beginning or whole: in headings first."""
        words = [f" {word}" for word in fold(q).split()]
        if not words:
            return []
        ranked = [
            (sum(word in passage.folded_heading for word in words), passage)
            for passage in self._all_passages()
            if all(word in passage.folded_heading or word in passage.folded_text for word in words)
        ]
        ranked.sort(key=lambda entry: -entry[0])
        return [Excerpt(passage, _excerpt(passage.text, words)) for _, passage in ranked[:_FOUND]]

    def _read(self, name: str) -> Guide:
        """Return a guide, which is parsed when it is read first: in a thread, because that takes some time."""
        return guide(name, self._language, self._site.base_url)

    def _read_all(self) -> list[tuple[str, Guide]]:
        return [(name, self._read(name)) for name in GUIDES]

    def _messages(self) -> dict[str, tuple[str, str]]:
        of = self._language
        return {code: (error_messages.title(code, of), error_messages.pattern(code, of)) for code in problems.STATUS}

    def _all_passages(self) -> tuple[Passage, ...]:
        """Every passage of the documentation, read once."""
        self._passages = self._passages or tuple(self._read_passages())
        return self._passages

    def _read_passages(self) -> Iterator[Passage]:
        of, errors = self._language, bilingual("Error codes")
        for code, (scheme, _) in SCHEMES.items():
            address, meaning = addresses.path("identifier", of, scheme=code), scheme.meaning
            label, page = scheme.label.of(of), bilingual("Identifiers").of(of)
            yield _passage(address, label, page, meaning.of(of) if meaning else code)
        for name, read in self._read_all():
            address = addresses.path("guide", of, guide=name)
            for section in read.sections:
                anchor = section.anchor and f"#{section.anchor}"
                yield _passage(address + anchor, section.heading, read.title, section.text)
        prices = bilingual("Plans and prices").of(of)
        yield _passage(addresses.path("plans", of), prices, prices, self._terms_of_plans.of(of))
        page = addresses.path("errors", of)
        for code, (title, text) in self._messages().items():
            yield _passage(f"{page}#{code}", f"{title} ({code})", errors.of(of), text)


def _excerpt(text: str, words: list[str]) -> str:
    """The first line with a word of the query, shortened; the first of all where the heading has them."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    line = next((line for line in lines if any(word in f" {fold(line)}" for word in words)), lines[0])
    return plain(line, _EXCERPT)


def paths(of: Language) -> list[str]:
    """Return the addresses of the guides and of the identifiers, for the sitemap."""
    guides = [addresses.path("guide", of, guide=name) for name in GUIDES]
    return guides + [addresses.path("identifier", of, scheme=code) for code in SCHEMES]
