"""Bundled files under data/official obey the privacy rule and match their provenance; each check can fail."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from padron.countries import REGISTRY
from padron.countries.country import Layout, Source, SourceColumn
from padron.errors import SourceError
from padron.ingest.bundle import LeaveOut, blank_file, bundle

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
E_MAIL = re.compile(rb"[\w.+-]+@[\w-]+\.\w{2,}")
CONTACTS = (
    *("telefono", "telefonos", "telefono 1", "telefono 2", "numero de telefono", "celular", "movil", "telefone"),
    *("tel", "ddd tel", "ddd", "fax", "ddd fax", "phone", "baph", "phone number", "phones"),
    *(
        "correo",
        "correo electronico",
        "correoelec",
        "email",
        "e-mail",
        "mail",
        "endereco eletronico",
        "endereço eletrônico",
    ),
    *("calle", "calle y numero", "direccion", "domicilio", "logradouro", "street", "street1", "street2"),
    *("nom_vial", "bas1", "bas2", "mas1", "mas2", "latitud", "longitud", "representante", "representante legal"),
)
"""Headers and keys that are private wherever they occur, whether a layout names them or not."""
FILLED = ("url", "publisher_page", "licence", "copy", "layout")

Sources = Mapping[tuple[str, str], Source]


def contents(name: str, data: bytes) -> Iterator[bytes]:
    """The unpacked parts of a file, as text bytes."""
    if name.endswith(".gz"):
        yield from contents(name.removesuffix(".gz"), gzip.decompress(data))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from contents(member, archive.read(member))
    elif name.endswith(".xlsx"):
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for sheet in book.sheet_names:
            yield repr(book.get_sheet_by_name(sheet).to_python()).encode()
    elif data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        yield data.decode("utf-16").encode()
    else:
        yield data


def faults_of_file(path: Path, record: Mapping[str, Any], source: Source) -> Iterator[str]:
    """Every way in which a bundled file breaks the rule."""
    data = path.read_bytes()
    if (record["sha256"], record["bytes"]) != (hashlib.sha256(data).hexdigest(), len(data)):
        yield "checksum"
    if not all(record.get(field) for field in FILLED) or not (record.get("published") or record.get("retrieved")):
        yield "unfilled"
    if any(E_MAIL.search(part) for part in contents(path.name, data)):
        yield "e-mail"
    try:
        done = blank_file(path.name, data, source)
        contacts = replace(source, layouts=tuple(replace(item, private=CONTACTS) for item in done.layouts))
        anywhere = blank_file(path.name, data, contacts)
    except SourceError as error:
        yield error.code
        return
    if done.cells:
        yield f"private: {', '.join(done.cells)}"
    elif anywhere.cells:
        yield f"contact: {', '.join(anywhere.cells)}"
    if record.get("layout") != ("official" if all(layout.official for layout in done.layouts) else "derived"):
        yield "layout"


def faults(root: Path, sources: Sources) -> list[str]:
    """Every fault under `root`, as "<cc>/<source>/<file>: <fault>"."""
    messages = []
    present = {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
    for folder in sorted({path.parent for path in present}):
        source = sources.get(folder.parts) if len(folder.parts) == 2 else None  # type: ignore[call-overload]
        if source is None or folder / "PROVENANCE.json" not in present:
            messages.append(f"{folder}: {'no-provenance' if source else 'unknown-source'}")
            continue
        document = json.loads((root / folder / "PROVENANCE.json").read_text("utf-8"))
        records = {folder / record["file"]: record for record in document["files"]}
        names = {path for path in present if path.parent == folder} - {folder / "PROVENANCE.json"}
        if document["source"] != source.key or len(records) != len(document["files"]):
            messages.append(f"{folder}: provenance")
        messages += [f"{path}: no-record" for path in sorted(names - records.keys())]
        messages += [f"{path}: no-file" for path in sorted(records.keys() - names)]
        for path in sorted(names & records.keys()):
            messages += [f"{path}: {fault}" for fault in faults_of_file(root / path, records[path], source)]
    return messages


@pytest.mark.verify
def test_the_bundled_files_obey_the_rule() -> None:
    sources = {(code.lower(), source.key): source for code, country in REGISTRY.items() for source in country.sources}
    assert faults(OFFICIAL, sources) == []
    assert {path.name for path in OFFICIAL.iterdir()} == {code.lower() for code in REGISTRY}


PLANTED = Layout(
    name="companies",
    match="companies.csv",
    format="csv",
    columns=(SourceColumn("id", ("ID",)), SourceColumn("name", ("NAME",))),
    private=("CONTACTO",),
)
SOURCE = Source("registry", "Registry", "Office", "https://example.org/", "open", "Office", 30, (PLANTED,))
ROWS = b"ID,NAME,CONTACTO,TELEFONO\n1,ACME @HOME SA,ANA,\n2,LUIS,,\n"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A faultless bundle of one file."""
    raw = tmp_path / "raw.csv"
    raw.write_bytes(ROWS)
    folder = tmp_path / "official" / "xx" / "registry"
    bundle(raw, folder / "companies.csv", SOURCE, "2026-11-01", [LeaveOut("ID", frozenset({"2"}))])
    edit_record(folder, published="2026-01-01", copy="a public copy")
    return folder


