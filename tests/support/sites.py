"""Small sites of the official publishers: real rows of the bundled files in the layouts that are fetched."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from one_country import OFFICIAL, workbook
from padron.countries import REGISTRY
from padron.countries.origin import Addresses, Manual, Origin, Share, Table
from padron.ingest.corpus import corpus
from padron.ingest.fetch import FetchOutcome, fetch
from padron.ingest.files import PROVENANCE
from publisher import Site, held

TODAY = date(2026, 11, 20)
AUTOMATIC = [
    (code, origin)
    for code, country in REGISTRY.items()
    for origin in country.origins
    if not isinstance(origin.way, Manual)
]

SRI_HEADER = (
    "NUMERO_RUC|RAZON_SOCIAL|CODIGO_JURISDICCION|ESTADO_CONTRIBUYENTE|CLASE_CONTRIBUYENTE|FECHA_INICIO_ACTIVIDADES|"
    "FECHA_ACTUALIZACION|FECHA_SUSPENSION_DEFINITIVA|FECHA_REINICIO_ACTIVIDADES|OBLIGADO|TIPO_CONTRIBUYENTE|"
    "NUMERO_ESTABLECIMIENTO|NOMBRE_FANTASIA_COMERCIAL|ESTADO_ESTABLECIMIENTO|DESCRIPCION_PROVINCIA_EST|"
    "DESCRIPCION_CANTON_EST|DESCRIPCION_PARROQUIA_EST|CODIGO_CIIU|ACTIVIDAD_ECONOMICA|AGENTE_RETENCION|ESPECIAL\n"
)
"""The header line of the official files; of their rows no copy could be had."""
GLEIF_HEADER = (
    '"LEI","Entity.LegalName","Entity.LegalAddress.FirstAddressLine","Entity.LegalJurisdiction",'
    '"Entity.EntityCategory","Entity.EntityStatus","Registration.RegistrationStatus",'
    '"Entity.RegistrationAuthority.RegistrationAuthorityID",'
    '"Entity.RegistrationAuthority.RegistrationAuthorityEntityID"\n'
)


def sri(
    ruc: str, name: str, *, state: str = "ACTIVO", kind: str = "SOCIEDAD", number: str = "001", **cells: str
) -> str:
    """A row of the SRI's file."""
    given = {"trade": "", "open": "ABI", "province": "PICHINCHA", "canton": "QUITO", "ciiu": "G471101"} | cells
    return (
        f"{ruc}|{name}|ZONA 9|{state}|GEN|2001-05-28 00:00:00||||S|{kind}|{number}|{given['trade']}|{given['open']}|"
        f"{given['province']}|{given['canton']}|X|{given['ciiu']}|VENTA|N|N\n"
    )


