"""Brazil: CNPJ of Receita Federal, with CVM, ANS, BCB and GLEIF."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from padron.countries.br.identifiers import SCHEMES, identify, is_cpf
from padron.countries.br.origins import ORIGINS
from padron.countries.br.sources import SOURCES
from padron.countries.country import Classification, Country, ExampleSearch, OfficialCount, Status
from padron.text import fold
from padron.words import Text

_STATUS = {
    "nula": Status.ANNULLED,
    "ativa": Status.ACTIVE,
    "ativa nao regular": Status.ACTIVE,
    "suspensa": Status.SUSPENDED,
    "inapta": Status.INACTIVE,
    "baixada": Status.DISSOLVED,
    "fase operacional": Status.ACTIVE,
    "fase pre operacional": Status.ACTIVE,
    "em recuperacao judicial ou equivalente": Status.ACTIVE,
    "em recuperacao extrajudicial": Status.ACTIVE,
    "paralisada": Status.INACTIVE,
    "falida": Status.IN_LIQUIDATION,
    "elisao por extincao da cia": Status.DISSOLVED,
    "active": Status.ACTIVE,
    "inactive": Status.INACTIVE,
}


def status(raw: str) -> Status:
    """Map the official wording to a status.

    Receita Federal's situação cadastral of the head office (`ATIVA`, with its situação especial behind a dash), CVM's
    situação do emissor or reason of cancellation, GLEIF's entity status. A company in judicial recovery trades on.
    """
    cadastral, _, special = raw.partition(" - ")
    if any(word in fold(text) for text in (cadastral, special) for word in ("liquidacao", "falid", "falencia")):
        return Status.IN_LIQUIDATION
    return _STATUS.get(fold(cadastral), Status.UNKNOWN)


BR = Country(
    code="BR",
    name=Text("Brasil", "Brazil"),
    demonyms=("brasil", "brazil", "brasileira", "brasileiro", "brasilena", "brasileno", "brazilian"),
    phrases=("republica federativa do brasil", "brasilera", "brasilero", "brasileras", "brasileros"),
    language="pt",
    acronym_after_form=True,
    searches=(ExampleSearch("petrobras"), ExampleSearch("33.000.167/0001-01")),
    open_statements="33453598000123",
    in_lists=(
        "bra",
        "federative republic of brazil",
        "republica federativa de brasil",
        "republica federativa del brasil",
    ),
    schemes=SCHEMES,
    sources=SOURCES,
    origins=ORIGINS,
    reads=identify,
    is_surely_person=is_cpf,
    status=status,
    classification=Classification("CNAE", "2.3"),
    isic="division",
    official_count=OfficialCount(
        7_900_000,
        Text(
            "empresas activas, sin microempreendedores individuais (MEI)",
            "active companies, without individual microentrepreneurs (MEI)",
        ),
        date(2022, 12, 31),
        "N1 Informa: Brasil tem 7,9 milhões de empresas ativas (IBGE, Demografia das Empresas 2022)",
        "https://n1informa.com/brasil-tem-79-milhoes-de-empresas-ativas-caracteristicas-e-tendencias",
        date(2026, 11, 22),
    ),
    folder=Path(__file__).parent,
    examples=(("br-cnpj", "33000167000101"), ("br-cnpj", "00000000000191"), ("br-cnpj", "33592510000154")),
    public=("cvm",),
    exchanges=("b3", "bovespa", "bvmf"),
)
