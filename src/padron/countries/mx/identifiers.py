"""RFC of the SAT, the identifiers of INEGI's DENUE, and the NRA of SEMARNAT.

An RFC of a legal entity has 12 characters: three letters of the name (with Ñ and &), its date of constitution as
YYMMDD, two characters of homoclave and a check digit; 13 characters are a natural person's (Anexo 3 of the Resolución
Miscelánea Fiscal, "Instructivo para la formación de la clave del RFC"). A CLEE has 28: state, municipality, SCIAN
class, running number and flags (20 digits), six digits that link the units of one enterprise, a letter (U single unit,
M head unit, S branch) and a digit; a DENUE id is a plain number. An NRA (número de registro ambiental) is given to a
plant and begins with three letters of its company; over the files of 2013 and 2022 it has 12 characters, or 13 with ten
digits. None of these three is a legal identifier.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_LABEL = re.compile(r"(?:(?P<rfc>RFC)|(?P<clee>CLEE|IDDENUE|DENUE)|(?P<nra>NRA))[:#]?(?=.)")
_SEPARATORS = re.compile(r"[\s.\-/_]+")
_RFC = re.compile(r"[A-ZÑ&]{3}(?P<date>[0-9]{6})[0-9A-Z]{2}[0-9A]")
_PERSON = re.compile(r"[A-ZÑ&]{4}(?P<date>[0-9]{6})(?:[0-9A-Z]{3}|[HMX][A-Z]{5}[0-9A-Z][0-9])?")
"""A natural person's RFC, with or without homoclave, or a CURP."""
_GENERIC = ("XAXX010101000", "XEXX010101000")
"""The RFCs that stand in invoices for "the public" and "a foreigner"."""
_CLEE = re.compile(r"(?:0[1-9]|[12][0-9]|3[0-2])[0-9]{24}[A-Z][0-9]")
_NRA = re.compile(r"[A-ZÑ][A-ZÑ&]{2}(?:[0-9]{10}|[0-9A-Z]{2}[0-9]{6}[0-9A-Z])")
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
    """Return the readings of `raw`: an RFC of a legal entity, an NRA, a CLEE, a DENUE id (up to ten digits), or an LEI.

    Twelve characters can be an RFC and an NRA. `valid_check` reports a wrong check digit of an RFC. Raises
    `NotFound("natural-person-not-covered")` for the RFC or CURP of a natural person, and
    `Invalid("invalid-identifier")` for all else: generic and foreign pseudo-RFCs too.
    """
    if lei := identify_lei(raw):
        return (lei,)
    whole = _SEPARATORS.sub("", unicodedata.normalize("NFKC", raw).upper())
    label = None if _RFC.fullmatch(whole) else _LABEL.match(whole)
    scheme = label.lastgroup if label else None
    value = whole[label.end() :] if label else whole
    if value not in _GENERIC and (person := _PERSON.fullmatch(value)) and _is_date(person["date"]):
        raise NotFound("natural-person-not-covered")
    readings = tuple(reading for name, reading in _readings(value) if scheme in {None, name})
    if not readings:
        raise Invalid("invalid-identifier", parameter="identifier", country="MX")
    return readings


def _readings(value: str) -> Iterator[tuple[str, Identifier]]:
    """Yield the readings of a number without its label, each with the name of the label it may have."""
    if (rfc := _RFC.fullmatch(value)) and _is_date(rfc["date"]):
        yield "rfc", Identifier("mx-rfc", value, check_digit(value) == value[11])
    if _NRA.fullmatch(value):
        yield "nra", Identifier("mx-nra", value)
    if _CLEE.fullmatch(value):
        yield "clee", Identifier("mx-clee", value)
    if unit := _DENUE_ID.fullmatch(value):
        yield "clee", Identifier("mx-clee", unit["value"])


_SIGER = OfficialPage("Registro Público de Comercio (SIGER)", "https://rpc.economia.gob.mx/siger2/", "name")
"""Register in which every commercial company has to be enrolled and whose acts are public; looked up by name.

Source: https://rpc.economia.gob.mx/siger2/xhtml/faq.xhtml, questions 1 and 2.
"""

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
        official_page=_SIGER,
    ),
    Scheme(
        "mx-clee",
        Text("CLEE (DENUE)", "CLEE (DENUE)"),
        "fallback",
        ("clee", "denue", "id denue"),
        meaning=Text(
            "Clave Estadística Empresarial del INEGI de México o, donde no hay clave, el id de su directorio DENUE: "
            "una y otro son de una unidad económica (un establecimiento). No es un número tributario.",
            "Statistical key of Mexico's INEGI or, where there is none, the id of its directory DENUE; both are of an "
            "economic unit (an establishment). It is not a tax number.",
        ),
        official_page=_SIGER,
    ),
    Scheme(
        "mx-nra",
        Text("NRA", "NRA"),
        "fallback",
        ("nra", "registro ambiental"),
        meaning=Text(
            "Número de Registro Ambiental: el que da la SEMARNAT de México a cada planta que informa sus emisiones. "
            "No es un número tributario.",
            "Environmental register number, given by Mexico's SEMARNAT to each plant that reports emissions. It is "
            "not a tax number.",
        ),
        phrases=("numero de registro ambiental",),
        official_page=_SIGER,
    ),
    LEI,
)
