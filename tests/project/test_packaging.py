"""The package holds what it needs, the locks are whole, and what shapes a release is what `make run` watches."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from padron.releases import snapshot
from padron.web import client_code

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ("requirements.lock", "requirements-dev.lock")

_PINNED = re.compile(r"^([a-z0-9-]+)==(\S+) \\$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def locked(text: str) -> dict[str, str]:
    """Name -> version of a lock file; every line is a pin or a hash, every pin has a hash."""
    pins: dict[str, str] = {}
    hashes = 0
    for line in text.splitlines():
        if pin := _PINNED.match(line):
            assert hashes or not pins, line
            pins[pin[1]], hashes = pin[2], 0
        else:
            assert _HASH.match(line), line
            hashes += 1
    assert hashes, "the last pin has no hash"
    return pins


def wanted(requirements: list[str]) -> dict[str, str]:
    """Name -> version of exact requirements."""
    return dict(re.fullmatch(r"([a-z0-9-]+)(?:\[\w+\])?==(\S+)", line).groups() for line in requirements)  # type: ignore[union-attr]


def test_locks_hold_every_requirement_with_hashes_and_no_address() -> None:
    run, dev = (locked((ROOT / name).read_text("utf-8")) for name in LOCKS)
    assert wanted(PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]).items() <= run.items()
    assert wanted(PROJECT["dependency-groups"]["dev"]).items() <= dev.items()
    extras = PROJECT["project"]["optional-dependencies"]
    for extra in (extras[name] for name in extras.keys() - {"data"}):  # our own files, which no index locks
        assert wanted(extra).items() <= dev.items()
    assert {name for name in run.keys() & dev.keys() if run[name] != dev[name]} == set()


def addresses(python: Iterable[dict[str, Any]], node: dict[str, Any]) -> list[set[str]]:
    """Project addresses that the packages state: of the Python ones, then of the TypeScript one."""
    addresses = [set(project["project"].get("urls", {}).values()) for project in python]
    stated = [node.get(key) for key in ("repository", "homepage", "bugs", "funding")]
    return [*addresses, {entry["url"] if isinstance(entry, dict) else entry for entry in stated if entry}]


def test_all_packages_say_the_same_of_where_the_project_stands() -> None:
    """None says anything while it has no public address: one that is made up belongs to somebody else."""
    folders = (ROOT, ROOT / "data", ROOT / "clients/python")
    python = [tomllib.loads((folder / "pyproject.toml").read_text("utf-8")) for folder in folders]
    node = json.loads((ROOT / "clients/typescript/package.json").read_text("utf-8"))
    first, *others = addresses(python, node)
    assert all(other == first for other in others)
    invented = node | {"repository": {"type": "git", "url": "git+https://example.org/padron.git"}}
    assert addresses(python, invented) == [first, first, first, {"git+https://example.org/padron.git"}]


@pytest.mark.parametrize(
    "text",
    [
        "a==1 \\\n",
        "a==1 \\\nb==2 \\\n    --hash=sha256:" + "0" * 64,
        "--index-url https://example.org\na==1 \\\n    --hash=sha256:" + "0" * 64,
        "a>=1 \\\n    --hash=sha256:" + "0" * 64,
    ],
)
def test_a_lock_with_a_hole_is_caught(text: str) -> None:
    with pytest.raises(AssertionError):
        locked(text)


def gaps(pins: Iterable[str], python: str) -> set[str]:
    """Requirements of the pinned distributions on this Python that no pin meets."""
    names = {canonicalize_name(name) for name in pins}
    environment = {"python_full_version": python, "python_version": python.rpartition(".")[0], "extra": ""}
    required = (Requirement(line) for name in names for line in requires(name) or [])
    needed = {canonicalize_name(item.name) for item in required if not item.marker or item.marker.evaluate(environment)}
    return needed - names


@pytest.mark.parametrize("python", ["3.11.0", "3.11.2", "3.11.9", "3.12.3", "3.13.5"])
def test_locks_are_whole_on_every_python(python: str) -> None:
    run, dev = (locked((ROOT / name).read_text("utf-8")) for name in LOCKS)
    assert gaps(run, python) == set()
    assert gaps(run.keys() | dev.keys(), python) == set()
    assert gaps(run.keys() - {"anyio"}, python) == {"anyio"}


def declared_and_imported() -> tuple[set[str], set[str]]:
    """Distributions that the package declares, and those that it imports."""
    graph = grimp.build_graph("padron", include_external_packages=True, cache_dir=None)
    owners = packages_distributions()
    imported = {name for name in graph.modules if graph.is_module_squashed(name) and name in owners}
    imported -= {"opentelemetry", "opensearchpy"}  # the extras
    return set(wanted(PROJECT["project"]["dependencies"])), {
        owners[name][0].lower().replace("_", "-") for name in imported
    }


def test_what_is_declared_is_what_is_imported() -> None:
    declared, imported = declared_and_imported()
    loaded_by_name = {"psycopg": "SQLAlchemy", "uvloop": "uvicorn"}
    assert declared - imported == set(loaded_by_name)
    assert imported - declared == set()


def release_inputs() -> list[str]:
    """The paths a change of which makes `make run` build anew."""
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"^RELEASE_INPUTS := (.*)$", makefile, re.MULTILINE)
    names = re.sub(r"\$\(addprefix (\S+),([^)]*)\)", lambda m: " ".join(m[1] + name for name in m[2].split()), line)
    return names.split()


def unwatched(watched: list[str]) -> set[str]:
    """Modules that the build or the index builder loads and that none of the `watched` paths holds."""
    graph = grimp.build_graph("padron", cache_dir=None)
    shaping = {"padron.ingest.build", "padron.index.release_index"}
    loaded = shaping | {name for module in shaping for name in graph.find_upstream_modules(module)} - {"padron"}
    paths = {module: f"src/{module.replace('.', '/')}" for module in loaded}
    return {
        module
        for module, path in paths.items()
        if not any(
            seen in {f"{path}.py", f"{path}/__init__.py"} or f"{path}/".startswith(f"{seen}/") for seen in watched
        )
    }


def test_make_run_builds_anew_when_anything_that_shapes_a_release_changes() -> None:
    watched = release_inputs()
    assert [path for path in watched if not (ROOT / path).exists()] == []
    assert unwatched(watched) == set()
    assert unwatched([path for path in watched if "text" not in path]) == {"padron.text"}


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file, by path."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.release_check
def test_the_same_files_give_the_same_wheels(tmp_path: Path) -> None:
    """Two copies in different folders, written at different times with different permissions."""
    built = []
    for number, mode in enumerate((0o644, 0o600)):
        source, target = tmp_path / f"{number}" / "source", tmp_path / f"{number}" / "dist"
        for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-DATA.md"):
            source.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
        shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "data", source / "data", ignore=shutil.ignore_patterns("__pycache__"))
        for path in (path for path in source.rglob("*") if path.is_file()):
            path.chmod(mode)
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps"]
        packages = [str(source), str(source / "data")]
        subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", str(target), *packages], check=True)
        built.append(digests(target))
    assert len(built[0]) == 2
    assert built[0] == built[1]


@pytest.mark.release_check
def test_the_same_official_files_give_the_same_release(release: Path, tmp_path: Path) -> None:
    """Every file of it, when the build is repeated at the time that the first one states."""
    first = snapshot.read_release(release, snapshot.current(release))
    epoch = f"{datetime.fromisoformat(first.generated_at).timestamp():.0f}"
    padron = [sys.executable, "-m", "padron", "build", "--data", str(tmp_path), "--source"]
    command = [*padron, str(ROOT / "data" / "official")]
    subprocess.run(command, env=os.environ | {"SOURCE_DATE_EPOCH": epoch}, check=True, capture_output=True)
    assert snapshot.current(tmp_path) == first.id
    for folder in ("snapshots", "releases", "indexes"):
        assert digests(tmp_path / folder) == digests(release / folder)


@pytest.mark.release_check
def test_the_bill_of_materials_lists_the_lock_file() -> None:
    subprocess.run(["make", "-C", str(ROOT), "sbom"], check=True, capture_output=True)
    bill = json.loads((ROOT / "dist" / "padron.cdx.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "padron")
    listed = {component["name"]: component["version"] for component in bill["components"]}
    assert listed == locked((ROOT / "requirements.lock").read_text("utf-8"))
    assert all(component["externalReferences"][0]["hashes"] for component in bill["components"])


@pytest.mark.release_check
def test_the_data_package_holds_every_official_file(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT / "data")], check=True)
    (wheel,) = tmp_path.glob("padron_data-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    official = digests(ROOT / "data" / "official")
    prefix = "padron_data/official/"
    assert {name.removeprefix(prefix): digest for name, digest in packed.items() if name.startswith(prefix)} == official
    assert "padron_data/LICENSE-DATA.md" in packed


def test_the_data_package_has_the_version_that_the_extra_asks_for() -> None:
    data = tomllib.loads((ROOT / "data" / "pyproject.toml").read_text("utf-8"))["project"]
    assert PROJECT["project"]["optional-dependencies"]["data"] == [f"padron-data=={data['version']}"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, packed."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (path,) = folder.glob("padron-*.whl")
    return path


@pytest.mark.verify
def test_the_wheel_holds_the_package_and_runs(wheel: Path, tmp_path: Path) -> None:
    """Unpacked elsewhere, over the libraries that are installed here."""
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("padron/")}
    source = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "padron").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    guides = {f"padron/web/documents/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    with zipfile.ZipFile(io.BytesIO(client_code.archive())) as archive:
        clients = {f"padron/web/{name}" for name in archive.namelist()}
    assert packed == source | guides | clients
    assert {Path(name).suffix for name in packed} >= {".py", ".sql", ".csv", ".toml"}
    zipfile.ZipFile(wheel).extractall(tmp_path)
    command = [
        sys.executable,
        "-c",
        "import padron.cli.app; print(padron.__file__); padron.cli.app.main()",
        "--version",
    ]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    pack = "import sys; from padron.web import client_code; sys.stdout.buffer.write(client_code.archive())"
    packing = [sys.executable, "-c", pack]
    handed = subprocess.run(packing, cwd=tmp_path, env=environment, check=True, capture_output=True).stdout
    assert handed == client_code.archive(), "the code of the clients is in the package too"
    ran = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    assert ran.stdout.split() == [str(tmp_path / "padron" / "__init__.py"), PROJECT["project"]["version"]]


@pytest.mark.release_check
def test_the_wheel_alone_runs(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "alone", with_pip=True)
    python = str(tmp_path / "alone" / "bin" / "python")
    alone = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*alone, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*alone, "--no-deps", "--no-index", str(wheel)], check=True)
    output = subprocess.run(
        [str(tmp_path / "alone" / "bin" / "padron"), "--version"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert output.stdout.strip() == PROJECT["project"]["version"]
