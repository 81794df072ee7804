"""CNPJ, the company number of Receita Federal: `AA.AAA.AAA/AAAA-DD`, alphanumeric since July 2026.

Eight characters of root (the company), four of order (the establishment, from 0001: the fourteen zeros of a form left
empty are no number of Banco do Brasil, whose root is all zeros), two check digits. Structure and check digits: IN RFB
2.229/2024 and the "Manual de cálculo do DV do CNPJ" of SERPRO/RFB; numbers issued before stay as they are.
"""

from __future__ import annotations

import re

from padron.companies.model import Identifier
from padron.countries.country import LEI, OfficialPage, Scheme, identify_lei
from padron.errors import Invalid, NotFound
from padron.words import Text

_WORDS = re.compile(
    r"\s*(?:c\.?n\.?p\.?j|c\.?g\.?c)\b\.?(?:\s*(?:/\s*)?mf\b)?[\s:.#-]*(?:n(?:[º°]\s*|[.o]+\s+))?", re.IGNORECASE
)
_CNPJ = re.compile(r"[0-9A-Z]{8}(?!0000)[0-9A-Z]{4}[0-9]{2}")
_ROOT = re.compile(r"[0-9A-Z]{8}")
_GROUPED = re.compile(r"[0-9A-Z]{2}[. ][0-9A-Z]{3}[. ][0-9A-Z]{3}(?:[/ ][0-9A-Z]{4}[- ][0-9]{2})?")
_CPF = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def check_digits(base: str) -> str:
    """Compute the two check digits of the first 12 characters of a CNPJ; a character counts as its ASCII code less 48.

    >>> check_digits("12ABC34501DE")
    '35'
    """
    for weights in (_WEIGHTS[1:], _WEIGHTS):
        rest = sum(weight * (ord(char) - 48) for weight, char in zip(weights, base, strict=True)) % 11
        base += "0" if rest < 2 else str(11 - rest)
    return base[12:]


def identify(raw: str) -> tuple[Identifier, ...]:
    """Return the readings of `raw`: a CNPJ of any establishment, the bare root of one (8 characters), or an LEI.

    Digits may be grouped in any way. With letters the number stands unbroken or in its official groups, and a root of
    letters alone only in groups or after "CNPJ": names such as "Carrefour 24" are no numbers. Raises
    `NotFound("natural-person-not-covered")` for 11 digits, a CPF, and `Invalid("invalid-identifier")` for all else.
    """
    if lei := identify_lei(raw):
        return (lei,)
    label = _WORDS.match(raw)
    written = (raw[label.end() :] if label else raw).strip().upper()
    value = re.sub(r"[\s./\-]", "", written)
    if value.isascii() and value.isdigit():
        if len(value) == 11:
            raise NotFound("natural-person-not-covered")
        grouped = True
    else:
        grouped = bool(_GROUPED.fullmatch(written))
        value = value if grouped else written
    if _CNPJ.fullmatch(value):
        return (Identifier("br-cnpj", value, check_digits(value[:12]) == value[12:]),)
    if _ROOT.fullmatch(value) and (grouped or label or re.search("[0-9]", value)):
        return (Identifier("br-cnpj", value),)
    raise Invalid("invalid-identifier", parameter="identifier", country="BR")


def is_cpf(raw: str) -> bool:
    """Return whether 11 digits are written as a CPF or have its check digits; unlike a CUIT, which has 11 too.

    >>> is_cpf("11144477735"), is_cpf("33717172358"), is_cpf("337.171.723-58")
    (True, False, True)
    """
    digits = [int(char) for char in re.findall("[0-9]", raw)]
    sound = (
        sum(weight * digit for weight, digit in zip(range(place + 1, 1, -1), digits, strict=False)) * 10 % 11 % 10
        == digits[place]
        for place in (9, 10)
    )
    return _CPF.search(raw) is not None or all(sound)


def show(value: str) -> str:
    """Format a CNPJ, or its bare root, as it is customarily written.

    >>> show("12ABC34501DE35")
    '12.ABC.345/01DE-35'
    """
    root = f"{value[:2]}.{value[2:5]}.{value[5:8]}"
    return root if len(value) == 8 else f"{root}/{value[8:12]}-{value[12:]}"


def root(value: str) -> str:
    """Return the first 8 characters: the company, whichever establishment the number names."""
    return value[:8]


SCHEMES = (
    Scheme(
        "br-cnpj",
        Text("CNPJ", "CNPJ"),
        "primary",
        ("cnpj", "cgc"),
        show=show,
        key=root,
        check=slice(12, 14),
        shape="[0-9]{14}",
        meaning=Text(
            "Cadastro Nacional da Pessoa Jurídica: el número que da la Receita Federal del Brasil. 14 "
            "caracteres; se muestra el de la casa matriz.",
            "Cadastro Nacional da Pessoa Jurídica: the number given by Brazil's Receita Federal. 14 "
            "characters; the head office's is shown.",
        ),
        phrases=("cadastro nacional da pessoa juridica", "numero do cnpj", "numero de cnpj"),
        tax=True,
        official_page=OfficialPage(
            "Receita Federal", "https://solucoes.receita.fazenda.gov.br/Servicos/cnpjreva/cnpjreva_solicitacao.asp"
        ),
    ),
    LEI,
)
