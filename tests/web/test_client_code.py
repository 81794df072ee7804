"""The code of the client libraries that the site hands out: what is in it, and that both are installed from it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from padron.web import client_code
from parsed_page import Reading

CLIENTS = Path(__file__).parents[2] / "clients"


@pytest.mark.parametrize("page", ["/es/bibliotecas", "/en/libraries"])
def test_the_page_of_the_libraries_leads_to_their_code(web: TestClient, page: str) -> None:
    assert len(Reading(web.get(page).text).all("a", href=client_code.ADDRESS)) == 1
    answer = web.get(client_code.ADDRESS)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    again = web.get(client_code.ADDRESS, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files == {name: (CLIENTS.parent / name).read_bytes() for name in files}
    listed = subprocess.run(["git", "ls-files", *client_code.PARTS], cwd=CLIENTS, check=True, capture_output=True)
    assert sorted(files) == [f"clients/{name}" for name in sorted(listed.stdout.decode().split())]
    assert client_code.archive() == answer.content


def test_an_archive_without_one_of_its_parts_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_code, "_FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError):
        client_code.archive()


def test_it_has_all_that_the_packages_hold() -> None:
    published = json.loads((CLIENTS / "typescript/package.json").read_text("utf-8"))["files"]
    assert {f"typescript/{name}" for name in published if name != "dist"} < set(client_code.PARTS)
    project = tomllib.loads((CLIENTS.parent / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    installed = project["targets"]["wheel"]["only-include"]
    assert sorted(f"clients/{part}" for part in client_code.PARTS) == [
        name for name in installed if name.startswith("clients/")
    ]


@pytest.mark.verify
def test_both_libraries_are_packed_from_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(client_code.archive())) as archive:
        archive.extractall(tmp_path)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "./clients/python"], cwd=tmp_path, check=True)
    (wheel,) = tmp_path.glob("padron_client-*.whl")
    assert "padron_client/client.py" in zipfile.ZipFile(wheel).namelist()

    (tmp_path / "clients/typescript/node_modules").symlink_to(CLIENTS / "typescript/node_modules")
    subprocess.run(["npm", "pack", "./clients/typescript"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["npm", "install", "./padron-client-0.1.0.tgz"], cwd=tmp_path, check=True, capture_output=True)
    call = "import('@padron/client').then(({ createClient }) => console.log(typeof createClient))"
    ran = subprocess.run(["node", "--eval", call], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert ran.stdout == "function\n"
