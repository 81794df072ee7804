"""The documents beside exported data: its licences and attributions, and a catalogue in DCAT-AP (JSON-LD).

https://semiceu.github.io/DCAT-AP/releases/3.0.0/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from padron.companies.model import Wire
from padron.countries.country import Country
from padron.releases.snapshot import Release
from padron.words import LANGUAGES, N_, Language, Text, bilingual, translate

LICENCES: Final[Mapping[str, Language]] = {"LICENCES.md": "en", "LICENCIAS.md": "es"}
"""Files of the licences, each with its language."""

_CONTEXT: Final = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_AUTHORITY: Final = "http://publications.europa.eu/resource/authority"
_MEDIA: Final = "https://www.iana.org/assignments/media-types"
_FORMATS: Final[Mapping[str, Mapping[str, Any]]] = {
    "parquet": {"dcat:mediaType": {"@id": f"{_MEDIA}/application/vnd.apache.parquet"}},
    "gz": {
        "dct:format": {"@id": f"{_AUTHORITY}/file-type/JSON"},
        "dcat:compressFormat": {"@id": f"{_MEDIA}/application/gzip"},
    },
}
"""Ending of a file -> its format in the catalogue."""


class ExportedFile(Wire, frozen=True, kw_only=True):
    """A file of an export, with its size and checksum."""

    name: str
    bytes: int
    sha256: str


class ExportedCountry(Wire, frozen=True, kw_only=True):
    """The companies of a country in an export: how many, and their files."""

    country: str
    companies: int
    files: list[ExportedFile]


def licences(release: Release, registry: Mapping[str, Country], language: Language) -> str:
    """Return the sources of a release, with licences and attributions."""
    title, *heads = (
        translate(words, language)
        for words in (N_("Data licences"), N_("Source"), N_("Licence"), N_("Attribution"), N_("Date"))
    )
    lines = [f"# {title}", "", _terms(release).of(language)]
    for entry in release.coverage["countries"]:
        lines += ["", f"## {registry[entry['countryCode']].name.of(language)}", ""]
        lines += [_row(*heads), _row(*("---" for _ in heads))]
        lines += [
            _row(f"[{source['name']}]({source['url']})", source["licence"], source["attribution"], source["date"])
            for source in entry["sources"]
        ]
    return "\n".join(lines) + "\n"


def _terms(release: Release) -> Text:
    return bilingual(
        "Release {release}. The data belongs to the publishers of the registers, each under its own licence. Whoever "
        "passes it on names the source as it asks to be named, says when the data is from, and does not suggest that "
        "the publisher endorses it; CC BY-SA and ODbL also ask that what is made from the data stays under the same "
        "licence. The column `source` of each row names its source.",
        release=release.id,
    )


def _row(*cells: str | None) -> str:
    return f"| {' | '.join(cell or '' for cell in cells)} |"


def catalogue(
    release: Release, registry: Mapping[str, Country], countries: list[ExportedCountry], base_url: str
) -> dict[str, Any]:
    """Return the catalogue of an export: one data set per country, in two formats.

    Returns:
        A JSON-LD document, with addresses relative to its own.
    """
    publisher = {"@type": "foaf:Agent", "foaf:name": "Padrón", "foaf:homepage": {"@id": base_url}}
    sources = {entry["countryCode"]: entry["sources"] for entry in release.coverage["countries"]}
    modified = {"@type": "xsd:dateTime", "@value": release.generated_at}
    return {
        "@context": _CONTEXT,
        "@id": "catalogue.jsonld",
        "@type": "dcat:Catalog",
        "dct:title": _texts(bilingual("Padrón: companies of the Americas")),
        "dct:description": _texts(bilingual("Companies in the official registers, by country.")),
        "dct:publisher": publisher,
        "dct:modified": modified,
        "dcat:dataset": [
            {
                "@id": f"#{exported.country.lower()}",
                "@type": "dcat:Dataset",
                "dct:title": _texts(bilingual("Companies of {country}", country=registry[exported.country].name)),
                "dct:description": _texts(
                    bilingual(
                        "Identifier, name, status and activity of the companies of {country} in official registers.",
                        country=registry[exported.country].name,
                    )
                ),
                "dct:identifier": f"padron-{exported.country.lower()}",
                "dct:publisher": publisher,
                "dct:modified": modified,
                "dcat:version": release.id,
                "dcat:theme": {"@id": f"{_AUTHORITY}/data-theme/ECON"},
                "dct:spatial": {
                    "@type": "dct:Location",
                    "dct:identifier": exported.country,
                    "skos:prefLabel": _texts(registry[exported.country].name),
                },
                "dct:source": [_source(source) for source in sources[exported.country]],
                "dcat:distribution": [_distribution(file) for file in exported.files],
            }
            for exported in countries
        ],
    }


def _distribution(file: ExportedFile) -> dict[str, Any]:
    return {
        "@id": f"#{file.name}",
        "@type": "dcat:Distribution",
        "dcat:accessURL": {"@id": file.name},
        "dcat:downloadURL": {"@id": file.name},
        **_FORMATS[file.name.rpartition(".")[2]],
        "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(file.bytes)},
        "dct:license": {"@id": "LICENCES.md", "@type": "dct:LicenseDocument"},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
            "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": file.sha256},
        },
    }


def _source(source: Mapping[str, Any]) -> dict[str, Any]:
    day = {"dct:modified": {"@type": "xsd:date", "@value": source["date"]}} if source["date"] else {}
    return {
        "@type": "dcat:Dataset",
        "dct:title": source["name"],
        "dcat:landingPage": {"@id": source["url"]},
        **day,
        "dct:rights": {
            "@type": "dct:RightsStatement",
            "rdfs:label": f"{source['licence']} · {source['attribution']}",
        },
    }


def _texts(text: Text) -> list[dict[str, str]]:
    return [{"@language": language, "@value": text.of(language)} for language in LANGUAGES]
