"""A small directory of real names."""

import pytest
from evaluation.directory import Directory
from evaluation.records import Company

NAMES = {
    "EC": [
        ("ec-ruc", "1790016919001", "CORPORACION FAVORITA C.A."),
        ("ec-ruc", "0990006687001", "INDUSTRIAL PESQUERA SANTA PRISCILA S.A."),
        ("ec-expediente", "47845", "CONSORCIO ECUATORIANO DE TELECOMUNICACIONES S.A. CONECEL"),
        ("ec-expediente", "7154", "PROCESADORA NACIONAL DE ALIMENTOS C.A. PRONACA"),
        ("ec-expediente", "30514", "GERARDO ORTIZ E HIJOS C LTDA"),
        ("ec-expediente", "128168", "DINADEC S.A."),
        ("ec-expediente", "4238", "NESTLE ECUADOR S.A."),
        ("ec-expediente", "8343", "GENERAL MOTORS DEL ECUADOR SA"),
        ("ec-expediente", "476", "EMPRESA ELECTRICA QUITO S.A."),
        ("ec-expediente", "143615", "CONSORCIO SHUSHUFINDI S.A."),
        ("ec-expediente", "747663", "COMPAÑIA DE TRANSPORTE DE CARGA LIVIANA TRANS PATRIANUEVA S.A."),
    ],
    "CO": [
        ("co-nit", "899999068", "ECOPETROL S.A"),
        ("co-nit", "890900608", "ALMACENES EXITO S A"),
        ("co-nit", "860354098", "PRODUCCIONES WILLVIN S A"),
        ("co-nit", "901575715", "AGROCONCENTRADOS TUNJUELITO S.A.S"),
        ("co-nit", "900492033", "ESTACION DE SERVICIOS EL PARQUE SAS"),
        ("co-nit", "900112515", "REFINERIA DE CARTAGENA S.A.S."),
        ("co-nit", "860002130", "NESTLE DE COLOMBIA S.A."),
    ],
    "BR": [
        ("br-cnpj", "33000167000101", "PETRÓLEO BRASILEIRO S.A. PETROBRAS"),
        ("br-cnpj", "04912242000102", "PORTUENSE FERRAGENS S/A"),
        ("br-cnpj", "33200049000147", "HOTEIS OTHON S.A. - EM RECUPERAÇÃO JUDICIAL"),
        ("br-cnpj", "02464179000163", "SAÚDE SIM LTDA"),
        ("br-cnpj", "00359742000108", "ATOM EMPREENDIMENTOS E PARTICIPAÇÕES S.A."),
    ],
    "AR": [
        ("ar-cuit", "33695098419", "TELMEX ARGENTINA S.A"),
        ("ar-cuit", "34623837078", "SCAC TRANSPORTES INTERNACIONALES S A"),
        ("ar-cuit", "30709359831", "ADS CARGAS INTERNACIONALES SRL"),
        ("ar-cuit", "30546689979", "VIVIENDAS 2000 SRL"),
    ],
    "US": [
        ("us-cik", "320193", "Apple Inc."),
        ("us-cik", "80424", "PROCTER & GAMBLE Co"),
        ("us-cik", "850141", "HORACE MANN EDUCATORS CORP /DE/"),
        ("us-cik", "1119639", "PETROBRAS - PETROLEO BRASILEIRO SA"),
    ],
    "MX": [
        ("mx-clee", "01007212321000061000000000U9", "MATERIALES GERO  S.A. DE C.V."),
        ("mx-clee", "01001212321000021000000000U1", "MAQUINARIA Y CONSTRUCCIONES CAFA, S.A. DE C.V."),
    ],
}
OTHER = {
    "04912242000102": (("trade", "PORTUENSE"),),
    "320193": (("ticker", "AAPL"), ("former", "APPLE COMPUTER INC")),
}
LINKED = {"33000167000101": "petrobras", "1119639": "petrobras"}


@pytest.fixture(scope="session")
def directory() -> Directory:
    return Directory(
        [
            Company(
                country,
                scheme,
                identifier,
                name,
                OTHER.get(identifier, ()),
                ("8800000001",) if identifier == "7154" else (),
                {"900112515": "CARTAGENA"}.get(identifier),
                f"register-{country.lower()}",
                LINKED.get(identifier, f"{country}:{identifier}"),
            )
            for country, rows in NAMES.items()
            for scheme, identifier, name in rows
        ]
    )


@pytest.fixture
def place(directory):
    """The place of a company by its identifier."""
    return {company.identifier: at for at, company in enumerate(directory.companies)}
