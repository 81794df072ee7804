"""Proof that a release answers over every face, before it is served.

The directory is opened on the release and asked for the example companies of each country; then the service itself is
put together over it, in this process, and every kind of page and every operation without an account is requested.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlencode

from starlette.types import ASGIApp, Message, Scope

from padron.accounts.keys import Grant
from padron.api import v1, v1_search
from padron.companies.company import Record
from padron.companies.model import CountryCoverage
from padron.config import load
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.directory import Directory
from padron.errors import Invalid, NotFound, PadronError, ReleaseError
from padron.service.app import build_app
from padron.storage import temporary_folder
from padron.transport.call import Call
from padron.transport.observability import Metrics, Observer, StructuredLog
from padron.web import addresses
from padron.words import LANGUAGES, Language

_BASE_URL: Final = "http://localhost"
_ENVIRONMENT: Final = {"PADRON_BASE_URL": _BASE_URL, "PADRON_LIMITS__ENABLED": "0"}
_PUBLIC: Final = "/api/public/empresas"
_ONCE: Final = ("/robots.txt", "/sitemap.xml", "/llms.txt", "/llms-full.txt")
"""Addresses without a language."""
_IN_BOTH_LANGUAGES: Final = (
    f"{_PUBLIC}/stats",
    "/api/public/openapi.json",
    "/api/v1/openapi.json",
    "/api/account/openapi.json",
    "/mcp/tools.json",
    "/reconcile",
    "/reconcile/draft",
)
"""Addresses whose answer follows `Accept-Language`."""
_GRANT: Final = Grant("proof", "proof", "free", frozenset(), math.inf, 0, 0)
"""Stands for an API key: v1 is asked behind its gate, because a key needs an account."""


class Example(NamedTuple):
    """An example company as its country states it, found in the release."""

    country: Country
    record: Record


class Request(NamedTuple):
    """A request to the service."""

    address: str
    language: Language = "es"
    method: str = "GET"


class _Witness(Observer):
    """An observer that writes nothing and keeps the last fault."""

    def __init__(self) -> None:
        super().__init__(StructuredLog(), Metrics())
        self.fault: Exception | None = None

    def finished(self, call: Call) -> None:
        """Write no line."""

    def failed(self, call: Call, error: Exception) -> None:
        """Keep the fault."""
        self.fault = error


async def prove(
    data: Path,
    release: str,
    registry: Mapping[str, Country],
    hidden: frozenset[str] = frozenset(),
    search_url: str | None = None,
) -> None:
    """Open a release and ask it over every face.

    The faces serve the countries of `REGISTRY`: a release of others is asked in its directory alone.

    Args:
        hidden: Codes of countries of which companies are suppressed: one of their examples is enough, because a release
            that was built without the suppressed companies cannot tell which numbers were theirs. The same holds where
            a source of the country has no file.

    Raises:
        ReleaseError: `release-unproved` with the request that failed and what it answered, or what opening raises.
    """
    try:
        directory = await Directory.open(data, registry, _BASE_URL, release=release, search_url=search_url)
    except PadronError:
        raise
    except Exception as error:
        raise _unproved("Directory.open", error) from error
    examples = [
        example
        for country in directory.coverage().countries
        for example in await _examples(
            directory, registry[country.country_code], _lacks_companies(country, registry, hidden)
        )
    ]
    if all(REGISTRY.get(code) is country for code, country in registry.items()):
        await _request_pages(directory, examples)
        await _ask_v1(directory, examples)


def _lacks_companies(covered: CountryCoverage, registry: Mapping[str, Country], hidden: AbstractSet[str]) -> bool:
    """Check whether companies of a country are suppressed, or one of its sources has no file."""
    known = sum(source.records > 0 for source in covered.sources)
    return covered.country_code in hidden or known < len(registry[covered.country_code].sources)


async def _examples(directory: Directory, country: Country, lacking: bool) -> list[Example]:
    """Find the example companies of a country, each once; one is enough where it is `lacking` companies."""
    records: dict[str, Record] = {}
    missing: list[ReleaseError] = []
    for scheme, identifier in country.examples:
        request = f"{country.code} {scheme} {identifier}"
        try:
            record = (await directory.get(country.code, identifier, "es")).record
            records[record.identifier] = record
        except (Invalid, NotFound) as error:
            missing.append(_unproved(request, error.code))
        except Exception as error:
            raise _unproved(request, error) from error
    if missing and not (lacking and records):
        raise missing[0]
    return [Example(country, record) for record in records.values()]


async def _request_pages(directory: Directory, examples: Sequence[Example]) -> None:
    """Request every kind of page and every public operation."""
    with temporary_folder() as folder:
        witness = _Witness()
        app = build_app(load(_ENVIRONMENT, data=folder), directory, observer=witness)
        for request in _requests(directory, examples):
            status = await _status(app, request)
            if status != 200:
                answer = f"{status} {_words(witness.fault)}" if witness.fault else str(status)
                raise _unproved(f"{request.method} {request.address} ({request.language})", answer)


def _requests(directory: Directory, examples: Sequence[Example]) -> Iterator[Request]:
    yield from map(Request, _ONCE)
    countries = dict.fromkeys(directory.parts())
    for language in LANGUAGES:
        for page in addresses.FIXED:
            yield Request(addresses.path(page, language))
        yield Request(addresses.path("releases", language) + ".atom")
        yield Request(f"/cards/{language}.png")
        yield Request(f"/sitemaps/{language}/pages.xml")
        for address in _IN_BOTH_LANGUAGES:
            yield Request(address, language)
        for code in countries:
            yield Request(addresses.path("country", language, country=code))
            yield Request(addresses.path("list", language, country=code))
            yield Request(f"/sitemaps/{language}/lists-{code.lower()}.xml")
            # Without its body: a part holds tens of thousands of addresses.
            yield Request(f"/sitemaps/{language}/{code.lower()}-1.xml", method="HEAD")
        for example in examples:
            yield from _requests_of(example, language)


def _requests_of(example: Example, language: Language) -> Iterator[Request]:
    """Requests about one company."""
    code, record = example.country.code, example.record
    page = addresses.path("company", language, country=code, identifier=record.identifier)
    yield from (Request(page + twin) for twin in ("", ".json", ".md", ".atom", ".svg"))
    yield Request(f"/cards/{language}/{code.lower()}/{quote(record.identifier, safe='')}.png")
    yield Request(f"{_PUBLIC}/{code}/{quote(record.identifier, safe='')}", language)
    for text in (record.legal_name, record.identifier):
        query = urlencode({"q": text[:_LONGEST], "country": code})
        yield Request(f"{addresses.path('search', language)}?{query}")
        yield Request(f"{addresses.path('suggest', language)}?{query}")
        yield Request(f"{_PUBLIC}/search?{query}", language)


_LONGEST: Final = 200
"""Most characters of a name that is searched: the public search takes 256."""


async def _status(app: ASGIApp, request: Request) -> int:
    """Send a request to the service; return the status of its answer."""
    statuses: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(_scope(request), receive, send)
    return statuses[0]


def _scope(request: Request) -> Scope:
    path, _, query = request.address.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost"), (b"accept-language", request.language.encode())],
        "client": ("127.0.0.1", 0),
        "server": ("localhost", 80),
    }


async def _ask_v1(directory: Directory, examples: Sequence[Example]) -> None:
    """Ask questions about one company of each country as v1 does, and read it in full with its statements."""
    first_of_each_country = {example.country.code: example for example in reversed(examples)}
    for code, example in first_of_each_country.items():
        record = example.record
        label = example.country.scheme_by_code[record.scheme].short_label
        entity = f"{v1.BASE}/entities/{code}/{quote(record.identifier, safe='')}"
        questions = {
            "es": (f"¿cuál es el {label.es} de {record.legal_name}?", f"empresas activas de {example.country.name.es}"),
            "en": (f"what is the {label.en} of {record.legal_name}?", f"active companies in {example.country.name.en}"),
        }
        for language in LANGUAGES:
            for question in (*questions[language], f"{label.of(language)} {record.identifier}"):
                address = f"{v1.BASE}/search?{urlencode({'q': question})}"
                await _behind_gate(
                    Request(address, language), v1.search, lambda: directory, _BASE_URL, v1_search.unkeyed
                )
            await _behind_gate(Request(entity, language), v1.entity, lambda: directory, _BASE_URL)
            await _behind_gate(Request(f"{entity}/financials", language), v1.statements, lambda: directory)


async def _behind_gate(request: Request, answer: Any, *context: Any) -> None:
    """Call a handler of v1 as its gate does for a valid key."""
    try:
        await answer(*context, Call(_scope(request)), _GRANT)
    except Exception as error:
        raise _unproved(f"{request.method} {request.address} ({request.language})", error) from error


def _unproved(request: str, answer: Exception | str) -> ReleaseError:
    words = answer if isinstance(answer, str) else _words(answer)
    return ReleaseError("release-unproved", request=request, answer=words)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
