"""Temporary folders: one for the length of a block, and nothing that stays of a process that was killed."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from padron.storage import make_again, temporary_folder

PACKAGE = Path(__file__).parents[1] / "src" / "padron"
HOLD = """
import sys
from pathlib import Path
from padron.storage import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "links").mkdir()
    (folder / "links" / "file").write_text("held")
    print(folder, flush=True)
    sys.stdin.read()
"""


def holder(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that keeps a temporary folder until its input ends, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(parent)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_the_next_folder_removes_those_of_killed_processes_and_no_other(tmp_path: Path) -> None:
    (mine := tmp_path / ".padron-mine").mkdir()
    killed, left = holder(tmp_path)
    living, kept = holder(tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert left.is_dir()
    with temporary_folder(tmp_path) as folder:
        assert set(tmp_path.iterdir()) == {mine, kept, folder}
        assert (kept / "links" / "file").read_text() == "held"
    living.communicate()
    assert (living.returncode, set(tmp_path.iterdir())) == (0, {mine})


def test_one_in_use_stays_when_its_files_are_cleaned_away(tmp_path: Path) -> None:
    """A cleaner of old temporary files does so after some days."""
    living, kept = holder(tmp_path)
    for path in kept.rglob("*"):
        if path.is_file():
            path.unlink()
    with temporary_folder(tmp_path):
        assert (kept / "links").is_dir()
    living.communicate()
    assert (living.returncode, any(tmp_path.iterdir())) == (0, False)


def test_one_that_is_made_again_is_in_use(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        folder.rmdir()
        make_again(folder)
        make_again(folder)
        with temporary_folder(tmp_path):
            assert folder.is_dir()
    assert not any(tmp_path.iterdir())


def test_one_whose_removal_was_killed_is_removed(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        pass
    (folder / "rest").mkdir(parents=True)
    with temporary_folder(tmp_path) as fresh:
        assert set(tmp_path.iterdir()) == {fresh}


def test_a_folder_is_removed_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), temporary_folder(tmp_path):
        raise KeyError
    assert not any(tmp_path.iterdir())


def test_those_who_begin_at_once_keep_theirs(tmp_path: Path) -> None:
    def hold(number: int) -> None:
        with temporary_folder(tmp_path) as folder:
            (folder / "file").write_text(str(number))
            with temporary_folder(tmp_path):
                assert (folder / "file").read_text() == str(number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(hold, range(400)))
    assert not any(tmp_path.iterdir())


def makers_of_folders(root: Path) -> list[str]:
    """Modules that make a temporary folder by themselves."""
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (
            (isinstance(node, ast.ImportFrom) and node.module == "tempfile")
            and {"TemporaryDirectory", "mkdtemp"} & {name.name for name in node.names}
        )
        or (isinstance(node, ast.Import) and any(name.name == "tempfile" for name in node.names))
    ]


def test_temporary_folders_are_made_in_one_module(tmp_path: Path) -> None:
    assert makers_of_folders(PACKAGE) == ["storage.py"]
    (tmp_path / "planted.py").write_text("from tempfile import mkdtemp")
    (tmp_path / "other.py").write_text("import tempfile")
    assert makers_of_folders(tmp_path) == ["other.py", "planted.py"]
