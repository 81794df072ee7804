"""A company as schema.org JSON-LD, for search engines."""

from __future__ import annotations

from typing import Any

from padron.web.facts import Facts


def json_ld(company: Facts, canonical: str) -> dict[str, Any]:
    """Return the Organization with its names and identifiers: without address, contact or amount."""
    numbers = (company.number, *company.others)
    members: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "@id": canonical,
        "url": canonical,
        "name": company.name,
        "legalName": company.name,
        "alternateName": [name.name for name in company.names if name.kind != "ticker"],
        "identifier": [
            {"@type": "PropertyValue", "propertyID": number.scheme, "name": number.label, "value": number.value}
            for number in numbers
        ],
        "taxID": next((number.value for number in numbers if company.country.scheme_by_code[number.scheme].tax), None),
        "leiCode": next((number.value for number in numbers if number.scheme == "lei"), None),
        "foundingDate": company.incorporated,
        "dissolutionDate": company.ended,
        "subjectOf": company.source and {"@type": "Dataset", "name": company.source.name, "url": company.source.url},
    }
    return {name: value for name, value in members.items() if value not in (None, [], ())}
