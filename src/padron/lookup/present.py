"""From stored records to what is sent: labels, addresses and sources joined for the reader."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from padron.country import Country
from padron.index.document import StoredCompany, StoredRecord, decode_record
from padron.model import CanonicalUrls, Language, Record, SourceRef, Teaser


class Presenter:
    """Makes wire models of the companies of one index; `base_url` is where people reach this service."""

    def __init__(self, registry: Mapping[str, Country], texts: list[str], base_url: str) -> None:
        self._texts = texts
        base = base_url.rstrip("/")
        self._pages = {
            code: (f"{base}/es/empresas/{code.lower()}/", f"{base}/en/companies/{code.lower()}/") for code in registry
        }
        self._labels = {scheme.code: scheme.label for country in registry.values() for scheme in country.schemes}
        self._sources = {
            (code, source.key): SourceRef(source_name=source.name, source_url=source.url)
            for code, country in registry.items()
            for source in country.sources
        }

    def teaser(self, company: StoredCompany, confidence: float | None, language: Language) -> Teaser:
        """The company as it stands in search results."""
        return Teaser(**self._members(company, decode_record(company.record), confidence, language))

    def record(self, company: StoredCompany, language: Language) -> Record:
        """The company as the single-company lookup gives it; its confidence is null."""
        stored = decode_record(company.record)
        refreshed = self._texts[stored.refreshed]
        return Record(
            **self._members(company, stored, None, language),
            source=self._sources.get((self._texts[company.country], self._texts[stored.source])),
            refreshed_at=datetime.fromisoformat(refreshed).replace(tzinfo=UTC) if refreshed else None,
        )

    def _members(
        self, company: StoredCompany, stored: StoredRecord, confidence: float | None, language: Language
    ) -> dict[str, Any]:
        texts = self._texts
        code, scheme = texts[company.country], texts[stored.scheme]
        spanish, english = self._pages[code]
        path = quote(stored.identifier, safe="")
        return {
            "legal_name": stored.legal_name,
            "trade_name": stored.trade_name,
            "country_code": code,
            "scheme": scheme,
            "identifier": stored.identifier,
            "id_label": self._labels[scheme].of(language),
            "confidence": confidence,
            "status": texts[stored.status] or None,
            "classification_code": texts[stored.activity_code] or None,
            "classification_label": texts[stored.activity_label] or None,
            "financials_available": stored.financials,
            "canonical_urls": CanonicalUrls(es=spanish + path, en=english + path),
        }
