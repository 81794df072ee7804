"""Pages as schema.org JSON-LD, for search engines. What is described has one `@id`, whatever the language."""

from __future__ import annotations

from typing import Any

import msgspec
from markupsafe import Markup

from padron.companies.model import CountryCoverage
from padron.countries.country import Country
from padron.web import addresses
from padron.web.facts import Facts
from padron.words import Language


def company_graph(company: Facts, base_url: str, of: Language) -> Markup:
    """Return the company with its names and identifiers: without address, contact or amount; and where it stands.

    Args:
        base_url: The start of every address.
    """
    numbers = (company.number, *company.others)
    code, identifier = company.country.code, company.number.value
    organization = {
        "@type": "Organization",
        "@id": f"{base_url}{addresses.path('company', 'es', country=code, identifier=identifier)}#company",
        "url": base_url + addresses.path("company", of, country=code, identifier=identifier),
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
    path = [
        (company.country.name.of(of), base_url + addresses.path("country", of, country=code)),
        (company.name, organization["url"]),
    ]
    return _graph(organization, _breadcrumbs(path))


def country_graph(country: Country, covered: CountryCoverage, base_url: str, of: Language) -> Markup:
    """Return the companies of a country as a data set.

    Args:
        base_url: The start of every address.
    """
    url = base_url + addresses.path("country", of, country=country.code)
    dates = [source.date for source in covered.sources if source.date]
    dataset = {
        "@type": "Dataset",
        "@id": f"{base_url}{addresses.path('country', 'es', country=country.code)}#dataset",
        "url": url,
        "name": f"Padrón: {country.name.of(of)}",
        "description": "; ".join(f"{source.name} ({source.attribution})" for source in covered.sources),
        "dateModified": max(dates, default=None),
        "spatialCoverage": country.name.of(of),
        "isAccessibleForFree": True,
        "isBasedOn": [source.url for source in covered.sources],
    }
    return _graph(dataset, _breadcrumbs([(country.name.of(of), url)]))


def list_graph(path: list[tuple[str, str]]) -> Markup:
    """Return the way to a list: name and address of each step."""
    return _graph(_breadcrumbs([*path]))


def site_graph(base_url: str, of: Language) -> Markup:
    """Return the site with its search."""
    template = f"{base_url}{addresses.path('search', of)}?q={{search_term_string}}"
    return _graph(
        {
            "@type": "WebSite",
            "@id": f"{base_url}/#site",
            "url": base_url + addresses.path("home", of),
            "name": "Padrón",
            "inLanguage": of,
            "potentialAction": {
                "@type": "SearchAction",
                "target": {"@type": "EntryPoint", "urlTemplate": template},
                "query-input": "required name=search_term_string",
            },
        }
    )


def _breadcrumbs(path: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the way to a page: name and address of each step."""
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": name, "item": url}
            for position, (name, url) in enumerate(path, 1)
        ],
    }


def _graph(*nodes: dict[str, Any]) -> Markup:
    known = [{name: value for name, value in node.items() if value not in (None, [], ())} for node in nodes]
    return _in_html(msgspec.json.encode({"@context": "https://schema.org", "@graph": known}))


def _in_html(body: bytes) -> Markup:
    """Return JSON that is safe inside a script element."""
    text = body.decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - every character that could end the element is written as an escape
