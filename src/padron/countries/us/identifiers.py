"""CIK of the SEC and EIN of the IRS, all digits, and the file numbers of the states; none has a check digit.

A CIK has up to ten digits, is never reused and is also given to natural persons; sec.gov writes it with ten digits
(`CIK0000320193`). An EIN has nine, written `NN-NNNNNNN`. Nine bare digits can be either: both readings are given, and
the caller prefers the CIK where a filer has it. Every state numbers its companies by itself, so the state stands before
the number: `DE-6283046`, `FL-L21000143036`, `NV-C936-1969`.
"""

from __future__ import annotations

import re
import unicodedata

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_CIK_WORD = r"c\.?i\.?k\.?|central index key"
_EIN_WORD = r"f?\.?e\.?i\.?n\.?|t\.?i\.?n\.?|i\.?r\.?s\.?|employer identification|federal tax id|tax id"
_WORD = re.compile(
    rf"\s*(?:(?P<cik>{_CIK_WORD})|(?P<ein>{_EIN_WORD}))(?:\s+(?:number|no\.?))?[\s:.#]*(?=[0-9])", re.IGNORECASE
)
_CIK = re.compile(r"(?=[0-9]{1,10}\Z)0*(?P<value>[1-9][0-9]*)")
_EIN = re.compile(r"(?P<prefix>(?!00)[0-9]{2})[- ]?(?P<rest>[0-9]{7})")
_STATES = (
    *("AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA"),
    *("ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR"),
    *("PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY"),
)
_STATE = re.compile(
    r"(?:(?:state )?file (?:number|no\.?)[\s:#]*)?(?!co-(?![0-9]{11}$))(?!ar-[0-9]{11}$)"
    + rf"(?P<number>(?:{'|'.join(_STATES)})-[a-z]{{0,3}}[0-9][0-9 -]{{2,13}}[a-z]?)",
    re.IGNORECASE,
)
"""Two states have the code of a country. Colorado's numbers begin with a year and have 11 digits, a NIT has 9 or 10;
Arkansas' are shorter than the 11 digits of a CUIT."""
_SSN = re.compile(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}")


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the readings of `raw`: a CIK, an EIN, both (nine bare digits), a number of a state, or an LEI.

    `CIK` or `EIN` in front decides. No EIN starts with 00, and one digit nine times (`999999999`) stands in filings for
    "none" and is no number. Raises `NotFound("natural-person-not-covered")` for the written form of a Social Security
    number (`NNN-NN-NNNN`) and `Invalid("invalid-identifier")` for all else.
    """
    if lei := identify_lei(raw):
        return (lei,)
    text = unicodedata.normalize("NFKC", raw)
    if state := _STATE.fullmatch(text.strip()):
        return (Identifier("us-state", state["number"].replace(" ", "").upper()),)
    label = _WORD.match(text)
    number = (text[label.end() :] if label else text).strip()
    if _SSN.fullmatch(number):
        raise NotFound("natural-person-not-covered")
    readings: list[Identifier] = []
    cik, ein = _CIK.fullmatch(number), _EIN.fullmatch(number)
    if ein and len(set(ein["prefix"] + ein["rest"])) == 1:
        cik = ein = None
    if cik and not (label and label["ein"]):
        readings.append(Identifier("us-cik", cik["value"]))
    if ein and not (label and label["cik"]):
        readings.append(Identifier("us-ein", ein["prefix"] + ein["rest"]))
    if not readings:
        raise Invalid("invalid-identifier", parameter="identifier", country="US")
    return tuple(readings)


def show_cik(value: str) -> str:
    """Format a CIK with ten digits, as sec.gov writes it."""
    return value.zfill(10)


def show_ein(value: str) -> str:
    """Format an EIN with its dash: `94-2404110`."""
    return f"{value[:2]}-{value[2:]}"


SCHEMES = (
    Scheme(
        "us-cik",
        Text("CIK", "CIK"),
        "primary",
        ("cik", "central index key"),
        show=show_cik,
        shape="[0-9]{1,10}",
        meaning=Text(
            "Central Index Key: el número con que la SEC de Estados Unidos identifica a quien le presenta informes.",
            "Central Index Key: the number by which the United States SEC identifies those who file with it.",
        ),
        phrases=("sec number", "sec id", "edgar number", "sec file number", "numero de la sec", "numero sec"),
        official_page=OfficialPage("EDGAR", "https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK={number}"),
    ),
    Scheme(
        "us-ein",
        Text("EIN", "EIN"),
        "secondary",
        ("ein", "fein", "tin", "irs"),
        show=show_ein,
        meaning=Text(
            "Employer Identification Number: el número tributario que da el IRS de Estados Unidos. 9 dígitos.",
            "Employer Identification Number: the tax number given by the United States IRS. 9 digits.",
        ),
        phrases=("employer identification number", "employer id"),
        tax=True,
    ),
    Scheme(
        "us-state",
        Text("N.º de registro estatal", "State file number"),
        "fallback",
        ("state file number", "file number"),
        meaning=Text(
            "Número con que el registro de un estado de Estados Unidos identifica a una compañía, tras el código del "
            "estado.",
            "The number by which the register of a state of the United States identifies a company, after the code of "
            "the state.",
        ),
    ),
    LEI,
)
