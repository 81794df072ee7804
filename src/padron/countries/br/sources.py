"""The official sources of Brazil and the layouts of their files."""

from __future__ import annotations

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Source, SourceColumn


def _places(width: int, **names: int) -> tuple[SourceColumn, ...]:
    """Columns of a file without header: `names` at their 1-based places, the other places skipped."""
    at = {place: name for name, place in names.items()}
    return tuple(SourceColumn(at.get(place, "")) for place in range(1, width + 1))


def _domain(name: str, match: str) -> Layout:
    """A domain table, `code;description`, read as whole lines: some vintages have no quotes around a `;`."""
    return Layout(name, match, "csv", (SourceColumn("line"),), "cp1252", "\t", quote="", header="none", lookup=True)


def _receita(
    name: str, match: str, columns: tuple[SourceColumn, ...], private: tuple[int, ...] = (), lookup: bool = False
) -> Layout:
    return Layout(name, match, "csv", columns, "cp1252", ";", header="none", private=private, lookup=lookup)


RECEITA_FEDERAL = Source(
    key="receita-federal",
    name="Cadastro Nacional da Pessoa Jurídica (CNPJ)",
    publisher="Secretaria Especial da Receita Federal do Brasil",
    url="https://dados.gov.br/dados/conjuntos-dados/cadastro-nacional-da-pessoa-juridica---cnpj",
    licence="Dados públicos (Lei 12.527/2011, Decreto 8.777/2016); sem licença declarada",
    attribution="Receita Federal do Brasil",
    cadence=31,
    layouts=(
        _receita(
            "empresas",
            "*EMPRECSV*",
            _places(7, cnpj_basico=1, razao_social=2, natureza_juridica=3, capital_social=5),
        ),
        _receita(
            "estabelecimentos",
            "*ESTABELE*",
            _places(
                30,
                cnpj_basico=1,
                cnpj_ordem=2,
                cnpj_dv=3,
                matriz_filial=4,
                nome_fantasia=5,
                situacao_cadastral=6,
                data_situacao=7,
                nome_cidade_exterior=9,
                data_inicio_atividade=11,
                cnae_principal=12,
                uf=20,
                municipio=21,
                situacao_especial=29,
            ),
            private=(*range(14, 20), *range(22, 29)),
        ),
        _receita("simples", "*SIMPLES*", _places(7, cnpj_basico=1, opcao_mei=5), lookup=True),
        _domain("cnae", "*CNAECSV*"),
        _domain("moti", "*MOTICSV*"),
        _domain("munic", "*MUNICCSV*"),
        _domain("natju", "*NATJUCSV*"),
        _domain("pais", "*PAISCSV*"),
        _domain("quals", "*QUALSCSV*"),
    ),
    expect=Expect(min_rows=1_000),
    parts=tuple(f"{table}{part}.zip" for table in ("Empresas", "Estabelecimentos") for part in range(10)),
    unpacked=tuple(f"K3241.K03200Y{part}.D*.{table}" for table in ("EMPRECSV", "ESTABELE") for part in range(10)),
)
"""The register. Member names are those inside the zips, of both families (`K3241.K03200Y0.D10612.EMPRECSV` in
`Empresas0.zip`); layout: https://www.gov.br/receitafederal/dados/cnpj-metadados.pdf. Partners (SOCIOCSV) are never
read. The Simples file only marks the MEIs, who are natural persons, so it counts as a lookup."""

CVM = Source(
    key="cvm",
    name="Companhias abertas: informação cadastral",
    publisher="Comissão de Valores Mobiliários (CVM)",
    url="https://dados.cvm.gov.br/dataset/cia_aberta-cad",
    licence="ODbL 1.0",
    attribution="Comissão de Valores Mobiliários",
    cadence=1,
    layouts=(
        Layout(
            "cadastro",
            "cad_cia_aberta*.csv",
            "csv",
            tuple(
                SourceColumn(name.lower(), (name,))
                for name in (
                    "CNPJ_CIA DENOM_SOCIAL DENOM_COMERC DT_REG DT_CONST DT_CANCEL MOTIVO_CANCEL SIT CD_CVM SETOR_ATIV "
                    "TP_MERC SIT_EMISSOR MUN UF"
                ).split()
            ),
            "cp1252",
            ";",
            quote="",
            private=tuple(
                "LOGRADOURO COMPL BAIRRO CEP DDD_TEL TEL DDD_FAX FAX EMAIL TP_RESP RESP DT_INI_RESP LOGRADOURO_RESP "
                "COMPL_RESP BAIRRO_RESP MUN_RESP UF_RESP PAIS_RESP CEP_RESP DDD_TEL_RESP TEL_RESP DDD_FAX_RESP "
                "FAX_RESP EMAIL_RESP".split()
            ),
        ),
    ),
    expect=Expect(min_rows=2_000),
)

