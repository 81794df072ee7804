"""Writes `sources.md` and `sources.es.md` from what the countries state of their sources and where they are got.

    .venv/bin/python docs/generate_sources.py

`tests/ingest/test_fetch_document.py` fails when they are out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from padron.countries import REGISTRY
from padron.country import Country, Source
from padron.model import Language, Text
from padron.origin import Addresses, Index, Manual, Origin, Share, Table

DOCS = Path(__file__).resolve().parent
FILES: dict[Language, str] = {"en": "sources.md", "es": "sources.es.md"}
DAY = date(2026, 11, 20)
"""The day whose addresses are shown, of sources that have a file a day, quarter or year."""

_TITLE = Text("Fuentes oficiales", "Official sources")
_INTRODUCTION = Text(
    "Esta página se genera de lo que declara cada país (`docs/generate_sources.py`). `padron fetch PAÍS` obtiene las "
    "fuentes; `padron sources` dice la fecha y el estado de cada una. Cómo tenerlas al día: "
    "[operations.md](operations.md).",
    "This page is generated from what each country states (`docs/generate_sources.py`). `padron fetch COUNTRY` gets "
    "the sources; `padron sources` tells the date and state of each. How to keep them fresh: "
    "[operations.md](operations.md).",
)
_CADENCE = Text("se renueva cada {days} días", "renewed every {days} days")
_PUBLISHER = Text("publica", "publisher")
_LICENCE = Text("licencia", "licence")
_HOW = Text("cómo se obtiene", "how it is got")
_MANNERS = Text("trato", "manners")
_READ = Text("se lee", "read as")
_LIVE = Text("publicador en vivo", "live publisher")
_NEVER = Text("aún no se ha probado", "not yet exercised")
_LAST = Text("probado el {day}", "exercised on {day}")
_NOT_READ = Text("se guarda, aún no se lee", "kept, not read yet")
_FIXED = Text("{count} archivos, el primero {url}", "{count} files, the first {url}")
_ONE = Text("un archivo, {url}", "one file, {url}")
_INDEX = Text("el archivo más nuevo del catálogo {url}", "the newest file of the catalogue {url}")
_SHARE = Text(
    "carpetas de un mes en {url} (recurso `{share}`, ajustable): {count} archivos de una misma edición, o se conserva "
    "el mes anterior",
    "folders of a month at {url} (share `{share}`, a setting): {count} files of one issue, or the month before is kept",
)
_TABLE = Text(
    "tabla `{dataset}` de {host} por páginas, solo las columnas que se leen",
    "table `{dataset}` of {host} by pages, only the columns that are read",
)
_BY_HAND = Text("a mano", "by hand")
_REQUESTS = Text(
    "{rate:g} peticiones por segundo, {connections} a la vez", "{rate:g} requests a second, {connections} at once"
)
_CONTACT = Text("exige un contacto", "asks for a contact")
_INSIDE = Text("solo responde dentro del país (use un espejo)", "answers only inside the country (use a mirror)")
_OLD_TLS = Text("TLS antiguo", "old TLS")


def document(language: Language) -> str:
    """The page in a language."""
    other: Language = "es" if language == "en" else "en"
    link = f"[{'Español' if other == 'es' else 'English'}]({FILES[other]})"
    parts = [f"# {_TITLE.of(language)}\n\n{link}\n\n{_INTRODUCTION.of(language)}\n"]
    for country in REGISTRY.values():
        parts.append(f"## {country.name.of(language)} ({country.code})\n")
        parts += (_source(country, source, language) for source in _sources(country))
    return "\n".join(parts)


def _sources(country: Country) -> list[Source]:
    return list({source.key: source for source in (*country.sources, *country.collected)}.values())


def _source(country: Country, source: Source, language: Language) -> str:
    [origin] = [origin for origin in country.origins if origin.source == source.key]
    days = f"{source.cadence}"
    live = _LAST.of(language).format(day=origin.exercised) if origin.exercised else _NEVER.of(language)
    layouts = ", ".join(f"`{layout.match}`" for layout in source.layouts if layout.official)
    lines = [
        f"### [{source.name}]({source.url}) (`{source.key}`)\n",
        f"- {_PUBLISHER.of(language)}: {source.publisher}; {_CADENCE.of(language).format(days=days)}",
        f"- {_LICENCE.of(language)}: {source.licence}",
        f"- {_HOW.of(language)}: {_way(origin, language)}",
    ]
    if not isinstance(origin.way, Manual):
        lines.append(f"- {_MANNERS.of(language)}: {', '.join(_manners(origin, language))}")
        lines.append(f"- {_LIVE.of(language)}: **{live}**")
    lines.append(f"- {_READ.of(language)}: {layouts or _NOT_READ.of(language)}\n")
    return "\n".join(lines)


def _way(origin: Origin, language: Language) -> str:
    way = origin.way
    if isinstance(way, Manual):
        return f"**{_BY_HAND.of(language)}.** {way.steps.of(language)}"
    if isinstance(way, Addresses):
        files = way.of(DAY)
        text = _ONE if len(files) == 1 else _FIXED
        return text.of(language).format(count=len(files), url=f"<{files[0].url}>")
    if isinstance(way, Index):
        return _INDEX.of(language).format(url=f"<{way.url}>")
    if isinstance(way, Share):
        url = way.listing.split("/public.php")[0]
        return _SHARE.of(language).format(url=f"<{url}>", share=way.share, count=len(way.names))
    assert isinstance(way, Table)
    return _TABLE.of(language).format(dataset=way.dataset, host=f"<{way.host}>")


def _manners(origin: Origin, language: Language) -> Iterator[str]:
    manners = origin.manners
    yield _REQUESTS.of(language).format(rate=manners.rate, connections=manners.connections)
    for asked, text in ((manners.contact, _CONTACT), (manners.inside, _INSIDE), (manners.old_tls, _OLD_TLS)):
        if asked:
            yield text.of(language)


def main() -> None:
    """Write both pages."""
    for language, name in FILES.items():
        (DOCS / name).write_text(document(language), "utf-8")


if __name__ == "__main__":
    main()
