"""Wire models of stored companies, with labels, addresses and sources joined in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from padron.companies import company
from padron.companies.company import Record, StoredRecord, Teaser
from padron.companies.model import CanonicalUrls, CountryCode, SourceRef
from padron.countries.country import Country
from padron.index.document import StoredCompany, decode_record
from padron.words import Language


class Presenter:
    """Wire models of the companies of one index.

    `base_url` is the public address of the service; None where it has none: then a company's addresses are that of its
    official record, else of its source.
    """

    def __init__(self, registry: Mapping[str, Country], texts: list[str], base_url: str | None) -> None:
        self._texts = texts
        base = None if base_url is None else base_url.rstrip("/")
        self._pages = {
            code: (f"{base}/es/empresas/{code.lower()}/", f"{base}/en/companies/{code.lower()}/")
            for code in (registry if base is not None else ())
        }
        self._schemes = {scheme.code: scheme for country in registry.values() for scheme in country.schemes}
        self._registers = {code: country.sources[0].url for code, country in registry.items() if country.sources}
        self._sources = {
            (code, source.key): SourceRef(source_name=source.name, source_url=source.url)
            for code, country in registry.items()
            for source in country.sources
        }

    def teaser(self, stored: StoredCompany, confidence: float | None, language: Language) -> Teaser:
        """Return the company as it stands in search results.

        Args:
            confidence: Probability that it is the company meant.
        """
        fields = decode_record(stored.record)
        country, label, urls = self._joined(stored, fields, language)
        return company.teaser(
            fields, self._texts, country_code=country, id_label=label, confidence=confidence, canonical_urls=urls
        )

    def record(self, stored: StoredCompany, language: Language) -> Record:
        """Return the company as the single-company lookup gives it; its confidence is null."""
        fields = decode_record(stored.record)
        country, label, urls = self._joined(stored, fields, language)
        return company.record(
            fields,
            self._texts,
            country_code=country,
            id_label=label,
            confidence=None,
            canonical_urls=urls,
            source=self._sources.get((country, self._texts[fields.source])),
        )

    def _joined(
        self, stored: StoredCompany, fields: StoredRecord, language: Language
    ) -> tuple[CountryCode, str, CanonicalUrls]:
        """Return the country, the label of the identifier and the addresses of the company's pages."""
        code = self._texts[stored.country]
        label = self._schemes[self._texts[fields.scheme]].label.of(language)
        if code not in self._pages:
            official = self._official(code, fields)
            return code, label, CanonicalUrls(es=official, en=official)
        spanish, english = self._pages[code]
        path = quote(fields.identifier, safe="")
        return code, label, CanonicalUrls(es=spanish + path, en=english + path)

    def _official(self, country: str, fields: StoredRecord) -> str:
        """Return the address of a company's official record, else of its source or its register."""
        scheme = self._schemes[self._texts[fields.scheme]]
        page = scheme.official_page
        if page and "{number}" in page.address:
            return page.address.format(number=quote(scheme.show(fields.identifier), safe=""))
        source = self._sources.get((country, self._texts[fields.source]))
        return (source and source.source_url) or self._registers[country]
