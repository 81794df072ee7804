"""Write `sources.md` and `sources.es.md` from the sources and origins that the countries declare.

    .venv/bin/python docs/generate_sources.py

`tests/ingest/test_fetch_document.py` fails when they are out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from padron.countries import REGISTRY
from padron.countries.country import Country, Source
from padron.countries.origin import Addresses, Index, Manual, Origin, Share, Table
from padron.words import Language, Text

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
_DAILY = Text("se renueva cada día", "renewed every day")
_PUBLISHER = Text("publica", "publisher")
_LICENCE = Text("licencia", "licence")
_HOW = Text("cómo se obtiene", "how it is got")
_MANNERS = Text("trato", "manners")
_READ = Text("se lee", "read as")
_LIVE = Text("publicador en vivo", "live publisher")
_NEVER = Text(
    "nunca probado; ensayado con un publicador simulado", "never exercised; rehearsed with a simulated publisher"
)
_LAST = Text("probado el {day}", "exercised on {day}")
_HAND_ONLY = Text("nunca probado; los archivos se ponen a mano", "never exercised; the files are placed by hand")
_REMADE = Text("copia que otra persona rehízo", "a copy that somebody re-made")
_KEPT = Text(
    "se guarda sin leer: dice qué declarantes tienen novedades desde el archivo nocturno",
    "kept unread: it tells which filers have news since the nightly file",
)
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
_PLACED = Text(
    "Los archivos se ponen en `{folder}`, en la carpeta de datos.",
    "The files are placed in `{folder}` of the data folder.",
)
_REQUESTS = Text(
    "peticiones por segundo: {rate:g}, a la vez: {connections}", "requests a second: {rate:g}, at once: {connections}"
)
_CONTACT = Text("exige un contacto", "asks for a contact")
_INSIDE = Text("solo responde dentro del país (use un espejo)", "answers only inside the country (use a mirror)")
_OLD_TLS = Text("TLS antiguo", "old TLS")


_UNREAD_TITLE = Text("Lo que se publica y no se lee", "What is published and not read")
_UNREAD = (
    (
        "Supercias, balances 2014",
        Text(
            "un solo año, con otros números de cuenta que el formulario 101 y sin dirección conocida; el ranking da "
            "ese año, salvo el activo y el pasivo corrientes.",
            "one year, with other account numbers than form 101 and no known address; the ranking has that year, but "
            "for current assets and liabilities.",
        ),
    ),
    (
        "SIIS (panel 2017)",
        Text(
            "solo hay doce filas que otra persona rehízo; las tablas NIIF tienen esos años en su forma oficial.",
            "there are twelve rows that somebody re-made; the NIIF tables have those years in their official form.",
        ),
    ),
    (
        "SEC, NUM/TAG/PRE (Financial Statement Data Sets)",
        Text(
            "los mismos hechos que companyfacts, con las fechas redondeadas a fin de mes y sin correcciones.",
            "the facts of companyfacts again, with dates rounded to the end of the month and without corrections.",
        ),
    ),
    (
        "GLEIF, deltas",
        Text(
            "no adelantan nada: la copia dorada es igual de reciente, se descarga solo si cambió, una vez para todos "
            "los países, y se lee en una pasada; una diferencia que faltara se notaría tarde.",
            "they are no fresher: the golden copy is as new, is downloaded only when it changed, once for all "
            "countries, and read in one pass; a delta that was missed would be noticed late.",
        ),
    ),
    (
        "GLEIF, TransliteratedOtherEntityNames",
        Text(
            "transcripciones a letras latinas; los nombres de los países cubiertos ya lo están.",
            "names put into Latin letters; those of the countries covered are written in them.",
        ),
    ),
    (
        "RUES, incrementos por `:updated_at` · increments",
        Text(
            "no dicen qué filas desaparecieron; la tabla se pide entera, por páginas de 50.000 filas, solo cuando el "
            "portal dice que cambió.",
            "they do not tell which rows went away; the table is asked for whole, by pages of 50,000 rows, only when "
            "the portal says that it changed.",
        ),
    ),
    (
        "NIIF, carátula `6hqw-m3dm` · flujo de efectivo `ctcp-462n` · otro resultado integral `y3gh-x5g7`",
        Text(
            "ninguna de las cifras que se publican está allí; los nombres de la carátula perdieron letras.",
            "none of the figures that are published is there; the names of the cover page have lost letters.",
        ),
    ),
    (
        "Receita Federal, Sócios · Regime tributário",
        Text(
            "los socios son personas; el régimen tributario no identifica a la empresa.",
            "partners are persons; the tax regime identifies no company.",
        ),
    ),
    (
        "CVM, DFP de aseguradoras · insurers",
        Text(
            "tienen su propio plan de cuentas: se leen por la redacción de las cuentas principales, y no hubo archivo "
            "de ninguna con que comprobar las cifras a ojo.",
            "they have a plan of accounts of their own: they are read by the wording of the top accounts, and no file "
            "of one could be had to check figures by eye.",
        ),
    ),
    (
        "México · Argentina",
        Text(
            "los estados financieros de las empresas no son datos abiertos; las que cotizan en EE. UU. tienen los que "
            "presentan a la SEC.",
            "statements of companies are not open data; those listed in the United States have what they file with the "
            "SEC.",
        ),
    ),
)


def document(language: Language) -> str:
    """The page in a language."""
    other: Language = "es" if language == "en" else "en"
    link = f"[{'Español' if other == 'es' else 'English'}]({FILES[other]})"
    parts = [f"# {_TITLE.of(language)}\n\n{link}\n\n{_INTRODUCTION.of(language)}\n"]
    for country in REGISTRY.values():
        parts.append(f"## {country.name.of(language)} ({country.code})\n")
        parts += (_source(country, source, language) for source in _sources(country))
    parts.append(f"## {_UNREAD_TITLE.of(language)}\n")
    parts.append("".join(f"- **{name}**: {why.of(language)}\n" for name, why in _UNREAD))
    return "\n".join(parts)


def _sources(country: Country) -> list[Source]:
    return list({source.key: source for source in (*country.sources, *country.collected)}.values())


def _source(country: Country, source: Source, language: Language) -> str:
    origin = next((origin for origin in country.origins if origin.source == source.key), None)
    cadence = (_CADENCE if source.cadence > 1 else _DAILY).of(language).format(days=source.cadence)
    layouts = ", ".join(
        f"`{layout.match}`" + ("" if layout.official else f" ({_REMADE.of(language)})") for layout in source.layouts
    )
    lines = [
        f"### [{source.name}]({source.url}) (`{source.key}`)\n",
        f"- {_PUBLISHER.of(language)}: {source.publisher}; {cadence}",
        f"- {_LICENCE.of(language)}: {source.licence}",
    ]
    if origin is None or isinstance(origin.way, Manual):
        folder = f"official/{country.code.lower()}/{source.key}"
        steps = origin.way.steps.of(language) if origin else _PLACED.of(language).format(folder=folder)
        lines.append(f"- {_HOW.of(language)}: **{_BY_HAND.of(language)}.** {steps}")
        live = _HAND_ONLY.of(language)
    else:
        lines.append(f"- {_HOW.of(language)}: {_way(origin, language)}")
        lines.append(f"- {_MANNERS.of(language)}: {', '.join(_manners(origin, language))}")
        live = _LAST.of(language).format(day=origin.exercised) if origin.exercised else _NEVER.of(language)
    lines.append(f"- {_LIVE.of(language)}: **{live}**")
    lines.append(f"- {_READ.of(language)}: {layouts or _KEPT.of(language)}\n")
    return "\n".join(lines)


def _way(origin: Origin, language: Language) -> str:
    way = origin.way
    if isinstance(way, Addresses):
        files = way.of(DAY)
        text = _ONE if len(files) == 1 else _FIXED
        return text.of(language).format(count=len(files), url=f"<{files[0].url}>")
    if isinstance(way, Index):
        return _INDEX.of(language).format(url=f"<{way.url}>")
    if isinstance(way, Share):
        url = way.listing.split("/public.php")[0]
        return _SHARE.of(language).format(url=f"<{url}>", share=way.share, count=len(way.names) + len(way.optional))
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
