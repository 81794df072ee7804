"""CUIT, the tax number of ARCA (ex AFIP), and the correlative number of the Inspección General de Justicia (IGJ).

A CUIT is `PP-NNNNNNNN-D`. Prefixes 30, 33 and 34 are legal entities, 50, 51 and 55 entities abroad, 20, 23, 24, 25, 26
and 27 natural persons (AFIP, RG 10/1997 and its practice; the sample of the Registro Nacional de Sociedades holds 33
and 34 only, COMPR.AR 30, 33 and 34).
"""

from __future__ import annotations

import re

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_CUIT_WORDS = re.compile(r"\s*c\.?u\.?i\.?[tl]\b\.?[\s:.#-]*(?:n[.º°o]*)?[\s:-]*", re.IGNORECASE)
_IGJ_WORDS = re.compile(r"\s*(?:(?:i\.?g\.?j|n[uú]mero|correlativo|n[.º°o]*)(?![a-z])[\s:.#-]*)*", re.IGNORECASE)
_CORRELATIVE = re.compile(r"0*([1-9][0-9]{0,7})|([1-9][0-9]{0,2}(?:\.[0-9]{3}){1,2})")
_ENTITIES = ("30", "33", "34", "50", "51", "55")
_PERSONS = ("20", "23", "24", "25", "26", "27")
_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)


def valid_cuit(value: str) -> bool:
    """Check the last of 11 digits: 11 less the weighted sum mod 11, where 11 is written 0.

    A remainder of 10 has no digit: such a number is given another prefix, so nothing matches it.
    """
    digit = -sum(weight * int(char) for weight, char in zip(_WEIGHTS, value[:10], strict=True)) % 11
    return str(digit) == value[10]


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the readings of `raw`: a CUIT (11 digits), an IGJ correlative number (1 to 8 digits), or an LEI.

    Leading zeros of a correlative number are dropped. Raises `NotFound("natural-person-not-covered")` for a person's
    CUIT or CUIL and `Invalid("invalid-identifier")` for all else.
    """
    if lei := identify_lei(raw):
        return (lei,)
    label = _CUIT_WORDS.match(raw)
    value = re.sub(r"[\s./\-]", "", raw[label.end() :] if label else raw)
    if re.fullmatch(r"[0-9]{11}", value):
        if value.startswith(_PERSONS):
            raise NotFound("natural-person-not-covered")
        if value.startswith(_ENTITIES):
            return (Identifier("ar-cuit", value, valid_cuit(value)),)
    elif not label and (correlative := _CORRELATIVE.fullmatch(_IGJ_WORDS.sub("", raw, count=1).strip())):
        return (Identifier("ar-igj", (correlative[1] or correlative[2]).replace(".", "")),)
    raise Invalid("invalid-identifier", parameter="identifier", country="AR")


def show_cuit(value: str) -> str:
    """Format a CUIT as it is customarily written.

    >>> show_cuit("30711544581")
    '30-71154458-1'
    """
    return f"{value[:2]}-{value[2:10]}-{value[10]}"


SCHEMES = (
    Scheme(
        "ar-cuit",
        Text("CUIT", "CUIT"),
        "primary",
        ("cuit",),
        show=show_cuit,
        check=slice(10, 11),
        shape="[0-9]{11}",
        meaning=Text(
            "Clave Única de Identificación Tributaria que da la autoridad tributaria argentina (ARCA, antes "
            "AFIP). 11 dígitos.",
            "Tax identification key given by Argentina's tax authority (ARCA, formerly AFIP). 11 digits.",
        ),
        phrases=("clave unica de identificacion tributaria",),
        tax=True,
        official_page=OfficialPage(
            "ARCA", "https://seti.afip.gob.ar/padron-puc-constancia-internet/ConsultaConstanciaAction.do"
        ),
    ),
    Scheme(
        "ar-igj",
        Text("N.º correlativo IGJ", "IGJ number"),
        "fallback",
        ("igj", "correlativo"),
        meaning=Text(
            "Número correlativo en la Inspección General de Justicia de la Ciudad de Buenos Aires.",
            "Serial number at the Inspección General de Justicia of the City of Buenos Aires.",
        ),
    ),
    LEI,
)
