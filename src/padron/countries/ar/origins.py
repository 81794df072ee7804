"""Where the files of Argentina are got: the catalogue (CKAN) of the Ministry of Justice, whose resource ids change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from padron.countries.ar.sources import COMPR_AR, IGJ, RNS
from padron.model import Text
from padron.origin import GLEIF, File, Index, Manners, Manual, Origin

_JUSTICE = Manners("datos.jus.gob.ar")


def _newest(name: str) -> Callable[[bytes], Sequence[File]]:
    """The resource of a CKAN package whose file has the newest name of those that match.

    Names hold a year, `AAAA.zip`, or a half of one, `AAAA-semestre-N.zip`: the newest zip holds the newest months.
    """

    def choose(document: bytes) -> Sequence[File]:
        resources = json.loads(document)["result"]["resources"]
        found = {}
        for resource in resources:
            file = str(resource["url"]).rsplit("/", 1)[-1]
            if match := re.fullmatch(name, file):
                found[match[1], match[2] or "9"] = File(file, resource["url"])
        if not found:
            raise ValueError(name)
        return [found[max(found)]]

    return choose


_PACKAGE = "https://datos.jus.gob.ar/api/3/action/package_show?id="

ORIGINS = (
    Origin(
        RNS.key,
        Index(
            f"{_PACKAGE}registro-nacional-de-sociedades",
            _newest(r"registro-nacional-sociedades-(\d{4})(?:-semestre-(\d))?\.zip"),
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
