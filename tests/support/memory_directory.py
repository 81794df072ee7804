"""A small directory in memory for tests of HTTP alone: real rows, and what `Directory` promises of each call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import NamedTuple
from urllib.parse import quote

from starlette.testclient import TestClient

from padron.companies.answers import Answer
from padron.companies.company import Record, Teaser
from padron.companies.model import CanonicalUrls, CountryCoverage, Coverage, Identifier, SourceRef, SourceState
from padron.config import load
from padron.errors import Invalid, NotFound, ReleaseError
from padron.service.app import build_app
from padron.text import fold
from padron.words import Language, Text

ROWS = (
    ("EC", "ec-ruc", "1790016919001", "CORPORACION FAVORITA C.A.", ("384",)),
    ("MX", "mx-rfc", "CÑ&850101AB1", "CAMINOS Y ÑANDÚES, S.A. DE C.V.", ()),
    ("US", "us-cik", "320193", "Apple Inc.", ("942404110",)),
    ("BR", "br-cnpj", "33000167000101", "PETROLEO BRASILEIRO S A PETROBRAS", ("33000167",)),
    ("CO", "co-nit", "899999068", "ECOPETROL S.A.", ()),
    ("AR", "ar-cuit", "30546689979", "YPF SOCIEDAD ANONIMA", ()),
)
"""Country, scheme, identifier, legal name, aliases. The Mexican one is invented, for the letters of its RFC."""
PERSON = "0102030405"
"""Stands for a natural person's number."""
HINT = Text("Indique el país si lo conoce.", "Give the country if you know it.")


class Found(NamedTuple):
    record: Record
    requested: Identifier
    alias: bool
    branch: bool
    mistyped: bool = False


class MemoryDirectory:
    """The rows above, as `release`; `next_release` is the one that `refreshed` opens."""

    def __init__(self, base_url: str = "http://127.0.0.1:8000") -> None:
        self.base_url = base_url
        self.release = "20260301-aaaaaaaa"
        self.next_release: str | None = None
        self.asked: list[str] = []
        self.suppressions_fault = None

    async def search(self, q: str, *, country: str | None, limit: int, language: Language) -> Answer:
        self.asked.append(q)
        if fold(q) == PERSON:
            raise NotFound("natural-person-not-covered")
        words = fold(q).split()
        rows = [
            row
            for row in ROWS
            if words
            and all(word in fold(row[3]) or word == row[2].lower() for word in words)
            and country in {None, row[0]}
        ][:limit]
        results = [self._record(row, Teaser, language, confidence=0.9) for row in rows]
        countries = list(dict.fromkeys(teaser.country_code for teaser in results))
        return Answer(
            q=q,
            country=country,
            best_match=results[0] if results else None,
            suggested_countries=countries if country is None and len(countries) > 1 else [],
            match_hints=[] if country else [HINT.of(language)],
            results=results,
        )

    async def get(self, country: str, raw_identifier: str, language: Language) -> Found:
        number = "".join(filter(str.isalnum, raw_identifier.replace("&", "Y"))).upper().replace("Y", "&")
        if number == PERSON:
            raise NotFound("natural-person-not-covered")
        if not any(map(str.isdigit, number)):
            raise Invalid("invalid-identifier", parameter="identifier", country=country)
        for row in ROWS:
            if row[0] == country and number in {row[2], *row[4]}:
                alias, branch = number != row[2], number == "33000167"
                extra = {
                    "source": SourceRef(source_name="Registro", source_url=None),
                    "refreshed_at": datetime(2026, 3, 1, tzinfo=UTC),
                }
                record = self._record(row, Record, language, confidence=None, **extra)
                return Found(record, Identifier(row[1], number), alias and not branch, branch)
        raise NotFound("company-not-found", hints=[HINT.of(language)])

    def public_coverage(self, language: Language) -> Coverage:
        return self.coverage()

    def coverage(self) -> Coverage:
        source = SourceState(
            name="Registro", url=None, licence="CC0", attribution="—", date=date(2026, 3, 1), records=1, state="fresh"
        )
        countries = [
            CountryCoverage(country_code=row[0], companies=1, by_scheme={row[1]: 1}, sources=[source]) for row in ROWS
        ]
        generated = datetime(2026, 3, 2, tzinfo=UTC)
        return Coverage(countries=countries, total=len(ROWS), release=self.release, generated_at=generated)

    @property
    def edition(self) -> str:
        """Suppress nothing."""
        return self.release

    async def reach_engine(self) -> None:
        """Be reached."""

    async def check_changes(self) -> None:
        pass

    async def end_of_changes(self) -> str:
        return ""

    @property
    def bulk(self) -> None:
        """Export nothing."""

    def reread(self) -> Iterator[None]:
        """Have no files."""
        return iter(())

    async def refreshed(self, release: str | None = None) -> MemoryDirectory:
        if self.next_release is None:
            return self
        release, self.next_release = self.next_release, None
        if release == "damaged":
            raise ReleaseError("release-damaged", folder="releases", file=release)
        other = MemoryDirectory(self.base_url)
        other.release = release
        return other

    def _record(self, row, model, language: Language, **values):
        country, scheme, identifier, name, _ = row
        page = f"{country.lower()}/{quote(identifier, safe='')}"
        return model(
            legal_name=name,
            trade_name=None,
            country_code=country,
            scheme=scheme,
            identifier=identifier,
            id_label=Text("Número", "Number").of(language),
            status="active",
            classification_code=None,
            classification_label=None,
            financials_available=False,
            canonical_urls=CanonicalUrls(
                es=f"{self.base_url}/es/empresas/{page}", en=f"{self.base_url}/en/companies/{page}"
            ),
            **values,
        )


@contextmanager
def service(
    memory_directory: MemoryDirectory | None, *, peer: str = "203.0.113.9", **variables: str
) -> Iterator[TestClient]:
    """A client of the whole service, calling from `peer`; `variables` are settings (limits are off)."""
    settings = load({"PADRON_LIMITS__ENABLED": "0"} | variables)
    with TestClient(build_app(settings, memory_directory), client=(peer, 50000), follow_redirects=False) as client:
        yield client
