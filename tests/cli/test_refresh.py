"""`padron refresh` whole: every country fetched from publishers that misbehave, built, served, and left alone."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import sites
from one_country import workbook
from padron.cli import builds
from padron.countries import REGISTRY
from padron.ingest.corpus import corpus
from padron.ingest.fetching.source_status import sources as source_states
from padron.releases import snapshot
from padron.releases.change_log import read as read_changes
from padron.releases.suppression import NO_SUPPRESSIONS
from publisher import Site, cut, drop, hosts_of, publishing
from sites import AUTOMATIC, BODIES, OFFICIAL, bundled, stock, tree, zipped

HASTY = """
import sys
from dataclasses import replace
from padron.cli import app, builds
for code, country in builds.REGISTRY.items():
    origins = (replace(origin, manners=replace(origin.manners, rate=1000.0)) for origin in country.origins)
    builds.REGISTRY[code] = replace(country, origins=tuple(origins))
sys.argv = ["padron", *sys.argv[1:]]
app.main()
"""
"""The command line, in less of a hurry to be polite: the publishers are here."""
COMPANY = {
    "codigo_camara": "04", "matricula": "99", "razon_social": "NUEVA EN EL REGISTRO S.A.S.",
    "codigo_clase_identificacion": "02", "numero_identificacion": "900999999", "codigo_organizacion_juridica": "16",
    "codigo_categoria_matricula": "01", "estado_matricula": "ACTIVA",
}  # fmt: skip
UNITS = (
    b"id,clee,nom_estab,raz_social,codigo_act,nombre_act,cve_ent,entidad,municipio\n"
    b"11785378,09010213111000097000000000U4,B,BAKER HUGHES DE MEXICO S DE RL DE CV,213111,POZOS,09,CIUDAD DE MEXICO,X\n"
)
"""The file of Mexico City, with the unit by which a release is proved."""


def directory() -> bytes:
    """The directory of Supercias with as many companies as it must at least have."""
    head = (
        "EXPEDIENTE,RUC,NOMBRE,SITUACIÓN LEGAL,FECHA CONSTITUCION,TIPO,PAÍS,PROVINCIA,CANTÓN,CIUDAD,CALLE,CIIU NIVEL 6"
    )
    rest = ["ACTIVA", "26/11/1957", "ANÓNIMA", "ECUADOR", "PICHINCHA", "RUMIÑAHUI", "SANGOLQUI", "", "G4711.01"]
    rucs = [value for scheme, value in REGISTRY["EC"].examples if scheme == "ec-ruc"]
    known = [[384 + number, ruc, f"CONOCIDA {number} S.A.", *rest] for number, ruc in enumerate(rucs)]
    more = [[10_000 + number, "", f"COMPAÑIA {number} S.A.", *rest] for number in range(60)]
    return workbook("Companias", [head.split(","), *known, *more])


def ranking(name: str) -> bytes:
    """The ranking of Supercias with as many rows as it must at least have."""
    if name == "bi_compania.csv":
        lines = [f"{10_000 + number},,COMPAÑIA {number} S.A.,ANONIMA,17,X" for number in range(1_000)]
        return "\n".join(["expediente,ruc,nombre,tipo,pro_codigo,provincia", *lines, ""]).encode("cp1252")
    if name != "bi_ranking.csv":
        return sites.ranking(name)
    head, row = sites.ranking(name).decode().splitlines()
    rows = [row.replace(",384,1,", f",{10_000 + number},{number + 2},") for number in range(1_000)]
    return "\n".join([head, row, *rows, ""]).encode()


def month() -> dict[str, bytes]:
    """A month of Receita Federal with as many rows as it must at least have."""
    with TemporaryDirectory() as folder:
        corpus(1_500, Path(folder), 1)
        files = {path.name: path.read_bytes() for path in Path(folder, "br", "receita-federal").glob("*.zip")}
    for table in ("Empresas", "Estabelecimentos"):
        for part in range(10):
            files.setdefault(f"{table}{part}.zip", files[f"{table}0.zip"])
    return files


def largest_companies() -> list[dict[str, str]]:
    """The rows of the list 6cat-2gcs that come with the project, under the names of the API."""
    [path] = (OFFICIAL / "co" / "supersociedades-6cat").glob("*.csv")
    names = {
        "NIT": "nit", "RAZÓN SOCIAL": "raz_n_social", "DEPARTAMENTO DOMICILIO": "departamento_domicilio",
        "CIUDAD DOMICILIO": "ciudad_domicilio", "CIIU": "ciiu", "Año de Corte": "a_o_de_corte",
    }  # fmt: skip
    rows = csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))
    return [{names[column]: cell for column, cell in row.items() if column in names} for row in rows]


def publish_all(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all publishers offer files of today, with the minimum rows of a build."""
    monkeypatch.setattr(sites, "TODAY", datetime.now(UTC).date())
    monkeypatch.setattr(sites, "month", month)
    denue = bundled("mx/denue/denue_inegi_21__2018_cut-legal-entities.csv", 60)
    balance = bundled("br/cvm-dfp/dfp_cia_aberta_BPA_con_2023.csv.gz", 100)
    submissions = bundled("us/financial-statement-data-sets/2009q3_sub.txt", 200)
    filers = {path.name.replace(".", "__"): path.read_bytes() for path in (OFFICIAL / "us/submissions").glob("CIK*")}
    with_rows = {
        "supercias-directorio": lambda _: directory(),
        "supercias-ranking": ranking,
        "cvm-dfp": lambda name: zipped(**{f"dfp_cia_aberta_BPA_con_{name[-8:-4]}.csv": balance}),
        "financial-statement-data-sets": lambda _: zipped(sub__txt=submissions),
        "denue": lambda name: zipped(
            **{f"conjunto_de_datos/denue_inegi_{name[6:8]}_.csv": UNITS if name.startswith("denue_09") else denue}
        ),
        "submissions": lambda _: zipped(**filers),
        "companyfacts": lambda _: zipped(CIK0000320193__json=bundled("us/companyfacts/CIK0000320193.json.gz")),
        "cvm": lambda _: bundled("br/cvm/cad_cia_aberta.csv.gz"),
        "rns": lambda _: zipped(
            **{"registro-nacional-sociedades-202610__csv": bundled("ar/rns/registro-nacional-sociedades-muestreo.csv")}
        ),
    }
    for source, body in with_rows.items():
        monkeypatch.setitem(BODIES, source, body)
    for _, origin in AUTOMATIC:
        stock(site, origin)
    site.tables["6cat-2gcs"] = largest_companies()
    for dataset in ("pfdp-zks5", "prwj-nzxa"):
        site.tables[dataset] = [
            {
                "nit": "899999068", "fecha_corte": f"{year}-12-31T00:00:00.000", "periodo": "Periodo Actual",
                "concepto": "Total de activos" if dataset == "pfdp-zks5" else "Ingresos de actividades ordinarias",
                "valor": "1000", "punto_entrada": "20 Separados", "numero_radicado": "7",
            }
            for year in range(2015, sites.TODAY.year)
        ]  # fmt: skip