def zipped(**members: bytes) -> bytes:
    """An archive of members (`name__ending`)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("__", "."), (2026, 5, 1, 0, 0, 0)), body)
    return out.getvalue()


def bundled(path: str, lines: int | None = None) -> bytes:
    """A bundled file, unpacked; its first lines where `lines` is given."""
    data = (OFFICIAL / path).read_bytes()
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    return data if lines is None else b"".join(data.splitlines(keepends=True)[:lines])


@cache
def month() -> dict[str, bytes]:
    """A whole month of Receita Federal, synthetic, its members of one issue (D51213): ten parts of each large table."""
    with TemporaryDirectory() as folder:
        corpus(60, Path(folder), 1)
        return {path.name: path.read_bytes() for path in Path(folder, "br", "receita-federal").glob("*.zip")}


def _sub() -> bytes:
    with zipfile.ZipFile(OFFICIAL / "us/financial-statement-data-sets/2010q2.zip") as archive:
        lines = archive.read("sub.txt").splitlines(keepends=True)[:40]
    return zipped(sub__txt=b"".join(lines), readme__htm=b"<html></html>")


def _gleif() -> bytes:
    row = '"529900T8BM49AURSDO55","ACME SA","CALLE 1","MX","GENERAL","ACTIVE","ISSUED","RA000449","LEM170208SB6"\n'
    return zipped(**{"20261119-0000-gleif-goldencopy-lei2-golden-copy__csv": (GLEIF_HEADER + row).encode()})


DIRECTORIO = workbook(
    "Companias",
    [
        ["No. DE FILAS: 1"],
        ["FECHA DE ACTUALIZACION: 19/11/2026"],
        [],
        [
            "EXPEDIENTE",
            "RUC",
            "NOMBRE",
            "SITUACIÓN LEGAL",
            "FECHA_CONSTITUCION",
            "TIPO",
            "PAÍS",
            "PROVINCIA",
            "CANTÓN",
            "CIUDAD",
            "CALLE",
            "CIIU NIVEL 6",
        ],
        [
            384,
            "1790016919001",
            "CORPORACION FAVORITA C.A.",
            "ACTIVA",
            "26/11/1957",
            "ANÓNIMA",
            "ECUADOR",
            "PICHINCHA",
            "RUMIÑAHUI",
            "SANGOLQUI",
            "",
            "G4711.01",
        ],
    ],
)
RUES_ROWS = [
    {
        "codigo_camara": "04", "matricula": "12345", "razon_social": f"EMPRESA {number} S.A.S.",
        "codigo_clase_identificacion": "02", "numero_identificacion": str(900_276_000 + number),
        "codigo_organizacion_juridica": "16", "codigo_categoria_matricula": "01", "estado_matricula": "ACTIVA",
    }
    for number in range(25)
]  # fmt: skip

BODIES: dict[str, Callable[[str], bytes]] = {
    "submissions": lambda _: zipped(CIK0000320193__json=bundled("us/submissions/CIK0000320193.json")),
    "company-tickers": lambda name: bundled(
        "us/company-tickers/"
        + ("company_tickers_exchange_2025-03-08.json" if "exch" in name else "company_tickers_2025-09-05.json")
    ),
    "financial-statement-data-sets": lambda _: _sub(),
    "companyfacts": lambda _: zipped(CIK0001835632__json=bundled("us/companyfacts/CIK0001835632.json.gz")),
    "daily-index": lambda _: b"Description: Master Index\n\nCIK|Company Name|Form Type|Date Filed|File Name\n-----\n",
    "gleif": lambda _: _gleif(),
    "cvm": lambda _: bundled("br/cvm/cad_cia_aberta.csv.gz", 400),
    "cvm-dfp": lambda name: zipped(
        **{
            f"dfp_cia_aberta_BPA_con_{name[-8:-4]}__csv": bundled("br/cvm-dfp/dfp_cia_aberta_BPA_con_2023.csv.gz", 40),
            name.replace(".zip", "__csv"): b"CNPJ_CIA;DT_REFER\n",
        }
    ),
    "ans": lambda _: bundled("br/ans/Relatorio_cadop.csv"),
    "bcb": lambda _: bundled("br/bcb/ParticipantesSTRport.csv"),
    "supercias-directorio": lambda _: DIRECTORIO,
    "sri-ruc": lambda name: (
        zipped(**{name.replace(".zip", "__csv"): (SRI_HEADER + sri("1790016919001", "FAVORITA")).encode()})
        if name.endswith(".zip")
        else (SRI_HEADER + sri("0190005070001", "AZUAYA C.A.", province="AZUAY")).encode()
    ),
    "denue": lambda name: zipped(
        **{
            f"conjunto_de_datos/denue_inegi_{name[6:8]}___csv".replace("___csv", "_.csv"): bundled(
                "mx/denue/denue_inegi_21__2018_cut-legal-entities.csv", 30
            ),
            "metadatos/metadatos_denue__txt": b"AccrualPeriodicity: ANUAL",
        }
    ),
    "rns": lambda _: zipped(
        **{"registro-nacional-sociedades-202610__csv": bundled("ar/rns/registro-nacional-sociedades-muestreo.csv", 50)}
    ),
    "igj": lambda _: zipped(**{"igj-entidades-202610__csv": bundled("ar/igj/igj-entidades-202408.csv")}),
}
_RANKING = {
    "bi_compania.csv": b"expediente,ruc,nombre,tipo,pro_codigo,provincia\n384,1790016919001,FAVORITA,ANONIMA,17,X\n",
    "bi_ciiu.csv": b"ciiu,descripcion\nA              ,AGRICULTURA     \n",
}


def ranking(name: str) -> bytes:
    """The files of the ranking; bi_ranking.csv with all its columns."""
    if name != "bi_ranking.csv":
        return _RANKING[name]
    columns = (
        "anio expediente posicion_general cia_imvalores id_estado_financiero ingresos_ventas activos patrimonio "
        "utilidad_an_imp impuesto_renta n_empleados ingresos_totales utilidad_ejercicio utilidad_neta cod_segmento "
        "ciiu_n1 ciiu_n6 costos_ventas_prod deuda_total total_gastos"
    ).split()
    row = "2025,384,1,1,7,2500000000.00,2000000000.00,1500000000.00,200.00,1.00,163.00,2,1,1,4,G,G4711.01,1,0,1"
    return (",".join(columns) + f"\n{row}\n").encode()


BODIES["supercias-ranking"] = ranking

CATALOGUE = {
    "registro-nacional-de-sociedades": [
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-2024.zip",
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-2026.zip",
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-2025-semestre-2.zip",
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-muestreo.csv",
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-asociaciones-sin-fines-lucro-20260223.csv",
        "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-asociaciones-sin-fines-lucro-2026.zip",
    ],
    "entidades-constituidas-en-la-inspeccion-general-de-justicia-igj": [
        "https://datos.jus.gob.ar/dataset/y/igj-2026-semestre-1.zip",
        "https://datos.jus.gob.ar/dataset/y/igj-2026-semestre-2.zip",
    ],
}
NEWEST = {
    "rns": [CATALOGUE["registro-nacional-de-sociedades"][number] for number in (1, 5)],
    "igj": ["https://datos.jus.gob.ar/dataset/y/igj-2026-semestre-2.zip"],
}


def rows_of(source: str, table: Table) -> list[dict[str, str]]:
    """The rows of a table: those that its query selects, of the statements one a year."""
    if source == "rues":
        return RUES_ROWS
    rows = [dict.fromkeys(table.select, f"{number}") for number in range(25)]
    if source.startswith("state-"):
        number, name = table.select[:2]
        rows = [{**row, number: f"201312345{row[number]:>02}", name: f"EXAMPLE {row[number]} INC"} for row in rows]
    if source.startswith("niif"):
        return [{**row, "fecha_corte": f"{year}-12-31T00:00:00.000"} for row in rows for year in range(2015, 2026)]
    chosen = {name: value for query in table.of(TODAY) for name, value in re.findall(r"(\w+)='([^']*)'", query.where)}
    return [{**row, **chosen} for row in rows]


def stock(site: Site, origin: Origin) -> list[str]:
    """Publish what the origin's publisher has; gives the addresses of the files."""
    way = origin.way
    if isinstance(way, Table):
        site.tables[way.dataset] = rows_of(origin.source, way)
        return [f"{way.host}/resource/{way.dataset}.csv"]
    if isinstance(way, Share):
        return put_month(site, way, "2026-08", month())
    if isinstance(way, Addresses):
        files = [file for file in way.of(TODAY) if not re.search(r"_[12]_csv\.zip$", file.name)]
        for file in files:
            site.put(file.url, held(BODIES[origin.source](file.name)))
        return [file.url for file in files]
    for package, urls in CATALOGUE.items():
        document = {"result": {"resources": [{"url": url} for url in urls]}}
        site.put(
            f"https://datos.jus.gob.ar/api/3/action/package_show?id={package}", held(json.dumps(document).encode())
        )
    for url in NEWEST[origin.source]:
        site.put(url, held(BODIES[origin.source]("")))
    return NEWEST[origin.source]


