"""Where the files of Argentina are got: the catalogue (CKAN) of the Ministry of Justice, whose resource ids change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from padron.countries.ar.sources import COMPR_AR, IGJ, RNS
from padron.model import Text
from padron.origin import GLEIF, File, Index, Manners, Manual, Origin

_JUSTICE = Manners("datos.jus.gob.ar")


def _newest(name: str, *, beside: str | None = None) -> Callable[[bytes], Sequence[File]]:
    """The resource of a CKAN package whose file has the newest name of those that match, and of those `beside` it.

    Names hold a year, `AAAA.zip`, or a part of one, `AAAA-semestre-N.zip`, `AAAAMMDD.csv`: the newest zip holds the
    newest months. A package has the main file always, and had none beside it before 2026.
    """

    def choose(document: bytes) -> Sequence[File]:
        urls = [str(resource["url"]) for resource in json.loads(document)["result"]["resources"]]
        found = [_last(pattern, urls) for pattern in (name, beside) if pattern]
        if found[0] is None:
            raise ValueError(name)
        return [file for file in found if file]

    return choose


def _last(pattern: str, urls: Sequence[str]) -> File | None:
    """The file of the newest year, and part of it, among those whose name fits."""
    found = {}
    for url in urls:
        file = url.rsplit("/", 1)[-1]
        if match := re.fullmatch(pattern, file):
            found[match[1], match[2] or "9"] = File(file, url)
    return found[max(found)] if found else None


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
            )
        ),
        Manners("comprar"),
    ),
    GLEIF,
)