def edit_record(folder: Path, **fields: object) -> None:
    path = folder / "PROVENANCE.json"
    document = json.loads(path.read_text())
    document["files"][0] |= fields
    path.write_text(json.dumps(document))


def rewrite(folder: Path, data: bytes) -> None:
    """Put other bytes in the file, with a record that fits them."""
    (folder / "companies.csv").write_bytes(data)
    edit_record(folder, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


def rename_source(folder: Path) -> None:
    document = json.loads((folder / "PROVENANCE.json").read_text())
    (folder / "PROVENANCE.json").write_text(json.dumps(document | {"source": "other"}))


FAULTS: dict[str, Callable[[Path], object]] = {
    "companies.csv: private: CONTACTO": lambda folder: rewrite(folder, b"ID,NAME,CONTACTO\n1,ACME,ANA\n"),
    "companies.csv: contact: telefono": lambda folder: rewrite(folder, b"ID,NAME,CONTACTO,TELEFONO\n1,ACME,,99\n"),
    "companies.csv: e-mail": lambda folder: rewrite(folder, b"ID,NAME,CONTACTO\n1,a@b.example,\n"),
    "companies.csv: uneven-row": lambda folder: rewrite(folder, b"ID,NAME,CONTACTO\n1,ACME,,,\n"),
    "companies.csv: checksum": lambda folder: edit_record(folder, bytes=1),
    "companies.csv: unfilled": lambda folder: edit_record(folder, published=None),
    "companies.csv: layout": lambda folder: edit_record(folder, layout="derived"),
    "companies.csv: no-file": lambda folder: (folder / "companies.csv").unlink(),
    "more.csv: no-record": lambda folder: (folder / "more.csv").write_bytes(ROWS),
    ": provenance": rename_source,
    ": no-provenance": lambda folder: (folder / "PROVENANCE.json").unlink(),
    ": unknown-source": lambda folder: folder.rename(folder.with_name("unknown")),
}


def test_a_faultless_bundle_has_no_fault(planted: Path) -> None:
    assert (planted / "companies.csv").read_bytes() == b"ID,NAME,CONTACTO,TELEFONO\n1,ACME @HOME SA,,\n"
    assert faults(planted.parents[1], {("xx", "registry"): SOURCE}) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_planted_fault_is_found(planted: Path, fault: str) -> None:
    FAULTS[fault](planted)
    messages = faults(planted.parents[1], {("xx", "registry"): SOURCE})
    assert len(messages) == 1
    assert messages[0].endswith(fault)