def put_month(site: Site, share: Share, name: str, files: dict[str, bytes], share_id: str | None = None) -> list[str]:
    """Publish a month of a share."""
    urls = []
    for file, body in files.items():
        urls.append(share.file.format(share=share_id or share.share, month=name, name=file))
        site.put(urls[-1], held(body))
    return urls


def run(
    site: Site, root: Path, code: str, source: str, *, rate: float | None = 1_000.0, share: str | None = None
) -> FetchOutcome:
    """Fetch one source, at `rate` requests a second; None is the rate its publisher asks for."""
    country = REGISTRY[code]
    if rate is not None:
        hasty = [replace(origin, manners=replace(origin.manners, rate=rate)) for origin in country.origins]
        country = replace(country, origins=tuple(hasty))
    settings = replace(site.settings(country), shares={source: share} if share else {})
    [outcome] = fetch(country, root, settings, only=[source], today=TODAY)
    return outcome


def tree(root: Path) -> dict[str, tuple[str, int]]:
    """Every file under `root` with its bytes and time, links with their targets."""
    state = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            state[str(path)] = (str(path.readlink()), 0)
        elif path.is_file():
            state[str(path)] = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
    return state


def contents(root: Path, code: str, source: str) -> dict[str, bytes]:
    """The files a source holds."""
    folder = root / code.lower() / source
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != PROVENANCE}
