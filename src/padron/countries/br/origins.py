"""Download addresses of the Brazilian files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from padron.countries.br.sources import ANS, BCB, CVM, DFP, RECEITA_FEDERAL
from padron.countries.origin import GLEIF, Addresses, File, Manners, Origin, Share, fixed

_DFP_SINCE = 2010


def _years(today: date) -> Sequence[File]:
    """One zip per year since 2010; that of the current year may not exist yet."""
    base = "https://dados.cvm.gov.br/dados/CIA_ABERTA/DOC/DFP/DADOS"
    return [
        File(name := f"dfp_cia_aberta_{year}.zip", f"{base}/{name}", optional=year >= today.year)
        for year in range(_DFP_SINCE, today.year + 1)
    ]


_CVM = Manners("cvm")
_HOST = "https://arquivos.receitafederal.gov.br"

ORIGINS = (
    # A public Nextcloud share since the end of January 2026; the plain folders used before answer 404. A second share
    # has the months in a folder (gn672Ad4CF8N6TK/Dados/Cadastros/CNPJ), so the share is a setting; it lacked Cnaes.zip
    # in 2026-07 and 2026-08, which companies.sql can do without. The server cuts streams and refuses parallel
    # connections. Partners (Socios) are natural persons: their files are never fetched.
    Origin(
        RECEITA_FEDERAL.key,
        Share(
            listing=_HOST + "/public.php/webdav/{month}",
            file=_HOST + "/public.php/dav/files/{share}/{month}/{name}",
            share="YggdBLfdninEJX9",
            names=(
                *("Motivos.zip", "Municipios.zip", "Naturezas.zip", "Paises.zip", "Qualificacoes.zip"),
                *("Simples.zip", *RECEITA_FEDERAL.parts),
            ),
            optional=("Cnaes.zip",),
            issue=r"\.D([0-9])([0-9]{2})([0-9]{2})(?:\.|$)",
        ),
        Manners("receita-federal", rate=4.0, connections=4),
    ),
    Origin(CVM.key, fixed("https://dados.cvm.gov.br/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv"), _CVM),
    Origin(DFP.key, Addresses(_years), _CVM),
    Origin(ANS.key, fixed(ANS.url + "Relatorio_cadop.csv"), Manners("ans")),
    Origin(BCB.key, fixed(BCB.url), Manners("bcb")),
    GLEIF,
)
