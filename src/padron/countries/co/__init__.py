"""Colombia: companies by NIT, from the lists of the Superintendencia de Sociedades."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries import gleif
from padron.countries.co.identifiers import SCHEMES, identify
from padron.countries.co.origins import ORIGINS
from padron.countries.co.sources import SOURCES
from padron.countries.country import Classification, Country, OfficialCount, Status
from padron.text import fold
from padron.words import Text

_INSOLVENCY = "reorg reestr negociacion validacion acuerdo concordato insolvencia near".split()
_REGISTRATION = {
    "activa": Status.ACTIVE,
    "matricula nueva constitucion por traslado": Status.ACTIVE,
    "inactiva": Status.INACTIVE,
    "inactiva por perdida de calidad de comerciante": Status.INACTIVE,
    "cancelada": Status.DISSOLVED,
    "cancelada por fusion": Status.DISSOLVED,
    "cancelada por reconstitucion": Status.DISSOLVED,
    "cancelada ley 1429": Status.DISSOLVED,
}
"""RUES estado_matricula. A registration cancelled because the seat moved (`CANCELADA POR TRASLADO DE DOMICILIO`) says
nothing of the company, which lives on in another chamber; nor do `SIN ESTADO`, `NO ASIGNADO` and their like."""


def status(raw: str) -> Status:
    """Map the official wording to a status.

    The end of a name: `EN LIQUIDACION …` (Código de Comercio, art. 222), or `EN REORGANIZACION` and the other
    proceedings with creditors (Ley 1116 of 2006), during which the company goes on trading. Also the states of
    RUES and of GLEIF.
    """
    text = fold(raw)
    if "liquidacion" in text:
        return Status.IN_LIQUIDATION
    if any(word in text for word in _INSOLVENCY):
        return Status.ACTIVE
    return _REGISTRATION.get(text) or gleif.STATUS.get(raw, Status.UNKNOWN)


CO = Country(
    code="CO",
    name=Text("Colombia", "Colombia"),
    demonyms=("colombia", "colombiana", "colombiano", "colombian"),
    phrases=("republica de colombia", "colombianas", "colombianos"),
    acronym_after_form=True,
    in_lists=("col", "republic of colombia"),
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    reads=identify,
    status=status,
    classification=Classification("CIIU", "4 A.C."),
    isic="division",
    official_count=OfficialCount(
        1_740_168,
        Text(
            "empresas activas en el RUES, cerca del 68 % de personas naturales",
            "active businesses in the RUES, about 68 % of them sole traders",
        ),
        date(2023, 12, 31),
        "Cifra récord de 1.740.168 empresas activas (El Correo, Ministerio de Comercio, 2024-03-08)",
        "https://www.periodicoelcorreo.co/actividad-politica-en-antioquia/cifra-record-de-1740-168-empresas-activas/",
        date(2026, 11, 22),
    ),
    folder=Path(__file__).parent,
    examples=(("co-nit", "899999068"), ("co-nit", "900276962"), ("co-nit", "890904996")),
    open_statements="800000946",
    exchanges=("bvc",),
)
