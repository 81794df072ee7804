"""RUC, the tax number of the SUNAT: eleven digits, the last one a check digit.

The first two digits tell who has it: 20 a legal person; 10 a natural person with a DNI; 15, 16 and 17 natural persons
with other documents, estates and undivided properties. Check digit: modulus 11 of the first ten digits with the weights
5 4 3 2 7 6 5 4 3 2; 11 less the remainder, where 10 is written 0 and 11 is written 1.
"""

from __future__ import annotations

import re

from padron.companies.model import Identifier
from padron.countries.country import LEI, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_SEPARATORS = re.compile(r"[\s.,\-]")
_WRITTEN = re.compile(r"(?:RUC)?(?:N[O°º]?|#)?:?([0-9]+)")
_COMPANY = re.compile(r"20[0-9]{9}")
_PERSON = re.compile(r"(?:10|15|16|17)[0-9]{9}")
_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the reading of `raw`: the RUC of a legal person, or an LEI.

    Raises `NotFound("natural-person-not-covered")` for a natural person's RUC, `Invalid("invalid-identifier")` for all
    else.
    """
    if written := _WRITTEN.fullmatch(_SEPARATORS.sub("", raw).upper()):
        number = written[1]
        if _COMPANY.fullmatch(number):
            return (Identifier("pe-ruc", number, check_digit(number) == int(number[10])),)
        if _PERSON.fullmatch(number) and check_digit(number) == int(number[10]):
            raise NotFound("natural-person-not-covered")
    elif lei := identify_lei(raw):
        return (lei,)
    raise Invalid("invalid-identifier", parameter="identifier", country="PE")


def check_digit(ruc: str) -> int:
    """Return the digit that modulus 11 gives for the first ten digits of a RUC.

    >>> check_digit("20131312955")
    5
    """
    return (11 - sum(weight * int(char) for weight, char in zip(_WEIGHTS, ruc, strict=False)) % 11) % 10


SCHEMES = (
    Scheme(
        "pe-ruc",
        Text("RUC", "RUC (tax number)"),
        "primary",
        ("ruc",),
        check=slice(10, 11),
        meaning=Text(
            "Registro Único de Contribuyentes: el número tributario que da la SUNAT del Perú. 11 dígitos.",
            "Registro Único de Contribuyentes: the tax number given by Peru's SUNAT. 11 digits.",
        ),
        phrases=("registro unico de contribuyentes",),
        tax=True,
    ),
    LEI,
)
