"""Download addresses of the Argentine files: the catalogue (CKAN) of the Ministry of Justice, whose ids change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from padron.countries.ar.sources import COMPR_AR, IGJ, RNS
from padron.countries.origin import GLEIF, File, Index, Manners, Manual, Origin
from padron.words import Text

_JUSTICE = Manners("datos.jus.gob.ar")


def _newest(name: str, *, beside: str | None = None) -> Callable[[bytes], Sequence[File]]:
    """Choose the resource of a CKAN package with the newest file name that matches, and the newest `beside` it.

    Names hold a year, `AAAA.zip`, or a part of one, `AAAA-semestre-N.zip`, `AAAAMMDD.csv`: the newest zip holds the
    newest months. A package always has the main file; before 2026 it had no second one.
    """

    def choose(document: bytes) -> Sequence[File]:
        urls = [str(resource["url"]) for resource in json.loads(document)["result"]["resources"]]
        newest = [_last(pattern, urls) for pattern in (name, beside) if pattern]
        if newest[0] is None:
            raise ValueError(name)
        return [file for file in newest if file]

    return choose


def _last(pattern: str, urls: Sequence[str]) -> File | None:
    """Return the file of the newest year and part of a year among those whose name matches."""
    files = {}
    for url in urls:
        file = url.rsplit("/", 1)[-1]
        if match := re.fullmatch(pattern, file):
            files[match[1], match[2] or "9"] = File(file, url)
    return files[max(files)] if files else None


_PACKAGE = "https://datos.jus.gob.ar/api/3/action/package_show?id="

ORIGINS = (
    Origin(
        RNS.key,
        Index(
            f"{_PACKAGE}registro-nacional-de-sociedades",
            _newest(
                r"registro-nacional-sociedades-(\d{4})(?:-semestre-(\d))?\.zip",
                # Associations and foundations have a file of their own since 2026.
                beside=r"registro-nacional-sociedades-asociaciones-sin-fines-lucro-(\d{4})(\d{4})?\.(?:zip|csv)",
            ),
        ),
        _JUSTICE,
    ),
    Origin(
        IGJ.key,
        Index(
            f"{_PACKAGE}entidades-constituidas-en-la-inspeccion-general-de-justicia-igj",
            _newest(r"igj-(\d{4})(?:-semestre-(\d))?\.zip"),
        ),
        _JUSTICE,
    ),
    Origin(
        COMPR_AR.key,
        Manual(
            Text(
                "Adjudicaciones de 2020 que vienen con el proyecto. La línea de encabezados de los archivos de hoy no "
                "se ha visto: guarde el archivo del año sin ella como adjudicaciones-<año>.csv.",
                "Awards of 2020 that come with the project. The header line of today's files has not been seen: save "
                "the year's file without it as adjudicaciones-<year>.csv.",
            ),
            "adjudicaciones-YYYY.csv",
        ),
        Manners("comprar"),
    ),
    GLEIF,
)