def refresh(site: Site, data: Path) -> tuple[int, dict[tuple[str, str], str]]:
    """Exit code of `padron refresh`, and what it says came of each source."""
    hosts = {host for country in REGISTRY.values() for origin in country.origins for host in hosts_of(origin.way)}
    settings = {
        "PADRON_DATA": str(data),
        "PADRON_FETCH__CONTACT": "Padron tests tests@padron.example",
        "PADRON_FETCH__MIRRORS": ",".join(f"{host}={site.url}/{host}" for host in sorted(hosts)),
        "LC_ALL": "en_US.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", HASTY, "refresh"],
        env=os.environ | settings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    cells = [line.split("  ") for line in done.stdout.splitlines() if line[:2] in REGISTRY]
    rows = [[cell.strip() for cell in row if cell.strip()] for row in cells]
    # A line without cells, `MX retc: https://…`, is the page of a source whose files are placed by hand.
    return done.returncode, {
        (row[0], row[1]): row[2] for row in rows if row[2:] and row[2] in {"new", "nothing new", "by hand", "failed"}
    }


@pytest.mark.endurance
def test_six_countries_are_fetched_built_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "var"
    with publishing() as site:
        publish_all(site, monkeypatch)
        for url in list(site.documents)[::15]:
            site.faults[url] = [cut(0.5), drop]

        code, outcomes = refresh(site, data)
        automatic = {(country, origin.source) for country, origin in AUTOMATIC}
        assert (code, {key for key, state in outcomes.items() if state == "new"}) == (0, automatic)
        assert {state for key, state in outcomes.items() if key not in automatic} == {"by hand"}
        release = snapshot.read_release(data, snapshot.current(data))
        assert set(release.snapshots) == set(REGISTRY)
        stated = {row.source: row for row in source_states(REGISTRY, data, builds.BUNDLED, sites.TODAY)}
        assert stated["receita-federal"].rows is not None
        assert stated["receita-federal"].rows > 2_000

        before = tree(data)
        code, outcomes = refresh(site, data)
        assert (code, set(outcomes.values())) == (0, {"nothing new", "by hand"})
        assert tree(data) == before, "two refreshes in a row without news change nothing"

        site.renewed += 60
        site.tables["c82u-588k"] = [*site.tables["c82u-588k"], COMPANY]
        code, outcomes = refresh(site, data)
        assert (code, {key for key, state in outcomes.items() if state == "new"}) == (0, {("CO", "rues")})
    after = snapshot.read_release(data, snapshot.current(data))
    assert {country for country in REGISTRY if after.snapshots[country] != release.snapshots[country]} == {"CO"}
    [change] = read_changes(data, None, 10, REGISTRY, NO_SUPPRESSIONS).changes
    assert (change["change"], change["identifier"], change["name"]) == ("new", "900999999", COMPANY["razon_social"])
