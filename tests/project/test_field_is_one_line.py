"""A field is one line: added to a copy of the package, it stands in every form of a company, with no other change."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import httpx2
import pytest

from account_service import sign_up
from process import ROOT, Server, serving

COLUMN = """
    Field(
        "fiscal_region",
        "VARCHAR",
        "province of the tax domicile",
        traced=True,
        shared=True,
        served="v1",
        description=Text("Provincia del domicilio fiscal.", "Province of the tax domicile."),
        example="CORDOBA",
        label=Text("Provincia fiscal", "Tax province"),
    ),
"""
STATED = ("_date AS recency\nFROM rns r", "_date AS recency, upper(dom_fiscal_provincia) AS fiscal_region\nFROM rns r")
"""The source column, in the SQL of one country."""


class Service(NamedTuple):
    """The copied package: its folder, its data folder, the running service, a key, and a company with the field."""

    folder: Path
    data: Path
    server: Server
    key: str
    identifier: str
    value: str


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, path
    path.write_text(text.replace(old, new), "utf-8")


def run(folder: Path, *command: str | Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A release of Argentina built by the copy, served by it."""
    folder = tmp_path_factory.mktemp("copy")
    made = shutil.ignore_patterns("__pycache__", "node_modules", "dist")
    for name in ("src/padron", "tools", "docs", "clients"):
        shutil.copytree(ROOT / name, folder / name, ignore=made)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "clients/typescript/node_modules").symlink_to(ROOT / "clients/typescript/node_modules")
    table = folder / "src/padron/companies/fields.py"
    replaced(table, ')\n"""The columns of companies.parquet', f'{COLUMN[1:]})\n"""The columns of companies.parquet')
    replaced(folder / "src/padron/countries/ar/companies.sql", *STATED)
    run(folder, "tools/generate_company.py")
    data = folder / "var"
    official = ROOT / "data/official"
    run(folder, "-m", "padron.cli.app", "build", "--source", official, "--data", data, "--country", "AR")
    (snapshot,) = (data / "snapshots/ar").glob("*/companies.parquet")
    with duckdb.connect() as db:
        (company,) = db.execute(
            "FROM (SELECT identifier, fiscal_region FROM read_parquet(?)) WHERE fiscal_region IS NOT NULL LIMIT 1",
            [str(snapshot)],
        ).fetchall()
    with serving(data, folder, PYTHONPATH=str(folder / "src")) as server:
        with httpx2.Client(base_url=server.url) as browser:
            key = sign_up(browser, data, "field@example.ec")
        yield Service(folder, data, server, key, *company)


def get(service: Service, path: str, language: str = "en", **headers: str) -> httpx2.Response:
    answer = httpx2.get(service.server.url + path, headers={"Accept-Language": language, **headers})
    assert answer.status_code == 200, answer.text
    return answer


def test_v1_sends_it_and_says_where_it_was_taken_from(service: Service) -> None:
    path = f"/api/v1/entities/AR/{service.identifier}"
    entity = get(service, path, Authorization=f"Bearer {service.key}", apiKey=service.key).json()["entity"]
    assert entity["fiscalRegion"] == service.value
    assert entity["provenance"]["fiscalRegion"] == "rns"


def test_the_public_answer_stays_as_specified(service: Service) -> None:
    entity = get(service, f"/api/public/empresas/AR/{service.identifier}").json()["entity"]
    assert "fiscalRegion" not in entity


def test_the_page_of_the_company_lists_it(service: Service) -> None:
    for language, path, label in (("es", "es/empresas", "Provincia fiscal"), ("en", "en/companies", "Tax province")):
        page = get(service, f"/{path}/ar/{service.identifier}", language).text
        assert f"<dt>{label}</dt><dd>{service.value}</dd>" in page
    twin = get(service, f"/en/companies/ar/{service.identifier}.json").json()
    assert twin["company"]["fiscalRegion"] == service.value


def documents(service: Service, language: str) -> dict[str, Any]:
    return get(service, "/api/v1/openapi.json", language).json()


def test_the_description_has_it_in_both_languages(service: Service) -> None:
    for language, text in (("es", "Provincia del domicilio fiscal."), ("en", "Province of the tax domicile.")):
        document = documents(service, language)
        (kind, _) = document["components"]["schemas"]["V1Record"]["properties"]["fiscalRegion"]["anyOf"]
        assert kind == {"type": "string", "description": text}
        operation = document["paths"]["/api/v1/entities/{country}/{identifier}"]["get"]
        example = operation["responses"]["200"]["content"]["application/json"]["example"]
        assert example["entity"]["fiscalRegion"] == "CORDOBA"


def test_the_documentation_has_it_in_both_languages(service: Service) -> None:
    script = """if True:
        import json, runpy, sys
        generate = runpy.run_path("docs/generate.py")
        print(json.dumps([generate["fields"]("es"), generate["fields"]("en"), generate["columns"]()]))"""
    environment = os.environ | {"PYTHONPATH": str(service.folder / "src")}
    output = subprocess.check_output([sys.executable, "-c", script], cwd=service.folder, env=environment)
    spanish, english, columns = json.loads(output)
    assert '| `fiscalRegion` | v1 | Provincia del domicilio fiscal. | `"CORDOBA"` | `fiscal_region` |' in spanish
    assert '| `fiscalRegion` | v1 | Province of the tax domicile. | `"CORDOBA"` | `fiscal_region` |' in english
    assert "| `fiscal_region` | `VARCHAR` | yes | province of the tax domicile |" in columns


def test_the_types_of_both_clients_have_it(service: Service) -> None:
    generate = runpy.run_path(str(service.folder / "clients/python/generate.py"))
    module = generate["module"](generate["described"](service.server.url))
    assert '    fiscal_region: str | None\n    """Province of the tax domicile."""\n' in module
    (node,) = (ROOT / "clients/typescript/node/node_modules").glob("node-linux-*/bin/node")
    command = [node, "scripts/wire.mjs", service.server.url]
    wire = subprocess.check_output(command, cwd=service.folder / "clients/typescript", text=True)
    assert "fiscalRegion: string | null;" in wire
