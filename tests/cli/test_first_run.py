"""The first run without a checkout: each message names the next command, and that command works."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest

from padron.cli import builds
from padron.cli import service as service_commands
from padron.errors import SourceError, messages
from padron.releases import snapshot
from ports import free_port
from waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty data folder, of a program without a checkout and without padron-data."""
    monkeypatch.setattr(builds, "BUNDLED", tmp_path / "nowhere")
    monkeypatch.setenv("LC_ALL", "en")
    return tmp_path / "var"


def test_a_build_without_official_files_names_both_ways_to_them(bare: Path) -> None:
    with pytest.raises(SourceError) as refused:
        builds.build(data=bare)
    assert refused.value.code == "no-official-files"
    detail = messages.detail(refused.value, "en")
    assert "`pip install dist/padron_data-*.whl`" in detail
    assert "`padron fetch EC`" in detail
    assert "`padron build`" in detail
    assert not bare.exists()


@pytest.mark.verify
def test_a_build_reads_the_countries_that_have_files_and_names_the_others(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files are those that `padron fetch AR` leaves; a damaged release is built again from them."""
    shutil.copytree(ROOT / "data/official/ar", bare / "official/ar")
    for _ in range(2):
        assert builds.build(data=bare) == 0
        assert list(snapshot.read_release(bare, snapshot.current(bare)).snapshots) == ["AR"]
        assert "so not built: EC, MX, US, BR, CO. `padron fetch EC`" in capsys.readouterr().err
        (bare / "releases" / f"{snapshot.current(bare)}.json").write_text("{", encoding="utf-8")


def test_a_service_without_a_release_states_the_command_that_builds_one(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert service_commands._first_build(bare) == 0
    assert capsys.readouterr().err == (
        f"There is no published release in {bare}. Build one with `padron build --data {bare}`, or name the data "
        "folder that has one with `--data` or the setting PADRON_DATA.\n"
    )


def test_a_service_with_a_release_states_nothing(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert service_commands._first_build(release) == 0
    assert capsys.readouterr() == ("", "")


@contextmanager
def at_a_terminal(
    python: Path, folder: Path, answer: str, *words: str
) -> Iterator[tuple[subprocess.Popen[bytes], bytearray]]:
    """`padron …` in a folder at a terminal where a person types `answer`, and what stands there on standard error."""
    terminal, side = pty.openpty()
    shown = bytearray()
    command = [str(python), "-m", "padron", *words]
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "en_US.UTF-8"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=side, stderr=side, stdout=subprocess.DEVNULL)
    os.close(side)
    os.write(terminal, f"{answer}\n".encode())
    reader = Thread(target=read_all, args=(terminal, shown))
    reader.start()
    try:
        yield process, shown
    finally:
        process.terminate()
        process.wait(PATIENCE)
        reader.join(PATIENCE)
        os.close(terminal)


def read_all(terminal: int, shown: bytearray) -> None:
    """Read until no process has the terminal any more, which is an error of input."""
    with suppress(OSError):
        while text := os.read(terminal, 65_536):
            shown += text


def answer_of(process: subprocess.Popen[bytes], port: int, path: str) -> bytes | None:
    """The answer of the service once it gives one; fail if it has ended."""
    assert process.poll() is None, f"the service ended with {process.returncode}"
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
        return bytes(answer.read())
    return None


@pytest.mark.release_check
def test_the_packages_alone_build_and_serve_in_an_empty_folder(tmp_path: Path) -> None:
    """Wheels in a venv outside the repository: `padron` alone names `padron-data`, which is all that was missing."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheels = tmp_path / "wheels"
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run([*build, str(ROOT / "data")], check=True)
    venv.create(tmp_path / "venv", with_pip=True)
    python, folder = tmp_path / "venv/bin/python", tmp_path / "empty"
    folder.mkdir()
    install = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    local = [*install, "--no-index", "--find-links", str(wheels)]
    subprocess.run([*local, "padron"], check=True)

    refused = subprocess.run(
        [str(tmp_path / "venv/bin/padron"), "build"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert (refused.returncode, refused.stdout, list(folder.iterdir())) == (3, "", [])
    assert "`pip install dist/padron_data-*.whl`" in refused.stderr

    with at_a_terminal(python, folder, "y", "serve", "--port", str(free_port())) as (process, shown):
        assert process.wait(PATIENCE) == 3
    assert b"`pip install dist/padron_data-*.whl`" in shown

    subprocess.run([*local, "padron[data]"], check=True)
    port = free_port()
    with at_a_terminal(python, folder, "", "serve", "--port", str(port)) as (process, _):
        company = until(lambda: answer_of(process, port, "/api/public/empresas/BR/33000167000101"), within=300)
    assert b'"legalName":"PETR\xc3\x93LEO BRASILEIRO S.A. - PETROBRAS"' in company
