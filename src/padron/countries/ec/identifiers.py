"""RUC, the tax number of the Servicio de Rentas Internas (SRI), and EXPEDIENTE, the file number of Supercias.

A RUC has 13 digits: province (01-24, 30 and 50 abroad), a type digit, body and check digit, and the establishment. Type
9 is a private company, 6 a public body (last four digits 0001), 0-5, and 6 in newer numbers, a natural person (the
cédula's ten digits and 001).

The modulus 11 check is advice only. Of 1,000 companies of the 2024 ranking 39 fail it, of 58 RUCs given out on one day
of 2025 40 do, none of 219 that filed for 2020: since about 2022 the tenth digit is part of a serial number.
"""

from __future__ import annotations

import re

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_SEPARATORS = re.compile(r"[\s.,\-]")
_WRITTEN = re.compile(r"(?:(RUC)|(EXP(?:EDIENTE)?))?(?:N[O°º]?|#)?:?([0-9]+)")
_PROVINCE = r"(?:0[1-9]|1[0-9]|2[0-4]|30|50)"
_COMPANY = re.compile(rf"{_PROVINCE}(?:9[0-9]{{7}}(?:(?!000)[0-9]{{3}})?|6[0-9]{{6}}0001)")
_PERSON = re.compile(rf"{_PROVINCE}[0-6][0-9]{{7}}(?:(?!000)[0-9]{{3}})?")
_EXPEDIENTE = re.compile(r"0*([1-9][0-9]{0,5})")
_PRIVATE_WEIGHTS = (4, 3, 2, 7, 6, 5, 4, 3, 2)
_PUBLIC_WEIGHTS = (3, 2, 7, 6, 5, 4, 3, 2)


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the reading of `raw`: a RUC of a company or public body, an expediente (1 to 6 digits), or an LEI.

    The RUC of a company may be that of any of its establishments, or their root, ten digits. Digits may be grouped by
    blanks, dots, commas or hyphens and follow "RUC" or "Expediente", which then must be right.
    Raises `NotFound("natural-person-not-covered")` for a cédula or a person's RUC and `Invalid("invalid-identifier")`
    for all else.
    """
    if written := _WRITTEN.fullmatch(_SEPARATORS.sub("", raw).upper()):
        has_ruc_word, has_expediente_word, number = written.groups()
        if not has_ruc_word and len(number) <= 6 and (expediente := _EXPEDIENTE.fullmatch(number)):
            return (Identifier("ec-expediente", expediente[1]),)
        if not has_expediente_word and _COMPANY.fullmatch(number):
            return (Identifier("ec-ruc", number, check_digit(number) == _given_digit(number)),)
        if _PERSON.fullmatch(number):
            raise NotFound("natural-person-not-covered")
    elif lei := identify_lei(raw):
        return (lei,)
    raise Invalid("invalid-identifier", parameter="identifier", country="EC")


def check_digit(ruc: str) -> int | None:
    """Compute the check digit (modulus 11) of a company's RUC; None for 10, since such numbers were not issued.

    >>> check_digit("1790016919001")
    9
    """
    weights = _PUBLIC_WEIGHTS if ruc[2] == "6" else _PRIVATE_WEIGHTS
    digit = -sum(weight * int(char) for weight, char in zip(weights, ruc, strict=False)) % 11
    return None if digit == 10 else digit


def _given_digit(ruc: str) -> int:
    """Return the check digit as written: the ninth digit of a public body's RUC, the tenth of a company's."""
    return int(ruc[8] if ruc[2] == "6" else ruc[9])


def root(ruc: str) -> str:
    """Return what the RUCs of all establishments of a company begin with; a public body has one establishment."""
    return ruc[:10] if ruc[2] == "9" else ruc


_SUPERCIAS = OfficialPage(
    "Supercias", "https://appscvsgen.supercias.gob.ec/consultaCompanias/societario/busquedaCompanias.jsf"
)

SCHEMES = (
    Scheme(
        "ec-ruc",
        Text("RUC", "RUC (tax number)"),
        "primary",
        ("ruc",),
        key=root,
        check=slice(9, 10),
        shape="[0-9]{13}",
        meaning=Text(
            "Registro Único de Contribuyentes: el número tributario que da el Servicio de Rentas Internas "
            "del Ecuador. 13 dígitos; los tres últimos son el establecimiento.",
            "Registro Único de Contribuyentes: the tax number given by Ecuador's Servicio de Rentas "
            "Internas. 13 digits; the last three are the establishment.",
        ),
        phrases=("registro unico de contribuyentes",),
        tax=True,
        official_page=_SUPERCIAS,
    ),
    Scheme(
        "ec-expediente",
        Text("Expediente", "Expediente (file number)"),
        "fallback",
        ("expediente", "exp"),
        meaning=Text(
            "Número del expediente de la compañía en la Superintendencia de Compañías del Ecuador.",
            "Number of the company's file at Ecuador's Superintendencia de Compañías.",
        ),
        official_page=_SUPERCIAS,
    ),
    LEI,
)
"""Companies are filed by expediente; the RUC is the primary number where it is known."""