ANS = Source(
    key="ans",
    name="Operadoras de planos de saúde ativas",
    publisher="Agência Nacional de Saúde Suplementar (ANS)",
    url="https://dadosabertos.ans.gov.br/FTP/PDA/operadoras_de_plano_de_saude_ativas/",
    licence="Dados abertos (Decreto 8.777/2016); sem licença declarada",
    attribution="Agência Nacional de Saúde Suplementar",
    cadence=1,
    layouts=(
        Layout(
            "operadoras",
            "Relatorio_cadop*.csv",
            "csv",
            (
                SourceColumn("cnpj", ("CNPJ",)),
                SourceColumn("razao_social", ("Razão Social",)),
                SourceColumn("nome_fantasia", ("Nome Fantasia",)),
                SourceColumn("modalidade", ("Modalidade",)),
                SourceColumn("cidade", ("Cidade",)),
                SourceColumn("uf", ("UF",)),
            ),
            delimiter=";",
            private=(
                "Logradouro",
                "Número",
                "Complemento",
                "Bairro",
                "CEP",
                "DDD",
                "Telefone",
                "Fax",
                "Endereço eletrônico",
                "Representante",
                "Cargo Representante",
            ),
        ),
    ),
    expect=Expect(min_rows=1_000),
)
"""Two layouts under one name: Latin-1 with a title above the header (2022), UTF-8 with `_` in the headers (2026)."""

BCB = Source(
    key="bcb",
    name="Participantes do STR",
    publisher="Banco Central do Brasil",
    url="https://www.bcb.gov.br/pom/spb/estatistica/port/ParticipantesSTRport.csv",
    licence="ODbL 1.0",
    attribution="Banco Central do Brasil",
    cadence=1,
    layouts=(
        Layout(
            "participantes",
            "ParticipantesSTRport*.csv",
            "csv",
            (
                SourceColumn("ispb", ("ISPB",)),
                SourceColumn("nome_reduzido", ("Nome Reduzido",)),
                SourceColumn("nome_extenso", ("Nome Extenso",)),
            ),
        ),
    ),
    expect=Expect(min_rows=150),
)


_DFP = (
    "CNPJ_CIA DT_REFER VERSAO CD_CVM MOEDA ESCALA_MOEDA ORDEM_EXERC DT_FIM_EXERC CD_CONTA DS_CONTA VL_CONTA "
    "ST_CONTA_FIXA"
)


def _dfp(name: str, match: str, names: str) -> Layout:
    columns = tuple(SourceColumn(column.lower(), (column,)) for column in names.split())
    return Layout(name, match, "csv", columns, "cp1252", ";", quote="")


DFP = Source(
    key="cvm-dfp",
    name="Companhias abertas: demonstrações financeiras padronizadas (DFP)",
    publisher="Comissão de Valores Mobiliários (CVM)",
    url="https://dados.cvm.gov.br/dataset/cia_aberta-doc-dfp",
    licence="ODbL 1.0",
    attribution="Comissão de Valores Mobiliários",
    cadence=7,
    layouts=(
        _dfp("balanco_con", "dfp_cia_aberta_BP[AP]_con_*.csv", _DFP),
        _dfp("balanco_ind", "dfp_cia_aberta_BP[AP]_ind_*.csv", _DFP),
        _dfp("resultado_con", "dfp_cia_aberta_DRE_con_*.csv", f"{_DFP} DT_INI_EXERC"),
        _dfp("resultado_ind", "dfp_cia_aberta_DRE_ind_*.csv", f"{_DFP} DT_INI_EXERC"),
    ),
    expect=Expect(min_rows=1_000),
)
"""One zip per year since 2010; of its members the balance sheets (BPA assets, BPP liabilities) and the income statement
(DRE) are read, consolidated and individual. Early in a year it holds only companies with an unusual year end."""

SOURCES = (RECEITA_FEDERAL, CVM, ANS, BCB, gleif.SOURCE, DFP)
