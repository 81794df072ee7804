"""RFC of the SAT and the identifiers of INEGI's DENUE.

An RFC of a legal entity has 12 characters: three letters of the name (with Ñ and &), its date of constitution as
YYMMDD, two characters of homoclave and a check digit; 13 characters are a natural person's (Anexo 3 of the Resolución
Miscelánea Fiscal, "Instructivo para la formación de la clave del RFC"). A CLEE has 28: state, municipality, SCIAN
class, running number and flags (20 digits), six digits that link the units of one enterprise, a letter (U single unit,
M head unit, S branch) and a digit; a DENUE id is a plain number. Neither of these two is a legal identifier.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from padron.country import LEI, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.model import Identifier, Text

_LABEL = re.compile(r"(?:(?P<rfc>RFC)|(?P<clee>CLEE|IDDENUE|DENUE))[:#]?(?=.)")
_SEPARATORS = re.compile(r"[\s.\-/_]+")
_RFC = re.compile(r"[A-ZÑ&]{3}(?P<date>[0-9]{6})[0-9A-Z]{2}[0-9A]")
_PERSON = re.compile(r"[A-ZÑ&]{4}(?P<date>[0-9]{6})(?:[0-9A-Z]{3}|[HMX][A-Z]{5}[0-9A-Z][0-9])?")
"""A natural person's RFC, with or without homoclave, or a CURP."""
_GENERIC = ("XAXX010101000", "XEXX010101000")
"""The RFCs that stand in invoices for "the public" and "a foreigner"."""
_CLEE = re.compile(r"(?:0[1-9]|[12][0-9]|3[0-2])[0-9]{24}[A-Z][0-9]")
_DENUE_ID = re.compile(r"(?=[0-9]{1,10}\Z)0*(?P<value>[1-9][0-9]*)")
_VALUES = {char: value for value, char in enumerate("0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ")}


def check_digit(rfc: str) -> str:
    """Compute the check digit of the first 11 characters of a 12-character RFC.

    A blank goes in front; the weights run from 13 down to 2. About 3 in 1,000 registered RFCs fail it.

    >>> check_digit("ÑEX121116KM4")
    '4'
    """
    total = sum(weight * _VALUES[char] for weight, char in zip(range(13, 1, -1), " " + rfc[:11], strict=True))
    return "0A987654321"[total % 11]


def _is_date(digits: str) -> bool:
    """Check that YYMMDD is a day of the 20th or the 21st century."""
    for century in ("19", "20"):
        try:
            date(int(century + digits[:2]), int(digits[2:4]), int(digits[4:]))
        except ValueError:
            continue
        return True
    return False


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the reading of `raw`: an RFC of a legal entity, a CLEE, a DENUE id (up to ten digits), or an LEI.

    `valid_check` reports a wrong check digit of an RFC. Raises `NotFound("natural-person-not-covered")` for the RFC
    or CURP of a natural person, and `Invalid("invalid-identifier")` for all else: generic and foreign pseudo-RFCs too.
    """
    if lei := identify_lei(raw):
        return (lei,)
    whole = _SEPARATORS.sub("", unicodedata.normalize("NFKC", raw).upper())
    label = None if _RFC.fullmatch(whole) else _LABEL.match(whole)
    value = whole[label.end() :] if label else whole
    if value not in _GENERIC and (person := _PERSON.fullmatch(value)) and _is_date(person["date"]):
        raise NotFound("natural-person-not-covered")
    if (rfc := _RFC.fullmatch(value)) and _is_date(rfc["date"]) and not (label and label["clee"]):
        return (Identifier("mx-rfc", value, check_digit(value) == value[11]),)
    if not (label and label["rfc"]):
        if _CLEE.fullmatch(value):
            return (Identifier("mx-clee", value),)
        if unit := _DENUE_ID.fullmatch(value):
            return (Identifier("mx-clee", unit["value"]),)
    raise Invalid("invalid-identifier", parameter="identifier", country="MX")


SCHEMES = (
    Scheme(
        "mx-rfc",
        Text("RFC", "RFC"),
        "primary",
        ("rfc",),
        check=slice(11, 12),
        shape="[A-ZÑ&]{3}[0-9]{6}[0-9A-Z]{3}",
        meaning=Text(
            "Registro Federal de Contribuyentes: la clave tributaria que da el SAT de México. 12 caracteres "
            "para una empresa.",
            "Registro Federal de Contribuyentes: the tax code given by Mexico's SAT. 12 characters for a company.",
        ),
        phrases=("registro federal de contribuyentes",),
        tax=True,
    ),
    Scheme(
        "mx-clee",
        Text("CLEE (DENUE)", "CLEE (DENUE)"),
        "fallback",
        ("clee", "denue", "id denue"),
        meaning=Text(
            "Clave Estadística Empresarial del INEGI de México; identifica la unidad matriz en el DENUE. No "
            "es un número tributario.",
            "Statistical key of Mexico's INEGI; it identifies the head unit in the DENUE. It is not a tax number.",
        ),
    ),
    LEI,
)
