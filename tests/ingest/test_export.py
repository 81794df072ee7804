"""`padron export`: exact rows, whole or not at all, suppressed companies left out, a catalogue, reading by ranges."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import pytest

from padron.cli import app as cli
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, ReleaseError
from padron.ingest.export import ExportedRelease, export
from padron.ingest.export_documents import ExportedCountry, catalogue
from padron.releases import snapshot
from padron.releases.suppression import NO_SUPPRESSIONS, Suppression, Suppressions
from padron.storage import temporary_folder

BASE_URL = "https://padron.example"
MEMBERS = [
    *("legalName", "tradeName", "countryCode", "scheme", "identifier", "status", "classificationCode"),
    *("classificationLabel", "financialsAvailable", "source", "refreshedAt"),
]
HIDDEN = Suppressions((Suppression("CO", "co-nit", "899999068", "order", date(2026, 1, 1)),))


def exported(data: Path, folder: Path, suppressions: Suppressions = NO_SUPPRESSIONS) -> ExportedRelease:
    return export(data, snapshot.current(data), REGISTRY, suppressions, BASE_URL, folder)


@pytest.fixture(scope="module")
def written(release: Path, tmp_path_factory: pytest.TempPathFactory) -> ExportedRelease:
    """The export of all bundled files. Read only."""
    data = tmp_path_factory.mktemp("it's here")
    for name in ("current", "releases", "snapshots"):
        (data / name).symlink_to(release / name)
    return exported(data, snapshot.export_folder(data, snapshot.current(data), ""))


def rows(path: Path, where: str = "true") -> list[dict[str, Any]]:
    with duckdb.connect() as db:
        cursor = db.execute(f"SELECT * FROM read_parquet(?) WHERE {where}", [str(path)])
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def test_a_row_has_the_members_of_the_public_answer_and_no_other(
    written: ExportedRelease, directory: Directory
) -> None:
    for country, identifier in (("BR", "33000167000101"), ("EC", "1790016919001"), ("US", "1119639")):
        (row,) = rows(Path(written.folder, f"{country.lower()}.parquet"), f"identifier = '{identifier}'")
        assert list(row) == MEMBERS
        record = run(directory.get(country, identifier, "en")).record
        assert record.source is not None
        assert record.refreshed_at is not None
        assert row == {
            "legalName": record.legal_name,
            "tradeName": record.trade_name,
            "countryCode": country,
            "scheme": record.scheme,
            "identifier": identifier,
            "status": record.status,
            "classificationCode": record.classification_code,
            "classificationLabel": record.classification_label,
            "financialsAvailable": record.financials_available,
            "source": record.source.source_name,
            "refreshedAt": record.refreshed_at.date(),
        }


def test_every_company_is_there_in_order_and_in_both_formats(written: ExportedRelease, directory: Directory) -> None:
    counts = {entry.country_code: entry.companies for entry in directory.coverage().countries}
    assert {entry.country: entry.companies for entry in written.countries} == counts
    columnar = rows(Path(written.folder, "ar.parquet"))
    with gzip.open(Path(written.folder, "ar.ndjson.gz"), "rt", encoding="utf-8") as lines:
        objects = [json.loads(line) for line in lines]
    assert objects == [{**row, "refreshedAt": str(row["refreshedAt"])} for row in columnar]
    order = [(row["scheme"], row["identifier"]) for row in columnar]
    assert order == sorted(set(order))
    assert len(order) == counts["AR"]


def test_the_files_that_the_service_offers_are_written_once(
    written: ExportedRelease, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = Path(written.folder).parents[1]
    words = ["export", "--json", "--data", str(data)]
    assert cli.app(words, exit_on_error=False, result_action="return_value") == 0
    answer = json.loads(capsysbinary.readouterr().out)
    assert answer == {"folder": written.folder, "release": written.release, "countries": []}
    with pytest.raises(Invalid, match="folder-not-empty"):
        cli.app([*words, "--to", written.folder], exit_on_error=False, result_action="return_value")


def test_statements_that_a_company_borrows_count(written: ExportedRelease, release: Path) -> None:
    borrowed = snapshot.read_release(release, written.release).borrowed
    assert borrowed
    for country, identifier in borrowed:
        (row,) = rows(Path(written.folder, f"{country.lower()}.parquet"), f"identifier = '{identifier}'")
        assert row["financialsAvailable"] is True


def test_a_suppressed_company_is_left_out_and_all_else_stays_as_it_is(
    written: ExportedRelease, release: Path, tmp_path: Path
) -> None:
    again = exported(release, tmp_path / "again", HIDDEN)
    before, after = (rows(Path(done.folder, "co.parquet")) for done in (written, again))
    assert [row["legalName"] for row in before if row not in after] == ["ECOPETROL S.A"]
    assert len(after) == len(before) - 1 == again.countries[2].companies
    for path in sorted(Path(written.folder).iterdir()):
        same = path.read_bytes() == Path(again.folder, path.name).read_bytes()
        assert same is (
            path.name not in {"co.parquet", "co.ndjson.gz", "catalogue.jsonld", "SHA256SUMS", snapshot.SEAL}
        ), path.name


def test_the_checksums_and_the_catalogue_describe_the_files(written: ExportedRelease) -> None:
    folder = Path(written.folder)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: digest for name, digest in digests.items() if name not in {"SHA256SUMS", snapshot.SEAL}}
    document = json.loads((folder / "catalogue.jsonld").read_text("utf-8"))
    assert {"dct:title", "dct:description", "dct:publisher", "dcat:dataset"} <= document.keys(), "mandatory in DCAT-AP"
    assert [data_set["dct:identifier"] for data_set in document["dcat:dataset"]] == [
        f"padron-{code.lower()}" for code in sorted(REGISTRY)
    ]
    for data_set in document["dcat:dataset"]:
        assert {"dct:title", "dct:description", "dct:source"} <= data_set.keys()
        for each in data_set["dcat:distribution"]:
            name = each["dcat:accessURL"]["@id"]
            assert each["spdx:checksum"]["spdx:checksumValue"]["@value"] == digests[name]
            assert each["dcat:byteSize"]["@value"] == str((folder / name).stat().st_size)
            assert each["dct:license"]["@id"] in digests
    mexican = document["dcat:dataset"][4]
    assert mexican["dct:title"][0] == {"@language": "es", "@value": "Empresas de México"}


def test_the_licences_name_every_source_of_a_row(written: ExportedRelease) -> None:
    folder = Path(written.folder)
    spanish, english = ((folder / name).read_text("utf-8") for name in ("LICENCIAS.md", "LICENCES.md"))
    assert spanish.startswith(f"# Licencias de los datos\n\nVersión {written.release}.")
    assert english.startswith(f"# Data licences\n\nRelease {written.release}.")
    names = {row["source"] for entry in written.countries for row in rows(folder / entry.files[0].name)}
    assert len(names) > len(REGISTRY)
    assert [name for name in names if f"[{name}](" not in spanish or f"[{name}](" not in english] == []
    assert "| ODbL 1.0 | Banco Central do Brasil |" in english


def test_a_source_without_a_date_has_none_in_the_catalogue() -> None:
    source = {"name": "A", "url": "https://a.example", "licence": "L", "attribution": "B", "date": None}
    coverage = {"countries": [{"countryCode": "EC", "sources": [source]}]}
    release = snapshot.Release("r", "2026-01-01T00:00:00+00:00", {}, {}, coverage, {})
    document = catalogue(release, REGISTRY, [ExportedCountry(country="EC", companies=0, files=[])], BASE_URL)
    assert "dct:modified" not in document["dcat:dataset"][0]["dct:source"][0]


def test_nothing_is_overwritten_and_nothing_half_written(release: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(Invalid) as error:
        exported(release, tmp_path)
    assert error.value.code == "folder-not-empty"
    with pytest.raises(ReleaseError):
        export(release, "no-such", REGISTRY, NO_SUPPRESSIONS, BASE_URL, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_build_leaves_the_files_that_are_being_written(tmp_path: Path) -> None:
    (tmp_path / "exports").mkdir()
    with temporary_folder(tmp_path / "exports") as folder:
        with snapshot.building(tmp_path):
            assert folder.is_dir()
        assert folder.is_dir()
    (folder / "built").mkdir(parents=True)  # as of a process that was killed
    with snapshot.building(tmp_path):
        assert not any((tmp_path / "exports").iterdir())


@contextmanager
def ranges_of(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """A server of a folder that answers range requests: its address, and the bytes of each answer."""
    sent: list[int] = []

    class Handler(SimpleHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            content = (folder / self.path[1:]).read_bytes()
            wanted = self.headers.get("range")
            first, last = 0, len(content) - 1
            if wanted:
                first, last = (int(number) for number in wanted.removeprefix("bytes=").split("-"))
                last = min(last, len(content) - 1)
            self.send_response(206 if wanted else 200)
            self.send_header("accept-ranges", "bytes")
            self.send_header("content-length", str(last - first + 1))
            if wanted:
                self.send_header("content-range", f"bytes {first}-{last}/{len(content)}")
            self.end_headers()
            if body:
                sent.append(last - first + 1)
                self.wfile.write(content[first : last + 1])

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", sent
        server.shutdown()


@pytest.mark.release_check
def test_duckdb_reads_a_part_of_a_file_over_http(written: ExportedRelease, tmp_path: Path) -> None:
    venv.create(tmp_path / "alone", with_pip=True)
    python = str(tmp_path / "alone" / "bin" / "python")
    # The extension is on the package registry only for this version; it reads what later ones write.
    wanted = ["duckdb==1.5.5", "duckdb-extensions==1.5.5", "duckdb-extension-httpfs==1.5.5"]
    install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *wanted]
    subprocess.run(install, check=True)
    with ranges_of(Path(written.folder)) as (address, sent):
        query = f"SELECT legalName FROM '{address}/ec.parquet' WHERE scheme = 'ec-ruc' AND identifier = '1790016919001'"
        program = (
            "import duckdb\nfrom duckdb_extensions import import_extension\nimport_extension('httpfs')\n"
            f"db = duckdb.connect()\ndb.execute('LOAD httpfs')\nprint(db.execute({query!r}).fetchall())"
        )
        done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[('CORPORACION FAVORITA C.A.',)]\n", 0), done.stderr
    size = Path(written.folder, "ec.parquet").stat().st_size
    print(f"{sum(sent)} of {size} bytes in {len(sent)} requests", file=sys.stderr)
    assert sum(sent) < size / 2


def test_what_is_damaged_is_written_again(small_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    folder = snapshot.export_folder(data, snapshot.current(data), "")

    def export_again() -> dict[str, bytes]:
        words = ["export", "--data", str(data)]
        assert cli.app(words, exit_on_error=False, result_action="return_value") == 0
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    whole, state = export_again(), folder.stat()
    assert export_again() == whole
    assert folder.stat().st_ino == state.st_ino
    for name in ("LICENCES.md", "SHA256SUMS", snapshot.SEAL):
        (folder / name).write_text("damaged")
        assert export_again() == whole
    (folder / "SHA256SUMS").unlink()
    (folder / "SHA256SUMS").mkdir()
    assert export_again() == whole
    shutil.rmtree(folder)
    folder.write_text("no folder")
    assert export_again() == whole
