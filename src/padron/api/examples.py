"""Answers as they really are, for the description of the public interface; its tests hold them against its schemas."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from padron.model import (
    Answer,
    CanonicalUrls,
    CountryCoverage,
    Coverage,
    Entity,
    Record,
    SourceRef,
    SourceState,
    Teaser,
)


def answer(base_url: str) -> Answer:
    """A search that finds one company."""
    teaser = Teaser(confidence=0.9934, **_company(base_url))
    return Answer(
        q="apple inc",
        country="US",
        best_match=teaser,
        suggested_countries=[],
        match_hints=[],
        results=[teaser],
    )


def entity(base_url: str) -> Entity:
    """A company by its identifier."""
    source = SourceRef(
        source_name="EDGAR submissions",
        source_url="https://www.sec.gov/search-filings/edgar-application-programming-interfaces",
    )
    refreshed = datetime(2026, 2, 26, tzinfo=UTC)
    return Entity(entity=Record(confidence=None, source=source, refreshed_at=refreshed, **_company(base_url)))


def coverage() -> Coverage:
    """One country with one source."""
    source = SourceState(
        name="Sociedades (Registro Nacional)",
        url="https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades",
        licence="CC BY 4.0",
        attribution="Ministerio de Justicia de la República Argentina",
        date=date(2026, 9, 1),
        records=970,
        state="fresh",
    )
    country = CountryCoverage(country_code="AR", companies=970, by_scheme={"ar-cuit": 970}, sources=[source])
    generated = datetime(2026, 9, 13, 4, 0, tzinfo=UTC)
    return Coverage(countries=[country], total=970, release="2026-09-13-205df3ff", generated_at=generated)


def _company(base_url: str) -> dict[str, Any]:
    """What teaser and record of the example company share."""
    return {
        "legal_name": "Apple Inc.",
        "trade_name": None,
        "country_code": "US",
        "scheme": "us-cik",
        "identifier": "320193",
        "id_label": "CIK",
        "status": None,
        "classification_code": "3571",
        "classification_label": "ELECTRONIC COMPUTERS",
        "financials_available": False,
        "canonical_urls": CanonicalUrls(
            es=f"{base_url}/es/empresas/us/320193", en=f"{base_url}/en/companies/us/320193"
        ),
    }
