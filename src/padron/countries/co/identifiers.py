"""NIT, the tax number of the DIAN: nine digits and a check digit (DV) that is kept apart.

Companies and other bodies have NITs from 800,000,000 up. A natural person's NIT is the cédula: below 800,000,000, or
ten digits that begin with 1. DV: Orden Administrativa 4 of 1989 of the DIAN; digits from right to left by the primes of
`_WEIGHTS`, remainder by 11, itself below 2 and else 11 less it. No open source carries it reliably, so it is computed.
"""

from __future__ import annotations

import re

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_SEPARATORS = re.compile(r"[\s.,\-]")
_WRITTEN = re.compile(r"(?:NIT)?(?:N[O°º]?|#)?:?([0-9]+)")
_COMPANY = re.compile(r"([89][0-9]{8})([0-9])?")
_PERSON = re.compile(r"1[0-9]{9}|[1-7][0-9]{8}|[1-9][0-9]{5,7}")
_PERSON_WITH_DV = re.compile(r"(1[0-9]{9})([0-9])")
_WEIGHTS = (3, 7, 13, 17, 19, 23, 29, 37, 41, 43)


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the reading of `raw`: a NIT with or without its check digit, or an LEI.

    Digits may be grouped by blanks, dots, commas or hyphens and follow "NIT". Ten digits are a NIT and its DV when the
    first is 8 or 9; without a DV there is no verdict on it. Raises `NotFound("natural-person-not-covered")` for a
    cédula or a person's NIT and `Invalid("invalid-identifier")` for all else.
    """
    if written := _WRITTEN.fullmatch(_SEPARATORS.sub("", raw).upper()):
        if company := _COMPANY.fullmatch(written[1]):
            nit, given = company.groups()
            return (Identifier("co-nit", nit, int(given) == check_digit(nit) if given else None),)
        person = _PERSON_WITH_DV.fullmatch(written[1])
        if _PERSON.fullmatch(written[1]) or (person and int(person[2]) == check_digit(person[1])):
            raise NotFound("natural-person-not-covered")
    elif lei := identify_lei(raw):
        return (lei,)
    raise Invalid("invalid-identifier", parameter="identifier", country="CO")


def check_digit(nit: str) -> int:
    """Compute the DV of a NIT of up to ten digits.

    >>> check_digit("899999068")
    1
    """
    rest = sum(weight * int(char) for weight, char in zip(_WEIGHTS, reversed(nit), strict=False)) % 11
    return rest if rest < 2 else 11 - rest


def show(nit: str) -> str:
    """Format a NIT as it is customarily written, with its check digit.

    >>> show("899999068")
    '899.999.068-1'
    """
    return f"{nit[:3]}.{nit[3:6]}.{nit[6:]}-{check_digit(nit)}"


SCHEMES = (
    Scheme(
        "co-nit",
        Text("NIT", "NIT (tax number)"),
        "primary",
        ("nit",),
        show=show,
        check=slice(9, 10),
        shape="0[0-9]{8}",
        meaning=Text(
            "Número de Identificación Tributaria que da la DIAN de Colombia. 9 dígitos más uno de verificación.",
            "Tax identification number given by Colombia's DIAN. 9 digits and a check digit.",
        ),
        tax=True,
        official_page=OfficialPage("RUES", "https://www.rues.org.co/"),
    ),
    LEI,
)
